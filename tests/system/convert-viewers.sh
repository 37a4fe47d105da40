#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# data convert to what viewers open, each format read by a reader that is not ours. One recording is
# made by hand (tests/helpers/page-file.py): its numbers are known, its names are hostile.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
NONE='not here (make deps DEPS_BROWSER=1 installs it)'

made_file page-file "$TMP" "$TMP/made.data" || skip_all "cannot write $TMP/made.data"
convert() {
	"$PERF" data convert "$@" 2>"$TMP/err"
}
fx=$(fixtures) || fx=
real=$([ -z "$fx" ] || find "$fx" -name perf.data | sort | head -6)
# report_sums FILE: samples and periods, one event after the other
report_sums() {
	"$PERF" report -i "$1" --no-branch-stack --csv --no-group -g none --no-children -s comm -F comm,sample,period 2>/dev/null |
		python3 -c 'import csv, sys
rows = [r for r in csv.reader(sys.stdin) if r and r[-1].isdigit()]
print(sum(int(r[-2]) for r in rows), sum(int(r[-1]) for r in rows))'
}

# Branches within main: a loop, taken twice, then fallen through on the way to one into work.
python3 -S -c 'import glob, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
r = Recording(Attr(sample_type=IP | TID | BRANCH_STACK, branch_sample_type=BRANCH_ANY, flags="mmap"))
r.mmap(1, 0x400000, 0x2000, 0, glob.glob(sys.argv[2] + "/lib*/script*")[0])
at = lambda n: 0x401000 + n
r.sample(ip=at(0x34), pid=1, branches=[
    {"from": at(0x30), "to": at(0x40), "cycles": 5}, {"from": at(0x20), "to": at(8), "cycles": 2, "mispred": 1},
    {"from": at(0x20), "to": at(8), "cycles": 2}, {"from": at(0x10), "to": at(0)}])
r.write(sys.argv[3])' "$ROOT/tests/helpers" "$TMP" "$TMP/loop.data"
# The same of a group: a sample that comes for each of its counters, and one of a member that samples by itself.
python3 -S -c 'import glob, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
KIND = IP | TID | READ | ID | BRANCH_STACK
r = Recording(*[Attr(config=n, sample_type=KIND, read_format=12, branch_sample_type=BRANCH_ANY, flags="mmap", ids=[11 + n])
                for n in range(2)])
r.features[17] = r.pack("I", 1) + r.string("") + r.pack("II", 0, 2) # GROUP_DESC
r.mmap(1, 0x400000, 0x2000, 0, glob.glob(sys.argv[2] + "/lib*/script*")[0])
for own in 0, 1:
    r.sample(attr=r.attrs[own], ip=0x401034, pid=1, id=11 + own, read=(2, 100 + own, 11, 50 + own, 12), branches=[
        {"from": 0x401030, "to": 0x401020, "cycles": 5, "mispred": 1}])
r.write(sys.argv[3])' "$ROOT/tests/helpers" "$TMP" "$TMP/group.data"

# ---- what all have in common
is "each format of --to help has its paragraph in the man page" "$("$PERF" data convert --to help | cut -d' ' -f1 |
	while read -r name; do grep -qE "^(\*[a-z-]+\*, )*\*$name\*(, \*[a-z-]+\*)*::" "$ROOT/Documentation/perf-data.adoc" || echo "$name"; done)" ""
check_status "--by of nothing that samples have" 129 "$PERF" data convert -i "$TMP/made.data" --to pprof --by colour -o "$TMP/no"
check_status "--by with a format that has no place for it" 129 "$PERF" data convert -i "$TMP/made.data" --to fdata --by pid -o "$TMP/no"
check_status "--branches of a format that has none" 129 "$PERF" data convert -i "$TMP/made.data" --to json --branches -o "$TMP/no"
check_status "--binary of a format that holds all objects" 129 "$PERF" data convert -i "$TMP/made.data" --to folded --binary script -o "$TMP/no"
check_status "--json that is not of --check" 129 "$PERF" data convert -i "$TMP/made.data" --to folded --json -o "$TMP/no"

# ---- pprof
reader=$(node_module pprof-format) && command -v node >/dev/null || reader=
if [ -n "$reader" ]; then
	pprof() {
		node "$ROOT/tests/helpers/read-pprof.mjs" "$reader" "$1"
	}
	convert -i "$TMP/made.data" --to pprof -o "$TMP/a.pb.gz"
	pprof "$TMP/a.pb.gz" >"$TMP/a" 2>&1
	is "pprof: samples and periods of each event" "$(grep ^sums "$TMP/a")" "sums 709 70066 10 10"
	is "... by name and unit" "$(grep ^types "$TMP/a")" \
		"types cycles_samples/count cycles/count page-faults_samples/count page-faults/count"
	is "... what a sample stands for" "$(grep ^period "$TMP/a")" "period cycles/count 100000"
	is "... ids are dense, addresses in their mappings, strings text" "$(grep ^ids "$TMP/a")" "ids ok"
	like "... both events of a stack are values of one sample" "$(cat "$TMP/a")" '^stack main;work;leaf - 400 40000 10 10$'
	like "... a recursive stack, whole" "$(cat "$TMP/a")" '^stack main;again;again;again;leaf - 200 10000 0 0$'
	like "... a sample in no function is its object's" "$(cat "$TMP/a")" '^stack \[gone<b>.so\] - 1 10 0 0$'
	like "... mappings say what is known of them" "$(grep ^mapping "$TMP/a")" 'gone<b>.so - 0 0 0 0$'
	convert -i "$TMP/made.data" --to pprof --by comm,pid,tid,cpu -o "$TMP/b.pb"
	is "pprof: -o X.pb is not packed" "$(head -c 2 "$TMP/b.pb" | od -An -tx1 | tr -d ' ' | grep -c 1f8b)" 0
	pprof "$TMP/b.pb" >"$TMP/b" 2>&1
	is "pprof --by: the same sums" "$(grep ^sums "$TMP/b")" "sums 709 70066 10 10"
	like "... who ran are labels, what is no text is seen" "$(cat "$TMP/b")" \
		'^stack main;work comm=evil.xe2.x80.xaetxt,pid=20,tid=21,cpu=1 100 20000 0 0$'
	convert -i "$TMP/loop.data" --to pprof --branches -o - >"$TMP/c.pb.gz"
	pprof "$TMP/c.pb.gz" >"$TMP/c" 2>&1
	is "pprof --branches: branches, mispredicted ones, cycles" "$(grep -E '^(sums|types|stack)' "$TMP/c" | tr '\n' ' ')" \
		"sums 4 1 9 types branches/count mispredicted/count cycles/count stack main;main - 1 0 0 stack main;main - 2 1 4 stack main;work - 1 0 5 "
	convert -i "$TMP/made.data" --to pprof --comms second -e cycles -o "$TMP/d.pb"
	is "pprof: the session's options choose samples" "$(pprof "$TMP/d.pb" | grep ^sums)" "sums 201 10010"
else
	skip "pprof" "npm's pprof-format is $NONE"
fi
if command -v go >/dev/null && go tool -n pprof >/dev/null 2>&1; then
	convert -i "$TMP/made.data" --to pprof --by comm -o "$TMP/a.pb.gz"
	HOME=$TMP/home go tool pprof -symbolize=none -raw "$TMP/a.pb.gz" >"$TMP/raw" 2>&1
	like "pprof's own tool reads it" "$(cat "$TMP/raw")" 'cycles_samples/count cycles/count\[dflt\] page-faults_samples/count'
	HOME=$TMP/home go tool pprof -symbolize=none -sample_index=cycles -top "$TMP/a.pb.gz" >"$TMP/top" 2>&1
	like "... with the report's numbers" "$(cat "$TMP/top")" '50000 71\.36% .* leaf$'
	like "... and the labels" "$(HOME=$TMP/home go tool pprof -symbolize=none -sample_index=cycles -tags "$TMP/a.pb.gz" 2>&1)" \
		'10010.*: second'
else
	skip "pprof's own tool" "no go here (make deps DEPS_CLIENTS=1 installs it)"
fi
# Of a profile of branches: the sums of its values; where they begin and end, as offsets in main.
proto() {
	convert -i "$@" --to pprof --branches -o "$TMP/branches.pb"
	python3 -S -c 'import sys
sys.path.insert(0, sys.argv[1])
from protobuf import fields, packed
sums, places = [0, 0, 0], set()
for n, v in fields(open(sys.argv[2], "rb").read()):
    if n == 2:
        sums = [a + b for a, b in zip(sums, packed(dict(fields(v))[2]))]
    if n == 4:
        places.add(dict(fields(v))[3] & 0xfff)
print("sums", *sums, "at", *map(hex, sorted(places)))' "$ROOT/tests/helpers" "$TMP/branches.pb"
}
is "pprof --branches of a group: those of a sample count once" "$(proto "$TMP/group.data")" "sums 2 2 10 at 0x20 0x30"
is "... also where the event that took the sample is not chosen" "$(proto "$TMP/group.data" -e instructions)" "sums 2 2 10 at 0x20 0x30"
convert -i "$TMP/group.data" --to fdata -o "$TMP/all.fdata"
convert -i "$TMP/group.data" -e instructions --to fdata -o "$TMP/member.fdata"
is "... fdata: a sample is of all events of its group" "$? $(cat "$TMP/member.fdata" "$TMP/err")" "0 $(cat "$TMP/all.fdata")"
is "... they begin at the branch, not in the instruction before it" "$(proto "$TMP/loop.data" | sed 's/.* at //')" "0x0 0x8 0x10 0x20 0x30 0x40"
is "... callgrind: its jumps" "$(convert -i "$TMP/group.data" --to callgrind -o - | grep -oE '^j(ump|cnd)=[^ ]*')" "jump=2"
check_status "pprof --branches of a recording without" 1 "$PERF" data convert -i "$ROOT/tests/data/perf/arm64-zstd.data" --to pprof --branches -o "$TMP/no"

like "... says why, and what to do" "$(cat "$TMP/check.out")" 'has no branch stacks'

# ---- otlp
protobuf=$(node_module protobufjs) && command -v node >/dev/null || protobuf=
if [ -n "$protobuf" ]; then
	otlp() {
		node "$ROOT/tests/helpers/read-otlp.mjs" "$protobuf" "$ROOT/tests/data/convert/otlp.proto" "$1"
	}
	convert -i "$TMP/made.data" --to otlp -o "$TMP/o.pb"
	otlp "$TMP/o.pb" >"$TMP/o" 2>&1
	is "otlp: a profile for the periods and one for the samples of each event" "$(grep -E '^(sums|types)' "$TMP/o" | tr '\n' ' ')" \
		"sums 70066 709 10 10 types cycles/count samples/count page-faults/count samples/count "
	is "... all is of the schema, tables begin with zero, indices hold, strings are text" "$(grep ^tables "$TMP/o")" "tables ok"
	like "... a recursive stack, whole" "$(cat "$TMP/o")" '^stack cycles/count main;again;again;again;leaf - 10000$'
	like "... a sample in no function is its object's" "$(cat "$TMP/o")" '^stack samples/count \[gone<b>.so\] - 1$'
	like "... where it was recorded" "$(grep ^about "$TMP/o")" 'host.name=host</title><script> os.type=linux'
	convert -i "$TMP/made.data" --to otlp --by comm,pid,tid,cpu --comms evil.xe2.x80.xaetxt,second -e cycles -o - >"$TMP/o.pb"
	otlp "$TMP/o.pb" >"$TMP/o" 2>&1
	like "otlp --by: who ran are attributes" "$(cat "$TMP/o")" \
		'thread.name=second,process.pid=20,thread.id=20,cpu.logical_number=0 10000$'
	is "... the session's options choose samples" "$(grep ^sums "$TMP/o")" "sums 10010 201"
else
	skip "otlp" "npm's protobufjs is $NONE"
fi

# ---- speedscope
ajv=$(node_module ajv) && speedscope=$(node_module speedscope) && command -v node >/dev/null || ajv=
if [ -n "$ajv" ]; then
	speedscope() {
		node "$ROOT/tests/helpers/read-speedscope.mjs" "$ajv" "$speedscope" "$1"
	}
	convert -i "$TMP/made.data" --to speedscope -o "$TMP/s.json"
	speedscope "$TMP/s.json" >"$TMP/s" 2>&1
	is "speedscope: its schema" "$(head -1 "$TMP/s")" valid
	is "... a profile for each event, stacks added up" "$(grep ^profile "$TMP/s" | tr '\n' ' ')" \
		"profile cycles none 12 70066 profile page-faults none 1 10 "
	like "... a recursive stack, whole" "$(cat "$TMP/s")" '^stack cycles main;again;again;again;leaf 10000$'
	like "... what is no UTF-8 is seen" "$(cat "$TMP/s")" 'main;broken.xff.xc3'
	convert -i "$TMP/made.data" --to speedscope --time-order -e cycles -o - >"$TMP/s.json"
	speedscope "$TMP/s.json" >"$TMP/s" 2>&1
	is "speedscope --time-order: a profile for each thread, a sample for each" "$(head -1 "$TMP/s") $(grep ^profile "$TMP/s" | awk '{ print $(NF - 2), $(NF - 1), $NF }' | tr '\n' ' ')" \
		"valid none 408 40056 none 201 10010 none 100 20000 "
	is "... in the order in which they came" "$(grep '^stack cycles second' "$TMP/s" | uniq | awk '{ print $NF }' | tr '\n' ' ')" "50 10 "
else
	skip "speedscope" "npm's ajv and speedscope are $NONE"
fi

# ---- chrome
convert -i "$TMP/made.data" --to chrome -o "$TMP/trace.json"
like "chrome: samples of other events are named" "$(cat "$TMP/err")" '^10 samples of other events than cycles were left out'
cat >"$TMP/trace.py" <<'EOF'
import collections, json, sys
# Whether calls lie in one another, added up as readers do; what each CPU ran; how long functions took themselves.
calls, wrong, names, runs, took = collections.defaultdict(list), [], {}, [], collections.Counter()
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    who = e["pid"], e["tid"]
    if e["ph"] == "M":
        names[e["name"], who] = e["args"]["name"]
    elif e["ph"] == "X" and e["cat"] == "switch":
        runs.append((names["thread_name", who], e["name"], e["ts"], e["dur"]))
    elif e["ph"] == "X":
        calls[who].append((e["ts"], -e["dur"], e["name"]))
for of in calls.values():
    inside, before = [], 0
    for ts, dur, name in sorted(of, key=lambda c: c[:2]):
        while inside and inside[-1][0] <= ts:
            before = inside.pop()[0]
        if dur >= 0 or inside and ts - dur > inside[-1][0] or not inside and ts < before:
            wrong.append(f"{name} at {ts} for {-dur}")
        if inside:
            took[inside[-1][1]] += dur
        took[name] -= dur
        inside.append((ts - dur, name))
print("; ".join(wrong[:3]) or "nested", len(names), "names")
for r in runs:
    print(*r)
if len(sys.argv) > 2:
    for name, us in sorted(took.items()):
        print(name, round(us * 1000))
EOF
is "... each thread's calls lie in one another" \
	"$(python3 "$TMP/trace.py" "$TMP/trace.json" | head -1 | cut -d' ' -f1)" "nested"
python3 -S -c 'import glob, random, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
# A clock that ticks every 1/3 ms, for two threads by turns: each sample is all that its thread did until the next.
r = Recording(Attr(type=TYPE_SOFTWARE, config=1, sample_period=333333, sample_type=IP | TID | TIME | CALLCHAIN | PERIOD,
                   flags="comm mmap sample_id_all"))
r.comm(1, "one")
r.mmap(1, 0x400000, 0x2000, 0, glob.glob(sys.argv[2] + "/lib*/script*")[0])
random.seed(3)
for i in range(4000):
    chain = [0x401000 + random.randrange(0x80) for _ in range(random.randrange(1, 6))]
    r.sample(ip=chain[0], pid=1, tid=1 + i % 2, time=10 ** 15 + 7 + i * 333333 // 2, period=333333,
             chain=[CONTEXT_USER] + chain)
r.write(sys.argv[3])' "$ROOT/tests/helpers" "$TMP" "$TMP/ticks.data"
convert -i "$TMP/ticks.data" --to chrome --no-inline -o "$TMP/ticks.json"
python3 "$TMP/trace.py" "$TMP/ticks.json" own >"$TMP/took"
is "chrome: calls of a clock lie in one another" "$(head -1 "$TMP/took")" "nested 3 names"
"$PERF" report -i "$TMP/ticks.data" --csv -g none --no-children --no-inline -s sym -F sym,period >"$TMP/report" 2>/dev/null
is "... functions took themselves what the report has, to a tick" "$(sed 1d "$TMP/took" |
	while read -r name ns; do echo "$name $(((ns + 166666) / 333333))"; done)" "$(tr , ' ' <"$TMP/report" |
	awk '$3 == "main" || $3 == "work" { print $3, $4 / 333333 }' | sort)"
python3 -S -c 'import sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
r = Recording(Attr(type=TYPE_SOFTWARE, sample_type=IP | TID | TIME | CPU, flags="comm sample_id_all context_switch"), step=1000)
r.comm(7, "seven")
for cpu in 0, 3:
    r.switch(7, 7, leaves=False, cpu=cpu)
    r.sample(ip=0x1000, pid=7, cpu=cpu)
    r.switch(7, 7, leaves=True, cpu=cpu)
r.write(sys.argv[2])' "$ROOT/tests/helpers" "$TMP/cpus.data"
convert -i "$TMP/cpus.data" --to chrome -o "$TMP/cpus.json"
is "chrome: which thread each CPU ran" "$(python3 "$TMP/trace.py" "$TMP/cpus.json" | tr '\n' ' ')" \
	"nested 5 names CPU 0 seven 0.0 2.0 CPU 3 seven 3.0 2.0 "

# ---- speedscope's own program: all that it opens
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
app=$(node_module speedscope) && [ -n "$browser" ] || app=
# shown FILE NAME: the table of functions that the program shows, "TOTAL (SHARE) SELF (SHARE) NAME ..."
shown() {
	{
		printf 'speedscope.loadFileFromBase64("%s","' "$2"
		base64 "$1" | tr -d '\n'
		printf '")'
	} >"$TMP/load.js"
	rm -rf "$TMP/browser"
	timeout 100 "$browser" --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader \
		--disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$TMP/browser" --enable-logging=stderr --v=0 --virtual-time-budget=20000 --dump-dom \
		"file://$app/dist/release/index.html#view=sandwich&localProfilePath=$TMP/load.js" 2>"$TMP/console" |
		sed 's/<[^>]*>/ /g' | tr -s ' \n' ' '
}
if [ -n "$app" ]; then
	convert -i "$TMP/made.data" --to speedscope -o "$TMP/s.json"
	shown "$TMP/s.json" made.speedscope.json >"$TMP/dom"
	if grep -q 'WebGL initialized' "$TMP/console"; then
		like "speedscope opens its own file" "$(cat "$TMP/dom")" 'cycles 70,066 .*50,000 \(71%\) 50,000 \(71%\) leaf 60,000 \(86%\) 20,000 \(29%\) work'
		convert -i "$TMP/made.data" --to pprof -e cycles -o "$TMP/a.pb.gz"
		like "... pprof" "$(shown "$TMP/a.pb.gz" cpu.pb.gz)" '50,000 \(71%\) 50,000 \(71%\) leaf 60,000 \(86%\) 20,000 \(29%\) work'
		like "... trace events" "$(shown "$TMP/trace.json" trace.json)" 'leaf .*second \(pid 20\).*|second \(pid 20\).* leaf'
		is "... whose calls it finds in order" "$(grep -c 'Tried to end\|still open' "$TMP/console")" 0
	else
		skip "speedscope's own program" "the browser here has no WebGL"
	fi
else
	skip "speedscope's own program" "it and a browser are $NONE"
fi

# ---- firefox
cli=$(node_module @firefox-devtools/profiler-cli) && command -v node >/dev/null || cli=
firefox() {
	node "$cli/dist/profiler-cli.js" "$@"
}
# What the profiler's own reader finds: for each thread its name and the sum of its functions' own weights.
firefox_read() {
	PROFILER_CLI_SESSION_DIR=$(mktemp -d "$TMP/session.XXXXXX") || return
	export PROFILER_CLI_SESSION_DIR
	firefox load "$1" >"$TMP/load" 2>&1 # a busy machine's is not ready yet
	t=0
	until firefox profile info >/dev/null 2>&1 || [ $t -ge 60 ]; do
		t=$((t + 1))
	done
	t=0
	while [ $t -lt "$2" ]; do
		firefox thread functions --thread t-$t --limit 0 --json
		t=$((t + 1))
	done | python3 -c 'import json, sys
text, at, d = sys.stdin.read(), 0, json.JSONDecoder()
while text[at:].strip():
	o, n = d.raw_decode(text[at:].lstrip())
	at += len(text[at:]) - len(text[at:].lstrip()) + n
	print(o["friendlyThreadName"], o["weightType"], round(sum(f["selfSamples"] for f in o["functions"]), 3))'
}
if [ -n "$cli" ]; then
	convert -i "$TMP/made.data" --to firefox -o "$TMP/f.json"
	firefox_read "$TMP/f.json" 4 >"$TMP/f" 2>&1
	is "firefox: its own reader finds the threads and their periods" "$(cat "$TMP/f")" "</script><scrip samples 40056
second samples 10010
second [page-faults] samples 10
evil\\xe2\\x80\\xaetxt samples 20000"
	like "... and the stacks" "$(firefox thread samples --thread t-1 2>&1)" 'again'
	is "... events that are no clocks are counters of processes" "$(firefox counter list 2>&1 | sed -n 's/^ *c-[0-9]: //p')" \
		"cycles (perf) [p-0 </script><scrip, pid 10] [500 samples]
cycles (perf) [p-1 second, pid 20] [500 samples]
page-faults (perf) [p-1 second, pid 20] [29 samples]"
	like "... with all that was counted" "$(python3 -c 'import json, sys
print(*(sum(c["samples"]["count"]) for c in json.load(open(sys.argv[1]))["counters"]))' "$TMP/f.json")" '^40056 30010 10$'
	like "... what was lost is a marker" "$(firefox thread markers --thread t-0 2>&1)" 'lost'
	firefox stop --all >/dev/null 2>&1
	made_file switch-file "$TMP/switch.data" 2 in:101 s:101 out:101 in:102 s:102 S:102 in:101 S:101 out:101 out:102 in:101 s:101
	convert -i "$TMP/switch.data" --to firefox -o - >"$TMP/f.json"
	firefox_read "$TMP/f.json" 2 >"$TMP/f" 2>&1
	is "firefox: clocks are milliseconds" "$(cat "$TMP/f")" ":101 tracing-ms 3
:102 tracing-ms 2"
	like "... times between switches are markers" "$(firefox thread markers --thread t-0 2>&1)" \
		'off CPU +2 markers +\(interval: min=2s, avg=3s, max=4s\)'
	firefox stop --all >/dev/null 2>&1
else
	skip "firefox" "npm's @firefox-devtools/profiler-cli is $NONE"
fi
python3 -S -c 'import sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
r = Recording(Attr(sample_type=IP | TID))
r.sample(ip=0x400000, pid=1)
r.write(sys.argv[2])' "$ROOT/tests/helpers" "$TMP/untimed.data"
check_status "firefox: refused where samples have no times" 1 "$PERF" data convert -i "$TMP/untimed.data" --to firefox -o "$TMP/no"
like "... says why, and what to do" "$(cat "$TMP/check.out")" 'no times.*'
check "... and no file is begun" test ! -e "$TMP/no"

# ---- callgrind
if command -v callgrind_annotate >/dev/null; then
	convert -i "$TMP/made.data" --to callgrind -o "$TMP/callgrind.out"
	callgrind_annotate --threshold=100 --tree=both --auto=no "$TMP/callgrind.out" >"$TMP/c" 2>&1
	is "callgrind: callgrind_annotate reads it, each event has its total" "$(grep 'PROGRAM TOTALS' "$TMP/c" | tr -s ' ')" \
		"70,066 (100.0%) 10 (100.0%) PROGRAM TOTALS"
	is "... a function's own cost is the report's" "$(grep '\*.*:\(leaf\|work\) ' "$TMP/c" | tr -s ' ' | sed 's/ *\[.*//' | sort | tr '\n' ' ')" \
		"20,000 (28.54%) 0 * ???:work 50,000 (71.36%) 10 (100.0%) * ???:leaf "
	like "... what its callers have of it" "$(cat "$TMP/c")" '40,000 \(57.09%\) 10 \(100.0%\) +< ...:work \(410x\)'
	like "... a call that recurs is added once" "$(cat "$TMP/c")" '10,000 \(14.27%\) +0 +< ...:again \(200x\)'
	for f in $real; do
		convert -i "$f" --to callgrind -o "$TMP/real.out" || continue
		callgrind_annotate --auto=no "$TMP/real.out" >"$TMP/c" 2>&1
		is "callgrind: periods are the report's: ${f#"$fx"/}" \
			"$(awk '/PROGRAM TOTALS/ { gsub(/,|\([^)]*\)/, ""); for (i = 1; i < NF - 1; i++) n += $i } END { printf "%.0f", n }' "$TMP/c")" \
			"$(report_sums "$f" | cut -d' ' -f2)"
	done
else
	skip "callgrind" "no callgrind_annotate here (Debian's valgrind has it)"
fi
convert -i "$TMP/loop.data" --to callgrind -o "$TMP/loop.out"
is "callgrind: followed and executed, by what was passed without a branch" "$(grep -A1 '^j' "$TMP/loop.out" | grep -v '^--' | tr '\n' ' ')" \
	"jcnd=1/4 0x401000 0 0x401010 0 jcnd=2/3 0x401008 0 0x401020 0 "

# ---- json: a tracepoint's fields, also where a member is called so
python3 -S -c 'import struct, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
form = b"""name: made
ID: 9
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;

	field:int pid;	offset:4;	size:4;	signed:1;
	field:char name[8];	offset:8;	size:8;	signed:0;

print fmt: "%d", REC->pid
"""
r = Recording(Attr(type=TYPE_TRACEPOINT, config=9, sample_type=IP | TID | TIME | RAW))
r.features[TRACING_DATA] = (b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096) + b"header_page\0" + bytes(8) +
                            b"header_event\0" + bytes(12) + struct.pack("<I", 1) + b"made\0" +
                            struct.pack("<IQ", 1, len(form)) + form + bytes(16))
r.sample(ip=0x400000, pid=1, raw=struct.pack("<HHi8s", 9, 0, 7, b"a\"b"))
r.write(sys.argv[2])' "$ROOT/tests/helpers" "$TMP/trace.data"
if "$PERF" check -q feature libtraceevent; then
	is "json: fields of tracepoints" "$("$PERF" data convert -i "$TMP/trace.data" --to json -o - 2>"$TMP/err" | python3 -c 'import json, sys
print(json.load(sys.stdin, object_pairs_hook=list)[-1][1][0][-2:])')" "[('pid', '7'), ('name', 'a\"b')]"
else
	skip "json: fields of tracepoints" "built without libtraceevent"
fi

# ---- folded
"$PERF" data convert -i "$TMP/made.data" --to folded --by event,comm,pid,tid,cpu -o "$TMP/folded"
is "folded --by event: samples of all events" "$(awk '{ n += $NF } END { print n }' "$TMP/folded")" 70076
like "... with the roots that were asked for" "$(cat "$TMP/folded")" \
	'^page-faults;second;pid 20;tid 20;cpu 0;main;work;leaf 10$'
is "folded --by pid: of the first event" "$(convert -i "$TMP/made.data" --to folded --by pid | awk '{ n += $NF } END { print n }')" 70066

done_testing
