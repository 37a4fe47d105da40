// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch stacks on one line, newest first (abi.md 5.4). Files hold hundreds of millions of
 * entries, but few different flag words and addresses: their texts are kept.
 */
#include "branch/branch.h"
#include "emit/emit.h"
#include "script-int.h"

#define ENTRY_ROOM (2 * 20 + sizeof(((struct tail_slot *)0)->text) + PUT_SLACK)

#define CHUNK 32

static const struct tail_slot *tail_make(const struct sample_branches *b,
					 const unsigned char *entry, struct tail_slot *t)
{
	struct branch_entry be;
	struct obuf o;

	branch_load(entry, b->swap, &be);
	if (obuf_init(&o, -1, sizeof(t->text)))
		return NULL;
	branch_print_flags(&be, &o);
	obuf_char(&o, ' ');
	if (!o.code && o.len <= sizeof(t->text)) {
		memcpy(t->text, o.buf, o.len);
		t->len = (uint8_t)o.len;
		t->flags = load_u64(entry + 16, false);
	} else {
		t->len = 0;
	}
	obuf_free(&o);
	return t->len ? t : NULL;
}

/* "/P/-/-/3/COND/- " of a flag word. */
static inline const struct tail_slot *tail_of(struct script *sc, const struct sample_branches *b,
					      const unsigned char *entry)
{
	uint64_t flags = load_u64(entry + 16, false);
	struct tail_slot *t = &sc->tails[hash_u64(flags) & (TAIL_SLOTS - 1)];

	return likely(t->len && t->flags == flags) ? t : tail_make(b, entry, t);
}

static const struct place *branch_place(struct script *sc, const struct ctx *c, uint64_t addr)
{
	return find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, addr);
}

/* The slow layout: with object names or object addresses. */
static void put_entry(struct script *sc, const struct ctx *c, const unsigned char *p, bool offsets)
{
	const struct sample_branches *b = &c->s->branches;
	const struct tail_slot *t = tail_of(sc, b, p);
	const struct form dso_only = { .fields = BIT(SF_DSO) };

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

	if ((c->ev->fields & BIT(SF_DSO)) && c->th) {
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
			memcpy(p, t->text, 32);
			if (unlikely(t->len > 32))
				memcpy(p + 32, t->text + 32, t->len - 32u);
			p += t->len;
		}
		sc->o->len = (size_t)(p - sc->o->buf);
	}
}

void print_brstackoff(struct script *sc, const struct ctx *c)
{
	for (uint64_t i = 0; i < c->s->branches.nr; i++)
		put_entry(sc, c, c->s->branches.entries + i * BRANCH_ENTRY_SIZE, true);
}

void print_brstacksym(struct script *sc, const struct ctx *c)
{
	const struct sample_branches *b = &c->s->branches;
	const unsigned char *e = b->entries;
	/* Symbol and offset always, the object when asked for. */
	const struct form f = {
		.fields = BIT(SF_SYM) | BIT(SF_SYMOFF) | (c->ev->fields & BIT(SF_DSO)),
	};

	for (uint64_t i = 0; i < b->nr; i++, e += BRANCH_ENTRY_SIZE) {
		const struct tail_slot *t = tail_of(sc, b, e);
		char *p;

		put_place(sc, &f, 0, 0, branch_place(sc, c, load_u64(e, b->swap)));
		obuf_char(sc->o, '/');
		put_place(sc, &f, 0, 0, branch_place(sc, c, load_u64(e + 8, b->swap)));
		p = t ? obuf_room(sc->o, sizeof(t->text)) : NULL;
		if (unlikely(!p))
			return;
		memcpy(p, t->text, 32);
		if (unlikely(t->len > 32))
			memcpy(p + 32, t->text + 32, t->len - 32u);
		sc->o->len += t->len;
	}
}
