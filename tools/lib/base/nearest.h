/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nearest: which of many known names a mistyped word probably meant. Offer every name, then
 * print; no memory is allocated, the offered strings must live until then.
 *
 *	struct nearest n = nearest_init("yym");
 *
 *	nearest_offer(&n, "xmm");
 *	nearest_offer(&n, "ymm");
 *	nearest_print(&n, buf, sizeof(buf));	"ymm or xmm"
 */
#ifndef PERF_NEAREST_H
#define PERF_NEAREST_H

#include "base/base.h"

#define NEAREST_MAX 3

struct nearest {
	const char *word;
	const char *name[NEAREST_MAX]; /* nearest first */
	unsigned distance[NEAREST_MAX];
	unsigned nr;
};

static inline struct nearest nearest_init(const char *word)
{
	return (struct nearest){ .word = word };
}

/* Kept when few enough edits lead from the word to @name; case does not count. */
void nearest_offer(struct nearest *n, const char *name);
/* "a, b or c"; "" when nothing was near. */
void nearest_print(const struct nearest *n, char *buf, size_t size);

#endif
