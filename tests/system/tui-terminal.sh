#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A browser gives the terminal back however it ends: keys, signals, a crash, a hang-up; and a terminal
# that is none is refused with a reason. tests/helpers/tui-life.py does it, on ptys.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
DEMO=$O/tests/helpers/tui-demo
[ -x "$DEMO" ] || skip_all "helper programs are not built: make tests"
grep -q 'HAVE_LIBSLANG 1' "$O/config.h" || skip_all "built without libslang"
ulimit -c 0
faults_are_wanted

python3 "$ROOT/tests/helpers/tui-life.py" "$DEMO" >"$TMP/life" 2>"$TMP/err"
is "all cases are done" "$? $(cat "$TMP/err")" "0 "

ends() { # ends CASE WANT
	is "$1" "$(sed -n "s/^$1: //p" "$TMP/life")" "$2"
}

for sig in TERM HUP INT QUIT ABRT ILL SEGV BUS FPE; do
	ends "kill -$sig" "SIG$sig restored"
done
ends "kill -TERM with the mouse on" "SIGTERM restored"
ends "crash" "SIGSEGV restored"
ends "no stack left" "SIGSEGV restored"
ends "abort" "SIGABRT restored"
ends "exit" "exit 7 restored"
for how in q Ctrl-C "Ctrl-C in a menu" "q while reading" resized "resized with a menu" \
	"resized with a line" "resized with help" 1x1 2x5 40x10 0x0 "a file that shrinks" "stdin is a pipe"; do
	ends "$how" "exit 0 restored"
done
ends "Ctrl-C while reading" "SIGINT restored"
ends "kill -STOP and -CONT" "raw again, exit 0 restored"
ends "Ctrl-Z in a shell" "restored while stopped, exit 0 restored"
ends "hang-up" "SIGHUP"
ends "hang-up that only the leader is told" "SIGHUP"
ends "hang-up under nohup" "exit 0"

no="cannot open a browser:"
ends "TERM=dumb" "exit 3 restored $no TERM is 'dumb', which cannot move its cursor"
ends "TERM unknown" "exit 3 restored $no TERM is 'none-such', which is unknown here"
ends "no TERM" "exit 3 restored $no TERM is not set"
ends "no terminal" "exit 3 restored $no the output is not a terminal"
ends "256 colours" "16 8"
ends "8 colours" "8 attributes"
ends "NO_COLOR" "attributes"
ends "vt100" "attributes"
done_testing
