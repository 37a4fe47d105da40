#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds recorded branches against the disassembly of the objects.

Reads `perf script -F ip,brstack --show-mmap-events` on stdin. Every (from, to) must be an edge
that the code has: a jump or call to its target, a return behind a call, an indirect branch to an
instruction's start. Between two branches the code must run straight: no branch that is always
taken, and the older one's target not behind the newer one's source. Prints counts; exits 1 when
anything is wrong."""
import bisect
import re
import subprocess
import sys

MAP = re.compile(r"PERF_RECORD_MMAP2? -?\d+/\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0)[^\]]*\]: (\S+) (.*)")
INSN = re.compile(r"^\s*([0-9a-f]+):\s+(?:(?:bnd|notrack|repz|repnz|rep|lock|ds|cs|addr32|data16|rex\.?\w*) )*(\S+)(?:\s+(\S.*))?$")


class Code:
    """Instructions of one object by virtual address."""

    def __init__(self, path):
        self.insn = {}
        self.segments = []
        out = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True).stdout
        for m in re.finditer(r"LOAD\s+(0x\w+)\s+(0x\w+)\s+0x\w+\s+(0x\w+)", out):
            self.segments.append(tuple(int(v, 16) for v in m.groups()))
        out = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-w", path], capture_output=True,
                             text=True, errors="replace").stdout
        last = None
        for line in out.splitlines():
            m = INSN.match(line)
            if not m:
                continue
            addr = int(m.group(1), 16)
            if last is not None:
                self.insn[last][2] = addr
            self.insn[addr] = [m.group(2), m.group(3) or "", None]
            last = addr
        self.after_call = {v[2] for v in self.insn.values() if v[0].startswith("call")}

    def vaddr(self, offset):
        for off, vaddr, size in self.segments:
            if off <= offset < off + size:
                return offset - off + vaddr
        return None


class Maps:
    def __init__(self):
        self.rows = []
        self.code = {}

    def add(self, start, size, pgoff, path):
        self.rows = [r for r in self.rows if r[1] <= start or r[0] >= start + size]
        bisect.insort(self.rows, (start, start + size, pgoff, path))

    def find(self, addr):
        """(code, vaddr) or None when the object has no file."""
        i = bisect.bisect(self.rows, (addr, 1 << 64)) - 1
        if i < 0 or not self.rows[i][0] <= addr < self.rows[i][1]:
            return None
        start, _, pgoff, path = self.rows[i]
        if not path.startswith("/") or path.startswith("/memfd") or path.endswith("(deleted)"):
            return None
        if path not in self.code:
            self.code[path] = Code(path)
        code = self.code[path]
        v = code.vaddr(addr - start + pgoff)
        return (code, v, addr - v) if v is not None else None


def target_of(args):
    m = re.match(r"(?:0x)?([0-9a-f]+)\b", args)
    return int(m.group(1), 16) if m and not args.startswith("*") else None


def edge_error(f, t):
    code, v, bias = f
    insn = code.insn.get(v)
    if not insn:
        return "no instruction starts at the source"
    name, args, _ = insn
    tcode, tv, tbias = t
    if tv not in tcode.insn:
        return f"'{name}' leads into the middle of an instruction"
    if name.startswith("ret"):
        return None if tv in tcode.after_call else "a return to where no call is"
    if not (name.startswith("j") or name.startswith("call") or name.startswith("loop")):
        return f"'{name}' is no branch"
    want = target_of(args)
    if want is not None and (tcode is not code or tbias != bias or want != tv):
        return f"'{name} {args}' does not lead there"
    return None


def always_taken(name):
    return name.startswith(("jmp", "call", "ret"))


def straight_error(begin, end):
    code, v, bias = begin
    ecode, ev, ebias = end
    if code is not ecode or bias != ebias or v > ev:
        return "the next branch is not ahead on the straight line"
    while v < ev:
        insn = code.insn.get(v)
        if not insn or insn[2] is None:
            return "the straight line leaves the code"
        if always_taken(insn[0]):
            return f"'{insn[0]}' stands between, which is always taken"
        v = insn[2]
    return None if v == ev else "the straight line passes over the branch"


def main():
    maps = Maps()
    cache = {}
    edges = chains = unknown = stacks = bad = 0
    counts = {}

    def complain(what, a, b):
        nonlocal bad
        bad += 1
        if bad <= 20:
            print(f"# {what}: {a:#x} -> {b:#x}")

    for line in sys.stdin:
        m = MAP.search(line)
        if m:
            maps.add(int(m.group(1), 16), int(m.group(2), 16), int(m.group(3), 16), m.group(5))
            cache.clear()
            continue
        stack = [tuple(int(x, 16) for x in w.split("/")[:2]) for w in line.split() if w.count("/") >= 2]
        fields = line.split()
        if not stack:
            continue
        stacks += 1
        ip = int(fields[0], 16)
        # newest first; the sample's IP continues the newest
        following = ip
        for f, t in stack:
            key = (f, t)
            if key not in cache:
                a, b = maps.find(f), maps.find(t)
                cache[key] = None if not a or not b else (edge_error(a, b),)
            if cache[key] is None:
                unknown += 1
            else:
                edges += 1
                counts[key] = counts.get(key, 0) + 1
                if cache[key][0]:
                    complain(cache[key][0], f, t)
            key = ("line", t, following)
            if key not in cache:
                a, b = maps.find(t), maps.find(following)
                cache[key] = None if not a or not b else (straight_error(a, b),)
            if cache[key] is not None:
                chains += 1
                if cache[key][0]:
                    complain(cache[key][0], t, following)
            following = f
    print(f"stacks {stacks} edges {edges} distinct {len(counts)} chains {chains} unknown {unknown} wrong {bad}")
    sys.exit(1 if bad or not edges else 0)


main()
