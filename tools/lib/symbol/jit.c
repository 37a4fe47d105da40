// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /tmp/perf-PID.map: "START SIZE NAME" in hex, one line per piece of code, written by JIT
 * compilers. The directory is everybody's, so the file counts only when it is a regular file, no
 * symbolic link, and belongs to root, to us, or to whom the process belongs while it lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbol/internal.h"

#define JIT_MAX (256u << 20)

static bool trusted(const struct stat *st, int32_t pid)
{
	char proc[32];
	struct stat owner;

	if (!st->st_uid || st->st_uid == geteuid())
		return true;
	snprintf(proc, sizeof(proc), "/proc/%d", pid);
	return !stat(proc, &owner) && owner.st_uid == st->st_uid;
}

#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

/* What a process of a pid namespace calls itself: the last number of "NSpid:". */
static int32_t namespace_pid(int32_t pid)
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
 * The map in the /tmp that the process sees, while it lives. Symbolic links in there are meant in
 * there: followed from here they would lead out of the container.
 */
static int open_in_container(int32_t pid)
{
	struct open_how how = { .flags = OPEN_FLAGS,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char path[64];
	int root, fd;

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	snprintf(path, sizeof(path), "tmp/perf-%d.map", namespace_pid(pid));
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	close(root);
	return fd;
}

/* A descriptor of the map file, or -errno. */
static int jit_open(struct resolver *res, const char *path, int32_t pid)
{
	int fd = open(path, OPEN_FLAGS);
	struct stat st;
	const char *why = NULL;

	if (fd < 0 && errno == ENOENT && !res->symfs)
		fd = open_in_container(pid);
	if (fd < 0 && errno == ELOOP)
		why = "it is a symbolic link";
	else if (fd < 0)
		return -errno;
	else if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		why = "it is no regular file";
	else if (!trusted(&st, pid))
		why = "it belongs to another user";
	else if (st.st_size > JIT_MAX)
		why = "it is larger than 256 MiB";
	if (!why)
		return fd;
	if (fd >= 0)
		close(fd);
	resolver_warn(res, "%s is not used for symbols: %s", path, why);
	return -EPERM;
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

static int jit_line(struct symtab *t, char *line)
{
	char *end;
	const char *p;
	uint64_t start, size;

	errno = 0;
	start = strtoull(line, &end, 16);
	if (end == line || errno)
		return 0;
	p = skip_blanks(end);
	size = strtoull(p, &end, 16);
	if (end == p || errno || !size)
		return 0;
	p = skip_blanks(end);
	return *p ? symtab_add(t, start, size, SYM_GLOBAL, p) : 0;
}

/* Code is compiled again at the same place: the later line holds. */
static void newest_first(struct symtab *t)
{
	for (size_t i = 0, j = t->sym.n; i + 1 < j; i++) {
		struct sym s = t->sym.v[i];

		t->sym.v[i] = t->sym.v[--j];
		t->sym.v[j] = s;
	}
}

int jit_load(struct resolver *res, const struct dso *dso, struct object *o)
{
	char path[PATH_MAX], *line = NULL;
	size_t cap = 0;
	ssize_t n;
	FILE *fp;
	int fd, ret = 0;

	if (!files_symfs_path(res, dso->name, path, sizeof(path)))
		return -ENOENT;
	fd = jit_open(res, path, dso->pid);
	if (fd < 0)
		return fd;
	fp = fdopen(fd, "r");
	if (!fp) {
		close(fd);
		return -ENOMEM;
	}
	while (!ret && (n = getline(&line, &cap, fp)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		ret = jit_line(&o->tab, line);
	}
	free(line);
	fclose(fp);
	newest_first(&o->tab);
	o->file = strdup(path);
	return ret;
}
