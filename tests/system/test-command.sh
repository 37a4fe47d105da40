#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf test on suites made here: results, repeated runs, JUnit XML; the workloads.
. "$(dirname "$0")/../lib.sh"
need_cmd python3

mkdir -p "$TMP/bin" "$TMP/src/tests/system"
cp "$PERF_FILE" "$TMP/bin/perf"
echo "$TMP/src" >"$TMP/bin/srcdir"
suite() { # NAME: of the suite whose script is on stdin
	cat >"$TMP/src/tests/system/$1.sh"
}
suite good <<'S'
echo "ok 1 - one"
echo "ok 2 - two & <three> \"four\" # SKIP not here"
echo 1..2
S
suite bad <<'S'
echo "ok 1 - first"
echo "not ok 2 - second"
printf '# got:    \033[31m<a>\377\n# wanted: b\n'
echo "ok 3 - third"
exit 1
S
suite crash <<'S'
echo "ok 1 - before"
kill -9 $$
S
suite absent <<'S'
echo "1..0 # SKIP needs a unicorn"
S
suite flaky <<'S'
echo "$(cat "$RUNS" 2>/dev/null)x" >"$RUNS"
[ "$(cat "$RUNS")" = xx ] || { echo "ok 1 - this time"; exit; }
echo "not ok 1 - this time"
exit 1
S
RUNS=$TMP/runs
export RUNS
test_it() {
	"$TMP/bin/perf" test "$@"
}

out=$(test_it good absent)
is "suites by name: what became of them" "$(echo "$out" | sed 's/^ *[0-9]*: //; s/ *:/:/2')" "system: absent: Skip (needs a unicorn)
system: good: Ok"
check_status "a suite that fails" 1 test_it bad
check_status "-l" 0 test_it -l bad
like "-r: each run is shown" "$(test_it -r 3 good | grep -c Ok)" '^3$'
out=$(test_it -r 3 -S flaky)
is "-r: a run that fails makes the status" $? 1
like "... and is counted" "$out" 'flaky *: failed in 1 of 3 runs'
rm -f "$RUNS"
check_status "-r 0 is a usage error" 129 test_it -r 0 good
is "-s leaves numbers out" "$(test_it -l -s 1,3-9 | sed 's/^ *//')" "2: system: bad"
check_status "-s of no numbers is a usage error" 129 test_it -l -s good
check_status "--junit into a directory that is not there" 1 test_it --junit "$TMP/none/x.xml" good
is "... no suite ran" "$(test_it --junit "$TMP/none/x.xml" good 2>/dev/null)" ""
test_it -r 2 --junit "$TMP/x.xml" good bad crash absent >/dev/null
is "--junit: the status is that of the suites" $? 1
is "--junit: suites, checks, and what failed" "$(python3 - "$TMP/x.xml" <<'P'
import sys
import xml.etree.ElementTree as E
root = E.parse(sys.argv[1]).getroot()
print(root.get("tests"), root.get("failures"), root.get("skipped"))
for s in root[::2]:
    print(s.get("name"), s.get("tests"), s.get("failures"), s.get("skipped"), float(s.get("time")) >= 0)
    for c in s:
        print(" ", c.get("name"), *(f"{x.tag} {x.get('message')} {x.text!r}" for x in c))
P
)" "16 4 4
system: absent 1 0 1 True
  system: absent skipped needs a unicorn None
system: bad 3 1 0 True
  first
  second failure None '# got:    ?[31m<a>?\n# wanted: b\n'
  third
system: crash 2 1 0 True
  before
  system: crash failure it ended without saying why None
system: good 2 0 1 True
  one
  two & <three> \"four\" skipped not here None"
# ---- workloads
have=$("$PERF" test --list-workloads | awk '{ print $1 }')
for name in brstack callchain context_switch_loop datasym deterministic inlineloop jitdump landlock \
	leafloop named_threads noploop sqrtloop thloop traploop; do
	like "--list-workloads: $name, as upstream 7" "$have" "^$name\$"
done
mkdir "$TMP/jit"
for name in $have; do
	case $name in
	brstack | context_switch_loop | traploop) set -- 100 ;;
	deterministic | landlock) set -- ;;
	jitdump) set -- 0.01 "$TMP/jit" ;;
	named_threads) set -- 3 1000 ;;
	simdloop) set -- 0.01 sse2 ;;
	*) set -- 0.01 ;;
	esac
	if [ $name = simdloop ] && [ "$(uname -m)" != x86_64 ]; then
		skip "workload $name" "x86-64 assembly"
	elif [ $name = jitdump ] && ! uname -m | grep -qE 'x86_64|aarch64'; then
		skip "workload $name" "no code for this machine"
	else
		check "workload $name" timeout 60 "$PERF" test -w $name "$@"
	fi
done
if "$PERF" record -q -e cpu-clock:u -k mono -o "$TMP/jit.data" -- true 2>/dev/null; then
	"$PERF" record -q -e cpu-clock:u -F 2000 -o "$TMP/t.data" -- "$PERF" test -w named_threads 3 50000000
	is "named_threads: each has its name and its samples" "$("$PERF" report -i "$TMP/t.data" \
		--stdio -s comm,sym 2>/dev/null | awk '/named_thread_loop/ { print $2 }' | sort | tr '\n' ' ')" \
		"thread1 thread2 thread3 "
	"$PERF" record -q -g -e cpu-clock:u -F 2000 -o "$TMP/c.data" -- "$PERF" test -w callchain 0.3
	like "callchain: all callers" "$("$PERF" script -i "$TMP/c.data" -F ip,sym 2>/dev/null |
		awk '{ printf "%s ", $2 }')" 'chain_8 chain_7 chain_6 chain_5 chain_4 chain_3 chain_2 chain_1 '
	if uname -m | grep -qE 'x86_64|aarch64'; then
		"$PERF" record -q -e cpu-clock:u -k mono -o "$TMP/jit.data" -- "$PERF" test -w jitdump 0.5 "$TMP/jit"
		like "jitdump: its code has a name" "$("$PERF" report -i "$TMP/jit.data" --stdio -s sym 2>/dev/null)" \
			'%.*jitdump_loop'
	fi
else
	skip "samples of workloads" "cpu-clock cannot be sampled here"
fi
done_testing
