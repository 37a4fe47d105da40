#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --simd of a program whose loops are known: which functions use wide vectors, and which
# only run while somebody else's are still there.
. "$(dirname "$0")/../lib.sh"
[ "$(uname -m)" = x86_64 ] || skip_all "the workload is x86-64 assembly"
need_cmd python3
"$PERF" check feature -q zydis ||
	skip_all "built without Zydis: what instructions do is not known"
"$PERF" test -w simdloop 0.01 avx2 2>/dev/null || skip_all "this CPU has no AVX2"
level=avx2
class=ymm
if "$PERF" test -w simdloop 0.01 avx512 2>/dev/null; then
	level=avx512 class=zmm
fi
regs=$class
[ $class = zmm ] && regs=zmm,opmask

record() { # record FILE LEVEL REGS
	"$PERF" record -q --reg-source=ptrace --user-regs=$3 --reg-budget 0 -F 1000 -o "$TMP/$1" -- \
		"$PERF" test -w simdloop 1 $2 >"$TMP/out" 2>&1
}
record wide.data $level $regs || skip_all "cannot record by ptrace here: $(head -1 "$TMP/out")"

# row FILE FUNCTION: its columns, separated by |, without blanks around
row() {
	"$PERF" report --simd --stdio -q -t '|' -s sym -i "$TMP/$1" 2>"$TMP/err" |
		grep "$2" | sed 's/ *| */|/g; s/^ *//' | head -1
}

# holds NAME FILE FUNCTION PYTHON: a condition over the columns of FUNCTION's row
holds() {
	row "$2" "$3" >"$TMP/row"
	python3 - "$4" "$TMP/row" >"$TMP/why" 2>&1 <<'P' && pass "$1" || fail "$1" "$(cat "$TMP/row" "$TMP/why" "$TMP/err")"
import sys
names = ('overhead samples live512 live256 live128 livenone livehigh dirty code512 code256 code128 '
         'codenone lanes masks use sym').split()
cells = open(sys.argv[2]).read().strip().split('|')
assert len(cells) == len(names), f'{len(cells)} columns'
v = {}
for n, c in zip(names, cells):
    try:
        v[n] = float(c.rstrip('%'))
    except ValueError:
        v[n] = c
sys.exit(0 if eval(sys.argv[1], v) else 1)
P
}

if [ $class = zmm ]; then
	# Samples are of the instruction that runs next: some are of the loop's few of 512 bits and most of those around them,
	# how many is the CPU's and the load's.
	holds "the loop with zmm registers uses zmm" wide.data simdloop_avx512 \
		'use == "uses zmm" and live512 > 99 and code512 > 1 and samples > 20'
	holds "its masks are as full as they were made" wide.data simdloop_avx512 '30 < masks < 60'
	holds "scalar code behind it is clean, though vzeroupper spares zmm16-31" wide.data \
		scalarloop 'use == "scalar" and dirty < 2 and codenone > 95 and live512 < 2 and livehigh > 95'
	"$PERF" report --simd --stdio -q -s sym --redact -t '|' -i "$TMP/wide.data" >"$TMP/text"
	unlike "--redact hides what masks held" "$(grep simdloop_avx512 "$TMP/text" | cut -d'|' -f13,14)" '%'
else
	skip "zmm" "this CPU has no AVX-512"
fi
# Of registers 0-15 only: a C library for AVX-512 leaves values in ymm16-31.
record ymm.data avx2 ymm
holds "the loop with ymm registers uses ymm" ymm.data simdloop_avx2 \
	'use == "uses ymm" and live256 > 99 and live512 == "N/A" and code256 > 10'
holds "vzeroupper leaves nothing of them to scalar code" ymm.data scalarloop \
	'use == "scalar" and dirty < 2 and live128 > 95'
record xmm.data sse2 ymm
holds "SSE code uses xmm" xmm.data simdloop_sse2 \
	'use == "uses xmm" and live128 > 99 and dirty == 0 and code128 > 10'

# The kernel's general registers beside them, in either order of the options.
for order in "-Iip --user-regs=ymm" "--user-regs=ymm -Iip"; do
	"$PERF" record -q $order --reg-source=auto --reg-budget 0 -F 500 -o "$TMP/both.data" -- \
		"$PERF" test -w simdloop 0.3 avx2 >"$TMP/out" 2>&1
	like "record $order" "$("$PERF" script -F ip,sym,iregs,simd --regs=ymm3 -i "$TMP/both.data" 2>&1 |
		tr '\n\t' '  ')" 'simdloop_avx2 ABI:2 +IP:0x[0-9a-f]+ +user YMM3 +0x5151000000000300'
done

# The same as JSON, and with keys of the user's choice.
"$PERF" report --simd --json -s sym -i "$TMP/wide.data" >"$TMP/json" 2>"$TMP/err"
check "--json has the same numbers" python3 - "$TMP/json" $level <<'P'
import json, sys
r = {x['symbol'].split()[-1]: x for e in json.load(open(sys.argv[1]))['events'] for x in e['rows']}
x = r['simdloop_' + sys.argv[2]]
total = sum(x[k] for k in ('live_512', 'live_256', 'live_128', 'live_none'))
assert abs(total - 100) < 0.5, total
total = sum(x[k] for k in ('code_512', 'code_256', 'code_128', 'code_none'))
assert abs(total - 100) < 0.5, total
assert x['simd_use'] == ('uses zmm' if sys.argv[2] == 'avx512' else 'uses ymm'), x
assert x['mask_lanes'] is None and isinstance(x['simd_dirty'], float), x
P
like "-s comm, columns by name" \
	"$("$PERF" report --stdio -q -F overhead,live_none,simd_use -s comm -i "$TMP/wide.data" 2>&1)" \
	'^ +100\.00% +[0-9.]+% +(uses|zmm|ymm)[a-z ]* +perf *$'
like "the text says what its columns are" "$("$PERF" report --simd -i "$TMP/wide.data" 2>&1)" \
	'^# Live: samples by widest register'

# Phases: of two threads one has 512 bits in use from the middle on, the other 128 all the time.
made_file page-simd "$TMP/phases.data"
"$PERF" report --simd --json -s tid,time --time-quantum 10ms -i "$TMP/phases.data" >"$TMP/json" 2>"$TMP/err"
is "when 512 bits were in use, by thread" "$(python3 -c 'import json, sys
rows = [x for e in json.load(open(sys.argv[1]))["events"] for x in e["rows"]]
print(sorted((x["tid"].split(":")[-1].split()[0], x["time"], x["live_512"], x["live_128"]) for x in rows))' "$TMP/json")" \
	"[('narrow', '1.000000', 0.0, 100.0), ('narrow', '1.010000', 0.0, 100.0), ('narrow', '1.020000', 0.0, 100.0), ('narrow', '1.030000', 0.0, 100.0), ('wide', '1.000000', 0.0, 100.0), ('wide', '1.010000', 0.0, 100.0), ('wide', '1.020000', 100.0, 0.0), ('wide', '1.030000', 100.0, 0.0)]"

# Key values of vectors as JSON.
"$PERF" report --json -s 'simd_width,simd_upper,reg:xmm3.i8[0]' -i "$TMP/wide.data" >"$TMP/json"
check "sort keys over SIMD state as JSON" python3 - "$TMP/json" $class <<'P'
import json, sys
rows = [x for e in json.load(open(sys.argv[1]))['events'] for x in e['rows']]
want = {'zmm': ('512', 'Y'), 'ymm': ('256', 'Y')}[sys.argv[2]]
top = max(rows, key=lambda x: x['weight'])
assert (top['simd_width'], top['simd_upper'], top['reg:xmm3.i8[0]']) == (*want, '0'), rows
P

"$PERF" record -q -e cpu-clock -o "$TMP/plain.data" -- true >/dev/null 2>&1
"$PERF" report --simd -i "$TMP/plain.data" >"$TMP/out" 2>&1
is "a recording without vectors is refused" "$?" 1
like "with the way out" "$(tr '\n' ' ' <"$TMP/out")" 'no vector registers.*--user-regs=zmm,opmask'
"$PERF" report --simd -b -i "$TMP/wide.data" >"$TMP/out" 2>&1
like "so is -b beside it" "$(cat "$TMP/out")" 'shows samples, -b shows branches'
done_testing
