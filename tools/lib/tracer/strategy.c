// SPDX-License-Identifier: GPL-2.0-or-later
/* How branches are followed: what this machine can do, tried on a child, and what is made of it. */
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walk.h"

/* ---- the probe ------------------------------------------------------------------------------------- */

/* clang-format off */
/* Two straight lines with a branch behind each: 2 stops of real block stepping, 34 of the other. */
__asm__(".text\n"
	".type tracer_probe_begin, @function\n"
	"tracer_probe_begin:\n"
	".rept 16\n nop\n .endr\n"
	"	jmp 1f\n	ud2\n"
	"1:\n"
	".rept 16\n nop\n .endr\n"
	"	jmp 2f\n	ud2\n"
	"2:\n"
	".type tracer_probe_end, @function\n"
	"tracer_probe_end:\n"
	"	nop\n	ud2\n");
/* clang-format on */
#define PROBE_INSNS    34
#define PROBE_BRANCHES 2

extern const unsigned char tracer_probe_begin[], tracer_probe_end[];

static bool wait_stopped(pid_t pid)
{
	int status;
	pid_t r;

	do
		r = waitpid(pid, &status, __WALL);
	while (r < 0 && errno == EINTR);
	return r == pid && WIFSTOPPED(status);
}

/* How many stops of @request lead through the block; 0 = they do not. */
static unsigned count_stops(pid_t pid, int request)
{
	struct user_regs_struct r;
	unsigned n = 0;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r))
		return 0;
	r.rip = (uint64_t)(uintptr_t)tracer_probe_begin;
	r.orig_rax = (uint64_t)-1; /* no system call to come back to */
	if (ptrace(PTRACE_SETREGS, pid, NULL, &r))
		return 0;
	while (n++ <= PROBE_INSNS) {
		if (ptrace(request, pid, NULL, NULL) || !wait_stopped(pid) ||
		    ptrace(PTRACE_GETREGS, pid, NULL, &r))
			return 0;
		if (r.rip == (uint64_t)(uintptr_t)tracer_probe_end)
			return n;
	}
	return 0;
}

static bool breakpoints_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = PERF_ATTR_SIZE_VER5,
		.sample_period = 1,
		.bp_type = 4, /* execute */
		.bp_addr = 0x1000,
		.bp_len = sizeof(long),
		.flags = ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL,
	};
	int fd = tracer_without() & WITHOUT_BREAKPOINTS
			 ? -1
			 : (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
					PERF_EVENT_OPEN_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void tracer_probe(struct tracer_probe *p)
{
	pid_t pid;

	*p = (struct tracer_probe){ .block_insns = PROBE_INSNS, .block_branches = PROBE_BRANCHES };
	p->breakpoints = breakpoints_open();
	pid = fork();
	if (!pid) {
		/* refused where perf itself is traced with its children */
		if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			kill(getpid(), SIGSTOP);
		_exit(0);
	}
	if (pid < 0)
		return;
	if (wait_stopped(pid)) {
		p->steps = count_stops(pid, PTRACE_SINGLESTEP) == PROBE_INSNS;
		p->block_stops = count_stops(pid, PTRACE_SINGLEBLOCK);
		p->blocks = p->block_stops == PROBE_BRANCHES;
	}
	kill(pid, SIGKILL); /* or it is a zombie, or gone */
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
}

/* ---- the choice ------------------------------------------------------------------------------------- */

#define STOPS_STEP (64 * TRACER_MAX_DEPTH)

static const struct strategy strategies[] = {
	[TRACER_AUTO] = { "auto", "computed with breakpoints", advance_interpret, true, true, 48 },
	[TRACER_INTERPRET] = { "interpret", "computed with breakpoints", advance_interpret, true,
			       false, 48 },
	[TRACER_BREAKPOINT] = { "breakpoint", "by a breakpoint at each branch", advance_breakpoint,
				true, false, 16 * TRACER_MAX_DEPTH },
	[TRACER_BLOCK] = { "block", "by block steps", advance_block, false, true, STOPS_STEP },
	[TRACER_STEP] = { "step", "by single steps", advance_step, false, true, STOPS_STEP },
};

static const struct strategy without_breakpoints = {
	"auto", "computed with single steps", advance_interpret, false, true, STOPS_STEP
};

int tracer_strategy_parse(const char *name, enum tracer_strategy *s, struct err *e)
{
	for (unsigned i = 0; i < ARRAY_SIZE(strategies); i++) {
		if (!strcmp(name, strategies[i].name)) {
			*s = (enum tracer_strategy)i;
			return 0;
		}
	}
	return err_set(
		e, -EINVAL,
		"--branch-strategy takes auto, interpret, breakpoint, block or step, not '%s'",
		name);
}

const struct strategy *strategy_choose(enum tracer_strategy want, const struct tracer_probe *p)
{
	if (want != TRACER_AUTO || p->breakpoints || !p->steps)
		return &strategies[want];
	return p->blocks ? &strategies[TRACER_BLOCK] : &without_breakpoints;
}
