#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lbr-stacks.py OUT: a recording with LBR call stacks of depth 4 (pmu caps "branches"), taken while
one thread calls f1 ... f8, each at 0x1000 * number:

	sample 1	f1 to f4 active		sample 2	f1 to f6: the registers hold f3 to f6
	sample 3	f1 to f8		sample 4	another stack: does not join
"""
import sys

from perfdata import *

PID = 10

r = Recording(Attr(sample_type=IP | TID | TIME | CALLCHAIN | PERIOD | BRANCH_STACK,
                   flags='sample_id_all',
                   branch_sample_type=BRANCH_USER | BRANCH_CALL_STACK | BRANCH_NO_FLAGS |
                   BRANCH_NO_CYCLES | BRANCH_HW_INDEX), time=1000, step=0)


def sample(hw_idx, *calls):
    """@calls in registers, newest first; every call is made at from + 0x10."""
    r.time += 1000
    ip = calls[0] * 0x1000 + 0x20
    r.sample(ip=ip, pid=PID, period=100000, chain=(CONTEXT_USER, ip), hw_idx=hw_idx,
             branches=[{'from': (n - 1) * 0x1000 + 0x10, 'to': n * 0x1000} for n in calls])


r.comm(PID, 'lbr')
r.mmap(PID, 0x1000, 0x20000, 0, '/nonexistent/lbr')
sample(3, 4, 3, 2, 1)
sample(1, 6, 5, 4, 3)
sample(3, 8, 7, 6, 5)
sample(0, 14, 13, 12, 11)
r.features[ARCH] = r.string('x86_64')
r.features[CPU_PMU_CAPS] = r.caps(branches=4)
r.write(sys.argv[1])
