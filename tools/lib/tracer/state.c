// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user state of a stopped thread, and the REGS_USER block made of it (perf.data(5),
 * REGISTERS). General registers come by PTRACE_GETREGS, all else out of the XSAVE area. A
 * component in its initial state is left out of the block, since a zero that nobody stored would
 * be a claim.
 */
#include <elf.h>
#include <sys/uio.h>

#include "base/bytes.h"
#include "tracer-int.h"
#include "vm-int.h"

#ifndef NT_X86_SHSTK
#define NT_X86_SHSTK 0x204
#endif

/* perf's register numbers: where ptrace has them. */
#define R(field) offsetof(struct user_regs_struct, field)
static const uint8_t gpr_offset[] = {
	R(rax), R(rbx),	   R(rcx), R(rdx), R(rsi), R(rdi), R(rbp), R(rsp),
	R(rip), R(eflags), R(cs),  R(ss),  R(ds),  R(es),  R(fs),  R(gs),
	R(r8),	R(r9),	   R(r10), R(r11), R(r12), R(r13), R(r14), R(r15),
};
#undef R

#define REG_R16 24
#define REG_SSP 40

static void read_xsave(struct tracer *t, pid_t tid, struct user_state *st)
{
	struct iovec iov = { .iov_base = st->arch.xsave, .iov_len = sizeof(st->arch.xsave) };

	st->arch.has_xsave =
		t->has_cpu && !ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_XSTATE, &iov) &&
		!xsave_image_open(&st->arch.image, &t->cpu, st->arch.xsave, iov.iov_len, NULL);
	st->arch.xsave_size = iov.iov_len;
	iov = (struct iovec){ .iov_base = &st->arch.ssp, .iov_len = sizeof(st->arch.ssp) };
	st->arch.has_ssp = !ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_SHSTK, &iov);
}

int state_read(struct tracer *t, pid_t tid, struct user_state *st)
{
	if (!arch_read(tid, &st->gpr))
		return -errno;
	st->is_32bit = arch_is_32bit(&st->gpr);
	st->arch.has_xsave = st->arch.has_ssp = false;
	if (t->opts.regs)
		read_xsave(t, tid, st);
	return 0;
}

#define SSE_AT	     160 /* XMM registers in the legacy region */
#define SSE_SIZE     256
#define XSTATE_BV_AT 512

void state_take_vectors(struct tracer *t, struct user_state *st, const struct vm *vm)
{
	uint64_t components = vm_natives_components(vm);
	const unsigned char *from = vm->xsave;
	uint64_t bv = load_u64(st->arch.xsave + XSTATE_BV_AT, false);

	if (!st->arch.has_xsave)
		return;
	components &= ~BIT(XSAVE_X87);
	bv = (bv & ~components) | (load_u64(from + XSTATE_BV_AT, false) & components);
	store_u64(st->arch.xsave + XSTATE_BV_AT, bv);
	if (components & BIT(XSAVE_SSE))
		memcpy(st->arch.xsave + SSE_AT, from + SSE_AT, SSE_SIZE);
	for (unsigned n = XSAVE_AVX; n < XSAVE_NAMED; n++) {
		const struct xsave_component *c = &t->cpu.comp[n];

		if ((components & BIT(n)) &&
		    c->offset + c->size <= min_u64(VM_XSAVE, st->arch.xsave_size))
			memcpy(st->arch.xsave + c->offset, from + c->offset, c->size);
	}
	st->arch.has_xsave = !xsave_image_open(&st->arch.image, &t->cpu, st->arch.xsave,
					       st->arch.xsave_size, NULL);
}

void state_general(const struct user_regs_struct *gpr, struct tracer_regs *r)
{
	r->known = BIT(ARRAY_SIZE(gpr_offset)) - 1;
	for (unsigned i = 0; i < ARRAY_SIZE(gpr_offset); i++)
		r->reg[i] = load_u64((const char *)gpr + gpr_offset[i], false);
}

void state_of_vm(const struct vm *vm, struct tracer_regs *r)
{
	/* rax rcx rdx rbx rsp rbp rsi rdi r8 ...: the vm's order */
	static const uint8_t perf[VM_REGS] = { 0,  2,  3,  1,  7,  6,  4,  5,
					       16, 17, 18, 19, 20, 21, 22, 23 };

	*r = (struct tracer_regs){ .known = BIT(8) };
	r->reg[8] = vm->rip;
	for (unsigned i = 0; i < VM_REGS; i++) {
		r->reg[perf[i]] = vm->reg[i];
		r->known |= (uint64_t)(vm->known >> i & 1) << perf[i];
	}
}

static uint64_t reg_value(const struct user_state *st, const struct user_regs_struct *gpr,
			  unsigned reg)
{
	uint64_t v = 0;

	if (reg < sizeof(gpr_offset))
		return load_u64((const char *)gpr + gpr_offset[reg], false);
	if (reg == REG_SSP)
		return st->arch.has_ssp ? st->arch.ssp : 0;
	if (st->arch.has_xsave && reg >= REG_R16 && reg < REG_SSP)
		xsave_egpr(&st->arch.image, reg - REG_R16 + 16, &v);
	return v;
}

/*
 * The widest form of which something is stored: a thread that never touched YMM shows XMM, one
 * that touched no vector register shows none.
 */
static unsigned vector_width(const struct xsave_image *im, unsigned want)
{
	static const struct {
		unsigned qwords;
		uint64_t components;
	} widths[] = { { 8, BIT(XSAVE_ZMM_HI256) | BIT(XSAVE_HI16_ZMM) },
		       { 4, BIT(XSAVE_AVX) },
		       { 2, BIT(XSAVE_SSE) } };
	unsigned width = 0;

	for (size_t i = 0; i < ARRAY_SIZE(widths) && !width; i++)
		if (widths[i].qwords <= want && (im->xstate_bv & widths[i].components))
			width = widths[i].qwords;
	return width;
}

static unsigned char *put(unsigned char *p, uint64_t v)
{
	store_u64(p, v);
	return p + 8;
}

static unsigned char *put_vectors(const struct user_state *st, uint64_t mask, unsigned nr,
				  unsigned width, unsigned char *p)
{
	for (unsigned n = 0; n < 32 && nr; n++) {
		uint64_t q[8];

		if (!(mask & BIT(n)))
			continue;
		nr--;
		xsave_vector(&st->arch.image, n, width, q, NULL);
		for (unsigned i = 0; i < width; i++)
			p = put(p, q[i]);
	}
	return p;
}

static unsigned char *put_masks(const struct user_state *st, uint64_t mask, unsigned char *p)
{
	for (unsigned n = 0; n < 8; n++) {
		uint64_t v;

		if (!(mask & BIT(n)))
			continue;
		xsave_opmask(&st->arch.image, n, &v);
		p = put(p, v);
	}
	return p;
}

static unsigned char *put_simd(const struct user_state *st, const struct perf_event_attr *attr,
			       unsigned char *p)
{
	uint64_t vec = attr->sample_simd_vec_reg_user, pred = attr->sample_simd_pred_reg_user;
	unsigned want = attr->sample_simd_vec_reg_qwords, nr, nr_pred, width;

	width = st->arch.has_xsave && vec ? vector_width(&st->arch.image, want) : 0;
	/* registers 16-31 exist in one component of their own */
	if (!width || !(st->arch.image.xstate_bv & BIT(XSAVE_HI16_ZMM)))
		vec &= 0xffff;
	nr = width ? weight_u64(vec) : 0;
	nr_pred = st->arch.has_xsave && (st->arch.image.xstate_bv & BIT(XSAVE_OPMASK))
			  ? weight_u64(pred & 0xff)
			  : 0;
	p = put(p, nr);
	p = put(p, nr ? width : 0);
	p = put(p, nr_pred);
	p = put(p, nr_pred ? 1 : 0);
	p = put_vectors(st, vec, nr, width, p);
	return nr_pred ? put_masks(st, pred, p) : p;
}

size_t state_regs_block(const struct user_state *st, const struct user_regs_struct *gpr,
			const struct perf_event_attr *attr, unsigned char *block)
{
	bool simd = attr->sample_simd_regs_enabled;
	unsigned char *p = block;

	if (!st)
		return put(p, PERF_SAMPLE_REGS_ABI_NONE) - block;
	p = put(p, (st->is_32bit ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64) |
			   (simd ? PERF_SAMPLE_REGS_ABI_SIMD : 0));
	for (unsigned reg = 0; reg < 64; reg++)
		if (attr->sample_regs_user & BIT(reg))
			p = put(p, reg_value(st, gpr, reg));
	if (simd)
		p = put_simd(st, attr, p);
	return p - block;
}
