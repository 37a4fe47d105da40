/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hex: hexadecimal digits sixteen at a time, for text that consists of little else. No tables, no
 * loops over digits: the nibbles are spread over the bytes of a vector and made ASCII at once.
 */
#ifndef PERF_HEX_H
#define PERF_HEX_H

#include "base/base.h"
#include "base/bytes.h"

typedef int8_t hex_bytes __attribute__((vector_size(16)));
typedef uint64_t hex_words __attribute__((vector_size(16)));

/* %016lx: writes 16 bytes, returns the place behind them. */
static inline char *hex_put16(char *p, uint64_t v)
{
	hex_words w = { host_is_big_endian() ? v : __builtin_bswap64(v), 0 };
	hex_bytes hi = (hex_bytes)(w >> 4) & 15, lo = (hex_bytes)w & 15, d;

	d = __builtin_shufflevector(hi, lo, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
	d += '0' + ((hex_bytes)(d > 9) & ('a' - '0' - 10));
	memcpy(p, &d, sizeof(d));
	return p + 16;
}

/* %lx: always writes 16 bytes, returns the place behind the digits that count. */
static inline char *hex_put(char *p, uint64_t v)
{
	unsigned zeros = (unsigned)__builtin_clzll(v | 1) / 4;

	hex_put16(p, v << 4 * zeros);
	return p + 16 - zeros;
}

#endif
