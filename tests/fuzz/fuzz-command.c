// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings, by the commands that have no target of their own: whole, in this process. */
#include "fuzz.h"
#include "perf-main.h"

/* Nothing here may start a program, ask the network or write a file other than /dev/null. */
static const char *const lines[] = {
	"annotate --stdio",
	"annotate --json --loops --simd",
	"annotate --stdio2 --group",
	"annotate --json --branches=why",
	"annotate --stdio2 --branches=cycles",
	"annotate --stdio --branches=paths",
	"data convert --to folded --by event,comm,cpu -o /dev/null",
	"data convert --to json --all -o /dev/null",
	"data convert --to pprof -o /dev/null",
	"data convert --to speedscope -o /dev/null",
	"data convert --to speedscope --time-order -o /dev/null",
	"data convert --to firefox -o /dev/null",
	"data convert --to chrome -o /dev/null",
	"data convert --to otlp -o /dev/null",
	"data convert --to callgrind -o /dev/null",
	"data convert --to preagg -o /dev/null",
	"data convert --to fdata -o /dev/null",
	"data convert --to autofdo -o /dev/null",
	"data convert --to profgen -o /dev/null",
	"data convert --to symbol-order -o /dev/null",
	"data convert --to call-order -o /dev/null",
	"data convert --to path-order -o /dev/null",
	"inject -f -b -o /dev/null",
	"inject -f -B -o /dev/null",
	"inject -f --jit -o /dev/null",
	"data convert --to html -o /dev/null",
	"report --branch-history --json -g",
};

static void run(const uint8_t *data, size_t size)
{
	fuzz_command_line(lines, ARRAY_SIZE(lines), data, size);
}

const struct fuzz_target fuzz_command = {
	.name = "command",
	.reads = "recordings, by annotate, data convert, inject",
	.max_len = 2048,
	.run = run,
	.mutate = mutate_command,
};
