// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A schedule out of a recording. Switches are samples of sched:sched_switch; tasks begin and end with
 * FORK and EXIT records; a task uses LBR call stacks from its first sample of an event in call-stack
 * mode to its end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sample/sample.h"
#include "session/session.h"
#include "trace/trace.h"
#include "xstate/xstate-int.h"

struct feed {
	struct xsave_sim *sim;
	uint32_t prev_at, next_at; /* offsets of the two pids in a raw sched_switch */
	uint64_t switches;
};

/* Without the format: where every 64-bit kernel so far has them. */
static void find_fields(struct feed *f, const struct perfdata *pd)
{
	const struct trace_format *format =
		trace_named(perfdata_trace(pd), "sched", "sched_switch");
	struct trace_field field;

	f->prev_at = format && trace_field(format, "prev_pid", &field) ? field.offset : 24;
	f->next_at = format && trace_field(format, "next_pid", &field) ? field.offset : 56;
}

static int feed(struct feed *f, enum xsave_sim_kind kind, uint32_t cpu, uint32_t task,
		uint32_t next)
{
	struct xsave_sim_event ev = { .kind = kind, .cpu = cpu, .task = task, .next = next };

	return xsave_sim_event(f->sim, &ev);
}

static bool is_call_stack(const struct perfdata_event *ev)
{
	return ev->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static uint64_t need(void *ctx, const struct perfdata_event *ev)
{
	(void)ctx;
	if (is_call_stack(ev))
		return PERF_SAMPLE_TID;
	if (ev->attr.type == PERF_TYPE_TRACEPOINT && strstr(ev->name, "sched_switch"))
		return PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW;
	return SESSION_NONE;
}

static int take_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	const struct sample *s = in->s;
	struct feed *f = ctx;

	if (is_call_stack(in->rec->event)) {
		/* Without a number: the task ends as the sample is taken, or the event has none. */
		if (s->tid == UINT32_MAX || xsave_sim_uses_lbr(f->sim, s->tid))
			return 0;
		return feed(f, XSAVE_SIM_LBR_BEGIN, 0, s->tid, 0);
	}
	if (!s->raw || s->raw_size < 4 || s->raw_size - 4 < f->prev_at ||
	    s->raw_size - 4 < f->next_at)
		return err_set(e, -EINVAL, RECORD_FMT ": a sched_switch without room for its pids",
			       RECORD_ARG(in->rec->offset, in->rec->type));
	f->switches++;
	return feed(f, XSAVE_SIM_SWITCH, s->cpu, load_u32(s->raw + f->prev_at, s->swap),
		    load_u32(s->raw + f->next_at, s->swap));
}

static int take_record(void *ctx, const struct record *rec, struct err *e)
{
	bool starts = rec->type == PERF_RECORD_FORK;
	struct record_task task;
	int ret;

	if (!starts && rec->type != PERF_RECORD_EXIT)
		return 0;
	ret = record_task(rec, &task, e);
	return ret ? ret : feed(ctx, starts ? XSAVE_SIM_START : XSAVE_SIM_EXIT, 0, task.tid, 0);
}

/* A schedule with holes would be another one. What maps and names say is of no use here. */
static int refuse_bad(void *ctx, const struct record *rec, struct err *why)
{
	bool counts = rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_EXIT ||
		      (rec->type == PERF_RECORD_SAMPLE && rec->event &&
		       need(ctx, rec->event) != SESSION_NONE);

	return counts ? why->code : 0;
}

static const struct session_consumer schedule = {
	.need = need,
	.sample = take_sample,
	.record = take_record,
	.bad = refuse_bad,
};

int xstate_feed_recording(struct xsave_sim *sim, const char *path, const struct log_sink *log,
			  struct err *e)
{
	const struct session_opts opts = { .input = path, .no_symbols = true, .log = *log };
	struct feed f = { .sim = sim };
	struct session *session = NULL;
	int ret = session_open(&session, &opts, e);

	if (!ret)
		ret = session_start(session, e);
	if (!ret) {
		find_fields(&f, session_env(session)->pd);
		ret = session_read(session, &schedule, &f, e);
	}
	if (!ret && session_damage(session)) {
		*e = *session_damage(session);
		ret = e->code;
	}
	if (ret == -ENOMEM)
		err_set(e, ret, "no memory for the schedule of %s", path);
	if (!ret && !f.switches) {
		ret = err_set(e, -ENODATA, "%s holds no samples of sched:sched_switch", path);
		err_hint(e, "Record them: perf record -a -R -e sched:sched_switch -- sleep 1");
	}
	session_close(session);
	return ret;
}
