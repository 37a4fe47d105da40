#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record: several files, rings that keep the newest, windows of time, cgroups, what is
# looked at beside samples; and each option of other perfs that is refused, with its message.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
cd "$TMP" || exit 1

has_switched() { # FILE: a first one has its time
	ls "$1".20*
}
stats() { # FILE TYPE -> how many records
	"$PERF" report --stats -i "$1" 2>/dev/null | awk -v t="$2" '$1 == t { print $3; exit }'
}

# --- several files
# Again when a busy machine gave the program hardly any of a second: of each there are samples.
in_user_space() { # FILES: 50 samples in each
	for f; do
		[ "$("$PERF" script -i "$f" -F ip 2>/dev/null | grep -cE '^ +[0-9a-f]{1,12}$')" -ge 50 ] || return 1
	done
}
for _ in 1 2 3 4 5 6 7 8; do
	rm -f t.data.*
	out=$("$PERF" record -e cpu-clock -F 1000 --switch-output=1s -o t.data -- "$PERF" test -w noploop 2.6 2>&1)
	status=$?
	in_user_space t.data.* && break
done
is "--switch-output=1s ends with success" $status 0
set -- t.data.*
check "makes a file a second ($#)" test $# -ge 3
check "and leaves none without a time" test ! -e t.data
like "each is told" "$out" "Dump $1"
like "and the last line has the pattern" "$out" 'Captured and wrote [0-9.]+ MB t\.data\.<timestamp> \([0-9]+ samples\)'
for f; do
	like "$f: 14 digits and hundredths" "$f" '^t\.data\.20[0-9]{14}$'
	like "$f: names and maps of its own" "$("$PERF" script -i "$f" -F comm,ip,sym 2>/dev/null)" 'perf +[0-9a-f]+ noploop'
done
is "private too" "$(stat -c %a "$1")" 600
rm -f t.data.*

"$PERF" record -q -e cpu-clock -F 1000 --switch-output=1s --switch-max-files=2 -o m.data -- "$PERF" test -w noploop 3.6
set -- m.data.*
is "--switch-max-files keeps the last ones" $# 2

out=$("$PERF" record -e cpu-clock -F 20000 -g --switch-output=64K -o s.data -- "$PERF" test -w noploop 2 2>&1)
set -- s.data.*
check "a size switches too ($#)" test $# -ge 2
rm -f s.data.*

# A program that forks before the switch: its children are known in the files after it.
cat >kids.sh <<'E2'
"$PERF" test -w noploop 600 &
echo $! >kids
"$PERF" test -w noploop 600 &
echo $! >>kids
wait
E2
both_kids() { # FILE: prints their names and numbers
	"$PERF" script -i "$1" -F comm,pid,ip,sym 2>/dev/null | awk '/ noploop/ { print $1, $2 }' | sort -u
}
has_both() {
	[ "$(both_kids "$1" | grep -c '^perf')" = 2 ]
}
"$PERF" record -e cpu-clock -F 1000 --switch-output -o u.data -- sh kids.sh 2>u.err & pid=$!
wait_for has_both u.data
kill -USR2 $pid
wait_for has_switched u.data
wait_for has_both u.data
# shellcheck disable=SC2046
kill $(cat kids)
wait $pid
is "SIGUSR2 switches: the status is the command's" $? 0
set -- u.data.*
is "two files" $# 2
for f; do
	is "$f: both children by name" "$(both_kids "$f" | sed 's/perf //')" "$(sort kids)"
done
# Nor does a process that we are given have them yet.
mkfifo go
{ echo 'read -r _ <go'; cat kids.sh; } >later.sh
is_known() {
	[ "$(stats u.data COMM)" -ge 1 ]
}
sampled_both() { # FILE: often, with names or without
	[ "$("$PERF" script -i "$1" -F pid 2>/dev/null | tr -d ' ' | grep -xf kids | sort | uniq -c | awk '$1 > 20' | wc -l)" = 2 ]
}
rm -f kids u.data.*
sh later.sh & sh=$!
"$PERF" record -e cpu-clock -F 1000 --switch-output -p $sh -o u.data 2>u.err & pid=$!
wait_for is_known
echo >go
wait_for sampled_both u.data
kill -USR2 $pid
wait_for has_switched u.data
wait_for sampled_both u.data
# shellcheck disable=SC2046
kill $(cat kids)
wait $sh
wait $pid
set -- u.data.*
is "-p: two files" $# 2
for f; do
	is "$f: both children that came later by name" "$(both_kids "$f" | sed 's/perf //')" "$(sort kids)"
done
# Children that the events are not inherited by, from before or with -i, are in no file.
has_kids() {
	[ "$(grep -c . kids 2>/dev/null)" = 2 ]
}
alone() { # alone NAME SCRIPT OPTIONS...
	_name=$1
	rm -f kids u.data*
	sh "$2" & sh=$!
	shift 2
	[ $# -gt 0 ] || wait_for has_kids
	sleep 0.1 # more than a tick of the clock that tells when a process began
	"$PERF" record -e cpu-clock -F 1000 --switch-output -p $sh -o u.data "$@" 2>u.err & pid=$!
	wait_for is_known
	[ $# = 0 ] || echo >go
	wait_for has_kids
	kill -USR2 $pid
	wait_for has_switched u.data
	kill $pid
	wait $pid
	# shellcheck disable=SC2046
	kill $(cat kids)
	wait $sh
	set -- u.data.*
	is "$_name: two files" $# 2
	for f; do
		is "$_name: $f names what is recorded alone" "$(stats "$f" COMM)" 1
	done
}
alone "children from before" kids.sh
alone "-i" later.sh -i
# And where another thread than the first one forked them.
if command -v python3 >/dev/null; then
	cat >threads.py <<'E2'
import os, subprocess, threading
def fork():
    kid = subprocess.Popen([os.environ["PERF"], "test", "-w", "noploop", "600"])
    open("kids", "w").write("%d\n" % kid.pid)
    kid.wait()
t = threading.Thread(target=fork)
t.start()
t.join()
E2
	has_one() { # FILE: samples of it with their names
		[ "$("$PERF" script -i "$1" -F comm,pid,ip,sym 2>/dev/null | grep -c ' noploop')" -ge 1 ]
	}
	rm -f kids u.data.*
	"$PERF" record -e cpu-clock -F 1000 --switch-output -o u.data -- python3 -S threads.py 2>u.err & pid=$!
	wait_for has_one u.data
	kill -USR2 $pid
	wait_for has_switched u.data
	wait_for has_samples u.data 20
	# shellcheck disable=SC2046
	kill $(cat kids)
	wait $pid
	for f in u.data.*; do
		is "$f: the child of a second thread by name" "$(both_kids "$f" | sed 's/perf //')" "$(cat kids)"
	done
else
	skip "the child of a second thread" "needs python3"
fi
"$PERF" record -q -e cpu-clock --timestamp-filename -o w.data -- true
set -- w.data.*
is "--timestamp-filename" "$#$(ls w.data 2>/dev/null)" 1

# --- the newest only
"$PERF" record -q -e cpu-clock -F 2000 -C 0 --overwrite -m 4 -o o.data -- "$PERF" test -w noploop 2
like "--overwrite: the attrs say so" "$("$PERF" evlist -v -i o.data)" 'write_backward: 1'
n=$(samples o.data)
check "a ring of 16 kB holds less than all ($n)" test "$n" -gt 20 -a "$n" -lt 1500
"$PERF" script -i o.data -F time 2>/dev/null | sort -c -n
is "in the order of time" $? 0
first=$("$PERF" script -i o.data -F time 2>/dev/null | tr -d ' :' | sed -n 1p)
last=$("$PERF" script -i o.data -F time 2>/dev/null | tr -d ' :' | sed -n '$p')
check "from the end of the two seconds ($first to $last)" awk "BEGIN { exit !($last - $first < 1.5) }"
"$PERF" record -e cpu-clock -F 1000 -a --overwrite --switch-output -o b.data 2>b.err & pid=$!
wait_for is_open $pid
sleep 1
kill -USR2 $pid
wait_for has_switched b.data
sleep 1
kill -INT $pid
wait $pid
set -- b.data.*
is "a flight recorder: two files" $# 2
is "no sample is in both" "$(for f; do "$PERF" script -i "$f" -F cpu,time,tid 2>/dev/null; done | sort | uniq -d)" ''
for f; do
	check "$f: maps of what ran ($(stats "$f" MMAP2))" test "$(stats "$f" MMAP2)" -gt 5
	check "$f: samples" test "$(samples "$f")" -gt 10
	is "$f: which were looked for at its begin and at its end" "$("$PERF" report -D -i "$f" 2>/dev/null |
		grep -aoE 'PERF_RECORD_(FINISHED_INIT|MMAP2)' | uniq | tr '\n' ' ')" \
		"PERF_RECORD_MMAP2 PERF_RECORD_FINISHED_INIT PERF_RECORD_MMAP2 "
done

# --- windows of time
# Samples before and behind the widest gap, which is two seconds but for what the recorder is late.
on_off_on() {
	"$PERF" record -q -e cpu-clock -F 5000 -D 500-1000,3000-3500 -o d.data -- \
		"$PERF" test -w noploop 5
	"$PERF" script -i d.data -F time 2>/dev/null | tr -d ' :' | awk '
		{ gap = NR > 1 ? $1 - last : 0; last = $1 }
		gap > widest { widest = gap; before = NR - 1 }
		END { print before, widest, NR - before
		exit !(before > 50 && widest > 1.2 && widest < 2.8 && NR - before > 50) }'
}
check "-D 500-1000,3000-3500: on, off, on" steady on_off_on
like "with the maps of the time between" "$("$PERF" script -i d.data -F ip,sym 2>/dev/null)" noploop

# --- cgroups
CG=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
if [ -n "$CG" ] && ! grep -q '^[^ ]* [^ ]* cgroup .*perf_event' /proc/mounts && mkdir "$CG/perf-test.$$" 2>/dev/null; then
	cat >cg.sh <<'E2'
echo $$ >"$1/cgroup.procs"
exec "$PERF" test -w noploop 600
E2
	sh cg.sh "$CG/perf-test.$$" & pid=$!
	wait_for grep -q -- -w "/proc/$pid/cmdline"
	"$PERF" record -q -a -e cpu-clock -F 1000 -G perf-test.$$ --all-cgroups -o g.data -- $(while_runs $pid 50)
	is "-G: samples of the group only" "$("$PERF" script -i g.data -F pid 2>/dev/null | sort -u | tr -d ' ')" $pid
	like "--all-cgroups: its name" "$("$PERF" script -i g.data -F cgroup 2>/dev/null)" "/perf-test.$$"
	check "-G, one name per event" "$PERF" record -q -a -e cpu-clock,page-faults -G ",perf-test.$$" -o g.data -- sleep 0.2
	like "an empty one is everybody" "$("$PERF" script -i g.data -F pid,event 2>/dev/null | grep cpu-clock)" "[0-9]"
	check_status "more groups than events" 129 "$PERF" record -a -e cpu-clock -G "perf-test.$$,perf-test.$$" -o no.data true
	kill $pid
	wait $pid 2>/dev/null
	wait_for rmdir "$CG/perf-test.$$"
else
	skip "cgroups" "no cgroup2 in which a group can be made"
fi

# --- what is looked at beside samples
# Of one that sleeps: what starts beside us would have maps, too.
sleep 600 & pid=$!
wait_for grep -q sleep "/proc/$pid/comm"
maps() {
	"$PERF" record -q -p $pid -e cpu-clock "$@" -o y.data -- true
	_nr=$(stats y.data MMAP2)
	echo "${_nr:-0}"
}
is "--synth no looks at nobody" "$(maps --synth no)" 0
is "--synth task leaves maps out" "$(maps --synth task)" 0
check "they are there without ($(maps))" test "$(maps)" -gt 1
kill $pid
wait $pid 2>/dev/null
attrs() {
	"$PERF" record -q -o a.data "$@" -- true >/dev/null 2>&1
	"$PERF" evlist -v -i a.data
}
like "--sample-identifier" "$(attrs -e cpu-clock --sample-identifier)" 'sample_type: [A-Z|]*IDENTIFIER'
like "--running-time" "$(attrs -e '{cpu-clock,page-faults}:S' --running-time)" 'read_format: TOTAL_TIME_ENABLED\|TOTAL_TIME_RUNNING\|ID\|GROUP'
like "--no-buffering" "$(attrs -e cpu-clock --no-buffering)" 'wakeup_events.*: 1'
unlike "--no-bpf-event" "$(attrs -e cpu-clock --no-bpf-event)" 'bpf_event'
like "--data-mmap" "$(attrs -e cpu-clock --data-mmap)" 'mmap_data: 1'
like "--latency" "$(attrs -e cpu-clock --latency)" 'context_switch: 1'
attrs -e page-faults --transaction >/dev/null # which evlist does not name
like "--transaction" "$("$PERF" report -D -i a.data 2>/dev/null)" '^\.\.\. transaction: 0'
like "--sample-mem-info" "$(attrs -e page-faults --sample-mem-info)" 'DATA_SRC'
unlike "--no-timestamp" "$(attrs -e cpu-clock --no-timestamp)" 'sample_type: [A-Z|]*TIME'
unlike "--no-period" "$(attrs -e cpu-clock --no-period)" 'sample_type: [A-Z|]*PERIOD'
if [ "$(readlink /proc/self/ns/pid)" != "pid:[4026531836]" ]; then # not the first one
	skip "--exclude-perf" "tracepoints know us by another number than our own namespace"
elif "$PERF" record -q -e sched:sched_switch -a -o x.data -- true 2>/dev/null; then
	"$PERF" record -q -a -e sched:sched_switch --exclude-perf -o x.data -- sleep 0.3 & pid=$!
	wait $pid
	is "--exclude-perf" "$("$PERF" script -i x.data -F pid 2>/dev/null | tr -d ' ' | grep -c "^$pid$")" 0
else
	skip "--exclude-perf" "no tracepoints here"
fi
if command -v chrt >/dev/null && ! chrt -f 1 true 2>/dev/null; then
	skip "-r" "no process becomes real-time here (a cgroup without such time, no CAP_SYS_NICE)"
else
	check "-r" "$PERF" record -q -r 1 -e cpu-clock -o r.data -- true
fi

# --- refused, with a reason, before anything is recorded
refused() { # ERE OPTIONS...
	_want=$1
	shift
	_out=$("$PERF" record -o no.data "$@" true 2>&1)
	is "$*: a usage error" $? 129
	like "$*: says why" "$_out" "$_want"
}
refused 'no AUX area tracing' -S
refused 'no AUX area tracing' --snapshot=e
refused 'no AUX area tracing' --aux-sample
refused 'needs a directory' --kcore
refused 'one thread empties all rings' --threads
refused 'BPF programs' --off-cpu
refused 'BPF programs' --off-cpu-thresh=500
refused 'no event can switch' --switch-output-event=cpu-clock
refused 'no BPF filters' --setup-filter=pin
refused 'perf report -k' --vmlinux=/boot/vmlinux
refused "not 'soon'" --switch-output=soon
refused "not '30'" --switch-output=30
like "... and what to write" "$_out" 'write 30B \(or K, M, G\) or 30s \(or m, h, d\)'
refused "not '30'" --max-size=30
like "... and what to write" "$_out" 'write 30B, 30K, 30M or 30G'
refused 'goes with --switch-output' --switch-max-files=3
refused 'a stream \(-o -\) has no name' --switch-output -o -
refused 'does not go with registers' --overwrite --reg-source=ptrace --user-regs=ip
refused 'priority from 1 to 99' -r 100
refused 'cannot set frequency and period at the same time' -F 99 -c 1000
refused 'not a range behind' -D 20-10
refused 'not a range behind' -D 10-20,15-30
refused 'no event in front' -G x
refused 'cannot open the cgroup|no hierarchy' -a -e cpu-clock -G no/such/group
refused 'goes with -a or -C' -e cpu-clock -G ''
refused 'not about CPUs' --latency -a
refused 'task, mmap, cgroup' --synth=tasks
refused 'sys, node or cpu' --affinity=core
refused 'no tracepoint in front' -e cpu-clock --exclude-perf
check "no refusal leaves a file" test ! -e no.data
done_testing
