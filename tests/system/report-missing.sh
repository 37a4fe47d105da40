#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What report and script could not show is said once, at the end, on stderr, with what to do: stacks
# longer than their copies, code without frame pointers, objects that are gone, changed or stripped.
. "$(dirname "$0")/../lib.sh"
H=$O/tests/helpers
[ -x "$H/deep-frames" ] || skip_all "helper programs are not built: make tests"
cd "$TMP" || exit 1

record() { # record OPTIONS... PROGRAM
	"$PERF" record -q -F 1000 -e cpu-clock:u -o p.data "$@" >rec.out 2>&1
}
record "$H/deep-frames-fp" || skip_all "cannot record here: $(head -1 rec.out)"

# says NAME WHAT: report and script say so once; "" = neither says anything
says() {
	for what in "report --stdio" "script"; do
		# shellcheck disable=SC2086
		"$PERF" $what -i p.data >out 2>err
		is "$1: $what works" "$?" 0
		if [ "$2" ]; then
			like "$1: $what says so" "$(tr '\n' ' ' <err)" "$2"
			is "$1: $what, once" "$(sort err | uniq -d)" ""
			unlike "$1: $what, not among the data" "$(cat out)" 'missing\.|Record again|no function names'
		else
			is "$1: $what says nothing" "$(not_of_libraries err)" ""
		fi
	done
	"$PERF" report -q -i p.data >out 2>err
	is "$1: -q says nothing" "$(cat err)" ""
}

if [ "$(uname -m)" = x86_64 ]; then
	record -g "$H/deep-frames-fp"
	says "frame pointers" ""
	record -g "$H/deep-frames"
	says "-g without frame pointers" \
		'^([0-9]+) of [0-9]+ user stacks lead nowhere .* no frame pointers\. Record again with --call-graph dwarf'
	record -g -k mono "$H/deep-frames-fp"
	"$PERF" script -G -i p.data >out 2>err
	is "nothing about chains that nobody wants" "$(not_of_libraries err)" ""
else
	skip "frame pointers" "not an x86-64 machine"
fi
if "$PERF" check feature -q dwarf; then
	record --call-graph dwarf "$H/deep-frames"
	says "whole stacks" ""
	record --call-graph dwarf "$H/deep-frames-large"
	says "stacks longer than their copies" \
		'^[0-9]+ of [0-9]+ stacks go on behind the 8192 bytes .* missing\. Record again with --call-graph dwarf,65528\.'
	record --call-graph dwarf,65528 "$H/deep-frames-large"
	says "as much as it takes" ""
	like "... and there is main" "$("$PERF" report --stdio --no-children -g caller -i p.data 2>err)" ' main$'
else
	skip "stacks from copies" "built without libdw"
fi

cp "$H/deep-frames" prog
strip prog
record ./prog
says "stripped" 'no function names for .*/prog \(stripped, build id [0-9a-f]{8,}\) .*--debuginfod'
if has_debuginfod; then
	"$PERF" report --stdio -i p.data --debuginfod=http://127.0.0.1:1 >out 2>err
	like "stripped: a server that does not answer" "$(tr '\n' ' ' <err)" \
		'no debuginfod server answers .*stripped files; --debuginfod asked in vain'
else
	skip "stripped: a server that does not answer" "no libdebuginfod here"
fi
mv prog elsewhere
says "gone" 'no function names for .*/prog \(not found, build id [0-9a-f]{8,}\) .*--symfs DIR.*perf buildid-cache'
cp "$H/deep-frames-fp" prog
says "changed" 'prog has changed since the recording .*Record again what has changed'
mv elsewhere prog
chmod 0 prog
if [ -r prog ]; then
	skip "not readable" "root reads everything"
else
	says "not readable" 'prog \(not readable, build id'
fi
cp "$H/deep-frames" named
record ./named
says "named" ""
done_testing
