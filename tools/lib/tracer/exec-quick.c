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

static inline bool get(struct vm *vm, const struct vm_insn *in, const struct vm_opd *o, uint64_t *v)
{
	const unsigned char *p;

	if (o->kind == VM_OPD_REG) {
		*v = vm->reg[o->reg] & mask_of(o->size);
		return true;
	}
	if (o->kind == VM_OPD_IMM) {
		*v = (uint64_t)o->value;
		return true;
	}
	p = place(vm, exec_address(vm, in, o).v, o->size, false);
	if (p)
		*v = read_at(p, o->size);
	return p != NULL;
}

static inline void put_reg(struct vm *vm, const struct vm_opd *o, uint64_t v)
{
	uint64_t m = mask_of(o->size), old = o->size >= 4 ? 0 : vm->reg[o->reg] & ~m;

	vm->reg[o->reg] = old | (v & m);
}

static inline bool move(struct vm *vm, const struct vm_insn *in)
{
	const struct vm_opd *o = &in->opd[0];
	unsigned char *p;
	uint64_t v;

	if (!get(vm, in, &in->opd[1], &v))
		return false;
	if (in->op == OP_MOVSX)
		v = (uint64_t)sign_extend(v, in->opd[1].size);
	if (o->kind == VM_OPD_REG) {
		put_reg(vm, o, v);
		return true;
	}
	p = place(vm, exec_address(vm, in, o).v, o->size, true);
	if (p)
		write_at(vm, p, o->size, v);
	return p != NULL;
}

static inline bool alu(struct vm *vm, const struct vm_insn *in)
{
	const struct vm_opd *o = &in->opd[0];
	bool store = in->op != OP_CMP && in->op != OP_TEST;
	unsigned char *p = NULL;
	uint64_t a, b, r;

	if (!get(vm, in, &in->opd[1], &b))
		return false;
	if (o->kind == VM_OPD_MEM) {
		p = place(vm, exec_address(vm, in, o).v, o->size, store);
		if (!p)
			return false;
		a = read_at(p, o->size);
	} else {
		a = vm->reg[o->reg] & mask_of(o->size);
	}
	b &= mask_of(o->size);
	switch (in->op) {
	case OP_ADD: r = a + b; break;
	case OP_SUB:
	case OP_CMP: r = a - b; break;
	case OP_OR: r = a | b; break;
	case OP_XOR: r = a ^ b; break;
	default: r = a & b; break;
	}
	if (in->op == OP_ADD)
		exec_flags_add(vm, a, b, r, o->size, false);
	else if (in->op == OP_SUB || in->op == OP_CMP)
		exec_flags_sub(vm, a, b, r, o->size, false);
	else
		exec_flags_logic(vm, r, o->size);
	if (store && p)
		write_at(vm, p, o->size, r);
	else if (store)
		put_reg(vm, o, r);
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

/* VM_UNKNOWN: not done here. Else as vm_step(). */
static inline enum vm_result quick(struct vm *vm, const struct vm_insn *in)
{
	uint64_t next = in->addr + in->len, v;
	struct val c;

	switch (in->quick) {
	case VM_QUICK_NOP: break;
	case VM_QUICK_MOVE:
		if (!move(vm, in))
			return VM_UNKNOWN;
		break;
	case VM_QUICK_LEA: put_reg(vm, &in->opd[0], exec_address(vm, in, &in->opd[1]).v); break;
	case VM_QUICK_ALU:
		if (!alu(vm, in))
			return VM_UNKNOWN;
		break;
	case VM_QUICK_PUSH:
		if (!push(vm, vm->reg[in->opd[0].reg]))
			return VM_UNKNOWN;
		break;
	case VM_QUICK_POP:
		if (!pop(vm, &v))
			return VM_UNKNOWN;
		vm->reg[in->opd[0].reg] = v;
		break;
	case VM_QUICK_JCC:
		c = exec_condition(vm, in->cond);
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
	default: return VM_UNKNOWN;
	}
	vm->rip = next;
	return VM_OK;
}

void vm_choose_quick(struct vm_insn *in)
{
	bool imm = in->nr == 1 && in->opd[0].kind == VM_OPD_IMM;
	bool reg = in->nr == 1 && in->opd[0].kind == VM_OPD_REG && in->opd[0].size == 8;

	in->quick = VM_QUICK_NONE;
	for (unsigned i = 0; i < in->nr; i++)
		if (in->opd[i].high || (in->op == OP_LEA && in->opd[i].seg))
			return;
	switch (in->op) {
	case OP_NOP: in->quick = VM_QUICK_NOP; break;
	case OP_MOV:
	case OP_MOVZX:
	case OP_MOVSX: in->quick = VM_QUICK_MOVE; break;
	case OP_LEA: in->quick = VM_QUICK_LEA; break;
	case OP_ADD:
	case OP_SUB:
	case OP_CMP:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_TEST: in->quick = VM_QUICK_ALU; break;
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

	return in && in->addr == vm->rip && in->checked == vm->walk && in->len ? in : NULL;
}

enum vm_result exec_run(struct vm *vm, uint64_t insns, struct vm_insn **last)
{
	uint64_t end = vm->executed + insns;
	enum vm_result r = VM_OK;

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
