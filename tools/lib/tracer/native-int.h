/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between native.c, which executes instructions of the program, and what it asks about this CPU. */
#ifndef PERF_TRACER_NATIVE_INT_H
#define PERF_TRACER_NATIVE_INT_H

#include <Zydis/Zydis.h>

#include "base/base.h"

struct native_cpu {
	uint64_t components; /* of XSAVE, that hold vector and x87 registers */
	bool avx;
	bool set[ZYDIS_ISA_SET_MAX_VALUE + 1]; /* what may be executed */
};

/* @xcr0: components that are enabled. False: this CPU is too old for any of it. */
bool native_cpu_read(struct native_cpu *cpu, uint64_t xcr0);
struct vm_insn;
/* exec-vector.c: of an instruction that was just decoded. */
void vm_choose_vector(struct vm_insn *in, const ZydisDecodedInstruction *z,
		      const ZydisDecodedOperand *o);
/* exec-tile.c: likewise, and whatever it was taken for. */
void vm_choose_tile(struct vm_insn *in, const ZydisDecodedInstruction *z,
		    const ZydisDecodedOperand *o);
/* An instruction that the CPU does not know would end this process. */
bool native_cpu_has(const struct native_cpu *cpu, const ZydisDecodedInstruction *z);

#endif
