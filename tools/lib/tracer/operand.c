// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter's operands and flags: every value carries whether it is known. A result is known
 * when all that went into it was, so nothing guessed can reach a branch unnoticed.
 */
#include "exec-int.h"

/* ---- operands --------------------------------------------------------------------------------------- */

/* Reads operands 0 and 1 and makes sure that 0 can be written. */
enum vm_result exec_two(struct vm *vm, const struct vm_insn *in, struct val *a, struct val *b,
			bool write)
{
	enum vm_result r = write ? exec_can_put(vm, in, 0) : VM_OK;

	if (r == VM_OK)
		r = exec_get(vm, in, 0, a);
	return r == VM_OK ? exec_get(vm, in, 1, b) : r;
}

/* ---- flags --------------------------------------------------------------------------------------------- */

static const uint16_t cond_needs[8] = { VM_OF, VM_CF, VM_ZF,	     VM_CF | VM_ZF,
					VM_SF, VM_PF, VM_SF | VM_OF, VM_ZF | VM_SF | VM_OF };

/* A jcc's condition, by the low nibble of its opcode. */
bool exec_holds(uint32_t flags, unsigned cond)
{
	bool sf = flags & VM_SF, of = flags & VM_OF, v;

	switch (cond >> 1) {
	case 6: v = sf != of; break;
	case 7: v = (flags & VM_ZF) || sf != of; break;
	default: v = flags & cond_needs[cond >> 1]; break;
	}
	return v ^ (cond & 1);
}

struct val exec_condition(const struct vm *vm, unsigned cond)
{
	uint32_t need = cond_needs[cond >> 1];

	return (struct val){ exec_holds(vm->flags, cond), (vm->flags_known & need) == need };
}
