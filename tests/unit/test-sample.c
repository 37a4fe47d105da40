// SPDX-License-Identifier: GPL-2.0-or-later
/* Records made by hand; the made files with JSON beside them are read by tests/system/regs.sh. */
#include "sample-record.h"

#define ALL (PERF_SAMPLE_MAX - 1 - PERF_SAMPLE_WEIGHT)

static int parse(struct rec *t)
{
	return parse_size(t, UINT64_MAX, t->n);
}

/* Every field, with values that tell them apart. */
static struct rec *everything(bool swap, uint64_t branch_type)
{
	struct rec *t = start(swap, ALL);
	struct perf_event_attr *a = &t->ev.attr;

	a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			 PERF_FORMAT_ID | PERF_FORMAT_GROUP | PERF_FORMAT_LOST;
	a->branch_sample_type = branch_type;
	a->sample_regs_user = 0x18001010003ULL;
	a->sample_regs_intr = 0x101;
	a->sample_simd_regs_enabled = 1;
	a->sample_simd_vec_reg_qwords = 4;
	a->sample_simd_pred_reg_qwords = 1;
	a->sample_simd_vec_reg_intr = 0xffff;
	a->sample_simd_pred_reg_intr = 0xff;
	u64(t, 77); /* identifier */
	u64(t, 0x401000);
	u32(t, 11);
	u32(t, 12);
	u64(t, 1234567);
	u64(t, 0xadd);
	u64(t, 77);
	u64(t, 78);
	u32(t, 5);
	u32(t, 0xdead);
	u64(t, 100003);
	u64(t, 2); /* read: nr, enabled, running, two of value id lost */
	u64(t, 50);
	u64(t, 40);
	for (unsigned i = 0; i < 2; i++) {
		u64(t, 1000 + i);
		u64(t, 77 + i);
		u64(t, i);
	}
	u64(t, 3);
	u64(t, PERF_CONTEXT_USER);
	u64(t, 0x401000);
	u64(t, 0x402000);
	u32(t, 4);
	memcpy(t->buf + t->n, "raw!", 4);
	t->n += 4;
	u64(t, 2);
	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		u64(t, 6);
	for (unsigned i = 0; i < 2; i++) {
		u64(t, 0x500000 + i);
		u64(t, 0x600000 + i);
		/* predicted, cycles 7, COND, in the writer's bit order */
		u64(t, swap != host_is_big_endian() ? 1ULL << 62 | 7ULL << 44 | 1ULL << 40
						    : 2 | 7 << 4 | 1 << 20);
	}
	if (branch_type & PERF_SAMPLE_BRANCH_COUNTERS) {
		u64(t, 1);
		u64(t, 2);
	}
	u64(t, PERF_SAMPLE_REGS_ABI_64);
	for (unsigned i = 0; i < 6; i++)
		u64(t, 0x100 + i);
	u64(t, 16); /* stack: 16 bytes, 8 of them used */
	u64(t, 0x1111);
	u64(t, 0x2222);
	u64(t, 8);
	u64(t, 0x0003000200000001ULL);
	u64(t, 0xda7a);
	u64(t, 0x7a);
	u64(t, PERF_SAMPLE_REGS_ABI_64 | PERF_SAMPLE_REGS_ABI_SIMD);
	u64(t, 0x201);
	u64(t, 0x202);
	u64(t, 2); /* fewer than asked for */
	u64(t, 4);
	u64(t, 1);
	u64(t, 1);
	for (unsigned i = 0; i < 9; i++)
		u64(t, 0x300 + i);
	u64(t, 0xf157);
	u64(t, 0xc6);
	u64(t, 4096);
	u64(t, 2 << 20);
	u64(t, 8);
	u64(t, 0xa0a0);
	return t;
}

static void check_everything(struct rec *t, uint64_t branch_type)
{
	struct sample_value v;
	struct sample *s = &t->s;
	struct branch_entry b;
	uint64_t reg = 0;

	assert_int_equal(parse(t), 0);
	assert_int_equal(s->present, ALL);
	assert_int_equal(s->cpumode, PERF_RECORD_MISC_USER);
	assert_int_equal(s->ip, 0x401000);
	assert_int_equal(s->pid, 11);
	assert_int_equal(s->tid, 12);
	assert_int_equal(s->time, 1234567);
	assert_int_equal(s->addr, 0xadd);
	assert_int_equal(s->id, 77);
	assert_int_equal(s->stream_id, 78);
	assert_int_equal(s->cpu, 5);
	assert_int_equal(s->period, 100003);
	assert_int_equal(s->read.nr, 2);
	assert_int_equal(s->read.time_enabled, 50);
	assert_int_equal(s->read.time_running, 40);
	sample_read_value(&s->read, 1, &v);
	assert_int_equal(v.value, 1001);
	assert_int_equal(v.id, 78);
	assert_int_equal(v.lost, 1);
	assert_int_equal(s->callchain.nr, 3);
	assert_true(u64s_get(&s->callchain, 0) == PERF_CONTEXT_USER);
	assert_int_equal(u64s_get(&s->callchain, 2), 0x402000);
	assert_int_equal(s->raw_size, 4);
	assert_memory_equal(s->raw, "raw!", 4);
	assert_int_equal(s->branches.nr, 2);
	assert_int_equal(s->branches.has_hw_idx, !!(branch_type & PERF_SAMPLE_BRANCH_HW_INDEX));
	if (s->branches.has_hw_idx)
		assert_int_equal(s->branches.hw_idx, 6);
	assert_int_equal(s->branches.counters.nr,
			 branch_type & PERF_SAMPLE_BRANCH_COUNTERS ? 2 : 0);
	sample_branch(&s->branches, 1, &b);
	assert_int_equal(b.from, 0x500001);
	assert_int_equal(b.to, 0x600001);
	assert_true(b.predicted && !b.mispred);
	assert_int_equal(b.cycles, 7);
	assert_int_equal(b.type, BR_COND);
	assert_int_equal(s->user_regs.abi, 2);
	assert_true(sample_reg(&s->user_regs, 24, &reg)); /* R16: third but last of the mask */
	assert_int_equal(reg, 0x103);
	assert_true(sample_reg(&s->user_regs, 40, &reg));
	assert_int_equal(reg, 0x105);
	assert_false(sample_reg(&s->user_regs, 2, &reg));
	assert_false(sample_reg(&s->user_regs, 64, &reg));
	assert_int_equal(s->stack_size, 8);
	assert_int_equal(load_u64(s->stack, t->swap), 0x1111);
	assert_int_equal(s->weight_var1, 1);
	assert_int_equal(s->weight_var2, 2);
	assert_int_equal(s->weight_var3, 3);
	assert_int_equal(s->data_src, 0xda7a);
	assert_int_equal(s->transaction, 0x7a);
	assert_int_equal(s->intr_regs.abi, 6);
	assert_true(s->intr_regs.simd);
	assert_int_equal(s->intr_regs.nr_vectors, 2);
	assert_int_equal(s->intr_regs.vector_qwords, 4);
	assert_int_equal(s->intr_regs.nr_pred, 1);
	assert_int_equal(s->intr_regs.vec.nr, 8);
	assert_int_equal(u64s_get(&s->intr_regs.vec, 7), 0x307);
	assert_int_equal(u64s_get(&s->intr_regs.pred, 0), 0x308);
	assert_int_equal(s->phys_addr, 0xf157);
	assert_int_equal(s->cgroup, 0xc6);
	assert_int_equal(s->data_page_size, 4096);
	assert_int_equal(s->code_page_size, 2 << 20);
	assert_int_equal(s->aux_size, 8);
	assert_int_equal(load_u64(s->aux, t->swap), 0xa0a0);
}

static const uint64_t branch_types[] = { PERF_SAMPLE_BRANCH_ANY,
					 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX,
					 PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX |
						 PERF_SAMPLE_BRANCH_COUNTERS };

static void all_fields(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		for (size_t i = 0; i < ARRAY_SIZE(branch_types); i++) {
			struct rec *t = everything(swap, branch_types[i]);

			check_everything(t, branch_types[i]);
			finish(t);
		}
	}
}

/* Cut anywhere, the record is refused: with every byte missing nothing is read behind it. */
static void cut_everywhere(void **state)
{
	struct rec *t = everything(false, branch_types[2]);

	(void)state;
	for (size_t n = 0; n < t->n; n++) {
		assert_int_equal(parse_size(t, UINT64_MAX, n), -EBADMSG);
		assert_ptr_equal(strstr(t->e.text, "record at offset 0x100, SAMPLE (9): "),
				 t->e.text);
	}
	assert_int_equal(parse(t), 0);
	finish(t);
}

/* Any single word replaced by a huge one: an answer or an error, never a read past the end. */
static void hostile_words(void **state)
{
	static const uint64_t bad[] = { UINT64_MAX, 1ULL << 60, 1ULL << 61,
					1ULL << 63, 65536,	0xaaaaaaaaaaaaaaabULL,
					UINT32_MAX, 1000 };
	struct rec *t = everything(false, branch_types[2]);

	(void)state;
	for (size_t at = 8; at + 8 <= t->n; at += 8) {
		uint64_t saved = load_u64(t->buf + at, false);

		for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
			int ret;

			store_u64(t->buf + at, bad[i]);
			ret = parse(t);
			assert_true(ret == 0 || ret == -EBADMSG);
		}
		store_u64(t->buf + at, saved);
	}
	check_everything(t, branch_types[2]);
	finish(t);
}

static void hostile_counts(void **state)
{
	static const struct {
		uint64_t type;
		const char *says;
	} part[] = {
		{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
		{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
		{ PERF_SAMPLE_STACK_USER, "STACK_USER" },
		{ PERF_SAMPLE_AUX, "AUX" },
		{ PERF_SAMPLE_RAW, "RAW" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		struct rec *t = start(false, PERF_SAMPLE_IP | part[i].type);

		u64(t, 1);
		u64(t, 1ULL << 60 | 0xfffffff0);
		for (int k = 0; k < 8; k++)
			u64(t, 0);
		assert_int_equal(parse(t), -EBADMSG);
		assert_non_null(strstr(t->e.text, part[i].says));
		finish(t);
	}
}

static void lone_nr_zero(void **state)
{
	(void)state;
	for (int with = 0; with < 2; with++) {
		struct rec *t = start(false, PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK |
						     PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT);

		t->ev.attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
		t->ev.attr.sample_regs_user = 3;
		u64(t, 1);
		u64(t, 0);
		if (with)
			u64(t, 9);
		u64(t, PERF_SAMPLE_REGS_ABI_64);
		u64(t, 0xa);
		u64(t, 0xb);
		u64(t, 0xee);
		assert_int_equal(parse(t), 0);
		assert_int_equal(t->s.branches.nr, 0);
		assert_int_equal(t->s.branches.has_hw_idx, with);
		assert_int_equal(t->s.user_regs.abi, 2);
		assert_int_equal(t->s.weight, 0xee);
		finish(t);
		/* and at the end of the record */
		t = start(false, PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK);
		t->ev.attr.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
		u64(t, 1);
		u64(t, 0);
		if (with)
			u64(t, 9);
		assert_int_equal(parse(t), 0);
		assert_int_equal(t->s.branches.has_hw_idx, with);
		finish(t);
	}
}

static void regs_blocks(void **state)
{
	struct rec *t = start(false, PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR);
	struct perf_event_attr *a = &t->ev.attr;

	(void)state;
	/* abi 0: nothing follows */
	a->sample_regs_intr = 0xff;
	a->sample_simd_vec_reg_intr = 0xffffffff;
	a->sample_simd_vec_reg_qwords = 8;
	u64(t, 0);
	u64(t, 42);
	assert_int_equal(parse(t), 0);
	assert_int_equal(t->s.intr_regs.gpr.nr, 0);
	assert_int_equal(t->s.phys_addr, 42);

	/* more, or wider, than the attr asked for */
	a->sample_regs_intr = 0;
	for (int field = 0; field < 4; field++) {
		static const uint64_t most[4] = { 32, 8, 0, 0 };

		t->n = 8;
		u64(t, PERF_SAMPLE_REGS_ABI_SIMD | PERF_SAMPLE_REGS_ABI_64);
		for (int i = 0; i < 4; i++)
			u64(t, most[i] + (i == field));
		for (int i = 0; i < 400; i++)
			u64(t, 1);
		assert_int_equal(parse(t), -EBADMSG);
	}
	/* the largest block, exactly */
	t->n = 8;
	u64(t, PERF_SAMPLE_REGS_ABI_SIMD | PERF_SAMPLE_REGS_ABI_64);
	u64(t, 32);
	u64(t, 8);
	u64(t, 0);
	u64(t, 0);
	for (int i = 0; i < 256; i++)
		u64(t, (uint64_t)i);
	u64(t, 43);
	assert_int_equal(parse(t), 0);
	assert_int_equal(u64s_get(&t->s.intr_regs.vec, 255), 255);
	assert_int_equal(t->s.phys_addr, 43);
	/* an empty block */
	t->n = 8;
	u64(t, PERF_SAMPLE_REGS_ABI_SIMD | PERF_SAMPLE_REGS_ABI_64);
	for (int i = 0; i < 4; i++)
		u64(t, 0);
	u64(t, 44);
	assert_int_equal(parse(t), 0);
	assert_int_equal(t->s.intr_regs.vec.nr, 0);
	assert_int_equal(t->s.phys_addr, 44);
	finish(t);
}

/* RAW of @size bytes that begins with @version: whether bases are seen in it. */
static bool bases_seen(struct rec *t, uint32_t version, uint32_t size, uint64_t abi)
{
	t->n = 8;
	u32(t, size);
	u32(t, version);
	u64(t, 0x7f0011223344);
	u64(t, 0x12345000);
	t->n = 8 + 4 + size;
	u64(t, abi);
	if (abi)
		u64(t, 0x401000);
	assert_int_equal(parse(t), 0);
	assert_int_equal(t->s.raw_size, size);
	return t->s.user_regs.bases;
}

/* u32 size, version, [16 bytes of bases,] MXCSR, what is known of it; a block of registers: ABI, IP */
static bool mxcsr_seen(struct rec *t, bool with_bases, uint32_t known)
{
	uint32_t value;
	bool flags, seen;
	uint64_t v;

	t->n = 8;
	u32(t, with_bases ? RAW_BOTH_SIZE : RAW_MXCSR_SIZE);
	u32(t, RAW_BASES_VERSION);
	if (with_bases) {
		u64(t, 1);
		u64(t, 2);
	}
	u32(t, 0x9fc4);
	u32(t, known);
	u64(t, 2);
	u64(t, 0x401000);
	assert_int_equal(parse(t), 0);
	seen = sample_mxcsr(&t->s.user_regs, &value, &flags);
	assert_int_equal(value, seen ? 0x9fc4 : 0);
	assert_int_equal(flags, t->s.user_regs.mxcsr && known & RAW_MXCSR_FLAGS);
	assert_int_equal(sample_base(&t->s.user_regs, 1, &v), with_bases && t->ev.raw_bases);
	return seen;
}

static void mxcsr(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct rec *t = start(k & 1, PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER);
		bool both = k & 2;

		t->ev.attr.sample_regs_user = BIT(8);
		assert_false(mxcsr_seen(t, both, 3)); /* the file does not say so */
		t->ev.raw_mxcsr = true;
		t->ev.raw_bases = both;
		assert_true(mxcsr_seen(t, both, RAW_MXCSR_KNOWN | RAW_MXCSR_FLAGS));
		assert_true(mxcsr_seen(t, both, RAW_MXCSR_KNOWN));
		assert_false(mxcsr_seen(t, both, 0));
		/* a payload of another size is none of it */
		t->ev.raw_bases = !both;
		assert_false(mxcsr_seen(t, both, 3));
		finish(t);
	}
}

static void bases(void **state)
{
	uint64_t v;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct rec *t = start(swap, PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER);
		struct obuf o;

		t->ev.attr.sample_regs_user = BIT(8);
		assert_false(
			bases_seen(t, RAW_BASES_VERSION, 20, 2)); /* the file does not say so */
		t->ev.raw_bases = true;
		for (uint32_t size = 0; size < 64; size += 4)
			assert_int_equal(bases_seen(t, RAW_BASES_VERSION, size, 2), size == 20);
		assert_false(bases_seen(t, 0, 20, 2));
		assert_false(bases_seen(t, 2, 20, 2));
		assert_false(bases_seen(t, 1u << 24, 20, 2)); /* of the other byte order */
		assert_false(bases_seen(t, RAW_BASES_VERSION, 20, 0));
		assert_true(bases_seen(t, RAW_BASES_VERSION, 20, 2));
		assert_true(sample_base(&t->s.user_regs, 0, &v));
		assert_int_equal(v, 0x7f0011223344);
		assert_false(sample_base(&t->s.intr_regs, 0, &v));
		obuf_init(&o, -1, 1);
		sample_print_regs(&t->s.user_regs, REGS_ARCH_X86, false, &o);
		obuf_char(&o, 0);
		assert_string_equal(o.buf, " ABI:2    IP:0x401000 FSBASE:0x7f0011223344 "
					   "GSBASE:0x12345000 ");
		o.len = 0;
		sample_print_regs(&t->s.user_regs, REGS_ARCH_X86, true, &o);
		obuf_char(&o, 0);
		assert_string_equal(o.buf, " ABI:2    IP:- FSBASE:- GSBASE:- ");
		obuf_free(&o);
		/* a size that leads out of the record */
		t->n = 8;
		u32(t, 20);
		u64(t, 1);
		assert_int_equal(parse(t), -EBADMSG);
		finish(t);
	}
}

static void stacks(void **state)
{
	struct rec *t = start(true, PERF_SAMPLE_STACK_USER | PERF_SAMPLE_DATA_SRC);

	(void)state;
	u64(t, 0); /* no stack: no dynamic size either */
	u64(t, 5);
	assert_int_equal(parse(t), 0);
	assert_int_equal(t->s.stack_size, 0);
	assert_int_equal(t->s.data_src, 5);
	t->n = 8;
	u64(t, 8);
	u64(t, 1);
	u64(t, 9); /* more used than there is */
	u64(t, 5);
	assert_int_equal(parse(t), -EBADMSG);
	/* the largest record there is */
	t->n = 8;
	u64(t, 65000);
	t->n += 65000;
	u64(t, 65000);
	u64(t, 6);
	assert_int_equal(parse(t), 0);
	assert_int_equal(t->s.stack_size, 65000);
	assert_int_equal(t->s.data_src, 6);
	finish(t);
}

static void reads(void **state)
{
	struct rec *t = start(false, PERF_SAMPLE_READ | PERF_SAMPLE_DATA_SRC);
	struct sample_value v;

	(void)state;
	t->ev.attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
				 PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
	u64(t, 100);
	u64(t, 20);
	u64(t, 10);
	u64(t, 7);
	u64(t, 1);
	u64(t, 99);
	assert_int_equal(parse(t), 0);
	assert_int_equal(t->s.read.nr, 1);
	assert_int_equal(t->s.read.time_running, 10);
	sample_read_value(&t->s.read, 0, &v);
	assert_int_equal(v.value, 100);
	assert_int_equal(v.id, 7);
	assert_int_equal(v.lost, 1);
	assert_int_equal(t->s.data_src, 99);
	t->ev.attr.read_format = 0;
	t->n = 24;
	assert_int_equal(parse(t), 0);
	sample_read_value(&t->s.read, 0, &v);
	assert_int_equal(v.value, 100);
	assert_true(v.id == UINT64_MAX);
	finish(t);
}

/* Stops after what is wanted: what lies behind may be broken. */
static void some(void **state)
{
	struct rec *t = start(false, PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN |
					     PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_INTR);

	(void)state;
	u64(t, 0x1234);
	u32(t, 1);
	u32(t, 2);
	u64(t, 1);
	u64(t, 0x99);
	u64(t, 1ULL << 60); /* a branch count that cannot be */
	assert_int_equal(parse(t), -EBADMSG);
	assert_int_equal(parse_size(t, PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN, t->n), 0);
	assert_int_equal(t->s.callchain.nr, 1);
	assert_false(t->s.present & PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(parse_size(t, PERF_SAMPLE_IP, t->n), 0);
	assert_int_equal(t->s.callchain.nr, 0);
	assert_int_equal(parse_size(t, 0, t->n), 0);
	assert_int_equal(t->s.ip, 0x1234);
	assert_int_equal(t->s.period, 4000); /* the attr's */
	assert_int_equal(t->s.cpu, UINT32_MAX);
	assert_true(t->s.time == RECORD_NO_TIME);
	finish(t);
}

static void no_event(void **state)
{
	struct record r = { .data = (const unsigned char *)"12345678", .size = 8, .offset = 0x20 };
	struct sample s;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(sample_parse(&r, &s, &e), -EINVAL);
	assert_non_null(strstr(e.text, "0x20"));
}

static void script_text(void **state)
{
	struct rec *t = everything(true, branch_types[0]);
	struct obuf o;

	(void)state;
	assert_int_equal(parse(t), 0);
	obuf_init(&o, -1, 1);
	sample_print_regs(&t->s.user_regs, REGS_ARCH_X86, false, &o);
	obuf_char(&o, 0);
	assert_string_equal(o.buf, " ABI:2    AX:0x100    BX:0x101    R8:0x102   R16:0x103   "
				   "R31:0x104   SSP:0x105 ");
	o.len = 0;
	sample_print_regs(&t->s.intr_regs, REGS_ARCH_X86, false, &o);
	obuf_char(&o, 0);
	assert_string_equal(o.buf, " ABI:6    AX:0x201    IP:0x202   YMM[0][0]:0x300   "
				   "YMM[0][1]:0x301   YMM[0][2]:0x302   YMM[0][3]:0x303   "
				   "YMM[1][0]:0x304   YMM[1][1]:0x305   YMM[1][2]:0x306   "
				   "YMM[1][3]:0x307 OPMASK[0]:0x308 ");
	o.len = 0;
	sample_print_regs(&t->s.intr_regs, REGS_ARCH_X86, true, &o);
	obuf_char(&o, 0);
	assert_non_null(strstr(o.buf, "OPMASK[0]:- "));
	assert_null(strstr(o.buf, "0x"));
	obuf_free(&o);
	finish(t);
}

static const char *simd_text(const struct sample_regs *r, struct obuf *o, enum regs_lane lane,
			     const char *pick, bool hide)
{
	struct sample_simd_opts opts = { .lane = lane, .hide = hide };

	if (pick)
		assert_int_equal(regs_pick_parse(&opts.pick, pick, REGS_ARCH_X86, NULL), 0);
	o->len = 0;
	sample_print_simd(r, REGS_ARCH_X86, "intr", &opts, o);
	obuf_char(o, 0);
	return o->buf;
}

static void simd_rows(void **state)
{
	struct rec *t = start(false, PERF_SAMPLE_REGS_INTR);
	struct perf_event_attr *a = &t->ev.attr;
	struct obuf o;

	(void)state;
	a->sample_regs_intr = 1;
	a->sample_simd_vec_reg_intr = 0xffff;
	a->sample_simd_vec_reg_qwords = 2;
	a->sample_simd_pred_reg_intr = 0xff;
	a->sample_simd_pred_reg_qwords = 1;
	u64(t, PERF_SAMPLE_REGS_ABI_SIMD | PERF_SAMPLE_REGS_ABI_64);
	u64(t, 0xaa);
	u64(t, 6);
	u64(t, 2);
	u64(t, 1);
	u64(t, 1);
	for (unsigned i = 0; i < 6; i++) {
		u64(t, i == 2 ? 0xffffffff00000005ULL : 0);
		u64(t, i == 5 ? 7 : 0);
	}
	u64(t, 0xff);
	assert_int_equal(parse(t), 0);
	obuf_init(&o, -1, 0);
	assert_string_equal(simd_text(&t->s.intr_regs, &o, LANE_I32, NULL, false),
			    "\n\tintr XMM0-1   initial state\n\tintr XMM2     5 -1 0 0"
			    "\n\tintr XMM3-4   initial state\n\tintr XMM5     0 0 7 0"
			    "\n\tintr k0       0x00000000000000ff");
	assert_string_equal(simd_text(&t->s.intr_regs, &o, LANE_I64, "xmm0,xmm2-3,ax", false),
			    "\n\tintr AX       0x00000000000000aa\n\tintr XMM0     initial state"
			    "\n\tintr XMM2     -4294967291 0\n\tintr XMM3     initial state");
	/* hidden: not even which are zero */
	assert_string_equal(simd_text(&t->s.intr_regs, &o, LANE_I64, "xmm0-1,ax", true),
			    "\n\tintr AX       -\n\tintr XMM0     -\n\tintr XMM1     -");
	t->n = 8;
	u64(t, 0);
	assert_int_equal(parse(t), 0);
	assert_string_equal(simd_text(&t->s.intr_regs, &o, LANE_I64, NULL, false), "");
	obuf_free(&o);
	finish(t);
}

#define WORD_CASE(bit, listed, name, dump) \
	{ PERF_SAMPLE_##bit, offsetof(struct sample, name), #bit },

/* A word is its row and nothing else: where it stands, its byte order, that it may be cut. */
static void every_word(void **state)
{
	static const struct {
		uint64_t bit;
		size_t at;
		const char *name;
	} words[] = { ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, ATTR_NO_PART, WORD_CASE) };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(words); i++) {
		struct rec *t = start(i & 1, PERF_SAMPLE_IP | words[i / 2].bit);
		uint64_t got;

		u64(t, 0x401000);
		u64(t, 0x0102030405060708);
		assert_int_equal(parse_size(t, words[i / 2].bit, t->n), 0);
		memcpy(&got, (char *)&t->s + words[i / 2].at, sizeof(got));
		assert_int_equal(got, 0x0102030405060708);
		assert_int_equal(t->s.present, PERF_SAMPLE_IP | words[i / 2].bit);
		/* nobody wants it: not looked at */
		assert_int_equal(parse_size(t, 0, t->n - 1), 0);
		assert_int_equal(parse_size(t, words[i / 2].bit, t->n - 1), -EBADMSG);
		assert_non_null(strstr(t->e.text, words[i / 2].name));
		finish(t);
	}
}

/* Markers are no addresses, and say in what mode those behind them ran. */
static void chain_frames(void **state)
{
	static const struct {
		uint64_t chain[6];
		uint64_t nr;
		const char *want;
	} cases[] = {
		{ { PERF_CONTEXT_KERNEL, 0x81, PERF_CONTEXT_USER, 0x10, 0x20 },
		  5,
		  "81/1 10/2 20/2 0" },
		{ { 0x10, PERF_CONTEXT_GUEST, 0x20, PERF_CONTEXT_GUEST_USER, 0x30 },
		  5,
		  "10/0 20/4 30/5 0" },
		{ { PERF_CONTEXT_HV, 0x1, PERF_CONTEXT_GUEST_KERNEL, 0x2 }, 4, "1/3 2/4 0" },
		/* The cookie is no address. */
		{ { PERF_CONTEXT_KERNEL, 0x81, PERF_CONTEXT_USER_DEFERRED, 0x7 }, 4, "81/1 0" },
		{ { PERF_CONTEXT_KERNEL, 0x81, PERF_CONTEXT_MAX, 0x10 }, 4, "81/1 -1" },
		{ { ~0ULL }, 1, "-1" },
		{ { 0 }, 0, "0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct u64s chain = { (const unsigned char *)cases[i].chain, cases[i].nr, false };
		struct sample_frames it = sample_frames(&chain);
		char text[256];
		uint64_t ip;
		int ret, n = 0;

		while ((ret = sample_frames_next(&it, &ip)) > 0)
			n += snprintf(text + n, sizeof(text) - (size_t)n, "%llx/%u ",
				      (unsigned long long)ip, it.mode);
		snprintf(text + n, sizeof(text) - (size_t)n, "%d", ret);
		assert_string_equal(text, cases[i].want);
	}
	assert_true(sample_mode_marker(PERF_RECORD_MISC_KERNEL) == PERF_CONTEXT_KERNEL);
	assert_true(sample_mode_marker(PERF_RECORD_MISC_GUEST_KERNEL) == PERF_CONTEXT_GUEST_KERNEL);
	assert_true(sample_mode_marker(PERF_RECORD_MISC_CPUMODE_UNKNOWN) == PERF_CONTEXT_USER);
	assert_string_equal(sample_marker_name(PERF_CONTEXT_GUEST), "PERF_CONTEXT_GUEST");
	assert_null(sample_marker_name(PERF_CONTEXT_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_frames),	  cmocka_unit_test(all_fields),
		cmocka_unit_test(cut_everywhere), cmocka_unit_test(hostile_words),
		cmocka_unit_test(hostile_counts), cmocka_unit_test(lone_nr_zero),
		cmocka_unit_test(regs_blocks),	  cmocka_unit_test(bases),
		cmocka_unit_test(mxcsr),	  cmocka_unit_test(stacks),
		cmocka_unit_test(reads),	  cmocka_unit_test(some),
		cmocka_unit_test(no_event),	  cmocka_unit_test(script_text),
		cmocka_unit_test(simd_rows),	  cmocka_unit_test(every_word),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
