#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# ~/.perfconfig: settings stand in front of the options of the command line, what is not used is named.
. "$(dirname "$0")/../lib.sh"
F=$ROOT/tests/data/perf/armhf-uregs.data
G=$TMP/chains.data
config() {
	cat >"$HOME/.perfconfig"
}
report() {
	"$PERF" report --stdio -i "$F" "$@" 2>"$TMP/err"
}
same() { # same NAME OPTIONS...: what the settings do is what these do
	_name=$1
	shift
	report -q >"$TMP/got"
	PERF_CONFIG=/dev/null report -q "$@" >"$TMP/want"
	same_file "$_name" "$TMP/got" "$TMP/want"
	is "$_name: no message" "$(cat "$TMP/err")" ""
}
report -q >"$TMP/plain"

printf '[report]\n\tsort_order = comm,dso\n' | config
same "report.sort_order" -s comm,dso
report -q -s symbol >"$TMP/got"
PERF_CONFIG=/dev/null report -q -s symbol >"$TMP/want"
same_file "the command line wins" "$TMP/got" "$TMP/want"
printf '[Report] # a comment\n  Sort_Order = "comm,\\\ndso" ; another\n\tpercent-limit=30' | config
same "quotes, a line that goes on, small and big letters, two settings" -s comm,dso --percent-limit 30
printf '[report]\n\tchildren = false\n\tqueue-size = 10M\n[pager]\n\treport = false\n' | config
same "report.children" --no-children
"$PERF" script -i "$F" >"$TMP/out" 2>"$TMP/err"
unlike "settings of report are no business of script" "$(cat "$TMP/err")" 'perfconfig'

printf '[buildid]\n\tdir = %s\n[color]\n\tui = never\n' "$TMP/ids" | config
"$PERF" buildid-cache --list >/dev/null 2>&1
"$PERF" report -q -i "$F" >"$TMP/out" 2>"$TMP/err"
unlike "buildid.dir, color.ui" "$(cat "$TMP/err")" 'perfconfig'

printf '[colors]\n\ttop = red, color17\n\tselected = black, "#ffff00"\n[tui]\n\tannotate = false\n' | config
for command in annotate script; do
	"$PERF" $command -i "$F" >"$TMP/out" 2>"$TMP/err"
	unlike "colors of browsers: $command" "$(cat "$TMP/err")" 'perfconfig|tui-color'
done
printf '[colors]\n\ttop = reddish, default\n' | config
check_status "a colour that is none" 129 "$PERF" annotate -i "$F"
like "a colour that is none: what there is" "$(cat "$TMP/check.out")" 'colors\.top = reddish, default: no such color'

printf '[top]\n\tchildren = true\n[report]\n\tsort_order = dso\n\tnosuch = 1\n[a "b c"]\n\tkey\n' | config
report -q >"$TMP/got"
like "what is not used is named, with its file" "$(cat "$TMP/err")" \
	"$HOME/\.perfconfig: nothing here is set by top\.children, report\.nosuch, a\.b\.c\.key"
is "once" "$(wc -l <"$TMP/err")" 1
is "not where nothing is read" "$("$PERF" version 2>&1 | grep -c perfconfig)" 0

printf '[report]\n\tsort_order = nosuch\n' | config
check_status "a setting that is refused" 129 "$PERF" report -i "$F"
like "says where it came from" "$(cat "$TMP/check.out")" 'Settings .*perfconfig.* stood for: --sort=nosuch'
for bad in '[report' 'sort = x' '[report]\n\t= 3' '[report]\n sort_order = "comm' '[report]\n sort order = 3' '\0\1'; do
	# shellcheck disable=SC2059
	printf "$bad" | config
	check_status "no settings: $(echo "$bad" | tr '\\' /)" 1 "$PERF" report -i "$F"
	like "no settings: file and line" "$(cat "$TMP/check.out")" "perfconfig:[12]: neither"
done
perl -e 'print "[report]\n\tsort_order = ", "x" x 5000, "\n"' | config
check_status "a value without end" 1 "$PERF" report -i "$F"

printf '[report]\n\tsort_order = comm\n' >"$TMP/other"
printf '[report]\n\tsort_order = dso\n' | config
PERF_CONFIG=$TMP/other report -q >"$TMP/got"
PERF_CONFIG=/dev/null report -q -s comm >"$TMP/want"
same_file "PERF_CONFIG names the only file" "$TMP/got" "$TMP/want"
PERF_CONFIG_NOGLOBAL=1 report -q >"$TMP/got"
same_file "PERF_CONFIG_NOGLOBAL" "$TMP/got" "$TMP/plain"
rm "$HOME/.perfconfig"
mkfifo "$HOME/.perfconfig"
check "a FIFO: nobody waits" timeout 60 "$PERF" report -i "$F"
rm "$HOME/.perfconfig"
if [ "$(id -u)" -eq 0 ]; then
	printf '[report]\n\tsort_order = dso\n' | config
	chown nobody "$HOME/.perfconfig"
	report -q >"$TMP/got"
	same_file "of a stranger: not used" "$TMP/got" "$TMP/plain"
	like "which is said" "$(cat "$TMP/err")" 'not owned by current user or root, ignoring it'
	rm "$HOME/.perfconfig"
else
	skip "a file of a stranger" "needs root"
fi

if "$O/tests/standin/try-open" type=1 size=64 2>&1 | grep -q '^ok'; then
	printf '[call-graph]\n\trecord-mode = dwarf\n\tdump-size = 4096\n' | config
	"$PERF" record -q -g -e cpu-clock -o "$G" -- "$PERF" test -w noploop 0.1 2>"$TMP/err"
	like "call-graph.record-mode is what -g means" "$("$PERF" evlist -v -i "$G")" 'sample_stack_user: 4096'
	"$PERF" record -q -e cpu-clock -o "$TMP/plain.data" -- true
	unlike "without -g it asks for none" "$("$PERF" evlist -v -i "$TMP/plain.data")" 'CALLCHAIN'
	"$PERF" record -q --call-graph fp -e cpu-clock -o "$TMP/fp.data" -- true
	unlike "--call-graph wins" "$("$PERF" evlist -v -i "$TMP/fp.data")" 'sample_stack_user'
	printf '[call-graph]\n\tprint-type = flat\n\torder = caller\n\tprint-limit = 2\n[record]\n\tbuild-id = skip\n' | config
	F=$G
	same "how call graphs are shown" -g flat,0.5,2,caller
	F=$TMP/plain.data
	same "a recording without them" -q
	"$PERF" record -q -e cpu-clock -o "$TMP/skip.data" -- true
	is "record.build-id" "$("$PERF" buildid-list -i "$TMP/skip.data" | grep -c "$PERF_FILE")" 0
else
	skip "call graphs" "perf_event_open does not work here"
fi
done_testing
