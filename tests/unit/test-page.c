// SPDX-License-Identifier: GPL-2.0-or-later
/* What stands in a page's data: the tree, rows, what is cut and how much, names that are no text. */
#include <stdlib.h>

#include "config.h"
#include "page/page.h"
#include "session-build.h"

#define CHAINS	  (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)
#define OBJECT(n) (0x100000ULL * ((n) + 1))

static struct build f;

/* Objects a, b, c ... without symbols: a frame is an object. */
static void start(unsigned objects)
{
	start_file_of(&f, false, PERF_ATTR_SIZE_VER5, CHAINS, 0);
	for (unsigned i = 0; i < objects; i++) {
		size_t at = begin_record(&f, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
		char name[32];

		snprintf(name, sizeof(name), "/no/such/%c%u", 'a' + (char)(i % 26), i);
		put_mapping(&f, 10, 11, OBJECT(i), 0x1000, 0);
		put_string(&f, name);
		P32(&f, 10);
		P32(&f, 11);
		P64(&f, 1);
		end_record(&f, at);
	}
}

/* "ab": b, called by a; at @time. */
static void stack(const char *frames, uint64_t time)
{
	size_t n = strlen(frames), at = begin_record(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	P64(&f, OBJECT((unsigned)frames[n - 1] - 'a') + 8);
	P32(&f, 10);
	P32(&f, 11);
	P64(&f, time);
	P64(&f, n + 1);
	P64(&f, PERF_CONTEXT_USER);
	for (size_t i = n; i-- > 0;)
		P64(&f, OBJECT((unsigned)frames[i] - 'a') + 8);
	end_record(&f, at);
}

/* The page; NUL-terminated, to be freed by obuf_free(). */
static void make(const struct page_opts *o, struct obuf *out)
{
	struct session_opts so = { 0 };
	struct session *s;
	struct err e = { 0 };

	end_file(&f);
	assert_int_equal(open_session(&s, &so, &f, &e), 0);
	assert_int_equal(obuf_init(out, -1, 0), 0);
	assert_int_equal(page_write(s, o, out, &e), 0);
	obuf_char(out, 0);
	session_close(s);
}

static const char *data_of(const struct obuf *page)
{
	const char *at = strstr(page->buf, "data-form=\"");

	assert_non_null(at);
	return at;
}

static void has(const struct obuf *page, const char *part)
{
	if (!strstr(data_of(page), part))
		fail_msg("no %s in %.4000s", part, data_of(page));
}

static void tree(void **state)
{
	struct obuf page;

	(void)state;
	start(4);
	stack("ab", 1000);
	stack("ac", 1000);
	stack("d", 1000);
	stack("ab", 1000);
	make(&(struct page_opts){ 0 }, &page);
	has(&page, "\"nodes\":{\"up\":[0,0,1,2],\"frame\":[0,1,2,3]}");
	has(&page,
	    "\"rows\":{\"node\":[1,1,1],\"group\":[0,0,0],\"slice\":[1,0,0],\"count\":[2,1,1],"
	    "\"period\":[2000,1000,1000]}");
	has(&page, "\"strings\":[\"\",\":11\",\"[a0]\",\"[b1]\"");
	has(&page, "\"cut\":{\"nodes\":0,\"samples\":0,\"cpu\":0,\"time\":0}");
	obuf_free(&page);
}

/* Of four nodes two may stay: what is below, and beside them, are frames that say so. */
static void small_frames(void **state)
{
	struct obuf page;

	(void)state;
	start(5);
	stack("ab", 1000);
	stack("ab", 1000);
	stack("ace", 1000);
	stack("d", 1000);
	make(&(struct page_opts){ .max_nodes = 2 }, &page);
	has(&page, "\"cut\":{\"nodes\":3,\"samples\":2,\"cpu\":0,\"time\":0}");
	has(&page, "\"nodes\":{\"up\":[0,0,1,2],\"frame\":[0,1,5,5]}");
	has(&page, "\"count\":[2,1,1]");
	has(&page, "small frames, cut");
	obuf_free(&page);
}

static uint64_t sum_of(const struct obuf *page, const char *column, size_t *n)
{
	const char *at = strstr(data_of(page), column);
	uint64_t sum = 0;

	assert_non_null(at);
	at += strlen(column);
	for (*n = 0; *at != ']'; ++*n) {
		char *end;

		sum += strtoull(at, &end, 10);
		at = *end == ',' ? end + 1 : end;
	}
	return sum;
}

static void many_rows(void **state)
{
	struct obuf page;
	size_t n;

	(void)state;
	start(2);
	for (unsigned i = 0; i < 900; i++)
		stack("ab", 1000 + ((uint64_t)i << 20));
	make(&(struct page_opts){ .max_rows = 100 }, &page);
	assert_int_equal(sum_of(&page, "\"count\":[", &n), 900);
	assert_in_range(n, 50, 100);
	has(&page, "\"cut\":{\"nodes\":0,\"samples\":0,\"cpu\":1,\"time\":1}");
	obuf_free(&page);
}

/* Slices as long as it takes, and none that is not there. */
static void far_apart(void **state)
{
	static const uint64_t times[] = { 1000, 1001, 1ULL << 40, 1ULL << 62, UINT64_MAX - 1 };
	struct obuf page;
	size_t n;

	(void)state;
	start(1);
	for (size_t i = 0; i < ARRAY_SIZE(times); i++)
		stack("a", times[i]);
	make(&(struct page_opts){ 0 }, &page);
	assert_int_equal(sum_of(&page, "\"count\":[", &n), ARRAY_SIZE(times));
	assert_true(n >= 2);
	obuf_free(&page);
}

static void names(void **state)
{
	static const char hostile[] = "<!--\"\\&'\xff\xe2\x80\xae\x01\n";
	struct obuf page;
	const char *end;
	size_t at;

	(void)state;
	start(1);
	at = begin_record(&f, PERF_RECORD_COMM, 0);
	P32(&f, 10);
	P32(&f, 11);
	put_string(&f, hostile);
	P32(&f, 10);
	P32(&f, 11);
	P64(&f, 2);
	end_record(&f, at);
	stack("a", 1000);
	make(&(struct page_opts){ 0 }, &page);
	has(&page, "\"\\u003c!--\\\"\\\\\\u0026'\\\\xff\\\\xe2\\\\x80\\\\xae\\\\x01\\n\"");
	end = strchr(strchr(data_of(&page), '>'), '<');
	assert_non_null(end);
	assert_memory_equal(end, "</script>", 9);
	obuf_free(&page);
}

/* A lot is packed where that can be; either way no byte of it is markup. */
static void packed(void **state)
{
	struct obuf page;
	char name[3] = "";

	(void)state;
	start(26);
	for (unsigned i = 0; i < 9000; i++) {
		name[0] = (char)('a' + i % 26);
		name[1] = (char)('a' + i / 26 % 26);
		stack(name, 1000 + ((uint64_t)i << 24));
	}
	make(&(struct page_opts){ 0 }, &page);
	if (HAVE_ZLIB)
		has(&page, "data-form=\"gzip\">H4sI");
	else
		has(&page, "data-form=\"json\">{\"version\":1,");
	obuf_free(&page);
}

static void nothing(void **state)
{
	struct obuf page;

	(void)state;
	start(1);
	make(&(struct page_opts){ .functions = 3 }, &page);
	has(&page, "\"nodes\":{\"up\":[],\"frame\":[]}");
	has(&page, "\"time\":{\"slices\":0}");
	obuf_free(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree),	     cmocka_unit_test(small_frames),
		cmocka_unit_test(many_rows), cmocka_unit_test(far_apart),
		cmocka_unit_test(names),     cmocka_unit_test(packed),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("page", tests, NULL, NULL);
}
