#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf annotate on made recordings of tests/data/annotate/walk: the texts kept here, and line by line
# what an installed perf prints with objdump: numbers, addresses, instructions.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
D=$ROOT/tests/data/annotate
WALK=$D/walk
ID=00112233445566778899aabbccddeeff00112233
"$PERF" check feature -q capstone || skip_all "no capstone in this build"

samples() {
	cat <<'EOF'
sample 5 0x40017e 1000
sample 10 0x400183 500 1
sample 3 0x40018d 100
sample 2 0x400191 700 1
sample 1 0x40014e 400
sample 1 0x4001ab 40
EOF
}
samples | made_file listing-file -b $ID "$TMP/two.data" "$WALK" 2 || skip_all "cannot write $TMP/two.data"
samples | made_file listing-file -g -b $ID "$TMP/group.data" "$WALK" 2
samples | made_file listing-file -p -b $ID "$TMP/pipe.data" "$WALK" 2

# One directory for all: what is printed must not depend on where this tree lies.
annotate() { # annotate FILE OPTION...
	_file=$1
	shift
	"$PERF" annotate -i "$TMP/$_file.data" --prefix "$D" --prefix-strip 1 "$@" 2>"$TMP/err" |
		sed "s|$D|DIR|g"
}

# ---- texts kept here
golden() { # golden NAME FILE OPTION...
	_golden=$1
	shift
	annotate "$@" >"$TMP/got"
	case $_golden in *.json) python3 -m json.tool --indent 1 <"$TMP/got" >"$TMP/nice" && mv "$TMP/nice" "$TMP/got" ;; esac
	if [ -n "${UPDATE:-}" ]; then
		cp "$TMP/got" "$D/$_golden"
	fi
	same_file "$_golden: $*" "$TMP/got" "$D/$_golden"
	is "$_golden: no message" "$(cat "$TMP/err")" ""
}
golden stdio.text two --stdio --no-source branchy
golden stdio-all.text two --stdio --no-source
golden stdio-group.text group --stdio -l --no-source
golden stdio-samples.text group --stdio -n --no-source --asm-raw branchy
golden stdio-period.text group --stdio --show-total-period -M intel --no-source branchy
golden stdio2.text two --stdio2 --no-source branchy
golden stdio2-group.text group --stdio2 --no-source
golden stdio2-intel.text two --stdio2 --no-source -M intel branchy
golden loops.text two --stdio2 --loops branchy
golden group.json group --json tail
golden source.text two --stdio -l branchy
golden source2.text two --stdio2 branchy

# ---- in pieces that are added up, in one session and in sessions of their own
in_pieces() { # in_pieces SAMPLES FILE OPTION...
	_size=$1
	shift
	annotate "$@" >"$TMP/want"
	annotate "$@" --pieces "$_size" >"$TMP/got"
	same_file "pieces of $_size: $*" "$TMP/got" "$TMP/want"
	annotate "$@" --pieces "$_size" --apart >"$TMP/got"
	same_file "pieces of $_size apart: $*" "$TMP/got" "$TMP/want"
}
in_pieces 1 group --json
in_pieces 5 two --stdio2
in_pieces 7 group --stdio -l -n

# ---- beside an installed perf
lines() { # of each instruction: numbers, address, text with blanks in one form
	sed -n 's/^ *\([0-9. ]*[0-9]\) : *\([0-9a-f]*\): */\1 : \2: /p' | tr -s ' ' | sed 's/, /,/g; s/ *$//'
}
# The same without the instructions; functions in any order, as those of equal weight have none. The
# first and the last function of an object have no size in its symbols: where they end is a guess, and
# readers differ in it.
numbers() {
	awk '/Percent \|/ { skip = 0 } /<[._](init|fini)>:$/ { skip = 1 } !skip' | lines | cut -d: -f1,2 | sort
}
beside() { # beside FILE OPTION...
	_file=$1
	shift
	if [ -z "$PEER" ]; then
		skip "$_file $*" "$NO_PEER"
		return
	fi
	"$PEER" annotate --stdio -i "$TMP/$_file.data" "$@" 2>/dev/null | lines >"$TMP/want"
	"$PERF" annotate --stdio -i "$TMP/$_file.data" "$@" 2>"$TMP/err" | lines >"$TMP/got"
	check "$_file $*: there is something" test -s "$TMP/want"
	same_file "$_file $*" "$TMP/got" "$TMP/want"
}
if command -v objdump >/dev/null 2>&1; then
	for opts in "" "-n" "--show-total-period" "--percent-type local-hits" "-M intel" "--asm-raw" "-s branchy" "leaf"; do
		for f in two group pipe; do
			# shellcheck disable=SC2086
			beside $f $opts
		done
	done
	# A real recording, of a program with a libc and a loader: numbers and addresses of all functions.
	if [ -n "$PEER" ] && "$PERF" record -q -e cpu-clock:u -o "$TMP/real.data" "$PERF" test -w brstack \
		>"$TMP/out" 2>&1; then
		"$PEER" annotate --stdio --no-source -i "$TMP/real.data" 2>/dev/null | numbers >"$TMP/want"
		"$PERF" annotate --stdio --no-source -i "$TMP/real.data" 2>/dev/null | numbers >"$TMP/got"
		check "a real recording: there is something" test -s "$TMP/want"
		same_file "a real recording" "$TMP/got" "$TMP/want"
	else
		skip "a real recording" "${PEER:+no events here}${PEER:-$NO_PEER}"
	fi
else
	skip "beside an installed perf" "no objdump"
fi
done_testing
