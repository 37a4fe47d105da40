// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What registers tell of a listing: the width of vectors in use, lanes that a mask lets through, values
 * of one register. An instruction that selects lanes by a mask that was not recorded has "-"; where
 * no sample was taken there is nothing.
 */
#include "faces/listing-int.h"

static const struct listing_regs *regs_of(const struct listing *l, const struct listing_line *line)
{
	return l->regs && line->insn != LISTING_NONE ? &l->regs[line->insn] : NULL;
}

static double percent(uint64_t part, uint64_t whole)
{
	return 100.0 * (double)part / (double)whole;
}

/* ---- columns ---------------------------------------------------------------------------------- */

bool faces_regs_shown(const struct faces_listings *f, const struct listing *l)
{
	return f->o.simd && l->regs;
}

bool faces_regs_value_shown(const struct faces_listings *f, const struct listing *l)
{
	(void)f;
	return l->regs && l->value_name;
}

/* "512 98%": the width that most samples have, and how many of them. */
void faces_regs_width(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct obuf *o)
{
	static const char *const names[SIMD_WIDTHS] = { "none", "128", "256", "512" };
	const struct listing_regs *r = regs_of(l, line);
	unsigned most = 0;

	(void)f;
	(void)k;
	if (!r || !r->nr)
		return;
	for (unsigned w = 1; w < SIMD_WIDTHS; w++)
		if (r->live[w] >= r->live[most])
			most = w;
	obuf_printf(o, "%s %.0f%%", names[most], percent(r->live[most], r->nr));
}

static bool has_samples(const struct listing *l, const struct listing_line *line)
{
	uint64_t hits = 0;

	for (uint32_t k = 0; k < l->nr_events; k++)
		hits += listing_count(l, line, k).hits;
	return hits != 0;
}

void faces_regs_lanes(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct obuf *o)
{
	const struct listing_regs *r = regs_of(l, line);

	(void)f;
	(void)k;
	if (r && r->masked)
		obuf_printf(o, "%.1f%%", percent(r->lanes_on, r->masked * line->lanes));
	else if (r && line->mask && has_samples(l, line))
		obuf_char(o, '-');
}

/* "0x40 91% 0x0-0x80": the most frequent value, its share, the least and the largest. */
void faces_regs_value(const struct faces_listings *f, const struct listing *l,
		      const struct listing_line *line, uint32_t k, struct obuf *o)
{
	const struct listing_regs *r = regs_of(l, line);

	(void)f;
	(void)k;
	if (!r || !r->nr_values) {
		if (r && has_samples(l, line))
			obuf_char(o, '-');
		return;
	}
	if (r->many)
		obuf_lit(o, "many");
	else
		obuf_printf(o, "%#llx %.0f%%", (unsigned long long)r->top,
			    percent(r->top_nr, r->nr_values));
	if (r->min != r->max)
		obuf_printf(o, " %#llx-%#llx", (unsigned long long)r->min,
			    (unsigned long long)r->max);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

void faces_regs_width_json(const struct faces_listings *f, const struct listing *l,
			   const struct listing_line *line, uint32_t k, struct emit *e)
{
	const struct listing_regs *r = regs_of(l, line);

	(void)f;
	(void)k;
	if (!r || !r->nr)
		return;
	emit_object(e, "vectors");
	emit_u64(e, "samples", r->nr);
	emit_u64(e, "none", r->live[SIMD_NONE]);
	emit_u64(e, "128", r->live[SIMD_128]);
	emit_u64(e, "256", r->live[SIMD_256]);
	emit_u64(e, "512", r->live[SIMD_512]);
	emit_end(e);
}

void faces_regs_lanes_json(const struct faces_listings *f, const struct listing *l,
			   const struct listing_line *line, uint32_t k, struct emit *e)
{
	const struct listing_regs *r = regs_of(l, line);

	(void)f;
	(void)k;
	if (!r || !line->mask || !has_samples(l, line))
		return;
	emit_object(e, "mask");
	emit_u64(e, "register", line->mask);
	emit_u64(e, "lanes", line->lanes);
	emit_u64(e, "samples", r->masked);
	if (r->masked)
		emit_f64(e, "lanes_on", (double)r->lanes_on / (double)r->masked, 3);
	else
		emit_str(e, "lanes_on", NULL);
	emit_end(e);
}

void faces_regs_value_json(const struct faces_listings *f, const struct listing *l,
			   const struct listing_line *line, uint32_t k, struct emit *e)
{
	const struct listing_regs *r = regs_of(l, line);

	(void)f;
	(void)k;
	if (!r || !r->nr_values)
		return;
	emit_object(e, "value");
	emit_str(e, "register", l->value_name);
	emit_u64(e, "samples", r->nr_values);
	emit_hex(e, "min", r->min);
	emit_hex(e, "max", r->max);
	if (r->many) {
		emit_str(e, "top", NULL);
	} else {
		emit_hex(e, "top", r->top);
		emit_u64(e, "top_samples", r->top_nr);
		emit_u64(e, "distinct", r->distinct);
	}
	emit_end(e);
}
