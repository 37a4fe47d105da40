// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter: instructions that ask the machine, or move all of the vector state at once. CPUID and
 * XGETBV say here what they say there: it is the same machine. Lazy binding saves the vector
 * registers with XSAVEC and restores them with XRSTOR, around all calls that it makes. The image
 * between the two is the processor's (native-state.c) where all registers are known; where not, its
 * memory becomes unknown. What went in is kept aside, and taken back where nobody touched the image.
 * Semantics: Intel SDM vol. 1 chapter 13, vol. 2; AMD APM vol. 3.
 */
#include "base/bytes.h"
#include "exec-int.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sched.h>

#define X87_CONTROL 24 /* bytes from 0 on, then MXCSR */
#define X87_REGS    32 /* eight of 16 bytes */
#define XSTATE_BV   512

static bool knows(const struct vm *vm, uint16_t regs)
{
	return (vm->known & regs) == regs;
}

/* ---- what the machine is --------------------------------------------------------------------- */

/* Cores of several kinds. */
static bool is_hybrid(void)
{
	uint32_t a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && d & BIT(15);
}

uint16_t exec_cpuid_differs(uint32_t leaf, bool (*hybrid)(void))
{
	switch (leaf) {
	case 1: return BIT(VM_BX);
	case 2: /* caches, TLBs */
	case 4:
	case 0x18: return hybrid() ? BIT(VM_AX) | BIT(VM_BX) | BIT(VM_CX) | BIT(VM_DX) : 0;
	case 0x1a: return hybrid() ? BIT(VM_AX) : 0; /* the kind of core */
	case 0x80000006: return hybrid() ? BIT(VM_CX) : 0;
	case 0xb:
	case 0x1f:
	case 0x80000026: return BIT(VM_DX);
	case 0x8000001e: return BIT(VM_AX) | BIT(VM_BX) | BIT(VM_CX);
	default: return 0;
	}
}

static enum vm_result do_cpuid(struct vm *vm)
{
	uint32_t leaf = (uint32_t)vm->reg[VM_AX], a, b, c, d;
	uint16_t unknown = exec_cpuid_differs(leaf, is_hybrid);

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

static enum vm_result do_xgetbv(struct vm *vm)
{
	uint64_t v = vm->cpu.xcr0;

	/* others tell of the thread's own state */
	if (!knows(vm, BIT(VM_CX)) || (uint32_t)vm->reg[VM_CX] || !v)
		return VM_FOREIGN;
	exec_set_reg(vm, VM_AX, (uint32_t)v, true);
	exec_set_reg(vm, VM_DX, v >> 32, true);
	return VM_OK;
}

/* What Linux has RDTSCP say here. */
static uint64_t our_cpu(void)
{
	unsigned cpu = 0, node = 0;

	(void)getcpu(&cpu, &node);
	return node << 12 | cpu;
}

#define ASKED_INSNS 64 /* instructions that asking for the time takes as long as */

/* The time: later, when the thread executes it, it is another one. */
static enum vm_result do_rdtsc(struct vm *vm, const struct vm_insn *in)
{
	struct vm_clock *c = &vm->clock;
	uint64_t t = __builtin_ia32_rdtsc();

	if (vm->exact)
		return VM_FOREIGN;
	vm->guessed |= c->known;
	if (c->per_insn && !c->begun) {
		c->from = 4 * t - c->per_insn * vm->executed;
		c->begun = true;
	}
	if (c->per_insn)
		t = (c->from + c->per_insn * (vm->executed + ++c->asked * (uint64_t)ASKED_INSNS)) /
		    4;
	exec_set_reg(vm, VM_AX, (uint32_t)t, c->known);
	exec_set_reg(vm, VM_DX, t >> 32, c->known);
	if (in->op == OP_RDTSCP) /* and the CPU: the first one, if one has to be named */
		exec_set_reg(vm, VM_CX, vm->guesses ? 0 : our_cpu(), c->known);
	return VM_OK;
}

/* ---- all of the vector state ----------------------------------------------------------------- */

/* Bytes of an image with the components @mask; 0: not of this CPU. */
static uint32_t image_size(const struct vm *vm, uint64_t mask, bool compacted)
{
	struct xsave_layout l;

	return xsave_layout(&vm->cpu, mask,
			    compacted ? XSAVE_FORMAT_COMPACTED : XSAVE_FORMAT_STANDARD, &l, NULL)
		       ? 0
		       : l.size;
}

static uint64_t asked(const struct vm *vm)
{
	return ((uint32_t)vm->reg[VM_AX] | vm->reg[VM_DX] << 32) & vm->cpu.xcr0;
}

static bool knows_all(const struct vm *vm, uint64_t mask)
{
	return vm->vec_known == UINT32_MAX && vm->mask_known == UINT8_MAX &&
	       (vm->x87_known || !(mask & BIT(XSAVE_X87)));
}

static struct vm_saved *saved_at(struct vm *vm, uint64_t addr)
{
	for (unsigned i = 0; i < VM_SAVED; i++)
		if (vm->saved[i].size && vm->saved[i].addr == addr)
			return &vm->saved[i];
	return NULL;
}

/* Saved twice, over zeros and over ones: what is the same then was written. */
static bool make_image(struct vm *vm, struct vm_saved *s, bool compacted)
{
	if (!knows_all(vm, s->mask) || s->size > VM_XSAVE)
		return false;
	memset(s->image[0], 0, s->size);
	memset(s->image[1], 0xff, s->size);
	/* of the header a part is left as it is, and of another one bits */
	for (unsigned i = 0; i < 2; i++)
		if (vm_copy(vm, s->addr + XSTATE_BV, s->image[i] + XSTATE_BV, XSAVE_HEADER_SIZE) !=
		    XSAVE_HEADER_SIZE)
			return false;
	return vm_state_save(vm, s->mask, compacted, s->image[0]) &&
	       vm_state_save(vm, s->mask, compacted, s->image[1]);
}

static void put_image(struct vm *vm, const struct vm_saved *s)
{
	for (uint32_t i = 0; i < s->size; i += 8) {
		uint64_t v = load_u64(s->image[0] + i, false);

		if (v == load_u64(s->image[1] + i, false)) {
			(void)vm_store(vm, s->addr + i, 8, v, true);
			continue;
		}
		for (unsigned n = i; n < i + 8; n++)
			if (s->image[0][n] == s->image[1][n])
				(void)vm_store(vm, s->addr + n, 1, s->image[0][n], true);
	}
}

static enum vm_result do_xsave(struct vm *vm, const struct vm_insn *in)
{
	struct val a = exec_address(vm, in, &in->opd[0]);
	struct vm_saved *s;
	uint32_t size;
	uint64_t mask;

	if (!a.known || a.v % 64 || !knows(vm, BIT(VM_AX) | BIT(VM_DX)) || !vm_vectors(vm))
		return VM_FOREIGN;
	mask = asked(vm);
	size = image_size(vm, mask, in->op == OP_XSAVEC);
	if (!size || (vm->exact && !knows_all(vm, mask)))
		return VM_FOREIGN;
	for (uint32_t i = 0; i < size; i += VM_BLOCK)
		if (vm_probe(vm, a.v + i, (unsigned)min_u64(VM_BLOCK, size - i)) != VM_OK)
			return VM_NOMEM;
	s = saved_at(vm, a.v) ?: &vm->saved[vm->next_saved++ % VM_SAVED];
	s->addr = a.v;
	s->mask = mask;
	s->size = size;
	s->vec_known = vm->vec_known;
	s->mask_known = vm->mask_known;
	s->x87_known = vm->x87_known;
	memcpy(s->xsave, vm->xsave, sizeof(s->xsave));
	s->known = make_image(vm, s, in->op == OP_XSAVEC);
	if (!s->known && vm->exact) {
		s->size = 0;
		return VM_FOREIGN;
	}
	if (s->known)
		put_image(vm, s);
	else
		(void)vm_store(vm, a.v, size, 0, false);
	return VM_OK;
}

static void swap_x87(unsigned char *to, const unsigned char *from)
{
	to[XSTATE_BV] = (unsigned char)((to[XSTATE_BV] & ~1u) | (from[XSTATE_BV] & 1u));
	memcpy(to, from, X87_CONTROL);
	memcpy(to + X87_REGS, from + X87_REGS, 8 * 16);
}

/* Whether memory is as XSAVE left it. */
static bool is_untouched(struct vm *vm, const struct vm_saved *s)
{
	unsigned char now[VM_XSAVE];

	if (!s->known)
		return vm_is_unknown(vm, s->addr, s->size);
	for (uint32_t i = 0, got; i < s->size; i += got + 1) {
		/* a byte that is not known was not written by it, either */
		got = (uint32_t)vm_copy(vm, s->addr + i, now, s->size - i);
		for (uint32_t n = i; n < i + got; n++)
			if (s->image[0][n] == s->image[1][n] && now[n - i] != s->image[0][n])
				return false;
		if (i + got < s->size && s->image[0][i + got] == s->image[1][i + got])
			return false;
	}
	return true;
}

static void take_back(struct vm *vm, const struct vm_saved *s)
{
	unsigned char was[XSTATE_BV + 1];

	vm->vec_known = s->vec_known;
	vm->mask_known = s->mask_known;
	memcpy(was, vm->xsave, sizeof(was));
	memcpy(vm->xsave, s->xsave, sizeof(vm->xsave));
	if (s->mask & BIT(XSAVE_X87))
		vm->x87_known = s->x87_known;
	else
		swap_x87(vm->xsave, was);
}

/* An image that was there when the walk began, or that the program made. */
static enum vm_result load_image(struct vm *vm, uint64_t addr, uint64_t mask)
{
	unsigned char image[VM_XSAVE] __attribute__((aligned(64)));
	uint64_t comp, bv;
	uint32_t size;

	if (vm_copy(vm, addr, image, XSAVE_MIN_SIZE) != XSAVE_MIN_SIZE)
		return VM_FOREIGN;
	bv = load_u64(image + XSTATE_BV, false);
	comp = load_u64(image + XSTATE_BV + 8, false);
	size = comp & XSAVE_COMPACTED ? image_size(vm, comp & vm->cpu.xcr0, true)
				      : image_size(vm, bv & mask & vm->cpu.xcr0, false);
	if (!size || size > VM_XSAVE || vm_copy(vm, addr, image, size) != size ||
	    !vm_state_load(vm, mask, image))
		return VM_FOREIGN;
	vm->vec_known = UINT32_MAX;
	vm->mask_known = UINT8_MAX;
	vm->x87_known |= mask & BIT(XSAVE_X87);
	return VM_OK;
}

/* Vector and mask registers, whatever was known of them; not less. */
#define ALL_VECTORS                                                                   \
	(BIT(XSAVE_SSE) | BIT(XSAVE_AVX) | BIT(XSAVE_OPMASK) | BIT(XSAVE_ZMM_HI256) | \
	 BIT(XSAVE_HI16_ZMM))

static enum vm_result do_xrstor(struct vm *vm, const struct vm_insn *in)
{
	struct val a = exec_address(vm, in, &in->opd[0]);
	const struct vm_saved *s = a.known ? saved_at(vm, a.v) : NULL;
	uint64_t mask = asked(vm), vectors = vm_natives_components(vm) & ALL_VECTORS;

	if (!a.known || a.v % 64 || !knows(vm, BIT(VM_AX) | BIT(VM_DX)) || !vm_vectors(vm) ||
	    (mask & vectors) != vectors)
		return VM_FOREIGN;
	if (!s || s->mask != mask || !is_untouched(vm, s))
		return load_image(vm, a.v, mask);
	if (!s->known && vm->exact)
		return VM_FOREIGN;
	take_back(vm, s);
	if (mask & (BIT(XSAVE_XTILE_CFG) | BIT(XSAVE_XTILE_DATA)))
		vm_tiles_lost(vm);
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
