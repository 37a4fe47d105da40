#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""branch-file.py [-b] [-i] [-c] [-g] [-e EVENTS] [-f FILTER] OUT <TEXT: a recording with branch stacks,
as TEXT says:

	map START LENGTH NAME			executable map of process 10, from offset 0 of NAME
	sample TIMES IP FIELD=N,...  ...	one word per branch, newest first
	kernel TIMES IP FIELD=N,...  ...	the same in kernel mode
	count N					what the next sample says is the number of its branches
	still					-g: the first event did not count from the sample before to the next

FIELDs: from, to, mispred, predicted, in_tx, abort, cycles, type, spec, new_type, priv, not_taken,
counter (the branch's counters). -b: big-endian; -i: with the stack's index; -c: with counters, two
of four bits; -e: so many events, of which the first has all samples; -g: they are a group, whose counters each
sample has, and of which the first alone asks for branches; -f: branch_sample_type (any; 0
= no branch stacks).
"""
import sys

from perfdata import *

PID = 10


def branch(word):
    return {name: int(value, 0) for name, value in (pair.split('=') for pair in word.split(','))}


def main():
    words, opts = sys.argv[1:], {'-e': '1', '-f': str(BRANCH_ANY)}
    while words[0][0] == '-':
        opt = words.pop(0)
        opts[opt] = words.pop(0) if opt in opts else ''
    out, = words
    counters, index = '-c' in opts, '-i' in opts
    stacks = int(opts['-f'], 0)
    group, nr = '-g' in opts, int(opts['-e'])
    kind = IP | TID | TIME | (BRANCH_STACK if stacks else 0) | (READ | ID if group else 0)
    attrs = [Attr(config=n if group else 0, sample_type=kind, flags='sample_id_all', ids=[11 + n] if group else (),
                  read_format=(FORMAT_ID | FORMAT_GROUP) * group,
                  branch_sample_type=0 if group and n else
                  stacks | index * BRANCH_HW_INDEX | counters * BRANCH_COUNTERS) for n in range(nr)]
    r = Recording(*attrs, big='-b' in opts)
    r.comm(PID, 'calls')
    more, samples, stills = {}, 0, 0
    for what, *words in (line.split() for line in sys.stdin if line.strip()):
        if what == 'map':
            r.mmap(PID, int(words[0], 0), int(words[1], 0), 0, words[2])
        elif what == 'count':
            more['count'] = int(words[0], 0)
        elif what == 'still':
            stills += 1
        elif what in ('sample', 'kernel'):
            branches = [branch(word) for word in words[2:]]
            for _ in range(int(words[0])):
                samples += 1
                more |= {'id': 11, 'read': [nr] + [v for n in range(nr) for v in (samples if n else samples - stills, 11 + n)]}
                r.sample(misc=KERNEL if what == 'kernel' else USER, pid=PID, ip=int(words[1], 0),
                         branches=branches, hw_idx=3 if branches else M64, **more)
            more = {}
        else:
            sys.exit(what + '?')
    r.features[ARCH] = r.string('s390x' if r.big else 'x86_64')
    r.features[HAS_BRANCH_STACK] = b''
    if group:
        r.features[GROUP_DESC] = r.pack('I', 1) + r.string('') + r.pack('II', 0, nr)
    if counters:
        r.features[CPU_PMU_CAPS] = r.caps(branch_counter_nr=4, branch_counter_width=2)
    r.write(out)


main()
