#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""edge-overlap.py [-n TOP] [-b BURSTS] CALLGRIND.OUT SCRIPT... [--all SCRIPT...]

How far the branches of a recording agree with an exact count: the sum over all edges of the
smaller of the two shares, in percent. Edges are pairs of places in files, of every object.

CALLGRIND.OUT	valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --compress-pos=no
		--compress-strings=no --skip-plt=no; or what qemu-edges.c writes in that form
SCRIPT		perf script -F [tid,time,]ip,brstack --show-mmap-events, one file per run

Returns are left out: callgrind does not count them. Both must run the same code: callgrind shows
another CPU, so set what `edge-overlap.py --environment` prints for the shell in both.

Stacks with an edge that was never executed are counted, except to and within the dynamic linker:
what its start-up does, and which of its resolvers the first call of a function gets, depends on
what CPUID says, and valgrind answers for another CPU.

Beside it stands what a sampler without any bias would reach with as many stacks: the overlap of
the recording with itself when its stacks are drawn again at random (mean of 8 draws). Stacks of one
burst (with tid and time: the same thread at the same time) are of one place of the program, so
whole bursts are drawn for them.

That draws from what was recorded, and a program of which bursts hardly repeat has far more that was
not: the mark is too high there, 63 % where no two bursts are alike. So --all takes recordings of
the same program that have many more bursts, and "of-all" is how far as many bursts as the recording
has, drawn of these without one twice, agree with all of these (mean of 8 draws), "all-bursts" how
many these are. What is drawn is a part of them: of @n the mean distance from all @N is
sqrt(1 - n/N) of that from what all were drawn of (the finite population correction), so it is
divided by that. Where bursts do not repeat, that is half of it: the mark is a little high then.
"<" stands before it where all are fewer than 8 times as many.
Where they are longer than the recording's on average, there is only the same part of each, from its
begin, so that as many bursts are as many branches.
-b: the mark for so many bursts.

Then the TOP edges (default 0) by which the two differ most."""
import bisect
import collections
import itertools
import math
import random
import re
import subprocess
import sys

# What callgrind's CPU makes glibc choose: no AVX-512, the preferences and sizes of a Haswell. Of Go's runtime what needs
# nothing but x86-64, as QEMU's CPU is another one, too.
ENVIRONMENT = {
    'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-AVX512VL,-AVX512F,-AVX512BW,-AVX512DQ,-AVX512CD,'
                      'Fast_Unaligned_Load,Fast_Unaligned_Copy,Fast_Rep_String,'
                      'Prefer_PMINUB_for_stringop,Prefer_No_AVX512'
                      ':glibc.cpu.x86_shared_cache_size=0x800000'
                      ':glibc.cpu.x86_rep_movsb_threshold=0x2000'
                      ':glibc.cpu.x86_non_temporal_threshold=0x200000'
                      ':glibc.cpu.x86_data_cache_size=0x8000',
    'GODEBUG': 'cpu.all=off',
    'LC_ALL': 'C',
    'PERL_HASH_SEED': '0',
    'PYTHONHASHSEED': '0',
    'PYTHONMALLOC': 'malloc',
    'PYTHONDONTWRITEBYTECODE': '1',
}
BURST = re.compile(r'\s*(-?\d+)\s+([\d.]+):')
MAP = re.compile(r'PERF_RECORD_MMAP2? -?\d+/\d+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ '
                 r'(0x[0-9a-f]+|0)[^\]]*\]: \S+ (.*)')
SEGMENTS = {}
ENOUGH = 8  # times as many bursts to draw from


def segments(path):
    """(file offset, address, size) of what is loaded"""
    if path not in SEGMENTS:
        out = subprocess.run(['readelf', '-lW', path], capture_output=True, text=True).stdout
        SEGMENTS[path] = [tuple(int(v, 16) for v in m) for m in
                          re.findall(r'LOAD\s+(0x\w+)\s+(0x\w+)\s+0x\w+\s+(0x\w+)', out)]
    return SEGMENTS[path]


# ---- callgrind ----------------------------------------------------------------------------------


def read_callgrind(path):
    """Edges (object, from, object, to). Addresses are the file's, but absolute in object '???'."""
    edges = collections.Counter()
    ob = other = pending = None
    for line in open(path, errors='replace'):
        word, _, rest = line.rstrip('\n').partition('=')
        if pending and line[0] == '0':
            count, to, to_ob = pending
            at = int(line.split()[0], 16)
            if to != at:  # a repeated string instruction is no branch
                edges[(ob, at, to_ob, to)] += count
            pending = None
        elif word == 'ob':
            ob = rest
        elif word in ('cob', 'job'):
            other = rest
        elif word in ('calls', 'jump', 'jcnd'):
            count, to = rest.split()[:2]
            pending = int(count.split('/')[0]), int(to, 16), other or ob
            other = None
    return edges


def direct_target(path, at):
    """Where the direct call or jump at @at leads; None = it is no such instruction."""
    for off, addr, size in segments(path):
        if not addr <= at < addr + size:
            continue
        with open(path, 'rb') as f:
            f.seek(at - addr + off)
            code = f.read(6)
        if code[0] in (0xe8, 0xe9):
            return at + 5 + int.from_bytes(code[1:5], 'little', signed=True)
        if code[0] == 0x0f and code[1] & 0xf0 == 0x80:
            return at + 6 + int.from_bytes(code[2:6], 'little', signed=True)
    return None


def exact(path):
    """Linkage tables are in no object for callgrind: calls to them tell where objects lie."""
    raw = read_callgrind(path)
    votes = collections.defaultdict(collections.Counter)
    for ob, at, to_ob, to in raw:
        target = direct_target(ob, at) if to_ob == '???' and ob.startswith('/') else None
        if target is not None:
            votes[ob][to - target] += 1
    ranges = sorted((addr + base, addr + base + size, ob, base)
                    for ob, base in ((o, v.most_common(1)[0][0]) for o, v in votes.items())
                    for _, addr, size in segments(ob))

    def place(ob, addr):
        if ob != '???':
            return ob, addr
        i = bisect.bisect(ranges, (addr, 1 << 64)) - 1
        if i < 0 or addr >= ranges[i][1]:
            return None
        return ranges[i][2], addr - ranges[i][3]

    edges = collections.Counter()
    for (ob, at, to_ob, to), n in raw.items():
        edge = place(ob, at), place(to_ob, to)
        if n and None not in edge:
            edges[edge] += n
    return edges


# ---- perf ---------------------------------------------------------------------------------------


def read_script(path):
    """Every burst as a list of stacks, which are lists of edges."""
    maps, places, edges_of, bursts, last = [], {}, {}, [], None

    def place(addr):
        if addr not in places:
            i = bisect.bisect(maps, (addr, 1 << 64)) - 1
            found = None
            if i >= 0 and addr < maps[i][1] and maps[i][3].startswith('/'):
                off = addr - maps[i][0] + maps[i][2]
                found = next(((maps[i][3], off - o + a) for o, a, n in segments(maps[i][3])
                              if o <= off < o + n), None)
            places[addr] = found
        return places[addr]

    def edge(*words):
        """One object for all that are alike: there are millions."""
        if words not in edges_of:
            edges_of[words] = tuple(place(int(w, 16)) for w in words)
        return edges_of[words]

    for line in open(path):
        m = MAP.search(line) if 'MMAP' in line else None
        if m:
            start, size, off = (int(v, 16) for v in m.groups()[:3])
            bisect.insort(maps, (start, start + size, off, m.group(4)))
            continue
        entries = [w.split('/') for w in line.split() if w.count('/') >= 6]
        edges = [edge(e[0], e[1]) for e in entries if e[6] != 'RET']
        if not entries:
            continue
        m = BURST.match(line)
        key = m and m.groups()
        if not key or key != last:
            bursts.append([])
        last = key
        bursts[-1].append([e for e in edges if None not in e])
    return bursts


def count(stacks):
    edges = collections.Counter()
    for s in stacks:
        edges.update(s)
    return edges


def overlap(a, b):
    na, nb = sum(a.values()), sum(b.values())
    return 100 * sum(min(a[e] / na, n / nb) for e, n in b.items())


def in_linker(edge):
    return '/ld-linux' in edge[1][0]


def together(counters):
    whole = collections.Counter()
    for c in counters:
        whole.update(c)
    return whole


def unbiased(whole, counters, n, draw, draws=8):
    """How far @n of @counters, of edges of a stack or of a burst each, agree with @whole.
    @draw: as random.choices, one may come again, or random.sample"""
    rnd = random.Random(1)
    return sum(overlap(whole, together(draw(rnd, counters, k=n))) for _ in range(draws)) / draws


def again(counters):
    return unbiased(together(counters), counters, len(counters), random.Random.choices)


def of_all(paths, n, size):
    """The mark for @n bursts of @size edges on average from the scripts @paths, as it is printed."""
    everything = [list(itertools.chain(*b)) for path in paths for b in read_script(path)]
    edges = sum(len(b) for b in everything)
    if not edges:
        sys.exit('--all: no edges')
    part = min(1, size * len(everything) / edges)
    drawn = [collections.Counter(b[:math.ceil(len(b) * part)]) for b in everything]
    n = min(n, len(drawn))
    mark = unbiased(together(drawn), drawn, n, random.Random.sample)
    if n < len(drawn):
        mark = max(0, 100 - (100 - mark) / math.sqrt(1 - n / len(drawn)))
    few = '<' if len(everything) < ENOUGH * n else ''
    return f'of-all {few}{mark:.1f} all-bursts {len(everything)} '


def main():
    args, top, drawn = sys.argv[1:], 0, 0
    if args[:1] == ['--environment']:
        print('\n'.join(f"export {k}='{v}'" for k, v in ENVIRONMENT.items()))
        return
    if args[:1] == ['-n']:
        top, args = int(args[1]), args[2:]
    if args[:1] == ['-b']:
        drawn, args = int(args[1]), args[2:]
    split = args.index('--all') if '--all' in args else len(args)
    args, everything, asked = args[:split], args[split + 1:], split < len(args)
    if len(args) < 2 or asked and not everything or drawn and not asked:
        sys.exit(__doc__)
    want = exact(args[0])
    bursts = [b for path in args[1:] for b in read_script(path)]
    stacks = [s for b in bursts for s in b]
    got = count(stacks)
    if not want or not got:
        sys.exit(f'no edges: exact {len(want)}, recorded {len(got)}')
    a, b = sum(want.values()), sum(got.values())
    never = sum(any(e not in want and not in_linker(e) for e in s) for s in stacks)
    mark = of_all(everything, drawn or len(bursts), b / len(bursts)) if everything else ''
    print(f'{overlap(want, got):.1f} unbiased {again([collections.Counter(s) for s in stacks]):.1f} '
          f'stacks {len(stacks)} exact {a} recorded {b} bursts {len(bursts)} '
          f'unbiased-bursts {again([count(b) for b in bursts]):.1f} {mark}never-executed-in {never}')
    both = sorted(set(want) | set(got), key=lambda e: -abs(want[e] / a - got[e] / b))
    for e in both[:top]:
        (ob, at), (to_ob, to) = e
        print(f'# {ob.rpartition("/")[2]} {at:#x} -> {to_ob.rpartition("/")[2]} {to:#x}: '
              f'exact {100 * want[e] / a:.2f} % recorded {100 * got[e] / b:.2f} %')


if __name__ == '__main__':
    main()
