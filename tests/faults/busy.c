// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tests/faults/run records: 5 ms of CPU in two functions, or as many seconds as its argument says. It is linked
 * without libraries and starts at _start(), where the machine is known: each function of libc and of the linker in a
 * stack would be thousands of calls more, of the same few places, to fail one after the other.
 */
#include <time.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void leaf(void)
{
	for (int i = 0; i < 20000; i++)
		sum += (unsigned long)i;
}

static inline __attribute__((always_inline)) void inlined(void)
{
	leaf();
	sum++;
}

__attribute__((noinline)) static void middle(void)
{
	inlined();
	sum++;
}

static double seconds_of(const char *s)
{
	double n = 0, digit = 1;

	for (; *s >= '0' && *s <= '9'; s++)
		n = n * 10 + (*s - '0');
	for (s += *s == '.'; *s >= '0' && *s <= '9'; s++)
		n += (digit /= 10) * (*s - '0');
	return n;
}

#ifdef BUSY_ALONE
#include <sys/syscall.h>

#if defined(__x86_64__)
__asm__(".globl _start\n_start: xor %ebp, %ebp\nmov %rsp, %rdi\nand $-16, %rsp\ncall start\n");
static long call2(long nr, long a, long b)
{
	__asm__ volatile("syscall" : "+a"(nr) : "D"(a), "S"(b) : "rcx", "r11", "memory");
	return nr;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start: mov x29, #0\nmov x30, #0\nmov x0, sp\nb start\n");
static long call2(long nr, long a, long b)
{
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	return x0;
}
#else
__asm__(".globl _start\n_start: li s0, 0\nli ra, 0\nmv a0, sp\nj start\n");
static long call2(long nr, long a, long b)
{
	register long a7 __asm__("a7") = nr, a0 __asm__("a0") = a, a1 __asm__("a1") = b;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1) : "memory");
	return a0;
}
#endif

static int now(struct timespec *t)
{
	return (int)call2(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)t);
}

int main(int argc, char **argv);

/* @stack: argc, argv[] */
__attribute__((used, noreturn)) void start(long *stack)
{
	for (int code = main((int)stack[0], (char **)(stack + 1));;)
		call2(SYS_exit_group, code, 0);
}
#else
static int now(struct timespec *t)
{
	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, t);
}
#endif

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? seconds_of(argv[1]) : 0.005;
	struct timespec a, b;

	now(&a);
	do {
		middle();
		now(&b);
	} while ((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9 < seconds);
	return 0;
}
