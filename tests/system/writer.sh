# SPDX-License-Identifier: GPL-2.0-or-later
# What our writer writes: read again by us, and by an installed perf, the same as the original.
. "$(dirname "$0")/../lib.sh"
D=$ROOT/tests/data/perf
WALK=$O/tests/helpers/perfdata-walk
COPY=$O/tests/helpers/perfdata-copy
"$PERF" check feature -q zstd && zstd=1 || zstd=0

# samples FILE: those that are there, by us
samples() {
	"$WALK" -o "$1" | sed 's/.* \(samples=[0-9]* noevent=[0-9]*\) .*/\1/'
}

# peer FILE: samples, events and what is said about them, by the installed perf
peer() {
	"$PEER" script -i "$1" --symfs /nonexistent 2>&1
	"$PEER" evlist -i "$1" 2>&1
	"$PEER" report --header-only -I -i "$1" 2>&1 |
		grep -v -e '^# captured' -e 'offset' -e 'data size' -e '^# event' -e '^# missing' \
			-e '^# compressed'
}

for f in "$D"/*.data; do
	name=$(basename "$f" .data)
	case $name in
	s390x-* | pipe-z* | simpleperf-etm) continue ;; # other byte order; damaged; AUX area data
	esac
	want=$(samples "$f")
	ways='-- -p'
	[ "$zstd" = 1 ] && ways='-- -p -z3 -pz3'
	for how in $ways; do
		check "$name: copied with $how" "$COPY" "$how" "$f" "$TMP/copy"
		is "$name: the copy with $how has the same samples" "$(samples "$TMP/copy")" "$want"
	done
done

# A recorder that dies leaves a file that we and others read up to its last flush.
for z in '' -z3; do
	[ -n "$z" ] && [ "$zstd" != 1 ] && continue
	"$COPY" -k $z "$D/i386-iregs.data" "$TMP/killed"
	is "killed${z:+ with }$z: read without a word" "$("$WALK" "$TMP/killed" 2>&1 >/dev/null)" ""
	like "killed${z:+ with }$z: has samples" "$(samples "$TMP/killed")" 'samples=[1-9]'
	if [ -n "$PEER" ] && [ -z "$z" ]; then
		"$PEER" report --stats -i "$TMP/killed" >"$TMP/out" 2>&1
		is "killed: the installed perf reads it" "$?" 0
		unlike "killed: without a warning" "$(cat "$TMP/out")" 'WARNING|rror'
	fi
done

# Its 136 bytes of attr need only 96 (clockid), which older perfs read.
"$COPY" -- "$D/sleep-6.16.data" "$TMP/copy"
like "attrs get the smallest size" "$("$PERF" evlist -v -i "$TMP/copy")" ' size: 96, '

if [ -n "$PEER" ]; then
	for name in arm64-zstd armhf-uregs i386-iregs ppc64le-phys branch-4.14 group-4.14 \
		arm64-sve lost-samples-4.4; do
		peer "$D/$name.data" >"$TMP/want"
		for z in 0 3; do
			[ $z = 3 ] && [ "$zstd" != 1 ] && continue
			"$COPY" -z $z "$D/$name.data" "$TMP/copy"
			peer "$TMP/copy" >"$TMP/got"
			same_file "$name, level $z: the installed perf reads the copy as the original" \
				"$TMP/got" "$TMP/want"
		done
	done
else
	skip "the installed perf reads copies" "$NO_PEER"
fi
done_testing
