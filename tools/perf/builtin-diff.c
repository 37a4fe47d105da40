// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf diff: rows of recordings side by side. Each recording is counted as perf report does, in a session of
 * its own, its rows are taken, by their names, into what is compared, and it goes before the next one is
 * read. The first one's session stays: it has the events, and the symbols that the others share. The browser
 * and the page are those of perf report --diff.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "builtin.h"
#include "compat.h"
#include "emit/emit.h"
#include "faces/faces.h"
#include "jobs.h"
#include "sandbox.h"

struct diff_opts {
	struct session_opts session;
	const char *sort, *compute, *separator, *percentage, *html;
	uint64_t order;
	bool baseline_only, period, formula, noise, significant, json, csv, tui, quiet;
	bool cycles;	 /* of blocks */
	bool tree;	 /* of calls */
	double tree_min; /* percent */
	int verbose;
};

static int parse_tree(void *opts, const struct option *opt, const char *arg, bool unset,
		      struct err *e)
{
	struct diff_opts *o = opts;

	o->tree = !unset;
	o->tree_min = 0.5;
	return arg && !unset ? compat_percent(opt, arg, &o->tree_min, e) : 0;
}

#define O struct diff_opts
static const struct option diff_options[] = {
	OPT_STRING('s', "sort", O, sort, "KEY,...", "what makes a row (dso,symbol)"),
	OPT_STRING('c', "compute", O, compute, "HOW",
		   "delta-abs (default), delta, ratio, wdiff:W1,W2: what is shown of the others; "
		   "cycles: blocks of code, of branch stacks"),
	OPT_CALL_OPTARG('g', "call-graph", parse_tree, "PERCENT",
			"call trees, without what is less than PERCENT in all files (0.5)"),
	OPT_UINT('o', "order", O, order, "N", "sort by the Nth file, the first being 0 (1)"),
	OPT_BOOL('b', "baseline-only", O, baseline_only,
		 "only what is in the first file and in another"),
	OPT_BOOL('p', "period", O, period, "show periods"),
	OPT_BOOL('F', "formula", O, formula, "show what is computed"),
	OPT_BOOL(0, "noise", O, noise, "show by how much chance alone makes shares differ"),
	OPT_BOOL(0, "significant", O, significant, "only what differs by more than that"),
	OPT_STRING(0, "percentage", O, percentage, "relative|absolute",
		   "shares of what filters leave, or of all (absolute)"),
	OPT_GROUP("Output"),
	OPT_STRING('t', "field-separator", O, separator, "CHAR",
		   "between columns, in place of blanks"),
	OPT_BOOL(0, "json", O, json, "print JSON"),
	OPT_BOOL(0, "csv", O, csv, "print CSV"),
	OPT_STRING(0, "html", O, html, "FILE",
		   "two files as one page, as perf report --html --diff"),
	OPT_BOOL(0, "tui", O, tui, "two files in the browser, as perf report --tui --diff"),
	OPT_BOOL('q', "quiet", O, quiet, "no heads and no warnings"),
	OPT_INC('v', "verbose", O, verbose, "name the files, too"),
	OPT_GROUP("Reading"),
	OPT_BOOL('f', "force", O, session.force, "read files of other owners"),
	OPT_BOOL(0, "no-limits", O, session.no_limits,
		 "read files that unpack to much more than they are"),
	OPT_BOOL(0, "no-sandbox", O, session.no_sandbox,
		 "read with all the rights of this process"),
	OPT_INCLUDE(O, session, session_jobs_options),
	OPT_GROUP("Which samples"),
	OPT_STRING('C', "comms", O, session.comms, "COMM,...", "only these commands"),
	OPT_STRING('d', "dsos", O, session.dsos, "DSO,...", "only these objects"),
	OPT_STRING(0, "cpu", O, session.cpus, "LIST", "only samples of these CPUs"),
	OPT_INCLUDE(O, session, session_sample_options),
	OPT_GROUP("Symbols"),
	OPT_INCLUDE(O, session, session_symbol_options),
	OPT_END(),
};
#undef O

static const char *const diff_usage[] = { "diff [options] [BASELINE] [FILE...]", NULL };

/* ---- a recording -------------------------------------------------------------------------------- */

struct side {
	const struct diff_opts *o;
	struct session_opts so;
	struct session *session;
	struct keys_opts keys;
	struct table *rich;  /* -g: that t was derived from */
	struct brflow *flow; /* -c cycles: instead of t */
	struct table *t;
	struct view *v;
	struct cli_progress progress;
	bool misused; /* the keys of -s mean nothing */
};

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	const struct side *s = ctx;

	(void)event;
	return s->t ? table_need(s->t) | PERF_SAMPLE_TID
		    : PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
}

static int take_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct side *s = ctx;

	if (s->t)
		return table_add(s->t, in->s, in->thread, e);
	return in->s->present & PERF_SAMPLE_BRANCH_STACK ? brflow_add(s->flow, in->s, in->thread, e)
							 : 0;
}

static const struct session_consumer consumer = {
	.need = need,
	.sample = take_sample,
	.flags = SESSION_UNFILTERED, /* shares are of what was left out, too */
};

static int start_flow(struct side *s, const struct session_env *env, struct err *e)
{
	const struct brflow_opts o = {
		.machine = env->machine,
		.blocks = true,
		.nr_counters = 4,
		.counter_width = 2,
		.each_start = true,
	};

	return brflow_new(&s->flow, env->resolver, &o, e);
}

static int start_table(struct side *s, struct err *e)
{
	const struct session_env *env = session_env(s->session);
	struct keys_opts opts;

	s->keys = (struct keys_opts){
		.sort = s->o->sort ? s->o->sort : "dso,symbol",
		.relative = s->o->percentage && *s->o->percentage == 'r',
		.pd = env->pd,
		.arch = session_arch(s->session),
		.filter.session = session_filter(s->session),
		.chain = CHAIN_OPTS_DEFAULT,
	};
	if (s->o->cycles)
		return start_flow(s, env, e);
	/* Trees are those of functions, and inlined ones are such. */
	s->keys.use_chains = s->keys.inlines = s->o->tree;
	opts = s->keys;
	opts.rich = s->o->tree;
	return table_new(&s->t, &opts, env->machine, env->resolver, s->o->tree ? env->unwind : NULL,
			 e);
}

/* All was counted. */
static int finish_table(struct side *s, struct err *e)
{
	const struct table_ask ask = { .opts = &s->keys };
	int ret;

	if (s->flow) {
		brflow_finish(s->flow);
		return 0;
	}
	ret = table_finish(s->t, e);
	if (!ret && s->o->tree) {
		s->rich = s->t;
		s->t = NULL;
		ret = table_derive(&s->t, s->rich, &ask, e);
	}
	return ret ?: view_new(&s->v, s->t, NULL, NULL, e);
}

static int start_member(void *ctx, void *first, struct session *session, struct err *e)
{
	struct side *s = ctx;

	s->o = ((const struct side *)first)->o;
	s->session = session;
	return start_table(s, e);
}

static void free_member(void *ctx)
{
	struct side *s = ctx;

	table_free(s->t);
	brflow_free(s->flow);
	s->t = NULL;
	s->flow = NULL;
}

static int add_flow(struct side *a, const struct side *b, struct err *e)
{
	struct session_maps *maps;
	struct brflow_maps flow;
	int ret = session_maps_new(&maps, session_env(a->session), session_env(b->session), e);

	if (ret)
		return ret;
	flow = (struct brflow_maps){ maps->loc, maps->objects };
	ret = brflow_merge(a->flow, b->flow, &flow, e);
	session_maps_free(maps);
	return ret;
}

static int add_member(void *to, void *from, struct err *e)
{
	struct side *a = to, *b = from;
	struct table_maps *maps;
	int ret;

	if (a->flow) {
		ret = add_flow(a, b, e);
		free_member(b);
		return ret;
	}
	ret = table_maps_new(&maps, a->t, b->t, e);

	ret = ret ?: table_merge(a->t, b->t, maps, e);
	table_maps_free(maps);
	free_member(b);
	return ret;
}

static const struct jobs counting = {
	.consumer = &consumer,
	.size = sizeof(struct side),
	.start = start_member,
	.add = add_member,
	.free = free_member,
};

static int open_side(struct side *s, const struct session *first, struct err *e)
{
	int ret;

	if (first)
		return session_open_beside(&s->session, first, &s->so, e);
	ret = session_open(&s->session, &s->so, e);
	return ret ?: session_start(s->session, e);
}

/* @first: NULL, or of the first file. */
static int read_side(struct side *s, const struct session *first, const struct diff_opts *o,
		     const char *path, struct err *e)
{
	int ret;

	s->o = o;
	s->so = o->session;
	s->so.input = path;
	s->so.progress = cli_progress_update;
	s->so.progress_ctx = &s->progress;
	if (!o->quiet)
		s->so.log = LOG_STDERR;
	cli_progress_start(&s->progress, "Reading");
	ret = open_side(s, first, e);
	s->misused = session_misused(s->session);
	if (!ret) {
		ret = start_table(s, e);
		s->misused = ret == -EINVAL;
	}
	ret = ret ?: jobs_read(&counting, s->session, s, e);
	ret = ret ?: finish_table(s, e);
	cli_progress_end(&s->progress);
	return ret;
}

static void free_tables(struct side *s)
{
	view_free(s->v);
	table_free(s->t);
	table_free(s->rich);
	brflow_free(s->flow);
	s->v = NULL;
	s->t = s->rich = NULL;
	s->flow = NULL;
}

/* ---- events ------------------------------------------------------------------------------------- */

static const struct perfdata_event *event_at(const struct side *s, size_t i)
{
	return perfdata_event(session_env(s->session)->pd, i);
}

static size_t nr_events(const struct side *s)
{
	return perfdata_nr_events(session_env(s->session)->pd);
}

/* An event is the same in another recording where it is called the same, or else counts the same. */
static const struct perfdata_event *event_like(const struct side *s,
					       const struct perfdata_event *ev)
{
	const struct perfdata_event *like = NULL;

	for (size_t i = 0; i < nr_events(s); i++) {
		const struct perfdata_event *other = event_at(s, i);

		if (other && !strcmp(other->name, ev->name))
			return other;
		if (!like && other && other->attr.type == ev->attr.type &&
		    other->attr.config == ev->attr.config)
			like = other;
	}
	return like;
}

/* ---- what is compared --------------------------------------------------------------------------- */

/* An event of the first file; one of both. */
struct answer {
	struct view_compare *rows;
	struct view_forest *tree;
};

struct comparison {
	const struct diff_opts *o;
	struct faces_diff f;
	struct side first;
	struct answer *events; /* by the first one's */
	struct faces_blocks *blocks;
	VEC(char *) notes; /* told at the end */
	struct obuf out;
	struct emit json;
};

static int new_answer(struct comparison *d, struct answer *a, struct err *e)
{
	const struct view_forest_opts o = { d->o->tree_min, d->o->significant };

	return d->o->tree ? view_forest_new(&a->tree, d->f.nr_sides, &o, e)
			  : view_compare_new(&a->rows, d->f.nr_sides, &d->f.o, e);
}

static int new_answers(struct comparison *d, struct err *e)
{
	size_t n = nr_events(&d->first);
	int ret = 0;

	if (d->o->cycles)
		return faces_blocks_new(&d->blocks, &d->f, e);
	d->events = calloc(n + 1, sizeof(*d->events));
	if (!d->events)
		return err_set(e, -ENOMEM, "no memory to compare recordings");
	for (size_t i = 0; !ret && i < n; i++)
		ret = new_answer(d, &d->events[i], e);
	return ret;
}

static int take_note(struct comparison *d, const char *text, struct err *e)
{
	char *copy = strdup(text);
	int ret = copy ? vec_push(&d->notes, copy) : -ENOMEM;

	if (!ret)
		return 0;
	free(copy);
	return err_set(e, ret, "no memory for messages");
}

/* Events that cannot be compared with any. */
static int note_others(struct comparison *d, const struct side *s, size_t at, struct err *e)
{
	char text[512];
	int ret = 0;

	for (size_t k = 0; !ret && k < nr_events(s); k++) {
		const struct perfdata_event *ev = event_at(s, k);

		if (!ev || event_like(&d->first, ev))
			continue;
		snprintf(text, sizeof(text),
			 "%.160s has the event %.100s, which %.160s has not: it is not compared",
			 d->f.names[at], ev->name, d->f.names[0]);
		ret = take_note(d, text, e);
	}
	return ret;
}

static int add_rows(struct comparison *d, const struct side *s, size_t at, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < nr_events(&d->first); i++) {
		const struct perfdata_event *base = event_at(&d->first, i);
		const struct perfdata_event *ev = at ? event_like(s, base) : base;
		struct answer *a = &d->events[i];

		if (!ev)
			continue;
		ret = a->tree ? view_forest_add(a->tree, at, s->v, ev->idx, e)
			      : view_compare_add(a->rows, at, s->v, ev->idx, e);
	}
	return ret;
}

/* Of all events together: blocks are those of branches, whatever was counted when they were sampled. */
static int add_blocks(struct comparison *d, const struct side *s, size_t at, struct err *e)
{
	if (brflow_nr_blocks(s->flow))
		return faces_blocks_add(d->blocks, at, s->flow, session_env(s->session)->resolver,
					e);
	err_set(e, -EINVAL, "-c cycles: %s has no branches with cycles", d->f.names[at]);
	return err_hint(e, "perf record -b on a processor that counts them has them: perf script "
			   "-F brstack shows what is there."),
	       -EINVAL;
}

/* All that is wanted of it: its tables go, and what is told at the end is noted. */
static int take_side(struct comparison *d, struct side *s, size_t at, struct err *e)
{
	const struct err *damage = session_damage(s->session);
	int ret = at ? 0 : new_answers(d, e);

	ret = ret ?: d->o->cycles ? add_blocks(d, s, at, e) : add_rows(d, s, at, e);
	ret = ret ?: note_others(d, s, at, e);
	if (!ret && damage)
		ret = take_note(d, damage->text, e);
	if (!ret && at && session_take_notes(d->first.session, s->session))
		ret = err_set(e, -ENOMEM, "no memory for what is missing");
	free_tables(s);
	return ret;
}

static int read_sides(struct comparison *d, bool *misused, struct err *e)
{
	int ret = read_side(&d->first, NULL, d->o, d->f.names[0], e);

	*misused = d->first.misused;
	ret = ret ?: take_side(d, &d->first, 0, e);
	for (size_t i = 1; !ret && i < d->f.nr_sides; i++) {
		struct side s = { .o = d->o };

		ret = read_side(&s, d->first.session, d->o, d->f.names[i], e);
		*misused |= s.misused;
		ret = ret ?: take_side(d, &s, i, e);
		free_tables(&s);
		session_close(s.session);
	}
	return ret;
}

static void comparison_free(struct comparison *d)
{
	for (size_t i = 0; d->events && i < nr_events(&d->first); i++) {
		view_compare_free(d->events[i].rows);
		view_forest_free(d->events[i].tree);
	}
	free(d->events);
	faces_blocks_free(d->blocks);
	vec_for_each (n, &d->notes)
		free(*n);
	vec_free(&d->notes);
	free_tables(&d->first);
	session_close(d->first.session);
}

/* ---- shown -------------------------------------------------------------------------------------- */

static int show_rows(struct comparison *d, struct view_compare *c, const char *event, bool first,
		     struct err *e)
{
	view_compare_sort(c);
	if (d->o->json)
		faces_diff_json(&d->f, c, event, &d->json);
	else if (d->o->csv)
		faces_diff_csv(&d->f, c, event, first, &d->out);
	else
		return faces_diff_text(&d->f, c, event, &d->out, e);
	return 0;
}

static int show_tree(struct comparison *d, struct view_forest *t, const char *event, bool first,
		     struct err *e)
{
	int ret = view_forest_sort(t, e);

	if (ret)
		return ret;
	if (d->o->json)
		faces_diff_tree_json(&d->f, t, event, &d->json);
	else if (d->o->csv)
		return faces_diff_tree_csv(&d->f, t, event, first, &d->out, e);
	else
		faces_diff_tree_text(&d->f, t, event, &d->out);
	return 0;
}

static int show_event(struct comparison *d, size_t i, struct err *e)
{
	const struct answer *a = &d->events[i];
	const char *event = event_at(&d->first, i)->name;

	if (i && !d->o->quiet && !d->o->json && !d->o->csv)
		obuf_char(&d->out, '\n');
	return a->tree ? show_tree(d, a->tree, event, !i, e) : show_rows(d, a->rows, event, !i, e);
}

static void show_blocks(struct comparison *d)
{
	const char *event = event_at(&d->first, 0)->name;

	faces_blocks_sort(d->blocks);
	if (d->o->json)
		faces_blocks_json(d->blocks, event, &d->json);
	else if (d->o->csv)
		faces_blocks_csv(d->blocks, event, true, &d->out);
	else
		faces_blocks_text(d->blocks, event, &d->out);
}

static int show_all(struct comparison *d, struct err *e)
{
	int ret = 0;

	if (d->o->json) {
		emit_init(&d->json, &d->out, EMIT_JSON);
		emit_object(&d->json, NULL);
		emit_array(&d->json, "events");
	}
	if (d->blocks)
		show_blocks(d);
	for (size_t i = 0; d->events && !ret && i < nr_events(&d->first); i++)
		ret = show_event(d, i, e);
	if (d->o->json) {
		emit_end(&d->json);
		emit_end(&d->json);
		emit_finish(&d->json);
	}
	return ret;
}

static int show(struct comparison *d, struct err *e)
{
	int ret = obuf_init(&d->out, STDOUT_FILENO, 0), closed;

	if (ret)
		return err_set(e, ret, "no memory for output");
	ret = show_all(d, e);
	closed = obuf_free(&d->out);
	if (!ret && closed && closed != -EPIPE)
		ret = err_set(e, closed, "cannot write the comparison: %s", strerror(-closed));
	return ret;
}

static void warn(const struct comparison *d)
{
	if (d->o->quiet)
		return;
	for (const char *const *w = session_warnings(d->first.session, SESSION_WARN_ALL); *w; w++)
		log_warn("%s", *w);
	if (d->blocks && !faces_blocks_nr(d->blocks))
		log_warn("-c cycles: no block is in a function whose name is known%s",
			 d->o->baseline_only ? ", or none is in two files" : "");
	vec_for_each (n, &d->notes)
		log_warn("%s", *n);
}

/* ---- the command -------------------------------------------------------------------------------- */

static int read_compute(const struct command *cmd, const char *text, struct view_compare_opts *o)
{
	static const struct {
		const char *name;
		enum view_compute how;
	} names[] = { { "delta-abs", VIEW_DELTA_ABS },
		      { "delta", VIEW_DELTA },
		      { "ratio", VIEW_RATIO } };
	long w1, w2;
	char end;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!text || !strcmp(text, names[i].name)) {
			o->compute = names[i].how;
			return 0;
		}
	if (sscanf(text, "wdiff:%ld,%ld%c", &w1, &w2, &end) != 2 || !w1 || !w2)
		return cli_usage_error(
			cmd, "-c is delta, delta-abs, ratio, cycles or wdiff:W1,W2, not '%s'",
			text);
	o->compute = VIEW_WDIFF;
	o->weight[0] = w1;
	o->weight[1] = w2;
	return 0;
}

static int read_options(const struct command *cmd, struct diff_opts *o, size_t nr,
			struct faces_diff *f)
{
	int ret;

	size_t pipes = 0;

	for (size_t i = 0; i < nr; i++)
		pipes += !strcmp(f->names[i], "-");
	if (pipes > 1)
		return cli_usage_error(cmd, "stdin can be one recording, not %zu", pipes);
	o->cycles = o->compute && !strcmp(o->compute, "cycles");
	if (o->cycles && (o->tree || o->noise || o->significant))
		return cli_usage_error(cmd, "-c cycles is about means of blocks: -g, --noise and "
					    "--significant say nothing of these");
	if (o->json + o->csv + (o->separator != NULL) > 1)
		return cli_usage_error(cmd, "--json, --csv and -t are one or the other");
	ret = o->cycles ? 0 : read_compute(cmd, o->compute, &f->o);

	if (ret)
		return ret;
	if (o->order >= nr)
		return cli_usage_error(cmd, "-o %llu: there are %zu files, and the first is 0",
				       (unsigned long long)o->order, nr);
	if (o->percentage && strcmp(o->percentage, "relative") && strcmp(o->percentage, "absolute"))
		return cli_usage_error(cmd, "--percentage is relative or absolute, not '%s'",
				       o->percentage);
	if (o->separator && (!*o->separator || *o->separator == '.'))
		return cli_usage_error(cmd, "-t takes a character that is no point");
	f->o.order = o->order;
	f->o.baseline_only = o->baseline_only;
	f->o.significant = o->significant;
	f->o.relative = o->percentage && *o->percentage == 'r';
	f->period = o->period;
	f->formula = o->formula;
	f->noise = o->noise;
	f->quiet = o->quiet;
	f->verbose = o->verbose;
	f->separator = !o->separator ? 0 : !strcmp(o->separator, "\\t") ? '\t' : *o->separator;
	return 0;
}

struct words {
	const char *v[96];
	int n;
};

static void add_word(struct words *w, const char *option, const char *value)
{
	if (!value || w->n + 3 > (int)ARRAY_SIZE(w->v))
		return;
	w->v[w->n++] = option;
	w->v[w->n++] = value;
}

/* The page and the browser compare two; what chooses samples and rows is the same there. */
static int as_report(const struct command *cmd, const struct diff_opts *o, const char *const *names,
		     size_t nr)
{
	const struct session_opts *so = &o->session;
	struct words w = { .v = { "report", o->html ? "--html" : "--tui" }, .n = 2 };
	char *argv[ARRAY_SIZE(w.v) + 1];

	if (nr != 2)
		return cli_usage_error(cmd, "the page and the browser compare two files");
	if (o->html)
		w.v[w.n++] = o->html;
	w.v[w.n++] = so->no_sandbox ? "--no-sandbox" : "--sandbox";
	if (so->force)
		w.v[w.n++] = "--force";
	if (so->no_limits)
		w.v[w.n++] = "--no-limits";
	add_word(&w, "--diff", names[0]);
	add_word(&w, "-i", names[1]);
	add_word(&w, "--sort", o->html ? NULL : o->sort ?: "dso,symbol");
	add_word(&w, "--percentage", o->percentage);
	add_word(&w, "--comms", so->comms);
	add_word(&w, "--dsos", so->dsos);
	add_word(&w, "--symbols", so->symbols);
	add_word(&w, "--pid", so->pids);
	add_word(&w, "--tid", so->tids);
	add_word(&w, "--cpu", so->cpus);
	add_word(&w, "--time", so->time);
	add_word(&w, "--symfs", so->symfs);
	add_word(&w, "--vmlinux", so->vmlinux);
	add_word(&w, "--kallsyms", so->kallsyms);
	for (size_t i = 0; i < so->events.items.n; i++)
		add_word(&w, "--event", so->events.items.v[i]);
	for (int i = 0; i < w.n; i++)
		argv[i] = (char *)w.v[i];
	argv[w.n] = NULL;
	return cmd_report.run(&cmd_report, w.n, argv);
}

static int compare(const struct diff_opts *o, struct faces_diff *f, struct err *e)
{
	struct comparison d = { .o = o };
	bool misused;
	int ret;

	f->color = !o->separator && cli_use_color(STDOUT_FILENO);
	if (!o->json)
		cli_pager_start();
	sandbox_enter(&(struct sandbox){
		.off = o->session.no_sandbox,
		.session = &o->session,
		.objects = true,
		.more = f->names,
		.nr_more = f->nr_sides,
	});
	d.f = *f;
	ret = read_sides(&d, &misused, e);
	ret = ret ?: show(&d, e);
	if (!ret)
		warn(&d);
	comparison_free(&d);
	if (ret)
		ret = cli_print_err(e);
	return misused ? CLI_USAGE : ret;
}

static int diff_run(const struct command *cmd, int argc, char **argv)
{
	const char *defaults[] = { "perf.data.old", "perf.data" };
	struct diff_opts o = { .order = 1 };
	struct faces_diff f = { .names = defaults, .nr_sides = 2 };
	struct err e = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0), ret;

	if (n < 0)
		return CLI_STATUS(n);
	if (n == 1)
		defaults[1] = argv[0];
	if (n > 1) {
		f.names = (const char *const *)argv;
		f.nr_sides = (size_t)n;
	}
	log_set_level(o.quiet ? LOG_ERROR : o.verbose > 1 ? LOG_DEBUG : LOG_WARN);
	ret = read_options(cmd, &o, f.nr_sides, &f);
	if (!ret)
		ret = o.html || o.tui ? as_report(cmd, &o, f.names, f.nr_sides)
				      : compare(&o, &f, &e);
	session_opts_free(&o.session);
	return ret;
}

const struct command cmd_diff = {
	.name = "diff",
	.summary = "Compare recordings: what costs more, what less, and what is chance",
	.usage = diff_usage,
	.options = diff_options,
	.run = diff_run,
};
