// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a tree comes from: a blob (libfdt), a directory, or a source file through dtc. All three
 * become the same tree in memory, nodes sorted by name, so that nothing behind this file knows
 * which it was. Depth and size are limited, for a directory may have links that lead in circles.
 */
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "box/box.h"
#include "config.h"
#include "dtpmu/dtpmu.h"
#include "tree-int.h"

#if HAVE_LIBFDT
#include <libfdt.h>
#endif

extern char **environ;

#if HAVE_LIBFDT

static int read_props(struct dt_tree *t, struct dt_node *n, const void *fdt, int node)
{
	int off;

	fdt_for_each_property_offset(off, fdt, node)
	{
		const char *name;
		int len;
		const void *data = fdt_getprop_by_offset(fdt, off, &name, &len);

		if (!data || len < 0 || !name)
			return -EINVAL;
		if (!dt_add_prop(t, n, name, data, (size_t)len))
			return dt_add_error(t, NULL);
	}
	return 0;
}

static int read_nodes(struct dt_tree *t, const void *fdt)
{
	struct dt_node *at[DT_MAX_DEPTH] = { NULL };
	int depth = 0, ret = 0, off = 0, len;

	do {
		const char *name = fdt_get_name(fdt, off, &len);

		if (!name || depth < 0)
			return -EINVAL;
		if (depth >= DT_MAX_DEPTH)
			return -ELOOP;
		if (!depth && off)
			return -EINVAL; /* a second root */
		at[depth] = dt_add_node(t, depth ? at[depth - 1] : NULL, name);
		ret = at[depth] ? read_props(t, at[depth], fdt, off) : dt_add_error(t, NULL);
		if (ret)
			return ret;
		off = fdt_next_node(fdt, off, &depth);
	} while (off >= 0 && depth >= 0);
	return off < 0 && off != -FDT_ERR_NOTFOUND ? -EINVAL : 0;
}

static int sort_all(struct dt_node *n)
{
	int ret = dt_sort(n);

	for (struct dt_node *c = n->child; c && !ret; c = c->next)
		ret = sort_all(c);
	return ret;
}

/*
 * Before version 16 a node's name was its whole path. libfdt looks for the '/' of it, and its own
 * check reads through NULL where there is none; PMUs were described in trees much later only.
 */
#define DT_OLDEST_VERSION 16

/*
 * Whether every property ends in the structure block, and its name in time. libfdt adds lengths up in
 * an int: one of -12 leads it back to where it stands, for ever. And it looks for the end of the name
 * whenever it sees a property: each could be called by one string of megabytes.
 */
static bool properties_fit(const void *fdt, size_t size)
{
	uint32_t at = fdt_off_dt_struct(fdt), token, name, left = fdt_size_dt_strings(fdt);
	const char *strings = (const char *)fdt + fdt_off_dt_strings(fdt);
	struct cursor c = cursor_init(fdt, size, !host_is_big_endian());

	cursor_skip(&c, at);
	while (!c.bad && (token = cursor_u32(&c)) != FDT_END) {
		if (token == FDT_BEGIN_NODE) {
			size_t len = strnlen((const char *)c.p, cursor_left(&c));

			cursor_skip(&c, align_up(len + 1, 4));
		} else if (token == FDT_PROP) {
			uint64_t len = cursor_u32(&c);

			name = cursor_u32(&c);
			if (name < left && left - name > DT_MAX_NAME &&
			    !memchr(strings + name, 0, DT_MAX_NAME + 1))
				return false;
			cursor_skip(&c, align_up(len, 4));
		}
	}
	return !c.bad;
}

static int check_blob(const void *fdt, size_t size, struct err *e)
{
	int ret = -FDT_ERR_TRUNCATED;

	if (size >= sizeof(struct fdt_header)) {
		if (fdt_magic(fdt) == FDT_MAGIC && fdt_version(fdt) < DT_OLDEST_VERSION) {
			err_set(e, -EINVAL,
				"a flattened device tree of version %u; %u is the oldest that is read",
				fdt_version(fdt), DT_OLDEST_VERSION);
			err_hint(e, "dtc -I dtb -O dtb -o NEW.dtb OLD.dtb writes a current one.");
			return -EINVAL;
		}
		ret = fdt_check_header(fdt);
		if (!ret && fdt_totalsize(fdt) <= size && !properties_fit(fdt, size))
			ret = -FDT_ERR_BADSTRUCTURE;
		ret = ret ? ret : fdt_check_full(fdt, size);
	}
	if (ret)
		return err_set(e, -EINVAL, "not a sound flattened device tree (%zu bytes): %s",
			       size, fdt_strerror(ret));
	return 0;
}

int dt_read_blob(struct dt_tree *t, const void *blob, size_t size, struct err *e)
{
	/* libfdt wants 8-byte alignment, which the caller's memory need not have. */
	void *fdt = malloc(size + 1);
	int ret;

	if (!fdt)
		return err_set(e, -ENOMEM, "no memory for a tree of %zu bytes", size);
	memcpy(fdt, blob, size);
	ret = check_blob(fdt, size, e);
	if (ret)
		goto out;
	ret = read_nodes(t, fdt);
	if (!ret)
		ret = sort_all(t->root);
	if (ret == -ELOOP)
		err_set(e, ret, "device tree nested deeper than %d nodes", DT_MAX_DEPTH);
	else if (ret == -EFBIG)
		dt_add_error(t, e);
	else if (ret)
		err_set(e, ret, "device tree damaged: %s", strerror(-ret));
out:
	free(fdt);
	return ret;
}

#else

int dt_read_blob(struct dt_tree *t, const void *blob, size_t size, struct err *e)
{
	(void)t, (void)blob, (void)size;
	err_set(e, -EOPNOTSUPP, "this perf was built without libfdt, which reads .dtb files");
	err_hint(e, "Build with libfdt-dev installed, or give the tree as a directory.");
	return -EOPNOTSUPP;
}

#endif

/* ---- a directory: a node is a directory, a property a file with the raw cells ---- */

struct dir_walk {
	struct dt_tree *t;
	struct err *e;
};

static int read_file_prop(struct dir_walk *w, struct dt_node *n, int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), ret = 0;
	size_t cap = 4096, len = 0;
	char *buf = malloc(cap), *more;
	ssize_t got;

	if (fd < 0 || !buf) {
		ret = err_set(w->e, fd < 0 ? -errno : -ENOMEM, "cannot read property %s/%s: %s",
			      n->name, name, fd < 0 ? strerror(errno) : "no memory");
		goto out;
	}
	while ((got = read(fd, buf + len, cap - len)) > 0) {
		len += (size_t)got;
		w->t->full |= w->t->bytes + len > DT_MAX_BYTES;
		if (w->t->full) {
			ret = dt_add_error(w->t, w->e);
			goto out;
		}
		if (len < cap)
			continue;
		more = realloc(buf, cap *= 2);
		if (!more) {
			ret = err_set(w->e, -ENOMEM, "no memory for property %s", name);
			goto out;
		}
		buf = more;
	}
	if (got < 0)
		ret = err_set(w->e, -errno, "cannot read property %s/%s: %s", n->name, name,
			      strerror(errno));
	else if (!dt_add_prop(w->t, n, name, buf, len))
		ret = dt_add_error(w->t, w->e);
out:
	if (fd >= 0)
		close(fd);
	free(buf);
	return ret;
}

static int read_dir(struct dir_walk *w, struct dt_node *n, int fd, int depth);

static int read_entry(struct dir_walk *w, struct dt_node *n, int dir, const char *name, int depth)
{
	struct dt_node *child;
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0; /* gone meanwhile */
	if (S_ISREG(st.st_mode))
		return read_file_prop(w, n, dir, name);
	if (!S_ISDIR(st.st_mode))
		return 0; /* links could lead round in circles, and a device tree has none */
	if (depth + 1 >= DT_MAX_DEPTH)
		return err_set(w->e, -ELOOP, "device tree nested deeper than %d nodes",
			       DT_MAX_DEPTH);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return err_set(w->e, -errno, "cannot open node %s: %s", name, strerror(errno));
	child = dt_add_node(w->t, n, name);
	if (!child) {
		close(fd);
		return dt_add_error(w->t, w->e);
	}
	return read_dir(w, child, fd, depth + 1);
}

/* Takes @fd over. */
static int read_dir(struct dir_walk *w, struct dt_node *n, int fd, int depth)
{
	DIR *d = fdopendir(fd);
	struct dirent *de;
	int ret = 0, code = 0;

	if (!d) {
		close(fd);
		return err_set(w->e, -errno, "cannot list node %s: %s", n->name, strerror(errno));
	}
	while (!ret && (de = file_dir_next(d, &code))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		ret = read_entry(w, n, dirfd(d), de->d_name, depth);
	}
	closedir(d);
	if (!ret && code)
		return err_set(w->e, code, "cannot list node %s: %s", n->name, strerror(-code));
	return ret ? ret : dt_sort(n);
}

int dt_read_dir(struct dt_tree *t, const char *path, struct err *e)
{
	struct dir_walk w = { .t = t, .e = e };
	struct dt_node *root;
	char pmus[4200];
	int fd, ret;

	/* Of a whole live tree only the one node matters. */
	snprintf(pmus, sizeof(pmus), "%s/pmus", path);
	root = dt_add_node(t, NULL, "");
	if (!root)
		return err_set(e, -ENOMEM, "no memory for a device tree");
	fd = open(pmus, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		root = dt_add_node(t, root, "pmus");
	} else {
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0 || !root) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return err_set(e, ret, "cannot open %s: %s", path, strerror(-ret));
	}
	ret = read_dir(&w, root, fd, 0);
	return ret ? err_context(e, "device tree in %s", path) : 0;
}

/* ---- files ---- */

static int read_fd(int fd, char **buf, size_t *size)
{
	size_t cap = 64 << 10, len = 0;
	char *b = malloc(cap), *more;
	ssize_t got = 0;

	*size = 0;
	while (b && (got = read(fd, b + len, cap - len)) > 0) {
		len += (size_t)got;
		if (len > DT_MAX_BYTES) {
			free(b);
			return -EFBIG;
		}
		if (len == cap) {
			more = realloc(b, cap *= 2);
			if (!more)
				free(b);
			b = more;
		}
	}
	if (!b)
		return -ENOMEM;
	if (got < 0) {
		free(b);
		return -errno;
	}
	*buf = b;
	*size = len;
	return 0;
}

static int spawn_dtc(const char *path, pid_t *pid, int *out)
{
	char *argv[] = { (char *)"dtc", (char *)"-q", (char *)"-I", (char *)"dts", (char *)"-O",
			 (char *)"dtb", (char *)"-o", (char *)"-",  (char *)path,  NULL };
	char rel[4200];
	posix_spawn_file_actions_t fa;
	int fds[2], ret;

	if (path[0] == '-') { /* not an option */
		snprintf(rel, sizeof(rel), "./%s", path);
		argv[8] = rel;
	}
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, fds[1], 1);
	ret = -posix_spawnp(pid, "dtc", &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	close(fds[1]);
	if (ret)
		close(fds[0]);
	else
		*out = fds[0];
	return ret;
}

static int wait_dtc(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EINVAL;
}

int dtpmu_serve_compile(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	struct dtpmu_compile *c = ctx;
	int ret;

	(void)q;
	if (!c->path)
		return -EPERM;
	if (size)
		return c->pid ? wait_dtc(c->pid) : -ECHILD;
	ret = spawn_dtc(c->path, &c->pid, &a->fd);
	if (ret)
		c->pid = 0;
	return ret;
}

static int start_dtc(const char *path, pid_t *pid, int *out)
{
	struct box_answer a;
	int ret;

	if (!box_closed())
		return spawn_dtc(path, pid, out);
	ret = box_ask(BOX_COMPILE, "", 0, &a);
	*out = a.fd;
	return ret;
}

static int end_dtc(pid_t pid)
{
	struct box_answer a;

	return box_closed() ? box_ask(BOX_COMPILE, "", 1, &a) : wait_dtc(pid);
}

static int read_source(struct dt_tree *t, const char *path, struct err *e)
{
	int out = -1, failed, ret;
	size_t size = 0;
	char *buf = NULL;
	pid_t pid = -1;

	ret = start_dtc(path, &pid, &out);
	if (ret) {
		err_set(e, ret, "cannot start dtc to compile %s: %s", path, strerror(-ret));
		err_hint(e, "Install dtc (Debian: device-tree-compiler), or give a .dtb file.");
		return ret;
	}
	ret = read_fd(out, &buf, &size);
	close(out);
	failed = end_dtc(pid);
	if (ret)
		err_set(e, ret, "cannot read what dtc makes of %s: %s", path, strerror(-ret));
	else if (failed || !buf)
		ret = err_set(e, -EINVAL, "dtc does not compile %s (its messages are above)", path);
	else
		ret = dt_read_blob(t, buf, size, e);
	free(buf);
	return ret;
}

static int read_regular(struct dt_tree *t, const char *path, struct err *e)
{
	static const unsigned char magic[4] = { 0xd0, 0x0d, 0xfe, 0xed };
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	size_t size = 0;
	char *buf = NULL;

	ret = fd < 0 ? -errno : read_fd(fd, &buf, &size);
	if (fd >= 0)
		close(fd);
	if (ret == -EFBIG)
		return err_set(e, ret, "%s is larger than %u MiB: not a device tree", path,
			       DT_MAX_BYTES >> 20);
	if (ret)
		return err_set(e, ret, "cannot read %s: %s", path, strerror(-ret));
	if (buf && size >= 4 && !memcmp(buf, magic, 4)) {
		ret = dt_read_blob(t, buf, size, e);
		if (ret)
			err_context(e, "%s", path);
	} else if (buf && memmem(buf, size, "/dts-v1/", 8)) {
		ret = read_source(t, path, e);
	} else {
		ret = err_set(e, -EINVAL, "%s is neither a device tree blob nor a source file",
			      path);
		err_hint(e, "A blob starts with the bytes d0 0d fe ed, a source file has a line "
			    "/dts-v1/; a directory such as /proc/device-tree works too.");
	}
	free(buf);
	return ret;
}

int dt_read(struct dt_tree *t, const char *path, struct err *e)
{
	struct stat st;

	if (strlen(path) > 4096)
		return err_set(e, -ENAMETOOLONG, "path of a device tree too long");
	if (stat(path, &st)) {
		int ret = -errno;

		err_set(e, ret, "cannot read the device tree %s: %s", path, strerror(-ret));
		return ret;
	}
	if (S_ISDIR(st.st_mode))
		return dt_read_dir(t, path, e);
	return read_regular(t, path, e);
}
