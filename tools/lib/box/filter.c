// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The filter of system calls. What reading needs is listed and goes through, some of it by its arguments; what is
 * not listed is answered with ENOSYS, as by a kernel that does not have it. Nothing is killed: libraries try what is
 * new (clone3, openat2, io_uring) and go on without where the kernel says so, and the call that comes with the next
 * glibc must not be the end of a report. What would make a breakout of it is refused with EPERM, so that a message
 * says what happened.
 *
 * A filter is run for each call, and by the kernel for every number when it is installed, which is what a filter of
 * a hundred comparisons in a row costs (half a millisecond). So it is a tree: the numbers in order, runs of the same
 * answer as one, halves until one is left. libseccomp, which does all this too, would be one more library to
 * load in every run, and a perf without it would have no box. Calls of other ABIs (i386, x32) have other numbers and none
 * of them is needed.
 *
 * Arguments are looked at as far as they are numbers: the flags of open, but not its path, which another thread could
 * change meanwhile. Paths are Landlock's.
 */
#include <unistd.h>

#include "config.h"
#include "box/box-int.h"

#if HAVE_SECCOMP && !BOX_SANITIZED && \
	(defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64))
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH AUDIT_ARCH_RISCV64
#endif

/* The same everywhere; older headers lack them. */
#ifndef __NR_faccessat2
#define __NR_faccessat2 439
#endif

enum answer {
	UNKNOWN, /* ENOSYS */
	REFUSED, /* EPERM */
	ALLOWED,
	OPEN, /* these by an argument */
	OPENAT,
	IOCTL,
	FCNTL,
	MMAP,
	MPROTECT,
	CLONE,
	KILL,
	TGKILL,
	PRLIMIT,
	UTIMENSAT,
	ANSWERS,
};

struct call {
	uint32_t nr;
	enum answer answer;
};

#define YES(name)                    \
	{                            \
		__NR_##name, ALLOWED \
	}
#define NO(name)                     \
	{                            \
		__NR_##name, REFUSED \
	}

/* clang-format off */
static const struct call calls[] = {
	/* files that are open, and such as are opened for reading */
	YES(read), YES(write), YES(readv), YES(writev), YES(pread64), YES(pwrite64), YES(preadv), YES(pwritev),
	YES(lseek), YES(close), YES(fstat), YES(newfstatat), YES(statx), YES(fstatfs), YES(statfs),
	YES(getdents64), YES(readlinkat), YES(faccessat), YES(faccessat2), YES(getcwd), YES(ftruncate),
	YES(fallocate), YES(fsync), YES(fdatasync), YES(fadvise64), YES(readahead), YES(dup), YES(dup3), YES(pipe2),
	YES(ppoll), YES(pselect6), YES(eventfd2), YES(umask),
	{ __NR_openat, OPENAT }, { __NR_ioctl, IOCTL }, { __NR_fcntl, FCNTL }, { __NR_utimensat, UTIMENSAT },
	/* what the attendant hands over */
	YES(recvmsg),
	/* memory */
	YES(brk), YES(munmap), YES(mremap), YES(madvise), YES(mincore), YES(msync), YES(membarrier),
	{ __NR_mmap, MMAP }, { __NR_mprotect, MPROTECT },
	/* threads of this process, its clock and its signals */
	YES(futex), YES(set_robust_list), YES(get_robust_list), YES(set_tid_address), YES(exit),
	YES(exit_group), YES(gettid), YES(getpid), YES(getppid), YES(sched_yield), YES(sched_getaffinity),
	YES(sched_getparam), YES(sched_getscheduler), YES(getcpu), YES(rt_sigaction), YES(rt_sigprocmask),
	YES(rt_sigreturn), YES(rt_sigpending), YES(rt_sigsuspend), YES(rt_sigtimedwait), YES(sigaltstack),
	YES(restart_syscall), YES(clock_gettime), YES(clock_getres), YES(clock_nanosleep), YES(nanosleep),
	YES(gettimeofday), YES(times), YES(getrusage), YES(setitimer), YES(getitimer), YES(wait4), YES(waitid),
	YES(getrandom), YES(uname), YES(sysinfo), YES(getuid), YES(geteuid), YES(getgid), YES(getegid),
	YES(getresuid), YES(getresgid), YES(getgroups), YES(getpgid), YES(getsid), YES(capget),
	{ __NR_clone, CLONE }, { __NR_kill, KILL }, { __NR_tgkill, TGKILL }, { __NR_prlimit64, PRLIMIT },
#ifdef __NR_rseq
	YES(rseq),
#endif
	/* what somebody would want who has taken the process over */
	NO(execve), NO(execveat), NO(socket), NO(socketpair), NO(connect), NO(bind), NO(listen), NO(accept),
	NO(accept4), NO(sendto), NO(sendmsg), NO(sendmmsg), NO(ptrace), NO(process_vm_readv), NO(process_vm_writev),
	NO(tkill), NO(rt_sigqueueinfo), NO(rt_tgsigqueueinfo), NO(unlinkat), NO(renameat2), NO(mkdirat), NO(linkat),
	NO(symlinkat), NO(mknodat), NO(truncate), NO(fchmod), NO(fchmodat), NO(fchown), NO(fchownat), NO(setxattr),
	NO(fsetxattr), NO(mount), NO(umount2), NO(unshare), NO(setns), NO(chroot), NO(pivot_root), NO(bpf),
	NO(perf_event_open), NO(memfd_create), NO(setuid), NO(setgid), NO(capset),
#ifndef __riscv
	NO(renameat),
#endif
#ifdef __x86_64__
	/* before there were calls with -at */
	{ __NR_open, OPEN }, YES(stat), YES(lstat), YES(access), YES(readlink), YES(poll), YES(select), YES(pipe),
	YES(dup2), YES(time), YES(alarm), YES(getrlimit), YES(getpgrp), YES(pause), YES(arch_prctl),
	NO(fork), NO(vfork), NO(creat), NO(unlink), NO(rename), NO(mkdir), NO(rmdir), NO(link), NO(symlink),
	NO(mknod), NO(chmod), NO(chown), NO(lchown),
#endif
};
/* clang-format on */

/* ---- by their arguments ---------------------------------------------------------------------- */

/* Such a call is allowed when ... */
enum test {
	NO_BIT,	 /* the argument has none of these bits */
	NOT_ALL, /* it lacks one of these bits */
	ALL,	 /* it has all of them */
	AMONG,	 /* it is one of these values */
};

#define MAX_VALUES 10

struct check {
	int arg;
	enum test test;
	uint32_t v[MAX_VALUES];
	int nr;
};

/* O_TMPFILE without O_DIRECTORY, which reading a directory has too. */
#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/* clang-format off */
static const struct check checks[ANSWERS] = {
	[OPEN] = { 1, NO_BIT, { WRITES }, 1 },
	[OPENAT] = { 2, NO_BIT, { WRITES }, 1 },
	/* Not TIOCSTI and TIOCLINUX, which type into the terminal. */
	[IOCTL] = { 1, AMONG, { TCGETS, TCSETS, TCSETSW, TCSETSF, TCSBRK, TCFLSH, TIOCGWINSZ, TIOCGPGRP,
				FIONREAD }, 9 },
	/* Not F_SETOWN and F_SETSIG, which have the kernel signal others. */
	[FCNTL] = { 1, AMONG, { F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL }, 6 },
	[MMAP] = { 2, NOT_ALL, { PROT_WRITE | PROT_EXEC }, 1 },
	[MPROTECT] = { 2, NO_BIT, { PROT_EXEC }, 1 },
	[CLONE] = { 0, ALL, { CLONE_VM | CLONE_THREAD }, 1 },
	[TGKILL] = { 0, AMONG, { 0 }, 1 }, /* in place of the 0 the process's own number */
	[PRLIMIT] = { 0, AMONG, { 0 }, 1 }, /* 0: its own */
	[UTIMENSAT] = { 1, AMONG, { 0 }, 1 }, /* no path: of an open file */
};
/* clang-format on */

/* ---- putting it together --------------------------------------------------------------------- */

#define MAX_CODE 512 /* 334 on x86-64 */

struct program {
	struct sock_filter v[MAX_CODE];
	unsigned nr;
	bool full;
};

static void put(struct program *p, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	if (p->nr == MAX_CODE) {
		p->full = true;
		return;
	}
	p->v[p->nr++] = (struct sock_filter){ code, jt, jf, k };
}

static void load(struct program *p, size_t at)
{
	put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

static void give(struct program *p, uint32_t answer)
{
	put(p, BPF_RET | BPF_K, answer, 0, 0);
}

static uint32_t verdict(enum answer a)
{
	return a == ALLOWED ? SECCOMP_RET_ALLOW
			    : SECCOMP_RET_ERRNO | (a == REFUSED ? EPERM : ENOSYS);
}

/* The low half of an argument: all that the kernel takes of those that are looked at. */
static void load_argument(struct program *p, int arg)
{
	size_t low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;

	load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)arg + low);
}

/*
 * Job control: the browser stops its process group as the terminal would, kill(0, SIGTSTP). Every other signal is
 * for this process.
 */
static void put_kill(struct program *p)
{
	load_argument(p, 0);
	put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 3, 0);
	put(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 3);
	load_argument(p, 1);
	put(p, BPF_JMP | BPF_JEQ | BPF_K, SIGTSTP, 0, 1);
	give(p, SECCOMP_RET_ALLOW);
	give(p, SECCOMP_RET_ERRNO | EPERM);
}

static void put_check(struct program *p, enum answer a)
{
	const struct check *c = &checks[a];

	load_argument(p, c->arg);
	switch (c->test) {
	case NO_BIT: put(p, BPF_JMP | BPF_JSET | BPF_K, c->v[0], 1, 0); break;
	case NOT_ALL:
	case ALL:
		put(p, BPF_ALU | BPF_AND | BPF_K, c->v[0], 0, 0);
		put(p, BPF_JMP | BPF_JEQ | BPF_K, c->v[0], c->test == NOT_ALL, c->test == ALL);
		break;
	case AMONG:
		for (int i = 0; i < c->nr; i++) {
			uint32_t v = a == TGKILL ? (uint32_t)getpid() : c->v[i];
			int left = c->nr - 1 - i;

			put(p, BPF_JMP | BPF_JEQ | BPF_K, v, (uint8_t)left, left ? 0 : 1);
		}
		break;
	}
	give(p, SECCOMP_RET_ALLOW);
	give(p, SECCOMP_RET_ERRNO | EPERM);
}

static void put_answer(struct program *p, enum answer a)
{
	if (a == KILL)
		put_kill(p);
	else if (a > ALLOWED)
		put_check(p, a);
	else
		give(p, verdict(a));
}

/* A run of numbers that have one answer: from @nr on, up to the next run. */
struct runs {
	struct call v[2 * ARRAY_SIZE(calls) + 2];
	size_t n;
};

static int by_number(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return x->nr < y->nr ? -1 : x->nr > y->nr;
}

static void add_run(struct runs *r, uint32_t nr, enum answer a)
{
	if (r->n && r->v[r->n - 1].nr == nr)
		r->n--; /* it was of no length */
	if (!r->n || r->v[r->n - 1].answer != a)
		r->v[r->n++] = (struct call){ nr, a };
}

static void make_runs(struct runs *r)
{
	struct call sorted[ARRAY_SIZE(calls)];

	memcpy(sorted, calls, sizeof(calls));
	qsort(sorted, ARRAY_SIZE(sorted), sizeof(*sorted), by_number);
	add_run(r, 0, UNKNOWN);
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++) {
		add_run(r, sorted[i].nr, sorted[i].answer);
		add_run(r, sorted[i].nr + 1, UNKNOWN);
	}
}

/* Room for the jump over @n instructions behind @at that the instruction there is too short for. */
static void jump_far(struct program *p, unsigned at, unsigned n)
{
	put(p, 0, 0, 0, 0);
	if (p->full)
		return;
	memmove(&p->v[at + 2], &p->v[at + 1], n * sizeof(*p->v));
	p->v[at + 1] = (struct sock_filter){ BPF_JMP | BPF_JA, 0, 0, n };
	p->v[at].jf = 1;
}

/* Halves of the numbers, down to one run. All jumps lead forward and by their distance: what stands together can move. */
static void put_tree(struct program *p, const struct call *run, size_t n)
{
	size_t half = n / 2;
	unsigned at = p->nr, left;

	if (n == 1) {
		put_answer(p, run->answer);
		return;
	}
	put(p, BPF_JMP | BPF_JGE | BPF_K, run[half].nr, 0, 0);
	put_tree(p, run, half);
	left = p->nr - at - 1;
	if (left > UINT8_MAX)
		jump_far(p, at, left);
	else if (!p->full)
		p->v[at].jt = (uint8_t)left;
	put_tree(p, run + half, n - half);
}

int box_filter(void)
{
	struct program p = { .nr = 0 };
	struct runs r = { .n = 0 };
	struct sock_fprog prog;

	make_runs(&r);
	load(&p, offsetof(struct seccomp_data, arch));
	put(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	give(&p, verdict(UNKNOWN));
	load(&p, offsetof(struct seccomp_data, nr));
	put_tree(&p, r.v, r.n);
	if (p.full)
		return -E2BIG;
	prog = (struct sock_fprog){ (unsigned short)p.nr, p.v };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	/* A thread that is there already, of a library, has to be in it too. */
	if (!syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog))
		return 0;
	return errno ? -errno : -EAGAIN;
}

#else

int box_filter(void)
{
	return BOX_SANITIZED ? -ENOTSUP : -ENOSYS;
}

#endif
