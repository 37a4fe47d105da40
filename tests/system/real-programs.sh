#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Views of registers and branches on programs that nobody wrote for them, and of which something is known: a cipher whose
# AVX2 or AVX-512 code adds, rotates and xors 32-bit integers, the scalar product of a library for linear algebra over numbers
# of which one in four is denormal, and an interpreter whose dispatch goes where the operations of a script are.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "registers and branches of x86-64 programs are looked at"
need_cmd python3
"$PERF" check feature -q zydis || skip_all "built without Zydis: what instructions do is not known"
"$PERF" record -q --reg-source=ptrace --user-regs=ax -o "$TMP/try.data" -- true >"$TMP/out" 2>&1 ||
	skip_all "cannot record by ptrace here: $(head -1 "$TMP/out")"

# holds NAME FILE PYTHON: a condition over d, the JSON of FILE
holds() {
	python3 - "$2" "$3" >"$TMP/why" 2>&1 <<'P' && pass "$1" || fail "$1" "$(cat "$TMP/why" "$TMP/err")"
import json, math, sys
d = json.load(open(sys.argv[1]))
rows = [x for e in d.get('events', []) for x in e['rows'] if 'libcrypto' in x.get('dso', '')]
r = max(rows, key=lambda x: x['samples']) if rows else None
ok = eval('(' + sys.argv[2] + ')')
if not ok:
    print(rows or d)
sys.exit(not ok)
P
}

# takes NAME FILE DSO TYPE: what script --lanes auto takes the registers for that code in DSO uses next is TYPE, as good as always
takes() {
	"$PERF" script --json -F ip,dso,simd --lanes auto -i "$2" 2>"$TMP/err" | grep "$3" >"$TMP/lines"
	python3 - "$TMP/lines" "$4" >"$TMP/why" 2>&1 <<'P' && pass "$1" || fail "$1" "$(cat "$TMP/why" "$TMP/err")"
import collections, json, sys
n = collections.Counter()
for s in map(json.loads, open(sys.argv[1])):
    for key, types in s['simd']['user'].items():
        n.update(types.values() if key.endswith('_types') else [])
del n['hex']
print(n)
sys.exit(not n[sys.argv[2]] > 20 or n[sys.argv[2]] < 0.95 * sum(n.values()))
P
}

# exports NAME FILE DSO FUNCTION: what optimizers take of a recording's branches says of DSO what its samples say; FUNCTION runs most
exports() {
	for to in fdata preagg autofdo profgen symbol-order call-order path-order; do
		"$PERF" data convert --to $to --binary "$(basename "$3")" -i "$2" -o "$TMP/out.$to" 2>"$TMP/err" || { fail "$1: $to" "$(cat "$TMP/err")"; return; }
	done
	"$PERF" script --json -F ip,dso,brstacksym -i "$2" >"$TMP/lines" 2>"$TMP/err"
	check "$1" python3 "$TMP/exports.py" "$TMP/lines" "$3" "$TMP" "$4"
	# Its package has neither lines nor a map of its blocks: refused, with what would have them.
	"$PERF" data convert --to propeller --binary "$(basename "$3")" -i "$2" -o "$TMP/no" >"$TMP/err" 2>&1
	is "$1: Propeller takes a map of blocks, which it has not" "$? $(grep -c 'no map of its basic blocks' "$TMP/err") $(grep -c -e '-fbasic-block' "$TMP/err")" "1 1 1"
}
cat >"$TMP/exports.py" <<'P'
import collections, json, re, subprocess, sys
lines, dso, directory, hottest = sys.argv[1:5]
out = {t: open(f'{directory}/out.{t}').read().splitlines() for t in
       ('fdata', 'preagg', 'autofdo', 'profgen', 'symbol-order', 'call-order', 'path-order')}
start = {}
for line in subprocess.run(['nm', '-D', '--defined-only', dso], capture_output=True, text=True).stdout.splitlines():
    at, kind, name = line.split()
    start.setdefault(name.split('@')[0], int(at, 16))
for line in subprocess.run(['readelf', '-lW', dso], capture_output=True, text=True).stdout.splitlines():
    w = line.split()
    if w[:1] == ['LOAD'] and 'E' in w[6:-1]:
        text = int(w[2], 16)
# What the samples themselves have, of functions whose names and addresses nm knows, too.
edges, calls, returns = collections.Counter(), collections.Counter(), set()
for s in map(json.loads, open(lines)):
    for b in s.get('branches', []):
        if not b['from_dso'] == b['to_dso'] == dso or not {b['from_sym'], b['to_sym']} <= set(start):
            continue
        edge = b['from_sym'], b['from_symoff'], b['to_sym'], b['to_symoff']
        edges[edge] += 1
        if b['type'] == 'RET':
            returns.add(edge)
        if b['to_symoff'] == 0 and b['type'] in ('CALL', 'IND_CALL') and b['from_sym'] != b['to_sym']:
            calls[b['from_sym'], b['to_sym']] += 1
assert sum(edges.values()) > 200, edges
def hold(what, want, have):
    wrong = [(k, n, have.get(k)) for k, n in want.items() if have.get(k) != n]
    assert want and not wrong, (what, wrong[:5])
# BOLT: fdata has all but returns, which it does not move; preagg all, by address.
fdata, preagg = {}, {}
for w in map(str.split, out['fdata']):
    if w[0] == w[3] == '1':
        fdata[w[1], int(w[2], 16), w[4], int(w[5], 16)] = int(w[7])
hold('fdata', {e: n for e, n in edges.items() if e not in returns}, fdata)
for w in map(str.split, out['preagg']):
    if w[0] == 'B' and 'X' not in w[1] + w[2]:
        preagg[int(w[1], 16), int(w[2], 16)] = int(w[3])
at = {(start[f] + fo, start[t] + to): n for (f, fo, t, to), n in edges.items()}
hold('preagg', at, preagg)
# AutoFDO, and llvm-profgen, which counts from where the code begins in the file.
for what in 'autofdo', 'profgen':
    arrows = {}
    for line in out[what]:
        m = re.match(r'(\w+)->(\w+):(\d+)$', line)
        if m:
            arrows[int(m[1], 16), int(m[2], 16)] = int(m[3])
    shift = text if what == 'profgen' else 0
    hold(what, {(f - shift, t - shift): n for (f, t), n in at.items()}, arrows)
# Orders: names that are there, each once, with the hottest; a path begins with it.
for what in 'symbol-order', 'path-order':
    assert len(out[what]) == len(set(out[what])) and hottest in out[what], (what, out[what])
assert hottest in out['path-order'][:3], out['path-order']
assert {e[0] for e in edges} <= set(out['path-order']), out['path-order']
order = {tuple(l.split()[:2]): int(l.split()[2]) for l in out['call-order']}
if calls:
    hold('call-order', calls, order)
print(len(edges), len(calls))
P

# ---- ChaCha20 of libcrypto
libcrypto=$(command -v openssl >/dev/null && ldd "$(command -v openssl)" | sed -n 's/.*libcrypto[^ ]* => \([^ ]*\).*/\1/p')
# What is wanted holds for its assembler, which leaves its name in the file; built without (no-asm) it is what a compiler made.
if ! grep -q '^flags.* avx2' /proc/cpuinfo || [ ! -e "$libcrypto" ]; then
	skip "a cipher" "no AVX2 here, or no openssl with a libcrypto of its own"
elif ! grep -aq 'ChaCha20 for x86_64' "$libcrypto"; then
	skip "a cipher" "$libcrypto has no assembler for ChaCha20 (no-asm)"
else
	regs=ymm,ax
	grep -q '^flags.* avx512vl' /proc/cpuinfo && regs=zmm,opmask,ax
	"$PERF" record -q --reg-source=ptrace --user-regs=$regs --reg-budget 0 -F 500 -o "$TMP/ssl.data" -- \
		openssl speed -seconds 1 -bytes 16384 -evp chacha20 >"$TMP/out" 2>&1
	for view in numbers idle-lanes simd dirty apx values=ax; do
		"$PERF" report --json --$view -s dso -i "$TMP/ssl.data" >"$TMP/${view%=*}" 2>"$TMP/err"
	done
	holds "a cipher computes with 32-bit integers, none of them floats" "$TMP/numbers" \
		'r["samples"] > 20 and r["lane_type"] == "i32" and r["slow_numbers"] == 0 and r["nan_lanes"] is None
		 and r["denormal_lanes"] is None'
	holds "that are hardly ever zero, as random bits are not" "$TMP/numbers" 'r["int_zero_lanes"] < 5'
	holds "and all of its lanes work" "$TMP/idle-lanes" \
		'r["lanes_off"] in (0, None) and r["lanes_zero"] < 5 and r["narrow"] < 5 and r["lanes_could"] == "as it is"'
	holds "its code is as wide as what it leaves in registers" "$TMP/simd" \
		'r["code_256"] + r["code_512"] > 80 and r["live_256"] + r["live_512"] > 90 and r["simd_dirty"] < 20
		 and r["simd_use"] in ("uses ymm", "uses zmm")'
	holds "and none of it is SSE code that would wait for upper halves" "$TMP/dirty" 'r["upper_live"] > 90 and r["sse_dirty"] == 0'
	holds "its general registers do not go to the stack: nothing for APX to win" "$TMP/apx" \
		'r["stack_moves"] < 5 and r["call_moves"] < 5 and r["apx_could"] == "as it is" and r["apx_code"] == 0'
	# Ten double rounds for a block, counted down in AX.
	holds "the counter of its ten rounds, each as often" "$TMP/values" \
		'sum(v["samples"] for v in r["values"] if 0 <= int(v["value"], 0) <= 10) > 0.9 * r["samples"]
		 and all(v["samples"] < 0.3 * r["samples"] for v in r["values"])'
	takes "its registers are taken for 32-bit integers, too, where they are printed" "$TMP/ssl.data" libcrypto i32
	"$PERF" script --json -F ip,dso,marks -i "$TMP/ssl.data" 2>"$TMP/err" | grep 'libcrypto' >"$TMP/lines"
	python3 - "$TMP/lines" >"$TMP/json" <<'P'
import json, sys
lines = [json.loads(l)['marks'] for l in open(sys.argv[1])]
mean = lambda key: sum(m[key] for m in lines if m[key] is not None) / max(1, sum(m[key] is not None for m in lines))
json.dump({k: mean(k) for k in ('upper_live', 'live_512', 'live_256', 'code_512', 'code_256', 'sse_dirty', 'stack_moves')}, sys.stdout)
P
	for view in simd dirty apx; do
		holds "samples, one by one, say what the report does: $view" "$TMP/$view" \
			'(lambda one: all(abs(one[k] - r[k]) < 0.2 for k in one if k in r))(json.load(open("'"$TMP/json"'")))'
	done
	"$PERF" report -q --numbers --idle-lanes --dirty --apx --values ax --html "$TMP/page.html" -i "$TMP/ssl.data" 2>"$TMP/err"
	for view in numbers idle-lanes dirty apx values=ax; do
		"$PERF" report --json -n --$view -i "$TMP/ssl.data" >"$TMP/json" 2>"$TMP/err"
		like "so does the page: $view" "$(python3 -S "$ROOT/tests/helpers/page-data.py" "$TMP/page.html" registers "${view%=*}" "$TMP/json" | tail -1)" '^ok [1-9]'
	done
fi

# ---- ddot of the reference BLAS: SSE code
blas=$(ls /usr/lib/x86_64-linux-gnu/blas/libblas.so.3 2>/dev/null)
cat >"$TMP/dot.py" <<'E'
import ctypes, sys, time
library, small, seconds = sys.argv[1:]
n = 4096
doubles = ctypes.c_double * n
x, y = doubles(*[float(small) if i % 4 == 0 else 1.0 for i in range(n)]), doubles(*[1.0] * n)
ddot, count, step = ctypes.CDLL(library).ddot_, ctypes.c_int(n), ctypes.c_int(1)
end = time.process_time() + float(seconds)
while time.process_time() < end:
    for _ in range(200):
        ddot(ctypes.byref(count), x, ctypes.byref(step), y, ctypes.byref(step))
E
# dot NAME SMALL PYTHON: a condition over r, the row of ddot_, and m, marks of its samples, where one in four numbers is SMALL
dot() {
	"$PERF" record -q --reg-source=ptrace --user-regs=xmm,mxcsr --reg-budget 0 -F 500 -o "$TMP/dot.data" -- \
		python3 "$TMP/dot.py" "$blas" "$2" 1 >"$TMP/out" 2>&1
	"$PERF" report --json --numbers -s sym -i "$TMP/dot.data" >"$TMP/json" 2>"$TMP/err"
	"$PERF" script --json -F ip,sym,marks -i "$TMP/dot.data" >"$TMP/lines" 2>>"$TMP/err"
	python3 - "$TMP/json" "$TMP/lines" "$3" >"$TMP/why" 2>&1 <<'P' && pass "$1" || fail "$1" "$(cat "$TMP/why" "$TMP/err" "$TMP/out")"
import json, sys
r = [x for e in json.load(open(sys.argv[1]))['events'] for x in e['rows'] if x['symbol'].endswith(' ddot_')][0]
m = [x['marks'] for x in map(json.loads, open(sys.argv[2])) if x.get('sym') == 'ddot_']
ok = r['samples'] > 20 and len(m) == r['samples'] and eval('(' + sys.argv[3] + ')')
print(r, len(m))
sys.exit(not ok)
P
}
if [ -n "$blas" ] && python3 -c 'import ctypes' 2>/dev/null; then
	# One number in four; where each costs the CPU a hundred cycles most samples have one, where it costs none, as AMD's Zen 4, one in six.
	dot "a product of doubles, some of them denormal: slow with these, and so MXCSR says" 5e-324 \
		'r["lane_type"] == "f64" and r["slow_numbers"] > 8 and 6 < r["denormal_lanes"] <= 60 and r["nan_lanes"] == r["inf_lanes"] == 0
		 and "D" in r["fp_flags"] and not set("IZO") & set(r["fp_flags"]) and r["ftz_samples"] == r["daz_samples"] == 0
		 and abs(sum(x["slow_numbers"] or 0 for x in m) / sum(x["slow_numbers"] is not None for x in m) - r["slow_numbers"]) < 0.1'
	like "beside its instructions, too" "$("$PERF" annotate --stdio --numbers -i "$TMP/dot.data" ddot_ 2>/dev/null)" \
		'Slow [0-9]+% Denormal [0-9]+% f64 .* (add|mul)[sp]d '
	takes "its registers are taken for doubles where they are printed" "$TMP/dot.data" libblas f64
	if command -v nm >/dev/null && command -v readelf >/dev/null; then
		"$PERF" record -q --reg-source=ptrace -b --branch-span=0 --branch-budget 0 -F 500 -o "$TMP/dotb.data" -- \
			python3 "$TMP/dot.py" "$blas" 0.5 1 >"$TMP/out" 2>&1
		exports "what optimizers take has its loop as often as it ran" "$TMP/dotb.data" "$(readlink -f "$blas")" ddot_
	else
		skip "what optimizers take" "no nm or no readelf here"
	fi
	dot "the same where none is: not slow" 0.5 \
		'r["lane_type"] == "f64" and r["slow_numbers"] == r["denormal_lanes"] == 0 and "D" not in r["fp_flags"]'
else
	skip "a product of doubles" "no reference BLAS here, or a python3 without ctypes"
fi

# ---- perl
cat >"$TMP/loop.pl" <<'E'
my ($x, $y, $i) = (0, 1, 0);
while ($i < $ARGV[0]) { $x = ($x + $i) ^ $y; $i++; }
print "$x\n";
my ($x, $y, $i) = (0, 1, 0);
while ($i < $ARGV[0]) { $x = ($x + $i) ^ $y; $i++; }
print "$x\n";
E
perl -MO=Concise,-exec "$TMP/loop.pl" >"$TMP/ops" 2>/dev/null
[ "$(nm -D "$(command -v perl)" 2>/dev/null | grep -cE ' Perl_(runops_standard|pp_lt)$')" = 2 ] && grep -q goto "$TMP/ops" ||
	{ skip "an interpreter" "no perl that shows its functions and its operations"; done_testing; exit; }
# A round of the loop is what stands between enterloop and goto. Functions of several operations are one.
python3 - "$TMP/ops" >"$TMP/truth" <<'P'
import collections, math, re, sys
inside, ops = False, []
for line in open(sys.argv[1]):
    if 'goto' in line:
        break
    m = re.match(r'\s*\w+\s+<.> (\w+)', line)
    if m and inside:
        ops.append({'bit_xor': 'bit_or'}.get(m[1], m[1]))
    inside |= bool(m) and m[1] == 'enterloop'
n = collections.Counter(ops)
print(len(n), sum(c / len(ops) * math.log2(len(ops) / c) for c in n.values()))
P
read -r targets bits <"$TMP/truth"
dispatch() {
	"$PERF" record -q --reg-source=ptrace -b --branch-span=0 --branch-budget 0 -F 500 -o "$TMP/perl.data" -- perl "$TMP/loop.pl" 6000000 >"$TMP/out" 2>&1
	"$PERF" report --branches=why --json -i "$TMP/perl.data" >"$TMP/json" 2>"$TMP/err"
	python3 - "$TMP/json" "$targets" "$bits" >"$TMP/why" 2>&1 <<'P'
import json, sys
d, targets, bits = json.load(open(sys.argv[1])), int(sys.argv[2]), float(sys.argv[3])
at = [b for b in d['branches'] if b['symbol'] == 'Perl_runops_standard' and b['kind'].startswith('IND')]
assert len(at) == 1, d['branches'][:5]
print(at, targets, bits)
assert at[0]['pattern'] == f'{targets} targets' and at[0]['count'] > 100, 'other targets'
assert abs(at[0]['entropy'] - bits) < 0.15, 'other shares'
P
}
# Every branch of a stretch: each operation's function was called as often as the script has it in a round, exactly.
cat >"$TMP/exact.py" <<'P'
import collections, json, re, sys
what, file, ops = sys.argv[1:4]
d = json.load(open(file))
inside, n = False, collections.Counter()
for line in open(ops):
    if 'goto' in line:
        break
    m = re.match(r'\s*\w+\s+<.> (\w+)', line)
    if m and inside:
        n['Perl_pp_' + {'bit_xor': 'bit_or'}.get(m[1], m[1])] += 1
    inside |= bool(m) and m[1] == 'enterloop'
if what == 'why':
    seen = {t['target']: t['count'] for t in d['targets'] if t['branch'].startswith('Perl_runops_standard')}
elif what == 'calls':
    seen = {c['function']: c['calls'] for c in d['calls'] if c['function'].startswith('Perl_pp')}
    assert all(abs(c['calls'] - c['returns']) < 3 for c in d['calls'] if c['function'] in n), d['calls']
    assert sum(c['astray'] for c in d['calls'] if c['function'] in n) == 0, 'returns that went astray'
    loop = [l for l in d['loops'] if l['head'].startswith('Perl_runops_standard')]
    assert len(loop) == 1 and loop[0]['entries'] < 5 and loop[0]['seen_whole'] == 0, loop
    # What lies between two stacks of the trace is no round: one in thirty.
    assert abs(loop[0]['rounds'] - sum(seen.values())) < 0.05 * loop[0]['rounds'], (loop, seen)
    # What an operation runs is the same in each round, so that few paths are nearly all of it.
    cover = {c['percent']: c['paths'] for c in d['coverage']}
    assert cover[80] < 40 < cover[100], cover
elif what == 'cycles':
    assert d['blocks'] and all(b[k] is None for b in d['blocks'] for k in ('cycles', 'mean', 'ipc', 'min')), d['blocks'][:3]
    assert all(e['refill'] is None and e['late'] is None for e in d['edges']), d['edges'][:3]
    sys.exit()
else:
    by = {f['function']: f for f in d['functions']}
    check = {c['check']: c for c in d['checks']}
    assert 'blind spot: branches were followed in software' in check, check
    assert {f['file'] for f in d['functions'] if f['function'] in n} == {'as run'}, d['functions']
    # The functions of operations are small, and ran thousands of times.
    assert all(by[f]['density'] > 60 for f in n if by[f]['size'] < 300), by
    assert d['functions'][0]['function'] == 'Perl_runops_standard', d['functions'][0]
    sys.exit()
once = seen['Perl_pp_lt'] / n['Perl_pp_lt']
assert once > 5000, seen
assert all(abs(seen[f] - n[f] * once) <= 0.01 * seen[f] for f in n), (seen, n)
assert sum(v for f, v in seen.items() if f not in n) < 0.01 * sum(seen.values()), seen
P
if "$PERF" record -q --branch-trace=2M -e cpu-clock:u -o "$TMP/trace.data" -- perl "$TMP/loop.pl" 300000 >"$TMP/out" 2>&1; then
	for what in why paths cycles; do
		"$PERF" report --branches=$what --json -i "$TMP/trace.data" >"$TMP/$what" 2>"$TMP/err"
	done
	"$PERF" report --profile-quality --json -i "$TMP/trace.data" >"$TMP/quality" 2>"$TMP/err"
	check "targets of the dispatch are the script's operations, as often" python3 "$TMP/exact.py" why "$TMP/why" "$TMP/ops"
	check "calls and returns of these are, too, in one loop that no stack shows whole" python3 "$TMP/exact.py" calls "$TMP/paths" "$TMP/ops"
	check "cycles that software does not count are none, in no block and no edge" python3 "$TMP/exact.py" cycles "$TMP/cycles" "$TMP/ops"
	check "how good a profile it is: what ran often is dense, what software cannot see is said" python3 "$TMP/exact.py" quality "$TMP/quality" "$TMP/ops"
	like "beside the instruction that calls them" "$("$PERF" annotate --branches=why --json -i "$TMP/trace.data" Perl_runops_standard 2>"$TMP/err")" \
		"\"pattern\":\"[0-9]+ targets\""
	"$PERF" report -q --branches=why --html "$TMP/page.html" -i "$TMP/trace.data" 2>"$TMP/err"
	python3 -S "$ROOT/tests/helpers/page-data.py" "$TMP/page.html" get answers 1 rows >"$TMP/rows"
	is "and in the page" "$(python3 -c 'import json, sys
rows, d = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
print([(r[4], r[5], int(r[1])) for r in rows] == [(t["branch"], t["target"], t["count"]) for t in d["targets"][:300]], len(rows) > 10)' "$TMP/rows" "$TMP/why")" "True True"
	if "$PERF" check feature -q slang && "$PERF" check feature -q capstone; then
		screen <<E
size 120x24
run $PERF report --branches=paths -i $TMP/trace.data
wait Superblocks
key Tab
wait of all blocks that ran
key Tab
wait Perl_runops_standard
key Tab
wait Calls and returns
key q
exit 0
E
	else
		skip "and as lists in a terminal" "no S-Lang or no capstone in this build"
	fi
else
	skip "every branch of an interpreter" "cannot be traced here: $(tail -1 "$TMP/out")"
fi

# Call stacks as by LBR, where there is none: the dispatch is whoever called a script's operation.
stacks() {
	"$PERF" record -q --call-graph lbr --branch-source=software --reg-budget 0 --branch-budget 0 -F 500 -o "$TMP/lbr.data" -- \
		perl "$TMP/loop.pl" 3000000 >"$TMP/out" 2>&1 || return 1
	"$PERF" script -F ip,sym -i "$TMP/lbr.data" 2>"$TMP/err" | awk 'NF { s = s " " $2; next } { print s; s = "" }' >"$TMP/chains"
	python3 - "$TMP/chains" >"$TMP/why" 2>&1 <<'P'
import sys
chains = [l.split() for l in open(sys.argv[1])]
ops = [c for c in chains if any(f.startswith('Perl_pp_') for f in c)]
good = [c for c in ops if c[max(i for i, f in enumerate(c) if f.startswith('Perl_pp_')) + 1:][:3] == ['Perl_runops_standard', 'perl_run', 'main']]
print(len(chains), len(ops), len(good))
assert len(ops) > 10 and len(good) >= 0.9 * len(ops), [c for c in ops if c not in good][:5]
P
}
steady stacks && pass "call stacks without LBR: operations are called by the dispatch, that by main" ||
	fail "call stacks without LBR" "$(cat "$TMP/why" "$TMP/out" "$TMP/err")"
steady dispatch && pass "an interpreter's dispatch goes where the script's operations are, as often ($targets targets, $bits bits)" ||
	fail "an interpreter's dispatch" "$(cat "$TMP/why" "$TMP/err")"

# Beside each branch of each sample: as often as it is counted here, in the samples themselves.
"$PERF" script --json --branches=why,cycles,paths --profile-quality -F ip,sym,brstacksym -i "$TMP/perl.data" >"$TMP/lines" 2>"$TMP/err"
is "the same with any number of jobs" "$("$PERF" script -j 3 --json --branches=why,cycles,paths --profile-quality -F ip,sym,brstacksym -i "$TMP/perl.data" 2>"$TMP/err" |
	cmp "$TMP/lines" - 2>&1)" ""
cat >"$TMP/beside.py" <<'P'
import collections, json, sys
head, *lines = [json.loads(l) for l in open(sys.argv[1])]
bits = float(sys.argv[2])
branches, blocks, edges, dispatch = (collections.Counter() for i in range(4))
each = [(b, older) for s in lines for b, older in zip(s.get('branches', []), s.get('branches', [])[1:] + [None])]
for b, older in each:
    branches[b['from']] += 1
    edges[b['from'], b['to']] += 1
    if older:
        blocks[older['to'], b['from']] += 1
    if b['from_sym'] == 'Perl_runops_standard' and b['why'] and b['why']['kind'].startswith('IND'):
        dispatch[b['to_sym']] += 1
assert len(each) > 1000 and sum(dispatch.values()) > 100, (len(each), dispatch)
for b, older in each:
    assert b['why']['count'] == branches[b['from']], b
    assert b['edge']['count'] == edges[b['from'], b['to']], b
    assert not b['block'] or b['block']['count'] == blocks[older['to'], b['from']], (b, older)
    assert b['cycles'] is None and b['cycles_above_best'] is None and (not b['block'] or b['block']['mean'] is None), b
    assert (b['path'] is None) == (b['block'] is None), b
    if b['from_sym'] == 'Perl_runops_standard' and b['why']['kind'].startswith('IND'):
        assert b['target']['count'] == dispatch[b['to_sym']] and abs(b['why']['entropy'] - bits) < 0.15, b
hot = [b for b, older in each if b['path'] and b['path']['number'] <= 40]
assert len(hot) > 0.5 * len(each), (len(hot), len(each))
assert head['verdict'][0]['enough'] and {s['quality']['file'] for s in lines if s.get('sym', '').startswith('Perl_')} == {'as run'}, head
P
check "beside each branch of an interpreter's samples: as often as these have it" python3 "$TMP/beside.py" "$TMP/lines" "$bits"
if command -v readelf >/dev/null; then
	exports "what optimizers take has an interpreter's branches as often as its samples" "$TMP/perl.data" "$(readlink -f "$(command -v perl)")" Perl_runops_standard
else
	skip "what optimizers take" "no readelf here"
fi
# Its numbers are doubles where a script's are.
echo 'my ($x, $i) = (1.5, 0.5); while ($i < $ARGV[0]) { $x = $x * 0.999 + 0.25; $i += 1.0; } print "$x\n";' >"$TMP/float.pl"
"$PERF" record -q --reg-source=ptrace --user-regs=xmm --reg-budget 0 -F 500 -o "$TMP/float.data" -- perl "$TMP/float.pl" 24000000 >"$TMP/out" 2>&1
takes "an interpreter's registers are taken for doubles where it multiplies such" "$TMP/float.data" /perl f64
done_testing
