# SPDX-License-Identifier: GPL-2.0-or-later
# perf report on recordings made here, beside an installed perf on the same file.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
need_peer
need_cmd perl python3
H=$O/tests/helpers
[ -x "$H/report-cpp" ] || skip_all "helper programs are not built: make tests"

# The names of 6.12 have parameters, for which ours needs -v: what is compared has them as they are
# in the object.
RAW=''
! newer_peer || RAW=--no-demangle

# record NAME ARGS...
record() {
	_data=$TMP/$1.data
	shift
	"$PERF" record -q -F 4000 -o "$_data" "$@" >"$TMP/record.out" 2>&1
}

# agree NAME DATA: shares of symbols, ours and theirs
agree() {
	"$PERF" report -i "$2" --no-children -g none -s symbol $RAW >"$TMP/ours" 2>"$TMP/ours.err"
	"$PEER" report --stdio -i "$2" --no-children -g none -s symbol $RAW >"$TMP/theirs" 2>/dev/null
	check "$1: symbols above 1 % agree within 0.1" \
		perl "$ROOT/tests/helpers/report-agree.pl" "$TMP/ours" "$TMP/theirs"
}

# equal NAME DATA ARGS...: the whole text but for the tip
equal() {
	_name=$1 _data=$2
	shift 2
	"$PERF" report -i "$_data" --no-inline $RAW "$@" 2>/dev/null | grep -v '^# (Tip' >"$TMP/ours"
	"$PEER" report --stdio -i "$_data" --no-inline $RAW "$@" 2>/dev/null | grep -v '^# (Tip' >"$TMP/theirs"
	same_file "$_name: report $*" "$TMP/ours" "$TMP/theirs"
}

record cpp -- "$H/report-cpp"
agree "C++" "$TMP/cpp.data"
like "C++ names" "$("$PERF" report -i "$TMP/cpp.data" --no-children -g none -s symbol 2>/dev/null)" '\[\.\] work::Mixer<long>::mix'

# Callers and callees of the C++ program, whole views, from its exec on. Rows below 2 % hang on
# single samples.
set -- "--no-children" "--no-children -g caller" "--no-children -g flat" \
	"--no-children -g folded" "-g graph,2,caller" "-g caller,2,count" "-n -g none" \
	"--no-children -g none -s comm,dso" "--no-children -g none -s pid,symbol" \
	"--no-children -g none -t ;" "--no-children -g none -F overhead,sample,period,symbol" \
	"--no-children -g none --percent-limit 5" "-q --no-children -g none" \
	"-g caller,2,function,percent,2" "-g caller,4" "--no-children -g none -s dso --dsos report-cpp" \
	"--no-children --ignore-callees=inner|do_syscall" \
	"--no-children -g caller --ignore-callees=inner|do_syscall" \
	"-g none --ignore-callees=inner|do_syscall"
has_ties() { # has_ties DATA VIEW...: branches whose order is nobody's choice
	_data=$1
	shift
	for a; do
		# shellcheck disable=SC2086
		"$PERF" report -i "$_data" --no-inline $RAW --comms report-cpp --percent-limit 2 $a 2>/dev/null |
			perl "$ROOT/tests/helpers/graph-ties.pl" && return
	done
	return 1
}
for _ in $(seq 40); do
	record cppg -g -- "$H/report-cpp"
	has_ties "$TMP/cppg.data" "$@" || break
done
for a; do
	# shellcheck disable=SC2086
	equal "frame pointers" "$TMP/cppg.data" --comms report-cpp --percent-limit 2 $a
done
agree "C++ with frame pointers" "$TMP/cppg.data"
record cppd --call-graph dwarf,4096 -- "$H/report-cpp"
agree "C++ with dwarf stacks" "$TMP/cppd.data"
"$PERF" report -i "$TMP/cppd.data" --no-children -g graph,99 -s symbol --percent-limit 2 \
	--ignore-callees '^work::outer$' >"$TMP/out" 2>&1
like "--ignore-callees: dwarf stacks: the function" "$(cat "$TMP/out")" '\[\.\] work::outer'
unlike "--ignore-callees: dwarf stacks: no callees" "$(cat "$TMP/out")" 'work::(inner|Mixer)'

record jit -- "$H/report-jit"
map=$(tail -1 "$TMP/record.out")
agree "JIT code" "$TMP/jit.data"
like "the JIT map's name" "$(cat "$TMP/ours")" 'jit_loop'
case $map in /tmp/perf-*.map) rm -f "$map" ;; esac

# A group read at once: one record is a sample of every member whose counter moved.
record group -e '{cpu-clock,page-faults}:S' -- "$H/report-cpp"
equal "a group read at once" "$TMP/group.data" -s comm
equal "a group read at once" "$TMP/group.data" -s dso -F overhead,sample,period,dso --comms report-cpp
# As upstream 7.x: shares keep their room, heads and texts of keys are cut.
"$PERF" report -i "$TMP/group.data" -s comm,dso -w 5,3,6 2>/dev/null >"$TMP/out"
like "-w: heads" "$(cat "$TMP/out")" '^#         Overhead  Com  Shared$'
like "-w: rows" "$(cat "$TMP/out")" '^ +[0-9.]+%  +[0-9.]+%  rep  report$'
equal "members without samples" "$TMP/group.data" -s symbol -F overhead_us,sample,symbol --percent-limit 5
"$PERF" data convert --to folded -i "$TMP/group.data" -o "$TMP/folded" 2>/dev/null
is "folded: the leader's counter, not its period" \
	"$(awk '{ n += $NF } END { printf "%d\n", n }' "$TMP/folded")" \
	"$("$PERF" script -i "$TMP/group.data" -F event,period | awk '/cpu-clock/ { n += $1 } END { printf "%d\n", n }')"

# Offsets are those in the function, also where a call graph has the same address.
"$PERF" report -i "$TMP/cppg.data" --no-children -g caller -s symoff >"$TMP/out" 2>/dev/null
like "symoff with a call graph" "$(cat "$TMP/out")" '\] [^ ]+\+0x[0-9a-f]'
is "no offset is an address" "$(grep -E '\] [^ ]+\+0x[0-9a-f]{8}' "$TMP/out")" ""
"$PERF" report -i "$TMP/cppg.data" --no-children --children -g none >"$TMP/out" 2>/dev/null
like "the last of --no-children and --children counts" "$(cat "$TMP/out")" '^# Children +Self '

# Keys that ask the recording for more than its samples.
record ns --namespaces -- sh -c 'exec "$0"' "$H/report-cpp"
equal "socket" "$TMP/ns.data" -s socket
equal "cgroup_id" "$TMP/ns.data" -s comm,cgroup_id
equal "a key that a recording has nothing for" "$TMP/cpp.data" -s cgroup_id
if record trace -c 1 -e sched:sched_process_exec -R -- sh -c 'exec /bin/true'; then
	equal "trace" "$TMP/trace.data" -s trace,comm
	like "trace: the fields" "$(cat "$TMP/ours")" 'filename=/bin/true pid='
else
	skip "trace" "tracepoints cannot be opened"
	skip "trace: the fields" "tracepoints cannot be opened"
fi

# One symbol under its caller, by name.
"$PERF" report -i "$TMP/cppg.data" --no-children -S 'work::Mixer<long>::mix' -g caller --no-inline \
	>"$TMP/out" 2>&1
like "a call graph names callers" "$(cat "$TMP/out")" 'work::outer'

check_status "no file" 1 "$PERF" report -i "$TMP/none"
like "no file: says which" "$(cat "$TMP/check.out")" "$TMP/none"
: >"$TMP/empty"
check_status "an empty file" 1 "$PERF" report -i "$TMP/empty"
check_status "-b without branches" 1 "$PERF" report -b -i "$TMP/cpp.data"
like "-b without branches: message" "$(cat "$TMP/check.out")" \
	'Selected -b but no branch data. Did you call perf record without -b\?'
check_status "-g without chains" 1 "$PERF" report -g -i "$TMP/cpp.data"
like "-g without chains: message" "$(cat "$TMP/check.out")" 'Selected -g but no callchain data'
check_status "an unknown key" 129 "$PERF" report -s nosuch -i "$TMP/cpp.data"
like "an unknown key: message" "$(cat "$TMP/check.out")" "Unknown --sort key: .nosuch'"
# What is added up of several is golden/files' to say.
check_status "two files" 0 "$PERF" report "$TMP/cpp.data" "$TMP/jit.data"
like "... one's samples" "$(cat "$TMP/check.out")" ' report-cpp .*work::'
like "... and the other's" "$(cat "$TMP/check.out")" ' report-jit .*\[JIT\]'
check_status "two files, the second is not there" 1 "$PERF" report "$TMP/cpp.data" "$TMP/none"

# Which kernel symbols: a vmlinux has to be the recorded one.
"$PERF" report -i "$TMP/cpp.data" -k "$H/report-cpp" >"$TMP/out" 2>&1
like "-k: a file that is not the kernel" "$(cat "$TMP/out")" 'report-cpp is not the recorded kernel'
"$PERF" report -i "$TMP/cpp.data" -k "$TMP/none" >"$TMP/out" 2>&1
like "-k: no file" "$(cat "$TMP/out")" "$TMP/none: No such file"
"$PERF" report -i "$TMP/cpp.data" >"$TMP/want" 2>&1
"$PERF" report -i "$TMP/cpp.data" --ignore-vmlinux -k "$TMP/none" >"$TMP/out" 2>&1
same_file "--ignore-vmlinux: not even -k" "$TMP/out" "$TMP/want"

# Parts of the time. A tenth as a part, and as the second of ten; likewise halves, of which the
# first and the last sample are in different ones.
equal "--time by percent" "$TMP/cpp.data" --time 10%-20% -s comm,dso
equal "--time by slice" "$TMP/cpp.data" --time 10%/2 -s comm,dso
for t in 50%-100% 50%/2 0%-100%; do
	"$PERF" report -q -i "$TMP/cpp.data" --time "$t" -F sample,comm -s comm -t ';' |
		awk -F';' '{ n += $1 } END { print n + 0 }'
done >"$TMP/counts"
check "--time: both are the second half, and less than all ($(tr '\n' ' ' <"$TMP/counts"))" \
	awk '{ n[NR] = $1 } END { exit !(NR == 3 && n[1] == n[2] && n[1] > 0 && n[1] < n[3]) }' "$TMP/counts"
check_status "--time: no span" 129 "$PERF" report --time 10%-x -i "$TMP/cpp.data"
like "--time: says what is wrong" "$(cat "$TMP/check.out")" "Invalid time string: '10%-x'"

# A cut file is reported as far as it goes, and says so. It is cut from a recording with one ring:
# with one per CPU it may end before the other CPU's mmaps.
record whole --per-thread -- "$H/report-cpp"
# cut BYTES: behind the sample in the middle, and so many bytes of the next record
cut() {
	made_file cut-file "$TMP/whole.data" "$TMP/cut.data" "$1"
	"$PERF" report -i "$TMP/cut.data" >"$TMP/out" 2>"$TMP/err"
	like "a file cut $1 bytes into a record: rows" "$(cat "$TMP/out")" '%.*report-cpp'
}
cut 5
like "says where it ends" "$(cat "$TMP/err")" "the data ends at offset 0x[0-9a-f]+, 5 bytes into a record's header"
cut 21
like "says where it ends" "$(cat "$TMP/err")" 'record at offset 0x[0-9a-f]+, SAMPLE \(9\), size [0-9]+: the data ends after 21 bytes of it'

"$PERF" report -i "$TMP/cpp.data" --tasks >"$TMP/out" 2>&1
like "--tasks" "$(cat "$TMP/out")" '[0-9]+ +[0-9]+ +-?[0-9]+ \| *report-cpp'
"$PERF" report -i "$TMP/cppg.data" --json --percent-limit 5 >"$TMP/out" 2>&1
like "--json: rows with trees" "$(cat "$TMP/out")" '"frames"'
if command -v python3 >/dev/null; then
	check "--json: well-formed" python3 -m json.tool "$TMP/out"
else
	skip "--json: well-formed" "needs python3"
fi
done_testing
