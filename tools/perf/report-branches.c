// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --branches: what is asked of branch stacks beyond which branches there were. */
#include "report.h"

int report_read_branches(struct report *r, struct err *e)
{
	const struct report_opts *o = &r->o;

	if (!o->branches && !o->quality)
		return 0;
	if (o->branches && o->quality)
		return err_set(e, -EINVAL, "--branches and --profile-quality are two answers");
	r->stat_what = o->quality ? BRSTAT_QUALITY : 0;
	if (o->branches && code_branches(o->branches, &r->stat_what, e))
		return e->code;
	if (o->hierarchy || o->total_cycles || o->hot_paths || o->dot || o->branch || o->history ||
	    o->simd || o->mem)
		return err_set(e, -EINVAL, "%s is an answer of its own: without %s",
			       o->quality ? "--profile-quality" : "--branches",
			       o->hierarchy	 ? "--hierarchy"
			       : o->total_cycles ? "--total-cycles"
			       : o->hot_paths	 ? "--hot-paths"
			       : o->dot		 ? "--dot"
			       : o->branch	 ? "-b"
			       : o->history	 ? "--branch-history"
			       : o->simd	 ? "--simd"
						 : "--mem-mode");
	return 0;
}

int report_choose_branches(struct report *r, uint64_t type, struct err *e)
{
	/* No rows are shown, except in a browser: what is counted beside is cheap. */
	r->po.sort = "comm";
	r->po.no_rows = !r->tui && !r->o.derive;
	r->po.fields = NULL;
	r->po.no_chains = true;
	r->po.branch = false;
	r->stat_stacks = type & PERF_SAMPLE_BRANCH_STACK;
	if (r->stat_what & BRSTAT_QUALITY || r->stat_stacks || !perfdata_nr_events(r->pd))
		return 0;
	err_set(e, -EINVAL,
		"Selected --branches but no branch data. Did you call perf record without -b?");
	err_hint(e, "Record with -b.");
	return -EINVAL;
}

static struct brstat_opts asked(const struct report *r)
{
	return (struct brstat_opts){ .machine = r->m,
				     .arch = r->po.arch,
				     .what = r->stat_what,
				     .stacks = r->stat_stacks,
				     .filter = session_filter(r->session) };
}

int report_start_branches(struct report *r, struct err *e)
{
	const struct brstat_opts o = asked(r);

	/* In a list that opens into instructions they stand beside these, too: counted there, once. */
	return o.what && !report_lists_flow(r) ? brstat_new(&r->stat, r->res, &o, e) : 0;
}

int report_branches_at_code(struct report *r, struct err *e)
{
	const struct brstat_opts o = asked(r);

	return o.what && !r->stat ? annotate_want_branches(r->code, &o, e) : 0;
}
