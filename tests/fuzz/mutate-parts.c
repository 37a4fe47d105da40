// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inputs of several parts, each with its length in front (two bytes, the lower one first): sections of an object
 * that the target builds around them, say. A part is changed as bytes, and its length follows.
 */
#include "base/bytes.h"
#include "fuzz.h"

#define PARTS_MAX 32

const uint8_t *fuzz_part(struct fuzz_bytes *b, size_t *n)
{
	size_t len = fuzz_u8(b);

	len |= (size_t)fuzz_u8(b) << 8;
	return fuzz_take(b, len, n);
}

size_t mutate_parts(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	static uint8_t part[65536];
	struct fuzz_bytes b = { data, size };
	const uint8_t *p[PARTS_MAX];
	size_t n[PARTS_MAX], nr = 0, i, room, to;

	while (b.left >= 2 && nr < PARTS_MAX) {
		p[nr] = fuzz_part(&b, &n[nr]);
		nr++;
	}
	if (!nr || size > max)
		return 0;
	i = fuzz_rand(&seed) % nr;
	room = n[i] + (max - size);
	if (room > UINT16_MAX)
		room = UINT16_MAX;
	if (!room)
		return 0;
	memcpy(part, p[i], n[i]);
	if (n[i] && fuzz_rand(&seed) % 4) {
		size_t at = fuzz_rand(&seed) % n[i];

		to = n[i];
		part[at] = (uint8_t)fuzz_odd(&seed, part[at]);
	} else {
		to = LLVMFuzzerMutate(part, n[i], room);
	}
	if (p[i] + n[i] > data + size || size - n[i] + to > max)
		return 0;
	memmove(data + (p[i] - data) + to, p[i] + n[i], (size_t)(data + size - p[i]) - n[i]);
	memcpy(data + (p[i] - data), part, to);
	data[p[i] - data - 2] = (uint8_t)to;
	data[p[i] - data - 1] = (uint8_t)(to >> 8);
	return size - n[i] + to;
}
