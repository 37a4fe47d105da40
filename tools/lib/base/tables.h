/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tables: arrays that grow, index tables, memory that is freed at once, strings as dense numbers, sets
 * of bits. Memory, errors and threads: see base.h.
 */
#ifndef PERF_BASE_TABLES_H
#define PERF_BASE_TABLES_H

#include "base/base.h"

/* ---- vec: struct { type *v; size_t n, cap; } ------------------------------------------------- */

#define VEC(type)              \
	struct {               \
		type *v;       \
		size_t n, cap; \
	}

/* Makes room for @need elements of @elem bytes. 0 or -ENOMEM. */
int vec_reserve_raw(void **v, size_t *cap, size_t need, size_t elem);

static inline int vec_reserve_at(void **v, size_t *cap, size_t need, size_t elem)
{
	return likely(need <= *cap) ? 0 : vec_reserve_raw(v, cap, need, elem);
}

#define vec_reserve(vec, need) \
	vec_reserve_at((void **)&(vec)->v, &(vec)->cap, (need), sizeof(*(vec)->v))
/* Appends a copy of @val. 0 or -ENOMEM. */
#define vec_push(vec, val) \
	(vec_reserve((vec), (vec)->n + 1) ? -ENOMEM : ((vec)->v[(vec)->n++] = (val), 0))
/* Makes element @idx exist; what is new is @val. 0 or -ENOMEM. */
#define vec_reach(vec, idx, val)                             \
	({                                                   \
		size_t idx_ = (idx);                         \
		int ret_ = 0;                                \
		if (idx_ >= (vec)->n)                        \
			ret_ = vec_reserve((vec), idx_ + 1); \
		while (!ret_ && (vec)->n <= idx_)            \
			(vec)->v[(vec)->n++] = (val);        \
		ret_;                                        \
	})
#define vec_free(vec)                                     \
	do {                                              \
		free((vec)->v);                           \
		memset((void *)(vec), 0, sizeof(*(vec))); \
	} while (0)
#define vec_for_each(it, vec)                                                                 \
	for (__typeof__((vec)->v + 0)(it) = (vec)->v; (vec)->n && (it) < (vec)->v + (vec)->n; \
	     (it)++)

/* ---- hash ------------------------------------------------------------------------------------ */

/* 2^64 divided by the golden ratio, odd: multiples of it lie far apart (Knuth, TAOCP vol. 3, 6.4). */
#define HASH_GOLDEN 0x9e3779b97f4a7c15ULL

/*
 * An index into a table of 2^@bits slots, 1 <= @bits <= 64: one multiplication, whose upper bits
 * depend on all of @x. For caches on hot paths; hash_u64() spreads better.
 */
static inline uint64_t hash_slot(uint64_t x, unsigned bits)
{
	return x * HASH_GOLDEN >> (64 - bits);
}

/*
 * Tables of such slots, which their owner looks up in by himself: a cache has a thing in its slot or not at all, others have it
 * there or behind, up to an empty one. All bytes of an empty one are zero.
 */

/* All bits of which the upper ones are the slot: x * HASH_GOLDEN for hash_slot(). False: the slot is empty. */
typedef bool slots_hash_fn(const void *slot, uint64_t *hash);

/*
 * A table of @size bytes, a multiple of 64, all 0, aligned to cache lines; for free(). One that is large lies in large pages
 * where the kernel has some: it is looked at in no order, and each look would wait for the address of its page, too. NULL: no
 * memory.
 */
void *slots_new(size_t size);

/*
 * Asks for large pages for the @size bytes at @p, of malloc() and its like, if they are many: 2 MB. Best before they are written to. As
 * large tables grow, and as slots_new() makes them, they have been asked for.
 */
void mem_large(void *p, size_t size);

/*
 * 2^@to slots of @size bytes, aligned to cache lines, 6 <= @to, with what the 2^@from at @old have; these are freed, and may be
 * NULL. As slots are upper bits, things that were apart stay so where there are more of them. NULL: no memory, and @old as it was.
 */
void *slots_resize(void *old, unsigned from, unsigned to, size_t size, slots_hash_fn *hash);

/* No two numbers become one. Without a secret: for what is kept on disk, or goes to other processes. */
static inline uint64_t hash_fixed(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return x ^ (x >> 32);
}

/*
 * Another number in each process, which the hashes below begin with: else a file could name ids, or strings, that all meet in one
 * place of a table, and each look would pass by all of them. 0 until hash_begin(), which main() calls before there are tables and
 * threads; only read from then on. What is in a table and the order in which it comes out do not depend on it.
 */
extern uint64_t hash_secret;
void hash_begin(void);

static inline uint64_t hash_u64(uint64_t x)
{
	return hash_fixed(x ^ hash_secret);
}

/* The secret goes in before the two become one: both may be what a file says. */
static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
	h ^= hash_secret;
	return hash_fixed(h ^ (v + HASH_GOLDEN + (h << 6)));
}

uint64_t hash_bytes(const void *p, size_t n);

/* A product whose upper bits are a slot, for tables of hot paths whose keys a file names. */
static inline uint64_t hash_spread(uint64_t x)
{
	return (x ^ hash_secret) * HASH_GOLDEN;
}

/*
 * An index table: maps a hash to indices of entries that the caller keeps in an array. The
 * caller compares keys:
 *
 *	for (struct htab_it it = htab_find(&t, hash); htab_next(&t, &it, &idx);)
 *		if (entries[idx].key == key)
 *			return idx;
 *	htab_add(&t, hash, new_idx);
 *
 * Of entries with one hash those come first that were added first. Zero-initialised is empty. Entries are never removed one by one.
 */
struct htab {
	uint64_t *slot; /* tag = upper 32 bits of the hash; index + 1 in the lower 32; 0 = empty */
	uint32_t mask, used;
};

struct htab_it {
	uint32_t pos, tag;
};

static inline struct htab_it htab_find(const struct htab *t, uint64_t hash)
{
	uint32_t tag = (uint32_t)(hash >> 32);

	return (struct htab_it){ .pos = tag & t->mask, .tag = tag };
}

static inline bool htab_next(const struct htab *t, struct htab_it *it, uint32_t *idx)
{
	if (unlikely(!t->slot))
		return false;
	for (;;) {
		uint64_t s = t->slot[it->pos];

		if (!s)
			return false;
		it->pos = (it->pos + 1) & t->mask;
		if ((uint32_t)(s >> 32) == it->tag) {
			*idx = (uint32_t)s - 1;
			return true;
		}
	}
}

/* Asks for the memory that a search begins at. */
static inline void htab_prefetch(const struct htab *t, uint64_t hash)
{
	if (likely(t->slot))
		__builtin_prefetch(&t->slot[htab_find(t, hash).pos]);
}

/* What a search would most likely find, without comparing; UINT32_MAX = nothing. */
static inline uint32_t htab_peek(const struct htab *t, uint64_t hash)
{
	struct htab_it it = htab_find(t, hash);
	uint32_t idx;

	return htab_next(t, &it, &idx) ? idx : UINT32_MAX;
}

int htab_add(struct htab *t, uint64_t hash, uint32_t idx); /* 0 or -ENOMEM */
int htab_reserve(struct htab *t, size_t n); /* makes room for @n more at once; 0 or -ENOMEM */
void htab_free(struct htab *t);

/* ---- arena ------------------------------------------------------------------------------------ */

struct arena_chunk;
struct arena {
	struct arena_chunk *chunk;
	size_t used; /* bytes handed out */
};

/* Whether @n bytes more could be had: to ask before calling a library that dies where it cannot. */
bool mem_spare(size_t n);
/* The same, where there is another way without: that they could not be had is not noted. */
bool mem_room(size_t n);

void *arena_alloc(struct arena *a, size_t size); /* 16-byte aligned, zeroed; NULL = no memory */
void *arena_memdup(struct arena *a, const void *p, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __printf_fmt(2, 3);
void arena_free(struct arena *a);

/* ---- intern: equal strings get equal, dense numbers; 0 is always "" --------------------------- */

struct intern {
	VEC(const char *) str;
	struct htab tab;
	struct arena arena;
};

#define INTERN_NONE UINT32_MAX

/* The number of @s; INTERN_NONE when memory is out. The copy lives until intern_free(). */
uint32_t intern(struct intern *in, const char *s);
uint32_t intern_n(struct intern *in, const char *s, size_t n);
const char *intern_str(const struct intern *in, uint32_t id);
void intern_free(struct intern *in);

/* ---- bits --------------------------------------------------------------------------------------- */

struct bits {
	uint64_t *w;
	size_t nr; /* bits */
};

int bits_init(struct bits *b, size_t nr);
void bits_free(struct bits *b);

static inline bool bits_test(const struct bits *b, size_t i)
{
	return i < b->nr && (b->w[i / 64] >> (i % 64) & 1);
}

static inline void bits_set(struct bits *b, size_t i)
{
	if (i < b->nr)
		b->w[i / 64] |= BIT(i % 64);
}

static inline int weight_u64(uint64_t v)
{
#if defined(__x86_64__) && !defined(__POPCNT__)
	/* Else a call, to a function with a table. */
	v -= v >> 1 & 0x5555555555555555ULL;
	v = (v & 0x3333333333333333ULL) + (v >> 2 & 0x3333333333333333ULL);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (int)(v * 0x0101010101010101ULL >> 56);
#else
	return __builtin_popcountll(v);
#endif
}

/* The same, sooner where these are the lowest bits, as they are in most masks of registers. */
static inline int weight_low_u64(uint64_t v)
{
	if (unlikely(v & (v + 1)))
		return weight_u64(v);
	return v ? 64 - __builtin_clzll(v) : 0;
}

/*
 * "0-3,7" <-> bits: CPU lists and the like. @max bounds the numbers (error -ERANGE above).
 * bits_parse_list() grows @b as needed; bits_print_list() returns the length like snprintf.
 */
int bits_parse_list(struct bits *b, const char *list, size_t max);
int bits_print_list(const struct bits *b, char *buf, size_t size);

#endif
