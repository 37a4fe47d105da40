# SPDX-License-Identifier: GPL-2.0-or-later
# Branch traces: every branch from the first sample on, exactly as often as it was taken, over system calls,
# threads, children, signals, lazy binding and the time; and the program notices nothing.
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd cc awk perl
cd "$TMP" || exit 1
cat >life.c <<'EOC'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define N __attribute__((noinline, noclone))
static volatile sig_atomic_t ticks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long sum;
static volatile int go;
volatile unsigned long sink;
N void odd(void) { sink++; }
N void even(void) { sink++; }
N void ninth(void) { sink++; }
/* n turns: one of two calls in each */
N unsigned long turns(unsigned long n)
{
	volatile unsigned long x = 1;
	for (unsigned long i = 0; i < n; i++) {
		x = x * 6364136223846793005ul + (x & 64 ? 1442695040888963407ul : 1);
		if (i & 1) odd(); else even();
		if (i % 9 == 8) ninth();
	}
	return x;
}
static void on_tick(int s) { (void)s; ticks++; }
static void on_exec(int s)
{
	if (s) execl("/bin/true", "true", NULL);
}
static void *thread(void *arg)
{
	for (int i = 0; i < 20; i++) {
		unsigned long x = turns(200 + (unsigned long)arg);
		pthread_mutex_lock(&lock);
		sum += x;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
static void *waits(void *arg)
{
	printf("%d\n", (int)syscall(SYS_gettid));
	fflush(stdout);
	while (!go)
		;
	sum = turns(100000000); /* it runs on blind for a while */
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	long n = argc > 2 ? atol(argv[2]) : 0;
	while (clock() < 5000) /* us of CPU time: the first sample has come */
		;
	if (!strcmp(argv[1], "calls")) {
		for (int i = 0; i < 100; i++) sum += turns(100), getppid();
		printf("%lu\n", sum);
	} else if (!strcmp(argv[1], "threads")) {
		for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, thread, (void *)i);
		for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
		printf("%lu\n", sum);
	} else if (!strcmp(argv[1], "waits")) {
		pthread_create(&t[0], NULL, waits, NULL);
		(void)!read(0, &n, 1);
		go = 1;
		pthread_join(t[0], NULL);
		printf("%lu\n", sum);
	} else if (!strcmp(argv[1], "signals")) {
		struct itimerval it = { { 0, 3000 }, { 0, 3000 } };
		signal(SIGALRM, on_tick);
		setitimer(ITIMER_REAL, &it, NULL);
		for (int i = 0; i < 40 || !ticks; i++) sum = turns(5000), getppid();
		printf("%lu %d\n", sum, ticks > 0);
	} else if (!strcmp(argv[1], "forks")) {
		int s, exits = 0;
		for (int i = 0; i < 8; i++)
			if (!fork()) {
				turns(500);
				if (i & 1) execl("/bin/true", "true", NULL);
				_exit(i);
			}
		while (wait(&s) > 0) exits += WEXITSTATUS(s);
		printf("%d\n", exits);
	} else if (!strcmp(argv[1], "execs")) { /* out of a handler, in the midst of turns() that are computed */
		signal(SIGALRM, on_exec);
		for (int i = 0; i < 4; i++)
			if (!fork()) {
				ualarm(20000, 0);
				for (;;) turns(20000), getppid();
			}
		while (wait(NULL) > 0);
	} else if (!strcmp(argv[1], "clock")) {
		struct timespec a;
		char *end;
		double d = 0;
		for (int i = 0; i < 2000; i++) {
			clock_gettime(CLOCK_MONOTONIC, &a);
			n += a.tv_sec > 0 || a.tv_nsec > 0;
		}
		turns(1000);
		d = strtod("2.5", &end) + atof("0.5") + (double)strtol("4", &end, 10);
		printf("%ld %g\n", n, d);
	} else if (!strcmp(argv[1], "foreign")) {
		static char image[512] __attribute__((aligned(64)));
		getppid();
		turns(1500000); /* longer than a clock needs to stop it */
		__asm__ volatile("fxsave %0; fxrstor %0" : "+m"(image)); /* nobody computes that */
		getppid();
		printf("%lu\n", turns(1000));
	} else {
		while (n-- > 0) sum = turns(1000000);
		printf("%lu\n", sum);
	}
	return argc;
}
EOC
cc -O1 -pthread -Wl,-z,lazy -o life life.c || skip_all "cc does not build this"

trace() { # MODE [OPTION...]: t.data, out, status, err
	mode=$1
	shift
	"$PERF" record --branch-trace=50M "$@" -o t.data -- ./life $mode >out 2>err
	status=$?
}
trace calls
grep -q "trace of" err || skip_all "cannot trace branches here: $(head -2 err | tr '\n' ' ')"

# How often each of these was called, by the trace; or by its first STACKS.
counts() {
	"$PERF" script -i t.data -F brstacksym 2>/dev/null | head -${1:-1000000} | tr ' ' '\n' | awk -F'[+/]' '
		$1 == "turns" && $3 == "odd" { odd++ } $1 == "turns" && $3 == "even" { even++ }
		$1 == "turns" && $3 == "ninth" { ninth++ } $1 == "ninth" && $3 == "turns" { back++ }
		END { print odd + 0, even + 0, ninth + 0, back + 0 }'
}
alone() { # MODE: output and status as without perf
	./life $1 >want
	want=$?
	is "$1: the program's output" "$(cat out)" "$(cat want)"
	is "$1: its status" $status $want
}
is "calls: all of them, and no more" "$(counts)" "5000 5000 1100 1100"
like "calls: without a gap, over a hundred system calls" "$(cat err)" \
	'trace of [0-9]* branches without a gap, over [0-9]{3,} system calls: at [0-9]{3,} the thread stood as computed, at 0 it had gone another way'
alone calls
# From a branch's target on the next one's source is what follows, and soon; that of the next stack, too.
is "one branch leads to the next" "$("$PERF" script -i t.data -F brstack 2>/dev/null | perl -ne '
	for (reverse split) { my ($f, $t) = map hex, m{^0x(\w+)/0x(\w+)/} or next;
		$near++ if $n++ && $f >= $to && $f - $to < 1024; $to = $t }
	END { print $n > 20000, " ", $near + 100 > $n }')" "1 1"
is "each stack has the period 1" "$("$PERF" script -i t.data -F period | sort -u | tr -d ' ')" 1
is "times ascend" "$("$PERF" script -i t.data -F time --ns | sort -c 2>&1)" ""
like "the file says what it is" "$("$PERF" report --header-only -i t.data)" \
	'branches from software \(all branches from the first overflow on'

trace threads
is "threads: each from its first instruction on" "$(counts)" "8040 8080 1760 1760"
alone threads
trace forks
is "forks: children, too" "$(counts)" "2000 2000 440 440"
like "forks: and what they execute" "$("$PERF" report --stdio -s comm -i t.data)" ' true'
# Addresses of a program that was executed, and those of them where none of its maps is.
strangers() {
	"$PERF" script -i t.data --show-mmap-events --show-task-events -F tid,brstack 2>/dev/null | perl -ne '
		if (/COMM exec: true:(\d+)/) { $map{$1} = [] }
		elsif (/MMAP2? (\d+)\/\d+: \[0x(\w+)\(0x(\w+)\)/) { push @{$map{$1}}, [hex $2, hex($2) + hex $3] if $map{$1} }
		elsif (/^ *(\d+) +0x/ && $map{$1}) { my $m = $map{$1}; for (split) { my ($a) = /^0x(\w+)/ or next; $a = hex $a; $n++;
			$bad++ if !grep $a >= $_->[0] && $a < $_->[1], @$m } }
		END { print $n > 1000, " ", $bad + 0, "\n" }'
}
is "forks: none of before in what they execute" "$(strangers)" "1 0"
alone forks
trace execs
is "execs: nor where a handler did" "$(strangers)" "1 0"
like "... and what that has cut off is told" "$(cat err)" 'gaps: .*4 signal'
alone execs

# On a busy machine the recorder comes late to the first sample. Here it stands still meanwhile. The kernel dates the start of
# children; the stacks, which we date, must not come before.
stands() { grep -q "^State:.$2" /proc/$1/status; } # PID LETTER
mkfifo go ctl ack
sh -c 'read x; exec ./life forks' <go >out &
pid=$!
exec 3>go
"$PERF" record --branch-trace=50M -p $pid --control fifo:ctl,ack -o t.data >/dev/null 2>err 3>&- &
rec=$!
timeout 60 sh -c 'echo ping >ctl; read -r x <ack' # it has attached
kill -STOP $rec
wait_for stands $rec T
echo >&3
exec 3>&-
wait_for stands $pid t
sleep 0.3
kill -CONT $rec
wait $pid
wait $rec
is "forks: a recorder that comes late to the first sample" "$(counts)" "2000 2000 440 440"
is "... and says nothing of clocks" "$(grep -c clock err)" 0
PERF_TRACER_WITHOUT=clock "$PERF" record --branch-trace=50M -o t.data -- ./life calls >out 2>err
like "a clock of samples that cannot be read is told" "$(cat err)" \
	'the clock of samples cannot be read \(.*\): stacks may be dated before the start of their process'

trace clock
is "clock: the time, lazy binding, floating point" "$(counts)" "500 500 111 111"
like "clock: no gap" "$(cat err)" 'without a gap'
alone clock
trace foreign -j any_call
is "a gap: what was computed before it is not recorded again" "$(counts)" "750500 750500 166777 0"
like "... and is told" "$(tr '\n' ' ' <err)" 'with 1 gaps.*gaps: 1 not computable'
alone foreign
trace signals
counts >have
is "signals: all of the code that they interrupt" "$(awk '{ print ($1 >= 100000), ($1 == $2), $1 % 2500, $3 == $4 }' have)" \
	"1 1 0 1"
like "signals: handlers are followed" "$(cat err)" 'system calls and [0-9]+ handlers of signals'
is "signals: the program's status" $status 2

"$PERF" record --branch-trace=7k -o t.data -- ./life turns 3 >out 2>err
is "as many as asked for" "$("$PERF" script -i t.data -F brstack | wc -w)" 7000
is "... and the program runs to its end" "$(cat out)" "$(./life turns 3)"
"$PERF" record --branch-trace=30k -j any_call -o t.data -- ./life calls >out 2>err
is "calls alone, by -j" "$("$PERF" script -i t.data -F brstacksym | tr ' ' '\n' | awk -F'[+/]' '
	$1 == "turns" { n++ } $3 == "turns" && $1 != "main" { bad++ } END { print (n > 3000), bad + 0 }')" "1 0"
# where CPUID is slow the first sample comes before main, and some ten thousand branches of waiting follow
"$PERF" record -g --branch-trace=200k -o t.data -- ./life calls >out 2>err
is "with call chains of the place where a stack ends" "$("$PERF" script -i t.data -F ip,sym | awk '
	NF == 0 { n += a == "turns"; bad += a == "turns" && b != "main"; k = 0; next }
	++k == 1 { a = $2 } k == 2 { b = $2 } END { print (n > 20), bad + 0 }')" "1 0"

# A program that runs: the trace ends by itself.
./life turns 100000 >out &
pid=$!
"$PERF" record --branch-trace=20k -p $pid -o t.data >/dev/null 2>err
is "-p: ends when it has them" "$? $("$PERF" script -i t.data -F brstack | wc -w)" "0 20000"
is "... and nobody traces the program any more" "$(awk '/TracerPid/ { print $2 }' /proc/$pid/status)" 0
kill $pid
wait $pid 2>/dev/null

# One thread of two waits for the other by memory alone, which is not seen while it is computed.
./life waits <go >out &
pid=$!
exec 3>go
wait_for test -s out
tid=$(cat out)
timeout -k 5 60 "$PERF" record --branch-trace=1000 -j any_call -t "$tid" -o t.data >/dev/null 2>err 3>&- &
rec=$!
wait_for stands "$tid" t
echo >&3
exec 3>&-
wait $rec
is "-t: a thread that waits for another one comes on" "$? $("$PERF" script -i t.data -F brstack | wc -w)" "0 1000"
like "... which is a gap" "$(tr '\n' ' ' <err)" 'gaps: [0-9]+ limit'
wait $pid
is "... and the program runs to its end" "$? $(wc -l <out)" "2 2"

grows() { test "$(stat -c %s t.data)" -gt 4000000; }
# Ctrl-C and a sudden death in the midst of a stretch: the file is good, the program unharmed.
rm -f t.data
"$PERF" record --branch-trace=100G -o t.data -- ./life turns 2000 >out 2>err &
pid=$!
wait_for grows
kill -INT $pid
wait $pid
is "Ctrl-C: the status" $? 130
like "Ctrl-C: what is there is a trace" "$(cat err)" 'fewer than the 100000000000 branches'
is "Ctrl-C: calls in it" "$(counts 20000 | awk '{ print ($1 > 100), $1 - $2 <= 1 && $2 - $1 <= 1 }')" "1 1"
./life turns 40 >want
rm -f t.data
"$PERF" record --branch-trace=100G -o t.data -- sh -c './life turns 40 >out2; echo $? >st2' >out 2>err &
pid=$!
wait_for grows
kill -KILL $pid
wait $pid 2>/dev/null
wait_for test -s st2
is "kill -9: the program goes on" "$(cat out2 st2)" "$(cat want)
3"

refused() { # TEXT OPTION...
	text=$1
	shift
	"$PERF" record "$@" -o no.data -- true >out 2>err
	is "$* is refused" "$? $(head -1 err)" "129 $text"
}
refused "--branch-trace takes a number of branches, such as 500k or 10M, not '12x'" --branch-trace=12x
refused "--branch-trace takes a number of branches, such as 500k or 10M, not '0'" --branch-trace=0
refused "--branch-trace takes a number of branches, such as 500k or 10M, not '99999999999G'" --branch-trace=99999999999G
refused "--branch-trace computes every branch from the first sample on: --branch-source=hardware does not go with it" \
	--branch-trace --branch-source=hardware
refused "--branch-trace computes every branch from the first sample on: --user-regs does not go with it" \
	--branch-trace --user-regs=ax
refused "--branch-trace begins at the samples of one event, not of 2" --branch-trace -e cpu-clock -e task-clock
done_testing
