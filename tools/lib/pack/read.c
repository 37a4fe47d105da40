// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An archive that is read. Nothing of it is believed: an entry that is called like an object's file is
 * written under a name of our own, and goes into the cache only when it has the build id that its name says.
 * Links and directories are passed over, the cache makes its own. So an archive cannot name a place that is
 * written to, nor put one program where another is looked for.
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
#include "symbol/symbol.h"

#if HAVE_LIBARCHIVE
#define CHUNK (256u << 10)
/* A few kilobytes can stand for a full disk: programs are packed to a third, not to a hundredth. */
#define UNPACK_FREE  (64ull << 20)
#define UNPACK_RATIO 100

struct reader {
	struct pack_lib lib;
	struct archive *a;
	const char *path;
	int fd;
	const struct log_sink *log;
	struct pack_taken *n;
	uint64_t size, unpacked; /* bytes; size 0: of a pipe, as many as came */
	bool no_limits;
	char temp[PATH_MAX]; /* in the cache's directory; "" = none */
	unsigned char buf[CHUNK];
};

static int too_much(const struct reader *r, struct err *e)
{
	err_set(e, -EFBIG, "%s unpacks to more than %llu MB: no archive of programs does", r->path,
		(unsigned long long)(r->unpacked >> 20));
	err_hint(e, "What came before is in the cache. --no-limits unpacks it all.");
	return -EFBIG;
}

/* The entry at hand into @fd. */
static int copy_entry(struct reader *r, int fd, const char *to, struct err *e)
{
	ssize_t n;
	int ret;

	while ((n = r->lib.read_data(r->a, r->buf, sizeof(r->buf))) > 0) {
		uint64_t size = r->size ?: (uint64_t)r->lib.filter_bytes(r->a, -1);

		r->unpacked += (uint64_t)n;
		if (!r->no_limits && r->unpacked > max_u64(UNPACK_FREE, UNPACK_RATIO * size))
			return too_much(r, e);
		ret = write_all(fd, r->buf, (size_t)n);
		if (ret)
			return err_set(e, ret, "cannot write %s: %s", to, strerror(-ret));
	}
	return n < 0 ? pack_failed(&r->lib, r->a, -EBADMSG, r->path, e) : 0;
}

static int make_temp(struct reader *r, struct err *e)
{
	char dir[PATH_MAX - 32];
	int fd;

	if (!buildid_cache_dir(dir, sizeof(dir))) {
		err_set(e, -ENOENT, "there is no directory for the cache of build ids");
		err_hint(e, "Set HOME or PERF_BUILDID_DIR.");
		return -ENOENT;
	}
	if (mkdir(dir, 0755) && errno != EEXIST)
		return err_set(e, -errno, "cannot make %s: %s", dir, strerror(errno));
	snprintf(r->temp, sizeof(r->temp), "%s/unpack.XXXXXX", dir);
	fd = mkostemp(r->temp, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	r->temp[0] = 0;
	return err_set(e, -errno, "cannot make a file in %s: %s", dir, strerror(errno));
}

/* Whether the file is what its name says. The kernel's names have no build id in them. */
static bool is_right(const struct reader *r, const struct pack_name *name)
{
	struct build_id have = { 0 };

	if (!strcmp(name->name, "kallsyms"))
		return name->path[0] == '[';
	return symbol_file_build_id(r->temp, &have) &&
	       build_id_equal(have.id, have.size, name->id.id, name->id.size);
}

static int keep(struct reader *r, const struct pack_name *name, struct err *e)
{
	struct err why = { 0 };
	int ret;

	if (!is_right(r, name)) {
		log_to(r->log, LOG_WARN, "%s: not the file of its build id; it is left out",
		       name->path);
		r->n->refused++;
		return 0;
	}
	ret = buildid_cache_add(&name->id, r->temp, name->path, name->name, &why);
	r->n->had += ret == -EEXIST;
	r->n->added += !ret;
	if (!ret || ret == -EEXIST)
		return 0;
	*e = why;
	return ret;
}

static int take_object(struct reader *r, const struct pack_name *name, struct err *e)
{
	int fd = make_temp(r, e), ret = fd < 0 ? fd : copy_entry(r, fd, r->temp, e);

	if (fd >= 0 && close(fd) && !ret)
		ret = err_set(e, -errno, "cannot write %s: %s", r->temp, strerror(errno));
	ret = ret ?: keep(r, name, e);
	if (r->temp[0])
		unlink(r->temp);
	return ret;
}

/* It is called perf.data, whatever is there: that becomes perf.data.old, once what takes its place is whole. */
static int take_recording(struct reader *r, struct err *e)
{
	struct box_replacement file;
	struct output out;
	int ret, closed;

	/* Another one would have the first as perf.data.old, and what was there lost. */
	if (r->n->recording)
		return err_set(e, -EEXIST, "%s holds a second perf.data", r->path);
	ret = box_replace_open(&file, "perf.data", false);
	if (ret)
		return err_set(e, ret, "cannot create perf.data: %s", strerror(-ret));
	ret = copy_entry(r, file.fd, "perf.data", e);
	if (!ret) {
		ret = output_open(&out, "perf.data", OUTPUT_RECORDING, r->log, e);
		if (out.fd >= 0)
			close(out.fd);
	}
	closed = box_replace_close(&file, !ret);
	if (!ret && closed)
		ret = err_set(e, closed, "cannot write perf.data: %s", strerror(-closed));
	r->n->recording = !ret;
	return ret;
}

static int take_entry(struct reader *r, struct archive_entry *ent, struct err *e)
{
	const char *entry = r->lib.entry_pathname(ent);
	struct pack_name name;

	if (!entry || r->lib.entry_filetype(ent) != AE_IFREG)
		return 0;
	if (!strcmp(entry, "perf.data") || !strcmp(entry, "./perf.data"))
		return take_recording(r, e);
	if (pack_parse_name(entry, &name))
		return take_object(r, &name, e);
	log_to(r->log, LOG_INFO,
	       "an entry of the archive is called like no object's file; it is passed over");
	return 0;
}

static int read_all(struct reader *r, struct err *e)
{
	struct archive_entry *ent;
	int ret = 0, got;

	if (r->lib.read_support_filter_all(r->a) < ARCHIVE_WARN ||
	    r->lib.read_support_format_tar(r->a) != ARCHIVE_OK ||
	    r->lib.read_open_fd(r->a, r->fd, CHUNK) != ARCHIVE_OK)
		return pack_failed(&r->lib, r->a, -EBADMSG, r->path, e);
	while (!ret && (got = r->lib.read_next_header(r->a, &ent)) != ARCHIVE_EOF) {
		if (got < ARCHIVE_WARN)
			return pack_failed(&r->lib, r->a, -EBADMSG, r->path, e);
		ret = take_entry(r, ent, e);
	}
	return ret;
}

static int open_archive(struct reader *r, struct err *e)
{
	struct stat st;

	r->fd = strcmp(r->path, "-") ? open(r->path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (r->fd < 0)
		return err_set(e, -errno, "cannot open %s: %s", r->path, strerror(errno));
	if (!fstat(r->fd, &st) && S_ISREG(st.st_mode))
		r->size = (uint64_t)st.st_size;
	r->a = r->lib.read_new();
	return r->a ? 0 : err_set(e, -ENOMEM, "no memory for an archive");
}

int pack_unpack(const char *path, bool no_limits, const struct log_sink *log, struct pack_taken *n,
		struct err *e)
{
	struct reader *r = calloc(1, sizeof(*r));
	int ret = r ? 0 : err_set(e, -ENOMEM, "no memory for an archive");

	*n = (struct pack_taken){ 0 };
	if (ret)
		return ret;
	r->path = path;
	r->log = log;
	r->n = n;
	r->no_limits = no_limits;
	r->fd = -1;
	ret = pack_load(&r->lib, e);
	ret = ret ?: open_archive(r, e);
	ret = ret ?: read_all(r, e);
	if (r->a)
		r->lib.read_free(r->a);
	if (r->fd > STDIN_FILENO)
		close(r->fd);
	free(r);
	return ret;
}
#endif
