// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanes WHICH ROUNDS: loops over vectors whose numbers, lanes and upper halves are known, a function
 * each, of AVX instructions, and of AVX-512 where the name says so:
 *
 *	denormal	vmulps %ymm1, %ymm0, %ymm2: of the eight lanes of each 2 denormal, 1 NaN, 1 Inf, 1 zero
 *	flushed		the same under MXCSR 0x9fc0: denormals are taken as zero, as operands and as results (DAZ, FTZ)
 *	raised		a division by zero, before a loop of vpaddd, which raises nothing
 *	ints		vpaddd: half of the lanes are zero
 *	equal		vaddpd of sources whose lanes are all alike, and change
 *	constant	vmulpd of sources that never change
 *	narrow		vaddps whose upper four lanes are zero
 *	masked		vaddpd %zmm1, %zmm0, %zmm2{%k1}: 2 of 8 lanes (AVX-512)
 *	varied		vaddpd of lanes that differ, and change
 *	dirty		a function leaves its upper halves, and one of SSE instructions runs with them
 *	clean		the same with vzeroupper
 *	target		an indirect call by %rax: three of four times to target_a, else to target_b
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FN __attribute__((noinline, used))

static float floats[16] __attribute__((aligned(64)));
static double ones[8] __attribute__((aligned(64)));
static uint32_t ints[8] __attribute__((aligned(64)));

#define BODY(insns) "1:\n\t" insns "dec %[n]\n\tjnz 1b\n\t"
#define SIX(insn)   insn insn insn insn insn insn

FN void lanes_denormal(uint64_t n)
{
	__asm__ volatile("vmovaps (%[f]), %%ymm0\n\tvmovaps (%[f]), %%ymm1\n\t" BODY(
				 SIX("vmulps %%ymm1, %%ymm0, %%ymm2\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [f] "r"(floats)
			 : "memory", "cc");
}

static void set_mxcsr(uint32_t v)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(v));
}

FN void lanes_flushed(uint64_t n)
{
	set_mxcsr(0x9fc0);
	__asm__ volatile("vmovaps (%[f]), %%ymm0\n\tvmovaps (%[f]), %%ymm1\n\t" BODY(
				 SIX("vmulps %%ymm1, %%ymm0, %%ymm2\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [f] "r"(floats)
			 : "memory", "cc");
}

FN void lanes_raised(uint64_t n)
{
	float one = 1;

	set_mxcsr(0x1f80);
	__asm__ volatile("vxorps %%xmm0, %%xmm0, %%xmm0\n\tvdivss %%xmm0, %[one], %%xmm1\n\t"
			 "vmovdqa (%[i]), %%ymm0\n\tvmovdqa (%[i]), %%ymm1\n\t" BODY(
				 SIX("vpaddd %%ymm1, %%ymm0, %%ymm2\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [i] "r"(ints), [one] "x"(one)
			 : "memory", "cc", "xmm0", "xmm1", "xmm2");
}

FN void lanes_ints(uint64_t n)
{
	__asm__ volatile("vmovdqa (%[i]), %%ymm0\n\tvmovdqa (%[i]), %%ymm1\n\t" BODY(
				 SIX("vpaddd %%ymm1, %%ymm0, %%ymm2\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [i] "r"(ints)
			 : "memory", "cc");
}

FN void lanes_equal(uint64_t n)
{
	__asm__ volatile("vbroadcastsd (%[o]), %%ymm0\n\tvmovapd %%ymm0, %%ymm1\n\t" BODY(
				 SIX("vaddpd %%ymm1, %%ymm0, %%ymm0\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [o] "r"(ones)
			 : "memory", "cc");
}

FN void lanes_constant(uint64_t n)
{
	__asm__ volatile("vmovapd (%[o]), %%ymm0\n\tvmovapd 32(%[o]), %%ymm1\n\t" BODY(
				 SIX("vmulpd %%ymm1, %%ymm0, %%ymm2\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [o] "r"(ones)
			 : "memory", "cc");
}

FN void lanes_varied(uint64_t n)
{
	__asm__ volatile("vmovapd (%[o]), %%ymm0\n\tvmovapd 32(%[o]), %%ymm1\n\t" BODY(
				 SIX("vaddpd %%ymm1, %%ymm0, %%ymm0\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [o] "r"(ones)
			 : "memory", "cc");
}

FN void lanes_narrow(uint64_t n)
{
	__asm__ volatile("vmovaps 32(%[f]), %%xmm0\n\tvmovaps %%xmm0, %%xmm1\n\t" BODY(
				 SIX("vaddps %%ymm1, %%ymm0, %%ymm0\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [f] "r"(floats)
			 : "memory", "cc");
}

FN void lanes_masked(uint64_t n)
{
	__asm__ volatile("vmovapd (%[o]), %%zmm0\n\tvmovapd %%zmm0, %%zmm1\n\t"
			 "mov $3, %%eax\n\tkmovw %%eax, %%k1\n\t" BODY(
				 SIX("vaddpd %%zmm1, %%zmm0, %%zmm2%{%%k1%}\n\t")) "vzeroupper\n\t"
			 : [n] "+r"(n)
			 : [o] "r"(ones)
			 : "memory", "cc", "eax");
}

FN void leaves_dirty(void)
{
	__asm__ volatile("vpcmpeqd %%ymm5, %%ymm5, %%ymm5\n\tvpaddd %%ymm5, %%ymm5, %%ymm5"
			 :
			 :
			 : "memory");
}

FN void leaves_clean(void)
{
	__asm__ volatile("vpcmpeqd %%ymm5, %%ymm5, %%ymm5\n\tvzeroupper" : : : "memory");
}

/* With a frame, so that its caller is in call chains: a leaf has none unless it asks for it. */
FN void sse_loop(uint64_t n)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	__asm__ volatile("pxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\t" BODY(
				 SIX("paddd %%xmm1, %%xmm0\n\t"))
			 : [n] "+r"(n)
			 :
			 : "cc");
}

FN void dirty_caller(uint64_t n)
{
	leaves_dirty();
	sse_loop(n);
	__asm__ volatile("vzeroupper");
}

FN void clean_caller(uint64_t n)
{
	leaves_clean();
	sse_loop(n);
}

FN void target_a(void)
{
	__asm__ volatile("nop");
}
FN void target_b(void)
{
	__asm__ volatile("nop");
}

FN void lanes_target(uint64_t n)
{
	__asm__ volatile("1: mov %[a], %%rax\n\ttest $3, %[n]\n\tcmovz %[b], %%rax\n\t"
			 "call *%%rax\n\tdec %[n]\n\tjnz 1b"
			 : [n] "+r"(n)
			 : [a] "r"(target_a), [b] "r"(target_b)
			 : "memory", "cc", "rax");
}

static const struct {
	const char *name;
	void (*run)(uint64_t n);
	const char *needs;
} all[] = {
	{ "denormal", lanes_denormal, NULL }, { "flushed", lanes_flushed, NULL },
	{ "raised", lanes_raised, NULL },     { "ints", lanes_ints, NULL },
	{ "equal", lanes_equal, NULL },	      { "constant", lanes_constant, NULL },
	{ "narrow", lanes_narrow, NULL },     { "varied", lanes_varied, NULL },
	{ "masked", lanes_masked, "512" },    { "dirty", dirty_caller, NULL },
	{ "clean", clean_caller, NULL },      { "target", lanes_target, NULL },
};

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 0) : 1000000;
	uint32_t tiny = 1;

	if (argc < 2 || !__builtin_cpu_supports("avx2"))
		return 77;
	memcpy(&floats[0], &tiny, 4);
	memcpy(&floats[1], &tiny, 4);
	floats[2] = __builtin_nanf("");
	floats[3] = __builtin_inff();
	floats[5] = floats[6] = floats[7] = 1.5f;
	for (int i = 0; i < 8; i++) {
		floats[8 + i] = 1.0f + (float)i;
		ones[i] = 1.0 + i * 1e-3;
		ints[i] = i % 2 ? 7u + (uint32_t)i : 0;
	}
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(all[i].name, argv[1]) != 0)
			continue;
		if (all[i].needs && !__builtin_cpu_supports("avx512f"))
			return 77;
		all[i].run(n);
		return 0;
	}
	return 2;
}
