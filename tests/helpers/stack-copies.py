#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stack-copies.py KIND DIR: DIR/KIND, an object whose rules of unwinding are made by hand, and DIR/KIND.data, a sample in
it with registers and a copy of the stack. Three functions of 256 bytes: the sample is at 0x401010, in the innermost, and
its callers return to 0x401110 and 0x401210.

large-word  the CFA is read out of the object, as a word of 255 bytes
one-value   the CFA is an expression that has one value on its stack
s390x       the innermost function has saved nothing, not even the stack pointer
vg          AArch64, the CFA is as far away as there are words in a vector
narrow      a 32-bit program, whose numbers of registers mean others, in an object that is none
one-start   20,000 samples; the object has one function, which 400,000 FDEs tell of

And samples all over a [vdso], recorded without its build id, whose caller returns to 0x401110:
vdso-own    this machine's
vdso-other  another kernel's
vdso-32     this machine's, by a 32-bit program
"""
import os
import struct
import sys

from perfdata import *

PID, TEXT, FRAME, STACK, STACK_SIZE = 10, 0x401000, 0x403000, 0x7000, 512
EM_S390, EM_X86_64, EM_AARCH64 = 22, 62, 183
CFA_OFFSET, EXPRESSION = b'\x0e', 0x0f  # DW_CFA_def_cfa_offset, DW_CFA_def_cfa_expression
X86_DI, X86_BP, X86_SP, X86_IP = 5, 6, 7, 8  # bits of the mask
VDSO, VDSO_SIZE = 0x7fff0000, 0x2000


def leb(v):
    return bytes([v]) if v < 128 else bytes([v & 127 | 128]) + leb(v >> 7)


def def_cfa(reg, off):
    return b'\x0c' + leb(reg) + leb(off)


def saved(reg, below):
    """DW_CFA_offset: at the CFA less that many words."""
    return bytes([0x80 | reg]) + leb(below)


def expression(*ops):
    return bytes([EXPRESSION, len(ops), *ops])


def frames(order, ra, common, own, step=0x100):
    """.eh_frame of 64 bits: what a CIE says for all functions, and an FDE for each; step=0: they are one."""
    def entry(head, rules):
        body = head + rules
        body += b'\0' * (-(4 + len(body)) % 8)
        return struct.pack(order + 'I', len(body)) + body

    b = bytearray(entry(struct.pack(order + 'IBBBBB', 0, 1, 0, 1, -8 & 127, ra), common))
    for i, rules in enumerate(own):
        b += entry(struct.pack(order + 'IQQ', len(b) + 4, TEXT + step * i, step or 0x1000), rules)
    return b + bytes(4)


def elf(order, machine, frame):
    names = b'\0.text\0.eh_frame\0.shstrtab\0'
    code = b'\xcc' * 0x1000
    frame_at = 0x1000 + len(code)
    names_at = frame_at + len(frame)
    table_at = names_at + len(names) + -(names_at + len(names)) % 8
    b = b'\x7fELF' + bytes([2, 2 if order == '>' else 1, 1]) + bytes(9)
    b += struct.pack(order + 'HHIQQQIHHHHHH', 2, machine, 1, TEXT, 64, table_at, 0, 64, 56, 2, 64, 4, 3)
    for vaddr, at, n in (TEXT, 0x1000, len(code)), (FRAME, frame_at, len(frame)):
        b += struct.pack(order + 'IIQQQQQQ', 1, 5, at, vaddr, vaddr, n, n, 0x1000)
    b = b.ljust(0x1000, b'\0') + code + frame + names
    b = b.ljust(table_at, b'\0') + bytes(64)
    for row in ((1, 1, 6, TEXT, 0x1000, len(code)), (7, 1, 2, FRAME, frame_at, len(frame)),
                (17, 3, 0, 0, names_at, len(names))):
        b += struct.pack(order + 'IIQQQQIIQQ', *row, 0, 0, 8, 0)
    return b


def x86(*inner, **more):
    """Functions that have only their return address on the stack, but for the innermost one's own rules."""
    return dict(dict(arch='x86_64', machine=EM_X86_64, ra=16, common=def_cfa(7, 8) + saved(16, 1),
                     own=(b''.join(inner), b'', b''), regs={X86_IP: TEXT + 0x10, X86_SP: STACK, X86_BP: 0},
                     stack={0: TEXT + 0x110, 8: TEXT + 0x210}), **more)


REGS_32 = {X86_IP: 0, X86_SP: STACK, X86_BP: 0, X86_DI: STACK}
KINDS = {
    # DW_OP_breg16 0, DW_OP_deref_size 255
    'large-word': x86(expression(0x80, 0, 0x94, 0xff)),
    # DW_OP_breg7 8, DW_OP_dup, DW_OP_drop, DW_OP_neg, DW_OP_neg
    'one-value': x86(expression(0x77, 8, 0x12, 0x13, 0x1f, 0x1f)),
    # R14 is where to return, R15 the stack pointer, bit 33 the PC. Who calls saves both below its CFA, and makes room.
    's390x': dict(arch='s390x', big=True, machine=EM_S390, ra=14, common=def_cfa(15, 160),
                  own=(b'', *[CFA_OFFSET + leb(320) + saved(14, 6) + saved(15, 5)] * 2),
                  regs={14: TEXT + 0x110, 15: STACK, 33: TEXT + 0x10},
                  stack={320 - 48: TEXT + 0x210, 320 - 40: STACK + 160, 480 - 40: STACK + 320}),
    # DW_OP_breg31 16, DW_OP_bregx 46 0, DW_OP_lit8, DW_OP_mul, DW_OP_plus; vectors of two words. X30 is where to return.
    'vg': dict(arch='aarch64', machine=EM_AARCH64, ra=30, common=def_cfa(31, 16) + saved(30, 1),
               own=(expression(0x8f, 16, 0x92, 46, 0, 0x38, 0x1e, 0x22), b'', b''),
               regs={29: 0, 30: 0, 31: STACK, 32: TEXT + 0x10, 46: 2},
               stack={24: TEXT + 0x110, 40: TEXT + 0x210}),
    # DWARF register 7, the stack pointer of x86-64, is EDI.
    'narrow': x86(abi=ABI_32, regs={**REGS_32, X86_IP: TEXT + 0x10}),
    'one-start': x86(own=(b'',) * 400000, step=0, samples=20000),
    'vdso-own': x86(vdso=os.uname().release),
    'vdso-other': x86(vdso='1.2.3-another'),
    'vdso-32': x86(vdso=os.uname().release, abi=ABI_32, regs=REGS_32),
}


def main():
    name, where = sys.argv[1:]
    k = KINDS[name]
    big = k.get('big', False)
    order = '>' if big else '<'
    path = os.path.join(os.path.abspath(where), name)
    with open(path, 'wb') as f:
        f.write(elf(order, k['machine'],
                    frames(order, k['ra'], k['common'], k['own'], k.get('step', 0x100))))
    r = Recording(Attr(sample_type=IP | TID | TIME | CALLCHAIN | REGS_USER | STACK_USER,
                       flags='sample_id_all exclude_callchain_user',
                       sample_regs_user=sum(1 << bit for bit in k['regs']), sample_stack_user=STACK_SIZE),
                  big=big)
    r.mmap(PID, TEXT, 0x1000, 0x1000, path)
    stack = bytearray(STACK_SIZE)
    for at, v in k['stack'].items():
        struct.pack_into(order + 'Q', stack, at, v)
    if 'vdso' in k:
        r.mmap(PID, VDSO, VDSO_SIZE, 0, '[vdso]')
        r.features[OSRELEASE] = r.string(k['vdso'])
        at = [{X86_IP: VDSO + off} for off in range(0, VDSO_SIZE, 16)]
    else:
        at = [{}] * k.get('samples', 1)
    for pc in at:
        regs = {**k['regs'], **pc}
        r.sample(pid=PID, ip=pc.get(X86_IP, TEXT + 0x10), stack=bytes(stack),
                 regs_user=dict(abi=k.get('abi', ABI_64), gprs=[v for _, v in sorted(regs.items())]))
    r.features[HOSTNAME] = r.string('elsewhere')  # by which readers tell the byte order of the others
    r.features[ARCH] = r.string(k['arch'])
    r.write(path + '.data')


main()
