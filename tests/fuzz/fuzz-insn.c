// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as code of any architecture: lengths, classes, text. */
#include "fuzz.h"
#include "insn/insn.h"

static void run(const uint8_t *data, size_t size)
{
	static struct insn_decoder *decoders[16][INSN_MODES];
	struct fuzz_bytes b = { data, size };
	unsigned arch = fuzz_u8(&b) % 16, mode = fuzz_u8(&b);
	struct insn_decoder **d = &decoders[arch][mode % INSN_MODES];
	struct insn_general general;
	struct insn in;
	char text[160];
	int n;

	/* Kept: what a decoder is told it is told each time. */
	if (!*d && insn_new(d, (enum regs_arch)arch, mode % INSN_MODES, NULL))
		*d = NULL;
	if (!*d)
		return;
	insn_set_thumb(*d, mode & 8);
	insn_set_syntax(*d, mode & 16 ? INSN_INTEL : INSN_ATT);
	for (uint64_t addr = 0x1000; b.left; addr += (uint64_t)n) {
		n = insn_text(*d, b.p, b.left, addr, text, sizeof(text));
		if (n > 0)
			fuzz_touch(text);
		n = insn_general(*d, b.p, b.left, addr, &general);
		if (n > 0 && (size_t)n > b.left)
			__builtin_trap();
		n = insn_decode(*d, b.p, b.left, addr, &in);
		if (n > 0 && (size_t)n > b.left)
			__builtin_trap();
		n = n > 0 ? n : 1;
		b.p += n;
		b.left -= (size_t)n;
	}
}

const struct fuzz_target fuzz_insn = {
	.name = "insn",
	.reads = "instructions",
	.max_len = 128,
	.run = run,
};
