#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorder when there is more than it can take: it is stopped, what it writes to is slow, thousands of threads and
# processes come and go, files change all the time. What was lost is counted exactly, memory stays small, the status is 0.
# Page faults are the events: each has a place of its own, so what is missing is known. LOAD=N: that many threads
# and processes instead of 2,000.
. "$(dirname "$0")/../lib.sh"
need_events
need_cmd python3 mkfifo
LOAD=${LOAD:-2000}
cd "$TMP" || exit 1
. "$ROOT/tests/helpers/exact-losses.sh"
can_sample_faults

# ---- stopped
begin -o stop.data
kill -STOP $rec
faults
kill -CONT $rec
end
is "stopped while all of it happens: status" $status 0
l=$(lost stop.data)
is "what is in the file and what was lost ($l) is what happened" "$(($(seen stop.data) + l))" $N
check "... nearly all was lost" test "$l" -gt $((N / 2))
like "the recorder tells it" "$(cat rec.out)" "lost [0-9]* records, $l of them samples"

# ---- the same in the first of two files
begin -o told --switch-output
kill -STOP $rec
faults
kill -USR2 $rec
kill -CONT $rec
wait_for grep -q Dump rec.out
end
is "lost in the first of two files: status" $status 0
files=$(ls told.*)
first=${files%%
*}
l=$(lost "$first")
is "... what it has and what it lost ($l) is what happened" "$(($(seen "$first") + l))" $N
is "... and no other one lost that" "$(lost $files)" "$l"
like "... the recorder tells it with that file" "$(grep -A1 "Dump $first" rec.out)" "lost [0-9]* records, $l of them samples"
is "... once" "$(grep -c ' of them samples' rec.out)" 1

# ---- who reads the stream is slow
mkfifo stream
(sleep 1; perl -e '$| = 1; while (sysread STDIN, my $b, 20000) { print $b; select undef, undef, undef, 0.02 }') \
	<stream >slow.data &
slow=$!
begin -o stream
faults
end
wait $slow
is "a slow reader: status" $status 0
l=$(lost slow.data)
is "... all is accounted for ($l lost)" "$(($(seen slow.data) + l))" $N

# ---- files that change, while the recorder has a chance to run
HOW=paced TAKES=1
begin -o many --switch-output=100k --no-buildid
faults
end
is "files that change: status" $status 0
files=$(ls many.*)
check "... there are several ($(echo "$files" | wc -l))" test "$(echo "$files" | wc -l)" -ge 3
l=$(lost $files)
is "... all is accounted for ($l lost)" "$(($(seen $files) + l))" $N

# ---- threads and processes
# memory COMMAND...: its status, and the most memory that it or its program had, kB
memory() {
	python3 -c 'import resource, subprocess, sys
s = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=open("rec.out", "w")).returncode
print(s, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"
}
count() { # TYPE
	"$PERF" report --stats -i load.data 2>/dev/null | awk -v t="$1" '$1 == t { print $3; exit }'
}
for what in threads forks; do
	if ! "$O/tests/helpers/load" $what "$LOAD" >/dev/null; then
		skip "$LOAD $what" "so many cannot be made here"
		continue
	fi
	got=$(memory "$PERF" record -e cpu-clock -o load.data -- "$O/tests/helpers/load" $what "$LOAD")
	is "$LOAD $what: status" "${got% *}" 0
	# What the kernel could not tell is told: rings may fill.
	l=$("$PERF" report -D -i load.data 2>/dev/null | sed -n 's/.*PERF_RECORD_LOST: id:[0-9]*: lost:\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }')
	n=$(count FORK)
	check "... each has its record ($n, $l lost)" test "$n" -ge $((LOAD - l))
	check "... memory stays small (${got#* } kB)" test "${got#* }" -lt $((65536 + 40 * LOAD))
done
done_testing
