// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whose files are taken for what a compiler left, see jit_file_open(). They lie in /tmp under
 * names that anybody can guess, so a file counts only when it is a regular one that its name leads
 * to without a link, of root, of us or of who ran the process. Checks are made on the opened file:
 * a name may point elsewhere a moment later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "box/box.h"
#include "jit/jit.h"

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

static bool trusted(const struct stat *st, int32_t pid)
{
	char proc[32];
	struct stat owner;

	if (!st->st_uid || st->st_uid == geteuid())
		return true;
	snprintf(proc, sizeof(proc), "/proc/%d", pid);
	return !stat(proc, &owner) && owner.st_uid == st->st_uid;
}

int32_t jit_namespace_pid(int32_t pid)
{
	char path[32], *text, *line, *last;
	int32_t ret = pid;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	text = file_read_all(path, 1 << 16, NULL, NULL);
	line = text ? strstr(text, "\nNSpid:") : NULL;
	if (line) {
		line[1 + strcspn(line + 1, "\n")] = 0;
		last = strrchr(line, '\t');
		ret = last ? atoi(last) : pid;
	}
	free(text);
	return ret;
}

/*
 * The file as the process sees it, while it lives. Symbolic links in there are meant in there:
 * followed from here they would lead out of the container.
 */
static int open_in_container(const char *path, int32_t pid)
{
	char proc[64];
	int root, fd;

	if (box_closed())
		return box_open_in_root(pid, path, OPEN_FLAGS);
	snprintf(proc, sizeof(proc), "/proc/%d/root", pid);
	root = open(proc, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	fd = file_open_below(root, path, OPEN_FLAGS);
	close(root);
	return fd;
}

int jit_file_open(const char *path, int32_t pid, bool inside, const char **why)
{
	int fd = inside ? open_in_container(path, pid) : open(path, OPEN_FLAGS);
	struct stat st;

	*why = NULL;
	if (fd < 0 && !inside)
		fd = -errno;
	if (fd == -ELOOP)
		*why = "it is a symbolic link";
	else if (fd < 0)
		return fd;
	else if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		*why = "it is no regular file";
	else if (!trusted(&st, pid))
		*why = "it belongs to another user";
	if (!*why)
		return fd;
	if (fd >= 0)
		close(fd);
	return -EPERM;
}

bool jitdump_is_name(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t digits;

	base = base ? base + 1 : path;
	if (strncmp(base, "jit-", 4))
		return false;
	digits = strspn(base + 4, "0123456789");
	return digits && !strcmp(base + 4 + digits, ".dump");
}
