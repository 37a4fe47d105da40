// SPDX-License-Identifier: GPL-2.0-or-later
/* Features about PMUs, from sysfs. */
#include <stdio.h>
#include <stdlib.h>

#include "collect.h"

#define DEVICES "/sys/bus/event_source/devices"

int collect_pmu_mappings(struct obuf *o)
{
	size_t at = o->len;
	struct names n;
	uint32_t nr = 0;

	names_read(&n, DEVICES);
	feature_put_u32(o, 0);
	vec_for_each (name, &n.names) {
		uint64_t type;

		if (!read_number(&type, 10, DEVICES "/%s/type", *name))
			continue;
		feature_put_u32(o, (uint32_t)type);
		feature_put_string(o, *name);
		nr++;
	}
	put_u32_at(o, at, nr);
	names_free(&n);
	return nr ? 0 : -ENOENT;
}

/* u32 n, n x { name, value }: how many there were. */
static uint32_t put_caps(struct obuf *o, const char *pmu)
{
	size_t at = o->len;
	struct names n;
	uint32_t nr = 0;
	char dir[512];

	snprintf(dir, sizeof(dir), DEVICES "/%s/caps", pmu);
	names_read(&n, dir);
	if (n.names.n)
		feature_put_u32(o, 0);
	vec_for_each (name, &n.names) {
		char *value = read_line("%s/%s", dir, *name);

		if (!value)
			continue;
		feature_put_string(o, *name);
		feature_put_string(o, value);
		free(value);
		nr++;
	}
	if (nr)
		put_u32_at(o, at, nr);
	else
		o->len = at;
	names_free(&n);
	return nr;
}

int collect_cpu_pmu_caps(struct obuf *o)
{
	return put_caps(o, "cpu") ? 0 : -ENOENT;
}

/* All PMUs but "cpu", which has a feature of its own. */
int collect_pmu_caps(struct obuf *o)
{
	size_t at = o->len;
	struct names n;
	uint32_t nr = 0;

	names_read(&n, DEVICES);
	feature_put_u32(o, 0);
	vec_for_each (name, &n.names) {
		if (!strcmp(*name, "cpu") || !put_caps(o, *name))
			continue;
		feature_put_string(o, *name);
		nr++;
	}
	put_u32_at(o, at, nr);
	names_free(&n);
	return nr ? 0 : -ENOENT;
}

/* CPUs of different kinds: each kind has a PMU, cpu_core and cpu_atom and their like. */
int collect_hybrid_topology(struct obuf *o)
{
	size_t at = o->len;
	struct names n;
	uint32_t nr = 0;

	names_read(&n, DEVICES);
	feature_put_u32(o, 0);
	vec_for_each (name, &n.names) {
		char *cpus =
			strncmp(*name, "cpu_", 4) ? NULL : read_line(DEVICES "/%s/cpus", *name);

		if (!cpus)
			continue;
		feature_put_string(o, *name);
		feature_put_string(o, cpus);
		free(cpus);
		nr++;
	}
	put_u32_at(o, at, nr);
	names_free(&n);
	return nr ? 0 : -ENOENT;
}
