// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A text in rows and in frames of chains. Names are looked at once each and not once per row: a row is
 * asked for the numbers of its names, and for its text only where a key has no name. A frame that
 * has the text has it for all samples below its nodes, so one pass over the trie tells which samples
 * are meant, each once.
 */
#include <ctype.h>
#include <regex.h>

#include "view-int.h"

struct view_pattern {
	char *text;
	regex_t re;
	bool is_regex, fold_case;
	struct obuf cell;
};

struct search {
	const struct view *v;
	struct view_pattern *p;
	uint8_t *name; /* by number of the name: 0 = not asked, 1 = no, 2 = yes */
	struct view_found *f;
};

static bool has_bit(const uint64_t *bits, size_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *bits, size_t i)
{
	bits[i / 64] |= 1ULL << i % 64;
}

/* ---- one cell, one frame --------------------------------------------------------------------- */

static int compile(struct view_pattern *p, struct err *e)
{
	char why[128];
	int ret;

	p->fold_case = true;
	for (const char *c = p->text; *c; c++)
		p->fold_case &= !isupper((unsigned char)*c);
	ret = p->is_regex ? regcomp(&p->re, p->text,
				    REG_EXTENDED | REG_NOSUB | (p->fold_case ? REG_ICASE : 0))
			  : 0;
	if (!ret)
		return 0;
	p->is_regex = false;
	regerror(ret, &p->re, why, sizeof(why));
	return err_set(e, -EINVAL, "`%s' is no regular expression: %s", p->text, why);
}

int view_pattern_new(struct view_pattern **out, const char *text, enum table_match match,
		     struct err *e)
{
	struct view_pattern *p = calloc(1, sizeof(*p));
	int ret;

	*out = NULL;
	if (!p || !(p->text = strdup(text)) || obuf_init(&p->cell, -1, 0)) {
		view_pattern_free(p);
		return err_set(e, -ENOMEM, "no memory to search");
	}
	p->is_regex = match == TABLE_REGEX;
	ret = compile(p, e);
	if (ret)
		view_pattern_free(p);
	else
		*out = p;
	return ret;
}

void view_pattern_free(struct view_pattern *p)
{
	if (!p)
		return;
	if (p->is_regex)
		regfree(&p->re);
	obuf_free(&p->cell);
	free(p->text);
	free(p);
}

static bool has_text(const struct view_pattern *p, const char *in)
{
	if (p->is_regex)
		return !regexec(&p->re, in, 0, NULL, 0);
	return (p->fold_case ? strcasestr(in, p->text) : strstr(in, p->text)) != NULL;
}

static bool has_cell(struct view_pattern *p)
{
	obuf_char(&p->cell, 0);
	return !p->cell.code && has_text(p, p->cell.buf);
}

static bool is_searched(const struct keys_col *c)
{
	return c->key->at != KEY_STAT && !c->elided && !c->key->slot_text;
}

bool view_pattern_in_cell(struct view_pattern *p, const struct view *v, const struct keys_row *row,
			  const struct keys_col *c)
{
	const struct symbol *sym = NULL;

	if (!is_searched(c))
		return false;
	if (c->key->value == VALUE_FRAME)
		sym = v->t->keys.frames.v[view_col_value(v, c, row)].sym;
	/* The name alone, so that ^main$ is a way to ask for main: "[.] main" is how it is printed. */
	if (sym)
		return has_text(p, sym->name);
	p->cell.len = 0;
	view_put_text(v, c, row, &p->cell);
	return has_cell(p);
}

bool view_pattern_in_frame(struct view_pattern *p, const struct view *v, uint32_t frame)
{
	const struct frame_info *f = &v->t->keys.frames.v[frame];

	if (f->sym)
		return has_text(p, f->sym->name) || (f->srcline && has_text(p, f->srcline));
	p->cell.len = 0;
	view_frame(v, frame, &p->cell);
	return has_cell(p);
}

/* ---- everything ------------------------------------------------------------------------------ */

static bool name_has(struct search *s, uint32_t name)
{
	if (!s->name[name])
		s->name[name] = has_text(s->p, intern_str(&s->v->t->keys.names, name)) ? 2 : 1;
	return s->name[name] == 2;
}

static bool row_has(struct search *s, const struct keys_row *row)
{
	const struct columns *cs = &s->v->c;

	for (unsigned i = 0; i < cs->nr_cols; i++) {
		const struct keys_col *c = &cs->cols[i];
		uint64_t v;

		if (!is_searched(c))
			continue;
		v = view_col_value(s->v, c, row);
		if (c->key->value == VALUE_FRAME && s->v->t->keys.frames.v[v].sym) {
			if (has_bit(s->f->frames, v))
				return true;
		} else if (c->key->value == VALUE_NAME) {
			if (name_has(s, (uint32_t)v))
				return true;
		} else if (view_pattern_in_cell(s->p, s->v, row, c)) {
			return true;
		}
	}
	return false;
}

static void find_frames(struct search *s)
{
	const struct keys *ks = &s->v->t->keys;

	for (size_t i = 0; i < ks->frames.n; i++) {
		if (!view_pattern_in_frame(s->p, s->v, (uint32_t)i))
			continue;
		set_bit(s->f->frames, i);
		s->f->nr_frames++;
	}
}

/* By row of the table. */
static void find_rows(struct search *s, uint32_t event, uint64_t *rows)
{
	for (size_t i = 0; i < view_nr_rows(s->v, event); i++) {
		const struct keys_row *row = view_row(s->v, event, i);

		if (!row_has(s, row))
			continue;
		set_bit(s->f->rows, i);
		set_bit(rows, row->idx);
		s->f->nr_rows++;
		s->f->samples.nr += row->nr;
		s->f->samples.period += row->period;
	}
}

/* Samples of other rows whose chains have it. @shown: rows of the view. */
static int find_chains(struct search *s, const uint64_t *rows, const uint64_t *shown)
{
	const struct chains *c = &s->v->t->ch;
	uint64_t *nodes;

	if (!c->nodes.n || !c->end || !s->f->nr_frames)
		return 0;
	nodes = calloc(c->nodes.n / 64 + 1, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct node *n = &c->nodes.v[i];

		if (has_bit(s->f->frames, n->frame) ||
		    (!(n->parent & NODE_ROOT) && has_bit(nodes, n->parent)))
			set_bit(nodes, i);
	}
	vec_for_each (l, &c->leafs) {
		if (has_bit(rows, l->row) || !has_bit(shown, l->row) || !has_bit(nodes, l->node))
			continue;
		s->f->samples.nr += l->count;
		s->f->samples.period += l->period;
	}
	free(nodes);
	return 0;
}

static int search(struct search *s, uint32_t event)
{
	const struct table *t = s->v->t;
	size_t nr = view_nr_rows(s->v, event);
	uint64_t *rows = calloc(t->rows.n / 64 + 1, sizeof(*rows));
	uint64_t *shown = calloc(t->rows.n / 64 + 1, sizeof(*shown));
	int ret = -ENOMEM;

	s->name = calloc(t->keys.names.str.n + 1ULL, 1);
	s->f->rows = calloc(nr / 64 + 1, sizeof(*s->f->rows));
	s->f->frames = calloc(t->keys.frames.n / 64 + 1, sizeof(*s->f->frames));
	if (rows && shown && s->name && s->f->rows && s->f->frames) {
		for (size_t i = 0; i < nr; i++)
			set_bit(shown, view_row(s->v, event, i)->idx);
		find_frames(s);
		find_rows(s, event, rows);
		ret = find_chains(s, rows, shown);
	}
	free(rows);
	free(shown);
	free(s->name);
	return ret;
}

int view_search(const struct view *v, uint32_t event, const char *text, enum table_match match,
		struct view_found *f, struct err *e)
{
	struct search s = { .v = v, .f = f };
	int ret;

	*f = (struct view_found){ 0 };
	ret = view_pattern_new(&s.p, text, match, e);
	if (ret)
		return ret;
	ret = search(&s, event);
	view_pattern_free(s.p);
	if (!ret)
		return 0;
	view_found_free(f);
	return err_set(e, ret, "no memory to search");
}

void view_found_free(struct view_found *f)
{
	free(f->rows);
	free(f->frames);
	*f = (struct view_found){ 0 };
}
