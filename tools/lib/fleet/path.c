// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers of call chains: FNV-1a over names, the same on every machine. A step of FNV is an exclusive or and a
 * multiplication by an odd number, and both can be undone, also in the 63 bits that a table keeps: so the caller's
 * number is in the callee's, and an engine that adds up by number needs no tree.
 */
#include <string.h>

#include "fleet/fleet.h"

#define PRIME 0x100000001b3ULL

static uint64_t steps(uint64_t h, const unsigned char *p, size_t n)
{
	while (n--)
		h = (h ^ *p++) * PRIME;
	return h;
}

/* Newton: each round doubles the bits that are right; three are at first. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t inv = odd;

	for (int i = 0; i < 5; i++)
		inv *= 2 - odd * inv;
	return inv;
}

static uint64_t steps_back(uint64_t h, const unsigned char *p, size_t n, uint64_t inv)
{
	while (n--)
		h = h * inv ^ p[n];
	return h;
}

static void put_func(unsigned char bytes[8], int64_t func)
{
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char)((uint64_t)func >> 8 * i);
}

uint64_t fleet_path(uint64_t up, const char *name, int64_t func)
{
	unsigned char bytes[8];

	put_func(bytes, func);
	up = steps(up, (const unsigned char *)name, strlen(name) + 1);
	return steps(up, bytes, 8) & INT64_MAX;
}

uint64_t fleet_path_up(uint64_t path, const char *name, int64_t func)
{
	uint64_t inv = inverse(PRIME);
	unsigned char bytes[8];

	put_func(bytes, func);
	path = steps_back(path, bytes, 8, inv);
	return steps_back(path, (const unsigned char *)name, strlen(name) + 1, inv) & INT64_MAX;
}
