#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mangle-file.py IN OUT SEED: a copy of a file with some of its bytes changed, as the seed has it:
single bytes anywhere, whole words in the first and last kilobytes (where ELF has its headers), or
the end cut off."""
import random
import sys

src, out, seed = sys.argv[1:]
rnd = random.Random(int(seed))
with open(src, 'rb') as f:
    data = bytearray(f.read())
words = [0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]
for _ in range(rnd.randrange(1, 12)):
    what = rnd.randrange(3)
    if what == 0:
        data[rnd.randrange(64, len(data))] = rnd.randrange(256)
    else:
        span = min(4096, len(data) - 80)
        at = 16 + rnd.randrange(span) if what == 1 else len(data) - 8 - rnd.randrange(span)
        size = rnd.choice((2, 4, 8))
        data[at:at + size] = (rnd.choice(words) & (1 << 8 * size) - 1).to_bytes(size, 'little')
if rnd.randrange(8) == 0:
    del data[rnd.randrange(64, len(data)):]
with open(out, 'wb') as f:
    f.write(data)
