#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a recording of memory samples: every field that `perf report --mem-mode` shows.

	mem-file.py PROGRAM OUT

PROGRAM is an ELF file whose segments are mapped where a kernel would map them; data addresses
point into them. The fields of data_src run through all values that have a name.
"""
import sys

from perfdata import *

PID, BASE, PAGE = 77, 0x555500000000, 4096
PF_X, PF_W, PF_R = 1, 2, 4
RAW_LOADS = 0x1cd  # MEM_TRANS_RETIRED.LOAD_LATENCY
# union perf_mem_data_src, from the lowest bit up
DATA_SRC_FIELDS = (('op', 5), ('lvl', 14), ('snoop', 5), ('lock', 2), ('dtlb', 7), ('num', 4),
                   ('remote', 1), ('snoopx', 2), ('blk', 3), ('hops', 3))
OP_LOAD, OP_STORE = 2, 4
LVL_HIT, LVL_L1 = 2, 8
SNOOP_NONE = 2
LOCK_NA = 1
DTLB_HIT, DTLB_MISS, DTLB_L1 = 2, 4, 8
LVLNUM_L3 = 3


def src(**fields):
    return bit_field(DATA_SRC_FIELDS, fields, False)


def load(**fields):
    return src(op=OP_LOAD, **fields)


def sources():
    yield src()
    for i in range(5):
        yield src(op=1 << i)
    for i in range(14):
        yield load(lvl=1 << i)
    for i in range(5):
        yield load(snoop=1 << i)
    for i in range(2):
        yield load(lock=1 << i)
    for i in range(7):
        yield src(op=OP_STORE, dtlb=1 << i)
    yield load(dtlb=DTLB_HIT | DTLB_MISS | DTLB_L1)
    for number in range(16):
        yield load(num=number)
    for remote in range(2):
        yield load(num=LVLNUM_L3, remote=remote)
    for i in range(2):
        yield load(snoopx=1 << i)
    for i in range(3):
        yield load(blk=1 << i)
    for hops in range(1, 5):
        yield load(remote=1, hops=hops)
    yield load(lvl=LVL_HIT | LVL_L1, snoop=SNOOP_NONE, lock=LOCK_NA,
               dtlb=DTLB_HIT | DTLB_L1)


def main():
    program, out = sys.argv[1:]
    r = Recording(Attr(type=TYPE_RAW, size=136, config=RAW_LOADS, sample_period=1000,
                       sample_type=IP | TID | TIME | ADDR | CPU | PERIOD | DATA_SRC | TRANSACTION |
                       PHYS_ADDR | CGROUP | DATA_PAGE_SIZE | CODE_PAGE_SIZE | WEIGHT_STRUCT,
                       flags='mmap comm mmap_data sample_id_all mmap2'), time=1000, step=0)
    r.comm(PID, 'mem')
    code, words = 0, 0
    for flags, offset, vaddr, size in segments(program):
        page = vaddr & PAGE - 1
        prot = sum(p for f, p in ((PF_R, PROT_READ), (PF_W, PROT_WRITE), (PF_X, PROT_EXEC)) if flags & f)
        r.mmap2(PID, BASE + vaddr - page, size + page, offset - page, program, prot=prot, ino=4711,
                misc=USER | (0 if flags & PF_X else MMAP_DATA))
        if flags & PF_X:
            code = BASE + vaddr
        if flags & PF_W:
            words = BASE + vaddr + size - 256
    r.time, r.step = 2000, 1
    for i, data_src in enumerate(sources()):
        addr = (0, words + 8 * i, 0x7ffc00001000 + 24 * i, 0xffff888000000000 + i)[i % 4]
        r.sample(ip=code + 64 + 4 * i, pid=PID, addr=addr, cpu=i % 3, period=100 + i,
                 weight=10 + i % 7, weight2=i % 5, weight3=i % 3, data_src=data_src,
                 transaction=i % 256 | i % 2 << 32, phys_addr=addr & 0xffffff, cgroup=i % 2 * 5,
                 data_page_size=(0, 4096, 2 << 20, 1 << 30)[i % 4], code_page_size=PAGE)
    r.features[ARCH] = r.string('x86_64')
    r.write(out)


main()
