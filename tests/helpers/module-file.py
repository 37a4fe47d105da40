#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""module-file.py OUT MODULE PLACE... <NM: a recording of a kernel module mapped by this name, a
sample at each PLACE in it: an address or NAME+BYTES of a function that nm lists."""
import sys

from perfdata import *

BASE = 0xffffffffc0400000

at = {line.split()[2]: int(line.split()[0], 16) for line in sys.stdin if ' T ' in line}
r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1000, sample_type=IP | TID | TIME | PERIOD,
                   flags='mmap comm'))
r.mmap(-1, BASE, 0x10000, 0, sys.argv[2], tid=0, misc=KERNEL)
for place in sys.argv[3:]:
    name, _, more = place.partition('+')
    addr = at[name] + int(more) if more else int(place, 0)
    r.sample(misc=KERNEL, ip=BASE + addr, pid=7, time=1000, period=1)
r.write(sys.argv[1])
