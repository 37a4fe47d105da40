/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch: names of branch filters, branch types and flags, and the text of one entry. Const
 * tables; no state, no memory. Source: facts/abi.md 5.
 */
#ifndef PERF_BRANCH_H
#define PERF_BRANCH_H

#include "base/base.h"
#include "uapi/perf_event.h"

enum branch_type {
	BR_UNKNOWN, BR_COND, BR_UNCOND, BR_IND, BR_CALL, BR_IND_CALL, BR_RET, BR_SYSCALL,
	BR_SYSRET, BR_COND_CALL, BR_COND_RET, BR_ERET, BR_IRQ, BR_SERROR, BR_NO_TX,
	BR_EXTEND, /* look at new_type */
	BR_MAX,
};

/*
 * "any_call,u" -> PERF_SAMPLE_BRANCH_*. Privilege names alone mean any and are dropped, as
 * upstream does. -EINVAL names the unknown filter and suggests the closest.
 */
int branch_filter_parse(const char *list, uint64_t *mask, struct err *e);
/* "ANY|USER" as evlist -v prints it. */
void branch_filter_print(uint64_t mask, struct obuf *o);

/* "" for type 0; new_type's name when type is BR_EXTEND. */
const char *branch_type_name(unsigned type, unsigned new_type);
const char *branch_spec_name(unsigned spec); /* "-" for 0 */
const char *branch_priv_name(unsigned priv); /* "" for 0 */

#endif
