#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The interpreter of AArch64 against an emulator: random instructions on random state, executed by qemu-user
# (tests/helpers/a64-run.c) and interpreted. SEED and COUNT of the environment choose others, or more.
# UPDATE=1 writes tests/data/a64-truth, which unit/test-tracer-a64 holds against where there is no qemu.
. "$(dirname "$0")/../lib.sh"
need_cmd aarch64-linux-gnu-gcc qemu-aarch64
T=$O/tests/unit/test-tracer-a64
SEED=${SEED:-7} COUNT=${COUNT:-60000}

aarch64-linux-gnu-gcc -O2 -static-pie "$ROOT/tests/helpers/a64-run.c" -o "$TMP/run" || exit 1
# Of signed pointers nobody can compute the signature; registers of SVE would overwrite what is put into those of NEON.
run() {
	timeout 120 qemu-aarch64 -cpu max,pauth=off,sve=off "$TMP/run" "$1" "$2"
}

run "$SEED" "$COUNT" >"$TMP/results"
"$T" compare "$SEED" "$COUNT" "$TMP/results" >"$TMP/out"
is "$COUNT instructions of seed $SEED" "$? $(grep '^# [0-9]*: ' "$TMP/out" | head -5)" "0 "
like "most are compared" "$(tail -1 "$TMP/out")" '^[0-9]+ of [0-9]+ are known in all, 0 wrong$'
known=$(sed -n 's/ of .* are known in all.*//p' "$TMP/out")
[ "${known:-0}" -gt $((COUNT / 3)) ] && pass "more than a third is known in all" ||
	fail "more than a third is known in all" "$known of $COUNT"
is "every kind was interpreted" "$(awk '/ made,/ { for (i = 1; i <= NF; i++) if ($i == "interpreted," && $(i - 1) < 5) print }' "$TMP/out")" ""
run 20 3000 >"$TMP/results"
"$T" truth 20 3000 "$TMP/results" >"$TMP/truth"
[ -z "${UPDATE:-}" ] || cp "$TMP/truth" "$ROOT/tests/data/a64-truth"
check "what is kept is what qemu-user says today" cmp "$TMP/truth" "$ROOT/tests/data/a64-truth"

# Which words are instructions at all, by disassemblers: more than an emulator has.
if command -v aarch64-linux-gnu-objdump >/dev/null && command -v python3 >/dev/null; then
	SEED=$SEED python3 "$ROOT/tests/helpers/a64-words.py" "$T" "${WORDS:-1000}" >"$TMP/words" 2>&1
	is "words that are instructions, and words that are none" "$? $(grep -v ' wrong$' "$TMP/words" | head -5)" "0 "
	like "by objdump, and llvm-mc where it is" "$(tail -1 "$TMP/words")" 'objdump.*: 0 wrong$'
else
	skip "words that are instructions" "no aarch64-linux-gnu-objdump or no python3"
fi
done_testing
