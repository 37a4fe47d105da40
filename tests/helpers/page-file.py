#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page-file.py DIR OUT [before | registers]: a recording for the page of report --html, with an object in DIR that has its
functions. Names of commands, functions and files try to be markup, script and what they are not.

Two events, three threads, 4 s; stacks, branches, lost samples. Every number can be told from main(). With
"before" one of another run: nobody called "again" then, "leaf" was half as busy, an event has another name. With "registers" another one, whose samples have registers and no stacks: see there.
"""
import os
import struct
import sys

from perfdata import *

BASE, SIZE = 0x400000, 64
TRY = '</script><script>document.title="hit"</script><img src=x onerror="document.title=1">'
# name: address, in the order of the symbol table
FUNCTIONS = [b'main', b'work', b'leaf', b'again',
             TRY.encode(), b'"quotes\' `and` & \\backslash\\',
             b'bidi\xe2\x80\xae\xe2\x81\xa6evil\xe2\x80\x8b', b'broken\xff\xc3(\xed\xa0\x80utf8',
             b'__proto__', b'constructor', b'x' * 100000, b'${1+1}{{7*7}}%s\n\ttab']


def elf(path):
    """An object of 64 bits with these functions, SIZE bytes each, and no more."""
    strings, symbols = b'\0', b'\0' * 24
    for i, name in enumerate(FUNCTIONS):
        symbols += struct.pack('<IBBHQQ', len(strings), 0x12, 0, 1, BASE + 0x1000 + i * SIZE, SIZE)
        strings += name + b'\0'
    names = b'\0.text\0.symtab\0.strtab\0.shstrtab\0'
    text = b'\x90' * (len(FUNCTIONS) * SIZE)
    at = 0x1000 + len(text)
    at_strings, at_names = at + len(symbols), at + len(symbols) + len(strings)
    sections = at_names + len(names)
    sections += -sections % 8

    def section(name, kind, flags, addr, off, size, link=0, info=0, entry=0):
        return struct.pack('<IIQQQQIIQQ', names.index(name), kind, flags, addr, off, size, link, info, 1, entry)
    table = section(b'\0', 0, 0, 0, 0, 0) + \
        section(b'.text', 1, 6, BASE + 0x1000, 0x1000, len(text)) + \
        section(b'.symtab', 2, 0, 0, at, len(symbols), 3, 1, 24) + \
        section(b'.strtab', 3, 0, 0, at_strings, len(strings)) + \
        section(b'.shstrtab', 3, 0, 0, at_names, len(names))
    head = b'\x7fELF\2\1\1' + b'\0' * 9 + struct.pack('<HHIQQQIHHHHHH', 2, 62, 1, BASE + 0x1000, 64,
                                                     sections, 0, 64, 56, 1, 64, 5, 4)
    head += struct.pack('<IIQQQQQQ', 1, 5, 0, BASE, BASE, 0x1000 + len(text), 0x1000 + len(text), 4096)
    b = head.ljust(0x1000, b'\0') + text + symbols + strings + names
    with open(path, 'wb') as f:
        f.write(b.ljust(sections, b'\0') + table)


def at(name, offset=16):
    i = next(i for i, f in enumerate(FUNCTIONS) if f.startswith(name.encode()))
    return BASE + 0x1000 + i * SIZE + offset


def with_registers(path, out):
    """Of 4000 samples of the first event in leaf ax is 64 in three of four, else 128; there is one sample in each function, where ax
    is 7; 10 of the second event in work, with 9. Of vectors the lowest lane of the first is in use, in work its third, too."""
    kind = IP | TID | TIME | PERIOD | IDENTIFIER | REGS_INTR
    regs = dict(sample_type=kind, sample_regs_intr=1, simd_regs_enabled=1, simd_vec_reg_qwords=4, simd_vec_reg_intr=0xffffffff,
                size=176)
    r = Recording(Attr(type=TYPE_HARDWARE, config=0, ids=[1], flags='sample_id_all mmap comm', **regs),
                  Attr(type=TYPE_SOFTWARE, config=2, ids=[2], flags='sample_id_all', **regs), step=1000)
    r.features[ARCH] = r.string('x86_64')
    r.comm(10, 'regs', id=1)
    r.mmap(10, BASE, 0x1000 + len(FUNCTIONS) * SIZE + 0x1000, 0, path, id=1)

    def sample(ip, ax, event=1):
        vec = [[0] * 4 for _ in range(32)]
        vec[0] = [1, 0, int(ip == at('work')), 0]
        r.sample(attr=r.attrs[event - 1], pid=10, tid=10, period=10, ip=ip, id=event,
                 regs_intr=dict(abi=ABI_64 | ABI_SIMD, gprs=[ax], vec=vec, pred=[]))
    for i in range(4000):
        sample(at('leaf'), 64 if i % 4 else 128)
    for i in range(len(FUNCTIONS)):
        sample(BASE + 0x1010 + i * SIZE, 7)
    for i in range(10):
        sample(at('work'), 9, event=2)
    r.write(out)


def main():
    where, out = sys.argv[1:3]
    before = sys.argv[3:] == ['before']
    # The path has the markup too: its slash makes a directory of it.
    path = os.path.join(where, 'lib' + TRY[:2] + '/script><b onclick=alert(1)>"&.so')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    elf(path)
    if sys.argv[3:] == ['registers']:
        with_registers(path, out)
        return
    kind = IP | TID | TIME | CPU | PERIOD | CALLCHAIN | IDENTIFIER
    r = Recording(Attr(type=TYPE_HARDWARE, config=0, sample_type=kind, ids=[1], flags='sample_id_all mmap comm'),
                  Attr(type=TYPE_SOFTWARE, config=3 if before else 2, sample_type=kind | BRANCH_STACK, ids=[2],
                       branch_sample_type=BRANCH_ANY | BRANCH_USER, flags='sample_id_all'), step=1000)
    second = r.attrs[1]
    r.comm(10, TRY[:15], id=1)
    r.comm(20, 'second', id=1)
    r.task(FORK, 20, 20, tid=21, ptid=20, id=1)
    r.comm(20, 'evil\u202etxt', tid=21, id=1)
    for pid in (10, 20):
        r.mmap(pid, BASE, 0x1000 + len(FUNCTIONS) * SIZE + 0x1000, 0, path, id=1)
    r.time = 10**9

    def sample(pid, tid, ms, stack, period, event=1, **more):
        chain = [CONTEXT_USER] + [at(n) for n in reversed(stack)]
        r.sample(attr=r.attrs[event - 1], pid=pid, tid=tid, time=10**9 + ms * 10**6, cpu=tid % 2, period=period,
                 ip=chain[1], chain=chain, id=event, **more)
    for ms in range(0, 2000 if before else 4000, 10):
        sample(10, 10, ms, ['main', 'work', 'leaf'], 100)
        if ms % 20 == 0 and not before:
            sample(20, 20, ms, ['main', 'again', 'again', 'again', 'leaf'], 50)
        if 1000 <= ms < 2000:
            sample(20, 21, ms, ['main', 'work'], 200)
    for i, name in enumerate(['</scr', '"quotes', 'bidi', 'broken', '__proto__', 'constructor', 'xxx', '${1']):
        sample(10, 10, 100 + i, ['main', name], 7)
    for ms in range(0, 1000, 100):
        again = {'from': at('leaf', 40), 'to': at('leaf', 8), 'mispred': 1, 'cycles': 3}
        branches = [again, again, again, {'from': at('work', 20), 'to': at('leaf', 0), 'predicted': 1, 'cycles': 5}]
        sample(20, 20, ms, ['main', 'work', 'leaf'], 1, event=2, branches=branches)
    for ms in range(0, 3000, 500):
        r.switch(20, 21, True, time=10**9 + ms * 10**6, id=1)
        r.switch(20, 21, False, time=10**9 + ms * 10**6 + 10**5, id=1)
    r.record(LOST_SAMPLES, 0, r.words(7), time=2 * 10**9, id=1)
    # In no object, and in none that is there.
    r.mmap(20, 0x7000000, 0x1000, 0, os.path.join(where, 'gone<b>.so'), id=1, time=5 * 10**9)
    r.sample(attr=r.attrs[0], pid=20, tid=20, time=5 * 10**9, period=10, ip=0x7000010, id=1,
             chain=[CONTEXT_USER, 0x7000010])
    r.features[ARCH] = r.string('x86_64')
    r.features[HOSTNAME] = r.string('host</title><script>')
    words = ['perf', 'record', TRY]
    r.features[CMDLINE] = r.pack('I', len(words)) + b''.join(r.string(w) for w in words)
    r.write(out)


if __name__ == '__main__':
    main()
