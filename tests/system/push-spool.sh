#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Where tables wait for an engine that is away: no engine is needed for that, only a port where nobody listens. And whom
# a push by TLS trusts.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/helpers/engines.sh"
need_cmd python3 flock
P=$ROOT/tests/data/perf
port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
URL=clickhouse+http://127.0.0.1:$port/perf
"$PERF" version --build-options | grep -q 'libcurl: \[ on' || skip_all "perf was built without libcurl"

push() { # push ARGS...: $st, and what it said in $TMP/err
	"$PERF" data push --retry-for 0 "$@" >"$TMP/out" 2>"$TMP/err"
	st=$?
}
waits() {
	find "$TMP/spool" -mindepth 1 -maxdepth 1 | wc -l
}

push --spool "$TMP/spool" "$URL" "$P/group-4.14.data" "$P/branch-4.14.data"
is "nobody listens: status" $st 75
like "... and what becomes of it" "$(cat "$TMP/err")" "0 of 2 recordings are loaded; the others wait in $TMP/spool"
is "both wait" "$(waits)" 2
push --spool "$TMP/spool" "$URL" "$P/group-4.14.data"
is "one that waits already waits once" "$(waits)" 2
told() { # what the entries' tables of loads say
	find "$TMP/spool" -name 'loads*.gz' -exec gzip -dc {} + | tr '\0' '\n' | grep -aoE 'web-[a-z]+|sha:' | sort | uniq -c | tr -s ' \n' ' '
}
rm -r "$TMP/spool"
push --spool "$TMP/spool" --service web-old "$URL" "$P/group-4.14.data" "$P/branch-4.14.data"
push --spool "$TMP/spool" --service web-new --redact host "$URL" "$P/group-4.14.data"
is "once more with other options: it waits once" "$(waits)" 2
like "... as it was said last" "$(told)" '^ [0-9]+ sha: [0-9]+ web-new [0-9]+ web-old $'
push --spool "$TMP/spool" "clickhouse+http://127.0.0.1:$port/other" "$P/group-4.14.data"
like "another database: others' entries are not counted" "$(cat "$TMP/err")" '0 of 1 recordings'
is "... and stay" "$(waits)" 3
printf 'perf-tables 1\n../../etc/passwd 1 1 x\n' >"$(find "$TMP/spool" -name manifest | sort | head -1)"
push --spool "$TMP/spool" "$URL"
is "a list that is not ours: status" $st 75
is "... and it is left to be looked at" "$(waits)" 3
push --spool "$TMP/spool" --spool-limit 1k "$URL" "$P/hybrid.data"
is "a limit leaves the newest" "$(waits)" 1

# Which hosts are this machine, and how they are called.
push --spool "$TMP/other" 'clickhouse+http://127.example.invalid:1/db' "$P/group-4.14.data"
like "a name that begins like an address of this machine: no plain HTTP" "$(cat "$TMP/err")" 'plain HTTP'
if "$PERF" version --build-options | grep -q 'libpq: \[ on'; then
	push --spool "$TMP/other" 'postgresql://me@[::1]:1/db' "$P/group-4.14.data"
	like "PostgreSQL by IPv6" "$(cat "$TMP/err")" 'no connection to postgresql'
	is "... at an address, not a name" "$(grep -c 'host name' "$TMP/err")" 0
else
	skip "PostgreSQL by IPv6" "built without libpq"
fi

push --spool "$TMP/other" "clickhouse+http://127.1:$port/db" "$P/group-4.14.data"
is "a short address of this machine is one: plain HTTP" "$st $(grep -c 'plain HTTP' "$TMP/err")" "75 0"

# Put in once more, with other options, while the engine takes what waits: the second waits for its own turn.
mkdir "$TMP/slow"
dies_with_us python3 "$ROOT/tests/helpers/clickhouse-standin.py" "$TMP/slow" >"$TMP/slow/out" 2>&1 &
_pids="$_pids $!"
wait_for test -s "$TMP/slow/port"
SLOW=clickhouse+http://127.0.0.1:$(cat "$TMP/slow/port")/perf
for files in "$P/group-4.14.data" "$P/group-4.14.data $P/branch-4.14.data"; do
	rm -rf "$TMP/spool" "$TMP/slow/asked"
	touch "$TMP/slow/last"
	# shellcheck disable=SC2086
	"$PERF" data push --spool "$TMP/spool" --service web-old "$SLOW" $files 2>/dev/null &
	first=$!
	wait_for test -e "$TMP/slow/asked"
	"$PERF" data push --spool "$TMP/spool" --service web-new "$SLOW" "$P/group-4.14.data" 2>/dev/null &
	second=$!
	is_replaced() {
		told | grep -q web-new
	}
	check "another push puts it in again" wait_for is_replaced
	kill -KILL $second
	rm "$TMP/slow/last"
	wait $first
	like "... which stays when the first is sent" "$(told)" '^ [0-9]+ web-new $'
	"$PERF" data push --spool "$TMP/spool" "$SLOW" 2>/dev/null
	# What the killed one was just removing is named new-..., and goes a minute later.
	is "... until it is, too" "$(find "$TMP/spool" -mindepth 1 -maxdepth 1 ! -name "new-*" | wc -l)" 0
	: >"$TMP/slow/rows"
	touch "$TMP/slow/forget"
done

# Directories of processes that were ended while they wrote.
mkdir "$TMP/spool/new-left" "$TMP/spool/new-held"
echo tables >"$TMP/spool/new-left/manifest"
touch -d '1 hour ago' "$TMP/spool/new-left" "$TMP/spool/new-held"
(
	flock 9
	push --spool "$TMP/spool" "$URL" "$P/hybrid.data"
) 9<"$TMP/spool/new-held"
check "what an ended push left is removed" test ! -e "$TMP/spool/new-left"
check "... and not what one still writes" test -d "$TMP/spool/new-held"
rmdir "$TMP/spool/new-held"

mkdir -m 777 "$TMP/open" && chmod 777 "$TMP/open"
push --spool "$TMP/open" "$URL" "$P/group-4.14.data"
is "a spool that others may write to: status" $st 1
like "... and why" "$(tr '\n' ' ' <"$TMP/err")" "tables cannot wait in $TMP/open: others may write there.*--spool DIR"
is "... and nothing is in it" "$(ls "$TMP/open")" ""
if [ "$(id -u)" = 0 ] && chown nobody "$TMP/open" 2>/dev/null; then
	push --spool "$TMP/open" "$URL" "$P/group-4.14.data"
	like "somebody else's" "$(cat "$TMP/err")" 'it belongs to somebody else'
else
	skip "somebody else's" "needs root"
fi
(
	unset HOME XDG_CACHE_HOME
	push "$URL" "$P/group-4.14.data"
	[ $st = 1 ] && grep -q 'HOME' "$TMP/err" && grep -q -e '--spool DIR' "$TMP/err"
)
check "no home: where else to put it" test $? = 0
HOME=$TMP/somebody && mkdir "$HOME"
export HOME
unset XDG_CACHE_HOME
push "$URL" "$P/group-4.14.data"
is "the user's cache, for nobody else" "$(stat -c %a "$HOME/.cache/perf/push")" 700

if command -v openssl >/dev/null 2>&1 && make_certificates "$TMP/tls" IP:127.0.0.1; then
	dies_with_us python3 "$ROOT/tests/helpers/clickhouse-standin.py" "$TMP/tls" >"$TMP/tls/out" 2>&1 &
	_pids="$_pids $!"
	wait_for test -s "$TMP/tls/port"
	port=$(cat "$TMP/tls/port")
	push --spool "$TMP/trust" --ca "$TMP/tls/other.crt" "clickhouse+https://127.0.0.1:$port/perf" "$P/group-4.14.data"
	is "of an authority that nobody knows: status" $st 75
	like "... and why" "$(cat "$TMP/err")" 'certificate'
	push --spool "$TMP/trust" "clickhouse+https://127.0.0.1:$port/perf"
	is "nor the system's: status" $st 75
	push --spool "$TMP/trust" --ca "$TMP/tls/ca.crt" "clickhouse+https://localhost:$port/perf" "$P/group-4.14.data"
	is "of another name: status" $st 75
	like "... and why" "$(cat "$TMP/err")" 'localhost|does not match'
	is "nothing went out" "$(cat "$TMP/tls/rows" 2>/dev/null)" ""
	push --spool "$TMP/trust" --ca "$TMP/tls/ca.crt" "clickhouse+https://127.0.0.1:$port/perf"
	is "one that is verified: status" $st 0
	like "... and all is there" "$(cut -d' ' -f1 "$TMP/tls/rows" | sort -u | tr '\n' ' ')" 'loads objects samples stacks'
else
	skip "certificates" "no openssl"
fi
done_testing
