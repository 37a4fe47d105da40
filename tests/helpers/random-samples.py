#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""random-samples.py [--mixed] OUT N FILE...: a recording with N samples per executable segment of each ELF
file, mapped one behind the other; the FILE "kernel" stands for the running kernel's text. --mixed: in no
order, with call chains of others of them, some where nothing is mapped, some of threads that have exited."""
import os
import random
import sys

from perfdata import *

PID, PAGE, PF_X = 100, 4096, 1


def map_user(r, path, base, n, rnd):
    """Samples of all segments, and where the next file goes."""
    samples = []
    for flags, offset, _, size in segments(path) or ():
        if not flags & PF_X:
            continue
        first = offset & -PAGE
        length = offset - first + size + PAGE - 1 & -PAGE
        r.mmap2(PID, base, length, first, os.path.realpath(path))
        samples += [(USER, base + offset - first + rnd.randrange(size)) for _ in range(n)]
        base += length + 0x10000
    return samples, base


def map_kernel(r, n, rnd):
    at = {}
    with open('/proc/kallsyms') as f:
        for line in f:
            addr, kind, name = line.split()[:3]
            if kind == 'T' and name in ('_text', '_etext'):
                at[name] = int(addr, 16)
    text, end = at.get('_text', 0), at.get('_etext', 0)
    if not text or end <= text:
        sys.exit(1)
    r.mmap(-1, text, end - text, text, '[kernel.kallsyms]_text', tid=0, misc=KERNEL)
    return [(KERNEL, text + rnd.randrange(end - text)) for _ in range(n)]


def mix(r, samples, rnd):
    """In rounds, as a recorder writes them: a recording can be cut between these."""
    samples += [(USER, 0x10000 + rnd.randrange(1 << 47)) for _ in range(len(samples) // 8)]
    rnd.shuffle(samples)
    for i, (mode, ip) in enumerate(samples):
        pid, tid = rnd.choice([(PID, PID), (PID, PID + 1), (PID, -1), (-1, -1)])
        r.sample(misc=mode, ip=ip, pid=pid, tid=tid,
                 chain=[(1 << 64) - 512, ip] + [rnd.choice(samples)[1] for _ in range(2)])
        if i % 100 == 99:
            r.put(FINISHED_ROUND, 0, b'')


def main():
    mixed = sys.argv[1] == '--mixed'
    out, n, files = sys.argv[1 + mixed], int(sys.argv[2 + mixed]), sys.argv[3 + mixed:]
    r = Recording(Attr(type=TYPE_SOFTWARE, size=64, sample_period=1000,
                       sample_type=IP | TID | TIME | (CALLCHAIN if mixed else 0),
                       flags='mmap comm sample_id_all'), time=1, step=0)
    r.comm(PID, 'random')
    base, samples, rnd = 0x7f0000000000, [], random.Random(7)
    for path in files:
        if path == 'kernel':
            samples += map_kernel(r, n, rnd)
        else:
            more, base = map_user(r, path, base, n, rnd)
            samples += more
    r.time, r.step = 2, 1
    if mixed:
        mix(r, samples, rnd)
    else:
        for mode, ip in samples:
            r.sample(misc=mode, ip=ip, pid=PID)
    r.features[OSRELEASE] = r.string(os.uname().release)
    r.write(out)


main()
