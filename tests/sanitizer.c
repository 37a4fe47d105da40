// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linked into every program of a build with SAN=address. LeakSanitizer stops the program by
 * ptrace to look for leaks, and ends it with an error where another tracer has it already: so it
 * is in the programs that perf records by ptrace, whose leaks nobody is after. perf's own leaks,
 * and those of every program that is not traced, are looked for.
 */
#include <stdio.h>

int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	int tracer = 0;

	while (f && fgets(line, sizeof(line), f) && sscanf(line, "TracerPid: %d", &tracer) != 1)
		;
	if (f)
		fclose(f);
	return tracer != 0;
}
