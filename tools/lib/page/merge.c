// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pages of pieces of a recording become one. All that a page numbers is numbered as it came: strings,
 * objects, frames, nodes, threads, groups, things of logs. Each is walked in the order of its numbers, found in
 * the other page or made there; so what is new comes in the order of one reading, and so do rows.
 * Slices of time begin at the same moment in both (page_follow()); where they are of two lengths the
 * shorter ones become longer, as they would have while all of it was read.
 */
#include "page-int.h"

struct merger {
	struct page *to, *from;
	const struct session_maps *maps;
	/* By number there. */
	uint32_t *frame, *node, *thread, *group;
};

void page_follow(struct page *p, const struct page *first)
{
	if (first->side[0].has_time && !p->side[0].has_time)
		page_start_time(p, first->side[0].origin);
}

/* ---- time ---------------------------------------------------------------------------------------- */

static int match_slices(struct merger *g)
{
	struct page *to = g->to, *from = g->from;
	int ret = 0;

	if (!from->side[0].has_time)
		return 0;
	if (!to->side[0].has_time) {
		to->side[0].has_time = true;
		to->side[0].origin = from->side[0].origin;
		to->shift = from->shift;
	}
	if (to->side[0].origin != from->side[0].origin)
		return -EINVAL;
	while (!ret && to->shift < from->shift)
		ret = page_coarsen(to);
	while (!ret && from->shift < to->shift)
		ret = page_coarsen(from);
	if (from->nr_slices > to->nr_slices)
		to->nr_slices = from->nr_slices;
	return ret;
}

/* ---- names --------------------------------------------------------------------------------------- */

static int merge_strings(struct merger *g)
{
	const struct intern *in = &g->from->strings;

	for (uint32_t i = 0; i < in->str.n; i++)
		if (intern(&g->to->strings, intern_str(in, i)) == INTERN_NONE)
			return -ENOMEM;
	return 0;
}

static int merge_objects(struct merger *g)
{
	vec_for_each (o, &g->from->objects) {
		uint32_t i = page_object_of(g->to, g->maps->objects[o->dso->idx]);

		if (i == NONE)
			return -ENOMEM;
		g->to->objects.v[i].samples += o->samples;
		g->to->objects.v[i].unnamed += o->unnamed;
	}
	return 0;
}

/* What its frames are over there: of functions and of objects. */
static void find_sources(const struct merger *g, struct page_source *src)
{
	const struct page_side *side = &g->from->side[0];

	for (int inlined = 0; inlined < 2; inlined++)
		for (uint32_t i = 0; i < side->frame_of_sym[inlined].n; i++) {
			uint32_t frame = side->frame_of_sym[inlined].v[i];

			if (!frame)
				continue;
			src[frame - 1].sym = symbol_at(g->to->env->resolver, g->maps->symbol[i]);
			src[frame - 1].inlined = inlined;
		}
}

static int merge_frames(struct merger *g)
{
	const struct page *from = g->from;
	struct page_source *src = calloc(from->frames.n + 1, sizeof(*src));
	int ret = src ? 0 : -ENOMEM;

	if (!ret)
		find_sources(g, src);
	for (size_t i = 0; !ret && i < from->frames.n; i++) {
		const struct page_frame *f = &from->frames.v[i];

		if (f->dso != NONE)
			src[i].dso = g->maps->objects[from->objects.v[f->dso].dso->idx];
		src[i].name = intern_str(&from->strings, f->name);
		src[i].kind = f->kind;
		g->frame[i] = page_frame_like(g->to, &src[i]);
		ret = g->frame[i] == NONE ? -ENOMEM : 0;
	}
	free(src);
	return ret;
}

static int merge_nodes(struct merger *g)
{
	for (size_t i = 0; i < g->from->nodes.n; i++) {
		const struct page_node *n = &g->from->nodes.v[i];

		g->node[i] = page_node_of(g->to, n->parent == NONE ? NONE : g->node[n->parent],
					  g->frame[n->frame]);
		if (g->node[i] == NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- who ----------------------------------------------------------------------------------------- */

static int merge_threads(struct merger *g)
{
	for (size_t i = 0; i < g->from->threads.n; i++) {
		const struct page_thread *t = &g->from->threads.v[i];
		struct thread like =
			*machine_thread_at(g->to->env->machine, g->maps->thread[t->thread]);

		like.comm = g->maps->comm[t->comm];
		g->thread[i] = page_thread_of(g->to, &like);
		if (g->thread[i] == NONE)
			return -ENOMEM;
	}
	return 0;
}

static int merge_groups(struct merger *g)
{
	for (size_t i = 0; i < g->from->groups.n; i++) {
		struct page_group like = g->from->groups.v[i];

		like.thread = g->thread[like.thread];
		if (g->maps->event)
			like.event = g->maps->event[like.event];
		g->group[i] = page_group_of(g->to, &like);
		if (g->group[i] == NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- sums ---------------------------------------------------------------------------------------- */

static int merge_rows(struct merger *g)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < g->from->rows.n; i++) {
		struct page_row row = g->from->rows.v[i];

		row.node = g->node[row.node];
		row.group = g->group[row.group];
		ret = page_count(g->to, &row);
	}
	for (size_t i = 0; !ret && i < g->from->marks.n; i++) {
		struct page_mark m = g->from->marks.v[i];

		if (m.thread != NONE)
			m.thread = g->thread[m.thread];
		ret = page_mark(g->to, &m);
	}
	return ret;
}

static int merge_log(struct merger *g, struct page_log *to, struct page_log *from,
		     const uint32_t *key, uint32_t **things)
{
	struct page_log_maps maps = { .key = key, .group = g->group };
	int ret = page_log_merge(to, from, &maps);

	if (things)
		*things = maps.things;
	else
		free(maps.things);
	return ret;
}

static int merge_logs(struct merger *g)
{
	const uint32_t *loc = g->maps->loc;
	struct page *to = g->to, *from = g->from;
	uint32_t *edges = NULL;
	int ret = merge_log(g, &to->edges, &from->edges, loc, &edges);

	ret = ret ?: merge_log(g, &to->paths, &from->paths, edges, NULL);
	ret = ret ?: merge_log(g, &to->ranges, &from->ranges, loc, NULL);
	ret = ret ?: merge_log(g, &to->places, &from->places, loc, NULL);
	ret = ret ?: merge_log(g, &to->vectors, &from->vectors, g->frame, NULL);
	free(edges);
	return ret;
}

static int start_simd(struct merger *g)
{
	if (g->to->started || !g->from->started)
		return 0;
	g->to->started = true;
	return page_start_simd(g->to);
}

int page_merge(struct page *p, struct page *from, const struct session_maps *maps, struct err *e)
{
	static int (*const parts[])(struct merger *) = {
		match_slices,  merge_strings, merge_objects, merge_frames, merge_nodes,
		merge_threads, merge_groups,  merge_rows,    merge_logs,   start_simd,
	};
	struct merger g = {
		.to = p,
		.from = from,
		.maps = maps,
		.frame = malloc((from->frames.n + 1) * sizeof(uint32_t)),
		.node = malloc((from->nodes.n + 1) * sizeof(uint32_t)),
		.thread = malloc((from->threads.n + 1) * sizeof(uint32_t)),
		.group = malloc((from->groups.n + 1) * sizeof(uint32_t)),
	};
	int ret = g.frame && g.node && g.thread && g.group ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(parts); i++)
		ret = parts[i](&g);
	free(g.frame);
	free(g.node);
	free(g.thread);
	free(g.group);
	if (ret == -EINVAL)
		return err_set(e, ret, "pages whose time begins at two moments cannot be added");
	if (ret)
		return err_set(e, ret, "no memory for the page");
	p->branches += from->branches;
	p->side[0].samples += from->side[0].samples;
	ret = page_merge_registers(p, from, e);
	return ret ?: p->code && from->code ? annotate_merge(p->code, from->code, maps, e) : 0;
}
