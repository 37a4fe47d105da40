/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns: pieces of work that threads take as they come, and whose results are handed in one after the
 * other. Memory, errors and threads: see base.h; all functions but the first and the last by any thread.
 *
 *	while ((i = turns_take(&t)) != TURNS_NONE) {
 *		... piece i ...
 *		turns_hand_in(&t, i, write_it, &mine);
 *	}
 */
#ifndef PERF_BASE_TURNS_H
#define PERF_BASE_TURNS_H

#include <pthread.h>

#include "base/base.h"

#define TURNS_NONE SIZE_MAX

struct turns {
	pthread_mutex_t lock;
	pthread_cond_t came;
	size_t next, turn; /* to be taken, to be handed in */
	size_t end;	   /* behind the last one that is wanted */
};

void turns_init(struct turns *t, size_t nr);
void turns_free(struct turns *t);
/* The next piece that nobody has; TURNS_NONE = no more are wanted. */
size_t turns_take(struct turns *t);
/*
 * Waits until all before @i were handed in, and calls @fn: it returns 0, or else no piece behind this one is
 * wanted. What it returned; 0 where this piece is not wanted either. Every piece that was taken has
 * to be handed in.
 */
int turns_hand_in(struct turns *t, size_t i, int (*fn)(void *ctx), void *ctx);

#endif
