// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything that can be asked for: for perf list, for suggestions, for completion. One walk with
 * a callback; names are made while it goes, so that whoever wants one of ten thousand tracepoints
 * does not pay for a list.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "events/events-int.h"

typedef int (*info_fn)(void *ctx, const struct event_info *info);

static int by_name(const void *a, const void *b)
{
	const struct event_symbol *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* The tables are in the order of the kernel's numbers; people look for names. */
static int list_symbols(enum event_kind kind, const struct event_symbol *v, size_t nr, info_fn fn,
			void *ctx)
{
	const struct event_symbol *sorted[32] = { NULL };
	int ret = 0;

	nr = nr < ARRAY_SIZE(sorted) ? nr : ARRAY_SIZE(sorted);
	for (size_t i = 0; i < nr; i++)
		sorted[i] = &v[i];
	qsort(sorted, nr, sizeof(*sorted), by_name);
	for (size_t i = 0; !ret && i < nr; i++) {
		struct event_info info = { .kind = kind,
					   .name = sorted[i]->name,
					   .alias = sorted[i]->alias };

		ret = fn(ctx, &info);
	}
	return ret;
}

static int list_cache(info_fn fn, void *ctx)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < 7 * 3 * 2; i++) {
		char name[64];
		struct event_info info = { .kind = EVENT_CACHE, .name = name };

		if (event_cache_name(i / 6, i / 2 % 3, i % 2, name, sizeof(name)))
			ret = fn(ctx, &info);
	}
	return ret;
}

static int list_pmus(struct pmus *t, info_fn fn, void *ctx)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < pmus_nr(t); i++) {
		struct pmu *pmu = pmus_at(t, i);

		pmu_load(t, pmu);
		for (size_t j = 0; !ret && j < pmu->nr_events; j++) {
			char name[NAME_MAX * 2];
			struct event_info info = { .kind = EVENT_PMU,
						   .name = name,
						   .pmu = pmu,
						   .def = &pmu->events[j],
						   .desc = pmu->events[j].desc };

			snprintf(name, sizeof(name), "%s/%s/", pmu->name, pmu->events[j].name);
			ret = fn(ctx, &info);
		}
	}
	return ret;
}

static int list_group(const char *root, const char *sys, info_fn fn, void *ctx)
{
	struct names names = { 0 };
	char path[PATH_MAX], name[NAME_MAX * 2 + 2];
	int ret = 0;

	snprintf(path, sizeof(path), "%s/events/%s", root, sys);
	if (!dirlist_read(&names, path))
		for (size_t i = 0; !ret && i < names.n; i++) {
			struct event_info info = { .kind = EVENT_TRACEPOINT, .name = name };

			snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, sys, names.v[i]);
			snprintf(name, sizeof(name), "%s:%s", sys, names.v[i]);
			if (!access(path, F_OK))
				ret = fn(ctx, &info);
		}
	dirlist_free(&names);
	return ret;
}

static int list_tracepoints(info_fn fn, void *ctx)
{
	const char *root = events_tracefs();
	struct names groups = { 0 };
	char path[PATH_MAX];
	int ret = 0;

	if (!root)
		return 0;
	snprintf(path, sizeof(path), "%s/events", root);
	if (!dirlist_read(&groups, path))
		for (size_t i = 0; !ret && i < groups.n; i++)
			ret = list_group(root, groups.v[i], fn, ctx);
	dirlist_free(&groups);
	return ret;
}

int events_for_each(struct pmus *t, unsigned kinds, info_fn fn, void *ctx)
{
	int ret = 0;

	if (kinds & EVENT_HARDWARE)
		ret = list_symbols(EVENT_HARDWARE, event_hardware, event_nr_hardware, fn, ctx);
	if (!ret && kinds & EVENT_SOFTWARE)
		ret = list_symbols(EVENT_SOFTWARE, event_software, event_nr_software, fn, ctx);
	if (!ret && kinds & EVENT_CACHE)
		ret = list_cache(fn, ctx);
	if (!ret && kinds & EVENT_PMU)
		ret = list_pmus(t, fn, ctx);
	if (!ret && kinds & EVENT_TRACEPOINT)
		ret = list_tracepoints(fn, ctx);
	return ret;
}

bool event_is_supported(uint32_t type, uint64_t config, const struct log_sink *log)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config, .flags = ATTR_FLAG_DISABLED
	};
	int fd = event_open_sys(NULL, &attr, 0, -1, -1, PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);

	if (fd == -EACCES || fd == -EPERM) {
		attr.flags |= ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV;
		fd = event_open_sys(NULL, &attr, 0, -1, -1, PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);
	}
	if (fd >= 0)
		close(fd);
	else
		log_to(log, LOG_DEBUG, "type %u, config %#llx: %s", type,
		       (unsigned long long)config, strerror(-fd));
	return fd >= 0;
}
