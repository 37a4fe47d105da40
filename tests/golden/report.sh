# SPDX-License-Identifier: GPL-2.0-or-later
# The default table of small recordings kept here: what an upstream perf 6.1 prints for them too,
# but for the tip. Branch rows are ours, checked against golden/report-branch's expectations.
. "$(dirname "$0")/../lib.sh"

for want in "$ROOT"/tests/data/perf/*.report; do
	rec=${want%.report}.data
	"$PERF" report --symfs /nonexistent -i "$rec" 2>/dev/null | grep -v '^# (Tip' >"$TMP/got"
	same_file "$(basename "$rec")" "$TMP/got" "$want"
done
"$PERF" report -b --symfs /nonexistent -s addr_from,addr_to,mispredict,cycles \
	-i "$ROOT/tests/data/perf/branch-4.14.data" 2>/dev/null | grep -v '^# (Tip' >"$TMP/got"
same_file "branch-4.14.data -b" "$TMP/got" "$ROOT/tests/data/perf/branch-4.14.report-b"
done_testing
