/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One instruction, computed by the tracer's vm and executed by a thread: registers, flags, vectors
 * and memory of both are compared. Vector instructions are executed here, in the tracer's own
 * process; the program's memory is not mapped in it and the registers hold addresses that nobody
 * has, so a copy that reaches for more than its buffer ends the test.
 */
#ifndef PERF_UNIT_TRACER_ROUND_H
#define PERF_UNIT_TRACER_ROUND_H

#include "base/bytes.h"
#include "unit.h"

#include <elf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "tracer/vm-int.h"
#include "tracer/without-int.h"
#include "xsave/xsave.h"

#define CODE	  0x10000000ULL
#define DATA	  0x10001000ULL
#define DATA_SIZE 4096
#define NO_NATIVE 0xffff
#define IMAGE_MAX 16384

struct encoding {
	unsigned char bytes[15];
	unsigned disp_at; /* of the displacement, where it alone or rip leads there; 0 = no */
	bool odd;	  /* a prefix that changes where memory is, or locks it */
};

static uint64_t seed = 0x9b1a5e3779b97f4aULL;

static uint64_t rnd(void)
{
	return unit_random(&seed);
}

static bool one_in(unsigned n)
{
	return rnd() % n == 0;
}

/* ---- the program ------------------------------------------------------------------------------------ */

#define ARCH_REQ_XCOMP_PERM 0x1023

/* AMX: only a thread that used tiles has room for what others put there. */
static void begin_tiles(void)
{
#ifdef SYS_arch_prctl
	if (!syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XSAVE_XTILE_DATA)) {
		static unsigned char config[64] = { [0] = 1, [16] = 4, [48] = 1 };

		__asm__ volatile("ldtilecfg %0\n\ttilezero %%tmm0\n\ttilerelease" : : "m"(config));
	}
#endif
}

static pid_t start_program(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		void *p = mmap((void *)CODE, 4096 + DATA_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		begin_tiles();
		if (p != (void *)CODE || ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static void copy_to(pid_t pid, uint64_t addr, const void *p, size_t n)
{
	struct iovec from = { (void *)(uintptr_t)p, n }, to = { (void *)addr, n };

	assert_int_equal(process_vm_writev(pid, &from, 1, &to, 1, 0), n);
}

/* What the thread's registers are. Vectors of @image, which has the form of the kernel. */
static void set_state(pid_t pid, struct user_regs_struct *r, unsigned char *image, size_t size)
{
	struct iovec iov = { image, size };

	assert_int_equal(ptrace(PTRACE_SETREGS, pid, NULL, r), 0);
	assert_int_equal(ptrace(PTRACE_SETREGSET, pid, (void *)NT_X86_XSTATE, &iov), 0);
	/* a flag that POPF has set before (ID) only the thread itself clears */
	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, r), 0);
}

static size_t get_image(pid_t pid, unsigned char *image, size_t size)
{
	struct iovec iov = { image, size };

	assert_int_equal(ptrace(PTRACE_GETREGSET, pid, (void *)NT_X86_XSTATE, &iov), 0);
	return iov.iov_len;
}

/* ---- one round ------------------------------------------------------------------------------------------ */

struct round {
	struct vm *vm;
	pid_t pid;
	struct xsave_cpu cpu;
	struct user_regs_struct base;
	unsigned char image[IMAGE_MAX];
	size_t image_size;
	struct encoding x;
	bool native;
	bool slips;		  /* a single step over CPUID ends behind the next instruction */
	unsigned natives, others; /* compared */
};

static struct round now;

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...)
{
	char text[200], bytes[48];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	for (unsigned i = 0; i < sizeof(now.x.bytes); i++)
		snprintf(bytes + 3 * i, 4, "%02x ", now.x.bytes[i]);
	fail_msg("%s: %s", bytes, text);
}

static const size_t reg_at[16] = {
#define R(name) offsetof(struct user_regs_struct, name)
	R(rax), R(rcx), R(rdx), R(rbx), R(rsp), R(rbp), R(rsi), R(rdi),
	R(r8),	R(r9),	R(r10), R(r11), R(r12), R(r13), R(r14), R(r15),
#undef R
};

static void set_reg(struct user_regs_struct *r, unsigned n, uint64_t v)
{
	store_u64((char *)r + reg_at[n], v);
}

/* Registers so that the operand lies at an aligned place in the data. False: it cannot. */
static bool aim(const struct vm_insn *in, const struct vm_opd *o, struct user_regs_struct *r)
{
	for (uint64_t at = DATA + 64; at < DATA + DATA_SIZE - 128; at += 64) {
		uint64_t rest = at - (uint64_t)o->value - (o->rip ? in->addr + in->len : 0);
		uint64_t scale = o->base == o->index ? o->scale + 1u : o->scale;

		if (o->index == VM_NO_REG && o->base == VM_NO_REG) {
			if (!rest)
				return true;
			continue;
		}
		if (o->index == VM_NO_REG) {
			set_reg(r, o->base, rest);
			return true;
		}
		if (o->base != VM_NO_REG && o->base != o->index) {
			uint64_t index = rnd() % 1000;

			set_reg(r, o->index, index);
			set_reg(r, o->base, rest - index * scale);
			return true;
		}
		if (rest % scale == 0) {
			set_reg(r, o->index, rest / scale);
			return true;
		}
	}
	return false;
}

static void random_registers(struct round *d, struct user_regs_struct *r)
{
	static const uint16_t mxcsr[] = { 0x1f80, 0x1f80, 0x3f80, 0x5f80, 0x7f80, 0x9fc0 };
	uint64_t bv = d->cpu.xcr0 & 0xe7;

	*r = d->base;
	for (unsigned i = 0; i < 16; i++)
		set_reg(r, i, (rnd() >> 8) | 0x5aULL << 56);
	/* a stack is where its pointer leads: not every machine returns to a thread without one */
	r->rsp = DATA + DATA_SIZE / 2 + rnd() % 64 * 8;
	if (one_in(2)) { /* strings */
		r->rcx = rnd() % 20;
		r->rsi = DATA + 64 + rnd() % 512;
		r->rdi = DATA + 64 + rnd() % 512;
	}
	r->rip = CODE;
	r->eflags = 0x202 | (rnd() & VM_STATUS);
	r->orig_rax = (unsigned long long)-1;
	/* x87: exceptions masked, any rounding, precision and top; numbers of about one, or any */
	store_u16(d->image, (uint16_t)(0x7f | (rnd() & 0xf00)));
	store_u16(d->image + 2, (uint16_t)(rnd() & 0x7f7f));
	d->image[4] = (unsigned char)rnd();
	for (size_t i = 32; i < 160; i += 16) {
		store_u64(d->image + i, rnd() | 1ULL << 63);
		store_u16(d->image + i + 8,
			  (uint16_t)(one_in(4) ? rnd() : 0x3fff - 32 + rnd() % 64));
	}
	for (size_t i = 160; i < 416; i += 8)
		store_u64(d->image + i, rnd());
	for (size_t i = 576; i + 8 <= d->image_size; i += 8)
		store_u64(d->image + i, one_in(3) ? rnd() : rnd() >> 40 << 52);
	store_u32(d->image + 24, mxcsr[rnd() % ARRAY_SIZE(mxcsr)]);
	/* MXCSR goes with the SSE component */
	store_u64(d->image + 512, one_in(4) ? (bv & rnd()) | 2 : bv);
}

/* Of a vector register, as far as the vm knows them. */
static unsigned nr_qwords(const struct round *d)
{
	if ((tracer_without() & WITHOUT_AVX) || !(d->cpu.xcr0 & BIT(XSAVE_AVX)))
		return 2;
	return (tracer_without() & WITHOUT_AVX512) || !(d->cpu.xcr0 & BIT(XSAVE_HI16_ZMM)) ? 4 : 8;
}

static void compare_vectors(const struct round *d, const unsigned char *image)
{
	unsigned qwords = nr_qwords(d);
	unsigned char own[IMAGE_MAX];
	struct xsave_image mine, its;
	struct err e = { 0 };

	/* the vm's copy ends before tiles */
	memcpy(own, image, d->image_size);
	memcpy(own, d->vm->xsave, min_u64(VM_XSAVE, d->image_size));
	if (xsave_image_open(&mine, &d->cpu, own, d->image_size, &e) ||
	    xsave_image_open(&its, &d->cpu, image, d->image_size, &e))
		fail_msg("%s", e.text);
	for (unsigned n = 0; n < (qwords == 8 ? 32 : 16); n++) {
		uint64_t a[8], b[8];

		xsave_vector(&mine, n, qwords, a, NULL);
		xsave_vector(&its, n, qwords, b, NULL);
		for (unsigned i = 0; i < qwords; i++)
			if ((d->vm->vec_known >> n & 1) && a[i] != b[i])
				wrong("vector register %u, qword %u: %llx, not %llx", n, i,
				      (unsigned long long)a[i], (unsigned long long)b[i]);
	}
	for (unsigned n = 0; n < 8 && qwords == 8; n++) {
		uint64_t a = 0, b = 0;

		xsave_opmask(&mine, n, &a);
		xsave_opmask(&its, n, &b);
		if ((d->vm->mask_known >> n & 1) && a != b)
			wrong("k%u: %llx, not %llx", n, (unsigned long long)a,
			      (unsigned long long)b);
	}
}

static void compare_x87(const struct round *d, const unsigned char *image)
{
	bool mine = d->vm->xsave[512] & 1, its = image[512] & 1;

	if (!d->vm->x87_known || !mine || !its)
		return;
	/* control, status, tags */
	if (memcmp(d->vm->xsave, image, 5))
		wrong("x87 control %02x%02x, status %02x%02x, tags %02x, not %02x%02x, %02x%02x, %02x",
		      d->vm->xsave[1], d->vm->xsave[0], d->vm->xsave[3], d->vm->xsave[2],
		      d->vm->xsave[4], image[1], image[0], image[3], image[2], image[4]);
	for (unsigned n = 0; n < 8; n++)
		if (memcmp(d->vm->xsave + 32 + 16 * n, image + 32 + 16 * n, 10))
			wrong("st%u: %llx, not %llx", n,
			      (unsigned long long)load_u64(d->vm->xsave + 32 + 16 * n, false),
			      (unsigned long long)load_u64(image + 32 + 16 * n, false));
}

static void compare_memory(const struct round *d)
{
	unsigned char data[DATA_SIZE];
	struct iovec to = { data, sizeof(data) }, from = { (void *)DATA, sizeof(data) };

	assert_int_equal(process_vm_readv(d->pid, &to, 1, &from, 1, 0), sizeof(data));
	for (unsigned i = 0; i < d->vm->nr_pages; i++) {
		const struct vm_page *p = &d->vm->page[i];

		for (unsigned k = 0; p->addr == DATA && k < DATA_SIZE; k++) {
			bool known = !p->dirty || !(p->unknown[k / 8] >> k % 8 & 1);

			if ((p->have >> k / VM_BLOCK & 1) && known && p->data[k] != data[k])
				wrong("memory at byte %u: %x, not %x", k, p->data[k], data[k]);
		}
	}
}

/* The signal of the stop behind the instruction; a string's rounds are a stop each. */
static int run_thread(const struct round *d, bool rounds, struct user_regs_struct *r)
{
	int status;

	do {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, d->pid, NULL, NULL), 0);
		assert_int_equal(waitpid(d->pid, &status, 0), d->pid);
		assert_true(WIFSTOPPED(status));
		assert_int_equal(ptrace(PTRACE_GETREGS, d->pid, NULL, r), 0);
	} while (rounds && WSTOPSIG(status) == SIGTRAP && r->rip == CODE);
	return WSTOPSIG(status);
}

/* PUSHF wrote the trap flag of the step as well. */
static void clear_trap_flag(const struct round *d)
{
	struct iovec to = { (char[8]){ 0 }, 8 }, from = { (void *)d->vm->reg[VM_SP], 8 };

	assert_int_equal(process_vm_readv(d->pid, &to, 1, &from, 1, 0), 8);
	((unsigned char *)to.iov_base)[1] &= 0xfe;
	copy_to(d->pid, d->vm->reg[VM_SP], to.iov_base, 8);
}

static bool is_cpuid(const struct vm_insn *in)
{
	return in->len >= 2 && in->bytes[in->len - 2] == 0x0f && in->bytes[in->len - 1] == 0xa2;
}

/* The thread does the same. */
static void compare(struct round *d, const struct vm_insn *in)
{
	unsigned char image[IMAGE_MAX];
	struct user_regs_struct r;
	int sig = run_thread(d, in->rep && in->op >= OP_MOVS && in->op <= OP_LODS, &r);

	if (sig != SIGTRAP) {
		/* that an instruction would fault nobody promises, except for what was executed */
		if (d->native)
			wrong("the thread got signal %d", sig);
		return;
	}
	if (d->slips && is_cpuid(in) && r.rip == d->vm->rip + 1) /* over a nop */
		r.rip = d->vm->rip;
	if (d->vm->rip != r.rip)
		wrong("to %llx, not %llx", (unsigned long long)d->vm->rip, r.rip);
	for (unsigned i = 0; i < 16; i++) {
		uint64_t v = load_u64((char *)&r + reg_at[i], false);

		if ((d->vm->known >> i & 1) && d->vm->reg[i] != v)
			wrong("general register %u: %llx, not %llx", i,
			      (unsigned long long)d->vm->reg[i], (unsigned long long)v);
	}
	if (!vm_agrees(d->vm, &r))
		wrong("flags %x of which %x are known, not %llx", d->vm->flags, d->vm->flags_known,
		      r.eflags);
	assert_int_equal(get_image(d->pid, image, sizeof(image)), d->image_size);
	if (d->vm->vectors_read) {
		compare_vectors(d, image);
		compare_x87(d, image);
	}
	if (in->op == OP_PUSHF)
		clear_trap_flag(d);
	compare_memory(d);
}

/* Displacements that alone decide where it is, and registers. False: it cannot be brought there. */
static bool place_operand(struct encoding *x, struct vm_insn *in, struct user_regs_struct *r)
{
	const struct vm_opd *mem = NULL;

	for (unsigned i = 0; i < in->nr; i++)
		if (in->opd[i].kind == VM_OPD_MEM)
			mem = &in->opd[i];
	if (mem && x->disp_at) {
		store_u32(x->bytes + x->disp_at,
			  (uint32_t)(DATA + 128 - (mem->rip ? CODE + in->len : 0)));
		*in = (struct vm_insn){ .addr = CODE };
		assert_true(vm_decode(in, x->bytes, sizeof(x->bytes)));
	}
	return !mem || aim(in, mem, r);
}

/* Descriptor tables: the kernel emulates the instruction, and the step ends behind the next one. */
static bool is_emulated(const struct vm_insn *in)
{
	unsigned n = 0;

	while (n + 2 < in->len && in->bytes[n] != 0x0f)
		n++;
	return in->bytes[n] == 0x0f && in->bytes[n + 1] <= 1;
}

/* With the encoding in d->x. False: the decoder knows none, or not of this kind. */
static inline bool one_round(struct round *d, bool vector)
{
	unsigned char code[sizeof(d->x.bytes) + 1];
	struct vm_insn in = { .addr = CODE }, *at;
	struct encoding *x = &d->x;
	struct user_regs_struct r;
	enum vm_result why;

	if (!vm_decode(&in, x->bytes, sizeof(x->bytes)) || in.vector != vector)
		return false;
	random_registers(d, &r);
	if (!place_operand(x, &in, &r))
		return true;
	memcpy(code, x->bytes, sizeof(x->bytes));
	code[in.len] = 0x90; /* for steps that slip */
	copy_to(d->pid, CODE, code, sizeof(code));
	set_state(d->pid, &r, d->image, d->image_size);
	vm_begin(d->vm, d->pid, &r);
	at = vm_fetch(d->vm, &why);
	assert_non_null(at);
	why = vm_step(d->vm, at);
	if ((why != VM_OK && why != VM_BRANCH) || is_emulated(at))
		return true;
	d->native = at->native && at->native != NO_NATIVE;
	if (d->native && x->odd)
		wrong("executed with a prefix that changes where memory is");
	if (d->native && (d->vm->vec_known != UINT32_MAX || d->vm->known != 0xffff))
		wrong("executed, and not all is known");
	d->natives += d->native;
	d->others += !d->native;
	compare(d, at);
	return true;
}

/* In this process: the tracer would have died. */
static void crashed(int sig)
{
	printf("# signal %d from a copy of", sig);
	for (unsigned i = 0; i < sizeof(now.x.bytes); i++)
		printf(" %02x", now.x.bytes[i]);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

/* Tried, for only that tells: hypervisors that execute CPUID differ. */
static bool slips_over_cpuid(const struct round *d)
{
	struct user_regs_struct r = d->base;

	copy_to(d->pid, CODE, "\x0f\xa2\x90\x90", 4);
	r.rip = CODE;
	r.orig_rax = (unsigned long long)-1;
	assert_int_equal(ptrace(PTRACE_SETREGS, d->pid, NULL, &r), 0);
	assert_int_equal(run_thread(d, false, &r), SIGTRAP);
	assert_in_range(r.rip, CODE + 2, CODE + 3);
	return r.rip == CODE + 3;
}

static int set_up(void **state)
{
	static const int signals[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE };
	struct round *d = &now;
	unsigned char data[DATA_SIZE];

	*state = d;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], crashed);
	if (vm_new(&d->vm, &vm_x86) || xsave_cpu_host(&d->cpu, NULL))
		return -1;
	d->pid = start_program();
	assert_int_equal(ptrace(PTRACE_GETREGS, d->pid, NULL, &d->base), 0);
	d->image_size = get_image(d->pid, d->image, sizeof(d->image));
	for (unsigned i = 0; i < DATA_SIZE; i++)
		data[i] = (unsigned char)rnd();
	copy_to(d->pid, DATA, data, sizeof(data));
	d->slips = slips_over_cpuid(d);
	return 0;
}

static int tear_down(void **state)
{
	struct round *d = *state;

	kill(d->pid, SIGKILL);
	waitpid(d->pid, NULL, 0);
	vm_free(d->vm);
	return 0;
}

#endif
