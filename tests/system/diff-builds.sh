#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf diff of two builds of a program: a function that became slower, one that was inlined, one that was moved, one that
# was renamed. Recordings are made, with samples at instructions of the real objects; an installed perf compares
# them, too.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3
need_cmd gcc
need_cmd nm
need_cmd objdump
need_cmd addr2line
# Not in TMP: an installed perf takes /tmp/perf-* for maps of compilers at run time.
W=$(mktemp -d "${TMPDIR:-/tmp}/builds.XXXXXX") || exit 1
trap 'rm -rf "$TMP" "$W"' EXIT
cd "$W" || exit 1
mkdir 1 2 3
cat >1/prog.c <<'EOT'
volatile int x;
__attribute__((noinline)) int changed(int n) { int s = 0; while (n--) s += x; return s; }
__attribute__((noinline)) static int helper(int n) { int s = 1; while (n--) s = s * 3 + x; return s; }
__attribute__((noinline)) int work(int n) { x = helper(n); return x + 1; }
__attribute__((noinline)) int moved(int n) { return x * n + 7; }
__attribute__((noinline)) int old_name(int n) { return x / (n + 1); }
int main(int argc, char **argv) { (void)argv; return changed(argc) + work(argc) + moved(argc) + old_name(argc); }
EOT
cat >2/prog.c <<'EOT'
volatile int x;
__attribute__((noinline)) int moved(int n) { return x * n + 7; }
__attribute__((noinline)) int changed(int n) { int s = 0; while (n--) s += x * x / 3 + x; return s; }
__attribute__((always_inline)) static inline int helper(int n) { int s = 1; while (n--) s = s * 3 + x; return s; }
__attribute__((noinline)) int work(int n) { x = helper(n); return x + 1; }
__attribute__((noinline)) int new_name(int n) { return x / (n + 1); }
int main(int argc, char **argv) { (void)argv; return changed(argc) + work(argc) + moved(argc) + new_name(argc); }
EOT
LONG=$(printf 'long%.0s' $(seq 100))
cat >3/prog.c <<EOT
volatile int x;
__attribute__((noinline)) int changed(int n) { int s = 0; while (n--) s += x; return s; }
__attribute__((noinline)) int $LONG(int n) { int s = 1; while (n--) s = s * 3 + x; return s; }
int main(int argc, char **argv) { (void)argv; return changed(argc) + $LONG(argc); }
EOT
for n in 1 2 3; do
	(cd $n && gcc -g -O1 -no-pie -fno-reorder-functions -fno-ipa-cp -Wl,--build-id -o prog prog.c) 2>err ||
		skip_all "no programs can be built here: $(head -1 err)"
done
# Without lines a block's ends are called by the function; a copy has the same ones.
objcopy -g 3/prog && cp 3/prog 3/other || skip_all "no copies of programs can be made here"
PYTHONPATH=$ROOT/tests/helpers LONG=$LONG python3 - <<'PY' || skip_all "the objects are not as they have to be"
import os
import subprocess
from perfdata import *

def out(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()

class Build:
    def __init__(self, n):
        self.path = f'{n}/prog'
        self.sym = {l.split()[-1]: int(l.split()[0], 16) for l in out('nm', self.path) if len(l.split()) == 3}
        self.at, name = {}, None
        for l in out('objdump', '-d', '--no-show-raw-insn', self.path):
            if l.endswith('>:'):
                name = l.split('<')[1][:-2]
            elif l.startswith('  '):
                self.at.setdefault(name, []).append((int(l.split(':')[0], 16), l.split(':', 1)[1].split()))
        note = [l.split()[-1] for l in out('readelf', '-n', self.path) if 'Build ID' in l][0]
        self.id = bytes.fromhex(note)
        self.path = os.path.abspath(self.path)

    def inlined(self, name, into):
        """Instructions of @into that come from @name."""
        return [a for a, _ in self.at[into] if out('addr2line', '-fie', self.path, hex(a))[0] == name]

    def jump_back(self, name):
        return [(a, int(w[1], 16)) for a, w in self.at[name] if w and w[0].startswith('j') and len(w) > 1 and int(w[1], 16) <= a][0]

def recording(path, b, counts, cycles):
    r = Recording(Attr(sample_type=IP | TID | TIME | PERIOD | CALLCHAIN | BRANCH_STACK, branch_sample_type=BRANCH_USER | BRANCH_ANY,
                       flags='comm mmap mmap2 task sample_id_all exclude_kernel'), time=1000)
    r.features.update({HOSTNAME: r.string('x'), OSRELEASE: r.string('6.1'), ARCH: r.string('x86_64'), HAS_BRANCH_STACK: b''})
    r.comm(10, 'prog')
    r.mmap2(10, 0x401000, 0x1000, 0x1000, b.path, build_id=b.id)
    at, to = b.jump_back('changed')
    for (name, places, chain), n in counts:
        for i in range(n):
            ip = places[i % len(places)]
            r.sample(ip=ip, pid=10, period=1000, chain=[CONTEXT_USER, ip, *chain],
                     branches=[{'from': at, 'to': to, 'predicted': 1, 'cycles': cycles + i % 3} for _ in range(4)])
    r.write(path)

a, b = Build(1), Build(2)
def whole(build, name):
    return name, [x for x, _ in build.at[name]], [build.sym['main'] + 8]
inside = b.inlined('helper', 'work')
assert inside
recording('a', a, [(whole(a, 'changed'), 100), (('helper', [x for x, _ in a.at['helper']], [a.sym['work'] + 8, a.sym['main'] + 8]), 300),
                   (whole(a, 'moved'), 300), (whole(a, 'old_name'), 300)], 5)
recording('b', b, [(whole(b, 'changed'), 400), (('helper', inside, [b.sym['main'] + 8]), 300),
                   (whole(b, 'moved'), 150), (whole(b, 'new_name'), 150)], 25)

def blocks(path, c, cycles):
    r = Recording(Attr(sample_type=IP | TID | TIME | BRANCH_STACK, branch_sample_type=BRANCH_USER | BRANCH_ANY,
                       flags='comm mmap mmap2 task sample_id_all exclude_kernel'), time=1000)
    r.features.update({HOSTNAME: r.string('x'), OSRELEASE: r.string('6.1'), ARCH: r.string('x86_64'), HAS_BRANCH_STACK: b''})
    r.comm(10, 'prog')
    r.mmap2(10, 0x401000, 0x1000, 0x1000, c.path)
    r.mmap2(10, 0x801000, 0x1000, 0x1000, os.path.dirname(c.path) + '/other')
    for name, base, n in cycles:
        at, to = c.jump_back(name)
        for _ in range(20):
            r.sample(ip=base + at, pid=10, branches=[{'from': base + at, 'to': base + to, 'predicted': 1, 'cycles': n} for _ in range(4)])
    r.write(path)

c, long = Build(3), os.environ['LONG']
blocks('c', c, [('changed', 0, 10), ('changed', 0x400000, 30), (long, 0, 10)])
blocks('d', c, [('changed', 0, 15), ('changed', 0x400000, 70), (long, 0, 1010)])
PY

shares() {
	sed 's/  */ /g; s/^ //; s/ $//' | grep -v '^$'
}
if [ -n "$PEER" ]; then
	for o in '-s sym' '-s dso,sym' '-c ratio' '-c wdiff:1,2' -b -p '-s sym -F'; do
		# shellcheck disable=SC2086 # words
		"$PEER" diff $o a b 2>/dev/null >want
		# shellcheck disable=SC2086
		"$PERF" diff $o a b 2>/dev/null >got
		[ -s want ] || continue
		same_file "as the installed perf: $o" got want
	done
else
	skip "as the installed perf" "$NO_PEER"
fi
is "rows: slower, moved, renamed, inlined" "$("$PERF" diff -q -s sym a b 2>/dev/null | shares)" \
'10.00% +30.00% [.] changed
+30.00% [.] work
30.00% -15.00% [.] moved
+15.00% [.] new_name
30.00% [.] helper
30.00% [.] old_name' # as upstream: what was inlined is its caller
is "-g: what was inlined is found again, and did not move" "$("$PERF" diff -q -g a b 2>/dev/null | shares)" \
'100.00% +0.00% main
10.00% +30.00% changed
30.00% -30.00% old_name
30.00% -15.00% moved
+15.00% new_name
30.00% +0.00% work
30.00% +0.00% helper'
is "... --significant" "$("$PERF" diff -q -g --significant a b 2>/dev/null | shares | grep -c 'work\|helper')" 0
like "... --noise" "$("$PERF" diff -q -g --noise a b 2>/dev/null | grep changed)" '10.00% *\+30.00% *3.[0-9]*%'
"$PERF" diff -g --json a b >json 2>/dev/null
is "... JSON" "$(python3 -c '
import json
for l in json.load(open("json"))["events"][0]["tree"]:
    if l["function"] in ("changed", "helper"):
        print(l["depth"], l["function"], [round(f["share"], 2) for f in l["files"]], l["files"][1]["significant"])')" \
"2 changed [10.0, 40.0] True
3 helper [30.0, 30.0] False"
"$PERF" diff -g --csv a b 2>/dev/null >csv
is "... CSV" "$(grep helper csv | cut -d, -f2-5)" "main;work;helper,30.000000,30.000000,0.000000"
is "-g10: less is left out" "$("$PERF" diff -q -g41 a b 2>/dev/null | shares)" '100.00% +0.00% main'
is "rows as CSV" "$("$PERF" diff --csv -s sym a b 2>/dev/null | grep changed | cut -d, -f2-)" \
	"$(echo '[.] changed,100,100000,10.000000,400,400000,40.000000,30.000000,3.633180' | tr -d ' ' | sed 's/\[\.\]/[.] /')"

# ---- blocks
like "-c cycles: the loop of the function that changed, which stands on another line" "$("$PERF" diff -c cycles a b 2>/dev/null | tail -1)" \
	'^ *100.00% +\[prog.c:2 -> prog.c:2\] +20 +prog +\[\.\] changed$'
is "... blocks of two objects that are called the same" "$("$PERF" diff -q -c cycles c d 2>/dev/null | awk '/changed/ { print $(NF - 3), $(NF - 2) }')" \
"40 other
5 prog"
is "... a number behind the longest names" "$("$PERF" diff -q -c cycles c d 2>/dev/null | awk '/long/ { print $(NF - 3), $(NF - 2), (length > 1200) }')" \
"1000 prog 1"
# An installed perf 6.1 ends with a segmentation fault before it prints blocks, of any recording; but it prints branch stacks, and a block
# lies between the target of a branch and the source of the one after it.
if [ -n "$PEER" ]; then
	for f in a b; do
		"$PEER" script -i $f -F brstack 2>/dev/null | python3 -c '
import sys
n = cycles = 0
for line in sys.stdin:
    stack = [b.split("/") for b in line.split()]
    n += len(stack[1:])
    cycles += sum(int(b[5]) for b in stack[:-1])
print(n, cycles)'
	done >want
	is "... counts and cycles are those of an installed perf's branch stacks" "$("$PERF" diff -c cycles --json a b 2>/dev/null | python3 -c '
import json, sys
for f in json.load(sys.stdin)["events"][0]["blocks"][0]["files"]:
    print(f["count"], f["cycles"])')" "$(cat want)"
else
	skip "... counts and cycles are those of an installed perf's branch stacks" "$NO_PEER"
fi
"$PERF" diff -c cycles a a >got 2>/dev/null
like "... of a file with itself: none" "$(tail -1 got)" '\[prog.c:2 -> prog.c:2\] +0 +prog +\[\.\] changed'
check "... JSON" sh -c '"$PERF" diff -c cycles --json a b 2>/dev/null | python3 -m json.tool'
check "... CSV" sh -c '"$PERF" diff -c cycles --csv a b 2>/dev/null | grep -q changed'

schema() {
	python3 "$ROOT/tests/helpers/json-schema.py" "$ROOT/contrib/schema/perf-diff.schema.json" closed
}
"$PERF" diff -c cycles --json a b >json 2>/dev/null
is "... as its schema says" "$(schema <json)" ok
is "... the call tree's, too" "$("$PERF" diff -g --json a b 2>/dev/null | schema)" ok
if ajv=$(node_module ajv); then
	"$PERF" diff -g --json a b 2>/dev/null >tree.json
	is "the schema is one for ajv, too, and all three are as it says" "$(node -e '
		const Ajv = require(process.argv[1]), fs = require("fs"), read = (f) => JSON.parse(fs.readFileSync(f));
		const check = new Ajv().compile(read(process.argv[2]));
		console.log(process.argv.slice(3).map((f) => check(read(f)) || JSON.stringify(check.errors)).join(" "))' \
		"$ajv" "$ROOT/contrib/schema/perf-diff.schema.json" json tree.json)" "true true"
else
	skip "the schema is one for ajv, too" "no ajv here (make deps DEPS_BROWSER=1)"
fi

# ---- the page and the browser have what the text has
page() {
	python3 "$ROOT/tests/helpers/page-data.py" page "$@"
}
"$PERF" diff -q --html page -c cycles a b a
is "--html: blocks and rows of three files" "$(page) $(page get diff | python3 -c 'import json, sys
for t in json.load(sys.stdin)["events"]:
    print(len(t["files"]), *[(b["symbol"], [round(f["mean"], 1) for f in b["files"]]) for b in t.get("blocks", [])], len(t.get("rows", [])))')" \
"ok 3 6
3 ('changed', [6.0, 26.0, 6.0]) 0"
"$PERF" diff -q -g -S changed --html page a b
is "... a call tree, of samples that were chosen" "$(page get diff | python3 -c 'import json, sys
print(*[l["function"] for t in json.load(sys.stdin)["events"] for l in t.get("tree", [])])')" "main changed"
if "$PERF" diff --tui a b 2>&1 </dev/null | grep -q 'built without S-Lang'; then
	skip "--tui" "this perf is built without S-Lang"
else
	screen <<-EOS
		size 100x12
		run $PERF diff --tui -c cycles a b
		wait cycles of blocks: a and b
		match 100.00% +\\[prog.c:2 -> prog.c:2\\] +20 +prog
		key Tab
		wait , rows: a and b
		match 10.00% +\\+30.00%  prog +\\[.\\] changed
		leave
		ok --tui: blocks, and rows
	EOS
	screen <<-EOS
		size 100x12
		run $PERF diff --tui -g a b
		wait call tree: a and b
		match - +100.00% +\\+0.00%  main
		match - +\\+0.00%|- .*work
		match helper
		key Down Down Down Down Down Enter
		unmatch helper
		leave
		ok --tui: a call tree that folds
	EOS
fi
done_testing
