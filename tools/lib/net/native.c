// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Blocks of FORMAT Native: two counts, then for each column name, type and values. They lie in the spool, so what is read
 * is not trusted: a length is looked at before it is used, and numbers are taken where they lie.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "net/native-int.h"

static void short_text(struct cursor *a, char *out, size_t size)
{
	uint64_t n = cursor_uleb(a);
	const unsigned char *p = cursor_bytes(a, n);

	if (!p || n >= size) {
		a->bad = true;
		return;
	}
	memcpy(out, p, n);
	out[n] = 0;
}

static size_t width_of(const char *type)
{
	return !strcmp(type, "Int64") || !strcmp(type, "Float64") ? 8
	       : !strcmp(type, "Int32")				  ? 4
								  : 0;
}

/* @keep: as texts; else they are only passed over. */
static int read_strings(struct net_native *t, struct net_native_column *c, struct cursor *a,
			bool keep)
{
	for (uint64_t i = 0; i < t->rows && !a->bad; i++) {
		uint64_t n = cursor_uleb(a);
		const unsigned char *p = cursor_bytes(a, n);
		char *s = p && keep ? arena_strndup(&t->arena, (const char *)p, n) : NULL;

		if (p && keep && (!s || vec_push(&c->str, s)))
			return -ENOMEM;
	}
	return 0;
}

static int read_column(struct net_native *t, struct net_native_column *c, struct cursor *a,
		       bool keep)
{
	int ret = 0;

	short_text(a, c->name, sizeof(c->name));
	short_text(a, c->type, sizeof(c->type));
	c->width = width_of(c->type);
	if (a->bad || (!c->width && strcmp(c->type, "String") != 0))
		return -EINVAL;
	c->bytes = a->p;
	if (c->width)
		c->num = t->rows > UINT64_MAX / 8 ? NULL : cursor_bytes(a, t->rows * c->width);
	else
		ret = read_strings(t, c, a, keep);
	c->size = (size_t)(a->p - c->bytes);
	return ret ?: c->width && !c->num && t->rows ? -EINVAL : 0;
}

static int read_block(struct net_native *t, const struct obuf *block, uint64_t rows, bool keep)
{
	struct cursor a = cursor_init(block->buf, block->len, false);
	uint64_t nr;
	int ret = 0;

	*t = (struct net_native){ 0 };
	nr = cursor_uleb(&a);
	t->rows = cursor_uleb(&a);
	if (a.bad || nr > NET_NATIVE_COLUMNS || t->rows != rows)
		return -EINVAL;
	/* A column has a byte for each row at least, so that rows are no more than bytes; without one they could be any number. */
	if (!nr && rows)
		return -EINVAL;
	for (; !ret && t->nr < nr; t->nr++)
		ret = read_column(t, &t->column[t->nr], &a, keep);
	if (!ret && a.bad)
		ret = -EINVAL;
	if (ret)
		net_native_free(t);
	return ret;
}

int net_native_read(struct net_native *t, const struct obuf *block, uint64_t rows)
{
	return read_block(t, block, rows, true);
}

/* ---- joining ---------------------------------------------------------------------------------- */

static void put_text(struct obuf *o, const char *s)
{
	obuf_varint(o, strlen(s));
	obuf_str(o, s);
}

static bool same_columns(const struct net_native *a, const struct net_native *b)
{
	bool same = a->nr == b->nr;

	for (size_t i = 0; same && i < a->nr; i++)
		same = !strcmp(a->column[i].name, b->column[i].name) &&
		       !strcmp(a->column[i].type, b->column[i].type);
	return same;
}

int net_native_join(struct obuf *out, const struct obuf *blocks, const uint64_t *rows, size_t n)
{
	struct net_native *t = calloc(n, sizeof(*t));
	uint64_t all = 0;
	int ret = t ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < n; i++) {
		ret = read_block(&t[i], &blocks[i], rows[i], false);
		if (!ret && !same_columns(&t[0], &t[i]))
			ret = -EINVAL;
		all += rows[i];
	}
	if (!ret && n) {
		obuf_varint(out, t[0].nr);
		obuf_varint(out, all);
	}
	for (size_t k = 0; !ret && n && k < t[0].nr; k++) {
		put_text(out, t[0].column[k].name);
		put_text(out, t[0].column[k].type);
		for (size_t i = 0; i < n; i++)
			obuf_mem(out, t[i].column[k].bytes, t[i].column[k].size);
	}
	free(t);
	return ret ?: out->code;
}

void net_native_free(struct net_native *t)
{
	for (size_t i = 0; i < NET_NATIVE_COLUMNS; i++)
		vec_free(&t->column[i].str);
	arena_free(&t->arena);
	t->nr = 0;
}

const struct net_native_column *net_native_column(const struct net_native *t, const char *name,
						  bool numbers)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!strcmp(t->column[i].name, name))
			return !t->column[i].width == numbers ? NULL : &t->column[i];
	return NULL;
}

int64_t net_native_num(const struct net_native_column *c, uint64_t row)
{
	const unsigned char *p = c->num + row * c->width;
	uint64_t v = 0;

	for (size_t i = c->width; i--;)
		v = v << 8 | p[i];
	return c->width == 4 ? (int32_t)v : (int64_t)v;
}
