#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf inject: what comes out is what went in, and what was asked for.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
D=$ROOT/tests/data/perf
inject() {
	"$PERF" inject "$@"
}
# A stream does not store names, so modifiers that attrs imply are shown there, and not in files.
plain() {
	sed 's/:[A-Za-z]*\(:\| *$\)/\1/'
}
script() {
	"$PERF" script -i "$1" 2>/dev/null | plain
}
events() {
	"$PERF" evlist -i "$1" 2>/dev/null | plain
}

# ---- a copy is the same: files, streams, and one from the other
for f in "$D"/*.data; do
	name=$(basename "$f")
	if ! inject -i "$f" -o "$TMP/copy" 2>"$TMP/err"; then
		like "$name: refused with a reason" "$(cat "$TMP/err")" 'other byte order|AUX area trace|cannot'
		check "... leaves no output" test ! -e "$TMP/copy"
		continue
	fi
	script "$f" >"$TMP/a"
	script "$TMP/copy" >"$TMP/b"
	same_file "$name: a copy has the same samples" "$TMP/b" "$TMP/a"
	is "... the same events" "$(events "$TMP/copy")" "$(events "$f")"
	inject -i "$f" >"$TMP/stream" 2>/dev/null
	script "$TMP/stream" >"$TMP/b"
	same_file "... as a stream, too" "$TMP/b" "$TMP/a"
	inject <"$TMP/stream" -o "$TMP/back" 2>/dev/null
	script "$TMP/back" >"$TMP/b"
	same_file "... and back" "$TMP/b" "$TMP/a"
	rm -f "$TMP/copy"
done

# ---- outputs that are no files
small=$(ls "$D"/x86_64-*.data "$D"/arm64-stat.data 2>/dev/null | head -1)
if mknod "$TMP/null" c 1 3 2>/dev/null && : 2>/dev/null >"$TMP/null"; then
	check "a device" inject -i "$small" -o "$TMP/null"
	check "... stays one" test -c "$TMP/null"
else
	skip "a device" "devices cannot be made or opened here"
fi
mkfifo "$TMP/fifo"
cat "$TMP/fifo" >"$TMP/through" &
check "a FIFO" inject -i "$small" -o "$TMP/fifo"
wait $!
inject -i "$small" >"$TMP/stream"
same_file "... gets the stream" "$TMP/through" "$TMP/stream"
check "... and stays one" test -p "$TMP/fifo"
ln -s "$TMP/elsewhere" "$TMP/link"
check_status "a link is not followed" 1 inject -i "$small" -o "$TMP/link"
check "... nor replaced" test -L "$TMP/link"

# ---- bad input
check_status "no such file" 1 inject -i "$TMP/nothing" -o "$TMP/out"
echo 'not a recording' >"$TMP/text"
check_status "no recording" 1 inject -i "$TMP/text" -o "$TMP/out"
check "... leaves no output" test ! -e "$TMP/out"
check_status "an argument" 129 inject -b file
check_status "--known-build-ids alone" 129 inject --known-build-ids 'aa /bin/x' -i "$TMP/text"
is "no temporary files are left" "$(ls "$TMP" | grep -c 'out\.')" 0

# ---- a signal for the whole group, as a terminal's end and timeout(1) send it: in a box the file belongs to another process
mkfifo "$TMP/slow"
is_begun() {
	ls "$TMP"/ended.* >/dev/null 2>&1
}
is_removed() {
	! is_begun
}
for sig in TERM HUP; do
	setsid "$PERF_FILE" inject -i "$TMP/slow" -o "$TMP/ended" >/dev/null 2>&1 &
	pid=$!
	exec 9>"$TMP/slow"
	cat "$TMP/stream" >&9
	check "SIG$sig: the output is begun" wait_for is_begun
	keeper=$(cat /proc/$pid/task/$pid/children 2>/dev/null)
	kill -$sig -$pid
	wait $pid 2>/dev/null
	if [ -n "$keeper" ]; then
		check "... and nothing of it is left" wait_for is_removed
	else
		skip "... and nothing of it is left" "no process of a box that keeps the file"
	fi
	exec 9>&-
	rm -f "$TMP"/ended*
done

# ---- build ids
need_events
"$PERF" record -q -B --no-buildid-mmap -g -e cpu-clock -o "$TMP/plain" "$PERF_FILE" test -w noploop 0.3 2>/dev/null ||
	skip_all "cannot record here"
self=$(readlink -f "$PERF_FILE")
id=$("$PERF" buildid-list -i "$self")
unlike "before: no build ids" "$("$PERF" buildid-list -i "$TMP/plain")" '^[0-9a-f]{40}'
inject -b -i "$TMP/plain" -o "$TMP/ids"
like "-b: the program's" "$("$PERF" buildid-list -i "$TMP/ids")" "^$id $self$"
if [ -n "$PEER" ]; then
	is "... an installed perf reads the same" "$("$PEER" buildid-list -i "$TMP/ids" 2>/dev/null | sort)" \
		"$("$PERF" buildid-list -i "$TMP/ids" | sort)"
else
	skip "... an installed perf reads the same" "$NO_PEER"
fi
is "-b: only what was hit" "$("$PERF" buildid-list -i "$TMP/ids" | sort)" \
	"$("$PERF" buildid-list -H -i "$TMP/ids" | grep '^[0-9a-f]' | sort)"
inject --buildid-all -i "$TMP/plain" -o "$TMP/all"
check "--buildid-all: more" test "$("$PERF" buildid-list -i "$TMP/all" | wc -l)" -ge \
	"$("$PERF" buildid-list -i "$TMP/ids" | wc -l)"
inject -b -i "$TMP/plain" >"$TMP/stream"
like "-b into a stream" "$("$PERF" buildid-list -i - <"$TMP/stream")" "^$id $self$"
cp "$TMP/plain" "$TMP/same"
inject -b -i "$TMP/same" -o "$TMP/same"
like "the output may be the input" "$("$PERF" buildid-list -i "$TMP/same")" "^$id $self$"
known=00112233445566778899aabbccddeeff00112233
inject -b --known-build-ids "$known $self" -i "$TMP/plain" -o "$TMP/known"
like "--known-build-ids" "$("$PERF" buildid-list -i "$TMP/known")" "^$known $self$"
echo "$known $self" >"$TMP/list"
inject -b --known-build-ids "@$TMP/list" -i "$TMP/plain" -o "$TMP/known"
like "... from a file" "$("$PERF" buildid-list -i "$TMP/known")" "^$known $self$"
check_status "... that are none" 1 inject -b --known-build-ids "xyz $self" -i "$TMP/plain" -o "$TMP/bad"
inject -B -i "$TMP/plain" -o "$TMP/mmap2"
like "-B: in the maps" "$("$PERF" script -i "$TMP/mmap2" --show-mmap-events 2>/dev/null)" \
	"<$id>\]: r-xp $self$"
is "... with the same samples" "$(script "$TMP/mmap2" | md5sum)" "$(script "$TMP/plain" | md5sum)"

# ---- code compiled at run time
# Times in ticks are no times of the recording.
for flags in 0 1; do
	python3 -S - "$ROOT/tests/helpers" $flags "$TMP/jit-7.dump" "$TMP/ticks" <<'EOF'
import struct, sys
sys.path.insert(0, sys.argv[1])
from perfdata import *
flags, dump = int(sys.argv[2]), sys.argv[3]
name = [b'early', b'ticked'][flags]
with open(dump, 'wb') as f:
    f.write(struct.pack('<6I2Q', 0x4a695444, 1, 40, 62, 0, 7, 0, flags))
    body = struct.pack('<2I4Q', 7, 7, 0x7000, 0x7000, 16, 1) + name + b'\0' + b'\x90' * 16
    f.write(struct.pack('<2IQ', 0, 16 + len(body), 3 * 10**15 if flags else 1) + body)
r = Recording(Attr(sample_type=IP | TID | TIME, flags='comm mmap sample_id_all use_clockid', clockid=1), time=1000)
r.comm(7, 'jit')
r.mmap(7, 0x10000, 0x1000, 0, dump)
r.mmap(7, 0x7000, 0x1000, 0, '//anon')
r.sample(ip=0x7004, pid=7)
r.write(sys.argv[4])
EOF
	inject -j -i "$TMP/ticks" -o "$TMP/ticked" 2>"$TMP/err"
	is "-j: a dump with flags $flags" "$("$PERF" script -i "$TMP/ticked" -F ip,sym,dso -G 2>/dev/null | sed 's/^ *[0-9a-f]* //')" \
		"$([ $flags = 0 ] && echo early || echo ticked) ($TMP/jitted-7.so)"
	is "... ticks are told of" "$(grep -c 'ticks of the CPU' "$TMP/err")" $flags
	rm -f "$TMP/jitted-7.so"
done
# Where perf 6 does not take the object for a JIT map, which it takes anything in /tmp/perf-* for.
W=$(mktemp -d "${TMPDIR:-/tmp}/inject-test.XXXXXX") || exit 1
trap 'rm -rf "$TMP" "$W"' EXIT
H=$O/tests/helpers/jit-dump
"$H" "$W" >/dev/null 2>&1 || {
	skip "-j" "the helper's code is for another machine"
	done_testing
	exit
}
"$PERF" record -q -k mono -e cpu-clock:u -g -o "$TMP/jit" -- "$H" "$W" >"$TMP/path" 2>/dev/null
dump=$(cat "$TMP/path")
object=$(echo "$dump" | sed 's,/jit-\([0-9]*\).dump,/jitted-\1.so,')
check_status "-j" 0 inject -j -i "$TMP/jit" -o "$TMP/jitted"
names() {
	awk '/_loop/ { print $1, $3 }' | sed 's/+0x.*//'
}
"$PERF" script -i "$TMP/jit" -F time,ip,sym -G 2>/dev/null | names >"$TMP/a"
mv "$dump" "$TMP/hidden"
"$PERF" script -i "$TMP/jitted" -F time,ip,sym -G 2>/dev/null | names >"$TMP/b"
same_file "-j: the same names at the same times, without the dump" "$TMP/b" "$TMP/a"
check "... and there are some" test -s "$TMP/a"
like "... in an object" "$("$PERF" report -i "$TMP/jitted" -g none 2>/dev/null)" "$(basename "$object") +\[\.\] second_loop"
if [ -n "$PEER" ]; then
	like "an installed perf finds them" "$("$PEER" report -i "$TMP/jitted" -g none --stdio 2>/dev/null)" 'second_loop'
else
	skip "an installed perf finds them" "$NO_PEER"
fi
like "... which has a build id, where other tools look for it" "$("$PERF" buildid-list -i "$TMP/jitted")" "^[0-9a-f]{40} $object"
if "$PERF" version --build-options | grep -q 'libarchive: \[ on'; then
	check_status "-j: what it makes can be packed" 0 "$PERF" archive -i "$TMP/jitted" -o "$TMP/jitted.tar"
	mv "$object" "$TMP/gone"
	PERF_BUILDID_DIR=$TMP/elsewhere "$PERF" archive --unpack "$TMP/jitted.tar" 2>/dev/null
	like "... and is read where it is gone" "$(PERF_BUILDID_DIR=$TMP/elsewhere "$PERF" report -i "$TMP/jitted" -g none 2>/dev/null)" \
		"$(basename "$object") +\[\.\] second_loop"
	mv "$TMP/gone" "$object"
else
	skip "-j: what it makes can be packed" "built without libarchive"
fi
mv "$TMP/hidden" "$dump"
"$PERF" record -q -e cpu-clock:u -o "$TMP/clock" -- "$H" "$W" >/dev/null 2>&1
like "another clock is refused" "$(inject -j -i "$TMP/clock" -o "$TMP/out" 2>&1)" 'record -k mono'
check "... without an output" test ! -e "$TMP/out"
done_testing
