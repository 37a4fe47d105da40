/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the room dump: what the lines of --header share. */
#ifndef PERF_DUMP_HEADER_INT_H
#define PERF_DUMP_HEADER_INT_H

#include "base/bytes.h"
#include "perfdata/perfdata.h"

/* What a feature's printer gets: its payload under a cursor. */
struct header_line {
	struct perfdata *pd;
	struct obuf *o;
	struct cursor *c;
};

void dump_cpu_topology(struct header_line *p);
void dump_numa_topology(struct header_line *p);
void dump_pmu_mappings(struct header_line *p);
void dump_cache(struct header_line *p);
void dump_mem_topology(struct header_line *p);
void dump_cpu_pmu_caps(struct header_line *p);
void dump_pmu_caps(struct header_line *p);
void dump_hybrid_topology(struct header_line *p);
void dump_bpf_prog_info(struct header_line *p);
void dump_bpf_btf(struct header_line *p);

#endif
