# SPDX-License-Identifier: GPL-2.0-or-later
# Code whose answers are known, for recordings that are kept; README.md says what they are. Built by
#	as -o truth.o truth.s && ld -z noexecstack -o truth truth.o
	.text
	.globl _start
	.type _start, @function
_start:
	mov $2000000, %edi
	call rounds
	ldmxcsr flushing(%rip)
	mov $60000000, %edi
	call flushed
	mov $60, %eax
	xor %edi, %edi
	syscall
	.size _start, . - _start

# Of eight lanes two are denormal, one is NaN, one infinite and one zero; DAZ and FTZ are set.
	.type flushed, @function
flushed:
	vmovaps floats(%rip), %ymm0
	vmovaps floats(%rip), %ymm1
1:	.rept 6
	vmulps %ymm1, %ymm0, %ymm2
	.endr
	dec %edi
	jnz 1b
	vzeroupper
	ret
	.size flushed, . - flushed

# A round: a loop of seven, a branch that is taken every other time, a call by register that three of four times goes to often.
	.type rounds, @function
rounds:
	push %rbx
	mov %edi, %ebx
1:	mov $7, %ecx
2:	nop
	dec %ecx
	jnz 2b
	test $1, %bl
	jz 3f
	nop
3:	lea often(%rip), %rax
	lea seldom(%rip), %rdx
	test $3, %bl
	cmovz %rdx, %rax
	call *%rax
	dec %ebx
	jnz 1b
	pop %rbx
	ret
	.size rounds, . - rounds

	.type often, @function
often:	ret
	.size often, . - often
	.type seldom, @function
seldom:	ret
	.size seldom, . - seldom

	.section .rodata
	.balign 32
floats:	.long 1, 1, 0x7fc00000, 0x7f800000, 0, 0x3fc00000, 0x3fc00000, 0x3fc00000
flushing: .long 0x9fc0
