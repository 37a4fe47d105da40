// SPDX-License-Identifier: GPL-2.0-or-later
/* attrs as bytes: every size, both byte orders; as text; names. */
#include "attr/attr-int.h"
#include "perfdata-build.h"

static struct build f;

/* Every field its own value, by offset. */
static void fill(struct perf_event_attr *a)
{
	memset(a, 0, sizeof(*a));
	a->type = 0x01020304;
	a->config = 0x1122334455667788;
	a->sample_period = 4000;
	a->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	a->read_format = PERF_FORMAT_ID;
	a->flags = ATTR_FLAG_DISABLED | 2ULL << ATTR_FLAG_PRECISE_SHIFT | ATTR_FLAG_MMAP2 |
		   ATTR_FLAG_SIGTRAP | ATTR_FLAG_DEFER_OUTPUT;
	a->wakeup_events = 5;
	a->bp_type = 6;
	a->config1 = 0x0102030405060708;
	a->config2 = 8;
	a->branch_sample_type = 9;
	a->sample_regs_user = 10;
	a->sample_stack_user = 11;
	a->clockid = -12;
	a->sample_regs_intr = 13;
	a->aux_watermark = 14;
	a->sample_max_stack = 15;
	a->reserved_2 = 16;
	a->aux_sample_size = 17;
	a->aux_action = 18;
	a->sig_data = 19;
	a->config3 = 20;
	a->config4 = 21;
	a->sample_simd_regs_enabled = 1;
	a->sample_simd_pred_reg_qwords = 22;
	a->sample_simd_vec_reg_qwords = 23;
	a->sample_simd_pred_reg_intr = 24;
	a->sample_simd_pred_reg_user = 25;
	a->sample_simd_vec_reg_intr = 26;
	a->sample_simd_vec_reg_user = 27;
}

/* The bytes as somebody of either byte order writes them, without using attr_store(). */
static void write_fields(bool big, const struct perf_event_attr *a)
{
	f.n = 0;
	f.big = big;
	P32(&f, a->type);
	P32(&f, a->size);
	P64(&f, a->config);
	P64(&f, a->sample_period);
	P64(&f, a->sample_type);
	P64(&f, a->read_format);
	put_flags(&f, a->flags);
	P32(&f, a->wakeup_events);
	P32(&f, a->bp_type);
	P64(&f, a->config1);
	P64(&f, a->config2);
	P64(&f, a->branch_sample_type);
	P64(&f, a->sample_regs_user);
	P32(&f, a->sample_stack_user);
	P32(&f, (uint32_t)a->clockid);
	P64(&f, a->sample_regs_intr);
	P32(&f, a->aux_watermark);
	P16(&f, a->sample_max_stack);
	P16(&f, a->reserved_2);
	P32(&f, a->aux_sample_size);
	P32(&f, a->aux_action);
	P64(&f, a->sig_data);
	P64(&f, a->config3);
	P64(&f, a->config4);
	P16(&f, a->sample_simd_regs_enabled);
	P16(&f, a->sample_simd_pred_reg_qwords);
	P16(&f, a->sample_simd_vec_reg_qwords);
	P16(&f, a->reserved_4);
	P32(&f, a->sample_simd_pred_reg_intr);
	P32(&f, a->sample_simd_pred_reg_user);
	P64(&f, a->sample_simd_vec_reg_intr);
	P64(&f, a->sample_simd_vec_reg_user);
	assert_int_equal(f.n, 176);
}

static void every_size_and_order(void **state)
{
	struct perf_event_attr full, want, got;

	(void)state;
	fill(&full);
	for (int big = 0; big < 2; big++) {
		for (uint32_t size = 64; size <= 176; size += 8) {
			want = full;
			want.size = size;
			write_fields(big, &want);
			memset((char *)&want + size, 0, sizeof(want) - size);
			assert_int_equal(
				attr_load(&got, f.b, size, big != host_is_big_endian(), NULL), 0);
			assert_memory_equal(&got, &want, sizeof(got));
			/* more bytes than the attr says it has do not belong to it */
			assert_int_equal(
				attr_load(&got, f.b, 176, big != host_is_big_endian(), NULL), 0);
			assert_memory_equal(&got, &want, sizeof(got));
		}
	}
}

/* Bit 0 of one order is bit 63 of the other, but for the two bits of one number. */
static void flags_of_the_other_order(void **state)
{
	static const uint64_t pairs[][2] = {
		{ ATTR_FLAG_DISABLED, 1ULL << 63 },
		{ ATTR_FLAG_TEXT_POKE, 1ULL << 30 },
		{ 1ULL << ATTR_FLAG_PRECISE_SHIFT, 1ULL << 47 },
		{ 2ULL << ATTR_FLAG_PRECISE_SHIFT, 2ULL << 47 },
		{ 3ULL << ATTR_FLAG_PRECISE_SHIFT, 3ULL << 47 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		assert_int_equal(attr_flags_mirror(pairs[i][0]), pairs[i][1]);
		assert_int_equal(attr_flags_mirror(pairs[i][1]), pairs[i][0]);
	}
}

static void sizes_refused(void **state)
{
	struct perf_event_attr a;
	struct err e = { 0 };
	unsigned char buf[256] = { 0 };

	(void)state;
	for (size_t n = 0; n < 64; n++)
		assert_int_equal(attr_load(&a, buf, n, false, &e), -EINVAL);
	/* size 0 means 64 */
	assert_int_equal(attr_load(&a, buf, 64, false, &e), 0);
	assert_int_equal(a.size, 64);
	store_u32(buf + 4, 63);
	assert_int_equal(attr_load(&a, buf, 256, false, &e), -EINVAL);
	store_u32(buf + 4, 200);
	assert_int_equal(attr_load(&a, buf, 199, false, &e), -EINVAL);
	/* larger than ours: only with a zero tail */
	assert_int_equal(attr_load(&a, buf, 256, false, &e), 0);
	assert_int_equal(a.size, 200);
	buf[199] = 1;
	assert_int_equal(attr_load(&a, buf, 256, false, &e), -E2BIG);
	assert_non_null(strstr(e.text, "200 bytes"));
	buf[199] = 0;
	buf[200] = 1; /* behind the attr */
	assert_int_equal(attr_load(&a, buf, 256, false, &e), 0);
}

static void smallest_size(void **state)
{
	static const struct {
		size_t offset;
		uint32_t size;
	} rows[] = {
		{ 0, 64 },    { 63, 64 },   { 64, 72 },	  { 71, 72 },	{ 72, 80 },
		{ 80, 96 },   { 95, 96 },   { 96, 104 },  { 104, 112 }, { 112, 120 },
		{ 120, 128 }, { 128, 136 }, { 136, 144 }, { 144, 176 }, { 175, 176 },
	};
	struct perf_event_attr a, back;
	unsigned char buf[176];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		memset(&a, 0, sizeof(a));
		((unsigned char *)&a)[rows[i].offset] = 1;
		assert_int_equal(attr_min_size(&a), rows[i].size);
		a.size = attr_min_size(&a);
		attr_store(&a, buf);
		assert_int_equal(attr_load(&back, buf, a.size, false, NULL), 0);
		assert_memory_equal(&a, &back, sizeof(a));
	}
}

static void check_text(const struct perf_event_attr *a, const char *want)
{
	struct obuf o;

	assert_int_equal(obuf_init(&o, -1, 0), 0);
	attr_print(a, &o);
	obuf_char(&o, 0);
	assert_string_equal(o.buf, want);
	obuf_free(&o);
}

static void text(void **state)
{
	struct perf_event_attr a;

	(void)state;
	fill(&a);
	a.type = PERF_TYPE_BREAKPOINT;
	a.size = 176;
	a.config = 0;
	check_text(&a,
		   "type: 5 (PERF_TYPE_BREAKPOINT), size: 176, config: 0, "
		   "{ sample_period, sample_freq }: 4000, sample_type: IP|TIME, read_format: ID, "
		   "disabled: 1, precise_ip: 2, mmap2: 1, sigtrap: 1, defer_output: 1, "
		   "{ wakeup_events, wakeup_watermark }: 5, bp_type: 6, "
		   "{ bp_addr, config1 }: 0x102030405060708, { bp_len, config2 }: 0x8, "
		   "branch_sample_type: USER|ANY, sample_regs_user: 0xa, sample_stack_user: 11, "
		   "clockid: -12, sample_regs_intr: 0xd, aux_watermark: 14, sample_max_stack: 15, "
		   "aux_sample_size: 17, aux_action: 18, aux_pause: 1, sig_data: 19, "
		   "config3: 0x14, config4: 0x15, sample_simd_regs_enabled: 1, "
		   "sample_simd_pred_reg_qwords: 22, sample_simd_pred_reg_intr: 0x18, "
		   "sample_simd_pred_reg_user: 0x19, sample_simd_vec_reg_qwords: 23, "
		   "sample_simd_vec_reg_intr: 0x1a, sample_simd_vec_reg_user: 0x1b");
	memset(&a, 0, sizeof(a));
	a.size = 64;
	a.sample_type = (1 << 25) - 1;
	check_text(&a, "type: 0 (PERF_TYPE_HARDWARE), size: 64, "
		       "config: 0 (PERF_COUNT_HW_CPU_CYCLES), sample_type: "
		       "IP|TID|TIME|ADDR|READ|CALLCHAIN|ID|CPU|PERIOD|STREAM_ID|RAW|BRANCH_STACK|"
		       "REGS_USER|STACK_USER|IDENTIFIER|REGS_INTR|DATA_SRC|WEIGHT|PHYS_ADDR|AUX|"
		       "CGROUP|DATA_PAGE_SIZE|CODE_PAGE_SIZE|WEIGHT_STRUCT");
	a.type = 99;
	a.config = 0x1234;
	a.sample_type = 0;
	check_text(&a, "type: 99, size: 64, config: 0x1234");
}

static void names(void **state)
{
	static const struct {
		uint32_t type;
		uint64_t config, flags;
		const char *name;
	} rows[] = {
		{ 0, 0, 0, "cycles" },
		{ 0, 4, 0, "branches" },
		{ 0, 99, 0, "unknown-hardware" },
		{ 0, 0xa00000001, 0, "instructions" },
		{ 0, 0, ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV, "cycles:u" },
		{ 0, 0, ATTR_FLAG_EXCLUDE_USER, "cycles:kh" },
		{ 0, 0, ATTR_FLAG_EXCLUDE_GUEST, "cycles:H" },
		{ 0, 0, 3ULL << ATTR_FLAG_PRECISE_SHIFT, "cycles:ppp" },
		{ 0, 0,
		  ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV | ATTR_FLAG_EXCLUDE_GUEST |
			  1ULL << ATTR_FLAG_PRECISE_SHIFT,
		  "cycles:upH" },
		{ 1, 9, 0, "dummy" },
		{ 1, 2, 0, "page-faults" },
		{ 1, 1234, 0, "unknown-software" },
		{ 2, 5, 0, "unknown tracepoint" },
		{ 3, 0x10000, 0, "L1-dcache-load-misses" },
		{ 3, 0x00102, 0, "LLC-stores" },
		{ 3, 0x00203, 0, "dTLB-prefetches" },
		{ 3, 0x00209, 0, "invalid-cache" },
		{ 4, 0x1c4, 0, "raw 0x1c4" },
		{ 17, 0, 0, "unknown attr type: 17" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr a = { .type = rows[i].type,
					     .config = rows[i].config,
					     .flags = rows[i].flags };
		char buf[128];

		attr_name(&a, buf, sizeof(buf));
		assert_string_equal(buf, rows[i].name);
	}
}

/* ---- the tables --------------------------------------------------------------------------------- */

/* A member that nobody wrote a row for, or two, or with a wrong width or age. */
static void every_byte_has_a_row(void **state)
{
	static const uint16_t published[] = {
		0,
		PERF_ATTR_SIZE_VER0,
		PERF_ATTR_SIZE_VER1,
		PERF_ATTR_SIZE_VER2,
		PERF_ATTR_SIZE_VER3,
		PERF_ATTR_SIZE_VER4,
		PERF_ATTR_SIZE_VER5,
		PERF_ATTR_SIZE_VER6,
		PERF_ATTR_SIZE_VER7,
		PERF_ATTR_SIZE_VER8,
		PERF_ATTR_SIZE_VER9,
		PERF_ATTR_SIZE_VER10,
	};
	unsigned char covered[sizeof(struct perf_event_attr)] = { 0 };

	(void)state;
	for (size_t i = 0; i < attr_nr_fields; i++) {
		const struct attr_field *f = &attr_fields[i];
		size_t version = 1;

		for (size_t at = 0; at < f->size; at++)
			covered[f->offset + at]++;
		while (version < ARRAY_SIZE(published) && published[version] != f->since)
			version++;
		if (version == ARRAY_SIZE(published) || f->offset < published[version - 1] ||
		    f->offset + f->size > f->since)
			fail_msg("%s: at %u, since size %u", f->name, f->offset, f->since);
	}
	for (size_t i = 0; i < sizeof(covered); i++)
		if (covered[i] != 1)
			fail_msg("byte %zu of perf_event_attr is in %u rows", i, covered[i]);
}

/* What is in no text is named as a hole. */
static void every_member_has_a_text(void **state)
{
	struct perf_event_attr a;
	struct obuf o;

	(void)state;
	memset(&a, 0xff, sizeof(a));
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	attr_print(&a, &o);
	obuf_char(&o, 0);
	for (size_t i = 0; i < attr_nr_fields; i++) {
		const struct attr_field *f = &attr_fields[i];

		if (f->text == TEXT_HOLE)
			assert_int_equal(strncmp(f->name, "reserved_", 9), 0);
		else if (f->text != TEXT_FLAGS && !strstr(o.buf, f->name))
			fail_msg("%s is not in: %s", f->name, o.buf);
	}
	for (size_t i = 0; i < attr_nr_flags; i++)
		if (!strstr(o.buf, attr_flags[i].name))
			fail_msg("%s is not in: %s", attr_flags[i].name, o.buf);
	obuf_free(&o);
}

static void every_flag_has_a_row(void **state)
{
	uint64_t all = 0;

	(void)state;
	for (size_t i = 0; i < attr_nr_flags; i++) {
		uint64_t bits = (BIT(attr_flags[i].width) - 1) << attr_flags[i].shift;

		assert_int_equal(all & bits, 0);
		all |= bits;
		assert_string_equal(attr_flag_name(attr_flags[i].shift), attr_flags[i].name);
	}
	/* defer_output is the last one in uapi/perf_event.h */
	assert_int_equal(all, (ATTR_FLAG_DEFER_OUTPUT << 1) - 1);
	assert_null(attr_flag_name(ATTR_FLAG_PRECISE_SHIFT + 1));
	assert_null(attr_flag_name(63));
}

/* That each bit has a row is a static assertion; here, that each has its place in the text. */
static void every_sample_bit_is_listed(void **state)
{
	uint64_t listed = 0;

	(void)state;
	for (size_t i = 0; i < attr_nr_sample_listed; i++) {
		if (!attr_sample_listed[i].bit)
			fail_msg("nothing at place %zu of evlist -v", i);
		listed |= attr_sample_listed[i].bit;
	}
	for (uint64_t bit = 1; bit < PERF_SAMPLE_MAX; bit <<= 1)
		if (!(listed & bit) || !attr_sample_name(bit))
			fail_msg("sample_type bit %d", __builtin_ctzll(bit));
	assert_string_equal(attr_sample_name(PERF_SAMPLE_CODE_PAGE_SIZE), "CODE_PAGE_SIZE");
	assert_null(attr_sample_name(PERF_SAMPLE_MAX));
	assert_null(attr_sample_name(0));
	assert_int_equal(attr_nr_read_formats, __builtin_ctz(PERF_FORMAT_MAX));
}

/* ---- places -------------------------------------------------------------------------------------- */

/* Every set of trailer fields, as the reader of records finds them again. */
static void trailers(void **state)
{
	static const uint64_t bits[] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					 PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
					 PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };
	const struct attr_trailer t = { .pid = 1, .tid = 2, .cpu = 3, .time = 4, .id = 5 };

	(void)state;
	for (unsigned set = 0; set < 1 << ARRAY_SIZE(bits); set++) {
		struct perfdata_event ev = { .attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW };
		unsigned char buf[8 + 8 * ATTR_TRAILER_MAX + 1] = { 0 };
		struct record_id id;
		size_t n;

		for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
			ev.attr.sample_type |= set >> i & 1 ? bits[i] : 0;
		assert_int_equal(attr_trailer_put(&ev.attr, &t, buf + 8), 0);
		ev.attr.flags = ATTR_FLAG_SAMPLE_ID_ALL;
		buf[sizeof(buf) - 1] = 0x5a;
		n = attr_trailer_put(&ev.attr, &t, buf + 8);
		assert_int_equal(n, 8 * __builtin_popcount(set));
		assert_int_equal(n, attr_trailer_size(&ev.attr));
		assert_int_equal(buf[sizeof(buf) - 1], 0x5a);
		record_sample_id(&(struct record){ .data = buf,
						   .size = (uint32_t)(8 + n),
						   .type = PERF_RECORD_LOST,
						   .event = &ev },
				 &id);
		for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
			assert_int_equal(!!(id.present & bits[i]), set >> i & 1);
		assert_int_equal(id.pid, set & 1 ? 1 : 0);
		assert_int_equal(id.tid, set & 1 ? 2 : 0);
		assert_int_equal(id.time, set & 2 ? 4 : 0);
		assert_int_equal(id.id, set & 36 ? 5 : 0);
		assert_int_equal(id.stream_id, set & 8 ? 5 : 0);
		assert_int_equal(id.cpu, set & 16 ? 3 : 0);
	}
}

static void heads(void **state)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TIME |
			PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;

	(void)state;
	assert_int_equal(attr_head_offset(type, PERF_SAMPLE_IDENTIFIER), 0);
	assert_int_equal(attr_head_offset(type, PERF_SAMPLE_IP), 8);
	assert_int_equal(attr_head_offset(type, PERF_SAMPLE_TIME), 16);
	assert_int_equal(attr_head_offset(type, PERF_SAMPLE_CPU), 24);
	assert_int_equal(attr_head_offset(type, PERF_SAMPLE_PERIOD), 32);
	assert_int_equal(attr_head_offset(type | PERF_SAMPLE_TID, PERF_SAMPLE_TIME), 24);
	assert_int_equal(attr_head_offset(type | PERF_SAMPLE_ADDR, PERF_SAMPLE_TIME), 16);
	assert_int_equal(attr_head_offset(0, PERF_SAMPLE_IP), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size_and_order),
		cmocka_unit_test(flags_of_the_other_order),
		cmocka_unit_test(sizes_refused),
		cmocka_unit_test(smallest_size),
		cmocka_unit_test(text),
		cmocka_unit_test(names),
		cmocka_unit_test(every_byte_has_a_row),
		cmocka_unit_test(every_member_has_a_text),
		cmocka_unit_test(every_flag_has_a_row),
		cmocka_unit_test(every_sample_bit_is_listed),
		cmocka_unit_test(trailers),
		cmocka_unit_test(heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
