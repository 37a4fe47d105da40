// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way of a sample: filters, group, place, row, chain. Samples with nothing but an address wait
 * in a queue (queue.c), those with chains in another one (chain.c), branch stacks have a cache of
 * their entries (branch.c); what is left goes to its row at once.
 */
#include "table-int.h"
#include "script/script.h"

int table_feed_new(struct table *p, struct unwind *u)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->u = u;
	f->keys.parallelism = 1;
	f->keys.frame_keys.width = 4;
	p->feed = f;
	p->keys.reader = &f->keys;
	return 0;
}

void table_feed_free(struct table *p)
{
	struct feed *f = p->feed;

	if (!f)
		return;
	table_filter_free(p);
	table_parent_free(p);
	table_queue_free(p);
	table_chain_forget(p);
	table_branch_free(p);
	vec_free(&f->locs);
	vec_free(&f->sym_place);
	vec_free(&f->step_list);
	htab_free(&f->step_tab);
	keys_reader_free(&f->keys);
	free(f);
	p->feed = NULL;
	p->keys.reader = NULL;
}

static bool wants_chains(const struct table *p)
{
	return p->keys.o.use_chains || p->keys.o.children;
}

/* Samples wait for others, and their places are found with their chains. */
static bool in_batches(const struct table *p)
{
	return wants_chains(p) && p->feed->chain->limit > 1;
}

static int add_row(struct table *p, const struct sample *s, struct thread *th, uint32_t place,
		   uint32_t group)
{
	struct keys_row *row;
	struct acc_in in;

	if (wants_chains(p) && !p->keys.o.history)
		return table_chain_add(p, s, th, group, place);
	row = table_row_own(p, group, place, th->idx, s->cpumode, (uint32_t)p->ch.nodes.n);
	if (!row)
		return -ENOMEM;
	in = table_acc_in(p, s, th);
	if (p->keys.o.history)
		return table_history_add(p, &in, group, row);
	table_row_count(row, s->period, 1);
	return table_sums_add(&p->sums, row->idx, &in);
}

/* The place of a sample at @ip; false when filters drop it (*out is ID_NONE then). */
static bool find_place(struct table *p, uint8_t cpumode, uint64_t ip, struct thread *th,
		       uint32_t *out)
{
	uint32_t loc;

	*out = ID_NONE;
	p->feed->keys.at_thread = th;
	/* Rows are those of the branches. */
	if (p->keys.o.branch && !p->feed->filtering) {
		*out = 0;
		return true;
	}
	loc = resolver_find(p->keys.res, th, cpumode, ip);
	if (loc == LOC_NONE)
		return true;
	if (p->feed->filtering && !table_filter_pass(p, th, loc, ip))
		return false;
	*out = p->keys.o.branch ? 0 : table_place_of_loc(p, loc, ip, false);
	return true;
}

/* Samples that count nowhere. */
static bool ignored(struct table *p, const struct sample *s, struct thread *th)
{
	uint32_t loc;

	/* Upstream counts samples that have a branch. */
	if (p->keys.o.branch && !s->branches.nr)
		return true;
	if (!p->keys.o.filter.hide_unresolved)
		return false;
	loc = resolver_find(p->keys.res, th, s->cpumode, s->ip);
	return loc != LOC_NONE && !resolver_loc(p->keys.res, loc)->sym;
}

void table_set_parallelism(struct table *p, uint32_t n)
{
	p->feed->keys.parallelism = n ? n : 1;
	p->parallel |= n > 1;
}

/* What filters leave out is part of what shares are of. */
static int left_out(struct table *p, const struct sample *s, struct thread *th)
{
	struct acc_in in = table_acc_in(p, s, th);

	if (p->keys.o.branch)
		in.times = s->branches.nr;
	return table_sums_left_out(&p->sums, s->event ? s->event->idx : 0, &in);
}

int table_add(struct table *p, const struct sample *s, struct thread *th, struct err *e)
{
	struct event_rows *ev = table_event_rows(p, s->event ? s->event->idx : 0);
	uint64_t weight = p->keys.o.branch ? s->branches.nr : s->period;
	uint32_t place = ID_NONE, group;
	bool late, pass;
	int ret;

	if (!ev)
		return err_set(e, -ENOMEM, "no memory to count samples");
	if (p->feed->queue) {
		ev->totals.nr_samples++;
		ev->totals.period += weight;
		ev->totals.nr_filtered_samples++;
		ev->totals.filtered_period += weight;
		ret = table_queue_add(p, s, th);
		return ret ? err_set(e, ret, "no memory to count samples") : 0;
	}
	if (ignored(p, s, th))
		return 0;
	p->feed->keys.parent = p->feed->parent_re.set ? table_parent_of(p, s, th) : 0;
	if (p->feed->ignore.re.set && wants_chains(p) && !table_wants_unwind(p, s)) {
		s = table_ignore_callees(p, s, th);
		if (!s)
			return err_set(e, -ENOMEM, "no memory to count samples");
	}
	/* The place is most often found with the chain. */
	late = in_batches(p) && !p->feed->filtering;
	pass = (late || find_place(p, s->cpumode, s->ip, th, &place)) &&
	       (!p->keys.o.filter.exclude_other || p->feed->keys.parent) &&
	       table_filter_sample(p, s);
	ev->totals.nr_samples++;
	ev->totals.period += weight;
	if (!pass) {
		ret = p->sums.nr_share ? left_out(p, s, th) : 0;
		return ret ? err_set(e, ret, "no memory to count samples") : 0;
	}
	ev->totals.nr_filtered_samples++;
	ev->totals.filtered_period += weight;
	group = table_group_of(p, s, th);
	if (group == ID_NONE || (!late && place == ID_NONE))
		return err_set(e, -ENOMEM, "no memory to count samples");
	ret = p->keys.o.branch ? table_branch_add(p, s, th, group)
			       : add_row(p, s, th, place, group);
	if (!ret && p->flow)
		return brflow_add(p->flow, s, th, e);
	return ret ? err_set(e, ret, "no memory to count samples") : 0;
}
