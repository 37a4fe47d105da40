#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run itself, on a tree with suites that hang, leave daemons behind, and are well.
. "$(dirname "$0")/../lib.sh"
[ -e "$ROOT/tests/run" ] || skip_all "the sources are not here"
need_cmd perl setsid

mkdir -p "$TMP/tree/tests/system" "$TMP/out/tests/helpers"
cp "$ROOT/tests/run" "$TMP/tree/tests"
cp "$O/tests/helpers/limit" "$TMP/out/tests/helpers"
cd "$TMP/tree/tests/system" || exit 1
cat >hangs.sh <<EOF
mkdir "$TMP/scratch"
trap 'rm -r "$TMP/scratch"' EXIT
trap 'exit 1' TERM
echo ok 1 - before
setsid sleep 100001 & echo \$! >"$TMP/pids"
setsid sh -c 'sleep 100002 & echo \$! >>"$TMP/pids"'
(trap '' TERM; sleep 100003 & echo \$! >>"$TMP/pids"; wait)
EOF
cat >leaves.sh <<EOF
setsid sleep 100004 & echo \$! >"$TMP/left"
echo ok 1 - a daemon holds the output
echo 1..1
EOF
cat >well.sh <<EOF
echo ok 1 - well
echo 1..1
EOF

any_of() { # any_of PID...
	for _p in "$@"; do
		! kill -0 "$_p" 2>/dev/null || return 0
	done
	return 1
}

unset VALGRIND RERUN
out=$(O=$TMP/out TEST_TIMEOUT=3 perl ../run 2>&1)
is "a run with a suite that hangs fails" $? 1
like "the suite is named, and why" "$out" 'tests/system/hangs\.sh .*FAILED: it hung, and was ended after 3 s'
like "with where it was" "$out" '#   [0-9]+ below [0-9]+, S in [^ ]*: sleep 100001'
like "and at the end" "$out" '^failed: tests/system/hangs\.sh$'
like "the others count" "$out" '^3 passed, 1 failed, 0 skipped$'
like "one that leaves a daemon behind is not waited for" "$out" 'leaves\.sh +1 tests .* ok$'
is "three processes were told" "$(wc -l <"$TMP/pids")" 3
check_status "none of them is left, daemons neither" 1 any_of $(cat "$TMP/pids" "$TMP/left")
check_status "the suite's own trap ran" 1 test -e "$TMP/scratch"

rm hangs.sh
out=$(O=$TMP/out perl ../run 2>&1)
is "without it all is well" "$? $(echo "$out" | tail -1)" "0 2 passed, 0 failed, 0 skipped"
mkdir -p "$TMP/tree/Documentation"
cp "$ROOT/Documentation/design.md" "$TMP/tree/Documentation"
cat >lacks.sh <<EOF
[ "\$(nproc) \$PERF_TRACER_WITHOUT \${PEER-unset}" = "1 avx,hits " ] && echo ok 1
echo 1..1
EOF
is "WITHOUT: one CPU, no peer, words of the tracer" \
	"$(O=$TMP/out WITHOUT=hits,cpus,peer,avx perl ../run lacks 2>&1 | tail -1)" "1 passed, 0 failed, 0 skipped"
like "WITHOUT: what it does not know" "$(O=$TMP/out WITHOUT=cpus,nosuch perl ../run lacks 2>&1)" \
	"no 'nosuch'; there is cpus peer avx "
rm "$TMP/out/tests/helpers/limit"
like "not built" "$(O=$TMP/out perl ../run 2>&1)" 'no .*/limit: make tests builds it'
done_testing
