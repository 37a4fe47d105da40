/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames: what is packed in a recording, by the frames of its zstd streams, each of which can be unpacked
 * without those before it. Where they lie is found out once (frames_new()); where what comes out of them lies
 * among all that comes out, by the walk of the index. After that any thread may ask for any part.
 * What was unpacked last is kept, for all threads; a frame that two ask for is unpacked once.
 */
#ifndef PERF_PERFDATA_FRAMES_INT_H
#define PERF_PERFDATA_FRAMES_INT_H

#include "perfdata-int.h"

/* What comes out of a frame: at most so much, or the recording is read as a whole. */
#define FRAME_MAX (5u << 20)

/* A COMPRESSED or COMPRESSED2 record. */
struct zip_record {
	uint64_t at;  /* its offset in the file */
	uint64_t end; /* in the unpacked stream: what comes out of it and of those before it */
	uint32_t skip, size; /* of its payload, from @at */
};

/* A frame, or several; it begins with a record. */
struct zip_frame {
	uint64_t base;	/* in the unpacked stream */
	size_t record;	/* the first; it ends where the next one begins */
	uint32_t bytes; /* that come out of it */
};

struct frames;

/* A frame that was unpacked; it stays while somebody holds it. */
struct frame_bytes {
	unsigned char *buf;
	uint32_t len;
	uint32_t *ends; /* behind what came out of each record, from the first on */
};

/*
 * Of all streams of @pd, whose records are looked through for that. @threads: as many will read. -ENOTSUP:
 * nothing is packed, or not in frames that are small enough.
 */
int frames_new(struct frames **f, struct perfdata *pd, unsigned threads, struct err *e);
void frames_free(struct frames *f); /* NULL is fine */

/* For the walk, which goes from frame to frame: threads unpack those ahead of it until frames_stop(). */
void frames_start(struct frames *f, struct perfdata *pd);
void frames_stop(struct frames *f);
void frames_walk_at(struct frames *f, size_t frame);
/* The records of a stream: @from up to @to, less @to; the frame of the first. */
size_t frames_of_stream(const struct frames *f, size_t stream, size_t *from, size_t *to);
struct zip_record *frames_record(struct frames *f, size_t record);
struct zip_frame *frames_frame(struct frames *f,
			       size_t frame); /* there is one more behind the last */
/* What could not be unpacked; the recording is to be read as a whole then. */
void frames_give_up(struct frames *f);
bool frames_gave_up(const struct frames *f);

/* Frame @i, by the files of @pd; -ENOTSUP: it cannot be read by itself. */
int frames_get(struct frames *f, struct perfdata *pd, size_t i, const struct frame_bytes **u,
	       struct err *e);
void frames_put(struct frames *f, const struct frame_bytes *u);
/* @n bytes at @off of what comes out of a stream, after the walk. */
int frames_read(struct frames *f, struct perfdata *pd, size_t stream, uint64_t off, void *buf,
		size_t n, struct err *e);
/* The record in which the byte before @end of what comes out of a stream lies. */
const struct zip_record *frames_find(const struct frames *f, size_t stream, uint64_t end);

/* zstd.c: what is to come out of @z comes from frames of @stream of @pd. */
void unzip_by_frames(struct unzip *z, struct frames *f, struct perfdata *pd, size_t stream);

#endif
