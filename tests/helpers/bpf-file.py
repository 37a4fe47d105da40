#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bpf-file.py OUT [cut] [pipe] [btf]: samples in a BPF program of two functions whose code the recorder stored in
BPF_PROG_INFO: "xor %eax,%eax; ret" and "nop; ret". cut: the code's length lies beyond the bytes;
pipe: as a stream; btf: with the BTF that names the functions."""
import struct
import sys

from perfdata import *

KSYMBOL_BPF = 1
BPF_PROG_INFO, BPF_BTF = 25, 26
ADDR = [0xffffffffc0001000, 0xffffffffc0002000]
CODE = [b'\x31\xc0\xc3', b'\x90\xc3']
TAGS = [bytes.fromhex(tag) for tag in ('0123456789abcdef', '0123456789abcdee')]

r = Recording(Attr(type=TYPE_SOFTWARE, size=64, sample_period=1000, sample_type=IP | TID | TIME,
                   flags='mmap comm ksymbol sample_id_all'), time=1)
for i, name in enumerate((b'bpf_prog_0123456789abcdef_main', b'bpf_prog_0123456789abcdee_sub')):
    body = struct.pack('<QIHH', ADDR[i], len(CODE[i]), KSYMBOL_BPF, 0) + name + b'\0'
    r.record(KSYMBOL, KERNEL, body + b'\0' * (-len(body) % 8))
for i in 0, 0, 1:
    r.sample(misc=KERNEL, pid=1, ip=ADDR[i])
r.sample(misc=KERNEL, pid=1, ip=ADDR[0] + 2)

code = b''.join(CODE)
at_syms, at_lens, at_tags, at_funcs = 8, 24, 32, 48
data = code.ljust(8, b'\0') + struct.pack('<QQ', *ADDR) + struct.pack('<II', *map(len, CODE)) + b''.join(TAGS) + \
    struct.pack('<IIII', 0, 4, 2, 5)
info = bytearray(200)
struct.pack_into('<II8sIIQ', info, 0, 2, 42, TAGS[0], 1 << 20 if 'cut' in sys.argv else len(code), 0, 0)
struct.pack_into('<IIQQ', info, 104, 2, 2, at_syms, at_lens)
struct.pack_into('<IQ', info, 180, 2, at_tags)
if 'btf' in sys.argv:  # int; struct of two members; func_proto of one; and the two functions
    struct.pack_into('<IIQI', info, 128, 9, 8, at_funcs, 2)
    names = b'\0int\0main_with_a_name_that_is_long\0sub\0'
    types = struct.pack('<IIII', 1, 1 << 24, 4, 32) + struct.pack('<III', 0, 4 << 24 | 2, 8) + bytes(24) + \
        struct.pack('<III', 0, 13 << 24 | 1, 1) + struct.pack('<II', 0, 1) + struct.pack('<III', 5, 12 << 24, 3) + \
        struct.pack('<III', names.index(b'sub'), 12 << 24, 3)
    btf = struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(names)) + types + names
    r.features[BPF_BTF] = struct.pack('<I', 1) + struct.pack('<II', 9, len(btf)) + btf
r.features[BPF_PROG_INFO] = struct.pack('<I', 1) + struct.pack('<IIQ', len(info), len(data), 0) + \
    bytes(info) + data
r.features[ARCH] = r.string('x86_64')
r.write_pipe(sys.argv[1]) if 'pipe' in sys.argv else r.write(sys.argv[1])
