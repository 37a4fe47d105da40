#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf script on recordings of this machine: beside an installed perf, in the forms that other
# tools call it with, and its refusals.
. "$(dirname "$0")/../lib.sh"
need_root
need_events
need_peer

# Upstream takes every path that begins with /tmp/perf- for a JIT map.
W=$(mktemp -d "${TMPDIR:-/tmp}/script-test.XXXXXX") || exit 1
trap 'rm -rf "$TMP" "$W"' EXIT
cat >"$TMP/w.c" <<'END'
#include <stdlib.h>
static volatile unsigned sink;
static int up(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 20000; i++) sink += (unsigned)i; }
__attribute__((noinline)) void down(int n) { if (n) down(n - 1); else leaf(); sink++; }
int main(void)
{
	static int v[4000];
	for (int r = 0; r < 400; r++) {
		down(r % 12);
		for (int i = 0; i < 4000; i++)
			v[i] = rand();
		qsort(v, 4000, sizeof(int), up);
	}
	return 0;
}
END
${CC:-cc} -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$W/w" "$TMP/w.c" ||
	skip_all "no C compiler"
rec() {
	out=$1
	shift
	peer_record -q -e cpu-clock -F 4000 "$@" -o "$TMP/$out" "$W/w" >/dev/null 2>&1
}
rec flat.data --sample-cpu && rec fp.data -g && rec dwarf.data --call-graph dwarf ||
	skip_all "the installed perf cannot record here"

# What must agree whatever the version: no columns, no frame addresses (upstream went from file
# offsets to absolute ones), no event suffix.
normal() {
	sed -E 's/^(.*[^ ]) +([0-9]+) +(\[[0-9]+\])? *([0-9]+\.[0-9]+:)/\1 \2 \3 \4/; s/^	 *[0-9a-f]+ /	/;
		s/(cpu-clock:[a-zA-Z]*):? +[0-9a-f]+ /\1 /; s/ +/ /g; s/^ //; s/(_init|[^[:space:]]*@plt)\+0x[0-9a-f]+/[unknown]/'
}
for f in flat fp dwarf; do
	"$PEER" script --no-inline -i "$TMP/$f.data" 2>/dev/null | normal >"$TMP/want"
	"$PERF" script --no-inline -i "$TMP/$f.data" 2>/dev/null | normal >"$TMP/got"
	lines=$(wc -l <"$TMP/want")
	diff "$TMP/want" "$TMP/got" | grep -c '^[<>]' >"$TMP/n"
	n=$(cat "$TMP/n")
	# A symbol or two with several names at one address, on both sides.
	if [ "$lines" -gt 100 ] && [ $((n * 200)) -le $((lines + 800)) ]; then
		pass "$f: $lines lines as the installed perf prints them ($n differ)"
	else
		fail "$f: lines that differ: $n of $lines" "$(diff "$TMP/want" "$TMP/got" | head -20)"
	fi
done

deepest() {
	awk '/ down$/ { n++ } /^$/ { if (n > max) max = n; n = 0 } END { print max }'
}
is "dwarf: the deepest recursion" "$("$PERF" script -i "$TMP/dwarf.data" -F ip,sym | deepest)" \
	"$("$PEER" script -i "$TMP/dwarf.data" -F ip,sym 2>/dev/null | deepest)"

# Built anew since; the cache of build ids has the program as it was.
id=$("$PERF" buildid-list -i "$TMP/dwarf.data" | awk -v w="$W/w" '$2 == w { print $1 }')
if [ -n "$id" ]; then
	cached=$TMP/kept/.debug/.build-id/$(echo "$id" | cut -c1-2)/$(echo "$id" | cut -c3-)
	mkdir -p "$cached" && mv "$W/w" "$cached/elf"
	HOME=$TMP/nobody "$PERF" script -i "$TMP/dwarf.data" -F ip,sym >"$TMP/none" 2>&1
	echo 'int main(void) { return 0; }' | ${CC:-cc} -Wl,--build-id -x c -o "$W/w" -
	HOME=$TMP/nobody "$PERF" script -i "$TMP/dwarf.data" -F ip,sym >"$TMP/anew" 2>&1
	HOME=$TMP/kept "$PERF" script -i "$TMP/dwarf.data" -F ip,sym >"$TMP/got"
	mv "$cached/elf" "$W/w"
	HOME=$TMP/nobody "$PERF" script -i "$TMP/dwarf.data" -F ip,sym >"$TMP/want"
	same_file "dwarf: another program by now, the cached one unwinds" "$TMP/got" "$TMP/want"
	is "dwarf: no program, no functions" "$(grep -c ' down$' "$TMP/none")" 0
	is "dwarf: not those of another one" "$(grep -c ' down$' "$TMP/anew")" 0
else
	skip "dwarf: the cached program unwinds" "the compiler gives programs no build id"
fi

# Folding as FlameGraph does it: comm, then frames outermost first.
fold() {
	awk '/^[^\t ]/ { comm = $1; stack = ""; next }
	     /^$/ { if (stack != "") n[comm stack]++; next }
	     /@plt|_init|unknown/ { next }
	     { sub(/\+0x[0-9a-f]+/, "", $2); stack = ";" $2 stack }
	     END { for (s in n) print s, n[s] }' | sort
}
"$PEER" script --no-inline -i "$TMP/fp.data" 2>/dev/null | fold >"$TMP/want"
"$PERF" script --no-inline -i "$TMP/fp.data" | fold >"$TMP/got"
same_file "folded stacks are the installed perf's" "$TMP/got" "$TMP/want"

# The calls of perf2bolt, llvm-profgen, flamegraph-rs and hotspot.
cd "$TMP" || exit 1
cp flat.data perf.data
accepts() {
	check "accepts: $*" "$PERF" script "$@"
}
accepts -F pid,event,ip -f -i perf.data
accepts --show-mmap-events --no-itrace -f -i perf.data
accepts --show-task-events --no-itrace -f -i perf.data
accepts --show-mmap-events -F comm,pid -i perf.data
accepts --show-mmap-events -F ip,brstack -i perf.data --pid 1,2
accepts --force --no-inline -i perf.data
accepts --itrace=bl -i perf.data
accepts -F +pid
accepts -F time,ip,sym,comm,pid,tid --reltime --ns
accepts -F comm,pid,tid,cpu,time,event,ip,sym,dso,trace
accepts --max-stack 3 -i fp.data

mmaps=$("$PERF" script --show-mmap-events -f -i perf.data)
like "MMAP2 lines as perf2bolt and llvm-profgen read them" "$mmaps" \
	'^ +w +[0-9]+ (\[[0-9]+\])? +[0-9]+\.[0-9]{6}: PERF_RECORD_MMAP2 [0-9]+/[0-9]+: \[0x[0-9a-f]+\(0x[0-9a-f]+\) @ (0|0x[0-9a-f]+) [^]]*\]: r-xp /.*/w$'
tasks=$("$PERF" script --show-task-events -f -i perf.data)
like "COMM exec lines" "$tasks" '[0-9]: PERF_RECORD_COMM exec: w:[0-9]+/[0-9]+$'
pid=$(printf '%s\n' "$tasks" | sed -n 's|.*COMM exec: w:\([0-9]*\)/.*|\1|p')
basic=$("$PERF" script -F pid,event,ip -f -i perf.data)
is "basic events: no line but PID EVENT: IP" \
	"$(printf '%s\n' "$basic" | grep -Ecv '^ *[0-9]+ +cpu-clock[:a-zA-Z]*: +[0-9a-f]+$')" 0
like "basic events are the workload's" "$basic" "^ *$pid +cpu-clock[:a-zA-Z]* +[0-9a-f]+\$"
is "--pid of nobody" "$("$PERF" script -F ip --pid 1 -i perf.data | wc -l)" 0
all=$("$PERF" script -F ip -i perf.data | wc -l)
is "--time 0%-100% is all" "$("$PERF" script -F ip --time 0%-100% -i perf.data | wc -l)" "$all"
is "-S leaf is all of leaf" "$("$PERF" script -F ip,sym -S leaf -i perf.data | wc -l)" \
	"$("$PERF" script -F ip,sym -i perf.data | grep -c ' leaf$')"
is "--comms of nobody" "$("$PERF" script -F ip --comms nobody -i perf.data | wc -l)" 0
is "--reltime begins at zero" \
	"$("$PERF" script -F time --reltime -i perf.data | head -1 | tr -d ' ')" "0.000000:"

refuses() {
	name=$1 text=$2 status=$3
	shift 3
	"$PERF" script "$@" >"$TMP/out" 2>"$TMP/err"
	got=$?
	is "$name: status" "$got" "$status"
	like "$name: text" "$(cat "$TMP/err")" "$text"
}
refuses "registers that are not there" "^Samples for 'cpu-clock[:a-zA-Z]*' event do not have IREGS attribute set\. Cannot print 'iregs' field\." 255 -F ip,iregs -i perf.data
refuses "an unknown field" "^Invalid field requested\." 129 -F nonsense -i perf.data
refuses "two ways at once" "^Cannot mix \+-field with overridden fields" 129 -F ip,+sym -i perf.data
refuses "a class that is not there" "^tracepoint events do not exist\. Remove corresponding -F option to proceed\." 255 -F trace: -i perf.data
refuses "offsets without symbols" "^Display of offsets requested but symbol is not" 255 -F ip,symoff -i perf.data
refuses "no file" "nothere" 255 -i "$TMP/nothere"
done_testing
