#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""one-sample.py OUT CPUMODE PID START LEN PGOFF NAME IP: a recording of one executable map and one
sample in it."""
import sys

from perfdata import *

out, mode, pid, start, length, pgoff, name, ip = sys.argv[1:]
mode, pid = int(mode), int(pid)
r = Recording(Attr(type=TYPE_SOFTWARE, size=64, sample_period=1000, sample_type=IP | TID | TIME,
                   flags='mmap comm sample_id_all'), time=1)
r.mmap(pid, int(start, 0), int(length, 0), int(pgoff, 0), name, misc=mode)
r.sample(misc=mode, pid=pid, ip=int(ip, 0))
r.write(out)
