/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the tracer: a thread's near future, computed. The vm starts from the registers of a stop
 * and interprets integer instructions on copies of the memory pages they touch. What it cannot
 * know (vector instructions, time stamps, ...) it marks unknown and goes on; only where an
 * unknown value decides a branch or an address must the thread itself run to that place.
 *
 * Memory, caches and bookkeeping (memory.c, run.c) are the same for every instruction set; what an
 * instruction is and does is a struct vm_machine. Here are also the operands of x86's.
 */
#ifndef PERF_TRACER_VM_INT_H
#define PERF_TRACER_VM_INT_H

#include <sys/user.h>

#include "base/base.h"
#include "base/tables.h"
#include "xsave/xsave.h"

enum vm_reg {
	VM_AX,
	VM_CX,
	VM_DX,
	VM_BX,
	VM_SP,
	VM_BP,
	VM_SI,
	VM_DI,
	VM_R8,
	VM_R11 = 11,
	VM_R15 = 15,
	VM_REGS
};

#define VM_NO_REG 0xff

enum vm_flag {
	VM_CF = 1 << 0,
	VM_PF = 1 << 2,
	VM_AF = 1 << 4,
	VM_ZF = 1 << 6,
	VM_SF = 1 << 7,
	VM_DF = 1 << 10,
	VM_OF = 1 << 11,
	VM_STATUS = VM_CF | VM_PF | VM_AF | VM_ZF | VM_SF | VM_OF,
};

enum vm_opd_kind { VM_OPD_NONE, VM_OPD_REG, VM_OPD_MEM, VM_OPD_IMM };

struct vm_opd {
	uint8_t kind;
	uint8_t size;		    /* bytes: 1, 2, 4, 8; larger: not a value of ours */
	uint8_t reg;		    /* VM_OPD_REG */
	uint8_t base, index, scale; /* VM_OPD_MEM; VM_NO_REG = none */
	uint8_t seg;		    /* 0, 'f', 'g' */
	bool high : 1;		    /* ah, ch, dh, bh */
	bool rip : 1;
	bool written : 1;
	int64_t value; /* displacement or immediate */
};

struct vm_insn;
struct vm;

#define VM_SLOT_FS   29 /* in vm->reg, behind x86's registers */
#define VM_SLOT_GS   30
#define VM_SLOT_ZERO 31

/*
 * How exec-quick.c keeps status flags that nobody has asked for yet: as the operands of what sets
 * them.
 */
enum vm_lazy {
	VM_LAZY_NOT,
	VM_LAZY_SUB,
	VM_LAZY_LOGIC,
	VM_LAZY_ADD,
	VM_LAZY_SBB,
	VM_LAZY_ADC,
	VM_LAZY_INC,
	VM_LAZY_DEC,
	VM_LAZY_SHL,
	VM_LAZY_SHR,
	VM_LAZY_SAR,
	VM_LAZY_ROL, /* CF and OF only: the others as vm->under has them */
	VM_LAZY_ROR,
	VM_LAZY_MUL
};

enum vm_result {
	VM_OK,	    /* done, vm->rip is the next instruction's */
	VM_BRANCH,  /* done, and it was a taken branch to vm->rip */
	VM_UNKNOWN, /* needs a value that is unknown: nothing was changed */
	VM_FOREIGN, /* only the thread itself can run it (then goes to the next instruction) */
	VM_SYSCALL, /* enters the kernel */
	VM_FAULT,   /* would raise an exception, or nobody knows */
	VM_NOMEM,   /* code or data that cannot be read, or too many pages */
};

/* What exec-vector.c does: operands are vector registers, or VM_NO_REG and opd[at]. */
struct vm_vector {
	uint8_t op; /* 0 = not there */
	uint8_t nr, size;
	bool vex; /* the rest of the register becomes zero */
	struct {
		uint8_t reg, at;
	} opd[3];
	uint16_t needs; /* components of XSAVE, one of them */
};

struct vm_insn {
	uint64_t addr;
	uint32_t checked; /* the vm->walk in which the bytes were last compared */
	uint32_t next[2]; /* what came behind it, not taken and taken: index + 1 */
	uint8_t op;	  /* enum vm_op */
	uint8_t cond;	  /* condition of jcc, setcc, cmovcc: the opcode's low nibble */
	uint8_t size;	  /* operand size in bytes */
	uint8_t rep;	  /* 0, 'r' (rep, repe), 'n' (repne) */
	uint8_t branch;	  /* enum of perf branch types; 0 = none */
	uint8_t nr;
	uint8_t len;
	unsigned char bytes[15];
	uint16_t regs_written; /* for what is not interpreted */
	uint16_t flags_written;
	uint16_t native; /* native.c: 0 = not looked at yet */
	struct vm_opd opd[4];
	struct vm_vector simd; /* of OP_TILE: exec-tile.c's operation and tiles */
	bool vector; /* has to do with vector registers, or the CPU computes it (native.c) */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct vm_insn) == 128, "two lines of the cache");

#define VM_PAGE	       4096
#define VM_BLOCK       512
#define VM_PAGE_BLOCKS (VM_PAGE / VM_BLOCK)
#define VM_TRACE       32768 /* instructions that are remembered since the last stop */
#define VM_STRAIGHT    32 /* instructions of a block; and room behind those, written and not read */
#define VM_PAGES       8192
#define VM_NEAR	       1024 /* pages that are found without a search */
#define VM_XSAVE       8192 /* without AMX */

struct vm_page {
	uint64_t addr;
	bool dirty;    /* has unknown bytes */
	bool stale;    /* to be read again */
	uint8_t have;  /* bit n: block n of data was read, */
	uint8_t late;  /* and that when vm->late */
	bool code;     /* instructions came from here */
	bool used;     /* since the walk began, not only read beforehand */
	bool stored;   /* what is here, the thread has yet to write */
	bool clock;    /* the kernel's, see vvar.c: it cannot be read in the thread */
	uint8_t asked; /* how often it was used while parts of it were missing */
	uint16_t slot; /* in page_at */
	unsigned char data[VM_PAGE];
	unsigned char unknown[VM_PAGE / 8];
};

/*
 * Where a page is that was used just before, by its number. @load: the page's address where all of it
 * is there and known, so that one comparison says so; @store: where a store is nothing but a store, too. @to: what
 * leads from an address to its byte here.
 */
struct vm_near {
	uint64_t load, store; /* VM_NOWHERE: ask vm_load(), vm_store() */
	uint64_t to;
	struct vm_page *page;
};

#define VM_NOWHERE 1

/*
 * A store, as it was computed: what it put there, and what was there before. Both tell where a thread stands whose registers
 * are those of many rounds of a loop.
 */
struct vm_stored {
	uint64_t addr, value, before;
	uint32_t size;
	bool known; /* value is, of at most 8 bytes */
	bool had;   /* before is */
};

#define VM_STORED (1 << 18) /* that are remembered */

#define VM_INSNS      (1 << 18)
#define VM_INSNS_FULL (VM_INSNS - (1 << 14)) /* then the next walk starts anew */

/*
 * In the order in which they were first seen, so that a loop's lie together. The bytes are compared
 * once in every walk, and again when they may have changed within it.
 */
struct vm_insns {
	uint32_t nr, there; /* memory for so many */
	uint32_t changes;   /* bytes that were other ones than before */
	struct htab at;	    /* by address */
	struct vm_insn insn[VM_INSNS];
};

/* What XSAVE put into memory, and out of what: exec-system.c. */
struct vm_saved {
	uint64_t addr, mask;
	uint32_t size; /* 0 = none */
	uint32_t vec_known;
	uint8_t mask_known;
	bool x87_known;
	bool known; /* the bytes in memory are: those that are the same in both of */
	unsigned char image[2][VM_XSAVE] __attribute__((aligned(64)));
	unsigned char xsave[VM_XSAVE];
};

#define VM_SAVED 4

struct vm_branch {
	uint64_t from, to;
	uint8_t type; /* enum of perf branch types */
};

#define VM_PASSED 64

/* AMX: exec-tile.c. */
#define VM_TILES 8
struct vm_tiles {
	bool read; /* the rest is filled */
	bool config_known;
	uint8_t known; /* bit n: data[n] */
	unsigned char config[64];
	unsigned char data[VM_TILES][1024];
};

/*
 * What time the vm says it is, where it is asked: without, nobody knows. In quarters of a cycle: @from, and so much more with each
 * instruction. Not begun: it begins with the time of now, which no page of the kernel's clocks that was read is behind.
 */
struct vm_clock {
	bool known, begun;
	uint64_t from;
	uint32_t per_insn; /* 0: time stamps are those of now */
	uint32_t asked;
};

#define VM_CLOCK_FAST 1 /* as much as code of four instructions a cycle takes */

/* Where the kernel's clocks are mapped in this process, and how far from there in the thread's: vvar.c. */
struct vm_vvar {
	bool looked;
	unsigned nr;
	struct {
		uint64_t start, end;
	} map[2];
	pid_t tid;
	uint64_t epoch; /* as mem_epoch */
	bool same;	/* its time is ours, too */
	uint64_t apart;
};

#define VM_AHEAD_MAX 128

/* Pages that are read together. */
struct vm_ahead {
	unsigned n;
	struct {
		uint64_t addr;
		uint8_t have; /* of vm_page */
	} page[VM_AHEAD_MAX];
};

/* An instruction set. */
struct vm_machine {
	uint8_t insn_max; /* bytes */
	/* False when the bytes are no instruction. */
	bool (*decode)(struct vm_insn *in, const unsigned char *bytes, size_t n);
	/* As vm_step(), which does what is the same for all. */
	enum vm_result (*execute)(struct vm *vm, struct vm_insn *in);
	/* vm_run() with short cuts; NULL: there are none. */
	enum vm_result (*run)(struct vm *vm, uint64_t insns, struct vm_insn **last);
	/* What it keeps beside decoded instructions; NULL: nothing. */
	void (*made)(struct vm *vm);
	void (*freed)(struct vm *vm);
	void (*forgot)(struct vm *vm);
	bool (*full)(const struct vm *vm);
	void (*room)(struct vm *vm); /* vm_room_ahead() */
};

extern const struct vm_machine vm_x86, vm_a64;

/* The one that is traced here: how many registers there are, which they are. */
#if defined(__aarch64__)
#define VM_HOST	       (&vm_a64)
#define VM_HOST_REGS   32
#define VM_HOST_ALL    0xffffffffu
#define VM_HOST_SP     31
#define VM_HOST_SIGNED 30
#define VM_HOST_NOP    "\x1f\x20\x03\xd5"
#else
#define VM_HOST	       (&vm_x86)
#define VM_HOST_REGS   VM_REGS
#define VM_HOST_ALL    0xffff
#define VM_HOST_SP     VM_SP
#define VM_HOST_SIGNED VM_REGS /* no register */
#define VM_HOST_NOP    "\x90"
#endif
#define VM_REGS_MOST 32

struct vm {
	const struct vm_machine *machine;
	pid_t tid;
	int mem_fd; /* /proc/mem_tid/mem; -1 = not open */
	pid_t mem_tid;
	uint64_t mem_epoch;    /* the epoch in which it was opened */
	unsigned single_reads; /* of pages in this walk */
	bool late; /* the thread has gone on: what is read now may be of later; until the next walk */
	/*
	 * Set by the caller before a walk begins: as long as it is the same, a number of a thread
	 * is that of the same thread, and it has not executed another program. 0: nobody knows.
	 */
	uint64_t epoch;
	uint64_t reg[VM_REGS_MOST];
	uint32_t known;		     /* bit n: reg[n] */
	uint32_t flags, flags_known; /* where lazy is VM_LAZY_NOT; else exec_settle() */
	uint8_t lazy, lazy_size;     /* enum vm_lazy; bytes of */
	uint8_t lazy_carry;	     /* what CF was before */
	uint64_t lazy_a;
	uint64_t rip; /* here, as compilers would join the stores of both into a slower one */
	uint64_t lazy_b, fs_base, gs_base;
	struct {
		uint64_t a, b;
		uint8_t kind, size, carry;
	} under;       /* the lazy flags before a rotation */
	uint32_t walk; /* another one whenever code may have changed */
	uint32_t nr_trace;
	uint64_t executed;	  /* instructions interpreted */
	struct vm_stored *stored; /* a ring of VM_STORED; NULL: nobody will ask */
	uint32_t nr_stored;	  /* all that there were: the newest is the one before */
	uint32_t stored_there;	  /* memory for so many */
	uint32_t pieces;	  /* of string instructions on this way: exec-string.c */
	uint64_t foreign;	  /* of these since the last stop: passed over, effects unknown */
	struct xsave_cpu cpu;	  /* xcr0 0: without XSAVE */
	struct vm_insns *insns;
	struct vm_natives *natives; /* NULL = none */
	/* exec-blocks.c */
	struct vm_blocks *blocks; /* NULL = none */
	struct vm_block *block;	  /* being executed; */
	struct vm_uop *at;	  /* where in it that ended, */
	struct vm_uop *from;	  /* if that leads to another one; NULL: it does not */
	uint64_t left;		  /* instructions that may be executed behind it */
	uint32_t past, nr_passed; /* vm_run_past() */
	struct vm_branch passed[VM_PASSED];
	uint32_t counted;   /* its instructions in trace */
	bool uncounted;	    /* nobody will ask vm_visits() */
	uint32_t vec_known; /* bit n: vector register n, in full */
	uint8_t mask_known;
	bool x87_known;
	bool exact;	   /* nothing may become unknown: what would make it so is FOREIGN */
	bool vectors_read; /* xsave is filled */
	/* Standard form; for AArch64 the registers V0 to V31, 16 bytes each. */
	unsigned char xsave[VM_XSAVE] __attribute__((aligned(64)));
	struct vm_saved saved[VM_SAVED];
	unsigned next_saved;
	struct vm_tiles tiles;
	/* Of AArch64 (a64*.c); fs_base is TPIDR_EL0. */
	bool (*read_vectors)(struct vm *vm); /* fills xsave; NULL: cannot be had */
	uint64_t monitor;		     /* address of exclusive accesses */
	uint8_t monitor_size;		     /* 0: open */
	uint32_t zva;			     /* bytes that DC ZVA clears; 0 = unknown */
	uint64_t pac_mask; /* bits of an address that a signature takes; 0 = none are made */
	bool guesses;	   /* the CPU's number is one of those that there are */
	struct vm_clock clock;
	bool guessed;	      /* the time, or that number, was asked for */
	struct vm_insn *last; /* executed just before; NULL = nothing since the last stop */
	bool last_taken;
	/* Memory is taken from this one as far as that has read it and stored nothing there; NULL: from the thread only. */
	const struct vm *like;
	struct vm_vvar vvar;
	struct vm_near near[VM_NEAR]; /* by page number */
	uint32_t nr_pages;
	uint32_t ahead;	      /* pages that are read together when a walk begins, at most */
	struct vm_ahead kept; /* for the next walk, while vm_look() has the pages */
	bool keep_pages; /* at the next stop: only the thread writes, and only what was computed */
	uint16_t page_at[2 * VM_PAGES];		/* by hash of the address: index + 1 into page */
	uint64_t trace[VM_TRACE + VM_STRAIGHT]; /* what was executed since the last stop */
	struct vm_page *page;			/* VM_PAGES, memory for pages_there of them */
	uint32_t pages_there;
};

/* A return address without its signature, which is not computed. */
static inline uint64_t vm_unsigned(const struct vm *vm, uint64_t v)
{
	return v >> 55 & 1 ? v | vm->pac_mask : v & ~vm->pac_mask;
}

int vm_new(struct vm **vm, const struct vm_machine *machine);
void vm_free(struct vm *vm);
/*
 * A walk begins with the thread standing at @r; after a later stop: the same walk goes on. @exact
 * and @uncounted are set before.
 */
void vm_begin(struct vm *vm, pid_t tid, const struct user_regs_struct *r);
/*
 * As vm_begin(), for a short look: few pages will be needed, and what the next walk needs is what
 * the last one did.
 */
void vm_look(struct vm *vm, pid_t tid, const struct user_regs_struct *r);
/* The first half of vm_begin(): the caller sets the registers. */
void vm_begin_bare(struct vm *vm, pid_t tid);
void vm_sync(struct vm *vm, const struct user_regs_struct *r);
/* Whether what is known agrees with the thread. */
bool vm_agrees(struct vm *vm, const struct user_regs_struct *r);
/* Puts what is known over @r; false when a general register is not. */
bool vm_registers(struct vm *vm, struct user_regs_struct *r);
/* The instruction at vm->rip; NULL with *why = VM_NOMEM or VM_FAULT. */
struct vm_insn *vm_fetch(struct vm *vm, enum vm_result *why);
enum vm_result vm_step(struct vm *vm, struct vm_insn *in);
/*
 * To the next taken branch, VM_BRANCH, but no more than @insns instructions; or why it went no
 * further. *in: the last one, where it is known.
 */
enum vm_result vm_run(struct vm *vm, uint64_t insns, struct vm_insn **in);
/*
 * Likewise, but past @past taken branches, or fewer: they are in vm->passed, vm->nr_passed of them, without the one
 * of VM_BRANCH. @insns: of all.
 */
enum vm_result vm_run_past(struct vm *vm, uint64_t insns, uint32_t past, struct vm_insn **in);
/*
 * Where a walk goes on for long: what can be read or decoded again is dropped, as far as there is no
 * room for more. False: that was not why it ended.
 */
bool vm_make_room(struct vm *vm);
/* How often @addr was executed since the last stop. */
uint32_t vm_visits(const struct vm *vm, uint64_t addr);

/* ---- between the files of the vm ------------------------------------------------------------------ */

enum vm_op {
	OP_GENERIC, /* not interpreted: what it writes becomes unknown */
	OP_NOP,
	OP_MOV,
	OP_MOVZX,
	OP_MOVSX,
	OP_LEA,
	OP_ADD,
	OP_ADC,
	OP_SUB,
	OP_SBB,
	OP_CMP,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_TEST,
	OP_NOT,
	OP_NEG,
	OP_INC,
	OP_DEC,
	OP_SHL,
	OP_SHR,
	OP_SAR,
	OP_ROL,
	OP_ROR,
	OP_RCL,
	OP_RCR,
	OP_SHLD,
	OP_SHRD,
	OP_IMUL,
	OP_IMUL2,
	OP_MUL,
	OP_DIV,
	OP_IDIV,
	OP_CBW,
	OP_CWD,
	OP_PUSH,
	OP_POP,
	OP_LEAVE,
	OP_CALL,
	OP_RET,
	OP_JMP,
	OP_JCC,
	OP_JCXZ,
	OP_LOOP,
	OP_SETCC,
	OP_CMOV,
	OP_XCHG,
	OP_XADD,
	OP_CMPXCHG,
	OP_BSWAP,
	OP_MOVBE,
	OP_BSF,
	OP_BSR,
	OP_TZCNT,
	OP_LZCNT,
	OP_POPCNT,
	OP_BT,
	OP_BTS,
	OP_BTR,
	OP_BTC,
	OP_ANDN,
	OP_BLSR,
	OP_BLSI,
	OP_BLSMSK,
	OP_RORX,
	OP_SHLX,
	OP_SHRX,
	OP_SARX,
	OP_BZHI,
	OP_MULX,
	OP_MOVS,
	OP_STOS,
	OP_CMPS,
	OP_SCAS,
	OP_LODS,
	OP_CLD,
	OP_STD,
	OP_CLC,
	OP_STC,
	OP_CMC,
	OP_LAHF,
	OP_SAHF,
	OP_PUSHF,
	OP_POPF,
	OP_CPUID,
	OP_XGETBV,
	OP_RDTSC,
	OP_RDTSCP,
	OP_XSAVE,
	OP_XSAVEC,
	OP_XRSTOR,
	OP_TILE,
	OP_SYSCALL,
	OP_FAULT,
};

/*
 * decode.c: one of x86-64, into what is all 0 but address and bytes; false when the bytes are none,
 * or there is no decoder. By tables, where these have it, or by the library.
 */
bool vm_decode(struct vm_insn *in, const unsigned char *bytes, size_t n);
bool vm_decode_library(struct vm_insn *in, const unsigned char *bytes, size_t n);
/* decode-plain.c: false also when it is not in the tables; then @in is anything. */
bool vm_decode_plain(struct vm_insn *in, const unsigned char *bytes, size_t n);

/* Whether the decoder of VM_HOST was built. */
static inline bool vm_host_decodes(void)
{
	struct vm_insn in = { 0 };

	return VM_HOST->decode(&in, (const unsigned char *)VM_HOST_NOP, sizeof(VM_HOST_NOP) - 1);
}

/* exec.c, exec-quick.c and exec-blocks.c, for vm_x86 */
enum vm_result exec_insn(struct vm *vm, struct vm_insn *in);
/* Status flags that were kept as operands are computed. */
void exec_settle(struct vm *vm);
enum vm_result exec_run(struct vm *vm, uint64_t insns, struct vm_insn **last);

/* host-*.c: all registers are those of @r. */
void vm_take_registers(struct vm *vm, const struct user_regs_struct *r);

/*
 * native.c: VM_FOREIGN when it cannot be executed here, otherwise VM_OK, or as vm_step() when it
 * would store to an unknown place.
 */
enum vm_result vm_native(struct vm *vm, struct vm_insn *in);
void vm_natives_new(struct vm *vm);
/* Fills xsave, where it is not; false: it cannot be had. */
bool vm_vectors(struct vm *vm);
/*
 * native-state.c: XSAVE and XRSTOR on the vm's registers, all of which are known; @image: 64-byte aligned, VM_XSAVE
 * bytes. False: not here, or not with these components or this image.
 */
bool vm_state_save(struct vm *vm, uint64_t mask, bool compacted, unsigned char *image);
bool vm_state_load(struct vm *vm, uint64_t mask, unsigned char *image);
/* The components of xsave that are filled. */
uint64_t vm_natives_components(const struct vm *vm);
bool vm_natives_full(const struct vm *vm);
void vm_natives_reset(struct vm *vm);
void vm_natives_free(struct vm *vm);

/* vvar.c: the page at @addr of the thread, if it is the kernel's clocks, as it is now. */
bool vm_read_vvar(struct vm *vm, uint64_t addr, void *to);

/*
 * warm.c: reads again what the walk has used of the thread's memory, so that it lies in the caches
 * of this CPU, where the thread runs next.
 */
void vm_warm(const struct vm *vm);

/* memory.c */
/* The page of @addr, of which @n bytes from there, all in this page, can be used. */
struct vm_page *vm_page(struct vm *vm, uint64_t addr, unsigned n);
/* Whether what is known of @addr was read when the thread had gone on. */
bool vm_was_late(const struct vm *vm, uint64_t addr);
enum vm_result vm_load_slow(struct vm *vm, uint64_t addr, unsigned n, uint64_t *v);
enum vm_result vm_store_slow(struct vm *vm, uint64_t addr, unsigned n, uint64_t v, bool known);
/* Memory as the walk left it: how many of @n bytes are known from @addr on. */
size_t vm_copy(struct vm *vm, uint64_t addr, void *buf, size_t n);
/* Whether all of @n bytes are unknown. */
bool vm_is_unknown(struct vm *vm, uint64_t addr, unsigned n);
enum vm_result vm_probe_slow(struct vm *vm, uint64_t addr, unsigned n);

/* What is said of @p in vm->near is so again. */
void vm_near_set(struct vm *vm, struct vm_page *p);
void vm_note_store(struct vm *vm, struct vm_page *p);
/* Instructions come from it: stores there are looked at. */
void vm_note_code(struct vm *vm, struct vm_page *p);
/* What is missing of the page of @addr is read if it is used often. */
void vm_complete(struct vm *vm, uint64_t addr);
/*
 * All zero; NULL = no memory. What lies in there is used from its beginning on. Not in large pages: to clear one may take longer
 * than a walk (5 ms, in a virtual machine whose host gives its memory by the page), and a thread would stand still meanwhile.
 */
void *vm_big_new(size_t size);
void vm_big_free(void *p, size_t size);
/*
 * Memory for what the next walk may meet for the first time, made while the thread runs and not while it waits for the walk.
 * Where there is none the walk asks for it by itself.
 */
void vm_room_ahead(struct vm *vm);
#define VM_ROOM	   8192	     /* instructions that are new to a walk of cold code */
#define VM_TOUCHED (1 << 16) /* bytes */
/*
 * Of the @most things of @size bytes at @p *there are there already; now @n are wanted. More are made at a time, for that takes less
 * than a fault for each page.
 */
void vm_big_touch(void *p, size_t size, uint32_t most, uint32_t n, uint32_t *there);

/* The page of @n <= 512 bytes that were read before and are all known; NULL: perhaps the slow way. */
static inline struct vm_page *vm_page_near(const struct vm *vm, uint64_t addr, unsigned n)
{
	struct vm_page *p = vm->near[addr / VM_PAGE % VM_NEAR].page;
	unsigned at = addr % VM_PAGE;

	if (!p || p->addr != addr - at || at + n > VM_PAGE || p->dirty || p->stale ||
	    !(p->have >> at / VM_BLOCK & p->have >> (at + n - 1) / VM_BLOCK & 1))
		return NULL;
	return p;
}

/* @n <= 8 bytes. VM_UNKNOWN when one of them is. */
static inline enum vm_result vm_load(struct vm *vm, uint64_t addr, unsigned n, uint64_t *v)
{
	const struct vm_page *p = vm_page_near(vm, addr, n);
	unsigned at = addr % VM_PAGE;

	if (!p || at > VM_PAGE - 8)
		return vm_load_slow(vm, addr, n, v);
	memcpy(v, p->data + at, 8);
	if (n < 8)
		*v &= BIT(8 * n) - 1;
	return VM_OK;
}

/* What is stored, for who has called vm_keep_stored(). @to: where, in a vm_page, if what is there now is known. */
static inline void vm_remember(struct vm *vm, uint64_t addr, unsigned n, uint64_t v, bool known,
			       const unsigned char *to)
{
	struct vm_stored *s;

	if (!vm->stored)
		return;
	s = &vm->stored[vm->nr_stored++ % VM_STORED];
	*s = (struct vm_stored){ .addr = addr, .value = v, .size = n, .known = known, .had = to };
	if (to)
		memcpy(&s->before, to,
		       8); /* also at the end of a page's data: there is more of the page behind */
}

/* @known false: the bytes become unknown. @n any. */
static inline enum vm_result vm_store(struct vm *vm, uint64_t addr, unsigned n, uint64_t v,
				      bool known)
{
	struct vm_page *p = known && n <= 8 ? vm_page_near(vm, addr, n) : NULL;
	unsigned char *to;

	to = p ? p->data + addr % VM_PAGE : NULL;
	vm_remember(vm, addr, n, v, known && n <= 8, to);
	if (!p || p->code)
		return vm_store_slow(vm, addr, n, v, known);
	if (!p->stored)
		vm_note_store(vm, p);
	switch (n) {
	case 1: memcpy(to, &v, 1); break;
	case 2: memcpy(to, &v, 2); break;
	case 4: memcpy(to, &v, 4); break;
	case 8: memcpy(to, &v, 8); break;
	default: memcpy(to, &v, n); break;
	}
	return VM_OK;
}

/* Has the newest stores remembered from now on: before each walk of which somebody will ask. -ENOMEM */
int vm_keep_stored(struct vm *vm);

/* Whether @n bytes can be read: so that an instruction can be given up before it changed anything. */
static inline enum vm_result vm_probe(struct vm *vm, uint64_t addr, unsigned n)
{
	return n <= VM_BLOCK && vm_page_near(vm, addr, n) ? VM_OK : vm_probe_slow(vm, addr, n);
}

#endif
