// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf data convert to a format of samples: opens and closes what is written, says what there is to
 * say; what is made of the samples is the business of the room convert.
 */
#include "data.h"
#include "jobs.h"
#include "pieces.h"

#include <unistd.h>

/* A message begins on a line of its own. */
static void say(void *ctx, enum log_level level, const char *text)
{
	struct data_ctx *d = ctx;

	cli_progress_end(&d->progress);
	log_stderr(NULL, level, text);
}

/* ---- pieces of the recording, each in a session of its own ------------------------------------ */

static int start_run(void *ctx, void *first, struct session *s, struct err *e)
{
	const struct convert_run *f = first;

	return convert_run_begin(ctx, s, f->format, f->opts, NULL, e);
}

static int add_run(void *to, void *from, struct err *e)
{
	struct convert_run *r = to, *other = from;
	struct session_maps *maps;
	int ret = session_maps_new(&maps, session_env(r->session), session_env(other->session), e);

	ret = ret ?: convert_run_merge(r, other, maps, e);
	session_maps_free(maps);
	return ret;
}

static void end_run(void *ctx)
{
	convert_run_end(ctx);
}

struct first_run {
	struct convert_run run; /* first: the context */
	struct convert_opts *opts;
};

static void several_runs(void *first)
{
	struct convert_opts *opts = ((struct first_run *)first)->opts;

	/* With several recordings it is so, and other threads read it. */
	if (!opts->pieces)
		opts->pieces = true;
}

struct reading {
	struct data_ctx *d;
	const struct jobs *jobs;
	struct convert_run *run;
	struct convert_opts *opts;
};

/* Another recording, to what was made of the first. */
struct other {
	struct first_run first;
	const struct jobs *jobs; /* NULL: it never began */
};

static int start_file(void *one, void *ctx, struct session *s, struct err *err)
{
	const struct reading *r = ctx;
	struct other *o = one;

	o->jobs = r->jobs;
	o->first.opts = r->opts;
	return r->jobs->start(&o->first.run, r->run, s, err);
}

static int read_file(void *one, struct session *s, struct err *err)
{
	struct other *o = one;

	return jobs_read(o->jobs, s, &o->first.run, err);
}

static int add_file(void *ctx, void *one, struct session *s, struct err *err)
{
	const struct reading *r = ctx;
	struct other *o = one;

	(void)s;
	return r->jobs->add(r->run, &o->first.run, err);
}

static void free_file(void *one)
{
	struct other *o = one;

	if (o->jobs)
		o->jobs->free(&o->first.run);
}

static const struct session_files_count files = {
	.size = sizeof(struct other),
	.start = start_file,
	.read = read_file,
	.add = add_file,
	.free = free_file,
};

/*
 * What cannot be added up is added up by who puts recordings together. So are tables: a recording is a row of them, which
 * is known by the file's bytes and says of which host and time they are.
 */
static int refuse_several(const struct convert_run *run, struct err *err)
{
	err_set(err, -EINVAL, "%s files hold %s", run->format->name,
		run->format->directory ? "tables of one recording, which is known by its bytes"
				       : "samples one by one, which are those of one recording");
	err_hint(err, "perf data merge -o ALL FILE... makes one of several, in the order of time.");
	return -EINVAL;
}

static int read_all(struct data_ctx *d, const struct jobs *jobs, struct convert_run *run,
		    struct convert_opts *opts, struct err *err)
{
	struct reading r = { d, jobs, run, opts };
	int ret;

	if (d->o->pieces && !run->format->merge)
		return err_set(err, -EINVAL, "%s files are not added up of pieces",
			       run->format->name);
	if (session_files_are_several(&d->files) &&
	    (run->format->whole || !run->format->merge || run->format->directory))
		return refuse_several(run, err);
	if (run->format->whole)
		return run->format->whole(run, err);
	ret = jobs_read(jobs, d->session, run, err);
	if (!ret && session_files_are_several(&d->files))
		ret = session_files_count(&d->files, d->session, &d->o->session, &files, &r, err);
	if (!ret && d->o->pieces)
		ret = pieces_read(d->session, &d->o->session, d->o->pieces, jobs, run, NULL, err);
	return ret;
}

static int convert_all(struct data_ctx *d, struct convert_opts *opts, struct obuf *out,
		       struct err *err)
{
	struct first_run f = { .opts = opts };
	struct session_consumer consumer;
	struct jobs jobs = {
		.consumer = &consumer,
		.size = sizeof(struct convert_run),
		.start = start_run,
		.add = add_run,
		.free = end_run,
		.several = several_runs,
	};
	int ret;

	opts->pieces = d->o->pieces || session_files_are_several(&d->files);
	ret = convert_run_begin(&f.run, d->session, d->format, opts, out, err);
	consumer = convert_run_consumer(&f.run);
	ret = ret ?: read_all(d, &jobs, &f.run, opts, err);
	ret = ret ?: convert_run_finish(&f.run, err);
	convert_run_end(&f.run);
	return ret;
}

int data_samples(struct data_ctx *d, struct convert_opts *opts, struct err *err)
{
	struct data_table_dir dir = { .dir = d->o->output };
	struct obuf out;
	int ret = convert_fits(d->session, d->format, opts, err), closed = 0;

	if (d->format->directory)
		data_table_into(&opts->table, &dir);
	else
		ret = ret ?: data_open_output(d->o->output, &out, err);
	if (ret)
		return ret;
	opts->log = (struct log_sink){ .line = say, .ctx = d };
	ret = convert_all(d, opts, d->format->directory ? NULL : &out, err);
	cli_progress_end(&d->progress);
	for (const char *const *w = session_warnings(d->session, SESSION_WARN_SYMBOLS); *w; w++)
		log_warn("%s", *w);
	if (!d->format->directory)
		closed = data_close_output(d->o->output, &out, ret ? NULL : err);
	return ret ? ret : closed;
}
