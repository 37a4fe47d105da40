// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples read by what the one before was found to be: the same as read anew, whatever comes. */
#include "sample-record.h"

/* A sample at @ip whose registers have @nr_vec vectors of @qwords words; @none: its abi says that there are none. */
static void put_vectors(struct rec *t, uint64_t ip, unsigned nr_vec, unsigned qwords, bool none)
{
	t->n = 8;
	u64(t, ip);
	u32(t, (uint32_t)ip);
	u32(t, (uint32_t)ip + 1);
	u64(t, ip * 3);
	u64(t, none ? 0 : PERF_SAMPLE_REGS_ABI_64 | PERF_SAMPLE_REGS_ABI_SIMD);
	if (none)
		return;
	u64(t, ip + 5);
	u64(t, ip + 6);
	u64(t, nr_vec);
	u64(t, qwords);
	u64(t, nr_vec % 3);
	u64(t, 1);
	for (unsigned i = 0; i < nr_vec * qwords + nr_vec % 3; i++)
		u64(t, ip + i);
}

static void assert_same_words(const struct u64s *a, const struct u64s *b)
{
	assert_int_equal(a->nr, b->nr);
	assert_true(a->swap == b->swap);
	for (uint64_t i = 0; i < a->nr; i++)
		assert_int_equal(u64s_get(a, i), u64s_get(b, i));
}

static void assert_same_sample(const struct sample *a, const struct sample *b)
{
	const struct sample_regs *r = &a->intr_regs, *q = &b->intr_regs;

	assert_ptr_equal(a->event, b->event);
	assert_int_equal(a->present, b->present);
	assert_int_equal(a->misc, b->misc);
	assert_int_equal(a->cpumode, b->cpumode);
	assert_int_equal(a->ip, b->ip);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->period, b->period);
	assert_int_equal(r->abi, q->abi);
	assert_int_equal(r->mask, q->mask);
	assert_int_equal(r->vec_mask, q->vec_mask);
	assert_int_equal(r->pred_mask, q->pred_mask);
	assert_int_equal(r->nr_vectors, q->nr_vectors);
	assert_int_equal(r->vector_qwords, q->vector_qwords);
	assert_int_equal(r->nr_pred, q->nr_pred);
	assert_int_equal(r->pred_qwords, q->pred_qwords);
	assert_same_words(&r->gpr, &q->gpr);
	assert_same_words(&r->vec, &q->vec);
	assert_same_words(&r->pred, &q->pred);
}

/*
 * One after the other they are what each is by itself, whatever was before: the same again, others of the same size, wider ones,
 * none, damaged ones, another event, less that is wanted.
 */
static void a_series(void **state)
{
	const uint64_t type =
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_INTR;
	struct sample_series series = { .event = NULL };
	uint64_t seed = 3;
	unsigned alike = 0;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct rec *t = start(swap, type);
		struct perfdata_event other;

		t->ev.attr.sample_period = 4000;
		t->ev.attr.sample_regs_intr = 0x101;
		t->ev.attr.sample_simd_regs_enabled = 1;
		t->ev.attr.sample_simd_vec_reg_qwords = 8;
		t->ev.attr.sample_simd_pred_reg_qwords = 1;
		t->ev.attr.sample_simd_vec_reg_intr = 0xffff;
		t->ev.attr.sample_simd_pred_reg_intr = 0xa5;
		other = t->ev;
		other.attr.sample_period = 1;
		other.attr.sample_simd_vec_reg_intr = 0xff;
		for (unsigned i = 0; i < 4000; i++) {
			uint64_t what = unit_random(&seed) % 24, need = UINT64_MAX;
			unsigned nr = what == 1 ? 8 : what == 2 ? 12 : 4;
			unsigned qwords = what == 3 ? 4 : what == 1 ? 2 : what == 8 ? 9 : 4;
			struct err e = { 0 };
			int ret;

			put_vectors(t, i, nr, qwords, what == 4);
			if (what == 5)
				need = PERF_SAMPLE_IP;
			parse_size(t, need, what == 6 ? t->n - 24 : t->n);
			t->r.misc = what == 7 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
			t->r.event = what == 9 ? &other : &t->ev;
			err_clear(&t->e);
			ret = sample_parse_some(&t->r, need, &t->s, &t->e);
			alike += series.event == t->r.event;
			assert_int_equal(sample_parse_next(&series, &t->r, need, &e), ret);
			assert_string_equal(e.text, t->e.text);
			if (!ret)
				assert_same_sample(&series.s, &t->s);
			else
				assert_null(series.event);
			series.s.period = 99; /* it is the reader's */
		}
		series.event = NULL;
		finish(t);
	}
	/* It is not done the long way each time. */
	assert_true(alike > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_series),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
