// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PostgreSQL by libpq: a recording is one transaction, so it is there or not there. Rows of loads go into a temporary
 * table first, and from there where they are new; where none is, all has been there before. The password is libpq's
 * matter (PGPASSFILE, ~/.pgpass) unless one was given; to other machines TLS is asked for, with the name verified.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/loaded.h"
#include "net/net-int.h"

#if HAVE_LIBPQ
#include <postgresql/libpq-fe.h>

/* clang-format off */
#define FUNCTIONS(F) \
	F(execParams) F(connectdbParams) F(status) F(errorMessage) F(finish) F(exec) F(resultStatus) \
	F(resultErrorField) F(clear) F(ntuples) F(nfields) F(getvalue) F(putCopyData) \
	F(putCopyEnd) F(getResult) F(cmdTuples) F(resultErrorMessage)
/* clang-format on */

struct postgresql {
	/* of the library, in the order of FUNCTIONS: first, for load() */
#define FUNCTION(name) __typeof__(PQ##name) *name;
	FUNCTIONS(FUNCTION)
#undef FUNCTION
	PGconn *conn;
};

static int load(struct postgresql *p, struct err *e)
{
#define NAME(name) "PQ" #name,
	static const char *const names[] = { FUNCTIONS(NAME) };
#undef NAME

	return loaded_functions(&(struct loaded){ "PostgreSQL needs", "libpq.so.5", "libpq5" },
				names, ARRAY_SIZE(names), (void **)p, e);
}

static void close_it(struct net *n)
{
	struct postgresql *p = n->own;

	if (p && p->conn)
		p->finish(p->conn);
	free(p);
}

/* By SQLSTATE: lost connections, transactions that collided, no room, a server that stops come and go. */
static int code_of(const char *state)
{
	if (!state || !strncmp(state, "08", 2) || !strncmp(state, "40", 2) ||
	    !strncmp(state, "53", 2) || !strncmp(state, "57P", 3) || !strncmp(state, "58", 2))
		return -EAGAIN;
	if (!strncmp(state, "28", 2) || !strcmp(state, "42501"))
		return -EACCES;
	/* Values and what tables demand of them. */
	if (!strncmp(state, "22", 2) || !strncmp(state, "23", 2))
		return -EBADMSG;
	return !strcmp(state, "42P01") ? -ENOENT : -EPROTO;
}

static int failed(struct net *n, PGresult *r, struct err *e)
{
	struct postgresql *p = n->own;
	const char *why = r ? p->resultErrorMessage(r) : p->errorMessage(p->conn);
	int ret = code_of(r ? p->resultErrorField(r, PG_DIAG_SQLSTATE) : NULL);

	return err_set(e, ret, "%s answered: %.*s", n->target.shown, (int)strcspn(why, "\n"), why);
}

/* *@done: rows that it was about. */
static int run_counted(struct net *n, const char *sql, uint64_t *done, struct err *e)
{
	struct postgresql *p = n->own;
	PGresult *r = p->exec(p->conn, sql);
	int ret = 0;

	if (p->resultStatus(r) != PGRES_COMMAND_OK && p->resultStatus(r) != PGRES_TUPLES_OK)
		ret = failed(n, r, e);
	else if (done)
		*done = strtoull(p->cmdTuples(r), NULL, 10);
	p->clear(r);
	return ret;
}

static int run(struct net *n, const char *sql, struct err *e)
{
	return run_counted(n, sql, NULL, e);
}

static int query(struct net *n, const char *sql, net_row_fn *row, void *ctx, struct err *e)
{
	struct postgresql *p = n->own;
	/* By this call it is one statement, whatever words of a user are in it. */
	PGresult *r = p->execParams(p->conn, sql, 0, NULL, NULL, NULL, NULL, 0);
	char *field[64];
	int ret = p->resultStatus(r) == PGRES_TUPLES_OK ? 0 : failed(n, r, e);
	int nr = ret ? 0 : (int)min_i64(p->nfields(r), ARRAY_SIZE(field));

	for (int i = 0; !ret && i < p->ntuples(r); i++) {
		for (int k = 0; k < nr; k++)
			field[k] = p->getvalue(r, i, k);
		ret = row(ctx, field, (size_t)nr, e);
	}
	p->clear(r);
	return ret == 1 ? 0 : ret;
}

static int open_it(struct net *n, struct err *e)
{
	const struct net_target *t = &n->target;
	struct postgresql *p = calloc(1, sizeof(*p));
	char port[8], host[sizeof(t->host)];
	const char *words[] = { "host",
				"port",
				"dbname",
				"user",
				"password",
				"sslmode",
				"sslrootcert",
				"connect_timeout",
				"application_name",
				NULL };
	const char *values[] = { host,
				 port,
				 t->db,
				 t->user[0] ? t->user : NULL,
				 n->password[0] ? n->password : NULL,
				 (net_is_here(t->host) || n->o.insecure) && !n->o.ca
					 ? "prefer"
					 : "verify-full",
				 n->o.ca,
				 "10",
				 "perf",
				 NULL };
	int ret = p ? load(p, e) : err_set(e, -ENOMEM, "no memory for a connection");
	const char *why;

	n->own = p;
	if (ret)
		return ret;
	snprintf(port, sizeof(port), "%u", t->port);
	/* Brackets part an address of IPv6 from its port, in URLs only. */
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(t->host + (t->host[0] == '['), "]"),
		 t->host + (t->host[0] == '['));
	p->conn = p->connectdbParams(words, values, 0);
	if (p->conn && p->status(p->conn) == CONNECTION_OK)
		return n->o.read_only ? run(n, "SET default_transaction_read_only = on", e) : 0;
	why = p->conn ? p->errorMessage(p->conn) : "no memory";
	/* There is no code for it before a connection stands. */
	ret = strstr(why, "password") || strstr(why, "authentication") || strstr(why, "role \"")
		      ? -EACCES
	      : strstr(why, "database \"") ? -ENOENT
					   : -EAGAIN;
	err_set(e, ret, "no connection to %s: %.*s", t->shown, (int)strcspn(why, "\n"), why);
	if (ret == -EACCES)
		err_hint(e, "The user is the one of the URL, USER@HOST; the password comes from "
			    "--password-file, PERF_PUSH_PASSWORD or ~/.pgpass.");
	return ret;
}

/* ---- pushing --------------------------------------------------------------------------------- */

static int copy(struct net *n, const char *sql, const struct obuf *body, struct err *e)
{
	struct postgresql *p = n->own;
	PGresult *r = p->exec(p->conn, sql);
	int ret = p->resultStatus(r) == PGRES_COPY_IN ? 0 : failed(n, r, e);

	p->clear(r);
	for (size_t at = 0; !ret && at < body->len;) {
		size_t some = min_u64(body->len - at, 1 << 20);

		if (p->putCopyData(p->conn, body->buf + at, (int)some) != 1)
			ret = failed(n, NULL, e);
		at += some;
	}
	if (!ret && p->putCopyEnd(p->conn, NULL) != 1)
		ret = failed(n, NULL, e);
	while (!ret && (r = p->getResult(p->conn))) {
		if (p->resultStatus(r) != PGRES_COMMAND_OK)
			ret = failed(n, r, e);
		p->clear(r);
	}
	return ret;
}

/* Rows that may be there already come by a temporary table. */
static int insert_new(struct net *n, const char *table, const char *columns,
		      const struct obuf *body, uint64_t *new, struct err *e)
{
	struct obuf sql = { .fd = -1 };
	int ret;

	obuf_printf(&sql,
		    "CREATE TEMPORARY TABLE IF NOT EXISTS new_%s (LIKE %s) ON COMMIT DELETE ROWS",
		    table, table);
	obuf_char(&sql, 0);
	ret = sql.code ?: run(n, sql.buf, e);
	sql.len = 0;
	obuf_printf(&sql, "COPY new_%s (%s) FROM STDIN WITH (FORMAT binary)", table, columns);
	obuf_char(&sql, 0);
	ret = ret ?: sql.code ?: copy(n, sql.buf, body, e);
	sql.len = 0;
	obuf_printf(&sql, "INSERT INTO %s (%s) SELECT %s FROM new_%s ON CONFLICT DO NOTHING", table,
		    columns, columns, table);
	obuf_char(&sql, 0);
	ret = ret ?: sql.code ?: run_counted(n, sql.buf, new, e);
	free(sql.buf);
	return ret;
}

static int push_file(struct net *n, const struct net_entry *en, const struct net_file *f,
		     struct net_pushed *p, uint64_t *new, struct err *e)
{
	struct obuf body = { .fd = -1 }, columns = { .fd = -1 }, sql = { .fd = -1 };
	int ret = net_entry_load(en, f, true, &body, e);

	if (!ret && !net_columns(f->table, &columns))
		ret = err_set(e, -EINVAL, "there is no table %s", f->table);
	obuf_char(&columns, 0);
	ret = ret ?: columns.code;
	if (!ret && f->load) {
		obuf_printf(&sql, "COPY %s (%s) FROM STDIN WITH (FORMAT binary)", f->table,
			    columns.buf);
		obuf_char(&sql, 0);
		ret = sql.code ?: copy(n, sql.buf, &body, e);
	} else if (!ret) {
		ret = insert_new(n, f->table, columns.buf, &body, new, e);
	}
	if (ret)
		err_context(e, "table %s", f->table);
	p->rows += f->rows;
	p->bytes += body.len;
	free(body.buf);
	free(columns.buf);
	free(sql.buf);
	return ret;
}

static int push_all(struct net *n, const struct net_entry *en, struct net_pushed *p, struct err *e)
{
	uint64_t new = 0;
	int ret = 0;

	/* Who else loads this recording now waits here for our end. */
	vec_for_each (f, &en->files)
		if (!ret && !strcmp(f->table, "loads"))
			ret = push_file(n, en, f, p, &new, e);
	p->already = !ret && !new;
	vec_for_each (f, &en->files)
		if (!ret && new &&strcmp(f->table, "loads") != 0)
			ret = push_file(n, en, f, p, &(uint64_t){ 0 }, e);
	return ret;
}

static int push(struct net *n, const struct net_entry *en, struct net_pushed *p, struct err *e)
{
	int ret = run(n, "BEGIN", e);

	if (ret)
		return ret;
	ret = push_all(n, en, p, e);
	if (ret || p->already) {
		run(n, "ROLLBACK", NULL);
		return ret;
	}
	return run(n, "COMMIT", e);
}
#else
static int none(struct err *e)
{
	err_set(e, -ENOTSUP, "this perf was built without libpq, by which PostgreSQL is spoken to");
	err_hint(e, "Build it with libpq-dev installed (make deps).");
	return -ENOTSUP;
}

static int open_it(struct net *n, struct err *e)
{
	(void)n;
	return none(e);
}

static void close_it(struct net *n)
{
	(void)n;
}

static int run(struct net *n, const char *sql, struct err *e)
{
	(void)n, (void)sql;
	return none(e);
}

static int query(struct net *n, const char *sql, net_row_fn *row, void *ctx, struct err *e)
{
	(void)n, (void)sql, (void)row, (void)ctx;
	return none(e);
}

static int push(struct net *n, const struct net_entry *en, struct net_pushed *p, struct err *e)
{
	(void)n, (void)en, (void)p;
	return none(e);
}
#endif

const struct net_engine net_postgresql = {
	.open = open_it,
	.close = close_it,
	.exec = run,
	.query = query,
	.push = push,
};
