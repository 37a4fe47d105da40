#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf report: options beside keys and filters: counts of threads, switches, the progress line on a
# terminal, layouts of objects, options that are accepted or refused.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
H=$O/tests/helpers
[ -x "$H/report-cpp" ] || skip_all "helper programs are not built: make tests"
SLOW="python3 $ROOT/tests/helpers/slow-pipe.py"

# ---- progress: on a terminal, for work of more than a second, gone before anything is printed
# shellcheck disable=SC2086
$SLOW tty "$PERF" report --stdio -i - >"$TMP/tty" 2>"$TMP/err"
is "progress: the report comes" "$?" 0
like "progress: how far it is" "$(cat "$TMP/tty")" '<CR>Reading [0-9]+ MB'
like "progress: gone before the report" "$(cat "$TMP/tty")" '^(<CR>Reading [0-9]+ MB)+<CR> +<CR># To display'
unlike "progress: not shown again" "$(sed 1d "$TMP/tty")" '<CR>'
# shellcheck disable=SC2086
$SLOW file "$PERF" report --stdio -i - >"$TMP/file" 2>"$TMP/err"
unlike "progress: only on a terminal" "$(cat "$TMP/file")" 'Reading|<CR>'
# script and data convert: the same while their output goes elsewhere
for what in "script -i - >$TMP/data" "data convert --to folded -i - -o $TMP/data" \
	"data convert --to json -i - >$TMP/data" "data convert --check -i - >$TMP/data"; do
	# shellcheck disable=SC2086
	$SLOW tty sh -c "'$PERF' $what" >"$TMP/tty" 2>"$TMP/err"
	like "progress: ${what% >*}" "$(head -1 "$TMP/tty")" '^(<CR>Reading [0-9]+ MB)+<CR> +<CR>'
	check "progress: ${what% >*}: there is output" test -s "$TMP/data"
done
# shellcheck disable=SC2086
$SLOW tty "$PERF" script -i - >"$TMP/tty" 2>"$TMP/err"
unlike "progress: not among samples on a terminal" "$(cat "$TMP/tty")" 'Reading'
# ---- no samples
MEM=$TMP/mem.data
made_file mem-file "$H/report-cpp" "$MEM" || skip_all "cannot write $MEM"
"$PERF" report -i "$MEM" -C 9 >"$TMP/out" 2>"$TMP/err"
like "no samples: a message" "$(cat "$TMP/err")" 'The .*mem.data data has no samples!'
unlike "no samples: no table" "$(cat "$TMP/out")" 'Total Lost'

# ---- colours: where a terminal is, unless it wants none
esc=$(printf '\033')
# shellcheck disable=SC2086
colours() { $SLOW "$@" 2>&1 | grep -c "$esc\[3[12]m.*%$esc\[m"; }
is "colours on a terminal" "$([ "$(colours tty "$PERF" report --stdio -g none -i "$MEM")" -gt 0 ] && echo yes)" yes
is "none in a file" "$(colours file "$PERF" report -g none -i "$MEM")" 0
is "none with NO_COLOR" "$(NO_COLOR=1 colours tty "$PERF" report --stdio -g none -i "$MEM")" 0
is "none with --stdio-color never" "$(colours tty "$PERF" report --stdio --stdio-color never -i "$MEM")" 0
is "none in JSON" "$(colours tty "$PERF" report --json -i "$MEM")" 0
is "... in a file with always" "$([ "$(colours file "$PERF" report --stdio-color always -i "$MEM")" -gt 0 ] &&
	echo yes)" yes
check_status "another mode" 129 "$PERF" report --stdio-color rainbow -i "$MEM"
like "another mode: which there are" "$(cat "$TMP/check.out")" 'auto, always or never, not .rainbow'
# ---- CSV: the values of JSON, one line for a row
csv_like_json() { # csv_like_json OPTION...
	"$PERF" report -i "$MEM" "$@" --csv >"$TMP/csv" 2>"$TMP/err" &&
		"$PERF" report -i "$MEM" "$@" --json -g none >"$TMP/json" 2>"$TMP/err" &&
		python3 - "$TMP/csv" "$TMP/json" <<'EOF'
import csv, json, sys

with open(sys.argv[1], newline='') as f:
    lines = list(csv.DictReader(f, strict=True))

want = []
def add(event, row, level):
    want.append((event, level, row))
    for below in row.get('rows', []):
        add(event, below, level + 1)

for event in json.load(open(sys.argv[2]))['events']:
    for row in event['rows']:
        add(event['event'], row, 0)
assert len(lines) == len(want) > 1, (len(lines), len(want))
for line, (event, level, row) in zip(lines, want):
    assert line.pop('event') == event
    assert int(line.pop('level', 0)) == level
    for key, value in line.items():
        have = row.get(key)
        if have is None:
            assert value == '', (key, value)
        elif isinstance(have, str):
            assert value == have, (key, value, have)
        else:
            assert abs(float(value) - have) < 0.01, (key, value, have)
EOF
}
check "--csv has what --json has" csv_like_json -s comm,dso,sym -n
check "--csv of levels" csv_like_json -s dso,sym --hierarchy
check "--csv of what callees cost" csv_like_json --children
check_status "--csv and --json" 129 "$PERF" report -i "$MEM" --csv --json
like "--csv and --json: message" "$(cat "$TMP/check.out")" 'one or the other'
is "--csv of no samples: nothing" "$("$PERF" report -i "$MEM" -C 9 --csv 2>"$TMP/err")" ""
# ---- objects in one directory
mkdir "$TMP/flat"
cp "$H/report-cpp" "$TMP/flat"
"$PERF" report -i "$MEM" --symfs "$TMP/flat,flat" -s sym >"$TMP/out" 2>&1
like "--symfs DIR,flat" "$(cat "$TMP/out")" '\[\.\] _start'
"$PERF" report -i "$MEM" --symfs "$TMP/flat" -s sym >"$TMP/out" 2>&1
unlike "--symfs DIR" "$(cat "$TMP/out")" '\[\.\] _start'
check_status "--symfs: another layout" 129 "$PERF" report -i "$MEM" --symfs "$TMP/flat,deep"
like "--symfs: another layout: message" "$(cat "$TMP/check.out")" \
	"Invalid layout: 'deep', use 'hierarchy' or 'flat'"
like "--full-source-path" "$("$PERF" report -i "$MEM" --full-source-path -s srcline 2>&1)" \
	'Source:Line'

# ---- what upstream has and this does not need, or has not
check_status "accepted options" 0 "$PERF" report -i "$MEM" -m --objdump /bin/objdump -M intel \
	--asm-raw --source --prefix /x --prefix-strip 2 --percent-type global-period --samples 3 \
	--itrace=i100us --addr2line /bin/true --addr2line-style libdw --unwind-style libdw \
	--pretty raw --show-ref-call-graph --raw-trace --disable-order
check_status "--ignore-callees: no regex" 129 "$PERF" report -i "$MEM" --ignore-callees '('
like "--ignore-callees: no regex: message" "$(cat "$TMP/check.out")" 'Invalid --ignore-callees regex: \('
check_status "--switch-on: no such event" 1 "$PERF" report -i "$MEM" --switch-on nosuch
like "--switch-on: no such event: message" "$(cat "$TMP/check.out")" \
	'switch-on event not found \(nosuch\)'

# ---- on a recording made here
echo "needs root" >"$TMP/out"
if [ "$(id -u)" -ne 0 ] || ! "$PERF" record -q -s -e cpu-clock,task-clock -o "$TMP/s.data" -- \
	"$PERF" test -w thloop 1 >"$TMP/out" 2>&1; then
	for t in "-T: headings" "-T: rows" "-T: JSON" "-T: nothing counted" "--switch-on" "--switch-off" "--raw-trace" \
		"--mmaps" "-C" "--socket-filter"; do
		skip "$t" "cannot record here: $(head -1 "$TMP/out")"
	done
	check_status "--percent-limit: no number" 129 "$PERF" report --percent-limit x
like "--percent-limit: says so" "$(cat "$TMP/check.out")" "\`x' is no number from 0 to 100"
done_testing
	exit
fi
"$PERF" report -T -i "$TMP/s.data" >"$TMP/out" 2>&1
like "-T: headings" "$(cat "$TMP/out")" '^# +PID +TID +cpu-clock +task-clock$'
n=$(sed -n '/^# *PID/,$p' "$TMP/out" | grep -cE '^ +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+$')
check "-T: a row for each thread ($n)" test "$n" -ge 1
is "-T: a number for each event and thread in JSON" "$("$PERF" report -T --json -i "$TMP/s.data" 2>"$TMP/err" |
	python3 -c 'import json,sys; print(len(json.load(sys.stdin)["threads"]))')" "$(awk '
	/^# *PID/ { on = 1 } on && /^ +[0-9]/ { n += 2 } END { print n }' "$TMP/out")"
"$PERF" record -q -e cpu-clock -o "$TMP/plain.data" -- true >/dev/null 2>&1
like "-T: nothing counted" "$("$PERF" report -T -i "$TMP/plain.data" 2>&1)" '^# PID  TID$'
"$PERF" report -i "$TMP/s.data" --switch-on task-clock -s comm >"$TMP/out" 2>&1
all=$("$PERF" report -i "$TMP/s.data" -s comm -F sample,comm 2>/dev/null | awk '/^ / { n += $1 } END { print n }')
on=$("$PERF" report -i "$TMP/s.data" -s comm -F sample,comm --switch-on task-clock 2>/dev/null | awk '/^ / { n += $1 } END { print n }')
off=$("$PERF" report -i "$TMP/s.data" -s comm -F sample,comm --switch-off task-clock 2>/dev/null | awk '/^ / { n += $1 } END { print n + 0 }')
check "--switch-on leaves out what was before, and the event ($on of $all)" \
	test "$on" -gt 0 -a "$on" -lt "$all"
check "--switch-off leaves out what was after ($off of $all)" test "$off" -lt 3
if "$PERF" record -q -c 1 -e sched:sched_process_exec -R -o "$TMP/trace.data" -- \
	sh -c 'exec /bin/true' >/dev/null 2>&1; then
	like "--raw-trace" "$("$PERF" report -i "$TMP/trace.data" --raw-trace -s trace 2>&1)" \
		'filename=/bin/true pid=[0-9]+ old_pid=[0-9]+'
else
	skip "--raw-trace" "tracepoints cannot be opened"
fi
# ---- CPUs and packages
check_status "-C: samples without CPU" 129 "$PERF" report -i "$TMP/plain.data" -C 0
like "-C: samples without CPU: message" "$(cat "$TMP/check.out")" \
	'^File does not contain CPU events\. Remove -C option to proceed\.$'
"$PERF" record -q --sample-cpu -e cpu-clock -o "$TMP/cpu.data" -- "$PERF" test -w thloop 1 >/dev/null 2>&1
heads() { # heads OPTIONS...: number of samples, then of rows
	"$PERF" report --stdio -i "$TMP/cpu.data" -s cpu "$@" 2>"$TMP/err" |
		sed -n 's/^# Samples: *\([^ ]*\) .*/\1/p; /^ .*%/p' | sed '2,$s/.*/row/'
}
all=$(heads)
package=$("$PERF" report --stdio -i "$TMP/cpu.data" -s socket 2>/dev/null | awk '/%/ { print $2 + 0; exit }')
if [ "${package:--1}" -ge 0 ]; then
	many=$("$PERF" report --stdio -i "$TMP/cpu.data" -s socket 2>/dev/null | grep -c %)
	if [ "$many" -eq 1 ]; then
		is "--socket-filter: this package" "$(heads --socket-filter "$package")" "$all"
	else
		skip "--socket-filter: this package" "the workload ran on $many"
	fi
	is "--socket-filter: another one: all are counted, none is shown" \
		"$(heads --socket-filter 4711)" "$(echo "$all" | head -1)"
	is "--socket-filter: relative" "$(heads --socket-filter 4711 --percentage relative)" 0
else
	skip "--socket-filter" "the topology has no packages here"
fi
like "--mmaps: build ids where the record has them" "$("$PERF" report --mmaps -i "$TMP/s.data" 2>&1)" \
	'^ +[0-9a-f]+-[0-9a-f]+ r-xp [0-9a-f]{8} ([0-9a-f]{40}|[1-9][0-9]*) /'
# 5000 processes, one after the other: FORK, MMAP, EXIT.
made_file gone-processes "$TMP/gone.data" 5000
is "--mmaps: those of processes long gone, too" \
	"$("$PERF" report --mmaps -i "$TMP/gone.data" 2>&1 | grep -c ' /bin/x[0-9]')" 5000
# Two numbers of threads, of a parent and of its children, each used again and again.
python3 -S -c 'import sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
r = Recording(Attr(sample_type=IP | TID, flags="comm"))
for pid in 1000, 1001:
    for _ in range(100000):
        r.task(FORK, pid, pid, tid=pid + 1)
r.write(sys.argv[2])' "$ROOT/tests/helpers" "$TMP/again.data"
is "--tasks: numbers used again and again take a time that grows with their threads" \
	"$(ulimit -t 15; exec "$PERF" report --tasks -i "$TMP/again.data" 2>&1 | grep -c '  100[12] ')" 200000

# ---- a group: each event has its own rows for programs
GROUP=$ROOT/tests/data/perf/group-4.14.data
for form in --json --csv; do
	"$PERF" report $form --no-group -i "$GROUP" >"$TMP/want" 2>"$TMP/err"
	for how in --group "--group-sort-idx 1"; do
		# shellcheck disable=SC2086
		"$PERF" report $form $how -i "$GROUP" >"$TMP/got" 2>"$TMP/err"
		same_file "a group, $form $how: each event has its own rows" "$TMP/got" "$TMP/want"
	done
done
"$PERF" report --json -i "$GROUP" >"$TMP/got" 2>"$TMP/err"
is "... all of them with samples, and those with most first" "$(python3 -c 'import json, sys
for e in json.load(sys.stdin)["events"]:
    rows = e["rows"]
    print(len(rows) > 0, all(r["samples"] for r in rows), rows == sorted(rows, key=lambda r: -r["overhead"]))' <"$TMP/got" | sort -u)" "True True True"

# ---- an error is all there is: not a line of a report before it
refused() { # refused STATUS MESSAGE COMMAND ARGS...
	st=$1 message=$2
	shift 2
	"$PERF" "$@" -i "$MEM" >"$TMP/out" 2>"$TMP/err"
	is "$*: status" "$?" "$st"
	is "$*: nothing on stdout" "$(cat "$TMP/out")" ""
	like "$*: what is wrong" "$(tr '\n' ' ' <"$TMP/err")" "$message"
}
echo "this is no table of symbols" >"$TMP/garbage"
echo "0000000000000000 T _text" >"$TMP/hidden"
refused 129 "Invalid --sort key: .dso_from'" report -s dso_from
refused 129 "Invalid --sort key: .dso_from'" report --header -s dso_from
refused 1 'no branch data' report -b
for what in "1 report" "1 report --header" "255 script" "255 script --header"; do
	# shellcheck disable=SC2086
	refused ${what%% *} "--kallsyms $TMP/garbage holds no kernel symbols: no line has .*/proc/kallsyms" \
		${what#* } --kallsyms "$TMP/garbage"
done
refused 1 "--kallsyms $TMP/nosuch: No such file" report --kallsyms "$TMP/nosuch"
refused 1 "--kallsyms $TMP: Is a directory" report --kallsyms "$TMP"
refused 1 "all addresses are 0 .*sudo cat /proc/kallsyms" report --kallsyms "$TMP/hidden"
refused 1 "--vmlinux $TMP/garbage: this is no ELF file" report -k "$TMP/garbage"
echo "ffffffff81000000 T _text" >"$TMP/good"
check "a table with symbols is one" "$PERF" report -i "$MEM" --kallsyms "$TMP/good"
# ---- a tree that forks deeper than JSON has levels here
python3 - "$ROOT/tests/helpers" "$TMP/forks.data" <<'EOF'
import sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
r = Recording(Attr(sample_type=IP | TID | CALLCHAIN | PERIOD, flags='comm mmap'))
r.comm(10, 'forks')
r.mmap(10, 0x400000, 0x10000, 0, '/nowhere/forks')
for depth in range(1, 100):
    r.sample(ip=0x400000, pid=10, period=1, chain=[CONTEXT_USER, 0x400000] + [0x400000 + 16 * i for i in range(depth, 0, -1)])
r.write(sys.argv[2])
EOF
"$PERF" report --json --no-children -s comm -g caller,0.0001 -i "$TMP/forks.data" >"$TMP/json" 2>/dev/null
is "JSON: what is cut off of a tree is said, the rest adds up" "$(python3 - "$TMP/json" <<'EOF'
import json, sys
row, = json.load(open(sys.argv[1]))['events'][0]['rows']
cut = whole = 0
todo = list(row['children'])
while todo:
    n = todo.pop()
    below = n.get('children', [])
    cut += n.get('cut', False)
    whole += 1
    todo += below
    if not n.get('cut') and n['period'] != n['self'] + sum(c['period'] for c in below):
        print('lost:', n['period'], n['self'], len(below))
print(cut, whole > 40)
EOF
)" "1 True"
done_testing
