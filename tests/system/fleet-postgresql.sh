#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# data push to a real PostgreSQL: a recording is one transaction, twice is once; no server, a wrong password, other
# tables, half an upload, a server that is killed, a full disk: nothing is lost and it is told. Certificates are verified.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/helpers/engines.sh"
need_cmd python3
need_postgresql
rm -rf "$TMP" # the suite may start once more, with mounts of its own
own_mounts "$0"
mkdir -p "$TMP"
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

PG_DISK=160m
check "a server starts" postgresql_start secret
pg_ask perf 'SELECT 1' >/dev/null 2>&1 || done_testing # all that follows asks it
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

# Half an upload: the connection breaks in the middle, and the server is killed in the middle.
counts() {
	pg_ask perf 'SELECT COUNT(DISTINCT recording), SUM(samples), (SELECT SUM(n) FROM samples), (SELECT COUNT(*) FROM edges) FROM loads'
}
before=$(counts)
big=$P/branch-6.12.data
[ -e "$big" ] || big=$P/lost-samples-4.4.data
cut_proxy "$pg_port" +12000
is "cut in the middle" "$(status push 0 "postgresql://perf@127.0.0.1:$cut_port/perf" "$big")" 75
like "the engine had some of it" "$(cat "$TMP/cut.out")" 'bytes'
like "is told" "$(tr '\n' ' ' <"$TMP/out")" 'wait in'
is "nothing of it is there" "$(counts)" "$before"
touch "$TMP/cut.again"
check "the same way again" push 10 "postgresql://perf@127.0.0.1:$cut_port/perf"
after=$(counts)
check "now it is" test "$after" != "$before"
check "and twice is once" push 5 "$URL" "$big"
is "... exactly" "$(counts)" "$after"
cut_proxy "$pg_port" +6000 "$(head -1 "$pg_dir/data/postmaster.pid")"
is "a server killed while it is sent to" "$(status push 0 "postgresql://perf@127.0.0.1:$cut_port/perf" "$P/group-4.14.data" \
	"$P/singleprocess-3.8.data" --service killed)" 75
like "it was in the middle" "$(cat "$TMP/cut.out")" 'bytes'
is_back() {
	pg_ask perf 'SELECT 1' || postgresql_start secret
}
check "it comes back" wait_for is_back
touch "$TMP/cut.again"
check "what waited goes in" push 10 "postgresql://perf@127.0.0.1:$cut_port/perf"
is "once, both" "$(pg_ask perf "SELECT COUNT(DISTINCT recording) FROM loads WHERE service = 'killed'")" 2
is "sums of tables agree" "$(pg_ask perf 'SELECT SUM(n) = (SELECT SUM(samples) FROM loads) FROM samples')" t

if [ -n "$SMALL_DISK" ]; then
	cat /dev/zero >"$pg_dir/fill" 2>/dev/null
	is "a full disk" "$(status push 0 "$URL" "$P/sleep-6.16.data" --service full --label "x=$(head -c 20000 /dev/zero | tr '\0' x)")" 75
	like "is told" "$(tr '\n' ' ' <"$TMP/out")" '([Ss]pace|connection|write).*wait in'
	rm -f "$pg_dir/fill"
	check "with room again" wait_for is_back
	check "... it goes in" push 10 "$URL"
	is "once" "$(pg_ask perf "SELECT COUNT(DISTINCT recording) FROM loads WHERE service = 'full'")" 1
else
	skip "a full disk" "mounts need root"
fi

# A killed server, and one that comes back.
already=$(pg_ask perf 'SELECT COUNT(DISTINCT recording) FROM loads')
postgresql_stop keep
is "a server that is gone" "$(status push 0 "$URL" "$P/s390x-basic.data")" 75
check "and here again" postgresql_start secret
check "what waited goes in" push 10 "$URL"
is "once" "$(pg_ask perf 'SELECT COUNT(DISTINCT recording) FROM loads')" $((already + 1))

# TLS: by the authority that is named, for the name that is asked for.
if command -v openssl >/dev/null 2>&1 && make_certificates "$TMP/tls" IP:127.0.0.1; then
	cp "$TMP/tls/server.crt" "$TMP/tls/server.key" "$pg_dir/data/"
	chmod 600 "$pg_dir/data/server.key"
	[ -z "$PG_USER" ] || chown "$PG_USER" "$pg_dir"/data/server.*
	pg_ask perf 'ALTER SYSTEM SET ssl = on' >/dev/null
	pg_ask perf 'SELECT pg_reload_conf()' >/dev/null
	has_tls() {
		[ "$(pg_ask perf 'SHOW ssl')" = on ]
	}
	wait_for has_tls
	check "a certificate that is verified" push 0 --ca "$TMP/tls/ca.crt" "$URL" "$P/branch-4.14.data"
	is "of an authority that nobody knows" "$(status push 0 --ca "$TMP/tls/other.crt" "$URL" "$P/i386-iregs.data")" 75
	like "... is told" "$(cat "$TMP/out")" 'certificate verify failed'
	is "of another name" "$(status push 0 --ca "$TMP/tls/ca.crt" "postgresql://perf@localhost:$pg_port/perf" "$P/i386-iregs.data")" 75
	like "... is told, too" "$(cat "$TMP/out")" 'does not match|localhost'
	rm -rf "$TMP/spool"
else
	skip "certificates" "no openssl"
fi

# The service itself into the real one.
if can_record; then
	is "record --push: status" "$(records_into "$URL")" 0
	is "... every file that was switched is there" "$(pg_ask perf "SELECT COUNT(DISTINCT recording) FROM loads WHERE service = 'recorded'")" \
		"$(grep -c 'Dump ' "$TMP/record.out")"
	is "... with all of its samples" "$(pg_ask perf "SELECT SUM(n) = (SELECT SUM(samples) FROM loads WHERE service = 'recorded') FROM samples
		WHERE load IN (SELECT load FROM loads WHERE service = 'recorded')")" t
	is "... and nothing is left" "$(ls "$TMP/service")" ""
else
	skip "record --push" "no events can be opened here"
fi

pg_ask perf 'INSERT INTO perf_schema VALUES (9)' >/dev/null
is "tables of another schema" "$(status push 0 "$URL" "$P/i386-iregs.data")" 75
like "which" "$(cat "$TMP/out")" 'schema 9.*schema 1'

for q in "$ROOT"/contrib/sql/postgresql/*.sql; do
	check "$(basename "$q") runs" env PGPASSWORD=secret "$PG_BIN/psql" -X -q -v ON_ERROR_STOP=1 -v service=web \
		-v event=cycles -v was=41 -v now=42 -v id=none -h 127.0.0.1 -p "$pg_port" -U perf -d perf -f "$q"
done
done_testing
