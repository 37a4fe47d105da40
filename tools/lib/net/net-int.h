/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room net share. */
#ifndef PERF_NET_INT_H
#define PERF_NET_INT_H

#include "base/obuf.h"
#include "base/tables.h"
#include "config.h"
#include "net/net.h"

#define NET_MAX_ANSWER (1u << 30) /* bytes of a query's answer */

/* ---- entry.c: what is to be pushed ---- */

struct net_file {
	char table[32], name[128];
	int64_t load; /* 0 = of none */
	uint64_t rows;
};

struct net_entry {
	const char *dir;
	char recording[33];
	VEC(struct net_file) files; /* in the order in which they are to go */
	VEC(int64_t) loads;
};

int net_entry_read(struct net_entry *en, const char *dir, struct err *e);
void net_entry_free(struct net_entry *en);
/* A file's bytes, appended; unpacked where @plain. */
int net_entry_load(const struct net_entry *en, const struct net_file *f, bool plain, struct obuf *o,
		   struct err *e);
/* "a,b,c": the columns of a table; NULL = there is no such table. */
const char *net_columns(const char *table, struct obuf *o);

/* ---- engines ---- */

struct net_engine {
	int (*open)(struct net *n, struct err *e);
	void (*close)(struct net *n);
	int (*exec)(struct net *n, const char *sql, struct err *e);
	int (*query)(struct net *n, const char *sql, net_row_fn *row, void *ctx, struct err *e);
	int (*push)(struct net *n, const struct net_entry *en, struct net_pushed *p, struct err *e);
	/* Entries in one, NET_MANY at most; done[i]: it is in, others are push()'s. NULL: they go one by one. */
	int (*push_many)(struct net *n, const struct net_entry *en, size_t nr, bool *done,
			 struct net_pushed *p, struct err *e);
};

/* A name of this machine. */
bool net_is_here(const char *host);
/* ms until it has to end. */
int64_t net_left(const struct net_opts *o);

struct net {
	const struct net_engine *engine;
	struct net_target target;
	struct net_opts o;
	char password[256]; /* "" = none */
	void *own;
};

extern const struct net_engine net_clickhouse, net_postgresql, net_pyroscope;

/* ---- http.c ---- */

struct net_http; /* a connection that is kept */

struct net_request {
	const char *path; /* behind the host, escaped */
	const void *body;
	size_t size;
	bool packed;		    /* the body is gzip's */
	const char *const *headers; /* NULL at the end */
};

int net_http_new(struct net_http **h, const struct net *n, struct err *e);
void net_http_free(struct net_http *h);
/* Status and the answer's body (a NUL behind it); -EAGAIN where none came. */
int net_http_post(struct net_http *h, const struct net_request *rq, long *status,
		  struct obuf *answer, struct err *e);

#endif
