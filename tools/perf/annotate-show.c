// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf annotate: which functions are shown, one listing after the other, and what is said of those that
 * cannot be. Messages go to stderr and each is said once, because a recording has hundreds of functions
 * that lack the same thing.
 */
#include <stdlib.h>

#include "annotate.h"
#include "base/nearest.h"
#include "browser.h"

#define NOTES_SHOWN 3

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

static bool is_asked(const struct annotate_cmd *c, const struct symbol *sym, const char *name)
{
	const char *asked = c->o.symbol;

	return !asked || !name || !strcmp(sym->name, name) || !strcmp(sym->name, asked);
}

/* ---- what cannot be shown ----------------------------------------------------------------------- */

static bool is_told(struct annotate_cmd *c, const struct dso *dso)
{
	bool was;

	if (dso->idx >= c->said.nr_dsos) {
		uint32_t nr = dso->idx + 64;
		bool *told = realloc(c->said.dso, nr * sizeof(*told));

		if (!told)
			return false;
		memset(told + c->said.nr_dsos, 0, (nr - c->said.nr_dsos) * sizeof(*told));
		c->said.dso = told;
		c->said.nr_dsos = nr;
	}
	was = c->said.dso[dso->idx];
	c->said.dso[dso->idx] = true;
	return was;
}

/* Of each object once; of functions that were asked for by name, always. */
static void say_missing(struct annotate_cmd *c, const struct dso *dso, const struct err *why)
{
	size_t nr = c->said.texts.str.n;

	c->nr_missing++;
	if (c->o.skip_missing || (is_told(c, dso) && !c->o.symbol))
		return;
	intern(&c->said.texts, why->text); /* what is missing may be the same for all objects */
	if (c->said.texts.str.n != nr)
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
		size_t nr = c->said.texts.str.n;

		intern(&c->said.texts, *note);
		if (c->said.texts.str.n == nr)
			continue;
		if (c->said.nr_notes++ < NOTES_SHOWN) {
			log_warn("%s", *note);
		} else {
			log_info("%s", *note);
			c->said.nr_quiet_notes++;
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

		if (!is_asked(c, f->sym, name) || !annotate_is_hot(c->a, f, first, nr, 0))
			continue;
		++*nr_asked;
		if (annotate_is_hot(c->a, f, first, nr, c->o.min_percent))
			ret = show_function(c, f->dso, f->sym, e);
	}
	return ret;
}

/* How many events from @event on are shown side by side. */
static uint32_t members_from(const struct annotate_cmd *c, uint32_t event)
{
	const struct perfdata_event *ev =
		event < perfdata_nr_events(c->pd) ? perfdata_event(c->pd, event) : NULL;

	if (c->o.group && ev && ev->leader == ev->idx && ev->nr_members &&
	    ev->nr_members <= annotate_nr_events(c->a) - event)
		return ev->nr_members;
	return 1;
}

static int show_events(struct annotate_cmd *c, const char *name, size_t *nr_asked, struct err *e)
{
	uint32_t nr = annotate_nr_events(c->a), members;
	int ret = 0;

	for (uint32_t i = 0; i < nr && !ret; i += members) {
		members = members_from(c, i);
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

/* The hottest of the functions that were asked for, by what @opts shows; the browser goes on from there. */
static const struct annotate_function *hottest(const struct annotate_cmd *c, const char *name,
					       const struct tui_annotate_opts *opts,
					       size_t *nr_asked)
{
	const struct listing_opts *l = &opts->listing;

	for (size_t i = 0; i < annotate_nr_functions(c->a); i++) {
		const struct annotate_function *f = annotate_function(c->a, i);

		if (!is_asked(c, f->sym, name) ||
		    !annotate_is_hot(c->a, f, l->event, l->nr_events, 0))
			continue;
		++*nr_asked;
		if (annotate_is_hot(c->a, f, l->event, l->nr_events, opts->min_percent))
			return f;
	}
	return NULL;
}

/* Event after event, or group after group, as text has them; the keys that end it end it all. */
static void browse(struct annotate_cmd *c, const char *name, size_t *nr_asked, struct err *e)
{
	const struct faces_listing_opts *f = &c->out.o;
	struct tui_annotate_opts opts = {
		.listing = c->listing,
		.percent = f->percent,
		.samples = f->number == FACES_SAMPLES,
		.periods = f->number == FACES_PERIODS,
		.simd = f->simd,
		.partial = c->stopped,
		.bytes = f->asm_raw,
		.min_percent = c->o.min_percent,
	};
	uint32_t nr = annotate_nr_events(c->a);
	struct listing_opts *l = &opts.listing;
	const struct loc *at;
	size_t next = 0;

	for (l->event = 0; l->event < nr; l->event += l->nr_events) {
		const struct annotate_function *fn;

		l->nr_events = members_from(c, l->event);
		if (annotate_sort(c->a, l->event, l->nr_events, e))
			return;
		fn = hottest(c, name, &opts, nr_asked);
		if (fn && tui_annotate(c->tui, c->a, &opts, fn->dso, fn->sym))
			return;
	}
	l->event = 0;
	l->nr_events = 1;
	while (name && !*nr_asked && (at = annotate_next_passed(c->a, &next))) {
		if (!is_asked(c, at->sym, name))
			continue;
		++*nr_asked;
		tui_annotate(c->tui, c->a, &opts, at->dso, at->sym);
	}
}

static int say_nameless(const struct annotate_cmd *c, struct err *e)
{
	const struct dso *dso = annotate_most_unnamed(c->a);

	err_set(e, -ENOENT, "no sample of %s lies in a function whose name is known",
		perfdata_path(c->pd));
	/* Of files the warnings tell what is the matter. */
	if (dso && dso->kind == DSO_ANON)
		err_hint(
			e,
			"Most lie in code that process %d made at run time. Its names are read from %s, "
			"or with the code from a jitdump file; record with -k mono for that.",
			dso->pid, dso->name);
	return e->code;
}

/* Columns that stay empty, or know less than they could. */
static void say_unknowns(const struct annotate_cmd *c)
{
	const struct brstat *stat = annotate_stat(c->a);
	uint64_t vectors, values;

	if (stat && !brstat_sum(stat)->stacks)
		log_warn("no sample has a branch stack: perf record -b stores them");
	faces_branch_notes(stat, c->stat_what, LOG_STDERR);

	annotate_registers_seen(c->a, &vectors, &values);
	if (c->o.reg && !values)
		log_warn(
			"no sample has the register %s: perf record -I, or --user-regs=%s, stores it",
			c->o.reg, c->o.reg);
	if ((c->o.simd && !vectors) || ((c->o.numbers || c->o.idle || c->o.dirty) &&
					!sample_has_vectors(c->pd, session_arch(c->session))))
		log_warn(
			"no sample has vector registers: perf record --user-regs=zmm (or ymm, xmm) "
			"stores them");
	if (c->o.shadow && !code_has_shadow_stack(c->pd))
		log_warn("no sample has a shadow stack pointer: perf record --user-regs=ssp -g "
			 "stores it where the CPU has shadow stacks");
}

/* The answer, in the form that was asked for. */
int annotate_cmd_show(struct annotate_cmd *c, struct err *e)
{
	char *demangled = NULL;
	const char *name = c->o.symbol ? asked_name(c, &demangled) : NULL;
	size_t nr_asked = 0;
	bool browsed = c->tui;
	int ret;

	if (c->tui) {
		e->code = 0;
		browse(c, name, &nr_asked, e);
		ret = e->code;
		browser_end(&c->tui);
	} else {
		if (!c->o.quiet)
			say_unknowns(c);
		c->writer->begin(&c->out);
		ret = show_events(c, name, &nr_asked, e);
		if (!ret && name && !nr_asked)
			ret = show_passed(c, name, &nr_asked, e);
		c->writer->end(&c->out);
	}
	if (browsed && !c->o.quiet)
		say_unknowns(c);
	if (!ret && c->o.symbol && !nr_asked)
		ret = say_unknown(c, c->o.symbol, e);
	if (!ret && !annotate_nr_functions(c->a))
		ret = say_nameless(c, e);
	free(demangled);
	return ret;
}
