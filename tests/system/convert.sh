# SPDX-License-Identifier: GPL-2.0-or-later
# Profiles for optimizers, against the optimizers' own tools: an exact trace of a program's taken
# branches stands in for a CPU that records them.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3
TRACE=$O/tests/helpers/branch-trace
BIN=$O/tests/helpers/hot-paths
[ -x "$TRACE" ] && [ -x "$BIN" ] || skip_all "the helper programs are not built (make tests)"
DATA=$TMP/t.data
"$TRACE" -n 37 -o "$DATA" "$BIN" >"$TMP/trace.out" 2>&1 || # no ptrace, or no decoder built in
	skip_all "programs cannot be traced here: $(tail -1 "$TMP/trace.out")"

tool() { # the first that there is of some names
	for _t in "$@"; do
		command -v "$_t" 2>/dev/null && return
	done
	return 1
}
PERF2BOLT=$(tool perf2bolt /usr/lib/llvm-19/bin/perf2bolt /usr/lib/llvm-16/bin/perf2bolt)
BOLT=$(tool llvm-bolt-19 llvm-bolt llvm-bolt-16)
# llvm-profgen 14 takes the "//-" of a branch without cycles and type for its end.
PROFGEN=$(tool llvm-profgen-19 llvm-profgen)
LLVM_PROF=$(tool create_llvm_prof)
mkdir "$TMP/path"
ln -s "$PERF" "$TMP/path/perf"
with_ours() {
	PATH=$TMP/path:$PATH "$@"
}
convert() {
	"$PERF" data convert -i "$DATA" "$@"
}

# ---- the numbers
check_status "--check: profiles would hold something" 0 convert --check
all=$(convert --check --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["branches"], d["branches with both ends in files"] + d["branches with one end in a file"] +
      d["branches outside of files"] + d["branches to or from the kernel, left out"])')
is "every branch is accounted for" "${all% *}" "${all#* }"
is "branches are those that script prints" "${all% *}" \
	"$("$PERF" script -i "$DATA" -F brstack | grep -o 0x[0-9a-f]*/0x | wc -l)"
convert --to preagg --binary "$BIN" -o "$TMP/preagg"
is "preagg counts each branch once" "$(awk '/^B/ { n += $4 } END { print n }' "$TMP/preagg")" \
	"$(convert --check --json | python3 -c '
import json, sys
o = [o for o in json.load(sys.stdin)["objects"] if o["object"].endswith("/hot-paths")][0]
print(o["from"] + o["to"] - o["within"])')"
convert --to fdata -o "$TMP/dir/"
is "a directory gets a file per object" "$(ls "$TMP/dir" | sed 's/-[0-9a-f]*\.fdata$//' | sort | head -1)" \
	"$(basename "$BIN")"
convert --to fdata --binary hot-paths -o "$TMP/fdata"
same_file "... the same as for one object" "$TMP/dir/$(ls "$TMP/dir" | grep ^hot-paths)" "$TMP/fdata"
for f in preagg autofdo profgen; do
	convert --to $f -o "$TMP/$f.d/"
	convert --to $f --binary "$BIN" -o "$TMP/$f.one"
	same_file "$f: a directory's file is that of the object alone" \
		"$TMP/$f.d/$(ls "$TMP/$f.d" | grep '^hot-paths-[0-9a-f]*\.')" "$TMP/$f.one"
	check "$f: the other objects have files too" test "$(ls "$TMP/$f.d" | wc -l)" -ge 2
	is "$f: names end in the format" "$(ls "$TMP/$f.d" | grep -vc "\.$f$")" 0
done
like "several objects do not fit a file" "$(convert --to fdata -o "$TMP/x" 2>&1)" 'give a directory'
check_status "an object that is not in the recording" 1 convert --to fdata --binary nothing
mkdir "$TMP/v1" "$TMP/v2"
cp "$BIN" "$TMP/v1"
cp "$BIN" "$TMP/v2"
made_file branch-file "$TMP/two.data" <<EOF
map 0x400000 0x10000 $TMP/v1/hot-paths
map 0x500000 0x10000 $TMP/v2/hot-paths
sample 3 0x401034 from=0x401030,to=0x401040
sample 1 0x501034 from=0x501030,to=0x501040
EOF
"$PERF" data convert --to preagg -i "$TMP/two.data" -o "$TMP/two/" 2>/dev/null
is "a program in two places gets two files" "$(ls "$TMP/two" | sed 's/-[0-9a-f]\{12\}//')" "hot-paths-2.preagg
hot-paths.preagg"
is "... each with its branches" "$(cat "$TMP/two"/*-2.preagg "$TMP/two"/*[!2].preagg | awk '/^B/ { print $4 }' | tr '\n' ' ')" "1 3 "

mv "$TMP/v1" "$TMP/v3"
check_status "--check --binary" 0 "$PERF" data convert --check -i "$TMP/two.data" --binary "$TMP/v3/hot-paths"
is "... a file stands in for what was recorded" "$(grep -c 'not here' "$TMP/check.out")" 0
check_status "... without it" 0 "$PERF" data convert --check -i "$TMP/two.data"
like "... that is said" "$(cat "$TMP/check.out")" 'v1/hot-paths .* its file is not here'
check_status "... an object that was not recorded" 1 "$PERF" data convert --check -i "$TMP/two.data" --binary nothing
like "... is told as without --check" "$(cat "$TMP/check.out")" 'the recording has no branches in nothing'

# ---- BOLT
if [ -n "$PERF2BOLT" ]; then
	with_ours "$PERF2BOLT" -p "$DATA" -o "$TMP/by-ours" "$BIN" >"$TMP/log" 2>&1 ||
		fail "perf2bolt runs with our perf" "$(tail -5 "$TMP/log")"
	sort "$TMP/by-ours" >"$TMP/want"
	sort "$TMP/fdata" >"$TMP/got"
	same_file "our fdata is perf2bolt's" "$TMP/got" "$TMP/want"
	"$PERF2BOLT" -pa -p "$TMP/preagg" -o "$TMP/by-preagg" "$BIN" >"$TMP/log" 2>&1
	sort "$TMP/by-preagg" >"$TMP/got"
	same_file "perf2bolt makes the same of our preagg" "$TMP/got" "$TMP/want"
	if [ -n "$PEER" ]; then
		PATH=$(dirname "$PEER"):$PATH "$PERF2BOLT" -p "$DATA" -o "$TMP/by-peer" "$BIN" \
			>"$TMP/log" 2>&1
		same_file "perf2bolt with our perf and with an installed one" "$TMP/by-ours" \
			"$TMP/by-peer"
	else
		skip "perf2bolt with an installed perf" "$NO_PEER"
	fi
	"$TRACE" -i -n 37 -o "$TMP/ip.data" "$BIN" >"$TMP/log" 2>&1
	with_ours "$PERF2BOLT" -nl -p "$TMP/ip.data" -o "$TMP/nl" "$BIN" >"$TMP/log" 2>&1
	"$PERF" data convert --to fdata --binary "$BIN" -i "$TMP/ip.data" -o "$TMP/nl2"
	sort "$TMP/nl" >"$TMP/want"
	sort "$TMP/nl2" >"$TMP/got"
	same_file "without branch stacks our fdata is perf2bolt's too" "$TMP/got" "$TMP/want"
else
	skip "perf2bolt" "perf2bolt is not installed (Debian: bolt-19)"
fi
if [ -n "$BOLT" ]; then
	for p in fdata; do
		check "llvm-bolt takes our $p" "$BOLT" "$BIN" -o "$TMP/bolted" -data "$TMP/$p" \
			-reorder-blocks=ext-tsp -reorder-functions=hfsort
		is "... and the program still works" "$("$TMP/bolted")" "$("$BIN")"
	done
	like "... most functions have a profile" "$("$BOLT" "$BIN" -o "$TMP/bolted" -data "$TMP/fdata" \
		2>&1)" '1[0-9] out of 1[0-9] functions in the binary .* have non-empty execution profile'
	"$BOLT" "$BIN" -data "$TMP/fdata" -w "$TMP/yaml" -o /dev/null >"$TMP/log" 2>&1
	is "llvm-bolt makes its YAML of our fdata, and reads that as well as it" \
		"$("$BOLT" "$BIN" -o "$TMP/bolted" -data "$TMP/yaml" 2>&1 | grep 'non-empty execution profile')" \
		"$("$BOLT" "$BIN" -o "$TMP/bolted" -data "$TMP/fdata" 2>&1 | grep 'non-empty execution profile')"
else
	skip "llvm-bolt" "llvm-bolt is not installed (Debian: bolt-19)"
fi
MERGE=$(tool merge-fdata-19 merge-fdata)
if [ -n "$MERGE" ]; then
	"$MERGE" "$TMP/fdata" "$TMP/fdata" -o "$TMP/merged" >"$TMP/log" 2>&1
	is "merge-fdata adds our fdata up" "$(awk '/^1 / { n += $NF } END { print n }' "$TMP/merged")" \
		"$(awk '/^1 / { n += 2 * $NF } END { print n }' "$TMP/fdata")"
else
	skip "merge-fdata" "merge-fdata is not installed (Debian: bolt-19)"
fi

# ---- AutoFDO
if [ -n "$PROFGEN" ]; then
	with_ours "$PROFGEN" --perfdata="$DATA" --binary="$BIN" --output="$TMP/pg1" >"$TMP/log" 2>&1 ||
		fail "llvm-profgen runs with our perf" "$(tail -3 "$TMP/log")"
	convert --to profgen --binary "$BIN" -o "$TMP/raw"
	if "$PROFGEN" --unsymbolized-profile="$TMP/raw" --binary="$BIN" --output="$TMP/pg2" \
		>"$TMP/log" 2>&1; then
		same_file "llvm-profgen makes the same of our unsymbolized profile" "$TMP/pg2" "$TMP/pg1"
	else
		skip "llvm-profgen of our unsymbolized profile" "this llvm-profgen has no such option"
	fi
	if [ -n "$PEER" ]; then
		PATH=$(dirname "$PEER"):$PATH "$PROFGEN" --perfdata="$DATA" --binary="$BIN" \
			--output="$TMP/pg3" >"$TMP/log" 2>&1
		same_file "llvm-profgen with our perf and with an installed one" "$TMP/pg1" "$TMP/pg3"
	fi
else
	skip "llvm-profgen" "no llvm-profgen newer than 14 is installed (Debian: llvm-19)"
fi
if [ -n "$LLVM_PROF" ]; then
	"$LLVM_PROF" --binary="$BIN" --profile="$DATA" --out="$TMP/c1" --format=text >"$TMP/log" 2>&1
	convert --to autofdo --binary "$BIN" -o "$TMP/text"
	"$LLVM_PROF" --profiler=text --binary="$BIN" --profile="$TMP/text" --out="$TMP/c2" \
		--format=text >"$TMP/log" 2>&1
	same_file "create_llvm_prof makes the same of our text as of the recording" "$TMP/c2" "$TMP/c1"
	check "... which is not empty" test -s "$TMP/c1"
else
	skip "create_llvm_prof" "create_llvm_prof is not installed (Debian: autofdo)"
fi

# ---- stacks
cat >"$TMP/fold.py" <<'P'
import collections, re, sys
# What flame graph tools make of script's text, in a few lines: fold.py TEXT-WITHOUT-CHAINS|- [noplt]
count, comm, stack = collections.Counter(), None, []

def function(text):
    frame = re.match(r'\s*\w+ (.+) \((.*)\)$', text)
    name = re.sub(r'\+0x[0-9a-f]+$', '', frame[1])
    # an installed perf knows fewer PLT entries by name
    if name == '[unknown]' or len(sys.argv) > 2 and name.endswith('@plt'):
        name = '[%s]' % (frame[2].split('/')[-1] if frame[2] != '[unknown]' else 'unknown')
    if '.(' not in name:
        name = re.sub(r'\((?!anonymous namespace\)).*', '', name)
    return name.replace(';', ':').replace('"', '').replace("'", '')

# Code without frame pointers leaves anything on the stack. A value there that looks like a marker which no
# kernel writes makes a chain void: its sample has no frames in the text, and counts where it was taken.
own = None if sys.argv[1] == '-' else open(sys.argv[1]).read().splitlines()
n = 0
for line in sys.stdin.read().split('\n') + ['']:
    if not line:
        if comm:
            if not stack and own:
                stack = [function(own[n])]
            count[';'.join([comm] + stack[::-1])] += weight
            n += 1
        comm, stack = None, []
    elif line[0] not in ' \t':
        head = re.match(r'(\S.*?)\s+\d+\s.*?:\s+(\d+)\s+\S+:', line)
        comm, weight = head[1].replace(' ', '_'), int(head[2])
    else:
        stack.append(function(line))
for s in sorted(count):
    print(s, count[s])
P
if "$PERF" record -q -e cpu-clock -F 5000 -g -o "$TMP/g.data" -- python3 -c '
sum(i * i for i in range(300000))' >"$TMP/log" 2>&1; then
	"$PERF" data convert --to folded -i "$TMP/g.data" -o "$TMP/folded"
	"$PERF" script -G -F ip,sym,dso -i "$TMP/g.data" >"$TMP/own"
	"$PERF" script -i "$TMP/g.data" | python3 "$TMP/fold.py" "$TMP/own" >"$TMP/want"
	same_file "--to folded is what folding script's text gives" "$TMP/folded" "$TMP/want"
	if [ -n "$PEER" ]; then
		"$PEER" script -f --no-inline -i "$TMP/g.data" 2>/dev/null |
			python3 "$TMP/fold.py" - noplt >"$TMP/want"
		"$PERF" script --no-inline -i "$TMP/g.data" |
			python3 "$TMP/fold.py" - noplt >"$TMP/got"
		same_file "script's text folds as an installed perf's does" "$TMP/got" "$TMP/want"
	else
		skip "an installed perf's text, folded" "$NO_PEER"
	fi
	check "... and is not empty" test -s "$TMP/folded"
	"$PERF" data convert --to json -i "$TMP/g.data" -o "$TMP/json"
	is "--to json holds every sample" "$(python3 -c '
import json, sys
print(len(json.load(open(sys.argv[1]))["samples"]))' "$TMP/json")" \
		"$("$PERF" script -i "$TMP/g.data" -F time | wc -l)"
	from=$("$PERF" script -i "$TMP/g.data" -F time | sed -n 5p | tr -d ' :')
	to=$("$PERF" script -i "$TMP/g.data" -F time | sed -n 9p | tr -d ' :')
	"$PERF" data convert --to json -i "$TMP/g.data" --time "$from,$to" -o "$TMP/json"
	is "--time: only samples of that time" "$(python3 -c '
import json, sys
print(len(json.load(open(sys.argv[1]))["samples"]))' "$TMP/json")" \
		"$("$PERF" script -i "$TMP/g.data" --time "$from,$to" -F time | wc -l)"
	is "... folded" "$("$PERF" data convert --to folded -i "$TMP/g.data" --time ",$to" 2>/dev/null |
		awk '{ n += $NF } END { print n }')" \
		"$("$PERF" script -i "$TMP/g.data" --time ",$to" -F period | awk '{ n += $1 } END { print n }')"
	is "... halves make the whole" "$(for t in 0%-50% 50%-100%; do
		"$PERF" data convert --to folded -i "$TMP/g.data" --time $t 2>/dev/null
	done | awk '{ n += $NF } END { print n }')" \
		"$(awk '{ n += $NF } END { print n }' "$TMP/folded")"
	check_status "--time that is none is a usage error" 129 "$PERF" data convert --to json -i "$TMP/g.data" --time x -o "$TMP/no"
	"$PERF" data convert --to json --all -i "$TMP/g.data" -o "$TMP/json"
	is "--all: what tasks did, as report -D counts it" "$(python3 -c '
import collections, json, sys
n = collections.Counter(r["type"] for r in json.load(open(sys.argv[1]))["records"])
print(*(f"{k} {n[k]}" for k in sorted(n)))' "$TMP/json")" \
		"$("$PERF" report --stats -i "$TMP/g.data" 2>/dev/null |
			awk '/^ *(COMM|FORK|EXIT|MMAP|MMAP2) events:/ && !seen[$1]++ && $3 { print $1, $3 }' |
			sort | tr '\n' ' ' | sed 's/ $//')"
	check_status "--all with another format" 129 "$PERF" data convert --to folded --all -i "$TMP/g.data"
	if [ -n "$PEER" ]; then
		"$PEER" data convert --force --to-json "$TMP/peer.json" -i "$TMP/g.data" >/dev/null 2>&1
		"$PERF" data convert --to-json "$TMP/ours.json" -i "$TMP/g.data"
		is "... as an installed perf writes it" "$(python3 -c '
import json, sys
a, b = [json.load(open(f))["samples"] for f in sys.argv[1:]]
strip = lambda s: [(x["timestamp"], x["tid"], x["comm"], [y["ip"] for y in x["callchain"]])
                   for x in s]
a, b = strip(a), strip(b)
print(len(a), len(b), next((x for x in zip(a, b) if x[0] != x[1]), "alike"))' "$TMP/ours.json" "$TMP/peer.json")" \
			"$("$PERF" script -i "$TMP/g.data" -F time | awk 'END { print NR, NR, "alike" }')"
	else
		skip "json of an installed perf" "$NO_PEER"
	fi
else
	skip "folded stacks" "nothing can be recorded here: $(tail -1 "$TMP/log")"
fi

# ---- functions that overlap, each as large as all code
python3 -S - "$ROOT/tests/helpers" "$TMP" <<'EOF'
import struct, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
N, SIZE, BASE, HEAD = 200, 1 << 20, 0x400000, 0x1000
code = b'\x90' * (16 * N + SIZE)
names = b'\0' + b''.join(b'f%d\0' % i for i in range(N))
symbols, at = bytes(24), 1
for i in range(N):
    symbols += struct.pack('<IBBHQQ', at, 0x12, 0, 1, BASE + HEAD + 16 * i, SIZE)
    at += len(b'f%d\0' % i)
strings = b'\0.text\0.symtab\0.strtab\0'
out, sections = bytearray(HEAD), bytes(64)
for name, kind, flags, addr, data, link, info, size in [
        (1, 1, 6, BASE + HEAD, code, 0, 0, 0), (7, 2, 0, 0, symbols, 3, 1, 24),
        (15, 3, 0, 0, names, 0, 0, 0), (15, 3, 0, 0, strings, 0, 0, 0)]:
    sections += struct.pack('<IIQQQQIIQQ', name, kind, flags, addr, len(out), len(data), link, info, 16, size)
    out += data + bytes(-len(data) % 16)
out[:120] = (b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 62, 1, 0, 64, len(out), 0, 64, 56, 1, 64, 5, 4) +
             struct.pack('<IIQQQQQQ', 1, 5, HEAD, BASE + HEAD, BASE + HEAD, len(code), len(code), 0x1000))
open(sys.argv[2] + '/overlap', 'wb').write(out + sections)
r = Recording(Attr(sample_type=IP | TID | BRANCH_STACK, branch_sample_type=BRANCH_ANY, flags='mmap'))
r.mmap(1, BASE + HEAD, (len(code) + 4095) & ~4095, HEAD, sys.argv[2] + '/overlap')
for i in range(1, N):
    r.sample(ip=BASE + HEAD + 16 * i, pid=1, branches=[{'from': BASE + HEAD + 16 * i, 'to': BASE + HEAD + 16 * i - 16}])
r.write(sys.argv[2] + '/overlap.data')
EOF
"$PERF" data convert --to fdata -i "$TMP/overlap.data" -o "$TMP/overlap.fdata" 2>"$TMP/err"
is "functions that overlap: their branches are told" "$(wc -l <"$TMP/overlap.fdata")" 199
like "... some are not decoded" "$(cat "$TMP/err")" 'overlap: its functions overlap'
"$PERF" data convert --to fdata --no-limits -i "$TMP/overlap.data" -o "$TMP/overlap.all" 2>"$TMP/err"
is "... --no-limits" "$(grep -c 'functions overlap' "$TMP/err")" 0

# ---- why a profile would be empty
cp "$BIN" "$TMP/stripped"
strip "$TMP/stripped" 2>/dev/null
like "a file without symbols is named" "$(
	"$TRACE" -n 37 -o "$TMP/s.data" "$TMP/stripped" >/dev/null 2>&1
	"$PERF" data convert --check -i "$TMP/s.data")" '/stripped .*its file is stripped'
rm "$TMP/stripped"
like "a file that is gone too" "$("$PERF" data convert --check -i "$TMP/s.data")" \
	'stripped.*its file is not here'
cp /bin/true "$TMP/stripped"
like "and one that was replaced" "$("$PERF" data convert --check -i "$TMP/s.data")" \
	'stripped.*another build id'

made() { # made WHAT REASON [-f 0] <TEXT: a recording whose profiles would all be empty
	made_file branch-file $3 $4 "$TMP/made.data"
	check_status "$1: --check fails" 1 "$PERF" data convert --check -i "$TMP/made.data"
	like "$1: the reason" "$(cat "$TMP/check.out")" "^every profile is empty because: $2"
	like "$1: the reason as JSON" "$("$PERF" data convert --check --json -i "$TMP/made.data")" \
		"\"every profile is empty because\":\"$2"
	"$PERF" data convert --to fdata -i "$TMP/made.data" -o "$TMP/empty.d/" >"$TMP/out" 2>&1
	is "$1: nothing is converted, and that is an error" "$?" 1
}
made "no samples" 'the recording has no samples' <<EOF
map 0x400000 0x100000 $BIN
EOF
K=0xffffffff81000000
made "empty stacks" 'all branch stacks are empty: nothing passed their filter' <<EOF
map 0x400000 0x100000 $BIN
sample 3 0x401000
EOF
made "kernel samples without branches" 'no sample is in user space and none has a branch stack' -f 0 <<EOF
map 0x400000 0x100000 $BIN
kernel 3 $K
EOF
made "branches of the kernel only" 'all branches touch the kernel' <<EOF
map 0x400000 0x100000 $BIN
sample 3 0x401000 from=$K,to=0x401000 from=0x401010,to=$K
EOF
made "branches of no file" 'no branch lies in a file: JIT code' <<EOF
map 0x400000 0x100000 //anon
sample 3 0x401000 from=0x401000,to=0x401010 from=0x401010,to=0x900000
EOF
made "samples of no file" 'no sample lies in a file: JIT code' -f 0 <<EOF
sample 3 0x401000
EOF

# ---- in pieces, each read by a session with a machine and symbols of its own, and then added up
in_pieces() { # in_pieces SAMPLES DATA OPTION...
	_size=$1 _data=$2
	shift 2
	"$PERF" data convert -i "$_data" "$@" -o "$TMP/whole" 2>"$TMP/err"
	"$PERF" data convert -i "$_data" "$@" -o "$TMP/pieces" --pieces "$_size" 2>"$TMP/err"
	same_file "in pieces of $_size: $*" "$TMP/pieces" "$TMP/whole"
}
for to in fdata preagg profgen; do
	in_pieces 40 "$DATA" --to "$to" --binary "$BIN"
done
in_pieces 40 "$DATA" --to callgrind
# Functions that were inlined are known to the resolver that read of them.
cat >"$TMP/inlined.c" <<'E'
static volatile unsigned long s;
static inline __attribute__((always_inline)) void inner(int i) { for (int k = 0; k < 40; k++) s += i * k; }
static inline __attribute__((always_inline)) void middle(int i) { inner(i); inner(i + 1); s ^= i; }
__attribute__((noinline)) void work(int i) { middle(i); s++; }
int main(void) { for (int i = 0; i < 1000000; i++) work(i); return 0; }
E
if gcc -O1 -g -fno-omit-frame-pointer -o "$TMP/inlined" "$TMP/inlined.c" >"$TMP/log" 2>&1 &&
	"$PERF" record -q -e cpu-clock:u -F 2000 -g -o "$TMP/inlined.data" "$TMP/inlined" >"$TMP/log" 2>&1; then
	in_pieces 9 "$TMP/inlined.data" --to pprof
	like "... and there are such functions" "$("$PERF" data convert -i "$TMP/inlined.data" --to folded)" 'work;middle;inner'
else
	skip "in pieces, with inlined functions" "no gcc, or no events: $(tail -n 1 "$TMP/log")"
fi

# ---- usage
check_status "no format" 129 "$PERF" data convert -i "$DATA"
check_status "an unknown format" 129 "$PERF" data convert -i "$DATA" --to gcov
check_status "no subcommand" 129 "$PERF" data
check_status "no such recording" 1 "$PERF" data convert --to fdata -i "$TMP/none"
check_status "an output that cannot be written" 1 convert --to fdata --binary "$BIN" \
	-o "$TMP/no/where"
like "-v: how many records went where" "$(convert -v --to fdata --binary "$BIN" -o "$TMP/said" 2>&1)" "^[0-9]+ records in $TMP/said\$"
done_testing
