// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The directories of the cache. What is in it is the user's own, but may have been left by anybody's
 * version of perf, so a link is believed only where it has the expected form, and nothing outside of
 * an object's own directory is removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "buildid/buildid.h"

#define COPY_CHUNK (1u << 20)

void buildid_hex(const struct build_id *id, char *hex)
{
	for (size_t i = 0; i < id->size; i++)
		sprintf(hex + 2 * i, "%02x", id->id[i]);
	hex[2 * id->size] = 0;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool buildid_parse(const char *hex, struct build_id *id)
{
	size_t n = strlen(hex);

	if (!n || n % 2 || n > 2 * BUILD_ID_MAX)
		return false;
	*id = (struct build_id){ .size = (uint8_t)(n / 2) };
	for (size_t i = 0; i < id->size; i++) {
		int hi = digit(hex[2 * i]), lo = digit(hex[2 * i + 1]);

		if (hi < 0 || lo < 0)
			return false;
		id->id[i] = (uint8_t)(hi << 4 | lo);
	}
	return true;
}

/* ---- paths ------------------------------------------------------------------------------------ */

static bool format(char *buf, size_t size, const char *fmt, ...) __printf_fmt(3, 4);

static bool format(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return n >= 0 && (size_t)n < size;
}

bool buildid_cache_dir(char *buf, size_t size)
{
	const char *dir = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");

	if (dir && *dir)
		return format(buf, size, "%s", dir);
	return home && *home && format(buf, size, "%s/.debug", home);
}

/* The link of @id. */
static bool link_path(const struct build_id *id, char *buf, size_t size)
{
	char dir[PATH_MAX], hex[2 * BUILD_ID_MAX + 1];

	if (id->size < 2 || !buildid_cache_dir(dir, sizeof(dir)))
		return false;
	buildid_hex(id, hex);
	return format(buf, size, "%s/.build-id/%.2s/%s", dir, hex, hex + 2);
}

bool buildid_cache_path(const struct build_id *id, const char *name, char *buf, size_t size)
{
	char link[PATH_MAX];

	return link_path(id, link, sizeof(link)) && format(buf, size, "%s/%s", link, name);
}

/* What every entry point needs; -errno with a text when there is no place for it. */
struct place {
	char dir[PATH_MAX / 2];	    /* the cache's */
	char object[PATH_MAX + 64]; /* the object's own directory */
	char link[PATH_MAX];
	char hex[2 * BUILD_ID_MAX + 1];
};

static int find_place(struct place *p, const struct build_id *id, const char *path, struct err *e)
{
	if (!buildid_cache_dir(p->dir, sizeof(p->dir))) {
		err_set(e, -ENOENT, "there is no directory for the cache of build ids");
		err_hint(e, "Set HOME or PERF_BUILDID_DIR.");
		return -ENOENT;
	}
	if (id->size < 2)
		return err_set(e, -EINVAL, "%s has no build id", path);
	buildid_hex(id, p->hex);
	if (!link_path(id, p->link, sizeof(p->link)) ||
	    !format(p->object, sizeof(p->object), "%s/%s/%s", p->dir,
		    *path == '/' ? path + 1 : path, p->hex))
		return err_set(e, -ENAMETOOLONG, "%s: the path is too long for the cache", path);
	return 0;
}

/* Makes all directories above the last component. */
static int make_parents(char *path)
{
	for (char *p = path + 1; *p; p++) {
		int ret = 0;

		if (*p != '/')
			continue;
		*p = 0;
		if (mkdir(path, 0755) && errno != EEXIST)
			ret = -errno;
		*p = '/';
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- adding ------------------------------------------------------------------------------------ */

static int copy_bytes(int from, int to)
{
	char *buf = malloc(COPY_CHUNK);
	ssize_t n = -1;
	int ret = buf ? 0 : -ENOMEM;

	while (!ret && (n = read(from, buf, COPY_CHUNK)) != 0) {
		if (n > 0)
			ret = write_all(to, buf, (size_t)n);
		else if (errno != EINTR)
			ret = -errno;
	}
	free(buf);
	return ret;
}

/* @from to @to by way of a name beside it. */
static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY), out, ret;
	char *temp;

	if (in < 0)
		return -errno;
	if (asprintf(&temp, "%s.XXXXXX", to) < 0) {
		close(in);
		return -ENOMEM;
	}
	out = mkostemp(temp, O_CLOEXEC);
	ret = out < 0 ? -errno : copy_bytes(in, out);
	if (out >= 0) {
		fchmod(out, 0644);
		if (close(out) && !ret)
			ret = -errno;
		if (!ret && rename(temp, to))
			ret = -errno;
		if (ret)
			unlink(temp);
	}
	free(temp);
	close(in);
	return ret;
}

/* Puts the link in place; whatever else had this id gives way. */
static int make_link(struct place *p)
{
	char target[PATH_MAX + 64];
	const char *below = p->object + strlen(p->dir) + 1;
	int ret = make_parents(p->link);

	if (ret)
		return ret;
	if (!format(target, sizeof(target), "../../%s", below))
		return -ENAMETOOLONG;
	if (unlink(p->link) && errno != ENOENT)
		return -errno;
	return symlink(target, p->link) ? -errno : 0;
}

int buildid_cache_add(const struct build_id *id, const char *from, const char *path,
		      const char *name, struct err *e)
{
	char file[PATH_MAX + 128];
	struct place p;
	int ret = find_place(&p, id, path, e);

	if (ret)
		return ret;
	if (!format(file, sizeof(file), "%s/%s", p.object, name))
		return err_set(e, -ENAMETOOLONG, "%s: the path is too long for the cache", path);
	if (!access(p.link, F_OK) && !access(file, F_OK))
		return err_set(e, -EEXIST, "%s already in the cache", path);
	ret = make_parents(file);
	ret = ret ?: copy_file(from, file);
	ret = ret ?: make_link(&p);
	if (ret)
		return err_set(e, ret, "cannot copy %s to %s: %s", from, file, strerror(-ret));
	return 0;
}

/* ---- removing ---------------------------------------------------------------------------------- */

/* The files of one object, its directory, and the directories above that are empty then. */
static int remove_object(const struct place *p)
{
	char path[PATH_MAX + 64 + NAME_MAX + 1];
	DIR *d = opendir(p->object);
	struct dirent *ent;
	size_t top = strlen(p->dir);
	char *slash;

	if (!d)
		return errno == ENOENT ? 0 : -errno;
	while ((ent = readdir(d)))
		if (strcmp(ent->d_name, ".") && strcmp(ent->d_name, "..") &&
		    format(path, sizeof(path), "%s/%s", p->object, ent->d_name))
			unlink(path);
	closedir(d);
	if (rmdir(p->object))
		return -errno;
	snprintf(path, sizeof(path), "%s", p->object);
	while ((slash = strrchr(path, '/')) && (size_t)(slash - path) > top) {
		*slash = 0;
		if (rmdir(path))
			break;
	}
	return 0;
}

/* "../../usr/bin/prog/ID" -> "/usr/bin/prog" in @path; false for links of another form. */
static bool link_target(const char *link, const char *hex, char *path, size_t size)
{
	char target[PATH_MAX];
	ssize_t n = readlink(link, target, sizeof(target) - 1);
	char *last;

	if (n < 0)
		return false;
	target[n] = 0;
	last = strrchr(target, '/');
	if (strncmp(target, "../../", 6) || !last || last <= target + 6 || strcmp(last + 1, hex) ||
	    strstr(target + 5, "/../"))
		return false;
	*last = 0;
	return format(path, size, "%s%s", target[6] == '[' ? "" : "/", target + 6);
}

int buildid_cache_remove(const struct build_id *id, struct err *e)
{
	char path[PATH_MAX];
	struct place p;
	int ret = find_place(&p, id, "the object", e);

	if (ret)
		return ret;
	if (!link_target(p.link, p.hex, path, sizeof(path)))
		return err_set(e, -ENOENT, "%s is not in the cache", p.hex);
	ret = find_place(&p, id, path, e);
	ret = ret ?: remove_object(&p);
	if (!ret && unlink(p.link))
		ret = -errno;
	return ret ? err_set(e, ret, "cannot remove %s: %s", p.object, strerror(-ret)) : 0;
}

int buildid_cache_purge(const char *path, size_t *nr, struct err *e)
{
	char dir[PATH_MAX], objects[PATH_MAX];
	struct dirent *ent;
	int ret = 0, code = 0;
	DIR *d;

	*nr = 0;
	if (!buildid_cache_dir(dir, sizeof(dir)) ||
	    !format(objects, sizeof(objects), "%s/%s", dir, *path == '/' ? path + 1 : path))
		return err_set(e, -ENOENT, "there is no directory for the cache of build ids");
	d = opendir(objects);
	while (d && !ret && (ent = file_dir_next(d, &code))) {
		struct build_id id;

		if (!buildid_parse(ent->d_name, &id))
			continue;
		ret = buildid_cache_remove(&id, e);
		*nr += !ret;
	}
	if (d)
		closedir(d);
	if (!ret && code)
		return err_set(e, code, "cannot read what is in %s: %s", objects, strerror(-code));
	if (!ret && !*nr)
		return err_set(e, -ENOENT, "%s wasn't in the cache", path);
	return ret;
}

/* ---- listing ----------------------------------------------------------------------------------- */

static int hex_only(const struct dirent *ent)
{
	return ent->d_name[0] != '.' &&
	       strspn(ent->d_name, "0123456789abcdef") == strlen(ent->d_name);
}

static void free_names(struct dirent **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/* The links of one first byte. */
static int list_byte(const char *dir, const char *byte,
		     int (*entry)(void *ctx, const struct build_id *id, const char *path),
		     void *ctx)
{
	char sub[PATH_MAX], link[PATH_MAX], path[PATH_MAX], hex[NAME_MAX + 3];
	struct dirent **names;
	struct build_id id;
	int n, ret = 0;

	if (!format(sub, sizeof(sub), "%s/%s", dir, byte))
		return 0;
	n = scandir(sub, &names, hex_only, alphasort);
	for (int i = 0; i < n && !ret; i++)
		if (format(hex, sizeof(hex), "%s%s", byte, names[i]->d_name) &&
		    format(link, sizeof(link), "%s/%s", sub, names[i]->d_name) &&
		    buildid_parse(hex, &id) && link_target(link, hex, path, sizeof(path)) &&
		    !access(link, F_OK))
			ret = entry(ctx, &id, path);
	if (n >= 0)
		free_names(names, n);
	return ret;
}

int buildid_cache_list(buildid_entry_fn *entry, void *ctx, struct err *e)
{
	char top[PATH_MAX / 2], dir[PATH_MAX];
	struct dirent **bytes;
	int n, ret = 0;

	if (!buildid_cache_dir(top, sizeof(top)) || !format(dir, sizeof(dir), "%s/.build-id", top))
		return err_set(e, -ENOENT, "there is no directory for the cache of build ids");
	n = scandir(dir, &bytes, hex_only, alphasort);
	if (n < 0)
		return errno == ENOENT
			       ? 0
			       : err_set(e, -errno, "cannot read %s: %s", dir, strerror(errno));
	for (int i = 0; i < n && !ret; i++)
		ret = list_byte(dir, bytes[i]->d_name, entry, ctx);
	free_names(bytes, n);
	return ret;
}

struct ids {
	VEC(struct build_id) id;
};

static int note_entry(void *ctx, const struct build_id *id, const char *path)
{
	struct ids *l = ctx;

	(void)path;
	return vec_push(&l->id, *id);
}

/* Listed first: a directory that is being read is not to be changed. */
int buildid_cache_clear(struct err *e)
{
	struct ids l = { 0 };
	int ret = buildid_cache_list(note_entry, &l, e);

	if (ret == -ENOMEM)
		err_set(e, ret, "out of memory for the list of objects");
	vec_for_each (id, &l.id)
		ret = ret ?: buildid_cache_remove(id, e);
	vec_free(&l.id);
	return ret;
}

int buildid_cache_missing(const struct perfdata *pd, buildid_entry_fn *entry, void *ctx)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < perfdata_nr_build_ids(pd); i++) {
		const struct perfdata_build_id *b = perfdata_build_id(pd, i);
		struct build_id id = { .size = (uint8_t)min_u64(b->size, BUILD_ID_MAX) };
		char path[PATH_MAX];

		memcpy(id.id, b->id, id.size);
		if (buildid_cache_path(&id, "", path, sizeof(path)) && access(path, F_OK))
			ret = entry(ctx, &id, b->path);
	}
	return ret;
}
