// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accumulators one by one: what a slot says of samples that were added to it, and that the merge
 * of two slots says what one slot says that all samples were added to.
 */
#include "table/table-int.h"
#include "unit.h"

#define NR_THREADS 3000

static struct thread threads[NR_THREADS];

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER,
		  .sample_simd_regs_enabled = 1,
		  .sample_simd_vec_reg_qwords = 8,
		  .sample_simd_vec_reg_user = 0xffff,
		  .sample_simd_pred_reg_qwords = 1,
		  .sample_simd_pred_reg_user = 0xff },
};

static uint64_t seed = 1;

static int setup(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < NR_THREADS; i++)
		threads[i].idx = i;
	return 0;
}

/* ---- one slot -------------------------------------------------------------------------------- */

static void *new_slot(const struct acc *acc)
{
	void *slot = calloc(1, acc->size);

	assert_non_null(slot);
	if (acc->empty)
		memcpy(slot, acc->empty, acc->size);
	return slot;
}

static void free_slot(const struct acc *acc, void *slot)
{
	if (acc->drop)
		acc->drop(slot);
	free(slot);
}

/* What the column @name shows of @slot, of a row with @nr samples. */
static uint64_t show(const struct acc *acc, const char *name, const void *slot, uint64_t nr)
{
	const struct keys_row row = { .nr = nr };

	for (unsigned i = 0; i < acc->nr_cols; i++)
		if (!strcmp(acc->cols[i].name, name))
			return acc->cols[i].stat(&row, slot);
	fail_msg("no column %s", name);
	return 0;
}

/* ---- all of them ----------------------------------------------------------------------------- */

struct input {
	struct acc_in in;
	struct sample s;
	struct branch_counts told;
	uint64_t vec[16 * 8], pred[8];
};

static void make_input(struct input *x)
{
	static const uint8_t modes[] = { PERF_RECORD_MISC_KERNEL, PERF_RECORD_MISC_USER,
					 PERF_RECORD_MISC_GUEST_KERNEL, PERF_RECORD_MISC_GUEST_USER,
					 PERF_RECORD_MISC_HYPERVISOR };

	memset(x, 0, sizeof(*x));
	x->s.event = &event;
	x->s.cpumode = modes[unit_random(&seed) % ARRAY_SIZE(modes)];
	x->s.present = PERF_SAMPLE_WEIGHT_STRUCT;
	x->s.weight_var1 = (uint32_t)unit_random(&seed);
	x->s.weight_var2 = (uint16_t)unit_random(&seed);
	x->s.weight_var3 = (uint16_t)unit_random(&seed);
	x->vec[unit_random(&seed) % ARRAY_SIZE(x->vec)] = unit_random(&seed) % 3;
	x->pred[unit_random(&seed) % 8] = unit_random(&seed) & 0xff;
	x->s.user_regs.abi = PERF_SAMPLE_REGS_ABI_64 | PERF_SAMPLE_REGS_ABI_SIMD;
	x->s.user_regs.nr_vectors = 16;
	x->s.user_regs.vector_qwords = 8;
	x->s.user_regs.vec_mask = 0xffff;
	x->s.user_regs.vec = (struct u64s){ (unsigned char *)x->vec, 16 * 8, false };
	x->s.user_regs.nr_pred = 8;
	x->s.user_regs.pred_qwords = 1;
	x->s.user_regs.pred_mask = 0xff;
	x->s.user_regs.pred = (struct u64s){ (unsigned char *)x->pred, 8, false };
	x->told = (struct branch_counts){ .cycles = unit_random(&seed) % 1000,
					  .nr_cycles = 2,
					  .nr_mispred = unit_random(&seed) % 2,
					  .nr_unflagged = unit_random(&seed) % 2,
					  .symbol_to = ID_NONE };
	x->in = (struct acc_in){ .s = &x->s,
				 .th = &threads[unit_random(&seed) % NR_THREADS],
				 .entries = &x->told,
				 .period = unit_random(&seed) % 100000,
				 .times = 1,
				 .parallelism = 1 + unit_random(&seed) % 8 };
}

/* Every sample to the slot of all and to one of three; those are merged, in any order. */
static void check_merge(const struct acc *acc, unsigned nr_samples)
{
	const struct acc_env env = { .arch = REGS_ARCH_X86, .values = "zmm3.i64[7]" };
	const struct keys_row row = { .nr = 3ULL * nr_samples };
	void *all = new_slot(acc), *part[3], *state = NULL;
	struct input x;

	for (int i = 0; i < 3; i++)
		part[i] = new_slot(acc);
	if (acc->start)
		assert_int_equal(acc->start(&state, &env), 0);
	for (unsigned i = 0; i < nr_samples; i++) {
		make_input(&x);
		/* Registers of user space say nothing of the kernel's code, and there is none here. */
		if (acc->start && acc != &keys_acc_values)
			x.s.cpumode = PERF_RECORD_MISC_KERNEL;
		assert_int_equal(acc->add(all, &x.in, state), 0);
		assert_int_equal(acc->add(part[unit_random(&seed) % 3], &x.in, state), 0);
	}
	assert_int_equal(acc->merge(part[2], part[0], NULL), 0);
	assert_int_equal(acc->merge(part[2], part[1], NULL), 0);
	for (unsigned i = 0; i < acc->nr_cols; i++)
		if (acc->cols[i].stat)
			assert_int_equal(acc->cols[i].stat(&row, part[2]),
					 acc->cols[i].stat(&row, all));
	if (acc->sub) {
		acc->sub(all, part[1]);
		acc->sub(all, part[0]);
		acc->sub(part[2], part[0]);
		acc->sub(part[2], part[1]);
		for (unsigned i = 0; i < acc->nr_cols; i++)
			assert_int_equal(acc->cols[i].stat(&row, part[2]),
					 acc->cols[i].stat(&row, all));
	}
	if (acc->stop)
		acc->stop(state);
	free_slot(acc, all);
	for (int i = 0; i < 3; i++)
		free_slot(acc, part[i]);
}

static void merges(void **state)
{
	const struct acc *acc;
	unsigned nr = 0;

	(void)state;
	for (unsigned i = 0; (acc = keys_acc_at(i)); i++) {
		/* Notes are added by the branches of a sample, which history.c makes: below. */
		if (acc == &keys_acc_notes)
			continue;
		for (unsigned n = 0; n < 400; n += 1 + n / 2)
			check_merge(acc, n);
		nr++;
	}
	assert_true(nr >= 6);
}

/* ---- each ------------------------------------------------------------------------------------ */

static void modes(void **state)
{
	static const struct {
		uint8_t cpumode;
		uint64_t period;
	} in[] = { { PERF_RECORD_MISC_KERNEL, 1 },	   { PERF_RECORD_MISC_USER, 20 },
		   { PERF_RECORD_MISC_GUEST_KERNEL, 300 }, { PERF_RECORD_MISC_GUEST_USER, 4000 },
		   { PERF_RECORD_MISC_HYPERVISOR, 50000 }, { PERF_RECORD_MISC_USER, 2 } };
	void *slot = new_slot(&keys_acc_modes);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(in); i++) {
		struct sample s = { .cpumode = in[i].cpumode };
		struct acc_in a = { .s = &s, .period = in[i].period };

		assert_int_equal(keys_acc_modes.add(slot, &a, NULL), 0);
	}
	assert_int_equal(show(&keys_acc_modes, "overhead_sys", slot, 6), 1);
	assert_int_equal(show(&keys_acc_modes, "overhead_us", slot, 6), 22);
	assert_int_equal(show(&keys_acc_modes, "overhead_guest_sys", slot, 6), 300);
	assert_int_equal(show(&keys_acc_modes, "overhead_guest_us", slot, 6), 4000);
	free_slot(&keys_acc_modes, slot);
}

static void weights(void **state)
{
	struct sample s = { .present = PERF_SAMPLE_WEIGHT_STRUCT,
			    .weight_var1 = 7,
			    .weight_var2 = 50,
			    .weight_var3 = 300 };
	struct acc_in in = { .s = &s };
	void *slot = new_slot(&keys_acc_weights);

	(void)state;
	assert_int_equal(keys_acc_weights.add(slot, &in, NULL), 0);
	assert_int_equal(keys_acc_weights.add(slot, &in, NULL), 0);
	assert_int_equal(show(&keys_acc_weights, "weight1", slot, 2), 14);
	assert_int_equal(show(&keys_acc_weights, "weight2", slot, 2), 100);
	assert_int_equal(show(&keys_acc_weights, "weight3", slot, 2), 600);
	free_slot(&keys_acc_weights, slot);
}

static void latency(void **state)
{
	void *slot = new_slot(&keys_acc_latency), *other = new_slot(&keys_acc_latency);
	struct acc_in in = { .period = 10, .times = 1, .parallelism = 4 };

	(void)state;
	keys_acc_latency.add(slot, &in, NULL);
	assert_int_equal(show(&keys_acc_latency, "latency", slot, 1), 2500);
	in.times = 3;
	keys_acc_latency.add(other, &in, NULL);
	assert_int_equal(show(&keys_acc_latency, "latency", other, 1), 7500);
	keys_acc_latency.merge(slot, other, NULL);
	assert_int_equal(show(&keys_acc_latency, "latency", slot, 1), 10000);
	keys_acc_latency.sub(slot, other);
	assert_int_equal(show(&keys_acc_latency, "latency", slot, 1), 2500);
	/* 1000 times this is more than 64 bits, a fraction of it is not. */
	in = (struct acc_in){ .period = UINT64_MAX / 2, .times = 1, .parallelism = 4000 };
	keys_acc_latency.sub(slot, slot);
	keys_acc_latency.add(slot, &in, NULL);
	assert_true(show(&keys_acc_latency, "latency", slot, 1) == UINT64_MAX / 8);
	free_slot(&keys_acc_latency, slot);
	free_slot(&keys_acc_latency, other);
}

static void branches(void **state)
{
	const struct branch_counts told = {
		.cycles = 11, .nr_cycles = 2, .nr_mispred = 1, .nr_unflagged = 4
	};
	struct branch_counts *a = new_slot(&keys_acc_branches), *b = new_slot(&keys_acc_branches);
	static const uint32_t map[] = { 70, 71, 72, 73 };
	const struct acc_maps maps = { .symbol = map };
	struct acc_in in = { .entries = &told };

	(void)state;
	assert_true(show(&keys_acc_branches, "mispredict_rate", a, 5) == 0);
	assert_true(show(&keys_acc_branches, "avg_cycles", a, 5) == STAT_UNKNOWN);
	keys_acc_branches.add(a, &in, NULL);
	/* Four of twelve do not say; one of eight was mispredicted. 5.5 cycles are 6. */
	assert_int_equal(show(&keys_acc_branches, "mispredict_rate", a, 12), 125);
	assert_true(show(&keys_acc_branches, "mispredict_rate", a, 4) == STAT_UNKNOWN);
	assert_int_equal(show(&keys_acc_branches, "avg_cycles", a, 12), 6);
	/* The target's symbol is that of the first who knew one, in the numbers of this table. */
	b->symbol_to = 3;
	keys_acc_branches.merge(a, b, &maps);
	assert_int_equal(a->symbol_to, 73);
	b->symbol_to = 1;
	keys_acc_branches.merge(a, b, NULL);
	assert_int_equal(a->symbol_to, 73);
	free(a);
	free(b);
}

static void notes(void **state)
{
	const struct branch_note x = { .branches = 4,
				       .predicted = 3,
				       .aborts = 1,
				       .froms = 2,
				       .flagged = 4,
				       .cycles = 40,
				       .iters = 5,
				       .iter_cycles = 6,
				       .types = 8,
				       .new_types = 16,
				       .to = true };
	const struct branch_note y = { .branches = 1, .types = 2, .new_types = 1 };
	struct branch_note *n = new_slot(&keys_acc_notes);

	(void)state;
	assert_int_equal(keys_acc_notes.merge(n, &x, NULL), 0);
	assert_memory_equal(n, &x, sizeof(x));
	assert_int_equal(keys_acc_notes.merge(n, &y, NULL), 0);
	assert_int_equal(n->branches, 5);
	assert_int_equal(n->cycles, 40);
	assert_int_equal(n->types, 10);
	assert_int_equal(n->new_types, 17);
	assert_true(n->to);
	free(n);
}

/* ---- threads: against a plain array ---------------------------------------------------------- */

struct model {
	bool has[NR_THREADS];
	unsigned n;
};

static void put(void *slot, struct model *m, uint32_t id)
{
	struct acc_in in = { .th = &threads[id] };

	assert_int_equal(keys_acc_threads.add(slot, &in, NULL), 0);
	m->n += !m->has[id];
	m->has[id] = true;
	assert_int_equal(show(&keys_acc_threads, "nr_threads", slot, 1), m->n);
}

/* Numbers of up to @range, @nr times: few of many are a list, many of few are bits. */
static void fill(void *slot, struct model *m, uint32_t range, unsigned nr)
{
	for (unsigned i = 0; i < nr; i++)
		put(slot, m, (uint32_t)(unit_random(&seed) % range));
}

static void thread_sets(void **state)
{
	static const struct {
		uint32_t range;
		unsigned nr;
	} in[] = { { 1, 3 },   { 2, 10 },     { 40, 200 },	   { NR_THREADS, 5 },
		   { 70, 50 }, { 3000, 100 }, { NR_THREADS, 9000 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(in); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(in); j++) {
			void *a = new_slot(&keys_acc_threads), *b = new_slot(&keys_acc_threads);
			struct model ma = { 0 }, mb = { 0 };

			fill(a, &ma, in[i].range, in[i].nr);
			fill(b, &mb, in[j].range, in[j].nr);
			assert_int_equal(keys_acc_threads.merge(a, b, NULL), 0);
			for (uint32_t t = 0; t < NR_THREADS; t++)
				ma.n += mb.has[t] && !ma.has[t];
			assert_int_equal(show(&keys_acc_threads, "nr_threads", a, 1), ma.n);
			/* Nothing more comes from what is in it. */
			assert_int_equal(keys_acc_threads.merge(a, b, NULL), 0);
			assert_int_equal(keys_acc_threads.merge(b, a, NULL), 0);
			assert_int_equal(show(&keys_acc_threads, "nr_threads", a, 1), ma.n);
			assert_int_equal(show(&keys_acc_threads, "nr_threads", b, 1), ma.n);
			free_slot(&keys_acc_threads, a);
			free_slot(&keys_acc_threads, b);
		}
	}
}

/* Low numbers are kept as bits; one that is far off makes a list of them again. */
static void thread_far_off(void **state)
{
	void *a = new_slot(&keys_acc_threads);
	struct model m = { 0 };

	(void)state;
	fill(a, &m, 20, 300);
	put(a, &m, NR_THREADS - 1);
	fill(a, &m, 20, 300);
	fill(a, &m, NR_THREADS, 300);
	free_slot(&keys_acc_threads, a);
}

/* Threads of two machines: what has one number there may have several here, and the reverse. */
static void thread_maps(void **state)
{
	static const uint32_t map[] = { 5, 5, 6 };
	const struct acc_maps maps = { .thread = map };
	void *a = new_slot(&keys_acc_threads), *b = new_slot(&keys_acc_threads);
	struct model ma = { 0 }, mb = { 0 };

	(void)state;
	put(a, &ma, 6);
	put(b, &mb, 0);
	assert_int_equal(keys_acc_threads.merge(a, b, &maps), 0);
	assert_int_equal(show(&keys_acc_threads, "nr_threads", a, 1), 2);
	put(b, &mb, 1);
	put(b, &mb, 2);
	assert_int_equal(keys_acc_threads.merge(a, b, &maps), 0);
	assert_int_equal(show(&keys_acc_threads, "nr_threads", a, 1), 2);
	free_slot(&keys_acc_threads, a);
	free_slot(&keys_acc_threads, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges),      cmocka_unit_test(modes),
		cmocka_unit_test(weights),     cmocka_unit_test(latency),
		cmocka_unit_test(branches),    cmocka_unit_test(notes),
		cmocka_unit_test(thread_sets), cmocka_unit_test(thread_far_off),
		cmocka_unit_test(thread_maps),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
