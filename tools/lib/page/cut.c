// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What would make the page too large. First what is told least about: slices of time become longer,
 * then CPUs are forgotten. Then the frames with the fewest samples go: all below one of them is a
 * frame that says "cut", so that no function gets samples that are not its own. How much was cut is
 * counted; the page says it.
 */
#include "page-int.h"

#define MAX_NODES 800000
#define MAX_ROWS  900000

/* Fewer slices than this say little about time. */
#define LEAST_SLICES 64

/* Samples at and below each node: parents are made before their children. */
static uint64_t *count_nodes(const struct page *p)
{
	uint64_t *total = calloc(p->nodes.n + 1, sizeof(*total));

	if (!total)
		return NULL;
	for (size_t i = 0; i < p->rows.n; i++)
		total[p->rows.v[i].node] += p->rows.v[i].count;
	for (size_t i = p->nodes.n; i-- > 0;)
		if (p->nodes.v[i].parent != NONE)
			total[p->nodes.v[i].parent] += total[i];
	return total;
}

/* The least number of samples with which at most @max nodes are left. */
static uint64_t threshold(const struct page *p, const uint64_t *total, size_t max)
{
	for (uint64_t at = 2;; at += at / 4 + 1) {
		size_t n = 0;

		for (size_t i = 0; i < p->nodes.n; i++)
			n += total[i] >= at;
		if (n <= max)
			return at;
	}
}

static uint32_t cut_frame(struct page *p)
{
	struct page_frame f = { .dso = NONE, .kind = KIND_CUT };

	if (p->frame_cut != NONE)
		return p->frame_cut;
	f.name = intern(&p->strings, "[small frames, cut]");
	if (f.name == INTERN_NONE || vec_push(&p->frames, f))
		return NONE;
	p->frame_cut = (uint32_t)p->frames.n - 1;
	return p->frame_cut;
}

static int recount(struct page *p)
{
	size_t n = p->rows.n;
	int ret = 0;

	htab_free(&p->row_tab);
	p->rows.n = 0;
	for (size_t i = 0; !ret && i < n; i++) {
		const struct page_row row = p->rows.v[i];

		ret = page_count(p, &row);
	}
	return ret;
}

/* Nodes are made anew, those that stay in their order; to[i]: where the samples of node i are then. */
static int cut_nodes(struct page *p, size_t max)
{
	uint64_t *total = count_nodes(p), least;
	uint32_t *to = malloc((p->nodes.n + 1) * sizeof(*to));
	VEC(struct page_node) old = { p->nodes.v, p->nodes.n, p->nodes.cap };
	uint32_t cut = cut_frame(p);
	int ret = total && to && cut != NONE ? 0 : -ENOMEM;

	if (!ret) {
		least = threshold(p, total, max);
		memset(&p->nodes, 0, sizeof(p->nodes));
		htab_free(&p->node_tab);
		p->path.n = p->path_frames.n = 0;
	}
	for (size_t i = 0; !ret && i < old.n; i++) {
		uint32_t parent = old.v[i].parent == NONE ? NONE : to[old.v[i].parent];
		bool small = total[i] < least;

		/* Below a cut frame there is nothing. */
		if (small && parent != NONE && p->nodes.v[parent].frame == cut)
			to[i] = parent;
		else
			to[i] = page_node_of(p, parent, small ? cut : old.v[i].frame);
		p->cut_nodes += small;
		ret = to[i] == NONE ? -ENOMEM : 0;
	}
	p->cut_samples = 0;
	for (size_t i = 0; !ret && i < p->rows.n; i++) {
		struct page_row *row = &p->rows.v[i];

		row->node = to[row->node];
		if (p->nodes.v[row->node].frame == cut)
			p->cut_samples += row->count;
	}
	if (p->nodes.v != old.v)
		vec_free(&old);
	free(total);
	free(to);
	return ret ?: recount(p);
}

/* Groups become alike that differ in their CPU alone. */
static int cut_cpus(struct page *p)
{
	VEC(struct page_group) old = { p->groups.v, p->groups.n, p->groups.cap };
	uint32_t *to = malloc((old.n + 1) * sizeof(*to));
	int ret = 0;

	if (!to)
		return -ENOMEM;
	memset(&p->groups, 0, sizeof(p->groups));
	htab_free(&p->group_tab);
	for (size_t i = 0; !ret && i < old.n; i++) {
		struct page_group g = old.v[i];

		g.cpu = NONE;
		to[i] = page_group_of(p, &g);
		ret = to[i] == NONE ? -ENOMEM : 0;
	}
	for (size_t i = 0; !ret && i < p->rows.n; i++)
		p->rows.v[i].group = to[p->rows.v[i].group];
	ret = ret ?: page_log_regroup(&p->edges, to) ?: page_log_regroup(&p->ranges, to);
	ret = ret ?: page_log_regroup(&p->paths, to) ?: page_log_regroup(&p->places, to);
	ret = ret ?: page_log_regroup(&p->vectors, to);
	p->cut_cpu = true;
	vec_free(&old);
	free(to);
	return ret ?: recount(p);
}

/* Slices become longer until rows are few enough, or slices. */
static int cut_time(struct page *p, size_t rows, uint32_t least)
{
	int ret = 0;

	while (!ret && p->rows.n > rows && p->nr_slices > least) {
		ret = page_coarsen(p);
		p->cut_time = true;
	}
	return ret;
}

int page_cut(struct page *p)
{
	size_t nodes = p->o.max_nodes ? p->o.max_nodes : MAX_NODES;
	size_t rows = p->o.max_rows ? p->o.max_rows : MAX_ROWS;
	int ret = 0;

	if (p->nodes.n > nodes)
		ret = cut_nodes(p, nodes);
	ret = ret ?: cut_time(p, rows, PAGE_SLICES / 4);
	if (!ret && p->rows.n > rows)
		ret = cut_cpus(p);
	ret = ret ?: cut_time(p, rows, LEAST_SLICES);
	/* Whoever has that many stacks has most of them once. */
	while (!ret && p->rows.n > rows && nodes > 1000) {
		nodes = (p->nodes.n < nodes ? p->nodes.n : nodes) / 2;
		ret = cut_nodes(p, nodes);
	}
	return ret;
}
