#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Counts at each instruction against exact ones: callgrind tells how often every instruction of a
# known program ran. A recording that says the same must be shown so, and what real samples were
# taken at must have run.
. "$(dirname "$0")/../lib.sh"
need_cmd gcc python3 valgrind
grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h" || skip_all "built without a disassembler library"
COUNTS=$ROOT/tests/helpers/callgrind-counts.py
prog=$TMP/counted

gcc -O1 -g -no-pie -fno-pie -Wl,-z,now -o "$prog" "$ROOT/tests/helpers/hot-paths.c" 2>"$TMP/log" ||
	skip_all "the program does not compile: $(head -n 1 "$TMP/log")"
valgrind --tool=callgrind --dump-instr=yes --compress-pos=no --compress-strings=no \
	--callgrind-out-file="$TMP/counts" "$prog" >"$TMP/log" 2>&1 ||
	skip_all "valgrind does not run it: $(tail -n 1 "$TMP/log")"

"$COUNTS" make "$TMP/counts" "$prog" "$TMP/exact.data"
"$PERF" annotate -i "$TMP/exact.data" --json >"$TMP/exact.json" 2>"$TMP/err"
if "$COUNTS" check "$TMP/counts" "$prog" "$TMP/exact.json" >"$TMP/verdict" 2>&1; then
	pass "every instruction has its count: $(tail -n 1 "$TMP/verdict")"
else
	fail "every instruction has its count" "$(head -n 20 "$TMP/verdict")" "$(cat "$TMP/err")"
fi

# The loops of the program many times over, for samples.
sed 's/i < 90; i++)/i < 60000; i++)/' "$ROOT/tests/helpers/hot-paths.c" >"$TMP/longer.c"
gcc -O1 -g -no-pie -fno-pie -Wl,-z,now -o "$TMP/longer" "$TMP/longer.c"
if "$PERF" record -q -e cpu-clock:u -F 4000 -o "$TMP/real.data" "$TMP/longer" >"$TMP/log" 2>&1; then
	"$PERF" annotate -i "$TMP/real.data" --json --dsos longer >"$TMP/real.json" 2>"$TMP/err"
	valgrind --tool=callgrind --dump-instr=yes --compress-pos=no --compress-strings=no \
		--callgrind-out-file="$TMP/counts" "$TMP/longer" >"$TMP/log" 2>&1
	if "$COUNTS" ran "$TMP/counts" "$TMP/longer" "$TMP/real.json" >"$TMP/verdict" 2>&1; then
		pass "samples are at instructions that ran: $(tail -n 1 "$TMP/verdict")"
	else
		fail "samples are at instructions that ran" "$(cat "$TMP/verdict")" "$(cat "$TMP/err")"
	fi
else
	skip "samples are at instructions that ran" "perf record does not work here: $(tail -n 1 "$TMP/log")"
fi

# Branch stacks walked in software tell how often each instruction ran.
name="executions by branch stacks are callgrind's"
if "$PERF" record -q -b --branch-source=software --branch-span=0 --branch-budget 0 -F 2000 -o "$TMP/b.data" "$TMP/longer" \
	>"$TMP/log" 2>&1; then
	"$PERF" annotate -i "$TMP/b.data" --json --dsos longer >"$TMP/b.json" 2>"$TMP/err"
	if "$COUNTS" runs "$TMP/counts" "$TMP/longer" "$TMP/b.json" >"$TMP/verdict" 2>&1; then
		pass "$name: $(tail -n 1 "$TMP/verdict")"
	else
		fail "$name" "$(cat "$TMP/verdict")" "$(cat "$TMP/err")"
	fi
	# Pieces of the recording add up, each with a machine and symbols of its own.
	"$PERF" annotate -i "$TMP/b.data" --json >"$TMP/want" 2>"$TMP/err"
	"$PERF" annotate -i "$TMP/b.data" --json --pieces 3 --apart >"$TMP/got" 2>"$TMP/err"
	same_file "in pieces" "$TMP/got" "$TMP/want"
else
	skip "$name" "branches cannot be followed here: $(tail -n 1 "$TMP/log")"
fi
done_testing
