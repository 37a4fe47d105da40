/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random AArch64 instructions with the state they start from, made of a seed: the same on the machine that
 * executes them (tests/helpers/a64-run.c, under qemu-user) and where they are interpreted (test-tracer-a64.c).
 * Needs nothing but stdint.h.
 */
#ifndef A64_CASES_H
#define A64_CASES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define A64_DATA 0x20000000ULL /* a page; none before and behind it */
#define A64_CODE 0x20010000ULL /* another: the instruction, and brk */
#define A64_PAGE 4096
#define A64_BRK	 0xd4200000u

struct a64_case {
	uint32_t word, nzcv;
	uint64_t x[31], sp;
	uint64_t v[64];
	unsigned char data[A64_PAGE];
};

struct a64_result {
	uint32_t sig, nzcv; /* which signal ended it; SIGTRAP behind the instruction: well done */
	uint64_t pc, x[31], sp;
	uint64_t v[64];
	uint64_t data; /* a64_hash() */
};

/* Bits of the instruction that are fixed, and how often it is wanted. */
struct a64_template {
	uint32_t mask, value;
	unsigned weight;
	const char *name;
};

static const struct a64_template a64_templates[] = {
	{ 0x1f000000, 0x10000000, 2, "adr" },
	{ 0x1f800000, 0x11000000, 4, "add imm" },
	{ 0x1f800000, 0x12000000, 6, "logic imm" },
	{ 0x1f800000, 0x12800000, 3, "mov wide" },
	{ 0x1f800000, 0x13000000, 8, "bitfield" },
	{ 0x7fa00000, 0x13800000, 2, "extr" },
	{ 0x7c000000, 0x14000000, 2, "b, bl" },
	{ 0xff000010, 0x54000000, 4, "b.cond" },
	{ 0x7e000000, 0x34000000, 3, "cbz" },
	{ 0x7e000000, 0x36000000, 3, "tbz" },
	{ 0xfffffc1f, 0xd61f0000, 1, "br" },
	{ 0xfffffc1f, 0xd63f0000, 1, "blr" },
	{ 0xfffffc1f, 0xd65f0000, 1, "ret" },
	{ 0xfffffbff, 0xd65f0bff, 1, "retaa" },
	{ 0xfffff01f, 0xd503201f, 1, "hint" },
	{ 0xfffff01f, 0xd503301f, 1, "barrier" },
	{ 0xffffffff, 0xd500401f, 1, "cfinv" },
	{ 0xffffffe0, 0xd50b7420, 1, "dc zva" },
	{ 0xffffffe0, 0xd53b4200, 1, "mrs nzcv" },
	{ 0xffffffe0, 0xd51b4200, 1, "msr nzcv" },
	{ 0xffffffe0, 0xd53b4400, 1, "mrs fpcr" },
	{ 0x1f000000, 0x0a000000, 6, "logic reg" },
	{ 0x1f200000, 0x0b000000, 6, "add reg" },
	{ 0x1fe00000, 0x0b200000, 4, "add extended" },
	{ 0x1fe0fc00, 0x1a000000, 3, "adc" },
	{ 0xffe07c10, 0xba000400, 1, "rmif" },
	{ 0xffffbc1f, 0x3a00080d, 1, "setf" },
	{ 0x3fe00410, 0x3a400000, 4, "ccmp" },
	{ 0x3fe00800, 0x1a800000, 4, "csel" },
	{ 0x7f000000, 0x1b000000, 6, "multiply" },
	{ 0x7fe0f000, 0x1ac00000, 2, "divide" },
	{ 0x7fe0f000, 0x1ac02000, 4, "shift by register" },
	{ 0x7fe0e000, 0x1ac04000, 3, "crc32" },
	{ 0x7fffe000, 0x5ac00000, 5, "one source" },
	{ 0xffffc000, 0xdac10000, 2, "pac" },
	{ 0xfffff800, 0xdac14000, 1, "xpac" },
	{ 0x3f000000, 0x08000000, 10, "exclusive" },
	{ 0x3f200c00, 0x19000000, 3, "ldapur" },
	{ 0x3b000000, 0x18000000, 2, "literal" },
	{ 0x3a000000, 0x28000000, 16, "pair" },
	{ 0x3b200000, 0x38000000, 16, "ldst imm9" },
	{ 0x3b200c00, 0x38200800, 12, "ldst reg" },
	{ 0x3f200c00, 0x38200000, 12, "atomic" },
	{ 0xff200400, 0xf8200400, 2, "ldraa" },
	{ 0x3b300000, 0x39000000, 16, "ldst imm12" },
	{ 0xbfbf0000, 0x0c000000, 4, "structs" },
	{ 0xbfa00000, 0x0c800000, 4, "structs post" },
	{ 0xbfe0f800, 0x0e000800, 3, "dup general" },
	{ 0xbfe0f800, 0x0e000000, 1, "dup element, tbl" },
	{ 0xbfe0ec00, 0x0e002c00, 4, "umov, smov" },
	{ 0xffe0fc00, 0x4e001c00, 2, "ins" },
	{ 0xffe08400, 0x6e000400, 2, "ins element" },
	{ 0x7f36fc00, 0x1e260000, 4, "fmov general" },
	{ 0xff3ffc00, 0x1e204000, 2, "fmov" },
	{ 0x9ff80400, 0x0f000400, 6, "movi" },
	{ 0x9f20fc00, 0x0e201c00, 6, "vector logic" },
	{ 0x9f200400, 0x0e200400, 24, "vector same" },
	{ 0x9f3e0c00, 0x0e200800, 10, "vector misc" },
	{ 0x9f3e0c00, 0x0e300800, 6, "vector across" },
	{ 0x9f800400, 0x0f000400, 10, "vector shift" },
	{ 0xff20fc07, 0x1e202000, 1, "fcmp" },
	{ 0xff200c00, 0x1e200400, 1, "fccmp" },
	{ 0x7f20fc00, 0x1e200000, 3, "fcvt" },
	{ 0x7f200000, 0x1e000000, 2, "fcvt fixed" },
	{ 0x0e000000, 0x0e000000, 3, "vector any" },
};

#define A64_TEMPLATES (sizeof(a64_templates) / sizeof(a64_templates[0]))

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 */
static inline uint64_t a64_random(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15ULL);

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline uint64_t a64_value(uint64_t *s)
{
	static const uint64_t edges[] = { 0,	      1,	  ~0ULL,      0x80,	     0x7f,
					  0x80000000, 0x7fffffff, 1ULL << 63, ~(1ULL << 63), 31,
					  32,	      63,	  0xffffffff, 0x100000000 };
	uint64_t r = a64_random(s);

	switch (r >> 60 & 7) {
	case 0: return edges[r % (sizeof(edges) / sizeof(edges[0]))];
	case 1: return r & 0xff;
	case 2: return r & 0xffffffff;
	case 3: return r & 0x3f;
	case 4: return A64_DATA + 1024 + (r & 0x7f0); /* aligned */
	case 5: return A64_DATA + 512 + (r & 0xbff);
	default: return a64_random(s);
	}
}

static inline const struct a64_template *a64_choose(uint64_t *s)
{
	unsigned all = 0, at, i = 0;

	for (size_t k = 0; k < A64_TEMPLATES; k++)
		all += a64_templates[k].weight;
	for (at = (unsigned)(a64_random(s) % all); at >= a64_templates[i].weight; i++)
		at -= a64_templates[i].weight;
	return &a64_templates[i];
}

/* Number @i of @seed. The template it is of. */
static inline const struct a64_template *a64_make(uint64_t seed, uint64_t i, struct a64_case *c)
{
	uint64_t s = seed * 0x100000001b3ULL + i * 0x2545f4914f6cdd1dULL;
	const struct a64_template *t = a64_choose(&s);

	c->word = t->value | ((uint32_t)a64_random(&s) & ~t->mask);
	/* the base is an address more often than not, and registers are 31 where that is something else */
	if (a64_random(&s) % 8 == 0)
		c->word |= 31 & ~t->mask;
	/* registers that an exclusive access has not are 31 */
	if ((c->word & 0x3f000000) == 0x08000000 && a64_random(&s) % 4)
		c->word |= c->word & 0x00200000 ? 31 << 10
						: 31 << 10 | (c->word & 0x00c00000 ? 31 << 16 : 0);
	/* a branch to itself would never end: distances are odd */
	if ((c->word & 0x7c000000) == 0x14000000)
		c->word |= 1;
	if ((c->word & 0xff000010) == 0x54000000 || (c->word & 0x7c000000) == 0x34000000)
		c->word |= 1 << 5;
	c->nzcv = (uint32_t)a64_random(&s) & 15;
	for (int n = 0; n < 31; n++)
		c->x[n] = a64_value(&s);
	/* nor is it what qemu-user has for an exclusive access that there is not */
	if (a64_random(&s) % 4 || !~c->x[(c->word >> 5 & 31) % 31])
		c->x[(c->word >> 5 & 31) % 31] = A64_DATA + 1024 + (a64_random(&s) & 0x7f0);
	c->sp = A64_DATA + 2048 + (a64_random(&s) & 0x1f0);
	for (int n = 0; n < 64; n++)
		c->v[n] = a64_random(&s) % 4 ? a64_random(&s)
					     : a64_random(&s) & 0x00ff00ff00800080ULL;
	for (size_t n = 0; n < A64_PAGE; n += 8) {
		uint64_t v = a64_value(&s);

		memcpy(c->data + n, &v, 8);
	}
	/* compare and swap succeeds now and then */
	memcpy(c->data + (c->x[(c->word >> 5 & 31) % 31] & 0xff8), &c->x[(c->word >> 16 & 31) % 31],
	       8);
	return t;
}

/* FNV-1a, by words. */
static inline uint64_t a64_hash(const void *data, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ULL, v;

	for (size_t i = 0; i + 8 <= n; i += 8) {
		memcpy(&v, (const char *)data + i, 8);
		h = (h ^ v) * 0x100000001b3ULL;
		h ^= h >> 29;
	}
	return h;
}

#endif
