// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branch mode: millions of entries, few distinct ones. A cache keyed by the raw entry counts;
 * names are looked at when an entry is new to it, rows get the counts when an entry has to go
 * and at the end. A key holds the address space's state, so a new map does not mix up old entries.
 * The cache grows with what it has to hold.
 */
#include "branch-int.h"

#define SLOT_BITS_MIN 10
#define SLOT_BITS_MAX 18
#define CHUNK	      32

#define BRANCH_CYCLES 0xffff0u /* of the packed flags */

/* A set's number is the upper bits of a hash: what meets in one of the new sets did so before, so there is room. */
static void move_slots(struct feed *f, const struct branch_slot *old,
		       const struct branch_counts *told, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t at = slot_home(f, old[i].from, old[i].to, old[i].rest);

		if (!old[i].rest)
			continue;
		while (f->slots[at].rest)
			at = (at & ~(BRANCH_WAYS - 1u)) | ((at + 1) & (BRANCH_WAYS - 1));
		f->slots[at] = old[i];
		if (old[i].row & BRANCH_LATER)
			f->later.v[old[i].row & ~BRANCH_LATER].at = at;
		if (f->tells)
			f->told[at] = told[i];
	}
}

static int resize(struct feed *f, unsigned bits)
{
	size_t n = f->slots ? (size_t)1 << f->slot_bits : 0, all = (size_t)1 << bits;
	struct branch_slot *old = f->slots, *slots = slots_new(all * sizeof(*slots));
	struct branch_counts *old_told = f->told, *told = calloc(all, sizeof(*told));

	if (!slots || !told) {
		free(slots);
		free(told);
		return -ENOMEM;
	}
	f->slots = slots;
	f->told = told;
	f->slot_bits = bits;
	f->taken = 0;
	move_slots(f, old, old_told, n);
	free(old);
	free(old_told);
	return 0;
}

int table_branch_init(struct table *t)
{
	t->feed->counts = table_sum_of(&t->sums, &keys_acc_branches);
	t->feed->branch_where.width = 2;
	return resize(t->feed, SLOT_BITS_MIN);
}

void table_branch_free(struct table *t)
{
	if (t->feed->defers)
		machine_call_before(t->keys.m, NULL, NULL);
	t->feed->defers = false;
	free(t->feed->slots);
	free(t->feed->told);
	t->feed->slots = NULL;
	t->feed->told = NULL;
	vec_free(&t->feed->later);
	vec_free(&t->feed->out);
	vec_free(&t->feed->later_thread);
	keys_tuples_free(&t->feed->branch_where);
}

static bool cycles_in_key(const struct table *t)
{
	return (t->bit_mask & BRANCH_CYCLES) == BRANCH_CYCLES;
}

void table_branch_count(struct table *t, uint32_t idx, uint32_t bits, uint32_t count,
			const struct branch_counts *told)
{
	struct keys_row *row = &t->rows.v[idx];
	struct branch_counts mine = told ? *told : (struct branch_counts){ 0 };
	const struct acc_in in = { .entries = &mine, .times = count };
	uint64_t cycles = branch_flags_cycles(bits);

	row->nr += count;
	row->period += count;
	if (cycles_in_key(t)) {
		mine.cycles = cycles * count;
		mine.nr_cycles = cycles ? count : 0;
	}
	/* The row's slots are there since table_branch_row(). */
	t->feed->counts->acc->add(table_slot_reach(&t->feed->counts->row, idx), &in, NULL);
}

static void flush_slot(struct table *t, struct branch_slot *s)
{
	struct branch_counts *told = t->feed->tells ? &t->feed->told[s - t->feed->slots] : NULL;

	table_branch_count(t, s->row, slot_flags(s), s->count, told);
	if (told)
		*told = (struct branch_counts){ 0 };
	s->count = 0;
}

/* Asked for by all who want the rows' counts: megabytes are looked through once for what came since. */
void table_branch_flush(struct table *t)
{
	if (!t->feed->counted)
		return;
	t->feed->counted = false;
	for (uint32_t i = 0; t->feed->slots && i < 1u << t->feed->slot_bits; i++)
		if (t->feed->slots[i].count && !(t->feed->slots[i].row & BRANCH_LATER))
			flush_slot(t, &t->feed->slots[i]);
}

/* A small number for (address space, its maps now). */
static uint32_t epoch_of(struct table *t, struct thread *th)
{
	uint32_t gen = machine_generation(t->keys.m, th->space);
	size_t slot = th->space % ARRAY_SIZE(t->feed->epoch);

	if (t->feed->epoch[slot].epoch && t->feed->epoch[slot].space == th->space &&
	    t->feed->epoch[slot].gen == gen)
		return t->feed->epoch[slot].epoch;
	t->feed->epoch[slot].space = th->space;
	t->feed->epoch[slot].gen = gen;
	t->feed->epoch[slot].epoch = ++t->feed->nr_epochs;
	return t->feed->nr_epochs;
}

/* A small number for (group, address space and its maps now). ID_NONE: no memory. */
static uint32_t where_of(struct table *t, struct thread *th, uint32_t group)
{
	uint64_t key[2] = { group, epoch_of(t, th) };
	const uint64_t *last = t->feed->branch_where.n
				       ? keys_tuple_get(&t->feed->branch_where, t->feed->last_where)
				       : NULL;

	if (!last || last[0] != key[0] || last[1] != key[1])
		t->feed->last_where = keys_tuple_id(&t->feed->branch_where, key);
	return t->feed->last_where;
}

uint32_t table_branch_row(struct table *t, const struct branch_at *at)
{
	uint32_t from =
		resolver_find(t->keys.res, at->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, at->from);
	uint32_t to = resolver_find(t->keys.res, at->th, PERF_RECORD_MISC_CPUMODE_UNKNOWN, at->to);
	struct branch_counts *counts;
	const struct symbol *sym;
	struct keys_row *row;
	uint32_t a, b;
	bool first;

	/* Other samples may have come since. */
	t->feed->keys.at_thread = at->th;
	if (from == LOC_NONE || to == LOC_NONE)
		return ID_NONE;
	a = table_place_of_loc(t, from, at->from, false);
	b = table_place_of_loc(t, to, at->to, true);
	if (a == ID_NONE || b == ID_NONE)
		return ID_NONE;
	row = table_row_of(t, at->group, a, b, at->bits);
	if (!row)
		return ID_NONE;
	first = row->thread == ID_NONE;
	if (first) {
		row->thread = at->th->idx;
		row->cpumode = at->cpumode;
	}
	counts = table_slot_reach(&t->feed->counts->row, row->idx);
	if (!counts)
		return ID_NONE;
	sym = resolver_loc(t->keys.res, to)->sym;
	if (first && sym)
		counts->symbol_to = sym->idx;
	return row->idx;
}

void table_branch_count_type(struct branch_totals *t, uint64_t from, uint64_t to, uint64_t flags,
			     uint64_t times)
{
	unsigned type = branch_flags_type(flags);

	if (!type || !from)
		return;
	t->typed += times;
	if (type == BR_EXTEND)
		t->new_type[branch_flags_new_type(flags)] += times;
	else
		t->type[type] += times;
	if (type == BR_COND)
		*(to > from ? &t->cond_fwd : &t->cond_bwd) += times;
	if (from >> 21 != to >> 21)
		t->cross_2m += times;
	else if (from >> 12 != to >> 12)
		t->cross_4k += times;
}

/* The row of a new entry, or the number that it waits with for one. */
static int start_slot(struct table *t, struct thread *th, struct branch_slot *s,
		      const struct branch_slot *key, uint8_t cpumode)
{
	struct branch_at at;
	uint32_t row;

	if (t->feed->defers) {
		*s = *key;
		return table_later_add(t, s, th, cpumode);
	}
	at = table_branch_at(t, key, th, cpumode);
	row = table_branch_row(t, &at);
	if (row == ID_NONE)
		return -ENOMEM;
	*s = *key;
	s->row = row;
	return 0;
}

/* What a slot has goes where it counts. */
static int give_up(struct table *t, struct branch_slot *s)
{
	if (s->row & BRANCH_LATER)
		return table_later_out(t, s);
	flush_slot(t, s);
	return 0;
}

/* Of an entry that is not at @home: elsewhere in its set, or in the place of the least used. */
static struct branch_slot *find_slot(struct table *t, struct thread *th, uint32_t home,
				     const struct branch_slot *key, uint8_t cpumode)
{
	struct branch_slot *worst = &t->feed->slots[home];

	for (unsigned i = 1; i < BRANCH_WAYS; i++) {
		struct branch_slot *s = &t->feed->slots[home ^ i];

		if (slot_is(s, key->from, key->to, key->rest))
			return s;
		if (s->count < worst->count)
			worst = s;
	}
	if ((worst->count && give_up(t, worst)) || start_slot(t, th, worst, key, cpumode))
		return NULL;
	t->feed->taken++;
	return worst;
}

/* What the rows do not tell apart. */
static inline void count_told(struct feed *f, const struct branch_slot *slot, uint64_t flags,
			      bool cycles)
{
	struct branch_counts *told = &f->told[slot - f->slots];

	f->tells = true;
	if (cycles) {
		told->cycles += branch_flags_cycles(flags);
		told->nr_cycles += branch_flags_cycles(flags) != 0;
	}
	told->nr_mispred += flags & 1;
	told->nr_unflagged += !(flags & 3);
}

/* Up to CHUNK entries: all slots are asked for before the first is looked at. */
static inline int add_chunk(struct table *t, const struct sample *s, struct thread *th,
			    const unsigned char *e, unsigned n, uint64_t where, bool swap)
{
	const uint64_t bit_mask = t->bit_mask;
	const bool cycles = !cycles_in_key(t);
	const struct acc_in in = table_acc_in(t, s, th);
	struct branch_slot *slots = t->feed->slots;
	uint32_t at[CHUNK];

	for (unsigned i = 0; i < n; i++) {
		const unsigned char *b = e + (size_t)i * BRANCH_ENTRY_SIZE;
		uint64_t from = load_u64(b, swap), to = load_u64(b + 8, swap);
		uint64_t flags = branch_load_flags(b, swap);

		at[i] = slot_home(t->feed, from, to, where | (flags & bit_mask));
		__builtin_prefetch(&slots[at[i]], 1);
		if (branch_flags_type(flags))
			table_branch_count_type(&t->branch, from, to, flags, 1);
	}
	for (unsigned i = 0; i < n; i++) {
		const unsigned char *b = e + (size_t)i * BRANCH_ENTRY_SIZE;
		uint64_t flags = branch_load_flags(b, swap);
		const struct branch_slot key = { .from = load_u64(b, swap),
						 .to = load_u64(b + 8, swap),
						 .rest = where | (flags & bit_mask) };
		struct branch_slot *slot = &slots[at[i]];

		if (unlikely(!slot_is(slot, key.from, key.to, key.rest))) {
			slot = find_slot(t, th, at[i], &key, s->cpumode);
			if (!slot)
				return -ENOMEM;
		}
		if (unlikely(t->sums.nr_entry) && table_sums_add_entry(&t->sums, slot->row, &in))
			return -ENOMEM;
		if (unlikely(cycles || (flags & 3) != 2))
			count_told(t->feed, slot, flags, cycles);
		if (unlikely(++slot->count == UINT32_MAX)) {
			if (slot->row & BRANCH_LATER && table_later_resolve(t))
				return -ENOMEM;
			flush_slot(t, slot);
		}
	}
	return 0;
}

int table_branch_add(struct table *t, const struct sample *s, struct thread *th, uint32_t group)
{
	const unsigned char *e = s->branches.entries;
	uint32_t where = where_of(t, th, group);
	int ret = 0;

	if (where == ID_NONE || t->feed->no_memory)
		return -ENOMEM;
	if (unlikely(t->feed->taken > 1u << t->feed->slot_bits >> 1) &&
	    t->feed->slot_bits < SLOT_BITS_MAX && resize(t->feed, t->feed->slot_bits + 2))
		return -ENOMEM;
	for (uint64_t done = 0; done < s->branches.nr && !ret; done += CHUNK) {
		unsigned n = (unsigned)min_u64(CHUNK, s->branches.nr - done);
		uint64_t high = ((uint64_t)where + 1) << 32;

		if (likely(!s->branches.swap))
			ret = add_chunk(t, s, th, e, n, high, false);
		else
			ret = add_chunk(t, s, th, e, n, high, true);
		e += (size_t)n * BRANCH_ENTRY_SIZE;
	}
	t->feed->counted = true;
	t->branch.entries += s->branches.nr;
	return ret;
}

const struct branch_totals *table_branch_totals(const struct table *t)
{
	return &t->branch;
}
