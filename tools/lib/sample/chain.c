// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The markers of call chains. Each room that looks at chains had its own list of them once, and no
 * two lists were the same: this table is the only one.
 */
#include "sample/sample.h"

static const struct marker {
	uint64_t ip;
	uint8_t mode;
	const char *name;
} markers[] = {
	{ PERF_CONTEXT_HV, PERF_RECORD_MISC_HYPERVISOR, "PERF_CONTEXT_HV" },
	{ PERF_CONTEXT_KERNEL, PERF_RECORD_MISC_KERNEL, "PERF_CONTEXT_KERNEL" },
	{ PERF_CONTEXT_USER, PERF_RECORD_MISC_USER, "PERF_CONTEXT_USER" },
	{ PERF_CONTEXT_USER_DEFERRED, PERF_RECORD_MISC_USER, "PERF_CONTEXT_USER_DEFERRED" },
	{ PERF_CONTEXT_GUEST_KERNEL, PERF_RECORD_MISC_GUEST_KERNEL, "PERF_CONTEXT_GUEST_KERNEL" },
	{ PERF_CONTEXT_GUEST, PERF_RECORD_MISC_GUEST_KERNEL, "PERF_CONTEXT_GUEST" },
	{ PERF_CONTEXT_GUEST_USER, PERF_RECORD_MISC_GUEST_USER, "PERF_CONTEXT_GUEST_USER" },
};

static const struct marker *find(uint64_t ip)
{
	for (size_t i = 0; i < ARRAY_SIZE(markers); i++)
		if (markers[i].ip == ip)
			return &markers[i];
	return NULL;
}

int sample_marker_mode(uint64_t ip)
{
	const struct marker *m = find(ip);

	return m ? m->mode : -1;
}

const char *sample_marker_name(uint64_t ip)
{
	const struct marker *m = find(ip);

	return m ? m->name : NULL;
}

uint64_t sample_mode_marker(uint8_t mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(markers); i++)
		if (markers[i].mode == mode)
			return markers[i].ip;
	return PERF_CONTEXT_USER;
}
