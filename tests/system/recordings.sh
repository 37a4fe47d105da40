# SPDX-License-Identifier: GPL-2.0-or-later
# Every recording is read to its end, in file order and in time order; damaged ones say where.
. "$(dirname "$0")/../lib.sh"
WALK=$O/tests/helpers/perfdata-walk
D=$ROOT/tests/data/perf

# What a damaged recording must say. All others must be read without a word of error.
damage() {
	case $1 in
	*zero_size_sample* | pipe-zero-size-*) echo 'record at offset 0xbfd0, SAMPLE \(9\): size 0' ;;
	*extrabyte*) echo 'ends at offset 0x8d080, 1 bytes into a record' ;;
	*compressed2.pipe* | pipe-zstd2-*) echo 'offset 0x7c40, UNKNOWN \(1701847131\)' ;;
	esac
}

# one NAME FILE
one() {
	want=$(damage "$1")
	file=$("$WALK" "$2" 2>"$TMP/err") && end=0 || end=1
	order=$("$WALK" -o "$2" 2>"$TMP/err2")
	if [ -n "$want" ]; then
		like "$1: its damage is named" "$(cat "$TMP/err")" "$want"
	elif [ $end = 0 ]; then
		pass "$1: read"
		read_ok=$((read_ok + 1))
	else
		fail "$1: read" "$(cat "$TMP/err")"
	fi
	case $order in
	*" backwards=0 "*) ;;
	*) fail "$1: times ascend" "$order" ;;
	esac
	[ "${file%% late=*}" = "${order%% late=*}" ] ||
		fail "$1: the same records in both orders" "$file" "$order"
}

read_ok=0
for f in "$D"/*.data; do
	one "$(basename "$f")" "$f"
done

# The same bytes through a pipe that cannot be read twice.
for f in "$D"/*pipe*.data; do
	is "$(basename "$f"): the same through a pipe" \
		"$(cat "$f" | "$WALK" -o /dev/stdin 2>/dev/null)" "$("$WALK" -o "$f" 2>/dev/null)"
done

# Spooled to a file when memory is short.
for f in s390x-zstd s390x-pipe arm64-pipe-zstd; do
	is "$f: the same with little memory" "$(cat "$D/$f.data" | "$WALK" -o -m 1 /dev/stdin 2>&1)" \
		"$(cat "$D/$f.data" | "$WALK" -o /dev/stdin 2>&1)"
done

# A directory: the same records, spread over files that each hold a part.
mkdir "$TMP/dir"
made_file cut-file -d "$D/i386-iregs.data" "$TMP/dir"
for o in '' -o; do
	is "a directory has what its file had${o:+, in order}" \
		"$("$WALK" $o "$TMP/dir" | sed 's/ features.*//; s/backwards=[1-9][0-9]*/backwards=0/')" \
		"$("$WALK" $o "$D/i386-iregs.data" | sed 's/ features.*//; s/backwards=[1-9][0-9]*/backwards=0/')"
done
like "a directory in order" "$("$WALK" -o "$TMP/dir")" 'backwards=0'

if fx=$(fixtures); then
	read_ok=0
	total=0
	sed -n 's/^| \([A-Za-z][^ |]*\/[^ |]*\) |.*/\1/p' "$ROOT/../shared/fixtures/README.md" >"$TMP/list"
	while read -r name; do
		total=$((total + 1))
		one "$name" "$fx/real/$name"
	done <"$TMP/list"
	is "recordings in ../shared" "$total" 132
	[ "$read_ok" -ge 128 ] && pass "$read_ok of them are whole and read to the end" ||
		fail "at least 128 are read" "only $read_ok"
else
	skip "the recordings of ../shared" "no ../shared/fixtures in a stranger's clone"
fi
done_testing
