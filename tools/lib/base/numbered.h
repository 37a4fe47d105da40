/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numbered: what is sorted by a number of 64 bits, digit by digit: large arrays, in time that grows with
 * their size alone. Equal ones stay in their order. Memory, errors and threads: see base.h.
 */
#ifndef PERF_BASE_NUMBERED_H
#define PERF_BASE_NUMBERED_H

#include "base/base.h"

struct numbered {
	uint64_t number;
	uint32_t id; /* what has it, as the caller counts */
};

/* Sorts @n at @v with room for as many at @tmp. Returns where the sorted ones are, @v or @tmp; NULL: no memory. */
struct numbered *numbered_sort(struct numbered *v, struct numbered *tmp, size_t n);

/*
 * Sorts @n items of @size bytes each, at most NUMBERED_ITEM, by the uint64_t that lies @at bytes behind the start of each.
 * Quickest are those of sizeof(struct numbered). -ENOMEM: there was none for 32 bytes an item, or they are too many or too
 * large; they are as they were.
 */
#define NUMBERED_ITEM 64
int numbered_sort_items(void *items, size_t n, size_t size, size_t at);

#endif
