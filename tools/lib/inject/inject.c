// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The walk: head, records, features. A record is passed on as it is unless something of it is not
 * true any more; what describes the file itself (events, sizes, compression) is the writer's. The
 * head of a stream is known only when its first record comes, so the writer is opened then.
 */
#include <stdlib.h>

#include "inject/inject-int.h"

/* ---- head and features ------------------------------------------------------------------------ */

static int open_writer(struct inject *in, struct err *e)
{
	struct perfdata_writer_opts wo = { .fd = in->fd, .pipe = in->pipe, .log = in->o->log };
	VEC(struct perfdata_writer_event) ev = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < perfdata_nr_events(in->pd); i++) {
		const struct perfdata_event *from = perfdata_event(in->pd, i);
		struct perfdata_writer_event to = {
			.attr = from->attr,
			.name = from->name,
			.ids = from->ids,
			.nr_ids = from->nr_ids,
			.leader = from->leader,
			.nr_members = from->nr_members,
			.group = from->group,
		};

		ret = vec_push(&ev, to);
	}
	if (ret)
		ret = err_set(e, ret, "out of memory for events");
	ret = ret ?: perfdata_writer_open(&in->w, &wo, ev.v, ev.n, e);
	vec_free(&ev);
	return ret;
}

/* Not the writer's own, those that would not be true any more, and the build ids of a file. */
static bool is_copied(const struct inject *in, int id)
{
	switch (id) {
	case FEAT_EVENT_DESC:
	case FEAT_GROUP_DESC:
	case FEAT_COMPRESSED:
	case FEAT_DIR_FORMAT: return false;
	case FEAT_BUILD_ID: return in->pipe;
	case FEAT_AUXTRACE: return !in->o->strip;
	default: return true;
	}
}

/* Those that are there and were not written yet: in a stream more may come behind the records. */
static int copy_features(struct inject *in, struct err *e)
{
	int ret = 0;

	for (int id = 1; !ret && id < FEAT_BITS; id++) {
		const void *data;
		size_t size;

		if (bits_test(&in->features, (size_t)id) || !is_copied(in, id) ||
		    !perfdata_has_feature(in->pd, id))
			continue;
		data = perfdata_feature_raw(in->pd, id, &size);
		if (!data)
			continue;
		bits_set(&in->features, (size_t)id);
		ret = perfdata_writer_feature(in->w, id, data, size, e);
	}
	return ret;
}

/* Records that tell of events and features; their content is written by the writer. */
static bool is_head(uint32_t type)
{
	return type == PERF_RECORD_HEADER_ATTR || type == PERF_RECORD_HEADER_EVENT_TYPE ||
	       type == PERF_RECORD_HEADER_TRACING_DATA || type == PERF_RECORD_HEADER_FEATURE;
}

static int begin(struct inject *in, struct err *e)
{
	int ret = open_writer(in, e);

	if (!ret && in->pipe)
		ret = copy_features(in, e);
	return ret;
}

/* ---- records ---------------------------------------------------------------------------------- */

static bool is_aux(uint32_t type)
{
	return type == PERF_RECORD_AUX || type == PERF_RECORD_ITRACE_START ||
	       type == PERF_RECORD_AUX_OUTPUT_HW_ID || type == PERF_RECORD_AUXTRACE_INFO ||
	       type == PERF_RECORD_AUXTRACE || type == PERF_RECORD_AUXTRACE_ERROR;
}

static bool leave_out(struct inject *in, const struct record *rec)
{
	/* Behind records in order a round would end nothing. */
	return rec->type == PERF_RECORD_FINISHED_ROUND || (in->o->strip && is_aux(rec->type)) ||
	       (rec->type == PERF_RECORD_HEADER_BUILD_ID && !in->pipe);
}

static int take_record(struct inject *in, const struct record *rec, struct err *e)
{
	const void *data = rec->data;
	bool drop = leave_out(in, rec);
	int ret = 0;

	if (rec->type == PERF_RECORD_AUXTRACE && !drop) {
		err_set(e, -ENOTSUP, "the recording holds an AUX area trace, which is not copied");
		err_hint(e, "perf inject --strip leaves the trace out.");
		return -ENOTSUP;
	}
	if (in->o->jit && rec->time != RECORD_NO_TIME)
		ret = inject_jit_advance(in, rec->time, e);
	if (!ret && in->o->jit && !drop)
		ret = inject_jit_record(in, rec, &drop, e);
	if (!ret && in->ids)
		ret = ids_record(in, rec, &data, e);
	if (drop)
		in->stats.left_out++;
	else if (!ret)
		ret = perfdata_writer_write(in->w, data, rec->size, NULL, 0, e);
	in->stats.records++;
	return ret;
}

static int copy_records(struct inject *in, struct err *e)
{
	struct err damage = { 0 };
	struct record rec;
	int got, ret = 0;

	while (!ret && (got = perfdata_next_ordered(in->pd, &rec, &damage)) > 0) {
		if (is_head(rec.type))
			continue;
		if (rec.swap)
			return err_set(
				e, -ENOTSUP,
				"the recording is of the other byte order, which is not written");
		ret = in->w ? 0 : begin(in, e);
		ret = ret ?: take_record(in, &rec, e);
	}
	if (!ret && got < 0)
		log_to(&in->o->log, LOG_WARN, "%s", damage.text);
	if (!ret && damage.hint[0])
		log_to(&in->o->log, LOG_WARN, "%s", damage.hint);
	return ret;
}

int inject_run(struct perfdata *pd, int fd, bool pipe, const struct inject_opts *o,
	       struct inject_stats *stats, struct err *e)
{
	struct inject in = { .o = o, .pd = pd, .fd = fd, .pipe = pipe };
	int ret = bits_init(&in.features, FEAT_BITS);

	if (ret)
		return err_set(e, ret, "out of memory for features");
	if (perfdata_swapped(pd))
		ret = err_set(e, -ENOTSUP, "%s is of the other byte order, which is not written",
			      perfdata_path(pd));
	if (!ret && (o->ids || o->mmap2_ids))
		ret = ids_new(&in, e);
	ret = ret ?: copy_records(&in, e);
	if (!ret && !in.w) /* not one record */
		ret = begin(&in, e);
	ret = ret ?: copy_features(&in, e);
	if (!ret && !pipe)
		ret = ids_put_feature(&in, e);
	ret = ret ?: perfdata_writer_finish(in.w, e);
	if (in.w)
		in.stats.bytes = perfdata_writer_bytes(in.w);
	if (stats)
		*stats = in.stats;
	perfdata_writer_free(in.w);
	inject_jit_free(&in.jit);
	ids_free(in.ids);
	bits_free(&in.features);
	return ret;
}
