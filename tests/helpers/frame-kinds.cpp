// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of all kinds that a program of C++ has: a signal's, through the PLT and the C library, of frames of any size,
 * deep ones, and while an exception takes them down. tests/system/unwinders.sh has two unwinders look at them.
 */
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

static volatile unsigned long sum;

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum = sum + i * i;
}

/* Below a signal's frame, which the kernel made. */
static void on_signal(int sig)
{
	work(3000000);
	sum = sum + static_cast<unsigned>(sig);
}

/* Below a function of the C library, through the PLT. */
static int compare(const void *a, const void *b)
{
	work(200);
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

/* A frame whose size is known when it runs, so that its rules need a frame pointer. */
__attribute__((noinline)) static void sized(unsigned n)
{
	char *p = static_cast<char *>(__builtin_alloca(n * 16));

	memset(p, 1, n * 16);
	work(2000000);
	sum = sum + static_cast<unsigned char>(p[n]);
}

__attribute__((noinline)) static void deep(unsigned n)
{
	if (n)
		deep(n - 1);
	else
		work(200000);
	sum = sum + n;
}

/* In the unwinder of the language, while the stack is taken down. */
__attribute__((noinline)) static void thrown(unsigned n)
{
	if (n) {
		std::string s(n, 'x');

		thrown(n - 1);
		sum = sum + s.size();
	} else {
		throw std::runtime_error("x");
	}
}

int main()
{
	std::vector<int> v(3000);

	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 12; i++) {
		for (size_t k = 0; k < v.size(); k++)
			v[k] = static_cast<int>(k * 7919 % 3001);
		qsort(v.data(), v.size(), sizeof(int), compare);
		std::sort(v.begin(), v.end(), [](int a, int b) { work(100); return a > b; });
		kill(getpid(), SIGUSR1);
		sized(20 + static_cast<unsigned>(i));
		for (int k = 0; k < 10; k++)
			deep(60);
		for (int k = 0; k < 300; k++)
			try {
				thrown(20);
			} catch (const std::exception &e) {
				sum = sum + static_cast<unsigned char>(e.what()[0]);
			}
	}
	return 0;
}
