/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of perf data push and pull. */
#ifndef PERF_PUSH_H
#define PERF_PUSH_H

#include "cli/cli.h"
#include "net/net.h"

struct data_push_opts {
	bool init;
	const char *cluster, *print_schema, *spool, *spool_limit, *retry_for;
	struct net_opts net;
};

struct data_pull_opts {
	const char *build_id, *where;
};

struct data_opts;

#define PUSH_STATUS_KEPT 75	      /* EX_TEMPFAIL: the spool has it */
#define PUSH_SPOOL_LIMIT (1ULL << 30) /* bytes, where nothing is said */

/*
 * A recording's tables into the spool, made by a child in a box; CLI status, and why it failed was said. DATA_IN_PART:
 * those of what came before its damage.
 */
int push_into_spool(const struct command *cmd, const struct data_opts *o, struct net_spool *sp,
		    const char *file, enum net_kind kind);

extern const struct option data_push_options[], data_pull_options[];

#endif
