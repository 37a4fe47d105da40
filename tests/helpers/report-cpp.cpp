// SPDX-License-Identifier: GPL-2.0-or-later
// Functions with C++ names that a profile can tell apart, some kernel and some libc work.
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace work
{

template <typename T> struct Mixer {
	__attribute__((noinline)) T mix(T v, int n)
	{
		for (int i = 0; i < n; i++)
			v = v * 31 + (v ^ i);
		return v;
	}
};

__attribute__((noinline)) long inner(long v, int n)
{
	Mixer<long> m;

	return m.mix(v, n) + 1;
}

__attribute__((noinline)) long outer(long v)
{
	return inner(v, 300000) + inner(v, 100000) + 1;
}

} // namespace work

int main()
{
	static char a[1 << 20], b[1 << 20];
	volatile long sum = 0;
	char buf[64];

	for (int i = 0; i < 300; i++) {
		sum = sum + work::outer(i);
		for (int k = 0; k < 8; k++)
			std::memcpy(a, b, sizeof(a));
		sum = sum + a[i];
		for (int k = 0; k < 400; k++)
			if (readlink("/proc/self/exe", buf, sizeof(buf)) < 0)
				return 1;
	}
	std::printf("%ld\n", (long)sum);
	return 0;
}
