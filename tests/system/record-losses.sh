#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the recorder says about losses is what the kernel lost: the stand-in for perf_event_open
# floods small rings and logs each sample that found no room.
. "$(dirname "$0")/../lib.sh"
need_standin
cd "$TMP" || exit 1

record() { # OPTIONS...: messages in rec.out, the stand-in's log in log
	rm -f log
	STANDIN=full STANDIN_LOG=$TMP/log LD_PRELOAD=$SO "$PERF" record -e cycles -c 1000 \
		-o perf.data "$@" >rec.out 2>&1
}
count() { # TYPE -> records of that type in the file
	"$PERF" report --stats -i perf.data 2>/dev/null | awk -v t="$1" '$1 == t { print $3; exit }'
}

# 64 samples at a time with 32 branches each, into rings that hold five of them.
STANDIN_FLOOD=1 STANDIN_SAMPLES=20000
export STANDIN_FLOOD STANDIN_SAMPLES
record -m 1 -b -- sleep 0.5
lost=$(grep -c '^lost' log)
told=$(sed -n 's/^perf record: lost [0-9]* records, \([0-9]*\) of them samples.*/\1/p' rec.out)
check "samples were lost ($lost)" test "$lost" -gt 50
is "the recorder tells as many" "$told" "$lost"
like "the cause and the way out" "$(cat rec.out)" 'rings of 4 kB were full; try -m 16K'
is "LOST_SAMPLES of the file add up to them" "$("$PERF" report -D -i perf.data 2>/dev/null |
	sed -n 's/.*PERF_RECORD_LOST_SAMPLES.*lost samples :\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')" "$lost"
is "what was not lost is in the file" "$(count SAMPLE)" "$(($(grep -c 'nr=' log) - lost))"

unset STANDIN_FLOOD
STANDIN_SAMPLES=50
record -- sleep 0.3
unlike "without losses nothing is said" "$(cat rec.out)" 'lost'
STANDIN_THROTTLE=3
export STANDIN_THROTTLE
record -- sleep 0.3
n=$(count THROTTLE)
like "throttling is told ($n times)" "$(cat rec.out)" "throttled $n times: the kernel held events back.*lower -F"
check "three times per event" test "$n" -ge 3 -a $((n % 3)) -eq 0
# ---- room for stacks: three threads on two CPUs filled 512 kB before the recorder got one of them
ring_kb() { # OPTIONS...: of the recorder's largest mapping of a ring
	"$PERF" record -o ring.data "$@" -- sleep 600 >ring.out 2>&1 &
	_rec=$!
	wait_for is_open $_rec
	awk -F'[- ]' '/perf_event/ { print $1, $2 }' "/proc/$_rec/maps" |
		perl -ne 'my ($a, $b) = map hex, split; $kb = ($b - $a) / 1024 if $b - $a > $kb * 1024;
			END { print $kb - 4 }'
	kill -INT $_rec
	wait $_rec
}
if [ "$(id -u)" -ne 0 ] || [ "$("$O/tests/standin/try-open" type=1 size=64 2>&1)" != ok ]; then
	skip "rings for copies of stacks" "needs root and events"
	done_testing
fi
plain=$(ring_kb -e cpu-clock)
deep=$(ring_kb -e cpu-clock --call-graph dwarf)
nr=$(nproc)
want=$((65536 / nr < 2048 ? 65536 / nr : 2048))
if [ "$want" -gt "$((2 * plain))" ] && [ "$(getconf PAGESIZE)" = 4096 ]; then
	check "rings for copies of stacks are larger: $plain kB, $deep kB" \
		test "$deep" -gt $((want / 2)) -a "$deep" -le "$want"
else
	skip "rings for copies of stacks are larger" "$nr CPUs, rings of $plain kB"
fi
is "... but as asked for with -m" "$(ring_kb -e cpu-clock --call-graph dwarf -m 64K)" 64

# Three threads, each 100 frames deep in a function of its own.
cat >deep.c <<'E'
#include <pthread.h>
#include <time.h>
static volatile unsigned long sum;
__attribute__((noinline)) static unsigned long down(int d)
{
	volatile char room[32];
	unsigned long v = d;

	room[0] = (char)d;
	for (int i = 0; !d && i < 20000; i++)
		v = v * 6364136223846793005ul + 1;
	return d ? down(d - 1) + room[0] : v;
}
#define WORKER(name) \
	__attribute__((noinline)) static void *name(void *to) \
	{ \
		while (time(NULL) < *(time_t *)to) \
			sum += down(100); \
		return NULL; \
	}
WORKER(first) WORKER(second) WORKER(third)
int main(void)
{
	void *(*const run[3])(void *) = { first, second, third };
	time_t to = time(NULL) + 3;
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run[i], &to);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
E
need_cc
$CC -O1 -g -fno-optimize-sibling-calls -pthread -o deep deep.c
"$PERF" record -q -F 1000 -e cpu-clock --call-graph dwarf,16384 -o deep.data ./deep 2>deep.err
is "deep stacks of three threads: each has its function" "$("$PERF" report -i deep.data \
	--children -g none -s sym --stdio 2>/dev/null | sed -n 's/.*%.*\] \(first\|second\|third\) *$/\1/p' |
	sort -u | tr '\n' ' ')" "first second third "
done_testing
