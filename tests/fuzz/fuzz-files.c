// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several recordings at once: a byte that chooses a command, then recordings as parts (mutate-parts.c). What joins their events,
 * and adds up what was counted of each, meets events and times that do not fit.
 */
#include <stdio.h>

#include "fuzz.h"
#include "perf-main.h"

/* Behind them come the recordings. Nothing here may start a program, ask the network or write a file other than /dev/null. */
static const char *const lines[] = {
	"report --stdio",
	"report --stdio -g caller",
	"report --json --by-file",
	"report --stdio --by-file --scale-time",
	"report --stdio -b",
	"script",
	"script --json",
	"diff",
	"diff -c ratio",
	"diff -c cycles",
	"diff --noise -g",
	"data convert --to folded -o /dev/null",
	"data convert --to fdata -o /dev/null",
	"data merge /dev/null",
	"annotate --stdio",
	"data convert --to pprof -o /dev/null",
};

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	const char *line = lines[fuzz_u8(&b) % ARRAY_SIZE(lines)];
	char all[256];

	for (unsigned slot = 0; slot < 2; slot++) {
		size_t n = 0;
		const uint8_t *p = fuzz_part(&b, &n);

		fuzz_file(slot, p, n);
	}
	snprintf(all, sizeof(all), "%s %s %s", line, fuzz_path(0), fuzz_path(1));
	fuzz_line_ran(line, fuzz_perf(all, NULL));
}

/* One of them as a recording, the other one as it was. */
static size_t mutate(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	struct fuzz_bytes b = { data, size };
	uint8_t *first;
	size_t n, to;

	if (size < 8 || size > max)
		return 0;
	if (fuzz_rand(&seed) % 8 == 0) {
		data[0] = (uint8_t)fuzz_rand(&seed);
		return size;
	}
	fuzz_u8(&b);
	first = data + (fuzz_part(&b, &n) - data);
	if (fuzz_rand(&seed) % 2 && n) { /* in place, so that the second stays where it is */
		to = mutate_perfdata(first, n, n, seed);
		if (to && to < n)
			memset(first + to, 0, n - to);
		return to ? size : 0;
	}
	if (b.left <= 2)
		return 0;
	n = b.left - 2;
	to = mutate_perfdata(data + (size - n), n, max - (size - n), seed);
	if (!to || to > UINT16_MAX)
		return 0;
	data[size - n - 2] = (uint8_t)to;
	data[size - n - 1] = (uint8_t)(to >> 8);
	return size - n + to;
}

const struct fuzz_target fuzz_files = {
	.name = "files",
	.reads = "two recordings at once, by report, diff, script, data merge",
	.max_len = 4096,
	.run = run,
	.mutate = mutate,
};
