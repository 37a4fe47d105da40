#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# script --json: an object per sample, registers as typed lanes, the same values as the text has.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "the workload is x86-64 assembly"
need_cmd python3
"$PERF" record -q --reg-source=ptrace --user-regs=ax,ip,xmm --reg-budget 0 -F 500 -o "$TMP/j.data" -- \
	"$PERF" test -w simdloop 1 sse2 >"$TMP/out" 2>&1 ||
	skip_all "cannot record by ptrace here: $(head -1 "$TMP/out")"

json() {
	"$PERF" script --json -i "$TMP/j.data" "$@" >"$TMP/json" 2>"$TMP/err"
}
json -F comm,pid,tid,time,event,ip,sym,symoff,dso,uregs,simd --lanes=i64
check "every line is an object with the fields asked for" python3 - "$TMP/json" <<'P'
import json, sys
rows = [json.loads(l) for l in open(sys.argv[1])]
assert len(rows) > 20, len(rows)
# a sample that nobody could stop the program for, or of its begin or end, has no registers
every = [r for r in rows if r['sym'] == 'simdloop_sse2']
hot = [r for r in every if 'uregs' in r]
assert len(hot) > 10 and len(hot) > len(every) * 0.9, (len(hot), len(every))
inside = 0
for r in hot:
    assert set(r) == {'comm', 'pid', 'tid', 'time_ns', 'event', 'ip', 'sym', 'symoff', 'dso',
                      'uregs', 'simd'}, r
    assert r['uregs']['IP'] == r['ip'] and r['uregs']['abi'] & 2
    xmm = {int(k): v for k, v in r['simd']['user'].get('xmm', {}).items()}
    want = {n: [0x5151000000000000 | n << 8 | l for l in (0, 1)] for n in range(16)}
    inside += xmm == want and r['simd']['user']['xmm_initial'] == []
# all but the samples that hit while the registers are being filled
assert inside > len(hot) * 0.9, (inside, len(hot))
P
"$PERF" script -F ip,uregs -i "$TMP/j.data" | sed 's/ IP:.*//;s/^ *//;s/ .* AX:/ /' >"$TMP/text"
json -F ip,uregs
check "it says what the text says" python3 - "$TMP/json" "$TMP/text" <<'P'
import json, sys
a = [json.loads(l) for l in open(sys.argv[1])]
b = [l.split() for l in open(sys.argv[2])]
assert [[r['ip']] + ([r['uregs']['AX']] if 'uregs' in r else []) for r in a] == \
       [['0x' + i] + rest for i, *rest in b]
P
json -F ip,simd --regs=xmm3 --lanes=f64
check "--regs and --lanes choose" python3 - "$TMP/json" <<'P'
import json, struct, sys
want = [struct.unpack('<d', struct.pack('<Q', 0x5151000000000300 | l))[0] for l in (0, 1)]
rows = [json.loads(l).get('simd', {}).get('user', {}).get('xmm', {}) for l in open(sys.argv[1])]
assert any(r == {'3': want} for r in rows), rows[:3]
assert all(set(r) <= {'3'} for r in rows)
P
json -F ip,uregs,simd --redact
unlike "--redact hides values" "$(cat "$TMP/json")" '0x5151|51510000|"AX":"'
like "and says so" "$(cat "$TMP/json")" '"AX":null.*"xmm":\{"0":null'
check_status "a field without a form is refused" 255 "$PERF" script --json -F ip,brstackoff -i "$TMP/j.data"
like "by name" "$(cat "$TMP/check.out")" "no form for field 'brstackoff'"
like "and those that have one" "$(cat "$TMP/check.out")" \
	"It knows comm, pid, tid, cpu, time, period, event, addr, .* and transaction\."

# Branches: what went into a made file, what the text says; call chains.
CALLS=$O/tests/helpers/calls
made_file branch-file -c "$TMP/b.data" <<EOF
map 0x400000 0x100000 $CALLS
sample 2 0x401139 from=0x401000,to=0x401139,predicted=1,in_tx=1,cycles=7,type=4,counter=0x6 from=0x1,to=0x2,mispred=1,abort=1,spec=2 from=0x3,to=0x4,not_taken=1,type=15,new_type=2
sample 1 0x401139
EOF
"$PERF" script --json -F ip,dso,brstacksym,brcntr -i "$TMP/b.data" >"$TMP/json" 2>"$TMP/err"
"$PERF" script -F brstacksym -i "$TMP/b.data" >"$TMP/text" 2>>"$TMP/err"
check "branches: flags, counters, symbols" python3 - "$TMP/json" "$TMP/text" <<'P'
import json, sys
rows = [json.loads(l) for l in open(sys.argv[1])]
a, b, c = rows[0]['branches']
assert rows[1]['branches'] == rows[0]['branches'] and rows[2]['branches'] == [], rows
assert (a['from'], a['to'], a['predicted'], a['in_tx'], a['abort'], a['cycles'], a['type'], a['spec'],
        a['counters']) == ('0x401000', '0x401139', True, True, False, 7, 'CALL', None, '0x6'), a
assert (b['predicted'], b['abort'], b['spec'], b['type'], b['to_sym']) == \
       (False, True, 'NON_SPEC_CORRECT_PATH', None, None), b
assert (c['predicted'], c['not_taken'], c['type']) == (None, True, 'FAULT_INST'), c
assert a['to_dso'].endswith('/calls') and b['to_dso'] is None, a
text = open(sys.argv[2]).readline().split()
for entry, t in zip((a, b, c), text):
    for end, part in zip(('from', 'to'), t.split('/')):
        sym = entry[end + '_sym']
        assert part == ('%s+0x%x' % (sym, entry[end + '_symoff']) if sym else '[unknown]'), (entry, t)
P
mkdir -p "$TMP/lbr" && made_file lbr-files "$TMP/lbr"
"$PERF" script --json --stitch-lbr -i "$TMP/lbr/walk32-1.data" 2>"$TMP/err" >"$TMP/json"
check "call chains: the frames of stitched LBR stacks" python3 - "$TMP/json" "$TMP/lbr/walk32-1.stitched" <<'P'
import json, sys
got = [' '.join(f['ip'][2:] for f in json.loads(l)['callchain']) for l in open(sys.argv[1])]
assert got == open(sys.argv[2]).read().splitlines()
assert json.loads(open(sys.argv[1]).readline())['callchain'][-1]['sym'].startswith('f')
P

# What JSON has no number for: made files, lanes of every kind.
S=$ROOT/../shared/fixtures/simd/zmm-opmask-intr.perf.data
if [ -e "$S" ]; then
	for lane in hex f32 f64 i8 i16 i32 i64; do
		"$PERF" script --json -F simd,iregs --lanes=$lane -i "$S" >"$TMP/json" 2>"$TMP/err"
		check "$lane: what went into the file" python3 - "$TMP/json" "${S%.perf.data}.json" $lane <<'P'
import json, math, struct, sys
lane = sys.argv[3]
code = {'hex': 'Q', 'f32': 'f', 'f64': 'd', 'i8': 'b', 'i16': 'h', 'i32': 'i', 'i64': 'q'}[lane]
rows = [json.loads(l) for l in open(sys.argv[1])]
want = json.load(open(sys.argv[2]))['samples']
assert len(rows) == len(want) > 0
def number(x):
    if lane == 'hex':
        return int(x, 16)
    return float(x) if lane[0] == 'f' else x
def bits(x):
    return struct.pack('<' + code, number(x)) if not (isinstance(x, str) and 'nan' in x) else None
def value(x):
    return int(x, 16) if isinstance(x, str) else x
for r, w in zip(rows, want):
    got, regs = r['simd']['intr'], w['iregs']
    for n, q in enumerate(regs['vec']):
        raw = b''.join(struct.pack('<Q', value(v)) for v in q)
        if not any(raw):
            assert n in got['zmm_initial']
            continue
        size = struct.calcsize(code)
        lanes = got['zmm'][str(n)]
        assert len(lanes) == len(raw) // size
        for i, x in enumerate(lanes):
            b = bits(x)
            if b is not None:
                assert b == raw[i * size:(i + 1) * size], (n, i, x)
    for n, q in enumerate(regs['pred']):
        v = value(q[0] if isinstance(q, list) else q)
        assert (n in got['k_initial']) if not v else int(got['k'][str(n)], 16) == v
P
	done
else
	skip "lanes of made files" "no ../shared/fixtures in a stranger's clone"
fi
done_testing
