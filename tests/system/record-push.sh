#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# record --push as a service: what it switches is pushed and removed; while the engine is away it waits, within a limit; the end
# by SIGTERM pushes what is left; what a killed service leaves the next one takes. Nothing is lost, nothing is there twice.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/helpers/engines.sh"
need_events
need_cmd python3
"$PERF" version --build-options | grep -q 'libcurl: \[ on' || skip_all "perf was built without libcurl"

mkdir "$TMP/engine"
dies_with_us python3 "$ROOT/tests/helpers/clickhouse-standin.py" "$TMP/engine" >"$TMP/engine/out" 2>&1 &
_pids="$_pids $!"
wait_for test -s "$TMP/engine/port"
URL=clickhouse+http://127.0.0.1:$(cat "$TMP/engine/port")/perf
touch "$TMP/engine/rows"

loads() {
	grep -c '^loads' "$TMP/engine/rows"
}
has_loads() {
	[ "$(loads)" -ge "$1" ]
}
waits() { # entries and recordings that are whole
	find "$TMP/spool" -mindepth 1 -maxdepth 1 ! -name '.*' ! -name recording | wc -l
}
some_wait() {
	[ "$(waits)" -ge "$1" ]
}
none_waits() {
	[ "$(waits)" = 0 ]
}
usage() {
	"$PERF" record --spool "$TMP/spool" "$@" -- true >"$TMP/out" 2>&1
	echo $?
}
# A tenth of a CPU, by a program that has hardly any symbols: N times 10 ms and a pause.
cat >"$TMP/busy.sh" <<'E2'
n=$1
while [ $n -gt 0 ]; do
	i=0
	while [ $i -lt 20000 ]; do i=$((i + 1)); done
	sleep 0.1
	n=$((n - 1))
done
E2
service() { # in the background: $pid, what it says in $TMP/err
	"$PERF" record -e cpu-clock:u -F 997 --push "$URL" --spool "$TMP/spool" --service web "$@" 2>>"$TMP/err" &
	pid=$!
}

is "--push and -o" "$(usage --push "$URL" -o x.data)" 129
like "... and why" "$(cat "$TMP/out")" 'removes what is pushed'
is "--every without --push" "$(usage --every 5)" 129
is "--every 0" "$(usage --push "$URL" --every 0)" 129
is "--every of no number" "$(usage --push "$URL" --every x)" 129
is "a URL of nothing" "$(usage --push ftp://127.0.0.1/perf)" 129
is "words of tables" "$(usage --push "$URL" --redact everything)" 129

# The unit's own words.
UNIT=$ROOT/contrib/systemd/perf-push.service
words=$(sed -n '/^ExecStart=/,/[^\\]$/p' "$UNIT" | tr -d '\\\n' | sed 's/^ExecStart=[^ ]* //
	s/ -a / /; s,/var/lib/perf-push,'"$TMP"/unit',; s,\${PERF_PUSH_URL},'"$URL"',; s,\${CREDENTIALS_DIRECTORY},'"$TMP"',; s/\$PERF_PUSH_ARGS//')
# shellcheck disable=SC2086
check "options of the unit" "$PERF" $words --dry-run -e cpu-clock:u -- true
if command -v systemd-analyze >/dev/null 2>&1; then
	sed "s,^ExecStart=[^ ]*,ExecStart=$PERF_FILE," "$UNIT" >"$TMP/perf-push.service"
	is "systemd takes the unit" "$(systemd-analyze verify "$TMP/perf-push.service" 2>&1 | grep perf-push)" ""
else
	skip "systemd takes the unit" "no systemd-analyze"
fi

service --every 1 -- sh "$TMP/busy.sh" 6000
check "recordings come in while it runs" wait_for has_loads 2
is "a second service of this spool" "$(usage --push "$URL")" 1
like "... is told" "$(cat "$TMP/out")" 'another perf record --push does'
touch "$TMP/engine/away"
check "the engine is away: they wait" wait_for some_wait 2
is_said() {
	grep -q 'answered 503' "$TMP/err"
}
check "... which is said" wait_for is_said
is "... once" "$(grep -c 'answered 503' "$TMP/err")" 1
rm "$TMP/engine/away"
check "it is back: they go in" wait_for none_waits
kill -TERM $pid
wait $pid
is "the end by SIGTERM: status" $? 143
is "nothing is left" "$(ls "$TMP/spool")" ""
# On a machine that others use a second may pass without a sample.
is "every recording is there" "$(($(loads) + $(grep -c 'nothing to push' "$TMP/err")))" \
	"$(grep -c '\[ perf record: Dump ' "$TMP/err")"
cat >"$TMP/sums.py" <<'E2'
import json, sys
rows = {}
for line in open(sys.argv[1]):
    table, row = line.split(" ", 1)
    rows.setdefault(table, []).append(json.loads(row))
loads, samples = rows["loads"], rows["samples"]
total = sum(r["n"] for r in samples)
places = [(r["load"], r["object"], r["off"]) for r in samples]
print("once" if len({r["load"] for r in loads}) == len(loads) and len(set(places)) == len(places) else "doubled",
      "all" if total == sum(r["samples"] for r in loads) and total > 100 else "%d samples" % total, *{r["service"] for r in loads})
E2
is "once each, with all samples" "$(python3 -S "$TMP/sums.py" "$TMP/engine/rows")" "once all web"

# Killed: the file that it wrote stays, and the next service pushes it.
before=$(loads)
service -- sh -c 'echo $$ >"$0"; exec "$PERF" test -w noploop 60' "$TMP/command"
is_written() {
	[ "$(stat -c %s "$TMP/spool/recording" 2>/dev/null || echo 0)" -gt 20000 ]
}
wait_for is_written
command=$(cat "$TMP/command")
kill -KILL $pid "$command"
wait $pid 2>/dev/null
check "a killed service leaves a recording" test -s "$TMP/spool/recording"
is_free() {
	flock -n "$TMP/spool/.lock" true
}
wait_for is_free
service -- sh "$TMP/busy.sh" 3
wait $pid
is "the next one: status of the command" $? 0
is "... pushes it, and its own" "$(loads)" "$((before + 2))"
is "once each, with all samples again" "$(python3 -S "$TMP/sums.py" "$TMP/engine/rows")" "once all web"

# What cannot be read stays, and does not keep others.
mkdir -p "$TMP/spool"
echo "no recording" >"$TMP/spool/recording.2026010100000000"
service -- sh "$TMP/busy.sh" 3
wait $pid
is "a file that is none is put aside" "$(ls "$TMP/spool")" refused.2026010100000000
is "... and others go in" "$(loads)" "$((before + 3))"
rm "$TMP/spool/refused.2026010100000000"

# What is damaged goes in up to there, and stays to be looked at.
head -c 4000 "$ROOT/tests/data/perf/group-4.14.data" >"$TMP/cut"
is "data push of a damaged recording" "$("$PERF" data push --spool "$TMP/other" --service web "$URL" "$TMP/cut" 2>"$TMP/said"; echo $?)" 1
like "... what became of it" "$(tr '\n' ' ' <"$TMP/said")" "cut: record at offset .*$TMP/cut is pushed up to its damage"
had=$(loads)
check "... and it went in" test "$had" -gt $((before + 3))
cp "$TMP/cut" "$TMP/spool/recording.2026010100000000"
service -- sh "$TMP/busy.sh" 3
wait $pid
is "a damaged recording of the spool is kept" "$(ls "$TMP/spool")" damaged.2026010100000000
is "... it was there, the service's own is new" "$(loads)" "$((had + 1))"
service -- sh "$TMP/busy.sh" 3
wait $pid
is "... and is left alone by the next service" "$(ls "$TMP/spool") $(grep -c 'pushed up to its damage' "$TMP/err")" \
	"damaged.2026010100000000 1"
rm "$TMP/spool/damaged.2026010100000000"

touch "$TMP/engine/hang"
timeout -k 1 60 "$PERF" record -q -e cpu-clock:u --push "$URL" --spool "$TMP/hang" --retry-for 1 -- sh "$TMP/busy.sh" 3 2>"$TMP/hang.err"
is "an engine that takes and does not answer: the end comes in time" $? 75
like "... and says why" "$(cat "$TMP/hang.err")" 'no time is left'
rm "$TMP/engine/hang"

# What was being sent at the end used up its time; the engine answers again before that of the last try is over.
rm -rf "$TMP/spool" "$TMP/engine/asked"
before=$(loads)
touch "$TMP/engine/last"
service --every 1 --retry-for 4 -- sh "$TMP/busy.sh" 6000
wait_for test -e "$TMP/engine/asked"
kill -TERM $pid
sleep 6
rm "$TMP/engine/last"
wait $pid
is "the last recordings have a time of their own" "$(ls "$TMP/spool")" ""
check "... and went in" test "$(loads)" -gt "$before"

touch "$TMP/engine/away"
service --every 1 --spool-limit 1k --retry-for 0 -- sh "$TMP/busy.sh" 25
wait $pid
st=$?
is "a limit of the spool leaves the newest" "$(waits)" 1
like "... and says so" "$(cat "$TMP/err")" 'is dropped'
is "... and so does the status" $st 75
like "... and what waits, and where" "$(tail -1 "$TMP/err")" "it waits in $TMP/spool"
is "the command's own status comes first" "$("$PERF" record -q -e cpu-clock:u --push "$URL" --spool "$TMP/spool" --retry-for 0 -- sh -c 'exit 3' \
	2>/dev/null; echo $?)" 3
done_testing
