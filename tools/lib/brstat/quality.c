// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a recording is enough for an optimizer. What counts for a function is how often its code was seen
 * to run: branches that left it, or samples where there are no branch stacks. They are counted by function and by
 * slice of time, so that halves can be put against each other at the end: every other slice, which differ by chance
 * alone, and the first half against the second, which differ by what the program did as well.
 */
#include <math.h>
#include <stdlib.h>

#include "brstat-int.h"

static uint32_t find_function(struct brstat *b, uint32_t at)
{
	const struct loc *l = resolver_loc(b->res, at);
	const uint64_t key[2] = { l->dso ? l->dso->idx : ID_NONE,
				  l->sym ? l->sym->idx : (uint64_t)ID_NONE };
	uint32_t id = keys_tuple_id(&b->function_keys, key);
	struct function_count new = { .loc = at };

	if (id != b->functions.n)
		return id;
	return vec_push(&b->functions, new) || brstat_slices_function(&b->slices, id) ? ID_NONE
										      : id;
}

uint32_t brstat_function(struct brstat *b, uint32_t at)
{
	uint32_t id = at < b->function_at.n ? b->function_at.v[at] : ID_NONE;

	if (likely(id != ID_NONE))
		return id;
	id = find_function(b, at);
	if (id == ID_NONE || vec_reach(&b->function_at, at, ID_NONE))
		return ID_NONE;
	b->function_at.v[at] = id;
	return id;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Slices of at least @shift that cover more time. */
static int widen(struct brstat *b, unsigned shift, uint64_t first, uint64_t last)
{
	shift = (unsigned)max_u64(shift, brstat_slices_wanted(&b->slices, first, last));
	return brstat_slices_widen(&b->slices, shift, first, last);
}

void brstat_quality_init(struct brstat *b)
{
	b->function_keys.width = 2;
	brstat_slices_init(&b->slices);
}

static int set_time(struct brstat *b, uint64_t time)
{
	if (unlikely(time < b->slices.first || time > b->slices.last) && widen(b, 0, time, time))
		return -ENOMEM;
	return brstat_slices_go(&b->slices, time >> b->slices.shift);
}

/* Which function it is in, and whether that is behind its newest branch. 0 or -ENOMEM. */
static int look_up(struct brstat *b, const struct sample *s, struct thread *th,
		   struct known_sample *k)
{
	uint32_t at = resolver_find(b->res, th, s->cpumode, s->ip), function, to;

	if (at == LOC_NONE)
		return -ENOMEM;
	function = brstat_function(b, at);
	if (function == ID_NONE)
		return -ENOMEM;
	k->function = function;
	k->behind = false;
	if (!s->branches.nr)
		return 0;
	to = resolver_find(b->res, th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, k->to);
	if (to == LOC_NONE)
		return -ENOMEM;
	k->behind = brstat_in_one_function(resolver_loc(b->res, to), resolver_loc(b->res, at));
	return 0;
}

#define KNOWN_BITS 14

static struct known_sample *slot_of(const struct brstat *b, const struct known_sample *k)
{
	return &b->known[hash_slot(k->ip + (k->to << 21 | k->to >> 43) + k->where, KNOWN_BITS)];
}

static struct known_sample key_of(const struct sample *s, uint32_t space)
{
	struct known_sample new = { .ip = s->ip };

	if (s->branches.nr)
		new.to = sample_branch_to(&s->branches, 0);
	/* What has no branch is another one than what went to address 0: a bit of its own. */
	new.where = ((uint64_t)space << 4 | (s->cpumode & 7u) << 1 | !s->branches.nr) + 1;
	return new;
}

int brstat_begin_sample(struct brstat *b, const struct sample *s, struct thread *th)
{
	uint32_t space = brstat_space(b, th);
	struct known_sample key = key_of(s, space);

	if (!b->known)
		b->known = calloc((size_t)1 << KNOWN_BITS, sizeof(*b->known));
	if (!b->known || space == ID_NONE)
		return -ENOMEM;
	__builtin_prefetch(slot_of(b, &key));
	return set_time(b, s->time);
}

/* Most samples are where others were: that is looked up once. NULL: no memory. */
static const struct known_sample *know(struct brstat *b, const struct sample *s, struct thread *th)
{
	uint32_t space = brstat_space(b, th);
	struct known_sample new = key_of(s, space), *k = slot_of(b, &new);

	if (space == ID_NONE)
		return NULL;
	if (k->ip == new.ip && k->to == new.to && k->where == new.where)
		return k;
	if (look_up(b, s, th, &new))
		return NULL;
	*k = new;
	return k;
}

/* A sample by its own address, and whether that lies behind its newest branch. */
int brstat_add_address(struct brstat *b, const struct sample *s, struct thread *th)
{
	const struct known_sample *k = know(b, s, th);

	if (!k)
		return -ENOMEM;
	b->functions.v[k->function].samples++;
	if (!s->branches.nr)
		return b->branches_wanted ? 0 : brstat_count_function(b, k->function);
	b->quality.behind_of++;
	b->quality.behind += k->behind;
	return 0;
}

int brstat_merge_quality(struct brstat *b, struct brstat *from, const uint32_t *loc)
{
	uint32_t *function = malloc((from->functions.n + 1) * sizeof(*function));
	int ret = function ? 0 : -ENOMEM;

	ret = ret ?: widen(b, from->slices.shift, from->slices.first, from->slices.last);
	for (uint32_t i = 0; !ret && i < from->functions.n; i++) {
		uint32_t at = from->functions.v[i].loc;

		function[i] = brstat_function(b, loc ? loc[at] : at);
		if (function[i] == ID_NONE)
			ret = -ENOMEM;
		else
			b->functions.v[function[i]].samples += from->functions.v[i].samples;
	}
	ret = ret ?: brstat_slices_merge(&b->slices, &from->slices, function);
	b->quality.behind += from->quality.behind;
	b->quality.behind_of += from->quality.behind_of;
	free(function);
	return ret;
}

/* ---- results ----------------------------------------------------------------------------------- */

static int by_count(const void *x, const void *y)
{
	const struct brstat_function *a = x, *b = y;

	if (a->nr != b->nr)
		return a->nr < b->nr ? 1 : -1;
	if (a->dso != b->dso)
		return !a->dso || (b->dso && a->dso->idx < b->dso->idx) ? -1 : 1;
	return !a->sym || (b->sym && a->sym->start < b->sym->start) ? -1 : 1;
}

static int by_density(const void *x, const void *y)
{
	const struct brstat_function *const *a = x, *const *b = y;

	return (*a)->density < (*b)->density ? 1 : (*a)->density > (*b)->density ? -1 : 0;
}

static const struct slice_list *nth(const struct brstat *b, unsigned i)
{
	return &b->slices.list[brstat_slices_nth(&b->slices, i) % SLICES_MAX];
}

/* Where half of all was counted: the first slice of the second half. */
static unsigned middle(const struct brstat *b)
{
	uint64_t nr[SLICES_MAX] = { 0 }, all = 0, n = 0;

	for (unsigned i = 0; i < SLICES_MAX; i++) {
		vec_for_each (c, nth(b, i))
			nr[i] += c->nr;
		all += nr[i];
	}
	for (unsigned i = 0; i < SLICES_MAX; i++) {
		n += nr[i];
		if (n * 2 >= all)
			return i + 1;
	}
	return SLICES_MAX;
}

/* How much of two distributions is common to both; < 0: one of them has nothing. */
static double overlap(const struct brstat *b, const size_t a)
{
	uint64_t all[2] = { 0, 0 };
	double sum = 0;

	vec_for_each (f, &b->listed) {
		all[0] += f->half[a][0];
		all[1] += f->half[a][1];
	}
	if (!all[0] || !all[1])
		return -1;
	vec_for_each (f, &b->listed)
		sum += fmin((double)f->half[a][0] / (double)all[0],
			    (double)f->half[a][1] / (double)all[1]);
	return sum;
}

/* The density that functions with 99 % of all have at least. */
static int find_density(struct brstat *b)
{
	struct brstat_quality *q = &b->quality;
	const struct brstat_function **v = calloc(b->listed.n + 1, sizeof(*v));
	uint64_t sum = 0;
	size_t n = 0;

	if (!v)
		return -ENOMEM;
	vec_for_each (f, &b->listed)
		if (f->size)
			v[n++] = f;
	if (n)
		qsort(v, n, sizeof(const struct brstat_function *), by_density);
	for (size_t i = 0; i < n && (double)sum < 0.99 * (double)q->named; i++) {
		sum += v[i]->nr;
		q->density = v[i]->density;
		q->hot++;
		q->hot_enough += v[i]->density >= q->density_wanted;
	}
	free(v);
	return 0;
}

static void judge_objects(struct brstat *b)
{
	struct brstat_quality *q = &b->quality;

	vec_for_each (f, &b->listed) {
		unsigned char code[1];
		struct err e = { 0 };
		ssize_t n = 0;

		if (!f->dso)
			continue;
		n = symbol_read_code(b->res, f->dso, f->addr, code, sizeof(code));
		if (n <= 0)
			symbol_code_error(b->res, f->dso, (int)n, &e);
		f->state = n > 0 && f->dso->build_id_size	 ? BRSTAT_PROVEN
			   : n > 0				 ? BRSTAT_UNPROVEN
			   : strstr(e.text, "has changed since") ? BRSTAT_STALE
								 : BRSTAT_MISSING;
		q->by_state[f->state] += f->nr;
	}
}

static int list_functions(struct brstat *b, const uint64_t *executed)
{
	if (brstat_slices_leave(&b->slices) || vec_reserve(&b->listed, b->functions.n + 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < b->functions.n; i++) {
		const struct loc *l = resolver_loc(b->res, b->functions.v[i].loc);
		struct brstat_function f = { .dso = l->dso,
					     .sym = l->sym,
					     .addr = l->addr,
					     .samples = b->functions.v[i].samples };

		f.size = l->sym && l->sym->end > l->sym->start ? l->sym->end - l->sym->start : 0;
		f.executed = executed[i];
		b->listed.v[b->listed.n++] = f;
	}
	return 0;
}

static void add_halves(struct brstat *b)
{
	unsigned half = middle(b);

	for (unsigned i = 0; i < SLICES_MAX; i++) {
		vec_for_each (c, nth(b, i)) {
			struct brstat_function *f = &b->listed.v[c->function];

			f->nr += c->nr;
			f->half[0][i % 2] += c->nr;
			f->half[1][i >= half] += c->nr;
		}
	}
}

static void keep_listed(struct brstat *b)
{
	size_t n = 0;

	vec_for_each (f, &b->listed) {
		const struct loc at = { .dso = f->dso, .sym = f->sym, .addr = f->addr };

		if (brstat_is_listed(b, &at))
			b->listed.v[n++] = *f;
	}
	b->listed.n = n;
}

int brstat_judge(struct brstat *b, const uint64_t *executed)
{
	struct brstat_quality *q = &b->quality;
	double more = 1, apart;

	if (list_functions(b, executed))
		return -ENOMEM;
	add_halves(b);
	keep_listed(b);
	q->branches = b->branches_wanted;
	q->density_wanted = q->branches ? 60 : 100;
	vec_for_each (f, &b->listed) {
		q->samples += f->samples;
		q->total += f->nr;
		q->named += f->size ? f->nr : 0;
		q->half[0] += f->half[1][0];
		q->half[1] += f->half[1][1];
		f->density = !f->size	   ? 0
			     : q->branches ? (double)f->executed / (double)f->size
					   : (double)f->samples;
	}
	q->by_turns = overlap(b, 0);
	q->in_time = overlap(b, 1);
	if (b->listed.n)
		qsort(b->listed.v, b->listed.n, sizeof(*b->listed.v), by_count);
	judge_objects(b);
	if (find_density(b))
		return -ENOMEM;
	if (q->density > 0)
		more = fmax(more, q->density_wanted / q->density);
	apart = 1 - q->by_turns;
	if (q->by_turns >= 0 && apart > BRSTAT_APART)
		more = fmax(more, apart * apart / (BRSTAT_APART * BRSTAT_APART));
	q->more = more;
	q->changes = q->by_turns >= 0 && q->in_time >= 0 && q->in_time < 0.8 &&
		     q->in_time < q->by_turns - 0.1;
	q->stale = q->by_state[BRSTAT_STALE] * 100 > q->total;
	q->verdict = q->stale		      ? BRSTAT_AGAIN
		     : !q->total || !q->named ? BRSTAT_NOTHING
		     : q->changes	      ? BRSTAT_LONGER
		     : more > 1		      ? BRSTAT_MORE
					      : BRSTAT_ENOUGH;
	return 0;
}

const struct brstat_quality *brstat_quality(const struct brstat *b)
{
	return &b->quality;
}

size_t brstat_nr_functions(const struct brstat *b)
{
	return b->listed.n;
}

const struct brstat_function *brstat_function_at(const struct brstat *b, size_t i)
{
	return &b->listed.v[i];
}
