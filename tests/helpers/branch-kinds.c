// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches whose outcomes are known: each function has one conditional branch (or an indirect one)
 * that no compiler may turn into something else, and is called ROUNDS times.
 *
 *	alternates	taken every other time
 *	biased		not taken once in 64 times
 *	coin		by a generator of numbers: no pattern
 *	follows		what coin did: the same test, right behind it
 *	loop7		its body runs 7 times for each call: taken 6 times in a row, then not
 *	picks		an indirect jump: 6 of 8 times to one place, once each to two others
 *	skips		a coin that skips one instruction without a store, one that has one
 */
#include <stdint.h>
#include <stdlib.h>

#define ROUNDS 4000

static volatile unsigned sink;

#define TAKEN_IF(x, label) __asm__ goto("test %0, %0\n\tjnz %l1" : : "r"(x) : "cc" : label)

__attribute__((noinline, noclone)) static void alternates(unsigned i)
{
	TAKEN_IF(i & 1, out);
	sink = i;
out:
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) static void biased(unsigned i)
{
	TAKEN_IF(i & 63, out);
	sink = i;
out:
	__asm__ volatile("");
}

/* Two branches in a row, of which the second does what the first did. */
__attribute__((noinline, noclone)) static void coin(unsigned bit)
{
	__asm__ volatile("test %0, %0\n\tjnz 1f\n\tnop\n1:\ttest %0, %0\n\t"
			 "jnz 2f\n\tnop\n2:"
			 :
			 : "r"(bit)
			 : "cc");
}

__attribute__((noinline, noclone)) static void loop7(void)
{
	__asm__ volatile("mov $7, %%ecx\n1:\tnop\n\tdec %%ecx\n\tjnz 1b" : : : "ecx", "cc");
}

__attribute__((noinline, noclone)) static void picks(unsigned i)
{
	__asm__ volatile("lea 1f(%%rip), %%rax\n\tlea 2f(%%rip), %%rdx\n\tlea 3f(%%rip), %%rcx\n\t"
			 "cmp $6, %0\n\tcmove %%rdx, %%rax\n\tcmp $7, %0\n\tcmove %%rcx, %%rax\n\t"
			 "jmp *%%rax\n1:\tnop\n2:\tnop\n3:"
			 :
			 : "r"(i & 7)
			 : "rax", "rcx", "rdx", "cc");
}

__attribute__((noinline, noclone)) static unsigned skips(unsigned bit)
{
	unsigned n = 0;

	__asm__ volatile(
		"test %1, %1\n\tjnz 1f\n\tmov $1, %0\n1:\ttest %1, %1\n\tjnz 2f\n\tmov %0, %2\n2:"
		: "+&r"(n)
		: "r"(bit), "m"(sink)
		: "cc");
	return n;
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : ROUNDS;
	uint32_t x = 12345;

	for (unsigned i = 0; i < rounds; i++) {
		x = x * 1664525 + 1013904223;
		alternates(i);
		biased(i);
		coin(x >> 31);
		loop7();
		picks(i);
		skips(x >> 30 & 1);
	}
	return 0;
}
