#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""deferred-stacks.py OUT: a recording whose samples end in a cookie; the user part of their chains
comes in CALLCHAIN_DEFERRED records. Two samples of thread 10 share a cookie, one of thread 11 has
the same cookie, one never gets its chain."""
import sys

from perfdata import *

PID, KBASE = 10, 0xffffffff81000000

r = Recording(Attr(sample_type=IP | TID | TIME | CALLCHAIN | PERIOD,
                   flags='sample_id_all defer_callchain defer_output'), time=1000, step=1000)


def sample(tid, ip, cookie):
    r.sample(misc=KERNEL, pid=PID, tid=tid, ip=ip, period=100000,
             chain=(CONTEXT_KERNEL, ip, CONTEXT_USER_DEFERRED, cookie))


sample(10, KBASE + 1, 7)
sample(11, KBASE + 2, 7)
sample(10, KBASE + 3, 7)
r.callchain_deferred(PID, 10, 7, (0x1010, 0x2020))
sample(12, KBASE + 4, 9)
r.callchain_deferred(PID, 11, 7, (0x3030,))
r.features[ARCH] = r.string('x86_64')
r.write(sys.argv[1])
