// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many entries in one: a request costs the engine some milliseconds, whatever is in it, and an entry alone takes twenty. So
 * the blocks of a table are joined, asked about and sent together. Each entry stays exactly once by the same rule as
 * alone: what the engine has of a load is asked before and after; 0 rows are sent, all rows are left, and an entry with anything
 * else is left to the way that can begin anew (push() in clickhouse.c). The row in `loads` goes last, and of those
 * entries alone whose tables are whole. A table takes a block whole or not at all; a shard has all rows of a load.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/sha256.h"
#include "net/clickhouse-int.h"
#include "net/native-int.h"

#define MOST_ROWS (1u << 18) /* of all entries in all tables: some 30 MB of the largest */

struct load_rows {
	int64_t load;
	uint64_t rows;
};

typedef VEC(struct load_rows) load_rows_t;

struct many {
	struct net *n;
	const struct net_entry *en;
	size_t nr;
	bool *alone; /* by entry */
	struct net_pushed *p;
};

/* A file that goes into the table at hand. */
struct part {
	const struct net_file *file;
	size_t entry;
};

typedef VEC(struct part) parts_t;

/* ---- what is there ------------------------------------------------------------------------------ */

static int take_rows(void *ctx, char **field, size_t nr, struct err *e)
{
	load_rows_t *out = ctx;
	struct load_rows r = { nr ? strtoll(field[0], NULL, 10) : 0, 0 };

	r.rows = nr > 1 ? strtoull(field[1], NULL, 10) : 0;
	return vec_push(out, r) ? err_set(e, -ENOMEM, "no memory for rows of an engine") : 0;
}

/* Rows by load; @loads: numbers with commas between. */
static int ask_rows(struct many *m, const char *table, struct obuf *loads, load_rows_t *out,
		    struct err *e)
{
	struct obuf sql = { .fd = -1 };
	int ret;

	out->n = 0;
	obuf_char(loads, 0);
	obuf_printf(&sql, "SELECT load, count() FROM %s WHERE load IN (%s) GROUP BY load", table,
		    loads->code ? "" : loads->buf);
	obuf_char(&sql, 0);
	ret = loads->code ?: sql.code;
	ret = ret ? err_set(e, -ENOMEM, "no memory for a query")
		  : net_clickhouse_query(m->n, sql.buf, take_rows, out, e);
	free(sql.buf);
	return ret;
}

static uint64_t rows_of(const load_rows_t *l, int64_t from, int64_t to)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < l->n; i++)
		rows += l->v[i].load >= from && l->v[i].load < to ? l->v[i].rows : 0;
	return rows;
}

/* ---- which entries go together ------------------------------------------------------------------ */

/* A load whose table is cut into several files takes what pushes one behind the other. */
static bool is_cut(const struct net_entry *en)
{
	for (size_t i = 1; i < en->files.n; i++)
		if (en->files.v[i].load && en->files.v[i].load == en->files.v[i - 1].load &&
		    !strcmp(en->files.v[i].table, en->files.v[i - 1].table))
			return true;
	return false;
}

static void choose(struct many *m)
{
	uint64_t all = 0;

	for (size_t i = 0; i < m->nr; i++) {
		uint64_t rows = 0;

		vec_for_each (f, &m->en[i].files)
			rows += f->rows <= MOST_ROWS ? f->rows : MOST_ROWS;
		m->alone[i] = !m->en[i].files.n || is_cut(&m->en[i]) || all + rows > MOST_ROWS;
		all += m->alone[i] ? 0 : rows;
	}
}

/* Those that are in already are done, some of whose loads are in are left alone. */
static int find_done(struct many *m, bool *done, struct err *e)
{
	struct obuf loads = { .fd = -1 };
	load_rows_t there = { 0 };
	int ret;

	for (size_t i = 0; i < m->nr; i++)
		vec_for_each (load, &m->en[i].loads)
			for (int a = 0; !m->alone[i] && a < FLEET_ATTEMPTS; a++)
				obuf_printf(&loads, "%s%" PRId64, loads.len ? "," : "", *load + a);
	ret = loads.len ? ask_rows(m, "loads", &loads, &there, e) : 0;
	for (size_t i = 0; !ret && i < m->nr; i++) {
		size_t nr = 0;

		if (m->alone[i])
			continue;
		vec_for_each (load, &m->en[i].loads)
			nr += rows_of(&there, *load, *load + FLEET_ATTEMPTS) != 0;
		done[i] = nr == m->en[i].loads.n;
		m->alone[i] = nr;
	}
	free(loads.buf);
	vec_free(&there);
	return ret;
}

/* ---- a table ------------------------------------------------------------------------------------ */

static int find_parts(struct many *m, const char *table, parts_t *out)
{
	out->n = 0;
	for (size_t i = 0; i < m->nr; i++)
		vec_for_each (f, &m->en[i].files)
			if (!m->alone[i] && !strcmp(f->table, table) &&
			    vec_push(out, ((struct part){ f, i })))
				return -ENOMEM;
	return 0;
}

/* Parts that the engine has nothing of; entries of which it has some, or too much, are alone from here on. */
static int leave_missing(struct many *m, const char *table, parts_t *parts, struct err *e)
{
	struct obuf loads = { .fd = -1 };
	load_rows_t there = { 0 };
	size_t n = 0;
	int ret;

	vec_for_each (p, parts)
		if (p->file->load)
			obuf_printf(&loads, "%s%" PRId64, loads.len ? "," : "", p->file->load);
	ret = loads.len ? ask_rows(m, table, &loads, &there, e) : 0;
	for (size_t i = 0; !ret && i < parts->n; i++) {
		const struct part p = parts->v[i];
		uint64_t rows = p.file->load ? rows_of(&there, p.file->load, p.file->load + 1) : 0;

		if (rows && rows != p.file->rows)
			m->alone[p.entry] = true;
		else if (!rows)
			parts->v[n++] = p;
	}
	parts->n = n;
	free(loads.buf);
	vec_free(&there);
	return ret;
}

static int load_parts(struct many *m, const parts_t *parts, struct obuf *blocks, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < parts->n; i++) {
		blocks[i].fd = -1;
		ret = net_entry_load(&m->en[parts->v[i].entry], parts->v[i].file, true, &blocks[i],
				     e);
	}
	return ret;
}

/* What a repetition of the same request is known by: which recordings' files are in it. */
static void make_token(struct many *m, const parts_t *parts, char token[33])
{
	unsigned char digest[32];
	struct sha256 h;

	sha256_init(&h);
	vec_for_each (p, parts) {
		sha256_add(&h, m->en[p->entry].recording, strlen(m->en[p->entry].recording) + 1);
		sha256_add(&h, p->file->name, strlen(p->file->name) + 1);
	}
	sha256_end(&h, digest);
	for (int i = 0; i < 16; i++)
		snprintf(token + 2 * i, 3, "%02x", digest[i]);
}

static int send_joined(struct many *m, const char *table, const parts_t *parts,
		       const struct obuf *blocks, struct err *e)
{
	struct obuf all = { .fd = -1 }, packed = { .fd = -1 };
	uint64_t rows[NET_MANY * 16], sum = 0;
	char token[33];
	bool small;
	int ret;

	for (size_t i = 0; i < parts->n; i++)
		sum += rows[i] = parts->v[i].file->rows;
	if (net_native_join(&all, blocks, rows, parts->n)) {
		ret = err_set(e, -EINVAL, "tables of entries are not as they were written");
		free(all.buf);
		return ret;
	}
	make_token(m, parts, token);
	small = !batch_gzip(all.buf, all.len, &packed);
	ret = net_clickhouse_insert(m->n, table, token, small ? &packed : &all, small, e);
	m->p->rows += sum;
	m->p->bytes += small ? packed.len : all.len;
	free(all.buf);
	free(packed.buf);
	return ret;
}

static int send_parts(struct many *m, const char *table, const parts_t *parts, struct err *e)
{
	struct obuf *blocks = calloc(parts->n, sizeof(*blocks));
	int ret = blocks ? load_parts(m, parts, blocks, e)
			 : err_set(e, -ENOMEM, "no memory for tables");

	ret = ret ?: send_joined(m, table, parts, blocks, e);
	for (size_t i = 0; blocks && i < parts->n; i++)
		free(blocks[i].buf);
	free(blocks);
	return ret;
}

/* After that the table has all of each entry that is not alone. */
static int push_table(struct many *m, const char *table, struct err *e)
{
	parts_t parts = { 0 };
	int ret = find_parts(m, table, &parts);
	bool facts = parts.n && parts.v[0].file->load;

	if (ret)
		err_set(e, ret, "no memory for tables");
	if (!ret && facts)
		ret = leave_missing(m, table, &parts, e);
	for (size_t at = 0; !ret && at < parts.n; at += NET_MANY * 16) {
		parts_t some = { .v = parts.v + at, .n = min_u64(parts.n - at, NET_MANY * 16) };

		ret = send_parts(m, table, &some, e);
	}
	/* Whatever is missing now, or there twice, came in between: by another client, or late. */
	if (!ret && facts && parts.n) {
		ret = find_parts(m, table, &parts) ?: leave_missing(m, table, &parts, e);
		vec_for_each (p, &parts)
			m->alone[p->entry] = true;
	}
	vec_free(&parts);
	return ret;
}

/* ---- all ---------------------------------------------------------------------------------------- */

int net_clickhouse_many(struct net *n, const struct net_entry *en, size_t nr, bool *done,
			struct net_pushed *p, struct err *e)
{
	struct many m = { n, en, nr, calloc(nr, sizeof(bool)), p };
	int ret = m.alone ? 0 : err_set(e, -ENOMEM, "no memory for tables");

	if (!ret)
		choose(&m);
	ret = ret ?: find_done(&m, done, e);
	for (int t = 0; !ret && t < FLEET_TABLES; t++)
		if (t != FLEET_LOADS)
			ret = push_table(&m, fleet_table((enum fleet_table)t)->name, e);
	ret = ret ?: push_table(&m, fleet_table(FLEET_LOADS)->name, e);
	for (size_t i = 0; !ret && i < nr; i++)
		done[i] |= !m.alone[i];
	free(m.alone);
	return ret;
}
