// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an explanation may know of the machine: kernel, user, limits, settings. Read when a kernel
 * refused something and not before; a file that is not there means "not known", and explanations
 * say less then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"
#include "events/events-int.h"

#define CAP_SYS_ADMIN 21
#define CAP_PERFMON   38

/* The text after "KEY" and ':' in a /proc file of lines; false when there is none. */
static bool find_line(const char *text, const char *key, char *buf, size_t size)
{
	size_t n = strlen(key);

	for (const char *p = text; p && *p;) {
		const char *end = strchr(p, '\n');

		if (!strncmp(p, key, n)) {
			const char *v = p + n;

			v += strspn(v, " \t:");
			snprintf(buf, size, "%.*s", (int)(end ? end - v : (long)strlen(v)), v);
			return true;
		}
		p = end ? end + 1 : NULL;
	}
	return false;
}

static void read_status(struct open_context *ctx)
{
	char *text = file_read_all("/proc/self/status", 64 << 10, NULL, NULL), line[64];

	if (!text)
		return;
	if (find_line(text, "CapEff", line, sizeof(line))) {
		uint64_t caps = strtoull(line, NULL, 16);

		ctx->privileged = caps & (BIT(CAP_SYS_ADMIN) | BIT(CAP_PERFMON));
	}
	if (find_line(text, "Seccomp:", line, sizeof(line)))
		ctx->seccomp = atoi(line) == 2;
	free(text);
}

static void read_cpu(struct open_context *ctx)
{
	char *text = file_read_all("/proc/cpuinfo", 4 << 20, NULL, NULL), line[4096];

	if (!text)
		return;
	if (find_line(text, "vendor_id", line, sizeof(line)))
		snprintf(ctx->vendor, sizeof(ctx->vendor), "%.15s", line);
	if (find_line(text, "cpu family", line, sizeof(line)))
		ctx->family = (unsigned)atoi(line);
	if (find_line(text, "flags", line, sizeof(line))) {
		ctx->in_vm = strstr(line, " hypervisor") != NULL;
		ctx->has_lbr = strstr(line, " amd_lbr_v2") || strstr(line, " arch_lbr");
		ctx->has_brs = strstr(line, " brs ") != NULL;
	}
	free(text);
}

static int read_paranoid(void)
{
	char *text = file_read_all("/proc/sys/kernel/perf_event_paranoid", 64, NULL, NULL);
	int v = text ? atoi(text) : 2;

	free(text);
	return v;
}

void events_open_context(struct open_context *ctx, struct pmus *t)
{
	struct rlimit lim;
	struct utsname u;

	memset(ctx, 0, sizeof(*ctx));
	ctx->paranoid = read_paranoid();
	ctx->max_freq = events_max_freq();
	read_status(ctx);
	read_cpu(ctx);
	for (size_t i = 0; i < pmus_nr(t); i++) {
		struct pmu *pmu = pmus_at(t, i);
		const char *branches;

		if (!pmu->is_core || pmu->source != PMU_SYSFS)
			continue;
		ctx->has_core_pmu = true;
		pmu_load(t, pmu);
		branches = pmu_cap(pmu, "branches");
		if (!branches || atoi(branches) <= 0)
			continue;
		ctx->has_lbr = true;
		ctx->lbr_depth = (uint32_t)max_u64(ctx->lbr_depth, (uint64_t)atoi(branches));
	}
	if (!getrlimit(RLIMIT_NOFILE, &lim))
		ctx->nofile = lim.rlim_cur;
	if (!uname(&u))
		snprintf(ctx->release, sizeof(ctx->release), "%.63s", u.release);
}
