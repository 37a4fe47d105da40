#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""small-elf.py KIND OUT [N [M]]: an object of a few sections that no linker would make. Its code lies at 0x1000, in the
file too.

stubs N         N stubs of the PLT, at 0x2000, that jump through one slot, which a function, picker, is asked for
opd DEBUG       of big-endian PowerPC: first() and second(), 64 bytes each, by words in .opd; stripped, or its file of debug symbols
aliases N       N functions at one place, each called by the rest of one name of N letters
slots N M       N slots of the global offset table that N symbols fill, called by the rest of one name of M letters; the last is
                called fff, and main(), of 64 bytes at 0x1000, calls it
names N M       N relocations of the PLT, by a table of M letters without an end
segments N M    N functions called f and M segments, of which the last one has them
notes N         N sections that all show the same megabyte of notes
noted N         so do as many segments, each from a word further on
"""
import struct
import sys

TEXT = 0x1000
PROGBITS, SYMTAB, STRTAB, RELA, NOTE, NOBITS, DYNSYM = 1, 2, 3, 4, 7, 8, 11
FUNC = 0x12     # global


class Elf:
    """Sections, numbered from 1 on in the order in which they are added; of 64 bits, x86-64 by itself."""

    def __init__(self, machine=62, order='<'):
        self.machine, self.order = machine, order
        self.rows, self.strings, self.loads = [(0,) * 10], b'\0', []
        self.out = bytearray(TEXT)

    def section(self, name, kind, data, *, at=None, flags=0, link=0, info=0, row=0):
        if at is not None:      # there in memory and in the file
            self.out += bytes(at - len(self.out))
        self.rows.append((len(self.strings), kind, flags, at or 0, len(self.out), len(data), link, info, 1, row))
        self.strings += name.encode() + b'\0'
        self.out += data

    def text(self, data=b'\xc3' * 64):
        self.section('.text', PROGBITS, data, at=TEXT, flags=6)

    def symbols(self, rows, names, name='.symtab', kind=SYMTAB):
        """And their names behind them; a row is name, info, section, value, size."""
        data = bytes(24) + b''.join(struct.pack(self.order + 'IBBHQQ', n, info, 0, section, value, size)
                                    for n, info, section, value, size in rows)
        self.section(name, kind, data, link=len(self.rows) + 1, info=1, row=24)
        self.section(name.replace('sym', 'str'), STRTAB, names)

    def relocations(self, name, rows, link):
        """A row is slot, symbol << 32 | type, addend."""
        self.section(name, RELA, b''.join(struct.pack('<QQQ', *r) for r in rows), link=link, row=24)

    def load(self, flags, at, size):
        self.loads.append((1, flags, at, at, at, size, size, 4096))

    def write(self, path):
        self.section('.shstrtab', STRTAB, self.strings + b'.shstrtab\0')
        # The program headers lie behind all: there may be many.
        phoff = len(self.out)
        for p in self.loads:
            self.out += struct.pack(self.order + 'IIQQQQQQ', *p)
        shoff = len(self.out)
        for r in self.rows:
            self.out += struct.pack(self.order + 'IIQQQQIIQQ', *r)
        self.out[:64] = b'\x7fELF\2' + (b'\1' if self.order == '<' else b'\2') + b'\1' + bytes(9) + struct.pack(
            self.order + 'HHIQQQIHHHHHH', 3, self.machine, 1, 0, phoff, shoff, 0, 64, 56, len(self.loads), 64,
            len(self.rows), len(self.rows) - 1)
        with open(path, 'wb') as f:
            f.write(self.out)


def stubs(n):
    e, slot, plt = Elf(), 0x400000, 0x2000
    e.text()
    e.section('.plt', PROGBITS, b''.join(b'\xff\x25' + struct.pack('<i', slot - (plt + 16 * i + 6)) + b'\x90' * 10
                                         for i in range(n)), at=plt, flags=6)
    e.symbols([(1, FUNC, 1, TEXT, 16)], b'\0picker\0')
    e.relocations('.rela.plt', [(slot, 37, TEXT)], 3)   # R_X86_64_IRELATIVE
    e.load(5, 0, plt + 16 * n)
    return e


def opd(debug):
    e, at = Elf(21, '>'), 0x2000
    e.text(b'\x60\0\0\0' * 32)
    e.section('.opd', NOBITS if debug else PROGBITS, struct.pack('>6Q', TEXT, 0, 0, TEXT + 64, 0, 0), at=at, flags=3)
    e.section('.note.gnu.build-id', NOTE, struct.pack('>III', 4, 20, 3) + b'GNU\0' + bytes(range(20)))
    if debug:
        e.symbols([(1, FUNC, 2, at, 64), (7, FUNC, 2, at + 24, 64)], b'\0first\0second\0')
    e.load(5, 0, TEXT + 128)
    e.load(6, at, 48)
    return e


def aliases(n):
    e = Elf()
    e.text()
    e.symbols([(1 + i, FUNC, 1, TEXT, 16) for i in range(n)], b'\0' + b'a' * n + b'\0')
    e.load(5, 0, TEXT + 64)
    return e


def names(n, m):
    e = Elf()
    e.text()
    e.symbols([(1, FUNC, 0, 0, 0)], b'\0' + b'a' * m, '.dynsym', DYNSYM)
    e.relocations('.rela.plt', [(0x400000 + 8 * i, 1 << 32 | 7, 0) for i in range(n)], 2)   # R_X86_64_JUMP_SLOT
    e.load(5, 0, TEXT + 64)
    return e


def slots(n, m):
    e, slot = Elf(), 0x400000
    e.text(b'\xff\x15' + struct.pack('<i', slot - (TEXT + 6)) + b'\x90' * 57 + b'\xc3')
    at = [1 + i % m for i in range(n - 1)] + [m - 2]
    e.symbols([(i, FUNC, 0, 0, 0) for i in at], b'\0' + b'f' * m + b'\0', '.dynsym', DYNSYM)
    e.relocations('.rela.dyn', [(slot + 8 * i, (n - i) << 32 | 6, 0) for i in range(n)], 2)     # R_X86_64_GLOB_DAT
    e.symbols([(1, FUNC, 1, TEXT, 64)], b'\0main\0')
    e.load(5, 0, TEXT + 64)
    return e


def segments(n, m):
    e = Elf()
    e.text()
    e.symbols([(1, FUNC, 1, TEXT + i, 1) for i in range(n)], b'\0f\0')
    for i in range(m):
        e.load(4, (i + 1) << 32, 1)
    e.load(5, 0, TEXT + 64)
    return e


def notes(n):
    e = Elf()
    e.text()
    some = struct.pack('<III', 4, 4, 1) + b'GNU\0' + bytes(4)
    e.section('.note', NOTE, some * ((1 << 20) // len(some)))
    e.rows += e.rows[-1:] * n
    e.load(5, 0, TEXT + 64)
    return e


def noted(n):
    e = notes(0)
    e.rows[-1] = e.rows[-1][:1] + (PROGBITS,) + e.rows[-1][2:]
    _, _, _, _, offset, size = e.rows[-1][:6]
    e.loads += [(4, 4, offset + 4 * i, 0, 0, size - 4 * n - 16, 0, 4) for i in range(n)]
    return e


kind, out, *numbers = sys.argv[1:]
globals()[kind](*map(int, numbers)).write(out)
