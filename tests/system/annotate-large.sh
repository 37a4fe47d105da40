#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a listing costs grows with the function and no faster: instructions that the listing of one
# with 20,000 instructions takes, beside one of a tenth.
. "$(dirname "$0")/../lib.sh"
need_x86
need_cmd gcc python3 valgrind
nm "$PERF" 2>/dev/null | grep -q __asan_init && skip_all "built with sanitizers"
grep -Eq 'HAVE_(LIBCAPSTONE|ZYDIS) 1' "$O/config.h" || skip_all "built without a disassembler library"

# object N SHAPE: large.so with a function of N instructions
object() {
	python3 - "$@" >"$TMP/large.s" <<'PY'
import sys
n, shape = int(sys.argv[1]), sys.argv[2]
print('.text\n.globl large\n.type large,@function\nlarge:')
if shape == 'jumps':
    n //= 5
    for i in range(n):
        print(f'.L{i}: add $1,%rax\nmov data(%rip),%rcx\ntest %rcx,%rcx\njne .L{i * 7919 % n}\ncall other')
else:
    n //= 2
    print(*(f'.L{i}: nop' for i in range(n)), *(f'jmp .L{i}' for i in reversed(range(n))), sep='\n')
print('ret\n.size large,.-large\n.type other,@function\nother: ret\n.size other,.-other')
print('.data\n.type data,@object\n.size data,8\ndata: .quad 0\n.section .note.GNU-stack,"",@progbits')
PY
	gcc -g -shared -nostdlib -o "$TMP/large.so" "$TMP/large.s"
}

# cost ARG...: instructions that it takes to list that, with its lines
cost() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$O/tests/helpers/listing-dump" -lt "$@" \
		"$TMP/large.so" 2>&1 | sed -n 's/.*refs: *//p' | tr -d ,
}

grows() {
	[ "${1:-0}" -gt 0 ] || skip_all "valgrind does not run listing-dump"
	diag "$1 instructions for a function of 2000, $2 for one of 20000"
	check "$3: ten times the function costs no more than eleven times as much" test "$2" -le $(($1 * 11))
}

small=$(object 2000 jumps && cost) large=$(object 20000 jumps && cost)
grows "$small" "$large" "jumps all over it"

# With a branch at its start, so that it is told how often each of the loops ran.
passed() {
	object "$1" loops && cost -b "$(nm "$TMP/large.so" | awk '$3 == "large" { print "0x" $1 }')"
}
small=$(passed 2000) large=$(passed 20000)
grows "$small" "$large" "loops in each other, and branch stacks"
done_testing
