// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Register state of a live process, read while its threads stand still for a moment. Threads are
 * seized, which neither signals nor wakes them: what was stopped stays stopped, and a signal that
 * comes meanwhile is handed on.
 */
#include <dirent.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tracer.h"
#include "wait-int.h"
#ifdef __x86_64__
#include "tracer-int.h"
#endif

#ifndef NT_X86_SHSTK
#define NT_X86_SHSTK 0x204
#endif

#define BUF_SIZE 65536

/* 0 = unknown, as on any other architecture, which has no XSAVE state to go with it either. */
static uint64_t read_ip(pid_t tid)
{
	uint64_t ip = 0;
#ifdef __x86_64__
	struct user_regs_struct regs;

	if (!ptrace(PTRACE_GETREGS, tid, NULL, &regs))
		ip = regs.rip;
#else
	(void)tid;
#endif
	return ip;
}

static int read_state(struct tracer_states *st, pid_t tid, struct err *e)
{
	unsigned char buf[BUF_SIZE];
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct tracer_state t = { .tid = tid, .ip = read_ip(tid) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_XSTATE, &iov))
		return err_set(e, -errno, "reading the XSAVE state of thread %d: %s", tid,
			       strerror(errno));
	t.xsave_size = iov.iov_len;
	t.xsave = arena_memdup(&st->arena, buf, iov.iov_len);
	iov = (struct iovec){ .iov_base = &t.ssp, .iov_len = sizeof(t.ssp) };
	t.has_ssp = !ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_SHSTK, &iov);
	if (!t.xsave || vec_push(&st->threads, t))
		return err_set(e, -ENOMEM, "no memory for the state of thread %d", tid);
	return 0;
}

/*
 * SEIZE and INTERRUPT leave a group stop as it was after DETACH. A signal that arrives before the
 * stop is handed on.
 */
static int visit_thread(struct tracer_states *st, pid_t tid, struct err *e)
{
	struct waited came;
	int ret, sig = 0;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return tracer_attach_error(tid, -errno, e);
	came = tracer_fetch(tid);
	if (came.kind == WAITED_NOTHING) {
		err_set(e, -EBUSY,
			"thread %d does not stop: it waits in the kernel for something "
			"that signals do not end",
			tid);
		err_hint(e, "See what for: cat /proc/%d/stack, as root.", tid);
		return -EBUSY;
	}
	if (came.kind != WAITED_STOP)
		return err_set(e, -ESRCH, "thread %d ended while it was stopped", tid);
	if (came.status >> 16 != PTRACE_EVENT_STOP)
		sig = WSTOPSIG(came.status);
	ret = read_state(st, tid, e);
#ifdef __x86_64__
	(void)signals_restart(tid, sig); /* what it waits for must not end with EINTR */
#endif
	if (ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)sig) && !ret && errno != ESRCH)
		ret = err_set(e, -errno, "letting thread %d go: %s", tid, strerror(errno));
	return ret;
}

int tracer_states_live(struct tracer_states *st, pid_t pid, struct err *e)
{
	char path[64];
	struct dirent *d;
	DIR *dir;
	int ret = 0, code = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return err_set(e, errno == ENOENT ? -ESRCH : -errno, "there is no process %d", pid);
	while (!ret && (d = file_dir_next(dir, &code))) {
		pid_t tid = (pid_t)strtol(d->d_name, NULL, 10);

		if (tid <= 0)
			continue;
		ret = visit_thread(st, tid, e);
		if (ret == -ESRCH && tid != pid)
			ret = 0; /* a thread may end meanwhile */
	}
	closedir(dir);
	if (!ret && code)
		return err_set(e, code, "cannot read %s: %s", path, strerror(-code));
	return ret;
}
