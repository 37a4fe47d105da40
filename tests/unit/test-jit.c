// SPDX-License-Identifier: GPL-2.0-or-later
/* jitdump files, written here byte by byte, in both byte orders, whole and cut. */
#include "base/file.h"
#include "unit.h"

#include <sys/stat.h>
#include <time.h>

#include "jit/jit.h"

struct file {
	unsigned char b[16384];
	size_t n;
	bool swap;
};

static void put(struct file *f, const void *p, size_t n)
{
	assert_true(f->n + n <= sizeof(f->b));
	memcpy(f->b + f->n, p, n);
	f->n += n;
}

static void u32(struct file *f, uint32_t v)
{
	v = f->swap ? __builtin_bswap32(v) : v;
	put(f, &v, 4);
}

static void u64(struct file *f, uint64_t v)
{
	v = f->swap ? __builtin_bswap64(v) : v;
	put(f, &v, 8);
}

static void head(struct file *f, uint64_t flags)
{
	u32(f, 0x4a695444);
	u32(f, 1);
	u32(f, 40);
	u32(f, 62);
	u32(f, 0);
	u32(f, 42);
	u64(f, 0);
	u64(f, flags);
}

static void record(struct file *f, uint32_t id, size_t body, uint64_t time)
{
	u32(f, id);
	u32(f, (uint32_t)(16 + body));
	u64(f, time);
}

static void load(struct file *f, uint64_t time, uint64_t addr, uint64_t index, const char *name,
		 const char *code, size_t n)
{
	record(f, 0, 40 + strlen(name) + 1 + n, time);
	u32(f, 42);
	u32(f, 42);
	u64(f, addr);
	u64(f, addr);
	u64(f, n);
	u64(f, index);
	put(f, name, strlen(name) + 1);
	put(f, code, n);
}

static void move(struct file *f, uint64_t time, uint64_t from, uint64_t to, uint64_t index)
{
	record(f, 1, 48, time);
	u32(f, 42);
	u32(f, 42);
	u64(f, to);
	u64(f, from);
	u64(f, to);
	u64(f, 8);
	u64(f, index);
}

static void row(struct file *f, uint64_t addr, uint32_t line, const char *name)
{
	u64(f, addr);
	u32(f, line);
	u32(f, 0);
	put(f, name, strlen(name) + 1);
}

/* Two loads, the first with lines whose addresses are @shift too large, and a move. */
static void sample_file(struct file *f, uint64_t shift)
{
	head(f, 0);
	record(f, 2, 16 + 3 * 16 + 4 + 2 + 4, 5);
	u64(f, 0x1000);
	u64(f, 3);
	row(f, 0x1000 + shift, 7, "a.c");
	row(f, 0x1002 + shift, 8, "\xff");
	row(f, 0x1004 + shift, 9, "b.c");
	load(f, 10, 0x1000, 1, "first", "ABCDEFGH", 8);
	load(f, 20, 0x2000, 2, "second", "12345678", 8);
	move(f, 30, 0x1000, 0x3000, 1);
	record(f, 3, 0, 40);
}

static int temp_file(const struct file *f, size_t n)
{
	char path[] = "/tmp/test-jit.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write_all(fd, f->b, n), 0);
	return fd;
}

static void check_whole(struct jitdump *d)
{
	const struct jit_code *c = jitdump_code(d, 0);
	const struct jit_event *ev = jitdump_event(d, 2);
	struct jit_line l;
	char buf[16];

	assert_null(jitdump_damage(d));
	assert_int_equal(jitdump_nr_codes(d), 2);
	assert_non_null(jitdump_event(d, 2));
	assert_null(jitdump_event(d, 3));
	assert_string_equal(c->name, "first");
	assert_int_equal(c->addr, 0x1000);
	assert_int_equal(jitdump_read(d, c->at + 2, buf, sizeof(buf)), 6);
	assert_memory_equal(buf, "CDEFGH", 6);
	assert_true(jitdump_find(d, c->at + 7) == c);
	assert_null(jitdump_find(d, c->at + 8));
	assert_true(ev->moved && ev->old == 0x1000 && ev->addr == 0x3000 && !ev->code);
	assert_true(jitdump_line(d, c->at + 3, &l));
	assert_int_equal(l.line, 8);
	assert_string_equal(l.file, "a.c");
	assert_true(jitdump_line(d, c->at + 7, &l));
	assert_int_equal(l.line, 9);
	assert_string_equal(l.file, "b.c");
	assert_false(jitdump_line(d, jitdump_code(d, 1)->at, &l));
}

static void test_reads(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct file f = { .swap = i & 1 };
		struct jitdump *d;
		struct err e;

		sample_file(&f, i & 2 ? 0x40 : 0);
		assert_int_equal(jitdump_open(&d, temp_file(&f, f.n), &e), 0);
		check_whole(d);
		jitdump_close(d);
	}
}

/* Rows in any order: the one that begins last before an address counts, of equal ones the last. */
static void test_order(void **state)
{
	static const struct {
		unsigned at, line;
		const char *name;
	} want[] = {
		{ 0, 0, NULL }, { 1, 4, "b.c" }, { 2, 6, "b.c" }, { 5, 6, "b.c" }, { 6, 0, NULL }
	};
	struct file f = { .n = 0 };
	struct jitdump *d;
	struct jit_line l;
	struct err e;

	(void)state;
	head(&f, 0);
	record(&f, 2, 16 + 6 * 16 + 4 * 4 + 2 + 1, 5);
	u64(&f, 0x1000);
	u64(&f, 6);
	row(&f, 0x1006, 9, "");
	row(&f, 0x1002, 5, "a.c");
	row(&f, 0x1001, 3, "a.c");
	row(&f, 0x1001, 4, "b.c");
	row(&f, 0x1002, 6, "\xff");
	row(&f, 0x1009, 7, "c.c"); /* behind the code */
	load(&f, 10, 0x1000, 1, "first", "ABCDEFGH", 8);
	load(&f, 20, 0x2000, 2, "second", "12345678", 8);
	assert_int_equal(jitdump_open(&d, temp_file(&f, f.n), &e), 0);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
			bool found = jitdump_line(d, jitdump_code(d, 0)->at + want[i].at, &l);

			assert_int_equal(found, want[i].name != NULL);
			if (!found)
				continue;
			assert_int_equal(l.line, want[i].line);
			assert_string_equal(l.file, want[i].name);
		}
		assert_false(jitdump_line(d, jitdump_code(d, 1)->at, &l));
	}
	jitdump_close(d);
}

#define NR_ROWS 40000

/* What asking about all bytes of a function costs is not the product of bytes and rows. */
static void test_large(void **state)
{
	struct file f = { .n = 0 };
	clock_t before = clock();
	struct jitdump *d;
	struct jit_line l;
	struct err e;
	int fd;

	(void)state;
	head(&f, 0);
	record(&f, 2, 16 + NR_ROWS * 18, 5);
	u64(&f, 0x1000);
	u64(&f, NR_ROWS);
	fd = temp_file(&f, f.n);
	for (unsigned i = 0; i < NR_ROWS; i++) {
		f.n = 0;
		row(&f, 0x1000 + i, i + 1, "f");
		assert_int_equal(write_all(fd, f.b, f.n), 0);
	}
	f.n = 0;
	record(&f, 0, 40 + 6 + NR_ROWS, 10);
	u32(&f, 42);
	u32(&f, 42);
	u64(&f, 0x1000);
	u64(&f, 0x1000);
	u64(&f, NR_ROWS);
	u64(&f, 1);
	put(&f, "large", 6);
	assert_int_equal(write_all(fd, f.b, f.n), 0);
	f.n = 0;
	while (f.n < 4000)
		f.b[f.n++] = 0x90;
	for (int i = 0; i < NR_ROWS / 4000; i++)
		assert_int_equal(write_all(fd, f.b, f.n), 0);
	assert_int_equal(jitdump_open(&d, fd, &e), 0);
	for (unsigned i = 0; i < NR_ROWS; i++) {
		assert_true(jitdump_line(d, jitdump_code(d, 0)->at + i, &l));
		assert_int_equal(l.line, i + 1);
	}
	assert_true(clock() - before < 5 * CLOCKS_PER_SEC);
	jitdump_close(d);
}

/* Cut anywhere: what came before is used, and nothing else. */
static void test_cut(void **state)
{
	struct file f = { .n = 0 };
	int whole = 0;

	(void)state;
	sample_file(&f, 0);
	for (size_t n = 0; n < f.n; n++) {
		struct jitdump *d;
		struct err e;
		int ret = jitdump_open(&d, temp_file(&f, n), &e);

		if (n < 40) {
			assert_true(ret < 0 && e.text[0]);
			continue;
		}
		assert_int_equal(ret, 0);
		assert_true(jitdump_nr_codes(d) <= 2);
		whole += !jitdump_damage(d);
		jitdump_close(d);
	}
	assert_int_equal(whole, 5); /* between records */
}

/* A number that is used again is that of the newest code. */
static void test_numbers(void **state)
{
	struct file f = { .n = 0 };
	struct jitdump *d;
	struct err e;

	(void)state;
	head(&f, 0);
	load(&f, 10, 0x1000, 1, "first", "ABCDEFGH", 8);
	load(&f, 20, 0x2000, 1, "second", "12345678", 8);
	load(&f, 30, 0x4000, 2, "third", "12345678", 8);
	move(&f, 40, 0x2000, 0x3000, 1);
	move(&f, 50, 0x2000, 0x3000, 3);
	assert_int_equal(jitdump_open(&d, temp_file(&f, f.n), &e), 0);
	assert_int_equal(jitdump_event(d, 3)->code, 1);
	assert_null(jitdump_event(d, 4));
	jitdump_close(d);
}

/* Compilers of templates write names of any length; a name without end is none. */
static void test_long_names(void **state)
{
	static const size_t sizes[] = { 4095, 4096, 4097, 8192, 9000 };
	char name[9001];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct file f = { .n = 0 };
		struct jitdump *d;
		struct err e;
		char buf[8];

		memset(name, 'n', sizes[i]);
		name[sizes[i]] = '\0';
		head(&f, 0);
		load(&f, 10, 0x1000, 1, name, "ABCDEFGH", 8);
		load(&f, 20, 0x2000, 2, "second", "12345678", 8);
		assert_int_equal(jitdump_open(&d, temp_file(&f, f.n), &e), 0);
		assert_null(jitdump_damage(d));
		assert_int_equal(jitdump_nr_codes(d), 2);
		assert_int_equal(strlen(jitdump_code(d, 0)->name), min_u64(sizes[i], 4096));
		assert_int_equal(jitdump_read(d, jitdump_code(d, 0)->at, buf, 8), 8);
		assert_memory_equal(buf, "ABCDEFGH", 8);
		assert_string_equal(jitdump_code(d, 1)->name, "second");
		jitdump_close(d);
	}
}

static void test_hostile(void **state)
{
	struct file good = { .n = 0 };
	uint64_t seed = 4711;

	(void)state;
	sample_file(&good, 0);
	for (int i = 0; i < 3000; i++) {
		struct file f = good;
		struct jitdump *d;
		struct jit_line l;
		struct err e;
		char buf[8];

		for (int k = 0; k < 3; k++)
			f.b[unit_random(&seed) % f.n] = (unsigned char)unit_random(&seed);
		if (jitdump_open(&d, temp_file(&f, f.n), &e))
			continue;
		for (size_t at = 0; at < f.n; at += 3) {
			jitdump_line(d, at, &l);
			jitdump_read(d, at, buf, sizeof(buf));
		}
		jitdump_close(d);
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_true(jitdump_is_name("/tmp/jit-42.dump"));
	assert_true(jitdump_is_name("jit-1.dump"));
	assert_false(jitdump_is_name("/tmp/jit-.dump"));
	assert_false(jitdump_is_name("/tmp/jit-42.dumps"));
	assert_false(jitdump_is_name("/tmp/jit-4x2.dump"));
	assert_false(jitdump_is_name("/tmp/xjit-42.dump"));
}

static void test_whose(void **state)
{
	char path[] = "/tmp/test-jit.XXXXXX", link[64];
	const char *why;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	fd = jit_file_open(path, 0, false, &why);
	assert_true(fd >= 0);
	close(fd);
	snprintf(link, sizeof(link), "%s.l", path);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(jit_file_open(link, 0, false, &why), -EPERM);
	assert_string_equal(why, "it is a symbolic link");
	unlink(link);
	if (!geteuid()) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_int_equal(jit_file_open(path, 0x7fffffff, false, &why), -EPERM);
		assert_string_equal(why, "it belongs to another user");
	}
	unlink(path);
	assert_int_equal(jit_file_open(path, 0, false, &why), -ENOENT);
	assert_null(why);
	assert_int_equal(jit_file_open("/tmp", 0, false, &why), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),	   cmocka_unit_test(test_order),
		cmocka_unit_test(test_large),	   cmocka_unit_test(test_cut),
		cmocka_unit_test(test_hostile),	   cmocka_unit_test(test_names),
		cmocka_unit_test(test_whose),	   cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
