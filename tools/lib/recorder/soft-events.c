// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The events of a recording by ptrace. Each is opened once, as the tracer will open it on every
 * thread, so that a refusal is explained before the program runs; what the file says of its samples
 * is put into its attr. Then the list is the tracer's, but for the dummy at its end, which capture
 * opens for maps and names.
 */
#include <sys/ioctl.h>
#include <unistd.h>

#include "recorder/recorder-int.h"

#define DEPTH_DEFAULT 32
#define SPAN_DEFAULT  50 /* us */

/* Opens the event once, as the tracer will: falls back to a clock, learns an id. */
static int try_event(struct recorder *rec, size_t i, struct err *e)
{
	struct event *ev = &rec->events->v[i];
	struct event trial = *ev;
	int fd;

	tracer_kernel_attr(&rec->soft.opts, &ev->attr, &trial.attr);
	trial.attr.flags |= ATTR_FLAG_DISABLED;
	trial.leader = 0;
	fd = event_open(&rec->opener, &trial, 0, -1, -1);
	if (fd < 0 && ev->is_default && !rec->opts->no_fallback &&
	    ev->attr.type == PERF_TYPE_HARDWARE &&
	    !event_fall_back_to_clock(rec->events, ev, true)) {
		ev->is_default = false;
		return try_event(rec, i, e);
	}
	/* an ordinary user may watch user space only: that is what is asked for here in any case */
	if ((fd == -EACCES || fd == -EPERM) && !(ev->attr.flags & ATTR_FLAG_EXCLUDE_KERNEL) &&
	    !(ev->set & EVENT_SET_EXCLUDE)) {
		recorder_say(rec, LOG_INFO, "%s: user space only (kernel.perf_event_paranoid)",
			     ev->name);
		ev->attr.flags |= ATTR_FLAG_EXCLUDE_KERNEL;
		return try_event(rec, i, e);
	}
	if (fd < 0)
		return events_explain_open_error(&rec->opener, &trial, 0, -1, fd, &rec->context, e);
	ev->attr.flags = (ev->attr.flags & ~(uint64_t)ATTR_FLAG_PRECISE_MASK) |
			 (trial.attr.flags & ATTR_FLAG_PRECISE_MASK);
	if (ioctl(fd, PERF_EVENT_IOC_ID, &rec->soft.id[i]))
		rec->soft.id[i] = UINT64_MAX - i;
	close(fd);
	return 0;
}

/* What a sample from the tracer holds, as the file says it. */
static void fit_attr(const struct recorder *rec, struct perf_event_attr *a)
{
	uint32_t type = a->type;

	/* a clock that the kernel samples has no R16-R31 and SSP, a stopped thread has */
	if (rec->soft.regs) {
		a->type = PERF_TYPE_HARDWARE;
		regs_to_attr(recorder_regs(rec, RECORDER_INTR),
			     &rec->opts->regs.of[RECORDER_INTR].caps,
			     recorder_regs(rec, RECORDER_USER),
			     &rec->opts->regs.of[RECORDER_USER].caps, a);
		a->type = type;
		/* plain general registers are what every reader knows */
		if (!(a->sample_simd_vec_reg_user | a->sample_simd_pred_reg_user |
		      a->sample_simd_vec_reg_intr | a->sample_simd_pred_reg_intr) &&
		    !((a->sample_regs_user | a->sample_regs_intr) >> 24))
			a->sample_simd_regs_enabled = 0;
	}
	if (!tracer_machine()->kernel)
		a->flags |= ATTR_FLAG_EXCLUDE_KERNEL;
	if (rec->soft.opts.bases || rec->soft.opts.mxcsr)
		a->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER;
	if (!rec->soft.branches)
		return;
	a->branch_sample_type = (a->branch_sample_type & RECORDER_KNOWN_BRANCHES) |
				PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_TYPE_SAVE |
				PERF_SAMPLE_BRANCH_PRIV_SAVE;
	if (rec->soft.opts.branches.span) /* which the stacks of a burst share */
		a->sample_type |= PERF_SAMPLE_PERIOD;
	a->flags |= ATTR_FLAG_EXCLUDE_KERNEL; /* there is no way to be followed there */
	a->flags &= ~(uint64_t)ATTR_FLAG_PRECISE_MASK;
}

/* Its samples come as time passes, so spans behind them have no bias. */
static bool passes_as_time(const struct perf_event_attr *a)
{
	return attr_is_clock(a) ||
	       (a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_CPU_CYCLES);
}

static bool wants_any_chain(const struct recorder *rec)
{
	return event_callchain(&rec->events->v[0], &rec->opts->callchain).mode != CALLCHAIN_NONE;
}

/*
 * Where nothing was said samples of branches alone are bursts. Chains are about places: many samples
 * say more than all branches at a few.
 */
int recorder_soft_branches(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	size_t nr = rec->events->n - 1; /* less the dummy */
	const char *other =
		nr > 1				    ? "more than one event"
		: recorder_regs(rec, RECORDER_USER) ? "--user-regs"
		: recorder_soft_copies(rec)	    ? "--call-graph dwarf"
		: o->branch_strategy != TRACER_AUTO && o->branch_strategy != TRACER_INTERPRET
			? "--branch-strategy"
			: NULL;

	if (!rec->soft.branches)
		return 0;
	if (o->branch_trace && nr > 1)
		return err_set(e, -EINVAL,
			       "--branch-trace begins at the samples of one event, not of %zu", nr);
	if (o->branch_trace && recorder_soft_copies(rec)) {
		err_set(e, -EINVAL,
			"--branch-trace has no registers, which --call-graph dwarf copies where "
			"perf cannot unwind stacks by itself");
		err_hint(e, "Take call chains by frame pointers: -g.");
		return -EINVAL;
	}
	if (o->branch_span > 0 && other)
		return err_set(
			e, -EINVAL,
			"--branch-span records branches of one event: %s does not go with it",
			other);
	if (o->branch_span >= 0)
		rec->soft.span_ns = (uint64_t)(o->branch_span * 1000);
	else if (!other && !o->branch_trace && !wants_any_chain(rec) &&
		 passes_as_time(&rec->events->v[0].attr))
		rec->soft.span_ns = SPAN_DEFAULT * 1000;
	return 0;
}

static int fill_branches(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;

	if (!rec->soft.branches)
		return 0;
	if (o->branch_depth > TRACER_MAX_DEPTH)
		return err_set(e, -EINVAL, "--branch-depth is 1 to %d", TRACER_MAX_DEPTH);
	rec->soft.opts.branches = (struct tracer_branches){
		.on = true,
		.strategy = o->branch_strategy,
		.filter = o->branch_filter,
		.depth = o->branch_depth ? (uint32_t)o->branch_depth : DEPTH_DEFAULT,
		.budget = o->branch_budget,
		.span = rec->soft.span_ns,
		.trace = o->branch_trace,
	};
	return 0;
}

/* Where a sample has its time; 0 = nowhere, or not at one place for all events. */
static size_t time_offset(const struct event_list *l)
{
	uint64_t type = l->v[0].attr.sample_type;

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	return 8 + 8 * (!!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP) +
			!!(type & PERF_SAMPLE_TID));
}

/* A group is read together by the kernel; the tracer's events are one by one on each thread. */
static int check_group(const struct recorder *rec, const struct event *ev, struct err *e)
{
	if (!ev->sample_read && ev->nr_members <= 1 && !(ev->attr.sample_type & PERF_SAMPLE_AUX))
		return 0;
	err_set(e, -EINVAL,
		"%s: a group cannot be sampled with %s: there each event is sampled by itself",
		ev->name, recorder_soft_what(rec));
	err_hint(e, "Leave the braces (or --group) and :S out, or take what the kernel gives: %s.",
		 rec->soft.branches ? "--branch-source=hardware"
		 : rec->soft.regs   ? "--reg-source=kernel"
				    : "--call-graph dwarf");
	return -EINVAL;
}

/* The bases of FS and GS, and MXCSR, take the place of raw data. */
static int check_raw(const struct recorder *rec, const struct event *ev, struct err *e)
{
	const struct tracer_opts *t = &rec->soft.opts;

	if (!(t->bases || t->mxcsr) || !(ev->attr.sample_type & PERF_SAMPLE_RAW))
		return 0;
	err_set(e, -EINVAL,
		"%s: its samples carry raw data (a tracepoint, or -R), where %s would go", ev->name,
		t->bases ? "the bases of FS and GS" : REGS_MXCSR_NAME);
	err_hint(e, "Leave %s out, or take an event without raw data and no -R.",
		 t->bases ? "fsbase and gsbase" : "mxcsr");
	return -EINVAL;
}

int recorder_soft_prepare(struct recorder *rec, struct err *e)
{
	struct tracer_opts *t = &rec->soft.opts;
	struct event_list *l = rec->events;
	int ret;

	if (!recorder_by_ptrace(rec))
		return 0;
	/* the last one is the dummy */
	rec->soft.nr = l->n - 1;
	if (rec->soft.nr > TRACER_MAX_EVENTS)
		return err_set(e, -EINVAL, "at most %d events can be sampled by ptrace",
			       TRACER_MAX_EVENTS);
	t->regs = rec->soft.regs || (rec->soft.branches && recorder_regs(rec, RECORDER_USER)) ||
		  recorder_soft_copies(rec);
	t->bases = rec->soft.regs && recorder_regs(rec, RECORDER_USER)->bases;
	t->mxcsr = rec->soft.regs && recorder_regs(rec, RECORDER_USER)->mxcsr;
	t->reg_budget = rec->opts->reg_budget;
	ret = fill_branches(rec, e);
	if (!ret && rec->soft.chains) {
		t->chains = (struct tracer_chains){ recorder_stack, rec->soft.ahead };
		ret = recorder_stacks_new(rec, e);
	}
	for (size_t i = 0; i < rec->soft.nr && !ret; i++) {
		struct event *ev = &l->v[i];

		ret = check_group(rec, ev, e);
		if (!ret)
			ret = check_raw(rec, ev, e);
		if (ret)
			return ret;
		fit_attr(rec, &ev->attr);
		ret = try_event(rec, i, e);
		t->event[i] = (struct tracer_event){ ev->attr, rec->soft.id[i] };
	}
	t->nr_events = rec->soft.nr;
	t->inherit = !rec->opts->no_inherit;
	t->on_exec = rec->target->workload && !rec->opts->delay;
	t->log = rec->opts->log;
	t->paused = rec->opts->delay;
	t->write = recorder_soft_write;
	t->ctx = rec;
	rec->soft.time_at = time_offset(l);
	/* capture opens the dummy alone */
	rec->soft.tracking = l->v[rec->soft.nr];
	rec->soft.tracking.leader = 0;
	rec->soft.tracking_list = (struct event_list){ .v = &rec->soft.tracking, .n = 1 };
	return ret ? ret : tracer_new(&rec->soft.tracer, t, e);
}
