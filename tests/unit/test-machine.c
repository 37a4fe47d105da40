// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks and maps over time. Records are made by hand; a table says what must be found then. */
#include "perfdata-build.h"

#include "machine/machine.h"

#define KERNEL PERF_RECORD_MISC_KERNEL
#define USER   PERF_RECORD_MISC_USER

/* PERF_RECORD_KSYMBOL_TYPE_BPF, ..._FLAGS_UNREGISTER */
enum { KSYMBOL_BPF = 1, KSYMBOL_UNREGISTER = 1 };

static struct machine *m;

static int setup(void **state)
{
	(void)state;
	return machine_new(&m, "x86_64", NULL);
}

static int teardown(void **state)
{
	(void)state;
	machine_free(m);
	return 0;
}

static struct build f;

/* What was put since begin(), as a record of this type. */
static void feed(uint32_t type, uint16_t misc)
{
	struct perfdata_event ev = { 0 };
	struct record rec;
	struct err e = { 0 };

	set(&f, 0, type, 4);
	set(&f, 4, misc, 2);
	end_record(&f, 0);
	rec = built_record(&f, 0, &ev);
	if (machine_record(m, &rec, &e))
		fail_msg("type %u: %s", type, e.text);
}

static void begin(void)
{
	start_records(&f, host_is_big_endian());
	begin_record(&f, 0, 0);
}

static void mmap2(int pid, uint64_t start, uint64_t len, uint64_t pgoff, uint32_t prot,
		  const char *name)
{
	begin();
	P32(&f, (uint32_t)pid);
	P32(&f, (uint32_t)pid);
	P64(&f, start);
	P64(&f, len);
	P64(&f, pgoff);
	P64(&f, 0);
	P64(&f, 7);
	P64(&f, 0);
	P32(&f, prot);
	P32(&f, 2);
	put_string(&f, name);
	feed(PERF_RECORD_MMAP2, USER);
}

static void mmap1(int pid, uint64_t start, uint64_t len, uint64_t pgoff, uint16_t misc,
		  const char *name)
{
	begin();
	P32(&f, (uint32_t)pid);
	P32(&f, 0);
	P64(&f, start);
	P64(&f, len);
	P64(&f, pgoff);
	put_string(&f, name);
	feed(PERF_RECORD_MMAP, misc);
}

static void comm(int pid, int tid, const char *name, bool exec)
{
	begin();
	P32(&f, (uint32_t)pid);
	P32(&f, (uint32_t)tid);
	put_string(&f, name);
	feed(PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
}

static void task(uint32_t type, int pid, int ppid, int tid, int ptid, uint16_t misc)
{
	begin();
	P32(&f, (uint32_t)pid);
	P32(&f, (uint32_t)ppid);
	P32(&f, (uint32_t)tid);
	P32(&f, (uint32_t)ptid);
	P64(&f, 0);
	feed(type, misc);
}

static void ksymbol(uint64_t addr, uint32_t len, bool unregister, const char *name)
{
	begin();
	P64(&f, addr);
	P32(&f, len);
	P16(&f, KSYMBOL_BPF);
	P16(&f, unregister ? KSYMBOL_UNREGISTER : 0);
	put_string(&f, name);
	feed(PERF_RECORD_KSYMBOL, 0);
}

/* A map whose record has a build id: @id, and zeros. */
static void mmap_id(int pid, uint64_t start, uint32_t id, const char *name)
{
	begin();
	put_mapping(&f, (uint32_t)pid, (uint32_t)pid, start, 0x1000, 0);
	put(&f, (const unsigned char[4]){ 20 }, 4);
	P32(&f, id);
	put_zero(&f, 16);
	P32(&f, 5);
	P32(&f, 2);
	put_string(&f, name);
	feed(PERF_RECORD_MMAP2, USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
}

static struct dso *dso_at(int pid, uint8_t mode, uint64_t ip)
{
	struct map_hit hit;

	assert_true(machine_find_map(m, machine_thread(m, pid, pid), mode, ip, &hit));
	return hit.map->dso;
}

static void build_id(uint16_t mode, uint32_t id, const char *path)
{
	begin();
	P32(&f, UINT32_MAX);
	P32(&f, id);
	put_zero(&f, 20);
	put_string(&f, path);
	feed(PERF_RECORD_HEADER_BUILD_ID, mode);
}

/* "name+0xaddr" of where @ip is, "-" when nowhere. */
static const char *where(int pid, uint8_t mode, uint64_t ip)
{
	static char buf[256];
	struct map_hit hit;

	if (!machine_find_map(m, machine_thread(m, pid, pid), mode, ip, &hit))
		return "-";
	snprintf(buf, sizeof(buf), "%s+0x%llx", hit.map->dso->name, (unsigned long long)hit.addr);
	return buf;
}

static const char *comm_of(int pid, int tid)
{
	return machine_comm(m, machine_thread(m, pid, tid)->comm);
}

/* ---- tests -------------------------------------------------------------------------------------- */

static void test_names_over_time(void **state)
{
	uint32_t first;

	(void)state;
	assert_string_equal(comm_of(0, 0), "swapper");
	assert_string_equal(comm_of(77, 77), ":77");
	comm(10, 10, "sh", false);
	first = machine_thread(m, 10, 10)->comm;
	task(PERF_RECORD_FORK, 11, 10, 11, 10, 0);
	assert_string_equal(comm_of(11, 11), "sh");
	assert_int_equal(machine_thread(m, 11, 11)->ppid, 10);
	comm(11, 11, "ls", true);
	assert_string_equal(comm_of(11, 11), "ls");
	assert_true(machine_thread(m, 11, 11)->comm_exec);
	assert_int_equal(machine_thread(m, 10, 10)->comm, first);
	/* A thread may rename itself alone. */
	task(PERF_RECORD_FORK, 10, 10, 12, 10, 0);
	comm(10, 12, "worker", false);
	assert_string_equal(comm_of(10, 12), "worker");
	assert_string_equal(comm_of(10, 10), "sh");
}

static void test_fork_copies_on_write(void **state)
{
	(void)state;
	comm(10, 10, "a", false);
	mmap2(10, 0x1000, 0x1000, 0, 5, "/a");
	task(PERF_RECORD_FORK, 11, 10, 11, 10, 0);
	assert_string_equal(where(11, USER, 0x1010), "/a+0x10");
	mmap2(11, 0x1000, 0x1000, 0x3000, 5, "/b");
	mmap2(10, 0x8000, 0x1000, 0, 5, "/c");
	assert_string_equal(where(11, USER, 0x1010), "/b+0x3010");
	assert_string_equal(where(10, USER, 0x1010), "/a+0x10");
	assert_string_equal(where(10, USER, 0x8000), "/c+0x0");
	assert_string_equal(where(11, USER, 0x8000), "-");
}

static void test_threads_share(void **state)
{
	(void)state;
	mmap2(10, 0x1000, 0x1000, 0, 5, "/a");
	task(PERF_RECORD_FORK, 10, 10, 12, 10, 0);
	assert_int_equal(machine_thread(m, 10, 12)->space, machine_thread(m, 10, 10)->space);
	mmap2(10, 0x2000, 0x1000, 0, 5, "/b");
	assert_string_equal(where(10, USER, 0x2000), "/b+0x0");
	/* A sample of a thread that no record announced. */
	assert_int_equal(machine_thread(m, 10, 13)->space, machine_thread(m, 10, 10)->space);
	/* Seen without its pid first. */
	assert_int_equal(machine_thread(m, -1, 14)->pid, 14);
	assert_int_equal(machine_thread(m, 10, 14)->space, machine_thread(m, 10, 10)->space);
}

static void test_exec_and_synthesised_fork(void **state)
{
	uint32_t before;

	(void)state;
	mmap2(10, 0x1000, 0x1000, 0, 5, "/a");
	before = machine_thread(m, 10, 10)->space;
	comm(10, 10, "new", true);
	assert_int_not_equal(machine_thread(m, 10, 10)->space, before);
	/* Nothing there, neither in the old program nor in the new one: that is no answer for what lies beside. */
	assert_string_equal(where(10, USER, 0x9000), "-");
	assert_string_equal(where(10, USER, 0x90000), "-");
	/* While exec is under way the registers are the old program's. */
	assert_string_equal(where(10, USER, 0x1000), "/a+0x0");
	mmap2(10, 0x1000, 0x1000, 0x5000, 5, "/new");
	assert_string_equal(where(10, USER, 0x1000), "/new+0x5000");
	comm(10, 10, "third", true);
	comm(10, 10, "fourth", true);
	assert_string_equal(where(10, USER, 0x1000), "-");
	task(PERF_RECORD_FORK, 20, 10, 20, 10, PERF_RECORD_MISC_FORK_EXEC);
	assert_string_equal(where(20, USER, 0x1000), "-");
}

static void test_exit_and_reuse(void **state)
{
	struct thread *old;

	(void)state;
	comm(10, 10, "old", false);
	mmap2(10, 0x1000, 0x1000, 0, 5, "/a");
	old = machine_thread(m, 10, 10);
	task(PERF_RECORD_EXIT, 10, 1, 10, 1, 0);
	assert_true(old->exited);
	/* Late samples of it are still its own. */
	assert_string_equal(where(10, USER, 0x1000), "/a+0x0");
	task(PERF_RECORD_FORK, 10, 1, 10, 1, 0);
	assert_ptr_not_equal(machine_thread(m, 10, 10), old);
	assert_string_equal(comm_of(10, 10), ":10");
	assert_string_equal(where(10, USER, 0x1000), "-");
}

static void test_overlaps(void **state)
{
	static const struct {
		uint64_t start, len;
		const char *want; /* at 0x1000, 0x2000 ... 0x5000 */
	} cases[] = {
		{ 0x1000, 0x5000, "nnnnn" },	 /* over all of it */
		{ 0x0000, 0x2000, "noooo" },	 /* the beginning */
		{ 0x5000, 0x4000, "oooon" },	 /* the end */
		{ 0x2000, 0x2000, "onnoo" },	 /* the middle */
		{ 0x6000, 0x1000, "ooooo" },	 /* beside */
		{ 0x3000, 0, "ooooo" },		 /* nothing */
		{ 0x4000, UINT64_MAX, "ooonn" }, /* past the end of everything */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int pid = 100 + (int)i;
		char got[6] = "";

		mmap2(pid, 0x1000, 0x5000, 0x10000, 5, "/old");
		mmap2(pid, cases[i].start, cases[i].len, 0, 5, "/new");
		for (uint64_t at = 0; at < 5; at++) {
			const char *w = where(pid, USER, 0x1000 + at * 0x1000);

			got[at] = w[1];
			if (w[1] != 'o')
				continue;
			/* What is left keeps its place in the file. */
			assert_int_equal(strtoull(strchr(w, '+') + 1, NULL, 16),
					 0x10000 + at * 0x1000);
		}
		assert_string_equal(got, cases[i].want);
	}
}

static void test_many_maps(void **state)
{
	(void)state;
	/* Downwards, as mmap gives them out; every second one is replaced. */
	for (uint64_t i = 2000; i; i--)
		mmap2(9, i * 0x2000, 0x2000, 0, 5, "/a");
	for (uint64_t i = 1; i <= 2000; i += 2)
		mmap2(9, i * 0x2000 + 0x1000, 0x1000, 0, 5, "/b");
	for (uint64_t i = 1; i <= 2000; i++) {
		assert_string_equal(where(9, USER, i * 0x2000 + 0x10), "/a+0x10");
		assert_string_equal(where(9, USER, i * 0x2000 + 0x1010),
				    i % 2 ? "/b+0x10" : "/a+0x1010");
	}
}

/* Maps and forks at random, page by page against a table of what must be there. */
#define PAGES	  600
#define PROCESSES 12

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void check_page(int round, size_t process, size_t page, const unsigned char *want)
{
	const char *w = where(100 + (int)process, USER, (page + 1) << 12);
	unsigned char id = want[page];

	if (id ? w[1] != '0' + id : w[0] != '-')
		fail_msg("round %d, process %zu, page %zu: %s for %d", round, process, page, w, id);
	if (id)
		assert_int_equal(strtoull(strchr(w, '+') + 1, NULL, 16), (page + 1) << 12);
}

static void test_maps_at_random(void **state)
{
	static unsigned char want[PROCESSES][PAGES]; /* 0 = nothing */
	uint32_t seed = 1;

	(void)state;
	memset(want, 0, sizeof(want));
	for (int round = 0; round < 12000; round++) {
		size_t p = next_random(&seed) % PROCESSES, q = next_random(&seed) % PROCESSES;
		size_t at = next_random(&seed) % PAGES, n = 1;
		unsigned char id = (unsigned char)(next_random(&seed) % 9 + 1);

		if (!(round % 50) && p != q) {
			task(PERF_RECORD_FORK, 100 + (int)p, 100 + (int)q, 100 + (int)p,
			     100 + (int)q, 0);
			memcpy(want[p], want[q], PAGES);
		} else {
			if (!(next_random(&seed) % 16))
				n += next_random(&seed) % (round % 3 ? 8 : PAGES / 2);
			n = min_u64(n, PAGES - at);
			mmap2(100 + (int)p, (at + 1) << 12, n << 12, (at + 1) << 12, 5,
			      (char[]){ '/', (char)('0' + id), 0 });
			memset(want[p] + at, id, n);
		}
		/* Here and there, so that what was found or not found last is of no use, or should not be. */
		for (int i = 0; i < 4; i++) {
			p = i % 2 ? p : next_random(&seed) % PROCESSES;
			check_page(round, p, next_random(&seed) % PAGES, want[p]);
		}
		for (size_t i = round % 100 ? PAGES * PROCESSES : 0; i < PAGES * PROCESSES; i++)
			check_page(round, i / PAGES, i % PAGES, want[i / PAGES]);
	}
}

static void test_maps_ascend(void **state)
{
	const struct map *map;
	uint32_t space;
	size_t n = 0;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		mmap2(9, (i * 7919 % 5000 + 1) * 0x2000, 0x1000, 0, 5, "/a");
	space = machine_thread(m, 9, 9)->space;
	for (; (map = machine_map_at(m, space, n)); n++)
		assert_int_equal(map->start, (n + 1) * 0x2000);
	assert_int_equal(n, 5000);
}

static void test_generations(void **state)
{
	uint32_t space = machine_thread(m, 10, 10)->space, gen, other;

	(void)state;
	gen = machine_generation(m, space);
	other = machine_generation(m, machine_thread(m, 11, 11)->space);
	mmap2(10, 0x1000, 0x1000, 0, 5, "/a");
	assert_true(machine_generation(m, space) > gen);
	assert_int_equal(machine_generation(m, machine_thread(m, 11, 11)->space), other);
	gen = machine_generation(m, space);
	mmap2(10, 0x1000, 0x1000, 0, 5, "/a"); /* the same again changes nothing */
	assert_int_equal(machine_generation(m, space), gen);
	mmap1(-1, 0xffffffff81000000, 0x1000, 0xffffffff81000000, KERNEL, "[kernel.kallsyms]_text");
	assert_true(machine_generation(m, space) > gen);
}

static void test_kernel(void **state)
{
	uint64_t ref;

	(void)state;
	mmap1(-1, 0xffffffff81000000, 0x1000000, 0xffffffff81000040, KERNEL,
	      "[kernel.kallsyms]_stext");
	mmap1(-1, 0xffffffffc0000000, 0x2000, 0, KERNEL, "/lib/modules/6/kernel/nf-nat.ko.xz");
	mmap1(-1, 0xffffffffc0004000, 0x1000, 0, KERNEL, "[nf_conntrack]");
	assert_string_equal(where(5, KERNEL, 0xffffffff81000100),
			    "[kernel.kallsyms]+0xffffffff81000100");
	assert_string_equal(where(5, KERNEL, 0xffffffffc0000010), "[nf_nat]+0xffffffffc0000010");
	assert_string_equal(where(5, KERNEL, 0xffffffffc0004fff),
			    "[nf_conntrack]+0xffffffffc0004fff");
	assert_string_equal(where(5, KERNEL, 0xffffffffc0005000), "-");
	assert_string_equal(where(5, USER, 0xffffffff81000100), "-");
	/* Nobody said: user, then kernel. */
	assert_string_equal(where(5, 0, 0xffffffffc0004fff), "[nf_conntrack]+0xffffffffc0004fff");
	assert_string_equal(machine_kernel_ref(m, false, &ref), "_stext");
	assert_true(ref == 0xffffffff81000040);
	assert_null(machine_kernel_ref(m, true, &ref));
}

static void test_kernel_map_that_covers_modules(void **state)
{
	(void)state;
	/* A map of all kernel addresses leaves modules alone, whichever comes first. */
	mmap1(-1, 0xffffffffc0000000, 0x2000, 0, KERNEL, "[one]");
	mmap1(-1, 0xffffffff81000000, 0x7effffff, 0xffffffff81000000, KERNEL,
	      "[kernel.kallsyms]_text");
	mmap1(-1, 0xffffffffc0004000, 0x2000, 0, KERNEL, "[two]");
	assert_memory_equal(where(1, KERNEL, 0xffffffffc0000000), "[one]", 5);
	assert_memory_equal(where(1, KERNEL, 0xffffffffc0003000), "[kernel", 7);
	assert_memory_equal(where(1, KERNEL, 0xffffffffc0004000), "[two]", 5);
	assert_memory_equal(where(1, KERNEL, 0xffffffffc0006000), "[kernel", 7);
}

static void test_hidden_kernel(void **state)
{
	(void)state;
	mmap1(-1, 0, 0, 0, KERNEL, "[kernel.kallsyms]_text");
	assert_string_equal(where(1, KERNEL, 0xffffffff81000010),
			    "[kernel.kallsyms]+0xffffffff81000010");
}

static void test_ksymbol(void **state)
{
	(void)state;
	ksymbol(0xffffffffc0100000, 0x100, false, "bpf_prog_6deef7357e7b4530_x");
	assert_string_equal(where(1, KERNEL, 0xffffffffc0100010),
			    "bpf_prog_6deef7357e7b4530_x+0xffffffffc0100010");
	ksymbol(0xffffffffc0100000, 0x100, true, "bpf_prog_6deef7357e7b4530_x");
	assert_string_equal(where(1, KERNEL, 0xffffffffc0100010), "-");
}

static void test_special_names(void **state)
{
	static const struct {
		const char *file, *name, *short_name;
		uint32_t prot;
		enum dso_kind kind;
	} cases[] = {
		{ "/usr/lib/libc.so.6", "/usr/lib/libc.so.6", "libc.so.6", 5, DSO_USER },
		{ "//anon", "/tmp/perf-10.map", "[JIT] tid 10", 7, DSO_ANON },
		{ "//anon", "//anon", "anon", 3, DSO_USER },
		{ "[heap]", "/tmp/perf-10.map", "[JIT] tid 10", 7, DSO_ANON },
		{ "/memfd:x (deleted)", "/memfd:x (deleted)", "memfd:x (deleted)", 5, DSO_USER },
		{ "/memfd:doublemapper (deleted)", "/tmp/perf-10.map", "[JIT] tid 10", 5,
		  DSO_ANON },
		{ "/dev/zero (deleted)", "/tmp/perf-10.map", "[JIT] tid 10", 5, DSO_ANON },
		{ "[vdso]", "[vdso]", "[vdso]", 5, DSO_VDSO },
		{ "[vsyscall]", "[vsyscall]", "[vsyscall]", 5, DSO_USER },
		{ "/", "/", "/", 5, DSO_USER },
	};
	struct map_hit hit;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		mmap2(10, 0x10000, 0x1000, 0, cases[i].prot, cases[i].file);
		assert_true(machine_find_map(m, machine_thread(m, 10, 10), USER, 0x10004, &hit));
		assert_string_equal(hit.map->dso->name, cases[i].name);
		assert_string_equal(hit.map->dso->short_name, cases[i].short_name);
		assert_string_equal(hit.map->dso->path, cases[i].file);
		assert_int_equal(hit.map->dso->kind, cases[i].kind);
		assert_int_equal(hit.addr,
				 cases[i].kind == DSO_ANON || !strcmp(cases[i].file, "//anon")
					 ? 0x10004
					 : 4);
	}
}

static void test_one_dso_for_one_file(void **state)
{
	size_t n;

	(void)state;
	mmap2(10, 0x1000, 0x1000, 0, 5, "/a");
	n = machine_nr_dsos(m);
	mmap2(11, 0x9000, 0x1000, 0x4000, 5, "/a");
	mmap2(12, 0x9000, 0x1000, 0x4000, 1, "/a");
	assert_int_equal(machine_nr_dsos(m), n);
}

/* A file that was replaced while it was recorded is two objects; without an id it is the first. */
static void test_one_dso_for_one_build_id(void **state)
{
	struct dso *a, *b;

	(void)state;
	mmap2(9, 0x1000, 0x1000, 0, 5, "/a");
	a = dso_at(9, USER, 0x1000);
	mmap_id(10, 0x1000, 1, "/a");
	assert_ptr_equal(dso_at(10, USER, 0x1000), a);
	assert_int_equal(a->build_id_size, 20);
	mmap_id(11, 0x1000, 2, "/a");
	b = dso_at(11, USER, 0x1000);
	assert_ptr_not_equal(b, a);
	mmap_id(12, 0x1000, 1, "/a");
	mmap_id(12, 0x2000, 2, "/a");
	mmap2(12, 0x3000, 0x1000, 0, 5, "/a");
	assert_ptr_equal(dso_at(12, USER, 0x1000), a);
	assert_ptr_equal(dso_at(12, USER, 0x2000), b);
	assert_ptr_equal(dso_at(12, USER, 0x3000), a);
	assert_ptr_equal(machine_dso_like(m, b), b);
}

static uint32_t id_of(const struct dso *d)
{
	return d->build_id_size ? load_u32(d->build_id, false) : 0;
}

/* Build ids of a stream come behind the maps of their objects. */
static void test_late_build_ids(void **state)
{
	static const char module[] = "/lib/modules/6/kernel/nf-nat.ko.xz", vmlinux[] = "/vmlinux-6";

	(void)state;
	mmap2(10, 0x1000, 0x1000, 0, 5, "/a");
	mmap_id(10, 0x2000, 2, "/b");
	mmap2(0, 0x1000, 0x1000, 0, 5, "//anon");
	mmap1(-1, 0xffffffff81000000, 0x1000, 0, KERNEL, "[kernel.kallsyms]_text");
	mmap1(-1, 0xffffffffc0000000, 0x1000, 0, KERNEL, module);
	build_id(USER, 1, "/a");
	build_id(USER, 9, "/a");
	build_id(USER, 9, "/b");
	build_id(USER, 9, "//anon");
	build_id(KERNEL, 3, module);
	build_id(KERNEL, 4, vmlinux);
	build_id(USER, 5, "/c");
	mmap2(10, 0x3000, 0x1000, 0, 5, "/c");
	assert_int_equal(id_of(dso_at(10, USER, 0x1000)), 1);
	assert_int_equal(id_of(dso_at(10, USER, 0x2000)), 2);
	assert_int_equal(id_of(dso_at(10, USER, 0x3000)), 5);
	assert_int_equal(id_of(dso_at(0, USER, 0x1000)), 0);
	assert_int_equal(id_of(dso_at(0, KERNEL, 0xffffffffc0000000)), 3);
	assert_string_equal(dso_at(0, KERNEL, 0xffffffffc0000000)->name, module);
	assert_int_equal(id_of(dso_at(0, KERNEL, 0xffffffff81000000)), 4);
	assert_string_equal(dso_at(0, KERNEL, 0xffffffff81000000)->name, vmlinux);
}

/* The kernel has none of them: that is as soon known as of a few. */
static void test_many_build_ids(void **state)
{
	char path[32];

	(void)state;
	for (uint32_t i = 1; i <= 50000; i++) {
		snprintf(path, sizeof(path), "/lib/modules/%u.ko", i);
		build_id(KERNEL, i, path);
		mmap1(-1, 0xffffffff81000000, 0x1000, 0, KERNEL, "[kernel.kallsyms]_text");
	}
	assert_int_equal(id_of(dso_at(0, KERNEL, 0xffffffff81000000)), 0);
}

/* Objects of one name: as fast as of many. */
static void test_dsos_of_one_name(void **state)
{
	size_t n = machine_nr_dsos(m);
	struct dso *d;

	(void)state;
	for (uint32_t i = 1; i <= 100000; i++) {
		mmap_id(10, 0x1000, i, "/a");
		ksymbol(0xffffffffc0100000, i, false, "bpf_prog_6deef7357e7b4530_x");
	}
	assert_int_equal(machine_nr_dsos(m), n + 200000);
	d = dso_at(10, USER, 0x1000);
	assert_int_equal(id_of(d), 100000);
	mmap_id(10, 0x1000, 50000, "/a");
	ksymbol(0xffffffffc0100000, 50000, false, "bpf_prog_6deef7357e7b4530_x");
	assert_int_equal(machine_nr_dsos(m), n + 200000);
}

/* A 64-bit kernel has another [vdso] for 32-bit processes. */
static void test_vdsos_of_two_widths(void **state)
{
	struct map_hit high, low, again;

	(void)state;
	mmap2(10, 0x7ffd00000000, 0x1000, 0, 5, "[vdso]");
	mmap2(11, 0xf7f00000, 0x1000, 0, 5, "[vdso]");
	mmap2(12, 0xf7e00000, 0x1000, 0, 5, "[vdso]");
	assert_true(machine_find_map(m, machine_thread(m, 10, 10), USER, 0x7ffd00000000, &high));
	assert_true(machine_find_map(m, machine_thread(m, 11, 11), USER, 0xf7f00000, &low));
	assert_true(machine_find_map(m, machine_thread(m, 12, 12), USER, 0xf7e00000, &again));
	assert_ptr_not_equal(high.map->dso, low.map->dso);
	assert_ptr_equal(low.map->dso, again.map->dso);
	assert_ptr_equal(machine_dso_like(m, low.map->dso), low.map->dso);
}

static void test_malformed_is_an_error(void **state)
{
	struct perfdata_event ev = { 0 };
	struct err e = { 0 };
	struct record rec;

	(void)state;
	start_records(&f, host_is_big_endian());
	begin_record(&f, PERF_RECORD_MMAP2, 0);
	put_zero(&f, 12); /* too short */
	end_record(&f, 0);
	rec = built_record(&f, 0, &ev);
	assert_true(machine_record(m, &rec, &e) < 0);
	assert_true(e.text[0]);
	rec.type = 9999; /* unknown types are not ours to judge */
	assert_int_equal(machine_record(m, &rec, &e), 0);
}

static void test_many_processes(void **state)
{
	(void)state;
	comm(1, 1, "init", false);
	for (int pid = 1000; pid < 1000 + 20000; pid++) {
		task(PERF_RECORD_FORK, pid, 1, pid, 1, 0);
		comm(pid, pid, "child", true);
		mmap2(pid, 0x1000, 0x1000, 0, 5, "/child");
		task(PERF_RECORD_EXIT, pid, 1, pid, 1, 0);
	}
	/* The newest are kept for late samples, the oldest are forgotten. */
	assert_string_equal(where(20999, USER, 0x1000), "/child+0x0");
	assert_string_equal(where(1000, USER, 0x1000), "-");
	assert_string_equal(comm_of(1000, 1000), "child");
}

static void cgroup(uint64_t id, const char *path)
{
	begin();
	P64(&f, id);
	put_string(&f, path);
	feed(PERF_RECORD_CGROUP, 0);
}

/* One id that is used again all the time: found as fast as one that is not. */
static void test_cgroups(void **state)
{
	char path[32];

	(void)state;
	cgroup(1, "/one");
	for (int i = 0; i < 200000; i++) {
		snprintf(path, sizeof(path), "/%d", i / 2);
		cgroup(7, path);
	}
	cgroup(2, "/two");
	assert_string_equal(machine_cgroup(m, 1), "/one");
	assert_string_equal(machine_cgroup(m, 2), "/two");
	assert_string_equal(machine_cgroup(m, 7), "/99999");
	assert_null(machine_cgroup(m, 3));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_names_over_time),
		T(test_fork_copies_on_write),
		T(test_threads_share),
		T(test_exec_and_synthesised_fork),
		T(test_exit_and_reuse),
		T(test_overlaps),
		T(test_many_maps),
		T(test_maps_at_random),
		T(test_maps_ascend),
		T(test_generations),
		T(test_kernel),
		T(test_kernel_map_that_covers_modules),
		T(test_hidden_kernel),
		T(test_ksymbol),
		T(test_special_names),
		T(test_one_dso_for_one_file),
		T(test_vdsos_of_two_widths),
		T(test_one_dso_for_one_build_id),
		T(test_late_build_ids),
		T(test_many_build_ids),
		T(test_dsos_of_one_name),
		T(test_malformed_is_an_error),
		T(test_many_processes),
		T(test_cgroups),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
