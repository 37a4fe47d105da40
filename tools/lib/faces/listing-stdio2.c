// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * `annotate --stdio2`: the lines of a browser as text. Offsets in the function stand only where a jump
 * leads to, arrows say where a branch goes, and a jump or call names its target and not an address.
 * See text-formats.adoc, "perf annotate --stdio2".
 */
#include "faces/listing-int.h"

/* ---- the title ---------------------------------------------------------------------------------- */

/* "2K", "15 " */
static void put_short(struct obuf *o, uint64_t n)
{
	char unit = ' ';

	for (const char *u = "KMG"; *u && n > 1000; u++) {
		n /= 1000;
		unit = *u;
	}
	obuf_dec(o, n);
	obuf_char(o, unit);
}

static void put_title(struct faces_listings *f, const struct listing *l)
{
	const struct perfdata_event *first = l->nr_events ? l->event[0].event : NULL;
	struct annotate_count all = { 0, 0 };

	for (uint32_t k = 0; k < l->nr_events; k++) {
		all.hits += l->event[k].all.count.hits;
		all.period += l->event[k].all.count.period;
	}
	obuf_lit(f->out, "Samples: ");
	put_short(f->out, all.hits);
	obuf_str(f->out, l->nr_events > 1 ? " of events '" : " of event '");
	faces_listing_events(l, f->out);
	obuf_lit(f->out, "', ");
	if (first && attr_flag(&first->attr, ATTR_FLAG_FREQ))
		obuf_printf(f->out, "%llu Hz, ", (unsigned long long)first->attr.sample_freq);
	obuf_printf(f->out, "Event count (approx.): %llu, [percent: %s]\n",
		    (unsigned long long)all.period, faces_listing_percent_name(f->o.percent));
	emit_safe(f->out, l->sym->name);
	obuf_lit(f->out, "() ");
	emit_safe(f->out, l->dso->name);
	faces_flow_summary(l, f->out);
	obuf_lit(f->out, " [addresses: ");
	faces_listing_skid(l, f->out);
	obuf_lit(f->out, "]\n");
}

/* Heads of the columns, without blanks at the end. */
static void put_heads(struct faces_listings *f, const struct listing *l)
{
	int gap = 0;

	for (size_t i = 0; i < faces_listing_nr_columns; i++) {
		const struct faces_listing_column *c = &faces_listing_columns[i];
		int width = (c->width2 + 1) * (c->each_event ? (int)l->nr_events : 1);

		if (!c->shown(f, l))
			continue;
		obuf_pad(f->out, ' ', gap);
		obuf_str(f->out, c->head);
		gap = width - (int)strlen(c->head);
	}
	obuf_char(f->out, '\n');
}

/* ---- lines -------------------------------------------------------------------------------------- */

#define ARROW_BACK    "\xe2\x86\x91" /* U+2191 */
#define ARROW_FORWARD "\xe2\x86\x93" /* U+2193 */
#define ARROW_OUT     "\xe2\x86\x92" /* U+2192 */
#define ARROW_RETURN  "\xe2\x86\x90" /* U+2190 */

/* A line of which blanks are printed only once something follows them. */
struct pen {
	struct obuf *o;
	int blanks;
};

static struct obuf *pen_down(struct pen *p)
{
	obuf_pad(p->o, ' ', p->blanks);
	p->blanks = 0;
	return p->o;
}

static bool is_zero(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != '0' && s[i] != '.')
			return false;
	return true;
}

static void put_number(struct faces_listings *f, const struct listing *l,
		       const struct listing_line *line, const struct faces_listing_column *c,
		       uint32_t k, struct pen *p)
{
	const char *text;
	size_t n = faces_listing_number(f, l, line, c, k, &text);
	bool colored;

	if (is_zero(text, n)) {
		p->blanks += c->width2 + 1;
		return;
	}
	p->blanks += c->width2 - (int)n;
	pen_down(p);
	colored = faces_listing_color(f, listing_percent(l, line, k, f->o.percent));
	obuf_mem(p->o, text, n);
	faces_listing_plain(f, colored);
	p->blanks = 1;
}

static void put_numbers(struct faces_listings *f, const struct listing *l,
			const struct listing_line *line, struct pen *p)
{
	for (size_t i = 0; i < faces_listing_nr_columns; i++) {
		const struct faces_listing_column *c = &faces_listing_columns[i];
		uint32_t nr = c->each_event ? l->nr_events : 1;

		if (!c->shown(f, l))
			continue;
		if (line->kind != LISTING_INSN) {
			p->blanks += (c->width2 + 1) * (int)nr;
			continue;
		}
		for (uint32_t k = 0; k < nr; k++)
			put_number(f, l, line, c, k, p);
	}
}

static const char *arrow(const struct listing *l, const struct listing_line *line)
{
	if (line->branch == INSN_RET || line->branch == INSN_SYSRET)
		return ARROW_RETURN;
	if (line->ref == LISTING_LOCAL)
		return line->target != LISTING_NONE && &l->line[line->target] > line ? ARROW_FORWARD
										     : ARROW_BACK;
	if (line->ref == LISTING_CODE || line->branch == INSN_CALL || line->branch == INSN_IND_CALL)
		return ARROW_OUT;
	return NULL;
}

/* How wide columns of this listing are, and its loops as far as lines were printed. */
struct layout {
	int offset, mnemonic;
	unsigned nr_loops;
	struct faces_loops loops;
};

static void put_loops(struct layout *y, const struct listing *l, uint32_t line, struct pen *p)
{
	const char *marks[FACES_LOOPS_MAX];

	if (!y->nr_loops)
		return;
	faces_loops_marks(&y->loops, l, line, marks);
	for (unsigned k = 0; k < y->nr_loops; k++) {
		if (marks[k])
			obuf_str(pen_down(p), marks[k]);
		else
			p->blanks++;
	}
	p->blanks++;
}

static void put_insn(struct faces_listings *f, const struct listing *l,
		     const struct listing_line *line, struct layout *y, struct pen *p)
{
	const char *mark = arrow(l, line);

	if (line->jumps) {
		char buf[20];
		int n = fmt_hex(buf, line->addr - l->start);

		p->blanks += 1 + y->offset - n;
		obuf_mem(pen_down(p), buf, (size_t)n);
		obuf_char(p->o, ':');
	} else {
		p->blanks += y->offset + 2;
	}
	p->blanks++;
	put_loops(y, l, (uint32_t)(line - l->line), p);
	if (mark)
		obuf_str(pen_down(p), mark);
	p->blanks += mark ? 1 : 2;
	pen_down(p);
	if (f->o.asm_raw)
		faces_listing_bytes(line, p->o);
	faces_insn_text(l, line, false, y->mnemonic, p->o);
	faces_flow_comment(l, line, p->o);
}

/* A line of source, or a symbol that begins. */
static void put_other(const struct listing *l, const struct listing_line *line, struct layout *y,
		      struct pen *p)
{
	bool label = line->kind == LISTING_LABEL;

	p->blanks += y->offset + 3;
	put_loops(y, l, (uint32_t)(line - l->line), p);
	if (label) {
		obuf_hex_zero(pen_down(p), listing_addr(l, line), 16);
		obuf_lit(p->o, " <");
		emit_safe(p->o, line->name ?: "");
		obuf_lit(p->o, ">:");
	} else if (line->text[strspn(line->text, " \t\r\n")]) {
		faces_listing_source(line, pen_down(p));
	}
}

static int put(struct faces_listings *f, const struct listing *l, struct err *e)
{
	struct layout y = { .mnemonic = faces_insn_width(l) };
	char buf[20];

	(void)e;
	y.offset = fmt_hex(buf, l->end - l->start);
	y.nr_loops = f->o.loops ? faces_loops_width(l) : 0;
	faces_loops_start(&y.loops);
	faces_listing_put_legend(f, l);
	put_title(f, l);
	put_heads(f, l);
	for (uint32_t i = 0; i < l->nr_lines && !f->out->code; i++) {
		const struct listing_line *line = &l->line[i];
		struct pen p = { .o = f->out };

		put_numbers(f, l, line, &p);
		if (line->kind == LISTING_INSN)
			put_insn(f, l, line, &y, &p);
		else
			put_other(l, line, &y, &p);
		obuf_char(f->out, '\n');
	}
	f->nr++;
	return 0;
}

const struct faces_listing_writer faces_listing_stdio2 = {
	"stdio2",
	faces_listing_begin,
	put,
	faces_listing_end,
};
