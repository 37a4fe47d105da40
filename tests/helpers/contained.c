// SPDX-License-Identifier: GPL-2.0-or-later
/* contained SECONDS: runs in a function of a name of its own, which another root hides. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void spin_in_container(time_t seconds)
{
	time_t end = time(NULL) + seconds;

	do
		for (unsigned long i = 0; i < 1000000; i++)
			sum += i;
	while (time(NULL) < end);
}

int main(int argc, char **argv)
{
	spin_in_container(argc > 1 ? atoi(argv[1]) : 0);
	return 0;
}
