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
	    !listing_callee(p->code, l, line, &dso, &sym) || !sym)
		return 0;
	return page_frame_of_symbol(p, sym);
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

/* What registers and branches say of instructions, in words; nothing of those that had none. */
static void put_marks(const struct listing *l, const struct part *part, struct json *j)
{
	const struct faces_listings face = { .o.simd = true };
	struct obuf cell;

	if ((!l->marks && !l->stat && !l->regs) || obuf_init(&cell, -1, 0))
		return;
	page_open(j, "marks", '[');
	for (uint32_t i = part->from; i < part->to; i++) {
		cell.len = 0;
		faces_listing_said(&face, l, &l->line[i], &cell);
		obuf_char(&cell, 0);
		page_str(j, NULL, cell.code ? "" : cell.buf);
	}
	page_close(j, ']');
	obuf_free(&cell);
}

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

/* The line of an instruction, from the first that is shown on; LISTING_NONE: it is not. */
static uint32_t line_at(const struct listing *l, const struct part *part, const uint32_t *lines,
			uint64_t addr)
{
	uint32_t insn = listing_insn_at(l, addr), line = insn == LISTING_NONE ? insn : lines[insn];

	return line == LISTING_NONE || line < part->from || line >= part->to ? LISTING_NONE
									     : line - part->from;
}

struct wanted {
	const struct page *p;
	const struct symbol *sym;
	const struct listing *l;
	const struct part *part;
	const uint32_t *lines; /* by instruction */
};

/* Of the things of a log those of this function: number, and the lines of @n locations of each. */
static void put_lines_of(const struct wanted *w, const struct page_log *log, unsigned n,
			 const char *name, struct json *j)
{
	page_open(j, name, '[');
	for (uint32_t i = 0; i < log->nr_shown; i++) {
		const uint64_t *key = keys_tuple_get(&log->things, log->shown[i]);
		uint32_t at[2] = { 0 };
		bool here = true;

		for (unsigned k = 0; k < n && here; k++) {
			const struct loc *loc = resolver_loc(w->p->env->resolver, (uint32_t)key[k]);

			here = loc->sym == w->sym;
			at[k] = here ? line_at(w->l, w->part, w->lines, loc->addr) : LISTING_NONE;
			here = at[k] != LISTING_NONE;
		}
		if (!here)
			continue;
		page_int(j, i);
		for (unsigned k = 0; k < n; k++)
			page_int(j, at[k]);
	}
	page_close(j, ']');
}

/* What was counted where: things of the logs, which have the numbers. */
static void put_counts(const struct page *p, const struct symbol *sym, const struct listing *l,
		       const struct part *part, struct json *j)
{
	uint32_t *lines = malloc((l->nr_lines + 1) * sizeof(*lines));
	const struct wanted w = { p, sym, l, part, lines };

	if (!lines)
		return;
	for (uint32_t i = 0; i < l->nr_lines; i++)
		if (l->line[i].insn != LISTING_NONE)
			lines[l->line[i].insn] = i;
	put_lines_of(&w, &p->places, 1, "places", j);
	put_lines_of(&w, &p->edges, 1, "edges", j);
	put_lines_of(&w, &p->ranges, 2, "ranges", j);
	free(lines);
}

static void put_listing(const struct page *p, const struct symbol *sym, const struct listing *l,
			struct json *j)
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
	put_marks(l, &part, j);
	put_counts(p, sym, l, &part, j);
}

int page_add_code(struct page *p, const struct session_sample *in, struct err *e)
{
	uint64_t key = resolver_find(p->env->resolver, in->thread, in->s->cpumode, in->s->ip);
	uint32_t row = key == LOC_NONE ? NONE : page_log_row(p, &p->places, &key);

	if (row == NONE)
		return err_set(e, -ENOMEM, "no memory for the page");
	p->places.rows.v[row].nr++;
	p->places.rows.v[row].cycles += in->s->period;
	return annotate_add(p->code, in, e);
}

static bool in_code(const struct page *p, const uint64_t *key)
{
	const struct symbol *sym = resolver_loc(p->env->resolver, (uint32_t)*key)->sym;

	return sym && page_shows_code(p, sym);
}

int page_choose_code(struct page *p, struct err *e)
{
	int ret = p->code ? annotate_finish(p->code, e) : 0;

	for (size_t i = 0;
	     p->code && !ret && i < annotate_nr_functions(p->code) && i < p->o.functions; i++) {
		uint32_t idx = annotate_function(p->code, i)->sym->idx;

		if (vec_reach(&p->shows, idx, 0))
			ret = err_set(e, -ENOMEM, "no memory for the page");
		else
			p->shows.v[idx] = 1;
	}
	if (!ret && page_log_choose(p, &p->places, 0, in_code))
		ret = err_set(e, -ENOMEM, "no memory for the page");
	return ret;
}

int page_put_code(struct page *p, struct json *j, struct err *e)
{
	const struct listing_opts opts = { 0 };
	int ret = 0;

	page_open(j, "code", '[');
	for (size_t i = 0;
	     p->code && !ret && i < annotate_nr_functions(p->code) && i < p->o.functions; i++) {
		const struct annotate_function *f = annotate_function(p->code, i);
		struct listing *l = NULL;
		struct err why = { 0 };
		int bad;

		/* A function that is in no stack: its samples were left out by events' filters. */
		if (!page_frame_of_symbol(p, f->sym))
			continue;
		bad = listing_open(&l, p->code, f->dso, f->sym, &opts, &why);
		if (bad == -ENOMEM)
			ret = err_set(e, -ENOMEM, "no memory for a listing");
		page_open(j, NULL, '{');
		page_num(j, "frame", page_frame_of_symbol(p, f->sym) - 1);
		if (bad)
			page_str(j, "missing", why.text);
		else if (l->nr_lines)
			put_listing(p, f->sym, l, j);
		page_close(j, '}');
		listing_close(l);
	}
	page_close(j, ']');
	if (!ret && page_put_log(&p->places, "places", j))
		ret = err_set(e, -ENOMEM, "no memory for the page");
	return ret;
}
