/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that instructions of a block are (exec-quick.c), for who chooses among them (exec-choose.c). */
#ifndef PERF_TRACER_EXEC_QUICK_INT_H
#define PERF_TRACER_EXEC_QUICK_INT_H

#include "exec-int.h"

/* Where the operands are. B and X: memory at a register, and with an index. */
enum exec_form { RR, RI, RB, RX, BR, XR, BI, XI, FORMS };

#define EXEC_SIZES 4 /* 1, 2, 4, 8 */

/* NULL: there is none, which is done in general. */
struct exec_quick {
	exec_quick_fn *alu[OP_DEC + 1][EXEC_SIZES][FORMS];
	exec_quick_fn *mov[EXEC_SIZES][FORMS];
	exec_quick_fn *zero[2][FORMS]; /* by the size of what is extended */
	exec_quick_fn
		*sign[2][3][FORMS]; /* by the size of the result, 4 or 8, and of what is extended */
	exec_quick_fn *cmov[2][FORMS];
	exec_quick_fn *shift[OP_ROR - OP_SHL + 1][EXEC_SIZES][2]; /* by a constant, by CL */
	exec_quick_fn *product[2][FORMS];
	exec_quick_fn *indirect[2][FORMS]; /* jumps, calls */
	/* By condition and size, behind a comparison; those of overflow and parity are none. */
	exec_quick_fn *jcc_behind[16][EXEC_SIZES];
	exec_quick_fn *lea[2][2]; /* 4 or 8 bytes; with an index */
	exec_quick_fn *any, *vector, *end, *nop, *setcc, *not, *neg, *cdqe, *cdq, *cqo;
	exec_quick_fn *push, *push_constant, *pop, *leave, *jmp, *call, *ret, *jcc;
};

extern const struct exec_quick exec_quick;

#endif
