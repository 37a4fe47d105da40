// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples that wait for the user part of their chain. With attr.defer_callchain the kernel walks the
 * user stack when the thread returns to user space and writes it in a record of its own,
 * CALLCHAIN_DEFERRED. The chain of a sample ends in a marker and a cookie then; the record has the
 * same cookie, and one record may complete several samples of its thread.
 *
 * A sample is kept as the bytes of its record. Once its record came, or the recording ended, it is
 * handed on with a chain as if it had been written at once, so that no consumer can get it wrong.
 */
#include <stdlib.h>

#include "session-int.h"

#define WAITING_MAX 4096 /* threads that never come back must not fill the memory */

static bool cookie_of(const struct sample *s, uint64_t *cookie)
{
	uint64_t nr = s->callchain.nr;

	if (nr < 2 || u64s_get(&s->callchain, nr - 2) != PERF_CONTEXT_USER_DEFERRED)
		return false;
	*cookie = u64s_get(&s->callchain, nr - 1);
	return true;
}

bool session_deferred_keep(struct deferred *d, const struct record *rec, const struct sample *s)
{
	struct waiting w = { .rec = *rec, .tid = s->tid };

	if (d->v.n >= WAITING_MAX || !cookie_of(s, &w.cookie))
		return false;
	w.data = malloc(rec->size);
	if (!w.data)
		return false;
	if (rec->gap)
		perfdata_fill(rec->gap);
	memcpy(w.data, rec->data, rec->size);
	w.rec.data = w.data;
	w.rec.gap = NULL;
	if (!vec_push(&d->v, w))
		return true;
	free(w.data);
	return false;
}

/* Body: u64 cookie, u64 nr, nr addresses. */
int session_deferred_read(const struct record *rec, struct deferred_chain *chain, struct err *e)
{
	struct cursor c = cursor_init(rec->data, rec->size, rec->swap);
	struct u64s *ips = &chain->user;

	cursor_skip(&c, 8);
	chain->cookie = cursor_u64(&c);
	ips->nr = cursor_u64(&c);
	ips->p = c.p;
	ips->swap = rec->swap;
	if (c.bad || ips->nr > cursor_left(&c) / 8)
		return err_set(e, -EINVAL, RECORD_FMT ": %llu addresses do not fit into %u bytes",
			       RECORD_ARG(rec->offset, rec->type), (unsigned long long)ips->nr,
			       rec->size);
	chain->id = (struct record_id){ 0 };
	record_sample_id(rec, &chain->id);
	return 0;
}

static bool waits_for(const struct waiting *w, const struct deferred_chain *chain)
{
	if (!chain)
		return true;
	return w->cookie == chain->cookie &&
	       (!(chain->id.present & PERF_SAMPLE_TID) || w->tid == chain->id.tid);
}

int session_deferred_complete(struct session *s, const struct deferred_chain *chain,
			      session_deferred_fn *fn, struct err *e)
{
	static const struct u64s none = { 0 };
	struct deferred *d = &s->deferred;
	size_t kept = 0;
	int ret = 0;

	/* Most records complete none or one of those that wait, which may be thousands. */
	while (kept < d->v.n && !waits_for(&d->v.v[kept], chain))
		kept++;
	for (size_t i = kept; i < d->v.n; i++) {
		struct waiting w = d->v.v[i];

		if (ret || !waits_for(&w, chain)) {
			d->v.v[kept++] = w;
			continue;
		}
		ret = fn(s, &w.rec, chain ? &chain->user : &none, e);
		free(w.data);
	}
	d->v.n = kept;
	return ret;
}

int session_deferred_join(struct deferred *d, struct sample *s, const struct u64s *user)
{
	uint64_t n = s->callchain.nr, cookie;

	if (!cookie_of(s, &cookie))
		return 0;
	n -= 2;
	d->chain.n = 0;
	if (vec_reserve(&d->chain, n + 1 + user->nr))
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++)
		d->chain.v[d->chain.n++] = u64s_get(&s->callchain, i);
	if (user->nr)
		d->chain.v[d->chain.n++] = PERF_CONTEXT_USER;
	/* It may have the marker itself. */
	for (uint64_t i = 0; i < user->nr; i++)
		if (u64s_get(user, i) < PERF_CONTEXT_MAX)
			d->chain.v[d->chain.n++] = u64s_get(user, i);
	s->callchain = (struct u64s){ (const unsigned char *)d->chain.v, d->chain.n, false };
	return 0;
}

void session_deferred_free(struct deferred *d)
{
	vec_for_each (w, &d->v)
		free(w->data);
	vec_free(&d->v);
	vec_free(&d->chain);
}
