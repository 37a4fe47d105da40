// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Vector and x87 instructions of the program, executed by the processor itself: in this process, one at a
 * time, on the program's registers. String functions and floating point decide many branches, and
 * without their results the thread would have to run there.
 *
 * Only computing is done here: an instruction of a known extension that this CPU has, whose
 * operands are vector, mask, x87 and general registers, constants, and at most one place in memory. Its
 * copy gets that place replaced by a buffer of ours, so it can reach no other memory; it cannot
 * branch, and it is executed only where floating-point exceptions are masked.
 */
#include "base/bytes.h"
#include "config.h"
#include "exec-int.h"

#if HAVE_ZYDIS
#include <elf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "native-int.h"
#include "xsave/xsave.h"

#define STUBS	   4096
#define STUB_SIZE  32 /* 15 bytes of instruction, 14 of a jump back */
#define STUB_BYTES (STUBS * STUB_SIZE)
#define SSE_MASKED 0x1f80 /* in MXCSR: no floating-point exception raises a signal */

#define X87_MASKED 0x3f /* likewise in its control word */

#define X87_CONTROL_AT	 0
#define MXCSR_AT	 24
#define XMM_AT		 160
#define XMM_SIZE	 256
#define XSTATE_BV_AT	 512
#define XSAVE_HEADER_END 576

/* What an instruction reads and writes beside what vm_insn tells. */
struct vm_native {
	uint32_t vec_read, vec_written;
	uint16_t gpr_read, flags_read;
	uint8_t mask_read, mask_written;
	uint8_t memory; /* operand number + 1; 0 = none */
	uint8_t bytes;	/* of it */
	bool memory_read;
	bool x87;
	uint8_t pointer;     /* the register through which the copy reaches the buffer */
	uint64_t components; /* of XSAVE, that it can have to do with */
	void *stub;
};

struct vm_natives {
	unsigned char *map, *code; /* code NULL: this process may not execute what it wrote */
	uint32_t nr;
	struct native_cpu cpu;
	struct vm_native native[STUBS];
};

/* Offsets are known to the assembly below. */
struct frame {
	uint64_t gpr[16]; /* 0: rax rcx rdx rbx rsp rbp rsi rdi r8-r15 */
	uint64_t flags;	  /* 128 */
	void *stub;	  /* 136 */
	void *xsave;	  /* 144 */
	uint64_t mask;	  /* 152 */
	uint32_t mxcsr;	  /* 160: ours */
	uint32_t avx;	  /* 164: of mask */
	uint32_t x87;	  /* 168: likewise */
	uint32_t sse;	  /* 172: nothing else */
};

void vm_native_call(struct frame *f);
extern const char vm_native_back[];

/* clang-format off */
__asm__(
	".text\n"
	".globl vm_native_call\n.hidden vm_native_call\n.type vm_native_call, @function\n"
	"vm_native_call:\n"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; push %rdi\n"
	"stmxcsr 160(%rdi)\n"
	"mov 152(%rdi), %eax; mov 156(%rdi), %edx; mov 144(%rdi), %rcx\n"
	"cmpl $0, 172(%rdi); je 1f; ldmxcsr 24(%rcx)\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"movups 160+16*\\n(%rcx), %xmm\\n\n.endr\njmp 2f\n"
	"1: xrstor64 (%rcx)\n2:\n"
	"pushq 128(%rdi); popfq\n"
	"mov 0(%rdi), %rax; mov 8(%rdi), %rcx; mov 16(%rdi), %rdx; mov 24(%rdi), %rbx\n"
	"mov 40(%rdi), %rbp; mov 48(%rdi), %rsi\n"
	"mov 64(%rdi), %r8; mov 72(%rdi), %r9; mov 80(%rdi), %r10; mov 88(%rdi), %r11\n"
	"mov 96(%rdi), %r12; mov 104(%rdi), %r13; mov 112(%rdi), %r14; mov 120(%rdi), %r15\n"
	"push 136(%rdi); mov 56(%rdi), %rdi\n"
	"lea 8(%rsp), %rsp; jmp *-8(%rsp)\n" /* to the copy; no ret, for shadow stacks */
	".globl vm_native_back\n.hidden vm_native_back\n"
	"vm_native_back:\n" /* the frame's address is on top of the stack */
	"xchg %rdi, (%rsp)\n"
	"mov %rax, 0(%rdi); mov %rcx, 8(%rdi); mov %rdx, 16(%rdi); mov %rbx, 24(%rdi)\n"
	"mov %rbp, 40(%rdi); mov %rsi, 48(%rdi)\n"
	"mov %r8, 64(%rdi); mov %r9, 72(%rdi); mov %r10, 80(%rdi); mov %r11, 88(%rdi)\n"
	"mov %r12, 96(%rdi); mov %r13, 104(%rdi); mov %r14, 112(%rdi); mov %r15, 120(%rdi)\n"
	"pop 56(%rdi)\n"
	"pushfq; popq 128(%rdi); cld\n"
	"mov 152(%rdi), %eax; mov 156(%rdi), %edx; mov 144(%rdi), %rcx\n"
	"cmpl $0, 172(%rdi); je 1f; stmxcsr 24(%rcx)\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
	"movups %xmm\\n, 160+16*\\n(%rcx)\n.endr\njmp 2f\n"
	"1: xsave64 (%rcx)\n2:\n"
	"cmpl $0, 168(%rdi); je 1f; fninit\n1:\n"
	"cmpl $0, 164(%rdi); je 1f; vzeroupper\n1:\n"
	"ldmxcsr 160(%rdi)\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"ret\n"
	".size vm_native_call, . - vm_native_call\n");
/* clang-format on */

/* ---- what may be executed here -------------------------------------------------------------------------- */

/*
 * As compilers write it: the prefix that belongs to the opcode, and REX right before that. Others
 * change where memory is (67h, segments), lock it, or are seen differently by decoder and CPU.
 */
static bool is_plain(const unsigned char *bytes, const ZydisDecodedInstruction *z)
{
	unsigned n = 0;

	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return bytes[0] == 0xc4 || bytes[0] == 0xc5 || bytes[0] == 0x62;
	if (z->meta.isa_ext == ZYDIS_ISA_EXT_X87 || z->meta.isa_set == ZYDIS_ISA_SET_SSE3X87)
		return (bytes[(bytes[0] & 0xf0) == 0x40] & 0xf8) == 0xd8;
	n += bytes[n] == 0x66 || bytes[n] == 0xf2 || bytes[n] == 0xf3;
	n += (bytes[n] & 0xf0) == 0x40;
	return bytes[n] == 0x0f;
}

/*
 * How much of memory these touch depends on a mask, and their operand does not say so: it is as
 * long as the register, of which they leave alone what the mask leaves out.
 */
static bool is_masked(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
	case ZYDIS_MNEMONIC_VCOMPRESSPD:
	case ZYDIS_MNEMONIC_VCOMPRESSPS:
	case ZYDIS_MNEMONIC_VPCOMPRESSB:
	case ZYDIS_MNEMONIC_VPCOMPRESSW:
	case ZYDIS_MNEMONIC_VPCOMPRESSD:
	case ZYDIS_MNEMONIC_VPCOMPRESSQ:
	case ZYDIS_MNEMONIC_VEXPANDPD:
	case ZYDIS_MNEMONIC_VEXPANDPS:
	case ZYDIS_MNEMONIC_VPEXPANDB:
	case ZYDIS_MNEMONIC_VPEXPANDW:
	case ZYDIS_MNEMONIC_VPEXPANDD:
	case ZYDIS_MNEMONIC_VPEXPANDQ: return true;
	default: return false;
	}
}

#define READS  (ZYDIS_OPERAND_ACTION_MASK_READ)
#define WRITES (ZYDIS_OPERAND_ACTION_MASK_WRITE)

static bool take_register(struct vm_native *n, const ZydisDecodedOperand *o)
{
	ZydisRegister reg = o->reg.value;
	uint32_t bit = 1u << (ZydisRegisterGetId(reg) & 31);
	bool reads = o->actions & READS, writes = o->actions & WRITES;

	switch (ZydisRegisterGetClass(reg)) {
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		n->vec_read |= reads ? bit : 0;
		n->vec_written |= writes ? bit : 0;
		return true;
	case ZYDIS_REGCLASS_MASK:
		n->mask_read |= reads ? bit : 0;
		n->mask_written |= writes ? bit : 0;
		return true;
	case ZYDIS_REGCLASS_GPR8:
	case ZYDIS_REGCLASS_GPR16:
	case ZYDIS_REGCLASS_GPR32:
	case ZYDIS_REGCLASS_GPR64:
		reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
		if (reg < ZYDIS_REGISTER_RAX || reg > ZYDIS_REGISTER_R15)
			return false;
		bit = 1u << (reg - ZYDIS_REGISTER_RAX);
		n->gpr_read |= bit;
		return bit != 1 << VM_SP;
	case ZYDIS_REGCLASS_X87: n->x87 = true; return true;
	case ZYDIS_REGCLASS_FLAGS: return true;
	case ZYDIS_REGCLASS_MMX: return false;
	default:
		return reg == ZYDIS_REGISTER_MXCSR || reg == ZYDIS_REGISTER_X87CONTROL ||
		       reg == ZYDIS_REGISTER_X87STATUS || reg == ZYDIS_REGISTER_X87TAG;
	}
}

static bool take_operands(struct vm_native *n, const struct vm_insn *in,
			  const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
	for (int i = 0; i < z->operand_count; i++) {
		if (o[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			continue;
		if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER) {
			if (!take_register(n, &o[i]))
				return false;
			continue;
		}
		if (o[i].type != ZYDIS_OPERAND_TYPE_MEMORY || n->memory || i >= in->nr ||
		    i >= z->operand_count_visible || o[i].mem.type != ZYDIS_MEMOP_TYPE_MEM ||
		    in->opd[i].kind != VM_OPD_MEM || o[i].size > 512 || !o[i].size)
			return false;
		n->memory = (uint8_t)(i + 1);
		n->bytes = (uint8_t)(is_masked(z) ? z->avx.vector_length / 8 : o[i].size / 8);
		n->memory_read = o[i].actions & READS;
	}
	if (n->mask_read || is_masked(z))
		n->memory_read = true; /* what the mask leaves out stays */
	n->x87 |= z->meta.isa_ext == ZYDIS_ISA_EXT_X87;
	if (z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		n->vec_read |= n->vec_written; /* the upper parts stay */
	if (z->cpu_flags)
		n->flags_read = z->cpu_flags->tested & VM_STATUS;
	return true;
}

/* ---- the copy ------------------------------------------------------------------------------------------------- */

/* [pointer] in place of the memory operand: the ModRM byte alone, no SIB, no displacement. */
static unsigned redirect(unsigned char *to, const unsigned char *from, unsigned pointer,
			 const ZydisDecodedInstruction *z)
{
	unsigned at = z->raw.modrm.offset, n = at;
	int imm = 0;

	memcpy(to, from, at);
	/* bits that extend index and base: plain in REX, inverted in VEX and EVEX */
	if (z->attributes & ZYDIS_ATTRIB_HAS_REX)
		to[z->raw.rex.offset] &= ~3;
	else if (z->attributes & ZYDIS_ATTRIB_HAS_EVEX)
		to[z->raw.evex.offset + 1] |= 0x60;
	else if ((z->attributes & ZYDIS_ATTRIB_HAS_VEX) && z->raw.vex.size == 3)
		to[z->raw.vex.offset + 1] |= 0x60;
	to[n++] = (unsigned char)((from[at] & 0x38) | pointer);
	for (imm = 0; imm < 2 && z->raw.imm[imm].size; imm++)
		for (unsigned i = 0; i < z->raw.imm[imm].size / 8u; i++)
			to[n++] = from[z->raw.imm[imm].offset + i];
	return n;
}

/* A register of the first eight, other than rsp and rbp, that the instruction does not use. */
static uint8_t free_register(uint16_t used)
{
	static const uint8_t choice[] = { VM_DI, VM_SI, VM_BX, VM_DX, VM_CX, VM_AX };

	for (size_t i = 0; i < ARRAY_SIZE(choice); i++)
		if (!(used >> choice[i] & 1))
			return choice[i];
	return VM_NO_REG;
}

static bool make_stub(struct vm_natives *t, struct vm_native *n, const struct vm_insn *in,
		      const ZydisDecodedInstruction *z)
{
	unsigned char *code = t->code + (size_t)t->nr * STUB_SIZE;
	unsigned char copy[STUB_SIZE] = { 0 };
	unsigned len = in->len;
	uint64_t back = (uintptr_t)vm_native_back;

	if (n->memory)
		len = redirect(copy, in->bytes, n->pointer, z);
	else
		memcpy(copy, in->bytes, len);
	memcpy(copy + len, "\xff\x25\0\0\0\0", 6); /* jmp *0(%rip) */
	memcpy(copy + len + 6, &back, 8);
	if (mprotect(t->code, STUB_BYTES, PROT_READ | PROT_WRITE))
		return false;
	memcpy(code, copy, sizeof(copy));
	n->stub = code;
	return !mprotect(t->code, STUB_BYTES, PROT_READ | PROT_EXEC);
}

/*
 * Of @all: to load and store the others costs more than most instructions; where it is the first alone, no XSAVE
 * is needed. What is coded with VEX clears all of a
 * register that it does not write; what is coded without knows the first 16 bytes of it.
 */
static uint64_t components_of(uint64_t all, const struct vm_native *n,
			      const ZydisDecodedInstruction *z, const ZydisDecodedOperand *o)
{
	if (n->x87 || z->meta.isa_ext == ZYDIS_ISA_EXT_MMX)
		return all;
	for (int i = 0; i < z->operand_count; i++)
		if (o[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (o[i].reg.value == ZYDIS_REGISTER_X87CONTROL ||
		     o[i].reg.value == ZYDIS_REGISTER_X87STATUS ||
		     o[i].reg.value == ZYDIS_REGISTER_X87TAG))
			return all;
	if (z->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return all & BIT(XSAVE_SSE);
	return all & ~BIT(XSAVE_X87);
}

static struct vm_native *make(struct vm_natives *t, const struct vm_insn *in)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	struct vm_native *n = &t->native[t->nr];
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;

	*n = (struct vm_native){ .pointer = VM_NO_REG };
	if (!ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, in->bytes, in->len, &z, o)))
		return NULL;
	if (!is_plain(in->bytes, &z) || !native_cpu_has(&t->cpu, &z) ||
	    !take_operands(n, in, &z, o))
		return NULL;
	if (n->memory)
		n->pointer = free_register(n->gpr_read | in->regs_written);
	if (n->memory && n->pointer == VM_NO_REG)
		return NULL;
	n->components = components_of(t->cpu.components, n, &z, o);
	if (!make_stub(t, n, in, &z)) {
		t->code = NULL; /* mapped until the end, and not used any more */
		return NULL;
	}
	t->nr++;
	return n;
}

#define NO_NATIVE 0xffff

static struct vm_native *find(struct vm *vm, struct vm_insn *in)
{
	struct vm_natives *t = vm->natives;
	struct vm_native *n;

	if (!t || !t->code || in->native == NO_NATIVE)
		return NULL;
	if (in->native)
		return &t->native[in->native - 1];
	n = t->nr < STUBS ? make(t, in) : NULL;
	in->native = n ? (uint16_t)(n - t->native + 1) : NO_NATIVE;
	return n;
}

/* ---- executing ------------------------------------------------------------------------------------------------ */

/* The thread stands where the vm began: its vector registers are those of then. */
static bool read_vectors(struct vm *vm)
{
	struct iovec iov = { vm->xsave, sizeof(vm->xsave) };
	uint64_t bv;

	if (ptrace(PTRACE_GETREGSET, vm->tid, (void *)NT_X86_XSTATE, &iov) ||
	    iov.iov_len < XSAVE_HEADER_END)
		return false;
	memcpy(&bv, vm->xsave + XSTATE_BV_AT, sizeof(bv));
	bv &= vm->natives->cpu.components;
	memset(vm->xsave + XSTATE_BV_AT, 0, XSAVE_HEADER_END - XSTATE_BV_AT);
	memcpy(vm->xsave + XSTATE_BV_AT, &bv, sizeof(bv));
	vm->vectors_read = true;
	return true;
}

bool vm_vectors(struct vm *vm)
{
	return vm->natives && (vm->vectors_read || read_vectors(vm));
}

/* A program that wants signals from its floating point gets them by itself. */
static bool all_masked(const struct vm *vm)
{
	if ((load_u64(vm->xsave + XSTATE_BV_AT, false) & BIT(XSAVE_X87)) &&
	    (load_u16(vm->xsave + X87_CONTROL_AT, false) & X87_MASKED) != X87_MASKED)
		return false;
	return (load_u32(vm->xsave + MXCSR_AT, false) & SSE_MASKED) == SSE_MASKED;
}

static bool inputs_known(const struct vm *vm, const struct vm_native *n)
{
	return !(n->vec_read & ~vm->vec_known) && !(n->mask_read & ~vm->mask_known) &&
	       !(n->gpr_read & ~vm->known) && !(n->flags_read & ~vm->flags_known) &&
	       (!n->x87 || vm->x87_known);
}

static void set_known(struct vm *vm, const struct vm_insn *in, const struct vm_native *n,
		      bool known)
{
	if (known) {
		vm->vec_known |= n->vec_written;
		vm->mask_known |= n->mask_written;
		vm->known |= in->regs_written;
		vm->flags_known |= in->flags_written;
		if (n->x87 && in->flags_written) /* fcomi writes these, and may leave others */
			vm->flags_known &= ~(VM_STATUS & ~(VM_ZF | VM_PF | VM_CF));
	} else {
		vm->vec_known &= ~n->vec_written;
		vm->mask_known &= ~n->mask_written;
		vm->x87_known &= !n->x87;
		vm->known &= ~in->regs_written;
		vm->flags_known &= ~in->flags_written;
	}
}

static bool copy_in(struct vm *vm, uint64_t addr, unsigned size, unsigned char *buf)
{
	for (unsigned i = 0; i < size; i += 8) {
		uint64_t v;

		if (vm_load(vm, addr + i, (unsigned)min_u64(8, size - i), &v) != VM_OK)
			return false;
		memcpy(buf + i, &v, 8);
	}
	return true;
}

static void copy_out(struct vm *vm, uint64_t addr, unsigned size, const unsigned char *buf,
		     bool known)
{
	for (unsigned i = 0; i < size; i += 8) {
		uint64_t v;

		memcpy(&v, buf + i, 8);
		(void)vm_store(vm, addr + i, (unsigned)min_u64(8, size - i), v, known);
	}
}

static void run(struct vm *vm, const struct vm_insn *in, const struct vm_native *n,
		unsigned char *buf)
{
	struct frame f = {
		.flags = 0x202 | (vm->flags & VM_STATUS),
		.stub = n->stub,
		.xsave = vm->xsave,
		.mask = n->components,
		.avx = vm->natives->cpu.avx && n->components >> XSAVE_AVX & 1,
		.x87 = n->components >> XSAVE_X87 & 1,
		.sse = n->components == BIT(XSAVE_SSE),
	};

	/* what was in its initial state has no bytes yet */
	if (f.sse && !(load_u64(vm->xsave + XSTATE_BV_AT, false) & BIT(XSAVE_SSE))) {
		memset(vm->xsave + XMM_AT, 0, XMM_SIZE);
		store_u64(vm->xsave + XSTATE_BV_AT,
			  load_u64(vm->xsave + XSTATE_BV_AT, false) | BIT(XSAVE_SSE));
	}
	memcpy(f.gpr, vm->reg, sizeof(f.gpr));
	if (n->memory)
		f.gpr[n->pointer] = (uintptr_t)buf;
	vm_native_call(&f);
	for (int i = 0; i < VM_REGS; i++)
		if (in->regs_written >> i & 1)
			vm->reg[i] = f.gpr[i];
	vm->flags = (vm->flags & ~(uint32_t)in->flags_written) |
		    ((uint32_t)f.flags & in->flags_written);
}

enum vm_result vm_native(struct vm *vm, struct vm_insn *in)
{
	unsigned char buf[128] __attribute__((aligned(64))) = { 0 };
	const struct vm_native *n = find(vm, in);
	const struct vm_opd *o = n && n->memory ? &in->opd[n->memory - 1] : NULL;
	struct val a = { 0, true };
	enum vm_result r = VM_OK;
	bool known;

	if (!n || !vm_vectors(vm) || !all_masked(vm))
		return VM_FOREIGN;
	if (o) {
		a = exec_address(vm, in, o);
		if (o->written)
			r = exec_can_put(vm, in, n->memory - 1u);
		if (r != VM_OK)
			return r;
	}
	known = a.known && inputs_known(vm, n);
	if (known && o && n->memory_read)
		known = copy_in(vm, a.v, n->bytes, buf);
	if (!known && vm->exact)
		return VM_FOREIGN;
	if (known)
		run(vm, in, n, buf);
	set_known(vm, in, n, known);
	if (o && o->written)
		copy_out(vm, a.v, n->bytes, buf, known);
	vm->foreign++;
	return VM_OK;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

void vm_natives_new(struct vm *vm)
{
	struct vm_natives *t = calloc(1, sizeof(*t));

	if (!t || !native_cpu_read(&t->cpu, vm->cpu.xcr0)) {
		free(t);
		return;
	}
	t->code =
		mmap(NULL, STUB_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (t->code == MAP_FAILED)
		t->code = NULL;
	t->map = t->code;
	vm->natives = t;
}

uint64_t vm_natives_components(const struct vm *vm)
{
	return vm->natives ? vm->natives->cpu.components : 0;
}

bool vm_natives_full(const struct vm *vm)
{
	return vm->natives && vm->natives->nr == STUBS;
}

void vm_natives_reset(struct vm *vm)
{
	if (vm->natives)
		vm->natives->nr = 0;
}

void vm_natives_free(struct vm *vm)
{
	if (vm->natives && vm->natives->map)
		munmap(vm->natives->map, STUB_BYTES);
	free(vm->natives);
	vm->natives = NULL;
}
#else
bool vm_vectors(struct vm *vm)
{
	(void)vm;
	return false;
}

enum vm_result vm_native(struct vm *vm, struct vm_insn *in)
{
	(void)vm;
	(void)in;
	return VM_FOREIGN;
}

void vm_natives_new(struct vm *vm)
{
	(void)vm;
}

uint64_t vm_natives_components(const struct vm *vm)
{
	(void)vm;
	return 0;
}

bool vm_natives_full(const struct vm *vm)
{
	(void)vm;
	return false;
}

void vm_natives_reset(struct vm *vm)
{
	(void)vm;
}

void vm_natives_free(struct vm *vm)
{
	(void)vm;
}
#endif
