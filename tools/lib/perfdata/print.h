/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the perfdata room: text that the printers share. */
#ifndef PERF_PERFDATA_PRINT_H
#define PERF_PERFDATA_PRINT_H

#include "perfdata/perfdata.h"

/* What a feature's printer gets: its payload under a cursor. */
struct header_printer {
	struct perfdata *pd;
	struct obuf *o;
	struct cursor *c;
};

void print_cpu_topology(struct header_printer *p);
void print_numa_topology(struct header_printer *p);
void print_pmu_mappings(struct header_printer *p);
void print_cache(struct header_printer *p);
void print_mem_topology(struct header_printer *p);
void print_cpu_pmu_caps(struct header_printer *p);
void print_pmu_caps(struct header_printer *p);
void print_hybrid_topology(struct header_printer *p);
void print_bpf_prog_info(struct header_printer *p);
void print_bpf_btf(struct header_printer *p);

#endif
