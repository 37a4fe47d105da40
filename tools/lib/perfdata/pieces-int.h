/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What index.c, which makes pieces, and pieces.c, which reads them, share. */
#ifndef PERF_PERFDATA_PIECES_INT_H
#define PERF_PERFDATA_PIECES_INT_H

#include "frames-int.h"
#include "order-int.h"

/*
 * A stretch of a stream in which time ascends, what has no time left out. Those of a stage stand in
 * the order of the file.
 */
struct stretch {
	uint64_t from, to;    /* offsets; @to: behind the last record */
	uint64_t first, last; /* times */
	uint32_t
		stream; /* behind the last one: of what comes out of the first's packed records ... */
	uint32_t mark; /* the stream's first one behind @from */
};

/* A record behind the start of a stretch, every so many bytes. */
struct mark {
	uint64_t offset, time;
};

struct marks {
	VEC(struct mark) v;
};

/* What one merge hands out: see index.c. */
struct stage {
	size_t stretch, untimed; /* the first of each; they end where those of the next begin */
	uint64_t bytes;
};

struct piece {
	uint32_t stage;
	bool first; /* of its stage: it has the records without time too */
	/* Of records with a time: newer than @after, not newer than @until. */
	uint64_t after, until;
	uint64_t bytes; /* about */
	size_t known;	/* how many there are before it */
};

/* A record that stands for itself, at its place in the file. */
struct place_in_file {
	uint64_t offset;
	uint32_t stream;
};

/* A record that who begins behind it has to know; it lies in the spool, behind its two offsets. */
#define KNOWN_PREFIX 16
/* Of a sample only its header and what can be its fixed fields: a word for each bit of sample_type. */
#define KNOWN_SAMPLE (8 + 64 * 8)

struct known {
	uint64_t time;
	uint64_t at;
	uint32_t size;
};

struct perfdata_index {
	VEC(struct stretch) stretches;
	VEC(struct stage) stages; /* and one more behind the last */
	VEC(struct piece) pieces;
	VEC(struct place_in_file) untimed;
	VEC(struct known) known; /* in the order in which they are handed out */
	struct marks *marks;	 /* by stream */
	struct frames *frames;	 /* NULL: nothing is packed */
	size_t nr_streams;
	struct spool spool;
	uint64_t bytes;
	struct window_map map; /* of all of it: records have gaps */
	double map_seconds;    /* of CPU time, of all threads that mapped pages */
	unsigned nr_mapping;
	bool damaged;
	struct err damage;
};

/* ---- gaps.c ---------------------------------------------------------------------------------- */

/* Whether there are events with stacks so large that they are better left where they are, and all can be mapped. */
bool gaps_may_pay(const struct perfdata *pd);
/* Whether that was right, behind the walk over all records. */
bool gaps_pay(const struct perfdata *pd);
/* Whether @map has the @n bytes at @off of the file. */
bool gaps_can(const struct window_map *map, uint64_t off, size_t n);
/* These, records of a file of that byte order, into @buf, without what gaps_note() says of each. */
void gaps_copy(const struct window_map *map, uint64_t off, unsigned char *buf, size_t n, bool swap);
/* Whether there may be zeros for what the file @fd had up to @end. */
bool gaps_changed(const struct window_map *map, int fd, uint64_t end);

#endif
