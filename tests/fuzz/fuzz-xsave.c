// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as an XSAVE image of a described CPU, or of one that a core's note describes. */
#include "fuzz.h"
#include "xsave/xsave.h"

static void ask(struct xsave_image *im)
{
	uint64_t q[8], v;
	struct xsave_lbr lbr;
	enum xsave_state state;
	uint8_t live;
	uint32_t w;

	for (unsigned n = 0; n < 33; n++)
		for (unsigned qwords = 2; qwords <= 8; qwords *= 2)
			xsave_vector(im, n, qwords, q, &live);
	for (unsigned n = 0; n < 9; n++)
		xsave_opmask(im, n, &v);
	for (unsigned n = 15; n < 33; n++)
		xsave_egpr(im, n, &v);
	xsave_ssp(im, &v);
	xsave_pkru(im, &w);
	xsave_mxcsr(im, &w);
	if (!xsave_lbr(im, &lbr, &state, NULL))
		for (unsigned i = 0; i < lbr.nr; i++)
			fuzz_touch(xsave_lbr_type_name(lbr.entry[i].type));
	for (unsigned nr = 0; nr < XSAVE_NR; nr++) {
		const uint8_t *p = xsave_component_bytes(im, nr);

		if (p)
			fuzz_touch_bytes(p, im->cpu->comp[nr].size);
	}
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	uint8_t which = fuzz_u8(&b), how = fuzz_u8(&b);
	const struct xsave_cpu *cpu = xsave_cpu_described(which % 16);
	struct xsave_cpu of_note;
	struct xsave_image im;
	const uint8_t *note;
	size_t n;

	if (which == 0xff) {
		note = fuzz_part(&b, &n);
		if (xsave_cpu_from_note(&of_note, note, n, xsave_image_xcr0(b.p, b.left), NULL))
			return;
		cpu = &of_note;
	} else if (!cpu) {
		cpu = xsave_cpu_guess(NULL, xsave_image_xcr0(b.p, b.left), b.left);
	}
	if (!cpu || xsave_image_open(&im, cpu, b.p, b.left, NULL))
		return;
	ask(&im);
	if (how & 1) {
		xsave_image_keep_certain(&im);
		ask(&im);
	}
}

const struct fuzz_target fuzz_xsave = {
	.name = "xsave",
	.reads = "XSAVE images, notes on their layout",
	.max_len = 4096,
	.run = run,
};
