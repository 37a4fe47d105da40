#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile-files.py KIND OUT [ARG...]: recordings made to hurt whoever reads them.

names OUT DIR       names with escape sequences, newlines and broken UTF-8; objects below DIR
maps OUT N          one process with N maps, the highest first
forks OUT N MAPS    N processes that fork from one with MAPS maps and map one thing more each
map-id OUT PATH OFFSET SIZE HEX VADDR...
                    the same with a build id of 20 bytes, zeros behind HEX
map OUT PATH OFFSET SIZE VADDR...
                    PATH mapped at 0x400000 from OFFSET, samples at these addresses of the file
"""
import struct
import sys

BASE = 0x400000
IP, TID, TIME, CALLCHAIN, PERIOD = 1, 2, 4, 32, 256
MMAP, COMM, FORK, SAMPLE, MMAP2 = 1, 3, 7, 9, 10


def text(s):
    s = s if isinstance(s, bytes) else s.encode()
    return s + b'\0' * (8 - len(s) % 8)


class File:
    def __init__(self):
        self.out, self.now = [], 1000

    def record(self, kind, misc, body, pid):
        self.now += 1000
        tail = b'' if kind == SAMPLE else struct.pack('<iiQ', pid, pid, self.now)
        self.out.append(struct.pack('<IHH', kind, misc, 8 + len(body) + len(tail)) + body + tail)

    def comm(self, pid, name):
        self.record(COMM, 0, struct.pack('<ii', pid, pid) + text(name), pid)

    def mmap(self, pid, start, size, pgoff, name):
        self.record(MMAP, 2, struct.pack('<iiQQQ', pid, pid, start, size, pgoff) + text(name), pid)

    def fork(self, pid, parent):
        self.record(FORK, 0, struct.pack('<iiiiQ', pid, parent, pid, parent, self.now), pid)

    def sample(self, pid, ip):
        self.record(SAMPLE, 2, struct.pack('<QiiQQQQQ', ip, pid, pid, self.now + 1000, 1, 2,
                                           (1 << 64) - 512, ip), pid)

    def write(self, path):
        data = b''.join(self.out)
        attr = struct.pack('<IIQQQQQ', 1, 128, 0, 4000, IP | TID | TIME | CALLCHAIN | PERIOD, 0,
                           1 << 8 | 1 << 9 | 1 << 18).ljust(128, b'\0')
        with open(path, 'wb') as f:
            f.write(b'PERFILE2' + struct.pack('<12Q', 104, 144, 104, 144, 248, len(data),
                                              *[0] * 6) + attr + struct.pack('<QQ', 0, 0) + data)


def names(f, where):
    where = where.encode()
    f.comm(7, b'x\n99999\n;y 7')
    f.comm(8, b'\x1b[2J\xff\xc2\x9bm')
    for i, name in enumerate((b'/a\x1b]0;title\x07.so', b'/b\n# forged: 1\r.so', b'/c\xff\xfe.so',
                              b'/d\xe2\x80\xae.so', b'/e\x7f\t;.so')):
        for pid in (7, 8):
            at = BASE + i * 0x10000
            f.mmap(pid, at, 0x1000, 0, where + name)
            f.sample(pid, at + 16 * pid)


def maps(f, n):
    n = int(n)
    f.comm(7, 'maps')
    for i in range(n, 0, -1):
        f.mmap(7, BASE + i * 0x2000, 0x1000, 0, '/lib/x%d.so' % (i % 10))
    for i in range(1, n, n // 10 + 1):
        f.sample(7, BASE + i * 0x2000 + 16)


def forks(f, n, nr_maps):
    f.comm(7, 'forks')
    for i in range(int(nr_maps)):
        f.mmap(7, BASE + i * 0x2000, 0x1000, 0, '/lib/x.so')
    for pid in range(1000, 1000 + int(n)):
        f.fork(pid, 7)
        f.mmap(pid, BASE - 0x2000, 0x1000, 0, '/lib/y.so')
    f.sample(1000 + int(n) - 1, BASE + 16)
    f.sample(1000, BASE - 0x2000 + 16)


def one_map(f, path, offset, size, *at):
    offset, size = int(offset, 0), int(size, 0)
    f.comm(7, 'map')
    f.mmap(7, BASE, size, offset, path)
    for a in at:
        f.sample(7, BASE + int(a, 0) - offset)


def map_id(f, path, offset, size, build_id, *at):
    offset, size = int(offset, 0), int(size, 0)
    f.comm(7, 'map')
    f.record(MMAP2, 2 | 1 << 14, struct.pack('<iiQQQB3x20sII', 7, 7, BASE, size, offset, 20,
                                             bytes.fromhex(build_id), 5, 2) + text(path), 7)
    for a in at:
        f.sample(7, BASE + int(a, 0) - offset)


def main():
    kinds = {'names': names, 'maps': maps, 'forks': forks, 'map': one_map, 'map-id': map_id}
    f = File()
    kinds[sys.argv[1]](f, *sys.argv[3:])
    f.write(sys.argv[2])


main()
