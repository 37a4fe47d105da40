// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * x86-64, as ptrace shows it, and as an instruction set of the vm. Here all is known: vectors by XSAVE
 * (state.c, native.c), breakpoints and steps (probe.c, step.c, block.c).
 */
#include <linux/audit.h>

#include "base/bytes.h"
#include "tracer-int.h"
#include "exec-int.h"

#define CS_32BIT 0x23 /* the kernel's user code segment for 32-bit code */
#define FLAG_RF	 (1 << 16)

const struct tracer_machine *tracer_machine(void)
{
	static const struct tracer_machine x86 = {
		.name = "x86-64", .samples = true, .chains = true, .kernel = true
	};
	static const struct tracer_machine less = { .name = "x86-64", .samples = true };

	return tracer_without() & WITHOUT_KERNEL ? &less : &x86;
}

/* ---- registers ----------------------------------------------------------------------------- */

bool arch_read(pid_t tid, struct user_regs_struct *r)
{
	return !ptrace(PTRACE_GETREGS, tid, NULL, r);
}

bool arch_is_32bit(const struct user_regs_struct *r)
{
	return r->cs == CS_32BIT;
}

bool arch_in_call(pid_t tid, const struct user_regs_struct *r)
{
	(void)tid;
	return (long)r->orig_rax >= 0;
}

bool arch_resumes(const struct user_regs_struct *r)
{
	return r->eflags & FLAG_RF;
}

/* rcx and r11 are the call's own, rax is its number in orig_rax. */
bool arch_call_entered(const struct user_regs_struct *w, uint32_t known, bool place,
		       const struct user_regs_struct *r)
{
	const uint64_t have[] = { r->orig_rax, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
				  r->r8,       r->r9,  r->r10, r->r12, r->r13, r->r14, r->r15 };
	const uint64_t want[] = { w->rax, w->rdx, w->rbx, w->rsp, w->rbp, w->rsi, w->rdi,
				  w->r8,  w->r9,  w->r10, w->r12, w->r13, w->r14, w->r15 };
	static const uint8_t reg[] = { VM_AX, VM_DX, VM_BX, VM_SP, VM_BP, VM_SI, VM_DI,
				       8,     9,     10,    12,	   13,	  14,	 15 };

	for (size_t i = 0; i < ARRAY_SIZE(reg) && !place; i++)
		if (known >> reg[i] & 1 && have[i] != want[i])
			return false;
	return r->rip == w->rip + ARCH_CALL_LEN && r->rsp == w->rsp;
}

bool arch_call_left(const struct user_regs_struct *w, uint32_t known, struct user_regs_struct *r)
{
	(void)w, (void)known, (void)r;
	return true;
}

#define MEASURED 64

/* @insn, MEASURED times: the least of some, as there are interrupts. */
#define CYCLES(into, insn)                                                  \
	do {                                                                \
		(into) = UINT32_MAX;                                        \
		for (int k = 0; k < 8; k++) {                               \
			uint64_t begin = arch_cycles();                     \
			for (int i = 0; i < MEASURED; i++)                  \
				insn;                                       \
			begin = arch_cycles() - begin;                      \
			(into) = (uint32_t)min_u64(into, begin / MEASURED); \
		}                                                           \
	} while (0)

/*
 * What PAUSE takes differs between makes of CPUs by more than ten times, and a hypervisor may intercept it, or time stamps: so they are
 * tried, once, before anything is traced.
 */
void arch_measure(struct arch_waits *w)
{
	uint32_t here = 0;

	CYCLES(w->pause, __builtin_ia32_pause());
	CYCLES(w->stamp, (void)arch_cycles());
	CYCLES(w->locked, __asm__ volatile("lock incl %0" : "+m"(here)));
}

uint32_t arch_wait(const struct arch_waits *w, const struct vm_insn *in)
{
	if (in->op == OP_RDTSC || in->op == OP_RDTSCP)
		return w->stamp;
	if (in->len == 2 && in->bytes[0] == 0xf3 && in->bytes[1] == 0x90)
		return w->pause;
	return in->bytes[0] == 0xf0 || (in->op == OP_XCHG && (in->opd[0].kind == VM_OPD_MEM ||
							      in->opd[1].kind == VM_OPD_MEM))
		       ? w->locked
		       : 0;
}

uint64_t arch_base(const struct user_regs_struct *r, char segment)
{
	return segment == 'f' ? r->fs_base : r->gs_base;
}

/* ---- the vm's ------------------------------------------------------------------------------ */

void vm_take_registers(struct vm *vm, const struct user_regs_struct *r)
{
	const uint64_t v[VM_REGS] = { r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp,
				      r->rsi, r->rdi, r->r8,  r->r9,  r->r10, r->r11,
				      r->r12, r->r13, r->r14, r->r15 };

	memcpy(vm->reg, v, sizeof(v));
	vm->known = VM_HOST_ALL;
	vm->flags = (uint32_t)r->eflags;
	vm->flags_known = VM_STATUS | VM_DF;
	vm->lazy = VM_LAZY_NOT;
	vm->rip = r->rip;
	vm->fs_base = r->fs_base;
	vm->gs_base = r->gs_base;
}

static const size_t reg_at[VM_REGS] = {
#define R(name) offsetof(struct user_regs_struct, name)
	R(rax), R(rcx), R(rdx), R(rbx), R(rsp), R(rbp), R(rsi), R(rdi),
	R(r8),	R(r9),	R(r10), R(r11), R(r12), R(r13), R(r14), R(r15),
#undef R
};

bool vm_agrees(struct vm *vm, const struct user_regs_struct *r)
{
	uint32_t flags;

	exec_settle(vm);
	flags = VM_STATUS & ~VM_AF & vm->flags_known;
	for (int i = 0; i < VM_REGS; i++)
		if ((vm->known & 1 << i) &&
		    load_u64((const char *)r + reg_at[i], false) != vm->reg[i])
			return false;
	return vm->rip == r->rip && !((vm->flags ^ r->eflags) & flags);
}

bool vm_registers(struct vm *vm, struct user_regs_struct *r)
{
	exec_settle(vm);
	for (int i = 0; i < VM_REGS; i++)
		if (vm->known & 1 << i)
			store_u64((char *)r + reg_at[i], vm->reg[i]);
	r->rip = vm->rip;
	r->eflags = (r->eflags & ~(uint64_t)vm->flags_known) | (vm->flags & vm->flags_known);
	return vm->known == VM_HOST_ALL;
}

static void made(struct vm *vm)
{
	(void)xsave_cpu_host(&vm->cpu, NULL);
	vm_natives_new(vm);
	exec_blocks_new(vm);
}

static void freed(struct vm *vm)
{
	vm_natives_free(vm);
	exec_blocks_free(vm);
}

static void forgot(struct vm *vm)
{
	vm_natives_reset(vm);
	exec_blocks_forget(vm);
}

const struct vm_machine vm_x86 = {
	.insn_max = 15,
	.decode = vm_decode,
	.execute = exec_insn,
	.run = exec_run,
	.made = made,
	.freed = freed,
	.forgot = forgot,
	.full = vm_natives_full,
	.room = exec_blocks_room,
};

/* ---- system calls that a stop interrupted -------------------------------------------------- */

/*
 * Most calls are restarted by the kernel when a signal turns out to be swallowed. These return
 * EINTR whatever happens (signal(7)), those of sockets when they have a timeout; nothing was done
 * yet, so they may be entered again.
 */
static const uint16_t restartable[] = {
	0 /* read */,
	1 /* write */,
	19 /* readv */,
	20 /* writev */,
	43 /* accept */,
	288 /* accept4 */,
	44 /* sendto */,
	45 /* recvfrom */,
	46 /* sendmsg */,
	47 /* recvmsg */,
	299 /* recvmmsg */,
	307 /* sendmmsg */,
	65 /* semop */,
	220 /* semtimedop */,
	69 /* msgsnd */,
	70 /* msgrcv */,
	232 /* epoll_wait */,
	281 /* epoll_pwait */,
	441 /* epoll_pwait2 */,
	208 /* io_getevents */,
	333 /* io_pgetevents */,
	128 /* rt_sigtimedwait */,
	426 /* io_uring_enter */,
};

/* The same by the numbers of 32-bit calls, which 64-bit code may make, too. */
static const uint16_t restartable_32[] = {
	3 /* read */,
	4 /* write */,
	145 /* readv */,
	146 /* writev */,
	102 /* socketcall */,
	364 /* accept4 */,
	369 /* sendto */,
	371 /* recvfrom */,
	370 /* sendmsg */,
	372 /* recvmsg */,
	337 /* recvmmsg */,
	417 /* recvmmsg_time64 */,
	345 /* sendmmsg */,
	117 /* ipc: of semaphores and messages, as far as it waits */,
	420 /* semtimedop_time64 */,
	400 /* msgsnd */,
	401 /* msgrcv */,
	256 /* epoll_wait */,
	319 /* epoll_pwait */,
	441 /* epoll_pwait2 */,
	247 /* io_getevents */,
	385 /* io_pgetevents */,
	416 /* io_pgetevents_time64 */,
	177 /* rt_sigtimedwait */,
	421 /* rt_sigtimedwait_time64 */,
	426 /* io_uring_enter */,
};

#define ERESTARTNOINTR	   513 /* the kernel's own; never seen by a program */
#define SOCKETCALL	   102
#define SOCKETCALL_CONNECT 3 /* goes on without the caller, who would be told so the second time */

/*
 * By what the kernel notes of the call: "int $0x80" is one of 32 bits from 64-bit code, too. Before
 * Linux 5.3 it tells nobody, and the code has to do.
 */
static bool is_32bit_call(pid_t tid, const struct user_regs_struct *r)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, (void *)sizeof(info), &info) > 0)
		return info.arch == AUDIT_ARCH_I386;
	return arch_is_32bit(r);
}

static bool is_restartable(pid_t tid, const struct user_regs_struct *r)
{
	bool of_32 = is_32bit_call(tid, r);
	const uint16_t *v = of_32 ? restartable_32 : restartable;
	size_t n = of_32 ? ARRAY_SIZE(restartable_32) : ARRAY_SIZE(restartable);

	if (of_32 && r->orig_rax == SOCKETCALL && (uint32_t)r->rbx == SOCKETCALL_CONNECT)
		return false;
	for (size_t i = 0; i < n; i++)
		if (r->orig_rax == v[i])
			return true;
	return false;
}

bool signals_restart(pid_t tid, int sig)
{
	struct user_regs_struct r;

	if (!arch_read(tid, &r) || (long)r.orig_rax < 0 || (int)r.rax != -EINTR)
		return false;
	if (!tracer_machine()->kernel || !is_restartable(tid, &r) || signals_end_call(tid, sig))
		return false;
	r.rax = (unsigned long long)-ERESTARTNOINTR;
	return !ptrace(PTRACE_SETREGS, tid, NULL, &r);
}
