#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile-elf.py KIND IN OUT: IN, an ELF file of 64 bits, little endian, with DWARF, as a bomb.

zinfo           .debug_info unpacks to 400 MB of zeros behind what was there
zline           .debug_line unpacks to a program of 50 MB
sparse-info     .debug_info goes on for 3 GB of a hole
sparse-notes    so do the notes
sparse-symtab   so does .symtab
sparse-names    so do the names of sections
"""
import os
import struct
import sys
import zlib

SHF_COMPRESSED, HOLE = 1 << 11, 3 << 30


class Elf:
    def __init__(self, path):
        self.b = bytearray(open(path, 'rb').read())
        self.shoff, = struct.unpack_from('<Q', self.b, 40)
        size, self.nr, self.names = struct.unpack_from('<HHH', self.b, 58)
        assert size == 64

    def header(self, i):
        return list(struct.unpack_from('<IIQQQQIIQQ', self.b, self.shoff + 64 * i))

    def find(self, name):
        base = self.header(self.names)[4]
        for i in range(self.nr):
            at = base + self.header(i)[0]
            if self.b[at:self.b.index(0, at)].decode() == name:
                return i
        sys.exit(f'no section {name}')

    def content(self, i):
        h = self.header(i)
        return bytes(self.b[h[4]:h[4] + h[5]])

    def put(self, i, data, flags=0, size=None):
        """Section @i lies at the end of the file from now on."""
        h = self.header(i)
        self.b += b'\0' * (-len(self.b) % 16)
        h[2] |= flags
        h[4], h[5] = len(self.b), len(data) if size is None else size
        struct.pack_into('<IIQQQQIIQQ', self.b, self.shoff + 64 * i, *h)
        self.b += data

    def put_packed(self, name, pieces):
        z, out, total = zlib.compressobj(9), [], 0
        for p in pieces:
            total += len(p)
            out.append(z.compress(p))
        out.append(z.flush())
        self.put(self.find(name), struct.pack('<IIQQ', 1, 0, total, 1) + b''.join(out),
                 SHF_COMPRESSED)


def main():
    kind, src, dst = sys.argv[1:]
    e, hole = Elf(src), 0
    if kind == 'zinfo':
        info = e.content(e.find('.debug_info'))
        e.put_packed('.debug_info', [info] + [b'\0' * (1 << 20)] * 400)
    elif kind == 'zline':
        line = bytearray(e.content(e.find('.debug_line')))
        n, = struct.unpack_from('<I', line, 0)
        more = [b'\x4b' * (1 << 20)] * 50   # special opcodes: a row each
        struct.pack_into('<I', line, 0, n + (50 << 20))
        e.put_packed('.debug_line', [bytes(line[:4 + n - 3])] + more + [bytes(line[4 + n - 3:])])
    else:
        i = e.names if kind == 'sparse-names' else e.find(
            {'info': '.debug_info', 'notes': '.note.gnu.build-id', 'symtab': '.symtab'}[kind[7:]])
        hole = HOLE
        data = b'' if kind == 'sparse-notes' else e.content(i)
        e.put(i, data, 0, HOLE)
    with open(dst, 'wb') as f:
        f.write(e.b)
    if hole:
        os.truncate(dst, len(e.b) + hole)


main()
