// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The words that all other code is written in. Numbers are printed beside printf(), text is cut at
 * every length, and counts are as large as a file could claim: none of them may wrap, allocate or
 * read past an end.
 */
#include <malloc.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/tables.h"
#include "base/obuf.h"
#include "base/file.h"
#include "base/bytes.h"
#include "base/lack.h"
#include "base/loaded.h"
#include "base/numbered.h"
#include "base/sha256.h"
#include "unit.h"

static void test_cursor_stays_bad(void **state)
{
	static const unsigned char bytes[] = { 1, 2, 3, 4, 5 };
	struct cursor c = cursor_init(bytes, sizeof(bytes), false);

	(void)state;
	assert_int_equal(cursor_u16(&c), host_is_big_endian() ? 0x0102 : 0x0201);
	assert_int_equal(cursor_u32(&c), 0);
	assert_true(c.bad);
	assert_int_equal(cursor_u8(&c), 0); /* a byte is left, but the cursor is bad */
	assert_null(cursor_bytes(&c, 0));
}

static void test_cursor_leb128(void **state)
{
	static const unsigned char bytes[] = { 0x02, 0xff, 0x00, 0xe5, 0x8e, 0x26, 0x7f, 0x80,
					       0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					       0xff, 0xff, 0xff, 0xff, 0x01, 0x80 };
	struct cursor c = cursor_init(bytes, sizeof(bytes), false);

	(void)state;
	assert_int_equal(cursor_uleb(&c), 2);
	assert_int_equal(cursor_sleb(&c), 127);
	assert_int_equal(cursor_uleb(&c), 624485); /* the example of DWARF's appendix C */
	assert_int_equal(cursor_sleb(&c), -1);
	assert_int_equal(cursor_sleb(&c), -128);
	assert_true(cursor_uleb(&c) == UINT64_MAX); /* twelve bytes: more than 64 bits */
	assert_false(c.bad);
	cursor_uleb(&c); /* the last byte says that more follow */
	assert_true(c.bad);
}

static void test_cursor_huge_sizes(void **state)
{
	static const unsigned char bytes[8];
	struct cursor c = cursor_init(bytes, sizeof(bytes), false);

	(void)state;
	assert_null(cursor_bytes(&c, UINT64_MAX));
	assert_true(c.bad);
}

static void test_cursor_swap(void **state)
{
	static const unsigned char bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct cursor a = cursor_init(bytes, 8, false), b = cursor_init(bytes, 8, true);

	(void)state;
	assert_int_equal(cursor_u64(&a), __builtin_bswap64(cursor_u64(&b)));
}

static void test_cursor_str(void **state)
{
	struct cursor c = cursor_init("ab\0cd", 5, false);

	(void)state;
	assert_string_equal(cursor_str(&c, 3), "ab");
	assert_null(cursor_str(&c, 2)); /* no NUL inside */
	assert_true(c.bad);
}

static void test_vec_reach(void **state)
{
	VEC(int) v = { 0 };

	(void)state;
	assert_int_equal(vec_push(&v, 7), 0);
	assert_int_equal(vec_reach(&v, 20, -1), 0);
	assert_int_equal(v.n, 21);
	v.v[20] = 3;
	assert_int_equal(vec_reach(&v, 20, -1), 0);
	assert_int_equal(v.n, 21);
	assert_int_equal(v.v[0], 7);
	assert_int_equal(v.v[1], -1);
	assert_int_equal(v.v[20], 3);
	assert_int_equal(vec_reach(&v, SIZE_MAX / 2, -1), -ENOMEM);
	assert_int_equal(v.n, 21);
	vec_free(&v);
}

static void test_htab(void **state)
{
	struct htab t = { 0 };
	uint32_t idx, hits = 0;

	(void)state;
	for (uint32_t i = 0; i < 100000; i++)
		assert_int_equal(htab_add(&t, hash_u64(i / 2), i), 0);
	/* Two of one hash, in one search: what was added first comes first. */
	for (uint32_t i = 0; i < 100000 && hits < 100000; hits++)
		for (struct htab_it it = htab_find(&t, hash_u64(i / 2)); htab_next(&t, &it, &idx);)
			i += idx == i;
	assert_int_equal(hits, 50000);
	htab_free(&t);
}

/* Room for many at once: no slot moves while they come, and what was there is found. */
static void test_htab_reserve(void **state)
{
	struct htab t = { 0 };
	uint32_t idx, hits = 0;
	const uint64_t *slot;

	(void)state;
	for (uint32_t n = 0; n < 100000; n = 2 * n + 1) {
		uint32_t before = t.used;

		assert_int_equal(htab_reserve(&t, n), 0);
		slot = t.slot;
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(htab_add(&t, hash_u64(before + i), before + i), 0);
		assert_ptr_equal(t.slot, slot);
		assert_int_equal(htab_reserve(&t, 0), 0);
		assert_ptr_equal(t.slot, slot);
	}
	for (uint32_t i = 0; i < t.used; i++)
		for (struct htab_it it = htab_find(&t, hash_u64(i)); htab_next(&t, &it, &idx);)
			hits += idx == i;
	assert_int_equal(hits, t.used);
	assert_int_equal(htab_reserve(&t, UINT32_MAX), -ENOMEM);
	assert_int_equal(htab_reserve(&t, SIZE_MAX), -ENOMEM);
	htab_free(&t);
}

/* A page's addresses, and those of pages: neighbours do not share a slot. */
static void test_hash_slot(void **state)
{
	(void)state;
	for (unsigned step = 1; step <= 1 << 20; step *= 16) {
		bool used[4096] = { false };
		unsigned slots = 0;

		for (uint64_t i = 0; i < 256; i++) {
			uint64_t at = hash_slot(0x7f0000401000 + i * step, 12);

			assert_in_range(at, 0, 4095);
			slots += !used[at];
			used[at] = true;
		}
		assert_in_range(slots, 200, 256);
	}
	assert_int_equal(hash_slot(1, 64), HASH_GOLDEN);
}

static void test_intern(void **state)
{
	struct intern in = { 0 };
	uint32_t a, b;

	(void)state;
	assert_int_equal(intern(&in, ""), 0);
	a = intern(&in, "perf");
	b = intern_n(&in, "perfect", 4);
	assert_int_equal(a, b);
	assert_int_not_equal(a, intern(&in, "perfect"));
	assert_string_equal(intern_str(&in, a), "perf");
	assert_string_equal(intern_str(&in, 12345), "");
	intern_free(&in);
}

static void test_arena_oversized(void **state)
{
	struct arena a = { 0 };
	char *small = arena_strdup(&a, "x"), *big = arena_alloc(&a, 1 << 20);

	(void)state;
	assert_non_null(big);
	memset(big, 1, 1 << 20);
	assert_string_equal(small, "x");
	assert_ptr_equal(arena_alloc(&a, 1), small + 16); /* the first chunk still serves */
	assert_null(arena_alloc(&a, SIZE_MAX - 8));
	arena_free(&a);
}

static void test_bits_list(void **state)
{
	static const struct {
		const char *list;
		int ret;
		const char *out;
	} cases[] = {
		{ "0", 0, "0" },	   { "0-3,7", 0, "0-3,7" },
		{ "7,0-3,2", 0, "0-3,7" }, { "1-1\n", 0, "1" },
		{ "3-1", -EINVAL, NULL },  { "a", -EINVAL, NULL },
		{ "1,", -EINVAL, NULL },   { "", -EINVAL, NULL },
		{ "5000", -ERANGE, NULL }, { "99999999999999999999", -ERANGE, NULL },
		{ "1;2", -EINVAL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bits b = { 0 };
		char buf[64];

		assert_int_equal(bits_parse_list(&b, cases[i].list, 4096), cases[i].ret);
		if (cases[i].out) {
			bits_print_list(&b, buf, sizeof(buf));
			assert_string_equal(buf, cases[i].out);
		}
		bits_free(&b);
	}
}

static void test_bits_print_cut(void **state)
{
	struct bits b = { 0 };
	char buf[4];

	(void)state;
	assert_int_equal(bits_parse_list(&b, "10-20,30", 64), 0);
	assert_int_equal(bits_print_list(&b, buf, sizeof(buf)), 8);
	assert_string_equal(buf, "10-");
	bits_free(&b);
}

static void test_numbers_like_printf(void **state)
{
	static const uint64_t values[] = { 0,	       9,	   10,	      99,    100,
					   999,	       1000,	   9999,      10000, 12345,
					   0xffffffff, 1ULL << 63, UINT64_MAX };
	char want[80];
	struct obuf o;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		obuf_init(&o, -1, 0);
		obuf_dec(&o, values[i]);
		obuf_char(&o, ' ');
		obuf_hex(&o, values[i]);
		obuf_char(&o, ' ');
		obuf_hex_zero(&o, values[i], 16);
		obuf_char(&o, ' ');
		obuf_dec_right(&o, values[i], 7);
		obuf_char(&o, 0);
		snprintf(want, sizeof(want), "%lu %lx %016lx %7lu", values[i], values[i], values[i],
			 values[i]);
		assert_string_equal(o.buf, want);
		obuf_free(&o);
	}
	obuf_init(&o, -1, 0);
	obuf_sdec(&o, INT64_MIN);
	obuf_char(&o, 0);
	assert_string_equal(o.buf, "-9223372036854775808");
	obuf_free(&o);
}

static void test_hundredths_like_printf(void **state)
{
	static const double values[] = { 0.0,
					 -0.0,
					 0.004,
					 0.005,
					 0.015,
					 0.125,
					 0.375,
					 0.625,
					 0.994999,
					 0.995,
					 1.005,
					 99.995,
					 100,
					 -12.345,
					 1e-300,
					 4e-324,
					 HUGE_VAL,
					 12345678.625,
					 9.0072e15,
					 4503599627370496.5,
					 9007199254740993.0,
					 1e18,
					 -1e300,
					 1 / 3.0,
					 0.0009765625,
					 0.00097656249 };
	uint64_t seed = 1;
	char want[400];
	struct obuf o;

	(void)state;
	obuf_init(&o, -1, 0);
	for (size_t i = 0; i < 200000; i++) {
		double v = i < ARRAY_SIZE(values) ? values[i] : 0;

		if (i >= ARRAY_SIZE(values)) {
			/* Of all sizes; every fourth lies between two hundredths, as far as a double can. */
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			v = i & 1 ? (double)(seed >> 40) / (double)(1 + (seed >> 20 & 0xfffff))
				  : (double)(seed >> (11 + i % 50)) / (i & 2 ? 200 : 1024);
		}
		o.len = 0;
		obuf_fixed2(&o, v);
		obuf_char(&o, 0);
		snprintf(want, sizeof(want), "%.2f", v);
		assert_string_equal(o.buf, want);
	}
	obuf_free(&o);
}

static void test_obuf_keeps_first_error(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct obuf o;

	(void)state;
	assert_true(fd >= 0);
	obuf_init(&o, fd, 16);
	for (int i = 0; i < 100; i++)
		obuf_str(&o, "more than the buffer holds");
	assert_int_equal(obuf_free(&o), -ENOSPC);
	close(fd);
}

/* What was printed since a mark is at hand until the buffer is written. */
static void test_obuf_since(void **state)
{
	int fd = open("/dev/null", O_WRONLY);
	const char *text;
	struct obuf o;
	uint64_t mark;
	size_t len;

	(void)state;
	assert_true(fd >= 0);
	obuf_init(&o, fd, 64);
	obuf_lit(&o, "before");
	mark = obuf_printed(&o);
	assert_int_equal(mark, 6);
	assert_non_null(obuf_since(&o, mark, &len));
	assert_int_equal(len, 0);
	obuf_lit(&o, "after");
	text = obuf_since(&o, mark, &len);
	assert_non_null(text);
	assert_int_equal(len, 5);
	assert_memory_equal(text, "after", 5);
	assert_int_equal(obuf_flush(&o), 0);
	assert_null(obuf_since(&o, mark, &len));
	assert_int_equal(obuf_printed(&o), 11);
	obuf_lit(&o, "x");
	o.code = -EIO;
	assert_null(obuf_since(&o, 11, &len));
	o.code = 0;
	obuf_free(&o);
	close(fd);
}

static void test_obuf_printf_longer_than_room(void **state)
{
	struct obuf o;

	(void)state;
	obuf_init(&o, -1, 16);
	obuf_printf(&o, "%0500d", 7);
	assert_int_equal(o.len, 500);
	obuf_free(&o);
}

static void test_err(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, -EINVAL, "bad %d", 3), -EINVAL);
	err_hint(&e, "try 4");
	assert_int_equal(err_context(&e, "FILE"), -EINVAL);
	assert_string_equal(e.text, "FILE: bad 3");
	assert_string_equal(e.hint, "try 4");
	assert_int_equal(err_set(NULL, -ENOENT, "nobody listens"), -ENOENT);
}

static void test_err_names(void **state)
{
	struct err e, outer;

	(void)state;
	err_set(&e, -EINVAL, "no\n\t%s", "such");
	assert_string_equal(e.text, "no\n\tsuch");
	err_set(&e, -EINVAL, "%s: bad", "a\x1b[1m\nb\xff \xc3\xa9\xc2\x9b");
	assert_string_equal(e.text, "a\\x1b[1m\\x0ab\\xff \xc3\xa9\\xc2\\x9b: bad");
	/* Newlines of the text beside one of a name: none of them is believed. */
	err_hint(&e, "%s:\nrun", "a\nb");
	assert_string_equal(e.hint, "a\\x0ab:\\x0arun");
	err_context(&e, "%s", "\x7f");
	assert_string_equal(e.text, "\\x7f: a\\x1b[1m\\x0ab\\xff \xc3\xa9\\xc2\\x9b: bad");
	err_set(&e, -EINVAL, "one\ntwo");
	err_set(&outer, e.code, "%s", e.text);
	assert_string_equal(outer.text, "one\ntwo");
}

static void test_safe_copy(void **state)
{
	char buf[8];

	(void)state;
	assert_int_equal(safe_copy(buf, sizeof(buf),
				   "ab\x01"
				   "cdef",
				   7, ""),
			 7);
	assert_string_equal(buf, "ab\\x01c");
	assert_int_equal(safe_copy(buf, 6, "abc\x01", 4, ""), 3); /* no half of an escape */
	assert_string_equal(buf, "abc");
	assert_int_equal(safe_copy(buf, 3, "a\xc3\xa9", 3, ""), 1);
	assert_string_equal(buf, "a");
	assert_int_equal(safe_copy(buf, sizeof(buf), "a\nb", 3, "\n"), 3);
	assert_int_equal(safe_copy(buf, sizeof(buf), "a\0b", 3, "\n"), 6);
	assert_string_equal(buf, "a\\x00b");
}

static void test_file_read_all(void **state)
{
	struct err e = { 0 };
	size_t n;
	char *s = file_read_all("/proc/self/stat", 1 << 16, &n, &e);

	(void)state;
	assert_non_null(s);
	assert_int_equal(strlen(s), n);
	free(s);
	assert_null(file_read_all("/proc/self/maps", 10, NULL, &e));
	assert_int_equal(e.code, -EFBIG);
	assert_null(file_read_all("/nonexistent", 10, NULL, &e));
	assert_int_equal(e.code, -ENOENT);
}

static void move(void **state)
{
	static const size_t sizes[] = { 3, 100, 5000, 20 };
	int fd = memfd_create("out", 0);
	struct obuf to, from;
	char got[8192];
	size_t n = 0;

	(void)state;
	assert_int_equal(obuf_init(&to, fd, 1000), 0);
	assert_int_equal(obuf_init(&from, -1, 0), 0);
	obuf_lit(&to, "begin ");
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		obuf_pad(&from, (char)('a' + i), (int)sizes[i]);
		obuf_move(&to, &from);
		assert_int_equal(from.len, 0);
		n += sizes[i];
		assert_int_equal(obuf_printed(&to), 6 + n);
	}
	assert_int_equal(obuf_flush(&to), 0);
	assert_int_equal(pread(fd, got, sizeof(got), 0), 6 + n);
	assert_memory_equal(got, "begin aaab", 10);
	assert_int_equal(got[6 + 3 + 100], 'c');
	assert_int_equal(got[6 + n - 1], 'd');
	/* What could not be collected is missing in the whole. */
	from.code = -ENOMEM;
	obuf_move(&to, &from);
	assert_int_equal(to.code, -ENOMEM);
	obuf_free(&from);
	obuf_free(&to);
	close(fd);
}

struct slot {
	uint64_t key;
	uint32_t used;
};

static bool hash_of_slot(const void *slot, uint64_t *hash)
{
	const struct slot *s = slot;

	*hash = s->key;
	return s->used;
}

/* Hashes that all have their upper 6 bits in common: next to each other first, apart when bit 57 counts. */
static void test_slots(void **state)
{
	struct slot *v = slots_resize(NULL, 0, 6, sizeof(*v), hash_of_slot), *wide;
	uint64_t first = 62ull << 58;

	(void)state;
	assert_non_null(v);
	assert_int_equal((uintptr_t)v % 64, 0);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(v[i].used, 0);
	for (unsigned i = 0; i < 4; i++) /* the last two go round the end */
		v[(62 + i) % 64] = (struct slot){ first | (uint64_t)i << 56, i + 1 };
	wide = slots_resize(v, 6, 8, sizeof(*v), hash_of_slot);
	assert_non_null(wide);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(wide[62 * 4 + i].key, first | (uint64_t)i << 56);
		assert_int_equal(wide[62 * 4 + i].used, i + 1);
	}
	/* And what shares a slot goes behind. */
	wide[1] = (struct slot){ 62ull << 58, 9 };
	v = slots_resize(wide, 8, 6, sizeof(*v), hash_of_slot);
	assert_non_null(v);
	for (unsigned i = 0, n = 0; i < 64; i++) {
		n += v[i].used;
		assert_true(i < 63 || n == 1 + 2 + 3 + 4 + 9);
		assert_true(v[i].used == 0 || i >= 62 || i < 3);
	}
	free(v);
}

/* Small ones, one of large pages, one that is no multiple of these. */
static void test_slots_new(void **state)
{
	static const size_t size[] = { 64, 4096, 2 << 20, 3 << 20, (2 << 20) + 64 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(size); i++) {
		unsigned char *v = slots_new(size[i]);

		assert_non_null(v);
		assert_int_equal((uintptr_t)v % 64, 0);
		assert_true(v[0] == 0 && !memcmp(v, v + 1, size[i] - 1));
		memset(v, 1, size[i]);
		free(v);
	}
}

/* What the kernel says of the memory at @p: whether large pages were asked for. */
static bool wants_large(const void *p)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	char line[512];
	bool in = false, wants = false;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			in = (uintptr_t)p >= from && (uintptr_t)p < to;
		else if (in && !strncmp(line, "VmFlags:", 8))
			wants = strstr(line, " hg");
	}
	fclose(f);
	return wants;
}

/* A large array, and a large index table, from their first byte to their last; a small array is not. */
static void test_large_pages(void **state)
{
	VEC(uint32_t) v = { 0 }, small = { 0 };
	struct htab t = { 0 };
	uint32_t n = 1 << 20, have;

	(void)state;
	if (access("/sys/kernel/mm/transparent_hugepage", F_OK))
		skip();
	assert_false(vec_push(&small, 1));
	for (uint32_t i = 0; i < n; i++) {
		assert_false(vec_push(&v, i));
		assert_false(htab_add(&t, hash_u64(i), i));
	}
	assert_true(wants_large(v.v) && wants_large(v.v + n - 1));
	assert_true(wants_large(t.slot) && wants_large(t.slot + t.mask));
	assert_false(wants_large(small.v));
	for (uint32_t i = 0; i < n; i++) {
		struct htab_it it = htab_find(&t, hash_u64(i));

		assert_int_equal(v.v[i], i);
		while (htab_next(&t, &it, &have) && have != i)
			;
		assert_int_equal(have, i);
	}
	vec_free(&v);
	vec_free(&small);
	htab_free(&t);
}

/* RFC 4648, section 10; LEB128 by the example of DWARF 5, figure 22. */
static void test_obuf_encodings(void **state)
{
	static const char *const pairs[][2] = {
		{ "", "" },	   { "f", "Zg==" },	   { "fo", "Zm8=" },
		{ "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "foobar", "Zm9vYmFy" }
	};
	struct obuf o = { .fd = -1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		o.len = 0;
		obuf_base64(&o, pairs[i][0], strlen(pairs[i][0]));
		assert_int_equal(o.len, strlen(pairs[i][1]));
		assert_memory_equal(o.buf, pairs[i][1], o.len);
	}
	o.len = 0;
	obuf_varint(&o, 127);
	obuf_varint(&o, 128);
	obuf_varint(&o, 12857);
	assert_int_equal(o.len, 5);
	assert_memory_equal(o.buf, "\x7f\x80\x01\xb9\x64", 5);
	free(o.buf);
}

static void check_sha(const char *text, size_t times, const char *want)
{
	struct sha256 h;
	unsigned char d[32];
	char hex[65];

	sha256_init(&h);
	for (size_t i = 0; i < times; i++)
		sha256_add(&h, text, strlen(text));
	sha256_end(&h, d);
	for (int i = 0; i < 32; i++)
		snprintf(hex + 2 * i, 3, "%02x", d[i]);
	assert_string_equal(hex, want);
}

/* The examples of FIPS 180-4's implementers' page (csrc.nist.gov, "Secure Hashing", SHA256.pdf). */
static void test_sha256(void **state)
{
	(void)state;
	check_sha("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	check_sha("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	check_sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	check_sha("aaaaaaaaaa", 100000,
		  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* A library that is there, where no more descriptors are: not as if it were not installed. */
static void test_loaded_refused(void **state)
{
	static const struct loaded l = { "Nothing needs", "libcmocka.so.0.none", "libcmocka0" };
	static const struct loaded there = { "This needs", "libresolv.so.2", "libc6" };
	const char *name = "cmocka_unit_test_none";
	struct rlimit was, none;
	struct err e = { 0 };
	void *f;
	int ret;

	(void)state;
	assert_int_equal(loaded_functions(&l, &name, 1, &f, &e), -ENOTSUP);
	assert_non_null(strstr(e.text, "does not load here"));
	err_clear(&e);
	assert_int_equal(lack_tell(&e), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = was;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	ret = loaded_functions(&there, &name, 1, &f, &e);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	/* Loaded before, or not on this machine: nothing is opened. */
	if (ret == -ENOTSUP)
		skip();
	assert_int_equal(ret, -EMFILE);
	assert_non_null(
		strstr(e.text, "libresolv.so.2, which cannot be loaded: Too many open files"));
	err_clear(&e);
	assert_int_equal(lack_tell(&e), -EMFILE);
	err_clear(&e);
	/* As in a process that was forked: the next one is the first. */
	lack_forget();
	assert_int_equal(lack_tell(&e), 0);
	lack_note(EIO, "cannot read", "disk");
	assert_int_equal(lack_tell(&e), -EIO);
	assert_non_null(strstr(e.text, "cannot read disk: "));
	err_clear(&e);
	lack_forget();
}

/* As a stable sort by the number would have it, whichever digits differ; what was in order stays. */
static void test_numbered(void **state)
{
	struct item {
		uint16_t size;
		uint64_t number, was;
	} item[5000];
	const uint64_t masks[] = {
		0, 7, 0x7ff, 0x3ff800, 1ULL << 63, UINT64_MAX, 0xff00000000ff, 1
	};
	uint64_t seed = 99;

	(void)state;
	for (size_t k = 0; k < 2 * ARRAY_SIZE(masks); k++) {
		size_t n = k % 2 ? ARRAY_SIZE(item) : k;

		for (size_t i = 0; i < n; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			item[i].size = (uint16_t)i;
			item[i].number = (seed ^ seed >> 29) & masks[k / 2];
			item[i].was = i;
		}
		for (int again = 0; again < 2; again++) {
			uint8_t seen[ARRAY_SIZE(item)] = { 0 };

			assert_int_equal(numbered_sort_items(item, n, sizeof(item[0]),
							     offsetof(struct item, number)),
					 0);
			for (size_t i = 0; i < n; i++) {
				assert_int_equal(item[i].size, item[i].was);
				assert_int_equal(seen[item[i].was]++, 0);
				if (!i)
					continue;
				assert_true(item[i - 1].number <= item[i].number);
				if (item[i - 1].number == item[i].number)
					assert_true(item[i - 1].was < item[i].was);
			}
		}
	}
	assert_int_equal(numbered_sort_items(item, SIZE_MAX, sizeof(item[0]), 0), -ENOMEM);
	assert_int_equal(numbered_sort_items(item, 2, NUMBERED_ITEM + 1, 0), -ENOMEM);
}

/* Items as large as a number with its id, which are moved themselves, the number in front or behind. */
static void test_numbered_small(void **state)
{
	const uint64_t masks[] = { 7, 0x7ff, 0x3fffff, UINT64_MAX };
	struct {
		uint64_t v[2];
	} item[3000];
	uint64_t seed = 5;

	(void)state;
	for (size_t k = 0; k < 2 * ARRAY_SIZE(masks); k++) {
		size_t at = k % 2;

		for (size_t i = 0; i < ARRAY_SIZE(item); i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			item[i].v[at] = (seed ^ seed >> 29) & masks[k / 2];
			item[i].v[!at] = i << 32 | (uint32_t)item[i].v[at];
		}
		assert_int_equal(numbered_sort_items(item, ARRAY_SIZE(item), sizeof(item[0]),
						     at * sizeof(uint64_t)),
				 0);
		for (size_t i = 0; i < ARRAY_SIZE(item); i++) {
			assert_int_equal((uint32_t)item[i].v[!at], (uint32_t)item[i].v[at]);
			if (!i)
				continue;
			assert_true(item[i - 1].v[at] <= item[i].v[at]);
			if (item[i - 1].v[at] == item[i].v[at])
				assert_true(item[i - 1].v[!at] < item[i].v[!at]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded_refused),
		cmocka_unit_test(test_sha256),
		cmocka_unit_test(test_obuf_encodings),
		cmocka_unit_test(test_cursor_stays_bad),
		cmocka_unit_test(test_cursor_leb128),
		cmocka_unit_test(test_cursor_huge_sizes),
		cmocka_unit_test(test_cursor_swap),
		cmocka_unit_test(test_cursor_str),
		cmocka_unit_test(test_vec_reach),
		cmocka_unit_test(test_htab),
		cmocka_unit_test(test_htab_reserve),
		cmocka_unit_test(test_hash_slot),
		cmocka_unit_test(test_intern),
		cmocka_unit_test(test_arena_oversized),
		cmocka_unit_test(test_bits_list),
		cmocka_unit_test(test_bits_print_cut),
		cmocka_unit_test(test_numbers_like_printf),
		cmocka_unit_test(test_hundredths_like_printf),
		cmocka_unit_test(test_obuf_keeps_first_error),
		cmocka_unit_test(test_obuf_since),
		cmocka_unit_test(test_obuf_printf_longer_than_room),
		cmocka_unit_test(test_err),
		cmocka_unit_test(test_err_names),
		cmocka_unit_test(test_safe_copy),
		cmocka_unit_test(test_file_read_all),
		cmocka_unit_test(move),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_slots_new),
		cmocka_unit_test(test_large_pages),
		cmocka_unit_test(test_numbered),
		cmocka_unit_test(test_numbered_small),
	};

	/* As the program has it. In the heap, memory that was a large array's once stays one for large pages, also below small ones. */
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
