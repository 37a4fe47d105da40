// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Listings as JSON: what programs get to know of functions and their lines. Addresses are strings, so
 * that no reader rounds them; what is not known has no member, or is null where others have a number.
 */
#include "faces/listing-int.h"

static void begin(struct faces_listings *f)
{
	faces_listing_begin(f);
	emit_init(&f->json, f->out, EMIT_JSON);
	emit_object(&f->json, NULL);
	emit_str(&f->json, "percent_type", faces_listing_percent_name(f->o.percent));
	emit_array(&f->json, "functions");
}

static void end(struct faces_listings *f)
{
	emit_end(&f->json);
	emit_end(&f->json);
	emit_finish(&f->json);
	faces_listing_end(f);
}

/* ---- a line ------------------------------------------------------------------------------------- */

static const char *branch_name(uint8_t branch)
{
	static const char *const names[] = {
		[INSN_COND] = "cond",	      [INSN_JUMP] = "jump",
		[INSN_IND_JUMP] = "ind_jump", [INSN_CALL] = "call",
		[INSN_IND_CALL] = "ind_call", [INSN_RET] = "ret",
		[INSN_SYSCALL] = "syscall",   [INSN_SYSRET] = "sysret",
	};

	return branch < ARRAY_SIZE(names) ? names[branch] : NULL;
}

static void put_bytes(struct faces_listings *f, const struct listing_line *line)
{
	char hex[2 * UINT8_MAX + 1];

	for (unsigned i = 0; i < line->len; i++) {
		hex[2 * i] = "0123456789abcdef"[line->bytes[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[line->bytes[i] & 15];
	}
	hex[2 * line->len] = 0;
	emit_str(&f->json, "bytes", hex);
}

static void put_ref(struct faces_listings *f, const struct listing *l,
		    const struct listing_line *line)
{
	struct emit *e = &f->json;

	if (line->ref == LISTING_NO_REF)
		return;
	emit_object(e, line->ref == LISTING_DATA ? "data" : "target");
	if (line->ref_addr || !line->name)
		emit_hex(e, "address", line->ref_addr);
	if (line->ref == LISTING_LOCAL && line->target != LISTING_NONE)
		emit_u64(e, "offset", l->line[line->target].addr - l->start);
	if (line->name) {
		emit_str(e, "symbol", line->name);
		emit_u64(e, "symbol_offset", line->name_off);
	}
	emit_end(e);
}

static void put_numbers(struct faces_listings *f, const struct listing *l,
			const struct listing_line *line)
{
	struct emit *e = &f->json;

	emit_array(e, "counts");
	for (uint32_t k = 0; k < l->nr_events; k++) {
		emit_object(e, NULL);
		for (size_t i = 0; i < faces_listing_nr_columns; i++)
			if (faces_listing_columns[i].each_event)
				faces_listing_columns[i].json(f, l, line, k, e);
		emit_end(e);
	}
	emit_end(e);
	for (size_t i = 0; i < faces_listing_nr_columns; i++)
		if (!faces_listing_columns[i].each_event)
			faces_listing_columns[i].json(f, l, line, 0, e);
}

static void put_insn(struct faces_listings *f, const struct listing *l,
		     const struct listing_line *line)
{
	struct emit *e = &f->json;

	emit_hex(e, "address", listing_addr(l, line));
	emit_u64(e, "offset", line->addr - l->start);
	put_bytes(f, line);
	f->cell.len = 0;
	faces_insn_text(l, line, true, FACES_INSN_WIDTH, &f->cell);
	obuf_char(&f->cell, 0);
	emit_str(e, "text", f->cell.code ? NULL : f->cell.buf);
	if (line->file && line->srcline) {
		emit_str(e, "file", line->file);
		emit_u64(e, "line", line->srcline);
	}
	if (branch_name(line->branch))
		emit_str(e, "branch", branch_name(line->branch));
	put_ref(f, l, line);
	if (line->jumps)
		emit_u64(e, "jumps_here", line->jumps);
	if (line->depth)
		emit_u64(e, "loops", line->depth);
	put_numbers(f, l, line);
}

static void put_line(struct faces_listings *f, const struct listing *l,
		     const struct listing_line *line)
{
	struct emit *e = &f->json;

	emit_object(e, NULL);
	switch ((enum listing_kind)line->kind) {
	case LISTING_INSN: put_insn(f, l, line); break;
	case LISTING_SOURCE:
		emit_str(e, "file", line->file);
		emit_u64(e, "line", line->srcline);
		emit_str(e, "source", line->text);
		break;
	case LISTING_LABEL: emit_str(e, "label", line->name); break;
	}
	emit_end(e);
}

/* ---- a function --------------------------------------------------------------------------------- */

static void put_count(struct emit *e, const char *name, const struct annotate_count *c)
{
	emit_object(e, name);
	emit_u64(e, "samples", c->hits);
	emit_u64(e, "period", c->period);
	emit_end(e);
}

static void put_events(struct faces_listings *f, const struct listing *l)
{
	struct emit *e = &f->json;

	emit_array(e, "events");
	for (uint32_t k = 0; k < l->nr_events; k++) {
		const struct listing_event *ev = &l->event[k];

		emit_object(e, NULL);
		emit_str(e, "event", ev->event ? ev->event->name : NULL);
		emit_u64(e, "samples", ev->function.count.hits);
		emit_u64(e, "period", ev->function.count.period);
		emit_u64(e, "exact", ev->function.exact);
		emit_u64(e, "precise_ip", ev->function.precise);
		put_count(e, "all", &ev->all.count);
		if (ev->outside.hits)
			put_count(e, "outside", &ev->outside);
		emit_end(e);
	}
	emit_end(e);
}

static void put_build_id(struct emit *e, const struct dso *dso)
{
	char hex[2 * UINT8_MAX + 1];

	if (!dso->build_id_size)
		return;
	for (unsigned i = 0; i < dso->build_id_size; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", dso->build_id[i]);
	emit_str(e, "build_id", hex);
}

static int put(struct faces_listings *f, const struct listing *l, struct err *err)
{
	struct emit *e = &f->json;

	(void)err;
	emit_object(e, NULL);
	emit_str(e, "symbol", l->sym->name);
	emit_str(e, "object", l->dso->name);
	put_build_id(e, l->dso);
	emit_str(e, "code", l->path);
	if (l->nr_insns)
		emit_hex(e, "start", listing_addr(l, &l->line[l->insn_line[0]]));
	emit_u64(e, "size", l->end - l->start);
	put_events(f, l);
	faces_flow_json(l, e);
	emit_array(e, "notes");
	for (const char *const *note = l->notes; note && *note; note++)
		emit_str(e, NULL, *note);
	emit_end(e);
	emit_array(e, "lines");
	for (uint32_t i = 0; i < l->nr_lines && !f->out->code; i++)
		put_line(f, l, &l->line[i]);
	emit_end(e);
	emit_end(e);
	f->nr++;
	return 0;
}

const struct faces_listing_writer faces_listing_json = { "json", begin, put, end };
