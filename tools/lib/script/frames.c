// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses with their symbols: the ip column, callchains, addr. */
#include <stdio.h>
#include <stdlib.h>

#include "emit/emit.h"
#include "script-int.h"

struct form *form_get(struct script *sc, uint64_t fields, bool inlines)
{
	struct form *f;

	fields &= FORM_FIELDS;
	for (size_t i = 0; i < sc->nr_forms; i++)
		if (sc->forms[i]->fields == fields && sc->forms[i]->inlines == inlines)
			return sc->forms[i];
	if (sc->nr_forms == ARRAY_SIZE(sc->forms))
		return sc->forms[0];
	f = calloc(1, sizeof(*f));
	if (!f)
		return NULL;
	f->fields = fields;
	f->inlines = inlines;
	sc->forms[sc->nr_forms++] = f;
	return f;
}

/* "\n  file:line"; without line information "sym+off" or "dso[off]" stands there. */
static void put_srcline(struct script *sc, struct obuf *o, const struct loc *l,
			const struct srcline *known)
{
	struct srcline line;

	if (!l->dso)
		return;
	if (known && known->line)
		line = *known;
	else if (!symbol_srcline(sc->env.resolver, l->dso, l->addr, &line))
		line.line = 0;
	obuf_lit(o, "\n  ");
	if (line.line) {
		emit_safe(o, line.base && line.base[0] ? line.base : line.file);
		obuf_char(o, ':');
		obuf_dec(o, line.line);
	} else if (l->sym) {
		emit_safe(o, l->sym->name);
		obuf_char(o, '+');
		obuf_dec(o, l->addr - l->sym->start);
	} else {
		emit_safe(o, l->dso->short_name);
		obuf_char(o, '[');
		obuf_hex(o, l->addr);
		obuf_char(o, ']');
	}
}

/* What follows the address for one function at a location. */
static void put_place(struct script *sc, struct obuf *o, uint64_t fields, const struct loc *l,
		      const struct symbol *sym, bool inlined, const struct srcline *line)
{
	bool first = !(fields & BIT(SF_IP));

	if (fields & BIT(SF_SYM)) {
		if (!first)
			obuf_char(o, ' ');
		first = false;
		emit_safe(o, sym ? sym->name : "[unknown]");
		if (sym && (fields & BIT(SF_SYMOFF))) {
			uint64_t base = l->sym ? l->sym->start : sym->start;

			obuf_lit(o, "+0x");
			obuf_hex(o, l->addr - base);
		}
	}
	if ((fields & (BIT(SF_DSO) | BIT(SF_DSOFF))) && !inlined) {
		obuf_lit(o, " (");
		emit_safe(o, l->dso ? l->dso->name : "[unknown]");
		if ((fields & BIT(SF_DSOFF)) && l->dso && l->dso->kind != DSO_KERNEL) {
			obuf_lit(o, "+0x");
			obuf_hex(o, l->addr);
		}
		obuf_char(o, ')');
	}
	if (fields & BIT(SF_SRCLINE))
		put_srcline(sc, o, l, line);
	if (inlined)
		obuf_lit(o, " (inlined)");
}

static int loc_text_make(struct script *sc, const struct form *f, uint32_t loc, struct loc_text *t)
{
	const struct loc *l = resolver_loc(sc->env.resolver, loc);
	const struct inline_frame *inl = NULL;
	struct obuf o;
	int n = 0;

	if (obuf_init(&o, -1, 256))
		return -ENOMEM;
	if (f->inlines && l->dso && l->sym)
		n = symbol_inlines(sc->env.resolver, l->dso, l->addr, &inl);
	t->lines = n > 1 ? (uint32_t)n : 1;
	for (uint32_t i = 0; i < t->lines; i++) {
		uint32_t at = (uint32_t)o.len, len;

		obuf_mem(&o, "\0\0\0", 4);
		put_place(sc, &o, f->fields, l, n > 1 ? inl[i].sym : l->sym, i + 1 < t->lines,
			  n > 1 ? &inl[i].call : NULL);
		len = (uint32_t)o.len - at - 4;
		if (!o.code)
			memcpy(o.buf + at, &len, 4);
	}
	if (!o.code) {
		t->s = arena_memdup(&sc->arena, o.buf, o.len);
		t->len = (uint32_t)o.len;
	}
	obuf_free(&o);
	return t->s ? 0 : -ENOMEM;
}

const struct loc_text *form_text(struct script *sc, struct form *f, uint32_t loc)
{
	struct loc_text none = { 0 }, *t;

	while (f->texts.n <= loc)
		if (vec_push(&f->texts, none))
			return NULL;
	t = &f->texts.v[loc];
	if (unlikely(!t->s) && loc_text_make(sc, f, loc, t))
		return NULL;
	return t;
}

/* The lines of one place: @lead, the address, the text, a newline after all but a lone one. */
static void put_frame(struct script *sc, struct form *f, char lead, uint64_t ip, uint32_t loc,
		      bool newline)
{
	const struct loc_text *t;
	const char *s;
	char *p;

	/* The address alone needs no location. */
	if (!(f->fields & ~BIT(SF_IP))) {
		p = obuf_room(sc->o, 24);
		if (unlikely(!p))
			return;
		*p++ = lead;
		p = put_hex16(p, ip);
		if (newline)
			*p++ = '\n';
		sc->o->len = (size_t)(p - sc->o->buf);
		return;
	}
	t = form_text(sc, f, loc);
	if (unlikely(!t))
		return;
	p = obuf_room(sc->o, t->len + t->lines * 24 + PUT_SLACK);
	if (unlikely(!p))
		return;
	s = t->s;
	for (uint32_t i = 0; i < t->lines; i++) {
		uint32_t len;

		memcpy(&len, s, 4);
		if (f->fields & BIT(SF_IP)) {
			*p++ = lead;
			p = put_hex16(p, ip);
		}
		p = put_mem(p, s + 4, len);
		s += 4 + len;
		if (newline)
			*p++ = '\n';
	}
	sc->o->len = (size_t)(p - sc->o->buf);
}

void print_ip(struct script *sc, const struct ctx *c)
{
	const struct frame *frames;
	ssize_t n;

	if (!c->ev->chain) {
		put_frame(sc, c->ev->form, ' ', c->s->ip, c->loc, false);
		return;
	}
	obuf_char(sc->o, '\n');
	n = unwind_chain(sc->env.unwind, c->th, c->s, &frames);
	for (ssize_t i = 0; i < n; i++)
		put_frame(sc, c->ev->chain_form, '\t', frames[i].ip, frames[i].loc, true);
}

uint32_t find_addr(struct script *sc, const struct ctx *c, uint64_t ip)
{
	uint32_t gen = machine_generation(sc->env.machine, c->th->space);
	struct addr_slot *a = &sc->addrs[(hash_u64(ip) ^ c->th->space) & (ADDR_SLOTS - 1)];

	if (likely(a->ip == ip && a->space == c->th->space && a->generation == gen && a->loc))
		return a->loc - 1;
	a->ip = ip;
	a->space = c->th->space;
	a->generation = gen;
	a->loc = resolver_find(sc->env.resolver, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, ip);
	/* LOC_NONE + 1 is 0: an empty slot. */
	a->loc++;
	return a->loc - 1;
}

/* Events whose sampled address is one of code or data that symbols can name. */
static bool addr_has_symbol(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_PAGE_FAULTS ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
						    attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

void print_addr(struct script *sc, const struct ctx *c)
{
	char *p = obuf_room(sc->o, 32);
	uint64_t fields = c->ev->fields & FORM_FIELDS & ~BIT(SF_SRCLINE);
	uint32_t loc;

	if (!p)
		return;
	put_hex16(p, c->s->addr);
	sc->o->len += 16;
	if (!addr_has_symbol(&c->s->event->attr) || !c->th)
		return;
	loc = find_addr(sc, c, c->s->addr);
	if (loc != LOC_NONE)
		put_place(sc, sc->o, fields | BIT(SF_IP), resolver_loc(sc->env.resolver, loc),
			  resolver_loc(sc->env.resolver, loc)->sym, false, NULL);
}
