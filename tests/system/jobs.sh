# SPDX-License-Identifier: GPL-2.0-or-later
# -j: how many threads read, and what happens where they cannot, must not go on, or have nothing to write to.
. "$(dirname "$0")/../lib.sh"

# Many rounds and threads: 3 MB.
"$O/tests/bench/gen" flat "$TMP/flat.data" 60000 "$PERF"

jobs() { "$PERF" report -vv "$@" -i "$TMP/flat.data" 2>&1 >/dev/null | grep -c '^job '; }

is "-j5 are five" "$(jobs -j5)" 5
is "script: five" "$("$PERF" script -vv -j5 -i "$TMP/flat.data" 2>&1 >/dev/null | grep -c '^job ')" 5
# Threads that a command has started, itself among them.
threads() { strace -f -qq -e trace=clone,clone3 "$@" 2>&1 >/dev/null | grep -c 'CLONE_THREAD'; }
if command -v strace >/dev/null && [ "$(threads "$PERF" script -j5 -i "$TMP/flat.data")" -ge 4 ]; then
	for cmd in 'report -D' 'script -D' 'buildid-list -H' 'annotate --stdio'; do
		check "$cmd: has threads" test "$(threads "$PERF" $cmd -j5 -i "$TMP/flat.data")" -ge 4
	done
	check "data convert: has threads" test "$(threads "$PERF" data convert --to folded --jobs=5 \
		-o /dev/null -i "$TMP/flat.data")" -ge 4
	# Small recordings, which one thread each reads: also the first of those that are compared.
	"$O/tests/bench/gen" flat "$TMP/small.data" 200 "$PERF"
	set -- "$TMP/small.data" "$TMP/small.data" "$TMP/small.data" "$TMP/small.data"
	for cmd in diff report; do
		is "$cmd -j1 of small ones: one thread" "$(threads "$PERF" $cmd -j1 --symfs=/nonexistent "$@")" 0
		check "$cmd -j4: threads" test "$(threads "$PERF" $cmd -j4 --symfs=/nonexistent "$@")" -ge 3
	done
	check "diff -j2 of two: threads" test "$(threads "$PERF" diff -j2 --symfs=/nonexistent "$1" "$2")" -ge 2
else
	skip "threads of the other commands" "strace cannot follow programs here"
fi
is "one CPU is one thread" "$(taskset -c 0 "$PERF" report -vv -i "$TMP/flat.data" 2>&1 >/dev/null |
	grep -c '^job ')" 0
"$PERF" report -j1 -i "$TMP/flat.data" >"$TMP/one" 2>"$TMP/err"
(ulimit -n 24 && "$PERF" report -j64 -i "$TMP/flat.data") >"$TMP/few" 2>"$TMP/err"
is "no files for all of them: status" $? 0
same_file "no files for all of them: the report" "$TMP/few" "$TMP/one"
"$PERF" report -j none -i "$TMP/flat.data" >"$TMP/out" 2>"$TMP/err"
is "-j none: status" $? 129

# Branches that members resolve together: of processes that each of them meets in another order, and of some in its part alone.
"$O/tests/bench/gen" branches "$TMP/branches.data" 6000 32 "$PERF"
perl -e 'local $/; my $d = <STDIN>; my ($at, $size) = unpack "x40QQ", $d; my ($end, $n) = ($at + $size, 0);
	while ($at < $end) {
		my ($type, undef, $n_bytes) = unpack "LSS", substr $d, $at, 8;
		my @pids = $n < 2500 ? (1000, 1000, 7001, 7002, 7003) : (7003, 1000, 7004, 7002, 1000, 7001, 7005);
		substr($d, $at + 16, 8) = pack "LL", ($pids[$n++ * 7 % @pids]) x 2 if $type == 9;
		$at += $n_bytes;
	}
	print $d' <"$TMP/branches.data" >"$TMP/several.data"
for keys in symbol_from,symbol_to pid,comm,symbol_to,mispredict tid,srcline_from,addr_to pid,dso_size,dso_from; do
	"$PERF" report -b -s "$keys" -j1 -i "$TMP/several.data" >"$TMP/one" 2>&1
	for n in 2 3 8; do
		"$PERF" report -b -s "$keys" -j$n -i "$TMP/several.data" >"$TMP/many" 2>&1
		same_file "branches of several processes, -s $keys, $n jobs" "$TMP/many" "$TMP/one"
	done
done

# Large samples, of which threads read the stacks where the index mapped them.
"$PERF" record -q -F 499 -e cpu-clock:u --call-graph dwarf,24000 -o "$TMP/stacks.data" -- \
	timeout 1 bash -c 'f() { [ $1 -gt 0 ] && f $(($1 - 1)); :; }; while :; do f $((RANDOM % 60)); done' >"$TMP/out" 2>&1
if "$PERF" check feature -q dwarf && [ -s "$TMP/stacks.data" ]; then
	for unwinder in perf libunwind; do
		"$PERF" check feature -q $unwinder || [ $unwinder = perf ] || continue
		for how in "report --stdio -g caller" "script -F ip,sym,time"; do
			# shellcheck disable=SC2086
			stacks() { "$PERF" $how --no-inline --unwinder $unwinder -j"$1" -i "$TMP/stacks.data" 2>&1; }
			stacks 1 >"$TMP/one"
			check "$how, $unwinder: there are callers" test "$(wc -l <"$TMP/one")" -gt 200
			for n in 2 8; do
				stacks $n >"$TMP/many"
				same_file "$how, $unwinder: large samples, $n jobs" "$TMP/many" "$TMP/one"
			done
		done
	done
else
	skip "large samples" "no stacks were recorded, or built without libdw: $(head -1 "$TMP/out")"
fi

# Who reads the text goes away; the others must not wait for their turn.
timeout 60 sh -c '"$1" script -j8 -i "$2" | head -1 >"$3"' sh "$PERF" "$TMP/flat.data" "$TMP/line"
is "script into head ends" $? 0
is "and gives a line" "$(wc -l <"$TMP/line")" 1
timeout 60 "$PERF" script -j8 -i "$TMP/flat.data" >/dev/full 2>"$TMP/err"
is "script to a full disk: status" $? 1
check "and says so" grep -q 'cannot write the output: No space left' "$TMP/err"
timeout 60 "$PERF" report -D -j8 -i "$TMP/flat.data" >/dev/full 2>"$TMP/err"
check "report -D to a full disk: status" test $? != 0

# More edges than one thread makes lines of: cut between them, and in their order.
cp "$PERF" "$TMP/object"
"$O/tests/bench/gen" branches "$TMP/branches.data" 2000 32 "$TMP/object"
preagg() { "$PERF" data convert --to preagg --jobs="$1" -o "$2" -i "$TMP/branches.data" 2>"$TMP/err"; }
preagg 1 "$TMP/preagg"
check "preagg: edges for several" test "$(grep -c ^B "$TMP/preagg")" -gt 8192
for n in 2 3 8 64; do
	preagg "$n" "$TMP/several"
	same_file "preagg, $n jobs" "$TMP/several" "$TMP/preagg"
done
preagg 8 /dev/full
is "preagg to a full disk: status" $? 1
check "preagg: and says so" grep -q 'No space left' "$TMP/err"
done_testing
