#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# LBR call stacks of a written recording: frames as the registers have them, and stitched.
. "$(dirname "$0")/../lib.sh"
need_cmd perl
perl "$ROOT/tests/helpers/lbr-stacks.pl" "$TMP/lbr.data" || skip_all "the recording cannot be written"

# One line per sample: the frames, innermost first.
frames() {
	"$PERF" script -F ip -i "$TMP/lbr.data" "$@" 2>&1 | awk '
		NF { s = s (s == "" ? "" : " ") $1; next } s != "" { print s; s = "" }'
}
is "the newest entry's target, then the call sites" "$(frames)" "4000 3010 2010 1010 10
6000 5010 4010 3010 2010
8000 7010 6010 5010 4010
e000 d010 c010 b010 a010"
is "stitched: outer frames come from the samples before, as long as they join" \
	"$(frames --stitch-lbr)" "4000 3010 2010 1010 10
6000 5010 4010 3010 2010 1010 10
8000 7010 6010 5010 4010 3010 2010 1010 10
e000 d010 c010 b010 a010"
is "--max-stack counts stitched frames too" "$(frames --stitch-lbr --max-stack 6 | tail -2)" \
	"8000 7010 6010 5010 4010 3010
e000 d010 c010 b010 a010"
is "the address alone with -G" "$("$PERF" script -F ip -G -i "$TMP/lbr.data" | tr -d ' ' | tr '\n' ' ')" \
	"4020 6020 8020 e020 "
done_testing
