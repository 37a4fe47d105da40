// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AArch64's instructions as the tracer interprets them (tracer/a64*.c): a byte of choices, a number that the
 * registers are made of, then code, which lies in a page of this process. What is given up must have changed
 * nothing, and where nothing may become unknown nothing does.
 */
#include "fuzz.h"

#if defined(__x86_64__) || defined(__aarch64__)
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/a64-cases.h"
#include "tracer/a64-int.h"

#define STEPS 64
#define HEAD  5 /* bytes before the code */

static bool map_page(uint64_t addr)
{
	return mmap((void *)addr, A64_PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == (void *)addr;
}

/*
 * One for all inputs: to make one takes as long as ten of these. Instructions that it has seen are compared with
 * their bytes again for every input. NULL: the addresses are taken.
 */
static struct vm *shared;

static void free_shared(void)
{
	vm_free(shared);
}

static struct vm *shared_vm(void)
{
	if (!shared && map_page(A64_DATA) && map_page(A64_CODE) &&
	    (vm_new(&shared, &vm_a64) || vm_keep_stored(shared) || atexit(free_shared)))
		abort();
	return shared;
}

static void begin(struct vm *vm, struct fuzz_bytes *b)
{
	uint8_t how = fuzz_u8(b);
	uint64_t s = fuzz_u32(b);

	for (size_t i = 0; i < A64_PAGE; i += 8) {
		uint64_t v = a64_value(&s);

		memcpy((char *)A64_DATA + i, &v, 8);
	}
	memset((void *)A64_CODE, 0, A64_PAGE);
	if (b->left)
		memcpy((void *)A64_CODE, b->p, b->left < A64_PAGE ? b->left : A64_PAGE);
	vm->tid = 0; /* what the input before touched is not read beforehand */
	vm_begin_bare(vm, getpid());
	for (unsigned i = 0; i < 32; i++)
		vm->reg[i] = i == A64_SP ? A64_DATA + 2048 : a64_value(&s);
	for (unsigned i = 0; i < 64; i++) {
		uint64_t v = a64_random(&s);

		memcpy(vm->xsave + 8 * i, &v, 8);
	}
	vm->vectors_read = true;
	vm->exact = how & 1;
	vm->known = vm->exact || how & 2 ? UINT32_MAX : (uint32_t)a64_random(&s);
	vm->flags = a64_random(&s) & A64_NZCV;
	vm->flags_known = vm->exact || how & 4 ? A64_NZCV : 0;
	vm->zva = how & 8 ? 64 : 0;
	vm->pac_mask = how & 16 ? 0x7f000000000000 : 0;
	vm->fs_base = A64_DATA;
	vm->monitor = 0;
	vm->rip = A64_CODE;
}

/* What an instruction that was not done may not have touched. */
struct before {
	uint64_t reg[32], rip, executed, foreign, fs_base, monitor;
	uint32_t known, flags, flags_known, vec_known;
	uint8_t monitor_size;
};

static void note(const struct vm *vm, struct before *o)
{
	memset(o, 0, sizeof(*o));
	memcpy(o->reg, vm->reg, sizeof(o->reg));
	o->rip = vm->rip, o->executed = vm->executed, o->foreign = vm->foreign;
	o->fs_base = vm->fs_base, o->monitor = vm->monitor, o->monitor_size = vm->monitor_size;
	o->known = vm->known, o->vec_known = vm->vec_known;
	o->flags = vm->flags, o->flags_known = vm->flags_known;
}

/* False: it ended. */
static bool step(struct vm *vm)
{
	enum vm_result r = VM_FAULT;
	struct before old, now;
	struct vm_insn *in;
	uint32_t stored;

	/* no other memory of this process is the program's */
	if (vm->rip < A64_CODE || vm->rip >= A64_CODE + A64_PAGE)
		return false;
	in = vm_fetch(vm, &r);
	if (!in)
		return false;
	note(vm, &old);
	stored = vm->nr_stored;
	r = vm_step(vm, in);
	note(vm, &now);
	if (r != VM_OK && r != VM_BRANCH &&
	    (memcmp(&old, &now, sizeof(now)) || vm->nr_stored != stored))
		abort();
	if (r == VM_OK && vm->rip != old.rip + 4)
		abort();
	if ((r == VM_BRANCH && vm->rip & 3) || vm->flags & ~(uint32_t)A64_NZCV)
		abort();
	if (vm->exact &&
	    (vm->known != UINT32_MAX || vm->vec_known != UINT32_MAX || vm->flags_known != A64_NZCV))
		abort();
	return r == VM_OK || r == VM_BRANCH;
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	struct vm *vm = shared_vm();

	if (!vm)
		return;
	begin(vm, &b);
	for (int i = 0; i < STEPS && step(vm); i++)
		;
}

/* A word becomes one of the instructions that are interpreted, or loses or gets a bit. */
static size_t mutate(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	const struct a64_template *t;
	size_t words = size > HEAD ? (size - HEAD) / 4 : 0, at = fuzz_rand(&seed) % (words + 1);
	uint32_t w = 0, how = fuzz_rand(&seed);
	uint64_t s = how;

	if (size < HEAD || HEAD + 4 * at + 4 > max || !(how & 3))
		return 0;
	memcpy(&w, data + HEAD + 4 * at, at < words ? 4 : 0);
	t = a64_choose(&s);
	if (at == words || how & 4)
		w = t->value | (fuzz_rand(&seed) & ~t->mask);
	else
		w ^= 1u << (how >> 3 & 31);
	memcpy(data + HEAD + 4 * at, &w, 4);
	return at < words ? size : HEAD + 4 * words + 4;
}
#else
#define mutate NULL
static void run(const uint8_t *data, size_t size)
{
	(void)data, (void)size;
}
#endif

const struct fuzz_target fuzz_a64 = {
	.name = "a64",
	.reads = "instructions of AArch64, interpreted",
	.max_len = 512,
	.run = run,
	.mutate = mutate,
};
