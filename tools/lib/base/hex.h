/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hex: hexadecimal digits eight at a time, for text that consists of little else. No tables, no
 * loops over digits: the nibbles are spread over the bytes of a word and made ASCII at once.
 */
#ifndef PERF_HEX_H
#define PERF_HEX_H

#include "base/base.h"

/* The eight digits of @v, first digit in the byte with the lowest address once stored. */
static inline uint64_t hex_spread(uint32_t v)
{
	uint64_t x = v, above9;

	x = (x | x << 16) & 0x0000ffff0000ffffULL;
	x = (x | x << 8) & 0x00ff00ff00ff00ffULL;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fULL;
	above9 = ((x + 0x0606060606060606ULL) >> 4) & 0x0101010101010101ULL;
	x += 0x3030303030303030ULL + above9 * ('a' - '0' - 10);
	return host_is_big_endian() ? x : __builtin_bswap64(x);
}

/* %016lx: writes 16 bytes, returns the place behind them. */
static inline char *hex_put16(char *p, uint64_t v)
{
	store_u64(p, hex_spread((uint32_t)(v >> 32)));
	store_u64(p + 8, hex_spread((uint32_t)v));
	return p + 16;
}

/* %lx: always writes 16 bytes, returns the place behind the digits that count. */
static inline char *hex_put(char *p, uint64_t v)
{
	unsigned n = v ? (67 - (unsigned)__builtin_clzll(v)) / 4 : 1;

	hex_put16(p, v << (64 - 4 * n));
	return p + n;
}

#endif
