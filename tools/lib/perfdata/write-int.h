/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the perfdata room: the parts of the writer. */
#ifndef PERF_PERFDATA_WRITE_INT_H
#define PERF_PERFDATA_WRITE_INT_H

#include "perfdata/perfdata.h"

struct zip;

struct writer_feature {
	void *data;
	size_t size;
};

struct perfdata_writer {
	struct perfdata_writer_opts opts;
	int fd;
	bool pipe;
	bool data_ended;    /* what is written now are features */
	int code;	    /* -errno of a write that failed: the data ends before it */
	unsigned char *buf; /* whole records not yet written */
	size_t len;
	uint64_t off;	   /* end of what was written as a whole */
	uint64_t data_off; /* of the first record */
	uint64_t marked;   /* data size as the header has it */
	uint64_t raw_bytes;
	uint32_t attr_size; /* of all attrs: readers take the first one's for granted */
	struct perfdata_writer_event *events;
	size_t nr_events;
	struct arena arena;
	struct writer_feature feat[FEAT_BITS];
	struct zip *zip;
};

/* Whole records to the file or pipe; a write error leaves the file at a record's end. */
int writer_put(struct perfdata_writer *w, const void *a, size_t na, const void *b, size_t nb,
	       struct err *e);
/* @attr as @size bytes. */
void writer_put_attr(struct obuf *o, const struct perf_event_attr *attr, uint32_t size);

/* Payloads of the features that the writer knows by itself. */
void writer_event_desc(const struct perfdata_writer *w, struct obuf *o);
void writer_group_desc(const struct perfdata_writer *w, struct obuf *o);
void writer_compressed(const struct perfdata_writer *w, struct obuf *o);
int writer_own_features(struct perfdata_writer *w, struct err *e);

/* Pipe mode: everything is a record. */
int writer_put_pipe_head(struct perfdata_writer *w, struct err *e);
int writer_put_pipe_feature(struct perfdata_writer *w, int id, const void *data, size_t size,
			    struct err *e);

/* zstd: COMPRESSED records. */
int writer_zip_init(struct perfdata_writer *w, int level, struct err *e);
int writer_zip(struct perfdata_writer *w, const void *a, size_t na, const void *b, size_t nb,
	       struct err *e);
int writer_zip_flush(struct perfdata_writer *w, struct err *e);
int writer_zip_level(const struct perfdata_writer *w);
uint32_t writer_zip_chunk(void); /* no record decompresses to more */
void writer_zip_free(struct perfdata_writer *w);

#endif
