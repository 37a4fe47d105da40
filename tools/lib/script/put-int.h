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

extern const char put_digits[200];  /* "00" "01" ... "99" */
extern const uint64_t put_tens[20]; /* powers; the first is 0, for 0 has a digit, too */

/* Two digits: of memcpy() FORTIFY makes a call, as it does not know how much is left of an array behind a pointer into it. */
static inline void put_pair(char *p, const char *digits)
{
	p[0] = digits[0];
	p[1] = digits[1];
}

/* How many digits @v has: 1233 / 4096 is little more than the logarithm of 2, so it is that many or one less. */
static inline unsigned put_dec_len(uint64_t v)
{
	unsigned n = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= put_tens[n]);
}

/* The digits of @v before @end. In place: with an array of its own each caller would pay for the stack protector. */
static inline void put_digits_before(char *end, uint64_t v)
{
	char *q = end;

	while (v >= 100) {
		q -= 2;
		put_pair(q, put_digits + v % 100 * 2);
		v /= 100;
	}
	if (v >= 10) {
		q -= 2;
		put_pair(q, put_digits + v * 2);
	} else {
		*--q = (char)('0' + v);
	}
}

/* %lu */
static inline char *put_dec(char *p, uint64_t v)
{
	p += put_dec_len(v);
	put_digits_before(p, v);
	return p;
}

/* %*lu */
static inline char *put_dec_right(char *p, uint64_t v, int width)
{
	for (int n = (int)put_dec_len(v); n < width; n++)
		*p++ = ' ';
	return put_dec(p, v);
}

/* %0*lu for @width <= 20 */
static inline char *put_dec_zero(char *p, uint64_t v, int width)
{
	for (int i = width - 1; i >= 0; i--, v /= 10)
		p[i] = (char)('0' + v % 10);
	return p + width;
}

#endif
