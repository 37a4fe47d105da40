#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --from as a process: it ends with its pager, and leaves nothing however it ends. What it reports is fleet-pull.sh's.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/helpers/engines.sh"
need_cmd python3
"$PERF" version --build-options | grep -q 'libcurl: \[ on' || skip_all "perf was built without libcurl"
python3 -S -c 'import sqlite3' 2>/dev/null || skip_all "python3 has no sqlite3, which answers for the engine"

mkdir "$TMP/engine"
dies_with_us python3 -S "$ROOT/tests/helpers/clickhouse-standin.py" "$TMP/engine" >"$TMP/engine/out" 2>&1 &
_pids="$_pids $!"
wait_for test -s "$TMP/engine/port"
URL=clickhouse+http://127.0.0.1:$(cat "$TMP/engine/port")/perf
echo 'sample 5 0x40017e 1000' | made_file listing-file "$TMP/walk.data" "$ROOT/tests/data/annotate/walk"
"$PERF" data push --spool "$TMP/spool" "$URL" "$TMP/walk.data" >"$TMP/out" 2>&1 || fail "a recording is pushed" "$(cat "$TMP/out")"

printf '#!/bin/sh\ncat >"$0.out"\nsleep 0.3\necho the pager ends\n' >"$TMP/pager"
chmod +x "$TMP/pager"
# shellcheck disable=SC2016
PERF_PAGER="$TMP/pager" python3 -S -c 'import os, pty, sys
os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
pty.spawn(sys.argv[1:])' sh -c '"$0" report --stdio --from "$1"; echo perf ends' "$PERF" "$URL" 2>&1 | tr -d '\r' >"$TMP/terminal"
is "perf waits for its pager" "$(cat "$TMP/terminal")" "the pager ends
perf ends"
check "... which has the report" grep -q '^# Samples: ' "$TMP/pager.out"

mkdir "$TMP/tmp"
left() {
	find "$TMP/tmp" -mindepth 1
}
touch "$TMP/engine/late"
TMPDIR=$TMP/tmp "$PERF_FILE" report --stdio --from "$URL" >"$TMP/out" 2>&1 &
pid=$!
wait_for test -e "$TMP/engine/asked"
kill -TERM $pid
wait $pid
is "SIGTERM while the engine works: nothing is left" "$(left)" ""
rm "$TMP/engine/late"

# Who reads its output does not: it lasts until a signal comes.
mkfifo "$TMP/full"
exec 3<>"$TMP/full"
dd if=/dev/zero of="$TMP/full" bs=4096 oflag=nonblock 2>/dev/null
is_written() {
	[ -e "$(echo "$TMP"/tmp/perf-from.*)" ]
}
for sig in TERM HUP; do
	TMPDIR=$TMP/tmp "$PERF_FILE" report --stdio --from "$URL" >"$TMP/full" 2>"$TMP/err" 3>&- &
	pid=$!
	check "SIG$sig while the report is printed" wait_for is_written
	kill -$sig $pid
	wait $pid
	is "... nothing is left" "$(left)" ""
done
exec 3>&-
done_testing
