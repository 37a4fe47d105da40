// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vec, arena, intern, hash, index table: where memory is kept. Their sizes come from counts in
 * files, so every multiplication is checked and a failure leaves what was there as it was.
 *
 * The index table holds no keys. A slot is half a hash and an index into an array of the caller's,
 * who compares the key there: so one table serves all kinds of keys, and growing it touches no key
 * at all. Slots are filled by the upper half of the hash, the half that they keep.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/base.h"
#include "base/lack.h"
#include "base/tables.h"
#include "base/bytes.h"

#define LARGE_PAGE ((size_t)2 << 20)

void mem_large(void *p, size_t size)
{
	const uintptr_t page = 4095, at = (uintptr_t)p;

	/*
	 * The pages at both ends whole: realloc() has memory moved by the kernel, without a copy, where all of it is of one kind. It
	 * is as good without large pages, where the kernel refuses.
	 */
	if (p && size >= LARGE_PAGE)
		(void)madvise((void *)(at & ~page), ((at + size + page) & ~page) - (at & ~page),
			      MADV_HUGEPAGE);
}

int vec_reserve_raw(void **v, size_t *cap, size_t need, size_t elem)
{
	size_t n = *cap ? *cap : 8, bytes;
	void *p;

	if (need <= *cap)
		return 0;
	while (n < need) {
		if (__builtin_mul_overflow(n, (size_t)2, &n))
			return -ENOMEM;
	}
	if (__builtin_mul_overflow(n, elem, &bytes))
		return -ENOMEM;
	p = realloc(*v, bytes);
	if (!p)
		return -ENOMEM;
	mem_large(p, bytes);
	*v = p;
	*cap = n;
	return 0;
}

bool mem_room(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p != MAP_FAILED && !munmap(p, n);
}

bool mem_spare(size_t n)
{
	if (mem_room(n))
		return true;
	lack_memory();
	return false;
}

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, used;
	_Alignas(16) unsigned char mem[];
};

#define ARENA_FIRST (4096 - sizeof(struct arena_chunk)) /* as much as there is already, then */
#define ARENA_CHUNK (64 * 1024 - sizeof(struct arena_chunk))

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_chunk *c = a->chunk;
	void *p;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (!c || c->size - c->used < size) {
		size_t n = a->used < ARENA_FIRST   ? ARENA_FIRST
			   : a->used > ARENA_CHUNK ? ARENA_CHUNK
						   : a->used;

		if (size > n / 4)
			n = size;
		c = malloc(sizeof(*c) + n);
		if (!c)
			return NULL;
		c->size = n;
		c->used = 0;
		/* An oversized piece goes behind the current chunk, which still has room. */
		if (n == size && a->chunk) {
			c->next = a->chunk->next;
			a->chunk->next = c;
		} else {
			c->next = a->chunk;
			a->chunk = c;
		}
	}
	p = c->mem + c->used;
	c->used += size;
	a->used += size;
	return memset(p, 0, size);
}

void *arena_memdup(struct arena *a, const void *p, size_t size)
{
	void *d = arena_alloc(a, size);

	if (d && size)
		memcpy(d, p, size);
	return d;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *d = arena_alloc(a, n + 1);

	if (d)
		memcpy(d, s, n);
	return d;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	char small[256], *d;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	if ((size_t)n < sizeof(small))
		return arena_strndup(a, small, (size_t)n);
	d = arena_alloc(a, (size_t)n + 1);
	if (!d)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(d, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return d;
}

void arena_free(struct arena *a)
{
	struct arena_chunk *c = a->chunk, *next;

	for (; c; c = next) {
		next = c->next;
		free(c);
	}
	memset(a, 0, sizeof(*a));
}

uint64_t hash_secret;

void hash_begin(void)
{
	/* 16 random bytes that the kernel hands to each program: no call that a sandbox could refuse. */
	const void *random = (const void *)getauxval(AT_RANDOM); // NOLINT: an address by contract
	uint64_t word[2] = { 0 };

	if (random)
		memcpy(word, random, sizeof(word));
	/* They guard stacks, too: no number here is one of them. */
	hash_secret = hash_fixed(word[0] ^ hash_fixed(word[1]));
}

uint64_t hash_bytes(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t h = HASH_GOLDEN ^ n;

	for (; n >= 8; p += 8, n -= 8)
		h = hash_mix(h, load_u64(p, false));
	if (n) {
		uint64_t tail = 0;

		memcpy(&tail, p, n);
		h = hash_mix(h, tail);
	}
	return hash_u64(h);
}

void *slots_new(size_t size)
{
	/* What divides the size: an alignment has to. */
	size_t align = size & (~size + 1);
	void *v = aligned_alloc(size < LARGE_PAGE    ? 64
				: align < LARGE_PAGE ? align
						     : LARGE_PAGE,
				size);

	if (!v)
		return NULL;
	mem_large(v, size);
	return memset(v, 0, size);
}

void *slots_resize(void *old, unsigned from, unsigned to, size_t size, slots_hash_fn *hash)
{
	size_t n = old ? (size_t)1 << from : 0, mask = ((size_t)1 << to) - 1;
	unsigned char *new = slots_new(size << to);
	uint64_t h, taken;

	if (!new)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const unsigned char *slot = (const unsigned char *)old + i * size;
		size_t at;

		if (!hash(slot, &h))
			continue;
		for (at = h >> (64 - to); hash(new + at *size, &taken);)
			at = (at + 1) & mask;
		memcpy(new + at *size, slot, size);
	}
	free(old);
	return new;
}

/* How many entries there may be before there have to be more slots: three of four have one. */
static uint32_t htab_room(uint32_t mask)
{
	return mask - mask / 4;
}

/* To @size slots, a power of 2, 0 = 2^32. */
static int htab_grow(struct htab *t, uint32_t size)
{
	uint32_t mask = size - 1, first = 0;
	uint64_t *slot;

	if (!size) /* more entries than indices */
		return -ENOMEM;
	slot = slots_new(size * sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	/* From an empty one on, as searches go: what comes before another one of its hash does so in the new table. */
	while (t->slot && t->slot[first])
		first++;
	/* A slot keeps the upper half of the hash, so its position comes from that half too. */
	for (uint32_t i = 0; t->slot && i <= t->mask; i++) {
		uint64_t s = t->slot[(first + i) & t->mask];
		uint32_t pos;

		if (!s)
			continue;
		pos = (uint32_t)(s >> 32) & mask;
		while (slot[pos])
			pos = (pos + 1) & mask;
		slot[pos] = s;
	}
	free(t->slot);
	t->slot = slot;
	t->mask = mask;
	return 0;
}

static uint32_t next_size(const struct htab *t)
{
	return t->slot ? (t->mask + 1) * 2 : 64;
}

int htab_reserve(struct htab *t, size_t n)
{
	uint32_t size = t->slot ? t->mask + 1 : next_size(t);

	while (size && n > (size_t)htab_room(size - 1) - t->used)
		size *= 2;
	return t->slot && size == t->mask + 1 ? 0 : htab_grow(t, size);
}

int htab_add(struct htab *t, uint64_t hash, uint32_t idx)
{
	uint32_t tag = (uint32_t)(hash >> 32), pos;

	if (idx == UINT32_MAX)
		return -ENOMEM;
	if ((!t->slot || t->used >= htab_room(t->mask)) && htab_grow(t, next_size(t)))
		return -ENOMEM;
	pos = tag & t->mask;
	while (t->slot[pos])
		pos = (pos + 1) & t->mask;
	t->slot[pos] = (uint64_t)tag << 32 | (idx + 1);
	t->used++;
	return 0;
}

void htab_free(struct htab *t)
{
	free(t->slot);
	memset(t, 0, sizeof(*t));
}

uint32_t intern_n(struct intern *in, const char *s, size_t n)
{
	uint64_t hash;
	uint32_t id;
	char *copy;

	if (!in->str.n && vec_push(&in->str, ""))
		return INTERN_NONE;
	if (!n)
		return 0;
	hash = hash_bytes(s, n);
	for (struct htab_it it = htab_find(&in->tab, hash); htab_next(&in->tab, &it, &id);)
		if (!strncmp(in->str.v[id], s, n) && !in->str.v[id][n])
			return id;
	copy = arena_strndup(&in->arena, s, n);
	id = (uint32_t)in->str.n;
	if (!copy || vec_push(&in->str, copy))
		return INTERN_NONE;
	if (htab_add(&in->tab, hash, id)) {
		in->str.n--;
		return INTERN_NONE;
	}
	return id;
}

uint32_t intern(struct intern *in, const char *s)
{
	return intern_n(in, s, strlen(s));
}

const char *intern_str(const struct intern *in, uint32_t id)
{
	return id < in->str.n ? in->str.v[id] : "";
}

void intern_free(struct intern *in)
{
	vec_free(&in->str);
	htab_free(&in->tab);
	arena_free(&in->arena);
}
