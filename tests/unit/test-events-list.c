// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: what is wanted, and how an event looks in each form. */
#include "unit.h"

#include "config.h"
#include "no-pmus.h"

#define HARDWARE_EVENTS 10 /* of the kernel: PERF_COUNT_HW_MAX */
#define TREE		"tests/data/dtpmu/power10-pmu.dts"

struct page {
	struct events_listing l;
	struct obuf out;
	char note[256]; /* the last line of the log */
	struct err err;
	int ret;
	unsigned left_out;
};

static void count(void *ctx, const struct event_info *info)
{
	struct page *p = ctx;

	assert_true(info->kind & (EVENT_HARDWARE | EVENT_CACHE));
	p->left_out++;
}

static void note(void *ctx, enum log_level level, const char *text)
{
	struct page *p = ctx;

	if (level == LOG_WARN)
		snprintf(p->note, sizeof(p->note), "%s", text);
}

static void begin(struct page *p, struct pmus *pmus, enum events_form form)
{
	*p = (struct page){ .l = { .pmus = pmus,
				   .form = form,
				   .desc = true,
				   .columns = 60,
				   .left_out = count,
				   .ctx = p,
				   .log = { note, p } } };
	assert_int_equal(obuf_init(&p->out, -1, 0), 0);
}

/* @word NULL: everything. */
static const char *list(struct page *p, const char *word)
{
	char *words[] = { (char *)word, NULL };

	p->out.len = 0;
	p->note[0] = '\0';
	p->err = (struct err){ 0 };
	p->ret = events_list(&p->l, words, word != NULL, &p->out, &p->err);
	obuf_char(&p->out, 0);
	return p->out.buf;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in %s", part, text);
}

static void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in %s", part, text);
}

static void test_classes_and_words(void **state)
{
	const char *text;
	struct page p;

	(void)state;
	begin(&p, none, EVENTS_AS_TEXT);
	text = list(&p, "sw");
	assert_int_equal(p.ret, 0);
	has(text, "  cpu-clock                                          [Software event]\n");
	has(text, "  context-switches OR cs ");
	lacks(text, "rNNN");
	text = list(&p, "clock"); /* anywhere in a name */
	has(text, "cpu-clock");
	has(text, "task-clock");
	lacks(text, "page-faults");
	text = list(&p, "CPU-C*"); /* a glob is the whole name, in any case */
	has(text, "cpu-clock");
	lacks(text, "task-clock");
	text = list(&p, "cs"); /* the other name of an event */
	has(text, "context-switches OR cs ");
	text = list(&p, "pmu");
	has(text, "rNNN ");
	lacks(text, "mem:<addr>");
	text = list(&p, "mem:*");
	has(text, "mem:<addr>[/len][:access]");
	assert_string_equal(p.note, "");
	obuf_free(&p.out);
}

static void test_nothing_found(void **state)
{
	struct page p;

	(void)state;
	begin(&p, none, EVENTS_AS_TEXT);
	list(&p, "no-such-event");
	assert_int_equal(p.ret, 0);
	assert_int_equal(p.out.len, 1);
	assert_string_equal(p.note, "no event matches 'no-such-event'");
	list(&p, "no-such-*");
	assert_string_equal(p.note, "no event matches 'no-such-*'");
	p.l.unit = "cpu_of_the_moon";
	list(&p, NULL);
	assert_int_equal(p.ret, -ENODEV);
	has(p.err.text, "no PMU 'cpu_of_the_moon'");
	obuf_free(&p.out);
}

/* What the kernel does not open is told to who asks, and is not in the list. */
static void test_left_out(void **state)
{
	size_t listed = 0;
	const char *text;
	struct page p;

	(void)state;
	begin(&p, none, EVENTS_AS_TEXT);
	text = list(&p, "hw");
	for (const char *at = text; (at = strstr(at, "[Hardware event]")); at++)
		listed++;
	assert_int_equal(p.left_out + listed, HARDWARE_EVENTS);
	if (!listed)
		has(p.note, "the kernel opens no such events here");
	obuf_free(&p.out);
}

static void test_forms(void **state)
{
	const char *text;
	struct page p;

	(void)state;
	begin(&p, none, EVENTS_AS_JSON);
	text = list(&p, "sw");
	assert_int_equal(text[0], '[');
	has(text, "{\"EventName\":\"context-switches\",\"EventAlias\":\"cs\","
		  "\"EventType\":\"Software event\"");
	assert_string_equal(text + p.out.len - 3, "]\n");
	text = list(&p, "no-such-event");
	assert_string_equal(text, "[]\n");
	obuf_free(&p.out);

	begin(&p, none, EVENTS_AS_NAMES);
	text = list(&p, "sw");
	has(text, "cpu-clock ");
	lacks(text, "[");
	text = list(&p, "mem:*"); /* a pattern is no name */
	assert_string_equal(text, "");
	obuf_free(&p.out);
}

/* Events of a PMU have headings, descriptions broken into lines, and what they stand for. */
static void test_events_of_a_pmu(void **state)
{
	struct pmus *pmus;
	struct err e = { 0 };
	const char *text;
	struct page p;

	(void)state;
	if (!HAVE_LIBFDT)
		skip_because("built without libfdt");
	assert_int_equal(pmus_new(&pmus, "/nonexistent", NULL), 0);
	if (pmus_add_device_tree(pmus, TREE, &e)) {
		pmus_free(pmus);
		if (strstr(e.text, "start dtc"))
			skip_because("dtc is not installed");
		fail_msg("%s", e.text);
	}
	begin(&p, pmus, EVENTS_AS_TEXT);
	text = list(&p, "cpu_dts");
	assert_int_equal(p.ret, 0);
	has(text, "\nbranch:\n");
	has(text, "       [Completed branches.");
	has(text, "Unit: cpu_dts]\n");
	lacks(text, "        cpu_dts/");
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		if (!strncmp(line, "        ", 8))
			assert_true(strcspn(line, "\n") <= 60);
	p.l.desc = false;
	p.l.details = true;
	text = list(&p, "cpu_dts");
	lacks(text, "Unit: cpu_dts");
	has(text, "        cpu_dts/");
	text = list(&p, "branch"); /* a topic counts as a name */
	has(text, "\nbranch:\n");
	obuf_free(&p.out);

	begin(&p, pmus, EVENTS_AS_JSON);
	p.l.unit = "cpu_dts";
	text = list(&p, NULL);
	has(text, "{\"Unit\":\"cpu_dts\",\"Topic\":\"branch\",\"EventName\":");
	has(text, "\"Encoding\":\"cpu_dts/");
	lacks(text, "Software event");
	obuf_free(&p.out);
	pmus_free(pmus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes_and_words), cmocka_unit_test(test_nothing_found),
		cmocka_unit_test(test_left_out),	  cmocka_unit_test(test_forms),
		cmocka_unit_test(test_events_of_a_pmu),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("events: list", tests, setup, teardown);
}
