// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf annotate: read a recording, show the instructions of its functions and what lies at each.
 * Samples are counted once, by address; then functions are listed one after the other, by event and
 * with the hottest first, so that memory holds one listing at a time.
 */
#include <stdlib.h>
#include <unistd.h>

#include "annotate.h"
#include "base/nearest.h"
#include "builtin.h"
#include "dump/dump.h"
#include "faces/faces.h"
#include "tui/tui.h"

#define NOTES_SHOWN 3

struct annotate_cmd {
	struct annotate_cmd_opts o;
	struct session *session;
	struct perfdata *pd;
	struct annotate *a;
	struct listing_opts listing;
	const struct faces_listing_writer *writer;
	struct faces_listings out;
	struct obuf text;
	struct cli_progress progress;
	struct tui *tui; /* NULL = text */
	bool stopped;	 /* q was pressed while reading */
	bool *told;	 /* by dso->idx: that its code is missing */
	uint32_t nr_told;
	struct intern notes; /* told */
	size_t nr_notes, nr_quiet_notes;
	size_t nr_shown, nr_missing;
	bool usage; /* what failed is the command line */
};

/* ---- reading ------------------------------------------------------------------------------------ */

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	const struct annotate_cmd *c = ctx;

	(void)event;
	return annotate_need(c->a) | PERF_SAMPLE_TID;
}

static int take_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct annotate_cmd *c = ctx;

	/* What was read so far is shown. */
	if (c->stopped)
		return -ECANCELED;
	return annotate_add(c->a, in->s, in->thread, e);
}

static int read_samples(struct annotate_cmd *c, struct err *e)
{
	static const struct session_consumer consumer = { .need = need, .sample = take_sample };
	const struct session_env *env = session_env(c->session);
	int ret = annotate_new(&c->a, env->machine, env->resolver, e);

	if (!ret && (c->o.simd || c->o.reg)) {
		ret = annotate_want_registers(c->a, session_arch(c->session), c->o.reg, e);
		c->usage = ret == -EINVAL;
		if (ret)
			err_context(e, "--reg");
	}
	ret = ret ?: session_read(c->session, &consumer, c, e);
	if (ret == -ECANCELED && c->stopped)
		ret = 0;
	return ret ?: annotate_finish(c->a, e);
}

static void progress(void *ctx, uint64_t done, uint64_t total)
{
	struct annotate_cmd *c = ctx;

	if (c->tui)
		c->stopped |= tui_progress(c->tui, "Reading", done, total);
	else
		cli_progress_update(&c->progress, done, total);
}

/* ---- which functions ---------------------------------------------------------------------------- */

/*
 * The name as it is printed; the linker's where @symbol is one. That says which of several functions of
 * one name is meant, as arguments in brackets do: then names have these.
 */
static const char *asked_name(const struct annotate_cmd *c, char **demangled)
{
	*demangled = c->o.session.no_demangle ? NULL : symbol_demangle(c->o.symbol, true);
	return *demangled ?: c->o.symbol;
}

static bool asks_for_arguments(const char *symbol)
{
	return symbol &&
	       (strchr(symbol, '(') || !strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2));
}

static bool is_asked(const struct annotate_cmd *c, const struct symbol *sym, const char *name)
{
	return !c->o.symbol || !strcmp(sym->name, name) || !strcmp(sym->name, c->o.symbol);
}

/* Of the events from @first on. */
static struct annotate_count sum(const struct annotate_total *t, uint32_t first, uint32_t nr)
{
	struct annotate_count s = { 0, 0 };

	for (uint32_t k = first; k < first + nr; k++) {
		s.hits += t[k].count.hits;
		s.period += t[k].count.period;
	}
	return s;
}

static bool is_hot(const struct annotate_cmd *c, const struct annotate_function *f, uint32_t first,
		   uint32_t nr)
{
	struct annotate_count mine = sum(f->total, first, nr), all = { 0, 0 };

	for (uint32_t k = first; k < first + nr; k++)
		all.period += annotate_total(c->a, k)->count.period;
	return mine.hits && 100.0 * (double)mine.period >= c->o.min_percent * (double)all.period;
}

/* ---- what cannot be shown ----------------------------------------------------------------------- */

static bool is_told(struct annotate_cmd *c, const struct dso *dso)
{
	bool was;

	if (dso->idx >= c->nr_told) {
		uint32_t nr = dso->idx + 64;
		bool *told = realloc(c->told, nr * sizeof(*told));

		if (!told)
			return false;
		memset(told + c->nr_told, 0, (nr - c->nr_told) * sizeof(*told));
		c->told = told;
		c->nr_told = nr;
	}
	was = c->told[dso->idx];
	c->told[dso->idx] = true;
	return was;
}

/* Of each object once; of functions that were asked for by name, always. */
static void say_missing(struct annotate_cmd *c, const struct dso *dso, const struct err *why)
{
	size_t nr = c->notes.str.n;

	c->nr_missing++;
	if (c->o.skip_missing || (is_told(c, dso) && !c->o.symbol))
		return;
	intern(&c->notes, why->text); /* what is missing may be the same for all objects */
	if (c->notes.str.n != nr)
		cli_print_err(why);
}

static int say_unknown(struct annotate_cmd *c, const char *name, struct err *e)
{
	struct nearest near = nearest_init(name);
	char names[512];

	for (size_t i = 0; i < annotate_nr_functions(c->a); i++)
		nearest_offer(&near, annotate_function(c->a, i)->sym->name);
	nearest_print(&near, names, sizeof(names));
	err_set(e, -ENOENT, "%s has no samples in a function called `%s'", perfdata_path(c->pd),
		name);
	if (names[0])
		err_hint(e, "Did you mean %s?", names);
	else if (annotate_nr_functions(c->a))
		err_hint(e, "Most are in %s. perf report -s symbol lists all functions.",
			 annotate_function(c->a, 0)->sym->name);
	return e->code;
}

/* ---- showing ------------------------------------------------------------------------------------ */

/*
 * What a reader of the listing has to know; the same of many functions is said once, and of many
 * different things a few: objects with debug information have hundreds of sources that are not here.
 */
static void say_notes(struct annotate_cmd *c, const struct listing *l)
{
	if (c->o.quiet || c->o.json)
		return;
	for (const char *const *note = l->notes; note && *note; note++) {
		size_t nr = c->notes.str.n;

		intern(&c->notes, *note);
		if (c->notes.str.n == nr)
			continue;
		if (c->nr_notes++ < NOTES_SHOWN) {
			log_warn("%s", *note);
		} else {
			log_info("%s", *note);
			c->nr_quiet_notes++;
		}
	}
}

static int show_function(struct annotate_cmd *c, struct dso *dso, const struct symbol *sym,
			 struct err *e)
{
	struct err why = { 0 };
	struct listing *l;
	int ret = listing_open(&l, c->a, dso, sym, &c->listing, &why);

	if (ret == -ENOMEM) {
		*e = why;
		return ret;
	}
	if (ret) {
		say_missing(c, dso, &why);
		return 0;
	}
	say_notes(c, l);
	ret = c->writer->put(&c->out, l, e);
	listing_close(l);
	c->nr_shown++;
	return ret;
}

/* The functions of an event, or of a group of them: how many there are goes to *@nr_asked. */
static int show_event(struct annotate_cmd *c, uint32_t first, uint32_t nr, const char *name,
		      size_t *nr_asked, struct err *e)
{
	int ret = annotate_sort(c->a, first, nr, e);

	c->listing.event = first;
	c->listing.nr_events = nr;
	for (size_t i = 0; !ret && i < annotate_nr_functions(c->a) && !c->text.code; i++) {
		const struct annotate_function *f = annotate_function(c->a, i);

		if (!is_asked(c, f->sym, name) || !sum(f->total, first, nr).hits)
			continue;
		++*nr_asked;
		if (is_hot(c, f, first, nr))
			ret = show_function(c, f->dso, f->sym, e);
	}
	return ret;
}

static int show_events(struct annotate_cmd *c, const char *name, size_t *nr_asked, struct err *e)
{
	uint32_t nr = annotate_nr_events(c->a), members;
	int ret = 0;

	for (uint32_t i = 0; i < nr && !ret; i += members) {
		const struct perfdata_event *ev =
			i < perfdata_nr_events(c->pd) ? perfdata_event(c->pd, i) : NULL;

		members = 1;
		if (c->o.group && ev && ev->leader == ev->idx && ev->nr_members &&
		    ev->nr_members <= nr - i)
			members = ev->nr_members;
		ret = show_event(c, i, members, name, nr_asked, e);
	}
	return ret;
}

/* A function that was asked for, without samples, that branches led to: they say how it ran. */
static int show_passed(struct annotate_cmd *c, const char *name, size_t *nr_asked, struct err *e)
{
	const struct loc *at;
	size_t next = 0;
	int ret = 0;

	c->listing.event = 0;
	c->listing.nr_events = 1;
	while (!ret && (at = annotate_next_passed(c->a, &next))) {
		if (!is_asked(c, at->sym, name))
			continue;
		++*nr_asked;
		ret = show_function(c, at->dso, at->sym, e);
	}
	return ret;
}

/* The hottest of the functions that were asked for; the browser goes on from there. */
static void browse(struct annotate_cmd *c, const char *name, size_t *nr_asked, struct err *e)
{
	const struct faces_listing_opts *f = &c->out.o;
	struct tui_annotate_opts opts = {
		.listing = c->listing,
		.percent = f->percent,
		.samples = f->number == FACES_SAMPLES,
		.periods = f->number == FACES_PERIODS,
	};
	const struct loc *at;
	size_t next = 0;

	if (annotate_sort(c->a, 0, annotate_nr_events(c->a), e))
		return;
	for (size_t i = 0; i < annotate_nr_functions(c->a); i++) {
		const struct annotate_function *fn = annotate_function(c->a, i);

		if (!is_asked(c, fn->sym, name))
			continue;
		++*nr_asked;
		tui_annotate(c->tui, c->a, &opts, fn->dso, fn->sym);
		return;
	}
	while ((at = annotate_next_passed(c->a, &next))) {
		if (!name || !is_asked(c, at->sym, name))
			continue;
		++*nr_asked;
		tui_annotate(c->tui, c->a, &opts, at->dso, at->sym);
		return;
	}
}

/* The answer, in the form that was asked for. */
static int show(struct annotate_cmd *c, struct err *e)
{
	char *demangled = NULL;
	const char *name = c->o.symbol ? asked_name(c, &demangled) : NULL;
	size_t nr_asked = 0;
	int ret;

	if (c->tui) {
		e->code = 0;
		browse(c, name, &nr_asked, e);
		ret = e->code;
		tui_close(c->tui);
		c->tui = NULL;
	} else {
		c->writer->begin(&c->out);
		ret = show_events(c, name, &nr_asked, e);
		if (!ret && name && !nr_asked)
			ret = show_passed(c, name, &nr_asked, e);
		c->writer->end(&c->out);
	}
	if (!ret && c->o.symbol && !nr_asked)
		ret = say_unknown(c, c->o.symbol, e);
	if (!ret && !annotate_nr_functions(c->a))
		ret = err_set(e, -ENOENT, "no sample of %s lies in a function whose name is known",
			      perfdata_path(c->pd));
	free(demangled);
	return ret;
}

static void say_warnings(struct annotate_cmd *c)
{
	if (c->o.quiet)
		return;
	if (c->nr_quiet_notes && !c->o.verbose)
		log_warn("%zu more of the kind; -v names them", c->nr_quiet_notes);
	for (const char *const *w = session_warnings(c->session, SESSION_WARN_ALL); *w; w++)
		log_warn("%s", *w);
}

/* Counts, then shows; what damaged the file is the error that comes last. */
static int run_counted(struct annotate_cmd *c, struct err *e)
{
	const struct err *damage;
	int ret = session_start(c->session, e);

	ret = ret ?: read_samples(c, e);
	/* Only a browser with something in it: all else is said as text. */
	if (c->tui && (ret || !annotate_nr_functions(c->a))) {
		tui_close(c->tui);
		c->tui = NULL;
	}
	cli_progress_end(&c->progress); /* before anything is printed */
	if (!ret && !session_counts(c->session)->samples && !c->o.json)
		log_error("The %s data has no samples!", perfdata_path(c->pd));
	else
		ret = ret ?: show(c, e);
	if (!ret || ret == -ENOENT) /* also what objects are missing, so that there is nothing */
		say_warnings(c);
	damage = ret ? NULL : session_damage(c->session);
	if (damage)
		*e = *damage;
	return damage ? damage->code : ret;
}

/* A browser on a terminal; @e only where --tui insists. */
static int open_browser(struct annotate_cmd *c, struct err *e)
{
	const struct annotate_cmd_opts *o = &c->o;
	struct err why = { 0 };
	int ret;

	if (!o->tui && (o->stdio || o->stdio2 || o->json || o->dump || !isatty(1)))
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
	if (!c->tui)
		cli_pager_start();
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
	int ret = annotate_cmd_check(o, &f->percent, e);

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
	c->writer = o->json	? &faces_listing_json
		    : o->stdio2 ? &faces_listing_stdio2
				: &faces_listing_stdio;
	c->listing = (struct listing_opts){
		.syntax = o->syntax && *o->syntax == 'i' ? INSN_INTEL : INSN_ATT,
		.no_source = !o->source && !o->print_line,
		.lines_only = !o->source && o->print_line,
		.prefix = o->prefix,
		.strip = o->prefix_strip ? (unsigned)strtoul(o->prefix_strip, NULL, 0) : 0,
	};
	return 0;
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
	so->log = LOG_STDERR;
	cli_progress_start(&c->progress, "Reading");
	ret = ret ?: session_open(&c->session, so, &e);
	if (!ret) {
		c->pd = session_env(c->session)->pd;
		ret = run_opened(c, &e);
	}
	cli_progress_end(&c->progress);
	if (ret)
		ret = cli_print_err(&e);
	else if (session_lacked_memory(c->session) || (c->nr_missing && !c->nr_shown))
		ret = 1;
	return c->usage || session_misused(c->session) ? CLI_USAGE : ret;
}

static int annotate_run(const struct command *cmd, int argc, char **argv)
{
	struct annotate_cmd *c = calloc(1, sizeof(*c));
	int n, ret;

	if (!c)
		return 1;
	c->o.source = true;
	c->o.group = true;
	n = cli_parse(cmd, &c->o, argc, argv, 0);
	if (n < 0) {
		ret = CLI_STATUS(n);
	} else if (n > (c->o.symbol ? 0 : 1)) {
		ret = cli_usage_error(cmd, "more than one function: %s", argv[n - 1]);
	} else {
		if (n)
			c->o.symbol = argv[0];
		log_set_level(c->o.quiet	 ? LOG_ERROR
			      : c->o.verbose > 1 ? LOG_DEBUG
			      : c->o.verbose	 ? LOG_INFO
						 : LOG_WARN);
		ret = open_and_run(c);
	}
	tui_close(c->tui);
	annotate_free(c->a);
	session_close(c->session);
	session_opts_free(&c->o.session);
	intern_free(&c->notes);
	free(c->told);
	free(c);
	return ret;
}

static const char *const annotate_usage[] = {
	"annotate [-i FILE] [options] [[-s] SYMBOL]",
	NULL,
};

const struct command cmd_annotate = {
	.name = "annotate",
	.summary = "Show the instructions of functions and where samples lie",
	.usage = annotate_usage,
	.options = annotate_cmd_options,
	.run = annotate_run,
};
