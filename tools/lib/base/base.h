/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base: what every room leans on and that knows nothing about perf.
 *
 *	err	an error with its code, its text and a hint for the next step
 *	log	messages of four levels: on stderr, or into the caller's sink
 *	safe	what of a file's bytes may be printed
 *
 * and in headers of their own, for those who need them: bytes.h, tables.h, obuf.h, file.h, lack.h,
 * output.h.
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

static inline int64_t max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

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
#ifdef __clang_analyzer__
/* It cannot look into err.c: what is set is what comes back. */
#define err_set(e, code, ...) ((void)err_set(e, code, __VA_ARGS__), code)
#endif
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
/* One message, made by safe_format(); a newline is added. log_warn is shown unless -q. */
void log_error(const char *fmt, ...) __printf_fmt(1, 2);
void log_warn(const char *fmt, ...) __printf_fmt(1, 2);
void log_info(const char *fmt, ...) __printf_fmt(1, 2);
void log_debug(const char *fmt, ...) __printf_fmt(1, 2);

/*
 * To whom a library tells what is no error and yet worth a line: its caller names it in the options
 * of an object, and all zero is nobody. Called in the middle of the work, by whatever thread does
 * that; the text has no newline at its end and is the library's again after the call.
 */
struct log_sink {
	void (*line)(void *ctx, enum log_level level, const char *text);
	void *ctx;
};

/* One line, made by safe_format(), for @to (NULL: nobody). */
void log_to(const struct log_sink *to, enum log_level level, const char *fmt, ...)
	__printf_fmt(3, 4);
/* The sink of commands: stderr, as log_warn() and its like have it. */
#define LOG_STDERR ((struct log_sink){ .line = log_stderr })
void log_stderr(void *ctx, enum log_level level, const char *text);

/* ---- safe: bytes that may steer a terminal or break a line --------------------------------- */

/*
 * Bytes of the character at @s that may be printed as it is, 0 when it may not: control bytes,
 * broken UTF-8, controls, marks of direction and what has no width in UTF-8. @left is at least 1.
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

#endif
