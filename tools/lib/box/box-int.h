/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the box room: the two means and the attendant. */
#ifndef PERF_BOX_INT_H
#define PERF_BOX_INT_H

#include "box/box.h"

/*
 * Sanitizers write reports, follow their own process and start programs, all from inside of it. A build with them
 * has the attendant, so that what it does is looked at, and no walls.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BOX_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BOX_SANITIZED 1
#endif
#ifndef BOX_SANITIZED
#define BOX_SANITIZED 0
#endif

/* The filter of system calls, for all threads: 0 or -errno. */
int box_filter(void);
/* Which files can be read: the version of Landlock, or -errno. */
int box_landlock(const struct box_opts *o);

/* ---- the attendant --------------------------------------------------------------------------- */

/* Makes the second process. The descriptor to ask it by, or -errno. */
int box_attend(const struct box_opts *o);

#define BOX_OPEN 4

struct box_kept {
	struct box_replacement file;
	char path[4096]; /* of it */
};

/* What it keeps: its options, and files that have no name yet. */
struct attendant {
	const struct box_opts *o;
	struct box_kept *open
		[BOX_OPEN]; /* NULL = none: most commands write none, and it is 33 KB of stack */
};

/* How BOX_OUTPUT is asked: a byte, then the path. Behind the kinds of output_open(): */
enum { BOX_SAVE_NEW = OUTPUT_DERIVED + 1, BOX_SAVE_OVER, BOX_REPLACE, BOX_REPLACE_SHARED };

struct box_output_answer {
	struct output out;
	struct err err;
};

/* The same without an attendant. */
int box_new_save(const char *path, bool over);
int box_new_replacement(struct box_replacement *r, const char *path, bool shared);
int box_keep_replacement(struct box_replacement *r, bool keep);
int box_new_temp(void);
int box_new_terminal(void);

int box_serve_output(void *ctx, const char *q, size_t size, struct box_answer *a);
int box_serve_keep(void *ctx, const char *q, size_t size, struct box_answer *a);
int box_serve_temp(void *ctx, const char *q, size_t size, struct box_answer *a);
int box_serve_terminal(void *ctx, const char *q, size_t size, struct box_answer *a);

#endif
