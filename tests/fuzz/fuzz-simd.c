// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings with vector registers, by what reads these: whole commands, in this process. */
#include "fuzz.h"
#include "perf-main.h"

/* Nothing here may start a program, ask the network or write a file other than /dev/null. */
static const char *const lines[] = {
	"report --stdio --simd",
	"report --stdio --numbers",
	"report --json --simd --numbers",
	"report --csv -s simd,simd_width,simd_upper",
	"report --stdio --simd -g caller",
	"report --stdio --simd --pieces 2",
	"script -F +simd,iregs,uregs",
	"script -F +simd --regs=all --lanes=f32",
	"script -F +simd --lanes=u8 --json",
	"script -F +simd --lanes=f64 --redact",
	"annotate --stdio --simd",
	"annotate --json --simd --loops",
	"report -D",
};

static void run(const uint8_t *data, size_t size)
{
	fuzz_command_line(lines, ARRAY_SIZE(lines), data, size);
}

const struct fuzz_target fuzz_simd = {
	.name = "simd",
	.reads = "recordings with vector registers, by report, script, annotate",
	.max_len = 4096,
	.run = run,
	.mutate = mutate_command,
};
