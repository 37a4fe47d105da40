// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Features about PMUs, from sysfs. How many there are is known when all have been looked at, so
 * each count is written as 0 and put right behind.
 */
#include <stdio.h>
#include <stdlib.h>

#include "host/host-int.h"

#define DEVICES "/sys/bus/event_source/devices"

/* u32 n, then what @put wrote for each PMU that it answered with true. */
static int put_pmus(struct obuf *o, bool (*put)(struct obuf *o, const char *pmu))
{
	size_t at = o->len;
	struct host_names n;
	uint32_t nr = 0;

	host_names(&n, DEVICES);
	feature_put_u32(o, 0);
	vec_for_each (name, &n.names)
		nr += put(o, *name);
	host_put_u32_at(o, at, nr);
	host_names_free(&n);
	return nr ? 0 : -ENOENT;
}

static bool put_mapping(struct obuf *o, const char *pmu)
{
	uint64_t type;

	if (!host_read_number(&type, 10, DEVICES "/%s/type", pmu))
		return false;
	feature_put_u32(o, (uint32_t)type);
	feature_put_string(o, pmu);
	return true;
}

int host_pmu_mappings(struct obuf *o)
{
	return put_pmus(o, put_mapping);
}

/* u32 n, n x { name, value }: how many there were. */
static uint32_t put_caps(struct obuf *o, const char *pmu)
{
	size_t at = o->len;
	struct host_names n;
	uint32_t nr = 0;
	char dir[512];

	snprintf(dir, sizeof(dir), DEVICES "/%s/caps", pmu);
	host_names(&n, dir);
	if (n.names.n)
		feature_put_u32(o, 0);
	vec_for_each (name, &n.names) {
		char *value = host_read_line("%s/%s", dir, *name);

		if (!value)
			continue;
		feature_put_string(o, *name);
		feature_put_string(o, value);
		free(value);
		nr++;
	}
	if (nr)
		host_put_u32_at(o, at, nr);
	else
		o->len = at;
	host_names_free(&n);
	return nr;
}

int host_cpu_pmu_caps(struct obuf *o)
{
	return put_caps(o, "cpu") ? 0 : -ENOENT;
}

/* All PMUs but "cpu", which has a feature of its own. */
static bool put_other_caps(struct obuf *o, const char *pmu)
{
	if (!strcmp(pmu, "cpu") || !put_caps(o, pmu))
		return false;
	feature_put_string(o, pmu);
	return true;
}

int host_pmu_caps(struct obuf *o)
{
	return put_pmus(o, put_other_caps);
}

/* CPUs of different kinds: each kind has a PMU, cpu_core and cpu_atom and their like. */
static bool put_kind(struct obuf *o, const char *pmu)
{
	char *cpus = strncmp(pmu, "cpu_", 4) ? NULL : host_read_line(DEVICES "/%s/cpus", pmu);

	if (!cpus)
		return false;
	feature_put_string(o, pmu);
	feature_put_string(o, cpus);
	free(cpus);
	return true;
}

int host_hybrid_topology(struct obuf *o)
{
	return put_pmus(o, put_kind);
}
