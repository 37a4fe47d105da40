// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program's code and a recording with branch stacks of it, by what perf report says of branches: why they are hard to
 * predict, cycles, paths and loops, quality, blocks and chains. Whole commands; code is 512 bytes of the input, the
 * rest is the recording, whose maps name descriptor IMAGE_FD.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image.h"
#include "perf-main.h"

#define IMAGE_FD 200
#define CODE	 512
#define SLOT	 2

/* Nothing here may start a program, ask the network or write a file other than /dev/null. */
static const char *const lines[] = {
	"report --stdio --branches=why",
	"report --stdio --branches=cycles",
	"report --stdio --branches=paths",
	"report --json --branches=why",
	"report --json --branches=cycles",
	"report --json --branches=paths",
	"report --csv --branches=why",
	"report --csv --branches=paths",
	"report --stdio --profile-quality",
	"report --json --profile-quality",
	"report --stdio --total-cycles",
	"report --stdio --hot-paths=3",
	"report --stdio -b --branch-stats -s symbol_from,symbol_to,cycles,mispredict",
	"report --dot",
	"report --stdio --pieces 2 --branches=paths",
	"data convert --to fdata -o /dev/null",
	"data convert --to llvm -o /dev/null",
	"data convert --to propeller -o /dev/null",
	"annotate --stdio",
	"script -F +brstackinsn",
};

static void run(const uint8_t *data, size_t size)
{
	const struct image_section code = { IMAGE_CODE_NAME, 0, data + 1, CODE };
	const char *line;

	if (size <= 1 + CODE)
		return;
	image_write(SLOT, &code, 1);
	if (dup2(fuzz_fd(SLOT), IMAGE_FD) != IMAGE_FD)
		abort();
	fuzz_file(0, data + 1 + CODE, size - 1 - CODE);
	line = lines[data[0] % ARRAY_SIZE(lines)];
	fuzz_line_ran(line, fuzz_perf(line, fuzz_path(0)));
}

static size_t mutate(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	uint32_t what = fuzz_rand(&seed) % 8;
	size_t n;

	if (size <= 1 + CODE)
		return 0;
	if (!what) {
		data[0] = (uint8_t)fuzz_rand(&seed);
		return size;
	}
	if (what == 1) {
		for (int i = 0; i < 3; i++)
			data[1 + fuzz_rand(&seed) % CODE] = (uint8_t)fuzz_rand(&seed);
		return size;
	}
	n = mutate_perfdata(data + 1 + CODE, size - 1 - CODE, max - 1 - CODE, seed);
	return n ? n + 1 + CODE : 0;
}

const struct fuzz_target fuzz_brstat = {
	.name = "brstat",
	.reads = "recordings of branches and the code that they are in, by the views of branches",
	.max_len = 3072,
	.run = run,
	.mutate = mutate,
};
