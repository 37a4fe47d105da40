// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracee MODE: programs that are hard to trace. Each prints what it computed and exits with 0
 * when everything happened that should; the output must not depend on being traced.
 *
 *	threads		8 threads that compute		forks		200 short children
 *	execs		a chain of 20 execs		signals		a handler every millisecond
 *	stop		stopped and continued by a child
 *	blocked		SIGTRAP, SIGURG and the rest blocked while it computes
 *	sigtrap		raises and handles SIGTRAP itself	ignored		ignores it
 *	jit		writes code, runs it, writes other code over it
 *	borrowed	vfork whose child computes, 8 times
 *	vfork		vfork + exec			threadexec	exec from a second thread
 *	handed		vfork whose child computes, and executes what computes on
 *	odd		runs code that cannot be read, with an instruction that nobody knows
 *	flags		looks at its trap flag		rounds		rep movs of 4000 rounds
 *	loops		loop and jrcxz, taken and not
 *	cpuids		a branch right behind each CPUID, which single steps may pass over
 *	eintr		epoll_wait with samples in the kernel: no EINTR may show	recv	likewise
 *	mask		all signals blocked: they stay so, and no others come
 *	handlers	has handlers for SIGURG, SIGWINCH and SIGCHLD; ten children end
 *	urgent		counts the SIGURGs that it sends itself	sigwait	with a thread that waits for them
 *	bomb		200 children at once		clonevm	processes in the same memory
 *	daemon		leaves a process behind, which ends when there is a file daemon.end
 *	seccomp		a filter that allows next to nothing
 *	debugger	traces a child			protected	is not dumpable
 *	wait		waits in epoll_wait for 3 seconds
 *	uid		prints whose rights it has
 *	work N		computes for about N tenths of a second and prints a checksum
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char self[4096];
static volatile uint64_t sink; /* results that nobody prints */

static uint64_t __attribute__((noinline)) mix(uint64_t x)
{
	if (x & 1)
		return x * 0x9e3779b97f4a7c15ULL ^ (x >> 29);
	return (x >> 1) + 0x1234567;
}

static uint64_t compute(uint64_t rounds)
{
	uint64_t x = 42;

	while (rounds--)
		x = mix(x);
	return x;
}

#define UNIT 10000000 /* rounds: some hundredths of a second */

static void *worker(void *arg)
{
	*(uint64_t *)arg = compute(2 * UNIT + *(uint64_t *)arg);
	return NULL;
}

static int threads(void)
{
	pthread_t th[8];
	uint64_t v[8], sum = 0;

	for (int i = 0; i < 8; i++) {
		v[i] = i;
		pthread_create(&th[i], NULL, worker, &v[i]);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(th[i], NULL);
		sum ^= v[i];
	}
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

static pthread_barrier_t gate;

static void *one_of_crowd(void *arg)
{
	pthread_barrier_wait(&gate);
	*(uint64_t *)arg = compute(UNIT / 20 + *(uint64_t *)arg);
	return NULL;
}

/* @n threads that begin to work at the same moment. */
static int crowd(int n)
{
	pthread_t *th = calloc((size_t)n, sizeof(*th));
	uint64_t *v = calloc((size_t)n, sizeof(*v)), sum = 0;
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&gate, NULL, (unsigned)n);
	for (int i = 0; i < n; i++) {
		v[i] = (uint64_t)i;
		if (pthread_create(&th[i], &small, one_of_crowd, &v[i])) {
			perror("tracee: pthread_create");
			_exit(77);
		}
	}
	for (int i = 0; i < n; i++) {
		pthread_join(th[i], NULL);
		sum = sum * 3 + v[i];
	}
	printf("%llx\n", (unsigned long long)sum);
	free(th);
	free(v);
	return 0;
}

static int forks(void)
{
	int ok = 0;

	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			_exit(compute(10000 + i) ? i & 127 : 255);
		if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		    WEXITSTATUS(status) == (i & 127))
			ok++;
	}
	printf("%d\n", ok);
	return ok != 200;
}

/* 200 at once */
static int bomb(void)
{
	int ok = 0, status;

	for (int i = 0; i < 200; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(compute(20000 + i) ? 7 : 8);
		if (pid < 0)
			return 1;
	}
	for (int i = 0; i < 200; i++)
		ok += wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 7;
	printf("%d\n", ok);
	return ok != 200;
}

static uint64_t shared;

static uint64_t shared;

static int in_our_memory(void *arg)
{
	(void)arg;
	shared += compute(UNIT / 2) != 0;
	return 3;
}

/* A process of its own in our memory: CLONE_VM without CLONE_THREAD. */
static int clonevm(void)
{
	static char stack[65536];
	int ok = 0, status;

	for (int i = 0; i < 10; i++) {
		pid_t pid = clone(in_our_memory, stack + sizeof(stack) - 16,
				  CLONE_VM | CLONE_FILES | SIGCHLD, NULL);

		ok += waitpid(pid, &status, __WALL) == pid && WIFEXITED(status) &&
		      WEXITSTATUS(status) == 3;
	}
	printf("%d %d\n", ok, (int)shared);
	return ok != 10 || shared != 10;
}

/* One that lives on when its parent has ended. */
static int daemonize(void)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			FILE *f = fopen("daemon.tmp", "w");

			fclose(stdout);
			for (int i = 0; i < 20000 && access("daemon.end", F_OK); i++)
				sink = compute(UNIT / 10);
			fprintf(f, "%llx\n", (unsigned long long)compute(20 * UNIT));
			fclose(f);
			rename("daemon.tmp", "daemon.txt");
		}
		_exit(0);
	}
	wait(NULL);
	puts("parent");
	return 0;
}

/* A filter that ends the program at every call but these; a tracer must not make it call others. */
static int seccomp(void)
{
	static const uint16_t allowed[] = { SYS_write,	    SYS_exit_group,   SYS_fstat,
					    SYS_newfstatat, SYS_rt_sigreturn, SYS_ioctl,
					    SYS_brk,	    SYS_getrandom };
	struct sock_filter code[2 * sizeof(allowed) / sizeof(allowed[0]) + 2];
	struct sock_fprog prog = { .filter = code };
	uint64_t x;

	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0);
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
		code[prog.len++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
		code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[prog.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 1;
	x = compute(5 * UNIT);
	printf("%llx\n", (unsigned long long)x);
	return 0;
}

/* Nobody but root may look into it. */
static int protected(void)
{
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	puts("protected");
	fflush(stdout);
	printf("%llx\n", (unsigned long long)compute(100000ULL * UNIT));
	return 0;
}

static int uid(void)
{
	printf("%d\n", (int)geteuid());
	return 0;
}

/* Traces its own child, as debuggers do. */
static int debugger(void)
{
	pid_t pid = fork();
	int status, stops = 0;

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) {
			perror("PTRACE_TRACEME");
			_exit(9);
		}
		raise(SIGSTOP);
		_exit(compute(UNIT) != 0);
	}
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		stops++;
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	printf("%d %d\n", stops, WEXITSTATUS(status));
	return stops != 1;
}

static int execs(int left)
{
	char n[16];

	sink = compute(UNIT / 10);
	if (!left) {
		puts("last");
		return 0;
	}
	snprintf(n, sizeof(n), "%d", left - 1);
	execl(self, self, "execs", n, NULL);
	return 1;
}

static volatile sig_atomic_t ticks;

static void tick(int sig)
{
	(void)sig;
	ticks++;
}

static int signals(void)
{
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, off = { 0 };
	uint64_t x;

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &every, NULL);
	x = compute(10 * UNIT);
	while (ticks <= 50) /* a fast machine, or one that holds timers back */
		sink = compute(UNIT / 10);
	setitimer(ITIMER_REAL, &off, NULL);
	printf("%llx\n", (unsigned long long)x);
	return 0;
}

static int stop(void)
{
	pid_t me = getpid(), pid = fork();
	uint64_t x = 0;
	int status;

	if (!pid) {
		for (int i = 0; i < 5; i++) {
			usleep(20000);
			kill(me, SIGSTOP);
			usleep(20000);
			kill(me, SIGCONT);
		}
		_exit(0);
	}
	for (int i = 0; i < 5; i++)
		x ^= compute(UNIT + i);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	printf("%llx\n", (unsigned long long)x);
	return 0;
}

static int blocked(void)
{
	sigset_t all;
	uint64_t x;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	x = compute(5 * UNIT);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	x ^= compute(UNIT);
	printf("%llx\n", (unsigned long long)x);
	return 0;
}

/* Blocked signals stay blocked, and nobody else's come in. */
static int mask(void)
{
	struct timespec none = { 0, 0 };
	sigset_t all, now;
	int kept = 1, foreign = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 40; i++) {
		sink = compute(6 * UNIT);
		sigprocmask(SIG_BLOCK, NULL, &now);
		for (int sig = 1; sig < 32; sig++)
			kept &= sig == SIGKILL || sig == SIGSTOP || sigismember(&now, sig);
		/* by then the first has been noticed, and taken back */
		foreign += i > 20 && sigtimedwait(&all, NULL, &none) > 0;
	}
	printf("%s, %d foreign signals\n", kept ? "blocked" : "changed", foreign);
	return !kept || foreign;
}

/* A handler of its own for SIGURG: each that is sent to the thread comes, and no other. */
static int urgent(void)
{
	signal(SIGURG, tick);
	sink = compute(2 * UNIT); /* somebody may want to learn of the handler */
	for (int i = 1; i <= 3000; i++) {
		pthread_kill(pthread_self(), SIGURG);
		while (ticks < i)
			;
		sink = compute(UNIT / 1000);
	}
	printf("%d\n", (int)ticks);
	return ticks != 3000;
}

/* As every Go program has them: none may be called that nobody sent. */
static int handlers(void)
{
	struct sigaction sa = { .sa_handler = tick, .sa_flags = SA_RESTART };

	sigaction(SIGURG, &sa, NULL);
	sigaction(SIGWINCH, &sa, NULL);
	sigaction(SIGCHLD, &sa, NULL);
	for (int i = 1; i <= 10; i++) {
		sink = compute(8 * UNIT);
		if (!fork())
			_exit(i);
		while (wait(NULL) < 0 && errno == EINTR)
			;
		while (ticks < i)
			;
	}
	sink = compute(8 * UNIT);
	printf("%d\n", (int)ticks);
	return ticks != 10;
}

static volatile int waited;

static void *waiter(void *arg)
{
	sigset_t set;
	int sig;

	(void)arg;
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	while (!sigwait(&set, &sig) && ++waited < 1000)
		sink = compute(UNIT / 1000);
	return NULL;
}

/* SIGURG blocked everywhere, and taken by a thread that waits for it. */
static int sigwaits(void)
{
	pthread_t th;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sink = compute(5 * UNIT);
	pthread_create(&th, NULL, waiter, NULL);
	for (int i = 1; i <= 1000; i++) {
		kill(getpid(), SIGURG);
		while (waited < i)
			;
	}
	pthread_join(th, NULL);
	printf("%d\n", waited);
	return waited != 1000;
}

static int sigtrap(void)
{
	uint64_t x = 0;

	signal(SIGTRAP, tick);
	for (int i = 0; i < 100; i++) {
		x ^= compute(UNIT / 20);
		if (i % 2)
			raise(SIGTRAP);
		else
			__asm__ volatile("int3");
	}
	printf("%llx %d\n", (unsigned long long)x, (int)ticks);
	return ticks != 100;
}

static int ignored(void)
{
	struct sigaction sa;

	signal(SIGTRAP, SIG_IGN);
	sink = compute(5 * UNIT);
	sigaction(SIGTRAP, NULL, &sa);
	puts(sa.sa_handler == SIG_IGN ? "ignored" : "changed");
	return sa.sa_handler != SIG_IGN;
}

static int jit(void)
{
	/* mov ecx, 1000000; 1: add eax, imm8; dec ecx; jnz 1b; ret */
	static const unsigned char code[] = { 0x31, 0xc0, 0xb9, 0x40, 0x42, 0x0f, 0x00, 0x83,
					      0xc0, 0x01, 0xff, 0xc9, 0x75, 0xf9, 0xc3 };
	unsigned char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t sum = 0;

	if (p == MAP_FAILED)
		return 1;
	memcpy(p, code, sizeof(code));
	for (int i = 1; i <= 100; i++) {
		p[9] = (unsigned char)i; /* the program changes its own code */
		sum += ((uint32_t(*)(void))(uintptr_t)p)();
	}
	printf("%x\n", sum);
	return sum != (uint32_t)(5050ULL * 1000000);
}

/* Code that can be executed and not read; in it, an instruction that disassemblers refuse. */
static int odd(void)
{
	/* mov ecx, 20000000; 1: bndmov bnd0, bnd4 (executed as nop); add eax, 3; dec ecx; jnz 1b; ret */
	static const unsigned char code[] = { 0x31, 0xc0, 0xb9, 0x00, 0x2d, 0x31, 0x01,
					      0x66, 0x0f, 0x1a, 0xc4, 0x83, 0xc0, 0x03,
					      0xff, 0xc9, 0x75, 0xf5, 0xc3 };
	unsigned char *p =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t sum = 0;

	if (p == MAP_FAILED)
		return 1;
	memcpy(p, code, sizeof(code));
	if (mprotect(p, 4096, PROT_EXEC))
		return 1;
	for (int i = 0; i < 10; i++)
		sum += ((uint32_t(*)(void))(uintptr_t)p)();
	printf("%x\n", sum);
	return sum != (uint32_t)(10 * 3 * 20000000ULL);
}

/* The trap flag of a tracer that steps must not be seen, nor stay. */
static int flags(void)
{
	uint64_t f, x = 0, bad = 0;

	for (int i = 0; i < 20000000; i++) {
		__asm__ volatile("pushf; pop %0; push %0; popf" : "=r"(f) : : "cc", "memory");
		bad += f >> 8 & 1;
		x += f & 1;
	}
	sink = x;
	printf("%d\n", (int)bad);
	return bad != 0;
}

static int rounds(void)
{
	static char from[4000], to[4000];

	for (int i = 0; i < 2000000; i++) {
		unsigned long left = sizeof(from);
		char *s = from, *d = to;

		__asm__ volatile("rep movsb" : "+c"(left), "+S"(s), "+D"(d) : : "memory");
	}
	puts("done");
	return 0;
}

static int loops(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < 20000000; i++) {
		uint64_t left = 3;

		__asm__ volatile("1: jrcxz 2f; inc %1; loop 1b; 2: jrcxz 3f; ud2; 3:"
				 : "+c"(left), "+r"(sum)
				 :
				 : "cc");
	}
	printf("%llu\n", (unsigned long long)sum);
	return sum != 3 * 20000000ULL;
}

static int cpuids(void)
{
	for (int i = 0; i < 5000; i++) {
		uint32_t a = 0, c = 0;

		/* two jumps and a call */
		__asm__ volatile("lea -128(%%rsp), %%rsp; cpuid; jmp 1f; ud2;"
				 "1: xor %%eax, %%eax; cpuid; jmp 3f; ud2; 2: ret;"
				 "3: xor %%eax, %%eax; cpuid; call 2b; lea 128(%%rsp), %%rsp"
				 : "+a"(a), "+c"(c)
				 :
				 : "rbx", "rdx", "cc", "memory");
	}
	return 0;
}

static int vforks(void)
{
	volatile int ok = 0;

	for (volatile int i = 0; i < 20; i++) {
		pid_t pid = vfork();
		int status;

		if (!pid) {
			execl("/bin/true", "true", NULL);
			_exit(127);
		}
		ok += waitpid(pid, &status, 0) == pid && !status;
	}
	printf("%d\n", ok);
	return ok != 20;
}

/* Samples of the parent in vfork itself wait for their stop until the child has ended. */
static int borrowed(void)
{
	volatile int ok = 0;

	for (volatile int i = 0; i < 8; i++) {
		pid_t pid = vfork();
		int status;

		if (!pid) {
			sink = compute(2 * UNIT);
			_exit(3);
		}
		ok += waitpid(pid, &status, 0) == pid && status == 3 << 8;
	}
	printf("%d\n", ok);
	return ok != 8;
}

static int handed(void)
{
	pid_t pid = vfork();
	int status = 1;

	if (!pid) {
		sink = compute(2 * UNIT);
		execl(self, self, "work", "2", NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) != pid || status;
}

static void *exec_thread(void *arg)
{
	(void)arg;
	sink = compute(UNIT / 2);
	execl(self, self, "work", "1", NULL);
	return NULL;
}

static int threadexec(void)
{
	pthread_t th;

	pthread_create(&th, NULL, exec_thread, NULL);
	sink = compute(1000ULL * UNIT);
	return 1;
}

static int eintr(void)
{
	struct epoll_event ev;
	int fd = epoll_create1(0), bad = 0;

	for (int i = 0; i < 20000; i++)
		if (epoll_wait(fd, &ev, 1, i % 200 ? 0 : 1) < 0)
			bad++;
	printf("%d\n", bad);
	return bad != 0;
}

/* Waits in the kernel for three seconds; whoever comes and goes must not end that. */
static int waits(void)
{
	struct epoll_event ev;
	int n;

	puts("waiting");
	fflush(stdout);
	n = epoll_wait(epoll_create1(0), &ev, 1, 3000);
	printf("%s\n", n ? strerror(errno) : "timeout");
	return n != 0;
}

/* A socket with a timeout: EAGAIN may come, EINTR not. */
static int recvs(void)
{
	struct timeval tv = { 0, 1000 };
	int fd[2], bad = 0;
	char c;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fd) ||
	    setsockopt(fd[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)))
		return 1;
	for (int i = 0; i < 300; i++) {
		sink = compute(UNIT / 1000);
		bad += recv(fd[0], &c, 1, 0) >= 0 || errno != EAGAIN;
	}
	printf("%d\n", bad);
	return bad != 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 20;
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = { { "threads", threads },	{ "forks", forks },
		      { "signals", signals },	{ "stop", stop },
		      { "blocked", blocked },	{ "sigtrap", sigtrap },
		      { "jit", jit },		{ "borrowed", borrowed },
		      { "vfork", vforks },	{ "threadexec", threadexec },
		      { "eintr", eintr },	{ "odd", odd },
		      { "flags", flags },	{ "loops", loops },
		      { "cpuids", cpuids },	{ "rounds", rounds },
		      { "ignored", ignored },	{ "mask", mask },
		      { "handlers", handlers }, { "urgent", urgent },
		      { "sigwait", sigwaits },	{ "bomb", bomb },
		      { "clonevm", clonevm },	{ "daemon", daemonize },
		      { "seccomp", seccomp },	{ "debugger", debugger },
		      { "recv", recvs },	{ "protected", protected },
		      { "uid", uid },		{ "wait", waits },
		      { "handed", handed } };

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	if (!strcmp(mode, "execs"))
		return execs(n);
	if (!strcmp(mode, "crowd"))
		return crowd(n);
	if (!strcmp(mode, "work")) {
		printf("%llx\n", (unsigned long long)compute((uint64_t)n * 2 * UNIT));
		return 0;
	}
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(mode, modes[i].name))
			return modes[i].run();
	fprintf(stderr, "tracee: no mode '%s'\n", mode);
	return 2;
}
