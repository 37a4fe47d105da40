// SPDX-License-Identifier: GPL-2.0-or-later
/* perf data: a recording as the files that other tools read (convert), recordings as one (merge). */
#include "builtin.h"
#include "box/box.h"
#include "data.h"
#include "jobs.h"
#include "pieces.h"
#include "sandbox.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define USAGE_CONVERT                                                                      \
	"data convert --to FORMAT [-o OUT] [--by LIST] [--binary FILE]... [[-i] FILE...]", \
		"data convert --check [--binary FILE]... [--json] [[-i] FILE...]"
#define USAGE_MERGE "data merge OUT FILE..."
#define USAGE_PUSH  "data push [--init] URL FILE..."
#define USAGE_PULL  "data pull URL --build-id ID --to FORMAT --binary FILE [-o OUT] [--where SQL]"

static const char *const data_usage[] = { USAGE_CONVERT, USAGE_MERGE, USAGE_PUSH, USAGE_PULL,
					  NULL };

const char *data_format_name(size_t i)
{
	const struct convert_format *f = convert_format_at(i);

	return f ? f->name : NULL;
}

/* ---- reading ---- */

/* Damage ends reading: what came before is whole. */
static void say_damage(const struct data_ctx *d)
{
	if (session_damage(d->session))
		log_warn("%s", session_damage(d->session)->text);
}

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	const struct data_ctx *d = ctx;

	return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK |
	       (d->o->context ? unwind_need(&event->attr) : 0);
}

/* What a map covers from now on was run under the one before. */
static int before_record(void *ctx, const struct record *rec, struct err *err)
{
	struct data_ctx *d = ctx;

	return convert_before(d->c, rec) ? err_set(err, -ENOMEM, "no memory for the profile") : 0;
}

static int one_sample(void *ctx, const struct session_sample *in, struct err *err)
{
	struct data_ctx *d = ctx;

	return convert_sample(d->c, in->thread, in->s)
		       ? err_set(err, -ENOMEM, "no memory for the profile")
		       : 0;
}

/* What other pieces of the recording map comes behind these samples. */
static int last_record(void *ctx, struct err *err)
{
	struct data_ctx *d = ctx;

	return convert_end(d->c) ? err_set(err, -ENOMEM, "no memory for the profile") : 0;
}

static const struct session_consumer consumer = {
	.need = need,
	.sample = one_sample,
	.before = before_record,
	.last = last_record,
	.flags = SESSION_WHOLE, /* branches are of the sample, not of its counters */
};

static int start_counting(void *ctx, void *first, struct session *s, struct err *err)
{
	struct data_ctx *d = ctx, *f = first;
	int ret;

	d->o = f->o;
	d->session = s;
	ret = convert_new(&d->c, session_env(s)->machine, err);
	if (ret)
		return ret;
	convert_symfs(d->c, s);
	if (d->o->session.no_limits)
		convert_no_limits(d->c);
	return d->o->context ? convert_contexts(d->c, &f->contexts, err) : 0;
}

static int add_counts(void *to, void *from, struct err *err)
{
	struct data_ctx *d = to, *other = from;
	struct session_maps *maps;
	int ret =
		session_maps_new(&maps, session_env(d->session), session_env(other->session), err);

	ret = ret ?: convert_merge(d->c, other->c, maps, err);
	session_maps_free(maps);
	return ret;
}

static void free_counts(void *ctx)
{
	convert_free(((struct data_ctx *)ctx)->c);
}

static const struct jobs counting = {
	.consumer = &consumer,
	.size = sizeof(struct data_ctx),
	.start = start_counting,
	.add = add_counts,
	.free = free_counts,
};

/* Another recording, to what was counted of the first. */
static int read_file(void *one, struct session *s, struct err *err)
{
	return jobs_read(&counting, s, one, err);
}

static int add_file(void *ctx, void *one, struct session *s, struct err *err)
{
	struct data_ctx *d = ctx;

	d->bad_samples += session_counts(s)->bad_samples;
	return add_counts(d, one, err);
}

static const struct session_files_count files = {
	.size = sizeof(struct data_ctx),
	.start = start_counting,
	.read = read_file,
	.add = add_file,
	.free = free_counts,
};

static int read_branches(struct data_ctx *d, struct err *err)
{
	int ret = jobs_read(&counting, d->session, d, err);

	d->bad_samples += session_counts(d->session)->bad_samples;
	if (!ret && d->o->pieces)
		ret = pieces_read(d->session, &d->o->session, d->o->pieces, &counting, d,
				  &d->bad_samples, err);
	if (!ret && session_files_are_several(&d->files))
		ret = session_files_count(&d->files, d->session, &d->o->session, &files, d, err);
	cli_progress_end(&d->progress);
	if (ret)
		return ret;
	for (const char *const *w = session_warnings(d->session, SESSION_WARN_BAD); *w; w++)
		log_info("%s", *w);
	say_damage(d);
	return convert_finish(d->c, err);
}

/* @samples: stacks are wanted, not only places. */
static int open_input(struct data_ctx *d, struct session_opts *so, bool samples, bool no_inlines,
		      struct err *err)
{
	int ret;

	so->progress = cli_progress_update;
	so->progress_ctx = &d->progress;
	so->log = LOG_STDERR;
	so->nr_samples = d->o->pieces;
	so->ips_only = d->o->context;
	so->no_inline |= no_inlines;
	so->no_symbols = !samples && !d->format->prepare && !so->dsos && !so->symbols;
	ret = session_files_open(&d->files, &d->session, so, err);
	ret = ret ?: session_start(d->session, err);
	ret = ret ?: session_files_join(&d->files, d->session, so, err);
	if (!ret) {
		d->pd = session_env(d->session)->pd;
		d->m = session_env(d->session)->machine;
	}
	return ret;
}

/* ---- choosing objects ---- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The --binary that means this object; NULL = none. */
static const char *chosen_by(const struct data_opts *o, const char *name)
{
	vec_for_each (b, &o->binaries.items)
		if (!strcmp(*b, name) || !strcmp(base_of(*b), base_of(name)))
			return *b;
	return NULL;
}

/* A --binary that is a file stands in for the recorded path. */
static const char *stand_in(void *ctx, const char *name)
{
	const struct data_ctx *d = ctx;
	const char *by = chosen_by(d->o, name);

	return by && !access(by, R_OK) ? by : NULL;
}

static int no_object(const struct data_ctx *d, struct err *err)
{
	err_set(err, -ENOENT, "the recording has no %s in %s",
		convert_stats(d->c)->branches ? "branches" : "samples",
		d->o->binaries.items.n ? d->o->binaries.items.v[0] : "any file");
	err_hint(err, "`perf data convert --check` says what was recorded and where it went.");
	return -ENOENT;
}

/* Loads what is wanted. */
static int load_objects(struct data_ctx *d, struct err *err)
{
	size_t n = convert_nr_objects(d->c);

	d->chosen = calloc(n + 1, sizeof(*d->chosen));
	if (!d->chosen)
		return err_set(err, -ENOMEM, "no memory for %zu objects", n);
	for (size_t i = 0; i < n; i++) {
		const struct convert_object *ob = convert_object(d->c, i);
		const char *by = chosen_by(d->o, ob->dso->name);
		struct err bad;

		if (d->o->binaries.items.n && !by)
			continue;
		if (convert_load(d->c, i, stand_in(d, ob->dso->name), &bad) ||
		    convert_prepare(d->c, i, d->format, &bad)) {
			if (by) {
				*err = bad;
				return bad.code;
			}
			log_warn("%s: left out", bad.text);
			continue;
		}
		if (ob->problem)
			log_warn("%s: %s", ob->dso->name, ob->problem);
		d->chosen[i] = true;
		d->nr_chosen++;
	}
	return d->nr_chosen ? 0 : no_object(d, err);
}

/* ---- writing ---- */

static bool is_dir(const char *path)
{
	struct stat st;
	size_t n = path ? strlen(path) : 0;

	return n && (path[n - 1] == '/' || (!stat(path, &st) && S_ISDIR(st.st_mode)));
}

/* Whether @path means stdout, and that is a terminal. */
static bool is_terminal(const char *path)
{
	return (!path || !strcmp(path, "-")) && isatty(STDOUT_FILENO);
}

int data_open_output(const char *path, struct obuf *o, struct err *err)
{
	struct output out;
	int ret = box_output_open(&out, path ? path : "-", OUTPUT_TEXT, &LOG_STDERR, err);

	if (ret || !obuf_init(o, out.fd, 0))
		return ret;
	close(out.fd);
	return err_set(err, -ENOMEM, "no memory for output");
}

int data_close_output(const char *path, struct obuf *o, struct err *err)
{
	int fd = o->fd, ret = obuf_free(o);

	if (fd >= 0 && close(fd) && !ret)
		ret = -errno;
	return ret ? err_set(err, ret, "cannot write %s: %s", path ? path : "stdout",
			     strerror(-ret))
		   : 0;
}

static int write_file(struct data_ctx *d, const char *path, size_t i, struct err *err)
{
	struct obuf o;
	ssize_t n;
	int ret = data_open_output(path, &o, err);

	if (ret)
		return ret;
	n = convert_write(d->c, i, d->format, &o, err);
	ret = data_close_output(path, &o, err);
	if (n < 0)
		return (int)n;
	if (!n)
		log_warn("%s: the profile is empty", convert_object(d->c, i)->dso->name);
	log_info("%zd records in %s", n, path ? path : "stdout");
	return ret;
}

#define NAME_SIZE 200
#define ID_SIZE	  12

/* How many objects before the @i-th go by the same name and build id: a program that lies in several places. */
static unsigned namesakes(const struct data_ctx *d, size_t i)
{
	const struct convert_object *ob = convert_object(d->c, i);
	unsigned n = 0;

	for (size_t k = 0; k < i; k++) {
		const struct convert_object *o = convert_object(d->c, k);

		n += d->chosen[k] && !strncmp(o->name, ob->name, NAME_SIZE) &&
		     !strncmp(o->build_id, ob->build_id, ID_SIZE);
	}
	return n;
}

/* DIR/NAME-BUILDID.FORMAT: several objects may share a name; -2 and so on behind it where they share both. */
static int write_dir(struct data_ctx *d, struct err *err)
{
	const char *dir = d->o->output;
	size_t len = strlen(dir);
	int ret = 0;

	/* In a box it is made for the first file. */
	if (!box_closed() && mkdir(dir, 0777) && errno != EEXIST)
		return err_set(err, -errno, "cannot make the directory %s: %s", dir,
			       strerror(errno));
	for (size_t i = 0; i < convert_nr_objects(d->c) && !ret; i++) {
		const struct convert_object *ob = convert_object(d->c, i);
		char path[4300], nth[16] = "";
		unsigned before;

		if (!d->chosen[i])
			continue;
		before = namesakes(d, i);
		if (before)
			snprintf(nth, sizeof(nth), "-%u", before + 1);
		snprintf(path, sizeof(path), "%s%s%.*s%s%.*s%s.%s", dir,
			 dir[len - 1] == '/' ? "" : "/", NAME_SIZE, ob->name,
			 ob->build_id[0] ? "-" : "", ID_SIZE, ob->build_id, nth, d->format->name);
		ret = write_file(d, path, i, err);
	}
	return ret;
}

static int write_profiles(struct data_ctx *d, struct err *err)
{
	size_t i = 0;

	if (is_dir(d->o->output))
		return write_dir(d, err);
	if (d->nr_chosen > 1) {
		err_set(err, -EINVAL, "%zu objects have profiles, and a %s file holds one",
			d->nr_chosen, d->format->name);
		err_hint(err, "Choose one with --binary NAME, or give a directory: -o DIR/. "
			      "`perf data convert --check` lists them.");
		return -EINVAL;
	}
	while (!d->chosen[i])
		i++;
	return write_file(d, d->o->output, i, err);
}

/* --check: 0, 1 when nothing could be written, or -errno. */
static int check(struct data_ctx *d, struct err *err)
{
	size_t n = convert_nr_objects(d->c);
	bool any = false;
	struct emit e;
	struct obuf o;
	int ret, closed;

	d->chosen = calloc(n + 1, sizeof(*d->chosen));
	if (!d->chosen)
		return err_set(err, -ENOMEM, "no memory for %zu objects", n);
	for (size_t i = 0; i < n; i++) {
		const char *name = convert_object(d->c, i)->dso->name;

		d->chosen[i] = !d->o->binaries.items.n || chosen_by(d->o, name);
		if (!d->chosen[i])
			continue;
		d->nr_chosen++;
		/* What fails is its problem. */
		convert_load(d->c, i, stand_in(d, name), NULL);
	}
	/* Without a name that is wrong, an empty list says it all. */
	if (d->o->binaries.items.n && !d->nr_chosen)
		return no_object(d, err);
	ret = data_open_output(d->o->output, &o, err);
	if (ret)
		return ret;
	emit_init(&e, &o, d->o->json ? EMIT_JSON : EMIT_TEXT);
	ret = convert_check(d->c, d->chosen, d->bad_samples, &e, &any, err);
	closed = data_close_output(d->o->output, &o, err);
	return ret ?: closed ?: !any;
}

static int by_context(struct data_ctx *d, struct err *err)
{
	bool chains = false;

	for (size_t i = 0; i < perfdata_nr_events(d->pd); i++)
		chains |= unwind_has_chain(&perfdata_event(d->pd, i)->attr);
	if (!chains) {
		err_set(err, -EINVAL,
			"the recording has no call chains, by which callers are known");
		err_hint(err, "Record with call chains and branches: perf record -b -g.");
		return -EINVAL;
	}
	d->contexts.file = stand_in;
	d->contexts.ctx = d;
	return convert_contexts(d->c, &d->contexts, err);
}

static int convert_branches(struct data_ctx *d, struct err *err)
{
	int ret = convert_new(&d->c, d->m, err);

	if (!ret)
		convert_symfs(d->c, d->session);
	if (!ret)
		convert_log(d->c, LOG_STDERR);
	if (!ret && d->o->session.no_limits)
		convert_no_limits(d->c);
	if (!ret && d->o->context)
		ret = by_context(d, err);
	ret = ret ?: read_branches(d, err);

	if (!ret && d->o->check)
		return check(d, err);
	if (!ret)
		ret = load_objects(d, err);
	if (!ret)
		ret = write_profiles(d, err);
	if (d->bad_samples)
		log_warn("%llu damaged samples were left out", (unsigned long long)d->bad_samples);
	return ret;
}

/* Options that say nothing to this format; a word of --by that it has no place for. */
static int check_options(const struct command *cmd, const struct data_opts *o,
			 const struct convert_format *f, const struct convert_opts *given)
{
	static const struct {
		unsigned bit;
		const char *name;
	} options[] = {
		{ CONVERT_ALL, "--all" },	    { CONVERT_BY, "--by" },
		{ CONVERT_BRANCHES, "--branches" }, { CONVERT_TIME_ORDER, "--time-order" },
		{ CONVERT_CONTEXT, "--context" },   { CONVERT_TABLES, "options of tables" }
	};
	struct obuf with;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(options) && !ret; i++) {
		if (!(given->options & options[i].bit) ||
		    (!o->check && f->options & options[i].bit))
			continue;
		if (obuf_init(&with, -1, 0))
			return CLI_STATUS(-ENOMEM);
		for (size_t k = 0; convert_format_at(k); k++)
			if (convert_format_at(k)->options & options[i].bit)
				obuf_printf(&with, "%s%s", with.len ? ", " : "",
					    convert_format_at(k)->name);
		ret = cli_usage_error(cmd, "%s goes with --to %.*s", options[i].name, (int)with.len,
				      with.buf);
		with.len = 0;
		obuf_free(&with);
	}
	if (!ret && o->binaries.items.n && !o->check && !f->object)
		ret = cli_usage_error(cmd,
				      "--binary goes with formats that hold one object; of samples "
				      "--dsos chooses");
	if (!ret && o->json && !o->check)
		ret = cli_usage_error(cmd, "--json goes with --check");
	if (!ret && given->by & ~f->by)
		ret = cli_usage_error(cmd, "a %s file cannot keep samples apart by all of '%s'",
				      f->name, o->by);
	if (!ret && !o->check && f->directory && !is_dir(o->output))
		ret = cli_usage_error(cmd, "%s is several files: name a directory, -o DIR/",
				      f->name);
	if (!ret && !o->check && f->binary && is_terminal(o->output))
		ret = cli_usage_error(cmd, "%s is no text for a terminal: name a file with -o",
				      f->name);
	return ret;
}

static int list_formats(void)
{
	for (size_t i = 0; convert_format_at(i); i++)
		printf("%-14s %s\n", convert_format_at(i)->name, convert_format_at(i)->holds);
	return 0;
}

/* What was asked for, in the words of room convert. CLI status. */
static int read_options(const struct command *cmd, struct data_opts *o, struct data_ctx *d,
			struct convert_opts *opts)
{
	size_t n = o->output ? strlen(o->output) : 0;
	struct err err;

	if (o->to_json) {
		o->to = "json";
		o->output = o->to_json;
	}
	if (!o->to && !o->check)
		return cli_usage_error(cmd, "--to FORMAT is missing");
	d->format = convert_format_find(o->to ? o->to : "fdata");
	if (!d->format)
		return cli_usage_error(cmd, "unknown format '%s'", o->to);
	opts->options = (o->all ? CONVERT_ALL : 0) | (o->by ? CONVERT_BY : 0) |
			(o->branches ? CONVERT_BRANCHES : 0) |
			(o->time_order ? CONVERT_TIME_ORDER : 0) |
			(o->context ? CONVERT_CONTEXT : 0) |
			(data_table_asked(&o->table) ? CONVERT_TABLES : 0);
	opts->plain = n > 3 && !strcmp(o->output + n - 3, ".pb");
	d->contexts.min = CONVERT_CONTEXT_AUTO;
	if (o->context && o->context[0] && cli_parse_u64(o->context, &d->contexts.min))
		return cli_usage_error(cmd, "--context takes a number of instructions, not '%s'",
				       o->context);
	if (o->by && convert_by_parse(o->by, &opts->by, &err))
		return cli_usage_error(cmd, "%s", err.text);
	return check_options(cmd, o, d->format, opts)
		       ?: data_table_read(cmd, &o->table, &opts->table);
}

/* The recordings, and what else the box lets through: what --binary names. */
static int name_inputs(struct data_ctx *d, struct data_opts *o, int argc, char **argv,
		       struct err *err)
{
	int ret = session_files_collect(&d->files, &o->session, argc, argv, err);

	if (!ret && session_files_are_several(&d->files) && o->pieces)
		ret = err_set(err, -EINVAL, "--pieces is about one recording");
	vec_for_each (b, &o->binaries.items)
		ret = ret ?: vec_push(&d->inputs, *b);
	vec_for_each (v, &d->files.v)
		ret = ret ?: vec_push(&d->inputs, *v);
	return ret;
}

/* After @ret of reading and writing: its messages and status. */
static int end_run(struct data_ctx *d, struct convert_opts *opts, int ret, const struct err *err)
{
	bool misused = session_misused(d->session);

	cli_progress_end(&d->progress);
	if (ret < 0)
		ret = cli_print_err(err);
	if (!ret && session_damage(d->session))
		ret = DATA_IN_PART;
	if (files_say(&d->files, false))
		ret = ret ?: 1;
	data_table_free(&opts->table);
	free(d->chosen);
	convert_free(d->c);
	session_close(d->session);
	session_files_free(&d->files);
	vec_free(&d->inputs);
	return misused ? CLI_USAGE : ret;
}

int data_convert(const struct command *cmd, struct data_opts *o, bool pack, int argc, char **argv)
{
	struct data_ctx d = { .o = o };
	struct convert_opts opts = { 0 };
	struct err err = { 0 };
	bool samples;
	int ret = read_options(cmd, o, &d, &opts);

	if (ret || !d.format)
		return ret;
	opts.table.pack = pack;
	samples = !d.format->object && !o->check;
	/* push and record set it before, by options of their own. */
	if (o->verbose)
		log_set_level(o->verbose > 1 ? LOG_DEBUG : LOG_INFO);
	ret = name_inputs(&d, o, argc, argv, &err);
	if (ret)
		return end_run(&d, &opts, ret, &err);
	cli_progress_start(&d.progress, "Reading");
	/* Samples that go to the terminal one by one are progress enough. */
	if (!d.format->object && is_terminal(o->output))
		d.progress.enabled = false;
	sandbox_enter(&(struct sandbox){
		.off = o->session.no_sandbox,
		.session = &o->session,
		.objects = true,
		.more = d.inputs.v,
		.nr_more = d.inputs.n,
		.output = { { is_dir(o->output) ? BOX_BELOW : BOX_FILE, o->output },
			    { BOX_TABLES, d.format->directory ? o->output : NULL } },
	});
	ret = open_input(&d, &o->session, samples, samples && d.format->no_inlines, &err);
	if (!ret)
		ret = samples ? data_samples(&d, &opts, &err) : convert_branches(&d, &err);
	return end_run(&d, &opts, ret, &err);
}

static int convert(const struct command *cmd, struct data_opts *o, int argc, char **argv)
{
	return o->to && !strcmp(o->to, "help") ? list_formats()
					       : data_convert(cmd, o, false, argc, argv);
}

static int merge(const struct command *cmd, struct data_opts *o, int argc, char **argv)
{
	return o->session.input
		       ? cli_usage_error(cmd, "recordings to merge are arguments, and none is -i")
		       : data_merge(cmd, o, argc, argv);
}

static int push(const struct command *cmd, struct data_opts *o, int argc, char **argv)
{
	return o->session.input
		       ? cli_usage_error(cmd, "recordings to push are arguments, and none is -i")
		       : data_push(cmd, o, argc, argv);
}

static int pull(const struct command *cmd, struct data_opts *o, int argc, char **argv)
{
	return data_pull(cmd, o, argc, argv);
}

static const struct verb {
	const char *name;
	const struct option *options;
	int (*run)(const struct command *cmd, struct data_opts *o, int argc, char **argv);
	const char *const usage[3];
} verbs[] = {
	{ "convert", data_verb_convert_options, convert, { USAGE_CONVERT } },
	{ "merge", data_verb_merge_options, merge, { USAGE_MERGE } },
	{ "push", data_verb_push_options, push, { USAGE_PUSH } },
	{ "pull", data_verb_pull_options, pull, { USAGE_PULL } },
};

static const struct verb *verb_called(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static void free_opts(struct data_opts *o)
{
	cli_list_free(&o->binaries);
	cli_list_free(&o->table.labels);
	session_opts_free(&o->session);
}

/* Which one it is where options stand before it; NULL: *@ret is the status. */
static const struct verb *find_verb(const struct command *cmd, int argc, char **argv, int *ret)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	const struct verb *v = NULL;
	struct data_opts o = { 0 };
	int n;

	*ret = 1;
	if (!copy)
		return NULL;
	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	n = cli_parse(cmd, &o, argc, copy, 0);
	v = n > 0 ? verb_called(copy[0]) : NULL;
	if (n < 0)
		*ret = CLI_STATUS(n);
	else if (!v)
		*ret = cli_usage_error(cmd, n ? "unknown subcommand '%s'" : "what to do is missing",
				       copy[0]);
	free_opts(&o);
	free(copy);
	return v;
}

static int data_run(const struct command *cmd, int argc, char **argv)
{
	const struct verb *v = verb_called(argv[1]);
	struct command mine = *cmd;
	struct data_opts o = { 0 };
	int n, ret;

	if (!v)
		v = find_verb(cmd, argc, argv, &ret);
	if (!v)
		return ret;
	mine.options = v->options;
	mine.usage = v->usage;
	n = cli_parse(&mine, &o, argc, argv, 0);
	ret = n < 0 ? CLI_STATUS(n) : v->run(&mine, &o, n - 1, argv + 1);
	ret = ret == DATA_IN_PART ? 1 : ret;
	free_opts(&o);
	return ret;
}

const struct command cmd_data = {
	.name = "data",
	.summary =
		"Convert recordings for BOLT, AutoFDO, flame graphs and others; merge them, push them",
	.usage = data_usage,
	.options = data_options,
	.run = data_run,
};
