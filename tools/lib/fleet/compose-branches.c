// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Branches of an engine as branch stacks: a branch that was taken N times is there N times, one of so many where there are too
 * many for a recording. A stack holds one branch alone, as often as there is room: what lies between two entries of a
 * stack would be code that nobody ran, and the same branch again is at least a loop that was seen.
 */
#include <stdlib.h>

#include "fleet/compose-int.h"

#define STACK 32 /* entries */

/* Bits of an entry's third word: perf_event.h, struct perf_branch_entry. */
#define MISPRED	     1u
#define PREDICTED    2u
#define CYCLES_SHIFT 4
#define TYPE_SHIFT   20
#define EXTENDED     13 /* PERF_BR_EXTEND_ABI: the type is elsewhere */

int fleet_compose_branch(struct fleet_compose *c, const struct fleet_branch *b, struct err *e)
{
	struct compose_branch add = {
		.event = intern(&c->events, *b->event ? b->event : "[unknown]"),
		.object = intern(&c->objects, b->object),
		.to_object = intern(&c->objects, b->to_object),
		.func = b->from_func,
		.to_func = b->to_func,
		.type = b->type > 0 && b->type < EXTENDED ? (uint32_t)b->type : 0,
		.taken = b->taken,
		.mispred = min_u64(b->mispred, b->taken),
		.cycles = b->cycles,
		.cycles_n = min_u64(b->cycles_n, b->taken),
	};

	/* The sum decides how many are one in the recording. */
	if (add.taken > UINT64_MAX - c->taken)
		return err_set(e, -EPROTO,
			       "the engine's answer counts more branches than 64 bits can hold");
	if (add.event == INTERN_NONE || add.object == INTERN_NONE || add.to_object == INTERN_NONE ||
	    vec_push(&c->branches, add))
		return err_set(e, -ENOMEM, "no memory for what the engine answered");
	c->taken += add.taken;
	c->mispred |= add.mispred;
	return 0;
}

/* Entries of a branch, and of these: mispredicted, with cycles. */
struct share {
	uint64_t n, mispred, cycles_n, cycles;
};

static struct share share_of(const struct composing *k, const struct compose_branch *b)
{
	struct share s = { .n = max_u64(1, b->taken / k->of_each) };
	double part = (double)s.n / (double)b->taken;

	s.mispred = (uint64_t)((double)b->mispred * part + 0.5);
	s.cycles_n = (uint64_t)((double)b->cycles_n * part + 0.5);
	if (b->cycles_n)
		s.cycles = min_u64(UINT16_MAX, (b->cycles + b->cycles_n / 2) / b->cycles_n);
	return s;
}

/* Of the @i-th entry. Where nothing was ever mispredicted, nobody told. */
static uint64_t flags_of(const struct composing *k, const struct compose_branch *b,
			 const struct share *s, uint64_t i)
{
	uint64_t flags = (uint64_t)b->type << TYPE_SHIFT;

	if (k->c->mispred)
		flags |= i < s->mispred ? MISPRED : PREDICTED;
	/* From the other end, so that it is not the mispredicted ones alone that have cycles. */
	if (s->n - i <= s->cycles_n)
		flags |= s->cycles << CYCLES_SHIFT;
	return flags;
}

static void put_u64(struct obuf *o, uint64_t v)
{
	obuf_mem(o, &v, sizeof(v));
}

static int put_stack(struct composing *k, const struct compose_branch *b, const struct share *s,
		     uint64_t first, const uint64_t ends[2], uint32_t pid, struct err *e)
{
	uint64_t nr = min_u64(STACK, s->n - first);
	struct obuf o = { .fd = -1 };
	int ret;

	put_u64(&o, b->event);
	put_u64(&o, ends[0]);
	put_u64(&o, (uint64_t)pid << 32 | pid);
	put_u64(&o, 1);
	if (k->chains)
		put_u64(&o, 0);
	put_u64(&o, nr);
	for (uint64_t i = first; i < first + nr; i++) {
		put_u64(&o, ends[0]);
		put_u64(&o, ends[1]);
		put_u64(&o, flags_of(k, b, s, i));
	}
	ret = fleet_compose_put(k, PERF_RECORD_SAMPLE,
				fleet_compose_is_kernel(ends[0]) ? PERF_RECORD_MISC_KERNEL
								 : PERF_RECORD_MISC_USER,
				&o, e);
	free(o.buf);
	return ret;
}

int fleet_compose_branches(struct composing *k, uint32_t pid, struct err *e)
{
	int ret = 0;

	vec_for_each (b, &k->c->branches) {
		uint64_t ends[2];
		struct share s;

		if (ret || !b->taken)
			continue;
		s = share_of(k, b);
		ret = fleet_compose_place(k, pid, b->object, b->func, &ends[0], e);
		ret = ret ?: fleet_compose_place(k, pid, b->to_object, b->to_func, &ends[1], e);
		for (uint64_t i = 0; !ret && i < s.n; i += STACK)
			ret = put_stack(k, b, &s, i, ends, pid, e);
	}
	return ret;
}
