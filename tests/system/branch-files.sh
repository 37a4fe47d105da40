#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Branch stacks of made files: every flag in both byte orders, counters, empty and huge stacks,
# hostile counts; and what report and script make of them.
. "$(dirname "$0")/../lib.sh"
need_cmd perl nm objdump python3
CALLS=$O/tests/helpers/calls
[ -x "$CALLS" ] || skip_all "the helper programs are not built (make tests)"
cd "$TMP" || exit 1
make_file() { # make_file OUT [-b] [-i] [-c] <TEXT
	_out=$1
	shift
	made_file branch-file "$@" "$_out"
}
report() {
	"$PERF" report --stdio -q "$@" 2>err | sed '/^#/,$d; /^$/d'
}

# ---- every flag, both byte orders, with and without index and counters
cat >flags.txt <<'EOF'
sample 1 0x7000 from=0x1000,to=0x2000 from=0x1001,to=0x2001,mispred=1 from=0x1002,to=0x2002,predicted=1
sample 1 0x7001 from=0x1003,to=0x2003,predicted=1,in_tx=1 from=0x1004,to=0x2004,mispred=1,abort=1
sample 1 0x7002 from=0x1005,to=0x2005,cycles=1 from=0x1006,to=0x2006,cycles=65535,predicted=1,not_taken=1
sample 1 0x7003 from=0x1,to=0x2,type=1 from=0x3,to=0x4,type=12 from=0x5,to=0x6,type=15,new_type=2
sample 1 0x7004 from=0x1,to=0x2,spec=1 from=0x3,to=0x4,spec=2,type=4 from=0x5,to=0x6,spec=3,priv=7
sample 1 0x7005 from=0xffffffff81000000,to=0xffffffffffffffff,type=15,new_type=7,priv=2,counter=0x1b
sample 1 0x7006
EOF
cat >flags.want <<'EOF'
7000 0x1000/0x2000/-/-/-/0//- 0x1001/0x2001/M/-/-/0//- 0x1002/0x2002/P/-/-/0//-
7001 0x1003/0x2003/P/X/-/0//- 0x1004/0x2004/M/-/A/0//-
7002 0x1005/0x2005/-/-/-/1//- 0x1006/0x2006/PN/-/-/65535//-
7003 0x1/0x2/-/-/-/0/COND/- 0x3/0x4/-/-/-/0/IRQ/- 0x5/0x6/-/-/-/0/FAULT_INST/-
7004 0x1/0x2/-/-/-/0//SPEC_WRONG_PATH 0x3/0x4/-/-/-/0/CALL/NON_SPEC_CORRECT_PATH 0x5/0x6/-/-/-/0//SPEC_CORRECT_PATH
7005 0xffffffff81000000/0xffffffffffffffff/-/-/-/0/ARCH_5/-
7006
EOF
for opts in "" -b -i "-b -i" -c "-b -c" "-i -c" "-b -i -c"; do
	# shellcheck disable=SC2086
	make_file flags.data $opts <flags.txt
	"$PERF" script -F ip,brstack -i flags.data 2>err | sed 's/  */ /g; s/^ //; s/ $//' >got
	same_file "flags, byte order and layout '$opts': script" got flags.want
	"$PERF" report -D -i flags.data 2>err | grep '^\.\.\.\.\. ' >"dump$(echo "$opts" | tr -d ' -')"
done
same_file "report -D: both byte orders alike" dumpb dump
same_file "report -D: with index and counters alike" dumpbic dumpic
like "report -D: abort and misprediction" "$(cat dump)" \
	'^\.\.\.\.\.  1: 0000000000001004 -> 0000000000002004 0 cycles M A  0  $'
like "report -D: a counter's word" "$(cat dumpic)" '^\.\.\.\.\.  0: 000000000000001b$'

# ---- the same at random
for order in little big; do
	for filter in 0x8 0x20008 0x80008 0xa0008; do
		made_file random-branches random.data random.want $order $filter
		"$PERF" script -F ip,brstack -i random.data 2>err | sed 's/  */ /g; s/^ //; s/ $//' >got
		check "random flags, $order-endian, branch_sample_type $filter" cmp got random.want
	done
done

# ---- sizes and counts: an error or a result, never a crash
perl -e 'print "sample 3 0x7000", map({ sprintf " from=0x%x,to=0x%x,predicted=1", $_, $_ + 1 } 1 .. 2726), "\n"' |
	make_file huge.data
is "a stack that fills a record of 65,000 bytes" \
	"$("$PERF" script -F brstack -i huge.data 2>/dev/null | grep -o 0x[0-9a-f]*/0x | wc -l)" 8178
like "report of it" "$(report -b -n -i huge.data -s addr_from | head -1)" ' 3 '
# The second of three samples belies the number of its branches.
hostile() { # hostile NAME COUNT
	branch='from=0x1,to=0x2,predicted=1'
	printf '%s\n' "sample 1 0x7000 $branch" "count $2" "sample 1 0x7000 $branch" \
		"sample 1 0x7000 $branch" | make_file bad.data
	for what in "script -F ip,brstack" "report -b --stdio" "report -D" "report --total-cycles" \
		"report --hot-paths 2" "script -F ip,brstackinsn" "script -F ip,brstacksym"; do
		# shellcheck disable=SC2086
		"$PERF" $what -i bad.data >out 2>err
		st=$?
		if [ $st -lt 126 ]; then
			pass "$1: $what ends with $st"
		else
			fail "$1: $what" "status $st" "$(tail -3 err)"
		fi
	done
	is "$1: the samples around it are used" \
		"$("$PERF" script -F ip,brstack -i bad.data 2>/dev/null | grep -c '0x1/0x2/P')" 2
}
hostile "a count beyond the record" 2
hostile "a count of 2^60" 0x1000000000000000
hostile "a count whose bytes wrap around" 0x2000000000000001
hostile "a count of 2^64 - 1" 0xffffffffffffffff

# ---- rows: the example of 2012
addr() {
	nm "$CALLS" | awk -v n="$1" -v off="${2:-0}" '$3 == n { print $1, off }' |
		perl -ne '($a, $o) = split; printf "0x%x", 0x400000 + hex($a) + $o'
}
main=$(addr main 4) f2=$(addr f2) f3=$(addr f3)
# f1in: its fourth instruction
# shellcheck disable=SC2046
set -- $(perl "$ROOT/tests/helpers/insns.pl" "$CALLS" f1 0x400000)
f1=$1 f1in=$4 covered=$(perl -e 'printf "[%5.1f%%]", 400 / $ARGV[0]' $#)
{
	echo "map 0x400000 0x100000 $CALLS"
	echo "sample 60 $f2 from=$f1in,to=$f2,type=4,predicted=1,cycles=4 from=$main,to=$f1,type=4,predicted=1,cycles=10"
	echo "sample 30 $f3 from=$f1in,to=$f3,type=4,mispred=1,cycles=8 from=$main,to=$f1,type=4,predicted=1,cycles=20"
	echo "sample 10 $f3 from=$f1in,to=$f3,type=4,predicted=1,cycles=12 from=$main,to=$f1,type=1,predicted=1"
} >calls.txt
make_file calls.data <calls.txt
report -i calls.data -s symbol_from,symbol_to >got
sed 's/ *$//' got >rows
cat >want <<EOF
    50.00%  [.] main       [.] f1         0.67  $covered
    30.00%  [.] f1         [.] f2         -
    20.00%  [.] f1         [.] f3         -
EOF
sed -E 's/ +/ /g' rows >rows1
sed -E 's/ +/ /g' want >want1
same_file "report -s symbol_from,symbol_to: one row per pair" rows1 want1
"$PERF" report --stdio -i calls.data 2>err >full
like "the default keys" "$(grep '^# Overhead' full)" \
	'^# Overhead  Command  Source Shared Object  Source Symbol +Target Symbol +Basic Block Cycles *$'
is "cycles split rows only when they are a key" \
	"$(report -i calls.data -s symbol_from,symbol_to,cycles | wc -l)" 6
like "--branch-stats: rate and mean per edge" \
	"$(report -i calls.data -s symbol_from,symbol_to --branch-stats)" \
	'20\.00% +75\.0% +9 +\[\.\] f1 +\[\.\] f3'
like "-n: how many" "$(report -n -i calls.data -s symbol_from,symbol_to)" '30\.00% +60 +\[\.\] f1'
like "branch statistics" "$(tr '\n' '~' <full)" \
	'#~# Branch Statistics:~#~COND_BWD: +[0-9.]+%~|#~# Branch Statistics:~#~COND_FWD: +5\.0%'
like "branch statistics: calls" "$(cat full)" '^    CALL:  95\.0%$'
heads() {
	"$PERF" report --stdio -i calls.data -s "$1" 2>err | sed -n 's/^# Overhead  //p' | sed 's/ *$//'
}
while IFS=: read -r key head; do
	is "key $key" "$(heads "$key")" "$head"
done <<'EOF'
comm:Command
dso_from:Source Shared Object
dso_to:Target Shared Object
addr_from:Source Address
addr_to:Target Address
srcline_from:From Source:Line
srcline_to:To Source:Line
mispredict:Branch Mispredicted
in_tx:Branch in transaction
abort:Transaction abort
cycles:Basic Block Cycles
type:Branch Type
EOF
like "key symbol_from" "$(heads symbol_from)" '^Source Symbol'
like "key symbol_to" "$(heads symbol_to)" '^Target Symbol'
like "srcline" "$(report -i calls.data -s srcline_to)" '50\.00%  calls\.c:[0-9]+'
like "mispredict" "$(report -i calls.data -s mispredict | tr '\n' ' ')" '85\.00% +N +15\.00% +Y'
like "type" "$(report -i calls.data -s type | tr '\n' ' ')" '95\.00% +CALL +5\.00% +COND'
like "--no-branch-stack" "$("$PERF" report --stdio --no-branch-stack -i calls.data 2>/dev/null)" \
	'^# Overhead  Command  Shared Object +Symbol'
like "--dot" "$("$PERF" report --dot -i calls.data 2>err)" '"\[\.\] f1" -> "\[\.\] f3" \[label="20\.00%'
like "--dot with other columns" "$("$PERF" report --dot -F overhead -i calls.data 2>err)" '"\[\.\] f1" -> "\[\.\] f3" \[label="20\.00%'
if command -v python3 >/dev/null; then
	is "--json: edges with counts" "$("$PERF" report --json -s symbol_from,symbol_to -i calls.data 2>err |
		python3 -c 'import json, sys
r = json.load(sys.stdin)["events"][0]["rows"][2]
print(r["symbol_from"].split()[-1], r["symbol_to"].split()[-1], r["samples"], r["mispredicted"], r["cycles"], r["with_cycles"])')" \
		"f1 f3 40 30 360 40"
	is "--hot-paths --json" "$("$PERF" report --hot-paths 2 --json -i calls.data 2>err |
		python3 -c 'import json, sys
d = json.load(sys.stdin)
p = d["paths"][0]
print(d["paths_seen"], p["count"], p["branches"][1]["symbol_to"])')" "100 60 f2"
fi
like "--hot-paths" "$(report --hot-paths 2 -i calls.data)" \
	' 60\.00% +60 +4\.0 +0\.0%  main\+0x4 -> f1, f1\+'$(perl -e 'printf "0x%x", hex($ARGV[1]) - hex $ARGV[0]' "$f1" "$f1in")' -> f2'
check_status "--hot-paths 1 is refused" 129 "$PERF" report --hot-paths 1 -i calls.data
# 60 * 4 + 30 * 8 + 10 * 12 cycles in the block of f1, 60 * 10 + 30 * 20 in those before it
like "--total-cycles" "$(report --total-cycles -i calls.data)" \
	'^ +33\.33% +600 +33\.33% +6 +\[calls\.c:[0-9]+ -> calls\.c:[0-9]+\] +calls$'
like "--hot-paths of a command" "$("$PERF" report --hot-paths 2 --comms calls -i calls.data 2>err)" 'f1\+.* -> f2'
unlike "... of another one" "$("$PERF" report --hot-paths 2 --comms nobody -i calls.data 2>err)" 'f1\+.* -> f2'
unlike "--total-cycles of another one" "$("$PERF" report --total-cycles --comms nobody -i calls.data 2>err)" \
	'calls\.c:'
make_file counted.data -c <<EOF
map 0x400000 0x100000 $CALLS
sample 10 $f2 from=$f1in,to=$f2,cycles=4,counter=0x1 from=$main,to=$f1,cycles=10,counter=0x3
sample 10 $f3 from=$f1in,to=$f3,cycles=4,counter=0xd from=$main,to=$f1,cycles=10,counter=0x3
EOF
like "--total-cycles: legend of the counters" \
	"$("$PERF" report --total-cycles -i counted.data 2>err)" '^# cycles = A$'
like "--total-cycles with counters" "$(report --total-cycles -i counted.data)" ' 4 +\|A   \|  .* calls$'
done_testing
