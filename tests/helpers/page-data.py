#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page-data.py PAGE [folded EVENT | get KEY... | registers NAME JSON | shape]: the data of a page of report --html, read without
its script.

shape (the default) checks that the page is one document whose only markup is ours, and its policy's
hashes those of its script and style. folded prints stacks of an event, "comm;outer;inner PERIOD". get prints a member, rows sums,
longest the length of the longest string and how often it is there. registers says "ok" and how many rows there are, where the
table NAME has what `report --json` says in the file JSON.
"""
import base64
import collections
import gzip
import hashlib
import html.parser
import json
import re
import sys


class Page(html.parser.HTMLParser):
    """Elements in their order, texts of script and style, and whatever calls code by an attribute."""

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.elements, self.texts, self.handlers, self.open = [], {}, [], None
        self.policy, self.form = '', ''
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        self.elements.append(tag)
        self.handlers += [n for n in a if n.startswith('on') or n in ('src', 'href', 'style')]
        if a.get('http-equiv') == 'Content-Security-Policy':
            self.policy = a['content']
        self.form = a.get('data-form', self.form)
        self.open = a.get('id', tag)
        self.texts.setdefault(self.open, '')

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open:
            self.texts[self.open] += data


def load(page):
    text = page.texts['data']
    return json.loads(gzip.decompress(base64.b64decode(text)) if page.form == 'gzip' else text)


def hash_of(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def shape(page, data):
    bad = []
    for name in ('script', 'style'):
        if hash_of(page.texts[name]) not in page.policy:
            bad.append(f'the hash of {name} is not in the policy')
    if "default-src 'none'" not in page.policy or 'unsafe' in page.policy:
        bad.append(f'policy: {page.policy}')
    if page.handlers:
        bad.append(f'attributes: {page.handlers}')
    if page.elements.count('script') != 2 or 'img' in page.elements or 'b' in page.elements:
        bad.append(f'elements: {page.elements}')
    raw = page.texts['data']
    if page.form == 'json' and re.search('[<>&\0-\x1f]', raw):
        bad.append('the data has characters of markup')
    nodes, rows = data['nodes'], data['rows']
    if not len(nodes['up']) == len(nodes['frame']) or len({len(v) for v in rows.values()}) != 1:
        bad.append('columns of different lengths')
    print('\n'.join(bad) or 'ok')


def folded(data, event, before=0):
    names = [data['strings'][i] for i in data['frames']['name']]
    stacks, path = [], []
    for up, frame in zip(data['nodes']['up'], data['nodes']['frame']):
        del path[len(path) - up:]
        path.append(names[frame])
        stacks.append(list(path))
    out, node, g = collections.Counter(), 0, data['groups']
    for i, step in enumerate(data['rows']['node']):
        node += step
        group = data['rows']['group'][i]
        if g['event'][group] != event or g.get('before', [0] * (group + 1))[group] != before:
            continue
        comm = data['strings'][data['threads']['name'][g['thread'][group]]].replace(' ', '_')
        out[';'.join([comm] + [s.replace(';', ':') for s in stacks[node]])] += data['rows']['period'][i]
    for line, n in sorted(out.items()):
        print(line, n)


def registers(data, name, wanted):
    """Cells as text has them against values as JSON has them: "25.0%" and 25.0, "-" and null."""
    table = next(a for a in data['registers'] if a['name'] == name)
    bad, nr = [], 0
    for event, rows in enumerate(e['rows'] for e in wanted['events']):
        got = next((e for e in table['events'] if e['event'] == event), {'rows': [], 'all': 0})
        if got['all'] != len(rows):
            bad.append(f'{got["all"]} rows, not {len(rows)}')
        for cells, row in zip(got['rows'], rows):
            nr += 1
            told = {'idle-lanes': 'idle', 'shadow-stack': 'shadow', 'values': 'value'}.get(name, name) + '_samples'
            for key, text in zip(table['names'], cells):
                key = told if key == 'told' else key
                value = None if text == '-' else text
                try:
                    value = float(text.rstrip('%'))
                except ValueError:
                    pass
                if value != row[key] and not (isinstance(value, str) and len(value) > 500 and row[key].startswith(value[:500])):
                    bad.append(f'{key}: {text[:100]}, not {row[key]}'[:200])
    print('\n'.join(bad) or f'ok {nr}')


def main():
    with open(sys.argv[1], 'rb') as f:
        page = Page(f.read().decode())
    data = load(page)
    what = sys.argv[2] if len(sys.argv) > 2 else 'shape'
    if what == 'shape':
        shape(page, data)
    elif what == 'folded':
        folded(data, *map(int, sys.argv[3:]))
    elif what == 'registers':
        with open(sys.argv[4]) as f:
            registers(data, sys.argv[3], json.load(f))
    elif what == 'longest':
        name = max(data['strings'], key=len)
        print(len(name), data['strings'].count(name))
    elif what == 'rows':
        r = data['rows']
        print(len(r['node']), sum(r['count']), sum(r['period']))
    elif what == 'sums':
        # A column of a log, by thing.
        for key in sys.argv[3:-1]:
            data = data[key]
        out = collections.Counter()
        for thing, n in zip(data['what'], data[sys.argv[-1]]):
            out[thing] += n
        print(*(out[i] for i in range(max(out, default=-1) + 1)))
    else:
        for key in sys.argv[3:]:
            data = data[int(key)] if isinstance(data, list) else data[key]
        print(data if isinstance(data, str) else json.dumps(data, sort_keys=True))


if __name__ == '__main__':
    main()
