// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats of tracepoints, made here in both byte orders: names, ids, places of fields; and the same
 * bytes cut off everywhere, of which only whole formats may be there.
 */
#include "config.h"
#include "trace/trace.h"
#include "unit.h"

#define FTRACE_ID 1
#define SWITCH_ID 316
#define WAKEUP_ID 78187493530 /* wider than 32 bits */

static const char ftrace_text[] = "name: function\nID: 1\nformat:\n"
				  "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n";

static const char switch_text[] =
	"name: sched_switch\n"
	"ID: 316\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:char next_name[4];\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] file;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:const char *where;\toffset:99999999999;\tsize:8;\tsigned:0;\n"
	"\tfield:long nowhere;\tsigned:1;\n"
	"\tfield:this line ends too early\n"
	"\n"
	"print fmt: \"field:pid_t next_pid;\toffset:56;\tsize:4;\"\n";

/* The last line has no end, and its field no second semicolon. */
static const char wakeup_text[] = "ID: 78187493530\nname: sched_wakeup\n"
				  "\tfield:pid_t pid;\toffset:24;\tsize:4";

struct made {
	struct obuf o;
	bool big;
};

static void put(struct made *m, uint64_t v, int size)
{
	for (int i = 0; i < size; i++)
		obuf_char(&m->o, (char)(v >> 8 * (m->big ? size - 1 - i : i)));
}

static void put_format(struct made *m, const char *text)
{
	put(m, strlen(text), 8);
	obuf_str(&m->o, text);
}

static void make(struct made *m, bool big)
{
	static const char *const pages[] = { "header_page", "header_event" };

	*m = (struct made){ .big = big };
	assert_int_equal(obuf_init(&m->o, -1, 0), 0);
	obuf_mem(&m->o, "\x17\x08\x44tracing0.6", 14);
	put(m, big, 1);
	put(m, 8, 1);
	put(m, 4096, 4);
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		obuf_mem(&m->o, pages[i], strlen(pages[i]) + 1);
		put_format(m, "\tfield: u64 timestamp;\n");
	}
	put(m, 1, 4);
	put_format(m, ftrace_text);
	put(m, 2, 4);
	obuf_mem(&m->o, "sched", 6);
	put(m, 2, 4);
	put_format(m, switch_text);
	put_format(m, wakeup_text);
	obuf_mem(&m->o, "empty", 6);
	put(m, 2, 4);
	put_format(m, "");
	put_format(m, "no name, no number\n");
	put(m, 0, 4); /* kernel symbols */
	put(m, 0, 4); /* printk formats */
	assert_int_equal(m->o.code, 0);
}

static void check_names(const struct trace *t)
{
	const struct trace_format *f = trace_find(t, SWITCH_ID);

	assert_non_null(f);
	assert_string_equal(f->system, "sched");
	assert_int_equal(f->name_size, strlen("sched_switch"));
	assert_memory_equal(f->name, "sched_switch", f->name_size);
	assert_int_equal(f->size, strlen(switch_text));
	assert_memory_equal(f->text, switch_text, f->size);
	assert_ptr_equal(trace_named(t, "sched", "sched_switch"), f);

	f = trace_find(t, WAKEUP_ID);
	assert_non_null(f);
	assert_ptr_equal(trace_named(t, "sched", "sched_wakeup"), f);

	/* ftrace's own events have numbers of their own */
	assert_null(trace_find(t, FTRACE_ID));
	assert_non_null(trace_named(t, "ftrace", "function"));
	assert_null(trace_named(t, "sched", "sched_swit"));
	assert_null(trace_named(t, "sched", "sched_switch2"));
	assert_null(trace_named(t, "irq", "sched_switch"));
	assert_null(trace_find(t, 0));
	assert_null(trace_find(t, 317));
}

static void check_fields(const struct trace *t)
{
	const struct trace_format *f = trace_named(t, "sched", "sched_switch");
	struct trace_field field;
	struct obuf names;

	assert_true(trace_field(f, "prev_pid", &field));
	assert_int_equal(field.offset, 24);
	assert_int_equal(field.size, 4);
	assert_true(trace_field(f, "prev_comm", &field));
	assert_int_equal(field.offset, 8);
	assert_int_equal(field.size, 16);
	assert_true(trace_field(f, "common_type", &field));
	assert_int_equal(field.size, 2);
	assert_false(trace_field(f, "where", &field)); /* no offset is that large */
	assert_false(trace_field(f, "nowhere", &field));
	assert_false(trace_field(f, "next_pid", &field)); /* it is text to be printed */
	assert_false(trace_field(f, "pid", &field));
	assert_false(trace_field(f, "", &field));

	assert_int_equal(obuf_init(&names, -1, 0), 0);
	trace_field_names(f, &names);
	obuf_char(&names, '|');
	trace_field_names(trace_named(t, "sched", "sched_wakeup"), &names);
	obuf_char(&names, 0);
	assert_string_equal(names.buf, "prev_comm,prev_pid,next_name,file,where,nowhere|pid");
	obuf_free(&names);
	assert_true(trace_field(trace_named(t, "sched", "sched_wakeup"), "pid", &field));
	assert_int_equal(field.size, 4);
}

static void both_byte_orders(void **state)
{
	struct trace *t;
	struct made m;

	(void)state;
	for (int big = 0; big < 2; big++) {
		make(&m, big);
		assert_int_equal(trace_new(&t, m.o.buf, m.o.len, NULL), 0);
		check_names(t);
		check_fields(t);
		trace_free(t);
		obuf_free(&m.o);
	}
}

/* Every beginning of the bytes, in memory of its own: a sanitizer sees the byte behind it. */
static void cut_anywhere(void **state)
{
	size_t formats = 0, found = 0;
	struct trace *t;
	struct made m;

	(void)state;
	make(&m, false);
	for (size_t n = 0; n <= m.o.len; n++) {
		char *copy = malloc(n ? n : 1);
		const struct trace_format *f;
		int ret;

		assert_non_null(copy);
		memcpy(copy, m.o.buf, n);
		ret = trace_new(&t, copy, n, NULL);
		assert_true(ret == 0 || ret == -EINVAL);
		assert_true(!ret == !!t);
		assert_true(!ret || !formats); /* header first, and then it stays so */
		formats += !ret;
		f = trace_named(t, "sched", "sched_switch");
		if (f) { /* whole, or not at all */
			assert_int_equal(f->size, strlen(switch_text));
			found++;
		}
		trace_free(t);
		free(copy);
	}
	assert_true(found && formats > found);
	obuf_free(&m.o);
}

static void no_formats(void **state)
{
	static const char other[] = "\x17\x08\x44tracinG0.6\0\0\x08\0\0\0";
	struct err e = { 0 };
	struct trace *t;
	struct made m;

	(void)state;
	assert_int_equal(trace_new(&t, NULL, 0, &e), -EINVAL);
	assert_null(t);
	assert_int_equal(trace_new(&t, other, sizeof(other), &e), -EINVAL);
	assert_string_equal(e.text, "these bytes are no formats of tracepoints");
	trace_free(NULL);
	assert_null(trace_find(NULL, SWITCH_ID));
	assert_null(trace_named(NULL, "sched", "sched_switch"));

	/* Counts that promise more than there is. */
	make(&m, false);
	for (size_t i = 0; i + 4 <= m.o.len; i++) {
		char old[4];

		memcpy(old, m.o.buf + i, 4);
		memset(m.o.buf + i, 0xff, 4);
		if (!trace_new(&t, m.o.buf, m.o.len, NULL))
			trace_free(t);
		memcpy(m.o.buf + i, old, 4);
	}
	obuf_free(&m.o);
}

/* ---- samples as text --------------------------------------------------------------------------- */

#define PLACES                                                             \
	"\n\tfield:int pid;\toffset:4;\tsize:4;\tsigned:1;\n"              \
	"\tfield:__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:0;\n" \
	"\tfield:unsigned int args[2];\toffset:12;\tsize:8;\tsigned:0;\n"

static const char printk_text[] =
	"0x3 : \"three %d\\n\"\n0x4 : \"\"\n0x5 : \"x\"\n0x6 : \"\n0x7 :\n0x8\nx\n"
	"0x9 : \"w=%20d\"\n0xa : \"w=%2000d\"\n0xb : \"w=%*d\"\n";

/* One format: its fields and what it prints; a sample of it; and the text that it becomes, NULL = none. */
static const struct printed {
	const char *fields, *print;
	uint32_t pid, args[2];
	const char *text;
} printed[] = {
	{ PLACES, "\"pid=%d %s\", REC->pid, __get_str(name)", 7, { 0 }, "pid=7 init" },
	{ PLACES,
	  "\"%s\n%s\", __print_symbolic(REC->pid, { 7, \"seven\" }, { 0, ((void *)0) }), "
	  "__print_flags(REC->args[1], \"|\", { (1UL << 1) | 1, \"three\" }, { 4, \"four\" })",
	  7,
	  { 0, 7 },
	  "seven\nthree|four" },
	{ PLACES,
	  "\"%d %s\", (unsigned long)-1 > (REC)->pid ? REC->args[0] : -REC->pid, "
	  "__print_hex(__get_dynamic_array(name), 4)",
	  7,
	  { 5, 0 },
	  "5 69 6e 69 74" },
	{ PLACES,
	  "\"%s %d\", __print_array(__get_dynamic_array(name), __get_dynamic_array_len(name) / 2, 2), "
	  "REC->args[REC->pid]",
	  1,
	  { 5, 6 },
	  "28265 29801 6" },
	{ PLACES, "\"%.*s|\", REC->pid, __get_str(name)", 2, { 0 }, "in|" },

	/* What the parser would not have survived: the fields alone. */
	{ PLACES,
	  "\"%d\", REC->pid % 0",
	  7,
	  { 1, 2 },
	  "[FAILED TO PARSE] pid=7 name=init args=ARRAY" },
	{ PLACES, "\"%d\", REC->pid % (1 - 1)", 7, { 1, 2 }, "[FAILED TO PARSE] pid=7" },
	{ PLACES,
	  "\"%s\", __print_symbolic(REC->nobody, { 1, \"a\" })",
	  7,
	  { 0 },
	  "[FAILED TO PARSE] pid=7" },
	{ PLACES,
	  "\"%s\", __print_flags(REC->pid, \"|\", { 1, \"a\" ",
	  7,
	  { 0 },
	  "[FAILED TO PARSE] pid=7" },
	{ PLACES, "\"%s\", unheard_of(REC->pid)", 7, { 0 }, "[FAILED TO PARSE] pid=7" },
	{ PLACES, "\"%1000000000d\", REC->pid", 7, { 0 }, "[FAILED TO PARSE] pid=7" },
	{ PLACES,
	  "\"%*d\", REC->args[0], REC->pid",
	  7,
	  { 1u << 30, 0 },
	  "[FAILED TO PARSE] pid=7" },
	{ PLACES, "", 7, { 0 }, "[FAILED TO PARSE] pid=7" },
	/* And what would have read far behind the sample, or divided by 0: this sample's fields. */
	{ PLACES,
	  "\"%s\", __print_hex(__get_dynamic_array(name), REC->args[0])",
	  7,
	  { 1u << 30, 0 },
	  "pid=7" },
	{ PLACES,
	  "\"%s\", __print_array(__get_dynamic_array(name), REC->args[0], 8)",
	  7,
	  { 1u << 30, 0 },
	  "pid=7" },
	{ PLACES, "\"%s\", __print_hex(12, 4)", 7, { 0 }, "pid=7" },
	{ PLACES, "\"%d\", REC->args[REC->pid]", 1 << 30, { 0 }, "pid=1073741824" },
	{ PLACES,
	  "\"%d\", (((u8 *)__get_dynamic_array(name))[REC->pid])",
	  1 << 30,
	  { 0 },
	  "pid=1073741824" },
	{ PLACES, "\"%d\", 5 / REC->pid", 0, { 0 }, "pid=0" },
	{ PLACES, "\"%d\", 9 / REC->pid", 3, { 0 }, "3" },
	/* No fields that can be believed. */
	{ "\n\tfield:char\n comm[16];\toffset:8;\tsize:16;\tsigned:0;\n", "\"x\"", 7, { 0 }, NULL },
	{ "\n\tfield:char comm[\n16];\toffset:8;\tsize:16;\tsigned:0;\n", "\"x\"", 7, { 0 }, NULL },
	{ "\n\tfield:int pid;\toffset:;\tsize:4;\n", "\"x\"", 7, { 0 }, NULL },
	{ "\n\tfield:__data_loc char[] name;\toffset:4;\tsize:8;\tsigned:0;\n",
	  "\"x\"",
	  7,
	  { 0 },
	  NULL },
	{ "\tfield:int common_far;\toffset:16777216;\tsize:4;\tsigned:1;\n" PLACES,
	  "\"%d\", REC->common_far",
	  7,
	  { 0 },
	  NULL },
	{ "\n\tfield:int pid;\toffset:4096;\tsize:4;\n", "\"x\"", 7, { 0 }, NULL },
	{ "\n field:int pid;\toffset:4;\tsize:4;\n", "\"x\"", 7, { 0 }, NULL },
	/* Where the library would look for an event's number in samples of any event. */
	{ "\tfield:unsigned short common_type;\toffset:2147483632;\tsize:2;\tsigned:0;\n" PLACES,
	  "\"x\"",
	  7,
	  { 0 },
	  NULL },
};

/* Formats are of @system. */
static void make_printed(struct made *m, const struct printed *p, const char *system)
{
	struct obuf text;

	*m = (struct made){ 0 };
	assert_int_equal(obuf_init(&m->o, -1, 0), 0);
	obuf_mem(&m->o, "\x17\x08\x44tracing0.6", 14);
	put(m, 0, 1);
	put(m, 8, 1);
	put(m, 4096, 4);
	obuf_mem(&m->o, "header_page", 12);
	put(m, 0, 8);
	obuf_mem(&m->o, "header_event", 13);
	put(m, 0, 8);
	put(m, 0, 4);
	put(m, 1, 4);
	obuf_str(&m->o, system);
	obuf_char(&m->o, 0);
	put(m, 1, 4);
	assert_int_equal(obuf_init(&text, -1, 0), 0);
	obuf_str(&text, "name: bprint\nID: 9\nformat:\n"
			"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n");
	obuf_str(&text, p->fields);
	obuf_str(&text, "\nprint fmt: ");
	obuf_str(&text, p->print);
	obuf_mem(&text, "\n", 2);
	put_format(m, text.buf);
	obuf_free(&text);
	put(m, 0, 4);
	put(m, sizeof(printk_text) - 1, 4);
	obuf_mem(&m->o, printk_text, sizeof(printk_text) - 1);
}

/* A sample that says it is of event @type. */
static void print_as(const struct printed *p, const char *system, uint16_t type)
{
	struct {
		uint16_t type, pad;
		uint32_t pid, name, args[2];
		char text[8];
	} sample = { type, 0, p->pid, 4u << 16 | 20, { p->args[0], p->args[1] }, "init" };
	struct trace_raw raw = { &sample, sizeof(sample), 0, 9 };
	struct trace_printer *printer;
	const char *text;
	struct trace *t;
	struct made m;
	size_t len;

	make_printed(&m, p, system);
	assert_int_equal(trace_new(&t, m.o.buf, m.o.len, NULL), 0);
	assert_int_equal(trace_printer_new(&printer, t, false, "file", NULL), 0);
	text = trace_text(printer, &raw, &len);
	while (text && *text == ' ')
		text++;
	if (!p->text)
		assert_null(text);
	else if (!text || strncmp(text, p->text, strlen(p->text)) != 0)
		fail_msg("%s:\n\t%s\n\tis not\n\t%s", p->print, text, p->text);
	trace_printer_free(printer);
	trace_free(t);
	obuf_free(&m.o);
}

static void add_field(void *ctx, const char *name, const char *text)
{
	obuf_printf(ctx, "%s=%s;", name, text);
}

/* Fields one by one are names and numbers, also where the kernel prints otherwise. */
static void fields(void **state)
{
	static const struct printed p = {
		PLACES, "\"pid=%d %s\", REC->pid, __get_str(name)", 0, { 0 }, NULL
	};
	static const unsigned char sample[28] = { 9, 0, 0, 0, 7, 0, 0, 0, 20,  0,   4,	 0,
						  1, 0, 0, 0, 2, 0, 0, 0, 'i', 'n', 'i', 't' };
	struct trace_raw raw = { sample, sizeof(sample), 0, 9 };
	struct trace_printer *printer;
	struct trace *t;
	struct obuf o;
	struct made m;

	(void)state;
	if (!HAVE_LIBTRACEEVENT)
		skip();
	make_printed(&m, &p, "made");
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(trace_new(&t, m.o.buf, m.o.len, NULL), 0);
	assert_int_equal(trace_printer_new(&printer, t, false, "file", NULL), 0);
	trace_each_field(printer, &raw, add_field, &o);
	obuf_char(&o, '\0');
	assert_string_equal(o.buf, "pid=7;name=init;args=ARRAY[01, 00, 00, 00, 02, 00, 00, 00];");
	o.len = 0;
	raw.size = 12;
	trace_each_field(printer, &raw, add_field, &o);
	raw.id = 10;
	trace_each_field(printer, &raw, add_field, &o);
	trace_each_field(NULL, &raw, add_field, &o);
	assert_int_equal(o.len, 0);
	trace_printer_free(printer);
	trace_free(t);
	obuf_free(&o);
	obuf_free(&m.o);
}

static void print_one(const struct printed *p)
{
	print_as(p, "made", 9);
}

/* One that is of another event than its counter: that other one was not looked at. */
static void another_event(void **state)
{
	static const struct printed p = { PLACES, "\"%d\", REC->pid", 7, { 0 }, "pid=7 name=init" };

	(void)state;
	if (!HAVE_LIBTRACEEVENT)
		skip();
	print_as(&p, "made", 10);
}

static void samples(void **state)
{
	(void)state;
	if (!HAVE_LIBTRACEEVENT)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(printed); i++)
		print_one(&printed[i]);
}

/* The parser calls itself for each of these: more than any kernel writes is too many. */
static void long_expressions(void **state)
{
	static const struct {
		const char *start, *more, *end;
	} shape[] = {
		{ "REC->pid", " + REC->pid", "" }, { "REC->pid", " && 1", "" },
		{ "", "!", "REC->pid" },	   { "", "(u8)", "REC->pid" },
		{ "REC->args", "[0]", "" },	   { "", "(", "REC->pid" },
		{ "REC->pid", " ? 1 : 2", "" },	   { "", "REC->pid ? 1 : ", "2" },
		{ "(", "u8 ", ")REC->pid" },	   { "(u8 ", "*", ")REC->pid" },
	};

	(void)state;
	if (!HAVE_LIBTRACEEVENT)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(shape); i++) {
		struct printed p = { .fields = PLACES,
				     .pid = 7,
				     .text = "[FAILED TO PARSE] pid=7" };
		struct obuf o;

		assert_int_equal(obuf_init(&o, -1, 0), 0);
		obuf_str(&o, "\"%d\", ");
		obuf_str(&o, shape[i].start);
		for (unsigned n = 0; n < 300000; n++)
			obuf_str(&o, shape[i].more);
		obuf_str(&o, shape[i].end);
		obuf_char(&o, 0);
		p.print = o.buf;
		print_one(&p);
		obuf_free(&o);
	}
}

/* Texts of __trace_bprintk() by their addresses, the short ones, too. */
static void printk(void **state)
{
	static const char fields[] =
		"\n\tfield:const char * fmt;\toffset:12;\tsize:8;\tsigned:0;\n";
	static const char *const texts[] = {
		[3] = "<three %d>", [4] = "<>", [5] = "<x>", [6] = "<>"
	};

	(void)state;
	if (!HAVE_LIBTRACEEVENT)
		skip();
	for (uint32_t i = 3; i < ARRAY_SIZE(texts); i++)
		print_one(&(struct printed){ fields, "\"<%s>\", REC->fmt", 0, { i, 0 }, texts[i] });
}

/* The same texts as formats: widths that fill memory are no texts, nor those that the sample says. */
static void printk_widths(void **state)
{
	static const char fields[] = "\n\tfield:unsigned int ip;\toffset:4;\tsize:4;\tsigned:0;\n"
				     "\tfield:const char * fmt;\toffset:12;\tsize:8;\tsigned:0;\n"
				     "\tfield:u32 buf;\toffset:20;\tsize:0;\tsigned:0;\n";
	static const struct {
		uint32_t address;
		const char *text;
	} rows[] = { { 0x9, "0x7: w=          1953066601" },
		     { 0xa, "0x7: (NO FORMAT FOUND at a)" },
		     { 0xb, "0x7: (NO FORMAT FOUND at b)" } };

	(void)state;
	if (!HAVE_LIBTRACEEVENT)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		print_as(&(struct printed){ fields,
					    "\"%s\", REC->fmt",
					    7,
					    { rows[i].address, 0 },
					    rows[i].text },
			 "ftrace", 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples),	    cmocka_unit_test(long_expressions),
		cmocka_unit_test(fields),	    cmocka_unit_test(printk),
		cmocka_unit_test(both_byte_orders), cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(no_formats),	    cmocka_unit_test(printk_widths),
		cmocka_unit_test(another_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
