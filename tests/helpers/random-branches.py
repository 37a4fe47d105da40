#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""random-branches.py OUT WANT little|big FILTER: 200 samples whose branch stacks are made of chance,
with branch_sample_type FILTER, and the lines that `perf script -F ip,brstack` must print of them."""
import random
import sys

from perfdata import *

TYPES = ('', 'COND', 'UNCOND', 'IND', 'CALL', 'IND_CALL', 'RET', 'SYSCALL', 'SYSRET', 'COND_CALL',
         'COND_RET', 'ERET', 'IRQ', 'SERROR', 'NO_TX')
EXTENDED = 15  # the type is new_type's
NEW = ('FAULT_ALGN', 'FAULT_DATA', 'FAULT_INST', 'ARCH_1', 'ARCH_2', 'ARCH_3', 'ARCH_4', 'ARCH_5')
SPEC = ('-', 'SPEC_WRONG_PATH', 'NON_SPEC_CORRECT_PATH', 'SPEC_CORRECT_PATH')


def entry(rnd):
    e = {'from': rnd.getrandbits(64), 'to': rnd.getrandbits(48), 'cycles': rnd.getrandbits(16),
         'type': rnd.randrange(16), 'spec': rnd.randrange(4), 'new_type': rnd.randrange(8),
         'priv': rnd.randrange(8), 'counter': rnd.getrandbits(8)}
    e.update((k, rnd.getrandbits(1)) for k in ('mispred', 'predicted', 'in_tx', 'abort'))
    return e


def shown(e):
    hit = 'P' if e['predicted'] else 'M' if e['mispred'] else '-'
    kind = NEW[e['new_type']] if e['type'] == EXTENDED else TYPES[e['type']]
    return '0x%x/0x%x/%s/%s/%s/%d/%s/%s' % (e['from'], e['to'], hit, '-X'[e['in_tx']],
                                            '-A'[e['abort']], e['cycles'], kind, SPEC[e['spec']])


def main():
    out, want, order, stacks = sys.argv[1:]
    stacks = int(stacks, 0)
    r = Recording(Attr(sample_type=IP | TID | TIME | PERIOD | BRANCH_STACK, flags='sample_id_all',
                       branch_sample_type=stacks, ids=(1,)), big=order == 'big', time=1000)
    rnd, lines = random.Random(stacks), []
    for i in range(200):
        sizes = (0, 1, 2, 32, 64, 2000) if i % 50 == 0 else (0, 1, 2, 16)
        branches = [entry(rnd) for _ in range(rnd.choice(sizes))]
        r.sample(ip=0x400000 + i, pid=10, period=1, branches=branches, hw_idx=i)
        lines.append(' '.join([f'{0x400000 + i:x}'] + [shown(e) for e in branches]))
    r.features[ARCH] = r.string('x86_64')
    r.write(out)
    with open(want, 'w') as f:
        f.write('\n'.join(lines) + '\n')


main()
