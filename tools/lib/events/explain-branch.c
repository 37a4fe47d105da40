// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why the kernel refused taken branches, and what can be had in their place on this machine. Call
 * chains from branch records (--call-graph lbr) are such branches too, but whoever asked for chains
 * is helped with other chains, not with -b.
 */
#include <stdio.h>

#include "branch/branch.h"
#include "events/explain-int.h"

static bool wants_chains(const struct refusal *r)
{
	return r->attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK &&
	       r->attr->sample_type & PERF_SAMPLE_CALLCHAIN;
}

const char *explain_instead_of_branches(const struct refusal *r)
{
	if (wants_chains(r))
		return "Call chains without branch records: --call-graph dwarf, or -g (frame pointers).";
	if (r->ctx->soft_branches)
		return "In software, of a command or a process: perf record -b -- COMMAND, perf record -b -p PID";
	return "Call chains need no branch records: -g.";
}

static bool denied_branch(const struct refusal *r)
{
	return denied(r) && r->field == FIELD_BRANCH;
}

static void say_denied_branch(const struct refusal *r, struct err *e)
{
	char name[128];

	err_set(e, r->code,
		"%s: branch_sample_type: taken branches of the kernel need CAP_PERFMON or kernel.perf_event_paranoid <= 1 (it is %d)",
		r->ev->name, r->ctx->paranoid);
	explain_modified(r, "u", name, sizeof(name));
	if (r->branches_work || r->ctx->has_lbr)
		err_hint(e, "User branches alone work: -e %s -j any,u", name);
	else
		err_hint(e, "%s", explain_instead_of_branches(r));
}

static bool branch_software(const struct refusal *r)
{
	return has_branches(r) && is_software(r) &&
	       (r->code == -EOPNOTSUPP || r->field == FIELD_BRANCH);
}

static void say_branch_software(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: PMU Hardware or event type doesn't support branch stack sampling: branch_sample_type needs a hardware event, this is a software one",
		r->ev->name);
	if (r->ctx->has_core_pmu && r->ctx->has_lbr)
		err_hint(e, "Use a hardware event: -e cycles:u");
	else
		err_hint(e, "%s, so no event can carry taken branches.\n%s",
			 r->ctx->has_core_pmu ? "This CPU has no branch records"
					      : "This machine has no PMU",
			 explain_instead_of_branches(r));
}

/* AMD Zen 3: branch sampling hangs on one event, at a fixed period, and knows no filter. */
static bool branch_amd_old(const struct refusal *r)
{
	const struct open_context *c = r->ctx;

	if (r->field != FIELD_BRANCH || !is_amd(r) || !c->has_core_pmu || c->has_lbr)
		return false;
	/* Family 0x19 is Zen 3 and Zen 4; a hypervisor may have hidden what the CPU has. */
	return c->family < 0x19 || (c->family == 0x19 && (c->has_brs || !c->in_vm));
}

static void say_branch_amd_old(const struct refusal *r, struct err *e)
{
	if (r->ctx->family == 0x19)
		err_set(e, r->code,
			"%s: branch_sample_type: AMD Zen 3 records branches (BRS) only for the event branch-brs, at a fixed period, with any privilege",
			r->ev->name);
	else
		err_set(e, r->code,
			"%s: branch_sample_type: this AMD CPU (family %#x) records no taken branches: Zen 3 has BRS, Zen 4 and later have LBR",
			r->ev->name, r->ctx->family);
	if (r->ctx->has_brs && !wants_chains(r))
		err_hint(e, "perf record -b -e cpu/branch-brs/ -c 1000037 -- COMMAND");
	else
		err_hint(e, "%s", explain_instead_of_branches(r));
}

static bool branch_precise(const struct refusal *r)
{
	return r->field == FIELD_BRANCH && r->precise_refused;
}

static void say_branch_precise(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: branch_sample_type: at precise level %u this CPU takes only the filter 'any' with the event's own privilege levels",
		r->ev->name, precise(r));
	err_hint(e, "Drop the p modifiers, or use -j any.");
}

static bool branch_no_lbr(const struct refusal *r)
{
	return r->field == FIELD_BRANCH && !r->ctx->has_lbr && !r->branches_work;
}

static void say_branch_no_lbr(const struct refusal *r, struct err *e)
{
	err_set(e, r->code, "%s: branch_sample_type: %s", r->ev->name,
		r->ctx->in_vm ? "the hypervisor gives this virtual machine counters but no LBR"
			      : "this CPU has no last branch records (LBR)");
	if (r->ctx->in_vm)
		err_hint(e, "%s\nThe CPU's own: on the host (cloud: a *.metal instance).",
			 explain_instead_of_branches(r));
	else
		err_hint(e, "%s", explain_instead_of_branches(r));
}

static bool branch_filter(const struct refusal *r)
{
	return r->field == FIELD_BRANCH;
}

static void say_branch_filter(const struct refusal *r, struct err *e)
{
	char names[256] = "";
	uint64_t bit;

	for (size_t i = 0, n = 0; branch_filter_name(i, &bit) && n < sizeof(names); i++)
		if (r->bad_filters & bit)
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", n ? "," : "",
					      branch_filter_name(i, NULL));
	if (r->bad_filters)
		err_set(e, r->code,
			"%s: branch_sample_type: this CPU or kernel (%s) does not know the branch filter %s",
			r->ev->name, r->ctx->release, names);
	else
		err_set(e, r->code,
			"%s: branch_sample_type: this CPU or kernel (%s) refuses the branch filters %#llx together",
			r->ev->name, r->ctx->release,
			(unsigned long long)r->attr->branch_sample_type);
	if (wants_chains(r))
		err_hint(e, "%s", explain_instead_of_branches(r));
	else
		err_hint(
			e, "%s",
			r->branches_work
				? "-j any,u opens here; add filters one by one."
				: "-j any works where branches work at all; add filters one by one.");
}

const struct cause explain_branches[] = {
	{ "branch-kernel", 0, denied_branch, say_denied_branch },
	{ "branch-software", 0, branch_software, say_branch_software },
	{ "branch-amd", 0, branch_amd_old, say_branch_amd_old },
	{ "branch-no-lbr", 0, branch_no_lbr, say_branch_no_lbr },
	{ "branch-precise", 0, branch_precise, say_branch_precise },
	{ "branch-filter", 0, branch_filter, say_branch_filter },
	{},
};
