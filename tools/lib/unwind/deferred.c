// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples that wait for the user part of their chain, which the kernel writes when the thread is
 * back in user space. A waiting sample is a copy of its record, since the reader's memory goes on;
 * they are delivered with the chain's record, or without a user part at the end. What would be too
 * many is not deferred but delivered at once.
 */
#include <stdlib.h>

#include "unwind-int.h"

#define WAITING_MAX 4096 /* threads that never come back must not fill the memory */

static bool cookie_of(const struct sample *s, uint64_t *cookie)
{
	uint64_t nr = s->callchain.nr;

	if (nr < 2 || u64s_get(&s->callchain, nr - 2) != PERF_CONTEXT_USER_DEFERRED)
		return false;
	*cookie = u64s_get(&s->callchain, nr - 1);
	return true;
}

bool unwind_defer(struct unwind *u, const struct record *rec, const struct sample *s)
{
	struct waiting w = { .rec = *rec, .tid = s->tid };

	if (u->completing || u->waiting.n >= WAITING_MAX || !cookie_of(s, &w.cookie))
		return false;
	w.data = malloc(rec->size);
	if (!w.data)
		return false;
	memcpy(w.data, rec->data, rec->size);
	w.rec.data = w.data;
	if (!vec_push(&u->waiting, w))
		return true;
	free(w.data);
	return false;
}

/* Body: u64 cookie, u64 nr, nr addresses. */
static int read_chain(const struct record *rec, uint64_t *cookie, struct u64s *ips, struct err *e)
{
	struct cursor c = cursor_init(rec->data, rec->size, rec->swap);

	cursor_skip(&c, 8);
	*cookie = cursor_u64(&c);
	ips->nr = cursor_u64(&c);
	ips->p = c.p;
	ips->swap = rec->swap;
	if (c.bad || ips->nr > cursor_left(&c) / 8)
		return err_set(e, -EINVAL, RECORD_FMT ": %llu addresses do not fit into %u bytes",
			       RECORD_ARG(rec->offset, rec->type), (unsigned long long)ips->nr,
			       rec->size);
	return 0;
}

int unwind_complete(struct unwind *u, const struct record *chain,
		    int (*fn)(void *ctx, const struct record *rec, struct err *e), void *ctx,
		    struct err *e)
{
	struct record_id id = { 0 };
	uint64_t cookie = 0;
	size_t kept = 0;
	int ret = 0;

	u->deferred = (struct u64s){ 0 };
	if (chain) {
		ret = read_chain(chain, &cookie, &u->deferred, e);
		if (ret)
			return ret;
		record_sample_id(chain, &id);
	}
	u->completing = true;
	for (size_t i = 0; i < u->waiting.n; i++) {
		struct waiting w = u->waiting.v[i];
		bool its = !chain || (w.cookie == cookie &&
				      (!(id.present & PERF_SAMPLE_TID) || w.tid == id.tid));

		if (!its || ret) {
			u->waiting.v[kept++] = w;
			continue;
		}
		ret = fn(ctx, &w.rec, e);
		free(w.data);
	}
	u->waiting.n = kept;
	u->completing = false;
	u->deferred = (struct u64s){ 0 };
	return ret;
}

void deferred_free(struct unwind *u)
{
	vec_for_each (w, &u->waiting)
		free(w->data);
	vec_free(&u->waiting);
}
