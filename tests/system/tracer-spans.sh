# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# Bursts: all branches of a span of time. Slow and fast branches are seen as often as they are
# executed, not by the time they take; every stack is a sample with its own callers.
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd cc awk
cd "$TMP" || exit 1
cat >spans.c <<'EOC'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define N __attribute__((noinline, noclone))
volatile unsigned long sink;
N void leaf(int n) { for (int i = 0; i < n; i++) sink += i; }
N void near(void) { sink++; }
#define FAR(name) N void name(int n) { while (n--) { for (volatile int i = 0; i < 9000; i++) sink += i; near(); } }
FAR(far1) FAR(far2) FAR(far3) FAR(far4) FAR(far5) FAR(far6) FAR(far7) FAR(far8)
N void a1(void) { leaf(3); sink++; }
N void a2(void) { leaf(4); sink++; }
N void a3(void) { leaf(2); sink++; }
N void b1(void) { a1(); sink++; }
N void b2(void) { a2(); sink++; }
N void b3(void) { a3(); sink++; }
N unsigned long fast(unsigned long n)
{
	unsigned long x = 3;
	do __asm__ volatile("imul %0, %0; imul %0, %0; imul %0, %0; imul %0, %0" : "+r"(x)); while (--n);
	return x;
}
N unsigned long slow(unsigned long n)
{
	unsigned long x = ~0UL;
	do
		for (int i = 0; i < 1; i++)
#define D __asm__ volatile("xor %%edx, %%edx; div %1; not %0" : "+a"(x) : "r"(3UL) : "rdx", "cc");
		{ D D D D D D D D D D D D D D D D }
	while (--n);
	return x;
}
static unsigned long counted, cleared;
N void alike(unsigned long n)
{
	__asm__ volatile("1: incq %0; movq $0, %1; cmpq %2, %0; jb 1b" : "+m"(counted), "=m"(cleared) : "r"(n) : "cc");
}
N void wide(unsigned long n) /* nothing waits for anything else: as many instructions as a CPU can execute at once */
{
	__asm__ volatile("1: .rept 50; inc %%rax; inc %%rcx; inc %%rdx; inc %%rsi; inc %%r8; inc %%r9; .endr; dec %0; jnz 1b"
			 : "+r"(n) : : "rax", "rcx", "rdx", "rsi", "r8", "r9", "cc");
}
#define SPIN(name) N void name(unsigned n) { unsigned x = sink; do x = x * 7 + n; while (--n); sink = x; }
SPIN(behind_calls) SPIN(alone)
int main(int argc, char **argv)
{
	unsigned long rounds = strtoul(argv[2], NULL, 10);
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	char c[64];
	if (argv[1][0] == 'a')
		alike(rounds);
	else if (argv[1][0] == 'w')
		wide(rounds);
	else if (argv[1][0] == 'x') {
		alone(20000);
		snprintf(c, sizeof(c), "%lu", rounds - 1);
		return rounds ? execl(argv[0], argv[0], "x", c, NULL) : 0;
	}
	else if (argv[1][0] == 'c')
		while (rounds--) { b1(); b2(); b3(); }
	else if (argv[1][0] == 'l')
		far1(rounds), far2(rounds), far3(rounds), far4(rounds), far5(rounds), far6(rounds), far7(rounds), far8(rounds);
	else if (argv[1][0] == 'r')
		for (; rounds--; alone(1000000))
			for (int i = 0; i < 100; i++) {
				argc += read(fd, c, sizeof(c)) < 0;
				behind_calls(10000);
			}
	else
		while (rounds--) { fast(1000000); slow(40000); }
	return argc > 3;
}
EOC
cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o spans spans.c || skip_all "cc does not build this"

record() { "$PERF" record -b --branch-source=software -F 1999 "$@" >/dev/null 2>err; }
# every sample is a burst: on a busy machine a budget leaves too few for a ratio
record -v --branch-budget 0 --branch-span 100 -o p.data -- ./spans phases 40 ||
	skip_all "cannot follow branches here: $(head -2 err | tr '\n' ' ')"
# 25 to 1, though they take about the same time: a clock alone sees about as many of both
share=$("$PERF" script -i p.data -F brstacksym | tr ' ' '\n' | awk -F'[+/]' '
	$1 == "fast" { f++ } $1 == "slow" { s++ }
	END { if (f + s < 1000) print "few: " f + s; else print (f > 15 * s && f < 42 * s ? "by count" : f " to " s + 0) }')
is "fast and slow branches" "$share" "by count"
is "the thread was found where a span ended" \
	"$(sed -n 's/.* \([0-9]*\) compared with the thread.*/\1/p' err | awk '{ print ($1 > 3) }')" 1

# What passes is known by the branches: 6 instructions for each of the fast ones, 51 for the slow ones. Twice as many branches as of the
# fast one would be many times what passes of the slow one.
passes=$("$PERF" script -i p.data -F time,brstacksym | awk '
	$1 != last { bursts++; last = $1 }
	{ for (i = 2; i <= NF; i++) n += $i ~ /^fast/ ? 6 : $i ~ /^slow/ ? 51 : 0 } END { print n / bursts }')
is "a way is computed about as far as the thread comes" \
	"$(sed -n 's/.*walks took \([0-9]*\) us.* \([0-9.]*\) ns an instruction.*/\1 \2/p' err |
		awk -v passes="$passes" '{ n = 1000 * $1 / $2; print (n > 0.7 * passes && n < 3 * passes ? "yes" : n " for " passes) }')" yes
# A burst is one sample, though the thread is stopped twice for it.
is "it stands still per sample at least as long as its way is computed" \
	"$(sed -n 's/.* \([0-9]*\) us per sample.*/\1/p; s/.*walks took \([0-9]*\) us.*/\1/p' err |
		awk 'NR == 1 { still = $1 } NR == 2 { print (still > 0.8 * $1 ? "yes" : still " us of " $1) }')" yes

# Rounds that differ in memory alone, and not in what is stored last: each burst has thousands.
record --branch-budget 0 --branch-span 50 -o a.data -- ./spans alike 300000000
is "rounds of a loop that differ only in what they count in memory" "$("$PERF" script -i a.data -F time,brstack | awk '
	{ if ($1 != last) bursts++; last = $1; n += NF - 1 } END { print (bursts < 3 ? "few" : n > 300 * bursts ? "many" : n " in " bursts) }')" many

# Where 20 instructions pass in a nanosecond, as some CPUs do, a span has half a million.
record -v --branch-budget 0 --branch-span 25 -o w.data -- ./spans wide 6000000
is "the thread is found again in code as fast as there is" "$(awk '
	function before(words) { return match($0, "[0-9]+ " words) ? substr($0, RSTART) + 0 : 0 }
	/compared with the thread/ { found = before("compared"); lost = before("that the thread did not follow")
		print (found < 4 ? "few" : lost < found / 4 ? "yes" : lost " are lost, " found " found") }' err)" yes

# What a thread stands before is asked of the kernel, since Linux 5.3.
cat >asks.c <<'EOC'
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
	char info[128];
	pid_t pid = fork();
	long n;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, 0, 0);
	ptrace(PTRACE_SYSCALL, pid, 0, 0);
	waitpid(pid, 0, 0);
	n = ptrace(0x420e, pid, sizeof(info), info);
	kill(pid, SIGKILL);
	return n <= 0;
}
EOC
# As many branches in 7 us between two calls as in a millisecond without one: cut at calls, spans have a tenth of the first.
if cc -o asks asks.c && ./asks; then
	record -v --branch-budget 0 --branch-span 50 -o r.data -- ./spans reads 300
	is "branches between system calls that are closer than a span" "$("$PERF" script -i r.data -F brstacksym | tr ' ' '\n' | awk -F'[+/]' '
		$1 == "behind_calls" { b++ } $1 == "alone" { a++ }
		END { print (a + b < 1000 ? "few" : b > 0.5 * a && b < 2 * a ? "as many" : b + 0 " to " a + 0) }')" "as many"
	is "system calls are followed" "$(sed -n 's/.* \([0-9]*\) system calls in them followed.*/\1/p' err | awk '{ print ($1 > 10) }')" 1
else
	for name in "branches between system calls that are closer than a span" "system calls are followed"; do
		skip "$name" "this kernel has no PTRACE_GET_SYSCALL_INFO"
	done
fi

# What a way reads stays in the caches of the CPU on which the thread goes on.
if taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" true 2>/dev/null; then
	record -v --branch-budget 0 --branch-span 25 -o m.data -- ./spans phases 10
	is "ways are computed on the CPU where the thread stood" \
		"$(sed -n 's/.*record: \([0-9]*\) of \([0-9]*\) spans were computed on the CPU.*/\1 \2/p' err |
			awk '{ print ($1 > 3 && $1 > 0.9 * $2 ? "yes" : $0) } END { if (!NR) print "none" }')" yes
else
	skip "ways are computed on the CPU where the thread stood" "nobody may choose a CPU here (taskset)"
fi

# What follows on a branch begins where that led to, also from stack to stack and where a way went on behind what was computed first.
record --branch-budget 0 --branch-span 50 -o j.data -- ./spans phases 3
joins() {
	"$PERF" script -i "$1" -F time,brstack | awk '
	function hex(s, i, v) { for (i = 3; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
	{ n = 0; for (i = NF; i > 1; i--) if (split($i, e, "/") > 5) { from[++n] = hex(e[1]); to[n] = hex(e[2]) } }
	{ for (i = 1; i <= n; i++) { if (i > 1 || $1 == last) { all++; d = from[i] - before; bad += d < 0 || d > 512 } before = to[i] } last = $1 }
	END { print (all > 1000 ? bad + 0 : "few: " all + 0) }'
}
is "each branch of a burst begins where the one before led to" "$(joins j.data)" 0
is "each of its stacks is of the place where it ends" "$("$PERF" script -i j.data -F time,ip,brstack | awk '
	function hex(s, i, v) { for (i = s ~ /^0x/ ? 3 : 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
	NF > 2 { split($3, e, "/"); all++; d = hex($2) - hex(e[2]); bad += d < 0 || d > 512 }
	END { print (all > 30 ? bad + 0 : "few: " all + 0) }')" 0
# A program that a thread becomes in its span is another one: its addresses are.
record --branch-budget 0 --branch-span 50 -o x.data -- ./spans x 400
is "a program that executes itself 400 times in spans" $? 0
is "no burst leads from one program into the next" "$(joins x.data)" 0

# Calls far apart: where a way has none at first and goes on to some, the sample itself is not one more stack. That is
# so in one recording of three or so.
for _ in 1 2 3 4; do
	"$PERF" record --branch-source=software -F 4000 -j any_call --branch-budget 0 --branch-span 50 -o l.data \
		-- ./spans long 500 >/dev/null 2>err
	"$PERF" script -i l.data -F time,brstack
done >l.txt
is "no stack without a branch among those of a burst" "$(awk '
	{ all++; if (NF > 1) has[$1] = 1; else none[$1]++ }
	END { for (t in none) bad += t in has; print (all > 100 ? bad + 0 : "few: " all + 0) }' l.txt)" 0

callers() { # stacks whose callers are those of another call
	"$PERF" script -i c.data -F ip,sym | awk '
		NF == 0 { if (n > 1 && a ~ /^a/ && b ~ /^b/) { all++; bad += substr(a, 2) != substr(b, 2) } n = 0; next }
		{ n++ } n == 1 { a = $2 } n == 2 { b = $2 }
		END { print (all > 10 ? bad + 0 : "few: " all + 0) }'
}
record -g --branch-budget 0 --branch-span 0 -o c.data -- ./spans calls 20000000
is "callers of single stacks" "$(callers)" 0
record -g --branch-budget 50 --branch-span 100 -o c.data -- ./spans calls 20000000
is "callers of the stacks of a burst" "$(callers)" 0

# Eight threads hand a baton on: one runs at a time, so what is done for all of them together is paid by one CPU's time, 1.2 s of
# it. That pays for 7 to 11 bursts; were each to pay with the time in which it waits, it would be the double.
cat >baton.c <<'EOC'
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static long turn, threads, rounds;
volatile unsigned long sink;
static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}
static void *run(void *me)
{
	for (long r = 0; r < rounds; r++) {
		long begin = now();
		pthread_mutex_lock(&m);
		while (turn != (long)me)
			pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
		while (now() - begin < 5000000)
			for (int i = 0; i < 20000; i++)
				if (i & 1)
					sink += i;
		pthread_mutex_lock(&m);
		turn = (turn + 1) % threads;
		pthread_cond_broadcast(&c);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t t[64];
	threads = atoi(argv[1]), rounds = atoi(argv[argc - 1]);
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
EOC
if cc -O1 -pthread -o baton baton.c; then
	record -v --branch-span 100 -o b.data -- ./baton 8 30
	bursts=$(sed -n 's/.* of \([0-9]*\) spans were computed.*/\1/p' err)
	[ "${bursts:-0}" -gt 0 ] && [ "$bursts" -le 15 ] &&
		pass "threads that wait for each other pay with the time that they run" ||
		fail "threads that wait for each other pay with the time that they run" "$(cat err)"
else
	skip "threads that wait for each other pay with the time that they run" "cc does not build it"
fi

# Nothing is said of spans: bursts where samples come by a clock and are of branches alone. A busy machine may leave a run
# without a sample.
spans() { # spans OPTION...: "yes" where record makes bursts so
	for _ in 1 2 3; do
		"$PERF" record -v "$@" --branch-source=software --branch-budget 0 -F 99 -o n.data -- ./spans alike 100000000 \
			>/dev/null 2>err
		if grep -q ' spans were computed' err; then echo yes && return; fi
		if grep -q ' stacks of ' err; then echo no && return; fi
	done
}
for case in "yes -b" "yes -j any,u" "yes -b -e cpu-clock" "yes -b -e task-clock:u" "yes -j any_call,u -e cpu-clock" "no -b -g" \
	"no -b --call-graph lbr" "no -b --user-regs=ax" "no -b -e cpu-clock,task-clock" "no -b -e page-faults" \
	"no -b --branch-span 0" "yes -b --branch-strategy=interpret" "yes -b -g --branch-span=50"; do
	# shellcheck disable=SC2086 # options
	is "bursts by default: ${case#* }" "$(spans ${case#* })" "${case%% *}"
done

# Each of a burst's stacks has its time, and all together its period, which is one page fault.
"$PERF" record -b --branch-source=software --branch-budget 0 -e page-faults:u -c 1 --branch-span=50 -o n.data -- \
	./spans alike 100000 >/dev/null 2>err
is "periods of one, which many stacks share, add up" "$("$PERF" script -i n.data -F time,period --ns | awk '
	{ at[$1]; sum += $2 } END { for (t in at) n++; print (NR > n), sum - n }')" "1 0"

for _ in 1 2 3 4 5; do # one run in fifty has no sample
	"$PERF" record -b --branch-source=software -o n.data -- true >/dev/null 2>err
	has_samples n.data 0 && break
done
like "a program that is too short for bursts" "$(cat err)" '^perf record: no bursts: .* --branch-span=0 '
for with in "--user-regs=ax:--user-regs" "--branch-strategy=step:--branch-strategy" \
	"-e cpu-clock,task-clock:more than one event"; do
	# shellcheck disable=SC2086 # options
	"$PERF" record -b --branch-source=software --branch-span=50 ${with%%:*} -o n.data -- true >/dev/null 2>err
	is "a span with ${with%%:*}" "$? $(head -1 err)" \
		"129 --branch-span records branches of one event: ${with#*:} does not go with it"
done
"$PERF" record -b --branch-span 3 -- true >/dev/null 2>err
is "a span that no clock can measure" "$(cat err)" \
	"--branch-span takes 10 to 10000 microseconds, or 0, not '3'"
done_testing
