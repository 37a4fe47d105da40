#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What every command promises: help on stdout with status 0, usage errors on stderr with 129.
. "$(dirname "$0")/../lib.sh"

check_status "no command" 129 "$PERF"
check_status "an unknown command" 129 "$PERF" nonsense
like "the nearest command is named" "$("$PERF" verson 2>&1)" 'Did you mean.*version'
check_status "perf --help" 0 "$PERF" --help
check_status "perf --version" 0 "$PERF" --version
for c in $("$PERF" help --list-cmds); do
	out=$("$PERF" "$c" --help 2>"$TMP/err")
	is "$c --help exits with 0" "$?" 0
	like "$c --help goes to stdout" "$out" "Usage: perf $c"
	is "$c --help prints nothing to stderr" "$(cat "$TMP/err")" ""
	"$PERF" "$c" --no-such-option >"$TMP/out" 2>"$TMP/err"
	is "$c --no-such-option exits with 129" "$?" 129
	is "$c --no-such-option prints nothing to stdout" "$(cat "$TMP/out")" ""
	like "$c --no-such-option says so" "$(cat "$TMP/err")" 'no-such-option'
done
done_testing
