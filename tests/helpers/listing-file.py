#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""listing-file.py [-g] [-p] [-b BUILDID] OUT OBJECT [EVENTS] <TEXT: a recording of a process with OBJECT's
executable segments mapped where they are linked to, as TEXT says:

	map PATH [OFFSET]		OBJECT is recorded as PATH from here on, OFFSET higher than linked
	sample TIMES IP [PERIOD [EVENT]]	EVENT: number of the event, from 0
	kernel TIMES IP

EVENTS (1) software clocks; -g: they are a group; -p: as a stream; -b: the maps carry this build id (hex).
"""
import sys

from perfdata import *

PID, PAGE, PF_X, GROUP_DESC = 10, 4096, 1, 17


def main():
    words, group, pipe, build_id = sys.argv[1:], False, False, None
    while words[0][0] == '-':
        opt = words.pop(0)
        group, pipe = group or opt == '-g', pipe or opt == '-p'
        build_id = bytes.fromhex(words.pop(0)) if opt == '-b' else build_id
    out, path = words[:2]
    events = int(words[2]) if len(words) > 2 else 1
    r = Recording(*[Attr(type=TYPE_SOFTWARE, config=n, ids=(n + 1,),
                         flags='sample_id_all comm mmap freq exclude_guest', sample_period=4000,
                         sample_type=IP | TID | TIME | ID | PERIOD) for n in range(events)])
    r.comm(PID, 'walk')
    lines = [line.split() for line in sys.stdin if line.strip()]
    if not any(what == 'map' for what, *_ in lines):
        lines.insert(0, ['map', path])
    for what, *words in lines:
        if what == 'map':
            shift = int(words[1], 0) if len(words) > 1 else 0
            for flags, offset, vaddr, size in segments(path):
                if flags & PF_X:
                    first = offset & -PAGE
                    r.mmap2(PID, vaddr - offset + first + shift, offset - first + size + PAGE - 1 & -PAGE,
                            first, words[0], build_id=build_id, id=1)
        elif what in ('sample', 'kernel'):
            event = int(words[3]) if len(words) > 3 else 0
            for _ in range(int(words[0])):
                r.sample(misc=KERNEL if what == 'kernel' else USER, pid=PID, ip=int(words[1], 0),
                         id=event + 1, attr=r.attrs[event],
                         period=int(words[2]) if len(words) > 2 else 250000)
        else:
            sys.exit(what + '?')
    if group:
        r.features[GROUP_DESC] = r.pack('I', 1) + r.string('') + r.pack('II', 0, events)
    r.features[ARCH] = r.string('x86_64')
    r.write_pipe(out) if pipe else r.write(out)


main()
