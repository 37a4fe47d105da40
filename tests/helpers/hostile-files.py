#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile-files.py KIND OUT [ARG...]: recordings made to hurt whoever reads them.

names OUT DIR       names with escape sequences, newlines and broken UTF-8; objects below DIR
maps OUT N          one process with N maps, the highest first
forks OUT N MAPS    N processes that fork from one with MAPS maps and map one thing more each
reads OUT N         N counters of an event with PERF_FORMAT_GROUP, read with as many that no event has
groups OUT N        a stream of N events, again and again in groups: of all, of all but the first ...
types OUT N M       a stream of N tracepoints of one number, named M times, otherwise each time
ids OUT N           an event with N ids, and
comms OUT N         N names of a thread, and
places OUT N        samples of N addresses: all have one place in tables of a perf without a secret
objects OUT N       samples at an address each of N objects, whose numbers would make one of all
map-id OUT PATH OFFSET SIZE HEX VADDR...
                    the same with a build id of 20 bytes, zeros behind HEX
spelled OUT N PATH  samples in N files that are not those recorded: PATH, each spelled in another way
ends OUT N          one call chain of N samples, each at an address of its own
modules OUT N EACH  N kernel modules, EACH samples in each
map OUT PATH OFFSET SIZE VADDR...
                    PATH mapped at 0x400000 from OFFSET, samples at these addresses of the file
"""
import sys

from perfdata import *

BASE = 0x400000


class File(Recording):
    """Samples have a call chain: the address they are at."""

    def __init__(self):
        super().__init__(Attr(type=TYPE_SOFTWARE, size=128, sample_period=4000,
                              sample_type=IP | TID | TIME | CALLCHAIN | PERIOD,
                              flags='mmap comm sample_id_all'), time=2000, step=1000)

    def at(self, pid, ip):
        self.sample(pid=pid, ip=ip, period=1, chain=(CONTEXT_USER, ip))


def names(f, where):
    where = where.encode()
    f.comm(7, b'x\n99999\n;y 7')
    f.comm(8, b'\x1b[2J\xff\xc2\x9bm')
    for i, name in enumerate((b'/a\x1b]0;title\x07.so', b'/b\n# forged: 1\r.so', b'/c\xff\xfe.so',
                              b'/d\xe2\x80\xae.so', b'/e\x7f\t;.so')):
        for pid in (7, 8):
            at = BASE + i * 0x10000
            f.mmap(pid, at, 0x1000, 0, where + name)
            f.at(pid, at + 16 * pid)


def maps(f, n):
    n = int(n)
    f.comm(7, 'maps')
    for i in range(n, 0, -1):
        f.mmap(7, BASE + i * 0x2000, 0x1000, 0, '/lib/x%d.so' % (i % 10))
    for i in range(1, n, n // 10 + 1):
        f.at(7, BASE + i * 0x2000 + 16)


def forks(f, n, nr_maps):
    f.comm(7, 'forks')
    for i in range(int(nr_maps)):
        f.mmap(7, BASE + i * 0x2000, 0x1000, 0, '/lib/x.so')
    for pid in range(1000, 1000 + int(n)):
        f.task(FORK, pid, 7)
        f.mmap(pid, BASE - 0x2000, 0x1000, 0, '/lib/y.so')
    f.at(1000 + int(n) - 1, BASE + 16)
    f.at(1000, BASE - 0x2000 + 16)


def ends(f, n):
    for i in range(int(n)):
        f.sample(pid=7, ip=BASE + 16 * i, period=1, chain=(CONTEXT_USER, BASE))


def modules(f, n, each):
    at = [0xffffffffc0000000 + 4096 * i for i in range(int(n))]
    for i, start in enumerate(at):
        f.mmap(-1, start, 4096, 0, '[m%d]' % i, tid=0, misc=KERNEL)
    for start in at:
        for ip in range(start, start + int(each)):
            f.sample(misc=KERNEL, pid=7, ip=ip, period=1, chain=(CONTEXT_KERNEL, ip))


def reads(f, n):
    ids = range(1, int(n) + 1)
    f.attrs = (Attr(type=TYPE_SOFTWARE, sample_type=IP | TID | TIME | READ | IDENTIFIER,
                    read_format=FORMAT_ID | FORMAT_GROUP, flags='inherit', ids=ids),)
    for first in range(0, len(ids), 2000):
        some = ids[first:first + 2000]
        f.sample(pid=7, ip=BASE, id=1, read=[2 * len(some)] + [w for i in some for w in (i, i, 1, i << 40)])


def groups(f, n):
    n = int(n)
    f.attrs = (Attr(type=TYPE_SOFTWARE, sample_type=IP),) * n
    for i in range(n):
        f.put(HEADER_FEATURE, 0, f.words(GROUP_DESC) + f.pack('I', 1) + f.string('g%d' % i) +
              f.pack('II', i, n - i))
    f.write = f.write_pipe


def types(f, n, m):
    f.attrs = (Attr(type=TYPE_TRACEPOINT, config=1, sample_type=IP),) * int(n)
    for i in range(int(m)):
        f.put(HEADER_EVENT_TYPE, 0, f.words(1) + f.text('a:b%d' % (i % 2)))
    f.write = f.write_pipe


# hash_fixed() of base/tables.h, and back from it
ODD, GOLDEN = 0xd6e8feb86659fd93, 0x9e3779b97f4a7c15


def hashed(x):
    for _ in range(2):
        x = (x ^ x >> 32) * ODD & M64
    return x ^ x >> 32


def unhashed(x):
    for _ in range(2):
        x = (x ^ x >> 32) * pow(ODD, -1, 1 << 64) & M64
    return x ^ x >> 32


def mixed(h):
    return GOLDEN + (h << 6)


def ids(f, n):
    f.attrs = (Attr(type=TYPE_SOFTWARE, sample_type=IP | TID | IDENTIFIER,
                    ids=[unhashed(0x12345678 << 32 | i) for i in range(int(n))]),)
    f.sample(pid=7, ip=BASE, id=f.attrs[0].ids[-1])


def comms(f, n):
    begin, at, left = GOLDEN ^ 16, 0x0101010101010101, int(n)
    while left:
        h = hashed((begin ^ at + mixed(begin)) & M64)
        name = f.words(at, (0x123456789 ^ h) - mixed(h))
        at += 1
        if 0 not in name:
            f.comm(7, name)
            left -= 1
    f.at(7, BASE)


def places(f, n):
    back, i, left = pow(GOLDEN, -1, 1 << 64), 0x12345 << 44, int(n)
    f.mmap(7, 0, 1 << 63, 0, '/x.so')
    while left:
        # loc_hash() of symbol/symbol-int.h, back; of the first object, and user code
        at = i * back & M64 ^ (1 << 3 | USER)
        at = (at ^ at >> 32) * back & M64
        i += 1
        if at < 1 << 63:
            f.at(7, at)
            left -= 1


def objects(f, n):
    for i in range(int(n)):
        f.mmap(7, BASE + i * 0x2000, 0x1000, 0x5555000 ^ ((i + 1) << 3 | USER) << 32, '//%d' % i)
    for i in range(int(n)):
        f.at(7, BASE + i * 0x2000)


def spelled(f, n, path):
    for i in range(int(n)):
        name = ''.join('/.' if i >> k & 1 else '/' for k in range(17)) + path
        f.mmap2(7, BASE + i * 0x2000, 0x1000, 0, name, build_id=bytes(range(20)))
    for i in range(int(n)):
        f.at(7, BASE + i * 0x2000)


def one_map(f, path, offset, size, *at):
    offset, size = int(offset, 0), int(size, 0)
    f.comm(7, 'map')
    f.mmap(7, BASE, size, offset, path)
    for a in at:
        f.at(7, BASE + int(a, 0) - offset)


def map_id(f, path, offset, size, build_id, *at):
    offset, size = int(offset, 0), int(size, 0)
    f.comm(7, 'map')
    f.mmap2(7, BASE, size, offset, path, build_id=bytes.fromhex(build_id).ljust(20, b'\0'))
    for a in at:
        f.at(7, BASE + int(a, 0) - offset)


def main():
    kinds = {'names': names, 'maps': maps, 'forks': forks, 'ends': ends, 'modules': modules,
             'reads': reads, 'groups': groups, 'types': types, 'ids': ids, 'comms': comms,
             'places': places, 'objects': objects, 'spelled': spelled, 'map': one_map, 'map-id': map_id}
    f = File()
    kinds[sys.argv[1]](f, *sys.argv[3:])
    f.write(sys.argv[2])


main()
