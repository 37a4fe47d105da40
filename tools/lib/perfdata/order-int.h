/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What order.c and pieces.c share: runs, stretches of a stream in which time ascends, and the heap
 * that merges them.
 */
#ifndef PERF_PERFDATA_ORDER_INT_H
#define PERF_PERFDATA_ORDER_INT_H

#include "perfdata-int.h"

struct order_run {
	struct stream *st; /* NULL: in the spool */
	const struct zip_record
		*packed;	  /* of what comes out of @st: where the record at hand lies */
	uint64_t pos, end;	  /* not yet read; grows while the run is open */
	uint64_t last_time;	  /* of the newest record noted */
	uint64_t seq;		  /* equal times: in the order of the file */
	unsigned level;		  /* merges behind it */
	const unsigned char *buf; /* the bytes at hand: kept ones or @own */
	size_t len;
	uint64_t base; /* position of buf[0] */
	unsigned char *own;
	size_t cap, want; /* of @own: as it is, as it should be */
	/* Of pieces: records may have gaps, whose bytes are in there; NULL: none has. */
	const struct window_map *map;
	unsigned char *filled; /* then: buf, to fill gaps in */
	struct record_gap gap; /* of the record at its head */
	/* The record at its head. */
	struct record rec;
};

struct heap {
	VEC(struct order_run *) runs;
};

struct order {
	struct heap heap;		 /* runs being merged */
	VEC(struct order_run *) pending; /* noted since the last merge */
	struct order_run *open;		 /* the one that grows */
	struct order_run *head;		 /* whose record was handed out last */
	struct spool spool;
	struct kept kept; /* of the only stream */
	uint64_t seq, limit, max_time, round_max, last_time;
	uint64_t after;	      /* what is not newer is passed over when a run begins */
	struct pieces *parts; /* only these are read; NULL = all there is */
	bool merging, at_end;
	int code; /* of the error that ended the walk */
	struct err err;
};

/* A run of nothing yet that begins at @pos. NULL: no memory. */
struct order_run *order_run_new(struct order *o, struct stream *st, uint64_t pos);
void order_run_free(struct order *o, struct order_run *r);
/* Gives each run a window, where it has no bytes, and its first record, and puts it into the heap. */
int order_heap_fill(struct perfdata *pd, struct heap *h, struct order_run **runs, size_t n,
		    struct err *e);
/* pieces.c, as walk() in order.c: 1 = *rec stands for itself, 0 = a merge begins or it is the end. */
int pieces_walk(struct perfdata *pd, struct record *rec, struct err *e);
/* gaps.c: the record that begins at @data of @r->buf has a gap, or none. */
void gaps_note(struct order_run *r, const unsigned char *data, uint32_t type, uint32_t size);
void pieces_free(struct pieces *p);

#endif
