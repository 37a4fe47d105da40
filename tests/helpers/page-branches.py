#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page-branches.py OUT: 2000 samples with 32 branches, so many that a page makes slices of time longer: 512
edges, each once in every 16 samples."""
import sys

from perfdata import *

r = Recording(Attr(sample_type=IP | TID | TIME | PERIOD | BRANCH_STACK, flags='sample_id_all mmap comm',
                   branch_sample_type=BRANCH_ANY | BRANCH_USER, ids=[1]))
r.comm(10, 'many', id=1)
r.mmap(10, 0x400000, 0x10000, 0, '/no/such/many', id=1)
for i in range(2000):
    branches = [{'from': 0x401000 + (i * 32 + k) % 512 * 4, 'to': 0x400000, 'predicted': 1} for k in range(32)]
    r.sample(ip=0x401000, pid=10, tid=10, period=1, time=10**9 + (i << 20), branches=branches, id=1)
r.write(sys.argv[1])
