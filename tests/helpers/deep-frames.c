// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three functions below main whose frames take FRAME bytes each: what a copy of the stack, or code
 * without frame pointers, leaves of them.
 */
#include <string.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void leaf(const char *b, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum += (unsigned char)b[i % FRAME] * i;
}

__attribute__((noinline)) static void middle(unsigned long n)
{
	char b[FRAME];

	memset(b, 1, sizeof(b));
	leaf(b, n);
	sum += (unsigned char)b[7];
}

__attribute__((noinline)) static void outer(unsigned long n)
{
	char b[FRAME];

	memset(b, 2, sizeof(b));
	middle(n);
	sum += (unsigned char)b[9];
}

int main(void)
{
	/*
	 * Where the program keeps no frame pointers the register is as good as any. A C library that
	 * keeps them leaves one of its own in it, by which a chain goes on behind main; so it is used.
	 */
#if defined(__x86_64__) && defined(NO_FRAME_POINTER)
	__asm__ volatile("xorl %%ebp, %%ebp" ::: "rbp");
#endif
	for (int i = 0; i < 100; i++)
		outer(1000000);
	return 0;
}
