/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A block of ClickHouse's FORMAT Native, as batch_native() writes it, for engines that want rows in another form. */
#ifndef PERF_NET_NATIVE_INT_H
#define PERF_NET_NATIVE_INT_H

#include "base/obuf.h"
#include "base/tables.h"

#define NET_NATIVE_COLUMNS 32

struct net_native_column {
	char name[32], type[16];
	const unsigned char *bytes; /* of all values, as they lie in the block */
	size_t size;
	size_t width;		  /* of a number; 0 = strings */
	const unsigned char *num; /* in the block's bytes */
	VEC(const char *) str;
};

struct net_native {
	uint64_t rows;
	size_t nr;
	struct net_native_column column[NET_NATIVE_COLUMNS];
	struct arena arena;
};

/* @block has to outlive it. -EINVAL: it is none, or has another number of rows; nothing is to be freed then. */
int net_native_read(struct net_native *t, const struct obuf *block, uint64_t rows);
/* As one block, appended: the rows of @n others of the same columns, one behind the other. -EINVAL: they are not. */
int net_native_join(struct obuf *out, const struct obuf *blocks, const uint64_t *rows, size_t n);
void net_native_free(struct net_native *t);
/* The column of that name; NULL = none, or of the other kind. */
const struct net_native_column *net_native_column(const struct net_native *t, const char *name,
						  bool numbers);
int64_t net_native_num(const struct net_native_column *c, uint64_t row);

#endif
