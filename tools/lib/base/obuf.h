/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * obuf: output through one large buffer, and numbers as text without stdio. Memory, errors and threads: see base.h.
 */
#ifndef PERF_BASE_OBUF_H
#define PERF_BASE_OBUF_H

#include "base/base.h"

/*
 * Formats into memory and writes whole buffers to a descriptor. A write error is kept in `code`
 * (first -errno; EPIPE too) and everything after it is dropped. With fd -1 it only collects in
 * memory and grows: buf/len are the text (not NUL-terminated).
 */
struct obuf {
	char *buf;
	size_t len, cap;
	size_t full; /* grows up to here before it is flushed */
	int fd;
	int code;
	uint64_t total; /* bytes flushed so far */
};

int obuf_init(struct obuf *o, int fd, size_t cap); /* cap 0 = 256 KiB for files, 4 KiB for fd -1 */
int obuf_flush(struct obuf *o);			   /* 0 or the first error */
int obuf_free(struct obuf *o);			   /* flushes; returns like obuf_flush */
/*
 * All that @from, which only collects, has: to the end of @to, without a copy where it is much. A failure of @from
 * becomes one of @to: text is missing.
 */
void obuf_move(struct obuf *to, struct obuf *from);
/* Makes @n bytes writable at the returned place; NULL when that failed (code is set). */
char *obuf_room_slow(struct obuf *o, size_t n);

static inline char *obuf_room(struct obuf *o, size_t n)
{
	if (likely(o->cap - o->len >= n))
		return o->buf + o->len;
	return obuf_room_slow(o, n);
}

/* How much was ever printed: marks a place for obuf_since(). */
static inline uint64_t obuf_printed(const struct obuf *o)
{
	return o->total + o->len;
}

/*
 * What was printed since obuf_printed() said @mark; it lies in the buffer until the next call.
 * NULL when it does not any more, or when writing failed.
 */
static inline const char *obuf_since(const struct obuf *o, uint64_t mark, size_t *len)
{
	if (mark < o->total || o->code)
		return NULL;
	*len = (size_t)(obuf_printed(o) - mark);
	return o->buf + (mark - o->total);
}

static inline void obuf_mem(struct obuf *o, const void *s, size_t n)
{
	char *p = n ? obuf_room(o, n) : NULL; /* there may be no buffer yet, and none to add 0 to */

	if (likely(p != NULL)) {
		memcpy(p, s, n);
		o->len += n;
	}
}

static inline void obuf_char(struct obuf *o, char c)
{
	char *p = obuf_room(o, 1);

	if (likely(p != NULL)) {
		*p = c;
		o->len++;
	}
}

static inline void obuf_str(struct obuf *o, const char *s)
{
	obuf_mem(o, s, strlen(s));
}

#define obuf_lit(o, lit) obuf_mem((o), "" lit, sizeof(lit) - 1)

void obuf_varint(struct obuf *o, uint64_t v);				   /* LEB128 */
void obuf_base64(struct obuf *o, const void *data, size_t n);		   /* RFC 4648, padded */
void obuf_pad(struct obuf *o, char c, int n);				   /* n <= 0: nothing */
void obuf_str_left(struct obuf *o, const char *s, int width);		   /* %-*s */
void obuf_str_right(struct obuf *o, const char *s, int width);		   /* %*s */
void obuf_dec(struct obuf *o, uint64_t v);				   /* %lu */
void obuf_dec_right(struct obuf *o, uint64_t v, int width);		   /* %*lu */
void obuf_dec_zero(struct obuf *o, uint64_t v, int width);		   /* %0*lu */
void obuf_sdec(struct obuf *o, int64_t v);				   /* %ld */
void obuf_hex(struct obuf *o, uint64_t v);				   /* %lx */
void obuf_hex_right(struct obuf *o, uint64_t v, int width);		   /* %*lx */
void obuf_hex_zero(struct obuf *o, uint64_t v, int width);		   /* %0*lx */
void obuf_fixed2(struct obuf *o, double v);				   /* %.2f */
void obuf_printf(struct obuf *o, const char *fmt, ...) __printf_fmt(2, 3); /* the slow way */

/* The same digits into a caller's buffer of at least 20 (16) bytes; they return the length. */
int fmt_dec(char *buf, uint64_t v);
int fmt_hex(char *buf, uint64_t v);
/* %.2f into FMT_FIXED2 bytes; 0 = that would be longer, or is no number. */
#define FMT_FIXED2 24
int fmt_fixed2(char *buf, double v);

#endif
