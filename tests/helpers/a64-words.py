#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# a64-words.py TEST [COUNT]: which words of AArch64 are instructions, as the interpreter has it (TEST is the program
# unit/test-tracer-a64) and as objdump and llvm-mc (17 or later) do: all values of the bits that tools/lib/tracer/a64-known.c
# chooses by, COUNT words of each row of tests/unit/a64-cases.h, and 16 times COUNT of any. Words that differ are
# printed, and the status is 1 where there are any. What only the thread knows is no opinion.
# a64-words.py --maps: the maps of a64-known.c, as both disassemblers have them.
import os, random, re, shutil, struct, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OBJDUMP = shutil.which('aarch64-linux-gnu-objdump')
LLVM_MC = next((p for p in map(shutil.which, ['llvm-mc-%d' % v for v in range(30, 16, -1)]) if p), None)
# Exceptions: the interpreter stops there as where there is no instruction.
ENDS = [(0xff000000, 0xd4000000), (0xffff0000, 0)]


def rows(path, pattern):
    with open(f'{ROOT}/{path}') as f:
        return [[int(x, 16) for x in m] for m in re.findall(pattern, f.read())]


def spread(value, bits):
    """The bits of a small number at the places of @bits."""
    word = 0
    for at in range(32):
        if bits >> at & 1:
            word |= (value & 1) << at
            value >>= 1
    return word


def groups():
    hexes = r'\{\s*(0x[0-9a-f]+),\s*(0x[0-9a-f]+),\s*(0x[0-9a-f]+|0),\s*\.'
    return rows('tools/lib/tracer/a64-known.c', hexes)


def of_group(mask, value, by, each):
    """(value of the bits that choose, word), the rest at random."""
    for n in range(1 << bin(by).count('1')):
        for _ in range(each):
            yield n, value | spread(n, by) | (random.getrandbits(32) & ~mask & ~by & 0xffffffff)


def of_row(mask, value):
    """Registers decide seldom: those that do come often."""
    word = random.getrandbits(32)
    for at in (0, 5, 10, 16):
        if random.random() < 0.4:
            word = word & ~(31 << at) | random.choice((0, 1, 2, 3, 30, 31)) << at
    return value | word & ~mask & 0xffffffff


def pack(words):
    return struct.pack(f'<{len(words)}I', *words)


def objdump(words, tmp):
    with open(tmp + '/words', 'wb') as f:
        f.write(pack(words))
    out = subprocess.check_output([OBJDUMP, '-D', '-z', '-b', 'binary', '-m', 'aarch64', tmp + '/words'], text=True)
    lines = [l for l in out.splitlines() if re.match(r' *[0-9a-f]+:\t', l)]
    return ['undefined' not in l and '.inst' not in l for l in lines]


def llvm_mc(words, tmp):
    text = '\n'.join(' '.join(f'0x{b:02x}' for b in struct.pack('<I', w)) for w in words)
    err = subprocess.run([LLVM_MC, '--disassemble', '--triple=aarch64', '-mattr=+all'], input=text, text=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False).stderr
    bad = {int(m) - 1 for m in re.findall(r'^<stdin>:(\d+):\d+: warning: invalid instruction', err, re.M)}
    return [i not in bad for i in range(len(words))]


def readers():
    return {n: f for n, f, there in (('objdump', objdump, OBJDUMP), ('llvm-mc', llvm_mc, LLVM_MC)) if there}


def print_maps(tmp):
    for mask, value, by in groups():
        pairs = list(of_group(mask, value, by, 8))
        good = [all(o) for o in zip(*(f([w for _, w in pairs], tmp) for f in readers().values()))]
        maps = [0] * (max(pairs)[0] // 64 + 1)
        for (n, _), g in zip(pairs, good):
            maps[n // 64] |= g << n % 64
        if any(g != (maps[n // 64] >> n % 64 & 1) for (n, _), g in zip(pairs, good)):
            print(f'{value:08x}: more than these bits decides')
        print(f'{value:08x}: ' + ', '.join(hex(m) for m in maps))


def main(test, count, tmp):
    words = [w for g in groups() for _, w in of_group(*g, 2)]
    for mask, value in rows('tests/unit/a64-cases.h', r'\{ (0x[0-9a-f]{8}), (0x[0-9a-f]{8}), \d+, "'):
        words += [of_row(mask, value) for _ in range(count)]
    words += [random.getrandbits(32) for _ in range(16 * count)]
    with open(tmp + '/words', 'wb') as f:
        f.write(pack(words))
    ours = subprocess.check_output([test, 'words', tmp + '/words'], text=True)
    if len(ours) != len(words):
        sys.exit(f'{len(ours)} of {len(words)} words were judged')
    theirs = {name: f(words, tmp) for name, f in readers().items()}
    wrong = 0
    for i, (word, our) in enumerate(zip(words, ours)):
        no = [name for name in theirs if not theirs[name][i]]
        if our == 'i' and no:
            print(f'{word:08x}: interpreted, {" and ".join(no)}: no instruction')
        elif our == 'u' and not no and not any(word & m == v for m, v in ENDS):
            print(f'{word:08x}: refused, {" and ".join(theirs)}: an instruction')
        else:
            continue
        wrong += 1
    print(f'{len(words)} words, {ours.count("i")} interpreted, {ours.count("u")} refused; {" and ".join(theirs)}: {wrong} wrong')
    return wrong != 0


random.seed(int(os.environ.get('SEED', '7')))
with tempfile.TemporaryDirectory() as where:
    if sys.argv[1] == '--maps':
        print_maps(where)
    else:
        sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000, where))
