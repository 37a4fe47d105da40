// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a thread stands on the way that was computed for it, when its span is over: behind the branch from where its
 * general registers, and memory next to it, are as computed. Loops come by the same registers more than
 * once. Their rounds are told apart by what they store; those of a loop that waits cannot be.
 */
#include "burst-int.h"
#include "walk-int.h"

#define STORES_NEAR  64	   /* to each side of a place, that tell rounds of a loop apart */
#define STORES_ROUND 512   /* likewise, where a round is known to be alike */
#define ROUND_MOST   4096  /* branches of such a one */
#define INSNS_BACK   20000 /* from where the thread stands to the next branch */

bool burst_look(struct tracer *t, const struct tracee *th, const struct user_regs_struct *r,
		struct burst_end *end)
{
	struct vm *vm = t->walker->look;
	struct vm_insn *in;

	*end = (struct burst_end){ .found = -1 };
	if (!vm && vm_new(&vm, VM_HOST))
		return false;
	t->walker->look = vm;
	vm->epoch = t->walker->vm->epoch;
	vm->exact = false;
	vm->uncounted = true;
	vm_look(vm, th->tid, r);
	if (vm_run(vm, INSNS_BACK, &in) != VM_BRANCH)
		return false;
	end->state = burst_state(vm);
	return end->state;
}

/* ---- registers ------------------------------------------------------------------------------------------ */

/* The next one behind @i; 0: there is none. */
static uint32_t next_alike(const struct burst *b, uint32_t i, const struct burst_end *end)
{
	uint32_t until = (uint32_t)min_u64(b->nr, (uint64_t)i + ROUND_MOST);

	while (++i < until)
		if (b->mark[i].state == end->state)
			return i;
	return 0;
}

/* ---- memory --------------------------------------------------------------------------------------------- */

/* Whether memory, where the thread stands, has @value where @s stores. */
static bool has_value(const struct tracer *t, const struct vm_stored *s, uint64_t value)
{
	const struct vm *vm = t->walker->vm;
	uint64_t now;

	if (vm_load(t->walker->look, s->addr, s->size, &now) != VM_OK)
		return true;
	/* it may be an address with a signature */
	if (s->size == 8)
		return vm_unsigned(vm, now) == vm_unsigned(vm, value);
	return !((now ^ value) << (64 - 8 * s->size));
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
static bool memory_agrees(const struct tracer *t, const struct burst *b, const struct burst_mark *m)
{
	const struct vm *way = t->walker->vm;
	uint32_t behind = b->end_stored - m->stored, before = m->stored - b->begin_stored;
	struct near near = { .n = 0 };

	if (way->nr_stored - m->stored + min_u64(before, STORES_NEAR) > VM_STORED)
		return false; /* forgotten */
	while (near.n < min_u64(before, STORES_NEAR)) {
		const struct vm_stored *s = &way->stored[(m->stored - 1 - near.n) % VM_STORED];

		if (s->known && !is_covered(&near, s) && !has_value(t, s, s->value))
			return false;
		near.v[near.n++] = s;
	}
	near.n = 0;
	while (near.n < min_u64(behind, STORES_NEAR)) {
		const struct vm_stored *s = &way->stored[(m->stored + near.n) % VM_STORED];

		if (s->had && !is_covered(&near, s) && !has_value(t, s, s->before))
			return false;
		near.v[near.n++] = s;
	}
	return true;
}

/* Eight bytes each, by hash. */
struct touched {
	uint64_t bits[64];
};

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

/* As memory_agrees(), by more stores, of those that change something. */
static bool round_agrees(const struct tracer *t, const struct burst *b, const struct burst_mark *m)
{
	const struct vm_stored *stored = t->walker->vm->stored;
	uint32_t behind = (uint32_t)min_u64(b->end_stored - m->stored, STORES_ROUND);
	uint32_t before = (uint32_t)min_u64(m->stored - b->begin_stored, STORES_ROUND);
	struct touched seen = { { 0 } };

	if (t->walker->vm->nr_stored - m->stored + before > VM_STORED)
		return false;
	for (uint32_t i = 1; i <= before; i++) {
		const struct vm_stored *s = &stored[(m->stored - i) % VM_STORED];

		if (!touch(&seen, s) && s->known && !has_value(t, s, s->value))
			return false;
	}
	seen = (struct touched){ { 0 } };
	for (uint32_t i = 0; i < behind; i++) {
		const struct vm_stored *s = &stored[(m->stored + i) % VM_STORED];

		if (!touch(&seen, s) && s->had && !has_value(t, s, s->before))
			return false;
	}
	return true;
}

bool burst_is_end(struct tracer *t, const struct burst *b, uint32_t i, struct burst_end *end)
{
	const struct burst_mark *m = &b->mark[i];

	if (m->state != end->state)
		return false;
	if (!memory_agrees(t, b, m) ||
	    ((end->nr || next_alike(b, i, end)) && !round_agrees(t, b, m))) {
		end->alike = i;
		end->nr++;
		return false;
	}
	end->found = i;
	return true;
}

/* ---- loops that wait ------------------------------------------------------------------------------------ */

#define INSNS_CYCLE 2 /* that pass in one, of those that do not take long of themselves */

/* Instructions that pass in @ns where @insns are one round, from where the look is. */
static uint64_t insns_in(const struct tracer *t, uint64_t ns, uint32_t insns)
{
	const struct walker *w = t->walker;
	double hz = (double)(arch_cycles() - w->since_cycles) / (double)(tracer_now() - w->since);
	uint64_t cycles = insns / INSNS_CYCLE + 1, rip = w->look->rip;
	enum vm_result r = VM_OK;
	uint64_t reg[VM_REGS_MOST];
	struct vm_insn *in;

	memcpy(reg, w->look->reg, sizeof(reg));
	for (uint32_t i = 0; i < insns && (r == VM_OK || r == VM_BRANCH); i++) {
		in = vm_fetch(w->look, &r);
		if (!in)
			break;
		cycles += arch_wait(&w->waits, in);
		r = vm_step(w->look, in);
	}
	memcpy(w->look->reg, reg, sizeof(reg));
	w->look->rip = rip;
	return (uint64_t)((double)ns * hz / (double)cycles * insns);
}

bool burst_goes_round(struct tracer *t, const struct burst *b, struct burst_end *end)
{
	uint32_t i = (uint32_t)end->found, next = next_alike(b, i, end);
	uint64_t insns;

	if (!next || !memory_agrees(t, b, &b->mark[next]) || !round_agrees(t, b, &b->mark[next]))
		return false;
	insns = b->mark[i].insns + insns_in(t, b->left, b->mark[next].insns - b->mark[i].insns);
	while (next && b->mark[next].insns <= insns) {
		i = next;
		next = next_alike(b, i, end);
	}
	end->found = i;
	return true;
}
