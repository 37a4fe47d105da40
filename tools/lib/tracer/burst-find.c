// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a thread stands on the way that was computed for it, when its span is over: behind the branch from where its
 * general registers, and memory next to it, are as computed. Loops come by the same registers more than
 * once. Their rounds are told apart by what they store; those of a loop that waits cannot be.
 */
#include "burst-int.h"
#include "walk-int.h"

#define STORES_NEAR  64	  /* to each side of a place, that tell rounds of a loop apart */
#define STORES_ROUND 512  /* likewise, of eight bytes each, where a round or the time makes it so */
#define ROUND_MOST   4096 /* branches of such a one */
#define COMPARED_MOST \
	(1            \
	 << 16) /* of these stores in all: there may be a hundred thousand rounds, and the thread stands still */
#define INSNS_BACK 20000 /* from where the thread stands to the next branch */

/* What the thread read of the kernel's clocks becomes what the way read. */
static void go_back(struct burst_twin *twin, struct vm *look)
{
	twin_look(twin, look);
	for (unsigned i = 0; i < VM_HOST_REGS; i++)
		look->reg[i] = twin_back(twin, look->reg[i]);
}

bool burst_look(struct tracer *t, const struct tracee *th, const struct user_regs_struct *r,
		struct burst_end *end)
{
	struct burst_twin *twin = &th->burst->twin;
	struct vm *vm = t->walker->look;
	struct vm_insn *in;

	*end = (struct burst_end){ .found = -1, .alike = -1, .close = -1 };
	if (!vm && vm_new(&vm, VM_HOST))
		return false;
	t->walker->look = vm;
	vm->epoch = t->walker->vm->epoch;
	vm->exact = false;
	vm->uncounted = true;
	vm->clock.known = twin->on;
	vm_look(vm, th->tid, r);
	if (vm_run(vm, INSNS_BACK, &in) != VM_BRANCH)
		return false;
	if (twin->on)
		go_back(twin, vm);
	end->state = burst_state(vm, 0);
	return end->state;
}

/* ---- registers ------------------------------------------------------------------------------------------ */

/* Whether mark @i is of registers as they are there, but for those that have to do with the time. */
static bool is_alike(const struct tracer *t, const struct burst *b, uint32_t i,
		     struct burst_end *end)
{
	uint32_t but = b->twin.on && i >= b->twin.since ? b->twin.differs[i] : 0;

	if (!but)
		return b->mark[i].state == end->state;
	if (but != end->but) {
		end->but = but;
		end->part = burst_state(t->walker->look, but);
	}
	return b->mark[i].state == end->part;
}

/* The next one behind @i; 0: there is none. */
static uint32_t next_alike(const struct tracer *t, const struct burst *b, uint32_t i,
			   struct burst_end *end)
{
	uint32_t until = (uint32_t)min_u64(b->nr, (uint64_t)i + ROUND_MOST);

	while (++i < until)
		if (is_alike(t, b, i, end))
			return i;
	return 0;
}

/* ---- memory --------------------------------------------------------------------------------------------- */

/* Whether memory, where the thread stands, has @value where @s stores. */
static bool has_value(const struct tracer *t, const struct burst *b, const struct vm_stored *s,
		      uint64_t value)
{
	const struct vm *vm = t->walker->vm;
	uint64_t now;

	if (vm_load(t->walker->look, s->addr, s->size, &now) != VM_OK)
		return true;
	if (now != value && b->twin.on)
		now = twin_back(&b->twin, now);
	/* it may be an address with a signature */
	if (s->size == 8)
		return vm_unsigned(vm, now) == vm_unsigned(vm, value);
	return !((now ^ value) << (64 - 8 * s->size));
}

/*
 * Whether memory is another there than @value, to which @s stores. What the way read too late says nothing against it, but is
 * noted.
 */
static bool contradicts(const struct tracer *t, const struct burst *b, const struct vm_stored *s,
			uint64_t value, struct burst_end *end)
{
	if (has_value(t, b, s, value))
		return false;
	if (!end->guess || !vm_was_late(t->walker->vm, s->addr))
		return true;
	end->late_only = true;
	return false;
}

/* The stores next to a mark, to one side of it. */
struct near {
	const struct vm_stored *v[STORES_NEAR];
	unsigned n;
};

/* Whether one that was looked at, which lies nearer, is to the same bytes. */
static bool is_covered(const struct near *near, const struct vm_stored *s)
{
	for (unsigned i = 0; i < near->n; i++)
		if (s->addr < near->v[i]->addr + near->v[i]->size &&
		    near->v[i]->addr < s->addr + s->size)
			return true;
	return false;
}

/*
 * Whether memory, where the thread stands, has what was stored on the way up to @m, and has not what is stored behind it. Rounds
 * of a loop may be alike but for what they count in memory.
 */
static bool memory_agrees(const struct tracer *t, const struct burst *b, const struct burst_mark *m,
			  struct burst_end *end)
{
	const struct vm *way = t->walker->vm;
	uint32_t behind = b->end_stored - m->stored, before = m->stored - b->begin_stored;
	struct near near = { .n = 0 };

	if (way->nr_stored - m->stored + min_u64(before, STORES_NEAR) > VM_STORED)
		return false; /* forgotten */
	while (near.n < min_u64(before, STORES_NEAR)) {
		const struct vm_stored *s = &way->stored[(m->stored - 1 - near.n) % VM_STORED];

		if (s->known && !is_covered(&near, s) && contradicts(t, b, s, s->value, end))
			return false;
		near.v[near.n++] = s;
	}
	near.n = 0;
	while (near.n < min_u64(behind, STORES_NEAR)) {
		const struct vm_stored *s = &way->stored[(m->stored + near.n) % VM_STORED];

		if (s->had && !is_covered(&near, s) && contradicts(t, b, s, s->before, end))
			return false;
		near.v[near.n++] = s;
	}
	return true;
}

/*
 * What stores that lie nearer were to. Of a few that is looked up among them (is_covered()); of hundreds by hash, eight bytes together:
 * where two meet the one further away is not compared, which costs a difference now and then and finds none that is not there.
 */
struct touched {
	uint64_t bits[64];
};

/* How many of eight bytes @s is worth: copies are remembered as few large ones. */
static uint32_t worth(const struct vm_stored *s)
{
	return max_u64(1, s->size / 8);
}

/* Whether some of what @s stores to was touched before, or may have been. */
static bool touch(struct touched *t, const struct vm_stored *s)
{
	bool was = false;

	for (uint64_t at = s->addr / 8; at <= (s->addr + s->size - 1) / 8; at++) {
		uint64_t h = hash_u64(at) % (64 * ARRAY_SIZE(t->bits));

		was |= t->bits[h / 64] >> h % 64 & 1;
		t->bits[h / 64] |= 1ULL << h % 64;
	}
	return was;
}

/*
 * As memory_agrees(), by more stores. A round that is too early is seen by both sides: what it stored before has changed since, and
 * what it is yet to store has been.
 */
static bool round_agrees(const struct tracer *t, const struct burst *b, const struct burst_mark *m,
			 struct burst_end *end)
{
	const struct vm_stored *stored = t->walker->vm->stored;
	uint32_t behind = (uint32_t)min_u64(b->end_stored - m->stored, STORES_ROUND);
	uint32_t before = (uint32_t)min_u64(m->stored - b->begin_stored, STORES_ROUND);
	struct touched seen = { { 0 } };

	if (t->walker->vm->nr_stored - m->stored + before > VM_STORED)
		return false;
	for (uint32_t i = 1, n = 0; i <= before && n < STORES_ROUND; i++) {
		const struct vm_stored *s = &stored[(m->stored - i) % VM_STORED];

		n += worth(s);
		end->compared += worth(s);
		if (!touch(&seen, s) && s->known && contradicts(t, b, s, s->value, end))
			return false;
	}
	seen = (struct touched){ { 0 } };
	for (uint32_t i = 0, n = 0; i < behind && n < STORES_ROUND; i++) {
		const struct vm_stored *s = &stored[(m->stored + i) % VM_STORED];

		n += worth(s);
		end->compared += worth(s);
		if (!touch(&seen, s) && s->had && contradicts(t, b, s, s->before, end))
			return false;
	}
	return true;
}

int64_t burst_only(const struct burst_end *end)
{
	return end->nr_alike + end->nr_close == 1 ? max_i64(end->alike, end->close) : -1;
}

/*
 * Whether registers as they are there came once, and did not come again up to @i. If memory that was read in time speaks against that place,
 * only the way's end can tell.
 */
static bool is_only(struct burst_end *end, uint32_t i)
{
	int64_t only = end->late_only ? burst_only(end) : -1;

	if (only < 0 || i - only < ROUND_MOST)
		return false;
	end->found = only;
	return true;
}

/*
 * By registers first, which of most ways leaves one mark; then by memory next to it, and only where registers come again by more.
 * Another thread may store at any time: so what agrees in part is remembered, for who finds nothing better.
 */
bool burst_is_end(struct tracer *t, const struct burst *b, uint32_t i, struct burst_end *end)
{
	const struct burst_mark *m = &b->mark[i];
	bool agrees;

	if (!is_alike(t, b, i, end))
		return is_only(end, i);
	if (end->compared > COMPARED_MOST) {
		end->gave_up = true;
		return false;
	}
	end->late_only = false;
	agrees = memory_agrees(t, b, m, end);
	if (!agrees || end->late_only) {
		end->late_only &= agrees;
		end->alike = i;
		end->nr_alike++;
		return false;
	}
	if ((b->twin.on || end->nr_alike || end->nr_close || next_alike(t, b, i, end)) &&
	    !round_agrees(t, b, m, end)) {
		end->late_only = false;
		end->close = i;
		end->nr_close++;
		return false;
	}
	end->found = i;
	return true;
}

/* ---- loops that wait ------------------------------------------------------------------------------------ */

/*
 * Their rounds are the same in registers and memory, so time is all that tells how many passed. What leaving the stop takes of
 * the span is not taken off.
 */
#define INSNS_CYCLE 2 /* that pass in one, of those that do not take long of themselves */

/* Cycles that the @insns of a round take, from where the look is; 0: it is about vectors, and nobody knows. */
static uint64_t round_cycles(const struct tracer *t, uint32_t insns)
{
	const struct walker *w = t->walker;
	uint64_t cycles = insns / INSNS_CYCLE + 1;
	enum vm_result r = VM_OK;
	struct burst_place here;
	struct vm_insn *in;

	burst_note_place(&here, w->look);
	for (uint32_t i = 0; i < insns && (r == VM_OK || r == VM_BRANCH) && cycles; i++) {
		in = vm_fetch(w->look, &r);
		if (!in)
			break;
		cycles = in->vector ? 0 : cycles + arch_wait(&w->waits, in);
		r = vm_step(w->look, in);
	}
	burst_back_to(w->look, &here);
	return cycles;
}

/* Instructions to which a thread comes in @ns that goes round from mark @i to @next, behind those before. */
static uint64_t insns_in(const struct tracer *t, const struct burst *b, uint64_t ns, uint32_t i,
			 uint32_t next)
{
	const struct walker *w = t->walker;
	double hz =
		(double)(arch_cycles() - w->since_cycles) / (double)(tracer_now() - w->since + 1);
	uint32_t before = b->mark[i].insns, round = b->mark[next].insns - before;
	double left = (double)ns * hz - (double)before / INSNS_CYCLE;
	uint64_t cycles = round_cycles(t, round);

	if (!cycles)
		return 0;
	return before + (left > 0 ? (uint64_t)(left / (double)cycles * round) : 0);
}

uint64_t burst_goes_round(struct tracer *t, const struct burst *b, uint64_t ns, uint64_t usual,
			  struct burst_end *end)
{
	uint32_t i = (uint32_t)end->found, next = next_alike(t, b, i, end), round;
	uint64_t insns;

	if (!next || !memory_agrees(t, b, &b->mark[next], end) ||
	    !round_agrees(t, b, &b->mark[next], end))
		return 0;
	round = b->mark[next].insns - b->mark[i].insns;
	insns = insns_in(t, b, ns, i, next) ?: usual;
	/* a longer one is of another loop around it */
	while (next && b->mark[next].insns <= insns &&
	       b->mark[next].insns - b->mark[i].insns == round) {
		i = next;
		next = next_alike(t, b, i, end);
	}
	end->found = i;
	return insns;
}
