# SPDX-License-Identifier: GPL-2.0-or-later
# report -b on recordings with branch stacks, against what perf 7.2.13 prints: equal once the
# faults listed in brreport.pl are taken out of both.
. "$(dirname "$0")/../lib.sh"
need_cmd perl
G=$ROOT/tests/golden

fx=$(fixtures) || skip_all "no ../shared/fixtures in a stranger's clone"
cd "$fx/expected" || exit 1
n=0
for want in $(find . -name '*.brreport' | sort); do
	rec=$fx/real/${want%.brreport}
	n=$((n + 1))
	"$PERF" report --symfs /nonexistent --stdio -b -s addr_from,addr_to,mispredict -i "$rec" \
		>"$TMP/got" 2>/dev/null
	check "$want" perl "$G/brreport.pl" "$TMP/got" "$want"
done
is "recordings with branch stacks" "$n" 8
done_testing
