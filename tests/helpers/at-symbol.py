#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""at-symbol.py OUT FILE [BUILDID]: a recording of FILE mapped at 0x10000000 plus its offset, with a
sample at every 3rd byte of its code; prints "IP VADDR" for each. With BUILDID (hex) the map carries
that build id."""
import sys

from perfdata import *

PID, BASE, PAGE, PF_X = 100, 0x10000000, 4096, 1


def main():
    out, path = sys.argv[1:3]
    build_id = bytes.fromhex(sys.argv[3]) if len(sys.argv) > 3 else None
    r = Recording(Attr(type=TYPE_SOFTWARE, size=64, sample_period=1000, sample_type=IP | TID | TIME,
                       flags='mmap comm sample_id_all'), time=1, step=0)
    ips = []
    for flags, offset, vaddr, size in segments(path):
        if not flags & PF_X:
            continue
        first = offset & -PAGE
        r.mmap2(PID, BASE + first, offset - first + size + PAGE - 1 & -PAGE, first, path,
                build_id=build_id)
        for at in range(0, size, 3):
            ips.append(BASE + offset + at)
            print(f'{ips[-1]:x} {vaddr + at:x}')
    r.time, r.step = 2, 1
    for ip in ips:
        r.sample(ip=ip, pid=PID)
    r.write(out)


main()
