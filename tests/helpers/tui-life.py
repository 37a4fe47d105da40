#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tui-life.py DEMO: what becomes of a terminal however a browser on it ends, a line per case.

DEMO (tui-demo) runs on a pty of its own, in a session of its own. A line is "CASE: WORDS"; WORDS tell
how the process ended, and whether the terminal is as it was: "restored", or what is not. Waits are for
text that DEMO prints, never for time; a wait that takes too long is told as such.
"""
import fcntl
import os
import re
import select
import signal
import struct
import sys
import termios
import time

DEMO = sys.argv[1]
LIMIT = 30.0


class Late(Exception):
    pass


def follow():
    """Goes on in a child; the leader of the session hears of no hang-up, and ends as the child does."""
    pid = os.fork()
    if not pid:
        return
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


class Term:
    """A program on a terminal of rows and cols."""

    def __init__(self, argv, rows=24, cols=80, env=None, stdin=None, tty=True, led=False, nohup=False):
        self.out = b""
        self.master, slave = os.openpty()
        self.size(rows, cols)
        self.before = termios.tcgetattr(slave)
        full = dict(os.environ, TERM="xterm-256color", LANG="C.UTF-8", LC_ALL="C.UTF-8")
        for name in ("NO_COLOR", "COLORTERM", "LINES", "COLUMNS"):
            full.pop(name, None)
        for name, value in (env or {}).items():
            full.pop(name, None)
            if value is not None:
                full[name] = value
        self.pid = os.fork()
        if not self.pid:
            # A shell ignores them in what it runs in the background.
            for s in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
                signal.signal(s, signal.SIG_DFL)
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in (0, 1, 2):
                os.dup2(slave, fd)
            if stdin is not None:
                os.dup2(stdin, 0)
            if not tty:
                os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
            os.closerange(3, 256)
            if led:
                follow()
            if nohup:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            os.execvpe(argv[0], argv, full)
        self.slave = slave
        self.seen = 0

    def size(self, rows, cols, tell=False):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        if tell:
            os.kill(self.pid, signal.SIGWINCH)

    def read(self, wait):
        if self.master < 0 or not select.select([self.master], [], [], wait)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.out += data
        return bool(data)

    def until(self, text):
        """Reads until the text stands in what came since the last call."""
        end = time.monotonic() + LIMIT
        text = text if isinstance(text, bytes) else text.encode()
        while True:
            at = self.out.find(text, self.seen)
            if at >= 0:
                self.seen = at + len(text)
                return
            if time.monotonic() > end:
                raise Late(text.decode())
            self.read(0.2)

    def type(self, text):
        os.write(self.master, text if isinstance(text, bytes) else text.encode())

    def end(self):
        """How it ended, and how the terminal is."""
        end = time.monotonic() + LIMIT
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise Late("the end")
            self.read(0.02)
        while self.read(0.05):
            pass
        how = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit %d" % os.WEXITSTATUS(status)
        return how + " " + self.state()

    def state(self, termios_too=True):
        bad = []
        now = termios.tcgetattr(self.slave)
        if not termios_too:
            pass
        elif not now[3] & termios.ICANON or not now[3] & termios.ECHO:
            bad.append("raw")
        elif now != self.before:
            bad.append("other termios")
        for what, on, off in (
            ("alternate screen", rb"\x1b\[\?1049h", rb"\x1b\[\?1049l"),
            ("cursor hidden", rb"\x1b\[\?25l", rb"\x1b\[\?(?:12l\x1b\[\?)?25h"),
            ("paste" if termios_too else "", rb"\x1b\[\?2004h", rb"\x1b\[\?2004l"),
            ("mouse", rb"\x1b\[\?1000h", rb"\x1b\[\?1000l"),
        ):
            last_on = [m.start() for m in re.finditer(on, self.out)][-1:] or [-1]
            last_off = [m.start() for m in re.finditer(off, self.out)][-1:] or [-1]
            if what and last_on[0] > last_off[0]:
                bad.append(what)
        return ", ".join(bad) if bad else "restored"

    def close(self):
        for fd in (self.master, self.slave):
            if fd >= 0:
                os.close(fd)
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass


def case(name, fn, *args, **kw):
    argv = kw.pop("argv", [DEMO])
    t = Term(argv, **kw)
    try:
        print("%s: %s" % (name, fn(t, *args)))
    except Late as e:
        print("%s: waited for '%s' in vain; the end of what came: %r" % (name, e, t.out[-200:]))
    finally:
        t.close()
    sys.stdout.flush()


def killed(t, sig, mouse):
    t.until("Demo:")
    t.until("row 0")
    if mouse:
        t.type("\x1bOQ")  # F2
        t.until("\x1b[?1006h")
    os.kill(t.pid, sig)
    return t.end()


def typed(t, keys, before="row 0"):
    t.until(before)
    t.type(keys)
    return t.end()


def shrunk(t):
    """A mapped file that is cut short is no end."""
    t.until("row 0")
    t.type("s")
    t.until("mended, the byte is 0")
    t.type("q")
    return t.end()


def stopped(t):
    """kill -STOP, kill -CONT: drawn again, and the terminal is raw though somebody set it."""
    t.until("row 0")
    os.kill(t.pid, signal.SIGSTOP)
    os.waitpid(t.pid, os.WUNTRACED)
    termios.tcsetattr(t.slave, termios.TCSANOW, t.before)
    os.kill(t.pid, signal.SIGCONT)
    t.until("Demo:")
    t.until("row 0")
    raw = not termios.tcgetattr(t.slave)[3] & termios.ICANON
    t.type("q")
    return ("raw again, " if raw else "not raw, ") + t.end()


def shell(t):
    """Ctrl-Z in a shell, and fg."""
    t.until("$ ")
    t.type("%s\n" % DEMO)
    t.until("row 0")
    t.type("\x1b[B\x1b[B\x0c")  # the screen is sent whole
    t.until("row 2")
    t.type("\x1a")
    t.until("Stopped")
    state = t.state(termios_too=False)  # at a prompt they are the shell's
    t.type("stty -a\n")
    t.until("isig icanon iexten echo ")
    t.type("bg\n")
    t.until("&")
    t.type("echo here $((6 * 7))\n")
    t.until("here 42")
    t.type("fg\n")
    t.until("Demo:")
    t.until("row 2")
    t.type("\x1b[B\x0c")
    t.until("row 3")
    t.type("q")
    t.until("the end")
    t.type("exit 0\n")
    return state + " while stopped, " + t.end()


def reading(t):
    t.until("Reading")
    t.type("q")
    t.until("stopped")
    t.type("q")
    return t.end()


def resized(t, keys):
    t.until("row 0")
    t.type(keys)
    for rows, cols in ((10, 40), (1, 1), (3, 7), (2, 200), (50, 200), (24, 80)):
        t.size(rows, cols)
    t.type("\x0c")
    t.until("Help:" if keys == "?" else "Demo:")
    if keys:
        t.type("\x1b")
    for rows, cols in ((10, 40), (24, 80)):
        t.size(rows, cols)
        t.until("Demo:")
    t.type("q")
    return t.end()


def tiny(t):
    t.until(b"\x1b[?2004h")
    for key in ("\x1b[B", "m", "\x1b[B", "\r", "/", "xyz", "\r", "?", "\x1b[6~", "q", "w", "w", "y", "y"):
        t.type(key)
    t.type("q")
    return t.end()


def hang_up(t):
    t.until("row 0")
    os.close(t.master)
    t.master = -1
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        pid, status = os.waitpid(t.pid, os.WNOHANG)
        if pid:
            return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "exit %d" % os.WEXITSTATUS(status)
        time.sleep(0.01)
    return "goes on"


def refused(t):
    how = t.end()
    return how + " " + t.out.decode().split("\r\n")[0]


def colored(t):
    t.until("row 0")
    t.type("q")
    t.end()
    sgr = set(re.findall(rb"\x1b\[([0-9;]*)m", t.out))
    kinds = set()
    for s in sgr:
        for n in re.findall(rb"38;5;\d+|48;5;\d+|\d+", s):
            if b";" in n:
                kinds.add("256")
            elif n in (b"7", b"1", b"4"):
                kinds.add("attributes")
            elif 30 <= int(n) <= 37 or 40 <= int(n) <= 47:
                kinds.add("8")
            elif 90 <= int(n) <= 107:
                kinds.add("16")
    return " ".join(sorted(kinds)) or "none"


def stdin_pipe(t):
    t.until("row 0")
    t.type("\x1b[B\x0c")
    t.until("row 1")
    t.type("q")
    return t.end()


def main():
    for sig in "TERM HUP INT QUIT SEGV BUS ABRT FPE ILL".split():
        case("kill -" + sig, killed, getattr(signal, "SIG" + sig), False)
    case("kill -TERM with the mouse on", killed, signal.SIGTERM, True)
    case("crash", typed, "c")
    case("no stack left", typed, "o")
    case("abort", typed, "a")
    case("a file that shrinks", shrunk)
    case("exit", typed, "x")
    case("q", typed, "q")
    case("Ctrl-C", typed, "\x03")
    case("Ctrl-C in a menu", typed, "m\x03")
    case("q while reading", reading, argv=[DEMO, "9", "100000"])
    case("Ctrl-C while reading", typed, "\x03", "Reading", argv=[DEMO, "9", "100000"])
    case("kill -STOP and -CONT", stopped)
    case("Ctrl-Z in a shell", shell, argv=["bash", "--norc", "--noprofile", "-i"], env={"PS1": "$ "})
    case("resized", resized, "")
    case("resized with a menu", resized, "m")
    case("resized with a line", resized, "/")
    case("resized with help", resized, "?")
    case("1x1", tiny, rows=1, cols=1)
    case("2x5", tiny, rows=2, cols=5)
    case("40x10", tiny, rows=10, cols=40)
    case("0x0", tiny, rows=0, cols=0)
    case("hang-up", hang_up)
    case("hang-up that only the leader is told", hang_up, led=True)
    case("hang-up under nohup", hang_up, nohup=True)
    read, write = os.pipe()
    os.write(write, b"qqq")
    case("stdin is a pipe", stdin_pipe, stdin=read)
    case("TERM=dumb", refused, env={"TERM": "dumb"})
    case("TERM unknown", refused, env={"TERM": "none-such"})
    case("no TERM", refused, env={"TERM": None})
    case("no terminal", refused, tty=False)
    case("256 colours", colored)
    case("8 colours", colored, env={"TERM": "xterm"})
    case("NO_COLOR", colored, env={"NO_COLOR": "1"})
    case("vt100", colored, env={"TERM": "vt100"})


main()
