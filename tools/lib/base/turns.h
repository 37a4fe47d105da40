/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turns: pieces of work that threads take as they come, and whose text is written in their order. Memory, errors
 * and threads: see base.h; turns_take() and turns_write() by any thread.
 *
 *	while ((i = turns_take(&t)) != TURNS_NONE) {
 *		... piece i, to mine.out ...
 *		turns_write(&t, i, &mine.out, false);
 *	}
 */
#ifndef PERF_BASE_TURNS_H
#define PERF_BASE_TURNS_H

#include <pthread.h>

#include "base/base.h"
#include "base/obuf.h"

#define TURNS_NONE SIZE_MAX

struct turns_left;

struct turns {
	pthread_mutex_t lock;
	pthread_cond_t came;
	size_t next, turn; /* to be taken, to be written */
	size_t end;	   /* behind the last one that is wanted */
	struct obuf *to;   /* its, whose turn it is */
	bool failed;	   /* writing, so far */
	/* Texts of pieces whose turn has not come, by their number modulo @room. */
	struct turns_left *left;
	size_t room;
};

void turns_init(struct turns *t, size_t nr);
/*
 * Where @threads threads write: those that are ahead of their turn leave their text and go on, as long as they are
 * less than TURNS_LEFT pieces a thread ahead: so many lie in memory, beside those at hand. Without memory for that they wait.
 */
#define TURNS_LEFT 2
void turns_write_to(struct turns *t, struct obuf *to, size_t threads);
void turns_free(struct turns *t);
/* The next piece that nobody has; TURNS_NONE = no more are wanted. */
size_t turns_take(struct turns *t);
/*
 * Piece @i is done, its text is all that @text has, which only collects (fd -1), and is empty then if the piece is wanted. Writes it if all
 * before it were, with those behind it that were left; or else leaves it. @last: no piece behind it is wanted; then it
 * waits for its turn, and is written. Every piece that was taken has to come here. Whether writing failed so far.
 */
bool turns_write(struct turns *t, size_t i, struct obuf *text, bool last);

#endif
