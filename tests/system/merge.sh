#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# perf data merge of real recordings: profiles of what was merged are the sums of the profiles, by our
# converters and by other people's; an installed perf reads it.
. "$(dirname "$0")/../lib.sh"
need_x86
tool() {
	for t; do
		command -v "$t" && return
	done
}
PERF2BOLT=$(tool perf2bolt /usr/lib/llvm-19/bin/perf2bolt /usr/lib/llvm-16/bin/perf2bolt)
LLVM_PROF=$(tool create_llvm_prof)
TRACE=$O/tests/helpers/branch-trace
BIN=$O/tests/helpers/hot-paths
[ -x "$TRACE" ] && [ -x "$BIN" ] || skip_all "the helper programs are not built (make tests)"
cd "$TMP" || exit 1
for n in 37 41; do
	"$TRACE" -n $n -o t.$n "$BIN" >trace.out 2>&1 || # no ptrace, or no decoder built in
		skip_all "programs cannot be traced here: $(tail -1 trace.out)"
done
mv t.37 a
mv t.41 b
"$PERF" data merge ab a b 2>err || { fail "merge" "$(cat err)"; done_testing; }

count() {
	"$PERF" script -F ip,brstack -i "$1" 2>/dev/null | grep -c .
}
check "there are samples" test "$(count a)" -gt 100 -a "$(count b)" -gt 100
is "samples of both" "$(count ab)" $(($(count a) + $(count b)))
is "build ids are kept" "$("$PERF" buildid-list -i ab | sort)" "$({ "$PERF" buildid-list -i a; "$PERF" buildid-list -i b; } | sort -u)"

# "B FROM TO COUNT MISPREDICTED", "F BEGIN END COUNT": sums of the last columns by the others
sum() {
	awk '{ k = $1 " " $2 " " $3; c[k] += $4; m[k] += $5 } END { for (k in c) print k, c[k], m[k] + 0 }' | sort
}
for f in a b ab; do
	"$PERF" data convert --to preagg --binary "$BIN" -i $f -o $f.pre 2>/dev/null
	"$PERF" data convert --to autofdo --binary "$BIN" -i $f -o $f.afdo 2>/dev/null
done
cat a.pre b.pre | sum >want
sum <ab.pre >got
same_file "preagg: the sum" got want
check "... of something" test -s want

if [ -n "$PERF2BOLT" ]; then
	for f in a b ab; do
		PATH=$(dirname "$PERF_FILE"):$PATH "$PERF2BOLT" -p $f -o $f.fdata "$BIN" >log 2>&1 || break
	done
	if [ -s ab.fdata ]; then
		# type symbol offset type symbol offset mispredicted count
		fdata() {
			awk 'NF == 8 { k = $1 " " $2 " " $3 " " $4 " " $5 " " $6; m[k] += $7; c[k] += $8 } END { for (k in c) print k, m[k], c[k] }' | sort
		}
		cat a.fdata b.fdata | fdata >want
		fdata <ab.fdata >got
		same_file "perf2bolt: the sum" got want
		"$PERF" data convert --to fdata --binary "$BIN" -i ab -o ours 2>/dev/null
		fdata <ours >got
		same_file "... and that is our fdata" got want
	else
		fail "perf2bolt reads what was merged" "$(tail -5 log)"
	fi
else
	skip "perf2bolt" "perf2bolt is not installed (Debian: bolt-19)"
fi
if [ -n "$LLVM_PROF" ]; then
	"$LLVM_PROF" --binary="$BIN" --profiler=text --profile=ab.afdo --out=ab.prof --format=text >log 2>&1
	"$LLVM_PROF" --binary="$BIN" --profile=ab --out=ab.direct --format=text >>log 2>&1
	if [ -s ab.prof ] && [ -s ab.direct ]; then
		same_file "create_llvm_prof makes the same of the merged recording and of our text" ab.direct ab.prof
	else
		fail "create_llvm_prof reads what was merged" "$(tail -5 log)"
	fi
else
	skip "create_llvm_prof" "create_llvm_prof is not installed (Debian: autofdo)"
fi
if [ -n "$PEER" ]; then
	is "an installed perf has the same samples" "$("$PEER" script -F ip -i ab 2>/dev/null | sort | cksum)" \
		"$({ "$PEER" script -F ip -i a; "$PEER" script -F ip -i b; } 2>/dev/null | sort | cksum)"
else
	skip "an installed perf has the same samples" "$NO_PEER"
fi
done_testing
