// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings, by the tables and texts of perf report: whole, in this process. */
#include "fuzz.h"
#include "perf-main.h"

/* Nothing here may start a program, ask the network or write a file other than /dev/null. */
static const char *const lines[] = {
	"report --stdio",
	"report --stdio -g caller -n --show-total-period",
	"report --json -g",
	"report --csv -s pid,tid,comm,dso,sym,srcline,cpu,socket,time",
	"report --stdio -s mem,snoop,tlb,locked,blocked,local_weight,dcacheline",
	"report --stdio --mem-mode",
	"report --stdio -b -s symbol_from,symbol_to,mispredict,cycles,in_tx",
	"report --stdio --hierarchy -s comm,dso,sym",
	"report --stdio --total-cycles",
	"report --stdio --hot-paths=3",
	"report --stdio --branch-history",
	"report --dot",
	"report --tasks",
	"report --mmaps",
	"report --stdio --simd",
	"report --stdio -T -n --group",
	"report --stdio -s trace,cgroup,cgroup_id,parallelism,weight,transaction",
	"report --stdio --latency",
	"report --stdio -G --no-children -s sym",
	"report --stdio -s simd_width,simd_upper,code_page_size,phys_daddr,symbol_daddr",
	"report --stdio --csv -s symbol_size,symoff,dso_size,time --time-quantum=1us",
	"report --json --hierarchy -s comm,sym",
	"report --stdio -t , -F overhead,sample,period,avg_cycles,sym",
	"report --stdio --stitch-lbr -g",
};

static void run(const uint8_t *data, size_t size)
{
	fuzz_command_line(lines, ARRAY_SIZE(lines), data, size);
}

const struct fuzz_target fuzz_table = {
	.name = "table",
	.reads = "recordings, by report: keys, tables, chains, views, faces",
	.max_len = 2048,
	.run = run,
	.mutate = mutate_command,
};
