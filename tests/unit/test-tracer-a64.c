// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interpreter of AArch64, wherever perf is built. Single instructions on random state: what was known to be
 * right (tests/data/a64-truth, by tests/helpers/a64-run under qemu-user) comes out again. Programs of a few
 * instructions: what is unknown, exclusive accesses, system calls, branches.
 *
 *	test-tracer-a64 compare SEED COUNT FILE		what a64-run wrote, against the interpreter
 *	test-tracer-a64 truth SEED COUNT FILE		the same, as tests/data/a64-truth
 *	test-tracer-a64 words FILE			of each word: i an instruction, u none, f unknown
 */
#include "unit.h"

#if defined(__x86_64__) || defined(__aarch64__)
#include <signal.h>
#include <sys/mman.h>

#include "a64-cases.h"
#include "base/bytes.h"
#include "branch/branch.h"
#include "tracer/a64-int.h"

#define TRUTH_SEED 20

static bool map_pages(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;

	return mmap((void *)A64_DATA, A64_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0) ==
		       (void *)A64_DATA &&
	       mmap((void *)A64_CODE, A64_PAGE, PROT_READ | PROT_WRITE, flags, -1, 0) ==
		       (void *)A64_CODE;
}

static void set_state(struct vm *vm, const struct a64_case *c)
{
	memcpy((void *)A64_DATA, c->data, A64_PAGE);
	store_u32((void *)A64_CODE, c->word);
	store_u32((void *)(A64_CODE + 4), A64_BRK);
	vm_begin_bare(vm, getpid());
	memcpy(vm->reg, c->x, sizeof(c->x));
	vm->reg[A64_SP] = c->sp;
	vm->known = UINT32_MAX;
	vm->flags = c->nzcv;
	vm->flags_known = A64_NZCV;
	vm->rip = A64_CODE;
	vm->zva = 512; /* qemu-user's */
	memcpy(vm->xsave, c->v, sizeof(c->v));
	vm->vectors_read = true;
}

/* Memory as the vm has it; false: some of it is unknown. */
static bool memory_hash(struct vm *vm, uint64_t *hash)
{
	static unsigned char buf[A64_PAGE];

	if (vm_copy(vm, A64_DATA, buf, A64_PAGE) != A64_PAGE)
		return false;
	*hash = a64_hash(buf, A64_PAGE);
	return true;
}

static enum vm_result step(struct vm *vm)
{
	enum vm_result why = VM_FAULT;
	struct vm_insn *in = vm_fetch(vm, &why);

	return in ? vm_step(vm, in) : why;
}

/* Pointers with signatures, which the emulator goes without. */
static bool signs(uint32_t w)
{
	return (w & 0xffff0000) == 0xdac10000 || (w & 0xfffffbff) == 0xd65f0bff ||
	       (w & 0xff200400) == 0xf8200400;
}

/* The first thing that differs; "" = nothing. *all: everything is known. */
static const char *differs(struct vm *vm, enum vm_result r, const struct a64_case *c,
			   const struct a64_result *t, bool *all)
{
	static char text[200];
	uint64_t hash = 0;
	bool done = t->sig == SIGTRAP && t->pc == A64_CODE + 4;

	text[0] = '\0';
	*all = false;
	if (r == VM_FOREIGN || r == VM_UNKNOWN || r == VM_SYSCALL)
		return text;
	if (r == VM_NOMEM || r == VM_FAULT) {
		if (done)
			snprintf(text, sizeof(text), "%s, but it was executed",
				 r == VM_FAULT ? "no instruction" : "no memory");
		return text;
	}
	if (t->sig == SIGILL && t->pc == A64_CODE && !signs(c->word))
		snprintf(text, sizeof(text), "executed, but is no instruction");
	/* accesses that are not aligned are not looked for */
	if (t->sig == SIGILL || t->sig == SIGBUS)
		return text;
	/* AddressSanitizer maps much of what is nowhere there */
	if (t->sig == SIGSEGV && r == VM_OK)
		return text;
	/* where nothing is mapped, qemu-user leaves the top byte out */
	if ((vm->rip ^ t->pc) << (t->sig == SIGSEGV ? 8 : 0) || (r == VM_OK && !done)) {
		snprintf(text, sizeof(text), "to %llx, not %llx (signal %u)",
			 (unsigned long long)vm->rip, (unsigned long long)t->pc, t->sig);
		return text;
	}
	*all = vm->known == UINT32_MAX && vm->vec_known == UINT32_MAX &&
	       vm->flags_known == A64_NZCV && memory_hash(vm, &hash);
	for (unsigned n = 0; n < 32; n++) {
		uint64_t want = n == A64_SP ? t->sp : t->x[n];

		if (vm->known >> n & 1 && vm->reg[n] != want)
			snprintf(text, sizeof(text), "register %u is %llx, not %llx", n,
				 (unsigned long long)vm->reg[n], (unsigned long long)want);
		if (vm->vec_known >> n & 1 && memcmp(vm->xsave + 16 * n, &t->v[2 * n], 16))
			snprintf(text, sizeof(text), "v%u is %016llx%016llx, not %016llx%016llx", n,
				 (unsigned long long)load_u64(vm->xsave + 16 * n + 8, false),
				 (unsigned long long)load_u64(vm->xsave + 16 * n, false),
				 (unsigned long long)t->v[2 * n + 1],
				 (unsigned long long)t->v[2 * n]);
	}
	if ((vm->flags ^ t->nzcv) & vm->flags_known)
		snprintf(text, sizeof(text), "flags are %x, not %x", vm->flags, t->nzcv);
	if (*all && hash != t->data)
		snprintf(text, sizeof(text), "memory differs");
	return text;
}

/* ---- what others executed ------------------------------------------------------------------ */

static uint32_t state_hash(struct vm *vm)
{
	struct {
		uint64_t x[32], v[64], pc, nzcv, data;
	} all = { .pc = vm->rip, .nzcv = vm->flags };
	uint64_t h;

	memcpy(all.x, vm->reg, sizeof(all.x));
	memcpy(all.v, vm->xsave, sizeof(all.v));
	(void)memory_hash(vm, &all.data);
	h = a64_hash(&all, sizeof(all));
	return (uint32_t)(h ^ h >> 32);
}

struct tally {
	unsigned made, done, wrong;
};

static int compare(uint64_t seed, uint64_t count, const char *path, bool truth)
{
	struct tally tally[A64_TEMPLATES] = { 0 };
	static struct a64_case c;
	struct a64_result t;
	unsigned wrong = 0, done = 0;
	FILE *f = fopen(path, "rb");
	struct vm *vm;

	if (!f || !map_pages() || vm_new(&vm, &vm_a64))
		return 2;
	for (uint64_t i = 0; i < count && fread(&t, sizeof(t), 1, f) == 1; i++) {
		const struct a64_template *row = a64_make(seed, i, &c);
		struct tally *n = &tally[row - a64_templates];
		enum vm_result r;
		const char *diff;
		bool all;

		set_state(vm, &c);
		r = step(vm);
		diff = differs(vm, r, &c, &t, &all);
		n->made++;
		n->done += r == VM_OK || r == VM_BRANCH;
		done += all;
		if (*diff && n->wrong++ < 3 && !truth)
			printf("# %llu: %08x (%s): %s\n", (unsigned long long)i, c.word, row->name,
			       diff);
		wrong += !!*diff;
		if (truth && all && !*diff)
			printf("%08x\n", state_hash(vm));
		else if (truth)
			puts("-");
	}
	for (size_t i = 0; i < A64_TEMPLATES && !truth; i++)
		printf("# %-20s %5u made, %5u interpreted, %u wrong\n", a64_templates[i].name,
		       tally[i].made, tally[i].done, tally[i].wrong);
	if (!truth)
		printf("%u of %llu are known in all, %u wrong\n", done, (unsigned long long)count,
		       wrong);
	fclose(f);
	vm_free(vm);
	return wrong != 0;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* i: an instruction; u: none; f: only the thread knows. */
static char opinion(struct vm *vm, struct a64_case *c)
{
	set_state(vm, c);
	switch (step(vm)) {
	case VM_FAULT: return 'u';
	case VM_FOREIGN: return 'f';
	default: return 'i';
	}
}

/* What is thought of each of the words in @path. */
static int words(const char *path)
{
	static struct a64_case c;
	unsigned char le[4];
	FILE *f = fopen(path, "rb");
	struct vm *vm;

	if (!f || !map_pages() || vm_new(&vm, &vm_a64))
		return 2;
	for (unsigned i = 0; i < 31; i++)
		c.x[i] = A64_DATA + 2048;
	c.sp = A64_DATA + 2048;
	while (fread(le, sizeof(le), 1, f) == 1) {
		c.word = load_u32(le, host_is_big_endian());
		putchar(opinion(vm, &c));
	}
	vm_free(vm);
	fclose(f);
	return 0;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void test_truth(void **state)
{
	static struct a64_case c;
	char line[32];
	unsigned n = 0, known = 0;
	struct vm *vm;
	FILE *f;

	(void)state;
	f = fopen("tests/data/a64-truth", "r");
	if (!f)
		skip_because("tests/data is not here");
	assert_int_equal(vm_new(&vm, &vm_a64), 0);
	for (; fgets(line, sizeof(line), f); n++) {
		const struct a64_template *row = a64_make(TRUTH_SEED, n, &c);
		char got[32] = "-\n";
		enum vm_result r;

		if (line[0] == '-')
			continue;
		set_state(vm, &c);
		r = step(vm);
		if (r == VM_OK || r == VM_BRANCH)
			snprintf(got, sizeof(got), "%08x\n", state_hash(vm));
		if (strcmp(got, line))
			print_error("%u: %08x (%s) gives %s", n, c.word, row->name, got);
		assert_string_equal(got, line);
		known++;
	}
	fclose(f);
	vm_free(vm);
	assert_true(n >= 3000 && known > n / 3);
}

/* Words at A64_CODE, all registers zero but x0, which points to data. */
static struct vm *program(const uint32_t *words, size_t n)
{
	static struct a64_case c;
	struct vm *vm;

	memset(&c, 0, sizeof(c));
	c.x[0] = A64_DATA;
	c.sp = A64_DATA + 2048;
	assert_int_equal(vm_new(&vm, &vm_a64), 0);
	set_state(vm, &c);
	for (size_t i = 0; i < n; i++)
		store_u32((void *)(A64_CODE + 4 * i), words[i]);
	return vm;
}

#define PROGRAM(...) \
	program((const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4)

/* A loop that counts x1 down, by its branches; then a system call. */
static void test_loop(void **state)
{
	/* mov x1, 5; 1: str x1, [x0], 8; subs x1, x1, 1; b.ne 1b; svc 0 */
	struct vm *vm = PROGRAM(0xd28000a1, 0xf8008401, 0xf1000421, 0x54ffffc1, 0xd4000001);
	struct vm_insn *in;
	uint64_t v = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		assert_int_equal(vm_run(vm, 100, &in), VM_BRANCH);
		assert_int_equal(in->addr, A64_CODE + 12);
		assert_int_equal(in->branch, BR_COND);
		assert_int_equal(vm->rip, A64_CODE + 4);
	}
	assert_int_equal(vm_run(vm, 100, &in), VM_SYSCALL);
	assert_int_equal(vm->rip, A64_CODE + 16);
	assert_int_equal(vm->executed, 16);
	assert_int_equal(vm_load(vm, A64_DATA + 32, 8, &v), VM_OK);
	assert_int_equal(v, 1);
	/* the program's own memory is as it was */
	assert_int_equal(load_u64((void *)(A64_DATA + 32), false), 0);
	vm_free(vm);
}

/* A call by register, and back, with the return address signed in between and stored. */
static void test_calls(void **state)
{
	/* adr x1, 2f; blr x1; svc 0; 2: paciasp; stp x29, x30, [sp, -16]!; bl 3f;
	 * ldp x29, x30, [sp], 16; autiasp; ret; 3: retaa */
	struct vm *vm = PROGRAM(0x10000061, 0xd63f0020, 0xd4000001, 0xd503233f, 0xa9bf7bfd,
				0x94000004, 0xa8c17bfd, 0xd50323bf, 0xd65f03c0, 0xd65f0bff);
	static const struct {
		unsigned from, to;
		uint8_t branch;
	} want[] = { { 1, 3, BR_IND_CALL }, { 5, 9, BR_CALL }, { 9, 6, BR_RET }, { 8, 2, BR_RET } };
	struct vm_insn *in;

	(void)state;
	vm->pac_mask = 0x7f000000000000;
	/* a signature that was made before */
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(vm_run(vm, 100, &in), VM_BRANCH);
		assert_int_equal(in->addr, A64_CODE + 4 * want[i].from);
		assert_int_equal(vm->rip, A64_CODE + 4 * want[i].to);
		assert_int_equal(in->branch, want[i].branch);
		if (i == 1)
			vm->reg[A64_LR] |= 0x25000000000000;
	}
	assert_int_equal(vm_run(vm, 100, &in), VM_SYSCALL);
	vm_free(vm);
	/* where all registers count, nobody can sign */
	vm = PROGRAM(0xd503233f);
	vm->pac_mask = 0x7f000000000000;
	vm->exact = true;
	assert_int_equal(step(vm), VM_FOREIGN);
	vm->pac_mask = 0; /* a CPU without */
	assert_int_equal(step(vm), VM_OK);
	vm_free(vm);
}

/* Floating point is not computed: what comes of it is unknown, and stops where it decides. */
static void test_unknown(void **state)
{
	/* fadd d0, d1, d2; str d0, [x0]; fcvtzs x1, d0; add x2, x1, 1; ldr x3, [x0]; mov x1, 7;
	 * fcmp d0, d1; cbz x1, .; mov x4, x2; b.eq . */
	static const uint32_t code[] = {
		0x1e622820, 0xfd000000, 0x9e780001, 0x91000422, 0xf9400003,
		0xd28000e1, 0x1e612000, 0xb4000001, 0xaa0203e4, 0x54000000
	};
	struct vm *vm = program(code, ARRAY_SIZE(code));
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(code) - 1; i++)
		assert_int_equal(step(vm), VM_OK);
	assert_int_equal(vm->vec_known, UINT32_MAX & ~1u);
	assert_int_equal(vm->known, UINT32_MAX & ~(1u << 2 | 1u << 3 | 1u << 4));
	assert_int_equal(vm->flags_known, 0);
	assert_int_equal(vm_load(vm, A64_DATA, 8, &v), VM_UNKNOWN);
	assert_int_equal(step(vm), VM_UNKNOWN);
	assert_int_equal(vm->rip, A64_CODE + 36);
	vm_free(vm);
	/* nothing may become unknown: then it is not begun */
	vm = program(code, ARRAY_SIZE(code));
	vm->exact = true;
	assert_int_equal(step(vm), VM_FOREIGN);
	assert_int_equal(vm->vec_known, UINT32_MAX);
	vm_free(vm);
	/* vectors that cannot be had: fmov x1, d0 */
	vm = PROGRAM(0x9e660001);
	vm->vectors_read = false;
	assert_int_equal(step(vm), VM_OK);
	assert_int_equal(vm->known, UINT32_MAX & ~2u);
	vm_free(vm);
}

static void test_exclusive(void **state)
{
	/* stxr w1, x2, [x0]; ldxr x3, [x0]; add x3, x3, 9; stxr w4, x3, [x0]; stxr w5, x3, [x0]; clrex */
	struct vm *vm = PROGRAM(0xc8017c02, 0xc85f7c03, 0x91002463, 0xc8047c03, 0xc8057c03);
	uint64_t v = 0;

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_int_equal(step(vm), VM_OK);
	assert_int_equal(vm->reg[1], 1); /* nothing was loaded exclusively yet */
	assert_int_equal(vm->reg[4], 0);
	assert_int_equal(vm->reg[5], 1);
	assert_int_equal(vm_load(vm, A64_DATA, 8, &v), VM_OK);
	assert_int_equal(v, 9);
	vm_free(vm);
}

static void test_ends(void **state)
{
	static const struct {
		uint32_t word;
		enum vm_result want;
	} rows[] = {
		{ 0xd4000001, VM_SYSCALL },
		{ 0xd4200000, VM_FAULT },
		{ 0x00000000, VM_FAULT },
		{ 0x04a0e3e0, VM_FOREIGN }, /* cntw, of SVE */
		{ 0x19000400, VM_FOREIGN }, /* cpyfp, of memory copies */
		{ 0xd5380000, VM_FOREIGN }, /* mrs midr_el1 */
		{ 0xf9400021, VM_NOMEM },   /* ldr x1, [x1] */
		{ 0xf9000021, VM_NOMEM },   /* str x1, [x1] */
		{ 0xd50b7420, VM_FOREIGN }, /* dc zva, and nobody knows how much it clears */
		{ 0x0ac28401, VM_FAULT },   /* and w1, w0, w2, ror 33 */
		{ 0xd65f0040, VM_BRANCH },  /* ret x2 */
		/* words that are none: floats of two bytes, an address with a key and a register, barriers */
		{ 0x6f016fa1, VM_FOREIGN },
		{ 0x1ea04219, VM_FOREIGN },
		{ 0xdac120c0, VM_FOREIGN },
		{ 0xd503311f, VM_FOREIGN },
		{ 0x88d3f3c2, VM_FOREIGN }, /* ldar with a status */
		{ 0x9bc0fbe0, VM_FAULT },   /* umulh with a sign */
	};
	struct vm *vm;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		vm = PROGRAM(rows[i].word);
		vm->zva = 0;
		assert_int_equal(step(vm), rows[i].want);
		if (rows[i].want != VM_BRANCH)
			assert_int_equal(vm->rip, A64_CODE);
		vm_free(vm);
	}
	vm = PROGRAM(0xd503201f);
	vm->rip += 2;
	assert_int_equal(step(vm), VM_FAULT);
	vm_free(vm);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truth),	  cmocka_unit_test(test_loop),
		cmocka_unit_test(test_calls),	  cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_exclusive), cmocka_unit_test(test_ends),
	};

	if (argc == 3 && !strcmp(argv[1], "words"))
		return words(argv[2]);
	if (argc == 5)
		return compare(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0), argv[4],
			       !strcmp(argv[1], "truth"));
	if (!map_pages()) {
		puts("1..0 # SKIP the addresses that the cases use are taken here");
		return 0;
	}
	return cmocka_run_group_tests_name("tracer-a64", tests, NULL, NULL);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for x86-64 and AArch64");
	return 0;
}
#endif
