/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * net: engines that keep the tables of fleet.h: ClickHouse over HTTP (libcurl), PostgreSQL (libpq); and Pyroscope, which
 * takes profiles made of them. Both libraries are loaded when they are needed.
 *
 *	ret = net_target_parse("clickhouse+https://host:8443/perf", &target, &err);
 *	ret = ret ?: net_open(&n, &target, &opts, &err);
 *	ret = ret ?: net_check_schema(n, &err);
 *	ret = ret ?: net_push(n, "spool/ENTRY", &pushed, &err);
 *	net_close(n);
 *
 * What is pushed is an entry: a directory as `perf data convert --to native` writes it. This room reads its list of
 * files and hands the files over; it never looks at a recording, so that what reads strangers' bytes can be without a
 * network (box.h), and what has a network and a password reads none.
 *
 * Exactly once: everything of a load goes in before its row in `loads`, where queries begin. PostgreSQL: one transaction.
 * ClickHouse: a file is one block, which a table takes whole or not at all, and before it is sent the engine is asked
 * what it has (many entries in one: net_push_many()); where that is something else than whole files (two clients at once, a request that outlived its
 * connection), the load gets the next number of FLEET_ATTEMPTS and begins anew; what lies there stays invisible.
 *
 * Errors: 0 or -errno. -EAGAIN: later it may work; -EACCES: who we are; -EINVAL of net_push(): that entry cannot be read,
 * -EBADMSG: the engine refuses it as it is; others: what we sent. A message says what the server said, and never a password. One thread for each struct net.
 */
#ifndef PERF_NET_H
#define PERF_NET_H

#include "base/base.h"
#include "cli/cli.h"
#include "fleet/fleet.h"

enum net_kind { NET_CLICKHOUSE, NET_POSTGRESQL, NET_PYROSCOPE };

struct net_target {
	enum net_kind kind;
	bool tls;
	char host[256], db[64], user[64];
	uint16_t port;
	char shown[512]; /* for messages */
};

/*
 * clickhouse+http[s]://[USER@]HOST[:PORT]/DB, postgresql://[USER@]HOST[:PORT]/DB,
 * pyroscope+http[s]://[USER@]HOST[:PORT][/TENANT]. -EINVAL with what is wrong; a password
 * in it is refused.
 */
int net_target_parse(const char *url, struct net_target *t, struct err *e);

struct net_opts {
	const char *
		password_file; /* its first line; NULL = $PERF_PUSH_PASSWORD, or what libpq finds */
	const char *ca;	       /* a file of certificates, besides those of the system */
	bool insecure;	       /* a password over plain HTTP to another machine */
	bool read_only;	       /* whatever a query says, it changes nothing */
	/* When it has to end, in ms of CLOCK_MONOTONIC: asked about once a second, as that may change. NULL = never. */
	int64_t (*until)(void *ctx);
	void *ctx;
	struct log_sink log;
};

/* The first three, for OPT_INCLUDE() of a struct net_opts. */
extern const struct option net_options[];
/* One of these was said: to a command that talks to no engine, a mistake. */
bool net_asked(const struct net_opts *o);

struct net;

int net_open(struct net **n, const struct net_target *t, const struct net_opts *o, struct err *e);
void net_close(struct net *n); /* NULL is fine */
const struct net_target *net_target(const struct net *n);

/* A statement without an answer. */
int net_exec(struct net *n, const char *sql, struct err *e);
/* Rows of a query as text; 1 of @row ends it without an error. Bytes of strangers. */
typedef int net_row_fn(void *ctx, char **field, size_t nr, struct err *e);
int net_query(struct net *n, const char *sql, net_row_fn *row, void *ctx, struct err *e);

/* Whether the tables are there, and of FLEET_SCHEMA. */
int net_check_schema(struct net *n, struct err *e);
/* Makes those that are missing. @cluster: NULL, or tables of this ClickHouse cluster's shards. */
int net_init_schema(struct net *n, const char *cluster, struct err *e);

struct net_pushed {
	uint64_t rows, bytes; /* that were sent */
	bool already;	      /* all of it was there */
};

int net_push(struct net *n, const char *dir, struct net_pushed *p, struct err *e);
/*
 * What of several entries can go in one: done[i] is set where it is in; the others are net_push()'s, after an
 * error too. An entry that cannot be read is no error here.
 */
#define NET_MANY 64
int net_push_many(struct net *n, const char *const *dirs, size_t nr, bool *done,
		  struct net_pushed *p, struct err *e);

/* ---- the spool: entries that wait for their engine ----------------------------------------------- */

struct net_spool;

struct net_spool_opts {
	const char *dir; /* NULL: perf/push in the user's cache (base/cachedir.h) */
	uint64_t limit;	 /* bytes; beyond that the oldest are dropped, with a warning */
	struct log_sink log;
};

/* Below its directory, which has to be the user's alone; what others than @t wait for is left alone. */
int net_spool_open(struct net_spool **sp, const struct net_target *t,
		   const struct net_spool_opts *o, struct err *e);
void net_spool_close(struct net_spool *sp); /* NULL is fine; what was begun and not kept goes */

/* An empty directory, with a slash at its end, for the tables of one recording. It belongs to the spool. */
int net_spool_begin(struct net_spool *sp, const char **dir, struct err *e);
/* What lies in there is on the disk and waits. 1: nothing lies in there. */
int net_spool_keep(struct net_spool *sp, struct err *e);

struct net_sending {
	struct net_opts opts;
	uint64_t seconds; /* how long it is tried again, in all, what can pass */
	/* For each entry that was not taken. */
	void (*fail)(void *ctx, const struct err *e);
	void *ctx;
	size_t entries, sent; /* result */
};

/*
 * All that waits for this target, the oldest first. One that is damaged or refused does not keep the others; what was refused
 * is not asked again by this struct net_spool. 0, or the last error; what was not taken waits on.
 */
int net_spool_send(struct net_spool *sp, struct net_sending *s);
const char *net_spool_dir(const struct net_spool *sp);

#endif
