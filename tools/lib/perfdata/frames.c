// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recording that is packed, by frames. Whoever unpacks a zstd stream has to begin with a frame: what comes
 * later refers to what came out before. Frames begin where a record's payload begins with their magic number;
 * whether one truly does is known once the one before it was unpacked and ended there. What does not end so, is
 * damaged or is too large to be kept makes the recording one that is read as a whole, so that what is
 * told of damage is the same as ever.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/lack.h"
#include "config.h"
#include "frames-int.h"

#if HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

#define RECORDS_MAX (1u << 20)
#define WINDOW_LOG  23 /* of a frame that is at most FRAME_MAX, with room */
#define THREADS_MAX 64

/* What unpacking takes; the pool has as many as there were threads at it at once. */
struct unpacker {
	ZSTD_DStream *ds;
	unsigned char in[RECORD_MAX + 1];
};

struct slot {
	struct frame_bytes u; /* first */
	size_t frame;
	unsigned held;
	bool loading;
	int code; /* of unpacking */
	struct err err;
	uint64_t used; /* when, for the one to be reused */
	size_t room;   /* of @ends */
};

struct frames {
	VEC(struct zip_record) records;
	VEC(struct zip_frame) v; /* and one more */
	size_t *first;		 /* frame, by stream; and one more */
	size_t nr_streams;
	unsigned threads;
	bool gave_up;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t changed;
	VEC(struct slot *) slots;
	VEC(struct unpacker *) spare;
	uint64_t clock;
	/* Of the walk: where it is, and the next frame that nobody has taken ahead of it. */
	size_t walk, next;
	bool stop;
	pthread_t thread[THREADS_MAX];
	unsigned nr_started;
	struct perfdata *pd;
};

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "out of memory to unpack a recording");
}

static int refuse(struct err *e)
{
	return err_set(e, -ENOTSUP, "this recording is read as a whole");
}

/* ---- where they are -------------------------------------------------------------------------- */

static bool has_magic(const unsigned char *p, size_t n)
{
	return n >= 4 && load_u32(p, false) == ZSTD_MAGICNUMBER;
}

static int add_record(struct frames *f, const struct raw_record *r, bool swap, bool *first,
		      struct err *e)
{
	struct zip_record z = { .at = r->offset,
				.end = UINT64_MAX, /* until the walk came by */
				.skip = r->type == PERF_RECORD_COMPRESSED2 ? 16 : 8 };

	z.size = r->size - (uint32_t)min_u64(z.skip, r->size);
	if (z.skip == 16) {
		if (r->size < 16 || load_u64(r->data + 8, swap) > z.size)
			return refuse(e);
		z.size = (uint32_t)load_u64(r->data + 8, swap);
	}
	if (f->records.n >= RECORDS_MAX)
		return refuse(e);
	if (*first || has_magic(r->data + z.skip, z.size)) {
		struct zip_frame fr = { .base = UINT64_MAX, .record = f->records.n };

		if (vec_push(&f->v, fr))
			return no_memory(e);
		*first = false;
	} else if (z.at - f->records.v[f->v.v[f->v.n - 1].record].at > FRAME_MAX) {
		return refuse(e); /* a frame that takes so much packed is no smaller unpacked */
	}
	return vec_push(&f->records, z) ? no_memory(e) : 0;
}

/* What ends the stream early is met by the walk as well, which says so. */
static int scan(struct frames *f, struct perfdata *pd, struct stream *s, struct err *e)
{
	const struct log_sink none = { 0 }, *log = s->log;
	uint64_t end = s->end;
	struct raw_record r;
	struct err own;
	bool first = true;
	int ret = 0;

	s->log = &none;
	s->as_it_is = true;
	while (!ret && stream_next(s, pd->swap, &r, &own) > 0)
		if (r.type == PERF_RECORD_COMPRESSED || r.type == PERF_RECORD_COMPRESSED2)
			ret = add_record(f, &r, pd->swap, &first, e);
	s->as_it_is = false;
	s->log = log;
	s->end = end;
	s->pos = s->start;
	return ret;
}

int frames_new(struct frames **out, struct perfdata *pd, unsigned threads, struct err *e)
{
	struct frames *f = calloc(1, sizeof(*f));
	struct zip_frame behind = { 0 };
	int ret;

	*out = f;
	if (!f)
		return no_memory(e);
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	f->threads = (unsigned)max_u64(1, min_u64(threads, THREADS_MAX));
	f->nr_streams = pd->nr_streams;
	f->first = calloc(pd->nr_streams + 1, sizeof(*f->first));
	ret = f->first ? 0 : no_memory(e);
	for (size_t i = 0; !ret && i < pd->nr_streams; i++) {
		f->first[i] = f->v.n;
		ret = scan(f, pd, &pd->streams[i], e);
		f->first[i + 1] = f->v.n;
	}
	behind.record = f->records.n;
	return ret ?: vec_push(&f->v, behind) ? no_memory(e) : 0;
}

static void slot_free(struct slot *s)
{
	free(s->u.buf);
	free(s->u.ends);
	free(s);
}

void frames_free(struct frames *f)
{
	if (!f)
		return;
	vec_for_each (s, &f->slots)
		slot_free(*s);
	vec_for_each (u, &f->spare) {
		ZSTD_freeDStream((*u)->ds);
		free(*u);
	}
	vec_free(&f->slots);
	vec_free(&f->spare);
	vec_free(&f->records);
	vec_free(&f->v);
	free(f->first);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	free(f);
}

size_t frames_of_stream(const struct frames *f, size_t stream, size_t *from, size_t *to)
{
	*from = f->v.v[f->first[stream]].record;
	*to = f->v.v[f->first[stream + 1]].record;
	return f->first[stream];
}

struct zip_record *frames_record(struct frames *f, size_t record)
{
	return &f->records.v[record];
}

struct zip_frame *frames_frame(struct frames *f, size_t frame)
{
	return &f->v.v[frame];
}

void frames_give_up(struct frames *f)
{
	f->gave_up = true;
}

bool frames_gave_up(const struct frames *f)
{
	return f->gave_up;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

static size_t stream_of(const struct frames *f, size_t frame)
{
	size_t lo = 0, n = f->nr_streams;

	/* The last one that begins with this frame or before it, and is not empty. */
	while (n > 1) {
		size_t half = n / 2;

		if (f->first[lo + half] <= frame)
			lo += half;
		n -= half;
	}
	return lo;
}

static struct unpacker *take_unpacker(struct frames *f)
{
	struct unpacker *u = NULL;

	pthread_mutex_lock(&f->lock);
	if (f->spare.n)
		u = f->spare.v[--f->spare.n];
	pthread_mutex_unlock(&f->lock);
	if (u)
		return u;
	u = malloc(sizeof(*u));
	if (!u)
		return NULL;
	u->ds = ZSTD_createDStream();
	if (u->ds && !ZSTD_isError(ZSTD_DCtx_setParameter(u->ds, ZSTD_d_windowLogMax, WINDOW_LOG)))
		return u;
	ZSTD_freeDStream(u->ds);
	free(u);
	return NULL;
}

static void give_unpacker(struct frames *f, struct unpacker *u)
{
	int ret;

	pthread_mutex_lock(&f->lock);
	ret = vec_push(&f->spare, u);
	pthread_mutex_unlock(&f->lock);
	if (!ret)
		return;
	ZSTD_freeDStream(u->ds);
	free(u);
}

/* All that comes out of @n bytes at u->in. *left: of a frame that has not ended. */
static int unpack_some(struct unpacker *u, size_t n, ZSTD_outBuffer *out, size_t *left,
		       struct err *e)
{
	ZSTD_inBuffer in = { u->in, n, 0 };
	size_t before;

	do {
		before = out->pos;
		*left = ZSTD_decompressStream(u->ds, out, &in);
		if (ZSTD_isError(*left) && ZSTD_getErrorCode(*left) == ZSTD_error_memory_allocation)
			return no_memory(e);
		/* With no room left nobody knows whether more would come. */
		if (ZSTD_isError(*left) || out->pos == out->size)
			return refuse(e);
	} while (in.pos < in.size || (*left && out->pos > before));
	return 0;
}

static int unpack_records(struct frames *f, struct perfdata *pd, struct slot *s, struct unpacker *u,
			  struct err *e)
{
	const struct zip_frame *fr = &f->v.v[s->frame];
	size_t stream = stream_of(f, s->frame), left = 0;
	bool last = s->frame + 1 == f->first[stream + 1];
	ZSTD_outBuffer out = { s->u.buf, FRAME_MAX, 0 };
	int ret = 0;

	ZSTD_DCtx_reset(u->ds, ZSTD_reset_session_only);
	for (size_t i = fr->record; !ret && i < fr[1].record; i++) {
		const struct zip_record *r = &f->records.v[i];
		ssize_t got =
			window_pread(pd->streams[stream].win.fd, u->in, r->size, r->at + r->skip);

		if (got != (ssize_t)r->size)
			return err_set(e, got < 0 ? (int)got : -EIO,
				       "cannot read again at offset %#lx: %s", r->at,
				       got < 0 ? strerror((int)-got) : "the file changed");
		if (r->size)
			ret = unpack_some(u, r->size, &out, &left, e);
		s->u.ends[i - fr->record] = (uint32_t)out.pos;
	}
	s->u.len = (uint32_t)out.pos;
	/* What a recorder that was killed left behind ends nowhere. */
	return !ret && left && !last ? refuse(e) : ret;
}

static int unpack(struct frames *f, struct perfdata *pd, struct slot *s, struct err *e)
{
	const struct zip_frame *fr = &f->v.v[s->frame];
	size_t n = fr[1].record - fr->record;
	struct unpacker *u;
	int ret;

	if (!s->u.buf)
		s->u.buf = malloc(FRAME_MAX);
	if (s->room < n) {
		free(s->u.ends);
		s->u.ends = malloc(n * sizeof(*s->u.ends));
		s->room = s->u.ends ? n : 0;
	}
	if (!s->u.buf || !s->u.ends)
		return no_memory(e);
	u = take_unpacker(f);
	if (!u)
		return no_memory(e);
	ret = unpack_records(f, pd, s, u, e);
	give_unpacker(f, u);
	return ret;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* Each thread may want two at once; what nobody holds and was not wanted for longest goes. */
static struct slot *slot_for(struct frames *f)
{
	struct slot *s = NULL;

	if (f->slots.n >= 2 * (size_t)f->threads + 2)
		vec_for_each (p, &f->slots)
			if (!(*p)->held && (!s || (*p)->used < s->used))
				s = *p;
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (s && vec_push(&f->slots, s)) {
		free(s);
		return NULL;
	}
	return s;
}

static struct slot *slot_of(struct frames *f, size_t frame)
{
	vec_for_each (s, &f->slots)
		if ((*s)->frame == frame && (*s)->used)
			return *s;
	return NULL;
}

int frames_get(struct frames *f, struct perfdata *pd, size_t i, const struct frame_bytes **u,
	       struct err *e)
{
	struct slot *s;
	bool mine;
	int ret;

	pthread_mutex_lock(&f->lock);
	s = slot_of(f, i);
	mine = !s;
	s = s ?: slot_for(f);
	if (!s) {
		pthread_mutex_unlock(&f->lock);
		return no_memory(e);
	}
	s->held++;
	s->used = ++f->clock;
	if (mine) {
		s->frame = i;
		s->loading = true;
		pthread_mutex_unlock(&f->lock);
		ret = unpack(f, pd, s, &s->err);
		pthread_mutex_lock(&f->lock);
		s->code = ret;
		s->loading = false;
		pthread_cond_broadcast(&f->changed);
	}
	while (s->loading)
		pthread_cond_wait(&f->changed, &f->lock);
	ret = s->code;
	if (ret) {
		*e = s->err;
		s->held--;
		s->used = s->held ? s->used : 0; /* who asks next tries again */
	}
	pthread_mutex_unlock(&f->lock);
	*u = &s->u;
	return ret;
}

void frames_put(struct frames *f, const struct frame_bytes *u)
{
	struct slot *s = (struct slot *)u;

	pthread_mutex_lock(&f->lock);
	s->held--;
	pthread_mutex_unlock(&f->lock);
}

static size_t frame_at(const struct frames *f, size_t stream, uint64_t off)
{
	size_t lo = f->first[stream], n = f->first[stream + 1] - lo;

	while (n > 1) {
		size_t half = n / 2;

		if (f->v.v[lo + half].base <= off)
			lo += half;
		n -= half;
	}
	return lo;
}

int frames_read(struct frames *f, struct perfdata *pd, size_t stream, uint64_t off, void *buf,
		size_t n, struct err *e)
{
	unsigned char *to = buf;
	int ret = 0;

	for (size_t i = frame_at(f, stream, off); !ret && n; i++) {
		const struct zip_frame *fr = &f->v.v[i];
		const struct frame_bytes *u;
		size_t at, part;

		ret = i < f->first[stream + 1] ? frames_get(f, pd, i, &u, e) : -EIO;
		if (ret)
			break;
		at = (size_t)(off - fr->base);
		part = at < u->len ? (size_t)min_u64(n, u->len - at) : 0;
		memcpy(to, u->buf + at, part);
		to += part;
		off += part;
		n -= part;
		/* An empty one in between gives nothing. */
		ret = u->len == fr->bytes ? 0 : -EIO;
		frames_put(f, u);
	}
	if (ret == -EIO || ret == -ENOTSUP)
		return err_set(e, -EIO,
			       "cannot read again at offset %#lx of what is packed: the file "
			       "changed",
			       off);
	return ret;
}

const struct zip_record *frames_find(const struct frames *f, size_t stream, uint64_t end)
{
	size_t lo, to, n;

	frames_of_stream(f, stream, &lo, &to);
	/* The first with as much behind it; of what is there. */
	for (n = to - lo - 1; n;) {
		size_t half = n / 2;

		if (f->records.v[lo + half].end < end) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return &f->records.v[lo];
}

/* ---- ahead of the walk ----------------------------------------------------------------------- */

/* The next frame for one of the threads; false when there is none any more. */
static bool take_next(struct frames *f, size_t *i)
{
	bool more;

	pthread_mutex_lock(&f->lock);
	while (!f->stop && f->next + 1 < f->v.n && f->next > f->walk + f->threads)
		pthread_cond_wait(&f->changed, &f->lock);
	more = !f->stop && f->next + 1 < f->v.n;
	*i = f->next++;
	pthread_mutex_unlock(&f->lock);
	return more;
}

/* What fails is asked for again by the walk. */
static void *unpack_ahead(void *arg)
{
	struct frames *f = arg;
	const struct frame_bytes *u;
	struct err e;
	size_t i;

	while (take_next(f, &i))
		if (!frames_get(f, f->pd, i, &u, &e))
			frames_put(f, u);
	return NULL;
}

/* The walk unpacks what no thread was there for. */
void frames_start(struct frames *f, struct perfdata *pd)
{
	f->pd = pd;
	while (f->nr_started + 1 < f->threads && f->nr_started + 2 < f->v.n &&
	       !pthread_create(&f->thread[f->nr_started], NULL, unpack_ahead, f))
		f->nr_started++;
}

void frames_walk_at(struct frames *f, size_t frame)
{
	pthread_mutex_lock(&f->lock);
	f->walk = frame;
	f->next = (size_t)max_u64(f->next, frame + 1);
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

void frames_stop(struct frames *f)
{
	pthread_mutex_lock(&f->lock);
	f->stop = true;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
	while (f->nr_started)
		pthread_join(f->thread[--f->nr_started], NULL);
}

#else

int frames_new(struct frames **f, struct perfdata *pd, unsigned threads, struct err *e)
{
	(void)pd, (void)threads;
	*f = NULL;
	return err_set(e, -ENOTSUP, "no zstd in this build");
}

void frames_free(struct frames *f)
{
	(void)f;
}

void frames_start(struct frames *f, struct perfdata *pd)
{
	(void)f, (void)pd;
}

void frames_stop(struct frames *f)
{
	(void)f;
}

bool frames_gave_up(const struct frames *f)
{
	return f;
}

int frames_read(struct frames *f, struct perfdata *pd, size_t stream, uint64_t off, void *buf,
		size_t n, struct err *e)
{
	(void)f, (void)pd, (void)stream, (void)off, (void)buf, (void)n;
	return err_set(e, -ENOTSUP, "no zstd in this build");
}

const struct zip_record *frames_find(const struct frames *f, size_t stream, uint64_t end)
{
	(void)f, (void)stream, (void)end;
	return NULL;
}

#endif
