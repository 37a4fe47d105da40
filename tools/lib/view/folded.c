// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks of what is shown. Ends of chains come in parts, by thread, CPU and time, so that they are
 * added up first; then different chains of equal names, as addresses without symbols have them. ';'
 * separates frames, so that in names it is ':'.
 */
#include "view-int.h"

struct fold_end {
	uint32_t comm, node, row;
	const char *name;
	uint64_t period;
};

struct folded {
	const struct view *v;
	uint64_t *shown; /* rows of the table, bits */
	VEC(struct fold_end) ends;
	struct htab tab;
	struct intern lines;
	VEC(uint64_t) period; /* by line */
	VEC(uint32_t) path;   /* frames, innermost first */
};

static int add_end(void *ctx, const struct table_end *end)
{
	struct folded *f = ctx;
	uint32_t row = end->node == ID_NONE ? end->row : 0;
	uint64_t hash = hash_mix((uint64_t)end->node << 32 | row, end->comm_id);
	struct fold_end new = { end->comm_id, end->node, row, end->comm, end->samples.period };
	uint32_t i;

	if (!(f->shown[end->row / 64] >> end->row % 64 & 1))
		return 0;
	for (struct htab_it it = htab_find(&f->tab, hash); htab_next(&f->tab, &it, &i);)
		if (f->ends.v[i].comm == new.comm && f->ends.v[i].node == new.node &&
		    f->ends.v[i].row == row) {
			f->ends.v[i].period += new.period;
			return 0;
		}
	i = (uint32_t)f->ends.n;
	return vec_push(&f->ends, new) ?: htab_add(&f->tab, hash, i);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_name(struct obuf *o, const char *name, bool comm)
{
	size_t at = o->len;

	emit_safe(o, name);
	for (; at < o->len; at++)
		if (o->buf[at] == ';')
			o->buf[at] = ':';
		else if (comm && o->buf[at] == ' ')
			o->buf[at] = '_';
}

static void put_frame(const struct folded *f, uint32_t frame, struct obuf *o)
{
	const struct keys *ks = &f->v->t->keys;
	const struct frame_info *fr = &ks->frames.v[frame];
	const char *dso = intern_str(&ks->names, fr->dso_name);

	obuf_char(o, ';');
	if (fr->sym) {
		put_name(o, fr->sym->name, false);
	} else if (*dso == '[') {
		put_name(o, dso, false);
	} else {
		obuf_char(o, '[');
		put_name(o, dso, false);
		obuf_char(o, ']');
	}
}

/* A sample without a chain: its function, if that is a key. */
static void put_own(const struct folded *f, uint32_t row, struct obuf *o)
{
	const struct columns *cs = &f->v->t->c;

	for (unsigned i = 0; i < cs->nr_cols; i++)
		if (!strcmp(cs->cols[i].key->name, "symbol") && !cs->cols[i].elided) {
			put_frame(
				f,
				(uint32_t)view_col_value(f->v, &cs->cols[i], &f->v->t->rows.v[row]),
				o);
			return;
		}
}

static int add_line(struct folded *f, const struct fold_end *end, struct obuf *o)
{
	const struct chains *c = &f->v->t->ch;
	uint32_t id;

	o->len = 0;
	put_name(o, end->name, true);
	f->path.n = 0;
	for (uint32_t n = end->node; n != ID_NONE && !(n & NODE_ROOT); n = c->nodes.v[n].parent)
		if (vec_push(&f->path, c->nodes.v[n].frame))
			return -ENOMEM;
	for (size_t i = f->path.n; i-- > 0;)
		put_frame(f, f->path.v[i], o);
	if (end->node == ID_NONE)
		put_own(f, end->row, o);
	obuf_char(o, 0);
	id = o->code ? INTERN_NONE : intern(&f->lines, o->buf);
	if (id == INTERN_NONE || vec_reach(&f->period, id, 0))
		return -ENOMEM;
	f->period.v[id] += end->period;
	return 0;
}

static int make_lines(struct folded *f)
{
	struct obuf o;
	int ret = obuf_init(&o, -1, 0);

	for (size_t i = 0; !ret && i < f->ends.n; i++)
		ret = add_line(f, &f->ends.v[i], &o);
	obuf_free(&o);
	return ret;
}

static int by_text(const void *a, const void *b, void *ctx)
{
	const struct intern *lines = ctx;

	return strcmp(intern_str(lines, *(const uint32_t *)a),
		      intern_str(lines, *(const uint32_t *)b));
}

static int put_lines(struct folded *f, struct obuf *o)
{
	uint32_t *order = malloc((f->period.n + 1) * sizeof(*order));
	size_t n = 0;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->period.n; i++)
		if (f->period.v[i])
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), by_text, &f->lines);
	for (size_t i = 0; i < n; i++) {
		obuf_str(o, intern_str(&f->lines, order[i]));
		obuf_char(o, ' ');
		obuf_dec(o, f->period.v[order[i]]);
		obuf_char(o, '\n');
	}
	free(order);
	return 0;
}

int view_put_folded(const struct view *v, uint32_t event, struct obuf *o, struct err *e)
{
	struct folded f = { .v = v };
	int ret = -ENOMEM;

	if (v->t->keys.o.branch || !v->t->derived)
		return err_set(e, -EINVAL, "only samples have stacks, and of a derived table");
	f.shown = calloc(v->t->rows.n / 64 + 1, sizeof(*f.shown));
	for (size_t i = 0; f.shown && i < view_nr_rows(v, event); i++) {
		uint32_t row = view_row(v, event, i)->idx;

		f.shown[row / 64] |= 1ULL << row % 64;
	}
	if (f.shown)
		ret = table_each_end(v->t, add_end, &f);
	ret = ret ?: make_lines(&f);
	ret = ret ?: put_lines(&f, o);
	free(f.shown);
	vec_free(&f.ends);
	htab_free(&f.tab);
	intern_free(&f.lines);
	vec_free(&f.period);
	vec_free(&f.path);
	return ret ? err_set(e, ret, "no memory for stacks") : 0;
}
