// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulator: call chains against the shadow stack, on which the CPU itself keeps the return address of each call: so far as its
 * pointer is from where it begins, so many calls have not returned. The kernel makes shadow stacks of whole pages and
 * begins at their end. So a chain with as many return addresses as there are makes, with the pointer, the end
 * of a page; one that lacks some is as much below. Of 512 in a page, what is nearest is believed.
 *
 * Nothing of a thread is remembered: samples can be counted in any order, and in pieces.
 */
#include "vector-int.h"

#define SSP_REG	   40
#define PAGE_SLOTS 512 /* of 8 bytes */
#define DEEPEST	   127 /* the kernel records no more, unless told to */

struct shadow_counts {
	uint64_t known;	 /* samples with pointer and chain */
	uint64_t frames; /* of these: that the shadow stack has */
	/* samples whose chain is as long as chains are recorded: not among the known */
	uint64_t cut;
	/* of the known: chains that lack frames; that have some which the shadow stack has not */
	uint64_t missed, more;
	uint64_t lacking; /* frames */
};

struct shadow_use {
	struct acc_env env;
};

static bool pointer_of(const struct sample *s, uint64_t *ssp)
{
	if (s->user_regs.simd && sample_reg(&s->user_regs, SSP_REG, ssp))
		return *ssp != 0;
	return s->cpumode == PERF_RECORD_MISC_USER && s->intr_regs.simd &&
	       sample_reg(&s->intr_regs, SSP_REG, ssp) && *ssp;
}

/* Its chain in user space is an LBR call stack: user frames that the kernel recorded are not used. */
static bool has_lbr(const struct sample *s)
{
	const struct perf_event_attr *a = s->event ? &s->event->attr : NULL;

	return a && !(a->sample_type & PERF_SAMPLE_STACK_USER) && s->branches.nr &&
	       sample_branch_filter(s) & PERF_SAMPLE_BRANCH_CALL_STACK;
}

/*
 * A chain that was made of LBR call stacks: whether all registers were in use, so that there may have been more. How many a
 * CPU has is 8, 16 or 32. One that was stitched together (--stitch-lbr) is longer.
 */
static bool fills_lbr(const struct acc_in *in)
{
	uint64_t nr = in->s->branches.nr;

	return has_lbr(in->s) && (nr == 8 || nr == 16 || nr == 32) && in->frames <= nr + 1;
}

/* Frames in user space; @whole: not as many as are recorded at most. 0: no chain. */
static uint64_t frames_of(const struct acc_in *in, bool *whole)
{
	const struct u64s *c = &in->s->callchain;
	const struct perf_event_attr *a = in->s->event ? &in->s->event->attr : NULL;
	uint64_t most = a && a->sample_max_stack ? a->sample_max_stack : DEEPEST, all = 0, n = 0;
	bool user = false;

	*whole = !fills_lbr(in);
	if (in->frames)
		return in->frames;
	for (uint64_t i = 0; i < c->nr; i++) {
		uint64_t ip = u64s_get(c, i);

		if (ip >= PERF_CONTEXT_MAX) {
			user = ip == PERF_CONTEXT_USER;
			continue;
		}
		all++;
		n += user;
	}
	/* As it is unwound: each call that has not returned, and where the sample was taken. */
	if (user && has_lbr(in->s))
		return in->s->branches.nr + 1;
	*whole = all < most;
	return n;
}

static int add(void *slot, const struct acc_in *in, void *state)
{
	const struct shadow_use *u = state;
	struct shadow_counts *c = slot;
	uint64_t ssp, frames, lacks;
	bool whole;

	if (u->env.arch != REGS_ARCH_X86 || !pointer_of(in->s, &ssp) || ssp % 8)
		return 0;
	frames = frames_of(in, &whole);
	if (!frames)
		return 0;
	if (!whole) {
		c->cut++;
		return 0;
	}
	lacks = -(ssp / 8 + frames - 1) % PAGE_SLOTS;
	c->known++;
	if (lacks < PAGE_SLOTS / 2) {
		c->missed += lacks > 0;
		c->lacking += lacks;
		c->frames += frames + lacks;
	} else {
		c->more++;
		c->frames += frames - min_u64(PAGE_SLOTS - lacks, frames);
	}
	return 0;
}

static int merge(void *slot, const void *from, const struct acc_maps *maps)
{
	const struct shadow_counts *f = from;
	struct shadow_counts *c = slot;

	(void)maps;
	c->known += f->known;
	c->frames += f->frames;
	c->cut += f->cut;
	c->missed += f->missed;
	c->more += f->more;
	c->lacking += f->lacking;
	return 0;
}

static int start(void **state, const struct acc_env *env)
{
	struct shadow_use *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->env = *env;
	*state = u;
	return 0;
}

static void stop(void *state)
{
	free(state);
}

VECTOR_SHARE(struct shadow_counts, missed, missed, known)
VECTOR_SHARE(struct shadow_counts, more, more, known)
VECTOR_SHARE(struct shadow_counts, cut, cut, known + c->cut)

/* Rounded. */
static uint64_t stat_depth(const struct keys_row *r, const void *slot)
{
	const struct shadow_counts *c = slot;

	(void)r;
	return c->known ? (c->frames + c->known / 2) / c->known : STAT_UNKNOWN;
}

static uint64_t stat_lacking(const struct keys_row *r, const void *slot)
{
	const struct shadow_counts *c = slot;

	(void)r;
	return c->known ? c->lacking : STAT_UNKNOWN;
}

static uint64_t told(const void *slot)
{
	const struct shadow_counts *c = slot;

	return c->known;
}

static bool shown(const struct keys_opts *o)
{
	return o->shadow;
}

#define STAT                                                                            \
	.at = KEY_STAT, .of = &keys_acc_shadow,                                         \
	.need = PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_CALLCHAIN | \
		PERF_SAMPLE_BRANCH_STACK
#define COLUMN STAT, .permille = true, .right = true, .min_width = 7, .unknown = "-"
#define NUMBER STAT, .right = true, .min_width = 7, .unknown = "-"

/* All of them are the columns of report --shadow-stack, in this order. */
static const struct key cols[] = {
	{ "shadow_depth", "Depth", NUMBER, .stat = stat_depth },
	{ "chain_missed", "Missed", COLUMN, .stat = stat_missed },
	{ "frames_missed", "Frames", NUMBER, .stat = stat_lacking },
	{ "chain_more", "More", COLUMN, .stat = stat_more },
	{ "chain_cut", "Cut", COLUMN, .stat = stat_cut },
};

const struct acc keys_acc_shadow = {
	.name = "shadow",
	.size = sizeof(struct shadow_counts),
	.cols = cols,
	.nr_cols = ARRAY_SIZE(cols),
	.shown = shown,
	.told = told,
	.legend =
		"# Call chains against the shadow stack. Depth: frames that it has, on average. Missed: samples whose chain\n"
		"# lacks some of them; Frames: how many, of all samples together. More: samples whose chain has frames that\n"
		"# the shadow stack does not have. Cut: chains as long as chains are recorded, which do not count elsewhere.\n"
		"#\n",
	.needs_sample = true,
	.start = start,
	.stop = stop,
	.add = add,
	.merge = merge,
};
