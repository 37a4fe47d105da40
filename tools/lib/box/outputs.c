// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is written: opened here, by the attendant where there is one. It opens what the user named before anything was
 * read, and where names come from the recording (a file for each object, for each event) or from somebody at a browser, what
 * can do no harm: nothing hidden, nothing in other directories, of a browser nothing over a file that is not its own.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/box-int.h"

/* ---- what may be asked for ------------------------------------------------------------------- */

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

/* What browsers write. */
static bool is_saved(const char *path, int kind)
{
	static const char *const ends[] = { ".txt", ".csv", ".json", ".folded" };
	bool own = !strncmp(path, "perf.hist.", 10) || ends_in(path, ".annotation");

	if (strchr(path, '/') || path[0] == '.')
		return false;
	/* Over what is there go only names that are theirs. */
	if (own || (kind != BOX_SAVE_NEW && strncmp(path, "report.", 7)))
		return own;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (ends_in(path, ends[i]))
			return true;
	return false;
}

/* @path is @dir/NAME. */
static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strncmp(path, dir, n))
		return false;
	path += n;
	if (*path == '/')
		path++;
	else if (!n || dir[n - 1] != '/')
		return false;
	return *path && *path != '.' && !strchr(path, '/');
}

/* DIR/v1/TABLE/DAY/RECORDING.parquet */
static bool is_table(const char *path, const char *dir)
{
	static const char *const letters[] = { "v1", "abcdefghijklmnopqrstuvwxyz", "0123456789-",
					       "0123456789abcdef" };
	size_t n = strlen(dir);

	if (!n || strncmp(path, dir, n) || (path[n] != '/' && dir[n - 1] != '/'))
		return false;
	path += n + (path[n] == '/');
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		n = strspn(path, letters[i]);
		if (!n || n > 32 || (i < 3 && path[n] != '/'))
			return false;
		path += n + (i < 3);
	}
	return !strcmp(path, ".parquet");
}

/* Directories of @path below @dir, which is made too; 0, or why one cannot be made. */
static int make_dirs(const char *path, const char *dir)
{
	char copy[PATH_MAX];
	size_t n = strlen(dir);

	if (snprintf(copy, sizeof(copy), "%s", path) >= (int)sizeof(copy))
		return -ENAMETOOLONG;
	for (char *s = copy + n - (n && dir[n - 1] == '/'); (s = strchr(s, '/')); *s++ = '/') {
		*s = 0;
		if (*copy && mkdir(copy, 0777) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static bool begins_with(const char *path, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(path, name, n) && path[n] == '.' && !strchr(path + n, '/') &&
	       ends_in(path, ".dump");
}

/* DIR/jitted-PID.so */
static bool is_jitted(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t n;

	name = name ? name + 1 : path;
	if (strncmp(name, "jitted-", 7))
		return false;
	name += 7;
	n = strspn(name, "0123456789");
	return n && !strcmp(name + n, ".so");
}

/* 0, -EPERM: nothing that the options name, or why its directory cannot be made. */
static int may_write(const struct box_opts *o, const char *path, int kind)
{
	for (size_t i = 0; i < o->nr_outputs; i++) {
		const struct box_output *out = &o->outputs[i];

		switch (out->where) {
		case BOX_FILE:
			if (!strcmp(path, out->path))
				return 0;
			break;
		case BOX_BELOW:
			if (!is_below(path, out->path))
				break;
			return mkdir(out->path, 0777) && errno != EEXIST ? -errno : 0;
		case BOX_TABLES:
			if (!is_table(path, out->path))
				break;
			return make_dirs(path, out->path);
		case BOX_BEGINS:
			if (begins_with(path, out->path))
				return 0;
			break;
		case BOX_JITTED:
			if ((kind == BOX_REPLACE || kind == BOX_REPLACE_SHARED) && is_jitted(path))
				return 0;
			break;
		case BOX_SAVED:
			if (is_saved(path, kind))
				return 0;
			break;
		}
	}
	return -EPERM;
}

/* ---- opening --------------------------------------------------------------------------------- */

int box_new_save(const char *path, bool over)
{
	int how = over ? O_TRUNC : O_CREAT | O_EXCL;
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | how, 0644);

	return fd < 0 ? -errno : fd;
}

int box_new_replacement(struct box_replacement *r, const char *path, bool shared)
{
	mode_t mask;

	r->path = path;
	r->fd = -1;
	if (snprintf(r->temp, sizeof(r->temp), "%s.XXXXXX", path) >= (int)sizeof(r->temp))
		return -ENAMETOOLONG;
	r->fd = mkostemp(r->temp, O_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	if (shared) {
		/* It can only be asked for by setting it: to what does no harm to a thread that makes a file now. */
		mask = umask(077);
		umask(mask);
		fchmod(r->fd, 0666 & ~mask);
	}
	return 0;
}

int box_keep_replacement(struct box_replacement *r, bool keep)
{
	int ret = keep && rename(r->temp, r->path) ? -errno : 0;

	if (!keep || ret)
		unlink(r->temp);
	return ret;
}

int box_new_temp(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "%s/perf-XXXXXX", dir);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(name);
	return fd;
}

int box_new_terminal(void)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

/* ---- in the attendant ------------------------------------------------------------------------ */

static int given(struct box_answer *a, int fd)
{
	a->fd = fd;
	return fd < 0 ? fd : 0;
}

static int replace(struct attendant *at, const char *path, bool shared, struct box_answer *a)
{
	struct box_kept *k;
	uint8_t i = 0;
	int ret;

	while (i < BOX_OPEN && at->open[i])
		i++;
	if (i == BOX_OPEN)
		return -EBUSY;
	k = malloc(sizeof(*k));
	if (!k)
		return -ENOMEM;
	snprintf(k->path, sizeof(k->path), "%s", path);
	ret = box_new_replacement(&k->file, k->path, shared);
	if (ret) {
		free(k);
		return ret;
	}
	at->open[i] = k;
	a->bytes[0] = i;
	a->size = 1;
	return given(a, k->file.fd);
}

int box_serve_output(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	struct attendant *at = ctx;
	const char *path = q + 1;
	struct box_output_answer out = { .err = { 0 } };
	int ret = size < 2 || size > PATH_MAX ? -EPERM : may_write(at->o, path, *q);

	if (ret)
		return ret;
	if (*q == BOX_REPLACE || *q == BOX_REPLACE_SHARED)
		return replace(at, path, *q == BOX_REPLACE_SHARED, a);
	if (*q == BOX_SAVE_NEW || *q == BOX_SAVE_OVER)
		return given(a, box_new_save(path, *q == BOX_SAVE_OVER));
	if ((unsigned char)*q > OUTPUT_DERIVED)
		return -EINVAL;
	ret = output_open(&out.out, path, (enum output_kind) * q, &LOG_STDERR, &out.err);
	a->fd = out.out.fd;
	a->size = sizeof(out);
	memcpy(a->bytes, &out, sizeof(out));
	return ret;
}

int box_serve_keep(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	struct attendant *at = ctx;
	uint8_t i = size == 2 ? (uint8_t)q[1] : BOX_OPEN;
	int ret;

	(void)a;
	if (i >= BOX_OPEN || !at->open[i])
		return -EINVAL;
	ret = box_keep_replacement(&at->open[i]->file, *q);
	free(at->open[i]);
	at->open[i] = NULL;
	return ret;
}

int box_serve_temp(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	(void)ctx, (void)q, (void)size;
	return given(a, box_new_temp());
}

int box_serve_terminal(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	(void)ctx, (void)q, (void)size;
	return given(a, box_new_terminal());
}
