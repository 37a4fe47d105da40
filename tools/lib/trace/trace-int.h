/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the trace room share. */
#ifndef PERF_TRACE_INT_H
#define PERF_TRACE_INT_H

#include "trace/trace.h"

struct trace {
	VEC(struct trace_format) formats; /* as in the file: ftrace's own events come first */
	struct htab tab;		  /* ids of the others */
	bool big_endian;
	uint8_t long_size;
	const char *printk; /* lines `0xADDR : "text"`, without a NUL behind them; NULL = none */
	size_t printk_size;
};

#endif
