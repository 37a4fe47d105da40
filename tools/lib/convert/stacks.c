// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks as a tree of numbers. A frame is told apart by its location, by the function that was inlined
 * there and by whether its address is one that a call returns to: this is the one place that decides
 * that, for all formats that want calls and not what follows them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert/stacks-int.h"
#include "session/session.h"

int stacks_new(struct stacks **out, const struct convert_run *r, unsigned by, struct err *e)
{
	struct stacks *st = calloc(1, sizeof(*st));

	*out = st;
	if (!st)
		return err_set(e, -ENOMEM, "no memory for stacks");
	st->env = session_env(r->session);
	st->by = by;
	st->first_time = UINT64_MAX;
	return 0;
}

void stacks_free(struct stacks *st)
{
	if (!st)
		return;
	vec_free(&st->frames);
	vec_free(&st->nodes);
	vec_free(&st->groups);
	vec_free(&st->counts);
	vec_free(&st->functions);
	vec_free(&st->events);
	free(st->function_of);
	htab_free(&st->frame_tab);
	htab_free(&st->node_tab);
	htab_free(&st->group_tab);
	htab_free(&st->count_tab);
	htab_free(&st->stack_tab);
	free(st);
}

/* ---- adding -------------------------------------------------------------------------------------- */

static bool is_frame(const struct stacks_frame *f, const struct frame *fr, bool returns)
{
	return f->loc == fr->loc && f->inlined == fr->inlined && f->returns == returns &&
	       f->sym == fr->sym && f->inl == fr->inl;
}

static uint32_t frame_of(struct stacks *st, const struct stacks_frame *f)
{
	uint64_t hash = hash_mix(
		hash_mix((uint64_t)f->loc << 2 | f->inlined << 1 | f->returns, (uintptr_t)f->sym),
		(uintptr_t)f->inl);
	uint32_t i;

	for (struct htab_it it = htab_find(&st->frame_tab, hash);
	     htab_next(&st->frame_tab, &it, &i);) {
		const struct stacks_frame *o = &st->frames.v[i];

		if (o->loc == f->loc && o->inlined == f->inlined && o->returns == f->returns &&
		    o->sym == f->sym && o->inl == f->inl)
			return i;
	}
	i = (uint32_t)st->frames.n;
	return vec_push(&st->frames, *f) || htab_add(&st->frame_tab, hash, i) ? STACKS_NONE : i;
}

static uint32_t node_of(struct stacks *st, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_mix(parent, frame);
	uint32_t i;

	if (frame == STACKS_NONE)
		return STACKS_NONE;
	for (struct htab_it it = htab_find(&st->node_tab, hash); htab_next(&st->node_tab, &it, &i);)
		if (st->nodes.v[i].parent == parent && st->nodes.v[i].frame == frame)
			return i;
	i = (uint32_t)st->nodes.n;
	return vec_push(&st->nodes, ((struct stacks_node){ parent, frame })) ||
			       htab_add(&st->node_tab, hash, i)
		       ? STACKS_NONE
		       : i;
}

/*
 * Whether frame @i of a stack is where a call returns to: not the innermost of its mode, which is
 * where the CPU was or what an interrupt, a system call left, and not one that was unwound.
 */
static bool is_return(const struct frame *frames, size_t i, bool walked)
{
	uint8_t mode = frames[i].cpumode;

	if (mode == PERF_RECORD_MISC_USER && !walked)
		return false;
	while (i > 0 && frames[i - 1].inlined)
		i--;
	return i > 0 && frames[i - 1].cpumode == mode;
}

static uint32_t group_like(struct stacks *st, const struct stacks_group *g)
{
	uint64_t hash = hash_mix(
		hash_mix((uint64_t)(uint32_t)g->pid << 32 | (uint32_t)g->tid, g->comm), g->cpu);
	uint32_t i;

	for (struct htab_it it = htab_find(&st->group_tab, hash);
	     htab_next(&st->group_tab, &it, &i);) {
		const struct stacks_group *o = &st->groups.v[i];

		if (o->pid == g->pid && o->tid == g->tid && o->comm == g->comm && o->cpu == g->cpu)
			return i;
	}
	i = (uint32_t)st->groups.n;
	return vec_push(&st->groups, *g) || htab_add(&st->group_tab, hash, i) ? STACKS_NONE : i;
}

static uint32_t group_of(struct stacks *st, const struct session_sample *in)
{
	const struct stacks_group g = {
		.pid = st->by & CONVERT_BY_PID ? in->thread->pid : -1,
		.tid = st->by & CONVERT_BY_TID ? in->thread->tid : -1,
		.comm = st->by & CONVERT_BY_COMM ? in->thread->comm : STACKS_NONE,
		.cpu = st->by & CONVERT_BY_CPU && in->s->present & PERF_SAMPLE_CPU ? in->s->cpu
										   : STACKS_NONE,
	};

	return group_like(st, &g);
}

static int count(struct stacks *st, const struct stacks_count *c)
{
	uint64_t hash = hash_mix(hash_mix(c->node, c->group), c->event);
	uint32_t i;

	for (struct htab_it it = htab_find(&st->count_tab, hash);
	     htab_next(&st->count_tab, &it, &i);) {
		struct stacks_count *o = &st->counts.v[i];

		if (o->node != c->node || o->group != c->group || o->event != c->event)
			continue;
		for (size_t k = 0; k < STACKS_VALUES; k++)
			o->v[k] += c->v[k];
		return 0;
	}
	i = (uint32_t)st->counts.n;
	return vec_push(&st->counts, *c) ?: htab_add(&st->count_tab, hash, i);
}

static bool is_stack(const struct stacks *st, uint32_t node, const struct frame *frames, size_t n,
		     bool walked)
{
	for (size_t i = 0; i < n; i++, node = st->nodes.v[node].parent)
		if (node == STACKS_NONE || !is_frame(&st->frames.v[st->nodes.v[node].frame],
						     &frames[i], is_return(frames, i, walked)))
			return false;
	return node == STACKS_NONE;
}

/*
 * Stacks come again, and a stack's frames lie in memory one behind the other: comparing all of one that was
 * found by a hash of the whole costs less than finding each frame by its own.
 */
static int node_of_stack(struct stacks *st, const struct frame *frames, size_t n, bool walked,
			 uint32_t *node)
{
	uint64_t hash = hash_u64(n);
	uint32_t i;

	*node = STACKS_NONE;
	if (!n)
		return 0;
	for (size_t k = 0; k < n; k++)
		hash = ((hash << 7 | hash >> 57) ^ frames[k].loc ^ (uintptr_t)frames[k].inl) *
		       HASH_GOLDEN;
	hash = hash_u64(hash);
	for (struct htab_it it = htab_find(&st->stack_tab, hash);
	     htab_next(&st->stack_tab, &it, &i);)
		if (is_stack(st, i, frames, n, walked)) {
			*node = i;
			return 0;
		}
	for (size_t k = n; k-- > 0;) {
		const struct stacks_frame f = { frames[k].loc, frames[k].inlined,
						is_return(frames, k, walked), frames[k].sym,
						frames[k].inl };

		*node = node_of(st, *node, frame_of(st, &f));
		if (*node == STACKS_NONE)
			return -ENOMEM;
	}
	return htab_add(&st->stack_tab, hash, *node);
}

int stacks_place(struct stacks *st, const struct convert_run *r, const struct session_sample *in,
		 uint32_t *node, uint32_t *group)
{
	const struct frame *frames;
	struct frame alone;
	ssize_t n = convert_stack_of(r, in, &alone, &frames);

	if (in->s->present & PERF_SAMPLE_TIME) {
		st->first_time = min_u64(st->first_time, in->s->time);
		st->last_time = max_u64(st->last_time, in->s->time);
	}
	if (n < 0 ||
	    node_of_stack(st, frames, (size_t)n, unwind_is_walked(&in->s->event->attr), node))
		return -ENOMEM;
	*group = group_of(st, in);
	return *group == STACKS_NONE ? -ENOMEM : 0;
}

int stacks_add(struct stacks *st, const struct convert_run *r, const struct session_sample *in,
	       struct err *e)
{
	struct stacks_count c = { .event = in->s->event->idx, .v = { 1, in->s->period } };

	if (stacks_place(st, r, in, &c.node, &c.group) || count(st, &c))
		return err_set(e, -ENOMEM, "no memory for stacks");
	return 0;
}

static int find(const struct stacks *st, struct thread *th, uint64_t ip, struct frame *f)
{
	/* Of either mode: as a user frame that was not walked it is no place to return to. */
	*f = (struct frame){ .ip = ip, .cpumode = PERF_RECORD_MISC_USER };
	f->loc = resolver_find(st->env->resolver, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, ip);
	if (f->loc == LOC_NONE)
		return -ENOMEM;
	f->sym = resolver_loc(st->env->resolver, f->loc)->sym;
	return 0;
}

int stacks_add_branches(struct stacks *st, const struct convert_run *r,
			const struct session_sample *in, struct err *e)
{
	const struct sample_branches *b = &in->s->branches;
	struct stacks_count c = { .event = 0 };

	(void)r;
	st->branches = true;
	c.group = group_of(st, in);
	for (uint64_t i = 0; i < b->nr; i++) {
		struct branch_entry br;
		struct frame f[2];

		sample_branch(b, i, &br);
		c.v[0] = 1;
		c.v[1] = br.mispred;
		c.v[2] = br.cycles;
		if (c.group == STACKS_NONE || find(st, in->thread, br.to, &f[0]) ||
		    find(st, in->thread, br.from, &f[1]) ||
		    node_of_stack(st, f, 2, false, &c.node) || count(st, &c))
			return err_set(e, -ENOMEM, "no memory for branches");
	}
	return 0;
}

/* ---- other stacks --------------------------------------------------------------------------------- */

/* What the resolver here knows of the place: the same one of the functions inlined there. */
static const struct inline_frame *inline_like(const struct session_maps *maps,
					      const struct stacks_frame *f)
{
	const struct loc *l = resolver_loc(maps->from->resolver, f->loc);
	const struct loc *here = resolver_loc(maps->to->resolver, maps->loc[f->loc]);
	const struct inline_frame *v, *w;
	int n = l->dso ? symbol_inlines(maps->from->resolver, l->dso, l->addr, &v) : 0;
	int m = here->dso ? symbol_inlines(maps->to->resolver, here->dso, here->addr, &w) : 0;

	for (int i = 0; i < n && i < m; i++)
		if (&v[i] == f->inl)
			return &w[i];
	return NULL;
}

static uint32_t frame_like(struct stacks *st, const struct session_maps *maps,
			   const struct stacks_frame *like)
{
	struct stacks_frame f = *like;

	if (maps) {
		f.loc = maps->loc[like->loc];
		if (like->sym)
			f.sym = symbol_at(maps->to->resolver, maps->symbol[like->sym->idx]);
		if (like->inl)
			f.inl = inline_like(maps, like);
	}
	return frame_of(st, &f);
}

static int merge_nodes(struct stacks *st, const struct stacks *from,
		       const struct session_maps *maps, uint32_t *node)
{
	uint32_t *frame = malloc((from->frames.n + 1) * sizeof(*frame));
	int ret = frame ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < from->frames.n; i++) {
		frame[i] = frame_like(st, maps, &from->frames.v[i]);
		ret = frame[i] == STACKS_NONE ? -ENOMEM : 0;
	}
	/* Nodes stand behind their parents. */
	for (size_t i = 0; !ret && i < from->nodes.n; i++) {
		const struct stacks_node *n = &from->nodes.v[i];

		node[i] = node_of(st, n->parent == STACKS_NONE ? STACKS_NONE : node[n->parent],
				  frame[n->frame]);
		ret = node[i] == STACKS_NONE ? -ENOMEM : 0;
	}
	free(frame);
	return ret;
}

static int merge_groups(struct stacks *st, const struct stacks *from,
			const struct session_maps *maps, uint32_t *group)
{
	for (size_t i = 0; i < from->groups.n; i++) {
		struct stacks_group g = from->groups.v[i];

		if (maps && g.comm != STACKS_NONE)
			g.comm = maps->comm[g.comm];
		group[i] = group_like(st, &g);
		if (group[i] == STACKS_NONE)
			return -ENOMEM;
	}
	return 0;
}

int stacks_merge(struct stacks *st, const struct stacks *from, const struct session_maps *maps,
		 struct stacks_maps *out, struct err *e)
{
	uint32_t *node = malloc((from->nodes.n + 1) * sizeof(*node));
	uint32_t *group = malloc((from->groups.n + 1) * sizeof(*group));
	int ret = node && group ? merge_nodes(st, from, maps, node) : -ENOMEM;

	ret = ret ?: merge_groups(st, from, maps, group);
	for (size_t i = 0; !ret && i < from->counts.n; i++) {
		struct stacks_count c = from->counts.v[i];

		c.node = c.node == STACKS_NONE ? STACKS_NONE : node[c.node];
		c.group = group[c.group];
		if (maps && maps->event && !from->branches)
			c.event = maps->event[c.event];
		ret = count(st, &c);
	}
	st->first_time = min_u64(st->first_time, from->first_time);
	st->last_time = max_u64(st->last_time, from->last_time);
	if (out && !ret) {
		*out = (struct stacks_maps){ node, group };
		return 0;
	}
	free(node);
	free(group);
	return ret ? err_set(e, ret, "no memory for stacks") : 0;
}

/* ---- the end -------------------------------------------------------------------------------------- */

static int by_node(const void *a, const void *b)
{
	const struct stacks_count *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static int find_events(struct stacks *st)
{
	size_t nr = perfdata_nr_events(st->env->pd);
	bool *seen = calloc(nr + 1, sizeof(*seen));
	int ret = seen ? 0 : -ENOMEM;

	if (!ret)
		vec_for_each (c, &st->counts)
			seen[c->event < nr ? c->event : nr] = true;
	for (uint32_t i = 0; i < nr && !ret; i++)
		if (seen[i])
			ret = vec_push(&st->events, i);
	if (!ret && !st->events.n)
		ret = vec_push(&st->events, 0);
	free(seen);
	return ret;
}

int stacks_end(struct stacks *st)
{
	htab_free(&st->count_tab);
	htab_free(&st->stack_tab);
	if (st->counts.n)
		qsort(st->counts.v, st->counts.n, sizeof(*st->counts.v), by_node);
	return find_events(st);
}

int stacks_functions(struct stacks *st)
{
	struct htab tab = { 0 };
	int ret = 0;

	st->function_of = calloc(st->frames.n + 1, sizeof(*st->function_of));
	if (!st->function_of)
		return -ENOMEM;
	for (uint32_t k = 0; k < st->frames.n && !ret; k++) {
		const struct stacks_frame *f = &st->frames.v[k];
		const void *key = f->sym ? (const void *)f->sym : stacks_dso(st, f);
		uint64_t hash = hash_u64((uintptr_t)key);
		uint32_t i, found = STACKS_NONE;

		for (struct htab_it it = htab_find(&tab, hash); htab_next(&tab, &it, &i);) {
			const struct stacks_frame *o = &st->frames.v[st->functions.v[i]];

			if (key == (o->sym ? (const void *)o->sym : stacks_dso(st, o)))
				found = i;
		}
		if (found == STACKS_NONE) {
			found = (uint32_t)st->functions.n;
			ret = vec_push(&st->functions, k) ?: htab_add(&tab, hash, found);
		}
		st->function_of[k] = found;
	}
	htab_free(&tab);
	return ret;
}

/* ---- what a frame is ------------------------------------------------------------------------------ */

uint64_t stacks_addr(const struct stacks *st, const struct stacks_frame *f)
{
	uint64_t addr = resolver_loc(st->env->resolver, f->loc)->addr;

	return addr - (f->returns && addr);
}

const struct dso *stacks_dso(const struct stacks *st, const struct stacks_frame *f)
{
	return resolver_loc(st->env->resolver, f->loc)->dso;
}

const char *stacks_name(const struct stacks *st, const struct stacks_frame *f, char *buf,
			size_t size)
{
	const struct dso *dso = stacks_dso(st, f);
	const char *slash;

	if (f->sym)
		return f->sym->name;
	if (!dso)
		return "[unknown]";
	/* "[kernel.kallsyms]" and the like have their brackets. */
	slash = strrchr(dso->name, '/');
	if (dso->name[0] == '[')
		return dso->name;
	snprintf(buf, size, "[%s]", slash ? slash + 1 : dso->name);
	return buf;
}

bool stacks_line(const struct stacks *st, const struct stacks_frame *f, struct srcline *out)
{
	struct loc *l = (struct loc *)resolver_loc(st->env->resolver, f->loc);

	if (f->inl) {
		*out = f->inl->call;
		return out->line && out->file && out->file[0];
	}
	return f->sym && l->dso &&
	       symbol_srcline(st->env->resolver, l->dso, stacks_addr(st, f), out) && out->line;
}

const char *stacks_unit(const struct perfdata_event *event)
{
	return attr_is_clock(&event->attr) ? "nanoseconds" : "count";
}

void stacks_group_name(const struct stacks *st, uint32_t group, struct obuf *o)
{
	const struct stacks_group *g = &st->groups.v[group];
	size_t start = o->len;

	if (g->comm != STACKS_NONE)
		obuf_str(o, machine_comm(st->env->machine, g->comm));
	if (g->pid != -1)
		obuf_printf(o, "%s%d", o->len > start ? " " : "", g->pid);
	if (g->tid != -1)
		obuf_printf(o, "%s%d", g->pid != -1 ? "/" : o->len > start ? " " : "", g->tid);
	if (g->cpu != STACKS_NONE)
		obuf_printf(o, "%scpu %u", o->len > start ? " " : "", g->cpu);
}
