#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make demo: records a bundled workload, prints the report and a few script lines.
set -eu
P=$O/perf
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
PERF_PAGER=cat
export PERF_PAGER

say() {
	printf '\n$ %s\n' "$*"
}

say perf record -g -- perf test -w leafloop 1
"$P" record -g -o "$dir/perf.data" -- "$P" test -w leafloop 1
say perf report --stdio --no-children
"$P" report --stdio --no-children -i "$dir/perf.data" | head -40
say "perf script | head -20"
"$P" script -i "$dir/perf.data" | head -20
say "perf evlist -v"
"$P" evlist -v -i "$dir/perf.data"
