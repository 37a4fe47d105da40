// SPDX-License-Identifier: GPL-2.0-or-later
/* Component tables, layouts, cost, and the simulated policy. */
#include "base/bytes.h"
#include "unit.h"
#include "xsave/xsave.h"

/* Sizes added up by hand from the manuals, not by the code under test. */
static void test_known_sizes(void **state)
{
	static const struct {
		const char *cpu;
		uint32_t standard, compacted_user, compacted_all;
	} want[] = {
		/* 576 + 256 avx + 128 mpx + 64 k + 512 + 1024 + 8 pkru; pt 128 */
		{ "skx", 2696, 2568, 2696 },
		{ "icx", 2696, 2440, 2568 },
		/* tiles at 2496, a multiple of 64: 56 of padding behind pkru; all: tiles at 3520 */
		{ "spr", 11008, 2440 + 56 + 64 + 8192, 3520 + 64 + 8192 },
		{ "dmr", 11008, 2440 + 56 + 64 + 8192 + 128, 3520 + 64 + 8192 + 128 },
		{ "zen4", 2440, 2440, 2480 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct xsave_cpu *cpu = xsave_cpu_find(want[i].cpu);
		struct xsave_layout l;

		assert_non_null(cpu);
		assert_int_equal(xsave_layout(cpu, cpu->xcr0, XSAVE_FORMAT_STANDARD, &l, NULL), 0);
		assert_int_equal(l.size, want[i].standard);
		assert_int_equal(xsave_layout(cpu, cpu->xcr0, XSAVE_FORMAT_COMPACTED, &l, NULL), 0);
		assert_int_equal(l.size, want[i].compacted_user);
		assert_int_equal(
			xsave_layout(cpu, cpu->xcr0 | cpu->xss, XSAVE_FORMAT_COMPACTED, &l, NULL),
			0);
		assert_int_equal(l.size, want[i].compacted_all);
	}
}

/* Number order: 8 pt, 9 pkru, 10 pasid, 11 12 cet, 14 uintr, 15 lbr, then aligned tiles. */
static void test_spr_offsets(void **state)
{
	static const struct {
		unsigned nr;
		uint32_t offset;
	} want[] = { { XSAVE_AVX, 576 },	{ XSAVE_OPMASK, 832 }, { XSAVE_ZMM_HI256, 896 },
		     { XSAVE_HI16_ZMM, 1408 },	{ XSAVE_PT, 2432 },    { XSAVE_PKRU, 2560 },
		     { XSAVE_PASID, 2568 },	{ XSAVE_CET_U, 2576 }, { XSAVE_CET_S, 2592 },
		     { XSAVE_UINTR, 2616 },	{ XSAVE_LBR, 2664 },   { XSAVE_XTILE_CFG, 3520 },
		     { XSAVE_XTILE_DATA, 3584 } };
	const struct xsave_cpu *cpu = xsave_cpu_find("Sapphire Rapids");
	struct xsave_layout l;

	(void)state;
	assert_int_equal(xsave_layout(cpu, cpu->xcr0 | cpu->xss, XSAVE_FORMAT_COMPACTED, &l, NULL),
			 0);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(l.offset[want[i].nr], want[i].offset);
	assert_int_equal(l.size, 3584 + 8192);
}

/* The figures of the 2020 design: 808 in every task, against 808 + 576 while in use. */
static void test_lbr_cost(void **state)
{
	struct xsave_cost cost;

	(void)state;
	assert_int_equal(xsave_cost(xsave_cpu_find("spr"), &cost, NULL), 0);
	assert_int_equal(cost.dynamic_state, 808);
	assert_int_equal(cost.dynamic_buffer, 808 + 576);
	/* the tile configuration is aligned: without LBR it moves from 3520 to 2688 */
	assert_int_equal(cost.task_always, 3520 + 64);
	assert_int_equal(cost.task_on_demand, 2688 + 64);
	/* tile data is in the area of tasks only that used it */
	assert_int_equal(cost.first_use, 8192);
	assert_int_equal(xsave_cost(xsave_cpu_find("skx"), &cost, NULL), 0);
	assert_int_equal(cost.dynamic_buffer, 0);
	assert_int_equal(cost.task_always, cost.task_on_demand);
}

static void test_layout_refuses(void **state)
{
	const struct xsave_cpu *spr = xsave_cpu_find("spr"), *icx = xsave_cpu_find("icx");
	struct xsave_layout l;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(xsave_layout(icx, BIT(XSAVE_LBR), XSAVE_FORMAT_COMPACTED, &l, &e),
			 -ENOENT);
	assert_string_equal(e.text, "Ice Lake has no state component 15 (lbr)");
	assert_int_equal(xsave_layout(spr, BIT(XSAVE_LBR), XSAVE_FORMAT_STANDARD, &l, &e), -EINVAL);
	assert_non_null(strstr(e.text, "only in the compacted form"));
	assert_int_equal(xsave_layout(spr, BIT(62), XSAVE_FORMAT_COMPACTED, &l, &e), -ENOENT);
}

static void test_set_parse(void **state)
{
	const struct xsave_cpu *spr = xsave_cpu_find("SPR");
	struct err e = { 0 };
	uint64_t set;

	(void)state;
	assert_int_equal(xsave_set_parse(spr, "ZMM,opmask,lbr", &set, &e), 0);
	assert_int_equal(set, 0x80e6);
	assert_int_equal(xsave_set_parse(spr, "19,ssp", &set, &e), 0);
	assert_int_equal(set, BIT(19) | BIT(11));
	assert_int_equal(xsave_set_parse(spr, "all", &set, &e), 0);
	assert_int_equal(set, spr->xcr0 | spr->xss);
	assert_int_equal(xsave_set_parse(spr, "zmm,,lbr", &set, &e), -EINVAL);
	assert_int_equal(xsave_set_parse(spr, "63", &set, &e), -EINVAL);
	assert_int_equal(xsave_set_parse(spr, "zmn", &set, &e), -EINVAL);
	assert_string_equal(e.text, "unknown state component 'zmn'");
}

static void test_sample_bytes(void **state)
{
	struct xsave_sample_shape s;
	uint64_t set;

	(void)state;
	/* abi + 4 counts + 32 zmm + 8 masks: 8 + 32 + 2048 + 64 */
	xsave_set_parse(xsave_cpu_find("spr"), "zmm,opmask", &set, NULL);
	xsave_sample_shape(xsave_cpu_find("spr"), set, &s);
	assert_int_equal(xsave_sample_bytes(&s), 2152);
	/* a stack of 32: its count and 24 bytes each */
	xsave_sample_shape(xsave_cpu_find("spr"), BIT(XSAVE_LBR), &s);
	assert_int_equal(xsave_sample_bytes(&s), 8 + 32 * 24);
	s.branch_hw_index = true;
	assert_int_equal(xsave_sample_bytes(&s), 16 + 32 * 24);
	xsave_sample_shape(xsave_cpu_find("spr"), BIT(XSAVE_SSE) | BIT(XSAVE_AVX), &s);
	assert_int_equal(xsave_sample_bytes(&s), 8 + 32 + 16 * 32);
}

/* ---- CPUID ------------------------------------------------------------------------------------- */

struct fake {
	uint32_t leaf0, xcr0, xss, features;
	uint32_t comp[32][3]; /* eax, ebx, ecx */
	uint32_t lbr;
};

static void fake_cpuid(void *arg, uint32_t leaf, uint32_t sub, uint32_t out[4])
{
	struct fake *f = arg;

	memset(out, 0, 16);
	if (leaf == 0)
		out[0] = f->leaf0;
	else if (leaf == 0x1c)
		out[0] = f->lbr;
	else if (leaf == 0xd && sub == 0)
		out[0] = f->xcr0;
	else if (leaf == 0xd && sub == 1) {
		out[0] = f->features;
		out[2] = f->xss;
	} else if (leaf == 0xd && sub < 32)
		memcpy(out, f->comp[sub], 12);
}

static void test_cpuid(void **state)
{
	struct fake f = { .leaf0 = 0x1c, .xcr0 = 0x7, .xss = 0x8000, .features = 0xf, .lbr = 0x8 };
	struct xsave_cpu cpu;
	struct err e = { 0 };

	(void)state;
	memcpy(f.comp[2], (uint32_t[]){ 256, 576, 0 }, 12);
	memcpy(f.comp[15], (uint32_t[]){ 808, 0, 1 }, 12);
	assert_int_equal(xsave_cpu_read(&cpu, fake_cpuid, &f, 0, &e), 0);
	assert_int_equal(cpu.lbr_depth, 32);
	assert_int_equal(cpu.dynamic, BIT(15));
	assert_true(cpu.comp[15].supervisor);
	/* what the kernel has not enabled is not there */
	assert_int_equal(xsave_cpu_read(&cpu, fake_cpuid, &f, 3, &e), 0);
	assert_int_equal(cpu.xcr0, 3);
	assert_int_equal(cpu.comp[2].size, 0);

	f.comp[15][2] = 0;
	assert_int_equal(xsave_cpu_read(&cpu, fake_cpuid, &f, 0, &e), -EINVAL);
	assert_non_null(strstr(e.text, "component 15"));
	f.comp[15][2] = 1;
	f.comp[2][1] = 512;
	assert_int_equal(xsave_cpu_read(&cpu, fake_cpuid, &f, 0, &e), -EINVAL);
	f.comp[2][1] = 576;
	f.comp[2][0] = 0x80000000;
	assert_int_equal(xsave_cpu_read(&cpu, fake_cpuid, &f, 0, &e), -EINVAL);
	f.leaf0 = 7;
	assert_int_equal(xsave_cpu_read(&cpu, fake_cpuid, &f, 0, &e), -ENOTSUP);
}

/* CPUID adds up the areas itself: 0xD.0 EBX (standard), 0xD.1 EBX (compacted, XCR0 | XSS). */
static void test_host(void **state)
{
	struct xsave_cpu cpu;
	struct xsave_layout l;
	struct err e = { 0 };
	uint32_t r[4];

	(void)state;
	if (xsave_cpu_host(&cpu, &e))
		skip_because("this CPU has no XSAVE to enumerate");
	xsave_cpuid_host(NULL, 0xd, 0, r);
	assert_int_equal(xsave_layout(&cpu, cpu.xcr0, XSAVE_FORMAT_STANDARD, &l, &e), 0);
	assert_int_equal(l.size, r[1]);
}

static void test_core_note(void **state)
{
	static const uint32_t note[] = { 2, 256, 576, 0, 5, 64, 832, 0, 9, 8, 2432, 0 };
	static const uint32_t bad[] = { 2, 256, 100, 0 };
	static const uint32_t overlap[] = { 2, 256, 576, 0, 5, 64, 800, 0 };
	static const uint32_t narrow[] = { 2, 128, 576, 0, 5, 64, 832, 0 };
	struct xsave_cpu cpu;
	struct err e = { 0 };

	(void)state;
	if (host_is_big_endian())
		skip_because("CPUID is of little-endian machines");
	assert_int_equal(xsave_cpu_from_note(&cpu, note, sizeof(note), 0x27, &e), 0);
	assert_int_equal(cpu.xcr0, 0x27);
	assert_int_equal(cpu.comp[XSAVE_OPMASK].offset, 832);
	assert_int_equal(xsave_cpu_from_note(&cpu, bad, sizeof(bad), 7, &e), -EINVAL);
	assert_int_equal(xsave_cpu_from_note(&cpu, overlap, sizeof(overlap), 0x27, &e), -EINVAL);
	assert_non_null(strstr(e.text, "components 2 (avx) and 5 (opmask) overlap"));
	assert_int_equal(xsave_cpu_from_note(&cpu, narrow, sizeof(narrow), 0x27, &e), -EINVAL);
	assert_non_null(strstr(e.text, "component 2 (avx) of 128 bytes"));
	assert_int_equal(xsave_cpu_from_note(&cpu, note, sizeof(note) - 4, 0x27, &e), -EINVAL);
	assert_int_equal(xsave_cpu_from_note(&cpu, note, 0, 0x27, &e), -EINVAL);
	/* without the note: by components and size */
	assert_string_equal(xsave_cpu_guess(NULL, 0x2e7, 2440)->name, "zen4");
	assert_string_equal(xsave_cpu_guess(NULL, 0x2e7, 2696)->name, "icx");
	assert_string_equal(xsave_cpu_guess(NULL, 0x2ff, 2696)->name, "skx");
	assert_string_equal(xsave_cpu_guess(NULL, 0x602e7, 11008)->name, "spr");
	assert_null(xsave_cpu_guess(NULL, 0x2e7, 2441));
}

/* ---- the policy -------------------------------------------------------------------------------------- */

static void feed(struct xsave_sim *sim, enum xsave_sim_kind kind, uint32_t task, uint32_t next)
{
	struct xsave_sim_event ev = { .kind = kind, .task = task, .next = next };

	assert_int_equal(xsave_sim_event(sim, &ev), 0);
}

/* 1 task in 100 uses call stacks; round robin on one CPU, 10 rounds. */
static void test_sim_one_in_hundred(void **state)
{
	struct xsave_sim *sim = xsave_sim_new(xsave_cpu_find("spr"), NULL);
	const struct xsave_sim_stats *st;
	const uint64_t task_a = 3584, task_d = 2752, n = 100, rounds = 10;

	(void)state;
	assert_non_null(sim);
	for (uint32_t t = 1; t <= n; t++)
		feed(sim, XSAVE_SIM_START, t, 0);
	feed(sim, XSAVE_SIM_LBR_BEGIN, 50, 0);
	for (uint32_t r = 0; r < rounds; r++)
		for (uint32_t t = 1; t <= n; t++)
			feed(sim, XSAVE_SIM_SWITCH, t, t == n ? 1 : t + 1);
	st = xsave_sim_stats(sim);
	assert_int_equal(st->tasks, n);
	assert_int_equal(st->switches, n * rounds);
	assert_int_equal(st->always.bytes_peak, n * task_a);
	assert_int_equal(st->on_demand.bytes_peak, n * task_d + 1384);
	assert_int_equal(st->always.saves, n * rounds);
	assert_int_equal(st->always.restores, n * rounds);
	assert_int_equal(st->on_demand.saves, rounds);
	assert_int_equal(st->on_demand.restores, rounds);
	assert_int_equal(st->always.dynamic_bytes_moved, 2 * n * rounds * 808);
	assert_int_equal(st->on_demand.dynamic_bytes_moved, 2 * rounds * (808 + 64));
	assert_int_equal(st->always.bytes_moved, 2 * n * rounds * task_a);
	assert_int_equal(st->on_demand.bytes_moved,
			 2 * n * rounds * task_d + 2 * rounds * (808 + 64));
	assert_int_equal(st->xss, xsave_cpu_find("spr")->xss);
	xsave_sim_free(sim);
}

static void test_sim_buffers_come_and_go(void **state)
{
	struct xsave_sim *sim = xsave_sim_new(xsave_cpu_find("dmr"), NULL);
	const struct xsave_sim_stats *st = xsave_sim_stats(sim);
	uint64_t plain;

	(void)state;
	feed(sim, XSAVE_SIM_START, 7, 0);
	plain = st->on_demand.bytes_now;
	feed(sim, XSAVE_SIM_LBR_BEGIN, 7, 0);
	feed(sim, XSAVE_SIM_LBR_BEGIN, 7, 0); /* a second event shares the buffer */
	assert_int_equal(st->on_demand.bytes_now, plain + 1384);
	feed(sim, XSAVE_SIM_LBR_END, 7, 0);
	assert_int_equal(st->on_demand.bytes_now, plain + 1384);
	feed(sim, XSAVE_SIM_LBR_END, 7, 0);
	assert_int_equal(st->on_demand.bytes_now, plain);
	feed(sim, XSAVE_SIM_LBR_END, 7, 0);
	assert_int_equal(st->ignored, 1);
	feed(sim, XSAVE_SIM_LBR_BEGIN, 7, 0);
	feed(sim, XSAVE_SIM_EXIT, 7, 0);
	assert_int_equal(st->on_demand.bytes_now, 0);
	assert_int_equal(st->always.bytes_now, 0);
	assert_int_equal(st->users_now, 0);
	feed(sim, XSAVE_SIM_EXIT, 7, 0);
	feed(sim, XSAVE_SIM_START, 0, 0); /* idle owns nothing */
	assert_int_equal(st->ignored, 3);
	/* a number that lives again is a new task; idle moves nothing */
	feed(sim, XSAVE_SIM_SWITCH, 0, 7);
	assert_int_equal(st->tasks, 2);
	assert_int_equal(st->on_demand.saves + st->on_demand.restores, 0);
	assert_int_equal(st->always.saves, 0);
	assert_int_equal(st->always.restores, 1);
	xsave_sim_free(sim);
}

static void test_sim_needs_lbr(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_null(xsave_sim_new(xsave_cpu_find("zen4"), &e));
	assert_int_equal(e.code, -ENOTSUP);
	assert_non_null(strstr(e.text, "Zen 4"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_sizes),
		cmocka_unit_test(test_spr_offsets),
		cmocka_unit_test(test_lbr_cost),
		cmocka_unit_test(test_layout_refuses),
		cmocka_unit_test(test_set_parse),
		cmocka_unit_test(test_sample_bytes),
		cmocka_unit_test(test_cpuid),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_core_note),
		cmocka_unit_test(test_sim_one_in_hundred),
		cmocka_unit_test(test_sim_buffers_come_and_go),
		cmocka_unit_test(test_sim_needs_lbr),
	};

	return cmocka_run_group_tests_name("xsave", tests, NULL, NULL);
}
