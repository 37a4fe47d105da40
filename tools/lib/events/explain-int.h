/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the explanation share. The causes stand in four tables that are tried one
 * behind the other: permission and limits, branches, registers, all else. First match wins.
 */
#ifndef PERF_EVENTS_EXPLAIN_INT_H
#define PERF_EVENTS_EXPLAIN_INT_H

#include "events/events-int.h"

struct cause {
	const char *id; /* what the tests call it */
	int code;	/* 0 = any */
	bool (*holds)(const struct refusal *r);
	void (*say)(const struct refusal *r, struct err *e);
};

/* Ended by an empty row. */
extern const struct cause explain_branches[], explain_regs[];

/* "cycles:u", "cpu/cycles/u" into @text: the event with these modifiers in place of its own. */
void explain_modified(const struct refusal *r, const char *mods, char *text, size_t size);

static inline bool has_branches(const struct refusal *r)
{
	return r->attr->sample_type & PERF_SAMPLE_BRANCH_STACK;
}

/* How branches can be had where the CPU gives none: part of a hint, a command that works here. */
const char *explain_instead_of_branches(const struct refusal *r);

static inline bool is_hardware(const struct refusal *r)
{
	return r->attr->type == PERF_TYPE_HARDWARE || r->attr->type == PERF_TYPE_HW_CACHE ||
	       r->attr->type == PERF_TYPE_RAW || (r->ev->pmu && r->ev->pmu->is_core);
}

static inline bool is_software(const struct refusal *r)
{
	return r->attr->type == PERF_TYPE_SOFTWARE || r->attr->type == PERF_TYPE_TRACEPOINT ||
	       r->attr->type == PERF_TYPE_BREAKPOINT;
}

static inline bool is_amd(const struct refusal *r)
{
	return !strcmp(r->ctx->vendor, "AuthenticAMD") || !strcmp(r->ctx->vendor, "HygonGenuine");
}

static inline unsigned precise(const struct refusal *r)
{
	return (unsigned)((r->attr->flags & ATTR_FLAG_PRECISE_MASK) >> ATTR_FLAG_PRECISE_SHIFT);
}

static inline bool denied(const struct refusal *r)
{
	return r->code == -EACCES || r->code == -EPERM;
}

#endif
