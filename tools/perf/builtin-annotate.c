// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf annotate: read a recording, show the instructions of its functions and what lies at each.
 * Samples are counted once, by address; then functions are listed one after the other, by event and
 * with the hottest first, so that memory holds one listing at a time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "annotate.h"
#include "browser.h"
#include "builtin.h"
#include "dump/dump.h"
#include "jobs.h"
#include "pieces.h"
#include "sandbox.h"

/* ---- reading ------------------------------------------------------------------------------------ */

/* What counts the samples of a session. */
struct counter {
	struct annotate_cmd *c;
	struct session *s;
	struct annotate *a;
	struct annotate *piece; /* what is counted now and is to be added to a; NULL = a itself */
	uint64_t nr_taken;	/* samples */
	double scale;		/* of periods */
};

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	const struct counter *k = ctx;

	(void)event;
	return annotate_need(k->a) | PERF_SAMPLE_TID;
}

static unsigned wanted_marks(const struct annotate_cmd_opts *o)
{
	return (o->numbers ? KEYS_MARK_NUMBERS : 0u) | (o->idle ? KEYS_MARK_IDLE : 0u) |
	       (o->dirty ? KEYS_MARK_DIRTY : 0u) | (o->apx ? KEYS_MARK_APX : 0u) |
	       (o->shadow ? KEYS_MARK_SHADOW : 0u) | (o->values ? KEYS_MARK_VALUES : 0u);
}

static int new_counts(struct counter *k, struct annotate **a, struct err *e)
{
	const struct session_env *env = session_env(k->s);
	struct annotate_cmd *c = k->c;
	int ret = annotate_new(a, env->machine, env->resolver, e);

	if (!ret && (c->o.simd || c->o.reg)) {
		ret = annotate_want_registers(*a, session_arch(k->s), c->o.reg, e);
		c->usage = ret == -EINVAL;
		if (ret)
			err_context(e, "--reg");
	}
	if (!ret && wanted_marks(&c->o))
		ret = annotate_want_marks(
			*a, wanted_marks(&c->o),
			&(struct acc_env){ .arch = session_arch(k->s), .values = c->o.values }, e);
	if (!ret && c->stat_what) {
		const struct brstat_opts o = { .machine = env->machine,
					       .arch = session_arch(k->s),
					       .what = c->stat_what,
					       .stacks = true,
					       .filter = session_filter(k->s) };

		ret = annotate_want_branches(*a, &o, e);
	}
	return ret;
}

static void free_counts(void *ctx)
{
	struct counter *k = ctx;

	annotate_free(k->piece);
	annotate_free(k->a);
	k->piece = k->a = NULL;
}

/* --pieces: what was counted since the last piece goes where all of it is. */
static int add_piece(struct counter *k, struct err *e)
{
	int ret = k->piece ? annotate_merge(k->a, k->piece, NULL, e) : 0;

	annotate_free(k->piece);
	k->piece = NULL;
	return ret;
}

static int take_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct counter *k = ctx;
	uint64_t size = k->c->o.apart ? 0 : k->c->o.pieces;

	if (unlikely(size) && k->nr_taken && !(k->nr_taken % size) &&
	    (add_piece(k, e) || new_counts(k, &k->piece, e)))
		return e->code;
	k->nr_taken++;
	if (unlikely(k->scale != 1))
		in->s->period = session_scaled(in->s->period, k->scale);
	return annotate_add(k->piece ?: k->a, in, e);
}

static int start_counting(void *ctx, void *first, struct session *s, struct err *e)
{
	struct counter *k = ctx, *f = first;

	*k = (struct counter){ .c = f->c, .s = s, .scale = f->scale };
	return new_counts(k, &k->a, e);
}

/* What another session's samples counted. */
static int add_counts(void *to, void *from, struct err *e)
{
	struct counter *k = to, *other = from;
	struct session_maps *maps;
	int ret = session_maps_new(&maps, session_env(k->s), session_env(other->s), e);

	ret = ret ?: annotate_merge(k->a, other->a, maps, e);
	session_maps_free(maps);
	free_counts(other);
	return ret;
}

static const struct session_consumer consumer = { .need = need, .sample = take_sample };
static const struct jobs counting = {
	.consumer = &consumer,
	.size = sizeof(struct counter),
	.start = start_counting,
	.add = add_counts,
	.free = free_counts,
};

/* Another recording, to what was counted of the first. */
static int start_file(void *one, void *ctx, struct session *s, struct err *e)
{
	const struct counter *k = ctx;
	struct counter *other = one;

	*other = (struct counter){ .c = k->c,
				   .s = s,
				   .scale = session_files_scale(&k->c->files, s) };
	return new_counts(other, &other->a, e);
}

static int read_file(void *one, struct session *s, struct err *e)
{
	return jobs_read(&counting, s, one, e);
}

static int add_file(void *ctx, void *one, struct session *s, struct err *e)
{
	(void)s;
	return add_counts(ctx, one, e);
}

static const struct session_files_count files = {
	.size = sizeof(struct counter),
	.start = start_file,
	.read = read_file,
	.add = add_file,
	.free = free_counts,
};

static int read_samples(struct annotate_cmd *c, struct err *e)
{
	struct counter k = { .c = c, .s = c->session, .scale = 1 };
	uint64_t pieces = c->o.apart ? c->o.pieces : 0;
	struct session_opts so = c->o.session;
	int ret = session_files_join(&c->files, c->session, &c->o.session, e);

	/* Keys are read by who paints. */
	if (c->tui)
		so.jobs = 1;
	ret = ret ?: new_counts(&k, &k.a, e);
	if (c->o.several.by_file)
		;
	else if (c->o.pieces)
		ret = ret ?: session_read(c->session, &consumer, &k, e);
	else
		ret = ret ?: jobs_read(&counting, c->session, &k, e);
	if (!ret && pieces)
		ret = pieces_read(c->session, &c->o.session, pieces, &counting, &k, NULL, e);
	ret = ret ?: add_piece(&k, e);
	if (session_files_are_several(&c->files))
		ret = ret ?: session_files_count(&c->files, c->session, &so, &files, &k, e);
	annotate_free(k.piece);
	c->a = k.a;
	return ret ?: annotate_finish(c->a, e);
}

static bool progress(void *ctx, uint64_t done, uint64_t total)
{
	struct annotate_cmd *c = ctx;

	if (!c->tui)
		return cli_progress_update(&c->progress, done, total);
	c->stopped |= tui_progress(c->tui, "Reading", done, total);
	return c->stopped;
}

static void say_warnings(struct annotate_cmd *c)
{
	if (c->o.quiet)
		return;
	if (c->said.nr_quiet_notes && !c->o.verbose)
		log_warn("%zu more of the kind; -v names them", c->said.nr_quiet_notes);
	for (const char *const *w = session_warnings(c->session, SESSION_WARN_ALL); *w; w++)
		log_warn("%s", *w);
}

static void say_no_samples(const struct annotate_cmd *c)
{
	uint64_t n = session_counts(c->session)->left_out;

	log_error("The %s data has no samples!", perfdata_path(c->pd));
	if (n)
		log_error("It has %" PRIu64
			  ", all of them left out by the options that choose samples.",
			  n);
}

/* Counts, then shows; what damaged the file is the error that comes last. */
static int run_counted(struct annotate_cmd *c, struct err *e)
{
	const struct err *damage;
	int ret = session_start(c->session, e);

	if (!ret && c->o.values)
		ret = code_values(c->o.values, c->pd, session_arch(c->session), &c->usage, e);
	ret = ret ?: read_samples(c, e);
	/* Only a browser with something in it: all else is said as text. */
	if (ret || !annotate_nr_functions(c->a))
		browser_end(&c->tui);
	cli_progress_end(&c->progress); /* before anything is printed */
	if (!ret && !session_counts(c->session)->samples && !c->o.json)
		say_no_samples(c);
	else
		ret = ret ?: annotate_cmd_show(c, e);
	if (!ret || ret == -ENOENT) /* also what objects are missing, so that there is nothing */
		say_warnings(c);
	damage = ret ? NULL : session_damage(c->session);
	if (damage)
		*e = *damage;
	return damage ? damage->code : ret;
}

static bool wants_browser(const struct annotate_cmd_opts *o)
{
	return o->tui || !(o->stdio || o->stdio2 || o->json || o->dump || !isatty(1));
}

/* A browser on a terminal; @e only where --tui insists. */
static int open_browser(struct annotate_cmd *c, struct err *e)
{
	const struct annotate_cmd_opts *o = &c->o;
	struct err why = { 0 };
	int ret;

	if (!wants_browser(o))
		return 0;
	ret = tui_open(&c->tui, &o->look, &why);
	if (ret)
		c->tui = NULL;
	if (!ret || !o->tui)
		return 0;
	*e = why;
	return err_context(e, "--tui");
}

static int run_opened(struct annotate_cmd *c, struct err *e)
{
	const struct dump_opts opts = { 0 };
	int ret = open_browser(c, e), closed;

	if (ret)
		return ret;
	c->progress.enabled &= !c->tui;
	ret = obuf_init(&c->text, 1, 0);
	if (ret)
		return err_set(e, ret, "no memory for output");
	c->out.out = &c->text;
	c->out.pd = c->pd;
	c->progress.enabled &= !c->o.dump;
	ret = c->o.dump ? dump_all(c->pd, &c->text, &opts, e) : run_counted(c, e);
	cli_progress_end(&c->progress);
	closed = obuf_free(&c->text);
	if (!ret && closed && closed != -EPIPE)
		ret = err_set(e, closed, "writing the listing: %s", strerror(-closed));
	return ret;
}

/* ---- the command -------------------------------------------------------------------------------- */

static int setup(struct annotate_cmd *c, struct err *e)
{
	struct annotate_cmd_opts *o = &c->o;
	struct faces_listing_opts *f = &c->out.o;
	struct tui_annotate_opts code = { 0 };
	int ret = annotate_cmd_check(o, &code, e);

	if (!ret && o->branches)
		ret = code_branches(o->branches, &c->stat_what, e);
	ret = ret ?: compat_color(o->color, &f->color, e);
	if (ret)
		return ret;
	f->number = o->show_samples ? FACES_SAMPLES : o->show_period ? FACES_PERIODS : FACES_SHARES;
	f->full_paths = o->full_paths;
	f->asm_raw = o->asm_raw;
	f->loops = o->loops;
	f->print_line = o->print_line;
	f->verbose = o->verbose > 0;
	f->simd = o->simd;
	f->no_legend = o->quiet;
	c->writer = o->json	? &faces_listing_json
		    : o->stdio2 ? &faces_listing_stdio2
				: &faces_listing_stdio;
	f->percent = code.percent;
	c->listing = code.listing;
	c->listing.lines_only = !o->code.source && o->print_line;
	c->listing.no_source = !o->code.source && !o->print_line;
	return 0;
}

/* foo(int), or the linker's name of it: names of functions have their arguments then. */
static bool asks_for_arguments(const char *symbol)
{
	return symbol &&
	       (strchr(symbol, '(') || !strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2));
}

static void enter_sandbox(const struct annotate_cmd *c)
{
	bool browses = wants_browser(&c->o);

	if (!browses)
		cli_pager_start();
	sandbox_enter(&(struct sandbox){
		.off = c->o.session.no_sandbox,
		.session = &c->o.session,
		.objects = true,
		.more = c->files.v.v,
		.nr_more = c->files.v.n,
		.output = { { BOX_SAVED, browses ? "." : NULL } },
	});
}

static int open_and_run(struct annotate_cmd *c)
{
	struct session_opts *so = &c->o.session;
	struct err e = { 0 };
	int ret = setup(c, &e);

	c->usage = ret != 0;
	so->demangle_params = asks_for_arguments(c->o.symbol);
	so->progress = progress;
	so->progress_ctx = c;
	so->log = (struct log_sink){ .line = browser_log, .ctx = &c->tui };
	if (c->o.apart)
		so->nr_samples = c->o.pieces;
	cli_progress_start(&c->progress, "Reading");
	if (!ret)
		enter_sandbox(c);
	ret = ret ?: session_files_open(&c->files, &c->session, so, &e);
	if (!ret) {
		c->pd = session_env(c->session)->pd;
		ret = run_opened(c, &e);
	}
	cli_progress_end(&c->progress);
	if (ret)
		ret = cli_print_err(&e);
	else if (session_lacked_memory(c->session) || (c->nr_missing && !c->nr_shown))
		ret = 1;
	if (files_say(&c->files, c->o.quiet))
		ret = ret ?: 1;
	return c->usage || session_misused(c->session) ? CLI_USAGE : ret;
}

/* Recordings, and one word that is none: the function. */
static int read_words(const struct command *cmd, struct annotate_cmd *c, int n, char **argv)
{
	struct err e = { 0 };
	int nr = 0, ret;

	for (int i = 0; i < n; i++) {
		if (!strcmp(argv[i], "-") || session_files_is_recording(argv[i]))
			argv[nr++] = argv[i];
		else if (c->o.symbol)
			return cli_usage_error(cmd, "more than one function: %s", argv[i]);
		else
			c->o.symbol = argv[i];
	}
	c->files.o = c->o.several;
	ret = session_files_collect(&c->files, &c->o.session, nr, argv, &e);
	c->o.several = c->files.o;
	if (!ret && session_files_are_several(&c->files) && (c->o.dump || c->o.pieces))
		ret = err_set(&e, -EINVAL, "%s is about one recording, and there are %zu",
			      c->o.dump ? "-D" : "--pieces", c->files.v.n);
	if (!ret)
		return 0;
	cli_print_err(&e);
	return ret == -EINVAL ? CLI_USAGE : 1;
}

static int annotate_run(const struct command *cmd, int argc, char **argv)
{
	struct annotate_cmd *c = calloc(1, sizeof(*c));
	int n, ret;

	if (!c)
		return 1;
	c->o.code.source = true;
	c->o.group = true;
	n = cli_parse(cmd, &c->o, argc, argv, 0);
	ret = n < 0 ? CLI_STATUS(n) : read_words(cmd, c, n, argv);
	if (n >= 0 && !ret) {
		log_set_level(c->o.quiet	 ? LOG_ERROR
			      : c->o.verbose > 1 ? LOG_DEBUG
			      : c->o.verbose	 ? LOG_INFO
						 : LOG_WARN);
		ret = open_and_run(c);
	}
	browser_end(&c->tui);
	annotate_free(c->a);
	session_close(c->session);
	session_opts_free(&c->o.session);
	session_files_free(&c->files);
	intern_free(&c->said.texts);
	free(c->said.dso);
	free(c);
	return ret;
}

static const char *const annotate_usage[] = {
	"annotate [options] [[-i] FILE...] [[-s] SYMBOL]",
	NULL,
};

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "Show the instructions of functions and where samples lie",
	.usage = annotate_usage,
	.options = annotate_cmd_options,
	.run = annotate_run,
};
