// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Building records, and those of the tool itself: id index, thread and CPU map. A record is at
 * most 64 KiB, so a list that is longer becomes several; room for what sample_id_all puts at the
 * end is always left.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "attr/attr.h"
#include "capture/capture-int.h"

/* ---- one record -------------------------------------------------------------------------------- */

void synth_rec_begin(struct synth_record *r, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	memcpy(r->buf, &h, sizeof(h));
	r->len = sizeof(h);
}

void synth_rec_bytes(struct synth_record *r, const void *p, size_t n)
{
	/* Room for the fields at the end is always left. */
	if (n > sizeof(r->buf) - 64 - r->len)
		n = sizeof(r->buf) - 64 - r->len;
	memcpy(r->buf + r->len, p, n);
	r->len += n;
}

void synth_rec_u16(struct synth_record *r, uint16_t v)
{
	synth_rec_bytes(r, &v, sizeof(v));
}

void synth_rec_u32(struct synth_record *r, uint32_t v)
{
	synth_rec_bytes(r, &v, sizeof(v));
}

void synth_rec_u64(struct synth_record *r, uint64_t v)
{
	synth_rec_bytes(r, &v, sizeof(v));
}

static void record_pad(struct synth_record *r)
{
	while (r->len % 8)
		r->buf[r->len++] = 0;
}

void synth_rec_string(struct synth_record *r, const char *s)
{
	size_t n = strnlen(s, PATH_MAX - 1);

	synth_rec_bytes(r, s, n);
	r->buf[r->len++] = 0;
	record_pad(r);
}

static int hand_over(struct synth_record *r, struct synth *s, struct err *e)
{
	struct perf_event_header h;

	record_pad(r);
	memcpy(&h, r->buf, sizeof(h));
	h.size = (uint16_t)r->len;
	memcpy(r->buf, &h, sizeof(h));
	return s->sink->write(s->sink->ctx, r->buf, r->len, NULL, 0, e);
}

int synth_rec_end(struct synth_record *r, struct synth *s, struct err *e)
{
	/* All zero: no time means "before everything that has one". */
	for (unsigned n = s->sample_id_all ? attr_trailer_offset(s->sample_type, 0) : 0; n; n -= 8)
		synth_rec_u64(r, 0);
	return hand_over(r, s, e);
}

int synth_rec_end_plain(struct synth_record *r, struct synth *s, struct err *e)
{
	return hand_over(r, s, e);
}

/* ---- the tool's own ------------------------------------------------------------------------------- */

#define MAX_INDEX 2000 /* entries of 32 bytes in one record */

int synth_id_index(struct synth *s, const struct capture *c, struct err *e)
{
	struct synth_record *r = malloc(sizeof(*r));
	size_t total = capture_nr_ids(c);
	int ret = 0;

	if (!r)
		return err_set(e, -ENOMEM, "no memory for a record");
	for (size_t i = 0; !ret && i < total;) {
		size_t n = total - i < MAX_INDEX ? total - i : MAX_INDEX;

		synth_rec_begin(r, PERF_RECORD_ID_INDEX, 0);
		synth_rec_u64(r, n);
		for (; n; n--, i++) {
			struct capture_id id;

			capture_id(c, i, &id);
			synth_rec_u64(r, id.id);
			synth_rec_u64(r, id.ring);
			synth_rec_u64(r, (uint64_t)(int64_t)id.cpu);
			synth_rec_u64(r, (uint64_t)(int64_t)id.tid);
		}
		ret = synth_rec_end_plain(r, s, e);
	}
	free(r);
	return ret;
}

#define COMM	    16
#define MAX_THREADS 2500 /* entries of 24 bytes in one record */

static void put_thread(struct synth_record *r, const char *proc, pid_t tid)
{
	char path[PATH_MAX], comm[COMM] = "", *text;

	snprintf(path, sizeof(path), "%s/%d/comm", proc, tid);
	text = tid > 0 ? file_read_all(path, 256, NULL, NULL) : NULL;
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		memcpy(comm, text, strnlen(text, sizeof(comm) - 1));
	}
	free(text);
	synth_rec_u64(r, (uint64_t)(int64_t)tid);
	synth_rec_bytes(r, comm, sizeof(comm));
}

int synth_thread_map(struct synth *s, const struct capture_target *t, struct err *e)
{
	static const pid_t all = -1;
	const pid_t *tids = t->system_wide ? &all : t->tids.v;
	size_t nr = t->system_wide ? 1 : t->tids.n;
	struct synth_record *r = malloc(sizeof(*r));
	int ret;

	if (!r)
		return err_set(e, -ENOMEM, "no memory for a record");
	if (nr > MAX_THREADS)
		nr = MAX_THREADS;
	synth_rec_begin(r, PERF_RECORD_THREAD_MAP, 0);
	synth_rec_u64(r, nr);
	for (size_t i = 0; i < nr; i++)
		put_thread(r, s->proc ? s->proc : "/proc", tids[i]);
	ret = synth_rec_end_plain(r, s, e);
	free(r);
	return ret;
}

#define CPU_MAP_LIST 0
#define MAX_LIST     30000

int synth_cpu_map(struct synth *s, const struct capture_target *t, struct err *e)
{
	struct synth_record *r = malloc(sizeof(*r));
	struct bits online = { 0 };
	const struct bits *cpus = t->cpus_given ? &t->cpus : &online;
	uint16_t n = 0;
	int ret;

	if (!r)
		return err_set(e, -ENOMEM, "no memory for a record");
	ret = capture_online_cpus(&online, e);
	if (ret)
		goto out;
	for (size_t i = 0; i < cpus->nr && n < MAX_LIST; i++)
		n += bits_test(cpus, i);
	synth_rec_begin(r, PERF_RECORD_CPU_MAP, 0);
	synth_rec_u16(r, CPU_MAP_LIST);
	synth_rec_u16(r, t->per_thread ? 1 : n);
	if (t->per_thread)
		synth_rec_u16(r, UINT16_MAX); /* any */
	for (size_t i = 0; !t->per_thread && i < cpus->nr && n; i++) {
		if (!bits_test(cpus, i))
			continue;
		synth_rec_u16(r, (uint16_t)i);
		n--;
	}
	ret = synth_rec_end_plain(r, s, e);
out:
	bits_free(&online);
	free(r);
	return ret;
}

int synth_finished_init(struct synth *s, struct err *e)
{
	static const struct perf_event_header h = { .type = PERF_RECORD_FINISHED_INIT,
						    .size = sizeof(h) };

	return s->sink->write(s->sink->ctx, &h, sizeof(h), NULL, 0, e);
}
