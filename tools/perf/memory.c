// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * No allocation fails without being noted. There are hundreds of places that allocate, and some go on
 * without what they did not get: a name is missing then, in an output that looks whole. Each of them may
 * be right; nobody can hold a list of which are. So the linker (--wrap, see the Makefile) leads every
 * call of ours through here, and what fails is known to main(), which tells it (base/lack.h).
 *
 * Shared libraries allocate behind our back; where they fail, errno tells.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/lack.h"

#define WRAPPED(ret, name, params, ...)               \
	ret __real_##name params;                     \
	ret __wrap_##name params;                     \
	ret __wrap_##name params                      \
	{                                             \
		ret got = __real_##name(__VA_ARGS__); \
                                                      \
		if (!got)                             \
			lack_memory();                \
		return got;                           \
	}

WRAPPED(void *, malloc, (size_t size), size)
WRAPPED(void *, calloc, (size_t n, size_t size), n, size)
WRAPPED(void *, aligned_alloc, (size_t align, size_t size), align, size)
WRAPPED(char *, strdup, (const char *s), s)
WRAPPED(char *, strndup, (const char *s, size_t n), s, n)

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	void *got = __real_realloc(p, size);

	if (!got && size) /* of none: it was freed */
		lack_memory();
	return got;
}

int __real_vasprintf(char **s, const char *fmt, va_list ap);
int __wrap_vasprintf(char **s, const char *fmt, va_list ap);
int __wrap_vasprintf(char **s, const char *fmt, va_list ap)
{
	int n = __real_vasprintf(s, fmt, ap);

	if (n < 0)
		lack_memory();
	return n;
}

int __wrap___vasprintf_chk(char **s, int flag, const char *fmt, va_list ap);
int __wrap___vasprintf_chk(char **s, int flag, const char *fmt, va_list ap)
{
	(void)flag;
	return __wrap_vasprintf(s, fmt, ap);
}

int __wrap_asprintf(char **s, const char *fmt, ...);
int __wrap_asprintf(char **s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = __wrap_vasprintf(s, fmt, ap);
	va_end(ap);
	return n;
}

int __wrap___asprintf_chk(char **s, int flag, const char *fmt, ...);
int __wrap___asprintf_chk(char **s, int flag, const char *fmt, ...)
{
	va_list ap;
	int n;

	(void)flag;
	va_start(ap, fmt);
	n = __wrap_vasprintf(s, fmt, ap);
	va_end(ap);
	return n;
}
