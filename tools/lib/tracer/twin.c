// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same way at another time. A program that reads a clock gets a number that nobody knows before: where the thread
 * stands at the end of its span cannot be told by registers that have to do with it. So such a way is
 * computed twice, with two times a few milliseconds apart, one branch here and one there. What is the same in both is
 * the same at any time, and is compared with the thread. Where they part the program decides by the
 * time, and what is known ends.
 */
#include "base/bytes.h"
#include "burst-int.h"
#include "walk-int.h"

/*
 * The two times are bounds of the thread's own. The way's is that at which it is computed, and passes as code of four instructions a cycle
 * has it (VM_CLOCK_FAST): the thread will read a later one. The twin's is behind all that: what depends on a limit between the
 * two (a time-out, the next second) goes two ways, and nobody knows which of them the thread takes.
 */
#define SLOW	   16 /* quarters of a cycle for each instruction: more than most code takes */
#define STOOD_MOST 200000000 /* cycles: whatever takes longer is not usual, or two CPUs disagree */

void twin_clock(struct burst_twin *b, struct vm *vm)
{
	b->time = arch_cycles();
	vm->clock = (struct vm_clock){ .known = true, .per_insn = VM_CLOCK_FAST };
}

void twin_stood(struct tracer *t, struct burst_twin *b)
{
	uint64_t now = arch_cycles() - b->time, *stood = &t->walker->stood;

	if (!b->time || now > STOOD_MOST)
		return;
	b->time = 0; /* this stop was seen */
	/* soon as long as the longest, and for a while */
	*stood = now > *stood ? *stood + (now - *stood) / 2 : *stood - (*stood - now) / 8;
}

uint32_t twin_differs(const struct tracer *t)
{
	const struct vm *a = t->walker->vm, *b = t->walker->twin;
	uint32_t differs = 0;

	for (unsigned i = 0; i < VM_HOST_REGS; i++)
		differs |= (uint32_t)(a->reg[i] != b->reg[i]) << i;
	return differs;
}

/* The first @size bytes; false of more than eight. */
static bool is_same(uint64_t a, uint64_t b, uint32_t size)
{
	return size <= 8 && !((a ^ b) << (64 - 8 * size));
}

/*
 * Memory by which rounds of a loop are told apart: what was stored with other values, or elsewhere, is of no use for that. Both
 * have made as many stores, so the n-th is the same one.
 */
static void compare_stores(struct vm *way, const struct vm *twin, struct burst_twin *b)
{
	uint32_t most = way->nr_stored - b->stored;

	if (most > VM_STORED)
		b->stored += most - VM_STORED;
	for (; b->stored != way->nr_stored; b->stored++) {
		struct vm_stored *s = &way->stored[b->stored % VM_STORED];
		const struct vm_stored *o = &twin->stored[(b->stored - b->apart) % VM_STORED];
		bool there = s->addr == o->addr && s->size == o->size;

		s->known = s->known && o->known && there && is_same(s->value, o->value, s->size);
		s->had = s->had && o->had && there && is_same(s->before, o->before, s->size);
	}
}

/* The way has come here from a branch, by no other or to the next one, and so must the twin: else it went elsewhere between. */
bool twin_follow(struct tracer *t, struct burst_twin *b, uint64_t begin)
{
	struct vm *way = t->walker->vm, *twin = t->walker->twin;
	uint64_t until = b->begin + (way->executed - begin);
	struct vm_insn *in;

	if (twin->executed != until)
		(void)vm_run(twin, until - twin->executed, &in);
	if (twin->executed != until || twin->rip != way->rip || twin->known != way->known ||
	    way->nr_stored - twin->nr_stored != b->apart)
		return false;
	compare_stores(way, twin, b);
	return true;
}

/*
 * From the start again, not from the clock on: the way's vm is at one place only, and up to there the twin copies what that has read,
 * so this takes no more than the instructions.
 */
bool twin_begin(struct tracer *t, const struct tracee *th, struct burst *b,
		const struct user_regs_struct *start)
{
	struct vm *way = t->walker->vm, *twin = t->walker->twin;
	uint32_t before = b->nr > b->first ? b->mark[b->nr - 1].insns : 0;
	uint64_t stood = t->walker->stood;
	/* behind what the kernel's page says, too */
	uint64_t later = max_u64(b->twin.time + stood + stood / 2, arch_cycles() + stood / 2);
	enum vm_result r = VM_BRANCH;
	struct vm_insn *in;

	if (!twin && vm_new(&twin, VM_HOST))
		return false;
	t->walker->twin = twin;
	if (vm_keep_stored(twin))
		return false;
	twin->epoch = way->epoch;
	twin->exact = false;
	twin->uncounted = true;
	twin->like = way;
	twin->clock = (struct vm_clock){ .known = true,
					 .begun = true,
					 .from = 4 * later - SLOW * twin->executed,
					 .per_insn = SLOW };
	vm_look(twin, th->tid, start);
	b->twin.begin = twin->executed;
	b->twin.apart = b->begin_stored - twin->nr_stored;
	b->twin.stored = b->begin_stored;
	b->twin.since = b->nr;
	b->twin.on = true;
	while (r == VM_BRANCH && twin->executed < b->twin.begin + before)
		r = vm_run(twin, b->twin.begin + before - twin->executed, &in);
	return twin_follow(t, &b->twin, b->begin);
}

/* ---- the clocks ----------------------------------------------------------------------------------------- */

/*
 * The kernel writes what a time stamp is to be added to, and a number that says so, several hundred times a second. The thread
 * has these in its registers for a while.
 */
void twin_end(const struct tracer *t, struct burst_twin *b)
{
	const struct vm *way = t->walker->vm;

	b->nr_pages = 0;
	for (uint32_t i = 0; i < way->nr_pages && b->nr_pages < ARRAY_SIZE(b->page); i++) {
		if (!way->page[i].clock)
			continue;
		b->page[b->nr_pages].addr = way->page[i].addr;
		memcpy(b->page[b->nr_pages++].was, way->page[i].data, VM_PAGE);
	}
}

static void add_ticks(struct burst_twin *b, const unsigned char *was, const unsigned char *is)
{
	for (size_t at = 0; at < VM_PAGE && b->nr_ticks < ARRAY_SIZE(b->tick); at += 8) {
		b->tick[b->nr_ticks].was = load_u64(was + at, false);
		b->tick[b->nr_ticks].is = load_u64(is + at, false);
		b->nr_ticks += b->tick[b->nr_ticks].was != b->tick[b->nr_ticks].is;
	}
}

void twin_look(struct burst_twin *b, struct vm *look)
{
	unsigned char is[VM_PAGE];

	b->nr_ticks = 0;
	for (uint32_t i = 0; i < b->nr_pages; i++)
		if (vm_read_vvar(look, b->page[i].addr, is))
			add_ticks(b, b->page[i].was, is);
}

/*
 * A register has a word of the page, or one half of it: a counter of 32 bits lies beside the clock's mode. That some other value is by
 * chance one of those few does not happen: they are times and counts since the machine started.
 */
uint64_t twin_back(const struct burst_twin *b, uint64_t v)
{
	for (uint32_t i = 0; i < b->nr_ticks; i++) {
		uint64_t was = b->tick[i].was, is = b->tick[i].is;

		if (v == is)
			return was;
		if (v == (uint32_t)is)
			return (uint32_t)was;
		if (v == is >> 32)
			return was >> 32;
	}
	return v;
}
