// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What this machine can do, tried on a child that is traced as programs are. Nothing is believed
 * because it opens: a breakpoint must be seen to fire, steps must stop where they should. The code
 * that the child runs ends in an undefined instruction, so that it stops in any case.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "walk-int.h"

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
	"	nop\n	ud2\n"
	/* nine rounds of a loop */
	".type tracer_probe_loop, @function\n"
	"tracer_probe_loop:\n"
	"	mov $9, %ecx\n"
	".type tracer_probe_round, @function\n"
	"tracer_probe_round:\n"
	"	nop\n	dec %ecx\n	jnz tracer_probe_round\n	ud2\n");
/* clang-format on */
#define PROBE_INSNS    34
#define PROBE_BRANCHES 2

extern const unsigned char tracer_probe_begin[], tracer_probe_end[];
extern const unsigned char tracer_probe_loop[], tracer_probe_round[];

#define WAIT_MS 5000 /* its code ends in any case: only a busy machine takes long */

/* The signal that the child stopped with; 0 = it is gone. */
static int wait_stopped(pid_t pid)
{
	struct waited w = tracer_wait(pid, WAIT_MS);

	return w.kind == WAITED_STOP ? WSTOPSIG(w.status) : 0;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	while (tracer_wait(pid, WAIT_MS).kind == WAITED_STOP)
		;
}

static bool start_at(pid_t pid, const unsigned char *code)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, pid, NULL, &r))
		return false;
	r.rip = (uint64_t)(uintptr_t)code;
	r.orig_rax = (uint64_t)-1; /* no system call to come back to */
	return !ptrace(PTRACE_SETREGS, pid, NULL, &r);
}

/* How many stops of @request lead through the block; 0 = they do not. */
static unsigned count_stops(pid_t pid, int request)
{
	struct user_regs_struct r;
	unsigned n = 0;

	if (!start_at(pid, tracer_probe_begin))
		return 0;
	while (n++ <= PROBE_INSNS) {
		if (step_request(request, pid) || wait_stopped(pid) != SIGTRAP ||
		    ptrace(PTRACE_GETREGS, pid, NULL, &r))
			return 0;
		if (r.rip == (uint64_t)(uintptr_t)tracer_probe_end)
			return n;
	}
	return 0;
}

/* Runs from @code to a breakpoint: whether it stops there, at the @passes-th time, with @rcx left. */
static bool fires(struct tracee *th, const unsigned char *code, const unsigned char *at,
		  uint64_t passes, uint64_t rcx)
{
	uint64_t addr = (uint64_t)(uintptr_t)at;
	struct user_regs_struct r;

	if (!start_at(th->tid, code) || breakpoint_arm(th, addr, passes) ||
	    ptrace(PTRACE_CONT, th->tid, NULL, NULL))
		return false;
	return wait_stopped(th->tid) == th->signal && breakpoint_is(th) &&
	       !ptrace(PTRACE_GETREGS, th->tid, NULL, &r) && r.rip == addr &&
	       (!rcx || r.rcx == rcx);
}

static void try_breakpoints(struct tracer_probe *p, pid_t pid)
{
	struct tracee th = { .tid = pid,
			     .signal = SIGURG,
			     .bp_fd = -1,
			     .bp_silent = tracer_without() & WITHOUT_HITS };

	p->breakpoints_open = !breakpoint_arm(&th, (uint64_t)(uintptr_t)tracer_probe_end, 1);
	p->breakpoints = p->breakpoints_open &&
			 fires(&th, tracer_probe_begin, tracer_probe_end, 1, 0) &&
			 fires(&th, tracer_probe_loop, tracer_probe_round, 4, 6);
	breakpoint_close(&th);
}

/* Stands in a stop; -1: it cannot be had. It goes when we go. */
static pid_t start_child(void)
{
	uint64_t none = 0;
	pid_t self = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self) /* we were gone before that */
			_exit(1);
		for (;;)
			pause();
	}
	/* refused where perf itself is traced with its children */
	if (pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || !wait_stopped(pid) ||
	    ptrace(PTRACE_SETSIGMASK, pid, (void *)sizeof(none), &none)) {
		if (pid > 0)
			end_child(pid);
		return -1;
	}
	return pid;
}

void tracer_probe(struct tracer_probe *p)
{
	sigset_t chld, before;
	pid_t pid;

	/* so that a wait notices it */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &before);
	*p = (struct tracer_probe){ .block_insns = PROBE_INSNS, .block_branches = PROBE_BRANCHES };
	pid = start_child();
	if (pid >= 0) {
		try_breakpoints(p, pid);
		p->steps = count_stops(pid, PTRACE_SINGLESTEP) == PROBE_INSNS;
		p->block_stops = count_stops(pid, PTRACE_SINGLEBLOCK);
		p->blocks = p->block_stops == PROBE_BRANCHES;
		end_child(pid);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}
