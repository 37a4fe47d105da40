// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A way down from a directory that is there: each step is made if need be and has to be the user's own, so that
 * nobody can put a link in between.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cachedir.h"

static int if_own(int fd, struct stat *st)
{
	int ret = fstat(fd, st) ? -errno : st->st_uid == geteuid() ? 0 : -EPERM;

	if (!ret)
		return fd;
	close(fd);
	return ret;
}

/* @name below @dir, made if need be; @dir is closed. */
static int enter(int dir, const char *name, struct stat *st)
{
	int fd, ret = 0;

	if (mkdirat(dir, name, 0700) && errno != EEXIST)
		ret = -errno;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		ret = ret ? ret : -errno;
	close(dir);
	return fd < 0 ? ret : if_own(fd, st);
}

/* What exists already, and is the user's own. */
static int start(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : if_own(fd, st);
}

static int if_private(int fd, const struct stat *st)
{
	if (fd < 0 || !(st->st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	close(fd);
	return -ENOTUNIQ;
}

int cachedir_open(const char *name, char *path, size_t size, const char **what)
{
	const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	bool by_xdg = xdg && *xdg == '/';
	struct stat st = { .st_mode = 0 };
	int fd;

	*what = by_xdg ? "$XDG_CACHE_HOME" : "$HOME";
	if (!by_xdg && (!home || *home != '/'))
		return -ENOENT;
	if (path && (size_t)snprintf(path, size, "%s%s/perf/%s", by_xdg ? xdg : home,
				     by_xdg ? "" : "/.cache", name) >= size)
		return -ENAMETOOLONG;
	fd = start(by_xdg ? xdg : home, &st);
	if (fd >= 0 && !by_xdg)
		fd = enter(fd, ".cache", &st);
	if (fd >= 0)
		fd = enter(fd, "perf", &st);
	if (fd >= 0)
		fd = enter(fd, name, &st);
	return if_private(fd, &st);
}

int cachedir_open_at(const char *path)
{
	struct stat st = { .st_mode = 0 };
	char parent[PATH_MAX];
	int made, fd;

	if ((size_t)snprintf(parent, sizeof(parent), "%s", path) >= sizeof(parent))
		return -ENAMETOOLONG;
	for (char *s = parent + 1; *parent && (s = strchr(s, '/')); *s++ = '/') {
		*s = 0;
		(void)!mkdir(parent, 0700); /* or it is there, or start() tells */
	}
	made = mkdir(parent, 0700) ? -errno : 0;
	fd = start(path, &st);
	/* It is not there because it could not be made: that is the cause. */
	if (fd == -ENOENT && made)
		fd = made;
	return if_private(fd, &st);
}

const char *cachedir_reason(int error)
{
	switch (error) {
	case -EPERM: return "it belongs to somebody else";
	case -ENOTUNIQ: return "others may write there";
	default: return strerror(-error);
	}
}
