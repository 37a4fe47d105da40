// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What was added up, as columns of JSON. A column is an array of numbers, mostly of differences, which
 * gzip makes small and browsers read fast; strings stand once and are named by number. The tree of
 * calls is in order of depth first: for each node how many levels it stands above a child of the node
 * before, and its frame. tools/web/model.js reads it.
 *
 * No string leaves without page_put_string(): so neither `<` nor what is no text is in the data.
 */
#include "page-int.h"

/* ---- JSON ---------------------------------------------------------------------------------------- */

static void put_escaped(struct obuf *o, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		switch (s[i]) {
		case '"': obuf_lit(o, "\\\""); break;
		case '\\': obuf_lit(o, "\\\\"); break;
		case '\n': obuf_lit(o, "\\n"); break;
		case '\t': obuf_lit(o, "\\t"); break;
		case '<': obuf_lit(o, "\\u003c"); break;
		case '>': obuf_lit(o, "\\u003e"); break;
		case '&': obuf_lit(o, "\\u0026"); break;
		default: obuf_char(o, s[i]);
		}
}

void page_put_string(struct obuf *o, const char *s)
{
	size_t left = strlen(s);

	obuf_char(o, '"');
	while (left) {
		size_t n = safe_run(s, left);
		unsigned char c;

		put_escaped(o, s, n);
		s += n;
		left -= n;
		if (!left)
			break;
		c = (unsigned char)*s++;
		left--;
		if (c == '\n' || c == '\t')
			put_escaped(o, (const char *)&c, 1);
		else
			obuf_printf(o, "\\\\x%02x", c);
	}
	obuf_char(o, '"');
}

static void comma(struct json *j)
{
	if (j->used)
		obuf_char(j->o, ',');
	j->used = true;
}

void page_key(struct json *j, const char *name)
{
	comma(j);
	if (!name)
		return;
	obuf_char(j->o, '"');
	obuf_str(j->o, name);
	obuf_lit(j->o, "\":");
}

void page_open(struct json *j, const char *name, char bracket)
{
	page_key(j, name);
	obuf_char(j->o, bracket);
	j->used = false;
}

void page_close(struct json *j, char bracket)
{
	obuf_char(j->o, bracket);
	j->used = true;
	page_pack_more(j->pack);
}

void page_num(struct json *j, const char *name, uint64_t v)
{
	page_key(j, name);
	obuf_dec(j->o, v);
}

void page_str(struct json *j, const char *name, const char *s)
{
	if (!s)
		return;
	page_key(j, name);
	page_put_string(j->o, s);
	page_pack_more(j->pack);
}

void page_int(struct json *j, int64_t v)
{
	comma(j);
	obuf_sdec(j->o, v);
	if (j->o->len > 128 << 10)
		page_pack_more(j->pack);
}

/* Numbers that may be NONE: -1. */
static int64_t or_none(uint32_t v)
{
	return v == NONE ? -1 : (int64_t)v;
}

/* Writes a column: EXPR of each element @it of @vec. */
#define COLUMN(j, name, vec, it, expr)                \
	do {                                          \
		page_open(j, name, '[');              \
		vec_for_each (it, vec)                \
			page_int(j, (int64_t)(expr)); \
		page_close(j, ']');                   \
	} while (0)

/* ---- the tree ------------------------------------------------------------------------------------ */

struct order {
	uint32_t *child,
		*next;	/* the first child, the next sibling, by node; child[n]: the outermost */
	uint32_t *at;	/* node -> place in the order */
	uint32_t *node; /* and back */
	int32_t *up;
};

static void order_free(struct order *o)
{
	free(o->child);
	free(o->next);
	free(o->at);
	free(o->node);
	free(o->up);
}

/* Depth first, siblings as they came. */
static int order_nodes(const struct page *p, struct order *o)
{
	size_t n = p->nodes.n, done = 0;
	int32_t depth = 0, before = -1;
	uint32_t i;

	o->child = malloc((n + 1) * sizeof(*o->child));
	o->next = malloc((n + 1) * sizeof(*o->next));
	o->at = malloc((n + 1) * sizeof(*o->at));
	o->node = malloc((n + 1) * sizeof(*o->node));
	o->up = calloc(n + 1, sizeof(*o->up));
	if (!o->child || !o->next || !o->at || !o->node || !o->up)
		return -ENOMEM;
	memset(o->child, 0xff, (n + 1) * sizeof(*o->child));
	for (size_t k = n; k-- > 0;) {
		uint32_t parent = p->nodes.v[k].parent;
		uint32_t *first = &o->child[parent == NONE ? n : parent];

		o->next[k] = *first;
		*first = (uint32_t)k;
	}
	for (i = o->child[n]; i != NONE;) {
		o->at[i] = (uint32_t)done;
		o->node[done] = i;
		o->up[done++] = before + 1 - depth;
		before = depth;
		if (o->child[i] != NONE) {
			i = o->child[i];
			depth++;
			continue;
		}
		while (i != NONE && o->next[i] == NONE) {
			i = p->nodes.v[i].parent;
			depth--;
		}
		i = i == NONE ? NONE : o->next[i];
	}
	return 0;
}

static void put_nodes(const struct page *p, const struct order *o, struct json *j)
{
	page_open(j, "nodes", '{');
	page_open(j, "up", '[');
	for (size_t i = 0; i < p->nodes.n; i++)
		page_int(j, o->up[i]);
	page_close(j, ']');
	page_open(j, "frame", '[');
	for (size_t i = 0; i < p->nodes.n; i++)
		page_int(j, p->nodes.v[o->node[i]].frame);
	page_close(j, ']');
	page_close(j, '}');
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->slice < y->slice ? -1 : x->slice > y->slice;
}

static void put_rows(struct page *p, const struct order *o, struct json *j)
{
	uint32_t before = 0, slice = 0;

	vec_for_each (r, &p->rows)
		r->node = o->at[r->node];
	if (p->rows.n)
		qsort(p->rows.v, p->rows.n, sizeof(*p->rows.v), by_place);
	htab_free(&p->row_tab);
	page_open(j, "rows", '{');
	page_open(j, "node", '[');
	vec_for_each (r, &p->rows) {
		page_int(j, (int64_t)r->node - before);
		before = r->node;
	}
	page_close(j, ']');
	COLUMN(j, "group", &p->rows, r, r->group);
	page_open(j, "slice", '[');
	vec_for_each (r, &p->rows) {
		/* One more than the slice: 0 is no time. */
		uint32_t v = r->slice == NONE ? 0 : r->slice + 1;

		page_int(j, (int64_t)v - slice);
		slice = v;
	}
	page_close(j, ']');
	COLUMN(j, "count", &p->rows, r, r->count);
	COLUMN(j, "period", &p->rows, r, r->period);
	page_close(j, '}');
}

/* ---- names --------------------------------------------------------------------------------------- */

static void put_frames(struct page *p, struct json *j)
{
	page_open(j, "frames", '{');
	COLUMN(j, "name", &p->frames, f, f->name);
	COLUMN(j, "object", &p->frames, f, or_none(f->dso));
	COLUMN(j, "kind", &p->frames, f, f->kind);
	page_close(j, '}');
	page_open(j, "threads", '{');
	COLUMN(j, "name", &p->threads, t, t->name);
	COLUMN(j, "pid", &p->threads, t, t->pid);
	COLUMN(j, "tid", &p->threads, t, t->tid);
	page_close(j, '}');
	page_open(j, "groups", '{');
	COLUMN(j, "event", &p->groups, g, g->event);
	COLUMN(j, "thread", &p->groups, g, g->thread);
	COLUMN(j, "cpu", &p->groups, g, or_none(g->cpu));
	if (p->o.before)
		COLUMN(j, "before", &p->groups, g, g->side);
	page_close(j, '}');
}

static void put_strings(const struct page *p, struct json *j)
{
	page_open(j, "strings", '[');
	for (size_t i = 0; i < p->strings.str.n; i++)
		page_str(j, NULL, intern_str(&p->strings, (uint32_t)i));
	if (!p->strings.str.n)
		page_str(j, NULL, "");
	page_close(j, ']');
}

static void put_objects(const struct page *p, struct json *j)
{
	char id[2 * 255 + 1];

	page_open(j, "objects", '[');
	vec_for_each (o, &p->objects) {
		const struct dso *dso = o->dso;

		page_open(j, NULL, '{');
		page_str(j, "name", dso->short_name);
		page_str(j, "path", dso->path);
		for (unsigned i = 0; i < dso->build_id_size; i++)
			snprintf(id + 2 * i, 3, "%02x", dso->build_id[i]);
		if (dso->build_id_size)
			page_str(j, "build_id", id);
		page_num(j, "file", dso->kind == DSO_USER && dso->path[0] == '/');
		page_num(j, "samples", o->samples);
		page_num(j, "unnamed", o->unnamed);
		page_close(j, '}');
	}
	page_close(j, ']');
}

/* ---- time ---------------------------------------------------------------------------------------- */

static void put_time(struct page *p, struct json *j)
{
	page_open(j, "time", '{');
	if (p->side[0].has_time) {
		page_num(j, "start", p->side[0].origin);
		page_num(j, "width", 1ULL << p->shift);
	}
	page_num(j, "slices", p->nr_slices);
	page_close(j, '}');
	page_open(j, "marks", '{');
	COLUMN(j, "kind", &p->marks, m, m->kind);
	COLUMN(j, "thread", &p->marks, m, or_none(m->thread));
	COLUMN(j, "slice", &p->marks, m, or_none(m->slice));
	COLUMN(j, "nr", &p->marks, m, m->nr);
	page_close(j, '}');
}

/* Markup's characters stand in strings alone there, where they may be written as numbers; ends of lines in none. */
static void put_diff(const struct obuf *diff, struct json *j)
{
	page_key(j, "diff");
	for (size_t at = 0; at < diff->len;) {
		const char *s = diff->buf + at;
		size_t n = 0;

		while (at + n < diff->len && n < 4096 && !strchr("<>&\n", s[n]))
			n++;
		obuf_mem(j->o, s, n);
		at += n;
		if (at < diff->len && n < 4096 && diff->buf[at++] != '\n')
			obuf_printf(j->o, "\\u%04x", (unsigned char)diff->buf[at - 1]);
		page_pack_more(j->pack);
	}
}

int page_put_data(struct page *p, struct json *j, struct err *e)
{
	struct order o = { 0 };
	int ret = order_nodes(p, &o);

	if (!ret) {
		page_open(j, NULL, '{');
		page_num(j, "version", 1);
		ret = page_put_recording(p, j, e);
	} else {
		err_set(e, ret, "no memory for the page");
	}
	if (!ret) {
		put_strings(p, j);
		put_frames(p, j);
		put_objects(p, j);
		put_time(p, j);
		put_nodes(p, &o, j);
		put_rows(p, &o, j);
		if (p->o.diff)
			put_diff(p->o.diff, j);
		ret = page_choose_code(p, e);
		if (!ret && (page_choose_flow(p) || page_put_flow(p, j) || page_put_simd(p, j) ||
			     page_put_answers(p, j)))
			ret = err_set(e, -ENOMEM, "no memory for the page");
		ret = ret ?: page_put_registers(p, j, e);
		ret = ret ?: page_put_code(p, j, e);
		page_close(j, '}');
	}
	order_free(&o);
	return ret;
}
