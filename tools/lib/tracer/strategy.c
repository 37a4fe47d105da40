// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How branches are followed: what was asked for, and what the probe found that the machine can do.
 * A strategy asked for by name is refused where it cannot work; only "auto" takes what there is.
 */
#include "walk-int.h"

#define STOPS_STEP (64 * TRACER_MAX_DEPTH)

static const struct strategy strategies[] = {
	[TRACER_AUTO] = { "auto", "computed with breakpoints", advance_interpret, true, NULL, 48 },
	[TRACER_INTERPRET] = { "interpret", "computed with breakpoints", advance_interpret, true,
			       NULL, 48 },
#ifdef __x86_64__
	[TRACER_BREAKPOINT] = { "breakpoint", "by a breakpoint at each branch", advance_breakpoint,
				true, NULL, 16 * TRACER_MAX_DEPTH },
	[TRACER_BLOCK] = { "block", "by block steps", advance_block, false, &step_stepper,
			   STOPS_STEP },
	[TRACER_STEP] = { "step", "by single steps", advance_step, false, &step_stepper,
			  STOPS_STEP },
#else
	[TRACER_BREAKPOINT] = { .name = "breakpoint" },
	[TRACER_BLOCK] = { .name = "block" },
	[TRACER_STEP] = { .name = "step" },
#endif
};

int tracer_strategy_parse(const char *name, enum tracer_strategy *s, struct err *e)
{
	for (unsigned i = 0; i < ARRAY_SIZE(strategies); i++) {
		if (!strcmp(name, strategies[i].name)) {
			*s = (enum tracer_strategy)i;
			return 0;
		}
	}
	return err_set(
		e, -EINVAL,
		"--branch-strategy takes auto, interpret, breakpoint, block or step, not '%s'",
		name);
}

/* Of what was asked for by name nothing else takes the place. */
static int refuse(const char *name, const char *why, struct err *e)
{
	err_set(e, -ENOTSUP, "--branch-strategy=%s: %s", name, why);
	err_hint(e, "Leave --branch-strategy out: what can be computed is computed then.");
	return -ENOTSUP;
}

int strategy_check(enum tracer_strategy want, const struct tracer_probe *p, struct err *e)
{
	if (!strategies[want].advance)
		return refuse(strategies[want].name, "there for x86-64 only", e);
	if (want == TRACER_BREAKPOINT && !p->breakpoints)
		return refuse("breakpoint",
			      p->breakpoints_open
				      ? "hardware breakpoints open here and do not fire"
				      : "hardware breakpoints are refused here (debuggers may hold "
					"them all)",
			      e);
	if ((want == TRACER_STEP || (want == TRACER_BLOCK && !p->blocks)) && !p->steps)
		return refuse(strategies[want].name, "single steps do not work here", e);
	return 0;
}

const struct strategy *strategy_without_breakpoints(void)
{
	static const struct strategy computed = {
		"auto", "computed without breakpoints", advance_interpret, false, NULL, 0
	};

	return &computed;
}

const struct strategy *strategy_choose(enum tracer_strategy want, const struct tracer_probe *p)
{
	if (p->breakpoints || (want != TRACER_AUTO && want != TRACER_INTERPRET))
		return &strategies[want];
	return strategy_without_breakpoints();
}
