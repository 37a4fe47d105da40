// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A part of a file that is mapped and looked at: what is there, what it costs, other threads that map its pages, and a file
 * that becomes shorter.
 */
#include "config.h"
#include "elf/elf.h"
#include "perfdata-build.h"
#include "perfdata/perfdata-int.h"

static uint64_t seed = 5;

static uint64_t dice(uint64_t n)
{
	return (unit_random(&seed) >> 33) % n;
}

/* How much of the @n bytes at @p is memory of this process; SIZE_MAX: the kernel does not tell. */
static size_t present(const unsigned char *p, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr = n / page, sum = SIZE_MAX;
	uint64_t *entry = calloc(nr + 1, sizeof(*entry));
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	assert_non_null(entry);
	if (fd >= 0 &&
	    window_pread(fd, entry, nr * 8, (uintptr_t)p / page * 8) == (ssize_t)nr * 8) {
		sum = 0;
		for (size_t i = 0; i < nr; i++)
			sum += entry[i] >> 63 ? page : 0;
	}
	if (fd >= 0)
		close(fd);
	free(entry);
	return sum;
}

/* What lies at @off says where it is. */
static void check_view(struct window_view *v, int fd, uint64_t off, uint64_t size)
{
	size_t left;
	const unsigned char *p = window_view_at(v, fd, off, &left);

	assert_non_null(p);
	assert_true(left == size - off || (left >= VIEW_LEAST && left < size - off));
	assert_int_equal(load_u64(p, false), off);
	assert_int_equal(load_u64(p + min_u64(left, VIEW_LEAST) - 8, false),
			 off + min_u64(left, VIEW_LEAST) - 8);
	assert_true(v->steps.ready - v->steps.gone <= (v->side ? 36u : 6u) << 20);
}

/* A file in which each word says where it is. */
static int places_file(uint64_t size)
{
	static unsigned char bytes[1 << 16];
	int fd = memfile("", 0);

	for (uint64_t at = 0; at < size; at += sizeof(bytes)) {
		for (size_t i = 0; i < sizeof(bytes); i += 8)
			store_u64(bytes + i, at + i);
		assert_true(pwrite(fd, bytes, min_u64(sizeof(bytes), size - at), (off_t)at) > 0);
	}
	return fd;
}

/* A view goes along a file, past the end of what is mapped of it, back, and to the file's end. */
static void along_a_view(void **state)
{
	const uint64_t mb = 1 << 20, size = 67 * mb + 64;
	struct window_view v = { .fd = -1 };
	int fd = places_file(size);
	size_t left, asked = 0, here = 0;

	(void)state;
	elf_guard_install();
	for (uint64_t at = 40; at < size; at += 65528) {
		size_t gone = v.steps.gone;

		check_view(&v, fd, at, size);
		/* What was passed is no memory of this process any more; a page may have come with a few before it. */
		if (v.steps.gone == gone)
			continue;
		here = present(v.steps.map, v.steps.gone);
		assert_true(here <= (64u << 10) || here == SIZE_MAX);
		asked++;
	}
	assert_true(asked > 0);
	check_view(&v, fd, size - 8, size);
	(void)window_view_at(&v, fd, size, &left);
	assert_int_equal(left, 0);
	window_view_free(&v);
	v = (struct window_view){ .fd = -1 };
	for (unsigned i = 0; i < 40; i++)
		check_view(&v, fd, dice(size / 8) * 8, size);
	window_view_free(&v);
	close(fd);
	if (here == SIZE_MAX)
		skip_because("the kernel does not tell which pages are there (/proc/self/pagemap)");
}

static void mend(int sig, siginfo_t *si, void *ctx)
{
	(void)sig, (void)ctx;
	if (!elf_guard_mend(si))
		abort();
}

/* Who looks at what a file has no more needs the guard's handler; cmocka sets its own before each test. */
static void guard(void)
{
	struct sigaction sa = { .sa_sigaction = mend, .sa_flags = SA_SIGINFO };

	elf_guard_install();
	assert_int_equal(sigaction(SIGBUS, &sa, NULL), 0);
}

/* Others map the pages meanwhile: the same bytes, wherever one looks, of one file after the other, and of one that ends sooner. */
static void others_map(void **state)
{
	const uint64_t mb = 1 << 20, size = 150 * mb + 64;
	struct window_side *side = window_side_new(9);
	struct window_view v = { .fd = -1, .side = side };
	int fd = places_file(size), small = places_file(3 * mb);
	unsigned threads;
	size_t left;

	(void)state;
	guard();
	assert_non_null(side);
	for (uint64_t at = 40; at < size; at += 8 * 4093)
		check_view(&v, fd, at, size);
	for (unsigned i = 0; i < 200; i++) {
		check_view(&v, fd, dice(size / 8) * 8, size);
		if (!(i % 8))
			check_view(&v, small, dice(3 * mb / 8) * 8, 3 * mb);
	}
	(void)window_view_at(&v, fd, 8, &left);
	assert_int_equal(ftruncate(fd, (off_t)mb), 0);
	for (uint64_t at = 8; at < mb - 8; at += 8 * 4093)
		assert_int_equal(load_u64(window_view_at(&v, fd, at, &left), false), at);
	window_view_free(&v);
	assert_true(window_side_free(side, &threads) >= 0);
	assert_in_range(threads, 1, 3);
	assert_true(window_side_free(NULL, &threads) == 0 && !threads);
	assert_null(window_side_new(0));
	close(fd);
	close(small);
}

/* The window is what lies at @off of the file, or has nothing: then it is read. */
static void check_put(struct window_view *v, struct window *w, uint64_t off, size_t n, bool put)
{
	size_t avail;

	window_view_read(v, w, off, n);
	assert_int_equal(w->len, put ? n : 0);
	assert_int_equal(load_u64(window_at(w, off, n, &avail), false), off);
	assert_true(avail >= n);
}

/* A file that is cut and has its bytes again: the zeros that a view has for them are none of them. */
static void cut_and_there_again(void **state)
{
	static unsigned char bytes[1 << 18];
	struct window_view v = { .fd = -1 };
	struct window w;
	size_t left;
	int fd;

	(void)state;
	guard();
	for (size_t i = 0; i < sizeof(bytes); i += 8)
		store_u64(bytes + i, i);
	fd = memfile(bytes, sizeof(bytes));
	window_init(&w, fd, true, WINDOW_SIZE);
	check_put(&v, &w, 1 << 17, 64, true);
	assert_int_equal(ftruncate(fd, 1 << 16), 0);
	assert_int_equal(load_u64(window_view_at(&v, fd, 1 << 17, &left), false), 0);
	assert_int_equal(pwrite(fd, bytes, sizeof(bytes), 0), sizeof(bytes));
	assert_int_equal(load_u64(window_view_at(&v, fd, 1 << 17, &left), false), 0);
	check_put(&v, &w, 1 << 17, 64, false);
	/* Another map of it has them, though its guard is the same. */
	window_view_free(&v);
	check_put(&v, &w, 1 << 17, 64, true);
	window_view_free(&v);
	window_free(&w);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(along_a_view),
		cmocka_unit_test(others_map),
		cmocka_unit_test(cut_and_there_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
