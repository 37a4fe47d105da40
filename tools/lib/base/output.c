// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What lies under a name is looked at first, judged, opened in the one way that fits, and looked at
 * again: only a name that others cannot change meanwhile could be trusted without.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

#define MAX_LINKS 8

/* ---- what lies there --------------------------------------------------------------------------- */

/* Of an owner who gains nothing by being written to: us, and root, who can see it all anyway. */
static bool is_trusted(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

static const char *kind_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFLNK: return "symbolic link";
	case S_IFDIR: return "directory";
	case S_IFIFO: return "FIFO";
	case S_IFSOCK: return "socket";
	case S_IFBLK: return "block device";
	case S_IFCHR: return "character device";
	default: return "special file";
	}
}

static int refuse_derived(const char *path, const struct stat *st, struct err *e)
{
	if (S_ISREG(st->st_mode))
		return 0;
	return err_set(e, -EEXIST, "cannot create '%s': there is a %s of that name", path,
		       kind_name(st->st_mode));
}

static int refuse_fifo(const char *path, const struct stat *st, struct err *e)
{
	if (is_trusted(st))
		return 0;
	err_set(e, -EPERM,
		"the output '%s' is a FIFO of another user (uid %u), who would read what is written",
		path, (unsigned)st->st_uid);
	err_hint(e, "Name a file in a directory that only you can write to: -o FILE\n"
		    "If that is where it shall go, let the shell open it: -o - > FIFO");
	return -EPERM;
}

static int refuse_link(const char *path, const struct stat *st, enum output_kind kind,
		       struct err *e)
{
	if (kind == OUTPUT_TEXT && is_trusted(st))
		return 0;
	err_set(e, -ELOOP, "the output '%s' is a symbolic link%s, which is not followed", path,
		kind == OUTPUT_TEXT ? " of another user" : "");
	err_hint(e, "Remove the link, or name the file it points to.");
	return -ELOOP;
}

/* 0 when what lies at @path may be written, moved or replaced. */
static int judge(const char *path, const struct stat *st, enum output_kind kind, struct err *e)
{
	if (kind == OUTPUT_DERIVED)
		return refuse_derived(path, st, e);
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
	case S_IFCHR: return 0;
	case S_IFIFO: return refuse_fifo(path, st, e);
	case S_IFLNK: return refuse_link(path, st, kind, e);
	case S_IFDIR: return err_set(e, -EISDIR, "the output '%s' is a directory", path);
	default:
		return err_set(e, -EINVAL, "the output '%s' is a %s", path, kind_name(st->st_mode));
	}
}

/* ---- opening ------------------------------------------------------------------------------------ */

static int cannot_create(const char *path, struct err *e)
{
	err_set(e, -errno, "cannot create '%s': %s", path, strerror(errno));
	err_hint(e, "Write elsewhere: -o FILE");
	return e ? e->code : -EACCES;
}

static int open_new(struct output *out, const char *path, enum output_kind kind, struct err *e)
{
	int access = kind == OUTPUT_RECORDING ? O_RDWR : O_WRONLY;

	out->fd = open(path, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       kind == OUTPUT_TEXT ? 0666 : 0600);
	if (out->fd < 0)
		return cannot_create(path, e);
	out->created = true;
	return 0;
}

/* A FIFO without a reader cannot be opened yet; signals end the waiting as they end programs. */
static int open_fifo(const char *path, const struct log_sink *log)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
		return fd;
	}
	if (errno != ENXIO)
		return -1;
	log_to(log, LOG_WARN, "waiting for a reader of the FIFO '%s'", path);
	do {
		fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);
	return fd;
}

/* Opens what is there, which must be what was looked at. */
static int open_there(struct output *out, const char *path, enum output_kind kind,
		      const struct stat *seen, const struct log_sink *log, struct err *e)
{
	int access = kind == OUTPUT_RECORDING ? O_RDWR : O_WRONLY;
	struct stat st;

	out->pipe = S_ISFIFO(seen->st_mode);
	out->fd = out->pipe ? open_fifo(path, log)
			    : open(path, access | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC);
	if (out->fd < 0)
		return cannot_create(path, e);
	if (fstat(out->fd, &st) || st.st_dev != seen->st_dev || st.st_ino != seen->st_ino ||
	    st.st_uid != seen->st_uid || (st.st_mode ^ seen->st_mode) & S_IFMT) {
		close(out->fd);
		out->fd = -1;
		return err_set(e, -EBUSY, "the output '%s' became another file meanwhile", path);
	}
	if (!out->pipe)
		fcntl(out->fd, F_SETFL, fcntl(out->fd, F_GETFL) & ~O_NONBLOCK);
	return 0;
}

/* A recording that is there already moves to .old; rename() follows no link at its target. */
static int keep_old(struct output *out, const char *path, struct err *e)
{
	char old[PATH_MAX];

	if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		return err_set(e, -ENAMETOOLONG, "the path of the output is too long");
	if (rename(path, old)) {
		err_set(e, -errno, "cannot keep the earlier recording as '%s': %s", old,
			strerror(errno));
		err_hint(e, "Move it away, or record elsewhere with -o.");
		return e ? e->code : -EACCES;
	}
	out->kept_old = true;
	return 0;
}

static int open_regular(struct output *out, const char *path, enum output_kind kind,
			const struct stat *st, struct err *e)
{
	int ret;

	/* A second name may be a trap in a file of ours that was linked to. */
	if (kind == OUTPUT_TEXT && is_trusted(st) && st->st_nlink == 1) {
		ret = open_there(out, path, kind, st, NULL, e);
		if (!ret && ftruncate(out->fd, 0))
			ret = err_set(e, -errno, "cannot empty '%s': %s", path, strerror(errno));
		return ret;
	}
	if (kind == OUTPUT_RECORDING && st->st_size) {
		ret = keep_old(out, path, e);
		if (ret)
			return ret;
	} else if (unlink(path)) {
		return err_set(e, -errno, "cannot replace '%s': %s", path, strerror(errno));
	}
	return open_new(out, path, kind, e);
}

/* Where the link at @path leads, into @to. */
static int follow_link(const char *path, char *to, size_t size, struct err *e)
{
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;

	if (n < 0)
		return err_set(e, -errno, "cannot follow '%s': %s", path, strerror(errno));
	target[n] = '\0';
	if (target[0] == '/')
		dir = 0;
	if ((size_t)snprintf(to, size, "%.*s%s", dir, path, target) >= size)
		return err_set(e, -ENAMETOOLONG, "the link '%s' leads to too long a path", path);
	return 0;
}

static int open_path(struct output *out, const char *path, enum output_kind kind, int links,
		     const struct log_sink *log, struct err *e)
{
	char to[PATH_MAX];
	struct stat st;
	int ret;

	if (lstat(path, &st))
		return open_new(out, path, kind, e);
	ret = judge(path, &st, kind, e);
	if (ret)
		return ret;
	if (S_ISREG(st.st_mode))
		return open_regular(out, path, kind, &st, e);
	if (!S_ISLNK(st.st_mode))
		return open_there(out, path, kind, &st, log, e);
	if (!links)
		return err_set(e, -ELOOP, "cannot create '%s': %s", path, strerror(ELOOP));
	ret = follow_link(path, to, sizeof(to), e);
	return ret ? ret : open_path(out, to, kind, links - 1, log, e);
}

static int open_descriptor(struct output *out, const char *path, int fd, struct err *e)
{
	struct stat st;

	out->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (out->fd < 0)
		return err_set(e, -errno, "cannot write %s: %s",
			       fd == STDOUT_FILENO ? "stdout" : path, strerror(errno));
	out->pipe = !fstat(fd, &st) && S_ISFIFO(st.st_mode);
	return 0;
}

int output_open(struct output *out, const char *path, enum output_kind kind,
		const struct log_sink *log, struct err *e)
{
	int fd = output_descriptor(path), ret;

	*out = (struct output){ .fd = -1 };
	ret = fd >= 0 ? open_descriptor(out, path, fd, e)
		      : open_path(out, path, kind, MAX_LINKS, log, e);
	if (ret && out->fd >= 0) {
		close(out->fd);
		out->fd = -1;
	}
	return ret;
}

int output_descriptor(const char *path)
{
	static const char *const dirs[] = { "/dev/fd/", "/proc/self/fd/" };

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		size_t n = strlen(dirs[i]);
		unsigned long fd;
		char *end;

		if (strncmp(path, dirs[i], n) || path[n] < '0' || path[n] > '9')
			continue;
		fd = strtoul(path + n, &end, 10);
		if (!*end && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}
