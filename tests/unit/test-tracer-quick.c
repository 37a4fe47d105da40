// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tracer's short cuts against its interpreter: the same random code is executed in blocks and
 * one instruction after the other. Registers, flags, stores, branches and counts must be equal.
 */
#include <string.h>

#include "base/tables.h"
#include "unit.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/mman.h>

#include "tracer/exec-int.h"

#define PROGRAMS  400
#define STRETCHES 40 /* of a program, each from other registers on */
#define INSNS	  400
#define CODE	  4096 /* behind it four pages of data */
#define AREA	  (CODE + 4 * 4096)
/*
 * On each side, where nothing is, as far as an instruction's displacement leads: a program that reads
 * what the vm itself has beside the area finds something else each time.
 */
#define GUARD (1UL << 31)

static unsigned char *area;
static uint64_t seed = 1;

static uint64_t any(uint64_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % below;
}

/* An opcode with a ModRM byte; @imm: bytes behind it, 4 less where 66h makes it two. */
static const struct form {
	uint8_t map, opcode, imm;
	int8_t group; /* how many numbers ModRM's reg may have; 0 = it is a register */
} forms[] = {
	{ 0, 0x69, 4, 0 },   { 0, 0x6b, 1, 0 },	  { 0, 0x80, 1, 8 },	{ 0, 0x81, 4, 8 },
	{ 0, 0x83, 1, 8 },   { 0, 0x84, 0, 0 },	  { 0, 0x85, 0, 0 },	{ 0, 0x86, 0, 0 },
	{ 0, 0x87, 0, 0 },   { 0, 0x88, 0, 0 },	  { 0, 0x89, 0, 0 },	{ 0, 0x8a, 0, 0 },
	{ 0, 0x8b, 0, 0 },   { 0, 0x8d, 0, 0 },	  { 0, 0x63, 0, 0 },	{ 0, 0xc0, 1, 8 },
	{ 0, 0xc1, 1, 8 },   { 0, 0xd0, 0, 8 },	  { 0, 0xd1, 0, 8 },	{ 0, 0xd2, 0, 8 },
	{ 0, 0xd3, 0, 8 },   { 0, 0xc6, 1, 1 },	  { 0, 0xc7, 4, 1 },	{ 0, 0xfe, 0, 2 },
	{ 0, 0xff, 0, 2 },   { 0xf, 0xaf, 0, 0 }, { 0xf, 0xb6, 0, 0 },	{ 0xf, 0xb7, 0, 0 },
	{ 0xf, 0xbe, 0, 0 }, { 0xf, 0xbf, 0, 0 }, { 0xf, 0x40, 0, -1 }, { 0xf, 0x90, 0, -1 },
	{ 0xf, 0xa3, 0, 0 }, { 0xf, 0xc1, 0, 0 }, { 0xf, 0xb1, 0, 0 },	{ 0xf, 0xa4, 1, 0 },
	{ 0, 0xf6, 0, -2 },  { 0, 0xf7, 0, -2 },  { 0xf, 0x1f, 0, 1 },
};

/* Without one: pushes and pops, constants, sign extensions, leave, flags. */
static unsigned add_plain(unsigned char *to)
{
	static const uint8_t plain[] = {
		0x98, 0x99, 0x90, 0x9c, 0x9e, 0x9f, 0xf8, 0xf9, 0xf5, 0xc9
	};
	unsigned n = 0, what = (unsigned)any(8);

	if (what > 1 && any(2))
		to[n++] = (uint8_t)(0x40 | any(16));
	switch (what) {
	case 0: to[n++] = plain[any(sizeof(plain))]; return n;
	case 1:
		to[n++] = 0x48;
		to[n++] = plain[any(2)];
		return n;
	case 2: to[n++] = (uint8_t)(0x50 | any(8)); return n;
	case 3: to[n++] = (uint8_t)(0x58 | any(8)); return n;
	case 4:
		to[n++] = 0x6a;
		to[n++] = (uint8_t)any(256);
		return n;
	case 5:
		to[n++] = (uint8_t)(0xb0 | any(8));
		to[n++] = (uint8_t)any(256);
		return n;
	case 6:
		to[n++] = (uint8_t)(any(8) << 3 | 4); /* an operation of al and a constant */
		to[n++] = (uint8_t)any(256);
		return n;
	default:
		to[n++] = 0x68;
		for (unsigned i = 0; i < 4; i++)
			to[n++] = (uint8_t)any(256);
		return n;
	}
}

/* Memory at a register, mostly with few bytes between; or any register. */
static unsigned add_modrm(unsigned char *to, const unsigned char *code, unsigned reg)
{
	unsigned mod = (unsigned)any(4), rm = (unsigned)any(8), n = 0;
	int32_t disp = (int32_t)any(64) - 32;

	to[n++] = (uint8_t)(mod << 6 | reg << 3 | rm);
	if (mod == 3)
		return n;
	if (rm == 4) {
		to[n++] = (uint8_t)((any(256) & 0xc7) | (any(3) ? 4 : 1 + any(2)) << 3);
		if (!mod && (to[1] & 7) == 5)
			mod = 2;
	} else if (!mod && rm == 5) { /* of the data */
		disp = (int32_t)(area + CODE + any(4 * 4096) - code - n);
		mod = 2;
	}
	if (mod == 1)
		to[n++] = (uint8_t)disp;
	else if (mod == 2)
		memcpy(to + n, &disp, 4), n += 4;
	return n;
}

static unsigned add_form(unsigned char *to)
{
	bool arithmetic = any(3) == 0, half = !any(6), rex = any(2);
	const struct form *f = &forms[any(ARRAY_SIZE(forms))];
	unsigned n = 0, reg = (unsigned)any(8), imm = arithmetic ? 0 : f->imm;
	uint8_t opcode = f->opcode;

	if (!any(60))
		to[n++] = any(2) ? 0x64 : 0x67;
	if (half)
		to[n++] = 0x66;
	if (rex)
		to[n++] = (uint8_t)(0x40 | any(16));
	if (arithmetic) {
		to[n++] = (uint8_t)(any(8) << 3 | any(4));
		return n + add_modrm(to + n, to + n, reg);
	}
	if (f->map)
		to[n++] = f->map;
	if (f->group > 0)
		reg %= (unsigned)f->group;
	if (f->group == -1)
		opcode |= (uint8_t)any(16);
	if (f->group == -2) { /* test, not, neg, mul, imul; no division */
		reg %= 6;
		imm = reg < 2 ? (opcode == 0xf6 ? 1 : 4) : 0;
	}
	to[n++] = opcode;
	n += add_modrm(to + n, to + n, reg);
	if (imm == 4 && half && !(rex && to[1] & 8))
		imm = 2;
	for (; imm; imm--)
		to[n++] = (uint8_t)any(256);
	return n;
}

/* Ahead, mostly: into the middle of an instruction, too. */
static unsigned add_branch(unsigned char *to)
{
	int32_t far = (int32_t)any(300) - 60;

	switch (any(4)) {
	case 0:
		to[0] = 0xe8;
		memcpy(to + 1, &far, 4);
		return 5;
	case 1: to[0] = 0xc3; return 1;
	case 2: to[0] = 0xeb; break;
	default: to[0] = (uint8_t)(0x70 | any(16)); break;
	}
	to[1] = (uint8_t)(any(40) - 6);
	return 2;
}

static void make_program(void)
{
	uint64_t base = (uint64_t)(uintptr_t)area;
	unsigned n = 0;

	while (n < CODE - 64) {
		uint64_t what = any(10);

		n += what < 6	? add_form(area + n)
		     : what < 8 ? add_plain(area + n)
				: add_branch(area + n);
	}
	for (unsigned i = CODE; i < AREA; i++)
		area[i] = (uint8_t)any(256);
	/* addresses to return to */
	for (unsigned i = CODE + 4096; i < CODE + 8192; i += 8)
		memcpy(area + i, &(uint64_t){ base + any(CODE - 64) }, 8);
}

/* Most lead to the data, few to the code. */
static struct user_regs_struct make_registers(void)
{
	uint64_t base = (uint64_t)(uintptr_t)area;
	struct user_regs_struct r = { .rip = base + any(CODE - 64),
				      .eflags = 0x202 | (any(4096) & 0x8d5) };
	unsigned long long *reg[] = { &r.rax, &r.rcx, &r.rdx, &r.rbx, &r.rbp, &r.rsi, &r.rdi, &r.r8,
				      &r.r9,  &r.r10, &r.r11, &r.r12, &r.r13, &r.r14, &r.r15 };

	for (unsigned i = 0; i < ARRAY_SIZE(reg); i++)
		*reg[i] = i == 1 || i == 2 || i == 8 || i == 9 ? any(9) * 8
			  : any(9)			       ? base + CODE + any(4 * 4096)
			  : any(100)			       ? (any(2) ? any(70) : ~any(70))
							       : base + any(AREA);
	r.rsp = base + CODE + 4096 + 2048 + 8 * any(128);
	r.fs_base = any(2) ? 0 : 64;
	return r;
}

struct seen {
	enum vm_result why;
	uint32_t n;
	struct vm_branch branch[INSNS];
};

/* One after the other, @n at most. */
static void step_all(struct vm *vm, uint64_t n, struct seen *s)
{
	uint64_t end = vm->executed + n;

	s->n = 0;
	s->why = VM_OK;
	while (vm->executed < end && (s->why == VM_OK || s->why == VM_BRANCH)) {
		struct vm_insn *in = vm_fetch(vm, &s->why);

		if (!in)
			return;
		s->why = vm_step(vm, in);
		if (s->why == VM_BRANCH)
			s->branch[s->n++] = (struct vm_branch){ in->addr, vm->rip, in->branch };
	}
}

static void run_all(struct vm *vm, uint64_t n, struct seen *s)
{
	uint64_t end = vm->executed + n;

	s->n = 0;
	s->why = VM_OK;
	while (vm->executed < end && (s->why == VM_OK || s->why == VM_BRANCH)) {
		struct vm_insn *in = NULL;

		s->why = vm_run_past(vm, any(3) ? end - vm->executed : 1 + any(end - vm->executed),
				     (uint32_t)any(5), &in);
		memcpy(s->branch + s->n, vm->passed, vm->nr_passed * sizeof(vm->passed[0]));
		s->n += vm->nr_passed;
		if (s->why == VM_BRANCH)
			s->branch[s->n++] = (struct vm_branch){ in->addr, vm->rip, in->branch };
	}
}

/* The newest stores, and how many there were. */
static void same_stored(const struct vm *a, const struct vm *b)
{
	assert_int_equal(a->nr_stored, b->nr_stored);
	for (uint32_t i = a->nr_stored > 1000 ? a->nr_stored - 1000 : 0; i < a->nr_stored; i++) {
		const struct vm_stored *x = &a->stored[i % VM_STORED],
				       *y = &b->stored[i % VM_STORED];

		assert_int_equal(x->addr, y->addr);
		assert_int_equal(x->size, y->size);
		assert_int_equal(x->known, y->known);
		if (x->had && y->had)
			assert_int_equal((x->before ^ y->before) << (64 - 8 * x->size), 0);
		if (x->known)
			assert_int_equal((x->value ^ y->value) << (64 - 8 * x->size), 0);
	}
}

static void same_vm(struct vm *a, struct vm *b)
{
	uint64_t x, y;

	exec_settle(a);
	exec_settle(b);
	assert_int_equal(a->rip, b->rip);
	assert_int_equal(a->known, b->known);
	assert_int_equal(a->flags_known, b->flags_known);
	assert_int_equal((a->flags ^ b->flags) & a->flags_known, 0);
	assert_int_equal(a->nr_trace, b->nr_trace);
	assert_memory_equal(a->trace, b->trace, a->nr_trace * sizeof(a->trace[0]));
	for (unsigned i = 0; i < VM_REGS; i++)
		if (a->known >> i & 1)
			assert_int_equal(a->reg[i], b->reg[i]);
	same_stored(a, b);
	for (unsigned i = 0; i < AREA; i += 8) {
		uint64_t at = (uint64_t)(uintptr_t)area + i;
		enum vm_result r = vm_load(a, at, 8, &x);

		assert_int_equal(r, vm_load(b, at, 8, &y));
		if (r == VM_OK)
			assert_int_equal(x, y);
	}
}

/* Pages of @vm are there and stored to, as far as the short cuts ask for it. */
static void touch_all(struct vm *vm)
{
	for (unsigned i = 0; i < AREA; i += 512) {
		uint64_t v, at = (uint64_t)(uintptr_t)area + i;

		assert_int_equal(vm_load(vm, at, 8, &v), VM_OK);
		if (i % 4096 == 512 && i > CODE && any(4))
			assert_int_equal(vm_store(vm, at, 8, v, true), VM_OK);
	}
}

static void one_program(struct vm *stepped, struct vm *run)
{
	struct user_regs_struct r = make_registers();
	static struct seen a, b;

	make_program();
	vm_begin(stepped, getpid(), &r);
	vm_begin(run, getpid(), &r);
	if (any(8))
		touch_all(run);
	assert_int_equal(vm_keep_stored(run), 0);
	assert_int_equal(vm_keep_stored(stepped), 0);
	run->nr_stored = stepped->nr_stored = 0;
	for (unsigned i = 0; i < STRETCHES; i++) {
		uint64_t n = 1 + any(INSNS);

		step_all(stepped, n, &a);
		run_all(run, n, &b);
		assert_int_equal(a.n, b.n);
		for (uint32_t k = 0; k < a.n; k++)
			assert_memory_equal(&a.branch[k], &b.branch[k], 17);
		assert_true(a.why == b.why || (a.why == VM_BRANCH && b.why == VM_OK));
		same_vm(stepped, run);
		r = make_registers();
		vm_take_registers(stepped, &r);
		vm_take_registers(run, &r);
	}
}

static void test_programs(void **state)
{
	struct vm *stepped, *run;

	(void)state;
	if (vm_new(&stepped, &vm_x86) || vm_new(&run, &vm_x86))
		fail();
	area = mmap(NULL, GUARD + AREA + GUARD, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(area, MAP_FAILED);
	area += GUARD;
	assert_int_equal(mprotect(area, AREA, PROT_READ | PROT_WRITE), 0);
	for (unsigned i = 0; i < PROGRAMS; i++)
		one_program(stepped, run);
	/* most are more than a few instructions long */
	assert_true(run->executed == stepped->executed &&
		    run->executed > PROGRAMS * STRETCHES * 5ULL);
	munmap(area - GUARD, GUARD + AREA + GUARD);
	vm_free(stepped);
	vm_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_programs) };

	if (!vm_host_decodes()) {
		puts("1..0 # SKIP built without Zydis");
		return 0;
	}
	return cmocka_run_group_tests_name("tracer-quick", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP not on x86-64 Linux");
	return 0;
}
#endif
