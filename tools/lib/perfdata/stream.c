// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole records, one after the other, out of a window and, where they are packed, out of zstd.
 * What comes out of here has a size that was checked against what is there; a record that is cut
 * ends the stream, with its place.
 */
#include <stdlib.h>
#include <unistd.h>

#include "perfdata-int.h"

#define TRACING_MAX (1u << 30)

void stream_init(struct stream *s, int fd, uint64_t size, uint64_t end)
{
	*s = (struct stream){ .end = end };
	/* A small file is read once, whole. */
	window_init(&s->win, fd, size != OFFSET_UNKNOWN,
		    size < WINDOW_SIZE ? align_up((size_t)size + 1, 4096) : WINDOW_SIZE);
}

void stream_free(struct stream *s)
{
	if (s->own_fd && s->win.fd >= 0)
		close(s->win.fd);
	window_free(&s->win);
	unzip_free(s->zip);
	if (s->payload.buf)
		obuf_free(&s->payload);
}

uint64_t record_payload(const struct raw_record *r, bool swap)
{
	switch (r->type) {
	case PERF_RECORD_AUXTRACE: return r->size >= 16 ? load_u64(r->data + 8, swap) : 0;
	case PERF_RECORD_HEADER_TRACING_DATA:
		/* simpleperf keeps it inside the record. */
		if (r->size < 12 || r->size > 16)
			return 0;
		return align_up(load_u32(r->data + 8, swap), 8);
	default:
		if (r->type < RECORD_SIMPLEPERF || !r->misc)
			return 0;
		return ((uint64_t)r->misc << 16 | load_u16(r->data + 6, swap)) - r->size;
	}
}

/* A TRACING_DATA record and the bytes behind it, into s->payload. */
static int stream_collect(struct stream *s, struct raw_record *r, uint64_t n, struct err *e)
{
	uint64_t off = r->offset + r->size;

	if (s->payload.buf)
		obuf_free(&s->payload);
	if (n > TRACING_MAX || obuf_init(&s->payload, -1, 0))
		return err_set(e, -EBADMSG, RECORD_FMT ": payload of %lu bytes",
			       RECORD_ARG(r->offset, r->type), n);
	obuf_mem(&s->payload, r->data, r->size);
	while (n) {
		size_t avail;
		const unsigned char *p = window_at(&s->win, off, 1, &avail);

		if (!avail)
			break;
		avail = (size_t)min_u64(avail, n);
		obuf_mem(&s->payload, p, avail);
		off += avail;
		n -= avail;
	}
	if (s->payload.code)
		return err_set(e, s->payload.code, "out of memory for tracing data");
	/* Where it stood in the window something else may stand now. */
	r->data = (const unsigned char *)s->payload.buf;
	if (n && s->win.left)
		return 0; /* nothing follows it */
	if (n)
		return err_set(e, -ENODATA, RECORD_FMT ": the data ends inside it",
			       RECORD_ARG(r->offset, r->type));
	return 0;
}

static int stream_cut(struct stream *s, uint64_t off, const unsigned char *p, size_t avail,
		      bool swap, struct err *e)
{
	uint32_t type = avail < 8 ? 0 : load_u32(p, swap);

	if (s->win.code)
		return err_set(e, s->win.code, "cannot read at offset %#lx: %s", off,
			       strerror(-s->win.code));
	s->pos = s->end = off;
	if (s->win.left)
		return 0;
	if (s->cut_ok) {
		log_to(s->log, LOG_WARN,
		       "the recording was not finished: the last " RECORD_FMT
		       ", is incomplete and left out",
		       RECORD_ARG(off, type));
		return 0;
	}
	if (avail < 8)
		return err_set(e, -ENODATA,
			       "the data ends at offset %#lx, %zu bytes into a record's header",
			       off, avail);
	return err_set(e, -ENODATA, RECORD_FMT ", size %u: the data ends after %zu bytes of it",
		       RECORD_ARG(off, type), load_u16(p + 6, swap), avail);
}

static int stream_bad_size(const struct raw_record *r, const char *where, struct err *e)
{
	return err_set(e, -EBADMSG, "%s" RECORD_FMT ": size %u is smaller than its own header",
		       where, RECORD_ARG(r->offset, r->type), r->size);
}

/* A COMPRESSED or COMPRESSED2 record: its payload goes to zstd. */
static int stream_start_zip(struct stream *s, const struct raw_record *r, bool swap, struct err *e)
{
	uint64_t skip = r->type == PERF_RECORD_COMPRESSED2 ? 16 : 8;
	uint64_t n = r->size - min_u64(skip, r->size);

	if (skip == 16) {
		uint64_t said = r->size < 16 ? UINT64_MAX : load_u64(r->data + 8, swap);

		if (said > n)
			return err_set(e, -EBADMSG, RECORD_FMT ": %lu bytes of data do not fit",
				       RECORD_ARG(r->offset, r->type), said);
		n = said;
	}
	if (!s->zip)
		s->zip = unzip_new(s->no_limits, e);
	if (!s->zip)
		return e ? e->code : -ENOMEM;
	unzip_feed(s->zip, r->data + skip, n);
	s->zip_pos = r->offset;
	s->nr_zipped[skip == 16]++;
	s->in_zip = true;
	return 0;
}

static int stream_unzip(struct stream *s, bool swap, struct raw_record *r, struct err *e)
{
	int ret;

	r->unzipped = false;
	ret = unzip_next(s->zip, swap, r, e);
	r->file_offset = s->zip_pos;
	if (ret == 0)
		s->in_zip = false;
	if (ret < 0 && r->unzipped && r->size < 8)
		return stream_bad_size(r, "decompressed ", e);
	if (ret < 0)
		err_context(e, "compressed record before offset %#lx", s->pos);
	return ret;
}

static int stream_end(struct stream *s, struct err *e)
{
	size_t left = s->zip ? unzip_left(s->zip) : 0;

	if (!left)
		return 0;
	unzip_reset(s->zip);
	if (s->win.left)
		return 0;
	if (s->cut_ok) {
		log_to(s->log, LOG_WARN,
		       "the recording was not finished: its last compressed record is incomplete");
		return 0;
	}
	return err_set(e, -ENODATA,
		       "the data ends at offset %#lx, %zu bytes into a record that was compressed",
		       s->pos, left);
}

/* The record at s->pos, with what is left of its neighbours untouched. 1, 0 = end, -errno. */
static int stream_peek(struct stream *s, bool swap, struct raw_record *r, uint64_t *limit,
		       struct err *e)
{
	const unsigned char *p;
	size_t avail;

	*limit = s->end - s->pos;
	if (!*limit)
		return stream_end(s, e);
	p = window_at(&s->win, s->pos, 8, &avail);
	avail = (size_t)min_u64(avail, *limit);
	if (unlikely(avail < 8)) {
		if (!avail && s->end == OFFSET_UNKNOWN && !s->win.code)
			return stream_end(s, e);
		return stream_cut(s, s->pos, p, avail, swap, e);
	}
	r->offset = r->file_offset = s->pos;
	r->unzipped = false;
	record_header(r, p, swap);
	if (unlikely(r->size < 8))
		return stream_bad_size(r, "", e);
	if (unlikely(avail < r->size)) {
		p = window_at(&s->win, s->pos, r->size, &avail);
		avail = (size_t)min_u64(avail, *limit);
		if (avail < r->size)
			return stream_cut(s, s->pos, p, avail, swap, e);
	}
	r->data = p;
	return 1;
}

/* What needs more than handing out: 0 = it was taken apart, go on; 1 = hand it out. */
static int stream_special(struct stream *s, struct raw_record *r, bool swap, uint64_t limit,
			  struct err *e)
{
	uint64_t extra = record_payload(r, swap);
	int ret;

	if (extra > limit - r->size)
		return err_set(e, -ENODATA,
			       RECORD_FMT ": its payload of %lu bytes passes the end "
					  "of the data",
			       RECORD_ARG(r->offset, r->type), extra);
	s->pos += extra;
	if (r->type == PERF_RECORD_COMPRESSED || r->type == PERF_RECORD_COMPRESSED2)
		return s->as_it_is ? 1 : stream_start_zip(s, r, swap, e);
	if (s->collect && r->type == PERF_RECORD_HEADER_TRACING_DATA) {
		ret = stream_collect(s, r, extra, e);
		if (ret)
			return ret;
	}
	return 1;
}

static bool is_special(uint32_t type)
{
	return type >= RECORD_SIMPLEPERF || type == PERF_RECORD_AUXTRACE ||
	       type == PERF_RECORD_HEADER_TRACING_DATA || type == PERF_RECORD_COMPRESSED ||
	       type == PERF_RECORD_COMPRESSED2;
}

int stream_next(struct stream *s, bool swap, struct raw_record *r, struct err *e)
{
	int ret;

	do {
		uint64_t limit;

		if (unlikely(s->in_zip)) {
			ret = stream_unzip(s, swap, r, e);
			if (ret)
				return ret;
		}
		ret = stream_peek(s, swap, r, &limit, e);
		if (unlikely(ret <= 0))
			return ret;
		s->pos += r->size;
		if (unlikely(is_special(r->type)))
			ret = stream_special(s, r, swap, limit, e);
	} while (ret == 0);
	return ret;
}
