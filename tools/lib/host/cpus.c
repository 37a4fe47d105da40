// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many threads can run at once: the CPUs that this process may use, and of these no more than
 * what its cgroups grant it CPU time for. A container with a quota of two CPUs on a machine of 64 would
 * only be throttled by more threads than two.
 */
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "host-int.h"

#define MAX_CPUS 65536

static unsigned cpus_allowed(void)
{
	unsigned n = 0;

	/* The kernel refuses sets that are smaller than its own. */
	for (int cpus = 1024; !n && cpus <= MAX_CPUS; cpus *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)cpus);
		size_t size = CPU_ALLOC_SIZE((size_t)cpus);

		if (set && !sched_getaffinity(0, size, set))
			n = (unsigned)CPU_COUNT_S(size, set);
		CPU_FREE(set);
	}
	return n ? n : 1;
}

/* "QUOTA PERIOD", or "max PERIOD": CPUs, rounded up; UINT_MAX = as many as there are. */
static unsigned quota_cpus(const char *quota, const char *period)
{
	unsigned long long q = strtoull(quota, NULL, 10), p = strtoull(period, NULL, 10), n;

	if (!q || !p || *quota == '-')
		return UINT_MAX;
	n = (q + p - 1) / p;
	return n > MAX_CPUS ? UINT_MAX : (unsigned)n;
}

static unsigned unified_cpus(const char *dir)
{
	char path[4200], *text, *space;
	unsigned n = UINT_MAX;

	snprintf(path, sizeof(path), "%s/cpu.max", dir);
	text = file_read_all(path, 256, NULL, NULL);
	space = text ? strchr(text, ' ') : NULL;
	if (space)
		n = quota_cpus(text, space + 1);
	free(text);
	return n;
}

static unsigned legacy_cpus(const char *dir)
{
	char path[4200], *quota, *period;
	unsigned n = UINT_MAX;

	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", dir);
	quota = file_read_all(path, 256, NULL, NULL);
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
	period = file_read_all(path, 256, NULL, NULL);
	if (quota && period)
		n = quota_cpus(quota, period);
	free(quota);
	free(period);
	return n;
}

/* The tightest quota of @group and of those above it. */
static unsigned group_cpus(const char *root, const char *group, unsigned (*cpus)(const char *dir))
{
	char dir[4096];
	unsigned n = UINT_MAX;
	size_t top = strlen(root);

	if ((size_t)snprintf(dir, sizeof(dir), "%s%s", root, group) >= sizeof(dir))
		return n;
	for (;;) {
		unsigned here = cpus(dir);
		char *slash = strrchr(dir, '/');

		n = here < n ? here : n;
		if (!slash || (size_t)(slash - dir) < top)
			return n;
		*slash = 0;
	}
}

/* Lines "0::/GROUP" (version 2) and "N:cpu,cpuacct:/GROUP" (version 1). */
static unsigned line_cpus(char *line)
{
	char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;

	if (!group)
		return UINT_MAX;
	*names++ = 0;
	*group++ = 0;
	if (!*names)
		return group_cpus("/sys/fs/cgroup", group, unified_cpus);
	for (char *save, *name = strtok_r(names, ",", &save); name;
	     name = strtok_r(NULL, ",", &save))
		if (!strcmp(name, "cpu"))
			return group_cpus("/sys/fs/cgroup/cpu", group, legacy_cpus);
	return UINT_MAX;
}

unsigned host_cpus_usable(void)
{
	char *text = file_read_all("/proc/self/cgroup", 1 << 20, NULL, NULL), *save, *line;
	unsigned n = cpus_allowed();

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned quota = line_cpus(line);

		n = quota < n ? quota : n;
	}
	free(text);
	return n;
}
