#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recorders that die at any moment, disks that fail: what was flushed can be read, the rest is said.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
SANDBOX=$O/tests/helpers/sandbox
cd "$TMP" || exit 1

# killed SECONDS OPTIONS...: kill -9 after that time; the file reads, or there is none yet.
n=0
killed() {
	after=$1
	shift
	n=$((n + 1))
	"$PERF" record -q -e cpu-clock -a -o k$n.data "$@" 2>/dev/null & pid=$!
	sleep "$after"
	kill -9 $pid
	wait $pid 2>/dev/null
	if [ ! -s k$n.data ]; then
		pass "killed after $after s ($*): before the first byte"
		return
	fi
	if "$PERF" report --stats -i k$n.data >stats.out 2>stats.err; then
		pass "killed after $after s ($*): readable"
	else
		# A header that is not whole yet: refused with a reason, not a crash.
		like "killed after $after s ($*): refused with a reason" "$?$(cat stats.err)" '^1.*k[0-9]*.data'
	fi
}
for after in 0.02 0.05 0.1 0.3 0.7 1.1 1.6 2.3; do
	killed $after -F 4000 -g
	[ "$after" = 0.3 ] || [ "$after" = 1.6 ] || continue
	killed $after -F 4000 -z
	killed $after -F 1000 --call-graph dwarf
done
"$PERF" record -q -e cpu-clock -a -F 4000 -o k.data 2>/dev/null & pid=$!
wait_for has_samples k.data 100
kill -9 $pid
wait $pid 2>/dev/null
check "what was flushed is there ($(samples k.data) samples)" has_samples k.data 100

# --- a disk that is full or broken from the start: said, and the earlier recording stays
"$PERF" record -q -e cpu-clock -o e.data -- true
cp e.data earlier
out=$("$PERF" record -e cpu-clock -a -F 5000 -o /dev/full -- sleep 0.2 2>&1)
is "no space: an error" $? 1
like "no space: said" "$out" 'cannot write the recording: No space left on device'
if [ -x "$SANDBOX" ] && "$SANDBOX" -w 5 true; then
	out=$("$SANDBOX" -w 5 "$PERF" record -e cpu-clock -a -F 5000 -o e.data -- sleep 0.2 2>&1)
	is "EIO: an error" $? 1
	like "EIO: said" "$out" 'cannot write the recording: Input/output error'
	same_file "EIO: the earlier recording is where it was" e.data earlier
else
	skip "EIO" "no seccomp filter can be set here"
fi
done_testing
