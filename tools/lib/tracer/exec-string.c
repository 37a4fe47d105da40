// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter: string instructions, piece by piece as the processor does them, so that
 * overlapping copies come out the same. Backward ones (DF) are left to the thread.
 */
#include "exec-int.h"

#define STRING_MAX (1 << 20)  /* bytes of one rep, where a thread waits for a few branches; */
#define TRACE_MAX  (16 << 20) /* and where it is computed for as long as it runs */
/*
 * What all of a way may take: one rep counts as one instruction, whatever its length, and the thread stands still meanwhile. In
 * pieces, which are steps of at most eight bytes, of all of which the stores are remembered, or so many bytes of many at once.
 */
#define PIECES_MOST   VM_STORED
#define PIECE_AT_ONCE 32
#define AT_ONCE_LEAST 64

static uint64_t longest(const struct vm *vm, const struct vm_insn *in)
{
	return (vm->guesses ? TRACE_MAX : STRING_MAX) / in->size;
}

static bool is_spent(const struct vm *vm)
{
	return !vm->guesses && vm->pieces >= PIECES_MOST;
}

static bool can_touch(struct vm *vm, uint64_t addr, uint64_t n)
{
	while (n) {
		uint64_t part = min_u64(n, VM_PAGE - addr % VM_PAGE);

		if (!vm_page(vm, addr, (unsigned)part))
			return false;
		addr += part;
		n -= part;
	}
	return true;
}

static void advance(struct vm *vm, unsigned reg, uint64_t n)
{
	exec_set_reg(vm, reg, vm->reg[reg] + n, true);
}

/* The value of @size bytes as often as it goes into eight. */
static uint64_t repeated(uint64_t v, unsigned size)
{
	v &= mask_of(size);
	for (; size < 8; size *= 2)
		v |= v << 8 * size;
	return v;
}

/*
 * Of @n bytes that movs or stos, of @v, would take in steps those that lie in one page here and there: how many were done at once.
 * 0: these are few, or some of the page unknown or code. They are remembered as one store, of whatever it was.
 */
static unsigned at_once(struct vm *vm, uint64_t di, uint64_t si, const uint64_t *v, uint64_t n)
{
	unsigned part = (unsigned)min_u64(n, VM_PAGE - di % VM_PAGE);
	struct vm_page *to, *from = NULL;
	unsigned char *at;

	/* nor beyond where what was just written would be read */
	if (!v)
		part = (unsigned)min_u64(part, min_u64(VM_PAGE - si % VM_PAGE, di - si));
	part &= ~7u;
	if (part < AT_ONCE_LEAST)
		return 0;
	to = vm_page(vm, di, part);
	if (!v)
		from = vm_page(vm, si, part);
	if (!to || to->dirty || to->code || (!v && (!from || from->dirty)))
		return 0;
	vm_remember(vm, di, part, 0, false, NULL);
	if (!to->stored)
		vm_note_store(vm, to);
	at = to->data + di % VM_PAGE;
	if (!v)
		memmove(at, from->data + si % VM_PAGE, part);
	for (unsigned i = 0; v && i < part; i += 8)
		memcpy(at + i, v, 8);
	vm->pieces += part / PIECE_AT_ONCE;
	return part;
}

/* movs, stos. The first and the last step are made by themselves: what they store tells rounds of a loop apart. */
static enum vm_result fill(struct vm *vm, const struct vm_insn *in, uint64_t n)
{
	uint64_t si = vm->reg[VM_SI], di = vm->reg[VM_DI], bytes = n * in->size, step, part,
		 again = 8;
	struct val x = exec_get_reg(vm, VM_AX);
	bool movs = in->op == OP_MOVS;

	if (in->rep == 'n' || n > longest(vm, in) || is_spent(vm) || !can_touch(vm, di, bytes) ||
	    (movs && !can_touch(vm, si, bytes)))
		return VM_FOREIGN;
	/* eight bytes at a time, where no byte is read that was written just before */
	step = movs && di - si < 8 ? in->size : 8;
	x.v = repeated(x.v, in->size);
	for (uint64_t i = 0; i < bytes; i += part) {
		part = 0;
		if (i >= again && step == 8 && x.known && bytes - i > 8) {
			part = at_once(vm, di + i, si + i, movs ? NULL : &x.v, bytes - i - 8);
			again = i + AT_ONCE_LEAST;
		}
		if (part)
			continue;
		part = min_u64(step, bytes - i);
		if (movs)
			x.known = vm_load(vm, si + i, (unsigned)part, &x.v) == VM_OK;
		(void)vm_store(vm, di + i, (unsigned)part, x.v, x.known);
		vm->pieces++;
	}
	advance(vm, VM_DI, bytes);
	if (movs)
		advance(vm, VM_SI, bytes);
	return VM_OK;
}

/* One comparison of cmps or scas, its operands @at bytes behind where the registers point. */
static enum vm_result compare(struct vm *vm, const struct vm_insn *in, uint64_t at)
{
	struct val a = exec_get_reg(vm, VM_AX), b = { 0, true };
	enum vm_result r = VM_OK;

	if (in->op == OP_CMPS) {
		r = vm_load(vm, vm->reg[VM_SI] + at, in->size, &a.v);
		a.known = r == VM_OK;
	}
	if (r != VM_NOMEM)
		r = vm_load(vm, vm->reg[VM_DI] + at, in->size, &b.v);
	if (r == VM_NOMEM)
		return VM_FOREIGN;
	if (!a.known || r != VM_OK)
		return VM_UNKNOWN;
	a.v &= mask_of(in->size);
	exec_flags_sub(vm, a.v, b.v, a.v - b.v, in->size, false);
	return VM_OK;
}

/* cmps, scas: as long as rcx and ZF say. *n: how often it was done. */
static enum vm_result scan(struct vm *vm, const struct vm_insn *in, uint64_t *n)
{
	uint32_t flags = vm->flags, known = vm->flags_known;
	uint64_t done = 0;

	while (done < *n) {
		enum vm_result r = done < longest(vm, in) && !is_spent(vm)
					   ? compare(vm, in, done * in->size)
					   : VM_FOREIGN;

		vm->pieces++;
		if (r == VM_UNKNOWN && !in->rep) {
			exec_lose_flags(vm, VM_STATUS);
		} else if (r != VM_OK) { /* as if nothing had been done */
			vm->flags = flags;
			vm->flags_known = known;
			return r;
		}
		done++;
		if (in->rep && !!(vm->flags & VM_ZF) != (in->rep == 'r'))
			break;
	}
	*n = done;
	advance(vm, VM_DI, done * in->size);
	if (in->op == OP_CMPS)
		advance(vm, VM_SI, done * in->size);
	return VM_OK;
}

static enum vm_result load(struct vm *vm, const struct vm_insn *in)
{
	struct vm_opd ax = { .kind = VM_OPD_REG, .reg = VM_AX, .size = in->size };
	struct val x = { 0, true };
	enum vm_result r = in->rep ? VM_FOREIGN : vm_load(vm, vm->reg[VM_SI], in->size, &x.v);

	if (r == VM_NOMEM || r == VM_FOREIGN)
		return VM_FOREIGN;
	x.known = r == VM_OK;
	exec_set_part(vm, &ax, x);
	advance(vm, VM_SI, in->size);
	return VM_OK;
}

/* fs and gs move the source; 67h makes the pointers 32-bit. */
static bool is_odd(const struct vm_insn *in)
{
	for (unsigned i = 0; i < in->len; i++)
		if (in->bytes[i] == 0x64 || in->bytes[i] == 0x65 || in->bytes[i] == 0x67)
			return true;
	return false;
}

enum vm_result exec_string(struct vm *vm, const struct vm_insn *in)
{
	bool si = in->op != OP_STOS && in->op != OP_SCAS, di = in->op != OP_LODS;
	struct val cx = exec_get_reg(vm, VM_CX);
	uint64_t n = in->rep ? cx.v : 1;
	enum vm_result r = VM_OK;

	if ((di && !exec_get_reg(vm, VM_DI).known) || (si && !exec_get_reg(vm, VM_SI).known) ||
	    (in->rep && !cx.known))
		return VM_UNKNOWN;
	if ((vm->flags & VM_DF) || !(vm->flags_known & VM_DF) || is_odd(in))
		return VM_FOREIGN;
	if (in->op == OP_LODS)
		r = load(vm, in);
	else if (in->op == OP_MOVS || in->op == OP_STOS)
		r = fill(vm, in, n);
	else
		r = scan(vm, in, &n);
	if (r == VM_OK && in->rep)
		exec_set_reg(vm, VM_CX, cx.v - n, true);
	return r;
}
