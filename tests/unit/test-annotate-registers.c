// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers at the instructions of a function of this program: samples made by hand, whose registers
 * are known; the same from one table and from pieces.
 */
#include "annotate/annotate.h"
#include "config.h"
#include "table-build.h"

#define HAVE_INSNS (HAVE_LIBCAPSTONE || HAVE_ZYDIS)

static struct err e;
static volatile int sink;

__attribute__((noinline)) int counted(int n);
__attribute__((noinline)) int counted(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
	return sink;
}

/* vaddsd %xmm0,%xmm0,%xmm0{%k1}; never run. */
#if HAVE_ZYDIS && defined(__x86_64__)
void scalar(void);
__asm__(".pushsection .text\n\t.globl scalar\n\t.type scalar, @function\nscalar:\n"
	"\t.byte 0x62, 0xf1, 0xff, 0x09, 0x58, 0xc0, 0xc3\n\t.size scalar, . - scalar\n\t.popsection");
#else
#define scalar NULL
#endif

static uintptr_t sampled; /* where samples are */

static int setup(void **state)
{
	const struct symbol_opts so = { .no_host_kernel = true };

	(void)state;
	if (build_machine(&so))
		return -1;
	sampled = (uintptr_t)counted;
	map_self(sampled);
	return 0;
}

static struct annotate *new_annotate(const char *value)
{
	struct annotate *a;

	assert_int_equal(annotate_new(&a, m, res, &e), 0);
	assert_int_equal(annotate_want_registers(a, REGS_ARCH_X86, value, &e), 0);
	return a;
}

#define QWORDS 8

/* A sample of the first instruction: AX, k1, and in zmm0 @live qwords that are not zero. */
static void add(struct annotate *a, uint64_t ax, uint64_t k1, unsigned live, uint8_t cpumode)
{
	static struct perfdata_event ev = {
		.name = "cycles",
		.attr = { .sample_simd_regs_enabled = 1,
			  .sample_simd_vec_reg_user = 1,
			  .sample_simd_vec_reg_qwords = QWORDS,
			  .sample_simd_pred_reg_user = 2,
			  .sample_simd_pred_reg_qwords = 1 },
	};
	uint64_t vec[QWORDS] = { 0 };
	struct sample s = { .present = annotate_need(a),
			    .event = &ev,
			    .cpumode = cpumode,
			    .ip = sampled,
			    .period = 1 };
	const struct session_sample in = { .s = &s, .thread = machine_thread(m, 1, 1) };

	for (unsigned i = 0; i < live; i++)
		vec[i] = 1;
	s.user_regs = (struct sample_regs){
		.abi = PERF_SAMPLE_REGS_ABI_64 | PERF_SAMPLE_REGS_ABI_SIMD,
		.simd = true,
		.mask = 1,
		.gpr = { (unsigned char *)&ax, 1, false },
		.nr_vectors = 1,
		.vector_qwords = QWORDS,
		.vec_mask = 1,
		.vec = { (unsigned char *)vec, QWORDS, false },
		.nr_pred = 1,
		.pred_qwords = 1,
		.pred_mask = 2,
		.pred = { (unsigned char *)&k1, 1, false },
	};
	assert_int_equal(annotate_add(a, &in, &e), 0);
}

static struct listing *finish_counted(struct annotate *a)
{
	const struct annotate_function *f;
	struct listing *l = NULL;

	assert_int_equal(annotate_finish(a, &e), 0);
	f = annotate_function(a, 0);
	if (listing_open(&l, a, f->dso, f->sym, NULL, &e))
		fail_msg("%s", e.text);
	assert_non_null(l->regs);
	return l;
}

static void add_some(struct annotate *a, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		add(a, i % 5 ? 0x40 : i, 0xff, i % 3 ? 8 : 2, PERF_RECORD_MISC_USER);
}

static void check_some(struct annotate *a)
{
	struct listing *l = finish_counted(a);
	const struct listing_regs *r = &l->regs[0];

	assert_string_equal(l->value_name, "ax");
	assert_int_equal(r->nr, 30);
	assert_int_equal(r->live[SIMD_512], 20);
	assert_int_equal(r->live[SIMD_128], 10);
	assert_int_equal(r->nr_values, 30);
	assert_false(r->many);
	assert_int_equal(r->top, 0x40);
	assert_int_equal(r->top_nr, 24);
	assert_int_equal(r->min, 0);
	assert_int_equal(r->max, 0x40);
	assert_int_equal(r->distinct, 7);
	/* The first instruction masks nothing. */
	assert_int_equal(r->masked, 0);
	for (uint32_t i = 1; i < l->nr_insns; i++)
		assert_int_equal(l->regs[i].nr, 0);
	listing_close(l);
	annotate_free(a);
}

static void test_sums(void **state)
{
	struct annotate *a;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate("ax");
	add_some(a, 0, 30);
	check_some(a);
}

static void test_merge(void **state)
{
	struct annotate *a, *b;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate("ax");
	add_some(a, 0, 7);
	for (unsigned from = 7; from < 30; from += 8) {
		b = new_annotate("ax");
		add_some(b, from, from + 8 < 30 ? from + 8 : 30);
		assert_int_equal(annotate_merge(a, b, NULL, &e), 0);
		annotate_free(b);
	}
	check_some(a);
}

/* Values that are all different, in one table and in two: the same is said of both. */
static void test_many(void **state)
{
	for (unsigned pieces = 1; pieces <= 3; pieces++) {
		struct annotate *all, *a;
		struct listing *l;

		(void)state;
		if (!HAVE_INSNS)
			skip();
		all = new_annotate("ax");
		for (unsigned piece = 0; piece < pieces; piece++) {
			a = new_annotate("ax");
			for (unsigned i = piece; i < 600; i += pieces)
				add(a, 1000 + i, 0, 0, PERF_RECORD_MISC_USER);
			assert_int_equal(annotate_merge(all, a, NULL, &e), 0);
			annotate_free(a);
		}
		l = finish_counted(all);
		assert_true(l->regs[0].many);
		assert_int_equal(l->regs[0].nr_values, 600);
		assert_int_equal(l->regs[0].min, 1000);
		assert_int_equal(l->regs[0].max, 1599);
		assert_int_equal(l->regs[0].live[SIMD_NONE], 600);
		listing_close(l);
		annotate_free(all);
	}
}

/* A mask register's values; user registers of samples in the kernel are not the code's. */
static void test_masks(void **state)
{
	struct annotate *a;
	struct listing *l;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	a = new_annotate("k1");
	add(a, 0, 0xf0, 0, PERF_RECORD_MISC_USER);
	add(a, 0, 0x0f, 0, PERF_RECORD_MISC_KERNEL);
	l = finish_counted(a);
	assert_int_equal(l->regs[0].nr_values, 1);
	assert_int_equal(l->regs[0].top, 0xf0);
	listing_close(l);
	annotate_free(a);
}

/* A mask of scalar code says whether its one lane is on, whatever its other bits are. */
static void test_scalar(void **state)
{
	struct annotate *a;
	struct listing *l;

	(void)state;
	sampled = (uintptr_t)scalar;
	if (!sampled)
		skip();
	a = new_annotate(NULL);
	add(a, 0, 1, 2, PERF_RECORD_MISC_USER);
	add(a, 0, 0xfe, 2, PERF_RECORD_MISC_USER);
	l = finish_counted(a);
	assert_int_equal(l->regs[0].masked, 2);
	assert_int_equal(l->regs[0].lanes_on, 1);
	listing_close(l);
	annotate_free(a);
}

static void test_refused(void **state)
{
	static const char *const names[] = { "zmm1", "ax,bx", "nonsense", "" };
	struct annotate *a;

	(void)state;
	assert_int_equal(annotate_new(&a, m, res, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(annotate_want_registers(a, REGS_ARCH_X86, names[i], &e), -EINVAL);
	annotate_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sums, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_masks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_scalar, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
