// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A filter after the fact: rows are left out of a view by what their keys are, without a sample
 * being read again. So it can ask for what was counted by, and for nothing else; what passed is
 * summed up anew, for percentages that are relative to that.
 */
#include "view-int.h"

struct list {
	const char *words;	    /* separated by commas; NULL = all pass */
	const struct keys_col *col; /* of the table */
	bool by_frame;		    /* objects: col is of functions, which know theirs */
};

struct filter {
	struct list comm, dso, symbol;
	const char *symbol_part;
};

/* Branches are told by where they lead to. */
static int find_col(const struct view *v, struct list *l, const char *words, const char *key,
		    const char *key_to, struct err *e)
{
	const struct columns *cs = &v->t->c;
	const char *name = v->t->keys.o.branch ? key_to : key;

	l->words = words;
	for (unsigned i = 0; i < cs->nr_cols; i++)
		if (!strcmp(cs->cols[i].key->name, name) && !cs->cols[i].elided)
			l->col = &cs->cols[i];
	return l->col ? 0 : err_set(e, -EINVAL, "no filter by %s: it was not counted", name);
}

/* Rows may be told apart by functions alone. */
static int find_dso(const struct view *v, struct list *l, const char *words, struct err *e)
{
	int ret = find_col(v, l, words, "dso", "dso_to", e);

	if (!ret || find_col(v, l, words, "symbol", "symbol_to", e))
		return ret;
	l->by_frame = true;
	return 0;
}

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	/* A name that has a comma itself, alone: who zooms into such an object asks so. */
	if (!strcmp(words, word))
		return true;
	for (const char *w = words; *w;) {
		size_t len = strcspn(w, ",");

		if (len == n && !memcmp(w, word, n))
			return true;
		w += len + (w[len] == ',');
	}
	return false;
}

static bool name_passes(const struct view *v, const struct list *l, const struct keys_row *row)
{
	const struct keys *ks = &v->t->keys;
	uint64_t is;

	if (!l->words)
		return true;
	is = view_col_value(v, l->col, row);
	if (l->by_frame)
		is = ks->frames.v[is].dso_name;
	return has_word(l->words, intern_str(&ks->names, (uint32_t)is));
}

static bool symbol_passes(const struct view *v, const struct filter *f, const struct keys_row *row)
{
	const struct symbol *sym;

	if (!f->symbol.col)
		return true;
	sym = v->t->keys.frames.v[view_col_value(v, f->symbol.col, row)].sym;
	return sym && (!f->symbol.words || has_word(f->symbol.words, sym->name)) &&
	       (!f->symbol_part || strstr(sym->name, f->symbol_part));
}

/* What passed, in place of what passed while samples were counted. */
static int sum_up(struct view *v, uint32_t event)
{
	struct view_event *ev = &v->events.v[event];

	ev->totals.nr_filtered_samples = ev->totals.filtered_period = 0;
	for (size_t i = 0; i < ev->nr; i++) {
		const struct keys_row *row = &v->t->rows.v[ev->rows[i]];

		ev->totals.filtered_period += row->period;
		ev->totals.nr_filtered_samples += row->nr;
		if (table_sums_passed(&v->sums, event, &v->t->sums, row->idx))
			return -ENOMEM;
	}
	return 0;
}

int view_filter_rows(struct view *v, const struct view_filter *vf, struct err *e)
{
	struct filter f = { .symbol_part = vf->symbol_part };
	int ret = vf->comms ? find_col(v, &f.comm, vf->comms, "comm", "comm", e) : 0;

	if (!ret && vf->dsos)
		ret = find_dso(v, &f.dso, vf->dsos, e);
	if (!ret && (vf->symbols || vf->symbol_part))
		ret = find_col(v, &f.symbol, vf->symbols, "symbol", "symbol_to", e);
	if (ret)
		return ret;
	for (uint32_t event = 0; event < v->events.n; event++) {
		struct view_event *ev = &v->events.v[event];
		size_t n = 0;

		for (size_t i = 0; i < ev->nr; i++) {
			const struct keys_row *row = &v->t->rows.v[ev->rows[i]];

			if (name_passes(v, &f.comm, row) && name_passes(v, &f.dso, row) &&
			    symbol_passes(v, &f, row))
				ev->rows[n++] = row->idx;
		}
		ev->nr = n;
		if (sum_up(v, event))
			return err_set(e, -ENOMEM, "no memory for a filter");
	}
	v->filtered = true;
	return 0;
}
