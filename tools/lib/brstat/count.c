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

static inline uint64_t edge_hash(const struct edge_memo *k)
{
	uint64_t where = k->space ^ (uint64_t)k->gen << 32;

	return (k->from ^ (k->to << 29 | k->to >> 35) ^ where) * HASH_GOLDEN;
}

static bool hash_of_edge(const void *slot, uint64_t *hash)
{
	const struct edge_memo *m = slot;

	*hash = edge_hash(m);
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

/* A cache: sixteen times the slots where as many as half of them were missed. Without memory it stays as it is. */
static void widen_edges(struct brstat *b)
{
	struct edge_memo *memo;

	if (likely(b->nr_missed <= (size_t)1 << b->edge_bits >> 1) || b->edge_bits >= EDGE_MEMO_MAX)
		return;
	b->nr_missed = 0;
	memo = slots_resize(b->edge_memo, b->edge_bits, b->edge_bits + 4, sizeof(*memo),
			    hash_of_edge);
	if (!memo)
		return;
	b->edge_memo = memo;
	b->edge_bits += 4;
}

/*
 * Room for a chunk, the table half empty at most. One that is as large as it gets begins anew: what was in it
 * comes again, from keys.
 */
static int widen_steps(struct brstat *b)
{
	size_t n = (size_t)1 << b->step_bits;
	struct step_memo *memo;

	if (likely((b->nr_known + CHUNK) * 2 <= n))
		return 0;
	if (b->step_bits == STEP_MEMO_MAX) {
		memset(b->step_memo, 0, n * sizeof(*b->step_memo));
		b->nr_known = 0;
		return 0;
	}
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
	b->edge_keys.width = b->step_keys.width = b->stretch_keys.width = b->site_keys.width = 2;
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
	keys_tuples_free(&b->step_keys);
	keys_tuples_free(&b->stretch_keys);
	keys_tuples_free(&b->site_keys);
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
	brstat_slices_free(&b->slices);
	vec_free(&b->function_of);
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

uint32_t brstat_edge(struct brstat *b, uint32_t from, uint32_t to)
{
	return keys_tuple_id(&b->edge_keys, (const uint64_t[2]){ from, to });
}

int brstat_between(struct brstat *b, uint32_t before, uint32_t edge, uint32_t *out)
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

struct walk_step *brstat_step(struct brstat *b, uint32_t before, uint32_t edge)
{
	uint32_t id = keys_tuple_id(&b->step_keys, (const uint64_t[2]){ before, edge });
	struct walk_step new = { .edge = edge, .stretch = ID_NONE };
	const struct loc *from;

	if (id == ID_NONE)
		return NULL;
	if (id < b->steps.n)
		return &b->steps.v[id];
	from = resolver_loc(b->res, (uint32_t)brstat_edge_locs(b, edge)[0]);
	new.site = brstat_site(b, from->dso, from->addr);
	if (new.site == ID_NONE || vec_push(&b->steps, new))
		return NULL;
	return &b->steps.v[id];
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
	add_outcome(b, st->site, true);
}

/* ---- stacks ------------------------------------------------------------------------------------ */

/* A branch of the stack. */
struct entry {
	struct edge_memo key, *memo;
	uint64_t flags;
	uint32_t cycles, edge, before, step;
	uint32_t slot; /* of step_memo, where to look first */
};

/* Entries that are branches, oldest first, up to CHUNK. */
struct collected {
	struct entry v[CHUNK];
	unsigned n;
};

struct walk_state {
	uint64_t end; /* entries that are not collected yet */
	uint32_t space, gen, before;
	uint64_t cycles;
	bool all, missed; /* missed: the branch before was mispredicted */
};

static void collect(struct brstat *b, const struct sample_branches *s, struct walk_state *w,
		    struct collected *c)
{
	for (c->n = 0; w->end && c->n < CHUNK;) {
		struct entry *en = &c->v[c->n];
		struct branch_entry e;

		branch_load(s->entries + --w->end * BRANCH_ENTRY_SIZE, s->swap, &e);
		w->cycles = e.cycles ? w->cycles + e.cycles : 0;
		if (unlikely(e.not_taken || e.spec == BR_SPEC_WRONG_PATH))
			continue;
		en->key = (struct edge_memo){
			.from = e.from, .to = e.to, .space = w->space, .gen = w->gen
		};
		en->memo = &b->edge_memo[edge_hash(&en->key) >> (64 - b->edge_bits)];
		__builtin_prefetch(en->memo, 1);
		en->flags =
			(uint64_t)e.mispred | (uint64_t)e.predicted << 1 | (uint64_t)e.type << 8;
		en->cycles = (uint32_t)min_u64(w->cycles, UINT16_MAX);
		w->cycles = 0;
		c->n++;
	}
}

static inline bool is_it(const struct edge_memo *m, const struct edge_memo *key)
{
	return m->edge && m->from == key->from && m->to == key->to && m->space == key->space &&
	       m->gen == key->gen;
}

/* Entries to edges. 0 or -ENOMEM. */
static int number_edges(struct brstat *b, struct thread *th, struct walk_state *w,
			struct collected *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct entry *en = &c->v[i];

		if (unlikely(!is_it(en->memo, &en->key))) {
			uint32_t edge = find_edge(b, th, en->key.from, en->key.to);

			if (edge == ID_NONE)
				return -ENOMEM;
			*en->memo = en->key;
			en->memo->edge = edge + 1;
			b->nr_missed++;
		}
		en->edge = en->memo->edge - 1;
		en->before = w->before;
		w->before = w->all ? en->edge : ID_NONE;
		en->slot = (uint32_t)(step_hash(en->before, en->edge) >> (64 - b->step_bits));
		__builtin_prefetch(&b->step_memo[en->slot], 1);
	}
	return 0;
}

/* Edges to steps. 0 or -ENOMEM. */
static int number_steps(struct brstat *b, struct collected *c)
{
	uint32_t mask = (1u << b->step_bits) - 1;

	for (unsigned i = 0; i < c->n; i++) {
		struct entry *en = &c->v[i];
		struct step_memo *m = &b->step_memo[en->slot];

		while (m->step && (m->edge != en->edge || m->before != en->before)) {
			en->slot = (en->slot + 1) & mask;
			m = &b->step_memo[en->slot];
		}
		if (unlikely(!m->step)) {
			if (find_step(b, en->before, en->edge, &en->step))
				return -ENOMEM;
			*m = (struct step_memo){ en->before, en->edge, en->step + 1 };
			b->nr_known++;
		}
		en->step = m->step - 1;
		__builtin_prefetch(&b->steps.v[en->step], 1);
		__builtin_prefetch(&b->steps.v[en->step].stretch);
	}
	return 0;
}

static void count_step(struct brstat *b, const struct entry *en, struct walk_state *w)
{
	struct walk_step *st = &b->steps.v[en->step];
	bool mispred = en->flags & 1;

	st->nr++;
	st->mispred += mispred;
	st->flagged += (en->flags & 3) != 0;
	if (en->flags >> 8)
		st->type = (uint8_t)(en->flags >> 8);
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
	if (vec_reach(&b->function_of, edge, 0))
		return -ENOMEM;
	if (!b->function_of.v[edge]) {
		uint32_t f = brstat_function(b, (uint32_t)brstat_edge_locs(b, edge)[0]);

		if (f == ID_NONE)
			return -ENOMEM;
		b->function_of.v[edge] = f + 1;
	}
	return brstat_count_function(b, b->function_of.v[edge] - 1);
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
		return add_to_function(b, st->edge);
	if (b->o.what & BRSTAT_CYCLES && en->cycles && st->stretch != ID_NONE)
		return add_to_hist(b, st->stretch, en->cycles);
	return 0;
}

/* Outcomes are looked at when steps are there. */
static void fetch_outcomes(const struct brstat *b, const struct collected *c)
{
	for (unsigned i = 0; i < c->n; i++)
		__builtin_prefetch(&b->outcomes.v[b->steps.v[c->v[i].step].site], 1);
}

static int add_chunk(struct brstat *b, struct thread *th, struct walk_state *w, struct collected *c)
{
	if (widen_steps(b) || number_edges(b, th, w, c) || number_steps(b, c))
		return -ENOMEM;
	widen_edges(b);
	if (b->o.what & BRSTAT_WHY)
		fetch_outcomes(b, c);
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
		.space = th->space,
		.gen = machine_generation(b->o.machine, th->space),
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
		collect(b, &s->branches, &w, &c);
		if (add_chunk(b, th, &w, &c))
			return err_set(e, -ENOMEM, "no memory for branches");
	}
	if (b->o.what & BRSTAT_PATHS && w.all && brstat_walk_loops(b))
		return err_set(e, -ENOMEM, "no memory for loops");
	return 0;
}
