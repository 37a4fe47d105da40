#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The browser of perf report on a terminal, key by key; screens in tests/data/report-screen.
. "$(dirname "$0")/../lib.sh"
need_cmd bash python3

DATA=$ROOT/tests/data/perf
export PERF_CONFIG=/dev/null
unset NO_COLOR
cd "$TMP" || exit 1

# ---- which interface
check_status "--tui without a terminal" 1 "$PERF" report -i "$DATA/armhf-uregs.data" --tui
if grep -q 'built without S-Lang' "$TMP/check.out"; then
	like "--tui: why" "$(cat "$TMP/check.out")" '--tui: .*built without S-Lang'
	skip "the browser" "this perf is built without S-Lang"
	done_testing
fi
like "--tui: why" "$(cat "$TMP/check.out")" '--tui: .*not a terminal'
like "no terminal: text" "$("$PERF" report -i "$DATA/group-4.14.data" 2>&1)" '^# Samples: '
like "--json wins" "$("$PERF" report -i "$DATA/group-4.14.data" --tui --json 2>&1)" '^\{'

screen report-screen <<EOS
env PERF_PAGER=cat
run $PERF report -i $DATA/group-4.14.data --stdio
wait # Samples:
exit 0
ok --stdio is text on a terminal
EOS

screen report-screen <<EOS
env TERM=none
run $PERF report -i $DATA/group-4.14.data --tui
wait TERM
exit 1
ok --tui: a terminal that is not known
EOS

printf '[tui]\n\treport = false\n' >"$TMP/config"
screen report-screen <<EOS
env PERF_CONFIG=$TMP/config
env PERF_PAGER=cat
run $PERF report -i $DATA/group-4.14.data
wait # Samples:
exit 0
ok tui.report = false
EOS

# ---- rows, folding, the footer
screen report-screen <<EOS
run $PERF report -i $DATA/armhf-uregs.data
wait lost 0
golden first
key Down +
wait -
golden unfolded colours
key E
match ^- 
key C
unmatch ^- 
key End Home H
gone Children
key H
wait Children
key Right
gone Children
key Left
wait Children
size 40x10
golden small
size 100x30
wait Symbol
key q
exit 0
restored the terminal after q
ok rows, folds and sizes
EOS

# ---- steps and back
screen report-screen <<EOS
run $PERF report -i $DATA/armhf-uregs.data
wait lost 0
key d
wait > rows of
wait of shown
golden zoomed
key F
wait of total
key u
wait of shown
key Esc
gone > rows of
key U
wait > rows of
key d
gone > rows of
key t
wait > command
key Esc
gone > command
key L
wait percent
type 5
key Enter
wait > from 5 %
key u
key O
wait > levels
key E
golden levels
key Left
gone > levels
key I
wait > call
key Esc
key v
wait > without callees
key Esc
gone > without
key Esc
wait really
key n
key k
key q
exit 0
ok every step is taken and undone
EOS

# ---- search
screen report-screen <<EOS
run $PERF report -i $DATA/armhf-uregs.data
wait lost 0
key C-f
wait Search
type 0x.*b[ac]\$
key Enter
wait rows, with chains
golden search colours
key n
key N
wait rows, with chains
key C-f C-u
type ^wl\$
key Enter
wait rows, with chains 100.00%
key C-f C-u
type (
key Enter
wait no regular expression
key /
type no such name
key Enter
wait Nothing would be left
key q
exit 0
ok a search counts what it finds
EOS

# ---- files
screen report-screen <<EOS
run $PERF report -i $DATA/armhf-uregs.data
wait lost 0
key P
wait Written to perf.hist.0
key P
wait Written to perf.hist.1
key W
wait JSON
key Down Down Enter
wait File:
key Enter
wait Written to report.json
key W
wait JSON
key Down Down Enter
wait File:
key Enter
wait overwrite
key y
wait Written to report.json
key W
wait CSV
key Enter
wait File:
key Enter
wait Written to report.txt
key W
wait Folded
key Down Down Down Enter
wait File:
key Enter
wait Written to report.folded
key i
wait captured on
key q
wait lost 0
key m
wait This row
golden menu
key Esc
key h
wait what can be done
key q
key q
exit 0
ok files are written
EOS
check "perf.hist: as on the screen" cmp perf.hist.0 perf.hist.1
like "perf.hist: heads" "$(head -1 perf.hist.0)" 'Children +Self +Command'
"$PERF" report -i "$DATA/armhf-uregs.data" --json >want.json 2>"$TMP/err"
check "written JSON is --json's" cmp report.json want.json
screen report-screen <<EOS
run $PERF report -i $DATA/group-4.14.data
wait lost 0
key W
wait JSON
key Down Down Enter
wait File:
key Enter
wait overwrite
key y
wait Written to report.json
key W
wait CSV
key Down Enter
wait File:
key Enter
wait Written to report.csv
key q
exit 0
ok files of a group are written
EOS
for form in json csv; do
	"$PERF" report -i "$DATA/group-4.14.data" --$form >want 2>"$TMP/err"
	check "written $form of a group is --$form's" cmp report.$form want
done
"$PERF" report -i "$DATA/armhf-uregs.data" --no-children >want.txt 2>"$TMP/err"
is "folded stacks: all of the period" "$(awk '{ n += $NF } END { printf "%d", n }' report.folded)" \
	"$(sed -n 's/^# Event count (approx.): //p' report.txt)"

# ---- events and files
python3 -S -c 'import sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
# A group whose leader has no sample, and another event.
attrs = [Attr(type=TYPE_SOFTWARE, config=n, sample_type=IP | TID | ID, flags="comm", ids=[11 + n]) for n in (9, 0, 2)]
r = Recording(*attrs)
r.comm(10, "grouped")
for attr, n in (attrs[1], 3), (attrs[2], 5):
    for _ in range(n):
        r.sample(attr=attr, ip=0x400000, pid=10, id=attr.ids[0])
r.features[GROUP_DESC] = r.pack("I", 1) + r.string("") + r.pack("II", 0, 2)
r.write(sys.argv[2])' "$ROOT/tests/helpers" leader.data
screen report-screen <<EOS
run $PERF report -i leader.data
wait Available samples
match 5 page-faults
match 3 anon group { dummy, cpu-clock }
key Enter
wait Samples: 3 of events 'anon group { dummy, cpu-clock }'
key Tab
wait Samples: 5 of event 'page-faults
key Tab
wait Samples: 3 of events
key q
exit 0
ok a group whose leader has no sample, beside another event
EOS
cp "$DATA/group-4.14.data" "$DATA/armhf-uregs.data" .
mkfifo nobody-writes
ln -s nobody-writes link
screen report-screen <<EOS
run $PERF report -i armhf-uregs.data
wait lost 0
key s
wait group-4.14.data
key Down Enter
wait cache-references
key q
exit 0
ok another recording
EOS
done_testing
