// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of kallsyms in all its forms and beyond, and the kernel's symbols read beside. */
#include "base/file.h"
#include "perfdata-build.h"

#include <sys/mman.h>
#include <unistd.h>

#include "symbol/symbol-int.h"

/* A table of @text, which may hold any bytes. */
static struct kallsyms *read_text(const char *text, size_t n, const char *ref, uint64_t recorded,
				  int want)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct kallsyms *k = calloc(1, sizeof(*k));
	char path[64];

	assert_true(fd >= 0 && k);
	assert_int_equal(write_all(fd, text, n), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	k->path = strdup(path);
	k->ref = ref ? strdup(ref) : NULL;
	k->recorded = recorded;
	assert_int_equal(kallsyms_read(k), want);
	close(fd);
	return k;
}

/* The names in order of their addresses. */
static void check_names(const char *text, size_t n, const char *want)
{
	struct kallsyms *k = read_text(text, n, NULL, 0, 0);
	char got[512] = "";

	for (uint32_t i = 0; i < k->tab.sym.n; i++) {
		strcat(got, i ? " " : "");
		strcat(got, symtab_name(&k->tab, i));
	}
	assert_string_equal(got, want);
	kallsyms_free(k);
}

#define NAMES(text, want) check_names(text, sizeof(text) - 1, want)

static void test_lines(void **state)
{
	(void)state;
	NAMES("1000 T one\n2000 t two\n3000 W three\n4000 w four\n5000 D five\n6000 d six\n"
	      "7000 B seven\n8000 b eight\n",
	      "one two three four five six seven eight");
	/* No end of line at the end; modules; both cases of digits. */
	NAMES("ABCdef00 t one\t[mod]\nabcdef10 T two", "one two");
	/* What is no symbol of code or data, and what a compiler left. */
	NAMES("1 T one\n2 r two\n3 A three\n4 ? four\n5 t $d\n6 t .Lfive\n7 t L0six\n8 U seven\n",
	      "one");
	/* No lines of this kind. */
	NAMES("1 T one\n\n \nT\n12\n12 \n12 T\n12T x\n12 TT x\n12  T x\n x T y\n0x1 T y\n5 T \n"
	      "5 T \t[m]\n",
	      "one");
	/* Spaces belong to a name; a NUL to none. */
	NAMES("1 T one two\n10 T th\0ree\n20 T fo\0ur\t[m]\n30 T five\0", "one two");
	/* More digits than an address has. */
	NAMES("10000000000000000001 T one\n", "one");
}

static void test_modules(void **state)
{
	static const char text[] = "1000 T kernel_end\n"
				   "9000 t mod_one\t[a]\n"
				   "a000 t mod_two\t[a]\n"
				   "b000 t other\t[b]\n"
				   "b800 t odd\t\n";
	struct kallsyms *k = read_text(text, sizeof(text) - 1, NULL, 0, 0);

	(void)state;
	/* The last symbol of each does not reach into the next. */
	assert_int_equal(symtab_find(&k->tab, 0x1fff), 0);
	assert_int_equal(symtab_find(&k->tab, 0x2000), SYM_NO_SEG);
	assert_int_equal(symtab_find(&k->tab, 0x9fff), 1);
	assert_int_equal(symtab_find(&k->tab, 0xafff), 2);
	kallsyms_free(k);
}

static void test_moved(void **state)
{
	static const char text[] = "1000 T _text\n1800 T f\n9000 t _text\t[mod]\n";
	struct kallsyms *k = read_text(text, sizeof(text) - 1, "_text", 0x51000, 0);

	(void)state;
	assert_int_equal(k->delta, 0x50000);
	assert_string_equal(symtab_name(&k->tab, symtab_find(&k->tab, 0x51900)), "f");
	/* A module of another boot does not move with the kernel, and has no say in where it is. */
	assert_int_equal(symtab_find(&k->tab, 0x9000), SYM_NO_SEG);
	assert_int_equal(symtab_find(&k->tab, 0x59000), SYM_NO_SEG);
	kallsyms_free(k);
	/* The name is not there. */
	k = read_text(text, sizeof(text) - 1, "_stext", 0x51000, 0);
	assert_int_equal(k->delta, 0);
	kallsyms_free(k);
}

static void test_refused(void **state)
{
	static const char hidden[] = "0000000000000000 T one\n0 t two\t[m]\n";
	struct kallsyms *k = read_text(hidden, sizeof(hidden) - 1, NULL, 0, -EACCES);

	(void)state;
	kallsyms_free(k);
	k = read_text("", 0, NULL, 0, -EACCES);
	kallsyms_free(k);
	k = read_text("\n\n\0\n", 4, NULL, 0, -EACCES);
	assert_int_equal(k->tab.sym.n, 0);
	kallsyms_free(k);
	kallsyms_free(NULL);
	k = calloc(1, sizeof(*k));
	k->path = strdup("/nonexistent/kallsyms");
	assert_int_equal(kallsyms_read(k), -ENOENT);
	kallsyms_free(k);
}

/* Lines that straddle what is read at once, and lines longer than that. */
static void test_long_text(void **state)
{
	enum { N = 20000, LONG = 200000 };
	char *text = malloc(N * 64 + 2 * LONG), *p = text;
	struct kallsyms *k;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < N; i++) {
		p += sprintf(p, "%x t f%d\n", 0x1000 + i * 16, i);
		if (i != 100 && i != N - 1)
			continue;
		/* The end of a line that was left out is no line, whatever it looks like. */
		p += sprintf(p, "5 T ");
		memset(p, 'x', LONG);
		p += LONG;
		p += sprintf(p, " 77 T tail%s", i == 100 ? "\n" : "");
	}
	k = read_text(text, (size_t)(p - text), NULL, 0, 0);
	free(text);
	assert_int_equal(k->tab.sym.n, N);
	for (uint32_t i = 0; i < N; i++) {
		char want[16];

		snprintf(want, sizeof(want), "f%u", i);
		assert_string_equal(symtab_name(&k->tab, i), want);
		assert_int_equal(symtab_find(&k->tab, 0x1000 + i * 16 + 15), i);
	}
	kallsyms_free(k);
}

/* A few symbols far from all others must not make the search slow, nor wrong. */
static void test_far_apart(void **state)
{
	enum { N = 5000 };
	struct symtab t = { 0 };
	char name[16];

	(void)state;
	for (uint64_t i = 0; i < N; i++) {
		uint64_t at = i < 50	   ? i * 8
			      : i > N - 50 ? 0xffffffffc0000000 + i * 4096
					   : 0xffffffff81000000 + i * 64;

		snprintf(name, sizeof(name), "f%u", (unsigned)i);
		assert_int_equal(symtab_add(&t, at, 8, SYM_GLOBAL, name), 0);
	}
	assert_int_equal(symtab_finish(&t, ENDS_NEXT), 0);
	for (uint32_t i = 0; i < N; i++) {
		uint64_t at = t.sym.v[i].start;

		assert_int_equal(symtab_find(&t, at), i);
		assert_int_equal(symtab_find(&t, at + 7), i);
		if (i >= 50)
			assert_int_equal(symtab_find(&t, at + 8), SYM_NO_SEG);
		assert_true(starts_narrow(&t.starts, at).n <= N / 8);
	}
	assert_int_equal(symtab_find(&t, UINT64_MAX), SYM_NO_SEG);
	symtab_free(&t);
}

/* ---- beside ---------------------------------------------------------------------------------- */

static void feed_kernel(struct machine *m)
{
	static struct build f;
	struct perfdata_event ev = { 0 };
	struct record rec;

	start_records(&f, host_is_big_endian());
	put_mmap(&f, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, UINT64_MAX, 0,
		 "[kernel.kallsyms]_text");
	rec = built_record(&f, 0, &ev);
	assert_int_equal(machine_record(m, &rec, NULL), 0);
}

static void test_beside(void **state)
{
	struct symbol_opts none = { 0 }, file = { .kallsyms = "/nonexistent" };
	struct dso kernel = { .kind = DSO_KERNEL }, user = { .kind = DSO_USER },
		   guest = { .kind = DSO_KERNEL, .guest = true };
	struct resolver *res;
	struct machine *m;

	(void)state;
	assert_int_equal(machine_new(&m, "x86_64", NULL), 0);
	feed_kernel(m);
	/* Nobody asks for what was begun. */
	assert_int_equal(resolver_new(&res, m, &none, NULL), 0);
	assert_false(symbol_load_ahead(res, &user));
	assert_false(symbol_load_ahead(res, &guest));
	assert_true(symbol_load_ahead(res, &kernel));
	assert_true(symbol_load_ahead(res, &kernel));
	resolver_free(res);
	/* The first question ends the waiting. This recording says nothing that this machine
	 * could prove, so it has no symbols. */
	assert_int_equal(resolver_new(&res, m, &none, NULL), 0);
	assert_true(symbol_load_ahead(res, &kernel));
	assert_int_equal(kernel_load(res)->found.tab.sym.n, 0);
	assert_false(symbol_load_ahead(res, &kernel));
	resolver_free(res);
	/* A file that was named is read when it is asked for. */
	assert_int_equal(resolver_new(&res, m, &file, NULL), 0);
	assert_false(symbol_load_ahead(res, &kernel));
	resolver_free(res);
	machine_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),	  cmocka_unit_test(test_modules),
		cmocka_unit_test(test_moved),	  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long_text), cmocka_unit_test(test_far_apart),
		cmocka_unit_test(test_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
