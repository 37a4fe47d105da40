// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records that the recording tool wrote, one function per type. Of many upstream prints the name
 * alone, and of some not even the end of the line; clients read it so.
 */
#include <inttypes.h>

#include "dump/dump-int.h"
#include "emit/emit.h"

static struct cursor body_of(const struct record *rec)
{
	return cursor_init(rec->data + 8, rec->size - 8, rec->swap);
}

static int cut(struct err *e)
{
	return err_set(e, -EBADMSG, "cut short");
}

/* Upstream has nothing to say about these but that it read them; some end their line, others
 * leave that to the next record. */
static int silent(struct dump *d, const struct record *rec, struct err *e)
{
	(void)d, (void)rec, (void)e;
	return 0;
}

/* Ends without a newline, as upstream's does. */
static int header_attr(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	struct perf_event_attr attr;
	uint32_t size;

	if (cursor_left(&c) < PERF_ATTR_SIZE_VER0)
		return cut(e);
	size = load_u32(c.p + 4, rec->swap);
	if (size > cursor_left(&c))
		return cut(e);
	if (attr_load(&attr, c.p, size, rec->swap, e))
		return e->code;
	obuf_lit(d->o, ", ");
	attr_print_fields(&attr, d->o, " = ");
	return 0;
}

static int header_feature(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	uint64_t id = cursor_u64(&c);

	if (c.bad)
		return cut(e);
	/* An id without anything behind it closes the list. */
	if (!id || !cursor_left(&c))
		return 0;
	obuf_lit(d->o, ", ");
	if (id >= FEAT_LAST)
		return 0;
	dump_feature(d->pd, (int)id, c.p, cursor_left(&c), d->o);
	return 0;
}

static int newline(struct dump *d, const struct record *rec, struct err *e)
{
	(void)rec, (void)e;
	obuf_char(d->o, '\n');
	return 0;
}

static void unhandled(struct dump *d)
{
	obuf_lit(d->o, ": unhandled!\n");
}

static int id_index(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	uint64_t nr = cursor_u64(&c);

	if (c.bad || nr > cursor_left(&c) / 32)
		return cut(e);
	obuf_printf(d->o, " nr: %" PRIu64 "\n", nr);
	for (uint64_t i = 0; i < nr; i++) {
		obuf_printf(d->o, " ... id: %" PRIu64, cursor_u64(&c));
		obuf_printf(d->o, "  idx: %" PRIu64, cursor_u64(&c));
		obuf_printf(d->o, "  cpu: %" PRId64, (int64_t)cursor_u64(&c));
		obuf_printf(d->o, "  tid: %" PRId64 "\n", (int64_t)cursor_u64(&c));
	}
	return 0;
}

static int thread_map(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	uint64_t nr = cursor_u64(&c);

	if (c.bad || nr > cursor_left(&c) / 24)
		return cut(e);
	obuf_printf(d->o, " nr: %" PRIu64 " thread%s", nr, nr > 1 ? "s" : "");
	for (uint64_t i = 0; i < nr; i++) {
		obuf_printf(d->o, "%s%" PRId64, i ? ", " : ": ", (int64_t)cursor_u64(&c));
		cursor_skip(&c, 16);
	}
	obuf_char(d->o, '\n');
	unhandled(d);
	return 0;
}

/* ---- CPU maps --------------------------------------------------------------------------------------- */

enum { CPUS_LIST, CPUS_MASK, CPUS_RANGE };

static void cpus_from_list(struct cursor *c, struct bits *b, bool *any)
{
	uint16_t nr = cursor_u16(c);

	for (uint16_t i = 0; i < nr && !c->bad; i++) {
		uint16_t cpu = cursor_u16(c);

		if (cpu == UINT16_MAX)
			*any = true;
		else if (!c->bad)
			bits_set(b, cpu);
	}
}

static void cpus_from_mask(struct cursor *c, struct bits *b)
{
	uint16_t nr = cursor_u16(c), size = cursor_u16(c);

	if (size == 8)
		cursor_u32(c); /* the words start at a multiple of their size */
	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		uint64_t w = size == 8 ? cursor_u64(c) : cursor_u32(c);
		uint32_t per = size == 8 ? 64 : 32;

		for (uint32_t k = 0; k < per; k++) {
			if (w >> k & 1)
				bits_set(b, i * per + k);
		}
	}
}

static void cpus_from_range(struct cursor *c, struct bits *b, bool *any)
{
	uint32_t first, last;

	*any = cursor_u8(c);
	cursor_u8(c);
	first = cursor_u16(c);
	last = cursor_u16(c);
	for (; first <= last && !c->bad; first++)
		bits_set(b, first);
}

/* "0-3,8", "-1" for any; false when the data is cut. */
static bool put_cpus(struct obuf *o, struct cursor *c)
{
	uint16_t kind = cursor_u16(c);
	struct bits cpus;
	bool any = false;
	char text[1024];

	if (bits_init(&cpus, 65536))
		return false;
	if (kind == CPUS_LIST)
		cpus_from_list(c, &cpus, &any);
	else if (kind == CPUS_MASK)
		cpus_from_mask(c, &cpus);
	else if (kind == CPUS_RANGE)
		cpus_from_range(c, &cpus, &any);
	if (!c->bad) {
		bits_print_list(&cpus, text, sizeof(text));
		obuf_printf(o, "%s%s%s\n", any ? "-1" : "", any && *text ? "," : "", text);
	}
	bits_free(&cpus);
	return !c->bad;
}

static int cpu_map(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);

	obuf_lit(d->o, ": ");
	if (!put_cpus(d->o, &c))
		return cut(e);
	unhandled(d);
	return 0;
}

/* ---- updates ------------------------------------------------------------------------------------------- */

static int event_update(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	uint64_t kind = cursor_u64(&c), id = cursor_u64(&c), bits;
	const char *text = NULL;
	double scale;

	if (kind == 0 || kind == 2)
		text = cursor_str(&c, cursor_left(&c));
	if (c.bad)
		return cut(e);
	obuf_printf(d->o, "\n... id:    %" PRIu64 "\n", id);
	switch (kind) {
	case 0:
	case 2:
		obuf_str(d->o, kind == 0 ? "... unit:  " : "... name:  ");
		emit_safe(d->o, text);
		obuf_char(d->o, '\n');
		break;
	case 1:
		bits = cursor_u64(&c);
		memcpy(&scale, &bits, sizeof(scale));
		obuf_printf(d->o, "... scale: %f\n", scale);
		break;
	case 3:
		obuf_lit(d->o, "... ");
		if (!put_cpus(d->o, &c))
			return cut(e);
		break;
	default: obuf_lit(d->o, "... unknown type\n");
	}
	return 0;
}

static int time_conv(struct dump *d, const struct record *rec, struct err *e)
{
	static const char *const names[] = { "Shift     ", "Multiplier", "Zero      ",
					     "Cycles    " };
	struct cursor c = body_of(rec);

	if (cursor_left(&c) < 24)
		return cut(e);
	obuf_char(d->o, '\n');
	for (int i = 0; i < 3; i++)
		obuf_printf(d->o, "... Time %s %" PRIu64 "\n", names[i], cursor_u64(&c));
	if (cursor_left(&c) >= 18) {
		obuf_printf(d->o, "... Time %s %" PRIu64 "\n", names[3], cursor_u64(&c));
		obuf_lit(d->o, "... Time Mask       ");
		dump_hex(d->o, cursor_u64(&c));
		obuf_printf(d->o, "\n... Cap Time Zero   %d\n", cursor_u8(&c));
		obuf_printf(d->o, "... Cap Time Short  %d\n", cursor_u8(&c));
	}
	unhandled(d);
	return 0;
}

/* ---- counting ------------------------------------------------------------------------------------------ */

static int stat_config(struct dump *d, const struct record *rec, struct err *e)
{
	static const char *const tags[] = { "aggr_mode", "interval ", "scale    " };
	struct cursor c = body_of(rec);
	uint64_t nr = cursor_u64(&c), value[3] = { 0 };

	if (c.bad || nr > cursor_left(&c) / 16)
		return cut(e);
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t tag = cursor_u64(&c), v = cursor_u64(&c);

		if (tag < 3)
			value[tag] = v;
	}
	obuf_printf(d->o, "\n... %s %" PRIu64 "\n", tags[0], value[0]);
	obuf_printf(d->o, "... %s %" PRIu64 "\n", tags[2], value[2]);
	obuf_printf(d->o, "... %s %" PRIu64 "\n", tags[1], value[1]);
	unhandled(d);
	return 0;
}

static int stat_body(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	uint64_t id = cursor_u64(&c);
	uint32_t cpu = cursor_u32(&c), thread = cursor_u32(&c);
	uint64_t val = cursor_u64(&c), ena = cursor_u64(&c), run = cursor_u64(&c);

	if (c.bad)
		return cut(e);
	obuf_printf(d->o, "\n... id %" PRIu64 ", cpu %d, thread %d\n", id, (int)cpu, (int)thread);
	obuf_printf(d->o, "... value %" PRIu64 ", enabled %" PRIu64 ", running %" PRIu64 "\n", val,
		    ena, run);
	unhandled(d);
	return 0;
}

static int stat_round(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	uint64_t type = cursor_u64(&c), time = cursor_u64(&c);

	if (c.bad)
		return cut(e);
	obuf_printf(d->o, "\n... time %" PRIu64 ", type %s\n", time, type ? "FINAL" : "INTERVAL");
	unhandled(d);
	return 0;
}

/* ---- AUX area --------------------------------------------------------------------------------------------- */

static int auxtrace_info(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	uint32_t type = cursor_u32(&c);

	if (c.bad)
		return cut(e);
	obuf_printf(d->o, " type: %u\n", type);
	return 0;
}

static int auxtrace(struct dump *d, const struct record *rec, struct err *e)
{
	struct cursor c = body_of(rec);
	uint64_t size = cursor_u64(&c), offset = cursor_u64(&c), ref = cursor_u64(&c);
	uint32_t idx = cursor_u32(&c), tid = cursor_u32(&c), cpu = cursor_u32(&c);

	if (c.bad)
		return cut(e);
	obuf_lit(d->o, " size: ");
	dump_hex(d->o, size);
	obuf_lit(d->o, "  offset: ");
	dump_hex(d->o, offset);
	obuf_lit(d->o, "  ref: ");
	dump_hex(d->o, ref);
	obuf_printf(d->o, "  idx: %u  tid: %d  cpu: %d\n", idx, (int)tid, (int)cpu);
	return 0;
}

dump_body dump_tool_body(uint32_t type)
{
	static const dump_body body[PERF_RECORD_USER_MAX - PERF_RECORD_USER_TYPE_START] = {
#define AT(name) [PERF_RECORD_##name - PERF_RECORD_USER_TYPE_START]
		AT(HEADER_ATTR) = header_attr,	   AT(HEADER_FEATURE) = header_feature,
		AT(HEADER_TRACING_DATA) = silent,  AT(HEADER_BUILD_ID) = silent,
		AT(FINISHED_ROUND) = newline,	   AT(ID_INDEX) = id_index,
		AT(AUXTRACE_INFO) = auxtrace_info, AT(AUXTRACE) = auxtrace,
		AT(THREAD_MAP) = thread_map,	   AT(CPU_MAP) = cpu_map,
		AT(STAT_CONFIG) = stat_config,	   AT(STAT) = stat_body,
		AT(STAT_ROUND) = stat_round,	   AT(EVENT_UPDATE) = event_update,
		AT(TIME_CONV) = time_conv,	   AT(COMPRESSED) = newline,
		AT(COMPRESSED2) = newline,
	};

	type -= PERF_RECORD_USER_TYPE_START;
	return type < ARRAY_SIZE(body) ? body[type] : NULL;
}
