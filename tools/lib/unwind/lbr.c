// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LBR call stacks (--call-graph lbr): the CPU keeps one entry per call that has not returned.
 * Newest first, an entry's `from` is the call site in the next outer function and entry 0's `to`
 * the start of the innermost one. The kernel part of the chain comes from frame pointers.
 *
 * A stack deeper than the registers loses its oldest entries. Stitching takes them from the
 * thread's sample before: hw_idx, the number of the newest register, tells which of its entries
 * sat in the register of our oldest one; if those are equal, entry by entry towards the newer
 * side, what lies before them in the old stack is our caller part too (perf.data(5), CALL CHAINS).
 */
#include <stdlib.h>

#include "unwind-int.h"

static bool same(const struct lbr_entry *a, const struct lbr_entry *b)
{
	return a->from == b->from && a->to == b->to && a->flags == b->flags;
}

size_t lbr_stitch(const struct lbr_entry *prev, size_t prev_nr, uint64_t prev_hw_idx,
		  const struct lbr_entry *cur, size_t cur_nr, uint64_t cur_hw_idx, uint32_t depth)
{
	uint64_t base, distance;
	size_t equal = 0;

	if (!prev_nr || !cur_nr || !depth || prev_hw_idx == ~0ULL || cur_hw_idx == ~0ULL)
		return 0;
	/*
	 * The register of our oldest entry, counted on beyond the last one, and how far before
	 * prev's newest it lies. Where that is no place in prev the numbers wrap and are large.
	 */
	base = depth - cur_nr + cur_hw_idx + 1;
	distance = prev_hw_idx > base ? prev_hw_idx - base : depth + prev_hw_idx - base;
	if (distance >= prev_nr)
		return 0;
	while (equal <= distance && equal < cur_nr &&
	       same(&prev[distance - equal], &cur[cur_nr - 1 - equal]))
		equal++;
	return equal ? distance + 1 : 0;
}

/* The tail that @cur gets, collected in u->tail. */
static void stitch(struct unwind *u, const struct lbr_stack *prev, const struct lbr_entry *cur,
		   size_t nr, uint64_t hw_idx)
{
	size_t first = 0;

	u->tail.n = 0;
	if (prev->valid)
		first = lbr_stitch(prev->entries.v, prev->entries.n, prev->hw_idx, cur, nr, hw_idx,
				   u->opts.max_branches);
	if (!first)
		return;
	for (size_t i = first; i < prev->entries.n; i++)
		if (vec_push(&u->tail, prev->entries.v[i]))
			u->oom = true;
	for (size_t i = 0; i < prev->tail.n && u->tail.n < u->max_lbr; i++)
		if (vec_push(&u->tail, prev->tail.v[i]))
			u->oom = true;
}

static struct lbr_stack *stack_of(struct unwind *u, const struct thread *th)
{
	struct lbr_stack none = { 0 };

	if (vec_reach(&u->lbr, th->idx, none))
		return NULL;
	return &u->lbr.v[th->idx];
}

static int remember(struct unwind *u, struct thread *th, const struct sample *s)
{
	struct lbr_stack *st = stack_of(u, th);
	const struct sample_branches *b = &s->branches;
	VEC(struct lbr_entry) cur = { 0 };

	if (!st || vec_reserve(&cur, b->nr ? b->nr : 1)) {
		vec_free(&cur);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < b->nr; i++)
		cur.v[cur.n++] = (struct lbr_entry){
			.from = sample_branch_from(b, i),
			.to = sample_branch_to(b, i),
			.flags = load_u64(b->entries + i * 24 + 16, b->swap),
		};
	stitch(u, st, cur.v, cur.n, b->hw_idx);
	free(st->entries.v);
	st->entries.v = cur.v;
	st->entries.n = cur.n;
	st->entries.cap = cur.cap;
	st->hw_idx = b->hw_idx;
	st->valid = b->has_hw_idx && b->nr;
	st->tail.n = 0;
	vec_for_each (t, &u->tail)
		if (vec_push(&st->tail, *t))
			return -ENOMEM;
	return 0;
}

/* The kernel part up to the marker; false when there is no user part. */
static bool find_user(const struct sample *s, uint64_t *at)
{
	for (uint64_t i = 0; i < s->callchain.nr; i++) {
		if (u64s_get(&s->callchain, i) == PERF_CONTEXT_USER) {
			*at = i;
			return true;
		}
	}
	return false;
}

bool lbr_chain(struct unwind *u, struct thread *th, const struct sample *s)
{
	const struct sample_branches *b = &s->branches;
	struct sample kernel;
	uint32_t left = u->max_lbr;
	uint64_t user;
	bool exact = s->cpumode == PERF_RECORD_MISC_USER && s->present & PERF_SAMPLE_IP;

	if (!(s->present & PERF_SAMPLE_BRANCH_STACK) ||
	    !(sample_branch_filter(s) & PERF_SAMPLE_BRANCH_CALL_STACK))
		return false;
	if (!b->nr || !find_user(s, &user))
		return false;
	kernel = *s;
	kernel.callchain.nr = user;
	if (!fp_chain(u, th, &kernel)) {
		u->frames.n = 0;
		return false;
	}
	u->tail.n = 0;
	if (u->opts.stitch_lbr && remember(u, th, s))
		u->oom = true;
	/*
	 * A sample in user mode is in the innermost function, exactly there; of one in the kernel
	 * only the start of that function is known. (Upstream 7 takes the sampled address for
	 * both, and has the kernel's twice.)
	 */
	frame_add(u, th, PERF_RECORD_MISC_USER, exact ? s->ip : sample_branch_to(b, 0));
	left--;
	for (uint64_t i = 0; i < b->nr && left; i++, left--)
		frame_add(u, th, PERF_RECORD_MISC_USER, sample_branch_from(b, i));
	for (size_t i = 0; i < u->tail.n && left; i++, left--)
		frame_add(u, th, PERF_RECORD_MISC_USER, u->tail.v[i].from);
	return true;
}
