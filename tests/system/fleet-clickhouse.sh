#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# data push to a real ClickHouse of two shards: what comes in is what report says, twice is once, and whatever breaks on
# the way (no server, a wrong password, other tables, half an upload, a full disk) loses nothing and is told.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/helpers/engines.sh"
need_cmd python3
need_clickhouse
rm -rf "$TMP" # the suite may start once more, with another one
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
ask() {
	clickhouse_ask "$A_http" secret perf "$1"
}

is "a password in a URL is refused" "$(status push 0 clickhouse+http://me:pw@127.0.0.1/perf)" 129
like "with what to do" "$(cat "$TMP/out")" 'password-file'
is "a host by plain HTTP is refused" "$(status push 0 clickhouse+http://10.0.0.1/perf "$P/branch-4.14.data")" 75
like "and why" "$(cat "$TMP/out")" 'plain HTTP'
rm -rf "$TMP/spool"

eval "$(free_ports 6 | {
	read -r a b c d e f
	echo "A_http=$a A_tcp=$b A_between=$c B_http=$d B_tcp=$e B_between=$f"
})"
URL=clickhouse+http://127.0.0.1:$A_http/perf

is "no server" "$(status push 0 "$URL" "$P/branch-4.14.data")" 75
like "that is said" "$(tr '\n' ' ' <"$TMP/out")" 'no answer of .*wait in'
is "one recording waits" "$(ls "$TMP/spool" | wc -l)" 1

small_disk "$TMP/A/data" 48m && small_disk "$TMP/B/data" 48m
check "two servers start" clickhouse_start A secret
check "the second" clickhouse_start B secret
clickhouse_ask "$B_http" secret default 'CREATE DATABASE perf' >/dev/null
clickhouse_ask "$A_http" secret default 'CREATE DATABASE perf' >/dev/null
is "no tables" "$(status push 0 "$URL")" 75
like "what makes them" "$(tr '\n' ' ' <"$TMP/out")" 'has no tables.*--init'
check "tables of shards" push 0 --init --cluster two "clickhouse+http://127.0.0.1:$B_http/perf"
check "and of the first, with what waited" push 5 --init --cluster two "$URL"
is "nothing waits" "$(ls "$TMP/spool" | wc -l)" 0
is "it is there" "$(ask 'SELECT sum(samples) FROM loads')" 13
is "with its branches" "$(ask 'SELECT sum(taken), sum(cycles) FROM edges')" "$(printf '64\t1032')"

check "the same again" push 5 -v "$URL" "$P/branch-4.14.data"
like "was there" "$(cat "$TMP/out")" 'was there already'
is "and is there once" "$(ask 'SELECT count(), sum(samples) FROM loads')" "$(printf '1\t13')"
is "wrong password" "$("$PERF" data push --password-file "$TMP/guess" --spool "$TMP/spool" "$URL" "$P/group-4.14.data" \
	>"$TMP/out" 2>&1; echo $?)" 75
like "whose" "$(cat "$TMP/out")" 'answered 40[13]'
is "no password in messages" "$(grep -c 'guess' "$TMP/out")" 0
# Connections that break in the middle of a table that is sent, of an early one and of a late one; and again, by the same way.
in_a_table() {
	grep -qE '^[1-9][0-9]* of [0-9]+ bytes: POST .*INSERT' "$TMP/cut.out"
}
rm -rf "$TMP/spool"
for cut in 1:group-4.14 4:hybrid; do
	cut_proxy "$A_http" "${cut%:*}"
	is "cut in table ${cut%:*}" "$(status push 0 "clickhouse+http://127.0.0.1:$cut_port/perf" "$P/${cut#*:}.data" \
		--service web --release 41)" 75
	check "the engine had half of it" in_a_table
	like "is told" "$(tr '\n' ' ' <"$TMP/out")" 'no answer of .*wait in'
	is "and waits" "$(ls "$TMP/spool" | wc -l)" 1
	touch "$TMP/cut.again"
	check "and goes in" push 10 "clickhouse+http://127.0.0.1:$cut_port/perf"
done
cut_proxy "$A_http" 2 "$A_pid"
is "a server killed while it is sent to" "$(status push 0 "clickhouse+http://127.0.0.1:$cut_port/perf" "$P/arm64-zstd.data" \
	--service web --release 41)" 75
check "the engine had half of a table" in_a_table
is "it waits" "$(ls "$TMP/spool" | wc -l)" 1
touch "$TMP/cut.again"
check "it comes back" clickhouse_start A secret
check "what waited goes in" push 10 "clickhouse+http://127.0.0.1:$cut_port/perf"
is "nothing is lost or doubled" "$(ask 'SELECT count(), sum(n) = (SELECT sum(samples) FROM loads) FROM samples' | cut -f2)" 1
is "of four recordings" "$(ask 'SELECT uniqExact(recording) FROM loads')" 4

if [ -n "$SMALL_DISK" ]; then
	for d in A B; do
		cat /dev/zero >"$TMP/$d/data/fill" 2>/dev/null
	done
	is "a full disk" "$(status push 0 "$URL" "$P/sleep-6.16.data" --service web --release 41)" 75
	like "is told, with the table" "$(tr '\n' ' ' <"$TMP/out")" 'table .*([Ss]pace|write).*wait in'
	is "and it waits" "$(ls "$TMP/spool" | wc -l)" 1
	rm -f "$TMP/A/data/fill" "$TMP/B/data/fill"
	check "with room again it goes in" push 10 "$URL"
	is "once" "$(ask 'SELECT sum(n) = (SELECT sum(samples) FROM loads) FROM samples')" 1
else
	skip "a full disk" "mounts need root"
fi
recordings="$P/group-4.14.data $P/hybrid.data $P/arm64-zstd.data $P/sleep-6.16.data"
check "several" push 10 "$URL" --service web --release 41 $recordings
is "of both shards" "$(clickhouse_ask "$A_http" secret perf 'SELECT count() > 0 FROM samples_local' &&
	clickhouse_ask "$B_http" secret perf 'SELECT count() > 0 FROM samples_local')" "1
1"
is "all of them" "$(ask 'SELECT uniqExact(recording) FROM loads')" 5
is "sums of tables agree" "$(ask 'SELECT sum(n) = (SELECT sum(samples) FROM loads) FROM samples')" 1

# Half an upload: rows of a load whose commit never came, of two clients, say.
clickhouse_ask "$A_http" secret perf 'ALTER TABLE loads_local DELETE WHERE samples = 13' >/dev/null
clickhouse_ask "$B_http" secret perf 'ALTER TABLE loads_local DELETE WHERE samples = 13' >/dev/null
gone() {
	[ "$(ask 'SELECT count() FROM loads WHERE samples = 13')" = 0 ]
}
wait_for gone
check "facts without their load: it goes on" push 5 "$URL" "$P/branch-4.14.data"
is "and doubles nothing" "$(ask 'SELECT sum(taken) FROM edges')" 64

# Many in one: copies with another byte each are recordings of their own.
more() { # more NAME N: files of them in $TMP/more
	mkdir -p "$TMP/more"
	for i in $(seq "$2"); do
		cp "$P/$1.data" "$TMP/more/$1-$i.data"
		printf '%s' "$i" >>"$TMP/more/$1-$i.data"
	done
}
whole() { # all that loads say is in their tables, once
	[ "$(ask 'SELECT sum(samples) FROM loads')" = "$(ask 'SELECT sum(n) FROM samples WHERE load GLOBAL IN (SELECT load FROM loads)')" ]
}
more group-4.14 5
more hybrid 4
before=$(ask 'SELECT uniqExact(recording) FROM loads')
cut_proxy "$A_http" 3
is "nine in one, the connection breaks in the third table" "$(status push 0 "clickhouse+http://127.0.0.1:$cut_port/perf" \
	"$TMP"/more/*.data --service web --release 41)" 75
check "the engine had half of it" in_a_table
is "all wait" "$(ls "$TMP/spool" | wc -l)" 9
is "none is told" "$(ask 'SELECT uniqExact(recording) FROM loads')" "$before"
touch "$TMP/cut.again"
check "they go in" push 10 -v "clickhouse+http://127.0.0.1:$cut_port/perf"
like "... in one" "$(cat "$TMP/out")" '9 of 9 in one'
is "each once" "$(ask 'SELECT uniqExact(recording) FROM loads')" $((before + 9))
check "... with all of its samples" whole
check "the same again" push 5 -v "$URL" "$TMP"/more/*.data --service web --release 41
is "... changes nothing" "$(ask 'SELECT uniqExact(recording), count() = uniqExact(load) FROM loads')" "$((before + 9))	1"
rm -r "$TMP/more"
# One of several that the engine has a part of goes alone, as another attempt.
more arm64-zstd 3
"$PERF" data convert --to native -i "$TMP/more/arm64-zstd-2.data" -o "$TMP/native/" >/dev/null 2>&1
load=$(sed -n 's/^samples \([0-9a-f]*\) .*/\1/p' "$TMP/native/manifest" | head -1)
check "a row of it is there" ask "INSERT INTO samples (load, object, func, off, n, period) SELECT toInt64($((0x$load))), 'x', toInt64(0), toInt64(0), toInt64(1), toInt64(1)"
check "a part of one is there: all go in" push 10 -v "$URL" "$TMP"/more/*.data
like "... that one alone" "$(cat "$TMP/out")" '2 of 3 in one'
check "... what was there is told of by no load" whole
rm -rf "$TMP/more" "$TMP/spool"

# The service itself into the real one.
if can_record; then
	is "record --push: status" "$(records_into "$URL")" 0
	is "... every file that was switched is there" "$(ask "SELECT uniqExact(recording) FROM loads WHERE service = 'recorded'")" \
		"$(grep -c 'Dump ' "$TMP/record.out")"
	check "... with all of its samples" whole
	is "... and nothing is left" "$(ls "$TMP/service")" ""
else
	skip "record --push" "no events can be opened here"
fi

ask 'INSERT INTO perf_schema SELECT 9' >/dev/null
is "tables of another schema" "$(status push 0 "$URL" "$P/s390x-basic.data")" 75
like "which, and what to do" "$(cat "$TMP/out")" 'schema 9.*schema 1'
is "it waits" "$(ls "$TMP/spool" | wc -l)" 1

for q in "$ROOT"/contrib/sql/clickhouse/*.sql; do
	check "$(basename "$q") runs" clickhouse_ask "$A_http" secret perf "$(cat "$q")"
done

# A spool that is full keeps what is newest.
clickhouse_stop A
for f in $recordings; do
	push 0 --spool-limit 1k "$URL" "$f"
done
is "a limit of the spool holds" "$(ls "$TMP/spool" | wc -l)" 1
like "and is told" "$(cat "$TMP/out")" 'is dropped'
clickhouse_stop B
done_testing
