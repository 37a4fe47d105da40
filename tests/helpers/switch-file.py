#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording of threads of process 100 that come to CPUs and leave them, a second apart.

	switch-file.py FILE CPUS in:101 out:102 exit:103 s:101 S:102 ...

`in` and `out` are context switches, `exit` ends a thread, `s` is a sample of a period of one
million, `S` the same with a call chain: 0x402000, then 0x401000 or 0x401010 for odd threads, then
the sample's own address, 0x400000 and 16 for each thread above 100. CPUS 0: the file does not say
how many there are, and events do not ask for switches.
"""
import sys

from perfdata import *

PID, SECOND, PERIOD_OF_ALL = 100, 10 ** 9, 1000000


def main():
    path, cpus, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    chains = any(w[0] == 'S' for w in words)
    r = Recording(Attr(type=TYPE_SOFTWARE, size=64, sample_period=PERIOD_OF_ALL,
                       sample_type=IP | TID | TIME | PERIOD | chains * CALLCHAIN,
                       flags='task sample_id_all' + ' context_switch' * bool(cpus)),
                  time=1001 * SECOND, step=SECOND)
    for word in words:
        op, tid = word.split(':')
        tid = int(tid)
        if op in 'sS':
            ip = 0x400000 + 16 * (tid - PID)
            r.sample(ip=ip, pid=PID, tid=tid, period=PERIOD_OF_ALL,
                     chain=(CONTEXT_USER, ip, 0x401000 + tid % 2 * 16, 0x402000))
        elif op == 'exit':
            r.task(EXIT, PID, PID, tid=tid, ptid=tid)
        else:
            r.switch(PID, tid, leaves=op == 'out')
    if cpus:
        r.features[NRCPUS] = r.pack('II', cpus, cpus)
    r.write(path)


main()
