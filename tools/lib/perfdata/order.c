// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records in the order of their time.
 *
 * A recorder empties one ring after the other, so a file is made of runs: stretches in which
 * time ascends. A first walk over a round (up to FINISHED_ROUND) notes only where each run
 * starts and ends; then the runs are merged, each out of what the walk left in memory or, when
 * a round is too long for that, read through a small window of its own. At
 * the end of a round everything up to the newest time of the round before is delivered: what
 * comes later cannot be older than that.
 *
 * Records without a time, or with time 0, are handed out where they stand, during the first
 * walk. Records that cannot be read twice (pipes, zstd) go to a spool first. Many short runs (a
 * file in no order at all) are merged in batches into longer ones, also in the spool.
 */
#include <stdlib.h>

#include "base/lack.h"
#include "frames-int.h"
#include "order-int.h"

#define MERGE_FAN      1024
#define RUN_WINDOW_MIN (16u << 10)
#define RUN_AHEAD      1024 /* bytes of a run that are fetched from memory before their turn */
#define SPOOL_PREFIX   16   /* a spooled record follows its two offsets */

/* ---- heap ---------------------------------------------------------------------------------------- */

static inline bool run_before(const struct order_run *a, const struct order_run *b)
{
	return a->rec.time != b->rec.time ? a->rec.time < b->rec.time : a->seq < b->seq;
}

static void heap_down(struct heap *h, size_t i)
{
	struct order_run **v = h->runs.v, *r = v[i];

	for (;;) {
		size_t c = 2 * i + 1;

		if (c >= h->runs.n)
			break;
		if (c + 1 < h->runs.n && run_before(v[c + 1], v[c]))
			c++;
		if (!run_before(v[c], r))
			break;
		v[i] = v[c];
		i = c;
	}
	v[i] = r;
}

static int heap_push(struct heap *h, struct order_run *r)
{
	size_t i = h->runs.n;

	if (vec_push(&h->runs, r))
		return -ENOMEM;
	for (; i && run_before(r, h->runs.v[(i - 1) / 2]); i = (i - 1) / 2)
		h->runs.v[i] = h->runs.v[(i - 1) / 2];
	h->runs.v[i] = r;
	return 0;
}

static void heap_pop(struct heap *h)
{
	h->runs.v[0] = h->runs.v[--h->runs.n];
	if (h->runs.n)
		heap_down(h, 0);
}

/* ---- reading a run --------------------------------------------------------------------------------- */

void order_run_free(struct order *o, struct order_run *r)
{
	if (!r)
		return;
	if (o->open == r)
		o->open = NULL;
	free(r->own);
	free(r);
}

static int run_grow(struct order_run *r, size_t cap, struct err *e)
{
	unsigned char *p = realloc(r->own, cap);

	if (!p)
		return err_set(e, -ENOMEM, "out of memory for sorting records");
	r->own = p;
	r->cap = cap;
	return 0;
}

/* At least @need bytes at r->pos, into the run's window. */
static int run_fill(struct order *o, struct order_run *r, size_t need, struct err *e)
{
	uint64_t left = r->end - r->pos;
	size_t n;
	ssize_t got;
	int ret;

	if (left < need)
		return err_set(e, -EBADMSG, "a record changed while it was read");
	r->base = r->pos;
	r->buf = r->st ? window_kept(&r->st->win, r->pos, need, &r->len) : NULL;
	if (r->buf)
		return 0;
	r->len = 0;
	need = (size_t)max_u64(need, min_u64(r->want, left));
	if (need > r->cap) {
		ret = run_grow(r, need, e);
		if (ret)
			return ret;
	}
	r->buf = r->own;
	n = (size_t)min_u64(r->cap, left);
	if (!r->st) {
		ret = spool_read(&o->spool, r->pos, r->own, n, e);
		if (ret)
			return ret;
	} else {
		got = window_pread(r->st->win.fd, r->own, n, r->pos);
		if (got < 0)
			lack_note((int)got, "cannot read", "the recording");
		if (got != (ssize_t)n)
			return err_set(e, got < 0 ? (int)got : -EIO,
				       "cannot read again at offset %#lx: %s", r->pos,
				       got < 0 ? strerror((int)-got) : "the file changed");
	}
	r->len = n;
	return 0;
}

static inline const unsigned char *run_at(struct order *o, struct order_run *r, size_t need,
					  struct err *e)
{
	size_t at = (size_t)(r->pos - r->base);

	if (unlikely(r->pos - r->base > r->len || r->len - at < need)) {
		if (run_fill(o, r, need, e))
			return NULL;
		at = 0;
	}
	return r->buf + at;
}

/* Of the packed record with which the one at hand was complete: the first one that ends there or later. */
static uint64_t packed_at(struct order_run *r, uint64_t end)
{
	while (r->packed->end < end)
		r->packed++;
	return r->packed->at;
}

/* The next record with a time: 1, 0 = the run is over, -errno. */
static int run_next(struct perfdata *pd, struct order_run *r, struct err *e)
{
	struct order *o = pd->order;
	size_t prefix = r->st ? 0 : SPOOL_PREFIX;

	while (r->pos < r->end) {
		const unsigned char *p = run_at(o, r, prefix + 8, e);
		struct raw_record raw;
		uint64_t offset, file_offset;
		uint32_t size, type;

		if (!p)
			return e->code;
		/* Of several runs each is read in steps, which no CPU takes for a stretch of memory. */
		__builtin_prefetch(p + RUN_AHEAD);
		record_header(&raw, p + prefix, pd->swap);
		p = run_at(o, r, prefix + raw.size, e);
		if (!p)
			return e->code;
		if (raw.size < 8)
			return err_set(e, -EBADMSG, "a record changed while it was read");
		offset = prefix ? load_u64(p, false) : r->pos;
		file_offset = prefix ? load_u64(p + 8, false) : r->pos;
		if (r->packed)
			file_offset = packed_at(r, r->pos + raw.size);
		raw.offset = offset;
		raw.file_offset = file_offset;
		raw.data = p + prefix;
		/* Hidden from the compiler, which would read both with one load, before they are written. */
		size = raw.size;
		type = raw.type;
		__asm__("" : "+r"(size), "+r"(type));
		r->pos += prefix + raw.size;
		/* What is packed has none behind it. */
		if (unlikely(raw.type != PERF_RECORD_SAMPLE) && r->st && !r->packed)
			r->pos += record_payload(&raw, pd->swap);
		perfdata_resolve(pd, &raw, &r->rec);
		if (r->rec.time == RECORD_NO_TIME || !r->rec.time)
			continue;
		r->rec.data = p + prefix;
		r->rec.size = size;
		r->rec.type = type;
		r->rec.misc = raw.misc;
		r->rec.swap = pd->swap;
		r->rec.offset = offset;
		r->rec.file_offset = file_offset;
		if (unlikely(r->map))
			gaps_note(r, p, type, size);
		return 1;
	}
	return 0;
}

static int run_first(struct perfdata *pd, struct order_run *r, struct err *e)
{
	int ret;

	do {
		ret = run_next(pd, r, e);
	} while (ret > 0 && r->rec.time <= pd->order->after);
	return ret;
}

int order_heap_fill(struct perfdata *pd, struct heap *h, struct order_run **runs, size_t n,
		    struct err *e)
{
	size_t all = n + h->runs.n, cap;
	int ret = 0;

	cap = min_u64(WINDOW_SIZE, max_u64(RUN_WINDOW_MIN, pd->opts.max_mem / 4 / (all ? all : 1)));
	for (size_t i = 0; i < n; i++) {
		struct order_run *r = runs[i];

		r->want = cap;
		if (!ret)
			ret = run_first(pd, r, e);
		if (ret > 0)
			ret = heap_push(h, r) ? err_set(e, -ENOMEM, "out of memory for sorting")
					      : 0;
		else
			order_run_free(pd->order, r);
	}
	return ret;
}

/* ---- batches of short runs ---------------------------------------------------------------------------- */

static int spool_record(struct order *o, const struct record *rec, struct err *e)
{
	const uint64_t offsets[2] = { rec->offset, rec->file_offset };
	int ret = spool_append(&o->spool, offsets, SPOOL_PREFIX, e);

	return ret ? ret : spool_append(&o->spool, rec->data, rec->size, e);
}

struct order_run *order_run_new(struct order *o, struct stream *st, uint64_t pos)
{
	struct order_run *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->st = st;
	r->pos = r->end = pos;
	r->seq = o->seq++;
	return r;
}

/* Merges @runs into one run in the spool, which takes the place of the first. */
static int merge_batch(struct perfdata *pd, struct order_run **runs, size_t n,
		       struct order_run **out, struct err *e)
{
	struct order *o = pd->order;
	struct heap h = { 0 };
	struct order_run *to = order_run_new(o, NULL, o->spool.end);
	unsigned level = runs[0]->level + 1;
	int ret;

	*out = to;
	if (!to)
		return err_set(e, -ENOMEM, "out of memory for sorting records");
	to->level = level;
	to->seq = runs[0]->seq;
	ret = order_heap_fill(pd, &h, runs, n, e);
	while (!ret && h.runs.n) {
		struct order_run *r = h.runs.v[0];

		to->last_time = r->rec.time;
		ret = spool_record(o, &r->rec, e);
		if (ret)
			break;
		ret = run_next(pd, r, e);
		if (ret > 0) {
			heap_down(&h, 0);
			ret = 0;
		} else if (ret == 0) {
			heap_pop(&h);
			order_run_free(o, r);
		}
	}
	to->end = o->spool.end;
	for (size_t i = 0; i < h.runs.n; i++)
		order_run_free(o, h.runs.v[i]);
	vec_free(&h.runs);
	return ret;
}

/* When the last MERGE_FAN pending runs have the same level, they become one of the next. */
static int merge_short_runs(struct perfdata *pd, struct err *e)
{
	struct order *o = pd->order;
	int ret = 0;

	while (!ret && o->pending.n >= MERGE_FAN &&
	       o->pending.v[o->pending.n - MERGE_FAN]->level ==
		       o->pending.v[o->pending.n - 1]->level) {
		struct order_run *to;

		o->open = NULL;
		o->pending.n -= MERGE_FAN;
		ret = merge_batch(pd, o->pending.v + o->pending.n, MERGE_FAN, &to, e);
		if (to)
			o->pending.v[o->pending.n++] = to;
	}
	return ret;
}

/* ---- the first walk ------------------------------------------------------------------------------------- */

/* Notes a record with a time: it prolongs the open run or starts a new one. */
static int note(struct perfdata *pd, const struct record *rec, bool unzipped, struct err *e)
{
	struct order *o = pd->order;
	struct stream *st = &pd->streams[pd->cur];
	struct order_run *r = o->open;
	int ret;

	if (unzipped || !st->win.seekable)
		st = NULL;
	o->max_time = max_u64(o->max_time, rec->time);
	if (!r || rec->time < r->last_time || r->st != st || (!st && r->end != o->spool.end)) {
		ret = merge_short_runs(pd, e);
		if (ret)
			return ret;
		r = order_run_new(o, st, st ? rec->offset : o->spool.end);
		if (!r || vec_push(&o->pending, r)) {
			free(r);
			return err_set(e, -ENOMEM, "out of memory for sorting records");
		}
		o->open = r;
	}
	r->last_time = rec->time;
	if (!st) {
		ret = spool_record(o, rec, e);
		r->end = o->spool.end;
		return ret;
	}
	r->end = rec->offset + rec->size;
	return 0;
}

static int start_merge(struct perfdata *pd, uint64_t limit, struct err *e)
{
	struct order *o = pd->order;
	size_t n = o->pending.n;

	o->merging = true;
	o->limit = limit;
	o->pending.n = 0;
	return order_heap_fill(pd, &o->heap, o->pending.v, n, e);
}

static void end_merge(struct order *o)
{
	uint64_t low = UINT64_MAX, low_kept = UINT64_MAX;

	o->merging = false;
	while (o->parts && o->heap.runs.n) /* what comes later is of another piece */
		order_run_free(o, o->heap.runs.v[--o->heap.runs.n]);
	for (size_t i = 0; i < o->heap.runs.n; i++) {
		const struct order_run *r = o->heap.runs.v[i];

		if (r->st)
			low_kept = min_u64(low_kept, r->rec.offset);
		else
			low = min_u64(low, r->base);
	}
	window_kept_release(&o->kept, low_kept);
	if (o->spool.end)
		spool_release(&o->spool, low);
}

/* Walks on. 1 = *rec stands for itself, 0 = a merge begins, -errno. */
static int walk(struct perfdata *pd, struct record *rec, struct err *e)
{
	struct order *o = pd->order;
	bool unzipped;
	int ret;

	for (;;) {
		ret = perfdata_next_in_file(pd, rec, &unzipped, e);
		if (ret <= 0) {
			o->at_end = true;
			o->code = ret;
			if (ret < 0 && e)
				o->err = *e;
			return start_merge(pd, UINT64_MAX, e);
		}
		if (rec->type == PERF_RECORD_FINISHED_ROUND && pd->nr_streams == 1) {
			uint64_t limit = o->round_max;

			o->round_max = o->max_time;
			ret = start_merge(pd, limit, e);
			return ret ? ret : 1;
		}
		if (rec->time == RECORD_NO_TIME || !rec->time)
			return 1;
		ret = note(pd, rec, unzipped, e);
		if (ret)
			return ret;
	}
}

/* ---- the merge -------------------------------------------------------------------------------------------- */

/* Moves the run on whose record was handed out last: only now may that record go. */
static int advance(struct perfdata *pd, struct err *e)
{
	struct order *o = pd->order;
	struct order_run *r = o->head;
	int ret;

	o->head = NULL;
	if (!r)
		return 0;
	ret = run_next(pd, r, e);
	if (likely(ret > 0)) {
		heap_down(&o->heap, 0);
		return 0;
	}
	heap_pop(&o->heap);
	order_run_free(o, r);
	return ret;
}

/*
 * Of one that was just filled in: each member is loaded as it was stored, for a wider load would have to wait until all
 * stores before it are done.
 */
static inline void copy_fresh(struct record *to, const struct record *from)
{
	const unsigned char *data = from->data;
	uint32_t size = from->size, type = from->type;
	uint64_t offset = from->offset, file_offset = from->file_offset, time = from->time;

	__asm__(""
		: "+r"(data), "+r"(size), "+r"(type), "+r"(offset), "+r"(file_offset), "+r"(time));
	to->data = data;
	to->size = size;
	to->type = type;
	to->misc = from->misc;
	to->swap = from->swap;
	to->offset = offset;
	to->file_offset = file_offset;
	to->time = time;
	to->event = from->event;
	to->gap = from->gap;
}

static bool merge_next(struct perfdata *pd, struct record *rec)
{
	struct order *o = pd->order;
	struct order_run *r;

	if (!o->heap.runs.n || o->heap.runs.v[0]->rec.time > o->limit)
		return false;
	r = o->heap.runs.v[0];
	o->head = r;
	copy_fresh(rec, &r->rec);
	if (unlikely(rec->time < o->last_time))
		pd->stats.unordered++;
	else
		o->last_time = rec->time;
	return true;
}

static int order_fail(struct perfdata *pd, int ret, struct err *e)
{
	struct order *o = pd->order;

	pd->failed = true;
	o->at_end = true;
	o->code = 0;
	o->merging = false;
	o->head = NULL;
	while (o->heap.runs.n)
		order_run_free(o, o->heap.runs.v[--o->heap.runs.n]);
	err_context(e, "%s", pd->path);
	return ret;
}

static int order_init(struct perfdata *pd, struct err *e)
{
	pd->order = calloc(1, sizeof(*pd->order));
	if (!pd->order)
		return err_set(e, -ENOMEM, "out of memory for sorting records");
	spool_init(&pd->order->spool, pd->opts.max_mem);
	pd->order->kept.max = pd->opts.max_mem / 4 / WINDOW_SIZE;
	if (pd->nr_streams == 1 && pd->streams[0].win.seekable)
		pd->streams[0].win.kept = &pd->order->kept;
	return 0;
}

/* Nothing is read a second time any more; whoever reads other recordings has the memory. */
static void forget_kept(struct perfdata *pd)
{
	pd->streams[0].win.kept = NULL;
	pd->streams[0].win.keep = false;
	window_kept_free(&pd->order->kept);
}

int perfdata_next_ordered(struct perfdata *pd, struct record *rec, struct err *e)
{
	struct order *o;
	struct err own;
	int ret;

	if (pd->opts.no_order)
		return perfdata_next(pd, rec, e);
	if (!e)
		e = &own;
	if (unlikely(!pd->order)) {
		ret = order_init(pd, e);
		if (ret)
			return ret;
	}
	o = pd->order;
	for (;;) {
		if (o->merging) {
			ret = advance(pd, e);
			if (unlikely(ret))
				return order_fail(pd, ret, e);
			if (likely(merge_next(pd, rec)))
				return 1;
			end_merge(o);
		}
		if (unlikely(o->at_end))
			break;
		ret = o->parts ? pieces_walk(pd, rec, e) : walk(pd, rec, e);
		if (ret > 0)
			return 1;
		if (unlikely(ret < 0))
			return order_fail(pd, ret, e);
	}
	/* What ended the walk is said once everything before it was handed out. */
	ret = o->code;
	o->code = 0;
	if (ret)
		*e = o->err;
	forget_kept(pd);
	return ret;
}

const unsigned char *perfdata_behind(const struct perfdata *pd, size_t *nr)
{
	const struct order_run *r = pd->order ? pd->order->head : NULL;
	size_t at = r ? (size_t)(r->pos - r->base) : 0;

	if (!r || at >= r->len || !r->st || r->map)
		return NULL;
	*nr = r->len - at;
	return r->buf + at;
}

void perfdata_order_free(struct perfdata *pd)
{
	struct order *o = pd->order;

	if (!o)
		return;
	for (size_t i = 0; i < o->heap.runs.n; i++)
		order_run_free(o, o->heap.runs.v[i]);
	for (size_t i = 0; i < o->pending.n; i++)
		order_run_free(o, o->pending.v[i]);
	vec_free(&o->heap.runs);
	vec_free(&o->pending);
	spool_free(&o->spool);
	pieces_free(o->parts);
	forget_kept(pd);
	free(o);
	pd->order = NULL;
}
