// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which instructions this CPU executes: for each set of the disassembler the bit of CPUID, and the
 * registers that the kernel must have enabled. CPUID: Intel SDM vol. 2, AMD APM vol. 3.
 */
#include "config.h"
#include "without-int.h"

#if HAVE_ZYDIS && defined(__x86_64__)
#include <cpuid.h>

#include "native-int.h"
#include "xsave/xsave.h"

/* SSE, AVX, opmask, ZMM_Hi256, Hi16_ZMM */
#define AVX_STATE     (BIT(XSAVE_SSE) | BIT(XSAVE_AVX))
#define AVX512_STATE  (AVX_STATE | BIT(XSAVE_OPMASK) | BIT(XSAVE_ZMM_HI256) | BIT(XSAVE_HI16_ZMM))
#define AVX512_SUBSET (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31) /* F DQ CD BW VL */

enum { LEAF1_C, LEAF7_B, LEAF7_C, LEAF7_D, LEAF71_A, WORDS };
enum { NEEDS_SSE, NEEDS_AVX, NEEDS_AVX512 };

#define SET(name)  ZYDIS_ISA_SET_##name
#define SETS(name) ZYDIS_ISA_SET_##name##_128, ZYDIS_ISA_SET_##name##_512
static const struct {
	uint16_t first, last;
	uint8_t needs, word, bit;
} rows[] = {
	{ SET(SSE), SET(SSE42), NEEDS_SSE, LEAF1_C, 20 },
	{ SET(SSSE3), SET(SSSE3), NEEDS_SSE, LEAF1_C, 9 },
	{ SET(PCLMULQDQ), SET(PCLMULQDQ), NEEDS_SSE, LEAF1_C, 1 },
	{ SET(AES), SET(AES), NEEDS_SSE, LEAF1_C, 25 },
	{ SET(SHA), SET(SHA), NEEDS_SSE, LEAF7_B, 29 },
	{ SET(GFNI), SET(GFNI), NEEDS_SSE, LEAF7_C, 8 },
	{ SET(BMI1), SET(BMI1), NEEDS_SSE, LEAF7_B, 3 },
	{ SET(BMI2), SET(BMI2), NEEDS_SSE, LEAF7_B, 8 },
	{ SET(AVX), SET(AVX), NEEDS_AVX, LEAF1_C, 28 },
	{ SET(AVX2), SET(AVX2), NEEDS_AVX, LEAF7_B, 5 },
	{ SET(FMA), SET(FMA), NEEDS_AVX, LEAF1_C, 12 },
	{ SET(F16C), SET(F16C), NEEDS_AVX, LEAF1_C, 29 },
	{ SET(AVXAES), SET(AVXAES), NEEDS_AVX, LEAF1_C, 25 },
	{ SET(VAES), SET(VAES), NEEDS_AVX, LEAF7_C, 9 },
	{ SET(VPCLMULQDQ), SET(VPCLMULQDQ), NEEDS_AVX, LEAF7_C, 10 },
	{ SET(AVX_GFNI), SET(AVX_GFNI), NEEDS_AVX, LEAF7_C, 8 },
	{ SET(AVX_VNNI), SET(AVX_VNNI), NEEDS_AVX, LEAF71_A, 4 },
	{ SET(AVX512BW_128), SET(AVX512BW_KOP), NEEDS_AVX512, LEAF7_B, 30 },
	{ SET(AVX512CD_128), SET(AVX512CD_512), NEEDS_AVX512, LEAF7_B, 28 },
	{ SET(AVX512DQ_128), SET(AVX512DQ_SCALAR), NEEDS_AVX512, LEAF7_B, 17 },
	{ SET(AVX512F_128), SET(AVX512F_SCALAR), NEEDS_AVX512, LEAF7_B, 16 },
	{ SETS(AVX512_IFMA), NEEDS_AVX512, LEAF7_B, 21 },
	{ SETS(AVX512_VBMI), NEEDS_AVX512, LEAF7_C, 1 },
	{ SETS(AVX512_VBMI2), NEEDS_AVX512, LEAF7_C, 6 },
	{ SETS(AVX512_GFNI), NEEDS_AVX512, LEAF7_C, 8 },
	{ SETS(AVX512_VAES), NEEDS_AVX512, LEAF7_C, 9 },
	{ SETS(AVX512_VPCLMULQDQ), NEEDS_AVX512, LEAF7_C, 10 },
	{ SETS(AVX512_VNNI), NEEDS_AVX512, LEAF7_C, 11 },
	{ SETS(AVX512_BITALG), NEEDS_AVX512, LEAF7_C, 12 },
	{ SETS(AVX512_VPOPCNTDQ), NEEDS_AVX512, LEAF7_C, 14 },
	{ SETS(AVX512_BF16), NEEDS_AVX512, LEAF71_A, 5 },
	{ SET(AVX512_FP16_128), SET(AVX512_FP16_SCALAR), NEEDS_AVX512, LEAF7_D, 23 },
};

static void read_words(uint32_t word[WORDS])
{
	uint32_t a, b, c, d;

	memset(word, 0, WORDS * sizeof(word[0]));
	if (__get_cpuid(1, &a, &b, &c, &d))
		word[LEAF1_C] = c;
	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
		return;
	word[LEAF7_B] = b;
	word[LEAF7_C] = c;
	word[LEAF7_D] = d;
	if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
		word[LEAF71_A] = a;
}

bool native_cpu_read(struct native_cpu *cpu, uint64_t xcr0)
{
	uint64_t enabled = xcr0 & AVX512_STATE;
	uint32_t word[WORDS];
	unsigned level = NEEDS_SSE;

	*cpu = (struct native_cpu){ 0 };
	if (tracer_without() & WITHOUT_AVX)
		enabled &= BIT(XSAVE_SSE);
	if (tracer_without() & WITHOUT_AVX512)
		enabled &= AVX_STATE;
	read_words(word);
	if (!(enabled & BIT(XSAVE_SSE)) || !(word[LEAF1_C] & bit_SSE4_2))
		return false;
	if ((enabled & AVX_STATE) == AVX_STATE && (word[LEAF1_C] & bit_AVX))
		level = NEEDS_AVX;
	if (level == NEEDS_AVX && enabled == AVX512_STATE &&
	    (word[LEAF7_B] & AVX512_SUBSET) == AVX512_SUBSET)
		level = NEEDS_AVX512;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned n = rows[i].first; n <= rows[i].last; n++)
			cpu->set[n] =
				level >= rows[i].needs && (word[rows[i].word] >> rows[i].bit & 1);
	cpu->components = enabled | BIT(XSAVE_X87);
	cpu->avx = level >= NEEDS_AVX;
	return true;
}

bool native_cpu_has(const struct native_cpu *cpu, const ZydisDecodedInstruction *z)
{
	if (z->meta.isa_ext != ZYDIS_ISA_EXT_X87 &&
	    (z->meta.isa_set > ZYDIS_ISA_SET_MAX_VALUE || !cpu->set[z->meta.isa_set]))
		return false;
	switch (z->mnemonic) {
	/* they tell where the last one was executed */
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FLDENV:
	case ZYDIS_MNEMONIC_FRSTOR:
	case ZYDIS_MNEMONIC_LDMXCSR:
	case ZYDIS_MNEMONIC_STMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR:
	case ZYDIS_MNEMONIC_VSTMXCSR: return false;
	/* the disassembler calls it AVX; it has a CPUID bit of its own */
	case ZYDIS_MNEMONIC_VPCLMULQDQ: return cpu->set[ZYDIS_ISA_SET_PCLMULQDQ];
	default: return true;
	}
}
#endif
