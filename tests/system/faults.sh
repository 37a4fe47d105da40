#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Calls of commands that fail: nothing crashes or hangs, what is printed is whole, or it is said why not
# and the status tells. A part of what `make faults` does: of nine commands and each class of calls, two
# of the places that they come from; of two that have a process of their own read
# a recording, and of one that looks for recordings, more of their reads.
. "$(dirname "$0")/../lib.sh"
[ -e "$O/tests/faults/faults.so" ] || skip_all "the library that lets calls fail is not built"
need_cmd perl
# Sanitizers and Valgrind have allocators of their own, and much more to call.
if nm -D "$PERF_FILE" 2>/dev/null | grep -q '__[at]san_init' || [ "$PERF" != "$PERF_FILE" ]; then
	skip_all "not under a sanitizer or Valgrind"
fi
need_events
perl "$ROOT/tests/faults/run" --tap --short --most 2 'report -g' 'report -g, 2 jobs' 'report -b' \
	'report --html' script 'convert folded' annotate record 'record -p' >"$TMP/tap" 2>"$TMP/tap.err"
perl "$ROOT/tests/faults/run" --tap --short --most 10 --class read,stat,fork --how EIO,EAGAIN 'data push' \
	'report --from' 'report of a directory' >>"$TMP/tap" 2>>"$TMP/tap.err"
while IFS= read -r _line; do
	case $_line in
	'ok - '*' # SKIP '*) _name=${_line#ok - } && skip "${_name%% # SKIP *}" "${_name#* # SKIP }" ;;
	'ok - '*) pass "${_line#ok - }" ;;
	'not ok - '*) fail "${_line#not ok - }" ;;
	*) echo "$_line" ;;
	esac
done <"$TMP/tap"
is "nothing else was said" "$(cat "$TMP/tap.err")" ''
done_testing
