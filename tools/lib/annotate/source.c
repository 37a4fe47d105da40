// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines. Debug information says for an address which line it is of; lines of source stand
 * before the instructions that they became, each time that the line changes. Where it moves on in
 * the same file the lines between come too, up to a few: they hold the braces and comments without
 * which code is hard to read. Lines that were shown already are not between.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "annotate-int.h"
#include "config.h"

#define BETWEEN_MAX 6 /* lines that come with one */

int annotate_sources(struct listing_build *b)
{
	struct srcline at;

	if (b->o.no_source)
		return 0;
	/* jitdump has lines of its own. */
	if (!HAVE_LIBDW && b->l.dso->kind != DSO_JIT &&
	    annotate_note(b, "no source lines: this perf was built without libdw (libdw-dev)"))
		return -ENOMEM;
	vec_for_each (line, &b->insns) {
		if (!symbol_srcline(b->res, b->l.dso, line->addr, &at) || !at.line)
			continue;
		line->file = at.file;
		line->srcline = at.line;
	}
	return 0;
}

/* ---- where files are ------------------------------------------------------------------------- */

/* As opts.prefix and opts.strip move it; @file itself where they say nothing. */
static const char *moved(const struct listing_build *b, const char *file, char *buf, size_t size)
{
	const char *rest = file;

	if (!b->o.prefix || file[0] != '/')
		return file;
	for (unsigned i = 0; i < b->o.strip; i++) {
		const char *next = strchr(rest + 1, '/');

		if (!next)
			break;
		rest = next;
	}
	return snprintf(buf, size, "%s%s", b->o.prefix, rest) < (int)size ? buf : file;
}

/* A source file that the function has lines of. */
struct source_file {
	const char *file; /* the resolver's: one pointer for equal names */
	const char *path; /* where it is looked for */
	uint32_t shown;	  /* the last line of it that was shown; 0 = none */
	bool missing;
};

struct source_files {
	VEC(struct source_file) v;
	struct htab by_file;
	struct timespec built; /* when the object was */
};

/* A note for each that is newer than the object. */
static int check_file(struct listing_build *b, const struct source_files *all,
		      struct source_file *f)
{
	struct stat st;
	size_t n;

	f->missing = !symbol_source_line(b->res, f->path, 1, &n);
	if (f->missing) {
		b->first_missing = b->nr_missing++ ? b->first_missing : f->path;
		return 0;
	}
	if (all->built.tv_sec && !stat(f->path, &st) && st.st_mtim.tv_sec > all->built.tv_sec)
		return annotate_note(b,
				     "source %s is newer than %s: lines may be others than "
				     "those that it was made of",
				     f->path, b->l.path);
	return 0;
}

/* NULL when memory is out. */
static struct source_file *file_of(struct listing_build *b, struct source_files *all,
				   const char *file)
{
	uint64_t hash = hash_u64((uintptr_t)file);
	struct source_file new = { .file = file };
	char buf[PATH_MAX];
	uint32_t i;

	for (struct htab_it it = htab_find(&all->by_file, hash); htab_next(&all->by_file, &it, &i);)
		if (all->v.v[i].file == file)
			return &all->v.v[i];
	new.path = arena_strdup(&b->arena, moved(b, file, buf, sizeof(buf)));
	if (!new.path || check_file(b, all, &new) || vec_push(&all->v, new) ||
	    htab_add(&all->by_file, hash, (uint32_t)all->v.n - 1))
		return NULL;
	return &all->v.v[all->v.n - 1];
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int add_label(struct listing_build *b, uint64_t addr, const char *name)
{
	struct listing_line line = { .kind = LISTING_LABEL,
				     .insn = LISTING_NONE,
				     .target = LISTING_NONE,
				     .addr = addr,
				     .name = name,
				     .text = name };

	return vec_push(&b->lines, line);
}

static int add_source(struct listing_build *b, const struct listing_line *insn,
		      const struct source_file *f, uint32_t no)
{
	struct listing_line line = { .kind = LISTING_SOURCE,
				     .insn = LISTING_NONE,
				     .target = LISTING_NONE,
				     .addr = insn->addr,
				     .file = insn->file,
				     .srcline = no };
	size_t n;
	const char *text = symbol_source_line(b->res, f->path, no, &n);

	if (!text)
		return 0;
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r'))
		n--;
	b->l.has_source = true;
	line.text = arena_strndup(&b->arena, text, n);
	return line.text ? vec_push(&b->lines, line) : -ENOMEM;
}

/* What stands before an instruction of another line than the one before it. */
static int add_sources(struct listing_build *b, struct source_files *all,
		       const struct listing_line *insn)
{
	struct source_file *f = file_of(b, all, insn->file);
	uint32_t from = insn->srcline;
	int ret = 0;

	if (!f)
		return -ENOMEM;
	if (f->missing)
		return 0;
	if (f->shown && from > f->shown && from - f->shown <= BETWEEN_MAX)
		from = f->shown + 1;
	/* Counted, as a jitdump file may say that code is of the last number that there is. */
	for (uint32_t left = insn->srcline - from + 1; !ret && left; left--)
		ret = add_source(b, insn, f, from++);
	if (f->shown < insn->srcline)
		f->shown = insn->srcline;
	return ret;
}

static bool same_line(const struct listing_line *a, const struct listing_line *b)
{
	return a->file == b->file && a->srcline == b->srcline;
}

/* The file's own time; in a cache or a package it may be older than a source that is right. */
static void time_of_object(const struct listing_build *b, struct source_files *all)
{
	struct stat st;

	if (b->l.path && !stat(b->l.path, &st))
		all->built = st.st_mtim;
}

static int note_missing(struct listing_build *b)
{
	if (!b->nr_missing)
		return 0;
	if (b->nr_missing == 1)
		return annotate_note(b, "source %s cannot be read here", b->first_missing);
	return annotate_note(b, "source %s and %u more cannot be read here", b->first_missing,
			     b->nr_missing - 1);
}

int annotate_lines(struct listing_build *b)
{
	const struct listing_line *before = NULL;
	struct source_files all = { .built = { 0 } };
	int ret = add_label(b, b->l.start, b->l.sym->name);

	time_of_object(b, &all);
	for (size_t i = 0; !ret && i < b->insns.n; i++) {
		const struct listing_line *insn = &b->insns.v[i];

		/* Code of no line belongs to the line before, as far as one can tell. */
		if (insn->srcline && !b->o.lines_only && (!before || !same_line(before, insn)))
			ret = add_sources(b, &all, insn);
		if (insn->srcline)
			before = insn;
		if (!ret &&
		    (vec_push(&b->insn_line, (uint32_t)b->lines.n) || vec_push(&b->lines, *insn)))
			ret = -ENOMEM;
	}
	vec_free(&all.v);
	htab_free(&all.by_file);
	return ret ?: note_missing(b);
}
