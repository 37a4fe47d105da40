// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * COMPRESSED and COMPRESSED2 records: their payloads are one zstd stream, its output is records
 * again, and a record cut at the end of one chunk goes on in the next. What a chunk holds is
 * taken out piece by piece, so that no chunk, however well packed, needs more than one buffer.
 *
 * Where several threads read (frames.c), others unpack, and what came out of a payload is taken from them. All
 * that is unusual there ends this walk, and the recording is read here as if there were one thread.
 */
#include <stdlib.h>

#include "base/lack.h"
#include "config.h"
#include "frames-int.h"

#if HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

#define UNZIP_BUF (512u << 10)

/*
 * A few kilobytes can stand for gigabytes that never end on disk. Samples hold times and
 * registers: recorders pack them to a fifth, hardly ever to a fiftieth.
 */
#define UNZIP_FREE  (64ull << 20) /* whatever it was packed to */
#define UNZIP_RATIO 256

struct unzip {
	ZSTD_DStream *ds;
	ZSTD_inBuffer in;
	bool more; /* zstd still holds output */
	bool no_limits;
	/* Others unpack: the payload at hand, behind the last of the stream, its frame, what was taken of that. */
	struct frames *frames; /* NULL: nobody does */
	struct perfdata *pd;
	size_t record, records, frame;
	const struct frame_bytes *from;
	size_t taken;
	uint64_t fed;  /* bytes, packed */
	uint64_t base; /* of data[0] in the decompressed stream */
	size_t pos, len;
	const unsigned char *data; /* @buf, or what others unpacked */
	unsigned char buf[UNZIP_BUF];
};

struct unzip *unzip_new(bool no_limits, struct err *e)
{
	struct unzip *z = malloc(sizeof(*z));

	if (z) {
		z->frames = NULL;
		z->no_limits = no_limits;
		z->ds = ZSTD_createDStream();
		unzip_reset(z);
	}
	if (!z || !z->ds) {
		free(z);
		err_set(e, -ENOMEM, "out of memory for decompression");
		return NULL;
	}
	return z;
}

void unzip_free(struct unzip *z)
{
	if (z) {
		ZSTD_freeDStream(z->ds);
		if (z->frames && z->from)
			frames_put(z->frames, z->from);
	}
	free(z);
}

void unzip_by_frames(struct unzip *z, struct frames *f, struct perfdata *pd, size_t stream)
{
	z->frames = f;
	z->pd = pd;
	z->frame = frames_of_stream(f, stream, &z->record, &z->records);
	z->from = NULL;
}

void unzip_reset(struct unzip *z)
{
	if (z->ds)
		ZSTD_initDStream(z->ds);
	z->in = (ZSTD_inBuffer){ NULL, 0, 0 };
	z->data = z->buf;
	z->more = false;
	z->base = z->pos = z->len = 0;
	z->fed = 0;
}

void unzip_feed(struct unzip *z, const void *data, size_t size)
{
	z->in = (ZSTD_inBuffer){ data, size, 0 };
	z->fed += size;
	z->more = z->frames != NULL;
}

static int too_much(const struct unzip *z, struct err *e)
{
	err_set(e, -EFBIG,
		"%llu bytes of records unpack to more than %llu MB: no recorder packs so well",
		(unsigned long long)z->fed, (unsigned long long)((z->base + z->len) >> 20));
	err_hint(e,
		 "What came before is used. --no-limits reads on, into memory and temporary files "
		 "as large as it takes.");
	return -EFBIG;
}

size_t unzip_left(const struct unzip *z)
{
	return z->len - z->pos;
}

static int unzip_give_up(struct unzip *z, struct err *e)
{
	frames_give_up(z->frames);
	return err_set(e, -ENOTSUP, "this recording is read as a whole");
}

/* What is left goes to the buffer's start. */
static void unzip_keep(struct unzip *z)
{
	memmove(z->buf, z->data + z->pos, z->len - z->pos);
	z->data = z->buf;
	z->base += z->pos;
	z->len -= z->pos;
	z->pos = 0;
}

/* The frame of the payload at hand, which begins behind all that came out until now. */
static int unzip_frame(struct unzip *z, struct err *e)
{
	struct frames *f = z->frames;
	int ret;

	unzip_keep(z);
	if (z->from) {
		frames_put(f, z->from);
		z->from = NULL;
		z->frame++;
	}
	frames_walk_at(f, z->frame);
	frames_frame(f, z->frame)->base = z->base + z->len;
	z->taken = 0;
	ret = frames_get(f, z->pd, z->frame, &z->from, e);
	if (ret) {
		z->from = NULL;
		return ret;
	}
	frames_frame(f, z->frame)->bytes = z->from->len;
	return 0;
}

/* As unzip_fill(), of what others unpacked: only a record that two frames share is copied. */
static int unzip_take(struct unzip *z, struct err *e)
{
	struct frames *f = z->frames;
	size_t end, n, left;

	if (!z->from || z->record >= frames_frame(f, z->frame + 1)->record) {
		int ret = z->record >= z->records ? -ENOTSUP : unzip_frame(z, e);

		if (ret)
			return unzip_give_up(z, e);
	}
	end = z->from->ends[z->record - frames_frame(f, z->frame)->record];
	left = z->len - z->pos;
	n = end - z->taken;
	if (left <= z->taken) {
		z->data = z->from->buf + z->taken - left;
		z->base += z->pos;
		z->len = left;
		z->pos = 0;
	} else {
		unzip_keep(z);
		n = (size_t)min_u64(UNZIP_BUF - z->len, n);
		memcpy(z->buf + z->len, z->from->buf + z->taken, n);
	}
	z->len += n;
	z->taken += n;
	if (z->taken < end)
		return 1;
	frames_record(f, z->record++)->end = z->base + z->len;
	z->more = false;
	return n > 0;
}

/* More output behind what is left. 1 = some came, 0 = needs input. */
static int unzip_fill(struct unzip *z, struct err *e)
{
	ZSTD_outBuffer out = { z->buf, UNZIP_BUF, 0 };
	size_t ret;

	if (!z->more && (z->frames || z->in.pos == z->in.size))
		return 0;
	if (unlikely(z->base + z->len > max_u64(UNZIP_FREE, UNZIP_RATIO * z->fed)) && !z->no_limits)
		return z->frames ? unzip_give_up(z, e) : too_much(z, e);
	if (z->frames)
		return unzip_take(z, e);
	unzip_keep(z);
	out.pos = z->len;
	ret = ZSTD_decompressStream(z->ds, &out, &z->in);
	if (ZSTD_isError(ret) && ZSTD_getErrorCode(ret) == ZSTD_error_memory_allocation) {
		lack_memory();
		return err_set(e, -ENOMEM, "out of memory to decompress records");
	}
	if (ZSTD_isError(ret))
		return err_set(e, -EBADMSG, "cannot decompress: %s", ZSTD_getErrorName(ret));
	z->more = out.pos == out.size;
	if (out.pos == z->len && z->in.pos == z->in.size)
		z->more = false;
	z->len = out.pos;
	return 1;
}

const unsigned char *unzip_peek(const struct unzip *z, size_t *left, uint64_t *offset)
{
	*left = z->len - z->pos;
	*offset = z->base + z->pos;
	return z->data + z->pos;
}

void unzip_skip(struct unzip *z, size_t n)
{
	z->pos += n;
}

int unzip_next(struct unzip *z, bool swap, struct raw_record *r, struct err *e)
{
	for (;;) {
		const unsigned char *p = z->data + z->pos;
		size_t left = z->len - z->pos;
		int ret;

		if (left >= 8) {
			r->data = p;
			r->offset = z->base + z->pos;
			r->type = load_u32(p, swap);
			r->misc = load_u16(p + 4, swap);
			r->size = load_u16(p + 6, swap);
			r->unzipped = true;
			if (r->size < 8)
				return -EBADMSG; /* the caller says which record */
			if (left >= r->size) {
				z->pos += r->size;
				return 1;
			}
		}
		ret = unzip_fill(z, e);
		if (ret <= 0)
			return ret;
	}
}

#else

struct unzip *unzip_new(bool no_limits, struct err *e)
{
	(void)no_limits;
	err_set(e, -ENOTSUP, "the records are compressed with zstd, which this build leaves out");
	err_hint(e, "install libzstd-dev and build again");
	return NULL;
}

void unzip_free(struct unzip *z)
{
	(void)z;
}

void unzip_reset(struct unzip *z)
{
	(void)z;
}

void unzip_feed(struct unzip *z, const void *data, size_t size)
{
	(void)z, (void)data, (void)size;
}

size_t unzip_left(const struct unzip *z)
{
	(void)z;
	return 0;
}

const unsigned char *unzip_peek(const struct unzip *z, size_t *left, uint64_t *offset)
{
	(void)z;
	*left = *offset = 0;
	return NULL;
}

void unzip_skip(struct unzip *z, size_t n)
{
	(void)z, (void)n;
}

void unzip_by_frames(struct unzip *z, struct frames *f, struct perfdata *pd, size_t stream)
{
	(void)z, (void)f, (void)pd, (void)stream;
}

int unzip_next(struct unzip *z, bool swap, struct raw_record *r, struct err *e)
{
	(void)z, (void)swap, (void)r;
	return err_set(e, -ENOTSUP, "no zstd in this build");
}

#endif
