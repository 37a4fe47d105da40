#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# data push to a real PostgreSQL: a recording is one transaction, twice is once; no server, a wrong password, other
# tables, a server that is killed: nothing is lost and it is told.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/helpers/engines.sh"
need_cmd python3
need_postgresql
P=$ROOT/tests/data/perf

printf 'secret\n' >"$TMP/secret"
printf 'guess\n' >"$TMP/guess"
push() {
	_p=$1
	shift
	"$PERF" data push --password-file "$TMP/secret" --spool "$TMP/spool" --retry-for "$_p" "$@" >"$TMP/out" 2>&1
}
status() {
	"$@"
	echo $?
}

check "a server starts" postgresql_start secret
URL=postgresql://perf@127.0.0.1:$pg_port/perf
is "no tables" "$(status push 0 "$URL" "$P/branch-4.14.data")" 75
like "what makes them" "$(tr '\n' ' ' <"$TMP/out")" 'has no tables.*--init'
check "tables, and what waited" push 5 --init "$URL"
is "nothing waits" "$(ls "$TMP/spool" | wc -l)" 0
is "it is there" "$(pg_ask perf 'SELECT SUM(samples) FROM loads')" 13
is "with its branches" "$(pg_ask perf 'SELECT SUM(taken), SUM(cycles) FROM edges')" '64 1032'
check "the same again" push 5 -v "$URL" "$P/branch-4.14.data"
like "was there" "$(cat "$TMP/out")" 'was there already'
is "and is there once" "$(pg_ask perf 'SELECT COUNT(*), SUM(n) FROM samples')" \
	"$(pg_ask perf 'SELECT COUNT(DISTINCT (object, off)), 13 FROM samples')"
is "wrong password" "$("$PERF" data push --password-file "$TMP/guess" --spool "$TMP/spool" "$URL" "$P/group-4.14.data" \
	>"$TMP/out" 2>&1; echo $?)" 75
like "which is said" "$(cat "$TMP/out")" 'password authentication failed'
is "no password in messages" "$(grep -c 'guess' "$TMP/out")" 0
check "several" push 10 "$URL" --service web --release 41 "$P/hybrid.data" "$P/arm64-zstd.data" "$P/sleep-6.16.data"
is "with the one that waited" "$(pg_ask perf 'SELECT COUNT(DISTINCT recording) FROM loads')" 5
is "sums of tables agree" "$(pg_ask perf 'SELECT SUM(n) = (SELECT SUM(samples) FROM loads) FROM samples')" t

# A killed server, and one that comes back.
postgresql_stop keep
is "a server that is gone" "$(status push 0 "$URL" "$P/s390x-basic.data")" 75
check "and here again" postgresql_start secret
check "what waited goes in" push 10 "$URL"
is "once" "$(pg_ask perf 'SELECT COUNT(DISTINCT recording) FROM loads')" 6

pg_ask perf 'INSERT INTO perf_schema VALUES (9)' >/dev/null
is "tables of another schema" "$(status push 0 "$URL" "$P/i386-iregs.data")" 75
like "which" "$(cat "$TMP/out")" 'schema 9.*schema 1'

for q in "$ROOT"/contrib/sql/postgresql/*.sql; do
	check "$(basename "$q") runs" env PGPASSWORD=secret "$PG_BIN/psql" -X -q -v ON_ERROR_STOP=1 -v service=web \
		-v event=cycles -v was=41 -v now=42 -v id=none -h 127.0.0.1 -p "$pg_port" -U perf -d perf -f "$q"
done
done_testing
