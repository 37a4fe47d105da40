#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The tools that run perf themselves, unmodified, with our perf first in PATH: their profiles are
# byte for byte those that they make with the installed perf.
. "$(dirname "$0")/../lib.sh"
need_peer
GEN=$O/tests/bench/gen
[ -x "$GEN" ] || skip_all "the generator of branch stacks is not built (make tests)"
tool() { # the newest NAME of Debian's llvm packages
	# llvm-profgen 14 takes the "//-" of a branch without cycles and type for its end.
	for _t in $(ls -d /usr/lib/llvm-*/bin/"$1" 2>/dev/null | grep -v 'llvm-14/.*profgen' | sort -rV) \
		"$(command -v "$1")"; do
		[ -x "$_t" ] && echo "$_t" && return
	done
}
W=$(mktemp -d "${TMPDIR:-/tmp}/script-test.XXXXXX") || exit 1
trap 'rm -rf "$TMP" "$W"' EXIT
mkdir "$W/ours" "$W/peer"
ln -s "$PERF" "$W/ours/perf"
ln -s "$PEER" "$W/peer/perf"
# Optimizers refuse programs with sanitizers: then it is one of our own.
if nm "$PERF_FILE" 2>/dev/null | grep -q __asan_init; then
	cat >"$W/object.c" <<'C'
static int noploop(volatile unsigned long *n)
{
	while (--*n)
		if (*n % 3 == 0)
			--*n;
	return 0;
}
int main(void)
{
	volatile unsigned long n = 600000000;

	return noploop(&n);
}
C
	awk 'BEGIN { for (i = 2; i < 300; i++)
		printf "int f%d(int a) { return a %% %d ? a * 3 : a + %d; }\n", i, i, i }' >>"$W/object.c"
	need_cmd cc
	cc -O1 -g -o "$W/object" "$W/object.c" || skip_all "the compiler fails"
else
	cp "$PERF_FILE" "$W/object"
fi
"$GEN" branches "$W/branches.data" 2000 32 "$W/object" || skip_all "the generator fails"

# both NAME TOOL ARGS...: runs the tool with each perf; the output is $W/<who>.out
both() {
	name=$1 bin=$(tool "$2")
	shift 2
	[ -n "$bin" ] || { skip "$name" "not installed"; return; }
	for who in ours peer; do
		PATH="$W/$who:$PATH" timeout 600 "$bin" "$@" "$W/$who.out" >"$TMP/$who.log" 2>&1 ||
			{ fail "$name: with $who" "$(tail -5 "$TMP/$who.log")"; return; }
	done
	if [ -s "$W/ours.out" ] && cmp -s "$W/ours.out" "$W/peer.out"; then
		pass "$name: $(wc -l <"$W/ours.out") lines, equal"
	else
		fail "$name: profiles differ" "$(diff "$W/peer.out" "$W/ours.out" | head -10)"
	fi
}
both "llvm-profgen on branch stacks" llvm-profgen --perfdata "$W/branches.data" \
	--binary "$W/object" --output
both "perf2bolt on branch stacks" perf2bolt -p "$W/branches.data" "$W/object" -o

peer_record -q -e cpu-clock:u -F 4000 -o "$W/plain.data" "$W/object" test -w noploop 1 \
	>/dev/null 2>&1
if [ -s "$W/plain.data" ]; then
	both "perf2bolt without branches" perf2bolt -nl -p "$W/plain.data" "$W/object" -o
else
	skip "perf2bolt without branches" "the installed perf cannot record here"
fi
done_testing
