/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: what every room leans on and that knows nothing about perf.
 *
 *	err	an error with its code, its text and a hint for the next step
 *	log	messages on stderr, four levels
 *	bytes	unaligned loads, byte order, the bounds-checked cursor
 *	vec	growable arrays			hash	hashes, open-addressing index table
 *	arena	memory freed all at once	intern	strings to dense numbers
 *	bits	bit sets of any length		obuf	large output buffer, fast numbers
 *	safe	what of a file's bytes may be printed
 *
 * Memory: whoever calls x_init/x_new calls x_free. Functions that allocate return -ENOMEM (or
 * NULL) and never exit. Nothing here is safe for concurrent use of one object; different
 * objects may be used by different threads.
 *
 *	struct err err = { 0 };
 *	struct cursor c = cursor_init(data, size, swap);
 *	uint32_t n = cursor_u32(&c);
 *
 *	if (c.bad)
 *		return err_set(&err, -EINVAL, "header cut at byte %zu", size);
 */
#ifndef PERF_BASE_H
#define PERF_BASE_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#define ARRAY_SIZE(a)	   (sizeof(a) / sizeof((a)[0]))
#define BIT(n)		   (1ULL << (n))
#define __printf_fmt(a, b) __attribute__((format(printf, a, b)))
#define likely(x)	   __builtin_expect(!!(x), 1)
#define unlikely(x)	   __builtin_expect(!!(x), 0)

static inline int64_t min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* v rounded up to a power of two @align; wraps to 0 when it does not fit. */
static inline uint64_t align_up(uint64_t v, uint64_t align)
{
	return (v + align - 1) & ~(align - 1);
}

/* ---- err: filled by libraries, printed by tools/perf only ---------------------------------- */

struct err {
	int code;	 /* -errno, 0 = none */
	char text[768];	 /* what was tried, what refused, the likely cause; no newline at the end */
	char hint[1024]; /* the next step for the user; may hold several lines; may be empty */
};

/*
 * Replaces @e's text; @e may be NULL. Returns @code, so that `return err_set(...)` reads well.
 * Names of files may be among the arguments as they are: see safe_format().
 */
int err_set(struct err *e, int code, const char *fmt, ...) __printf_fmt(3, 4);
/* Puts "CONTEXT: " in front of the text that is there. Returns e->code (or -EINVAL if NULL). */
int err_context(struct err *e, const char *fmt, ...) __printf_fmt(2, 3);
/* Sets the hint. */
void err_hint(struct err *e, const char *fmt, ...) __printf_fmt(2, 3);
void err_clear(struct err *e);

/* ---- log: stderr only ----------------------------------------------------------------------- */

enum log_level {
	LOG_ERROR,
	LOG_WARN,
	LOG_INFO,  /* -v */
	LOG_DEBUG, /* -vv */
};

void log_set_level(enum log_level level);
enum log_level log_get_level(void);
/* One message, made by safe_format(); a newline is added. log_warn is shown unless -q. */
void log_error(const char *fmt, ...) __printf_fmt(1, 2);
void log_warn(const char *fmt, ...) __printf_fmt(1, 2);
void log_info(const char *fmt, ...) __printf_fmt(1, 2);
void log_debug(const char *fmt, ...) __printf_fmt(1, 2);

/* ---- safe: bytes that may steer a terminal or break a line --------------------------------- */

/*
 * Bytes of the character at @s that may be printed as it is, 0 when it may not: control bytes,
 * broken UTF-8, controls and marks of direction in UTF-8. @left is at least 1.
 */
size_t safe_char(const char *s, size_t left);
/* How many of @n bytes may be printed as they are, before the first that may not. */
size_t safe_run(const char *s, size_t n);
/*
 * Copies @n bytes with \xNN for each that may not be printed, but for those in @keep; cut to what
 * fits, NUL-terminated. The length.
 */
size_t safe_copy(char *buf, size_t size, const char *s, size_t n, const char *keep);
/*
 * vsnprintf() for messages: what its arguments hold becomes safe. Newlines and tabs stay where all
 * of them are @fmt's own, or where @fmt is "%s": that passes on a message.
 */
size_t safe_format(char *buf, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/* ---- bytes ----------------------------------------------------------------------------------- */

static inline uint16_t load_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static inline void store_u16(void *p, uint16_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u32(void *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(void *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline bool host_is_big_endian(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/*
 * A cursor reads forward through bytes that nobody vouches for. A read past the end returns 0
 * (or NULL) and sets `bad`, which stays set: read a whole structure, then test `bad` once.
 */
struct cursor {
	const unsigned char *p;
	const unsigned char *end;
	const unsigned char *start;
	bool swap; /* the bytes are of the other byte order */
	bool bad;
};

static inline struct cursor cursor_init(const void *data, size_t size, bool swap)
{
	const unsigned char *p = data;
	const unsigned char *end = size ? p + size : p; /* not even 0 may be added to NULL */

	return (struct cursor){ .p = p, .end = end, .start = p, .swap = swap };
}

static inline size_t cursor_left(const struct cursor *c)
{
	return (size_t)(c->end - c->p);
}

static inline size_t cursor_pos(const struct cursor *c)
{
	return (size_t)(c->p - c->start);
}

/* The next @size bytes, or NULL (and bad) when there are fewer. They stay the file's. */
static inline const void *cursor_bytes(struct cursor *c, uint64_t size)
{
	const unsigned char *p = c->p;

	if (unlikely(c->bad || size > cursor_left(c))) {
		c->bad = true;
		return NULL;
	}
	c->p += size;
	return p;
}

static inline void cursor_skip(struct cursor *c, uint64_t size)
{
	(void)cursor_bytes(c, size);
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const unsigned char *p = cursor_bytes(c, 1);

	return p ? *p : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const void *p = cursor_bytes(c, 2);

	return p ? load_u16(p, c->swap) : 0;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const void *p = cursor_bytes(c, 4);

	return p ? load_u32(p, c->swap) : 0;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const void *p = cursor_bytes(c, 8);

	return p ? load_u64(p, c->swap) : 0;
}

/*
 * A NUL-terminated string inside the next @size bytes; all @size bytes are consumed. NULL and
 * bad when they are not there or hold no NUL.
 */
static inline const char *cursor_str(struct cursor *c, uint64_t size)
{
	const char *s = cursor_bytes(c, size);

	if (s && !memchr(s, 0, size)) {
		c->bad = true;
		return NULL;
	}
	return s;
}

/* ---- vec: struct { type *v; size_t n, cap; } ------------------------------------------------- */

#define VEC(type)              \
	struct {               \
		type *v;       \
		size_t n, cap; \
	}

/* Makes room for @need elements of @elem bytes. 0 or -ENOMEM. */
int vec_reserve_raw(void **v, size_t *cap, size_t need, size_t elem);

static inline int vec_reserve_at(void **v, size_t *cap, size_t need, size_t elem)
{
	return likely(need <= *cap) ? 0 : vec_reserve_raw(v, cap, need, elem);
}

#define vec_reserve(vec, need) \
	vec_reserve_at((void **)&(vec)->v, &(vec)->cap, (need), sizeof(*(vec)->v))
/* Appends a copy of @val. 0 or -ENOMEM. */
#define vec_push(vec, val) \
	(vec_reserve((vec), (vec)->n + 1) ? -ENOMEM : ((vec)->v[(vec)->n++] = (val), 0))
/* Makes element @idx exist; what is new is @val. 0 or -ENOMEM. */
#define vec_reach(vec, idx, val)                             \
	({                                                   \
		size_t idx_ = (idx);                         \
		int ret_ = 0;                                \
		if (idx_ >= (vec)->n)                        \
			ret_ = vec_reserve((vec), idx_ + 1); \
		while (!ret_ && (vec)->n <= idx_)            \
			(vec)->v[(vec)->n++] = (val);        \
		ret_;                                        \
	})
#define vec_free(vec)                                     \
	do {                                              \
		free((vec)->v);                           \
		memset((void *)(vec), 0, sizeof(*(vec))); \
	} while (0)
#define vec_for_each(it, vec)                                                                 \
	for (__typeof__((vec)->v + 0)(it) = (vec)->v; (vec)->n && (it) < (vec)->v + (vec)->n; \
	     (it)++)

/* ---- hash ------------------------------------------------------------------------------------ */

/* 2^64 divided by the golden ratio, odd: multiples of it lie far apart (Knuth, TAOCP vol. 3, 6.4). */
#define HASH_GOLDEN 0x9e3779b97f4a7c15ULL

/*
 * An index into a table of 2^@bits slots, 1 <= @bits <= 64: one multiplication, whose upper bits
 * depend on all of @x. For caches on hot paths; hash_u64() spreads better.
 */
static inline uint64_t hash_slot(uint64_t x, unsigned bits)
{
	return x * HASH_GOLDEN >> (64 - bits);
}

static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	return x ^ (x >> 32);
}

static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
	return hash_u64(h ^ (v + HASH_GOLDEN + (h << 6)));
}

uint64_t hash_bytes(const void *p, size_t n);

/*
 * An index table: maps a hash to indices of entries that the caller keeps in an array. The
 * caller compares keys:
 *
 *	for (struct htab_it it = htab_find(&t, hash); htab_next(&t, &it, &idx);)
 *		if (entries[idx].key == key)
 *			return idx;
 *	htab_add(&t, hash, new_idx);
 *
 * Zero-initialised is empty. Entries are never removed one by one.
 */
struct htab {
	uint64_t *slot; /* tag = upper 32 bits of the hash; index + 1 in the lower 32; 0 = empty */
	uint32_t mask, used;
};

struct htab_it {
	uint32_t pos, tag;
};

static inline struct htab_it htab_find(const struct htab *t, uint64_t hash)
{
	uint32_t tag = (uint32_t)(hash >> 32);

	return (struct htab_it){ .pos = tag & t->mask, .tag = tag };
}

static inline bool htab_next(const struct htab *t, struct htab_it *it, uint32_t *idx)
{
	if (unlikely(!t->slot))
		return false;
	for (;;) {
		uint64_t s = t->slot[it->pos];

		if (!s)
			return false;
		it->pos = (it->pos + 1) & t->mask;
		if ((uint32_t)(s >> 32) == it->tag) {
			*idx = (uint32_t)s - 1;
			return true;
		}
	}
}

/* Asks for the memory that a search begins at. */
static inline void htab_prefetch(const struct htab *t, uint64_t hash)
{
	if (likely(t->slot))
		__builtin_prefetch(&t->slot[htab_find(t, hash).pos]);
}

/* What a search would most likely find, without comparing; UINT32_MAX = nothing. */
static inline uint32_t htab_peek(const struct htab *t, uint64_t hash)
{
	struct htab_it it = htab_find(t, hash);
	uint32_t idx;

	return htab_next(t, &it, &idx) ? idx : UINT32_MAX;
}

int htab_add(struct htab *t, uint64_t hash, uint32_t idx); /* 0 or -ENOMEM */
void htab_free(struct htab *t);

/* ---- arena ------------------------------------------------------------------------------------ */

struct arena_chunk;
struct arena {
	struct arena_chunk *chunk;
	size_t used; /* bytes handed out */
};

/* Whether @n bytes more could be had: to ask before calling a library that dies where it cannot. */
bool mem_spare(size_t n);

void *arena_alloc(struct arena *a, size_t size); /* 16-byte aligned, zeroed; NULL = no memory */
void *arena_memdup(struct arena *a, const void *p, size_t size);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __printf_fmt(2, 3);
void arena_free(struct arena *a);

/* ---- intern: equal strings get equal, dense numbers; 0 is always "" --------------------------- */

struct intern {
	VEC(const char *) str;
	struct htab tab;
	struct arena arena;
};

#define INTERN_NONE UINT32_MAX

/* The number of @s; INTERN_NONE when memory is out. The copy lives until intern_free(). */
uint32_t intern(struct intern *in, const char *s);
uint32_t intern_n(struct intern *in, const char *s, size_t n);
const char *intern_str(const struct intern *in, uint32_t id);
void intern_free(struct intern *in);

/* ---- bits --------------------------------------------------------------------------------------- */

struct bits {
	uint64_t *w;
	size_t nr; /* bits */
};

int bits_init(struct bits *b, size_t nr);
void bits_free(struct bits *b);

static inline bool bits_test(const struct bits *b, size_t i)
{
	return i < b->nr && (b->w[i / 64] >> (i % 64) & 1);
}

static inline void bits_set(struct bits *b, size_t i)
{
	if (i < b->nr)
		b->w[i / 64] |= BIT(i % 64);
}

static inline int weight_u64(uint64_t v)
{
	return __builtin_popcountll(v);
}

/*
 * "0-3,7" <-> bits: CPU lists and the like. @max bounds the numbers (error -ERANGE above).
 * bits_parse_list() grows @b as needed; bits_print_list() returns the length like snprintf.
 */
int bits_parse_list(struct bits *b, const char *list, size_t max);
int bits_print_list(const struct bits *b, char *buf, size_t size);

/* ---- obuf: output through one large buffer ------------------------------------------------------ */

/*
 * Formats into memory and writes whole buffers to a descriptor. A write error is kept in `code`
 * (first -errno; EPIPE too) and everything after it is dropped. With fd -1 it only collects in
 * memory and grows: buf/len are the text (not NUL-terminated).
 */
struct obuf {
	char *buf;
	size_t len, cap;
	int fd;
	int code;
	uint64_t total; /* bytes flushed so far */
};

int obuf_init(struct obuf *o, int fd, size_t cap); /* cap 0 = 256 KiB for files, 4 KiB for fd -1 */
int obuf_flush(struct obuf *o);			   /* 0 or the first error */
int obuf_free(struct obuf *o);			   /* flushes; returns like obuf_flush */
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
	char *p = obuf_room(o, n);

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
void obuf_printf(struct obuf *o, const char *fmt, ...) __printf_fmt(2, 3); /* the slow way */

/* The same digits into a caller's buffer of at least 20 (16) bytes; they return the length. */
int fmt_dec(char *buf, uint64_t v);
int fmt_hex(char *buf, uint64_t v);

/* ---- small helpers -------------------------------------------------------------------------------- */

/* The whole of a small file (sysfs, procfs; at most @max bytes), NUL-terminated, to be freed. */
char *file_read_all(const char *path, size_t max, size_t *size, struct err *e);
/* A descriptor of a file of that many bytes, -ENOEXEC for what is none (and may block), or -errno. */
int file_open_regular(const char *path, uint64_t *size);
/*
 * A descriptor of @path as it is seen below the directory @root: links and ".." stay in there.
 * -errno; -ENOSYS before Linux 5.6.
 */
int file_open_below(int root, const char *path, int flags);
/* pread() of all @n bytes, fewer only at the end of the file: how many, or -errno. */
ssize_t file_read_at(int fd, void *buf, size_t n, uint64_t at);
/* write() until everything is out: 0 or -errno. */
int write_all(int fd, const void *buf, size_t n);

#endif
