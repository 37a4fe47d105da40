// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64: exclusive and atomic accesses. A walk sees no other thread, so each is a load and a store. The
 * monitor of exclusive accesses is open where a walk begins: coming back from the kernel has opened it.
 */
#include "a64-int.h"

struct place {
	struct a64_val addr;
	unsigned size; /* of one register; two lie one behind the other */
	unsigned registers;
};

static enum vm_result probe(struct vm *vm, const struct place *p)
{
	if (!p->addr.known)
		return VM_UNKNOWN;
	return vm_probe(vm, p->addr.v, p->size * p->registers);
}

/* What was probed. */
static struct a64_val read_at(struct vm *vm, const struct place *p, unsigned i)
{
	struct a64_val x = { 0, false };

	x.known = vm_load(vm, p->addr.v + i * p->size, p->size, &x.v) == VM_OK;
	return x;
}

static void write_at(struct vm *vm, const struct place *p, unsigned i, struct a64_val x)
{
	(void)vm_store(vm, p->addr.v + i * p->size, p->size, x.v, x.known);
}

/* @first and @second: the registers, of which one counts where there is only one. */
static enum vm_result load(struct vm *vm, const struct place *p, unsigned first, unsigned second)
{
	struct a64_val x = read_at(vm, p, 0);

	if (p->registers == 2)
		a64_set(vm, second, read_at(vm, p, 1));
	a64_set(vm, first, x);
	return VM_OK;
}

static void store(struct vm *vm, const struct place *p, unsigned first, unsigned second)
{
	write_at(vm, p, 0, a64_get(vm, first));
	if (p->registers == 2)
		write_at(vm, p, 1, a64_get(vm, second));
}

static enum vm_result store_exclusive(struct vm *vm, const struct place *p, uint32_t w)
{
	bool done = vm->monitor_size == p->size * p->registers && vm->monitor == p->addr.v;
	enum vm_result r = done ? probe(vm, p) : VM_OK;

	if (!p->addr.known || r != VM_OK)
		return p->addr.known ? r : VM_UNKNOWN;
	if (done)
		store(vm, p, a64_rd(w), a64_ra(w));
	vm->monitor_size = 0;
	a64_set(vm, a64_rm(w), (struct a64_val){ !done, true });
	return VM_OK;
}

/* CAS, CASP: @expected, or it and the next one, against memory. */
static enum vm_result compare_and_swap(struct vm *vm, const struct place *p, unsigned expected,
				       unsigned wanted)
{
	struct a64_val old[2], want;
	bool equal = true, known = true;

	for (unsigned i = 0; i < p->registers; i++) {
		old[i] = read_at(vm, p, i);
		want = a64_get(vm, expected + i);
		known &= old[i].known && want.known;
		equal &= !((old[i].v ^ want.v) & a64_low(8 * p->size));
	}
	if (!known)
		return VM_UNKNOWN;
	for (unsigned i = 0; i < p->registers; i++) {
		if (equal)
			write_at(vm, p, i, a64_get(vm, wanted + i));
		a64_set(vm, expected + i, old[i]);
	}
	return VM_OK;
}

enum vm_result a64_exclusive(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	bool ordered = w >> 23 & 1, loads = w >> 22 & 1, o1 = w >> 21 & 1;
	struct place p = { a64_place(a64_get_sp(vm, a64_rn(w))), 1u << a64_bits(w, 31, 30), 1 };
	bool pair = o1 && !ordered && w >> 31, casp = o1 && !ordered && !(w >> 31);
	enum vm_result r;

	/* registers that it has not are 31 */
	if ((!o1 && a64_ra(w) != A64_NONE) ||
	    ((loads || ordered) && !o1 && a64_rm(w) != A64_NONE) ||
	    (pair && loads && a64_rm(w) != A64_NONE))
		return a64_foreign(vm, in, w);
	/* twice the same one: every CPU does as it likes */
	if (pair && loads && a64_rd(w) == a64_ra(w))
		return a64_foreign(vm, in, w);
	if (pair)
		p.registers = 2;
	if (casp) {
		p.registers = 2;
		p.size = w >> 30 & 1 ? 8 : 4;
	}
	/* CASP's registers are even */
	if ((casp || (ordered && o1)) && (a64_ra(w) != 31 || (casp && (a64_rm(w) | a64_rd(w)) & 1)))
		return a64_trap(vm, in, w);
	if (!loads && !ordered && !casp)
		return store_exclusive(vm, &p, w);
	r = probe(vm, &p);
	if (r != VM_OK)
		return r;
	if (casp || (ordered && o1))
		return compare_and_swap(vm, &p, a64_rm(w), a64_rd(w));
	if (loads && !ordered) {
		vm->monitor = p.addr.v;
		vm->monitor_size = (uint8_t)(p.size * p.registers);
	}
	if (loads)
		return load(vm, &p, a64_rd(w), a64_ra(w));
	store(vm, &p, a64_rd(w), a64_ra(w));
	return VM_OK;
}

static uint64_t combine(unsigned op, uint64_t old, uint64_t x, unsigned bits)
{
	int64_t a = (int64_t)a64_extend(old, bits), b = (int64_t)a64_extend(x, bits);
	uint64_t c = old & a64_low(bits), d = x & a64_low(bits);

	switch (op) {
	case 0: return old + x;
	case 1: return old & ~x;
	case 2: return old ^ x;
	case 3: return old | x;
	case 4: return a > b ? old : x;
	case 5: return a < b ? old : x;
	case 6: return c > d ? old : x;
	case 7: return c < d ? old : x;
	default: return x; /* swp */
	}
}

/* LDADD and its like, SWP, LDAPR: memory changes by Rs, and what was there comes into Rt. */
enum vm_result a64_atomic(struct vm *vm, const struct vm_insn *in, uint32_t w)
{
	struct place p = { a64_place(a64_get_sp(vm, a64_rn(w))), 1u << a64_bits(w, 31, 30), 1 };
	unsigned op = a64_bits(w, 15, 12);
	struct a64_val x = a64_get(vm, a64_rm(w)), old;
	bool ldapr = op == 12 && a64_bits(w, 23, 22) == 2 && a64_rm(w) == 31;
	enum vm_result r;

	if (op > 8 && !ldapr)
		return a64_foreign(vm, in, w);
	r = probe(vm, &p);
	if (r != VM_OK)
		return r;
	old = read_at(vm, &p, 0);
	if (!ldapr) {
		x.v = combine(op, old.v, x.v, 8 * p.size);
		x.known &= op == 8 || old.known;
		write_at(vm, &p, 0, x);
	}
	a64_set(vm, a64_rd(w), old);
	return VM_OK;
}
