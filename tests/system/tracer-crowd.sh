#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: alone
# Many more threads than CPUs, all due for a sample at once, and served by one recorder. They finish as if alone, and what is
# done for samples keeps to the budget however many they are: had each the branches of a burst, 500 threads
# would be hundreds of thousands of stacks and minutes. CROWD=N: that many threads, 5,000 in a whole test; those for which there
# are no descriptors run on unsampled.
. "$(dirname "$0")/../lib.sh"
need_tracing
need_cmd awk
CROWD=${CROWD:-500}
TRACEE=$O/tests/helpers/tracee
cd "$TMP" || exit 1
"$TRACEE" crowd "$CROWD" >want 2>err || skip_all "not $CROWD threads: $(cat err)"

for how in "-b --branch-source=software --branch-span 0" "-b --branch-source=software --branch-span 100" \
	"--reg-source=ptrace --user-regs=ax" "-b --branch-source=software --call-graph dwarf" "--branch-trace=100000"; do
	# shellcheck disable=SC2086
	timeout -k 5 200 "$PERF" record $how -o c.data "$TRACEE" crowd "$CROWD" >out 2>err
	status=$?
	is "$how: output and status of $CROWD threads" "$status $(cat out)" "0 $(cat want)" || diag "$(tail -3 err)"
	# (A stripped library is no fault of the recording.)
	is "... all of it can be read" "$("$PERF" script -i c.data 2>&1 >/dev/null |
		grep -Ev '^(no function names for .*\(stripped|Packages with debug symbols)' | head -1)" ""
	sed -n 's/.*record: \([0-9]*\) stacks of \([0-9.]*\) .*/\1/p' err >stacks
	case $how in
	*span\ 100*)
		# an account of 100 ms and 5 % of two CPUs, at 100 ns a branch, are 40,000 in the first second
		seconds=$("$PERF" script -i c.data -F time --ns | awk 'NR == 1 { first = $1 } { last = $1 }
			END { printf "%d", last - first + 2 }')
		cpus=$(nproc)
		[ "$(cat stacks)" -le $((100000 + 20000 * cpus * seconds)) ] &&
			pass "... no more stacks than the budget allows" ||
			fail "... no more stacks than the budget allows" "$(cat err)"
		;;
	esac
	diag "$(grep 'stood still' err)"
done
done_testing
