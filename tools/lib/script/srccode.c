// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Field srccode: the line of source at a sample, on a line of its own: "|42       text". A thread
 * that is still on the line it was on last gets none. Sources are read once; those that are
 * missing here, or are no regular files, are left out.
 *
 * The name of a source comes from the recorded program, whoever that belongs to: it may be that of
 * /etc/shadow. What root alone may read is not shown to root.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emit/emit.h"
#include "script-int.h"

#define SOURCES_MAX 64
#define SOURCE_SIZE (16u << 20)

struct source {
	const char *path; /* the resolver's */
	char *text;	  /* NULL = cannot be read */
	VEC(uint32_t) start;
	size_t size;
};

struct last_line {
	const char *path;
	uint32_t line;
};

struct sources {
	struct source v[SOURCES_MAX]; /* the oldest goes first */
	unsigned n;
	VEC(struct last_line) last; /* by thread->idx */
};

static void source_free(struct source *s)
{
	free(s->text);
	vec_free(&s->start);
	memset(s, 0, sizeof(*s));
}

void print_srccode_free(struct sources *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < SOURCES_MAX; i++)
		source_free(&s->v[i]);
	vec_free(&s->last);
	free(s);
}

static char *read_source(struct script *sc, const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *text = NULL;
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		st.st_size = SOURCE_SIZE + 1;
	else if (!geteuid() && !(st.st_mode & S_IROTH)) {
		resolver_warn(sc->env.resolver,
			      "%s: lines of it are not shown: not everybody may read it, and its "
			      "name is what the recorded program says; chmod o+r shows them",
			      path);
		st.st_size = SOURCE_SIZE + 1;
	}
	if (st.st_size <= SOURCE_SIZE)
		text = malloc((size_t)st.st_size + 1);
	while (text && n < (size_t)st.st_size &&
	       (got = read(fd, text + n, (size_t)st.st_size - n)) > 0)
		n += (size_t)got;
	close(fd);
	*size = n;
	return text;
}

static void source_load(struct script *sc, struct source *s, const char *path)
{
	source_free(s);
	s->path = path;
	s->text = read_source(sc, path, &s->size);
	for (size_t at = 0; s->text && at < s->size;) {
		const char *nl = memchr(s->text + at, '\n', s->size - at);

		if (vec_push(&s->start, (uint32_t)at))
			return;
		at = nl ? (size_t)(nl - s->text) + 1 : s->size;
	}
}

static const struct source *source_of(struct script *sc, const char *path)
{
	struct sources *all = sc->sources;
	struct source *s;

	for (unsigned i = 0; i < all->n && i < SOURCES_MAX; i++)
		if (all->v[i].path == path)
			return &all->v[i];
	s = &all->v[all->n++ % SOURCES_MAX];
	source_load(sc, s, path);
	return s;
}

static bool same_as_last(struct sources *all, const struct thread *th, const struct srcline *l)
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
	const struct source *s;
	struct srcline line;
	const char *text, *nl;
	size_t left;

	if (!pl->dso || !symbol_srcline(sc->env.resolver, pl->dso, pl->addr, &line) || !line.line)
		return;
	if (!sc->sources)
		sc->sources = calloc(1, sizeof(*sc->sources));
	if (!sc->sources || same_as_last(sc->sources, c->th, &line))
		return;
	s = source_of(sc, line.file);
	if (!s->text || line.line > s->start.n)
		return;
	text = s->text + s->start.v[line.line - 1];
	left = s->size - s->start.v[line.line - 1];
	nl = memchr(text, '\n', left);
	obuf_printf(sc->o, "\n|%-8u ", line.line);
	put_line(sc->o, text, nl ? (size_t)(nl - text) : left);
}
