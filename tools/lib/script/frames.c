// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses with their symbols: the ip column, callchains, addr. How a frame looks depends on the
 * address and on which fields are asked for (a form), and most frames come again: the text is kept
 * per location and form, and a frame costs a copy.
 */
#include <stdio.h>
#include <stdlib.h>

#include "emit/emit.h"
#include "script-int.h"

struct form *put_form_get(struct script *sc, uint64_t fields, bool inlines)
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

void put_srcline(struct script *sc, const char *before, struct dso *dso, uint64_t addr,
		 const struct srcline *known)
{
	struct obuf *o = sc->o;
	struct srcline line;

	if (!dso)
		return;
	if (known && known->line)
		line = *known;
	else if (!symbol_srcline(sc->env.resolver, dso, addr, &line))
		line.line = 0;
	obuf_str(o, before);
	if (line.line) {
		emit_safe(o, line.base && line.base[0] ? line.base : line.file);
		obuf_char(o, ':');
		obuf_dec(o, line.line);
	} else {
		emit_safe(o, dso->short_name);
		obuf_char(o, '[');
		obuf_hex(o, symbol_listed_addr(sc->env.resolver, dso, addr));
		obuf_char(o, ']');
	}
}

/* What follows the address for one function at a location. */
static void put_words(struct script *sc, struct obuf *o, uint64_t fields, const struct loc *l,
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
		put_srcline(sc, "\n  ", l->dso, l->addr, line);
	if (inlined)
		obuf_lit(o, " (inlined)");
}

/* ---- the quick way: symbol, offset and object, from texts that are kept per symbol -------------- */

const struct script_text *script_text_at(struct script *sc, struct texts *t, uint32_t idx,
					 const char *s, const char *before, const char *after)
{
	struct script_text none = { 0 }, *slot;
	struct obuf o;

	while (t->n <= idx)
		if (vec_push(t, none))
			return NULL;
	slot = &t->v[idx];
	if (likely(slot->s))
		return slot;
	if (obuf_init(&o, -1, 128))
		return NULL;
	obuf_str(&o, before);
	emit_safe(&o, s);
	obuf_str(&o, after);
	slot->len = (uint32_t)o.len;
	/* Short texts are copied 32 bytes at a time. */
	if (!o.code)
		slot->s = arena_alloc(&sc->arena, o.len + TEXT_STEP);
	if (slot->s)
		memcpy(slot->s, o.buf, o.len);
	obuf_free(&o);
	return slot->s ? slot : NULL;
}

/* @p has room for the text's length rounded up. */
static inline char *put_text(char *p, const struct script_text *t)
{
	memcpy(p, t->s, TEXT_STEP);
	if (unlikely(t->len > TEXT_STEP))
		memcpy(p + TEXT_STEP, t->s + TEXT_STEP, t->len - TEXT_STEP);
	return p + t->len;
}

ssize_t put_place(struct script *sc, const struct form *f, char lead, uint64_t ip,
		  const struct script_place *pl)
{
	const struct script_text *sym = NULL, *dso = NULL;
	char *p, *start;

	if (f->fields & BIT(SF_SYM)) {
		sym = pl->sym ? script_text_at(sc, &sc->syms, pl->sym->idx, pl->sym->name, "", "")
			      : script_text_at(sc, &sc->others, 0, "[unknown]", "", "");
		if (unlikely(!sym))
			return -1;
	}
	if (f->fields & BIT(SF_DSO)) {
		dso = pl->dso ? script_text_at(sc, &sc->dsos, pl->dso->idx, pl->dso->name, " (",
					       ")")
			      : script_text_at(sc, &sc->others, 1, "[unknown]", " (", ")");
		if (unlikely(!dso))
			return -1;
	}
	start = p =
		obuf_room(sc->o, (sym ? sym->len : 0) + (dso ? dso->len : 0) + 2 * TEXT_STEP + 80);
	if (unlikely(!p))
		return -1;
	if (f->fields & BIT(SF_IP)) {
		*p++ = lead;
		p = put_hex16(p, ip);
	}
	if (sym) {
		if (f->fields & BIT(SF_IP))
			*p++ = ' ';
		p = put_text(p, sym);
		if (pl->sym && (f->fields & BIT(SF_SYMOFF))) {
			p = put_lit(p, "+0x");
			p = put_hex(p, pl->addr - pl->sym->start);
		}
	}
	if (dso) {
		p = put_text(p, dso);
		if (unlikely(f->fields & BIT(SF_DSOFF)) && pl->dso && pl->dso->kind != DSO_KERNEL) {
			p[-1] = '+'; /* for the closing parenthesis */
			p = put_lit(p, "0x");
			p = put_hex(p, pl->addr);
			*p++ = ')';
		}
	}
	sc->o->len = (size_t)(p - sc->o->buf);
	return p - start;
}

void put_find_map(struct script *sc, struct thread *th, struct script_place *pl)
{
	struct map_hit hit;

	if (!machine_find_map(sc->env.machine, th, pl->mode, pl->ip, &hit))
		return;
	pl->dso = hit.map->dso;
	pl->addr = hit.addr;
}

/* No location of the resolver: each of them takes memory, and few single addresses come again. */
static inline void name(struct script *sc, struct script_place *pl)
{
	if (pl->dso)
		pl->sym = symbol_find(sc->env.resolver, pl->dso, pl->addr);
}

/* What lies at @ip for the thread now, through a small table. */
const struct script_place *put_find_place(struct script *sc, const struct thread *th,
					  uint8_t cpumode, uint64_t ip)
{
	uint32_t space = cpumode == PERF_RECORD_MISC_KERNEL ? 0 : th->space;
	uint32_t gen = machine_generation(sc->env.machine, space);
	uint64_t h = ip ^ (uint64_t)space << 40 ^ cpumode;
	struct script_place *pl = &sc->places[hash_slot(h, PLACE_BITS)];

	if (likely(pl->ip == ip && pl->space == space && pl->gen == gen && pl->mode == cpumode &&
		   pl->valid))
		return pl;
	*pl = (struct script_place){
		.ip = ip, .space = space, .gen = gen, .mode = cpumode, .addr = ip
	};
	put_find_map(sc, (struct thread *)th, pl);
	name(sc, pl);
	pl->valid = true;
	return pl;
}

/* ---- the slow way: source lines, dso offsets, inlined functions ------------------------------------- */

/* Functions inlined at a place, with lines where these are printed. */
static int inlines_at(struct script *sc, const struct form *f, struct dso *dso, uint64_t addr,
		      const struct inline_frame **inl)
{
	return f->fields & BIT(SF_SRCLINE) ? symbol_inlines(sc->env.resolver, dso, addr, inl)
					   : symbol_inline_names(sc->env.resolver, dso, addr, inl);
}

static bool put_slow(struct script *sc, const struct form *f, char lead, uint64_t ip,
		     const struct script_place *pl, bool newline)
{
	const struct loc l = { .dso = pl->dso, .addr = pl->addr, .sym = pl->sym };
	const struct inline_frame *inl = NULL;
	bool last = false;
	int n = 0;

	if (f->inlines && l.dso && l.sym)
		n = inlines_at(sc, f, l.dso, l.addr, &inl);
	for (int i = 0; i < (n > 1 ? n : 1) && !last; i++) {
		const struct symbol *sym = n > 1 ? inl[i].sym : l.sym;

		if (f->fields & BIT(SF_IP)) {
			obuf_char(sc->o, lead);
			obuf_hex_right(sc->o, ip, 16);
		}
		put_words(sc, sc->o, f->fields, &l, sym, i<n - 1, n> 1 ? &inl[i].call : NULL);
		if (newline)
			obuf_char(sc->o, '\n');
		last = script_stops_at(sc, sym);
	}
	return last;
}

bool put_is_slow(const struct form *f)
{
	return f->fields & (BIT(SF_SRCLINE) | BIT(SF_DSOFF));
}

bool put_frame(struct script *sc, const struct form *f, struct script_place *pl)
{
	const struct inline_frame *inl;

	name(sc, pl);
	if (put_is_slow(f) ||
	    (f->inlines && pl->sym && inlines_at(sc, f, pl->dso, pl->addr, &inl) > 1))
		return put_slow(sc, f, '\t', pl->ip, pl, true);
	if (put_place(sc, f, '\t', pl->ip, pl) >= 0)
		obuf_char(sc->o, '\n');
	return script_stops_at(sc, pl->sym);
}

void print_ip(struct script *sc, const struct ctx *c)
{
	const struct form *f = c->ev->form;
	struct script_place none = { .addr = c->s->ip };
	const struct script_place *pl = &none;

	if (c->ev->chain) {
		obuf_char(sc->o, '\n');
		print_chain(sc, c);
		return;
	}
	if (f->fields & ~BIT(SF_IP))
		pl = put_find_place(sc, c->th, c->s->cpumode, c->s->ip);
	if (unlikely(put_is_slow(f)))
		put_slow(sc, f, ' ', c->s->ip, pl, false);
	else
		put_place(sc, f, ' ', c->s->ip, pl);
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
	const struct script_place *pl;
	struct loc l;

	if (!p)
		return;
	put_hex16(p, c->s->addr);
	sc->o->len += 16;
	if (!addr_has_symbol(&c->s->event->attr) || !c->th)
		return;
	pl = put_find_place(sc, c->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, c->s->addr);
	l = (struct loc){ .dso = pl->dso, .addr = pl->addr, .sym = pl->sym };
	put_words(sc, sc->o, fields | BIT(SF_IP), &l, l.sym, false, NULL);
}
