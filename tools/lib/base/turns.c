// SPDX-License-Identifier: GPL-2.0-or-later
/* Who has something to hand in waits for his turn; so no more lies in memory than one piece a thread. */
#include "base/turns.h"

void turns_init(struct turns *t, size_t nr)
{
	*t = (struct turns){ .end = nr };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->came, NULL);
}

void turns_free(struct turns *t)
{
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

int turns_hand_in(struct turns *t, size_t i, int (*fn)(void *ctx), void *ctx)
{
	bool wanted;
	int ret = 0;

	pthread_mutex_lock(&t->lock);
	while (t->turn != i && i < t->end)
		pthread_cond_wait(&t->came, &t->lock);
	wanted = i < t->end;
	pthread_mutex_unlock(&t->lock);
	if (!wanted)
		return 0;
	ret = fn(ctx);
	pthread_mutex_lock(&t->lock);
	if (ret)
		t->end = i + 1;
	t->turn = i + 1;
	pthread_cond_broadcast(&t->came);
	pthread_mutex_unlock(&t->lock);
	return ret;
}
