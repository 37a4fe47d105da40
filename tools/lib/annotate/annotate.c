// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples by address. The resolver has a dense number for each address of each object, so that a
 * sample is an index into an array; events at one address hang together in a list, which has one
 * member nearly always. Nothing is looked at twice: to which functions the addresses belong is
 * asked at the end, of those that were hit.
 *
 * A sample counts where it was taken. What branch stacks and call chains say of other addresses is
 * not a sample there, and percentages of a sum of both would mean nothing.
 */
#include <stdlib.h>

#include "annotate-int.h"

int annotate_new(struct annotate **out, struct machine *m, struct resolver *res, struct err *e)
{
	struct annotate *a = calloc(1, sizeof(*a));

	*out = a;
	if (!a)
		return err_set(e, -ENOMEM, "out of memory for counts by address");
	a->m = m;
	a->res = res;
	annotate_branches_init(&a->branches);
	return 0;
}

void annotate_free(struct annotate *a)
{
	if (!a)
		return;
	vec_free(&a->by_loc);
	vec_free(&a->rows);
	vec_free(&a->total);
	vec_free(&a->event);
	vec_free(&a->places);
	vec_free(&a->functions);
	vec_free(&a->by_symbol);
	annotate_branches_free(&a->branches);
	annotate_registers_free(&a->registers);
	annotate_marks_free(&a->marks);
	annotate_answers_free(&a->answers);
	free(a->totals);
	free(a->order);
	free(a);
}

uint64_t annotate_need(const struct annotate *a)
{
	uint64_t more = a->registers.on ? PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER : 0;

	if (a->marks.m)
		more |= keys_marks_need(a->marks.m);
	if (a->answers.all_samples)
		more |= PERF_SAMPLE_TIME;
	return more | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
	       PERF_SAMPLE_BRANCH_STACK;
}

/* ---- counting -------------------------------------------------------------------------------- */

static int new_row(struct annotate *a, uint32_t loc, uint32_t event, struct annotate_row **row)
{
	struct annotate_row r = { .loc = loc, .event = event };

	if (a->rows.n >= LISTING_NONE || vec_reach(&a->by_loc, loc, LISTING_NONE))
		return -ENOMEM;
	r.next = a->by_loc.v[loc];
	if (vec_push(&a->rows, r))
		return -ENOMEM;
	a->by_loc.v[loc] = (uint32_t)a->rows.n - 1;
	*row = &a->rows.v[a->rows.n - 1];
	return 0;
}

static int row_of(struct annotate *a, uint32_t loc, uint32_t event, struct annotate_row **row)
{
	uint32_t i = loc < a->by_loc.n ? a->by_loc.v[loc] : LISTING_NONE;

	for (; i != LISTING_NONE; i = a->rows.v[i].next) {
		*row = &a->rows.v[i];
		if (likely((*row)->event == event))
			return 0;
	}
	return new_row(a, loc, event, row);
}

/* Makes event @idx exist. */
static int reach_event(struct annotate *a, uint32_t idx, const struct perfdata_event *event)
{
	struct annotate_total none = { .precise = 0 };

	if (vec_reach(&a->total, idx, none) || vec_reach(&a->event, idx, NULL))
		return -ENOMEM;
	if (!a->event.v[idx] && event) {
		a->event.v[idx] = event;
		a->total.v[idx].precise = attr_precise(&event->attr);
	}
	return 0;
}

/* What the sample has beside an address and a period, which are of one counter. */
static int add_own(struct annotate *a, const struct sample *s, struct thread *th, uint32_t loc,
		   struct err *e)
{
	if (annotate_branches_add(&a->branches, a->res, s, th) ||
	    annotate_registers_add(&a->registers, s, loc) ||
	    annotate_marks_add(&a->marks, s, th, loc))
		return err_set(e, -ENOMEM, "out of memory for counts by address");
	return annotate_answers_add(&a->answers, s, th, e);
}

int annotate_add(struct annotate *a, const struct session_sample *in, struct err *e)
{
	const struct sample *s = in->s;
	struct annotate_total *t;
	struct annotate_row *row;
	uint32_t loc;

	if (unlikely(!(s->present & PERF_SAMPLE_IP) || !in->thread))
		return 0;
	loc = resolver_find(a->res, in->thread, s->cpumode, s->ip);
	if (loc == LOC_NONE || reach_event(a, s->event->idx, s->event) ||
	    row_of(a, loc, s->event->idx, &row))
		return err_set(e, -ENOMEM, "out of memory for counts by address");
	if (!in->again && add_own(a, s, in->thread, loc, e))
		return e->code;
	row->count.hits++;
	row->count.period += s->period;
	row->exact += !!(s->misc & PERF_RECORD_MISC_EXACT_IP);
	t = &a->total.v[s->event->idx];
	t->count.hits++;
	t->count.period += s->period;
	return 0;
}

static uint32_t event_at(const struct session_maps *maps, uint32_t idx)
{
	return maps && maps->event ? maps->event[idx] : idx;
}

/* The event's like in the recording of @to, which outlives that of @from. */
static const struct perfdata_event *event_of(const struct session_maps *maps,
					     const struct annotate *from, uint32_t idx)
{
	if (!from->event.v[idx] || !maps || !maps->to->pd)
		return from->event.v[idx];
	return perfdata_event(maps->to->pd, event_at(maps, idx));
}

static int merge_totals(struct annotate *to, const struct annotate *from,
			const struct session_maps *maps)
{
	for (uint32_t i = 0; i < from->total.n; i++) {
		uint32_t event = event_at(maps, i);

		if (reach_event(to, event, event_of(maps, from, i)))
			return -ENOMEM;
		to->total.v[event].count.hits += from->total.v[i].count.hits;
		to->total.v[event].count.period += from->total.v[i].count.period;
	}
	return 0;
}

static int merge_rows(struct annotate *to, const struct annotate *from,
		      const struct session_maps *maps)
{
	struct annotate_row *row;

	vec_for_each (r, &from->rows) {
		if (row_of(to, maps ? maps->loc[r->loc] : r->loc, event_at(maps, r->event), &row))
			return -ENOMEM;
		row->count.hits += r->count.hits;
		row->count.period += r->count.period;
		row->exact += r->exact;
	}
	return 0;
}

static bool same_registers(const struct annotate_registers *a, const struct annotate_registers *b)
{
	if (a->on != b->on || !a->value != !b->value)
		return false;
	return !a->value || (a->pred == b->pred && a->reg == b->reg);
}

static bool same_marks(const struct annotate_marks *a, const struct annotate_marks *b)
{
	if (!a->m || !b->m)
		return !a->m && !b->m;
	return keys_marks_what(a->m) == keys_marks_what(b->m);
}

int annotate_merge(struct annotate *to, const struct annotate *from,
		   const struct session_maps *maps, struct err *e)
{
	const uint32_t *loc = maps ? maps->loc : NULL;

	if (!same_registers(&to->registers, &from->registers) ||
	    !same_marks(&to->marks, &from->marks))
		return err_set(e, -EINVAL,
			       "counts by address of two kinds of registers cannot be added");
	if (merge_totals(to, from, maps) || merge_rows(to, from, maps) ||
	    annotate_branches_merge(&to->branches, &from->branches, loc) ||
	    annotate_registers_merge(&to->registers, &from->registers, loc) ||
	    annotate_marks_merge(&to->marks, &from->marks, maps))
		return err_set(e, -ENOMEM, "out of memory for counts by address");
	return annotate_answers_merge(&to->answers, &from->answers, maps, e);
}

/* ---- functions ------------------------------------------------------------------------------- */

static int by_symbol(const void *x, const void *y)
{
	const struct annotate_place *a = x, *b = y;

	if (a->sym != b->sym)
		return a->sym < b->sym ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/* The rows that lie in functions, sorted; the others are counted. */
static int list_places(struct annotate *a)
{
	for (uint32_t i = 0; i < a->rows.n; i++) {
		const struct annotate_row *r = &a->rows.v[i];
		const struct loc *l = resolver_loc(a->res, r->loc);
		struct annotate_place p = { .addr = l->addr, .row = i };

		a->total.v[r->event].exact += r->exact;
		if (!l->sym) {
			a->total.v[r->event].unnamed += r->count.hits;
			continue;
		}
		p.sym = l->sym->idx;
		if (vec_push(&a->places, p))
			return -ENOMEM;
	}
	if (a->places.n)
		qsort(a->places.v, a->places.n, sizeof(*a->places.v), by_symbol);
	return 0;
}

static int list_functions(struct annotate *a)
{
	for (uint32_t i = 0; i < a->places.n; i++) {
		const struct annotate_place *p = &a->places.v[i];
		const struct loc *l = resolver_loc(a->res, a->rows.v[p->row].loc);
		struct annotate_function f = { .dso = l->dso, .sym = l->sym, .first = i };

		if (!i || p->sym != p[-1].sym) {
			if (vec_reach(&a->by_symbol, p->sym, LISTING_NONE) ||
			    vec_push(&a->functions, f))
				return -ENOMEM;
			a->by_symbol.v[p->sym] = (uint32_t)a->functions.n - 1;
		}
		a->functions.v[a->functions.n - 1].nr++;
	}
	return 0;
}

static int sum_functions(struct annotate *a)
{
	size_t nr = a->total.n;

	a->totals = calloc(a->functions.n * nr + 1, sizeof(*a->totals));
	if (!a->totals)
		return -ENOMEM;
	for (size_t k = 0; k < a->functions.n; k++) {
		struct annotate_function *f = &a->functions.v[k];
		struct annotate_total *t = a->totals + k * nr;

		f->total = t;
		for (size_t i = 0; i < nr; i++)
			t[i].precise = a->total.v[i].precise;
		for (uint32_t i = f->first; i < f->first + f->nr; i++) {
			const struct annotate_row *r = &a->rows.v[a->places.v[i].row];

			t[r->event].count.hits += r->count.hits;
			t[r->event].count.period += r->count.period;
			t[r->event].exact += r->exact;
		}
	}
	return 0;
}

/* Who had no sample is a column of its group all the same, and what the others are called by. */
static int reach_groups(struct annotate *a)
{
	const struct perfdata *pd = machine_recording(a->m);
	size_t nr = pd ? min_u64(a->total.n, perfdata_nr_events(pd)) : 0;

	for (size_t i = 0, end = 0; i < nr; i++) {
		size_t at = perfdata_event(pd, i)->leader;

		if (!a->event.v[i] || i < end)
			continue;
		end = min_u64(at + perfdata_event(pd, at)->nr_members, perfdata_nr_events(pd));
		for (; at < end; at++)
			if (reach_event(a, (uint32_t)at, perfdata_event(pd, at)))
				return -ENOMEM;
	}
	return 0;
}

int annotate_finish(struct annotate *a, struct err *e)
{
	if (reach_groups(a) || list_places(a) || list_functions(a) || sum_functions(a) ||
	    annotate_branches_finish(&a->branches, a->res))
		return err_set(e, -ENOMEM, "out of memory for functions");
	annotate_registers_finish(&a->registers);
	if (annotate_answers_finish(&a->answers, e))
		return e->code;
	return annotate_sort(a, 0, (uint32_t)a->total.n, e);
}

struct rank {
	uint64_t period, hits;
	uint32_t idx, sym;
};

/* Symbols are numbered as they first came: what is equal stays in that order. */
static int by_rank(const void *x, const void *y)
{
	const struct rank *a = x, *b = y;

	if (a->period != b->period)
		return a->period < b->period ? 1 : -1;
	if (a->hits != b->hits)
		return a->hits < b->hits ? 1 : -1;
	return a->sym < b->sym ? -1 : a->sym > b->sym;
}

int annotate_sort(struct annotate *a, uint32_t event, uint32_t nr, struct err *e)
{
	size_t n = a->functions.n;
	struct rank *rank = calloc(n + 1, sizeof(*rank));
	uint32_t *order = malloc((n + 1) * sizeof(*order));

	if (!rank || !order) {
		free(rank);
		free(order);
		return err_set(e, -ENOMEM, "out of memory for functions");
	}
	for (uint32_t k = 0; k < n; k++) {
		const struct annotate_function *f = &a->functions.v[k];

		rank[k] = (struct rank){ .idx = k, .sym = f->sym->idx };
		for (uint64_t i = event; i < (uint64_t)event + nr && i < a->total.n; i++) {
			rank[k].period += f->total[i].count.period;
			rank[k].hits += f->total[i].count.hits;
		}
	}
	qsort(rank, n, sizeof(*rank), by_rank);
	for (uint32_t k = 0; k < n; k++)
		order[k] = rank[k].idx;
	free(rank);
	free(a->order);
	a->order = order;
	return 0;
}

/* ---- results --------------------------------------------------------------------------------- */

const struct annotate_total *annotate_total(const struct annotate *a, uint32_t event)
{
	static const struct annotate_total none;

	return event < a->total.n ? &a->total.v[event] : &none;
}

const struct dso *annotate_most_unnamed(const struct annotate *a)
{
	VEC(uint64_t) hits = { 0 };
	const struct dso *most = NULL;

	for (uint32_t i = 0; i < a->rows.n; i++) {
		const struct loc *l = resolver_loc(a->res, a->rows.v[i].loc);

		if (l->sym || !l->dso || vec_reach(&hits, l->dso->idx, 0))
			continue;
		hits.v[l->dso->idx] += a->rows.v[i].count.hits;
		if (!most || hits.v[l->dso->idx] > hits.v[most->idx])
			most = l->dso;
	}
	vec_free(&hits);
	return most;
}

uint32_t annotate_nr_events(const struct annotate *a)
{
	return (uint32_t)a->total.n;
}

bool annotate_is_hot(const struct annotate *a, const struct annotate_function *f, uint32_t event,
		     uint32_t nr, double percent)
{
	uint64_t hits = 0, period = 0, all = 0;

	for (uint64_t k = event; k < (uint64_t)event + nr && k < a->total.n; k++) {
		hits += f->total[k].count.hits;
		period += f->total[k].count.period;
		all += annotate_total(a, (uint32_t)k)->count.period;
	}
	return hits && 100.0 * (double)period >= percent * (double)all;
}

size_t annotate_nr_functions(const struct annotate *a)
{
	return a->functions.n;
}

const struct annotate_function *annotate_function(const struct annotate *a, size_t i)
{
	return &a->functions.v[a->order[i]];
}

const struct annotate_function *annotate_find(const struct annotate *a, const struct symbol *sym)
{
	uint32_t i = sym->idx < a->by_symbol.n ? a->by_symbol.v[sym->idx] : LISTING_NONE;

	return i == LISTING_NONE ? NULL : &a->functions.v[i];
}
