#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record: kinds of events, groups, filters, breakpoints, what samples hold, messages.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
cd "$TMP" || exit 1

rec() { # OPTIONS... : records into e.data, messages in e.err
	rm -f e.data
	"$PERF" record -o e.data "$@" >e.out 2>e.err
}
fields() {
	"$PERF" script -i e.data -F "$1" 2>/dev/null
}
attrs() {
	"$PERF" evlist -v -i e.data 2>/dev/null
}

# --- tracepoints
if [ -d /sys/kernel/tracing/events ] || mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null; then
	check "a tracepoint" rec -e sched:sched_switch -a -- sleep 0.3
	like "has its fields" "$(fields event,trace)" 'sched:sched_switch: +(prev_comm=|.*==>)'
	made_file file-to-pipe e.data tp.pipe attr
	like "and its name from the tracing data, where nothing else has it" \
		"$("$PERF" evlist -i tp.pipe 2>&1)" '^sched:sched_switch'
	check "a glob of tracepoints" rec -e 'sched:sched_process_*' -- sh -c 'true; (true)'
	check "makes several events" test "$("$PERF" evlist -i e.data | wc -l)" -gt 3
	like "that came" "$(fields event)" 'sched:sched_process_exec'
	check "a filter" rec -e sched:sched_switch --filter 'prev_comm == "sleep"' -a -- sleep 0.3
	# by its own fields: a thread that was reaped before its last switch has no number, and no name
	is "lets nothing else through" "$(fields trace | sed 's/^ *prev_comm=//; s/[ :].*//' | sort -u)" sleep
	check_status "a bad filter is refused" 1 "$PERF" record -o no.data -e sched:sched_switch --filter 'no_such_field > 0' true
	like "with the event and the filter" "$("$PERF" record -o no.data -e sched:sched_switch --filter 'no_such_field > 0' true 2>&1)" "sched:sched_switch: the kernel refused the filter 'no_such_field > 0'"
	check_status "a filter without a tracepoint is refused" 129 "$PERF" record -o no.data -e cpu-clock --filter 'x > 0' true
	like "an unknown tracepoint suggests" "$("$PERF" record -e sched:sched_swich true 2>&1)" 'Did you mean sched:sched_switch'
	check "tracepoint and clock together" rec -e cpu-clock,sched:sched_switch -a -g -- sleep 0.3
	like "both come" "$(fields event | sort -u | tr '\n' ' ')" 'cpu-clock.*sched:sched_switch'
else
	skip "tracepoints" "tracefs cannot be mounted here"
fi

# --- breakpoints
check "a breakpoint opens" rec -e mem:0x1000:w:u -- true
like "and is one" "$(attrs)" 'type: 5.*bp_type: 2'

# --- software events and groups
check "several events" rec -e page-faults,cs -e minor-faults:u -- "$PERF" test -w noploop 0.1
is "in order" "$("$PERF" evlist -i e.data | tr '\n' ' ')" 'page-faults cs minor-faults:u '
check "a group read at once" rec -e '{cpu-clock,page-faults}:S' -- "$PERF" test -w noploop 0.3
like "holds one sampling event" "$(attrs)" 'read_format: ID\|GROUP\|LOST'
like "shows as a group" "$("$PERF" evlist -g -i e.data)" '\{cpu-clock,page-faults\}'
check "a group without S" rec -e '{cpu-clock,task-clock}' -- "$PERF" test -w noploop 0.2
is "samples both" "$(fields event | tr -d ' :' | sort -u | tr '\n' ' ')" 'cpu-clock task-clock '
check "a name of one's own" rec -e cpu-clock/name=mine,period=500000/u -- "$PERF" test -w noploop 0.2
is "is used" "$("$PERF" evlist -i e.data)" mine
like "and the period of one's own" "$(attrs)" 'sample_period, sample_freq \}: 500000'

# --- user, kernel
check "--all-user" rec -e cpu-clock --all-user -F 5000 -- "$PERF" test -w noploop 0.3
unlike "has no kernel address" "$(fields ip)" 'ffffffff[89a-f]'
check "--all-kernel" rec -e cpu-clock --all-kernel -F 5000 -- sh -c 'i=0; while [ $i -lt 50 ]; do (:); i=$((i+1)); done'
unlike "has no user address" "$(fields ip)" '^ +[0-9a-f]{1,12}$'

# --- call chains
check "-g" rec -e cpu-clock -g -F 2000 -- "$PERF" test -w leafloop 1
like "finds the callers" "$("$PERF" script -i e.data -F ip,sym 2>/dev/null | tr '\n' ' ')" 'leaf .*parent'
check "--call-graph dwarf" rec -e cpu-clock --call-graph dwarf,4096 -F 500 -- "$PERF" test -w leafloop 1
like "copies registers and stack" "$(attrs)" 'sample_stack_user: 4096'
check "-g behind --call-graph keeps it" rec -e cpu-clock --call-graph dwarf,64000 -g -F 99 -- "$PERF" test -w noploop 0.2
like "as GUIs call it" "$(attrs)" 'sample_stack_user: 64000'
check "--kernel-callchains" rec -e cpu-clock -g --kernel-callchains -- true
like "leave the user part out" "$(attrs)" 'exclude_callchain_user: 1'
check_status "an unknown mode" 129 "$PERF" record --call-graph drawf true

# --- what a sample holds
check "-d -T -P -s" rec -e page-faults -c 1 -d -T -P -s -- true
like "addresses" "$(attrs)" 'ADDR.*DATA_SRC'
check "--sample-cpu" rec -e cpu-clock --sample-cpu -- true
like "the CPU" "$(attrs)" 'sample_type: [A-Z|]*CPU'
check "-k mono" rec -e cpu-clock -k CLOCK_MONOTONIC -- true
like "uses that clock" "$(attrs)" 'use_clockid: 1.*clockid: 1'
like "and says how it relates to the day" "$("$PERF" report --header-only -I -i e.data 2>/dev/null)" 'clockid'
check_status "an unknown clock" 129 "$PERF" record -k sundial true
check "--switch-events" rec -e cpu-clock --switch-events -a -- sleep 0.2
like "come" "$("$PERF" report --stats -i e.data 2>/dev/null)" 'SWITCH'
check "--namespaces" rec -e cpu-clock --namespaces -a -- sleep 0.2
like "come" "$("$PERF" report --stats -i e.data 2>/dev/null)" 'NAMESPACES'
begin=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'print clock_gettime(CLOCK_MONOTONIC)')
check "-D" rec -e cpu-clock -F 5000 -k mono -D 400 -- "$PERF" test -w noploop 1
first=$(fields time | tr -d ' :' | sed -n 1p)
n=$(fields ip | grep -c .)
check "starts later (from $begin: $first, $n samples)" test \
	"$(awk "BEGIN { print (${first:-0} - $begin >= 0.4) }")$((n > 100))" = 11
like "and knows the maps made before" "$(fields ip,sym)" noploop

# --- rates
LIMIT=/proc/sys/kernel/perf_event_max_sample_rate
freq() {
	attrs | sed -n '1s/.*sample_freq }: \([0-9]*\).*/\1/p'
}
# The kernel lowers it by itself when interrupts take long: looked at in between, it may be any.
at_the_limit() {
	before=$(cat $LIMIT)
	with_standin full record -q -o e.data -e cycles -F max -- true
	got=$(freq) after=$(cat $LIMIT)
	echo "$got, and the limit $before before, $after after"
	[ "$got" = "$before" ] || [ "$got" = "$after" ]
}
if has_standin; then
	check "-F max of a counter is the kernel's limit" steady at_the_limit
else
	skip "-F max of a counter is the kernel's limit" "the stand-in stands for an x86-64 kernel"
fi
# A kernel that has lowered its limit below the default: another file in its place, in a namespace of its own.
limited() { # options...
	unshare -m sh -c 'mount --bind limit "$1" && shift && exec "$@"' sh "$LIMIT" "$PERF" record -o e.data "$@" -- true
}
echo 1000 >limit
if unshare -m mount --bind limit $LIMIT 2>/dev/null; then
	out=$(limited -e cpu-clock 2>&1)
	is "a limit below the default: recorded" $? 0
	is "... at that" "$(freq)" 1000
	is "... once said" "$(echo "$out" | grep -c 'Lowering default frequency rate from 4000 to 1000')" 1
	for rate in "a period:-c 1000000" "a lower rate:-F 500"; do
		# shellcheck disable=SC2086
		out=$(limited -e cpu-clock ${rate#*:} 2>&1)
		is "... not where ${rate%:*} is asked for" "$? $(echo "$out" | grep -c Lowering)" "0 0"
	done
else
	skip "a limit below the default" "nothing can be mounted here"
fi
# Of a clock it is what leaves the program time to run.
capped() { # NAME options...: -F max of a clock
	name=$1
	shift
	limit=$(cat $LIMIT)
	rec "$@" -- true
	is "$name: recorded" $? 0
	check "$name: at most 10000 ($(freq))" test "$(freq)" -le 10000
	if [ "$limit" -gt 10000 ]; then
		is "$name: once said" "$(grep -c 'the most for a clock is 10000 samples per second' e.err)" 1
	else
		skip "$name: once said" "the kernel's own limit is $limit here"
	fi
}
capped "-F max of a clock" -e cpu-clock -F max
capped "of a clock per thread" --per-thread -e task-clock -F max
capped "as a term" -e cpu-clock/freq=max/
if ! has_cycles; then
	capped "of the clock in place of a counter" -F max
	capped "that was named" -e cycles -F max
else
	skip "of the clock in place of a counter" "this machine has counters"
fi
rec -e cpu-clock -F 12000 -- true
if grep -q 'Maximum frequency rate' e.err; then
	skip "-F N of a clock is taken as it is" "the kernel's own limit is lower here"
else
	is "-F N of a clock is taken as it is" "$(freq)" 12000
fi
check "-F beyond the limit" rec -e cpu-clock -F 99999999 -- true
like "is lowered and said" "$(cat e.err)" 'Maximum frequency rate'
check_status "--strict-freq refuses" 1 "$PERF" record --strict-freq -F 99999999 -e cpu-clock true
check "-c" rec -e page-faults -c 3 -- true
unlike "has no frequency" "$(attrs)" 'freq: 1'
check "an option and its value in one word" rec -q -e cpu-clock "-F 99" -g -- true
like "is understood" "$(attrs)" 'sample_freq }: 99'

# --- words behind options that take none
branches() {
	attrs | sed -n '1s/.*branch_sample_type: \([A-Z_|]*\).*/\1/p'
}
mkdir bin
printf '#!/bin/sh\necho ran >&2\n' >bin/fp
chmod +x bin/fp
check "-g dwarf" rec -g dwarf -e cpu-clock -- true
like "is --call-graph dwarf" "$(attrs)" 'STACK_USER'
like "and is said" "$(cat e.err)" '^-g dwarf: taken as --call-graph dwarf$'
check "-g dwarf,16384" rec -e cpu-clock -g dwarf,16384 true
like "takes a size" "$(attrs)" 'sample_stack_user: 16384'
check "-g fp, where there is such a program" env PATH="$TMP/bin:$PATH" "$PERF" record -o e.data -e cpu-clock -g fp
unlike "runs it" "$(cat check.out)" 'taken as'
check_status "-g -- dwarf: that is the command" 127 "$PERF" record -o no.data -e cpu-clock -g -- dwarf true
check_status "-g nonsense: that too" 127 "$PERF" record -o no.data -e cpu-clock -g nonsense true
if "$PERF" record -q -b -o e.data true 2>/dev/null; then
	check "-b any_call" rec -b any_call -- true
	like "is -j any_call" "$(branches)" 'ANY_CALL'
	like "and is said too" "$(cat e.err)" '^-b any_call: taken as -j any_call$'
	check "-b any,u and more options" rec -b any,u -e cpu-clock:u -g fp true
	like "which count" "$("$PERF" evlist -i e.data)" '^cpu-clock:u'
else
	skip "-b any" "no branches can be recorded here"
fi

# --- messages
out=$("$PERF" record --branch-source=hardware -e cpu-clock -b -o no.data true 2>&1)
like "branches on a software event" "$out" "cpu-clock: PMU Hardware or event type doesn't support branch stack sampling"
check "leave no file" test ! -e no.data
like "-b and -j together" "$("$PERF" record -b -j any true 2>&1)" "Can't use --branch-any"
like "-j twice" "$("$PERF" record -j any_call -j any_ret -o no.data true 2>&1)" "-j takes a list: -j any_call,any_ret"
like "an unknown event points at the place" "$("$PERF" record -e cpu-clock,cylces true 2>&1)" "^ +.___ unknown event 'cylces'"
like "-vv prints the attr" "$("$PERF" record -vv -e cpu-clock -o v.data true 2>&1)" 'cpu-clock: type: 1.*sample_type: IP'
like "-v says nothing of the sort" "$("$PERF" record -v -e cpu-clock -o v.data true 2>&1)" 'Captured'
is "-q says nothing" "$("$PERF" record -q -e cpu-clock -o v.data true 2>&1)" ''
done_testing
