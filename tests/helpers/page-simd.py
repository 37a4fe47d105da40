#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page-simd.py OUT: vectors of two threads, 40 samples in 40 ms, in turn: 'narrow' on CPU 0 has the lower
128 bits of a register in use, 'wide' on CPU 1 too, and from the middle on all 512."""
import sys

from perfdata import *

r = Recording(Attr(size=176, sample_type=IP | TID | TIME | CPU | PERIOD | REGS_INTR, ids=(7,),
                   flags='sample_id_all mmap comm', simd_regs_enabled=1, simd_vec_reg_qwords=8,
                   simd_vec_reg_intr=0xffffffff))
r.features[ARCH] = r.string('x86_64')
r.comm(10, 'narrow', id=7)
r.comm(10, 'wide', tid=11, id=7)
for which, name in ((0x400000, '/no/such/lib'), (0x500000, '/no/such/other')):
    r.mmap(10, which, 0x10000, 0, name, id=7)
for i in range(40):
    vec = [[0] * 8 for _ in range(32)]
    vec[3][7 if i % 2 and i >= 20 else 0] = 1
    r.sample(ip=0x500010 if i % 2 else 0x400010, pid=10, tid=10 + i % 2, cpu=i % 2, period=1, id=7,
             time=10**9 + i * 10**6, regs_intr=dict(abi=ABI_64 | ABI_SIMD, gprs=[], vec=vec, pred=[]))
r.write(sys.argv[1])
