#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The command lines of the SIMD series' test section, against the stand-in that has everything:
# report -D and script print exactly the values that it put into the samples.
. "$(dirname "$0")/../lib.sh"
need_standin
need_cmd python3
CMP="python3 $ROOT/tests/standin/compare.py"

# series LETTERS record-arguments...: LETTERS say which register blocks the samples have.
series() {
	letters=$1
	shift
	rm -f "$TMP/log" "$TMP/perf.data"
	STANDIN=full STANDIN_LOG=$TMP/log LD_PRELOAD=$SO "$PERF" record -o "$TMP/perf.data" "$@" \
		>"$TMP/rec.out" 2>&1
	is "record $*" "$?" 0
	[ -s "$TMP/perf.data" ] || diag "$(cat "$TMP/rec.out")"
	"$PERF" report -D -i "$TMP/perf.data" >"$TMP/dump" 2>"$TMP/err"
	check "report -D shows what was logged" $CMP dump "$TMP/log" "$TMP/dump"
	"$PERF" script -F "ip$(echo "$letters" | sed 's/i/,iregs/;s/u/,uregs/')" \
		-i "$TMP/perf.data" >"$TMP/script" 2>"$TMP/err"
	check "script shows what was logged" $CMP script "$TMP/log" "$TMP/script" "$letters"
}

A=ax,bx,r8,r16,r31,ssp
series i -e branches:p -I$A,xmm,ymm,zmm,opmask -b -c 10000 sleep 0.2
series i -e branches -I$A,xmm,ymm,zmm,opmask -b -c 10000 sleep 0.2
series u -e branches:p --user-regs=$A,xmm,ymm,zmm,opmask -b -c 10000 sleep 0.2
series u -e branches --user-regs=$A,xmm,ymm,zmm,opmask -b -c 10000 sleep 0.2
series iu -e branches:p -Ixmm,ymm,zmm,opmask --user-regs=$A -b -c 10000 sleep 0.2
series iu -e branches:p --user-regs=xmm,ymm,zmm,opmask -I$A -b -c 10000 sleep 0.2
series iu -e branches:p -Iax,bx,r9,r17,r30,ssp --user-regs=$A -b -c 10000 sleep 0.2
series iu -e branches:p -Ixmm,opmask --user-regs=zmm -b -c 10000 taskset -c 0 sleep 0.2

# What can be had is found by trial opens, whatever this machine's CPU is.
available() {
	STANDIN=$1 LD_PRELOAD=$SO "$PERF" record "$2" 2>&1 | grep 'available registers'
}
G="AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 R13 R14 R15"
E="R16 R17 R18 R19 R20 R21 R22 R23 R24 R25 R26 R27 R28 R29 R30 R31 SSP"
is "full -I?" "$(available full '-I?')" \
	"available registers: $G $E XMM0-15 YMM0-15 ZMM0-31 OPMASK0-7"
is "full --user-regs=?" "$(available full '--user-regs=?')" \
	"available registers: $G $E XMM0-15 YMM0-15 ZMM0-31 OPMASK0-7"
is "hybrid -I?" "$(available hybrid '-I?')" \
	"available registers: $G $E XMM0-15 YMM0-15 ZMM0-31 OPMASK0-7"
is "ymm -I?" "$(available ymm '-I?')" "available registers: $G XMM0-15 YMM0-15"
is "old -I?" "$(available old '-I?')" "available registers: $G"
like "legacy -I?" "$(available legacy '-I?')" "available registers: $G XMM0 XMM1 .*XMM15"
STANDIN=full LD_PRELOAD=$SO "$PERF" record '-I?' >/dev/null 2>&1
is "-I? exits with 129" "$?" 129

# Each refusal says which of the three it is: kernel, CPU, PMU.
refused() {
	name=$1 profile=$2 ere=$3
	shift 3
	STANDIN=$profile LD_PRELOAD=$SO "$PERF" record -o "$TMP/no.data" "$@" -- true \
		>"$TMP/out" 2>&1
	st=$?
	if [ $st -eq 0 ]; then fail "$name is refused" "exit 0"; else pass "$name is refused"; fi
	like "$name: the reason" "$(cat "$TMP/out")" "$ere"
}
refused "zmm on an old kernel" old 'kernel' -Izmm
refused "zmm on a CPU without it" ymm 'CPU' -Izmm
refused "opmask on a CPU without it" ymm 'CPU' --reg-source=kernel --user-regs=opmask
refused "r16 on a CPU without APX" ymm '[Rr]16' -Ir16
refused "xmm on a software event" full 'software' -e cpu-clock -Ixmm
refused "an unknown name" full 'ymm' -Iyym
done_testing
