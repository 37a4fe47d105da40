// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * XSAVE, XSAVEC and XRSTOR of the program, executed by the processor on the program's registers: what a
 * component that is in its initial state leaves in memory, and what not, only the processor knows. They write and read
 * an image of ours; one that comes from the program's memory is looked at first, since a wrong one would
 * be an exception of this process. Intel SDM vol. 1, 13.5 to 13.10.
 */
#include "base/bytes.h"
#include "vm-int.h"

#if defined(__x86_64__)
#define MXCSR_AT     24
#define XSTATE_BV_AT 512
#define XCOMP_BV_AT  520

enum { STATE_SAVE, STATE_SAVE_COMPACTED, STATE_LOAD };

/* Offsets are known to the assembly below. */
struct state_call {
	void *xsave;	/* 0: the program's registers */
	void *image;	/* 8 */
	uint64_t all;	/* 16: components of xsave */
	uint64_t mask;	/* 24: those of image */
	uint32_t mxcsr; /* 32: ours */
	uint32_t avx;	/* 36 */
	uint32_t what;	/* 40 */
};

void vm_state_call(struct state_call *c);

/* clang-format off */
__asm__(
	".text\n"
	".globl vm_state_call\n.hidden vm_state_call\n.type vm_state_call, @function\n"
	"vm_state_call:\n"
	"stmxcsr 32(%rdi)\n"
	"mov 0(%rdi), %rcx; mov 16(%rdi), %eax; mov 20(%rdi), %edx; xrstor64 (%rcx)\n"
	"mov 8(%rdi), %rcx; mov 24(%rdi), %eax; mov 28(%rdi), %edx\n"
	"cmpl $1, 40(%rdi); je 1f; ja 2f\n"
	"xsave64 (%rcx); jmp 3f\n"
	"1: xsavec64 (%rcx); jmp 3f\n"
	"2: xrstor64 (%rcx)\n"
	"mov 0(%rdi), %rcx; mov 16(%rdi), %eax; mov 20(%rdi), %edx; xsave64 (%rcx)\n"
	"3: fninit; cmpl $0, 36(%rdi); je 4f; vzeroupper\n"
	"4: ldmxcsr 32(%rdi)\n"
	"ret\n"
	".size vm_state_call, . - vm_state_call\n");
/* clang-format on */

static void call(struct vm *vm, uint64_t mask, void *image, uint32_t what)
{
	struct state_call c = {
		.xsave = vm->xsave,
		.image = image,
		.all = vm_natives_components(vm),
		.mask = mask,
		.avx = vm_natives_components(vm) >> 2 & 1,
		.what = what,
	};

	vm_state_call(&c);
}

bool vm_state_save(struct vm *vm, uint64_t mask, bool compacted, unsigned char *image)
{
	if (!vm_vectors(vm) || mask & ~vm_natives_components(vm))
		return false;
	call(vm, mask, image, compacted ? STATE_SAVE_COMPACTED : STATE_SAVE);
	return true;
}

/* What XRSTOR would raise an exception for. */
static bool is_sound(const struct vm *vm, const unsigned char *image)
{
	uint64_t bv = load_u64(image + XSTATE_BV_AT, false);
	uint64_t comp = load_u64(image + XCOMP_BV_AT, false);
	uint64_t ours = vm_natives_components(vm);

	for (unsigned i = XCOMP_BV_AT + 8; i < XSAVE_MIN_SIZE; i++)
		if (image[i])
			return false;
	if (comp && (!(comp & XSAVE_COMPACTED) || comp & ~(XSAVE_COMPACTED | ours) || bv & ~comp))
		return false;
	return !(bv & ~ours) && !(load_u32(image + MXCSR_AT, false) >> 16);
}

bool vm_state_load(struct vm *vm, uint64_t mask, unsigned char *image)
{
	if (!vm_vectors(vm) || mask & ~vm_natives_components(vm) || !is_sound(vm, image))
		return false;
	call(vm, mask, image, STATE_LOAD);
	return true;
}
#endif
