// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One XSAVE image: its header checked against the CPU, registers out of it. Everything is checked
 * at the opening, with the reason for a refusal, so that accessors need no error: behind it each
 * component that is in use lies whole within the bytes. A component not in use is XSAVE_INIT,
 * never a zero that nobody stored.
 */
#include "base/bytes.h"
#include "xsave.h"

#define OFF_MXCSR	   24
#define OFF_MXCSR_MASK	   28
#define OFF_ST0		   32
#define OFF_KERNEL_XCR0	   464 /* in the part of the legacy region that is left to software */
#define OFF_XSTATE_BV	   512
#define OFF_XCOMP_BV	   520
#define OFF_RESERVED	   528
#define MXCSR_INIT	   0x1f80
#define MXCSR_DEFAULT_MASK 0xffbf /* when the image states none */
#define SSE_MXCSR_BITS	   (BIT(XSAVE_SSE) | BIT(XSAVE_AVX))

static int check_set(const struct xsave_cpu *cpu, const char *field, uint64_t set, struct err *e)
{
	uint64_t missing = set & ~(cpu->xcr0 | cpu->xss);

	if (!missing)
		return 0;
	return err_set(e, -EINVAL, "XSAVE image: %s 0x%llx names component %d (%s), which %s lacks",
		       field, (unsigned long long)set, __builtin_ctzll(missing),
		       xsave_name(__builtin_ctzll(missing)), cpu->title);
}

static int check_reserved(const unsigned char *p, uint64_t used, struct err *e)
{
	uint32_t mxcsr = load_u32(p + OFF_MXCSR, host_is_big_endian());
	uint32_t mask = load_u32(p + OFF_MXCSR_MASK, host_is_big_endian());

	for (int i = OFF_RESERVED; i < XSAVE_MIN_SIZE; i++)
		if (p[i])
			return err_set(e, -EINVAL, "XSAVE image: reserved header byte %d is 0x%02x",
				       i, p[i]);
	if ((used & SSE_MXCSR_BITS) && (mxcsr & ~(mask ? mask : MXCSR_DEFAULT_MASK)))
		return err_set(e, -EINVAL, "XSAVE image: MXCSR 0x%x has reserved bits set", mxcsr);
	return 0;
}

/* Picks the form by XCOMP_BV and finds the components. */
static int find_layout(struct xsave_image *im, struct err *e)
{
	const struct xsave_cpu *cpu = im->cpu;
	uint64_t room = im->xcomp_bv & ~XSAVE_COMPACTED;
	int ret;

	if (!(im->xcomp_bv & XSAVE_COMPACTED)) {
		if (room)
			return err_set(e, -EINVAL,
				       "XSAVE image: XCOMP_BV 0x%llx without bit 63 (compacted)",
				       (unsigned long long)im->xcomp_bv);
		if (im->xstate_bv & cpu->xss)
			return err_set(
				e, -EINVAL,
				"XSAVE image: XSTATE_BV 0x%llx has supervisor state, which the "
				"standard form cannot hold",
				(unsigned long long)im->xstate_bv);
		return xsave_layout(cpu, cpu->xcr0, XSAVE_FORMAT_STANDARD, &im->layout, e);
	}
	ret = check_set(cpu, "XCOMP_BV", room, e);
	if (ret)
		return ret;
	if (im->xstate_bv & ~room & ~(BIT(XSAVE_X87) | BIT(XSAVE_SSE)))
		return err_set(
			e, -EINVAL,
			"XSAVE image: XSTATE_BV 0x%llx has components without room in XCOMP_BV "
			"0x%llx",
			(unsigned long long)im->xstate_bv, (unsigned long long)im->xcomp_bv);
	if (im->xstate_bv & ~room)
		return err_set(e, -EINVAL,
			       "XSAVE image: XSTATE_BV 0x%llx is not within XCOMP_BV 0x%llx",
			       (unsigned long long)im->xstate_bv, (unsigned long long)im->xcomp_bv);
	return xsave_layout(cpu, room, XSAVE_FORMAT_COMPACTED, &im->layout, e);
}

/*
 * Compacted images must hold everything they have room for. Standard ones may stop behind the
 * last component in use: a register set of a process without AMX, say. More bytes than the CPU
 * can fill are a sign of the wrong CPU or of no image at all.
 */
static int check_size(const struct xsave_image *im, struct err *e)
{
	const struct xsave_layout *l = &im->layout;
	uint64_t used = l->format == XSAVE_FORMAT_COMPACTED ? l->set : im->xstate_bv;

	for (unsigned nr = 2; nr < XSAVE_NR; nr++) {
		uint64_t end = (uint64_t)l->offset[nr] + im->cpu->comp[nr].size;

		if ((used & BIT(nr)) && end > im->size)
			return err_set(
				e, -EINVAL,
				"XSAVE image cut: component %u (%s) ends at byte %llu of %zu", nr,
				xsave_name(nr), (unsigned long long)end, im->size);
	}
	if (im->size > align_up(l->size, 64))
		return err_set(e, -EINVAL, "XSAVE image of %zu bytes, but %s fills only %u",
			       im->size, im->cpu->title, l->size);
	return 0;
}

int xsave_image_open(struct xsave_image *im, const struct xsave_cpu *cpu, const void *bytes,
		     size_t size, struct err *e)
{
	bool swap = host_is_big_endian(); /* images are little-endian */
	int ret;

	*im = (struct xsave_image){ .cpu = cpu, .p = bytes, .size = size };
	if (size < XSAVE_MIN_SIZE)
		return err_set(e, -EINVAL,
			       "XSAVE image cut: %zu bytes, legacy region and header take %d", size,
			       XSAVE_MIN_SIZE);
	im->xstate_bv = load_u64(im->p + OFF_XSTATE_BV, swap);
	im->xcomp_bv = load_u64(im->p + OFF_XCOMP_BV, swap);
	ret = check_set(cpu, "XSTATE_BV", im->xstate_bv, e);
	if (!ret)
		ret = find_layout(im, e);
	if (!ret)
		ret = check_reserved(im->p, im->xstate_bv, e);
	return ret ? ret : check_size(im, e);
}

uint64_t xsave_image_keep_certain(struct xsave_image *im)
{
	const uint64_t certain = BIT(XSAVE_X87) | BIT(XSAVE_SSE) | BIT(XSAVE_AVX);
	uint64_t lost = im->xstate_bv & ~certain;

	im->layout.set &= certain;
	im->xstate_bv &= certain;
	return lost;
}

uint64_t xsave_image_xcr0(const void *bytes, size_t size)
{
	const unsigned char *p = bytes;

	return size < XSAVE_MIN_SIZE ? 0 : load_u64(p + OFF_KERNEL_XCR0, host_is_big_endian());
}

const void *xsave_component_bytes(const struct xsave_image *im, unsigned nr)
{
	if (nr >= XSAVE_NR || !(im->xstate_bv & BIT(nr)))
		return NULL;
	return im->p + im->layout.offset[nr];
}

/* @n qwords at byte @at of component @nr; zeros when it is in its initial state. */
static enum xsave_state part(const struct xsave_image *im, unsigned nr, uint32_t at, unsigned n,
			     uint64_t *out)
{
	const unsigned char *p = xsave_component_bytes(im, nr);

	memset(out, 0, n * sizeof(*out));
	if (!(im->layout.set & BIT(nr)) || at + 8 * n > im->cpu->comp[nr].size)
		return XSAVE_ABSENT;
	if (!p)
		return XSAVE_INIT;
	for (unsigned i = 0; i < n; i++)
		out[i] = load_u64(p + at + 8 * i, host_is_big_endian());
	return XSAVE_VALUE;
}

enum xsave_state xsave_vector(const struct xsave_image *im, unsigned n, unsigned qwords,
			      uint64_t *out, uint8_t *live)
{
	static const struct {
		uint8_t nr, first, qwords;
	} pieces[] = { { XSAVE_SSE, 0, 2 }, { XSAVE_AVX, 2, 2 }, { XSAVE_ZMM_HI256, 4, 4 } };
	enum xsave_state state = XSAVE_INIT;
	uint8_t stored = 0;

	memset(out, 0, qwords * sizeof(*out));
	if (live)
		*live = 0;
	if (n >= 32 || (qwords != 2 && qwords != 4 && qwords != 8))
		return XSAVE_ABSENT;
	if (n >= 16) {
		state = part(im, XSAVE_HI16_ZMM, 64 * (n - 16), qwords, out);
		if (live && state == XSAVE_VALUE)
			*live = (uint8_t)(BIT(qwords) - 1);
		return state;
	}
	for (size_t i = 0; i < ARRAY_SIZE(pieces) && pieces[i].first < qwords; i++) {
		unsigned nr = pieces[i].nr, w = pieces[i].qwords;

		switch (part(im, nr, 8 * w * n, w, out + pieces[i].first)) {
		case XSAVE_ABSENT: return XSAVE_ABSENT;
		case XSAVE_INIT: break;
		case XSAVE_VALUE: stored |= (BIT(w) - 1) << pieces[i].first; break;
		}
	}
	if (live)
		*live = stored;
	return stored ? XSAVE_VALUE : XSAVE_INIT;
}

enum xsave_state xsave_opmask(const struct xsave_image *im, unsigned n, uint64_t *out)
{
	*out = 0;
	return n < 8 ? part(im, XSAVE_OPMASK, 8 * n, 1, out) : XSAVE_ABSENT;
}

enum xsave_state xsave_egpr(const struct xsave_image *im, unsigned reg, uint64_t *out)
{
	*out = 0;
	return reg >= 16 && reg < 32 ? part(im, XSAVE_APX, 8 * (reg - 16), 1, out) : XSAVE_ABSENT;
}

/* CET_U holds IA32_U_CET, then IA32_PL3_SSP. */
enum xsave_state xsave_ssp(const struct xsave_image *im, uint64_t *out)
{
	return part(im, XSAVE_CET_U, 8, 1, out);
}

enum xsave_state xsave_pkru(const struct xsave_image *im, uint32_t *out)
{
	uint64_t v;
	enum xsave_state state = part(im, XSAVE_PKRU, 0, 1, &v);

	*out = (uint32_t)v;
	return state;
}

enum xsave_state xsave_mxcsr(const struct xsave_image *im, uint32_t *out)
{
	if (!(im->xstate_bv & SSE_MXCSR_BITS)) {
		*out = MXCSR_INIT;
		return XSAVE_INIT;
	}
	*out = load_u32(im->p + OFF_MXCSR, host_is_big_endian());
	return XSAVE_VALUE;
}
