// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ClickHouse over HTTP: a statement in the URL, rows in the body. Servers of many ages: 18.16 knows no
 * deduplication tokens, and answers every exception with status 500, so that its code decides what is worth trying
 * again. An answer of status 200 may end in an exception, too: an INSERT's has to be empty.
 *
 * How a load gets in once is told in net.h. A file is sent as one block of at most 2^20 rows, which is what one part of a
 * table is made of: it is there or not there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "net/clickhouse-int.h"

struct clickhouse {
	struct net_http *http;
	char user[300], key[300];
	bool tokens; /* insert_deduplication_token is known: version 22 */
};

/* ---- errors ---------------------------------------------------------------------------------- */

/* Codes of exceptions (ErrorCodes.cpp) that pass: time-outs, too much at once, memory, space, parts. */
static bool passes(long code)
{
	static const short codes[] = { 74,  75,	 159, 164, 202, 209, 210, 241,
				       242, 243, 252, 319, 425, 492, 999 };

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (codes[i] == code)
			return true;
	return false;
}

static bool is_who(long code)
{
	return code == 192 || code == 193 || code == 194 || code == 497 || code == 516;
}

/* Database or table is not there. */
static bool is_missing(long code)
{
	return code == 60 || code == 81;
}

/* The block is none: cut, or not as it was packed. */
static bool is_block(long code)
{
	return code == 32 || code == 33 || code == 117 || code == 354;
}

static int refused(const struct net *n, long status, const char *text, struct err *e)
{
	const char *at = strstr(text, "Code: ");
	long code = at ? strtol(at + 6, NULL, 10) : 0;
	int ret = -EPROTO;

	if (is_missing(code))
		ret = -ENOENT;
	else if (is_who(code) || status == 401 || status == 403)
		ret = -EACCES;
	else if (passes(code) || status == 408 || status == 425 || status == 429 ||
		 (status >= 500 && !code))
		ret = -EAGAIN;
	else if (is_block(code) || status == 413)
		ret = -EBADMSG;
	err_set(e, ret, "%s answered %ld: %.400s", n->target.shown, status,
		*text ? text : "no word of why");
	if (ret == -EACCES)
		err_hint(
			e,
			"The user is the one of the URL, USER@HOST, or \"default\"; the password comes "
			"from --password-file or PERF_PUSH_PASSWORD.");
	return ret;
}

/* ---- requests -------------------------------------------------------------------------------- */

static void put_escaped(struct obuf *o, const char *s)
{
	for (; *s; s++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~",
			   *s))
			obuf_char(o, *s);
		else
			obuf_printf(o, "%%%02X", (unsigned char)*s);
}

/* @body NULL: @sql is the body, which may be long. */
static int request(struct net *n, const char *sql, const char *more, const struct obuf *body,
		   bool packed, struct obuf *answer, struct err *e)
{
	struct clickhouse *c = n->own;
	const char *headers[] = { c->user, n->password[0] ? c->key : NULL, NULL };
	struct net_request rq = { .headers = headers, .packed = packed };
	struct obuf path = { .fd = -1 };
	long status;
	int ret;

	obuf_lit(&path, "/?database=");
	put_escaped(&path, n->target.db);
	obuf_str(&path, more);
	if (body) {
		obuf_lit(&path, "&query=");
		put_escaped(&path, sql);
	}
	obuf_char(&path, 0);
	rq.path = path.buf;
	rq.body = body ? body->buf : sql;
	rq.size = body ? body->len : strlen(sql);
	ret = path.code ? err_set(e, -ENOMEM, "no memory for a request")
			: net_http_post(c->http, &rq, &status, answer, e);
	free(path.buf);
	if (!ret && status != 200)
		ret = refused(n, status, answer->buf, e);
	return ret;
}

static int run(struct net *n, const char *sql, struct err *e)
{
	struct obuf answer = { .fd = -1 };
	int ret = request(n, sql, "", NULL, false, &answer, e);

	if (!ret && answer.len)
		ret = refused(n, 200, answer.buf, e);
	free(answer.buf);
	return ret;
}

/* A field of TabSeparated, in its place; true where it is the last of its row. */
static bool unescape(char **at, char **field)
{
	static const char from[] = "0bfnrt", to[] = "\0\b\f\n\r\t";
	char *p = *at, *out = p;
	bool last;

	*field = p;
	for (; *p && *p != '\t' && *p != '\n'; p++) {
		const char *k = *p == '\\' && p[1] ? strchr(from, *++p) : NULL;

		*out++ = k ? to[k - from] : *p;
	}
	last = *p != '\t';
	*at = p + (*p != 0);
	*out = 0;
	return last;
}

#define MAX_FIELDS 64

static int hand_rows(char *text, net_row_fn *row, void *ctx, struct err *e)
{
	char *field[MAX_FIELDS];
	int ret = 0;

	while (!ret && *text) {
		size_t nr = 0;
		bool last = false;

		while (!last && nr < MAX_FIELDS)
			last = unescape(&text, &field[nr++]);
		ret = row(ctx, field, nr, e);
	}
	return ret == 1 ? 0 : ret;
}

int net_clickhouse_query(struct net *n, const char *sql, net_row_fn *row, void *ctx, struct err *e)
{
	struct obuf answer = { .fd = -1 };
	int ret = request(n, sql,
			  n->o.read_only ? "&default_format=TabSeparated&readonly=1"
					 : "&default_format=TabSeparated",
			  NULL, false, &answer, e);

	if (!ret && answer.len && strstr(answer.buf, "\nCode: ") && strstr(answer.buf, "Exception"))
		ret = refused(n, 200, strstr(answer.buf, "\nCode: "), e);
	else if (!ret && answer.len)
		ret = hand_rows(answer.buf, row, ctx, e);
	free(answer.buf);
	return ret;
}

/* ---- open ------------------------------------------------------------------------------------ */

static int take_version(void *ctx, char **field, size_t nr, struct err *e)
{
	(void)e;
	*(bool *)ctx = nr && strtol(field[0], NULL, 10) >= 22;
	return 0;
}

static int open_it(struct net *n, struct err *e)
{
	struct clickhouse *c = calloc(1, sizeof(*c));
	int ret;

	n->own = c;
	if (!c)
		return err_set(e, -ENOMEM, "no memory for a connection");
	snprintf(c->user, sizeof(c->user), "X-ClickHouse-User: %s",
		 n->target.user[0] ? n->target.user : "default");
	snprintf(c->key, sizeof(c->key), "X-ClickHouse-Key: %s", n->password);
	ret = net_http_new(&c->http, n, e);
	return ret ?: net_clickhouse_query(n, "SELECT version()", take_version, &c->tokens, e);
}

static void close_it(struct net *n)
{
	struct clickhouse *c = n->own;

	if (!c)
		return;
	net_http_free(c->http);
	explicit_bzero(c->key, sizeof(c->key));
	free(c);
}

/* ---- pushing --------------------------------------------------------------------------------- */

static int take_count(void *ctx, char **field, size_t nr, struct err *e)
{
	(void)e;
	*(uint64_t *)ctx = nr ? strtoull(field[0], NULL, 10) : 0;
	return 0;
}

static int count(struct net *n, const char *table, int64_t load, int64_t end, uint64_t *rows,
		 struct err *e)
{
	char sql[256];

	*rows = 0;
	snprintf(sql, sizeof(sql),
		 "SELECT count() FROM %s WHERE load >= %" PRId64 " AND load < %" PRId64, table,
		 load, end);
	return net_clickhouse_query(n, sql, take_count, rows, e);
}

/* The first column of a block of Native is the load: another attempt's number in place of the first one's. */
static int renumber(struct obuf *block, uint64_t rows, unsigned attempt, struct err *e)
{
	static const char column[] = "\4load\5Int64";
	size_t at = 0;

	for (int i = 0; i < 2; i++) {
		while (at < block->len && block->buf[at] & 0x80)
			at++;
		at++;
	}
	if (at + sizeof(column) - 1 > block->len ||
	    rows > (block->len - at - (sizeof(column) - 1)) / 8 ||
	    memcmp(block->buf + at, column, sizeof(column) - 1) != 0)
		return err_set(e, -EINVAL, "a table of the entry is not as it was written");
	at += sizeof(column) - 1;
	for (uint64_t i = 0; i < rows; i++)
		block->buf[at + 8 * i] =
			(char)((block->buf[at + 8 * i] & ~(FLEET_ATTEMPTS - 1)) | (char)attempt);
	return 0;
}

static int load_file(const struct net_entry *en, const struct net_file *f, unsigned attempt,
		     struct obuf *body, bool *packed, struct err *e)
{
	struct obuf plain = { .fd = -1 };
	int ret;

	*packed = strlen(f->name) > 3 && !strcmp(f->name + strlen(f->name) - 3, ".gz");
	if (!attempt || !*packed) {
		ret = net_entry_load(en, f, false, body, e);
		return ret ?: attempt ? renumber(body, f->rows, attempt, e) : 0;
	}
	ret = net_entry_load(en, f, true, &plain, e);
	ret = ret ?: renumber(&plain, f->rows, attempt, e);
	if (!ret && batch_gzip(plain.buf, plain.len, body))
		ret = err_set(e, -ENOMEM, "no memory to pack %s", f->name);
	free(plain.buf);
	return ret;
}

int net_clickhouse_insert(struct net *n, const char *table, const char *token,
			  const struct obuf *block, bool packed, struct err *e)
{
	const struct clickhouse *c = n->own;
	struct obuf sql = { .fd = -1 }, more = { .fd = -1 }, answer = { .fd = -1 };
	int ret = 0;

	obuf_lit(&more, "&insert_distributed_sync=1");
	if (c->tokens)
		obuf_printf(&more, "&async_insert=0&insert_deduplication_token=%s", token);
	obuf_char(&more, 0);
	obuf_printf(&sql, "INSERT INTO %s (", table);
	if (!net_columns(table, &sql))
		ret = err_set(e, -EINVAL, "there is no table %s", table);
	obuf_mem(&sql, ") FORMAT Native", 16);
	if (!ret && (sql.code || more.code))
		ret = err_set(e, -ENOMEM, "no memory for a request");
	ret = ret ?: request(n, sql.buf, more.buf, block, packed, &answer, e);
	if (!ret && answer.len)
		ret = refused(n, 200, answer.buf, e);
	if (ret)
		err_context(e, "table %s", table);
	free(sql.buf);
	free(more.buf);
	free(answer.buf);
	return ret;
}

static int insert(struct net *n, const struct net_entry *en, const struct net_file *f,
		  unsigned attempt, struct net_pushed *p, struct err *e)
{
	struct obuf body = { .fd = -1 };
	char token[200];
	bool packed;
	int ret = load_file(en, f, attempt, &body, &packed, e);

	snprintf(token, sizeof(token), "%s:%s:%u", en->recording, f->name, attempt);
	if (ret)
		err_context(e, "table %s", f->table);
	ret = ret ?: net_clickhouse_insert(n, f->table, token, &body, packed, e);
	p->rows += f->rows;
	p->bytes += body.len;
	free(body.buf);
	return ret;
}

/* Files of one table and load, one behind the other: those that are not there yet. -ESTALE: another attempt. */
static int push_table(struct net *n, const struct net_entry *en, size_t *at, unsigned attempt,
		      struct net_pushed *p, struct err *e)
{
	const struct net_file *first = &en->files.v[*at];
	int64_t load = first->load | attempt;
	uint64_t there, before = 0;
	int ret = count(n, first->table, load, load + 1, &there, e);

	for (; !ret && *at < en->files.n; ++*at) {
		const struct net_file *f = &en->files.v[*at];

		if (f->load != first->load || strcmp(f->table, first->table) != 0)
			break;
		if (there < before + f->rows) {
			if (there > before)
				return -ESTALE;
			ret = insert(n, en, f, attempt, p, e);
			there += f->rows;
		}
		before += f->rows;
	}
	ret = ret ?: count(n, first->table, load, load + 1, &there, e);
	return ret ?: there == before ? 0 : -ESTALE;
}

static int push_attempt(struct net *n, const struct net_entry *en, unsigned attempt,
			struct net_pushed *p, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < en->files.n;)
		if (en->files.v[i].load)
			ret = push_table(n, en, &i, attempt, p, e);
		else if (!strcmp(en->files.v[i].table, "loads"))
			ret = insert(n, en, &en->files.v[i++], attempt, p, e);
		else /* objects, functions: the engine keeps equal rows once */
			ret = insert(n, en, &en->files.v[i++], 0, p, e);
	return ret;
}

static int push(struct net *n, const struct net_entry *en, struct net_pushed *p, struct err *e)
{
	uint64_t there = 0, rows;
	int ret = 0;

	vec_for_each (load, &en->loads) {
		ret = ret ?: count(n, "loads", *load, *load + FLEET_ATTEMPTS, &rows, e);
		there += rows ? 1 : 0;
	}
	p->already = !ret && there == en->loads.n;
	if (ret || p->already)
		return ret;
	for (unsigned attempt = 0; attempt < FLEET_ATTEMPTS; attempt++) {
		ret = push_attempt(n, en, attempt, p, e);
		if (ret != -ESTALE)
			return ret;
		log_to(&n->o.log, LOG_INFO,
		       "attempt %u of recording %s left other rows than it sent", attempt,
		       en->recording);
	}
	return err_set(e, -EPROTO, "%d attempts each left other rows than they sent",
		       FLEET_ATTEMPTS);
}

const struct net_engine net_clickhouse = {
	.open = open_it,
	.close = close_it,
	.exec = run,
	.query = net_clickhouse_query,
	.push = push,
	.push_many = net_clickhouse_many,
};
