// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Landlock: which files can be read. Nothing is granted but reading, so that whatever an ABI knows of writing,
 * making, renaming, running and connecting is refused with what it hands out here.
 *
 * A recording names objects by path, and where these lie nobody knows before: programs are in /usr and in homes,
 * debug files and sources anywhere. What is known is where none of them is: settings and keys. Landlock can only grant, below
 * a directory, so a directory with something private in it is not granted; its other entries are, one by one, less
 * hidden files. What is made in such a directory later is not among them. Names are no secret: any directory can be listed.
 *
 * A command that needs no objects gets what its options name, and nothing else.
 *
 * Numbers of an ABI are the kernel's; headers lag behind, so those that are used stand here. Source: landlock(7),
 * Documentation/userspace-api/landlock.rst of Linux.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/lack.h"
#include "box/box-int.h"

/* The same on all architectures. */
#define SYS_RULESET  444
#define SYS_RULE     445
#define SYS_RESTRICT 446

#define VERSION_FLAG 1
#define PATH_BENEATH 1

#define READ_FILE  BIT(2)
#define READ_DIR   BIT(3)
#define OF_FILES_1 (BIT(13) - 1) /* run, write, read, list, remove, make */
#define REFER	   BIT(13)	 /* 2: link and rename between directories */
#define TRUNCATE   BIT(14)	 /* 3 */
#define IOCTL_DEV  BIT(15)	 /* 5: of devices that are opened from now on */
#define NET	   3		 /* 4: bind and connect by TCP */
#define SOCKETS	   1		 /* 6: abstract ones of others */

struct ruleset {
	uint64_t files, net, scoped;
};

struct beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

/* Below ~ unless they begin with a slash. Programs lie in none of them. */
static const char *const private[] = {
	"/etc",
	"/dev",
	"/run",
	"/root/.ssh",
	".ssh",
	".gnupg",
	".aws",
	".azure",
	".config/gcloud",
	".kube",
	".docker",
	".netrc",
	".pgpass",
	".git-credentials",
	".password-store",
	".mozilla",
	".thunderbird",
	".config/chromium",
	".config/google-chrome",
	".local/share/keyrings",
	".bash_history",
	".zsh_history",
};

/* Of these directories after all: what the C library and S-Lang open, media, shared memory. */
static const char *const needed[] = {
	"/etc/ld.so.cache", "/etc/localtime", "/etc/terminfo", "/dev/null",
	"/dev/zero",	    "/dev/urandom",   "/dev/shm",      "/run/media",
};

/* A command without objects: what the C library asks of the machine. */
static const char *const always[] = { "/proc/self", "/sys/devices/system/cpu" };

struct walls {
	int rules;
	char *shut[ARRAY_SIZE(private)];
	size_t nr;
	char path[PATH_MAX]; /* at hand */
};

/* Below a directory, or a file. */
static void grant(const struct walls *w, const char *path, uint64_t what)
{
	struct beneath rule = { .allowed = what, .parent = open(path, O_PATH | O_CLOEXEC) };

	if (rule.parent < 0) {
		lack_note(errno, "cannot let through", path);
		return;
	}
	/* Listing is a right of directories alone; what cannot have a rule (a pipe) needs none. */
	if (syscall(SYS_RULE, w->rules, PATH_BENEATH, &rule, 0) && errno == EINVAL &&
	    what & READ_FILE) {
		rule.allowed = READ_FILE;
		syscall(SYS_RULE, w->rules, PATH_BENEATH, &rule, 0);
	}
	close(rule.parent);
}

/* The private places that there are. */
static void find_private(struct walls *w)
{
	const char *home = getenv("HOME");
	static const size_t size = sizeof(w->path);

	for (size_t i = 0; i < ARRAY_SIZE(private); i++) {
		int n = private[i][0] == '/'   ? snprintf(w->path, size, "%s", private[i])
			: home && *home == '/' ? snprintf(w->path, size, "%s/%s", home, private[i])
					       : -1;

		if (n <= 0 || n >= (int)size || access(w->path, F_OK))
			continue;
		w->shut[w->nr] = realpath(w->path, NULL);
		w->nr += w->shut[w->nr] != NULL;
	}
}

enum place { OPEN, HOLDS_PRIVATE, PRIVATE };

static enum place place_of(const struct walls *w, const char *path)
{
	size_t len = strcmp(path, "/") ? strlen(path) : 0;
	enum place p = OPEN;

	for (size_t i = 0; i < w->nr; i++) {
		if (strncmp(w->shut[i], path, len))
			continue;
		if (!w->shut[i][len])
			return PRIVATE;
		if (w->shut[i][len] == '/')
			p = HOLDS_PRIVATE;
	}
	return p;
}

static void grant_tree(struct walls *w, size_t len, uint64_t what);

/* An entry of the directory that w->path is, of @len bytes. */
static void grant_entry(struct walls *w, size_t len, const struct dirent64 *e)
{
	size_t n = strlen(e->d_name), sep = len > 1;

	if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") || e->d_type == DT_LNK ||
	    e->d_type == DT_SOCK || e->d_type == DT_FIFO || len + sep + n >= sizeof(w->path))
		return;
	/* Beside what is private, hidden files are settings, too, and histories; no object is one. */
	if (e->d_name[0] == '.' && e->d_type == DT_REG)
		return;
	w->path[len] = '/';
	memcpy(w->path + len + sep, e->d_name, n + 1);
	grant_tree(w, len + sep + n, e->d_type == DT_REG ? READ_FILE : READ_FILE | READ_DIR);
	w->path[len] = 0;
}

/* What w->path names, of @len bytes, less what is private. */
static void grant_tree(struct walls *w, size_t len, uint64_t what)
{
	enum place p = place_of(w, w->path);
	union {
		struct dirent64 first;
		char bytes[1024];
	} part;
	ssize_t n;
	int fd;

	if (p == OPEN)
		grant(w, w->path, what);
	if (p != HOLDS_PRIVATE)
		return;
	fd = open(w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Without readdir(), whose buffer is 32 KB for each of the directories. */
	while ((n = fd < 0 ? -1 : getdents64(fd, part.bytes, sizeof(part))) > 0)
		for (char *at = part.bytes; at < part.bytes + n;) {
			struct dirent64 *e = (struct dirent64 *)at;

			at += e->d_reclen;
			grant_entry(w, len, e);
		}
	if (n < 0)
		lack_note(errno, "cannot let through what is in", w->path);
	if (fd >= 0)
		close(fd);
}

static void grant_all(struct walls *w, const struct box_opts *o)
{
	grant(w, "/", READ_DIR);
	if (o->objects) {
		find_private(w);
		memcpy(w->path, "/", 2);
		grant_tree(w, 1, READ_FILE | READ_DIR);
		for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
			grant(w, needed[i], READ_FILE | READ_DIR);
		for (size_t i = 0; i < w->nr; i++)
			free(w->shut[i]);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(always); i++)
			grant(w, always[i], READ_FILE | READ_DIR);
	}
	for (size_t i = 0; i < o->nr_read; i++)
		if (o->read[i])
			grant(w, o->read[i], READ_FILE | READ_DIR);
}

int box_landlock(const struct box_opts *o)
{
	long version = BOX_SANITIZED ? -1 : syscall(SYS_RULESET, NULL, 0, VERSION_FLAG);
	struct walls w;
	struct ruleset r = { 0 };
	int ret = 0;

	if (version < 0)
		return BOX_SANITIZED ? -ENOTSUP : -errno;
	r.files = OF_FILES_1 | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0) |
		  (version >= 5 ? IOCTL_DEV : 0);
	w.nr = 0;
	r.net = version >= 4 ? NET : 0;
	r.scoped = version >= 6 ? SOCKETS : 0;
	w.rules = (int)syscall(SYS_RULESET, &r, version >= 6 ? 24 : version >= 4 ? 16 : 8, 0);
	if (w.rules < 0)
		return -errno;
	grant_all(&w, o);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_RESTRICT, w.rules, 0))
		ret = -errno;
	close(w.rules);
	return ret ?: (int)version;
}
