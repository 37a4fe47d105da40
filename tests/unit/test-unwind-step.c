// SPDX-License-Identifier: GPL-2.0-or-later
/* One step up a stack: rules on registers and memory, and the expressions that rules may hold. */
#include "unit.h"

#include "unwind/cfi-libdw-int.h"

#if HAVE_LIBDW

#include <dwarf.h>

/* Memory: 64 words at 0x7000, each holding its own address + 1. */
static bool memory(void *ctx, uint64_t addr, unsigned size, uint64_t *v)
{
	(void)ctx;
	if (addr < 0x7000 || addr + size > 0x7200)
		return false;
	*v = addr + 1;
	return true;
}

enum { RBP = 6, RSP = 7, RIP = 16 };

static struct cfi_regs start(void)
{
	struct cfi_regs r = { 0 };

	cfi_set(&r, RBP, 0x7080);
	cfi_set(&r, RSP, 0x7040);
	cfi_set(&r, RIP, 0x40100b);
	return r;
}

static void test_saved(void **state)
{
	struct cfi c = { 0 };
	struct cfi_rule rule = {
		.cfa_reg = RSP,
		.cfa_off = 16,
		.ra_reg = RIP,
		.nr = 2,
		.regs = { { .reg = RBP, .how = CFI_AT_CFA, .off = -16 },
			  { .reg = RIP, .how = CFI_AT_CFA, .off = -8 } },
	};
	struct cfi_regs r = start();
	uint64_t pc;

	(void)state;
	assert_true(cfi_step(&c, &rule, &r, RSP, 8, memory, NULL, &pc));
	assert_int_equal(pc, 0x7048 + 1);
	assert_int_equal(r.v[RSP], 0x7050);
	assert_int_equal(r.v[RBP], 0x7040 + 1);
}

static void test_ends(void **state)
{
	struct cfi c = { 0 };
	struct cfi_rule rule = {
		.cfa_reg = RSP,
		.cfa_off = 16,
		.ra_reg = RIP,
		.nr = 1,
		.regs = { { .reg = RIP, .how = CFI_UNDEFINED } },
	};
	struct cfi_regs r = start();
	uint64_t pc;

	(void)state;
	/* An undefined return address is the outermost frame. */
	assert_false(cfi_step(&c, &rule, &r, RSP, 8, memory, NULL, &pc));
	/* Memory that nobody copied. */
	r = start();
	rule.regs[0] = (struct cfi_reg){ .reg = RIP, .how = CFI_AT_CFA, .off = 0x1000 };
	assert_false(cfi_step(&c, &rule, &r, RSP, 8, memory, NULL, &pc));
	/* A CFA from a register that is not known. */
	r = start();
	rule.cfa_reg = 3;
	assert_false(cfi_step(&c, &rule, &r, RSP, 8, memory, NULL, &pc));
}

/* s390: a leaf function has saved nothing, and its CFA is 160 above the caller's stack pointer. */
static void test_kept(void **state)
{
	enum { R14 = 14, R15 = 15 };
	struct cfi c = { 0 };
	struct cfi_rule rule = { .cfa_reg = R15, .cfa_off = 160, .ra_reg = R14 };
	struct cfi_regs r = { 0 };
	uint64_t pc;

	(void)state;
	cfi_set(&r, R14, 0x40100b);
	cfi_set(&r, R15, 0x7040);
	assert_true(cfi_step(&c, &rule, &r, CFI_MAX_REG, 8, memory, NULL, &pc));
	assert_int_equal(pc, 0x40100b);
	assert_int_equal(r.v[R15], 0x7040);
}

static void test_values(void **state)
{
	struct cfi c = { 0 };
	struct cfi_rule rule = {
		.cfa_reg = RBP,
		.cfa_off = 0,
		.ra_reg = RIP,
		.nr = 3,
		.regs = { { .reg = RIP, .how = CFI_REG, .off = RBP },
			  { .reg = RSP, .how = CFI_CFA_PLUS, .off = 32 },
			  { .reg = 3, .how = CFI_REG, .off = 60 } },
	};
	struct cfi_regs r = start();
	uint64_t pc;

	(void)state;
	assert_true(cfi_step(&c, &rule, &r, RSP, 8, memory, NULL, &pc));
	assert_int_equal(pc, 0x7080);
	assert_int_equal(r.v[RSP], 0x70a0);
	assert_false(cfi_known(&r, 3));
}

#define OP(a, ...)                         \
	{                                  \
		.atom = (a), ##__VA_ARGS__ \
	}

/* The CFA of PLT stubs: rsp + 8 + ((rip & 15) >= 11) * 8. */
static const Dwarf_Op plt[] = {
	OP(DW_OP_breg7, .number = 8, .offset = 0),
	OP(DW_OP_breg16, .number = 0, .offset = 2),
	OP(DW_OP_lit15, .offset = 4),
	OP(DW_OP_and, .offset = 5),
	OP(DW_OP_lit11, .offset = 6),
	OP(DW_OP_ge, .offset = 7),
	OP(DW_OP_lit3, .offset = 8),
	OP(DW_OP_shl, .offset = 9),
	OP(DW_OP_plus, .offset = 10),
};
static const Dwarf_Op deref[] = { OP(DW_OP_breg7, .number = 8), OP(DW_OP_deref) };
static const Dwarf_Op stack[] = {
	OP(DW_OP_lit1), OP(DW_OP_lit2), OP(DW_OP_lit3), OP(DW_OP_rot),	 OP(DW_OP_swap),
	OP(DW_OP_over), OP(DW_OP_dup),	OP(DW_OP_drop), OP(DW_OP_minus), OP(DW_OP_mul),
};
/* With one value on the stack. */
static const Dwarf_Op dup_drop[] = { OP(DW_OP_breg7, .number = 8), OP(DW_OP_dup), OP(DW_OP_drop) };
static const Dwarf_Op pick[] = { OP(DW_OP_lit5), OP(DW_OP_pick, .number = 0), OP(DW_OP_plus) };
static const Dwarf_Op neg[] = { OP(DW_OP_lit5), OP(DW_OP_neg) };
static const Dwarf_Op invert[] = { OP(DW_OP_lit5), OP(DW_OP_not) };
static const Dwarf_Op abs_neg[] = { OP(DW_OP_const1s, .number = (Dwarf_Word)-5), OP(DW_OP_abs) };
static const Dwarf_Op one[] = { OP(DW_OP_lit5), OP(DW_OP_plus) };
static const Dwarf_Op empty[] = { OP(DW_OP_plus) };
static const Dwarf_Op forever[] = { OP(DW_OP_nop, .offset = 0),
				    OP(DW_OP_skip, .number = (Dwarf_Word)-4, .offset = 1) };
/* The CFA in front, as libdw puts it: 5, over what would divide it, and back to the end. */
static const Dwarf_Op jumps[] = {
	OP(DW_OP_const1u, .number = 9, .offset = (Dwarf_Word)-1),
	OP(DW_OP_skip, .number = 4, .offset = 0),
	OP(DW_OP_lit5, .offset = 3),
	OP(DW_OP_skip, .number = 5, .offset = 4),
	OP(DW_OP_lit1, .offset = 7),
	OP(DW_OP_bra, .number = (Dwarf_Word)-8, .offset = 8),
	OP(DW_OP_drop, .offset = 11),
	OP(DW_OP_nop, .offset = 12),
};
static const Dwarf_Op unmapped[] = { OP(DW_OP_lit0), OP(DW_OP_deref) };
static const Dwarf_Op unknown[] = { OP(DW_OP_fbreg, .number = 1) };
static const Dwarf_Op zero_div[] = { OP(DW_OP_lit5), OP(DW_OP_lit0), OP(DW_OP_div), OP(DW_OP_lit7),
				     OP(DW_OP_plus) };

static const struct {
	const Dwarf_Op *ops;
	size_t n;
	bool ok;
	uint64_t cfa;
} exprs[] = {
	{ plt, ARRAY_SIZE(plt), true, 0x7050 },
	{ deref, ARRAY_SIZE(deref), true, 0x7049 },
	/* 1 2 3 -> rot 3 1 2 -> swap 3 2 1 -> over 3 2 1 2 -> minus 3 2 -1 -> mul 3 -2 */
	{ stack, ARRAY_SIZE(stack), true, (uint64_t)-2 },
	{ dup_drop, ARRAY_SIZE(dup_drop), true, 0x7048 },
	{ pick, ARRAY_SIZE(pick), true, 10 },
	{ neg, ARRAY_SIZE(neg), true, (uint64_t)-5 },
	{ invert, ARRAY_SIZE(invert), true, ~5ULL },
	{ abs_neg, ARRAY_SIZE(abs_neg), true, 5 },
	{ one, ARRAY_SIZE(one), false, 0 },
	{ empty, ARRAY_SIZE(empty), false, 0 },
	{ forever, ARRAY_SIZE(forever), false, 0 },
	{ jumps, ARRAY_SIZE(jumps), true, 5 },
	{ unmapped, ARRAY_SIZE(unmapped), false, 0 },
	{ unknown, ARRAY_SIZE(unknown), false, 0 },
	{ zero_div, ARRAY_SIZE(zero_div), true, 7 },
};

static void test_expressions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(exprs); i++) {
		struct expr e = { exprs[i].ops, exprs[i].n };
		struct cfi c = { .exprs = { .v = &e, .n = 1 } };
		struct cfi_rule rule = { .cfa_expr = true, .ra_reg = RIP };
		struct cfi_regs r = start();
		uint64_t pc;

		assert_int_equal(cfi_step(&c, &rule, &r, RSP, 8, memory, NULL, &pc), exprs[i].ok);
		if (exprs[i].ok)
			assert_int_equal(r.v[RSP], exprs[i].cfa);
	}
}

/* As libdw makes them, anew for each address and with anything between the members. */
static void test_shared_expressions(void **state)
{
	struct cfi c = { 0 };
	uint16_t first, nr;

	(void)state;
	assert_int_equal(cfi_add_expr(&c, stack, ARRAY_SIZE(stack), &first), 0);
	for (unsigned i = 0; i < 70000; i++) {
		Dwarf_Op ops[ARRAY_SIZE(deref)];

		memset(ops, (int)i, sizeof(ops));
		for (size_t k = 0; k < ARRAY_SIZE(deref); k++) {
			ops[k].atom = deref[k].atom;
			ops[k].number = deref[k].number;
			ops[k].number2 = deref[k].number2;
			ops[k].offset = deref[k].offset;
		}
		assert_int_equal(cfi_add_expr(&c, ops, ARRAY_SIZE(ops), &nr), 0);
		assert_int_equal(nr, first + 1);
	}
	assert_int_equal(cfi_add_expr(&c, deref, 1, &nr), 0);
	assert_int_equal(nr, first + 2);
	assert_int_equal(c.exprs.n, 3);
	vec_free(&c.exprs);
	htab_free(&c.by_expr);
	arena_free(&c.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saved),	    cmocka_unit_test(test_ends),
		cmocka_unit_test(test_kept),	    cmocka_unit_test(test_values),
		cmocka_unit_test(test_expressions), cmocka_unit_test(test_shared_expressions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	printf("1..0 # SKIP built without libdw\n");
	return 0;
}

#endif
