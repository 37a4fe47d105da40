// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of APX, which the libraries here do not know: lengths, registers, branches. Bytes and text are llvm-mc's and
 * llvm-objdump's, 19, with +egpr,+push2pop2,+ppx,+ndd,+ccmp,+nf,+cf,+zu.
 */
#include "config.h"
#include "insn/apx-int.h"
#include "unit.h"

#define ADDR 0x401000
#define B(s) s, sizeof(s) - 1

static const struct {
	const char *bytes;
	size_t size;
	uint32_t named;
	enum insn_stack stack;
	enum insn_branch branch;
} cases[] = {
	/* clang-format off */
	{ B("\xd5\x18\x8b\x00"), 0x10001, INSN_NO_STACK, INSN_NO_BRANCH }, /* movq (%r16), %rax */
	{ B("\xd5\x11\xf6\xc0\x07"), 0x1000000, INSN_NO_STACK, INSN_NO_BRANCH }, /* testb $0x7, %r24b */
	{ B("\x62\xf4\x7c\x18\xff\xf3"), 0x9, INSN_PUSH, INSN_NO_BRANCH }, /* push2 %rbx, %rax */
	{ B("\x62\xfc\x0c\x10\x8f\xc1"), 0x40020000, INSN_POP, INSN_NO_BRANCH }, /* pop2 %r17, %r30 */
	{ B("\xd5\x18\x54"), 0x100000, INSN_PUSH, INSN_NO_BRANCH }, /* pushp %r20 */
	{ B("\xd5\x18\x5c"), 0x100000, INSN_POP, INSN_NO_BRANCH }, /* popp %r20 */
	{ B("\xd5\x00\xa1\x88\x77\x66\x55\x44\x33\x22\x11"), 0x0, INSN_NO_STACK, INSN_JUMP }, /* jmpabs $0x1122334455667788 */
	{ B("\x62\xec\xec\x10\x01\xc1"), 0x70000, INSN_NO_STACK, INSN_NO_BRANCH }, /* addq %r16, %r17, %r18 */
	{ B("\x62\xdc\xfc\x1c\x83\xee\x05"), 0x40000001, INSN_NO_STACK, INSN_NO_BRANCH }, /* {nf} subq $0x5, %r30, %rax */
	{ B("\xd5\x58\x6b\xec\x64"), 0x300000, INSN_NO_STACK, INSN_NO_BRANCH }, /* imulq $0x64, %r20, %r21 */
	{ B("\xd5\x38\x69\x1c\xec\xa0\x86\x01\x00"), 0x300008, INSN_NO_STACK, INSN_NO_BRANCH }, /* imulq $0x186a0, (%r20,%r21,8), %rbx */
	{ B("\x62\xfc\xec\x18\x24\xc1\x03"), 0x20005, INSN_NO_STACK, INSN_NO_BRANCH }, /* shldq $0x3, %rax, %r17, %rdx */
	{ B("\x62\xf4\xc4\x04\x39\xc3"), 0x9, INSN_NO_STACK, INSN_NO_BRANCH }, /* ccmpeq {dfv=of} %rax, %rbx */
	{ B("\x62\xec\xfc\x08\x45\x63\x10"), 0x180000, INSN_NO_STACK, INSN_NO_BRANCH }, /* cfcmovneq 0x10(%r19), %r20 */
	{ B("\xd5\x90\x95\xc2"), 0x40000, INSN_NO_STACK, INSN_NO_BRANCH }, /* setne %r18b */
	{ B("\x62\xfc\x7f\x18\x45\xc2"), 0x40000, INSN_NO_STACK, INSN_NO_BRANCH }, /* setzune %r18b */
	{ B("\xd5\x48\x89\x54\x24\xf8"), 0x40010, INSN_SPILL, INSN_NO_BRANCH }, /* movq %r18, -0x8(%rsp) */
	{ B("\xd5\x4c\x8b\x7d\xf0"), 0x80000020, INSN_RELOAD, INSN_NO_BRANCH }, /* movq -0x10(%rbp), %r31 */
	{ B("\xd5\x18\x8b\x44\x24\xf8"), 0x100001, INSN_NO_STACK, INSN_NO_BRANCH }, /* movq -0x8(%r20,%riz), %rax */
	{ B("\x62\xfc\xfc\x08\x60\x00"), 0x10001, INSN_NO_STACK, INSN_NO_BRANCH }, /* movbeq (%r16), %rax */
	{ B("\xf3\xd5\xd8\xb8\xc8"), 0x30000, INSN_NO_STACK, INSN_NO_BRANCH }, /* popcntq %r16, %r17 */
	{ B("\xd5\xd8\xaf\xc8"), 0x30000, INSN_NO_STACK, INSN_NO_BRANCH }, /* imulq %r16, %r17 */
	{ B("\x62\xf9\x70\x48\x58\x14\x88"), 0x30000, INSN_NO_STACK, INSN_NO_BRANCH }, /* vaddps (%r16,%r17,4), %zmm1, %zmm2 */
	{ B("\x62\xd9\x7c\x48\x11\x5e\x01"), 0x40000000, INSN_NO_STACK, INSN_NO_BRANCH }, /* vmovups %zmm3, 0x40(%r30) */
	{ B("\x62\xe1\xff\x08\x93\xe1"), 0x100000, INSN_NO_STACK, INSN_NO_BRANCH }, /* kmovq %k1, %r20 */
	{ B("\x62\xea\xf4\x00\xf2\xd0"), 0x70000, INSN_NO_STACK, INSN_NO_BRANCH }, /* andnq %r16, %r17, %r18 */
	{ B("\x62\xeb\xff\x08\xf0\xc8\x03"), 0x30000, INSN_NO_STACK, INSN_NO_BRANCH }, /* rorxq $0x3, %r16, %r17 */
	{ B("\x62\xea\xfd\x00\xf7\xd1"), 0x70000, INSN_NO_STACK, INSN_NO_BRANCH }, /* shlxq %r16, %r17, %r18 */
	{ B("\xd5\x10\xff\xd0"), 0x10000, INSN_NO_STACK, INSN_IND_CALL }, /* callq *%r16 */
	{ B("\xd5\x10\xff\x21"), 0x20000, INSN_NO_STACK, INSN_IND_JUMP }, /* jmpq *(%r17) */
	{ B("\x62\xf9\x7d\x48\x70\x08\x03"), 0x10000, INSN_NO_STACK, INSN_NO_BRANCH }, /* vpshufd $0x3, (%r16), %zmm1 */
	{ B("\xd5\x18\xb8\x88\x77\x66\x55\x44\x33\x22\x11"), 0x10000, INSN_NO_STACK, INSN_NO_BRANCH }, /* movabsq $0x1122334455667788, %r16 */
	{ B("\xd5\x98\xcc"), 0x100000, INSN_NO_STACK, INSN_NO_BRANCH }, /* bswapq %r20 */
	{ B("\xd5\x18\x91"), 0x20001, INSN_NO_STACK, INSN_NO_BRANCH }, /* xchgq %r17, %rax */
	{ B("\xf2\xd5\x98\x2a\xc0"), 0x10000, INSN_NO_STACK, INSN_NO_BRANCH }, /* cvtsi2sd %r16, %xmm0 */
	{ B("\x66\xd5\x90\x6e\xc8"), 0x10000, INSN_NO_STACK, INSN_NO_BRANCH }, /* movd %r16d, %xmm1 */
	{ B("\xd5\x7a\x8d\x64\x78\x04"), 0x80110000, INSN_NO_STACK, INSN_NO_BRANCH }, /* leaq 0x4(%r16,%r31,2), %r20 */
	{ B("\xd5\x18\x81\xc0\x78\x56\x34\x12"), 0x10000, INSN_NO_STACK, INSN_NO_BRANCH }, /* addq $0x12345678, %r16 */
	{ B("\x62\xec\xfd\x08\x66\xc8"), 0x30000, INSN_NO_STACK, INSN_NO_BRANCH }, /* adcxq %r16, %r17 */
	/* clang-format on */
};

static struct insn_decoder *decoder(void)
{
	struct insn_decoder *d;
	struct err e = { 0 };

	if (!HAVE_ZYDIS)
		skip();
	assert_int_equal(insn_new(&d, REGS_ARCH_X86, INSN_64BIT, &e), 0);
	return d;
}

static void test_known(void **state)
{
	struct insn_decoder *d = decoder();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct insn_general g;
		struct insn in;
		char text[96];
		int len = (int)cases[i].size;

		assert_int_equal(insn_decode(d, cases[i].bytes, cases[i].size, ADDR, &in), len);
		assert_int_equal(in.branch, cases[i].branch);
		assert_int_equal(insn_general(d, cases[i].bytes, cases[i].size, ADDR, &g), len);
		if (g.named != cases[i].named)
			fail_msg("case %zu: %#x, not %#x", i, g.named, cases[i].named);
		assert_int_equal(g.stack, cases[i].stack);
		assert_true(g.apx);
		assert_int_equal(g.call, cases[i].branch == INSN_IND_CALL);
		assert_int_equal(
			insn_text(d, cases[i].bytes, cases[i].size, ADDR, text, sizeof(text)), len);
		assert_memory_equal(text, "(apx) ", 6);
		/* Cut anywhere it is none, or another one that is shorter. */
		for (int n = 0; n < len; n++)
			assert_true(insn_general(d, cases[i].bytes, (size_t)n, ADDR, &g) <= n);
	}
	insn_free(d);
}

/* What is relative counts from the end of the instruction, as it is and not as a library gets it. */
static void test_relative(void **state)
{
	static const unsigned char load[] = { 0xd5, 0x48, 0x8b, 0x05, 0x10, 0, 0, 0 };
	static const unsigned char abs[] = { 0xd5, 0, 0xa1, 1, 2, 3, 4, 5, 6, 7, 8 };
	struct insn_decoder *d = decoder();
	struct insn in;

	(void)state;
	assert_int_equal(insn_decode(d, load, sizeof(load), ADDR, &in),
			 8); /* mov 0x10(%rip), %r16 */
	assert_true(in.has_data);
	assert_int_equal(in.data, ADDR + 8 + 0x10);
	assert_int_equal(insn_decode(d, abs, sizeof(abs), ADDR, &in), 11);
	assert_true(in.has_target);
	assert_int_equal(in.target, 0x0807060504030201);
	insn_free(d);
}

/* Vectors are those of the instruction that it is without the registers of the address. */
static void test_vectors(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		unsigned bits, mask, lanes;
		unsigned nr, lane; /* of registers, and of the first one */
		bool memory, legacy;
	} cases[] = {
		/* vaddps (%r16,%r17,4), %zmm1, %zmm2, and {%k3}; vmovups %zmm3, 0x40(%r30) */
		{ B("\x62\xf9\x70\x48\x58\x14\x88"), 512, 0, 0, 2, LANE_F32, true, false },
		{ B("\x62\xf9\x70\x4b\x58\x14\x88"), 512, 3, 16, 2, LANE_F32, true, false },
		{ B("\x62\xd9\x7c\x48\x11\x5e\x01"), 512, 0, 0, 1, LANE_F32, false, false },
		/* vpaddd (%r16), %ymm1, %ymm2; the same of an address that is no register's but 16 times 4 of r20 */
		{ B("\x62\xf9\x75\x28\xfe\x10"), 256, 0, 0, 2, LANE_I32, true, false },
		{ B("\x62\xf1\x71\x28\xfe\x14\xa5\0\x10\0\0"), 256, 0, 0, 2, LANE_I32, true,
		  false },
		/* cvtsi2sd %r16, %xmm0; addps (%r16), %xmm1 */
		{ B("\xf2\xd5\x98\x2a\xc0"), 128, 0, 0, 1, LANE_HEX, false, true },
		{ B("\xd5\x90\x58\x08"), 128, 0, 0, 1, LANE_F32, true, true },
		/* addq %r16, %r17, %r18 */
		{ B("\x62\xec\xec\x10\x01\xc1"), 0, 0, 0, 0, 0, false, false },
	};
	struct insn_decoder *d = decoder();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int len = (int)cases[i].size;
		struct insn_vectors v;
		struct insn in;

		assert_int_equal(insn_decode(d, cases[i].bytes, cases[i].size, ADDR, &in), len);
		assert_int_equal(in.vector_bits, cases[i].bits);
		assert_int_equal(in.mask, cases[i].mask);
		assert_int_equal(in.lanes, cases[i].lanes);
		assert_false(in.has_data);
		assert_int_equal(insn_vectors(d, cases[i].bytes, cases[i].size, ADDR, &v), len);
		assert_int_equal(v.nr, cases[i].nr);
		assert_int_equal(v.mask, cases[i].mask);
		assert_int_equal(v.memory, cases[i].memory);
		assert_int_equal(v.legacy, cases[i].legacy);
		if (v.nr)
			assert_int_equal(v.v[0].lane, cases[i].lane);
	}
	insn_free(d);
}

/* The same of instructions that every x86-64 has, and what is no instruction with APX either. */
static void test_plain(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int len;
		uint32_t named;
		enum insn_stack stack;
	} plain[] = {
		{ B("\x48\x89\x44\x24\x08"), 5, 0x11, INSN_SPILL }, /* mov %rax, 8(%rsp) */
		{ B("\x4c\x8b\x6d\xf0"), 4, 0x2020, INSN_RELOAD },  /* mov -16(%rbp), %r13 */
		{ B("\x89\x4c\x84\x08"), 4, 0x13, INSN_NO_STACK },  /* mov %ecx, 8(%rsp,%rax,4) */
		{ B("\x88\x44\x24\x08"), 4, 0x11, INSN_NO_STACK },  /* mov %al, 8(%rsp) */
		{ B("\x88\xe3"), 2, 0x9, INSN_NO_STACK },	    /* mov %ah, %bl */
		{ B("\x40\x88\xe3"), 3, 0x18, INSN_NO_STACK },	    /* mov %spl, %bl */
		{ B("\x41\x54"), 2, 0x1000, INSN_PUSH },
		{ B("\xc3"), 1, 0, INSN_NO_STACK },
		{ B("\xd5\x00\x70\x00"), -EINVAL, 0, INSN_NO_STACK },	  /* no short branches */
		{ B("\xd5\x80\x85\0\0\0\0"), -EINVAL, 0, INSN_NO_STACK }, /* nor longer ones */
		{ B("\xd5\x00\xd5\x00\x90"), -EINVAL, 0, INSN_NO_STACK },
		{ B("\xd5"), -EINVAL, 0, INSN_NO_STACK },
		{ B("\x67\xd5\x00\xa1\x01\x02\x03\x04"), -EINVAL, 0,
		  INSN_NO_STACK }, /* jmpabs has no prefix */
	};
	struct insn_decoder *d = decoder();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		struct insn_general g;

		assert_int_equal(insn_general(d, plain[i].bytes, plain[i].size, ADDR, &g),
				 plain[i].len);
		if (plain[i].len < 0)
			continue;
		assert_int_equal(g.named, plain[i].named);
		assert_int_equal(g.stack, plain[i].stack);
		assert_false(g.apx);
	}
	insn_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_relative),
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests_name("insn-apx", tests, NULL, NULL);
}
