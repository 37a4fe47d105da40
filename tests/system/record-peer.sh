#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Another perf reads our recordings and says nothing that it does not say of its own.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
need_peer
cd "$TMP" || exit 1
export DEBUGINFOD_URLS=

# Messages of PEER on stderr, with what is bound to differ taken out: names, and that a busy
# machine lost records ("Warning:", "Processed 1 events and lost 2 chunks!", an empty line,
# "Check IO/CPU overload!"; or how many samples, without the last).
messages() { # FILE
	{
		"$PEER" script -i "$1" >"$1.script"
		"$PEER" report --stdio -i "$1" >"$1.report"
		"$PEER" evlist -v -i "$1" >"$1.evlist"
		"$PEER" report --header-only -I -i "$1" >"$1.header"
		"$PEER" buildid-list -i "$1" >"$1.ids"
	} 2>&1 | perl -0777 -pe "s/$1/FILE/g;"'
		s/^(?:Warning:\n)?Processed \d+ (?:events|samples) and lost .*\n\n?(?:Check IO.CPU overload!\n\n?)?//mg' |
		sort -u
}

n=0
both() { # NAME WORD OPTIONS... : the same with both recorders
	name=$1 want=$2
	shift 2
	n=$((n + 1))
	"$PERF" record -q -o ours$n "$@" >/dev/null 2>&1
	messages ours$n >ours.msg
	if peer_record -q -o theirs$n "$@" >/dev/null 2>theirs.err; then
		messages theirs$n | sed 's/theirs/ours/g' >theirs.msg
		is "$name: no message of its own" "$(comm -23 ours.msg theirs.msg)" ''
	else
		skip "$name: no message of its own" "the installed perf does not record this: $(head -1 theirs.err)"
	fi
	like "$name: report" "$(cat ours$n.report)" "$want"
	check "$name: script prints samples" test -s ours$n.script
	check "$name: evlist -v" test -s ours$n.evlist
	like "$name: header" "$(cat ours$n.header)" '# cmdline : .*record'
}

work="$PERF test -w noploop 0.3"
both "clock" noploop -e cpu-clock $work
both "chains" noploop -e cpu-clock -g $work
both "dwarf" noploop -e cpu-clock --call-graph dwarf -F 500 $work
both "all CPUs" '[0-9]%' -e cpu-clock -a sleep 0.3
both "group" noploop -e '{cpu-clock,page-faults}:S' $work
both "several events" noploop -e cpu-clock,page-faults $work
both "data addresses" '[0-9]%' -e page-faults -c 1 -d $work
both "compressed" noploop -e cpu-clock -z $work
both "user only" noploop -e cpu-clock:u $work
both "per thread" noploop -e cpu-clock --per-thread $work
both "clock id" noploop -e cpu-clock -k mono $work
if [ -d /sys/kernel/tracing/events ]; then
	both "tracepoint" 'sched_switch|[0-9]%' -e sched:sched_switch -a sleep 0.3
else
	skip "tracepoint" "tracefs is not mounted"
fi
if [ -s theirs1.header ]; then
	missing=$(sed -n 's/^# missing features: //p' ours1.header | tr ' ' '\n' | sort)
	theirs=$(sed -n 's/^# missing features: //p' theirs1.header | tr ' ' '\n' | sort)
	printf '%s\n' "$missing" >m1
	printf '%s\n' "$theirs" >m2
	# Empty here: BPF programs are not looked up, and a PMU without capabilities has nothing to tell.
	# Where there is no core PMU the other sometimes writes empty lists of its capabilities.
	empty='BPF_PROG_INFO|BPF_BTF|PMU_CAPS'
	[ -e /sys/bus/event_source/devices/cpu ] || empty="$empty|CPU_PMU_CAPS|HYBRID_TOPOLOGY"
	# A machine that tells of no caches: the other writes that there are none.
	[ -e /sys/devices/system/cpu/cpu0/cache ] || empty="$empty|CACHE"
	is "no feature that the other writes is missing" "$(comm -23 m1 m2 | grep -vE "^($empty|)$")" ''
else
	skip "no feature that the other writes is missing" "the installed perf does not record here"
fi
like "build ids are listed" "$(cat ours1.ids)" '^[0-9a-f]{40} .*perf'

# A stream, live.
out=$("$PERF" record -q -e cpu-clock -F 1000 -o - -- "$PERF" test -w noploop 0.3 2>/dev/null | "$PEER" script -i - 2>stream.err)
like "a stream is read" "$out" noploop
is "without a message" "$(cat stream.err)" ''
done_testing
