# SPDX-License-Identifier: GPL-2.0-or-later
# For suites that hold what a recorder says it lost against what happened, sourced behind lib.sh, in $TMP: N page faults,
# each at an address of its own, are the events; what is missing is known.
#
#	begin OPTIONS...	the recorder in the background ($rec), its program before the faults, which alone are
#				counted; $ODD: words for env in front of it
#	faults			they happen; $HOW of helpers/load says how (faults; paced: within $TAKES seconds)
#	end			the program ends, and the recorder: $status, its messages in rec.out
#	seen FILE...		how many of the faults have a sample
#	lost FILE...		how many samples the files say were lost

N=${N:-40000}
HOW=${HOW:-faults}
mkfifo in out control ack

can_sample_faults() {
	"$PERF" record -q -e page-faults:u -c 1 -d -o try.data -- "$O/tests/helpers/load" forks 1 >/dev/null 2>try.err ||
		skip_all "page faults cannot be sampled here: $(tail -1 try.err)"
	_samples=$("$PERF" script -i try.data -F addr 2>/dev/null | wc -l)
	[ "$_samples" -gt 0 ] || skip_all "page faults give no samples here"
}

begin() {
	# shellcheck disable=SC2086 # words
	env $ODD "$PERF" record -e page-faults:u -c 1 -d -m 1 -D -1 --control fifo:control,ack "$@" -- \
		"$O/tests/helpers/load" $HOW "$N" $TAKES <in >out 2>rec.out &
	rec=$!
	exec 8>in 9<out
	read -r region <&9
	echo enable >control
	read -r _ack <ack
}

faults() {
	echo >&8
	read -r _done <&9
}

end() {
	echo disable >control
	read -r _ack <ack
	echo >&8
	cat <&9 >/dev/null
	wait $rec
	status=$?
	exec 8>&- 9<&-
}

seen() {
	for _f in "$@"; do
		"$PERF" script -i "$_f" -F addr 2>/dev/null
	done | python3 -c '
import sys
a, b = (int(x, 16) for x in sys.argv[1].split())
print(sum(a <= int(l, 16) < b for l in sys.stdin))' "$region"
}

lost() {
	for _f in "$@"; do
		"$PERF" report -D -i "$_f" 2>/dev/null
	done | sed -n 's/.*PERF_RECORD_LOST_SAMPLES.*lost samples :\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }'
}
