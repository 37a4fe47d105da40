// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: what upper halves of vectors cost that code does not use. Only SSE instructions pay,
 * since they leave these halves as they are: a CPU has to merge them in, or to change its state
 * before. A sample at such an instruction, with halves in use, is time that may be of that; how much
 * of it depends on the CPU, and no register tells.
 */
#include "dirty-int.h"
#include "vector-int.h"

enum { KIND_NEW, KIND_UNKNOWN, KIND_OTHER, KIND_SSE, KIND_SSE_MERGES };

struct dirty_counts {
	uint64_t coded;	 /* samples whose vectors and instruction are known */
	uint64_t dirty;	 /* of these: registers 0-15 have something above bit 127 */
	uint64_t sse;	 /* of these: at an SSE instruction that writes a vector */
	uint64_t merges; /* of these: one that needs no old value of it but for the upper halves */
	struct dirty_costs costs; /* of all whose vectors are known */
};

struct dirty_use {
	struct acc_env env;
	VEC(uint8_t) kind; /* by location */
	struct decoders dec;
	struct dirty_walk walk;
};

static uint8_t look(struct dirty_use *u, uint32_t loc)
{
	const struct loc *l = resolver_loc(u->env.res, loc);
	struct insn_decoder *d =
		l->dso ? keys_decoder(&u->dec, u->env.res, u->env.arch, l->dso) : NULL;
	unsigned char code[16];
	struct insn_vectors v;
	uint8_t kind = KIND_OTHER;
	ssize_t n = d ? symbol_read_code(u->env.res, l->dso, l->addr, code, sizeof(code)) : -1;

	if (n <= 0 || insn_vectors(d, code, (size_t)n, l->addr, &v) <= 0)
		return KIND_UNKNOWN;
	for (unsigned i = 0; v.legacy && i < v.nr; i++)
		if (v.v[i].written)
			kind = v.v[i].read ? KIND_SSE : KIND_SSE_MERGES;
	return kind;
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	struct dirty_use *u = state;
	struct dirty_counts *c = slot;
	const struct sample *s = in->s;
	struct sample_regs tmp;
	const struct sample_regs *r = sample_simd_block(s, u->env.arch, &tmp);
	int live = r ? sample_simd_live(s, r, NULL) : -1;
	uint32_t loc;

	if (live < 0 || (r != &s->intr_regs && !simd_is_of_code(s, u->env.arch)))
		return 0;
	loc = keys_acc_loc(&u->env, in);
	if (loc == LOC_NONE || vec_reach(&u->kind, loc, KIND_NEW))
		return -ENOMEM;
	if (u->kind.v[loc] == KIND_NEW)
		u->kind.v[loc] = look(u, loc);
	if (u->kind.v[loc] == KIND_UNKNOWN)
		return 0;
	c->coded++;
	if (keys_dirty_cost_add(&c->costs, &u->walk, &u->dec, &u->env, in, loc, live > SIMD_128,
				u->kind.v[loc] >= KIND_SSE))
		return -ENOMEM;
	if (live <= SIMD_128)
		return 0;
	c->dirty++;
	c->sse += u->kind.v[loc] >= KIND_SSE;
	c->merges += u->kind.v[loc] == KIND_SSE_MERGES;
	return 0;
}

static void expect(uint32_t loc, const void *state)
{
	const struct dirty_use *u = state;

	if (loc < u->kind.n)
		__builtin_prefetch(&u->kind.v[loc]);
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	struct dirty_counts *c = slot;
	const struct dirty_counts *f = from;

	c->coded += f->coded;
	c->dirty += f->dirty;
	c->sse += f->sse;
	c->merges += f->merges;
	return keys_dirty_cost_merge(&c->costs, &f->costs, maps);
}

static void drop(void *slot)
{
	struct dirty_counts *c = slot;

	keys_dirty_cost_drop(&c->costs);
}

static int start(void **state, const struct acc_env *env)
{
	struct dirty_use *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->env = *env;
	*state = u;
	return 0;
}

static void stop(void *state)
{
	struct dirty_use *u = state;

	if (!u)
		return;
	vec_free(&u->kind);
	keys_decoders_free(&u->dec);
	keys_dirty_walk_free(&u->walk);
	free(u);
}

VECTOR_SHARE(struct dirty_counts, dirty, dirty, coded)
VECTOR_SHARE(struct dirty_counts, sse, sse, coded)
VECTOR_SHARE(struct dirty_counts, merges, merges, coded)

static uint64_t stat_cost(const struct keys_row *r, const void *slot)
{
	const struct dirty_counts *c = slot;

	(void)r;
	return keys_dirty_cost(&c->costs);
}

static uint64_t told(const void *slot)
{
	const struct dirty_counts *c = slot;

	return c->coded;
}

static bool shown(const struct keys_opts *o)
{
	return o->dirty;
}

#define COLUMN VECTOR_COLUMN(keys_acc_dirty), .min_width = 7, .unknown = "-"

/* All of them are the columns of report --dirty, in this order. */
static const struct key cols[] = {
	{ "upper_live", "Upper", COLUMN, .stat = stat_dirty },
	{ "sse_dirty", "SSE", COLUMN, .stat = stat_sse },
	{ "sse_merges", "Merges", COLUMN, .stat = stat_merges },
	{ "dirty_cycles", "Cycles", .at = KEY_STAT, .of = &keys_acc_dirty, .right = true,
	  .min_width = 7, .unknown = "-", .stat = stat_cost,
	  .need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_BRANCH_STACK |
		  PERF_SAMPLE_WEIGHT_STRUCT },
};

const struct acc keys_acc_dirty = {
	.name = "dirty",
	.size = sizeof(struct dirty_counts),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.told = told,
	.legend =
		"# Upper: samples with a bit above 127 in registers 0-15. SSE: of all, with such and at "
		"an SSE instruction\n"
		"# that writes a vector: at most these cost time for it. Merges: that would not need "
		"the old value otherwise.\n"
		"# Cycles: how many more the same SSE code took with such bits than without, each time, where the recording has\n"
		"# cycles (-b, retire latency) and saw it both ways. -: not known of any sample.\n"
		"#\n",
	.needs_sample = true,
	.start = start,
	.stop = stop,
	.add = add,
	.expect = expect,
	.merge = merge,
	.drop = drop,
};
