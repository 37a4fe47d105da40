// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that runs out on the way up a stack: that is an error, and no shorter stack. */
#include "perfdata-build.h"

#include "config.h"
#include "symbol/symbol-int.h"
#include "unit.h"
#include "unwind/unwind-int.h"

#define CODE 0x10000 /* of no file, so that no rules are asked for */

static struct machine *m;
static struct resolver *res;
static struct unwind *u;
static struct thread *th;

static int setup(void **state)
{
	const struct symbol_opts so = { .no_host_kernel = true };
	const struct unwind_opts uo = { .arch = "x86_64", .inlines = true };
	struct perfdata_event ev = { 0 };
	static struct build f;
	struct record rec;

	(void)state;
	assert_int_equal(machine_new(&m, "x86_64", NULL), 0);
	assert_int_equal(resolver_new(&res, m, &so, NULL), 0);
	assert_int_equal(unwind_new(&u, m, res, &uo, NULL), 0);
	start_records(&f, host_is_big_endian());
	put_mmap(&f, PERF_RECORD_MISC_USER, 10, CODE, 0x1000, 0, "//anon");
	rec = built_record(&f, 0, &ev);
	assert_int_equal(machine_record(m, &rec, NULL), 0);
	th = machine_thread(m, 10, 10);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unwind_free(u);
	resolver_free(res);
	machine_free(m);
	return 0;
}

/* No more places can be numbered, which is told as no memory is. */
static void test_locations(void **state)
{
	static const struct perfdata_event event = { .attr.sample_stack_user = 64 };
	static const unsigned char stack[64];
	unsigned char regs[3 * 8];
	uint32_t locs = res->nr_locs;
	struct sample s = { .event = &event,
			    .present = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
			    .cpumode = PERF_RECORD_MISC_USER,
			    .stack = stack,
			    .stack_size = sizeof(stack),
			    .user_regs = { .abi = PERF_SAMPLE_REGS_ABI_64,
					   .mask = 7 << 6, /* BP, SP, IP */
					   .gpr = { .p = regs, .nr = 3 } } };
	const struct frame *frames;

	(void)state;
	store_u64(regs, 0);
	store_u64(regs + 8, 0x7000);
	store_u64(regs + 16, CODE + 16);
	res->nr_locs = LOC_NONE;
	assert_int_equal(unwind_chain(u, th, &s, &frames), HAVE_LIBDW ? -ENOMEM : 0);
	res->nr_locs = locs;
	assert_int_equal(unwind_chain(u, th, &s, &frames), HAVE_LIBDW ? 1 : 0);
}

/* The list of frames cannot grow where functions were inlined. */
static void test_inlined(void **state)
{
	static const struct symbol sym = { .name = "outer" };
	static const struct inline_frame inl[2];
	uint32_t loc = frame_loc(u, th, PERF_RECORD_MISC_USER, CODE + 32);
	const struct inline_cache unknown = { .n = -1 };
	size_t n = u->frames.n, cap = u->frames.cap;

	(void)state;
	assert_int_not_equal(loc, LOC_NONE);
	((struct loc *)resolver_loc(res, loc))->sym = &sym;
	assert_int_equal(vec_reach(&u->inlines, loc, unknown), 0);
	u->inlines.v[loc] = (struct inline_cache){ .frames = inl, .n = 2 };
	u->oom = false;
	u->frames.n = u->frames.cap = SIZE_MAX / 2 + 1;
	assert_int_equal(frame_add_loc(u, PERF_RECORD_MISC_USER, CODE + 32, loc), -ENOMEM);
	assert_true(u->oom);
	u->frames.n = n;
	u->frames.cap = cap;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locations),
		cmocka_unit_test(test_inlined),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
