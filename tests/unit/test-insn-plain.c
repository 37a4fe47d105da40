// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of what most code is made of, against both libraries: all opcodes with all second bytes, a few prefixes, and
 * what follows by chance. Whatever the tables say, a library says, too.
 */
#include "config.h"
#include "insn/insn-int.h"
#include "insn/plain-int.h"
#include "unit.h"

#define ADDR 0x401000

static const unsigned char prefix[][3] = {
	{ 0 },	     { 1, 0x66 },	{ 1, 0x40 },	   { 1, 0x41 },	      { 1, 0x42 },
	{ 1, 0x44 }, { 1, 0x48 },	{ 1, 0x4f },	   { 2, 0x66, 0x41 }, { 2, 0x66, 0x48 },
	{ 1, 0xf2 }, { 2, 0x66, 0x66 }, { 2, 0x41, 0x48 },
};

static uint32_t chance = 1;

static unsigned char any(void)
{
	chance = chance * 1664525 + 1013904223;
	return (unsigned char)(chance >> 24);
}

/* An instruction of @op in @code, which ends behind @size bytes. */
static size_t make(unsigned char *code, size_t nr, unsigned op, unsigned modrm)
{
	size_t n = 0;

	for (; n < prefix[nr][0]; n++)
		code[n] = prefix[nr][1 + n];
	if (op > 255)
		code[n++] = 0x0f;
	code[n++] = (unsigned char)op;
	code[n++] = (unsigned char)modrm;
	while (n < 16)
		code[n++] = any();
	return any() % 4 ? 16 : any() % 16;
}

static void describe(const char *what, const unsigned char *code, size_t size)
{
	char text[64];

	for (size_t i = 0; i < size; i++)
		snprintf(text + 3 * i, 4, "%02x ", code[i]);
	text[3 * size] = 0;
	fail_msg("%s differs: %s", what, text);
}

static bool same_insn(const struct insn *a, const struct insn *b)
{
	return a->branch == b->branch && a->has_target == b->has_target &&
	       (!a->has_target || a->target == b->target) && a->vector_bits == b->vector_bits &&
	       a->opmask == b->opmask && a->zero_upper == b->zero_upper &&
	       a->has_data == b->has_data && (!a->has_data || a->data == b->data) &&
	       a->mask == b->mask && a->len == b->len;
}

static bool same_general(const struct insn_general *a, const struct insn_general *b)
{
	return a->named == b->named && a->stack == b->stack && a->apx == b->apx &&
	       a->call == b->call;
}

static void check(const struct insn_library *l, void *d, const unsigned char *code, size_t size)
{
	struct insn_general g, general = { 0 };
	struct insn i, insn = { 0 };
	int len = insn_plain_decode(code, size, ADDR, &i);

	assert_int_equal(insn_plain_general(code, size, &g), len);
	if (!len)
		return;
	if (l->decode(d, code, size, ADDR, &insn) != len || !same_insn(&i, &insn))
		describe("what it does", code, size);
	if (l->general &&
	    (l->general(d, code, size, NULL, &general) != len || !same_general(&g, &general)))
		describe("what it names", code, size);
}

static void ask(const struct insn_library *l)
{
	unsigned char code[16];
	struct err e = { 0 };
	void *d;

	if (!l->open || l->open(&d, REGS_ARCH_X86, INSN_64BIT, &e))
		skip();
	for (size_t nr = 0; nr < ARRAY_SIZE(prefix); nr++)
		for (unsigned op = 0; op < 512; op++)
			for (unsigned modrm = 0; modrm < 256; modrm++)
				check(l, d, code, make(code, nr, op, modrm));
	l->close(d);
}

static void test_zydis(void **state)
{
	(void)state;
	ask(&insn_zydis);
}

static void test_capstone(void **state)
{
	(void)state;
	ask(&insn_capstone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zydis),
		cmocka_unit_test(test_capstone),
	};

	return cmocka_run_group_tests_name("insn-plain", tests, NULL, NULL);
}
