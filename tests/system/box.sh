#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every command that reads, in its box and without: the same bytes, the same status; outputs, caches, pipes and pages come
# out of the box; with one wall, with the other, with none; a process that reads is really in there.
. "$(dirname "$0")/../lib.sh"

BOX=$O/tests/helpers/sandbox
data=$ROOT/tests/data/perf
cd "$TMP" || exit 1
mkdir -p home/.ssh home/work
echo key >home/.ssh/id

"$BOX" -l 38 true 2>/dev/null
[ $? = 77 ] && skip_all "no seccomp here, by which kernels without it are made"

# Which of the two holds; under sanitizers, valgrind, in some containers neither does.
"$PERF" check sandbox >state
holds=$?
check "check sandbox: a line for each" test "$(grep -c '^seccomp:  o\|^Landlock: o' state)" = 2

# both NAME ARGS...: the same with and without.
both() {
	name=$1
	shift
	"$PERF" "$@" </dev/null >in.out 2>in.err
	in=$?
	"$PERF" --no-sandbox "$@" </dev/null >no.out 2>no.err
	is "$name" "$in $(cat in.err)" "$? $(cat no.err)"
	cmp -s in.out no.out || fail "$name: other output"
}

for f in sleep-6.16 group-4.14 branch-4.14 arm64-sve ppc64le-pipe-zstd s390x-zstd simpleperf-lbr zstd-6.5; do
	set -- "$data/$f.data"
	both "$f: report" report -i "$1"
	both "$f: report --stats" report --stats -i "$1"
	both "$f: script" script -i "$1"
	both "$f: evlist" evlist -v -i "$1"
	both "$f: report -D" report -D -i "$1"
	both "$f: buildid-list" buildid-list -i "$1"
done
set -- "$data/branch-4.14.data"
both "annotate" annotate --stdio -i "$1"
both "header" script --header-only -i "$1"
both "data convert" data convert --to folded -o - -i "$1"
both "data convert --check" data convert --check -i "$1"
both "buildid-cache" buildid-cache -M "$1"
both "pmu-dt" pmu-dt --pmu-dt "$ROOT/tests/data/dtpmu/other-pmu.dtb"
command -v dtc >/dev/null && both "pmu-dt of a source" pmu-dt --pmu-dt "$ROOT/tests/data/dtpmu/other-pmu.dts"
both "xstate" xstate --cpu spr
both "xstate of a file that is none" xstate --image "$1" --cpu spr
both "diff" diff "$1" "$data/group-4.14.data"
both "archive" archive -i "$1" -o -
both "no such file" report -i missing.data
both "no recording" report -i "$0"

# same NAME FILE ARGS...: what is written to FILE.
same() {
	name=$1 file=$2
	shift 2
	rm -rf "$file" kept
	"$PERF" "$@" >/dev/null 2>in.err
	in=$?
	mv "$file" kept 2>/dev/null || { fail "$name: nothing written: $(cat in.err)"; return; }
	"$PERF" --no-sandbox "$@" >/dev/null 2>&1
	is "$name: status" "$in" $?
	check "$name" diff -r kept "$file"
}

f=$data/branch-4.14.data
same "report --html" page.html report --html page.html -i "$f"
same "data convert -o" out.json data convert --to json -o out.json -i "$f"
same "inject -o" injected.data inject -b -i "$f" -o injected.data
same "data merge" merged.data data merge merged.data "$f" "$f"
if "$PERF" record -q -e cpu-clock:u -o here.data -- "$PERF" test -w noploop 0.2 >/dev/null 2>&1; then
	same "archive" box.tar archive -i here.data -o box.tar
else
	skip "archive" "nothing can be recorded here, and only objects that are here are packed"
fi
cp "$f" in.data
check "inject into its input" "$PERF" inject -b -i in.data -o in.data
check "... the same" cmp in.data injected.data
cp "$f" each.data
"$PERF" script --per-event-dump -i each.data >/dev/null 2>&1
check "script --per-event-dump" test "$(ls each.data.*.dump 2>/dev/null | wc -l)" -ge 1
check "a pipe" sh -c '"$PERF" report -i - <"$1" >piped && "$PERF" report -i "$1" >read; cmp piped read' sh "$f"


is "-v says what holds" "$("$PERF" report -v -i "$f" 2>&1 >/dev/null | grep -c '^sandbox: ')" 1
is "--no-sandbox" "$("$PERF" report -v --no-sandbox -i "$f" 2>&1 >/dev/null | grep -c '^sandbox: ')" 0
is "PERF_SANDBOX=0" "$(PERF_SANDBOX=0 "$PERF" report -v -i "$f" 2>&1 >/dev/null | grep -c '^sandbox: ')" 0

# A reader that waits for more: it and its attendant.
mkfifo fifo
"$PERF" report -i - <fifo >/dev/null 2>&1 &
pid=$!
exec 8>fifo
head -c 16 "$data/ppc64le-pipe-zstd.data" >&8
if grep -q '^seccomp:  on' state; then
	check "it is filtered" wait_for grep -q '^Seccomp:.2' "/proc/$pid/status"
	check "no new privileges" grep -q '^NoNewPrivs:.1' "/proc/$pid/status"
else
	skip "it is filtered" "$(sed -n 's/^seccomp:  off/no filter/p' state)"
fi
exec 8>&-
wait "$pid"
# Whoever waits for the end of its output does not wait for the attendant.
is "a reader of the output" "$("$PERF" evlist -i "$f" | wc -l)" "$("$PERF" --no-sandbox evlist -i "$f" | wc -l)"

# Kernels that lack something.
for without in "-l 95" "-l 1" "-s 38" "-s 22"; do
	# shellcheck disable=SC2086
	"$BOX" $without "$PERF" report -i "$f" >some.out 2>some.err
	is "kernel $without: status" "$?" 0
	"$PERF" --no-sandbox report -i "$f" >no.out 2>no.err
	check "kernel $without: the same" cmp some.out no.out
	is "kernel $without: no word" "$(cat some.err)" "$(cat no.err)"
	# shellcheck disable=SC2086
	"$BOX" $without "$PERF" report --html other.html -i "$f" >/dev/null 2>&1
	check "kernel $without: a page" cmp page.html other.html
done
# shellcheck disable=SC2086
"$BOX" -l 38 "$BOX" -s 38 "$PERF" data convert --to json -o none.json -i "$f"
check "neither" cmp none.json out.json

# No second process, no second thread: the walls hold, what is read is read, and nothing can be written.
alone() {
	HOME=$TMP setpriv --reuid=65534 --clear-groups prlimit --nproc=1:1 "$PERF" "$@"
}
chmod 755 "$TMP"
cp "$f" alone.data
chmod 644 alone.data
if alone version >/dev/null 2>&1; then
	alone report -f --no-sandbox -i alone.data >no.out 2>no.err
	alone report -f -v -i alone.data >alone.out 2>alone.err
	is "one process: status" $? 0
	check "one process: the same" cmp no.out alone.out
	is "one process: -v says what holds" "$(sed -n 's/^sandbox: //p' alone.err)" \
		"$("$PERF" report -v -i "$f" 2>&1 >/dev/null | sed -n 's/^sandbox: //p')"
	alone data convert -f --to folded -o alone.folded -i alone.data 2>alone.err
	is "one process: -o is refused" $? 1
	like "... with the way out" "$(cat alone.err)" '--no-sandbox'
else
	skip "one process" "no other user to be, or no limit of processes"
fi

if [ "$holds" = 0 ]; then
	like "check says it: Landlock" "$("$BOX" -l 95 "$PERF" check sandbox)" 'Landlock: off: the kernel has it, switched off'
	like "check says it: seccomp" "$("$BOX" -s 38 "$PERF" check sandbox)" 'seccomp:  off: this kernel'
	"$BOX" -l 95 "$PERF" check -q sandbox
	is "check: status" $? 1
else
	skip "check says it" "$(paste -sd' ' state)"
fi
done_testing
