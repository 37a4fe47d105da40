#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Feeds a command a long recording through a pipe, slowly, and prints what its terminal showed.

	slow-pipe.py tty|file COMMAND...	stderr on a terminal of its own, or not

The recording is 4 MB of samples, a megabyte every 0.4 seconds. stdout and stderr go to the same
place; carriage returns are printed as <CR>.
"""
import os
import subprocess
import sys
import tempfile
import threading
import time

from perfdata import *


def pieces():
    r = Recording(Attr(type=TYPE_SOFTWARE, sample_period=1000, sample_type=IP | TID | TIME | PERIOD,
                       flags='mmap comm sample_id_all', ids=(5,)))
    yield r.pipe_head()
    r.sample(ip=0x400000, pid=7, time=1000, period=1)
    sample = r.out[0]
    for _ in range(4):
        yield sample * ((1 << 20) // len(sample) + 100)
        time.sleep(0.4)


def feed(pipe):
    try:
        for piece in pieces():
            pipe.write(piece)
            pipe.flush()
        pipe.close()
    except BrokenPipeError:
        pass


def main():
    os.environ.update(PERF_PAGER='cat', TERM='xterm')
    if sys.argv[1] == 'tty':
        master, out = os.openpty()
    else:
        out, name = tempfile.mkstemp()
    p = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=out, stderr=out)
    thread = threading.Thread(target=feed, args=(p.stdin,))
    thread.start()
    shown = b''
    if sys.argv[1] == 'tty':
        os.close(out)
        try:
            while True:
                part = os.read(master, 65536)
                if not part:
                    break
                shown += part
        except OSError:
            pass
    thread.join()
    status = p.wait()
    if sys.argv[1] != 'tty':
        shown = open(name, 'rb').read()
        os.unlink(name)
    print(shown.decode().replace('\r\n', '\n').replace('\r', '<CR>'), end='')
    sys.exit(status)


main()
