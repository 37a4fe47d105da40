#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# data convert --to parquet, native, pgcopy: tables of a recording add up to what report says of it, as readers see
# them that nobody here wrote; the same bytes each time and by however many threads; nothing that is not to leave.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
P=$ROOT/tests/data/perf

# to DIR RECORDING OPTION...
to() {
	_dir=$1 _rec=$2
	shift 2
	"$PERF" data convert --to parquet --symfs /nonexistent -i "$_rec" -o "$_dir/" "$@" 2>"$TMP/err"
}

usage() {
	"$PERF" data convert "$@" >"$TMP/out" 2>&1
	echo $?
}
is "a directory is asked for" "$(usage --to parquet -i x -o "$TMP/x")" 129
is "options of tables go with them" "$(usage --to folded --service web -i x)" 129
like "which is said" "$(cat "$TMP/out")" 'parquet'
is "--weight is a number" "$(usage --to parquet --weight much -i x -o "$TMP/")" 129
is "--redact knows its words" "$(usage --to parquet --redact mind -i x -o "$TMP/")" 129
is "--label has a value" "$(usage --to parquet --label web -i x -o "$TMP/")" 129

rec=$P/branch-6.12.data
[ -e "$rec" ] || rec=$(ls "$P"/branch-*.data | tail -1)
check "tables are written" to "$TMP/a" "$rec" --service web --release 41 --label zone=a
is "one file for each table" "$(cd "$TMP/a" && ls -d v1/*/*/*.parquet | wc -l)" 7
check "again" to "$TMP/b" "$rec" --service web --release 41 --label zone=a
is "the same bytes" "$(diff -r "$TMP/a" "$TMP/b" && echo same)" same
check "in pieces" to "$TMP/c" "$rec" --service web --release 41 --label zone=a --pieces 7
is "the same bytes then, too" "$(diff -r "$TMP/a" "$TMP/c" && echo same)" same
check "outside of the sandbox" to "$TMP/d" "$rec" --service web --release 41 --label zone=a --no-sandbox
is "and then" "$(diff -r "$TMP/a" "$TMP/d" && echo same)" same
"$PERF" data convert --to native -i "$rec" -o "$TMP/n/" 2>/dev/null
like "native has a manifest" "$(cat "$TMP/n/manifest")" '^loads 0+ [0-9]+ loads-'
is "whose files are there" "$(awk 'NF == 4 { print $4 }' "$TMP/n/manifest" | (cd "$TMP/n" && xargs ls) | wc -l)" \
	"$(grep -c 'native$' "$TMP/n/manifest")"
"$PERF" data convert --to pgcopy -i "$rec" -o "$TMP/p/" 2>/dev/null
is "pgcopy likewise" "$(head -c 6 "$TMP"/p/loads-*)" PGCOPY
"$PERF" data convert --to parquet -i - -o "$TMP/s/" <"$rec" >"$TMP/out" 2>&1
like "a recording that cannot be read again has no number" "$(cat "$TMP/out")" 'saved first'

# what is not to leave the machine
cmdline=$("$PERF" report --header-only -i "$rec" 2>/dev/null | sed -n 's/^# cmdline : //p' | awk '{ print $1 }')
[ -z "$cmdline" ] || is "no command line" "$(cat "$TMP"/n/* | grep -acF "$cmdline")" 0
is "every column is explained" "$(sed -n 's/^COLUMN([A-Z]*, [A-Z0-9_]*, \([a-z0-9_]*\),.*/\1/p' \
	"$ROOT/tools/lib/fleet/schema.def" 2>/dev/null | while read -r c; do
	grep -q "^| \`$c\` |" "$ROOT/Documentation/fleet.md" || echo "$c"; done)" ""
is "no paths" "$(cat "$TMP"/n/objects-* | grep -ac /usr)" 0
printf 'a key\n' >"$TMP/key"
to "$TMP/r" "$rec" --redact path,host,comm --redact-key "$TMP/key"

DUCK=$(node_module @duckdb/node-api)
if [ -z "$DUCK" ]; then
	skip "read by DuckDB" "npm's @duckdb/node-api is not here (make deps DEPS_ENGINES=1 installs it)"
	done_testing
	exit 0
fi
sql() {
	_dir=$1
	shift
	node "$ROOT/tests/helpers/read-tables.mjs" "$DUCK" "$_dir" "$@"
}

is "what was said of it" "$(sql "$TMP/a" "SELECT DISTINCT service, release, labels, schema FROM loads")" \
	'web 41 {"zone":"a"} 1'
is "redacted" "$(sql "$TMP/r" "SELECT COUNT(*) FROM objects WHERE path NOT LIKE 'sha:%'" \
	"SELECT COUNT(*) FROM loads WHERE host <> '' AND host NOT LIKE 'sha:%'" \
	"SELECT COUNT(*) FROM stacks WHERE parent < 0 AND name NOT LIKE 'sha:%'" | tr '\n' ' ')" "0 0 0 "

# Sums against report's, of recordings of several machines and ages.
n=0
for f in branch-4.14 group-4.14 hybrid arm64-zstd s390x-basic sleep-6.16 armhf-cgroup; do
	f=$P/$f.data
	name=$(basename "$f" .data)
	rm -rf "$TMP/t"
	to "$TMP/t" "$f" || continue
	[ -d "$TMP/t/v1" ] || continue
	sql "$TMP/t" "SELECT SUM(samples), SUM(period) FROM loads" "SELECT SUM(n), SUM(period) FROM samples" \
		"SELECT SUM(self_n), SUM(self_period) FROM stacks" \
		"SELECT SUM(samples), (SELECT SUM(total_period) FROM stacks WHERE parent < 0) FROM loads" \
		"SELECT COALESCE(SUM(taken), 0) FROM edges" >"$TMP/sums"
	is "$name: each table has the same sums" "$(head -4 "$TMP/sums" | sort -u | wc -l)" 1
	total=$("$PERF" report --no-branch-stack --symfs /nonexistent -i "$f" --json -s dso 2>/dev/null | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(sum(e["samples"] for e in d["events"]), sum(e["event_count"] for e in d["events"]))')
	is "$name: those of report" "$(head -1 "$TMP/sums")" "$total"
	edges=$("$PERF" data convert --check --json --symfs /nonexistent -i "$f" 2>/dev/null | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["branches with both ends in files"] + d["branches with one end in a file"])')
	is "$name: branches of files" "$(sed -n 5p "$TMP/sums")" "$edges"
	n=$((n + 1))
done
check "there were recordings ($n)" test "$n" -ge 4
done_testing
