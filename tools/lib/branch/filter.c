// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch filters: the names of -j and those that attrs are printed with, both by bit number. A
 * list of privilege levels alone means any branch, as upstream has it: the levels then come from
 * the event.
 */
#include <stdio.h>
#include <strings.h>

#include "base/nearest.h"
#include "branch/branch.h"

static const struct {
	const char *option, *print;
} filters[] = {
	/* index = bit number in branch_sample_type */
	{ "u", "USER" },
	{ "k", "KERNEL" },
	{ "hv", "HV" },
	{ "any", "ANY" },
	{ "any_call", "ANY_CALL" },
	{ "any_ret", "ANY_RETURN" },
	{ "ind_call", "IND_CALL" },
	{ "abort_tx", "ABORT_TX" },
	{ "in_tx", "IN_TX" },
	{ "no_tx", "NO_TX" },
	{ "cond", "COND" },
	{ "stack", "CALL_STACK" },
	{ "ind_jmp", "IND_JUMP" },
	{ "call", "CALL" },
	{ "no_flags", "NO_FLAGS" },
	{ "no_cycles", "NO_CYCLES" },
	{ "save_type", "TYPE_SAVE" },
	{ "hw_index", "HW_INDEX" },
	{ "priv", "PRIV_SAVE" },
	{ "counter", "COUNTERS" },
};

_Static_assert(BIT(ARRAY_SIZE(filters)) == PERF_SAMPLE_BRANCH_MAX, "a name for every bit");

const char *branch_filter_name(size_t i, uint64_t *bit)
{
	if (i >= ARRAY_SIZE(filters))
		return NULL;
	if (bit)
		*bit = BIT(i);
	return filters[i].option;
}

static int unknown(const char *name, struct err *e)
{
	struct nearest near = nearest_init(name);
	char buf[128];

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++)
		nearest_offer(&near, filters[i].option);
	nearest_print(&near, buf, sizeof(buf));
	err_set(e, -EINVAL, "unknown branch filter %s, check man page", name);
	if (*buf)
		err_hint(e, "Did you mean %s?", buf);
	else
		err_hint(e, "Known filters: any any_call any_ret ind_call ind_jmp call cond stack "
			    "u k hv in_tx no_tx abort_tx no_flags no_cycles save_type hw_index "
			    "priv counter");
	return -EINVAL;
}

static int parse_one(const char *s, size_t n, uint64_t *mask, struct err *e)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name) - 1), s);
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if (n < sizeof(name) && !strcasecmp(name, filters[i].option)) {
			*mask |= BIT(i);
			return 0;
		}
	}
	return unknown(name, e);
}

int branch_filter_parse(const char *list, uint64_t *mask, struct err *e)
{
	uint64_t sel = 0;
	int ret;

	for (const char *s = list;; s++) {
		size_t n = strcspn(s, ",");

		ret = parse_one(s, n, &sel, e);
		if (ret)
			return ret;
		s += n;
		if (!*s)
			break;
	}
	/* No kind of branch was named: all of them, and the kernel takes the privilege levels
	 * from the event. */
	if (!(sel & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL))
		sel = PERF_SAMPLE_BRANCH_ANY;
	*mask = sel;
	return 0;
}

void branch_filter_print(uint64_t mask, struct obuf *o)
{
	bool first = true;

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if (!(mask & BIT(i)))
			continue;
		if (!first)
			obuf_char(o, '|');
		obuf_str(o, filters[i].print);
		first = false;
	}
}
