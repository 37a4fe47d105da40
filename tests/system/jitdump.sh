#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code compiled at run time: names, lines and bytes from jitdump files, without inject.
. "$(dirname "$0")/../lib.sh"
need_events
H=$O/tests/helpers
need_cmd python3
"$H/jit-dump" "$TMP" >"$TMP/out" 2>&1 || skip_all "the helper's code is for another machine"
rm -f "$TMP"/jit-*.dump
record() {
	"$PERF" record -q -e cpu-clock:u -F 2000 "$@" -- "$H/jit-dump" "$TMP" >"$TMP/path" 2>"$TMP/log" ||
		fail "recording" "$(cat "$TMP/log")"
}

record -k mono -g -o "$TMP/mono.data"
dump=$(cat "$TMP/path")
"$PERF" script -i "$TMP/mono.data" -F time,ip,sym,dso -G >"$TMP/script" 2>"$TMP/err"
for f in first_loop second_loop; do
	check "script: $f has samples" test "$(grep -c "$f+\?.*($dump)" "$TMP/script")" -gt 20
done
# Both ran at one address, one after the other, and the second then elsewhere.
is "a sample is called by what lay there at its time" \
	"$(awk '/_loop/ { print $3 }' "$TMP/script" | sed 's/+.*//' | uniq | tr '\n' ' ')" \
	"first_loop second_loop "
is "moved code is found where it went" \
	"$(awk '/second_loop/ { print substr($2, 1, length($2) - 3) }' "$TMP/script" | uniq | wc -l)" 2
is "times that fit are no trouble" "$(not_of_libraries "$TMP/err")" ""
"$PERF" report -i "$TMP/mono.data" --no-children -g none -s dso,sym >"$TMP/report" 2>/dev/null
like "report" "$(cat "$TMP/report")" '\[JIT\] tid [0-9]+ +\[\.\] second_loop'
"$PERF" report -i "$TMP/mono.data" --no-children -g caller -s sym >"$TMP/report" 2>/dev/null
like "report with call chains" "$(cat "$TMP/report")" '^ +second_loop$'
like "lines" "$("$PERF" report -i "$TMP/mono.data" --no-children -g none -s srcline 2>/dev/null)" 'jitted.src:20'
like "folded stacks" "$("$PERF" data convert --to folded -i "$TMP/mono.data" -o - 2>/dev/null)" ';second_loop [0-9]'
like "the other ways to read are not disturbed" "$("$PERF" report -D -i "$TMP/mono.data" 2>/dev/null)" 'jit-[0-9]+\.dump'

# Source lines, and the last number of a line that there is, which no file has.
cp "$dump" "$TMP/whole"
echo 'loop() { while (1); }' >"$TMP/jitted.src"
if grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h"; then
	for line in 1 4294967295; do
		python3 -c 'import struct, sys
b, to, line = open(sys.argv[1], "rb").read(), sys.argv[2], int(sys.argv[3])
row = lambda n: struct.pack("=II", n, 0) + b"jitted.src"
assert b.count(row(20)) == 1
open(to, "wb").write(b.replace(row(20), row(line)))' "$TMP/whole" "$dump" $line
		(cd "$TMP" && timeout 60 "$PERF" annotate -i mono.data --stdio second_loop) >"$TMP/listing" 2>"$TMP/err"
		is "annotate: line $line ends" $? 0
		is "... with the instructions" "$(grep -c '[^a-z]ret' "$TMP/listing")" 1
		is "... and the line of the source, where there is one" "$(grep -c 'while (1)' "$TMP/listing")" $((line == 1))
	done
	cp "$TMP/whole" "$dump"
else
	skip "annotate" "built without a disassembler library"
fi

# Elsewhere: below --symfs, by the whole path or the last part of it.
mkdir -p "$TMP/fs$TMP" "$TMP/flat"
cp "$dump" "$TMP/fs$TMP"
mv "$dump" "$TMP/flat"
like "no file: it is said" "$("$PERF" report -i "$TMP/mono.data" 2>&1 >/dev/null)" \
	"^$dump: names of code compiled by process [0-9]+ are missing: No such file"
like "--symfs" "$("$PERF" report -i "$TMP/mono.data" --symfs "$TMP/fs" -g none 2>/dev/null)" second_loop
like "--symfs DIR,flat" "$("$PERF" report -i "$TMP/mono.data" --symfs "$TMP/flat,flat" -g none 2>/dev/null)" second_loop

# A file that is cut is used up to there; one that is no jitdump says so.
head -c 250 "$TMP/flat/$(basename "$dump")" >"$dump"
"$PERF" report -i "$TMP/mono.data" -g none >"$TMP/report" 2>"$TMP/err"
like "a cut file: what came before" "$(cat "$TMP/report")" first_loop
like "... and it is said" "$(cat "$TMP/err")" "used up to its damage: the record at offset 0x[0-9a-f]+ passes the end"
echo 'no jitdump at all, whatever it is called by its author' >"$dump"
like "no jitdump" "$("$PERF" report -i "$TMP/mono.data" -g none 2>&1 >/dev/null)" 'does not begin like a jitdump file'
rm -f "$dump"
ln -s "$TMP/flat/$(basename "$dump")" "$dump"
like "a link is not followed" "$("$PERF" report -i "$TMP/mono.data" -g none 2>&1 >/dev/null)" 'are missing: it is a symbolic link'
rm -f "$dump"

# The recorder's usual clock is another one: all code is there from the start.
record -o "$TMP/other.data"
"$PERF" report -i "$TMP/other.data" >"$TMP/report" 2>"$TMP/err"
like "another clock: names" "$(cat "$TMP/report")" second_loop
like "... and it is said, with what to do" "$(cat "$TMP/err")" 'record with -k mono'

# A process that is there already, and through a pipe.
"$PERF" record -q -k mono -e cpu-clock:u -o - -- \
	sh -c '"$0" "$1" >/dev/null' "$H/jit-dump" "$TMP" 2>/dev/null >"$TMP/pipe" ||
	fail "recording into a pipe"
like "a pipe" "$("$PERF" script -i - <"$TMP/pipe" 2>/dev/null)" 'second_loop\+0x'

if command -v node >/dev/null 2>&1 && (cd "$TMP" && node --perf-prof -e 0) 2>/dev/null; then
	cat >"$TMP/hot.js" <<'J'
function hotfunction(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 1000003; return s }
const end = Date.now() + 700
while (Date.now() < end) hotfunction(200000)
J
	(cd "$TMP" && "$PERF" record -q -k mono -e cpu-clock:u -o v8.data -- node --perf-prof hot.js) 2>/dev/null
	like "V8" "$("$PERF" report -i "$TMP/v8.data" -s sym 2>/dev/null)" 'JS:.hotfunction '
else
	skip "V8" "no node that knows --perf-prof"
fi
done_testing
