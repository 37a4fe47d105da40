// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings with vector registers, by what reads these: whole commands, in this process. */
#include "fuzz.h"
#include "perf-main.h"

/* Nothing here may start a program, ask the network or write a file other than /dev/null. */
static const char *const lines[] = {
	"report --stdio --simd",
	"report --stdio --numbers",
	"report --stdio --idle-lanes",
	"report --stdio --dirty",
	"report --stdio --values=zmm0.f64[0]",
	"report --json --simd --numbers",
	"report --json --idle-lanes -s loop,sym",
	"report --csv --dirty -s dirty_by,simd,simd_width,simd_upper",
	"report --stdio --simd --pieces 2",
	"script -F +simd,+iregs,+uregs",
	"script -F +simd --regs=zmm0-3,k1 --lanes=f32",
	"script -F +simd --lanes=auto",
	"script -F +simd --lanes=u8 --json",
	"script -F +simd --lanes=f64 --redact",
	"data convert --to html -o /dev/null",
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
