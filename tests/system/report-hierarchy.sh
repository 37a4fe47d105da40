#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf report --hierarchy: what perf 7.2.13 prints of the small recordings (tests/data/perf/
# hierarchy.text has its text, but for the tip), and what is ours alone.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
DATA=$ROOT/tests/data/perf
REC=$DATA/arm64-zstd.data

report() {
	"$PERF" report --symfs /nonexistent "$@" 2>"$TMP/err"
}

# "%% FILE|ARGS" and the text for it
awk -v dir="$TMP" '/^%% / { n++; print substr($0, 4) >(dir "/cases"); next }
	{ print >(dir "/want." n) }' "$DATA/hierarchy.text"
n=0
while IFS='|' read -r file args; do
	n=$((n + 1))
	# shellcheck disable=SC2086
	report --hierarchy -i "$DATA/$file" $args | grep -v '^# (Tip' >"$TMP/got"
	same_file "$file $args" "$TMP/got" "$TMP/want.$n"
done <"$TMP/cases"
check "cases ($n)" test "$n" -ge 15

# ---- every level is the table of its keys, whatever is added up: shares, callees, samples
cat >"$TMP/levels.py" <<'P'
import json, subprocess, sys
perf, rec, keys, extra = sys.argv[1], sys.argv[2], sys.argv[3].split(','), sys.argv[4:]
def run(*args):
    return json.loads(subprocess.run([perf, 'report', '--json', '-i', rec, '--symfs', '/nonexistent',
        '--no-group', *args, *extra], check=True, capture_output=True).stdout)['events']
def walk(rows, depth, above, out):
    for r in rows:
        value = above + (r[keys[depth]],)
        numbers = [r.get(k) for k in ('overhead', 'overhead_children', 'samples', 'weight',
                                      'weight_children', 'mispredicted', 'cycles')]
        if keys[depth] == 'cycles':
            numbers[-1] = None  # the key and the sum have one name
        out[depth].append((value, numbers))
        if depth + 1 < len(keys):  # keys with symbol bring a level of IPC along
            walk(r['rows'], depth + 1, value, out)
tables = 0
for ev, tree in enumerate(run('--hierarchy', '-s', ','.join(keys))):
    levels = [[] for _ in keys]
    walk(tree['rows'], 0, (), levels)
    for depth, level in enumerate(levels):
        rows = run('-s', ','.join(keys[:depth + 1]))[ev]['rows']
        want = []
        for r in rows:
            numbers = [r.get(k) for k in ('overhead', 'overhead_children', 'samples', 'weight',
                                          'weight_children', 'mispredicted', 'cycles')]
            if keys[depth] == 'cycles':
                numbers[-1] = None
            want.append((tuple(r[k] for k in keys[:depth + 1]), numbers))
        if sorted(want, key=repr) != sorted(level, key=repr):
            sys.exit('level %d of %s: %s, wanted %s' % (depth, keys, level[:3], want[:3]))
        tables += bool(level)
print(tables, 'tables')
P
levels() { # levels NAME FILE KEYS ARGS...
	_name=$1 _file=$2
	shift 2
	check "levels are tables: $_name" python3 "$TMP/levels.py" "$PERF" "$_file" "$@"
	like "$_name: as many as there are keys" "$(cat "$TMP/check.out")" \
		'^([2-9]|[1-9][0-9]+) tables'
}
levels "callees" "$REC" comm,dso,symbol
levels "callees, the place above" "$REC" dso,tgid,symbol
levels "callees of two events" "$DATA/s390x-pipe.data" symbol,comm,cpu
levels "without callees" "$REC" comm,dso,symbol --no-children
# not by symbol: a column of IPC would tell targets apart above, too
levels "branches" "$DATA/branch-4.14.data" comm,dso_from,addr_from,addr_to
levels "branches: cycles below" "$DATA/branch-4.14.data" addr_to,cycles
levels "groups apart" "$DATA/group-4.14.data" comm,dso,cpu

# ---- columns and options
report --hierarchy -i "$REC" -g none -s comm,dso >"$TMP/out"
like "callees: the head" "$(cat "$TMP/out")" '^#    Children  Overhead  Command / Shared Object$'
report --hierarchy -i "$REC" -g none -F comm,dso >"$TMP/out"
like "no number in front" "$(cat "$TMP/out")" '^# Command / Shared Object$'
is "no number in front: rows below each other" \
	"$(sed -n '/^ /s/[^ ].*//p' "$TMP/out" | sort -u | tr ' ' .)" '..
.....'
report -i "$REC" -g none --no-children -s '{comm,dso},sym' >"$TMP/got"
report -i "$REC" -g none --no-children -s comm,dso,sym >"$TMP/want"
same_file "braces without --hierarchy" "$TMP/got" "$TMP/want"
report -H -i "$REC" --no-children -g none >"$TMP/got"
report --hierarchy -i "$REC" --no-children -g none >"$TMP/want"
same_file "-H" "$TMP/got" "$TMP/want"
report --hierarchy -i "$REC" -F overhead,sample >"$TMP/got"
report -i "$REC" -F overhead,sample >"$TMP/want"
same_file "no key: the usual table" "$TMP/got" "$TMP/want"
report --hierarchy -i "$DATA/arm64-stat.data" >"$TMP/out"
like "no samples: a message" "$(cat "$TMP/err")" 'data has no samples'
unlike "no samples: no table" "$(cat "$TMP/out")" 'Overhead'
report --hierarchy -i "$REC" -T --no-children -s comm >"$TMP/out"
like "-T behind it" "$(cat "$TMP/out")" '^# PID  TID'
for o in --total-cycles "--hot-paths 3" --dot; do
	# shellcheck disable=SC2086
	check_status "$o has no levels" 129 "$PERF" report --hierarchy -i "$DATA/branch-4.14.data" $o
	like "$o has no levels: says so" "$(cat "$TMP/check.out")" "which ${o%% *} has not"
done
check_status "braces are for -s" 129 "$PERF" report -i "$REC" -F '{comm,dso}'
like "braces are for -s: says so" "$(cat "$TMP/check.out")" 'Unknown --fields key: `\{comm'

# ---- a limit leaves a row and those below it out, in JSON too
python3 - "$PERF" "$REC" >"$TMP/out" 2>&1 <<'P'
import json, subprocess, sys
def rows(*args):
    out = subprocess.run([sys.argv[1], 'report', '--json', '--hierarchy', '-i', sys.argv[2],
        '--symfs', '/nonexistent', *args], check=True, capture_output=True).stdout
    return json.loads(out)['events'][0]['rows']
def walk(rows):
    for r in rows:
        yield r
        yield from walk(r.get('rows', []))
n = [len(list(walk(rows('--percent-limit', str(p))))) for p in (0, 1, 20)]
assert n[0] > n[1] > n[2] > 0, n
assert all(r['overhead_children'] >= 20 for r in walk(rows('--percent-limit', '20')))
trees = [r for r in walk(rows()) if 'children' in r]
assert trees and not any('rows' in r for r in trees)
P
is "--percent-limit, trees in the last level: JSON" "$?$(cat "$TMP/out")" 0
done_testing
