#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run: first
# The report browser on a terminal: each key of its help pages with what it does, keys at random,
# odd names, long chains.
. "$(dirname "$0")/../lib.sh"
faults_are_wanted
need_cmd bash python3
"$PERF" check feature -q slang || skip_all "no S-Lang in this build"

export PERF_CONFIG=/dev/null
unset NO_COLOR
cd "$TMP" || exit 1
cp "$ROOT/tests/data/annotate/walk" "$ROOT/tests/data/annotate/walk.c" .

cat >chains <<'EOS'
thread 10 walk
thread 11 worker
sample 10 10 0 0x40014a 0x400196 0x4001c0
sample 25 10 0 0x40017e 0x4001c0
sample 8 11 1 0x400188 0x4001c0
sample 3 11 1 0x40014e 0x4001cc
sample 4 11 1 0x4001d4
EOS
made_file walk-file walk.data /proc/self/cwd/walk <chains
{
	cat chains
	echo event 1
	echo sample 5 10 0 0x400144 0x4001c0
} | made_file walk-file two.data /proc/self/cwd/walk 2
RUN="run $PERF report -i walk.data"

# help_keys KEY NAME: the keys of the help page that is open after KEY, one a line, into ./NAME
help_keys() {
	{
		echo 'size 100x70'
		echo "$RUN"
		echo 'wait branchy'
		printf '%s\n' "$1"
		echo 'key h'
		echo 'wait Help:'
		echo "dump $2.page"
	} >script
	screen <script
	awk -F '   *' 'NR > 1 && /^ [^ ]/ { print substr($1, 2) }' "$2.page" | sed 's/, /\n/g' |
		sort -u >"$2"
	check "the help page of $2 was read" grep -qx q "$2"
}

# press NAME [BEFORE]: every key of ./NAME, by steps_NAME(), after BEFORE
press() {
	press_keys "$1" "steps_$1" "$RUN
wait branchy
${2:-}" "$1"
}

# What every view has.
steps_all() {
	case $1 in
	q | Ctrl-C) [ "$1" = q ] && echo 'key q' || echo 'key C-c'; echo 'exit 0' ;;
	h | '?' | F1) printf '%s\n' "key $1" 'wait Help: keys of' 'key Esc' 'gone Help: keys of' ;;
	Ctrl-L) echo 'key C-l' ;;
	F2) printf '%s\n' 'key F2' 'wait mouse scrolls' 'key F2' 'wait is the terminal' ;;
	Ctrl-Z) echo 'ok in tui-terminal.sh' ;;
	*) return 1 ;;
	esac
}

# ---- the report: the cursor is on _start of walk (70 %), below it branchy, _start of worker, leaf ...
help_keys '' report
steps_report() {
	case $1 in
	Enter | m) printf '%s\n' "key $1" 'wait This row' 'key Down Enter' 'wait - ' 'match branchy' ;;
	+ | e) printf '%s\n' "key $1" 'match - _start' 'match 20.00% leaf' "key $1" 'unmatch - _start' ;;
	c) printf '%s\n' 'key + Down' 'match - _start' 'key c' 'unmatch - _start' ;;
	E | C) printf '%s\n' 'key E' 'match - _start' 'key C' 'unmatch - _start' ;;
	a) printf '%s\n' 'key Down a' 'wait Disassembly' 'match ^branchy  ' 'key Esc' 'wait Samples: 50' ;;
	d) printf '%s\n' 'key d' 'wait > rows of walk' 'key d' 'gone > rows of' ;;
	k) printf '%s\n' 'key k' 'wait Nothing would be left: rows of [kernel' ;;
	t) printf '%s\n' 'key t' 'wait > command walk' 'unmatch worker' 'key t' 'gone > command' 'match worker' ;;
	S) printf '%s\n' 'key S' 'wait socket is none of the keys' ;;
	/) printf '%s\n' 'key /' 'wait Only symbols' 'type leaf' 'key Enter' 'wait > rows with leaf' \
		'unmatch _start' 'match 20.00%' ;;
	L) printf '%s\n' 'key L' 'wait percent' 'key Backspace' 'type 18' 'key Enter' 'wait > from 18 %' \
		'unmatch   6.00%' ;;
	F) printf '%s\n' 'key t' 'wait of shown' 'match 70.00%   100.00%' 'key F' 'wait of total' \
		'match 100.00%    70.00%' ;;
	f) printf '%s\n' 'key Down Down Down f' 'wait > focus leaf' 'match 20.00%    76.92%' 'unmatch 50.00%' ;;
	x) printf '%s\n' 'key Down x' 'wait > ignore branchy' 'unmatch \] branchy' 'match \] leaf' ;;
	X) printf '%s\n' 'key Down X' 'wait > hide branchy' 'unmatch \] branchy' 'match 70.00%    50.00%  walk' ;;
	D) printf '%s\n' 'key D' 'wait Nothing would be left: hide object' ;;
	M) printf '%s\n' 'key M' 'wait > merge object walk' 'match 70.00%    70.00%  walk .*\[walk\]' ;;
	R) printf '%s\n' 'key R' 'wait > recursion merged' 'key R' 'gone > recursion' ;;
	w) printf '%s\n' 'key Down w' 'wait Callees' 'match ^branchy: 86.00% in 43 samples, itself 66.00%' ;;
	T) printf '%s\n' 'key T' 'wait only this time' 'match 0.049 s|0.050 s' ;;
	b | p) printf '%s\n' "key $1" 'wait record with -b' ;;
	Ctrl-F | n | N) printf '%s\n' 'key C-f' 'wait Search' 'type leaf$' 'key Enter' \
		'wait 2 rows, with chains 26.00%' 'match \] leaf.*' 'key n' 'wait 2 rows' 'key N' 'wait 2 rows' ;;
	o) printf '%s\n' 'key o' 'wait told apart by' 'key Down Enter' 'wait > by sym' 'unmatch Command' 'match 86.00%' ;;
	O) printf '%s\n' 'key O' 'wait > levels' 'match Command / ' 'key O' 'wait > no levels' ;;
	I) printf '%s\n' 'key End I +' 'wait > callees first' 'match - leaf' 'key I' 'wait > callers first' \
		'match [+-] _start' ;;
	v) printf '%s\n' 'key v' 'wait > without callees' 'unmatch Children' 'match 50.00%.*branchy' ;;
	l) printf '%s\n' 'key l' 'wait record with --latency' ;;
	y) printf '%s\n' 'key y' 'wait no vector registers' ;;
	=) printf '%s\n' 'key =' 'wait Nothing to compare with' ;;
	V) printf '%s\n' 'key E V' 'wait with their objects' 'match _start walk$|_start walk ' 'key V' \
		'unmatch _start walk ' ;;
	Esc) printf '%s\n' 'key t' 'wait > command' 'key Esc' 'gone > command' 'key Esc' 'wait really' 'key y' 'exit 0' ;;
	u | U) printf '%s\n' 'key t' 'wait > command' 'key u' 'gone > command' 'key U' 'wait > command' \
		'key U' 'wait Nothing was undone' 'key u u' 'wait Nothing was done' ;;
	Right | Left) printf '%s\n' 'key Right' 'gone Children' 'key Left' 'wait Children' 'key d' 'wait > rows' \
		'key Left' 'gone > rows' ;;
	Tab | Shift-Tab) printf '%s\n' 'key Tab' 'wait of this event only' 'key S-Tab' 'wait of this event only' ;;
	H) printf '%s\n' 'key H' 'gone Children' 'key H' 'wait Children' ;;
	i) printf '%s\n' 'key i' 'wait Header information' 'key q' 'gone Header' ;;
	P) printf '%s\n' 'key P' 'wait Written to perf.hist.' ;;
	W) printf '%s\n' 'key f W' 'wait JSON' 'key Down Down Down Enter' 'wait File:' 'key Enter' \
		'wait report.folded' ;;
	s) printf '%s\n' 'key s' 'wait Data files' 'match two.data' 'key Down Enter' 'wait Samples: 50' ;;
	Up | Down) printf '%s\n' 'key Down' 'wait walk  walk  [.] branchy' 'key Up' 'wait walk  walk  [.] _start' ;;
	PgUp | PgDn | Space | Home | End) printf '%s\n' 'key End' 'wait worker  walk  [.] leaf' 'key PgUp' \
		'wait walk  walk  [.] _start' 'key PgDn' 'wait worker  walk  [.] leaf' 'key Home' \
		'wait walk  walk  [.] _start' 'key Space' 'wait worker  walk  [.] leaf' ;;
	*) steps_all "$1" ;;
	esac
}
press report

# ---- a slice of time
help_keys 'key T
wait only this time' time
steps_time() {
	case $1 in
	Left | Right) printf '%s\n' 'key Home' 'wait 0.999948 s' 'key Right' 'gone 0.999948 s' 'key Left' 'wait 0.999948 s' ;;
	Up | Down) printf '%s\n' 'key Home Up' 'changed a longer slice' 'key Down' 'changed a shorter one' ;;
	Home | End) printf '%s\n' 'key End' 'gone 0.999948 s' 'key Home' 'wait 0.999948 s' ;;
	Enter) printf '%s\n' 'key Home Enter' 'wait > time 1.000 s' 'match of shown' 'key u' 'gone > time' ;;
	q | Esc) printf '%s\n' "key $1" 'gone only this time' ;;
	*) steps_all "$1" ;;
	esac
}
press time 'key T
wait only this time'

# ---- callers above, callees below
help_keys 'key Down w
wait Callees' sandwich
steps_sandwich() {
	case $1 in
	Tab | Shift-Tab) printf '%s\n' 'key Tab Down Down' 'match ^leaf' 'key S-Tab' 'match ^\[.\] branchy' ;;
	+ | e) printf '%s\n' "key $1" 'unmatch  _start' "key $1" 'match  _start' ;;
	E) printf '%s\n' 'key + E' 'match  _start' ;;
	Enter | w) printf '%s\n' 'key Tab Down Down Enter' 'wait leaf: 26.00%' 'key q' 'wait branchy: 86' ;;
	a) printf '%s\n' 'key a' 'wait Disassembly' 'match ^branchy  ' ;;
	q | Esc) printf '%s\n' "key $1" 'wait Samples: 50' ;;
	Left | Right | Up | Down | PgUp | PgDn | Space | Home | End) echo "key $1" ;;
	*) steps_all "$1" ;;
	esac
}
press sandwich 'key Down w
wait Callees'

# ---- what the command line leaves out does not count at instructions either: 4 samples of worker
screen <<EOF
size 100x20
run $PERF report -i walk.data --comms worker
wait branchy
key a
wait Disassembly
match ^_start
match cpu-clock:H: 4 of 15 samples
key q q
exit 0
ok instructions of one command
EOF

# ---- how instructions are shown is said to the report, too
screen <<EOF
size 100x20
run $PERF report -i walk.data -M intel --percent-type global-hits
wait branchy
key Down a
wait Disassembly
match Percent: global hits
match xor +ebx,eax
key q q
exit 0
ok -M and --percent-type of the report hold for its instructions
EOF
check_status "-M of neither syntax" 129 "$PERF" report -i walk.data --stdio -M gnu
check_status "--prefix-strip alone" 129 "$PERF" report -i walk.data --stdio --prefix-strip=2

# ---- two events
screen <<EOF
run $PERF report -i two.data
wait Available samples
match 50 cpu-clock
match 5 task-clock
key Enter
wait Samples: 50 of event 'cpu-clock
key Tab
wait Samples: 5 of event 'task-clock
match 100.00%
key S-Tab
wait Samples: 50
key q
exit 0
restored two events, one after the other
EOF

# ---- whole screens, which Documentation/tour.adoc shows
screen report-keys <<EOF
$RUN
wait branchy
key Down E
wait - _start
golden unfolded colours
key C Down w
wait Callees
key Tab Down Down
golden sandwich
key q T
wait only this time
golden time
key Enter
wait of shown
golden zoomed
key q
exit 0
restored whole screens
EOF

# ---- what only some recordings have
cp "$ROOT/tests/data/annotate/walk.branches" branches
made_file branch-file branches.data <branches
screen report-keys <<EOF
size 110x20
run $PERF report -b -i branches.data
wait Source Symbol
key o Down Down Enter
wait > by symbol_from,symbol_to,mispredict,cycles
golden branches
key a
wait Disassembly
match ^branchy
key q
wait Source Symbol
key q
exit 0
restored edges, and the instructions of one
EOF
# Blocks and paths: counted with the rows, by key or from the menu, as --total-cycles and --hot-paths.
screen report-keys <<EOF
size 110x20
run $PERF report -b -i branches.data
wait Source Symbol
key b
wait Blocks: 3, cycles: 298
unmatch whole recording
match 53.69% +160 +8 +20  .walk.c:21 -> walk.c:24.  branchy  walk
key Enter
wait Disassembly
match ^branchy
key Esc q
wait Source Symbol
key t
wait > command
key p
wait Paths of 4 branches: 1, seen: 10 [of the whole recording
golden paths
key a Down a
wait Disassembly
match ^branchy
key q q q
wait > command
key m
wait Hot paths
match Blocks of code
key Down Down Down Down Down Down Down Down Enter
wait Paths of 4
key C-c
exit 0
restored blocks and paths from the report, and back
EOF
screen <<EOF
run $PERF report -i walk.data
wait branchy
key m
wait This row
unmatch Hot paths
key Esc q
exit 0
ok no menu of paths without branch stacks
EOF
sed 's/,cycles=[0-9]*//g' branches >without
made_file branch-file without.data <without
screen <<EOF
run $PERF report -b -i without.data
wait branchy
key b
wait No branch of this recording has cycles
key p
wait Paths of 4 branches: 1
match 100.00% +10 +- 
key q q
exit 0
ok blocks are listed by cycles, paths without them
EOF
made_file switch-file switches.data 4 in:101 s:101 in:102 s:102 s:101 exit:102 s:101
screen <<EOF
run $PERF report -i switches.data
wait Latency
match ^Overhead +Latency
key l
wait > by latency
match ^ *Latency +Overhead
key u
gone > by latency
key q
exit 0
ok rows by latency
EOF
simd=$ROOT/../shared/fixtures/simd/zmm-opmask-intr.perf.data
if [ -r "$simd" ]; then
	screen <<EOF
size 120x20
run $PERF report -i $simd
wait Samples:
key y
wait > SIMD
match Live512 +Live256
key y
wait > no SIMD
unmatch Live512
key q
exit 0
ok columns of SIMD state
EOF
else
	skip "columns of SIMD state" "no ../shared/fixtures in a stranger's clone"
fi

# ---- reading is broken off, while the writer of a pipe pauses within the last record
python3 -S "$ROOT/tests/helpers/file-to-pipe.py" walk.data walk.pipe attr
mkfifo stalled
{
	head -c -20 walk.pipe
	while ! [ -e looked ]; do sleep 0.1; done
} >stalled &
screen <<EOF
run $PERF report -i stalled
wait q: stop
size 100x20
settle
key q
wait PARTIAL
match walk .*branchy
match worker .*leaf
key q
exit 0
restored q while it reads: what was read is shown
EOF
: >looked
wait

# ---- beside another recording: one with less of worker and more of branchy, without leaf
sed 's/sample 25/sample 50/; s/0x4001cc/0x4001c0/; /^sample 10/d' chains |
	made_file walk-file after.data /proc/self/cwd/walk
check_status "--diff without a terminal" 129 "$PERF" report -i after.data --diff walk.data
check_status "--diff with a file that is not there" 129 "$PERF" report -i after.data --diff nothing.data
# Half of one recording beside a whole one would be no comparison: reading is not broken off there.
rm -f looked
{
	head -c -20 walk.pipe
	while ! [ -e looked ]; do sleep 0.1; done
} >stalled &
screen <<EOF
run $PERF report -i stalled --diff walk.data
wait Reading
unmatch q: stop
key q
size 100x20
settle
unmatch stop
key C-c
exit INT
restored --diff: reading is not stopped by q
EOF
: >looked
wait
screen <<EOF
run $PERF report -i after.data --diff walk.data
wait Delta
match 76.92%    .6.92%     0.00%  walk .*_start
match 76.92%    .6.92%    76.92%  walk .*branchy
key =
wait Differences from walk.data
match -20.00%  .[0-9.]+%   20.00%        -  walk  walk  ... leaf
key q
gone Differences
key o Down Enter
wait > by sym
match 100.00%    .6.00%     6.15%  ... _start|100.00%    .0.00%     6.15%  ... _start
key u
gone > by
key T Enter
wait > time
unmatch Delta
key =
wait Slices of time are of one recording
key u
wait Delta
key f
wait > focus
match Delta
key q
exit 0
restored rows beside those of another recording
EOF
screen <<EOF
run $PERF report -i after.data --diff nothing.data
wait --diff: cannot open nothing.data
exit 1
restored --diff with a file that is not there
EOF

# ---- names that nobody should send to a terminal
python3 - walk hostile <<'E'
import sys
b = open(sys.argv[1], 'rb').read()
assert b.count(b'branchy\0')
open(sys.argv[2], 'wb').write(b.replace(b'branchy\0', b'\33[2J"\n\\\0'))
E
sed 's/worker/w\\x1b]0;x\\x07\\u202e/' chains | made_file walk-file hostile.data /proc/self/cwd/hostile
screen <<EOF
run $PERF report -i hostile.data
wait Samples: 50
key E f u Down w Esc i q C-f
type .
key Enter n t u d u P O E
settle
clean hostile names are written out
key q
exit 0
EOF

made_file walk-file chains.data /proc/self/cwd/walk <chains
is "--max-stack of more than 32 bits hold" "$("$PERF" report --stdio -g folded --max-stack 4294967297 -i chains.data 2>&1)" \
	"$("$PERF" report --stdio -g folded -i chains.data 2>&1)"

# ---- eight thousand frames below one another (a record holds no more); a recursion is one frame
python3 -c '
print("thread 10 deep")
for i in range(20):
    print("sample 1 10 0 0x40014a " + "0x400196 " * 4000 + "0x4001ae " * 4000)' |
	made_file walk-file deep.data /proc/self/cwd/walk
screen <<EOF
run $PERF report --max-stack 20000 -i deep.data
wait Samples: 20
key E End
wait leaf
key Home R
wait > recursion merged
key E
settle
key u
gone > recursion
key w
wait Callees
key q q
exit 0
restored eight thousand frames
EOF

# ---- a window that grows while the browser ends, which is not told in time
screen <<EOF
$RUN
wait branchy
late 100x50
key q
exit 0
restored all lines of a window that grew late
EOF

# ---- keys at random, the same ones each time
for seed in 1 2 3; do
	for f in walk two; do
		screen <<EOF
title random keys $seed over $f.data
run $PERF report -i $f.data
wait a
fuzz $seed 250
leave
restored random keys $seed over $f.data
EOF
	done
done
done_testing
