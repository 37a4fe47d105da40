// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts by function and slice of time. Slices are powers of two of nanoseconds, and two of them become one whenever there are
 * too many: so it does not matter in which order pieces of a recording come together. A slice lies where its
 * number says, so that more time at either end moves nothing.
 */
#include "brstat-int.h"

#define FIRST_SHIFT 16 /* slices of 65 us */

void brstat_slices_init(struct slices *s)
{
	*s = (struct slices){ .first = UINT64_MAX, .shift = FIRST_SHIFT };
}

void brstat_slices_free(struct slices *s)
{
	vec_free(&s->index);
	vec_free(&s->blocks);
}

/* NULL: nothing was counted in its block. */
static uint64_t *slice_at(const struct slices *s, uint32_t function, uint64_t slice)
{
	unsigned i = slice % SLICES_MAX;
	uint32_t block = function < s->index.n ? s->index.v[function].block[i / SLICE_BLOCK] : 0;

	return block ? &s->blocks.v[block - 1].nr[i % SLICE_BLOCK] : NULL;
}

int brstat_slices_add(struct slices *s, uint32_t function, uint64_t slice, uint64_t nr)
{
	static const struct slice_index nothing = { { 0 } };
	static const struct slice_block none = { { 0 } };
	uint64_t *to = slice_at(s, function, slice);

	if (!to) {
		/* Where there is room there is memory: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
		if (vec_reach(&s->index, function, nothing) || vec_push(&s->blocks, none))
			return -ENOMEM;
		s->index.v[function].block[slice % SLICES_MAX / SLICE_BLOCK] =
			(uint32_t)s->blocks.n;
		to = slice_at(s, function, slice);
	}
	*to += nr;
	return 0;
}

uint64_t brstat_slices_get(const struct slices *s, uint32_t function, unsigned i)
{
	const uint64_t *nr = slice_at(s, function, (s->first >> s->shift) + i);

	return nr ? *nr : 0;
}

unsigned brstat_slices_wanted(const struct slices *s, uint64_t first, uint64_t last)
{
	unsigned shift = s->shift;

	first = min_u64(first, s->first);
	last = max_u64(last, s->last);
	while (first < last && (last >> shift) - (first >> shift) >= SLICES_MAX)
		shift++;
	return shift;
}

int brstat_slices_merge(struct slices *s, const struct slices *from, const uint32_t *function)
{
	uint64_t first = from->first >> from->shift;
	int ret = 0;

	for (uint32_t f = 0; f < from->index.n; f++) {
		for (unsigned i = 0; !ret && i < SLICES_MAX; i++) {
			uint64_t nr = brstat_slices_get(from, f, i);

			if (nr)
				ret = brstat_slices_add(s, function ? function[f] : f,
							(first + i) >> (s->shift - from->shift),
							nr);
		}
	}
	return ret;
}

int brstat_slices_widen(struct slices *s, unsigned shift, uint64_t first, uint64_t last)
{
	struct slices old = *s;
	int ret = 0;

	s->first = min_u64(first, s->first);
	s->last = max_u64(last, s->last);
	if (shift == s->shift)
		return 0;
	*s = (struct slices){ .first = s->first, .last = s->last, .shift = shift };
	ret = brstat_slices_merge(s, &old, NULL);
	brstat_slices_free(&old);
	return ret;
}
