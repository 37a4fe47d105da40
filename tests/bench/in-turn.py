#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs timed in turn: in-turn.py PREFIX ROUNDS ARGUMENTS NAME=PROGRAM...

User time, since other load on the machine counts less in it, and its median over the rounds; one run of each is no round.
A line for each program with its share of the first one's time, and for the noise what the first one's odd rounds took
beside its even ones."""
import resource, shlex, statistics, subprocess, sys

prefix, rounds, arguments = sys.argv[1], int(sys.argv[2]), shlex.split(sys.argv[3])
programs = dict(p.split('=', 1) for p in sys.argv[4:])
times = {name: [] for name in programs}
for n in range(rounds + 1):
    for name, program in programs.items():
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program] + arguments, stdout=subprocess.DEVNULL, check=True)
        if n:
            times[name].append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
first = next(iter(programs))
median = {name: statistics.median(t) for name, t in times.items()}
for name in programs:
    print(f'{prefix} {name:12} {median[name]:.3f} s user time (median of {rounds}), '
          f'{100 * (median[name] / median[first] - 1):+.1f} % to {first}')
if rounds > 1:
    noise = statistics.median(times[first][::2]) / statistics.median(times[first][1::2]) - 1
    print(f'{prefix} noise        {100 * noise:+.1f} %')
