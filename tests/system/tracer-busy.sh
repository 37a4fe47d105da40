#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# Nine programs on one CPU, of which one is recorded: the recorder waits for the CPU as they do, and a stop lasts as long. What it costs
# is what the program would have run meanwhile: it rests as often as the budget asks for, and there are
# samples. (Were a stop as dear as it is long, the first would pay for all of the run.)
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd taskset
grep -q ' [1-9][0-9]*$' /proc/$$/schedstat 2>/dev/null ||
	skip_all "the kernel does not count how long threads run and wait (CONFIG_SCHEDSTATS)"
cd "$TMP" || exit 1
cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
others=
for _ in 1 2 3 4 5 6 7 8; do
	taskset -c "$cpu" sh -c 'while :; do :; done' &
	others="$others $!"
done
# shellcheck disable=SC2064,SC2086 # these
trap "kill $others 2>/dev/null; rm -rf '$TMP'" EXIT
stops() { # that were made: the stacks of a burst have one time
	"$PERF" script -i b.data -F tid,time 2>/dev/null | sort -u | wc -l
}
for how in "-b --branch-source=software:2" "-b --branch-source=software --branch-span=0:5" \
	"--call-graph lbr --branch-source=software:5"; do
	least=${how##*:} how=${how%:*}
	# shellcheck disable=SC2086
	enough() { # of half a second
		timeout -k 5 100 taskset -c "$cpu" "$PERF" record $how -o b.data -- \
			"$PERF" test -w brstack 40000000 >/dev/null 2>err && [ "$(stops)" -gt "$least" ]
	}
	check "$how: samples where the CPU is another's most of the time" steady enough
	diag "$(grep 'stood still' err)"
done
done_testing
