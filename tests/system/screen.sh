#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The driver of screen tests itself (tests/helpers/screen.py): a program of a few lines draws, reads
# keys, sees its size change, stops and dies; the driver has to see each of these, and to fail where
# the screen, the end or the terminal's state is another.
. "$(dirname "$0")/../lib.sh"
need_cmd bash python3

cat >"$TMP/draw" <<'EOF'
import os, signal, sys, termios, tty
keys = ''
before = termios.tcgetattr(0)


def draw(*_):
    size = os.get_terminal_size()
    os.write(1, ('\033[?1049h\033[?25l\033[2J\033[1;1Hrows %d columns %d\033[3;5H\033[1;31mred\033[0m '
                 'plain \033[38;5;99;44mmany\033[m \033[7mback\033[m\033[4;1Hüber 漢字|\033[5;1Hkeys:%s'
                 % (size.lines, size.columns, keys)).encode())


def leave():
    os.write(1, b'\033[?25h\033[?1049l')
    termios.tcsetattr(0, termios.TCSADRAIN, before)


def out(nr, _):
    leave()
    signal.signal(nr, signal.SIG_DFL)
    os.kill(0, nr)
    enter()


def enter():
    tty.setraw(0, termios.TCSADRAIN)
    mode = termios.tcgetattr(0)
    mode[3] |= termios.ISIG
    termios.tcsetattr(0, termios.TCSADRAIN, mode)
    signal.signal(signal.SIGTSTP, out)
    signal.signal(signal.SIGTERM, out)
    draw()


signal.signal(signal.SIGWINCH, draw)
enter()
while True:
    k = os.read(0, 1)
    keys += ' %02x' % ord(k)
    if k == b'q':
        leave()
        sys.exit(3)
    if k == b'X':
        sys.exit(0)
    draw()
EOF
cd "$TMP" || exit 1

screen screen <<EOF
run python3 -S draw
wait keys:
golden first colours
key Up
golden up
keys aß
wait keys: 1b 5b 41 61 c3 9f
slow 1b 4f 42
changed "changed" sees that
size 40x10
wait rows 10 columns 40
golden small
size 200x50
wait rows 50 columns 200
clean all that was sent is known
key q
exit 3
restored the terminal is as before
EOF

screen screen <<EOF
bash
type python3 -S draw
key Enter
wait rows 24 columns 80
key C-z
match Stopped
restored stopped: the shell has its screen
type fg
key Enter
wait rows 24 columns 80
signal TERM
match Terminated
restored ended by a signal
EOF

# Each of these has to fail, for its reason.
SCREENS=$ROOT/tests/data/screen
fails() { # fails NAME REASON [COMMAND]
	name=$1 why=$2
	{
		echo "run ${3:-python3 -S draw}"
		cat
	} >"$TMP/script"
	out=$(UPDATE='' SCREEN_LIMIT=1 python3 -S "$ROOT/tests/helpers/screen.py" "$SCREENS" \
		<"$TMP/script")
	status=$?
	like "fails: $name" "$status $out" '^1 not ok'
	like "  and says why" "$out" "$why"
}
fails "a text that does not come" 'not there: nothing like it' <<EOF
wait keys:
wait nothing like it
EOF
fails "a screen that differs" '^# [+] 4.keys: 79' <<EOF
wait keys:
key y
golden up
EOF
sed 's/red.-/green\/-/' "$SCREENS/first.txt" >"$TMP/green.txt"
SCREENS=$TMP
fails "a colour that differs" '^# -26.*green/-' <<EOF
golden green colours
EOF
SCREENS=$ROOT/tests/data/screen
fails "another exit status" 'ended with 3, wanted 0' <<EOF
wait keys:
key q
exit 0
EOF
fails "a terminal left as it was drawn on" 'alternate screen is still on' <<EOF
wait keys:
key X
exit 0
restored this
EOF
fails "a program that does not end" 'does not end' <<EOF
wait keys:
key y
exit 0
EOF
fails "a screen that stays" 'has not changed' <<EOF
wait keys:
changed this
EOF
fails "a step that there is not" 'no such step: wiat' <<EOF
wiat x
EOF
printf "printf '\\\\033]0;title\\\\007 a\\\\342\\\\200\\\\256b done'; read x\n" >"$TMP/hostile"
fails "bytes that no terminal should get" '0;title.*u202e' 'sh hostile' <<EOF
wait done
clean nothing odd
EOF
done_testing
