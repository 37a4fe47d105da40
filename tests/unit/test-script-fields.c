// SPDX-License-Identifier: GPL-2.0-or-later
/* -F: names, classes, editing, and what is refused. Numbers as they are written. */
#include "sample-words.h"
#include "unit.h"

#include "script/put-int.h"
#include "script/script-int.h"

#define F(x) BIT(SF_##x)

static const uint64_t defaults = F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT) | F(IP) | F(SYM) |
				 F(SYMOFF) | F(DSO) | F(PERIOD);

static const struct {
	const char *args[3];
	uint64_t hw, sw, trace; /* wanted fields */
} good[] = {
	{ { NULL },
	  defaults,
	  defaults | F(BPF_OUTPUT),
	  F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT) | F(TRACE) },
	{ { "ip,brstack" }, F(IP) | F(BRSTACK), F(IP) | F(BRSTACK), F(IP) | F(BRSTACK) },
	{ { "+pid" },
	  defaults | F(PID),
	  defaults | F(PID) | F(BPF_OUTPUT),
	  F(COMM) | F(PID) | F(TID) | F(CPU) | F(TIME) | F(EVENT) | F(TRACE) },
	{ { "-sym,-symoff,+srcline" },
	  (defaults & ~(F(SYM) | F(SYMOFF))) | F(SRCLINE),
	  (defaults & ~(F(SYM) | F(SYMOFF))) | F(SRCLINE) | F(BPF_OUTPUT),
	  F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT) | F(TRACE) | F(SRCLINE) },
	{ { "hw:ip", "trace:event,trace" }, F(IP), defaults | F(BPF_OUTPUT), F(EVENT) | F(TRACE) },
	{ { "hw:+addr" },
	  defaults | F(ADDR),
	  defaults | F(BPF_OUTPUT),
	  F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT) | F(TRACE) },
	{ { "ip,sym", "time" }, F(TIME), F(TIME), F(TIME) },
	{ { "comm,,ip," }, F(COMM) | F(IP), F(COMM) | F(IP), F(COMM) | F(IP) },
	{ { "trace,ip" }, F(IP), F(IP), F(IP) | F(TRACE) },
	{ { "sw:" }, defaults, 0, F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT) | F(TRACE) },
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct script_fields f;
		struct err e = { 0 };

		script_fields_init(&f);
		for (int a = 0; a < 3 && good[i].args[a]; a++)
			assert_int_equal(script_fields_parse(&f, good[i].args[a], &e), 0);
		assert_int_equal(f.cls[SC_HARDWARE].fields, good[i].hw);
		assert_int_equal(f.cls[SC_SOFTWARE].fields, good[i].sw);
		assert_int_equal(f.cls[SC_TRACEPOINT].fields, good[i].trace);
	}
}

static void keep(void *ctx, enum log_level level, const char *text)
{
	char *told = ctx;
	size_t n = strlen(told);

	assert_int_equal(level, LOG_WARN);
	snprintf(told + n, 512 - n, "%s\n", text);
}

/* What a list asks for in vain is told, and does nothing. */
static void test_told(void **state)
{
	char told[512] = "";
	struct script_fields f;
	struct err e = { 0 };

	(void)state;
	script_fields_init(&f);
	f.log = (struct log_sink){ keep, told };
	assert_int_equal(script_fields_parse(&f, "trace,ip", &e), 0);
	assert_non_null(strstr(told, "'trace' not valid for hardware events. Ignoring.\n"));
	told[0] = 0;
	assert_int_equal(script_fields_parse(&f, "sw:ip", &e), 0);
	assert_string_equal(told, "Overriding previous field request for software events.\n");
}

static const struct {
	const char *arg, *text;
} bad[] = {
	{ "bogus", "Invalid field requested." },
	{ "ip,bogus", "Invalid field requested." },
	{ "+bogus", "Invalid field requested." },
	{ "ip,+sym", "Cannot mix +-field with overridden fields" },
	{ "+sym,ip", "Cannot mix +-field with overridden fields" },
	{ "-sym,ip", "Cannot mix +-field with overridden fields" },
	{ "", "Cannot set fields to 'none' for all event types." },
	{ "foo:ip", "Invalid event type in field string." },
	{ "hw:trace", "'trace' not valid for hardware events." },
	{ "sw:trace", "'trace' not valid for software events." },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct script_fields f;
		struct err e = { 0 };

		script_fields_init(&f);
		assert_int_equal(script_fields_parse(&f, bad[i].arg, &e), -EINVAL);
		assert_string_equal(e.text, bad[i].text);
	}
}

/* Every name of upstream's -F is one of ours; simd and transaction are ours alone. */
static void test_names(void **state)
{
	static const char names[] =
		"comm tid pid time cpu event trace ip sym dso dsoff addr symoff srcline period "
		"iregs uregs brstack brstacksym brstackoff brstackinsn brstackinsnlen "
		"brstackdisasm brcntr data_src weight bpf-output callindent insn disasm insnlen "
		"simd marks synth phys_addr metric misc srccode ipc tod data_page_size code_page_size ins_lat "
		"retire_lat machine_pid vcpu cgroup flags transaction";
	char copy[sizeof(names)], *save = NULL;
	size_t n = 0;

	(void)state;
	memcpy(copy, names, sizeof(names));
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save), n++) {
		struct script_fields f;
		struct err e = { 0 };

		script_fields_init(&f);
		assert_int_equal(script_fields_parse(&f, w, &e), 0);
	}
	assert_int_equal(n, SF_MAX);
}

static const uint64_t values[] = {
	0,	    1,		9,	     10,
	15,	    16,		99,	     100,
	255,	    256,	0xabcdef,    0xffffffff,
	1ull << 32, 123456789,	0x55555555f, 0xffffffff81234567,
	UINT64_MAX, 1ull << 63,
};

static void test_numbers(void **state)
{
	char got[64], want[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		unsigned long long v = values[i];

		*put_hex(got, v) = 0;
		snprintf(want, sizeof(want), "%llx", v);
		assert_string_equal(got, want);
		*put_hex16(got, v) = 0;
		snprintf(want, sizeof(want), "%16llx", v);
		assert_string_equal(got, want);
		*put_dec(got, v) = 0;
		snprintf(want, sizeof(want), "%llu", v);
		assert_string_equal(got, want);
		*put_dec_right(got, v, 10) = 0;
		snprintf(want, sizeof(want), "%10llu", v);
		assert_string_equal(got, want);
	}
}

/* ---- the table --------------------------------------------------------------------------------- */

static void every_field_has_a_row(void **state)
{
	uint64_t asked = 0;
	unsigned nr_asked = 0;

	(void)state;
	for (size_t i = 0; i < SF_MAX; i++) {
		const struct field_row *row = &script_field_rows[i];

		if (!row->name)
			fail_msg("row %zu has no name", i);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(row->name, script_field_rows[j].name);
		if (!!row->print + !!row->within + row->silent != 1)
			fail_msg("%s: how is it printed?", row->name);
		for (size_t j = 0; j < SF_MAX; j++)
			if (row->within >> j & 1 && !script_field_rows[j].print)
				fail_msg("%s: within %s, which does not print", row->name,
					 script_field_rows[j].name);
		if (!row->what != !row->asked || (row->what && !row->need))
			fail_msg("%s: what is asked of its events?", row->name);
		if ((row->defaults & row->invalid) || (row->if_recorded && !row->need))
			fail_msg("%s contradicts itself", row->name);
		asked |= BIT(row->asked);
		nr_asked += row->asked != 0;
	}
	/* 1 to nr_asked, and 0 for the others: none twice */
	assert_int_equal(asked, BIT(nr_asked + 1) - 1);
	assert_null(script_field_name(SF_MAX));
}

/* A word that samples can hold can be seen: as text and as JSON. */
static void every_word_has_a_field(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sample_words); i++) {
		const struct field_row *row = NULL;

		for (size_t j = 0; j < SF_MAX; j++)
			if (script_field_rows[j].need == sample_words[i].bit)
				row = &script_field_rows[j];
		if (!row || strcmp(row->name, sample_words[i].name))
			fail_msg("no field %s", sample_words[i].name);
		assert_non_null(row->json);
	}
}

#define PART_CASE(bit, listed, name) { PERF_SAMPLE_##bit, #bit },

/* So can parts, but for what is there to be worked with: counts, chains and copies of the stack. */
static void every_part_has_a_field(void **state)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} parts[] = { ATTR_SAMPLE_FIELDS(ATTR_NO_HEAD, PART_CASE, ATTR_NO_WORD) };
	uint64_t all =
		PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_AUX;

	(void)state;
	for (size_t i = 0; i < SF_MAX; i++)
		all |= script_field_rows[i].need;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (!(all & parts[i].bit))
			fail_msg("no field needs %s", parts[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(every_field_has_a_row),
		cmocka_unit_test(every_word_has_a_field),
		cmocka_unit_test(every_part_has_a_field),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
