// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every opcode that the disassembler knows, in each of its forms, computed by the tracer and
 * executed by a thread of this CPU; vector code at all that the CPU has, and again as on a machine
 * without AVX-512, and without AVX.
 */
#include "unit.h"

#if defined(__x86_64__) && defined(__linux__)
#include "tracer-round.h"

/* What an encoding has beside its opcode. */
struct form {
	enum { LEGACY, VEX, EVEX } kind;
	unsigned map, pp,
		length; /* map: 0 = one byte, 1 = 0f, 2 = 0f 38, 3 = 0f 3a, 5 and 6 = FP16 */
	bool wide;
};

static const unsigned char prefix[] = { 0, 0x66, 0xf3, 0xf2 };

static unsigned put_map(struct encoding *x, const struct form *f)
{
	unsigned n = 0;

	if (prefix[f->pp])
		x->bytes[n++] = prefix[f->pp];
	if (f->wide || one_in(4)) /* REX, with bits that extend registers */
		x->bytes[n++] = (unsigned char)(0x40 | f->wide << 3 | (one_in(2) ? rnd() & 4 : 0));
	if (f->map)
		x->bytes[n++] = 0x0f;
	if (f->map > 1)
		x->bytes[n++] = f->map == 2 ? 0x38 : 0x3a;
	return n;
}

/* Registers are extended at random; @vvvv: 15 = none, which three operands take for register 0. */
static unsigned put_form(struct encoding *x, const struct form *f, unsigned vvvv)
{
	unsigned char rxb = (unsigned char)((rnd() & 0x80) | 0x60),
		      w = (unsigned char)(f->wide << 7);

	switch (f->kind) {
	case LEGACY: return put_map(x, f);
	case VEX:
		x->bytes[0] = 0xc4;
		x->bytes[1] = (unsigned char)(rxb | f->map);
		x->bytes[2] = (unsigned char)(w | vvvv << 3 | f->length << 2 | f->pp);
		return 3;
	default:
		x->bytes[0] = 0x62;
		x->bytes[1] = (unsigned char)(rxb | 0x10 | f->map);
		x->bytes[2] = (unsigned char)(w | vvvv << 3 | 4 | f->pp);
		/* zeroing, length, broadcast or rounding, mask */
		x->bytes[3] = (unsigned char)(f->length << 5 | 8 | (one_in(2) ? 0 : rnd() & 0x17) |
					      (one_in(4) ? 0x80 : 0));
		return 4;
	}
}

static void build(struct encoding *x, const struct form *f, unsigned opcode, unsigned reg,
		  unsigned mod, unsigned vvvv)
{
	unsigned n;

	*x = (struct encoding){ 0 };
	for (unsigned i = 0; i < sizeof(x->bytes); i++)
		x->bytes[i] = (unsigned char)rnd();
	n = put_form(x, f, vvvv);
	x->bytes[n++] = (unsigned char)opcode;
	/* memory: [rbx] */
	x->bytes[n] = (unsigned char)(mod << 6 | reg << 3 | (mod == 3 ? rnd() & 7 : 3));
}

/* With any vvvv, and where there may be none, without. EVEX has forms without mask and rounding. */
static void try_form(struct round *d, const struct form *f, unsigned opcode, unsigned reg,
		     unsigned mod, bool vector)
{
	for (unsigned tries = 0; tries < (f->kind == LEGACY ? 1 : 4); tries++) {
		build(&d->x, f, opcode, reg, mod, tries & 1 ? 15 : rnd() & 15);
		if (one_round(d, vector))
			return;
	}
}

/* SPARSE, as of meet in tests/lib.sh: sanitizers look at our own code, through which a part of the forms leads as well. */
static bool chosen(void)
{
	const char *sparse = getenv("SPARSE");

	return !sparse || one_in((unsigned)atoi(sparse));
}

static void every_opcode(struct round *d, const struct form *f, bool vector)
{
	/* ModRM.reg is part of the opcode in some rows of the two lower maps */
	unsigned regs = f->map < 2 ? 8 : 2;

	for (unsigned opcode = 0; opcode < 256; opcode++)
		for (unsigned reg = 0; reg < regs; reg++)
			for (unsigned mod = 0; mod <= 3; mod += 3)
				if (chosen())
					try_form(d, f, opcode, regs == 8 ? reg : rnd() & 7, mod,
						 vector);
}

/* d8 to df: each has a meaning for every register, and results that depend on numbers */
static void every_x87(struct round *d)
{
	static const struct form f = { .kind = LEGACY };

	for (unsigned n = 0; n < 8 * 2048; n++)
		if (chosen())
			try_form(d, &f, 0xd8 + n % 8, n / 8 % 8, n / 64 % 2 ? 3 : 0, true);
}

static void every_form(struct round *d, bool vector)
{
	static const struct {
		unsigned kind, first, last, lengths;
	} rows[] = { { LEGACY, 0, 3, 1 }, { VEX, 1, 3, 2 }, { EVEX, 1, 3, 3 }, { EVEX, 5, 6, 3 } };

	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
		for (unsigned map = rows[i].first; map <= rows[i].last; map++)
			for (unsigned n = 0; n < 8 * rows[i].lengths; n++) {
				struct form f = { rows[i].kind, map, n & 3, n >> 3, n >> 2 & 1 };

				every_opcode(d, &f, vector);
			}
}

/* How many vector instructions were executed; x87 is tried, and not counted. */
static unsigned vectors_at(struct round *d, const char *without)
{
	unsigned n;

	setenv("PERF_TRACER_WITHOUT", without, 1);
	vm_natives_free(d->vm);
	vm_natives_new(d->vm);
	d->natives = d->others = 0;
	every_form(d, true);
	n = d->natives;
	if (!*without)
		every_x87(d);
	print_message("# %u vectors and %u x87 executed here, %u interpreted, without '%s'\n", n,
		      d->natives - n, d->others, without);
	unsetenv("PERF_TRACER_WITHOUT");
	vm_natives_free(d->vm);
	vm_natives_new(d->vm);
	return n;
}

static void test_vectors(void **state)
{
	struct round *d = *state;
	unsigned all = vectors_at(d, ""), avx = vectors_at(d, "avx512"), sse = vectors_at(d, "avx");

	assert_true(sse > 300);
	/* forms are drawn at random: as many is about as many */
	assert_int_equal(avx > sse + sse / 20, !!__builtin_cpu_supports("avx2"));
	assert_int_equal(all > avx + avx / 20, !!__builtin_cpu_supports("avx512bw"));
}

static void test_others(void **state)
{
	struct round *d = *state;

	d->others = 0;
	every_form(d, false);
	print_message("# %u instructions interpreted\n", d->others);
	assert_true(d->others > 600);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vectors),
		cmocka_unit_test(test_others),
	};
	struct vm_insn in = { 0 };

	if (!vm_decode(&in, (const unsigned char *)"\x90", 1)) {
		puts("1..0 # SKIP built without Zydis");
		return 0;
	}
	return cmocka_run_group_tests_name("tracer-every", tests, set_up, tear_down);
}
#else
int main(void)
{
	puts("1..0 # SKIP the tracer is for Linux on x86-64");
	return 0;
}
#endif
