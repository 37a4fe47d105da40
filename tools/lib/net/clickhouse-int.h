/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two ways into ClickHouse share: entries one by one (clickhouse.c), many in one (clickhouse-many.c). */
#ifndef PERF_NET_CLICKHOUSE_INT_H
#define PERF_NET_CLICKHOUSE_INT_H

#include "net/net-int.h"

/* One block of Native into @table; gzip's where @packed. @token: what a server that knows tokens tells a repetition by. */
int net_clickhouse_insert(struct net *n, const char *table, const char *token,
			  const struct obuf *block, bool packed, struct err *e);
int net_clickhouse_query(struct net *n, const char *sql, net_row_fn *row, void *ctx, struct err *e);

/* net_engine.push_many */
int net_clickhouse_many(struct net *n, const struct net_entry *en, size_t nr, bool *done,
			struct net_pushed *p, struct err *e);

#endif
