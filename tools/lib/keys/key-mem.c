// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sort keys of memory samples: what was accessed, where it was found, how long it took. Values of
 * data addresses are numbers of (address, text, level), made while the maps mean what they mean.
 */
#include "emit/emit.h"
#include "keys-int.h"

/* ---- data addresses -------------------------------------------------------------------------- */

enum { DADDR_AT, DADDR_TEXT, DADDR_LEVEL, DADDR_WIDTH };

#define UNNAMED_WIDTH 22 /* "[.] " and an address of 16 digits with 0x */

struct target {
	struct map_hit hit;
	const struct symbol *sym;
	bool mapped;
};

static void find_target(struct keys *ks, const struct sample *s, struct thread *th, uint64_t addr,
			struct target *t)
{
	*t = (struct target){ 0 };
	t->mapped = addr && machine_find_map(ks->m, th, s->cpumode, addr, &t->hit);
	if (t->mapped)
		t->sym = symbol_find(ks->res, t->hit.map->dso, t->hit.addr);
}

static uint32_t target_text(struct keys *ks, const struct target *t, uint64_t addr)
{
	const char *text = NULL;

	if (t->sym && t->hit.addr != t->sym->start)
		text = arena_printf(&ks->text, "%s+%#llx", t->sym->name,
				    (unsigned long long)(t->hit.addr - t->sym->start));
	else if (t->sym)
		text = t->sym->name;
	else
		text = arena_printf(&ks->text, addr ? "0x%016llx" : "%016llx",
				    (unsigned long long)addr);
	return text ? keys_name_id(ks, text) : 0;
}

static uint64_t target_id(struct keys *ks, const struct target *t, uint64_t addr, char level,
			  size_t more)
{
	uint64_t vals[4] = { addr, target_text(ks, t, addr), (unsigned char)level, UNNAMED_WIDTH };

	if (t->sym)
		vals[DADDR_WIDTH] = strlen(t->sym->name) + UNNAMED_WIDTH + more;
	return keys_tuple_id(&ks->daddrs, vals);
}

uint64_t keys_get_symbol_daddr(struct keys *ks, const struct sample *s, struct thread *th)
{
	struct target t;

	find_target(ks, s, th, s->addr, &t);
	return target_id(ks, &t, s->addr, keys_cpumode_char(s->cpumode), 0);
}

uint64_t keys_get_dso_daddr(struct keys *ks, const struct sample *s, struct thread *th)
{
	struct target t;

	find_target(ks, s, th, s->addr, &t);
	return keys_dso_name(ks, t.mapped ? t.hit.map->dso : NULL);
}

/* The line of 64 bytes that was accessed: X in no map, s in memory that is shared and written. */
uint64_t keys_get_dcacheline(struct keys *ks, const struct sample *s, struct thread *th)
{
	enum { PROT_X = 4, SHARED = 1 };
	uint64_t line = s->addr & ~63ULL;
	struct target t;
	char level = keys_cpumode_char(s->cpumode);

	find_target(ks, s, th, s->addr, &t);
	if (!t.mapped)
		level = 'X';
	else if (!(t.hit.map->prot & PROT_X) && t.hit.map->flags & SHARED && t.hit.map->ino)
		level = 's';
	if (t.sym && t.hit.addr - (s->addr - line) < t.sym->start)
		t.sym = NULL; /* the symbol starts inside the line */
	t.hit.addr -= s->addr - line;
	return target_id(ks, &t, line, level, 1);
}

int keys_width_daddr(const struct keys *ks, uint64_t v)
{
	return (int)keys_tuple_get(&ks->daddrs, (uint32_t)v)[DADDR_WIDTH];
}

int keys_width_dso_daddr(const struct keys *ks, uint64_t v)
{
	if (v == ks->unknown)
		return ks->o.separator || ks->o.widths || ks->dsos_given ? 0 : 16;
	return (int)strlen(intern_str(&ks->names, (uint32_t)v));
}

/* Addresses as signed numbers, as upstream has it: the kernel's first. */
int keys_cmp_daddr(const struct keys *ks, uint64_t a, uint64_t b)
{
	int64_t x = (int64_t)keys_tuple_get(&ks->daddrs, (uint32_t)a)[DADDR_AT];
	int64_t y = (int64_t)keys_tuple_get(&ks->daddrs, (uint32_t)b)[DADDR_AT];

	return x < y ? -1 : x > y;
}

/* What lies in a map first. */
int keys_cmp_dcacheline(const struct keys *ks, uint64_t a, uint64_t b)
{
	const uint64_t *x = keys_tuple_get(&ks->daddrs, (uint32_t)a);
	const uint64_t *y = keys_tuple_get(&ks->daddrs, (uint32_t)b);

	if ((x[DADDR_LEVEL] == 'X') != (y[DADDR_LEVEL] == 'X'))
		return x[DADDR_LEVEL] == 'X' ? 1 : -1;
	return x[DADDR_AT] < y[DADDR_AT] ? -1 : x[DADDR_AT] > y[DADDR_AT];
}

void keys_text_daddr(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	const uint64_t *d = keys_tuple_get(&ks->daddrs, (uint32_t)v);

	(void)r;
	obuf_char(o, '[');
	obuf_char(o, (char)d[DADDR_LEVEL]);
	obuf_lit(o, "] ");
	emit_safe(o, intern_str(&ks->names, (uint32_t)d[DADDR_TEXT]));
}

void keys_text_phys(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks;
	obuf_char(o, '[');
	obuf_char(o, keys_cpumode_char(r->cpumode));
	obuf_lit(o, "] ");
	if (v)
		obuf_lit(o, "0x");
	obuf_hex_zero(o, v, 16);
}

/* ---- data_src -------------------------------------------------------------------------------- */

#define DATA_SRC_TEXT(name)                                                                \
	void keys_text_##name(const struct keys *ks, const struct keys_row *r, uint64_t v, \
			      struct obuf *o)                                              \
	{                                                                                  \
		(void)ks, (void)r;                                                         \
		data_src_##name(o, v);                                                     \
	}

DATA_SRC_TEXT(level)
DATA_SRC_TEXT(snoop)
DATA_SRC_TEXT(tlb)
DATA_SRC_TEXT(locked)
DATA_SRC_TEXT(blocked)

/* The sum over a row's samples, which are equal in this value. */
void keys_text_sum(const struct keys *ks, const struct keys_row *r, uint64_t v, struct obuf *o)
{
	(void)ks;
	obuf_dec(o, v * r->nr);
}

/* ---- transactions ---------------------------------------------------------------------------- */

void keys_text_transaction(const struct keys *ks, const struct keys_row *r, uint64_t v,
			   struct obuf *o)
{
	(void)ks, (void)r;
	sample_transaction(o, v);
}

/* Room for any, not for all at once. */
int keys_width_transaction(const struct keys *ks, uint64_t v)
{
	(void)ks;
	return v ? 32 : 27;
}
