#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Types at a program on a terminal of its own and looks at the screen.

	screen.py [GOLDENS] <SCRIPT		prints "ok - NAME", "not ok - NAME", "# why"

GOLDENS is a directory of screens, NAME.txt. Where UPDATE=1 is set they are written instead of
compared. A script has a step a line; "#" begins a comment. Nothing waits for a time: a step that
looks at the screen waits until it is as wanted, for 20 seconds (SCREEN_LIMIT), and a step that types
waits until the program has taken what was typed before and sleeps. The first step that fails ends
the script, and what is on the screen is printed.

	size 80x24			before run (the default), or later: the window changes
	env NAME=VALUE | env -NAME	before run
	run COMMAND			by the shell, in the directory screen.py was started in
	late 80x24			the window changes, the program is not told, and the lines that
					scroll are set as for the size before: as if it had written that late
	bash				an interactive one, whose prompt is "$ "; type commands there
	key NAME...			Up, Enter, C-c, M-x, x ...: see KEYS
	keys STRING			each character a key of its own
	type STRING			at once
	bytes HEX...			raw
	slow HEX...			raw, one by one, each when the one before was taken
	wait TEXT | gone TEXT		until it is, is not, on the screen (in any row)
	match REGEX | unmatch REGEX	of the screen's rows, joined by newlines
	golden NAME [colours]		the whole screen
	changed NAME			the screen is not what it was at the last step that looked
	mask REGEX TEXT			in screens that are compared: TEXT instead, as wide
	signal NAME			to the program in the foreground
	dump FILE			the screen as text
	fuzz SEED N			N random keys and sizes, the same for a seed; a program that they
					leave is started again
	settle				until the program sleeps and has taken all input
	leave				Esc and Ctrl-C until it ends, with 0
	exit STATUS			the program ends: a number, or the name of a signal
	restored NAME			the terminal is as before the start
	clean NAME			no byte came that a terminal of this kind does not know
	title TEXT			steps that wait say this when they fail

`key`, `wait` and the like print nothing when they succeed; `ok NAME` prints that all went well so far.
"""
import fcntl
import os
import random
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time

from terminal import Terminal

LIMIT = float(os.environ.get('SCREEN_LIMIT', '20'))
KEYS = {
    'Up': b'\x1b[A', 'Down': b'\x1b[B', 'Right': b'\x1b[C', 'Left': b'\x1b[D',
    'Home': b'\x1b[H', 'End': b'\x1b[F', 'PgUp': b'\x1b[5~', 'PgDn': b'\x1b[6~',
    'Ins': b'\x1b[2~', 'Del': b'\x1b[3~', 'Enter': b'\r', 'Esc': b'\x1b', 'Tab': b'\t',
    'S-Tab': b'\x1b[Z', 'Space': b' ', 'Backspace': b'\x7f', 'F1': b'\x1bOP', 'F2': b'\x1bOQ',
    'F3': b'\x1bOR', 'F4': b'\x1bOS', 'F5': b'\x1b[15~', 'C-Left': b'\x1b[1;5D',
    'C-Right': b'\x1b[1;5C', 'M-Left': b'\x1b[1;3D', 'M-Right': b'\x1b[1;3C',
}
# What a terminal sends when the program asked for "application" keys.
APPLICATION = {'Up', 'Down', 'Right', 'Left', 'Home', 'End'}


class Failed(Exception):
    pass


class Screen:
    def __init__(self, goldens):
        self.goldens = goldens
        self.rows, self.cols = 24, 80
        self.env = dict(os.environ, TERM='xterm-256color', LC_ALL='C.UTF-8', LANG='C.UTF-8')
        for name in ('COLUMNS', 'LINES', 'NO_COLOR', 'COLORTERM', 'ESCDELAY'):
            self.env.pop(name, None)
        self.masks = []
        self.process = None
        self.term = None
        self.seen = []
        self.context = ''

    # ---- the program and its terminal

    def start(self, argv):
        # The driver keeps the program's side open: reading goes on to the last byte, and the
        # settings can be looked at when the program is gone.
        self.argv = argv
        self.master, self.slave = os.openpty()
        self.winsize()
        self.before = termios.tcgetattr(self.slave)
        self.term = Terminal(self.rows, self.cols, self.send)

        def child():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            for s in (signal.SIGPIPE, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGHUP):
                signal.signal(s, signal.SIG_DFL)

        self.process = subprocess.Popen(argv, stdin=self.slave, stdout=self.slave,
                                        stderr=self.slave, env=self.env, preexec_fn=child)

    def winsize(self):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack('HHHH', self.rows, self.cols, 0, 0))

    def pump(self, seconds):
        """Takes what the program wrote, waiting for it so long at most: whether there was any."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return False
        self.term.feed(os.read(self.master, 65536))
        return True

    def send(self, data):
        while data:
            # A program that does not read: take what it writes, or both of us wait.
            _, ready, _ = select.select([], [self.master], [], 0.05)
            if ready:
                data = data[os.write(self.master, data[:512]):]
            self.pump(0)

    def until(self, condition, why):
        end = time.monotonic() + LIMIT
        while not condition():
            if not self.pump(0.02) and time.monotonic() > end:
                raise Failed(why() if callable(why) else why)

    def foreground(self):
        return os.tcgetpgrp(self.master)

    def group_state(self):
        """The states of the processes in the foreground; '' when none is left."""
        group, states = self.foreground(), ''
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                stat = open('/proc/%s/stat' % pid).read().rpartition(') ')[2].split()
            except OSError:
                continue
            if int(stat[2]) == group and stat[0] != 'Z':
                states += stat[0]
        return states

    def settled(self):
        """The program has read what was typed, has nothing to do, and all it wrote is here.

        Three looks, 20 ms apart: it also sleeps while it waits for the rest of a key's bytes."""
        for _ in range(3):
            waiting = struct.unpack('i', fcntl.ioctl(self.slave, termios.FIONREAD, b'\0' * 4))[0]
            if waiting or self.group_state().strip('SIT') or self.pump(0.02):
                return False
        return True

    def ended(self):
        self.pump(0)
        return self.process.poll() is not None

    def settle(self):
        self.until(lambda: self.ended() or self.settled(), 'the program does not come to rest')

    # ---- screens

    def shown(self):
        out = []
        for row in self.term.text():
            for regex, text in self.masks:
                row = re.sub(regex, lambda m: text[:len(m[0])].ljust(len(m[0])), row)
            out.append(row.rstrip())
        return out

    def joined(self):
        return '\n'.join(self.term.text())

    def frame(self, rows):
        return '\n'.join('# |' + row for row in rows)

    def golden(self, name, colours):
        path = os.path.join(self.goldens, name + '.txt')

        def now():
            rows = self.shown()
            if colours:
                rows += ['', 'colours'] + self.term.colours()
            return rows

        if os.environ.get('UPDATE'):
            self.settle()
            os.makedirs(self.goldens, exist_ok=True)
            with open(path, 'w') as f:
                f.write('\n'.join(now()) + '\n')
            return
        try:
            want = open(path).read().split('\n')[:-1]
        except OSError:
            self.settle()
            raise Failed('no %s: UPDATE=1 writes it' % path)

        def why():
            rows = now()
            out = ['differs from %s (UPDATE=1 writes it); wanted -, here +:' % path]
            for i in range(max(len(want), len(rows))):
                a = want[i] if i < len(want) else None
                b = rows[i] if i < len(rows) else None
                if a != b:
                    out += ['-%2d|%s' % (i, a)] * (a is not None) + ['+%2d|%s' % (i, b)] * (b is not None)
            return '\n'.join(out)

        self.until(lambda: now() == want, why)

    def restored(self):
        t, bad = self.term, []
        after = termios.tcgetattr(self.slave)
        if t.alternate:
            bad.append('the alternate screen is still on')
        if not t.cursor_on:
            bad.append('the cursor is off')
        if t.modes:
            bad.append('modes are still on: %s' % sorted(t.modes))
        if t.insert:
            bad.append('insert mode is left on')
        if t.keypad:
            bad.append('keys are in application mode')
        if t.attr != ('-', '-', ''):
            bad.append('colours are still %s/%s %s' % t.attr)
        if (t.top, t.bottom) != (0, t.rows - 1):
            bad.append('a scroll region is left')
        if t.charset[t.shift] != 'B':
            bad.append('line drawing characters are left on')
        if not after[3] & termios.ICANON or not after[3] & termios.ECHO:
            bad.append('stty: no icanon, or no echo')
        elif after != self.before and not self.is_shell:
            bad.append('stty: not as before')
        return bad

    # ---- steps

    def step(self, word, rest):
        do = getattr(self, 'do_' + word, None)
        if not do:
            raise Failed('no such step: ' + word)
        do(rest)
        if word in ('wait', 'gone', 'match', 'unmatch', 'golden', 'changed', 'settle'):
            self.seen = self.term.text()

    def ok(self, name):
        print('ok - ' + name, flush=True)

    def do_size(self, rest):
        self.cols, self.rows = map(int, rest.split('x'))
        if self.term:
            self.settle()
            self.term.resize(self.rows, self.cols)
            self.winsize()

    def do_late(self, rest):
        self.settle()
        rows = self.rows
        self.cols, self.rows = map(int, rest.split('x'))
        self.term.resize(self.rows, self.cols)
        self.term.feed(b'\x1b[1;%dr' % rows)

    def do_env(self, rest):
        name, eq, value = rest.partition('=')
        if eq:
            self.env[name] = value
        else:
            self.env.pop(name.lstrip('-'), None)

    def do_run(self, rest):
        self.is_shell = False
        self.start(['/bin/sh', '-c', 'exec ' + rest])

    def do_bash(self, rest):
        self.is_shell = True
        self.env['PS1'] = '$ '
        self.env['INPUTRC'] = '/dev/null'
        self.start(['bash', '--norc', '--noprofile', '--noediting', '-i'])
        self.do_wait('$')

    def key_bytes(self, name):
        if name in APPLICATION and 1 in self.term.modes:
            return KEYS[name].replace(b'[', b'O')
        if name in KEYS:
            return KEYS[name]
        if re.fullmatch('C-[a-z]', name):
            return bytes([ord(name[2]) - 96])
        if re.fullmatch('M-.', name):
            return b'\x1b' + name[2].encode()
        if len(name) == 1:
            return name.encode()
        raise Failed('no key ' + name)

    def do_key(self, rest):
        for name in rest.split():
            self.settle()
            self.send(self.key_bytes(name))

    def do_keys(self, rest):
        for c in rest:
            self.settle()
            self.send(c.encode())

    def do_type(self, rest):
        self.settle()
        self.send(rest.encode())

    def do_enter(self, rest):
        self.settle()
        self.send(rest.encode() + b'\r')

    def do_bytes(self, rest):
        self.settle()
        self.send(bytes.fromhex(rest))

    def do_slow(self, rest):
        for b in bytes.fromhex(rest):
            self.until(lambda: not struct.unpack(
                'i', fcntl.ioctl(self.slave, termios.FIONREAD, b'\0' * 4))[0], 'no byte is taken')
            self.send(bytes([b]))

    def do_wait(self, rest):
        self.until(lambda: any(rest in row for row in self.term.text()), 'not there: ' + rest)

    def do_gone(self, rest):
        self.until(lambda: not any(rest in row for row in self.term.text()), 'still there: ' + rest)

    def do_match(self, rest):
        self.until(lambda: re.search(rest, self.joined(), re.M), 'no match for: ' + rest)

    def do_unmatch(self, rest):
        self.until(lambda: not re.search(rest, self.joined(), re.M), 'still matches: ' + rest)

    def do_golden(self, rest):
        words = rest.split()
        self.golden(words[0], 'colours' in words[1:])
        self.ok('screen ' + words[0])

    def do_changed(self, rest):
        before = self.seen
        self.until(lambda: self.term.text() != before, 'the screen has not changed')
        self.settle()
        self.ok(rest)

    def do_mask(self, rest):
        self.masks.append(tuple(shlex.split(rest)))

    def do_signal(self, rest):
        # Stopped it is to be in the midst of what it does, and then it never rests.
        if rest not in ('STOP', 'CONT'):
            self.settle()
        os.killpg(self.foreground(), getattr(signal, 'SIG' + rest))

    def do_dump(self, rest):
        self.settle()
        with open(rest, 'w') as f:
            f.write(self.joined() + '\n')

    def again(self, typed):
        """Left by one of the keys: from the start."""
        while self.pump(0.02):
            pass
        bad = self.restored()
        if self.process.returncode or bad:
            raise Failed('it ended with %d after %s\n%s' % (
                self.process.returncode, ascii(typed[-40:]), '\n'.join(bad)))
        os.close(self.master)
        os.close(self.slave)
        self.start(self.argv)
        self.until(lambda: self.term.alternate, 'it does not start again')

    def do_fuzz(self, rest):
        seed, n = map(int, rest.split())
        rng = random.Random(seed)
        names = [name for name in KEYS if name != 'Esc'] * 2 + ['Down', 'Enter', 'Esc'] * 4
        letters = [chr(c) for c in range(33, 127) if chr(c) not in 'q!']
        typed = []
        for _ in range(n):
            what = rng.random()
            if what < 0.02:
                # No waiting: sizes change while keys are on their way.
                self.cols, self.rows = rng.choice([(1, 1), (3, 2), (20, 4), (40, 10), (80, 24),
                                                   (200, 50), (300, 3), (2, 60)])
                self.term.resize(self.rows, self.cols)
                self.winsize()
                typed.append('%dx%d' % (self.cols, self.rows))
                continue
            key = rng.choice(names) if what < 0.5 else rng.choice(letters)
            if what > 0.97:
                key = rng.choice(['\x1b[', '\x1bO', '\x1b[1;', 'ü', '漢', '\xff', '\0', 'C-l'])
            typed.append(key)
            if self.process.poll() is not None:
                self.again(typed)
            self.send(self.key_bytes(key) if key in KEYS or key[:2] == 'C-' or len(key) == 1
                      else key.encode())
            if rng.random() < 0.1:
                self.settle()
        self.settle()
        if self.process.poll() is not None:
            self.again(typed)

    def do_leave(self, rest):
        """Whatever is open: q and Esc until it ends."""
        for _ in range(60):
            self.settle()
            if self.ended():
                break
            self.send(b'\x1b')
            self.settle()
            if not self.ended():
                self.send(b'\x03')
        self.do_exit('0')

    def do_settle(self, rest):
        self.settle()

    def do_exit(self, rest):
        self.until(self.ended, 'it does not end')
        while self.pump(0.02):
            pass
        code = self.process.returncode
        got = signal.Signals(-code).name[3:] if code < 0 else str(code)
        if got != rest:
            raise Failed('it ended with %s, wanted %s' % (got, rest))

    def do_restored(self, rest):
        if self.process.poll() is None:
            self.settle()
        bad = self.restored()
        if bad:
            raise Failed('\n'.join(bad))
        self.ok(rest)

    def do_clean(self, rest):
        if self.term.unknown or self.term.formats:
            raise Failed('came to the terminal: %s %s' % (self.term.unknown[:8],
                                                          ascii(self.term.formats[:8])))
        self.ok(rest)

    def do_title(self, rest):
        self.context = rest

    def do_ok(self, rest):
        self.ok(rest)

    def end(self):
        if self.process and self.process.poll() is None:
            for group in {self.foreground(), self.process.pid}:
                try:
                    os.killpg(group, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
            self.process.wait()


def main():
    screen = Screen(sys.argv[1] if len(sys.argv) > 1 else '.')
    status = 0
    try:
        for nr, line in enumerate(sys.stdin, 1):
            line = line.strip('\n')
            if not line.strip() or line.lstrip().startswith('#'):
                continue
            word, _, rest = line.strip().partition(' ')
            try:
                screen.step(word, rest)
            except Failed as e:
                print('not ok - %s' % (screen.context or rest or word))
                print('# line %d: %s' % (nr, line.strip()))
                print('\n'.join('# ' + row for row in str(e).split('\n')))
                if screen.term:
                    print('# the screen, %dx%d:' % (screen.cols, screen.rows))
                    print(screen.frame(screen.term.text()))
                status = 1
                break
    finally:
        screen.end()
    return status


sys.exit(main())
