#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""edge-overlap.py CALLGRIND.OUT OBJECT < SCRIPT

How far the branches of a recording agree with an exact count: the sum over all edges inside
OBJECT of the smaller of the two shares. CALLGRIND.OUT comes from `valgrind --tool=callgrind
--dump-instr=yes --collect-jumps=yes --compress-pos=no --compress-strings=no`; SCRIPT from
`perf script -F ip,brstack --show-mmap-events`. Returns are left out: callgrind does not count
them. Prints the overlap in percent and the two totals."""
import bisect
import collections
import re
import subprocess
import sys

MAP = re.compile(r"PERF_RECORD_MMAP2? -?\d+/\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0)[^\]]*\]: (\S+) (.*)")


def segments(path):
    out = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True).stdout
    return [tuple(int(v, 16) for v in m.groups())
            for m in re.finditer(r"LOAD\s+(0x\w+)\s+(0x\w+)\s+0x\w+\s+(0x\w+)", out)]


def stubs(path):
    """Ranges of the procedure linkage table: callgrind counts a call through it as one to the end."""
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    return [(int(m.group(1), 16), int(m.group(1), 16) + int(m.group(2), 16))
            for m in re.finditer(r"\] \.plt\S*\s+\S+\s+(\w+)\s+\w+\s+(\w+)", out)]


def exact(path, obj):
    """Edges by absolute addresses of valgrind's run, for which both ends are in @obj."""
    edges = collections.Counter()
    ob = None
    cob = job = None
    pending = None
    for line in open(path, errors="replace"):
        line = line.rstrip("\n")
        if line.startswith("ob="):
            ob = line[3:]
        elif line.startswith("cob="):
            cob = line[4:]
        elif line.startswith("job="):
            job = line[4:]
        elif line.startswith("calls="):
            n, target = line[6:].split()[:2]
            pending = (int(n), int(target, 16), cob or ob)
            cob = None
        elif line.startswith("jump="):
            n, target = line[5:].split()[:2]
            pending = (int(n), int(target, 16), job or ob)
            job = None
        elif line.startswith("jcnd="):
            n, target = line[5:].split()[:2]
            pending = (int(n.split("/")[0]), int(target, 16), job or ob)
            job = None
        elif pending and line.startswith("0x"):
            n, to, tob = pending
            # a repeated string instruction is no branch
            if ob == obj and tob == obj and to != int(line.split()[0], 16):
                edges[(int(line.split()[0], 16), to)] += n
            pending = None
    return edges


def recorded(obj):
    segs, maps, edges = segments(obj), [], collections.Counter()
    plt = stubs(obj)

    def vaddr(a):
        i = bisect.bisect(maps, (a, 1 << 64)) - 1
        if i < 0 or not maps[i][0] <= a < maps[i][1]:
            return None
        off = a - maps[i][0] + maps[i][2]
        return next((off - o + v for o, v, n in segs if o <= off < o + n), None)

    for line in sys.stdin:
        m = MAP.search(line)
        if m:
            if m.group(5) == obj:
                bisect.insort(maps, (int(m.group(1), 16), int(m.group(1), 16) + int(m.group(2), 16),
                                     int(m.group(3), 16)))
            continue
        for w in line.split():
            if w.count("/") < 6 or w.split("/")[6] == "RET":
                continue
            f, t = (vaddr(int(x, 16)) for x in w.split("/")[:2])
            if f is not None and t is not None and not any(a <= t < b for a, b in plt):
                edges[(f, t)] += 1
    return edges


def main():
    obj = sys.argv[2]
    want, got = exact(sys.argv[1], obj), recorded(obj)
    if not want or not got:
        sys.exit(f"no edges: exact {len(want)}, recorded {len(got)}")
    # valgrind loads the object elsewhere: the page offset that makes most edges meet
    best, base = -1, 0
    tops = [f for (f, _), _ in want.most_common(200)]
    mine = {e for e, _ in got.most_common(400)}
    for b in {f - g for f in tops for g, _ in mine if (f - g) & 0xfff == 0}:
        hits = sum((f - b, t - b) in mine for f, t in want)
        if hits > best:
            best, base = hits, b
    want = collections.Counter({(f - base, t - base): n for (f, t), n in want.items() if n})
    a, b = sum(want.values()), sum(got.values())
    overlap = sum(min(want[e] / a, n / b) for e, n in got.items())
    print(f"{100 * overlap:.1f} exact {a} recorded {b} never-executed {sum(n for e, n in got.items() if e not in want)}")
    for e in sorted(set(want) | set(got), key=lambda e: -abs(want[e] / a - got[e] / b))[:int(sys.argv[3]) if len(sys.argv) > 3 else 0]:
        print(f"# {e[0]:#x} -> {e[1]:#x}: exact {100 * want[e] / a:.2f} % recorded {100 * got[e] / b:.2f} %")


main()
