#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf data merge: samples of the output are those of the inputs, told apart as they were, in the
# order of time. Recordings of every kind with themselves; made ones, where numbers collide.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
D=$ROOT/tests/data/perf
merge() {
	"$PERF" data merge -o "$TMP/out" "$@" 2>"$TMP/err"
}
# A stream does not store names, so modifiers that attrs imply are shown there, and not in files.
script() {
	"$PERF" script --no-inline -i "$1" 2>/dev/null | sed 's/:[A-Za-z]*\(:\| *$\)/\1/'
}
fields() {
	"$PERF" script -F "$1" -i "$TMP/out" 2>/dev/null | sed 's/  */ /g; s/^ //; s/ $//'
}

# ---- recordings with themselves: ids collide, everything comes twice
for f in "$D"/*.data; do
	name=$(basename "$f")
	if ! merge "$f" "$f" && ! grep -q 'what came before is merged' "$TMP/err"; then
		like "$name: refused with a reason" "$(cat "$TMP/err")" \
			'other byte order|AUX area trace|perf stat'
		check "... leaves no output" test ! -e "$TMP/out"
		continue
	fi
	script "$f" | grep -v '^$' >"$TMP/one"
	cat "$TMP/one" "$TMP/one" | sort >"$TMP/want"
	script "$TMP/out" | grep -v '^$' | sort >"$TMP/got"
	same_file "$name: every sample twice" "$TMP/got" "$TMP/want"
	is "... its events" "$("$PERF" evlist -i "$TMP/out" 2>/dev/null | wc -l)" \
		"$("$PERF" evlist -i "$f" 2>/dev/null | wc -l)"
	rm -f "$TMP/out"
done

# ---- made ones
cd "$TMP" || exit 1
PYTHONPATH=$ROOT/tests/helpers python3 - <<'PY'
from perfdata import *

FLAGS = 'comm mmap mmap2 sample_id_all exclude_kernel'

def host(r, name, release='6.1', arch='x86_64'):
    r.features.update({HOSTNAME: r.string(name), OSRELEASE: r.string(release), ARCH: r.string(arch)})

def process(r, pid, comm, path, **values):
    r.comm(pid, comm, **values)
    r.mmap(pid, 0x400000, 0x1000, 0, path, **values)

def simple(path, name, comm, obj, *, start, step=10, n=3, release='6.1', arch='x86_64', flags=FLAGS, features=None,
           big=False, pid=100, more=None, kind=IP | TID | TIME, **attr):
    r = Recording(Attr(sample_type=kind, flags=flags, **attr), time=start, step=step, big=big)
    host(r, name, release, arch)
    r.features.update(features(r) if features else {})
    process(r, pid, comm, obj, time=0)
    if more:
        more(r)
    for i in range(n):
        r.sample(ip=0x400010 + i, pid=pid)
    r.write(path)
    return r

# pids of two hosts; of one host, used again; of two boots
simple('x', 'x', 'of-x', '/bin/x', start=1000)
simple('y', 'y', 'of-y', '/bin/y', start=1005)
simple('x2', 'x', 'later', '/bin/later', start=2000)

# cgroups of two hosts: one number, two paths
def cgroups(path, name, cgroup, start):
    r = Recording(Attr(sample_type=IP | TID | TIME | CGROUP | CODE_PAGE_SIZE, flags=FLAGS), time=start, step=10)
    host(r, name)
    r.record(CGROUP_NAME, 0, r.words(5) + r.text(cgroup), time=0)
    for number in (5, 0, 5):
        r.sample(ip=0x400010, pid=100, cgroup=number, code_page_size=4096)
    r.write(path)

cgroups('gx', 'x', '/of-x', 1000)
cgroups('gy', 'y', '/of-y', 1005)

# ids and layouts: two events with ids 1 and 2, one without an id in samples, one without sample_id_all
two = dict(flags=FLAGS, sample_type=IP | TID | TIME | ID)
r = Recording(Attr(config=0, ids=(1,), **two), Attr(config=1, ids=(2,), **two), time=1000, step=10)
host(r, 'x')
process(r, 100, 'two', '/bin/two', time=0)
for i in range(4):
    r.sample(attr=r.attrs[i % 2], id=1 + i % 2, ip=0x400010, pid=100)
r.write('ids')
simple('branch-misses', 'x', 'none', '/bin/none', start=1005, config=5, ids=(1,), kind=IP | TID | TIME | PERIOD)
simple('old', 'x', 'none', '/bin/none', start=1006, config=4, flags='comm mmap exclude_kernel')
# the same event at another frequency: one where samples have periods
simple('f1', 'x', 'f', '/bin/f', start=1000, kind=IP | TID | TIME | PERIOD, sample_period=99)
simple('f2', 'x', 'f', '/bin/f', start=1500, kind=IP | TID | TIME | PERIOD, sample_period=999)
simple('p1', 'x', 'f', '/bin/f', start=1000, sample_period=99)
simple('p2', 'x', 'f', '/bin/f', start=1500, sample_period=999)

# kernels
def kernel(at):
    def more(r):
        r.mmap(-1, at, 0x1000, at, '[kernel.kallsyms]_text', misc=KERNEL, time=0)
        r.sample(misc=KERNEL, ip=at + 8, pid=100)
    return more
simple('k1', 'x', 'k', '/bin/k', start=1000, flags='comm mmap sample_id_all', more=kernel(0xffffffff81000000))
simple('k2', 'x', 'k', '/bin/k', start=1500, flags='comm mmap sample_id_all', more=kernel(0xffffffff92000000))
simple('u1', 'x', 'u', '/bin/u', start=1000, release='5.10')  # of user space alone, with another kernel
simple('k3', 'x', 'k', '/bin/k', start=1500, release='6.9', flags='comm mmap sample_id_all', more=kernel(0xffffffff92000000))
bpf = lambda r: {25: r.pack('I', 0)}
simple('p-none', 'x', 'p', '/bin/p', start=1000)
simple('p-bpf', 'x', 'p', '/bin/p', start=1500, features=bpf)
simple('arm', 'x', 'k', '/bin/k', start=1500, arch='aarch64')

# builds: one path, two build ids
def build(byte):
    def features(r):
        name = r.text('/bin/b')
        body = r.pack('i20s4x', -1, bytes([byte]) * 20) + name
        return {BUILD_ID: r.pack('IHH', 0, USER, 8 + len(body)) + body}
    return features
simple('b1', 'x', 'b', '/bin/b', start=1000, features=build(0x11))
simple('b2', 'x', 'b', '/bin/b', start=2000, features=build(0x22), pid=200)

# clocks: each says what its own and the wall clock were
def clock(wall, own):
    return lambda r: {29: r.pack('IIQQ', 1, 1, wall, own)}
use = dict(flags=FLAGS + ' use_clockid', clockid=1)
simple('c1', 'x', 'c1', '/bin/c', start=5000000000, features=clock(1000000000000, 4000000000), **use)
simple('c2', 'y', 'c2', '/bin/c', start=9000000000, features=clock(1000000000000, 9000000000), **use)

# what there is no merging of, and damage
simple('big', 'x', 'x', '/bin/x', start=1000, big=True)
simple('cut', 'x', 'cut', '/bin/cut', start=3000, more=lambda r: (r.sample(ip=0x400010, pid=100), r.put(SAMPLE, 0, b'', 4)))
simple('stat', 'x', 'x', '/bin/x', start=1000, more=lambda r: r.put(76, 0, b'\0' * 32))

# a record as long as it can be: an id has no place in it
r = Recording(Attr(sample_type=IP | TID | TIME | RAW, config=3, flags=FLAGS), time=1000)
host(r, 'x')
process(r, 100, 'long', '/bin/long', time=0)
r.sample(ip=0x400010, pid=100, raw=b'x' * 4)
r.sample(ip=0x400010, pid=100, raw=b'x' * (65528 - 8 - 24 - 4))
r.write('long')
PY

merge x y
is "two hosts: processes of one number stay two" "$(fields comm,pid,time,ip,dso)" \
'of-x 100 0.000001: 400010 (/bin/x)
of-y 4194304 0.000001: 400010 (/bin/y)
of-x 100 0.000001: 400011 (/bin/x)
of-y 4194304 0.000001: 400011 (/bin/y)
of-x 100 0.000001: 400012 (/bin/x)
of-y 4194304 0.000001: 400012 (/bin/y)'
like "... that their clocks are two is said" "$(cat err)" 'different clocks'
merge --pids same x y
is "--pids same: they are one" "$(fields pid | sort -u)" 100
merge --pids apart x x2
is "--pids apart: of one host, too" "$(fields comm,pid | sort -u)" "later 4194304
of-x 100"
merge x x2
is "one host: numbers stay, and what came without a time comes when its file began" \
	"$(fields comm,pid,ip,dso)" 'of-x 100 400010 (/bin/x)
of-x 100 400011 (/bin/x)
of-x 100 400012 (/bin/x)
later 100 400010 (/bin/later)
later 100 400011 (/bin/later)
later 100 400012 (/bin/later)'
merge x2 x
is "... in whatever order they are named" "$(fields comm | tr '\n' ' ')" 'of-x of-x of-x later later later '
is "nothing is said of files that go together" "$(cat err)" ''

merge gx gy
is "two hosts: cgroups of one number stay two" "$(fields pid,cgroup | sort -u | tr '\n' ' ')" "100 /of-x 100 unknown 4194304 /of-y 4194304 unknown "
is "... the words behind them are as they were" "$(fields code_page_size | sort -u)" "$("$PERF" script -F code_page_size -i gx 2>/dev/null | sed 's/  */ /g; s/^ //; s/ $//' | sort -u)"
merge gx gx
is "... of one host they keep their number" "$(fields cgroup | sort -u | tr '\n' ' ')" "/of-x unknown "

merge ids branch-misses old
is "ids that collide, samples and files without any" "$(fields time,event | awk '{ print $2 }' | sort | uniq -c | tr -s ' ')" \
	' 3 branch-misses:uh:
 3 branches:uh:
 2 cycles:uh:
 2 instructions:uh:'
if [ -n "$PEER" ]; then
	is "... an installed perf tells them apart, too" \
		"$("$PEER" script -F comm,event -i out 2>/dev/null | awk '{ sub(/:$/, "", $2); print $1, $2 }' | sort)" \
		"$(fields comm,event | awk '{ sub(/:$/, "", $2); print $1, $2 }' | sort)"
else
	skip "... an installed perf tells them apart, too" "$NO_PEER"
fi
merge f1 f2
is "another frequency, samples with their periods: one event" "$("$PERF" evlist -i out | wc -l)" 1
merge p1 p2
is "... without: two, each with its own" "$("$PERF" script -F period -i out | sort | uniq -c | tr -s ' \n' ' ')" \
	' 3 99 3 999 '

check_status "two kernels are refused" 1 "$PERF" data merge -o out k1 k2
like "... with both names and what to do" "$(cat check.out)" 'k1 and k2 ran on different kernels'
like "... " "$(cat check.out)" 'merge --no-kernel leaves out'
merge --no-kernel k1 k2
is "--no-kernel: the first one's stays" "$(fields ip,dso | sort | uniq -c | tr -s ' ')" \
	"$(printf ' 2 %s\n' '400010 (/bin/k)' '400011 (/bin/k)' '400012 (/bin/k)'
	printf ' 1 %s\n' 'ffffffff81000008 ([kernel.kallsyms])')"
like "... what was left out is said" "$(cat err)" '^1 samples of other kernels|1 samples of other kernels'
merge -v u1 k3
is "the kernel that was sampled gives the release" "$("$PERF" report --header-only -i out 2>/dev/null | sed -n 's/^# os release : //p')" 6.9
like "... and it is said whose it is" "$(cat err)" "kernel.*: the first one's is kept, but of kernels that of the first that sampled it"
for order in 'p-none p-bpf' 'p-bpf p-none'; do
	# shellcheck disable=SC2086
	merge $order
	like "BPF programs that one of two recordings has, $order" "$("$PERF" report --header-only -i out 2>/dev/null)" '^# bpf_prog_info empty'
done
check_status "two architectures are refused" 1 "$PERF" data merge -o out --no-kernel x arm

merge b1 b2
is "one path, two builds: each keeps its id" "$("$PERF" buildid-list --with-hits -i out | sort)" \
	"$(printf '%s /bin/b\n' 1111111111111111111111111111111111111111 2222222222222222222222222222222222222222)"
merge c1 c2
is "clocks that can be compared become the wall clock" \
	"$(fields comm,time | awk '{ print $1, int($2) }' | uniq)" 'c2 1000
c1 1001'
is "... which is what the file says" "$("$PERF" evlist -v -i out | grep -c 'clockid: 0\|use_clockid: 1')" 1

check_status "the other byte order is refused" 1 "$PERF" data merge -o out x big
check_status "counts of perf stat are refused" 1 "$PERF" data merge -o out x stat
merge x cut
is "a damaged file: the status" "$?" 1
is "a damaged file is merged up to there" "$(fields comm | uniq -c | tr -s ' ')" ' 3 of-x
 1 cut'
like "... and said" "$(cat err)" 'cut.*what came before is merged'
merge long ids
is "a sample that has no room for an id is left out" "$(fields comm | grep -c long)" 1
like "... and said" "$(cat err)" '1 records were left out'

# ---- outputs and inputs
"$PERF" data merge new x y 2>/dev/null
check "OUT can come first" cmp new "$("$PERF" data merge -o named x y 2>/dev/null; echo named)"
cp x kept
check_status "OUT that is there is not overwritten by mistake" 129 "$PERF" data merge kept x y
check "... but stays" cmp kept x
check "-o overwrites" "$PERF" data merge -o kept kept x2
is "... an input, too" "$("$PERF" script -F comm -i kept | wc -l)" 6
"$PERF" data merge -o - x x2 >stream
is "a stream" "$("$PERF" script -F comm -i - <stream | wc -l)" 6
is "... as input" "$("$PERF" data merge -o all x - <stream && "$PERF" script -F comm -i all | wc -l)" 9
"$PERF" data merge -z -o packed x x2
is "-z" "$("$PERF" script -F comm -i packed | wc -l)" 6
# ---- memory: as much for a file that is thirty times as large
# shellcheck disable=SC2046 # words
"$PERF" data merge -o m1 $(yes x | head -60) 2>/dev/null
# shellcheck disable=SC2046
"$PERF" data merge -o m2 $(yes m1 | head -60) 2>/dev/null
# shellcheck disable=SC2046
"$PERF" data merge -o m3 $(yes m2 | head -30) 2>/dev/null
peak() {
	python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$PERF" data merge -f -o big "$@"
}
small=$(peak m2 m2) large=$(peak m3 m3)
check "the large one is some MB" test "$(wc -c <m3)" -gt 10000000
check "memory does not grow with the file: $small MB, $large MB" test "$large" -le $((small + 24))
is "... every sample is there" "$("$PERF" report --stats -i big 2>/dev/null | awk '/SAMPLE events/ { print $3; exit }')" $((60 * 60 * 30 * 3 * 2))

check_status "no input" 129 "$PERF" data merge out2
check_status "an option of convert" 129 "$PERF" data merge --to fdata -o out2 x y
check_status "--pids of another kind" 129 "$PERF" data merge --pids both -o out2 x y
check_status "-z of another kind" 129 "$PERF" data merge -z99 -o out2 x y
check_status "no such file" 1 "$PERF" data merge -o out2 x nothing
echo text >text
check_status "no recording" 1 "$PERF" data merge -o out2 x text
check "... leaves no output" test ! -e out2
is "no temporary files are left" "$(ls | grep -c 'out2\.')" 0
done_testing
