#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""history-file.py DIR: DIR/history.data, a recording with branch stacks and call chains, of the
program lbr.elf that lbr-files.py writes there. Four samples:

    1, 2  f1 calls f2, f2 loops three times over f3 and f4, calls f5: sampled there
    3     branches that the chain shows as well: both calls are overlap
    4     one forward and one backward condition, one of them mispredicted

and DIR/history-bare.data: branches that say nothing about themselves, a loop of two rounds in one
of three samples; and DIR/history-wild.data: a sample with branches through what has no symbol.
"""
import os
import sys

from perfdata import *

PID, COND, CALL, RET = 100, 1, 4, 6


def f(n, off=0):
    return 0x401000 + 256 * n + off


def entry(source, target, kind=0, cycles=0, miss=False, abort=False):
    return {'from': source, 'to': target, 'mispred': miss, 'predicted': not miss, 'abort': abort,
            'cycles': cycles, 'type': kind}


def start(where):
    r = Recording(Attr(sample_type=IP | TID | TIME | CALLCHAIN | PERIOD | BRANCH_STACK,
                       flags='sample_id_all exclude_guest',
                       branch_sample_type=BRANCH_ANY | BRANCH_TYPE_SAVE), time=1, step=0)
    r.comm(PID, 'hist')
    r.mmap(PID, 0x400000, 0x10000, 0, os.path.join(where, 'lbr.elf'))
    r.features[ARCH] = r.string('x86_64')
    r.features[HAS_BRANCH_STACK] = b''
    return r


def sample(r, time, chain, branches):
    r.sample(ip=chain[0], pid=PID, time=time, period=100000 + time, chain=[CONTEXT_USER] + chain,
             branches=branches)


def full(r):
    once = [entry(f(4, 0x20), f(2, 0x30), RET, 5), entry(f(3, 0x20), f(4), CALL, 3),
            entry(f(2, 0x24), f(3), CALL, 2)]
    loop = [entry(f(2, 0x60), f(5), CALL, 9)] + 3 * once + [entry(f(1, 0x10), f(2), CALL, 4)]
    chain = [f(5, 0x18), f(2, 0x65), f(1, 0x15), f(0, 0x40)]
    sample(r, 1000, chain, loop)
    sample(r, 2000, chain, loop)
    sample(r, 3000, [f(9, 8), f(8, 0x25), f(7, 0x15), f(6, 0x33)],
           [entry(f(9, 4), f(9, 8), COND), entry(f(8, 0x20), f(9), CALL),
            entry(f(7, 0x10), f(8), CALL)])
    sample(r, 4000, [f(11, 0x44), f(0, 0x50)],
           [entry(f(11, 0x10), f(11, 0x40), COND, 1, miss=True),
            entry(f(11, 0x80), f(11, 8), COND, 7, abort=True)])


def bare(r):
    """Addresses only; in the first sample f2 and f3 jump to each other twice, in the others once."""
    once = [{'from': f(3, 0x20), 'to': f(2, 0x10)}, {'from': f(2, 0x20), 'to': f(3)}]
    for time, loop in ((1000, 2 * once), (2000, once), (3000, once)):
        sample(r, time, [f(2, 0x18), f(0, 0x40)], loop + [{'from': f(1, 0x10), 'to': f(2)}])


def wild(r):
    sample(r, 1000, [f(2, 0x18), f(0, 0x40)],
           [{'from': 0x500020, 'to': f(2)}, {'from': f(1, 0x10), 'to': 0x500000}])


def main():
    where = os.path.abspath(sys.argv[1])
    for name, samples in (('history', full), ('history-bare', bare), ('history-wild', wild)):
        r = start(where)
        samples(r)
        r.write(os.path.join(where, name + '.data'))


main()
