// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tracer makes of a kernel's sample: its fields in their order, and never more than a record holds. */
#include "unit.h"

#ifdef __x86_64__
#include "attr/attr.h"
#include "base/bytes.h"
#include "tracer/tracer-int.h"

#define GUARD 8192
#define DEEP  0x1000

/* A stack that is deeper than any chain. */
static size_t deep(void *ctx, const struct tracer_stack *s, uint64_t *ip, size_t max)
{
	(void)ctx, (void)s;
	for (size_t i = 0; i < max; i++)
		ip[i] = DEEP + i;
	return max;
}

static struct tracer *tracer_of(uint64_t sample_type)
{
	struct tracer *t = calloc(1, sizeof(*t) + GUARD);
	struct err e;

	assert_non_null(t);
	memset(t + 1, 0xa5, GUARD);
	t->opts.nr_events = 1;
	t->opts.event[0].attr =
		(struct perf_event_attr){ .sample_type = sample_type,
					  .flags = ATTR_FLAG_EXCLUDE_CALLCHAIN_USER };
	t->opts.chains.unwind = deep;
	assert_int_equal(stack_walker_new(t, &e), 0);
	return t;
}

static void end(struct tracer *t)
{
	const unsigned char *guard = (const unsigned char *)(t + 1);

	for (size_t i = 0; i < GUARD; i++)
		assert_int_equal(guard[i], 0xa5);
	stack_walker_free(t->stacks);
	free(t);
}

/* The kernel's sample of @size: IP, and the rest RAW. */
static void kernel_sample(struct tracer *t, uint16_t size)
{
	const struct perf_event_header h = { .type = PERF_RECORD_SAMPLE,
					     .misc = PERF_RECORD_MISC_USER,
					     .size = size };

	memset(t->rec, 0x5a, size);
	memcpy(t->rec, &h, sizeof(h));
	store_u64(t->rec + 8, DEEP);
	store_u32(t->rec + 16, size - 20);
}

/* All that a record may have, at its largest. */
static void test_deep(void **state)
{
	static const uint16_t sizes[] = { 24, 512, 4096, 8192 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct tracer *t =
			tracer_of(PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
				  PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER);
		struct tracee th = { 0 };
		struct perf_event_attr *a = &t->opts.event[0].attr;
		size_t size, nr, at;

		t->opts.regs = t->opts.branches.on = true;
		t->walk.nr = TRACER_MAX_DEPTH;
		a->sample_regs_user = UINT64_MAX;
		a->sample_max_stack = TRACER_MAX_CHAIN;
		kernel_sample(t, sizes[i]);
		size = splice_sample(t, &th, 0, sizes[i], &t->state, &t->walk);
		assert_in_range(size, TRACER_MAX_CHAIN * 7, RECORD_MAX);
		nr = load_u64(t->out + 16, false);
		/* behind the user part's mark, as deep as there is room */
		assert_in_range(nr, i < 3 ? 1 + TRACER_MAX_CHAIN : 6000, 1 + TRACER_MAX_CHAIN);
		assert_int_equal(load_u64(t->out + 16 + 8 * nr, false), DEEP + nr - 2);
		at = 24 + 8 * nr;
		assert_memory_equal(t->out + at, t->rec + 16, sizes[i] - 16u);
		at += sizes[i] - 16u;
		assert_int_equal(load_u64(t->out + at, false), TRACER_MAX_DEPTH);
		at += 8 + TRACER_MAX_DEPTH * 24 + 8 + 64 * 8;
		assert_int_equal(size, at);
		end(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests_name("tracer-splice", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux on x86-64");
	return 0;
}
#endif
