#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --profile-quality: recordings that are enough and that are not, halves that disagree, an object
# that has another build id now.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3 perl nm
KINDS=$O/tests/helpers/branch-kinds
[ -x "$KINDS" ] || skip_all "the helper programs are not built (make tests)"
cd "$TMP" || exit 1
cp "$KINDS" kinds
quality() {
	"$PERF" report --profile-quality "$@" 2>err
}
py() {
	python3 -c "import json
d = json.load(open('json'))
check = {c['check']: c for c in d['checks']}
$1"
}
# make OUT SAMPLES FUNCTION,FUNCTION [FUNCTION,FUNCTION] [BUILD_ID]: so many samples, by turns in these, in the second
# half of the time in the other ones; no branches
make() {
	PYTHONPATH=$ROOT/tests/helpers python3 - "$@" <<'PY'
import os, subprocess, sys
from perfdata import *
out, n, first, second, build_id = sys.argv[1:6]
at = {}
for line in subprocess.run(['nm', 'kinds'], capture_output=True, text=True).stdout.splitlines():
    words = line.split()
    if len(words) == 3:
        at[words[2]] = 0x400000 + int(words[0], 16)
r = Recording(Attr(sample_type=IP | TID | TIME, flags='sample_id_all mmap2'), step=1000000)
r.comm(10, 'kinds')
real = subprocess.run(['readelf', '-n', 'kinds'], capture_output=True, text=True).stdout
real = bytes.fromhex(real.split('Build ID: ')[1].split()[0])
r.mmap2(10, 0x400000, 0x100000, 0, os.path.abspath('kinds'),
        build_id=real if build_id == 'real' else bytes.fromhex(build_id))
n = int(n)
for i in range(n):
    names = (first if i < n // 2 else second).split(',')
    r.sample(ip=at[names[i * 7 // 3 % len(names)]], pid=10)
r.features[ARCH] = r.string('x86_64')
r.write(out)
PY
}
command -v readelf >/dev/null || skip_all "needs readelf"
readelf -n kinds | grep -q 'Build ID' || skip_all "the compiler gives no build ids"

make enough.data 4000 alternates,biased,coin alternates,biased,coin real || skip_all "no recording made"
quality --json -i enough.data >json
is "4000 samples in three functions: enough" "$(py 'print(d["verdict"][0]["enough"], d["verdict"][0]["times_as_much"])')" "enough 1.0"
is "... all in functions that are known" "$(py 'print(check["in functions that are known"]["found"])')" 100.0
is "... of the file that ran" "$(py 'print({f["file"] for f in d["functions"]})')" "{'as run'}"
like "... as text" "$(quality --stdio -i enough.data)" '^# Profile quality: enough$'
is "... samples are those of report" "$(py 'print(sum(f["samples"] for f in d["functions"]))')" 4000

make few.data 60 alternates,biased,coin alternates,biased,coin real
quality --json -i few.data >json
is "60 samples: not enough" "$(py 'print(d["verdict"][0]["enough"])')" more
is "... five times as much, for functions with 20 that need 100" "$(py '
print(d["verdict"][0]["times_as_much"] >= 5, min(f["density"] for f in d["functions"]))')" "True 20.0"
like "... in words" "$(quality --stdio -i few.data)" '^# Profile quality: not enough: record [0-9.]+ times as much$'

# Most of so many threads have nothing to read: halves and slices are those of one.
make two.data 2 alternates,biased alternates,biased real
for f in two few; do
	quality --json -j 1 -i $f.data >one
	is "$f.data by 64 threads" "$(quality --json -j 64 -i $f.data | cmp one - 2>&1; cat err)" ""
done

make apart.data 4000 alternates,biased coin,loop7 real
quality --json -i apart.data >json
is "halves that have nothing in common" "$(py '
print(check["agreement of first and second half"]["found"] < 5,
      check["agreement of every other slice"]["found"] > 90)')" "True True"
is "... need other work and no more of it" "$(py 'print(d["verdict"][0]["enough"])')" longer
is "... by function" "$(py '
print([(f["first_half"] > 40, f["second_half"] < 5) for f in d["functions"] if f["function"] == "biased"])')" "[(True, True)]"

make stale.data 4000 alternates,biased,coin alternates,biased,coin 0123456789abcdef0123456789abcdef01234567
quality --json -i stale.data >json
is "another build id than recorded: not as it is" "$(py 'print(d["verdict"][0]["enough"])')" again
is "... all samples are in it" "$(py 'print(check["in files with another build id than recorded"]["found"])')" 100.0

# ---- branches: bytes run by bytes of code
if "$O/tests/helpers/branch-trace" -d 32 -n 61 -o t.data "$KINDS" 60 >trace.out 2>&1; then
	quality --json -i t.data >json
	is "with branches: counts are those of report -b" "$(py 'print(sum(f["count"] for f in d["functions"]))')" \
		"$("$PERF" report -b -s addr_from --json -i t.data 2>err | python3 -c '
import json, sys; print(sum(r["samples"] for e in json.load(sys.stdin)["events"] for r in e["rows"]))')"
	check "... a loop's code ran more often than it is large" python3 -c '
import json
f = [f for f in json.load(open("json"))["functions"] if f["function"] == "loop7"][0]
exit(not f["density"] > 60)'
	is "... the linker's needs more" "$(py 'print(d["verdict"][0]["enough"], d["verdict"][0]["times_as_much"] > 1)')" "more True"
else
	skip "with branches" "programs cannot be traced here: $(tail -1 trace.out)"
fi
if [ -s t.data ]; then
	quality --json --dsos branch-kinds -i t.data >json
	is "of one object alone" "$(py 'print({f["dso"] for f in d["functions"]})')" "{'branch-kinds'}"
fi
# ---- the page and the terminal: the tables of text
page() {
	python3 -S "$ROOT/tests/helpers/page-data.py" page.html get quality "$@"
}
for f in enough apart stale t; do
	[ -s $f.data ] || { skip "the page: $f" "programs cannot be traced here"; continue; }
	"$PERF" report -q --profile-quality --html page.html -i $f.data 2>err
	quality --json -i $f.data >json
	is "the page has the verdict: $f" "$(page 0 title)" "$(py 'print("Profile quality:", d["verdict"][0]["text"])')"
	page 0 rows >rows
	is "... what is checked, and found" "$(py '
rows = json.load(open("rows"))
same = lambda c, found: found == "-" if c["found"] is None else abs(c["found"] - float(found.rstrip("%"))) < 0.06
print([(r[0], r[3]) for r in rows] == [(c["ok"] or "-", c["check"]) for c in d["checks"]] and all(map(same, d["checks"], [r[1] for r in rows])))')" True
	is "... and the functions, also of several threads: $f" "$(page 1 rows | python3 -c 'import json, sys
print([[r[9], int(r[1]), int(r[2]), r[8]] for r in json.load(sys.stdin)])')$("$PERF" report -q --profile-quality -j 8 --html page8.html -i $f.data; cmp page.html page8.html)" \
		"$(py 'print([[f["function"] or "-", f["count"], f["samples"], f["file"]] for f in d["functions"]])')"
done
# Of several files the page says what text does, whichever comes first and has no branches.
if [ -s t.data ]; then
	for pair in "t.data few.data" "few.data t.data"; do
		"$PERF" report -q --profile-quality --html page.html $pair 2>err
		quality --json $pair >json
		is "page and text of $pair: the verdict" "$(page 0 title)" "$(py 'print("Profile quality:", d["verdict"][0]["text"])')"
		page 0 rows >rows
		is "... checks" "$(py 'print([r[3] for r in json.load(open("rows"))] == [c["check"] for c in d["checks"]])')" True
		page 1 rows >rows
		is "... counts" "$(py 'print([(r[9], int(r[1])) for r in json.load(open("rows"))])')" \
			"$(py 'print([(f["function"] or "-", f["count"]) for f in d["functions"]])')"
	done
else
	skip "page and text of several files" "programs cannot be traced here"
fi
"$PERF" report -q --html page.html -i few.data
is "a page that was not asked has none" "$(page 2>/dev/null)" ""
if "$PERF" check feature -q slang && "$PERF" check feature -q capstone; then
	screen tui-answers <<EOF
size 80x24
run $PERF report --profile-quality -i few.data
wait not enough: record
wait samples, least of functions
golden quality
key Down
wait What to do: see below
key Enter
wait no code
key Tab
wait Functions: 3
wait Density
wait File: as run
key h
wait as run; unproven
key Esc
key Enter
wait Disassembly
key q
wait Functions: 3
key q
exit 0
EOF
else
	skip "in a terminal" "no S-Lang or no capstone in this build"
fi
check_status "two answers at once" 129 "$PERF" report --profile-quality --branches=why -i few.data
if "$PERF" record -q -b -o soft.data -- "$KINDS" 20000 >rec.out 2>&1; then
	like "branches followed in software are a blind spot" "$(quality --stdio -i soft.data)" \
		'blind spot: branches were followed in software'
	if "$PERF" record -q --reg-source=ptrace --user-regs=ax -o regs.data -- "$KINDS" 20000 >rec.out 2>&1; then
		quality --stdio -i regs.data >text
		like "registers that software read are judged" "$(cat text)" '^# Profile quality: '
		unlike "... and are no such blind spot" "$(cat text)" 'followed in software'
	else
		skip "registers that software read are judged" "cannot record by ptrace here: $(tail -1 rec.out)"
	fi
else
	skip "branches followed in software are a blind spot" "cannot record: $(tail -1 rec.out)"
fi
done_testing
