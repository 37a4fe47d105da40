#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What report --branches and --profile-quality say of recordings that hardware made (LBR), whose programs are not here: the
# sums are those of the rows of branches, cycles are there where the CPU counted them and nowhere else, and the page says
# the same.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
fx=$(fixtures) || skip_all "no ../shared/fixtures in a stranger's clone"
cd "$TMP" || exit 1
cat >agree.py <<'P'
import json, sys
load = lambda name: json.load(open(name))
why, cycles, paths, quality, rows, flags = map(load, ('why', 'cycles', 'paths', 'quality', 'rows', 'flags'))
counted = sys.argv[1] == 'cycles'
total = sum(r['samples'] for e in rows['events'] for r in e['rows'])
wrong = sum(r['samples'] for e in flags['events'] for r in e['rows'] if r['mispredict'] == 'Y')
assert total and sum(b['count'] for b in why['branches']) == total, 'branches'
assert sum(b['mispredicted'] or 0 for b in why['branches']) == wrong, 'mispredictions'
assert sum(f['count'] for f in quality['functions']) == total, 'functions'
assert cycles['blocks'] and any(b['cycles'] for b in cycles['blocks']) == counted, 'cycles'
for b in cycles['blocks']:
    if not counted:
        assert b['cycles'] is b['mean'] is b['min'] is None, b
    elif b['cycles']:
        assert b['min'] <= b['median'] <= b['p90'] <= b['max'] and b['min'] <= b['mean'] <= b['max'], b
        assert abs(b['mean'] * b['with_cycles'] - b['cycles']) <= 0.005 * b['with_cycles'] + 1, b
    assert b['ipc'] is None and b['instructions'] is None, 'instructions of code that is not here'
assert paths['coverage'][-1]['percent'] == 100, paths['coverage']
# Of files that are not here nothing is promised.
assert quality['verdict'][0]['enough'] == 'nothing' and not {f['file'] for f in quality['functions']} - {'missing', None}, quality['verdict']
assert not [c for c in quality['checks'] if 'followed in software' in c['check']], 'hardware is no software'
P
cat >page.py <<'P'
import json, sys
page, answer = json.load(open('tables')), json.load(open(sys.argv[1]))
for t in page:
    want = answer[t['name']]
    assert t['all'] == len(want) and len(t['rows']) == min(300, len(want)), t['name']
    # A column of numbers that both have by the same name.
    for head, key in ('Count', 'count'), ('Runs', 'runs'), ('Rounds', 'rounds'), ('Left', 'count'):
        if head in t['heads'] and want and key in want[0]:
            assert [int(r[t['heads'].index(head)]) for r in t['rows']] == [w[key] for w in want[:300]], (t['name'], head)
    # One of texts, also of tables that have no such numbers; coverage has these two numbers alone.
    texts = {'Object': 'dso', 'Check': 'check', 'Path: blocks one after the other': 'path', 'Percent': 'percent', 'Paths': 'paths'}
    same = [(head, key) for head, key in texts.items() if head in t['heads']]
    assert same, t['heads']
    for head, key in same:
        # Of a long path the first blocks, "and 3 more".
        cells = [r[t['heads'].index(head)].split(', and ')[0] for r in t['rows']]
        wanted = [str(w[key]) for w in want[:300]]
        whole = [w[:len(c)] if key == 'path' and c else w for c, w in zip(cells, wanted)]
        assert cells == whole, (t['name'], head, cells[:3], wanted[:3])
print('ok', len(page))
P
while read -r kind name; do
	f=$(find "$fx/real" -path "*$name" | head -1)
	[ -n "$f" ] || {
		fail "$name is among the fixtures" "none of that name below $fx/real"
		continue
	}
	for what in why cycles paths; do
		"$PERF" report --branches=$what --json -i "$f" >$what 2>err
	done
	"$PERF" report --profile-quality --json -i "$f" >quality 2>err
	"$PERF" report -b -s addr_from --json -i "$f" >rows 2>err
	"$PERF" report -b -s mispredict --json -i "$f" >flags 2>err
	check "$name: answers add up" python3 agree.py "$kind"
	for what in why cycles paths quality; do
		[ $what = quality ] && option=--profile-quality || option=--branches=$what
		"$PERF" report -q $option --html page.html -i "$f" 2>err
		python3 -S "$ROOT/tests/helpers/page-data.py" page.html get "$([ $what = quality ] && echo quality || echo answers)" >tables
		like "$name: the page says the same, $what" "$(python3 page.py $what 2>&1)" '^ok [2-4]$'
	done
done <<'E'
cycles simpleperf/testdata/lbr/perf_lbr.data
cycles autofdo/testdata/propeller_sample_1.perfdata1
none autofdo/testdata/test.lbr
cycles quipper/testdata/perf.data.branch-4.14
E
done_testing
