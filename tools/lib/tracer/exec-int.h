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

/* operand.c */
struct val exec_get_reg(const struct vm *vm, unsigned reg);
void exec_set_reg(struct vm *vm, unsigned reg, uint64_t v, bool known);
void exec_set_part(struct vm *vm, const struct vm_opd *o, struct val x);
struct val exec_address(const struct vm *vm, const struct vm_insn *in, const struct vm_opd *o);
enum vm_result exec_get(struct vm *vm, const struct vm_insn *in, unsigned i, struct val *x);
enum vm_result exec_can_put(struct vm *vm, const struct vm_insn *in, unsigned i);
void exec_put(struct vm *vm, const struct vm_insn *in, unsigned i, struct val x);
enum vm_result exec_two(struct vm *vm, const struct vm_insn *in, struct val *a, struct val *b,
			bool write);
void exec_set_flags(struct vm *vm, uint32_t which, uint32_t value);
void exec_lose_flags(struct vm *vm, uint32_t which);
uint32_t exec_zsp(uint64_t v, unsigned size);
void exec_flags_add(struct vm *vm, uint64_t a, uint64_t b, uint64_t r, unsigned size, bool carry);
void exec_flags_sub(struct vm *vm, uint64_t a, uint64_t b, uint64_t r, unsigned size, bool borrow);
void exec_flags_logic(struct vm *vm, uint64_t r, unsigned size);
bool exec_holds(uint32_t flags, unsigned cond);
struct val exec_condition(const struct vm *vm, unsigned cond);

/* exec-alu.c */
enum vm_result exec_alu(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_unary(struct vm *vm, const struct vm_insn *in);
enum vm_result exec_shift(struct vm *vm, const struct vm_insn *in);
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

/* exec-string.c */
enum vm_result exec_string(struct vm *vm, const struct vm_insn *in);

#endif
