#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf script on the fixtures against what perf 7.2.13 printed: default fields, branch stacks,
# registers. Differences are listed, with their reasons, in script.differences.
. "$(dirname "$0")/../lib.sh"
fx=$(fixtures) || skip_all "no ../shared/fixtures in a stranger's clone"
here=$(dirname "$0")

# compare KIND args...: every expected/**/*.KIND
compare() {
	kind=$1
	shift
	find "$fx/expected/" -name "*.$kind" | sort >"$TMP/list"
	while read -r want; do
		name=${want#"$fx/expected/"}
		rules=$(awk -v n="$name" '!/^#/ && index(n, $1) == 1 { print $2 }' \
			"$here/script.differences" | tr , ' ')
		timeout 60 "$PERF" script --symfs /nonexistent "$@" -f \
			-i "$fx/real/${name%."$kind"}" >"$TMP/got" 2>"$TMP/err" </dev/null
		# shellcheck disable=SC2086
		if n=$(perl "$here/script-compare.pl" "$want" "$TMP/got" $rules 2>&1); then
			if [ "$n" = 0 ] && [ -n "$rules" ]; then
				fail "$name" "equal, but script.differences names it: $rules"
			else
				pass "$name${rules:+ ($n lines: $rules)}"
			fi
		else
			fail "$name" "$n" "$(head -3 "$TMP/err")"
		fi
	done <"$TMP/list"
}

compare script --no-inline
compare brstack -F ip,brstack
compare uregs -F ip,uregs
compare iregs -F ip,iregs

# Stacks of other architectures, unwound here, against what perf printed on that machine: the
# frames of the program, whose file we have, up to the first one in a library.
own_frames() {
	awk '/^[^	 ]/ { s = ""; other = 0; next }
	     /^$/ { if (s != "") print s; next }
	     /kernel|unknown\] \(\[/ { next }
	     /\/tmp\/out\/wl\)$/ { if (!other) s = s ";" $2; next }
	     { other = 1 }' | sort | uniq -c
}
for dir in generated-qemu-arm64b-debian12 generated-qemu-ppc64el-debian12; do
	from=$fx/real/$dir
	mkdir -p "$TMP/$dir/tmp/out"
	cp "$from/wl" "$TMP/$dir/tmp/out/wl"
	own_frames <"$from/dwarf.script.txt" >"$TMP/want"
	"$PERF" script --no-inline --symfs "$TMP/$dir" -f -i "$from/dwarf.data" 2>/dev/null |
		own_frames >"$TMP/got"
	if [ -s "$TMP/want" ]; then
		same_file "$dir: stacks from registers and stack copies" "$TMP/got" "$TMP/want"
	else
		fail "$dir: the wanted text has no stacks"
	fi
done
# Output and messages in one pipe: what is said at the end is the end, by any number of threads.
for j in 1 2 8; do
	"$PERF" script --symfs /nonexistent --jobs=$j -i "$ROOT/tests/data/perf/sleep-6.16.data" >"$TMP/out" 2>"$TMP/err"
	cat "$TMP/out" "$TMP/err" >"$TMP/want"
	"$PERF" script --symfs /nonexistent --jobs=$j -i "$ROOT/tests/data/perf/sleep-6.16.data" >"$TMP/both" 2>&1
	check "$j threads: there are messages" test -s "$TMP/err"
	same_file "... behind the output in one pipe" "$TMP/both" "$TMP/want"
done
# A dump that has to end in the midst, too: the last record says that it has no bytes.
cp "$ROOT/tests/data/perf/sleep-6.16.data" "$TMP/cut.data"
printf '\0\0' | dd of="$TMP/cut.data" bs=1 seek=$((0x716)) conv=notrunc 2>"$TMP/dd"
for j in 1 2; do
	"$PERF" script -D --jobs=$j -i "$TMP/cut.data" >"$TMP/out" 2>"$TMP/err"
	cat "$TMP/out" "$TMP/err" >"$TMP/want"
	"$PERF" script -D --jobs=$j -i "$TMP/cut.data" >"$TMP/both" 2>&1
	check "-D, $j threads: there is something of both" test -s "$TMP/err" -a -s "$TMP/out"
	same_file "... messages behind the dump in one pipe" "$TMP/both" "$TMP/want"
done
done_testing
