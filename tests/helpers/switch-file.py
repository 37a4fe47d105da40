#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of threads of process 100 that come to CPUs and leave them, a second apart.

	switch-file.py FILE CPUS in:101 out:102 exit:103 s:101 S:102 ...

`in` and `out` are context switches, `exit` ends a thread, `s` is a sample of a period of one
million, `S` the same with a call chain: 0x402000, then 0x401000 or 0x401010 for odd threads, then
the sample's own address, 0x400000 and 16 for each thread above 100. CPUS 0: the file does not say
how many there are, and events do not ask for switches.
"""
import struct
import sys

IP, TID, TIME, CHAIN, PERIOD = 1, 2, 4, 1 << 5, 1 << 8
TYPE = IP | TID | TIME | PERIOD
CONTEXT_USER = (1 << 64) - 512


def record(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def sample(tid, time, chain):
    ip = 0x400000 + 16 * (tid - 100)
    body = struct.pack('<QIIQQ', ip, 100, tid, time, 1000000)
    if chain:
        ips = [CONTEXT_USER, ip, 0x401000 + tid % 2 * 16, 0x402000]
        body += struct.pack('<5Q', len(ips), *ips)
    return record(9, 2, body)


def records(words, chain):
    time = 10 ** 12
    for word in words:
        op, tid = word.split(':')
        tid = int(tid)
        time += 10 ** 9
        end = struct.pack('<IIQ', 100, tid, time)
        if op in 'sS':
            yield sample(tid, time, chain)
        elif op == 'exit':
            yield record(4, 0, struct.pack('<IIIIQ', 100, 100, tid, tid, time) + end)
        else:
            yield record(14, 0x2000 if op == 'out' else 0, end)


def main():
    path, cpus, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    chain = any(w[0] == 'S' for w in words)
    # task and sample_id_all; context_switch
    flags = 1 << 13 | 1 << 18 | (1 << 26 if cpus else 0)
    attr = struct.pack('<IIQQQQQ', 1, 64, 0, 1000000, TYPE | (CHAIN if chain else 0), 0, flags)
    attr = attr.ljust(64, b'\0')
    data = b''.join(records(words, chain))
    at = 104 + len(attr) + 16
    head = struct.pack('<8s8Q', b'PERFILE2', 104, 80, 104, 80, at, len(data), 0, 0)
    head += struct.pack('<4Q', 1 << 7 if cpus else 0, 0, 0, 0)
    tail = struct.pack('<QQII', at + len(data) + 16, 8, cpus, cpus) if cpus else b''
    with open(path, 'wb') as f:
        f.write(head + attr + struct.pack('<QQ', 0, 0) + data + tail)


main()
