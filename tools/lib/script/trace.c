// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracepoint fields, by the formats that the recorder stored (TRACING_DATA). */
#include "script-int.h"

void print_trace(struct script *sc, const struct ctx *c)
{
	(void)sc;
	(void)c;
}

void trace_free(struct trace *t)
{
	(void)t;
}
