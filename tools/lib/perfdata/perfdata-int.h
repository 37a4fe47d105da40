/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the perfdata room. From the bytes up:
 *
 *	view	a part of a file, mapped, to look at (window-view.c)
 *	window	a few hundred KB of a file or pipe that moves forward (window.c)
 *	stream	whole records out of a window, through zstd where needed (stream.c, zstd.c)
 *	events	attrs, ids, and where a record keeps its id and time (events.c)
 *	header	the file's header, attrs and feature table (header.c, feature.c)
 *	frames	what is packed, unpacked by several threads (frames.c)
 *	order	runs of records, merged by time (order.c, spool.c)
 */
#ifndef PERF_PERFDATA_PERFDATA_INT_H
#define PERF_PERFDATA_PERFDATA_INT_H

#include "base/tables.h"
#include "perfdata/perfdata.h"

#define WINDOW_SIZE    (256u << 10)
#define RECORD_MAX     65535u /* the header's size is 16 bits */
#define DEFAULT_MEM    (64u << 20)
#define HELD_MAX       (64u << 20) /* of a pipe, while its events are looked for */
#define OFFSET_UNKNOWN UINT64_MAX

/* ---- window ---------------------------------------------------------------------------------- */

/*
 * What a window read before it moved on, so that a second walk needs no second read. Only as
 * long as there is room.
 */
struct kept_block {
	unsigned char *buf;
	uint64_t base;
	size_t len;
};

struct kept {
	VEC(struct kept_block) block; /* ascending, each starts with a whole record */
	VEC(unsigned char *) spare;   /* buffers to be used again */
	size_t max;
};

void window_kept_free(struct kept *k);
/* Nothing before @off is asked for any more. */
void window_kept_release(struct kept *k, uint64_t off);

struct window {
	struct kept *kept; /* NULL = nothing is kept */
	bool keep;	   /* the bytes at hand will be */
	int fd;
	bool seekable;
	bool hold; /* pipe: keep everything read so far */
	bool eof;  /* pipe: nothing more comes */
	bool left; /* pipe: more may come, but nobody waits for it */
	bool (*waits)(
		void *ctx); /* called while a pipe brings nothing; true: do not wait any more */
	void *ctx;
	int code; /* the first read error, -errno */
	unsigned char *buf;
	size_t cap, len;
	size_t look; /* a file: so much a read asks for, if that is enough; 0 = all that there is room for */
	uint64_t base; /* offset of buf[0] in the file */
};

/* The buffer of @cap bytes comes with the first read; window_free() gives it back until the next. */
void window_init(struct window *w, int fd, bool seekable, size_t cap);
void window_free(struct window *w);
/*
 * Bytes at @off. *avail says how many follow there: fewer than @need only at the end of the file
 * or after an error (w->code). Valid until the next call.
 */
const unsigned char *window_slow(struct window *w, uint64_t off, size_t need, size_t *avail);

/* Bytes at @off that stay where they are until window_kept_release(); NULL when they are not at hand. */
const unsigned char *window_kept(const struct window *w, uint64_t off, size_t need, size_t *avail);

static inline const unsigned char *window_at(struct window *w, uint64_t off, size_t need,
					     size_t *avail)
{
	uint64_t skip = off - w->base;

	if (likely(off >= w->base && skip <= w->len && w->len - skip >= need)) {
		*avail = w->len - (size_t)skip;
		return w->buf + skip;
	}
	return window_slow(w, off, need, avail);
}

/*
 * The window, one that keeps nothing, is the @n bytes at @p, as they lie at @off in the file. False: no memory, or
 * more than it has room for; it then has the bytes that it had.
 */
bool window_put(struct window *w, uint64_t off, const unsigned char *p, size_t n);

/* pread() until @n bytes are there or the file ends: the count, or -errno. */
ssize_t window_pread(int fd, void *buf, size_t n, uint64_t off);

/* ---- view ------------------------------------------------------------------------------------ */

#define VIEW_LEAST (128u << 10) /* more than any record */
#define VIEW_STEP  (2u << 20)	/* a large page */

/* A map, of which steps up to @gone were passed and dropped, and those from the one at @here up to @ready were asked for. */
struct window_steps {
	unsigned char *map; /* NULL = none */
	size_t len, gone, here, ready;
	bool keep; /* nothing is dropped */
};

/* window-side.c: the step at @skip is at hand. What is to be done for it is done, or, where others do it, is being done. */
void window_steps_to(struct window_steps *s, size_t skip);

struct window_side; /* threads that do this for one view after the other */

/* NULL: there are none. */
struct window_side *window_side_new(unsigned threads);
/* All that follows is about @v, or, if it is of no length, about none. The old one is nobody's any more. */
void window_side_map(struct window_side *s, const struct window_steps *v);
/* As window_steps_to(); *v: as the steps are now. */
void window_side_to(struct window_side *s, struct window_steps *v, size_t skip);
/* NULL is fine. Seconds of CPU time that all took, and how many there were. */
double window_side_free(struct window_side *s, unsigned *threads);

struct window_view {
	int fd;
	struct window_steps steps;
	uint64_t base;
	struct window_side *side; /* its owner's; NULL = none */
	struct elf_guard *guard;
	bool whole;  /* the map is of all of the file, and nothing is dropped */
	bool to_end; /* of the file, as it was then */
	bool fails;  /* nothing can be mapped, or there is no more */
};

/*
 * Bytes at @off: those of one record at least, but at the end of the file. *left = 0: there is no view of them,
 * read them. They may change while they are looked at.
 */
const unsigned char *window_view_at(struct window_view *v, int fd, uint64_t off, size_t *left);
void window_view_free(struct window_view *v);
/* A map of a file from @base on. What it is allowed to be used for is what a view is. */
struct window_map {
	unsigned char *at; /* NULL = none */
	size_t len;
	uint64_t base;
	struct elf_guard *guard;
};
/* The map of one that is whole and in order; then the view has none any more. */
void window_view_take(struct window_view *v, struct window_map *m);
void window_map_free(struct window_map *m); /* none is fine */
/* Bytes at @off, @n at most, into @w: what window_at() would read from the file. */
void window_view_read(struct window_view *v, struct window *w, uint64_t off, size_t n);

/* ---- stream ---------------------------------------------------------------------------------- */

struct unzip; /* a zstd stream and the part of a record that its chunks left over */

struct stream {
	struct window win;
	uint64_t pos;	/* of the next record in the file */
	uint64_t start; /* of the first */
	uint64_t end;	/* OFFSET_UNKNOWN: until the bytes end */
	bool cut_ok;	/* unfinished: a part of a record at the end is expected */
	bool own_fd;
	bool collect;	/* keep the payload of TRACING_DATA records */
	bool no_limits; /* of what is packed */
	bool as_it_is;	/* records that are packed are handed out as such */
	const struct log_sink *log;
	struct unzip *zip;
	bool in_zip;	       /* records come out of @zip */
	uint64_t zip_pos;      /* of the COMPRESSED record they are in */
	uint64_t nr_zipped[2]; /* COMPRESSED and COMPRESSED2 records seen */
	struct obuf payload;   /* of the TRACING_DATA record just returned */
};

struct raw_record {
	const unsigned char *data;
	uint64_t offset;
	uint64_t file_offset; /* of the COMPRESSED record that it came out of, else as offset */
	uint32_t type, size;
	uint16_t misc;
	bool unzipped; /* @offset counts decompressed bytes; cannot be read again from the file */
};

/* Of all files of a directory; of a file that was not finished, up to its end; 0 of a pipe. */
uint64_t perfdata_record_bytes(const struct perfdata *pd);
/* From the start of @fd up to @end. @size: of the file; OFFSET_UNKNOWN: it is none, and read as it comes. */
void stream_init(struct stream *s, int fd, uint64_t size, uint64_t end);
void stream_free(struct stream *s);
/* 1, 0 at the end, or -errno. */
int stream_next(struct stream *s, bool swap, struct raw_record *r, struct err *e);
/* Bytes that lie behind a record without being counted in its size. */
uint64_t record_payload(const struct raw_record *r, bool swap);

#define RECORD_SIMPLEPERF 32768

/*
 * Fills r from the header at @p. simpleperf's own records (type 32768 and up) keep the upper half
 * of their size in misc; what passes 64 KiB of them counts as payload.
 */
static inline void record_header(struct raw_record *r, const unsigned char *p, bool swap)
{
	r->type = load_u32(p, swap);
	r->misc = load_u16(p + 4, swap);
	r->size = load_u16(p + 6, swap);
	if (unlikely(r->type >= RECORD_SIMPLEPERF && r->misc))
		r->size = r->size < 8 ? 8 : r->size;
}

/* Without @no_limits what unpacks to much more than there is gives -EFBIG. */
struct unzip *unzip_new(bool no_limits, struct err *e);
void unzip_free(struct unzip *z);
void unzip_reset(struct unzip *z);
/* @data must stay until unzip_next() says that it wants more. */
void unzip_feed(struct unzip *z, const void *data, size_t size);
/* 1 = a record, 0 = feed more, or -errno. */
int unzip_next(struct unzip *z, bool swap, struct raw_record *r, struct err *e);
size_t unzip_left(const struct unzip *z); /* bytes of an incomplete record */
/* What came out and was not handed out yet, at *offset of all that comes out; @n bytes of it are. */
const unsigned char *unzip_peek(const struct unzip *z, size_t *left, uint64_t *offset);
void unzip_skip(struct unzip *z, size_t n);

/* ---- events ---------------------------------------------------------------------------------- */

struct pd_event {
	struct perfdata_event pub;
	/* Offsets of id and time: from the start of a SAMPLE, from the end of others; 0 = none. */
	uint16_t sample_id, sample_time, sample_tid, other_id, other_time;
	bool id_all;
	bool named; /* by the recording; else after its attr */
};

struct id_entry {
	uint64_t id;
	uint32_t event;
};

#define RECENT_IDS 64

struct recent_id {
	uint64_t id;
	struct pd_event *event; /* NULL = none */
};

struct feature_section {
	uint64_t offset, size;
	unsigned char *data; /* loaded or from a pipe */
};

struct order;

struct perfdata {
	char *path;
	struct perfdata_opts opts;
	struct perfdata_layout layout;
	bool swap, pipe;
	uint64_t attr_off, attr_size, attr_entry;

	VEC(struct pd_event *) events;
	size_t nr_joined; /* of these, at the end: of other recordings */
	uint64_t visits;  /* events looked at for records that describe all of them */
	VEC(struct id_entry) ids;
	struct htab id_tab;
	struct recent_id recent[RECENT_IDS]; /* by the id's low bits: each CPU has its own id */
	struct arena arena;

	uint64_t feat_bits[4];
	bool bits_guessed; /* the file did not say which features it has */
	struct feature_section feat[FEAT_BITS];
	struct perfdata_env env;
	VEC(struct perfdata_build_id) build_ids;
	struct trace *trace; /* of TRACING_DATA, once it was read; NULL = nothing in it */
	bool trace_read;

	struct stream *streams; /* one; more in the directory format */
	size_t nr_streams, cur;
	/* Header records before these offsets (in the file, decompressed) took effect already. */
	uint64_t applied, applied_zip;
	uint64_t next_progress, done_before;
	bool failed, ended, said_unknown;

	struct order *order;
	struct perfdata_stats stats;
	struct perfdata_ahead *ahead; /* NULL = whoever uses the records reads them too */
};

/* Of the recording itself. */
static inline size_t own_events(const struct perfdata *pd)
{
	return pd->events.n - pd->nr_joined;
}

struct pd_event *perfdata_add_event(struct perfdata *pd, const struct perf_event_attr *attr,
				    struct err *e);
int perfdata_set_event_ids(struct perfdata *pd, struct pd_event *ev, const void *data, size_t nr,
			   struct err *e);
int perfdata_set_event_name(struct perfdata *pd, struct pd_event *ev, const char *name, size_t n);
struct pd_event *perfdata_find_event(struct perfdata *pd, uint64_t id);
/* Whether perfdata_find_event() finds one, as far as that is known without a search. */
static inline bool perfdata_is_recent(const struct perfdata *pd, uint64_t id)
{
	const struct recent_id *recent = &pd->recent[id % RECENT_IDS];

	return recent->event && recent->id == id;
}

void perfdata_resolve_any(struct perfdata *pd, const struct raw_record *r, struct record *rec);

/* The event of a sample, where that needs no search; NULL: perfdata_resolve_any() has to find out. */
static inline const struct pd_event *perfdata_event_of(const struct perfdata *pd,
						       const struct raw_record *r)
{
	const struct pd_event *ev;
	uint64_t id;

	if (unlikely(!own_events(pd)))
		return NULL;
	ev = pd->events.v[0];
	if (likely(own_events(pd) == 1))
		return ev;
	if (unlikely(!ev->sample_id || ev->sample_id + 8u > r->size))
		return NULL;
	id = load_u64(r->data + ev->sample_id, pd->swap);
	return id && perfdata_is_recent(pd, id) ? pd->recent[id % RECENT_IDS].event : NULL;
}

/* Fills time and event of a record of at least 8 bytes. */
static inline void perfdata_resolve(struct perfdata *pd, const struct raw_record *r,
				    struct record *rec)
{
	const struct pd_event *ev =
		likely(r->type == PERF_RECORD_SAMPLE) ? perfdata_event_of(pd, r) : NULL;

	if (unlikely(!ev)) {
		perfdata_resolve_any(pd, r, rec);
		return;
	}
	rec->event = &ev->pub;
	rec->time = likely(ev->sample_time && ev->sample_time + 8u <= r->size)
			    ? load_u64(r->data + ev->sample_time, pd->swap)
			    : RECORD_NO_TIME;
}

/* One of the records that describe events or the machine (pipe mode). */
int perfdata_apply(struct perfdata *pd, const struct raw_record *r, const struct obuf *payload,
		   struct err *e);

/* Of the thread that reads ahead: returns once the other one waits for it. */
void perfdata_ahead_wait_idle(struct perfdata_ahead *a);

/* ---- header and features ----------------------------------------------------------------------- */

/* The header and, in a file, attrs, ids and features; @s then stands at the first record. */
int perfdata_read_header(struct perfdata *pd, struct stream *s, struct err *e);
/* The file ends with features: where they are, and those that every reader needs. */
int features_load(struct perfdata *pd, struct err *e);
/* A feature that came as a record. @data is copied. */
int features_add(struct perfdata *pd, uint64_t id, const void *data, size_t size, struct err *e);
int features_add_build_id(struct perfdata *pd, const unsigned char *data, uint32_t size);
/* Names tracepoints that nothing else named, from the formats in feature TRACING_DATA. */
int tracing_name_events(struct perfdata *pd);
int tracing_name_event(struct perfdata *pd, struct pd_event *ev);
/* The feature's bytes go away. */
void tracing_forget(struct perfdata *pd);

/* perfdata_next(); *unzipped: the record cannot be read again from the file. */
int perfdata_next_in_file(struct perfdata *pd, struct record *rec, bool *unzipped, struct err *e);
void perfdata_order_free(struct perfdata *pd);

/* ---- spool: records kept for later, in memory, then in an unlinked file ------------------------- */

#define SPOOL_CHUNK (256u << 10)

struct spool {
	VEC(unsigned char *) chunks; /* NULL: freed or in the file */
	size_t first;		     /* chunks before it are freed */
	size_t in_mem, max_mem;	     /* bytes */
	uint64_t end;
	int fd;
};

void spool_init(struct spool *s, size_t max_mem);
int spool_append(struct spool *s, const void *data, size_t size, struct err *e);
int spool_read(const struct spool *s, uint64_t pos, void *buf, size_t size, struct err *e);
void spool_release(struct spool *s, uint64_t before); /* nothing before is read again */
void spool_free(struct spool *s);

#endif
