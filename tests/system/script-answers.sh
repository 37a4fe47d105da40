#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# script --json --branches and --profile-quality: rows of report's tables at the branches and samples that they are about.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
"$PERF" check feature -q capstone || "$PERF" check feature -q zydis || skip_all "built without a library that decodes instructions"

cp "$ROOT/tests/data/annotate/walk" "$ROOT/tests/data/answers/truth" "$TMP"
mkdir -p "$TMP/sys/opt/truth"
cp "$TMP/truth" "$TMP/sys/opt/truth"
cd "$TMP" || exit 1
made_file branch-file branches.data <"$ROOT/tests/data/annotate/walk.branches"
answers() {
	"$PERF" script --json --branches=why,cycles,paths "$@" 2>err
}

# agree.py LINES WHY CYCLES PATHS: each answer is the row of report --json that is about this place, as far as it says
# more than where that is; prints how many of each were compared.
cat >agree.py <<'EOF'
import collections, json, sys
why, cycles, paths = (json.load(open(f)) for f in sys.argv[2:5])
def by(rows, *keys):
    d = {}
    for r in rows:
        d.setdefault(tuple(r[k] for k in keys), r)
    return d
branches, targets = by(why['branches'], 'branch'), by(why['targets'], 'branch', 'target')
blocks, edges = by(cycles['blocks'], 'from', 'to'), by(cycles['edges'], 'branch', 'target')
loops = by(paths['loops'], 'branch', 'head')
compared = collections.Counter()
def name(b, end):
    off = b[end + '_symoff'] if b[end + '_sym'] else int(b[end], 16)
    return (b[end + '_sym'] or '') + (('+' if b[end + '_sym'] else '') + hex(off) if off or not b[end + '_sym'] else '')
def hold(what, answer, row):
    assert (answer is None) == (row is None), (what, answer, row)
    for k in answer or ():
        assert answer[k] == row[k], (what, k, answer, row)
    compared[what] += answer is not None
for line in open(sys.argv[1]):
    s = json.loads(line)
    for b, before in zip(s['branches'], s['branches'][1:] + [None]):
        f, t = name(b, 'from'), name(b, 'to')
        hold('why', b['why'], branches.get((f,)))
        if b['why'] and b['why']['kind'].startswith('IND'):
            hold('target', b['target'], targets.get((f, t)))
        hold('edge', b['edge'], edges.get((f, t)))
        hold('loop', b['loop'], loops.get((f, t)))
        block = blocks.get((name(before, 'to'), f)) if before else None
        hold('block', b['block'], block)
        known = block and block['min'] is not None and b['cycles'] is not None
        assert b['cycles_above_best'] == (b['cycles'] - block['min'] if known else None), b
        if b['path']:
            row = paths['paths'][b['path']['number'] - 1]
            here = row['path'].split(', ')[b['path_block'] - 1]
            assert here.startswith(name(before, 'to')) and here.endswith('..' + f), (here, b)
            hold('path', {k: v for k, v in b['path'].items() if k != 'number'}, row)
        else:
            assert b['path_block'] is None and (not before or (name(before, 'to'), f) not in blocks), b
print(*sorted(compared.items()))
EOF
agrees() { # agrees NAME WANT OPTION...: all of them, with as many compared
	_name=$1 _want=$2
	shift 2
	answers -F ip,brstacksym "$@" >lines
	for what in why cycles paths; do
		"$PERF" report --branches=$what --json "$@" >$what 2>>err
	done
	is "$_name" "$(python3 agree.py lines why cycles paths 2>&1)" "$_want"
}
agrees "each answer is the row of report that is about it" \
	"('block', 33) ('edge', 46) ('loop', 23) ('path', 33) ('why', 46)" -i branches.data
py() {
	python3 -c "import json
d = [json.loads(l) for l in open('lines')]
b = d[0]['branches']
$1"
}
# 23 branches left 0x40018d, of which 13 were mispredicted: known by construction.
is "why: how often it was mispredicted" "$(py 'print(b[0]["why"]["mispredict_rate"], b[0]["why"]["count"])')" "56.52 23"
# From 0x40017c through 0x40018d 10 blocks of 5 cycles and 10 of 4.
is "cycles: this time against the best, and what is usual" \
	"$(py 'print([(x["cycles"], x["cycles_above_best"]) for x in (b[0], b[2])], b[0]["block"]["mean"], b[0]["block"]["p90"])')" \
	"[(4, 0), (5, 1)] 4.5 5"
is "what was before the oldest branch is not known" "$(py 'print(b[3]["block"], b[3]["cycles_above_best"], b[3]["path"], b[3]["why"]["count"])')" \
	"None None None 20"
# What did not run is not counted: the block goes from the branch that did before, and takes the cycles of what lies between.
made_file branch-file skip.data <<'EOF'
map 0x400000 0x1000 /proc/self/cwd/walk
sample 10 0x400183 from=0x40018d,to=0x400171,predicted=1,cycles=4 from=0x400180,to=0x400185,not_taken=1,cycles=2 from=0x4001aa,to=0x40017c,predicted=1,cycles=9
sample 1 0x400183 from=0x40018d,to=0x400171,predicted=1,cycles=5 from=0x400184,to=0x400140,spec=1,cycles=4 from=0x4001aa,to=0x40017c,predicted=1,cycles=9
EOF
answers -F ip,brstack -i skip.data >lines
is "branches that did not run: the block is that behind the one before" \
	"$(py 'print([[(x["block"] and x["block"]["count"], x["cycles_above_best"], x["path_block"]) for x in s["branches"]] for s in (d[0], d[10])])')" \
	"[[(11, 0, 1), (None, None, None), (None, None, None)], [(11, 3, 1), (None, None, None), (None, None, None)]]"
PYTHONPATH="$ROOT/tests/helpers" python3 - <<'EOF'
from perfdata import *
attrs = [Attr(sample_type=IDENTIFIER | IP | TID | TIME | BRANCH_STACK, flags='sample_id_all', branch_sample_type=t, ids=[n])
         for n, t in enumerate((BRANCH_ANY, BRANCH_ANY_CALL), 1)]
r = Recording(*attrs)
r.comm(10, 'calls')
r.mmap(10, 0x400000, 0x1000, 0, '/proc/self/cwd/walk')
for a in attrs:
    r.sample(attr=a, id=a.ids[0], pid=10, ip=0x400183, branches=[{'from': f, 'to': t, 'predicted': 1, 'cycles': 4}
                                                    for f, t in ((0x40018d, 0x400171), (0x4001aa, 0x40017c))])
r.features[ARCH] = r.string('x86_64')
r.features[HAS_BRANCH_STACK] = b''
r.write('some.data')
EOF
answers -F ip,brstack -i some.data >lines
is "nor is there a block between calls alone, where other events have all branches" \
	"$(py 'print([(s["branches"][0]["block"] or {}).get("count") for s in d])')" "[1, None]"
is "fields that were not asked are not there" "$("$PERF" script --json -F ip,brstack -i branches.data | grep -cE 'why|block|loop|quality')" 0
is "one answer alone" "$("$PERF" script --json --branches=cycles -F ip -i branches.data 2>err | python3 -c '
import json, sys; print(sorted({k for l in sys.stdin for b in json.loads(l)["branches"] for k in b} & {"why", "block", "edge", "path", "loop"}))')" "['block', 'edge']"

# ---- a recording without cycles and predictions
agrees "a recording by software: the same" \
	"('block', 2906) ('edge', 3000) ('loop', 2211) ('path', 2906) ('target', 315) ('why', 3000)" --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/branches.data"
is "cycles that nobody counted, rates that nobody knows are null" "$(py 'print({x["cycles"] for s in d for x in s["branches"]},
	{x[k] for s in d for y in s["branches"] for x in [y["block"]] if x for k in ("mean", "min", "p90", "ipc", "best_ipc")},
	{x["why"]["mispredict_rate"] for s in d for x in s["branches"] if x["why"]}, {x["cycles_above_best"] for s in d for x in s["branches"]})')" \
	"{None} {None} {None} {None}"
like "and it is said" "$(cat err)" 'no branch of this recording has cycles'
is "a loop of seven rounds, at its branch back" "$(py 'print({(x["loop"]["mean_rounds"], x["why"]["pattern"]) for s in d for x in s["branches"]
	if x["loop"] and x["from_sym"] == "rounds" and x["why"]["pattern"].startswith("loop")})')" "{(7.0, 'loop, 6.0 times')}"
agrees "of a time alone, as report of that" "$(
	answers -F ip,brstacksym --time 20%-60% --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/branches.data" >lines
	for what in why cycles paths; do "$PERF" report --branches=$what --json --time 20%-60% --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/branches.data" >$what 2>err; done
	python3 agree.py lines why cycles paths)" --time 20%-60% --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/branches.data"

# ---- quality
for f in branches.data "$ROOT/tests/data/answers/branches.data"; do
	"$PERF" script --json --profile-quality --symfs "$TMP/sys" -i "$f" >lines 2>err
	"$PERF" report --json --profile-quality --symfs "$TMP/sys" -i "$f" 2>err | head -c -0 >json
	is "quality: the first line is what report says" "$(head -1 lines)" "$(cat json)"
	is "and each sample has its function's row" "$(python3 -c '
import json
lines = [json.loads(l) for l in open("lines")][1:]
rows = {f["function"]: f for f in json.load(open("json"))["functions"]}
print(len(lines) > 9, all(s["quality"][k] == rows[s["sym"]][k] for s in lines for k in s["quality"]), {len(s["quality"]) > 5 for s in lines})')" "True True {True}"
done
is "samples without branches have one, too" "$("$PERF" script --json --profile-quality --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/regs.data" 2>err |
	grep -c '"quality":{"percent":')" "$("$PERF" script --json --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/regs.data" 2>err | wc -l)"

# ---- any number of jobs
answers --profile-quality -j 1 --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/branches.data" >one
for j in 2 3 8; do
	is "the same by $j threads" "$(answers --profile-quality -j $j --symfs "$TMP/sys" -i "$ROOT/tests/data/answers/branches.data" | cmp one - 2>&1)" ""
done
is "of several recordings each has its own" "$(answers branches.data branches.data | md5sum)" "$( (answers branches.data; answers branches.data) | md5sum)"

# ---- what cannot be asked
refuses() { # refuses NAME STATUS WORDS COMMAND...
	_name=$1 _status=$2 _words=$3
	shift 3
	"$@" >out 2>err
	is "$_name: status, and nothing is printed" "$? $(wc -c <out | tr -d ' ')" "$_status 0"
	like "$_name: the reason" "$(tr '\n' ' ' <err)" "$_words"
}
refuses "text" 129 'needs --json.*perf report --branches=why' "$PERF" script --branches=why -i branches.data
refuses "text of --profile-quality" 129 'needs --json.*perf report --profile-quality' "$PERF" script --profile-quality -i branches.data
refuses "another word" 129 "nothing that branches are asked" "$PERF" script --json --branches=why,nonsense -i branches.data
refuses "no branches" 255 'no branch data.*Record with -b' "$PERF" script --json --branches=why -i "$ROOT/tests/data/answers/regs.data"
"$PERF" record -q -o - -e cpu-clock -- true >pipe.data 2>out ||
	{ skip "a pipe" "cannot record here: $(head -1 out)"; : >pipe.data; }
if [ -s pipe.data ]; then
	# shellcheck disable=SC2002
	cat pipe.data | { "$PERF" script --json --profile-quality -i - >out 2>err; echo "$? $(wc -c <out | tr -d ' ')" >status; }
	is "a pipe: status, and nothing is printed" "$(cat status)" "255 0"
	like "a pipe: the reason, and what to do" "$(tr '\n' ' ' <err)" 'standard input can be read only once.*Save it to a file.*perf report --json --profile-quality -i -'
	is "saved to a file it can be read" "$("$PERF" script --json --profile-quality -i pipe.data 2>err | head -1 | cut -c 1-12)" '{"verdict":['
fi

# ---- damaged recordings: what is whole is answered, as by script and report
python3 - <<'E'
d = bytearray(open('branches.data', 'rb').read())
at, size = (int.from_bytes(d[i:i + 8], 'little') for i in (40, 48))
end = at + size
for n in range(8):
    at += int.from_bytes(d[at + 6:at + 8], 'little')
assert at < end
d[at + 6:at + 8] = bytes([3, 0])
open('damaged.data', 'wb').write(d)
E
"$PERF" script --json -F ip,brstack -i damaged.data >plain 2>plain.err
plain=$?
answers -F ip --profile-quality -i damaged.data >lines
is "a damaged recording: its status" "$?" "$plain"
is "as many samples" "$(($(wc -l <lines) - 1))" "$(wc -l <plain | tr -d ' ')"
is "and the damage is told, once" "$(grep -c -F -f plain.err err) $(wc -l <plain | tr -d ' ') $plain" "$(wc -l <plain.err | tr -d ' ') 6 1"
# Branches to nowhere that anybody knows.
made_file branch-file odd.data <<'EOF'
map 0x400000 0x1000 /proc/self/cwd/walk
sample 2 0x400183 from=0xffffffffffffffff,to=0x0,predicted=1,cycles=65535 from=0x40018d,to=0xdead000000000000,mispred=1,cycles=1 from=0x0,to=0x400171,cycles=3
sample 1 0x7 from=0x7,to=0x7
sample 1 0x400183
EOF
answers -F ip --profile-quality -i odd.data >lines
is "branches to nowhere" "$? $(python3 -c '
import json
d = [json.loads(l) for l in open("lines")][1:]
print([[x["why"] is not None for x in s.get("branches", [])] for s in d])')" "0 [[True, True, True], [True, True, True], [True], []]"
done_testing
