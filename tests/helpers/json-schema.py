#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""json-schema.py SCHEMA [closed] <DOCUMENT: whether a document is as a JSON schema of draft 7 says, of which it knows
what ours use; "ok", or the first place that is not and why. A word of a schema that it does not know is an
error, so that nothing is passed over. closed: members that the schema does not name are wrong, too, which tells what
was printed and never documented.
"""
import json
import sys

SILENT = {'$schema', 'title', 'description', 'definitions'}
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'integer': int, 'number': (int, float)}


class Wrong(Exception):
    pass


class Schema:
    def __init__(self, root, closed):
        self.root, self.closed = root, closed

    def check(self, v, s, where='$'):
        for word, arg in s.items():
            if word in SILENT or word == 'additionalProperties':
                continue
            rule = getattr(self, 'rule_' + word.lstrip('$'), None)
            if not rule:
                raise SystemExit(f'{word}: this checker does not know it')
            rule(v, arg, where)
        if isinstance(v, dict) and 'properties' in s:
            self.others(v, s, where)

    def others(self, v, s, where):
        for name in v.keys() - s['properties'].keys():
            if 'additionalProperties' in s:
                self.check(v[name], s['additionalProperties'], f'{where}.{name}')
            elif self.closed:
                raise Wrong(f'{where}.{name} is in no schema')

    def rule_type(self, v, want, where):
        if not isinstance(v, TYPES[want]) or (isinstance(v, bool) and want != 'boolean'):
            raise Wrong(f'{where} is no {want}')

    def rule_const(self, v, want, where):
        if v != want:
            raise Wrong(f'{where} is {v!r}, not {want!r}')

    def rule_minimum(self, v, least, where):
        if isinstance(v, (int, float)) and v < least:
            raise Wrong(f'{where} is below {least}')

    def rule_minItems(self, v, least, where):
        if isinstance(v, list) and len(v) < least:
            raise Wrong(f'{where} has less than {least}')

    def rule_required(self, v, names, where):
        for name in names:
            if isinstance(v, dict) and name not in v:
                raise Wrong(f'{where} has no {name}')

    def rule_properties(self, v, of, where):
        for name, s in of.items():
            if isinstance(v, dict) and name in v:
                self.check(v[name], s, f'{where}.{name}')

    def rule_items(self, v, s, where):
        for i, item in enumerate(v if isinstance(v, list) else []):
            self.check(item, s, f'{where}[{i}]')

    def rule_allOf(self, v, of, where):
        for s in of:
            self.check(v, s, where)

    def rule_oneOf(self, v, of, where):
        why = []
        for s in of:
            try:
                self.check(v, s, where)
            except Wrong as e:
                why.append(str(e))
        if len(of) - len(why) != 1:
            raise Wrong(f'{where} is {len(of) - len(why)} of {len(of)}: {"; ".join(why)}')

    def rule_ref(self, v, path, where):
        s = self.root
        for part in path.removeprefix('#/').split('/'):
            s = s[part]
        self.check(v, s, where)


def main():
    with open(sys.argv[1]) as f:
        root = json.load(f)
    try:
        Schema(root, 'closed' in sys.argv[2:]).check(json.load(sys.stdin), root)
    except Wrong as e:
        sys.exit(str(e))
    print('ok')


if __name__ == '__main__':
    main()
