/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file: small files as a whole, files below a root, entries of directories, all bytes or an
 * error. Memory, errors and threads: see base.h.
 */
#ifndef PERF_BASE_FILE_H
#define PERF_BASE_FILE_H

#include <dirent.h>

#include "base/base.h"

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
/*
 * The next entry of a directory. NULL at its end, and where it cannot be read to its end: *code is -errno then, else it stays.
 * Signals are passed over. readdir() tells only who asks, and half of a list looks like a whole one.
 */
struct dirent *file_dir_next(DIR *dir, int *code);
/* write() until everything is out: 0 or -errno. */
int write_all(int fd, const void *buf, size_t n);

#endif
