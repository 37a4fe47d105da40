// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Field srccode: the line of source at a sample, on a line of its own: "|42       text". A thread
 * that is still on the line it was on last gets none. Sources that are missing here are left out.
 */
#include <stdlib.h>

#include "emit/emit.h"
#include "script-int.h"

struct last_line {
	const char *path; /* the resolver's */
	uint32_t line;
};

struct sources_shown {
	VEC(struct last_line) last; /* by thread->idx */
};

void print_srccode_free(struct sources_shown *s)
{
	if (!s)
		return;
	vec_free(&s->last);
	free(s);
}

static bool same_as_last(struct sources_shown *all, const struct thread *th,
			 const struct srcline *l)
{
	struct last_line none = { 0 }, *last;
	uint32_t idx = th ? th->idx : 0;

	if (vec_reach(&all->last, idx, none))
		return false;
	last = &all->last.v[idx];
	if (last->path == l->file && last->line == l->line)
		return true;
	*last = (struct last_line){ l->file, l->line };
	return false;
}

/* Tabs are part of a source. */
static void put_line(struct obuf *o, const char *s, size_t n)
{
	const char *tab;

	while ((tab = memchr(s, '\t', n))) {
		emit_safe_n(o, s, (size_t)(tab - s));
		obuf_char(o, '\t');
		n -= (size_t)(tab - s) + 1;
		s = tab + 1;
	}
	emit_safe_n(o, s, n);
}

void print_srccode(struct script *sc, const struct ctx *c)
{
	const struct script_place *pl = put_find_place(sc, c->th, c->s->cpumode, c->s->ip);
	struct srcline line;
	const char *text;
	size_t n;

	if (!pl->dso || !symbol_srcline(sc->env.resolver, pl->dso, pl->addr, &line) || !line.line)
		return;
	if (!sc->sources)
		sc->sources = calloc(1, sizeof(*sc->sources));
	if (!sc->sources || same_as_last(sc->sources, c->th, &line))
		return;
	text = symbol_source_line(sc->env.resolver, line.file, line.line, &n);
	if (!text)
		return;
	obuf_printf(sc->o, "\n|%-8u ", line.line);
	put_line(sc->o, text, n);
}
