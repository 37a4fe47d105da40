#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# data pull: the profile of a build over all hosts is, byte for byte, that of the recordings merged by hand. Two
# recordings of a program, in ClickHouse and in PostgreSQL.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/helpers/engines.sh"
need_x86
need_cmd python3
TRACE=$O/tests/helpers/branch-trace
BIN=$O/tests/helpers/hot-paths
[ -x "$TRACE" ] && [ -x "$BIN" ] || skip_all "the helper programs are not built (make tests)"
printf 'secret\n' >"$TMP/secret"
"$TRACE" -n 53 -o "$TMP/53.raw" "$BIN" >"$TMP/trace.out" 2>&1 &
"$TRACE" -n 37 -o "$TMP/37.raw" "$BIN" >"$TMP/trace.out" 2>&1 || skip_all "programs cannot be traced here: $(tail -1 "$TMP/trace.out")"
wait $! || skip_all "programs cannot be traced here: $(tail -1 "$TMP/trace.out")"
for n in 37 53; do
	"$PERF" inject --build-ids -i "$TMP/$n.raw" -o "$TMP/$n.data" 2>"$TMP/err" || cp "$TMP/$n.raw" "$TMP/$n.data"
done
ID=$("$PERF" buildid-list -i "$TMP/37.data" 2>/dev/null | awk '/hot-paths$/ { print $1; exit }')
[ -n "$ID" ] || skip_all "the program has no build id"
check "by hand" "$PERF" data merge "$TMP/all.data" "$TMP/37.data" "$TMP/53.data"

usage() {
	"$PERF" data pull "$@" >"$TMP/out" 2>&1
	echo $?
}
is "pull needs a build id" "$(usage clickhouse+http://127.0.0.1/perf --to fdata --binary "$BIN")" 129
is "of hex digits" "$(usage clickhouse+http://127.0.0.1/perf --to fdata --binary "$BIN" --build-id "x' OR 1")" 129
is "and a format of objects" "$(usage clickhouse+http://127.0.0.1/perf --to folded --binary "$BIN" --build-id "$ID")" 129

is "report --from: words of keys" "$("$PERF" report --from clickhouse+http://127.0.0.1/perf -s cpu >"$TMP/out" 2>&1; echo $?)" 129
is "... of branches" "$("$PERF" report --from clickhouse+http://127.0.0.1/perf -b -s srcline_from >"$TMP/out" 2>&1; echo $?)" 129
is "... chains of branches" "$("$PERF" report --from clickhouse+http://127.0.0.1/perf --hot-paths >"$TMP/out" 2>&1; echo $?)" 129
is "... callers of branches" "$("$PERF" report --from clickhouse+http://127.0.0.1/perf -b -g >"$TMP/out" 2>&1; echo $?)" 129
is "... no files beside it" "$("$PERF" report --from clickhouse+http://127.0.0.1/perf -i x >"$TMP/out" 2>&1; echo $?)" 129
is "... --where alone" "$("$PERF" report --where x >"$TMP/out" 2>&1; echo $?)" 129
"$PERF" report -i "$TMP/all.data" --no-branch-stack -s comm,dso,sym >"$TMP/hand.report" 2>/dev/null
"$PERF" report -i "$TMP/all.data" --no-branch-stack -s dso,sym --json >"$TMP/hand.json" 2>/dev/null
# Branches by the functions at their ends; code in no function is apart, for nobody knows there which address it was.
branches() {
	"$PERF" report -b -s symbol_from,symbol_to,mispredict --csv "$@" 2>"$TMP/err" | tr -d '\r' | cut -d, -f2- | grep -v '0x\|unknown' | sort
}
branches -i "$TMP/all.data" >"$TMP/hand.branches"
check "there are branches" test "$(wc -l <"$TMP/hand.branches")" -gt 5
json() {
	"$PERF" report "$@" --no-branch-stack -s dso,sym --json 2>/dev/null
}
json -i "$TMP/37.data" >"$TMP/was.json"
json "$TMP/53.data" >"$TMP/now.json"
answer() { # NAME ASK WHAT ARGS...: of contrib/sql
	"$2" "$1" >"$TMP/rows" 2>"$TMP/err"
	shift 2
	python3 -S "$ROOT/tests/helpers/fleet-answers.py" "$TMP/rows" "$@"
}
# queries NAME ASK STATEMENT: all five of contrib/sql. ASK prints what FILE.sql answers, STATEMENT runs one.
queries() {
	is "$1: top-functions are report's" "$(answer top-functions "$2" top "$TMP/hand.json")" agree
	is "$1: releases are two reports" "$(answer releases "$2" releases "$TMP/was.json" "$TMP/now.json")" agree
	is "$1: branches are the profile's" "$(answer branches "$2" branches "$TMP/hand.preagg")" agree
	is "$1: losses are the recording's" "$(answer losses "$2" losses localhost 191 2)" agree
	_l=$("$3" 'SELECT min(load) FROM loads')
	"$3" "INSERT INTO functions (object, func, size, name, file, line) VALUES ('made', 0, 512, 'idle', '', 0)" >/dev/null
	"$3" "INSERT INTO edges (load, object, from_off, to_object, to_off, end_off, from_func, to_func, type, taken, mispred, cycles,
		cycles_n) VALUES ($_l, 'made', 256, 'made', 128, 256, 0, 0, 0, 2000, 0, 0, 0)" >/dev/null
	for _row in "200, 30, 30, 0, 0, 0, 0, 30, 0, 0, 0, 150, 480" "300, 5, 5, 0, 0, 0, 0, 5, 0, 0, 0, 80, 80"; do
		"$3" "INSERT INTO simd (load, object, func, off, n, live_512, live_256, live_128, live_none, dirty, code_512, code_256,
			code_128, code_none, lanes_on, lanes_all, mask_on, mask_all) VALUES ($_l, 'made', 0, $_row, 0, 0)" >/dev/null
	done
	is "$1: idle-lanes are those of the loop alone" "$("$2" idle-lanes | tr '\t|' '  ' | sed 's/0*$//')" "idle 128 256 2000 30 31.25"
}
ask_clickhouse() {
	clickhouse_ask "$A_http" secret perf "$(sed "s/'cycles'/'$EVENT'/; s/BUILDID/$ID/g" "$ROOT/contrib/sql/clickhouse/$1.sql")"
}
in_clickhouse() {
	clickhouse_ask "$A_http" secret perf "$1"
}
ask_postgresql() {
	PGPASSWORD=secret "$PG_BIN/psql" -X -q -A -t -v service=web -v event="$EVENT" -v was=41 -v now=42 -v id="$ID" -h 127.0.0.1 \
		-p "$pg_port" -U perf -d perf -f "$ROOT/contrib/sql/postgresql/$1.sql"
}
in_postgresql() {
	pg_ask perf "$1"
}
EVENT=$(sed -n 's/.*"event":"\([^"]*\)".*/\1/p' "$TMP/hand.json")
"$PERF" record -q -g -e cpu-clock:u -F 997 -o "$TMP/chains.data" -- "$PERF" test -w noploop 0.2 2>/dev/null &&
	"$PERF" report -i "$TMP/chains.data" -g --no-inline --percent-limit 20 >"$TMP/hand.chains" 2>/dev/null

# pulled URL NAME: the same as by hand
pulled() {
	"$PERF" data push --init --password-file "$TMP/secret" --spool "$TMP/spool" "$1" --service web --release 41 "$TMP/37.data" >"$TMP/out" 2>&1
	"$PERF" data push --password-file "$TMP/secret" --spool "$TMP/spool" "$1" --service web --release 42 "$TMP/53.data" \
		>"$TMP/out" 2>&1
	is "$2: two recordings are pushed" "$(ls "$TMP/spool" | wc -l)" 0
	for to in fdata preagg autofdo profgen; do
		"$PERF" data convert --to $to --binary "$BIN" -i "$TMP/all.data" -o "$TMP/hand.$to" 2>/dev/null
		"$PERF" data pull "$1" --password-file "$TMP/secret" --build-id "$ID" --to $to --binary "$BIN" \
			-o "$TMP/$2.$to" 2>"$TMP/err" || cat "$TMP/err"
		same_file "$2: $to" "$TMP/hand.$to" "$TMP/$2.$to"
	done
	"$PERF" report --from "$1" --password-file "$TMP/secret" --where "service = 'web'" -s comm,dso,sym >"$TMP/$2.report" 2>"$TMP/err"
	same_file "$2: report --from is the report of all" "$TMP/$2.report" "$TMP/hand.report"
	"$PERF" report --from "$1" --password-file "$TMP/secret" --where "service = 'web'" -s dso,sym --json >"$TMP/$2.json" 2>"$TMP/err"
	same_file "$2: --json of functions" "$TMP/$2.json" "$TMP/hand.json"
	branches --from "$1" --password-file "$TMP/secret" --where "service = 'web'" >"$TMP/$2.branches"
	same_file "$2: report --from -b is the report of all branches" "$TMP/$2.branches" "$TMP/hand.branches"
	like "$2: ... and by itself, with objects" "$("$PERF" report -b --from "$1" --password-file "$TMP/secret" --where "service = 'web'" 2>&1)" 'hot-paths'
	if [ -s "$TMP/chains.data" ]; then
		"$PERF" data push --password-file "$TMP/secret" --spool "$TMP/spool" "$1" --service chains "$TMP/chains.data" \
			>"$TMP/out" 2>&1
		"$PERF" report --from "$1" --password-file "$TMP/secret" --where "service = 'chains'" -g --percent-limit 20 >"$TMP/$2.chains" 2>"$TMP/err"
		same_file "$2: call graphs" "$TMP/$2.chains" "$TMP/hand.chains"
	else
		skip "$2: call graphs" "no chains can be recorded here"
	fi
	"$PERF" data push --password-file "$TMP/secret" --spool "$TMP/spool" "$1" --service lost "$ROOT/tests/data/perf/lost-samples-4.4.data" \
		>"$TMP/out" 2>&1
	queries "$2" "ask_$2" "in_$2"
	is "$2: a condition is no second statement" "$("$PERF" report --from "$1" --password-file "$TMP/secret" \
		--where "1 = 1)) l; DROP TABLE loads; --" >"$TMP/out" 2>&1; echo $?)" 1
	like "$2: the engine says why" "$(cat "$TMP/out")" 'answered.*([Ss]yntax|DROP)'
	like "$2: nothing there" "$("$PERF" report --from "$1" --password-file "$TMP/secret" --where "service = 'mail'" 2>&1)" \
		"has no samples of loads where service = 'mail'"
	check "$2: and there is something in it" test -s "$TMP/$2.fdata"
	is "$2: --where" "$("$PERF" data pull "$1" --password-file "$TMP/secret" --build-id "$ID" --to preagg --binary "$BIN" \
		--where "service = 'mail'" 2>"$TMP/err" || grep -o 'has no branches' "$TMP/err")" 'has no branches'
}

if (need_clickhouse) >"$TMP/why" 2>&1 && ! grep -qi skip "$TMP/why"; then
	check "ClickHouse" clickhouse_start A secret
	clickhouse_ask "$A_http" secret default 'CREATE DATABASE perf' >/dev/null
	pulled "clickhouse+http://127.0.0.1:$A_http/perf" clickhouse
	clickhouse_stop A
else
	skip "ClickHouse" "it is not installed, or perf was built without libcurl"
fi
if (need_postgresql) >"$TMP/why" 2>&1 && ! grep -qi skip "$TMP/why"; then
	need_postgresql
	check "PostgreSQL" postgresql_start secret
	pulled "postgresql://perf@127.0.0.1:$pg_port/perf" postgresql
else
	skip "PostgreSQL" "it is not installed, or perf was built without libpq"
fi
done_testing
