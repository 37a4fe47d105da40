// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64: loads and stores. An access is what goes where, how it is extended, and what becomes of the base;
 * every encoding is boiled down to that, then done by one function, which changes nothing unless all of it can
 * be done.
 */
#include "a64-int.h"

/* ---- one register -------------------------------------------------------------------------- */

struct access {
	struct a64_val addr;
	unsigned rt;
	unsigned size; /* bytes */
	bool load, vector;
	unsigned sign; /* bits to which the value's sign goes; 0 = zeros */
	bool writes_base;
	unsigned base;
	struct a64_val next; /* the base's new value */
};

static void write_base(struct vm *vm, const struct access *a)
{
	if (a->writes_base)
		a64_set_sp(vm, a->base, a->next);
}

static enum vm_result load_vec(struct vm *vm, uint64_t addr, unsigned size, struct a64_vec *x)
{
	enum vm_result r, r2 = VM_OK;

	*x = (struct a64_vec){ .known = true };
	r = vm_load(vm, addr, size > 8 ? 8 : size, &x->q[0]);
	if (size > 8 && r != VM_NOMEM)
		r2 = vm_load(vm, addr + 8, 8, &x->q[1]);
	x->known = r == VM_OK && r2 == VM_OK;
	return r == VM_NOMEM || r2 == VM_NOMEM ? VM_NOMEM : VM_OK;
}

static void store_vec(struct vm *vm, uint64_t addr, unsigned size, const struct a64_vec *x)
{
	(void)vm_store(vm, addr, size > 8 ? 8 : size, x->q[0], x->known);
	if (size > 8)
		(void)vm_store(vm, addr + 8, 8, x->q[1], x->known);
}

static enum vm_result load(struct vm *vm, const struct access *a)
{
	struct a64_val x = { 0, false };
	struct a64_vec v = { .known = false };
	enum vm_result r = VM_OK;

	if (a->addr.known && a->vector)
		r = load_vec(vm, a->addr.v, a->size, &v);
	else if (a->addr.known)
		r = vm_load(vm, a->addr.v, a->size, &x.v);
	if (r == VM_NOMEM)
		return r;
	write_base(vm, a);
	if (a->vector) {
		a64_set_vec(vm, a->rt, v);
		return VM_OK;
	}
	x.known = a->addr.known && r == VM_OK;
	if (a->sign)
		x.v = a64_extend(x.v, 8 * a->size) & a64_low(a->sign);
	a64_set(vm, a->rt, x);
	return VM_OK;
}

static enum vm_result store(struct vm *vm, const struct access *a)
{
	struct a64_vec v;
	struct a64_val x;

	if (!a->addr.known)
		return VM_UNKNOWN;
	if (vm_probe(vm, a->addr.v, a->size) != VM_OK)
		return VM_NOMEM;
	if (a->vector) {
		v = a64_vec(vm, a->rt);
		if (!v.known && vm->exact)
			return VM_FOREIGN;
		store_vec(vm, a->addr.v, a->size, &v);
	} else {
		x = a64_get(vm, a->rt);
		(void)vm_store(vm, a->addr.v, a->size, x.v, x.known);
		/* the thread's has a signature */
		if (a->rt == A64_LR && vm->pac_mask && vm->stored)
			vm->stored[(vm->nr_stored - 1) % VM_STORED].known = false;
	}
	write_base(vm, a);
	return VM_OK;
}

/*
 * Size and kind of the common forms: bits 31, 30 say the size, 26 vectors, 23 and 22 what is done. VM_OK: @a is
 * filled; VM_FAULT: unallocated; VM_BRANCH: a prefetch, nothing is to be done.
 */
static enum vm_result kind(uint32_t w, struct access *a)
{
	unsigned size = a64_bits(w, 31, 30), opc = a64_bits(w, 23, 22);

	a->rt = a64_rd(w);
	a->vector = w >> 26 & 1;
	if (a->vector) {
		size |= opc & 2 ? 4 : 0;
		a->load = opc & 1;
		a->size = 1u << size;
		return size > 4 ? VM_FAULT : VM_OK;
	}
	a->size = 1u << size;
	a->load = opc;
	if (opc == 2 && size == 3)
		return VM_BRANCH;
	if (opc == 3 && size >= 2)
		return VM_FAULT;
	if (opc & 2)
		a->sign = opc == 2 ? 64 : 32;
	return VM_OK;
}

static enum vm_result access(struct vm *vm, struct access *a)
{
	a->addr = a64_place(a->addr);
	return a->load ? load(vm, a) : store(vm, a);
}

/* A base that is written and is one of the registers, too: every CPU does as it likes. */
static bool collides(const struct access *a, unsigned rt)
{
	return a->writes_base && !a->vector && a->base == rt && rt != A64_NONE;
}

/* Unscaled, unprivileged, before and behind: 9 bits of distance. */
enum vm_result a64_ldst_imm9(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	uint64_t imm = a64_extend(a64_bits(w, 20, 12), 9);
	unsigned mode = a64_bits(w, 11, 10);
	struct access a = { .base = a64_rn(w), .writes_base = mode & 1 };
	enum vm_result r = kind(w, &a);

	if (r != VM_OK)
		return r == VM_BRANCH && !mode ? VM_OK : a64_trap(vm, in, w);
	if (a.vector && mode == 2)
		return a64_trap(vm, in, w);
	if (collides(&a, a.rt))
		return a64_foreign(vm, in, w);
	a.addr = a.next = a64_get_sp(vm, a.base);
	a.next.v += imm;
	if (mode != 1)
		a.addr.v += imm;
	return access(vm, &a);
}

enum vm_result a64_ldst_imm12(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct access a = { .base = a64_rn(w) };
	enum vm_result r = kind(w, &a);

	if (r != VM_OK)
		return r == VM_BRANCH ? VM_OK : a64_trap(vm, in, w);
	a.addr = a64_get_sp(vm, a.base);
	a.addr.v += (uint64_t)a64_bits(w, 21, 10) * a.size;
	return access(vm, &a);
}

enum vm_result a64_ldst_reg(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct access a = { .base = a64_rn(w) };
	struct a64_val x = a64_get(vm, a64_rm(w));
	unsigned option = a64_bits(w, 15, 13);
	enum vm_result r = kind(w, &a);

	if (!(option & 2) || r == VM_FAULT)
		return a64_trap(vm, in, w);
	if (r == VM_BRANCH)
		return VM_OK;
	if (option == 2)
		x.v = (uint32_t)x.v;
	else if (option == 6)
		x.v = a64_extend(x.v, 32);
	if (w >> 12 & 1)
		x.v *= a.size;
	a.addr = a64_get_sp(vm, a.base);
	a.addr.v += x.v;
	a.addr.known &= x.known;
	return access(vm, &a);
}

/* Ordered, with a distance. */
enum vm_result a64_ldapur(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct access a = { .base = a64_rn(w) };

	if (kind(w, &a) != VM_OK)
		return a64_trap(vm, in, w);
	a.addr = a64_get_sp(vm, a.base);
	a.addr.v += a64_extend(a64_bits(w, 20, 12), 9);
	return access(vm, &a);
}

enum vm_result a64_literal(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned opc = a64_bits(w, 31, 30);
	struct access a = { .rt = a64_rd(w), .load = true, .vector = w >> 26 & 1 };

	a.addr = (struct a64_val){ in->addr + (a64_extend(a64_bits(w, 23, 5), 19) << 2), true };
	if (opc == 3)
		return a.vector ? a64_trap(vm, in, w) : VM_OK; /* prefetch */
	a.size = a.vector ? 4u << opc : opc == 1 ? 8 : 4;
	a.sign = opc == 2 && !a.vector ? 64 : 0;
	return access(vm, &a);
}

/* An authenticated address. */
enum vm_result a64_ldraa(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	uint64_t imm = a64_extend((w >> 22 & 1) << 9 | a64_bits(w, 20, 12), 10) << 3;
	struct access a = { .rt = a64_rd(w), .load = true, .size = 8, .base = a64_rn(w) };

	(void)in;
	a.addr = a64_get_sp(vm, a.base);
	a.addr.v = a64_strip(vm, a.addr.v) + imm;
	a.writes_base = w >> 11 & 1;
	a.next = a.addr;
	return access(vm, &a);
}

/* ---- two registers ------------------------------------------------------------------------- */

/* Both are loaded before one is set: the base may be among them. */
static enum vm_result load_pair(struct vm *vm, const struct access *a, unsigned rt2)
{
	struct access one = *a, two = *a;
	uint64_t addr = a->addr.v;
	enum vm_result r;

	if (a->addr.known) {
		r = vm_probe(vm, addr, 2 * a->size);
		if (r != VM_OK)
			return r;
	}
	one.writes_base = false;
	two.rt = rt2;
	two.addr.v += a->size;
	(void)load(vm, &one);
	return load(vm, &two);
}

static enum vm_result store_pair(struct vm *vm, const struct access *a, unsigned rt2)
{
	struct access one = *a, two = *a;

	if (!a->addr.known)
		return VM_UNKNOWN;
	if (vm_probe(vm, a->addr.v, 2 * a->size) != VM_OK)
		return VM_NOMEM;
	one.writes_base = false;
	two.rt = rt2;
	two.addr.v += a->size;
	(void)store(vm, &one);
	return store(vm, &two);
}

enum vm_result a64_pair(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	unsigned opc = a64_bits(w, 31, 30), mode = a64_bits(w, 24, 23);
	struct access a = { .base = a64_rn(w), .rt = a64_rd(w) };
	uint64_t imm = a64_extend(a64_bits(w, 21, 15), 7);

	a.load = w >> 22 & 1;
	a.vector = w >> 26 & 1;
	if (opc == 3 || (opc == 1 && !a.vector && (!a.load || !mode)))
		return a64_foreign(vm, in, w); /* tags of memory */
	a.size = a.vector ? 4u << opc : opc == 2 ? 8 : 4;
	a.sign = opc == 1 && !a.vector ? 64 : 0;
	a.addr = a.next = a64_get_sp(vm, a.base);
	a.next.v += imm * a.size;
	if (mode != 1)
		a.addr = a.next;
	a.addr = a64_place(a.addr);
	a.writes_base = mode & 1;
	if (collides(&a, a.rt) || collides(&a, a64_ra(w)) || (a.load && a.rt == a64_ra(w)))
		return a64_foreign(vm, in, w);
	return a.load ? load_pair(vm, &a, a64_ra(w)) : store_pair(vm, &a, a64_ra(w));
}

/* ---- LD1 and ST1 of one to four registers, which lie one behind the other ------------------ */

enum vm_result a64_structs(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	static const uint8_t registers[16] = { [2] = 4, [6] = 3, [7] = 1, [10] = 2 };
	unsigned n = registers[a64_bits(w, 15, 12)], size = w >> 30 & 1 ? 16 : 8;
	struct access a = { .base = a64_rn(w), .size = size, .vector = true };
	struct a64_val by = { n * size, true };

	if (!n)
		return a64_foreign(vm, in, w); /* interleaved */
	if (a64_rm(w) != 31)
		by = a64_get(vm, a64_rm(w));
	a.load = w >> 22 & 1;
	a.addr = a.next = a64_get_sp(vm, a.base);
	a.next.v += by.v;
	a.next.known &= by.known;
	a.addr = a64_place(a.addr);
	if (!a.addr.known && !a.load)
		return VM_UNKNOWN;
	if (a.addr.known && vm_probe(vm, a.addr.v, n * size) != VM_OK)
		return VM_NOMEM;
	for (unsigned i = 0; i < n; i++) {
		a.rt = (a64_rd(w) + i) & 31;
		a.writes_base = w >> 23 & 1 && i == n - 1;
		(void)access(vm, &a);
		a.addr.v += size;
	}
	return VM_OK;
}
