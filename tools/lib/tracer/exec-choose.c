// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which of the functions of exec-quick.c an instruction is, and its operands as that one wants them: registers
 * by number, an address as at most two of these and a constant. It is asked once for each instruction of a block; what has no function of
 * its own, or more operands than there is room for, is executed in general.
 */
#include "exec-quick-int.h"

static unsigned log_of(unsigned size)
{
	return (unsigned)__builtin_ctz(size);
}

/* The operand's address into @u; the form, RB or RX; FORMS: it has more parts than there is room for. */
static enum exec_form choose_address(struct vm_uop *u, const struct vm_insn *in,
				     const struct vm_opd *o)
{
	uint8_t seg = !o->seg ? VM_NO_REG : o->seg == 'f' ? VM_SLOT_FS : VM_SLOT_GS;
	uint8_t part[2] = { o->base, seg };
	unsigned n = 0;

	u->disp = (uint64_t)o->value + (o->rip ? in->addr + in->len : 0);
	u->b = VM_SLOT_ZERO;
	for (unsigned i = 0; i < 2; i++) {
		if (part[i] == VM_NO_REG)
			continue;
		if (n++)
			u->c = part[i], u->d = 0;
		else
			u->b = part[i];
	}
	if (o->index == VM_NO_REG)
		return n == 2 ? RX : RB;
	if (n == 2)
		return FORMS;
	u->c = o->index;
	u->d = (uint8_t)log_of(o->scale);
	return RX;
}

/* Of two operands. */
static enum exec_form choose_form(struct vm_uop *u, const struct vm_insn *in)
{
	const struct vm_opd *to = &in->opd[0], *from = &in->opd[1];
	bool imm = from->kind == VM_OPD_IMM;
	enum exec_form form;

	if (imm) {
		u->imm = (int32_t)from->value;
		if (u->imm != from->value)
			return FORMS;
	}
	if (to->kind == VM_OPD_REG) {
		u->a = to->reg;
		if (imm)
			return RI;
		if (from->kind == VM_OPD_MEM)
			return choose_address(u, in, from);
		u->b = from->reg;
		return from->kind == VM_OPD_REG ? RR : FORMS;
	}
	if (to->kind != VM_OPD_MEM || (!imm && from->kind != VM_OPD_REG))
		return FORMS;
	form = choose_address(u, in, to);
	if (!imm)
		u->a = from->reg;
	return form == FORMS ? form : imm ? (form == RX ? XI : BI) : form == RX ? XR : BR;
}

static exec_quick_fn *choose_alu(struct vm_uop *u, const struct vm_insn *in)
{
	struct vm_insn one = *in;
	enum exec_form form;

	if (in->op == OP_INC || in->op == OP_DEC) {
		one.opd[1] = (struct vm_opd){ .kind = VM_OPD_IMM, .value = 1 };
		form = choose_form(u, &one);
	} else {
		form = in->nr == 2 ? choose_form(u, in) : FORMS;
	}
	return form == FORMS ? NULL : exec_quick.alu[in->op][log_of(in->opd[0].size)][form];
}

static exec_quick_fn *choose_move(struct vm_uop *u, const struct vm_insn *in)
{
	const struct vm_opd *to = &in->opd[0], *from = &in->opd[1];
	unsigned size = to->size;
	enum exec_form form;

	if (in->nr != 2)
		return NULL;
	if (to->kind == VM_OPD_REG && from->kind == VM_OPD_IMM) {
		u->a = to->reg;
		u->disp = (uint64_t)from->value;
		return in->op == OP_MOV ? exec_quick.mov[log_of(size)][RI] : NULL;
	}
	form = choose_form(u, in);
	if (form == FORMS)
		return NULL;
	if (in->op == OP_MOV)
		return exec_quick.mov[log_of(size)][form];
	if (form > RX || size < 4 || from->size >= size)
		return NULL;
	if (in->op == OP_MOVZX)
		return from->size < 4 ? exec_quick.zero[log_of(from->size)][form] : NULL;
	return exec_quick.sign[size == 8][log_of(from->size)][form];
}

static exec_quick_fn *choose_lea(struct vm_uop *u, const struct vm_insn *in)
{
	struct vm_opd o = in->opd[1];
	enum exec_form form;

	o.seg = 0;
	form = choose_address(u, in, &o);
	u->a = in->opd[0].reg;
	if (in->opd[0].size < 4 || form == FORMS)
		return NULL;
	return exec_quick.lea[in->opd[0].size == 8][form == RX];
}

static exec_quick_fn *choose_cmov(struct vm_uop *u, const struct vm_insn *in)
{
	enum exec_form form = in->nr == 2 ? choose_form(u, in) : FORMS;

	u->imm = in->cond;
	return form == FORMS || in->opd[0].size < 4 ? NULL
						    : exec_quick.cmov[in->opd[0].size == 8][form];
}

/* Of a register: by an immediate, by one, or by CL. */
static exec_quick_fn *choose_shift(struct vm_uop *u, const struct vm_insn *in)
{
	bool by_cl = in->nr > 1 && in->opd[1].kind == VM_OPD_REG;

	if (in->opd[0].kind != VM_OPD_REG)
		return NULL;
	u->a = in->opd[0].reg;
	u->imm = in->nr > 1 ? (int32_t)in->opd[1].value : 1;
	return exec_quick.shift[in->op - OP_SHL][log_of(in->opd[0].size)][by_cl];
}

static exec_quick_fn *choose_imul(struct vm_uop *u, const struct vm_insn *in)
{
	enum exec_form form = choose_form(u, in);

	if (in->nr == 3 && (form != RR || in->opd[2].kind != VM_OPD_IMM))
		return NULL;
	if (in->nr == 3) {
		u->imm = (int32_t)in->opd[2].value;
		form = RI;
	} else if (form == RI) {
		return NULL;
	}
	return form == FORMS || in->opd[0].size < 4
		       ? NULL
		       : exec_quick.product[in->opd[0].size == 8][form];
}

static exec_quick_fn *choose_jcc(struct vm_uop *u, const struct vm_insn *in,
				 const struct vm_uop *last)
{
	static const uint8_t compared[] = { OP_SUB, OP_CMP, OP_AND, OP_OR, OP_XOR, OP_TEST };

	u->d = in->cond;
	for (unsigned i = 0; last && i < ARRAY_SIZE(compared); i++)
		for (unsigned size = 0; size < 4; size++)
			for (unsigned form = 0; form < FORMS; form++)
				if (last->run == exec_quick.alu[compared[i]][size][form] &&
				    exec_quick.jcc_behind[in->cond][size])
					return exec_quick.jcc_behind[in->cond][size];
	return exec_quick.jcc;
}

static exec_quick_fn *choose_branch(struct vm_uop *u, const struct vm_insn *in,
				    const struct vm_uop *last)
{
	bool calls = in->op == OP_CALL;
	enum exec_form form = RR;

	if (in->op == OP_RET)
		return in->nr ? NULL : exec_quick.ret;
	if (in->nr != 1)
		return NULL;
	if (in->opd[0].kind == VM_OPD_IMM) {
		u->disp = in->addr + in->len + (uint64_t)in->opd[0].value;
		return in->op == OP_JCC ? choose_jcc(u, in, last)
		       : calls		? exec_quick.call
					: exec_quick.jmp;
	}
	u->b = in->opd[0].reg;
	if (in->opd[0].kind == VM_OPD_MEM)
		form = choose_address(u, in, &in->opd[0]);
	return in->opd[0].size != 8 || form == FORMS || in->op == OP_JCC
		       ? NULL
		       : exec_quick.indirect[calls][form];
}

/* Of one operand, which is a register of 8 bytes. */
static exec_quick_fn *choose_stack(struct vm_uop *u, const struct vm_insn *in)
{
	const struct vm_opd *o = &in->opd[0];

	if (in->nr == 1 && o->kind == VM_OPD_IMM && in->op == OP_PUSH && in->size == 8) {
		u->imm = (int32_t)o->value;
		return exec_quick.push_constant;
	}
	if (in->nr != 1 || o->kind != VM_OPD_REG || o->size != 8)
		return NULL;
	u->a = o->reg;
	return in->op == OP_PUSH ? exec_quick.push : exec_quick.pop;
}

static exec_quick_fn *choose_one(struct vm_uop *u, const struct vm_insn *in, exec_quick_fn *what)
{
	if (in->nr != 1 || in->opd[0].kind != VM_OPD_REG)
		return NULL;
	u->a = in->opd[0].reg;
	u->d = in->opd[0].size;
	if (what == exec_quick.setcc)
		u->imm = in->cond;
	return what;
}

static exec_quick_fn *choose_sign(const struct vm_insn *in)
{
	if (in->op == OP_CBW)
		return in->size == 8 ? exec_quick.cdqe : NULL;
	return in->size == 8 ? exec_quick.cqo : in->size == 4 ? exec_quick.cdq : NULL;
}

static exec_quick_fn *choose(struct vm_uop *u, const struct vm_insn *in, const struct vm_uop *last)
{
	for (unsigned i = 0; i < in->nr; i++)
		if (in->opd[i].high)
			return NULL;
	switch (in->op) {
	case OP_GENERIC: return in->simd.op ? exec_quick.vector : NULL;
	case OP_NOP: return exec_quick.nop;
	case OP_MOV:
	case OP_MOVZX:
	case OP_MOVSX: return choose_move(u, in);
	case OP_ADD ... OP_TEST:
	case OP_INC:
	case OP_DEC: return choose_alu(u, in);
	case OP_LEA: return choose_lea(u, in);
	case OP_CMOV: return choose_cmov(u, in);
	case OP_SETCC: return choose_one(u, in, exec_quick.setcc);
	case OP_NOT: return choose_one(u, in, exec_quick.not );
	case OP_NEG: return choose_one(u, in, exec_quick.neg);
	case OP_SHL ... OP_ROR: return choose_shift(u, in);
	case OP_IMUL2: return choose_imul(u, in);
	case OP_CBW:
	case OP_CWD: return choose_sign(in);
	case OP_PUSH:
	case OP_POP: return choose_stack(u, in);
	case OP_LEAVE: return exec_quick.leave;
	case OP_JCC:
	case OP_JMP:
	case OP_CALL:
	case OP_RET: return choose_branch(u, in, last);
	default: return NULL;
	}
}

void exec_quick_choose(struct vm_uop *u, const struct vm_insn *in, const struct vm_uop *last)
{
	*u = (struct vm_uop){ 0 };
	u->run = choose(u, in, last);
	if (!u->run) {
		*u = (struct vm_uop){ 0 };
		u->run = exec_quick.any;
	}
}

void exec_quick_end(struct vm_uop *u, uint64_t addr, const struct vm_insn *last)
{
	*u = (struct vm_uop){
		.run = exec_quick.end, .a = last->branch, .b = last->len, .disp = addr
	};
}

bool exec_quick_is_end(const struct vm_uop *u)
{
	return u->run == exec_quick.end;
}
