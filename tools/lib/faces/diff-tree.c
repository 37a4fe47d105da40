// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf diff -g: call trees of recordings as one, with the share that each function has there and by how much
 * it differs: as text, with chance dimmed where there are colours, as JSON and as CSV.
 */
#include <stdlib.h>

#include "faces-int.h"

#define DIM   "\033[2m"
#define PLAIN "\033[m"

/* Text that names all callers, for CSV: "main;outer;inner". */
struct path {
	VEC(const char *) name;
};

static bool is_noise(const struct faces_diff *f, const struct view_forest *t,
		     const struct view_forest_line *l)
{
	for (size_t i = 1; i < f->nr_sides; i++)
		if (!view_forest_is_noise(t, l, i))
			return false;
	return true;
}

/* ---- text --------------------------------------------------------------------------------------- */

static void put_heads(const struct faces_diff *f, const char *event, struct obuf *out)
{
	obuf_lit(out, "# Event '");
	emit_safe(out, event);
	obuf_lit(out, "'\n#\n");
	if (f->nr_sides > 2 || f->verbose) {
		obuf_lit(out, "# Data files:\n");
		for (size_t i = 0; i < f->nr_sides; i++) {
			obuf_printf(out, "#  [%zu] ", i);
			emit_safe(out, f->names[i]);
			obuf_str(out, i ? " \n" : " (Baseline)\n");
		}
		obuf_lit(out, "#\n");
	}
	faces_heads_begin(f, out);
	obuf_lit(out, "# Baseline");
	for (size_t i = 1; i < f->nr_sides; i++) {
		if (f->nr_sides > 2)
			obuf_printf(out, "   Delta/%zu", i);
		else
			obuf_lit(out, "     Delta");
		if (f->noise)
			obuf_lit(out, "    Noise");
	}
	obuf_lit(out, "  Call tree\n# ........");
	for (size_t i = 1; i < f->nr_sides; i++) {
		obuf_lit(out, "  ........");
		if (f->noise)
			obuf_lit(out, "  .......");
	}
	obuf_lit(out, "  .........\n#\n");
}

static void put_line(const struct faces_diff *f, const struct view_forest *t,
		     const struct view_forest_line *l, struct obuf *out)
{
	bool chance = is_noise(f, t, l), dim = f->color && chance;

	faces_line_begins(f, l->depth, chance, out);
	if (dim)
		obuf_lit(out, DIM);
	if (l->period[0])
		obuf_printf(out, "   %6.2f%%", view_forest_share(t, l, 0));
	else
		obuf_pad(out, ' ', 10);
	for (size_t i = 1; i < f->nr_sides; i++) {
		double delta = view_forest_share(t, l, i) - view_forest_share(t, l, 0);

		obuf_printf(out, "  %+7.2f%%", delta);
		if (f->noise)
			obuf_printf(out, "  %6.2f%%", view_forest_noise(t, l, i));
	}
	obuf_pad(out, ' ', 2 * (int)l->depth);
	emit_safe(out, l->name);
	if (dim)
		obuf_lit(out, PLAIN);
	obuf_char(out, '\n');
}

void faces_diff_tree_text(const struct faces_diff *f, const struct view_forest *t,
			  const char *event, struct obuf *out)
{
	if (!f->quiet)
		put_heads(f, event, out);
	for (size_t i = 0; i < view_forest_nr(t); i++)
		put_line(f, t, view_forest_at(t, i), out);
}

/* ---- for programs ------------------------------------------------------------------------------- */

static void put_node(const struct faces_diff *f, const struct view_forest *t,
		     const struct view_forest_line *l, struct emit *e)
{
	emit_object(e, NULL);
	emit_u64(e, "depth", l->depth);
	emit_str(e, "function", l->name);
	emit_array(e, "files");
	for (size_t i = 0; i < f->nr_sides; i++) {
		emit_object(e, NULL);
		emit_u64(e, "period", l->period[i]);
		emit_f64(e, "share", view_forest_share(t, l, i), 6);
		if (i) {
			emit_f64(e, "delta",
				 view_forest_share(t, l, i) - view_forest_share(t, l, 0), 6);
			emit_f64(e, "noise", view_forest_noise(t, l, i), 6);
			emit_bool(e, "significant", !view_forest_is_noise(t, l, i));
		}
		emit_end(e);
	}
	emit_end(e);
	emit_end(e);
}

void faces_diff_tree_json(const struct faces_diff *f, const struct view_forest *t,
			  const char *event, struct emit *e)
{
	emit_object(e, NULL);
	emit_str(e, "event", event);
	emit_array(e, "files");
	for (size_t i = 0; i < f->nr_sides; i++) {
		emit_object(e, NULL);
		emit_str(e, "name", f->names[i]);
		emit_u64(e, "samples", view_forest_samples(t, i));
		emit_end(e);
	}
	emit_end(e);
	emit_array(e, "tree");
	for (size_t i = 0; i < view_forest_nr(t); i++)
		put_node(f, t, view_forest_at(t, i), e);
	emit_end(e);
	emit_end(e);
}

static int put_csv_line(const struct faces_diff *f, const struct view_forest *t,
			const struct view_forest_line *l, struct path *p, const char *event,
			struct obuf *out)
{
	struct obuf path;
	int ret = obuf_init(&path, -1, 0);

	p->name.n = min_u64(p->name.n, l->depth - 1);
	ret = ret ?: vec_push(&p->name, l->name);
	if (!ret)
		faces_csv_value(out, event);
	for (size_t i = 0; !ret && i < p->name.n; i++)
		obuf_printf(&path, "%s%s", i ? ";" : "", p->name.v[i]);
	obuf_char(&path, 0);
	if (!ret && !path.code) {
		obuf_char(out, ',');
		faces_csv_value(out, path.buf);
	}
	for (size_t i = 0; !ret && i < f->nr_sides; i++) {
		obuf_printf(out, ",%.6f", view_forest_share(t, l, i));
		if (i)
			obuf_printf(out, ",%.6f,%.6f",
				    view_forest_share(t, l, i) - view_forest_share(t, l, 0),
				    view_forest_noise(t, l, i));
	}
	obuf_char(out, '\n');
	ret = ret ?: path.code;
	obuf_free(&path);
	return ret;
}

int faces_diff_tree_csv(const struct faces_diff *f, const struct view_forest *t, const char *event,
			bool heads, struct obuf *out, struct err *e)
{
	struct path p = { 0 };
	int ret = 0;

	if (heads) {
		obuf_lit(out, "event,path,share0");
		for (size_t i = 1; i < f->nr_sides; i++)
			obuf_printf(out, ",share%zu,delta%zu,noise%zu", i, i, i);
		obuf_char(out, '\n');
	}
	for (size_t i = 0; !ret && i < view_forest_nr(t); i++)
		ret = put_csv_line(f, t, view_forest_at(t, i), &p, event, out);
	vec_free(&p.name);
	return ret ? err_set(e, ret, "no memory for output") : 0;
}
