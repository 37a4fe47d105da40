// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch entries by several threads. Each thread meets most of the distinct entries of a recording, and to find an
 * entry's row takes as long as to count a hundred of them. So the threads only count, as long as nothing changes in what addresses
 * mean, which is most often the case from the first sample to the last. In the end what several have
 * counted is added up by its numbers alone, in the first one's cache, and the entries that are left are shared out: each
 * is resolved once, by one thread.
 *
 * Rows have the numbers that one reading would give them. The entries wait in the order in which they came; those of the
 * threads, one behind the other and without what came before, are one reading's list, and each thread gets a stretch of
 * it. Where a thread had to find rows before, its stretch would come behind them: then each resolves its own.
 *
 * Groups, threads and address spaces have other numbers in each table and machine. What an entry is of, its "place", is
 * a pair of these by the numbers of the first.
 */
#include "base/side.h"
#include "branch-int.h"
#include "merge-int.h"

#define LATER_MAX \
	(1u       \
	 << 19) /* entries that wait in a table, of 12 bytes each; behind them rows are looked for */
#define OUT_MAX (1u << 16) /* of these, without a slot, of 64 */
#define AHEAD	16	   /* slots that are fetched from memory before their turn */

/* ---- one table ------------------------------------------------------------------------------- */

int table_later_add(struct table *t, struct branch_slot *slot, const struct thread *th,
		    uint8_t cpumode)
{
	struct feed *f = t->feed;
	struct later l = { (uint32_t)(slot - f->slots), th->idx, cpumode };
	uint32_t where = slot_where(slot);

	if (unlikely(f->later.n >= LATER_MAX) && table_later_resolve(t))
		return -ENOMEM;
	if (unlikely(where >= f->later_thread.n) && vec_reach(&f->later_thread, where, ID_NONE))
		return -ENOMEM;
	f->later_thread.v[where] = th->idx;
	slot->row = BRANCH_LATER | (uint32_t)f->later.n;
	return vec_push(&f->later, l);
}

int table_later_out(struct table *t, struct branch_slot *slot)
{
	struct feed *f = t->feed;
	struct branch_counts *told = &f->told[slot - f->slots];
	struct branch_out out = { .slot = *slot };

	f->later.v[slot->row & ~BRANCH_LATER].at = LATER_OUT | (uint32_t)f->out.n;
	if (f->tells) {
		out.told = *told;
		*told = (struct branch_counts){ 0 };
	}
	slot->count = 0;
	slot->row = 0;
	if (vec_push(&f->out, out))
		return -ENOMEM;
	return f->out.n < OUT_MAX ? 0 : table_later_resolve(t);
}

static const struct branch_slot *slot_of(const struct feed *f, const struct later *l)
{
	return l->at & LATER_OUT ? &f->out.v[l->at & ~LATER_OUT].slot : &f->slots[l->at];
}

/* NULL: nothing. */
static const struct branch_counts *told_of(const struct feed *f, const struct later *l)
{
	if (!f->tells)
		return NULL;
	return l->at & LATER_OUT ? &f->out.v[l->at & ~LATER_OUT].told : &f->told[l->at];
}

static struct branch_at at_of(const struct table *t, const struct later *l)
{
	return table_branch_at(t, slot_of(t->feed, l), machine_thread_at(t->keys.m, l->thread),
			       l->cpumode);
}

int table_later_resolve(struct table *t)
{
	struct feed *f = t->feed;

	vec_for_each (l, &f->later) {
		const struct branch_at at = at_of(t, l);
		uint32_t row = table_branch_row(t, &at);

		f->later_thread.v[slot_where(slot_of(f, l))] = ID_NONE;
		if (row == ID_NONE)
			return -ENOMEM;
		if (l->at & LATER_OUT)
			table_branch_count(t, row, at.bits, slot_of(f, l)->count, told_of(f, l));
		else
			f->slots[l->at].row = row;
	}
	f->later.n = f->out.n = 0;
	f->counted = true;
	return 0;
}

/* Called by the machine, which cannot fail for this: the next sample does. */
static void before_change(void *table)
{
	struct table *t = table;

	if (table_later_resolve(t))
		t->feed->no_memory = true;
}

/*
 * Nobody else looks at what entries are, or numbers of theirs are made meanwhile. Keys of places may ask for the thread
 * (key_reader.at_thread) and for nothing else of the sample.
 */
static bool can_wait(const struct table *t)
{
	const struct feed *f = t->feed;

	if (!t->keys.o.branch || !f || !f->counts || t->sums.nr_entry || t->flow || f->filtering ||
	    f->parent_re.set || t->keys.o.rich || t->keys.o.history ||
	    t->keys.o.filter.hide_unresolved)
		return false;
	for (unsigned i = 0; i < t->nr_group; i++)
		if (t->group_cols[i]->key->value != VALUE_NUMBER &&
		    t->group_cols[i]->key->value != VALUE_CGROUP &&
		    t->group_cols[i]->key->value != VALUE_NAME &&
		    t->group_cols[i]->key->value != VALUE_THREAD)
			return false;
	return true;
}

void table_resolve_later(struct table *t)
{
	if (!can_wait(t))
		return;
	t->feed->defers = true;
	machine_call_before(t->keys.m, before_change, t);
}

/* ---- several tables -------------------------------------------------------------------------- */

/* One thread's table, and what is what between it and the first. */
struct part {
	struct table *t;
	/* By thread here: the first machine's; by thread there: this one's. NULL: the same. */
	uint32_t *thread_there, *thread_here;
	uint32_t *group_there;		 /* by group */
	VEC(uint32_t) place;		 /* by number in branch_where + 1, of those that wait */
	VEC(uint32_t) where, group_here; /* by place: its number in branch_where; its group */
	size_t alive;			 /* entries that count here */
	int ret;
};

struct sharing {
	struct part *v;
	size_t n;
	struct tuples places; /* group, address space */
	size_t alive;
	bool differ; /* numbers in branch_where, or sizes, are not the same everywhere */
};

/* Both ways, once the first machine has the threads of all. */
static int map_threads(struct sharing *s)
{
	struct machine *first = s->v[0].t->keys.m;
	int ret = 0;

	for (size_t k = 1; !ret && k < s->n; k++) {
		struct machine *m = s->v[k].t->keys.m;

		s->v[k].thread_there = table_new_map(machine_nr_threads(m));
		ret = s->v[k].thread_there ? machine_match_threads(first, m, s->v[k].thread_there)
					   : -ENOMEM;
	}
	for (size_t k = 1; !ret && k < s->n; k++) {
		s->v[k].thread_here = table_new_map(machine_nr_threads(first));
		ret = s->v[k].thread_here
			      ? machine_match_threads(s->v[k].t->keys.m, first, s->v[k].thread_here)
			      : -ENOMEM;
	}
	return ret;
}

/* Group @id of @from in @to; @thread: by thread there. ID_NONE: no memory. */
static uint32_t group_in(struct table *to, const struct table *from, uint32_t id,
			 const uint32_t *thread)
{
	const uint64_t *have = keys_tuple_get(&from->groups, id);
	uint64_t vals[MAX_VALUES] = { have[0] };

	for (unsigned i = 0; i < from->nr_group; i++) {
		uint64_t v = have[i + 1];

		if (from->group_cols[i]->key->value == VALUE_THREAD)
			v = mapped(thread, (uint32_t)v);
		else if (from->group_cols[i]->key->value == VALUE_NAME)
			v = intern(&to->keys.names, intern_str(&from->keys.names, (uint32_t)v));
		if (v == INTERN_NONE && from->group_cols[i]->key->value == VALUE_NAME)
			return ID_NONE;
		vals[i + 1] = v;
	}
	return keys_tuple_id(&to->groups, vals);
}

/* The first table has the groups of all, in the order in which adding up would number them. */
static int map_groups(struct sharing *s)
{
	struct table *first = s->v[0].t;

	for (size_t k = 1; k < s->n; k++) {
		struct part *p = &s->v[k];

		p->group_there = table_new_map(p->t->groups.n);
		if (!p->group_there)
			return -ENOMEM;
		for (uint32_t i = 0; i < p->t->groups.n; i++) {
			p->group_there[i] = group_in(first, p->t, i, p->thread_there);
			if (p->group_there[i] == ID_NONE)
				return -ENOMEM;
		}
	}
	return 0;
}

/* What the entries of one table that wait are of. */
static int find_places(struct sharing *s, struct part *p)
{
	const struct feed *f = p->t->feed;
	const struct machine *first = s->v[0].t->keys.m;

	for (uint32_t where = 0; where < f->later_thread.n; where++) {
		uint32_t thread = f->later_thread.v[where], group, place;
		uint64_t key[2];

		if (vec_push(&p->place, ID_NONE))
			return -ENOMEM;
		if (thread == ID_NONE)
			continue;
		group = (uint32_t)keys_tuple_get(&f->branch_where, where)[0];
		key[0] = p->group_there ? p->group_there[group] : group;
		key[1] = machine_thread_at(first, mapped(p->thread_there, thread))->space;
		place = keys_tuple_id(&s->places, key);
		if (place == ID_NONE || vec_reach(&p->where, place, ID_NONE))
			return -ENOMEM;
		p->place.v[where] = place;
		p->where.v[place] = where;
		s->differ |= place != where;
	}
	return 0;
}

/* The groups of all places in each table. */
static int map_places(struct sharing *s)
{
	int ret = 0;

	s->places.width = 2;
	for (size_t k = 0; !ret && k < s->n; k++) {
		ret = find_places(s, &s->v[k]);
		s->differ |= s->v[k].t->feed->slot_bits != s->v[0].t->feed->slot_bits;
	}
	for (size_t k = 0; !ret && k < s->n; k++) {
		struct part *p = &s->v[k];

		for (uint32_t c = 0; c < s->places.n; c++) {
			uint32_t group = (uint32_t)keys_tuple_get(&s->places, c)[0];

			if (k)
				group = group_in(p->t, s->v[0].t, group, p->thread_here);
			if (group == ID_NONE || vec_reach(&p->where, c, ID_NONE) ||
			    vec_push(&p->group_here, group))
				return -ENOMEM;
		}
	}
	return ret;
}

/* ---- adding up ------------------------------------------------------------------------------- */

/* The slot of @f that counts the same; NULL: none. */
static struct branch_slot *same_slot(const struct feed *f, const struct branch_slot *e,
				     uint32_t where)
{
	uint64_t rest = ((uint64_t)where + 1) << 32 | slot_flags(e);
	uint32_t home = slot_home(f, e->from, e->to, rest);

	for (unsigned i = 0; i < BRANCH_WAYS; i++) {
		struct branch_slot *s = &f->slots[home ^ i];

		if (slot_is(s, e->from, e->to, rest))
			return s->row & BRANCH_LATER ? s : NULL;
	}
	return NULL;
}

/* To the first that has it of those before. */
static void add_to_earlier(const struct sharing *s, size_t k, struct later *l, uint32_t place)
{
	const struct feed *f = s->v[k].t->feed;
	const struct branch_slot *e = slot_of(f, l);
	const struct branch_counts *told = told_of(f, l);

	for (size_t i = 0; i < k; i++) {
		const struct feed *to = s->v[i].t->feed;
		uint32_t where = s->v[i].where.v[place];
		struct branch_slot *have = where == ID_NONE ? NULL : same_slot(to, e, where);
		const struct acc_in in = { .entries = told };

		if (!have)
			continue;
		if (have->count >= UINT32_MAX - e->count)
			return;
		have->count += e->count;
		if (told)
			keys_acc_branches.add(&to->told[have - to->slots], &in, NULL);
		l->at = LATER_GONE;
		return;
	}
}

/*
 * Each thread has the entries of a part of all hashes, so that no two look at the same one. Slots are looked through in their
 * order, which is that of hashes: where numbers are the same in all tables neighbours here are neighbours there, and a part
 * of all hashes is a part of the slots.
 */
static void add_share(void *sharing, size_t share)
{
	const struct sharing *s = sharing;

	for (size_t k = 1; k < s->n; k++) {
		const struct part *p = &s->v[k];
		const struct feed *f = p->t->feed;
		uint64_t sets = (1u << f->slot_bits) / BRANCH_WAYS;
		uint64_t from = s->differ ? 0 : sets * share / s->n,
			 end = s->differ ? sets : sets * (share + 1) / s->n;

		for (uint64_t i = from * BRANCH_WAYS; i < end * BRANCH_WAYS; i++) {
			const struct branch_slot *e = &f->slots[i];
			uint32_t place;
			uint64_t hash;

			if (!e->rest || !(e->row & BRANCH_LATER))
				continue;
			place = p->place.v[slot_where(e)];
			hash = (e->from ^ (e->to << 32 | e->to >> 32) ^ place) * HASH_GOLDEN;
			if (!s->differ || (hash >> 32) * s->n >> 32 == share)
				add_to_earlier(s, k, &f->later.v[e->row & ~BRANCH_LATER], place);
		}
	}
}

/* ---- resolving ------------------------------------------------------------------------------- */

static int resolve_entry(const struct sharing *s, size_t by, const struct part *from,
			 const struct later *l)
{
	const struct part *p = &s->v[by];
	const struct feed *f = from->t->feed;
	struct branch_at at = at_of(from->t, l);
	uint32_t thread = mapped(from->thread_there, l->thread), row;

	if (from != p) {
		at.th = machine_thread_at(p->t->keys.m, mapped(p->thread_here, thread));
		at.group = p->group_here.v[from->place.v[slot_where(slot_of(f, l))]];
	}
	row = table_branch_row(p->t, &at);
	if (row == ID_NONE)
		return -ENOMEM;
	table_branch_count(p->t, row, at.bits, slot_of(f, l)->count, told_of(f, l));
	return 0;
}

static void ask_for(const struct feed *f, size_t i)
{
	if (i < f->later.n && f->later.v[i].at != LATER_GONE) {
		__builtin_prefetch(slot_of(f, &f->later.v[i]));
		if (f->tells)
			__builtin_prefetch(told_of(f, &f->later.v[i]));
	}
}

/*
 * One thread's stretch of the list, by rows of its own table: table_merge() adds those up in the order of the threads, so
 * that rows that are new with a later stretch get later numbers.
 */
static void resolve_share(void *sharing, size_t share)
{
	const struct sharing *s = sharing;
	size_t skip = s->alive * share / s->n, left = s->alive * (share + 1) / s->n - skip;
	int ret = 0;

	table_branch_flush(s->v[share].t);
	for (size_t k = 0; !ret && left && k < s->n; k++) {
		const struct part *p = &s->v[k];
		const struct feed *f = p->t->feed;

		if (skip >= p->alive) {
			skip -= p->alive;
			continue;
		}
		for (size_t i = 0; !ret && left && i < f->later.n; i++) {
			if (f->later.v[i].at == LATER_GONE || (skip && skip--))
				continue;
			ask_for(f, i + AHEAD);
			ret = resolve_entry(s, share, p, &f->later.v[i]);
			left--;
		}
	}
	s->v[share].ret = ret;
}

/* Without sharing, side by side all the same. */
static void resolve_own(void *sharing, size_t share)
{
	struct part *p = &((struct sharing *)sharing)->v[share];

	p->ret = table_later_resolve(p->t);
	table_branch_flush(p->t);
}

/* Rows that the first has are numbered before all stretches; those of another would be between them. */
static bool can_share(const struct sharing *s)
{
	size_t all = 0;

	for (size_t k = 0; k < s->n; k++) {
		if (!s->v[k].t->feed->defers || (k && s->v[k].t->rows.n))
			return false;
		all += s->v[k].t->feed->later.n;
	}
	return all;
}

static int share_out(struct sharing *s)
{
	int ret = map_threads(s) ?: map_groups(s) ?: map_places(s);
	bool tells = false;

	for (size_t k = 0; k < s->n; k++)
		tells |= s->v[k].t->feed->tells;
	for (size_t k = 0; k < s->n; k++)
		s->v[k].t->feed->tells = tells;
	if (ret)
		return ret;
	side_by_side((unsigned)s->n, s->n, add_share, s);
	for (size_t k = 0; k < s->n; k++) {
		vec_for_each (l, &s->v[k].t->feed->later)
			s->v[k].alive += l->at != LATER_GONE;
		s->alive += s->v[k].alive;
	}
	side_by_side((unsigned)s->n, s->n, resolve_share, s);
	return 0;
}

int table_resolve_shared(struct table *const *t, size_t n, struct err *e)
{
	struct sharing s = { .n = n };
	int ret = 0;

	if (!t[0]->feed->defers)
		return 0;
	s.v = calloc(n, sizeof(*s.v));
	if (!s.v)
		ret = -ENOMEM;
	for (size_t k = 0; !ret && k < n; k++) {
		s.v[k].t = t[k];
		ret = t[k]->feed->no_memory ? -ENOMEM : 0;
	}
	if (!ret && can_share(&s))
		ret = share_out(&s);
	else if (!ret)
		side_by_side((unsigned)n, n, resolve_own, &s);
	for (size_t k = 0; s.v && k < n; k++) {
		struct part *p = &s.v[k];

		ret = ret ?: p->ret;
		table_branch_free(t[k]);
		free(p->thread_there);
		free(p->thread_here);
		free(p->group_there);
		vec_free(&p->place);
		vec_free(&p->where);
		vec_free(&p->group_here);
	}
	free(s.v);
	keys_tuples_free(&s.places);
	return ret ? err_set(e, ret, "no memory to count branches") : 0;
}
