// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callchains as text. What a frame prints is kept by its address, so these recordings give one
 * address several meanings: in other processes, after other maps, in other modes.
 */
#include <stdlib.h>

#include "script/script.h"
#include "session-build.h"

#define CHAIN_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)
#define USER	   PERF_CONTEXT_USER
#define KERNEL	   PERF_CONTEXT_KERNEL

static struct build f;
static uint64_t now;
static const char *symfs = "/nonexistent"; /* no object is looked at */

/* What every record but a sample ends with. */
static void put_id(uint32_t pid)
{
	P32(&f, pid);
	P32(&f, pid);
	P64(&f, ++now);
}

static void start(void)
{
	now = 0;
	start_file_of(&f, host_is_big_endian(), PERF_ATTR_SIZE_VER0, CHAIN_TYPE, 0);
}

static void map_as(uint16_t misc, uint32_t pid, uint64_t at, uint64_t size, const char *path)
{
	size_t rec = begin_record(&f, PERF_RECORD_MMAP, misc);

	put_mapping(&f, pid, pid, at, size, 0);
	put_string(&f, path);
	put_id(pid);
	end_record(&f, rec);
}

static void map(uint32_t pid, uint64_t at, uint64_t size, const char *path)
{
	map_as(PERF_RECORD_MISC_USER, pid, at, size, path);
}

static void sample(uint32_t pid, const uint64_t *chain, uint64_t n)
{
	put_header(&f, PERF_RECORD_SAMPLE, 2, (uint16_t)(8 + 32 + 8 * n));
	P64(&f, n > 1 ? chain[1] : 0);
	P32(&f, pid);
	P32(&f, pid);
	P64(&f, ++now);
	P64(&f, n);
	for (uint64_t i = 0; i < n; i++)
		P64(&f, chain[i]);
}

#define SAMPLE(pid, ...)                               \
	sample(pid, (const uint64_t[]){ __VA_ARGS__ }, \
	       sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

/* The text of the recording made so far; to be freed. */
static char *text_of(struct session_opts *so, const struct script_opts *o, const char *fields)
{
	struct script_fields sf;
	struct session *s;
	struct script *sc;
	struct err e = { 0 };
	struct obuf out;

	end_file(&f);
	so->symfs = symfs;
	so->ips_only = true;
	assert_int_equal(open_session(&s, so, &f, &e), 0);
	assert_int_equal(obuf_init(&out, -1, 0), 0);
	script_fields_init(&sf);
	assert_int_equal(script_fields_parse(&sf, fields, &e), 0);
	assert_int_equal(script_new(&sc, s, o, &sf, &out, &e), 0);
	assert_int_equal(session_read(s, &script_consumer, sc, &e), 0);
	assert_int_equal(session_counts(s)->bad, 0);
	script_free(sc);
	session_close(s);
	obuf_char(&out, 0);
	assert_int_equal(out.code, 0);
	return out.buf;
}

static char *text_with(const struct script_opts *o, const char *fields, uint32_t max_stack)
{
	return text_of(&(struct session_opts){ .max_stack = max_stack }, o, fields);
}

static char *text(const char *fields, uint32_t max_stack)
{
	const struct script_opts o = { 0 };

	return text_with(&o, fields, max_stack);
}

static void expect(const char *fields, uint32_t max_stack, const char *want)
{
	char *got = text(fields, max_stack);

	assert_string_equal(got, want);
	free(got);
}

static void by_process(void **state)
{
	(void)state;
	start();
	map(10, 0x1000, 0x1000, "/a");
	map(20, 0x1000, 0x1000, "/b");
	for (int i = 0; i < 2; i++) {
		SAMPLE(10, USER, 0x1010, 0x1020);
		SAMPLE(20, USER, 0x1010, 0x3000);
	}
	expect("ip,dso", 0,
	       "\n\t            1010 (/a)\n\t            1020 (/a)\n\n"
	       "\n\t            1010 (/b)\n\t            3000 ([unknown])\n\n"
	       "\n\t            1010 (/a)\n\t            1020 (/a)\n\n"
	       "\n\t            1010 (/b)\n\t            3000 ([unknown])\n\n");
}

static void by_time(void **state)
{
	(void)state;
	start();
	SAMPLE(10, USER, 0x1010);
	map(10, 0x1000, 0x1000, "/a");
	SAMPLE(10, USER, 0x1010);
	map(10, 0x1000, 0x1000, "/b");
	SAMPLE(10, USER, 0x1010);
	expect("ip,dso", 0,
	       "\n\t            1010 ([unknown])\n\n"
	       "\n\t            1010 (/a)\n\n"
	       "\n\t            1010 (/b)\n\n");
}

static void by_mode(void **state)
{
	(void)state;
	start();
	map(10, 0x1000, 0x1000, "/a");
	map_as(PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0x8000, 0x1000, "[kernel.kallsyms]_text");
	SAMPLE(10, KERNEL, 0x1010, USER, 0x1010);
	SAMPLE(10, USER, 0x1010, KERNEL, 0x1010);
	SAMPLE(10, USER, 0x8010, KERNEL, 0x8010);
	/* Before any marker all modes are tried. */
	SAMPLE(10, 0x8010, USER, 0x8010);
	expect("ip,dso", 0,
	       "\n\t            1010 ([unknown])\n\t            1010 (/a)\n\n"
	       "\n\t            1010 (/a)\n\t            1010 ([unknown])\n\n"
	       "\n\t            8010 ([unknown])\n\t            8010 ([kernel.kallsyms])\n\n"
	       "\n\t            8010 ([kernel.kallsyms])\n\t            8010 ([unknown])\n\n");
}

/* An empty chain, a marker that nobody knows, and a limit. */
static void odd(void **state)
{
	(void)state;
	start();
	SAMPLE(10, USER);
	SAMPLE(10, USER, 0x1, (uint64_t)-7, 0x2);
	SAMPLE(10, KERNEL, 0x1, 0x2, USER, 0x3, 0x4);
	expect("ip", 3,
	       "\n\n"
	       "\n\n"
	       "\n\t               1\n\t               2\n\t               3\n\n");
}

/* More frames than are kept, twice, and names that are too long to be. */
static void many(void **state)
{
	char *got, *p;

	(void)state;
	start();
	map(10, 0x100000, 0x1000000, "/a");
	for (uint64_t i = 0; i < 2 * 5000; i++)
		SAMPLE(10, USER, 0x100000 + i % 5000 * 0x101);
	got = p = text("ip,sym,dso", 0);
	for (uint64_t i = 0; i < 2 * 5000; i++) {
		char want[64];
		int n = snprintf(want, sizeof(want), "\n\t%16llx [unknown] (/a)\n\n",
				 0x100000 + (unsigned long long)i % 5000 * 0x101);

		if (strncmp(p, want, (size_t)n))
			fail_msg("sample %d: wanted '%s'", (int)i, want);
		p += n;
	}
	assert_int_equal(*p, 0);
	free(got);
}

static void long_name(void **state)
{
	char path[201] = "/", want[600];

	(void)state;
	memset(path + 1, 'x', sizeof(path) - 2);
	start();
	put_header(&f, PERF_RECORD_MMAP, 2, 8 + 32 + 208 + 16);
	P32(&f, 10);
	P32(&f, 10);
	P64(&f, 0x1000);
	P64(&f, 0x1000);
	P64(&f, 0);
	put(&f, path, 200);
	put_zero(&f, 8);
	put_id(10);
	SAMPLE(10, USER, 0x1010, 0x1010);
	snprintf(want, sizeof(want), "\n\t%16x (%s)\n\t%16x (%s)\n\n", 0x1010, path, 0x1010, path);
	expect("ip,dso", 0, want);
}

/* Addresses in no object, many of them, whatever is printed of them. */
static void lost(void **state)
{
	static const char *const fields[] = { "ip", "ip,sym", "ip,dso", "ip,sym,symoff,dso,dsoff",
					      "ip,sym,srcline" };
	static const char *const behind[] = { "", " [unknown]", " ([unknown])",
					      " [unknown] ([unknown])", " [unknown]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		char want[400];

		start();
		map(10, 0x1000, 0x1000, "/a");
		SAMPLE(10, USER, 0xfff, 0x2000, 0xffffffffffffff, 0xfff);
		snprintf(want, sizeof(want), "\n\t%16x%s\n\t%16x%s\n\t%16llx%s\n\t%16x%s\n\n",
			 0xfff, behind[i], 0x2000, behind[i], 0xffffffffffffffULL, behind[i], 0xfff,
			 behind[i]);
		expect(fields[i], 0, want);
	}
}

/* Samples of pid 20, and before each the same of pid 10, which has this program elsewhere. */
static char *of_this_program(bool both, const char *fields)
{
	const uint64_t size = 0x400000, step = 0x4c1;
	char path[256];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = 0;
	start();
	map(10, 0x20000000, size, path);
	map(20, 0x7f0012340000, size, path);
	for (int round = 0; round < 2; round++) {
		for (uint64_t at = 0; at < size - 64; at += step) {
			if (both)
				SAMPLE(10, USER, 0x20000000 + at, 0x20000000 + at + 1);
			SAMPLE(20, USER, 0x7f0012340000 + at, 0x7f0012340000 + at + 1);
		}
	}
	return text(fields, 0);
}

/* Leaves out the blocks of lines that lie at 0x20000000. */
static void drop_pid_10(char *text)
{
	char *to = text;

	for (char *p = text, *end; *p; p = end) {
		/* AddressSanitizer's strstr() looks at all that follows, each time. */
		for (end = p + 2; end[-2] != '\n' || end[-1] != '\n';)
			end++;
		if (strncmp(p, "\n\t        20", 12)) {
			memmove(to, p, (size_t)(end - p));
			to += end - p;
		}
	}
	*to = 0;
}

/* What was kept of one process is printed for another one: functions, inlined ones, lines. */
static void by_object(void **state)
{
	static const char *const fields[] = { "ip,sym,symoff,dso", "ip,sym", "ip,sym,srcline" };

	(void)state;
	symfs = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		char *alone = of_this_program(false, fields[i]);
		char *both = of_this_program(true, fields[i]);

		drop_pid_10(both);
		assert_string_equal(both, alone);
		assert_true(i || strstr(alone, "+0x"));
		free(alone);
		free(both);
	}
	symfs = "/nonexistent";
}

/* --symbols: addresses, each of one byte or of --addr-range; words of hex digits are both. */
static void addresses(void **state)
{
	static const struct {
		const char *symbols;
		uint64_t range;
		const char *want;
	} cases[] = {
		{ "0x1010", 0, "            1010\n" },
		{ "1010", 0, "            1010\n" },
		{ "0x100f,nosuch", 0, "" },
		{ "0x100f", 2, "            1010\n" },
		{ "100f,0x1fff", 2, "            1010\n            2000\n" },
		{ "0xfff", 0x11, "" },
		{ "-1010,+1010", 0, "" },
		{ "0xfffffffffffffff0", 0x1021, "            1010\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct session_opts so = { .symbols = cases[i].symbols,
					   .addr_range = cases[i].range };
		const struct script_opts o = { .hide_call_graph = true };
		char *got;

		start();
		SAMPLE(10, USER, 0x1010);
		SAMPLE(10, USER, 0x2000);
		got = text_of(&so, &o, "ip");
		for (char *p = got; *p; p++)
			if (*p == '\n' && p[1] == ' ')
				memmove(p + 1, p + 2, strlen(p + 1));
		assert_string_equal(got + (*got == ' '), cases[i].want);
		free(got);
	}
}

struct places {
	struct obuf o;
	unsigned left; /* samples until there is no place any more */
};

static struct obuf *place_of(void *ctx, const struct perfdata_event *event, struct err *e)
{
	struct places *p = ctx;

	assert_int_equal(event->idx, 0);
	if (p->left--)
		return &p->o;
	err_set(e, -ENOSPC, "no place");
	return NULL;
}

/* Samples go where the caller says; what is none stays. */
static void elsewhere(void **state)
{
	struct places p = { .left = 1 };
	const struct script_opts o = { .out = place_of, .out_ctx = &p, .show = SHOW_MMAP };
	char *got;

	(void)state;
	start();
	map(10, 0x1000, 0x1000, "/a");
	SAMPLE(10, USER, 0x1010);
	assert_int_equal(obuf_init(&p.o, -1, 0), 0);
	got = text_with(&o, "ip,dso", 0);
	assert_non_null(strstr(got, "PERF_RECORD_MMAP"));
	assert_null(strstr(got, "1010 (/a)"));
	free(got);
	obuf_char(&p.o, 0);
	assert_string_equal(p.o.buf, "\n\t            1010 (/a)\n\n");
	obuf_free(&p.o);
}

static void narrow(void **state)
{
	const struct script_opts o = { .latency = true };
	char *got;

	(void)state;
	start();
	SAMPLE(10, USER, 0x1010);
	got = text_with(&o, "comm,tid,ip", 0);
	assert_string_equal(got, "     :10      10 \n\t            1010\n\n");
	free(got);
}

static void need(void **state)
{
	struct perf_event_attr attr = { .sample_type = CHAIN_TYPE };
	uint64_t regs = PERF_SAMPLE_REGS_USER, stack = PERF_SAMPLE_STACK_USER;

	(void)state;
	assert_int_equal(unwind_need(&attr), PERF_SAMPLE_CALLCHAIN);
	attr.sample_type |= regs;
	assert_int_equal(unwind_need(&attr), PERF_SAMPLE_CALLCHAIN);
	attr.sample_type |= stack;
	assert_int_equal(unwind_need(&attr), PERF_SAMPLE_CALLCHAIN | regs | stack);
	attr.sample_type = CHAIN_TYPE | PERF_SAMPLE_BRANCH_STACK;
	assert_int_equal(unwind_need(&attr), PERF_SAMPLE_CALLCHAIN);
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK;
	assert_int_equal(unwind_need(&attr), PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_process), cmocka_unit_test(by_time),
		cmocka_unit_test(by_mode),    cmocka_unit_test(odd),
		cmocka_unit_test(many),	      cmocka_unit_test(long_name),
		cmocka_unit_test(need),	      cmocka_unit_test(addresses),
		cmocka_unit_test(lost),	      cmocka_unit_test(by_object),
		cmocka_unit_test(elsewhere),  cmocka_unit_test(narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
