// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks: a tree whose nodes are (parent, name), counted where stacks end. Memory follows
 * distinct stacks, and a line's text is made once, at the end. ';' separates frames, so that in
 * names it is ':'.
 */
#include <stdio.h>
#include <stdlib.h>

#include "convert/convert-int.h"
#include "session/session.h"

#define ROOT UINT32_MAX

struct node {
	uint32_t parent, name;
	uint64_t weight;
};

struct frame_name {
	uint32_t loc, name;
	const struct symbol *sym;
};

struct fold {
	struct machine *m;
	struct resolver *res;
	struct intern names; /* as they stand in the output */
	VEC(struct node) nodes;
	struct htab tab;
	VEC(uint32_t) comm_name; /* comm -> name + 1; 0 = not made yet */
	struct htab frame_tab;	 /* (loc, symbol) -> index in frames */
	VEC(struct frame_name) frames;
};

static int fold_new(struct fold **out, struct machine *m, struct resolver *res, struct err *e)
{
	struct fold *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f)
		return err_set(e, -ENOMEM, "no memory for folded stacks");
	f->m = m;
	f->res = res;
	return 0;
}

static void fold_free(struct fold *f)
{
	if (!f)
		return;
	intern_free(&f->names);
	vec_free(&f->nodes);
	htab_free(&f->tab);
	vec_free(&f->comm_name);
	htab_free(&f->frame_tab);
	vec_free(&f->frames);
	free(f);
}

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

static uint32_t name_of_comm(struct fold *f, uint32_t comm)
{

	if (comm >= f->comm_name.n) {
		size_t want = (size_t)comm * 2 + 16;

		if (vec_reserve(&f->comm_name, want))
			return INTERN_NONE;
		memset(f->comm_name.v + f->comm_name.n, 0,
		       (want - f->comm_name.n) * sizeof(*f->comm_name.v));
		f->comm_name.n = want;
	}
	if (!f->comm_name.v[comm]) {
		const char *name = machine_comm(f->m, comm);

		f->comm_name.v[comm] = put_name(f, name, name + strlen(name), '_') + 1;
	}
	return f->comm_name.v[comm] - 1;
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

static uint32_t make_name(struct fold *f, const struct frame *fr)
{
	const struct loc *l = resolver_loc(f->res, fr->loc);
	const char *base, *slash;
	char text[256];

	if (fr->sym)
		return tidy(f, fr->sym->name);
	if (!l->dso)
		return intern(&f->names, "[unknown]");
	slash = strrchr(l->dso->name, '/');
	base = slash ? slash + 1 : l->dso->name;
	snprintf(text, sizeof(text), "[%s]", base);
	return tidy(f, text);
}

static uint32_t name_of_frame(struct fold *f, const struct frame *fr)
{
	uint64_t hash = hash_mix(fr->loc, (uintptr_t)fr->sym);
	uint32_t i, name;

	for (struct htab_it it = htab_find(&f->frame_tab, hash); htab_next(&f->frame_tab, &it, &i);)
		if (f->frames.v[i].loc == fr->loc && f->frames.v[i].sym == fr->sym)
			return f->frames.v[i].name;
	name = make_name(f, fr);
	if (name == INTERN_NONE ||
	    vec_push(&f->frames, ((struct frame_name){ fr->loc, name, fr->sym })) ||
	    htab_add(&f->frame_tab, hash, (uint32_t)f->frames.n - 1))
		return INTERN_NONE;
	return name;
}

/* ---- the tree ---- */

static int child(struct fold *f, uint32_t parent, uint32_t name, uint32_t *out)
{
	uint64_t hash = hash_mix(parent, name);
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
	return vec_push(&f->nodes, ((struct node){ parent, name, 0 }))
		       ?: htab_add(&f->tab, hash, *out);
}

/* A root that is a number: "123", "cpu 2". */
static int child_number(struct fold *f, const char *what, int64_t number, uint32_t *at)
{
	char text[48];

	snprintf(text, sizeof(text), "%s%lld", what, (long long)number);
	return child(f, *at, intern(&f->names, text), at);
}

/* What stands in front of frames: the command, or what --by names, in this order. */
static int roots(struct fold *f, const struct session_sample *in, unsigned by, uint32_t *at)
{
	const struct thread *th = in->thread;
	const char *event = in->s->event->name;
	int ret = 0;

	*at = ROOT;
	if (by & CONVERT_BY_EVENT)
		ret = child(f, *at, put_name(f, event, event + strlen(event), '_'), at);
	if (!ret && by & CONVERT_BY_COMM)
		ret = child(f, *at, name_of_comm(f, th->comm), at);
	if (!ret && by & CONVERT_BY_PID)
		ret = child_number(f, "pid ", th->pid, at);
	if (!ret && by & CONVERT_BY_TID)
		ret = child_number(f, "tid ", th->tid, at);
	if (!ret && by & CONVERT_BY_CPU && in->s->present & PERF_SAMPLE_CPU)
		ret = child_number(f, "cpu ", in->s->cpu, at);
	return ret;
}

static int fold_add(struct fold *f, const struct session_sample *in, unsigned by,
		    const struct frame *frames, size_t n)
{
	uint32_t at;
	int ret = roots(f, in, by, &at);

	for (size_t i = n; i-- > 0 && !ret;)
		ret = child(f, at, name_of_frame(f, &frames[i]), &at);
	if (!ret && at == ROOT)
		ret = child(f, ROOT, intern(&f->names, "[unknown]"), &at);
	if (!ret)
		f->nodes.v[at].weight += in->s->period;
	return ret;
}

/* ---- lines ---- */

struct line {
	char *stack;
	uint64_t weight;
};

static char *stack_text(const struct fold *f, uint32_t at, struct arena *a)
{
	size_t len = 0;
	char *text, *p;

	for (uint32_t i = at; i != ROOT; i = f->nodes.v[i].parent)
		len += strlen(intern_str(&f->names, f->nodes.v[i].name)) + 1;
	text = arena_alloc(a, len);
	if (!text)
		return NULL;
	p = text + len - 1;
	for (uint32_t i = at; i != ROOT; i = f->nodes.v[i].parent) {
		const char *name = intern_str(&f->names, f->nodes.v[i].name);

		for (size_t n = strlen(name); n > 0;)
			*--p = name[--n];
		if (p > text)
			*--p = ';';
	}
	return text;
}

static int by_stack(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->stack, ((const struct line *)b)->stack);
}

static ssize_t fold_write(const struct fold *f, struct obuf *o)
{
	struct line *v = malloc((f->nodes.n + 1) * sizeof(*v));
	struct arena text = { 0 };
	ssize_t n = 0;

	for (uint32_t i = 0; v && i < f->nodes.n; i++) {
		if (!f->nodes.v[i].weight)
			continue;
		v[n].weight = f->nodes.v[i].weight;
		v[n].stack = stack_text(f, i, &text);
		if (!v[n++].stack)
			goto out;
	}
	if (!v)
		return -ENOMEM;
	if (n)
		qsort(v, (size_t)n, sizeof(*v), by_stack);
	for (ssize_t i = 0; i < n; i++) {
		obuf_str(o, v[i].stack);
		obuf_char(o, ' ');
		obuf_dec(o, v[i].weight);
		obuf_char(o, '\n');
	}
	arena_free(&text);
	free(v);
	return n;
out:
	arena_free(&text);
	free(v);
	return -ENOMEM;
}

/* ---- the format ---- */

struct folding {
	struct fold *fold;
	const struct perfdata_event *event; /* only the first one seen */
	uint64_t other;
};

static int begin(struct convert_run *r, struct err *e)
{
	const struct session_env *env = session_env(r->session);
	struct folding *k = r->own = calloc(1, sizeof(*k));

	if (!k)
		return err_set(e, -ENOMEM, "no memory for folded stacks");
	return fold_new(&k->fold, env->machine, env->resolver, e);
}

static int one_sample(struct convert_run *r, const struct session_sample *in, struct err *e)
{
	unsigned by = r->opts->by ? r->opts->by : CONVERT_BY_COMM;
	struct folding *k = r->own;
	const struct frame *frames;
	struct frame alone;
	ssize_t n;

	if (!k->event)
		k->event = in->s->event;
	if (!(by & CONVERT_BY_EVENT) && strcmp(k->event->name, in->s->event->name)) {
		k->other++;
		return 0;
	}
	n = convert_stack_of(r, in, &alone, &frames);
	if (n < 0 || fold_add(k->fold, in, by, frames, (size_t)n))
		return err_set(e, -ENOMEM, "no memory for stacks");
	r->samples++;
	return 0;
}

static int finish(struct convert_run *r, struct err *e)
{
	struct folding *k = r->own;

	if (fold_write(k->fold, r->out) < 0)
		return err_set(e, -ENOMEM, "no memory for stacks");
	if (k->other)
		log_to(&r->opts->log, LOG_WARN,
		       "%llu samples of other events than %s were left out",
		       (unsigned long long)k->other, k->event->name);
	return 0;
}

static void end(struct convert_run *r)
{
	struct folding *k = r->own;

	if (k)
		fold_free(k->fold);
	free(k);
}

const struct convert_format convert_folded = {
	.name = "folded",
	.holds = "a line per stack with its periods, for flame graphs",
	.options = CONVERT_BY,
	.by = CONVERT_BY_EVENT | CONVERT_BY_COMM | CONVERT_BY_PID | CONVERT_BY_TID | CONVERT_BY_CPU,
	.begin = begin,
	.sample = one_sample,
	.finish = finish,
	.free = end,
};
