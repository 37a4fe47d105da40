// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names for addresses. The ELF file with debug information that is looked into is this program
 * itself; what needs other tools (objcopy, addr2line) is in tests/system/symbol.sh.
 */
#include "base/file.h"
#include "perfdata-build.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>

#include "config.h"
#include "symbol/symbol-int.h"

static struct machine *m;
static struct resolver *res;
static char tmp[64];

static int setup(void **state)
{
	(void)state;
	strcpy(tmp, "/tmp/perf-unit-XXXXXX");
	return !mkdtemp(tmp) || machine_new(&m, "x86_64", NULL);
}

static int teardown(void **state)
{
	char cmd[128];

	(void)state;
	resolver_free(res);
	res = NULL;
	machine_free(m);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", tmp);
	return system(cmd);
}

static void resolver(const struct symbol_opts *opts)
{
	struct err e = { 0 };

	assert_int_equal(resolver_new(&res, m, opts, &e), 0);
}

/* An MMAP record, fed. */
static void feed_mmap(int pid, uint64_t start, uint64_t len, uint64_t pgoff, uint16_t misc,
		      const char *name)
{
	static struct build f;
	struct perfdata_event ev = { 0 };
	struct record rec;
	struct err e = { 0 };

	start_records(&f, host_is_big_endian());
	put_mmap(&f, misc, (uint32_t)pid, start, len, pgoff, name);
	rec = built_record(&f, 0, &ev);
	if (machine_record(m, &rec, &e))
		fail_msg("%s", e.text);
}

static const struct loc *at(int pid, uint8_t mode, uint64_t ip)
{
	uint32_t loc = resolver_find(res, machine_thread(m, pid, pid), mode, ip);

	assert_int_not_equal(loc, LOC_NONE);
	return resolver_loc(res, loc);
}

static const char *name_at(int pid, uint8_t mode, uint64_t ip)
{
	const struct loc *l = at(pid, mode, ip);

	return l->sym ? l->sym->name : "-";
}

static void write_file(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	fclose(f);
}

/* ---- tables ------------------------------------------------------------------------------------- */

static const char *tab_name(const struct symtab *t, uint64_t addr)
{
	uint32_t i = symtab_find(t, addr);

	return i == SYM_NO_SEG ? "-" : symtab_name(t, i);
}

static void assert_span(const struct symtab *t, uint64_t addr, uint64_t start, uint64_t end)
{
	uint64_t from, to;

	symtab_span(t, addr, &from, &to);
	assert_int_equal(from, start);
	assert_int_equal(to, end);
}

static void test_aliases(void **state)
{
	static const struct {
		struct {
			uint64_t size;
			int binding;
			const char *name;
		} a, b;
		const char *want;
	} cases[] = {
		{ { 0, SYM_GLOBAL, "no_size" }, { 8, SYM_LOCAL, "sized" }, "sized" },
		{ { 8, SYM_WEAK, "weak_one" }, { 8, SYM_LOCAL, "local" }, "local" },
		{ { 8, SYM_LOCAL, "local_one" }, { 8, SYM_GLOBAL, "global" }, "global" },
		{ { 8, SYM_GLOBAL, "__memcpy" }, { 8, SYM_GLOBAL, "memcpy" }, "memcpy" },
		{ { 8, SYM_GLOBAL, "a" }, { 8, SYM_GLOBAL, "longer" }, "longer" },
		{ { 8, SYM_GLOBAL, "one" }, { 8, SYM_GLOBAL, "two" }, "one" },
		{ { 8, SYM_GLOBAL, "SyS_read" }, { 8, SYM_GLOBAL, "sys_read" }, "sys_read" },
		/* Neither has a size: the last gets the room up to the next one. */
		{ { 0, SYM_GLOBAL, "first" }, { 0, SYM_LOCAL, "last" }, "last" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct symtab t = { 0 };

		assert_int_equal(symtab_add(&t, 0x200, 8, SYM_GLOBAL, "behind"), 0);
		symtab_add(&t, 0x100, cases[i].a.size, cases[i].a.binding, cases[i].a.name);
		symtab_add(&t, 0x100, cases[i].b.size, cases[i].b.binding, cases[i].b.name);
		assert_int_equal(symtab_finish(&t, ENDS_NEXT), 0);
		assert_string_equal(tab_name(&t, 0x104), cases[i].want);
		symtab_free(&t);
	}
}

static void test_nesting_and_gaps(void **state)
{
	struct symtab t = { 0 };

	(void)state;
	symtab_add(&t, 0x100, 0x100, SYM_GLOBAL, "outer");
	symtab_add(&t, 0x140, 0x10, SYM_GLOBAL, "inner");
	symtab_add(&t, 0x1f0, 0x20, SYM_GLOBAL, "over");
	symtab_add(&t, 0x300, 0, SYM_GLOBAL, "no_size");
	symtab_add(&t, 0x340, 0x10, SYM_GLOBAL, "next");
	symtab_add(&t, UINT64_MAX - 8, 0x100, SYM_GLOBAL, "wraps");
	assert_int_equal(symtab_finish(&t, ENDS_NEXT), 0);
	assert_string_equal(tab_name(&t, 0xff), "-");
	assert_string_equal(tab_name(&t, 0x13f), "outer");
	assert_string_equal(tab_name(&t, 0x140), "inner");
	assert_string_equal(tab_name(&t, 0x150), "outer");
	assert_string_equal(tab_name(&t, 0x1f0), "over");
	assert_string_equal(tab_name(&t, 0x20f), "over");
	assert_string_equal(tab_name(&t, 0x210), "-");
	assert_string_equal(tab_name(&t, 0x33f), "no_size");
	assert_string_equal(tab_name(&t, 0x350), "-");
	assert_string_equal(tab_name(&t, UINT64_MAX - 1), "wraps");
	assert_span(&t, 0xff, 0, 0x100);
	assert_span(&t, 0x13f, 0x100, 0x140);
	assert_span(&t, 0x140, 0x140, 0x150);
	assert_span(&t, 0x150, 0x150, 0x1f0);
	assert_span(&t, 0x1f0, 0x1f0, 0x210);
	assert_span(&t, 0x210, 0x210, 0x300);
	assert_span(&t, 0x33f, 0x300, 0x340);
	assert_span(&t, 0x350, 0x350, UINT64_MAX - 8);
	assert_span(&t, UINT64_MAX - 1, UINT64_MAX - 8, UINT64_MAX);
	symtab_free(&t);
}

static void test_span_of_nothing(void **state)
{
	struct symtab t = { 0 };

	(void)state;
	assert_span(&t, 0x100, 0, UINT64_MAX);
	symtab_add(&t, 0x100, 0x10, SYM_GLOBAL, "only");
	assert_int_equal(symtab_finish(&t, ENDS_NEXT), 0);
	assert_span(&t, 0x110, 0x110, UINT64_MAX);
	symtab_free(&t);
}

static void test_large_table_against_a_scan(void **state)
{
	enum { N = 3000 };
	struct symtab t = { 0 };
	uint64_t seed = 1, start[N], size[N], from, to;
	char name[16];

	(void)state;
	for (int i = 0; i < N; i++) {
		seed = hash_u64(seed + 1);
		/* Distinct starts, so that no alias is dropped; odd ones nest. */
		start[i] = (seed % 5000) * N + (uint64_t)i;
		size[i] = 1 + (seed >> 40) % 100000;
		snprintf(name, sizeof(name), "f%d", i);
		assert_int_equal(symtab_add(&t, start[i], size[i], SYM_GLOBAL, name), 0);
	}
	assert_int_equal(symtab_finish(&t, ENDS_NEXT), 0);
	for (int k = 0; k < 5000; k++) {
		uint64_t addr;
		int best = -1;

		seed = hash_u64(seed + 1);
		addr = seed % (5000 * N);
		for (int i = 0; i < N; i++)
			if (addr >= start[i] && addr - start[i] < size[i] &&
			    (best < 0 || start[i] > start[best]))
				best = i;
		snprintf(name, sizeof(name), best < 0 ? "-" : "f%d", best);
		assert_string_equal(tab_name(&t, addr), name);
		symtab_span(&t, addr, &from, &to);
		assert_true(addr >= from && addr < to);
		assert_string_equal(tab_name(&t, from), name);
		assert_string_equal(tab_name(&t, to - 1), name);
	}
	symtab_free(&t);
}

/* ---- this program ------------------------------------------------------------------------------------ */

#define INLINE static inline __attribute__((always_inline))
static volatile int sink;
static void *inlined_at;
static int inlined_line;

#if defined(__x86_64__)
#define HERE(p) __asm__ volatile("lea 0(%%rip), %0" : "=r"(p))
#elif defined(__aarch64__)
#define HERE(p) __asm__ volatile("adr %0, ." : "=r"(p))
#else
#define HERE(p) ((p) = NULL)
#endif

INLINE int innermost(int x)
{
	inlined_line = __LINE__ + 1;
	HERE(inlined_at);
	sink += x;
	return sink;
}

INLINE int middle(int x)
{
	return innermost(x) + 1;
}

__attribute__((noinline)) int outermost(int x)
{
	return middle(x) * 2;
}

/* Maps of this very process for pid 10, as the kernel lists them. */
static void map_self(void)
{
	char *maps = file_read_all("/proc/self/maps", 1 << 20, NULL, NULL), *save, *line;

	assert_non_null(maps);
	for (line = strtok_r(maps, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned long start, end, off;
		char prot[8], path[256];

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255[^\n]", &start, &end, prot, &off,
			   path) != 5 ||
		    prot[2] != 'x')
			continue;
		feed_mmap(10, start, end - start, off, PERF_RECORD_MISC_USER, path);
	}
	free(maps);
}

static const char *self_name(const void *p)
{
	return name_at(10, PERF_RECORD_MISC_USER, (uint64_t)(uintptr_t)p);
}

static void test_own_symbols(void **state)
{
	const struct loc *l;
	char exe[256];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	(void)state;
	assert_true(n > 0);
	exe[n] = 0;
	map_self();
	resolver(NULL);
	assert_string_equal(self_name((void *)outermost), "outermost");
	assert_string_equal(self_name((char *)test_own_symbols + 1), "test_own_symbols");
	l = at(10, PERF_RECORD_MISC_USER, (uint64_t)(uintptr_t)outermost + 3);
	assert_int_equal(l->addr - l->sym->start, 3);
	assert_int_equal(l->sym->binding, 'g');
	assert_int_equal(symbol_insn_mode(res, l->dso) & INSN_64BIT,
			 sizeof(void *) == 8 ? INSN_64BIT : 0);
	/* A shared library by its .dynsym or its debug file. */
	assert_string_equal(self_name((void *)mkdtemp), "mkdtemp");
	assert_string_equal(name_at(10, PERF_RECORD_MISC_USER, 16), "-");
	assert_string_equal(name_at(99, PERF_RECORD_MISC_USER, 16), "-");
	assert_null(resolver_next_warning(res));
}

static void test_numbers(void **state)
{
	uint64_t ip = (uint64_t)(uintptr_t)outermost;
	struct thread *a = machine_thread(m, 20, 20), *b = machine_thread(m, 21, 21);
	uint32_t l;

	(void)state;
	map_self();
	resolver(NULL);
	feed_mmap(20, 0x1000, 0x1000, 0, PERF_RECORD_MISC_USER, "/nonexistent");
	feed_mmap(21, 0x7000, 0x1000, 0, PERF_RECORD_MISC_USER, "/nonexistent");
	l = resolver_find(res, a, PERF_RECORD_MISC_USER, 0x1010);
	assert_int_equal(resolver_find(res, a, PERF_RECORD_MISC_USER, 0x1010), l);
	/* The same place of the same object elsewhere. */
	assert_int_equal(resolver_find(res, b, PERF_RECORD_MISC_USER, 0x7010), l);
	assert_int_not_equal(resolver_find(res, b, PERF_RECORD_MISC_USER, 0x7011), l);
	assert_int_not_equal(resolver_find(res, a, PERF_RECORD_MISC_KERNEL, 0x1010), l);
	/* A new map changes the answer. */
	feed_mmap(20, 0x1000, 0x1000, 0, PERF_RECORD_MISC_USER, "/other");
	assert_int_not_equal(resolver_find(res, a, PERF_RECORD_MISC_USER, 0x1010), l);
	assert_int_equal(resolver_find(res, b, PERF_RECORD_MISC_USER, 0x7010), l);
	(void)ip;
}

/* Many at once answer as one by one do, in batches of any length, known or not. */
static void test_many_at_once(void **state)
{
	enum { N = 200 };
	uint64_t near = (uint64_t)(uintptr_t)outermost & ~0xfffULL, seed = 7;
	struct thread *th = machine_thread(m, 10, 10);
	struct code_at at[N];
	struct resolver_ip ips[N];
	uint32_t sym[N], loc[N], by_ip[N];
	uint64_t start, end;

	(void)state;
	map_self();
	resolver(NULL);
	for (int i = 0; i < N; i++) {
		struct map_hit hit;

		seed = hash_u64(seed + 1);
		ips[i] = (struct resolver_ip){ near - 0x2000 + seed % 0x8000,
					       PERF_RECORD_MISC_USER };
		if (i % 7 == 3)
			ips[i].ip = 5; /* in no map */
		at[i] = (struct code_at){ NULL, ips[i].ip, PERF_RECORD_MISC_USER };
		if (machine_find_map(m, th, ips[i].cpumode, ips[i].ip, &hit))
			at[i] = (struct code_at){ hit.map->dso, hit.addr, hit.cpumode };
	}
	for (size_t n = 1, done = 0; done < N; done += n, n = min_u64(n * 2 + 1, N - done)) {
		symbol_find_many(res, at + done, sym + done, n);
		resolver_find_at(res, at + done, loc + done, n);
		resolver_find_many(res, th, ips + done, by_ip + done, n);
	}
	for (int i = 0; i < N; i++) {
		uint32_t one = resolver_find(res, th, ips[i].cpumode, ips[i].ip);
		const struct loc *l = resolver_loc(res, one);

		assert_int_equal(loc[i], one);
		assert_int_equal(by_ip[i], one);
		assert_int_equal(sym[i], l->sym ? l->sym->idx : SYMBOL_NONE);
		if (!at[i].dso)
			continue;
		assert_ptr_equal(symbol_find(res, at[i].dso, at[i].addr), l->sym);
		assert_ptr_equal(symbol_find_span(res, at[i].dso, at[i].addr, &start, &end),
				 l->sym);
		assert_true(at[i].addr >= start && at[i].addr < end);
		assert_ptr_equal(symbol_find(res, at[i].dso, start), l->sym);
		assert_ptr_equal(symbol_find(res, at[i].dso, end - 1), l->sym);
	}
}

static void test_plt(void **state)
{
#if defined(__x86_64__)
	char exe[256];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	struct symtab t = { 0 };
	struct elf_file *f;
	int found = 0;

	(void)state;
	assert_true(n > 0);
	exe[n] = 0;
	assert_int_equal(elf_open(&f, exe, 0), 0);
	assert_int_equal(symtab_load_plt(f, &t), 0);
	for (uint32_t i = 0; i < t.sym.n; i++)
		found += !strcmp(symtab_name(&t, i), "rmdir@plt") ||
			 !strcmp(symtab_name(&t, i), "mkdtemp@plt");
	assert_int_equal(found, 2);
	symtab_free(&t);
	elf_close(f);
#else
	(void)state;
	skip_because("not an x86-64 machine with PLT calls");
#endif
}

static void test_own_lines(void **state)
{
#if HAVE_LIBDW
	const struct inline_frame *f;
	struct srcline line;
	const struct loc *l;
	int n;

	(void)state;
	outermost(1);
	if (!inlined_at)
		skip_because("the compiler did not inline the function");
	map_self();
	resolver(NULL);
	l = at(10, PERF_RECORD_MISC_USER, (uint64_t)(uintptr_t)inlined_at);
	assert_true(symbol_srcline(res, l->dso, l->addr, &line));
	assert_string_equal(line.base, "test-symbol.c");
	assert_in_range(line.line, inlined_line - 1, inlined_line + 3);
	/* Names alone, without lines; then with them. */
	assert_int_equal(symbol_inline_names(res, l->dso, l->addr, &f), 3);
	assert_string_equal(f[0].sym->name, "innermost");
	assert_string_equal(f[2].sym->name, "outermost");
	assert_int_equal(f[1].call.line, 0);
	assert_string_equal(f[1].call.file, "");
	n = symbol_inlines(res, l->dso, l->addr, &f);
	assert_int_equal(n, 3);
	assert_string_equal(f[0].sym->name, "innermost");
	assert_true(f[0].sym->is_inline);
	assert_string_equal(f[1].sym->name, "middle");
	assert_int_equal(f[1].call.line, inlined_line + 7);
	assert_string_equal(f[2].sym->name, "outermost");
	assert_false(f[2].sym->is_inline);
	assert_int_equal(f[2].call.line, inlined_line + 12);
	/* Asked again it is the same answer. */
	assert_int_equal(symbol_inlines(res, l->dso, l->addr, &f), 3);
	assert_int_equal(symbol_inline_names(res, l->dso, l->addr, &f), 3);
	assert_int_equal(f[1].call.line, inlined_line + 7);
	l = at(10, PERF_RECORD_MISC_USER, (uint64_t)(uintptr_t)mkdtemp);
	assert_false(symbol_srcline(res, l->dso, UINT64_MAX / 2, &line));
	assert_string_equal(line.file, "");
#else
	(void)state;
	skip_because("built without libdw");
#endif
}

static void test_code(void **state)
{
	unsigned char buf[16];
	const struct loc *l;

	(void)state;
	map_self();
	resolver(NULL);
	l = at(10, PERF_RECORD_MISC_USER, (uint64_t)(uintptr_t)outermost);
	assert_int_equal(symbol_read_code(res, l->dso, l->addr, buf, sizeof(buf)), sizeof(buf));
	assert_memory_equal(buf, (void *)outermost, sizeof(buf));
	assert_true(symbol_read_code(res, l->dso, UINT64_MAX - 4, buf, sizeof(buf)) <= 0);
}

static void test_vdso(void **state)
{
	uint64_t start = getauxval(AT_SYSINFO_EHDR), offset;
	struct elf_file *f;
	struct segments seg = { 0 };
	struct symtab t = { 0 };
	size_t size;
	void *image = object_vdso(&size);

	(void)state;
	if (!start || !image) {
		free(image);
		skip_because("no vdso in this process");
	}
	assert_int_equal(elf_open_memory(&f, image, size), 0);
	assert_true(elf_build_id(f)->size > 0);
	assert_int_equal(elf_segments(f, &seg), 0);
	assert_true(segments_to_offset(&seg, seg.v.v[0].vaddr, &offset));
	assert_int_equal(symtab_load_elf(f, f, &seg, false, 0, &t), 0);
	assert_true(t.sym.n > 0);
	symtab_free(&t);
	vec_free(&seg.v);
	elf_close(f);
	free(image);
}

/* ---- kernel ------------------------------------------------------------------------------------------- */

static const char kallsyms[] = "0000000000000000 A fixed_percpu_data\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000000 T startup_64\n"
			       "ffffffff81001000 t local_one\n"
			       "ffffffff81002000 W weak_one\n"
			       "ffffffff81002000 T strong_one\n"
			       "ffffffff81003000 r constant\n"
			       "ffffffff81004000 T last_one\n"
			       "ffffffffc0000000 t mod_fn\t[nf_nat]\n"
			       "ffffffffc0000100 t mod_end\t[nf_nat]\n"
			       "ffffffffc0008000 t other\t[other]\n"
			       "garbage\n"
			       "zz T no_address\n";

static void kernel_case(uint64_t moved, const char *ref)
{
	struct symbol_opts opts = { 0 };
	char path[128], name[64];

	snprintf(path, sizeof(path), "%s/kallsyms", tmp);
	write_file(path, kallsyms, sizeof(kallsyms) - 1);
	snprintf(name, sizeof(name), "[kernel.kallsyms]%s", ref);
	feed_mmap(-1, 0xffffffff81000000 + moved, 0x1000000, 0xffffffff81000000 + moved,
		  PERF_RECORD_MISC_KERNEL, name);
	feed_mmap(-1, 0xffffffffc0000000, 0x4000, 0, PERF_RECORD_MISC_KERNEL, "[nf_nat]");
	/* A path is of a module's file, as it was when another one lay where "other" does now. */
	feed_mmap(-1, 0xffffffffc0007000, 0x4000, 0, PERF_RECORD_MISC_KERNEL, "/lib/gone-one.ko");
	opts.kallsyms = path;
	resolver(&opts);
}

static void test_kallsyms(void **state)
{
	const uint8_t k = PERF_RECORD_MISC_KERNEL;

	(void)state;
	kernel_case(0, "_text");
	assert_string_equal(name_at(1, k, 0xffffffff81000010), "startup_64");
	assert_string_equal(name_at(1, k, 0xffffffff81001fff), "local_one");
	assert_string_equal(name_at(1, k, 0xffffffff81003fff), "strong_one");
	assert_string_equal(name_at(1, k, 0xffffffffc0000000), "mod_fn");
	assert_string_equal(name_at(1, k, 0xffffffffc0000100), "mod_end");
	/* The last of the kernel and of a module end soon. */
	assert_string_equal(name_at(1, k, 0xffffffff81004fff), "last_one");
	assert_string_equal(name_at(1, k, 0xffffffff81006000), "-");
	assert_string_equal(name_at(1, k, 0xffffffffc0003000), "-");
	assert_string_equal(name_at(1, k, 0xffffffffc0008000), "-");
	assert_int_equal(at(1, k, 0xffffffff81001000)->sym->binding, 'l');
	/* All processes see one kernel. */
	assert_int_equal(resolver_find(res, machine_thread(m, 1, 1), k, 0xffffffff81001000),
			 resolver_find(res, machine_thread(m, 2, 2), k, 0xffffffff81001000));
}

static void test_kallsyms_moved(void **state)
{
	(void)state;
	kernel_case(0x1c000000, "_text");
	assert_string_equal(name_at(1, PERF_RECORD_MISC_KERNEL, 0xffffffff9d001004), "local_one");
	/* Its modules are those of another boot. */
	assert_string_equal(name_at(1, PERF_RECORD_MISC_KERNEL, 0xffffffffc0000000), "-");
}

static void test_hidden_kallsyms(void **state)
{
	static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T f\n";
	struct symbol_opts opts = { 0 };
	const char *warning;
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/kallsyms", tmp);
	write_file(path, hidden, sizeof(hidden) - 1);
	feed_mmap(-1, 0xffffffff81000000, 0x1000000, 0, PERF_RECORD_MISC_KERNEL,
		  "[kernel.kallsyms]_text");
	opts.kallsyms = path;
	resolver(&opts);
	assert_string_equal(name_at(1, PERF_RECORD_MISC_KERNEL, 0xffffffff81000010), "-");
	warning = resolver_next_warning(res);
	assert_non_null(warning);
	assert_non_null(strstr(warning, "holds no kernel symbols"));
	assert_null(resolver_next_warning(res));
}

/* ---- JIT maps ------------------------------------------------------------------------------------------- */

static void jit_path(char path[128], int pid)
{
	snprintf(path, 128, "%s/tmp", tmp);
	rmdir(path);
	mkdir(path, 0700);
	snprintf(path, 128, "%s/tmp/perf-%d.map", tmp, pid);
}

static void jit_map(int pid)
{
	feed_mmap(pid, 0x7f0000000000, 0x10000, 0, PERF_RECORD_MISC_USER, "//anon");
}

static const char jit[] = "7f0000000100 20 first one\n"
			  "7f0000000200 10 old\n"
			  "0x7f0000000300 0x10 prefixed\n"
			  "7f0000000200 20 new\n"
			  "no line at all\n"
			  "7f0000000400\n"
			  "7f0000000500 zz x\n"
			  "7f0000000600 10 last";

static void test_jit(void **state)
{
	const uint8_t u = PERF_RECORD_MISC_USER;
	struct symbol_opts opts = { .symfs = tmp };
	char path[128];

	(void)state;
	jit_path(path, 30);
	write_file(path, jit, sizeof(jit) - 1);
	jit_map(30);
	resolver(&opts);
	assert_string_equal(name_at(30, u, 0x7f0000000110), "first one");
	assert_string_equal(name_at(30, u, 0x7f0000000120), "-");
	assert_string_equal(name_at(30, u, 0x7f0000000210), "new");
	assert_string_equal(name_at(30, u, 0x7f0000000308), "prefixed");
	assert_string_equal(name_at(30, u, 0x7f0000000400), "-");
	assert_string_equal(name_at(30, u, 0x7f000000060f), "last");
	assert_string_equal(at(30, u, 0x7f0000000110)->dso->name, "/tmp/perf-30.map");
}

/* A line that cannot be read is not the end of the file. */
static void test_jit_unreadable(void **state)
{
	FILE *fp = fopen(tmp, "r"); /* a directory */
	struct symtab t = { 0 };

	(void)state;
	assert_non_null(fp);
	assert_int_equal(symtab_read_jit(fp, &t), -EISDIR);
	fclose(fp);
	symtab_free(&t);
}

static void jit_refused(int pid, const char *why)
{
	struct symbol_opts opts = { .symfs = tmp };
	const char *warning;

	jit_map(pid);
	resolver(&opts);
	assert_string_equal(name_at(pid, PERF_RECORD_MISC_USER, 0x7f0000000110), "-");
	warning = resolver_next_warning(res);
	assert_non_null(warning);
	assert_non_null(strstr(warning, why));
}

static void test_jit_symlink(void **state)
{
	char path[128], other[128];

	(void)state;
	jit_path(path, 31);
	snprintf(other, sizeof(other), "%s/elsewhere", tmp);
	write_file(other, jit, sizeof(jit) - 1);
	assert_int_equal(symlink(other, path), 0);
	jit_refused(31, "symbolic link");
}

static void test_jit_fifo(void **state)
{
	char path[128];

	(void)state;
	jit_path(path, 32);
	assert_int_equal(mkfifo(path, 0600), 0);
	jit_refused(32, "no regular file");
}

static void test_jit_of_another_user(void **state)
{
	char path[128];

	(void)state;
	if (geteuid())
		skip_because("only root can give a file to another user");
	jit_path(path, 33);
	write_file(path, jit, sizeof(jit) - 1);
	assert_int_equal(chown(path, 12345, 12345), 0);
	jit_refused(33, "another user");
}

/* ---- build ids ---------------------------------------------------------------------------------------------- */

static void test_build_ids(void **state)
{
	static const uint8_t note[] = { 4, 0, 0,   0,	3,   0, 0, 0, 3, 0,
					0, 0, 'G', 'N', 'U', 0, 1, 2, 3 };
	static const uint8_t padded[20] = { 1, 2, 3 }, other[20] = { 1, 2, 3, 4 };
	struct build_id id = { 0 };

	(void)state;
	assert_true(build_id_from_notes(note, sizeof(note), false, &id));
	assert_int_equal(id.size, 3);
	assert_true(build_id_equal(id.id, id.size, padded, sizeof(padded)));
	assert_false(build_id_equal(id.id, id.size, other, sizeof(other)));
	assert_false(build_id_equal(id.id, 0, other, sizeof(other)));
	for (size_t n = 0; n < sizeof(note); n++)
		assert_false(build_id_from_notes(note, n, false, &id));
}

/* ---- damage ------------------------------------------------------------------------------------------------- */

static void look_at(const char *path)
{
	const struct inline_info *info;
	struct srcline line;
	struct symtab t = { 0 };
	struct elf_file *f;
	struct lines *l;

	if (elf_open(&f, path, 0))
		return;
	elf_build_id(f);
	elf_debuglink(f);
	symtab_load_elf(f, NULL, NULL, false, 0, &t);
	symtab_load_plt(f, &t);
	symtab_finish(&t, ENDS_NEXT);
	symtab_find(&t, 0x1234);
	symtab_free(&t);
	elf_close(f);
	l = lines_open(res, path);
	for (uint64_t a = 0; l && a < 0x20000; a += 0x333) {
		lines_find(l, res, a, &line);
		lines_inlines(l, res, a, true, &info);
	}
	lines_free(l);
}

static void test_damaged_files(void **state)
{
	char exe[256], path[128];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	const char *more = getenv("ROUNDS");
	int rounds = more ? atoi(more) : 60;
	uint64_t seed = 42;
	unsigned char *whole, *copy;
	size_t size;

	(void)state;
	assert_true(n > 0);
	exe[n] = 0;
	whole = (unsigned char *)file_read_all(exe, 64 << 20, &size, NULL);
	assert_non_null(whole);
	copy = malloc(size);
	assert_non_null(copy);
	resolver(NULL);
	snprintf(path, sizeof(path), "%s/elf", tmp);
	for (int round = 0; round < rounds; round++) {
		size_t cut = size;

		memcpy(copy, whole, size);
		for (int i = 0; i < 1 + round * 2; i++) {
			seed = hash_u64(seed + 1);
			/* Headers are at both ends. */
			size_t where = seed % 4 == 0   ? (seed >> 8) % 1024
				       : seed % 4 == 1 ? size - 1 - (seed >> 8) % 4096
						       : (seed >> 8) % size;

			copy[where] = (unsigned char)(seed >> 50);
		}
		if (round % 3 == 0)
			cut = (seed >> 20) % size;
		write_file(path, copy, cut);
		look_at(path);
	}
	free(copy);
	free(whole);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_nesting_and_gaps),
		cmocka_unit_test(test_span_of_nothing),
		cmocka_unit_test(test_large_table_against_a_scan),
		T(test_own_symbols),
		T(test_numbers),
		T(test_many_at_once),
		T(test_plt),
		T(test_own_lines),
		T(test_code),
		cmocka_unit_test(test_vdso),
		T(test_kallsyms),
		T(test_kallsyms_moved),
		T(test_hidden_kallsyms),
		T(test_jit),
		T(test_jit_unreadable),
		T(test_jit_symlink),
		T(test_jit_fifo),
		T(test_jit_of_another_user),
		cmocka_unit_test(test_build_ids),
		T(test_damaged_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
