// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An archive that is written: a link and a file for each object, in the order in which they are added. Files are
 * read while they are written, and one that becomes shorter meanwhile ends the archive: its size stands before
 * its bytes. The archive takes its name when it is ended; until then what was there before stays.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output.h"
#include "box/box.h"
#include "pack/pack-int.h"

#if HAVE_LIBARCHIVE
#define CHUNK (256u << 10)

struct pack {
	struct pack_lib lib;
	struct archive *a;
	struct box_replacement file; /* fd -1: a descriptor that was open, or none */
	char *path;
	struct intern names; /* that were added */
	unsigned char *buf;
};

static int no_memory(struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for an archive");
}

/* As the name ends. */
static int add_filter(struct pack *p, const char *path, struct err *e)
{
	const struct {
		const char *end;
		int (*add)(struct archive *a);
	} filter[] = {
		{ ".tar", p->lib.write_add_filter_none },
		{ ".tar.gz", p->lib.write_add_filter_gzip },
		{ ".tgz", p->lib.write_add_filter_gzip },
		{ ".tar.bz2", p->lib.write_add_filter_bzip2 },
		{ ".tar.xz", p->lib.write_add_filter_xz },
		{ ".tar.zst", p->lib.write_add_filter_zstd },
		{ "-", p->lib.write_add_filter_none },
	};
	size_t len = strlen(path);

	for (size_t i = 0; i < ARRAY_SIZE(filter); i++) {
		size_t n = strlen(filter[i].end);

		if (len < n || strcmp(path + len - n, filter[i].end) != 0)
			continue;
		if (filter[i].add(p->a) == ARCHIVE_OK)
			return 0;
		return pack_failed(&p->lib, p->a, -ENOTSUP, path, e);
	}
	err_set(e, -EINVAL, "%s: archives are called .tar, .tar.gz, .tar.bz2, .tar.xz or .tar.zst",
		path);
	return -EINVAL;
}

static int open_output(struct pack *p, bool shared, struct err *e)
{
	int fd = output_descriptor(p->path), ret = 0;

	if (fd < 0) {
		ret = box_replace_open(&p->file, p->path, shared);
		fd = p->file.fd;
	}
	if (ret) {
		p->file.fd = -1;
		return err_set(e, ret, "cannot write %s: %s", p->path, strerror(-ret));
	}
	return p->lib.write_open_fd(p->a, fd) == ARCHIVE_OK
		       ? 0
		       : pack_failed(&p->lib, p->a, -EIO, p->path, e);
}

int pack_new(struct pack **out, const char *path, bool shared, struct err *e)
{
	struct pack *p = calloc(1, sizeof(*p));
	int ret = p ? 0 : no_memory(e);

	*out = p;
	if (ret)
		return ret;
	p->file.fd = -1;
	ret = pack_load(&p->lib, e);
	if (ret)
		return ret;
	p->path = strdup(path);
	p->buf = malloc(CHUNK);
	p->a = p->lib.write_new();
	if (!p->path || !p->buf || !p->a)
		return no_memory(e);
	ret = add_filter(p, path, e);
	if (!ret && p->lib.write_set_format_pax_restricted(p->a) != ARCHIVE_OK)
		ret = pack_failed(&p->lib, p->a, -EINVAL, path, e);
	return ret ?: open_output(p, shared, e);
}

void pack_free(struct pack *p)
{
	if (!p)
		return;
	if (p->a)
		p->lib.write_free(p->a);
	if (p->file.fd >= 0)
		box_replace_close(&p->file, false);
	intern_free(&p->names);
	free(p->path);
	free(p->buf);
	free(p);
}

/* ---- entries --------------------------------------------------------------------------------- */

static int put_entry(struct pack *p, struct archive_entry *ent, const char *name, struct err *e)
{
	if (!ent)
		return no_memory(e);
	p->lib.entry_set_pathname(ent, name);
	return p->lib.write_header(p->a, ent) == ARCHIVE_OK
		       ? 0
		       : pack_failed(&p->lib, p->a, -EIO, p->path, e);
}

static int put_link(struct pack *p, const char *name, const char *target, struct err *e)
{
	struct archive_entry *ent = p->lib.entry_new();
	int ret;

	if (ent) {
		p->lib.entry_set_filetype(ent, AE_IFLNK);
		p->lib.entry_set_perm(ent, 0777);
		p->lib.entry_set_symlink(ent, target);
	}
	ret = put_entry(p, ent, name, e);
	p->lib.entry_free(ent);
	return ret;
}

static int put_bytes(struct pack *p, int fd, uint64_t size, const char *from, struct err *e)
{
	for (uint64_t at = 0; at < size;) {
		ssize_t n = file_read_at(fd, p->buf, min_u64(CHUNK, size - at), at);

		if (n <= 0)
			return err_set(e, n ? (int)n : -EIO, "cannot read %s: %s", from,
				       n ? strerror((int)-n)
					 : "it became shorter while it was read");
		if (p->lib.write_data(p->a, p->buf, (size_t)n) != n)
			return pack_failed(&p->lib, p->a, -EIO, p->path, e);
		at += (uint64_t)n;
	}
	return 0;
}

/* Files of /proc have no size: @text is what was read of one. */
static int put_file(struct pack *p, const char *name, const char *from, struct err *e)
{
	struct archive_entry *ent = p->lib.entry_new();
	size_t text_size = 0;
	uint64_t size = 0;
	char *text = NULL;
	int fd = -1, ret = 0;

	if (!strncmp(from, "/proc/", 6)) {
		text = file_read_all(from, 256u << 20, &text_size, e);
		size = text_size;
		ret = text ? 0 : e->code;
	} else {
		fd = file_open_regular(from, &size);
		if (fd < 0)
			ret = err_set(e, fd, "cannot read %s: %s", from, strerror(-fd));
	}
	if (!ret && ent) {
		p->lib.entry_set_filetype(ent, AE_IFREG);
		p->lib.entry_set_perm(ent, 0644);
		p->lib.entry_set_size(ent, (int64_t)size);
	}
	ret = ret ?: put_entry(p, ent, name, e);
	if (!ret && text && p->lib.write_data(p->a, text, size) != (ssize_t)size)
		ret = pack_failed(&p->lib, p->a, -EIO, p->path, e);
	else if (!ret && !text)
		ret = put_bytes(p, fd, size, from, e);
	p->lib.entry_free(ent);
	free(text);
	if (fd >= 0)
		close(fd);
	return ret;
}

/* -EEXIST: it was added before. */
static int note_name(struct pack *p, const char *name, struct err *e)
{
	size_t before = p->names.str.n;
	uint32_t id = intern(&p->names, name);

	if (id == INTERN_NONE)
		return no_memory(e);
	return p->names.str.n == before ? err_set(e, -EEXIST, "%s is in the archive", name) : 0;
}

int pack_add(struct pack *p, const struct build_id *id, const char *path, const char *name,
	     const char *from, struct err *e)
{
	char hex[2 * BUILD_ID_MAX + 1], link[2 * BUILD_ID_MAX + 16];
	char target[PATH_MAX + 64], file[PATH_MAX + 64];
	const char *below = *path == '/' ? path + 1 : path;
	int ret;

	if (id->size < 2)
		return err_set(e, -EINVAL, "%s has no build id", path);
	if (!pack_path_allowed(path))
		return err_set(e, -EINVAL, "%s is no path to put into an archive", path);
	buildid_hex(id, hex);
	if (snprintf(file, sizeof(file), "%s/%s/%s", below, hex, name) >= (int)sizeof(file) ||
	    snprintf(target, sizeof(target), "../../%s/%s", below, hex) >= (int)sizeof(target))
		return err_set(e, -ENAMETOOLONG, "%s: the path is too long for an archive", path);
	snprintf(link, sizeof(link), ".build-id/%.2s/%s", hex, hex + 2);
	ret = note_name(p, file, e);
	if (ret)
		return ret;
	ret = note_name(p, link, e);
	if (ret == -EEXIST)
		err_clear(e);
	else
		ret = ret ?: put_link(p, link, target, e);
	return ret && ret != -EEXIST ? ret : put_file(p, file, from, e);
}

int pack_add_recording(struct pack *p, const char *from, struct err *e)
{
	return put_file(p, "perf.data", from, e);
}

int pack_end(struct pack *p, struct err *e)
{
	int ret = 0;

	if (p->lib.write_close(p->a) != ARCHIVE_OK)
		return pack_failed(&p->lib, p->a, -EIO, p->path, e);
	if (p->file.fd >= 0)
		ret = box_replace_close(&p->file, true);
	p->file.fd = -1;
	return ret ? err_set(e, ret, "cannot write %s: %s", p->path, strerror(-ret)) : 0;
}

#else

static int without(struct err *e)
{
	err_set(e, -ENOTSUP, "this perf was built without libarchive, which archives need");
	err_hint(e, "install libarchive-dev and build again; or copy the objects of perf "
		    "buildid-list and add them there with perf buildid-cache -a");
	return -ENOTSUP;
}

int pack_new(struct pack **p, const char *path, bool shared, struct err *e)
{
	(void)path, (void)shared;
	*p = NULL;
	return without(e);
}

void pack_free(struct pack *p)
{
	(void)p;
}

int pack_add(struct pack *p, const struct build_id *id, const char *path, const char *name,
	     const char *from, struct err *e)
{
	(void)p, (void)id, (void)path, (void)name, (void)from;
	return without(e);
}

int pack_add_recording(struct pack *p, const char *from, struct err *e)
{
	(void)p, (void)from;
	return without(e);
}

int pack_end(struct pack *p, struct err *e)
{
	(void)p;
	return without(e);
}

int pack_unpack(const char *path, bool no_limits, const struct log_sink *log, struct pack_taken *n,
		struct err *e)
{
	(void)path, (void)no_limits, (void)log, (void)n;
	return without(e);
}
#endif
