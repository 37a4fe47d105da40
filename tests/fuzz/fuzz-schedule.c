// SPDX-License-Identifier: GPL-2.0-or-later
/* What xstate --simulate reads: schedules as text, and recordings as such; a byte in front chooses the CPU and the form. */
#include "fuzz.h"
#include "perf-main.h"

#include <stdio.h>

static const char *const lines[] = {
	"xstate --cpu dmr --simulate",
	"xstate --json --cpu spr --simulate",
	"xstate --cpu spr --simulate",
};

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	const char *line = lines[fuzz_u8(&b) % ARRAY_SIZE(lines)];
	char all[128];

	fuzz_file(0, b.p, b.left);
	snprintf(all, sizeof(all), "%s %s", line, fuzz_path(0));
	fuzz_line_ran(line, fuzz_perf(all, NULL));
}

static size_t mutate(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	size_t n;

	if (size < 2)
		return 0;
	n = mutate_text(data + 1, size - 1, max - 1, seed);
	return n ? n + 1 : 0;
}

const struct fuzz_target fuzz_schedule = {
	.name = "schedule",
	.reads = "schedules of xstate --simulate",
	.max_len = 2048,
	.run = run,
	.mutate = mutate,
};
