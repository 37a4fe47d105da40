#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# Readers under valgrind, over every small recording of tests/data: no invalid access, no use of
# what was never set, no leak. (The whole suite under sanitizers: make check SAN=address,undefined.)
# valgrind-report.sh has the other half: a slow machine takes four seconds for each. Each suite reads a recording in
# one of its two ways; PAIRS=all: in both.
. "$(dirname "$0")/../lib.sh"
need_cmd valgrind
nm "$PERF" 2>/dev/null | grep -q __asan_init && skip_all "built with sanitizers"

rec=0
for f in "$ROOT"/tests/data/perf/*.data; do
	[ -e "$f" ] || skip_all "no recordings in tests/data"
	rec=$((rec + 1)) line=0
	for how in "${VALGRIND_FIRST:-evlist -v}" "${VALGRIND_SECOND:-script --symfs /nonexistent}"; do
		line=$((line + 1))
		meet 2 $line $rec || continue
		case $how in
		evlist*) ;;
		*) [ "$(wc -c <"$f")" -lt 60000 ] || continue ;; # minutes otherwise
		esac
		# A file that is refused exits with 1; what counts is valgrind's own status.
		valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
			--errors-for-leak-kinds=definite "$PERF" $how -i "$f" >/dev/null 2>"$TMP/err"
		st=$?
		if [ $st -eq 99 ]; then
			fail "$(basename "$f"): $how" "$(grep == "$TMP/err" | head -30)"
		else
			pass "$(basename "$f"): $how"
		fi
	done
done
done_testing
