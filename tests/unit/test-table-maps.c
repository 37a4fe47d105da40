// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of two machines and resolvers become one. The second machine meets everything in another
 * order, so that threads, objects, symbols and locations have other numbers there, and it is gone
 * when the result is looked at.
 */
#include "functions.h"
#include "table-build.h"

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN },
};

#define LEAF  ((uintptr_t)t_leaf)
#define MID   ((uintptr_t)t_mid)
#define OUTER ((uintptr_t)t_outer)

struct world {
	struct machine *m;
	struct resolver *res;
};

static struct world new_world(void)
{
	const struct symbol_opts so = { .no_host_kernel = true };

	assert_int_equal(build_machine(&so), 0);
	return (struct world){ m, res };
}

static void use(const struct world *w)
{
	m = w->m;
	res = w->res;
}

static void free_world(const struct world *w)
{
	resolver_free(w->res);
	machine_free(w->m);
}

/* A thread of process 1, made even if one of its number was there. */
static void fork_thread(uint32_t tid)
{
	static struct build f;
	struct perfdata_event ev = { 0 };
	struct record rec;

	start_records(&f, host_is_big_endian());
	put_header(&f, PERF_RECORD_FORK, 0, 32);
	put_n(&f, 1, 4);
	put_n(&f, 1, 4);
	put_n(&f, tid, 4);
	put_n(&f, 1, 4);
	put_n(&f, 0, 8);
	rec = built_record(&f, 0, &ev);
	assert_int_equal(machine_record(m, &rec, NULL), 0);
}

/* Its chain innermost first, 0 ends it. */
static void add(struct table *t, struct thread *th, uint64_t period, const uint64_t *chain)
{
	uint64_t ips[8] = { PERF_CONTEXT_USER };
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .period = period };
	unsigned n = 1;

	for (; chain[n - 1]; n++)
		ips[n] = chain[n - 1];
	s.ip = chain[0];
	s.pid = (uint32_t)th->pid;
	s.tid = (uint32_t)th->tid;
	s.present = event.attr.sample_type;
	s.callchain = (struct u64s){ (unsigned char *)ips, n, false };
	assert_int_equal(table_add(t, &s, th, NULL), 0);
}

#define CHAIN(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

/* Thread 5 comes twice: another one the second time. */
static void first_half(struct table *t)
{
	map_self(MID);
	map_file(1, 0x10000, 0x1000, 0, "/none/lib.so");
	fork_thread(5);
	add(t, machine_thread(m, 1, 5), 50, CHAIN(LEAF, MID, OUTER));
	add(t, machine_thread(m, 1, 1), 7, CHAIN(MID + 1, OUTER));
	fork_thread(5);
	add(t, machine_thread(m, 1, 5), 30, CHAIN(LEAF, OUTER));
}

static void second_half(struct table *t)
{
	add(t, machine_thread(m, 1, 6), 20, CHAIN(OUTER, 0x10020));
	add(t, machine_thread(m, 1, 5), 3, CHAIN(LEAF + 1, MID, OUTER));
	add(t, machine_thread(m, 1, 1), 11, CHAIN(0x10010, MID, OUTER));
}

static void put_nodes(const struct call_node *n, struct obuf *o)
{
	for (uint32_t i = 0; i < n->nr_children; i++) {
		obuf_char(o, '(');
		for (uint32_t f = 0; f < n->child[i].nr_frames; f++) {
			view_frame(v, n->child[i].frames[f], o);
			obuf_char(o, ' ');
		}
		obuf_printf(o, "%llu", (unsigned long long)n->child[i].cumul);
		put_nodes(&n->child[i], o);
		obuf_char(o, ')');
	}
}

static char *text(struct table *t)
{
	struct call_tree tree = { 0 };
	struct obuf o;

	finish(t);
	assert_int_equal(obuf_init(&o, -1, 0), 0);
	for (size_t i = 0; i < view_nr_rows(v, 0); i++) {
		const struct keys_row *row = view_row(v, 0, i);

		for (size_t c = 0; c < view_nr_cols(v); c++) {
			view_value(v, row, view_col(v, c), &o);
			obuf_char(&o, ',');
		}
		assert_int_equal(view_tree(v, row, &tree), 0);
		put_nodes(&tree.root, &o);
		view_tree_free(&tree);
		obuf_char(&o, '\n');
	}
	obuf_char(&o, 0);
	done(t);
	return o.buf;
}

static char *whole_text(const struct keys_opts *o)
{
	struct world w = new_world();
	struct table *t = new_profile(o);
	char *got;

	first_half(t);
	second_half(t);
	got = text(t);
	free_world(&w);
	return got;
}

/* The machine of the second half, whose numbers are others; it knows what the first one saw. */
static struct world other_world(void)
{
	struct world w = new_world();

	map_file(1, 0x90000, 0x1000, 0, "/none/other.so");
	map_file(1, 0x10000, 0x1000, 0, "/none/lib.so");
	map_self(MID);
	machine_thread(m, 9, 9);
	machine_thread(m, 1, 6);
	fork_thread(5);
	fork_thread(5);
	resolver_find(res, machine_thread(m, 1, 6), PERF_RECORD_MISC_USER, 0x90000);
	resolver_find(res, machine_thread(m, 1, 6), PERF_RECORD_MISC_USER, LEAF);
	return w;
}

static uint32_t loc_of(const struct world *w, uint64_t ip)
{
	return resolver_find(w->res, machine_thread(w->m, 1, 1), PERF_RECORD_MISC_USER, ip);
}

/* What is alike has the same name, and most of it another number. */
static void check_maps(const struct table_maps *maps, const struct world *to,
		       const struct world *from)
{
	uint32_t loc = loc_of(from, LEAF + 1), here = loc_of(to, LEAF + 1);
	const struct loc *l = resolver_loc(from->res, loc), *h = resolver_loc(to->res, here);
	uint32_t tid5 = machine_thread(from->m, 1, 5)->idx;

	assert_int_not_equal(tid5, machine_thread(to->m, 1, 5)->idx);
	assert_int_equal(maps->thread[tid5], machine_thread(to->m, 1, 5)->idx);
	/* The one before it with this number. */
	assert_int_equal(maps->thread[tid5 - 1] + 1, maps->thread[tid5]);
	assert_int_equal(machine_thread_at(to->m, maps->thread[tid5 - 1])->tid, 5);
	assert_int_not_equal(l->dso->idx, h->dso->idx);
	assert_int_equal(maps->dso[l->dso->idx], h->dso->idx);
	assert_ptr_equal(maps->objects[l->dso->idx], h->dso);
	assert_int_equal(maps->loc[loc], here);
	assert_string_equal(l->sym->name, "t_leaf");
	assert_int_not_equal(l->sym->idx, h->sym->idx);
	assert_int_equal(maps->symbol[l->sym->idx], h->sym->idx);
	assert_ptr_equal(symbol_at(to->res, h->sym->idx), h->sym);
	/* There was no such thread and no such object. */
	assert_int_equal(
		machine_thread_at(to->m, maps->thread[machine_thread(from->m, 9, 9)->idx])->tid, 9);
	assert_string_equal(maps->objects[0]->path, "/none/other.so");
}

static void check_one(const struct keys_opts *o, bool locs)
{
	char *want = whole_text(o), *got;
	struct world a = new_world(), b;
	struct table *sum = new_profile(o), *p;
	struct table_maps *maps;
	struct err e = { 0 };

	first_half(sum);
	b = other_world();
	p = new_profile(o);
	second_half(p);
	if (table_maps_new(&maps, sum, p, locs, &e) || table_merge(sum, p, maps, &e))
		fail_msg("%s", e.text);
	if (locs)
		check_maps(maps, &a, &b);
	else if (!o->show_threads) /* by no location, and counting by none */
		assert_null(maps->loc);
	table_maps_free(maps);
	table_free(p);
	free_world(&b);
	use(&a);
	got = text(sum);
	assert_string_equal(got, want);
	free(got);
	free(want);
	free_world(&a);
}

static void check_apart(const struct keys_opts *o)
{
	check_one(o, true);
	check_one(o, false);
}

static void apart(void **state)
{
	struct keys_opts o = { .sort = "sym", .use_chains = true, .chain = CHAIN_OPTS_DEFAULT };

	(void)state;
	check_apart(&o);
	o.show_threads = true;
	check_apart(&o);
	o.sort = "pid,tid,dso,symoff";
	o.chain.key = CHAIN_BY_ADDRESS;
	check_apart(&o);
	o.children = true;
	check_apart(&o);
}

/* Symbols that the other resolver alone has files for are copied, each once. */
static void copies(void **state)
{
	const struct symbol_opts none = { .symfs = "/nonexistent", .no_host_kernel = true };
	struct dso *objects[8];
	struct world to, from;
	uint32_t *first, *again, loc;
	const struct symbol *sym;

	(void)state;
	from = new_world();
	map_self(MID);
	loc = loc_of(&from, LEAF);
	loc_of(&from, MID);
	sym = resolver_loc(from.res, loc)->sym;
	assert_int_equal(build_machine(&none), 0);
	to = (struct world){ m, res };
	assert_true(machine_nr_dsos(from.m) <= ARRAY_SIZE(objects));
	assert_int_equal(machine_match_dsos(to.m, from.m, objects), 0);
	assert_int_equal(resolver_match_symbols(to.res, from.res, objects, &first), 0);
	assert_int_equal(resolver_match_symbols(to.res, from.res, objects, &again), 0);
	assert_int_equal(first[sym->idx], again[sym->idx]);
	assert_ptr_not_equal(symbol_at(to.res, first[sym->idx]), sym);
	assert_int_equal(symbol_at(to.res, first[sym->idx])->start, sym->start);
	assert_int_equal(symbol_at(to.res, first[sym->idx])->binding, sym->binding);
	free_world(&from);
	assert_string_equal(symbol_at(to.res, first[0])->name, "t_leaf");
	assert_string_equal(symbol_at(to.res, first[1])->name, "t_mid");
	free(first);
	free(again);
	free_world(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(apart),
		cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
