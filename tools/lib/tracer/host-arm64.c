// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64, as ptrace shows it. General registers, the length of SVE's vectors and the thread pointer come by
 * PTRACE_GETREGSET, vectors only when the vm asks for them: samples have no place for these, for the SIMD block says
 * nothing of Arm.
 *
 * What is not here: breakpoints and steps, so that walks are computed or end; unwinding by rules; and samples in the
 * kernel. When a thread stops, the kernel has already forgotten whether it was in a system call, and where that
 * returns EINTR whatever happens it could not be entered again.
 */
#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/uio.h>

#include "a64-int.h"
#include "base/bytes.h"
#include "tracer-int.h"
#include "walk-int.h"

#ifndef NT_ARM_PAC_MASK
#define NT_ARM_PAC_MASK 0x406
#endif
#ifndef NT_ARM_SVE
#define NT_ARM_SVE 0x405
#endif
#ifndef NT_ARM_TLS
#define NT_ARM_TLS 0x401
#endif
#define HAS_SVE	 (1UL << 22) /* of AT_HWCAP */
#define HAS_PACA (1UL << 30)

#define MODE_32BIT 0x10 /* in pstate */
#define REG_VG	   46	/* perf's number */

#define BREAKPOINTS_LACK "not tried, they are there for x86-64 only"

const struct tracer_machine *tracer_machine(void)
{
	static const struct tracer_machine arm64 = { .name = "AArch64", .samples = true };

	return &arm64;
}

void tracer_probe(struct tracer_probe *p)
{
	*p = (struct tracer_probe){ .untried = BREAKPOINTS_LACK };
}

/* ---- registers ----------------------------------------------------------------------------- */

/* Bytes of a set that were read. */
static size_t read_set(pid_t tid, unsigned type, void *buf, size_t size)
{
	struct iovec iov = { .iov_base = buf, .iov_len = size };

	return ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)type, &iov) ? 0 : iov.iov_len;
}

/* Threads of 32-bit programs have a smaller set, in which nothing is where it is here. */
bool arch_read(pid_t tid, struct user_regs_struct *r)
{
	size_t n;

	memset(r, 0, sizeof(*r));
	n = read_set(tid, NT_PRSTATUS, r, sizeof(*r));
	if (n && n < sizeof(*r))
		*r = (struct user_regs_struct){ .pstate = MODE_32BIT };
	return n;
}

bool arch_is_32bit(const struct user_regs_struct *r)
{
	return r->pstate & MODE_32BIT;
}

/* It is behind the instruction that enters the kernel, or about to execute it once more. */
bool arch_in_call(pid_t tid, const struct user_regs_struct *r)
{
	struct a64_pair {
		uint32_t before, at;
	} code;
	struct iovec to = { &code, sizeof(code) };
	struct iovec from = { (void *)(uintptr_t)(r->pc - 4), sizeof(code) };
	const uint32_t svc = 0xd4000001;

	return process_vm_readv(tid, &to, 1, &from, 1, 0) == sizeof(code) &&
	       (code.before == svc || code.at == svc);
}

bool arch_resumes(const struct user_regs_struct *r)
{
	(void)r;
	return false;
}

void arch_measure(struct arch_waits *w)
{
	*w = (struct arch_waits){ 0 };
}

uint32_t arch_wait(const struct arch_waits *w, const struct vm_insn *in)
{
	(void)w, (void)in;
	return 0;
}

uint64_t arch_base(const struct user_regs_struct *r, char segment)
{
	(void)r, (void)segment;
	return 0;
}

bool signals_restart(pid_t tid, int sig)
{
	(void)tid, (void)sig;
	return false;
}

/* Nothing is stepped here. */
bool step_is_ours(const struct tracee *th, int status)
{
	(void)th, (void)status;
	return false;
}

/* ---- samples ------------------------------------------------------------------------------- */

int state_read(struct tracer *t, pid_t tid, struct user_state *st)
{
	struct {
		uint32_t size, max_size;
		uint16_t vl, max_vl, flags, reserved;
	} sve;

	if (!arch_read(tid, &st->gpr))
		return -errno;
	st->is_32bit = arch_is_32bit(&st->gpr);
	st->arch.has_vg = t->opts.regs && getauxval(AT_HWCAP) & HAS_SVE &&
			  read_set(tid, NT_ARM_SVE, &sve, sizeof(sve)) == sizeof(sve);
	st->arch.vg = st->arch.has_vg ? sve.vl / 8 : 0;
	return 0;
}

/* Samples have none. */
void state_take_vectors(struct tracer *t, struct user_state *st, const struct vm *vm)
{
	(void)t, (void)st, (void)vm;
}

void state_general(const struct user_regs_struct *gpr, struct tracer_regs *r)
{
	*r = (struct tracer_regs){ .known = BIT(33) - 1 };
	memcpy(r->reg, gpr->regs, sizeof(gpr->regs));
	r->reg[31] = gpr->sp;
	r->reg[32] = gpr->pc;
}

void state_of_vm(const struct vm *vm, struct tracer_regs *r)
{
	*r = (struct tracer_regs){ .known = vm->known | BIT(32) };
	memcpy(r->reg, vm->reg, sizeof(vm->reg));
	r->reg[32] = vm->rip;
}

size_t state_regs_block(const struct user_state *st, const struct user_regs_struct *gpr,
			const struct perf_event_attr *attr, unsigned char *block)
{
	unsigned char *p = block;
	struct tracer_regs r;

	if (!st) {
		store_u64(p, PERF_SAMPLE_REGS_ABI_NONE);
		return 8;
	}
	state_general(gpr, &r);
	store_u64(p, st->is_32bit ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64);
	p += 8;
	for (unsigned n = 0; n < 64; n++) {
		if (!(attr->sample_regs_user >> n & 1))
			continue;
		store_u64(p, n < 33 ? r.reg[n] : n == REG_VG ? st->arch.vg : 0);
		p += 8;
	}
	return (size_t)(p - block);
}

/* ---- the vm's ------------------------------------------------------------------------------ */

static bool read_vectors(struct vm *vm)
{
	struct user_fpsimd_struct fp;

	if (read_set(vm->tid, NT_PRFPREG, &fp, sizeof(fp)) < sizeof(fp.vregs))
		return false;
	memcpy(vm->xsave, fp.vregs, sizeof(fp.vregs));
	return true;
}

/* Bytes that DC ZVA clears; 0: it is not allowed. */
static uint32_t zva_bytes(void)
{
	uint64_t id;

	__asm__("mrs %0, dczid_el0" : "=r"(id));
	return id & 16 ? 0 : 4u << (id & 15);
}

void vm_take_registers(struct vm *vm, const struct user_regs_struct *r)
{
	struct {
		uint64_t data, insn;
	} pac = { 0, 0 };

	memcpy(vm->reg, r->regs, sizeof(r->regs));
	vm->reg[A64_SP] = r->sp;
	vm->known = VM_HOST_ALL;
	vm->flags = (uint32_t)(r->pstate >> 28 & 15);
	vm->flags_known = A64_NZCV;
	vm->rip = r->pc;
	vm->read_vectors = read_vectors;
	if (!read_set(vm->tid, NT_ARM_TLS, &vm->fs_base, 8))
		vm->fs_base = 0;
	if (vm->zva)
		return;
	vm->zva = zva_bytes();
	if (getauxval(AT_HWCAP) & HAS_PACA &&
	    read_set(vm->tid, NT_ARM_PAC_MASK, &pac, sizeof(pac)) == sizeof(pac))
		vm->pac_mask = pac.insn;
}

/* What is known of two registers of one number is the same; of return addresses but for signatures. */
static bool same(const struct vm *vm, unsigned n, uint64_t a, uint64_t b)
{
	return n == A64_LR && vm->pac_mask ? a64_strip(vm, a) == a64_strip(vm, b) : a == b;
}

bool vm_agrees(struct vm *vm, const struct user_regs_struct *r)
{
	for (unsigned n = 0; n < VM_HOST_REGS; n++)
		if (vm->known >> n & 1 &&
		    !same(vm, n, vm->reg[n], n == A64_SP ? r->sp : r->regs[n]))
			return false;
	return vm->rip == r->pc && !((vm->flags ^ r->pstate >> 28) & vm->flags_known);
}

bool vm_registers(struct vm *vm, struct user_regs_struct *r)
{
	for (unsigned n = 0; n < A64_SP; n++)
		if (vm->known >> n & 1)
			r->regs[n] = vm->reg[n];
	if (vm->known >> A64_SP & 1)
		r->sp = vm->reg[A64_SP];
	r->pc = vm->rip;
	r->pstate = (r->pstate & ~((uint64_t)vm->flags_known << 28)) |
		    (uint64_t)(vm->flags & vm->flags_known) << 28;
	return vm->known == VM_HOST_ALL;
}

/* x7 says there that it is an entry; a return address may be signed in one of the two. */
bool arch_call_entered(const struct user_regs_struct *was, uint32_t known, bool place,
		       const struct user_regs_struct *r)
{
	known &= ~(ARCH_CALL_HIDDEN | 1u << A64_LR);
	for (unsigned n = 0; n < A64_SP && !place; n++)
		if (known >> n & 1 && was->regs[n] != r->regs[n])
			return false;
	return r->pc == was->pc + ARCH_CALL_LEN && r->sp == was->sp;
}

/* x7 says that it is the exit; it is what it was before the call as soon as the thread goes on. */
bool arch_call_left(const struct user_regs_struct *was, uint32_t known, struct user_regs_struct *r)
{
	r->regs[7] = was->regs[7];
	return known & ARCH_CALL_HIDDEN;
}
