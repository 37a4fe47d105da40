#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# data convert --pieces: a recording read by 3 sessions, each with a machine, symbols and sums of
# its own that are added up, gives the bytes that one reading gives, in every format that adds up samples.
# No difference is allowed. Formats that write samples in order of time refuse.
. "$(dirname "$0")/../lib.sh"

in_order="json firefox chrome html"
formats=$("$PERF" data convert --to help | cut -d' ' -f1)
for_people=$(echo "$formats" | sed '1,/propeller/d' | grep -vwE "$(echo $in_order | tr ' ' '|')")

# Options that change what is told apart, one line each.
{
	for to in $for_people; do
		echo "--to $to"
	done
	cat <<-'END'
		--to folded --by event,comm,tid,cpu
		--to speedscope --time-order
		--to pprof --branches
		--to otlp --by comm,tid,cpu
		--check --json
	END
} >"$TMP/options"

# Names for kernel addresses, so that there are symbols to find again.
awk 'BEGIN {
	print "ffffffff81000000 T _text\nffffffff81000000 T _stext"
	for (i = 0; i < 4096; i++)
		printf "ffffffff81%05x0 %s fn_%d\n", i * 160, i % 3 ? "t" : "T", i % 1000
}' >"$TMP/kallsyms"

# convert FILE OUT OPTION...
convert() {
	_f=$1 _out=$2
	shift 2
	rm -f "$_out"
	"$PERF" data convert --symfs /nonexistent --kallsyms "$TMP/kallsyms" -i "$_f" -o "$_out" "$@" 2>"$TMP/err"
}

n=0
# Prints what differs: nothing. Each recording with a third of the options, in turn.
differences() {
	_nr=$("$PERF" report --symfs /nonexistent --stats -i "$1" 2>/dev/null |
		awk '/SAMPLE events/ { print $3; exit }')
	[ "${_nr:-0}" -gt 1 ] || return 0
	while read -r opts; do
		n=$((n + 1))
		meet 3 $n 0 || continue
		# The recording may have no such thing, --check nothing that it could write.
		convert "$1" "$TMP/whole" $opts
		_status=$?
		[ -e "$TMP/whole" ] || continue
		convert "$1" "$TMP/pieces" $opts --pieces $(((_nr + 2) / 3))
		[ $? = $_status ] && cmp -s "$TMP/whole" "$TMP/pieces" || echo "$opts"
	done <"$TMP/options"
}

check() {
	differences "$1" >"$TMP/differences"
	: >"$TMP/none"
	same_file "$2 in pieces" "$TMP/differences" "$TMP/none"
}

each_kind
for to in $in_order; do
	like "$to: refused" "$("$PERF" data convert --to "$to" --pieces 1 -o "$TMP/x" \
		-i "$ROOT/tests/data/perf/sleep-6.16.data" 2>&1)" 'not added up of pieces'
done
done_testing
