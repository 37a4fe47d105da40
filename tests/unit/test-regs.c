// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of registers by architecture, what -I and --user-regs make of lists on machines that have
 * more and fewer of them, and lanes as text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "regs/regs.h"

#define EGPR 0xffff000000ULL
#define SSP  0x10000000000ULL

static const struct regs_caps full = {
	.arch = REGS_ARCH_X86,
	.gpr = 0xff0fff | EGPR | SSP,
	.simd_abi = true,
	.xmm = true,
	.ymm = true,
	.zmm = true,
	.opmask = true,
};
static const struct regs_caps avx_only = {
	.arch = REGS_ARCH_X86,
	.gpr = 0xff0fff,
	.simd_abi = true,
	.xmm = true,
	.ymm = true,
	.lack = { [REGS_ZMM] = REGS_NO_CPU,
		  [REGS_OPMASK] = REGS_NO_CPU,
		  [REGS_EGPR] = REGS_NO_PMU,
		  [REGS_SSP] = REGS_NO_CPU },
	.code = { [REGS_EGPR] = -EINVAL },
};
static const struct regs_caps legacy = {
	.arch = REGS_ARCH_X86,
	.gpr = 0xff0fff | 0xffffffff00000000ULL,
	.legacy_xmm = true,
	.lack = { REGS_NO_KERNEL, REGS_NO_KERNEL, REGS_NO_KERNEL, REGS_NO_KERNEL, REGS_NO_KERNEL,
		  REGS_NO_KERNEL },
};
static const struct regs_caps plain = {
	.arch = REGS_ARCH_X86,
	.gpr = 0xff0fff,
	.lack = { REGS_NO_KERNEL, REGS_NO_KERNEL, REGS_NO_KERNEL, REGS_NO_KERNEL, REGS_NO_KERNEL,
		  REGS_NO_KERNEL },
};

static const char *text(struct obuf *o)
{
	obuf_char(o, 0);
	o->len = 0;
	return o->buf;
}

static struct regs_selection parse(const char *list, const struct regs_caps *caps)
{
	struct regs_selection sel = { 0 };

	assert_int_equal(regs_parse(&sel, list, caps, NULL), 0);
	return sel;
}

static struct err refused(const char *list, const struct regs_caps *caps, int code)
{
	struct regs_selection sel = { .gpr = 1 };
	struct err e = { 0 };

	assert_int_equal(regs_parse(&sel, list, caps, &e), code);
	assert_int_equal(sel.gpr, 1); /* nothing half done */
	assert_int_equal(e.code, code);
	return e;
}

static void names(void **state)
{
	static const struct {
		enum regs_arch arch;
		unsigned reg;
		bool simd;
		const char *name;
	} t[] = {
		{ REGS_ARCH_X86, 0, false, "AX" },
		{ REGS_ARCH_X86, 9, true, "FLAGS" },
		{ REGS_ARCH_X86, 23, false, "R15" },
		{ REGS_ARCH_X86, 24, false, "unknown" },
		{ REGS_ARCH_X86, 24, true, "R16" },
		{ REGS_ARCH_X86, 39, true, "R31" },
		{ REGS_ARCH_X86, 39, false, "XMM3" },
		{ REGS_ARCH_X86, 40, true, "SSP" },
		{ REGS_ARCH_X86, 41, true, "unknown" },
		{ REGS_ARCH_X86, 63, false, "XMM15" },
		{ REGS_ARCH_X86, 64, false, "unknown" },
		{ REGS_ARCH_X86, UINT32_MAX, true, "unknown" },
		{ REGS_ARCH_ARM, 11, false, "fp" },
		{ REGS_ARCH_ARM64, 30, false, "lr" },
		{ REGS_ARCH_ARM64, 46, false, "vg" },
		{ REGS_ARCH_ARM64, 40, false, "unknown" },
		{ REGS_ARCH_RISCV, 17, false, "a7" },
		{ REGS_ARCH_RISCV, 31, true, "t6" },
		{ REGS_ARCH_POWERPC, 44, false, "mmcra" },
		{ REGS_ARCH_POWERPC, 58, false, "siar" },
		{ REGS_ARCH_S390, 33, false, "PC" },
		{ REGS_ARCH_S390, 31, false, "FP15" },
		{ REGS_ARCH_CSKY, 3, false, "unknown" },
		{ REGS_ARCH_CSKY, 36, false, "lo" },
		{ REGS_ARCH_LOONGARCH, 3, false, "%r3" },
		{ REGS_ARCH_MIPS, 26, false, "unknown" },
		{ REGS_ARCH_MIPS, 31, false, "$31" },
		{ REGS_ARCH_NONE, 0, false, "unknown" },
		{ 99, 0, false, "unknown" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		assert_string_equal(regs_name(t[i].arch, t[i].reg, t[i].simd), t[i].name);
}

static void architectures(void **state)
{
	static const struct {
		const char *uname;
		enum regs_arch arch;
		const char *ip;
	} t[] = {
		{ "x86_64", REGS_ARCH_X86, "IP" },
		{ "i686", REGS_ARCH_X86, "IP" },
		{ "aarch64", REGS_ARCH_ARM64, "pc" },
		{ "arm64", REGS_ARCH_ARM64, "pc" },
		{ "armv7l", REGS_ARCH_ARM, "pc" },
		{ "riscv64", REGS_ARCH_RISCV, "pc" },
		{ "ppc64le", REGS_ARCH_POWERPC, "nip" },
		{ "s390x", REGS_ARCH_S390, "PC" },
		{ "csky", REGS_ARCH_CSKY, "pc" },
		{ "mips64", REGS_ARCH_MIPS, "PC" },
		{ "loongarch64", REGS_ARCH_LOONGARCH, "PC" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		enum regs_arch a = regs_arch_from_uname(t[i].uname);

		assert_int_equal(a, t[i].arch);
		assert_string_equal(regs_name(a, (unsigned)regs_ip(a), false), t[i].ip);
	}
	assert_int_equal(regs_arch_from_uname("alpha"), REGS_ARCH_NONE);
	assert_int_equal(regs_arch_from_uname(""), REGS_ARCH_NONE);
	assert_int_equal(regs_arch_from_uname(NULL), REGS_ARCH_NONE);
	assert_int_equal(regs_arch_from_uname("ia64"), REGS_ARCH_NONE);
	assert_int_equal(regs_ip(REGS_ARCH_NONE), -1);
	assert_int_equal(regs_arch_from_elf(62), REGS_ARCH_X86);
	assert_int_equal(regs_arch_from_elf(183), REGS_ARCH_ARM64);
	assert_int_equal(regs_arch_from_elf(0xffff), REGS_ARCH_NONE);
	assert_string_equal(regs_vector_class(REGS_ARCH_X86, 8), "ZMM");
	assert_string_equal(regs_vector_class(REGS_ARCH_X86, 3), "VEC");
	assert_string_equal(regs_vector_class(REGS_ARCH_ARM64, 8), "VEC");
	assert_string_equal(regs_pred_class(REGS_ARCH_X86), "OPMASK");
	assert_int_equal(regs_default_mask(REGS_ARCH_X86, true), 0xff0fff);
	assert_int_equal(regs_default_mask(REGS_ARCH_X86, false), 0xfff);
	assert_int_equal(regs_default_mask(REGS_ARCH_ARM64, true), 0x1ffffffff);
}

static void lists(void **state)
{
	struct regs_selection s;

	(void)state;
	/* the example of the series */
	s = parse("ax,bx,r8,r16,r31,ssp,xmm,ymm,zmm,opmask", &full);
	assert_int_equal(s.gpr, 0x18001010003);
	assert_int_equal(s.vec_qwords, 8);
	assert_int_equal(s.vec_mask, 0xffffffff);
	assert_int_equal(s.pred_mask, 0xff);
	assert_int_equal(s.pred_qwords, 1);
	assert_false(s.all);
	/* given twice: adds up; the widest stays whatever the order */
	assert_int_equal(regs_parse(&s, "CX,Xmm", &full, NULL), 0);
	assert_int_equal(s.gpr, 0x18001010007);
	assert_int_equal(s.vec_qwords, 8);

	assert_int_equal(parse("r16-r31", &full).gpr, EGPR);
	assert_int_equal(parse("R8-10,ip", &full).gpr, 7 << 16 | 1 << 8);
	assert_int_equal(parse("r14-r17", &full).gpr, 0xfULL << 22);
	assert_int_equal(parse("zmm0-31", &full).vec_qwords, 8);
	assert_int_equal(parse("YMM0-YMM15", &full).vec_mask, 0xffff);
	assert_int_equal(parse("opmask0-7", &full).pred_mask, 0xff);
	assert_true(parse(NULL, &full).all);
	assert_true(parse("", &full).all);
	/* nobody probed: an x86 with everything */
	assert_int_equal(parse("zmm,r31", NULL).vec_qwords, 8);
	/* legacy XMM: two bits each */
	assert_int_equal(parse("xmm3,ax", &legacy).gpr, 3ULL << 38 | 1);
	assert_int_equal(parse("xmm0-xmm1", &legacy).gpr, 0xfULL << 32);
	assert_int_equal(parse("xmm", &legacy).gpr, 0xffffffff00000000ULL);
	assert_int_equal(parse("xmm0-15", &legacy).gpr, 0xffffffff00000000ULL);
	/* other architectures */
	struct regs_caps arm64 = { .arch = REGS_ARCH_ARM64, .gpr = 0x4001ffffffffULL };
	struct err e = { 0 };

	assert_int_equal(parse("x0-x3,SP,vg", &arm64).gpr, 0x40008000000fULL);
	arm64.gpr = 0x1ffffffff;
	refused("vg", &arm64, -EINVAL);
	refused("zmm", &arm64, -EINVAL);
	refused("v0", &arm64, -EINVAL);
	assert_int_equal(regs_parse(&(struct regs_selection){ 0 }, "x0,Z31", &arm64, &e), -EINVAL);
	assert_string_equal(e.hint,
			    "The format of samples has a place for vectors of x86 only; the length "
			    "of AArch64's is vg.");
	struct regs_caps loong = { .arch = REGS_ARCH_LOONGARCH };

	assert_int_equal(parse("%r3-5,pc", &loong).gpr, 0x39);
}

static void refusals(void **state)
{
	static const char *const bad[] = { "foo",   "ax,,bx",  "ax,",	    ",ax",	 "r8-",
					   "-r8",   "ax-dx",   "r8-x9",	    "r15-r8",	 "xmm16",
					   "zmm32", "opmask8", "r8-r99999", "zmm0",	 "zmm0-15",
					   "xmm3",  "r32",     "ax bx",	    "r8-r15-r16" };
	struct err e;
	char longest[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refused(bad[i], &full, -EINVAL);
	memset(longest, 'r', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	refused(longest, &full, -EINVAL);

	e = refused("ax,yym", &full, -EINVAL);
	assert_string_equal(e.text,
			    "Unknown register \"yym\", check man page or run \"perf record -I?\"");
	assert_string_equal(e.hint, "Did you mean ymm, xmm or zmm?");
	e = refused("flag", &full, -EINVAL);
	assert_string_equal(e.hint, "Did you mean FLAGS?");
	static const char *const bases[] = { "FSbase", "gsbase", "fs_base", "GS_BASE" };
	struct regs_caps user = full, stopped;

	user.user = true;
	stopped = user;
	stopped.bases = true;
	e = refused("qq", &user, -EINVAL);
	assert_non_null(strstr(e.text, "\"perf record --user-regs=?\""));
	e = refused("zmm3", &full, -EINVAL);
	assert_non_null(strstr(e.text, "all ZMM0-31 or none"));

	/* numbers that the kernel refuses, and what has no number */
	e = refused("fs", &user, -ENOTSUP);
	assert_string_equal(e.text, "\"fs\" cannot be sampled here: the kernel gives no selectors "
				    "of data segments");
	assert_string_equal(e.hint, "ptrace does: --reg-source=ptrace.");
	e = refused("ax,gs", &full, -ENOTSUP);
	assert_string_equal(e.hint, "--user-regs has them, by ptrace.");
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		e = refused(bases[i], &user, -ENOTSUP);
		assert_non_null(strstr(e.text, "no register number for a segment's base"));
		assert_string_equal(e.hint, "ptrace does: --reg-source=ptrace.");
		assert_false(parse("ax", &stopped).bases);
		assert_true(parse(bases[i], &stopped).bases);
	}
	e = refused("ax,gsbase", &full, -ENOTSUP);
	assert_string_equal(e.hint, "--user-regs has them, by ptrace.");

	/* each of the three who may lack a class is told apart, and what is there is listed */
	e = refused("zmm", &plain, -ENOTSUP);
	assert_non_null(strstr(e.text, "this kernel has no SIMD register sampling"));
	assert_non_null(strstr(e.hint, "AX BX CX DX"));
	e = refused("zmm0-31", &avx_only, -ENOTSUP);
	assert_non_null(strstr(e.text, "this CPU has no AVX-512 state"));
	assert_non_null(strstr(e.hint, "XMM0-15 YMM0-15"));
	e = refused("r16", &avx_only, -ENOTSUP);
	assert_non_null(strstr(e.text, "the PMU refused to sample it (Invalid argument)"));
	refused("ssp", &plain, -ENOTSUP);
	refused("xmm", &plain, -ENOTSUP);
	refused("ymm", &legacy, -ENOTSUP);
}

static void available(void **state)
{
	struct obuf o;

	(void)state;
	obuf_init(&o, -1, 0);
	regs_print_available(&full, &o);
	assert_string_equal(text(&o),
			    "AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 R13 R14 R15 "
			    "R16 R17 R18 R19 R20 R21 R22 R23 R24 R25 R26 R27 R28 R29 R30 R31 SSP "
			    "XMM0-15 YMM0-15 ZMM0-31 OPMASK0-7");
	regs_print_available(&plain, &o);
	assert_string_equal(text(&o), "AX BX CX DX SI DI BP SP IP FLAGS CS SS R8 R9 R10 R11 R12 "
				      "R13 R14 R15");
	regs_print_available(&legacy, &o);
	assert_non_null(strstr(text(&o), "R15 XMM0 XMM1 XMM2"));
	regs_print_lacking(&full, &o);
	assert_string_equal(text(&o), "");
	regs_print_lacking(&avx_only, &o);
	assert_string_equal(
		text(&o),
		"ZMM0-31: not available: this CPU has no AVX-512 state (XSAVE components 6 and 7)\n"
		"OPMASK0-7: not available: this CPU has no AVX-512 mask state (XSAVE component 5)\n"
		"R16-R31: not available: this CPU has APX state (XSAVE component 19), but the PMU "
		"refused to sample it (Invalid argument)\n"
		"SSP: not available: this CPU has no user shadow stack state (XSAVE component 11)\n");
	obuf_free(&o);
}

static struct perf_event_attr attr_of(const char *intr, const char *user,
				      const struct regs_caps *caps, uint32_t type)
{
	struct perf_event_attr a = { .type = type };
	struct regs_selection i = { 0 }, u = { 0 };

	if (intr)
		assert_int_equal(regs_parse(&i, intr, caps, NULL), 0);
	if (user)
		assert_int_equal(regs_parse(&u, user, caps, NULL), 0);
	regs_to_attr(intr ? &i : NULL, caps, user ? &u : NULL, caps, &a);
	return a;
}

/* What opens at the interrupt need not open for user space, and the other way round. */
static void sides(void **state)
{
	struct regs_caps user = avx_only, no_apx = full;
	struct regs_selection i = { 0 }, u = { 0 };
	struct perf_event_attr a = { 0 };
	struct err e = { 0 };

	(void)state;
	no_apx.gpr &= ~(EGPR | SSP);
	assert_int_equal(regs_parse(&i, "", &no_apx, NULL), 0);
	assert_int_equal(regs_parse(&u, "r16,zmm", &full, NULL), 0);
	regs_to_attr(&i, &no_apx, &u, &full, &a);
	assert_int_equal(a.sample_regs_intr, 0xff0fff);
	assert_int_equal(a.sample_regs_user, 1 << 24);
	assert_int_equal(a.sample_simd_regs_enabled, 1);
	assert_int_equal(a.sample_simd_vec_reg_qwords, 8);
	/* a kernel that has it on one side only */
	a = (struct perf_event_attr){ 0 };
	regs_to_attr(&i, &plain, &u, &full, &a);
	assert_int_equal(a.sample_regs_intr, 0xff0fff);
	assert_int_equal(a.sample_simd_regs_enabled, 1);

	i = u = (struct regs_selection){ 0 };
	assert_int_equal(regs_parse(&i, "zmm", &full, NULL), 0);
	assert_int_equal(regs_parse(&u, "xmm", &user, NULL), 0);
	assert_int_equal(regs_check_width(&i, &full, &u, &full, &e), 0);
	assert_int_equal(regs_check_width(&i, &full, &u, &user, &e), -ENOTSUP);
	assert_non_null(strstr(e.text, "zmm of -I would make those of --user-regs as wide"));
	assert_non_null(strstr(e.hint, "one vector width"));
	u = (struct regs_selection){ 0 };
	assert_int_equal(regs_check_width(&i, &full, &u, &user, &e), 0);
}

static void attrs(void **state)
{
	struct perf_event_attr a;

	(void)state;
	a = attr_of("xmm,opmask", "zmm", &full, 0);
	assert_int_equal(a.sample_type, PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER);
	assert_int_equal(a.sample_simd_vec_reg_qwords, 8);
	assert_int_equal(a.sample_simd_vec_reg_intr, 0xffffffff);
	assert_int_equal(a.sample_simd_vec_reg_user, 0xffffffff);
	assert_int_equal(a.sample_simd_pred_reg_qwords, 1);
	assert_int_equal(a.sample_simd_pred_reg_intr, 0xff);
	assert_int_equal(a.sample_simd_pred_reg_user, 0);
	assert_int_equal(a.sample_simd_regs_enabled, 1);

	a = attr_of("xmm", "ax", &full, 0);
	assert_int_equal(a.sample_simd_vec_reg_qwords, 2);
	assert_int_equal(a.sample_simd_vec_reg_intr, 0xffff);
	assert_int_equal(a.sample_simd_vec_reg_user, 0);
	assert_int_equal(a.sample_regs_intr, 0);
	assert_int_equal(a.sample_regs_user, 1);

	/* what older readers know too is asked for in their way */
	a = attr_of("ax,bx", NULL, &full, 0);
	assert_int_equal(a.sample_simd_regs_enabled, 0);
	assert_int_equal(a.sample_simd_vec_reg_qwords, 0);
	assert_int_equal(a.sample_type, PERF_SAMPLE_REGS_INTR);
	a = attr_of("ax,bx,r16,ssp", NULL, &full, PERF_TYPE_SOFTWARE);
	assert_int_equal(a.sample_simd_regs_enabled, 0);
	assert_int_equal(a.sample_regs_intr, 3);
	a = attr_of("ax,r16", NULL, &full, PERF_TYPE_TRACEPOINT);
	assert_int_equal(a.sample_regs_intr, 1);
	a = attr_of("ax", "r16", &full, 0);
	assert_int_equal(a.sample_simd_regs_enabled, 1);
	/* no list: all that opens, no vectors */
	a = attr_of("", NULL, &full, 0);
	assert_int_equal(a.sample_regs_intr, 0xff0fff | EGPR | SSP);
	assert_int_equal(a.sample_simd_vec_reg_qwords, 0);
	a = attr_of("", NULL, &plain, 0);
	assert_int_equal(a.sample_regs_intr, 0xff0fff);
	assert_int_equal(a.sample_simd_regs_enabled, 0);
	a = attr_of("", NULL, &legacy, 0);
	assert_int_equal(a.sample_regs_intr, 0xff0fff);
	a = attr_of(NULL, NULL, &full, 0);
	assert_int_equal(a.sample_type, 0);
	assert_int_equal(a.sample_simd_regs_enabled, 0);
	a = attr_of("xmm1", NULL, &legacy, 0);
	assert_int_equal(a.sample_regs_intr, 3ULL << 34);
	assert_int_equal(a.sample_simd_regs_enabled, 0);
}

static void typed_lanes(void **state)
{
	const uint64_t q[2] = { 0x3f800000c0200000ULL, 0x00ff80007f010203ULL };
	const uint64_t d[2] = { 0x3ff0000000000000ULL, 0x3fb999999999999aULL };
	const uint64_t nan[1] = { 0x7ff8000000000000ULL };
	static const struct {
		double v;
		const char *text;
	} shortest[] = {
		{ 0x1p-1074, "5e-324" },
		{ -0x3p-1074, "-1.5e-323" },
		{ 1e6, "1e+06" },
		{ 1.5e7, "1.5e+07" },
		{ 1e5, "100000" },
		{ 123456, "123456" },
		{ 1234567, "1234567" },
		{ 0.0001, "0.0001" },
		{ 1e-5, "1e-05" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ 0x1.fffffffffffffp1023, "1.7976931348623157e+308" },
	};
	uint64_t word;
	enum regs_lane lane;
	struct obuf o;

	(void)state;
	obuf_init(&o, -1, 0);
	regs_print_lanes(q, 1, LANE_F32, &o);
	assert_string_equal(text(&o), "-2.5 1");
	regs_print_lanes(d, 2, LANE_F64, &o);
	assert_string_equal(text(&o), "1 0.1");
	regs_print_lanes(q + 1, 1, LANE_I8, &o);
	assert_string_equal(text(&o), "3 2 1 127 0 -128 -1 0");
	regs_print_lanes(q + 1, 1, LANE_I16, &o);
	assert_string_equal(text(&o), "515 32513 -32768 255");
	regs_print_lanes(q, 1, LANE_I32, &o);
	assert_string_equal(text(&o), "-1071644672 1065353216");
	regs_print_lanes(&(uint64_t){ UINT64_MAX }, 1, LANE_I64, &o);
	assert_string_equal(text(&o), "-1");
	regs_print_lanes(q, 2, LANE_HEX, &o);
	assert_string_equal(text(&o), "0x3f800000c0200000 0x00ff80007f010203");
	regs_print_lanes(nan, 1, LANE_F64, &o);
	assert_string_equal(text(&o), "nan");
	for (size_t i = 0; i < ARRAY_SIZE(shortest); i++) {
		memcpy(&word, &shortest[i].v, sizeof(word));
		regs_print_lanes(&word, 1, LANE_F64, &o);
		assert_string_equal(text(&o), shortest[i].text);
	}
	regs_print_lanes(&(uint64_t){ 0x7f7fffff00000001ULL }, 1, LANE_F32, &o);
	assert_string_equal(text(&o), "1e-45 3.4028235e+38");
	regs_print_lanes(q, 0, LANE_F64, &o);
	assert_string_equal(text(&o), "");
	assert_int_equal(regs_lane_parse("F64", &lane), 0);
	assert_int_equal(lane, LANE_F64);
	assert_int_equal(regs_lane_bits(LANE_I16), 16);
	assert_int_equal(regs_lane_parse("f8", &lane), -EINVAL);
	assert_int_equal(regs_lane_parse("bf16", &lane), 0);
	assert_string_equal(regs_lane_name(lane), "bf16");
	/* 1, -2, the least and the largest denormal; 65504, Inf, NaN, 0 */
	regs_print_lanes((const uint64_t[]){ 0x03ff0001c0003c00, 0x00007e007c007bff }, 2, LANE_F16,
			 &o);
	assert_string_equal(text(&o), "1 -2 5.9604645e-08 6.097555e-05 65504 inf nan 0");
	regs_print_lanes(&(uint64_t){ 0x00017f80c0003f80 }, 1, LANE_BF16, &o);
	assert_string_equal(text(&o), "1 -2 inf 9.1835e-41");
	regs_print_lanes(&(uint64_t){ 0xff007f0180ULL }, 1, LANE_U8, &o);
	assert_string_equal(text(&o), "128 1 127 0 255 0 0 0");
	regs_print_lanes(&(uint64_t){ UINT64_MAX }, 1, LANE_U64, &o);
	assert_string_equal(text(&o), "18446744073709551615");
	obuf_free(&o);
}

/* Digits are added until the text reads back: the same as trying one after the other. */
static void one_by_one(char *buf, size_t size, double f)
{
	int digits = 6;

	do
		snprintf(buf, size, "%.*g", digits, f);
	while (strtod(buf, NULL) != f && ++digits < 18);
}

static void one_by_one_single(char *buf, size_t size, float f)
{
	int digits = 6;

	do
		snprintf(buf, size, "%.*g", digits, (double)f);
	while (strtof(buf, NULL) != f && ++digits < 10);
}

static void fewest_digits(void **state)
{
	uint64_t chance = 1;
	struct obuf o;

	(void)state;
	obuf_init(&o, -1, 0);
	for (uint64_t i = 0; i < 6 * 2046; i++) {
		char buf[40], short_text[40];
		uint64_t bits;
		double f;

		chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
		/* Of any exponent: a power of two, any number, or what a text of few digits is. */
		bits = (1 + i % 2046) << 52 | (i / 2046 % 3 ? chance >> 12 : 0);
		memcpy(&f, &bits, sizeof(f));
		if (i / 2046 % 3 == 2) {
			snprintf(short_text, sizeof(short_text), "%.*g", (int)(6 + i % 11), f);
			f = strtod(short_text, NULL);
			memcpy(&bits, &f, sizeof(bits));
		}
		one_by_one(buf, sizeof(buf), f);
		regs_print_lane(&bits, 0, LANE_F64, &o);
		assert_string_equal(text(&o), buf);
	}
	obuf_free(&o);
}

/* Floats of any exponent, and numbers next to texts of some digits. */
static void fewest_digits_single(void **state)
{
	uint64_t chance = 1;
	struct obuf o;

	(void)state;
	obuf_init(&o, -1, 0);
	for (uint32_t i = 0; i < 40 * 254; i++) {
		char buf[40], short_text[40];
		uint32_t word;
		uint64_t bits;
		float f;

		chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
		word = (uint32_t)(chance >> 63) << 31 | (1 + i % 254) << 23 |
		       (uint32_t)(chance >> 40 & 0x7fffff);
		memcpy(&f, &word, sizeof(f));
		if (i / 254 % 2) {
			snprintf(short_text, sizeof(short_text), "%.*g", (int)(6 + i % 3),
				 (double)f);
			f = strtof(short_text, NULL);
			memcpy(&word, &f, sizeof(word));
		}
		one_by_one_single(buf, sizeof(buf), f);
		bits = word;
		regs_print_lane(&bits, 0, LANE_F32, &o);
		assert_string_equal(text(&o), buf);
	}
	obuf_free(&o);
}

static void numbers(void **state)
{
	static const struct {
		enum regs_lane lane;
		uint64_t denormal, largest_denormal, normal, inf, nan;
	} t[] = {
		{ LANE_F16, 1, 0x3ff, 0x400, 0x7c00, 0x7c01 },
		{ LANE_BF16, 1, 0x7f, 0x80, 0x7f80, 0x7f81 },
		{ LANE_F32, 1, 0x7fffff, 0x800000, 0x7f800000, 0x7fffffff },
		{ LANE_F64, 1, 0xfffffffffffffULL, 1ULL << 52, 0x7ffULL << 52, 0x7ff8ULL << 48 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		uint64_t sign = BIT(regs_lane_bits(t[i].lane) - 1);

		for (uint64_t s = 0; s <= 1; s++) {
			uint64_t m = s ? sign : 0;

			assert_true(regs_lane_is_float(t[i].lane));
			assert_int_equal(regs_lane_number(m, t[i].lane), NUMBER_ZERO);
			assert_int_equal(regs_lane_number(m | t[i].denormal, t[i].lane),
					 NUMBER_DENORMAL);
			assert_int_equal(regs_lane_number(m | t[i].largest_denormal, t[i].lane),
					 NUMBER_DENORMAL);
			assert_int_equal(regs_lane_number(m | t[i].normal, t[i].lane),
					 NUMBER_NORMAL);
			assert_int_equal(regs_lane_number(m | t[i].inf, t[i].lane), NUMBER_INF);
			assert_int_equal(regs_lane_number(m | t[i].nan, t[i].lane), NUMBER_NAN);
		}
	}
	assert_int_equal(regs_lane_number(0, LANE_U8), NUMBER_ZERO);
	assert_int_equal(regs_lane_number(1, LANE_I64), NUMBER_NORMAL);
	assert_int_equal(regs_lane_get(&(uint64_t){ 0x1122334455667788 }, 6, LANE_U8), 0x22);
}

static void picks(void **state)
{
	static const char *const bad[] = { "zm0",    "",	"zmm0,", "zmm64",
					   "zmm3-1", "zmm0-x",	"k-1",	 "zmm99999999999",
					   "zmm32",  "ymm0-40", "k8",	 "opmask3-9" };
	struct regs_pick p = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(regs_pick_parse(&p, "zmm3,K1,ax,ymm8-ymm9", REGS_ARCH_X86, &e), 0);
	assert_int_equal(p.vec, 1 << 3 | 3 << 8);
	assert_int_equal(p.pred, 2);
	assert_int_equal(p.gpr, 1);
	assert_int_equal(regs_pick_parse(&p, "opmask,zmm0-31", REGS_ARCH_X86, &e), 0);
	assert_true(p.vec == UINT32_MAX && p.pred == 0xff);
	p = (struct regs_pick){ 0 };
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(regs_pick_parse(&p, bad[i], REGS_ARCH_X86, &e), -EINVAL);
	assert_int_equal(regs_pick_parse(&p, "x3", REGS_ARCH_X86, &e), -EINVAL);
	assert_int_equal(regs_pick_parse(&p, "x3,ax", REGS_ARCH_ARM64, &e), -EINVAL);
	p = (struct regs_pick){ 0 };
	assert_int_equal(regs_pick_parse(&p, "x0,x3,vec63", REGS_ARCH_ARM64, &e), 0);
	assert_int_equal(p.gpr, 9);
	assert_int_equal(regs_pick_parse(&p, "zmm40", REGS_ARCH_X86, &e), -EINVAL);
	assert_string_equal(e.text, "there is no register \"zmm40\"");
	assert_string_equal(e.hint, "They are zmm0 to zmm31.");
	/* Of other architectures. */
	assert_int_equal(regs_pick_parse(&p, "zmm3", REGS_ARCH_ARM64, &e), -EINVAL);
	assert_int_equal(regs_pick_parse(&p, "k1", REGS_ARCH_POWERPC, &e), -EINVAL);
	assert_int_equal(regs_pick_parse(&p, "vec3", REGS_ARCH_X86, &e), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),	 cmocka_unit_test(architectures),
		cmocka_unit_test(lists),	 cmocka_unit_test(refusals),
		cmocka_unit_test(available),	 cmocka_unit_test(attrs),
		cmocka_unit_test(sides),	 cmocka_unit_test(typed_lanes),
		cmocka_unit_test(picks),	 cmocka_unit_test(numbers),
		cmocka_unit_test(fewest_digits), cmocka_unit_test(fewest_digits_single),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
