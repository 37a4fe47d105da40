#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mangle-frames.py FROM TO SEED: a copy of an x86-64 object with other bytes in its .eh_frame.

Even seeds change some bytes, odd ones write programs that a reader may die of over the instructions of FDEs:
expressions that divide, jump to themselves, pop what is not there, states that are remembered without end."""
import random
import struct
import sys

blob = bytearray(open(sys.argv[1], 'rb').read())
rand = random.Random(int(sys.argv[3]))
shoff, = struct.unpack_from('<Q', blob, 40)
shentsize, shnum, shstrndx = struct.unpack_from('<HHH', blob, 58)
rows = [struct.unpack_from('<IIQQQQ', blob, shoff + i * shentsize) for i in range(shnum)]
names = rows[shstrndx][4]
at = size = 0
for name, _, _, _, off, n in rows:
    end = blob.index(0, names + name)
    if blob[names + name:end] == b'.eh_frame':
        at, size = off, n
assert size

PROGRAMS = [
    # def_cfa_expression: the smallest number by -1
    b'\x0f\x0d\x0e' + struct.pack('<Q', 1 << 63) + b'\x09\xff\x1b',
    b'\x0f\x03\x2f\xfd\xff',        # jumps to itself
    b'\x0f\x04\x30\x28\xfc\xff',    # branches to itself
    b'\x0f\x02\x22\x22',            # adds what is not there
    b'\x0f\x02\x15\xff',            # picks the 255th
    b'\x0a' * 64,                   # remembers
    b'\x0b' * 4,                    # what was not remembered
    b'\x0f\xff\xff\xff\xff\x0f',    # longer than the section
    b'\x10\x10\x02\x77\x00',        # the return address at the stack pointer
    b'\x16\x07\x02\x77\x00',        # the stack pointer is what it was: no way up
    b'\x0c\xff\xff\xff\xff\x0f\x08',  # by a register that no machine has
    b'\x05\xff\xff\x03\x01',
    b'\x01\xff\xff\xff\xff\xff\xff\xff\xff',
]
pos = at
fdes = []
while pos + 8 <= at + size:
    n, ident = struct.unpack_from('<II', blob, pos)
    if not n:
        break
    if ident:
        fdes.append((pos + 17, pos + 4 + n))
    pos += 4 + n
if int(sys.argv[3]) % 2:
    for start, end in fdes:
        if rand.random() < 0.7:
            p = rand.choice(PROGRAMS)
            room = end - start
            blob[start:end] = (p + bytes(room))[:room]
else:
    for _ in range(rand.choice((1, 20, 300))):
        blob[at + rand.randrange(size)] = rand.choice((0, 0xff, 0x0f, 0x10, 0x1b, 0x2f, rand.randrange(256)))
open(sys.argv[2], 'wb').write(blob)
