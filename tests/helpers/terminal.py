# SPDX-License-Identifier: GPL-2.0-or-later
"""A terminal in memory: bytes in, cells out.

It knows what terminfo's xterm-256color has programs send, and keeps count of what it does not know
(`unknown`): a program that sends such a thing is either new here or lets a file's bytes through.
What a program has to put back is here too: the other screen, the cursor, mouse, paste, key modes.
"""
import unicodedata

NAMES = 'black red green yellow blue magenta cyan white'.split()
PLAIN = ('-', '-', '')  # foreground, background, and letters: Bold Dim Under reVerse blinK Italic


def width(c):
    if unicodedata.combining(c) or unicodedata.category(c) in ('Mn', 'Me', 'Cf'):
        return 0
    return 2 if unicodedata.east_asian_width(c) in 'WF' else 1


class Terminal:
    def __init__(self, rows, cols, reply=lambda data: None):
        self.rows, self.cols = rows, cols
        self.reply = reply
        self.unknown = []
        self.cursor_on = True
        self.alternate = False
        self.modes = set()  # private modes that are set: 1 keys, 1000.. mouse, 2004 paste
        self.keypad = False
        self.pending = b''
        self.kept = None
        self.bells = 0
        self.formats = []  # invisible characters that came: bidi overrides, zero width
        self.reset()

    def blank(self):
        # A terminal erases with the background that is set.
        return (' ', ('-', self.attr[1], ''))

    def line(self):
        return [self.blank() for _ in range(self.cols)]

    def reset(self):
        self.attr = PLAIN
        self.cells = [self.line() for _ in range(self.rows)]
        self.y = self.x = 0
        self.wrap = False
        self.top, self.bottom = 0, self.rows - 1
        self.saved = (0, 0, PLAIN)
        self.charset = ['B', 'B']
        self.shift = 0
        self.insert = False

    def resize(self, rows, cols):
        self.rows, self.cols = rows, cols
        for screen in [self.cells] + ([self.kept[0]] if self.kept else []):
            del screen[rows:]
            for row in screen:
                del row[cols:]
                row.extend([(' ', PLAIN)] * (cols - len(row)))
            while len(screen) < rows:
                screen.append([(' ', PLAIN)] * cols)
        self.top, self.bottom = 0, rows - 1
        self.y, self.x = min(self.y, rows - 1), min(self.x, cols - 1)
        self.wrap = False

    # ---- what there is to see

    def text(self):
        return [''.join(c for c, _ in row).rstrip() for row in self.cells]

    def colours(self):
        """A line for each row that has any: runs of cells, each with its colours. A blank on a
        colour goes with what is before it: whether it was written or erased depends on what was
        there, and its foreground is not seen."""
        def goes_with(cell, attr):
            return cell[1] == attr or (cell[0] == ' ' and attr[1] != '-' and cell[1][1:] == attr[1:])

        out = []
        for y, row in enumerate(self.cells):
            runs, x = [], 0
            while x < self.cols:
                attr, start = row[x][1], x
                while x < self.cols and goes_with(row[x], attr):
                    x += 1
                if attr != PLAIN:
                    runs.append('%d-%d %s/%s%s' % (start, x - 1, attr[0], attr[1],
                                                   '+' + attr[2] if attr[2] else ''))
            if runs:
                out.append('%d: %s' % (y, ', '.join(runs)))
        return out

    # ---- bytes

    def feed(self, data):
        data = self.pending + data
        at = 0
        while at < len(data):
            used = self.one(data, at)
            if used == 0:
                break
            at += used
        self.pending = data[at:]

    def one(self, data, at):
        """The character or sequence at `at`: how long it is, 0 if its end has not come yet."""
        b = data[at]
        if b == 0x1b:
            return self.escape(data, at)
        if b < 0x20 or b == 0x7f:
            self.control(b)
            return 1
        if b < 0x80:
            self.put(self.translate(chr(b)))
            return 1
        n = 2 if 0xc2 <= b < 0xe0 else 3 if 0xe0 <= b < 0xf0 else 4 if 0xf0 <= b < 0xf5 else 1
        part = data[at:at + n]
        try:
            self.put(part.decode())
            return n
        except UnicodeDecodeError as e:
            if e.reason == 'unexpected end of data' and at + len(part) == len(data):
                return 0
            self.unknown.append(bytes([b]))
            self.put('\ufffd')
            return 1

    def control(self, b):
        if b == 0x08:
            self.x = max(self.x - 1, 0)
        elif b == 0x09:
            self.x = min((self.x // 8 + 1) * 8, self.cols - 1)
        elif b in (0x0a, 0x0b, 0x0c):
            self.down()
        elif b == 0x0d:
            self.x = 0
        elif b == 0x0e:
            self.shift = 1
        elif b == 0x0f:
            self.shift = 0
        elif b == 0x07:
            self.bells += 1
        elif b:
            self.unknown.append(bytes([b]))
        if b != 0x07:
            self.wrap = False

    def translate(self, c):
        # DEC's line drawing, as S-Lang uses it outside UTF-8.
        if self.charset[self.shift] == '0' and '`' <= c <= '~':
            return '◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'[ord(c) - ord('`')]
        return c

    def put(self, c):
        w = width(c)
        if unicodedata.category(c) == 'Cf':
            self.formats.append(c)
        if w == 0:
            x = self.x if self.wrap else max(self.x - 1, 0)
            old = self.cells[self.y][x]
            self.cells[self.y][x] = (old[0] + c, old[1])
            return
        if self.wrap or self.x + w > self.cols:
            self.x = 0
            self.down()
            self.wrap = False
        row = self.cells[self.y]
        if self.insert:
            row[self.x:self.x] = [self.blank()] * w
            del row[self.cols:]
        row[self.x] = (c, self.attr)
        if w == 2 and self.x + 1 < self.cols:
            row[self.x + 1] = ('', self.attr)
        self.x += w
        if self.x >= self.cols:
            self.x = self.cols - 1
            self.wrap = True

    def down(self):
        if self.y == self.bottom:
            self.scroll(self.top, 1)
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def scroll(self, top, n):
        """Lines from `top` to the end of the region go up by n, or down where n is negative."""
        for _ in range(min(abs(n), self.bottom - top + 1)):
            del self.cells[top if n > 0 else self.bottom]
            self.cells.insert(self.bottom if n > 0 else top, self.line())

    def escape(self, data, at):
        if at + 1 >= len(data):
            return 0
        c = data[at + 1:at + 2]
        if c == b'[':
            end = at + 2
            while end < len(data) and 0x20 <= data[end] < 0x40:
                end += 1
            if end >= len(data):
                return 0
            self.csi(data[at + 2:end].decode('ascii', 'replace'), chr(data[end]))
            return end + 1 - at
        if c in b']P':
            for end, n in ((data.find(b'\a', at), 1), (data.find(b'\x1b\\', at + 2), 2)):
                if end > 0:
                    self.unknown.append(data[at:end + n])
                    return end + n - at
            return 0
        if c in b'()':
            if at + 2 >= len(data):
                return 0
            self.charset[b'()'.index(c)] = chr(data[at + 2])
            return 3
        if c == b'7':
            self.saved = (self.y, self.x, self.attr)
        elif c == b'8':
            self.y, self.x, self.attr = self.saved
            self.wrap = False
        elif c == b'=':
            self.keypad = True
        elif c == b'>':
            self.keypad = False
        elif c == b'M':
            if self.y == self.top:
                self.scroll(self.top, -1)
            else:
                self.y = max(self.y - 1, 0)
        elif c == b'c':
            self.reset()
        else:
            self.unknown.append(data[at:at + 2])
        return 2

    def csi(self, params, final):
        sequence = ('\x1b[' + params + final).encode()
        private = params[:1] if params[:1] in '?>=!' and params else ''
        try:
            args = [int(p) if p else 0 for p in params[len(private):].split(';')]
        except ValueError:
            self.unknown.append(sequence)
            return
        n = max(args[0], 1)
        self.wrap = False
        if private == '?' and final in 'hl':
            for mode in args:
                self.private(mode, final == 'h')
        elif private or not self.plain_csi(final, args, n):
            if (private, final) != ('!', 'p'):
                self.unknown.append(sequence)

    def plain_csi(self, final, args, n):
        row = self.cells[self.y]
        if final in 'Hf':
            self.y = min(n, self.rows) - 1
            self.x = min(max(args[1] if len(args) > 1 else 1, 1), self.cols) - 1
        elif final == 'A':
            self.y = max(self.y - n, 0)
        elif final == 'B':
            self.y = min(self.y + n, self.rows - 1)
        elif final == 'C':
            self.x = min(self.x + n, self.cols - 1)
        elif final == 'D':
            self.x = max(self.x - n, 0)
        elif final == 'G':
            self.x = min(n, self.cols) - 1
        elif final == 'd':
            self.y = min(n, self.rows) - 1
        elif final == 'J':
            self.erase(args[0])
        elif final == 'K':
            start, end = ((self.x, self.cols), (0, self.x + 1), (0, self.cols))[args[0]]
            row[start:end] = [self.blank()] * (end - start)
        elif final == 'X':
            end = min(self.x + n, self.cols)
            row[self.x:end] = [self.blank()] * (end - self.x)
        elif final == 'P':
            del row[self.x:self.x + n]
            row.extend([self.blank()] * (self.cols - len(row)))
        elif final == '@':
            row[self.x:self.x] = [self.blank()] * n
            del row[self.cols:]
        elif final in 'LM':
            if self.top <= self.y <= self.bottom:
                self.scroll(self.y, -n if final == 'L' else n)
                self.x = 0
        elif final in 'ST':
            self.scroll(self.top, n if final == 'S' else -n)
        elif final == 'r':
            self.top = n - 1
            self.bottom = min(args[1] if len(args) > 1 and args[1] else self.rows, self.rows) - 1
            self.y = self.x = 0
        elif final == 'b':
            before = row[max(self.x - 1, 0)][0]
            for _ in range(n):
                self.put(before)
        elif final == 'm':
            self.sgr(args)
        elif final == 'n' and args[0] == 6:
            self.reply(b'\x1b[%d;%dR' % (self.y + 1, self.x + 1))
        elif final == 'c':
            self.reply(b'\x1b[?1;2c')
        elif final in 'hl' and args == [4]:
            self.insert = final == 'h'
        elif final == 't':
            pass  # titles pushed and popped
        else:
            return False
        return True

    def erase(self, what):
        first = self.y * self.cols + self.x
        whole = self.rows * self.cols
        start, end = ((first, whole), (0, first + 1), (0, whole), (0, 0))[what]
        for at in range(start, end):
            self.cells[at // self.cols][at % self.cols] = self.blank()

    def private(self, mode, on):
        if mode in (47, 1047, 1049):
            if on and not self.alternate:
                self.kept = (self.cells, self.y, self.x)
                self.cells = [self.line() for _ in range(self.rows)]
            elif not on and self.alternate:
                self.cells, self.y, self.x = self.kept
                self.kept = None
            self.alternate = on
        elif mode == 25:
            self.cursor_on = on
        elif mode in (1, 9, 1000, 1002, 1003, 1004, 1006, 1015, 2004):
            (self.modes.add if on else self.modes.discard)(mode)
        elif mode not in (3, 4, 5, 7, 12, 1034):
            self.unknown.append(('\x1b[?%d%s' % (mode, 'h' if on else 'l')).encode())

    def sgr(self, args):
        fg, bg, how = self.attr
        letters = {1: 'B', 2: 'D', 3: 'I', 4: 'U', 5: 'K', 7: 'V'}
        i = 0
        while i < len(args):
            a = args[i]
            if a == 0:
                fg, bg, how = PLAIN
            elif a in letters:
                how = ''.join(sorted(set(how + letters[a])))
            elif a in (22, 23, 24, 25, 27):
                gone = {22: 'BD', 23: 'I', 24: 'U', 25: 'K', 27: 'V'}[a]
                how = ''.join(c for c in how if c not in gone)
            elif 30 <= a < 38 or 90 <= a < 98:
                fg = ('bright' if a >= 90 else '') + NAMES[a % 10]
            elif 40 <= a < 48 or 100 <= a < 108:
                bg = ('bright' if a >= 100 else '') + NAMES[a % 10]
            elif a in (39, 49):
                fg, bg = ('-', bg) if a == 39 else (fg, '-')
            elif a in (38, 48) and args[i + 1:i + 2] in ([5], [2]):
                n = 1 if args[i + 1] == 5 else 3
                c = args[i + 2:i + 2 + n]
                name = '%d' % c[0] if n == 1 and c else '#' + ''.join('%02x' % v for v in c)
                fg, bg = (name, bg) if a == 38 else (fg, name)
                i += 1 + n
            elif a != 10:
                self.unknown.append(b'SGR %d' % a)
            i += 1
        self.attr = (fg, bg, how)
