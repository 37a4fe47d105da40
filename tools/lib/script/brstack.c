// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch stacks on one line, newest first (text-formats.adoc, "Branch stacks"). Files hold hundreds
 * of millions of entries, but few different flag words and addresses: their texts are kept.
 */
#include <stdlib.h>

#include "branch/branch.h"
#include "emit/emit.h"
#include "script-int.h"

#define TAIL_ROOM  sizeof(((struct tail_slot *)0)->text)
#define ENTRY_ROOM (2 * 20 + TAIL_ROOM + PUT_SLACK)

#define CHUNK 32

#define OBJECT (BIT(SF_DSO) | BIT(SF_DSOFF)) /* its name, and the address in it */

static bool hash_of_tail(const void *slot, uint64_t *hash)
{
	const struct tail_slot *t = slot;

	*hash = t->flags * HASH_GOLDEN;
	return t->len;
}

int print_tails_resize(struct script *sc, unsigned bits)
{
	struct tail_slot *tails =
		slots_resize(sc->tails, sc->tail_bits, bits, sizeof(*tails), hash_of_tail);

	if (!tails)
		return -ENOMEM;
	sc->tails = tails;
	sc->tail_bits = bits;
	sc->tails_made = 0;
	return 0;
}

static const struct tail_slot *tail_make(struct script *sc, const struct sample_branches *b,
					 const unsigned char *entry, struct tail_slot *t)
{
	struct branch_entry be;
	char text[256] = "";
	struct obuf o = { .buf = text, .cap = sizeof(text), .fd = -1 };

	branch_load(entry, b->swap, &be);
	branch_print_flags(&be, &o);
	obuf_char(&o, ' ');
	t->flags = load_u64(entry + 16, false);
	t->len = o.len <= sizeof(t->text) ? (uint8_t)o.len : 0;
	memcpy(t->text, text, t->len);
	/* Without memory for more it stays as large as it is. */
	if (++sc->tails_made > 1u << sc->tail_bits >> 1 && sc->tail_bits < TAIL_BITS_MAX &&
	    t->len && !print_tails_resize(sc, sc->tail_bits + 2))
		return &sc->tails[hash_slot(load_u64(entry + 16, false), sc->tail_bits)];
	return t->len ? t : NULL;
}

/* "/P/-/-/3/COND/- " of a flag word. */
static inline const struct tail_slot *tail_of(struct script *sc, const struct sample_branches *b,
					      const unsigned char *entry)
{
	uint64_t flags = load_u64(entry + 16, false);
	struct tail_slot *t = &sc->tails[hash_slot(flags, sc->tail_bits)];

	return likely(t->len && t->flags == flags) ? t : tail_make(sc, b, entry, t);
}

/* @p has room for TAIL_ROOM bytes. */
static inline char *put_tail(char *p, const struct tail_slot *t)
{
	memcpy(p, t->text, 32);
	if (unlikely(t->len > 32))
		memcpy(p + 32, t->text + 32, TAIL_ROOM - 32);
	return p + t->len;
}

static const struct script_place *branch_place(struct script *sc, const struct ctx *c,
					       uint64_t addr)
{
	return put_find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, addr);
}

/* The slow layout: with object names or object addresses. */
static void put_entry(struct script *sc, const struct ctx *c, const unsigned char *p, bool offsets)
{
	const struct sample_branches *b = &c->s->branches;
	const struct tail_slot *t = tail_of(sc, b, p);
	const struct form dso_only = { .fields = c->ev->fields & OBJECT };

	for (int i = 0; i < 2; i++) {
		uint64_t addr = load_u64(p + 8 * i, b->swap);

		if (i)
			obuf_lit(sc->o, "/0x");
		else
			obuf_lit(sc->o, " 0x");
		obuf_hex(sc->o, offsets ? branch_place(sc, c, addr)->addr : addr);
		if (c->ev->fields & BIT(SF_DSO))
			put_place(sc, &dso_only, 0, addr, branch_place(sc, c, addr));
	}
	if (t)
		obuf_mem(sc->o, t->text, t->len);
}

void print_brstack(struct script *sc, const struct ctx *c)
{
	const struct sample_branches *b = &c->s->branches;
	const unsigned char *e = b->entries;

	if (c->ev->fields & BIT(SF_DSO)) {
		for (uint64_t i = 0; i < b->nr; i++)
			put_entry(sc, c, e + i * BRANCH_ENTRY_SIZE, false);
		return;
	}
	for (uint64_t left = b->nr; left;) {
		uint64_t n = min_u64(left, CHUNK);
		char *p = obuf_room(sc->o, n * ENTRY_ROOM);

		if (unlikely(!p))
			return;
		left -= n;
		for (; n; n--, e += BRANCH_ENTRY_SIZE) {
			const struct tail_slot *t = tail_of(sc, b, e);

			if (unlikely(!t))
				continue;
			p = put_lit(p, " 0x");
			p = put_hex(p, load_u64(e, b->swap));
			p = put_lit(p, "/0x");
			p = put_hex(p, load_u64(e + 8, b->swap));
			p = put_tail(p, t);
		}
		sc->o->len = (size_t)(p - sc->o->buf);
	}
}

void print_brstackoff(struct script *sc, const struct ctx *c)
{
	for (uint64_t i = 0; i < c->s->branches.nr; i++)
		put_entry(sc, c, c->s->branches.entries + i * BRANCH_ENTRY_SIZE, true);
}

/* ---- symbols: the text of an address is kept ---------------------------------------------------- */

#define TEXT_MAX      256 /* longer ones are not kept */
#define SYM_ROOM      (2 * (TEXT_MAX + TEXT_STEP) + TAIL_ROOM + 1)
#define TEXT_BITS_MIN 15
#define TEXT_BITS_MAX 18

/* Half a cache line. */
struct text_slot {
	uint64_t addr;
	uint64_t where; /* address space and its state */
	uint32_t off;	/* of the text */
	uint16_t len;	/* 0 = empty */
	uint8_t object; /* 0 = is not named, 1 = is, 2 = with the offset */
	uint64_t unused;
};

/* An open table, at most half full. When it or the room for texts is full, it starts anew. */
struct branch_texts {
	struct text_slot *slot; /* 1 << bits */
	char *text;		/* 32 bytes for each slot, and TEXT_STEP more */
	unsigned bits;
	uint32_t nr, used;
};

/* How the branches of one sample are printed. */
struct text_ctx {
	struct script *sc;
	const struct ctx *c;
	struct form form;
	uint64_t where;
	uint8_t object;
};

static size_t text_size(const struct branch_texts *b)
{
	return (size_t)32 << b->bits;
}

static bool texts_start(struct branch_texts *b, unsigned bits)
{
	free(b->slot);
	free(b->text);
	b->bits = bits;
	b->nr = b->used = 0;
	b->slot = calloc((size_t)1 << bits, sizeof(*b->slot));
	b->text = malloc(text_size(b) + TEXT_STEP);
	return b->slot && b->text;
}

static bool texts_ready(struct script *sc)
{
	if (!sc->branch_texts) {
		sc->branch_texts = calloc(1, sizeof(*sc->branch_texts));
		return sc->branch_texts && texts_start(sc->branch_texts, TEXT_BITS_MIN);
	}
	return sc->branch_texts->slot && sc->branch_texts->text;
}

void print_brstack_free(struct branch_texts *b)
{
	if (!b)
		return;
	free(b->slot);
	free(b->text);
	free(b);
}

static inline size_t text_hash(const struct text_ctx *x, uint64_t addr)
{
	return hash_slot(addr ^ x->where << 32 ^ x->where >> 32, x->sc->branch_texts->bits);
}

/* The slot of an address, or the free one where it belongs. */
static inline struct text_slot *text_find(const struct text_ctx *x, uint64_t addr)
{
	const struct branch_texts *b = x->sc->branch_texts;
	size_t at = text_hash(x, addr), mask = ((size_t)1 << b->bits) - 1;

	for (;; at = (at + 1) & mask) {
		struct text_slot *t = &b->slot[at];

		if (likely(t->addr == addr && t->where == x->where && t->object == x->object) ||
		    !t->len)
			return t;
	}
}

/* Keeps the @len bytes at @s, the text of an address. */
static bool keep_text(const struct text_ctx *x, uint64_t addr, const char *s, size_t len)
{
	struct branch_texts *b = x->sc->branch_texts;
	struct text_slot *t;

	if (b->nr >= 1u << (b->bits - 1) || text_size(b) - b->used < len)
		if (!texts_start(b, b->bits + (b->bits < TEXT_BITS_MAX)))
			return false;
	t = text_find(x, addr);
	*t = (struct text_slot){ addr, x->where, b->used, (uint16_t)len, x->object, 0 };
	memcpy(b->text + b->used, s, len);
	b->used += (uint32_t)len;
	b->nr++;
	return true;
}

/* Prints what lies at an address and keeps a copy. */
static void put_new_text(const struct text_ctx *x, uint64_t addr)
{
	struct obuf *o = x->sc->o;
	const char *text;
	uint64_t mark;
	size_t len;

	if (!obuf_room(o, 4096))
		return;
	mark = obuf_printed(o);
	put_place(x->sc, &x->form, 0, 0, branch_place(x->sc, x->c, addr));
	text = obuf_since(o, mark, &len);
	if (text && len && len <= TEXT_MAX && !keep_text(x, addr, text, len))
		o->code = -ENOMEM;
}

/*
 * @p is the end of the output and has room for SYM_ROOM; enough of it is left. Twice per branch, so a call
 * that the compiler leaves in costs a seventh of all.
 */
__attribute__((always_inline)) static inline char *put_text_at(const struct text_ctx *x, char *p,
							       uint64_t addr)
{
	const struct text_slot *t = text_find(x, addr);
	const char *text = x->sc->branch_texts->text + t->off;
	struct obuf *o = x->sc->o;

	if (unlikely(!t->len)) {
		o->len = (size_t)(p - o->buf);
		put_new_text(x, addr);
		return o->code == -ENOMEM ? NULL : obuf_room(o, SYM_ROOM);
	}
	memcpy(p, text, TEXT_STEP);
	if (unlikely(t->len > TEXT_STEP))
		memcpy(p + TEXT_STEP, text + TEXT_STEP, t->len - TEXT_STEP);
	return p + t->len;
}

static inline void prefetch_texts(const struct text_ctx *x, const unsigned char *e, bool swap)
{
	const struct text_slot *slot = x->sc->branch_texts->slot;

	__builtin_prefetch(&slot[text_hash(x, load_u64(e, swap))]);
	__builtin_prefetch(&slot[text_hash(x, load_u64(e + 8, swap))]);
}

void print_brstacksym(struct script *sc, const struct ctx *c)
{
	const struct sample_branches *b = &c->s->branches;
	const unsigned char *e = b->entries;
	struct text_ctx x = {
		.sc = sc,
		.c = c,
		/* Symbol and offset always, the object when asked for. */
		.form = { .fields = BIT(SF_SYM) | BIT(SF_SYMOFF) | (c->ev->fields & OBJECT) },
		.where = space_state(sc, c->th->space),
		.object = !!(c->ev->fields & BIT(SF_DSO)) + !!(c->ev->fields & BIT(SF_DSOFF)),
	};

	if (!texts_ready(sc)) {
		sc->o->code = -ENOMEM;
		return;
	}
	for (uint64_t i = 0; i < min_u64(b->nr, CHUNK); i++)
		prefetch_texts(&x, e + i * BRANCH_ENTRY_SIZE, b->swap);
	for (uint64_t i = 0; i < b->nr; i++, e += BRANCH_ENTRY_SIZE) {
		const struct tail_slot *t = tail_of(sc, b, e);
		char *p = obuf_room(sc->o, SYM_ROOM);

		if (b->nr - i > CHUNK)
			prefetch_texts(&x, e + CHUNK * BRANCH_ENTRY_SIZE, b->swap);
		if (p)
			p = put_text_at(&x, p, load_u64(e, b->swap));
		if (unlikely(!p))
			return;
		*p++ = '/';
		p = put_text_at(&x, p, load_u64(e + 8, b->swap));
		if (unlikely(!p))
			return;
		if (likely(t))
			p = put_tail(p, t);
		sc->o->len = (size_t)(p - sc->o->buf);
	}
}
