#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several recordings in one answer: the same as of the file that perf data merge makes of them; a column
# for each; what is not alike, or damaged, is said.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
D=$ROOT/tests/data/perf
cd "$TMP" || exit 1
PYTHONPATH=$ROOT/tests/helpers python3 - <<'PY'
from perfdata import *
KIND = IDENTIFIER | IP | TID | TIME | PERIOD | CALLCHAIN
FLAGS = 'comm mmap task sample_id_all exclude_kernel'

def recording(path, seed, n, *, configs=(0,), host='x', flags='', pipe=False, length=1000, kind=KIND, **attr):
    attr.setdefault('sample_period', 1000)
    attrs = [Attr(sample_type=kind, flags=FLAGS + ' ' + flags, config=c, ids=[10 * seed + i], **attr)
             for i, c in enumerate(configs)]
    r = Recording(*attrs, time=seed * 1000000)
    r.features.update({HOSTNAME: r.string(host), OSRELEASE: r.string('6.1'), ARCH: r.string('x86_64')})
    if length:
        r.features[21] = r.pack('QQ', seed * 1000000, seed * 1000000 + length)
    pid = 100 + seed % 2
    r.comm(pid, 'prog%d' % (seed % 2), id=10 * seed)
    for k, name in enumerate(['one', 'two', 'three']):
        r.mmap(pid, 0x100000 * (k + 1), 0x10000, 0, '/bin/' + name, id=10 * seed)
    for i in range(n):
        a = i % len(attrs)
        ip = 0x100000 * (1 + i * seed % 3) + (i * 7 + seed) % 5 * 16
        r.sample(attr=attrs[a], id=10 * seed + a, ip=ip, pid=pid, period=1000 + i % 5 * 100,
                 chain=[CONTEXT_USER, ip, 0x100040 + i % 2 * 16, 0x200080])
    (r.write_pipe if pipe else r.write)(path)

recording('a', 1, 300)
recording('b', 2, 200)
recording('c', 3, 100)
recording('two', 4, 100, configs=(0, 5))
recording('misses', 11, 100, configs=(5,))
recording('stream', 5, 100, pipe=True)
recording('host', 6, 50, host='y', flags='freq use_clockid', clockid=1, sample_period=999)
recording('long', 7, 100, length=2000)
recording('short', 8, 100, length=1000)
recording('untold', 9, 100, length=0)
recording('nochain', 10, 50, kind=KIND & ~CALLCHAIN)

def cgroups(path, seed, paths, *ids, late=()):
    r = Recording(Attr(sample_type=IP | TID | TIME | CGROUP, flags=FLAGS, sample_period=1000), time=seed * 1000000)
    r.comm(100, 'prog')
    for number, name in paths.items():
        r.record(CGROUP_NAME, 0, r.words(number) + r.text(name))
    for number in ids:
        r.sample(ip=0x100000, pid=100, cgroup=number)
    for number in late:
        r.record(CGROUP_NAME, 0, r.words(number) + r.text('/late'))
    r.write(path)

cgroups('g1', 1, {5: '/a', 9: '/late'}, 5, 5, 5, 5, 7, 0)
cgroups('g2', 2, {5: '/b', 6: '/a', 7: '/c'}, 5, 5, 5, 6, 7, 0)
cgroups('g3', 3, {}, 5, 5, 0, late=(5,))
PY

rows() {
	"$PERF" report "$@" 2>err | grep -v '^#'
}
# ---- one table over all
"$PERF" data merge -o abc a b c 2>/dev/null
for o in --stdio '--stdio -g caller' '--stdio --children' '--stdio -s comm,dso,sym' '--stdio -s pid' '--stdio -n' --csv \
	--json '--stdio -H' '--stdio --no-children -g flat' '--stdio --dsos one' '--stdio --derive' '--stdio -j 3'; do
	# shellcheck disable=SC2086 # words
	rows $o abc >want
	# shellcheck disable=SC2086
	rows $o a b c >got
	same_file "report $o: that of what merge makes" got want
	check "... there are rows" test -s got
done
is "the head has all samples" "$("$PERF" report --stdio a b c 2>/dev/null | grep -E '^# (Samples|Event)')" \
	"$("$PERF" report --stdio abc 2>/dev/null | grep -E '^# (Samples|Event)')"
is "nothing is said of recordings that are alike" "$(grep -v 'no function names\|Copies of such' err)" ''
for order in 'a c b' 'b a c' 'c b a'; do
	# shellcheck disable=SC2086
	is "any order: $order" "$(rows --stdio -n -s comm,dso,sym $order | sort)" "$(rows --stdio -n -s comm,dso,sym abc | sort)"
done
is "-i, repeated and mixed" "$(rows --stdio -i a -i b c)" "$(rows --stdio abc)"
mkdir dir
cp a b c dir
echo text >dir/text
is "a directory of recordings" "$(rows --stdio dir)" "$(rows --stdio abc)"
mkdir recorded
cp b recorded/data
is "... and a recording that is a directory" "$(rows --stdio a recorded c)" "$(rows --stdio abc)"
is "stdin among them" "$(rows --stdio a - c <b)" "$(rows --stdio abc)"
"$PERF" data merge -o as a stream 2>/dev/null
is "a stream" "$(rows --stdio -s dso,sym -n a stream)" "$(rows --stdio -s dso,sym -n as)"
"$PERF" data merge -o atwo a two 2>/dev/null
is "events that the first has not" "$(rows --stdio -s dso -n a two)" "$(rows --stdio -s dso -n atwo)"
is "-e of an event that one has" "$(rows --stdio -s dso -n -e branch-misses a two)" "$(rows --stdio -s dso -n -e branch-misses atwo)"
check_status "... that none has" 129 "$PERF" report --stdio -e page-faults a two
is "recordings of elsewhere" "$("$PERF" report --stdio -n -s dso,sym "$D"/group-4.14.data "$D"/group-4.14.data 2>/dev/null | grep -c '100.00%\|ld-2.23')" \
	"$("$PERF" report --stdio -n -s dso,sym "$D"/group-4.14.data 2>/dev/null | grep -c '100.00%\|ld-2.23')"
"$PERF" report --html page a b c 2>err
check "--html" grep -q '<!DOCTYPE html' page

# ---- a column each
is "--by-file" "$(rows --stdio --by-file -s dso --no-children -g none -n a b c | sed 's/  */ /g; s/ $//' | grep -v '^$')" \
" 33.33% 33.54% 0.00% 100 67 0 three
 33.33% 33.46% 100.00% 100 67 100 one
 33.33% 33.00% 0.00% 100 66 0 two"
like "... says whose they are" "$("$PERF" report --stdio --by-file -s dso a b 2>/dev/null | grep '^# Samples')" "a: cycles.*, b: cycles"
"$PERF" report --json --by-file -s dso --no-children -g none a b >json 2>/dev/null
check "... JSON" python3 -c 'import json; json.load(open("json"))'
check "... CSV" sh -c '"$PERF" report --csv --by-file -s dso a b 2>/dev/null | grep -q one'
"$PERF" report --html page --by-file a b 2>/dev/null
check "... a page" grep -q 'DOCTYPE' page
check_status "... of stdin" 129 "$PERF" report --by-file --stdio a -

# ---- cgroups: numbers that each machine gives for itself
for j in 1 3; do
	is "-s cgroup, $j jobs: told apart by their paths" "$(rows --stdio -j $j -s cgroup -n g1 g2 | awk 'NF { print $2, $3 }' | sort)" \
		"1 /c
1 unknown
2 N/A
3 /b
5 /a"
done
is "... of one recording they are as they were" "$(rows --stdio -s cgroup -n g1 | awk 'NF { print $2, $3 }')" \
	"4 /a
1 N/A
1 unknown"
for j in 1 3; do
	is "... told behind their samples, $j jobs" "$(rows --stdio -j $j -s cgroup -n g3 | awk 'NF { print $2, $3 }')" \
		"2 /late
1 N/A"
done
is "... with a column for each" "$(rows --stdio --by-file -s cgroup -n g1 g2 | awk 'NF { print $(NF-2), $(NF-1), $NF }' | sort)" \
	"0 1 /c
0 3 /b
1 0 unknown
1 1 N/A
4 1 /a"

# ---- time
is "--scale-time: half for twice as long" "$(rows --csv --scale-time --by-file -s comm --no-children --show-total-period -g none short long |
	grep ^long | grep prog1 | awk -F, '{ print $NF }' | tr -d '\r')" 60000
is "... samples are as many" "$(rows --stdio --scale-time -n -s comm --no-children -g none short long | awk '/prog/ { print $2, $3 }' | sort | tr '\n' ' ')" \
	"100 prog0 100 prog1 "
check_status "... of which it is not known" 1 "$PERF" report --stdio --scale-time a untold

# ---- what is not alike
rows --stdio a host >/dev/null
like "hosts, clocks and frequencies are said" "$(tr '\n' ' ' <err)" \
	'in host: a has x, host has y.*in clock: a has .*host has number 1.*frequency of cycles:uh: a has one of 1000, host has 999 samples a second'
rows --stdio a nochain >/dev/null
like "an event that was counted otherwise, too" "$(cat err)" 'event cycles:uh \(which is counted apart\): a has '
is "... once" "$(grep -c 'counted apart' err)" 1

# ---- damage
head -c 9000 b >cut
rows --stdio -n -s dso a cut c >got
like "a damaged recording is named" "$(cat err)" 'cut'
check "... what came before counts" test "$(wc -l <got)" -gt 3
check_status "... the status tells" 1 "$PERF" report --stdio a cut c
rows --stdio -s dso,sym -n a nothing c >got
rows --stdio -s dso,sym -n a c >want
same_file "one that is not there: the others are used" got want
rows --stdio -s dso,sym -n nothing a c >got
same_file "... the first, too" got want
like "... it is named" "$(cat err)" 'nothing'
check_status "... the status tells" 1 "$PERF" report --stdio nothing a c
check_status "none that can be read" 1 "$PERF" report --stdio nothing none
mkdir empty
check_status "a directory without any" 1 "$PERF" report --stdio empty
check_status "what is about one recording" 129 "$PERF" report --header a b

# ---- script: in the order in which they are named
for f in a b c; do
	"$PERF" script -F comm,time,ip -i $f 2>/dev/null
done >want
"$PERF" script -F comm,time,ip a b c >got 2>/dev/null
same_file "script: one behind the other" got want
"$PERF" script -F comm,time,ip dir >got 2>/dev/null
same_file "... of a directory" got want
"$PERF" script -F comm,time,ip a recorded c >got 2>/dev/null
same_file "... one of them a directory itself" got want
"$PERF" script -F comm,time,ip a nothing c >got 2>err
is "... without one that is not there" "$(wc -l <got)" "$({ "$PERF" script -F comm,time,ip a; "$PERF" script -F comm,time,ip c; } 2>/dev/null | wc -l)"
like "... it is named" "$(cat err)" 'nothing'
check_status "... the status tells" 255 "$PERF" script a nothing

# ---- convert: sums
for f in folded pprof otlp callgrind; do
	"$PERF" data convert --to $f -o got a b c 2>/dev/null
	"$PERF" data convert --to $f -o want abc 2>/dev/null
	case $f in
	folded) sort got >g2; sort want >w2; same_file "convert --to $f" g2 w2 ;;
	*) check "convert --to $f" test -s got ;;
	esac
done
"$PERF" data convert --to folded -o one -i a -i b c 2>/dev/null
is "... -i repeated" "$(sort one)" "$("$PERF" data convert --to folded -o - abc 2>/dev/null | sort)"
is "... of a directory" "$("$PERF" data convert --to folded -o - dir 2>/dev/null | sort)" "$(sort one)"
is "... one of them a directory itself" "$("$PERF" data convert --to folded -o - a recorded c 2>/dev/null | sort)" "$(sort one)"

# periods by event: names of profiles begin with that
weights() {
	"$PERF" data convert --to speedscope "$@" -o - a misses 2>/dev/null | python3 -c 'import collections, json, sys
sums = collections.Counter()
for p in json.load(sys.stdin)["profiles"]:
    sums[p["name"].split()[0]] += sum(p["weights"])
print(sorted(sums.items()))'
}
is "convert --to speedscope --time-order: samples are of their event" "$(weights --time-order)" "$(weights)"
like "... of either" "$(weights)" 'branch-misses.*cycles'

for f in parquet native pgcopy; do
	check_status "convert --to $f: tables are those of one recording" 1 "$PERF" data convert --to $f -o tables/ a b
done
check "... nothing is written" test ! -e tables

# ---- side by side: what one thread says, of damaged ones and those that are not there, too
head -c 5000 b >cut
echo text >text
# shellcheck disable=SC2086 # words
while read -r o; do
	"$PERF" $o --jobs=1 a cut two nothing b text stream host c untold nochain a b c <a >want 2>want.err
	status=$?
	for j in 2 3 8; do
		"$PERF" $o --jobs=$j a cut two nothing b text stream host c untold nochain a b c <a >got 2>got.err
		is "$o, $j at a time: the status" $? $status
		same_file "... the answer" got want
		same_file "... what is told" got.err want.err
	done
done <<'EOF'
report --stdio
report --stdio --by-file -s comm,dso,sym
report --json -g caller
report --csv -T
annotate --stdio -s one
data convert --to folded --symfs /nonexistent -o -
data convert --to pprof -o -
EOF
"$PERF" report --stdio --jobs=1 a b - c <cut >want 2>want.err
"$PERF" report --stdio --jobs=3 a b - c <cut >got 2>got.err
same_file "one of them a stream" got want
same_file "... what is told" got.err want.err

# diff: the first is one of them, and the first that cannot be read ends it
# shellcheck disable=SC2086 # words
while read -r o; do
	for list in "a b" "a cut two b stream host c untold nochain a b c" "a b text c nothing" "nothing a" "a - b c" "cut a"; do
		"$PERF" diff $o --jobs=1 $list <b >want 2>want.err
		status=$?
		for j in 2 3 8; do
			"$PERF" diff $o --jobs=$j $list <b >got 2>got.err
			is "diff $o $list, $j at a time: the status" $? $status
			same_file "... the answer" got want
			same_file "... what is told" got.err want.err
		done
	done
done <<'EOF'

-g
--json -p -s comm,dso,sym
-s nothing
-c cycles
EOF
like "diff of several said something" "$("$PERF" diff --jobs=3 a b c 2>&1)" 'Delta Abs/2'

check_status "samples one by one are those of one" 1 "$PERF" data convert --to json -o out a b
check_status "buildid-list takes one" 129 "$PERF" buildid-list -i a -i b
done_testing
