// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a JIT compiler does for profilers: code in anonymous memory, jit-PID.dump that says what it is,
 * and a mapping of that file with execute permission, whose MMAP record tells a reader where the
 * dump lies. Times are CLOCK_MONOTONIC: record with -k mono.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "workload/workload-int.h"

/* Counts its argument down to 0. */
static const unsigned char code[] = {
#if defined(__x86_64__)
	0x48, 0x89, 0xf8, /* mov %rdi, %rax */
	0x48, 0xff, 0xc8, /* 1: dec %rax */
	0x75, 0xfb,	  /* jnz 1b */
	0xc3,		  /* ret */
#define JIT_MACHINE EM_X86_64
#elif defined(__aarch64__)
	0x00, 0x04, 0x00, 0xf1, /* 1: subs x0, x0, #1 */
	0xe1, 0xff, 0xff, 0x54, /* b.ne 1b */
	0xc0, 0x03, 0x5f, 0xd6, /* ret */
#define JIT_MACHINE EM_AARCH64
#else
	0,
#define JIT_MACHINE 0
#endif
};

static const char symbol[] = "jitdump_loop";

struct jit_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct jit_load {
	uint32_t id, size;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, bytes, index;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int write_dump(int fd, const void *where)
{
	struct jit_header h = { .magic = 0x4a695444, /* "JiTD" */
				.version = 1,
				.size = sizeof(h),
				.machine = JIT_MACHINE,
				.pid = (uint32_t)getpid(),
				.time = now_ns() };
	struct jit_load l = { .id = 0,
			      .size = sizeof(l) + sizeof(symbol) + sizeof(code),
			      .time = now_ns(),
			      .pid = (uint32_t)getpid(),
			      .tid = (uint32_t)syscall(SYS_gettid),
			      .vma = (uintptr_t)where,
			      .address = (uintptr_t)where,
			      .bytes = sizeof(code),
			      .index = 1 };

	return write_all(fd, &h, sizeof(h)) || write_all(fd, &l, sizeof(l)) ||
	       write_all(fd, symbol, sizeof(symbol)) || write_all(fd, code, sizeof(code));
}

static void *make_code(size_t page)
{
	void *p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	memcpy(p, code, sizeof(code));
	if (mprotect(p, page, PROT_READ | PROT_EXEC)) {
		munmap(p, page);
		return NULL;
	}
	__builtin___clear_cache((char *)p, (char *)p + sizeof(code));
	return p;
}

int workload_jitdump(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const char *dir = argc > 2 ? argv[2] : ".";
	char path[PATH_MAX];
	void *marker, *jit;
	int fd, ret;

	if (!JIT_MACHINE) {
		fprintf(stderr, "jitdump: no code for this machine\n");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, (int)getpid());
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	jit = make_code(page);
	ret = fd < 0 || !jit || write_dump(fd, jit);
	marker = ret ? MAP_FAILED : mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (marker == MAP_FAILED) {
		fprintf(stderr, "jitdump: cannot make %s or code: %s\n", path, strerror(errno));
		ret = 1;
	} else {
		void (*loop)(uint64_t rounds);

		memcpy(&loop, &jit, sizeof(loop));
		workload_alarm(workload_seconds(argc, argv, 1));
		while (!workload_done)
			loop(100000);
		munmap(marker, page);
	}
	if (jit)
		munmap(jit, page);
	if (fd >= 0)
		close(fd);
	return ret;
}
