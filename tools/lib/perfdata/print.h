/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the perfdata room: text that the printers share. */
#ifndef PERF_PERFDATA_PRINT_H
#define PERF_PERFDATA_PRINT_H

#include "perfdata/perfdata.h"

/* attr_print() with another text between name and value. */
void attr_print_fields(const struct perf_event_attr *attr, struct obuf *o, const char *sep);

#endif
