// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * try-open FIELD=VALUE...: opens one event with these attr fields and prints "ok", or the name of
 * the errno and, for E2BIG, the size that the kernel left in attr.size. What the stand-in refuses
 * is tested with it; run without the stand-in it asks the real kernel.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "uapi/perf_event.h"

static const struct {
	const char *name;
	size_t offset, size;
} fields[] = {
#define FIELD(f)                                                                                  \
	{                                                                                         \
#f, offsetof(struct perf_event_attr, f), sizeof(((struct perf_event_attr *)0)->f) \
	}
	FIELD(type),
	FIELD(size),
	FIELD(config),
	FIELD(sample_period),
	FIELD(sample_type),
	FIELD(read_format),
	FIELD(flags),
	FIELD(branch_sample_type),
	FIELD(sample_regs_user),
	FIELD(sample_stack_user),
	FIELD(sample_regs_intr),
	FIELD(reserved_2),
	FIELD(reserved_4),
	FIELD(sample_simd_regs_enabled),
	FIELD(sample_simd_pred_reg_qwords),
	FIELD(sample_simd_vec_reg_qwords),
	FIELD(sample_simd_pred_reg_intr),
	FIELD(sample_simd_pred_reg_user),
	FIELD(sample_simd_vec_reg_intr),
	FIELD(sample_simd_vec_reg_user),
};

static int set(struct perf_event_attr *attr, const char *arg)
{
	const char *eq = strchr(arg, '=');
	size_t n = eq ? (size_t)(eq - arg) : 0;

	for (size_t i = 0; eq && i < sizeof(fields) / sizeof(fields[0]); i++) {
		uint64_t v;

		if (strlen(fields[i].name) != n || strncmp(fields[i].name, arg, n) != 0)
			continue;
		v = strtoull(eq + 1, NULL, 0);
		/* The low bytes, wherever this machine keeps them. */
		if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
			v <<= 64 - 8 * fields[i].size;
		memcpy((char *)attr + fields[i].offset, &v, fields[i].size);
		return 0;
	}
	fprintf(stderr, "try-open: what is %s?\n", arg);
	return -1;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_period = 100000,
					.flags = ATTR_FLAG_DISABLED };
	int pid = 0, cpu = -1;
	long fd;

	for (int i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "pid=", 4))
			pid = atoi(argv[i] + 4);
		else if (!strncmp(argv[i], "cpu=", 4))
			cpu = atoi(argv[i] + 4);
		else if (set(&attr, argv[i]))
			return 129;
	}
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0UL);
	if (fd >= 0)
		puts("ok");
	else if (errno == E2BIG)
		printf("E2BIG %u\n", attr.size);
	else
		puts(strerrorname_np(errno));
	return 0;
}
