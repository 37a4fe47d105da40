// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of CPUs, registers of made images, schedules: what they show as JSON, and refusals. */
#include "emit/emit.h"
#include "perfdata-build.h"
#include "xstate/xstate.h"

#define ICX_XCR0 0x2e7 /* x87, SSE, AVX, AVX-512, PKRU: ICX in 2696 bytes, Zen 4 in 2440 */
#define ICX_SIZE 2696
#define AT_XCR0	 464 /* of an image that ptrace gives */
#define AT_XMM	 160
#define AT_BV	 512
#define AT_YMM_H 576

struct page {
	struct obuf out;
	struct emit e;
	struct err err, note;
};

static const struct log_sink quiet;

static void begin(struct page *p)
{
	*p = (struct page){ 0 };
	assert_int_equal(obuf_init(&p->out, -1, 0), 0);
	emit_init(&p->e, &p->out, EMIT_JSON);
	emit_object(&p->e, NULL);
}

/* The document; an error has cut it. */
static const char *text(struct page *p)
{
	obuf_char(&p->out, 0);
	assert_int_equal(p->out.code, 0);
	return p->out.buf;
}

static const char *whole(struct page *p)
{
	emit_end(&p->e);
	return text(p);
}

static void has(const char *json, const char *part)
{
	if (!strstr(json, part))
		fail_msg("no '%s' in %s", part, json);
}

static void lacks(const char *json, const char *part)
{
	if (strstr(json, part))
		fail_msg("'%s' in %s", part, json);
}

static const struct xsave_cpu *cpu(const char *name)
{
	const struct xsave_cpu *c;
	struct err e = { 0 };

	if (xstate_find_cpu(name, &c, &e))
		fail_msg("%s", e.text);
	return c;
}

/* ---- tables ------------------------------------------------------------------------------------- */

static void test_find_cpu(void **state)
{
	const struct xsave_cpu *c;
	struct err e = { 0 };

	(void)state;
	assert_string_equal(cpu("spr")->name, "spr");
	assert_int_equal(xstate_find_cpu("z80", &c, &e), -EINVAL);
	assert_non_null(strstr(e.text, "no CPU 'z80'"));
	assert_non_null(strstr(e.hint, "spr"));
	assert_non_null(strstr(e.hint, "zen4"));
}

static void test_table(void **state)
{
	struct page p;

	(void)state;
	begin(&p);
	assert_int_equal(xstate_show_table(&p.e, cpu("spr"), 0, &p.err), 0);
	whole(&p);
	has(p.out.buf, "{\"nr\":15,\"name\":\"lbr\",\"size\":808,");
	has(p.out.buf, "\"compacted form, bytes\":11776");
	has(p.out.buf, "\"buffer on demand\":1384");
	lacks(p.out.buf, "bytes per sample");
	obuf_free(&p.out);

	/* a part: its own layout, and what it costs in a sample */
	begin(&p);
	assert_int_equal(xstate_show_table(&p.e, cpu("spr"), BIT(XSAVE_OPMASK), &p.err), 0);
	whole(&p);
	has(p.out.buf, "\"set\":\"0x20\"");
	has(p.out.buf, "\"bytes per sample\":");
	lacks(p.out.buf, "\"name\":\"lbr\"");
	obuf_free(&p.out);
}

/* ---- images --------------------------------------------------------------------------------------- */

/* AVX in use: YMM1 has 0x11 in its lowest quadword and 0x22 in its third. */
static void make_image(unsigned char *image, struct tracer_state *t, pid_t tid, size_t size)
{
	memset(image, 0, ICX_SIZE);
	image[AT_XCR0] = ICX_XCR0 & 0xff;
	image[AT_XCR0 + 1] = ICX_XCR0 >> 8;
	image[AT_BV] = BIT(XSAVE_SSE) | BIT(XSAVE_AVX);
	image[AT_XMM + 16] = 0x11;
	image[AT_YMM_H + 16] = 0x22;
	*t = (struct tracer_state){ .tid = tid, .xsave = image, .xsave_size = size };
}

static void test_image(void **state)
{
	static unsigned char image[ICX_SIZE];
	struct xstate_view v = { 0 };
	struct tracer_state t;
	struct page p;

	(void)state;
	make_image(image, &t, 0, ICX_SIZE);
	begin(&p);
	assert_int_equal(xstate_show_image(&p.e, cpu("icx"), &v, &t, NULL, &p.err), 0);
	whole(&p);
	has(p.out.buf, "\"form\":\"standard\"");
	has(p.out.buf, "\"avx\":\"stored\"");
	has(p.out.buf, "\"opmask\":\"initial\"");
	has(p.out.buf, "\"YMM1\":");
	lacks(p.out.buf, "\"K0\"");
	obuf_free(&p.out);

	v.all = true; /* then also what nobody touched */
	begin(&p);
	assert_int_equal(xstate_show_image(&p.e, cpu("icx"), &v, &t, NULL, &p.err), 0);
	whole(&p);
	has(p.out.buf, "\"ZMM1\":");
	has(p.out.buf, "\"K0\":\"0x0\"");
	obuf_free(&p.out);

	t.xsave_size = 100;
	begin(&p);
	assert_true(xstate_show_image(&p.e, cpu("icx"), &v, &t, NULL, &p.err) < 0);
	assert_true(p.err.text[0]);
	obuf_free(&p.out);
}

/* Threads of a core without a note: by size this may be more than one CPU, and a note says so. */
static void test_threads_of_a_core(void **state)
{
	static unsigned char image[2][ICX_SIZE];
	struct xstate_view v = { 0 };
	struct tracer_states st = { 0 };
	struct tracer_state t;
	struct page p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		make_image(image[i], &t, 7 + i, ICX_SIZE);
		assert_int_equal(vec_push(&st.threads, t), 0);
	}
	image[1][AT_BV] |= BIT(XSAVE_OPMASK);
	begin(&p);
	assert_int_equal(xstate_show_threads(&p.e, &v, "core.7", &st, &p.note, &p.err), 0);
	whole(&p);
	has(p.out.buf, "\"cpu\":null,\"layout\":\"not known\",\"threads\":[{\"tid\":7,");
	has(p.out.buf, "\"tid\":8");
	has(p.out.buf, "\"opmask\":\"stored, place not known\"");
	has(p.note.text, "core.7 does not say where its CPU keeps opmask");
	lacks(p.note.text, "gdb");
	obuf_free(&p.out);

	/* a CPU that is named is believed */
	v.cpu = cpu("icx");
	v.asked = true;
	begin(&p);
	assert_int_equal(xstate_show_threads(&p.e, &v, "core.7", &st, &p.note, &p.err), 0);
	whole(&p);
	has(p.out.buf, "\"layout\":\"as asked for\"");
	assert_int_equal(p.note.code, 0);
	obuf_free(&p.out);

	v.cpu = NULL;
	st.threads.v[1].xsave_size -= 8; /* the kernel gives all threads as many bytes */
	begin(&p);
	assert_int_equal(xstate_show_threads(&p.e, &v, "core.7", &st, &p.note, &p.err), -EINVAL);
	has(p.err.text, "damaged: thread 7 has 2696 bytes");
	obuf_free(&p.out);

	st.threads.v[0].xsave_size = st.threads.v[1].xsave_size = ICX_SIZE - 1;
	begin(&p);
	assert_int_equal(xstate_show_threads(&p.e, &v, "core.7", &st, &p.note, &p.err), -ENOENT);
	has(p.err.hint, "--cpu NAME");
	obuf_free(&p.out);
	vec_free(&st.threads);
}

/* ---- schedules -------------------------------------------------------------------------------------- */

static void test_made_schedule(void **state)
{
	static const char *const bad[] = { "made:tasks=0", "made:tasks=1,lbr=2", "made:tasks",
					   "made:tasks=x", "made:speed=3",	 "made:cpus=4097" };
	struct page p;

	(void)state;
	begin(&p);
	assert_int_equal(xstate_simulate(&p.e, cpu("spr"),
					 "made:tasks=10,lbr=2,switches=1000,cpus=2", &quiet,
					 &p.err),
			 0);
	whole(&p);
	has(p.out.buf, "\"tasks\":10,");
	has(p.out.buf, "\"buffers for LBR\":2,");
	has(p.out.buf, "\"switches\":1000,");
	has(p.out.buf, "{\"figure\":\"saves of LBR state\",\"always\":1000,\"on_demand\":200}");
	obuf_free(&p.out);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		begin(&p);
		if (xstate_simulate(&p.e, cpu("spr"), bad[i], &quiet, &p.err) != -EINVAL)
			fail_msg("%s", bad[i]);
		has(p.err.text, "made schedule: ");
		obuf_free(&p.out);
	}
	begin(&p); /* a CPU without LBR state has nothing to save */
	assert_true(xstate_simulate(&p.e, cpu("zen4"), "made", &quiet, &p.err) < 0);
	obuf_free(&p.out);
}

#define TEMP_FILE "/tmp/perf-test-xstate.XXXXXX"

static void make_temp(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
}

static void put_file(const char *path, const char *content)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

static void test_schedule_as_text(void **state)
{
	char path[] = TEMP_FILE;
	struct page p;

	(void)state;
	make_temp(path);
	put_file(path, "# two tasks\nstart 1\n\nstart 2\r\nlbr-begin 2\n"
		       "switch 0 1 2 # to the one with LBR\nswitch 0 2 1\nlbr-end 2\nexit 2\n");
	begin(&p);
	assert_int_equal(xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err), 0);
	whole(&p);
	has(p.out.buf, "\"tasks\":2,\"tasks at a time\":2,\"buffers for LBR\":1,");
	has(p.out.buf, "{\"figure\":\"saves of LBR state\",\"always\":2,\"on_demand\":1}");
	obuf_free(&p.out);

	put_file(path, "start 1\n\nswitch 0 1\n");
	begin(&p);
	assert_int_equal(xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err), -EINVAL);
	has(p.err.text, "line 3 is not");
	obuf_free(&p.out);
	put_file(path, "PERFILE2 and nothing behind it");
	begin(&p);
	assert_true(xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err) < 0);
	assert_true(p.err.text[0]);
	obuf_free(&p.out);
	unlink(path);
	begin(&p);
	assert_int_equal(xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err), -ENOENT);
	obuf_free(&p.out);
}

/* ---- a recording as a schedule ------------------------------------------------------------------- */

#define SWITCH_ID   1
#define LBR_ID	    2
#define NO_EVENT    0
#define RAW_SIZE    60 /* of sched_switch, up to the pids that count */
#define AT_PREV_PID 24
#define AT_NEXT_PID 56
#define SWITCH_BASE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

static void add_task(struct build *f, uint32_t type, uint32_t tid, uint64_t time)
{
	size_t at = begin_record(f, type, 0);

	P32(f, tid);
	P32(f, 1);
	P32(f, tid);
	P32(f, 1);
	P64(f, time);
	/* sample_id_all, in the order of sample_type */
	P32(f, tid);
	P32(f, tid);
	P64(f, time);
	P64(f, 0);
	P64(f, NO_EVENT);
	end_record(f, at);
}

static void begin_sample(struct build *f, uint64_t id, uint32_t tid, uint64_t time, uint32_t on)
{
	P64(f, id);
	P32(f, tid);
	P32(f, tid);
	P64(f, time);
	P64(f, on);
}

static void add_switch(struct build *f, uint64_t time, uint32_t on, uint32_t prev, uint32_t next,
		       uint32_t raw_size)
{
	unsigned char raw[RAW_SIZE] = { 0 };
	size_t at = begin_record(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	memcpy(raw + AT_PREV_PID, &prev, 4);
	memcpy(raw + AT_NEXT_PID, &next, 4);
	begin_sample(f, SWITCH_ID, prev, time, on);
	P32(f, raw_size);
	put(f, raw, raw_size);
	end_record(f, at);
}

/* A sample in call-stack mode, without entries. */
static void add_lbr(struct build *f, uint64_t time, uint32_t tid)
{
	size_t at = begin_record(f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	begin_sample(f, LBR_ID, tid, time, 0);
	P64(f, 0);
	end_record(f, at);
}

/* TRACING_DATA of this machine's byte order, with one format; see perf.data(5). */
static void put_tracing_data(struct obuf *o, const char *format)
{
	static const char *const pages[] = { "header_page", "header_event" };
	const uint32_t none = 0, one = 1, page_size = 4096;
	uint64_t size = strlen(format);
	const uint64_t empty = 0;

	assert_int_equal(obuf_init(o, -1, 0), 0);
	obuf_mem(o, "\x17\x08\x44tracing0.6", 14);
	obuf_char(o, host_is_big_endian());
	obuf_char(o, sizeof(long));
	obuf_mem(o, &page_size, sizeof(page_size));
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		obuf_mem(o, pages[i], strlen(pages[i]) + 1);
		obuf_mem(o, &empty, sizeof(empty));
	}
	obuf_mem(o, &none, sizeof(none)); /* ftrace's own formats */
	obuf_mem(o, &one, sizeof(one));
	obuf_mem(o, "sched", 6);
	obuf_mem(o, &one, sizeof(one));
	obuf_mem(o, &size, sizeof(size));
	obuf_mem(o, format, size);
	obuf_mem(o, &none, sizeof(none)); /* kernel symbols */
	obuf_mem(o, &none, sizeof(none)); /* printk formats */
	assert_int_equal(o->code, 0);
}

/*
 * A file with these records, of an event of each kind; @format: what it says of sched_switch, or
 * NULL.
 */
static void write_recording(const char *path, const struct build *f, const char *format)
{
	const uint64_t switch_id = SWITCH_ID, lbr_id = LBR_ID;
	struct perfdata_writer_event evs[] = {
		{ .attr = { .type = PERF_TYPE_TRACEPOINT,
			    .size = PERF_ATTR_SIZE_VER5,
			    .sample_type = SWITCH_BASE | PERF_SAMPLE_RAW,
			    .flags = ATTR_FLAG_SAMPLE_ID_ALL },
		  .name = "sched:sched_switch",
		  .ids = &switch_id,
		  .nr_ids = 1,
		  .group = "" },
		{ .attr = { .type = PERF_TYPE_HARDWARE,
			    .size = PERF_ATTR_SIZE_VER5,
			    .sample_type = SWITCH_BASE | PERF_SAMPLE_BRANCH_STACK,
			    .branch_sample_type =
				    PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER,
			    .flags = ATTR_FLAG_SAMPLE_ID_ALL },
		  .name = "cycles",
		  .ids = &lbr_id,
		  .nr_ids = 1,
		  .group = "" },
	};
	struct perfdata_writer_opts o = { .fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) };
	struct perfdata_writer *w;
	struct obuf tracing = { 0 };
	struct err e = { 0 };

	assert_true(o.fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(evs); i++)
		evs[i].leader = (uint32_t)i;
	if (perfdata_writer_open(&w, &o, evs, ARRAY_SIZE(evs), &e) ||
	    perfdata_writer_write(w, f->b, f->n, NULL, 0, &e))
		fail_msg("%s", e.text);
	if (format) {
		put_tracing_data(&tracing, format);
		assert_int_equal(
			perfdata_writer_feature(w, FEAT_TRACING_DATA, tracing.buf, tracing.len, &e),
			0);
		obuf_free(&tracing);
	}
	if (perfdata_writer_finish(w, &e))
		fail_msg("%s", e.text);
	perfdata_writer_free(w);
	close(o.fd);
}

static void test_schedule_of_a_recording(void **state)
{
	char path[] = TEMP_FILE;
	static struct build f;
	struct page p;

	(void)state;
	make_temp(path);
	start_records(&f, host_is_big_endian());
	add_task(&f, PERF_RECORD_FORK, 10, 1);
	add_task(&f, PERF_RECORD_FORK, 11, 2);
	add_lbr(&f, 3, 11);
	add_lbr(&f, 4, 11); /* it begins only once */
	add_switch(&f, 5, 0, 10, 11, RAW_SIZE);
	add_switch(&f, 6, 0, 11, 10, RAW_SIZE);
	add_switch(&f, 7, 1, 10, 11, RAW_SIZE);
	add_task(&f, PERF_RECORD_EXIT, 11, 8);
	add_switch(&f, 9, 1, 11, 10, RAW_SIZE); /* its last one, which saves nothing */
	write_recording(path, &f, NULL);
	begin(&p);
	if (xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err))
		fail_msg("%s", p.err.text);
	whole(&p);
	has(p.out.buf, "\"tasks\":2,\"tasks at a time\":2,\"buffers for LBR\":1,");
	has(p.out.buf, "\"switches\":4,");
	has(p.out.buf, "{\"figure\":\"saves of LBR state\",\"always\":3,\"on_demand\":1}");
	obuf_free(&p.out);

	/* A number that comes again is another task; what is between an end and the last switch begins nothing. */
	start_records(&f, host_is_big_endian());
	add_switch(&f, 1, 0, 10, 11, RAW_SIZE);
	add_lbr(&f, 2, 11);
	add_task(&f, PERF_RECORD_EXIT, 11, 3);
	add_lbr(&f, 4, 11);
	add_lbr(&f, 5, UINT32_MAX);
	add_switch(&f, 6, 0, 11, 10, RAW_SIZE);
	add_task(&f, PERF_RECORD_FORK, 11, 7);
	add_lbr(&f, 8, 11);
	write_recording(path, &f, NULL);
	begin(&p);
	if (xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err))
		fail_msg("%s", p.err.text);
	whole(&p);
	has(p.out.buf, "\"tasks\":3,\"tasks at a time\":2,\"buffers for LBR\":2,"
		       "\"buffers at a time\":1,");
	obuf_free(&p.out);

	/* raw data that end before the pids */
	start_records(&f, host_is_big_endian());
	add_switch(&f, 5, 0, 10, 11, AT_NEXT_PID - 4);
	write_recording(path, &f, NULL);
	begin(&p);
	assert_int_equal(xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err), -EINVAL);
	has(p.err.text, "a sched_switch without room for its pids");
	obuf_free(&p.out);

	/* a record that is cut off: what is there is no whole schedule */
	start_records(&f, host_is_big_endian());
	add_switch(&f, 5, 0, 10, 11, RAW_SIZE);
	put_header(&f, PERF_RECORD_SAMPLE, 0, 4);
	write_recording(path, &f, NULL);
	begin(&p);
	assert_true(xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err) < 0);
	assert_true(p.err.text[0]);
	obuf_free(&p.out);

	start_records(&f, host_is_big_endian());
	add_lbr(&f, 3, 11);
	write_recording(path, &f, NULL);
	begin(&p);
	assert_int_equal(xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err), -ENODATA);
	has(p.err.hint, "perf record -a -R -e sched:sched_switch");
	obuf_free(&p.out);
	unlink(path);
}

/* Where the pids lie is the file's word: an offset that leaves the sample must not be believed. */
static void test_offsets_of_a_recording(void **state)
{
	static const char *const beyond[] = { "60", "4294967291", "4294967294" };
	char path[] = TEMP_FILE, format[256];
	static struct build f;
	struct page p;

	(void)state;
	make_temp(path);
	start_records(&f, host_is_big_endian());
	add_switch(&f, 5, 0, 10, 11, RAW_SIZE);
	for (size_t i = 0; i < ARRAY_SIZE(beyond); i++) {
		snprintf(format, sizeof(format),
			 "name: sched_switch\nID: 1\nformat:\n"
			 "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			 "\tfield:pid_t next_pid;\toffset:%s;\tsize:4;\tsigned:1;\n",
			 beyond[i]);
		write_recording(path, &f, format);
		begin(&p);
		assert_int_equal(xstate_simulate(&p.e, cpu("spr"), path, &quiet, &p.err), -EINVAL);
		has(p.err.text, "a sched_switch without room for its pids");
		obuf_free(&p.out);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find_cpu),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_threads_of_a_core),
		cmocka_unit_test(test_made_schedule),
		cmocka_unit_test(test_schedule_as_text),
		cmocka_unit_test(test_schedule_of_a_recording),
		cmocka_unit_test(test_offsets_of_a_recording),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("xstate", tests, NULL, NULL);
}
