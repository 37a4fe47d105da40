# SPDX-License-Identifier: GPL-2.0-or-later
# Seed of the fuzz target: gcc -nostdlib -static -Wl,-N,--build-id tiny.s -o tiny
	.globl _start, twice
	.type _start, @function
_start:
	mov $3, %edi
1:	call twice
	dec %edi
	jne 1b
	mov $60, %eax
	syscall
	.size _start, . - _start
	.type twice, @function
twice:
	test $1, %dil
	je 2f
	jmp 3f
2:	add %esi, %esi
3:	ret
	.size twice, . - twice
	.type local, @function
local:
	jmp *%rax
	.size local, . - local
