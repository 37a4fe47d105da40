// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: lanes of vectors that do nothing, see room simd; and sources that were the same in all
 * samples, for which a row has the locations of its samples with a hash of what the sources held
 * there. One that never changed at an instruction was computed with again and again: its result could
 * have been kept. What a row owns is thereby bounded by the instructions in it.
 */
#include "vector-int.h"

#define CONST_MIN 4   /* samples, before one dares to say that something does not change */
#define VERDICT	  900 /* permille of samples that have to agree */

struct seen {
	uint32_t loc; /* + 1; 0 = free */
	bool changed;
	uint64_t nr, hash;
};

struct idle_slot {
	struct simd_idle sum;
	struct seen *seen; /* a table of 2^bits, by hash of loc */
	uint32_t nr, bits;
};

/* ---- locations of a row ------------------------------------------------------------------------- */

static struct seen *find(const struct idle_slot *c, uint32_t loc)
{
	uint32_t last = (1U << c->bits) - 1, i = (uint32_t)hash_u64(loc) & last;

	while (c->seen[i].loc && c->seen[i].loc != loc + 1)
		i = (i + 1) & last;
	return &c->seen[i];
}

static int grow(struct idle_slot *c)
{
	struct idle_slot more = { .bits = c->seen ? c->bits + 1 : 2, .nr = c->nr };

	more.seen = calloc((size_t)1 << more.bits, sizeof(*more.seen));
	if (!more.seen)
		return -ENOMEM;
	for (uint32_t i = 0; c->seen && i < 1U << c->bits; i++)
		if (c->seen[i].loc)
			*find(&more, c->seen[i].loc - 1) = c->seen[i];
	free(c->seen);
	c->seen = more.seen;
	c->bits = more.bits;
	return 0;
}

static int put(struct idle_slot *c, const struct seen *s)
{
	struct seen *at;

	if ((!c->seen || c->nr * 4 >= 3U << c->bits) && grow(c))
		return -ENOMEM;
	at = find(c, s->loc - 1);
	if (!at->loc) {
		*at = *s;
		c->nr++;
		return 0;
	}
	at->changed |= s->changed || at->hash != s->hash;
	at->nr += s->nr;
	return 0;
}

/* ---- a slot ------------------------------------------------------------------------------------ */

static int add(void *slot, const struct acc_in *in, void *state)
{
	struct vector_use *u = state;
	struct idle_slot *c = slot;
	struct seen new = { .nr = 1 };
	struct sample_regs tmp;
	const struct sample_regs *r;
	uint32_t loc;

	/* Most places have nothing to say. */
	if (in->loc && simd_site_is_empty(u->sites, in->loc - 1))
		return 0;
	r = keys_vector_of(u, in, &tmp, &loc);
	if (!r || !simd_idle_add(&c->sum, simd_site(u->sites, loc), in->s, r, &new.hash))
		return 0;
	new.loc = loc + 1;
	return put(c, &new);
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	const struct idle_slot *f = from;
	struct idle_slot *c = slot;
	int ret = 0;

	simd_idle_merge(&c->sum, &f->sum);
	for (uint32_t i = 0; !ret && f->seen && i < 1U << f->bits; i++) {
		struct seen s = f->seen[i];

		if (!s.loc)
			continue;
		s.loc = keys_acc_map(maps ? maps->loc : NULL, s.loc - 1) + 1;
		ret = put(c, &s);
	}
	return ret;
}

static void drop(void *slot)
{
	struct idle_slot *c = slot;

	free(c->seen);
}

/* ---- columns: permille ------------------------------------------------------------------------ */

VECTOR_SHARE(struct idle_slot, off, sum.off, sum.lanes)
VECTOR_SHARE(struct idle_slot, zero, sum.zero, sum.lanes)
VECTOR_SHARE(struct idle_slot, equal, sum.equal, sum.wide)
VECTOR_SHARE(struct idle_slot, narrow, sum.narrow, sum.wide)

/* Of samples at instructions that have enough to tell. */
static uint64_t stat_const(const struct keys_row *r, const void *slot)
{
	const struct idle_slot *c = slot;
	uint64_t nr = 0, same = 0;

	(void)r;
	for (uint32_t i = 0; c->seen && i < 1U << c->bits; i++) {
		if (c->seen[i].nr < CONST_MIN)
			continue;
		nr += c->seen[i].nr;
		same += c->seen[i].changed ? 0 : c->seen[i].nr;
	}
	return vector_permille(same, nr);
}

enum { COULD_NOTHING, COULD_NARROW, COULD_SCALAR, COULD_HOIST };

/* The most that could be saved by what nearly all samples say. */
static uint64_t stat_could(const struct keys_row *r, const void *slot)
{
	const struct idle_slot *c = slot;
	uint64_t constant = stat_const(r, slot), equal = stat_equal(r, slot);
	uint64_t narrow = stat_narrow(r, slot);

	if (!c->sum.samples)
		return STAT_UNKNOWN;
	if (constant != STAT_UNKNOWN && constant >= VERDICT)
		return COULD_HOIST;
	if (equal == STAT_UNKNOWN || (equal < VERDICT && narrow < VERDICT))
		return COULD_NOTHING;
	/* One sample is nine in ten of itself. */
	if (c->sum.wide < CONST_MIN)
		return STAT_UNKNOWN;
	return equal >= VERDICT ? COULD_SCALAR : COULD_NARROW;
}

static const char *could_text(uint64_t v)
{
	static const char *const words[] = { "as it is", "narrower", "scalar", "hoisted" };

	return v < ARRAY_SIZE(words) ? words[v] : "-";
}

static uint64_t told(const void *slot)
{
	const struct idle_slot *c = slot;

	return c->sum.samples;
}

static bool shown(const struct keys_opts *o)
{
	return o->idle;
}

#define COLUMN VECTOR_COLUMN(keys_acc_idle), .min_width = 7, .unknown = "-"

/* All of them are the columns of report --idle-lanes, in this order. */
static const struct key cols[] = {
	{ "lanes_off", "LanesOff", COLUMN, .stat = stat_off },
	{ "lanes_zero", "LanesZero", COLUMN, .stat = stat_zero },
	{ "narrow", "Narrow", COLUMN, .stat = stat_narrow },
	{ "lanes_equal", "Equal", COLUMN, .stat = stat_equal },
	{ "lanes_const", "Const", COLUMN, .stat = stat_const },
	{ "lanes_could", "Could be", VECTOR_STAT(keys_acc_idle), .min_width = 8, .stat = stat_could,
	  .stat_text = could_text },
};

const struct acc keys_acc_idle = {
	.name = "idle",
	.size = sizeof(struct idle_slot),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.told = told,
	.legend =
		"# Of samples at instructions that compute with vectors alone. LanesOff: lanes that "
		"their masks leave out;\n"
		"# LanesZero: that are zero in all sources. Narrow: samples whose upper half of lanes "
		"is one or the other.\n"
		"# Equal: whose lanes are alike in each source. Const: at instructions whose sources "
		"never changed.\n"
		"# Could be: what nine in ten samples say. -: no sample tells, as sources are in memory or no vectors.\n"
		"#\n",
	.needs_sample = true,
	.start = keys_vector_start,
	.stop = keys_vector_stop,
	.add = add,
	.merge = merge,
	.drop = drop,
};
