#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check-counting.py PROGRAM CLASS <script: perf script -F ip,sym,symoff,uregs of helpers/counting:
prints how many samples of the loop have the vector registers that belong to their place and rbx,
how many have others, and how many have none."""
import re
import subprocess
import sys

program, cls = sys.argv[1:3]
prefix = 'count_' + cls + '_'
symbols = {}
for line in subprocess.run(['nm', program], capture_output=True, text=True).stdout.splitlines():
    words = line.split()
    if len(words) == 3:
        symbols[words[2]] = int(words[0], 16)
qwords = {'zmm': 8, 'ymm': 4, 'xmm': 2}[cls]
right = wrong = none = 0
for line in sys.stdin:
    m = re.match(r'\s*[0-9a-f]+ ([\w.]+)\+(0x[0-9a-f]+)', line)
    if not m or not m[1].startswith(prefix) or m[1] == prefix + 'end':
        continue
    ip = symbols[m[1]] + int(m[2], 16)
    regs = {k.replace('[', ' ').replace(']', ''): int(v, 16)
            for k, v in re.findall(r'(\S+?):0x([0-9a-f]+)', line)}
    got = {}
    for name, value in regs.items():
        at = re.match(cls.upper() + r' ?(\d+) (\d+)$', name)
        if at:
            got[int(at[1]), int(at[2])] = value
    if not got:
        none += 1
        continue
    want = {}
    for reg in range(3):
        done = symbols[prefix + 'add%d' % reg] < ip <= symbols[prefix + 'inc']
        for i in range(qwords):
            want[reg, i] = regs['BX'] + done
    if all(got.get(k) == v for k, v in want.items()):
        right += 1
    else:
        wrong += 1
print(right, wrong, none)
