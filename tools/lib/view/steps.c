// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What somebody did, as a list. Nothing is ever taken back from a result: undo is a list with one step
 * less, and what that gives is derived from the rich table again, or is still there. A step that is
 * pushed has a number that no other has, so that the number of the last step that is done stands for
 * all before it; results are kept under it.
 *
 * A step that only looks in another way (callers first, levels ...) has a view of its own and shares
 * the table with the step before it.
 */
#include "view-int.h"

#define KEPT 4 /* results */

struct steps_table {
	const struct table *t;
	struct table *own; /* NULL: it is somebody else's */
	unsigned refs;
};

struct steps_result {
	uint64_t step; /* 0 = before the first */
	uint64_t used; /* when it was shown last */
	struct keys_opts o;
	struct steps_table *table;
	struct view *v;
};

struct steps_entry {
	struct view_step step;
	uint64_t nr;
};

struct view_steps {
	const struct table *rich;
	const struct table *first; /* what there is before the first step; NULL = to be made */
	struct keys_opts o;
	VEC(struct steps_entry) list;
	size_t done; /* of these */
	uint64_t last_nr, clock;
	struct steps_result kept[KEPT], *shown;
	struct arena text;
};

/* ---- results --------------------------------------------------------------------------------- */

static void drop_table(struct steps_table *t)
{
	if (!t || --t->refs)
		return;
	table_free(t->own);
	free(t);
}

static void drop(struct steps_result *r)
{
	view_free(r->v);
	drop_table(r->table);
	*r = (struct steps_result){ 0 };
}

static bool new_rows(enum view_step_kind kind)
{
	return kind == VIEW_STEP_OP || kind == VIEW_STEP_SORT || kind == VIEW_STEP_CHILDREN ||
	       kind == VIEW_STEP_SIMD || kind == VIEW_STEP_LATENCY;
}

static void apply(struct keys_opts *o, struct view_filter *f, const struct view_step *step)
{
	switch (step->kind) {
	case VIEW_STEP_OP: break;
	case VIEW_STEP_SORT:
		o->sort = step->text;
		o->fields = NULL;
		break;
	case VIEW_STEP_HIERARCHY: o->hierarchy = step->on; break;
	case VIEW_STEP_CALLERS:
		o->chain.caller = step->on;
		o->chain.order_set = true;
		break;
	case VIEW_STEP_CHILDREN: o->children = step->on; break;
	case VIEW_STEP_RELATIVE: o->relative = step->on; break;
	case VIEW_STEP_LATENCY: o->latency = step->on; break;
	case VIEW_STEP_SIMD: o->simd = step->on; break;
	case VIEW_STEP_LIMIT: o->chain.min_percent = step->percent; break;
	case VIEW_STEP_ROWS_DSO: f->dsos = *step->text ? step->text : NULL; break;
	case VIEW_STEP_ROWS_PART: f->symbol_part = *step->text ? step->text : NULL; break;
	}
}

static struct steps_result *find(struct view_steps *s, uint64_t step)
{
	for (size_t i = 0; i < KEPT; i++)
		if (s->kept[i].v && s->kept[i].step == step)
			return &s->kept[i];
	return NULL;
}

/* The place of what was not shown for longest, but for what is shown now. */
static struct steps_result *oldest(struct view_steps *s)
{
	struct steps_result *r = NULL;

	for (size_t i = 0; i < KEPT; i++)
		if (&s->kept[i] != s->shown && (!r || s->kept[i].used < r->used))
			r = &s->kept[i];
	drop(r);
	return r;
}

/* A kept result with the rows that the first @n steps give: only looks lie between. */
static struct steps_table *find_table(struct view_steps *s, size_t n)
{
	for (;; n--) {
		struct steps_result *r = find(s, n ? s->list.v[n - 1].nr : 0);

		if (r)
			return r->table;
		if (!n || new_rows(s->list.v[n - 1].step.kind))
			return NULL;
	}
}

/* The operations among the first @n steps; the list is the caller's. NULL = no memory. */
static struct table_op *list_ops(const struct view_steps *s, size_t n, unsigned *nr)
{
	struct table_op *ops = calloc(n + 1, sizeof(*ops));

	*nr = 0;
	for (size_t i = 0; ops && i < n; i++)
		if (s->list.v[i].step.kind == VIEW_STEP_OP)
			ops[(*nr)++] = s->list.v[i].step.op;
	return ops;
}

static struct steps_table *derive(const struct view_steps *s, size_t n, const struct keys_opts *o,
				  struct err *e)
{
	struct table_ask ask = { .opts = o };
	struct table_op *ops = list_ops(s, n, &ask.nr_ops);
	struct steps_table *t = calloc(1, sizeof(*t));
	int ret = 0;

	if (!ops || !t) {
		free(ops);
		free(t);
		err_set(e, -ENOMEM, "no memory for another table");
		return NULL;
	}
	ask.ops = ops;
	if (n || !s->first)
		ret = table_derive(&t->own, s->rich, &ask, e);
	free(ops);
	if (ret) {
		free(t);
		return NULL;
	}
	t->t = t->own ? t->own : s->first;
	return t;
}

/* Shows what the first @n steps give. */
static int show(struct view_steps *s, size_t n, struct err *e)
{
	uint64_t nr = n ? s->list.v[n - 1].nr : 0;
	struct steps_result *r = find(s, nr), new = { .step = nr, .o = s->o };
	struct view_filter f = { 0 };

	if (!r) {
		for (size_t i = 0; i < n; i++)
			apply(&new.o, &f, &s->list.v[i].step);
		new.table = find_table(s, n) ?: derive(s, n, &new.o, e);
		if (!new.table)
			return e->code;
		new.table->refs++;
		if (view_new(&new.v, new.table->t, &new.o, f.dsos || f.symbol_part ? &f : NULL,
			     e)) {
			drop(&new);
			return e->code;
		}
		r = oldest(s);
		*r = new;
	}
	r->used = ++s->clock;
	s->shown = r;
	s->done = n;
	return 0;
}

/* ---- the list -------------------------------------------------------------------------------- */

int view_steps_new(struct view_steps **out, const struct table *rich, const struct keys_opts *o,
		   const struct table *first, struct err *e)
{
	struct view_steps *s = calloc(1, sizeof(*s));
	struct err mine = { 0 };
	int ret;

	*out = NULL;
	if (!s)
		return err_set(e, -ENOMEM, "no memory for steps");
	s->rich = rich;
	s->first = first;
	s->o = o ? *o : rich->keys.o;
	s->o.rich = false;
	ret = show(s, 0, e ? e : &mine);
	if (ret)
		view_steps_free(s);
	else
		*out = s;
	return ret;
}

void view_steps_free(struct view_steps *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < KEPT; i++)
		drop(&s->kept[i]);
	vec_free(&s->list);
	arena_free(&s->text);
	free(s);
}

static int copy_text(struct view_steps *s, const char **text)
{
	if (*text)
		*text = arena_strdup(&s->text, *text);
	return *text ? 0 : -ENOMEM;
}

static int copy_step(struct view_steps *s, struct view_step *step)
{
	return (step->text && copy_text(s, &step->text)) ||
			       (step->op.name && copy_text(s, &step->op.name)) ||
			       (step->op.dso && copy_text(s, &step->op.dso))
		       ? -ENOMEM
		       : 0;
}

int view_steps_push(struct view_steps *s, const struct view_step *step, struct err *e)
{
	struct steps_entry new = { *step, s->last_nr + 1 };
	struct err mine = { 0 };
	size_t had = s->list.n, n = s->done;
	struct steps_entry undone = { 0 };
	int ret;

	if (copy_step(s, &new.step) || vec_reserve(&s->list, n + 1))
		return err_set(e, -ENOMEM, "no memory for another step");
	if (n < had)
		undone = s->list.v[n];
	s->list.v[n] = new;
	s->last_nr++;
	s->list.n = n + 1;
	ret = show(s, n + 1, e ? e : &mine);
	if (!ret)
		return 0;
	s->list.n = had;
	if (n < had)
		s->list.v[n] = undone;
	return ret;
}

int view_steps_undo(struct view_steps *s, struct err *e)
{
	struct err mine = { 0 };

	return s->done ? show(s, s->done - 1, e ? e : &mine) : 1;
}

int view_steps_redo(struct view_steps *s, struct err *e)
{
	struct err mine = { 0 };

	return s->done < s->list.n ? show(s, s->done + 1, e ? e : &mine) : 1;
}

void view_steps_forget(struct view_steps *s)
{
	s->list.n = s->done;
}

int view_steps_sandwich(const struct view_steps *s, const struct table_op *op, uint32_t event,
			struct view_sandwich *out, struct err *e)
{
	struct table_ask ask = { .opts = &s->shown->o };
	struct table_op *ops = list_ops(s, s->done, &ask.nr_ops);
	int ret;

	*out = (struct view_sandwich){ 0 };
	if (!ops)
		return err_set(e, -ENOMEM, "no memory for another table");
	ask.ops = ops;
	ret = view_sandwich_new(out, s->rich, &ask, op, event, e);
	free(ops);
	return ret;
}

size_t view_steps_nr(const struct view_steps *s, size_t *redo)
{
	if (redo)
		*redo = s->list.n - s->done;
	return s->done;
}

const struct view_step *view_steps_at(const struct view_steps *s, size_t i)
{
	return i < s->list.n ? &s->list.v[i].step : NULL;
}

struct view *view_steps_view(const struct view_steps *s)
{
	return s->shown->v;
}

const struct table *view_steps_table(const struct view_steps *s)
{
	return s->shown->table->t;
}

const struct keys_opts *view_steps_opts(const struct view_steps *s)
{
	return &s->shown->o;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void put_name(struct obuf *o, const char *before, const char *name)
{
	obuf_str(o, before);
	obuf_char(o, ' ');
	emit_safe(o, name ? name : "");
}

static void put_number(struct obuf *o, const char *before, int64_t n)
{
	obuf_printf(o, "%s %lld", before, (long long)n);
}

static const char *mode_name(int64_t mode)
{
	switch (mode) {
	case PERF_RECORD_MISC_KERNEL: return "kernel";
	case PERF_RECORD_MISC_USER: return "user";
	case PERF_RECORD_MISC_HYPERVISOR: return "hypervisor";
	case PERF_RECORD_MISC_GUEST_KERNEL: return "guest kernel";
	case PERF_RECORD_MISC_GUEST_USER: return "guest user";
	default: return "unknown mode";
	}
}

static void put_op(const struct table_op *op, struct obuf *o)
{
	static const char *const cuts[] = { "focus", "callees of", "callers of" };

	if (op->not )
		obuf_str(o, op->kind == TABLE_FOCUS ? "ignore" : "without ");
	switch (op->kind) {
	case TABLE_COMM: put_name(o, "command", op->name); break;
	case TABLE_PROCESS: put_number(o, "process", op->num); break;
	case TABLE_THREAD: put_number(o, "thread", op->num); break;
	case TABLE_CPU: put_number(o, "CPU", op->num); break;
	case TABLE_SOCKET: put_number(o, "socket", op->num); break;
	case TABLE_MODE: obuf_str(o, mode_name(op->num)); break;
	case TABLE_DSO: put_name(o, "object", op->name); break;
	case TABLE_SYMBOL: put_name(o, "function", op->name); break;
	case TABLE_TIME:
		obuf_printf(o, "time %.3f s to %.3f s", (double)op->from / 1e9,
			    (double)op->to / 1e9);
		break;
	case TABLE_FOCUS: put_name(o, op->not ? "" : cuts[op->cut], op->name); break;
	case TABLE_HIDE_SYMBOL: put_name(o, "hide", op->name); break;
	case TABLE_HIDE_DSO: put_name(o, "hide object", op->name); break;
	case TABLE_MERGE_DSO: put_name(o, "merge object", op->name); break;
	case TABLE_RECURSION:
		obuf_str(o, op->num ? "recursion merged" : "direct recursion merged");
		break;
	case NR_TABLE_OPS: break;
	}
}

void view_step_text(const struct view_step *step, struct obuf *o)
{
	bool on = step->on;

	switch (step->kind) {
	case VIEW_STEP_OP: put_op(&step->op, o); break;
	case VIEW_STEP_SORT: put_name(o, "by", step->text); break;
	case VIEW_STEP_HIERARCHY: obuf_str(o, on ? "levels" : "no levels"); break;
	case VIEW_STEP_CALLERS: obuf_str(o, on ? "callers first" : "callees first"); break;
	case VIEW_STEP_CHILDREN: obuf_str(o, on ? "with callees" : "without callees"); break;
	case VIEW_STEP_RELATIVE: obuf_str(o, on ? "% of shown" : "% of all"); break;
	case VIEW_STEP_LATENCY: obuf_str(o, on ? "by latency" : "by overhead"); break;
	case VIEW_STEP_SIMD: obuf_str(o, on ? "SIMD" : "no SIMD"); break;
	case VIEW_STEP_LIMIT: obuf_printf(o, "from %g %%", step->percent); break;
	case VIEW_STEP_ROWS_DSO: put_name(o, "rows of", *step->text ? step->text : "all"); break;
	case VIEW_STEP_ROWS_PART:
		put_name(o, "rows with", *step->text ? step->text : "any name");
		break;
	}
}
