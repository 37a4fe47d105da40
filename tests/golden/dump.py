#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares report -D and --stats with recorded outputs of an upstream perf.

	dump.py PERF FIXTURES dump|stats	TAP on stdout

What may differ, and why, is a table: dump.differences beside this file.
"""
import difflib, os, re, subprocess, sys

perf, fixtures, kind = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
table = [line.split(None, 2) for line in open(os.path.join(here, 'dump.differences'))
         if line.strip() and line[0] != '#']


def drop_unknown(text):
    """Records of types 32768 and up, and every percentage: their total counts them."""
    text = re.sub(r'\n0x[0-9a-f]+@\S+ \[0x[0-9a-f]+\]: event: (?:3[2-9]|[4-9]\d)\d{3}\n'
                  r'(?:\..*\n)+\n.*UNKNOWN: unhandled!\n', '', text)
    text = re.sub(r'^ +(UNKNOWN|TOTAL) events:.*\n', '', text, flags=re.M)
    return re.sub(r'\( *[\d.]+%\)', '', text)


def per_event(text):
    """Without the counts by event, which stand behind the counts of all."""
    head, mark, tail = text.rpartition('\nAggregated stats:')
    return head + mark + re.split(r'^\S.* stats:\n', tail, maxsplit=1, flags=re.M)[0]


RULES = {
    'registers': lambda t: re.sub(r'^\.\.\.\. \w+ +(0x[0-9a-f]{16})$', r'.... REG \1', t, flags=re.M),
    'bytes': lambda t: re.sub(r'^\.  [0-9a-f]{4}: .*$', '.', t, flags=re.M),
    'prot': lambda t: re.sub(r'\]: [rwxps-]{4} ', ']: PROT ', t),
    'vdso': lambda t: re.sub(r'/tmp/perf-vdso\.so-\w+', '[vdso]', t),
    'no-map': lambda t: re.sub(r'^ \.{6} dso: (<not found>|\[kernel\.kallsyms\]|/lib/modules/.*)$',
                               ' ...... dso: ANY', t, flags=re.M),
    'per-event': per_event,
    'unknown': drop_unknown,
    'cpu': lambda t: re.sub(r'^\d+ (\d+ 0x[0-9a-f]+ \[0x[0-9a-f]+\]: PERF_RECORD_)', r'\1', t,
                            flags=re.M),
    'event-name': lambda t: t.replace('name = cycles:H,', 'name = cycles,'),
}


names = []
for base, _, files in os.walk(os.path.join(fixtures, 'expected')):
    names += [os.path.join(base, f) for f in files if f.endswith('.' + kind)]
nr = failed = 0
for name in sorted(names):
    short = os.path.relpath(name, os.path.join(fixtures, 'expected'))
    real = os.path.join(fixtures, 'real', short)[:-len(kind) - 1]
    rules = [r for part, r, _ in table if part in short]
    nr += 1
    want = open(name, 'rb').read().decode('latin1')
    if 'refused' in rules and (not want or 'Aggregated' not in want):
        print(f'ok {nr} - {short} # SKIP upstream gave up on this file')
        continue
    run = subprocess.run([perf, 'report', '-D' if kind == 'dump' else '--stats', '-f', '-i', real],
                         stdin=subprocess.DEVNULL, capture_output=True)
    got = run.stdout.decode('latin1').replace('@' + real + ' [', '@FILE [')
    for rule in rules:
        if rule in RULES:
            got, want = RULES[rule](got), RULES[rule](want)
    if got == want:
        print(f'ok {nr} - {short}')
        continue
    failed += 1
    print(f'not ok {nr} - {short}')
    a, b = want.split('\n')[:30000], got.split('\n')[:30000]
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            for line in difflib.unified_diff(a[i:i + 12], b[i:i + 12], 'upstream', 'ours', lineterm=''):
                print('# ' + line)
            break
    else:
        print(f'# lengths: {len(want)} {len(got)}')
print(f'1..{nr}')
sys.exit(failed != 0)
