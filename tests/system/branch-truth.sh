#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What --branches says against what is true by construction: record --branch-trace has every branch, so that times taken,
# targets and their shares are exact, to one; entropy, runs and rounds are those of outcomes that are known.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd python3
KINDS=$O/tests/helpers/branch-kinds
[ -x "$KINDS" ] || skip_all "the helper programs are not built (make tests)"
"$PERF" record -q --branch-trace -e cpu-clock:u -o "$TMP/t.data" -- "$KINDS" >"$TMP/out" 2>&1 &&
	[ "$("$PERF" report --stats -i "$TMP/t.data" 2>/dev/null | grep -c 'SAMPLE events')" != 0 ] ||
	skip_all "programs cannot be traced here: $(tail -1 "$TMP/out")"
cd "$TMP" || exit 1
for what in why paths; do
	"$PERF" report --branches=$what --json -i t.data >$what.json 2>err
	grep -q 'built without' err && skip_all "built without a library that decodes instructions"
done

cat >truth.py <<'P'
import json, math, sys
ROUNDS = 4000
why, paths = json.load(open('why.json')), json.load(open('paths.json'))


# What branch-kinds.c does, once more.
x, coin, skip = 12345, [], []
for i in range(ROUNDS):
    x = (x * 1664525 + 1013904223) % 2 ** 32
    coin.append(x >> 31)
    skip.append(x >> 30 & 1)
outcomes = {
    'alternates': [i & 1 for i in range(ROUNDS)],
    'biased': [int(i & 63 != 0) for i in range(ROUNDS)],
    'coin': coin,
    'skips': skip,
    'loop7': [int(k < 6) for i in range(ROUNDS) for k in range(7)],
}


def entropy(p):
    return 0 if p in (0, 1) else -p * math.log2(p) - (1 - p) * math.log2(1 - p)


# When the one before is known: by construction none is left where outcomes alternate.
def entropy_own(o):
    pairs = {}
    for a, b in zip(o, o[1:]):
        pairs.setdefault(a, []).append(b)
    n = len(o) - 1
    return sum(len(v) / n * entropy(sum(v) / len(v)) for v in pairs.values())


def runs(o, of):
    n, r = 0, set()
    for v in o:
        if v == of:
            n += 1
        elif n:
            r.add(n)
            n = 0
    return r


def rows(name):
    return [b for b in why['branches'] if b['symbol'] == name and b['kind'] == 'COND']


def check_counts():
    for name, o in outcomes.items():
        assert rows(name), name
        for b in rows(name):
            assert b['count'] == sum(o), (name, b['count'], sum(o))


def check_shares():
    # The first branch of each stack has none before it: of 64 one or two are not followed, whichever they are.
    for name, o in outcomes.items():
        for b in rows(name):
            assert abs(b['taken_percent'] - 100 * sum(o) / len(o)) < 1.5, (name, b['taken_percent'])
            assert b['taken'] + b['not_taken'] > 0.9 * len(o), (name, b)


def check_entropy():
    for name, o in outcomes.items():
        for b in rows(name):
            assert abs(b['entropy'] - entropy(sum(o) / len(o))) < 0.04, (name, b['entropy'])
            assert abs(b['entropy_own'] - entropy_own(o)) < 0.08, (name, b['entropy_own'], entropy_own(o))


def check_runs():
    for name in outcomes:
        for r in why['runs']:
            if not r['branch'].startswith(name + '+') or not r['whole']:
                continue
            true = runs(outcomes[name], int(r['outcome'] == 'taken'))
            lengths = {str(n) if n <= 16 else '17-32' if n <= 32 else '33-' for n in true}
            assert r['length'] in lengths, (name, r, lengths)


def check_targets():
    t = [x for x in why['targets'] if x['branch'].startswith('picks+')]
    assert [(x['count'], x['percent']) for x in t] == [(3000, 75), (500, 12.5), (500, 12.5)], t
    b = [x for x in why['branches'] if x['symbol'] == 'picks' and x['kind'] == 'IND'][0]
    assert b['count'] == ROUNDS and abs(b['entropy'] - 1.06) < 0.01, b


def check_rounds():
    r = [x for x in paths['rounds'] if x['head'].startswith('loop7+')]
    assert {x['rounds'] for x in r if x['whole']} == {7}, r
    l = [x for x in paths['loops'] if x['head'].startswith('loop7+')][0]
    assert abs(l['mean_rounds'] - 7) < 0.35, l
    # Cut at the end of a stack, or whole: none is counted twice, few are not seen to begin.
    assert 0.8 * ROUNDS < l['seen_whole'] + l['seen_cut'] <= ROUNDS, l


def check_calls():
    c = {x['function']: x for x in paths['calls']}
    for name in list(outcomes) + ['picks']:
        assert c[name]['calls'] == c[name]['returns'] == ROUNDS and not c[name]['astray'], c[name]


globals()['check_' + sys.argv[1]]()
P
for what in counts shares entropy runs targets rounds calls; do
	check "$what are those that the program makes" python3 truth.py $what
done

# The same of a call by register, three of four times to one function: shares of a trace are exact.
LANES=$O/tests/helpers/lanes
if "$LANES" target 4 && "$PERF" record -q --branch-trace -e cpu-clock:u -o l.data -- "$LANES" target 4000 >out 2>&1; then
	"$PERF" report --branches=why --json -i l.data >why.json 2>err
	is "a call by register: its targets, 3 to 1" "$(python3 -c '
import json
print([(t["target"], t["count"], t["percent"]) for t in json.load(open("why.json"))["targets"] if t["branch"].startswith("lanes_target+")])')" \
		"[('target_a', 3000, 75.0), ('target_b', 1000, 25.0)]"
	like "... and so beside the instruction" "$("$PERF" annotate --branches=why --stdio -i l.data lanes_target 2>/dev/null)" '75% target_a, 25% target_b'
else
	skip "a call by register" "no AVX2, which the helper asks for, or programs cannot be traced here"
fi
done_testing
