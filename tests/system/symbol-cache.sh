#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Symbol tables that are kept on disk: a second run says the same, whatever has happened to the cache or
# to the program meanwhile, and two at once do not meet.
. "$(dirname "$0")/../lib.sh"
need_cmd cc readelf python3
PERF_SYMBOL_CACHE=64
export PERF_SYMBOL_CACHE
cd "$TMP" || exit 1
KEPT=$HOME/.cache/perf/symbols

# program NAME: functions that are called NAME1 ..., always with one build id
program() {
	awk -v n="$1" 'BEGIN {
		print ".text\n.globl _start\n_start:"
		for (i = 0; i < 12000; i++)
			printf ".globl %s%d\n.type %s%d,@function\n%s%d: .byte 0,0,0,0\n.size %s%d,4\n",
				n, i, n, i, n, i, n, i
	}' >p.s
	cc -nostdlib -static -Wl,--build-id=0x0123456789abcdef -o program.tmp p.s 2>log && mv program.tmp program
}

program old || skip_all "the program does not link: $(head -n 1 log)"
readelf -n program 2>/dev/null | grep -q 0123456789abcdef || skip_all "the linker takes no build id"
PYTHONPATH=$ROOT/tests/helpers python3 -S - "$TMP/program" <<'P' || skip_all "no recording"
import sys
from perfdata import *

path = sys.argv[1]
r = Recording(Attr(type=TYPE_SOFTWARE, size=64, sample_period=1000, sample_type=IP | TID | TIME,
                   flags='mmap comm sample_id_all'))
flags, offset, vaddr, size = [s for s in segments(path) if s[0] & 1][-1]
r.mmap(100, 0x10000000, 0x100000, 0, path)
for i in range(20):
    r.sample(ip=0x10000000 + offset + size - 48000 + 4 * i, pid=100)
r.write('x.data')
P

# same TEXT FILE FILE
same() {
	same_file "$1" "$3" "$2"
}

# report FILE [option...]
report() {
	_to=$1
	shift
	"$PERF" report --stdio -i x.data "$@" >"$_to" 2>"$_to.err"
}

kept() {
	find "$HOME/.cache" -name '*.symtab' 2>/dev/null | wc -l
}

report none --no-symbol-cache
is "--no-symbol-cache puts nothing there" "$(kept)" 0
PERF_SYMBOL_CACHE=0 report none
is "PERF_SYMBOL_CACHE=0 neither" "$(kept)" 0
grep -q ' old9$' none && pass "functions are named" || fail "functions are named" "$(tail -n 5 none)"
report first
is "a run puts its table there" "$(kept)" 1
same "and says the same" none first
report second -v
same "a second run, too" none second
grep -q 'symbols of the cache' second.err && pass "it has taken them from there" ||
	fail "it has taken them from there" "$(cat second.err)"
report off -v --no-symbol-cache
! grep -q 'symbols of the cache' off.err && pass "--no-symbol-cache takes nothing from there" ||
	fail "--no-symbol-cache takes nothing from there"

for at in 0 8 80 104 5000; do
	printf 'XXXXXXXX' | dd of="$(echo "$KEPT"/*.symtab)" bs=1 seek="$at" conv=notrunc 2>/dev/null
	report damaged -v
	same "word at $at of it was changed" none damaged
	! grep -q 'symbols of the cache' damaged.err || fail "the damage was not seen"
done
report again -v
grep -q 'symbols of the cache' again.err && pass "the damaged file was replaced" ||
	fail "the damaged file was replaced" "$(cat again.err)"

# Another program with that build id, as when one was stripped, or linked again with an id of one's own.
program new
report new
grep -q ' new9$' new && pass "a program that was changed" || fail "a program that was changed" "$(tail -n 5 new)"

for i in 1 2 3; do
	rm -rf "$HOME/.cache"
	report a & report b & report c & wait
	cmp -s a new && cmp -s b new && cmp -s c new || fail "several at once" "round $i"
	[ "$(kept)" = 1 ] || fail "several at once" "round $i: $(ls "$KEPT")"
done
pass "several at once"

rm -rf "$HOME/.cache"
(trap '' XFSZ && ulimit -f 1 && "$PERF" report --stdio -i x.data 2>full.err) | cat >full
same "a full disk" new full
is "nothing is left of that" "$(kept)" 0
is "and nothing said" "$(cat full.err)" "$(cat new.err)"

chmod 0777 "$KEPT"
report open -v
same "a directory that others may write" new open
is "is not used" "$(kept)" 0
grep -q 'no cache of symbol tables.*others may write' open.err && pass "which -v says" ||
	fail "which -v says" "$(cat open.err)"
chmod 0500 "$KEPT"
report closed
same "a directory that cannot be written" new closed
chmod 0700 "$KEPT"
if [ "$(id -u)" = 0 ]; then
	rm -f "$KEPT"/*
	chown 12345 "$KEPT"
	report theirs
	is "somebody else's directory is not used" "$(kept)" 0
	chown 0 "$KEPT"
else
	skip "somebody else's directory" "needs root"
fi
(unset HOME && "$PERF" report --stdio -i x.data >homeless 2>homeless.err)
same "without a home" new homeless

PERF_SYMBOL_CACHE=much report much
same "a size that is no number" new much
grep -q 'PERF_SYMBOL_CACHE=much is no number' much.err && pass "is said" || fail "is said" "$(cat much.err)"

# Debug symbols that come later.
if command -v objcopy >/dev/null 2>&1; then
	rm -rf "$HOME/.cache"
	program late
	objcopy --only-keep-debug program program.debug
	objcopy --strip-all --add-gnu-debuglink=program.debug program
	mv program.debug aside
	report stripped
	mv aside program.debug
	report late
	is "debug symbols are kept" "$(kept)" 1
	report late2
	same "and taken" late late2
	grep -q ' late9$' late2 && ! grep -q ' late9$' stripped && pass "when they are there" ||
		fail "when they are there" "$(tail -n 5 late2)"
else
	skip "debug symbols" "needs objcopy"
fi
done_testing
