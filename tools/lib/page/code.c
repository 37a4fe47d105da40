// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hottest functions as instructions and source lines, by room annotate: a listing as columns by line,
 * and what was counted as lists of the lines that have any. Addresses are told from the first line's on,
 * which is a string, as scripts round large numbers.
 *
 * A function whose code cannot be read is there with the reason. Of very long ones what lies around
 * their hottest instruction.
 */
#include "faces/faces.h"
#include "page-int.h"

#define MAX_LINES 8000

struct part {
	uint32_t from, to; /* lines */
};

static struct part part_of(const struct listing *l)
{
	uint32_t hot = listing_hottest(l), half = MAX_LINES / 2;

	if (l->nr_lines <= MAX_LINES)
		return (struct part){ 0, l->nr_lines };
	if (hot == LISTING_NONE || hot < half)
		return (struct part){ 0, MAX_LINES };
	if (hot + half > l->nr_lines)
		return (struct part){ l->nr_lines - MAX_LINES, l->nr_lines };
	return (struct part){ hot - half, hot + half };
}

/* Lines are counted from the first that is shown, one more than their number; 0 = none. */
static uint32_t shown_line(const struct part *part, uint32_t line)
{
	return line == LISTING_NONE || line < part->from || line >= part->to
		       ? 0
		       : line - part->from + 1;
}

static void put_text(const struct listing *l, const struct listing_line *line, struct obuf *cell,
		     struct json *j)
{
	const char *text = line->kind == LISTING_LABEL ? line->name : line->text;

	cell->len = 0;
	if (line->kind == LISTING_INSN) {
		faces_insn_text(l, line, true, FACES_INSN_WIDTH, cell);
		obuf_char(cell, 0);
		text = cell->code ? NULL : cell->buf;
	}
	page_str(j, NULL, text ? text : "");
}

/* The function that an instruction calls, as a frame + 1; 0 = none that the page has. */
static uint32_t callee(const struct page *p, const struct listing *l,
		       const struct listing_line *line)
{
	const struct symbol *sym;
	struct dso *dso;

	if (line->kind != LISTING_INSN || line->ref != LISTING_CODE ||
	    !listing_callee(p->code, l, line, &dso, &sym) || !sym ||
	    sym->idx >= p->side[0].frame_of_sym[0].n)
		return 0;
	return p->side[0].frame_of_sym[0].v[sym->idx];
}

#define LINES(j, name, l, part, it, expr)                                 \
	do {                                                              \
		page_open(j, name, '[');                                  \
		for (uint32_t i_ = (part)->from; i_ < (part)->to; i_++) { \
			const struct listing_line *it = &(l)->line[i_];   \
			page_int(j, (int64_t)(expr));                     \
		}                                                         \
		page_close(j, ']');                                       \
	} while (0)

static void put_lines(const struct page *p, const struct listing *l, const struct part *part,
		      struct json *j)
{
	uint64_t base = listing_addr(l, &l->line[part->from]);
	struct obuf cell;

	if (obuf_init(&cell, -1, 0))
		return;
	page_key(j, "base");
	obuf_printf(j->o, "\"0x%llx\"", (unsigned long long)base);
	LINES(j, "kind", l, part, it, it->kind);
	LINES(j, "offset", l, part, it, listing_addr(l, it) - base);
	LINES(j, "line", l, part, it, it->srcline);
	LINES(j, "depth", l, part, it, it->depth);
	LINES(j, "target", l, part, it, shown_line(part, it->target));
	LINES(j, "callee", l, part, it, callee(p, l, it));
	page_open(j, "text", '[');
	for (uint32_t i = part->from; i < part->to; i++)
		put_text(l, &l->line[i], &cell, j);
	page_close(j, ']');
	obuf_free(&cell);
}

/* Quadruples: line, event, hits, period. */
static void put_counts(const struct listing *l, const struct part *part, struct json *j)
{
	page_open(j, "counts", '[');
	for (uint32_t i = part->from; i < part->to; i++)
		for (uint32_t k = 0; k < l->nr_events; k++) {
			struct annotate_count n = listing_count(l, &l->line[i], k);

			if (!n.hits)
				continue;
			page_int(j, i - part->from);
			page_int(j, l->event[k].idx);
			page_int(j, (int64_t)n.hits);
			page_int(j, (int64_t)n.period);
		}
	page_close(j, ']');
}

/* Seven each: line, executions, taken, mispredicted, that say so, and for IPC instructions, cycles. */
static void put_flow(const struct listing *l, const struct part *part, struct json *j)
{
	if (!l->flow)
		return;
	page_open(j, "flow", '[');
	for (uint32_t i = part->from; i < part->to; i++) {
		const struct listing_flow *f;

		if (l->line[i].insn == LISTING_NONE)
			continue;
		f = &l->flow[l->line[i].insn];
		if (!f->executions && !f->left)
			continue;
		page_int(j, i - part->from);
		page_int(j, (int64_t)f->executions);
		page_int(j, (int64_t)f->taken);
		page_int(j, (int64_t)f->mispred);
		page_int(j, (int64_t)f->flagged);
		page_int(j, (int64_t)f->ipc_insns);
		page_int(j, (int64_t)f->ipc_cycles);
	}
	page_close(j, ']');
}

static void put_listing(const struct page *p, const struct listing *l, struct json *j)
{
	struct part part = part_of(l);

	page_str(j, "file", l->path);
	page_open(j, "notes", '[');
	for (const char *const *n = l->notes; n && *n; n++)
		page_str(j, NULL, *n);
	if (part.to - part.from < l->nr_lines)
		page_str(j, NULL, "Only the lines around the hottest instruction are here.");
	page_close(j, ']');
	put_lines(p, l, &part, j);
	put_counts(l, &part, j);
	put_flow(l, &part, j);
}

static uint32_t frame_of(const struct page *p, const struct symbol *sym)
{
	return sym->idx < p->side[0].frame_of_sym[0].n ? p->side[0].frame_of_sym[0].v[sym->idx] : 0;
}

int page_put_code(struct page *p, struct json *j, struct err *e)
{
	const struct listing_opts opts = { 0 };
	int ret = p->code ? annotate_finish(p->code, e) : 0;

	page_open(j, "code", '[');
	for (size_t i = 0;
	     p->code && !ret && i < annotate_nr_functions(p->code) && i < p->o.functions; i++) {
		const struct annotate_function *f = annotate_function(p->code, i);
		struct listing *l = NULL;
		struct err why = { 0 };
		int bad;

		/* A function that is in no stack: its samples were left out by events' filters. */
		if (!frame_of(p, f->sym))
			continue;
		bad = listing_open(&l, p->code, f->dso, f->sym, &opts, &why);
		if (bad == -ENOMEM)
			ret = err_set(e, -ENOMEM, "no memory for a listing");
		page_open(j, NULL, '{');
		page_num(j, "frame", frame_of(p, f->sym) - 1);
		if (bad)
			page_str(j, "missing", why.text);
		else if (l->nr_lines)
			put_listing(p, l, j);
		page_close(j, '}');
		listing_close(l);
	}
	page_close(j, ']');
	return ret;
}
