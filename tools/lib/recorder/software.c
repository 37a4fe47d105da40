// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record where kernel or machine cannot: registers and branches by ptrace (room tracer). The
 * sampling events are then the tracer's, one per thread; capture keeps the dummy event that
 * carries maps and names. The file holds both, with one id for each sampling event.
 */
#include <inttypes.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "recorder/recorder.h"

#define IOC_ID	       _IOR('$', 7, uint64_t *)
#define DEPTH_DEFAULT  32
#define BUDGET_DEFAULT 5.0

enum source { SOURCE_AUTO, SOURCE_KERNEL, SOURCE_TRACER };

static int parse_source(const char *option, const char *text, const char *kernel,
			const char *tracer, enum source *s, struct err *e)
{
	*s = SOURCE_AUTO;
	if (!text || !strcmp(text, "auto"))
		return 0;
	*s = !strcmp(text, kernel) ? SOURCE_KERNEL : SOURCE_TRACER;
	if (*s == SOURCE_TRACER && strcmp(text, tracer))
		return err_set(e, -EINVAL, "%s takes auto, %s or %s, not '%s'", option, kernel,
			       tracer, text);
	return 0;
}

/* ---- whether it is needed ---------------------------------------------------------------------------- */

/* Opens on ourselves what the first event would need; the -errno of a refusal. */
static int try_branches(const struct recorder *rec)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .size = PERF_ATTR_SIZE_VER5 };
	int fd;

	if (rec->events->n)
		attr = rec->events->v[0].attr;
	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	attr.flags |= ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL;
	fd = event_open_sys(NULL, &attr, 0, -1, -1, PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static const char *why_no_branches(const struct recorder *rec, int code)
{
	if (code == -ENOENT)
		return "this machine shows no hardware events";
	if (rec->events->n && rec->events->v[0].attr.type == PERF_TYPE_SOFTWARE)
		return "a clock has no branch records";
	return code == -EOPNOTSUPP || code == -EINVAL ? "this machine shows no branch records"
						      : strerror(-code);
}

static int choose_branches(struct recorder *rec, struct err *e)
{
	const uint64_t kernel = PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	const uint64_t known = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL |
			       PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL |
			       PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL |
			       PERF_SAMPLE_BRANCH_COND;
	const struct recorder_opts *o = rec->opts;
	enum source want;
	int ret =
		parse_source("--branch-source", o->branch_source, "hardware", "software", &want, e);

	if (ret || !o->branch_filter || want == SOURCE_KERNEL)
		return ret;
	if (want == SOURCE_AUTO) {
		ret = try_branches(rec);
		/* what cannot be done here either gets the kernel's refusal explained */
		if (!ret || !rec->context.soft_branches || rec->target.system_wide ||
		    (o->branch_filter & kernel) || !(o->branch_filter & known))
			return 0;
		snprintf(rec->why_branches, sizeof(rec->why_branches), "%s",
			 why_no_branches(rec, ret));
	}
	if (o->branch_filter & kernel)
		return err_set(
			e, -EINVAL,
			"branches are followed in software in user space only: leave k and hv out of "
			"-j");
	if (!(o->branch_filter & known))
		return err_set(
			e, -EINVAL,
			"branches in software know the filters any, any_call, any_ret, ind_call, "
			"ind_jmp, call, cond and u");
	rec->soft_branches = true;
	return 0;
}

static int choose_regs(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	enum source want;
	int ret = parse_source("--reg-source", o->reg_source, "kernel", "ptrace", &want, e);

	if (ret || !o->user_regs)
		return ret;
	if (want == SOURCE_KERNEL && o->regs_refused.code) {
		*e = o->regs_refused;
		return e->code;
	}
	rec->soft_regs = want == SOURCE_TRACER || (want == SOURCE_AUTO && o->regs_refused.code);
	if (rec->soft_regs && want == SOURCE_AUTO)
		snprintf(rec->why_regs, sizeof(rec->why_regs), "%s", o->regs_refused.text);
	return 0;
}

static int check_target(const struct recorder *rec, struct err *e)
{
	const char *what = rec->soft_branches ? "branches in software" : "registers by ptrace";

	if (rec->target.system_wide || rec->target.cpus_given) {
		err_set(e, -EINVAL, "%s need programs that can be stopped: not with -a or -C",
			what);
		err_hint(e, "Name a command, or -p PID, or -t TID.");
		return -EINVAL;
	}
	for (size_t i = 0; i < rec->target.tids.n && !rec->opts->users.items.n; i++) {
		int ret = tracer_check(rec->target.tids.v[i], e);

		if (ret)
			return ret;
	}
	if (rec->opts->callchain.mode == CALLCHAIN_LBR)
		return err_set(e, -EINVAL, "%s do not go with --call-graph lbr", what);
	if (rec->opts->intr_regs && rec->soft_branches)
		return err_set(e, -EINVAL,
			       "-I shows the sampled point, branches in software end later: use "
			       "--user-regs, which are read where they end");
	return 0;
}

int recorder_tracer_choose(struct recorder *rec, struct err *e)
{
	int ret = choose_branches(rec, e);

	if (!ret)
		ret = choose_regs(rec, e);
	if (ret || !(rec->soft_branches || rec->soft_regs))
		return ret;
	return check_target(rec, e);
}

/* ---- the events --------------------------------------------------------------------------------------- */

/* Opens the event once, as the tracer will: falls back to a clock, learns an id. */
static int try_event(struct recorder *rec, size_t i, struct err *e)
{
	struct event *ev = &rec->events->v[i];
	struct event trial = *ev;
	int fd;

	tracer_kernel_attr(&rec->tracer_opts, &ev->attr, &trial.attr);
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
		log_info("%s: user space only (kernel.perf_event_paranoid)", ev->name);
		ev->attr.flags |= ATTR_FLAG_EXCLUDE_KERNEL;
		return try_event(rec, i, e);
	}
	if (fd < 0)
		return events_explain_open_error(&rec->opener, &trial, 0, -1, fd, &rec->context, e);
	ev->attr.flags = (ev->attr.flags & ~(uint64_t)ATTR_FLAG_PRECISE_MASK) |
			 (trial.attr.flags & ATTR_FLAG_PRECISE_MASK);
	if (ioctl(fd, IOC_ID, &rec->soft_id[i]))
		rec->soft_id[i] = UINT64_MAX - i;
	close(fd);
	return 0;
}

/* What a sample from the tracer holds, as the file says it. */
static void fit_attr(const struct recorder *rec, struct perf_event_attr *a)
{
	const uint64_t keep = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_ANY_CALL |
			      PERF_SAMPLE_BRANCH_ANY_RETURN | PERF_SAMPLE_BRANCH_IND_CALL |
			      PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL |
			      PERF_SAMPLE_BRANCH_COND;

	uint32_t type = a->type;

	/* a clock that the kernel samples has no R16-R31 and SSP, a stopped thread has */
	if (rec->soft_regs) {
		a->type = PERF_TYPE_HARDWARE;
		regs_to_attr(rec->opts->intr_regs, &rec->opts->regs[0].caps, rec->opts->user_regs,
			     &rec->opts->regs[1].caps, a);
		a->type = type;
		/* plain general registers are what every reader knows */
		if (!(a->sample_simd_vec_reg_user | a->sample_simd_pred_reg_user |
		      a->sample_simd_vec_reg_intr | a->sample_simd_pred_reg_intr) &&
		    !((a->sample_regs_user | a->sample_regs_intr) >> 24))
			a->sample_simd_regs_enabled = 0;
	}
	if (rec->tracer_opts.bases)
		a->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER;
	if (!rec->soft_branches)
		return;
	a->branch_sample_type = (a->branch_sample_type & keep) | PERF_SAMPLE_BRANCH_USER |
				PERF_SAMPLE_BRANCH_TYPE_SAVE | PERF_SAMPLE_BRANCH_PRIV_SAVE;
	a->flags |= ATTR_FLAG_EXCLUDE_KERNEL; /* there is no way to be followed there */
	a->flags &= ~(uint64_t)ATTR_FLAG_PRECISE_MASK;
}

static int parse_budget(const char *option, const char *text, double *percent, struct err *e)
{
	char *end;

	*percent = BUDGET_DEFAULT;
	if (!text)
		return 0;
	*percent = strtod(text, &end);
	if (*end == '%')
		end++;
	if (end == text || *end || !(*percent >= 0 && *percent <= 100))
		return err_set(e, -EINVAL, "%s takes a percentage, not '%s'", option, text);
	return 0;
}

static int fill_branches(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct tracer_branches *b = &rec->tracer_opts.branches;

	if (!rec->soft_branches)
		return 0;
	if (o->branch_depth > TRACER_MAX_DEPTH)
		return err_set(e, -EINVAL, "--branch-depth is 1 to %d", TRACER_MAX_DEPTH);
	*b = (struct tracer_branches){ .on = true,
				       .filter = o->branch_filter,
				       .depth = o->branch_depth ? (uint32_t)o->branch_depth
								: DEPTH_DEFAULT };
	if (o->branch_strategy && tracer_strategy_parse(o->branch_strategy, &b->strategy, e))
		return e->code;
	return parse_budget("--branch-budget", o->branch_budget, &b->budget, e);
}

static int write_sample(void *ctx, const void *data, size_t size, struct err *e)
{
	struct recorder *rec = ctx;
	int ret;

	rec->soft_samples++;
	rec->soft_unflushed = true;
	if (rec->soft_time_at && size >= rec->soft_time_at + 8) {
		uint64_t time = load_u64((const char *)data + rec->soft_time_at, false);

		if (!rec->soft_first || time < rec->soft_first)
			rec->soft_first = time;
		rec->soft_last = max_u64(rec->soft_last, time);
	}
	ret = perfdata_writer_write(rec->writer, data, size, NULL, 0, e);
	if (ret)
		rec->write_code = ret;
	return ret;
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
		ev->name, rec->soft_branches ? "branches in software" : "registers by ptrace");
	err_hint(e, "Leave the braces (or --group) and :S out, or take what the kernel gives: %s.",
		 rec->soft_branches ? "--branch-source=hardware" : "--reg-source=kernel");
	return -EINVAL;
}

/* The bases of FS and GS take the place of raw data. */
static int check_raw(const struct recorder *rec, const struct event *ev, struct err *e)
{
	if (!rec->tracer_opts.bases || !(ev->attr.sample_type & PERF_SAMPLE_RAW))
		return 0;
	err_set(e, -EINVAL,
		"%s: its samples carry raw data (a tracepoint, or -R), where the bases of FS and GS "
		"would go",
		ev->name);
	err_hint(e, "Leave fsbase and gsbase out, or take an event without raw data and no -R.");
	return -EINVAL;
}

int recorder_tracer_prepare(struct recorder *rec, struct err *e)
{
	struct tracer_opts *t = &rec->tracer_opts;
	struct event_list *l = rec->events;
	int ret;

	if (!rec->soft_branches && !rec->soft_regs)
		return 0;
	/* the last one is the dummy */
	rec->nr_soft = l->n - 1;
	if (rec->nr_soft > TRACER_MAX_EVENTS)
		return err_set(e, -EINVAL, "at most %d events can be sampled by ptrace",
			       TRACER_MAX_EVENTS);
	t->regs = rec->soft_regs || (rec->soft_branches && rec->opts->user_regs);
	t->bases = rec->soft_regs && rec->opts->user_regs->bases;
	ret = fill_branches(rec, e);
	if (!ret)
		ret = parse_budget("--reg-budget", rec->opts->reg_budget, &t->reg_budget, e);
	for (size_t i = 0; i < rec->nr_soft && !ret; i++) {
		struct event *ev = &l->v[i];

		ret = check_group(rec, ev, e);
		if (!ret)
			ret = check_raw(rec, ev, e);
		if (ret)
			return ret;
		fit_attr(rec, &ev->attr);
		ret = try_event(rec, i, e);
		t->event[i] = (struct tracer_event){ ev->attr, rec->soft_id[i] };
	}
	t->nr_events = rec->nr_soft;
	t->inherit = !rec->opts->no_inherit;
	t->on_exec = rec->workload_is_target && !rec->opts->delay;
	t->paused = rec->opts->delay;
	t->write = write_sample;
	t->ctx = rec;
	rec->soft_time_at = time_offset(l);
	/* capture opens the dummy alone */
	rec->tracking = l->v[rec->nr_soft];
	rec->tracking.leader = 0;
	rec->tracking_list = (struct event_list){ .v = &rec->tracking, .n = 1 };
	return ret ? ret : tracer_new(&rec->tracer, t, e);
}

struct event_list *recorder_kernel_events(struct recorder *rec)
{
	return rec->nr_soft ? &rec->tracking_list : rec->events;
}

const uint64_t *recorder_ids(const struct recorder *rec, size_t i, size_t *nr)
{
	if (i >= rec->nr_soft)
		return capture_ids(rec->capture, i - rec->nr_soft, nr);
	*nr = 1;
	return &rec->soft_id[i];
}

/* ---- while it runs ---------------------------------------------------------------------------------------- */

static void say_strategy(const struct tracer *t, enum tracer_strategy want)
{
	const struct tracer_probe *p = tracer_probed(t);

	if (!p)
		return;
	log_info("branches: %s; breakpoints: %s; single steps: %s; block steps: %s "
		 "(%u stops over %u instructions with %u branches)",
		 tracer_how(t),
		 p->breakpoints	       ? "yes"
		 : p->breakpoints_open ? "no, they open and do not fire"
				       : "no, they are refused",
		 p->steps ? "yes" : "no",
		 p->blocks	  ? "yes"
		 : p->block_stops ? "no, they stop at every instruction"
				  : "no",
		 p->block_stops, p->block_insns, p->block_branches);
	if (want == TRACER_BLOCK && !p->blocks)
		log_warn(
			"perf record: block steps stop at every instruction here (virtual machines "
			"do not pass BTF on): no faster than --branch-strategy=step");
}

static int attach(struct recorder *rec, pid_t pid, bool process, struct err *e)
{
	int ret;

	if (pid == getpid())
		return err_set(e, -EPERM, "perf does not trace itself");
	ret = rec->opts->users.items.n ? tracer_check(pid, e) : 0;
	if (!ret)
		ret = tracer_attach(rec->tracer, pid, process, e);
	if (!ret)
		capture_watch_end(rec->capture, pid);
	return ret;
}

int recorder_tracer_start(struct recorder *rec, struct err *e)
{
	size_t attached = 0;
	bool processes = rec->workload_is_target || rec->opts->tids.items.n == 0;
	int ret = 0;

	if (!rec->nr_soft)
		return 0;
	if (rec->why_branches[0])
		log_warn("perf record: branches in software, by ptrace: %s", rec->why_branches);
	if (rec->why_regs[0])
		log_warn("perf record: user registers by ptrace: %s", rec->why_regs);
	say_strategy(rec->tracer, rec->tracer_opts.branches.strategy);
	for (size_t i = 0; i < rec->target.tids.n && !ret; i++) {
		ret = attach(rec, rec->target.tids.v[i], processes, e);
		attached += !ret;
		/* of a user's processes those that can be had */
		if (rec->opts->users.items.n && (ret == -EPERM || ret == -ESRCH)) {
			log_info("%s", e->text);
			err_clear(e);
			ret = 0;
		}
	}
	if (!ret && !attached)
		ret = err_set(e, -ESRCH, "none of the processes can be traced (-v says why)");
	return ret;
}

int recorder_tracer_service(struct recorder *rec, bool *done, struct err *e)
{
	int ret;

	if (!rec->tracer)
		return 0;
	ret = tracer_service(rec->tracer, e);
	if (ret < 0)
		return ret;
	*done |= !ret;
	recorder_tracer_reap(rec);
	return 0;
}

/* What the tracer wrote since the last time is part of the round. */
bool recorder_ends_round(void *ctx, bool some)
{
	struct recorder *rec = ctx;

	some |= rec->soft_unflushed;
	if (!some || (rec->tracer && !tracer_ends_round(rec->tracer)))
		return false;
	rec->soft_unflushed = false;
	return true;
}

/*
 * The tracer is told of the workload's end before anybody else. If it has not heard of it the
 * workload's pidfd still has: nobody stops any more then, so this wait takes nothing from it.
 */
void recorder_tracer_reap(struct recorder *rec)
{
	if (!rec->tracer || !rec->has_workload || rec->workload.reaped)
		return;
	rec->workload.reaped = tracer_ended(rec->tracer, rec->workload.pid, &rec->workload.status);
	if (!rec->workload.reaped && capture_has_ended(rec->capture, rec->workload.pid))
		(void)program_ended(&rec->workload, false);
}

bool recorder_tracer_holds(struct recorder *rec)
{
	recorder_tracer_reap(rec);
	return rec->tracer && !rec->workload.reaped && tracer_left(rec->tracer);
}

/* Who stops after all, to take the signal, must be let go to end of it. */
void recorder_tracer_end(struct recorder *rec, int sig)
{
	kill(rec->workload.pid, sig);
	while (recorder_tracer_holds(rec))
		(void)tracer_detach(rec->tracer, NULL);
}

int recorder_tracer_stop(struct recorder *rec, struct err *e)
{
	int ret;

	if (!rec->tracer)
		return 0;
	ret = tracer_detach(rec->tracer, e);
	recorder_tracer_reap(rec);
	return ret;
}

/* ---- what is said about it ---------------------------------------------------------------------------------- */

/*
 * FEAT_SAMPLE_SOURCE: version, count, then for each event its index and three strings. Behind it,
 * where readers of before do not look, what RAW holds: count, then index and name.
 */
void recorder_tracer_feature(const struct recorder *rec, struct obuf *o)
{
	char note[160] = "user state read by ptrace at each overflow";

	if (rec->soft_branches)
		snprintf(note, sizeof(note),
			 "followed from the overflow on, %s; no prediction, no cycles",
			 tracer_how(rec->tracer));
	feature_put_u32(o, 1);
	feature_put_u32(o, (uint32_t)rec->nr_soft);
	for (size_t i = 0; i < rec->nr_soft; i++) {
		feature_put_u32(o, (uint32_t)i);
		feature_put_string(o, rec->tracer_opts.regs ? "ptrace" : "");
		feature_put_string(o, rec->soft_branches ? "software" : "");
		feature_put_string(o, note);
	}
	if (!rec->tracer_opts.bases)
		return;
	feature_put_u32(o, (uint32_t)rec->nr_soft);
	for (size_t i = 0; i < rec->nr_soft; i++) {
		feature_put_u32(o, (uint32_t)i);
		feature_put_string(o, RAW_BASES);
	}
}

static void say_cuts(const struct tracer_stats *st)
{
	char text[256] = "";
	size_t n = 0;

	for (int i = 0; i < TRACER_CUTS && n < sizeof(text); i++)
		if (st->cut[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRIu64 " %s",
					      n ? ", " : "", st->cut[i], tracer_cut_name(i));
	if (n)
		fprintf(stderr, "[ perf record: stacks with fewer entries: %s ]\n", text);
}

static void say_cost(const struct recorder *rec, const struct tracer_stats *st)
{
	const struct tracer_opts *t = &rec->tracer_opts;
	const char *option = t->branches.on ? "--branch-budget" : "--reg-budget";
	char spaced[96] = "";

	if (st->rests)
		snprintf(spaced, sizeof(spaced), ", samples spaced out %" PRIu64 " times (%s %g)",
			 st->rests, option, t->branches.on ? t->branches.budget : t->reg_budget);
	fprintf(stderr,
		"[ perf record: threads stood still %.1f %% of their time, %.0f us per sample%s ]\n",
		st->lived_ns ? 100.0 * (double)st->stopped_ns / (double)st->lived_ns : 0.0,
		st->stops ? (double)st->stopped_ns / 1000 / (double)st->stops : 0.0, spaced);
}

static void say_walks(const struct recorder *rec, const struct tracer_stats *st)
{
	fprintf(stderr,
		"[ perf record: %" PRIu64
		" stacks of %.1f branches, %s, %.3f stops per branch (%" PRIu64
		" single steps), %" PRIu64 " compared with the thread, %" PRIu64 " of them dropped",
		st->walks, (double)st->branches / (double)st->walks, tracer_how(rec->tracer),
		st->branches ? (double)st->walk_stops / (double)st->branches : 0.0, st->steps,
		st->verified, st->verify_failed);
	if (st->not_arrived)
		fprintf(stderr, ", %" PRIu64 " that the thread did not follow", st->not_arrived);
	fputs(" ]\n", stderr);
	if (st->inexact)
		log_warn(
			"perf record: %" PRIu64
			" samples without registers: what computes their branches cannot tell them",
			st->inexact);
}

void recorder_tracer_say(const struct recorder *rec)
{
	const struct tracer_stats *st;

	if (!rec->tracer || log_get_level() < LOG_WARN)
		return;
	st = tracer_stats(rec->tracer);
	say_cost(rec, st);
	if (st->walks)
		say_walks(rec, st);
	say_cuts(st);
	if (st->stateless)
		log_warn(
			"perf record: %" PRIu64
			" samples without %s: their threads were not where the event had come when "
			"they stopped (all signals blocked), or ended before",
			st->stateless, rec->soft_branches ? "branches" : "registers");
	if (st->lost)
		log_warn("perf record: lost %" PRIu64 " samples of threads that cannot be stopped",
			 st->lost);
}
