/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * box: a process that reads what strangers wrote gives up what reading does not need, before the first byte: it
 * cannot start programs, use the network, open files for writing, change names, signal or trace others. So
 * whoever takes the process over has a recording's reader and nothing else.
 *
 *	box_enter(&(struct box_opts){ .objects = true, .outputs = &out, .nr_outputs = 1, .served = served });
 *	...
 *	ret = box_output_open(&file, path, OUTPUT_TEXT, &LOG_STDERR, &err);
 *
 * What must be done all the same is done by a second process, the attendant, which is made before the box is closed
 * and reads nothing but short questions: of enum box_service, each with its own idea of what may be asked. Nothing
 * is decided by what a question claims: an output is opened only under the name that the user gave.
 *
 * Two means, each of which may be missing: seccomp (system calls and their arguments) and Landlock (files by name, what
 * can be read). With one the box is weaker, without any there is none, and all goes on. Sources: seccomp(2),
 * landlock(7), unix(7).
 *
 * A box is the process's and for good; it is entered by one thread before there are others. Asking is for any
 * thread. Errors are -errno.
 */
#ifndef PERF_BOX_H
#define PERF_BOX_H

#include "base/output.h"

enum box_service {
	BOX_OUTPUT,	/* box_output_open(), box_replace_open() */
	BOX_KEEP,	/* box_replace_close() */
	BOX_TEMP,	/* box_temp_file() */
	BOX_TERMINAL,	/* box_terminal() */
	BOX_ROOT,	/* which root directory a process has: room buildid */
	BOX_ROOT_FILE,	/* a file below it: box_open_in_root() */
	BOX_SERVER,	/* a debug file of a debuginfod server: room symbol */
	BOX_TABLE,	/* a new file for the cache of symbol tables: room symbol */
	BOX_TABLE_KEEP, /* its name, when it is whole */
	BOX_COMPILE,	/* a device tree's source, compiled: room dtpmu */
	BOX_STORE,	/* an object into the cache of build ids */
	BOX_SERVICES,
};

#define BOX_BYTES 8192 /* of a question or an answer, at most */

struct box_answer {
	int fd; /* -1 = none; the attendant's copy is closed when it was sent */
	size_t size;
	unsigned char bytes[BOX_BYTES];
};

/*
 * In the attendant: 0 or -errno. What is asked comes from a process that may be anybody's: @q has @size bytes and a NUL
 * behind them, nothing more is known of it.
 */
typedef int box_serve_fn(void *ctx, const char *q, size_t size, struct box_answer *a);

struct box_served {
	box_serve_fn *serve; /* NULL: not served */
	void *ctx;
};

enum box_where {
	BOX_FILE, /* under exactly this name */
	BOX_BELOW, /* in this directory, which is made if need be, under any name that is not hidden */
	BOX_TABLES, /* v1/TABLE/DAY/RECORDING.parquet in this directory: --to parquet */
	BOX_BEGINS, /* NAME.ANYTHING.dump */
	BOX_JITTED, /* jitted-PID.so, anywhere: what inject makes of compiled code */
	BOX_SAVED, /* report.txt and the like in this directory, as somebody types them in a browser */
};

/* What may be written. */
struct box_output {
	enum box_where where;
	const char *path;
};

struct box_opts {
	/* Objects, sources and symbols lie anywhere: all that is not private can be read. */
	bool objects;
	/* What can be read besides; NULLs are skipped. */
	const char *const *read;
	size_t nr_read;
	const struct box_output *outputs;
	size_t nr_outputs;
	const struct box_served
		*served; /* BOX_SERVICES of them, or NULL; those of this room are added */
};

/* What holds. */
enum box_holds {
	BOX_SECCOMP = 1,
	BOX_LANDLOCK = 2,
};

struct box_state {
	unsigned holds;
	int seccomp, landlock; /* why one does not: -errno; of Landlock its version where it does */
};

/* Closes the box for good; a second call changes nothing. What does not hold is no error. */
void box_enter(const struct box_opts *o);
/* What box_enter() came to. */
struct box_state box_state(void);
/* What a box would hold here: one is made in a child. */
struct box_state box_try(void);

/* Whether the attendant has to be asked. */
bool box_closed(void);
/* -errno of asking or of the answer; @a->fd is the caller's. */
int box_ask(enum box_service what, const void *q, size_t size, struct box_answer *a);

/* output_open(), inside and outside of a box. */
int box_output_open(struct output *out, const char *path, enum output_kind kind,
		    const struct log_sink *log, struct err *e);
/*
 * What somebody saves from a browser, in this directory: report.txt and the like. A descriptor or -errno; @over: what is
 * there may go.
 */
int box_save_open(const char *path, bool over);
/*
 * A file that takes its name when it is whole: what is there under that name stays until then. @path has to outlive it. @shared:
 * others may read it. 0 or -errno; @keep: it is whole.
 */
struct box_replacement {
	int fd;
	uint8_t number; /* among those that the attendant has open */
	const char *path;
	char temp[4096 + 16];
};
int box_replace_open(struct box_replacement *r, const char *path, bool shared);
int box_replace_close(struct box_replacement *r, bool keep);
/*
 * @path as process @pid sees it, in a root directory that is not ours, for reading; links in there are meant in there. @flags may
 * have O_NOFOLLOW. For a closed box: Landlock keeps even processes of the same user from being looked into.
 */
int box_open_in_root(int32_t pid, const char *path, int flags);
/* open(2) for reading, of /proc/PID/root/... too: a descriptor or -errno. */
int box_open(const char *path, int flags);
/* A file without a name in TMPDIR, for reading and writing. */
int box_temp_file(void);
/* The terminal, for reading and writing. */
int box_terminal(void);

#endif
