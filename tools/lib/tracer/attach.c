// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why a thread cannot be traced, from what /proc tells about it and about us. The kernel says
 * EPERM for all of a dozen causes; here they are tried in turn, so that the message names the one
 * that holds.
 */
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "status-int.h"
#include "tracer.h"

#define CAP_SYS_PTRACE 19
#define SECCOMP_FILTER 2

char *status_read(pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	return file_read_all(path, 1 << 16, NULL, NULL);
}

uint64_t status_number(const char *text, const char *key, int base)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

const char *status_stat(const char *path, char buf[STATUS_STAT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = read(fd, buf, STATUS_STAT - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return strrchr(buf, ')');
}

static int yama_scope(void)
{
	char *text = file_read_all("/proc/sys/kernel/yama/ptrace_scope", 64, NULL, NULL);
	int v = text ? (int)strtol(text, NULL, 10) : 0;

	free(text);
	return v;
}

/* Whether @pid descends from us. */
static bool is_descendant(pid_t pid)
{
	for (int n = 0; pid > 1 && n < 1000; n++) {
		char *text = status_read(pid);

		pid = (pid_t)status_number(text, "\nPPid:", 10);
		free(text);
		if (pid == getpid())
			return true;
	}
	return false;
}

#define PF_KTHREAD 0x200000 /* include/linux/sched.h; the number is part of /proc */

static bool is_kernels(pid_t tid)
{
	char path[64], buf[STATUS_STAT];
	unsigned flags = 0;
	const char *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	p = status_stat(path, buf);
	if (p)
		sscanf(p, ") %*c %*d %*d %*d %*d %*d %u", &flags);
	return flags & PF_KTHREAD;
}

/* The files of a process that is not dumpable belong to root. */
static bool is_dumpable(pid_t tid, uid_t owner)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	return stat(path, &st) || st.st_uid == owner;
}

static void read_name(pid_t pid, char *buf, size_t size)
{
	char path[64];
	char *text;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	text = file_read_all(path, 64, NULL, NULL);
	snprintf(buf, size, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
	free(text);
}

bool tracer_facts_read(pid_t tid, struct tracer_facts *f)
{
	char *text = status_read(tid), *own = status_read(getpid());
	const char *uids = text ? strstr(text, "\nUid:") : NULL;

	*f = (struct tracer_facts){ .tid = tid, .our_uid = geteuid(), .yama_scope = yama_scope() };
	f->there = text != NULL;
	f->tracer = (pid_t)status_number(text, "\nTracerPid:", 10);
	if (f->tracer)
		read_name(f->tracer, f->tracer_name, sizeof(f->tracer_name));
	if (uids) /* real, then effective */
		sscanf(uids, "\nUid: %*u %u", &f->uid);
	/* without memory are the kernel's own, and those that end: that goes before the state */
	f->kernel_thread = text && !strstr(text, "\nVmSize:");
	if (text && (strstr(text, "\nState:\tZ") || (f->kernel_thread && !is_kernels(tid))))
		f->kernel_thread = false, f->zombie = true;
	f->dumpable = is_dumpable(tid, f->uid);
	f->descendant = f->yama_scope == 1 && is_descendant(tid);
	f->may_ptrace = status_number(own, "\nCapEff:", 16) >> CAP_SYS_PTRACE & 1;
	f->we_are_filtered = status_number(own, "\nSeccomp:", 10) == SECCOMP_FILTER;
	free(text);
	free(own);
	return f->there;
}

static const char *user_name(uid_t uid)
{
	struct passwd *pw = getpwuid(uid);

	return pw ? pw->pw_name : "?";
}

static int refused(const struct tracer_facts *f, const char *why, const char *hint, struct err *e)
{
	err_set(e, -EPERM, "cannot attach to thread %d: %s", f->tid, why);
	err_hint(e, "%s", hint);
	return -EPERM;
}

static bool yama_refuses(const struct tracer_facts *f)
{
	if (f->yama_scope >= 3 || f->may_ptrace)
		return f->yama_scope >= 3;
	return f->yama_scope == 2 || (f->yama_scope == 1 && !f->descendant);
}

static int explain_yama(const struct tracer_facts *f, struct err *e)
{
	if (f->yama_scope >= 3)
		return refused(f, "Yama forbids all tracing (kernel.yama.ptrace_scope = 3)",
			       "It stays so until the next boot.", e);
	if (f->yama_scope == 2)
		return refused(f,
			       "Yama lets only administrators trace (kernel.yama.ptrace_scope = 2)",
			       "Run perf as root, or with CAP_SYS_PTRACE.", e);
	return refused(
		f, "Yama lets a program trace only what it started (kernel.yama.ptrace_scope = 1)",
		"Let perf start the program, run perf as root, or: sysctl "
		"kernel.yama.ptrace_scope=0",
		e);
}

int tracer_explain(const struct tracer_facts *f, struct err *e)
{
	char why[160];

	if (!f->there)
		return err_set(e, -ESRCH, "thread %d is not there (any more)", f->tid);
	if (f->zombie)
		return err_set(e, -ESRCH, "thread %d has ended (a zombie)", f->tid);
	if (f->tracer) {
		snprintf(why, sizeof(why), "process %d (%s) traces it already", f->tracer,
			 f->tracer_name);
		return refused(f, why,
			       "A thread has one tracer: end the debugger or strace there first.",
			       e);
	}
	if (f->kernel_thread)
		return refused(f, "it is a thread of the kernel",
			       "Sample it without user registers and branches.", e);
	if (f->yama_scope >= 3)
		return explain_yama(f, e);
	if (f->may_ptrace && f->we_are_filtered)
		return refused(f, "a seccomp filter or a security module forbids ptrace",
			       "perf runs under a seccomp filter, as in many containers: allow "
			       "ptrace and process_vm_readv there (docker: --cap-add SYS_PTRACE).",
			       e);
	if (f->may_ptrace)
		return refused(f,
			       "a security module (SELinux, AppArmor) forbids it, or it is in "
			       "a user namespace above ours",
			       "See the audit log.", e);
	if (f->uid != f->our_uid) {
		snprintf(why, sizeof(why), "it belongs to %s (uid %u), perf runs as uid %u",
			 user_name(f->uid), f->uid, f->our_uid);
		return refused(f, why, "Run perf as that user, as root, or with CAP_SYS_PTRACE.",
			       e);
	}
	if (!f->dumpable)
		return refused(f,
			       "it is protected: set-user-ID, file capabilities, or its own wish "
			       "(PR_SET_DUMPABLE)",
			       "Run perf as root, or with CAP_SYS_PTRACE.", e);
	if (yama_refuses(f))
		return explain_yama(f, e);
	return refused(f, "a seccomp filter or a security module forbids ptrace",
		       "In a container allow ptrace and process_vm_readv (docker: --cap-add "
		       "SYS_PTRACE); as root it works in most.",
		       e);
}

int tracer_attach_error(pid_t tid, int code, struct err *e)
{
	struct tracer_facts f;

	tracer_facts_read(tid, &f);
	if (code == -EPERM || code == -ESRCH || code == -EACCES)
		return tracer_explain(&f, e);
	return err_set(e, code, "cannot attach to thread %d: %s", tid, strerror(-code));
}

int tracer_check(pid_t tid, struct err *e)
{
	struct tracer_facts f;

	tracer_facts_read(tid, &f);
	if (!f.there || f.zombie || f.tracer || f.kernel_thread || yama_refuses(&f) ||
	    (!f.may_ptrace && (f.uid != f.our_uid || !f.dumpable)))
		return tracer_explain(&f, e);
	return 0;
}
