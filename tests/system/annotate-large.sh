#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a listing costs grows with the function and no faster: instructions that the listing of one
# with 20,000 instructions takes, with jumps all over it, beside one of a tenth.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd gcc python3 valgrind
nm "$PERF" 2>/dev/null | grep -q __asan_init && skip_all "built with sanitizers"
grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h" || skip_all "built without a disassembler library"

# cost N: instructions that it takes to list a function of N, with its lines
cost() {
	python3 - "$1" >"$TMP/large.s" <<'PY'
import sys
n = int(sys.argv[1]) // 5
print('.text\n.globl large\n.type large,@function\nlarge:')
for i in range(n):
    print(f'.L{i}: add $1,%rax\nmov data(%rip),%rcx\ntest %rcx,%rcx\njne .L{i * 7919 % n}\ncall other')
print('ret\n.size large,.-large\n.type other,@function\nother: ret\n.size other,.-other')
print('.data\n.type data,@object\n.size data,8\ndata: .quad 0\n.section .note.GNU-stack,"",@progbits')
PY
	gcc -g -shared -nostdlib -o "$TMP/large.so" "$TMP/large.s" || return 1
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$O/tests/helpers/listing-dump" -lt \
		"$TMP/large.so" 2>&1 | sed -n 's/.*refs: *//p' | tr -d ,
}

small=$(cost 2000) large=$(cost 20000)
[ "${small:-0}" -gt 0 ] || skip_all "valgrind does not run listing-dump"
diag "$small instructions for a function of 2000, $large for one of 20000"
check "ten times the function costs no more than eleven times as much" test "$large" -le $((small * 11))
done_testing
