// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch stacks on one line, newest first (abi.md 5.4). Files hold hundreds of millions of
 * entries, but few different flag words and addresses: their texts are kept.
 */
#include "branch/branch.h"
#include "emit/emit.h"
#include "script-int.h"

#define ENTRY_ROOM (2 * 20 + sizeof(((struct tail_slot *)0)->text) + PUT_SLACK)

/* "/P/-/-/3/COND/- " of a flag word. */
static const struct tail_slot *tail_of(struct script *sc, const struct sample_branches *b,
				       const unsigned char *entry)
{
	uint64_t flags = load_u64(entry + 16, false);
	struct tail_slot *t = &sc->tails[hash_u64(flags) & (TAIL_SLOTS - 1)];
	struct branch_entry be;
	struct obuf o;

	if (likely(t->len && t->flags == flags))
		return t;
	branch_load(entry, b->swap, &be);
	if (obuf_init(&o, -1, sizeof(t->text)))
		return NULL;
	branch_print_flags(&be, &o);
	obuf_char(&o, ' ');
	if (!o.code && o.len <= sizeof(t->text)) {
		memcpy(t->text, o.buf, o.len);
		t->len = (uint8_t)o.len;
		t->flags = flags;
	} else {
		t->len = 0;
	}
	obuf_free(&o);
	return t->len ? t : NULL;
}

static void put_addr_dso(struct script *sc, const struct ctx *c, uint64_t addr)
{
	uint32_t loc = find_addr(sc, c, addr);
	const struct loc *l = loc == LOC_NONE ? NULL : resolver_loc(sc->env.resolver, loc);

	obuf_lit(sc->o, " (");
	emit_safe(sc->o, l && l->dso ? l->dso->name : "[unknown]");
	obuf_char(sc->o, ')');
}

static uint64_t object_addr(struct script *sc, const struct ctx *c, uint64_t addr)
{
	uint32_t loc = find_addr(sc, c, addr);
	const struct loc *l = loc == LOC_NONE ? NULL : resolver_loc(sc->env.resolver, loc);

	return l && l->dso ? l->addr : addr;
}

/* The slow layout: with object names or object addresses. */
static void put_entry(struct script *sc, const struct ctx *c, const unsigned char *p, bool offsets)
{
	const struct sample_branches *b = &c->s->branches;
	const struct tail_slot *t = tail_of(sc, b, p);

	for (int i = 0; i < 2; i++) {
		uint64_t addr = load_u64(p + 8 * i, b->swap);

		if (i)
			obuf_lit(sc->o, "/0x");
		else
			obuf_lit(sc->o, " 0x");
		obuf_hex(sc->o, offsets ? object_addr(sc, c, addr) : addr);
		if (c->ev->fields & BIT(SF_DSO))
			put_addr_dso(sc, c, addr);
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
	for (uint64_t i = 0; i < b->nr; i++, e += BRANCH_ENTRY_SIZE) {
		const struct tail_slot *t = tail_of(sc, b, e);
		char *p = obuf_room(sc->o, ENTRY_ROOM);

		if (unlikely(!p || !t))
			return;
		p = put_lit(p, " 0x");
		p = put_hex(p, load_u64(e, b->swap));
		p = put_lit(p, "/0x");
		p = put_hex(p, load_u64(e + 8, b->swap));
		memcpy(p, t->text, 32);
		if (unlikely(t->len > 32))
			memcpy(p + 32, t->text + 32, t->len - 32u);
		p += t->len;
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
	struct form *f =
		form_get(sc, BIT(SF_SYM) | BIT(SF_SYMOFF) | (c->ev->fields & BIT(SF_DSO)), false);

	for (uint64_t i = 0; f && i < b->nr; i++, e += BRANCH_ENTRY_SIZE) {
		const struct tail_slot *t = tail_of(sc, b, e);
		uint32_t from = find_addr(sc, c, load_u64(e, b->swap)), to;
		const struct loc_text *lt;
		uint32_t len;
		char *p;

		to = find_addr(sc, c, load_u64(e + 8, b->swap));
		if (unlikely(from == LOC_NONE || to == LOC_NONE || !t))
			return;
		lt = form_text(sc, f, from);
		p = lt ? obuf_room(sc->o, lt->len + 1) : NULL;
		if (unlikely(!p))
			return;
		memcpy(&len, lt->s, 4);
		p = put_mem(p, lt->s + 4, len);
		*p++ = '/';
		sc->o->len = (size_t)(p - sc->o->buf);
		lt = form_text(sc, f, to);
		p = lt ? obuf_room(sc->o, lt->len + sizeof(t->text)) : NULL;
		if (unlikely(!p))
			return;
		memcpy(&len, lt->s, 4);
		p = put_mem(p, lt->s + 4, len);
		p = put_mem(p, t->text, t->len);
		sc->o->len = (size_t)(p - sc->o->buf);
	}
}
