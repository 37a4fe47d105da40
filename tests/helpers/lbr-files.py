#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lbr-files.py DIR: recordings with LBR call stacks, by the format (perf.data(5)).

A model plays a thread: a stack of calls, and registers that remember the newest DEPTH calls that
have not returned. A sample has the kernel's chain (NAME-user: without kernel frames) and the
registers. Beside each NAME.data lie NAME.want and NAME.stitched: one line per sample with the
frames that a reader must show, innermost first, as the rules of chains and stitching say; and
once: lbr.elf, the program, with functions f0 ... f63 of 256 bytes, and kallsyms, the kernel.
"""
import os
import random
import struct
import sys

from perfdata import *

BASE, KBASE = 0x400000, 0xFFFFFFFF81000000
NO_INDEX = M64  # of a stack whose newest register is not known


def function(n):
    return BASE + 0x1000 + 256 * n


class Thread:
    """Calls are (site, target, id): equal sites may be different calls (recursion)."""

    def __init__(self, tid, depth):
        self.tid, self.depth = tid, depth
        self.calls, self.kept, self.tos = [], 0, depth - 1
        self.prev, self.tail = None, []
        self.jumped = None

    def where(self):
        if self.jumped is not None:
            return self.jumped
        return self.calls[-1][1] if self.calls else function(0)

    def jump(self, f):
        """As a PLT stub does and a tail call: another function, and no entry for it."""
        self.jumped = function(f)

    def call(self, f, site=None):
        self.calls.append((self.where() + (16 + 8 * (f % 8) if site is None else site), function(f)))
        self.jumped = None
        self.tos = (self.tos + 1) % self.depth
        self.kept = min(self.kept + 1, self.depth)

    def ret(self, n=1):
        self.jumped = None
        for _ in range(min(n, len(self.calls))):
            self.calls.pop()
            self.tos = (self.tos - 1) % self.depth
            self.kept = max(self.kept - 1, 0)

    def entries(self):
        return [(s, t, 0) for s, t in reversed(self.calls[len(self.calls) - self.kept:])]


def stitched(prev, prev_idx, cur, idx, depth):
    """The rule, in its words: where cur continues in prev, or None."""
    if NO_INDEX in (prev_idx, idx) or not prev or not cur:
        return None
    base = depth - len(cur) + idx + 1
    distance = prev_idx - base if prev_idx > base else depth + prev_idx - base
    if distance < 0 or distance + 1 > len(prev):
        return None
    return distance + 1 if prev[distance] == cur[-1] else None


class File:
    def __init__(self, name, depth, kernel):
        self.name, self.depth, self.kernel = name, depth, kernel
        self.want, self.joined = [], []
        self.r = Recording(Attr(sample_type=IP | TID | TIME | CALLCHAIN | PERIOD | BRANCH_STACK,
                                flags='sample_id_all exclude_guest',
                                branch_sample_type=BRANCH_USER | BRANCH_CALL_STACK | BRANCH_NO_FLAGS |
                                BRANCH_NO_CYCLES | BRANCH_HW_INDEX), time=10 ** 9, step=0)
        self.r.features[ARCH] = self.r.string('x86_64')
        self.r.features[CPU_PMU_CAPS] = self.r.caps(branches=depth)
        self.r.mmap(-1, KBASE, 0x1000000, KBASE, '[kernel.kallsyms]_text', misc=KERNEL)

    def thread(self, tid):
        self.r.comm(tid, 'lbr')
        self.r.mmap(tid, BASE, 0x10000, 0, os.path.join(os.path.abspath(sys.argv[1]), 'lbr.elf'))
        return Thread(tid, self.depth)

    def sample(self, th, kernel=0, idx=None, entries=None, marker=True):
        """kernel: frames in it. idx, entries: other than what the registers hold."""
        kernel = kernel if self.kernel else 0
        if not (kernel or marker):
            return
        self.r.time += 1000
        entries = th.entries() if entries is None else entries
        idx = th.tos if idx is None else idx
        kips = [KBASE + 0x1000 * (kernel - k) + 64 for k in range(kernel)]
        uips = [th.where() + 32] + [s + 5 for s, _ in reversed(th.calls[-3:])]
        chain = ([CONTEXT_KERNEL] + kips if kips else []) + ([CONTEXT_USER] + uips if marker else [])
        # Sums of these are not equal by accident: the order of rows is given.
        period = 1000000 + 7919 * len(self.want) + len(self.want) ** 3
        self.r.sample(misc=KERNEL if kips else USER, ip=kips[0] if kips else uips[0], pid=th.tid,
                      period=period, chain=chain, hw_idx=idx,
                      branches=[dict(zip(('from', 'to', 'flags'), e)) for e in entries])
        self.expect(th, kips, uips if marker else [], entries, idx, marker)

    def expect(self, th, kips, uips, entries, idx, marker):
        plain = kips + uips
        if not marker or not entries:
            self.want.append(plain)
            self.joined.append(plain)
            return
        # Sampled in user mode: right there. In the kernel: only the function is known.
        chain = kips + [entries[0][1] if kips else uips[0]] + [e[0] for e in entries]
        first = stitched(*th.prev, entries, idx, self.depth) if th.prev else None
        th.tail = th.prev[0][first:] + th.tail if first is not None else []
        th.prev = (entries, idx)
        self.want.append(chain)
        self.joined.append(chain + [e[0] for e in th.tail])

    def write(self, where):
        self.r.write(os.path.join(where, self.name + '.data'))
        for name, lines in (('want', self.want), ('stitched', self.joined)):
            with open(os.path.join(where, f'{self.name}.{name}'), 'w') as out:
                for frames in lines:
                    print(*(f'{a:x}' for a in frames), file=out)


# ---- what there is ------------------------------------------------------------------------------

def plain(f):
    """Kernel and user parts, never more calls than registers."""
    th = f.thread(100)
    for n in range(1, 7):
        th.call(n)
        f.sample(th, kernel=n % 3)
    th.ret(3)
    f.sample(th)


def recursion(f):
    """f1 calls itself, far deeper than the registers go; the kernel now and then."""
    th = f.thread(100)
    for n in range(40):
        for _ in range(5):
            th.call(1)
        f.sample(th, kernel=2 * (n % 5 == 0))


def mutual(f):
    """f2 and f3 call each other; up and down around the registers' number."""
    th = f.thread(100)
    for n in range(60):
        th.call(2 + n % 2)
        if n % 3 == 0:
            f.sample(th)
        if n % 7 == 6:
            th.ret(4)
            f.sample(th, kernel=1)


def wrap(f):
    """One call per sample: every position of the newest register, twice round."""
    th = f.thread(100)
    for n in range(f.depth):
        th.call(n % 60 + 1)
    for n in range(2 * f.depth + 3):
        f.sample(th, kernel=n % 2)
        th.call((n * 7) % 60 + 1)


def gaps(f):
    """So many calls, or returns, between two samples that nothing joins, then it does again."""
    th = f.thread(100)
    for step in (f.depth, 1, f.depth, 3, f.depth + 1, 2, f.depth - 1, f.depth - 2, 2 * f.depth, 1):
        for n in range(step):
            th.call((n * 5 + step) % 60 + 1)
        f.sample(th)
    for back in (1, f.depth // 2, f.depth - 1, 2, f.depth):
        th.ret(back)
        if th.kept:
            f.sample(th, kernel=1)
        th.call(9)
        f.sample(th)


def mismatch(f):
    """Entries that are not those of the sample before: site, target, flags; wrong register."""
    th = f.thread(100)
    for n in range(f.depth + 4):
        th.call(n % 60 + 1)
    f.sample(th)
    for at, word in ((-1, 0), (-1, 1), (-1, 2), (-2, 0), (0, 2)):
        th.call(7)
        entries = [list(e) for e in th.entries()]
        entries[at][word] += 8
        f.sample(th, entries=[tuple(e) for e in entries])
        th.call(8)
        f.sample(th)
        th.call(9)
        f.sample(th, kernel=2)
    f.sample(th, idx=(th.tos + 3) % f.depth)
    f.sample(th)
    f.sample(th, idx=NO_INDEX)
    th.call(5)
    f.sample(th)
    th.call(6)
    f.sample(th)


def threads(f):
    """Two threads take turns; each has a stack before of its own."""
    a, b = f.thread(100), f.thread(200)
    for n in range(f.depth):
        a.call(n % 20 + 1)
        b.call(n % 20 + 30)
    for n in range(12):
        a.call(n + 1)
        f.sample(a, kernel=n % 2)
        b.call(n + 31)
        b.call(n + 32)
        f.sample(b)


def partial(f):
    """No marker (the chain of a kernel thread), one entry."""
    th = f.thread(100)
    th.call(1)
    f.sample(th)
    for n in range(f.depth + 2):
        th.call(n % 60 + 1)
    f.sample(th)
    f.sample(th, kernel=3, marker=False)
    th.call(3)
    f.sample(th)
    th.ret(f.depth)
    th.call(4)
    f.sample(th, kernel=1)


def empty(f):
    """No entries: the kernel's chain is all there is. (perf 6.1 reads the next record instead.)"""
    th = f.thread(100)
    f.sample(th)
    f.sample(th, kernel=2)
    for n in range(f.depth + 2):
        th.call(n % 60 + 1)
    f.sample(th)
    th.ret(f.depth)
    f.sample(th)
    th.call(4)
    f.sample(th, kernel=1)


def jumps(f):
    """Stubs and tail calls: the sample is not in the function that was called last."""
    th = f.thread(100)
    for n in range(f.depth + 5):
        th.call(2 * n % 60 + 1)
        f.sample(th)
        th.jump(2 * n % 60 + 2)
        f.sample(th)
        f.sample(th, kernel=2)


def walks(f, seed):
    """A random walk, mostly deeper."""
    rnd = random.Random(seed)
    th = f.thread(100)
    for _ in range(150):
        for _ in range(rnd.randrange(1, 2 + f.depth // 3)):
            if rnd.random() < 0.6:
                th.call(rnd.randrange(1, 60))
            else:
                th.ret()
        if th.kept:
            f.sample(th, kernel=rnd.choice((0, 0, 1, 3)))


def program(path):
    """An ELF file of text and symbols, nothing else."""
    names, symbols = b'\0', struct.pack('<IBBHQQ', 0, 0, 0, 0, 0, 0)
    for n in range(64):
        symbols += struct.pack('<IBBHQQ', len(names), 0x12, 0, 1, function(n), 256)
        names += b'f%d\0' % n
    sections = b'\0.text\0.symtab\0.strtab\0.shstrtab\0'
    text = b'\x90' * 0x4000
    at, parts = 0x1000, [text, symbols, names, sections]
    offsets = []
    for p in parts:
        offsets.append(at)
        at += len(p) + -len(p) % 16
    sh = b'\0' * 64
    sh += struct.pack('<IIQQQQIIQQ', 1, 1, 6, BASE + 0x1000, offsets[0], len(text), 0, 0, 16, 0)
    sh += struct.pack('<IIQQQQIIQQ', 7, 2, 0, 0, offsets[1], len(symbols), 3, 1, 8, 24)
    sh += struct.pack('<IIQQQQIIQQ', 15, 3, 0, 0, offsets[2], len(names), 0, 0, 1, 0)
    sh += struct.pack('<IIQQQQIIQQ', 23, 3, 0, 0, offsets[3], len(sections), 0, 0, 1, 0)
    head = b'\x7fELF\2\1\1' + b'\0' * 9
    head += struct.pack('<HHIQQQIHHHHHH', 2, 62, 1, function(0), 64, at, 0, 64, 56, 1, 64, 5, 4)
    head += struct.pack('<IIQQQQQQ', 1, 5, 0, BASE, BASE, 0x10000, 0x10000, 0x1000)
    with open(path, 'wb') as out:
        out.write(head.ljust(0x1000, b'\0'))
        for p in parts:
            out.write(p + b'\0' * (-len(p) % 16))
        out.write(sh)


def main():
    where = sys.argv[1]
    program(os.path.join(where, 'lbr.elf'))
    with open(os.path.join(where, 'kallsyms'), 'w') as out:
        for n in range(16):
            print(f'{KBASE + 0x1000 * n:x} T {"_text" if not n else f"k{n}"}', file=out)
    jobs = [(fn.__name__ + str(d), d, fn) for fn in (plain, recursion, mutual, wrap, gaps, mismatch,
                                                    threads, partial, empty, jumps) for d in (8, 32)]
    jobs += [(f'walk{d}-{s}', d, lambda f, s=s: walks(f, s)) for d in (8, 16, 32) for s in range(4)]
    for name, depth, fn in jobs:
        for kernel in (True, False):
            f = File(name + ('' if kernel else '-user'), depth, kernel)
            fn(f)
            f.write(where)


main()
