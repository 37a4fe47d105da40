#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Chains that only a written recording holds here: LBR call stacks, as the registers have them and
# stitched, and chains whose user part comes later in a record of its own.
. "$(dirname "$0")/../lib.sh"
need_cmd perl python3
made_file lbr-stacks "$TMP/lbr.data" || skip_all "the recording cannot be written"

file=lbr.data
# One line per sample: the frames, innermost first.
frames() {
	"$PERF" script -F ip -i "$TMP/$file" "$@" 2>&1 | awk '
		NF { s = s (s == "" ? "" : " ") $1; next } s != "" { print s; s = "" }'
}
is "the sample, then the call sites" "$(frames)" "4020 3010 2010 1010 10
6020 5010 4010 3010 2010
8020 7010 6010 5010 4010
e020 d010 c010 b010 a010"
is "stitched: outer frames come from the samples before, as long as they join" \
	"$(frames --stitch-lbr)" "4020 3010 2010 1010 10
6020 5010 4010 3010 2010 1010 10
8020 7010 6010 5010 4010 3010 2010 1010 10
e020 d010 c010 b010 a010"
is "--max-stack counts stitched frames too" "$(frames --stitch-lbr --max-stack 6 | tail -2)" \
	"8020 7010 6010 5010 4010 3010
e020 d010 c010 b010 a010"
is "the address alone with -G" "$("$PERF" script -F ip -G -i "$TMP/lbr.data" | tr -d ' ' | tr '\n' ' ')" \
	"4020 6020 8020 e020 "

file=deferred.data
made_file deferred-stacks "$TMP/deferred.data" &&
	is "deferred chains: completed by cookie and thread, the rest at the end" "$(frames)" \
		"ffffffff81000001 1010 2020
ffffffff81000003 1010 2020
ffffffff81000002 3030
ffffffff81000004"
done_testing
