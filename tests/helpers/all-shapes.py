#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""all-shapes.py DIR: one recording in every shape that the format has, and their names on stdout:
BYTE-ORDER, size of the attr, how it is written, by which record it is packed (0: by none)."""
import os
import sys

from perfdata import *

PID = 10
SIZES = (72, 80, 96, 112, 120, 136, 176, 200)  # kernels 2.6.39 to now; and later than we know


def describe(r):
    r.comm(PID, 'shapes', id=7, cpu=1)
    r.mmap2(PID, 0x400000, 0x10000, 0x1000, '/nonexistent/program', id=7, cpu=1)
    r.task(FORK, PID + 1, PID, id=7, cpu=2)
    for i in range(2000):  # more than one packed record holds
        r.sample(pid=PID + i % 2, id=7, ip=0x400100 + i, cpu=i % 3, period=100 + i, addr=i << 40,
                 chain=(CONTEXT_KERNEL, 0xffffffff81000000 + i, CONTEXT_USER, 0x400100 + i, 0x400800),
                 branches=[{'from': 0x400000 + i, 'to': 0x400100, 'predicted': 1, 'cycles': i,
                            'type': i % 10}] * (i % 3))
    r.task(EXIT, PID + 1, PID, id=7, cpu=2)


def main():
    for big in (False, True):
        for size in SIZES:
            r = Recording(Attr(type=TYPE_SOFTWARE, size=size, ids=(7,),
                               sample_type=IP | TID | TIME | ADDR | ID | CPU | PERIOD | CALLCHAIN |
                               BRANCH_STACK,
                               flags='mmap comm task sample_id_all mmap2',
                               branch_sample_type=BRANCH_ANY), big=big, time=1000)
            # Without a host name readers take the bits of features for those of the first writers.
            r.features[HOSTNAME] = r.string('host')
            r.features[ARCH] = r.string('x86_64')
            describe(r)
            for how, write in (('file', r.write), ('pipe', r.write_pipe)):
                for packed in (0, 1, 2):
                    name = f'{"big" if big else "little"}-{size}-{how}-{packed}'
                    write(os.path.join(sys.argv[1], name), compress=packed)
                    r.features.pop(FEAT_COMPRESSED, None)
                    print(name)


main()
