// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several recordings: which they are, their events as one list, and each of them in turn. A recording that
 * cannot be opened, or ends early, is told at the end, by its name; the others are counted.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lack.h"
#include "fleet/fleet.h"
#include "session-int.h"

const struct option session_files_options[] = {
	OPT_BOOL(0, "by-file", struct session_files_opts, by_file,
		 "several recordings: a column for each"),
	OPT_BOOL(0, "scale-time", struct session_files_opts, scale_time,
		 "several recordings: weigh each as if it had recorded as long as the first"),
	OPT_END(),
};

/* ---- which ------------------------------------------------------------------------------------- */

static bool is_dir(const char *path)
{
	struct stat st;

	if (!stat(path, &st))
		return S_ISDIR(st.st_mode);
	lack_note(errno, "cannot look at", path);
	return false;
}

/* "PERFFILE", "PERFILE2", in either byte order. */
static bool has_magic(int dir, const char *name)
{
	static const char *const magics[] = { "PERFFILE", "PERFILE2", "2ELIFREP" };
	char buf[8];
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool found = false;
	ssize_t n;

	if (fd < 0) {
		lack_note(errno, "cannot open", name);
		return false;
	}
	n = read(fd, buf, sizeof(buf));
	if (n < 0)
		lack_note(errno, "cannot read", name);
	if (n == sizeof(buf))
		for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
			found |= !memcmp(buf, magics[i], sizeof(buf));
	close(fd);
	return found;
}

static bool is_dir_format(const char *path)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is = dir >= 0 && has_magic(dir, "data");

	if (dir >= 0)
		close(dir);
	return is;
}

/* The name of the next recording in @d. NULL: there is no more, or @code says why that is not known. */
static const char *next_in_dir(DIR *d, int *code)
{
	struct dirent *de;

	while ((de = file_dir_next(d, code)))
		if (has_magic(dirfd(d), de->d_name))
			return de->d_name;
	return NULL;
}

static bool holds_recording(const char *path)
{
	DIR *d = opendir(path);
	bool holds;
	int code = 0;

	if (!d) {
		lack_note(errno, "cannot open", path);
		return false;
	}
	holds = next_in_dir(d, &code);
	closedir(d);
	return holds;
}

bool session_files_is_recording(const char *path)
{
	return is_dir(path) ? holds_recording(path) : has_magic(AT_FDCWD, path);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The recordings in a directory, by name. */
static int add_dir(struct session_files *f, const char *path, struct err *e)
{
	size_t before = f->v.n, len = strlen(path);
	DIR *d = opendir(path);
	const char *name;
	int ret = 0, code = 0;

	if (!d)
		return err_set(e, -errno, "cannot read the directory %s: %s", path,
			       strerror(errno));
	while (!ret && (name = next_in_dir(d, &code))) {
		name = arena_printf(&f->text, "%s%s%s", path, path[len - 1] == '/' ? "" : "/",
				    name);
		ret = name ? vec_push(&f->v, name) : -ENOMEM;
	}
	closedir(d);
	if (ret)
		return err_set(e, ret, "no memory for the names of files");
	if (code)
		return err_set(e, code, "cannot read the directory %s: %s", path, strerror(-code));
	if (f->v.n > before) {
		qsort(f->v.v + before, f->v.n - before, sizeof(*f->v.v), by_name);
		return 0;
	}
	err_set(e, -ENOENT, "the directory %s has no recording in it", path);
	return err_hint(e, "perf record -o FILE writes one."), -ENOENT;
}

static int add_path(struct session_files *f, const char *path, struct err *e)
{
	if (strcmp(path, "-") && is_dir(path) && !is_dir_format(path))
		return add_dir(f, path, e);
	return vec_push(&f->v, path) ? err_set(e, -ENOMEM, "no memory for the names of files") : 0;
}

/* The last part of the path where that tells them apart. */
static int name_them(struct session_files *f)
{
	bool whole = false;

	for (size_t i = 0; i < f->v.n; i++) {
		const char *slash = strrchr(f->v.v[i], '/');

		if (vec_push(&f->names, slash && slash[1] ? slash + 1 : f->v.v[i]))
			return -ENOMEM;
		for (size_t k = 0; k < i; k++)
			whole |= !strcmp(f->names.v[k], f->names.v[i]);
	}
	for (size_t i = 0; whole && i < f->v.n; i++)
		f->names.v[i] = f->v.v[i];
	return 0;
}

static int check(const struct session_files *f, struct err *e)
{
	size_t pipes = 0;

	for (size_t i = 0; i < f->v.n; i++)
		pipes += !strcmp(f->v.v[i], "-");
	if (pipes > 1)
		return err_set(e, -EINVAL, "stdin can be one recording, not %zu", pipes);
	if (pipes && (f->o.by_file || f->o.scale_time) && session_files_are_several(f))
		return err_set(e, -EINVAL,
			       "--by-file and --scale-time look at each recording twice, which "
			       "stdin does not allow");
	if (f->o.by_file && f->v.n > 64)
		return err_set(e, -EINVAL, "--by-file shows 64 recordings at most, not %zu",
			       f->v.n);
	return 0;
}

int session_files_collect(struct session_files *f, struct session_opts *so, int argc, char **argv,
			  struct err *e)
{
	int ret = so->input ? add_path(f, so->input, e) : 0;

	for (size_t i = 0; !ret && i < so->more.items.n; i++)
		ret = add_path(f, so->more.items.v[i], e);
	for (int i = 0; !ret && i < argc; i++)
		ret = add_path(f, argv[i], e);
	if (ret)
		return ret;
	f->o.by_file &= session_files_are_several(f);
	f->o.scale_time &= session_files_are_several(f);
	so->some_events = session_files_are_several(f);
	if (f->v.n)
		so->input = f->v.v[0];
	ret = check(f, e);
	return ret ?: name_them(f) ? err_set(e, -ENOMEM, "no memory for names") : 0;
}

void session_files_free(struct session_files *f)
{
	vec_free(&f->v);
	vec_free(&f->names);
	vec_free(&f->failed);
	fleet_differ_free(f->differ);
	arena_free(&f->text);
}

/* ---- the first ---------------------------------------------------------------------------------- */

/* @why: with the recording's name. */
int session_files_put_aside(struct session_files *f, const char *path, const struct err *why,
			    struct err *e)
{
	struct err named = *why;

	if (!strstr(named.text, path))
		err_context(&named, "%s", path);
	return vec_push(&f->failed, named) ? err_set(e, -ENOMEM, "no memory for messages") : 0;
}

int session_files_open(struct session_files *f, struct session **s, struct session_opts *so,
		       struct err *e)
{
	int ret = session_open(s, so, e);

	while (ret && !session_misused(*s) && ret != -ENOMEM && f->first + 1 < f->v.n) {
		struct err why = *e;

		err_clear(e);
		session_close(*s);
		*s = NULL;
		ret = session_files_put_aside(f, so->input, &why, e);
		so->input = f->v.v[++f->first];
		ret = ret ?: session_open(s, so, e);
	}
	/* Of several none can be read: the last one's error is told by the caller. */
	return ret;
}

static uint64_t length_of(const struct session *s)
{
	const struct perfdata_env *env = perfdata_env(session_env(s)->pd);

	return env->last_time > env->first_time ? env->last_time - env->first_time : 0;
}

static int check_length(const struct session_files *f, const struct session *s, struct err *e)
{
	if (!f->o.scale_time || length_of(s))
		return 0;
	err_set(e, -EINVAL, "--scale-time: %s does not say how long it recorded",
		perfdata_path(session_env(s)->pd));
	return err_hint(e, "The header has the time of the first and the last sample where perf "
			   "record wrote it; streams have not."),
	       -EINVAL;
}

/* Its events and facts; one that cannot be opened is met again when it is to be read. */
static int look_at(struct session_files *f, size_t i, struct session *first,
		   const struct session_opts *so, struct err *e)
{
	struct session_opts opts = *so;
	struct session *s = NULL;
	struct err why = { 0 };
	int ret = 0;

	if (!strcmp(f->v.v[i], "-"))
		return 0;
	opts.input = f->v.v[i];
	opts.no_symbols = true;
	opts.progress = NULL;
	opts.log = (struct log_sink){ 0 };
	if (!session_open(&s, &opts, &why) && !session_start(s, &why)) {
		ret = perfdata_join_events(session_env(first)->pd, session_env(s)->pd, e);
		ret = ret ?: fleet_differ_add(f->differ, session_env(s)->pd, e);
		ret = ret ?: check_length(f, s, e);
	} else if (lack_is_trouble(why.code)) {
		/* The next time it may open, and its samples would be of events without columns. */
		ret = err_set(e, why.code, "%s", why.text);
	}
	err_clear(&why);
	session_close(s);
	return ret;
}

int session_files_join(struct session_files *f, struct session *first,
		       const struct session_opts *so, struct err *e)
{
	struct perfdata *pd = session_env(first)->pd;
	int ret;

	if (!session_files_are_several(f))
		return 0;
	ret = fleet_differ_new(&f->differ, e);
	ret = ret ?: fleet_differ_add(f->differ, pd, e);
	ret = ret ?: check_length(f, first, e);
	f->first_length = length_of(first);
	for (size_t i = f->first + 1; !ret && i < f->v.n; i++)
		ret = look_at(f, i, first, so, e);
	f->nr_events = perfdata_nr_events(pd);
	if (!ret && so->events.items.n)
		ret = session_check_events(first, e);
	if (!ret && f->o.by_file)
		ret = perfdata_add_columns(pd, f->names.v, f->names.n, e);
	return ret;
}

double session_files_scale(const struct session_files *f, const struct session *s)
{
	return f->o.scale_time ? (double)f->first_length / (double)length_of(s) : 1;
}

/* ---- each --------------------------------------------------------------------------------------- */

int session_files_join_one(struct session_files *f, size_t i, struct session *first,
			   struct session *s, struct err *e)
{
	struct perfdata *to = session_env(first)->pd, *from = session_env(s)->pd;
	int ret = perfdata_join_events(to, from, e);

	if (!ret && f->o.by_file)
		perfdata_join_column(from, f->nr_events, i, f->v.n);
	return ret;
}

static int read_one(struct session_files *f, size_t i, struct session *first,
		    const struct session_opts *so, session_files_fn *fn, void *ctx, struct err *e)
{
	struct session_opts opts = *so;
	struct session *s = NULL;
	struct err why = { 0 };
	int ret;

	opts.input = f->v.v[i];
	ret = session_open_beside(&s, first, &opts, &why);
	if (ret) {
		if (ret == -ENOMEM || session_misused(s))
			*e = why;
		else
			ret = session_files_put_aside(f, opts.input, &why, e);
		session_close(s);
		return ret;
	}
	ret = session_files_join_one(f, i, first, s, e);
	ret = ret ?: fn(ctx, s, e);
	if (!ret && session_damage(s))
		ret = session_files_put_aside(f, opts.input, session_damage(s), e);
	if (!ret && session_take_notes(first, s))
		ret = err_set(e, -ENOMEM, "no memory for what is missing");
	session_add_counts(first, s);
	session_close(s);
	return ret;
}

int session_files_each(struct session_files *f, struct session *first,
		       const struct session_opts *so, session_files_fn *fn, void *ctx,
		       struct err *e)
{
	size_t i = f->o.by_file ? f->first : f->first + 1;
	int ret = 0;

	for (; !ret && i < f->v.n; i++)
		ret = read_one(f, i, first, so, fn, ctx, e);
	return ret;
}

const char *const *session_files_differences(struct session_files *f)
{
	static const char *const none[] = { NULL };

	return f->differ ? fleet_differ_lines(f->differ) : none;
}
