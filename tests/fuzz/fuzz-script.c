// SPDX-License-Identifier: GPL-2.0-or-later
/* Recordings, by the lines of perf script: whole, in this process. */
#include "fuzz.h"
#include "perf-main.h"

/* Nothing here may start a program, ask the network or write a file other than /dev/null. */
static const char *const lines[] = {
	"script",
	"script --json",
	"script -F comm,pid,tid,cpu,time,event,flags,addr,ip,sym,dso,symoff,dsoff,"
	"srcline,iregs,uregs,brstacksym,trace,weight,data_src,cgroup,phys_addr,insn,"
	"bpf-output",
	"script --show-task-events --show-mmap-events --show-switch-events --show-lost-events",
	""
	"script --show-cgroup-events --show-text-poke-events --show-bpf-events --show-namespace-events --show-round-events",
	"script --deltatime --ns -L --lanes=u16 --regs=zmm0-3,ax -F +simd,+iregs,+uregs",
	"script -F +brstackinsn,+disasm",
	"script -F +callindent,+misc,+synth,+machine_pid,+vcpu,+tod",
	"script -G --reltime -F +brstackoff,+ins_lat,+retire_lat",
	"script --json -F comm,tid,time,ip,sym,trace,simd,brstack,data_src",
	"script --stitch-lbr --max-stack 5",
	"script --redact -F +uregs,+bpf-output",
};

static void run(const uint8_t *data, size_t size)
{
	fuzz_command_line(lines, ARRAY_SIZE(lines), data, size);
}

const struct fuzz_target fuzz_script = {
	.name = "script",
	.reads = "recordings, by script: its fields, as text and JSON",
	.max_len = 2048,
	.run = run,
	.mutate = mutate_command,
};
