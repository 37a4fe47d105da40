#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""history-file.py DIR: DIR/history.data, a recording with branch stacks and call chains, of the
program lbr.elf that lbr-files.py writes there. Four samples:

    1, 2  f1 calls f2, f2 loops three times over f3 and f4, calls f5: sampled there
    3     branches that the chain shows as well: both calls are overlap
    4     one forward and one backward condition, one of them mispredicted

and DIR/history-bare.data: branches that say nothing about themselves, a loop of two rounds in one
of three samples.
"""
import os
import struct
import sys

USER = 2**64 - 512
COND, CALL, RET = 1, 4, 6


def f(n, off=0):
    return 0x401000 + 256 * n + off


def entry(source, target, kind=0, cycles=0, miss=False, abort=False):
    return source, target, (1 if miss else 2) | abort << 3 | cycles << 4 | kind << 20


def record(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def text(s):
    b = s.encode() + b'\0'
    return b + b'\0' * (-len(b) % 8)


def sample(time, chain, branches):
    body = struct.pack('<QiiQQ', chain[0], 100, 100, time, 100000 + time)
    body += struct.pack('<%dQ' % (len(chain) + 2), len(chain) + 1, USER, *chain)
    body += struct.pack('<Q', len(branches))
    for e in branches:
        body += struct.pack('<QQQ', *e)
    return record(9, 2, body)


def bare():
    """Addresses only; in the first sample f2 and f3 jump to each other twice, in the others once."""
    once = [(f(3, 0x20), f(2, 0x10), 0), (f(2, 0x20), f(3), 0)]
    for time, loop in ((1000, 2 * once), (2000, once), (3000, once)):
        yield sample(time, [f(2, 0x18), f(0, 0x40)], loop + [(f(1, 0x10), f(2), 0)])


def begin(where):
    stamp = struct.pack('<iiQ', 100, 100, 1)
    data = record(3, 0, struct.pack('<ii', 100, 100) + text('hist') + stamp)
    return data + record(1, 2, struct.pack('<iiQQQ', 100, 100, 0x400000, 0x10000, 0) +
                         text(os.path.join(where, 'lbr.elf')) + stamp)


def full():
    once = [entry(f(4, 0x20), f(2, 0x30), RET, 5), entry(f(3, 0x20), f(4), CALL, 3),
            entry(f(2, 0x24), f(3), CALL, 2)]
    loop = [entry(f(2, 0x60), f(5), CALL, 9)] + 3 * once + [entry(f(1, 0x10), f(2), CALL, 4)]
    chain = [f(5, 0x18), f(2, 0x65), f(1, 0x15), f(0, 0x40)]
    data = sample(1000, chain, loop)
    data += sample(2000, chain, loop)
    data += sample(3000, [f(9, 8), f(8, 0x25), f(7, 0x15), f(6, 0x33)],
                   [entry(f(9, 4), f(9, 8), COND), entry(f(8, 0x20), f(9), CALL),
                    entry(f(7, 0x10), f(8), CALL)])
    data += sample(4000, [f(11, 0x44), f(0, 0x50)],
                   [entry(f(11, 0x10), f(11, 0x40), COND, 1, miss=True),
                    entry(f(11, 0x80), f(11, 8), COND, 7, abort=True)])
    return data


def write(where, name, data):
    attr = struct.pack('<IIQQQQQ', 0, 112, 0, 100000, 7 | 32 | 256 | 2048, 0, 1 << 18 | 1 << 20)
    attr += struct.pack('<IIQQQQIIQIHH', 0, 0, 0, 0, 8 | 1 << 16, 0, 0, 0, 0, 0, 0, 0)
    string = lambda s: struct.pack('<I', 64) + s.encode().ljust(64, b'\0')
    features = {6: string('x86_64'), 15: b''}
    start = 104 + len(attr) + 16
    pos = start + len(data) + 16 * len(features)
    table = payload = b''
    for n in sorted(features):
        table += struct.pack('<QQ', pos, len(features[n]))
        pos += len(features[n])
        payload += features[n]
    with open(os.path.join(where, name + '.data'), 'wb') as out:
        out.write(b'PERFILE2' + struct.pack('<12Q', 104, len(attr) + 16, 104, len(attr) + 16, start,
                                            len(data), 0, 0, 1 << 6 | 1 << 15, 0, 0, 0))
        out.write(attr + struct.pack('<QQ', 0, 0) + data + table + payload)


def main():
    where = os.path.abspath(sys.argv[1])
    start = begin(where)
    write(where, 'history', start + full())
    write(where, 'history-bare', start + b''.join(bare()))


main()
