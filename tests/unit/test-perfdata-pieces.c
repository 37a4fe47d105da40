// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pieces of a recording, one behind the other, are what perfdata_next_ordered() hands out: over random
 * recordings with rounds, runs of several CPUs, records that come too late, equal times and what has no time,
 * in either byte order, packed and not. And what is known of pieces that somebody else reads.
 */
#include "config.h"
#include "elf/elf.h"
#include "perfdata-build.h"
#include "perfdata/perfdata-int.h"

#define MAX 16000

static struct build f;
static uint64_t seed;

struct seen {
	uint64_t offset, file_offset, time;
	uint32_t type;
};

struct list {
	struct seen v[MAX];
	size_t n;
};

static uint64_t dice(uint64_t n)
{
	return (unit_random(&seed) >> 33) % n;
}

static void add(struct list *l, const struct record *rec)
{
	assert_true(l->n < MAX);
	l->v[l->n++] = (struct seen){ rec->offset, rec->file_offset, rec->time, rec->type };
}

static void check_same(const struct list *a, const struct list *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		assert_int_equal(a->v[i].offset, b->v[i].offset);
		assert_int_equal(a->v[i].file_offset, b->v[i].file_offset);
		assert_int_equal(a->v[i].time, b->v[i].time);
		assert_int_equal(a->v[i].type, b->v[i].type);
	}
}

/* What ended it, as the whole has it. */
static int read_some(const struct perfdata_index *x, size_t from, size_t to, struct list *l)
{
	struct perfdata *pd;
	struct record rec;
	struct err e;
	int ret;

	assert_int_equal(open_build(&pd, &f, &e), 0);
	if (x)
		assert_int_equal(perfdata_read_pieces(pd, x, from, to, &e), 0);
	while ((ret = perfdata_next_ordered(pd, &rec, &e)) > 0)
		add(l, &rec);
	perfdata_close(pd);
	return ret;
}

static void read_all(const struct perfdata_index *x, size_t from, size_t to, struct list *l)
{
	assert_int_equal(read_some(x, from, to, l), 0);
}

/* A tenth of the samples, and what the tool wrote. */
static enum perfdata_keep keep(void *ctx, const struct record *rec)
{
	struct list *l = ctx;
	bool kept = rec->type == 60 || (rec->type == PERF_RECORD_SAMPLE && rec->time % 10 == 3);

	if (kept)
		add(l, rec);
	return kept ? PERFDATA_KEEP : PERFDATA_KEEP_NOT;
}

/* The first sample of each thread since the tool wrote something, which is kept, too. */
struct firsts {
	struct list kept;
	bool seen[4];
	bool says; /* that there are no more of a thread */
	size_t asked;
};

static enum perfdata_keep keep_first(void *ctx, const struct record *rec)
{
	struct firsts *k = ctx;
	uint32_t tid;

	if (rec->type == PERF_RECORD_SAMPLE) {
		k->asked++;
		tid = load_u32(rec->data + 20, rec->swap);
		assert_in_range(tid, 0, ARRAY_SIZE(k->seen) - 1);
		if (k->seen[tid])
			return k->says ? PERFDATA_KEEP_NO_MORE : PERFDATA_KEEP_NOT;
		k->seen[tid] = true;
	} else {
		memset(k->seen, 0, sizeof(k->seen));
		if (rec->type != 60)
			return PERFDATA_KEEP_NOT;
	}
	add(&k->kept, rec);
	return PERFDATA_KEEP;
}

static int know(void *ctx, const struct record *rec, struct err *e)
{
	(void)e;
	add(ctx, rec);
	return 0;
}

/* Several CPUs' runs in a round; some records too late, some without a time. */
static void make(bool big, bool rounds, bool packed)
{
	uint64_t clock = 100, tid = 0;

	start_file(&f, big, 64);
	for (int r = 0; r < 12; r++) {
		uint64_t spread = 20 + dice(200);

		for (uint64_t cpu = 0; cpu <= dice(5); cpu++) {
			uint64_t t = clock + dice(spread);

			if (dice(20) == 0 && clock > 400)
				t -= 300; /* later than its round */
			for (uint64_t i = 0; i < dice(60); i++) {
				t += dice(4);
				put_sample(&f, t, t, EVENT_ID);
				set(&f, f.n - 20, tid, 4);
				tid = dice(8) ? tid : dice(4);
				if (dice(40) == 0)
					put_header(&f, 60, 0, 8);
			}
		}
		clock += spread;
		if (rounds && dice(4))
			put_header(&f, PERF_RECORD_FINISHED_ROUND, 0, 8);
	}
	if (packed && HAVE_ZSTD)
		end_file_packed(&f, 200 + dice(3000));
	else
		end_file(&f);
}

static void pieces_are_the_whole(void **state)
{
	static struct list whole, pieces, kept, known, before;
	size_t most = 0;

	(void)state;
	seed = 1;
	for (int n = 0; n < 200; n++) {
		struct perfdata_index_opts o = { 512u << n % 5, 3, keep, &kept, false };
		struct perfdata_index *x;
		struct perfdata *pd;
		struct err e;
		size_t nr;

		whole.n = pieces.n = kept.n = 0;
		make(n % 2, n % 3, n % 5 > 2);
		read_all(NULL, 0, 0, &whole);
		assert_int_equal(open_build(&pd, &f, &e), 0);
		assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
		assert_null(perfdata_index_damage(x));
		nr = perfdata_nr_pieces(x);
		most = nr > most ? nr : most;
		for (size_t i = 0; i < nr; i++)
			read_all(x, i, i + 1, &pieces);
		check_same(&whole, &pieces);
		pieces.n = 0;
		read_all(x, 0, nr / 2, &pieces);
		read_all(x, nr / 2, nr, &pieces);
		check_same(&whole, &pieces);
		/* Of each piece what was kept of it, in the order in which it is read. */
		for (size_t i = 0; i < nr; i++) {
			pieces.n = known.n = before.n = 0;
			read_all(x, i, i + 1, &pieces);
			for (size_t k = 0; k < pieces.n; k++)
				if (pieces.v[k].type == 60 ||
				    (pieces.v[k].type == PERF_RECORD_SAMPLE &&
				     pieces.v[k].time % 10 == 3))
					before.v[before.n++] = pieces.v[k];
			assert_int_equal(perfdata_known_records(pd, x, i, i + 1, know, &known, &e),
					 0);
			check_same(&before, &known);
		}
		known.n = 0;
		assert_int_equal(perfdata_known_records(pd, x, 0, nr, know, &known, &e), 0);
		assert_int_equal(known.n, kept.n);
		perfdata_index_free(x);
		perfdata_close(pd);
	}
	assert_true(most > 20);
}

/* Of a record that is kept, with what it says of itself. */
static int check_short(void *ctx, const struct record *rec, struct err *e)
{
	size_t *n = ctx;

	(void)e;
	assert_int_equal(rec->size, load_u16(rec->data + 6, rec->swap));
	/* Header and fixed fields; those with a stack end there. */
	assert_int_equal(rec->size, *n % 2 ? 520 : 40);
	assert_int_equal(rec->type, PERF_RECORD_SAMPLE);
	assert_int_equal(rec->time, 103 + 10 * *n);
	assert_int_equal(load_u64(rec->data + 8, rec->swap), 7);
	assert_int_equal(load_u32(rec->data + 20, rec->swap), 11);
	return ++*n > 4;
}

/* A stack of 60 kB is not kept, nor are samples without one any shorter than they are. */
static void kept_short(void **state)
{
	static struct list kept;
	size_t n;

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct perfdata_index_opts o = { 1024, 3, keep, &kept, false };
		struct perfdata_index *x;
		struct perfdata *pd;
		struct err e;

		kept.n = 0;
		start_file(&f, big, 64);
		for (uint64_t i = 0; i < 4; i++)
			put_long_sample(&f, 7, 103 + 10 * i, EVENT_ID, i % 2 ? 60000 : 0);
		end_file(&f);
		assert_int_equal(open_build(&pd, &f, &e), 0);
		assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
		kept.n = 0;
		n = perfdata_nr_pieces(x);
		assert_int_equal(perfdata_known_records(pd, x, 0, n, check_short, &kept.n, &e), 0);
		assert_int_equal(kept.n, 4);
		perfdata_index_free(x);
		perfdata_close(pd);
	}
}

static size_t index_firsts(struct firsts *k, bool says, struct list *pieces)
{
	struct perfdata_index_opts o = { 1024, 3, keep_first, k, false };
	struct perfdata_index *x;
	struct perfdata_stats st;
	struct perfdata *pd;
	struct err e;
	size_t nr;

	memset(k, 0, sizeof(*k));
	k->says = says;
	pieces->n = 0;
	assert_int_equal(open_build(&pd, &f, &e), 0);
	assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
	perfdata_stats(pd, &st);
	nr = perfdata_nr_pieces(x);
	for (size_t i = 0; i < nr; i++)
		read_all(x, i, i + 1, pieces);
	assert_int_equal(st.records, pieces->n);
	perfdata_index_free(x);
	perfdata_close(pd);
	return nr;
}

/* Samples that the walk need not ask about are passed over in rows; nothing else comes of it. */
static void rows_of_a_thread(void **state)
{
	static struct firsts one, rows;
	static struct list whole, pieces, others;

	(void)state;
	seed = 9;
	for (int n = 0; n < 200; n++) {
		whole.n = 0;
		make(n % 2, n % 3, n % 5 > 2);
		read_all(NULL, 0, 0, &whole);
		assert_int_equal(index_firsts(&one, false, &pieces),
				 index_firsts(&rows, true, &others));
		check_same(&one.kept, &rows.kept);
		check_same(&pieces, &others);
		check_same(&whole, &others);
	}
}

/* What this process has read so far; 0 where the kernel does not tell. */
static uint64_t bytes_read(void)
{
	char *text = file_read_all("/proc/self/io", 4096, NULL, NULL);
	char *at = text ? strstr(text, "rchar: ") : NULL;
	uint64_t n = at ? strtoull(at + 7, NULL, 10) : 0;

	free(text);
	return n;
}

/*
 * Longer than what is read at once; threads change with one sample of @of, and the tool writes something now
 * and then.
 */
static void make_long(bool big, uint64_t of)
{
	uint64_t tid = 0, t = 1000;

	start_file(&f, big, 64);
	for (int r = 0; r < 60; r++) {
		for (uint64_t cpu = 0; cpu < 2; cpu++)
			for (uint64_t i = 0; i < 100; i++) {
				put_sample(&f, t + i, t + i * 3 + cpu, EVENT_ID);
				set(&f, f.n - 20, tid, 4);
				tid = dice(of) ? tid : dice(4);
				if (r % 7 == 3 && dice(9) == 0)
					put_header(&f, 60, 0, 8);
			}
		t += 250;
		put_header(&f, PERF_RECORD_FINISHED_ROUND, 0, 8);
	}
	end_file(&f);
}

/* Of a long file the walk looks at samples without reading them. */
static void looked_at(void **state)
{
	static struct firsts one, rows;
	static struct list whole, pieces, others;
	struct perfdata_index_opts o = { 1 << 14, 3, keep_first, &rows, false };
	struct perfdata_index *x;
	struct perfdata *pd;
	uint64_t before;
	struct err e;

	(void)state;
	elf_guard_install(); /* without that nothing is only looked at */
	seed = 11;
	for (int n = 0; n < 6; n++) {
		whole.n = 0;
		make_long(n % 2, n % 3 ? 30 : 1);
		read_all(NULL, 0, 0, &whole);
		assert_int_equal(index_firsts(&one, false, &pieces),
				 index_firsts(&rows, true, &others));
		check_same(&one.kept, &rows.kept);
		check_same(&pieces, &others);
		check_same(&whole, &others);
		memset(&rows, 0, sizeof(rows));
		rows.says = true;
		assert_int_equal(open_build(&pd, &f, &e), 0);
		before = bytes_read();
		assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
		if (before)
			assert_true(bytes_read() - before < 4096);
		/* Neither where another thread goes on nor where a mark is due. */
		assert_true(rows.asked * (n % 3 ? 10 : 2) < whole.n);
		perfdata_index_free(x);
		perfdata_close(pd);
	}
}

/*
 * Cuts the file, once, when it is asked about a record behind @from; @left bytes of what follows remain, or somewhat
 * more to the end of a page: behind that there are no zeros.
 */
struct cutter {
	struct firsts k;
	int fd;
	bool page;
	uint64_t from, left;
	bool cut;
};

static enum perfdata_keep keep_and_cut(void *ctx, const struct record *rec)
{
	struct cutter *c = ctx;

	if (!c->cut && rec->offset > c->from) {
		c->cut = true;
		assert_int_equal(ftruncate(c->fd, (off_t)align_up(rec->offset + c->left,
								  c->page ? 4096 : 1)),
				 0);
	}
	return keep_first(&c->k, rec);
}

/* A file that becomes shorter while it is looked at: that is told as it is of one that is read. */
static void cut_under_the_walk(void **state)
{
	static struct cutter c;
	struct perfdata_index_opts o = { 1 << 14, 3, keep_and_cut, &c, false };
	char path[64];

	(void)state;
	elf_guard_install(); /* the first one: cmocka sets a handler before each test */
	seed = 12;
	for (unsigned n = 0; n < 12; n++) {
		struct perfdata_index *x;
		struct perfdata *pd;
		struct err e;

		make_long(n % 2, 30);
		memset(&c, 0, sizeof(c));
		c.k.says = true;
		c.from = (256u << 10) + n * 10000;
		c.left = n * 3000;
		c.page = n % 3;
		c.fd = memfile(f.b, f.n);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", c.fd);
		assert_int_equal(perfdata_open(&pd, path, NULL, &e), 0);
		assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
		assert_true(c.cut);
		assert_non_null(perfdata_index_damage(x));
		assert_non_null(strstr(perfdata_index_damage(x)->text, "the data ends"));
		assert_int_equal(elf_guard_hits(), 0); /* which are programs */
		perfdata_index_free(x);
		perfdata_close(pd);
		close(c.fd);
	}
}

static enum perfdata_keep none(void *ctx, const struct record *rec)
{
	(void)ctx, (void)rec;
	return PERFDATA_KEEP_NOT;
}

static void no_keep(struct perfdata_index_opts *o, struct list *kept)
{
	kept->n = 0;
	*o = (struct perfdata_index_opts){ 4096, 3, keep, kept, false };
}

/* What cannot be cut is read as before, as if nobody had asked. */
static void read_as_a_whole(void **state)
{
	static struct list kept, first, after;
	struct perfdata_index_opts o;
	struct perfdata_index *x;
	struct perfdata *pd;
	struct record rec;
	struct err e;

	(void)state;
	start_file(&f, false, 64);
	for (uint64_t t = 1; t < 500; t++)
		put_sample(&f, t, t == 400 ? 0 : 1000 - t, EVENT_ID); /* one without a time */
	end_file(&f);
	first.n = after.n = 0;
	read_all(NULL, 0, 0, &first);
	no_keep(&o, &kept);
	assert_int_equal(open_build(&pd, &f, &e), 0);
	assert_int_equal(perfdata_index_new(&x, pd, &o, &e), -ENOTSUP);
	assert_null(x);
	while (perfdata_next_ordered(pd, &rec, &e) > 0)
		add(&after, &rec);
	check_same(&first, &after);
	perfdata_close(pd);

	start_file_of(&f, false, 64, PERF_SAMPLE_IP | PERF_SAMPLE_TID, 0);
	end_file(&f);
	assert_int_equal(open_build(&pd, &f, &e), 0);
	assert_int_equal(perfdata_index_new(&x, pd, &o, &e), -ENOTSUP);
	perfdata_close(pd);
}

/* What lies before damage is in the pieces; the damage is told by the index. */
static void damage(void **state)
{
	static struct list whole, pieces, kept;
	struct perfdata_index_opts o;
	struct perfdata_index *x;
	struct perfdata *pd;
	struct record rec;
	struct err e, mine;
	int ret;

	(void)state;
	start_file(&f, false, 64);
	for (uint64_t t = 1; t < 300; t++)
		put_sample(&f, t, 1000 + t, EVENT_ID);
	put_header(&f, PERF_RECORD_SAMPLE, 0, 4);
	end_file(&f);
	whole.n = pieces.n = 0;
	assert_int_equal(open_build(&pd, &f, &e), 0);
	while ((ret = perfdata_next_ordered(pd, &rec, &e)) > 0)
		add(&whole, &rec);
	assert_int_equal(ret, -EBADMSG);
	mine = e;
	perfdata_close(pd);

	no_keep(&o, &kept);
	assert_int_equal(open_build(&pd, &f, &e), 0);
	assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
	assert_non_null(perfdata_index_damage(x));
	assert_string_equal(perfdata_index_damage(x)->text, mine.text);
	read_all(x, 0, perfdata_nr_pieces(x), &pieces);
	check_same(&whole, &pieces);
	perfdata_index_free(x);
	perfdata_close(pd);
}

/* What is packed wrongly, or its file, is read as a whole, or as far as one reading comes. */
static void packed_damage(void **state)
{
	static struct list whole, pieces, kept;
	struct perfdata_index_opts o;
	size_t cut = 0, refused = 0;

	(void)state;
	seed = 5;
	for (int n = 0; HAVE_ZSTD && n < 300; n++) {
		struct err e, mine = { 0 };
		struct perfdata_index *x;
		struct perfdata *pd;
		struct record rec;
		size_t start;
		int ret, one;

		make(n % 2, true, true);
		start = data_start(&f);
		if (n % 3 == 0) /* its recorder was killed, or its end is lost */
			f.n = start + dice(f.n - start - 80);
		if (n % 6 == 0)
			set(&f, AT_DATA_SIZE, 0, 8);
		if (n % 3 == 1)
			f.b[start + dice(f.n - start - 80)] ^= (unsigned char)(1 + dice(255));
		else if (n % 3 == 2)
			memset(f.b + start + dice((f.n - start) / 2), 0, 70);
		whole.n = pieces.n = 0;
		if (open_build(&pd, &f, &mine))
			continue;
		while ((one = perfdata_next_ordered(pd, &rec, &mine)) > 0)
			add(&whole, &rec);
		perfdata_close(pd);
		no_keep(&o, &kept);
		assert_int_equal(open_build(&pd, &f, &e), 0);
		ret = perfdata_index_new(&x, pd, &o, &e);
		if (ret) {
			assert_int_equal(ret, -ENOTSUP);
			while ((ret = perfdata_next_ordered(pd, &rec, &e)) > 0)
				add(&pieces, &rec);
			assert_int_equal(ret, one);
			refused++;
		} else {
			ret = read_some(x, 0, perfdata_nr_pieces(x), &pieces);
			assert_int_equal(ret, 0);
			assert_int_equal(!!perfdata_index_damage(x), !!one);
			if (one)
				e = *perfdata_index_damage(x);
			cut++;
		}
		if (one)
			assert_string_equal(e.text, mine.text);
		check_same(&whole, &pieces);
		perfdata_index_free(x);
		perfdata_close(pd);
	}
	assert_true(!HAVE_ZSTD || (cut > 20 && refused > 20));
}

/* Opened once more it is the same file, and no other. */
static void again(void **state)
{
	struct perfdata *pd, *other;
	struct err e;

	(void)state;
	make(false, true, false);
	assert_int_equal(open_build(&pd, &f, &e), 0);
	make(false, true, false);
	assert_int_equal(open_build(&other, &f, &e), 0);
	assert_int_equal(perfdata_same_file(pd, pd, &e), 0);
	assert_int_equal(perfdata_same_file(pd, other, &e), -ESTALE);
	perfdata_close(pd);
	perfdata_close(other);
}

/* A file that is cut after its index was made gives an error, not bytes of somebody else. */
static void cut_meanwhile(void **state)
{
	static struct list kept;
	struct perfdata_index_opts o;
	struct perfdata_index *x;
	char path[64];
	struct perfdata *pd;
	struct record rec;
	struct err e;
	int fd, ret;

	(void)state;
	make(false, true, false);
	fd = memfile(f.b, f.n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(perfdata_open(&pd, path, NULL, &e), 0);
	no_keep(&o, &kept);
	assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
	assert_int_equal(ftruncate(fd, (off_t)f.n / 2), 0);
	assert_int_equal(perfdata_read_pieces(pd, x, 0, perfdata_nr_pieces(x), &e), 0);
	while ((ret = perfdata_next_ordered(pd, &rec, &e)) > 0)
		;
	assert_int_equal(ret, -EIO);
	assert_non_null(strstr(e.text, "the file changed"));
	perfdata_index_free(x);
	perfdata_close(pd);
	close(fd);
}

/*
 * A file of thousands of short runs without rounds: a piece reads those whose times it has, and not all of
 * them each time.
 */
static void short_runs(void **state)
{
	struct perfdata_index_opts o;
	static struct list kept;
	struct perfdata_index *x;
	uint64_t before, after;
	struct perfdata *pd;
	struct record rec;
	struct err e;
	size_t n = 0;

	(void)state;
	start_file(&f, false, 64);
	for (uint64_t r = 0; r < 3000; r++) /* neighbours overlap */
		for (uint64_t i = 0; i < 6; i++)
			put_sample(&f, r, 2 + 100 * (r ^ 1) + 20 * i, EVENT_ID);
	end_file(&f);
	no_keep(&o, &kept);
	o.keep = none;
	assert_int_equal(open_build(&pd, &f, &e), 0);
	assert_int_equal(perfdata_index_new(&x, pd, &o, &e), 0);
	assert_true(perfdata_nr_pieces(x) > 50);
	before = bytes_read();
	for (size_t i = 0; i < perfdata_nr_pieces(x); i++) {
		assert_int_equal(perfdata_read_pieces(pd, x, i, i + 1, &e), 0);
		while (perfdata_next_ordered(pd, &rec, &e) > 0)
			n++;
	}
	after = bytes_read();
	assert_int_equal(n, 3000 * 6);
	if (before)
		assert_true(after - before < 4 * f.n);
	perfdata_index_free(x);
	perfdata_close(pd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_the_whole),
		cmocka_unit_test(kept_short),
		cmocka_unit_test(rows_of_a_thread),
		cmocka_unit_test(cut_under_the_walk),
		cmocka_unit_test(looked_at),
		cmocka_unit_test(read_as_a_whole),
		cmocka_unit_test(damage),
		cmocka_unit_test(packed_damage),
		cmocka_unit_test(again),
		cmocka_unit_test(cut_meanwhile),
		cmocka_unit_test(short_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
