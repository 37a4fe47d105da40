#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""core-file.py OUT OBJECT SHIFT: the code of OBJECT as /proc/kcore has it: a core file with segments at
addresses SHIFT higher."""
import struct
import sys

from perfdata import segments

out, path, shift = sys.argv[1], sys.argv[2], int(sys.argv[3], 0)
image = open(path, 'rb').read()
loads = [(vaddr + shift, image[offset:offset + size]) for flags, offset, vaddr, size in segments(path) if size]
at = 64 + 56 * len(loads)
head = b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 4, 62, 1, 0, 64, 0, 0, 64, 56,
                                                      len(loads), 0, 0, 0)
body = b''
for vaddr, data in loads:
    head += struct.pack('<IIQQQQQQ', 1, 7, at + len(body), vaddr, 0, len(data), len(data), 4096)
    body += data
with open(out, 'wb') as f:
    f.write(head + body)
