// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way of a sample: filters, group, place, row, chain. Samples with nothing but an address wait
 * in a queue (queue.c), those with chains in another one (chain.c), branch stacks have a cache of
 * their entries (branch.c); what is left goes to its row at once.
 */
#include "table-int.h"
#include "script/script.h"

int table_feed_new(struct table *t, struct unwind *u)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->u = u;
	f->keys.parallelism = 1;
	f->keys.frame_keys.width = 4;
	t->feed = f;
	t->keys.reader = &f->keys;
	return 0;
}

void table_feed_free(struct table *t)
{
	struct feed *f = t->feed;

	if (!f)
		return;
	table_filter_free(t);
	table_parent_free(t);
	table_queue_free(t);
	table_chain_forget(t);
	table_branch_free(t);
	vec_free(&f->locs);
	vec_free(&f->place_ip);
	vec_free(&f->symbols);
	vec_free(&f->step_list);
	htab_free(&f->step_tab);
	htab_free(&f->leaf_tab);
	keys_reader_free(&f->keys);
	free(f);
	t->feed = NULL;
	t->keys.reader = NULL;
}

static bool wants_chains(const struct table *t)
{
	return t->keys.o.use_chains || t->keys.o.children;
}

/* Samples wait for others, and their places are found with their chains. */
static bool in_batches(const struct table *t)
{
	return wants_chains(t) && t->feed->chain->limit > 1;
}

static int add_row(struct table *t, const struct sample *s, struct thread *th, uint32_t place,
		   uint32_t group)
{
	struct keys_row *row;
	struct acc_in in;

	if (wants_chains(t) && !t->keys.o.history)
		return table_chain_add(t, s, th, group, place);
	row = table_row_own(t, group, place, th->idx, s->cpumode, table_rows_mark(t));
	if (!row)
		return -ENOMEM;
	in = table_acc_in(t, s, th);
	if (t->keys.o.history)
		return table_history_add(t, &in, group, row);
	table_row_count(row, s->period, 1);
	return table_sums_add(&t->sums, row->idx, &in);
}

/* The place of a sample at @ip; false when filters drop it (*out is ID_NONE then). */
static bool find_place(struct table *t, uint8_t cpumode, uint64_t ip, struct thread *th,
		       uint32_t *out)
{
	uint32_t loc;

	*out = ID_NONE;
	t->feed->keys.at_thread = th;
	/* Rows are those of the branches. */
	if (t->keys.o.branch && !t->feed->filtering) {
		*out = 0;
		return true;
	}
	loc = resolver_find(t->keys.res, th, cpumode, ip);
	if (loc == LOC_NONE)
		return true;
	t->feed->loc = loc + 1;
	if (t->feed->filtering && !table_filter_pass(t, th, loc, ip))
		return false;
	*out = t->keys.o.branch ? 0 : table_place_of_loc(t, loc, ip, false);
	return true;
}

/* Samples that count nowhere. */
static bool ignored(struct table *t, const struct sample *s, struct thread *th)
{
	uint32_t loc;

	/* Upstream counts samples that have a branch. */
	if (t->keys.o.branch && !s->branches.nr)
		return true;
	if (!t->keys.o.filter.hide_unresolved)
		return false;
	loc = resolver_find(t->keys.res, th, s->cpumode, s->ip);
	return loc != LOC_NONE && !resolver_loc(t->keys.res, loc)->sym;
}

void table_set_parallelism(struct table *t, uint32_t n)
{
	t->feed->keys.parallelism = n ? n : 1;
	t->parallel |= n > 1;
}

/* What filters leave out is part of what shares are of. */
static int left_out(struct table *t, const struct sample *s, struct thread *th)
{
	struct acc_in in = table_acc_in(t, s, th);

	if (t->keys.o.branch)
		in.times = s->branches.nr;
	return table_sums_left_out(&t->sums, s->event ? s->event->idx : 0, &in);
}

/* Rows of branches do not tell how many samples they are of. */
static int count_group(struct table *t, uint32_t group, uint64_t entries)
{
	static const struct group_count none;

	if (vec_reach(&t->group_counts, group, none))
		return -ENOMEM;
	t->group_counts.v[group].nr++;
	t->group_counts.v[group].entries += entries;
	return 0;
}

int table_add(struct table *t, const struct sample *s, struct thread *th, struct err *e)
{
	struct event_rows *ev = table_event_rows(t, s->event ? s->event->idx : 0);
	uint64_t weight = t->keys.o.branch ? s->branches.nr : s->period;
	uint32_t place = ID_NONE, group;
	bool late, pass;
	int ret;

	if (!ev || (unlikely(t->feed->behind) && table_index_rest(t)))
		return err_set(e, -ENOMEM, "no memory to count samples");
	if (t->feed->queue) {
		ev->totals.nr_samples++;
		ev->totals.period += weight;
		ev->totals.nr_filtered_samples++;
		ev->totals.filtered_period += weight;
		ret = t->keys.o.no_rows ? 0 : table_queue_add(t, s, th);
		return ret ? err_set(e, ret, "no memory to count samples") : 0;
	}
	if (ignored(t, s, th))
		return 0;
	t->feed->keys.parent = t->feed->parent_re.set ? table_parent_of(t, s, th) : 0;
	if (t->feed->ignore.re.set && wants_chains(t) && !table_wants_unwind(t, s)) {
		s = table_ignore_callees(t, s, th);
		if (!s)
			return err_set(e, -ENOMEM, "no memory to count samples");
	}
	t->feed->loc = 0;
	/* The place is most often found with the chain. */
	late = in_batches(t) && !t->feed->filtering;
	pass = (late || find_place(t, s->cpumode, s->ip, th, &place)) &&
	       (!t->keys.o.filter.exclude_other || t->feed->keys.parent) &&
	       table_filter_sample(t, s);
	ev->totals.nr_samples++;
	ev->totals.period += weight;
	if (!pass) {
		ret = t->sums.nr_share ? left_out(t, s, th) : 0;
		return ret ? err_set(e, ret, "no memory to count samples") : 0;
	}
	ev->totals.nr_filtered_samples++;
	ev->totals.filtered_period += weight;
	group = table_group_of(t, s, th);
	if (t->keys.o.rich && t->keys.o.branch && group != ID_NONE && count_group(t, group, weight))
		return err_set(e, -ENOMEM, "no memory to count samples");
	if (group == ID_NONE || (!late && place == ID_NONE))
		return err_set(e, -ENOMEM, "no memory to count samples");
	ret = t->keys.o.branch ? table_branch_add(t, s, th, group)
			       : add_row(t, s, th, place, group);
	if (!ret && t->flow)
		return brflow_add(t->flow, s, th, e);
	return ret ? err_set(e, ret, "no memory to count samples") : 0;
}
