// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Programs whose call stacks are known, for half a second of CPU time: `stacks KIND [N]`. Built without
 * frame pointers; what has no unwind rules either is written in assembler.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

NOINLINE void spin(void)
{
	for (int i = 0; i < 20000; i++)
		sink += (unsigned long)i * (unsigned long)i;
}

static int over(void)
{
	return clock() > CLOCKS_PER_SEC / 2;
}

/* deep: N calls, one in the other, and all the time at the bottom */
NOINLINE int down(int n)
{
	if (n)
		return down(n - 1) + (int)sink;
	while (!over())
		spin();
	return 0;
}

/*
 * bare: no rules, no frame pointer; the register that holds one elsewhere is in use. Returns soon, so
 * that who runs ahead comes to the caller.
 */
void bare(void);
__asm__(".text\n"
	".globl bare\n"
	".type bare, @function\n"
	"bare:\n"
	"	push %rbp\n"
	"	sub $136, %rsp\n"
	"	mov $3, %ebp\n"
	"	mov $2000, %eax\n"
	"1:	imul %rax, %rbp\n"
	"	dec %eax\n"
	"	jnz 1b\n"
	"	add $136, %rsp\n"
	"	pop %rbp\n"
	"	ret\n"
	".size bare, .-bare\n");

NOINLINE void calls_bare(void)
{
	for (int i = 0; i < 1000; i++)
		bare();
	sink++;
}

/* signal: a handler interrupts a function, and spins */
NOINLINE void handler(int sig)
{
	(void)sig;
	while (!over())
		spin();
}

NOINLINE void interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}

/* vdso */
NOINLINE void asks(void)
{
	struct timespec ts;

	for (int i = 0; i < 1000; i++)
		clock_gettime(CLOCK_MONOTONIC, &ts);
	sink++;
}

/* jit: code in anonymous memory that keeps a frame pointer and calls back */
NOINLINE void called_back(void)
{
	spin();
	sink++;
}

NOINLINE void runs_jit(void (*code)(void (*)(void)))
{
	code(called_back);
	sink++;
}

static void jit(void)
{
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	memcpy(p, code, sizeof(code));
	if (mprotect(p, 4096, PROT_READ | PROT_EXEC))
		exit(1);
	while (!over())
		runs_jit((void (*)(void (*)(void)))p);
}

/*
 * What calls and returns do not tell alone. handled: a handler of a signal that no function of the C library sends.
 * tail: a function that is left by a jump, and is on no stack. jump: six calls, left at once. thread: not the first one.
 */
NOINLINE void handled(void)
{
	long ret = SYS_kill;

	__asm__ volatile("syscall"
			 : "+a"(ret)
			 : "D"(getpid()), "S"(SIGUSR1)
			 : "rcx", "r11", "memory");
	sink++;
}

NOINLINE void tail_to(void)
{
	while (!over())
		spin();
}

void tail_from(void);
__asm__(".text\n"
	".globl tail_from\n"
	".type tail_from, @function\n"
	"tail_from:\n"
	"	.cfi_startproc\n"
	"	jmp tail_to\n"
	"	.cfi_endproc\n"
	".size tail_from, .-tail_from\n");

static jmp_buf left;

NOINLINE int leaves(int n)
{
	if (n)
		return leaves(n - 1) + (int)sink;
	if (!over())
		longjmp(left, 1);
	return 0;
}

NOINLINE void jumps(void)
{
	if (!setjmp(left))
		leaves(5);
	while (!over())
		spin();
}

NOINLINE void *works(void *arg)
{
	while (!over())
		spin();
	return arg;
}

static void other_thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, works, NULL))
		exit(1);
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (!strcmp(kind, "deep"))
		down(argc > 2 ? atoi(argv[2]) : 10);
	else if (!strcmp(kind, "signal") && signal(SIGUSR1, handler) != SIG_ERR)
		interrupted();
	else if (!strcmp(kind, "handled") && signal(SIGUSR1, handler) != SIG_ERR)
		handled();
	else if (!strcmp(kind, "tail"))
		tail_from();
	else if (!strcmp(kind, "jump"))
		jumps();
	else if (!strcmp(kind, "thread"))
		other_thread();
	else if (!strcmp(kind, "jit"))
		jit();
	else if (!strcmp(kind, "bare"))
		while (!over())
			calls_bare();
	else if (!strcmp(kind, "vdso"))
		while (!over())
			asks();
	else
		return 2;
	printf("%s\n", kind);
	return 0;
}
