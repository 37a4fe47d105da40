#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compare.py dump|script|brstack LOG TEXT: whether TEXT (report -D, script -F ip,iregs,uregs, or
script -F ip,brstack) shows exactly the samples that the stand-in logged: every register, vector,
predicate, branch with all its flags, and branch counter of each, and no other. Prints the number
of samples and values; exits non-zero with the first difference."""
import collections
import re
import sys

NAMES = ('AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS '
         + ' '.join(f'R{i}' for i in range(8, 32)) + ' SSP').split()
QWORDS = {'XMM': 2, 'YMM': 4, 'ZMM': 8}
TYPES = (' COND UNCOND IND CALL IND_CALL RET SYSCALL SYSRET COND_CALL COND_RET ERET IRQ SERROR'
         ' NO_TX').split(' ')


def flags_of(word):
    """Prediction, transaction, abort, cycles, type: what both texts show of an entry's flags."""
    f = int(word, 16)
    pred = 'P' if f & 2 else 'M' if f & 1 else '-'
    return '/'.join([pred, '-X'[f >> 2 & 1], '-A'[f >> 3 & 1], str(f >> 4 & 0xffff),
                     TYPES[f >> 20 & 15]])


def logged(path):
    """One canonical text per sample."""
    samples = {}
    for line in open(path):
        words = dict(w.split('=', 1) for w in line.split() if '=' in w)
        key = (words.get('id'), words.get('nr'))
        if line.startswith(('again', 'lost')):
            # That try did not get into the ring.
            samples.pop(key if key[1] else (key[0], str(last.get(key[0]))), None)
            continue
        last[key[0]] = key[1]
        parts = [words['ip']]
        for block in 'iu':
            if block + 'regs' in words:
                regs = [p.split(':') for p in words[block + 'regs'].split(',') if p]
                parts += [f'{block}:{NAMES[int(b)]}={v}' for b, v in regs]
            if block + 'vec' in words:
                qwords, vals = words[block + 'vec'].split(':')
                cls = {2: 'XMM', 4: 'YMM', 8: 'ZMM', 0: None}[int(qwords)]
                vals = [v for v in vals.split(',') if v]
                parts += [f'{block}:{cls}[{i // int(qwords)}][{i % int(qwords)}]={v}'
                          for i, v in enumerate(vals)]
            if block + 'pred' in words:
                vals = [v for v in words[block + 'pred'].split(',') if v]
                parts += [f'{block}:OPMASK[{i}]={v}' for i, v in enumerate(vals)]
        if 'br' in words and what != 'script':
            entries = [e.split('/') for e in words['br'].split(',') if e]
            parts += [f'b:{a}->{b}/{flags_of(f)}' for a, b, f in entries]
        if 'cntr' in words and what == 'dump':
            parts += ['c:' + c for c in words['cntr'].split(',') if c]
        samples[key] = ' '.join(parts)
    return collections.Counter(samples.values())


def dumped(path):
    found, parts, block, counters = collections.Counter(), None, None, False
    for line in open(path):
        m = re.search(r'PERF_RECORD_SAMPLE\(IP, 0x[0-9a-f]+\): -?\d+/-?\d+: 0x([0-9a-f]+)', line)
        if m:
            parts, block = {'ip': m[1], 'i': [], 'u': [], 'b': [], 'c': []}, None
            counters = False
            continue
        if parts is None:
            continue
        m = re.match(r'\.\.\. (intr|user) regs: mask 0x[0-9a-f]+ ABI', line)
        if m:
            block = m[1][0]
        elif re.match(r'\.\.\.\. ', line) and block:
            name, value = line[5:].split()
            parts[block].append(f'{block}:{name}={int(value, 16):x}')
        elif line.startswith('..... '):
            m = re.match(r'\.\.\.\.\. +\d+: ([0-9a-f]+) -> ([0-9a-f]+) (\d+) cycles '
                         r'(.)(.)(.)(.) 0 (\w*) $', line)
            c = re.match(r'\.\.\.\.\. +\d+: ([0-9a-f]+)$', line)
            if m:
                pred = 'P' if m[5] == 'P' else 'M' if m[4] == 'M' else '-'
                flags = '/'.join([pred, 'X' if m[7] == 'T' else '-', 'A' if m[6] == 'A' else '-',
                                  m[3], m[8]])
                parts['b'].append(f'b:{int(m[1], 16):x}->{int(m[2], 16):x}/{flags}')
            elif c and counters:
                parts['c'].append(f'c:{int(c[1], 16):x}')
        elif line.startswith('... '):
            counters = line.startswith('... branch stack counters')
        elif line.startswith(' ... thread:'):
            found[' '.join([parts['ip'], *parts['i'], *parts['u'], *parts['b'],
                            *parts['c']])] += 1
            parts = None
    return found


def scripted(path):
    found = collections.Counter()
    for line in open(path):
        blocks = line.split(' ABI:')
        ip = blocks[0].split()[0]
        # iregs stand before uregs; which of them is there is known from the log.
        letters = sys.argv[4] if len(sys.argv) > 4 else 'iu'
        out = [ip]
        for letter, block in zip(letters, blocks[1:]):
            out += [f'{letter}:{n}={v}' for n, v in
                    re.findall(r'(\S+):0x([0-9a-f]+)', block.split(' ', 1)[1])]
        found[' '.join(out)] += 1
    return found


def branches(path):
    found = collections.Counter()
    for line in open(path):
        ip, *entries = line.split()
        out = [ip]
        for e in entries:
            a, b, pred, tx, abort, cycles, kind, spec = e.split('/')
            out.append(f'b:{a[2:]}->{b[2:]}/{pred}/{tx}/{abort}/{cycles}/{kind}')
        found[' '.join(out)] += 1
    return found


what, last = sys.argv[1], {}
want = logged(sys.argv[2])
got = {'dump': dumped, 'script': scripted, 'brstack': branches}[what](sys.argv[3])
if not want:
    sys.exit('the stand-in logged nothing')
for text in want:
    if got[text] != want[text]:
        near = next((g for g in got if g.split()[0] == text.split()[0] and g not in want), None)
        for a, b in zip(text.split(), (near or '').split()):
            if a != b:
                sys.exit(f'logged {a}, shown {b} (sample at {text.split()[0]})')
        sys.exit(f'logged but not shown: {text[:200]}; nearest: {(near or "none")[:200]}')
extra = sum(got.values()) - sum(want.values())
if extra:
    sys.exit(f'{extra} samples are shown that were never logged')
print(f'{sum(want.values())} samples, {sum(len(t.split()) - 1 for t in want.elements())} values agree')
