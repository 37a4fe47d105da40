#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --branches=why: a program whose branches do what is known beforehand, traced exactly; made
# files with planted mispredictions and what these cost; an interpreter, whose totals are those of report -b.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3 perl objdump
KINDS=$O/tests/helpers/branch-kinds
[ -x "$KINDS" ] || skip_all "the helper programs are not built (make tests)"
cd "$TMP" || exit 1
why() {
	"$PERF" report --branches=why "$@" 2>err
}
# field FUNCTION N NAME <JSON: of its Nth branch, by address, that is conditional or indirect
field() {
	python3 -c '
import json, sys
rows = sorted((b for b in json.load(sys.stdin)["branches"] if b["symbol"] == sys.argv[1] and
               b["kind"] in ("COND", "IND")), key=lambda b: b["addr"])
v = rows[int(sys.argv[2])][sys.argv[3]] if len(rows) > int(sys.argv[2]) else "no such branch"
print("null" if v is None else v)' "$@"
}

# ---- outcomes, by an exact trace
if "$O/tests/helpers/branch-trace" -d 64 -n 61 -o t.data "$KINDS" 200 >trace.out 2>&1; then
	why --json -i t.data >json
	if grep -q 'built without' err; then skip_all "built without a library that decodes instructions"; fi
	get() {
		field "$@" <json
	}
	near() { # near NAME GOT WANT BY
		check "$1 ($2)" perl -e 'exit !(abs($ARGV[0] - $ARGV[1]) <= $ARGV[2])' "$2" "$3" "$4"
	}
	is "every other time: alternates" "$(get alternates 0 pattern)" alternates
	near "... half of the times" "$(get alternates 0 taken_percent)" 50 5
	near "... a bit each, by itself" "$(get alternates 0 entropy)" 1 0.02
	is "... and none when the time before is known" "$(get alternates 0 entropy_own)" 0.0
	is "63 of 64 times: biased" "$(get biased 0 pattern)" biased
	near "... taken" "$(get biased 0 taken_percent)" 98.4 1.2
	is "a coin: no pattern" "$(get coin 0 pattern)" "no pattern seen"
	near "... a bit" "$(get coin 0 entropy_own)" 1 0.05
	is "the same test right behind it: as the branch before" "$(get coin 1 pattern)" \
		"as the branch before"
	is "... which tells all" "$(get coin 1 entropy_before) $(get coin 1 wrong_before)" "0.0 0"
	is "a loop of 7 rounds: taken 6 times in a row" "$(get loop7 0 pattern) $(get loop7 0 run_taken)" \
		"loop, 6.0 times 6.0"
	is "... and once not" "$(get loop7 0 run_not_taken)" 1.0
	near "... in shares" "$(get loop7 0 taken_percent)" 85.7 2
	is "... every run that was seen whole has 6" "$(python3 -c '
import json
for r in json.load(open("json"))["runs"]:
    if r["branch"].startswith("loop7+") and r["outcome"] == "taken" and r["whole"]:
        print(r["length"])')" 6
	is "an indirect jump: targets" "$(get picks 0 pattern)" "3 targets"
	near "... of which the first has 6 of 8" "$(python3 -c '
import json
print([t["percent"] for t in json.load(open("json"))["targets"] if t["branch"].startswith("picks")][0])')" 75 5
	is "all branches are there" "$(python3 -c '
import json; print(sum(b["count"] for b in json.load(open("json"))["branches"]))')" \
		"$("$PERF" report -b -s addr_from --json -i t.data 2>err | python3 -c '
import json, sys; print(sum(r["samples"] for e in json.load(sys.stdin)["events"] for r in e["rows"]))')"
	why --csv -i t.data >csv
	is "as CSV: as many branches" "$(awk '/^\r?$/ { exit } NR > 1' csv | grep -c .)" \
		"$(python3 -c 'import json; print(len(json.load(open("json"))["branches"]))')"
	mkdir none
	why --json --symfs none -i t.data >json
	like "without the program: it is said" "$(cat err)" 'could not be read'
else
	skip "outcomes by an exact trace" "programs cannot be traced here: $(tail -1 trace.out)"
fi

# ---- made files: mispredictions and their cost
insns() { # insns FUNCTION: addresses of its instructions in the files below
	perl "$ROOT/tests/helpers/insns.pl" "$KINDS" "$1" 0x400000
}
# The conditional branches of a function, where they lead to, and its return.
cond() {
	objdump -d "$KINDS" | perl -e '
my ($f, @out) = shift;
while (<STDIN>) {
	$in = $1 eq $f if /^[0-9a-f]+ <(.*)>:/;
	next unless $in;
	push @out, map { sprintf "0x%x", 0x400000 + hex } $1, $2 if /^ *([0-9a-f]+):.*\tjne? +([0-9a-f]+)/;
	push @out, sprintf "0x%x", 0x400000 + hex $1 if /^ *([0-9a-f]+):.*\tret/;
}
print "@out\n"' "$1"
}
# shellcheck disable=SC2046
set -- $(insns skips)
skips=$1
# shellcheck disable=SC2046
set -- $(insns main)
main=$3
# shellcheck disable=SC2046
set -- $(cond skips)
{
	echo "map 0x400000 0x100000 $KINDS"
	# jumps over one instruction 100 times, is passed 60 times
	echo "sample 30 $main from=$5,to=$main,predicted=1,cycles=25 from=$1,to=$2,mispred=1,cycles=3 from=$main,to=$skips,predicted=1,cycles=9"
	echo "sample 70 $main from=$5,to=$main,predicted=1,cycles=5 from=$1,to=$2,predicted=1,cycles=3 from=$main,to=$skips,predicted=1,cycles=9"
	echo "sample 60 $main from=$5,to=$main,predicted=1,cycles=6 from=$main,to=$skips,predicted=1,cycles=9"
	# the second one jumps over a store
	echo "sample 10 $main from=$5,to=$main,predicted=1,cycles=2 from=$3,to=$4,mispred=1,cycles=3 from=$main,to=$skips,predicted=1,cycles=9"
} >m.txt
made_file branch-file m.data <m.txt
why --json -i m.data >json
get() {
	field "$@" <json
}
is "mispredicted: 30 of 100" "$(get skips 0 mispredicted) $(get skips 0 mispredict_rate) $(get skips 0 count)" \
	"30 30.0 100"
is "taken 100 times, and passed 70 times" "$(get skips 0 taken) $(get skips 0 not_taken)" "100 70"
is "the block behind it took 20 cycles more" "$(get skips 0 refill_cycles)" 20.0
is "a cmov could stand for it" "$(get skips 0 cmov_mispredicted_less)" 30
is "... not for one that skips a store" "$(get skips 1 cmov_mispredicted_less)" 0
is "laid out the other way 30 branches less are taken" "$(get skips 0 layout_taken_less)" 30
is "a hint gains nothing where it is passed more often than mispredicted" \
	"$(get skips 0 hint_mispredicted_less)" 0
is "text has the same" "$(why -q --stdio -i m.data | awk '$1 == 30 { print $1, $2, $3, $4, $10 }')" \
	"30 30.00% 100 58.82% 20.00"
is "the order is that of mispredictions" "$(why -q --stdio -i m.data | awk 'NF { print $1 }' | head -2 | xargs)" "30 10"
sed 's/,predicted=1//g; s/,mispred=1//g; s/,cycles=[0-9]*//g' m.txt | made_file branch-file bare.data
why --json -i bare.data >json
is "no branch says whether it was mispredicted: not known" \
	"$(get skips 0 mispredicted) $(get skips 0 mispredict_rate) $(get skips 0 refill_cycles)" "null null null"
like "... as text" "$(why --stdio -i bare.data | grep 'skips+')" '^ +-  +-  +[0-9]'
like "... and it is said" "$(cat err)" 'No branch of this recording says'
made_file branch-file -f 0x10 calls.data <m.txt
why --json -i calls.data >json
is "only some branches: shares are not known" "$(get skips 0 taken_percent) $(get skips 0 count)" "null 100"
like "... and it is said" "$(cat err)" 'keeps only some branches'
made_file branch-file -b big.data <m.txt
why --json -i big.data >json
is "the other byte order: the same counts" "$(python3 -c '
import json
print(sorted(b["mispredicted"] for b in json.load(open("json"))["branches"] if b["mispredicted"]))')" "[10, 30]"

# ---- what cannot be asked
check_status "nothing that there is" 129 "$PERF" report --branches=how -i m.data
like "... says what there is" "$("$PERF" report --branches=how -i m.data 2>&1)" '--branches=why'
check_status "with rows of branches" 129 "$PERF" report --branches=why -b -i m.data
made_file branch-file -f 0 plain.data <m.txt
check_status "a recording without branches" 1 "$PERF" report --branches=why -i plain.data
like "... says how to record some" "$("$PERF" report --branches=why -i plain.data 2>&1)" 'Record with -b'

# ---- real programs: an interpreter and a numeric kernel
real() { # real NAME PROGRAM...
	_name=$1
	shift
	if ! "$PERF" record -q -b -o r.data -- "$@" >rec.out 2>&1; then
		skip "$_name: totals are those of report -b" "cannot record: $(tail -1 rec.out)"
		return
	fi
	why --json -i r.data >json
	is "$_name: totals are those of report -b" "$(python3 -c '
import json; print(sum(b["count"] for b in json.load(open("json"))["branches"]))')" \
		"$("$PERF" report -b -s addr_from --json -i r.data 2>err | python3 -c '
import json, sys; print(sum(r["samples"] for e in json.load(sys.stdin)["events"] for r in e["rows"]))')"
}
real "an interpreter" awk 'BEGIN { for (i = 0; i < 2000000; i++) n += i * i % 7; print n }'
# shellcheck disable=SC2046
real "a numeric kernel" factor $(seq 1000000000000000003 2 1000000000000002003)
done_testing
