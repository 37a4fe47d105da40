# SPDX-License-Identifier: GPL-2.0-or-later
# Handlers of signals in branch traces: programs that count their own calls, and the trace that must have as many of each,
# those of handlers and those of what they interrupt. Timers in a stretch and between calls, signals to oneself, nested ones,
# on another stack, handlers that are left by longjmp, that repair what faulted, or send the program elsewhere.
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd cc awk
cd "$TMP" || exit 1
cat >h.c <<'EOC'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#define N __attribute__((noinline, noclone))
static volatile unsigned long sink;
static volatile sig_atomic_t ticks, nested, flag;
static sigjmp_buf out;
static char *page;
/* what is counted: body() by the program, 7 tick() and 3 inner() by each handler */
N void body(void) { sink++; }
N void tick(void) { sink++; }
N void inner(void) { sink++; }
N void late(void) { sink++; }
N void turns(unsigned long n) { for (unsigned long i = 0; i < n; i++) body(); }
static void on_tick(int s) { (void)s; ticks++; for (int i = 0; i < 7; i++) tick(); }
static void on_calls(int s) { on_tick(s); getppid(), getppid(); }
static void on_inner(int s) { (void)s; nested++; for (int i = 0; i < 3; i++) inner(); }
static void on_outer(int s) { on_tick(s); raise(SIGUSR2); }
static void on_jump(int s) { on_tick(s); siglongjmp(out, 1); }
static void on_flag(int s) { on_tick(s); flag = 1; }
static void on_fault(int s) { on_tick(s); mprotect(page, 4096, PROT_READ | PROT_WRITE); }
#ifdef __x86_64__
void elsewhere(void);
__asm__(".text\nelsewhere:\n\tpush %rax\n\tpush %rcx\n\tpush %rdx\n\tpush %rsi\n\tpush %rdi\n\tpush %r8\n\tpush %r9\n\tpush %r10\n"
	"\tpush %r11\n\tcall late\n\tpop %r11\n\tpop %r10\n\tpop %r9\n\tpop %r8\n\tpop %rdi\n\tpop %rsi\n\tpop %rdx\n\tpop %rcx\n"
	"\tpop %rax\n\tlea 136(%rsp), %rsp\n\tjmp *-136(%rsp)\n");
/* as Go's scheduler does: behind the handler another function runs first */
static void on_send(int s, siginfo_t *si, void *uc)
{
	greg_t *g = ((ucontext_t *)uc)->uc_mcontext.gregs;
	(void)si;
	on_tick(s);
	g[REG_RSP] -= 136;
	*(unsigned long *)g[REG_RSP] = g[REG_RIP];
	g[REG_RIP] = (greg_t)elsewhere;
}
#endif
static void set(int sig, void (*f)(int), int flags)
{
	struct sigaction sa = { .sa_handler = f, .sa_flags = flags };
	sigaction(sig, &sa, NULL);
}
static void timer(long us, int again)
{
	struct itimerval it = { { 0, again ? us : 0 }, { 0, us } };
	setitimer(ITIMER_REAL, &it, NULL);
}
static void *thread(void *arg)
{
	for (int i = 0; i < 50; i++) turns(300), getppid();
	return arg;
}
int main(int argc, char **argv)
{
	const char *m = argv[1];
	long n = atol(argv[2]), rounds = 0;
	static char alt[65536];
	stack_t ss = { .ss_sp = alt, .ss_size = sizeof(alt) };
	pthread_t t[4];
	sigset_t all;

	while (clock() < 5000) /* the first sample has come */
		;
	sigaltstack(&ss, NULL);
	if (!strcmp(m, "timer")) {
		set(SIGALRM, on_tick, SA_RESTART), timer(200, 1);
		for (; rounds < n; rounds++) turns(300), getppid();
	} else if (!strcmp(m, "calls")) {
		set(SIGALRM, on_calls, SA_RESTART | SA_ONSTACK), timer(200, 1);
		for (; rounds < n; rounds++) turns(300), getppid();
	} else if (!strcmp(m, "raise")) {
		set(SIGUSR1, on_tick, 0);
		for (; ticks < n; rounds++) turns(300), raise(SIGUSR1);
	} else if (!strcmp(m, "nested")) {
		set(SIGUSR1, on_outer, 0), set(SIGUSR2, on_inner, SA_ONSTACK);
		set(SIGALRM, on_inner, SA_ONSTACK), timer(1000, 1);
		for (; ticks < n; rounds++) turns(300), raise(SIGUSR1);
	} else if (!strcmp(m, "jump")) {
		set(SIGUSR1, on_jump, SA_NODEFER);
		for (volatile long i = 0; i < n; rounds = ++i) {
			turns(300);
			if (!sigsetjmp(out, 1)) raise(SIGUSR1);
		}
	} else if (!strcmp(m, "fault")) {
		set(SIGSEGV, on_fault, 0);
		page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (; ticks < n; rounds++) {
			turns(300);
			page[5]++;
			mprotect(page, 4096, PROT_NONE);
		}
	} else if (!strcmp(m, "pause")) {
		set(SIGALRM, on_tick, 0);
		/* again and again: on a busy machine the first may come before pause() */
		for (; ticks < n; rounds++) turns(300), timer(3000, 1), pause();
	} else if (!strcmp(m, "child")) {
		set(SIGCHLD, on_tick, SA_RESTART);
		for (; rounds < n; rounds++) {
			turns(300);
			if (!fork()) _exit(0);
			while (wait(NULL) < 0) ;
		}
	} else if (!strcmp(m, "threads")) {
		set(SIGALRM, on_tick, SA_RESTART), timer(1000, 1);
		for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
		rounds = 200;
	} else if (!strcmp(m, "spin")) {
		set(SIGALRM, on_flag, 0);
		for (; ticks < n; rounds++) {
			turns(300), flag = 0, timer(2000, 0);
			while (!flag) ;
		}
#ifdef __x86_64__
	} else if (!strcmp(m, "sent")) {
		struct sigaction sa = { .sa_sigaction = on_send, .sa_flags = SA_SIGINFO | SA_RESTART };
		sigaction(SIGURG, &sa, NULL);
		for (; ticks < n; rounds++) turns(300), raise(SIGURG);
#endif
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL); /* no more of them behind what is printed */
	printf("%ld %d %d %d\n", rounds * 300, ticks * 7, nested * 3, strcmp(m, "sent") ? 0 : ticks);
	return argc;
}
EOC
cc -O1 -pthread -o h h.c || skip_all "cc does not build this"

trace() { # MODE N: out, status, err, counts
	"$PERF" record --branch-trace=500M -o t.data -- ./h "$1" "$2" >out 2>err
	status=$?
	"$PERF" script -i t.data -F brstacksym 2>/dev/null | tr ' ' '\n' | awk -F'[+/]' '
		$3 == "body" { b++ } $3 == "tick" { t++ } $3 == "inner" { i++ } $3 == "late" { l++ }
		END { print b + 0, t + 0, i + 0, l + 0 }' >counts
}
trace raise 20
grep -q "trace of" err || skip_all "cannot trace branches here: $(head -2 err | tr '\n' ' ')"
modes="timer calls raise nested pause child threads jump fault"
[ "$(uname -m)" = x86_64 ] && modes="$modes sent"
for mode in $modes; do
	trace $mode 40
	is "$mode: each call as often as the program counts it" "$(cat counts)" "$(cat out)"
	is "$mode: the program's status" $status 3
	case $mode in
	jump) like "$mode: handlers that are left for good are told" "$(cat err)" 'gaps: [0-9]+ signal' ;;
	*) like "$mode: no gap, and handlers are counted" "$(cat err)" \
		'trace of [0-9]* branches without a gap, over [0-9]* system calls and [0-9]+ handlers of signals' ;;
	esac
done
# Who waits for a handler without a call would wait for ever, for while it is computed it gets no signal.
trace spin 3
is "spin: its handlers are followed" "$(cut -d' ' -f2 counts)" "$(cut -d' ' -f2 out)"
like "spin: where they are waited for in vain is a gap" "$(cat err)" 'gaps: [0-9]+ signal'
is "spin: the program's status" $status 3

# A stack is of the handler, or of what it interrupts.
trace raise 20
"$PERF" script -i t.data -F brstacksym | awk '/\/tick\+/ { n++; bad += /\/body\+/ } END { print (n >= 20), bad + 0 }' >mixed
is "stacks of handlers have none of the program's branches" "$(cat mixed)" "1 0"

# As many as asked for, also when the last is a handler's.
for n in 9000 9100 9200 9300 9317; do
	"$PERF" record --branch-trace=$n -o t.data -- ./h raise 200 >out 2>err
	"$PERF" script -i t.data -F brstack | wc -w
done >have
is "as many as asked for" "$(tr '\n' ' ' <have)" "9000 9100 9200 9300 9317 "
is "... and the program runs to its end" "$(cat out)" "$(./h raise 200)"
done_testing
