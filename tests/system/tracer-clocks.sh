# SPDX-License-Identifier: GPL-2.0-or-later
# Branches of programs that read clocks: by a time stamp or from the kernel's page of clocks, without a system
# call. What they read nobody knows before, so it must make no difference to what is recorded.
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd cc awk
case $(uname -m) in x86_64) ;; *) skip_all "bursts are of x86-64" ;; esac
cd "$TMP" || exit 1
cat >clocks.c <<'EOC'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>
#define N __attribute__((noinline, noclone))
volatile unsigned long sink;
#define SPIN(name) N void name(unsigned n) { unsigned x = sink; do x = x * 7 + n; while (--n); sink = x; }
SPIN(behind_clocks) SPIN(alone)
N unsigned long page(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000UL + t.tv_nsec;
}
N unsigned long stamp(void) { return __rdtsc(); }
N void ticks(unsigned long n) { unsigned long end = stamp() + n; while (stamp() < end) ; }
N void polls(unsigned long ns) { unsigned long end = page() + ns; while (page() < end) ; }
int main(int argc, char **argv)
{
	unsigned long rounds = strtoul(argv[2], NULL, 10), begin = argc > 3;
	if (!strcmp(argv[1], "page") || !strcmp(argv[1], "stamp"))
		for (; rounds--; alone(1000000))
			for (int i = 0; i < 100; i++) {
				begin ^= argv[1][0] == 'p' ? page() : stamp();
				behind_clocks(10000);
			}
	else if (!strcmp(argv[1], "ticks"))
		ticks(rounds * 1000000);
	else
		polls(rounds * 1000000);
	return begin == 1;
}
EOC
cc -O1 -o clocks clocks.c || skip_all "cc does not build this"

record() { "$PERF" record -v -b --branch-source=software -F 1999 "$@" >out 2>err; }
record --branch-budget 0 --branch-span 50 -o p.data -- ./clocks page 40 ||
	skip_all "cannot follow branches here: $(head -2 err | tr '\n' ' ')"
# As many branches in 7 us behind a clock as in a millisecond without one: cut at clocks, spans have a tenth of the first.
ratio() {
	"$PERF" script -i "$1" -F brstacksym | tr ' ' '\n' | awk -F'[+/]' '
		$1 == "behind_clocks" { b++ } $1 == "alone" { a++ }
		END { print (a + b < 1000 ? "few" : b > 0.5 * a && b < 2 * a ? "as many" : b + 0 " to " a + 0) }'
}
found() { # with the last record; a third may be lost to other things, on a busy machine
	awk '
	function before(words) { return match($0, "[0-9]+ " words) ? substr($0, RSTART) + 0 : 0 }
	/compared with the thread/ { found = before("compared"); lost = before("that the thread did not follow")
		print (found < 4 ? "few" : lost < found / 2 ? "yes" : lost " are lost, " found " found") }' err
}
cp err err.page
is "branches behind a clock of the kernel's page" "$(ratio p.data)" "as many"
is "... and the thread is found behind it" "$(found)" yes
record --branch-budget 0 --branch-span 50 -o s.data -- ./clocks stamp 40
is "branches behind a time stamp" "$(ratio s.data)" "as many"
is "... and the thread is found behind it" "$(found)" yes
record --branch-budget 0 --branch-span 50 -g -o g.data -- ./clocks page 20
is "branches behind a clock, of stacks with callers" "$(ratio g.data)" "as many"

# Single stacks have all their entries, or say why not: no clock is a reason.
record --branch-budget 0 --branch-span 0 -o 0.data -- ./clocks page 10
is "single stacks go on behind clocks" "$(awk '
	function before(words) { return match($0, "[0-9]+ " words) ? substr($0, RSTART) + 0 : 0 }
	/stacks of/ { all = before("stacks of") }
	/stacks with fewer/ { cut = before("memory") + before("clock") + before("not computable") }
	END { print (all < 10 ? "few" : cut < all / 10 ? "yes" : cut " of " all " do not") }' err)" yes
# Where the kernel's page of clocks is of no use (hpet, acpi_pm) its clocks are system calls, which other tests are about.
page=$(awk '{ calls += match($0, "[0-9]+ system calls in them") ? substr($0, RSTART) + 0 : 0 } END { print (calls < 20) }' err.page)
# What is in registers must be what the thread has there.
record --branch-budget 0 --user-regs=ax -o r.data -- ./clocks ticks 600
if [ "$(awk '/stacks of .* stops per branch/ { print ($0 ~ / 0.000 stops/) }' err)" = 1 ]; then
	like "with registers: a stack ends at a time stamp where nothing brings the thread there" \
		"$(grep 'stacks with fewer' err)" '[1-9][0-9]* not computable'
else
	is "with registers: the thread itself executes time stamps" "$("$PERF" script -i r.data -F uregs | grep -c AX: |
		awk '{ print ($1 > 10) }')" 1
fi
if [ "$page" = 1 ]; then
	record --branch-budget 0 --user-regs=ax -o r.data -- ./clocks polls 200
	like "with registers: a stack ends at the page of clocks" "$(grep 'stacks with fewer' err)" '[1-9][0-9]* memory'
else
	skip "with registers: a stack ends at the page of clocks" "clocks are system calls here"
fi

# A loop that waits for a time has nothing else by which its rounds could be told apart.
per_burst() {
	"$PERF" script -i "$1" -F time,brstacksym | awk -v of="$2" '
		{ n = 0; for (i = 2; i <= NF; i++) n += index($i, of "+") == 1
		  if (!n) next; if ($1 != last) bursts++; last = $1; all += n }
		END { print (bursts < 3 ? 0 : int(all / bursts)) }'
}
record --branch-budget 0 --branch-span 50 -o c.data -- ./clocks polls 300
if [ "$page" = 1 ]; then
	is "a loop that waits for a time has many rounds in a burst" \
		"$(per_burst c.data polls | awk '{ print ($1 > 10 ? "yes" : $1 " branches") }')" yes
else
	skip "a loop that waits for a time has many rounds in a burst" "clocks are system calls here"
fi

# In a time namespace of its own a program has another page than we do.
if unshare --time --fork --monotonic 1000 true 2>/dev/null; then
	record --branch-budget 0 -o n.data -- unshare --time --fork --monotonic 1000 ./clocks page 20
	is "in another time namespace" $? 0
	is "... branches are recorded" "$("$PERF" script -i n.data -F brstacksym | grep -c behind_clocks | awk '{ print ($1 > 0) }')" 1
else
	skip "in another time namespace" "nobody may make one here (unshare)"
fi
done_testing
