#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record --call-graph lbr against the stand-in: what it asks the kernel for, and that script and
# report get back the stacks that the stand-in put into the samples.
. "$(dirname "$0")/../lib.sh"
need_standin

# a core PMU with 32 registers, which is what stitching needs to know
mkdir -p "$TMP/sys/cpu/caps" "$TMP/sys/cpu/format"
echo 4 >"$TMP/sys/cpu/type"
echo 32 >"$TMP/sys/cpu/caps/branches"
record() { # record ARGS...
	rm -f "$TMP/log"
	STANDIN=full STANDIN_LOG=$TMP/log STANDIN_SYSFS=$TMP/sys LD_PRELOAD=$SO \
		"$PERF" record -o "$TMP/perf.data" "$@" >"$TMP/rec.out" 2>&1
}
attr() { # attr FIELD
	"$PERF" evlist -v -i "$TMP/perf.data" 2>&1 | sed -n "s/.* $1: \([^ ,]*\).*/\1/p" | head -1
}
# One line per sample: its frames, innermost first.
frames() {
	"$PERF" script -F ip -i "$TMP/perf.data" "$@" 2>"$TMP/err" | awk '
		NF { s = s (s == "" ? "" : " ") $1; next } s != "" { print s; s = "" }
		END { if (s != "") print s }' | sort
}
# What the log says: all frames, or those that registers and chain have.
logged() { # logged all|registers
	sed -n 's/.* chain=\([^ ]*\).*/\1/p' "$TMP/log" | tr ',' ' ' | awk -v what="$1" '{
		n = 0
		s = ""
		for (i = 1; i <= NF; i++) {
			user = substr($i, 1, 4) != "ffff"
			if (!user || what == "all" || n++ < 33)
				s = s (s == "" ? "" : " ") $i
		}
		print s
	}' | sort
}

record -v -c 1000 --call-graph lbr -- sleep 0.2
is "record --call-graph lbr" "$?" 0
is "the sample type" "$(attr sample_type)" "IP|TID|TIME|CALLCHAIN|BRANCH_STACK"
is "the branch filter" "$(attr branch_sample_type)" "USER|CALL_STACK|NO_FLAGS|NO_CYCLES|HW_INDEX"
unlike "the kernel keeps its user marker" "$("$PERF" evlist -v -i "$TMP/perf.data")" \
	'exclude_callchain_user'
like "-v says what a sample costs" "$(cat "$TMP/rec.out")" \
	'up to 784 bytes to a sample: one sample every 1000 events is 0.784 MB for a million events'
logged registers >"$TMP/want"
frames >"$TMP/got"
is "samples were logged" "$([ "$(wc -l <"$TMP/want")" -ge 20 ] && echo yes)" yes
same_file "kernel part, innermost frame, call sites" "$TMP/got" "$TMP/want"
logged all >"$TMP/want"
frames --stitch-lbr >"$TMP/got"
same_file "stitched: the whole recursion" "$TMP/got" "$TMP/want"
like "report -D has the three blocks" "$("$PERF" report -D -i "$TMP/perf.data" |
	sed -n 's/^\.\.\. \([A-Z]* *[a-z]* *[a-z]*: nr\).*/\1/p' | head -3 | tr '\n' ',')" \
	'LBR call chain: nr,FP chain: nr,branch callstack: nr'
like "report shows call graphs, not branches" \
	"$("$PERF" report --stdio -i "$TMP/perf.data" 2>&1)" 'Children +Self'

record -v -F 4000 --call-graph lbr -Izmm,opmask -e branches:p -- sleep 0.1
like "the rate in MB/s" "$(cat "$TMP/rec.out")" \
	'2936 bytes to a sample: at 4000 samples/s 11.744 MB/s on each busy CPU'

# ---- where the registers cannot be had
record -b --call-graph lbr -- sleep 0.1
like "not with -b" "$(cat "$TMP/rec.out")" \
	'^Cannot use LBR callstack with branch stack. Falling back to framepointers.$'
is "-b stays" "$(attr branch_sample_type)" "ANY"
like "and chains by frame pointers" "$(attr sample_type)" 'CALLCHAIN.*BRANCH_STACK'
for a in "-e cycles:k" "--all-kernel"; do
	record $a --call-graph lbr -- sleep 0.1
	like "not for the kernel alone ($a)" "$(cat "$TMP/rec.out")" '^LBR callstack option is only available to get user callchain information. Falling back to framepointers.$'
	unlike "no branch stack" "$(attr sample_type)" 'BRANCH_STACK'
	like "a chain" "$(attr sample_type)" 'CALLCHAIN'
done
done_testing
