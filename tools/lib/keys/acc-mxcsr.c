// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: what MXCSR said when a row's samples were taken, where they hold it (perf.data(5), FEATURES): whether
 * SSE and AVX give results that are denormal as zero (FTZ) and take operands so (DAZ), and which exceptions had been
 * met. These flags stay set until the program clears them: they are of the thread's past, not of the row's code.
 */
#include "keys-int.h"

#define MXCSR_FLAGS 0x3f /* IE DE ZE OE UE PE */
#define MXCSR_DAZ   BIT(6)
#define MXCSR_FTZ   BIT(15)

struct mxcsr_use {
	uint64_t samples, ftz, daz;
	uint64_t flagged; /* samples whose flags are known */
	uint64_t flags;	  /* of any of these */
};

struct mxcsr_state {
	bool redact;
};

static int start(void **state, const struct acc_env *env)
{
	struct mxcsr_state *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->redact = env->redact;
	*state = m;
	return 0;
}

static void stop(void *state)
{
	free(state);
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	const struct mxcsr_state *m = state;
	struct mxcsr_use *u = slot;
	uint32_t v;
	bool flags;

	if (m->redact || !sample_mxcsr(&in->s->user_regs, &v, &flags))
		return 0;
	u->samples++;
	u->ftz += (v & MXCSR_FTZ) != 0;
	u->daz += (v & MXCSR_DAZ) != 0;
	if (!flags)
		return 0;
	u->flagged++;
	u->flags |= v & MXCSR_FLAGS;
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	const struct mxcsr_use *f = from;
	struct mxcsr_use *u = slot;

	(void)maps;
	u->samples += f->samples;
	u->ftz += f->ftz;
	u->daz += f->daz;
	u->flagged += f->flagged;
	u->flags |= f->flags;
	return 0;
}

/* ---- columns ---------------------------------------------------------------------------------- */

static uint64_t permille(uint64_t n, uint64_t of)
{
	return of ? (n * 1000 + of / 2) / of : STAT_UNKNOWN;
}

static uint64_t stat_ftz(const struct keys_row *r, const void *slot)
{
	const struct mxcsr_use *u = slot;

	(void)r;
	return permille(u->ftz, u->samples);
}

static uint64_t stat_daz(const struct keys_row *r, const void *slot)
{
	const struct mxcsr_use *u = slot;

	(void)r;
	return permille(u->daz, u->samples);
}

static uint64_t stat_flags(const struct keys_row *r, const void *slot)
{
	const struct mxcsr_use *u = slot;

	(void)r;
	return u->flagged ? u->flags : STAT_UNKNOWN;
}

/* All 64, by the bits: the lowest changes from one to the next. */
#define FLAGS1(s) s, s "I"
#define FLAGS2(s) FLAGS1(s), FLAGS1(s "D")
#define FLAGS3(s) FLAGS2(s), FLAGS2(s "Z")
#define FLAGS4(s) FLAGS3(s), FLAGS3(s "O")
#define FLAGS5(s) FLAGS4(s), FLAGS4(s "U")
#define FLAGS6(s) FLAGS5(s), FLAGS5(s "P")

static const char *flags_text(uint64_t v)
{
	static const char *const names[] = { FLAGS6("") };

	return v == STAT_UNKNOWN ? "-" : v & MXCSR_FLAGS ? names[v & MXCSR_FLAGS] : "none";
}

static uint64_t told(const void *slot)
{
	const struct mxcsr_use *c = slot;

	return c->samples;
}

static bool shown(const struct keys_opts *o)
{
	return o->mxcsr;
}

#define STAT  .at = KEY_STAT, .of = &keys_acc_mxcsr, .need = PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER
#define SHARE STAT, .permille = true, .right = true, .min_width = 8, .unknown = "-"

static const struct key cols[] = {
	{ "ftz_samples", "FTZ", SHARE, .stat = stat_ftz },
	{ "daz_samples", "DAZ", SHARE, .stat = stat_daz },
	{ "fp_flags", "Raised", STAT, .min_width = 6, .stat = stat_flags, .stat_text = flags_text },
};

const struct acc keys_acc_mxcsr = {
	.name = "mxcsr",
	.size = sizeof(struct mxcsr_use),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.told = told,
	.legend =
		"# FTZ, DAZ: samples in which MXCSR says that denormal results, operands are taken as "
		"zero. Raised: exceptions that the\n"
		"# thread had met and not cleared: Precision, Underflow, Overflow, Zero divide, "
		"Denormal, Invalid.\n"
		"#\n",
	.needs_sample = true,
	.start = start,
	.stop = stop,
	.add = add,
	.merge = merge,
};
