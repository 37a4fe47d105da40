#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What report makes of branches with cycles: IPC and coverage of functions, --total-cycles, the
# columns of --branch-history. An exact trace with one cycle per instruction tells what is right,
# and a model that counts with objdump; an installed perf too, where it does not die of cycles.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd perl nm objdump python3
HOT=$O/tests/helpers/hot-paths CALLS=$O/tests/helpers/calls
[ -x "$HOT" ] || skip_all "the helper programs are not built (make tests)"
cd "$TMP" || exit 1
report() {
	"$PERF" report --stdio "$@" 2>err
}
make_file() { # make_file OUT [-b] [-i] [-c] <TEXT
	_out=$1
	shift
	made_file branch-file "$@" "$_out"
}

# ---- one cycle per instruction
if "$O/tests/helpers/branch-trace" -c -n 97 -o t.data "$HOT" >trace.out 2>&1; then
	# "NAME IPC [COVERAGE%]" of the program's own functions
	rows() {
		sed -n 's/^ *[0-9.]*%  hot-paths  *\[\.\] \([^ ]*\) */\1 /p' "$1" | sed 's/ *$//' | sort
	}
	report -q -b -s dso_to,symbol_to -i t.data >text
	if grep -q 'built without' err; then skip_all "built without a library that decodes instructions"; fi
	rows text >ours
	unlike "a cycle per instruction: IPC is 1" "$(cat ours)" ' (0|[2-9])\.[0-9]+  \[| 1\.(0[1-9]|[1-9])'
	is "functions with all of their rows" "$(cut -d' ' -f1 ours | tr '\n' ' ' |
		grep -o 'collatz\|fib\|kind_of\|main\|plus_three\|twice' | tr '\n' ' ')" \
		"collatz fib kind_of main plus_three twice "
	base=$("$PERF" script --show-mmap-events -i t.data 2>err |
		sed -n 's/.*: \[\(0x[0-9a-f]*\)(0x[0-9a-f]*) @ \([0-9a-fx]*\) .*hot-paths$/\1 \2/p' |
		perl -ne '($a, $o) = map { hex } split; printf "%x", $a - $o; last')
	"$PERF" script -F brstack -i t.data 2>err |
		perl "$ROOT/tests/helpers/ipc-model.pl" "$HOT" "$base" >model
	grep '^\(collatz\|fib\|kind_of\|main\|plus_three\|twice\) ' ours >got
	grep '^\(collatz\|fib\|kind_of\|main\|plus_three\|twice\) ' model >want
	same_file "IPC and coverage as a model has them" got want
	like "the same as JSON" "$("$PERF" report -b --json -s dso_to,symbol_to -i t.data 2>err)" \
		"\"symbol_to\":\"\[\.\] fib\",\"ipc_lbr\":\"$(sed -n 's/^fib //p' want | sed 's/[][]/\\&/g')\""
	if [ -n "$PEER" ] && "$PEER" report --stdio -b -s dso_to,symbol_to -i t.data >peer 2>/dev/null; then
		rows peer | grep '^\(collatz\|fib\|kind_of\|main\|plus_three\|twice\) ' >theirs
		# 6.12 covers less of a function than its blocks have.
		! newer_peer || sed -i 's/ *\[.*//' got theirs
		same_file "IPC and coverage as an installed perf has them" got theirs
	else
		skip "IPC and coverage as an installed perf has them" "${NO_PEER}, or it dies of branches with cycles"
	fi
	# every cycle of the trace is in one block
	total=$("$PERF" script -F brstack -i t.data 2>err | tr ' ' '\n' |
		awk -F/ 'NF > 5 { s += $6 } END { print s }')
	report -q --total-cycles -i t.data >blocks
	check "--total-cycles: shares add up to all cycles ($total)" \
		perl -ne '$s += $1 if /^ +([0-9.]+)%/; END { exit !($s > 98.5 && $s < 101.5) }' blocks
	like "--total-cycles: blocks in lines of the source" "$(cat blocks)" \
		'^ +[0-9.]+% +[0-9.]+K? +[0-9.]+% +[0-9]+ +\[hot-paths\.c:[0-9]+ -> hot-paths\.c:[0-9]+\] +hot-paths$'
	"$O/tests/helpers/branch-trace" -n 97 -o plain.data "$HOT" >trace.out 2>&1
	is "without cycles: functions have none" "$(report -q -b -s symbol_to -i plain.data |
		grep -v ' -  *$' | grep -c '\[\.\] [a-z]')" 0
	report --total-cycles -i plain.data >out
	like "without cycles --total-cycles says so" "$(cat err)" 'no branch of this recording has cycles'
else
	skip "one cycle per instruction" "programs cannot be traced here: $(tail -1 trace.out)"
fi

# ---- made files
at() { # at FUNCTION [OFFSET]: where it is in the files below
	perl -e 'printf "0x%x", 0x400000 + hex($ARGV[0]) + $ARGV[1]' \
		"$(nm "$CALLS" | awk -v n="$1" '$3 == n { print $1 }')" "${2:-0}"
}
# f1in: its fourth instruction, in bytes behind its start: f1off
# shellcheck disable=SC2046
set -- $(perl "$ROOT/tests/helpers/insns.pl" "$CALLS" f1 0x400000)
f1=$1 f1third=$3 f1in=$4 covered=$(perl -e 'printf "[%5.1f%%]", 400 / $ARGV[0]' $#)
f1off=$((f1in - f1))
f2=$(at f2) f2end=$(at f2 15) f3=$(at f3)
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 10 $f2 from=$f1in,to=$f2,cycles=8 from=$(at main 4),to=$f1,cycles=1"
} >calls.txt
make_file calls.data <calls.txt
# four of f1's instructions in eight cycles
is "IPC of a function where four of its instructions take eight cycles" \
	"$(report -q -b -s symbol_to -i calls.data | sed -n 's/ *$//; s/.* f1  *//p')" "0.50  $covered"
is "a function that no block lies in" \
	"$(report -q -b -s symbol_to -i calls.data | sed -n 's/ *$//; s/.* f2  *//p')" "-"
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 1 $f2 from=$f1in,to=$f2,cycles=1 from=$(at main 4),to=$f1,cycles=1"
	echo "sample 99 $f2 from=$f1in,to=$f2,cycles=2 from=$(at main 4),to=$f1third,cycles=1"
} | make_file rare.data
is "blocks count as often as they ran: 4 instructions in 1 cycle once, 2 in 2 99 times" \
	"$(report -q -b -s symbol_to -i rare.data | sed -n 's/ *$//; s/.* f1  *//p' | uniq)" "1.02  $covered"
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 10 $f2 from=$f1in,to=$f2 from=$(at main 4),to=$f1"
} | make_file bare.data
is "branches without flags and cycles: rates and means are not known" \
	"$(report -q -b -s addr_to --branch-stats -i bare.data | awk 'NF { print $1, $2, $3 }' | uniq)" "50.00% - -"
is "... and their paths" "$(report -q --hot-paths 2 -i bare.data | awk 'NF { print $1, $2, $3, $4 }')" \
	"100.00% 10 - -"
like "... and in JSON" "$(report --json -b -s addr_to --branch-stats -i bare.data)" \
	'"mispredict_rate":null,"avg_cycles":null,.*"mispredicted":null'
like "head of the column" "$(report -b -s symbol_to -i calls.data)" \
	'^# Overhead  Target Symbol  IPC   \[IPC Coverage\]$'
unlike "no such column without a symbol key" "$(report -b -s dso_to -i calls.data)" 'IPC'
sed 's/map.*/&.gone/' calls.txt | make_file gone.data
is "an object that is gone: no function, no IPC" \
	"$(report -q -b -s symbol_to -i gone.data | sed -n '1s/ *$//; 1s/.* //p')" "-"
is "--total-cycles: of code without functions the addresses" \
	"$(report -q --total-cycles -i gone.data | sed -n '1s/^.*\(\[.*\]\).*/\1/p')" \
	"$(perl -e 'printf "[%7x -> %7x]", map { hex($_) - 0x400000 } @ARGV' "$f1" "$f1in")"
strip -g -o calls "$CALLS"
sed "s|^map .*|map 0x400000 0x100000 $TMP/calls|" calls.txt | make_file stripped.data
is "--total-cycles: of functions without lines the offsets in them" \
	"$(report -q --total-cycles -i stripped.data | sed -n '1s/^.*\(\[.*\]\).*/\1/p')" "[f1+0 -> f1+$f1off]"
# f1 is the target of two rows, one for each number of cycles: its mean counts twice in the sum of
# means. main, which no branch went to, counts for nothing.
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 3 $f2 from=$f1in,to=$f2,cycles=8 from=$(at main 4),to=$f1,cycles=1"
	echo "sample 2 $f2 from=$f1in,to=$f2,cycles=4 from=$(at main 4),to=$f1,cycles=2"
} | make_file means.data
is "--total-cycles: means count once per row that has their function as target" \
	"$(report -q --total-cycles -i means.data | awk 'NF > 3 { print $1, $2, $3, $4 }')" \
	"82.05% 32 50.00% 6
17.95% 7 8.33% 1"
is "--total-cycles: keys of rows change nothing" "$(report -q --total-cycles -s comm -i means.data)" \
	"$(report -q --total-cycles -i means.data)"
report --total-cycles -i calls.data >out
cat >want <<'EOF'
# Sampled Cycles%  Sampled Cycles  Avg Cycles%  Avg Cycles                                                   [Program Block Range]         Shared Object
# ...............  ..............  ...........  ..........  ......................................................................  ....................
#
EOF
like "--total-cycles --json: the numbers that text rounds" "$(report --total-cycles --json -i calls.data)" \
	'^{"cycles":[0-9]+,"blocks":\[{"range":"\[.*","symbol":"f1","start":[0-9]+,"end":[0-9]+,"cycles":80,"count":10}'
is "--total-cycles --csv: heads" "$(report --total-cycles --csv -i calls.data | sed -n '1s/\r//p')" \
	"range,dso,symbol,start,end,cycles,count"
grep -A2 'Sampled Cycles%' out >heads
same_file "--total-cycles: heads" heads want
{
	echo "map 0x400000 0x100000 $CALLS"
	# means 1, 2 and full; 0
	echo "sample 2 $f3 from=$f2end,to=$f3,cycles=4,counter=0x9 from=$(at main 4),to=$f2,cycles=1,counter=0x2"
	echo "sample 2 $f3 from=$f2end,to=$f3,cycles=4,counter=0x9 from=$(at main 4),to=$f2,cycles=1,counter=0x3"
} | make_file counted.data -c -e 2
report --total-cycles -i counted.data >out
like "counters: names" "$(tr '\n' '~' <out)" '# Branch counter abbr list:~# cycles = A~# [a-z:0-9#]+ = B~# .-. No event occurs~# .\+. Event occurrences may be lost due to branch counter saturated~#~'
like "counters: heads" "$(cat out)" '  Avg Cycles                  Branch Counter  '
like "counters: letters, means" "$(cat out)" ' 4                     \|A   \|BB  \|  .*calls$'
like "counters: none, or more than fits" "$(cat out)" ' 1                     \|AAA\+\|-   \|  .*calls$'

# ---- columns of --branch-history
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 3 $f2 from=$f1in,to=$f2,cycles=8,predicted=1 from=$(at main 4),to=$f1,cycles=4,mispred=1,abort=1"
} | make_file history.data
report --branch-history --no-children -g none -i history.data >out
like "--branch-history: heads" "$(cat out)" \
	'^# Overhead  Source:Line +Symbol  Shared Object  Predicted  Abort  Cycles  IPC   \[IPC Coverage\]$'
# of 4 frames one is a target that was predicted; 12 cycles
like "--branch-history: predicted, aborts, cycles per frame" "$(cat out)" \
	'100\.00%  calls\.c:[0-9]+ +\[\.\] f2  calls +25\.0%      3      3       -      - '
like "--branch-history: the same keys by name" "$(report -q --branch-history -g none \
	-s callchain_branch_cycles,sym,callchain_branch_predicted -i history.data)" '100\.00%  3       \[\.\] f2'
if command -v python3 >/dev/null; then
	is "--branch-history --json: what branches say, by frame" "$("$PERF" report --branch-history \
		--json -i history.data 2>err | python3 -c 'import json, sys
n = json.load(sys.stdin)["events"][0]["rows"][0]["children"][0]
assert len(n["frames"]) == len(n["branches"])
print([(b or {}).get("text") for b in n["branches"]], n["branches"][1]["cycles"], n["branches"][2]["aborted"])')" \
		"['', 'cycles:8', 'predicted:0.0% abort:100.0%', 'cycles:4'] 24 3"
fi
done_testing
