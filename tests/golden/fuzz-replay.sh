#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every fuzz target over what it starts with, over what it found before (tests/fuzz/finds), and over a few changes of
# each, which are the same every time: no crash, no leak, nothing that takes 20 s of CPU. Needs no libFuzzer; under sanitizers it
# sees what they see. `make fuzz` goes on from there.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
REPLAY=$O/tests/fuzz/replay
[ -x "$REPLAY" ] || skip_all "tests/fuzz/replay is not built (make tests)"
[ -f "$ROOT/tests/fuzz/seeds" ] || skip_all "no tests/fuzz here"

names=$("$REPLAY" -l | cut -f1)
# shellcheck disable=SC2086 # a list
check "targets have seeds" python3 "$ROOT/tests/fuzz/seeds" "$TMP/seeds" $names small
for name in $names; do
	if "$REPLAY" -v -n 5 "$name" "$TMP/seeds-$name" >"$TMP/log" 2>&1; then
		pass "$name: $(tail -1 "$TMP/log" | sed 's/.*: //')"
	else
		fail "$name" "exit $?, at: $(tail -1 "$TMP/log")" "again: $REPLAY -v -n 5 $name FILE"
	fi
done
done_testing
