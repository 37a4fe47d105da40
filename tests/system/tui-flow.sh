#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --total-cycles and --hot-paths on a terminal: lists, what they open into, their keys.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
"$PERF" check feature -q capstone || skip_all "no capstone in this build"
"$PERF" check feature -q slang || skip_all "no S-Lang in this build"

cp "$ROOT/tests/data/annotate/walk" "$TMP"
cd "$TMP" || exit 1
made_file branch-file branches.data <"$ROOT/tests/data/annotate/walk.branches"
made_file branch-file empty.data </dev/null
BLOCKS="run $PERF report -i branches.data --total-cycles"
PATHS="run $PERF report -i branches.data --hot-paths=2"

screen tui-flow <<EOF
size 110x16
$BLOCKS
wait Blocks: 3
golden blocks colours
key Enter
wait Disassembly
golden block
key q
wait Blocks: 3
size 40x10
golden blocks-small
size 1x1
size 110x16
wait Blocks: 3
key h
wait Help:
dump help
key Esc C-c
exit 0
restored blocks: left with Ctrl-C
clean blocks: only what a terminal knows
EOF
# Pieces of the recording that were read by sessions of their own, or by several threads, give the same.
for how in '--pieces 4 --apart' '--jobs 3'; do
	screen tui-flow <<EOF
size 110x16
$BLOCKS $how
wait Blocks: 3
golden blocks colours
key Enter
wait Disassembly
golden block
key C-c
exit 0
EOF
done
screen tui-flow <<EOF
size 110x16
$PATHS
wait Paths of 2
golden paths
key Enter
wait Branches of a path
golden path
key Down a
wait Disassembly
golden branch
key Esc
wait Branches of a path
key Esc
wait Paths of 2
key q
exit 0
restored paths: left with q
EOF

awk -F '   *' 'NR > 1 && /^ [^ ]/ { print substr($1, 2) }' help | sed 's/, /\n/g' | sort -u >keys
check "the help page was read" grep -qx Enter keys
steps() {
	case $1 in
	Enter | a) printf '%s\n' "key $1" 'wait Disassembly' ;;
	q | Esc | Left) printf '%s\n' "key $1" 'exit 0' ;;
	Ctrl-C) printf '%s\n' 'key C-c' 'exit 0' ;;
	Down) printf '%s\n' 'key Down' 'wait 2 of 3' ;;
	Up) printf '%s\n' 'key Down Up' 'wait 1 of 3' ;;
	PgDn | Space | End) printf '%s\n' "key $1" 'wait 3 of 3' ;;
	PgUp | Home) printf '%s\n' 'key End' 'wait 3 of 3' "key $1" 'wait 1 of 3' ;;
	Right) printf '%s\n' 'size 60x16' 'settle' 'gone branchy' 'key Right Right Right Right' 'wait branchy' ;;
	h | '?' | F1) printf '%s\n' "key $1" 'wait Help: keys of' 'key Esc' 'wait 1 of 3' ;;
	Ctrl-L) printf '%s\n' 'key C-l' 'wait 1 of 3' ;;
	F2) printf '%s\n' 'key F2' 'wait mouse scrolls' 'key F2' 'wait is the terminal' ;;
	Ctrl-Z) echo '# tests/system/tui-annotate.sh' ;;
	*) return 1 ;;
	esac
}
press_keys keys steps "size 110x16
$BLOCKS
wait 1 of 3" 'hot paths'

screen <<EOF
run $PERF report -i empty.data --hot-paths=2
wait has no samples
exit 0
restored a recording without samples: text
EOF
screen <<EOF
title random keys
$PATHS
wait Paths of 2
fuzz 5 200
leave
restored random keys
EOF
check_status "... but with --tui that is an error" 1 "$PERF" report -i branches.data --total-cycles --tui
like "... which says why" "$(cat "$TMP/check.out")" '--tui: .*not a terminal'
screen <<EOF
env TERM=none
run $PERF report -i branches.data --hot-paths=2 --tui
wait --tui: cannot open
exit 1
ok --tui on a terminal that is not known
EOF
like "in a pipe there is text" "$("$PERF" report -i branches.data --total-cycles 2>&1)" '^# Sampled Cycles%'
screen <<EOF
run $PERF report -i branches.data --total-cycles --stdio
wait # Sampled Cycles%
ok --stdio is text on a terminal
EOF
done_testing
