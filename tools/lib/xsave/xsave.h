/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xsave: the processor state that x86 keeps in XSAVE areas. Which components there are and where
 * they lie, for this CPU or a described one; what a set of them costs; registers and branch
 * records out of an image; and the policy for state that is saved on demand only (architectural
 * LBR), as a small exact model.
 *
 *	struct xsave_cpu cpu;
 *	struct xsave_image im;
 *	uint64_t q[8];
 *
 *	if (xsave_cpu_host(&cpu, &err) || xsave_image_open(&im, &cpu, bytes, size, &err))
 *		...
 *	if (xsave_vector(&im, 3, 4, q, NULL) == XSAVE_VALUE)	-- ymm3
 *
 * An area is 512 bytes of legacy region (x87, SSE), a 64-byte header (XSTATE_BV at 512: what was
 * in use when saved; XCOMP_BV at 520: bit 63 and what the compacted form has room for), then the
 * components: in the standard form each at its CPUID offset, in the compacted form one behind
 * the other, some rounded up to 64. A component whose XSTATE_BV bit is clear was in its initial
 * state: its bytes mean nothing, its value is the architecture's initial one. That is told apart
 * here from a zero that was stored.
 *
 * No files, no processes, no allocation: everything is in the caller's memory; an image borrows
 * the caller's bytes. Source: Intel SDM vol. 1 ch. 13, AMD APM vol. 2 ch. 11.5; perf-xstate(1).
 */
#ifndef PERF_XSAVE_H
#define PERF_XSAVE_H

#include "base/base.h"

enum xsave_nr {
	XSAVE_X87,
	XSAVE_SSE,
	XSAVE_AVX,
	XSAVE_BNDREGS,
	XSAVE_BNDCSR,
	XSAVE_OPMASK,
	XSAVE_ZMM_HI256,
	XSAVE_HI16_ZMM,
	XSAVE_PT,
	XSAVE_PKRU,
	XSAVE_PASID,
	XSAVE_CET_U,
	XSAVE_CET_S,
	XSAVE_HDC,
	XSAVE_UINTR,
	XSAVE_LBR,
	XSAVE_HWP,
	XSAVE_XTILE_CFG,
	XSAVE_XTILE_DATA,
	XSAVE_APX,
	XSAVE_NAMED, /* components with a name */
	XSAVE_NR = 63,
};

#define XSAVE_LEGACY_SIZE 512
#define XSAVE_HEADER_SIZE 64
#define XSAVE_MIN_SIZE	  (XSAVE_LEGACY_SIZE + XSAVE_HEADER_SIZE) /* 576 */
#define XSAVE_COMPACTED	  BIT(63)

/* ---- what a CPU has ---------------------------------------------------------------------------- */

struct xsave_component {
	uint32_t size;	 /* bytes; 0 = the CPU has no such component */
	uint32_t offset; /* standard form; 0 for supervisor state, which has no place there */
	bool supervisor; /* managed through IA32_XSS */
	bool aligned;	 /* starts at a multiple of 64 in the compacted form */
	bool xfd;	 /* user state that is allocated on first use (XFD) */
};

struct xsave_cpu {
	const char *name;  /* "spr"; "host" */
	const char *title; /* "Sapphire Rapids" */
	uint64_t xcr0;	   /* user components: supported; for the host: enabled */
	uint64_t xss;	   /* supervisor components supported */
	uint64_t dynamic;  /* supervisor components that follow the on-demand policy: LBR or none */
	uint32_t lbr_depth;
	bool compacts; /* XSAVEC or XSAVES */
	struct xsave_component comp[XSAVE_NR];
};

/* out: EAX, EBX, ECX, EDX of a CPUID leaf. */
typedef void (*xsave_cpuid_fn)(void *arg, uint32_t leaf, uint32_t subleaf, uint32_t out[4]);

/*
 * Fills @cpu from leaf 0xD (and 0x1C for the LBR depth). @xcr0: components enabled, 0 = all that
 * are supported. -ENOTSUP without XSAVE; -EINVAL when the leaves contradict each other.
 */
int xsave_cpu_read(struct xsave_cpu *cpu, xsave_cpuid_fn cpuid, void *arg, uint64_t xcr0,
		   struct err *e);
/* This machine; -ENOTSUP when it is not an x86 with XSAVE. */
int xsave_cpu_host(struct xsave_cpu *cpu, struct err *e);
/*
 * From the NT_X86_XSAVE_LAYOUT note of a core file: (number, size, offset, flags of CPUID ECX) as
 * four u32 each. @xcr0: components that the core's images say are enabled.
 */
int xsave_cpu_from_note(struct xsave_cpu *cpu, const void *note, size_t size, uint64_t xcr0,
			struct err *e);
/* The instruction itself, in the shape that xsave_cpu_read() takes; zeros elsewhere than x86. */
void xsave_cpuid_host(void *arg, uint32_t leaf, uint32_t subleaf, uint32_t out[4]);
/* Described CPUs: by index (NULL past the end) and by name or title, any case (NULL = unknown). */
const struct xsave_cpu *xsave_cpu_described(size_t i);
const struct xsave_cpu *xsave_cpu_find(const char *name);

/*
 * A CPU whose standard form puts the components of @xcr0 into exactly @size bytes: @host if it
 * fits, else the first described one; NULL when none does.
 */
const struct xsave_cpu *xsave_cpu_guess(const struct xsave_cpu *host, uint64_t xcr0, size_t size);

const char *xsave_name(unsigned nr);  /* "avx", "lbr"; "unknown" */
const char *xsave_title(unsigned nr); /* "upper halves of YMM0-15" */
/*
 * "zmm,opmask,lbr" to component bits: names above, numbers, and the register classes xmm, ymm,
 * zmm, egpr, ssp, amx, "all". -EINVAL names the unknown word.
 */
int xsave_set_parse(const struct xsave_cpu *cpu, const char *list, uint64_t *set, struct err *e);

/* ---- layout and cost --------------------------------------------------------------------------- */

enum xsave_format { XSAVE_FORMAT_STANDARD, XSAVE_FORMAT_COMPACTED };

struct xsave_layout {
	enum xsave_format format;
	uint64_t set;		   /* x87 and SSE are always there: they are the legacy region */
	uint32_t size;		   /* of the whole area, legacy region and header included */
	uint32_t offset[XSAVE_NR]; /* of each component in set */
};

/*
 * Where the components of @set lie. -ENOENT for one that the CPU lacks; -EINVAL for supervisor
 * state in the standard form.
 */
int xsave_layout(const struct xsave_cpu *cpu, uint64_t set, enum xsave_format format,
		 struct xsave_layout *l, struct err *e);

/* User components that XFD lets the kernel allocate when a task first uses them: AMX tile data. */
uint64_t xsave_on_first_use(const struct xsave_cpu *cpu);

/*
 * Bytes of memory, the dynamic supervisor components kept in every task or on demand. A task's
 * area is that of a task which uses none of the state that is allocated on first use.
 */
struct xsave_cost {
	uint32_t task_always;	 /* one task's area when everything lives in every task */
	uint32_t task_on_demand; /* one task's area without the dynamic components */
	uint32_t dynamic_state;	 /* the dynamic components alone: 808 for LBR */
	uint32_t dynamic_buffer; /* a buffer for them: legacy region and header on top, 808 + 576 */
	uint32_t first_use;	 /* user state that only tasks have which used it */
};

int xsave_cost(const struct xsave_cpu *cpu, struct xsave_cost *cost, struct err *e);

/* What one sample of an event holds, in numbers; a front end fills it from its attr. */
struct xsave_sample_shape {
	unsigned nr_gpr; /* general registers, 8 bytes each */
	unsigned nr_vectors, vector_qwords;
	unsigned nr_pred, pred_qwords;
	bool simd_abi;	   /* the four counts of the SIMD block are written */
	unsigned branches; /* entries of a branch stack; 0 = no stack */
	bool branch_hw_index;
};

/* Bytes that registers and branch stack add to a sample. */
uint32_t xsave_sample_bytes(const struct xsave_sample_shape *s);
/* The shape that a set of components amounts to on @cpu (widest vector class in it). */
void xsave_sample_shape(const struct xsave_cpu *cpu, uint64_t set, struct xsave_sample_shape *s);

/* ---- images ------------------------------------------------------------------------------------ */

struct xsave_image {
	const struct xsave_cpu *cpu;
	const unsigned char *p; /* the caller's */
	size_t size;
	uint64_t xstate_bv; /* components that were in use */
	uint64_t xcomp_bv;  /* as in the header */
	struct xsave_layout layout;
};

/*
 * Checks the header against the CPU and the size, and finds the components. -EINVAL says which
 * byte contradicts what: cut or oversized images, XCOMP_BV without bit 63, components the CPU
 * lacks or that have no room, reserved header or MXCSR bits, supervisor state in standard form.
 */
int xsave_image_open(struct xsave_image *im, const struct xsave_cpu *cpu, const void *bytes,
		     size_t size, struct err *e);

enum xsave_state {
	XSAVE_ABSENT, /* the CPU or this image has no room for it */
	XSAVE_INIT,   /* initial state, not stored */
	XSAVE_VALUE,  /* stored in the image */
};

/*
 * Vector register @n, lowest qword first: @qwords is 2 (xmm), 4 (ymm) or 8 (zmm); registers
 * 16-31 exist with AVX-512 only. *live (may be NULL): bit i set when qword i was stored; the
 * others are initial. XSAVE_INIT: none was stored, @out is all zero.
 */
enum xsave_state xsave_vector(const struct xsave_image *im, unsigned n, unsigned qwords,
			      uint64_t *out, uint8_t *live);
enum xsave_state xsave_opmask(const struct xsave_image *im, unsigned n, uint64_t *out); /* k0-7 */
enum xsave_state xsave_egpr(const struct xsave_image *im, unsigned reg, uint64_t *out); /* 16-31 */
enum xsave_state xsave_ssp(const struct xsave_image *im, uint64_t *out); /* user shadow stack */
enum xsave_state xsave_pkru(const struct xsave_image *im, uint32_t *out);
/* XCR0 of the process as the kernel leaves it in ptrace and core images (byte 464); 0 = not. */
/*
 * For an image of a CPU that is only guessed: forgets the components whose place is not the same
 * on all CPUs. Legacy region and AVX are left, the others become XSAVE_ABSENT. Returns what was
 * stored and is forgotten.
 */
uint64_t xsave_image_keep_certain(struct xsave_image *im);
uint64_t xsave_image_xcr0(const void *bytes, size_t size);
enum xsave_state xsave_mxcsr(const struct xsave_image *im, uint32_t *out);
/* The bytes of a component, or NULL when it is not stored. */
const void *xsave_component_bytes(const struct xsave_image *im, unsigned nr);

/* Component 15: three words, then (from, to, info) of up to 32 branches, newest first. */
#define XSAVE_LBR_MAX 32

struct xsave_lbr_entry {
	uint64_t from, to, info;
	bool mispred, in_tx, abort, cycles_valid;
	uint16_t cycles;  /* meaningful with cycles_valid */
	uint8_t type;	  /* XSAVE_LBR_* */
	uint8_t counters; /* four 2-bit event counts */
};

enum {
	XSAVE_LBR_COND,
	XSAVE_LBR_IND_JMP,
	XSAVE_LBR_JMP,
	XSAVE_LBR_IND_CALL,
	XSAVE_LBR_CALL,
	XSAVE_LBR_RET,
	XSAVE_LBR_OTHER = 8
};

struct xsave_lbr {
	uint64_t ctl, depth;
	bool call_stack;		   /* CTL: call-stack mode */
	struct xsave_lbr_entry last_event; /* before the newest exception or interrupt */
	unsigned nr;			   /* entries in use */
	struct xsave_lbr_entry entry[XSAVE_LBR_MAX];
};

/* -EINVAL when the depth is not one that the component can hold; *state as above. */
int xsave_lbr(const struct xsave_image *im, struct xsave_lbr *lbr, enum xsave_state *state,
	      struct err *e);
const char *xsave_lbr_type_name(uint8_t type);

/* ---- the policy for dynamic supervisor state, simulated ---------------------------------------------- */

/*
 * The rules: the component's bit is in IA32_XSS from boot on and never changes; no task's area
 * has room for it; the plain context switch does not touch it; its buffer is allocated when an
 * event that uses the call stack starts on a task and freed with it; it is saved and restored
 * when such a task is switched out and in. Beside it: the same schedule with the component in
 * every task's area and in every switch.
 */
enum xsave_sim_kind {
	XSAVE_SIM_START,     /* @task comes to life */
	XSAVE_SIM_EXIT,	     /* @task ends */
	XSAVE_SIM_SWITCH,    /* on @cpu: @task leaves, @next runs; 0 = idle, which has no state */
	XSAVE_SIM_LBR_BEGIN, /* an event in call-stack mode starts on @task */
	XSAVE_SIM_LBR_END,
};

struct xsave_sim_event {
	enum xsave_sim_kind kind;
	uint32_t cpu;
	uint32_t task, next;
};

struct xsave_sim_side {
	uint64_t bytes_now, bytes_peak; /* state buffers of all living tasks */
	uint64_t saves, restores;	/* of the dynamic component */
	uint64_t dynamic_bytes_moved;	/* for it, header included on demand */
	uint64_t bytes_moved;		/* by all context switches */
};

struct xsave_sim_stats {
	uint64_t tasks, tasks_now, tasks_peak;
	uint64_t users, users_now, users_peak; /* tasks with an on-demand buffer */
	uint64_t switches;
	uint64_t xss;	  /* IA32_XSS from boot on; no event changes it */
	uint64_t ignored; /* events that make no sense (exit of an unknown task) */
	struct xsave_sim_side always, on_demand;
};

struct xsave_sim;

/* NULL and @e when @cpu has no dynamic component or memory is out. */
struct xsave_sim *xsave_sim_new(const struct xsave_cpu *cpu, struct err *e);
/* 0 or -ENOMEM. Unknown tasks of a switch come to life by it, as does one that has ended and is switched to. */
int xsave_sim_event(struct xsave_sim *sim, const struct xsave_sim_event *ev);
/* Whether it has begun to, and did not end since. */
bool xsave_sim_uses_lbr(struct xsave_sim *sim, uint32_t task);
const struct xsave_sim_stats *xsave_sim_stats(const struct xsave_sim *sim);
void xsave_sim_free(struct xsave_sim *sim);

#endif
