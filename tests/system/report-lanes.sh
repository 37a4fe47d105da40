#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --numbers, --idle-lanes, --dirty, --values and script --lanes auto of loops whose numbers,
# lanes and upper halves are known: tests/helpers/lanes.c says which.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "the program is x86-64 assembly"
need_cmd python3
"$PERF" check feature -q zydis || skip_all "built without Zydis: what instructions do is not known"
LANES=$O/tests/helpers/lanes
[ -x "$LANES" ] || skip_all "the program is not built"
"$LANES" denormal 1 || skip_all "this CPU has no AVX2"
wide=ymm
"$LANES" masked 1 && wide=zmm,opmask

# record WHICH ROUNDS [OPTION...]
record() {
	_which=$1 _rounds=$2
	shift 2
	"$PERF" record -q --reg-source=ptrace --user-regs=ax,$wide --reg-budget 0 -F 1000 "$@" \
		-o "$TMP/$_which.data" -- "$LANES" "$_which" "$_rounds" >"$TMP/out" 2>&1
}
record denormal 30000000 || skip_all "cannot record by ptrace here: $(head -1 "$TMP/out")"

# holds NAME WHICH FUNCTION PYTHON OPTION...: a condition over r, the rows of FUNCTION as JSON
holds() {
	_name=$1 _file=$TMP/$2.data _function=$3 _python=$4
	shift 4
	"$PERF" report --json "$@" -i "$_file" >"$TMP/json" 2>"$TMP/err"
	python3 - "$TMP/json" "$_function" "$_python" >"$TMP/why" 2>&1 <<'P' && pass "$_name" || fail "$_name" "$(cat "$TMP/why" "$TMP/err")"
import json, sys
rows = [x for e in json.load(open(sys.argv[1]))['events'] for x in e['rows']]
r = [x for x in rows if x['symbol'].split()[-1] == sys.argv[2]]
ok = bool(r) and eval('(' + sys.argv[3] + ')', {'r': r, 'top': max(r, key=lambda x: x['samples']) if r else None})
if not ok:
    print(r or rows)
sys.exit(not ok)
P
}

for w in ints equal constant narrow varied dirty clean; do
	record $w 30000000 $([ $w = dirty ] || [ $w = clean ] && echo --call-graph fp)
done

holds "of each eight floats 2 are denormal, 1 NaN, 1 infinite, 1 zero" denormal lanes_denormal \
	'top["denormal_lanes"] == 25 and top["nan_lanes"] == top["inf_lanes"] == top["zero_lanes"] == 12.5
	 and top["slow_numbers"] == 100 and top["lane_type"] == "f32" and top["int_zero_lanes"] is None' \
	--numbers -s sym
# MXCSR, which a stopped thread has: values by construction.
for w in denormal flushed raised; do
	"$PERF" record -q --reg-source=ptrace --user-regs=$wide,mxcsr --reg-budget 0 -F 1000 -o "$TMP/mxcsr-$w.data" -- \
		"$LANES" $w 30000000 >"$TMP/out" 2>&1
done
holds "denormals that are taken as zero are not slow, NaNs are" mxcsr-flushed lanes_flushed \
	'top["denormal_lanes"] == 25 and top["daz_samples"] == top["ftz_samples"] == 100' --numbers -s sym
holds "without FTZ and DAZ none are" mxcsr-denormal lanes_denormal \
	'top["daz_samples"] == top["ftz_samples"] == 0 and top["slow_numbers"] == 100 and set(top["fp_flags"]) <= set("PUDI")
	 and "D" in top["fp_flags"] and "I" not in top["fp_flags"]' --numbers -s sym
holds "an exception that was met before, by its letter" mxcsr-raised lanes_raised 'top["fp_flags"] == "Z"' --numbers -s sym
holds "columns are there where it was recorded" denormal lanes_denormal '"daz_samples" not in top' --numbers -s sym
is "script has the register" "$("$PERF" script -F ip,sym,uregs -i "$TMP/mxcsr-flushed.data" 2>/dev/null | grep lanes_flushed | grep -o 'MXCSR:0x[0-9a-f]*' | sed 's/.$/x/' | sort -u)" "MXCSR:0x9fcx"
like "... and -D" "$("$PERF" script -D -i "$TMP/mxcsr-flushed.data" 2>/dev/null)" '\.\.\.\. MXCSR 0x0000000000009fc'
like "... and JSON, with what it knows" "$("$PERF" script -F sym,uregs --json -i "$TMP/mxcsr-flushed.data" 2>/dev/null)" '"MXCSR":"0x9fc[0-9a-f]","mxcsr_flags_known":true'
like "... hidden on demand" "$("$PERF" script -F uregs --redact -i "$TMP/mxcsr-flushed.data" 2>/dev/null)" 'MXCSR:- '
unlike "... nor counted then" "$("$PERF" report --numbers --stdio -q --redact -s sym -i "$TMP/mxcsr-flushed.data" 2>/dev/null)" '100\.0%.*lanes_flushed'
"$PERF" record -q --reg-source=ptrace --user-regs=ax,mxcsr,fsbase -F 1000 -o "$TMP/both.data" -- "$LANES" flushed 10000000 >"$TMP/out" 2>&1
like "both that are no bits of a mask" "$("$PERF" script -F uregs -i "$TMP/both.data" 2>/dev/null)" 'AX:0x[0-9a-f]+ .*FSBASE:0x[0-9a-f]+ .*GSBASE:0x[0-9a-f]+ .*MXCSR:0x9fc'
if [ -n "$PEER" ]; then
	like "other readers skip it" "$($PEER script -F ip,uregs -i "$TMP/both.data" 2>&1)" 'ABI:2 +AX:0x'
fi
"$PERF" record -b --branch-source=software --user-regs=mxcsr -F 200 -q -o "$TMP/walked.data" -- "$LANES" flushed 30000000 >"$TMP/out" 2>&1
is "with branches walked in software the bits that say what to do are those of the thread" \
	"$("$PERF" script -F ip,sym,uregs -i "$TMP/walked.data" 2>/dev/null | grep lanes_flushed | grep -o 'MXCSR:0x[0-9a-f]*' | sed 's/.$/x/' | sort -u)" "MXCSR:0x9fcx"

holds "and so at each instruction" denormal lanes_denormal \
	'len(r) > 2 and all(x["denormal_lanes"] == 25 for x in r)' --numbers -s sym,addr
holds "JSON has of how many samples the numbers are" denormal lanes_denormal \
	'0 < top["numbers_samples"] <= top["samples"] and top["numbers_samples"] > top["samples"] / 2' --numbers -s sym
holds "of a view whose samples tell nothing it is 0" dirty sse_loop \
	'top["idle_samples"] == 0 if top["lanes_off"] is None else 0 < top["idle_samples"] <= top["samples"]' --idle-lanes --no-children
holds "half of the integers are zero" ints lanes_ints \
	'top["int_zero_lanes"] == 50 and top["nan_lanes"] is None and top["lane_type"] == "i32"
	 and top["slow_numbers"] == 0' --numbers -s sym
holds "ordinary numbers are not slow" varied lanes_varied \
	'top["slow_numbers"] == 0 and top["lane_type"] == "f64"' --numbers -s sym
"$PERF" report --stdio -q --numbers -s sym --redact -t '|' -i "$TMP/denormal.data" >"$TMP/text" 2>&1
like "--redact shows none" "$(grep lanes_denormal "$TMP/text")" '\| +- *\| +- *\| +- *\| +- *\| +- *\| +- *\| *- *\|'

holds "lanes that are alike" equal lanes_equal \
	'top["lanes_equal"] == 100 and top["lanes_could"] == "scalar" and top["lanes_const"] < 50' --idle-lanes
holds "sources that never change" constant lanes_constant \
	'top["lanes_const"] == 100 and top["lanes_could"] == "hoisted" and top["lanes_equal"] == 0' --idle-lanes
holds "an upper half of zeros" narrow lanes_narrow \
	'top["narrow"] == 100 and top["lanes_zero"] == 50 and top["lanes_could"] in ("narrower", "hoisted")' \
	--idle-lanes
holds "lanes that differ and change" varied lanes_varied \
	'top["narrow"] == top["lanes_equal"] == 0 and top["lanes_could"] == "as it is"' --idle-lanes
holds "the loop that they are in" varied lanes_varied \
	'top["loop"].startswith("lanes_varied+0x")' --idle-lanes
if [ $wide = zmm,opmask ]; then
	record masked 30000000
	holds "six of eight lanes are masked off" masked lanes_masked \
		'top["lanes_off"] == 75 and top["narrow"] == 100' --idle-lanes
	holds "and not counted as numbers" masked lanes_masked \
		'top["slow_numbers"] == 0 and top["zero_lanes"] == 0' --numbers -s sym
else
	skip "masks" "this CPU has no AVX-512"
fi

holds "who left the upper halves" dirty sse_loop \
	'top["dirty_by"].startswith("leaves_dirty+0x") and top["upper_live"] == 100 and top["sse_dirty"] > 40' \
	--dirty --no-children
holds "and nobody where they are clean" clean sse_loop \
	'top["dirty_by"] == "[clean]" and top["upper_live"] == top["sse_dirty"] == 0' --dirty --no-children
holds "code that uses its own upper halves" equal lanes_equal \
	'top["dirty_by"] == "[own code]" and top["sse_dirty"] == 0' --dirty

# Who left them by the branch stack alone: no call chain leads from the loop of SSE instructions to whoever called
# it, but the last branches do. A vzeroupper on the way ends the search.
HELPERS=$(dirname "$0")/../helpers
cat >"$TMP/lanesfile.py" <<'P'
from perfdata import *


def lanes_recording(lanes):
    """Of vectors of 256 bits and branches; process 10 runs the program @lanes."""
    r = Recording(Attr(size=176, sample_type=IP | TID | TIME | BRANCH_STACK | REGS_INTR, flags='sample_id_all mmap comm',
                       branch_sample_type=BRANCH_ANY | BRANCH_USER, simd_regs_enabled=1, simd_vec_reg_qwords=4,
                       simd_vec_reg_intr=0xffffffff))
    r.features[ARCH] = r.string('x86_64')
    r.comm(10, 'lanes')
    r.mmap(10, 0x400000, 0x100000, 0, lanes)
    return r
P
by_branches() { # by_branches FUNCTION: made.data, where that one ran before sse_loop
	# shellcheck disable=SC2046
	set -- "$1" $(perl "$HELPERS/insns.pl" "$LANES" "$1" 0x400000)
	_first=$2
	eval "_last=\${$#}"
	# shellcheck disable=SC2046
	set -- $(perl "$HELPERS/insns.pl" "$LANES" sse_loop 0x400000)
	PYTHONPATH=$TMP python3 - "$HELPERS" "$TMP/made.data" "$LANES" "$_first" "$_last" "$1" "$5" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
from lanesfile import *
out, lanes, first, last, loop, at = sys.argv[2], sys.argv[3], *(int(x, 0) for x in sys.argv[4:])
r = lanes_recording(lanes)
vec = [[0] * 4 for _ in range(32)]
vec[5][2] = 1
for _ in range(20):
    r.sample(pid=10, ip=at, regs_intr=dict(abi=ABI_64 | ABI_SIMD, gprs=[], vec=vec, pred=[]),
             branches=[{'from': 0x7000, 'to': loop}, {'from': last, 'to': 0x6f00}, {'from': 0x6e00, 'to': first}])
r.write(out)
P
}
if command -v objdump >/dev/null && command -v perl >/dev/null; then
	by_branches leaves_dirty
	holds "the branch stack tells who left them" made sse_loop \
		'top["dirty_by"].startswith("leaves_dirty+0x") and top["samples"] == 20 and top["upper_live"] == 100' --dirty
	holds "values are of samples where there are branches, too" made sse_loop \
		'top["value_top"] == "0 100%" and top["value_samples"] == 20' --values 'ymm1.i32[0]'
	by_branches leaves_clean
	holds "and that nobody on the way did" made sse_loop 'top["dirty_by"] == "[unknown]"' --dirty
	holds "cycles that nobody counted are none" made sse_loop 'top["dirty_cycles"] is None' --dirty
	# Rounds of the loop, some with upper halves in use: these took 18 cycles more.
	# shellcheck disable=SC2046
	set -- $(perl "$HELPERS/insns.pl" "$LANES" sse_loop 0x400000)
	shift 4
	PYTHONPATH=$TMP python3 - "$HELPERS" "$TMP/made.data" "$LANES" "$1" "$8" <<'P'
import sys
sys.path.insert(0, sys.argv[1])
from lanesfile import *
out, lanes, head, back = sys.argv[2], sys.argv[3], *(int(x, 0) for x in sys.argv[4:])
r = lanes_recording(lanes)
vec = [[0] * 4 for _ in range(32)]
for i in range(60):
    vec[5][2] = i % 3 == 0
    r.sample(pid=10, ip=head, regs_intr=dict(abi=ABI_64 | ABI_SIMD, gprs=[], vec=vec, pred=[]),
             branches=[{'from': back, 'to': head, 'cycles': 12 + 18 * vec[5][2]}] * 5)
r.write(out)
P
	for how in '' '-j 8' '--pieces 7'; do
		# shellcheck disable=SC2086
		holds "cycles that the same code took more${how:+, $how}" made sse_loop \
			'top["dirty_cycles"] == 18 and top["upper_live"] == 33.3 and len(r) == 1' --dirty -s sym $how
	done
else
	skip "by branches" "objdump or perl is not installed"
fi

# Three of four calls are to one of them. Samples are of time and not of calls: how much more than that its share is depends
# on how well the CPU guesses the other.
targets() {
	record target 30000000
	"$PERF" report --json --values=ax -s sym,addr -i "$TMP/target.data" >"$TMP/json" 2>"$TMP/err"
	python3 - "$TMP/json" >"$TMP/why" 2>&1 <<'P'
import json, sys
rows = [x for e in json.load(open(sys.argv[1]))['events'] for x in e['rows'] if x['symbol'].endswith('lanes_target')]
print(rows)
sys.exit(not any(x['value_distinct'] == 2 and 60 < x['value_share'] < 100 for x in rows))
P
}
steady targets && pass "the targets of a call by register" || fail "the targets of a call by register" "$(cat "$TMP/why")"
# Where target_a is in the program that ran: as far from its caller as in the file. Samples in target_a are few.
address() { nm "$LANES" | sed -n "s/^0*\([0-9a-f]*\) . $1\$/0x\1/p"; }
begin=$("$PERF" script -F ip,sym,symoff -i "$TMP/target.data" 2>/dev/null | sed -n 's/^ *\([0-9a-f]*\) lanes_target+\(0x[0-9a-f]*\).*/0x\1 - \2/p' | head -1)
if command -v nm >/dev/null; then
	like "by their values" "$("$PERF" report --stdio -q --values=ax -s sym,addr -i "$TMP/target.data" 2>&1)" \
		"$(printf '0x%x' $((begin - $(address lanes_target) + $(address target_a)))) [0-9]+% 0x"
else
	skip "by their values" "no nm"
fi

# What LLVM takes of them: targets with counts at the line of the call, in a sample profile.
PROFDATA=$(command -v llvm-profdata-19 || command -v llvm-profdata-14 || command -v llvm-profdata)
if [ -n "$PROFDATA" ] && "$PERF" record -q --reg-source=ptrace -b --branch-span=0 -F 1000 -o "$TMP/calls.data" -- \
	"$LANES" target 30000000 >"$TMP/out" 2>&1 &&
	"$PERF" data convert --to llvm --binary "$LANES" -i "$TMP/calls.data" -o "$TMP/calls.llvm" >"$TMP/out" 2>&1; then
	"$PROFDATA" show -sample "$TMP/calls.llvm" >"$TMP/text" 2>&1
	like "llvm-profdata reads the targets" "$(cat "$TMP/text")" 'calls: target_a:[0-9]+ target_b:[0-9]+'
else
	skip "targets in LLVM's profile" "no llvm-profdata, or programs cannot be traced here"
fi

"$PERF" script -F sym,simd --lanes auto --regs=ymm0-1 -i "$TMP/denormal.data" >"$TMP/text" 2>&1
like "script --lanes auto says floats" "$(cat "$TMP/text")" 'user [YZ]MM0 +f32 +1e-45 1e-45 nan inf 0 1.5 1.5 1.5'
"$PERF" script -F sym,simd --lanes auto --regs=ymm0-1 -i "$TMP/ints.data" >"$TMP/text" 2>&1
like "and integers" "$(cat "$TMP/text")" 'user [YZ]MM0 +i32 +0 8 0 10 0 12 0 14'
"$PERF" script -F sym,simd --lanes auto --json -i "$TMP/denormal.data" >"$TMP/json" 2>&1
check "and so in JSON" python3 - "$TMP/json" <<'P'
import json, sys
seen = [json.loads(l) for l in open(sys.argv[1])]
seen = [x['simd']['user'] for x in seen if x.get('sym') == 'lanes_denormal']
for c in ('zmm', 'ymm'):
    for u in seen:
        if '0' in u.get(c, {}) and u[c]['0'][0] == 1e-45:
            assert u[c + '_types']['0'] == 'f32' and u[c]['0'][:5] == [1e-45, 1e-45, 'nan', 'inf', 0], u
assert any('0' in u.get(c, {}) and u[c]['0'][0] == 1e-45 for u in seen for c in ('zmm', 'ymm')), seen
P

# The same of instructions, of samples and on the page.
cat >"$TMP/marks.py" <<'P'
import json, sys
which, name, file = sys.argv[1:]
if which == 'annotate':
    seen = [x for f in json.load(open(file))['functions'] if f['symbol'] == name for x in f['lines']]
    seen = [x['marks'] for x in seen if x.get('marks') and x['marks']['slow_numbers'] is not None]
else:
    seen = [json.loads(l) for l in open(file)]
    seen = [x['marks'] for x in seen if x.get('sym') == name]
assert len(seen) > 2, seen
for m in seen:
    assert m['denormal_lanes'] == 25 and m['nan_lanes'] == 12.5 and m['lane_type'] == 'f32', m
    assert m['lanes_zero'] in (12.5, None) and m['lanes_off'] in (0, None), m
    # How wide what lives is, and what the instruction and the function use.
    assert which == 'annotate' or m['live_256'] + m['live_512'] == 100, m
    assert which == 'annotate' or m['code_128'] == 0 and m['simd_use'] in ('uses ymm', 'uses zmm'), m
P
"$PERF" annotate --json --numbers --idle-lanes -i "$TMP/denormal.data" lanes_denormal >"$TMP/json" 2>"$TMP/err"
check "annotate has them by instruction" python3 "$TMP/marks.py" annotate lanes_denormal "$TMP/json"
"$PERF" annotate --json --numbers --idle-lanes -j 4 -i "$TMP/denormal.data" lanes_denormal >"$TMP/json4" 2>"$TMP/err"
same_file "with four jobs the same" "$TMP/json" "$TMP/json4"
"$PERF" annotate --json --numbers --idle-lanes --pieces 5 -i "$TMP/denormal.data" lanes_denormal >"$TMP/json4" 2>"$TMP/err"
same_file "and in pieces" "$TMP/json" "$TMP/json4"
like "as text" "$("$PERF" annotate --stdio --numbers -i "$TMP/denormal.data" lanes_denormal 2>&1)" \
	'Slow 100% NaN 12% Inf 12% Denormal 25% \+ *: *[0-9a-f]+: +vmulps'
# The values of a lane, too: at each instruction with samples all of them have the same.
valued() { # valued OPTION...
	"$PERF" annotate --json --values 'ymm0.f32[0]' "$@" -i "$TMP/denormal.data" lanes_denormal 2>"$TMP/err"
}
valued >"$TMP/json"
is "annotate has values of a lane by instruction" "$(python3 -c "import json, sys
lines = [x for f in json.load(open(sys.argv[1]))['functions'] for x in f['lines'] if x.get('counts') and x['counts'][0]['samples'] and 'vmulps' in x['text']]
print({(m['value_share'], m['value_distinct'], m['value_samples'] == x['counts'][0]['samples'], len(m['values']), m['values'][0]['value'] == m['value_top'][:-5])
       for x in lines for m in [x['marks']]}, len(lines) > 2)" "$TMP/json")" "{(100.0, 1, True, 1, True)} True"
valued -j 4 >"$TMP/json4"
same_file "with four jobs the same" "$TMP/json" "$TMP/json4"
valued --pieces 5 --apart >"$TMP/json4"
same_file "and in pieces" "$TMP/json" "$TMP/json4"
like "as text" "$("$PERF" annotate --stdio --values 'ymm0.f32[0]' -i "$TMP/denormal.data" lanes_denormal 2>&1)" \
	'[0-9.]+ +ymm0\.f32\[0\] [^ ]+ 100% *: *[0-9a-f]+: +vmulps'
"$PERF" script --json -F ip,sym,marks -i "$TMP/denormal.data" >"$TMP/json" 2>"$TMP/err"
check "script has them by sample" python3 "$TMP/marks.py" script lanes_denormal "$TMP/json"
like "as text" "$("$PERF" script -F ip,sym,marks -i "$TMP/denormal.data" 2>&1 | grep lanes_denormal)" \
	'\[Slow 100% NaN 12% Inf 12% Denormal 25% Zero 12% f32'
like "--redact shows none" "$("$PERF" script --redact -F ip,sym,marks -i "$TMP/denormal.data" 2>&1 | grep lanes_denormal)" \
	'lanes_denormal \[(Upper 100% ?)?(Spare [0-9]+)?( Live[0-9]+ 100%| Live16-31 100%| Dirty 100%| Code[0-9N][0-9a-z]+ 100%| uses .mm)*\]'
"$PERF" report --html "$TMP/page.html" --numbers -i "$TMP/denormal.data" >"$TMP/err" 2>&1
like "the page has them beside instructions" "$(python3 "$(dirname "$0")/../helpers/page-data.py" "$TMP/page.html" get code)" \
	'"marks": \[.*"Slow 100% NaN 12% Inf 12% Denormal 25% Zero 12% f32"'
"$PERF" report --html "$TMP/page.html" --simd --numbers -i "$TMP/denormal.data" >"$TMP/err" 2>&1
like "and how wide vectors were" "$(python3 "$(dirname "$0")/../helpers/page-data.py" "$TMP/page.html" get code)" \
	'"marks": \[.*"Vectors (256|512) 100%; Slow 100% NaN 12%'
"$PERF" report --html "$TMP/page.html" --values 'ymm0.f32[0]' -i "$TMP/denormal.data" >"$TMP/err" 2>&1
like "and values" "$(python3 "$(dirname "$0")/../helpers/page-data.py" "$TMP/page.html" get code)" \
	'"marks": \[.*"ymm0.f32\[0\] [^ ]+ 100%"'
"$PERF" report --html "$TMP/page.html" -i "$TMP/denormal.data" >"$TMP/err" 2>&1
unlike "unless they were not asked for" "$(python3 "$(dirname "$0")/../helpers/page-data.py" "$TMP/page.html" get code)" 'Slow'
on_screen() { # screen, where there is one
	if "$PERF" check feature -q slang; then
		screen
	else
		skip "a screen" "no S-Lang in this build"
	fi
}
on_screen <<P
size 110x20
run $PERF annotate --tui --numbers -i $TMP/denormal.data lanes_denormal
wait vmulps
match Marks .*Disassembly
match Slow 100% NaN 12% Inf 12% Denormal 25% \+ .*vmulps
P
# With little room: fewer words beside instructions, all of them in a line below, and what they are by h.
on_screen <<P
size 80x24
run $PERF annotate --tui --numbers --simd -i $TMP/denormal.data lanes_denormal
wait vmulps
match Percent +Vectors +Lanes +Marks .*Disassembly
match 100% +Slow 100% NaN 12% Inf \+ .*vmulps +%ymm1
match (?m)^Slow 100% NaN 12% Inf 12% Denormal 25% Zero 12% f32
key h
wait what its columns are
match Vectors: the widest of registers
match Marks: what is more than nothing
match NaN, Inf, Denormal, Zero: of those of floats
key Esc
wait vmulps
key q
exit 0
ok the browser of instructions has all of it on a small screen
P
"$PERF" annotate --stdio --numbers --values 'ymm0.f32[0]' -i "$TMP/denormal.data" lanes_denormal >"$TMP/text" 2>&1
like "text says what the column is" "$(head -5 "$TMP/text")" '^# Marks: what is more than nothing.*
#
# Lanes of vectors that the instruction'
like "for each that was asked for" "$(cat "$TMP/text")" '^# TopShare: samples with the most frequent value'
unlike "unless it is to be quiet" "$("$PERF" annotate -q --stdio2 --numbers -i "$TMP/denormal.data" lanes_denormal 2>&1)" '^#'
like "--stdio2 does, too" "$("$PERF" annotate --stdio2 --simd -i "$TMP/denormal.data" lanes_denormal 2>&1)" '^# Vectors: the widest of registers 0-15'
cp "$ROOT/tests/data/answers/branches.data" "$TMP/branches.data"
like "what was not recorded is told" "$("$PERF" annotate --stdio --numbers -i "$TMP/branches.data" 2>&1)" 'no sample has vector registers: perf record'
like "a shadow stack, too" "$("$PERF" annotate --stdio --shadow-stack -i "$TMP/branches.data" 2>&1)" 'no sample has a shadow stack pointer: perf record'

# A screen with no room for all columns has the one that says what it comes to, and the others in the line below.
on_screen <<P
size 80x12
run $PERF report --idle-lanes -i $TMP/varied.data
wait Could be
match Overhead  LanesOff .*Could be  Symbol +Loop
match lanes_varied.* Narrow .*% +Equal .*% +Const .*%
key ?
wait what its columns are
match Could be: what nine in ten.*
match -: no sample tells
key Esc
wait Overhead
size 160x12
match Overhead +Samples +LanesOff +LanesZero +Narrow +Equal +Const +Could be +Symbol
ok narrow screens have the answer
P

# The same of text: on 80 columns what a row is about and what it comes to is before the edge, in files as ever.
on_screen <<P
size 80x24
env PERF_PAGER=cat
run $PERF report --stdio -q --numbers -s dso,sym -i $TMP/denormal.data
match [0-9]\.[0-9]+% +\[\.\] lanes_denormal +f32 +100\.0% +12\.5%
exit 0
ok text has the answer on a narrow terminal
P
# A long name moves its own row, not those of others; numbers stay at the right of a column, and who says how wide columns
# are has them so.
long=lanes_narrow_of_a_program_whose_names_are_as_long_as_templates_make_them
if command -v objcopy >/dev/null && objcopy --redefine-sym lanes_narrow=$long "$LANES" "$TMP/lanes-long" 2>/dev/null &&
	"$PERF" record -q --reg-source=ptrace --user-regs=ax,$wide --reg-budget 0 -F 1000 -o "$TMP/long.data" -- \
		"$TMP/lanes-long" narrow 30000000 >"$TMP/out" 2>&1; then
	on_screen <<P
size 80x50
env PERF_PAGER=cat
run $PERF report --stdio -q --numbers -s sym,addr $TMP/denormal.data $TMP/long.data
match lanes_narr.*_make_them
match [0-9]\.[0-9]+% +\[\.\] lanes_denormal +0x[0-9a-f]+ +f32 +100\.0%
exit 0
size 80x50
run $PERF report --stdio -q --numbers -s sym,symbol_size $TMP/denormal.data $TMP/long.data
match lanes_denormal +[0-9]+  - +- +f32
exit 0
size 80x50
run $PERF report --stdio --numbers -w 0,9 -s sym,addr -i $TMP/denormal.data
match # Overhead +Samples +Slow +NaN
exit 0
ok a long name moves its own row alone
P
else
	skip "a long name moves its own row alone" "no objcopy here, or it cannot be recorded: $(head -1 "$TMP/out")"
fi
like "in files rows are as they were" "$("$PERF" report --stdio --numbers -s dso,sym -i "$TMP/denormal.data" 2>&1)" \
	'# Overhead +Samples +Slow +NaN +Inf +Denormal +Zero +IntZero +Type +.*Shared Object +Symbol'
like "and where somebody names the columns" "$("$PERF" report --stdio -F overhead,sample,slow_numbers,sym -i "$TMP/denormal.data" 2>&1)" \
	'# Overhead +Samples +Slow +Symbol'

# What there is not: a word that names nothing is a wrong option (129), whatever was recorded; script has upstream's 255
# for what a recording lacks.
refused() { # refused NAME STATUS TEXT COMMAND...
	_name=$1 _want=$2 _text=$3
	shift 3
	"$@" -i "$TMP/denormal.data" >"$TMP/out" 2>&1
	_status=$?
	like "$_name" "$_status $(tr '\n' ' ' <"$TMP/out")" "^$_want .*$_text"
}
refused "a register that no event has" 129 'r20: no event of this recording has it.*There are general' "$PERF" report -s reg:r20
refused "a lane that no register has" 129 'no lane \[9\]' "$PERF" report -s 'reg:zmm3.f64[9]'
refused "script: what was not recorded" 255 'r20: no event of this' "$PERF" script -F simd --regs=r20
refused "script: no register at all" 129 'unknown register "zork"' "$PERF" script -F simd --regs=ymm0,zork
refused "script: a number beyond the last" 129 'there is no register "zmm99".*zmm0 to zmm31' "$PERF" script -F simd --regs=zmm99
refused "a register beyond the last" 129 'reg:zmm99: no such register' "$PERF" report -s reg:zmm99
refused "a type that there is not" 129 "lanes are hex, f16.*not .f8'" "$PERF" report -s 'reg:zmm3.f8[0]'
refused "values of a whole vector" 129 'Name a lane, such as zmm1.f64' "$PERF" report --values zmm1
refused "values of no register" 129 'reg:zork: no such register' "$PERF" report --values zork
refused "values of what was not recorded" 1 'cx: no event' "$PERF" report --values cx
refused "... at instructions" 1 'cx: no event' "$PERF" annotate --values cx
refused "values of a whole vector at instructions" 129 'Name a lane, such as zmm1.f64' "$PERF" annotate --values zmm1
refused "values of branches" 1 'values shows samples, -b shows branches' "$PERF" report -b --values ax
refused "annotate: no register at all" 129 'unknown register "zork"' "$PERF" annotate --reg zork
refused "--lanes of no type" 129 '--lanes takes auto, hex' "$PERF" script -F simd --lanes f8
"$PERF" record -q -e cpu-clock -o "$TMP/denormal.data" -- true >/dev/null 2>&1
refused "a recording without vectors" 1 'no vector registers.*--user-regs=zmm' "$PERF" report --idle-lanes
done_testing
