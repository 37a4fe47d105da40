// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hot paths as an order of symbols for linkers. A path begins with the stretch of code that ran most often and goes on
 * with what mostly came behind it, over branches, calls and returns, as superblocks do (report --branches=paths): so what
 * runs one after the other lies so, in one function or in several. Where a program is built with a section for each basic
 * block (clang -fbasic-block-sections=all) its blocks have symbols, NAME.__part.N, and the order is one of blocks.
 *
 * A stretch is in one path, a symbol at the place where it comes first: the hottest path that runs it has it.
 */
#include <stdlib.h>

#include "convert/convert-int.h"

struct paths {
	const struct object_file *f;
	bool *listed;	      /* by function */
	struct local_edge *v; /* by from: stretches to..end behind a branch from there */
	size_t n;
	bool *used;
	uint32_t *hot; /* stretches, those that ran most first */
};

/* So much less often than where it began, and a path is another. */
#define COOLER 64

/* ---- paths -------------------------------------------------------------------------------------- */

static bool is_stretch(const struct local_edge *l)
{
	return l->to != NO_END && l->end != NO_END;
}

/* The first edge that leaves @from, of those sorted by where they do. */
static size_t leaving(const struct paths *p, uint64_t from)
{
	size_t lo = 0, hi = p->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (p->v[mid].from < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* What mostly came behind @at, if it is more than half of what did, hot, and in no path yet; p->n = nothing. */
static size_t next_of(const struct paths *p, size_t at, uint64_t begun)
{
	uint64_t all = 0, most = 0;
	size_t best = p->n;

	for (size_t i = leaving(p, p->v[at].end); i < p->n && p->v[i].from == p->v[at].end; i++) {
		all += p->v[i].count;
		if (is_stretch(&p->v[i]) && p->v[i].count > most) {
			most = p->v[i].count;
			best = i;
		}
	}
	if (best == p->n || p->used[best] || 2 * most <= all || most < begun / COOLER)
		return p->n;
	return best;
}

/* Of the functions, or blocks, that a stretch runs those that have no place yet, in the order in which they lie. */
static ssize_t put_stretch(struct paths *p, const struct local_edge *l, struct obuf *o)
{
	const struct function *fn = convert_elf_function(p->f, l->to);
	ssize_t n = 0;

	for (; fn && fn < p->f->fns.v + p->f->fns.n && fn->start <= l->end; fn++) {
		bool *listed = &p->listed[fn - p->f->fns.v];

		if (*listed || !convert_fits_line(fn->symbol, "#"))
			continue;
		*listed = true;
		obuf_str(o, fn->symbol);
		obuf_char(o, '\n');
		n++;
	}
	return n;
}

static int by_count(const void *a, const void *b, void *ctx)
{
	const struct paths *p = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (p->v[x].count != p->v[y].count)
		return p->v[x].count < p->v[y].count ? 1 : -1;
	return x < y ? -1 : x > y;
}

static ssize_t put_paths(struct paths *p, struct obuf *o)
{
	size_t nr = 0;
	ssize_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (is_stretch(&p->v[i]))
			p->hot[nr++] = (uint32_t)i;
	if (nr)
		qsort_r(p->hot, nr, sizeof(*p->hot), by_count, p);
	for (size_t i = 0; i < nr; i++) {
		uint64_t begun = p->v[p->hot[i]].count;

		for (size_t at = p->hot[i]; at < p->n && !p->used[at]; at = next_of(p, at, begun)) {
			p->used[at] = true;
			n += put_stretch(p, &p->v[at], o);
		}
	}
	return n;
}

static ssize_t write_paths(const struct convert *c, const struct convert_elf *ob, struct obuf *o,
			   struct err *e)
{
	struct paths p = { .f = &ob->file };
	ssize_t ret;

	p.v = convert_local(c, ob, &p.n, e);
	p.listed = calloc(ob->file.fns.n + 1, sizeof(*p.listed));
	p.used = calloc(p.n + 1, sizeof(*p.used));
	p.hot = malloc((p.n + 1) * sizeof(*p.hot));
	if (!p.v || !p.listed || !p.used || !p.hot || p.n >= UINT32_MAX)
		ret = err_set(e, -ENOMEM, "no memory for the paths of %s", ob->pub.name);
	else
		ret = put_paths(&p, o);
	free(p.v);
	free(p.listed);
	free(p.used);
	free(p.hot);
	return ret;
}

static int need_branches(const struct convert *c, struct convert_elf *ob, struct err *e)
{
	return convert_need_branches(c, ob, "what ran behind what", e);
}

const struct convert_format convert_path_order = {
	.name = "path-order",
	.holds = "symbols, of blocks too, along hot paths, for ld.lld --symbol-ordering-file",
	.prepare = need_branches,
	.object = write_paths,
};
