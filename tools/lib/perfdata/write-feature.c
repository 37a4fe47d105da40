// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Features as the writer makes them, and how they look in a pipe: perf.data(5), FEATURES. Here the
 * byte order is the host's, as in all that is written.
 */
#include <stdlib.h>

#include "perfdata-int.h"
#include "write-int.h"

#define STRING_ALIGN 64 /* lengths of strings in features, since ever */

void feature_put_u32(struct obuf *o, uint32_t v)
{
	obuf_mem(o, &v, sizeof(v));
}

void feature_put_u64(struct obuf *o, uint64_t v)
{
	obuf_mem(o, &v, sizeof(v));
}

void feature_put_string(struct obuf *o, const char *s)
{
	size_t n = strlen(s), len = align_up(n + 1, STRING_ALIGN);

	feature_put_u32(o, (uint32_t)len);
	obuf_mem(o, s, n);
	obuf_pad(o, 0, (int)(len - n));
}

void writer_put_attr(struct obuf *o, const struct perf_event_attr *attr, uint32_t size)
{
	unsigned char bytes[sizeof(*attr)];
	struct perf_event_attr copy = *attr;

	copy.size = size;
	attr_store(&copy, bytes);
	obuf_mem(o, bytes, size);
}

void writer_event_desc(const struct perfdata_writer *w, struct obuf *o)
{
	feature_put_u32(o, (uint32_t)w->nr_events);
	feature_put_u32(o, w->attr_size);
	for (size_t i = 0; i < w->nr_events; i++) {
		const struct perfdata_writer_event *ev = &w->events[i];

		writer_put_attr(o, &ev->attr, w->attr_size);
		feature_put_u32(o, (uint32_t)ev->nr_ids);
		feature_put_string(o, ev->name);
		obuf_mem(o, ev->ids, ev->nr_ids * 8);
	}
}

void writer_group_desc(const struct perfdata_writer *w, struct obuf *o)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < w->nr_events; i++)
		nr += w->events[i].nr_members > 1;
	feature_put_u32(o, nr);
	for (size_t i = 0; i < w->nr_events; i++) {
		const struct perfdata_writer_event *ev = &w->events[i];

		if (ev->nr_members < 2)
			continue;
		feature_put_string(o, *ev->group ? ev->group : "{anon_group}");
		feature_put_u32(o, (uint32_t)i);
		feature_put_u32(o, ev->nr_members);
	}
}

void writer_compressed(const struct perfdata_writer *w, struct obuf *o)
{
	uint64_t packed = w->off - w->data_off;

	feature_put_u32(o, 1); /* version */
	feature_put_u32(o, 1); /* zstd */
	feature_put_u32(o, (uint32_t)writer_zip_level(w));
	feature_put_u32(o, packed ? (uint32_t)((w->raw_bytes + packed / 2) / packed) : 0);
	feature_put_u32(o, writer_zip_chunk());
}

/* ---- pipe mode --------------------------------------------------------------------------------------- */

static void put_header(struct obuf *o, uint32_t type, size_t size)
{
	feature_put_u32(o, type);
	feature_put_u32(o, 0);
	if (o->len >= 4 && !o->code) {
		store_u16(o->buf + o->len - 4, 0);
		store_u16(o->buf + o->len - 2, (uint16_t)size);
	}
}

static int put_attr_record(struct obuf *o, const struct perfdata_writer_event *ev, uint32_t size,
			   struct err *e)
{
	size_t total = 8 + size + ev->nr_ids * 8;

	if (total > RECORD_MAX) {
		err_set(e, -E2BIG, "event %s has %zu ids: too many for a pipe", ev->name,
			ev->nr_ids);
		err_hint(e, "record into a file");
		return -E2BIG;
	}
	put_header(o, PERF_RECORD_HEADER_ATTR, total);
	writer_put_attr(o, &ev->attr, size);
	obuf_mem(o, ev->ids, ev->nr_ids * 8);
	return 0;
}

static void put_name_record(struct obuf *o, const struct perfdata_writer_event *ev)
{
	size_t n = strlen(ev->name) + 1, len = align_up(n, 8);

	if (!ev->nr_ids || n == 1 || 24 + len > RECORD_MAX)
		return;
	put_header(o, PERF_RECORD_EVENT_UPDATE, 24 + len);
	feature_put_u64(o, 2); /* name */
	feature_put_u64(o, ev->ids[0]);
	obuf_mem(o, ev->name, n);
	obuf_pad(o, 0, (int)(len - n));
}

int writer_put_pipe_head(struct perfdata_writer *w, struct err *e)
{
	struct obuf o;
	int ret = 0;

	if (obuf_init(&o, -1, 0))
		return err_set(e, -ENOMEM, "out of memory for the pipe's header");
	obuf_lit(&o, "PERFILE2");
	if (host_is_big_endian())
		memcpy(o.buf, "2ELIFREP", 8);
	feature_put_u64(&o, 16);
	for (size_t i = 0; i < w->nr_events && !ret; i++)
		ret = put_attr_record(&o, &w->events[i], w->attr_size, e);
	for (size_t i = 0; i < w->nr_events; i++)
		put_name_record(&o, &w->events[i]);
	if (!ret)
		ret = o.code ? err_set(e, o.code, "out of memory for the pipe's header")
			     : writer_put(w, o.buf, o.len, NULL, 0, e);
	obuf_free(&o);
	return ret ? ret : writer_own_features(w, e);
}

/* TRACING_DATA: the bytes follow the record. */
static void put_tracing_data(struct obuf *o, const void *data, size_t size)
{
	size_t len = align_up(size, 8);

	put_header(o, PERF_RECORD_HEADER_TRACING_DATA, 12);
	feature_put_u32(o, (uint32_t)len);
	obuf_mem(o, data, size);
	obuf_pad(o, 0, (int)(len - size));
}

/* BUILD_ID: its entries are records already; only their type is 0 in a file. */
static void put_build_ids(struct obuf *o, const void *data, size_t size)
{
	size_t start = o->len;
	struct cursor c = cursor_init(data, size, false);

	obuf_mem(o, data, size);
	while (!o->code && cursor_left(&c) >= 8) {
		uint16_t len = load_u16(c.p + 6, false);

		store_u32(o->buf + start + cursor_pos(&c), PERF_RECORD_HEADER_BUILD_ID);
		if (len < 8)
			return;
		cursor_skip(&c, len);
	}
}

int writer_put_pipe_feature(struct perfdata_writer *w, int id, const void *data, size_t size,
			    struct err *e)
{
	size_t len = align_up(16 + size, 8);
	struct obuf o;
	int ret;

	if (obuf_init(&o, -1, size + 64))
		return err_set(e, -ENOMEM, "out of memory for feature %d", id);
	if (id == FEAT_TRACING_DATA) {
		put_tracing_data(&o, data, size);
	} else if (id == FEAT_BUILD_ID) {
		put_build_ids(&o, data, size);
	} else if (len > RECORD_MAX) {
		log_to(&w->opts.log, LOG_INFO,
		       "feature %d has %zu bytes, too many for a record in a pipe: left out", id,
		       size);
	} else {
		put_header(&o, PERF_RECORD_HEADER_FEATURE, len);
		feature_put_u64(&o, (uint64_t)id);
		obuf_mem(&o, data, size);
		obuf_pad(&o, 0, (int)(len - 16 - size));
	}
	ret = o.code ? err_set(e, o.code, "out of memory for feature %d", id)
		     : writer_put(w, o.buf, o.len, NULL, 0, e);
	obuf_free(&o);
	return ret;
}
