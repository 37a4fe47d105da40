// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists: tables whose columns people and programs share; their cells and places. */
#include "faces/faces-int.h"

struct faces_cell list_text(const char *s)
{
	return (struct faces_cell){ .kind = s ? FACES_STR : FACES_NONE, .s = s };
}

struct faces_cell list_number(uint64_t n)
{
	return (struct faces_cell){ .kind = FACES_U64, .n = n };
}

struct faces_cell list_real(bool known, double d)
{
	return (struct faces_cell){ .kind = known ? FACES_F64 : FACES_NONE, .d = d };
}

struct faces_cell list_share(uint64_t part, uint64_t all)
{
	return list_real(all, faces_percent(part, all));
}

static size_t place_text(const struct symbol *sym, uint64_t addr, char *buf, size_t size)
{
	size_t n = sym ? strnlen(sym->name, size - 1) : 0;
	char off[20] = "+0x";
	int len = 0;

	if (!sym || addr != sym->start)
		len = 3 + fmt_hex(off + 3, addr - (sym ? sym->start : 0));
	memcpy(buf, sym ? sym->name : "", n);
	/* Of an address alone no sign. */
	for (int i = !sym; i < len && n < size - 1; i++)
		buf[n++] = off[i];
	buf[n] = '\0';
	return n;
}

const char *list_place(const struct symbol *sym, uint64_t addr, char *buf, size_t size)
{
	place_text(sym, addr, buf, size);
	return buf;
}

void list_put_place(struct obuf *o, const struct loc *at)
{
	char *p = obuf_room(o, LIST_PLACE);

	if (p)
		o->len += place_text(at->sym, at->addr, p, LIST_PLACE);
}

const char *list_dso(const struct dso *dso)
{
	return dso ? dso->short_name : "[unknown]";
}

struct faces_table walk_list_table(const struct walk_list *l, const struct faces *f, char *title)
{
	struct faces_table t = l->table;

	t.kind = FACES_LIST;
	t.title = l->title ? l->title(f, title, LIST_TITLE) : t.title;
	t.total = l->total ? l->total(f->stat) : 0;
	return t;
}

int walk_list(struct walk *k, const struct walk_list *l)
{
	const struct faces *f = k->pub.f;
	char title[LIST_TITLE];
	const struct faces_table t = walk_list_table(l, f, title);
	const size_t nr = l->nr(f);
	int ret = VISIT(k, table, &t);

	for (size_t i = 0; !ret && i < nr && !walk_broken(k); i++)
		if (!l->small || !l->small(f, i))
			ret = l->row(k, &t, i);
	ret = ret ?: VISIT(k, table_end, &t);
	return ret < 0 ? ret : 0;
}
