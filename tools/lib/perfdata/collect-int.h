/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the perfdata room: what this host says about itself, as feature payloads. */
#ifndef PERF_PERFDATA_COLLECT_INT_H
#define PERF_PERFDATA_COLLECT_INT_H

#include "perfdata/perfdata.h"

/* A line of a small file without its newline, malloc'ed; NULL when there is no such file. */
char *collect_read_line(const char *fmt, ...) __printf_fmt(1, 2);
bool collect_read_number(uint64_t *v, int base, const char *fmt, ...) __printf_fmt(3, 4);
/* Names in a directory, sorted; 0 when there is none. To be freed with collect_names_free(). */
struct collect_names {
	VEC(char *) names;
};
int collect_names(struct collect_names *n, const char *dir);
void collect_names_free(struct collect_names *n);
/* Puts @v where 4 bytes were reserved at @at. */
void collect_put_u32_at(struct obuf *o, size_t at, uint32_t v);
uint32_t collect_present_cpus(void); /* present, online or not */

int collect_cpu_topology(struct obuf *o);
int collect_numa_topology(struct obuf *o);
int collect_mem_topology(struct obuf *o);
int collect_cache(struct obuf *o);
int collect_pmu_mappings(struct obuf *o);
int collect_cpu_pmu_caps(struct obuf *o);
int collect_pmu_caps(struct obuf *o);
int collect_hybrid_topology(struct obuf *o);

#endif
