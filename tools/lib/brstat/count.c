// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks to steps. Millions of entries are of few thousand different edges, so which one it is is remembered by
 * the raw addresses of the branch; which step two edges are is remembered by their numbers. Most entries
 * cost two comparisons, each in memory that was asked for a chunk of entries before. What a step means (code
 * in between, the conditional branches there) is looked at when it is new.
 *
 * The oldest branch of a stack follows nothing that is known, and is a step from ID_NONE. So is one behind
 * code that was left without a branch: between two functions, in an interrupt. What branches did the
 * time before counts within a stack and as far as the walk is unbroken.
 */
#include "brstat-int.h"
#include <stdlib.h>

#include "branch/branch.h"

#define CHUNK 32

/* ---- what is remembered -------------------------------------------------------------------------- */

static inline uint64_t edge_hash(uint64_t from, uint64_t to, uint64_t where)
{
	return (from ^ (to << 29 | to >> 35) ^ where) * HASH_GOLDEN;
}

static bool hash_of_edge(const void *slot, uint64_t *hash)
{
	const struct edge_memo *m = slot;

	*hash = edge_hash(m->from, m->to, m->where);
	return m->edge;
}

static inline uint64_t step_hash(uint32_t before, uint32_t edge)
{
	return (((uint64_t)before << 32 | edge) * HASH_GOLDEN ^ before) * HASH_GOLDEN;
}

static bool hash_of_step(const void *slot, uint64_t *hash)
{
	const struct step_memo *m = slot;

	*hash = step_hash(m->before, m->edge);
	return m->step;
}

/*
 * Room for a chunk, half of the table empty at least. One that is as large as it gets begins anew: what was in it
 * comes again, from keys.
 */
static int widen_edges(struct brstat *b)
{
	size_t n = (size_t)1 << b->edge_bits;
	struct edge_memo *memo;

	if (likely((b->nr_edges + CHUNK) * 2 <= n))
		return 0;
	if (b->edge_bits == EDGE_MEMO_MAX) {
		memset(b->edge_memo, 0, n * sizeof(*b->edge_memo));
		b->nr_edges = 0;
		return 0;
	}
	memo = slots_resize(b->edge_memo, b->edge_bits, b->edge_bits + 1, sizeof(*memo),
			    hash_of_edge);
	if (!memo)
		return -ENOMEM;
	b->edge_memo = memo;
	b->edge_bits++;
	return 0;
}

/* Room for @more steps, half of the table empty at least: what is known nowhere else is not dropped. */
static int widen_steps(struct brstat *b, size_t more)
{
	size_t n = (size_t)1 << b->step_bits;
	struct step_memo *memo;

	if (likely((b->nr_known + more) * 2 <= n))
		return 0;
	if (b->step_bits == STEP_MEMO_MAX)
		return -ENOMEM;
	memo = slots_resize(b->step_memo, b->step_bits, b->step_bits + 1, sizeof(*memo),
			    hash_of_step);
	if (!memo)
		return -ENOMEM;
	b->step_memo = memo;
	b->step_bits++;
	return 0;
}

int brstat_new(struct brstat **out, struct resolver *res, const struct brstat_opts *o,
	       struct err *e)
{
	struct brstat *b = calloc(1, sizeof(*b));

	if (!b)
		return err_set(e, -ENOMEM, "no memory for branches");
	b->o = *o;
	b->res = res;
	b->edge_keys.width = b->stretch_keys.width = b->site_keys.width = 2;
	b->edge_bits = EDGE_MEMO_BITS;
	b->step_bits = STEP_MEMO_BITS;
	b->edge_memo = slots_resize(NULL, 0, b->edge_bits, sizeof(*b->edge_memo), hash_of_edge);
	b->step_memo = slots_resize(NULL, 0, b->step_bits, sizeof(*b->step_memo), hash_of_step);
	if (!b->edge_memo || !b->step_memo) {
		brstat_free(b);
		return err_set(e, -ENOMEM, "no memory for branches");
	}
	brstat_quality_init(b);
	b->branches_wanted = o->stacks;
	*out = b;
	return 0;
}

void brstat_free(struct brstat *b)
{
	if (!b)
		return;
	keys_decoders_free(&b->dec);
	keys_tuples_free(&b->edge_keys);
	keys_tuples_free(&b->stretch_keys);
	keys_tuples_free(&b->site_keys);
	vec_free(&b->info);
	vec_free(&b->same_from);
	vec_free(&b->same_to);
	vec_free(&b->steps);
	vec_free(&b->stretches);
	vec_free(&b->sites);
	vec_free(&b->outcomes);
	vec_free(&b->inside);
	vec_free(&b->tmp);
	keys_tuples_free(&b->function_keys);
	vec_free(&b->hists);
	vec_free(&b->walk);
	vec_free(&b->traits);
	vec_free(&b->touched);
	vec_free(&b->loop_at);
	vec_free(&b->loops);
	vec_free(&b->returns);
	vec_free(&b->functions);
	vec_free(&b->function_at);
	brstat_slices_free(&b->slices);
	vec_free(&b->blocks);
	vec_free(&b->edges);
	vec_free(&b->supers);
	vec_free(&b->super_steps);
	vec_free(&b->loop_list);
	vec_free(&b->calls);
	vec_free(&b->listed);
	vec_free(&b->branches);
	vec_free(&b->targets);
	free(b->edge_memo);
	free(b->step_memo);
	free(b);
}

/* ---- what is new ------------------------------------------------------------------------------- */

bool brstat_in_one_function(const struct loc *start, const struct loc *end)
{
	return start->dso == end->dso && start->sym == end->sym && start->addr <= end->addr;
}

/* The first edge at a location, which is @edge where there was none. 0 or -ENOMEM. */
#define FIRST_AT(vec, loc, edge, to)                        \
	({                                                  \
		int no_ = vec_reach((vec), (loc), ID_NONE); \
		if (!no_ && (vec)->v[loc] == ID_NONE)       \
			(vec)->v[loc] = (edge);             \
		*(to) = no_ ? ID_NONE : (vec)->v[loc];      \
		no_;                                        \
	})

uint32_t brstat_edge(struct brstat *b, uint32_t from, uint32_t to)
{
	uint32_t id = keys_tuple_id(&b->edge_keys, (const uint64_t[2]){ from, to });
	struct edge_info new = { .begins = id, .ends = id, .next = LOC_NONE };
	const struct loc *at;

	if (id == ID_NONE || id < b->info.n)
		return id;
	at = resolver_loc(b->res, from);
	new.site = brstat_site(b, at->dso, at->addr);
	if (new.site == ID_NONE)
		return ID_NONE;
	if (b->o.what & (BRSTAT_CYCLES | BRSTAT_QUALITY) &&
	    FIRST_AT(&b->same_from, from, id, &new.ends))
		return ID_NONE;
	if (b->o.what & BRSTAT_QUALITY && FIRST_AT(&b->same_to, to, id, &new.begins))
		return ID_NONE;
	return vec_push(&b->info, new) ? ID_NONE : id;
}

static int find_between(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *out)
{
	uint64_t key[2] = { brstat_edge_locs(b, before)[1], brstat_edge_locs(b, edge)[0] };
	const struct loc *start = resolver_loc(b->res, (uint32_t)key[0]);
	const struct loc *end = resolver_loc(b->res, (uint32_t)key[1]);
	struct code_stretch new = { .first = 0 };

	*out = ID_NONE;
	/* Functions can be left without a branch, by a signal perhaps. */
	if (!brstat_in_one_function(start, end))
		return 0;
	*out = keys_tuple_id(&b->stretch_keys, key);
	if (*out == ID_NONE)
		return -ENOMEM;
	if (*out < b->stretches.n)
		return 0;
	if (brstat_read_stretch(b, &new, start, end))
		return -ENOMEM;
	return vec_push(&b->stretches, new);
}

int brstat_between(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *out)
{
	uint32_t next = (uint32_t)brstat_edge_locs(b, edge)[0];
	struct edge_info *info = &b->info.v[before];

	if (info->next != next) {
		info->next = LOC_NONE;
		if (find_between(b, before, edge, &info->next_stretch))
			return -ENOMEM;
		info->next = next;
	}
	*out = info->next_stretch;
	return 0;
}

/* Where a step is, or is to be. */
static struct step_memo *step_slot(const struct brstat *b, uint32_t before, uint32_t edge,
				   size_t slot)
{
	size_t mask = ((size_t)1 << b->step_bits) - 1;
	struct step_memo *m = &b->step_memo[slot];

	while (m->step && (m->edge != edge || m->before != before)) {
		slot = (slot + 1) & mask;
		m = &b->step_memo[slot];
	}
	return m;
}

static struct step_memo *step_memo_of(const struct brstat *b, uint32_t before, uint32_t edge)
{
	return step_slot(b, before, edge, step_hash(before, edge) >> (64 - b->step_bits));
}

struct walk_step *brstat_step(struct brstat *b, uint32_t before, uint32_t edge)
{
	struct walk_step new = { .before = before, .edge = edge, .stretch = ID_NONE };
	struct step_memo *m;

	if (widen_steps(b, 1))
		return NULL;
	m = step_memo_of(b, before, edge);
	if (!m->step) {
		if (b->steps.n >= ID_NONE - 1 || vec_push(&b->steps, new))
			return NULL;
		*m = (struct step_memo){ before, edge, (uint32_t)b->steps.n };
		b->nr_known++;
	}
	return &b->steps.v[m->step - 1];
}

/* The edge of two addresses; ID_NONE: no memory. */
static uint32_t find_edge(struct brstat *b, struct thread *th, uint64_t from, uint64_t to)
{
	uint32_t a = resolver_find(b->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, from);
	uint32_t z = resolver_find(b->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, to);

	return a == LOC_NONE || z == LOC_NONE ? ID_NONE : brstat_edge(b, a, z);
}

/* The step of an edge behind another one, or behind ID_NONE. 0 or -ENOMEM. */
static int find_step(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *step)
{
	uint32_t between = ID_NONE;
	struct walk_step *st;

	if (before != ID_NONE && brstat_between(b, before, edge, &between))
		return -ENOMEM;
	st = brstat_step(b, between == ID_NONE ? ID_NONE : before, edge);
	if (!st)
		return -ENOMEM;
	st->stretch = between;
	*step = (uint32_t)(st - b->steps.v);
	/* Behind an edge that it does not follow: known by that one, too. */
	if (st->before != before) {
		*step_memo_of(b, before, edge) = (struct step_memo){ before, edge, *step + 1 };
		b->nr_known++;
	}
	return 0;
}

/* ---- outcomes ---------------------------------------------------------------------------------- */

static unsigned bucket(uint32_t run)
{
	return run <= 16 ? run - 1 : run <= 32 ? 16 : 17;
}

void brstat_cut_run(struct outcomes *out)
{
	if (out->run && out->whole)
		out->cut[out->last][bucket(out->run)]++;
	out->run = 0;
}

static inline void add_outcome(struct brstat *b, uint32_t site, bool taken)
{
	struct outcomes *out = &b->outcomes.v[site];

	if (out->stack != b->stack) {
		brstat_cut_run(out);
		out->stack = b->stack;
		out->whole = false;
		out->last = taken;
		out->run = 1;
		return;
	}
	out->after[out->last][taken]++;
	if (out->last == taken) {
		out->run++;
		return;
	}
	if (out->whole)
		out->runs[out->last][bucket(out->run)]++;
	out->whole = true;
	out->last = taken;
	out->run = 1;
}

/* The walk begins anew: what branches did before is not the time before. */
static inline void new_walk(struct brstat *b)
{
	b->stack++;
}

static inline void add_outcomes(struct brstat *b, const struct walk_step *st)
{
	if (st->stretch == ID_NONE) {
		new_walk(b);
	} else {
		const struct code_stretch *t = &b->stretches.v[st->stretch];

		/* Whether others ran in between is not known. */
		if (unlikely(t->state != CODE_READ))
			new_walk(b);
		for (uint32_t i = 0; i < t->nr; i++)
			add_outcome(b, b->inside.v[t->first + i], false);
	}
	add_outcome(b, b->info.v[st->edge].site, true);
}

/* ---- stacks ------------------------------------------------------------------------------------ */

/* A branch of the stack. */
struct entry {
	uint64_t from, to; /* in memory */
	uint64_t flags;
	uint32_t cycles, edge, step;
	uint32_t before, now; /* edges of the step */
	uint32_t at, slot;    /* of edge_memo, of step_memo, where to look first */
};

/* Entries that are branches, oldest first, up to CHUNK. */
struct collected {
	struct entry v[CHUNK];
	unsigned n;
};

struct walk_state {
	uint64_t end;	/* entries that are not collected yet */
	uint64_t where; /* see struct edge_memo */
	uint64_t cycles;
	uint32_t before;
	bool all, missed; /* missed: the branch before was mispredicted */
};

static void collect(struct brstat *b, const struct sample_branches *s, struct walk_state *w,
		    struct collected *c)
{
	for (c->n = 0; w->end && c->n < CHUNK;) {
		const unsigned char *p = s->entries + --w->end * BRANCH_ENTRY_SIZE;
		uint64_t flags = branch_load_flags(p, s->swap);
		uint32_t cycles = branch_flags_cycles(flags);
		struct entry *en = &c->v[c->n];

		w->cycles = cycles ? w->cycles + cycles : 0;
		if (unlikely(branch_flags_not_taken(flags) ||
			     branch_flags_spec(flags) == BR_SPEC_WRONG_PATH))
			continue;
		en->from = load_u64(p, s->swap);
		en->to = load_u64(p + 8, s->swap);
		en->at = (uint32_t)(edge_hash(en->from, en->to, w->where) >> (64 - b->edge_bits));
		__builtin_prefetch(&b->edge_memo[en->at]);
		en->flags = flags;
		en->cycles = (uint32_t)min_u64(w->cycles, UINT16_MAX);
		w->cycles = 0;
		c->n++;
	}
}

/* Entries to edges. 0 or -ENOMEM. */
static int number_edges(struct brstat *b, struct thread *th, const struct walk_state *w,
			struct collected *c)
{
	uint32_t mask = (1u << b->edge_bits) - 1;

	for (unsigned i = 0; i < c->n; i++) {
		struct entry *en = &c->v[i];
		struct edge_memo *m = &b->edge_memo[en->at];

		while (m->edge &&
		       ((m->from ^ en->from) | (m->to ^ en->to) | (m->where ^ w->where))) {
			en->at = (en->at + 1) & mask;
			m = &b->edge_memo[en->at];
		}
		if (unlikely(!m->edge)) {
			uint32_t edge = find_edge(b, th, en->from, en->to);

			if (edge == ID_NONE)
				return -ENOMEM;
			*m = (struct edge_memo){ en->from, en->to, w->where, edge + 1 };
			b->nr_edges++;
		}
		en->edge = m->edge - 1;
		__builtin_prefetch(&b->info.v[en->edge], 1);
	}
	return 0;
}

/* Where the steps of edges are looked for. */
static void place_steps(const struct brstat *b, struct walk_state *w, struct collected *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct entry *en = &c->v[i];
		const struct edge_info *info = &b->info.v[en->edge];

		en->now = info->ends;
		en->before = w->before;
		w->before = w->all ? info->begins : ID_NONE;
		en->slot = (uint32_t)(step_hash(en->before, en->now) >> (64 - b->step_bits));
		__builtin_prefetch(&b->step_memo[en->slot]);
	}
}

/* Edges to steps. 0 or -ENOMEM. */
static int number_steps(struct brstat *b, struct collected *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct entry *en = &c->v[i];
		struct step_memo *m = step_slot(b, en->before, en->now, en->slot);

		if (likely(m->step))
			en->step = m->step - 1;
		else if (find_step(b, en->before, en->now, &en->step))
			return -ENOMEM;
		__builtin_prefetch(&b->steps.v[en->step], 1);
	}
	return 0;
}

static void count_step(struct brstat *b, const struct entry *en, struct walk_state *w)
{
	struct walk_step *st = &b->steps.v[en->step];
	struct edge_info *info = &b->info.v[en->edge];
	bool mispred = en->flags & 1, flagged = en->flags & 3; /* or predicted */

	info->nr++;
	info->mispred += mispred;
	info->flagged += flagged;
	if (branch_flags_type(en->flags))
		info->type = (uint8_t)branch_flags_type(en->flags);
	st->nr++;
	if (en->cycles) {
		st->nr_cycles++;
		st->cycles += en->cycles;
		if (w->missed) {
			st->nr_missed++;
			st->cyc_missed += en->cycles;
		}
	}
	w->missed = mispred;
}

static int add_to_hist(struct brstat *b, uint32_t stretch, uint32_t cycles)
{
	static const struct cycle_hist none = { .min = UINT16_MAX };
	struct cycle_hist *h;

	if (vec_reach(&b->hists, stretch, none))
		return -ENOMEM;
	h = &b->hists.v[stretch];
	h->n[brstat_cycle_bucket(cycles)]++;
	h->min = (uint16_t)min_u64(h->min, cycles);
	h->max = (uint16_t)max_u64(h->max, cycles);
	return 0;
}

static int add_to_function(struct brstat *b, uint32_t edge)
{
	struct edge_info *info = &b->info.v[edge];

	if (!info->function) {
		uint32_t f = brstat_function(b, (uint32_t)brstat_edge_locs(b, edge)[0]);

		if (f == ID_NONE)
			return -ENOMEM;
		info->function = f + 1;
	}
	return brstat_count_function(b, info->function - 1);
}

/* What one of the answers needs beside the step. */
static int count_more(struct brstat *b, const struct entry *en)
{
	const struct walk_step *st = &b->steps.v[en->step];

	if (b->o.what & BRSTAT_WHY)
		add_outcomes(b, st);
	if (b->o.what & BRSTAT_PATHS)
		return vec_push(&b->walk, en->step);
	if (b->o.what & BRSTAT_QUALITY)
		return add_to_function(b, en->edge);
	if (b->o.what & BRSTAT_CYCLES && en->cycles && st->stretch != ID_NONE)
		return add_to_hist(b, st->stretch, en->cycles);
	return 0;
}

/* Outcomes and histograms are looked at when steps are there. */
static void fetch_more(const struct brstat *b, const struct collected *c)
{
	if (b->o.what & BRSTAT_WHY)
		for (unsigned i = 0; i < c->n; i++)
			__builtin_prefetch(&b->outcomes.v[b->info.v[c->v[i].edge].site], 1);
	if (b->o.what & BRSTAT_CYCLES) {
		for (unsigned i = 0; i < c->n; i++) {
			uint32_t stretch = b->steps.v[c->v[i].step].stretch;
			const struct cycle_hist *h;

			if (stretch >= b->hists.n)
				continue;
			h = &b->hists.v[stretch];
			__builtin_prefetch(&h->n[brstat_cycle_bucket(c->v[i].cycles)], 1);
			__builtin_prefetch(&h->min, 1);
		}
	}
}

static int add_chunk(struct brstat *b, struct thread *th, struct walk_state *w, struct collected *c)
{
	/* A new step may be known by two pairs of edges. */
	if (number_edges(b, th, w, c) || widen_steps(b, 2 * CHUNK))
		return -ENOMEM;
	place_steps(b, w, c);
	if (number_steps(b, c))
		return -ENOMEM;
	fetch_more(b, c);
	for (unsigned i = 0; i < c->n; i++) {
		count_step(b, &c->v[i], w);
		if (count_more(b, &c->v[i]))
			return -ENOMEM;
	}
	return 0;
}

int brstat_add(struct brstat *b, const struct sample *s, struct thread *th, struct err *e)
{
	uint64_t filter = s->event ? s->event->attr.branch_sample_type : PERF_SAMPLE_BRANCH_ANY;
	struct walk_state w = {
		.end = s->branches.nr,
		.where = (uint64_t)machine_generation(b->o.machine, th->space) << 32 | th->space,
		.before = ID_NONE,
		.all = filter & PERF_SAMPLE_BRANCH_ANY,
	};
	struct collected c;

	if (b->o.what & BRSTAT_QUALITY && brstat_add_address(b, s, th))
		return err_set(e, -ENOMEM, "no memory for functions");
	if (!s->branches.nr)
		return 0;
	if (filter & PERF_SAMPLE_BRANCH_CALL_STACK) {
		b->sum.calls = true;
		return 0;
	}
	b->sum.some |= !w.all;
	b->sum.stacks++;
	b->walk.n = 0;
	new_walk(b);
	while (w.end) {
		if (widen_edges(b))
			return err_set(e, -ENOMEM, "no memory for branches");
		collect(b, &s->branches, &w, &c);
		if (add_chunk(b, th, &w, &c))
			return err_set(e, -ENOMEM, "no memory for branches");
	}
	if (b->o.what & BRSTAT_PATHS && w.all && brstat_walk_loops(b))
		return err_set(e, -ENOMEM, "no memory for loops");
	return 0;
}
