#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bpf-file.py OUT [cut] [pipe]: samples in a BPF program of two functions whose code the recorder stored in
BPF_PROG_INFO: "xor %eax,%eax; ret" and "nop; ret". cut: the code's length lies beyond the bytes;
pipe: as a stream."""
import struct
import sys

from perfdata import *

KSYMBOL_BPF = 1
BPF_PROG_INFO = 25
ADDR = [0xffffffffc0001000, 0xffffffffc0002000]
CODE = [b'\x31\xc0\xc3', b'\x90\xc3']
TAG = bytes.fromhex('0123456789abcdef')

r = Recording(Attr(type=TYPE_SOFTWARE, size=64, sample_period=1000, sample_type=IP | TID | TIME,
                   flags='mmap comm ksymbol sample_id_all'), time=1)
for i, name in enumerate((b'bpf_prog_0123456789abcdef_main', b'bpf_prog_0123456789abcdef_sub')):
    body = struct.pack('<QIHH', ADDR[i], len(CODE[i]), KSYMBOL_BPF, 0) + name + b'\0'
    r.record(KSYMBOL, KERNEL, body + b'\0' * (-len(body) % 8))
for i in 0, 0, 1:
    r.sample(misc=KERNEL, pid=1, ip=ADDR[i])
r.sample(misc=KERNEL, pid=1, ip=ADDR[0] + 2)

code = b''.join(CODE)
at_syms, at_lens = 8, 24
data = code.ljust(8, b'\0') + struct.pack('<QQ', *ADDR) + struct.pack('<II', *map(len, CODE))
info = bytearray(200)
struct.pack_into('<II8sIIQ', info, 0, 2, 42, TAG, 1 << 20 if 'cut' in sys.argv else len(code), 0, 0)
struct.pack_into('<IIQQ', info, 104, 2, 2, at_syms, at_lens)
r.features[BPF_PROG_INFO] = struct.pack('<I', 1) + struct.pack('<IIQ', len(info), len(data), 0) + \
    bytes(info) + data
r.features[ARCH] = r.string('x86_64')
r.write_pipe(sys.argv[1]) if 'pipe' in sys.argv else r.write(sys.argv[1])
