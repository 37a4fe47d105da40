/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * attr: struct perf_event_attr, what the kernel is asked for: as the bytes of a file of either byte
 * order and any age, as text, and what an event is called that nobody named. Const tables; no
 * state, no memory that outlives a call, any thread.
 *
 *	if (attr_load(&attr, bytes, size, swap, &err))
 *		... err says what is wrong with its size ...
 *	attr_print(&attr, &out);		"type: 0 (PERF_TYPE_HARDWARE), size: 136, ..."
 */
#ifndef PERF_ATTR_H
#define PERF_ATTR_H

#include "base/base.h"
#include "uapi/perf_event.h"

/*
 * Reads one attr of @size bytes as it lies in a file (or record). Smaller than ours: the rest is
 * zero. Larger: accepted when the unknown tail is zero, else -E2BIG. Below 64: -EINVAL. Words,
 * flag bits and the SIMD fields are put into host order.
 */
int attr_load(struct perf_event_attr *attr, const void *data, size_t size, bool swap,
	      struct err *e);
/* The smallest published size that holds every non-zero field (64 ... 176). */
uint32_t attr_min_size(const struct perf_event_attr *attr);
/* The bytes for a file of the host's byte order: attr->size bytes of @buf are filled (max 176). */
void attr_store(const struct perf_event_attr *attr, void *buf);
/* "name: value, name: value" as upstream's evlist -v prints them (abi.md 3.7). */
void attr_print(const struct perf_event_attr *attr, struct obuf *o);
/* The same with another text than ": " between name and value. */
void attr_print_fields(const struct perf_event_attr *attr, struct obuf *o, const char *sep);
/* What the event is called when nobody stored a name: "cycles", "cpu-clock", "raw 0x1c4" ... */
void attr_name(const struct perf_event_attr *attr, char *buf, size_t size);

static inline bool attr_flag(const struct perf_event_attr *attr, uint64_t flag)
{
	return attr->flags & flag;
}

static inline unsigned attr_precise(const struct perf_event_attr *attr)
{
	return (attr->flags & ATTR_FLAG_PRECISE_MASK) >> ATTR_FLAG_PRECISE_SHIFT;
}

#endif
