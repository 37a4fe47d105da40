// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf diff: what was compared, shown. The browser's lines are those of the text, and the page has what --json
 * prints, so that there is one diff and no second opinion.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "box/box.h"
#include "diff.h"
#include "page/page.h"

/* ---- text and numbers ---------------------------------------------------------------------------- */

static int show_rows(struct comparison *d, struct view_compare *c, const char *event, bool first,
		     struct err *e)
{
	if (d->as_json)
		faces_diff_json(&d->f, c, event, &d->json);
	else if (d->o->csv)
		faces_diff_csv(&d->f, c, event, first, &d->out);
	else
		return faces_diff_text(&d->f, c, event, &d->out, e);
	return 0;
}

static int show_tree(struct comparison *d, struct view_forest *t, const char *event, bool first,
		     struct err *e)
{
	if (d->as_json)
		faces_diff_tree_json(&d->f, t, event, &d->json);
	else if (d->o->csv)
		return faces_diff_tree_csv(&d->f, t, event, first, &d->out, e);
	else
		faces_diff_tree_text(&d->f, t, event, &d->out);
	return 0;
}

static int show_event(struct comparison *d, size_t i, struct err *e)
{
	const struct answer *a = &d->events[i];
	const char *event = side_event(&d->first, i)->name;
	int ret = 0;

	if (i && !d->o->quiet && !d->as_json && !d->o->csv)
		obuf_char(&d->out, '\n');
	if (a->rows)
		ret = show_rows(d, a->rows, event, !i, e);
	return !ret && a->tree ? show_tree(d, a->tree, event, !i, e) : ret;
}

static void show_blocks(struct comparison *d)
{
	const char *event = side_event(&d->first, 0)->name;

	if (d->as_json)
		faces_blocks_json(d->blocks, event, &d->json);
	else if (d->o->csv)
		faces_blocks_csv(d->blocks, event, true, &d->out);
	else
		faces_blocks_text(d->blocks, event, &d->out);
}

static int show_events(struct comparison *d, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; d->events && !ret && i < side_nr_events(&d->first); i++)
		ret = show_event(d, i, e);
	if (!ret && d->blocks)
		show_blocks(d);
	return ret;
}

static int show_json(struct comparison *d, struct err *e)
{
	int ret;

	d->as_json = true;
	emit_init(&d->json, &d->out, EMIT_JSON);
	emit_object(&d->json, NULL);
	emit_u64(&d->json, "version", FACES_DIFF_VERSION);
	emit_array(&d->json, "events");
	ret = show_events(d, e);
	emit_end(&d->json);
	emit_end(&d->json);
	emit_finish(&d->json);
	return ret;
}

static int show_text(struct comparison *d, struct err *e)
{
	int ret = obuf_init(&d->out, STDOUT_FILENO, 0), closed;

	if (ret)
		return err_set(e, ret, "no memory for output");
	ret = d->o->json ? show_json(d, e) : show_events(d, e);
	closed = obuf_free(&d->out);
	if (!ret && closed && closed != -EPIPE)
		ret = err_set(e, closed, "cannot write the comparison: %s", strerror(-closed));
	return ret;
}

/* ---- the browser --------------------------------------------------------------------------------- */

/* What one table of the browser is made of. */
struct shown {
	struct obuf text;
	struct faces_lines lines;
	char name[256];
};

struct screens {
	struct shown *v;
	struct tui_diff_table *tables;
	size_t n;
};

/* The next one, empty, as what printing goes into. */
static struct shown *next_screen(struct screens *sc, struct comparison *d, const char *event,
				 const char *what)
{
	struct shown *sh = &sc->v[sc->n];

	snprintf(sh->name, sizeof(sh->name), "%.200s, %s", event, what);
	d->f.lines = &sh->lines;
	return obuf_init(&sh->text, -1, 0) ? NULL : sh;
}

static int end_screen(struct screens *sc, struct shown *sh, struct err *e)
{
	obuf_char(&sh->text, 0);
	if (sh->text.code)
		return err_set(e, -ENOMEM, "no memory for the lines of a comparison");
	sc->tables[sc->n++] = (struct tui_diff_table){ sh->name, sh->text.buf, &sh->lines };
	return 0;
}

static int no_screen(struct err *e)
{
	return err_set(e, -ENOMEM, "no memory for the lines of a comparison");
}

static int add_rows(struct screens *sc, struct comparison *d, size_t i, struct err *e)
{
	const char *event = side_event(&d->first, i)->name;
	struct shown *sh = next_screen(sc, d, event, "rows");
	int ret =
		sh ? faces_diff_text(&d->f, d->events[i].rows, event, &sh->text, e) : no_screen(e);

	return ret ?: end_screen(sc, sh, e);
}

static int add_tree(struct screens *sc, struct comparison *d, size_t i, struct err *e)
{
	const char *event = side_event(&d->first, i)->name;
	struct shown *sh = next_screen(sc, d, event, "call tree");

	if (!sh)
		return no_screen(e);
	faces_diff_tree_text(&d->f, d->events[i].tree, event, &sh->text);
	return end_screen(sc, sh, e);
}

static int add_blocks(struct screens *sc, struct comparison *d, struct err *e)
{
	struct shown *sh = next_screen(sc, d, side_event(&d->first, 0)->name, "cycles of blocks");

	if (!sh)
		return no_screen(e);
	faces_blocks_text(d->blocks, side_event(&d->first, 0)->name, &sh->text);
	return end_screen(sc, sh, e);
}

/* What was asked for beside rows comes first. */
static int add_screens(struct screens *sc, struct comparison *d, struct err *e)
{
	size_t n = side_nr_events(&d->first);
	int ret = d->blocks ? add_blocks(sc, d, e) : 0;

	for (size_t i = 0; !ret && i < n; i++)
		if (d->events[i].tree)
			ret = add_tree(sc, d, i, e);
	for (size_t i = 0; !ret && i < n; i++)
		if (d->events[i].rows)
			ret = add_rows(sc, d, i, e);
	return ret;
}

static int browse(struct comparison *d, struct err *e)
{
	size_t most = 2 * side_nr_events(&d->first) + 1;
	struct screens sc = { calloc(most, sizeof(*sc.v)), calloc(most, sizeof(*sc.tables)), 0 };
	struct tui_diff in = { .files = d->f.names, .nr_files = d->f.nr_sides };
	int ret = sc.v && sc.tables ? add_screens(&sc, d, e) : no_screen(e);

	in.tables = sc.tables;
	in.nr_tables = sc.n;
	if (!ret && sc.n)
		ret = tui_diff(d->tui, &in, e);
	for (size_t i = 0; sc.v && i < most; i++) {
		obuf_free(&sc.v[i].text);
		vec_free(&sc.v[i].lines.v);
	}
	free(sc.v);
	free(sc.tables);
	d->f.lines = NULL;
	return ret;
}

/* ---- the page ------------------------------------------------------------------------------------ */

static int open_again(struct comparison *d, size_t i, struct session_opts *so, struct session **s,
		      struct err *e)
{
	*so = d->o->session;
	so->input = d->f.names[i];
	return session_open_beside(s, d->first.session, so, e);
}

static int write_page(struct comparison *d, struct page_opts *o, struct session *now, struct err *e)
{
	struct output file;
	struct obuf out;
	int ret = box_output_open(&file, d->o->html, OUTPUT_TEXT, &LOG_STDERR, e), closed;

	if (ret)
		return ret;
	ret = obuf_init(&out, file.fd, 0);
	if (ret) {
		close(file.fd);
		return err_set(e, ret, "no memory for output");
	}
	ret = page_write(now, o, &out, e);
	closed = obuf_free(&out);
	if (close(file.fd) && !closed)
		closed = -errno;
	if (!ret && closed)
		ret = err_set(e, closed, "cannot write %s: %s", d->o->html, strerror(-closed));
	return ret;
}

/* Samples of the first, and of the file that rows are sorted by, with what all of them have side by side. */
static int show_page(struct comparison *d, struct err *e)
{
	struct page_opts o = { .functions = PAGE_FUNCTIONS,
			       .full_paths = d->o->session.full_paths };
	struct session_opts so[2];
	struct session *s[2] = { NULL };
	int ret = obuf_init(&d->out, -1, 0);

	if (ret)
		return err_set(e, ret, "no memory for output");
	ret = show_json(d, e);
	if (!ret && d->out.code)
		ret = err_set(e, -ENOMEM, "no memory for the page");
	if (!ret)
		o.diff = &d->out;
	ret = ret ?: open_again(d, 0, &so[0], &s[0], e);
	ret = ret ?: open_again(d, d->o->order ?: 1, &so[1], &s[1], e);
	o.before = s[0];
	ret = ret ?: write_page(d, &o, s[1], e);
	session_close(s[1]);
	session_close(s[0]);
	obuf_free(&d->out);
	return ret;
}

/* ---- all ----------------------------------------------------------------------------------------- */

static int sort(struct comparison *d, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && d->events && i < side_nr_events(&d->first); i++) {
		if (d->events[i].rows)
			view_compare_sort(d->events[i].rows);
		if (d->events[i].tree)
			ret = view_forest_sort(d->events[i].tree, e);
	}
	if (d->blocks)
		faces_blocks_sort(d->blocks);
	return ret;
}

int comparison_show(struct comparison *d, struct err *e)
{
	int ret = sort(d, e);

	if (ret)
		return ret;
	return d->tui ? browse(d, e) : d->o->html ? show_page(d, e) : show_text(d, e);
}
