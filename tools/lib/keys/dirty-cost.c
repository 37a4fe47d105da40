// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What SSE instructions cost in cycles where upper halves of vectors are in use. Two sources tell cycles of code: the retire
 * latency of a sampled instruction, and the time between two branches of a branch stack. Registers are known at the sample
 * alone; but code before it ran with upper halves in the same state as long as nothing in between wrote or cleaned
 * them, which is read from the code. So blocks are followed back from the sample until something does.
 *
 * A block is compared with itself: how long it took with upper halves in use, and how long without. Where it was seen one way
 * only nothing is said, for what it takes anyway is not known.
 */
#include <stdlib.h>

#include "dirty-int.h"
#include "simd/simd.h"

#define STRETCH_MAX 4096 /* bytes that are looked at */
#define BACK_MAX    32	 /* branches */
#define TIMES_MIN   4	 /* each way, before one dares to compare */
#define BITS_FIRST  2	 /* of a row's table */
#define BITS_MAX    30
#define FRACTION    32 /* bits of cycles behind the point, in sums */

/* ---- a row ------------------------------------------------------------------------------------- */

static bool is_free(const struct dirty_cost *k)
{
	return !k->nr[0] && !k->nr[1];
}

/* Where it is, or is to be. */
static struct dirty_cost *find(const struct dirty_costs *c, uint32_t from, uint32_t to)
{
	uint32_t last = (1U << c->bits) - 1;
	uint32_t i = (uint32_t)hash_u64((uint64_t)from << 32 | to) & last;

	while (!is_free(&c->v[i]) && (c->v[i].from != from || c->v[i].to != to))
		i = (i + 1) & last;
	return &c->v[i];
}

/* A table of twice the size with all that @c has. Its v is NULL: no memory. */
static struct dirty_costs larger(const struct dirty_costs *c)
{
	struct dirty_costs more = { .bits = c->v ? c->bits + 1 : BITS_FIRST, .n = c->n };

	more.v = more.bits <= BITS_MAX ? calloc((size_t)1 << more.bits, sizeof(*more.v)) : NULL;
	for (uint32_t i = 0; more.v && c->v && i < 1U << c->bits; i++)
		if (!is_free(&c->v[i]))
			*find(&more, c->v[i].from, c->v[i].to) = c->v[i];
	return more;
}

/* To be counted at once: one that never was is free. NULL: no memory. */
static struct dirty_cost *cost_of(struct dirty_costs *c, uint32_t from, uint32_t to)
{
	struct dirty_cost *k;

	if (!c->v || c->n >= 3U << c->bits >> 2) {
		struct dirty_costs more = larger(c);

		if (!more.v)
			return NULL;
		free(c->v);
		c->v = more.v;
		c->bits = more.bits;
	}
	k = find(c, from, to);
	c->n += is_free(k);
	k->from = from;
	k->to = to;
	return k;
}

static int count(struct dirty_costs *c, uint32_t from, uint32_t to, bool dirty, uint64_t cycles)
{
	struct dirty_cost *k = cost_of(c, from, to);

	if (!k)
		return -ENOMEM;
	k->nr[dirty]++;
	k->cycles[dirty] += cycles;
	return 0;
}

int keys_dirty_cost_merge(struct dirty_costs *c, const struct dirty_costs *from,
			  const struct acc_maps *maps)
{
	const uint32_t *loc = maps ? maps->loc : NULL;

	for (uint32_t i = 0; from->v && i < 1U << from->bits; i++) {
		const struct dirty_cost *f = &from->v[i];
		struct dirty_cost *k;

		if (is_free(f))
			continue;
		k = cost_of(c, loc ? loc[f->from] : f->from, loc ? loc[f->to] : f->to);
		if (!k)
			return -ENOMEM;
		for (unsigned d = 0; d < 2; d++) {
			k->nr[d] += f->nr[d];
			k->cycles[d] += f->cycles[d];
		}
	}
	return 0;
}

/* Whole numbers, of which any order has the same sum. */
uint64_t keys_dirty_cost(const struct dirty_costs *c)
{
	__int128 more = 0;
	uint64_t nr = 0;

	for (uint32_t i = 0; c->v && i < 1U << c->bits; i++) {
		const struct dirty_cost *k = &c->v[i];

		if (k->nr[0] < TIMES_MIN || k->nr[1] < TIMES_MIN)
			continue;
		nr += k->nr[1];
		more += ((__int128)k->cycles[1] << FRACTION) -
			((__int128)k->cycles[0] << FRACTION) / k->nr[0] * k->nr[1];
	}
	if (!nr)
		return STAT_UNKNOWN;
	return more > 0 ? (uint64_t)((more / nr + ((__int128)1 << FRACTION >> 1)) >> FRACTION) : 0;
}

void keys_dirty_cost_drop(struct dirty_costs *c)
{
	free(c->v);
	*c = (struct dirty_costs){ 0 };
}

/* ---- code -------------------------------------------------------------------------------------- */

static uint8_t insn_does(struct insn_decoder *d, const unsigned char *p, size_t n, uint64_t addr,
			 const struct insn *in)
{
	struct insn_vectors v;
	uint8_t does = 0;

	if (in->zero_upper)
		return STRETCH_CHANGES;
	if (!in->vector_bits)
		return 0;
	if (insn_vectors(d, p, n, addr, &v) <= 0)
		return STRETCH_UNKNOWN;
	for (unsigned i = 0; i < v.nr; i++) {
		if (v.v[i].written && v.legacy)
			does |= STRETCH_SSE;
		else if (v.v[i].written && v.v[i].width > 128 && v.v[i].reg < 16)
			does |= STRETCH_CHANGES;
	}
	return does;
}

/* From @from up to @to; with the instruction there if @through. */
static uint8_t read_stretch(struct decoders *dec, const struct acc_env *env, const struct loc *from,
			    uint64_t to, bool through)
{
	unsigned char code[STRETCH_MAX + 16];
	struct insn_decoder *d = keys_decoder(dec, env->res, env->arch, from->dso);
	uint8_t does = 0;
	struct insn in;
	ssize_t n;

	if (!d || to < from->addr || to - from->addr > STRETCH_MAX)
		return STRETCH_UNKNOWN;
	n = symbol_read_code(env->res, from->dso, from->addr, code, to - from->addr + 16);
	for (uint64_t at = from->addr; at < to || (through && at == to); at += in.len) {
		size_t off = at - from->addr;

		if (n <= (ssize_t)off || insn_decode(d, code + off, (size_t)n - off, at, &in) <= 0)
			return STRETCH_UNKNOWN;
		does |= insn_does(d, code + off, (size_t)n - off, at, &in);
	}
	return does;
}

/* @through is part of what is remembered: the last instruction of a block, which is a branch, does nothing else. */
static int look(struct dirty_walk *w, struct decoders *dec, const struct acc_env *env,
		uint32_t from, uint32_t to, bool through, uint8_t *does)
{
	uint64_t hash = hash_mix(hash_u64((uint64_t)from << 32 | to), through);
	const struct loc *a = resolver_loc(env->res, from), *b = resolver_loc(env->res, to);
	uint32_t i;

	*does = STRETCH_UNKNOWN;
	if (!a->dso || a->dso != b->dso || a->sym != b->sym)
		return 0;
	for (struct htab_it it = htab_find(&w->tab, hash); htab_next(&w->tab, &it, &i);) {
		const struct dirty_stretch *s = &w->stretch.v[i / 2];

		if (s->from == from && s->to == to && (i & 1) == through) {
			*does = s->does;
			return 0;
		}
	}
	*does = read_stretch(dec, env, a, b->addr, through);
	if (w->stretch.n > UINT32_MAX / 4 ||
	    vec_push(&w->stretch, ((struct dirty_stretch){ from, to, *does })))
		return -ENOMEM;
	return htab_add(&w->tab, hash, (uint32_t)(w->stretch.n - 1) * 2 + through);
}

void keys_dirty_walk_free(struct dirty_walk *w)
{
	vec_free(&w->stretch);
	htab_free(&w->tab);
}

/* ---- a sample ---------------------------------------------------------------------------------- */

static int add_blocks(struct dirty_costs *c, struct dirty_walk *w, struct decoders *dec,
		      const struct acc_env *env, const struct acc_in *in, uint32_t loc, bool dirty)
{
	const struct sample_branches *b = &in->s->branches;
	const struct symbol *sym = resolver_loc(env->res, loc)->sym;
	uint32_t end = loc, start;
	uint8_t does;

	for (uint64_t i = 0; i < b->nr && i < BACK_MAX; i++) {
		struct branch_entry before = { 0 };

		start = resolver_find(env->res, in->th, in->s->cpumode, sample_branch_to(b, i));
		if (start == LOC_NONE || look(w, dec, env, start, end, i > 0, &does))
			return -ENOMEM;
		if (does & (STRETCH_CHANGES | STRETCH_UNKNOWN))
			return 0;
		/* The cycles of a block are those of the branch that it ends with. */
		if (i)
			sample_branch(b, i - 1, &before);
		if (before.cycles && does & STRETCH_SSE &&
		    resolver_loc(env->res, start)->sym == sym &&
		    count(c, start, end, dirty, before.cycles))
			return -ENOMEM;
		end = resolver_find(env->res, in->th, in->s->cpumode, sample_branch_from(b, i));
		if (end == LOC_NONE)
			return -ENOMEM;
	}
	return 0;
}

int keys_dirty_cost_add(struct dirty_costs *c, struct dirty_walk *w, struct decoders *dec,
			const struct acc_env *env, const struct acc_in *in, uint32_t loc,
			bool dirty, bool at_sse)
{
	const struct sample *s = in->s;

	if (at_sse && s->present & PERF_SAMPLE_WEIGHT_STRUCT && s->weight_var3 &&
	    count(c, loc, loc, dirty, s->weight_var3))
		return -ENOMEM;
	/* A stack is followed only where one branch at least has cycles. */
	for (uint64_t i = 0; i < s->branches.nr && i < BACK_MAX; i++) {
		struct branch_entry e;

		sample_branch(&s->branches, i, &e);
		if (e.cycles)
			return add_blocks(c, w, dec, env, in, loc, dirty);
	}
	return 0;
}
