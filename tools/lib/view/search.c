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

struct search {
	const struct view *v;
	const char *text;
	regex_t re;
	bool is_regex, fold_case;
	uint8_t *name; /* by number of the name: 0 = not asked, 1 = no, 2 = yes */
	struct obuf cell;
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

static bool has_text(const struct search *s, const char *in)
{
	if (s->is_regex)
		return !regexec(&s->re, in, 0, NULL, 0);
	return (s->fold_case ? strcasestr(in, s->text) : strstr(in, s->text)) != NULL;
}

static bool name_has(struct search *s, uint32_t name)
{
	if (!s->name[name])
		s->name[name] = has_text(s, intern_str(&s->v->t->keys.names, name)) ? 2 : 1;
	return s->name[name] == 2;
}

static bool cell_has(struct search *s, const struct keys_col *c, const struct keys_row *row)
{
	s->cell.len = 0;
	view_put_text(s->v, c, row, &s->cell);
	obuf_char(&s->cell, 0);
	return !s->cell.code && has_text(s, s->cell.buf);
}

static bool row_has(struct search *s, const struct keys_row *row)
{
	const struct columns *cs = &s->v->c;

	for (unsigned i = 0; i < cs->nr_cols; i++) {
		const struct keys_col *c = &cs->cols[i];
		uint64_t v;

		if (c->key->at == KEY_STAT || c->elided || c->key->slot_text)
			continue;
		v = view_col_value(s->v, c, row);
		if (c->key->value == VALUE_FRAME && s->v->t->keys.frames.v[v].sym) {
			if (has_bit(s->f->frames, v))
				return true;
		} else if (c->key->value == VALUE_NAME) {
			if (name_has(s, (uint32_t)v))
				return true;
		} else if (cell_has(s, c, row)) {
			return true;
		}
	}
	return false;
}

static void find_frames(struct search *s)
{
	const struct keys *ks = &s->v->t->keys;

	for (size_t i = 0; i < ks->frames.n; i++) {
		const struct frame_info *f = &ks->frames.v[i];

		if (!(f->sym && has_text(s, f->sym->name)) &&
		    !(f->srcline && has_text(s, f->srcline)))
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
	struct search s = { .v = v, .text = text, .is_regex = match == TABLE_REGEX, .f = f };
	char why[128];
	int ret;

	*f = (struct view_found){ 0 };
	s.fold_case = true;
	for (const char *c = text; *c; c++)
		s.fold_case &= !isupper((unsigned char)*c);
	ret = s.is_regex ? regcomp(&s.re, text,
				   REG_EXTENDED | REG_NOSUB | (s.fold_case ? REG_ICASE : 0))
			 : 0;
	if (ret) {
		regerror(ret, &s.re, why, sizeof(why));
		return err_set(e, -EINVAL, "Invalid regex: %s\n%s", text, why);
	}
	ret = obuf_init(&s.cell, -1, 0);
	ret = ret ?: search(&s, event);
	obuf_free(&s.cell);
	if (s.is_regex)
		regfree(&s.re);
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
