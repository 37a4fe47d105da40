#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cut-file.py FILE OUT BYTES: FILE up to the sample in the middle and BYTES of the next record.
cut-file.py -d FILE DIR: its records as a directory of the dir-data format, samples dealt to three
files in turn."""
import os
import sys

from perfdata import *

DATA_SIZE_AT = 48  # of the header


def cut(source, out, more):
    parts = Parts(source)
    ends = [at + len(b) for kind, at, b in parts.records() if kind == SAMPLE]
    with open(out, 'wb') as f:
        f.write(parts.bytes[:ends[len(ends) // 2] + more])


def spread(source, where):
    parts = Parts(source)
    dealt, main = {0: [], 1: [], 10: []}, []
    for n, (kind, _, b) in enumerate(parts.records()):
        (dealt[(0, 1, 10)[n % 3]] if kind == SAMPLE else main).append(b)
    main = b''.join(main)
    with open(os.path.join(where, 'data'), 'wb') as f:
        f.write(parts.bytes[:DATA_SIZE_AT] + len(main).to_bytes(8, 'little') +
                bytes(HEADER_SIZE - DATA_SIZE_AT - 8) + parts.bytes[HEADER_SIZE:parts.data_at] + main)
    for n, records in dealt.items():
        with open(os.path.join(where, f'data.{n}'), 'wb') as f:
            f.writelines(records)


if sys.argv[1] == '-d':
    spread(*sys.argv[2:])
else:
    cut(sys.argv[1], sys.argv[2], int(sys.argv[3]))
