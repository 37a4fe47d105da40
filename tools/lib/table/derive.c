// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A table out of a rich one. What a rich row says of its samples is put together again as a sample, a
 * thread and a location, and the keys are asked as they are when samples come; once per group, place
 * and frame, not once per row. So there is one definition of every key, and rows that are equal in the
 * new keys are one.
 *
 * What is left out is known by group or by place, but for what operations on chains leave out.
 *
 * A table may be begun while its base still gets samples (table_derive_ahead()). The walk then makes rows
 * and leafs of what is new and remembers which became which (struct derived); the base's counts still
 * change, so a second walk, at the end, adds them by what is remembered. Without that one walk does both.
 */
#include "derive-int.h"

/* ---- which values ---------------------------------------------------------------------------- */

/* Where the base has values of a key of samples; 0 = nowhere. */
static unsigned counted_slot(const struct table *base, const char *name)
{
	for (unsigned i = 0; i < base->nr_group; i++)
		if (!strcmp(base->group_cols[i]->key->name, name))
			return i + 1;
	return 0;
}

static int find_slots(struct derive *d, struct err *e)
{
	const struct table *t = d->t;

	for (unsigned i = 0; i < t->nr_group; i++) {
		const struct key *k = t->group_cols[i]->key;

		d->group_slot[i] = counted_slot(d->base, k->name);
		if (d->group_slot[i] || keys_is_derived(k) || k->need == PERF_SAMPLE_TIME)
			continue;
		err_set(e, -EINVAL, "key `%s' was not counted when the recording was read",
			k->name);
		err_hint(e, "Name it with -s when it is read.");
		return -EINVAL;
	}
	d->parent_slot = counted_slot(d->base, "parent");
	d->parallelism_slot = counted_slot(d->base, "parallelism");
	return 0;
}

static int find_sums(struct derive *d, struct err *e)
{
	struct sums *s = &d->t->sums;

	for (unsigned i = 0; i < s->n; i++) {
		d->from_sum[i] = table_sum_of(&d->base->sums, s->v[i].acc);
		if (!d->from_sum[i] && !s->v[i].acc->of_row)
			return err_set(e, -EINVAL,
				       "`%s' was not counted when the recording was read",
				       s->v[i].acc->name);
	}
	return 0;
}

static uint64_t counted_value(struct derive *d, const struct key *k, uint64_t v)
{
	const struct keys *from = &d->base->keys;
	uint64_t vals[4];

	switch (k->value) {
	case VALUE_NAME: return keys_name_id(&d->t->keys, intern_str(&from->names, (uint32_t)v));
	case VALUE_DADDR: /* address, name, level, width: key-mem.c */
		memcpy(vals, keys_tuple_get(&from->daddrs, (uint32_t)v), sizeof(vals));
		vals[1] = keys_name_id(&d->t->keys, intern_str(&from->names, (uint32_t)vals[1]));
		return keys_tuple_id(&d->t->keys.daddrs, vals);
	default: return v;
	}
}

/* ---- groups, places, steps ------------------------------------------------------------------- */

static uint32_t make_group(struct derive *d, uint32_t group)
{
	const uint64_t *have = keys_tuple_get(&d->base->groups, group);
	const struct time_slices *ts = &d->base->keys.slices;
	const char *comm =
		intern_str(&d->base->keys.names, (uint32_t)derive_group_value(d, group, RICH_COMM));
	uint32_t slice = keys_slice_at(ts, derive_group_value(d, group, RICH_SLICE));
	const struct sample s = {
		.cpu = (uint32_t)derive_group_value(d, group, RICH_CPU),
		.time = slice == ID_NONE ? UINT64_MAX : (ts->first + slice) << ts->shift,
	};
	struct thread *th =
		machine_thread_at(d->t->keys.m, derive_group_value(d, group, RICH_THREAD));
	uint64_t vals[MAX_VALUES] = { have[0] };

	for (unsigned i = 0; i < d->t->nr_group; i++) {
		const struct key *k = d->t->group_cols[i]->key;
		uint64_t v;

		if (d->group_slot[i])
			v = counted_value(d, k, have[d->group_slot[i]]);
		else if (k->of_comm)
			v = k->of_comm(&d->t->keys, comm);
		else
			v = k->sample(&d->t->keys, &s, th);
		vals[i + 1] = k->mask ? v & k->mask : v;
	}
	return keys_tuple_id(&d->t->groups, vals);
}

uint32_t derive_group(struct derive *d, uint32_t group)
{
	if (d->group.v[group] == ID_NONE)
		d->group.v[group] = make_group(d, group);
	return d->group.v[group];
}

uint32_t derive_place(struct derive *d, uint32_t place, bool second)
{
	const uint64_t *v = keys_tuple_get(second ? &d->base->places2 : &d->base->places, place);
	uint32_t *at = second ? &d->place2.v[place] : &d->place.v[place];

	if (*at == ID_NONE)
		*at = table_place_of_loc(d->t, (uint32_t)v[RICH_LOC], v[RICH_IP], second);
	return *at;
}

uint32_t derive_step(struct derive *d, uint32_t step)
{
	const struct step *s = &d->base->steps.v[step];
	const uint64_t *v = keys_tuple_get(&d->base->places, s->place);

	if (d->step.v[step] == ID_NONE)
		d->step.v[step] = table_step_of(d->t, (uint32_t)v[RICH_LOC], v[RICH_IP],
						d->base->keys.frames.v[s->frame].sym);
	return d->step.v[step];
}

/* ---- what passes ----------------------------------------------------------------------------- */

static bool options_pass_group(const struct derive *d, uint32_t group)
{
	const uint64_t *have = keys_tuple_get(&d->base->groups, group);
	const struct keys_opts *o = &d->t->keys.o;
	const struct keys_filter *f = &o->filter;
	const struct thread *th =
		machine_thread_at(d->t->keys.m, derive_group_value(d, group, RICH_THREAD));
	const char *comm =
		intern_str(&d->base->keys.names, (uint32_t)derive_group_value(d, group, RICH_COMM));

	if (f->session && !session_filter_thread(f->session, th, comm))
		return false;
	if (f->by_socket &&
	    (!o->pd || perfdata_cpu_socket(o->pd, (uint32_t)derive_group_value(
							  d, group, RICH_CPU)) != f->socket))
		return false;
	if (f->exclude_other && d->parent_slot && !have[d->parent_slot])
		return false;
	return !f->parallelism || !d->parallelism_slot ||
	       bits_test(&d->t->feed->f_parallelism, (uint32_t)have[d->parallelism_slot]);
}

/* Of branches there is no place of the sample itself: reading has left out what it had to. */
static enum pass options_pass_place(const struct derive *d, uint32_t place)
{
	const struct keys_filter *f = &d->t->keys.o.filter;
	const uint64_t *v;
	const struct loc *l;

	if (d->t->keys.o.branch)
		return PASS;
	v = keys_tuple_get(&d->base->places, place);
	l = resolver_loc(d->t->keys.res, (uint32_t)v[RICH_LOC]);
	if (f->hide_unresolved && !l->sym)
		return PASS_DROP;
	if (f->session && !session_filter_place(f->session, l, v[RICH_IP]))
		return PASS_NOT;
	if (f->symbol_part && !(l->sym && strstr(l->sym->name, f->symbol_part)))
		return PASS_NOT;
	return PASS;
}

static enum pass row_passes(struct derive *d, const struct keys_row *row)
{
	bool branch = d->t->keys.o.branch;
	uint32_t place = branch ? row->place2 : row->place;
	uint8_t *g = &d->group_pass.v[row->group], *p = &d->place_pass.v[place];

	if (*g == PASS_UNKNOWN)
		*g = options_pass_group(d, row->group) && derive_group_passes(d, row->group)
			     ? PASS
			     : PASS_NOT;
	if (*p == PASS_UNKNOWN) {
		*p = (uint8_t)options_pass_place(d, place);
		if (*p == PASS && !derive_place_passes(d, place, branch))
			*p = PASS_NOT;
	}
	return *p == PASS_DROP ? PASS_DROP : *g == PASS ? *p : PASS_NOT;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static const void *base_slot(const struct sum *from, uint32_t row, uint32_t leaf)
{
	return leaf == ID_NONE ? table_slot(&from->row, row) : table_slot(&from->leaf, leaf);
}

/* What a rich row tells of its samples, for accumulators that need no more. */
static int add_of_row(struct derive *d, const struct acc *acc, void *slot,
		      const struct keys_row *from, uint64_t period)
{
	const struct sample s = { .cpumode = from->cpumode };
	const struct acc_in in = {
		.s = &s,
		.th = machine_thread_at(d->t->keys.m,
					derive_group_value(d, from->group, RICH_THREAD)),
		.period = period,
		.times = 1,
		.parallelism = 1,
	};

	return d->t->keys.o.branch && !acc->per_entry ? 0 : acc->add(slot, &in, NULL);
}

int derive_sums(struct derive *d, const struct keys_row *from, uint32_t from_leaf, uint32_t row,
		uint32_t leaf, uint64_t period)
{
	struct sums *sums = &d->t->sums;

	for (unsigned i = 0; i < sums->n; i++) {
		struct sum *s = &sums->v[i];
		void *slot = s->acc->per_leaf && leaf != ID_NONE ? table_slot_reach(&s->leaf, leaf)
								 : table_slot_reach(&s->row, row);
		int ret;

		if (!slot)
			return -ENOMEM;
		ret = d->from_sum[i]
			      ? s->acc->merge(slot, base_slot(d->from_sum[i], from->idx, from_leaf),
					      NULL)
			      : add_of_row(d, s->acc, slot, from, period);
		if (ret)
			return ret;
	}
	return 0;
}

/* What is left out is part of what shares are of. */
static int left_out(struct derive *d, uint32_t event, uint32_t row, uint32_t leaf)
{
	struct sums *sums = &d->t->sums;

	for (unsigned i = 0; i < sums->n; i++) {
		struct sum *s = &sums->v[i];
		void *slot;

		if (!s->acc->is_share || !d->from_sum[i])
			continue;
		slot = table_slot_reach(&s->event, 2 * (size_t)event);
		if (!slot || s->acc->merge(slot, base_slot(d->from_sum[i], row, leaf), NULL))
			return -ENOMEM;
	}
	return 0;
}

/* What reading left out has no rows: it is in the totals alone. */
static int copy_totals(struct derive *d)
{
	struct sums *sums = &d->t->sums;

	for (uint32_t i = 0; i < d->base->events.n; i++) {
		struct event_rows *ev = table_event_rows(d->t, i);

		if (!ev)
			return -ENOMEM;
		*ev = d->base->events.v[i];
		ev->totals.nr_filtered_samples = ev->totals.filtered_period = 0;
	}
	for (unsigned i = 0; i < sums->n; i++) {
		struct sum *s = &sums->v[i];
		const struct sum *from = d->from_sum[i];

		for (size_t k = 0; from && k < from->event.n; k++) {
			void *slot = table_slot_reach(&s->event, k);

			if (!slot || s->acc->merge(slot, table_slot(&from->event, k), NULL))
				return -ENOMEM;
		}
	}
	d->t->max_members = d->base->max_members;
	d->t->parallel = d->base->parallel;
	return 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* How many samples of the row, or of a chain of it, weigh how much. */
struct part {
	uint64_t nr, period;
	enum pass pass;
};

static int count(struct derive *d, const struct keys_row *row, uint32_t leaf, const struct part *p)
{
	uint32_t event = table_row_event(d->base, row);
	struct table_totals *totals = &d->t->events.v[event].totals;
	struct derived *of = d->t->derived;
	uint32_t slice;

	if (p->pass == PASS_DROP) {
		totals->nr_samples -= p->nr;
		totals->period -= p->period;
		return 0;
	}
	if (p->pass != PASS)
		return left_out(d, event, row->idx, leaf);
	if (!d->t->keys.o.branch)
		totals->nr_filtered_samples += p->nr;
	totals->filtered_period += p->period;
	slice = keys_slice_at(&d->base->keys.slices, derive_group_value(d, row->group, RICH_SLICE));
	if (slice != ID_NONE) {
		struct table_count *c =
			&of->over_time[(size_t)event * d->base->keys.slices.nr + slice];

		c->nr += p->nr;
		c->period += p->period;
	}
	return 0;
}

static void count_types(struct derive *d, const struct keys_row *row)
{
	const uint64_t *from = keys_tuple_get(&d->base->places, row->place);
	const uint64_t *to = keys_tuple_get(&d->base->places2, row->place2);

	table_branch_count_type(&d->t->branch, from[RICH_IP], to[RICH_IP], row->bits, row->nr);
	d->t->branch.entries += row->nr;
}

static int find_branches(struct derive *d, const struct keys_row *from, uint32_t group,
			 uint32_t *to)
{
	uint32_t place = derive_place(d, from->place, false);
	uint32_t place2 = derive_place(d, from->place2, true);
	struct keys_row *row;

	if (place == ID_NONE || place2 == ID_NONE)
		return -ENOMEM;
	row = table_row_of(d->t, group, place, place2, from->bits & d->t->bit_mask);
	if (!row)
		return -ENOMEM;
	if (row->thread == ID_NONE) {
		row->thread = from->thread;
		row->cpumode = from->cpumode;
	}
	*to = row->idx;
	return 0;
}

static int find_row(struct derive *d, const struct keys_row *row, uint32_t *to)
{
	uint32_t group = derive_group(d, row->group);

	d->t->keys.reader->at_thread = machine_thread_at(d->t->keys.m, row->thread);
	if (group == ID_NONE)
		return -ENOMEM;
	return d->t->keys.o.branch ? find_branches(d, row, group, to)
				   : derive_bare(d, row, group, to);
}

static int take_row(struct derive *d, uint32_t i)
{
	const struct keys_row *row = &d->base->rows.v[i];
	struct part p = { row->nr, row->period, PASS };
	uint32_t *to = &d->t->derived->row.v[i];
	int ret = 0;

	/* All of its samples have chains; of branches: they wait in slots. */
	if (!row->nr && !(d->ahead && d->t->keys.o.branch))
		return 0;
	p.pass = row_passes(d, row);
	if (p.pass == PASS && *to == ID_NONE) {
		ret = derive_flush(d);
		ret = ret ?: find_row(d, row, to);
	}
	if (ret || d->ahead)
		return ret;
	if (p.pass == PASS && *to == ID_NONE)
		p.pass = PASS_NOT;
	if (p.pass == PASS && d->t->keys.o.branch)
		count_types(d, row);
	ret = p.pass == PASS ? derive_count_row(d, row, ID_NONE, *to) : 0;
	return ret ?: count(d, row, ID_NONE, &p);
}

static int take_leaf(struct derive *d, uint32_t i)
{
	const struct leaf *l = &d->base->ch.leafs.v[i];
	const struct keys_row *row = &d->base->rows.v[l->row];
	struct part p = { l->count, l->period, row_passes(d, row) };
	uint32_t group;
	int ret = 0;

	if (p.pass == PASS && d->t->derived->leaf.v[i] != ID_NONE) {
		ret = derive_count_leaf(d, i);
	} else if (p.pass == PASS) {
		bool kept = false;

		group = derive_group(d, row->group);
		d->t->keys.reader->at_thread = machine_thread_at(d->t->keys.m, row->thread);
		ret = group == ID_NONE ? -ENOMEM : derive_leaf(d, i, group, &kept);
		if (!kept)
			p.pass = PASS_NOT;
	}
	return ret || d->ahead ? ret : count(d, row, i, &p);
}

/* What take_row() will look at soon: each look goes elsewhere in tables larger than the caches. */
static void ask_for_row(const struct derive *d, uint32_t i)
{
	const struct table *base = d->base;
	const struct keys_row *row = &base->rows.v[i];
	uint32_t to = d->t->derived->row.v[i];

	__builtin_prefetch(keys_tuple_get(&base->groups, row->group));
	if (to != ID_NONE)
		__builtin_prefetch(&d->t->rows.v[to], 1);
	if (!d->t->keys.o.branch)
		return;
	__builtin_prefetch(keys_tuple_get(&base->places, row->place));
	__builtin_prefetch(keys_tuple_get(&base->places2, row->place2));
}

#define ROWS_AHEAD 16

/* In the order in which the first samples of each came; see table_rows_mark(). */
static int take_rows(struct derive *d, uint32_t first_node)
{
	const struct table *base = d->base;
	int ret = 0;

	for (; !ret && d->next_row < base->rows.n &&
	       base->rows.v[d->next_row].first_node <= first_node;
	     d->next_row++) {
		if (d->next_row + ROWS_AHEAD < base->rows.n)
			ask_for_row(d, d->next_row + ROWS_AHEAD);
		ret = take_row(d, d->next_row);
	}
	return ret;
}

static int take_new(struct derive *d)
{
	const struct table *base = d->base;
	int ret = 0;

	for (; !ret && d->next_leaf < base->ch.leafs.n; d->next_leaf++) {
		ret = take_rows(d, d->next_leaf);
		ret = ret ?: take_leaf(d, d->next_leaf);
	}
	ret = ret ?: take_rows(d, UINT32_MAX);
	return ret ?: derive_flush(d);
}

static int take_all(struct derive *d)
{
	const struct table *base = d->base;
	int ret;

	d->next_leaf = d->next_row = 0;
	ret = take_new(d);
	/* Samples of branches are counted by group. */
	for (uint32_t g = 0; !ret && g < base->group_counts.n; g++)
		if (d->group_pass.v[g] == PASS)
			d->t->events.v[keys_tuple_get(&base->groups, g)[0]]
				.totals.nr_filtered_samples += base->group_counts.v[g].nr;
	return ret;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* @vec: as long as @want, what is new all @byte. 0 or -ENOMEM. */
#define LENGTHEN(vec, want, byte)                                                               \
	({                                                                                      \
		size_t n_ = (want);                                                             \
		int ret_ = n_ > (vec)->n ? vec_reserve(vec, n_) : 0;                            \
		if (!ret_ && n_ > (vec)->n) {                                                   \
			memset((vec)->v + (vec)->n, byte, (n_ - (vec)->n) * sizeof(*(vec)->v)); \
			(vec)->n = n_;                                                          \
		}                                                                               \
		ret_;                                                                           \
	})

/* As long as the base is by now. */
static int lengthen_maps(struct derive *d)
{
	const struct table *base = d->base;
	struct derived *of = d->t->derived;
	int ret = LENGTHEN(&of->row, base->rows.n, 0xff);

	ret = ret ?: LENGTHEN(&of->leaf, base->ch.leafs.n, 0xff);
	ret = ret ?: LENGTHEN(&d->group, base->groups.n, 0xff);
	ret = ret ?: LENGTHEN(&d->place, base->places.n, 0xff);
	ret = ret ?: LENGTHEN(&d->place2, base->places2.n, 0xff);
	ret = ret ?: LENGTHEN(&d->step, base->steps.n, 0xff);
	ret = ret ?: LENGTHEN(&d->group_pass, base->groups.n, 0);
	return ret ?: LENGTHEN(&d->place_pass, max_u64(base->places.n, base->places2.n), 0);
}

static void free_derive(struct derive *d)
{
	derive_stop_ops(d);
	vec_free(&d->group);
	vec_free(&d->place);
	vec_free(&d->place2);
	vec_free(&d->step);
	vec_free(&d->group_pass);
	vec_free(&d->place_pass);
	free(d->ways);
	vec_free(&d->climb);
	vec_free(&d->queue.links);
	vec_free(&d->links);
	vec_free(&d->merged);
	free(d);
}

static int check(const struct table *base, const struct keys_opts *o, struct err *e)
{
	const struct keys_opts *had = &base->keys.o;

	if (!had->rich)
		return err_set(e, -EINVAL, "only of a rich table others can be made");
	if (o->branch != had->branch || o->history != had->history)
		return err_set(e, -EINVAL,
			       "rows of samples and of branches are counted apart: "
			       "read the recording again");
	if ((o->use_chains || o->children) && !had->use_chains && !had->children)
		return err_set(e, -EINVAL, "no call chains were counted");
	return 0;
}

/* As many as there are nodes, for a few groups; all where the base still grows. */
static unsigned ways_wanted(const struct table *base)
{
	unsigned bits = 6;

	while (bits < WAY_BITS && (base->feed || base->ch.nodes.n > (size_t)1 << bits >> 3))
		bits++;
	return bits;
}

static int setup(struct derive *d, const struct keys_opts *opts, struct err *e)
{
	struct keys_opts o = *opts;
	int ret;

	o.rich = false;
	d->t = table_new_of(&o, d->base->keys.m, d->base->keys.res, NULL);
	if (!d->t)
		return err_set(e, -ENOMEM, "no memory for a table");
	ret = table_cols(d->t, e);
	if (!ret && table_sums_choose(&d->t->sums, &d->t->keys.o))
		ret = err_set(e, -ENOMEM, "no memory for a table");
	ret = ret ?: table_filter_setup(d->t, e);
	ret = ret ?: find_slots(d, e);
	ret = ret ?: find_sums(d, e);
	if (ret)
		return ret;
	table_set_steps(d->t);
	d->chains = o.use_chains || o.children;
	d->by_chain = o.history || o.filter.hide_unresolved;
	d->way_bits = ways_wanted(d->base);
	d->ways = d->chains ? calloc((size_t)1 << d->way_bits, sizeof(*d->ways)) : NULL;
	d->t->derived = calloc(1, sizeof(*d->t->derived));
	if (!d->t->derived || (d->chains && !d->ways))
		return err_set(e, -ENOMEM, "no memory for a table");
	d->t->derived->base = d->base;
	return 0;
}

/* Nothing of the base changes any more. */
static int start_counts(struct derive *d)
{
	const struct table *base = d->base;
	struct derived *of = d->t->derived;

	d->t->keys.slices = base->keys.slices;
	of->nr_events = (uint32_t)base->events.n;
	of->over_time = calloc(base->events.n * base->keys.slices.nr + 1, sizeof(*of->over_time));
	return of->over_time ? copy_totals(d) : -ENOMEM;
}

/* Once rows and their sums are there. */
static int copy_ipc(struct derive *d)
{
	VEC(struct ipc) *to = (void *)&d->t->keys.ipc;
	size_t n = d->base->keys.ipc.n;

	if (!n || vec_reserve(to, n))
		return n ? -ENOMEM : 0;
	memcpy(to->v, d->base->keys.ipc.v, n * sizeof(*to->v));
	to->n = n;
	return 0;
}

void table_derive_drop(struct derive *d)
{
	if (!d)
		return;
	table_free(d->t);
	free_derive(d);
}

static struct derive *start(const struct table *base, const struct table_ask *ask, struct err *e)
{
	const struct keys_opts *o = ask->opts ? ask->opts : &base->keys.o;
	struct derive *d = calloc(1, sizeof(*d));
	int ret;

	if (!d) {
		err_set(e, -ENOMEM, "no memory for a table");
		return NULL;
	}
	d->base = base;
	ret = check(base, o, e);
	ret = ret ?: setup(d, o, e);
	ret = ret ?: derive_start_ops(d, ask, e);
	if (!ret)
		return d;
	table_derive_drop(d);
	return NULL;
}

int table_derive_end(struct table **out, struct derive *d, struct err *e)
{
	int ret = 0;

	*out = NULL;
	d->ahead = false;
	if (d->base->feed)
		ret = err_set(e, -EINVAL, "the rich table is not finished");
	else if (lengthen_maps(d) || start_counts(d) || take_all(d) || copy_ipc(d))
		ret = err_set(e, -ENOMEM, "no memory to add up rows");
	ret = ret ?: table_finish(d->t, e);
	if (ret) {
		table_derive_drop(d);
		return ret;
	}
	*out = d->t;
	free_derive(d);
	return 0;
}

int table_derive(struct table **out, const struct table *base, const struct table_ask *ask,
		 struct err *e)
{
	struct derive *d = start(base, ask, e);

	*out = NULL;
	return d ? table_derive_end(out, d, e) : e->code;
}

/* ---- ahead ----------------------------------------------------------------------------------- */

/* Slices of time change their length while samples come. */
static bool asks_time(const struct table *t)
{
	for (unsigned i = 0; i < t->nr_group; i++)
		if (t->group_cols[i]->key->need & PERF_SAMPLE_TIME)
			return true;
	return false;
}

int table_derive_ahead(struct derive **out, const struct table *rich, const struct keys_opts *o,
		       struct err *e)
{
	const struct table_ask ask = { .opts = o };
	struct derive *d = start(rich, &ask, e);

	*out = NULL;
	if (!d)
		return e->code;
	d->ahead = true;
	if (d->by_chain || asks_time(d->t))
		table_derive_drop(d);
	else
		*out = d;
	return 0;
}

int table_derive_more(struct derive *d, struct err *e)
{
	if (lengthen_maps(d) || take_new(d))
		return err_set(e, -ENOMEM, "no memory to add up rows");
	return 0;
}
