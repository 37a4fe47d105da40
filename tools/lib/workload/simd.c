// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Known values in vector registers, in a hot loop that changes none of them:
 *
 *	register n, 64-bit lane l	0x5151000000000000 | n << 8 | l
 *	opmask k (1-7)			0x1111 * k
 *
 * sse2 keeps them in xmm0-15, avx2 in ymm0-15, avx512 in zmm0-31 and k1-k7. The loop function is
 * simdloop; for a quarter of the time scalarloop runs instead, behind a vzeroupper: the upper
 * halves of registers 0-15 are clean then, while zmm16-31 keep what they had.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "workload/workload-int.h"

#ifdef __x86_64__

/* clang-format off */
#define LANES 8
#define REGS  32
#define SPIN  200000UL

static uint64_t pattern[REGS][LANES] __attribute__((aligned(64)));
static uint64_t masks[8];

/* Loads register @n of class @cls ("xmm") by @insn from the pattern. */
#define LOAD(insn, cls, n) insn " " #n "*64(%1), %%" cls #n "\n\t"
#define LOAD16(insn, cls)                                                                   \
	LOAD(insn, cls, 0)                                                                  \
	LOAD(insn, cls, 1) LOAD(insn, cls, 2) LOAD(insn, cls, 3) LOAD(insn, cls, 4)         \
		LOAD(insn, cls, 5) LOAD(insn, cls, 6) LOAD(insn, cls, 7) LOAD(insn, cls, 8) \
			LOAD(insn, cls, 9) LOAD(insn, cls, 10) LOAD(insn, cls, 11)          \
				LOAD(insn, cls, 12) LOAD(insn, cls, 13) LOAD(insn, cls, 14) \
					LOAD(insn, cls, 15)
#define LOAD32(insn, cls)                                                                       \
	LOAD16(insn, cls)                                                                       \
	LOAD(insn, cls, 16)                                                                     \
	LOAD(insn, cls, 17) LOAD(insn, cls, 18) LOAD(insn, cls, 19) LOAD(insn, cls, 20)         \
		LOAD(insn, cls, 21) LOAD(insn, cls, 22) LOAD(insn, cls, 23) LOAD(insn, cls, 24) \
			LOAD(insn, cls, 25) LOAD(insn, cls, 26) LOAD(insn, cls, 27)             \
				LOAD(insn, cls, 28) LOAD(insn, cls, 29) LOAD(insn, cls, 30)     \
					LOAD(insn, cls, 31)
#define LOADK(n) "kmovq " #n "*8(%2), %%k" #n "\n\t"

/* Instructions of the width under test that leave every register as it was. */
#define HOT(insn) "1:\n\t" insn "\n\t" insn "\n\tsub $1, %0\n\tjnz 1b\n\t"

#define CLOBBER16                                                                                \
	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
		"xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory"

/* clang-format on */

typedef void (*simd_func)(uint64_t spin);

static OWN_FUNCTION void simdloop_sse2(uint64_t spin)
{
	__asm__ volatile(LOAD16("movdqa", "xmm") HOT("orpd %%xmm3, %%xmm3")
			 : "+r"(spin)
			 : "r"(pattern), "r"(masks)
			 : CLOBBER16);
}

static OWN_FUNCTION void simdloop_avx2(uint64_t spin)
{
	__asm__ volatile(LOAD16("vmovdqa", "ymm") HOT("vorpd %%ymm3, %%ymm3, %%ymm3") "vzeroupper"
			 : "+r"(spin)
			 : "r"(pattern), "r"(masks)
			 : CLOBBER16);
}

static OWN_FUNCTION __attribute__((target("avx512f,avx512bw"))) void simdloop_avx512(uint64_t spin)
{
	__asm__ volatile(LOAD32("vmovdqa64", "zmm") LOADK(1) LOADK(2) LOADK(3) LOADK(4) LOADK(5)
				 LOADK(6) LOADK(7) HOT("vpord %%zmm3, %%zmm3, %%zmm3") "vzeroupper"
			 : "+r"(spin)
			 : "r"(pattern), "r"(masks)
			 : CLOBBER16, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",
			   "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30",
			   "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7");
}

void simdloop(simd_func f);
void scalarloop(void);

OWN_FUNCTION void simdloop(simd_func f)
{
	f(SPIN);
	__asm__ volatile("");
}

/* A cycle each; three simdloops have 6 * SPIN vector instructions that wait for each other. */
OWN_FUNCTION void scalarloop(void)
{
	uint64_t spin = 2 * SPIN;

	__asm__ volatile("1:\n\tsub $1, %0\n\tjnz 1b" : "+r"(spin) : : "cc");
}

static simd_func choose(const char *level)
{
	__builtin_cpu_init();
	if (!strcmp(level, "avx512"))
		return __builtin_cpu_supports("avx512bw") ? simdloop_avx512 : NULL;
	if (!strcmp(level, "avx2"))
		return __builtin_cpu_supports("avx2") ? simdloop_avx2 : NULL;
	return !strcmp(level, "sse2") ? simdloop_sse2 : NULL;
}

static simd_func widest(void)
{
	static const char *const levels[] = { "avx512", "avx2", "sse2" };
	simd_func f = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(levels) && !f; i++)
		f = choose(levels[i]);
	return f;
}

int workload_simdloop(int argc, char **argv)
{
	simd_func f = argc > 2 ? choose(argv[2]) : widest();

	if (!f) {
		fprintf(stderr, "simdloop: this CPU has no %s\n", argv[2]);
		return 1;
	}
	for (uint64_t n = 0; n < REGS; n++)
		for (uint64_t l = 0; l < LANES; l++)
			pattern[n][l] = 0x5151000000000000ULL | n << 8 | l;
	for (uint64_t k = 0; k < 8; k++)
		masks[k] = 0x1111 * k;
	workload_alarm(workload_seconds(argc, argv, 1));
	while (!workload_done) {
		for (int i = 0; i < 3; i++)
			simdloop(f);
		scalarloop();
	}
	return 0;
}

#else

int workload_simdloop(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fputs("simdloop: written for x86-64 only\n", stderr);
	return 1;
}

#endif
