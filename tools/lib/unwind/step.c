// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One step up the stack: applies a rule to registers; evaluates the expressions some rules hold.
 * Rules and stack come from files, so the expression machine has a stack of fixed size, a limit of
 * steps, and a register that nobody knows makes its result unknown, never 0.
 */
#include "cfi-libdw-int.h"

#if HAVE_LIBDW

#include <dwarf.h>

#define STACK_MAX 64
#define STEPS_MAX 1000 /* expressions may jump backwards */

struct machine_state {
	const struct cfi_regs *r;
	uint64_t cfa;
	unsigned word;
	cfi_mem_fn mem;
	void *ctx;
};

struct stack {
	uint64_t v[STACK_MAX];
	int n;
	bool bad;
};

static void push(struct stack *s, uint64_t v)
{
	if (s->n == STACK_MAX)
		s->bad = true;
	else
		s->v[s->n++] = v;
}

static uint64_t pop(struct stack *s)
{
	if (!s->n) {
		s->bad = true;
		return 0;
	}
	return s->v[--s->n];
}

static uint64_t peek(struct stack *s, uint64_t depth)
{
	if (depth >= (uint64_t)s->n) {
		s->bad = true;
		return 0;
	}
	return s->v[s->n - 1 - (int)depth];
}

static void push_reg(struct stack *s, const struct machine_state *m, uint64_t reg, uint64_t off)
{
	if (reg >= CFI_MAX_REG || !cfi_known(m->r, (unsigned)reg))
		s->bad = true;
	else
		push(s, m->r->v[reg] + off);
}

static void deref(struct stack *s, const struct machine_state *m, unsigned size)
{
	uint64_t v = 0;

	/* The file says any, and who reads memory has room for a word. */
	if ((size != 1 && size != 2 && size != 4 && size != 8) || !m->mem(m->ctx, pop(s), size, &v))
		s->bad = true;
	push(s, v);
}

static bool binary(struct stack *s, uint8_t atom)
{
	uint64_t b = peek(s, 0), a = peek(s, 1), v;

	switch (atom) {
	case DW_OP_and: v = a & b; break;
	case DW_OP_or: v = a | b; break;
	case DW_OP_xor: v = a ^ b; break;
	case DW_OP_plus: v = a + b; break;
	case DW_OP_minus: v = a - b; break;
	case DW_OP_mul: v = a * b; break;
	case DW_OP_shl: v = b < 64 ? a << b : 0; break;
	case DW_OP_shr: v = b < 64 ? a >> b : 0; break;
	case DW_OP_shra: v = (uint64_t)((int64_t)a >> (b < 64 ? b : 63)); break;
	case DW_OP_mod: v = b ? a % b : 0; break;
	case DW_OP_div:
		v = b && !(b == ~0ULL && a == 1ULL << 63) ? (uint64_t)((int64_t)a / (int64_t)b) : 0;
		break;
	case DW_OP_eq: v = a == b; break;
	case DW_OP_ne: v = a != b; break;
	case DW_OP_lt: v = (int64_t)a < (int64_t)b; break;
	case DW_OP_le: v = (int64_t)a <= (int64_t)b; break;
	case DW_OP_gt: v = (int64_t)a > (int64_t)b; break;
	case DW_OP_ge: v = (int64_t)a >= (int64_t)b; break;
	default: return false;
	}
	pop(s);
	pop(s);
	push(s, v);
	return true;
}

static bool shuffle(struct stack *s, const Dwarf_Op *op)
{
	uint64_t a, b, c;

	switch (op->atom) {
	case DW_OP_dup: push(s, peek(s, 0)); return true;
	case DW_OP_over: push(s, peek(s, 1)); return true;
	case DW_OP_pick: push(s, peek(s, op->number)); return true;
	case DW_OP_drop: pop(s); return true;
	case DW_OP_swap:
		a = pop(s), b = pop(s);
		push(s, a), push(s, b);
		return true;
	case DW_OP_rot:
		a = pop(s), b = pop(s), c = pop(s);
		push(s, a), push(s, c), push(s, b);
		return true;
	case DW_OP_neg: push(s, -pop(s)); return true;
	case DW_OP_not: push(s, ~pop(s)); return true;
	case DW_OP_abs:
		a = pop(s);
		push(s, (int64_t)a < 0 ? -a : a);
		return true;
	default: return false;
	}
}

static bool constant(struct stack *s, const struct machine_state *m, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push(s, op->atom - DW_OP_lit0);
		return true;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		push_reg(s, m, op->atom - DW_OP_breg0, op->number);
		return true;
	}
	switch (op->atom) {
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts: push(s, op->number); return true;
	case DW_OP_bregx: push_reg(s, m, op->number, op->number2); return true;
	case DW_OP_call_frame_cfa: push(s, m->cfa); return true;
	case DW_OP_plus_uconst: push(s, pop(s) + op->number); return true;
	case DW_OP_deref: deref(s, m, m->word); return true;
	case DW_OP_deref_size: deref(s, m, (unsigned)op->number); return true;
	case DW_OP_nop:
	case DW_OP_stack_value: return true;
	default: return false;
	}
}

/*
 * Index of the operation that a jump at @i leads to; e->n when there is none. Offsets ascend, but for that of what
 * libdw puts in front, which is -1.
 */
static size_t jump(const struct expr *e, size_t i)
{
	uint64_t target = e->ops[i].offset + 3 + e->ops[i].number;
	size_t from = e->ops[0].offset > e->ops[e->n - 1].offset, end = e->n;

	while (from < end) {
		size_t mid = from + (end - from) / 2;

		if (e->ops[mid].offset < target)
			from = mid + 1;
		else
			end = mid;
	}
	return from < e->n && e->ops[from].offset == target ? from : e->n;
}

/* libdw puts a DW_OP_call_frame_cfa in front where the format starts with the CFA on the stack. */
static bool evaluate(const struct expr *e, const struct machine_state *m, uint64_t *v)
{
	struct stack s = { .n = 0 };
	int steps = 0;

	for (size_t i = 0; i < e->n && !s.bad && steps++ < STEPS_MAX;) {
		const Dwarf_Op *op = &e->ops[i];

		if (op->atom == DW_OP_skip || (op->atom == DW_OP_bra && pop(&s)))
			i = jump(e, i);
		/* binary() last: it wants two values before it looks at what there is to do. */
		else if (op->atom == DW_OP_bra || constant(&s, m, op) || shuffle(&s, op) ||
			 binary(&s, op->atom))
			i++;
		else
			return false;
	}
	*v = pop(&s);
	return !s.bad && steps <= STEPS_MAX;
}

static bool reg_value(const struct cfi *c, const struct cfi_reg *reg, const struct machine_state *m,
		      uint64_t *v)
{
	switch (reg->how) {
	case CFI_AT_CFA: return m->mem(m->ctx, m->cfa + (uint64_t)(int64_t)reg->off, m->word, v);
	case CFI_CFA_PLUS: *v = m->cfa + (uint64_t)(int64_t)reg->off; return true;
	case CFI_REG:
		*v = m->r->v[(unsigned)reg->off % CFI_MAX_REG];
		return cfi_known(m->r, (unsigned)reg->off);
	case CFI_AT_EXPR:
		return evaluate(&c->exprs.v[reg->expr], m, v) && m->mem(m->ctx, *v, m->word, v);
	case CFI_EXPR: return evaluate(&c->exprs.v[reg->expr], m, v);
	default: return false;
	}
}

bool cfi_step(const struct cfi *c, const struct cfi_rule *rule, struct cfi_regs *r, unsigned sp,
	      unsigned word, cfi_mem_fn mem, void *ctx, uint64_t *pc)
{
	struct machine_state m = { .r = r, .word = word, .mem = mem, .ctx = ctx };
	uint64_t v[ARRAY_SIZE(rule->regs)];
	bool ok[ARRAY_SIZE(rule->regs)], have_sp = false;

	if (rule->cfa_expr) {
		if (!evaluate(&c->exprs.v[rule->expr], &m, &m.cfa))
			return false;
	} else {
		if (!cfi_known(r, rule->cfa_reg))
			return false;
		m.cfa = r->v[rule->cfa_reg] + (uint64_t)(int64_t)rule->cfa_off;
	}
	for (unsigned i = 0; i < rule->nr; i++)
		ok[i] = reg_value(c, &rule->regs[i], &m, &v[i]);
	for (unsigned i = 0; i < rule->nr; i++) {
		if (ok[i])
			cfi_set(r, rule->regs[i].reg, v[i]);
		else
			cfi_forget(r, rule->regs[i].reg);
		have_sp |= rule->regs[i].reg == sp && ok[i];
	}
	/* Unless a rule says otherwise the caller's stack pointer is the CFA, on most machines. */
	if (!have_sp && sp < CFI_MAX_REG)
		cfi_set(r, sp, m.cfa);
	if (!cfi_known(r, rule->ra_reg))
		return false;
	*pc = r->v[rule->ra_reg];
	return true;
}

#endif
