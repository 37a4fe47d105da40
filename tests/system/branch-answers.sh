#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What report --branches says, at instructions (annotate), as lists in a terminal, in the page: all of them say the same.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
"$PERF" check feature -q capstone || skip_all "no capstone in this build"

cp "$ROOT/tests/data/annotate/walk" "$TMP"
cd "$TMP" || exit 1
made_file branch-file branches.data <"$ROOT/tests/data/annotate/walk.branches"

# What annotate --json has at instructions against the rows of report --json: each row of a branch, block, edge, path
# and loop is at its address, the first of several whole and the others by number.
cat >agree.py <<'EOF'
import json, sys
what, listing, rows = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
tables = {'why': [('why', 'branches', 'addr', None)],
          'cycles': [('block', 'blocks', 'start', 'blocks_here'), ('edge', 'edges', 'addr', 'edges_here')],
          'paths': [('path', 'paths', 'path', 'paths_here'), ('loop', 'loops', 'head_addr', None)]}[what]
start = {f['symbol']: int(f['start'], 16) for f in listing['functions']}
lines = [(f, l) for f in listing['functions'] for l in f['lines'] if 'offset' in l]
for name, table, key, many in tables:
    there, number = [], 0
    for f, l in lines:
        if name in l:
            there.append(l[name])
            number += l.get(many, 1) if many else 1
    first, seen = [], set()
    for r in rows[table]:
        place = str(r[key]).split('..')[0]
        if place not in seen:
            first.append(r)
            seen.add(place)
    same = sorted(map(json.dumps, there)) == sorted(map(json.dumps, first))
    print(name, 'same' if same else 'differ', number == len(rows[table]), len(first) > 0)
EOF
for what in why cycles paths; do
	"$PERF" report --branches=$what --json -i branches.data >rows.json 2>err
	for how in '' '--jobs 3' '--pieces 4' '--pieces 4 --apart'; do
		# shellcheck disable=SC2086
		"$PERF" annotate --branches=$what --json -i branches.data $how >listing.json 2>err
		is "$what: each row of report is at its instruction ${how:-(one session)}" "$(python3 agree.py $what listing.json rows.json | sort -u)" \
			"$(case $what in why) echo why same True True ;; cycles) printf 'block same True True\nedge same True True' ;; paths) printf 'loop same True True\npath same True True' ;; esac)"
	done
done

# 23 branches left 0x40018d, of which 13 were mispredicted: known by construction.
like "why, in words" "$("$PERF" annotate --branches=why --stdio -i branches.data 2>/dev/null | grep '18d:')" '56.5% mispredicted'
# From 0x40017c through 0x40018d 10 blocks of 5 cycles and 10 of 4.
like "cycles, in words" "$("$PERF" annotate --branches=cycles --stdio2 -i branches.data 2>/dev/null)" '4\.5 cycles, half [45], 90% 5'
like "paths, in words" "$("$PERF" annotate --branches=paths --stdio2 -i branches.data 2>/dev/null)" 'path 1: [0-9.]+%, [0-9]+% to its end'
"$PERF" annotate --branches=nonsense -i branches.data >out 2>err
is "what branches are not asked is a usage error" "$? $(grep -c "nothing that branches are asked" err)" "129 1"

# ---- a group, whose sample comes once for each of its counters: what is said of branches is that of one event
made_file branch-file -g -e 3 group.data <"$ROOT/tests/data/annotate/walk.branches"
sed 's/^\(sample\|kernel\) /still\n&/' "$ROOT/tests/data/annotate/walk.branches" >still
made_file branch-file -g -e 3 still.data <still
answer() { # answer FILE COMMAND...
	_file=$1
	shift
	"$PERF" "$@" -i "$_file" 2>err
}
for what in why cycles paths; do
	answer branches.data report --branches=$what --json >one
	answer group.data report --branches=$what --json >all
	same_file "a group: $what" all one
	answer group.data report --branches=$what --json -e instructions >member
	same_file "... of a member" member one
	answer still.data report --branches=$what --json >all
	same_file "... where the first did not count" all one
	answer branches.data script --json --branches=$what -F ip,brstack --max-stack 1 | sort -u >one
	answer group.data script --json --branches=$what -F ip,brstack --max-stack 1 | sort -u >all
	same_file "... beside samples" all one
done
for what in --profile-quality --total-cycles; do
	answer branches.data report --json $what >one
	answer group.data report --json $what >all
	same_file "a group: report $what" all one
	answer group.data report --json $what -e instructions >member
	same_file "... of a member" member one
done
for f in branches group; do
	"$PERF" diff -c cycles --json $f.data $f.data 2>err | sed 's/"name":"[^"]*"//g' >$f.cycles
done
same_file "... diff -c cycles" group.cycles branches.cycles
for f in branches group; do
	answer $f.data annotate --json --branches=why | python3 -c 'import json, sys
for f in json.load(sys.stdin)["functions"]:
    for l in f["lines"]:
        print(f["symbol"], l.get("offset"), l.get("executions"), l.get("edges"), l.get("why"))' >$f.listing
done
same_file "... annotate" group.listing branches.listing

# ---- the page
"$PERF" report --html page.html --branches=why -i branches.data 2>/dev/null
page() {
	python3 -S "$ROOT/tests/helpers/page-data.py" page.html "$@"
}
"$PERF" report --branches=why -q --stdio -i branches.data 2>/dev/null >text
is "the page has the rows of text" "$(page get answers 0 all)" "$("$PERF" report --branches=why --json -i branches.data 2>/dev/null | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["branches"]))')"
is "... cell by cell" "$(page get answers 0 rows | python3 -c 'import json, sys
for r in json.load(sys.stdin): print(" ".join(" ".join(c.split()) for c in r if c))')" "$(sed '/^ *$/,$d' text | awk '{ $1 = $1; print }')"
like "... and says it beside instructions" "$(page get code 0 marks)" '56.5% mispredicted'
for f in branches group; do
	"$PERF" report --html page.html -i $f.data 2>/dev/null
	page get branches >$f.page
done
same_file "a group: its branches in the page" group.page branches.page
"$PERF" report --html page.html -i branches.data 2>/dev/null
is "unasked there are none" "$(page get answers 2>/dev/null)" ""

# ---- the terminal
if "$PERF" check feature -q slang; then
	for how in '' '--jobs 3' '--pieces 4 --apart'; do
		screen tui-answers <<EOF
size 150x16
run $PERF report --branches=cycles -i branches.data $how
wait Blocks of code, by the cycles spent in them
golden blocks
key Enter
wait Disassembly
wait 4.5 cycles, half
key q
wait Blocks of code
key Tab
wait Edges, by the cycles
golden edges
key Tab
wait Blocks of code
key h
wait Help:
key Esc C-c
exit 0
restored branches: left with Ctrl-C
clean branches: only what a terminal knows
EOF
	done
	# Where not all fits it is the answer that is seen: which branch, why, and what would help.
	screen tui-answers <<EOF
size 80x16
run $PERF report --branches=why -i branches.data
wait Branches, and why
golden why
key Tab
wait Targets of indirect branches
key Tab
wait Branches, and why
key h
wait what there is to guess
wait not told by this recording
golden why-help
key /
type coin
wait 1 = a coin
gone Left: times
key Esc q q
exit 0
EOF
	screen tui-answers <<EOF
size 150x16
run $PERF report --branches=paths -i branches.data
wait Superblocks
key Tab
wait of all blocks that ran
wait Percent
key Tab
wait Loops, and how many rounds they make
key Tab
wait Calls and returns
key q
exit 0
EOF
	screen <<EOF
run $PERF report --html tty.html --branches=why -i branches.data
exit 0
ok the page is written on a terminal, too
EOF
	made_file branch-file -f 0x10 calls.data <"$ROOT/tests/data/annotate/walk.branches"
	screen <<EOF
size 150x16
run $PERF report --branches=why -i calls.data
wait Branches, and why
key q
exit 0
match keeps only some
ok what text notes of a recording is told behind the lists, too
EOF
	screen <<EOF
size 150x16
run $PERF annotate --branches=why -i calls.data
wait Disassembly
key q
exit 0
match keeps only some
ok ... and behind instructions
EOF
else
	skip "lists in a terminal" "no S-Lang in this build"
fi
done_testing
