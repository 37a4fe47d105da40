/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the interpreter: values that may be unknown, operands, flags, and who executes what. */
#ifndef PERF_TRACER_EXEC_INT_H
#define PERF_TRACER_EXEC_INT_H

#include "vm-int.h"

struct val {
	uint64_t v;
	bool known;
};

static inline uint64_t mask_of(unsigned size)
{
	return size >= 8 ? UINT64_MAX : BIT(8 * size) - 1;
}

static inline uint64_t msb_of(unsigned size)
{
	return mask_of(size) ^ mask_of(size) >> 1;
}

static inline int64_t sign_extend(uint64_t v, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(v << shift) >> shift;
}

/* ---- operands and flags: on the way of every instruction, so all are inline ------------------------- */

static inline struct val exec_get_reg(const struct vm *vm, unsigned reg)
{
	return (struct val){ vm->reg[reg], vm->known >> reg & 1 };
}

static inline void exec_set_reg(struct vm *vm, unsigned reg, uint64_t v, bool known)
{
	vm->reg[reg] = v;
	if (known)
		vm->known |= 1 << reg;
	else
		vm->known &= ~(1 << reg);
}

/* A part of a register; 32-bit parts clear the upper half. */
static inline void exec_set_part(struct vm *vm, const struct vm_opd *o, struct val x)
{
	uint64_t old = vm->reg[o->reg], m = mask_of(o->size);

	if (o->size >= 4)
		exec_set_reg(vm, o->reg, x.v & m, x.known);
	else if (o->high)
		exec_set_reg(vm, o->reg, (old & ~0xff00ULL) | (x.v & 0xff) << 8,
			     x.known && vm->known >> o->reg & 1);
	else
		exec_set_reg(vm, o->reg, (old & ~m) | (x.v & m),
			     x.known && vm->known >> o->reg & 1);
}

static inline struct val exec_address(const struct vm *vm, const struct vm_insn *in,
				      const struct vm_opd *o)
{
	struct val a = { (uint64_t)o->value, true };

	if (o->rip)
		a.v += in->addr + in->len;
	if (o->base != VM_NO_REG) {
		a.v += vm->reg[o->base];
		a.known &= vm->known >> o->base & 1;
	}
	if (o->index != VM_NO_REG) {
		a.v += vm->reg[o->index] * o->scale;
		a.known &= vm->known >> o->index & 1;
	}
	if (o->seg)
		a.v += o->seg == 'f' ? vm->fs_base : vm->gs_base;
	return a;
}

/* VM_NOMEM when it lies nowhere; a load from an unknown place gives an unknown value. */
static inline enum vm_result exec_get(struct vm *vm, const struct vm_insn *in, unsigned i,
				      struct val *x)
{
	const struct vm_opd *o = &in->opd[i];
	enum vm_result r = VM_OK;
	struct val a;

	switch (o->kind) {
	case VM_OPD_REG:
		*x = exec_get_reg(vm, o->reg);
		if (o->high)
			x->v >>= 8;
		break;
	case VM_OPD_IMM: *x = (struct val){ (uint64_t)o->value, true }; break;
	case VM_OPD_MEM:
		a = exec_address(vm, in, o);
		*x = (struct val){ 0, false };
		if (a.known)
			r = vm_load(vm, a.v, o->size, &x->v);
		x->known = a.known && r == VM_OK;
		break;
	default: *x = (struct val){ 0, false };
	}
	x->v &= mask_of(in->opd[0].size > o->size ? in->opd[0].size : o->size);
	return r == VM_NOMEM ? r : VM_OK;
}

/* Asked before anything changes: whether exec_put() to operand @i will work. */
static inline enum vm_result exec_can_put(struct vm *vm, const struct vm_insn *in, unsigned i)
{
	struct val a;

	if (in->opd[i].kind != VM_OPD_MEM)
		return VM_OK;
	a = exec_address(vm, in, &in->opd[i]);
	return a.known ? vm_probe(vm, a.v, in->opd[i].size) : VM_UNKNOWN;
}

static inline void exec_put(struct vm *vm, const struct vm_insn *in, unsigned i, struct val x)
{
	const struct vm_opd *o = &in->opd[i];

	if (o->kind == VM_OPD_REG)
		exec_set_part(vm, o, x);
	else
		(void)vm_store(vm, exec_address(vm, in, o).v, o->size, x.v, x.known);
}

static inline void exec_set_flags(struct vm *vm, uint32_t which, uint32_t value)
{
	vm->flags = (vm->flags & ~which) | (value & which);
	vm->flags_known |= which;
}

static inline void exec_lose_flags(struct vm *vm, uint32_t which)
{
	vm->flags_known &= ~which;
}

static inline uint32_t exec_zsp(uint64_t v, unsigned size)
{
	v &= mask_of(size);
	return (v ? 0 : VM_ZF) | (v & msb_of(size) ? VM_SF : 0) |
	       (__builtin_parity((unsigned)(v & 0xff)) ? 0 : VM_PF);
}

static inline void exec_flags_add(struct vm *vm, uint64_t a, uint64_t b, uint64_t r, unsigned size,
				  bool carry)
{
	uint64_t m = mask_of(size);
	uint32_t f = exec_zsp(r, size);

	a &= m, b &= m, r &= m;
	f |= (carry ? r <= a : r < a) ? VM_CF : 0;
	f |= (a ^ r) & (b ^ r) & msb_of(size) ? VM_OF : 0;
	f |= (a ^ b ^ r) & 0x10 ? VM_AF : 0;
	exec_set_flags(vm, VM_STATUS, f);
}

static inline void exec_flags_sub(struct vm *vm, uint64_t a, uint64_t b, uint64_t r, unsigned size,
				  bool borrow)
{
	uint64_t m = mask_of(size);
	uint32_t f = exec_zsp(r, size);

	a &= m, b &= m, r &= m;
	f |= (borrow ? a <= b : a < b) ? VM_CF : 0;
	f |= (a ^ b) & (a ^ r) & msb_of(size) ? VM_OF : 0;
	f |= (a ^ b ^ r) & 0x10 ? VM_AF : 0;
	exec_set_flags(vm, VM_STATUS, f);
}

static inline void exec_flags_logic(struct vm *vm, uint64_t r, unsigned size)
{
	exec_set_flags(vm, VM_STATUS & ~VM_AF, exec_zsp(r, size));
	exec_lose_flags(vm, VM_AF);
}

/* operand.c */
enum vm_result exec_two(struct vm *vm, const struct vm_insn *in, struct val *a, struct val *b,
			bool write);
bool exec_holds(uint32_t flags, unsigned cond);
struct val exec_condition(const struct vm *vm, unsigned cond);

/* exec-alu.c */
enum vm_result exec_alu(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_unary(struct vm *vm, const struct vm_insn *in);
/* What OP_SHL to OP_ROR make of @a, 1 <= @n, and signed products: with the flags. */
uint64_t exec_shifted(struct vm *vm, uint8_t op, uint64_t a, unsigned n, unsigned size);
uint64_t exec_multiplied(struct vm *vm, uint64_t a, uint64_t b, unsigned size);
enum vm_result exec_shift(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_rotate_carry(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_shift_double(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_imul2(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_mul(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_div(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_extend(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_scan(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_bit(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_bmi(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_shiftx(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_mulx(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_bswap(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_movbe(struct vm *vm, const struct vm_insn *in);

/*
 * exec-quick.c: an instruction as a function with its operands beside it. It computes, and goes on with the next
 * one of its block; VM_BRANCH and others as vm_step(), and vm->rip and vm->at say where that was. VM_OK: it
 * has come to where no block follows, vm->rip.
 */
struct vm_uop;
typedef enum vm_result exec_quick_fn(struct vm *vm, struct vm_uop *u);

struct vm_uop {
	exec_quick_fn *run;
	uint8_t a, b, c, d; /* registers; d also the index's scale, as a shift */
	union {
		int32_t imm;
		uint32_t link; /* of what ends a block: the one that followed the last time */
	};
	uint64_t disp; /* or a constant, or where a branch leads */
};

/*
 * Instructions that follow each other, up to a branch, and one uop behind them that goes on to the next block
 * (exec-blocks.c).
 */
struct vm_block {
	uint64_t addr;
	uint32_t walk;	  /* the vm->walk in which the bytes were last compared */
	uint32_t changes; /* of vm_insns, when it was made */
	uint32_t uop, bytes;
	uint16_t n, size;
};

#define VM_BLOCKS     (1 << 17)
#define VM_UOPS	      (1 << 20)
#define VM_CODE_BYTES (1 << 22)

struct vm_blocks {
	uint32_t nr, nr_uops, nr_bytes;
	struct { /* memory for so many of each */
		uint32_t block, uop, insn, addr, bytes;
	} there;
	struct htab at;			  /* by address */
	struct vm_block block[VM_BLOCKS]; /* the first is none */
	struct vm_uop uop[VM_UOPS];
	uint32_t insn[VM_UOPS]; /* of each uop: of vm->insns */
	uint64_t addr[VM_UOPS]; /* and its address */
	unsigned char bytes[VM_CODE_BYTES];
};

/* exec-choose.c: the uop of @in; @last: what stands before it in the block, or NULL. */
void exec_quick_choose(struct vm_uop *u, const struct vm_insn *in, const struct vm_uop *last);
/* Behind a block, whose last instruction is @last, before @addr. */
void exec_quick_end(struct vm_uop *u, uint64_t addr, const struct vm_insn *last);
bool exec_quick_is_end(const struct vm_uop *u);

/* exec-blocks.c */
static inline void exec_remember(struct vm *vm, const struct vm_block *b)
{
	if (vm->uncounted)
		return;
	vm->counted = vm->nr_trace < VM_TRACE ? b->n : 0;
	if (!vm->counted)
		return;
	memcpy(vm->trace + vm->nr_trace, vm->blocks->addr + b->uop, b->n * sizeof(uint64_t));
	vm->nr_trace += b->n;
}
void exec_blocks_new(struct vm *vm);
void exec_blocks_forget(struct vm *vm);
void exec_blocks_room(struct vm *vm);
void exec_blocks_free(struct vm *vm);

/* exec-system.c */
/*
 * The registers of what CPUID says of @leaf that tell of the CPU that was asked: another one may be asked next. @hybrid: whether this
 * machine has cores of several kinds.
 */
uint16_t exec_cpuid_differs(uint32_t leaf, bool (*hybrid)(void));
enum vm_result exec_system(struct vm *vm, const struct vm_insn *in);

/* exec-vector.c: VM_FOREIGN where it is not done here. */
enum vm_result exec_vector(struct vm *vm, const struct vm_insn *in);

/* exec-tile.c */
enum vm_result exec_tile(struct vm *vm, const struct vm_insn *in);
/* Nothing is known of them from here on. */
void vm_tiles_lost(struct vm *vm);

/* exec-string.c */
enum vm_result exec_string(struct vm *vm, const struct vm_insn *in);

#endif
