// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stacks made by hand say of branches. The object is mapped at 0x10000 and is no file, so that no code is read:
 * what is counted can be read off the entries. Every answer is asked of one count, and of one that was added up of pieces.
 */
#include "table-build.h"

#include "brstat/brstat-int.h"

#define BASE  0x10000u
#define OTHER 0x20000u

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_BRANCH_STACK,
		  .branch_sample_type = PERF_SAMPLE_BRANCH_ANY },
};

static int setup(void **state)
{
	if (setup_bare(state))
		return -1;
	map_file(1, BASE, 0x10000, 0, "/nonexistent/object");
	map_file(1, BASE + OTHER, 0x10000, 0, "/nonexistent/other");
	return 0;
}

struct branch {
	unsigned from, to, cycles, mispred;
};

#define STACK(...) ((const struct branch[]){ __VA_ARGS__, { 0, 0, 0, 0 } })

/* Branches inside of the object, newest first; one that comes from 0 ends them. */
static void add(struct brstat *b, uint64_t time, const struct branch *v)
{
	uint64_t e[3 * 64];
	struct sample s = { .event = &event,
			    .cpumode = PERF_RECORD_MISC_USER,
			    .pid = 1,
			    .tid = 1,
			    .ip = BASE + v[0].to,
			    .time = time };
	unsigned n = 0;

	for (; v[n].from; n++) {
		e[3 * n] = BASE + v[n].from;
		e[3 * n + 1] = BASE + v[n].to;
		e[3 * n + 2] = (v[n].mispred ? 1 : 2) | (uint64_t)v[n].cycles << 4;
	}
	s.branches.nr = n;
	s.branches.entries = (const unsigned char *)e;
	assert_int_equal(brstat_add(b, &s, machine_thread(m, 1, 1), NULL), 0);
}

static struct brstat *new_count(unsigned what)
{
	struct brstat_opts o = {
		.machine = m, .arch = REGS_ARCH_X86, .what = what, .stacks = true
	};
	struct brstat *b = NULL;

	assert_int_equal(brstat_new(&b, res, &o, NULL), 0);
	return b;
}

/* What @fill adds, in one count; and with each stack in a count of its own, those with none in between. */
static struct brstat *count(unsigned what, bool pieces, void (*fill)(struct brstat **, size_t))
{
	enum { NR = 8 };
	struct brstat *v[NR];

	if (!pieces) {
		v[0] = new_count(what);
		fill(v, 1);
	} else {
		for (int i = 0; i < NR; i++)
			v[i] = new_count(what);
		fill(v, NR);
		for (int step = 1; step < NR; step *= 2)
			for (int i = 0; i + step < NR; i += 2 * step) {
				assert_int_equal(brstat_merge(v[i], v[i + step], NULL, NULL), 0);
				brstat_free(v[i + step]);
			}
	}
	assert_int_equal(brstat_finish(v[0], NULL), 0);
	return v[0];
}

static const struct brstat_branch *branch_at(const struct brstat *b, uint64_t addr)
{
	for (size_t i = 0; i < brstat_nr_branches(b); i++)
		if (brstat_branch(b, i)->addr == addr)
			return brstat_branch(b, i);
	fail_msg("no branch at %#llx", (unsigned long long)addr);
	return NULL;
}

/* Of eight counts the stacks go into the first and the sixth, so that some that are merged are both empty. */
static struct brstat *first(struct brstat **v)
{
	return v[0];
}

static struct brstat *second(struct brstat **v, size_t nr)
{
	return v[nr > 5 ? 5 : 0];
}

static void fill_branches(struct brstat **v, size_t nr)
{
	add(first(v), 1000000,
	    STACK({ 0x40, 0x10, 7, 1 }, { 0x40, 0x10, 3, 0 }, { 0x20, 0x30, 0, 0 }));
	add(second(v, nr), 900000000, STACK({ 0x40, 0x80, 9, 1 }, { 0x40, 0x10, 3, 0 }));
}

static void branches(void **state)
{
	(void)state;
	for (int pieces = 0; pieces < 2; pieces++) {
		struct brstat *b = count(BRSTAT_WHY, pieces, fill_branches);
		const struct brstat_branch *br = branch_at(b, 0x40);

		assert_int_equal(brstat_sum(b)->stacks, 2);
		assert_int_equal(brstat_sum(b)->branches, 5);
		assert_int_equal(brstat_sum(b)->mispred, 2);
		assert_int_equal(brstat_sum(b)->cycles, 22);
		assert_int_equal(brstat_nr_branches(b), 2);
		assert_int_equal(br->left, 4);
		assert_int_equal(br->mispred, 2);
		assert_int_equal(br->flagged, 4);
		assert_int_equal(branch_at(b, 0x20)->left, 1);
		/* No code: it is not known what was passed. */
		assert_false(br->known);
		assert_int_equal(brstat_sum(b)->unread, brstat_sum(b)->followed);
		assert_true(brstat_sum(b)->unread > 0);
		brstat_free(b);
	}
}

/* What leaves before where the walk had gone to, or in another object, follows nothing; nor is it what leaves elsewhere. */
static void fill_far(struct brstat **v, size_t nr)
{
	for (unsigned i = 0; i < 3; i++) {
		add(first(v), 1000000, STACK({ 0x90, 0x10, 0, 1 }, { 0x40, 0x80, 0, 0 }));
		add(second(v, nr), 2000000, STACK({ 0x8, 0x10, 0, 0 }, { 0x40, 0x80, 0, 1 }));
		add(first(v), 3000000, STACK({ OTHER + 8, 0x10, 0, 0 }, { 0x40, 0x80, 0, 0 }));
		add(first(v), 4000000, STACK({ 0x60000000, 0x10, 0, 0 }, { 0x40, 0x80, 0, 0 }));
		add(second(v, nr), 5000000, STACK({ 0x8, 0x10, 0, 0 }, { 0x70000000, 0x80, 0, 0 }));
	}
}

static void far(void **state)
{
	(void)state;
	for (unsigned what = BRSTAT_WHY; what <= BRSTAT_QUALITY; what <<= 1)
		for (int pieces = 0; pieces < 2; pieces++) {
			struct brstat *b = count(what, pieces, fill_far);

			assert_int_equal(brstat_sum(b)->branches, 30);
			assert_int_equal(brstat_sum(b)->mispred, 6);
			assert_int_equal(brstat_sum(b)->flagged, 30);
			assert_int_equal(brstat_sum(b)->followed, 3);
			if (what == BRSTAT_WHY) {
				assert_int_equal(branch_at(b, 0x90)->mispred, 3);
				assert_int_equal(branch_at(b, 0x40)->left, 12);
				assert_int_equal(branch_at(b, 0x40)->mispred, 3);
				assert_int_equal(branch_at(b, 0x8)->left, 6);
			}
			brstat_free(b);
		}
}

static void fill_cycles(struct brstat **v, size_t nr)
{
	for (unsigned i = 0; i < 4; i++) {
		add(first(v), 1000000, STACK({ 0x40, 0x10, 5, 0 }, { 0x40, 0x10, 0, 0 }));
		add(second(v, nr), 900000000, STACK({ 0x40, 0x10, 9, 0 }, { 0x40, 0x10, 0, 0 }));
	}
	add(second(v, nr), 900000000, STACK({ 0x40, 0x10, 0, 0 }, { 0x40, 0x10, 0, 0 }));
}

static void cycles(void **state)
{
	(void)state;
	for (int pieces = 0; pieces < 2; pieces++) {
		struct brstat *b = count(BRSTAT_CYCLES, pieces, fill_cycles);
		const struct brstat_block *k;

		assert_int_equal(brstat_nr_blocks(b), 1);
		k = brstat_block(b, 0);
		assert_int_equal(k->start, 0x10);
		assert_int_equal(k->end, 0x40);
		assert_int_equal(k->nr, 9);
		/* The one that has no cycles is in no mean. */
		assert_int_equal(k->nr_cycles, 8);
		assert_int_equal(k->cycles, 56);
		assert_int_equal(k->min, 5);
		assert_int_equal(k->median, 5);
		assert_int_equal(k->p90, 9);
		assert_int_equal(k->max, 9);
		brstat_free(b);
	}
}

/* More different ones, in turn, than a slot has places for. */
static void fill_many(struct brstat **v, size_t nr)
{
	for (unsigned i = 0; i < 9; i++)
		for (unsigned c = 1 + i; c <= 9; c++)
			add(c % 3 ? first(v) : second(v, nr), 1000000,
			    STACK({ 0x40, 0x10, c, 0 }, { 0x40, 0x10, 0, c % 2 }));
}

static void many(void **state)
{
	(void)state;
	for (int pieces = 0; pieces < 2; pieces++) {
		struct brstat *b = count(BRSTAT_CYCLES, pieces, fill_many);
		const struct brstat_block *k = brstat_block(b, 0);

		assert_int_equal(brstat_nr_blocks(b), 1);
		assert_int_equal(k->nr_cycles, 45);
		assert_int_equal(k->cycles, 285);
		assert_int_equal(k->min, 1);
		assert_int_equal(k->median, 7);
		assert_int_equal(k->p90, 9);
		assert_int_equal(k->max, 9);
		assert_int_equal(brstat_edge_at(b, 0)->nr_missed, 25);
		assert_int_equal(brstat_edge_at(b, 0)->cycles_missed, 165);
		brstat_free(b);
	}
}

/* One more often than its place in a slot can say, so that it goes on in the midst; half of the branches were mispredicted. */
#define OFTEN 70000

static void fill_often(struct brstat **v, size_t nr)
{
	for (unsigned i = 0; i < OFTEN; i++)
		add(first(v), 1000000,
		    STACK({ 0x40, 0x10, 7, 0 }, { 0x40, 0x10, 0, i / (OFTEN / 2) }));
	for (unsigned c = 1; c < 6; c++)
		for (unsigned i = 0; i < 2; i++)
			add(second(v, nr), 1000000,
			    STACK({ 0x40, 0x10, 0xffff, 0 }, { 0x40, 0x10, c, 0 },
				  { 0x40, 0x10, 0, 0 }));
}

static void often(void **state)
{
	(void)state;
	for (int pieces = 0; pieces < 2; pieces++) {
		struct brstat *b = count(BRSTAT_CYCLES, pieces, fill_often);
		const struct brstat_block *k = brstat_block(b, 0);

		assert_int_equal(brstat_nr_blocks(b), 1);
		assert_int_equal(k->nr, OFTEN + 20);
		assert_int_equal(k->nr_cycles, OFTEN + 20);
		assert_int_equal(k->cycles, 7 * OFTEN + 10 * 0xffff + 2 * (1 + 2 + 3 + 4 + 5));
		assert_int_equal(brstat_edge_at(b, 0)->nr_missed, OFTEN / 2);
		assert_int_equal(brstat_edge_at(b, 0)->cycles_missed, 7 * OFTEN / 2);
		assert_int_equal(k->min, 1);
		assert_int_equal(k->median, 7);
		assert_int_equal(k->p90, 7);
		assert_int_equal(k->max, 0xffff);
		brstat_free(b);
	}
}

/* A branch whose instruction nobody can read goes back to two places: which came first depends on the piece. */
static void fill_heads(struct brstat **v, size_t nr)
{
	add(first(v), 1000000,
	    STACK({ 0x40, 0x10, 0, 0 }, { 0x40, 0x20, 0, 0 }, { 0x40, 0x10, 0, 0 }));
	add(second(v, nr), 2000000, STACK({ 0x40, 0x20, 0, 0 }, { 0x40, 0x20, 0, 0 }));
}

static void heads(void **state)
{
	(void)state;
	for (int pieces = 0; pieces < 2; pieces++) {
		struct brstat *b = count(BRSTAT_PATHS, pieces, fill_heads);

		assert_int_equal(brstat_nr_loops(b), 2);
		for (size_t i = 0; i < 2; i++) {
			const struct brstat_loop *l = brstat_loop(b, i);

			assert_int_equal(l->back, 0x40);
			assert_int_equal(l->taken, l->head == 0x10 ? 2 : 3);
		}
		assert_true(brstat_loop(b, 0)->head != brstat_loop(b, 1)->head);
		brstat_free(b);
	}
}

static void fill_times(struct brstat **v, size_t nr)
{
	for (unsigned i = 0; i < 100; i++) {
		add(first(v), 1000000 + 1000 * i, STACK({ 0x40, 0x10, 0, 0 }));
		add(second(v, nr), 900000000 + 1000 * i, STACK({ 0x80, 0x10, 0, 0 }));
	}
}

/* One function, for there are no symbols: halves have all in common. */
static void quality(void **state)
{
	(void)state;
	for (int pieces = 0; pieces < 2; pieces++) {
		struct brstat *b = count(BRSTAT_QUALITY, pieces, fill_times);
		const struct brstat_quality *q = brstat_quality(b);

		assert_int_equal(q->samples, 200);
		assert_int_equal(q->total, 200);
		assert_true(q->branches);
		assert_int_equal(brstat_nr_functions(b), 1);
		assert_int_equal(brstat_function_at(b, 0)->nr, 200);
		assert_true(q->in_time > 0.99);
		brstat_free(b);
	}
}

/* Twelve places that one branch leads to, more than its hop has room for; the first come more often than a byte counts. */
#define TURNS 12

static unsigned turns_at(unsigned i)
{
	return i < 4 ? 1000 : 1 + i;
}

static void fill_turns(struct brstat **v, size_t nr)
{
	for (unsigned n = 0; n < 1000; n++)
		for (unsigned i = 0; i < TURNS; i++)
			if (n < turns_at(i))
				add(n & 1 ? first(v) : second(v, nr), n,
				    STACK({ 0x108, 0x200 + 16 * i, i ? 100 * i : 65000,
					    n % 7 == 0 },
					  { 0x40 + i % 2, 0x100, 0, 0 }));
}

static void turns(void **state)
{
	unsigned all = 0, mispred = 0;
	uint64_t cycles = 0;

	(void)state;
	for (unsigned i = 0; i < TURNS; i++) {
		all += turns_at(i);
		mispred += (turns_at(i) + 6) / 7;
		cycles += (uint64_t)turns_at(i) * (i ? 100 * i : 65000);
	}
	for (int pieces = 0; pieces < 2; pieces++) {
		struct brstat *b = count(BRSTAT_PATHS, pieces, fill_turns);
		uint64_t runs = 0, of_paths = 0;

		assert_int_equal(brstat_sum(b)->branches, 2 * all);
		assert_int_equal(brstat_sum(b)->flagged, 2 * all);
		assert_int_equal(brstat_sum(b)->mispred, mispred);
		assert_int_equal(brstat_sum(b)->nr_cycles, all);
		assert_int_equal(brstat_sum(b)->cycles, cycles);
		assert_int_equal(brstat_sum(b)->followed, all);
		assert_int_equal(brstat_nr_supers(b), TURNS);
		for (size_t i = 0; i < TURNS; i++) {
			runs += brstat_super(b, i)->runs;
			of_paths += brstat_super(b, i)->cycles;
		}
		assert_int_equal(runs, all);
		assert_int_equal(of_paths, cycles);
		assert_int_equal(brstat_super(b, 0)->runs, 1000);
		assert_int_equal(brstat_super(b, 4)->runs, TURNS);
		brstat_free(b);
	}
}

/*
 * A branch that goes on to so many places that hardly any has room in a hop, more often than is written down before it is added
 * up, in each of two pieces. Of few places few pairs are left then; of many more than 2^18 in a piece, and more than
 * 2^19 where pieces are joined.
 */
#define CROWD	     40
#define CROWD_MANY   1024
#define CROWD_STACKS 20000
#define CROWD_LONG   63

static bool crowd_seen[CROWD_MANY][CROWD_MANY]; /* pairs, by their places */

static void fill_crowd_of(struct brstat **v, size_t nr, unsigned from, unsigned places)
{
	struct branch stack[CROWD_LONG + 1] = { 0 };
	unsigned turn = 1, place, next = 0;

	for (unsigned n = 0; n < CROWD_STACKS; n++) {
		for (unsigned i = 0; i < CROWD_LONG; i++) {
			turn = turn * 1103515245 + 12345;
			place = (turn >> 16) % places;
			stack[i] = (struct branch){ from, 0x100 + 16 * place, n + 1, 0 };
			/* Newest first. */
			if (i)
				crowd_seen[place][next] = true;
			next = place;
		}
		add(n & 1 ? first(v) : second(v, nr), n, stack);
	}
}

static void fill_crowd(struct brstat **v, size_t nr)
{
	fill_crowd_of(v, nr, 0x800, CROWD);
}

static void fill_crowd_of_many(struct brstat **v, size_t nr)
{
	fill_crowd_of(v, nr, 0x8000, CROWD_MANY);
}

/* Returns how many pairs there are. */
static size_t check_crowd(void (*fill)(struct brstat **, size_t))
{
	const uint64_t all = (uint64_t)CROWD_STACKS * CROWD_LONG, pairs = all - CROWD_STACKS;
	struct brstat *b[2];
	uint64_t runs = 0;
	size_t nr = 0;

	memset(crowd_seen, 0, sizeof(crowd_seen));
	for (int pieces = 0; pieces < 2; pieces++) {
		b[pieces] = count(BRSTAT_PATHS, pieces, fill);
		assert_int_equal(brstat_sum(b[pieces])->branches, all);
		assert_int_equal(brstat_sum(b[pieces])->flagged, all);
		assert_int_equal(brstat_sum(b[pieces])->nr_cycles, all);
		assert_int_equal(brstat_sum(b[pieces])->cycles,
				 (uint64_t)CROWD_LONG * CROWD_STACKS * (CROWD_STACKS + 1) / 2);
		assert_int_equal(brstat_sum(b[pieces])->followed, pairs);
		assert_int_equal(brstat_sum(b[pieces])->runs, pairs);
	}
	for (size_t i = 0; i < sizeof(crowd_seen); i++)
		nr += crowd_seen[i / CROWD_MANY][i % CROWD_MANY];
	for (int pieces = 0; pieces < 2; pieces++)
		assert_int_equal(brstat_nr_supers(b[pieces]), nr);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(brstat_super(b[0], i)->runs, brstat_super(b[1], i)->runs);
		assert_int_equal(brstat_super(b[0], i)->cycles, brstat_super(b[1], i)->cycles);
		runs += brstat_super(b[0], i)->runs;
	}
	assert_int_equal(runs, pairs);
	for (int pieces = 0; pieces < 2; pieces++)
		brstat_free(b[pieces]);
	return nr;
}

static void crowd(void **state)
{
	(void)state;
	assert_int_equal(check_crowd(fill_crowd), CROWD * CROWD);
	assert_true(check_crowd(fill_crowd_of_many) > (size_t)1 << 19);
}

/* Stacks that come again: one after the other as before, in another order, less one branch. */
#define ROUNDS 500

static void fill_again(struct brstat **v, size_t nr)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		add(first(v), i, STACK({ 0x40, 0x10, 3, 0 }, { 0x20, 0x30, 0, 0 }));
		if (i % 3)
			add(second(v, nr), i, STACK({ 0x80, 0x10, 3, 1 }, { 0x20, 0x30, 0, 0 }));
		if (i % 5)
			add(first(v), i, STACK({ 0x40, 0x10, 3, 0 }));
		if (i % 7 == 0)
			add(first(v), i, STACK({ 0x80, 0x10, 3, 1 }, { 0x20, 0x30, 0, 0 }));
		if (i % 100 == 0)
			add(first(v), i, STACK({ 0x100 + 16 * i, 0x10, 0, 0 }));
	}
}

static void again(void **state)
{
	const unsigned more = ROUNDS - (ROUNDS + 2) / 3 + (ROUNDS + 6) / 7,
		       alone = ROUNDS - ROUNDS / 5;

	(void)state;
	for (int pieces = 0; pieces < 2; pieces++) {
		struct brstat *b = count(BRSTAT_WHY, pieces, fill_again);

		assert_int_equal(brstat_sum(b)->stacks, ROUNDS + more + alone + ROUNDS / 100);
		assert_int_equal(branch_at(b, 0x20)->left, ROUNDS + more);
		assert_int_equal(branch_at(b, 0x40)->left, ROUNDS + alone);
		assert_int_equal(branch_at(b, 0x80)->left, more);
		assert_int_equal(branch_at(b, 0x80)->mispred, more);
		assert_int_equal(branch_at(b, 0x100)->left, 1);
		assert_int_equal(brstat_sum(b)->cycles, 3 * (ROUNDS + more + alone));
		brstat_free(b);
	}
}

/* Branches that were not taken are no walk: that bit is behind those of the cycles. */
#define NOT_TAKEN (1u << 29)

static void fill_passed(struct brstat **v, size_t nr)
{
	add(first(v), 1000000, STACK({ 0x40, 0x10, NOT_TAKEN, 0 }, { 0x20, 0x30, NOT_TAKEN, 0 }));
	add(second(v, nr), 1000000, STACK({ 0x40, 0x10, NOT_TAKEN, 0 }));
}

static void passed(void **state)
{
	(void)state;
	for (unsigned what = BRSTAT_WHY; what <= BRSTAT_QUALITY; what <<= 1)
		for (int pieces = 0; pieces < 2; pieces++) {
			struct brstat *b = count(what, pieces, fill_passed);

			assert_int_equal(brstat_sum(b)->stacks, 2);
			assert_int_equal(brstat_sum(b)->branches, 0);
			brstat_free(b);
		}
}

/* Another object comes to where a stack is from, before that is counted. */
static void fill_moved(struct brstat **v, size_t nr)
{
	map_file(1, BASE, 0x10000, 0, "/nonexistent/object");
	add(first(v), 1000000, STACK({ 0x40, 0x10, 3, 0 }, { 0x20, 0x30, 0, 0 }));
	add(second(v, nr), 2000000, STACK({ 0x40, 0x10, 3, 0 }, { 0x20, 0x30, 0, 0 }));
	map_file(1, BASE, 0x10000, 0, "/nonexistent/third");
	for (unsigned i = 0; i < 3; i++)
		add(first(v), 3000000, STACK({ 0x40, 0x10, 3, 0 }, { 0x20, 0x30, 0, 0 }));
}

static void moved(void **state)
{
	(void)state;
	for (unsigned what = BRSTAT_WHY; what <= BRSTAT_CYCLES; what <<= 1)
		for (int pieces = 0; pieces < 2; pieces++) {
			struct brstat *b = count(what, pieces, fill_moved);
			uint64_t left[2] = { 0 };

			for (size_t i = 0; i < brstat_nr_branches(b); i++)
				left[!strcmp(brstat_branch(b, i)->dso->name,
					     "/nonexistent/third")] += brstat_branch(b, i)->left;
			for (size_t i = 0; i < brstat_nr_edges(b); i++)
				left[!strcmp(brstat_edge_at(b, i)->from->dso->name,
					     "/nonexistent/third")] += brstat_edge_at(b, i)->nr;
			assert_int_equal(left[0], 4);
			assert_int_equal(left[1], 6);
			brstat_free(b);
		}
}

/*
 * Different stacks, longer and longer ones, each twice: more than there are places for them, and those that
 * have had shorter ones have no room for them.
 */
#define GROWN	    13
#define OF_A_GROWTH 30000

static void fill_grown(struct brstat **v, size_t nr)
{
	struct branch stack[GROWN + 1] = { 0 };

	(void)nr;
	for (unsigned n = 0; n < GROWN; n++) {
		stack[n] = (struct branch){ 0x40, 0x10, 1, 0 };
		for (unsigned i = 1; i <= OF_A_GROWTH; i++) {
			stack[0].from = 0x40 + i;
			add(first(v), 1000000, stack);
			add(first(v), 1000000, stack);
		}
	}
}

static void grown(void **state)
{
	const uint64_t all = 2ULL * OF_A_GROWTH * (GROWN * (GROWN + 1) / 2);
	struct brstat *b = count(BRSTAT_PATHS, false, fill_grown);

	(void)state;
	assert_int_equal(brstat_sum(b)->branches, all);
	assert_int_equal(brstat_sum(b)->nr_cycles, all);
	assert_int_equal(brstat_sum(b)->cycles, all);
	brstat_free(b);
}

/* Bytes of address space that this process has. */
static size_t space_used(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lu", &pages), 1);
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Each thread has a count of its own, and some machines let few bytes be asked for: of few stacks each takes few. */
#define FEW_EACH ((size_t)8 << 20)

static void few(void **state)
{
	struct brstat *v[16];
	size_t before = space_used();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
		v[i] = new_count(BRSTAT_PATHS);
		for (int n = 0; n < 2; n++)
			add(v[i], 1000000, STACK({ 0x40, 0x10, 1, 0 }, { 0x20, 0x30, 1, 0 }));
	}
	assert_in_range(space_used() - before, 0, ARRAY_SIZE(v) * FEW_EACH);
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		brstat_free(v[i]);
}

/* 300 ms, of which the other object has every third sample of the second half; in an order that goes back time and again. */
#define TIMES 3000

static unsigned stride;

static void fill_apart(struct brstat **v, size_t nr)
{
	for (unsigned n = 0; n < TIMES; n++) {
		unsigned i = n * stride % TIMES;
		struct brstat *b = i % 2 ? first(v) : second(v, nr);

		if (i >= TIMES / 2 && i % 3 == 0)
			add(b, 5000000 + 100000 * i, STACK({ OTHER + 0x40, OTHER + 0x10, 0, 0 }));
		else
			add(b, 5000000 + 100000 * i, STACK({ 0x40, 0x10, 0, 0 }));
	}
}

static void halves(void **state)
{
	struct brstat_function want[2] = { 0 };

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		struct brstat *b;

		stride = k < 2 ? 1 : 1009;
		b = count(BRSTAT_QUALITY, k % 2, fill_apart);
		assert_int_equal(brstat_quality(b)->total, TIMES);
		assert_int_equal(brstat_nr_functions(b), 2);
		for (unsigned f = 0; f < 2; f++) {
			const struct brstat_function *fn = brstat_function_at(b, f);

			if (!k)
				want[f] = *fn;
			assert_int_equal(fn->nr, f ? TIMES / 6 : TIMES - TIMES / 6);
			assert_int_equal(fn->samples, fn->nr);
			assert_memory_equal(fn->half, want[f].half, sizeof(fn->half));
		}
		/* A slice is 2^21 ns: none of the other object's are in the first half but for the one in the middle. */
		assert_in_range(brstat_function_at(b, 1)->half[1][0], 0, 21 / 3);
		assert_true(brstat_quality(b)->by_turns > 0.9);
		brstat_free(b);
	}
}

static void fill_nothing(struct brstat **v, size_t nr)
{
	(void)v;
	(void)nr;
}

static void nothing(void **state)
{
	(void)state;
	for (unsigned what = BRSTAT_WHY; what <= BRSTAT_QUALITY; what <<= 1)
		for (int pieces = 0; pieces < 2; pieces++) {
			struct brstat *b = count(what, pieces, fill_nothing);

			assert_int_equal(brstat_sum(b)->branches, 0);
			assert_int_equal(brstat_nr_branches(b), 0);
			assert_int_equal(brstat_nr_blocks(b), 0);
			assert_int_equal(brstat_nr_functions(b), 0);
			brstat_free(b);
		}
}

/* Of all slots of the pairs, the most beside each other that are full. */
static size_t longest_row(const struct brstat *b)
{
	size_t most = 0, row = 0;

	for (size_t i = 0; i < (size_t)1 << b->pair_bits; i++) {
		row = b->pairs[i].step ? row + 1 : 0;
		most = row > most ? row : most;
	}
	return most;
}

/* Pairs that without a secret would all lie in one place, where each look went by all of them. */
static void chosen(void **state)
{
	const uint64_t secret = hash_secret;
	unsigned nr = 0;
	struct brstat *b;

	(void)state;
	hash_secret = 0x0123456789abcdefULL;
	b = new_count(BRSTAT_CYCLES);
	for (uint64_t pair = 0; nr < 2000; pair++) {
		uint64_t before = pair >> 11, edge = pair & 2047;

		if (((before << 32 | edge) * HASH_GOLDEN ^ before) * HASH_GOLDEN >> 54)
			continue;
		assert_non_null(brstat_step(b, (uint32_t)before, (uint32_t)edge));
		nr++;
	}
	assert_int_equal(b->nr_pairs, 2000);
	assert_true(longest_row(b) < 200);
	brstat_free(b);
	hash_secret = secret;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(branches, setup, teardown),
		cmocka_unit_test_setup_teardown(far, setup, teardown),
		cmocka_unit_test_setup_teardown(cycles, setup, teardown),
		cmocka_unit_test_setup_teardown(many, setup, teardown),
		cmocka_unit_test_setup_teardown(often, setup, teardown),
		cmocka_unit_test_setup_teardown(heads, setup, teardown),
		cmocka_unit_test_setup_teardown(quality, setup, teardown),
		cmocka_unit_test_setup_teardown(turns, setup, teardown),
		cmocka_unit_test_setup_teardown(crowd, setup, teardown),
		cmocka_unit_test_setup_teardown(again, setup, teardown),
		cmocka_unit_test_setup_teardown(passed, setup, teardown),
		cmocka_unit_test_setup_teardown(moved, setup, teardown),
		cmocka_unit_test_setup_teardown(grown, setup, teardown),
		cmocka_unit_test_setup_teardown(few, setup, teardown),
		cmocka_unit_test_setup_teardown(halves, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(chosen, setup, teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("brstat", tests, NULL, NULL);
}
