# SPDX-License-Identifier: GPL-2.0-or-later
# evlist -v for every recording, against what perf 7.2.13 prints: equal after evlist.sed, or
# explained in evlist-differences.txt.
. "$(dirname "$0")/../lib.sh"
G=$ROOT/tests/golden

# without_names: what must be equal when names are not
without_names() {
	sed -E 's/^[^#]*: (type: [0-9]+)/\1/; /^# Tip/d'
}

# compare NAME RECORDING WANTED
compare() {
	"$PERF" evlist -v -i "$2" >"$TMP/got" 2>/dev/null
	sed -E -f "$G/evlist.sed" "$3" >"$TMP/wanted"
	case $(grep -F " $1" "$G/evlist-differences.txt" | grep -Fx -e "names $1" -e "more $1") in
	names*)
		without_names <"$TMP/got" >"$TMP/got2"
		without_names <"$TMP/wanted" >"$TMP/wanted2"
		same_file "$1 (but for names)" "$TMP/got2" "$TMP/wanted2"
		;;
	more*)
		if [ ! -s "$TMP/wanted" ] && [ -s "$TMP/got" ]; then
			pass "$1 (has an event)"
		else
			fail "$1 (has an event)" "$(cat "$TMP/got")"
		fi
		;;
	*) same_file "$1" "$TMP/got" "$TMP/wanted" ;;
	esac
}

for want in "$ROOT"/tests/data/perf/*.evlist; do
	rec=${want%.evlist}.data
	compare "$(basename "$rec")" "$rec" "$want"
done

if fx=$(fixtures); then
	cd "$fx/expected" || exit 1
	for want in $(find . -name '*.evlist' | sort); do
		name=${want#./}
		name=${name%.evlist}
		compare "$name" "$fx/real/$name" "$want"
	done
	cd "$ROOT" || exit 1
	is "--trace-fields" \
		"$("$PERF" evlist --trace-fields -i "$fx/real/generated-qemu-arm64-debian12/tp.data")" \
		"sched:sched_switch: trace_fields: prev_comm,prev_pid,prev_prio,prev_state,next_comm,next_pid,next_prio
syscalls:sys_enter_write: trace_fields: __syscall_nr,fd,buf,count
dummy:HG: (not a tracepoint)"
	# The same recording as a stream without names: before its tracing data, and behind it.
	f=$fx/real/KDAB+perfparser/tests/auto/perfdata/probe.data.file
	for order in attr tracing; do
		made_file file-to-pipe "$f" "$TMP/$order.pipe" $order
		is "a pipe's tracepoints are named by its tracing data ($order first)" \
			"$("$PERF" evlist -i "$TMP/$order.pipe" 2>&1)" "$("$PERF" evlist -i "$f")"
		is "... in script" "$("$PERF" script --symfs /nonexistent -i "$TMP/$order.pipe" 2>&1)" \
			"$("$PERF" script --symfs /nonexistent -i "$f" 2>&1)"
	done
else
	skip "the recordings of ../shared" "no ../shared/fixtures in a stranger's clone"
fi

like "--trace-fields with nothing to show" \
	"$("$PERF" evlist --trace-fields -i "$ROOT/tests/data/perf/s390x-basic.data")" \
	'^cpu-clock: \(not a tracepoint\)$'
f=$ROOT/tests/data/perf/group-4.14.data
is "-g shows groups on one line" "$("$PERF" evlist -g -i "$f")" \
	"$("$PERF" evlist -i "$f" | grep -v '^#' | paste -sd, | sed 's/.*/{&}/')"
is "-F shows frequencies" "$("$PERF" evlist -F -i "$ROOT/tests/data/perf/s390x-basic.data")" \
	"cpu-clock: sample_freq=499"
is "from a pipe" "$("$PERF" evlist -i - <"$ROOT/tests/data/perf/s390x-pipe.data")" "cpu-clock:H"
is "from a real pipe" "$(cat "$ROOT/tests/data/perf/s390x-pipe.data" | "$PERF" evlist -i -)" \
	"cpu-clock:H"
is "a pipe's groups have the modifiers too" \
	"$("$PERF" evlist -g -i "$ROOT/tests/data/perf/pipe-group-6.8.data")" "{cycles:uH,instructions:uH}"
check_status "-g with -v is a usage error" 129 "$PERF" evlist -g -v -i "$f"
check_status "a missing file is an error" 1 "$PERF" evlist -i "$TMP/none"
echo 'this is not a recording' >"$TMP/junk"
check_status "junk is an error" 1 "$PERF" evlist -i "$TMP/junk"
like "which says so" "$("$PERF" evlist -i "$TMP/junk" 2>&1)" 'not a perf.data file'
done_testing
