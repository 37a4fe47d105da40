// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptions, codes and answers of dtpmu as text and JSON. */
#include "unit.h"

#include "config.h"
#include "dtpmu/dtpmu.h"
#include "emit/emit.h"

#define TREE "tests/data/dtpmu/power10-pmu.dts"

struct page {
	struct dtpmu_list *l;
	const struct dtpmu *pmu;
	struct obuf out;
	struct emit e;
	struct dtpmu_checks checks;
};

static void begin(struct page *p, enum emit_format format)
{
	struct err err = { 0 };

	*p = (struct page){ 0 };
	if (!HAVE_LIBFDT)
		skip_because("built without libfdt");
	if (dtpmu_load(&p->l, TREE, 0, &err) == -ENOENT && strstr(err.text, "start dtc"))
		skip_because("dtc is not installed");
	if (!p->l)
		fail_msg("%s", err.text);
	p->pmu = p->l->pmu[0];
	assert_int_equal(obuf_init(&p->out, -1, 0), 0);
	emit_init(&p->e, &p->out, format);
	p->checks = (struct dtpmu_checks){ .pmu = p->pmu, .out = &p->e };
}

static const char *text(struct page *p)
{
	obuf_char(&p->out, 0);
	assert_int_equal(p->out.code, 0);
	return p->out.buf;
}

static void end(struct page *p)
{
	obuf_free(&p->out);
	dtpmu_free(p->l);
}

static void test_code(void **state)
{
	struct dtpmu_want w = { .config = 0x1e };
	struct err err = { 0 };
	struct page p;

	(void)state;
	begin(&p, EMIT_JSON);
	emit_array(&p.e, NULL);
	assert_int_equal(dtpmu_print_code(p.pmu, &w, 0, &p.e, &err), 0);
	assert_int_equal(dtpmu_print_code(p.pmu, &w, DTPMU_PRINT_CONFIG1, &p.e, &err), 0);
	emit_end(&p.e);
	text(&p);
	assert_non_null(strstr(p.out.buf, "{\"config\":\"0x1e\",\"event\":"));
	assert_non_null(strstr(p.out.buf, "\"config1\":\"0x0\""));
	/* fields that are 0 are left out unless they are asked for */
	assert_non_null(strstr(p.out.buf, "\"pmcxsel\":\"0x1e\""));
	assert_null(strstr(p.out.buf, "\"mark\":"));
	p.out.len = 0;
	emit_init(&p.e, &p.out, EMIT_JSON);
	assert_int_equal(dtpmu_print_code(p.pmu, &w, DTPMU_PRINT_ZEROS, &p.e, &err), 0);
	assert_non_null(strstr(text(&p), "\"mark\":\"0x0\""));
	end(&p);
}

static void test_event(void **state)
{
	struct err err = { 0 };
	struct page p;

	(void)state;
	begin(&p, EMIT_JSON);
	assert_int_equal(dtpmu_print_event(p.pmu, "pmcxsel=0x1e,pmc=1", &p.e, &err), 0);
	assert_non_null(strstr(text(&p), "\"config\":\"0x1001e\""));
	assert_true(dtpmu_print_event(p.pmu, "no_such_term=1", &p.e, &err) < 0);
	assert_non_null(strstr(err.text, "no_such_term"));
	end(&p);
}

/* One group alone: a name that does not exist is an error, a refusal an answer. */
static void test_one_group(void **state)
{
	char *good[] = { (char *)"0x1001e" }, *bad[] = { (char *)"0x1001e", (char *)"nonsense" };
	char *clash[] = { (char *)"0x1001e", (char *)"0x100f2" }; /* both on PMC1 */
	/* on any of four counters: the fifth goes with each of the others, but not with all */
	char *crowd[] = { (char *)"0xf0", (char *)"0xf2", (char *)"0xf4", (char *)"0xf6",
			  (char *)"0xf8" };
	struct err err = { 0 };
	struct page p;

	(void)state;
	begin(&p, EMIT_JSON);
	emit_array(&p.e, NULL);
	emit_object(&p.e, NULL);
	assert_int_equal(dtpmu_print_check(&p.checks, good, 1, &err), 0);
	emit_end(&p.e);
	assert_int_equal(p.checks.refused, 0);
	emit_object(&p.e, NULL);
	assert_int_equal(dtpmu_print_check(&p.checks, clash, 2, &err), 0);
	emit_end(&p.e);
	assert_int_equal(p.checks.refused, 1);
	emit_object(&p.e, NULL);
	assert_true(dtpmu_print_check(&p.checks, bad, 2, &err) < 0);
	assert_non_null(strstr(err.text, "event 2, 'nonsense'"));
	assert_true(dtpmu_print_check(&p.checks, good, 0, &err) < 0);
	emit_object(&p.e, NULL);
	assert_int_equal(dtpmu_print_check(&p.checks, crowd, ARRAY_SIZE(crowd), &err), 0);
	text(&p);
	assert_non_null(strstr(p.out.buf, "\"clashing event\":5,\"clashing bits\":"));
	assert_non_null(strstr(p.out.buf, "\"verdict\":\"ok\""));
	assert_non_null(strstr(p.out.buf, "\"clashing event\":2,\"with event\":1"));
	end(&p);
}

/* Many: an event that does not exist is the answer of its group, the next ones are answered too. */
static void test_many_groups(void **state)
{
	char groups[] = "# a comment\n"
			"0x1001e\n"
			"\n"
			"  {0x1001e,nonsense}  # neither\n"
			"0x1001e 0x100f2";
	struct err err = { 0 };
	struct page p;

	(void)state;
	begin(&p, EMIT_JSON);
	emit_array(&p.e, NULL);
	assert_int_equal(dtpmu_print_groups(&p.checks, groups, "FILE", &err), 0);
	emit_end(&p.e);
	assert_int_equal(p.checks.groups, 3);
	assert_int_equal(p.checks.refused, 2);
	assert_int_equal(err.code, 0);
	text(&p);
	assert_non_null(strstr(p.out.buf, "\"line\":2,\"verdict\":\"ok\""));
	assert_non_null(strstr(p.out.buf, "\"line\":4,\"verdict\":\"invalid event\""));
	assert_non_null(strstr(p.out.buf, "\"line\":5,\"verdict\":\"conflict\""));
	end(&p);
}

static void test_no_groups(void **state)
{
	char groups[] = "# nothing\n\n";
	struct err err = { 0 };
	struct page p;

	(void)state;
	begin(&p, EMIT_TEXT);
	assert_int_equal(dtpmu_print_groups(&p.checks, groups, "some.txt", &err), -ENODATA);
	assert_non_null(strstr(err.text, "some.txt has no groups"));
	end(&p);
}

/* More names than a group may have, and a name between slashes that has commas. */
static void test_names_of_a_group(void **state)
{
	char slashes[128], many[DTPMU_MAX_GROUP * 8 + 16] = "";
	struct err err = { 0 };
	struct page p;

	(void)state;
	begin(&p, EMIT_JSON);
	emit_array(&p.e, NULL);
	snprintf(slashes, sizeof(slashes), "{%s/pmcxsel=0x1e,pmc=1/,0x200f4}", p.pmu->name);
	assert_int_equal(dtpmu_print_group(&p.checks, slashes, 0, &err), 0);
	for (int i = 0; i <= DTPMU_MAX_GROUP; i++)
		strcat(many, "0x1e ");
	assert_int_equal(dtpmu_print_group(&p.checks, many, 0, &err), 0);
	emit_end(&p.e);
	text(&p);
	assert_non_null(strstr(p.out.buf, "\"verdict\":\"ok\""));
	assert_non_null(strstr(p.out.buf, "the limit is "));
	assert_int_equal(p.checks.refused, 1);
	end(&p);
}

static void test_description(void **state)
{
	struct err err = { 0 };
	size_t faults = 0, with;
	struct page p;

	(void)state;
	begin(&p, EMIT_JSON);
	emit_object(&p.e, NULL);
	assert_int_equal(dtpmu_print(p.pmu, true, &p.e, &err), 0);
	emit_end(&p.e);
	with = p.out.len;
	text(&p);
	for (const char *const *part =
		     (const char *const[]){ "\"registers\":[", "\"fields\":[", "\"constraints\":[",
					    "\"codes\":[", "\"events\":[", NULL };
	     *part; part++)
		assert_non_null(strstr(p.out.buf, *part));
	p.out.len = 0;
	emit_init(&p.e, &p.out, EMIT_JSON);
	emit_object(&p.e, NULL);
	assert_int_equal(dtpmu_print(p.pmu, false, &p.e, &err), 0);
	emit_end(&p.e);
	assert_true(p.out.len < with);
	p.out.len = 0;
	emit_init(&p.e, &p.out, EMIT_JSON);
	emit_object(&p.e, NULL);
	assert_int_equal(dtpmu_lint(p.l, &err), 0);
	assert_int_equal(dtpmu_print_findings(p.pmu, true, &p.e, &faults, &err), 0);
	emit_end(&p.e);
	assert_non_null(strstr(text(&p), "\"faults\":"));
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),	    cmocka_unit_test(test_event),
		cmocka_unit_test(test_one_group),   cmocka_unit_test(test_many_groups),
		cmocka_unit_test(test_no_groups),   cmocka_unit_test(test_names_of_a_group),
		cmocka_unit_test(test_description),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("dtpmu print", tests, NULL, NULL);
}
