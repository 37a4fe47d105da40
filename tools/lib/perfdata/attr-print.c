// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of events and attrs as text. */
#include <stdio.h>

#include "internal.h"

void attr_print(const struct perf_event_attr *attr, struct obuf *o)
{
	obuf_printf(o, "type: %u", attr->type);
}

void attr_name(const struct perf_event_attr *attr, char *buf, size_t size)
{
	snprintf(buf, size, "type %u config %#lx", attr->type, attr->config);
}
