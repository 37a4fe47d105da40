#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""add-ssp.py IN OUT CALLS: a recording of --call-graph dwarf with a shadow stack pointer in each sample.

The samples keep their registers and their copy of the stack, so that chains are unwound as before; the pointer is
that of a thread in which CALLS calls have not returned, as the kernel begins shadow stacks: at the end of a page.
"""
import os
import struct
import sys

from perfdata import *

TOP, SSP, SIMD_SIZE = 0x7f0000400000, 40, 176
LEADING = ((IDENTIFIER, 'id'), (IP, 'ip'), (TID, 'tid'), (TIME, 'time'), (ADDR, 'addr'), (ID, 'id'),
           (STREAM_ID, 'stream_id'), (CPU, 'cpu'), (PERIOD, 'period'))


class Cursor:
    def __init__(self, b):
        self.b, self.at = b, 0

    def u64(self, n=1):
        v = struct.unpack_from('<%dQ' % n, self.b, self.at)
        self.at += 8 * n
        return v[0] if n == 1 else list(v)

    def some(self, n):
        self.at += n
        return self.b[self.at - n:self.at]


def main(path, out, calls):
    b = open(path, 'rb').read()
    attrs, _, data, size = struct.unpack_from('<4Q', b, 24)
    kind = struct.unpack_from('<Q', b, attrs + 24)[0]
    mask = struct.unpack_from('<Q', b, attrs + 80)[0]
    dump = struct.unpack_from('<I', b, attrs + 88)[0]
    keep = IP | TID | TIME | PERIOD
    r = Recording(Attr(type=1, sample_type=keep | CALLCHAIN | REGS_USER | STACK_USER, size=SIMD_SIZE,
                       sample_regs_user=mask | 1 << SSP, sample_stack_user=dump, simd_regs_enabled=1,
                       flags='mmap comm task mmap2 exclude_kernel'))
    r.features[ARCH] = r.string('x86_64')
    at = data
    while at < data + size:
        rec, misc, n = struct.unpack_from('<IHH', b, at)
        c = Cursor(b[at + 8:at + n])
        if rec == SAMPLE:
            v = {name: c.u64() for bit, name in LEADING if kind & bit}
            tid = v.pop('tid')
            v = {k: v[k] for k in ('ip', 'time', 'period') if k in v}
            chain = c.some(8 * c.u64()) if kind & CALLCHAIN else b''
            chain = list(struct.unpack('<%dQ' % (len(chain) // 8), chain))
            abi = c.u64()
            regs = c.u64(bin(mask).count('1')) if abi else []
            had = c.u64()
            stack = c.some(had)
            stack = stack[:c.u64()] if had else b''
            if abi:
                r.sample(pid=tid & 0xffffffff, tid=tid >> 32, misc=misc, chain=chain, stack=stack,
                         regs_user=dict(abi=ABI_64 | ABI_SIMD, gprs=regs + [TOP - 8 * calls]), **v)
        elif rec in (MMAP, MMAP2, COMM, FORK, EXIT):
            r.raw(b[at:at + n])
        at += n
    r.write(out)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
