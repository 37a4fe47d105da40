#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --apx of a recording made here and of one with R16 to R31 by the format, --shadow-stack of chains whose
# true depth is known; both with one job and with many, in pieces, in JSON, and refused where there is nothing to see.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
HELPERS=$(dirname "$0")/../helpers

python3 - "$HELPERS" "$PERF" "$TMP" <<'P' || fail "files are made"
import sys
sys.path.insert(0, sys.argv[1])
from perfdata import *

perf, out = sys.argv[2:]
EGPR, SSP = 0xffff << 24, 1 << 40
TOP = 0x7f0000400000


def recording(arch, mask, big=False, **more):
    r = Recording(Attr(sample_type=IP | TID | TIME | CALLCHAIN | REGS_USER, size=176, sample_regs_user=mask,
                       simd_regs_enabled=1, flags='mmap comm sample_id_all', **more), big=big)
    r.features[ARCH] = r.string(arch)
    r.comm(10, 'deep')
    r.mmap(10, 0x400000, 0x10000, 0, '/nowhere/deep')
    return r


def sample(r, chain, gprs):
    r.sample(pid=10, ip=0x400100, chain=[CONTEXT_USER] + [0x400100 + 16 * i for i in range(chain)],
             regs_user=dict(abi=ABI_64 | ABI_SIMD, gprs=gprs))


# Of 300 samples of a thread that calls itself: a third lacks two frames, a tenth has one that is not there.
r = recording('x86_64', SSP)
for i in range(300):
    depth = 5 + i % 7
    sample(r, depth - 2 if i % 3 == 0 else depth + 1 if i % 10 == 1 else depth, [TOP - 8 * (depth - 1)])
r.write(out + '/shadow.data')
r = recording('x86_64', EGPR)
for i in range(100):
    sample(r, 1, [i if n == 3 else 9 if n == 7 and i % 2 else 4 if n == 1 else 0 for n in range(16)])
r.write(out + '/egpr.data')
# LBR call stacks have so many calls as the CPU has registers: one that fills them may go on. 40 calls, of which 32 are seen
# and the sampled address; and 6, which are all.
def lbr_recording():
    r = Recording(Attr(sample_type=IP | TID | TIME | CALLCHAIN | BRANCH_STACK | REGS_USER, size=176, sample_regs_user=SSP,
                       branch_sample_type=BRANCH_USER | BRANCH_CALL_STACK, simd_regs_enabled=1, flags='mmap comm sample_id_all'))
    r.features[ARCH] = r.string('x86_64')
    r.comm(10, 'deep')
    r.mmap(10, 0x400000, 0x10000, 0, '/nowhere/deep')
    return r


def lbr(r, calls, seen):
    r.sample(pid=10, ip=0x400100, chain=[CONTEXT_USER, 0x400100],
             branches=[{'from': 0x400208 + 16 * i, 'to': 0x400100 + 16 * i} for i in range(seen)],
             regs_user=dict(abi=ABI_64 | ABI_SIMD, gprs=[TOP - 8 * calls]))


r = lbr_recording()
for calls, seen in [(40, 32), (6, 6), (6, 6), (6, 6)]:
    lbr(r, calls, seen)
r.write(out + '/lbr.data')
# Such stacks that do not say how deep it was: of ten, five lack three calls (returns that the CPU matched with others), one
# has two that had returned, by longjmp.
r = lbr_recording()
for i in range(10):
    lbr(r, 9, 6 if i < 5 else 11 if i == 5 else 9)
r.write(out + '/lbr-wrong.data')
recording('aarch64', 1).write(out + '/none.data')
r = recording('aarch64', 1)
sample(r, 1, [0])
r.write(out + '/arm.data')
P

json() { # json NAME FILE PYTHON OPTION...: a condition over r, the only row
	_name=$1 _file=$TMP/$2.data _python=$3
	shift 3
	"$PERF" report --json "$@" -i "$_file" >"$TMP/json" 2>"$TMP/err"
	python3 - "$TMP/json" "$_python" >"$TMP/why" 2>&1 <<'P' && pass "$_name" || fail "$_name" "$(cat "$TMP/why" "$TMP/err")"
import json, sys
rows = [x for e in json.load(open(sys.argv[1]))['events'] for x in e['rows']]
ok = len(rows) == 1 and eval('(' + sys.argv[2] + ')', {'r': rows[0]})
if not ok:
    print(rows)
sys.exit(not ok)
P
}
# A third: 100 chains lack 2 each. Of the other 200 every i with i % 10 == 1 is 1, 31, 61 ... and 11, 41, 71 ...: 20.
SHADOW='r["chain_missed"] == 33.3 and r["frames_missed"] == 200 and r["chain_more"] == 6.7
	and r["shadow_depth"] == 8 and r["chain_cut"] == 0'
json "chains that lack frames, and that have too many" shadow "$SHADOW" --shadow-stack -s dso --no-children
json "the same with eight jobs" shadow "$SHADOW" --shadow-stack -s dso --no-children -j 8
json "and in pieces" shadow "$SHADOW" --shadow-stack -s dso --no-children --pieces 7
json "an LBR that is full is a chain that was cut" lbr \
	'r["chain_cut"] == 25 and r["chain_missed"] == r["chain_more"] == 0 and r["shadow_depth"] == 7' --shadow-stack -s dso --no-children
json "LBR call stacks that lack calls, and that have too many" lbr-wrong \
	'r["chain_missed"] == 50 and r["frames_missed"] == 15 and r["chain_more"] == 10 and r["chain_cut"] == 0 and r["shadow_depth"] == 10' \
	--shadow-stack -s dso --no-children
json "... not unwound for the call graph, too" lbr-wrong 'r["frames_missed"] == 15 and r["chain_more"] == 10' \
	--shadow-stack -s dso --no-children -g none
# The same in the page, of single samples and on a terminal.
for kind in shadow lbr lbr-wrong; do
	"$PERF" report -q --shadow-stack --html "$TMP/page.html" -i "$TMP/$kind.data" 2>"$TMP/err"
	"$PERF" report --json -n --shadow-stack --no-children -i "$TMP/$kind.data" >"$TMP/json" 2>"$TMP/err"
	like "the page says so, too: $kind" "$(python3 -S "$HELPERS/page-data.py" "$TMP/page.html" registers shadow-stack "$TMP/json" | tail -1)" '^ok [1-9]'
	"$PERF" script --json -F ip,marks -i "$TMP/$kind.data" >"$TMP/lines" 2>"$TMP/err"
	is "and samples, one by one: $kind" "$(python3 -c 'import json, sys
marks = [json.loads(l)["marks"] for l in open(sys.argv[1])]
rows = [x for e in json.load(open(sys.argv[2]))["events"] for x in e["rows"]]
told = [m for m in marks if m["chain_cut"] is not None]
cut = [m for m in told if m["chain_cut"]]
print(len(told) == sum(r["samples"] for r in rows), sum(m["frames_missed"] or 0 for m in told) == sum(r["frames_missed"] for r in rows),
      abs(100 * len(cut) / len(told) - sum(r["chain_cut"] * r["samples"] for r in rows) / len(told)) < 0.06)' "$TMP/lines" "$TMP/json")" "True True True"
done
if "$PERF" check feature -q slang; then
	screen <<E
size 80x24
run $PERF report --shadow-stack -s dso --no-children -g none -i $TMP/lbr-wrong.data
wait Missed
match Depth
wait 50.0%
wait deep
key q
exit 0
E
else
	skip "on a terminal" "no S-Lang in this build"
fi
json "r16 to r31: which hold more than one value" egpr \
	'r["egpr_used"] == 2 and r["egpr_live"] == 100 and r["stack_moves"] is None and r["regs_spare"] is None' \
	--apx -s dso --no-children
json "the same in pieces" egpr 'r["egpr_used"] == 2 and r["egpr_live"] == 100' --apx -s dso --no-children --pieces 7
json "--redact shows none" egpr 'r["egpr_used"] is None and r["egpr_live"] is None' \
	--apx -s dso --no-children --redact
like "text says what its columns are" "$("$PERF" report --stdio --shadow-stack -g none -i "$TMP/shadow.data" 2>&1)" \
	'# *Overhead +Samples +Depth +Missed +Frames +More +Cut  Shared Object'

like "... and that rows may be there for what they call alone" \
	"$("$PERF" report --stdio --shadow-stack --children -g none -i "$TMP/shadow.data" 2>&1)" \
	'# Rows that are here for what they call, with no samples of their own'
unlike "... only where there are such" "$("$PERF" report --stdio --shadow-stack --no-children -g none -i "$TMP/shadow.data" 2>&1)" \
	'here for what they call'

# Chains that are unwound from copies of stacks: of spin, seven of down, main, and what the C library calls that from, here
# three frames: so that 11 calls have not returned. With copies that are too short for all of them what is missing is counted: held
# against the chains that script prints.
STACKS=$O/tests/helpers/stacks
if [ "$(uname -m)" = x86_64 ] && [ -x "$STACKS" ] &&
	"$PERF" record -q --call-graph dwarf,8192 -e cpu-clock:u -F 500 -o "$TMP/long.data" "$STACKS" deep 6 >"$TMP/out" 2>&1 &&
	"$PERF" record -q --call-graph dwarf,200 -e cpu-clock:u -F 500 -o "$TMP/short.data" "$STACKS" deep 6 >"$TMP/out" 2>&1; then
	"$PERF" script -F ip,sym -i "$TMP/long.data" 2>/dev/null >"$TMP/chains"
	depth=$(awk -v RS= '$2 == "spin" && NF / 2 > most { most = NF / 2 } END { print most }' "$TMP/chains")
	like "what the program calls is in the chain" "$(awk '{ print $2 }' "$TMP/chains" | tr '\n' ' ')" 'spin (down ){7}main '
	for how in long short; do
		python3 "$HELPERS/add-ssp.py" "$TMP/$how.data" "$TMP/ssp.data" $((depth - 1))
		"$PERF" script -F ip,sym -i "$TMP/ssp.data" 2>/dev/null >"$TMP/chains"
		"$PERF" report --json --shadow-stack -s sym --no-children -i "$TMP/ssp.data" >"$TMP/json" 2>"$TMP/err"
		python3 - "$TMP/chains" "$TMP/json" $how "$depth" >"$TMP/why" 2>&1 <<'P' && pass "unwound chains, $how copies of stacks" || fail "unwound chains, $how copies of stacks" "$(cat "$TMP/why")"
import json, sys
chains = [[l.split()[1] for l in c.splitlines() if l.strip()] for c in open(sys.argv[1]).read().split('\n\n')]
chains, depth = [c for c in chains if c and c[0] == 'spin'], int(sys.argv[4])
r = [x for e in json.load(open(sys.argv[2]))['events'] for x in e['rows'] if x['symbol'].endswith(' spin')][0]
lack = [depth - len(c) for c in chains]
print(r, sorted(set(lack)))
assert len(chains) > 20 and r['samples'] == len(chains)
assert r['shadow_depth'] == depth and r['chain_more'] == 0 and r['frames_missed'] == sum(lack)
assert abs(r['chain_missed'] - 100 * sum(l > 0 for l in lack) / len(lack)) < 0.06
assert (max(lack) == 0) == (sys.argv[3] == 'long')
P
	done
	# Where more than calls and returns happened: so many calls beyond those before main has what a shadow stack would have.
	# A signal puts two words on it: the pointer from before, which stands for the interrupted function, and the
	# address that the handler returns to. What was left by longjmp, or by a jump at its end, is on neither stack. A thread has one
	# of its own, whose first call is that of start_thread.
	while read -r kind calls chain; do
		[ "$kind" = thread ] || calls=$((depth - 9 + calls)) # main is called, and has called spin by way of seven
		"$PERF" record -q --call-graph dwarf,8192 -e cpu-clock:u -F 500 -o "$TMP/long.data" "$STACKS" "$kind" >"$TMP/out" 2>&1
		python3 "$HELPERS/add-ssp.py" "$TMP/long.data" "$TMP/ssp.data" "$calls"
		"$PERF" script -F ip,sym -i "$TMP/ssp.data" 2>/dev/null | awk '{ print $2 }' | tr '\n' ' ' >"$TMP/chains"
		like "$kind: the chain" "$(cat "$TMP/chains")" "$chain"
		json "$kind: as deep as its chain" ssp "r['samples'] > 20 and r['shadow_depth'] == $calls + 1 and
			r['chain_missed'] == r['chain_more'] == r['chain_cut'] == 0" --shadow-stack -s sym --no-children --symbol-filter spin
	done <<'E2'
handled 4 spin handler [^ ]+ handled main
tail 2 spin tail_to main
jump 2 spin jumps main
thread 3 spin works (start_thread|.unknown.)
E2
else
	skip "unwound chains" "cannot record stacks here: $(head -1 "$TMP/out")"
fi

refused() { # refused NAME TEXT OPTION...
	_name=$1 _text=$2
	shift 2
	"$PERF" report --stdio "$@" >"$TMP/out" 2>&1
	_status=$?
	like "$_name" "$_status $(tr '\n' ' ' <"$TMP/out")" "^(1|129|255) .*$_text"
}
refused "no shadow stack pointers" 'no shadow stack pointers.*--user-regs=ssp' --shadow-stack -i "$TMP/egpr.data"
refused "another machine" 'of arm64, and those are things of x86' --apx -i "$TMP/arm.data"
refused "not with -b" '--apx shows samples, -b shows branches' --apx -b -i "$TMP/egpr.data"

[ "$(uname -m)" = x86_64 ] && "$PERF" check feature -q zydis ||
	{ skip "code of this machine" "not x86-64, or built without Zydis: what instructions do is not known"; done_testing; exit; }
"$PERF" record -q -e cpu-clock -F 2000 -o "$TMP/run.data" -- "$PERF" test -w noploop 0.3 >/dev/null 2>&1 ||
	{ skip "code of this machine" "cannot record here"; done_testing; exit; }
"$PERF" report --stdio -q --apx -s sym -t '|' -i "$TMP/run.data" >"$TMP/one" 2>&1
like "a recording without registers says what code does" "$(grep noploop "$TMP/one" | head -1)" \
	'\| *[0-9.]+% *\| *[0-9.]+% *\| *[0-9.]+% *\| *1?[0-9] *\| *0\.0% *\| *- *\| *- *\| *as it is *\|'
"$PERF" report --stdio -q --apx -s sym -t '|' -j 8 -i "$TMP/run.data" >"$TMP/many" 2>&1
is "and with eight jobs the same" "$(cat "$TMP/one")" "$(cat "$TMP/many")"
done_testing
