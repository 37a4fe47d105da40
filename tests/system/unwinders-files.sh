#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Both unwinders over copies of stacks that others recorded, whose objects are not here, and over a 32-bit program's, which
# libunwind does not do: the same stacks, or a refusal that says why.
. "$(dirname "$0")/../lib.sh"
"$PERF" check feature -q libunwind || skip_all "built without libunwind"
cd "$TMP" || exit 1

# by_both FILE: perf.out and libunwind.out, and the statuses.
by_both() {
	for u in perf libunwind; do
		timeout 60 "$PERF" script --no-inline -F ip,sym --symfs /nonexistent --unwinder $u -i "$1" >$u.out 2>$u.err
		echo $?
	done | tr '\n' ' '
}

# ---- recordings of others
ours=0 foreign=0 bad=
if fx=$(fixtures); then
	for f in $(find "$fx/real" -type f -size -6000k | sort); do
		"$PERF" evlist -v -i "$f" 2>/dev/null | grep -q STACK_USER || continue
		status=$(by_both "$f")
		case $status in
		"0 0 ")
			ours=$((ours + 1))
			perl "$ROOT/tests/helpers/same-stacks.pl" perf.out libunwind.out >said 2>&1 && ! grep -q apart said ||
				bad="$bad ${f#"$fx"/real/}: $(tr '\n' ' ' <said)"
			for u in perf libunwind; do
				"$PERF" report --stdio -q --no-inline --symfs /nonexistent -g caller --unwinder $u -i "$f" >$u.rep 2>/dev/null
			done
			cmp -s perf.rep libunwind.rep || bad="$bad ${f#"$fx"/real/}: report" ;;
		"0 255 ")
			foreign=$((foreign + 1))
			grep -q 'x86-64 here, and' libunwind.err && [ ! -s libunwind.out ] || bad="$bad ${f#"$fx"/real/}: $(head -1 libunwind.err)" ;;
		*)
			bad="$bad ${f#"$fx"/real/}: status $status" ;;
		esac
	done
	is "recordings of others: equal, or refused" "$bad" ""
	check "... $ours equal, $foreign of other machines" test $ours -ge 9 -a $foreign -ge 10
else
	skip "recordings of others" "no ../shared/fixtures in a stranger's clone"
fi

# ---- a 32-bit program, with no library: compilers for these are seldom whole
cat >narrow.c <<'E'
static volatile unsigned n;
__attribute__((noinline)) void inner(unsigned k) { for (unsigned i = 0; i < k; i++) n += i ^ k; }
__attribute__((noinline)) void middle(unsigned k) { volatile char room[200]; room[k % 200] = 1; inner(k + room[3]); n++; }
__attribute__((noinline)) void outer(void) { for (unsigned i = 0; i < 300; i++) { middle(1000000 + i); n++; } }
void _start(void) { outer(); __asm__ volatile("mov $1, %eax; xor %ebx, %ebx; int $0x80"); }
E
if ! gcc -m32 -O1 -g -nostdlib -static -fno-pie -no-pie -fno-stack-protector -fomit-frame-pointer -fasynchronous-unwind-tables -o narrow narrow.c 2>cc.err; then
	skip "32-bit programs" "no gcc -m32: $(head -1 cc.err)"
elif ! ./narrow 2>/dev/null; then
	skip "32-bit programs" "this kernel runs none"
elif ! "$PERF" record -q -F 500 -e cpu-clock:u --call-graph dwarf,4096 -o n.data ./narrow 2>rec.err; then
	skip "32-bit programs" "cannot record here: $(head -1 rec.err)"
else
	for u in perf libunwind; do
		"$PERF" script --no-inline -F ip,sym --unwinder $u -i n.data >$u.out 2>$u.err
		is "a 32-bit program: status with $u" $? 0
	done
	same_file "... the same stacks" perf.out libunwind.out
	like "... of all frames" "$(awk '{ print $2 }' perf.out | tr '\n' ' ')" 'inner middle outer _start'
	unlike "... perf alone says nothing" "$(cat perf.err)" '32-bit'
	like "... libunwind: who did it" "$(cat libunwind.err)" '^([1-9][0-9]*) of \1 stacks are of 32-bit programs, which libunwind does not.*perf did it itself'
fi
done_testing
