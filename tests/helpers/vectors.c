// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vectors pause|core|spin [seconds]: puts known values into the vector registers of the widest
 * class this CPU has (and masks), then waits to be looked at, dumps core, or spins in a loop of
 * its own function. Byte i of register n of ZMM/YMM/XMM is n * 8 + i / 8 in every lane:
 * qword i of register n is 0x0101010101010101 * (n * 8 + i).
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t values[32][8];
static uint64_t masks[8];

static void fill(void)
{
	for (unsigned n = 0; n < 32; n++)
		for (unsigned i = 0; i < 8; i++)
			values[n][i] = 0x0101010101010101ULL * ((n * 8 + i) & 0xff);
	for (unsigned n = 0; n < 8; n++)
		masks[n] = 0x1111 * n;
}

#define V(n)   "vmovdqu64 " #n "*64(%[v]), %%zmm" #n "\n\t"
#define Y(n)   "vmovdqu " #n "*64(%[v]), %%ymm" #n "\n\t"
#define X(n)   "movdqu " #n "*64(%[v]), %%xmm" #n "\n\t"
#define LOW(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15)
#define HIGH(M) \
	M(16)   \
	M(17) M(18) M(19) M(20) M(21) M(22) M(23) M(24) M(25) M(26) M(27) M(28) M(29) M(30) M(31)
/* mask n is 0x1111 * n, with 16-bit moves, which plain AVX-512F has */
#define K(n)  "kmovw " #n "*8(%[k]), %%k" #n "\n\t"
#define ALL_K K(0) K(1) K(2) K(3) K(4) K(5) K(6) K(7)

/* Spins @rounds times without touching a vector register, then asks for @what. */
#define WAIT                        \
	"1:\n\t"                    \
	"dec %[rounds]\n\t"         \
	"jnz 1b\n\t"                \
	"test %[what], %[what]\n\t" \
	"jz 2f\n\t"                 \
	"ud2\n\t"                   \
	"2:\n\t"

__attribute__((noinline)) void hot_zmm(uint64_t rounds, uint64_t what)
{
	__asm__ volatile(LOW(V) HIGH(V) ALL_K WAIT "vzeroupper\n\t"
			 : [rounds] "+r"(rounds)
			 : [v] "r"(values), [k] "r"(masks), [what] "r"(what)
			 : "memory", "cc");
}

__attribute__((noinline)) void hot_ymm(uint64_t rounds, uint64_t what)
{
	__asm__ volatile(LOW(Y) WAIT "vzeroupper\n\t"
			 : [rounds] "+r"(rounds)
			 : [v] "r"(values), [what] "r"(what)
			 : "memory", "cc");
}

__attribute__((noinline)) void hot_xmm(uint64_t rounds, uint64_t what)
{
	__asm__ volatile(LOW(X) WAIT
			 : [rounds] "+r"(rounds)
			 : [v] "r"(values), [what] "r"(what)
			 : "memory", "cc");
}

/* Nothing but general registers. */
__attribute__((noinline)) void cold_scalar(uint64_t rounds)
{
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(rounds) : : "cc");
}

typedef void (*hot_fn)(uint64_t rounds, uint64_t what);

static hot_fn widest(const char *class)
{
	if (!class && __builtin_cpu_supports("avx512f"))
		class = "zmm";
	if (!class && __builtin_cpu_supports("avx"))
		class = "ymm";
	if (class && !strcmp(class, "zmm"))
		return hot_zmm;
	return class && !strcmp(class, "ymm") ? hot_ymm : hot_xmm;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "pause";
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	hot_fn hot = widest(argc > 3 ? argv[3] : NULL);

	fill();
	if (!strcmp(mode, "class")) {
		puts(hot == hot_zmm ? "zmm" : hot == hot_ymm ? "ymm" : "xmm");
	} else if (!strcmp(mode, "core")) {
		hot(1, 1); /* ud2: dies with the values in place */
	} else if (!strcmp(mode, "pause")) {
		puts("ready");
		fflush(stdout);
		alarm((unsigned)seconds);
		hot(~0ULL, 0);
	} else {
		/* about one round per nanosecond at most; half of the time scalar */
		for (int i = 0; i < (int)(seconds * 10); i++) {
			hot(100000000, 0);
			cold_scalar(50000000);
		}
		puts("done");
	}
	return 0;
}
