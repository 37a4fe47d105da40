/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers and strings written at a pointer that has room: each function returns the place after
 * what it wrote. Up to PUT_SLACK bytes behind that may be overwritten, so reserve them too.
 */
#ifndef PERF_SCRIPT_PUT_INT_H
#define PERF_SCRIPT_PUT_INT_H

#include "base/hex.h"

#define PUT_SLACK 16

static inline char *put_mem(char *p, const void *s, size_t n)
{
	memcpy(p, s, n);
	return p + n;
}

#define put_lit(p, lit) put_mem((p), "" lit, sizeof(lit) - 1)

/* %lx */
static inline char *put_hex(char *p, uint64_t v)
{
	return hex_put(p, v);
}

/* %16lx */
static inline char *put_hex16(char *p, uint64_t v)
{
	memset(p, ' ', 16);
	put_hex(p + __builtin_clzll(v | 1) / 4, v);
	return p + 16;
}

extern const char put_digits[200]; /* "00" "01" ... "99" */

/* The digits of @v before @end; where they begin. 20 at most. */
static inline char *put_digits_before(char *end, uint64_t v)
{
	char *q = end;

	while (v >= 100) {
		q -= 2;
		memcpy(q, put_digits + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		q -= 2;
		memcpy(q, put_digits + v * 2, 2);
	} else {
		*--q = (char)('0' + v);
	}
	return q;
}

/* %lu */
static inline char *put_dec(char *p, uint64_t v)
{
	char d[20], *end = d + sizeof(d), *q = put_digits_before(end, v);

	return put_mem(p, q, (size_t)(end - q));
}

/* %*lu */
static inline char *put_dec_right(char *p, uint64_t v, int width)
{
	char d[20], *end = d + sizeof(d), *q = put_digits_before(end, v);

	for (int n = (int)(end - q); n < width; n++)
		*p++ = ' ';
	return put_mem(p, q, (size_t)(end - q));
}

/* %0*lu for @width <= 20 */
static inline char *put_dec_zero(char *p, uint64_t v, int width)
{
	for (int i = width - 1; i >= 0; i--, v /= 10)
		p[i] = (char)('0' + v % 10);
	return p + width;
}

#endif
