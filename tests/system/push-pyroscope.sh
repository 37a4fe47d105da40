#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# data push to Pyroscope: profiles whose sums are report's, by service, release and event; many stacks in several; what was taken before
# the server went away is not sent again; nothing leaves that would not go to an engine.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/helpers/engines.sh"
need_cmd python3 cc nm
"$PERF" version --build-options | grep -q 'libcurl: \[ on' || skip_all "perf was built without libcurl"
P=$ROOT/tests/data/perf

mkdir "$TMP/server"
dies_with_us python3 -S "$ROOT/tests/helpers/pyroscope-standin.py" "$TMP/server" >"$TMP/server/out" 2>&1 &
_pids="$_pids $!"
wait_for test -s "$TMP/server/port"
HOST=127.0.0.1:$(cat "$TMP/server/port")
printf 'secret\n' >"$TMP/secret"
printf 'guess\n' >"$TMP/guess"

push() { # push ARGS...: $st, and what it said in $TMP/err
	"$PERF" data push --retry-for 0 --spool "$TMP/spool" "$@" >"$TMP/out" 2>"$TMP/err"
	st=$?
}

push --service web --release 41 --redact host "pyroscope+http://$HOST/team-a" "$P/singleprocess-3.8.data"
is "a recording: status" $st 0
is "nothing waits" "$(ls "$TMP/spool")" ""
read -r nr _ _ samples period tenant labels <"$TMP/server/profiles"
is "its tenant" "$tenant" team-a
like "its labels" "$labels" '__name__=perf event=[^ ]+ host=sha:[0-9a-f]+ release=41 service_name=web'
"$PERF" report -i "$P/singleprocess-3.8.data" -g none >"$TMP/report" 2>/dev/null
is "its samples" "# Samples: $samples " "$(sed -n 's/^\(# Samples: [0-9]*\) .*/\1 /p' "$TMP/report")"
is "its period" "$period" "$(sed -n 's/^# Event count (approx.): //p' "$TMP/report")"
if command -v go >/dev/null 2>&1 && HOME=$TMP go tool pprof -raw "$TMP/server/$nr.pb.gz" >"$TMP/raw" 2>"$TMP/err"; then
	is "read by go" "$(awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 } on && /^ *[0-9]+ +[0-9]+:/ { n += $1 } END { print n }' "$TMP/raw")" "$samples"
else
	skip "read by go" "no go tool pprof"
fi
is "no path, no command line" "$(gzip -dc "$TMP/server/$nr.pb.gz" | grep -acE '/(usr|bin|lib)')" 0

cat >"$TMP/many.py" <<'E2'
import sys
from perfdata import *
r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1000, sample_type=IP | TID | TIME | PERIOD, flags='mmap comm'))
for pid in range(1001, 18001):
    r.comm(pid, f'worker{pid}')
    r.sample(ip=0x400010, pid=pid, period=1000)
r.write(sys.argv[1])
E2
PYTHONPATH="$ROOT/tests/helpers" python3 "$TMP/many.py" "$TMP/many.data"
: >"$TMP/server/profiles"
echo 2 >"$TMP/server/away" # when it has the first half
push --service many "pyroscope+http://$HOST" "$TMP/many.data"
is "the server goes away: status" $st 75
like "... and why" "$(cat "$TMP/err")" 'answered 503'
is "... and has one half" "$(wc -l <"$TMP/server/profiles")" 1
rm "$TMP/server/away"
push "pyroscope+http://$HOST"
is "it is back: status" $st 0
is "17000 stacks are two profiles" "$(awk '{ print $3, $4 }' "$TMP/server/profiles" | tr '\n' ' ')" "16000 16000 1000 1000 "
is "... each once" "$(awk '{ print $2 }' "$TMP/server/profiles" | sort | uniq -d)" ""

# What is damaged does not keep what waits behind it.
: >"$TMP/server/profiles"
echo 0 >"$TMP/server/away"
push --service behind "pyroscope+http://$HOST" "$P/singleprocess-3.8.data" "$P/group-4.14.data"
rm "$TMP/server/away"
set -- "$TMP"/spool/*
rm "$1/manifest"
touch -d 2020-01-01 "$1"
push "pyroscope+http://$HOST"
is "an entry without its list: status" $st 75
like "... which is told" "$(cat "$TMP/err")" "cannot read $1/manifest"
like "... the next one goes in" "$(cat "$TMP/server/profiles")" 'service_name=behind'
is "... and the first stays" "$(echo "$TMP"/spool/*)" "$1"
rm -r "$1"

# Nor does what it refuses.
: >"$TMP/server/profiles"
push --service late "pyroscope+http://$HOST" "$P/group-4.14.data"
is "a profile that is too old: status" $st 75
like "... and why, and what to do" "$(tr '\n' ' ' <"$TMP/err")" "answered 400: .*too old.* waits; remove it"
push --service next "pyroscope+http://$HOST" "$P/singleprocess-3.8.data"
like "... the next one goes in" "$(cat "$TMP/server/profiles")" 'service_name=next'
like "... and it waits" "$(cat "$TMP/err")" '1 of 2 recordings are loaded'
rm -r "$TMP"/spool/*

# As many bytes of names.
python3 -S -c 'for i in range(16000):
    print(".type f%d_%s, @function; .globl f%d_%s; f%d_%s: .skip 16" % ((i, "x" * 300) * 3))' >"$TMP/names.s"
cat >"$TMP/names.py" <<'E2'
import sys
from perfdata import *
r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1000, sample_type=IP | TID | TIME | PERIOD, flags='mmap mmap2 comm'))
r.comm(1001, 'names')
r.mmap2(1001, 0x400000, 0x800000, 0, sys.argv[2])
for i in range(16000):
    r.sample(ip=0x400000 + int(sys.argv[3], 16) + 16 * i, pid=1001, period=1000)
r.write(sys.argv[1])
E2
if cc -shared -nostdlib -Wl,-z,noseparate-code -o "$TMP/names.so" "$TMP/names.s" 2>"$TMP/log"; then
	PYTHONPATH="$ROOT/tests/helpers" python3 "$TMP/names.py" "$TMP/names.data" "$TMP/names.so" \
		"$(nm "$TMP/names.so" | sed -n 's/ . f0_x*$//p')"
	: >"$TMP/server/profiles"
	push --service names "pyroscope+http://$HOST" "$TMP/names.data"
	is "more than 4 MB: status" $st 0
	is "... are two profiles, with all samples" "$(awk '{ s += $3 } END { print NR, s }' "$TMP/server/profiles")" "2 16000"
else
	skip "more than 4 MB" "$(head -1 "$TMP/log")"
fi

# Frames beyond a thousand are left out, and not the sample.
cat >"$TMP/deep.py" <<'E2'
import sys
from perfdata import *
r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1000, sample_type=IP | TID | TIME | PERIOD | CALLCHAIN, flags='mmap comm'))
r.comm(1001, 'deep')
for depth in 999, 1000, 1001, 1200:
    chain = [0x400010 + 16 * i for i in range(depth)]
    r.sample(ip=chain[0], pid=1001, period=1000, chain=[2**64 - 512] + chain)
r.write(sys.argv[1])
E2
PYTHONPATH="$ROOT/tests/helpers" python3 "$TMP/deep.py" "$TMP/deep.data"
: >"$TMP/server/profiles"
push --service deep --max-stack 2000 "pyroscope+http://$HOST" "$TMP/deep.data"
is "stacks of a thousand frames and more: status" $st 0
read -r nr _ _ samples period _ <"$TMP/server/profiles"
is "... and all of their periods" "$period" 4000
python3 -S - "$ROOT/tests/helpers" "$TMP/server/$nr.pb.gz" >"$TMP/frames" <<'E2'
import gzip, sys
sys.path.insert(0, sys.argv[1])
from protobuf import fields, packed
print(*sorted(len(packed(dict(fields(v))[1])) for k, v in fields(gzip.open(sys.argv[2]).read()) if k == 2))
E2
is "... with the innermost thousand" "$(cat "$TMP/frames")" "999 1000 1000 1000"

push --password-file "$TMP/guess" "pyroscope+http://me@$HOST" "$P/group-4.14.data"
is "a wrong password: status" $st 75
like "... and what to do" "$(tr '\n' ' ' <"$TMP/err")" 'answered 401.*--password-file'
is "... which is not told" "$(grep -c guess "$TMP/err")" 0
push --password-file "$TMP/secret" "pyroscope+http://me@$HOST"
is "the right one" $st 0
(export http_proxy="http://$HOST" && push "pyroscope+http://127.0.1.1:1" "$P/group-4.14.data")
like "a proxy gets nothing that is for this machine" "$(cat "$TMP/err")" 'no answer of'
push --init "pyroscope+http://$HOST"
like "there are no tables to make" "$(cat "$TMP/err")" 'takes profiles and has no tables'
push "pyroscope+http://10.0.0.1" "$P/group-4.14.data"
like "plain HTTP to another machine is refused" "$(cat "$TMP/err")" 'plain HTTP'
"$PERF" report --from "pyroscope+http://$HOST" >"$TMP/out" 2>"$TMP/err"
like "nothing can be asked of it" "$(cat "$TMP/err")" 'has no tables to ask'
done_testing
