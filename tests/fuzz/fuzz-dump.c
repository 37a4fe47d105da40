// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings, byte by byte and by their headers: whole commands, in this process. */
#include "fuzz.h"
#include "perf-main.h"

/* Nothing here may start a program, ask the network or write a file other than /dev/null. */
static const char *const lines[] = {
	"report -D",	      "report --header-only -I",   "report --stats",
	"script -D",	      "script --header-only -I",   "evlist -v --trace-fields",
	"evlist -g",	      "buildid-list -H",	   "buildid-list",
	"report -D --redact", "report -D --disable-order",
};

static void run(const uint8_t *data, size_t size)
{
	fuzz_command_line(lines, ARRAY_SIZE(lines), data, size);
}

const struct fuzz_target fuzz_dump = {
	.name = "dump",
	.reads = "recordings, by report -D, --stats, --header, evlist, buildid-list",
	.max_len = 2048,
	.run = run,
	.mutate = mutate_command,
};
