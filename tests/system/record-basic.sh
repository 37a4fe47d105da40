#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf record: programs, processes, threads, machines; exit statuses; what the losses say.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
cd "$TMP" || exit 1

# --- a program
out=$("$PERF" record -e cpu-clock -F 1000 -o a.data -- "$PERF" test -w noploop 1 2>&1)
is "record exits like its command (0)" $? 0
like "says how often it woke up" "$out" '^\[ perf record: Woken up [0-9]+ times to write data \]$'
like "says what was captured" "$out" '^\[ perf record: Captured and wrote [0-9]+\.[0-9]{3} MB a\.data \([0-9]+ samples\) \]$'
told=$(printf '%s\n' "$out" | sed -n 's/.*(\([0-9]*\) samples).*/\1/p')
is "the file holds as many samples as were told" "$(samples a.data)" "$told"
like "the workload's function is in it" "$("$PERF" script -i a.data -F ip,sym 2>&1)" 'noploop'
is "the file is private (0600)" "$(stat -c %a a.data)" 600
"$PERF" record -q -e cpu-clock:u -o u.data -- true
is "events that leave the kernel out: no map of it" \
	"$("$PERF" script --show-mmap-events -i u.data 2>/dev/null | grep -c 'kernel\.kallsyms')" 0

# --- the default event
out=$("$PERF" record -o d.data -- true 2>&1)
is "the default event opens" $? 0
if has_cycles; then
	like "cycles at the highest precision" "$("$PERF" evlist -i d.data)" '^cycles'
else
	like "no counters: says that it falls back" "$out" 'cycles.*recording cpu-clock in its place'
	is "and records cpu-clock" "$("$PERF" evlist -i d.data)" cpu-clock
	like "per thread it is task-clock" "$("$PERF" record --per-thread -o d.data -- true 2>&1)" 'task-clock in its place'
	check_status "cycles are refused where no clock may stand for them" 1 "$PERF" record --no-fallback -e cycles -o no.data true
	check "and nothing is left behind" test ! -e no.data
fi

# --- status of the command
check_status "exit status of the command" 7 "$PERF" record -q -e cpu-clock -o s.data -- sh -c 'exit 7'
sh -c '"$PERF" record -q -e cpu-clock -o s.data -- sh -c "kill -9 \$\$"; exit $?' >/dev/null 2>&1
is "signal of the command" $? 137
cp a.data keep.data
check_status "a command that is not there" 127 "$PERF" record -e cpu-clock -o keep.data /nonexistent/program
check "leaves the earlier recording in place" cmp a.data keep.data
check_status "a command that may not be executed" 126 "$PERF" record -e cpu-clock -o s2.data /etc/passwd
check "leaves no file" test ! -e s2.data
check_status "unknown option" 129 "$PERF" record --no-such-option true
check_status "--help is a success" 0 "$PERF" record --help
like "--help on stdout names what GUIs look for" "$("$PERF" record --help 2>/dev/null)" '--switch-events'
like "and" "$("$PERF" record --help 2>/dev/null)" '--sample-cpu'

# --- inheriting
"$PERF" record -q -e cpu-clock -F 2000 -o i.data -- sh -c '"$PERF" test -w noploop 0.3; "$PERF" test -w noploop 0.3; :'
is "children are inherited" "$("$PERF" script -i i.data -F pid,ip,sym 2>/dev/null | awk '/noploop/ { print $1 }' | sort -u | wc -l)" 2
"$PERF" record -q -i -e cpu-clock -F 2000 -o n.data -- sh -c '"$PERF" test -w noploop 0.3; :'
unlike "-i leaves them out" "$("$PERF" script -i n.data -F ip,sym 2>/dev/null)" noploop
"$PERF" record -q -e cpu-clock -F 2000 -o t.data -- "$PERF" test -w thloop 1 2 2>/dev/null
is "threads are inherited" "$("$PERF" script -i t.data -F tid,ip,sym 2>/dev/null | awk '/test_loop/ { print $1 }' | sort -u | wc -l)" 2

# --- a process, its threads, all processes
"$PERF" test -w noploop 600 & pid=$!
wait_for grep -q -- -w "/proc/$pid/cmdline" # perf itself, not the shell before it
"$PERF" record -q -e cpu-clock -F 1000 -p $pid -o p.data -- $(while_runs $pid 50)
is "-p records that process only" "$("$PERF" script -i p.data -F pid 2>/dev/null | sort -u | tr -d ' ')" $pid
like "with symbols of maps that were there before" "$("$PERF" script -i p.data -F ip,sym 2>/dev/null)" noploop
"$PERF" record -q -e cpu-clock -F 1000 -t $pid -o p.data -- $(while_runs $pid 30)
like "-t records a thread" "$("$PERF" script -i p.data -F ip,sym 2>/dev/null)" noploop
"$PERF" record -q -e cpu-clock -F 1000 -u 0 -o u.data -- $(while_runs $pid 30)
like "-u records a user's processes" "$("$PERF" script -i u.data -F ip,sym 2>/dev/null)" noploop
"$PERF" record -q -e cpu-clock -F 1000 -a -o all.data -- $(while_runs $pid 50)
like "-a records everything" "$("$PERF" script -i all.data -F pid,ip,sym 2>/dev/null)" "$pid .*noploop"
"$PERF" record -q -e cpu-clock -F 1000 -C 0 -o c.data -- sleep 0.5
is "-C 0 records CPU 0 only" "$("$PERF" script -i c.data -F cpu 2>/dev/null | sort -u | tr -d ' ')" '[000]'
"$PERF" record -q -e cpu-clock -F 1000 -p $pid -o e.data & rec=$!
wait_for has_samples e.data 10
kill $pid
wait $pid 2>/dev/null
wait $rec
is "a process that ends, ends the recording" $? 0
check "with its samples" test "$(samples e.data)" -gt 10
out=$("$PERF" record -e cpu-clock -p $pid -o gone.data 2>&1)
is "a process that is gone is an error" $? 1
like "which says so" "$out" "process $pid does not exist"

# --- signals close the file
for sig in HUP:129 INT:130 TERM:143; do
	want=${sig#*:} sig=${sig%:*}
	"$PERF" record -e cpu-clock -F 1000 -a -o sig.data 2>sig.err & pid=$!
	wait_for has_samples sig.data 0
	kill -$sig $pid
	wait $pid
	status=$?
	like "SIG$sig closes the recording" "$(cat sig.err)" 'Captured and wrote'
	is "SIG$sig is passed on" $status "$want"
	check "SIG$sig: the file is whole" has_samples sig.data 0
	rm sig.data
done

# --- killed
"$PERF" record -e cpu-clock -F 2000 -a -o k.data 2>/dev/null & pid=$!
wait_for has_samples k.data 1000
kill -9 $pid
wait $pid 2>/dev/null
check "kill -9 leaves a readable file" has_samples k.data 1000

# --- counted, not sampled; dry
"$PERF" record -q -e cpu-clock -n -o n.data -- true
is "-n takes no samples" "$(samples n.data)" 0
check "--dry-run opens the events" "$PERF" record --dry-run -e cpu-clock -o dry.data true
check "and writes no file" test ! -e dry.data

# --- losses
out=$("$PERF" record -e cpu-clock -F 20000 -g -m 1 -a -o l.data -- "$PERF" test -w noploop 1 2>&1)
if printf '%s' "$out" | grep -q 'lost'; then
	like "losses name the cause and the way out" "$out" 'lost [0-9]+ records, [0-9]+ of them samples: rings of [0-9]+ kB were full; try -m'
else
	skip "losses name the cause and the way out" "nothing was lost at 20 kHz into 4 kB"
fi
done_testing
