// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tiles MODE [N]: a program that uses AMX. Its output does not depend on being traced.
 *
 *	can		says what is missing, status 1; or nothing, 0
 *	work N		N products of matrices in tiles, each held against plain arithmetic; which of two
 *			functions is called next is read out of the product. Prints how often each was
 *	keep N		values in all eight tiles and in ZMM31; N tenths of a second of other code, system
 *			calls and a handler on a stack of its own; then they are looked at
 *	threads N	four threads that do so, each with values of its own
 *	half N		FP16: N sums whose bits choose the next call (without AVX512-FP16: 77)
 *	pause N		values in all tiles, "ready", and N seconds in a loop
 *	core		the same, then it dies of an instruction that is none
 *
 * Byte b of row r of tile t is 1 + 16 t + r in the modes with values.
 */
#include <cpuid.h>
#include <errno.h>
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define N		    __attribute__((noinline))
#define AMX		    __attribute__((target("amx-tile,amx-int8,avx512f")))
#define ARCH_REQ_XCOMP_PERM 0x1023
#define TILE_DATA	    18

struct config {
	uint8_t palette, start_row, reserved[14];
	uint16_t bytes[16]; /* of a row */
	uint8_t rows[16];
} __attribute__((aligned(64)));

struct tile {
	int8_t row[16][64];
} __attribute__((aligned(64)));

static volatile uint64_t ones, zeros;
static volatile sig_atomic_t handled;

N void one(void)
{
	ones++;
}

N void zero(void)
{
	zeros++;
}

static const char *missing(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & 1u << 24) || !(d & 1u << 25))
		return "this CPU has no AMX";
	if (syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, TILE_DATA))
		return strerror(errno);
	return NULL;
}

AMX N static void configure(unsigned rows, unsigned bytes)
{
	struct config c = { .palette = 1 };

	for (int i = 0; i < 8; i++) {
		c.rows[i] = (uint8_t)rows;
		c.bytes[i] = (uint16_t)bytes;
	}
	__asm__ volatile("ldtilecfg %0" : : "m"(c)); /* gcc's function reads 8 bytes of it */
}

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* c = a * b, four bytes of a row of a with four of a column of b */
static int32_t plain(const struct tile *a, const struct tile *b, int row, int column)
{
	int32_t sum = 0;

	for (int k = 0; k < 16; k++)
		for (int i = 0; i < 4; i++)
			sum += a->row[row][4 * k + i] * b->row[k][4 * column + i];
	return sum;
}

AMX N static void multiply(const struct tile *a, const struct tile *b, int32_t (*c)[16])
{
	_tile_zero(0);
	_tile_loadd(1, a, 64);
	_tile_loadd(2, b, 64);
	_tile_dpbssd(0, 1, 2);
	_tile_stored(0, c, 64);
}

AMX static int work(long n)
{
	static struct tile a, b;
	static int32_t c[16][16] __attribute__((aligned(64)));
	uint64_t x = 88172645463325252ULL, sum = 0;
	long wrong = 0;

	configure(16, 64);
	for (long turn = 0; turn < n; turn++) {
		for (int i = 0; i < 1024; i += 8) {
			uint64_t u = next(&x), v = next(&x);

			memcpy((char *)&a + i, &u, 8);
			memcpy((char *)&b + i, &v, 8);
		}
		multiply(&a, &b, c);
		for (int i = 0; i < 256; i++) {
			if (c[i / 16][i % 16] & 1)
				one();
			else
				zero();
			sum = sum * 31 + (uint32_t)c[i / 16][i % 16];
		}
		wrong += c[turn % 16][turn % 15] != plain(&a, &b, turn % 16, turn % 15);
	}
	_tile_release();
	printf("%llx %llu %llu wrong %ld\n", (unsigned long long)sum, (unsigned long long)ones,
	       (unsigned long long)zeros, wrong);
	return wrong != 0;
}

/* ---- values that stay --------------------------------------------------------------------------------------- */

static void fill(struct tile *v, unsigned first)
{
	for (int t = 0; t < 8; t++)
		for (int r = 0; r < 16; r++)
			memset(v[t].row[r], (int)(first + 1 + 16 * t + r), 64);
}

#define EACH(M, v)  M(0, v) M(1, v) M(2, v) M(3, v) M(4, v) M(5, v) M(6, v) M(7, v)
#define LOAD(t, v)  _tile_loadd(t, &(v)[t], 64);
#define STORE(t, v) _tile_stored(t, &(v)[t], 64);

AMX N static void load_all(const struct tile *v)
{
	configure(16, 64);
	EACH(LOAD, v)
	__asm__ volatile("vpternlogd $0xff, %%zmm31, %%zmm31, %%zmm31" : : : "memory");
}

AMX N static void store_all(struct tile *v, struct config *c, unsigned char *zmm)
{
	__asm__ volatile("vmovdqu64 %%zmm31, %0" : "=m"(*(unsigned char(*)[64])zmm));
	__asm__ volatile("sttilecfg %0" : "=m"(*c));
	EACH(STORE, v)
}

/* A handler that uses tiles itself: what it leaves there is its own. */
AMX static void on_signal(int sig)
{
	static _Thread_local struct tile other;

	(void)sig;
	handled++;
	configure(8, 32);
	memset(&other, 0x55, sizeof(other));
	_tile_loadd(3, &other, 64);
	_tile_release();
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t other_code(double seconds)
{
	double until = now() + seconds;
	uint64_t x = 1;

	for (int i = 0; now() < until; i++) {
		for (int k = 0; k < 3000; k++)
			if (next(&x) & 1)
				one();
			else
				zero();
		if (i % 64 == 0)
			raise(SIGUSR1);
		getppid();
	}
	return x;
}

struct life {
	pthread_t thread;
	unsigned first;
	double seconds;
	int bad;
};

static void *keep(void *arg)
{
	struct tile *v = aligned_alloc(64, 8 * sizeof(*v)),
		    *got = aligned_alloc(64, 8 * sizeof(*v));
	struct config c;
	struct life *l = arg;
	unsigned char zmm[64];
	stack_t st = { .ss_size = 65536, .ss_sp = malloc(65536) };

	sigaltstack(&st, NULL);
	fill(v, l->first);
	memset(got, 0, 8 * sizeof(*got));
	load_all(v);
	other_code(l->seconds);
	store_all(got, &c, zmm);
	l->bad = memcmp(v, got, 8 * sizeof(*v)) ? 1 : 0;
	l->bad |= c.palette != 1 || c.rows[7] != 16 || c.bytes[7] != 64 || c.rows[8] ? 2 : 0;
	for (int i = 0; i < 64; i++)
		l->bad |= zmm[i] != 0xff ? 4 : 0;
	st.ss_flags = SS_DISABLE;
	sigaltstack(&st, NULL);
	return NULL;
}

static int kept(int threads, double seconds)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	struct life life[4] = { 0 };
	int bad = 0;

	sigaction(SIGUSR1, &sa, NULL);
	for (int i = 0; i < threads; i++) {
		life[i].first = 3u * (unsigned)i;
		life[i].seconds = seconds;
		if (threads == 1)
			keep(&life[i]);
		else
			pthread_create(&life[i].thread, NULL, keep, &life[i]);
	}
	for (int i = 0; i < threads; i++) {
		if (threads > 1)
			pthread_join(life[i].thread, NULL);
		bad |= life[i].bad;
	}
	printf("%d threads: changed %d, handled %s\n", threads, bad, handled > 0 ? "yes" : "no");
	return bad;
}

_Noreturn static void hold(long seconds, int die)
{
	static struct tile v[8];

	fill(v, 0);
	puts("ready");
	fflush(stdout);
	load_all(v);
	if (die)
		__asm__ volatile("ud2");
	alarm((unsigned)seconds);
	for (;;)
		__asm__ volatile("");
}

/* ---- half precision ----------------------------------------------------------------------------------------- */

/* By assembly: not every compiler has the type. x is taken through x * 1.5 + 0.25, down to [1, 2). */
N static int half(long n)
{
	static const uint16_t factor[32] = { [0 ... 31] = 0x3e00 },
			      add[32] = { [0 ... 31] = 0x3400 };
	unsigned a, b, c, d;
	uint16_t v[32];

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & 1u << 23))
		return 77;
	for (int i = 0; i < 32; i++)
		v[i] = (uint16_t)(0x3c00 + 29 * i);
	for (long turn = 0; turn < n; turn++) {
		__asm__ volatile("vmovdqu64 %0, %%zmm0\n\t"
				 "vmulph %1, %%zmm0, %%zmm0\n\t"
				 "vaddph %2, %%zmm0, %%zmm0\n\t"
				 "vgetmantph $0, %%zmm0, %%zmm0\n\t"
				 "vmovdqu64 %%zmm0, %0\n\t"
				 "vzeroupper"
				 : "+m"(v)
				 : "m"(factor), "m"(add)
				 : "xmm0");
		for (int i = 0; i < 32; i++)
			if (v[i] & 1)
				one();
			else
				zero();
	}
	printf("%llu %llu wrong 0 %x\n", (unsigned long long)ones, (unsigned long long)zeros,
	       v[31]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "can", *why;
	long n = argc > 2 ? atol(argv[2]) : 1;

	while (clock() < 5000) /* us of CPU time: the first sample has come */
		;
	if (!strcmp(mode, "half"))
		return half(n);
	why = missing();
	if (why) {
		printf("%s\n", why);
		return 1;
	}
	if (!strcmp(mode, "work"))
		return work(n);
	if (!strcmp(mode, "keep"))
		return kept(1, (double)n / 10);
	if (!strcmp(mode, "threads"))
		return kept(4, (double)n / 10);
	if (!strcmp(mode, "pause") || !strcmp(mode, "core"))
		hold(n, *mode == 'c');
	return 0;
}
