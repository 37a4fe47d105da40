// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter's short cut. Nine of ten instructions are moves, additions, comparisons and direct
 * branches on registers that are known and on pages that were touched just before. Here these are done
 * without asking again what can be unknown; whatever is else is left, untouched, to vm_step().
 */
#include "exec-int.h"

/* Eight bytes from the operand's place on can be read; NULL: leave it to vm_step(). */
static inline unsigned char *place(struct vm *vm, uint64_t addr, unsigned size, bool store)
{
	struct vm_page *p = vm_page_near(vm, addr, size);
	unsigned at = addr % VM_PAGE;

	if (!p || at > VM_PAGE - 8 || (store && p->code))
		return NULL;
	if (store) {
		vm->stored = addr;
		vm->stored_size = (uint8_t)size;
		p->stored = true;
	}
	return p->data + at;
}

static inline uint64_t read_at(const unsigned char *p, unsigned size)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v & mask_of(size);
}

static inline void write_at(struct vm *vm, unsigned char *p, unsigned size, uint64_t v)
{
	vm->stored_value = v;
	switch (size) {
	case 1: memcpy(p, &v, 1); break;
	case 2: memcpy(p, &v, 2); break;
	case 4: memcpy(p, &v, 4); break;
	default: memcpy(p, &v, 8); break;
	}
}

static inline uint64_t address(const struct vm *vm, const struct vm_insn *in)
{
	const struct vm_sum *s = &in->sum;

	return (uint64_t)s->value + vm->reg[s->base] + vm->reg[s->index] * s->scale +
	       vm->reg[s->segment];
}

static inline bool load(struct vm *vm, const struct vm_insn *in, unsigned i, uint64_t *v)
{
	const unsigned char *p = place(vm, address(vm, in), in->opd[i].size, false);
	uint64_t all;

	if (!p)
		return false;
	memcpy(&all, p, 8);
	*v = all & in->mask[i];
	return true;
}

/* Of a pair: what is not memory, or, with @i 1, the source. Always inline: the pair is a constant. */
static inline __attribute__((always_inline)) bool get(struct vm *vm, const struct vm_insn *in,
						      unsigned i, enum vm_pair pair, uint64_t *v)
{
	bool is_memory = i ? pair == VM_RM : pair >= VM_MR;

	if (is_memory)
		return load(vm, in, i, v);
	if (i && (pair == VM_RI || pair == VM_MI))
		*v = (uint64_t)in->opd[1].value;
	else
		*v = vm->reg[in->opd[i].reg] & in->mask[i];
	return true;
}

static inline void put_reg(struct vm *vm, const struct vm_insn *in, uint64_t v)
{
	const struct vm_opd *o = &in->opd[0];
	uint64_t m = in->mask[0], old = o->size >= 4 ? 0 : vm->reg[o->reg] & ~m;

	vm->reg[o->reg] = old | (v & m);
}

static inline __attribute__((always_inline)) bool move(struct vm *vm, const struct vm_insn *in,
						       enum vm_pair pair, bool sign)
{
	unsigned char *p;
	uint64_t v;

	if (!get(vm, in, 1, pair, &v))
		return false;
	if (sign)
		v = (uint64_t)sign_extend(v, in->opd[1].size);
	if (pair < VM_MR) {
		put_reg(vm, in, v);
		return true;
	}
	p = place(vm, address(vm, in), in->opd[0].size, true);
	if (p)
		write_at(vm, p, in->opd[0].size, v);
	return p != NULL;
}

/*
 * Most flags are never asked for, and those that are mostly by a condition that is a comparison of the two
 * operands: so these are kept. AND, OR, XOR and TEST set what a comparison of their result with 0 does.
 */
static inline void keep_flags(struct vm *vm, enum vm_lazy kind, unsigned size, uint64_t a,
			      uint64_t b)
{
	vm->lazy = (uint8_t)kind;
	vm->lazy_size = (uint8_t)size;
	vm->lazy_a = a;
	vm->lazy_b = b;
}

void exec_settle(struct vm *vm)
{
	uint64_t a = vm->lazy_a, b = vm->lazy_b;
	unsigned size = vm->lazy_size;

	switch (vm->lazy) {
	case VM_LAZY_SUB: exec_flags_sub(vm, a, b, a - b, size, false); break;
	case VM_LAZY_ADD: exec_flags_add(vm, a, b, a + b, size, false); break;
	case VM_LAZY_LOGIC: exec_flags_logic(vm, a, size); break;
	default: return;
	}
	vm->lazy = VM_LAZY_NOT;
}

static inline struct val condition(struct vm *vm, unsigned cond)
{
	unsigned shift = 64 - 8 * vm->lazy_size;
	uint64_t a = vm->lazy_a << shift, b = vm->lazy_b << shift;
	bool v;

	if ((vm->lazy != VM_LAZY_SUB && vm->lazy != VM_LAZY_LOGIC) || cond >> 1 == 0 ||
	    cond >> 1 == 5) { /* overflow, parity */
		exec_settle(vm);
		return exec_condition(vm, cond);
	}
	switch (cond >> 1) {
	case 1: v = a < b; break;
	case 2: v = a == b; break;
	case 3: v = a <= b; break;
	case 4: v = (int64_t)(a - b) < 0; break;
	case 6: v = (int64_t)a < (int64_t)b; break;
	default: v = (int64_t)a <= (int64_t)b; break;
	}
	return (struct val){ v ^ (cond & 1), true };
}

static inline __attribute__((always_inline)) bool alu(struct vm *vm, const struct vm_insn *in,
						      enum vm_quick op, enum vm_pair pair)
{
	bool store = op != VM_QUICK_CMP && op != VM_QUICK_TEST;
	unsigned size = in->opd[0].size;
	unsigned char *p = NULL;
	uint64_t a, b, r;

	if (!get(vm, in, 1, pair, &b))
		return false;
	if (pair >= VM_MR) {
		p = place(vm, address(vm, in), size, store);
		if (!p)
			return false;
		memcpy(&a, p, 8);
		a &= in->mask[0];
	} else {
		a = vm->reg[in->opd[0].reg] & in->mask[0];
	}
	b &= in->mask[0];
	switch (op) {
	case VM_QUICK_ADD: r = a + b; break;
	case VM_QUICK_SUB:
	case VM_QUICK_CMP: r = a - b; break;
	case VM_QUICK_OR: r = a | b; break;
	case VM_QUICK_XOR: r = a ^ b; break;
	default: r = a & b; break;
	}
	if (op == VM_QUICK_ADD)
		keep_flags(vm, VM_LAZY_ADD, size, a, b);
	else if (op == VM_QUICK_SUB || op == VM_QUICK_CMP)
		keep_flags(vm, VM_LAZY_SUB, size, a, b);
	else
		keep_flags(vm, VM_LAZY_LOGIC, size, r, 0);
	if (store && p)
		write_at(vm, p, size, r);
	else if (store)
		put_reg(vm, in, r);
	return true;
}

static inline bool push(struct vm *vm, uint64_t v)
{
	unsigned char *p = place(vm, vm->reg[VM_SP] - 8, 8, true);

	if (!p)
		return false;
	write_at(vm, p, 8, v);
	vm->reg[VM_SP] -= 8;
	return true;
}

static inline bool pop(struct vm *vm, uint64_t *v)
{
	const unsigned char *p = place(vm, vm->reg[VM_SP], 8, false);

	if (!p)
		return false;
	*v = read_at(p, 8);
	vm->reg[VM_SP] += 8;
	return true;
}

static inline bool cmov(struct vm *vm, const struct vm_insn *in)
{
	struct val c = condition(vm, in->cond);
	uint64_t v;

	if (!c.known)
		return false;
	/* memory is read whether it is needed or not */
	if (in->opd[1].kind == VM_OPD_REG)
		v = vm->reg[in->opd[1].reg];
	else if (!load(vm, in, 1, &v))
		return false;
	put_reg(vm, in, c.v ? v : vm->reg[in->opd[0].reg]);
	return true;
}

/* A label for each pair of operands. */
#define PAIRS(code, what)                             \
	case code + VM_RR: done = what(VM_RR); break; \
	case code + VM_RI: done = what(VM_RI); break; \
	case code + VM_RM: done = what(VM_RM); break; \
	case code + VM_MR: done = what(VM_MR); break; \
	case code + VM_MI:                            \
		done = what(VM_MI);                   \
		break;
#define MOVE(pair)	     move(vm, in, pair, false)
#define SIGNED(pair)	     move(vm, in, pair, true)
#define ALU(op)		     PAIRS(op, op##_)
#define VM_QUICK_ADD_(pair)  alu(vm, in, VM_QUICK_ADD, pair)
#define VM_QUICK_SUB_(pair)  alu(vm, in, VM_QUICK_SUB, pair)
#define VM_QUICK_CMP_(pair)  alu(vm, in, VM_QUICK_CMP, pair)
#define VM_QUICK_AND_(pair)  alu(vm, in, VM_QUICK_AND, pair)
#define VM_QUICK_OR_(pair)   alu(vm, in, VM_QUICK_OR, pair)
#define VM_QUICK_XOR_(pair)  alu(vm, in, VM_QUICK_XOR, pair)
#define VM_QUICK_TEST_(pair) alu(vm, in, VM_QUICK_TEST, pair)

/* VM_UNKNOWN: not done here. Else as vm_step(). */
static inline enum vm_result quick(struct vm *vm, const struct vm_insn *in)
{
	uint64_t next = in->addr + in->len, v;
	bool done = true;
	struct val c;

	switch (in->quick) {
	case VM_QUICK_NOP: break;
	case VM_QUICK_LEA: put_reg(vm, in, address(vm, in)); break;
	case VM_QUICK_PUSH: done = push(vm, vm->reg[in->opd[0].reg]); break;
	case VM_QUICK_POP:
		done = pop(vm, &v);
		if (done)
			vm->reg[in->opd[0].reg] = v;
		break;
	case VM_QUICK_JCC:
		c = condition(vm, in->cond);
		if (!c.known)
			return VM_UNKNOWN;
		vm->rip = next + (c.v ? (uint64_t)in->opd[0].value : 0);
		return c.v ? VM_BRANCH : VM_OK;
	case VM_QUICK_JMP: vm->rip = next + (uint64_t)in->opd[0].value; return VM_BRANCH;
	case VM_QUICK_CALL:
		if (!push(vm, next))
			return VM_UNKNOWN;
		vm->rip = next + (uint64_t)in->opd[0].value;
		return VM_BRANCH;
	case VM_QUICK_RET:
		if (!pop(vm, &v))
			return VM_UNKNOWN;
		vm->rip = v;
		return VM_BRANCH;
	case VM_QUICK_CMOV:
		done = cmov(vm, in);
		break;
		PAIRS(VM_QUICK_MOV, MOVE)
		PAIRS(VM_QUICK_MOVSX, SIGNED)
		ALU(VM_QUICK_ADD)
		ALU(VM_QUICK_SUB)
		ALU(VM_QUICK_CMP)
		ALU(VM_QUICK_AND)
		ALU(VM_QUICK_OR)
		ALU(VM_QUICK_XOR)
		ALU(VM_QUICK_TEST)
	default: return VM_UNKNOWN;
	}
	if (!done)
		return VM_UNKNOWN;
	vm->rip = next;
	return VM_OK;
}

/* Which of the pairs the two operands are. */
static uint8_t with_pair(const struct vm_insn *in, enum vm_quick first)
{
	static const uint8_t pairs[][4] = {
		[VM_OPD_REG] = { [VM_OPD_REG] = VM_RR + 1,
				 [VM_OPD_IMM] = VM_RI + 1,
				 [VM_OPD_MEM] = VM_RM + 1 },
		[VM_OPD_MEM] = { [VM_OPD_REG] = VM_MR + 1, [VM_OPD_IMM] = VM_MI + 1 },
		[VM_OPD_IMM] = { 0 },
	};
	uint8_t pair = in->nr < 2 ? 0 : pairs[in->opd[0].kind][in->opd[1].kind];

	return pair ? (uint8_t)(first + pair - 1) : VM_QUICK_NONE;
}

static void choose_sum(struct vm_insn *in)
{
	struct vm_sum *s = &in->sum;

	for (unsigned i = 0; i < in->nr; i++) {
		const struct vm_opd *o = &in->opd[i];

		if (o->kind != VM_OPD_MEM)
			continue;
		s->value = o->value + (o->rip ? (int64_t)(in->addr + in->len) : 0);
		s->base = o->base == VM_NO_REG ? VM_SLOT_ZERO : o->base;
		s->index = o->index == VM_NO_REG ? VM_SLOT_ZERO : o->index;
		s->scale = o->scale;
		s->segment = !o->seg ? VM_SLOT_ZERO : o->seg == 'f' ? VM_SLOT_FS : VM_SLOT_GS;
	}
}

void vm_choose_quick(struct vm_insn *in)
{
	bool imm = in->nr == 1 && in->opd[0].kind == VM_OPD_IMM;
	bool reg = in->nr == 1 && in->opd[0].kind == VM_OPD_REG && in->opd[0].size == 8;

	static const uint8_t pairs[] = {
		[OP_MOV] = VM_QUICK_MOV,   [OP_MOVZX] = VM_QUICK_MOV, [OP_MOVSX] = VM_QUICK_MOVSX,
		[OP_ADD] = VM_QUICK_ADD,   [OP_SUB] = VM_QUICK_SUB,   [OP_CMP] = VM_QUICK_CMP,
		[OP_AND] = VM_QUICK_AND,   [OP_OR] = VM_QUICK_OR,     [OP_XOR] = VM_QUICK_XOR,
		[OP_TEST] = VM_QUICK_TEST,
	};

	in->quick = VM_QUICK_NONE;
	for (unsigned i = 0; i < in->nr; i++)
		if (in->opd[i].high || (in->op == OP_LEA && in->opd[i].seg))
			return;
	choose_sum(in);
	for (unsigned i = 0; i < 2; i++)
		in->mask[i] = mask_of(in->opd[i].size);
	if (in->op < ARRAY_SIZE(pairs) && pairs[in->op])
		in->quick = with_pair(in, pairs[in->op]);
	switch (in->op) {
	case OP_NOP: in->quick = VM_QUICK_NOP; break;
	case OP_LEA: in->quick = VM_QUICK_LEA; break;
	case OP_CMOV: in->quick = VM_QUICK_CMOV; break;
	case OP_PUSH: in->quick = reg ? VM_QUICK_PUSH : VM_QUICK_NONE; break;
	case OP_POP: in->quick = reg ? VM_QUICK_POP : VM_QUICK_NONE; break;
	case OP_JCC: in->quick = imm ? VM_QUICK_JCC : VM_QUICK_NONE; break;
	case OP_JMP: in->quick = imm ? VM_QUICK_JMP : VM_QUICK_NONE; break;
	case OP_CALL: in->quick = imm ? VM_QUICK_CALL : VM_QUICK_NONE; break;
	case OP_RET: in->quick = in->nr ? VM_QUICK_NONE : VM_QUICK_RET; break;
	default: break;
	}
}

/* What came next the last time, if it does again; NULL: vm_fetch() searches. */
static inline struct vm_insn *fetch_again(struct vm *vm)
{
	uint32_t hint = vm->last ? vm->last->next[vm->last_taken] : 0;
	struct vm_insn *in = hint ? &vm->insns->insn[hint - 1] : NULL;

	/* only what has been decoded is ever checked */
	return in && in->addr == vm->rip && in->checked == vm->walk ? in : NULL;
}

enum vm_result exec_run(struct vm *vm, uint64_t insns, struct vm_insn **last)
{
	uint64_t end = vm->executed + insns;
	enum vm_result r = VM_OK;

	vm->reg[VM_SLOT_FS] = vm->fs_base;
	vm->reg[VM_SLOT_GS] = vm->gs_base;
	while (vm->executed < end) {
		struct vm_insn *in = fetch_again(vm);

		if (!in)
			in = vm_fetch(vm, &r);
		*last = in;
		if (!in)
			return r;
		r = vm->known == 0xffff ? quick(vm, in) : VM_UNKNOWN;
		if (r == VM_UNKNOWN) {
			r = vm_step(vm, in);
		} else {
			vm->executed++;
			vm->last = in;
			vm->last_taken = r == VM_BRANCH;
		}
		if (r != VM_OK)
			return r;
	}
	return VM_OK;
}
