#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf buildid-cache: adding, listing, removing; upstream's layout; readers look there first.
. "$(dirname "$0")/../lib.sh"
need_cmd cc objcopy
cache() {
	"$PERF" buildid-cache "$@"
}
printf 'int one(void) { return 1; }\nint main(void) { return one() - 1; }\n' >"$TMP/a.c"
cc -g -Wl,--build-id=0xaabbccdd00112233445566778899aabbccddeeff -o "$TMP/prog" "$TMP/a.c"
id=aabbccdd00112233445566778899aabbccddeeff
D=$HOME/.debug

is "an empty cache" "$(cache -l)" ""
check_status "-a" 0 cache -a "$TMP/prog"
is "-l" "$(cache -l)" "$id $TMP/prog"
same_file "the copy" "$D$TMP/prog/$id/elf" "$TMP/prog"
is "the link" "$(readlink "$D/.build-id/aa/${id#aa}")" "../..$TMP/prog/$id"
check_status "-a again" 0 cache -a "$TMP/prog"
like "... is said with -v" "$(cache -v -a "$TMP/prog" 2>&1)" 'already in the cache'
if [ -n "$PEER" ]; then
	is "an installed perf lists the same" "$("$PEER" --buildid-dir "$D" buildid-cache -l)" "$(cache -l)"
else
	skip "an installed perf lists the same" "$NO_PEER"
fi

# Another version at the same path: both are kept.
cc -g -Wl,--build-id=0x1111 -o "$TMP/prog" "$TMP/a.c"
check_status "a second version" 0 cache -a "$TMP/prog"
is "both are there" "$(cache -l)" "1111 $TMP/prog
$id $TMP/prog"
check_status "-r removes what the file is now" 0 cache -r "$TMP/prog"
is "... only that" "$(cache -l)" "$id $TMP/prog"
check_status "-r of what is not there" 1 cache -r "$TMP/prog"
like "... is said" "$(cache -r "$TMP/prog" 2>&1)" "Couldn't remove .*/prog: .*wasn't in the cache"
check_status "-u" 0 cache -u "$TMP/prog"
rm "$TMP/prog"
check_status "-p of a file that is gone" 0 cache -p "$TMP/prog"
is "... removes all versions" "$(cache -l)" ""
is "... and the directories" "$(find "$D" -mindepth 1 -not -path "$D/.build-id*" | wc -l)" 0

# Bad input.
echo text >"$TMP/text"
check_status "no ELF file" 1 cache -a "$TMP/text"
check_status "no file" 1 cache -a "$TMP/nothing"
cc -Wl,--build-id=none -o "$TMP/noid" "$TMP/a.c"
like "no build id" "$(cache -a "$TMP/noid" 2>&1)" 'no ELF file with a build id'
check_status "nothing to do" 129 cache
check_status "an argument" 129 cache -l "$TMP/prog"
cc -Wl,--build-id=0x2222 -o "$TMP/good" "$TMP/a.c"
check_status "one of two fails" 1 cache -a "$TMP/nothing,$TMP/good"
is "... the other is there" "$(cache -l)" "2222 $TMP/good"
# A link that leads elsewhere is no entry, and removes nothing.
mkdir -p "$TMP/precious" "$D/.build-id/33"
touch "$TMP/precious/file"
ln -s "../../../precious" "$D/.build-id/33/33"
ln -s "$TMP/precious" "$D/.build-id/33/34"
is "foreign links are no entries" "$(cache -l)" "2222 $TMP/good"
check_status "-P" 0 cache -P
is "... leaves nothing" "$(cache -l)" ""
check "... and nothing else is gone" test -e "$TMP/precious/file"
PERF_BUILDID_DIR=$TMP/elsewhere
export PERF_BUILDID_DIR
check_status "PERF_BUILDID_DIR" 0 cache -a "$TMP/good"
check "... is used" test -e "$TMP/elsewhere/.build-id/22/22/elf"
unset PERF_BUILDID_DIR
cp "$PERF_FILE" "$TMP/ours"
(cd "$TMP" && "$PERF" buildid-cache -a good) && is "relative paths become whole" "$(cache -l)" "2222 $TMP/good"
check_status "--target-ns" 0 cache --target-ns $$ -a "$TMP/ours"
cache -P

need_events
"$PERF" record -q -o "$TMP/perf.data" "$TMP/ours" test -w noploop 0.2 2>/dev/null || skip_all "cannot record here"
like "-M: what is missing" "$(cache -M "$TMP/perf.data")" "^[0-9a-f]{40} $TMP/ours$"
"$PERF" record -q --no-buildid-mmap -o - "$TMP/ours" test -w noploop 0.2 >"$TMP/plain" 2>/dev/null
check_status "-M of a stream without build ids" 1 cache -M "$TMP/plain"
like "... says so" "$(cat "$TMP/check.out")" 'plain has no list of build ids'
"$PERF" inject -b -i "$TMP/plain" -o - >"$TMP/stream"
like "-M of a stream, whose build ids come last" "$(cache -M - <"$TMP/stream")" "^[0-9a-f]{40} $TMP/ours$"
head -c 1000 "$TMP/stream" >"$TMP/cut"
check_status "... one that is cut" 1 cache -M "$TMP/cut"
cache -a "$TMP/ours"
unlike "-M: no more" "$(cache -M "$TMP/perf.data")" "$TMP/ours$"
rm "$TMP/ours"
like "report takes what was recorded from the cache" "$("$PERF" report -i "$TMP/perf.data" 2>/dev/null)" 'ours .*noploop'
like "... of a stream too" "$("$PERF" report -i - <"$TMP/stream" 2>/dev/null)" 'ours .*noploop'
cache -P
cp "$TMP/good" "$TMP/ours"
"$PERF" report -i - <"$TMP/stream" >"$TMP/out" 2>"$TMP/err"
like "another file in its place: a stream's report says so" "$(cat "$TMP/err")" "ours has changed since the recording"
done_testing
