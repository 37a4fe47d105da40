// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Columns that grow. A string is its number among the batch's distinct strings, so a column of build ids costs
 * 8 bytes a row here and as good as nothing in a file. Sorting makes an order of rows first and moves columns
 * one by one afterwards: that is one buffer of a column, not of the table.
 */
#include <stdlib.h>

#include "batch/batch-int.h"

#define MAX_KEY 8

int batch_new(struct batch **out, const struct batch_table *t, struct err *e)
{
	struct batch *b = calloc(1, sizeof(*b));

	*out = b;
	if (b) {
		b->table = t;
		b->column = calloc(t->nr_columns, sizeof(*b->column));
	}
	if (b && b->column && intern(&b->strings, "") != INTERN_NONE)
		return 0;
	batch_free(b);
	*out = NULL;
	return err_set(e, -ENOMEM, "no memory for table %s", t->name);
}

void batch_free(struct batch *b)
{
	if (!b)
		return;
	for (size_t i = 0; b->column && i < b->table->nr_columns; i++)
		vec_free(&b->column[i].v);
	free(b->column);
	intern_free(&b->strings);
	free(b);
}

size_t batch_rows(const struct batch *b)
{
	return b->rows;
}

/* The length of the UTF-8 character at @s; 0 where there is none. */
static size_t utf8(const unsigned char *s)
{
	static const struct {
		unsigned char mask, lead,
			least; /* of the second byte where the lead is the smallest */
	} forms[] = {
		{ 0x80, 0, 0 }, { 0xe0, 0xc0, 0 }, { 0xf0, 0xe0, 0xa0 }, { 0xf8, 0xf0, 0x90 }
	};
	size_t n = 0;

	while (n < ARRAY_SIZE(forms) && (*s & forms[n].mask) != forms[n].lead)
		n++;
	if (n == ARRAY_SIZE(forms) || *s == 0xc0 || *s == 0xc1 || *s > 0xf4)
		return 0;
	for (size_t i = 1; i <= n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if (n > 1 && *s == forms[n].lead && s[1] < forms[n].least)
		return 0;
	/* Halves of UTF-16 pairs, and what is above all characters. */
	return (*s == 0xed && s[1] > 0x9f) || (*s == 0xf4 && s[1] > 0x8f) ? 0 : n + 1;
}

static uint32_t add_string(struct batch *b, const char *s)
{
	size_t n = 0, len;
	uint32_t id;
	char *copy;

	while (s[n] && (len = utf8((const unsigned char *)s + n)))
		n += len;
	if (!s[n])
		return intern(&b->strings, s);
	copy = strdup(s);
	if (!copy)
		return INTERN_NONE;
	for (n = 0; copy[n]; n += len ? len : 1) {
		len = utf8((const unsigned char *)copy + n);
		if (!len)
			copy[n] = '?';
	}
	id = intern(&b->strings, copy);
	free(copy);
	return id;
}

int batch_add(struct batch *b, const union batch_value *row)
{
	for (size_t i = 0; i < b->table->nr_columns; i++) {
		int64_t v = row[i].i;

		if (b->table->columns[i].type == BATCH_STRING) {
			v = row[i].s && row[i].s[0] ? add_string(b, row[i].s) : 0;
			if (v == INTERN_NONE)
				return -ENOMEM;
		}
		/* A row of which a part did not fit is overwritten by the next one. */
		b->column[i].v.n = b->rows;
		if (vec_push(&b->column[i].v, v))
			return -ENOMEM;
	}
	b->rows++;
	return 0;
}

union batch_value batch_get(const struct batch *b, size_t row, size_t column)
{
	int64_t v = b->column[column].v.v[row];

	if (b->table->columns[column].type == BATCH_STRING)
		return (union batch_value){ .s = batch_string(b, v) };
	return (union batch_value){ .i = v };
}

/* ---- order ----------------------------------------------------------------------------------- */

struct order {
	const struct batch *b;
	size_t key[MAX_KEY], nr;
	uint32_t *rank; /* of strings */
};

static int by_key(const void *x, const void *y, void *ctx)
{
	uint32_t p = *(const uint32_t *)x, q = *(const uint32_t *)y;
	const struct order *o = ctx;

	for (size_t i = 0; i < o->nr; i++) {
		const int64_t *v = o->b->column[o->key[i]].v.v;
		bool string = o->b->table->columns[o->key[i]].type == BATCH_STRING;
		int64_t l = string ? o->rank[v[p]] : v[p], r = string ? o->rank[v[q]] : v[q];

		if (l != r)
			return l < r ? -1 : 1;
	}
	return p < q ? -1 : p > q;
}

static int by_text(const void *x, const void *y, void *ctx)
{
	const struct intern *in = ctx;

	return strcmp(intern_str(in, *(const uint32_t *)x), intern_str(in, *(const uint32_t *)y));
}

static int rank_strings(const struct batch *b, struct order *o)
{
	size_t n = b->strings.str.n;
	uint32_t *id = malloc(n * sizeof(*id));

	o->rank = malloc(n * sizeof(*o->rank));
	if (!id || !o->rank) {
		free(id);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		id[i] = i;
	qsort_r(id, n, sizeof(*id), by_text, (void *)&b->strings);
	for (uint32_t i = 0; i < n; i++)
		o->rank[id[i]] = i;
	free(id);
	return 0;
}

static void find_key(const struct batch_table *t, struct order *o)
{
	for (const char *s = t->key; *s && o->nr < MAX_KEY;) {
		size_t len = strcspn(s, ", ");

		for (size_t i = 0; i < t->nr_columns; i++)
			if (strlen(t->columns[i].name) == len &&
			    !memcmp(t->columns[i].name, s, len))
				o->key[o->nr++] = i;
		s += len;
		s += strspn(s, ", ");
	}
}

int batch_sort(struct batch *b)
{
	struct order o = { .b = b };
	uint32_t *row = malloc((b->rows + 1) * sizeof(*row));
	int64_t *sorted = malloc((b->rows + 1) * sizeof(*sorted));
	int ret = row && sorted && b->rows < UINT32_MAX ? rank_strings(b, &o) : -ENOMEM;

	find_key(b->table, &o);
	for (uint32_t i = 0; !ret && i < b->rows; i++)
		row[i] = i;
	if (!ret)
		qsort_r(row, b->rows, sizeof(*row), by_key, &o);
	for (size_t c = 0; !ret && c < b->table->nr_columns; c++) {
		int64_t *v = b->column[c].v.v;

		for (size_t i = 0; i < b->rows; i++)
			sorted[i] = v[row[i]];
		if (b->rows)
			memcpy(v, sorted, b->rows * sizeof(*v));
	}
	free(row);
	free(sorted);
	free(o.rank);
	return ret;
}
