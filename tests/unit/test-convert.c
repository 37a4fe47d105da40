// SPDX-License-Identifier: GPL-2.0-or-later
/* Branch stacks into profiles: maps that change, both byte orders, ranges, folded stacks. */
#include <elf.h>

#include "convert/convert.h"
#include "perfdata-build.h"
#include "session-build.h"

#define BASE 0x500000000000ULL /* where the maps of these tests begin */
#define SIZE 0x100000ULL

struct fixture {
	struct machine *m;
	struct convert *c;
};

static struct build b;

static void begin(uint32_t type, uint16_t misc)
{
	start_records(&b, host_is_big_endian());
	begin_record(&b, type, misc);
}

/* The record that was begun, for both who follow maps. */
static void apply(struct fixture *f)
{
	struct record rec;

	end_record(&b, 0);
	rec = built_record(&b, 0, NULL);
	if (f->c)
		assert_int_equal(convert_before(f->c, &rec), 0);
	assert_true(machine_record(f->m, &rec, NULL) >= 0);
}

static void map(struct fixture *f, uint32_t pid, uint64_t addr, uint64_t pgoff, const char *path)
{
	begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_mapping(&b, pid, pid, addr, SIZE, pgoff);
	put_zero(&b, 24); /* which file that is */
	P32(&b, PROT_READ | PROT_EXEC);
	P32(&b, 0);
	put_string(&b, path);
	apply(f);
}

static void comm_exec(struct fixture *f, uint32_t pid, const char *name)
{
	begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	P32(&b, pid);
	P32(&b, pid);
	put_string(&b, name);
	apply(f);
}

static void leave(struct fixture *f, uint32_t pid)
{
	begin(PERF_RECORD_EXIT, 0);
	P32(&b, pid);
	P32(&b, 0);
	P32(&b, pid);
	put_zero(&b, 12);
	apply(f);
}

static void start(struct fixture *f)
{
	struct err err;

	*f = (struct fixture){ 0 };
	assert_int_equal(machine_new(&f->m, "x86_64", &err), 0);
	assert_int_equal(convert_new(&f->c, f->m, &err), 0);
}

static void stop(struct fixture *f)
{
	convert_free(f->c);
	machine_free(f->m);
}

/* A stack of entries, newest first: from, to, mispredicted. */
static void stack(struct fixture *f, int32_t pid, const uint64_t (*e)[3], size_t n, bool swap)
{
	unsigned char bytes[64 * BRANCH_ENTRY_SIZE] = { 0 };
	struct sample s = { .present = PERF_SAMPLE_BRANCH_STACK, .swap = swap };
	bool big = swap != host_is_big_endian();

	for (size_t i = 0; i < n; i++) {
		unsigned char *p = bytes + i * BRANCH_ENTRY_SIZE;

		store_u64(p, swap ? __builtin_bswap64(e[i][0]) : e[i][0]);
		store_u64(p + 8, swap ? __builtin_bswap64(e[i][1]) : e[i][1]);
		p[16] = e[i][2] ? (big ? 0x80 : 1) : (big ? 0x40 : 2);
	}
	s.branches = (struct sample_branches){ .nr = n, .swap = swap, .entries = bytes };
	assert_int_equal(convert_sample(f->c, machine_thread(f->m, pid, pid), &s), 0);
}

/* An ELF file whose text lies at offset 0 and address 0x400000, without symbols. */
static void write_elf(const char *path)
{
	FILE *out = fopen(path, "w");
	Elf64_Ehdr eh = { .e_type = ET_EXEC,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_phoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 };
	Elf64_Phdr ph = { .p_type = PT_LOAD,
			  .p_flags = PF_R | PF_X,
			  .p_vaddr = 0x400000,
			  .p_filesz = SIZE,
			  .p_memsz = SIZE };

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = host_is_big_endian() ? ELFDATA2MSB : ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	assert_non_null(out);
	fwrite(&eh, sizeof(eh), 1, out);
	fwrite(&ph, sizeof(ph), 1, out);
	assert_int_equal(ftruncate(fileno(out), SIZE), 0);
	fclose(out);
}

static char tmp[] = "/tmp/perf-convert.XXXXXX";
static char app[64], lib[64];

static int make_files(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(tmp));
	snprintf(app, sizeof(app), "%s/app", tmp);
	snprintf(lib, sizeof(lib), "%s/lib", tmp);
	write_elf(app);
	write_elf(lib);
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(app);
	unlink(lib);
	return rmdir(tmp);
}

static const char *profile(struct fixture *f, const char *path, const char *format)
{
	static char text[1 << 20];
	struct err err = { 0 };
	struct obuf o;

	for (size_t i = 0; i < convert_nr_objects(f->c); i++) {
		if (strcmp(convert_object(f->c, i)->dso->name, path))
			continue;
		if (convert_load(f->c, i, NULL, &err))
			fail_msg("%s", err.text);
		obuf_init(&o, -1, 0);
		assert_true(convert_write(f->c, i, convert_format_find(format), &o, &err) >= 0);
		snprintf(text, sizeof(text), "%.*s", (int)o.len, o.buf);
		o.len = 0;
		obuf_free(&o);
		return text;
	}
	return "not there";
}

static void finish(struct fixture *f)
{
	struct err err;

	assert_int_equal(convert_finish(f->c, &err), 0);
}

/* ---- tests ---- */

static void test_processes_merge(void **state)
{
	const uint64_t one[][3] = { { BASE + 0x120, BASE + 0x200, 1 },
				    { BASE + 0x300, BASE + 0x100, 0 } };
	const uint64_t two[][3] = { { 2 * BASE + 0x120, 2 * BASE + 0x200, 0 },
				    { 2 * BASE + 0x300, 2 * BASE + 0x100, 0 } };
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	map(&f, 20, 2 * BASE, 0, app);
	stack(&f, 10, one, 2, false);
	stack(&f, 20, two, 2, false);
	stack(&f, 20, two, 2, true); /* recorded on a machine of the other byte order */
	finish(&f);
	assert_int_equal(convert_nr_objects(f.c), 1);
	assert_string_equal(profile(&f, app, "preagg"), "B 400120 400200 3 1\n"
							"f 400100 400120 3\n"
							"B 400300 400100 3 0\n");
	assert_string_equal(profile(&f, app, "autofdo"), "1\n100-120:3\n0\n"
							 "2\n120->200:3\n300->100:3\n");
	assert_int_equal(convert_stats(f.c)->mapped, 6);
	stop(&f);
}

/* What was mapped when the branch was taken counts, also when the table is read much later. */
static void test_maps_change(void **state)
{
	const uint64_t e[][3] = { { BASE + 0x10, BASE + 0x40, 0 } };
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	stack(&f, 10, e, 1, false);
	map(&f, 10, BASE, 0x1000, lib);
	stack(&f, 10, e, 1, false);
	stack(&f, 10, e, 1, false);
	finish(&f);
	assert_string_equal(profile(&f, app, "preagg"), "B 400010 400040 1 0\n");
	assert_string_equal(profile(&f, lib, "preagg"), "B 401010 401040 2 0\n");
	stop(&f);
}

static void test_exec_and_exit(void **state)
{
	const uint64_t e[][3] = { { BASE + 0x10, BASE + 0x40, 0 } };
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	stack(&f, 10, e, 1, false);
	comm_exec(&f, 10, "lib");
	stack(&f, 10, e, 1, false); /* exec has not returned: the old program */
	map(&f, 10, BASE, 0, lib);
	stack(&f, 10, e, 1, false);
	leave(&f, 10);
	finish(&f);
	assert_string_equal(profile(&f, app, "preagg"), "B 400010 400040 2 0\n");
	assert_string_equal(profile(&f, lib, "preagg"), "B 400010 400040 1 0\n");
	assert_int_equal(convert_stats(f.c)->outside, 0);
	stop(&f);
}

static void test_between_objects(void **state)
{
	const uint64_t e[][3] = {
		{ BASE + 0x50, BASE + SIZE + 0x80, 0 }, /* into the other object */
		{ BASE + SIZE + 0x90, BASE + 0x44, 0 }, /* and, before that, out of it */
		{ 0x1234, BASE + SIZE + 0x88, 0 },	/* from nowhere */
		{ BASE + 0x20, 0x999, 0 },		/* to nowhere */
		{ 0x1000, 0x2000, 0 },
	};
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	map(&f, 10, BASE + SIZE, 0, lib);
	stack(&f, 10, e, ARRAY_SIZE(e), false);
	finish(&f);
	assert_string_equal(profile(&f, app, "preagg"), "B 400020 X:0 1 0\n"
							"B 400050 X:0 1 0\n"
							"f 400044 400050 1\n"
							"B X:0 400044 1 0\n");
	assert_string_equal(profile(&f, lib, "preagg"), "B 400090 X:0 1 0\n"
							"B X:0 400080 1 0\n"
							"f 400088 400090 1\n"
							"B X:0 400088 1 0\n");
	assert_int_equal(convert_stats(f.c)->mapped, 2);
	assert_int_equal(convert_stats(f.c)->one_end, 2);
	assert_int_equal(convert_stats(f.c)->outside, 1);
	stop(&f);
}

/* Entries of the kernel are left out, and what lies around them stays one range. */
static void test_kernel_entries(void **state)
{
	const uint64_t k = 0xffffffff81000000ULL;
	const uint64_t e[][3] = { { BASE + 0x90, BASE + 0x10, 0 },
				  { k + 0x10, BASE + 0x60, 0 },
				  { k, k + 8, 0 },
				  { BASE + 0x50, k, 0 },
				  { BASE + 0x30, BASE + 0x40, 0 } };
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	stack(&f, 10, e, ARRAY_SIZE(e), false);
	finish(&f);
	assert_string_equal(profile(&f, app, "preagg"), "f 400040 400090 1\n"
							"B 400030 400040 1 0\n"
							"B 400090 400010 1 0\n");
	assert_int_equal(convert_stats(f.c)->kernel, 3);
	assert_int_equal(convert_stats(f.c)->branches, 5);
	stop(&f);
}

/* A stack of more branches than are looked up at once, with the kernel's at the seam and behind it; in both byte orders. */
static void test_long_stack(void **state)
{
	char text[2][4096];
	uint64_t e[64][3];

	(void)state;
	for (uint64_t i = 0; i < 64; i++) {
		bool kernel = i == 31 || i == 40;

		e[i][0] = kernel ? 0xffffffff81000000ULL : BASE + 0x40 * (64 - i) + 0x10;
		e[i][1] = BASE + 0x40 * (65 - i);
		e[i][2] = i & 1;
	}
	for (int swap = 0; swap < 2; swap++) {
		struct fixture f;

		start(&f);
		map(&f, 10, BASE, 0, app);
		stack(&f, 10, (const uint64_t(*)[3])e, 64, swap);
		stack(&f, 10, (const uint64_t(*)[3])e, 30, swap);
		finish(&f);
		snprintf(text[swap], sizeof(text[0]), "%s", profile(&f, app, "preagg"));
		assert_int_equal(convert_stats(f.c)->kernel, 2);
		assert_int_equal(convert_stats(f.c)->mapped, 92);
		stop(&f);
	}
	assert_string_equal(text[0], text[1]);
	/* Behind the 33rd entry what ran up to the 31st; the 29th came twice. */
	assert_non_null(strstr(text[0], "\nf 400840 400890 1\nB 400810 400840 1 0\n"));
	assert_non_null(strstr(text[0], "\nf 400940 400950 2\nB 400910 400940 2 0\n"));
}

/* A range that would go backwards is none: entries were lost between. */
static void test_backward_range(void **state)
{
	const uint64_t e[][3] = { { BASE + 0x10, BASE + 0x20, 0 },
				  { BASE + 0x30, BASE + 0x40, 0 } };
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	stack(&f, 10, e, 2, false);
	finish(&f);
	assert_string_equal(profile(&f, app, "profgen"), "0\n2\n10->20:1\n30->40:1\n");
	stop(&f);
}

/* Nor is one of gigabytes, though both its ends lie in one object, which is mapped twice. */
static void test_long_range(void **state)
{
	const uint64_t far = BASE + (2ULL << 32);
	const uint64_t e[][3] = { { far + 0x30, BASE + 0x40, 0 }, { BASE + 0x10, BASE + 0x20, 0 } };
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	map(&f, 10, far, 0, app);
	stack(&f, 10, e, 2, false);
	finish(&f);
	assert_string_equal(profile(&f, app, "profgen"), "0\n2\n10->20:1\n30->40:1\n");
	stop(&f);
}

/* More distinct branches than the table starts with; every count survives its growing. */
static void test_many(void **state)
{
	uint64_t e[32][3], total = 0;
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	for (uint64_t i = 0; i < 3000; i++) {
		for (uint64_t k = 0; k < 32; k++) {
			e[k][0] = BASE + hash_u64(i % 1500 * 32 + k) % SIZE;
			e[k][1] = BASE + hash_u64(i % 1500 * 32 + k + 7777777) % SIZE;
			e[k][2] = 0;
		}
		stack(&f, 10, (const uint64_t(*)[3])e, 32, false);
	}
	finish(&f);
	assert_int_equal(convert_nr_objects(f.c), 1);
	total = convert_object(f.c, 0)->within;
	assert_int_equal(total, 3000 * 32);
	assert_true(convert_object(f.c, 0)->edges >= 1500 * 31);
	assert_true(convert_object(f.c, 0)->edges <= 1500 * 32);
	stop(&f);
}

/* A recording that asks for @jobs threads: all that is asked of it here. */
static struct session *several(struct session_opts *o, unsigned jobs)
{
	static struct build file;
	struct session *s;
	struct err e;

	start_file(&file, host_is_big_endian(), 64);
	end_file(&file);
	*o = (struct session_opts){ .jobs = jobs, .no_symbols = true };
	if (open_session(&s, o, &file, &e))
		fail_msg("%s", e.text);
	return s;
}

/* Branches to the same places from two other objects, whose own ends are none of this one's. */
static char *branches_of_two(unsigned jobs)
{
	static const char *const from[] = { "/no/such/one", "/no/such/other" };
	const uint64_t nr = 20000;
	struct session_opts o;
	struct session *s = several(&o, jobs);
	struct fixture f;
	char *text;

	start(&f);
	convert_symfs(f.c, s);
	map(&f, 10, BASE, 0, app);
	for (uint64_t k = 0; k < 2; k++) {
		map(&f, 10, BASE + (k + 1) * SIZE, 0, from[k]);
		for (uint64_t i = 0; i < nr; i++) {
			const uint64_t e[1][3] = { { BASE + (k + 1) * SIZE + i,
						     BASE + i * 7919 % nr * 2, i % 3 == 0 } };

			stack(&f, 10, e, 1, false);
		}
	}
	finish(&f);
	text = strdup(profile(&f, app, "preagg"));
	assert_non_null(text);
	stop(&f);
	session_close(s);
	return text;
}

/* Sorted in parts by several threads: what several of them have is one line. */
static void test_edges_in_parts(void **state)
{
	char *one = branches_of_two(1), *several = branches_of_two(5);
	size_t lines = 0;

	(void)state;
	for (const char *p = one; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 20000);
	assert_int_equal(strncmp(one, "B X:0 400000 2 2\n", 17), 0);
	assert_string_equal(several, one);
	free(one);
	free(several);
}

static void test_samples_without_stacks(void **state)
{
	struct sample s = { .present = PERF_SAMPLE_IP, .cpumode = PERF_RECORD_MISC_USER };
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	for (uint64_t i = 0; i < 10; i++) {
		s.ip = BASE + (i % 3) * 4;
		assert_int_equal(convert_sample(f.c, machine_thread(f.m, 10, 10), &s), 0);
	}
	s.ip = 0x1000;
	assert_int_equal(convert_sample(f.c, machine_thread(f.m, 10, 10), &s), 0);
	finish(&f);
	assert_string_equal(profile(&f, app, "autofdo"), "0\n3\n0:4\n4:3\n8:3\n0\n");
	assert_int_equal(convert_stats(f.c)->ips_outside, 1);
	stop(&f);
}

/* The LBR's call stacks are calls that have not returned: what is between two of them did not run. */
static void test_call_stacks(void **state)
{
	static const struct perfdata_event event = {
		.attr = { .branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK },
	};
	unsigned char bytes[2 * BRANCH_ENTRY_SIZE] = { 0 };
	struct sample s = { .present = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK,
			    .event = &event,
			    .ip = BASE + 8,
			    .cpumode = PERF_RECORD_MISC_USER };
	struct fixture f;

	(void)state;
	start(&f);
	map(&f, 10, BASE, 0, app);
	for (int i = 0; i < 4; i++)
		store_u64(bytes + i / 2 * BRANCH_ENTRY_SIZE + i % 2 * 8, BASE + (uint64_t)i * 16);
	s.branches = (struct sample_branches){ .nr = 2, .entries = bytes };
	assert_int_equal(convert_sample(f.c, machine_thread(f.m, 10, 10), &s), 0);
	finish(&f);
	assert_string_equal(profile(&f, app, "autofdo"), "0\n1\n8:1\n0\n");
	assert_int_equal(convert_stats(f.c)->with_branches, 0);
	stop(&f);
}

static void test_unusable_files(void **state)
{
	const uint64_t e[][3] = { { BASE + 0x10, BASE + 0x40, 0 } };
	static const char *const paths[] = { "/nowhere/app", "/dev/zero", "/etc/passwd", "/" };
	struct fixture f;
	struct err err;

	(void)state;
	start(&f);
	for (uint32_t i = 0; i < ARRAY_SIZE(paths); i++) {
		map(&f, 10 + i, BASE, 0, paths[i]);
		stack(&f, (int32_t)(10 + i), e, 1, false);
	}
	finish(&f);
	for (size_t i = 0; i < convert_nr_objects(f.c); i++) {
		assert_true(convert_load(f.c, i, NULL, &err) < 0);
		assert_non_null(convert_object(f.c, i)->problem);
		assert_int_equal(convert_write(f.c, i, convert_format_find("fdata"), NULL, &err),
				 -EINVAL);
	}
	assert_int_equal(convert_load(f.c, 0, app, &err), 0); /* another path in its place */
	stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_merge),
		cmocka_unit_test(test_maps_change),
		cmocka_unit_test(test_exec_and_exit),
		cmocka_unit_test(test_between_objects),
		cmocka_unit_test(test_kernel_entries),
		cmocka_unit_test(test_long_stack),
		cmocka_unit_test(test_backward_range),
		cmocka_unit_test(test_long_range),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_edges_in_parts),
		cmocka_unit_test(test_samples_without_stacks),
		cmocka_unit_test(test_call_stacks),
		cmocka_unit_test(test_unusable_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("convert", tests, make_files, remove_files);
}
