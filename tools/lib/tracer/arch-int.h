/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that is traced: how ptrace shows its registers, and what is peculiar to it. Everything here
 * has a half in host-x86.c and one in host-arm64.c; all else of the room is the same for both.
 */
#ifndef PERF_TRACER_ARCH_INT_H
#define PERF_TRACER_ARCH_INT_H

#include <sys/user.h>

#include "base/base.h"
#include "xsave/xsave.h"

#define XSTATE_MAX 16384

#ifdef __aarch64__
#define ARCH_CALL_CODE "\x01\0\0\xd4" /* svc #0 */
#define ARCH_CALL_LEN  4
/* The vm's registers: a system call's number, its first two arguments, what it overwrites. */
#define ARCH_CALL_NR	   8
#define ARCH_CALL_ARG0	   0
#define ARCH_CALL_ARG1	   1
#define ARCH_CALL_CLOBBERS (1u << 0)
/* What ptrace does not show in the stops around a system call: there it has other things in it. */
#define ARCH_CALL_HIDDEN (1u << 7)

/* What a sample may show beside general registers. */
struct arch_state {
	bool has_vg;
	uint64_t vg; /* the length of SVE's vectors in 64-bit parts */
};

static inline uint64_t arch_ip(const struct user_regs_struct *r)
{
	return r->pc;
}

static inline void arch_set_ip(struct user_regs_struct *r, uint64_t ip)
{
	r->pc = ip;
}

static inline uint64_t arch_sp(const struct user_regs_struct *r)
{
	return r->sp;
}

static inline uint64_t arch_fp(const struct user_regs_struct *r)
{
	return r->regs[29];
}

/* What time stamps are of. */
static inline uint64_t arch_cycles(void)
{
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
	return v;
}

/* What a system call returned. */
static inline long arch_result(const struct user_regs_struct *r)
{
	return (long)r->regs[0];
}

static inline bool arch_mxcsr(const struct arch_state *st, uint32_t *value)
{
	(void)st;
	(void)value;
	return false;
}
#else
#define ARCH_CALL_CODE	   "\x0f\x05" /* syscall */
#define ARCH_CALL_LEN	   2
#define ARCH_CALL_NR	   0
#define ARCH_CALL_ARG0	   7
#define ARCH_CALL_ARG1	   6
#define ARCH_CALL_CLOBBERS (1u << 0 | 1u << 1 | 1u << 11)
#define ARCH_CALL_HIDDEN   0

struct arch_state {
	bool has_xsave, has_ssp;
	struct xsave_image image;
	uint64_t ssp;
	size_t xsave_size;
	unsigned char xsave[XSTATE_MAX];
};

static inline uint64_t arch_ip(const struct user_regs_struct *r)
{
	return r->rip;
}

static inline void arch_set_ip(struct user_regs_struct *r, uint64_t ip)
{
	r->rip = ip;
}

static inline uint64_t arch_sp(const struct user_regs_struct *r)
{
	return r->rsp;
}

static inline uint64_t arch_fp(const struct user_regs_struct *r)
{
	return r->rbp;
}

/* What time stamps are of. */
static inline uint64_t arch_cycles(void)
{
	return __builtin_ia32_rdtsc();
}

static inline long arch_result(const struct user_regs_struct *r)
{
	return (long)r->rax;
}

/* False: it is not known, or there is no such thing. */
static inline bool arch_mxcsr(const struct arch_state *st, uint32_t *value)
{
	if (st->has_xsave)
		xsave_mxcsr(&st->image, value);
	return st->has_xsave;
}
#endif

/* False: the thread is gone. */
bool arch_read(pid_t tid, struct user_regs_struct *r);
bool arch_is_32bit(const struct user_regs_struct *r);
/* Whether @tid, which stands at @r, is in a system call, or about to enter one once more. */
bool arch_in_call(pid_t tid, const struct user_regs_struct *r);
/* A breakpoint where it stands lets it through once. */
bool arch_resumes(const struct user_regs_struct *r);
/*
 * @r, at the entry of a system call, is what registers @was, of which @known are known, become there.
 * With @place only: where it is and where its stack is.
 */
bool arch_call_entered(const struct user_regs_struct *was, uint32_t known, bool place,
		       const struct user_regs_struct *r);
/* @r, behind that call, becomes what the program sees. False: that is not known. */
bool arch_call_left(const struct user_regs_struct *was, uint32_t known, struct user_regs_struct *r);
struct vm_insn;

/* Cycles of instructions that take long whatever they are about, with nobody in the way. */
struct arch_waits {
	uint32_t pause, stamp, locked;
};

void arch_measure(struct arch_waits *w);
/* Cycles beyond those of just any; 0: it is no such one. */
uint32_t arch_wait(const struct arch_waits *w, const struct vm_insn *in);
/* The bases of FS and GS; 0 where there is no such thing. */
uint64_t arch_base(const struct user_regs_struct *r, char segment);

/* Whether a call with this result is to be made again, when a signal was handled: -ERESTARTSYS to -ERESTART_RESTARTBLOCK. */
static inline bool arch_restarts(long result)
{
	return result <= -512 && result >= -516;
}

#endif
