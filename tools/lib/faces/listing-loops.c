// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loops as brackets beside a listing: a column for each loop that is around a line, the outermost
 * left as long as loops nest. Compilers also make loops that overlap, so a column is given to a loop
 * where it begins, the first that is free, and free again behind its end; what finds none free is
 * not drawn. Lines are asked for in order, once, so that nothing is searched.
 */
#include "faces/listing-int.h"

#define LOOP_BEGIN  "\xe2\x94\x8c" /* U+250C */
#define LOOP_INSIDE "\xe2\x94\x82" /* U+2502 */
#define LOOP_END    "\xe2\x94\x94" /* U+2514 */
#define LOOP_ONE    "["		   /* an instruction that jumps to itself */

void faces_loops_start(struct faces_loops *s)
{
	*s = (struct faces_loops){ 0 };
	for (unsigned k = 0; k < FACES_LOOPS_MAX; k++)
		s->end[k] = LISTING_NONE;
}

static void begin_loop(struct faces_loops *s, const struct listing_loop *loop)
{
	for (unsigned k = 0; k < FACES_LOOPS_MAX; k++) {
		if (s->end[k] != LISTING_NONE)
			continue;
		s->end[k] = loop->end;
		s->head[k] = loop->head;
		s->width = k + 1 > s->width ? k + 1 : s->width;
		return;
	}
}

/* Loops that end before @line are over, those that begin there are open. */
static void move_to(struct faces_loops *s, const struct listing *l, uint32_t line)
{
	for (unsigned k = 0; k < FACES_LOOPS_MAX; k++)
		if (s->end[k] != LISTING_NONE && s->end[k] < line)
			s->end[k] = LISTING_NONE;
	while (s->next < l->nr_loops && l->loop[s->next].head <= line)
		begin_loop(s, &l->loop[s->next++]);
}

unsigned faces_loops_width(const struct listing *l)
{
	struct faces_loops s;

	faces_loops_start(&s);
	for (uint32_t i = 0; i < l->nr_loops; i++)
		move_to(&s, l, l->loop[i].head);
	return s.width;
}

void faces_loops_marks(struct faces_loops *s, const struct listing *l, uint32_t line,
		       const char *marks[FACES_LOOPS_MAX])
{
	move_to(s, l, line);
	for (unsigned k = 0; k < FACES_LOOPS_MAX; k++) {
		if (s->end[k] == LISTING_NONE)
			marks[k] = NULL;
		else if (s->head[k] == line)
			marks[k] = s->end[k] == line ? LOOP_ONE : LOOP_BEGIN;
		else
			marks[k] = s->end[k] == line ? LOOP_END : LOOP_INSIDE;
	}
}
