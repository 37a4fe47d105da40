// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --simd: samples in functions of this very program, with register blocks made by hand.
 * What the code does is read from this program's file.
 */
#include "table-build.h"

#include "config.h"

#ifdef __x86_64__

/* clang-format off */
__asm__(".text\n"
	".globl t_zmm, t_ymm, t_scalar, t_masked, t_clean, t_none\n"
	".type t_zmm, @function\nt_zmm: vpord %zmm3, %zmm3, %zmm3\n nop\n ret\n.size t_zmm, .-t_zmm\n"
	".type t_ymm, @function\nt_ymm: vpxor %ymm0, %ymm1, %ymm0\n ret\n.size t_ymm, .-t_ymm\n"
	".type t_scalar, @function\nt_scalar: nop\n ret\n.size t_scalar, .-t_scalar\n"
	".type t_masked, @function\nt_masked: vpord %zmm3, %zmm3, %zmm3{%k2}\n ret\n"
	".size t_masked, .-t_masked\n"
	".type t_clean, @function\nt_clean: vzeroupper\n ret\n.size t_clean, .-t_clean\n");
/* clang-format on */
extern char t_zmm[], t_ymm[], t_scalar[], t_masked[], t_clean[];

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_REGS_INTR,
		  .sample_simd_regs_enabled = 1,
		  .sample_simd_vec_reg_qwords = 8,
		  .sample_simd_vec_reg_intr = 0xffffffff,
		  .sample_simd_pred_reg_qwords = 1,
		  .sample_simd_pred_reg_intr = 0xff },
};

static int setup(void **state)
{
	struct symbol_opts so = { .no_host_kernel = true };

	(void)state;
	if (build_machine(&so))
		return -1;
	map_self((uintptr_t)t_zmm);
	return 0;
}

/* Bit 63 of qword @live - 1 of zmm @reg is set (none for 0); every mask but k0 is 0, k2 is @k2. */
static void add_reg(struct table *t, const char *ip, unsigned reg, unsigned live, uint64_t k2,
		    uint64_t abi)
{
	uint64_t vec[32 * 8] = { 0 }, pred[8] = { 0x1234, 0, k2 };
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .period = 1 };

	if (live)
		vec[reg * 8 + live - 1] = 1ULL << 63;
	s.ip = (uint64_t)(uintptr_t)ip;
	s.pid = s.tid = 1;
	s.present = event.attr.sample_type;
	s.intr_regs.abi = abi;
	if (abi) {
		s.intr_regs.nr_vectors = 32;
		s.intr_regs.vector_qwords = 8;
		s.intr_regs.vec_mask = 0xffffffff;
		s.intr_regs.vec = (struct u64s){ (unsigned char *)vec, 32 * 8, false };
		s.intr_regs.nr_pred = 8;
		s.intr_regs.pred_qwords = 1;
		s.intr_regs.pred_mask = 0xff;
		s.intr_regs.pred = (struct u64s){ (unsigned char *)pred, 8, false };
	}
	assert_int_equal(table_add(t, &s, machine_thread(m, 1, 1), NULL), 0);
}

static void add(struct table *t, const char *ip, unsigned live, uint64_t k2, uint64_t abi)
{
	add_reg(t, ip, 15, live, k2, abi);
}

#define ABI (PERF_SAMPLE_REGS_ABI_64 | PERF_SAMPLE_REGS_ABI_SIMD)

/* Rows as "symbol value value ...", in order; "-" for what is not known. */
static void expect(bool redact, void (*fill)(struct table *), const char *want)
{
	struct keys_opts o = {
		.sort = "sym", .simd = true, .arch = REGS_ARCH_X86, .redact = redact
	};
	struct table *t = new_profile(&o);
	struct obuf out;

	fill(t);
	finish(t);
	assert_int_equal(obuf_init(&out, -1, 0), 0);
	for (size_t i = 0; i < view_nr_rows(v, 0); i++) {
		for (size_t c = 1; c < view_nr_cols(v); c++) {
			view_value(v, view_row(v, 0, i), view_col(v, c), &out);
			obuf_char(&out, c + 1 < view_nr_cols(v) ? ' ' : '\n');
		}
	}
	obuf_char(&out, 0);
	assert_string_equal(out.buf, want);
	obuf_free(&out);
	done(t);
}

static void fill_use(struct table *t)
{
	/* The nop inside t_zmm is narrower than what lives, yet the function is one for zmm. */
	for (int i = 0; i < 3; i++)
		add(t, t_zmm, 8, 0, ABI);
	add(t, t_zmm + 6, 8, 0, ABI);
	add(t, t_scalar, 8, 0, ABI);
	add(t, t_scalar, 2, 0, ABI);
	add(t, t_scalar, 0, 0, ABI);
}

static void use(void **state)
{
	(void)state;
	if (!HAVE_ZYDIS)
		skip_because("built without Zydis");
	/* live 512 256 128 none, 16-31, dirty, code 512 256 128 none, lanes, masks, use */
	expect(false, fill_use,
	       "100.0 0.0 0.0 0.0 0.0 25.0 75.0 0.0 0.0 25.0 N/A N/A uses zmm [.] t_zmm\n"
	       "33.3 0.0 33.3 33.3 0.0 33.3 0.0 0.0 0.0 100.0 N/A N/A zmm left dirty [.] t_scalar\n");
}

static void fill_ymm(struct table *t)
{
	add(t, t_ymm, 4, 0, ABI);
	add(t, t_ymm, 4, 0, ABI);
	add(t, t_clean, 8, 0, ABI);
}

static void ymm(void **state)
{
	(void)state;
	if (!HAVE_ZYDIS)
		skip_because("built without Zydis");
	/* What cleans finds the state as it is: not dirty. */
	expect(false, fill_ymm,
	       "0.0 100.0 0.0 0.0 0.0 0.0 0.0 100.0 0.0 0.0 N/A N/A uses ymm [.] t_ymm\n"
	       "100.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 100.0 N/A N/A scalar [.] t_clean\n");
}

static void fill_masks(struct table *t)
{
	/* 4 and 12 of 16 lanes; as masks alone: 4 of 8, 12 of 16 */
	add(t, t_masked, 8, 0xf, ABI);
	add(t, t_masked, 8, 0xfff, ABI);
}

static void masks(void **state)
{
	(void)state;
	if (!HAVE_ZYDIS)
		skip_because("built without Zydis");
	expect(false, fill_masks,
	       "100.0 0.0 0.0 0.0 0.0 0.0 100.0 0.0 0.0 0.0 50.0 62.5 uses zmm [.] t_masked\n");
	expect(true, fill_masks,
	       "100.0 0.0 0.0 0.0 0.0 0.0 100.0 0.0 0.0 0.0 N/A N/A uses zmm [.] t_masked\n");
}

static void fill_unknown(struct table *t)
{
	add(t, t_zmm, 8, 0, 0); /* no registers in this sample */
	add(t, t_zmm, 8, 0, 0);
	add(t, (const char *)16, 8, 0, ABI); /* no code there */
}

static void unknown(void **state)
{
	(void)state;
	expect(false, fill_unknown,
	       "N/A N/A N/A N/A N/A N/A N/A N/A N/A N/A N/A N/A N/A [.] t_zmm\n"
	       "100.0 0.0 0.0 0.0 0.0 N/A N/A N/A N/A N/A N/A N/A N/A [.] 0x0000000000000010\n");
}

static void fill_high(struct table *t)
{
	add_reg(t, t_scalar, 16, 4, 0, ABI);
	add_reg(t, t_scalar, 31, 8, 0, ABI);
	add_reg(t, t_scalar, 31, 0, 0, ABI);
}

/* What a program's start left in registers that vzeroupper spares makes nothing dirty. */
static void high_registers(void **state)
{
	(void)state;
	if (!HAVE_ZYDIS)
		skip_because("built without Zydis");
	expect(false, fill_high,
	       "0.0 0.0 0.0 100.0 66.7 0.0 0.0 0.0 0.0 100.0 N/A N/A scalar [.] t_scalar\n");
}

/* The ABI before the series: XMM2 and XMM3 as halves behind AX, in the order of the mask's bits. */
static void fill_legacy(struct table *t)
{
	uint64_t gpr[2][5] = { { 0x77, 0, 0, 0, 1 }, { 0x77, 0, 0, 0, 0 } };
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .period = 1 };

	s.ip = (uint64_t)(uintptr_t)t_scalar;
	s.pid = s.tid = 1;
	s.present = event.attr.sample_type;
	s.intr_regs.abi = PERF_SAMPLE_REGS_ABI_64;
	s.intr_regs.mask = 1 | 0xfULL << 36;
	for (int i = 0; i < 2; i++) {
		s.intr_regs.gpr = (struct u64s){ (unsigned char *)gpr[i], 5, false };
		assert_int_equal(table_add(t, &s, machine_thread(m, 1, 1), NULL), 0);
	}
}

static void legacy(void **state)
{
	struct perf_event_attr series = event.attr;

	(void)state;
	if (!HAVE_ZYDIS)
		skip_because("built without Zydis");
	event.attr = (struct perf_event_attr){ .sample_type = series.sample_type,
					       .sample_regs_intr = 1 | 0xfULL << 36 };
	expect(false, fill_legacy,
	       "N/A N/A 50.0 50.0 N/A N/A 0.0 0.0 0.0 100.0 N/A N/A scalar [.] t_scalar\n");
	event.attr = series;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(use, setup, teardown),
		cmocka_unit_test_setup_teardown(ymm, setup, teardown),
		cmocka_unit_test_setup_teardown(masks, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(high_registers, setup, teardown),
		cmocka_unit_test_setup_teardown(legacy, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void needs_x86(void **state)
{
	(void)state;
	skip_because("not an x86-64 machine");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(needs_x86) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
