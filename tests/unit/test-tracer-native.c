// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tracer's interpreter against a thread that executes the same bytes: random encodings, many of
 * them none that a compiler would write, on random registers.
 */
#include "unit.h"

#if defined(__x86_64__) && defined(__linux__)
#include "tracer-round.h"

#define ROUNDS 60000 /* encodings of each kind; one in ten is vector code that is executed */

/* ---- encodings ----------------------------------------------------------------------------------- */

static unsigned put_prefixes(struct encoding *x, unsigned n)
{
	static const unsigned char any[] = { 0x67, 0x64, 0x65, 0x2e, 0x36, 0x3e, 0x26, 0xf0,
					     0x66, 0xf2, 0xf3, 0x40, 0x41, 0x42, 0x4f };

	for (unsigned many = 1 + rnd() % 2; many; many--) {
		unsigned at = rnd() % ARRAY_SIZE(any);

		x->odd |= at < 8;
		x->bytes[n++] = any[at];
	}
	return n;
}

/* Up to the opcode. */
static unsigned put_legacy(struct encoding *x, unsigned n, bool vector)
{
	static const unsigned char mandatory[] = { 0, 0x66, 0xf2, 0xf3 };
	bool escaped = vector || one_in(2);
	unsigned char p = mandatory[rnd() % (escaped ? 4 : 2)];

	if (p)
		x->bytes[n++] = p;
	if (one_in(2))
		x->bytes[n++] = (unsigned char)(0x40 | rnd() % 16);
	if (vector && one_in(8))
		n = put_prefixes(x, n);
	if (!escaped)
		return n;
	x->bytes[n++] = 0x0f;
	if (one_in(4))
		x->bytes[n++] = one_in(2) ? 0x38 : 0x3a;
	return n;
}

static unsigned put_vex(struct encoding *x, unsigned n)
{
	unsigned vvvv = one_in(2) ? 15 << 3 : rnd() & 15 << 3, lpp = rnd() & 7;

	if (one_in(2)) {
		x->bytes[n++] = 0xc5;
		x->bytes[n++] = (unsigned char)((rnd() & 0x80) | vvvv | lpp);
		return n;
	}
	x->bytes[n++] = 0xc4;
	x->bytes[n++] = (unsigned char)((rnd() & 0xe0) | (one_in(16) ? rnd() & 31 : 1 + rnd() % 3));
	x->bytes[n++] = (unsigned char)((rnd() & 0x80) | vvvv | lpp);
	return n;
}

static unsigned put_evex(struct encoding *x, unsigned n)
{
	unsigned vvvv = one_in(2) ? 15 << 3 : rnd() & 15 << 3;

	x->bytes[n++] = 0x62;
	x->bytes[n++] = (unsigned char)((rnd() & 0xf0) | (one_in(16) ? rnd() & 15 : 1 + rnd() % 3));
	x->bytes[n++] = (unsigned char)((rnd() & 0x83) | vvvv | (one_in(32) ? rnd() & 4 : 4));
	x->bytes[n++] = (unsigned char)((one_in(2) ? 0 : rnd() & 0x97) | (rnd() & 0x60) | 8);
	return n;
}

static void generate(struct encoding *x, bool vector)
{
	unsigned n = 0, kind = rnd() % 4, mod, rm;

	*x = (struct encoding){ 0 };
	for (unsigned i = 0; i < sizeof(x->bytes); i++)
		x->bytes[i] = (unsigned char)rnd();
	if (vector && one_in(8))
		n = put_prefixes(x, n);
	else if (one_in(16))
		x->bytes[n++] = 0x67;
	if (kind < 2)
		n = put_legacy(x, n, vector);
	else
		n = kind == 2 ? put_vex(x, n) : put_evex(x, n);
	n++; /* the opcode */
	mod = x->bytes[n] >> 6, rm = x->bytes[n] & 7;
	n++;
	if (mod == 3)
		return;
	if (rm == 4)
		rm = x->bytes[n++] & 7;
	if (mod == 0 && rm == 5)
		x->disp_at = n;
	if (mod == 2 || x->disp_at) /* not far */
		store_u32(x->bytes + n, (uint32_t)(int32_t)((int)(rnd() % 4096) - 2048));
}

static void test_vectors(void **state)
{
	struct round *d = *state;

	for (unsigned i = 0; i < ROUNDS; i++) {
		generate(&d->x, true);
		one_round(d, true);
	}
	print_message("# %u instructions executed here\n", d->natives);
	if (__builtin_cpu_supports("avx2"))
		assert_true(d->natives > ROUNDS / 50);
}

static void test_others(void **state)
{
	struct round *d = *state;

	d->others = 0;
	for (unsigned i = 0; i < ROUNDS; i++) {
		generate(&d->x, false);
		one_round(d, false);
	}
	print_message("# %u instructions interpreted\n", d->others);
	assert_true(d->others > ROUNDS / 20);
}

/* What changes more than its operands say is the thread's own, and a branch that is odd an end. */
static void test_left_alone(void **state)
{
	static const struct {
		char bytes[12];
		enum vm_result result;
	} rows[] = {
		{ "\x62\xf2\x7d\x49\xa0\x04\x07", VM_FOREIGN }, /* vpscatterdd */
		{ "\x66\x0f\xf7\xc1", VM_FOREIGN },		/* maskmovdqu */
		{ "\x0f\xae\x17", VM_FOREIGN },			/* ldmxcsr */
		{ "\x48\x0f\xae\x2f", VM_FOREIGN },		/* xrstor */
		{ "\xf3\x48\x0f\xae\xd0", VM_FOREIGN },		/* wrfsbase */
		{ "\x0f\x01\xfc", VM_FOREIGN },			/* clzero */
		{ "\x67\x89\x07", VM_FOREIGN },			/* mov %eax, (%edi) */
		{ "\x67\x0f\x11\x07", VM_FOREIGN },		/* movups %xmm0, (%edi) */
		{ "\x66\x74\x05", VM_FAULT },			/* data16 jz */
		{ "\x67\xe2\x05", VM_FAULT },			/* loop by ecx */
		{ "\x67\xe8\0\0\0\0", VM_BRANCH },		/* addr32 call, by linkers */
		{ "\x66\x48\xe8\0\0\0\0", VM_BRANCH },		/* data16 rex.W call, too */
	};
	struct round *d = *state;
	enum vm_result why;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct user_regs_struct r = d->base;
		struct vm_insn *in;

		memcpy(d->x.bytes, rows[i].bytes, sizeof(rows[i].bytes));
		r.rip = CODE;
		r.rdi = r.rax = DATA;
		r.rsp = DATA + 64;
		copy_to(d->pid, CODE, d->x.bytes, sizeof(d->x.bytes));
		set_state(d->pid, &r, d->image, d->image_size);
		vm_begin(d->vm, d->pid, &r);
		in = vm_fetch(d->vm, &why);
		assert_non_null(in);
		why = vm_step(d->vm, in);
		if (why != rows[i].result)
			wrong("result %d, not %d", why, rows[i].result);
	}
}

/* The results of these decide branches of many programs: they are executed here. */
static void test_executed(void **state)
{
	static const unsigned char rows[][12] = {
		"\xf2\x0f\x2c\x07",	    /* cvttsd2si (%rdi), %eax */
		"\xf2\x48\x0f\x2d\x07",	    /* cvtsd2si (%rdi), %rax */
		"\xf3\x48\x0f\x2c\x07",	    /* cvttss2si (%rdi), %rax */
		"\xf2\x48\x0f\x38\xf1\x07", /* crc32q (%rdi), %rax */
		"\xc5\xfb\x2c\x07",	    /* vcvttsd2si (%rdi), %eax */
		"\xc4\xe1\xfa\x2d\x07",	    /* vcvtss2si (%rdi), %rax */
		"\xc4\xe2\xfa\xf5\x07",	    /* pext (%rdi), %rax, %rax */
		"\x62\xf1\xff\x08\x78\x07", /* vcvttsd2usi (%rdi), %rax */
	};
	struct round *d = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool avx = (rows[i][0] & 0xfe) == 0xc4, avx512 = rows[i][0] == 0x62;

		if ((avx && !__builtin_cpu_supports("avx2")) ||
		    (avx512 && !__builtin_cpu_supports("avx512bw")))
			continue;
		d->x = (struct encoding){ 0 };
		memcpy(d->x.bytes, rows[i], sizeof(rows[i]));
		d->native = false;
		assert_true(one_round(d, true));
		if (!d->native)
			wrong("not executed");
	}
}

/* What they leave is known: the runtime of Go has these in its locks and where it is preempted. */
static void test_known(void **state)
{
	static const unsigned char rows[][12] = {
		"\x48\xd1\xda",	    /* rcr %rdx */
		"\xc0\xd0\x03",	    /* rcl $3, %al */
		"\x48\xd3\x1c\x24", /* rcrq %cl, (%rsp) */
		"\x9c",		    /* pushfq */
		"\x9d",		    /* popfq */
	};
	struct round *d = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t unknown = 0;

		d->x = (struct encoding){ 0 };
		memcpy(d->x.bytes, rows[i], sizeof(rows[i]));
		d->others = 0;
		/* a trap flag that POPF would set is the thread's own */
		for (unsigned n = 0; n < 16; n++)
			assert_true(one_round(d, false));
		assert_in_range(d->others, 1, 16);
		if (d->vm->known != 0xffff ||
		    vm_load(d->vm, d->vm->reg[VM_SP], 8, &unknown) != VM_OK)
			wrong("not known");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),	   cmocka_unit_test(test_others),
		cmocka_unit_test(test_left_alone), cmocka_unit_test(test_executed),
		cmocka_unit_test(test_known),
	};
	struct vm_insn in = { 0 };

	unsetenv("PERF_TRACER_WITHOUT"); /* test-tracer-every goes through what may be lacking */
	if (!vm_decode(&in, (const unsigned char *)"\x90", 1)) {
		puts("1..0 # SKIP built without Zydis");
		return 0;
	}
	return cmocka_run_group_tests_name("tracer-native", tests, set_up, tear_down);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux on x86-64");
	return 0;
}
#endif
