// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks and chains of branch stacks, see brflow.h. Stacks repeat each other, so that which block
 * of which object lies between two addresses of an address space is remembered and looked up once
 * for most entries.
 */
#include "brflow/brflow.h"
#include <stdlib.h>

#include "branch/branch.h"
#include "keys/keys.h"

#ifndef MEMO_BITS /* fuzz targets have fewer: AddressSanitizer maps and unmaps what is large */
#define MEMO_BITS 15
#endif
#define CHUNK 32

/* The block that two addresses belong to, as it was lately. */
struct block_memo {
	uint64_t start, end; /* in memory */
	uint64_t at;	     /* the start in the object, or BRFLOW_NO_START */
	uint32_t space, gen;
	uint32_t block; /* ID_NONE: no object there */
	bool used, known;
};

/* The edge of two addresses, as it was lately. */
struct edge_memo {
	uint64_t from, to; /* in memory */
	uint32_t space, gen;
	uint32_t edge;
	bool used;
};

/* What a branch of the stack adds to the chains that it is in. */
struct path_step {
	uint32_t cycles;
	bool mispred, flagged; /* flagged: says whether it was */
};

struct brflow {
	struct brflow_opts o;
	struct resolver *res;
	struct tuples block_keys; /* object, address of the branch, start or 0 */
	VEC(struct brflow_block) blocks;
	struct block_memo *memo;
	struct edge_memo *edge_memo;
	struct tuples edges; /* location from, location to */
	struct tuples paths; /* edges, oldest first */
	VEC(struct brflow_path) counts;
	uint64_t cycles, mean_cycles, nr_paths;

	/* The stack at hand, oldest first. */
	VEC(uint64_t) edge;
	VEC(struct path_step) step;
	bool finished;
};

int brflow_new(struct brflow **out, struct resolver *res, const struct brflow_opts *opts,
	       struct err *e)
{
	struct brflow *f;

	if (opts->path_len == 1 || opts->path_len > BRFLOW_MAX_PATH)
		return err_set(e, -EINVAL, "a path has 2 to %d branches, not %u", BRFLOW_MAX_PATH,
			       opts->path_len);
	f = calloc(1, sizeof(*f));
	if (!f)
		return err_set(e, -ENOMEM, "no memory for branches");
	f->o = *opts;
	f->res = res;
	f->o.nr_counters = (uint32_t)min_u64(opts->nr_counters, BRFLOW_MAX_COUNTERS);
	if (!opts->counter_width || opts->counter_width > 16)
		f->o.nr_counters = 0;
	f->block_keys.width = 3;
	f->edges.width = 2;
	f->paths.width = opts->path_len;
	if (f->o.blocks)
		f->memo = calloc(1u << MEMO_BITS, sizeof(*f->memo));
	if (f->o.path_len)
		f->edge_memo = calloc(1u << MEMO_BITS, sizeof(*f->edge_memo));
	if ((f->o.blocks && !f->memo) || (f->o.path_len && !f->edge_memo)) {
		brflow_free(f);
		return err_set(e, -ENOMEM, "no memory for blocks and paths");
	}
	*out = f;
	return 0;
}

void brflow_free(struct brflow *f)
{
	if (!f)
		return;
	keys_tuples_free(&f->block_keys);
	keys_tuples_free(&f->edges);
	keys_tuples_free(&f->paths);
	vec_free(&f->blocks);
	vec_free(&f->counts);
	vec_free(&f->edge);
	vec_free(&f->step);
	free(f->memo);
	free(f->edge_memo);
	free(f);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static uint32_t block_at(struct brflow *f, struct dso *dso, uint64_t end, uint64_t start)
{
	const uint64_t key[3] = { dso->idx, end, f->o.each_start ? start : 0 };
	uint32_t id = keys_tuple_id(&f->block_keys, key);
	struct brflow_block new = { .dso = dso, .start = BRFLOW_NO_START, .end = end };

	return id == f->blocks.n && vec_push(&f->blocks, new) ? ID_NONE : id;
}

/* -ENOMEM or 0. */
static int look_up(struct brflow *f, struct thread *th, struct block_memo *m)
{
	uint32_t from = resolver_find(f->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, m->end);
	uint32_t to = LOC_NONE;
	const struct loc *start, *end;

	m->at = BRFLOW_NO_START;
	m->block = ID_NONE;
	if (m->known)
		to = resolver_find(f->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, m->start);
	if (from == LOC_NONE || (m->known && to == LOC_NONE))
		return -ENOMEM;
	end = resolver_loc(f->res, from);
	if (!end->dso)
		return 0;
	/* Functions can be left without a branch, by a signal perhaps. */
	start = m->known ? resolver_loc(f->res, to) : NULL;
	if (start && start->dso == end->dso && start->sym == end->sym && start->addr <= end->addr)
		m->at = start->addr;
	m->block = block_at(f, end->dso, end->addr, m->at);
	return m->block == ID_NONE ? -ENOMEM : 0;
}

static struct block_memo *memo_of(const struct brflow *f, const struct block_memo *key)
{
	uint64_t h = key->end ^ (key->start << 29 | key->start >> 35) ^
		     ((uint64_t)key->gen << 32 | key->space);

	return &f->memo[hash_slot(h, MEMO_BITS)];
}

/* 0 or -ENOMEM. */
static int find_block(struct brflow *f, struct thread *th, struct block_memo *m,
		      const struct block_memo *key)
{
	if (likely(m->used && m->end == key->end && m->start == key->start &&
		   m->known == key->known && m->space == key->space && m->gen == key->gen))
		return 0;
	*m = *key;
	m->used = !look_up(f, th, m);
	return m->used ? 0 : -ENOMEM;
}

static void add_counters(struct brflow *f, struct brflow_block *b, uint64_t word)
{
	uint64_t max = BIT(f->o.counter_width) - 1;

	for (uint32_t i = 0; i < f->o.nr_counters && (i + 1) * f->o.counter_width <= 64; i++) {
		uint64_t n = word >> (i * f->o.counter_width) & max;

		b->counted[i] += n;
		if (n == max)
			b->saturated |= 1U << i;
	}
}

static void add_block(struct brflow_block *b, uint64_t start, uint32_t cycles)
{
	b->cycles += cycles;
	b->nr++;
	if (start == BRFLOW_NO_START)
		return;
	if (start < b->start) {
		b->start = start;
		b->own_cycles = b->own_nr = 0;
	}
	if (start == b->start) {
		b->own_cycles += cycles;
		b->own_nr++;
	}
}

/* The stretch of code that one branch ends, in memory. */
struct stretch {
	struct block_memo key, *memo;
	uint64_t at; /* as in the memo: another stretch may take that over */
	uint64_t entry;
	uint32_t block, cycles;
};

/* Of the entries below @end those that have cycles, oldest first, up to CHUNK: how many. */
static unsigned collect(struct brflow *f, const struct sample_branches *b, struct block_memo *key,
			bool all, uint64_t *end, struct stretch *v)
{
	unsigned n = 0;

	while (*end && n < CHUNK) {
		const unsigned char *e = b->entries + --*end * BRANCH_ENTRY_SIZE;
		uint32_t cycles = branch_flags_cycles(branch_load_flags(e, b->swap));

		key->end = load_u64(e, b->swap);
		if (cycles) {
			v[n] = (struct stretch){ .key = *key, .entry = *end, .cycles = cycles };
			v[n].memo = memo_of(f, key);
			__builtin_prefetch(v[n++].memo, 1);
			f->cycles += cycles;
		}
		key->start = all ? load_u64(e + 8, b->swap) : 0;
		key->known = all;
	}
	return n;
}

/*
 * From where each branch went to, through the next one. The tables are larger than the caches:
 * all that a chunk needs is asked for before the first is looked at.
 */
static int add_blocks(struct brflow *f, const struct sample *s, struct thread *th)
{
	const struct sample_branches *b = &s->branches;
	bool all = sample_branch_filter(s) & PERF_SAMPLE_BRANCH_ANY;
	struct block_memo key = {
		.space = th->space,
		.gen = f->o.machine ? machine_generation(f->o.machine, th->space) : 0,
	};
	struct stretch v[CHUNK];
	unsigned n;

	for (uint64_t end = b->nr; end;) {
		n = collect(f, b, &key, all, &end, v);
		for (unsigned i = 0; i < n; i++) {
			if (find_block(f, th, v[i].memo, &v[i].key))
				return -ENOMEM;
			v[i].at = v[i].memo->at;
			v[i].block = v[i].memo->block;
			if (v[i].block != ID_NONE)
				__builtin_prefetch(&f->blocks.v[v[i].block], 1);
		}
		for (unsigned i = 0; i < n; i++) {
			if (v[i].block == ID_NONE)
				continue;
			add_block(&f->blocks.v[v[i].block], v[i].at, v[i].cycles);
			if (v[i].entry < b->counters.nr)
				add_counters(f, &f->blocks.v[v[i].block],
					     u64s_get(&b->counters, v[i].entry));
		}
	}
	return 0;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static struct edge_memo *edge_memo_of(const struct brflow *f, const struct edge_memo *key)
{
	uint64_t h = key->from ^ (key->to << 29 | key->to >> 35) ^
		     ((uint64_t)key->gen << 32 | key->space);

	return &f->edge_memo[hash_slot(h, MEMO_BITS)];
}

/* 0 or -ENOMEM. */
static int find_edge(struct brflow *f, struct thread *th, struct edge_memo *m,
		     const struct edge_memo *key)
{
	uint32_t from, to;

	if (likely(m->used && m->from == key->from && m->to == key->to && m->space == key->space &&
		   m->gen == key->gen))
		return 0;
	from = resolver_find(f->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, key->from);
	to = resolver_find(f->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, key->to);
	*m = *key;
	if (from == LOC_NONE || to == LOC_NONE)
		return -ENOMEM;
	m->edge = keys_tuple_id(&f->edges, (const uint64_t[2]){ from, to });
	m->used = m->edge != ID_NONE;
	return m->used ? 0 : -ENOMEM;
}

/* The stack as edges, oldest first: chains are then arrays in it. */
static int walk_stack(struct brflow *f, const struct sample_branches *b, struct thread *th)
{
	struct edge_memo key = {
		.space = th->space,
		.gen = f->o.machine ? machine_generation(f->o.machine, th->space) : 0,
	};

	f->edge.n = f->step.n = 0;
	if (vec_reserve(&f->edge, b->nr) || vec_reserve(&f->step, b->nr))
		return -ENOMEM;
	for (uint64_t i = b->nr; i--;) {
		struct edge_memo *m;
		struct branch_entry e;

		sample_branch(b, i, &e);
		key.from = e.from;
		key.to = e.to;
		m = edge_memo_of(f, &key);
		if (find_edge(f, th, m, &key))
			return -ENOMEM;
		f->edge.v[f->edge.n++] = m->edge;
		f->step.v[f->step.n++] =
			(struct path_step){ e.cycles, e.mispred, e.mispred || e.predicted };
	}
	return 0;
}

/* The chain whose oldest branch is @at of the stack. */
static int add_path(struct brflow *f, uint64_t hash, size_t at)
{
	uint32_t id = keys_tuple_id_at(&f->paths, hash, &f->edge.v[at]);
	const struct path_step *step = &f->step.v[at];
	struct brflow_path *p;
	uint64_t cycles = 0;
	bool all = true;

	if (id == ID_NONE ||
	    (id == f->counts.n && vec_push(&f->counts, (struct brflow_path){ .id = id })))
		return -ENOMEM;
	p = &f->counts.v[id];
	p->nr++;
	for (uint32_t k = 0; k < f->o.path_len; k++) {
		/* What came before the oldest branch is not part of the chain. */
		cycles += k ? step[k].cycles : 0;
		all &= !k || step[k].cycles;
		p->mispred += step[k].mispred;
		p->flagged += step[k].flagged;
	}
	if (all) {
		p->cycles += cycles;
		p->nr_cycles++;
	}
	f->nr_paths++;
	return 0;
}

/* In chunks, as blocks: what their chains need is asked for before the first is looked up. */
static int add_paths(struct brflow *f)
{
	size_t len = f->o.path_len, nr = f->edge.n >= len ? f->edge.n - len + 1 : 0;
	uint64_t hash[CHUNK];

	for (size_t at = 0, n; at < nr; at += n) {
		n = min_u64(nr - at, CHUNK);
		for (size_t i = 0; i < n; i++) {
			hash[i] = keys_tuple_hash(&f->paths, &f->edge.v[at + i]);
			htab_prefetch(&f->paths.tab, hash[i]);
		}
		for (size_t i = 0; i < n; i++) {
			uint32_t id = htab_peek(&f->paths.tab, hash[i]);

			if (id == UINT32_MAX)
				continue;
			__builtin_prefetch(keys_tuple_get(&f->paths, id));
			__builtin_prefetch(&f->counts.v[id], 1);
		}
		for (size_t i = 0; i < n; i++)
			if (add_path(f, hash[i], at + i))
				return -ENOMEM;
	}
	return 0;
}

int brflow_add(struct brflow *f, const struct sample *s, struct thread *th, struct err *e)
{
	const struct sample_branches *b = &s->branches;
	int ret = f->o.blocks ? add_blocks(f, s, th) : 0;

	if (!ret && f->o.path_len)
		ret = walk_stack(f, b, th);
	if (!ret && f->o.path_len)
		ret = add_paths(f);
	return ret ? err_set(e, ret, "no memory for branches") : 0;
}

/* ---- another flow ---------------------------------------------------------------------------- */

static void join_block(struct brflow_block *to, const struct brflow_block *b)
{
	to->cycles += b->cycles;
	to->nr += b->nr;
	to->saturated |= b->saturated;
	for (size_t i = 0; i < ARRAY_SIZE(to->counted); i++)
		to->counted[i] += b->counted[i];
	if (b->start < to->start) {
		to->start = b->start;
		to->own_cycles = to->own_nr = 0;
	}
	if (b->start == to->start) {
		to->own_cycles += b->own_cycles;
		to->own_nr += b->own_nr;
	}
}

static int join_blocks(struct brflow *f, const struct brflow *from, const struct brflow_maps *maps)
{
	for (uint32_t i = 0; i < from->blocks.n; i++) {
		const struct brflow_block *b = &from->blocks.v[i];
		/* Not b->start: that of each is part of what tells them apart. */
		uint64_t start = keys_tuple_get(&from->block_keys, i)[2];
		struct dso *dso = maps && maps->dso ? maps->dso[b->dso->idx] : b->dso;
		uint32_t id = block_at(f, dso, b->end, start);

		if (id == ID_NONE)
			return -ENOMEM;
		join_block(&f->blocks.v[id], b);
	}
	f->cycles += from->cycles;
	return 0;
}

static int join_paths(struct brflow *f, const struct brflow *from, const uint32_t *loc)
{
	for (uint32_t i = 0; i < from->counts.n; i++) {
		const struct brflow_path *p = &from->counts.v[i];
		const uint64_t *edges = keys_tuple_get(&from->paths, i);
		struct brflow_path new = { 0 }, *to;
		uint64_t key[BRFLOW_MAX_PATH];

		for (uint32_t k = 0; k < f->o.path_len; k++) {
			const uint64_t *e = keys_tuple_get(&from->edges, (uint32_t)edges[k]);
			const uint64_t ends[2] = { loc ? loc[e[0]] : e[0], loc ? loc[e[1]] : e[1] };

			key[k] = keys_tuple_id(&f->edges, ends);
			if (key[k] == ID_NONE)
				return -ENOMEM;
		}
		new.id = keys_tuple_id(&f->paths, key);
		if (new.id == ID_NONE || (new.id == f->counts.n &&vec_push(&f->counts, new)))
			return -ENOMEM;
		to = &f->counts.v[new.id];
		to->nr += p->nr;
		to->cycles += p->cycles;
		to->nr_cycles += p->nr_cycles;
		to->mispred += p->mispred;
		to->flagged += p->flagged;
	}
	f->nr_paths += from->nr_paths;
	return 0;
}

int brflow_merge(struct brflow *f, const struct brflow *from, const struct brflow_maps *maps,
		 struct err *e)
{
	if (f->o.path_len != from->o.path_len || f->o.blocks != from->o.blocks ||
	    f->o.each_start != from->o.each_start)
		return err_set(e, -EINVAL,
			       "branches that were counted in two ways cannot be added");
	if (join_blocks(f, from, maps) || join_paths(f, from, maps ? maps->loc : NULL))
		return err_set(e, -ENOMEM, "no memory for branches");
	return 0;
}

/* ---- results --------------------------------------------------------------------------------- */

static int by_cycles(const void *a, const void *b)
{
	const struct brflow_block *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? 1 : -1;
	if (x->dso != y->dso)
		return x->dso->idx < y->dso->idx ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int by_count(const void *a, const void *b)
{
	const struct brflow_path *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr < y->nr ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

void brflow_finish(struct brflow *f)
{
	if (f->finished)
		return;
	f->finished = true;
	for (size_t i = 0; i < f->blocks.n; i++)
		f->mean_cycles += f->blocks.v[i].cycles / f->blocks.v[i].nr;
	if (f->blocks.n)
		qsort(f->blocks.v, f->blocks.n, sizeof(*f->blocks.v), by_cycles);
	if (f->counts.n)
		qsort(f->counts.v, f->counts.n, sizeof(*f->counts.v), by_count);
}

size_t brflow_nr_blocks(const struct brflow *f)
{
	return f->blocks.n;
}

const struct brflow_block *brflow_block(const struct brflow *f, size_t i)
{
	return &f->blocks.v[i];
}

uint64_t brflow_cycles(const struct brflow *f)
{
	return f->cycles;
}

uint64_t brflow_mean_cycles(const struct brflow *f)
{
	return f->mean_cycles;
}

size_t brflow_nr_paths(const struct brflow *f)
{
	return f->counts.n;
}

const struct brflow_path *brflow_path(const struct brflow *f, size_t i)
{
	return &f->counts.v[i];
}

uint64_t brflow_path_total(const struct brflow *f)
{
	return f->nr_paths;
}

void brflow_path_branch(const struct brflow *f, const struct brflow_path *p, uint32_t i,
			uint32_t *from, uint32_t *to)
{
	const uint64_t *edge =
		keys_tuple_get(&f->edges, (uint32_t)keys_tuple_get(&f->paths, p->id)[i]);

	*from = (uint32_t)edge[0];
	*to = (uint32_t)edge[1];
}
