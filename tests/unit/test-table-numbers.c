// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --numbers, --idle-lanes, --dirty and key loop: samples in functions of this very program, with
 * registers made by hand. What the code does is read from this program's file.
 */
#include "table-build.h"

#include "config.h"

#if defined(__x86_64__) && HAVE_ZYDIS

/* clang-format off */
#define FN(name, code) \
	".globl " name "\n.type " name ", @function\n" name ": " code "\n.size " name ", .-" name "\n"
__asm__(".text\n"
	FN("n_mul", "vmulps %zmm1, %zmm0, %zmm2\n ret")
	FN("n_masked", "vaddpd %zmm1, %zmm0, %zmm2{%k2}\n ret")
	FN("n_pairs", "vpmuludq %zmm1, %zmm0, %zmm2{%k2}\n ret")
	FN("n_fours", "vpdpbusd %zmm1, %zmm0, %zmm2{%k2}\n ret")
	FN("n_scalar", "mulsd %xmm1, %xmm0\n ret")
	FN("n_next", "nop\n vmovaps %ymm0, %ymm5\n vaddpd %ymm5, %ymm5, %ymm6\n ret")
	FN("n_ahead", "nop\n vaddsd %xmm1, %xmm1, %xmm6\n ret")
	FN("n_written", "vpxor %xmm0, %xmm0, %xmm0\n vpaddd %ymm1, %ymm0, %ymm2\n ret")
	FN("n_ints", "vpaddusb %xmm1, %xmm0, %xmm2\n ret")
	FN("n_bits", "vpxor %xmm1, %xmm0, %xmm2\n ret")
	FN("n_half", "vaddph %xmm1, %xmm0, %xmm2\n ret")
	FN("n_memory", "vaddps (%rdi), %ymm0, %ymm2\n ret")
	FN("n_sse", "1: addps %xmm1, %xmm0\n nop\n dec %eax\n jnz 1b\n ret")
	FN("n_cleans", "1: addps %xmm1, %xmm0\n vzeroupper\n dec %eax\n jnz 1b\n ret")
	FN("n_loop", "nop\n1: vaddps %ymm1, %ymm0, %ymm2\n2: dec %ecx\n jnz 2b\n dec %eax\n jnz 1b\n ret"));
/* clang-format on */
extern char n_mul[], n_masked[], n_pairs[], n_fours[], n_scalar[], n_next[], n_ahead[], n_written[],
	n_ints[], n_bits[], n_half[], n_memory[], n_loop[], n_sse[], n_cleans[];

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_REGS_INTR,
		  .sample_simd_regs_enabled = 1,
		  .sample_simd_vec_reg_qwords = 8,
		  .sample_simd_vec_reg_intr = 0xffffffff,
		  .sample_simd_pred_reg_qwords = 1,
		  .sample_simd_pred_reg_intr = 0xff },
};

static uint64_t vec[32][8], pred[8], stack[6];
static uint16_t latency; /* retire latency */

static int setup(void **state)
{
	struct symbol_opts so = { .no_host_kernel = true };

	(void)state;
	memset(vec, 0, sizeof(vec));
	memset(pred, 0, sizeof(pred));
	memset(stack, 0, sizeof(stack));
	latency = 0;
	if (build_machine(&so))
		return -1;
	map_self((uintptr_t)n_mul);
	return 0;
}

static void add(struct table *t, const char *ip)
{
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .period = 1 };

	s.ip = (uint64_t)(uintptr_t)ip;
	s.pid = s.tid = 1;
	s.present = event.attr.sample_type;
	s.intr_regs = (struct sample_regs){
		.abi = PERF_SAMPLE_REGS_ABI_64 | PERF_SAMPLE_REGS_ABI_SIMD,
		.nr_vectors = 32,
		.vector_qwords = 8,
		.vec_mask = 0xffffffff,
		.vec = { (unsigned char *)vec, 32 * 8, false },
		.nr_pred = 8,
		.pred_qwords = 1,
		.pred_mask = 0xff,
		.pred = { (unsigned char *)pred, 8, false },
	};
	if (stack[0]) {
		s.present |= PERF_SAMPLE_BRANCH_STACK;
		s.branches.nr = 2;
		s.branches.entries = (const unsigned char *)stack;
	}
	if (latency) {
		s.present |= PERF_SAMPLE_WEIGHT_STRUCT;
		s.weight_var3 = latency;
	}
	assert_int_equal(table_add(t, &s, machine_thread(m, 1, 1), NULL), 0);
}

#define NUMBERS(want, fill) \
	expect_columns((struct keys_opts){ .numbers = true, .sort = "sym" }, want, fill)
#define IDLE(want, fill) \
	expect_columns((struct keys_opts){ .idle = true, .sort = "sym" }, want, fill)

/* ---- --dirty ----------------------------------------------------------------------------------- */

#define DIRTY(want, fill) \
	expect_columns((struct keys_opts){ .dirty = true, .sort = "sym" }, want, fill)

/* At the head of a loop at @at, whose branch back is @back bytes on: the round before took @cycles. */
static void round_of(struct table *t, const char *at, unsigned back, bool dirty, uint64_t cycles,
		     int times)
{
	vec[3][2] = dirty;
	for (int i = 0; i < 2; i++) {
		stack[3 * i] = (uint64_t)(uintptr_t)at + back;
		stack[3 * i + 1] = (uint64_t)(uintptr_t)at;
		stack[3 * i + 2] = cycles << 4;
	}
	while (times--)
		add(t, at);
	memset(stack, 0, sizeof(stack));
}

static void fill_dirty(struct table *t)
{
	round_of(t, n_sse, 6, true, 9, 2);
	round_of(t, n_sse, 6, true, 11, 2);
	round_of(t, n_sse, 6, false, 4, 4);
}

static void fill_dirty_few(struct table *t)
{
	round_of(t, n_sse, 6, true, 10, 5);
	round_of(t, n_sse, 6, false, 4, 3);
}

static void fill_dirty_uncounted(struct table *t)
{
	round_of(t, n_sse, 6, true, 0, 4);
	round_of(t, n_sse, 6, false, 0, 4);
}

/* What the halves were before the round is not what they were behind it. */
static void fill_cleans(struct table *t)
{
	round_of(t, n_cleans, 8, true, 10, 4);
	round_of(t, n_cleans, 8, false, 4, 4);
}

static void fill_latency(struct table *t)
{
	for (int i = 0; i < 8; i++) {
		vec[3][2] = i % 2;
		latency = i % 2 ? 40 : 8;
		add(t, n_sse);
	}
	/* An instruction that is no SSE one may take as long as it likes. */
	latency = 1000;
	add(t, n_sse + 3);
}

static void fill_mul(struct table *t)
{
	/* Of 32 lanes: a denormal, a NaN, an Inf, 2 zeros in zmm0, zeros in zmm1. */
	for (int i = 0; i < 8; i++)
		vec[0][i] = 0x3f8000003f800000;
	vec[0][0] = 0x0000000180000000;
	vec[0][1] = 0x7f800000ffc00000;
	vec[0][2] = 0x3f80000000000000;
	/* What is written does not count, nor what is not named. */
	vec[2][0] = vec[3][0] = 1;
	add(t, n_mul);
}

static void fill_masked(struct table *t)
{
	for (int i = 0; i < 8; i++)
		vec[0][i] = vec[1][i] = i < 2 ? 0x3ff0000000000000 : 1;
	pred[2] = 7;
	add(t, n_masked);
	pred[2] = 3;
	add(t, n_masked);
}

static void fill_masked_twice(struct table *t)
{
	fill_masked(t);
	fill_masked(t);
}

static void fill_scalar(struct table *t)
{
	vec[0][0] = vec[1][0] = 0x3ff0000000000000;
	vec[0][1] = vec[1][1] = 1; /* not its lane */
	add(t, n_scalar);
	vec[1][0] = 1;
	add(t, n_scalar);
}

/* A move is no type: ymm5 is written by it, and what computes then is not known any more. */
static void fill_next(struct table *t)
{
	vec[0][0] = vec[5][0] = 1;
	add(t, n_next);
}

static void fill_ahead(struct table *t)
{
	vec[1][0] = 1;
	add(t, n_ahead);
}

/* ymm0 is cleared first: ymm1 alone counts. */
static void fill_written(struct table *t)
{
	vec[1][0] = 0x100000000;
	add(t, n_written);
}

static void fill_ints(struct table *t)
{
	vec[0][0] = vec[1][0] = 0x0101010101010101;
	add(t, n_ints);
}

static void fill_bits(struct table *t)
{
	vec[0][0] = 1;
	add(t, n_bits);
}

static void fill_half(struct table *t)
{
	vec[0][0] = vec[1][0] = vec[0][1] = vec[1][1] = 0x3c003c003c000001;
	add(t, n_half);
}

static void numbers(void **state)
{
	(void)state;
	/* slow, NaN, Inf, denormal, zero, zero of integers, type */
	NUMBERS("100.0 3.1 3.1 3.1 56.3 - f32", fill_mul);
	teardown(NULL); /* fill_mul has left values in all registers */
	assert_int_equal(setup(NULL), 0);
	NUMBERS("50.0 0.0 0.0 20.0 0.0 - f64", fill_masked);
	NUMBERS("50.0 0.0 0.0 25.0 0.0 - f64", fill_scalar);
	NUMBERS("- - - - - - -", fill_next);
	NUMBERS("100.0 0.0 0.0 100.0 0.0 - f64", fill_ahead);
	memset(vec, 0, sizeof(vec));
	NUMBERS("0.0 - - - - 87.5 i32", fill_written);
	memset(vec, 0, sizeof(vec));
	NUMBERS("0.0 - - - - 50.0 u8", fill_ints);
	NUMBERS("- - - - - - -", fill_bits);
	NUMBERS("100.0 0.0 0.0 25.0 0.0 - f16", fill_half);
	expect_columns((struct keys_opts){ .numbers = true, .redact = true, .sort = "sym" },
		       "- - - - - - -", fill_half);
}

static void fill_equal(struct table *t)
{
	for (uint64_t k = 1; k <= 8; k++) {
		for (int i = 0; i < 8; i++)
			vec[0][i] = vec[1][i] = 0x0000000100000001 * k;
		add(t, n_mul);
	}
}

static void fill_const(struct table *t)
{
	for (int i = 0; i < 8; i++)
		vec[0][i] = vec[1][i] = 0x0000000200000001;
	for (int i = 0; i < 4; i++)
		add(t, n_mul);
}

/* Too few to say that it does not change. */
static void fill_few(struct table *t)
{
	for (int i = 0; i < 8; i++)
		vec[0][i] = vec[1][i] = 0x0000000200000001;
	add(t, n_mul);
	add(t, n_mul);
}

static void fill_narrow(struct table *t)
{
	for (uint64_t k = 1; k <= 8; k++) {
		memset(vec, 0, sizeof(vec));
		vec[0][3] = k << 32;
		vec[1][0] = 1;
		add(t, n_mul);
	}
}

static void fill_memory(struct table *t)
{
	add(t, n_memory);
}

static void idle(void **state)
{
	(void)state;
	/* off, zero, narrow, equal, const, could be */
	IDLE("0.0 0.0 0.0 100.0 0.0 scalar", fill_equal);
	IDLE("0.0 0.0 0.0 0.0 100.0 hoisted", fill_const);
	IDLE("0.0 0.0 0.0 0.0 - as it is", fill_few);
	IDLE("0.0 87.5 100.0 0.0 0.0 narrower", fill_narrow);
	IDLE("- - - - - -", fill_memory);
	/* Two of the lanes that are on are alike; the third is not. */
	/* Of two samples nothing is said. */
	IDLE("68.8 0.0 100.0 50.0 - -", fill_masked);
	IDLE("68.8 0.0 100.0 50.0 0.0 narrower", fill_masked_twice);
}

/* Each of 8 results comes out of two lanes, or each of 16 out of four and a sum. */
static void pairs_of(struct table *t, uint64_t mask)
{
	for (int reg = 0; reg < 3; reg++)
		for (int i = 0; i < 8; i++)
			vec[reg][i] = 0x0101010101010101 * (uint64_t)(i + 1);
	pred[2] = mask;
	for (int i = 0; i < 4; i++)
		add(t, n_pairs);
}

static void fill_pairs_all(struct table *t)
{
	pairs_of(t, 0xff);
}

static void fill_pairs_half(struct table *t)
{
	pairs_of(t, 0xf);
}

static void fill_fours(struct table *t)
{
	memset(vec, 0, sizeof(vec));
	for (int i = 0; i < 4; i++)
		vec[2][i] = 0x100000001 + (uint64_t)i;
	pred[2] = 0xffff;
	for (int i = 0; i < 4; i++)
		add(t, n_fours);
}

/* A mask has a bit for each lane of the result. */
static void masks(void **state)
{
	(void)state;
	IDLE("0.0 0.0 0.0 0.0 100.0 hoisted", fill_pairs_all);
	IDLE("50.0 0.0 100.0 0.0 100.0 hoisted", fill_pairs_half);
	IDLE("0.0 50.0 100.0 0.0 100.0 hoisted", fill_fours);
	memset(vec, 0, sizeof(vec));
	NUMBERS("0.0 - - - - 0.0 u32", fill_pairs_all);
	/* Bytes that are multiplied, and sums of which half are zero: 136 of 144. */
	NUMBERS("0.0 - - - - 94.4 u8", fill_fours);
}

/* The innermost loop around; pieces of a recording know it by their own numbers. */
static void loops(void **state)
{
	struct keys_opts o = { .sort = "loop", .arch = REGS_ARCH_X86 };
	static const char *const want[] = { "n_loop+0x5-0x9", "[no loop]", "n_loop+0x1-0xd" };
	struct table *t = new_profile(&o);
	unsigned found = 0;
	struct obuf out;

	(void)state;
	add(t, n_loop);
	add(t, n_loop + 1);
	add(t, n_loop + 5);
	add(t, n_loop + 5);
	finish(t);
	assert_int_equal(view_nr_rows(v, 0), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(obuf_init(&out, -1, 0), 0);
		view_value(v, view_row(v, 0, i), view_col(v, 1), &out);
		obuf_char(&out, 0);
		for (size_t k = 0; k < ARRAY_SIZE(want); k++)
			found |= !strcmp(out.buf, want[k]) ? 1U << k : 0;
		obuf_free(&out);
	}
	assert_int_equal(found, 7);
	done(t);
}

static void test_dirty(void **state)
{
	(void)state;
	/* Upper SSE Merges Cycles */
	DIRTY("50.0 50.0 0.0 6", fill_dirty);
	DIRTY("62.5 62.5 0.0 -", fill_dirty_few);
	DIRTY("50.0 50.0 0.0 -", fill_dirty_uncounted);
	DIRTY("50.0 50.0 0.0 -", fill_cleans);
	DIRTY("55.6 44.4 0.0 32", fill_latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_dirty, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(idle, setup, teardown),
		cmocka_unit_test_setup_teardown(masks, setup, teardown),
		cmocka_unit_test_setup_teardown(loops, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void needs(void **state)
{
	(void)state;
	skip_because("not an x86-64 machine, or built without Zydis");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(needs) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
