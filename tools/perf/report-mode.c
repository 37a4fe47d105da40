// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: what is shown, by the options and by what the recording has. */
#include "report.h"

static bool any_call_stack(const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		if (perfdata_event(pd, i)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
			return true;
	return false;
}

static bool auto_branch(const struct report *r, uint64_t type)
{
	if (r->o.no_branch || r->o.history || type & PERF_SAMPLE_STACK_USER)
		return false;
	if (perfdata_is_pipe(r->pd))
		return type & PERF_SAMPLE_BRANCH_STACK && !any_call_stack(r->pd);
	return perfdata_has_feature(r->pd, FEAT_BRANCH_STACK);
}

bool report_reads_vectors(const struct report_opts *o)
{
	return o->simd || o->numbers || o->idle || o->dirty;
}

unsigned report_marks(const struct report_opts *o)
{
	return (o->numbers ? KEYS_MARK_NUMBERS : 0u) | (o->idle ? KEYS_MARK_IDLE : 0u) |
	       (o->dirty ? KEYS_MARK_DIRTY : 0u) | (o->apx ? KEYS_MARK_APX : 0u) |
	       (o->shadow ? KEYS_MARK_SHADOW : 0u) | (o->values ? KEYS_MARK_VALUES : 0u);
}

bool report_reads_registers(const struct report_opts *o)
{
	return report_reads_vectors(o) || o->apx || o->shadow || o->values;
}

/* What --apx and --shadow-stack ask of the recording. */
static int check_general(const struct report *r, struct err *e)
{
	const char *what = r->o.apx ? "--apx" : "--shadow-stack";

	if (r->o.branch || r->o.dot)
		return err_set(e, -EINVAL, "%s shows samples, %s shows branches", what,
			       r->o.dot ? "--dot" : "-b");
	if (r->po.arch != REGS_ARCH_X86 && perfdata_nr_events(r->pd))
		return err_set(e, -EINVAL,
			       "%s: this recording is of %s, and those are things of x86", what,
			       regs_arch_name(r->po.arch));
	if (!r->o.shadow || !perfdata_nr_events(r->pd))
		return 0;
	if (!code_has_shadow_stack(r->pd)) {
		err_set(e, -EINVAL, "--shadow-stack: this recording has no shadow stack pointers");
		err_hint(
			e,
			"Record with --user-regs=ssp and -g (perf record --user-regs=? says whether "
			"it can be had here).");
		return -EINVAL;
	}
	return 0;
}

/* They need rows of samples, too. */
static int check_simd(const struct report *r, struct err *e)
{
	const char *what = r->o.simd	  ? "--simd"
			   : r->o.numbers ? "--numbers"
			   : r->o.idle	  ? "--idle-lanes"
					  : "--dirty";

	if (r->o.branch || r->o.dot)
		return err_set(e, -EINVAL, "%s shows samples, %s shows branches", what,
			       r->o.dot ? "--dot" : "-b");
	if (!perfdata_nr_events(r->pd) || sample_has_vectors(r->pd, r->po.arch))
		return 0;
	err_set(e, -EINVAL, "%s: this recording has no vector registers", what);
	err_hint(e, "Record with -Izmm,opmask, or with --user-regs=zmm,opmask where the kernel "
		    "cannot (perf record -I? lists what can be had).");
	return -EINVAL;
}

int report_check_registers(struct report *r, struct err *e)
{
	int ret = report_reads_vectors(&r->o) ? check_simd(r, e) : 0;

	if (!ret && (r->o.apx || r->o.shadow))
		ret = check_general(r, e);
	if (!ret && r->o.values && (r->o.branch || r->o.dot))
		ret = err_set(e, -EINVAL, "--values shows samples, %s shows branches",
			      r->o.dot ? "--dot" : "-b");
	return ret || !r->o.values ? ret
				   : code_values(r->o.values, r->pd, r->po.arch, &r->usage, e);
}

/* Stacks of calls, not what was branched last. */
static bool has_call_stacks(const struct perfdata *pd)
{
	uint64_t other = 0, stacks = 0;

	for (size_t i = 0; i < perfdata_nr_events(pd); i++) {
		const struct perf_event_attr *a = &perfdata_event(pd, i)->attr;

		if (!(a->sample_type & PERF_SAMPLE_BRANCH_STACK))
			continue;
		if (a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
			stacks++;
		else
			other++;
	}
	return stacks && !other;
}

/* A path of the browser's list: a line has room for four branches, and many a loop has no more. */
#define BROWSER_PATH 4

void report_choose_flow(struct report *r)
{
	bool lists = r->tui && perfdata_sample_types(r->pd) & PERF_SAMPLE_BRANCH_STACK &&
		     !has_call_stacks(r->pd);

	r->blocks = r->o.total_cycles || lists;
	r->path_len = lists ? BROWSER_PATH : (uint32_t)min_u64(r->o.hot_paths, UINT32_MAX);
}

static int choose_history(struct report *r, uint64_t type, struct err *e)
{
	struct keys_opts *po = &r->po;

	if (!(type & PERF_SAMPLE_BRANCH_STACK) && perfdata_nr_events(r->pd)) {
		err_set(e, -EINVAL,
			"Selected --branch-history but no branch data. Did you call "
			"perf record without -b?");
		err_hint(e, "Record with -b or -j FILTER, and -g for what lies behind them.");
		return -EINVAL;
	}
	if (po->ignore_callees)
		return err_set(e, -EINVAL,
			       "--ignore-callees is for chains of calls: "
			       "--branch-history shows branches");
	po->branch = false;
	po->history = po->use_chains = true;
	/* Each call would be there twice, as what called and as what was called. */
	if (has_call_stacks(r->pd)) {
		/* The browser is open by now: that line is for its last one, and for behind it. */
		log_to(&r->o.session.log, LOG_WARN,
		       "The branches of this recording are call stacks (--call-graph lbr), no "
		       "history: they are shown as call chains.");
		po->history = false;
	}
	po->children = type & PERF_SAMPLE_CALLCHAIN && r->o.children && r->o.children_given;
	if (!r->o.chain_given)
		po->chain.key = CHAIN_BY_ADDRESS;
	if (r->o.inverted || (po->children && !po->chain.order_set))
		po->chain.caller = true;
	if (!po->sort)
		po->sort = po->history ? "srcline,symbol,dso,callchain_branch_predicted,"
					 "callchain_branch_abort,callchain_branch_cycles"
				       : "srcline,symbol,dso";
	return 0;
}

static bool names_parent(const char *sort)
{
	const char *at = sort ? strstr(sort, "parent") : NULL;

	return at && (at == sort || at[-1] == ',' || at[-1] == '+') && (!at[6] || at[6] == ',');
}

static int check_mem(uint64_t type, struct err *e)
{
	if (type & PERF_SAMPLE_DATA_SRC)
		return 0;
	err_set(e, -EINVAL,
		"Selected --mem-mode but no mem data. Did you call perf record without -d?");
	err_hint(e, "Record with -d and an event that has data sources (mem-loads, IBS, SPE).");
	return -EINVAL;
}

static bool has_switches(const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		if (attr_flag(&perfdata_event(pd, i)->attr, ATTR_FLAG_CONTEXT_SWITCH))
			return true;
	return false;
}

int report_choose_mode(struct report *r, struct err *e)
{
	uint64_t type = perfdata_sample_types(r->pd);
	struct keys_opts *po = &r->po;
	int ret;

	po->switches = has_switches(r->pd);
	po->mxcsr = r->o.numbers && perfdata_has_mxcsr(r->pd);
	if ((r->o.latency || r->o.parallelism) && !po->switches && perfdata_nr_events(r->pd)) {
		r->usage = true;
		return err_set(e, -EINVAL,
			       "Use of latency profile or parallelism requires --latency flag "
			       "during record.");
	}

	po->branch = r->o.branch || r->o.dot || r->o.total_cycles || r->o.hot_paths ||
		     (!report_reads_registers(&r->o) && auto_branch(r, type));
	if (r->stat_what)
		return report_choose_branches(r, type, e);
	ret = report_check_registers(r, e);
	if (ret)
		return ret;
	if (r->o.mem && perfdata_nr_events(r->pd) && (ret = check_mem(type, e)))
		return ret;
	/* As upstream: its numbers depend on the rows of the default table. */
	if (r->o.total_cycles)
		po->sort = po->fields = NULL;
	if (r->o.dot && !po->sort && po->fields)
		po->sort = "symbol_from,symbol_to";
	/* Sort keys would bring the column of IPC, which is dear. */
	else if (r->o.dot && !po->sort)
		po->fields = "overhead,symbol_from,symbol_to";
	if (po->branch && !(type & PERF_SAMPLE_BRANCH_STACK) && perfdata_nr_events(r->pd)) {
		err_set(e, -EINVAL,
			"Selected -b but no branch data. Did you call perf record without -b?");
		err_hint(e, "Record with -b or -j FILTER, or leave out -b.");
		return -EINVAL;
	}
	if (r->o.history)
		return choose_history(r, type, e);
	po->use_chains =
		type & PERF_SAMPLE_CALLCHAIN && !r->o.chain_none && po->chain.style != CHAIN_NONE;
	/* A row of a caller has no sample of its own. */
	po->children = type & PERF_SAMPLE_CALLCHAIN && r->o.children && !po->branch &&
		       (!r->o.shadow || r->o.children_given);
	po->no_chains = r->o.children && !po->children && !po->branch;
	if (po->branch)
		po->use_chains = false;
	if (r->o.chain_given && po->chain.style != CHAIN_NONE && !(type & PERF_SAMPLE_CALLCHAIN) &&
	    perfdata_nr_events(r->pd)) {
		err_set(e, -EINVAL,
			"Selected -g but no callchain data. Did you call 'perf record' without -g?");
		err_hint(e, "Record with -g or --call-graph dwarf, or leave out -g.");
		return -EINVAL;
	}
	if ((names_parent(po->sort) || po->parent) && !(type & PERF_SAMPLE_CALLCHAIN) &&
	    perfdata_nr_events(r->pd)) {
		err_set(e, -EINVAL,
			"Selected --sort parent, but no callchain data. Did you call 'perf record' "
			"without -g?");
		err_hint(e, "Record with -g or --call-graph dwarf.");
		return -EINVAL;
	}
	if (r->o.inverted)
		po->chain.caller = true;
	else if (po->children && !po->chain.order_set)
		po->chain.caller = true;
	return 0;
}
