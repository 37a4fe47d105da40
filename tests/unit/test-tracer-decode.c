// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables that decode most instructions of a walk, and the library: whatever the tables have must come out
 * of both alike, to the last field. All opcodes, all of ModRM, with the prefixes that the tables know and with some
 * that they do not.
 */
#include "unit.h"

#include "tracer/vm-int.h"

static const unsigned char prefixes[][4] = {
	/* how many, and which */
	{ 0 },
	{ 1, 0x66 },
	{ 1, 0x48 },
	{ 1, 0x40 },
	{ 1, 0x41 },
	{ 1, 0x42 },
	{ 1, 0x44 },
	{ 1, 0x4f },
	{ 1, 0x64 },
	{ 2, 0x65, 0x4c },
	{ 1, 0x3e },
	{ 1, 0x2e },
	{ 2, 0x66, 0x2e },
	{ 2, 0x2e, 0x66 },
	{ 2, 0x66, 0x45 },
	{ 2, 0x66, 0x48 },
	{ 2, 0x64, 0x66 },
	{ 2, 0x48, 0x66 },
	{ 2, 0x66, 0x66 },
	{ 2, 0x64, 0x65 },
	{ 1, 0xf3 },
	{ 1, 0xf2 },
	{ 1, 0xf0 },
	{ 1, 0x67 },
};

static const unsigned char tails[][12] = {
	{ 0x24, 0x80, 0xff, 0xff, 0x7f, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde },
	{ 0x65, 0x7f, 0x80, 0x00, 0x80, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32 },
	{ 0xe5, 0x01, 0x02, 0x03, 0x84, 0x80, 0x80, 0x80, 0x80, 0x00, 0x00, 0x80 },
	{ 0x8b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
};

static unsigned long seen, plain;

static struct vm_insn begun(const unsigned char *bytes, size_t n)
{
	struct vm_insn in = { .addr = 0x401000 };

	memcpy(in.bytes, bytes, min_u64(n, sizeof(in.bytes)));
	return in;
}

static void say(const char *who, const struct vm_insn *in)
{
	print_message("%s: op %u size %u len %u cond %u rep %u branch %u nr %u regs %x flags %x\n",
		      who, in->op, in->size, in->len, in->cond, in->rep, in->branch, in->nr,
		      in->regs_written, in->flags_written);
	for (unsigned i = 0; i < in->nr; i++) {
		const struct vm_opd *o = &in->opd[i];

		print_message(
			"   kind %u size %u reg %u base %u index %u scale %u seg %u high %u rip %u written %u "
			"value %lld\n",
			o->kind, o->size, o->reg, o->base, o->index, o->scale, o->seg, o->high,
			o->rip, o->written, (long long)o->value);
	}
}

static bool same_operand(const struct vm_opd *a, const struct vm_opd *b)
{
	return a->kind == b->kind && a->size == b->size && a->reg == b->reg && a->base == b->base &&
	       a->index == b->index && a->scale == b->scale && a->seg == b->seg &&
	       a->high == b->high && a->rip == b->rip && a->written == b->written &&
	       a->value == b->value;
}

static bool same_vector(const struct vm_vector *a, const struct vm_vector *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->opd); i++)
		if (a->opd[i].reg != b->opd[i].reg || a->opd[i].at != b->opd[i].at)
			return false;
	return a->op == b->op && a->nr == b->nr && a->size == b->size && a->vex == b->vex &&
	       a->needs == b->needs;
}

/* All fields, and not what lies between them. */
static bool same(const struct vm_insn *a, const struct vm_insn *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->opd); i++)
		if (!same_operand(&a->opd[i], &b->opd[i]))
			return false;
	return a->addr == b->addr && a->checked == b->checked && a->next[0] == b->next[0] &&
	       a->next[1] == b->next[1] && a->op == b->op && a->cond == b->cond &&
	       a->size == b->size && a->rep == b->rep && a->branch == b->branch && a->nr == b->nr &&
	       a->len == b->len && a->regs_written == b->regs_written &&
	       a->flags_written == b->flags_written && a->native == b->native &&
	       a->vector == b->vector && !memcmp(a->bytes, b->bytes, sizeof(a->bytes)) &&
	       same_vector(&a->simd, &b->simd);
}

static void check(const unsigned char *bytes, size_t n)
{
	struct vm_insn a = begun(bytes, n), b = begun(bytes, n);

	seen++;
	if (!vm_decode_plain(&a, bytes, n))
		return;
	plain++;
	if (vm_decode_library(&b, bytes, n) && same(&a, &b))
		return;
	for (size_t i = 0; i < n; i++)
		print_message("%02x ", bytes[i]);
	print_message("\n");
	say("tables", &a);
	say("library", &b);
	fail_msg("the tables and the library differ");
}

static void test_all(void **state)
{
	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(prefixes); p++)
		for (unsigned two = 0; two < 2; two++)
			for (unsigned op = 0; op < 256; op++)
				for (unsigned modrm = 0; modrm < 256; modrm++)
					for (size_t t = 0; t < ARRAY_SIZE(tails); t++) {
						unsigned char b[20];
						size_t n = prefixes[p][0];

						memcpy(b, prefixes[p] + 1, n);
						if (two)
							b[n++] = 0x0f;
						b[n++] = (unsigned char)op;
						b[n++] = (unsigned char)modrm;
						memcpy(b + n, tails[t], sizeof(tails[t]));
						check(b, sizeof(((struct vm_insn *)0)->bytes));
					}
	/* most of what code is made of is in the tables */
	assert_true(plain > seen / 8);
}

static void test_sib(void **state)
{
	(void)state;
	for (unsigned rex = 0x40; rex < 0x50; rex++)
		for (unsigned mod = 0; mod < 3; mod++)
			for (unsigned sib = 0; sib < 256; sib++) {
				unsigned char b[15] = { (unsigned char)rex,
							0x8b,
							(unsigned char)(mod << 6 | 4),
							(unsigned char)sib,
							0x81,
							0x92,
							0xa3,
							0xb4 };

				check(b, sizeof(b));
			}
}

/* Bytes that end too soon are none, for both. */
static void test_cut(void **state)
{
	static const unsigned char whole[][15] = {
		{ 0x48, 0x81, 0x84, 0x24, 1, 2, 3, 4, 5, 6, 7, 8 },
		{ 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 },
		{ 0x0f, 0x84, 1, 2, 3, 4 },
		{ 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0xf3, 0x0f, 0x1e, 0xfa },
		{ 0xc3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		struct vm_insn in = begun(whole[i], sizeof(whole[i]));
		unsigned len;

		assert_true(vm_decode_plain(&in, whole[i], sizeof(whole[i])));
		len = in.len;
		for (unsigned n = 0; n < len; n++) {
			unsigned char b[15];

			memcpy(b, whole[i], n);
			in = begun(b, n);
			assert_false(vm_decode_plain(&in, b, n));
			in = begun(b, n);
			assert_false(vm_decode_library(&in, b, n));
		}
		check(whole[i], len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_sib),
		cmocka_unit_test(test_cut),
	};

	if (!vm_decode(&(struct vm_insn){ 0 }, (const unsigned char *)"\x90", 1)) {
		puts("1..0 # SKIP built without Zydis");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
