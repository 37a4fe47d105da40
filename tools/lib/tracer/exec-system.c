// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter: instructions that ask the machine, or move all of the vector state at once. CPUID and
 * XGETBV say here what they say there: it is the same machine. Lazy binding saves the vector
 * registers with XSAVEC and restores them with XRSTOR, around all calls that it makes; the image between the
 * two is not computed byte by byte: its memory becomes unknown, and what went in is kept aside.
 * Semantics: Intel SDM vol. 1 chapter 13, vol. 2; AMD APM vol. 3.
 */
#include "exec-int.h"

#if defined(__x86_64__)
#include <cpuid.h>

#include "xsave/xsave.h"

#define LEGACY_AND_HEADER 576
#define X87_CONTROL	  24 /* bytes from 0 on, then MXCSR */
#define X87_REGS	  32 /* eight of 16 bytes */
#define XSTATE_BV	  512

static bool knows(const struct vm *vm, uint16_t regs)
{
	return (vm->known & regs) == regs;
}

/* ---- what the machine is --------------------------------------------------------------------- */

/* Where the number of the CPU is that was asked: another one may be asked next. */
static uint16_t differs_by_cpu(uint32_t leaf)
{
	switch (leaf) {
	case 1: return BIT(VM_BX);
	case 0xb:
	case 0x1f: return BIT(VM_DX);
	case 0x8000001e: return BIT(VM_AX) | BIT(VM_BX) | BIT(VM_CX);
	default: return 0;
	}
}

static enum vm_result do_cpuid(struct vm *vm)
{
	uint32_t leaf = (uint32_t)vm->reg[VM_AX], a, b, c, d;
	uint16_t unknown = differs_by_cpu(leaf);

	if (!knows(vm, BIT(VM_AX) | BIT(VM_CX)) || (unknown && vm->exact))
		return VM_FOREIGN;
	if (vm->guesses && unknown) {
		vm->guessed = true;
		unknown = 0;
	}
	__cpuid_count(leaf, (uint32_t)vm->reg[VM_CX], a, b, c, d);
	exec_set_reg(vm, VM_AX, a, true);
	exec_set_reg(vm, VM_BX, b, true);
	exec_set_reg(vm, VM_CX, c, true);
	exec_set_reg(vm, VM_DX, d, true);
	vm->known &= ~unknown;
	return VM_OK;
}

/* What programs may use. 0: none of it. */
static uint64_t xcr0(void)
{
	static const uint32_t zero;
	uint32_t a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(zero));
	return a | (uint64_t)d << 32;
}

static enum vm_result do_xgetbv(struct vm *vm)
{
	uint64_t v = xcr0();

	/* others tell of the thread's own state */
	if (!knows(vm, BIT(VM_CX)) || (uint32_t)vm->reg[VM_CX] || !v)
		return VM_FOREIGN;
	exec_set_reg(vm, VM_AX, (uint32_t)v, true);
	exec_set_reg(vm, VM_DX, v >> 32, true);
	return VM_OK;
}

/* The time: later, when the thread executes it, it is another one. */
static enum vm_result do_rdtsc(struct vm *vm, const struct vm_insn *in)
{
	bool known = vm->guesses;
	uint64_t t = __builtin_ia32_rdtsc();

	if (vm->exact)
		return VM_FOREIGN;
	vm->guessed |= known;
	exec_set_reg(vm, VM_AX, (uint32_t)t, known);
	exec_set_reg(vm, VM_DX, t >> 32, known);
	if (in->op == OP_RDTSCP) /* and the CPU: the first one, if one has to be named */
		exec_set_reg(vm, VM_CX, 0, known);
	return VM_OK;
}

/* ---- all of the vector state ----------------------------------------------------------------- */

/* Bytes of an image with the components @mask; 0: not of this CPU. */
static uint32_t image_size(uint64_t mask, bool compacted)
{
	uint32_t size = LEGACY_AND_HEADER, a, b, c, d;

	for (unsigned n = 2; n < 63; n++) {
		if (!(mask >> n & 1))
			continue;
		if (!__get_cpuid_count(0xd, n, &a, &b, &c, &d))
			return 0;
		if (!compacted)
			size = (uint32_t)max_u64(size, (uint64_t)b + a);
		else
			size = (c & 2 ? (size + 63) & ~63u : size) + a;
	}
	return size;
}

static uint64_t asked(const struct vm *vm)
{
	return ((uint32_t)vm->reg[VM_AX] | vm->reg[VM_DX] << 32) & xcr0();
}

static struct vm_saved *saved_at(struct vm *vm, uint64_t addr)
{
	for (unsigned i = 0; i < VM_SAVED; i++)
		if (vm->saved[i].size && vm->saved[i].addr == addr)
			return &vm->saved[i];
	return NULL;
}

static enum vm_result do_xsave(struct vm *vm, const struct vm_insn *in)
{
	struct val a = exec_address(vm, in, &in->opd[0]);
	struct vm_saved *s;
	uint32_t size;
	uint64_t mask;

	if (!a.known || a.v % 64 || !knows(vm, BIT(VM_AX) | BIT(VM_DX)) || vm->exact ||
	    !vm_vectors(vm))
		return VM_FOREIGN;
	mask = asked(vm);
	size = image_size(mask, in->op == OP_XSAVEC);
	if (!size)
		return VM_FOREIGN;
	for (uint32_t i = 0; i < size; i += VM_BLOCK)
		if (vm_probe(vm, a.v + i, (unsigned)min_u64(VM_BLOCK, size - i)) != VM_OK)
			return VM_NOMEM;
	(void)vm_store(vm, a.v, size, 0, false);
	s = saved_at(vm, a.v) ?: &vm->saved[vm->next_saved++ % VM_SAVED];
	*s = (struct vm_saved){ a.v, mask, size, vm->vec_known, vm->mask_known, vm->x87_known, {} };
	memcpy(s->xsave, vm->xsave, sizeof(s->xsave));
	return VM_OK;
}

static void swap_x87(unsigned char *to, const unsigned char *from)
{
	to[XSTATE_BV] = (unsigned char)((to[XSTATE_BV] & ~1u) | (from[XSTATE_BV] & 1u));
	memcpy(to, from, X87_CONTROL);
	memcpy(to + X87_REGS, from + X87_REGS, 8 * 16);
}

static enum vm_result do_xrstor(struct vm *vm, const struct vm_insn *in)
{
	struct val a = exec_address(vm, in, &in->opd[0]);
	const struct vm_saved *s = a.known ? saved_at(vm, a.v) : NULL;

	/* all of it, and not changed in memory since */
	if (vm->exact || !s || !knows(vm, BIT(VM_AX) | BIT(VM_DX)) || asked(vm) != s->mask ||
	    !vm_is_unknown(vm, s->addr, s->size) || !(s->mask & BIT(XSAVE_SSE)))
		return VM_FOREIGN;
	vm->vec_known = s->vec_known;
	vm->mask_known = s->mask_known;
	if (s->mask & BIT(XSAVE_X87)) {
		vm->x87_known = s->x87_known;
		memcpy(vm->xsave, s->xsave, sizeof(vm->xsave));
	} else {
		unsigned char was[XSTATE_BV + 1];

		memcpy(was, vm->xsave, sizeof(was));
		memcpy(vm->xsave, s->xsave, sizeof(vm->xsave));
		swap_x87(vm->xsave, was);
	}
	return VM_OK;
}

enum vm_result exec_system(struct vm *vm, const struct vm_insn *in)
{
	switch (in->op) {
	case OP_CPUID: return do_cpuid(vm);
	case OP_XGETBV: return do_xgetbv(vm);
	case OP_XSAVE:
	case OP_XSAVEC: return do_xsave(vm, in);
	case OP_XRSTOR: return do_xrstor(vm, in);
	default: return do_rdtsc(vm, in);
	}
}
#else
enum vm_result exec_system(struct vm *vm, const struct vm_insn *in)
{
	(void)vm;
	(void)in;
	return VM_FOREIGN;
}
#endif
