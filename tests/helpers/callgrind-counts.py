#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""callgrind-counts.py make CALLGRIND PROGRAM OUT: a recording of PROGRAM (not position independent)
in which each instruction has two samples whose periods add up to how often callgrind saw it run.

callgrind-counts.py check CALLGRIND PROGRAM JSON: whether annotate's JSON has at each instruction
just that. callgrind-counts.py ran CALLGRIND PROGRAM JSON: whether what samples were taken at is what
callgrind saw run. callgrind-counts.py runs CALLGRIND PROGRAM JSON: how far executions by branch
stacks agree with callgrind's, and whether any is told of what never ran."""
import json
import os
import sys

from perfdata import *

PID = 10


def counts(path, program):
    """{address: times} of one object; made with --dump-instr=yes --compress-pos=no
    --compress-strings=no."""
    out, inside, skip = {}, False, False
    with open(path) as f:
        for line in f:
            if line.startswith('ob='):
                inside = line[3:].strip() == program
            elif line.startswith('calls='):
                skip = True  # the next line is what the call cost with all below it
            elif line.startswith('0x'):
                words = line.split()
                if inside and not skip:
                    at = int(words[0], 16)
                    out[at] = out.get(at, 0) + int(words[-1])
                skip = False
    return out


def make(times, program, out):
    r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1, sample_type=IP | TID | TIME | PERIOD,
                       flags='mmap comm sample_id_all'), time=1)
    r.comm(PID, 'counted')
    for flags, offset, vaddr, size in segments(program):
        if flags & 1:
            r.mmap(PID, vaddr & -4096, size + 8191 & -4096, offset & -4096, program)
    for at in sorted(times):
        for part in times[at] // 3, times[at] - times[at] // 3:
            r.sample(pid=PID, ip=at, period=part)
    r.write(out)


def lines(path):
    """(function, address, samples, period) of every instruction."""
    with open(path) as f:
        for fn in json.load(f)['functions']:
            for line in fn['lines']:
                if 'counts' in line:
                    c = line['counts'][0]
                    yield fn['symbol'], int(line['address'], 16), c['samples'], c['period']


def check(times, path):
    seen, bad = set(), 0
    for fn, at, samples, period in lines(path):
        seen.add(at)
        if (samples, period) != ((2, times[at]) if at in times else (0, 0)):
            bad += 1
            print(f'{fn} {at:#x}: {samples} samples, period {period}; ran {times.get(at, 0)} times')
    ran = [at for at in times if at in seen]
    print(f'{len(seen)} instructions, {len(ran)} of them ran, {sum(times[at] for at in ran)} times')
    return bad or len(ran) < 50 or len(ran) == len(seen)


def ran(times, path):
    hit = [(fn, at) for fn, at, samples, _ in lines(path) if samples]
    bad = [x for x in hit if x[1] not in times]
    print(f'{len(hit)} instructions with samples; never ran: {bad}')
    return bad or not hit


def runs(times, path):
    """Shares of executions in each function that ran a lot: how much of them is the same."""
    with open(path) as f:
        functions = json.load(f)['functions']
    same = most = wrong = 0
    for fn in functions:
        seen = {int(i['address'], 16): i['executions'] for i in fn['lines'] if 'executions' in i}
        exact = {at: times.get(at, 0) for at in seen}
        wrong += sum(1 for at in seen if seen[at] and not exact[at])
        if sum(seen.values()) < 1000 or not sum(exact.values()):
            continue
        share = sum(min(seen[at] / sum(seen.values()), exact[at] / sum(exact.values())) for at in seen)
        print(f"{fn['symbol']}: {100 * share:.1f} % of {sum(seen.values())}")
        same += share * sum(seen.values())
        most += sum(seen.values())
    print(f'{100 * same / max(most, 1):.1f} % of {most} executions; told of what never ran: {wrong}')
    return most < 1000 or same < 0.9 * most or wrong


what, callgrind, program, path = sys.argv[1:]
program = os.path.realpath(program)
times = counts(callgrind, program)
if what == 'make':
    make(times, program, path)
else:
    sys.exit(bool({'check': check, 'ran': ran, 'runs': runs}[what](times, path)))
