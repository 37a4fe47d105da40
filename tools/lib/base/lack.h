/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lack: what the machine refused while results were made, and what they may lack therefore.
 *
 * A name that is not found because its file is not there is an answer. One that is not found because
 * memory ran out, because no more files can be open, or because a disk does not read, is none: yet
 * what asks goes on without the name, as it has to, and prints something that looks whole. So who meets
 * such a refusal notes it, beside what it returns; the first one is kept for the process, and the
 * command tells it and ends with a status that is not 0.
 *
 * Threads: all of it may be called by any.
 */
#ifndef PERF_BASE_LACK_H
#define PERF_BASE_LACK_H

#include "base/base.h"

/* Whether @code (errno or -errno) is the machine's trouble, and not an answer about a file. */
bool lack_is_trouble(int code);
/* Notes what was tried when @code (errno or -errno) came; nothing where that is an answer. */
void lack_note(int code, const char *what, const char *name);
/* Memory ran out. Allocates nothing. */
void lack_memory(void);
/* 0, or the code of the first refusal, with its text in @e. */
int lack_tell(struct err *e);
/* In a process that was just forked and does work of its own: what those before it were refused is theirs to tell. */
void lack_forget(void);

#endif
