#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a recording of memory samples: every field that `perf report --mem-mode` shows.

	mem-file.py PROGRAM OUT

PROGRAM is an ELF file whose segments are mapped where a kernel would map them; data addresses
point into them. The fields of data_src run through all values that have a name.
"""
import struct
import sys

SAMPLE_TYPE = sum(1 << b for b in (0, 1, 2, 3, 7, 8, 15, 17, 19, 21, 22, 23, 24))
PID, BASE = 77, 0x555500000000


def segments(path):
    elf = open(path, 'rb').read()
    phoff, = struct.unpack_from('<Q', elf, 32)
    size, number = struct.unpack_from('<HH', elf, 54)
    for i in range(number):
        kind, flags, offset, vaddr, _, filesz = struct.unpack_from('<IIQQQQ', elf, phoff + i * size)
        if kind == 1 and filesz:
            yield flags, offset, vaddr, filesz


def record(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def text(s):
    data = s.encode() + b'\0'
    return data + b'\0' * (-len(data) % 8)


TAIL = struct.pack('<IIQII', PID, PID, 1000, 0, 0)  # sample_id_all: tid, time, cpu


def mmap2(flags, offset, vaddr, size, path):
    page = vaddr & 4095
    prot = (flags & 4) >> 2 | flags & 2 | (flags & 1) << 2
    body = struct.pack('<IIQQQIIQQII', PID, PID, BASE + vaddr - page, size + page, offset - page,
                       8, 1, 4711, 0, prot, 2)
    return record(10, 2 if flags & 1 else 2 | 1 << 13, body + text(path) + TAIL)


def sample(i, ip, addr, src, weight, latency, third, txn, size):
    body = struct.pack('<QIIQQIIQ', ip, PID, PID, 2000 + i, addr, i % 3, 0, 100 + i)
    body += struct.pack('<IHH', weight, latency, third)  # weight struct
    body += struct.pack('<QQQQQQ', src, txn, addr & 0xffffff if addr else 0, i % 2 * 5, size, 4096)
    return record(9, 2, body)


def sources():
    """data_src: op 5 bits, lvl 14, snoop 5, lock 2, dtlb 7, num 4, remote 1, snoopx 2, blk 3, hops 3."""
    yield 0
    for i in range(5):
        yield 1 << i
    for i in range(14):
        yield 2 | 1 << 5 + i
    for i in range(5):
        yield 2 | 1 << 19 + i
    for i in range(2):
        yield 2 | 1 << 24 + i
    for i in range(7):
        yield 4 | 1 << 26 + i
    yield 2 | 3 << 27 | 1 << 29
    for number in range(16):
        yield 2 | number << 33
    for remote in range(2):
        yield 2 | 3 << 33 | remote << 37
    for i in range(2):
        yield 2 | 1 << 38 + i
    for i in range(3):
        yield 2 | 1 << 40 + i
    for hops in range(1, 5):
        yield 2 | 1 << 37 | hops << 43
    yield 2 | 1 << 6 | 1 << 8 | 2 << 19 | 1 << 24 | 1 << 27 | 1 << 29  # an L1 hit, locked


def main():
    program, out = sys.argv[1:]
    data = [record(3, 0, struct.pack('<II', PID, PID) + text('mem') + TAIL)]
    code, words = 0, 0
    for flags, offset, vaddr, size in segments(program):
        data.append(mmap2(flags, offset, vaddr, size, program))
        if flags & 1:
            code = BASE + vaddr
        if flags & 2:
            words = BASE + vaddr + size - 256
    for i, src in enumerate(sources()):
        addr = (0, words + 8 * i, 0x7ffc00001000 + 24 * i, 0xffff888000000000 + i)[i % 4]
        data.append(sample(i, code + 64 + 4 * i, addr, src, 10 + i % 7, i % 5, i % 3,
                           i % 256 | i % 2 << 32, (0, 4096, 2 << 20, 1 << 30)[i % 4]))
    data = b''.join(data)
    # sample_id_all, mmap, comm, mmap2, mmap_data
    flags = 1 << 8 | 1 << 9 | 1 << 17 | 1 << 18 | 1 << 23
    attr = struct.pack('<IIQQQQQ', 4, 136, 0x1cd, 1000, SAMPLE_TYPE, 0, flags)
    attr += b'\0' * (136 - len(attr))
    cmd = text('record').ljust(64, b'\0')
    arch = struct.pack('<I', 64) + text('x86_64').ljust(64, b'\0')
    start = 104 + 136 + 16
    sections = struct.pack('<QQ', start + len(data) + 16, len(arch))
    head = b'PERFILE2' + struct.pack('<QQQQQQQQ', 104, 152, 104, 152, start, len(data), 0, 0)
    head += struct.pack('<QQQQ', 1 << 6, 0, 0, 0)
    assert len(head) == 104 and cmd
    open(out, 'wb').write(head + attr + struct.pack('<QQ', 0, 0) + data + sections + arch)


main()
