// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The output file: opened so that nothing of value is lost, its features, and its end. Features that
 * are known at the start are written at the start, since a stream has them before its data or never;
 * at the end come those that only the records tell.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/lack.h"
#include "host/host.h"
#include "recorder/recorder-int.h"

/* ---- opening ------------------------------------------------------------------------------------ */

void recorder_undo_output(struct recorder *rec)
{
	char old[PATH_MAX];

	if (!rec->created)
		return;
	snprintf(old, sizeof(old), "%s.old", rec->path);
	if (rec->kept_old)
		rename(old, rec->path);
	else
		unlink(rec->path);
}

bool recorder_output_is_empty(const struct recorder *rec)
{
	struct stat st;

	return rec->fd >= 0 && rec->created && !fstat(rec->fd, &st) && !st.st_size;
}

int recorder_open_output(struct recorder *rec, struct err *e)
{
	bool stream = output_descriptor(rec->opts->output) >= 0;
	struct output out;
	struct stat st;
	int ret;

	rec->path = rec->opts->output;
	if (stream && isatty(output_descriptor(rec->path))) {
		err_set(e, -EINVAL, "a recording is not written to a terminal");
		err_hint(e, "perf record -o - ... | perf report -i -");
		return -EINVAL;
	}
	ret = output_open(&out, rec->path, OUTPUT_RECORDING, &rec->opts->log, e);
	rec->fd = out.fd;
	rec->created = out.created;
	rec->kept_old = out.kept_old;
	/* A stream even into a regular file: that is what "-" asks for. */
	rec->pipe = out.pipe || stream;
	if (!ret && stream && !fstat(rec->fd, &st) && S_ISREG(st.st_mode))
		recorder_say(rec, LOG_INFO, "stdout is a file: it gets the stream form");
	return ret;
}

/* ---- features ------------------------------------------------------------------------------------- */

static int put_feature(struct recorder *rec, int id, struct obuf *o, struct err *e)
{
	int ret = o->code ? err_set(e, o->code, "no memory for feature %d", id)
			  : perfdata_writer_feature(rec->writer, id, o->buf, o->len, e);

	o->len = 0;
	return ret;
}

static int put_cmdline(struct recorder *rec, struct obuf *o, struct err *e)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	feature_put_u32(o, (uint32_t)rec->opts->argc + 1);
	feature_put_string(o, n > 0 ? self : "perf");
	for (int i = 0; i < rec->opts->argc; i++)
		feature_put_string(o, rec->opts->argv[i]);
	return put_feature(rec, FEAT_CMDLINE, o, e);
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts = { 0 };

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int put_clock(struct recorder *rec, struct obuf *o, struct err *e)
{
	struct timespec res = { 0 };
	int ret;

	if (!rec->opts->use_clockid)
		return 0;
	clock_getres(rec->opts->clockid, &res);
	feature_put_u64(o, (uint64_t)res.tv_sec * 1000000000 + (uint64_t)res.tv_nsec);
	ret = put_feature(rec, FEAT_CLOCKID, o, e);
	feature_put_u32(o, 1); /* version */
	feature_put_u32(o, (uint32_t)rec->opts->clockid);
	feature_put_u64(o, clock_ns(CLOCK_REALTIME));
	feature_put_u64(o, clock_ns(rec->opts->clockid));
	return ret ? ret : put_feature(rec, FEAT_CLOCK_DATA, o, e);
}

static int put_host(struct recorder *rec, struct obuf *o, struct err *e)
{
	static const int host[] = {
		FEAT_HOSTNAME,	   FEAT_OSRELEASE,     FEAT_VERSION,	     FEAT_ARCH,
		FEAT_NRCPUS,	   FEAT_CPUDESC,       FEAT_CPUID,	     FEAT_TOTAL_MEM,
		FEAT_CPU_TOPOLOGY, FEAT_NUMA_TOPOLOGY, FEAT_PMU_MAPPINGS,    FEAT_CACHE,
		FEAT_MEM_TOPOLOGY, FEAT_CPU_PMU_CAPS,  FEAT_HYBRID_TOPOLOGY, FEAT_PMU_CAPS,
		FEAT_E_MACHINE,	   FEAT_CLN_SIZE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(host); i++) {
		int ret = host_feature(host[i], o);

		if (ret) {
			o->len = 0;
			continue;
		}
		ret = put_feature(rec, host[i], o, e);
		if (ret)
			return ret;
	}
	return 0;
}

/* With --call-graph lbr the entries are chains: the file has no branches to report. */
static bool is_call_stack(const struct event *ev)
{
	return ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN &&
	       ev->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static bool has_branches(const struct event_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK && !is_call_stack(&l->v[i]))
			return true;
	return false;
}

/* What is known before the first record; in a stream it must stand before the data. */
static int put_early(struct recorder *rec, struct err *e)
{
	struct obuf o;
	int ret = obuf_init(&o, -1, 0);

	if (ret)
		return err_set(e, ret, "no memory for the header");
	ret = put_host(rec, &o, e);
	if (!ret)
		ret = put_cmdline(rec, &o, e);
	if (!ret)
		ret = put_clock(rec, &o, e);
	if (!ret && rec->soft.nr) {
		recorder_soft_feature(rec, &o);
		ret = put_feature(rec, FEAT_SAMPLE_SOURCE, &o, e);
	}
	if (!ret && has_branches(rec->events))
		ret = put_feature(rec, FEAT_BRANCH_STACK, &o, e);
	if (!ret && capture_tracing_data(rec->events, &o))
		ret = put_feature(rec, FEAT_TRACING_DATA, &o, e);
	obuf_free(&o);
	return ret;
}

/*
 * A stream whose reader does not read. After a signal it has three seconds more; a second signal
 * ends the waiting at once.
 */
static bool give_up(void *ctx, unsigned ms)
{
	struct recorder *rec = ctx;
	unsigned nr = capture_look_for_signals(rec->capture);

	if (!nr || !ms)
		rec->stuck_ms = ms;
	return nr > 1 || (nr && ms - min_u64(ms, rec->stuck_ms) >= 3000);
}

int recorder_start_file(struct recorder *rec, struct err *e)
{
	struct perfdata_writer_opts wo = { .fd = rec->fd,
					   .pipe = rec->pipe,
					   .compress_level = rec->opts->compress_level,
					   .give_up = give_up,
					   .ctx = rec,
					   .log = rec->opts->log };
	size_t n = rec->events->n;
	struct perfdata_writer_event *evs = calloc(n, sizeof(*evs));
	int ret;

	if (!evs)
		return err_set(e, -ENOMEM, "no memory for %zu events", n);
	for (size_t i = 0; i < n; i++) {
		const struct event *ev = &rec->events->v[i];

		evs[i] = (struct perfdata_writer_event){ .attr = ev->attr,
							 .name = ev->name,
							 .leader = ev->leader,
							 .nr_members = ev->nr_members,
							 .group = ev->group ? ev->group : "" };
		evs[i].ids = recorder_ids(rec, i, &evs[i].nr_ids);
	}
	ret = perfdata_writer_open(&rec->writer, &wo, evs, n, e);
	free(evs);
	return ret ? ret : put_early(rec, e);
}

/* ---- the end ------------------------------------------------------------------------------------------ */

static int put_late(struct recorder *rec, struct err *e)
{
	const struct capture_stats *st = capture_stats(rec->capture);
	struct obuf o;
	int ret = obuf_init(&o, -1, 0);

	if (ret)
		return err_set(e, ret, "no memory for the header");
	if (rec->soft.samples && rec->soft.first) {
		feature_put_u64(&o, rec->soft.first);
		feature_put_u64(&o, rec->soft.last);
		ret = put_feature(rec, FEAT_SAMPLE_TIME, &o, e);
	} else if (st->samples && st->first_time) {
		feature_put_u64(&o, st->first_time);
		feature_put_u64(&o, st->last_time);
		ret = put_feature(rec, FEAT_SAMPLE_TIME, &o, e);
	}
	if (!ret && !rec->opts->no_buildid &&
	    (st->samples + rec->soft.samples || rec->opts->buildid_all)) {
		struct err inner = { 0 };

		/* Build ids are a help for later; without them the recording is still good. */
		if (recorder_build_ids(rec, &o, &inner)) {
			recorder_say(rec, LOG_WARN, "no build ids: %s", inner.text);
			lack_note(inner.code, "no build ids in", rec->opts->output);
		} else if (o.len)
			ret = put_feature(rec, FEAT_BUILD_ID, &o, e);
	}
	obuf_free(&o);
	return ret;
}

/* How many samples the file has when not all that were taken could be written; -1 = unknown. */
static int64_t count_samples(const struct recorder *rec)
{
	struct perfdata_opts po = { .force = true, .log = rec->opts->log };
	struct perfdata *pd = NULL;
	struct record r;
	char path[64];
	int64_t n = 0;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", rec->fd);
	if (rec->pipe || perfdata_open(&pd, path, &po, NULL))
		return -1;
	while (perfdata_next(pd, &r, NULL) > 0)
		n += r.type == PERF_RECORD_SAMPLE;
	perfdata_close(pd);
	return n;
}

int recorder_finish_file(struct recorder *rec, struct err *e)
{
	int ret = 0;

	if (!rec->writer)
		return 0;
	if (!rec->pipe && !rec->write_code) {
		ret = perfdata_writer_flush(rec->writer, e);
		if (!ret)
			ret = put_late(rec, e);
	}
	/* Even a full disk may have room for the header's last word. */
	if (perfdata_writer_finish(rec->writer, ret ? NULL : e) && !ret)
		ret = rec->write_code ? rec->write_code : e->code ? e->code : -EIO;
	rec->cut = ret || rec->write_code;
	if (rec->cut)
		rec->samples_written = count_samples(rec);
	return ret;
}
