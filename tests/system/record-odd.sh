#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorder on odd machines: a thousand CPUs, a disk that takes its time, a clock that somebody sets, a day of files.
# The disk and the clocks are preloaded (tests/helpers/odd-machine.c). DAY=SECONDS: how long the day takes, 6 unless told
# otherwise.
. "$(dirname "$0")/../lib.sh"
need_events
need_cmd python3 mkfifo
DAY=${DAY:-6}
N=10000
cd "$TMP" || exit 1
. "$ROOT/tests/helpers/exact-losses.sh"
can_sample_faults
odd() { # WORD...: the next recorder's machine
	ODD="$* LD_PRELOAD=$O/tests/helpers/odd-machine.so"
}
peak() { # kB, up to now
	sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$rec/status"
}
has_files() {
	[ "$(ls day.* 2>/dev/null | wc -l)" -ge "$1" ]
}
descriptors() {
	ls "/proc/$rec/fd" | wc -l
}

# ---- a disk on which each write takes 50 ms
odd ODD_WRITE=50
begin -o slow.data
faults
end
is "a slow disk: status" $status 0
l=$(lost slow.data)
is "... all is accounted for ($l lost)" "$(($(seen slow.data) + l))" $N

# From here on events take their time: where they are over before a recorder runs at all, a small ring has filled one file.
HOW=paced TAKES=1

# ---- the clock of the day goes an hour ahead and an hour back, again and again
odd ODD_STEPS=3600
begin -o steps --switch-output=30k --no-buildid
faults
end
is "a clock that is set: status" $status 0
files=$(ls steps.*)
check "... there are several files ($(echo "$files" | wc -l))" test "$(echo "$files" | wc -l)" -ge 3
l=$(lost $files)
is "... all is accounted for ($l lost)" "$(($(seen $files) + l))" $N

# ---- it stands still, and the names of the next two seconds are taken
odd ODD_DAY=1000000000
export TZ=UTC
for i in $(seq 10000 10199); do
	: >"still.200109090146$((i / 100 - 60))${i#???}"
done
begin -o still --switch-output=30k --no-buildid
faults
end
is "a clock that stands still: status" $status 0
files=$(find . -name 'still.*' -size +0)
check "... there are several files ($(echo "$files" | wc -l))" test "$(echo "$files" | wc -l)" -ge 3
is "... none has a name that was taken" "$(find . -name 'still.*' -size 0 | wc -l)" 200
l=$(lost $files)
is "... all is accounted for ($l lost)" "$(($(seen $files) + l))" $N

# ---- a day, a file each five minutes
TAKES=$DAY
odd ODD_SPEED=$((86400 / DAY))
begin -o day --switch-output=5m --no-buildid
echo >&8
wait_for has_files 3
first=$(peak) fds=$(descriptors)
read -r _done <&9
last=$(peak)
check "a day: descriptors are closed ($fds, then $(descriptors))" test "$(descriptors)" -le $((fds + 1))
end
is "a day: status" $status 0
files=$(ls day.*)
n=$(echo "$files" | wc -l)
# A machine with other things to do is late, and a file then holds more than five minutes.
check "... a file each five minutes ($n)" test "$n" -ge 20 -a "$n" -le 300
l=$(lost $files)
is "... all is accounted for ($l lost)" "$(($(seen $files) + l))" $N
check "... memory stays what it was ($first kB, then $last kB)" test "$last" -le $((first + 1024))

# ---- a thousand CPUs
if ! has_standin; then
	skip "a thousand CPUs" "the stand-in for perf_event_open is for x86-64"
	done_testing
	exit
fi
echo 0-999 >cpus
# Descriptors are raised from the usual limit. What is printed: status, most memory in kB
wide() { # OPTIONS...
	rm -f log
	(ulimit -Sn 1024; python3 -c 'import resource, os, subprocess, sys
env = dict(os.environ, STANDIN="full", STANDIN_CPUS="cpus", STANDIN_LOG="log", LD_PRELOAD=sys.argv[1])
s = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=open("rec.out", "w"), env=env).returncode
print(s, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$O/tests/standin/standin.so" \
		"$PERF" record -a -e cycles -c 1000 -o wide.data "$@" -- sleep 0.2)
}
cpus() {
	"$PERF" script -i wide.data -F cpu 2>/dev/null | sort -u | wc -l
}
export STANDIN_SAMPLES=20
got=$(wide)
is "a thousand CPUs: status" "${got% *}" 0
is "... what was sampled is in the file" "$(samples wide.data)" "$(grep -c 'nr=' log)"
is "... of each CPU" "$(cpus)" 1000
check "... memory stays small (${got#* } kB)" test "${got#* }" -lt 131072

# Without /sys it is /proc that tells which CPUs there are.
rm cpus
mkdir proc
printf 'cpu  9 8 7\ncpu0 5 4 3\ncpu1 2 2 2\ncpu6 2 2 2\nintr 9 cpu7\n' >proc/stat
got=$(export STANDIN_PROC=proc; wide)
is "no /sys: status" "${got% *}" 0
is "... each CPU that /proc has" "$("$PERF" script -i wide.data -F cpu 2>/dev/null | sort -u | tr -cd '0-9\n' | tr '\n' ' ')" '000 001 006 '
echo 0-999 >cpus
export STANDIN_FLOOD=1
got=$(wide -m 1 -b)
is "... small rings, flooded: status" "${got% *}" 0
l=$(lost wide.data)
check "... samples were lost ($l)" test "$l" -gt 1000
is "... as many as the rings had no room for" "$l" "$(grep -c '^lost' log)"
is "... the others are in the file" "$(samples wide.data)" "$(($(grep -c 'nr=' log) - l))"
done_testing
