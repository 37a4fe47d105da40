// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a burst records: the branches of its way, as stacks of --branch-depth entries, each a sample
 * with the time of the burst's own and the address where the stack ends. The way is longer than what
 * passes, so stacks are chosen when the span is over; and written when the thread runs again.
 *
 * A call chain, or a copy of the stack, is of memory as it is at that place, which only the vm has and
 * only while it is there: such a stack is made at once. Of others nothing but the address is asked for.
 * They are made when they are written: before, that would lengthen the stop, and displace from the
 * caches what the thread had there.
 */
#include <stdlib.h>

#include "base/bytes.h"
#include "attr/attr.h"
#include "burst-int.h"
#include "vm-int.h"
#include "walk-int.h"

void burst_stacks_new(struct burst_stacks *s)
{
	s->records = (struct obuf){ .fd = -1 };
	memset(&s->piece, 0, sizeof(s->piece));
}

void burst_stacks_free(struct burst_stacks *s)
{
	(void)obuf_free(&s->records);
	vec_free(&s->piece);
}

void burst_stacks_begin(const struct tracer *t, struct burst_stacks *s)
{
	uint64_t type = t->opts.event[0].attr.sample_type;

	s->bare = !(type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER)) && !t->opts.bases &&
		  !t->opts.mxcsr;
	s->nr_entries = 0;
	s->records.len = s->piece.n = 0;
	s->sample = t->peeked;
}

void burst_stacks_back(struct burst_stacks *s, uint32_t branches)
{
	while (s->nr_entries && s->passed[s->nr_entries - 1] > branches)
		s->nr_entries--;
}

/* ---- stacks of the way ------------------------------------------------------------------------------------ */

/* Entries up to the end of the first @n pieces. */
static uint32_t entries_of(const struct burst_stacks *s, size_t n)
{
	return n ? s->piece.v[n - 1].entries : 0;
}

/*
 * @nr entries from @first on as the branches of the burst's sample, in t->out: its size. t->walk has
 * what else there is to say.
 */
static size_t make_stack(struct tracer *t, const struct tracee *th, const struct burst_stacks *s,
			 uint32_t first, uint32_t nr, const struct user_state *st)
{
	struct walked *walk = &t->walk;

	walk->nr = nr;
	memcpy(walk->entry, s->entry + first, nr * sizeof(walk->entry[0]));
	memcpy(t->rec, s->sample.rec, s->sample.size);
	return splice_sample(t, th, s->sample.event, s->sample.size, st, walk);
}

/* What stands at the end of the entries, with memory as it is there. */
static int make_record(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		       const struct user_state *st)
{
	uint32_t first = entries_of(s, s->piece.n);
	struct walked *walk = &t->walk;
	size_t size;

	walk->end = st->gpr;
	walk->moved = false;
	walk->memory = t->walker->vm;
	walk->insns = UINT64_MAX; /* each stack would go all of the way again */
	walk->inexact = !vm_registers(t->walker->vm, &walk->end);
	size = make_stack(t, th, s, first, s->nr_entries - first, st);
	obuf_mem(&s->records, t->out, size);
	return s->records.code ? -ENOMEM : 0;
}

static int add_piece(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		     const struct user_state *st, uint32_t branches)
{
	struct burst_piece p = { branches, s->nr_entries, t->walker->vm->rip, 0 };

	if (!s->bare && make_record(t, th, s, st))
		return -ENOMEM;
	p.end = s->records.len;
	return vec_push(&s->piece, p) ? -ENOMEM : 0;
}

int burst_stacks_put(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		     const struct user_state *st, uint32_t branches, struct walk_entry entry)
{
	s->passed[s->nr_entries] = branches;
	s->entry[s->nr_entries++] = entry;
	if (s->nr_entries - entries_of(s, s->piece.n) < t->opts.branches.depth)
		return 0;
	return add_piece(t, th, s, st, branches);
}

int burst_stacks_end(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		     const struct user_state *st, uint32_t branches)
{
	bool ends_there = s->piece.n && entries_of(s, s->piece.n) == s->nr_entries;

	return ends_there ? 0 : add_piece(t, th, s, st, branches);
}

/* ---- what has passed ---------------------------------------------------------------------------------------- */

/*
 * Entries as a stack of the thread itself, which has come to @end. @st: its state there, NULL where
 * only the address is asked for.
 */
static size_t make_moved(struct tracer *t, const struct tracee *th, const struct burst_stacks *s,
			 uint32_t first, uint32_t nr, const struct user_regs_struct *end,
			 const struct user_state *st)
{
	struct walked *walk = &t->walk;

	walk->end = *end;
	walk->moved = true;
	walk->memory = NULL;
	walk->insns = 0;
	walk->inexact = false;
	return make_stack(t, th, s, first, nr, st);
}

void burst_stacks_passed(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
			 uint32_t branches, const struct user_state *st)
{
	uint32_t entries;

	s->whole = s->rest = 0;
	while (s->whole < s->piece.n && s->piece.v[s->whole].branches <= branches)
		s->whole++;
	entries = entries_of(s, s->whole);
	while (st && entries + s->rest < s->nr_entries && s->passed[entries + s->rest] <= branches)
		s->rest++;
	/* the sample itself stands for what has no branches, until the way has gone on to some */
	s->empty = s->whole && !s->piece.v[0].entries && (s->whole > 1 || s->rest);
	/* nothing passed: the sample itself, where it is known */
	s->last = st && (s->rest || !s->whole);
	if (s->last && s->bare)
		s->last_ip = arch_ip(&st->gpr);
	else if (s->last)
		s->last_size = make_moved(t, th, s, entries, s->rest, &st->gpr, st);
}

/*
 * Of the stack behind the last whole one only the address would be another there, unless more than
 * that is recorded.
 */
void burst_stacks_part(struct tracer *t, const struct tracee *th, struct burst_stacks *s,
		       uint32_t branches, struct user_state *st)
{
	uint32_t n = s->nr_entries;

	while (n && s->passed[n - 1] > branches)
		n--;
	if (st && n)
		arch_set_ip(&st->gpr, s->entry[n - 1].to);
	burst_stacks_passed(t, th, s, branches, s->bare ? st : NULL);
}

/* ---- writing ------------------------------------------------------------------------------------------------ */

/*
 * What stack @i of @n has of the sample's period. All of them add up to it, however small it is: then most have none.
 */
static uint64_t period_of(const struct tracer *t, const struct burst_stacks *s, uint32_t i,
			  uint32_t n)
{
	uint64_t type = t->opts.event[s->sample.event].attr.sample_type, all;

	if (!(type & PERF_SAMPLE_PERIOD))
		return 0;
	all = load_u64(s->sample.rec + 8 + attr_head_offset(type, PERF_SAMPLE_PERIOD), false);
	return all / n + (all % n * (i + 1) / n - all % n * i / n);
}

/* One stack, with @nr entries. */
static int write_one(struct tracer *t, const struct burst_stacks *s, char *rec, size_t size,
		     uint32_t nr, uint64_t period, struct err *e)
{
	uint64_t type = t->opts.event[s->sample.event].attr.sample_type;

	if (type & PERF_SAMPLE_PERIOD)
		store_u64(rec + 8 + attr_head_offset(type, PERF_SAMPLE_PERIOD), period);
	t->stats.samples++;
	t->stats.stacks++;
	t->stats.branches += nr;
	return t->opts.write(t->opts.ctx, rec, size, e);
}

/* One that is not made yet. */
static int write_bare(struct tracer *t, const struct tracee *th, const struct burst_stacks *s,
		      uint32_t first, uint32_t nr, uint64_t ip, uint64_t period, struct err *e)
{
	struct user_regs_struct end = { 0 };
	size_t size;

	arch_set_ip(&end, ip);
	size = make_moved(t, th, s, first, nr, &end, NULL);
	return write_one(t, s, (char *)t->out, size, nr, period, e);
}

static int write_piece(struct tracer *t, const struct tracee *th, const struct burst_stacks *s,
		       uint32_t i, uint64_t period, struct err *e)
{
	uint32_t first = entries_of(s, i), nr = s->piece.v[i].entries - first;
	size_t at = i ? s->piece.v[i - 1].end : 0;

	if (s->bare)
		return write_bare(t, th, s, first, nr, s->piece.v[i].ip, period, e);
	return write_one(t, s, s->records.buf + at, s->piece.v[i].end - at, nr, period, e);
}

static int write_last(struct tracer *t, const struct tracee *th, const struct burst_stacks *s,
		      uint64_t period, struct err *e)
{
	if (s->bare)
		return write_bare(t, th, s, entries_of(s, s->whole), s->rest, s->last_ip, period,
				  e);
	return write_one(t, s, (char *)t->out, s->last_size, s->rest, period, e);
}

int burst_stacks_write(struct tracer *t, const struct tracee *th, const struct burst_stacks *s,
		       struct err *e)
{
	uint32_t n = s->whole - s->empty + s->last;
	int ret = 0;

	/* the last is in t->out where it is not bare, and then no other is made there */
	for (uint32_t i = s->empty; i < s->whole && !ret; i++)
		ret = write_piece(t, th, s, i, period_of(t, s, i - s->empty, n), e);
	if (!ret && s->last)
		ret = write_last(t, th, s, period_of(t, s, n - 1, n), e);
	return ret;
}
