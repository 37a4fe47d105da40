// SPDX-License-Identifier: GPL-2.0-or-later
/* What tests/faults/run records: 5 ms of work in two functions, or as long as its argument says. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void leaf(void)
{
	for (int i = 0; i < 20000; i++)
		sum += (unsigned long)i;
}

__attribute__((noinline)) static void middle(void)
{
	leaf();
	sum++;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.005;
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	do {
		middle();
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while ((double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9 < seconds);
	return 0;
}
