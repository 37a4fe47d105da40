// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One recording out of several. Each input is read in the order of its times; the one whose next record
 * is the oldest goes on. So all that a reader needs to know of a process stands before its samples, as
 * it stood in the input.
 *
 * An input begins with what ran when it was started: maps and names without a time, which readers take at
 * once, wherever they stand. In the output they have to come when their input began, behind what
 * others recorded before: so they wait for its first record with a time, and get that time.
 *
 * FINISHED_ROUND comes every few MB. All before it is older than all behind, so that readers who sort
 * need not hold more than that.
 */
#include <stdlib.h>

#include "fleet-int.h"

#define ROUND	 (4u << 20)
#define HELD_MAX (64u << 20) /* of an input that begins with more the rest goes as it comes */

/* ---- inputs ------------------------------------------------------------------------------------- */

static bool has_time(uint64_t time)
{
	return time && time != RECORD_NO_TIME;
}

static bool is_timed(const struct merge_input *in)
{
	for (size_t i = 0; i < perfdata_nr_events(in->pd); i++)
		if (perfdata_event(in->pd, i)->attr.sample_type & PERF_SAMPLE_TIME)
			return true;
	return false;
}

static int refuse(const struct merge_input *in, const struct record *rec, struct err *e)
{
	bool aux = rec->type < PERF_RECORD_STAT_CONFIG || rec->type > PERF_RECORD_STAT_ROUND;

	err_set(e, -ENOTSUP, "%s holds %s, which cannot be merged", merge_name(in),
		aux ? "an AUX area trace" : "counts of perf stat");
	err_hint(e, aux ? "perf inject --strip leaves the trace out, then merge what it wrote."
			: "perf stat report shows each file.");
	return -ENOTSUP;
}

/* The next record from the file that the output may have; ended at its end. */
static int read_record(struct merge *m, struct merge_input *in, struct err *e)
{
	struct err damage = { 0 };
	int got;

	for (;;) {
		got = perfdata_next_ordered(in->pd, &in->rec, &damage);
		if (got == -ENOMEM)
			return err_set(e, got, "%s", damage.text);
		if (got <= 0) {
			in->ended = true;
			m->stats.damaged += got < 0;
			if (got < 0)
				log_to(&m->o->log, LOG_WARN, "%s: what came before is merged",
				       damage.text);
			return 0;
		}
		switch (merge_what(in->rec.type)) {
		case MERGE_TAKE: return 0;
		case MERGE_REFUSE: return refuse(in, &in->rec, e);
		case MERGE_LEAVE: break;
		}
	}
}

static int hold(struct merge_input *in)
{
	struct merge_held h = { .rec = in->rec, .at = in->bytes.len };

	obuf_mem(&in->bytes, in->rec.data, in->rec.size);
	return in->bytes.code ?: vec_push(&in->held, h);
}

/* Reads up to the first record with a time. */
static int read_head(struct merge *m, struct merge_input *in, struct err *e)
{
	int ret = obuf_init(&in->bytes, -1, 0);

	if (ret)
		return err_set(e, ret, "out of memory for inputs");
	if (perfdata_swapped(in->pd)) {
		err_set(e, -ENOTSUP, "%s is of the other byte order, which is not written",
			merge_name(in));
		err_hint(e, "Merge on a machine of that byte order.");
		return -ENOTSUP;
	}
	while (!(ret = read_record(m, in, e)) && !in->ended) {
		merge_see_head(in, &in->rec);
		if (has_time(in->rec.time))
			in->time = in->rec.time;
		if (in->time || !is_timed(in) || in->bytes.len > HELD_MAX)
			break;
		if (hold(in))
			return err_set(e, -ENOMEM, "out of memory for the head of %s",
				       merge_name(in));
	}
	return ret;
}

/* Moves on to the next record: one that waited, then those of the file. */
static int advance(struct merge *m, struct merge_input *in, struct err *e)
{
	int ret;

	if (in->next_held < in->held.n) {
		if (++in->next_held == in->held.n)
			obuf_free(&in->bytes); /* the one with a time is in .rec */
		return 0;
	}
	ret = read_record(m, in, e);
	if (!ret && !in->ended && has_time(in->rec.time))
		in->time = in->rec.time;
	return ret;
}

static bool is_done(const struct merge_input *in)
{
	return in->next_held >= in->held.n && in->ended;
}

static struct record next_record(const struct merge_input *in)
{
	struct record rec = in->rec;

	if (in->next_held < in->held.n) {
		const struct merge_held *h = &in->held.v[in->next_held];

		rec = h->rec;
		rec.data = (const unsigned char *)in->bytes.buf + h->at;
	}
	return rec;
}

/* ---- heap --------------------------------------------------------------------------------------- */

static bool before(const struct merge *m, uint32_t a, uint32_t b)
{
	uint64_t x = m->in[a].time + (uint64_t)m->in[a].shift;
	uint64_t y = m->in[b].time + (uint64_t)m->in[b].shift;

	return x != y ? x < y : a < b;
}

static void sift_down(struct merge *m, size_t i)
{
	uint32_t *v = m->heap.v, moved = v[i];

	for (;;) {
		size_t c = 2 * i + 1;

		if (c >= m->heap.n)
			break;
		c += c + 1 < m->heap.n && before(m, v[c + 1], v[c]);
		if (!before(m, v[c], moved))
			break;
		v[i] = v[c];
		i = c;
	}
	v[i] = moved;
}

static int start_heap(struct merge *m, struct err *e)
{
	for (uint32_t i = 0; i < m->nr; i++)
		if (!is_done(&m->in[i]) && vec_push(&m->heap, i))
			return err_set(e, -ENOMEM, "out of memory for inputs");
	for (size_t i = m->heap.n / 2; i--;)
		sift_down(m, i);
	return 0;
}

/* ---- what has to be changed --------------------------------------------------------------------- */

/* Those of the input that begins first stand where they have to. */
static void choose_times(struct merge *m)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < m->nr; i++)
		if (before(m, i, first))
			first = i;
	for (uint32_t i = 0; i < m->nr; i++)
		m->in[i].retime = i != first;
}

static int plan(struct merge *m, struct err *e)
{
	int ret = merge_machines(m, e);

	ret = ret ?: merge_check_numbers(m, e);
	ret = ret ?: merge_objects(m, e);
	ret = ret ?: merge_events(m, e);
	if (ret)
		return ret;
	choose_times(m);
	for (size_t i = 0; i < m->nr; i++) {
		struct merge_input *in = &m->in[i];

		in->edit = m->told || in->new_ids || in->retime || in->shift || in->own_objects.n ||
			   m->stats.machines > 1;
	}
	return 0;
}

/* ---- the walk ----------------------------------------------------------------------------------- */

static int write_round(struct merge *m, struct err *e)
{
	static const struct {
		uint32_t type;
		uint16_t misc, size;
	} round = { PERF_RECORD_FINISHED_ROUND, 0, 8 };

	m->round = 0;
	return perfdata_writer_write(m->w, &round, sizeof(round), NULL, 0, e);
}

static int write_record(struct merge *m, const struct merge_input *in, struct err *e)
{
	struct record rec = next_record(in);
	int ret = merge_record(m, in, &rec, e);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = perfdata_writer_write(m->w, rec.data, rec.size, NULL, 0, e);
	m->stats.records++;
	if (rec.type == PERF_RECORD_SAMPLE) {
		m->stats.samples++;
		if (has_time(rec.time)) {
			uint64_t t = rec.time + (uint64_t)in->shift;

			m->first_time = min_u64(m->first_time, t);
			m->last_time = max_u64(m->last_time, t);
		}
	}
	m->round += rec.size;
	return ret ?: m->round >= ROUND ? write_round(m, e) : 0;
}

/* A stream may tell of events later; the head of the output is written by then. */
static int check_late_event(const struct merge_input *in, struct err *e)
{
	if (likely(perfdata_nr_events(in->pd) == in->event.n))
		return 0;
	err_set(e, -ENOTSUP, "%s tells of an event behind its first records", merge_name(in));
	err_hint(e, "perf inject -i %s -o FILE makes a file of it that can be merged.",
		 merge_name(in));
	return -ENOTSUP;
}

static int walk(struct merge *m, struct err *e)
{
	int ret = start_heap(m, e);

	while (!ret && m->heap.n) {
		struct merge_input *in = &m->in[m->heap.v[0]];

		ret = check_late_event(in, e);
		ret = ret ?: write_record(m, in, e);
		ret = ret ?: advance(m, in, e);
		if (is_done(in))
			m->heap.v[0] = m->heap.v[--m->heap.n];
		if (m->heap.n)
			sift_down(m, 0);
	}
	return ret;
}

static int run(struct merge *m, int fd, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < m->nr; i++)
		ret = read_head(m, &m->in[i], e);
	ret = ret ?: plan(m, e);
	if (ret)
		return ret;
	merge_say_differences(m);
	ret = merge_open_writer(m, fd, e);
	ret = ret ?: merge_features(m, false, e);
	ret = ret ?: walk(m, e);
	ret = ret ?: merge_features(m, true, e);
	ret = ret ?: perfdata_writer_finish(m->w, e);
	if (m->w)
		m->stats.bytes = perfdata_writer_bytes(m->w);
	return ret;
}

static void merge_free(struct merge *m)
{
	for (size_t i = 0; m->in && i < m->nr; i++) {
		struct merge_input *in = &m->in[i];

		vec_free(&in->event);
		vec_free(&in->ids);
		htab_free(&in->id_tab);
		vec_free(&in->own_objects);
		htab_free(&in->own_tab);
		vec_free(&in->held);
		obuf_free(&in->bytes);
	}
	free(m->in);
	vec_for_each (ev, &m->events)
		vec_free(&ev->ids);
	vec_free(&m->events);
	vec_free(&m->ids);
	htab_free(&m->id_tab);
	merge_numbers_free(&m->pids);
	merge_numbers_free(&m->cgroups);
	vec_free(&m->heap);
	bits_free(&m->features);
	perfdata_writer_free(m->w);
	free(m->buf);
}

int fleet_merge(struct perfdata *const *in, size_t nr, int fd, const struct fleet_merge_opts *o,
		struct fleet_merge_stats *stats, struct err *e)
{
	struct merge m = { .o = o, .nr = nr, .first_time = UINT64_MAX };
	int ret = bits_init(&m.features, FEAT_BITS);

	m.in = calloc(nr, sizeof(*m.in));
	/* A record of any size, with all that it can be given. */
	m.buf = malloc(UINT16_MAX + 256);
	if (ret || !m.in || !m.buf)
		ret = err_set(e, -ENOMEM, "out of memory for %zu inputs", nr);
	for (size_t i = 0; !ret && i < nr; i++)
		m.in[i].pd = in[i];
	ret = ret ?: run(&m, fd, e);
	if (stats)
		*stats = m.stats;
	merge_free(&m);
	return ret;
}
