// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains as a trie. Nodes hang under their group, outermost frame first, because chains of
 * one program share their outer end; a sample then costs the frames that differ from the sample
 * before (chain_memo) and one count (leaf).
 */
#include "profile-int.h"

#define MEMO_SLOTS 64
#define MEMO_DEPTH 128

/* The chain seen last in a group: addresses, outermost first, and the nodes they led to. */
struct chain_memo {
	uint32_t group, space, gen, nr;
	uint64_t ip[MEMO_DEPTH];
	uint32_t node[MEMO_DEPTH];
	uint8_t mode[MEMO_DEPTH];
};

int prof_chain_init(struct profile *p)
{
	p->ch.memo = calloc(MEMO_SLOTS, sizeof(*p->ch.memo));
	return p->ch.memo ? 0 : -ENOMEM;
}

uint32_t prof_node_child(struct profile *p, uint32_t parent, uint32_t step, uint32_t thread)
{
	struct chains *c = &p->ch;
	uint64_t h = hash_u64((uint64_t)parent << 32 | step);
	struct node n = { parent, step, thread };
	uint32_t i;

	for (struct htab_it it = htab_find(&c->node_tab, h); htab_next(&c->node_tab, &it, &i);)
		if (c->nodes.v[i].parent == parent && c->nodes.v[i].step == step)
			return i;
	if (c->nodes.n >= NODE_ROOT - 1 || vec_push(&c->nodes, n) ||
	    htab_add(&c->node_tab, h, (uint32_t)c->nodes.n - 1))
		return ID_NONE;
	return (uint32_t)c->nodes.n - 1;
}

uint32_t prof_leaf_find(struct profile *p, uint32_t node, uint32_t row, uint64_t period)
{
	struct chains *c = &p->ch;
	uint64_t h = hash_u64((uint64_t)node << 32 | row);
	struct leaf l = { node, row, period, 1 };
	uint32_t i;

	for (struct htab_it it = htab_find(&c->leaf_tab, h); htab_next(&c->leaf_tab, &it, &i);) {
		struct leaf *have = &c->leafs.v[i];

		if (have->node == node && have->row == row) {
			have->period += period;
			have->count++;
			return i;
		}
	}
	if (vec_push(&c->leafs, l) || htab_add(&c->leaf_tab, h, (uint32_t)c->leafs.n - 1))
		return ID_NONE;
	return (uint32_t)c->leafs.n - 1;
}

int prof_leaf_add(struct profile *p, uint32_t node, uint32_t row, uint64_t period)
{
	return prof_leaf_find(p, node, row, period) == ID_NONE ? -ENOMEM : 0;
}

/* ---- the kernel's chain ---------------------------------------------------------------------- */

static bool context_mode(uint64_t ip, uint8_t *mode)
{
	switch (ip) {
	case PERF_CONTEXT_HV: *mode = PERF_RECORD_MISC_HYPERVISOR; return true;
	case PERF_CONTEXT_KERNEL: *mode = PERF_RECORD_MISC_KERNEL; return true;
	case PERF_CONTEXT_USER: *mode = PERF_RECORD_MISC_USER; return true;
	case PERF_CONTEXT_GUEST_KERNEL: *mode = PERF_RECORD_MISC_GUEST_KERNEL; return true;
	case PERF_CONTEXT_GUEST_USER: *mode = PERF_RECORD_MISC_GUEST_USER; return true;
	default: return false;
	}
}

static int chain_room(struct chains *c, size_t n)
{
	uint64_t *ips;
	uint8_t *modes;

	if (n <= c->cap)
		return 0;
	ips = realloc(c->ips, n * sizeof(*ips));
	if (!ips)
		return -ENOMEM;
	c->ips = ips;
	modes = realloc(c->modes, n);
	if (!modes)
		return -ENOMEM;
	c->modes = modes;
	c->cap = n;
	return 0;
}

/*
 * Addresses and modes of a chain without its markers, innermost first. An unknown marker makes
 * the whole chain void, as upstream. Returns the number of frames or -ENOMEM.
 */
int64_t prof_chain_frames(struct profile *p, const struct u64s *cc)
{
	struct chains *c = &p->ch;
	uint8_t mode = PERF_RECORD_MISC_USER;
	size_t n = 0;

	if (chain_room(c, cc->nr))
		return -ENOMEM;
	for (uint64_t i = 0; i < cc->nr; i++) {
		uint64_t ip = u64s_get(cc, i);

		if (unlikely(ip >= PERF_CONTEXT_MAX)) {
			if (ip == PERF_CONTEXT_USER_DEFERRED)
				break;
			if (!context_mode(ip, &mode))
				return 0;
			continue;
		}
		c->ips[n] = ip;
		c->modes[n++] = mode;
	}
	return (int64_t)n;
}

#define WALK_BATCH 16

/* Locations of the @n outermost of the frames 0 .. @left - 1, outermost first. */
static void find_locs(struct profile *p, struct thread *th, size_t left, size_t n, uint32_t *locs)
{
	struct resolver_ip ip[WALK_BATCH];

	for (size_t i = 0; i < n; i++)
		ip[i] = (struct resolver_ip){ p->ch.ips[left - 1 - i], p->ch.modes[left - 1 - i] };
	resolver_find_many(p->res, th, ip, locs, n);
	for (size_t i = 0; i < n; i++)
		if (locs[i] < p->locs.n)
			__builtin_prefetch(&p->locs.v[locs[i]]);
}

/* One frame below @node. */
static int walk_step(struct profile *p, struct thread *th, uint32_t loc, uint64_t ip,
		     uint32_t *node)
{
	const uint32_t *steps;
	uint32_t nr;

	if (loc == LOC_NONE)
		return -ENOMEM;
	if (p->o.filter.hide_unresolved && !resolver_loc(p->res, loc)->sym)
		return 0;
	if (prof_steps_of(p, loc, ip, &steps, &nr))
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		*node = prof_node_child(p, *node, steps[i], th->idx);
	return *node == ID_NONE ? -ENOMEM : 0;
}

/* Frames @left - 1 .. 0 of the scratch arrays, outermost first, below @node. */
static int walk(struct profile *p, struct thread *th, struct chain_memo *m, size_t depth,
		size_t left, uint32_t *node)
{
	struct chains *c = &p->ch;
	uint32_t locs[WALK_BATCH];

	while (left) {
		size_t n = left < WALK_BATCH ? left : WALK_BATCH;

		find_locs(p, th, left, n, locs);
		for (size_t i = 0; i < n; i++) {
			uint64_t ip = c->ips[--left];

			if (walk_step(p, th, locs[i], ip, node))
				return -ENOMEM;
			if (depth >= MEMO_DEPTH)
				continue;
			m->ip[depth] = ip;
			m->mode[depth] = c->modes[left];
			m->node[depth++] = *node;
			m->nr = (uint32_t)depth;
		}
	}
	return 0;
}

static int add_fp_chain(struct profile *p, const struct sample *s, struct thread *th,
			uint32_t group, uint32_t *node)
{
	struct chain_memo *m = &p->ch.memo[(group * 31 + th->space) % MEMO_SLOTS];
	uint32_t gen = machine_generation(p->m, th->space);
	int64_t n = prof_chain_frames(p, &s->callchain);
	uint64_t *ips = p->ch.ips;
	size_t depth = 0, left;

	if (n <= 0)
		return (int)n;
	if (p->o.max_stack && n > p->o.max_stack) {
		/* What is kept is the end where printing starts. */
		if (p->o.chain.caller) {
			size_t cut = (size_t)n - p->o.max_stack;

			memmove(ips, ips + cut, p->o.max_stack * sizeof(*ips));
			memmove(p->ch.modes, p->ch.modes + cut, p->o.max_stack);
		}
		n = p->o.max_stack;
	}
	left = (size_t)n;
	*node = NODE_ROOT | group;
	if (m->group == group && m->space == th->space && m->gen == gen) {
		while (depth < m->nr && left && m->ip[depth] == ips[left - 1] &&
		       m->mode[depth] == p->ch.modes[left - 1]) {
			*node = m->node[depth++];
			left--;
		}
	}
	m->group = group;
	m->space = th->space;
	m->gen = gen;
	m->nr = (uint32_t)depth;
	return walk(p, th, m, depth, left, node);
}

/* ---- dwarf and LBR stacks -------------------------------------------------------------------- */

static int add_unwound(struct profile *p, const struct sample *s, struct thread *th, uint32_t group,
		       uint32_t *node)
{
	const struct frame *f;
	ssize_t n = unwind_chain(p->u, th, s, &f);

	if (n <= 0)
		return n < 0 ? -ENOMEM : 0;
	*node = NODE_ROOT | group;
	while (n-- > 0) {
		const struct symbol *sym = resolver_loc(p->res, f[n].loc)->sym;
		const uint32_t *steps;
		uint32_t step, nr;

		if (p->o.filter.hide_unresolved && !f[n].sym)
			continue;
		if (f[n].sym == sym && !p->o.inlines) {
			if (prof_steps_of(p, f[n].loc, f[n].ip, &steps, &nr))
				return -ENOMEM;
			step = steps[0];
		} else {
			step = prof_step_of(p, f[n].loc, f[n].ip, f[n].sym);
		}
		if (step != ID_NONE)
			*node = prof_node_child(p, *node, step, th->idx);
		if (step == ID_NONE || *node == ID_NONE)
			return -ENOMEM;
	}
	if (*node & NODE_ROOT)
		*node = ID_NONE;
	return 0;
}

static bool wants_unwind(const struct sample *s)
{
	const struct perf_event_attr *a = s->event ? &s->event->attr : NULL;

	if (!a)
		return false;
	if (a->sample_type & PERF_SAMPLE_STACK_USER && a->sample_type & PERF_SAMPLE_REGS_USER)
		return true;
	return a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

int prof_chain_add(struct profile *p, const struct sample *s, struct thread *th, uint32_t group,
		   uint32_t *node)
{
	int ret;

	*node = ID_NONE;
	if (p->u && wants_unwind(s))
		return add_unwound(p, s, th, group, node);
	ret = add_fp_chain(p, s, th, group, node);
	if (!ret && *node != ID_NONE && *node & NODE_ROOT)
		*node = ID_NONE;
	return ret;
}

void prof_chain_free(struct profile *p)
{
	struct chains *c = &p->ch;

	vec_free(&c->nodes);
	vec_free(&c->leafs);
	vec_for_each (l, &c->notes)
		free(l->v);
	vec_free(&c->notes);
	vec_free(&c->row_notes);
	free(c->node_notes);
	htab_free(&c->node_tab);
	htab_free(&c->leaf_tab);
	free(c->memo);
	free(c->ips);
	free(c->modes);
	free(c->end);
	free(c->root);
	free(c->row_nodes);
	free(c->row_node_at);
	free(c->row_leafs);
	free(c->row_leaf_at);
	free(c->plus);
	free(c->plus_count);
	vec_free(&c->tops);
	memset(c, 0, sizeof(*c));
}
