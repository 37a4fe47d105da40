/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bytes: unaligned loads, byte order, and the cursor that never leaves its bytes. Whatever comes from a
 * file is read through these. Memory, errors and threads: see base.h.
 */
#ifndef PERF_BASE_BYTES_H
#define PERF_BASE_BYTES_H

#include "base/base.h"

static inline uint16_t load_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static inline void store_u16(void *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u32(void *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(void *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline bool host_is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/*
 * A cursor reads forward through bytes that nobody vouches for. A read past the end returns 0
 * (or NULL) and sets `bad`, which stays set: read a whole structure, then test `bad` once.
 */
struct cursor {
	const unsigned char *p;
	const unsigned char *end;
	const unsigned char *start;
	bool swap; /* the bytes are of the other byte order */
	bool bad;
};

static inline struct cursor cursor_init(const void *data, size_t size, bool swap)
{
	const unsigned char *p = data;
	const unsigned char *end = size ? p + size : p; /* not even 0 may be added to NULL */
	struct cursor c;

	/* Member by member: a literal is put together in memory and copied, which waits for what was just written. */
	c.p = c.start = p;
	c.end = end;
	c.swap = swap;
	c.bad = false;
	return c;
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline size_t cursor_pos(const struct cursor *c)
{
	return (size_t)(c->p - c->start);
}

/* The next @size bytes, or NULL (and bad) when there are fewer. They stay the file's. */
static inline const void *cursor_bytes(struct cursor *c, uint64_t size)
{
	const unsigned char *p = c->p;

	if (unlikely(c->bad || size > cursor_left(c))) {
		c->bad = true;
		return NULL;
	}
	c->p += size;
	return p;
}

static inline void cursor_skip(struct cursor *c, uint64_t size)
{
	(void)cursor_bytes(c, size);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const unsigned char *p = cursor_bytes(c, 1);

	return p ? *p : 0;
}

/*
 * LEB128, of DWARF and others: seven bits a byte, the lowest first, the eighth says that more follow. What 64 bits do
 * not hold is passed over.
 */
static inline uint64_t cursor_uleb(struct cursor *c)
{
	uint64_t v = 0;
	uint8_t b = 0x80;

	for (unsigned shift = 0; b & 0x80 && !c->bad; shift += 7) {
		b = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
	}
	return v;
}

/* The same with a sign: the highest bit of the last byte goes on. */
static inline int64_t cursor_sleb(struct cursor *c)
{
	const unsigned char *from = c->p;
	uint64_t v = cursor_uleb(c);
	unsigned bits = (unsigned)(c->p - from) * 7;

	if (bits && bits < 64 && c->p[-1] & 0x40)
		v |= UINT64_MAX << bits;
	return (int64_t)v;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const void *p = cursor_bytes(c, 2);

	return p ? load_u16(p, c->swap) : 0;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const void *p = cursor_bytes(c, 4);

	return p ? load_u32(p, c->swap) : 0;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const void *p = cursor_bytes(c, 8);

	return p ? load_u64(p, c->swap) : 0;
}

/*
 * A NUL-terminated string inside the next @size bytes; all @size bytes are consumed. NULL and
 * bad when they are not there or hold no NUL.
 */
static inline const char *cursor_str(struct cursor *c, uint64_t size)
{
	const char *s = cursor_bytes(c, size);

	if (s && !memchr(s, 0, size)) {
		c->bad = true;
		return NULL;
	}
	return s;
}

#endif
