#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf diff: recordings side by side, as upstream prints them: what is wanted was recorded of perf 6.1,
# and an installed perf is asked again.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
D=$ROOT/tests/data/perf
cd "$D" || exit 1
d() {
	"$PERF" diff "$@" 2>/dev/null
}

is "rows that one has, the other, both" "$(d remmap-3.2.data singleprocess-3.8.data)" \
"# Event 'cycles'
#
# Baseline  Delta Abs  Shared Object      Symbol                
# ........  .........  .................  ......................
#
     0.75%    +99.25%  [kernel.kallsyms]  [k] 0xffffffff8103b51a
    98.05%             libfoo.so          [.] 0x000000000000067b
     1.21%             ld-2.15.so         [.] 0x0000000000009aae"
is "-p -c wdiff" "$(d -p -c wdiff:2,3 remmap-3.2.data singleprocess-3.8.data | tail -3)" \
"     0.75%         4028872        -5025524         1010740  [kernel.kallsyms]  [k] 0xffffffff8103b51a
    98.05%       527991552                                  libfoo.so          [.] 0x000000000000067b
     1.21%         6491396                                  ld-2.15.so         [.] 0x0000000000009aae"
is "three files" "$(d group-4.14.data group-4.14.data group-4.14.data | head -12)" \
"# Event 'cache-references'
#
# Data files:
#  [0] group-4.14.data (Baseline)
#  [1] group-4.14.data 
#  [2] group-4.14.data 
#
# Baseline/0  Delta Abs/1  Delta Abs/2  Shared Object      Symbol                
# ..........  ...........  ...........  .................  ......................
#
      68.35%       +0.00%       +0.00%  ld-2.23.so         [.] 0x000000000001a5f7
      31.65%       +0.00%       +0.00%  [kernel.kallsyms]  [k] 0xffffffffb423f8c4"

# ---- against an installed perf
peer() {
	"$PEER" diff "$@" >"$TMP/want" 2>/dev/null
	"$PERF" diff "$@" >"$TMP/got" 2>/dev/null
	same_file "as the installed perf: $*" "$TMP/got" "$TMP/want"
}
if [ -n "$PEER" ]; then
	for f in group-4.14 branch-4.14 hybrid lost-samples-4.4; do
		peer $f.data $f.data
	done
	peer group-4.14.data branch-4.14.data
	peer singleprocess-3.8.data remmap-3.2.data
	peer -p -F remmap-3.2.data singleprocess-3.8.data remmap-3.2.data
	for o in -p -F '-c ratio' '-c delta' '-p -F' -b -q '-t ,' '-s dso' '-s comm,dso' '-s sym' '-s comm' \
		'-o 0' '-S strcmp' '--pid 1' '-d libfoo.so' '-C single'; do
		# shellcheck disable=SC2086 # words
		peer $o remmap-3.2.data singleprocess-3.8.data
		# shellcheck disable=SC2086
		peer $o i386-iregs.data i386-iregs.data
	done
else
	skip "as the installed perf" "$NO_PEER"
fi

# ---- chance: two recordings whose shares are known
cd "$TMP" || exit 1
PYTHONPATH=$ROOT/tests/helpers python3 - <<'PY'
from perfdata import *

def recording(path, counts, event=0, big=False):
    r = Recording(Attr(sample_type=IP | TID | TIME, flags='comm mmap sample_id_all exclude_kernel', config=event,
                       sample_period=1000), time=1, big=big)
    r.comm(1, 'prog')
    for i, (name, n) in enumerate(counts):
        r.mmap(1, 0x100000 * (i + 1), 0x1000, 0, '/bin/' + name)
    for i, (name, n) in enumerate(counts):
        for k in range(n):
            r.sample(ip=0x100000 * (i + 1) + k % 7, pid=1)
    r.write(path)

recording('a', [('half', 500), ('some', 400), ('small', 100), ('gone', 0)])
recording('b', [('half', 510), ('some', 300), ('small', 105), ('new', 85)])
recording('c', [('half', 500), ('some', 400), ('gone', 100)])
recording('other', [('half', 10)], event=5)
recording('none', [])
recording('big', [('half', 510), ('some', 300), ('small', 105), ('new', 85)], big=True)
PY
is "--noise: twice the deviation of both shares" "$("$PERF" diff -q --noise -s dso a b 2>/dev/null | tr -s ' ' | sed 's/ $//')" \
" 40.00% -10.00% 4.24% some
 +8.50% 1.76% new
 50.00% +1.00% 4.47% half
 10.00% +0.50% 2.71% small"
is "--significant: what is more" "$("$PERF" diff -q --significant -s dso a b 2>/dev/null | tr -s ' ' | sed 's/ $//')" \
" 40.00% -10.00% some
 +8.50% new"
"$PERF" diff --json -s dso a b >json 2>/dev/null
is "--json" "$(python3 - <<'PY'
import json
d = json.load(open('json'))
e = d['events'][0]
print(e['event'], [(f['name'], f['samples'], f['period']) for f in e['files']])
for r in e['rows']:
    a, b = r['files']
    print(r['dso'], a['samples'], b['samples'], b['delta'], b['significant'])
PY
)" "cycles:uh [('a', 1000, 1000000), ('b', 1000, 1000000)]
some 400 300 -10.0 True
new 0 85 8.5 True
half 500 510 1.0 False
small 100 105 0.5 False"
deltas() {
	python3 -c 'import json, sys
for r in json.load(sys.stdin)["events"][0]["rows"]:
    print(r["dso"], r["files"][1]["delta"])'
}
is "-b: differences are those of the text" "$("$PERF" diff -b --json -s dso c b 2>/dev/null | deltas)" \
"$("$PERF" diff -q -b -s dso c b 2>/dev/null | sed 's/%//g' | awk '{ print $3, $2 + 0 ".0" }')"
is "... in CSV" "$("$PERF" diff -q -b --csv -s dso c b 2>/dev/null | awk -F, 'NR > 1 { print $2, $9 + 0 }')" \
"some -10
half 1"
schema() {
	python3 "$ROOT/tests/helpers/json-schema.py" "$ROOT/contrib/schema/perf-diff.schema.json" closed
}
is "... is as its schema says" "$(schema <json)" ok
is "... of three files and two events" "$("$PERF" diff --json "$D/group-4.14.data" a "$D/group-4.14.data" 2>/dev/null | schema)" ok
is "... of nothing" "$("$PERF" diff --json none none 2>/dev/null | schema)" ok
is "... a call tree" "$("$PERF" diff -g --json a b a 2>/dev/null | schema)" ok
is "... a member without its type is seen" "$(sed 's/"share":40.000000/"share":"40"/' json | schema 2>&1 | grep -c share)" 1
is "... and one that is in no schema" "$(sed 's/"share":40/"part":1,&/' json | schema 2>&1 | grep -c part)" 1

# ---- the page: what --json prints, for any number of files, beside samples of two
page() {
	python3 "$ROOT/tests/helpers/page-data.py" page "$@"
}
check "--html" "$PERF" diff -q --html page -s dso a b
is "... a page that is one" "$(page)" ok
is "... its rows are those of --json" "$(page get diff events)" "$(python3 -c 'import json; print(json.dumps(json.load(open("json"))["events"], sort_keys=True))')"
"$PERF" diff -q -g --html page -s dso b a b
is "... three files, rows and call trees" "$(page) $(page get diff | python3 -c 'import json, sys
print([(len(t["files"]), "tree" if "tree" in t else "rows") for t in json.load(sys.stdin)["events"]])')" "ok [(3, 'rows'), (3, 'tree')]"
is "... samples of the first two" "$(page get before file) $(page get recording file)" "b a"
"$PERF" diff -q -o 2 --html page -s dso a a b
is "... or of -o N" "$(page get before file) $(page get recording file)" "a b"

# ---- the browser: the text's lines
if "$PERF" diff --tui a b 2>&1 </dev/null | grep -q 'built without S-Lang'; then
	skip "--tui" "this perf is built without S-Lang"
else
	check_status "--tui without a terminal" 1 "$PERF" diff --tui a b
	screen <<-EOS
		size 70x10
		run $PERF diff --tui --noise -s dso a b
		wait  40.00%    -10.00%    4.24%  some
		match ^cycles:uh, rows: a and b *\n *Baseline  Delta Abs    Noise  Shared Object
		match half *\n
		key s
		wait no chance
		unmatch half
		match new
		key s
		wait half
		leave
		restored the terminal
		ok --tui: rows of two files, without what may be chance
	EOS
	screen <<-EOS
		size 90x10
		run $PERF diff --tui -g -s dso a b a
		wait call tree: [0] a and [1] b, [2] a
		match Table 1 of 2
		key Tab
		wait rows: [0] a and [1] b, [2] a
		match Delta Abs/1  Delta Abs/2
		match 40.00% +-10.00% +\+0.00%  some
		key S-Tab
		wait call tree
		leave
		ok --tui: call trees and rows of three files
	EOS
fi
is "-t: a point in place of the character where it is in a name" "$("$PERF" diff -q -t m -s dso a b 2>/dev/null | tr -d ' ')" \
"40.00m-10.00%mso.e
m+8.50%mnew
50.00m+1.00%mhalf
10.00m+0.50%ms.all"
is "any number of threads" "$("$PERF" diff -j 3 a b 2>/dev/null)" "$("$PERF" diff -j 1 a b 2>/dev/null)"
"$PERF" diff a other 2>err >/dev/null
like "an event that the first has not is said" "$(cat err)" 'other has the event branch-misses:uh, which a has not'
cp a perf.data.old
cp b perf.data
is "perf.data.old and perf.data" "$("$PERF" diff -q 2>/dev/null)" "$("$PERF" diff -q a b 2>/dev/null)"

# ---- recordings of every kind
rows() {
	"$PERF" diff -q -s dso "$@" 2>/dev/null | tr -s ' ' | sed 's/ $//'
}
is "ten files" "$(rows a a a a a b a a a a | grep some)" \
	" 40.00% +0.00% +0.00% +0.00% +0.00% -10.00% +0.00% +0.00% +0.00% +0.00% some"
is "... in the order in which they are named, whatever is first" "$(rows b a b | grep small)" " 10.50% -0.50% +0.00% small"
mkdir dir days
cp b dir/data
is "a recording that is a directory" "$(rows a dir)" "$(rows a b)"
is "... both are" "$(rows dir dir | grep -c '+0.00%')" 4
cp a days/1-monday
cp b days/2-tuesday
echo text >days/notes
is "a directory of recordings: these, by name" "$(rows days)" "$(rows a b)"
is "... with another one" "$(rows a days | grep some)" " 40.00% +0.00% -10.00% some"
mkdir empty
like "... with none in it" "$("$PERF" diff empty a 2>&1)" 'directory empty has no recording in it'
is "stdin" "$(rows a - <b)" "$(rows a b)"
is "... first" "$(rows - b <a)" "$(rows a b)"
is "both byte orders" "$(rows a big)" "$(rows a b)"
is "no samples: only the other has rows" "$(rows none b | grep -c '+')" 4
is "... in the second: rows of the first" "$(rows a none | grep half)" " 50.00% half"
is "... in both: none" "$(rows none none)" ""
like "one with branches and one without: -c cycles says which" "$("$PERF" diff -c cycles "$D/branch-4.14.data" a 2>&1)" \
	'-c cycles: a has no branches with cycles'
like "... branches in functions without names: that is said" "$("$PERF" diff -c cycles "$D/branch-4.14.data" "$D/branch-4.14.data" 2>&1)" \
	'no block is in a function whose name is known'
check "... shares of both are compared" test -n "$(rows "$D/branch-4.14.data" a | grep half)"

# ---- bad input
check_status "no such file" 1 "$PERF" diff a nothing
check_status "... among others" 1 "$PERF" diff a nothing b
like "... is named" "$("$PERF" diff a nothing b 2>&1)" 'cannot open nothing'
check_status "stdin twice" 129 "$PERF" diff - -
echo text >text
check_status "no recording" 1 "$PERF" diff a text
check_status "-c of another kind" 129 "$PERF" diff -c much a b
check_status "-c wdiff without weights" 129 "$PERF" diff -c wdiff a b
check_status "-c cycles of recordings without branches" 1 "$PERF" diff -c cycles a b
check_status "-c cycles --noise" 129 "$PERF" diff -c cycles --noise a b
check_status "-c cycles -t" 129 "$PERF" diff -c cycles -t , a b
check_status "-g -t" 129 "$PERF" diff -g -t , a b
like "... which says why" "$("$PERF" diff -g -t , a b 2>&1)" '-t is between columns of rows: for call trees and blocks there is --csv'
check_status "-g of no percent" 129 "$PERF" diff -gmuch a b
check_status "--csv and --json" 129 "$PERF" diff --csv --json a b
check_status "-o beyond the files" 129 "$PERF" diff -o 2 a b
check_status "an unknown key" 129 "$PERF" diff -s nothing a b
check_status "--html of stdin, which is read twice" 129 "$PERF" diff --html page a -
check_status "--html and --json" 129 "$PERF" diff --html page --json a b
head -c 20000 b >cut
"$PERF" diff a cut >out 2>err
is "a damaged file: the status" $? 1
like "... it is compared up to there" "$(cat out)" 'Event'
like "... and the damage is told" "$(cat err)" '^cut: record at offset'
check_status "... with -q, too" 1 "$PERF" diff -q a cut
like "... told, too" "$(cat "$TMP/check.out")" '^cut: record at offset'
check_status "the first one is damaged" 1 "$PERF" diff --json cut a
done_testing
