#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# while-runs.sh PID N: ends when process PID has run for N more hundredths of a second, or is gone;
# after two minutes at the latest.
ran() {
	awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat" 2>/dev/null
}
begin=$(ran "$1") && [ -n "$begin" ] || exit 0
for _ in $(seq 6000); do
	now=$(ran "$1") && [ -n "$now" ] && [ "$now" -lt $((begin + $2)) ] || exit 0
	sleep 0.02
done
