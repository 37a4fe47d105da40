#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel-file.py OUT <TEXT: a recording of samples in a kernel and its modules, as TEXT says:

	release NAME			of the kernel
	kernel START LENGTH SYMBOL ADDR [BUILDID]	its map, named after a symbol and where that was
	module START LENGTH PATH [BUILDID]
	sample TIMES IP
"""
import sys

from perfdata import *

OSRELEASE = 4

r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1000, sample_type=IP | TID | TIME | PERIOD,
                   flags='mmap comm mmap2 build_id'))
r.features[ARCH] = r.string('x86_64')
for line in sys.stdin:
    what, *words = line.split() or ['']
    if what == 'release':
        r.features[OSRELEASE] = r.string(words[0])
    elif what in ('kernel', 'module'):
        start, length = int(words[0], 0), int(words[1], 0)
        name, more = words[2], words[3:]
        off = int(more.pop(0), 0) if what == 'kernel' else 0
        if what == 'kernel':
            name = '[kernel.kallsyms]' + name
        if more:
            r.mmap2(-1, start, length, off, name, misc=KERNEL, build_id=bytes.fromhex(more[0]))
        else:
            r.mmap(-1, start, length, off, name, tid=0, misc=KERNEL)
    elif what == 'sample':
        for _ in range(int(words[0])):
            r.sample(misc=KERNEL, ip=int(words[1], 0), pid=7, time=1000, period=1)
r.write(sys.argv[1])
