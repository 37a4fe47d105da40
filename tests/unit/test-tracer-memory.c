// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a walk reads of a program is what the program has then: whatever was kept of the walk before, and whatever the
 * program, or another one, did in between.
 */
#include "unit.h"

#if defined(__linux__)
#include <sched.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/vm-int.h"

#define PAGES 24

static unsigned char *memory;
static volatile int may_go;

static struct vm *new_vm(void)
{
	struct vm *vm;

	if (vm_new(&vm, VM_HOST))
		fail();
	vm->epoch = 1;
	return vm;
}

static void map(int flags)
{
	memory = mmap(NULL, PAGES * VM_PAGE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	for (unsigned i = 0; i < PAGES; i++)
		memset(memory + i * VM_PAGE, (int)i + 1, VM_PAGE);
}

static void unmap(void)
{
	munmap(memory, PAGES * VM_PAGE);
}

static enum vm_result read_byte(struct vm *vm, const unsigned char *at, unsigned *v)
{
	uint64_t all = 0;
	enum vm_result r = vm_load(vm, (uint64_t)(uintptr_t)at, 1, &all);

	*v = (unsigned)all;
	return r;
}

static void expect(struct vm *vm, const unsigned char *at, unsigned want)
{
	unsigned v;

	assert_int_equal(read_byte(vm, at, &v), VM_OK);
	assert_int_equal(v, want);
}

static void expect_none(struct vm *vm, const unsigned char *at)
{
	unsigned v;

	assert_int_equal(read_byte(vm, at, &v), VM_NOMEM);
}

static int sleep_on(void *unused)
{
	char *argv[] = { (char *)"sleep", (char *)"60", NULL };

	(void)unused;
	while (!may_go)
		usleep(1000);
	execvp(argv[0], argv);
	_exit(1);
}

static bool has_executed(pid_t pid)
{
	char path[64], name[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	return !strcmp(name, "sleep\n");
}

/*
 * A child that shares our memory, as one of vfork() does, and executes another program: a descriptor of before still shows
 * ours, where that program has nothing.
 */
static void test_exec(void **state)
{
	static unsigned char stack[65536] __attribute__((aligned(16)));
	struct vm *vm = new_vm();
	int status, fd;
	pid_t pid;

	(void)state;
	map(MAP_PRIVATE);
	may_go = 0;
	pid = clone(sleep_on, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	assert_true(pid > 0);
	vm_begin_bare(vm, pid);
	for (unsigned i = 0; i < PAGES; i++)
		expect(vm, memory + i * VM_PAGE, i + 1);
	fd = vm->mem_fd;
	assert_true(fd >= 0);
	vm_begin_bare(vm, pid); /* nothing has happened: it is kept */
	assert_int_equal(vm->mem_fd, fd);
	expect(vm, memory + 5 * VM_PAGE, 6);

	may_go = 1;
	for (int i = 0; i < 5000 && !has_executed(pid); i++)
		usleep(1000);
	assert_true(has_executed(pid));
	vm->epoch++;
	vm_begin_bare(vm, pid);
	for (unsigned i = 0; i < PAGES; i++)
		expect_none(vm, memory + i * VM_PAGE);

	/* another thread: not this one's memory */
	vm_begin_bare(vm, getpid());
	expect(vm, memory + 7 * VM_PAGE, 8);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	unmap();
	vm_free(vm);
}

/* A program that went on between two walks. */
static void test_changed(void **state)
{
	struct vm *vm = new_vm();

	(void)state;
	map(MAP_PRIVATE);
	for (unsigned round = 0; round < 4; round++) {
		vm_begin_bare(vm, getpid());
		for (unsigned i = 0; i < PAGES; i++) {
			expect(vm, memory + i * VM_PAGE + 100, i + 1 + round);
			expect(vm, memory + i * VM_PAGE + 3000, i + 1 + round);
		}
		for (unsigned i = 0; i < PAGES; i++)
			memset(memory + i * VM_PAGE, (int)(i + 2 + round), VM_PAGE);
	}
	unmap();
	vm_free(vm);
}

static void test_unmapped(void **state)
{
	struct vm *vm = new_vm();

	(void)state;
	map(MAP_PRIVATE);
	for (unsigned round = 0; round < 2; round++) {
		vm_begin_bare(vm, getpid());
		for (unsigned i = 0; i < PAGES; i++)
			expect(vm, memory + i * VM_PAGE, i + 1);
	}
	munmap(memory + 3 * VM_PAGE, 2 * VM_PAGE);
	vm_begin_bare(vm, getpid());
	for (unsigned i = 0; i < PAGES; i++) {
		if (i == 3 || i == 4)
			expect_none(vm, memory + i * VM_PAGE);
		else
			expect(vm, memory + i * VM_PAGE, i + 1);
	}
	/* another mapping where that was */
	assert_true(mmap(memory + 3 * VM_PAGE, 2 * VM_PAGE, PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == memory + 3 * VM_PAGE);
	vm_begin_bare(vm, getpid());
	expect(vm, memory + 2 * VM_PAGE, 3);
	expect(vm, memory + 3 * VM_PAGE, 0);
	expect(vm, memory + 4 * VM_PAGE, 0);
	unmap();
	vm_free(vm);
}

/* Memory that another process writes, while this one, which is followed, does nothing. */
static void test_shared(void **state)
{
	struct vm *vm = new_vm();
	int status;
	pid_t pid;

	(void)state;
	map(MAP_SHARED);
	vm_begin_bare(vm, getpid());
	for (unsigned i = 0; i < PAGES; i++)
		expect(vm, memory + i * VM_PAGE, i + 1);
	pid = fork();
	if (!pid) {
		memset(memory, 0x77, PAGES * VM_PAGE);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	vm_begin_bare(vm, getpid());
	for (unsigned i = 0; i < PAGES; i++)
		expect(vm, memory + i * VM_PAGE, 0x77);
	unmap();
	vm_free(vm);
}

/* The rest of a page, behind a part in its midst that was read first. */
static void test_parts(void **state)
{
	struct vm *vm = new_vm();

	(void)state;
	map(MAP_PRIVATE);
	for (unsigned i = 0; i < VM_PAGE; i++)
		memory[i] = (unsigned char)(i / 100);
	vm_begin_bare(vm, getpid());
	expect(vm, memory + 2000, 20);
	for (unsigned i = 0; i < VM_PAGE; i++)
		expect(vm, memory + i, (i / 100) & 0xff);
	unmap();
	vm_free(vm);
}

/* What walks touch again is read beforehand, and hardly anything where each touches other pages. */
static void test_ahead(void **state)
{
	struct vm *vm = new_vm();

	(void)state;
	map(MAP_PRIVATE);
	for (unsigned round = 0; round < 8; round++) {
		vm_begin_bare(vm, getpid());
		for (unsigned i = 0; i < PAGES; i++)
			expect(vm, memory + i * VM_PAGE, i + 1);
	}
	vm_begin_bare(vm, getpid());
	assert_int_equal(vm->nr_pages, PAGES);
	for (unsigned round = 0; round < 12; round++) {
		vm_begin_bare(vm, getpid());
		assert_true(round < 8 || vm->nr_pages <= 6);
		for (unsigned i = round % 2; i < PAGES; i += 2)
			expect(vm, memory + i * VM_PAGE, i + 1);
	}
	unmap();
	vm_free(vm);
}

/* No descriptor is left for a file of memory: every page comes by a call of its own. */
static void test_no_files(void **state)
{
	struct rlimit few = { 0 }, before;
	struct vm *vm = new_vm();

	(void)state;
	map(MAP_PRIVATE);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (unsigned round = 0; round < 2; round++) {
		vm->epoch = round; /* known, and not */
		vm_begin_bare(vm, getpid());
		assert_true(vm->mem_fd < 0);
		for (unsigned i = 0; i < PAGES; i++)
			expect(vm, memory + i * VM_PAGE + 1000 * round, i + 1);
		expect_none(vm, (const unsigned char *)8);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	unmap();
	vm_free(vm);
}

static void expect_there(void *p, size_t size)
{
	uintptr_t begin = (uintptr_t)p & ~(uintptr_t)(VM_PAGE - 1);
	size_t n = ((uintptr_t)p + size - begin + VM_PAGE - 1) / VM_PAGE;
	unsigned char *there = malloc(n);

	assert_non_null(there);
	assert_int_equal(mincore((void *)begin, n * VM_PAGE, there), 0);
	for (size_t i = 0; i < n; i++)
		assert_true(there[i] & 1);
	free(there);
}

/* No thread stands still while memory for its first walk is made. */
static void test_touched(void **state)
{
	void *p = vm_big_new(VM_PAGE);
	unsigned char there;
	uint32_t n = 0;
	struct vm *vm;

	(void)state;
	assert_non_null(p);
	vm_big_touch(p, VM_PAGE, 1, 1, &n);
	assert_int_equal(n, 1);
	assert_int_equal(mincore(p, VM_PAGE, &there), 0);
	vm_big_touch(p, VM_PAGE, 1, 1, &n);
	assert_int_equal(n, 1);
	vm_big_free(p, VM_PAGE);
	if (!(there & 1))
		skip_because("the kernel makes no memory ahead (MADV_POPULATE_WRITE: Linux 5.14)");
	vm = new_vm();
	expect_there(vm->insns->insn, VM_TOUCHED);
	expect_there(vm->page, VM_TOUCHED);
	/* and while it goes on, as much once more */
	n = vm->insns->there;
	assert_true(n < VM_INSNS);
	vm_big_touch(vm->insns->insn, sizeof(vm->insns->insn[0]), VM_INSNS, n + 1,
		     &vm->insns->there);
	assert_true(vm->insns->there > n + 1);
	expect_there(vm->insns->insn, vm->insns->there * sizeof(vm->insns->insn[0]));
	vm_free(vm);
}

/* Between walks there is made what the next one may need: it then makes nothing. */
static void test_room(void **state)
{
	struct vm *vm = new_vm();

	(void)state;
	for (unsigned round = 0; round < 3; round++) {
		const void *slots;

		vm_room_ahead(vm);
		slots = vm->insns->at.slot;
		assert_true(vm->insns->there >= vm->insns->nr + VM_ROOM);
		assert_true(vm->pages_there > vm->nr_pages);
		for (uint32_t i = 0; i < VM_ROOM; i++)
			assert_int_equal(htab_add(&vm->insns->at, hash_u64(i), vm->insns->nr++), 0);
		assert_ptr_equal(vm->insns->at.slot, slots);
	}
	/* no more than there can be */
	vm->insns->nr = VM_INSNS - 1;
	for (unsigned round = 0; round < 2; round++) {
		vm_room_ahead(vm);
		assert_int_equal(vm->insns->there, VM_INSNS);
	}
	vm->insns->nr = 0;
	vm_free(vm);
}

/* Whether the page at @p is there: what is read of one that is not becomes a page of zeros. */
static bool is_there(unsigned char *p)
{
	unsigned char there;

	assert_int_equal(mincore(p, VM_PAGE, &there), 0);
	return there & 1;
}

/* What a walk has used is read again, and only that; a page that has gone meanwhile is no harm. */
static void test_warm(void **state)
{
	struct vm *vm = new_vm();

	(void)state;
	map(MAP_PRIVATE);
	vm_begin_bare(vm, getpid());
	for (unsigned i = 0; i < PAGES; i += 2)
		expect(vm, memory + i * VM_PAGE, i + 1);
	assert_int_equal(madvise(memory, PAGES * VM_PAGE, MADV_DONTNEED), 0);
	munmap(memory + 4 * VM_PAGE, VM_PAGE);
	vm_warm(vm);
	for (unsigned i = 0; i < PAGES; i++) {
		if (i != 4)
			assert_int_equal(is_there(memory + i * VM_PAGE), i % 2 == 0);
	}
	for (unsigned i = 0; i < PAGES; i += 2) /* what was computed stays as it was */
		expect(vm, memory + i * VM_PAGE, i + 1);
	unmap();
	vm_free(vm);
}

/* A second vm goes the way of a first: it has what that read, but not what that stored. */
static void test_like(void **state)
{
	struct vm *way = new_vm(), *twin = new_vm();

	(void)state;
	map(MAP_PRIVATE);
	vm_begin_bare(way, getpid());
	for (unsigned i = 0; i < PAGES; i++)
		expect(way, memory + i * VM_PAGE, i + 1);
	assert_int_equal(vm_store(way, (uint64_t)(uintptr_t)memory, 1, 77, true), VM_OK);
	twin->like = way;
	vm_begin_bare(twin, getpid());
	memory[1] = 78;
	memory[VM_PAGE] = 79;
	memory[VM_PAGE + VM_BLOCK] = 80;
	expect(twin, memory, 1);
	expect(twin, memory + 1, 78);
	expect(twin, memory + VM_PAGE, 2);
	expect(twin, memory + VM_PAGE + VM_BLOCK, 80);
	expect(twin, memory + 2 * VM_PAGE, 3);
	expect(way, memory, 77);
	unmap();
	vm_free(twin);
	vm_free(way);
}

/* The first page of the kernel's clocks, beside the vdso; 0: there is none here. */
static uint64_t clocks(void)
{
	uint64_t at = 0;
	char line[512];
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && !at && fgets(line, sizeof(line), f))
		if (strstr(line, "[vvar]"))
			at = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	return at;
}

/* Nobody may read these in another process, but they are the same in all. */
static void test_clocks(void **state)
{
	unsigned char *page = (unsigned char *)(uintptr_t)clocks();
	struct vm *vm = new_vm();
	pid_t pid;

	(void)state;
	if (!page || !getauxval(AT_SYSINFO_EHDR)) { /* valgrind hides the latter */
		vm_free(vm);
		skip_because("no page of clocks in this process, or no vdso");
	}
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	vm_begin_bare(vm, pid);
	expect_none(vm, page);
	assert_false(vm->guessed);
	vm->clock.known = true;
	for (unsigned epoch = 0; epoch < 3; epoch++) { /* looked up each time, and once */
		unsigned v;

		vm->epoch = epoch;
		vm_begin_bare(vm, pid);
		assert_int_equal(read_byte(vm, page, &v), VM_OK);
		assert_true(vm->guessed);
		assert_int_equal(vm->nr_pages, 1);
		assert_true(vm->page[0].clock);
		expect_none(vm, (const unsigned char *)8);
	}
	vm_warm(vm);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	vm_free(vm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec),	 cmocka_unit_test(test_changed),
		cmocka_unit_test(test_unmapped), cmocka_unit_test(test_shared),
		cmocka_unit_test(test_parts),	 cmocka_unit_test(test_ahead),
		cmocka_unit_test(test_no_files), cmocka_unit_test(test_touched),
		cmocka_unit_test(test_room),	 cmocka_unit_test(test_warm),
		cmocka_unit_test(test_like),	 cmocka_unit_test(test_clocks),
	};

	return cmocka_run_group_tests_name("tracer-memory", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux");
	return 0;
}
#endif
