// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The spine, fed with small recordings: which samples reach a consumer, in what state of threads and
 * counters, and what is told of those that do not. What a consumer saw is a line of words.
 */
#include "session-build.h"

#define FLAT  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define CHAIN (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)
#define READ  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ)

static struct build f;
static uint64_t now, type;

static void start(uint64_t sample_type, uint64_t flags)
{
	size_t end;

	now = 0;
	type = sample_type;
	start_file_of(&f, host_is_big_endian(), PERF_ATTR_SIZE_VER0, type, 0);
	end = f.n;
	f.n = BUILD_HEADER_SIZE + 40; /* the attr's flags */
	put_flags(&f, ATTR_FLAG_SAMPLE_ID_ALL | flags);
	f.n = end;
}

/* What every record but a sample ends with. */
static void put_id(uint32_t tid)
{
	P32(&f, 10);
	P32(&f, tid);
	P64(&f, ++now * 1000000000);
	if (type & PERF_SAMPLE_CPU)
		P64(&f, 0);
}

static void comm(uint32_t tid, const char *name)
{
	size_t at = begin_record(&f, PERF_RECORD_COMM, 0);

	P32(&f, 10);
	P32(&f, tid);
	put_string(&f, name);
	put_id(tid);
	end_record(&f, at);
}

/* A sample each second. @last: its CPU, or its counter. */
static void sample(uint64_t ip, uint32_t tid, uint64_t last)
{
	size_t at = begin_record(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	P64(&f, ip);
	P32(&f, 10);
	P32(&f, tid);
	P64(&f, ++now * 1000000000);
	if (type & PERF_SAMPLE_CPU) {
		P32(&f, last);
		P32(&f, 0);
	} else {
		P64(&f, last);
	}
	end_record(&f, at);
}

static void deferred(uint32_t tid, uint64_t ip, uint64_t cookie)
{
	size_t at = begin_record(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);

	P64(&f, ip);
	P32(&f, 10);
	P32(&f, tid);
	P64(&f, ++now * 1000000000);
	P64(&f, 4);
	P64(&f, PERF_CONTEXT_KERNEL);
	P64(&f, ip);
	P64(&f, PERF_CONTEXT_USER_DEFERRED);
	P64(&f, cookie);
	end_record(&f, at);
}

static void rest(uint32_t tid, uint64_t cookie, uint64_t ip)
{
	size_t at = begin_record(&f, PERF_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);

	P64(&f, cookie);
	P64(&f, 2);
	P64(&f, PERF_CONTEXT_USER); /* a marker of its own is not a second one */
	P64(&f, ip);
	put_id(tid);
	end_record(&f, at);
}

/* ---- a consumer ------------------------------------------------------------------------------ */

struct seen {
	struct session *s;
	char text[2048];
	uint64_t need;
	unsigned asked, finished, left; /* left: samples until it has enough; 0 = never */
	int bad;			/* what its bad() returns */
};

static void say(struct seen *k, const char *fmt, ...) __printf_fmt(2, 3);

static void say(struct seen *k, const char *fmt, ...)
{
	size_t n = strlen(k->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(k->text + n, sizeof(k->text) - n, fmt, ap);
	va_end(ap);
}

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	struct seen *k = ctx;

	(void)event;
	k->asked++;
	return k->need;
}

static int take(void *ctx, const struct session_sample *in, struct err *e)
{
	struct seen *k = ctx;
	const struct sample *s = in->s;

	(void)e;
	say(k, "%llx", (unsigned long long)s->ip);
	if (in->thread)
		say(k, "/%s", machine_comm(session_env(k->s)->machine, in->thread->comm));
	for (uint64_t i = 0; k->need & PERF_SAMPLE_CALLCHAIN && i < s->callchain.nr; i++)
		if (u64s_get(&s->callchain, i) < PERF_CONTEXT_MAX)
			say(k, ":%llx", (unsigned long long)u64s_get(&s->callchain, i));
		else
			say(k, ":*");
	if (s->present & PERF_SAMPLE_READ)
		say(k, "+%llu", (unsigned long long)s->period);
	say(k, " ");
	return k->left && !--k->left;
}

static int record(void *ctx, const struct record *rec, struct err *e)
{
	struct seen *k = ctx;

	(void)e;
	if (rec->type == PERF_RECORD_COMM && session_in_slice(k->s))
		say(k, "comm ");
	return 0;
}

static int bad(void *ctx, const struct record *rec, struct err *why)
{
	struct seen *k = ctx;

	(void)why;
	say(k, "bad%u ", rec->type);
	return k->bad;
}

static int finish(void *ctx, struct err *e)
{
	(void)e;
	((struct seen *)ctx)->finished++;
	return 0;
}

static const struct session_consumer consumer = {
	.need = need, .sample = take, .record = record, .bad = bad, .finish = finish
};

/* Reads the file with @o; what @k saw is compared with @want. The session stays open. */
static int read_with(struct seen *k, struct session_opts *o, const char *want)
{
	struct err e = { 0 };
	int ret;

	if (!k->need)
		k->need = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	end_file(&f);
	o->symfs = "/nonexistent";
	assert_int_equal(open_session(&k->s, o, &f, &e), 0);
	ret = session_read(k->s, &consumer, k, &e);
	assert_string_equal(k->text, want);
	return ret;
}

static void expect(struct session_opts o, const char *want)
{
	struct seen k = { 0 };

	assert_int_equal(read_with(&k, &o, want), 0);
	assert_int_equal(k.finished, 1);
	session_close(k.s);
}

/* ---- which samples --------------------------------------------------------------------------- */

static void fill(void)
{
	start(FLAT, 0);
	sample(0x1, 11, 0);
	comm(11, "one");
	sample(0x2, 11, 1);
	sample(0x3, 12, 2);
	comm(12, "two");
	sample(0x4, 12, 3);
	sample(0x5, 11, 0);
}

static void filters(void **state)
{
	(void)state;
	fill();
	expect((struct session_opts){ 0 }, "1/:11 comm 2/one 3/:12 comm 4/two 5/one ");
	expect((struct session_opts){ .tids = "12" }, "comm 3/:12 comm 4/two ");
	expect((struct session_opts){ .pids = "10", .tids = "11,99" },
	       "1/:11 comm 2/one comm 5/one ");
	expect((struct session_opts){ .pids = "9", .tids = "11" }, "comm comm ");
	expect((struct session_opts){ .comms = "two,one" }, "comm 2/one comm 4/two 5/one ");
	expect((struct session_opts){ .cpus = "0,2-3" }, "1/:11 comm 3/:12 comm 4/two 5/one ");
	/* The first name came in the second second. */
	expect((struct session_opts){ .time = "3,4" }, "comm 2/one 3/:12 comm ");
}

/* What options leave out is counted, wherever that is known; what the consumer does not want is not. */
static void counts_left_out(void **state)
{
	struct session_opts cases[] = { { .time = "3,4" },
					{ .time = "9999,10000" },
					{ .tids = "12" },
					{ .cpus = "0" },
					{ 0 } };
	static const struct {
		uint64_t samples, left_out;
	} want[] = { { 2, 3 }, { 0, 5 }, { 2, 3 }, { 2, 3 }, { 5, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seen k = { 0 }, none = { .need = SESSION_NONE };
		struct err e = { 0 };

		fill();
		end_file(&f);
		k.need = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
		cases[i].symfs = "/nonexistent";
		assert_int_equal(open_session(&k.s, &cases[i], &f, &e), 0);
		assert_int_equal(session_read(k.s, &consumer, &k, &e), 0);
		assert_int_equal(session_counts(k.s)->samples, want[i].samples);
		assert_int_equal(session_counts(k.s)->left_out, want[i].left_out);
		session_close(k.s);
		fill();
		end_file(&f);
		assert_int_equal(open_session(&none.s, &cases[i], &f, &e), 0);
		assert_int_equal(session_read(none.s, &consumer, &none, &e), 0);
		assert_int_equal(session_counts(none.s)->left_out, 0);
		session_close(none.s);
	}
}

static void refused(void **state)
{
	static const struct session_opts cases[] = {
		{ .pids = "abc" }, { .tids = "1,2x" },	   { .tids = "99999999999" },
		{ .cpus = "1-x" }, { .symfs = "/a,deep" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct session *s;
		struct err e = { 0 };

		/* Before the file, which is not there. */
		assert_int_equal(session_open(&s, &cases[i], &e), -EINVAL);
		assert_true(session_misused(s));
		assert_null(session_env(s)->pd);
		session_close(s);
	}
}

static void no_such_file(void **state)
{
	const struct session_opts o = { .input = "/nonexistent/perf.data" };
	struct session *s;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(session_open(&s, &o, &e), -ENOENT);
	assert_false(session_misused(s));
	session_close(s);
	session_close(NULL);
}

/* Events by name, without modifiers, several; one that is not there. */
static void events(void **state)
{
	const char *const words[] = { "cpu-clock", "cpu-clock,cpu-clock", "nosuch" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct session_opts o = { .symfs = "/nonexistent" };
		struct session *s;
		struct err e = { 0 };

		fill();
		end_file(&f);
		assert_int_equal(vec_push(&o.events.items, words[i]), 0);
		assert_int_equal(open_session(&s, &o, &f, &e), i < 2 ? 0 : -EINVAL);
		assert_int_equal(session_misused(s), i == 2);
		session_close(s);
		session_opts_free(&o);
	}
}

/* ---- need ------------------------------------------------------------------------------------ */

static void needs(void **state)
{
	struct session_opts o = { 0 };
	struct seen k = { .need = PERF_SAMPLE_IP }, none = { .need = SESSION_NONE };

	(void)state;
	fill();
	/* No thread was asked for, and the event was asked about once. */
	assert_int_equal(read_with(&k, &o, "1 comm 2 3 comm 4 5 "), 0);
	assert_int_equal(k.asked, 1);
	assert_int_equal(session_counts(k.s)->samples, 5);
	session_close(k.s);
	assert_int_equal(read_with(&none, &o, "comm comm "), 0);
	assert_int_equal(session_counts(none.s)->samples, 0);
	session_close(none.s);
}

static void enough(void **state)
{
	struct session_opts o = { 0 };
	struct seen k = { .left = 2 };

	(void)state;
	fill();
	assert_int_equal(read_with(&k, &o, "1/:11 comm 2/one "), 0);
	session_close(k.s);
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* Adjoining slices show together what the whole shows: threads have the names they have by then. */
static void slices(void **state)
{
	(void)state;
	fill();
	expect((struct session_opts){ .nr_samples = 2 }, "1/:11 comm 2/one ");
	expect((struct session_opts){ .first_sample = 2, .nr_samples = 1 }, "3/:12 ");
	expect((struct session_opts){ .first_sample = 3 }, "comm 4/two 5/one ");
	/* Those that are left out have their numbers too. */
	expect((struct session_opts){ .first_sample = 3, .tids = "11" }, "comm 5/one ");
	expect((struct session_opts){ .first_sample = 9 }, "");
}

/* A counter's totals go on through samples of another slice, and those that are left out. */
static void counters(void **state)
{
	(void)state;
	start(READ, 0);
	sample(0x1, 11, 100);
	sample(0x2, 11, 130);
	sample(0x3, 11, 130); /* did not move: no sample of it */
	sample(0x4, 11, 150);
	expect((struct session_opts){ 0 }, "1/:11+100 2/:11+30 4/:11+20 ");
	expect((struct session_opts){ .nr_samples = 1 }, "1/:11+100 ");
	expect((struct session_opts){ .first_sample = 1 }, "2/:11+30 4/:11+20 ");
	expect((struct session_opts){ .first_sample = 3 }, "4/:11+20 ");
	expect((struct session_opts){ .time = "2,3" }, "2/:11+30 ");
	/* One counter for all threads, unless they inherit it. */
	for (int inherits = 0; inherits < 2; inherits++) {
		start(READ, inherits ? ATTR_FLAG_INHERIT : 0);
		sample(0x1, 11, 100);
		sample(0x2, 12, 130);
		sample(0x3, 13, 135);
		sample(0x4, 12, 150);
		expect((struct session_opts){ 0 },
		       inherits ? "1/:11+100 2/:12+130 3/:13+135 4/:12+20 "
				: "1/:11+100 2/:12+30 3/:13+5 4/:12+15 ");
	}
}

/* ---- chains that come later ------------------------------------------------------------------ */

static void late_chains(void **state)
{
	struct session_opts o = { 0 };
	struct seen k = { .need = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN };
	struct seen flat = { .need = PERF_SAMPLE_IP };

	(void)state;
	start(CHAIN, ATTR_FLAG_DEFER_CALLCHAIN);
	deferred(11, 0x81, 7);
	deferred(12, 0x82, 7); /* of another thread */
	deferred(11, 0x83, 8); /* gets none */
	rest(11, 7, 0x10);
	rest(12, 7, 0x20);
	assert_int_equal(read_with(&k, &o, "81:*:81:*:10 82:*:82:*:20 83:*:83 "), 0);
	session_close(k.s);
	/* Who does not look at chains waits for none. */
	assert_int_equal(read_with(&flat, &o, "81 82 83 "), 0);
	session_close(flat.s);
}

static void broken_chain(void **state)
{
	struct session_opts o = { 0 };
	struct seen k = { .need = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN };
	size_t at;

	(void)state;
	start(CHAIN, ATTR_FLAG_DEFER_CALLCHAIN);
	deferred(11, 0x81, 7);
	at = begin_record(&f, PERF_RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER);
	P64(&f, 7);
	P64(&f, 1 << 20);
	put_id(11);
	end_record(&f, at);
	assert_int_equal(read_with(&k, &o, "bad22 81:*:81 "), 0);
	session_close(k.s);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void bad_records(void **state)
{
	struct session_opts o = { 0 };
	struct seen k = { 0 }, strict = { .bad = -EBADMSG };
	size_t at;

	(void)state;
	start(CHAIN, 0);
	at = begin_record(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	P64(&f, 1);
	end_record(&f, at);
	k.need = strict.need = CHAIN;
	assert_int_equal(read_with(&k, &o, "bad9 "), 0);
	assert_int_equal(session_counts(k.s)->bad, 1);
	assert_int_equal(session_counts(k.s)->bad_samples, 1);
	assert_non_null(
		strstr(session_warnings(k.s, SESSION_WARN_BAD)[0], "1 records could not be"));
	assert_null(session_warnings(k.s, SESSION_WARN_LOST)[0]);
	session_close(k.s);
	assert_int_equal(read_with(&strict, &o, "bad9 "), -EBADMSG);
	session_close(strict.s);
}

/* What came before the damage was whole, and the consumer ends as always. */
static void damage(void **state)
{
	struct session_opts o = { 0 };
	struct seen k = { 0 };

	(void)state;
	fill();
	put_header(&f, PERF_RECORD_SAMPLE, 0, 4); /* smaller than its own header */
	assert_int_equal(read_with(&k, &o, "1/:11 comm 2/one 3/:12 comm 4/two 5/one "), 0);
	assert_non_null(session_damage(k.s));
	assert_int_equal(k.finished, 1);
	session_close(k.s);
}

/* ---- options --------------------------------------------------------------------------------- */

static void options(void **state)
{
	static const char *const usage[] = { "x", NULL };
	const struct command cmd = { .name = "x", .usage = usage, .options = session_options };
	char *argv[] = { "x",	     "-fi",	     "in",	"-C",	   "1",		  "-e",
			 "a",	     "--event=b",    "--pid",	"7",	   "-S",	  "m",
			 "-k",	     "vmlinux",	     "--symfs", "/r,flat", "--max-stack", "9",
			 "--inline", "--stitch-lbr", NULL };
	struct session_opts o = { .no_inline = true };

	(void)state;
	assert_int_equal(cli_parse(&cmd, &o, ARRAY_SIZE(argv) - 1, argv, 0), 0);
	assert_true(o.force && o.stitch_lbr && !o.no_inline);
	assert_string_equal(o.input, "in");
	assert_string_equal(o.cpus, "1");
	assert_int_equal(o.events.items.n, 2);
	assert_string_equal(o.pids, "7");
	assert_string_equal(o.symbols, "m");
	assert_string_equal(o.vmlinux, "vmlinux");
	assert_int_equal(o.max_stack, 9);
	session_opts_free(&o);
}

static void symfs(void **state)
{
	static const struct {
		const char *symfs, *want;
	} cases[] = {
		{ NULL, NULL },
		{ "/r", "/r/usr/bin/app" },
		{ "/r,hierarchy", "/r/usr/bin/app" },
		{ "/r,flat", "/r/app" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct session_opts o = { .symfs = cases[i].symfs };
		struct session *s;
		char path[64] = "";
		struct err e;

		fill();
		end_file(&f);
		assert_int_equal(open_session(&s, &o, &f, &e), 0);
		assert_int_equal(session_symfs_path(s, "/usr/bin/app", path, sizeof(path)),
				 cases[i].want != NULL);
		assert_string_equal(path, cases[i].want ? cases[i].want : "");
		assert_false(session_symfs_path(s, "[vdso]", path, sizeof(path)));
		session_close(s);
	}
}

/* Which recordings: names in their order, of directories what begins as a recording does, and how columns are called. */
static void make_file(const char *dir, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int collect(struct session_files *files, const char *const *names, int n, struct err *e)
{
	struct session_opts o = { .symfs = NULL };
	char *argv[70];

	for (int i = 0; i < n; i++)
		argv[i] = (char *)names[i];
	return session_files_collect(files, &o, n, argv, e);
}

static void several(void **state)
{
	char dir[] = "/tmp/perf-files.XXXXXX", other[64], path[64];
	const char *stdins[] = { "-", "x", "-" }, *many[65], *names[] = { other, dir };
	struct session_files files = { .first = 0 };
	struct err e = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	make_file(dir, "b.data", "PERFILE2");
	make_file(dir, "a.data", "2ELIFREP");
	make_file(dir, "notes", "text that is none");
	make_file(dir, "short", "PERF");
	snprintf(other, sizeof(other), "%s/b.data", dir);
	assert_int_equal(collect(&files, names, 2, &e), 0);
	assert_int_equal(files.v.n, 3);
	assert_string_equal(files.v.v[0], other);
	assert_string_equal(files.v.v[2], other);
	/* Two are called b.data: then all are called by their paths. */
	assert_string_equal(files.names.v[0], other);
	snprintf(path, sizeof(path), "%s/a.data", dir);
	assert_string_equal(files.v.v[1], path);
	assert_null(*session_files_differences(&files));
	session_files_free(&files);

	files = (struct session_files){ .first = 0 };
	assert_int_equal(collect(&files, names + 1, 1, &e), 0);
	assert_string_equal(files.names.v[0], "a.data");
	assert_true(session_files_is_recording(path));
	assert_true(session_files_is_recording(dir));
	session_files_free(&files);

	files = (struct session_files){ .first = 0 };
	assert_int_equal(collect(&files, stdins, 3, &e), -EINVAL);
	assert_non_null(strstr(e.text, "stdin can be one recording, not 2"));
	session_files_free(&files);
	files = (struct session_files){ .o.by_file = true };
	assert_int_equal(collect(&files, stdins, 2, &e), -EINVAL);
	assert_non_null(strstr(e.text, "--by-file"));
	session_files_free(&files);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = "x";
	files = (struct session_files){ .o.by_file = true };
	assert_int_equal(collect(&files, many, 65, &e), -EINVAL);
	assert_non_null(strstr(e.text, "64 recordings at most, not 65"));
	session_files_free(&files);

	for (size_t i = 0; i < 4; i++) {
		static const char *const made[] = { "a.data", "b.data", "notes", "short" };

		snprintf(path, sizeof(path), "%s/%s", dir, made[i]);
		unlink(path);
	}
	files = (struct session_files){ .first = 0 };
	assert_int_equal(collect(&files, names + 1, 1, &e), -ENOENT);
	assert_non_null(strstr(e.text, "has no recording in it"));
	assert_false(session_files_is_recording(dir));
	session_files_free(&files);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filters),	cmocka_unit_test(counts_left_out),
		cmocka_unit_test(refused),	cmocka_unit_test(no_such_file),
		cmocka_unit_test(events),	cmocka_unit_test(needs),
		cmocka_unit_test(enough),	cmocka_unit_test(slices),
		cmocka_unit_test(counters),	cmocka_unit_test(late_chains),
		cmocka_unit_test(broken_chain), cmocka_unit_test(bad_records),
		cmocka_unit_test(damage),	cmocka_unit_test(options),
		cmocka_unit_test(symfs),	cmocka_unit_test(several),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
