// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Large samples that are handed out without their stacks: the rest of them is as in the file, their stacks are where they say,
 * and what does not come out without the stack is filled in. A file that changes meanwhile, and what has no gaps.
 */
#include <sys/resource.h>

#include "config.h"
#include "elf/elf.h"
#include "perfdata-build.h"
#include "sample/sample.h"

#define TYPE	      (BUILD_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT)
#define STACK	      16384u
#define AT_STACK_USER 88 /* in an attr */

static struct build f;

static enum perfdata_keep none(void *ctx, const struct record *rec)
{
	(void)ctx, (void)rec;
	return PERFDATA_KEEP_NOT;
}

/* @type: more than TYPE. Sample @i has @chain entries, and a stack of words that say where they are. */
static void start(bool big, uint64_t type)
{
	elf_guard_install();
	start_file_of(&f, big, PERF_ATTR_SIZE_VER5, TYPE | type, 1);
	set(&f, AT_IDS + 8 + AT_STACK_USER, STACK, 4);
}

static size_t put_stack_sample(uint64_t i, uint64_t chain, uint64_t stack, uint64_t used)
{
	size_t at = begin_record(&f, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	P64(&f, i);
	P32(&f, 10);
	P32(&f, 11);
	P64(&f, 100 + i);
	P64(&f, EVENT_ID);
	P64(&f, chain);
	for (uint64_t k = 0; k < chain; k++)
		P64(&f, 0x1000 + k);
	P64(&f, stack);
	for (uint64_t k = 0; k < stack; k += 8)
		P64(&f, i << 32 | k);
	if (stack)
		P64(&f, used);
	P64(&f, ~i);
	end_record(&f, at);
	return at;
}

/* Of all records, in order; returns what ended it. @fn may be NULL. */
static int read_with(int fd, bool gaps, void (*fn)(const struct record *rec, void *ctx), void *ctx,
		     struct err *e)
{
	struct perfdata_index_opts o = { 1 << 16, 3, none, NULL, gaps };
	struct perfdata_index *x;
	struct perfdata *pd;
	struct record rec;
	int ret;

	assert_int_equal(open_fd(&pd, fd, NULL, e), 0);
	assert_int_equal(perfdata_index_new(&x, pd, &o, e), 0);
	assert_true(perfdata_nr_pieces(x) > 1);
	assert_int_equal(perfdata_read_pieces(pd, x, 0, perfdata_nr_pieces(x), e), 0);
	while ((ret = perfdata_next_ordered(pd, &rec, e)) > 0)
		fn(&rec, ctx);
	perfdata_index_free(x);
	perfdata_close(pd);
	return ret;
}

struct counts {
	unsigned records, gaps, filled;
};

/* As the file has it: @f is what was written. */
static void check(const struct record *rec, void *ctx)
{
	struct counts *c = ctx;
	const unsigned char *file = f.b + rec->offset;
	uint32_t from = rec->gap ? rec->gap->from : rec->size, to = rec->gap ? rec->gap->to : from;
	const unsigned char *word;
	struct sample s;
	struct err e;
	bool filled;

	c->records++;
	c->gaps += rec->gap && from < to;
	assert_true(from <= to && to <= rec->size);
	assert_memory_equal(rec->data, file, from);
	assert_memory_equal(rec->data + to, file + to, rec->size - to);
	if (rec->type != PERF_RECORD_SAMPLE)
		return;
	assert_int_equal(sample_parse(rec, &s, &e), 0);
	filled = rec->gap && rec->gap->from == rec->gap->to;
	c->filled += filled;
	assert_true(filled == (rec->gap && !s.gap));
	assert_int_equal(s.weight, ~s.ip);
	for (uint64_t i = 0; i < s.callchain.nr; i++)
		assert_int_equal(u64s_get(&s.callchain, i), 0x1000 + i);
	for (uint64_t at = 0; at + 8 <= s.stack_size; at += 8) {
		word = sample_stack_at(&s, at, 8);
		assert_non_null(word);
		assert_int_equal(load_u64(word, s.swap), s.ip << 32 | at);
	}
	assert_null(sample_stack_at(&s, s.stack_size - min_u64(7, s.stack_size), 8));
	assert_null(sample_stack_at(&s, s.stack_size, 1));
	if (rec->gap)
		perfdata_fill(rec->gap);
	assert_memory_equal(rec->data, file, rec->size);
}

static struct counts all(bool gaps)
{
	struct counts c = { 0 };
	int fd = memfile(f.b, f.n);
	struct err e;

	assert_int_equal(read_with(fd, gaps, check, &c, &e), 0);
	close(fd);
	return c;
}

static void stacks_are_left(void **state)
{
	struct counts c;

	(void)state;
	for (int big = 0; big < 2; big++) {
		start(big, 0);
		for (uint64_t i = 0; i < 40; i++) {
			put_stack_sample(i, i, STACK, i % 3 ? STACK : 5000);
			if (i % 5 == 2)
				put_header(&f, PERF_RECORD_FINISHED_ROUND, 0, 8);
		}
		end_file(&f);
		c = all(true);
		assert_int_equal(c.records, 48);
		assert_int_equal(c.gaps, 40);
		assert_int_equal(c.filled, 0);
		c = all(false);
		assert_int_equal(c.records, 48);
		assert_int_equal(c.gaps, 0);
	}
}

/* Large and small ones, no stack, and chains so long that the stack begins behind what was copied, or none is left out. */
static void of_all_sizes(void **state)
{
	static const uint64_t chains[] = { 0, 230, 247, 248, 249, 250, 260, 1000, 4000 };
	static const uint64_t stacks[] = { 0, 8, 8192, 10240, 10496, 12000, STACK };
	struct counts c;

	(void)state;
	for (int big = 0; big < 2; big++) {
		start(big, 0);
		for (uint64_t i = 0; i < ARRAY_SIZE(chains) * ARRAY_SIZE(stacks); i++)
			put_stack_sample(i, chains[i % ARRAY_SIZE(chains)],
					 stacks[i / ARRAY_SIZE(chains)],
					 stacks[i / ARRAY_SIZE(chains)]);
		end_file(&f);
		c = all(true);
		assert_int_equal(c.records, 63);
		assert_in_range(c.gaps, 20, 50);
		assert_in_range(c.filled, 10, c.gaps - 10);
	}
}

static void no_gap(const struct record *rec, void *ctx)
{
	assert_null(rec->gap);
	assert_memory_equal(rec->data, f.b + rec->offset, rec->size);
	++*(unsigned *)ctx;
}

static void not_where_it_does_not_pay(void **state)
{
	struct rlimit before, few;
	struct counts c;
	unsigned nr = 0;
	struct err e;
	int fd;

	(void)state;
	/* Of a recording with branches. */
	start(false, PERF_SAMPLE_BRANCH_STACK);
	for (uint64_t i = 0; i < 20; i++)
		put_long_sample(&f, i, 100 + i, EVENT_ID, STACK);
	end_file(&f);
	fd = memfile(f.b, f.n);
	assert_int_equal(read_with(fd, true, no_gap, &nr, &e), 0);
	assert_int_equal(nr, 20);
	close(fd);
	/* Where most records are small. */
	start(false, 0);
	for (uint64_t i = 0; i < 200; i++)
		put_stack_sample(i, 1, i % 20 ? 0 : STACK, STACK);
	end_file(&f);
	c = all(true);
	assert_int_equal(c.records, 200);
	assert_int_equal(c.gaps, 0);
	/* Where memory is limited. */
	start(false, 0);
	for (uint64_t i = 0; i < 20; i++)
		put_stack_sample(i, 1, STACK, STACK);
	end_file(&f);
	assert_int_equal(all(true).gaps, 20);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	few = before;
	few.rlim_cur = 1ULL << 62; /* sanitizers map terabytes */
	assert_int_equal(setrlimit(RLIMIT_AS, &few), 0);
	c = all(true);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(c.gaps, 0);
}

/* Cuts the file at the record of this number, or a page or so behind its begin. */
struct cutter {
	int fd;
	unsigned nr, at;
	uint64_t left;
};

static void cut_and_look(const struct record *rec, void *ctx)
{
	struct cutter *c = ctx;
	uint64_t sum = 0;
	struct sample s;
	struct err e;

	if (c->nr++ == c->at)
		assert_int_equal(ftruncate(c->fd, (off_t)(rec->offset + c->left)), 0);
	if (sample_parse(rec, &s, &e))
		return;
	for (uint64_t at = 0; at + 8 <= s.stack_size; at += 8)
		sum += load_u64(sample_stack_at(&s, at, 8), s.swap);
	if (c->nr <= c->at)
		assert_true(sum);
	if (rec->gap)
		perfdata_fill(rec->gap);
}

static void a_file_that_becomes_shorter(void **state)
{
	(void)state;
	for (unsigned n = 0; n < 60; n++) {
		struct cutter c = { .at = n % 20, .left = n * 700 };
		struct err e;

		start(n % 2, 0);
		for (uint64_t i = 0; i < 40; i++)
			put_stack_sample(i, 3, STACK, STACK);
		end_file(&f);
		c.fd = memfile(f.b, f.n);
		assert_true(read_with(c.fd, true, cut_and_look, &c, &e) < 0);
		assert_non_null(strstr(e.text, "changed while it was read"));
		assert_true(c.nr > c.at && c.nr < 40);
		assert_int_equal(elf_guard_hits(), 0); /* which are programs */
		close(c.fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_file_that_becomes_shorter), /* cmocka sets a handler before each */
		cmocka_unit_test(stacks_are_left),
		cmocka_unit_test(of_all_sizes),
		cmocka_unit_test(not_where_it_does_not_pay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
