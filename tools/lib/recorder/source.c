// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who samples: the kernel, or ptrace where kernel or machine cannot. Asked for by name it is what was
 * named; by itself (auto) the tracer is taken only when the kernel refuses and the tracer can do what
 * is asked, so that a recording that the kernel can make never stops a thread.
 */
#include <stdio.h>
#include <unistd.h>

#include "recorder/recorder-int.h"
#include "unwind/unwind.h"

/* Opens on ourselves what the first event would need; the -errno of a refusal. */
static int try_branches(const struct recorder *rec, uint64_t filter)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .size = PERF_ATTR_SIZE_VER5 };
	event_open_fn open_fn = rec->opener.open ? rec->opener.open : event_open_sys;
	int fd;

	if (rec->events->n)
		attr = rec->events->v[0].attr;
	attr.sample_period = 1000000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = filter;
	attr.flags |= ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL;
	fd = open_fn(rec->opener.ctx, &attr, 0, -1, -1, PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
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
	const struct recorder_opts *o = rec->opts;

	if (!o->branch_filter || o->branch_source == RECORDER_KERNEL)
		return 0;
	if (o->branch_source == RECORDER_AUTO) {
		int ret = try_branches(rec, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);

		/* what cannot be done here either gets the kernel's refusal explained */
		if (!ret || !rec->context.soft_branches || rec->target->system_wide ||
		    (o->branch_filter & kernel) || !(o->branch_filter & RECORDER_KNOWN_BRANCHES))
			return 0;
		snprintf(rec->soft.why_branches, sizeof(rec->soft.why_branches), "%s",
			 why_no_branches(rec, ret));
	}
	if (o->branch_filter & kernel)
		return err_set(
			e, -EINVAL,
			"branches are followed in software in user space only: leave k and hv out of "
			"-j");
	if (!(o->branch_filter & RECORDER_KNOWN_BRANCHES))
		return err_set(
			e, -EINVAL,
			"branches in software know the filters any, any_call, any_ret, ind_call, "
			"ind_jmp, call, cond and u");
	rec->soft.branches = true;
	return 0;
}

static int choose_regs(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;

	if (!recorder_regs(rec, RECORDER_USER))
		return 0;
	if (o->reg_source == RECORDER_KERNEL && o->regs.refused.code) {
		*e = o->regs.refused;
		return e->code;
	}
	rec->soft.regs = o->reg_source == RECORDER_PTRACE ||
			 (o->reg_source == RECORDER_AUTO && o->regs.refused.code);
	if (rec->soft.regs && o->reg_source == RECORDER_AUTO)
		snprintf(rec->soft.why_regs, sizeof(rec->soft.why_regs), "%s",
			 o->regs.refused.text);
	return 0;
}

const char *recorder_soft_what(const struct recorder *rec)
{
	return rec->soft.branches ? "branches in software"
	       : rec->soft.regs	  ? "registers by ptrace"
				  : "call stacks by ptrace";
}

static bool wants_chain(const struct recorder *rec, enum callchain_mode mode)
{
	const struct callchain_opts *all = &rec->opts->callchain;
	bool wants = all->mode == mode;

	for (size_t i = 0; i < rec->events->n; i++)
		wants |= event_callchain(&rec->events->v[i], all).mode == mode;
	return wants;
}

bool recorder_soft_copies(const struct recorder *rec)
{
	return rec->soft.branches && !rec->soft.chains && !rec->opts->kernel_callchains &&
	       wants_chain(rec, CALLCHAIN_DWARF);
}

static bool can_unwind(struct err *e)
{
	if (!tracer_machine()->chains) {
		err_set(e, -ENOTSUP, "call stacks by ptrace are there for x86-64 only");
		err_hint(e, "Let the kernel copy stacks: --call-graph dwarf.");
		return false;
	}
	if (unwind_live_works())
		return true;
	err_set(e, -ENOTSUP,
		"call stacks by ptrace need rules for unwinding: perf was built without libdw");
	err_hint(e, "Install libdw-dev and build again.");
	return false;
}

/* Of a thread that stands still in any case, stacks are unwound there and then. */
static void choose_chains_too(struct recorder *rec)
{
	const struct callchain_opts *c = &rec->opts->callchain;
	bool lbr = wants_chain(rec, CALLCHAIN_LBR);

	rec->soft.chains = lbr || wants_chain(rec, CALLCHAIN_DWARF) ||
			   (rec->soft.branches && wants_chain(rec, CALLCHAIN_FP) &&
			    !(c->mode == CALLCHAIN_FP && c->named));
	rec->soft.ahead = rec->soft.chains && (lbr || rec->soft.branches);
}

static int choose_chains(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct err why = { 0 };
	int ret;

	if (o->kernel_callchains)
		return 0;
	if (wants_chain(rec, CALLCHAIN_UNWIND)) {
		rec->soft.chains = can_unwind(e);
		rec->soft.ahead = rec->soft.branches;
		return rec->soft.chains ? 0 : e->code;
	}
	if (!can_unwind(&why))
		return 0;
	if (rec->soft.branches || rec->soft.regs) {
		choose_chains_too(rec);
		return 0;
	}
	if (!wants_chain(rec, CALLCHAIN_LBR) || o->branch_source == RECORDER_KERNEL ||
	    o->branch_filter || o->no_fallback || o->all_kernel || rec->target->system_wide ||
	    rec->target->cpus_given)
		return 0;
	ret = try_branches(rec, PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK);
	if (!ret)
		return 0;
	rec->soft.chains = rec->soft.ahead = true;
	snprintf(rec->soft.why_chains, sizeof(rec->soft.why_chains),
		 "%s; at each sample the thread is stopped and its stack unwound, and code without "
		 "rules for that is followed in software until it returns; at most %g %% of the "
		 "program's time (--reg-budget)",
		 why_no_branches(rec, ret), o->reg_budget);
	return 0;
}

static int check_tids(const struct recorder *rec, struct err *e)
{
	size_t there = 0;
	int ret = 0;

	vec_for_each (tid, &rec->target->tids) {
		ret = tracer_check(*tid, e);
		there += !ret;
		if (ret && !recorder_may_have_ended(rec, ret))
			return ret;
	}
	if (there)
		err_clear(e);
	return there ? 0 : ret;
}

static int check_target(const struct recorder *rec, struct err *e)
{
	const char *what = recorder_soft_what(rec);
	int ret;

	if (rec->target->system_wide || rec->target->cpus_given) {
		err_set(e, -EINVAL, "%s need programs that can be stopped: not with -a or -C",
			what);
		err_hint(e, "Name a command, or -p PID, or -t TID.");
		return -EINVAL;
	}
	ret = rec->opts->some_suffice ? 0 : check_tids(rec, e);
	if (ret)
		return ret;
	if (recorder_regs(rec, RECORDER_INTR) && rec->soft.branches)
		return err_set(e, -EINVAL,
			       "-I shows the sampled point, branches in software end later: use "
			       "--user-regs, which are read where they end");
	return 0;
}

int recorder_choose_source(struct recorder *rec, struct err *e)
{
	int ret = choose_branches(rec, e);

	if (!ret)
		ret = choose_regs(rec, e);
	if (!ret)
		ret = choose_chains(rec, e);
	if (ret || !recorder_by_ptrace(rec))
		return ret;
	return check_target(rec, e);
}
