// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Resolvers in several threads that share what is read of objects: each answers as one does that is
 * alone. The objects are this program and its libraries, a kernel's kallsyms with a module, code of a
 * compiler at run time, and files that are no good.
 */
#include <link.h>
#include <sys/stat.h>

#include "config.h"
#include "perfdata-build.h"
#include "symbol/symbol-int.h"

#define THREADS 4
#define OBJECTS 64
#define ADDRS	100 /* of each object */
#define PID	10
#define KERNEL	0xffffffff81000000
#define MODULE	0xffffffffc0000000
#define JIT	0x7f0000000000

static char tmp[64];

/* An object, and where machines have it. */
struct mapped {
	char path[256];
	uint64_t start, size;
	uint16_t misc;
};

static struct mapped mapped[OBJECTS];
static unsigned nr_mapped;

static void map(const char *path, uint64_t start, uint64_t size, uint16_t misc)
{
	struct mapped *to = &mapped[nr_mapped++];

	assert_true(nr_mapped <= OBJECTS);
	snprintf(to->path, sizeof(to->path), "%s", path);
	to->start = start;
	to->size = size;
	to->misc = misc;
}

static int map_library(struct dl_phdr_info *info, size_t size, void *ctx)
{
	char exe[256];
	ssize_t n;

	(void)size;
	(void)ctx;
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	exe[n > 0 ? n : 0] = 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_flags & PF_X && info->dlpi_phdr[i].p_type == PT_LOAD)
			map(*info->dlpi_name ? info->dlpi_name : exe,
			    0x10000000ULL * (nr_mapped + 1), 0x200000, PERF_RECORD_MISC_USER);
	return 0;
}

static void put_text(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", tmp, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	char path[128];

	(void)state;
	strcpy(tmp, "/tmp/perf-unit-XXXXXX");
	if (!mkdtemp(tmp))
		return -1;
	put_text("kallsyms", "ffffffff81000000 T _text\n"
			     "ffffffff81001000 t first\n"
			     "ffffffff81001800 T second\n"
			     "ffffffffc0000000 t in_module\t[nf_nat]\n");
	put_text("no-elf", "This is no ELF file.\n");
	nr_mapped = 0;
	dl_iterate_phdr(map_library, NULL);
	snprintf(path, sizeof(path), "%s/no-elf", tmp);
	map(path, 0x1000, 0x1000, PERF_RECORD_MISC_USER);
	map("/nonexistent", 0x4000, 0x1000, PERF_RECORD_MISC_USER);
	map("//anon", JIT, 0x1000, PERF_RECORD_MISC_USER);
	map("[kernel.kallsyms]_text", KERNEL, 0x1000000, PERF_RECORD_MISC_KERNEL);
	map("[nf_nat]", MODULE, 0x1000, PERF_RECORD_MISC_KERNEL);
	return 0;
}

static int teardown(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", tmp);
	return system(cmd);
}

/* ---- one reader ------------------------------------------------------------------------------ */

struct reader {
	struct symbol_store *store;
	unsigned first; /* object that its machine meets first */
	struct machine *m;
	struct resolver *res;
	/* By object and address, as mapped[] has them. */
	struct code_at at[OBJECTS][ADDRS];
	uint32_t sym[OBJECTS][ADDRS];
	struct srcline line[OBJECTS][ADDRS];
	int inlined[OBJECTS][ADDRS];
	bool host;  /* the kernel's symbols are this machine's, if it is that kernel */
	bool ahead; /* and some were read ahead */
	int ret;
	pthread_t thread;
};

static int feed(struct machine *m, const struct mapped *obj)
{
	struct build *f = calloc(1, sizeof(*f));
	struct perfdata_event ev = { 0 };
	struct record rec;
	uint32_t pid = obj->misc == PERF_RECORD_MISC_KERNEL ? UINT32_MAX : PID;
	int ret;

	start_records(f, host_is_big_endian());
	put_mmap(f, obj->misc, pid, obj->start, obj->size,
		 obj->misc == PERF_RECORD_MISC_KERNEL ? obj->start : 0, obj->path);
	rec = built_record(f, 0, &ev);
	ret = machine_record(m, &rec, NULL);
	free(f);
	return ret;
}

static int ask(struct reader *r, unsigned obj)
{
	struct thread *th = machine_thread(r->m, PID, PID);
	const struct mapped *o = &mapped[obj];

	for (unsigned i = 0; i < ADDRS; i++) {
		struct map_hit hit;

		if (!machine_find_map(r->m, th, (uint8_t)o->misc, o->start + o->size / ADDRS * i,
				      &hit))
			return -ENOENT;
		r->at[obj][i] = (struct code_at){ hit.map->dso, hit.addr, hit.cpumode };
	}
	r->ahead |= symbol_load_ahead(r->res, r->at[obj][0].dso);
	symbol_find_many(r->res, r->at[obj], r->sym[obj], ADDRS);
	for (unsigned i = 0; i < ADDRS; i++) {
		const struct code_at *at = &r->at[obj][i];
		const struct inline_frame *frames;

		symbol_srcline(r->res, at->dso, at->addr, &r->line[obj][i]);
		r->inlined[obj][i] = symbol_inlines(r->res, at->dso, at->addr, &frames);
	}
	return 0;
}

static void *read_all(void *arg)
{
	struct reader *r = arg;
	struct symbol_opts opts = { .store = r->store };
	char path[128];

	snprintf(path, sizeof(path), "%s/kallsyms", tmp);
	opts.kallsyms = r->host ? NULL : path;
	r->ret = machine_new(&r->m, "x86_64", NULL);
	r->ret = r->ret ?: resolver_new(&r->res, r->m, &opts, NULL);
	/* In another order in each: numbers of objects differ. */
	for (unsigned i = 0; !r->ret && i < nr_mapped; i++)
		r->ret = feed(r->m, &mapped[(i + r->first) % nr_mapped]);
	for (unsigned i = 0; !r->ret && i < nr_mapped; i++)
		r->ret = ask(r, (i + r->first) % nr_mapped);
	return NULL;
}

static void forget(struct reader *r)
{
	resolver_free(r->res);
	machine_free(r->m);
}

static const char *name_of(const struct reader *r, uint32_t idx)
{
	return idx == SYMBOL_NONE ? "-" : symbol_at(r->res, idx)->name;
}

static void same_answers(const struct reader *r, const struct reader *want)
{
	for (unsigned n = 0; n < nr_mapped * ADDRS; n++) {
		unsigned i = n / ADDRS, j = n % ADDRS;

		assert_string_equal(name_of(r, r->sym[i][j]), name_of(want, want->sym[i][j]));
		assert_string_equal(r->line[i][j].file, want->line[i][j].file);
		assert_int_equal(r->line[i][j].line, want->line[i][j].line);
		assert_int_equal(r->inlined[i][j], want->inlined[i][j]);
	}
}

static const struct object *object_of(const struct reader *r, unsigned obj)
{
	return r->at[obj][0].dso->symbols;
}

static struct reader *alone(void)
{
	struct reader *r = calloc(1, sizeof(*r));

	read_all(r);
	assert_int_equal(r->ret, 0);
	return r;
}

static void side_by_side(struct reader *r, struct symbol_store *st, bool host)
{
	for (unsigned i = 0; i < THREADS; i++) {
		r[i].store = st;
		r[i].host = host;
		r[i].first = i / 2; /* two that want the same at once, and two others */
		assert_int_equal(pthread_create(&r[i].thread, NULL, read_all, &r[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(r[i].thread, NULL);
		assert_int_equal(r[i].ret, 0);
	}
}

/* ---- what is asked --------------------------------------------------------------------------- */

/* @r's objects and symbols as @to's, which answers the same by them. */
static void same_when_joined(struct reader *to, const struct reader *r)
{
	struct dso **objects = calloc(machine_nr_dsos(r->m), sizeof(*objects));
	uint32_t *map;

	assert_int_equal(machine_match_dsos(to->m, r->m, objects), 0);
	assert_int_equal(resolver_take_notes(to->res, r->res, objects), 0);
	assert_int_equal(resolver_match_symbols(to->res, r->res, objects, &map), 0);
	for (unsigned i = 0; i < nr_mapped; i++)
		for (unsigned j = 0; j < ADDRS; j++)
			if (r->sym[i][j] != SYMBOL_NONE)
				assert_int_equal(map[r->sym[i][j]], to->sym[i][j]);
	free(map);
	free(objects);
}

static const struct symtab *table_of(const struct reader *r, unsigned obj)
{
	const struct object *o = object_of(r, obj);

	return o->found.kernel_tab ? &r->res->kernel.found.tab : &o->found.tab;
}

static void test_same_answers(void **state)
{
	struct reader *want = alone(), *r = calloc(THREADS, sizeof(*r));
	struct symbol_store *st;
	unsigned named = 0;

	(void)state;
	assert_int_equal(symbol_store_new(&st, NULL), 0);
	side_by_side(r, st, false);
	for (unsigned i = 0; i < THREADS; i++)
		same_answers(&r[i], want);
	for (unsigned i = 0; i < nr_mapped; i++) {
		named += table_of(want, i)->sym.n > 0;
		/* Read once. */
		for (unsigned j = 1; j < THREADS; j++) {
			assert_ptr_equal(table_of(&r[j], i)->sym.v, table_of(r, i)->sym.v);
			assert_ptr_equal(object_of(&r[j], i)->lines, object_of(r, i)->lines);
		}
	}
	assert_true(named >= 4); /* the program, libc, the kernel, its module */
	for (unsigned i = 1; i < THREADS; i++)
		same_when_joined(r, &r[i]);
	/* Who forgets lines gets them again. */
	for (unsigned i = 0; i < THREADS; i++) {
		resolver_forget(r[i].res);
		assert_null(object_of(&r[i], 0)->lines);
	}
	symbol_srcline(r->res, r->at[0][0].dso, r->at[0][0].addr + 1, &r->line[0][0]);
	assert_true(!HAVE_LIBDW || object_of(r, 0)->lines);
	r->line[0][0] = want->line[0][0];
	/* What was shared outlives who read it. */
	for (unsigned i = 0; i < THREADS - 1; i++)
		forget(&r[i]);
	same_answers(&r[THREADS - 1], want);
	forget(&r[THREADS - 1]);
	symbol_store_free(st);
	forget(want);
	free(want);
	free(r);
}

/* Everybody is told what came up when one of them read an object; together they say it once. */
static void test_same_messages(void **state)
{
	struct reader *want, *r = calloc(THREADS, sizeof(*r));
	struct symbol_store *st;
	const char *text;

	(void)state;
	put_text("kallsyms", "0000000000000000 T _text\n");
	want = alone();
	assert_int_equal(symbol_store_new(&st, NULL), 0);
	side_by_side(r, st, false);
	for (unsigned i = 1; i < THREADS; i++)
		same_when_joined(r, &r[i]);
	resolver_note_missing(want->res);
	resolver_note_missing(r->res);
	text = resolver_next_warning(want->res);
	assert_non_null(text);
	for (; text; text = resolver_next_warning(want->res)) {
		for (unsigned i = 1; strstr(text, "holds no kernel symbols") && i < THREADS; i++)
			assert_string_equal(resolver_next_warning(r[i].res), text);
		assert_string_equal(resolver_next_warning(r->res), text);
	}
	assert_null(resolver_next_warning(r->res));
	for (unsigned i = 0; i < THREADS; i++)
		forget(&r[i]);
	symbol_store_free(st);
	forget(want);
	free(want);
	free(r);
}

/* One thread reads ahead for all; who waits does not depend on how far that is. */
static void test_ahead(void **state)
{
	struct reader *r = calloc(THREADS, sizeof(*r));
	struct symbol_store *st;

	(void)state;
	assert_int_equal(symbol_store_new(&st, NULL), 0);
	side_by_side(r, st, true);
	for (unsigned i = 0; i < THREADS; i++) {
		assert_true(r[i].ahead);
		same_answers(&r[i], r);
		assert_ptr_equal(r[i].res->kernel.stored, r->res->kernel.stored);
	}
	for (unsigned i = 0; i < THREADS; i++)
		forget(&r[i]);
	symbol_store_free(st);
	free(r);
}

/* ---- notes ----------------------------------------------------------------------------------- */

static unsigned dropped;

static void drop_note(void *note)
{
	dropped++;
	free(note);
}

static const struct symbol_note_kind one_kind = { .drop = drop_note },
				     other_kind = { .drop = free };

/* An address of object @obj that has a symbol. */
static bool a_function(const struct reader *r, unsigned obj, struct loc *l)
{
	for (unsigned j = 0; j < ADDRS; j++) {
		const struct code_at *at = &r->at[obj][j];

		if (r->sym[obj][j] == SYMBOL_NONE)
			continue;
		*l = (struct loc){ at->dso, at->addr, symbol_at(r->res, r->sym[obj][j]),
				   at->cpumode };
		return true;
	}
	return false;
}

/* What one has made of a file's function all others find, of other code nobody but that one. */
static void test_notes(void **state)
{
	struct reader *r = calloc(THREADS, sizeof(*r));
	struct symbol_store *st;
	struct loc l, there;
	unsigned kept = 0, files = 0;

	(void)state;
	dropped = 0;
	assert_int_equal(symbol_store_new(&st, NULL), 0);
	side_by_side(r, st, false);
	for (unsigned i = 0; i < nr_mapped; i++) {
		const void *first, *second;

		if (!a_function(r, i, &l))
			continue;
		assert_true(a_function(&r[3], i, &there));
		assert_null(symbol_note(r[0].res, &l, &one_kind));
		first = symbol_note_keep(r[0].res, &l, &one_kind, malloc(1));
		assert_non_null(first);
		assert_ptr_equal(symbol_note(r[0].res, &l, &one_kind), first);
		assert_null(symbol_note(r[0].res, &l, &other_kind));
		kept++;
		second = symbol_note_keep(r[3].res, &there, &one_kind, malloc(1));
		assert_ptr_equal(symbol_note(r[3].res, &there, &one_kind), second);
		if (mapped[i].path[0] == '/' && mapped[i].path[1] != '/') {
			files++;
			assert_ptr_equal(second, first);
		} else {
			kept++;
			assert_ptr_not_equal(second, first);
		}
		assert_int_equal(dropped, files);
	}
	assert_true(files >= 2); /* the program, libc */
	assert_true(kept > files);
	for (unsigned i = 0; i < THREADS; i++)
		forget(&r[i]);
	assert_int_equal(dropped, files);
	symbol_store_free(st);
	assert_int_equal(dropped, files + kept);
	free(r);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_same_answers),
		T(test_same_messages),
		T(test_ahead),
		T(test_notes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
