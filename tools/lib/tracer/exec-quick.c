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

static inline uint64_t mask(const struct vm_insn *in, unsigned i)
{
	return UINT64_MAX >> in->at[i].unused;
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
	const unsigned char *p = place(vm, address(vm, in), in->at[i].size, false);
	uint64_t all;

	if (!p)
		return false;
	memcpy(&all, p, 8);
	*v = all & mask(in, i);
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
		*v = (uint64_t)in->value;
	else
		*v = vm->reg[in->at[i].reg] & mask(in, i);
	return true;
}

static inline void put_reg(struct vm *vm, const struct vm_insn *in, uint64_t v)
{
	uint64_t m = mask(in, 0), *r = &vm->reg[in->at[0].reg];

	*r = (in->at[0].size >= 4 ? 0 : *r & ~m) | (v & m);
}

static inline __attribute__((always_inline)) bool move(struct vm *vm, const struct vm_insn *in,
						       enum vm_pair pair, bool sign)
{
	unsigned char *p;
	uint64_t v;

	if (!get(vm, in, 1, pair, &v))
		return false;
	if (sign)
		v = (uint64_t)sign_extend(v, in->at[1].size);
	if (pair < VM_MR) {
		put_reg(vm, in, v);
		return true;
	}
	p = place(vm, address(vm, in), in->at[0].size, true);
	if (p)
		write_at(vm, p, in->at[0].size, v);
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
	case VM_LAZY_SHL:
	case VM_LAZY_SHR:
	case VM_LAZY_SAR:
		(void)exec_shifted(vm, OP_SHL + (vm->lazy - VM_LAZY_SHL), a, (unsigned)b, size);
		break;
	case VM_LAZY_MUL: (void)exec_multiplied(vm, a, b, size); break;
	default: return;
	}
	vm->lazy = VM_LAZY_NOT;
}

static inline struct val condition(struct vm *vm, unsigned cond)
{
	unsigned shift;
	uint64_t a, b;
	bool v;

	if ((vm->lazy != VM_LAZY_SUB && vm->lazy != VM_LAZY_LOGIC) || cond >> 1 == 0 ||
	    cond >> 1 == 5) { /* overflow, parity */
		exec_settle(vm);
		return exec_condition(vm, cond);
	}
	shift = 64 - 8 * vm->lazy_size;
	a = vm->lazy_a << shift;
	b = vm->lazy_b << shift;
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
	unsigned size = in->at[0].size;
	unsigned char *p = NULL;
	uint64_t a, b, r;

	if (!get(vm, in, 1, pair, &b))
		return false;
	if (pair >= VM_MR) {
		p = place(vm, address(vm, in), size, store);
		if (!p)
			return false;
		memcpy(&a, p, 8);
		a &= mask(in, 0);
	} else {
		a = vm->reg[in->at[0].reg] & mask(in, 0);
	}
	b &= mask(in, 0);
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

/* A register, or memory. */
static inline bool value(struct vm *vm, const struct vm_insn *in, unsigned i, uint64_t *v)
{
	if (in->at[i].reg == VM_NO_REG)
		return load(vm, in, i, v);
	*v = vm->reg[in->at[i].reg];
	return true;
}

static inline bool cmov(struct vm *vm, const struct vm_insn *in)
{
	struct val c = condition(vm, in->cond);
	uint64_t v;

	if (!c.known)
		return false;
	/* memory is read whether it is needed or not */
	if (!value(vm, in, 1, &v))
		return false;
	put_reg(vm, in, c.v ? v : vm->reg[in->at[0].reg]);
	return true;
}

/* By an immediate, by one, or by CL; of a register. */
static inline bool shift(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->at[0].size;
	uint64_t a = vm->reg[in->at[0].reg] & mask(in, 0), r;
	uint64_t by = in->at[1].size ? vm->reg[VM_CX] : (uint64_t)in->value;
	unsigned n = by & (size == 8 ? 63 : 31);
	int64_t s = sign_extend(a, size);

	if (!n) { /* flags stay; a 32-bit result still clears the upper half */
		put_reg(vm, in, a);
		return true;
	}
	if (in->quick == VM_QUICK_ROTATE) {
		exec_settle(vm);
		put_reg(vm, in, exec_shifted(vm, in->op, a, n, size));
		return true;
	}
	switch (in->op) {
	case OP_SHL: r = a << n; break;
	case OP_SHR: r = a >> n; break;
	default: r = (uint64_t)(s >> n); break;
	}
	keep_flags(vm, VM_LAZY_SHL + (in->op - OP_SHL), size, a, n);
	put_reg(vm, in, r);
	return true;
}

/* Of registers, or a register and a constant. */
static inline bool multiply(struct vm *vm, const struct vm_insn *in)
{
	unsigned size = in->at[0].size;
	uint64_t a, b = (uint64_t)in->value;

	if (!value(vm, in, 1, &a))
		return false;
	a &= mask(in, 0);
	if (in->nr == 2)
		b = vm->reg[in->at[0].reg];
	b &= mask(in, 0);
	keep_flags(vm, VM_LAZY_MUL, size, a, b);
	put_reg(vm, in, (uint64_t)sign_extend(a, size) * (uint64_t)sign_extend(b, size));
	return true;
}

static inline bool negate(struct vm *vm, const struct vm_insn *in)
{
	uint64_t a = vm->reg[in->at[0].reg] & mask(in, 0);

	keep_flags(vm, VM_LAZY_SUB, in->at[0].size, 0, a);
	put_reg(vm, in, -a);
	return true;
}

static inline bool set_on(struct vm *vm, const struct vm_insn *in)
{
	struct val c = condition(vm, in->cond);

	if (c.known)
		put_reg(vm, in, c.v);
	return c.known;
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

/* VM_UNKNOWN: not done here. Else as vm_step(), but that vm->rip is set by branches alone. */
static inline enum vm_result quick(struct vm *vm, const struct vm_insn *in)
{
	uint64_t next = in->addr + in->len, v;
	bool done = true;
	struct val c;

	switch (in->quick) {
	case VM_QUICK_NOP: break;
	case VM_QUICK_LEA: put_reg(vm, in, address(vm, in)); break;
	case VM_QUICK_PUSH: done = push(vm, vm->reg[in->at[0].reg]); break;
	case VM_QUICK_POP:
		done = pop(vm, &v);
		if (done)
			vm->reg[in->at[0].reg] = v;
		break;
	case VM_QUICK_JCC:
		c = condition(vm, in->cond);
		if (!c.known)
			return VM_UNKNOWN;
		if (!c.v)
			return VM_OK;
		vm->rip = next + (uint64_t)in->value;
		return VM_BRANCH;
	case VM_QUICK_JMP: vm->rip = next + (uint64_t)in->value; return VM_BRANCH;
	case VM_QUICK_CALL:
		if (!push(vm, next))
			return VM_UNKNOWN;
		vm->rip = next + (uint64_t)in->value;
		return VM_BRANCH;
	case VM_QUICK_RET:
		if (!pop(vm, &v))
			return VM_UNKNOWN;
		vm->rip = v;
		return VM_BRANCH;
	case VM_QUICK_JMP_AT:
	case VM_QUICK_CALL_AT:
		if (!value(vm, in, 0, &v) || (in->quick == VM_QUICK_CALL_AT && !push(vm, next)))
			return VM_UNKNOWN;
		vm->rip = v;
		return VM_BRANCH;
	case VM_QUICK_SHIFT:
	case VM_QUICK_ROTATE: done = shift(vm, in); break;
	case VM_QUICK_IMUL: done = multiply(vm, in); break;
	case VM_QUICK_NOT: put_reg(vm, in, ~vm->reg[in->at[0].reg]); break;
	case VM_QUICK_NEG: done = negate(vm, in); break;
	case VM_QUICK_SETCC: done = set_on(vm, in); break;
	case VM_QUICK_VECTOR: done = exec_vector(vm, in) == VM_OK; break;
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
	return done ? VM_OK : VM_UNKNOWN;
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

/* What exec-quick.c reads of operands 0 and 1. */
static void choose_operands(struct vm_insn *in)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct vm_opd *o = &in->opd[i];

		in->at[i].size = o->size;
		in->at[i].unused = (uint8_t)(o->size < 8 ? 64 - 8 * o->size : 0) & 63;
		in->at[i].reg = o->kind == VM_OPD_REG ? o->reg : VM_NO_REG;
		if (i < in->nr && o->kind == VM_OPD_IMM)
			in->value = o->value;
	}
}

static uint8_t choose_branch(const struct vm_insn *in)
{
	bool imm = in->nr == 1 && in->opd[0].kind == VM_OPD_IMM;
	bool at = in->nr == 1 && !imm && in->opd[0].size == 8;

	switch (in->op) {
	case OP_JCC: return imm ? VM_QUICK_JCC : VM_QUICK_NONE;
	case OP_JMP: return imm ? VM_QUICK_JMP : at ? VM_QUICK_JMP_AT : VM_QUICK_NONE;
	case OP_CALL: return imm ? VM_QUICK_CALL : at ? VM_QUICK_CALL_AT : VM_QUICK_NONE;
	default: return in->nr ? VM_QUICK_NONE : VM_QUICK_RET;
	}
}

/* Of a register: the count becomes the immediate, or at[1].size is not 0, and it is in CL. */
static uint8_t choose_shift(struct vm_insn *in)
{
	bool by_cl = in->nr > 1 && in->opd[1].kind == VM_OPD_REG;

	if (in->opd[0].kind != VM_OPD_REG)
		return VM_QUICK_NONE;
	in->at[1].size = by_cl;
	if (in->nr < 2)
		in->value = 1;
	return in->op >= OP_ROL ? VM_QUICK_ROTATE : VM_QUICK_SHIFT;
}

static uint8_t choose_imul(struct vm_insn *in)
{
	if (in->opd[1].kind == VM_OPD_IMM || (in->nr == 3 && in->opd[2].kind != VM_OPD_IMM))
		return VM_QUICK_NONE;
	if (in->nr == 3)
		in->value = in->opd[2].value;
	return VM_QUICK_IMUL;
}

/* Of a register of 8 bytes, or of less. */
static uint8_t choose_one(const struct vm_insn *in, uint8_t quick, unsigned least)
{
	return in->nr == 1 && in->opd[0].kind == VM_OPD_REG && in->opd[0].size >= least
		       ? quick
		       : VM_QUICK_NONE;
}

void vm_choose_quick(struct vm_insn *in)
{
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
	choose_operands(in);
	if (in->op < ARRAY_SIZE(pairs) && pairs[in->op])
		in->quick = with_pair(in, pairs[in->op]);
	switch (in->op) {
	case OP_NOP: in->quick = VM_QUICK_NOP; break;
	case OP_LEA: in->quick = VM_QUICK_LEA; break;
	case OP_CMOV: in->quick = VM_QUICK_CMOV; break;
	case OP_PUSH: in->quick = choose_one(in, VM_QUICK_PUSH, 8); break;
	case OP_POP: in->quick = choose_one(in, VM_QUICK_POP, 8); break;
	case OP_NOT: in->quick = choose_one(in, VM_QUICK_NOT, 1); break;
	case OP_NEG: in->quick = choose_one(in, VM_QUICK_NEG, 1); break;
	case OP_SETCC: in->quick = choose_one(in, VM_QUICK_SETCC, 1); break;
	case OP_SHL ... OP_ROR: in->quick = choose_shift(in); break;
	case OP_IMUL2: in->quick = choose_imul(in); break;
	case OP_JCC:
	case OP_JMP:
	case OP_CALL:
	case OP_RET: in->quick = choose_branch(in); break;
	default: break;
	}
}

/*
 * What came next the last time, if it does again; NULL: vm_fetch() searches. Most often it is the
 * one that was seen next, too: then its place is known without waiting for anything to be loaded.
 */
static inline struct vm_insn *fetch_again(struct vm *vm, struct vm_insn *last, bool taken)
{
	struct vm_insn *in;
	uint32_t hint;

	if (!last)
		return NULL;
	in = last + 1;
	/* only what has been decoded is ever checked */
	if (!taken && in->addr == vm->rip && in->checked == vm->walk)
		return in;
	hint = last->next[taken];
	in = hint ? &vm->insns->insn[hint - 1] : NULL;
	return in && in->addr == vm->rip && in->checked == vm->walk ? in : NULL;
}

/*
 * From *@at on, as long as what comes next was decoded next, too, and short cuts do. Returns how
 * many instructions were executed, @most at most, and vm->last is the last of them; *@r VM_UNKNOWN:
 * it ended before *@at. All registers are known before, and so they are behind it.
 */
static inline uint64_t run_straight(struct vm *vm, struct vm_insn **at, uint64_t most,
				    enum vm_result *r)
{
	struct vm_insn *in = *at, *end = in + min_u64(most, VM_STRAIGHT);
	uint64_t *trace = vm->trace + vm->nr_trace, n, next;
	enum vm_result done;

	do {
		next = in->addr;
		done = quick(vm, in);
		if (done == VM_UNKNOWN)
			break;
		*trace++ = next;
		next += in->len;
		in++;
		/* a store of a vector may have changed code */
	} while (done == VM_OK && in->addr == next && in->checked == vm->walk && in != end);
	n = (uint64_t)(in - *at);
	if (done != VM_BRANCH)
		vm->rip = next;
	if (n) {
		vm->last = in - 1;
		vm->last_taken = done == VM_BRANCH;
	}
	vm->nr_trace = (uint32_t)min_u64(vm->nr_trace + n, VM_TRACE);
	*at = done == VM_UNKNOWN ? in : in - 1;
	*r = done;
	return n;
}

enum vm_result exec_run(struct vm *vm, uint64_t insns, struct vm_insn **last)
{
	uint64_t end = vm->executed + insns;
	struct vm_insn *in = NULL;
	enum vm_result r = VM_OK;

	vm->reg[VM_SLOT_FS] = vm->fs_base;
	vm->reg[VM_SLOT_GS] = vm->gs_base;
	while (vm->executed < end && r == VM_OK) {
		in = fetch_again(vm, vm->last, vm->last_taken);
		if (!in)
			in = vm_fetch(vm, &r);
		if (!in)
			break;
		r = VM_UNKNOWN;
		if (vm->known == 0xffff)
			vm->executed += run_straight(vm, &in, end - vm->executed, &r);
		if (r == VM_UNKNOWN)
			r = vm_step(vm, in);
	}
	*last = in;
	return r;
}
