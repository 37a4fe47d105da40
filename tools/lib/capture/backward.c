// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rings that run backward. The kernel writes each record below the one before and never waits for
 * a reader, so head is the newest record and the older ones follow above it, until the place where
 * the newest overwrote them. Source: perf_event_open(2), write_backward.
 */
#include <stdlib.h>
#include <sys/ioctl.h>

#include "capture/capture-int.h"

typedef VEC(uint64_t) positions;

/* Where the records begin that are still whole, newest first. */
static int find_records(const struct ring *r, uint64_t head, positions *at)
{
	uint64_t limit = min_u64(r->prev - head, r->size), off = 0;

	at->n = 0;
	while (limit - off >= sizeof(struct perf_event_header)) {
		struct perf_event_header h = ring_header(r, head + off);

		if (h.size < sizeof(h) || h.size > limit - off)
			break; /* never written, or cut by the newest */
		if (vec_push(at, head + off))
			return -ENOMEM;
		off += h.size;
	}
	return 0;
}

static int write_one(struct capture *c, const struct ring *r, uint64_t pos,
		     const struct capture_sink *sink, struct err *e)
{
	struct perf_event_header h = ring_header(r, pos);
	uint64_t at = pos & (r->size - 1), first = min_u64(h.size, r->size - at);

	ring_count(c, r, pos, &h);
	c->stats.bytes += h.size;
	return sink->write(sink->ctx, r->data + at, first, r->data, h.size - first, e);
}

static int dump_ring(struct capture *c, struct ring *r, positions *at,
		     const struct capture_sink *sink, struct err *e)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	int ret = find_records(r, head, at);

	if (ret)
		return err_set(e, ret, "no memory for the records of a ring");
	for (size_t i = at->n; !ret && i > 0; i--)
		ret = write_one(c, r, at->v[i - 1], sink, e);
	r->prev = head;
	return ret;
}

int capture_dump(struct capture *c, const struct capture_sink *sink, struct err *e)
{
	uint64_t before = c->stats.bytes;
	positions at = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < c->rings.n; i++) {
		struct ring *r = &c->rings.v[i];

		if (!r->page)
			continue;
		if (ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1))
			ret = err_set(e, -errno, "cannot pause the ring of CPU %d: %s", r->cpu,
				      strerror(errno));
		if (!ret)
			ret = dump_ring(c, r, &at, sink, e);
		ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
	}
	vec_free(&at);
	return !ret && c->stats.bytes > before ? ring_write_round(sink, e) : ret;
}
