#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --branches=cycles: planted cycles, refills and slow edges; IPC against the best; and an exact trace with
# a cycle for each instruction.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3 perl objdump
KINDS=$O/tests/helpers/branch-kinds
[ -x "$KINDS" ] || skip_all "the helper programs are not built (make tests)"
cd "$TMP" || exit 1
cycles() {
	"$PERF" report --branches=cycles "$@" 2>err
}
# get TABLE FUNCTION COLUMN...: of the table's first row whose branch, or block, is in the function
get() {
	python3 -c '
import json, sys
table, name, *cols = sys.argv[1:]
row = next(r for r in json.load(open("json"))[table]
           if (r.get("symbol") or r.get("branch")).split("+")[0] == name)
print(*["null" if row[c] is None else "%g" % row[c] for c in cols])' "$@"
}
insns() { # insns FUNCTION: addresses of its instructions in the files below
	perl "$ROOT/tests/helpers/insns.pl" "$KINDS" "$1" 0x400000
}
# shellcheck disable=SC2046
set -- $(insns loop7)
loop7=$1 nr=$#
eval "ret=\${$nr}"
# shellcheck disable=SC2046
set -- $(insns main)
call=$3 other=$5 main=$4
{
	echo "map 0x400000 0x100000 $KINDS"
	# from one place 20 times in 4 cycles, where it was mispredicted 5 times in 34; from another 10 times in 12
	echo "sample 20 $main from=$ret,to=$main,predicted=1,cycles=4 from=$call,to=$loop7,predicted=1,cycles=1"
	echo "sample 5 $main from=$ret,to=$main,predicted=1,cycles=34 from=$call,to=$loop7,mispred=1,cycles=1"
	echo "sample 10 $main from=$ret,to=$main,predicted=1,cycles=12 from=$other,to=$loop7,predicted=1,cycles=1"
	# too long for one step of the histogram
	echo "sample 1 $main from=$ret,to=$main,predicted=1,cycles=1000 from=$call,to=$loop7,predicted=1,cycles=1"
} >m.txt
made_file branch-file m.data <m.txt
cycles --json -i m.data >json
if grep -q 'built without' err; then skip_all "built without a library that decodes instructions"; fi
sum=$((20 * 4 + 5 * 34 + 10 * 12 + 1000))
is "a block's cycles, how often it ran, least and most" \
	"$(get blocks loop7 cycles count with_cycles min max)" "$sum 36 36 4 1000"
# The nine tenth are 34: so many at most, to the end of a step from 32 on.
is "median and 90 % as a sorted list has them, in steps of a quarter" "$(get blocks loop7 median p90)" "4 39"
is "above the best" "$(get blocks loop7 above_best)" "$((sum - 36 * 4))"
# The loop was passed: the block has a jump back that was not taken, and all instructions of the function.
is "instructions of the block" "$(get blocks loop7 instructions)" "$nr"
is "IPC, of the mean and of the best" "$(get blocks loop7 ipc best_ipc)" \
	"$(perl -e 'printf "%g %g", sprintf("%.2f", $ARGV[0] * 36 / $ARGV[1]), sprintf("%.2f", $ARGV[0] / 4)' "$nr" "$sum")"
# Blocks behind predicted branches took (80 + 120 + 1000) / 31 on average.
is "mispredicted: so many cycles more than where it was predicted" "$(python3 -c '
import json
e = [e for e in json.load(open("json"))["edges"] if e["mispredicted"]][0]
print(e["refills"], abs(e["refill"] - (34 - 1200 / 31)) < 0.01, e["after_mispredicted"])')" "5 True 34.0"
# By one way 26 times: 20 of 4 cycles, 5 of 34, one of 1000; by the other 10 times of 12. Nine tenths of 26 are 24 times: 34 at
# most, to the end of a step from 32 on.
edge() { # edge COLUMN...: of the edges to loop7, that which was seen most first
	python3 -c '
import json, sys
rows = [e for e in json.load(open("json"))["edges"] if e["target"].split("+")[0] == "loop7"]
rows.sort(key=lambda e: -e["with_cycles"])
print(*["null" if e[c] is None else "%g" % e[c] for e in rows for c in sys.argv[1:]])' "$@"
}
is "what is behind an edge: how often, mean, least, half, nine tenths, most" "$(edge with_cycles mean min median p90 max)" \
	"26 $(perl -e 'printf "%g", sprintf("%.2f", (20 * 4 + 5 * 34 + 1000) / 26)') 4 4 47 1000 10 12 12 12 12 12"
is "the same by 3 threads and in pieces" "$(cycles --json -j 3 -i m.data | md5sum) $(cycles --json --pieces 4 --apart -i m.data | md5sum)" \
	"$(md5sum <json) $(md5sum <json)"
sed '/cycles=1000/d' m.txt | made_file branch-file n.data
cycles --json -i n.data >json
is "an edge whose block takes 8 cycles more than behind the best" "$(python3 -c '
import json
e = json.load(open("json"))["edges"]
print([(x["count"], x["late"], x["lost_cycles"]) for x in e if x["target"] == "loop7" and not x["mispredicted"]])')" \
	"[(10, 8.0, 80.0)]"
is "... and text has it" "$(cycles -q --stdio -i n.data | awk '$2 == 10 && $5 == "8.00" { print $1, $7 }')" "80.00 12.00"
sed 's/,cycles=[0-9]*//g' m.txt | made_file branch-file bare.data
cycles --json -i bare.data >json
is "no cycles: nothing is known of them" \
	"$(get blocks loop7 cycles mean median ipc best_ipc above_best count)" "null null null null null null 36"
like "... and it is said" "$(cat err)" 'no branch of this recording has cycles'
unlike "... nowhere is a 0.00" "$(cycles -q --stdio -i bare.data)" '0\.00'

if "$O/tests/helpers/branch-trace" -c -d 32 -n 61 -o t.data "$KINDS" 60 >trace.out 2>&1; then
	cycles --json -i t.data >json
	is "a cycle per instruction: IPC is 1, at best as well" "$(python3 -c '
import json
b = json.load(open("json"))["blocks"]
print({(x["ipc"], x["best_ipc"]) for x in b if x["symbol"] in ("main", "coin", "loop7", "skips", "biased")})')" "{(1.0, 1.0)}"
	is "all cycles but those of oldest branches are in a block" "$(python3 -c '
import json; print(sum(b["cycles"] for b in json.load(open("json"))["blocks"]))')" \
		"$("$PERF" script -F brstack -i t.data 2>err | awk '{ NF--; for (i = 1; i <= NF; i++) { split($i, f, "/"); s += f[6] } } END { print s }')"
	cycles --csv -i t.data >csv
	is "as CSV: as many blocks" "$(awk '/^\r?$/ { exit } NR > 1' csv | grep -c .)" \
		"$(python3 -c 'import json; print(len(json.load(open("json"))["blocks"]))')"
else
	skip "a cycle per instruction" "programs cannot be traced here: $(tail -1 trace.out)"
fi
done_testing
