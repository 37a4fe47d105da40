/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the room host. */
#ifndef PERF_HOST_HOST_INT_H
#define PERF_HOST_HOST_INT_H

#include "base/tables.h"
#include "host/host.h"

/* A line of a small file without its newline, malloc'ed; NULL when there is no such file. */
char *host_read_line(const char *fmt, ...) __printf_fmt(1, 2);
bool host_read_number(uint64_t *v, int base, const char *fmt, ...) __printf_fmt(3, 4);
/* Names in a directory, sorted; 0 when there is none. To be freed with host_names_free(). */
struct host_names {
	VEC(char *) names;
};
int host_names(struct host_names *n, const char *dir);
void host_names_free(struct host_names *n);
/* Puts @v where 4 bytes were reserved at @at. */
void host_put_u32_at(struct obuf *o, size_t at, uint32_t v);
uint32_t host_present_cpus(void); /* present, online or not */

int host_cpu_topology(struct obuf *o);
int host_numa_topology(struct obuf *o);
int host_mem_topology(struct obuf *o);
int host_cache(struct obuf *o);
int host_pmu_mappings(struct obuf *o);
int host_cpu_pmu_caps(struct obuf *o);
int host_pmu_caps(struct obuf *o);
int host_hybrid_topology(struct obuf *o);

#endif
