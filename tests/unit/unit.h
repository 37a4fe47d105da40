/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test includes: cmocka and what it wants first. */
#ifndef PERF_UNIT_H
#define PERF_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"

/* Ends the test as skipped; tests/run counts skips by this reason. */
#define skip_because(why)                              \
	do {                                           \
		print_message("# skipped: " why "\n"); \
		skip();                                \
	} while (0)

/* The next of a row of numbers that is the same in every run (xorshift); *s is its seed, not 0. */
static inline uint64_t unit_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* A file at @path below @dir, with the directories above it. */
static inline void unit_put(const char *dir, const char *path, const char *text, mode_t mode)
{
	char full[PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (char *p = strchr(full + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(full, mode), 0);
}

#endif
