#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gone-processes.py OUT N: N processes, one after the other, that begin, map a file and end."""
import sys

from perfdata import *

r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1000, sample_type=IP | TID | TIME | PERIOD,
                   flags='mmap comm'))
for pid in range(1001, 1001 + int(sys.argv[2])):
    r.task(FORK, pid, 1, time=pid)
    r.mmap(pid, 0x400000, 0x1000, 0, f'/bin/x{pid:04d}')
    r.task(EXIT, pid, 1, time=pid)
r.write(sys.argv[1])
