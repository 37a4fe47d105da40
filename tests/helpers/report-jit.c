// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with code of its own making, as a JIT compiler would leave it: a loop in anonymous
 * memory, announced in /tmp/perf-PID.map. Runs for about half a second; x86-64 and arm64.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
/* mov %rdi,%rax; 1: dec %rax; jnz 1b; ret */
static const unsigned char code[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
/* 1: subs x0, x0, #1; b.ne 1b; ret */
static const unsigned char code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
				      0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#else
static const unsigned char code[1];
#endif

int main(void)
{
	char path[64];
	unsigned char *p =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *f;

	if (p == MAP_FAILED || sizeof(code) == 1)
		return 2;
	memcpy(p, code, sizeof(code));
	if (mprotect(p, 4096, PROT_READ | PROT_EXEC))
		return 2;
	__builtin___clear_cache((char *)p, (char *)p + sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "w");
	if (!f)
		return 2;
	fprintf(f, "%lx %zx jit_loop\n", (unsigned long)p, sizeof(code));
	fclose(f);
	for (int i = 0; i < 100; i++)
		((void (*)(unsigned long))p)(20000000UL);
	puts(path);
	return 0;
}
