// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jit-dump DIR: a compiler at run time that writes DIR/jit-PID.dump. At one address it runs
 * "first_loop", then "second_loop", then moves that elsewhere; in between it changes the protection
 * of its memory, as V8 does, so that the kernel tells of it anew. Each runs for about 0.2 s.
 * x86-64 and arm64.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define E_MACHINE 62
/* mov %rdi,%rax; 1: dec %rax; jnz 1b; ret */
static const unsigned char code[] = { 0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3 };
#elif defined(__aarch64__)
#define E_MACHINE 183
/* 1: subs x0, x0, #1; b.ne 1b; ret */
static const unsigned char code[] = { 0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff,
				      0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6 };
#else
#define E_MACHINE 0
static const unsigned char code[1];
#endif

static FILE *dump;

static void u32(uint32_t v)
{
	fwrite(&v, sizeof(v), 1, dump);
}

static void u64(uint64_t v)
{
	fwrite(&v, sizeof(v), 1, dump);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void record(uint32_t id, size_t body)
{
	u32(id);
	u32((uint32_t)(16 + body));
	u64(now());
}

static void put_load(const void *at, uint64_t index, const char *name)
{
	record(2, 16 + 16 + strlen("jitted.src") + 1);
	u64((uintptr_t)at);
	u64(1);
	u64((uintptr_t)at);
	u32((uint32_t)(10 * index));
	u32(0);
	fwrite("jitted.src", 11, 1, dump);
	record(0, 40 + strlen(name) + 1 + sizeof(code));
	u32((uint32_t)getpid());
	u32((uint32_t)getpid());
	u64((uintptr_t)at);
	u64((uintptr_t)at);
	u64(sizeof(code));
	u64(index);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, sizeof(code), 1, dump);
	fflush(dump);
}

static void put_move(const void *from, const void *to, uint64_t index)
{
	record(1, 48);
	u32((uint32_t)getpid());
	u32((uint32_t)getpid());
	u64((uintptr_t)to);
	u64((uintptr_t)from);
	u64((uintptr_t)to);
	u64(sizeof(code));
	u64(index);
	fflush(dump);
}

static void run(void *at)
{
	uint64_t end = now() + 200000000;

	while (now() < end)
		((void (*)(unsigned long))at)(1000000UL);
}

static void protect(void *p, int prot)
{
	if (mprotect(p, 8192, prot))
		exit(2);
}

int main(int argc, char **argv)
{
	unsigned char *p =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[4096];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", argc > 1 ? argv[1] : ".", (int)getpid());
	dump = fopen(path, "w+");
	if (p == MAP_FAILED || !dump || !E_MACHINE)
		return 2;
	u32(0x4a695444);
	u32(1);
	u32(40);
	u32(E_MACHINE);
	u32(0);
	u32((uint32_t)getpid());
	u64(now());
	u64(0);
	fflush(dump);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		return 2;
	memcpy(p, code, sizeof(code));
	memcpy(p + 4096, code, sizeof(code));
	protect(p, PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)p, (char *)p + 8192);
	put_load(p, 1, "first_loop");
	run(p);
	put_load(p, 2, "second_loop");
	protect(p, PROT_READ | PROT_WRITE | PROT_EXEC);
	protect(p, PROT_READ | PROT_EXEC);
	run(p);
	put_move(p, p + 4096, 2);
	run(p + 4096);
	puts(path);
	return 0;
}
