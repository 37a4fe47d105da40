// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a recording and walking its records in file order. A recording is one stream of records
 * or, as a directory, several; a file of somebody else is not opened without -f, as whoever made
 * it chose what it says.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "perfdata-int.h"

#define PROGRESS_STEP	(1u << 20)
#define DIR_STREAMS_MAX 65536

static int open_file(const char *path, struct err *e)
{
	int fd;

	if (!strcmp(path, "-"))
		return STDIN_FILENO;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		err_set(e, fd, "cannot open %s: %s", path, strerror(-fd));
		if (fd == -ENOENT)
			err_hint(e, "record something first, or name the file with -i");
	}
	return fd;
}

static int check_owner(const struct perfdata *pd, const char *path, const struct stat *st,
		       struct err *e)
{
	if (pd->opts.force || !S_ISREG(st->st_mode) || !st->st_uid || st->st_uid == geteuid())
		return 0;
	err_set(e, -EPERM, "File %s not owned by current user or root (use -f to override)", path);
	return -EPERM;
}

uint64_t perfdata_record_bytes(const struct perfdata *pd)
{
	uint64_t total = 0;

	for (size_t i = 0; i < pd->nr_streams; i++) {
		const struct stream *s = &pd->streams[i];
		uint64_t end = s->end == OFFSET_UNKNOWN ? pd->layout.file_size : s->end;

		total += end - min_u64(end, s->start);
	}
	return total;
}

/* True: nothing more is wanted. */
static bool report_progress(void *ctx)
{
	struct perfdata *pd = ctx;

	pd->next_progress = pd->stats.bytes + PROGRESS_STEP;
	return pd->opts.progress &&
	       pd->opts.progress(pd->opts.ctx, pd->done_before + pd->streams[pd->cur].pos,
				 perfdata_record_bytes(pd));
}

/* Opens @path as one more stream of records. */
static int open_stream(struct perfdata *pd, struct stream *s, const char *path, struct err *e)
{
	struct stat st;
	int fd = open_file(path, e), ret;

	if (fd < 0)
		return fd;
	s->win.fd = fd;
	s->own_fd = fd != STDIN_FILENO;
	if (fstat(fd, &st)) {
		ret = -errno;
		return err_set(e, ret, "cannot stat %s: %s", path, strerror(-ret));
	}
	ret = check_owner(pd, path, &st, e);
	if (ret)
		return ret;
	if (S_ISDIR(st.st_mode))
		return err_set(e, -EISDIR, "%s is a directory", path);
	if (s == pd->streams) {
		pd->layout.file_size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
		pd->layout.mtime = st.st_mtime;
	}
	stream_init(s, fd, S_ISREG(st.st_mode) ? (uint64_t)st.st_size : OFFSET_UNKNOWN,
		    s == pd->streams ? OFFSET_UNKNOWN : (uint64_t)st.st_size);
	if (pd->opts.progress) {
		s->win.waits = report_progress;
		s->win.ctx = pd;
	}
	s->no_limits = pd->opts.no_limits;
	s->log = &pd->opts.log;
	s->own_fd = fd != STDIN_FILENO;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The N of every DIR/data.N, ascending. */
static int list_dir(const char *path, uint32_t **nrs, size_t *n, struct err *e)
{
	VEC(uint32_t) v = { 0 };
	DIR *d = opendir(path);
	struct dirent *de;
	int ret = 0, code = 0;

	if (!d)
		return err_set(e, -errno, "cannot read the directory %s: %s", path,
			       strerror(errno));
	while (!ret && (de = file_dir_next(d, &code))) {
		unsigned nr;
		char junk;

		if (sscanf(de->d_name, "data.%u%c", &nr, &junk) == 1 && v.n < DIR_STREAMS_MAX)
			ret = vec_push(&v, nr);
	}
	closedir(d);
	if (v.n)
		qsort(v.v, v.n, sizeof(*v.v), by_number);
	*nrs = v.v;
	*n = v.n;
	if (!ret && code)
		return err_set(e, code, "cannot read the directory %s: %s", path, strerror(-code));
	return ret ? err_set(e, ret, "out of memory reading %s", path) : 0;
}

static int open_dir(struct perfdata *pd, const char *path, struct err *e)
{
	char name[4096];
	uint32_t *nrs = NULL;
	size_t n = 0;
	int ret = list_dir(path, &nrs, &n, e);

	if (ret)
		goto out;
	pd->streams = calloc(n + 1, sizeof(*pd->streams));
	if (!pd->streams) {
		ret = err_set(e, -ENOMEM, "out of memory opening %s", path);
		goto out;
	}
	pd->nr_streams = n + 1;
	for (size_t i = 0; i <= n; i++)
		pd->streams[i].win.fd = -1;
	for (size_t i = 0; i <= n && !ret; i++) {
		if (i == 0)
			snprintf(name, sizeof(name), "%s/data", path);
		else
			snprintf(name, sizeof(name), "%s/data.%u", path, nrs[i - 1]);
		ret = open_stream(pd, &pd->streams[i], name, e);
	}
out:
	free(nrs);
	return ret;
}

static int open_streams(struct perfdata *pd, const char *path, struct err *e)
{
	struct stat st;

	if (strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode))
		return open_dir(pd, path, e);
	pd->streams = calloc(1, sizeof(*pd->streams));
	if (!pd->streams)
		return err_set(e, -ENOMEM, "out of memory opening %s", path);
	pd->nr_streams = 1;
	pd->streams[0].win.fd = -1;
	return open_stream(pd, &pd->streams[0], path, e);
}

/*
 * In a pipe attrs and features are records. Those at its start are taken in at once, so that
 * events are known before the first sample; they are handed out later all the same.
 */
static void apply_first(struct perfdata *pd)
{
	struct stream *s = &pd->streams[0];
	struct raw_record r;
	struct err err;

	s->win.hold = true;
	while (stream_next(s, pd->swap, &r, &err) > 0) {
		if (r.unzipped || r.type < PERF_RECORD_USER_TYPE_START ||
		    r.type >= PERF_RECORD_USER_MAX || s->win.len > HELD_MAX)
			break;
		if (perfdata_apply(pd, &r, &s->payload, &err))
			break;
		pd->applied = s->pos;
	}
	s->win.hold = false;
	s->pos = s->start;
	s->end = OFFSET_UNKNOWN;
	s->in_zip = false;
	s->nr_zipped[0] = s->nr_zipped[1] = 0;
	if (s->zip)
		unzip_reset(s->zip);
}

int perfdata_open(struct perfdata **out, const char *path, const struct perfdata_opts *opts,
		  struct err *e)
{
	static const struct perfdata_env unknown = { "", "", "", "", "", "", .nr_cmdline = 0 };
	struct perfdata *pd = calloc(1, sizeof(*pd));
	int ret = -ENOMEM;

	*out = NULL;
	if (!pd)
		return err_set(e, -ENOMEM, "out of memory opening %s", path);
	if (opts)
		pd->opts = *opts;
	if (!pd->opts.max_mem)
		pd->opts.max_mem = DEFAULT_MEM;
	pd->env = unknown;
	pd->path = strdup(path);
	if (!pd->path) {
		err_set(e, ret, "out of memory opening %s", path);
		goto fail;
	}
	ret = open_streams(pd, path, e);
	if (ret)
		goto fail;
	ret = perfdata_read_header(pd, &pd->streams[0], e);
	if (ret) {
		err_context(e, "%s", path);
		goto fail;
	}
	if (pd->pipe)
		apply_first(pd);
	*out = pd;
	return 0;
fail:
	perfdata_close(pd);
	return ret;
}

void perfdata_close(struct perfdata *pd)
{
	if (!pd)
		return;
	perfdata_order_free(pd);
	for (size_t i = 0; i < pd->nr_streams; i++)
		stream_free(&pd->streams[i]);
	free(pd->streams);
	for (int i = 0; i < FEAT_BITS; i++)
		free(pd->feat[i].data);
	vec_free(&pd->events);
	vec_free(&pd->ids);
	vec_free(&pd->build_ids);
	htab_free(&pd->id_tab);
	tracing_forget(pd);
	arena_free(&pd->arena);
	free(pd->path);
	free(pd);
}

/* ---- records in file order ------------------------------------------------------------------------- */

/*
 * Kernels get new records and programs like simpleperf have their own, from 32768 on: they can be
 * passed over, are counted and said at the end. Higher numbers are no records at all but bytes of
 * somebody else in a stream; what follows would be read wrongly.
 */
static int unknown_record(struct perfdata *pd, const struct raw_record *r, struct err *e)
{
	if (r->type <= UINT16_MAX) {
		pd->stats.unknown_records++;
		return 0;
	}
	err_set(e, -EBADMSG, RECORD_FMT ": there is no such record",
		RECORD_ARG(r->offset, r->type));
	err_hint(e, "Something else wrote into the recording; `perf record -o -` of this version "
		    "keeps what its command prints out of the stream.");
	return -EBADMSG;
}

static bool record_known(uint32_t type)
{
	return (type > 0 && type < PERF_RECORD_KERNEL_MAX) ||
	       (type >= PERF_RECORD_USER_TYPE_START && type < PERF_RECORD_USER_MAX);
}

static int fail(struct perfdata *pd, int ret, struct err *e)
{
	pd->failed = true;
	err_context(e, "%s", pd->path);
	return ret;
}

static int next_stream(struct perfdata *pd)
{
	if (pd->cur + 1 >= pd->nr_streams) {
		pd->ended = true;
		if (pd->stats.unknown_records && !pd->said_unknown)
			log_to(&pd->opts.log, LOG_WARN,
			       "%s: %llu records are of types that this perf does not know, and "
			       "were left out; a newer kernel or another program made them",
			       pd->path, (unsigned long long)pd->stats.unknown_records);
		pd->said_unknown = true;
		return 0;
	}
	pd->done_before += pd->streams[pd->cur].pos;
	if (pd->streams[pd->cur].win.seekable)
		window_free(&pd->streams[pd->cur].win);
	pd->cur++;
	return 1;
}

/* Attrs, features and updates take effect once, however often the file is read. */
static int apply_once(struct perfdata *pd, const struct raw_record *r, struct err *e)
{
	uint64_t *applied = r->unzipped ? &pd->applied_zip : &pd->applied;

	if (pd->cur || r->offset < *applied)
		return 0;
	*applied = r->offset + 1;
	if (pd->ahead)
		perfdata_ahead_wait_idle(pd->ahead);
	return perfdata_apply(pd, r, &pd->streams[0].payload, e);
}

int perfdata_next_in_file(struct perfdata *pd, struct record *rec, bool *unzipped, struct err *e)
{
	struct raw_record r;
	int ret;

	if (unlikely(pd->failed || pd->ended))
		return 0;
	do {
		ret = stream_next(&pd->streams[pd->cur], pd->swap, &r, e);
	} while (ret == 0 && next_stream(pd));
	if (unlikely(ret <= 0))
		return ret < 0 ? fail(pd, ret, e) : 0;
	if (unlikely(r.type >= PERF_RECORD_USER_TYPE_START)) {
		ret = apply_once(pd, &r, e);
		if (ret)
			return fail(pd, ret, e);
	}
	pd->stats.records++;
	pd->stats.bytes += r.size;
	if (unlikely(!record_known(r.type))) {
		ret = unknown_record(pd, &r, e);
		if (ret)
			return fail(pd, ret, e);
	}
	if (unlikely(pd->stats.bytes >= pd->next_progress))
		pd->ended |= report_progress(pd);
	rec->data = r.data;
	rec->size = r.size;
	rec->type = r.type;
	rec->misc = r.misc;
	rec->swap = pd->swap;
	rec->offset = r.offset;
	rec->file_offset = r.file_offset;
	rec->gap = NULL;
	*unzipped = r.unzipped;
	perfdata_resolve(pd, &r, rec);
	return 1;
}

int perfdata_next(struct perfdata *pd, struct record *rec, struct err *e)
{
	bool unzipped;

	return perfdata_next_in_file(pd, rec, &unzipped, e);
}

/* ---- what a file is ----------------------------------------------------------------------------------- */

void perfdata_stats(const struct perfdata *pd, struct perfdata_stats *s)
{
	*s = pd->stats;
	s->compressed[0] = s->compressed[1] = 0;
	for (size_t i = 0; i < pd->nr_streams; i++) {
		s->compressed[0] += pd->streams[i].nr_zipped[0];
		s->compressed[1] += pd->streams[i].nr_zipped[1];
	}
}

bool perfdata_swapped(const struct perfdata *pd)
{
	return pd->swap;
}

int perfdata_read_pipe(struct perfdata *pd, struct err *e)
{
	struct record rec;
	int ret = 1;

	while (pd->pipe && ret > 0)
		ret = perfdata_next(pd, &rec, e);
	return ret < 0 ? ret : 0;
}

bool perfdata_is_pipe(const struct perfdata *pd)
{
	return pd->pipe;
}

const char *perfdata_path(const struct perfdata *pd)
{
	return pd->path;
}

void perfdata_layout(const struct perfdata *pd, struct perfdata_layout *l)
{
	*l = pd->layout;
}
