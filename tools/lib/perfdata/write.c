// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing a recording. A file: header, ids, attrs, data, feature table, features; a pipe: the
 * same as records. Data goes out in whole records and the header's data size follows each
 * flush, so a recorder may be killed at any moment: what was flushed is a readable file.
 */
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "perfdata-int.h"
#include "write-int.h"

#define HEADER_SIZE	104
#define HEADER_DATA_LEN 48 /* where the header keeps the data's size */
#ifndef WRITE_BUF /* fuzz targets have less: AddressSanitizer maps and unmaps what is large */
#define WRITE_BUF (256u << 10)
#endif
#define STUCK_MS     200
#define WRITE_DIRECT (64u << 10) /* pieces from here on are not copied */

/* ---- bytes out ---------------------------------------------------------------------------------- */

static int write_fail(int code, struct err *e)
{
	err_set(e, code, "cannot write the recording: %s",
		code == -ETIMEDOUT ? "nobody reads the stream" : strerror(-code));
	if (code == -ENOSPC)
		err_hint(e, "the disk is full; what was written before is kept and readable");
	else if (code == -EFBIG)
		err_hint(e, "a limit on the size of files (`ulimit -f`) was reached; what was "
			    "written before is kept and readable");
	return code;
}

/*
 * Bytes into a pipe. A reader that reads no more would hold us for ever, with the signals that end
 * a recording blocked: so what is written at once is what a pipe with room takes at once, and
 * before that somebody is asked whether it is still worth to wait.
 */
static ssize_t put_stream(struct perfdata_writer *w, const struct iovec *iov)
{
	struct pollfd p = { .fd = w->fd, .events = POLLOUT };
	size_t n = iov->iov_len;

	for (unsigned waited = 0; w->opts.give_up; waited += STUCK_MS) {
		if (poll(&p, 1, STUCK_MS) != 0) {
			n = n < PIPE_BUF ? n : PIPE_BUF;
			break;
		}
		if (w->opts.give_up(w->opts.ctx, waited)) {
			errno = ETIMEDOUT;
			return -1;
		}
	}
	return write(w->fd, iov->iov_base, n);
}

/* The byte at @at of all pieces together. */
static unsigned byte_at(const struct iovec *iov, int n, uint64_t at)
{
	for (; n && at >= iov->iov_len; iov++, n--)
		at -= iov->iov_len;
	return n ? ((const unsigned char *)iov->iov_base)[at] : 0;
}

/* How many of the first @len bytes are whole records. */
static uint64_t whole_records(const struct iovec *iov, int n, uint64_t len)
{
	uint64_t at = 0;

	while (at + sizeof(struct perf_event_header) <= len) {
		uint8_t two[2] = { (uint8_t)byte_at(iov, n, at + 6),
				   (uint8_t)byte_at(iov, n, at + 7) };
		uint16_t size = load_u16(two, false);

		if (size < sizeof(struct perf_event_header) || size > len - at)
			break;
		at += size;
	}
	return at;
}

/* Writing failed after @done bytes: the records among them that are whole stay. */
static int keep_whole(struct perfdata_writer *w, const struct iovec *iov, int n, uint64_t done,
		      int code, struct err *e)
{
	w->code = code;
	if (!w->pipe && !w->data_ended && w->off >= w->data_off)
		w->off += whole_records(iov, n, done);
	return write_fail(code, e);
}

/*
 * All of @iov at w->off (a pipe: at its end). On failure w->off stays where records were whole, and
 * nothing more is written behind them: what is missing may be half of a compressed frame.
 */
static int put_vec(struct perfdata_writer *w, const struct iovec *all, int nr, struct err *e)
{
	struct iovec left[3], *iov = left;
	uint64_t off = w->off;
	int n = nr;

	if (w->code)
		return write_fail(w->code, e);
	memcpy(left, all, (size_t)nr * sizeof(*all));
	while (n) {
		ssize_t r = w->pipe ? put_stream(w, iov) : pwritev(w->fd, iov, n, (off_t)off);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0 || (!r && iov->iov_len))
			return keep_whole(w, all, nr, off - w->off, r < 0 ? -errno : -EIO, e);
		off += (uint64_t)r;
		while (n && (size_t)r >= iov->iov_len) {
			r -= (ssize_t)iov->iov_len;
			iov++;
			n--;
		}
		if (n) {
			iov->iov_base = (char *)iov->iov_base + r;
			iov->iov_len -= (size_t)r;
		}
	}
	w->off = off;
	return 0;
}

/* The header's data size: what a reader may believe from now on. */
static int mark_size(struct perfdata_writer *w, struct err *e)
{
	uint64_t size = w->off - w->data_off;

	/* Behind the data come features, which are none of it. */
	if (w->pipe || w->data_ended || size == w->marked)
		return 0;
	if (pwrite(w->fd, &size, 8, HEADER_DATA_LEN) != 8)
		return write_fail(errno ? -errno : -EIO, e);
	w->marked = size;
	return 0;
}

static int flush_buf(struct perfdata_writer *w, struct err *e)
{
	struct iovec iov = { w->buf, w->len };
	int ret = w->len ? put_vec(w, &iov, 1, e) : 0;

	w->len = 0;
	return ret;
}

/* Also between flushes: a burst may be long, and a kill may come at any time. */
static int mark_records(struct perfdata_writer *w, struct err *e)
{
	return w->off < w->data_off ? 0 : mark_size(w, e);
}

int writer_put(struct perfdata_writer *w, const void *a, size_t na, const void *b, size_t nb,
	       struct err *e)
{
	struct iovec iov[3];
	int ret;

	if (na + nb >= WRITE_DIRECT) {
		iov[0] = (struct iovec){ w->buf, w->len };
		iov[1] = (struct iovec){ (void *)a, na };
		iov[2] = (struct iovec){ (void *)b, nb };
		w->len = 0;
		ret = put_vec(w, iov, 3, e);
		return ret ? ret : mark_records(w, e);
	}
	if (w->len + na + nb > WRITE_BUF) {
		ret = flush_buf(w, e);
		if (!ret)
			ret = mark_records(w, e);
		if (ret)
			return ret;
	}
	memcpy(w->buf + w->len, a, na);
	if (nb)
		memcpy(w->buf + w->len + na, b, nb);
	w->len += na + nb;
	return 0;
}

/* ---- the start ------------------------------------------------------------------------------------ */

static int put_file_head(struct perfdata_writer *w, struct err *e)
{
	uint32_t entry = w->attr_size + 16;
	uint64_t ids_off = HEADER_SIZE, nr_ids = 0, attrs_off;
	struct obuf o;
	int ret;

	for (size_t i = 0; i < w->nr_events; i++)
		nr_ids += w->events[i].nr_ids;
	attrs_off = HEADER_SIZE + nr_ids * 8;
	w->data_off = attrs_off + w->nr_events * entry;
	if (obuf_init(&o, -1, 0))
		return err_set(e, -ENOMEM, "out of memory for the file's header");
	obuf_lit(&o, "PERFILE2");
	feature_put_u64(&o, HEADER_SIZE);
	feature_put_u64(&o, entry);
	feature_put_u64(&o, attrs_off);
	feature_put_u64(&o, (uint64_t)w->nr_events * entry);
	feature_put_u64(&o, w->data_off);
	obuf_pad(&o, 0, HEADER_SIZE - (int)o.len);
	for (size_t i = 0; i < w->nr_events; i++)
		obuf_mem(&o, w->events[i].ids, w->events[i].nr_ids * 8);
	for (size_t i = 0; i < w->nr_events; i++) {
		writer_put_attr(&o, &w->events[i].attr, w->attr_size);
		feature_put_u64(&o, ids_off);
		feature_put_u64(&o, w->events[i].nr_ids * 8);
		ids_off += w->events[i].nr_ids * 8;
	}
	if (host_is_big_endian())
		memcpy(o.buf, "2ELIFREP", 8);
	ret = o.code ? err_set(e, o.code, "out of memory for the file's header")
		     : writer_put(w, o.buf, o.len, NULL, 0, e);
	obuf_free(&o);
	return ret ? ret : flush_buf(w, e);
}

static int copy_events(struct perfdata_writer *w, const struct perfdata_writer_event *events,
		       size_t nr)
{
	w->events = arena_memdup(&w->arena, events, nr * sizeof(*events));
	if (!w->events && nr)
		return -ENOMEM;
	w->nr_events = nr;
	w->attr_size = PERF_ATTR_SIZE_VER0;
	for (size_t i = 0; i < nr; i++) {
		struct perfdata_writer_event *ev = &w->events[i];

		w->attr_size = (uint32_t)max_u64(w->attr_size, attr_min_size(&ev->attr));
		ev->ids = arena_memdup(&w->arena, ev->ids, ev->nr_ids * 8);
		ev->name = arena_strdup(&w->arena, ev->name ? ev->name : "");
		ev->group = arena_strdup(&w->arena, ev->group ? ev->group : "");
		if ((ev->nr_ids && !ev->ids) || !ev->name || !ev->group)
			return -ENOMEM;
	}
	return 0;
}

int perfdata_writer_open(struct perfdata_writer **out, const struct perfdata_writer_opts *opts,
			 const struct perfdata_writer_event *events, size_t nr_events,
			 struct err *e)
{
	struct perfdata_writer *w = calloc(1, sizeof(*w));
	int ret = -ENOMEM;

	*out = NULL;
	if (w)
		w->buf = malloc(WRITE_BUF);
	if (!w || !w->buf || copy_events(w, events, nr_events)) {
		err_set(e, ret, "out of memory for writing a recording");
		goto fail;
	}
	w->opts = *opts;
	w->fd = opts->fd;
	w->pipe = opts->pipe;
	if (opts->compress_level) {
		ret = writer_zip_init(w, opts->compress_level, e);
		if (ret)
			goto fail;
	}
	ret = w->pipe ? writer_put_pipe_head(w, e) : put_file_head(w, e);
	if (ret)
		goto fail;
	*out = w;
	return 0;
fail:
	perfdata_writer_free(w);
	return ret;
}

/* ---- data -------------------------------------------------------------------------------------------- */

int perfdata_writer_write(struct perfdata_writer *w, const void *a, size_t na, const void *b,
			  size_t nb, struct err *e)
{
	w->raw_bytes += na + nb;
	if (!w->zip)
		return writer_put(w, a, na, b, nb, e);
	return writer_zip(w, a, na, b, nb, e);
}

int perfdata_writer_flush(struct perfdata_writer *w, struct err *e)
{
	int ret = w->zip && !w->code ? writer_zip_flush(w, e) : 0;

	if (!ret)
		ret = flush_buf(w, e);
	/* What was written before a failure counts, too. */
	return mark_size(w, ret ? NULL : e) ?: ret;
}

uint64_t perfdata_writer_bytes(const struct perfdata_writer *w)
{
	return w->off + w->len;
}

uint64_t perfdata_writer_raw_bytes(const struct perfdata_writer *w)
{
	return w->raw_bytes;
}

/* ---- features ------------------------------------------------------------------------------------------- */

int perfdata_writer_feature(struct perfdata_writer *w, int id, const void *data, size_t size,
			    struct err *e)
{
	struct writer_feature *f;

	if (id <= 0 || id >= FEAT_BITS)
		return err_set(e, -EINVAL, "there is no feature %d", id);
	if (w->pipe)
		return writer_put_pipe_feature(w, id, data, size, e);
	f = &w->feat[id];
	free(f->data);
	f->data = malloc(size + 1);
	if (!f->data)
		return err_set(e, -ENOMEM, "out of memory for feature %d", id);
	if (size)
		memcpy(f->data, data, size);
	f->size = size;
	return 0;
}

/* Feature table and payloads behind the data; the header names them last. */
static int put_features(struct perfdata_writer *w, struct err *e)
{
	uint64_t bits[4] = { 0 }, off = w->off;
	int nr = 0, ret = 0;

	w->data_ended = true;
	for (int id = 0; id < FEAT_BITS; id++)
		nr += w->feat[id].data != NULL;
	off += (uint64_t)nr * 16;
	for (int id = 0; id < FEAT_BITS && !ret; id++) {
		uint64_t section[2] = { off, w->feat[id].size };

		if (!w->feat[id].data)
			continue;
		bits[id / 64] |= BIT(id % 64);
		off += section[1];
		ret = writer_put(w, section, 16, NULL, 0, e);
	}
	for (int id = 0; id < FEAT_BITS && !ret; id++)
		if (w->feat[id].data)
			ret = writer_put(w, w->feat[id].data, w->feat[id].size, NULL, 0, e);
	if (!ret)
		ret = flush_buf(w, e);
	if (!ret && pwrite(w->fd, bits, sizeof(bits), 72) != sizeof(bits))
		ret = write_fail(errno ? -errno : -EIO, e);
	return ret;
}

static int add_feature(struct perfdata_writer *w, int id,
		       void (*fill)(const struct perfdata_writer *w, struct obuf *o), struct err *e)
{
	struct obuf o;
	int ret = obuf_init(&o, -1, 0);

	if (ret)
		return err_set(e, ret, "out of memory for feature %d", id);
	fill(w, &o);
	ret = o.code ? err_set(e, o.code, "out of memory for feature %d", id)
		     : perfdata_writer_feature(w, id, o.buf, o.len, e);
	obuf_free(&o);
	return ret;
}

int writer_own_features(struct perfdata_writer *w, struct err *e)
{
	bool groups = false;
	int ret = 0;

	for (size_t i = 0; i < w->nr_events; i++)
		groups |= w->events[i].nr_members > 1;
	if (!w->pipe)
		ret = add_feature(w, FEAT_EVENT_DESC, writer_event_desc, e);
	if (!ret && groups)
		ret = add_feature(w, FEAT_GROUP_DESC, writer_group_desc, e);
	if (!ret && w->zip)
		ret = add_feature(w, FEAT_COMPRESSED, writer_compressed, e);
	return ret;
}

int perfdata_writer_finish(struct perfdata_writer *w, struct err *e)
{
	int failed, ret;

	if (w->data_ended) /* whose name could not be changed is finished once more */
		return 0;
	failed = perfdata_writer_flush(w, e);
	if (w->pipe)
		return failed;
	/* A full disk may have room for this: part of the records that did not fit is there. */
	w->len = 0;
	w->code = 0;
	ret = writer_own_features(w, failed ? NULL : e);
	if (!ret)
		ret = put_features(w, failed ? NULL : e);
	return failed ? failed : ret;
}

void perfdata_writer_free(struct perfdata_writer *w)
{
	if (!w)
		return;
	writer_zip_free(w);
	for (int i = 0; i < FEAT_BITS; i++)
		free(w->feat[i].data);
	arena_free(&w->arena);
	free(w->buf);
	free(w);
}
