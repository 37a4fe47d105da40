/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the interpreter of AArch64: fields of an instruction word, registers, flags. As everywhere in the vm
 * a value knows whether it is known; nothing is changed by an instruction that is given up.
 */
#ifndef PERF_TRACER_A64_INT_H
#define PERF_TRACER_A64_INT_H

#include "vm-int.h"

#define A64_SP	 31
#define A64_LR	 30
#define A64_NONE 31 /* as a general register: reads as zero, swallows what is written */

enum { A64_V = 1, A64_C = 2, A64_Z = 4, A64_N = 8, A64_NZCV = 15 };

struct a64_val {
	uint64_t v;
	bool known;
};

/* 16 bytes of a vector register. */
struct a64_vec {
	uint64_t q[2];
	bool known;
};

static inline uint32_t a64_bits(uint32_t w, unsigned high, unsigned low)
{
	return w >> low & ((2u << (high - low)) - 1);
}

static inline unsigned a64_rd(uint32_t w)
{
	return w & 31;
}

static inline unsigned a64_rn(uint32_t w)
{
	return w >> 5 & 31;
}

static inline unsigned a64_rm(uint32_t w)
{
	return w >> 16 & 31;
}

static inline unsigned a64_ra(uint32_t w)
{
	return w >> 10 & 31;
}

static inline bool a64_is_64(uint32_t w)
{
	return w >> 31;
}

static inline uint64_t a64_low(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : BIT(bits) - 1;
}

static inline uint64_t a64_extend(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

/* ---- registers ----------------------------------------------------------------------------- */

static inline struct a64_val a64_get(const struct vm *vm, unsigned n)
{
	if (n == A64_NONE)
		return (struct a64_val){ 0, true };
	return (struct a64_val){ vm->reg[n], vm->known >> n & 1 };
}

/* Number 31 is the stack pointer. */
static inline struct a64_val a64_get_sp(const struct vm *vm, unsigned n)
{
	return (struct a64_val){ vm->reg[n], vm->known >> n & 1 };
}

static inline void a64_set_sp(struct vm *vm, unsigned n, struct a64_val x)
{
	vm->reg[n] = x.v;
	vm->known = (vm->known & ~(1u << n)) | (uint32_t)x.known << n;
}

static inline void a64_set(struct vm *vm, unsigned n, struct a64_val x)
{
	if (n != A64_NONE)
		a64_set_sp(vm, n, x);
}

/* The lower half clears the upper one. */
static inline struct a64_val a64_cut(struct a64_val x, bool is_64)
{
	if (!is_64)
		x.v = (uint32_t)x.v;
	return x;
}

static inline void a64_set_flags(struct vm *vm, uint32_t nzcv, bool known)
{
	vm->flags = nzcv;
	vm->flags_known = known ? A64_NZCV : 0;
}

/* The place of an access: Linux lets programs have the top byte for themselves. */
static inline struct a64_val a64_place(struct a64_val a)
{
	a.v = a64_extend(a.v, 56);
	return a;
}

/* ---- a64.c --------------------------------------------------------------------------------- */

/* An authenticated or stripped pointer. */
uint64_t a64_strip(const struct vm *vm, uint64_t v);
/* Whether condition @cond holds; unknown where a flag that it needs is. */
struct a64_val a64_condition(const struct vm *vm, unsigned cond);
/* @a + @b + @carry, and the flags of it; a subtraction is with ~@b and 1. */
uint64_t a64_add(uint64_t a, uint64_t b, bool carry, bool is_64, uint32_t *nzcv);

/* a64-known.c: whether @w, which has to do with vectors or floating point, is an instruction that is known. */
bool a64_is_vector(uint32_t w);

/* A vector register; false: not to be had. */
struct a64_vec a64_vec(struct vm *vm, unsigned n);
void a64_set_vec(struct vm *vm, unsigned n, struct a64_vec x);
/* What is there instead of a result that is not computed. */
enum vm_result a64_lose_vec(struct vm *vm, unsigned n);

/* ---- instructions: @w is the word of @in ---------------------------------------------------- */

typedef enum vm_result a64_exec(struct vm *vm, const struct vm_insn *in, uint32_t w);

/* a64-alu.c */
a64_exec a64_adr, a64_add_imm, a64_logic_imm, a64_mov_wide, a64_bitfield, a64_extr;
a64_exec a64_logic_reg, a64_add_reg, a64_add_extended, a64_adc, a64_ccmp, a64_csel;
/* a64-mul.c */
a64_exec a64_multiply, a64_two_sources, a64_one_source, a64_pac, a64_rmif, a64_setf;
/* a64-branch.c */
a64_exec a64_b, a64_b_cond, a64_cbz, a64_tbz, a64_b_reg, a64_svc, a64_trap, a64_foreign, a64_nop;
a64_exec a64_hint, a64_barrier, a64_cfinv, a64_dc_zva, a64_mrs, a64_msr;
/* a64-mem.c */
a64_exec a64_literal, a64_pair, a64_ldst_imm9, a64_ldst_reg, a64_ldst_imm12, a64_ldapur, a64_ldraa;
a64_exec a64_structs;
/* a64-atomic.c */
a64_exec a64_exclusive, a64_atomic;
/* a64-vec.c */
a64_exec a64_dup, a64_umov, a64_ins, a64_ins_element, a64_fmov_general, a64_fmov, a64_movi;
a64_exec a64_vec_logic, a64_vec_same, a64_vec_misc, a64_vec_shift, a64_vec_across;
a64_exec a64_fcmp, a64_fp_general, a64_fp_other;

#endif
