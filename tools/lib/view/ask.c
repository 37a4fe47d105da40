// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From what is on a screen to what can be asked about it: the thread, object or function of a row or of
 * a frame of a chain as an operation on the table; the two tables of a sandwich, which are two such
 * operations; rows over time.
 */
#include "view-int.h"

/* The value of key @name of a row; false when it was not counted by. */
static bool value_of(const struct view *v, const struct keys_row *row, const char *name,
		     uint64_t *value)
{
	for (unsigned i = 0; i < v->t->c.nr_cols; i++) {
		const struct keys_col *c = &v->t->c.cols[i];

		if (strcmp(c->key->name, name) != 0 || c->elided || c->key->at == KEY_STAT)
			continue;
		*value = view_col_value(v, c, row);
		return true;
	}
	return false;
}

static bool name_of(const struct view *v, const struct keys_row *row, const char *key,
		    struct table_op *op)
{
	const struct keys *ks = &v->t->keys;
	uint64_t id;

	if (!value_of(v, row, key, &id) || id == ks->unknown)
		return false;
	op->name = intern_str(&ks->names, (uint32_t)id);
	return true;
}

static bool number_of(const struct view *v, const struct keys_row *row, const char *key,
		      struct table_op *op)
{
	uint64_t n;

	if (!value_of(v, row, key, &n))
		return false;
	op->num = (int32_t)n;
	return true;
}

/* The frame of a row's function; ID_NONE: no key tells. */
static uint32_t frame_of(const struct view *v, const struct keys_row *row)
{
	static const char *const keys[] = { "symbol", "symbol_to", "symoff", "symbol_iaddr",
					    "addr_to" };
	uint64_t id;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (value_of(v, row, keys[i], &id))
			return (uint32_t)id;
	return ID_NONE;
}

bool view_frame_op(const struct view *v, uint32_t frame, enum table_op_kind kind,
		   struct table_op *op)
{
	const struct keys *ks = &v->t->keys;
	const struct frame_info *f = frame < ks->frames.n ? &ks->frames.v[frame] : NULL;
	const char *dso;

	*op = (struct table_op){ .kind = kind };
	if (!f)
		return false;
	dso = f->dso ? intern_str(&ks->names, f->dso_name) : NULL;
	switch (kind) {
	case TABLE_DSO:
	case TABLE_HIDE_DSO:
	case TABLE_MERGE_DSO: op->name = dso; return dso != NULL;
	case TABLE_SYMBOL:
	case TABLE_FOCUS:
	case TABLE_HIDE_SYMBOL:
		op->name = f->sym ? f->sym->name : NULL;
		op->dso = dso;
		return op->name != NULL;
	case TABLE_MODE: op->num = f->cpumode; return true;
	default: return false;
	}
}

static bool process_of(const struct view *v, const struct keys_row *row, struct table_op *op)
{
	const struct thread *th;

	if (number_of(v, row, "tgid", op))
		return true;
	th = number_of(v, row, "pid", op) || number_of(v, row, "tid", op)
		     ? machine_thread_at(v->t->keys.m, row->thread)
		     : NULL;
	if (th)
		op->num = th->pid;
	return th != NULL;
}

bool view_row_op(const struct view *v, const struct keys_row *row, enum table_op_kind kind,
		 struct table_op *op)
{
	bool branch = v->t->keys.o.branch;

	*op = (struct table_op){ .kind = kind };
	switch (kind) {
	case TABLE_COMM: return name_of(v, row, "comm", op);
	case TABLE_PROCESS: return process_of(v, row, op);
	case TABLE_THREAD: return number_of(v, row, "pid", op) || number_of(v, row, "tid", op);
	case TABLE_CPU: return number_of(v, row, "cpu", op);
	case TABLE_SOCKET: return number_of(v, row, "socket", op);
	case TABLE_DSO:
	case TABLE_HIDE_DSO:
	case TABLE_MERGE_DSO:
		if (name_of(v, row, branch ? "dso_to" : "dso", op))
			return true;
		return view_frame_op(v, frame_of(v, row), kind, op);
	default: return view_frame_op(v, frame_of(v, row), kind, op);
	}
}

bool view_frame_code(const struct view *v, uint32_t frame, struct dso **dso,
		     const struct symbol **sym)
{
	const struct keys *ks = &v->t->keys;
	const struct frame_info *f = frame < ks->frames.n ? &ks->frames.v[frame] : NULL;

	if (!f || !f->sym || !f->dso)
		return false;
	*dso = machine_dso(ks->m, f->dso - 1);
	*sym = f->sym;
	return *dso != NULL;
}

bool view_row_code(const struct view *v, const struct keys_row *row, struct dso **dso,
		   const struct symbol **sym)
{
	return view_frame_code(v, frame_of(v, row), dso, sym);
}

/* ---- sandwich -------------------------------------------------------------------------------- */

static int make_side(struct view_sandwich *s, int side, const struct table *rich,
		     const struct table_ask *ask, const struct table_op *op, struct err *e)
{
	struct keys_opts o = ask->opts ? *ask->opts : rich->keys.o;
	struct table_op *ops = calloc(ask->nr_ops + 1ULL, sizeof(*ops));
	const struct table_ask all = { &o, ops, ask->nr_ops + 1 };
	int ret;

	if (!ops)
		return err_set(e, -ENOMEM, "no memory for another table");
	if (ask->nr_ops)
		memcpy(ops, ask->ops, ask->nr_ops * sizeof(*ops));
	ops[ask->nr_ops] = *op;
	ops[ask->nr_ops].kind = TABLE_FOCUS;
	ops[ask->nr_ops].cut = side ? TABLE_BELOW : TABLE_ABOVE;
	o.rich = o.hierarchy = false;
	o.sort = "sym";
	o.fields = NULL;
	o.children = side;
	o.chain.caller = side;
	ret = table_derive(&s->tables[side], rich, &all, e);
	free(ops);
	return ret ?: view_new(side ? &s->callees : &s->callers, s->tables[side], &o, NULL, e);
}

/* The function's row: of several of that name the heaviest, which stands first. */
static const struct keys_row *find_row(const struct view *v, uint32_t event,
				       const struct table_op *op)
{
	for (size_t i = 0; i < view_nr_rows(v, event); i++) {
		const struct keys_row *row = view_row(v, event, i);
		struct table_op is;

		if (view_row_op(v, row, TABLE_FOCUS, &is) && !strcmp(is.name, op->name) &&
		    (!op->dso || (is.dso && !strcmp(is.dso, op->dso))))
			return row;
	}
	return NULL;
}

int view_sandwich_new(struct view_sandwich *s, const struct table *rich,
		      const struct table_ask *ask, const struct table_op *op, uint32_t event,
		      struct err *e)
{
	int ret;

	*s = (struct view_sandwich){ 0 };
	ret = make_side(s, 0, rich, ask, op, e);
	ret = ret ?: make_side(s, 1, rich, ask, op, e);
	if (ret)
		return ret;
	s->above = find_row(s->callers, event, op);
	s->below = find_row(s->callees, event, op);
	if (s->above)
		s->total = (struct table_count){ s->above->nr, s->above->period };
	if (s->below)
		s->self = (struct table_count){ s->below->nr, s->below->period };
	return 0;
}

void view_sandwich_free(struct view_sandwich *s)
{
	view_free(s->callers);
	view_free(s->callees);
	table_free(s->tables[0]);
	table_free(s->tables[1]);
	*s = (struct view_sandwich){ 0 };
}
