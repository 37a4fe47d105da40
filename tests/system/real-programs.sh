#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Views of registers and branches on programs that nobody wrote for them, and of which something is known: a cipher whose
# AVX2 or AVX-512 code adds, rotates and xors 32-bit integers, and an interpreter whose dispatch goes where the
# operations of a script are.
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

# ---- ChaCha20 of libcrypto
if grep -q '^flags.* avx2' /proc/cpuinfo && command -v openssl >/dev/null && ldd "$(command -v openssl)" | grep -q libcrypto; then
	regs=ymm
	grep -q '^flags.* avx512vl' /proc/cpuinfo && regs=zmm,opmask
	"$PERF" record -q --reg-source=ptrace --user-regs=$regs --reg-budget 0 -F 500 -o "$TMP/ssl.data" -- \
		openssl speed -seconds 1 -bytes 16384 -evp chacha20 >"$TMP/out" 2>&1
	for view in numbers idle-lanes simd; do
		"$PERF" report --json --$view -s dso -i "$TMP/ssl.data" >"$TMP/$view" 2>"$TMP/err"
	done
	holds "a cipher computes with 32-bit integers, none of them floats" "$TMP/numbers" \
		'r["samples"] > 20 and r["lane_type"] == "i32" and r["slow_numbers"] == 0 and r["nan_lanes"] is None
		 and r["denormal_lanes"] is None'
	holds "that are hardly ever zero, as random bits are not" "$TMP/numbers" 'r["int_zero_lanes"] < 5'
	holds "and all of its lanes work" "$TMP/idle-lanes" \
		'r["lanes_off"] in (0, None) and r["lanes_zero"] < 5 and r["narrow"] < 5 and r["lanes_could"] == "as it is"'
else
	skip "a cipher" "no AVX2 here, or no openssl with a libcrypto of its own"
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
nm -D "$(command -v perl)" 2>/dev/null | grep -q Perl_runops_standard && grep -q goto "$TMP/ops" ||
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
	"$PERF" record -q --reg-source=ptrace -b --reg-budget 0 -F 500 -o "$TMP/perl.data" -- perl "$TMP/loop.pl" 6000000 >"$TMP/out" 2>&1
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
steady dispatch && pass "an interpreter's dispatch goes where the script's operations are, as often ($targets targets, $bits bits)" ||
	fail "an interpreter's dispatch" "$(cat "$TMP/why" "$TMP/err")"
done_testing
