// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dumps of the small recordings in tests/data/perf, whole and with bytes changed: whatever a file
 * says, the text has its frame. Equality with upstream's text is tests/golden/dump.sh's.
 */
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "dump/dump.h"

static char *dump_file(const char *path, bool redact, uint64_t *records)
{
	struct dump_opts opts = { .redact = redact };
	struct perfdata_opts po = { .force = true };
	struct err e = { 0 };
	struct perfdata *pd;
	struct record rec;
	struct obuf o;
	struct dump *d;
	char *text;

	*records = 0;
	if (perfdata_open(&pd, path, &po, &e))
		return NULL;
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	assert_int_equal(dump_new(&d, pd, &o, &opts, &e), 0);
	while (perfdata_next_ordered(pd, &rec, &e) > 0) {
		if (rec.type != PERF_RECORD_HEADER_EVENT_TYPE)
			++*records;
		dump_record(d, &rec);
	}
	dump_print_stats(dump_stats(d), pd, &o);
	dump_free(d);
	perfdata_close(pd);
	assert_int_equal(o.code, 0);
	text = malloc(o.len + 1);
	assert_non_null(text);
	memcpy(text, o.buf, o.len);
	text[o.len] = 0;
	obuf_free(&o);
	return text;
}

static uint64_t count(const char *text, const char *what)
{
	uint64_t n = 0;

	for (const char *s = strstr(text, what); s; s = strstr(s + 1, what))
		n++;
	return n;
}

static void recordings(glob_t *g)
{
	assert_int_equal(glob("tests/data/perf/*.data", 0, NULL, g), 0);
	assert_true(g->gl_pathc > 20);
}

/* Every record has its head, its bytes and its line; control bytes never come through. */
static void frames(void **state)
{
	glob_t g;

	(void)state;
	recordings(&g);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		uint64_t n;
		char *text = dump_file(g.gl_pathv[i], false, &n);

		if (!text)
			continue;
		assert_int_equal(count(text, "]: event: "), n);
		assert_int_equal(count(text, "\n. ... raw event: size "), n);
		assert_int_equal(count(text, "]: PERF_RECORD_"), n);
		assert_int_equal(count(text, "\nAggregated stats:"), 1);
		for (const unsigned char *c = (unsigned char *)text; *c; c++)
			assert_true(*c >= ' ' || *c == '\n' || *c == '\t');
		free(text);
	}
	globfree(&g);
}

static void redacted(void **state)
{
	uint64_t n;
	char *plain = dump_file("tests/data/perf/i386-iregs.data", false, &n);
	char *hidden = dump_file("tests/data/perf/i386-iregs.data", true, &n);

	(void)state;
	assert_non_null(plain);
	assert_true(count(plain, "\n.... AX    0x") > 100);
	assert_int_equal(count(hidden, "\n.... AX    0x"), 0);
	assert_int_equal(count(hidden, "\n.... AX    -\n"), count(plain, "\n.... AX    0x"));
	free(plain);
	free(hidden);
}

static void write_file(const char *path, const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, data, n), 0);
	close(fd);
}

/* Changed bytes, cut ends: an error or a text, no crash (sanitizers and valgrind look on). */
static void damaged(void **state)
{
	char path[] = "/tmp/perf-test-dump.XXXXXX";
	int fd = mkstemp(path);
	uint64_t seed = 1, n;
	glob_t g;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	log_set_level(LOG_ERROR);
	recordings(&g);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		size_t size;
		char *data = file_read_all(g.gl_pathv[i], 1 << 20, &size, NULL);

		if (!data)
			continue;
		for (int round = 0; round < 6 && size > 200; round++) {
			size_t at = (seed = hash_u64(seed + 1)) % (size - 8);
			uint64_t saved = load_u64(data + at, false);

			store_u64(data + at, round & 1 ? UINT64_MAX : hash_u64(seed));
			write_file(path, data, round == 5 ? at : size);
			free(dump_file(path, false, &n));
			store_u64(data + at, saved);
		}
		free(data);
	}
	globfree(&g);
	unlink(path);
}

/* Totals, shares, and events in the order of the file. */
static void counts(void **state)
{
	struct perfdata *pd;
	struct dump_stats s;
	struct record rec;
	struct err e = { 0 };
	struct obuf o;

	(void)state;
	assert_int_equal(perfdata_open(&pd, "tests/data/perf/group-4.14.data", NULL, &e), 0);
	s = (struct dump_stats){ .pd = pd };
	while (perfdata_next(pd, &rec, &e) > 0)
		dump_stats_add(&s, &rec);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	dump_print_stats(&s, pd, &o);
	obuf_char(&o, 0);
	assert_int_equal(strncmp(o.buf, "\nAggregated stats:\n               TOTAL events: ", 47),
			 0);
	assert_true(s.nr[PERF_RECORD_SAMPLE] > 0);
	assert_int_equal(s.events.n, 2);
	assert_int_equal(s.events.v[0].nr[PERF_RECORD_SAMPLE] +
				 s.events.v[1].nr[PERF_RECORD_SAMPLE],
			 s.nr[PERF_RECORD_SAMPLE]);
	/* types that nobody knows are counted apart */
	rec = (struct record){ .type = 40000 };
	dump_stats_add(&s, &rec);
	rec.type = PERF_RECORD_SAMPLE; /* of no event */
	dump_stats_add(&s, &rec);
	o.len = 0;
	dump_print_stats(&s, pd, &o);
	obuf_char(&o, 0);
	assert_non_null(strstr(o.buf, "\n             UNKNOWN events:          1  ("));
	obuf_free(&o);
	dump_stats_free(&s);
	perfdata_close(pd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(redacted),
		cmocka_unit_test(damaged),
		cmocka_unit_test(counts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
