// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counting xmm|ymm|zmm [rounds]: a loop in which vector registers (and a mask) count its rounds
 * along with rbx. At any instruction of the loop each of them is rbx, or one more where its own
 * addition is done and that of rbx is not: `nm` tells where these are (count_add0 ... count_inc).
 * A few branches go the one way or the other by what is in the vectors.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };

/* clang-format off */
#define LABEL(name) ".globl count_" name "\ncount_" name ":\n\t"
#define BODY(class, load, zero, add, test, more, move)                                       \
	load " (%[one]), %%" class "3\n\t"                                                    \
	zero(class, 0) zero(class, 1) zero(class, 2) more                                     \
	"xor %%ebx, %%ebx\n\t"                                                                \
	LABEL(class "_loop")                                                                  \
	LABEL(class "_add0") add("3", class, "0")                                             \
	LABEL(class "_add1") add("3", class, "1")                                             \
	test(class)                                                                           \
	"jz 1f\n\tnop\n1:\n\t"                                                                \
	LABEL(class "_add2") add("3", class, "2") move                                        \
	LABEL(class "_inc") "inc %%rbx\n\t"                                                   \
	"cmp %[rounds], %%rbx\n\tjne count_" class "_loop\n\t"                                \
	LABEL(class "_end")
#define ZERO_SSE(c, n) "pxor %%" c #n ", %%" c #n "\n\t"
#define ZERO_AVX(c, n) "vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\t"
#define ADD_SSE(a, c, n) "paddq %%" c a ", %%" c n "\n\t"
#define ADD_AVX(a, c, n) "vpaddq %%" c a ", %%" c n ", %%" c n "\n\t"
#define TEST_SSE(c) "movq %%xmm1, %%rax\n\ttest $1, %%al\n\t"
#define TEST_AVX(c) "vmovq %%xmm1, %%rax\n\ttest $1, %%al\n\t"
/* register 17 and mask 1 count, too */
#define MORE_512 "vpxorq %%zmm17, %%zmm17, %%zmm17\n\tkxorw %%k1, %%k1, %%k1\n\t"
#define MOVE_512 "vmovdqa64 %%zmm2, %%zmm17\n\tkmovw %%eax, %%k1\n\t"

__attribute__((noinline)) static void count_xmm(uint64_t rounds)
{
	__asm__ volatile(BODY("xmm", "movdqu", ZERO_SSE, ADD_SSE, TEST_SSE, "", "")
			 : : [one] "r"(ones), [rounds] "r"(rounds)
			 : "rax", "rbx", "cc", "memory");
}

__attribute__((noinline)) static void count_ymm(uint64_t rounds)
{
	__asm__ volatile(BODY("ymm", "vmovdqu", ZERO_AVX, ADD_AVX, TEST_AVX, "", "") "vzeroupper\n\t"
			 : : [one] "r"(ones), [rounds] "r"(rounds)
			 : "rax", "rbx", "cc", "memory");
}

__attribute__((noinline)) static void count_zmm(uint64_t rounds)
{
	__asm__ volatile(BODY("zmm", "vmovdqu64", ZERO_AVX, ADD_AVX, TEST_AVX, MORE_512, MOVE_512)
			 "vzeroupper\n\t"
			 : : [one] "r"(ones), [rounds] "r"(rounds)
			 : "rax", "rbx", "cc", "memory");
}
/* clang-format on */

int main(int argc, char **argv)
{
	const char *class = argc > 1 ? argv[1] : "xmm";
	uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 0) : 100000000;

	if (!strcmp(class, "zmm"))
		count_zmm(rounds);
	else if (!strcmp(class, "ymm"))
		count_ymm(rounds);
	else
		count_xmm(rounds);
	puts("counted");
	return 0;
}
