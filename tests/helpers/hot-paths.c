// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the tests of branch profiles run: static and global functions, calls, returns, loops,
 * branches both ways, an indirect call, a jump table, recursion. Few instructions: it is traced
 * step by step.
 */
#include <stdio.h>

typedef unsigned (*op_fn)(unsigned);

static __attribute__((noinline)) unsigned twice(unsigned x)
{
	return x * 2;
}

static __attribute__((noinline)) unsigned plus_three(unsigned x)
{
	return x + 3;
}

__attribute__((noinline)) unsigned kind_of(unsigned x)
{
	switch (x % 7) {
	case 0: return x + 1;
	case 1: return x ^ 5;
	case 2: return x * 3;
	case 3: return x - 2;
	case 4: return x / 2;
	case 5: return ~x;
	default: return 7;
	}
}

__attribute__((noinline)) unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static __attribute__((noinline)) unsigned collatz(unsigned n)
{
	unsigned steps = 0;

	while (n > 1 && steps < 200) {
		if (n % 2)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}

int main(void)
{
	static const op_fn ops[] = { twice, plus_three, kind_of };
	unsigned sum = 0;

	for (unsigned i = 1; i < 90; i++) {
		sum += collatz(i);
		sum = ops[i % 3](sum);
		sum += kind_of(i);
	}
	sum += fib(9);
	printf("%u\n", sum);
	return 0;
}
