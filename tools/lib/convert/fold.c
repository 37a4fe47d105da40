// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks. Samples are added up by their stacks (stacks-int.h); at the end frames become names, and
 * stacks that are the same by name one path in a tree of names. A line is such a path behind its roots: the
 * command, or what --by says. Its text is made once. ';' separates frames, so that in names it is ':'.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert/stacks-int.h"
#include "session/session.h"

#define ROOT UINT32_MAX

struct node {
	uint32_t parent, name;
	size_t len; /* of the path's text with a ';' behind each name */
};

struct fold_line {
	uint32_t roots, node; /* roots: of fold.names */
	uint64_t weight;
	const char *text;
};

struct fold {
	struct stacks *st;
	const struct perfdata_event *event; /* without --by event only the first one seen */
	uint64_t other;
	struct intern names; /* as they stand in the output */
	VEC(struct node) nodes;
	struct htab tab;
	uint32_t *node_of; /* node of the stacks -> node here */
	VEC(struct fold_line) lines;
	struct arena text;
};

/* ---- names ---- */

/*
 * @name cut at @end, with what would break a line apart or steer a terminal written out, ';' as
 * ':' and blanks as @blank.
 */
static uint32_t put_name(struct fold *f, const char *name, const char *end, char blank)
{
	size_t size = 4 * (size_t)(end - name) + 1, n;
	char *text = malloc(size);
	uint32_t id;

	if (!text)
		return INTERN_NONE;
	n = safe_copy(text, size, name, (size_t)(end - name), "");
	for (char *c = text; *c; c++)
		*c = *c == ';' ? ':' : *c == ' ' ? blank : *c;
	id = intern_n(&f->names, text, n);
	free(text);
	return id;
}

/* What would break the line apart or is noise in a graph: as stackcollapse-perf.pl tidies it. */
static uint32_t tidy(struct fold *f, const char *name)
{
	size_t len = strlen(name), n = 0;
	char *text = malloc(len + 1);
	const char *args = NULL;
	uint32_t id;

	if (!text)
		return INTERN_NONE;
	/* Arguments go, but not of Go's "pkg.(*T).method" and not "(anonymous namespace)". */
	if (!strstr(name, ".("))
		for (args = strchr(name, '('); args; args = strchr(args + 1, '('))
			if (strncmp(args, "(anonymous namespace)", 21))
				break;
	for (const char *c = name; *c && c != args; c++)
		if (*c != '"' && *c != '\'')
			text[n++] = *c;
	id = put_name(f, text, text + n, ' ');
	free(text);
	return id;
}

static uint32_t name_of_frame(struct fold *f, const struct stacks_frame *fr)
{
	char text[256];
	const struct dso *dso = stacks_dso(f->st, fr);
	const char *slash = dso ? strrchr(dso->name, '/') : NULL;

	if (fr->sym)
		return tidy(f, fr->sym->name);
	if (!dso)
		return intern(&f->names, "[unknown]");
	snprintf(text, sizeof(text), "[%s]", slash ? slash + 1 : dso->name);
	return tidy(f, text);
}

/* What stands in front of frames: the command, or what --by names, in this order; each with a ';' behind. */
static uint32_t roots_of(struct fold *f, const struct stacks_count *c, unsigned by)
{
	const struct stacks_group *g = &f->st->groups.v[c->group];
	const struct perfdata_event *event = perfdata_event(f->st->env->pd, c->event);
	const char *comm = g->comm == STACKS_NONE ? "" : machine_comm(f->st->env->machine, g->comm);
	uint32_t name[2] = { 0, 0 }, id;
	struct obuf o = { .fd = -1 };

	if (by & CONVERT_BY_EVENT && event)
		name[0] = put_name(f, event->name, event->name + strlen(event->name), '_');
	if (by & CONVERT_BY_COMM)
		name[1] = put_name(f, comm, comm + strlen(comm), '_');
	if (name[0] == INTERN_NONE || name[1] == INTERN_NONE)
		return INTERN_NONE;
	if (by & CONVERT_BY_EVENT)
		obuf_printf(&o, "%s;", intern_str(&f->names, name[0]));
	if (by & CONVERT_BY_COMM)
		obuf_printf(&o, "%s;", intern_str(&f->names, name[1]));
	if (by & CONVERT_BY_PID)
		obuf_printf(&o, "pid %d;", g->pid);
	if (by & CONVERT_BY_TID)
		obuf_printf(&o, "tid %d;", g->tid);
	if (g->cpu != STACKS_NONE)
		obuf_printf(&o, "cpu %u;", g->cpu);
	id = o.code ? INTERN_NONE : intern_n(&f->names, o.buf ? o.buf : "", o.len);
	free(o.buf);
	return id;
}

/* ---- the tree ---- */

static int child(struct fold *f, uint32_t parent, uint32_t name, uint32_t *out)
{
	uint64_t hash = hash_mix(parent, name);
	struct node add = { parent, name, 0 };
	uint32_t i;

	if (name == INTERN_NONE)
		return -ENOMEM;
	for (struct htab_it it = htab_find(&f->tab, hash); htab_next(&f->tab, &it, &i);) {
		if (f->nodes.v[i].parent != parent || f->nodes.v[i].name != name)
			continue;
		*out = i;
		return 0;
	}
	*out = (uint32_t)f->nodes.n;
	add.len = strlen(intern_str(&f->names, name)) + 1 +
		  (parent == ROOT ? 0 : f->nodes.v[parent].len);
	return vec_push(&f->nodes, add) ?: htab_add(&f->tab, hash, *out);
}

static int find_paths(struct fold *f)
{
	const struct stacks *st = f->st;
	uint32_t *name = malloc((st->frames.n + 1) * sizeof(*name));
	int ret = 0;

	f->node_of = malloc((st->nodes.n + 1) * sizeof(*f->node_of));
	if (!name || !f->node_of)
		ret = -ENOMEM;
	for (size_t i = 0; i < st->frames.n && !ret; i++)
		name[i] = name_of_frame(f, &st->frames.v[i]);
	/* Nodes stand behind their parents. */
	for (size_t i = 0; i < st->nodes.n && !ret; i++) {
		const struct stacks_node *n = &st->nodes.v[i];

		ret = child(f, n->parent == STACKS_NONE ? ROOT : f->node_of[n->parent],
			    name[n->frame], &f->node_of[i]);
	}
	free(name);
	return ret;
}

/* ---- lines ---- */

static int by_path(const void *a, const void *b)
{
	const struct fold_line *x = a, *y = b;

	if (x->roots != y->roots)
		return x->roots < y->roots ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct fold_line *)a)->text, ((const struct fold_line *)b)->text);
}

/* Whether the count is of another event than the one that is shown. */
static bool is_other(const struct fold *f, const struct stacks_count *c, unsigned by)
{
	const struct perfdata_event *event = perfdata_event(f->st->env->pd, c->event);

	return !(by & CONVERT_BY_EVENT) && event && strcmp(f->event->name, event->name) != 0;
}

static int add_lines(struct fold *f, unsigned by)
{
	size_t n = 0;

	vec_for_each (c, &f->st->counts) {
		struct fold_line l = { .weight = c->v[1] };
		int ret = 0;

		if (is_other(f, c, by)) {
			f->other += c->v[0];
			continue;
		}
		if (c->node != STACKS_NONE)
			l.node = f->node_of[c->node];
		else
			ret = child(f, ROOT, intern(&f->names, "[unknown]"), &l.node);
		l.roots = roots_of(f, c, by);
		if (ret || l.roots == INTERN_NONE || vec_push(&f->lines, l))
			return -ENOMEM;
	}
	if (f->lines.n)
		qsort(f->lines.v, f->lines.n, sizeof(*f->lines.v), by_path);
	for (size_t i = 0; i < f->lines.n; i++)
		if (n && !by_path(&f->lines.v[n - 1], &f->lines.v[i]))
			f->lines.v[n - 1].weight += f->lines.v[i].weight;
		else if (f->lines.v[i].weight)
			f->lines.v[n++] = f->lines.v[i];
	f->lines.n = n;
	return 0;
}

static const char *text_of(struct fold *f, const struct fold_line *l)
{
	const char *roots = intern_str(&f->names, l->roots);
	size_t n = strlen(roots), len = n + f->nodes.v[l->node].len;
	char *text = arena_alloc(&f->text, len + 1), *p;

	if (!text)
		return NULL;
	memcpy(text, roots, n);
	p = text + len;
	for (uint32_t i = l->node; i != ROOT; i = f->nodes.v[i].parent) {
		const char *name = intern_str(&f->names, f->nodes.v[i].name);

		n = strlen(name);
		*--p = ';';
		p -= n;
		memcpy(p, name, n);
	}
	/* In place of the last ";". */
	text[len ? len - 1 : 0] = '\0';
	return text;
}

static int put_lines(struct fold *f, struct obuf *o)
{
	vec_for_each (l, &f->lines)
		if (!(l->text = text_of(f, l)))
			return -ENOMEM;
	if (f->lines.n)
		qsort(f->lines.v, f->lines.n, sizeof(*f->lines.v), by_text);
	vec_for_each (l, &f->lines) {
		obuf_str(o, l->text);
		obuf_char(o, ' ');
		obuf_dec(o, l->weight);
		obuf_char(o, '\n');
	}
	return 0;
}

/* ---- the format ---- */

static unsigned asked(const struct convert_run *r)
{
	return r->opts->by ? r->opts->by : CONVERT_BY_COMM;
}

static int begin(struct convert_run *r, struct err *e)
{
	struct fold *f = r->own = calloc(1, sizeof(*f));

	if (!f || intern(&f->names, "") == INTERN_NONE)
		return err_set(e, -ENOMEM, "no memory for folded stacks");
	return stacks_new(&f->st, r, asked(r), e);
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	struct fold *f = r->own;

	if (!f->event)
		f->event = in->s->event;
	/* Which event is the first one only the first piece knows: see add_lines(). */
	if (!r->opts->pieces && !(asked(r) & CONVERT_BY_EVENT) &&
	    strcmp(f->event->name, in->s->event->name)) {
		f->other++;
		return 0;
	}
	r->samples++;
	return stacks_add(f->st, r, in, e);
}

static int merge(struct convert_run *r, struct convert_run *from, const struct session_maps *maps,
		 struct err *e)
{
	struct fold *f = r->own, *g = from->own;

	if (!f->event && g->event)
		f->event = perfdata_event(f->st->env->pd, g->event->joined);
	return stacks_merge(f->st, g->st, maps, NULL, e);
}

static int finish(struct convert_run *r, struct err *e)
{
	struct fold *f = r->own;

	if (stacks_end(f->st) || find_paths(f) || add_lines(f, asked(r)) || put_lines(f, r->out))
		return err_set(e, -ENOMEM, "no memory for stacks");
	if (f->other)
		log_to(&r->opts->log, LOG_WARN,
		       "%llu samples of other events than %s were left out",
		       (unsigned long long)f->other, f->event->name);
	return 0;
}

static void end(struct convert_run *r)
{
	struct fold *f = r->own;

	if (!f)
		return;
	intern_free(&f->names);
	vec_free(&f->nodes);
	htab_free(&f->tab);
	vec_free(&f->lines);
	arena_free(&f->text);
	free(f->node_of);
	stacks_free(f->st);
	free(f);
}

const struct convert_format convert_folded = {
	.name = "folded",
	.holds = "a line per stack with its periods, for flame graphs",
	.options = CONVERT_BY,
	.by = CONVERT_BY_EVENT | CONVERT_BY_COMM | CONVERT_BY_PID | CONVERT_BY_TID | CONVERT_BY_CPU,
	.begin = begin,
	.sample = one_sample,
	.merge = merge,
	.finish = finish,
	.free = end,
};
