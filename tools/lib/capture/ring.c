// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rings: one mapping per CPU (or thread). Page 0 holds head and tail, which only grow; the data
 * behind it is 2^n pages. The kernel writes up to head and never over tail. Source:
 * perf_event_open(2), "MMAP layout".
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/bytes.h"
#include "attr/attr.h"
#include "capture/capture-int.h"

/* What an unprivileged user may lock per CPU (kernel.perf_event_mlock_kb), as 2^n data pages. */
static uint32_t default_pages(void)
{
	char *text = file_read_all("/proc/sys/kernel/perf_event_mlock_kb", 64, NULL, NULL);
	long kb = text ? strtol(text, NULL, 10) : 512;
	uint64_t pages = (uint64_t)(kb > 8 ? kb : 8) * 1024 / (uint64_t)sysconf(_SC_PAGESIZE);
	uint32_t n = 1;

	free(text);
	while ((uint64_t)n * 2 + 1 <= pages && n < 1 << 14)
		n *= 2;
	return n;
}

#define ROOMY_SAMPLES 256u /* 64 ms of them at 4,000 Hz: a recorder waits that long for a CPU */
#define ROOMY_TOTAL   (64u << 20) /* of all rings together */

/*
 * Samples with a copy of the stack fill a ring of 512 kB within 16 ms: several threads that keep
 * the CPUs busy then lose most of theirs. Where nobody counts locked pages there is more room.
 */
static uint32_t roomy_pages(const struct capture *c, uint32_t pages)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), stack = 0, want;

	for (size_t i = 0; i < c->events->n; i++)
		if (c->events->v[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			stack = max_u64(stack, c->events->v[i].attr.sample_stack_user);
	if (!stack || c->backward || geteuid())
		return pages;
	want = min_u64(ROOMY_SAMPLES * stack, ROOMY_TOTAL / max_u64(c->rings.n, 1));
	while ((uint64_t)pages * 2 * page <= want)
		pages *= 2;
	return pages;
}

/* Read-only for us, the kernel overwrites what is oldest. */
static int ring_map(struct ring *r, uint32_t pages, bool backward)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int prot = backward ? PROT_READ : PROT_READ | PROT_WRITE;
	void *p = mmap(NULL, page * ((size_t)pages + 1), prot, MAP_SHARED, r->fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	r->page = p;
	r->data = (unsigned char *)p + page;
	r->size = page * pages;
	return 0;
}

static void ring_unmap(struct ring *r)
{
	if (r->page)
		munmap(r->page, r->size + (size_t)sysconf(_SC_PAGESIZE));
	r->page = NULL;
}

void ring_unmap_all(struct capture *c)
{
	for (size_t i = 0; i < c->rings.n; i++)
		ring_unmap(&c->rings.v[i]);
}

static int explain_map(const struct capture *c, int code, uint32_t pages, struct err *e)
{
	unsigned long kb = (unsigned long)pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;

	if (code == -EPERM || code == -EACCES) {
		err_set(e, code,
			"cannot map %zu rings of %lu kB: more than kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK allow",
			c->rings.n, kb);
		err_hint(
			e,
			"Ask for less (-m %u), or raise the limit: sysctl kernel.perf_event_mlock_kb=%lu",
			pages > 1 ? pages / 2 : 1, kb + 4);
		return code;
	}
	if (code == -ENOMEM) {
		err_set(e, code, "cannot map %zu rings of %lu kB: no memory", c->rings.n, kb);
		err_hint(e, "Ask for less: -m %u", pages > 1 ? pages / 2 : 1);
		return code;
	}
	return err_set(e, code, "cannot map %zu rings of %lu kB: %s", c->rings.n, kb,
		       strerror(-code));
}

int ring_map_all(struct capture *c, struct err *e)
{
	uint32_t pages = c->ring_pages ? c->ring_pages : roomy_pages(c, default_pages());

	if (!c->ring_pages && c->leaves_room && pages > 1)
		pages /= 2;
	for (;;) {
		int ret = 0;

		for (size_t i = 0; !ret && i < c->rings.n; i++)
			if (c->rings.v[i].fd >= 0)
				ret = ring_map(&c->rings.v[i], pages, c->backward);
		if (!ret)
			break;
		ring_unmap_all(c);
		/* A size that nobody asked for may shrink to what the limits leave. */
		if (c->ring_pages || pages == 1 || (ret != -EPERM && ret != -ENOMEM))
			return explain_map(c, ret, pages, e);
		pages /= 2;
		log_to(&c->log, LOG_INFO, "rings of %u pages do not fit the mlock limit; trying %u",
		       pages * 2, pages);
	}
	c->ring_pages = pages;
	return 0;
}

size_t capture_nr_rings(const struct capture *c)
{
	return c->rings.n;
}

uint64_t capture_written(const struct capture *c)
{
	uint64_t sum = 0;

	/* Rings of threads that ended before us were never mapped. */
	vec_for_each (r, &c->rings)
		if (r->page)
			sum += __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	return sum;
}

size_t capture_ring_bytes(const struct capture *c)
{
	return (size_t)c->ring_pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- draining -------------------------------------------------------------------------------------- */

/* Records begin at multiples of 8 and so does the ring's end: no word is ever split. */
static inline uint64_t ring_u64(const struct ring *r, uint64_t pos)
{
	return load_u64(r->data + (pos & (r->size - 1)), false);
}

static inline void count_sample(struct capture *c, const struct ring *r, uint64_t pos)
{
	uint64_t time;

	c->stats.samples++;
	if (c->time_offset < 0)
		return;
	time = ring_u64(r, pos + 8 + (uint64_t)c->time_offset);
	if (!c->stats.first_time || time < c->stats.first_time)
		c->stats.first_time = time;
	if (time > c->stats.last_time)
		c->stats.last_time = time;
}

struct perf_event_header ring_header(const struct ring *r, uint64_t pos)
{
	uint64_t word = ring_u64(r, pos);
	struct perf_event_header h;

	memcpy(&h, &word, sizeof(h));
	return h;
}

/* The kernel writes them when the ring has room again: of what a file before told of, maybe in this one. */
static void count_lost(struct capture *c, uint64_t n)
{
	uint64_t told = min_u64(n, c->lost_ahead);

	c->lost_ahead -= told;
	c->stats.lost_records += n - told;
}

void ring_count(struct capture *c, const struct ring *r, uint64_t pos,
		const struct perf_event_header *h)
{
	c->stats.records++;
	switch (h->type) {
	case PERF_RECORD_SAMPLE: count_sample(c, r, pos); break;
	case PERF_RECORD_LOST: count_lost(c, ring_u64(r, pos + 16)); break;
	case PERF_RECORD_LOST_SAMPLES: c->stats.lost_samples += ring_u64(r, pos + 8); break;
	case PERF_RECORD_THROTTLE: c->stats.throttled++; break;
	case PERF_RECORD_UNTHROTTLE: c->stats.unthrottled++; break;
	default: break;
	}
}

/* Walks the headers between @pos and @head; the end of the last whole record. */
static uint64_t count_records(struct capture *c, const struct ring *r, uint64_t pos, uint64_t head)
{
	while (head - pos >= 8) {
		struct perf_event_header h = ring_header(r, pos);

		if (h.size < 8 || h.size > head - pos)
			break;
		ring_count(c, r, pos, &h);
		pos += h.size;
	}
	return pos;
}

static int drain_ring(struct capture *c, struct ring *r, uint64_t min_bytes,
		      const struct capture_sink *sink, bool *left, struct err *e)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail, end, first;
	int ret;

	if (head == tail)
		return 0;
	/* While we are on our way the kernel needs room: a ring that is full loses all the rest. */
	if (head - tail < min_u64(min_bytes, r->size / 4)) {
		*left = true;
		return 0;
	}
	end = count_records(c, r, tail, head);
	if (head - tail > r->size || end == tail)
		return err_set(e, -EIO, "the ring of CPU %d is damaged: %llu bytes in %llu", r->cpu,
			       (unsigned long long)(head - tail), (unsigned long long)r->size);
	first = min_u64(end - tail, r->size - (tail & (r->size - 1)));
	ret = sink->write(sink->ctx, r->data + (tail & (r->size - 1)), first, r->data,
			  end - tail - first, e);
	if (ret)
		return ret;
	c->stats.bytes += end - tail;
	/* Only now may the kernel write there again. */
	__atomic_store_n(&r->page->data_tail, end, __ATOMIC_RELEASE);
	return 0;
}

int ring_write_round(const struct capture_sink *sink, struct err *e)
{
	static const struct perf_event_header round = { .type = PERF_RECORD_FINISHED_ROUND,
							.size = sizeof(round) };

	return sink->write(sink->ctx, &round, sizeof(round), NULL, 0, e);
}

int capture_drain(struct capture *c, uint64_t min_bytes, const struct capture_sink *sink,
		  struct err *e)
{
	uint64_t before = c->stats.bytes;
	bool left = false, some;

	for (size_t i = 0; i < c->rings.n; i++) {
		struct ring *r = &c->rings.v[i];
		int ret = r->page ? drain_ring(c, r, min_bytes, sink, &left, e) : 0;

		if (ret)
			return ret;
	}
	/* A round says that nothing older will come: not while a ring was left as it is. */
	if (left)
		return 0;
	some = c->stats.bytes > before;
	if (sink->ends_round)
		some = sink->ends_round(sink->ctx, some);
	return some ? ring_write_round(sink, e) : 0;
}

/* ---- the end ----------------------------------------------------------------------------------------- */

/* The counter's own count of samples that found no room; 0 when the kernel does not say. */
static uint64_t read_lost(const struct event *ev, const struct counter *counter)
{
	uint64_t v[64], format = ev->attr.read_format;
	size_t skip = 1; /* the value */
	ssize_t n;

	if (!(format & PERF_FORMAT_LOST) || format & PERF_FORMAT_GROUP)
		return 0;
	n = read(counter->fd, v, sizeof(v));
	skip += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED);
	skip += !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	skip += !!(format & PERF_FORMAT_ID);
	return n >= (ssize_t)((skip + 1) * 8) ? v[skip] : 0;
}

/* LOST_SAMPLES with the id of its event, so that readers can say which one lost how many. */
static int write_lost(const struct event *ev, const struct counter *counter, int cpu, uint64_t lost,
		      const struct capture_sink *sink, struct err *e)
{
	uint64_t words[2 + ATTR_TRAILER_MAX] = { 0, lost };
	struct perf_event_header h = { .type = PERF_RECORD_LOST_SAMPLES };
	struct attr_trailer t = { .id = counter->id, .cpu = (uint32_t)cpu };
	size_t n = 16 + attr_trailer_put(&ev->attr, &t, words + 2);

	h.size = (uint16_t)n;
	memcpy(words, &h, sizeof(h));
	return sink->write(sink->ctx, words, n, NULL, 0, e);
}

int capture_end_file(struct capture *c, const struct capture_sink *sink, struct err *e)
{
	int ret = c->backward ? capture_dump(c, sink, e) : capture_drain(c, 0, sink, e);

	for (size_t i = 0; !ret && i < c->counters.n; i++) {
		struct counter *counter = &c->counters.v[i];
		const struct event *ev = &c->events->v[counter->event];
		uint64_t all = read_lost(ev, counter), lost = all - counter->lost;

		if (all <= counter->lost)
			continue;
		counter->lost = all;
		c->stats.lost_counts += lost;
		ret = write_lost(ev, counter, c->cells.v[counter->cell].cpu, lost, sink, e);
	}
	return ret;
}

int capture_finish(struct capture *c, const struct capture_sink *sink, struct err *e)
{
	for (size_t i = 0; i < c->counters.n; i++)
		ioctl(c->counters.v[i].fd, PERF_EVENT_IOC_DISABLE, 0);
	return capture_end_file(c, sink, e);
}

const struct capture_stats *capture_stats(const struct capture *c)
{
	return &c->stats;
}

void capture_reset_stats(struct capture *c)
{
	const struct capture_stats *st = &c->stats;

	c->lost_ahead += max_u64(st->lost_counts, st->lost_records) - st->lost_records;
	c->stats = (struct capture_stats){ 0 };
}
