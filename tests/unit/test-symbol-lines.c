// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines of one object, asked for by resolvers in several threads that share it: line
 * programs are decoded by several handles, and answers are those of one thread. The object is this
 * program.
 */
#include "config.h"
#include "perfdata-build.h"
#include "symbol/symbol-int.h"

#if HAVE_LIBDW
#include "symbol/lines-int.h"

#define THREADS 5 /* one more than there are handles */
#define UNITS	8 /* there are at least */

struct answer {
	struct srcline line, call; /* @call: the innermost one's */
	bool found;
	int inlined;
};

struct reader {
	struct symbol_store *store;
	struct machine *m;
	struct resolver *res;
	struct stored *stored;
	struct lines *l;
	size_t first, n; /* range that is asked for first; there are n */
	bool inlines;	 /* and inlined functions, which one thread at a time is told */
	struct answer *answer;
	pthread_t thread;
};

static struct reader *reader_new(struct symbol_store *st)
{
	struct reader *r = calloc(1, sizeof(*r));
	struct symbol_opts opts = { .store = st };
	char exe[256];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(n > 0);
	exe[n] = 0;
	assert_int_equal(machine_new(&r->m, "x86_64", NULL), 0);
	assert_int_equal(resolver_new(&r->res, r->m, &opts, NULL), 0);
	r->stored = stored_lines(r->res, exe, &r->l);
	assert_non_null(r->stored);
	r->n = r->l ? r->l->range.n : 0;
	r->answer = calloc(r->n + 1, sizeof(*r->answer));
	return r;
}

static void reader_free(struct reader *r)
{
	stored_lines_done(r->stored);
	resolver_free(r->res);
	machine_free(r->m);
	free(r->answer);
	free(r);
}

static void ask(struct reader *r, size_t i)
{
	struct cu_range *range = &r->l->range.v[i];
	uint64_t addr = range->start + (range->end - range->start) / 2;
	struct answer *to = &r->answer[i];
	const struct inline_info *info;

	to->found = lines_find(r->l, r->res, addr, &to->line);
	if (!r->inlines)
		return;
	lines_begin(r->l, r->res);
	to->inlined = lines_inlines(r->l, r->res, addr, true, &info);
	if (to->inlined)
		to->call = info->call;
	lines_end(r->l);
}

static void *ask_all(void *arg)
{
	struct reader *r = arg;

	for (size_t i = 0; i < r->n; i++)
		ask(r, (i + r->first) % r->n);
	return NULL;
}

static void *ask_first(void *arg)
{
	struct reader *r = arg;

	ask(r, r->first);
	return NULL;
}

static void begin(struct reader *r, void *(*fn)(void *))
{
	assert_int_equal(pthread_create(&r->thread, NULL, fn, r), 0);
}

static void same_line(const struct srcline *line, const struct srcline *want)
{
	assert_int_equal(line->line, want->line);
	if (!want->file)
		assert_null(line->file);
	else
		assert_string_equal(line->file, want->file);
}

static void same_answer(const struct answer *a, const struct answer *want, bool inlines)
{
	assert_int_equal(a->found, want->found);
	same_line(&a->line, &want->line);
	if (!inlines)
		return;
	assert_int_equal(a->inlined, want->inlined);
	same_line(&a->call, &want->call);
}

static struct cu *unit_of(struct reader *r, size_t range)
{
	return &r->l->cu.v[r->l->range.v[range].cu];
}

static Dwarf *handle_of(const struct cu *cu)
{
	return dwarf_cu_getdwarf(cu->lines_die.cu);
}

/* All that there may be, as threads that met would have opened them. NULL: this program has no lines. */
static Dwarf *open_handles(struct reader *r)
{
	Dwarf *v[LINES_MORE];

	if (!r->l || r->l->cu.n < UNITS)
		return NULL;
	lines_begin(r->l, r->res);
	for (unsigned i = 0; i < LINES_MORE; i++) {
		v[i] = lines_add_handle(r->l);
		assert_non_null(v[i]);
		assert_ptr_not_equal(v[i], r->l->dbg);
	}
	assert_null(lines_add_handle(r->l));
	lines_end(r->l);
	for (unsigned i = 0; i < LINES_MORE; i++)
		lines_give_handle(r->l, v[i]);
	return v[0];
}
#endif

/* While one thread has the object's own handle, another reads by one more. */
static void test_two_at_once(void **state)
{
#if HAVE_LIBDW
	struct symbol_store *st;
	struct reader *r, *other, *want = reader_new(NULL);
	Dwarf *more;
	size_t last = want->n - 1;

	(void)state;
	assert_int_equal(symbol_store_new(&st, NULL), 0);
	r = reader_new(st);
	other = reader_new(st);
	more = open_handles(r);
	if (!more)
		skip_because("this program has no debug information");
	assert_ptr_equal(other->l, r->l);
	ask(r, 0);
	other->first = last;
	lines_begin(r->l, r->res);
	begin(other, ask_first);
	pthread_join(other->thread, NULL);
	lines_end(r->l);
	assert_ptr_equal(handle_of(unit_of(r, 0)), r->l->dbg);
	assert_ptr_equal(handle_of(unit_of(r, last)), more);
	/* Whoever asks gets what that one has read, inlined calls among it. */
	r->inlines = want->inlines = true;
	ask(r, last);
	ask(want, 0);
	ask(want, last);
	assert_true(want->answer[0].found || want->answer[last].found);
	same_answer(&r->answer[0], &want->answer[0], false);
	same_answer(&r->answer[last], &want->answer[last], true);
	same_answer(&other->answer[last], &want->answer[last], false);
	reader_free(r);
	reader_free(other);
	reader_free(want);
	symbol_store_free(st);
#else
	(void)state;
	skip_because("built without libdw");
#endif
}

/* A unit that somebody has claimed is read by nobody else. */
static void test_waits(void **state)
{
#if HAVE_LIBDW
	struct symbol_store *st;
	struct reader *r, *find, *inlines;
	struct cu *cu;

	(void)state;
	assert_int_equal(symbol_store_new(&st, NULL), 0);
	r = reader_new(st);
	find = reader_new(st);
	inlines = reader_new(st);
	if (!open_handles(r))
		skip_because("this program has no debug information");
	cu = unit_of(r, 0);
	assert_false(lines_wait(r->l, cu));
	assert_true(lines_claim(cu));
	assert_false(lines_claim(cu));
	begin(find, ask_first);
	inlines->inlines = true;
	begin(inlines, ask_first);
	usleep(10000); /* most likely they wait by now; the answer is the same where they do not */
	lines_publish(r->l, cu);
	pthread_join(find->thread, NULL);
	pthread_join(inlines->thread, NULL);
	assert_false(find->answer[0].found); /* nothing was published */
	assert_false(inlines->answer[0].found);
	assert_true(lines_wait(r->l, cu));
	reader_free(r);
	reader_free(find);
	reader_free(inlines);
	symbol_store_free(st);
#else
	(void)state;
	skip_because("built without libdw");
#endif
}

#if HAVE_LIBDW
/* Readers of one store, from several places; at first the object's own handle is in use. */
static void race(struct reader *const *r, bool handles_open)
{
	struct lines *l = r[0]->l;
	bool any = !handles_open;

	for (unsigned k = 0; k < THREADS; k++) {
		r[k]->first = k / 2 * r[k]->n / THREADS; /* two that want the same at once */
		r[k]->inlines = k == THREADS - 1;
	}
	lines_begin(l, r[0]->res);
	for (unsigned k = 0; k < THREADS; k++)
		begin(r[k], ask_all);
	while (!any) {
		sched_yield();
		vec_for_each (cu, &l->cu)
			any |= atomic_load(&cu->lines_read);
	}
	lines_end(l);
	for (unsigned k = 0; k < THREADS; k++)
		pthread_join(r[k]->thread, NULL);
}
#endif

static void test_same_answers(void **state)
{
#if HAVE_LIBDW
	struct reader *want = reader_new(NULL), *r[THREADS];
	unsigned found = 0, by_more;

	(void)state;
	want->inlines = true;
	ask_all(want);
	for (size_t i = 0; i < want->n; i++)
		found += want->answer[i].found;
	if (want->n < UNITS || want->l->cu.n < UNITS)
		skip_because("this program has no debug information");
	assert_true(found >= UNITS);
	for (unsigned round = 0; round < 20; round++) {
		bool handles_open = round % 2;
		struct symbol_store *st;

		assert_int_equal(symbol_store_new(&st, NULL), 0);
		for (unsigned k = 0; k < THREADS; k++)
			r[k] = reader_new(st);
		if (handles_open)
			assert_non_null(open_handles(r[0]));
		race(r, handles_open);
		by_more = 0;
		vec_for_each (cu, &r[0]->l->cu)
			by_more += handle_of(cu) != r[0]->l->dbg;
		assert_true(by_more || !handles_open);
		for (unsigned k = 0; k < THREADS; k++) {
			for (size_t i = 0; i < want->n; i++)
				same_answer(&r[k]->answer[i], &want->answer[i], r[k]->inlines);
			assert_int_equal(r[k]->l->programs, want->l->programs);
		}
		for (unsigned k = 0; k < THREADS; k++)
			reader_free(r[k]);
		symbol_store_free(st);
	}
	reader_free(want);
#else
	(void)state;
	skip_because("built without libdw");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_same_answers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
