// SPDX-License-Identifier: GPL-2.0-or-later
// What tests/system/symbol*.sh profile: templates, inlined calls, a call through the PLT, code
// made at run time that is described by /tmp/perf-PID.map, and time in the kernel.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace target {
template <class T> struct Box {
	T v;
	__attribute__((noinline)) void mix(long n, const std::string &s)
	{
		for (long i = 0; i < n; i++)
			v += static_cast<T>(i) * s.size();
	}
};
}

static inline __attribute__((always_inline)) long deepest(volatile long *p)
{
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum += *p * i;
	return sum;
}

static inline __attribute__((always_inline)) long deeper(volatile long *p)
{
	return deepest(p) ^ 1;
}

extern "C" __attribute__((noinline)) long not_inlined(volatile long *p)
{
	return deeper(p) + 1;
}

// x86-64: mov rcx, rdi; loop: dec rcx; jnz loop; ret
static const unsigned char code[] = { 0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };

static void made_code(long n)
{
#ifdef __x86_64__
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	char name[64];
	FILE *f;

	if (p == MAP_FAILED)
		return;
	memcpy(p, code, sizeof(code));
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	f = fopen(name, "w");
	if (f) {
		fprintf(f, "%lx %zx made at run time\n", (unsigned long)p, sizeof(code));
		fclose(f);
	}
	((void (*)(long))p)(n);
#else
	(void)n;
#endif
}

int main(int argc, char **argv)
{
	long scale = argc > 1 ? atol(argv[1]) : 1;
	target::Box<unsigned long> box = { 0 };
	volatile long x = 3;
	long sum = 0;

	box.mix(scale * 2000000, "text");
	for (long i = 0; i < scale * 20000; i++)
		sum += not_inlined(&x);
	made_code(scale * 2000000);
	for (long i = 0; i < scale * 20; i++) {
		std::vector<char> block(1 << 20);

		memset(block.data(), static_cast<int>(i), block.size());
		sum += block[static_cast<size_t>(i)];
	}
	for (long i = 0; i < scale * 2000; i++)
		sum += getppid();
	return static_cast<int>((sum + static_cast<long>(box.v)) & 1);
}
