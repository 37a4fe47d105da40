// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf diff: rows of recordings side by side. Each recording is counted as perf report does, in a session of
 * its own, and its rows are taken, by their names, into what is compared; then it goes. Small ones are counted at the
 * same time, by a thread each, and taken in their order. The first one's session stays: it has the events, and the symbols
 * that the others share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "browser.h"
#include "builtin.h"
#include "compat.h"
#include "diff.h"
#include "sandbox.h"

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
		   "write one page: what is compared, and samples of the first two, or -o N"),
	OPT_BOOL(0, "tui", O, tui, "in the browser: rows, and with -g, -c cycles these"),
	OPT_INCLUDE(O, look, tui_options),
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

/* ---- what is compared --------------------------------------------------------------------------- */

static int new_answer(struct comparison *d, struct answer *a, struct err *e)
{
	const struct view_forest_opts o = { d->o->tree_min, d->o->significant };
	int ret = 0;

	if (d->o->what & DIFF_ROWS)
		ret = view_compare_new(&a->rows, d->f.nr_sides, &d->f.o, e);
	if (!ret && d->o->what & DIFF_TREE)
		ret = view_forest_new(&a->tree, d->f.nr_sides, &o, e);
	return ret;
}

static int new_answers(struct comparison *d, struct err *e)
{
	size_t n = side_nr_events(&d->first);
	int ret = d->o->what & DIFF_BLOCKS ? faces_blocks_new(&d->blocks, &d->f, e) : 0;

	if (ret)
		return ret;
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

	for (size_t k = 0; !ret && k < side_nr_events(s); k++) {
		const struct perfdata_event *ev = side_event(s, k);

		if (!ev || side_event_like(&d->first, ev))
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

	for (size_t i = 0; !ret && i < side_nr_events(&d->first); i++) {
		const struct perfdata_event *base = side_event(&d->first, i);
		const struct perfdata_event *ev = at ? side_event_like(s, base) : base;
		struct answer *a = &d->events[i];

		if (ev && a->rows)
			ret = view_compare_add(a->rows, at, s->row_view, ev->idx, e);
		if (!ret && ev && a->tree)
			ret = view_forest_add(a->tree, at, s->tree_view, ev->idx, e);
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
static int take_side(void *ctx, void *one, struct session *session, struct err *e)
{
	struct comparison *d = ctx;
	struct side *s = one;
	size_t at = s->at;
	const struct err *damage = session_damage(session);
	int ret = at ? 0 : new_answers(d, e);

	ret = ret ?: add_rows(d, s, at, e);
	if (!ret && d->blocks)
		ret = add_blocks(d, s, at, e);
	ret = ret ?: note_others(d, s, at, e);
	if (!ret && damage && vec_push(&d->damage, *damage))
		ret = err_set(e, -ENOMEM, "no memory for messages");
	if (!ret && at && session_take_notes(d->first.session, session))
		ret = err_set(e, -ENOMEM, "no memory for what is missing");
	side_free(s);
	return ret;
}

static int start_side(void *one, void *ctx, struct session *s, struct err *e)
{
	struct comparison *d = ctx;

	return side_start(one, d->o, d->nr_started++, s, e);
}

static int read_side(void *one, struct session *s, struct err *e)
{
	(void)s;
	return side_read(one, e);
}

static void free_side(void *one)
{
	side_free(one);
}

static void note_misuse(void *ctx, const void *one, const struct session *s)
{
	struct comparison *d = ctx;
	const struct side *side = one;

	d->misused = side ? side->misused : session_misused(s);
}

static bool progress(void *ctx, uint64_t done, uint64_t total)
{
	struct comparison *d = ctx;

	if (d->tui)
		tui_progress(d->tui, "Reading", done, total);
	else
		cli_progress_update(&d->progress, done, total);
	return false;
}

static int open_first(struct comparison *d, struct err *e)
{
	int ret;

	d->so = d->o->session;
	d->so.input = d->f.names[0];
	d->so.progress = progress;
	d->so.progress_ctx = d;
	if (!d->o->quiet)
		d->so.log = d->tui ? tui_log(d->tui) : LOG_STDERR;
	ret = session_open(&d->first.session, &d->so, e);
	ret = ret ?: session_start(d->first.session, e);
	d->misused = session_misused(d->first.session);
	return ret;
}

static int read_sides(struct comparison *d, struct err *e)
{
	const struct session_files_count count = {
		.size = sizeof(struct side),
		.apart = true,
		.in_turn = d->tui, /* which one thread paints */
		.start = start_side,
		.read = read_side,
		.add = take_side,
		.free = free_side,
		.failed = note_misuse,
	};
	struct session_files files = { .first = 0 };
	int ret = 0;

	cli_progress_start(&d->progress, "Reading");
	d->progress.enabled &= !d->tui;
	for (size_t i = 0; !ret && i < d->f.nr_sides; i++)
		ret = vec_push(&files.v, d->f.names[i]);
	if (ret)
		ret = err_set(e, ret, "no memory to compare recordings");
	ret = ret ?: open_first(d, e);
	ret = ret ?: session_files_count(&files, d->first.session, &d->so, &count, d, e);
	vec_free(&files.v);
	cli_progress_end(&d->progress);
	return ret;
}

static void comparison_free(struct comparison *d)
{
	for (size_t i = 0; d->events && i < side_nr_events(&d->first); i++) {
		view_compare_free(d->events[i].rows);
		view_forest_free(d->events[i].tree);
	}
	free(d->events);
	faces_blocks_free(d->blocks);
	vec_for_each (n, &d->notes)
		free(*n);
	vec_free(&d->notes);
	vec_free(&d->damage);
	session_close(d->first.session);
}

static void warn(const struct comparison *d)
{
	for (const char *const *w = session_warnings(d->first.session, SESSION_WARN_ALL); *w; w++)
		log_warn("%s", *w);
	if (d->blocks && !faces_blocks_nr(d->blocks))
		log_warn("-c cycles: no block is in a function whose name is known%s",
			 d->o->baseline_only ? ", or none is in two files" : "");
	vec_for_each (n, &d->notes)
		log_warn("%s", *n);
}

/* At the end; the status. What a recording lacks is no matter of -q. */
static int tell(const struct comparison *d)
{
	if (!d->o->quiet)
		warn(d);
	vec_for_each (damage, &d->damage)
		cli_print_err(damage);
	return d->damage.n ? 1 : 0;
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

/* Words that do not go together. */
static int check_words(const struct command *cmd, const struct diff_opts *o)
{
	if (o->cycles && (o->tree || o->noise || o->significant))
		return cli_usage_error(cmd, "-c cycles is about means of blocks: -g, --noise and "
					    "--significant say nothing of these");
	if (o->json + o->csv + (o->separator != NULL) + o->tui + (o->html != NULL) > 1)
		return cli_usage_error(cmd,
				       "--json, --csv, -t, --tui and --html are one or the other");
	if (o->separator && (o->cycles || o->tree))
		return cli_usage_error(cmd, "-t is between columns of rows: for call trees and "
					    "blocks there is --csv");
	if (o->percentage && strcmp(o->percentage, "relative") && strcmp(o->percentage, "absolute"))
		return cli_usage_error(cmd, "--percentage is relative or absolute, not '%s'",
				       o->percentage);
	if (o->separator && (!*o->separator || *o->separator == '.'))
		return cli_usage_error(cmd, "-t takes a character that is no point");
	return 0;
}

static int check_files(const struct command *cmd, const struct diff_opts *o,
		       const struct faces_diff *f)
{
	size_t pipes = 0;

	for (size_t i = 0; i < f->nr_sides; i++)
		pipes += !strcmp(f->names[i], "-");
	if (pipes > 1)
		return cli_usage_error(cmd, "stdin can be one recording, not %zu", pipes);
	if (pipes && o->html)
		return cli_usage_error(cmd, "--html reads recordings twice, which stdin does not "
					    "allow");
	if (o->order >= f->nr_sides)
		return cli_usage_error(cmd, "-o %llu: there are %zu files, and the first is 0",
				       (unsigned long long)o->order, f->nr_sides);
	return 0;
}

static int read_options(const struct command *cmd, struct diff_opts *o, struct faces_diff *f)
{
	int ret;

	o->cycles = o->compute && !strcmp(o->compute, "cycles");
	ret = check_words(cmd, o) ?: check_files(cmd, o, f);
	ret = ret ?: o->cycles ? 0 : read_compute(cmd, o->compute, &f->o);
	if (ret)
		return ret;
	o->what = o->cycles ? DIFF_BLOCKS : o->tree ? DIFF_TREE : DIFF_ROWS;
	/* There is room for more than one table there. */
	if (o->tui || o->html)
		o->what |= DIFF_ROWS;
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

static void enter_box(const struct diff_opts *o, const struct faces_diff *f)
{
	sandbox_enter(&(struct sandbox){
		.off = o->session.no_sandbox,
		.session = &o->session,
		.objects = true,
		.more = f->names,
		.nr_more = f->nr_sides,
		.output = { { BOX_FILE, o->html } },
	});
}

static int compare(const struct diff_opts *o, const struct faces_diff *f, struct err *e)
{
	struct comparison d = { .o = o, .f = *f };
	int ret = o->tui ? tui_open(&d.tui, &o->look, e) : 0;

	if (ret) {
		err_context(e, "--tui");
		return cli_print_err(e);
	}
	d.f.color = !o->separator && cli_use_color(STDOUT_FILENO);
	/* A comparison of what was read of some files would mean nothing. */
	if (o->tui)
		tui_read_all(d.tui);
	if (o->tui)
		d.f.color = d.f.quiet = false; /* roles in place of colours; heads have a line */
	else if (!o->json && !o->html)
		cli_pager_start();
	enter_box(o, f);
	ret = read_sides(&d, e);
	ret = ret ?: comparison_show(&d, e);
	browser_end(&d.tui);
	ret = ret ? cli_print_err(e) : tell(&d);
	comparison_free(&d);
	return d.misused ? CLI_USAGE : ret;
}

/* One name, or none, is compared with what was there before; a directory of recordings is those in it. */
static int choose_files(struct session_files *files, struct diff_opts *o, int argc, char **argv,
			struct faces_diff *f, const char *defaults[2], struct err *e)
{
	int ret = session_files_collect(files, &o->session, argc, argv, e);

	/* Each file is read on its own terms: an event that one has not is told. */
	o->session.input = NULL;
	o->session.some_events = false;
	f->names = files->v.v;
	f->nr_sides = files->v.n;
	if (f->nr_sides > 1)
		return ret;
	defaults[1] = f->nr_sides ? files->v.v[0] : defaults[1];
	f->names = defaults;
	f->nr_sides = 2;
	return ret;
}

static int diff_run(const struct command *cmd, int argc, char **argv)
{
	const char *defaults[] = { "perf.data.old", "perf.data" };
	struct diff_opts o = { .order = 1 };
	struct session_files files = { .first = 0 };
	struct faces_diff f = { .nr_sides = 0 };
	struct err e = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0), ret;

	if (n < 0)
		return CLI_STATUS(n);
	log_set_level(o.quiet ? LOG_ERROR : o.verbose > 1 ? LOG_DEBUG : LOG_WARN);
	ret = choose_files(&files, &o, n, argv, &f, defaults, &e);
	if (ret) {
		cli_print_err(&e);
		ret = ret == -EINVAL ? CLI_USAGE : 1;
	}
	ret = ret ?: read_options(cmd, &o, &f) ?: compare(&o, &f, &e);
	session_files_free(&files);
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
