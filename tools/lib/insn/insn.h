/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * insn: one machine instruction: how long it is, whether and where it branches, how wide its
 * vectors are, how it reads. x86 is decoded by Zydis, every other architecture (and the text of
 * all) by capstone; built without a library, or for an architecture that it lacks, insn_new()
 * says so.
 *
 *	struct insn_decoder *d;
 *	struct insn in;
 *
 *	if (insn_new(&d, REGS_ARCH_X86, INSN_64BIT, &err))
 *		...
 *	while (insn_decode(d, code, left, addr, &in) > 0)
 *		...
 *	insn_free(d);
 *
 * A decoder belongs to one thread. Code bytes are not trusted: what does not decode is -EINVAL.
 */
#ifndef PERF_INSN_H
#define PERF_INSN_H

#include "regs/regs.h"

enum insn_branch {
	INSN_NO_BRANCH,
	INSN_COND,
	INSN_JUMP,
	INSN_IND_JUMP,
	INSN_CALL,
	INSN_IND_CALL,
	INSN_RET,
	INSN_SYSCALL, /* and software interrupts */
	INSN_SYSRET,  /* and returns from interrupts */
};

struct insn {
	uint8_t len; /* bytes */
	enum insn_branch branch;
	bool has_target;
	uint64_t target;      /* of a direct branch */
	uint16_t vector_bits; /* widest vector register it names: 128, 256, 512; 0 = none */
	bool opmask;	      /* names an opmask register */
	bool zero_upper;      /* vzeroupper, vzeroall */
	bool has_data;	      /* a memory operand whose address is known without registers */
	uint64_t data;	      /* that address */
	/* Zydis only: the opmask register that selects lanes (0 = none), and of how many. */
	uint8_t mask, lanes;
};

/* A vector register that an x86 instruction names, and what it takes it for. */
struct insn_vector {
	uint8_t reg;	/* 0 to 31 */
	uint8_t lane;	/* enum regs_lane, of what is read and no sum, else of what is written */
	uint16_t width; /* by its name: 128, 256, 512 */
	uint16_t bits;	/* from bit 0 on, that are operand: less where it takes half or a lane */
	bool read, written;
	bool sure; /* it computes with such lanes; a move or a logical operation takes any */
};

#define INSN_VECTORS 4

struct insn_vectors {
	uint8_t nr;
	uint8_t mask; /* opmask register that selects lanes; 0 = none, or the library cannot tell */
	bool memory;  /* a source is in memory */
	bool legacy;  /* an SSE encoding, which leaves the bits above 128 as they are */
	bool stores;  /* writes to memory */
	struct insn_vector v[INSN_VECTORS];
};

/* What an x86-64 instruction does with a register and its function's stack. */
enum insn_stack { INSN_NO_STACK, INSN_SPILL, INSN_RELOAD, INSN_PUSH, INSN_POP };

/* General registers: bit n is number n of the encoding (AX CX DX BX SP BP SI DI, R8 ...), 16 and up are APX's. */
struct insn_general {
	uint32_t named; /* in operands and addresses; not what is implied */
	enum insn_stack stack;
	bool apx; /* in a form that only CPUs with APX have */
	bool call;
};

struct insn_decoder;

/* Of x86; others have one. */
enum insn_syntax {
	INSN_ATT, /* unless told otherwise: as upstream prints it */
	INSN_INTEL,
};

/* How code lies in an object, what its architecture does not tell. */
enum insn_mode {
	INSN_64BIT = 1,
	INSN_BIG_ENDIAN = 2, /* instructions; there are objects whose data alone is */
	INSN_MODES = 4,	     /* so many are told apart */
	INSN_BIG_DATA = 4,   /* literals among them; the decoder does not mind */
};

/* @mode: of enum insn_mode. -ENOTSUP with the library that is missing, or -ENOMEM. */
int insn_new(struct insn_decoder **d, enum regs_arch arch, unsigned mode, struct err *e);
void insn_free(struct insn_decoder *d);

/* The length, or -EINVAL when the bytes are no instruction or are cut. */
int insn_decode(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		struct insn *out);
/*
 * The vector registers that it names, at most INSN_VECTORS; none on other architectures than x86.
 * The length or -EINVAL as above.
 */
int insn_vectors(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		 struct insn_vectors *out);
/*
 * The general registers that it names, and whether it moves one from or to the stack: a move between a whole register
 * and memory at a constant distance of SP or BP. Nothing on other architectures than x86-64, nor where Zydis is not built in:
 * -ENOTSUP. The length or -EINVAL as above.
 */
int insn_general(struct insn_decoder *d, const void *code, size_t size, uint64_t addr,
		 struct insn_general *out);
/* From now on code is of ARM's second instruction set. Nothing on others. */
void insn_set_thumb(struct insn_decoder *d, bool thumb);
/* What insn_text() writes from now on. */
void insn_set_syntax(struct insn_decoder *d, enum insn_syntax syntax);
/*
 * "movq %rsp, %rbp", or "mov rbp, rsp": a blank behind the name and behind commas. The length; -EINVAL as above;
 * -ENOTSUP when no library can print this architecture.
 */
int insn_text(struct insn_decoder *d, const void *code, size_t size, uint64_t addr, char *buf,
	      size_t buf_size);

/* A branch of any kind, taken or not. */
static inline bool insn_is_branch(const struct insn *in)
{
	return in->branch != INSN_NO_BRANCH;
}

#endif
