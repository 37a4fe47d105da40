#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The annotate browser on a terminal: whole screens, each key of its help page, sizes, ends.
. "$(dirname "$0")/../lib.sh"
faults_are_wanted
need_cmd python3 bash
"$PERF" check feature -q capstone || skip_all "no capstone in this build"
"$PERF" check feature -q slang || skip_all "no S-Lang in this build"

# Names that are the same wherever this tree lies.
cp "$ROOT/tests/data/annotate/walk" "$ROOT/tests/data/annotate/walk.c" "$TMP"
ID=00112233445566778899aabbccddeeff00112233
cd "$TMP" || exit 1
made_file listing-file -g -b $ID one.data /proc/self/cwd/walk 2 <<'EOF'
sample 5 0x40017e 1000
sample 10 0x400183 500 1
sample 3 0x40018d 100
sample 2 0x400191 700 1
sample 1 0x40014e 400
sample 1 0x4001ab 40
EOF
RUN="run $PERF annotate -i one.data --prefix /proc/self/cwd --prefix-strip 1"

# ---- screens
screen tui-annotate <<EOF
$RUN
wait branchy
golden first colours
key s
golden source
key End
golden end
size 40x10
golden small
size 200x50
golden large
key q
exit 0
restored left with q
clean only what a terminal knows
EOF
screen tui-annotate <<EOF
env LC_ALL=C
env LANG=C
env NO_COLOR=1
$RUN -n branchy
wait branchy
golden ascii colours
key C-c
exit 0
restored left with Ctrl-C
EOF

# What branch stacks tell.
made_file branch-file branches.data <"$ROOT/tests/data/annotate/walk.branches"
screen tui-annotate <<EOF
size 120x30
run $PERF annotate -i branches.data
wait branchy
golden branches colours
key c
golden branches-cycles
key H End Up Up
golden branches-end
EOF

# What the reader must know of a listing, on a screen that has no room for it behind all else.
screen <<EOF
run $PERF annotate -i branches.data
wait branchy
match ^source /annotate-source/walk.c cannot be read here$
key h
wait Help:
match ^source /annotate-source/walk.c cannot be read here 
key Esc q
exit 0
ok notes of a listing
EOF

# ---- keys: those that the help page tells, each with what it does
screen <<EOF
size 100x60
$RUN
wait branchy
key h
wait Help:
dump help
EOF
awk -F '   *' 'NR > 1 && /^ [^ ]/ { print substr($1, 2) }' help | sed 's/, /\n/g' | sort -u >keys
check "the help page was read" grep -qx Backspace keys

# What follows `$RUN` and `wait branchy`: the cursor is at the hottest line.
steps() {
	case $1 in
	Enter) printf '%s\n' 'key Home Down Down Down Down Down Enter' 'wait 40019b: ' ;;
	Right) printf '%s\n' 'key Home Down Down Down Down Down' 'wait : jle' 'key Right' 'wait 40019b: ' ;;
	Backspace) printf '%s\n' 'key Home Down Down Down Down Down Enter' 'gone : jle' 'key Backspace' 'wait : jle' ;;
	H) printf '%s\n' 'key Home' 'wait : push' 'key H' 'wait 40017e: ' ;;
	Tab) printf '%s\n' 'key Tab' 'wait 400183: ' 'key Tab' 'wait 400191: ' ;;
	Shift-Tab) printf '%s\n' 'key S-Tab' 'gone 40017e: ' 'key Tab' 'wait 40017e: ' ;;
	'>') printf '%s\n' 'key >' 'match ^leaf  ' ;;
	'<') printf '%s\n' 'key > <' 'match ^branchy  ' ;;
	/) printf '%s\n' 'key Home' 'key /' 'wait Search:' 'type sub' 'key Enter' 'wait : sub ' \
		'key / Up' 'wait Search: sub' ;;
	'?') printf '%s\n' 'key End' 'key ?' 'wait backwards:' 'type xor' 'key Enter' 'wait : xor ' ;;
	n) printf '%s\n' 'key Home /' 'type xor' 'key Enter' 'wait : xor ' 'key n' 'wait 400188: ' ;;
	N) printf '%s\n' 'key Home /' 'type xor' 'key Enter n' 'wait 400188: ' 'key N' 'wait 400181: ' ;;
	t) printf '%s\n' 'key t' 'wait  Period │' 'key t' 'wait Samples │' 'key t' 'wait Percent │' ;;
	p) printf '%s\n' 'key p' 'wait global period' 'match 87.11' 'key p' 'wait local period' ;;
	b) printf '%s\n' 'key b' 'wait local hits' 'match 62.50' 'key b' 'wait local period' ;;
	s) printf '%s\n' 'key s' 'wait source: On' 'wait x ^= x << 13;' 'key s' 'wait source: OFF' ;;
	k) printf '%s\n' 'key k' 'wait // walk.c:16' 'key k' 'gone // walk.c:16' ;;
	c) printf '%s\n' 'key c' 'wait No branch stacks' ;;
	l) printf '%s\n' 'key l' 'match ^/annotate-source/walk.c:16$' ;;
	j) printf '%s\n' 'key j' 'wait at the cursor' 'gone ▶' 'key j' 'wait none' 'key j' 'wait ▶' ;;
	J) printf '%s\n' 'key J' 'match 1 27:' 'key J' 'unmatch 1 27:' ;;
	o) printf '%s\n' 'key o' 'wait <branchy+0x27>' 'key o' 'wait with names' 'unmatch branchy.0x27' ;;
	O) printf '%s\n' 'key O' 'wait and calls' 'key O' 'match 2c: ' 'key O' 'unmatch 2c: ' ;;
	f) printf '%s\n' 'key f' 'match 40017e:.*shl' 'wait je     4001a1' 'key f' 'gone 40017c:' ;;
	P) printf '%s\n' 'key P' 'wait Written to branchy.annotation' ;;
	q) printf '%s\n' 'key q' 'exit 0' ;;
	Ctrl-C) printf '%s\n' 'key C-c' 'exit 0' ;;
	Esc) printf '%s\n' 'key Esc' 'exit 0' ;;
	Left) printf '%s\n' 'key Left' 'exit 0' ;;
	Up) printf '%s\n' 'key Up' 'wait 40017c: ' ;;
	Down) printf '%s\n' 'key Down' 'wait 400181: ' ;;
	PgUp) printf '%s\n' 'key PgUp' 'gone 40017e: ' ;;
	PgDn) printf '%s\n' 'key PgDn' 'gone 40017e: ' ;;
	Space) printf '%s\n' 'key Space' 'gone 40017e: ' ;;
	Home) printf '%s\n' 'key Home' 'wait : push ' ;;
	End) printf '%s\n' 'key End' 'wait : ret' ;;
	h | F1) printf '%s\n' "key $1" 'wait Help: keys of annotate' 'key Esc' 'wait Disassembly' ;;
	Ctrl-L) printf '%s\n' 'key C-l' 'wait 40017e: ' ;;
	F2) printf '%s\n' 'key F2' 'wait mouse scrolls' 'key F2' 'wait is the terminal' ;;
	Ctrl-Z) echo 'ok below' ;;
	*) return 1 ;;
	esac
}
press_keys keys steps "$RUN
wait 40017e: " annotate
like "P: what was written" "$(cat branchy.annotation 2>&1)" '94\.34 .*shl +\$0xd,%eax'

# ---- keys that were pressed in a callee hold in its caller, and its lines are laid out by them
screen <<EOF
$RUN
wait branchy
key Home /
type call
key Enter
wait : call
key Enter
match ^leaf  
key f s
match ^leaf .*source: On
key q
match ^branchy .*source: On
match 40018d: .*je 
match if \(x & 1\)
key s
match ^branchy .*source: OFF
unmatch if \(x & 1\)
key q
exit 0
ok keys of a callee
EOF

# ---- odd files
python3 - walk hostile <<'E'
import sys
b = open(sys.argv[1], 'rb').read()
assert b.count(b'branchy\0')
open(sys.argv[2], 'wb').write(b.replace(b'branchy\0', b'\33[2J"\n\\\0'))
E
echo 'sample 5 0x40017e 1000' | made_file listing-file hostile.data /proc/self/cwd/hostile 1
screen <<EOF
run $PERF annotate -i hostile.data
wait \x1b[2J"\x0a
key o P h Esc k J f
settle
clean a hostile name is written out
key q
exit 0
EOF
: | made_file listing-file none.data /proc/self/cwd/walk 1
screen <<EOF
run $PERF annotate -i none.data
wait data has no samples!
exit 0
restored a file without samples: no browser
EOF
screen <<EOF
$RUN --percent-limit 5 --asm-raw
match ^branchy  
match c1 e0 0d  +shl +.0xd,%eax
key >
wait This is the last function
key q
exit 0
$RUN --percent-limit 97
exit 0
ok options of functions and instructions
EOF

# Events that are no group: one after the other.
printf 'sample 5 0x40017e 10\nsample 1 0x40014e 9000 1\nsample 1 0x4001ab 10 1\n' |
	made_file listing-file -b $ID apart.data /proc/self/cwd/walk 2
screen <<EOF
run $PERF annotate -i apart.data
match ^branchy  
match ^cpu-clock:H: 5 of 5 samples
match ^Percent │ Disassembly$
key >
wait This is the last function
key Home /
type call
key Enter
wait : call
key Enter
match ^leaf  
match ^cpu-clock:H: 0 of 5 samples$
key q
match ^branchy  
key q
match ^leaf  
match ^task-clock:H: 1 of 2 samples
key >
match ^tail  
key q
exit 0
ok annotate of several events
run $PERF report -i apart.data
wait Available samples
key Down Enter
wait leaf
key a
match ^leaf  
match ^task-clock:H: 1 of 2 samples
match ^Percent │ Disassembly$
key C-c
exit 0
ok report shows the event that is looked at
EOF

# What is said of the recording comes into the browser, and again behind it.
python3 -S "$ROOT/tests/helpers/cut-file.py" one.data unfinished.data 5
printf '\0\0\0\0\0\0\0\0' | dd of=unfinished.data bs=8 seek=6 conv=notrunc 2>/dev/null # how much data there is
screen <<EOF
bash
type $PERF annotate -i unfinished.data
key Enter
match ^the recording was not finished
match │ Disassembly
key C-c
wait $ 
match ^the recording was not finished
unmatch Disassembly
ok a recording that was not finished
EOF
# Reading is broken off, while the writer of a pipe pauses within the last record.
python3 -S "$ROOT/tests/helpers/file-to-pipe.py" one.data one.pipe attr
mkfifo stalled
{
	head -c -20 one.pipe
	while ! [ -e looked ]; do sleep 0.1; done
} >stalled &
screen <<EOF
run $PERF annotate -i stalled
wait q: stop
settle
key q
match ^.PARTIAL. branchy  
key C-c
exit 0
restored q while it reads: what was read is shown, as a part
EOF
: >looked
wait

# ---- keys at random, the same ones each time
for seed in 1 2; do
	for f in one branches; do
		screen <<EOF
title random keys $seed over $f.data
run $PERF annotate -i $f.data --prefix /proc/self/cwd --prefix-strip 1
wait branchy
fuzz $seed 200
leave
restored random keys $seed over $f.data
EOF
	done
done

# ---- ends
screen <<EOF
bash
type $PERF annotate -i one.data
key Enter
wait branchy
key C-z
match Stopped
restored suspended: the shell has its terminal
type fg
key Enter
wait Disassembly
signal TERM
match Terminated
restored SIGTERM
type $PERF annotate -i one.data
key Enter
wait Disassembly
signal SEGV
match Segmentation
restored SIGSEGV
EOF
screen <<EOF
$RUN
wait branchy
signal HUP
exit HUP
restored SIGHUP
EOF
# ---- several recordings
printf 'sample 5 0x40017e 1000\nsample 3 0x40018d 100\n' | made_file listing-file -b $ID first.data /proc/self/cwd/walk
printf 'sample 4 0x400183 500\nsample 2 0x40014e 400\n' | made_file listing-file -b $ID second.data /proc/self/cwd/walk
screen tui-annotate <<EOF
run $PERF report first.data second.data
wait branchy
match Samples: 14
key a
wait cpu-clock:H: 12 of 14 samples
key q
wait Samples: 14
key q
exit 0
run $PERF report --by-file first.data second.data
wait branchy
match 100.00%  71.43%.*branchy
key a
match ^Percent Percent │ Disassembly  columns: first.data: cpu-clock:H, second.data
key q
wait 71.43%
key q
exit 0
run $PERF annotate first.data second.data
wait cpu-clock:H: 12 of 14 samples
key q
exit 0
ok report and annotate of two recordings
EOF
done_testing
