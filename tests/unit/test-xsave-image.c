// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Images: random contents encoded here, by an encoder that knows only sizes, and decoded by the
 * room; and headers that must be refused.
 */
#include "unit.h"
#include "xsave/xsave.h"

#define ROUNDS_PER_CPU_AND_FORM 10000 /* x 5 CPUs x 2 forms */
#define MAX_IMAGE		16384

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t rnd(void)
{
	return unit_random(&seed);
}

/* What goes in: the architectural state, and which components are in use. */
struct truth {
	uint64_t used, room;
	bool compacted;
	uint64_t zmm[32][8], k[8], r16[16], cet[2], pkru;
	uint64_t lbr[5 + 3 * 32];
	uint32_t mxcsr;
};

static void put(unsigned char *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (unsigned char)(v >> 8 * i);
}

static void put_words(unsigned char *p, const uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put(p + 8 * i, v[i]);
}

/* The bytes of component @nr at @p. Others than those decoded are left as random filler. */
static void encode_component(const struct truth *t, unsigned nr, unsigned char *p)
{
	for (int i = 0; i < 16; i++) {
		if (nr == 1)
			put_words(p + 16 * i, t->zmm[i], 2);
		if (nr == 2)
			put_words(p + 16 * i, t->zmm[i] + 2, 2);
		if (nr == 6)
			put_words(p + 32 * i, t->zmm[i] + 4, 4);
		if (nr == 7)
			put_words(p + 64 * i, t->zmm[16 + i], 8);
	}
	if (nr == 5)
		put_words(p, t->k, 8);
	if (nr == 9)
		put(p, t->pkru);
	if (nr == 11)
		put_words(p, t->cet, 2);
	if (nr == 15)
		put_words(p, t->lbr, 5 + 3 * 32);
	if (nr == 19)
		put_words(p, t->r16, 16);
}

static size_t encode(const struct xsave_cpu *cpu, const struct truth *t, unsigned char *p)
{
	size_t pos = 576, end = 576;

	for (size_t i = 0; i < MAX_IMAGE; i += 8)
		put(p + i, rnd()); /* stale bytes of components that are not in use */
	memset(p + 512, 0, 64);
	put(p + 512, t->used);
	put(p + 520, t->compacted ? 1ULL << 63 | t->room : 0);
	p[24] = t->mxcsr & 0xff, p[25] = t->mxcsr >> 8, p[26] = p[27] = 0;
	memset(p + 28, 0, 4);
	if (t->used & 2)
		encode_component(t, 1, p + 160);
	for (unsigned nr = 2; nr < 20; nr++) {
		if (!((t->compacted ? t->room : cpu->xcr0) >> nr & 1))
			continue;
		if (!t->compacted)
			pos = cpu->comp[nr].offset;
		else if (nr == 17 || nr == 18)
			pos = (pos + 63) / 64 * 64;
		if (t->used >> nr & 1)
			encode_component(t, nr, p + pos);
		pos += cpu->comp[nr].size;
		end = pos > end ? pos : end;
	}
	return end;
}

static void random_truth(const struct xsave_cpu *cpu, bool compacted, struct truth *t)
{
	uint64_t *w = &t->zmm[0][0];

	t->compacted = compacted;
	t->room = (compacted ? rnd() & (cpu->xcr0 | cpu->xss) : cpu->xcr0) | 3;
	t->used = rnd() & t->room;
	for (int i = 0; i < 256; i++)
		w[i] = rnd() % 4 ? rnd() : 0;
	for (int i = 0; i < 8; i++)
		t->k[i] = rnd();
	for (int i = 0; i < 16; i++)
		t->r16[i] = rnd();
	t->cet[0] = rnd();
	t->cet[1] = rnd();
	t->pkru = rnd() & 0xffffffff;
	t->mxcsr = rnd() & 0xffbf;
	for (size_t i = 0; i < ARRAY_SIZE(t->lbr); i++)
		t->lbr[i] = rnd() | 1;
	t->lbr[1] = 8 * (1 + rnd() % 4);
	if (rnd() % 2)
		t->lbr[5 + 3 * (rnd() % 32)] = 0; /* the list ends early */
}

static void check_vectors(const struct xsave_image *im, const struct truth *t, uint64_t have)
{
	for (unsigned n = 0; n < 32; n++)
		for (unsigned q = 2; q <= 8; q *= 2) {
			uint64_t need = n >= 16 ? 0x80 : q == 2 ? 2 : q == 4 ? 6 : 0x46;
			uint64_t got[8];
			uint8_t live, want_live = 0;
			enum xsave_state s = xsave_vector(im, n, q, got, &live);

			if (need & ~have) {
				assert_int_equal(s, XSAVE_ABSENT);
				continue;
			}
			for (unsigned i = 0; i < q; i++) {
				unsigned nr = n >= 16 ? 7 : i < 2 ? 1 : i < 4 ? 2 : 6;
				bool used = t->used >> nr & 1;

				want_live |= used << i;
				assert_true(got[i] == (used ? t->zmm[n][i] : 0));
			}
			assert_int_equal(live, want_live);
			assert_int_equal(s, want_live ? XSAVE_VALUE : XSAVE_INIT);
		}
}

static enum xsave_state want_state(const struct truth *t, uint64_t have, unsigned nr)
{
	return !(have >> nr & 1) ? XSAVE_ABSENT : t->used >> nr & 1 ? XSAVE_VALUE : XSAVE_INIT;
}

static void check_scalars(const struct xsave_image *im, const struct truth *t, uint64_t have)
{
	uint64_t v;
	uint32_t w;

	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(xsave_opmask(im, i, &v), want_state(t, have, 5));
		assert_true(v == (want_state(t, have, 5) == XSAVE_VALUE ? t->k[i] : 0));
	}
	for (unsigned i = 16; i < 32; i++) {
		assert_int_equal(xsave_egpr(im, i, &v), want_state(t, have, 19));
		assert_true(v == (want_state(t, have, 19) == XSAVE_VALUE ? t->r16[i - 16] : 0));
	}
	assert_int_equal(xsave_ssp(im, &v), want_state(t, have, 11));
	assert_true(v == (want_state(t, have, 11) == XSAVE_VALUE ? t->cet[1] : 0));
	assert_int_equal(xsave_pkru(im, &w), want_state(t, have, 9));
	assert_true(w == (want_state(t, have, 9) == XSAVE_VALUE ? t->pkru : 0));
	assert_int_equal(xsave_mxcsr(im, &w), t->used & 6 ? XSAVE_VALUE : XSAVE_INIT);
	assert_int_equal(w, t->used & 6 ? t->mxcsr : 0x1f80);
}

static void check_lbr(const struct xsave_image *im, const struct truth *t, uint64_t have)
{
	struct xsave_lbr lbr;
	enum xsave_state s;
	unsigned n = 0;

	assert_int_equal(xsave_lbr(im, &lbr, &s, NULL), 0);
	assert_int_equal(s, want_state(t, have, 15));
	if (s != XSAVE_VALUE)
		return;
	assert_true(lbr.ctl == t->lbr[0]);
	assert_int_equal(lbr.call_stack, t->lbr[0] >> 3 & 1);
	while (n < t->lbr[1] && t->lbr[5 + 3 * n])
		n++;
	assert_int_equal(lbr.nr, n);
	for (unsigned i = 0; i < n; i++) {
		const uint64_t *w = t->lbr + 5 + 3 * i;

		assert_true(lbr.entry[i].from == w[0] && lbr.entry[i].to == w[1]);
		assert_int_equal(lbr.entry[i].mispred, w[2] >> 63);
		assert_int_equal(lbr.entry[i].in_tx, w[2] >> 62 & 1);
		assert_int_equal(lbr.entry[i].abort, w[2] >> 61 & 1);
		assert_int_equal(lbr.entry[i].cycles_valid, w[2] >> 60 & 1);
		assert_int_equal(lbr.entry[i].type, w[2] >> 56 & 15);
		assert_int_equal(lbr.entry[i].counters, w[2] >> 32 & 255);
		assert_int_equal(lbr.entry[i].cycles, w[2] & 65535);
	}
}

static void test_round_trips(void **state)
{
	static unsigned char image[MAX_IMAGE];
	static struct truth t;
	struct xsave_image im;
	struct err e = { 0 };
	unsigned done = 0;

	(void)state;
	for (int c = 0; xsave_cpu_described(c); c++)
		for (int i = 0; i < 2 * ROUNDS_PER_CPU_AND_FORM; i++, done++) {
			const struct xsave_cpu *cpu = xsave_cpu_described(c);
			size_t size;

			random_truth(cpu, i & 1, &t);
			size = encode(cpu, &t, image);
			assert_int_equal(xsave_image_open(&im, cpu, image, size, &e), 0);
			check_vectors(&im, &t, t.room);
			check_scalars(&im, &t, t.room);
			check_lbr(&im, &t, t.room);
		}
	assert_int_equal(done, 100000);
}

/* Every byte of random garbage in the header, and every cut: refused or decoded, never beyond. */
static void test_garbage(void **state)
{
	static struct truth t;
	struct xsave_image im;
	unsigned opened = 0;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const struct xsave_cpu *cpu = xsave_cpu_described(i % 5);
		unsigned char *exact, image[MAX_IMAGE];
		size_t size;

		random_truth(cpu, i & 1, &t);
		size = encode(cpu, &t, image);
		for (int k = rnd() % 3; k > 0; k--)
			image[512 + rnd() % 16] ^= 1 << rnd() % 8;
		size = rnd() % 4 ? size : rnd() % (size + 100);
		exact = malloc(size ? size : 1); /* so that a sanitizer sees a read past the end */
		memcpy(exact, image, size);
		if (!xsave_image_open(&im, cpu, exact, size, NULL)) {
			struct xsave_lbr lbr;
			enum xsave_state s;
			uint64_t q[8];
			uint32_t w;

			opened++;
			for (unsigned n = 0; n < 32; n++)
				xsave_vector(&im, n, 8, q, NULL);
			xsave_opmask(&im, 7, q);
			xsave_egpr(&im, 31, q);
			xsave_ssp(&im, q);
			xsave_pkru(&im, &w);
			xsave_lbr(&im, &lbr, &s, NULL);
		}
		free(exact);
	}
	assert_in_range(opened, 1000, 19000);
}

static void refused(const struct xsave_cpu *cpu, const unsigned char *p, size_t size,
		    const char *why)
{
	struct xsave_image im;
	struct err e = { 0 };

	assert_int_equal(xsave_image_open(&im, cpu, p, size, &e), -EINVAL);
	if (!strstr(e.text, why))
		fail_msg("'%s' does not say '%s'", e.text, why);
}

static void test_refusals(void **state)
{
	const struct xsave_cpu *spr = xsave_cpu_find("spr"), *zen4 = xsave_cpu_find("zen4");
	static unsigned char p[MAX_IMAGE];
	struct xsave_image im;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(xsave_image_open(&im, zen4, p, 2440, &e), 0); /* all initial */
	refused(zen4, p, 575, "cut: 575 bytes");
	refused(zen4, p, 0, "cut: 0 bytes");
	refused(zen4, p, 2561, "fills only 2440");
	put(p + 512, 1 << 15);
	refused(zen4, p, 2440, "component 15 (lbr), which Zen 4 lacks");
	refused(spr, p, 11008, "supervisor state");
	put(p + 512, 4);
	refused(zen4, p, 831, "component 2 (avx) ends at byte 832 of 831");
	assert_int_equal(xsave_image_open(&im, zen4, p, 832, &e), 0);
	put(p + 520, 4);
	refused(zen4, p, 2440, "XCOMP_BV 0x4 without bit 63");
	put(p + 520, 1ULL << 63 | 3);
	refused(zen4, p, 576, "without room in XCOMP_BV");
	put(p + 520, 1ULL << 63 | 4);
	put(p + 512, 2);
	refused(zen4, p, 832, "not within XCOMP_BV");
	put(p + 520, 1ULL << 63 | 1ULL << 30);
	refused(spr, p, 11008, "names component 30 (unknown)");
	put(p + 520, 1ULL << 63 | 1ULL << 62);
	refused(spr, p, 11008, "names component 62");
	put(p + 520, 1ULL << 63 | 7);
	refused(zen4, p, 831, "ends at byte 832 of 831");
	refused(zen4, p, 2440, "fills only 832");
	p[528] = 1;
	refused(zen4, p, 832, "reserved header byte 528");
	p[528] = 0;
	p[575] = 0x80;
	refused(zen4, p, 832, "reserved header byte 575");
	p[575] = 0;
	p[26] = 2; /* MXCSR bit 17: AMD's misaligned mode, if the mask allows it */
	refused(zen4, p, 832, "MXCSR 0x20000");
	p[28] = 0xff, p[29] = 0xff, p[30] = 2;
	assert_int_equal(xsave_image_open(&im, zen4, p, 832, &e), 0);
}

static void test_lbr_depth_refused(void **state)
{
	const struct xsave_cpu *spr = xsave_cpu_find("spr");
	static unsigned char p[576 + 808];
	struct xsave_image im;
	struct xsave_lbr lbr;
	enum xsave_state s;
	struct err e = { 0 };

	(void)state;
	put(p + 512, 1 << 15);
	put(p + 520, 1ULL << 63 | 1 << 15);
	put(p + 576 + 8, 33);
	assert_int_equal(xsave_image_open(&im, spr, p, sizeof(p), &e), 0);
	assert_int_equal(xsave_lbr(&im, &lbr, &s, &e), -EINVAL);
	assert_non_null(strstr(e.text, "33 entries"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_lbr_depth_refused),
	};

	return cmocka_run_group_tests_name("xsave-image", tests, NULL, NULL);
}
