#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Copies of stacks of which each word is known, with rules that compilers seldom write and of machines that are not here.
. "$(dirname "$0")/../lib.sh"
need_cmd python3
"$PERF" check feature -q libdw || skip_all "built without libdw"
cd "$TMP" || exit 1

# chain KIND [OPTIONS]: the addresses of the sample's frames, innermost first; status
chain() {
	_kind=$1
	shift
	made_file stack-copies "$_kind" . || return
	"$PERF" script --no-inline -F ip "$@" -i "$_kind.data" >out 2>err
	_status=$?
	echo "$(awk 'NF { printf "%s ", $1 }' out)$_status"
}

is "a word of 255 bytes ends the stack" "$(chain large-word)" "401010 0"
is "an expression with one value on its stack" "$(chain one-value)" "401010 40110f 40120f 0"
is "s390x: a leaf function, whose caller's stack pointer is its own" "$(chain s390x)" "401010 40110f 40120f 0"
is "AArch64: rules by the length of vectors" "$(chain vg)" "401010 40110f 40120f 0"
is "a 32-bit program does not go by rules of an object of 64 bits" "$(chain narrow)" "401010 0"

if "$PERF" check feature -q libunwind; then
	made_file stack-copies one-start .
	timeout 15 "$PERF" script --no-inline -F ip --unwinder libunwind -i one-start.data >out 2>err
	is "libunwind: 400,000 FDEs of one function take no longer than one" $? 0
	is "... the frames" "$(sort out | uniq -c | awk 'NF > 1 { print $2, $1 }' | tr '\n' ' ')" \
		"401010 20000 40110f 20000 40120f 20000 "
else
	skip "FDEs of one function" "built without libunwind"
fi

# ---- whose vdso it is
if [ "$(uname -m)" != x86_64 ]; then
	skip "rules of the vdso" "x86-64 only"
elif chain vdso-own >/dev/null && ! grep -q 40110f out; then
	skip "rules of the vdso" "this machine's has none that lead on"
else
	pass "the vdso of the kernel that runs: its rules"
	chain vdso-other >/dev/null
	is "another kernel's: not ours, and the frame in it stays" "$(grep -c 40110f out) $(grep -c 7fff out)" "0 512"
	chain vdso-own --symfs / >/dev/null
	is "--symfs: not ours, and the frame in it stays" "$(grep -c 40110f out) $(grep -c 7fff out)" "0 512"
	chain vdso-32 >/dev/null
	is "a 32-bit program's: not ours" "$(grep -c 40110f out) $(grep -c 7fff out)" "0 512"
fi
done_testing
