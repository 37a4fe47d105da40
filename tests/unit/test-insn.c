// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both decoders beside each other: where both know an instruction they agree on its length and
 * kind; code that is cut or no code at all is refused.
 */
#include "config.h"
#include "insn/insn.h"
#include "insn/insn-int.h"
#include "unit.h"

#define ADDR 0x401000

struct insn_case {
	const char *bytes;
	size_t size;
	struct insn want;
	const char *text;
};

#define B(s) s, sizeof(s) - 1

static const struct insn_case x86[] = {
	{ B("\x90"), { .len = 1 }, "nop" },
	{ B("\x66\x90"), { .len = 2 }, "xchg %ax, %ax" },
	{ B("\x48\x89\xe5"), { .len = 3 }, "movq %rsp, %rbp" },
	{ B("\x74\x10"),
	  { .len = 2, .branch = INSN_COND, .has_target = true, .target = 0x401012 },
	  "je 0x401012" },
	{ B("\xe2\xfe"),
	  { .len = 2, .branch = INSN_COND, .has_target = true, .target = ADDR },
	  NULL },
	{ B("\xeb\xfe"),
	  { .len = 2, .branch = INSN_JUMP, .has_target = true, .target = ADDR },
	  "jmp 0x401000" },
	{ B("\xff\xe0"), { .len = 2, .branch = INSN_IND_JUMP }, "jmpq *%rax" },
	{ B("\xe8\xfb\x0f\x00\x00"),
	  { .len = 5, .branch = INSN_CALL, .has_target = true, .target = 0x402000 },
	  "callq 0x402000" },
	{ B("\xff\xd0"), { .len = 2, .branch = INSN_IND_CALL }, "callq *%rax" },
	{ B("\x3e\xff\xe0"), { .len = 3, .branch = INSN_IND_JUMP }, "notrack jmpq *%rax" },
	{ B("\x3e\xff\x24\xc5\x00\x10\x40\x00"),
	  { .len = 8, .branch = INSN_IND_JUMP },
	  "notrack jmpq *0x401000(, %rax, 8)" },
	{ B("\x66\x48\x0f\x6e\xc7"), { .len = 5, .vector_bits = 128 }, "movq %rdi, %xmm0" },
	{ B("\x66\x0f\x6e\xc7"), { .len = 4, .vector_bits = 128 }, "movd %edi, %xmm0" },
	{ B("\xff\x15\x00\x10\x00\x00"), { .len = 6, .branch = INSN_IND_CALL }, NULL },
	{ B("\xc3"), { .len = 1, .branch = INSN_RET }, "retq" },
	{ B("\x0f\x05"), { .len = 2, .branch = INSN_SYSCALL }, "syscall" },
	{ B("\xcd\x80"), { .len = 2, .branch = INSN_SYSCALL }, NULL },
	{ B("\x48\x0f\x07"), { .len = 3, .branch = INSN_SYSRET }, NULL },
	{ B("\x48\xcf"), { .len = 2, .branch = INSN_SYSRET }, "iretq" },
	{ B("\xf2\x0f\x58\xc1"), { .len = 4, .vector_bits = 128 }, "addsd %xmm1, %xmm0" },
	{ B("\xc5\xf5\xef\xc0"), { .len = 4, .vector_bits = 256 }, "vpxor %ymm0, %ymm1, %ymm0" },
	{ B("\x62\xf1\x65\x48\xeb\xdb"), { .len = 6, .vector_bits = 512 }, NULL },
	{ B("\x62\xf1\x65\x4a\xeb\xdb"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 2, .lanes = 16 },
	  NULL },
	/* vpord ymm, vpaddb zmm, vaddsd, vpcmpeqd into k1: lanes of what is computed */
	{ B("\x62\xf1\x65\x2f\xeb\xdb"),
	  { .len = 6, .vector_bits = 256, .opmask = true, .mask = 7, .lanes = 8 },
	  NULL },
	{ B("\x62\xf1\x65\x49\xfc\xdb"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 1, .lanes = 64 },
	  NULL },
	{ B("\x62\xf1\xff\x09\x58\xc0"),
	  { .len = 6, .vector_bits = 128, .opmask = true, .mask = 1, .lanes = 1 },
	  NULL },
	{ B("\x62\xf1\x7d\x4a\x76\xc9"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 2, .lanes = 16 },
	  NULL },
	/* vpmovqb zmm into xmm, vcvtpd2ps xmm, vcvtps2pd zmm, vpmovzxbd zmm: not those that the destination has room for */
	{ B("\x62\xf2\x7e\x49\x32\xca"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 1, .lanes = 8 },
	  NULL },
	{ B("\x62\xf1\xfd\x09\x5a\xd1"),
	  { .len = 6, .vector_bits = 128, .opmask = true, .mask = 1, .lanes = 2 },
	  NULL },
	{ B("\x62\xf1\x7c\x49\x5a\xd1"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 1, .lanes = 8 },
	  NULL },
	{ B("\x62\xf2\x7d\x49\x31\xd1"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 1, .lanes = 16 },
	  NULL },
	/* vpackssdw, vpacksswb, vcvtne2ps2bf16 zmm: two sources fill all of it */
	{ B("\x62\xf1\x6d\x49\x6b\xcb"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 1, .lanes = 32 },
	  NULL },
	{ B("\x62\xf1\x6d\x49\x63\xcb"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 1, .lanes = 64 },
	  NULL },
	{ B("\x62\xf2\x6f\x49\x72\xcb"),
	  { .len = 6, .vector_bits = 512, .opmask = true, .mask = 1, .lanes = 32 },
	  NULL },
	{ B("\xc5\xf8\x77"), { .len = 3, .zero_upper = true }, "vzeroupper" },
};

static void check_x86(const struct insn_case *c, const struct insn *got)
{
	assert_int_equal(got->len, c->want.len);
	assert_int_equal(got->branch, c->want.branch);
	assert_int_equal(got->has_target, c->want.has_target);
	if (got->has_target)
		assert_int_equal(got->target, c->want.target);
	assert_int_equal(got->vector_bits, c->want.vector_bits);
	assert_int_equal(got->zero_upper, c->want.zero_upper);
	assert_int_equal(got->opmask, c->want.opmask);
	if (HAVE_ZYDIS) {
		assert_int_equal(got->mask, c->want.mask);
		assert_int_equal(got->lanes, c->want.lanes);
	}
}

static void test_x86(void **state)
{
	struct insn_decoder *d;
	struct insn in;
	char text[128];

	(void)state;
	if (!HAVE_ZYDIS)
		skip_because("built without Zydis");
	assert_int_equal(insn_new(&d, REGS_ARCH_X86, INSN_64BIT, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(x86); i++) {
		assert_int_equal(insn_decode(d, x86[i].bytes, x86[i].size, ADDR, &in),
				 x86[i].want.len);
		check_x86(&x86[i], &in);
		if (!HAVE_LIBCAPSTONE || !x86[i].text)
			continue;
		assert_int_equal(insn_text(d, x86[i].bytes, x86[i].size, ADDR, text, sizeof(text)),
				 x86[i].want.len);
		assert_string_equal(text, x86[i].text);
	}
	insn_free(d);
}

/* Both libraries must see the same branches. */
static void test_capstone_agrees(void **state)
{
	void *d;
	struct insn in;

	(void)state;
	if (!HAVE_LIBCAPSTONE)
		skip_because("built without capstone");
	assert_int_equal(insn_capstone.open(&d, REGS_ARCH_X86, INSN_64BIT, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(x86); i++) {
		/* Capstone 4 files sysret and the interrupt return under other groups. */
		if (x86[i].want.branch == INSN_SYSRET || x86[i].want.branch == INSN_SYSCALL)
			continue;
		/* Nor does it list a write mask among the operands. */
		if (x86[i].want.opmask)
			continue;
		memset(&in, 0, sizeof(in));
		assert_int_equal(insn_capstone.decode(d, x86[i].bytes, x86[i].size, ADDR, &in),
				 x86[i].want.len);
		check_x86(&x86[i], &in);
	}
	insn_capstone.close(d);
}

static void test_cut_and_bad(void **state)
{
	struct insn_decoder *d;
	struct insn in;
	char text[64];

	(void)state;
	if (insn_new(&d, REGS_ARCH_X86, INSN_64BIT, NULL))
		skip_because("built without an x86 decoder");
	assert_int_equal(insn_decode(d, "\xe8\x00", 2, ADDR, &in), -EINVAL);
	assert_int_equal(insn_decode(d, "", 0, ADDR, &in), -EINVAL);
	assert_int_equal(insn_decode(d, "\x06", 1, ADDR, &in), -EINVAL); /* not in 64-bit mode */
	assert_int_equal(insn_text(d, "\x06", 1, ADDR, text, sizeof(text)), -EINVAL);
	insn_free(d);
}

static void test_arm64(void **state)
{
	static const struct insn_case cases[] = {
		{ B("\xc0\x03\x5f\xd6"), { .branch = INSN_RET }, "ret" },
		{ B("\x00\x00\x00\x94"),
		  { .branch = INSN_CALL, .has_target = true, .target = ADDR },
		  "bl #0x401000" },
		{ B("\x00\x00\x3f\xd6"), { .branch = INSN_IND_CALL }, "blr x0" },
		{ B("\x02\x00\x00\x14"),
		  { .branch = INSN_JUMP, .has_target = true, .target = ADDR + 8 },
		  "b #0x401008" },
		{ B("\x00\x00\x1f\xd6"), { .branch = INSN_IND_JUMP }, "br x0" },
		{ B("\x40\x00\x00\x54"),
		  { .branch = INSN_COND, .has_target = true, .target = ADDR + 8 },
		  "b.eq #0x401008" },
		{ B("\x40\x00\x00\xb4"),
		  { .branch = INSN_COND, .has_target = true, .target = ADDR + 8 },
		  "cbz x0, #0x401008" },
		{ B("\x1f\x20\x03\xd5"), { .branch = INSN_NO_BRANCH }, "nop" },
	};
	struct insn_decoder *d;
	struct insn in;
	char text[64];

	(void)state;
	if (insn_new(&d, REGS_ARCH_ARM64, INSN_64BIT, NULL))
		skip_because("built without an AArch64 decoder");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(insn_decode(d, cases[i].bytes, 4, ADDR, &in), 4);
		assert_int_equal(in.branch, cases[i].want.branch);
		if (cases[i].want.has_target)
			assert_int_equal(in.target, cases[i].want.target);
		assert_int_equal(insn_text(d, cases[i].bytes, 4, ADDR, text, sizeof(text)), 4);
		assert_string_equal(text, cases[i].text);
	}
	insn_free(d);
}

/* One byte order for each, though objects may say another: see insn_mode. */
static void test_byte_orders(void **state)
{
	static const struct {
		enum regs_arch arch;
		unsigned mode;
		const char *bytes;
		size_t size;
		const char *text;
		enum insn_branch branch;
		uint64_t target;
	} cases[] = {
		{ REGS_ARCH_ARM64, INSN_64BIT | INSN_BIG_ENDIAN, B("\xfe\x03\x00\x94"),
		  "bl #0x401ff8", INSN_CALL, 0x401ff8 },
		{ REGS_ARCH_ARM, INSN_BIG_ENDIAN, B("\xeb\x00\x00\x02"), "bl #0x401010", INSN_CALL,
		  0x401010 },
		{ REGS_ARCH_ARM, 0, B("\x02\x00\x00\xeb"), "bl #0x401010", INSN_CALL, 0x401010 },
		{ REGS_ARCH_MIPS, INSN_BIG_ENDIAN, B("\x0c\x10\x04\x04"), "jal 0x401010", INSN_CALL,
		  0x401010 },
		{ REGS_ARCH_MIPS, 0, B("\x04\x04\x10\x0c"), "jal 0x401010", INSN_CALL, 0x401010 },
		{ REGS_ARCH_MIPS, INSN_64BIT | INSN_BIG_ENDIAN, B("\x14\x40\x00\x04"),
		  "bnez $v0, 0x401014", INSN_COND, 0x401014 },
		{ REGS_ARCH_MIPS, INSN_BIG_ENDIAN, B("\x03\xe0\x00\x08"), "jr $ra", INSN_RET, 0 },
		{ REGS_ARCH_MIPS, INSN_BIG_ENDIAN, B("\x03\x20\xf8\x09"), "jalr $t9", INSN_IND_CALL,
		  0 },
		{ REGS_ARCH_POWERPC, INSN_64BIT | INSN_BIG_ENDIAN, B("\x48\x00\x00\x05"),
		  "bl 0x401004", INSN_CALL, 0x401004 },
		{ REGS_ARCH_POWERPC, INSN_64BIT, B("\x05\x00\x00\x48"), "bl 0x401004", INSN_CALL,
		  0x401004 },
		{ REGS_ARCH_POWERPC, INSN_BIG_ENDIAN, B("\x41\x80\x00\x9c"), "blt 0x40109c",
		  INSN_COND, 0x40109c },
		{ REGS_ARCH_POWERPC, INSN_BIG_ENDIAN, B("\x4e\x80\x00\x20"), "blr", INSN_RET, 0 },
		{ REGS_ARCH_POWERPC, INSN_BIG_ENDIAN, B("\x4e\x80\x04\x20"), "bctr", INSN_IND_JUMP,
		  0 },
		{ REGS_ARCH_POWERPC, INSN_BIG_ENDIAN, B("\x4e\x80\x04\x21"), "bctrl", INSN_IND_CALL,
		  0 },
		{ REGS_ARCH_S390, INSN_64BIT | INSN_BIG_ENDIAN, B("\xc0\xe5\x00\x00\x00\x08"),
		  "brasl %r14, 0x401010", INSN_CALL, 0x401010 },
		{ REGS_ARCH_S390, INSN_64BIT | INSN_BIG_ENDIAN, B("\xa7\x84\x00\x04"),
		  "je 0x401008", INSN_COND, 0x401008 },
		{ REGS_ARCH_S390, INSN_64BIT | INSN_BIG_ENDIAN, B("\xec\x26\x00\x08\x00\x64"),
		  "cgrj %r2, %r6, 0, 0x401010", INSN_COND, 0x401010 },
		{ REGS_ARCH_S390, INSN_64BIT | INSN_BIG_ENDIAN, B("\x07\xfe"), "br %r14", INSN_RET,
		  0 },
	};
	char text[64];

	(void)state;
	if (!HAVE_LIBCAPSTONE)
		skip_because("built without capstone");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int size = (int)cases[i].size;
		struct insn_decoder *d;
		struct insn in;

		assert_int_equal(insn_new(&d, cases[i].arch, cases[i].mode, NULL), 0);
		assert_int_equal(insn_decode(d, cases[i].bytes, cases[i].size, ADDR, &in), size);
		assert_int_equal(
			insn_text(d, cases[i].bytes, cases[i].size, ADDR, text, sizeof(text)),
			size);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(in.branch, cases[i].branch);
		assert_int_equal(in.has_target, cases[i].target != 0);
		assert_int_equal(in.target, cases[i].target);
		insn_free(d);
	}
}

static void test_unknown_architecture(void **state)
{
	struct insn_decoder *d;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(insn_new(&d, REGS_ARCH_CSKY, 0, &e), -ENOTSUP);
	assert_null(d);
	assert_non_null(strstr(e.text, "csky"));
	assert_int_equal(insn_new(&d, REGS_ARCH_X86, INSN_64BIT | INSN_BIG_ENDIAN, &e), -ENOTSUP);
	assert_non_null(strstr(e.text, "big-endian x86"));
}

/* Addresses of data that do not depend on registers. */
static void test_data(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool has;
		uint64_t data;
	} cases[] = {
		{ B("\x48\x8b\x05\x10\x00\x00\x00"), true, ADDR + 7 + 0x10 }, /* mov 0x10(%rip) */
		{ B("\xff\x15\x00\x10\x00\x00"), true, ADDR + 6 + 0x1000 },   /* call * */
		{ B("\x8b\x04\x25\x40\x40\x40\x00"), true, 0x404040 },	      /* mov 0x404040 */
		{ B("\x48\x8b\x43\x08"), false, 0 },			      /* mov 8(%rbx) */
		{ B("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"), false, 0 },      /* mov %fs:0x28 */
		{ B("\x8b\x04\x8d\x40\x40\x40\x00"), false, 0 }, /* mov 0x404040(,%rcx,4) */
		{ B("\x48\x89\xe5"), false, 0 },
	};
	struct insn_decoder *d, alone;
	struct insn in;
	char text[64];

	(void)state;
	if (insn_new(&d, REGS_ARCH_X86, INSN_64BIT, NULL))
		skip();
	/* capstone is there from the first text on */
	assert_true(insn_text(d, "\x90", 1, ADDR, text, sizeof(text)) == 1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		alone = (struct insn_decoder){ .capstone = d->capstone };
		assert_true(insn_decode(d, cases[i].bytes, cases[i].size, ADDR, &in) > 0);
		assert_int_equal(in.has_data, cases[i].has);
		assert_int_equal(in.data, cases[i].data);
		if (!d->capstone)
			continue;
		assert_true(insn_decode(&alone, cases[i].bytes, cases[i].size, ADDR, &in) > 0);
		assert_int_equal(in.has_data, cases[i].has);
		assert_int_equal(in.data, cases[i].data);
	}
	insn_free(d);
}

static void test_syntaxes(void **state)
{
	static const char code[] = "\x48\x89\xe5";
	struct insn_decoder *d;
	char text[64];

	(void)state;
	if (insn_new(&d, REGS_ARCH_X86, INSN_64BIT, NULL))
		skip();
	insn_set_syntax(d, INSN_INTEL);
	assert_int_equal(insn_text(d, code, 3, ADDR, text, sizeof(text)), 3);
	assert_string_equal(text, "mov rbp, rsp");
	insn_set_syntax(d, INSN_ATT);
	assert_int_equal(insn_text(d, code, 3, ADDR, text, sizeof(text)), 3);
	assert_non_null(strstr(text, "%rsp, %rbp"));
	insn_free(d);
}

/* ---- lanes of vectors ------------------------------------------------------------------------- */

#define ZYDIS_ALONE 1 /* the other one does not know the instruction, or not all of it */

struct vector_case {
	const char *bytes;
	size_t size;
	const char *want; /* "REG:LANExBITS", by number; "w": not read, "?": not sure */
	unsigned flags;
};

static const struct vector_case vectors[] = {
	/* clang-format off */
	{ B("\x62\xf1\x74\x48\x58\xd0"), "0:f32x512 1:f32x512 2:f32x512w", 0 }, /* vaddps %zmm0, %zmm1, %zmm2 */
	{ B("\x62\xf1\x7c\x48\x28\xd0"), "0:f32x512? 2:f32x512w?", 0 }, /* vmovaps %zmm0, %zmm2 */
	/* from the first letter to the last one */
	{ B("\x62\xf2\x7e\x48\x31\xca"), "1:i32x512 2:i8x128w", 0 }, /* vpmovdb %zmm1, %xmm2 */
	{ B("\x62\xf2\x7e\x48\x22\xca"), "1:i64x512 2:i8x128w", 0 }, /* vpmovsqb %zmm1, %xmm2 */
	{ B("\x62\xf2\x7e\x48\x10\xca"), "1:u16x512 2:u8x256w", ZYDIS_ALONE }, /* vpmovuswb %zmm1, %ymm2 */
	{ B("\xc4\xe2\x7d\x30\xd1"), "1:u8x128 2:u16x256w", 0 }, /* vpmovzxbw %xmm1, %ymm2 */
	{ B("\xc5\xfd\xd7\xc1"), "1:i8x256?", 0 }, /* vpmovmskb %ymm1, %eax */
	/* no doubles */
	{ B("\x62\xf3\x6d\x48\x1f\xd1\x01"), "1:i32x512 2:i32x512", 0 }, /* vpcmpd $1, %zmm1, %zmm2, %k2 */
	{ B("\x62\xf3\x6d\x48\x1e\xd1\x01"), "1:u32x512 2:u32x512", 0 }, /* vpcmpud $1, %zmm1, %zmm2, %k2 */
	{ B("\x62\xf1\xed\x48\xc2\xd1\x01"), "1:f64x512 2:f64x512", 0 }, /* vcmppd $1, %zmm1, %zmm2, %k2 */
	/* of one register, these are zeros and ones whatever is in it */
	{ B("\x66\x0f\x76\xc9"), "1:i32x128w", 0 }, /* pcmpeqd %xmm1, %xmm1 */
	{ B("\xc5\xf5\x76\xd1"), "1:i32x256w 2:i32x256w", 0 }, /* vpcmpeqd %ymm1, %ymm1, %ymm2 */
	{ B("\xc5\xf5\x76\xd0"), "0:i32x256 1:i32x256 2:i32x256w", 0 }, /* vpcmpeqd %ymm0, %ymm1, %ymm2 */
	{ B("\x66\x0f\xef\xc9"), "1:hexx128w?", 0 }, /* pxor %xmm1, %xmm1 */
	/* sums are of another kind than products */
	{ B("\x62\xf2\x76\x48\x52\xd0"), "0:bf16x512 1:bf16x512 2:f32x512", ZYDIS_ALONE }, /* vdpbf16ps %zmm0, %zmm1, %zmm2 */
	{ B("\x62\xf2\x75\x48\x50\xd0"), "0:u8x512 1:u8x512 2:i32x512", ZYDIS_ALONE }, /* vpdpbusd %zmm0, %zmm1, %zmm2 */
	{ B("\x62\xf2\x75\x48\x53\xd0"), "0:i16x512 1:i16x512 2:i32x512", ZYDIS_ALONE }, /* vpdpwssds %zmm0, %zmm1, %zmm2 */
	{ B("\x62\xf2\x75\x48\xb8\xd0"), "0:f32x512 1:f32x512 2:f32x512", 0 }, /* vfmadd231ps %zmm0, %zmm1, %zmm2 */
	{ B("\x66\x0f\x38\x04\xc1"), "0:u8x128 1:u8x128", 0 }, /* pmaddubsw %xmm1, %xmm0 */
	{ B("\xc4\xe2\x71\x04\xd0"), "0:u8x128 1:u8x128 2:i16x128w", 0 }, /* vpmaddubsw %xmm0, %xmm1, %xmm2 */
	/* clang-format on */
};

static void vectors_text(const struct insn_vectors *v, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (unsigned reg = 0; reg < 32; reg++)
		for (unsigned i = 0; i < v->nr; i++)
			if (v->v[i].reg == reg)
				n += (size_t)snprintf(
					text + n, size - n, "%s%u:%sx%u%s%s", n ? " " : "", reg,
					regs_lane_name((enum regs_lane)v->v[i].lane), v->v[i].bits,
					v->v[i].read ? "" : "w", v->v[i].sure ? "" : "?");
}

/* Both libraries' registers, with what the name of the instruction says of them. */
static void test_vectors(void **state)
{
	struct insn_decoder *d, alone;
	struct insn_vectors v;
	char text[128];

	(void)state;
	if (!HAVE_ZYDIS || insn_new(&d, REGS_ARCH_X86, INSN_64BIT, NULL))
		skip_because("built without Zydis");
	/* capstone is there from the first text on */
	insn_text(d, "\x90", 1, ADDR, text, sizeof(text));
	alone = (struct insn_decoder){ .capstone = d->capstone };
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		const struct vector_case *c = &vectors[i];

		assert_int_equal(insn_vectors(d, c->bytes, c->size, ADDR, &v), c->size);
		vectors_text(&v, text, sizeof(text));
		assert_string_equal(text, c->want);
		if (!d->capstone || c->flags & ZYDIS_ALONE)
			continue;
		assert_int_equal(insn_vectors(&alone, c->bytes, c->size, ADDR, &v), c->size);
		vectors_text(&v, text, sizeof(text));
		assert_string_equal(text, c->want);
	}
	insn_free(d);
}

/* Both instruction sets of ARM: "bx lr" each, and a branch that leads back over 0. */
static void test_thumb(void **state)
{
	struct insn_decoder *d;
	struct insn in;

	(void)state;
	if (insn_new(&d, REGS_ARCH_ARM, 0, NULL))
		skip();
	assert_int_equal(insn_decode(d, "\x1e\xff\x2f\xe1", 4, ADDR, &in), 4);
	insn_set_thumb(d, true);
	assert_int_equal(insn_decode(d, "\x70\x47\x70\x47", 4, ADDR, &in), 2);
	insn_set_thumb(d, false);
	assert_int_equal(insn_decode(d, "\x00\x00\x80\xeb", 4, 0x10, &in), 4);
	assert_true(in.has_target && in.target <= UINT32_MAX);
	insn_free(d);
}

/* What Thumb's "it" says of the instructions behind it: ite eq, then one of each kind, then neither. */
static void test_thumb_conditions(void **state)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = { { "\x0c\xbf", "ite eq" },
		      { "\x01\x20", "moveq r0, #1" },
		      { "\x02\x20", "movne r0, #2" },
		      { "\x03\x20", "movs r0, #3" } };
	struct insn_decoder *d;
	char text[64];
	struct insn in;

	(void)state;
	if (insn_new(&d, REGS_ARCH_ARM, 0, NULL))
		skip();
	insn_set_thumb(d, true);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *code = cases[i].bytes;

		assert_int_equal(insn_decode(d, code, 2, ADDR + 2 * i, &in), 2);
		assert_int_equal(insn_text(d, code, 2, ADDR + 2 * i, text, sizeof(text)), 2);
		assert_string_equal(text, cases[i].text);
	}
	insn_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_data),	    cmocka_unit_test(test_syntaxes),
		cmocka_unit_test(test_thumb),	    cmocka_unit_test(test_thumb_conditions),
		cmocka_unit_test(test_x86),	    cmocka_unit_test(test_capstone_agrees),
		cmocka_unit_test(test_cut_and_bad), cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_byte_orders), cmocka_unit_test(test_unknown_architecture),
		cmocka_unit_test(test_vectors),
	};

	return cmocka_run_group_tests_name("insn", tests, NULL, NULL);
}
