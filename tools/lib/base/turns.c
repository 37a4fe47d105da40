// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pieces take times of all lengths: where each waits for its turn, all wait for one that takes long. So texts are left, and
 * whoever has the turn writes them. A place for one has a buffer of its own, for which the text's is exchanged: buffers
 * that have grown once go round.
 */
#include <stdlib.h>

#include "base/turns.h"

struct turns_left {
	struct obuf text;
	bool there;
};

void turns_init(struct turns *t, size_t nr)
{
	*t = (struct turns){ .end = nr };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->came, NULL);
}

void turns_write_to(struct turns *t, struct obuf *to, size_t threads)
{
	size_t want = threads * TURNS_LEFT;

	t->to = to;
	t->left = calloc(want, sizeof(*t->left));
	while (t->left && t->room < want && !obuf_init(&t->left[t->room].text, -1, 0))
		t->room++;
}

void turns_free(struct turns *t)
{
	for (size_t i = 0; i < t->room; i++)
		(void)obuf_free(&t->left[i].text);
	free(t->left);
	pthread_cond_destroy(&t->came);
	pthread_mutex_destroy(&t->lock);
}

size_t turns_take(struct turns *t)
{
	size_t i;

	pthread_mutex_lock(&t->lock);
	i = t->next < t->end ? t->next++ : TURNS_NONE;
	pthread_mutex_unlock(&t->lock);
	return i;
}

/* The text of the piece whose turn it is. With the lock, which others have meanwhile. */
static void write_turn(struct turns *t, struct obuf *text, bool last)
{
	pthread_mutex_unlock(&t->lock);
	obuf_move(t->to, text);
	pthread_mutex_lock(&t->lock);
	t->turn++;
	t->failed = t->to->code != 0;
	if (last || t->failed)
		t->end = t->turn;
	pthread_cond_broadcast(&t->came);
}

static struct turns_left *next_left(struct turns *t)
{
	struct turns_left *l = t->room ? &t->left[t->turn % t->room] : NULL;

	return l && l->there && t->turn < t->end ? l : NULL;
}

static void leave(struct turns *t, size_t i, struct obuf *text)
{
	struct turns_left *l = &t->left[i % t->room];
	struct obuf empty = l->text;

	l->text = *text;
	l->there = true;
	*text = empty;
}

bool turns_write(struct turns *t, size_t i, struct obuf *text, bool last)
{
	struct turns_left *l;
	bool failed;

	pthread_mutex_lock(&t->lock);
	while (i < t->end && i != t->turn && (last || i - t->turn >= t->room))
		pthread_cond_wait(&t->came, &t->lock);
	if (i < t->end && i != t->turn) {
		leave(t, i, text);
	} else if (i < t->end) {
		write_turn(t, text, last);
		while ((l = next_left(t))) {
			l->there = false;
			write_turn(t, &l->text, false);
		}
	}
	failed = t->failed;
	pthread_mutex_unlock(&t->lock);
	return failed;
}
