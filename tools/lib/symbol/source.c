// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of source files. Files are read whole and once, with where their lines begin; those that
 * are missing here, or are no regular files, are left out.
 *
 * The name of a source comes from the recorded program, whoever that belongs to: it may be that of
 * /etc/shadow. What root alone may read is not shown to root.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lack.h"
#include "symbol/symbol-int.h"

#define SOURCES_MAX 64
#define SOURCE_SIZE (16u << 20)

struct source {
	char *path;
	char *text; /* NULL = cannot be read */
	VEC(uint32_t) start;
	size_t size;
};

struct sources {
	struct source v[SOURCES_MAX]; /* the oldest goes first */
	unsigned n;
	unsigned last; /* that was asked for */
};

static void source_free(struct source *s)
{
	free(s->path);
	free(s->text);
	vec_free(&s->start);
	memset(s, 0, sizeof(*s));
}

void sources_free(struct sources *all)
{
	if (!all)
		return;
	for (unsigned i = 0; i < SOURCES_MAX; i++)
		source_free(&all->v[i]);
	free(all);
}

static char *read_source(struct resolver *res, const char *path, size_t *size)
{
	struct stat st = { 0 };
	char *text = NULL;
	uint64_t all;
	int fd = file_open_regular(path, &all);
	ssize_t got;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st))
		lack_note(errno, "cannot read", path);
	if (!st.st_mode || all > SOURCE_SIZE)
		all = SOURCE_SIZE + 1;
	else if (!geteuid() && !(st.st_mode & S_IROTH)) {
		resolver_warn(res,
			      "%s: lines of it are not shown: not everybody may read it, and its "
			      "name is what the recorded program says; chmod o+r shows them",
			      path);
		all = SOURCE_SIZE + 1;
	}
	if (all <= SOURCE_SIZE)
		text = malloc((size_t)all + 1);
	got = text ? file_read_at(fd, text, (size_t)all, 0) : 0;
	if (got < 0)
		lack_note((int)got, "cannot read", path);
	close(fd);
	*size = got > 0 ? (size_t)got : 0;
	return text;
}

static void source_load(struct resolver *res, struct source *s, const char *path)
{
	source_free(s);
	s->path = strdup(path);
	s->text = s->path ? read_source(res, path, &s->size) : NULL;
	for (size_t at = 0; s->text && at < s->size;) {
		const char *nl = memchr(s->text + at, '\n', s->size - at);

		if (vec_push(&s->start, (uint32_t)at))
			return;
		at = nl ? (size_t)(nl - s->text) + 1 : s->size;
	}
}

static const struct source *source_of(struct resolver *res, const char *path)
{
	struct sources *all = res->sources;

	if (!all && !(all = res->sources = calloc(1, sizeof(*all))))
		return NULL;
	if (all->v[all->last].path && !strcmp(all->v[all->last].path, path))
		return &all->v[all->last];
	for (unsigned i = 0; i < all->n && i < SOURCES_MAX; i++) {
		if (all->v[i].path && !strcmp(all->v[i].path, path)) {
			all->last = i;
			return &all->v[i];
		}
	}
	all->last = all->n++ % SOURCES_MAX;
	source_load(res, &all->v[all->last], path);
	return &all->v[all->last];
}

const char *symbol_source_line(struct resolver *res, const char *path, uint32_t line, size_t *n)
{
	const struct source *s = source_of(res, path);
	const char *text, *nl;
	size_t left;

	if (!s || !s->text || !line || line > s->start.n)
		return NULL;
	text = s->text + s->start.v[line - 1];
	left = s->size - s->start.v[line - 1];
	nl = memchr(text, '\n', left);
	*n = nl ? (size_t)(nl - text) : left;
	return text;
}
