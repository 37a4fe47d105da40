// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which jump is drawn in which lane. Short jumps get theirs first, the innermost free one, so that
 * what is near is drawn near; a jump for which all lanes are taken, or that is so long that nobody
 * follows it with the eye, is left out and drawn only when the cursor is at it.
 *
 * Invariant: between its two lines, both included, a lane belongs to one jump. A lane knows by line
 * whose it is there, so painting a line costs the number of lanes, whatever the function's length.
 */
#include <stdlib.h>

#include "tui/asm-int.h"

/* Longer than any screen: lines of it would be all that is ever seen of it. */
#define LONGEST 2000

struct jump {
	uint32_t from, low, high;
};

static int by_length(const void *va, const void *vb)
{
	const struct jump *a = va, *b = vb;
	uint32_t la = a->high - a->low, lb = b->high - b->low;

	return la != lb ? (la > lb) - (la < lb) : (a->from > b->from) - (a->from < b->from);
}

static bool is_free(const uint32_t *lane, const struct jump *j)
{
	for (uint32_t i = j->low; i <= j->high; i++)
		if (lane[i])
			return false;
	return true;
}

static bool place(struct tui_arrows *a, const struct jump *j)
{
	for (int k = 0; k < TUI_ARROW_LANES; k++) {
		if (!is_free(a->lane[k], j))
			continue;
		for (uint32_t i = j->low; i <= j->high; i++)
			a->lane[k][i] = j->from + 1;
		if (k >= a->lanes)
			a->lanes = k + 1;
		return true;
	}
	return false;
}

static int place_jumps(struct tui_arrows *a, const struct listing *l)
{
	VEC(struct jump) jumps = { 0 };
	int ret = 0;

	for (uint32_t i = 0; i < l->nr_lines && !ret; i++) {
		uint32_t to = l->line[i].target;
		struct jump j = { i, i < to ? i : to, i < to ? to : i };

		if (to >= l->nr_lines || to == i)
			continue;
		if (j.high - j.low > LONGEST)
			a->left_out++;
		else
			ret = vec_push(&jumps, j);
	}
	if (jumps.n)
		qsort(jumps.v, jumps.n, sizeof(*jumps.v), by_length);
	vec_for_each (j, &jumps)
		if (!ret && !place(a, j))
			a->left_out++;
	vec_free(&jumps);
	return ret;
}

static void bracket_loops(struct tui_arrows *a, const struct listing *l)
{
	for (uint32_t i = 0; i < l->nr_loops; i++) {
		const struct listing_loop *loop = &l->loop[i];
		uint8_t bit;

		if (!loop->depth || loop->depth > TUI_LOOP_LEVELS || loop->end >= l->nr_lines)
			continue;
		bit = (uint8_t)(1 << (loop->depth - 1));
		a->head[loop->head] |= bit;
		a->end[loop->end] |= bit;
		for (uint32_t k = loop->head; k <= loop->end; k++)
			a->inside[k] |= bit;
		if (loop->depth > a->loops)
			a->loops = loop->depth;
	}
}

int tui_arrows_make(struct tui_arrows *a, const struct listing *l)
{
	size_t n = l->nr_lines ? l->nr_lines : 1;
	bool ok = true;

	*a = (struct tui_arrows){ .nr_lines = l->nr_lines };
	for (int k = 0; k < TUI_ARROW_LANES; k++) {
		a->lane[k] = calloc(n, sizeof(*a->lane[k]));
		ok = ok && a->lane[k];
	}
	a->inside = calloc(n, 1);
	a->head = calloc(n, 1);
	a->end = calloc(n, 1);
	if (!ok || !a->inside || !a->head || !a->end || place_jumps(a, l)) {
		tui_arrows_free(a);
		return -ENOMEM;
	}
	bracket_loops(a, l);
	return 0;
}

void tui_arrows_free(struct tui_arrows *a)
{
	for (int k = 0; k < TUI_ARROW_LANES; k++)
		free(a->lane[k]);
	free(a->inside);
	free(a->head);
	free(a->end);
	*a = (struct tui_arrows){ 0 };
}
