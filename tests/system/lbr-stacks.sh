#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# LBR call stacks of written recordings: script and report against what the writer's model says,
# and against an installed perf, as recorded and stitched.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
# Not below /tmp/perf-*: perf 6.1 takes such files for maps of JIT code.
D=$O/tests/lbr-stacks
mkdir -p "$D" && python3 "$ROOT/tests/helpers/lbr-files.py" "$D" || skip_all "the recordings cannot be written"

# One line per sample with its frames' addresses.
lines() {
	awk 'NF { s = s (s == "" ? "" : " ") $1; next } s != "" { print s; s = "" }
		END { if (s != "") print s }'
}
same_lines() { # same_lines NAME GOT WANT
	if cmp -s "$2" "$3"; then pass "$1"; else fail "$1" "$(diff "$3" "$2" | head -6)"; fi
}

for want in "$D"/*.want; do
	n=$(basename "$want" .want)
	"$PERF" script -F ip -i "$D/$n.data" 2>&1 | lines >"$TMP/got"
	same_lines "$n: as the model says" "$TMP/got" "$want"
	"$PERF" script -F ip --stitch-lbr -i "$D/$n.data" 2>&1 | lines >"$TMP/got"
	same_lines "$n: stitched, as the model says" "$TMP/got" "$D/$n.stitched"
done

if [ -z "$PEER" ] || ! "$PEER" version >/dev/null 2>&1; then
	skip "the same in an installed perf" "there is none"
	done_testing
fi
ours() {
	"$PERF" "$@" --kallsyms "$D/kallsyms" -i "$D/$n.data" 2>"$TMP/ours.err"
}
theirs() {
	"$PEER" "$@" --kallsyms "$D/kallsyms" -i "$D/$n.data" 2>"$TMP/theirs.err"
}
# perf 6.1 shows user addresses as offsets in their file, 0x400000 below.
offsets() {
	awk '$1 ~ /^40[0-9a-f][0-9a-f][0-9a-f][0-9a-f]$/ {
		a = substr($1, 3)
		sub(/^0+/, "", a)
		sub(/ *40[0-9a-f]+/, sprintf("%16s", a))
	} { print }'
}
table() {
	grep -v '^# (Tip\|^# Samples:'
}
# Graphs of more than 31 levels: 6.1 keeps the bars of a line in 32 bits, level 32 is level 0.
bars() {
	for f in "$TMP/ours" "$TMP/theirs"; do
		sed 's/^[ |]*//; s/ *$//' "$f" >"$f.flat"
		mv "$f.flat" "$f"
	done
}
for want in "$D"/*.want; do
	n=$(basename "$want" .want)
	case $n in empty*) continue ;; esac
	for a in "" --stitch-lbr; do
		# shellcheck disable=SC2086
		ours script -F ip,sym,dso $a | offsets >"$TMP/ours"
		# shellcheck disable=SC2086
		theirs script -F ip,sym,dso $a >"$TMP/theirs"
		same_lines "$n: script $a" "$TMP/ours" "$TMP/theirs"
	done
	# Outermost first 6.1 takes kernel frames for the user's, because it meets their marker late.
	set -- "--children -g callee --stitch-lbr" "--no-children" "--no-children --stitch-lbr" \
		"--no-children -g folded,0 --stitch-lbr"
	case $n in
	*-user) set -- "$@" "" "--stitch-lbr" "--no-children -g caller --stitch-lbr" \
		"--no-children -g flat,0,caller --stitch-lbr" ;;
	esac
	for a in "$@"; do
		# shellcheck disable=SC2086
		ours report --stdio $a | table >"$TMP/ours"
		# shellcheck disable=SC2086
		theirs report --stdio $a | table >"$TMP/theirs"
		! grep -q '^[ |-]\{352\}' "$TMP/ours" || bars
		same_lines "$n: report $a" "$TMP/ours" "$TMP/theirs"
	done
done
done_testing
