// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report --apx and --shadow-stack: samples in functions of this very program, whose moves to the stack are known, with
 * registers R16 to R31, shadow stack pointers and call chains made by hand.
 */
#include "table-build.h"

#include "config.h"

#if defined(__x86_64__) && HAVE_ZYDIS

/* Eleven registers more than a move has: with AX and BP 13 of 15 are named. */
#define NAMED                                                                   \
	"xor %ebx, %ecx\n xor %edx, %esi\n xor %edi, %r8d\n xor %r9d, %r10d\n " \
	"xor %r11d, %r12d\n xor %r13d, %r13d\n"
#define TEN "nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n"

/* clang-format off */
#define FN(name, code) \
	".globl " name "\n.type " name ", @function\n" name ": " code "\n.size " name ", .-" name "\n"
__asm__(".text\n"
	FN("a_full", "mov %rax, -8(%rbp)\n" NAMED "ret")
	FN("a_spare", "mov -8(%rsp), %rax\n nop\n ret")
	FN("a_call", "mov %rax, 8(%rsp)\n nop\n call a_spare\n mov 8(%rsp), %rax\n" TEN
		     "mov 8(%rsp), %rax\n ret")
	FN("a_push", "push %rbx\n pop %rbx\n ret")
	FN("a_apx", ".byte 0xd5, 0x18, 0x8b, 0\n ret") /* mov (%r16), %rax */
	FN("a_none", "nop\n ret"));
/* clang-format on */
/* Moves of a_call behind its call: the next instruction, and one that is too far from it. */
#define AFTER 11
#define FAR   26
extern char a_full[], a_spare[], a_call[], a_push[], a_apx[], a_none[];

static struct perfdata_event event = {
	.name = "cycles",
	.attr = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER |
				 PERF_SAMPLE_CALLCHAIN,
		  .sample_simd_regs_enabled = 1 },
};

static uint64_t gpr[17], chain[130];
static size_t nr_chain;
static bool simd = true;
static uint64_t mask = 0x1ffff000000; /* R16 to R31, SSP */

static int setup(void **state)
{
	struct symbol_opts so = { .no_host_kernel = true };

	(void)state;
	memset(gpr, 0, sizeof(gpr));
	memset(chain, 0, sizeof(chain));
	nr_chain = 0;
	simd = true;
	if (build_machine(&so))
		return -1;
	map_self((uintptr_t)a_full);
	return 0;
}

static void add(struct table *t, const char *ip)
{
	struct sample s = { .event = &event, .cpumode = PERF_RECORD_MISC_USER, .period = 1 };

	s.ip = (uint64_t)(uintptr_t)ip;
	s.pid = s.tid = 1;
	s.present = event.attr.sample_type;
	s.callchain = (struct u64s){ (unsigned char *)chain, nr_chain, false };
	s.user_regs = (struct sample_regs){
		.abi = PERF_SAMPLE_REGS_ABI_64 | (simd ? PERF_SAMPLE_REGS_ABI_SIMD : 0),
		.simd = simd,
		.mask = mask,
		.gpr = { (unsigned char *)gpr, 17, false },
	};
	assert_int_equal(table_add(t, &s, machine_thread(m, 1, 1), NULL), 0);
}

static void expect(struct keys_opts o, const char *want, void (*fill)(struct table *))
{
	simd = true;
	memset(gpr, 0, sizeof(gpr));
	o.sort = "dso";
	expect_columns(o, want, fill);
}

#define APX(want, fill)	   expect((struct keys_opts){ .apx = true }, want, fill)
#define SHADOW(want, fill) expect((struct keys_opts){ .shadow = true }, want, fill)

/* ---- --apx ------------------------------------------------------------------------------------- */

static void add_times(struct table *t, const char *ip, int n)
{
	while (n--)
		add(t, ip);
}

static void fill_full(struct table *t)
{
	add_times(t, a_full, 4);
}

static void fill_spare(struct table *t)
{
	simd = false; /* bits 24 on are not R16 to R31 then */
	gpr[0] = 1;
	add_times(t, a_spare, 4);
}

static void fill_call(struct table *t)
{
	add_times(t, a_call, 2);
	add_times(t, a_call + AFTER, 4);
	add_times(t, a_none, 2);
}

static void fill_far(struct table *t)
{
	add_times(t, a_call + FAR, 4);
}

static void fill_push(struct table *t)
{
	add_times(t, a_push, 4);
	add_times(t, a_none, 4);
}

/* Half of the samples, and yet too few to say anything. */
static void fill_few(struct table *t)
{
	add_times(t, a_push, 3);
	add_times(t, a_none, 3);
}

static void fill_quiet(struct table *t)
{
	add_times(t, a_none, 3);
}

/* R17 has two values, R18 one that is not zero. */
static void fill_apx(struct table *t)
{
	gpr[2] = 5;
	add(t, a_apx);
	gpr[1] = 7;
	add(t, a_none);
	gpr[2] = 5;
	add(t, a_none);
	gpr[1] = gpr[2] = 0;
	add(t, a_none);
}

static void test_apx(void **state)
{
	(void)state;
	/* Spills AtCalls PushPop Spare APXcode R16-31 Used Could */
	APX("100.0 0.0 0.0 2 0.0 0.0 0 r16-r31", fill_full);
	APX("100.0 0.0 0.0 14 0.0 - - free regs", fill_spare);
	APX("75.0 75.0 0.0 14 0.0 0.0 0 at calls", fill_call);
	APX("100.0 0.0 0.0 14 0.0 0.0 0 free regs", fill_far);
	APX("0.0 0.0 50.0 14 0.0 0.0 0 push2", fill_push);
	APX("0.0 0.0 50.0 14 0.0 0.0 0 -", fill_few);
	APX("0.0 0.0 0.0 15 0.0 0.0 0 -", fill_quiet);
	APX("0.0 0.0 0.0 14 25.0 75.0 2 is APX", fill_apx);
}

/* ---- --shadow-stack ---------------------------------------------------------------------------- */

#define TOP 0x7f0000400000

/* A chain of @frames, where the shadow stack has @calls return addresses. */
static void shadow(struct table *t, size_t frames, uint64_t calls)
{
	gpr[16] = TOP - 8 * calls;
	chain[0] = PERF_CONTEXT_USER;
	for (size_t i = 1; i <= frames; i++)
		chain[i] = (uint64_t)(uintptr_t)a_none;
	nr_chain = frames + 1;
	add(t, a_none);
}

static void fill_whole(struct table *t)
{
	shadow(t, 1, 0);
	shadow(t, 10, 9);
	shadow(t, 100, 99);
}

/* Two of four chains lack frames: one and six. */
static void fill_missed(struct table *t)
{
	shadow(t, 4, 3);
	shadow(t, 4, 3);
	shadow(t, 3, 3);
	shadow(t, 2, 7);
}

static void fill_more(struct table *t)
{
	shadow(t, 6, 3);
	shadow(t, 4, 3);
}

/* The kernel's part of a chain is on another stack. */
static void fill_kernel(struct table *t)
{
	shadow(t, 4, 3);
	memmove(chain + 3, chain, 5 * sizeof(*chain));
	chain[0] = PERF_CONTEXT_KERNEL;
	chain[1] = chain[2] = 0xffffffff81000000;
	nr_chain = 8;
	add(t, a_none);
}

static void fill_cut(struct table *t)
{
	shadow(t, 127, 1000);
	shadow(t, 4, 3);
}

static void fill_unknown(struct table *t)
{
	shadow(t, 4, 3);
	nr_chain = 0;
	add(t, a_none); /* no chain */
	simd = false;
	shadow(t, 4, 3);
	simd = true;
	shadow(t, 2, TOP / 8); /* no shadow stack: the pointer is 0 */
}

static void fill_nothing(struct table *t)
{
	add(t, a_none);
}

static void test_shadow(void **state)
{
	(void)state;
	/* Depth Missed Frames More Cut */
	SHADOW("37 0.0 0 0.0 0.0", fill_whole);
	SHADOW("5 50.0 7 0.0 0.0", fill_missed);
	SHADOW("4 0.0 0 50.0 0.0", fill_more);
	SHADOW("4 0.0 0 0.0 0.0", fill_kernel);
	SHADOW("4 0.0 0 0.0 50.0", fill_cut);
	SHADOW("4 0.0 0 0.0 0.0", fill_unknown);
	SHADOW("- - - - -", fill_nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_apx, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shadow, setup, teardown),
	};

	return cmocka_run_group_tests_name("table-apx", tests, NULL, NULL);
}

#else

static void needs(void **state)
{
	(void)state;
	skip_because("not an x86-64 machine, or built without Zydis");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(needs) };

	return cmocka_run_group_tests_name("table-apx", tests, NULL, NULL);
}

#endif
