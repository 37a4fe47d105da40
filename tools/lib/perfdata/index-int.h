/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside index.c and index-stage.c: the walk over a recording. */
#ifndef PERF_PERFDATA_INDEX_INT_H
#define PERF_PERFDATA_INDEX_INT_H

#include "pieces-int.h"

#define KNOWN_THREADS 64 /* that need not be asked about, a power of two */

/* Where samples have what the walk looks at; the same in all events, else time is 0. */
struct index_places {
	uint32_t id; /* 0 = there is one event */
	uint32_t time, thread, least;
};

/* The walk, and the round that it is in. */
struct index_walk {
	struct perfdata *pd;
	struct perfdata_index *x;
	const struct perfdata_index_opts *o;
	uint64_t mark_bytes;
	/* The round: what this stage takes, what the next does. */
	VEC(struct stretch) now, next;
	VEC(struct known) known_now, known_next, known_untimed;
	size_t untimed; /* of the stage: the first */
	bool open;	/* the last stretch may grow ... */
	bool open_next; /* ... which is in @next */
	uint64_t last_time, limit, max_time, next_mark;
	uint32_t stream; /* of the last stretch */
	uint32_t source; /* of the record at hand: as stretch.stream */
	struct index_places places;
	bool has_thread; /* of which no sample is kept until a record comes that is none ... */
	uint64_t thread; /* ... pid and tid as they stand in the file; and more of these: */
	struct {
		uint64_t thread;
		uint64_t turn; /* that it is known in, + 1 */
	} known_thread[KNOWN_THREADS];
	uint64_t turn; /* ends with each record that is no sample */
	struct window_view view;
	unsigned char *copy; /* of a record that was looked at there; NULL = there is no view */
};

/* index-stage.c */
int perfdata_index_no_memory(struct err *e);
/* This recording is read as a whole: -ENOTSUP. */
int perfdata_index_refuse(struct err *e);
/* What was walked over since the last round becomes a stage. */
int perfdata_index_end_round(struct index_walk *w, struct err *e);
/* Behind the last record all that is left comes in one stage. */
int perfdata_index_end_walk(struct index_walk *w, struct err *e);

#endif
