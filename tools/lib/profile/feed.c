// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The way of a sample: filters, group, place, row, chain. Samples with nothing but an address wait
 * in a queue (queue.c), those with chains in another one (chain.c), branch stacks have a cache of
 * their entries (branch.c); what is left goes to its row at once.
 */
#include "profile-int.h"
#include "script/script.h"

int prof_feed_new(struct profile *p, struct unwind *u)
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

void prof_feed_free(struct profile *p)
{
	struct feed *f = p->feed;

	if (!f)
		return;
	prof_filter_free(p);
	prof_parent_free(p);
	prof_queue_free(p);
	prof_chain_forget(p);
	prof_branch_free(p);
	vec_free(&f->locs);
	vec_free(&f->sym_place);
	vec_free(&f->step_list);
	htab_free(&f->step_tab);
	keys_reader_free(&f->keys);
	free(f);
	p->feed = NULL;
	p->keys.reader = NULL;
}

static bool wants_chains(const struct profile *p)
{
	return p->keys.o.use_chains || p->keys.o.children;
}

/* Samples wait for others, and their places are found with their chains. */
static bool in_batches(const struct profile *p)
{
	return wants_chains(p) && p->feed->chain->limit > 1;
}

static int add_row(struct profile *p, const struct sample *s, struct thread *th, uint32_t place,
		   uint32_t group)
{
	struct profile_row *row;
	struct acc_in in;

	if (wants_chains(p) && !p->keys.o.history)
		return prof_chain_add(p, s, th, group, place);
	row = prof_row_own(p, group, place, th->idx, s->cpumode, (uint32_t)p->ch.nodes.n);
	if (!row)
		return -ENOMEM;
	in = prof_acc_in(p, s, th);
	if (p->keys.o.history)
		return prof_history_add(p, &in, group, row);
	prof_row_count(row, s->period, 1);
	return prof_sums_add(&p->sums, row->idx, &in);
}

/* The place of a sample at @ip; false when filters drop it (*out is ID_NONE then). */
static bool find_place(struct profile *p, uint8_t cpumode, uint64_t ip, struct thread *th,
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
	if (p->feed->filtering && !prof_filter_pass(p, th, loc, ip))
		return false;
	*out = p->keys.o.branch ? 0 : prof_place_of_loc(p, loc, ip, false);
	return true;
}

/* Samples that count nowhere. */
static bool ignored(struct profile *p, const struct sample *s, struct thread *th)
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

void profile_set_parallelism(struct profile *p, uint32_t n)
{
	p->feed->keys.parallelism = n ? n : 1;
	p->parallel |= n > 1;
}

/* What filters leave out is part of what shares are of. */
static int left_out(struct profile *p, const struct sample *s, struct thread *th)
{
	struct acc_in in = prof_acc_in(p, s, th);

	if (p->keys.o.branch)
		in.times = s->branches.nr;
	return prof_sums_left_out(&p->sums, s->event ? s->event->idx : 0, &in);
}

int profile_add(struct profile *p, const struct sample *s, struct thread *th, struct err *e)
{
	struct event_rows *ev = prof_event_rows(p, s->event ? s->event->idx : 0);
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
		ret = prof_queue_add(p, s, th);
		return ret ? err_set(e, ret, "no memory to count samples") : 0;
	}
	if (ignored(p, s, th))
		return 0;
	p->feed->keys.parent = p->feed->parent_re.set ? prof_parent_of(p, s, th) : 0;
	if (p->feed->ignore.re.set && wants_chains(p) && !prof_wants_unwind(p, s)) {
		s = prof_ignore_callees(p, s, th);
		if (!s)
			return err_set(e, -ENOMEM, "no memory to count samples");
	}
	/* The place is most often found with the chain. */
	late = in_batches(p) && !p->feed->filtering;
	pass = (late || find_place(p, s->cpumode, s->ip, th, &place)) &&
	       (!p->keys.o.filter.exclude_other || p->feed->keys.parent) &&
	       prof_filter_sample(p, s);
	ev->totals.nr_samples++;
	ev->totals.period += weight;
	if (!pass) {
		ret = p->sums.nr_share ? left_out(p, s, th) : 0;
		return ret ? err_set(e, ret, "no memory to count samples") : 0;
	}
	ev->totals.nr_filtered_samples++;
	ev->totals.filtered_period += weight;
	group = prof_group_of(p, s, th);
	if (group == ID_NONE || (!late && place == ID_NONE))
		return err_set(e, -ENOMEM, "no memory to count samples");
	ret = p->keys.o.branch ? prof_branch_add(p, s, th, group) : add_row(p, s, th, place, group);
	if (!ret && p->flow)
		return brflow_add(p->flow, s, th, e);
	return ret ? err_set(e, ret, "no memory to count samples") : 0;
}
