// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter's short cut: an instruction is a function of its operation, its size and the kinds of its operands,
 * and calls the next one. Here all registers are known, and pages were touched before. What is not so, or
 * is rare, goes to exec_insn(), in its place among the others. Which function an instruction is: exec-choose.c.
 *
 * The call of the next one is the last thing that each does, so compilers make a jump of it, and each function has a
 * jump of its own, which the CPU learns: one loop with a switch has one for all of them. Where nothing is optimized they are
 * calls, as many at a time as CHAIN_MOST allows. Two things end a chain: a branch that is taken, unless the caller lets it pass,
 * and what makes blocks stale, a store into code above all, which shows as another vm->walk. Whoever leaves in the midst of a
 * block gives back what was counted of it when it was entered (leave()).
 */
#include "exec-quick-int.h"

#define INLINE static inline __attribute__((always_inline))

#define FROM_MEMORY(form) ((form) == RB || (form) == RX)
#define TO_MEMORY(form)	  ((form) >= BR)
#define INDEXED(form)	  ((form) == RX || (form) == XR || (form) == XI)

/* ---- operands ----------------------------------------------------------------------------------- */

INLINE uint64_t address(const struct vm *vm, const struct vm_uop *u, bool indexed)
{
	uint64_t a = u->disp + vm->reg[u->b];

	return indexed ? a + (vm->reg[u->c] << u->d) : a;
}

INLINE bool load(const struct vm *vm, uint64_t addr, unsigned size, uint64_t *v)
{
	const struct vm_near *n = &vm->near[addr / VM_PAGE % VM_NEAR];

	if (n->load != ((addr + size - 1) & ~(uint64_t)(VM_PAGE - 1)))
		return false;
	*v = 0;
	memcpy(v, (const unsigned char *)(uintptr_t)(n->to + addr), size);
	return true;
}

INLINE bool store(struct vm *vm, uint64_t addr, unsigned size, uint64_t v)
{
	const struct vm_near *n = &vm->near[addr / VM_PAGE % VM_NEAR];

	if (n->store != ((addr + size - 1) & ~(uint64_t)(VM_PAGE - 1)))
		return false;
	vm_remember(vm, addr, size, v, true, (unsigned char *)(uintptr_t)(n->to + addr));
	memcpy((unsigned char *)(uintptr_t)(n->to + addr), &v, size);
	return true;
}

INLINE void put(struct vm *vm, unsigned reg, unsigned size, uint64_t v)
{
	uint64_t m = mask_of(size);

	vm->reg[reg] = size >= 4 ? v & m : (vm->reg[reg] & ~m) | (v & m);
}

/* ---- going on ----------------------------------------------------------------------------------- */

#define NEXT(vm, u) return (u)[1].run(vm, (u) + 1)

/* Of the block only what stands before @end was executed. */
static enum vm_result leave(struct vm *vm, struct vm_uop *u, const struct vm_uop *end,
			    enum vm_result r)
{
	const struct vm_uop *first = vm->blocks->uop + vm->block->uop;
	uint32_t rest = vm->block->n - (uint32_t)(end - first);

	vm->at = u;
	vm->left += rest;
	vm->nr_trace -= min_u64(rest, vm->counted);
	return r;
}

/* By exec_insn(), which knows what may be unknown, and every instruction. */
static enum vm_result do_any(struct vm *vm, struct vm_uop *u)
{
	struct vm_blocks *t = vm->blocks;
	struct vm_insn *in = &vm->insns->insn[t->insn[u - t->uop]];
	uint32_t walk = vm->walk;
	enum vm_result r;

	for (unsigned i = 0; i < in->nr; i++)
		if (in->opd[i].kind == VM_OPD_MEM)
			vm_complete(vm, exec_address(vm, in, &in->opd[i]).v);
	vm->rip = in->addr;
	r = exec_insn(vm, in);
	if (r == VM_OK && vm->walk == walk && vm->known == 0xffff)
		NEXT(vm, u);
	if (r == VM_OK)
		vm->rip = in->addr + in->len;
	return leave(vm, u, r == VM_OK || r == VM_BRANCH ? u + 1 : u, r);
}

static enum vm_result do_vector(struct vm *vm, struct vm_uop *u)
{
	struct vm_blocks *t = vm->blocks;
	const struct vm_insn *in = &vm->insns->insn[t->insn[u - t->uop]];
	uint32_t walk = vm->walk;

	if (exec_vector(vm, in) != VM_OK)
		return do_any(vm, u);
	if (vm->walk == walk)
		NEXT(vm, u);
	/* it stored into code */
	vm->rip = in->addr + in->len;
	return leave(vm, u, u + 1, VM_OK);
}

static enum vm_result enter(struct vm *vm, struct vm_block *b)
{
	struct vm_uop *u = &vm->blocks->uop[b->uop];

	vm->left -= b->n;
	vm->block = b;
	exec_remember(vm, b);
	return u->run(vm, u);
}

/* Whether the block that followed the last time does so now, at @addr. */
INLINE bool follows(const struct vm *vm, const struct vm_block *b, uint64_t addr)
{
	return b->addr == addr && b->walk == vm->walk && b->n <= vm->left;
}

static enum vm_result do_end(struct vm *vm, struct vm_uop *u)
{
	struct vm_block *b = &vm->blocks->block[u->link];

	vm->at = u;
	if (follows(vm, b, u->disp))
		return enter(vm, b);
	vm->rip = u->disp;
	return VM_OK;
}

/* The end of the block knows where the branch is. */
static enum vm_result pass(struct vm *vm, const struct vm_uop *end, struct vm_block *b)
{
	vm->passed[vm->nr_passed++] = (struct vm_branch){ end->disp - end->b, vm->rip, end->a };
	return enter(vm, b);
}

INLINE enum vm_result branch_to(struct vm *vm, struct vm_uop *u, uint64_t to)
{
	struct vm_block *b = &vm->blocks->block[u->link];

	vm->rip = to;
	vm->at = u;
	if (vm->nr_passed < vm->past && follows(vm, b, to))
		return pass(vm, u + 1, b);
	return VM_BRANCH;
}

/* ---- flags -------------------------------------------------------------------------------------- */

/*
 * Most flags are never asked for, and those that are mostly by a condition that is a comparison of the two
 * operands: so these are kept. AND, OR, XOR and TEST set what a comparison of their result with 0 does.
 */
INLINE void keep_flags(struct vm *vm, enum vm_lazy kind, unsigned size, uint64_t a, uint64_t b)
{
	vm->lazy = (uint8_t)kind;
	vm->lazy_size = (uint8_t)size;
	vm->lazy_a = a;
	vm->lazy_b = b;
}

/* A rotation, which leaves most flags as they were. */
INLINE void keep_carry(struct vm *vm, enum vm_lazy kind, unsigned size, uint64_t a, uint64_t n)
{
	if (vm->lazy != VM_LAZY_ROL && vm->lazy != VM_LAZY_ROR) {
		vm->under.a = vm->lazy_a;
		vm->under.b = vm->lazy_b;
		vm->under.kind = vm->lazy;
		vm->under.size = vm->lazy_size;
		vm->under.carry = vm->lazy_carry;
	}
	keep_flags(vm, kind, size, a, n);
}

static void settle_under(struct vm *vm)
{
	vm->lazy = vm->under.kind;
	vm->lazy_size = vm->under.size;
	vm->lazy_carry = vm->under.carry;
	vm->lazy_a = vm->under.a;
	vm->lazy_b = vm->under.b;
	exec_settle(vm);
}

void exec_settle(struct vm *vm)
{
	uint8_t kind = vm->lazy;
	uint64_t a = vm->lazy_a, b = vm->lazy_b;
	unsigned size = vm->lazy_size;
	bool c = vm->lazy_carry;

	switch (kind) {
	case VM_LAZY_SUB: exec_flags_sub(vm, a, b, a - b, size, false); break;
	case VM_LAZY_ADD: exec_flags_add(vm, a, b, a + b, size, false); break;
	case VM_LAZY_SBB: exec_flags_sub(vm, a, b, a - b - c, size, c); break;
	case VM_LAZY_ADC: exec_flags_add(vm, a, b, a + b + c, size, c); break;
	case VM_LAZY_INC:
		exec_flags_add(vm, a, 1, a + 1, size, false);
		exec_set_flags(vm, VM_CF, c ? VM_CF : 0);
		break;
	case VM_LAZY_DEC:
		exec_flags_sub(vm, a, 1, a - 1, size, false);
		exec_set_flags(vm, VM_CF, c ? VM_CF : 0);
		break;
	case VM_LAZY_LOGIC: exec_flags_logic(vm, a, size); break;
	case VM_LAZY_ROL:
	case VM_LAZY_ROR: settle_under(vm); /* fallthrough */
	case VM_LAZY_SHL:
	case VM_LAZY_SHR:
	case VM_LAZY_SAR:
		(void)exec_shifted(vm, OP_SHL + (kind - VM_LAZY_SHL), a, (unsigned)b, size);
		break;
	case VM_LAZY_MUL: (void)exec_multiplied(vm, a, b, size); break;
	default: return;
	}
	vm->lazy = VM_LAZY_NOT;
}

/* CF, before what keeps it or takes it in; false: it is not known. */
INLINE bool carry(struct vm *vm, bool *c)
{
	unsigned shift = (64 - 8 * vm->lazy_size) & 63;

	switch (vm->lazy) {
	case VM_LAZY_SUB: *c = vm->lazy_a << shift < vm->lazy_b << shift; return true;
	case VM_LAZY_LOGIC: *c = false; return true;
	case VM_LAZY_ADD:
		*c = (vm->lazy_a + vm->lazy_b) << shift < vm->lazy_a << shift;
		return true;
	case VM_LAZY_INC:
	case VM_LAZY_DEC: *c = vm->lazy_carry; return true;
	default:
		exec_settle(vm);
		*c = vm->flags & VM_CF;
		return vm->flags_known & VM_CF;
	}
}

/* @cond of a comparison of @a with @b, whose sizes are those of @shift. */
INLINE bool compares(unsigned cond, uint64_t a, uint64_t b, unsigned shift)
{
	bool v;

	a <<= shift;
	b <<= shift;
	switch (cond >> 1) {
	case 1: v = a < b; break;
	case 2: v = a == b; break;
	case 3: v = a <= b; break;
	case 4: v = (int64_t)(a - b) < 0; break;
	case 6: v = (int64_t)a < (int64_t)b; break;
	default: v = (int64_t)a <= (int64_t)b; break;
	}
	return v ^ (cond & 1);
}

static struct val condition(struct vm *vm, unsigned cond)
{
	bool compared = vm->lazy == VM_LAZY_SUB || vm->lazy == VM_LAZY_LOGIC;

	if (!compared || cond >> 1 == 0 || cond >> 1 == 5) { /* overflow, parity */
		exec_settle(vm);
		return exec_condition(vm, cond);
	}
	return (struct val){ compares(cond, vm->lazy_a, vm->lazy_b, 64 - 8 * vm->lazy_size), true };
}

/* ---- arithmetic --------------------------------------------------------------------------------- */

INLINE uint64_t computed(struct vm *vm, enum vm_op op, unsigned size, uint64_t a, uint64_t b,
			 bool c)
{
	uint64_t r;

	switch (op) {
	case OP_ADD:
		r = a + b;
		keep_flags(vm, VM_LAZY_ADD, size, a, b);
		return r;
	case OP_ADC:
		r = a + b + c;
		keep_flags(vm, VM_LAZY_ADC, size, a, b);
		break;
	case OP_SBB:
		r = a - b - c;
		keep_flags(vm, VM_LAZY_SBB, size, a, b);
		break;
	case OP_INC:
		r = a + 1;
		keep_flags(vm, VM_LAZY_INC, size, a, 0);
		break;
	case OP_DEC:
		r = a - 1;
		keep_flags(vm, VM_LAZY_DEC, size, a, 0);
		break;
	case OP_SUB:
	case OP_CMP:
		r = a - b;
		keep_flags(vm, VM_LAZY_SUB, size, a, b);
		return r;
	case OP_OR:
		r = a | b;
		keep_flags(vm, VM_LAZY_LOGIC, size, r, 0);
		return r;
	case OP_XOR:
		r = a ^ b;
		keep_flags(vm, VM_LAZY_LOGIC, size, r, 0);
		return r;
	default:
		r = a & b;
		keep_flags(vm, VM_LAZY_LOGIC, size, r, 0);
		return r;
	}
	vm->lazy_carry = c;
	return r;
}

INLINE enum vm_result alu(struct vm *vm, struct vm_uop *u, enum vm_op op, unsigned size,
			  enum exec_form form)
{
	bool carries = op == OP_ADC || op == OP_SBB || op == OP_INC || op == OP_DEC, c = false;
	uint64_t at = 0, m = mask_of(size), a, b, r;

	if (carries && !carry(vm, &c))
		return do_any(vm, u);
	if (form != RR && form != RI)
		at = address(vm, u, INDEXED(form));
	b = form == RR		       ? vm->reg[u->b]
	    : form == BR || form == XR ? vm->reg[u->a]
				       : (uint64_t)u->imm;
	if (FROM_MEMORY(form) && !load(vm, at, size, &b))
		return do_any(vm, u);
	a = vm->reg[u->a];
	if (TO_MEMORY(form) && !load(vm, at, size, &a))
		return do_any(vm, u);
	a &= m;
	b &= m;
	if (op == OP_CMP || op == OP_TEST) {
		(void)computed(vm, op, size, a, b, c);
		NEXT(vm, u);
	}
	if (TO_MEMORY(form)) {
		/* flags only if it can be stored, too */
		if (vm->near[at / VM_PAGE % VM_NEAR].store !=
		    ((at + size - 1) & ~(uint64_t)(VM_PAGE - 1)))
			return do_any(vm, u);
		r = computed(vm, op, size, a, b, c);
		(void)store(vm, at, size, r);
	} else {
		put(vm, u->a, size, computed(vm, op, size, a, b, c));
	}
	NEXT(vm, u);
}

#define DO(name, ...)                                               \
	static enum vm_result name(struct vm *vm, struct vm_uop *u) \
	{                                                           \
		__VA_ARGS__                                         \
	}

#define ALU(op, size, form) DO(do_##op##size##form, return alu(vm, u, OP_##op, size, form);)
#define ALU_FORMS(op, size) \
	ALU(op, size, RR)   \
	ALU(op, size, RI)   \
	ALU(op, size, RB)   \
	ALU(op, size, RX) ALU(op, size, BR) ALU(op, size, XR) ALU(op, size, BI) ALU(op, size, XI)
#define ALU_SIZES(op)	  ALU_FORMS(op, 1) ALU_FORMS(op, 2) ALU_FORMS(op, 4) ALU_FORMS(op, 8)
#define ALU_ONE(op, size) ALU(op, size, RI) ALU(op, size, BI) ALU(op, size, XI)
#define ALU_ONES(op)	  ALU_ONE(op, 1) ALU_ONE(op, 2) ALU_ONE(op, 4) ALU_ONE(op, 8)

ALU_SIZES(ADD)
ALU_SIZES(ADC)
ALU_SIZES(SUB)
ALU_SIZES(SBB)
ALU_SIZES(CMP)
ALU_SIZES(AND)
ALU_SIZES(OR)
ALU_SIZES(XOR)
ALU_SIZES(TEST)
ALU_ONES(INC)
ALU_ONES(DEC)

#define ROW(op, size)                                                                              \
	{                                                                                          \
		do_##op##size##RR, do_##op##size##RI, do_##op##size##RB, do_##op##size##RX,        \
			do_##op##size##BR, do_##op##size##XR, do_##op##size##BI, do_##op##size##XI \
	}
#define ROW_ONE(op, size)                                                                    \
	{                                                                                    \
		[RI] = do_##op##size##RI, [BI] = do_##op##size##BI, [XI] = do_##op##size##XI \
	}
#define ROWS(op)     [OP_##op] = { ROW(op, 1), ROW(op, 2), ROW(op, 4), ROW(op, 8) }
#define ROWS_ONE(op) [OP_##op] = { ROW_ONE(op, 1), ROW_ONE(op, 2), ROW_ONE(op, 4), ROW_ONE(op, 8) }

/* ---- moves -------------------------------------------------------------------------------------- */

INLINE enum vm_result move(struct vm *vm, struct vm_uop *u, unsigned size, enum exec_form form)
{
	uint64_t v = form == RR			? vm->reg[u->b]
		     : form == RI		? u->disp
		     : form == BI || form == XI ? (uint64_t)u->imm
						: vm->reg[u->a];

	if (FROM_MEMORY(form) && !load(vm, address(vm, u, INDEXED(form)), size, &v))
		return do_any(vm, u);
	if (!TO_MEMORY(form))
		put(vm, u->a, size, v);
	else if (!store(vm, address(vm, u, INDEXED(form)), size, v))
		return do_any(vm, u);
	NEXT(vm, u);
}

/* Of @from bytes; with @sign to @size, else all above is zero. */
INLINE enum vm_result extend(struct vm *vm, struct vm_uop *u, unsigned from, unsigned size,
			     bool sign, enum exec_form form)
{
	uint64_t v = vm->reg[u->b];

	if (form != RR && !load(vm, address(vm, u, form == RX), from, &v))
		return do_any(vm, u);
	v = sign ? (uint64_t)sign_extend(v, from) & mask_of(size) : v & mask_of(from);
	vm->reg[u->a] = v;
	NEXT(vm, u);
}

#define MOVE(size, form) DO(do_MOV##size##form, return move(vm, u, size, form);)
#define MOVES(size)    \
	MOVE(size, RR) \
	MOVE(size, RI) \
	MOVE(size, RB) MOVE(size, RX) MOVE(size, BR) MOVE(size, XR) MOVE(size, BI) MOVE(size, XI)
#define EXTEND(name, from, size, sign, form) \
	DO(do_##name##form, return extend(vm, u, from, size, sign, form);)
#define EXTENDS(name, from, size, sign)    \
	EXTEND(name, from, size, sign, RR) \
	EXTEND(name, from, size, sign, RB) EXTEND(name, from, size, sign, RX)
/* What reads a register or memory into a register. */
#define READS(op, name, size)                                \
	DO(do_##op##size##RR, return name(vm, u, size, RR);) \
	DO(do_##op##size##RB, return name(vm, u, size, RB);) \
	DO(do_##op##size##RX, return name(vm, u, size, RX);)

MOVES(1)
MOVES(2)
MOVES(4)
MOVES(8)
EXTENDS(ZERO1, 1, 8, false)
EXTENDS(ZERO2, 2, 8, false)
EXTENDS(SIGN14, 1, 4, true)
EXTENDS(SIGN24, 2, 4, true)
EXTENDS(SIGN18, 1, 8, true)
EXTENDS(SIGN28, 2, 8, true)
EXTENDS(SIGN48, 4, 8, true)

#define EXTENDED(name)                                                           \
	{                                                                        \
		[RR] = do_##name##RR, [RB] = do_##name##RB, [RX] = do_##name##RX \
	}

DO(do_nop, NEXT(vm, u);)
DO(do_leaB8, vm->reg[u->a] = address(vm, u, false); NEXT(vm, u);)
DO(do_leaX8, vm->reg[u->a] = address(vm, u, true); NEXT(vm, u);)
DO(do_leaB4, vm->reg[u->a] = (uint32_t)address(vm, u, false); NEXT(vm, u);)
DO(do_leaX4, vm->reg[u->a] = (uint32_t)address(vm, u, true); NEXT(vm, u);)

INLINE enum vm_result cmov(struct vm *vm, struct vm_uop *u, unsigned size, enum exec_form form)
{
	struct val c = condition(vm, (unsigned)u->imm);
	uint64_t v = vm->reg[u->b];

	/* memory is read whether it is needed or not */
	if (!c.known || (form != RR && !load(vm, address(vm, u, form == RX), size, &v)))
		return do_any(vm, u);
	put(vm, u->a, size, c.v ? v : vm->reg[u->a]);
	NEXT(vm, u);
}

READS(CMOV, cmov, 4)
READS(CMOV, cmov, 8)

static enum vm_result do_setcc(struct vm *vm, struct vm_uop *u)
{
	struct val c = condition(vm, (unsigned)u->imm);

	if (!c.known)
		return do_any(vm, u);
	put(vm, u->a, 1, c.v);
	NEXT(vm, u);
}

/* ---- shifts, products --------------------------------------------------------------------------- */

/* By @n < @bits. */
INLINE uint64_t rotated(enum vm_op op, uint64_t a, unsigned n, unsigned bits)
{
	unsigned m = (bits - n) % bits;

	return op == OP_ROL ? a << n | a >> m : a >> n | a << m;
}

INLINE enum vm_result shift(struct vm *vm, struct vm_uop *u, enum vm_op op, unsigned size,
			    bool by_cl)
{
	unsigned n = (unsigned)(by_cl ? vm->reg[VM_CX] : (uint64_t)u->imm) & (size == 8 ? 63 : 31);
	uint64_t a = vm->reg[u->a] & mask_of(size), r;
	unsigned bits = 8 * size;

	if (!n) { /* flags stay; a 32-bit result still clears the upper half */
		put(vm, u->a, size, a);
		NEXT(vm, u);
	}
	switch (op) {
	case OP_SHL: r = a << n; break;
	case OP_SHR: r = a >> n; break;
	case OP_SAR: r = (uint64_t)(sign_extend(a, size) >> n); break;
	default:
		r = rotated(op, a, n % bits, bits);
		keep_carry(vm, VM_LAZY_ROL + (op - OP_ROL), size, a, n);
		put(vm, u->a, size, r);
		NEXT(vm, u);
	}
	keep_flags(vm, VM_LAZY_SHL + (op - OP_SHL), size, a, n);
	put(vm, u->a, size, r);
	NEXT(vm, u);
}

#define SHIFT(op, size)                                                  \
	DO(do_##op##size##I, return shift(vm, u, OP_##op, size, false);) \
	DO(do_##op##size##C, return shift(vm, u, OP_##op, size, true);)
#define SHIFTS(op) SHIFT(op, 1) SHIFT(op, 2) SHIFT(op, 4) SHIFT(op, 8)
#define SHIFTED(op)                                          \
	[OP_##op - OP_SHL] = { { do_##op##1I, do_##op##1C }, \
			       { do_##op##2I, do_##op##2C }, \
			       { do_##op##4I, do_##op##4C }, \
			       { do_##op##8I, do_##op##8C } }

SHIFTS(SHL)
SHIFTS(SHR)
SHIFTS(SAR)
SHIFTS(ROL)
SHIFTS(ROR)

/* RI: of b and the constant. */
INLINE enum vm_result multiply(struct vm *vm, struct vm_uop *u, unsigned size, enum exec_form form)
{
	uint64_t a = vm->reg[u->b], b = form == RI ? (uint64_t)u->imm : vm->reg[u->a];

	if (FROM_MEMORY(form) && !load(vm, address(vm, u, form == RX), size, &a))
		return do_any(vm, u);
	a &= mask_of(size);
	b &= mask_of(size);
	keep_flags(vm, VM_LAZY_MUL, size, a, b);
	put(vm, u->a, size, (uint64_t)sign_extend(a, size) * (uint64_t)sign_extend(b, size));
	NEXT(vm, u);
}

READS(IMUL, multiply, 4)
DO(do_IMUL4RI, return multiply(vm, u, 4, RI);)
READS(IMUL, multiply, 8)
DO(do_IMUL8RI, return multiply(vm, u, 8, RI);)

#define PRODUCT(size)                                                                      \
	{                                                                                  \
		do_IMUL##size##RR, do_IMUL##size##RI, do_IMUL##size##RB, do_IMUL##size##RX \
	}

static enum vm_result do_not(struct vm *vm, struct vm_uop *u)
{
	put(vm, u->a, u->d, ~vm->reg[u->a]);
	NEXT(vm, u);
}

static enum vm_result do_neg(struct vm *vm, struct vm_uop *u)
{
	uint64_t a = vm->reg[u->a] & mask_of(u->d);

	keep_flags(vm, VM_LAZY_SUB, u->d, 0, a);
	put(vm, u->a, u->d, -a);
	NEXT(vm, u);
}

DO(do_cdqe, vm->reg[VM_AX] = (uint64_t)sign_extend(vm->reg[VM_AX], 4); NEXT(vm, u);)
DO(do_cdq, vm->reg[VM_DX] = -((uint32_t)vm->reg[VM_AX] >> 31); NEXT(vm, u);)
DO(do_cqo, vm->reg[VM_DX] = -(vm->reg[VM_AX] >> 63); NEXT(vm, u);)

/* ---- the stack, branches ------------------------------------------------------------------------ */

INLINE bool push(struct vm *vm, uint64_t v)
{
	if (!store(vm, vm->reg[VM_SP] - 8, 8, v))
		return false;
	vm->reg[VM_SP] -= 8;
	return true;
}

static enum vm_result do_push(struct vm *vm, struct vm_uop *u)
{
	if (!push(vm, vm->reg[u->a]))
		return do_any(vm, u);
	NEXT(vm, u);
}

static enum vm_result do_push_constant(struct vm *vm, struct vm_uop *u)
{
	if (!push(vm, (uint64_t)u->imm))
		return do_any(vm, u);
	NEXT(vm, u);
}

static enum vm_result do_pop(struct vm *vm, struct vm_uop *u)
{
	uint64_t v;

	if (!load(vm, vm->reg[VM_SP], 8, &v))
		return do_any(vm, u);
	vm->reg[VM_SP] += 8;
	vm->reg[u->a] = v;
	NEXT(vm, u);
}

static enum vm_result do_leave(struct vm *vm, struct vm_uop *u)
{
	uint64_t v;

	if (!load(vm, vm->reg[VM_BP], 8, &v))
		return do_any(vm, u);
	vm->reg[VM_SP] = vm->reg[VM_BP] + 8;
	vm->reg[VM_BP] = v;
	NEXT(vm, u);
}

DO(do_jmp, return branch_to(vm, u, u->disp);)

/* What is behind a call stands in the uop behind it. */
static enum vm_result do_call(struct vm *vm, struct vm_uop *u)
{
	return push(vm, u[1].disp) ? branch_to(vm, u, u->disp) : do_any(vm, u);
}

static enum vm_result do_ret(struct vm *vm, struct vm_uop *u)
{
	uint64_t to;

	if (!load(vm, vm->reg[VM_SP], 8, &to))
		return do_any(vm, u);
	vm->reg[VM_SP] += 8;
	return branch_to(vm, u, to);
}

INLINE enum vm_result branch_at(struct vm *vm, struct vm_uop *u, bool calls, enum exec_form form)
{
	uint64_t to = vm->reg[u->b];

	if (form != RR && !load(vm, address(vm, u, form == RX), 8, &to))
		return do_any(vm, u);
	if (calls && !push(vm, u[1].disp))
		return do_any(vm, u);
	return branch_to(vm, u, to);
}

DO(do_JMPRR, return branch_at(vm, u, false, RR);)
DO(do_JMPRB, return branch_at(vm, u, false, RB);)
DO(do_JMPRX, return branch_at(vm, u, false, RX);)
DO(do_CALLRR, return branch_at(vm, u, true, RR);)
DO(do_CALLRB, return branch_at(vm, u, true, RB);)
DO(do_CALLRX, return branch_at(vm, u, true, RX);)

static enum vm_result do_jcc(struct vm *vm, struct vm_uop *u)
{
	struct val c = condition(vm, u->d);

	if (!c.known)
		return do_any(vm, u);
	if (c.v)
		return branch_to(vm, u, u->disp);
	NEXT(vm, u);
}

/* Behind a comparison of @size bytes in the same block. */
INLINE enum vm_result jcc(struct vm *vm, struct vm_uop *u, unsigned cond, unsigned size)
{
	if (__builtin_expect(vm->lazy != VM_LAZY_SUB && vm->lazy != VM_LAZY_LOGIC, 0))
		return do_jcc(vm, u); /* it was not done here */
	if (compares(cond, vm->lazy_a, vm->lazy_b, 64 - 8 * size))
		return branch_to(vm, u, u->disp);
	NEXT(vm, u);
}

#define JCC(cond, size) DO(do_jcc##cond##_##size, return jcc(vm, u, cond, size);)
#define JCCS(cond)	JCC(cond, 1) JCC(cond, 2) JCC(cond, 4) JCC(cond, 8)
#define JCC_ROW(cond) \
	[cond] = { do_jcc##cond##_1, do_jcc##cond##_2, do_jcc##cond##_4, do_jcc##cond##_8 }

JCCS(2)
JCCS(3)
JCCS(4)
JCCS(5)
JCCS(6)
JCCS(7)
JCCS(8)
JCCS(9)
JCCS(12)
JCCS(13)
JCCS(14)
JCCS(15)

/* ---- all of them --------------------------------------------------------------------------------- */

const struct exec_quick exec_quick = {
	.alu = {
	ROWS(ADD), ROWS(ADC), ROWS(SUB),  ROWS(SBB),	 ROWS(CMP),	ROWS(AND),
	ROWS(OR),  ROWS(XOR), ROWS(TEST), ROWS_ONE(INC), ROWS_ONE(DEC),
},
	.mov = { ROW(MOV, 1), ROW(MOV, 2), ROW(MOV, 4),
						ROW(MOV, 8) },
	.zero = { EXTENDED(ZERO1), EXTENDED(ZERO2) },
	.sign = {
	{ EXTENDED(SIGN14), EXTENDED(SIGN24) },
	{ EXTENDED(SIGN18), EXTENDED(SIGN28), EXTENDED(SIGN48) },
},
	.cmov = { EXTENDED(CMOV4), EXTENDED(CMOV8) },
	.shift = { SHIFTED(SHL), SHIFTED(SHR), SHIFTED(SAR),
					       SHIFTED(ROL), SHIFTED(ROR) },
	.product = { PRODUCT(4), PRODUCT(8) },
	.indirect = { EXTENDED(JMP), EXTENDED(CALL) },
	.jcc_behind = {
	JCC_ROW(2), JCC_ROW(3), JCC_ROW(4),  JCC_ROW(5),  JCC_ROW(6),  JCC_ROW(7),
	JCC_ROW(8), JCC_ROW(9), JCC_ROW(12), JCC_ROW(13), JCC_ROW(14), JCC_ROW(15),
},
	.lea = { { do_leaB4, do_leaX4 }, { do_leaB8, do_leaX8 } },
	.any = do_any,
	.vector = do_vector,
	.end = do_end,
	.nop = do_nop,
	.setcc = do_setcc,
	.not = do_not,
	.neg = do_neg,
	.cdqe = do_cdqe,
	.cdq = do_cdq,
	.cqo = do_cqo,
	.push = do_push,
	.push_constant = do_push_constant,
	.pop = do_pop,
	.leave = do_leave,
	.jmp = do_jmp,
	.call = do_call,
	.ret = do_ret,
	.jcc = do_jcc,
};
