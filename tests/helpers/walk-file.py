#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""walk-file.py OUT OBJECT [EVENTS] <TEXT: a recording of threads with OBJECT's executable segments mapped where
they are linked to, with call chains, a sample each millisecond from 1 s on, as TEXT says:

	thread TID NAME
	sample TIMES TID CPU IP [CALLER...]	callers from the inside out
	event N					of the samples that follow, from 0

EVENTS (1) software clocks.
"""
import sys

from perfdata import *

PID, PAGE, PF_X = 10, 4096, 1


def main():
    out, path = sys.argv[1:3]
    events = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    r = Recording(*[Attr(type=TYPE_SOFTWARE, config=n, ids=(n + 1,),
                         flags='sample_id_all comm mmap freq exclude_guest', sample_period=4000,
                         sample_type=IP | TID | TIME | CALLCHAIN | ID | CPU | PERIOD)
                    for n in range(events)], time=10 ** 9, step=10 ** 6)
    r.comm(PID, 'walk', time=1)
    for flags, offset, vaddr, size in segments(path):
        if flags & PF_X:
            first = offset & -PAGE
            r.mmap2(PID, vaddr - offset + first, offset - first + size + PAGE - 1 & -PAGE, first, path,
                    time=2)
    event = 0
    for what, *words in (line.split() for line in sys.stdin if line.strip()):
        if what == 'thread':
            r.comm(PID, words[1].encode().decode('unicode_escape'), tid=int(words[0]), time=3)
        elif what == 'event':
            event = int(words[0])
        elif what == 'sample':
            times, tid, cpu = map(int, words[:3])
            ips = [int(w, 0) for w in words[3:]]
            for _ in range(times):
                r.sample(pid=PID, tid=tid, cpu=cpu, ip=ips[0], chain=[CONTEXT_USER] + ips,
                         id=event + 1, attr=r.attrs[event], period=250000)
        else:
            sys.exit(what + '?')
    r.features[ARCH] = r.string('x86_64')
    r.write(out)


main()
