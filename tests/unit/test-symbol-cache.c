// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Symbol tables on disk: what was put there comes back, and nothing else does, whatever lies there.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "base/file.h"
#include "symbol/symbol-int.h"
#include "unit.h"

#define NR 20000

static char tmp[64];

static int setup(void **state)
{
	(void)state;
	strcpy(tmp, "/tmp/perf-unit-XXXXXX");
	setenv("PERF_SYMBOL_CACHE", "256", 1);
	return !mkdtemp(tmp) || setenv("XDG_CACHE_HOME", tmp, 1);
}

static int teardown(void **state)
{
	char cmd[128];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", tmp);
	return system(cmd);
}

/* ---- a cache, a table, a key ----------------------------------------------------------------- */

static struct machine *m;
static struct resolver *res;

static void open_resolver(void)
{
	struct symbol_opts opts = { .cache = true };

	assert_int_equal(machine_new(&m, "x86_64", NULL), 0);
	assert_int_equal(resolver_new(&res, m, &opts, NULL), 0);
}

static void close_resolver(void)
{
	resolver_free(res);
	machine_free(m);
}

/* Functions one behind the other, some with another one inside. */
static void make_table(struct symtab *t)
{
	char name[32];

	memset(t, 0, sizeof(*t));
	for (unsigned i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		assert_int_equal(symtab_add(t, 0x1000 + i * 32ULL, 32, SYM_GLOBAL, name), 0);
		if (i % 7)
			continue;
		snprintf(name, sizeof(name), "inner_%u", i);
		assert_int_equal(symtab_add(t, 0x1008 + i * 32ULL, 8, SYM_LOCAL, name), 0);
	}
	assert_int_equal(symtab_finish(t, ENDS_NEXT), 0);
}

static void make_key(struct symcache_key *k)
{
	struct elf_file *f;

	assert_int_equal(elf_open(&f, "/proc/self/exe", 0), 0);
	if (!symcache_key(k, res, f, NULL, NULL))
		fail_msg("this program has no build id");
	elf_close(f);
}

static bool get(const struct symcache_key *k, struct symtab *t)
{
	memset(t, 0, sizeof(*t));
	return symcache_get(res, k, t);
}

static void same_table(const struct symtab *a, const struct symtab *b)
{
	assert_int_equal(a->sym.n, b->sym.n);
	for (uint64_t addr = 0xff0; addr < 0x1000 + (NR + 4) * 32; addr += 3) {
		uint32_t i = symtab_find(a, addr), j = symtab_find(b, addr);

		assert_int_equal(i, j);
		if (i != SYM_NO_SEG)
			assert_string_equal(symtab_name(a, i), symtab_name(b, j));
	}
}

static void file_path(const struct symcache_key *k, char *path, size_t size)
{
	snprintf(path, size, "%s/perf/symbols/%s", tmp, k->name);
}

static void put(const struct symcache_key *k, const struct symtab *t)
{
	assert_true(stored_cache(res)->dir >= 0);
	symcache_put(stored_cache(res), k, t);
}

/* ---- what comes back ------------------------------------------------------------------------- */

static void test_back(void **state)
{
	struct symcache_key k, other;
	struct symtab t, back;
	char path[256];
	struct stat st;

	(void)state;
	open_resolver();
	make_table(&t);
	make_key(&k);
	assert_false(get(&k, &back));
	put(&k, &t);
	file_path(&k, path, sizeof(path));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_true(get(&k, &back));
	same_table(&back, &t);
	symtab_free(&back);
	/* Made of something else: another size, time, distance, or build id of that length. */
	for (size_t i = 0; i < SYMCACHE_WORDS - 3; i++) {
		other = k;
		other.word[i]++;
		assert_false(get(&other, &back));
	}
	symtab_free(&t);
	close_resolver();
}

/* Only what is put by a name of its own and then given the right one. */
static void test_nothing_else_there(void **state)
{
	struct symcache_key k;
	struct dirent *e;
	struct symtab t;
	char dir[128];
	unsigned n = 0;
	DIR *d;

	(void)state;
	open_resolver();
	make_table(&t);
	make_key(&k);
	for (int i = 0; i < 3; i++)
		put(&k, &t);
	snprintf(dir, sizeof(dir), "%s/perf/symbols", tmp);
	d = opendir(dir);
	assert_non_null(d);
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	assert_int_equal(n, 1);
	symtab_free(&t);
	close_resolver();
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void write_back(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, p, n), 0);
	close(fd);
}

static void test_damage(void **state)
{
	struct symcache_key k;
	struct symtab t, back;
	uint64_t seed = 1;
	char path[256], *all;
	size_t n;

	(void)state;
	open_resolver();
	make_table(&t);
	make_key(&k);
	put(&k, &t);
	file_path(&k, path, sizeof(path));
	all = file_read_all(path, 64 << 20, &n, NULL);
	assert_non_null(all);
	/* Every byte of the header, and some of the rest. */
	for (size_t i = 0; i < 200; i++) {
		size_t at = i < SYMCACHE_WORDS * 8 ? i : (seed = hash_u64(seed + i)) % n;

		all[at] ^= (char)(1 << i % 8);
		write_back(path, all, n);
		if (get(&k, &back))
			fail_msg("byte %zu was changed", at);
		all[at] ^= (char)(1 << i % 8);
	}
	for (size_t cut = 0; cut < 150; cut++) {
		write_back(path, all, cut < 120 ? cut : n - (cut - 119));
		assert_false(get(&k, &back));
	}
	write_back(path, all, n);
	assert_true(get(&k, &back));
	symtab_free(&back);
	/* What is bad is replaced. */
	write_back(path, all, n / 2);
	put(&k, &t);
	assert_true(get(&k, &back));
	same_table(&back, &t);
	symtab_free(&back);
	free(all);
	symtab_free(&t);
	close_resolver();
}

/* Somebody who can write there can make the sum right, too. */
static void test_forged(void **state)
{
	static const struct {
		struct sym sym;
		const char *what;
	} bad[] = {
		{ { 0x9000, 8, 0x3fffffffu << 2 | SYM_GLOBAL }, "a name behind all names" },
		{ { 0x9000, 8, 70000u << 2 | SYM_REST }, "the rest of a symbol behind all" },
		{ { 0x9000, 8, 2u << 2 | SYM_REST }, "the rest of a rest" },
		{ { 1, 8, 1u << 2 | SYM_GLOBAL }, "out of order" },
	};
	struct symcache_key k;
	struct symtab t, back;
	struct sym keep;

	(void)state;
	open_resolver();
	make_table(&t);
	make_key(&k);
	assert_int_equal(t.sym.v[2].name & 3, SYM_REST);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		keep = t.sym.v[500];
		t.sym.v[500] = bad[i].sym;
		if (bad[i].sym.start != 1)
			t.sym.v[500].start = keep.start;
		put(&k, &t);
		if (get(&k, &back))
			fail_msg("%s", bad[i].what);
		t.sym.v[500] = keep;
	}
	t.blob.v[t.blob.n - 1] = 'x'; /* no NUL at the end */
	put(&k, &t);
	assert_false(get(&k, &back));
	symtab_free(&t);
	close_resolver();
}

/* A file of somebody else, or that others may write, or that lies elsewhere. */
static void test_not_ours(void **state)
{
	char path[256], away[256];
	struct symcache_key k;
	struct symtab t, back;

	(void)state;
	open_resolver();
	make_table(&t);
	make_key(&k);
	put(&k, &t);
	file_path(&k, path, sizeof(path));
	snprintf(away, sizeof(away), "%s/away", tmp);
	assert_int_equal(chmod(path, 0620), 0);
	assert_false(get(&k, &back));
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(rename(path, away), 0);
	assert_int_equal(symlink(away, path), 0);
	assert_false(get(&k, &back));
	assert_int_equal(rename(away, path), 0);
	assert_true(get(&k, &back));
	symtab_free(&back);
	if (!geteuid()) {
		assert_int_equal(chown(path, 12345, 12345), 0);
		assert_false(get(&k, &back));
	}
	/* No file at all. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(get(&k, &back));
	symtab_free(&t);
	close_resolver();
}

/* ---- how much -------------------------------------------------------------------------------- */

static void used_at(const struct symcache_key *k, time_t time)
{
	struct timespec times[2] = { { .tv_sec = time }, { .tv_sec = time } };
	char path[256];

	file_path(k, path, sizeof(path));
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_limit(void **state)
{
	struct symcache_key k, first;
	struct symtab t, back;

	(void)state;
	setenv("PERF_SYMBOL_CACHE", "1", 1); /* a table is 0.7 MB */
	open_resolver();
	make_table(&t);
	make_key(&k);
	put(&k, &t);
	used_at(&k, 1000);
	first = k;
	k.name[0] = k.name[0] == 'a' ? 'b' : 'a';
	put(&k, &t);
	assert_false(get(&first, &back));
	assert_true(get(&k, &back));
	symtab_free(&back);
	symtab_free(&t);
	close_resolver();
}

/* What is used counts as new. */
static void test_used_last(void **state)
{
	struct symcache_key k, second;
	struct symtab t, back;
	char path[256];

	(void)state;
	open_resolver();
	make_table(&t);
	make_key(&k);
	put(&k, &t);
	second = k;
	second.name[0] = k.name[0] == 'a' ? 'b' : 'a';
	put(&second, &t);
	used_at(&k, 900);
	used_at(&second, 1000);
	assert_true(get(&k, &back));
	symtab_free(&back);
	symcache_trim(&(struct symcache){ stored_cache(res)->dir, 1 << 20 }, time(NULL));
	assert_true(get(&k, &back));
	symtab_free(&back);
	assert_false(get(&second, &back));
	/* What a writer left behind that is gone, but not what one writes. */
	snprintf(path, sizeof(path), "%s/perf/symbols/" SYMCACHE_TEMP "1-1" SYMCACHE_SUFFIX, tmp);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	symcache_trim(stored_cache(res), time(NULL));
	assert_int_equal(access(path, F_OK), 0);
	symcache_trim(stored_cache(res), time(NULL) + 7200);
	assert_int_not_equal(access(path, F_OK), 0);
	symtab_free(&t);
	close_resolver();
}

/* ---- the kernel's own ------------------------------------------------------------------------ */

enum text_kind { AS_IT_IS, MOVED, HIDDEN, MODULE_AMONG, OWN_BEHIND };

static void write_text(const char *path, enum text_kind kind, const char *module)
{
	uint64_t base = kind == MOVED ? 0xffffffff8a000000 : 0xffffffff81000000;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (unsigned i = 0; i < NR; i++)
		fprintf(f, "%016" PRIx64 " T own%u\n", kind == HIDDEN ? 0 : base + i * UINT64_C(64),
			i);
	fprintf(f, "%016" PRIx64 " t a_module\t[%s]\n",
		kind == HIDDEN	       ? 0
		: kind == MODULE_AMONG ? base + 1000
				       : 0xffffffffc0000000,
		module);
	if (kind == OWN_BEHIND)
		fprintf(f, "ffffffffc8000000 T own_too\n");
	assert_int_equal(fclose(f), 0);
}

/* As kernel.c does it. @id, @recorded: 0 = the usual ones. */
static struct kallsyms *read_as(const char *path, uint8_t id, uint64_t recorded)
{
	struct kallsyms *k = calloc(1, sizeof(*k));
	struct symtab own;

	assert_non_null(k);
	assert_non_null(k->path = strdup(path));
	assert_non_null(k->ref = strdup("own0"));
	k->recorded = recorded ?: 0xffffffff81000000;
	k->cache = stored_cache(res);
	k->id = (struct build_id){ .size = 20, .id = { id ?: 7 } };
	if (!kallsyms_read(k) && kallsyms_own(k, &own))
		symcache_put(k->cache, &k->key, &own);
	return k;
}

static bool was_kept(const char *path, uint8_t id, uint64_t recorded)
{
	struct kallsyms *k = read_as(path, id, recorded);
	bool kept = k->kept;

	kallsyms_free(k);
	return kept;
}

static bool has_symbol(const struct kallsyms *k, uint64_t addr, const char *name)
{
	uint32_t i = symtab_find(&k->tab, addr);

	return i != SYM_NO_SEG && !strcmp(symtab_name(&k->tab, i), name);
}

static void test_kernel(void **state)
{
	struct kallsyms *k;
	char path[128];

	(void)state;
	open_resolver();
	snprintf(path, sizeof(path), "%s/kallsyms", tmp);
	write_text(path, AS_IT_IS, "one");
	k = read_as(path, 0, 0);
	assert_false(k->kept);
	assert_true(has_symbol(k, 0xffffffffc0000001, "a_module"));
	kallsyms_free(k);
	/* Another module is no reason, and is none of those that are kept. */
	write_text(path, AS_IT_IS, "two");
	k = read_as(path, 0, 0);
	assert_true(k->kept);
	assert_int_equal(k->tab.sym.n, NR);
	assert_true(has_symbol(k, 0xffffffff81000000 + 64 * 500 + 63, "own500"));
	assert_true(has_symbol(k, 0xffffffff81000000 + 64 * (NR - 1), "own19999"));
	assert_false(has_symbol(k, 0xffffffffc0000001, "a_module"));
	kallsyms_free(k);
	/* Another build, and a recording of when it lay elsewhere. */
	assert_false(was_kept(path, 8, 0));
	assert_false(was_kept(path, 0, 0xffffffff82000000));
	assert_true(was_kept(path, 0, 0));
	close_resolver();
}

static void test_kernel_not_kept(void **state)
{
	static const enum text_kind bad[] = { HIDDEN, MODULE_AMONG, OWN_BEHIND };
	struct kallsyms *k;
	char path[128];

	(void)state;
	open_resolver();
	snprintf(path, sizeof(path), "%s/kallsyms", tmp);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		write_text(path, bad[i], "one");
		assert_false(was_kept(path, (uint8_t)(10 + i), 0));
		assert_false(was_kept(path, (uint8_t)(10 + i), 0));
	}
	/* Of a kernel that has moved since the table was kept no byte of it is used. */
	write_text(path, AS_IT_IS, "one");
	assert_false(was_kept(path, 0, 0));
	write_text(path, MOVED, "one");
	k = read_as(path, 0, 0xffffffff8a000000);
	assert_false(k->kept);
	assert_true(has_symbol(k, 0xffffffff8a000000 + 64 * 500, "own500"));
	kallsyms_free(k);
	assert_true(was_kept(path, 0, 0xffffffff8a000000));
	/* And of one that hides its addresses now. */
	write_text(path, HIDDEN, "one");
	assert_false(was_kept(path, 0, 0xffffffff8a000000));
	close_resolver();
}

/* ---- where ----------------------------------------------------------------------------------- */

static int dir_of(const char *home, const char *xdg)
{
	struct log_sink none = { 0 };
	struct symcache c;
	int dir;

	if (home)
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
	setenv("XDG_CACHE_HOME", xdg, 1);
	symcache_open(&c, &none);
	dir = c.dir;
	symcache_close(&c);
	return dir;
}

/* Nothing is made in somebody else's home. */
static void not_of_others(char *path, size_t size)
{
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_true(dir_of(tmp, "") < 0);
	snprintf(path, size, "%s/theirs", tmp);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(chown(path, 12345, 12345), 0);
	assert_true(dir_of(path, "") < 0);
	assert_true(dir_of(NULL, path) < 0);
	strcat(path, "/.cache");
	assert_int_not_equal(access(path, F_OK), 0);
}

static void test_where(void **state)
{
	char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL, path[128];
	struct stat st;

	(void)state;
	assert_true(dir_of(tmp, "") >= 0);
	snprintf(path, sizeof(path), "%s/.cache/perf/symbols", tmp);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	/* Others may write there. */
	assert_int_equal(chmod(path, 0770), 0);
	assert_true(dir_of(tmp, "") < 0);
	assert_int_equal(chmod(path, 0755), 0);
	assert_true(dir_of(tmp, "") >= 0);
	/* A relative name is none, by the rule of XDG's own. */
	assert_true(dir_of(NULL, "cache") < 0);
	assert_true(dir_of(NULL, "") < 0);
	assert_true(dir_of("/nonexistent", "") < 0);
	setenv("PERF_SYMBOL_CACHE", "0", 1);
	assert_true(dir_of(tmp, "") < 0);
	setenv("PERF_SYMBOL_CACHE", "many", 1); /* is said, and 256 */
	assert_true(dir_of(tmp, "") >= 0);
	setenv("PERF_SYMBOL_CACHE", "256", 1);
	if (!geteuid())
		not_of_others(path, sizeof(path));
	if (home)
		setenv("HOME", home, 1);
	free(home);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_back),
		T(test_nothing_else_there),
		T(test_damage),
		T(test_forged),
		T(test_not_ours),
		T(test_limit),
		T(test_used_last),
		T(test_kernel),
		T(test_kernel_not_kept),
		T(test_where),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
