// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects that shrink while they are read; build ids by program headers. */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "elf/elf.h"
#include "unit.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED false
#endif

/* A copy of this program that may be cut. */
static void copy_self(char path[64])
{
	size_t size;
	char *all = file_read_all("/proc/self/exe", 64 << 20, &size, NULL);
	int fd;

	strcpy(path, "/tmp/test-elf.XXXXXX");
	fd = mkstemp(path);
	assert_non_null(all);
	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, all, size), 0);
	close(fd);
	free(all);
}

static void test_mapped_file_shrinks(void **state)
{
	unsigned char buf[16], zero[16] = { 0 };
	unsigned hits = elf_guard_hits();
	struct elf_file *f, *again;
	char path[64];

	(void)state;
	elf_guard_install();
	copy_self(path);
	assert_int_equal(elf_open(&f, path, ELF_MAPPED), 0);
	assert_non_null(f->image);
	assert_int_equal(elf_open(&again, path, ELF_MAPPED), 0);
	assert_int_equal(truncate(path, 4096), 0);
	assert_true(elf_bytes(f, 0, buf, 4));
	assert_memory_equal(buf, "\177ELF", 4);
	assert_int_equal(elf_guard_hits(), hits);
	assert_true(elf_bytes(f, f->size - 16, buf, 16));
	assert_memory_equal(buf, zero, 16);
	assert_true(elf_bytes(f, 4096, buf, 16));
	assert_memory_equal(buf, zero, 16);
	assert_int_equal(elf_guard_hits(), hits + 2);
	elf_section(f, ".comment", &(size_t){ 0 }, NULL, NULL);
	assert_int_equal(elf_build_id(again)->size, elf_build_id(again)->size);
	assert_false(elf_has_section(again, ".symtab"));
	elf_close(f);
	elf_close(again);
	/* A place in the list is used again. */
	copy_self(path);
	assert_int_equal(elf_open(&f, path, ELF_MAPPED), 0);
	assert_true(elf_has_section(f, ".text"));
	elf_close(f);
	unlink(path);
}

static void test_read_file_shrinks(void **state)
{
	struct elf_file *f;
	unsigned char buf[16];
	char path[64];

	(void)state;
	copy_self(path);
	assert_int_equal(elf_open(&f, path, 0), 0);
	assert_null(f->image);
	assert_int_equal(truncate(path, 4096), 0);
	assert_false(elf_bytes(f, f->size - 16, buf, 16));
	assert_null(elf_section(f, ".comment", &(size_t){ 0 }, NULL, NULL));
	elf_close(f);
	unlink(path);
}

/* A SIGBUS that is no file of ours still ends the program. */
static void test_other_sigbus(void **state)
{
	char path[64];
	int status;
	pid_t pid;

	(void)state;
	if (getenv("VALGRIND"))
		skip_because("valgrind reports the death that is wanted here");
	copy_self(path);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		int fd = open(path, O_RDONLY);
		volatile char *p;

		signal(SIGBUS, SIG_DFL); /* cmocka has a handler */
		elf_guard_install();
		alarm(60);
		p = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
		if (truncate(path, 0))
			_exit(1);
		_exit(p[4096] + 2);
	}
	waitpid(pid, &status, 0);
	unlink(path);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
}

/* How a child ends whose @die does, where memory was refused or not: its status, or -signal. */
static int ends(void (*die)(void), int code)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, SIG_DFL); /* cmocka has handlers */
		signal(SIGABRT, SIG_DFL);
		alarm(60);
		close(STDERR_FILENO);
		if (open("/dev/null", O_WRONLY) < 0)
			_exit(77);
		elf_starved_install();
		errno = code;
		die();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void *volatile nothing;

static void die_in_library(void)
{
	qsort(nothing, 2, 4, (int (*)(const void *, const void *))(void *)memcmp);
}

static void die_here(void)
{
	*(volatile int *)nothing = 1;
}

static void die_far_away(void)
{
	memset((void *)((char *)nothing + (1ULL << 40)), 0, 1000);
}

static void test_starved(void **state)
{
	(void)state;
	if (getenv("VALGRIND") || SANITIZED)
		skip_because("the checker takes the signals itself");
	assert_int_equal(ends(abort, ENOMEM), 1);
	assert_int_equal(ends(abort, ENOENT), -SIGABRT);
	assert_int_equal(ends(die_in_library, ENOENT), -SIGSEGV);
	assert_int_equal(ends(die_here, ENOMEM), -SIGSEGV);
	assert_int_equal(ends(die_far_away, ENOMEM), -SIGSEGV);
#if defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
	assert_int_equal(ends(die_in_library, ENOMEM), 1);
#endif
}

static void test_build_ids(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct build_id fast;
	struct elf_file *f;

	(void)state;
	assert_int_equal(elf_open(&f, "/proc/self/exe", 0), 0);
	if (elf_build_id(f)->size) {
		assert_true(build_id_from_fd(fd, &fast));
		assert_int_equal(fast.size, elf_build_id(f)->size);
		assert_memory_equal(fast.id, elf_build_id(f)->id, fast.size);
	}
	elf_close(f);
	close(fd);
	assert_false(build_id_from_image("\177ELF", 4, &fast));
	assert_int_equal(elf_open(&f, "/dev/null", 0), -ENOEXEC);
	assert_int_equal(elf_open(&f, "/dev/null", ELF_MAPPED), -ENOEXEC);
	assert_int_equal(elf_open(&f, "/nonexistent", ELF_MAPPED), -ENOENT);
}

/* Zeroed data without bytes in the file is not what lies at its header's offset. */
static void test_segment_without_bytes(void **state)
{
	struct segments s = { 0 };
	struct segment code = {
		.vaddr = 0x400000, .filesz = 0x2000, .memsz = 0x2000, .exec = true
	};
	struct segment zero = { .offset = 0x1000, .vaddr = 0x411000, .memsz = 0x100 };
	uint64_t offset;

	(void)state;
	assert_int_equal(vec_push(&s.v, code), 0);
	assert_int_equal(vec_push(&s.v, zero), 0);
	assert_true(segments_to_offset(&s, 0x401010, &offset));
	assert_int_equal(offset, 0x1010);
	assert_true(segments_to_offset(&s, 0x411010, &offset));
	assert_true(offset > INT64_MAX / 2);
	vec_free(&s.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_sigbus), /* before there is a handler here */
		cmocka_unit_test(test_read_file_shrinks),
		cmocka_unit_test(test_mapped_file_shrinks),
		cmocka_unit_test(test_starved),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_segment_without_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
