/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the trace room share. */
#ifndef PERF_TRACE_INT_H
#define PERF_TRACE_INT_H

#include "trace/trace.h"

struct tep_handle;
struct tep_event;

struct trace {
	VEC(struct trace_format) formats; /* as in the file: ftrace's own events come first */
	struct htab tab;		  /* ids of the others */
	bool big_endian;
	uint8_t long_size;
	const char *printk; /* lines `0xADDR : "text"`, without a NUL behind them; NULL = none */
	size_t printk_size;
};

/*
 * Whether libtraceevent may parse what stands behind "\tfield:" or "print fmt:" of a line, which ends with
 * a NUL instead of its end. False for what no kernel writes, and for calls of functions that only a kernel has.
 */
bool trace_field_sound(const char *text);
bool trace_print_sound(const struct trace_format *f, const char *text);
bool trace_printk_sound(const char *text, size_t n); /* the same for a text of `printk` */

bool trace_has_field(const struct trace_format *f, const char *name, size_t n);

/* What printing may read behind the place of a field, or of what a field's lower 16 bits point at. */
#define TRACE_REACH (64u << 10)

/* Whether printing @data, all of whose fields are inside of it, reads no more than that and divides by no 0. */
bool trace_near(struct tep_handle *tep, struct tep_event *event, const void *data);

#endif
