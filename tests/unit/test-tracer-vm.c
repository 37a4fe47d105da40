// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tracer's interpreter against the processor: each instruction runs natively on random
 * registers and flags, and interpreted; what the interpreter calls known must be equal.
 */
#include "base/bytes.h"
#include "unit.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/mman.h>

#include "tracer/exec-int.h"
#include "tracer/vm-int.h"

#define ROUNDS	  3000
#define SNIP_BACK 14 /* jmp *0(%rip) and the address */

struct snippet {
	const unsigned char *code, *end;
	const char *text;
	uint64_t flags; /* 1: some results may stay unknown; 2, 4, 8: needs SSE4.2, AVX2, AVX-512 */
};

struct native {
	uint64_t reg[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8-r15 */
	uint64_t flags;
};

void native_run(struct native *n, const void *code);
void native_back(void);
extern const struct snippet snippets[], snippets_end[];
uint64_t native_sp, native_state, native_to, native_tmp;

/* clang-format off */
__asm__(
	".text\n"
	".globl native_run, native_back\n"
	"native_run:\n"
	"push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, native_sp(%rip); mov %rdi, native_state(%rip); mov %rsi, native_to(%rip)\n"
	"pushq 128(%rdi); popfq\n"
	"mov 0(%rdi), %rax; mov 8(%rdi), %rcx; mov 16(%rdi), %rdx; mov 24(%rdi), %rbx\n"
	"mov 40(%rdi), %rbp; mov 48(%rdi), %rsi\n"
	"mov 64(%rdi), %r8; mov 72(%rdi), %r9; mov 80(%rdi), %r10; mov 88(%rdi), %r11\n"
	"mov 96(%rdi), %r12; mov 104(%rdi), %r13; mov 112(%rdi), %r14; mov 120(%rdi), %r15\n"
	"mov 56(%rdi), %rdi\n"
	"jmp *native_to(%rip)\n"
	"native_back:\n"
	"mov %rdi, native_tmp(%rip); mov native_state(%rip), %rdi\n"
	"mov %rax, 0(%rdi); mov %rcx, 8(%rdi); mov %rdx, 16(%rdi); mov %rbx, 24(%rdi)\n"
	"mov %rbp, 40(%rdi); mov %rsi, 48(%rdi)\n"
	"mov %r8, 64(%rdi); mov %r9, 72(%rdi); mov %r10, 80(%rdi); mov %r11, 88(%rdi)\n"
	"mov %r12, 96(%rdi); mov %r13, 104(%rdi); mov %r14, 112(%rdi); mov %r15, 120(%rdi)\n"
	"mov native_tmp(%rip), %rax; mov %rax, 56(%rdi)\n"
	"pushfq; popq 128(%rdi); cld\n"
	"mov native_sp(%rip), %rsp\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"ret\n"
	/* .byte: jrcxz, jc, jle, jnp, loop over an inc %ebx */
	/* "S insn": the code here, its place and text in the table; "U insn": parts may be unknown */
	".macro SNIP kind, insn:vararg\n"
	".section .text\n771: \\insn\n772:\n"
	".section .rodata\n773: .asciz \"\\insn\"\n"
	".section .data.rel.ro, \"aw\"\n.quad 771b, 772b, 773b, \\kind\n"
	".endm\n"
	".macro S insn:vararg\nSNIP 0, \\insn\n.endm\n"
	".macro U insn:vararg\nSNIP 1, \\insn\n.endm\n"
	/* "V insn": on xmm1 and xmm2 of memory, ymm3 and k1 of registers; xmm1 is stored again */
	".macro VEC kind, insn:vararg\n"
	".section .text\n771: movdqu (%rsi), %xmm1\nmovdqu 16(%rsi), %xmm2\n\\insn\n"
	"movdqu %xmm1, 32(%rsi)\n772:\n"
	".section .rodata\n773: .asciz \"\\insn\"\n"
	".section .data.rel.ro, \"aw\"\n.quad 771b, 772b, 773b, \\kind\n"
	".endm\n"
	".macro V insn:vararg\nVEC 2, \\insn\n.endm\n"
	".macro W insn:vararg\nVEC 4, \\insn\n.endm\n"
	".macro Z insn:vararg\n"
	".section .text\n771: movdqu (%rsi), %xmm1\nmovdqu 16(%rsi), %xmm2\nkxnorq %k1, %k1, %k1\n"
	"\\insn\nmovdqu %xmm1, 32(%rsi)\nkmovq %k1, %rcx\n772:\n"
	".section .rodata\n773: .asciz \"\\insn\"\n"
	".section .data.rel.ro, \"aw\"\n.quad 771b, 772b, 773b, 8\n"
	".endm\n"
	".section .data.rel.ro, \"aw\"\n.balign 8\n.globl snippets\nsnippets:\n"
	"S mov %rax, %rbx\nS mov %eax, %ebx\nS mov %ax, %bx\nS mov %ah, %bl\nS mov %cl, %dh\n"
	"S mov $-5, %rcx\nS movabs $0x123456789abcdef0, %r9\nS mov 8(%rsi), %rax\nS mov %edx, 12(%rsi)\n"
	"S mov %dl, 3(%rsi)\nS movb $7, 1(%rsi)\nS movq $-9, 16(%rsi)\n"
	"S movzbl %al, %ebx\nS movzbl %ah, %ebx\nS movzwl 2(%rsi), %r8d\nS movsbq %cl, %rdx\nS movslq %eax, %r10\n"
	"S movsbl 5(%rsi), %eax\nS movswq %ax, %rax\n"
	"S lea 5(%rax, %rbx, 4), %rcx\nS lea -7(%rax), %ecx\nS lea (, %r8, 8), %r9\n"
	"S add %rax, %rbx\nS add %al, %bl\nS add %ax, %bx\nS add $-1, %eax\nS add %rax, 8(%rsi)\nS add 4(%rsi), %cl\n"
	"S adc %rax, %rbx\nS adc $0, %edx\nS adc %al, %cl\nS sbb %rax, %rbx\nS sbb %eax, %eax\nS sbb %al, %bl\n"
	"S sub %rax, %rbx\nS sub $1, %ecx\nS sub %ax, %bx\nS sub %ah, %al\nS cmp %rax, %rbx\nS cmp %al, (%rsi)\nS cmp $-128, %r9\n"
	"S and %rax, %rbx\nS and $15, %eax\nS or %r8, %r9\nS or %al, %bl\nS xor %eax, %eax\nS xor %rcx, %rdx\n"
	"S test %rax, %rax\nS test $1, %dil\nS test %ax, %bx\nS not %rax\nS not %bl\nS neg %rax\nS neg %cx\nS neg %dl\n"
	"S inc %rax\nS inc %al\nS incl 4(%rsi)\nS dec %ebx\nS dec %cx\n"
	"S shl $1, %rax\nS shl $5, %ebx\nS shl %cl, %rdx\nS shl %cl, %dl\nS shl $9, %ax\nS shr $1, %al\nS shr %cl, %r8\n"
	"S shr $31, %r9d\nS shr %cl, %bx\nS sar $1, %rax\nS sar %cl, %ebx\nS sar $7, %dl\nS sar %cl, %ax\n"
	"S rol $1, %rax\nS rol %cl, %ebx\nS rol $3, %al\nS ror $1, %ecx\nS ror %cl, %rdx\nS ror $8, %bx\n"
	"S shld $3, %rax, %rbx\nS shld %cl, %eax, %ebx\nS shrd $7, %rax, %rbx\nS shrd %cl, %eax, %ebx\n"
	"S imul %rax, %rbx\nS imul %eax, %ebx\nS imul %ax, %bx\nS imul $-7, %rax, %rcx\nS imul $1000, %ecx, %edx\n"
	"S imul %rbx\nS imul %ebx\nS imul %bx\nS mul %rbx\nS mul %ecx\nS mul %cx\nS mulx %rbx, %rax, %rcx\nS mulx %ebx, %eax, %ecx\n"
	"S div %rbx\nS div %ebx\nS idiv %rcx\nS idiv %ecx\nS idiv %cx\n"
	"S cbw\nS cwde\nS cdqe\nS cwd\nS cdq\nS cqo\n"
	"S setc %al\nS setz %bl\nS setle %cl\nS setp %dl\nS seto (%rsi)\nS setg %ah\n"
	"S cmovc %rax, %rbx\nS cmovz %eax, %ebx\nS cmovle %rcx, %rdx\nS cmovs %ax, %bx\nS cmovnp 8(%rsi), %rax\nS cmovg %r8, %r9\n"
	"S xchg %rax, %rbx\nS xchg %al, %ah\nS xchg %ecx, 4(%rsi)\nS xadd %rax, %rbx\nS xadd %cl, (%rsi)\nS lock xadd %eax, 8(%rsi)\n"
	"S cmpxchg %rcx, %rbx\nS cmpxchg %ecx, (%rsi)\nS lock cmpxchg %cl, 8(%rsi)\n"
	"S bswap %eax\nS bswap %r9\nS movbe 8(%rsi), %rax\nS movbe 1(%rsi), %ecx\nS movbe (%rsi), %dx\n"
	"S movbe %r8, 16(%rsi)\nS movbe %eax, 3(%rsi)\nS movbe %bx, 6(%rsi)\n"
	"U bsf %rax, %rbx\nU bsr %eax, %ebx\nS tzcnt %rax, %rbx\nS tzcnt %ax, %bx\nS lzcnt %eax, %ebx\nS lzcnt %rax, %rcx\n"
	"S popcnt %rax, %rbx\nS popcnt %ax, %cx\nS bt $3, %rax\nS bt %rcx, %rax\nS bts $40, %rbx\nS btr %ecx, %eax\nS btcl $5, (%rsi)\n"
	"S andn %rax, %rbx, %rcx\nS blsr %rax, %rbx\nS blsi %eax, %ebx\nS blsmsk %rax, %rcx\nS bzhi %rax, %rbx, %rcx\n"
	"S rorx $5, %rax, %rbx\nS rorx $5, %eax, %ebx\nS shlx %rcx, %rax, %rbx\nS shrx %ecx, %eax, %ebx\nS sarx %rcx, %rax, %rdx\n"
	"S movsb\nS movsq\nS stosl\nS cld\nS nop\nS endbr64\nS .byte 0xe3,2,0xff,0xc3\nS .byte 0x72,2,0xff,0xc3\nS .byte 0x7e,2,0xff,0xc3\nS .byte 0x7b,2,0xff,0xc3\n"
	"S .byte 0xe2,2,0xff,0xc3\n"
	/* lahf; the carry of clc, stc, cmc and sahf asked for */
	"S lahf\nS .byte 0xf8,0x0f,0x92,0xc1\nS .byte 0xf9,0x0f,0x92,0xc1\nS .byte 0xf5,0x0f,0x92,0xc1\n"
	"S .byte 0x9e,0x0f,0x92,0xc1\n"
	"U rdtsc\nU rcl $1, %rbx\n"
	/* jumps to what a register and memory say, over an inc %ebx; flags of a shift and a product asked for */
	"S .byte 0x48,0x8d,5,4,0,0,0,0xff,0xe0,0xff,0xc3\n"
	"S .byte 0x48,0x8d,5,7,0,0,0,0x48,0x89,6,0xff,0x26,0xff,0xc3\n"
	"S .byte 0xd1,0xe0,0x0f,0x92,0xc1\nS .byte 0xc1,0xe8,3,0x0f,0x94,0xc1\nS .byte 0xd3,0xfa,0x0f,0x9a,0xc3\n"
	"S .byte 0x0f,0xaf,0xc3,0x0f,0x90,0xc1\nS .byte 0xf7,0xd8,0x0f,0x97,0xc1\nS .byte 0x01,0xd8,0xc1,0xc0,3,0x0f,0x94,0xc1\n"
	/* cpuid of leaves 0, 7 and 0x80000005, xgetbv */
	"S .byte 0x31,0xc0,0x31,0xc9,0x0f,0xa2\nS .byte 0xb8,7,0,0,0,0x31,0xc9,0x0f,0xa2\n"
	"S .byte 0xb8,5,0,0,0x80,0x31,0xc9,0x0f,0xa2\nS .byte 0x31,0xc9,0x0f,0x01,0xd0\n"
	/* vector instructions, by the processor: registers high and low, memory with index, constants */
	"V pcmpeqb %xmm2, %xmm1\nV pmovmskb %xmm1, %ecx\nV paddd 48(%rsi), %xmm1\nV movd %eax, %xmm1\n"
	"V movq %xmm2, %r9\nV cvtsi2sd %rdx, %xmm1\nV cvttsd2si %xmm1, %rax\nV ucomisd %xmm2, %xmm1\n"
	"V comiss 8(%rsi), %xmm1\nV mulsd %xmm2, %xmm1\nV divss 4(%rsi), %xmm1\nV sqrtpd %xmm2, %xmm1\n"
	"V movups %xmm2, 35(%rsi)\nV movsd %xmm1, 8(%rsi)\nV movhps 24(%rsi), %xmm1\nV pshufd $27, 16(%rsi), %xmm1\n"
	"V pinsrw $3, %r11d, %xmm1\nV pextrq $1, %xmm2, %rbx\nV pcmpistri $0x18, %xmm2, %xmm1\nV ptest %xmm1, %xmm2\n"
	"V punpcklbw %xmm2, %xmm1\nV psrldq $5, %xmm1\nV palignr $3, 16(%rsi), %xmm1\n"
	"W vpcmpeqb (%rsi), %ymm1, %ymm1\nW vpmovmskb %ymm2, %r10d\nW vpbroadcastb %xmm2, %ymm1\n"
	"W vcvtsi2sd %rdi, %xmm2, %xmm1\nW vfmadd231sd 8(%rsi), %xmm2, %xmm1\nW vextracti128 $1, %ymm2, %xmm1\n"
	"W vmovdqu 24(%rsi), %ymm9\nW vzeroupper\nW vpsravd 4(%rsi), %ymm2, %ymm1\n"
	"Z vpcmpeqb (%rsi), %zmm1, %k1\nZ vpbroadcastd %r8d, %zmm1\nZ vpaddq 8(%rsi){1to8}, %zmm2, %zmm1\n"
	"Z vpminub 16(%rsi), %ymm2, %ymm1\nZ vptestnmb %xmm2, %xmm1, %k1\nZ kshiftrd $9, %k1, %k1\n"
	"Z vmovdqu8 %xmm2, 9(%rsi){%k1}\nZ vpcmpub $2, %xmm2, %xmm1, %k1{%k1}\nZ kortestd %k1, %k1\n"
	"Z vpternlogd $0x96, %zmm2, %zmm1, %zmm1\n"
	".section .data.rel.ro, \"aw\"\n.globl snippets_end\nsnippets_end:\n"
	".text\n");
/* clang-format on */

static uint64_t seed = 0x243f6a8885a308d3;

static uint64_t rnd(void)
{
	return unit_random(&seed);
}

/* Edge values as often as others. */
static uint64_t value(void)
{
	static const uint64_t edges[] = { 0,	  1,	      -1ULL,	  0x80,	      0x7f,
					  0x8000, 0x80000000, 0x7fffffff, 1ULL << 63, ~(1ULL << 63),
					  31,	  32,	      33,	  63,	      64,
					  0xff00 };

	switch (rnd() % 4) {
	case 0: return edges[rnd() % ARRAY_SIZE(edges)];
	case 1: return rnd() % 100;
	case 2: return rnd() & 0xffffffff;
	default: return rnd();
	}
}

static void to_regs(const struct native *n, uint64_t rip, struct user_regs_struct *r)
{
	memset(r, 0, sizeof(*r));
	r->rax = n->reg[0], r->rcx = n->reg[1], r->rdx = n->reg[2], r->rbx = n->reg[3];
	r->rsp = n->reg[4], r->rbp = n->reg[5], r->rsi = n->reg[6], r->rdi = n->reg[7];
	r->r8 = n->reg[8], r->r9 = n->reg[9], r->r10 = n->reg[10], r->r11 = n->reg[11];
	r->r12 = n->reg[12], r->r13 = n->reg[13], r->r14 = n->reg[14], r->r15 = n->reg[15];
	r->eflags = n->flags;
	r->rip = rip;
}

static void describe(const struct snippet *s, const struct native *before,
		     const struct native *after, const struct vm *vm)
{
	for (int i = 0; i < 16; i++)
		if (vm->reg[i] != after->reg[i])
			print_error("%s: reg %d: %llx -> native %llx, vm %llx%s\n", s->text, i,
				    (unsigned long long)before->reg[i],
				    (unsigned long long)after->reg[i],
				    (unsigned long long)vm->reg[i],
				    vm->known >> i & 1 ? "" : " (unknown)");
	print_error("%s: flags %llx -> native %llx, vm %x known %x\n", s->text,
		    (unsigned long long)before->flags, (unsigned long long)after->flags, vm->flags,
		    vm->flags_known);
}

static unsigned char *area; /* code page, data page */

static void prepare(const struct snippet *s)
{
	size_t n = (size_t)(s->end - s->code);
	uint64_t back = (uint64_t)(uintptr_t)native_back;

	memcpy(area, s->code, n);
	memcpy(area + n, "\xff\x25\0\0\0\0", 6);
	memcpy(area + n + 6, &back, 8);
}

/*
 * Interprets up to the end of the snippet; with @run by short cuts, which need pages that are all there and, for
 * stores, were stored to before, and on to where its branch leads.
 */
static enum vm_result interpret(struct vm *vm, uint64_t end, bool run)
{
	enum vm_result r = VM_OK;
	uint64_t back = (uint64_t)(uintptr_t)native_back, v = 0;

	for (uint64_t at = 0; run && at < 4096; at += 512)
		vm_load(vm, (uint64_t)(uintptr_t)area + 4096 + at, 8, &v);
	if (run)
		vm_store(vm, (uint64_t)(uintptr_t)area + 4096 + 4088, 8, v, true);
	while (vm->rip != end && vm->rip != back && (r == VM_OK || r == VM_BRANCH)) {
		struct vm_insn *in;

		if (run) {
			r = vm_run(vm, 100, &in);
			continue;
		}
		in = vm_fetch(vm, &r);
		if (!in)
			return r;
		r = vm_step(vm, in);
	}
	if (vm->rip == back)
		vm->rip = end;
	return r == VM_BRANCH ? VM_OK : r;
}

static void one_round(struct vm *vm, const struct snippet *s, unsigned *known, unsigned *ran)
{
	uint64_t code = (uint64_t)(uintptr_t)area, end = code + (uint64_t)(s->end - s->code);
	unsigned char data[64], mine[64];
	struct native before, after;
	struct user_regs_struct r;
	bool all_memory = true;

	for (int i = 0; i < 16; i++)
		before.reg[i] = value();
	for (int i = 0; i < 64; i++)
		area[4096 + i] = data[i] = (unsigned char)rnd();
	before.reg[6] = code + 4096;
	before.reg[7] = code + 4096 + 32; /* stos and movs write there */
	before.flags = 0x202 | (rnd() & VM_STATUS);
	to_regs(&before, code, &r);
	vm_begin(vm, getpid(), &r);
	/* no thread to read them from: all in their initial state */
	vm->vectors_read = true;
	memset(vm->xsave, 0, sizeof(vm->xsave));
	store_u32(vm->xsave + 24, 0x1f80);
	if (interpret(vm, end, rnd() & 1) != VM_OK)
		return; /* division by zero and the like: the processor would raise an exception */
	for (int i = 0; i < 64; i += 8) {
		uint64_t v;

		all_memory &= vm_load(vm, code + 4096 + i, 8, &v) == VM_OK;
		memcpy(mine + i, &v, 8);
	}
	after = before;
	native_run(&after, area);
	after.reg[4] = before.reg[4];
	to_regs(&after, end, &r);
	if (!vm_agrees(vm, &r) || (all_memory && memcmp(mine, area + 4096, 64))) {
		describe(s, &before, &after, vm);
		fail_msg("'%s' is interpreted wrongly", s->text);
	}
	++*ran;
	*known += vm->known == 0xffff && all_memory;
}

static void map_area(void)
{
	area = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	assert_ptr_not_equal(area, MAP_FAILED);
}

static void test_against_processor(void **state)
{
	struct vm *vm;
	unsigned done = 0;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	map_area();
	for (const struct snippet *s = snippets; s < snippets_end; s++, done++) {
		unsigned known = 0, ran = 0;

		if (((s->flags & 2) && !__builtin_cpu_supports("sse4.2")) ||
		    ((s->flags & 4) && !__builtin_cpu_supports("avx2")) ||
		    ((s->flags & 8) && !__builtin_cpu_supports("avx512bw")))
			continue;
		/* Whoever has BMI2 has LZCNT and MOVBE, which clang 14 cannot be asked for. */
		if (strstr(s->text, "mulx") || strstr(s->text, "lzcnt") ||
		    strstr(s->text, "movbe") || s->text[3] == 'x')
			if (!__builtin_cpu_supports("bmi2"))
				continue;
		prepare(s);
		for (int i = 0; i < ROUNDS; i++)
			one_round(vm, s, &known, &ran);
		if (ran < ROUNDS / 20)
			fail_msg("'%s' ran only %u times", s->text, ran);
		if (s->flags != 1 && known * 10 < ran * 9)
			fail_msg("'%s' left something unknown in %u of %u runs", s->text,
				 ran - known, ran);
	}
	assert_true(done > 150);
	munmap(area, 8192);
	vm_free(vm);
}

/*
 * A branch in one block with what sets its flags: every condition, behind operations of each size; adc, and what an inc
 * between them leaves of the carry.
 */
static void test_conditions(void **state)
{
	static const struct {
		const char *bytes;
		unsigned n;
	} sets[] = {
		{ "\x38\xd8", 2 },		   /* cmp %bl, %al */
		{ "\x66\x39\xd8", 3 },		   /* cmp %bx, %ax */
		{ "\x39\xd8", 2 },		   /* cmp %ebx, %eax */
		{ "\x48\x39\xd8", 3 },		   /* cmp %rbx, %rax */
		{ "\x48\x3b\x06", 3 },		   /* cmp (%rsi), %rax */
		{ "\x83\x3e\x07", 3 },		   /* cmpl $7, (%rsi) */
		{ "\x48\x29\xd8", 3 },		   /* sub %rbx, %rax */
		{ "\x21\xd8", 2 },		   /* and %ebx, %eax */
		{ "\x84\xc0", 2 },		   /* test %al, %al */
		{ "\x48\x01\xd8", 3 },		   /* add %rbx, %rax */
		{ "\x01\x06", 2 },		   /* add %eax, (%rsi) */
		{ "\x48\xff\xc0", 3 },		   /* inc %rax */
		{ "\x01\xd8\xff\xc9", 4 },	   /* add %ebx, %eax; dec %ecx */
		{ "\x39\xd8\x83\xd1\x00", 5 },	   /* cmp %ebx, %eax; adc $0, %ecx */
		{ "\x38\xd8\xfe\xc1\x18\xca", 6 }, /* cmp %bl, %al; inc %cl; sbb %cl, %dl */
		{ "\x48\xf7\xd8", 3 },		   /* neg %rax */
		{ "\xd1\xe8", 2 },		   /* shr %eax */
	};
	unsigned known, ran;
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	map_area();
	for (unsigned i = 0; i < ARRAY_SIZE(sets) * 16; i++) {
		unsigned char code[16];
		char text[32];
		struct snippet s = { .code = code, .text = text };

		memcpy(code, sets[i / 16].bytes, sets[i / 16].n);
		/* jcc over an inc %ebx */
		memcpy(code + sets[i / 16].n, "\x70\x02\xff\xc3", 4);
		code[sets[i / 16].n] |= i % 16;
		s.end = code + sets[i / 16].n + 4;
		snprintf(text, sizeof(text), "operation %u, condition %u", i / 16, i % 16);
		prepare(&s);
		known = ran = 0;
		for (int n = 0; n < 200; n++)
			one_round(vm, &s, &known, &ran);
		assert_true(ran == 200 && known >= 190);
	}
	munmap(area, 8192);
	vm_free(vm);
}

/* What is unknown spreads, and only a decision on it stops the interpreter. */
static void test_unknown(void **state)
{
	/* rdtsc; mov %eax, %ebx; add $1, %ebx; xor %eax, %eax; mov %eax, %ecx; test %ebx, %ebx; jz */
	static const unsigned char code[] = { 0x0f, 0x31, 0x89, 0xc3, 0x83, 0xc3, 0x01, 0x31,
					      0xc0, 0x89, 0xc1, 0x85, 0xdb, 0x74, 0x00 };
	struct user_regs_struct r = { .rip = (uint64_t)(uintptr_t)code, .rcx = 5 };
	enum vm_result why = VM_OK;
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	vm_begin(vm, getpid(), &r);
	for (int i = 0; i < 6; i++)
		assert_int_equal(vm_step(vm, vm_fetch(vm, &why)), VM_OK);
	assert_int_equal(vm->known & 0xf, 1 << VM_AX | 1 << VM_CX);
	assert_int_equal(vm->reg[VM_CX], 0);
	assert_int_equal(vm_step(vm, vm_fetch(vm, &why)), VM_UNKNOWN);
	assert_int_equal(vm->rip, (uint64_t)(uintptr_t)code + 13);
	assert_int_equal(vm->nr_trace, 6);
	vm_free(vm);
}

/* What short cuts execute is counted as well: a breakpoint is armed for as many. */
static void test_visits(void **state)
{
	/* mov $5, %ecx; sub $1, %ecx; jnz to the sub; syscall */
	static const unsigned char code[] = { 0xb9, 5,	  0,	0,    0,    0x83,
					      0xe9, 0x01, 0x75, 0xfb, 0x0f, 0x05 };
	struct user_regs_struct r = { .rip = (uint64_t)(uintptr_t)code };
	struct vm_insn *in;
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	vm_begin(vm, getpid(), &r);
	for (int i = 0; i < 4; i++)
		assert_int_equal(vm_run(vm, 100, &in), VM_BRANCH);
	assert_int_equal(vm_run(vm, 100, &in), VM_SYSCALL);
	assert_int_equal(vm_visits(vm, r.rip), 1);
	assert_int_equal(vm_visits(vm, r.rip + 5), 5);
	assert_int_equal(vm_visits(vm, r.rip + 8), 5);
	assert_int_equal(vm_visits(vm, r.rip + 10), 0);
	vm_free(vm);
}

/* Branches that are gone past are those at which vm_run() stops, and the vm stands at the last one. */
static void test_past(void **state)
{
	/* mov $40, %ecx; call to the ret; dec %ecx; jz to the syscall; jmp to the call; syscall; ret */
	static const unsigned char code[] = { 0xb9, 40,	  0,	0,    0,    0xe8, 8,
					      0,    0,	  0,	0xff, 0xc9, 0x74, 0x02,
					      0xeb, 0xf5, 0x0f, 0x05, 0xc3 };
	struct user_regs_struct r = { .rip = (uint64_t)(uintptr_t)code };
	uint64_t stack[512] __attribute__((aligned(4096)));
	struct vm_branch all[200];
	unsigned nr = 0, seen;
	struct vm_insn *in;
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	memset(stack, 0, sizeof(stack));
	r.rsp = (uint64_t)(uintptr_t)(stack + 256);
	vm_begin(vm, getpid(), &r);
	while (vm_run(vm, 100, &in) == VM_BRANCH)
		all[nr++] = (struct vm_branch){ in->addr, vm->rip, in->branch };
	assert_int_equal(nr, 40 * 3);
	for (uint32_t past = 0; past < 70; past += 3) {
		uint32_t most = past < VM_PASSED ? past : VM_PASSED;
		enum vm_result why;

		vm_begin(vm, getpid(), &r);
		for (seen = 0;; seen++) {
			why = vm_run_past(vm, 1000, past, &in);
			for (uint32_t i = 0; i < vm->nr_passed; i++, seen++)
				assert_memory_equal(&vm->passed[i], &all[seen], 17);
			if (why != VM_BRANCH)
				break;
			assert_int_equal(vm->nr_passed, most);
			assert_int_equal(in->addr, all[seen].from);
			assert_int_equal(vm->rip, all[seen].to);
			assert_int_equal(vm->reg[VM_CX], 40 - (seen + 1) / 3);
		}
		assert_int_equal(why, VM_SYSCALL);
		assert_int_equal(seen, nr);
		assert_int_equal(vm->rip, r.rip + 16);
	}
	vm_free(vm);
}

static bool yes(void)
{
	return true;
}

static bool no(void)
{
	return false;
}

/* What CPUID says of the number of a CPU, and where there are several kinds of cores of its kind. */
static void test_cpuid_of_a_cpu(void **state)
{
	static const struct {
		uint32_t leaf;
		uint16_t alike, hybrid;
	} rows[] = {
		{ 0, 0, 0 },
		{ 1, BIT(VM_BX), BIT(VM_BX) },
		{ 4, 0, BIT(VM_AX) | BIT(VM_BX) | BIT(VM_CX) | BIT(VM_DX) },
		{ 7, 0, 0 },
		{ 0xb, BIT(VM_DX), BIT(VM_DX) },
		{ 0x1a, 0, BIT(VM_AX) },
		{ 0x80000006, 0, BIT(VM_CX) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(exec_cpuid_differs(rows[i].leaf, no), rows[i].alike);
		assert_int_equal(exec_cpuid_differs(rows[i].leaf, yes), rows[i].hybrid);
	}
}

/* As many instructions as were asked for, in one go or by parts; more than are remembered are counted, too. */
static void test_exactly(void **state)
{
	static unsigned char code[2048];
	struct user_regs_struct r = { .rip = (uint64_t)(uintptr_t)code };
	struct vm_insn *in;
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	memset(code, 0x90, sizeof(code));
	memcpy(code + 1000, "\xff\xc9\x0f\x85", 4); /* dec %ecx; jnz to the start */
	memcpy(code + 1004, &(int32_t){ -1008 }, 4);
	memcpy(code + 1008, "\x0f\x05", 2);
	r.rcx = 100;
	for (unsigned n = 1; n < 300; n += 7) {
		uint64_t before;

		vm_begin(vm, getpid(), &r);
		before = vm->executed;
		for (unsigned part = 0; part < 3; part++) {
			assert_int_equal(vm_run(vm, n, &in), VM_OK);
			assert_int_equal(vm->executed - before, n * (part + 1));
			assert_int_equal(vm->rip, r.rip + n * (part + 1));
			assert_int_equal(in->addr, vm->rip - 1);
			assert_int_equal(vm->nr_trace, n * (part + 1));
		}
	}
	vm_begin(vm, getpid(), &r);
	for (unsigned i = 1; i < 100; i++)
		assert_int_equal(vm_run(vm, 100000, &in), VM_BRANCH);
	assert_int_equal(vm->nr_trace, VM_TRACE);
	assert_int_equal(vm_visits(vm, r.rip), (VM_TRACE + 1001) / 1002);
	assert_int_equal(vm_visits(vm, r.rip + (VM_TRACE - 1) % 1002), (VM_TRACE + 1001) / 1002);
	assert_int_equal(vm_run(vm, 100000, &in), VM_SYSCALL);
	assert_int_equal(in->addr, r.rip + 1008);
	assert_int_equal(vm->rip, r.rip + 1008);
	vm_free(vm);
}

/* At a stop within a walk the program may have written code anew: what was decoded before is compared again. */
static void test_rewritten(void **state)
{
	static unsigned char code[4096] __attribute__((aligned(4096)));
	struct user_regs_struct r = { .rip = (uint64_t)(uintptr_t)code };
	struct vm_insn *in;
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	for (unsigned quick = 0; quick < 2; quick++) {
		memcpy(code, "\xb8\x01\0\0\0\x90\x0f\x05", 8); /* mov $1, %eax; nop; syscall */
		vm_begin(vm, getpid(), &r);
		assert_int_equal(vm_run(vm, 100, &in), VM_SYSCALL);
		assert_int_equal(vm->reg[VM_AX], 1);
		memcpy(code, "\xb8\x02\0\0\0\x0f\x05", 7); /* mov $2, %eax; syscall */
		vm_sync(vm, &r);
		if (quick)
			assert_int_equal(vm_probe(vm, r.rip, 8), VM_OK);
		assert_int_equal(vm_run(vm, 100, &in), VM_SYSCALL);
		assert_int_equal(vm->reg[VM_AX], 2);
		assert_int_equal(vm->rip, r.rip + 5);
	}
	/* a stop, and a store into code that came from no page since */
	memcpy(code, "\xb8\x01\0\0\0\x0f\x05", 7);
	vm_begin(vm, getpid(), &r);
	assert_int_equal(vm_run(vm, 100, &in), VM_SYSCALL);
	vm_sync(vm, &r);
	assert_int_equal(vm_store(vm, r.rip + 1, 1, 3, true), VM_OK);
	assert_int_equal(vm_run(vm, 100, &in), VM_SYSCALL);
	assert_int_equal(vm->reg[VM_AX], 3);
	/* movb $9, 1(%rip); mov $1, %eax; syscall: of the instruction behind it, in its own block, twice */
	memcpy(code, "\xc6\x05\x01\0\0\0\x09\xb8\x01\0\0\0\x0f\x05", 14);
	for (unsigned i = 0; i < 2; i++) {
		vm_begin(vm, getpid(), &r);
		assert_int_equal(vm_run(vm, 100, &in), VM_SYSCALL);
		assert_int_equal(vm->reg[VM_AX], 9);
		assert_int_equal(vm_visits(vm, r.rip), 1);
		assert_int_equal(vm_visits(vm, r.rip + 7), 1);
	}
	vm_free(vm);
}

#define BUFFER (5 * 4096)

/* A copy, or bytes that are filled, by the processor and interpreted: of any length, over each other. */
static void one_string(struct vm *vm, unsigned char *buf)
{
	static const char code[8][4] = { "\xf3\xa4", "\xf3\x66\xa5", "\xf3\xa5", "\xf3\x48\xa5",
					 "\xf3\xaa", "\xf3\x66\xab", "\xf3\xab", "\xf3\x48\xab" };
	unsigned which = (unsigned)rnd() % 8, shift = which % 4;
	uint64_t bytes = rnd() % (rnd() & 1 ? 200 : 2 * 4096) >> shift << shift;
	uint64_t from = rnd() % (BUFFER - bytes), to = rnd() % (BUFFER - bytes);
	static unsigned char mine[BUFFER];
	struct native n = { .flags = 0x202 };
	size_t len = strlen(code[which]);
	struct user_regs_struct r;
	struct vm_insn *in;

	if (rnd() & 1) /* so that what was just written is read */
		to = min_u64(from + rnd() % 100, BUFFER - bytes);
	prepare(&(struct snippet){ .code = (const void *)code[which],
				   .end = (const void *)(code[which] + len) });
	n.reg[0] = rnd();
	n.reg[1] = bytes >> shift;
	n.reg[6] = (uint64_t)(uintptr_t)buf + from;
	n.reg[7] = (uint64_t)(uintptr_t)buf + to;
	to_regs(&n, (uint64_t)(uintptr_t)area, &r);
	vm_begin(vm, getpid(), &r);
	assert_int_equal(vm_run(vm, 1, &in), VM_OK);
	assert_int_equal(vm_copy(vm, (uint64_t)(uintptr_t)buf, mine, BUFFER), BUFFER);
	native_run(&n, area);
	assert_int_equal(vm->reg[VM_CX], 0);
	assert_int_equal(vm->reg[VM_DI], n.reg[7]);
	assert_int_equal(vm->reg[VM_SI], n.reg[6]);
	assert_memory_equal(mine, buf, BUFFER);
}

static void test_strings(void **state)
{
	unsigned char *buf = malloc(BUFFER);
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	map_area();
	for (unsigned i = 0; i < BUFFER; i++)
		buf[i] = (unsigned char)rnd();
	for (unsigned i = 0; i < ROUNDS; i++)
		one_string(vm, buf);
	munmap(area, 8192);
	free(buf);
	vm_free(vm);
}

/*
 * A loop that copies a megabyte in each of its rounds of five instructions: a thread stands still meanwhile, so a way ends there soon.
 * Few of its stores push others out of those that are remembered. A trace goes on.
 */
static void test_long_strings(void **state)
{
	/* mov $1048576, %ecx; mov %r8, %rsi; mov %r9, %rdi; rep movsb; jmp to the start */
	static const unsigned char code[] = { 0xb9, 0,	  0,	0x10, 0,    0x4c, 0x89, 0xc6,
					      0x4c, 0x89, 0xcf, 0xf3, 0xa4, 0xeb, 0xf1 };
	struct user_regs_struct r = { .rip = (uint64_t)(uintptr_t)code };
	unsigned char *from = calloc(2, 1 << 20);
	enum vm_result why = VM_BRANCH;
	unsigned rounds = 0;
	struct vm_insn *in;
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86) || vm_keep_stored(vm))
		fail();
	r.r8 = (uint64_t)(uintptr_t)from;
	r.r9 = r.r8 + (1 << 20);
	vm_begin(vm, getpid(), &r);
	for (; why == VM_BRANCH && rounds < 100; rounds++)
		why = vm_run(vm, 1000, &in);
	assert_int_equal(why, VM_FOREIGN);
	assert_in_range(rounds, 4, 20);
	assert_true(vm->nr_stored < VM_STORED / 4);
	/* bytes of which one is unknown are stored one after the other, and remembered so */
	vm_begin(vm, getpid(), &r);
	for (uint64_t at = 0; at < 1 << 20; at += 4096)
		assert_int_equal(vm_store(vm, r.r8 + at, 1, 0, false), VM_OK);
	for (why = VM_BRANCH, rounds = 0; why == VM_BRANCH && rounds < 100; rounds++)
		why = vm_run(vm, 1000, &in);
	assert_int_equal(why, VM_FOREIGN);
	assert_in_range(rounds, 2, 4);
	vm->guesses = true;
	vm_begin(vm, getpid(), &r);
	for (rounds = 0; rounds < 30; rounds++)
		assert_int_equal(vm_run(vm, 1000, &in), VM_BRANCH);
	free(from);
	vm_free(vm);
}

static void test_ends(void **state)
{
	static const unsigned char sys[] = { 0x0f, 0x05 }, trap[] = { 0xcc };
	struct user_regs_struct r = { .rip = (uint64_t)(uintptr_t)sys };
	enum vm_result why = VM_OK;
	struct vm *vm;

	(void)state;
	if (vm_new(&vm, &vm_x86))
		fail();
	vm_begin(vm, getpid(), &r);
	assert_int_equal(vm_step(vm, vm_fetch(vm, &why)), VM_SYSCALL);
	r.rip = (uint64_t)(uintptr_t)trap;
	vm_begin(vm, getpid(), &r);
	assert_int_equal(vm_step(vm, vm_fetch(vm, &why)), VM_FAULT);
	r.rip = 8; /* nothing is mapped there */
	vm_begin(vm, getpid(), &r);
	assert_null(vm_fetch(vm, &why));
	assert_int_equal(why, VM_NOMEM);
	vm_free(vm);
}

static int setup(void **state)
{
	struct vm_insn in = { 0 };

	*state = NULL;
	if (!vm_decode(&in, (const unsigned char *)"\x90", 1)) {
		print_message("built without Zydis: nothing to test\n");
		return -1;
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_processor),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_visits),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_exactly),
		cmocka_unit_test(test_cpuid_of_a_cpu),
		cmocka_unit_test(test_rewritten),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_long_strings),
		cmocka_unit_test(test_ends),
	};

	if (setup(&(void *){ NULL })) {
		puts("1..0 # SKIP built without Zydis");
		return 0;
	}
	return cmocka_run_group_tests_name("tracer-vm", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux on x86-64");
	return 0;
}
#endif
