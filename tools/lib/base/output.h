/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * output: the one way to open a file that the program writes.
 *
 * A directory that others can write to may hold anything under the name we were given: a FIFO whose
 * reader would get a recording of root's, a link to somebody's file, a file whose owner may read
 * what we put there. So nothing is written into what is not ours:
 *
 *	nothing there		made anew, and only if it is still not there (O_EXCL)
 *	a regular file		a recording moves it to NAME.old; a text is written over it where it is
 *				ours or root's and has one name only, in its place otherwise
 *	a FIFO			of ours or root's; one that has no reader yet is waited for
 *	a character device	/dev/null, a terminal: nobody but root makes one
 *	a symbolic link		for texts, of ours or root's; never for recordings
 *	anything else		refused
 *
 * What is opened is looked at again, so that nobody can put another thing there in between.
 */
#ifndef PERF_BASE_OUTPUT_H
#define PERF_BASE_OUTPUT_H

#include "base/base.h"

enum output_kind {
	OUTPUT_TEXT,	  /* 0666 less the umask; written only */
	OUTPUT_RECORDING, /* 0600, read back too */
	OUTPUT_DERIVED,	  /* 0600; a name that nobody typed: replaces regular files, nothing else */
};

struct output {
	int fd;
	bool pipe;     /* a FIFO */
	bool created;  /* a file that was not there under this name */
	bool kept_old; /* what was there is NAME.old now */
};

/*
 * 0 with out->fd open, or -errno with out->fd -1. That it waits for a FIFO's reader it tells @log once.
 */
int output_open(struct output *out, const char *path, enum output_kind kind,
		const struct log_sink *log, struct err *e);

/* "-", /dev/stdout, /dev/fd/N and the like mean a descriptor that is open: which; -1 = a file. */
int output_descriptor(const char *path);

#endif
