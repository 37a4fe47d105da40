# SPDX-License-Identifier: GPL-2.0-or-later
# Where a thread stands in a loop when its span is over: rounds that differ only in what they stored long before, and
# those of loops that wait, which do not differ at all.
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd cc awk
case $(uname -m) in x86_64) ;; *) skip_all "bursts are of x86-64" ;; esac
cd "$TMP" || exit 1
cat >rounds.c <<'EOC'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
#define N __attribute__((noinline, noclone))
static volatile int flag;
static unsigned long counted;
N void alike(unsigned long rounds) /* that differ in memory alone, and not close to most of their branches */
{
	unsigned long *p = malloc(8 * 512);
	__asm__ volatile("1: incq %0; mov %3, %%rcx; 2: movq $0, -8(%2,%%rcx,8); dec %%rcx; jnz 2b; cmpq %4, %0; jb 1b"
			 : "+m"(counted), "=m"(*(unsigned long (*)[512])p) : "r"(p), "r"(512L), "r"(rounds) : "rcx", "cc");
	free(p);
}
N double vectors(double n) /* rounds differ in a vector register only */
{
	double x = 0, one = 1;
	__asm__ volatile("1: addsd %1, %0; ucomisd %2, %0; jb 1b" : "+x"(x) : "x"(one), "x"(n) : "cc");
	return x;
}
/* Each in a page of its own, so nothing is known of it; and most of what it counts up is not read before it runs. */
static unsigned table[1 << 20];
#define FAST(name) N __attribute__((aligned(4096))) void name(unsigned long n) \
{ unsigned long x = n; do { x = x * 6364136223846793005UL + 1442695040888963407UL; table[x >> 44]++; } while (--n); }
FAST(fast1) FAST(fast2) FAST(fast3) FAST(fast4) FAST(fast5) FAST(fast6) FAST(fast7) FAST(fast8)
N double slow(unsigned long n)
{
	double x = 2;
	do __asm__ volatile(".rept 16; sqrtsd %0, %0; .endr" : "+x"(x)); while (--n);
	return x;
}
/* Between calls, of which each is farther than what is computed beforehand, and nearer than the end of the span. */
N __attribute__((aligned(4096))) void stretch(unsigned long n) { do __asm__ volatile("" : "+r"(n)); while (--n); }
static void further(unsigned long rounds, unsigned long stretches)
{
	void (*fast[8])(unsigned long) = { fast1, fast2, fast3, fast4, fast5, fast6, fast7, fast8 };
	for (int i = 0; i < 8; i++) {
		slow(rounds);
		if (!stretches)
			fast[i](2 * rounds);
		for (unsigned long j = 0; j < stretches; j++)
			stretch(60000), getppid();
	}
}
/* Comes while the thread stands still, as often as not, and takes longer than a span. */
static void handler(int sig)
{
	struct itimerval next = { .it_value = { .tv_usec = 2000 } };
	(void)sig;
	stretch(600000);
	setitimer(ITIMER_REAL, &next, NULL);
}
N void waits(void) { while (!flag) _mm_pause(); }
static void *later(void *ns)
{
	struct timespec t = { 0, (long)ns };
	nanosleep(&t, NULL);
	flag = 1;
	return NULL;
}
static unsigned long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000UL + t.tv_nsec;
}
/* ns that a round of waits() takes, by one that counts: the least, for others want the CPU as well */
static double round_ns(void)
{
	double least = 1e9;
	for (int i = 0; i < 40; i++) {
		unsigned long begin = now(), n = 0;
		while (n < 2000 && !flag) { _mm_pause(); n++; }
		double ns = (double)(now() - begin) / n;
		least = ns < least ? ns : least;
	}
	return least;
}
int main(int argc, char **argv)
{
	pthread_t t;
	const char *what = argc > 1 ? argv[1] : "";
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	if (!strcmp(what, "alike"))
		return alike(n), 0;
	if (!strcmp(what, "vectors"))
		return vectors((double)n) < 1;
	if (!strcmp(what, "further"))
		return further(n, 0), 0;
	if (!strcmp(what, "calls"))
		return further(n, 1500), 0;
	if (!strcmp(what, "signals"))
		return slow(400000), signal(SIGALRM, handler), raise(SIGALRM), slow(n) < 1;
	printf("%.1f\n", round_ns());
	pthread_create(&t, NULL, later, (void *)999999999L);
	waits();
	return pthread_join(t, NULL);
}
EOC
cc -O1 -o rounds rounds.c -lpthread || skip_all "cc does not build this"

record() { "$PERF" record -b --branch-source=software -F 1999 --branch-budget 0 --branch-span 50 "$@" >out 2>err; }
per_burst() {
	"$PERF" script -i "$1" -F time,brstacksym | awk -v of="$2" '
		{ n = 0; for (i = 2; i <= NF; i++) n += index($i, of "+") == 1
		  if (!n) next; if ($1 != last) bursts++; last = $1; all += n }
		END { print (bursts < 3 ? 0 : int(all / bursts)) }'
}
said() { sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" err | head -1; } # how many, by what record -v says
cut_of() { # cut_of BURSTS: whether more than a quarter of them was cut by its length
	awk -v n="$1" -v cut="$(said limit)" 'BEGIN { print (n < 8 ? n + 0 " bursts" : cut > n / 4 ? cut " of " n " are cut" : "found") }'
}
# each round has 512 branches, and what counts the rounds is as many stores away from most of them
record -o a.data -- ./rounds alike 200000 || skip_all "cannot follow branches here: $(head -2 err | tr '\n' ' ')"
is "rounds that differ only in what was stored long before" \
	"$(per_burst a.data alike | awk '{ print ($1 > 5000 ? "all" : $1 " branches") }')" all
record -o v.data -- ./rounds vectors 300000000
is "rounds that differ in vectors only: as many as pass as a rule" \
	"$(per_burst v.data vectors | awk '{ print ($1 > 2000 ? "many" : $1 " branches") }')" many
# A place where more than ten times as much passes in a span as anywhere before: the way goes on to there. It is the first burst of a place
# that is too short otherwise; the next ones are expected to be longer.
record -v -o f.data -- ./rounds further 400000
"$PERF" script -i f.data -F time,brstacksym | awk '
	$1 != last { last = $1; name = $2; sub(/[+].*/, "", name); fast = name ~ /^fast/; slow += !fast
		first = fast && !(name in seen); places += first; bursts += fast; if (fast) seen[name] = 1 }
	first { n += NF - 1 } !fast { m += NF - 1 }
	END { if (places && slow && m) print bursts, n / places / (m / slow) }' >fast
is "a loop that comes ten times as far as what was seen before" "$(cut_of "$(cut -d' ' -f1 fast)")" found
is "... from its first burst on" "$(awk '{ print ($2 > 7 ? "yes" : $2 " times as many branches") }' fast)" yes
# And where that is on the way to a system call. Half of the spans are of stretches.
record -v -o c.data -- ./rounds calls 100000
is "a call that is farther than what was computed" "$(cut_of "$(said 'spans were computed')")" found
# In a handler it is found nowhere on the way, however far that goes: it has what others of the place have.
record -o s.data -- ./rounds signals 1500000
is "who is led away by a signal is not looked for further and further on" \
	"$(per_burst s.data slow | awk '{ print ($1 > 100 && $1 < 4000 ? "no" : $1 " branches") }')" no
# nothing tells these apart: so many pass as one takes long
record -o w.data -- ./rounds
is "a loop that waits has as many rounds as pass in a span" "$(per_burst w.data waits | awk -v ns="$(cat out)" '
	{ n = 50000 / ns; print ($1 > n / 4 && $1 < n * 4 ? "yes" : $1 " of " n) }')" yes
done_testing
