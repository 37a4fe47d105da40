// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts by address and listings of functions of this very program, whose code is known from its
 * memory: what a listing says lies at an address is what lies there.
 */
#include "annotate/annotate.h"
#include "config.h"
#include "table-build.h"

#define HAVE_INSNS (HAVE_LIBCAPSTONE || HAVE_ZYDIS)

static struct err e;
static volatile int sink;

/* A loop, a call, data. */
__attribute__((noinline)) int counted(int n);
__attribute__((noinline)) int counted(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
	return sink;
}

__attribute__((noinline)) int other(int n);
__attribute__((noinline)) int other(int n)
{
	return counted(n) + counted(sink);
}

/* Through a slot that the dynamic linker fills. */
extern int getppid(void) __attribute__((noplt));
__attribute__((noinline)) int through_slot(void);
__attribute__((noinline)) int through_slot(void)
{
	return getppid() + sink;
}

static int setup(void **state)
{
	(void)state;
	if (build_machine(NULL))
		return -1;
	map_self((uintptr_t)counted);
	return 0;
}

/* Files of this machine, but not its kernel. */
static int setup_here(void **state)
{
	const struct symbol_opts so = { .no_host_kernel = true };

	(void)state;
	return build_machine(&so);
}

static void add(struct annotate *a, uint32_t event, uintptr_t ip, uint64_t period, uint16_t misc)
{
	static struct perfdata_event ev[2] = { { .idx = 0, .name = "a" },
					       { .idx = 1, .name = "b" } };
	struct sample s = { .present = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD,
			    .event = &ev[event],
			    .cpumode = PERF_RECORD_MISC_USER,
			    .misc = misc,
			    .ip = ip,
			    .period = period };
	const struct session_sample in = { .s = &s, .thread = machine_thread(m, 1, 1) };

	assert_int_equal(annotate_add(a, &in, &e), 0);
}

static struct annotate *new_annotate(void)
{
	struct annotate *a;

	assert_int_equal(annotate_new(&a, m, res, &e), 0);
	return a;
}

static void check_two(struct annotate *a)
{
	const struct annotate_function *f;

	assert_int_equal(annotate_finish(a, &e), 0);
	assert_int_equal(annotate_nr_events(a), 2);
	assert_int_equal(annotate_nr_functions(a), 2);
	assert_int_equal(annotate_total(a, 0)->count.hits, 4);
	assert_int_equal(annotate_total(a, 0)->count.period, 131);
	assert_int_equal(annotate_total(a, 0)->exact, 1);
	assert_int_equal(annotate_total(a, 0)->unnamed, 1);
	assert_int_equal(annotate_total(a, 7)->count.hits, 0);
	f = annotate_function(a, 0);
	assert_string_equal(f->sym->name, "counted");
	assert_int_equal(f->total[0].count.period, 30);
	assert_int_equal(f->total[0].count.hits, 2);
	assert_int_equal(f->total[1].count.period, 5);
	assert_ptr_equal(annotate_find(a, f->sym), f);
	assert_string_equal(annotate_function(a, 1)->sym->name, "other");
	/* By the second event alone the order stays; without it, too. */
	assert_int_equal(annotate_sort(a, 1, 1, &e), 0);
	assert_string_equal(annotate_function(a, 0)->sym->name, "counted");
}

static void test_counts(void **state)
{
	struct annotate *a = new_annotate();

	(void)state;
	add(a, 0, (uintptr_t)other, 1, PERF_RECORD_MISC_EXACT_IP);
	add(a, 0, (uintptr_t)counted, 10, 0);
	add(a, 0, (uintptr_t)counted, 20, 0);
	add(a, 1, (uintptr_t)counted, 5, 0);
	add(a, 0, 0x1000, 100, 0);
	check_two(a);
	annotate_free(a);
}

/* Two halves add up, whichever has what. */
static void test_merge(void **state)
{
	struct annotate *a = new_annotate(), *b = new_annotate();

	(void)state;
	add(a, 0, (uintptr_t)counted, 10, 0);
	add(a, 0, 0x1000, 100, 0);
	add(b, 0, (uintptr_t)other, 1, PERF_RECORD_MISC_EXACT_IP);
	add(b, 0, (uintptr_t)counted, 20, 0);
	add(b, 1, (uintptr_t)counted, 5, 0);
	assert_int_equal(annotate_merge(a, b, NULL, &e), 0);
	annotate_free(b);
	check_two(a);
	annotate_free(a);
}

static struct listing *open_listing(const struct annotate *a, const char *name,
				    const struct listing_opts *o)
{
	struct listing *l = NULL;

	for (size_t i = 0; i < annotate_nr_functions(a); i++) {
		const struct annotate_function *f = annotate_function(a, i);

		if (!strcmp(f->sym->name, name) && listing_open(&l, a, f->dso, f->sym, o, &e))
			fail_msg("%s", e.text);
	}
	assert_non_null(l);
	return l;
}

static void test_listing(void **state)
{
	struct annotate *a = new_annotate();
	struct listing *l;
	uint64_t at, hits = 0;
	bool found = false;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	add(a, 0, (uintptr_t)counted, 10, 0);
	add(a, 0, (uintptr_t)other, 1, 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_listing(a, "counted", NULL);
	at = l->start;
	for (uint32_t i = 0; i < l->nr_insns; i++) {
		const struct listing_line *line = &l->line[l->insn_line[i]];

		assert_int_equal(line->insn, i);
		assert_int_equal(line->addr, at);
		assert_int_equal(listing_insn_at(l, at + line->len - 1), i);
		assert_memory_equal(line->bytes, (char *)(uintptr_t)counted + (at - l->start),
				    line->len);
		assert_false(line->bad);
		hits += listing_count(l, line, 0).hits;
		at += line->len;
	}
	assert_int_equal(at, l->end);
	assert_int_equal(listing_insn_at(l, l->end), LISTING_NONE);
	assert_int_equal(hits, 1);
	assert_int_equal(listing_hottest(l), l->insn_line[0]);
	assert_true(listing_percent(l, &l->line[l->insn_line[0]], 0, LISTING_LOCAL_PERIOD) == 100);
	assert_true(listing_percent(l, &l->line[l->insn_line[0]], 0, LISTING_GLOBAL_HITS) == 50);
	assert_int_equal(l->nr_loops, 1);
	assert_int_equal(l->loop[0].depth, 1);
	assert_int_equal(l->line[l->loop[0].end].target, l->loop[0].head);
	listing_close(l);

	l = open_listing(a, "other", NULL);
	for (uint32_t i = 0; i < l->nr_lines; i++)
		if (l->line[i].branch == INSN_CALL && l->line[i].name &&
		    !strcmp(l->line[i].name, "counted") && !l->line[i].name_off)
			found = true;
	assert_true(found);
	listing_close(l);
	annotate_free(a);
}

/* A sample at each byte: those inside an instruction are its own; sums come out, however large. */
static void test_every_byte(void **state)
{
	struct annotate *a = new_annotate();
	uint64_t size, hits = 0;
	struct listing *l;

	(void)state;
	if (!HAVE_INSNS)
		skip();
	add(a, 0, (uintptr_t)counted, UINT64_MAX, 0); /* periods wrap as those of reports do */
	for (size = 1; size < 8; size++)
		add(a, 0, (uintptr_t)counted + size, 1, 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_listing(a, "counted", NULL);
	for (uint32_t i = 0; i < l->nr_insns; i++) {
		const struct listing_line *line = &l->line[l->insn_line[i]];
		uint64_t at = line->addr - l->start;

		assert_int_equal(listing_count(l, line, 0).hits,
				 at >= size ? 0 : min_u64(line->len, size - at));
		hits += listing_count(l, line, 0).hits;
	}
	assert_int_equal(hits + l->event[0].outside.hits, size);
	assert_int_equal(l->event[0].outside.hits, 0);
	assert_int_equal(l->event[0].function.count.period, 6);
	listing_close(l);
	annotate_free(a);
}

/* Calls through slots, and data, have names. */
static void test_names(void **state)
{
	struct annotate *a = new_annotate();
	bool slot = false, data = false; /* others may be there, too: of sanitizers */
	struct listing *l;

	(void)state;
	if (!HAVE_INSNS || regs_arch_host() != REGS_ARCH_X86)
		skip();
	add(a, 0, (uintptr_t)through_slot, 10, 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	l = open_listing(a, "through_slot", NULL);
	for (uint32_t i = 0; i < l->nr_insns; i++) {
		const struct listing_line *line = &l->line[l->insn_line[i]];

		if (line->ref != LISTING_DATA || !line->name)
			continue;
		slot |= !strcmp(line->name, "getppid@got");
		data |= !strcmp(line->name, "sink");
	}
	assert_true(slot);
	assert_true(data);
	listing_close(l);
	annotate_free(a);
}

/* The same instructions in the other order of operands. */
static void test_syntax(void **state)
{
	struct annotate *a = new_annotate();
	struct listing *att, *intel;
	const struct listing_opts o = { .syntax = INSN_INTEL };
	bool registers = false;

	(void)state;
	if (!HAVE_INSNS || regs_arch_host() != REGS_ARCH_X86)
		skip();
	add(a, 0, (uintptr_t)counted, 10, 0);
	assert_int_equal(annotate_finish(a, &e), 0);
	att = open_listing(a, "counted", NULL);
	intel = open_listing(a, "counted", &o);
	assert_int_equal(att->nr_insns, intel->nr_insns);
	for (uint32_t i = 0; i < att->nr_insns; i++) {
		registers |= strchr(att->line[att->insn_line[i]].text, '%') != NULL;
		assert_null(strchr(intel->line[intel->insn_line[i]].text, '%'));
	}
	assert_true(registers);
	listing_close(att);
	listing_close(intel);
	annotate_free(a);
}

/* ---- where code comes from -------------------------------------------------------------------- */

static struct dso *dso_called(const char *path)
{
	for (size_t i = 0; i < machine_nr_dsos(m); i++)
		if (!strcmp(machine_dso(m, i)->path, path))
			return machine_dso(m, i);
	fail_msg("no object %s", path);
	return NULL;
}

/* That there are no bytes of it, and what is said of that: @text, and in the hint @next. */
static void check_missing(struct dso *dso, const char *text, const char *next)
{
	unsigned char buf[16];
	ssize_t n = symbol_read_code(res, dso, dso->start, buf, sizeof(buf));

	err_clear(&e);
	assert_true(n <= 0);
	assert_true(symbol_code_error(res, dso, (int)n, &e) < 0);
	if (!strstr(e.text, text))
		fail_msg("\"%s\" lacks \"%s\"", e.text, text);
	if (!strstr(e.hint, next))
		fail_msg("\"%s\" lacks \"%s\"", e.hint, next);
	assert_null(symbol_code_path(res, dso));
}

static void test_missing_file(void **state)
{
	static const uint8_t id[20] = { 0xab, 0xcd };

	(void)state;
	map_file(1, 0x1000, 0x1000, 0, "/nonexistent/prog");
	map_file(1, 0x3000, 0x1000, 0, "/nonexistent/with-id");
	dso_called("/nonexistent/with-id")->build_id = id;
	dso_called("/nonexistent/with-id")->build_id_size = 20;
	check_missing(dso_called("/nonexistent/prog"), "/nonexistent/prog is not here",
		      "no build id of it");
	check_missing(dso_called("/nonexistent/with-id"),
		      "no file with build id abcd000000000000000000000000000000000000: "
		      "/nonexistent/with-id is not here",
		      "perf buildid-cache --add FILE");
}

/* This program is here, but it is another one than the recorded. */
static void test_other_file(void **state)
{
	static const uint8_t id[20] = { 0xab, 0xcd };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct dso *dso;

	(void)state;
	assert_true(n > 0);
	self[n] = 0;
	map_self((uintptr_t)counted);
	dso = dso_called(self);
	dso->build_id = id;
	dso->build_id_size = 20;
	check_missing(dso, "has changed since the recording: its build id is ",
		      "below --symfs DIR, in the cache");
	assert_null(symbol_find(res, dso, 0x1000));
}

static void test_no_elf(void **state)
{
	(void)state;
	map_file(1, 0x1000, 0x1000, 0, "/etc/passwd");
	check_missing(dso_called("/etc/passwd"), "/etc/passwd is no ELF file", "--symfs DIR");
}

static void test_no_file(void **state)
{
	static const char *const names[] = { "[heap]", "anon_inode:[perf_event]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct dso dso = { .idx = (uint32_t)(100 + i), .path = names[i], .name = names[i] };

		check_missing(&dso, "is no file", "");
	}
}

static void test_missing_kinds(void **state)
{
	static const uint8_t id[2] = { 0x12, 0x34 };
	struct dso kernel = { .kind = DSO_KERNEL,
			      .name = "[kernel.kallsyms]",
			      .path = "[kernel.kallsyms]",
			      .build_id = id,
			      .build_id_size = 2 };
	struct dso module = { .kind = DSO_MODULE, .name = "[ext4]", .path = "[ext4]" };
	struct dso guest = { .kind = DSO_KERNEL, .name = "g", .path = "g", .guest = true };
	struct dso bpf = { .kind = DSO_BPF, .name = "bpf_prog_1", .path = "bpf_prog_1" };
	struct dso vdso = { .kind = DSO_VDSO, .name = "[vdso]", .path = "[vdso]" };
	struct dso jit = {
		.kind = DSO_ANON, .name = "/tmp/perf-7.map", .path = "//anon", .pid = 7
	};

	(void)state;
	check_missing(&kernel, "the recorded kernel is unknown, build id 1234, and not the one",
		      "--vmlinux FILE");
	check_missing(&module, "the code of the module [ext4] is not here", "runs that kernel");
	check_missing(&guest, "guest's kernel", "inside it");
	check_missing(&bpf, "BPF program bpf_prog_1", "root");
	check_missing(&jit, "process 7 made at run time left no bytes: /tmp/perf-7.map", "jitdump");
	check_missing(&vdso, "[vdso]", "that kernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_listing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_byte, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_syntax, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing_file, setup_here, teardown),
		cmocka_unit_test_setup_teardown(test_other_file, setup_here, teardown),
		cmocka_unit_test_setup_teardown(test_no_elf, setup_here, teardown),
		cmocka_unit_test_setup_teardown(test_no_file, setup_here, teardown),
		cmocka_unit_test_setup_teardown(test_missing_kinds, setup_here, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
