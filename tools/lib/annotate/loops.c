// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loops as far as jumps tell them: a jump to an instruction at or before itself closes one, and all
 * such jumps to the same instruction close the same loop. What lies between is inside; how many
 * loops are around an instruction is a running sum over where they begin and end. No graph is
 * built: a loop whose body the compiler put elsewhere is not seen whole, which a listing in the
 * order of addresses could not show either.
 */
#include <stdlib.h>

#include "annotate-int.h"

/* By instruction, while they are looked for. */
struct mark {
	uint32_t back; /* jumps back to here */
	uint32_t end;  /* the last of them */
	uint32_t ends; /* how many loops end here */
};

static int add_loops(struct listing_build *b, struct mark *marks)
{
	uint32_t n = (uint32_t)b->insn_line.n, depth = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct listing_loop l = { .head = b->insn_line.v[i], .back = marks[i].back };

		if (l.back) {
			marks[marks[i].end].ends++;
			l.end = b->insn_line.v[marks[i].end];
			l.depth = (uint16_t)min_u64(++depth, UINT16_MAX);
			if (vec_push(&b->loops, l))
				return -ENOMEM;
		}
		b->lines.v[l.head].depth = (uint16_t)min_u64(depth, UINT16_MAX);
		depth -= marks[i].ends;
	}
	return 0;
}

int annotate_loops(struct listing_build *b)
{
	uint32_t n = (uint32_t)b->insn_line.n;
	struct mark *marks = calloc((size_t)n + 1, sizeof(*marks));
	int ret;

	if (!marks)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		struct listing_line *line = &b->lines.v[b->insn_line.v[i]];
		uint32_t to = line->target;

		if (to == LISTING_NONE)
			continue;
		if (to <= i) {
			marks[to].back++;
			marks[to].end = i;
		}
		line->target = b->insn_line.v[to];
	}
	ret = add_loops(b, marks);
	free(marks);
	return ret;
}
