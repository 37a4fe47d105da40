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
done_testing
