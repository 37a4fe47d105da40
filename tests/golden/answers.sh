#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What registers and branches say, of recordings that are kept with the truth beside them: tests/data/answers/README.md.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
DATA=$ROOT/tests/data/answers
mkdir -p "$TMP/sys/opt/truth"
cp "$DATA/truth" "$TMP/sys/opt/truth"
cd "$TMP" || exit 1
"$PERF" check feature -q zydis || skip_all "built without Zydis: what instructions do is not known"

report() { # report FILE OPTION...
	_file=$1
	shift
	"$PERF" report --symfs "$TMP/sys" --json "$@" -i "$DATA/$_file" 2>err
}
py() {
	python3 -c "import json
d = json.load(open('json'))
r = {x['symbol'].split()[-1]: x for e in d.get('events', []) for x in e['rows']}
b = [x for x in d.get('branches', []) if x['symbol'] == 'rounds']
$1"
}
report regs.data --numbers -s sym >json
is "lanes by what is in them" "$(py 'x = r["flushed"]; print(x["denormal_lanes"], x["nan_lanes"], x["inf_lanes"], x["zero_lanes"], x["lane_type"])')" \
	"25.0 12.5 12.5 12.5 f32"
is "under FTZ and DAZ" "$(py 'print(r["flushed"]["ftz_samples"], r["flushed"]["daz_samples"])')" "100.0 100.0"
is "which were not set before" "$(py 'print(r["rounds"]["ftz_samples"], r["rounds"]["daz_samples"], r["rounds"]["fp_flags"])')" "0.0 0.0 none"
# The same on a terminal of 80 columns: what has no room stands below, of the row at the cursor.
if "$PERF" check feature -q slang; then
	while IFS='|' read -r option want; do
		screen <<E
size 80x24
run $PERF report --symfs $TMP/sys $option -s sym -i $DATA/regs.data
wait flushed
match $want
key q
exit 0
ok in the browser: $option
E
	done <<'E'
--numbers|100\.0% +12\.5% +12\.5% +25\.0% +f32 +none  \[\.\] flushed
--idle-lanes|(?s)Could be.*flushed
--dirty|(?s)Upper .*flushed
--apx|(?s)Could be.*flushed
--simd|(?s)SIMD Use.*uses ymm .*flushed
--values=zmm1.f32[0]|(?s)Values.*100\.0%.*flushed
E
else
	skip "in the browser" "no S-Lang in this build"
fi

report branches.data --branches=why >json
is "a loop of seven: six times taken, then not" "$(py 'print(b[0]["kind"], b[0]["pattern"], b[0]["run_taken"], b[0]["run_not_taken"])')" \
	"COND loop, 6.0 times 6.0 1.0"
is "each run that was seen whole" "$(py 'print({(x["outcome"], x["length"]) for x in d["runs"] if x["addr"] == b[0]["addr"] and x["whole"]} == {("taken", "6"), ("not taken", "1")})')" True
is "what alternates" "$(py 'x = [x for x in b if x["pattern"] == "alternates"][0]; print(x["entropy"], x["entropy_own"], abs(x["taken_percent"] - 50) < 1)')" \
	"1.0 0.0 True"
is "a call by register, 3 to 1" "$(py 'print([(t["target"], round(t["percent"])) for t in d["targets"]], [x["entropy"] for x in b if x["kind"] == "IND_CALL"])')" \
	"[('often', 75), ('seldom', 25)] [0.81]"
report branches.data --branches=paths >json
is "rounds of the loop" "$(py 'print({x["rounds"] for x in d["rounds"] if x["whole"] and x["head"].startswith("rounds+") and x["head_addr"] < x["branch_addr"] < x["head_addr"] + 8})')" "{7}"
report branches.data --branches=cycles >json
is "cycles that nobody counted are none" "$(py 'print({x["cycles"] for x in d["blocks"]}, {x["ipc"] for x in d["blocks"]})')" "{None} {None}"
like "and beside instructions" "$("$PERF" annotate --symfs "$TMP/sys" --branches=why --stdio -i "$DATA/branches.data" rounds 2>/dev/null)" \
	'75% often, 25% seldom'
done_testing
