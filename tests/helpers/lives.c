// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lives MODE: processes and threads that are made in odd ways, filters of system calls, handlers on stacks
 * of their own. Each mode prints what it computed; that does not depend on being traced, and the status is 0.
 *
 *	list		the modes that this machine has, one a line
 *	errno		a filter that answers some calls with an error, or with another one's number
 *	trap		a filter that raises SIGSYS, whose handler gives the answers
 *	notify		a filter whose answers come from another thread
 *	strict		seccomp's first mode: read, write, exit and sigreturn
 *	shared		children in the same memory, with handlers of their own (CLONE_VM without CLONE_SIGHAND)
 *	files		children that share files and directory (CLONE_FILES, CLONE_FS)
 *	sibling		children of the parent's (CLONE_PARENT)
 *	vforks		vfork whose child computes, forks and ends; vfork in a thread
 *	vmparent	CLONE_VM | CLONE_VFORK | CLONE_PARENT
 *	quiet		children that end without a signal, and with another one than SIGCHLD
 *	untraced	children that ask not to be traced (CLONE_UNTRACED)
 *	pidfd		clone3 with a pidfd and a chosen signal
 *	altstack	handlers on a stack of their own, nested, and left by siglongjmp
 *	autodisarm	a stack that is disarmed while a handler runs (SS_AUTODISARM)
 *	overflow	a stack that overflows again and again, seen by a handler on another one
 *	nodefer		a handler that is interrupted by its own signal
 *	jumps		a program that goes on by siglongjmp from an interval timer's handler
 *	threads		threads made by clone itself, whose ends are seen by CLONE_CHILD_CLEARTID
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

#define CLEAR_HANDLERS 0x100000000ULL /* CLONE_CLEAR_SIGHAND */

#define STACK	 65536
#define CHILDREN 6

static uint64_t __attribute__((noinline)) mix(uint64_t x)
{
	if (x & 1)
		return x * 0x9e3779b97f4a7c15ULL ^ (x >> 29);
	return (x >> 1) + 0x1234567;
}

static uint64_t compute(uint64_t seed, unsigned rounds)
{
	while (rounds--)
		seed = mix(seed);
	return seed;
}

#define SHORT 60000
#define LONG  1000000

static void fail(const char *what)
{
	fprintf(stderr, "lives: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void answer(uint64_t x)
{
	printf("%llx\n", (unsigned long long)x);
}

/* ---- filters ----------------------------------------------------------------------------------------------- */

#define CALL   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define IS(n)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (n), 0, 1)
#define RET(v) BPF_STMT(BPF_RET | BPF_K, (v))

static int filter(struct sock_filter *f, unsigned short n, unsigned flags)
{
	struct sock_fprog p = { n, f };
	int fd;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		fail("PR_SET_NO_NEW_PRIVS");
	fd = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &p);
	if (fd < 0)
		fail("seccomp");
	return fd;
}

static int errors(void)
{
	struct sock_filter f[] = {
		CALL,
		IS(SYS_getppid),
		RET(SECCOMP_RET_ERRNO | 17),
		IS(SYS_getpgid),
		RET(SECCOMP_RET_ERRNO | ENOSYS),
		RET(SECCOMP_RET_ALLOW),
	};
	uint64_t x = 1;

	filter(f, sizeof(f) / sizeof(*f), 0);
	for (int i = 0; i < 60; i++) {
		long r = syscall(i & 1 ? SYS_getppid : SYS_getpgid, 0);

		x = compute(x + (uint64_t)r * 1000 + (uint64_t)errno, SHORT);
	}
	answer(x);
	return 0;
}

static volatile uint64_t trapped;

static void on_sys(int sig, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	trapped += (uint64_t)si->si_syscall == SYS_getppid;
#if defined(__x86_64__)
	uc->uc_mcontext.gregs[REG_RAX] = 4711;
#elif defined(__aarch64__)
	uc->uc_mcontext.regs[0] = 4711;
#else
	(void)uc;
#endif
}

static int traps(void)
{
	struct sock_filter f[] = { CALL, IS(SYS_getppid), RET(SECCOMP_RET_TRAP),
				   RET(SECCOMP_RET_ALLOW) };
	struct sigaction sa = { .sa_sigaction = on_sys, .sa_flags = SA_SIGINFO };
	uint64_t x = 1;

	sigaction(SIGSYS, &sa, NULL);
	filter(f, sizeof(f) / sizeof(*f), 0);
	for (int i = 0; i < 60; i++)
		x = compute(x + (uint64_t)syscall(SYS_getppid), SHORT);
	answer(x);
	answer(trapped);
	return 0;
}

struct asked {
	int fd, calls;
};

static void *answers(void *arg)
{
	struct asked *a = arg;

	for (int i = 0; i < a->calls; i++) {
		struct seccomp_notif req;
		struct seccomp_notif_resp resp;

		memset(&req, 0, sizeof(req));
		while (ioctl(a->fd, SECCOMP_IOCTL_NOTIF_RECV, &req)) {
			/* ENOENT: a signal came, and the call will be asked for again */
			if (errno != EINTR && errno != ENOENT)
				fail("SECCOMP_IOCTL_NOTIF_RECV");
			memset(&req, 0, sizeof(req));
		}
		resp = (struct seccomp_notif_resp){
			.id = req.id, .val = (int64_t)compute((uint64_t)i, 1000) & 0xffff
		};
		if (ioctl(a->fd, SECCOMP_IOCTL_NOTIF_SEND, &resp)) {
			if (errno != ENOENT)
				fail("SECCOMP_IOCTL_NOTIF_SEND");
			i--;
		}
	}
	return NULL;
}

static int *passed_fd;

static void *asks(void *arg)
{
	struct sock_filter f[] = { CALL, IS(SYS_getppid), RET(SECCOMP_RET_USER_NOTIF),
				   RET(SECCOMP_RET_ALLOW) };
	uint64_t x = 1;
	int n = *(int *)arg;

	__atomic_store_n(passed_fd,
			 filter(f, sizeof(f) / sizeof(*f), SECCOMP_FILTER_FLAG_NEW_LISTENER),
			 __ATOMIC_RELEASE);
	for (int i = 0; i < n; i++)
		x = compute(x + (uint64_t)syscall(SYS_getppid), SHORT);
	answer(x);
	return NULL;
}

static int notified(void)
{
	struct asked a = { -1, 40 };
	pthread_t one, two;

	passed_fd = &a.fd;
	pthread_create(&one, NULL, asks, &a.calls);
	while (__atomic_load_n(&a.fd, __ATOMIC_ACQUIRE) < 0)
		sched_yield();
	pthread_create(&two, NULL, answers, &a);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}

static int strict(void)
{
	char text[32];
	uint64_t x;
	int n;

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0))
		fail("PR_SET_SECCOMP");
	x = compute(1, 3 * LONG);
	n = snprintf(text, sizeof(text), "%llx\n", (unsigned long long)x);
	if (write(1, text, (size_t)n) != n)
		syscall(SYS_exit, 1);
	syscall(SYS_exit, 0);
	return 0;
}

/* ---- processes ----------------------------------------------------------------------------------------------- */

static uint64_t results[64];
static volatile int handled_by_child;

static void childs_own(int sig)
{
	(void)sig;
	handled_by_child++;
}

/* In the memory of the parent; nothing of libc that has locks. */
static int in_shared_memory(void *arg)
{
	struct sigaction sa = { .sa_handler = childs_own };
	long i = (long)arg;

	/* the parent's handlers stay as they are */
	sigaction(SIGUSR1, &sa, NULL);
	syscall(SYS_kill, syscall(SYS_getpid), SIGUSR1);
	results[i] = compute((uint64_t)i, LONG);
	return (int)(results[i] & 63);
}

static void *new_stack(void)
{
	char *p = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK,
		       -1, 0);

	if (p == MAP_FAILED)
		fail("mmap");
	return p + STACK;
}

static pid_t start(int (*fn)(void *), long arg, int flags)
{
	pid_t pid = clone(fn, new_stack(), flags, (void *)arg, NULL, NULL, NULL);

	if (pid < 0)
		fail("clone");
	return pid;
}

static uint64_t wait_for(pid_t pid, int flags)
{
	int status;

	while (waitpid(pid, &status, flags) != pid)
		if (errno != EINTR)
			fail("waitpid");
	return (uint64_t)status;
}

/* @n children, all at once, one after the other is waited for. */
static int family(int (*fn)(void *), int flags, int how)
{
	uint64_t x = 1;
	pid_t pid[CHILDREN];

	for (long i = 0; i < CHILDREN; i++)
		pid[i] = start(fn, i, flags);
	x = compute(x, LONG);
	for (int i = 0; i < CHILDREN; i++)
		x = x * 31 + wait_for(pid[i], how) + results[i];
	answer(x);
	return 0;
}

static int in_own_memory(void *arg)
{
	return (int)(compute((uint64_t)(long)arg, LONG) & 63);
}

static int shared(void)
{
	struct sigaction was;

	family(in_shared_memory, CLONE_VM | SIGCHLD, 0);
	sigaction(SIGUSR1, NULL, &was);
	answer((uint64_t)handled_by_child + 100u * (was.sa_handler != SIG_DFL));
	return 0;
}

static int with_files(void *arg)
{
	if (chdir("/"))
		return 100;
	close(200 + (int)(long)arg);
	return in_own_memory(arg);
}

static int files(void)
{
	uint64_t still_open = 0;
	char where[4096];

	for (int i = 0; i < CHILDREN; i++)
		dup2(1, 200 + i);
	family(with_files, CLONE_FILES | CLONE_FS | SIGCHLD, 0);
	for (int i = 0; i < CHILDREN; i++)
		still_open += fcntl(200 + i, F_GETFD) >= 0;
	answer(still_open);
	puts(getcwd(where, sizeof(where)) ?: "?");
	return 0;
}

/* The grandchildren are ours. */
static int makes_siblings(void *arg)
{
	for (long i = 0; i < CHILDREN; i++)
		start(in_own_memory, i + (long)arg, CLONE_PARENT | SIGCHLD);
	return 5;
}

static int siblings(int (*fn)(void *), int children)
{
	uint64_t sum = 0;
	int status, n = 0;

	start(fn, 7, SIGCHLD);
	while (n < children) {
		pid_t pid = wait(&status);

		if (pid < 0 && errno != EINTR)
			fail("wait");
		if (pid < 0)
			continue;
		sum += mix((uint64_t)status + 3);
		n++;
	}
	answer(sum);
	answer((uint64_t)(wait(&status) < 0 && errno == ECHILD));
	return 0;
}

static int makes_vm_siblings(void *arg)
{
	for (long i = 0; i < CHILDREN; i++)
		start(in_own_memory, i + (long)arg,
		      CLONE_PARENT | CLONE_VM | CLONE_VFORK | SIGCHLD);
	return 6;
}

static void *vfork_in_thread(void *arg)
{
	uint64_t *x = arg;

	for (volatile int i = 0; i < 5; i++) {
		pid_t pid = vfork();

		if (!pid)
			_exit((int)(compute(*x, SHORT) & 63));
		*x = *x * 31 + wait_for(pid, 0);
	}
	return NULL;
}

static int vforks(void)
{
	volatile uint64_t x = 1;
	uint64_t y[3] = { 1, 2, 3 };
	pthread_t t[3];

	for (volatile int i = 0; i < CHILDREN; i++) {
		pid_t pid = vfork();

		if (!pid) {
			pid_t other = fork(); /* of a child that borrows memory */

			if (!other)
				_exit((int)(compute(x, SHORT) & 63));
			x = compute(x, LONG / 4) + wait_for(other, 0);
			_exit(i);
		}
		x = x * 31 + wait_for(pid, 0);
	}
	answer(x);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, vfork_in_thread, &y[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	answer(y[0] ^ y[1] ^ y[2]);
	return 0;
}

static volatile sig_atomic_t ended, usr2;

static void on_usr2(int sig)
{
	usr2 += sig == SIGUSR2;
	ended += sig == SIGCHLD;
}

static int quiet(void)
{
	uint64_t x = 1;

	signal(SIGCHLD, on_usr2);
	signal(SIGUSR2, on_usr2);
	for (long i = 0; i < CHILDREN; i++) {
		pid_t pid = start(in_own_memory, i, i & 1 ? SIGUSR2 : 0);

		x = x * 31 + wait_for(pid, __WALL);
	}
	answer(x);
	printf("%d %d\n", (int)ended, (int)usr2);
	return 0;
}

static int untraced(void)
{
	return family(in_own_memory, CLONE_UNTRACED | SIGCHLD, 0);
}

static int by_pidfd(void)
{
	uint64_t x = 1;

	signal(SIGUSR2, on_usr2);
	for (int i = 0; i < CHILDREN; i++) {
		int fd = -1;
		struct {
			uint64_t flags, pidfd, child_tid, parent_tid, signal, stack, size, tls;
		} args = { .flags = CLONE_PIDFD | CLEAR_HANDLERS,
			   .pidfd = (uintptr_t)&fd,
			   .signal = SIGUSR2 };
		long pid = syscall(SYS_clone3, &args, sizeof(args));
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (pid < 0)
			fail("clone3");
		if (!pid)
			_exit((int)(compute((uint64_t)i, LONG) & 63));
		while (poll(&p, 1, -1) < 0 && errno == EINTR)
			;
		x = x * 31 + wait_for((pid_t)pid, __WALL);
		close(fd);
	}
	answer(x);
	return 0;
}

static int thread_word;

static int bare_thread(void *arg)
{
	long i = (long)arg;

	results[i] = compute((uint64_t)i, LONG / 2);
	return 0;
}

static int bare_threads(void)
{
	uint64_t x = 0;

	for (long i = 0; i < 2 * CHILDREN; i++) {
		__atomic_store_n(&thread_word, 1, __ATOMIC_SEQ_CST);
		if (clone(bare_thread, new_stack(),
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				  CLONE_SYSVSEM | CLONE_CHILD_CLEARTID,
			  (void *)i, NULL, NULL, &thread_word) < 0)
			fail("clone");
		x += compute(x, SHORT);
		while (__atomic_load_n(&thread_word, __ATOMIC_SEQ_CST) == 1)
			syscall(SYS_futex, &thread_word, FUTEX_WAIT, 1, NULL, NULL, 0);
		x = x * 31 + results[i];
	}
	answer(x);
	return 0;
}

/* ---- handlers ------------------------------------------------------------------------------------------------ */

static char *low, *high; /* of the handlers' stack */
static volatile uint64_t inside, outside;
static sigjmp_buf back;

static void note(void)
{
	char here;

	if (&here > low && &here < high)
		inside++;
	else
		outside++;
}

static void on_inner(int sig)
{
	(void)sig;
	note();
	compute(1, 2000);
}

static void on_outer(int sig)
{
	(void)sig;
	note();
	raise(SIGUSR2);
	compute(2, 2000);
	if (inside % 3 == 0)
		siglongjmp(back, 1);
}

static void own_stack(unsigned flags)
{
	stack_t st = { .ss_size = 4 * STACK, .ss_flags = (int)flags };

	low = mmap(NULL, st.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (low == MAP_FAILED)
		fail("mmap");
	high = low + st.ss_size;
	st.ss_sp = low;
	if (sigaltstack(&st, NULL))
		fail("sigaltstack");
}

static void handle(int sig, void (*fn)(int), int flags)
{
	struct sigaction sa = { .sa_handler = fn, .sa_flags = flags };

	sigaction(sig, &sa, NULL);
}

static int on_own_stack(unsigned flags)
{
	volatile uint64_t x = 1;
	volatile int i;

	own_stack(flags);
	handle(SIGUSR1, on_outer, SA_ONSTACK);
	handle(SIGUSR2, on_inner, SA_ONSTACK);
	for (i = 0; i < 200; i++) {
		if (sigsetjmp(back, 1)) {
			/* left by a jump, a stack that was disarmed stays so */
			if (flags)
				own_stack(flags);
			x += 7;
			continue;
		}
		raise(SIGUSR1);
		x = compute(x, SHORT / 4);
	}
	answer(x);
	printf("%d %d\n", inside > 0, flags ? inside + outside > 0 : outside == 0);
	return 0;
}

static volatile uint64_t overflows;

static void on_overflow(int sig)
{
	(void)sig;
	overflows++;
	compute(3, 2000);
	siglongjmp(back, 1);
}

static uint64_t __attribute__((noinline)) deep(uint64_t n)
{
	volatile char room[4096];

	room[0] = (char)n;
	return n ? deep(n - 1) + (uint64_t)room[0] + mix(n) : 0;
}

static int overflowing(void)
{
	struct rlimit limit = { 1 << 20, 1 << 20 };
	volatile uint64_t x = 1;
	volatile int i;

	setrlimit(RLIMIT_STACK, &limit);
	own_stack(0);
	handle(SIGSEGV, on_overflow, SA_ONSTACK);
	for (i = 0; i < 40; i++) {
		if (!sigsetjmp(back, 1))
			x += deep(1 << 20);
		x = compute(x, SHORT / 2);
	}
	answer(x);
	answer(overflows);
	return 0;
}

static volatile int depth, deepest;

static void on_itself(int sig)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (depth < 5)
		raise(sig);
	compute(4, 2000);
	depth--;
}

static int nodefer(void)
{
	uint64_t x = 1;

	handle(SIGUSR1, on_itself, SA_NODEFER);
	for (int i = 0; i < 100; i++) {
		raise(SIGUSR1);
		x = compute(x, SHORT / 4);
	}
	answer(x);
	answer((uint64_t)deepest);
	return 0;
}

static void on_tick(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

/* Whatever was interrupted is lost, and done again. */
static int jumps(void)
{
	static const struct itimerval every = { { 0, 3000 }, { 0, 3000 } },
				      never = { { 0, 0 }, { 0, 0 } };
	volatile int done = 0, ticks = 0;
	volatile uint64_t x = 1;

	own_stack(0);
	handle(SIGALRM, on_tick, SA_ONSTACK);
	if (sigsetjmp(back, 1))
		ticks++;
	setitimer(ITIMER_REAL, &every, NULL);
	while (done < 400 || !ticks) {
		uint64_t y = compute(x, 5000);
		sigset_t alarm;

		sigemptyset(&alarm);
		sigaddset(&alarm, SIGALRM);
		sigprocmask(SIG_BLOCK, &alarm, NULL);
		if (done < 400)
			x = y;
		done++;
		sigprocmask(SIG_UNBLOCK, &alarm, NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	answer(x);
	return 0;
}

static int alternate(void)
{
	return on_own_stack(0);
}

static int disarmed(void)
{
	return on_own_stack(SS_AUTODISARM);
}

static int sibling(void)
{
	return siblings(makes_siblings, CHILDREN + 1);
}

static int vm_sibling(void)
{
	return siblings(makes_vm_siblings, CHILDREN + 1);
}

static const struct {
	const char *name;
	int (*run)(void);
} modes[] = {
	{ "errno", errors },	   { "trap", traps },	       { "notify", notified },
	{ "strict", strict },	   { "shared", shared },       { "files", files },
	{ "sibling", sibling },	   { "vforks", vforks },       { "vmparent", vm_sibling },
	{ "quiet", quiet },	   { "untraced", untraced },   { "pidfd", by_pidfd },
	{ "altstack", alternate }, { "autodisarm", disarmed }, { "overflow", overflowing },
	{ "nodefer", nodefer },	   { "jumps", jumps },	       { "threads", bare_threads },
};

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "list";

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (!strcmp(mode, "list"))
			puts(modes[i].name);
		else if (!strcmp(mode, modes[i].name))
			return modes[i].run();
	}
	return strcmp(mode, "list") ? 2 : 0;
}
