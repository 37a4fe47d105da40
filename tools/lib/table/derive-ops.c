// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The operations of table_derive(). Those on samples ask for what a group or a place is, once for each.
 * Those on chains get the frames of one end of a chain as a list, outermost first, and change it one
 * after the other; whether a frame is meant is asked once per frame that there is.
 *
 * A sample is counted at its innermost frame. Where that goes, it is counted at the next one that is
 * left; where none is, the sample is left out.
 */
#include "derive-int.h"

/* What keys and names are asked of; a sample without a chain is a chain of one. */
#define OWN_FROM (UINT32_MAX - 1)

static bool of_chain(enum table_op_kind kind)
{
	return kind >= TABLE_FOCUS;
}

static bool has_name(enum table_op_kind kind)
{
	switch (kind) {
	case TABLE_COMM:
	case TABLE_DSO:
	case TABLE_SYMBOL:
	case TABLE_FOCUS:
	case TABLE_HIDE_SYMBOL:
	case TABLE_HIDE_DSO:
	case TABLE_MERGE_DSO: return true;
	default: return false;
	}
}

static int start_op(struct op *op, const struct table_op *o, struct err *e)
{
	char why[128];
	int ret;

	op->o = o;
	if (o->kind >= NR_TABLE_OPS || (has_name(o->kind) && !o->name))
		return err_set(e, -EINVAL, "an operation on a table that means nothing");
	if (!has_name(o->kind) || o->match != TABLE_REGEX)
		return 0;
	ret = regcomp(&op->re, o->name, REG_EXTENDED | REG_NOSUB);
	if (ret) {
		regerror(ret, &op->re, why, sizeof(why));
		return err_set(e, -EINVAL, "Invalid regex: %s\n%s", o->name, why);
	}
	op->has_re = true;
	return 0;
}

int derive_start_ops(struct derive *d, const struct table_ask *ask, struct err *e)
{
	int ret = 0;

	if (!ask->nr_ops)
		return 0;
	d->ops = calloc(ask->nr_ops, sizeof(*d->ops));
	if (!d->ops)
		return err_set(e, -ENOMEM, "no memory for operations");
	for (; !ret && d->nr_ops < ask->nr_ops; d->nr_ops++) {
		const struct table_op *o = &ask->ops[d->nr_ops];

		ret = start_op(&d->ops[d->nr_ops], o, e);
		d->by_chain |= of_chain(o->kind);
	}
	if (!ret && d->by_chain && d->base->keys.o.branch)
		return err_set(e, -EINVAL, "rows of branches have no call chains");
	return ret;
}

void derive_stop_ops(struct derive *d)
{
	for (unsigned i = 0; i < d->nr_ops; i++) {
		if (d->ops[i].has_re)
			regfree(&d->ops[i].re);
		vec_free(&d->ops[i].match);
	}
	free(d->ops);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool name_matches(const struct op *op, const char *name)
{
	switch (op->o->match) {
	case TABLE_EXACT: return !strcmp(name, op->o->name);
	case TABLE_PART: return strstr(name, op->o->name) != NULL;
	case TABLE_REGEX: return !regexec(&op->re, name, 0, NULL, 0);
	}
	return false;
}

static bool is_dso(const struct op *op, const struct named *what)
{
	return what->dso && name_matches(op, what->dso->short_name);
}

static bool is_symbol(const struct op *op, const struct named *what)
{
	const char *dso = op->o->dso;

	return what->sym && name_matches(op, what->sym->name) &&
	       (!dso || (what->dso && !strcmp(what->dso->short_name, dso)));
}

static bool is_meant(const struct op *op, const struct named *what)
{
	return op->o->kind == TABLE_HIDE_DSO || op->o->kind == TABLE_MERGE_DSO
		       ? is_dso(op, what)
		       : is_symbol(op, what);
}

static struct named named_step(const struct derive *d, uint32_t from)
{
	const struct step *s;
	const struct loc *l;

	if (from >= d->base->steps.n)
		return d->merged.v[from - d->base->steps.n].what;
	s = &d->base->steps.v[from];
	l = resolver_loc(d->t->keys.res, derive_loc(d, s->place));
	return (struct named){ d->base->keys.frames.v[s->frame].sym, l->dso };
}

static bool matches(struct derive *d, struct op *op, uint32_t from)
{
	struct named what;

	if (from == OWN_FROM)
		return is_meant(op, &d->own);
	what = named_step(d, from);
	if (vec_reach(&op->match, from, 0))
		return is_meant(op, &what); /* no memory to remember it */
	if (!op->match.v[from])
		op->match.v[from] = is_meant(op, &what) ? 2 : 1;
	return op->match.v[from] == 2;
}

/* ---- samples --------------------------------------------------------------------------------- */

static bool in_time(const struct derive *d, uint32_t group, const struct table_op *o)
{
	const struct time_slices *ts = &d->base->keys.slices;
	uint32_t at = keys_slice_at(ts, derive_group_value(d, group, RICH_SLICE));
	uint64_t start = (ts->first + at) << ts->shift;

	return at != ID_NONE && start >= o->from && start < o->to;
}

static bool group_is_meant(const struct derive *d, uint32_t group, const struct op *op)
{
	const struct table_op *o = op->o;
	const struct thread *th =
		machine_thread_at(d->t->keys.m, derive_group_value(d, group, RICH_THREAD));
	uint32_t cpu = (uint32_t)derive_group_value(d, group, RICH_CPU);
	const struct perfdata *pd = d->t->keys.o.pd;

	switch (o->kind) {
	case TABLE_COMM:
		return name_matches(op,
				    intern_str(&d->base->keys.names,
					       (uint32_t)derive_group_value(d, group, RICH_COMM)));
	case TABLE_PROCESS: return th && th->pid == o->num;
	case TABLE_THREAD: return th && th->tid == o->num;
	case TABLE_CPU: return cpu == o->num;
	case TABLE_SOCKET: return pd && perfdata_cpu_socket(pd, cpu) == o->num;
	case TABLE_TIME: return in_time(d, group, o);
	default: return !o->not ; /* it is about something else */
	}
}

bool derive_group_passes(const struct derive *d, uint32_t group)
{
	for (unsigned i = 0; i < d->nr_ops; i++)
		if (!of_chain(d->ops[i].o->kind) &&
		    group_is_meant(d, group, &d->ops[i]) == d->ops[i].o->not )
			return false;
	return true;
}

bool derive_place_passes(const struct derive *d, uint32_t place, bool second)
{
	const struct tuples *places = second ? &d->base->places2 : &d->base->places;
	const struct loc *l =
		resolver_loc(d->t->keys.res, (uint32_t)keys_tuple_get(places, place)[RICH_LOC]);
	const struct named what = { l->sym, l->dso };

	for (unsigned i = 0; i < d->nr_ops; i++) {
		const struct op *op = &d->ops[i];
		bool is;

		switch (op->o->kind) {
		case TABLE_MODE: is = l->cpumode == op->o->num; break;
		case TABLE_DSO: is = is_dso(op, &what); break;
		case TABLE_SYMBOL: is = is_symbol(op, &what); break;
		default: continue;
		}
		if (is == op->o->not )
			return false;
	}
	return true;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* The sample is counted at the innermost frame that is left: 1 when there is none. */
static int count_at_last(struct derive *d)
{
	const struct link *l = d->links.n ? &d->links.v[d->links.n - 1] : NULL;

	if (!l)
		return 1;
	if (l->step == ID_NONE)
		return -ENOMEM;
	d->own_place = table_step_place(d->t, l->step);
	d->own = named_step(d, l->from);
	return 0;
}

static int focus(struct derive *d, struct op *op)
{
	size_t n = d->links.n, at = 0;

	while (at < n && !matches(d, op, d->links.v[at].from))
		at++;
	/* The sample's own address is not always a frame of its chain. */
	if (at == n && !matches(d, op, OWN_FROM))
		return !op->o->not ;
	if (op->o->not )
		return 1;
	if (op->o->cut == TABLE_BELOW) {
		memmove(d->links.v, d->links.v + at, (n - at) * sizeof(*d->links.v));
		d->links.n = n - at;
	}
	if (op->o->cut != TABLE_ABOVE || at + 1 >= n)
		return 0;
	d->links.n = at + 1;
	return count_at_last(d);
}

static int hide(struct derive *d, struct op *op)
{
	size_t had = d->links.n, n = 0;
	bool last = !had ? matches(d, op, OWN_FROM) : matches(d, op, d->links.v[had - 1].from);

	for (size_t i = 0; i < had; i++)
		if (!matches(d, op, d->links.v[i].from))
			d->links.v[n++] = d->links.v[i];
	d->links.n = n;
	return last ? count_at_last(d) : 0;
}

/* The one frame of an object; UINT32_MAX: no memory. */
static uint32_t merged_frame(struct derive *d, const struct dso *dso, uint8_t cpumode)
{
	const struct loc at = { .dso = (struct dso *)dso, .cpumode = cpumode };
	struct place_in in = { .at = &at, .chain = true, .loc = LOC_NONE };
	struct merged new = { .what.dso = dso };
	char name[256];

	vec_for_each (have, &d->merged)
		if (have->what.dso == dso)
			return (uint32_t)(d->base->steps.n + (size_t)(have - d->merged.v));
	snprintf(name, sizeof(name), *dso->short_name == '[' ? "%s" : "[%s]", dso->short_name);
	in.sym = new.what.sym = symbol_stand_in(d->t->keys.res, name);
	new.step = in.sym ? table_step_in(d->t, &in) : ID_NONE;
	if (new.step == ID_NONE || vec_push(&d->merged, new))
		return UINT32_MAX;
	return (uint32_t)(d->base->steps.n + d->merged.n - 1);
}

static uint8_t mode_of(const struct derive *d, uint32_t from)
{
	return resolver_loc(d->t->keys.res, derive_loc(d, d->base->steps.v[from].place))->cpumode;
}

static int merge_own(struct derive *d, struct op *op, uint32_t place)
{
	const struct loc *l = resolver_loc(d->t->keys.res, derive_loc(d, place));
	uint32_t from;

	if (!matches(d, op, OWN_FROM))
		return 0;
	from = merged_frame(d, d->own.dso, l->cpumode);
	if (from == UINT32_MAX)
		return -ENOMEM;
	d->own = named_step(d, from);
	d->own_place = table_step_place(d->t, d->merged.v[from - d->base->steps.n].step);
	return 0;
}

static int merge_dso(struct derive *d, struct op *op, uint32_t place)
{
	size_t had = d->links.n, n = 0;
	uint32_t last = had ? d->links.v[had - 1].from : OWN_FROM;

	for (size_t i = 0; i < had; i++) {
		struct link l = d->links.v[i];

		if (l.from < d->base->steps.n && matches(d, op, l.from)) {
			const struct named what = named_step(d, l.from);

			l.from = merged_frame(d, what.dso, mode_of(d, l.from));
			if (l.from == UINT32_MAX)
				return -ENOMEM;
			l.step = d->merged.v[l.from - d->base->steps.n].step;
			if (n && d->links.v[n - 1].from == l.from)
				continue;
		}
		d->links.v[n++] = l;
	}
	d->links.n = n;
	if (!had)
		return merge_own(d, op, place);
	return d->links.v[n - 1].from != last ? count_at_last(d) : 0;
}

/* Frames of one function; without a symbol, of one address. */
static bool same_function(const struct derive *d, const struct link *a, const struct link *b)
{
	struct named x, y;

	if (a->from == b->from)
		return true;
	x = named_step(d, a->from);
	y = named_step(d, b->from);
	return x.sym && x.sym == y.sym && x.dso == y.dso;
}

static int recursion(struct derive *d, struct op *op)
{
	size_t had = d->links.n, n = 0;

	for (size_t i = 0; i < had; i++) {
		size_t same = op->o->num || !n ? 0 : n - 1;

		while (same < n && !same_function(d, &d->links.v[same], &d->links.v[i]))
			same++;
		/* What stands between two calls of a function goes with the outer one. */
		d->links.v[same] = d->links.v[i];
		n = same + 1;
	}
	d->links.n = n;
	return 0;
}

static int apply(struct derive *d, struct op *op, uint32_t place)
{
	switch (op->o->kind) {
	case TABLE_FOCUS: return focus(d, op);
	case TABLE_HIDE_SYMBOL:
	case TABLE_HIDE_DSO: return hide(d, op);
	case TABLE_MERGE_DSO: return merge_dso(d, op, place);
	case TABLE_RECURSION: return recursion(d, op);
	default: return 0;
	}
}

/* The frames of @node, outermost first, as they are here. */
static int load(struct derive *d, uint32_t node)
{
	const struct chains *c = &d->base->ch;
	bool named_only = d->t->keys.o.filter.hide_unresolved;
	uint32_t depth = 0;

	d->climb.n = d->links.n = 0;
	for (; !(node & NODE_ROOT); node = c->nodes.v[node].parent)
		if (vec_push(&d->climb, c->nodes.v[node].step))
			return -ENOMEM;
	for (size_t i = d->climb.n; i-- > 0; depth++) {
		struct link l = { .from = d->climb.v[i], .note = depth };

		if (named_only && !named_step(d, l.from).sym)
			continue;
		l.step = derive_step(d, l.from);
		if (l.step == ID_NONE || vec_push(&d->links, l))
			return -ENOMEM;
	}
	return 0;
}

int derive_links(struct derive *d, uint32_t node, uint32_t place)
{
	const struct loc *l = resolver_loc(d->t->keys.res, derive_loc(d, place));
	int ret;

	d->own = (struct named){ l->sym, l->dso };
	d->own_place = ID_NONE;
	ret = load(d, node == ID_NONE ? NODE_ROOT : node);
	for (unsigned i = 0; !ret && i < d->nr_ops; i++)
		if (of_chain(d->ops[i].o->kind))
			ret = apply(d, &d->ops[i], place);
	return ret;
}
