// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What can be had here, as a list and as sentences. A class that is missing has a reason (no x86,
 * the kernel, the CPU, the PMU), and the sentences name it: "not available" alone leaves people
 * guessing.
 */
#include <stdio.h>

#include "regs/regs-int.h"

const struct regs_class_info regs_class_info[REGS_NR_CLASSES] = {
	[REGS_XMM] = { "xmm", "XMM0-15", 16, 2, false, "SSE state (XSAVE component 1)" },
	[REGS_YMM] = { "ymm", "YMM0-15", 16, 4, false, "AVX state (XSAVE component 2)" },
	[REGS_ZMM] = { "zmm", "ZMM0-31", 32, 8, false, "AVX-512 state (XSAVE components 6 and 7)" },
	[REGS_OPMASK] = { "opmask", "OPMASK0-7", 8, 1, true,
			  "AVX-512 mask state (XSAVE component 5)" },
	[REGS_EGPR] = { "r16-r31", "R16-R31", 16, 1, false, "APX state (XSAVE component 19)" },
	[REGS_SSP] = { "ssp", "SSP", 1, 1, false, "user shadow stack state (XSAVE component 11)" },
};

bool regs_has_class(const struct regs_caps *caps, enum regs_class c)
{
	switch (c) {
	case REGS_XMM: return caps->xmm;
	case REGS_YMM: return caps->ymm;
	case REGS_ZMM: return caps->zmm;
	case REGS_OPMASK: return caps->opmask;
	case REGS_EGPR: return caps->simd_abi && caps->gpr & X86_EGPR_MASK;
	case REGS_SSP: return caps->simd_abi && caps->gpr & X86_SSP_MASK;
	default: return false;
	}
}

void regs_why_not(const struct regs_caps *caps, enum regs_class c, char *buf, size_t size)
{
	switch (caps->lack[c]) {
	case REGS_NO_ARCH: snprintf(buf, size, "this is no x86"); return;
	case REGS_NO_KERNEL:
		snprintf(buf, size,
			 "this kernel has no SIMD register sampling "
			 "(its perf_event_attr ends before sample_simd_regs_enabled)");
		return;
	case REGS_NO_CPU:
		snprintf(buf, size, "this CPU has no %s", regs_class_info[c].needs);
		return;
	case REGS_NO_PMU:
		snprintf(buf, size, "this CPU has %s, but the PMU refused to sample it (%s)",
			 regs_class_info[c].needs, strerror(-caps->code[c]));
		return;
	case REGS_HAVE: break;
	}
	snprintf(buf, size, "%s", regs_has_class(caps, c) ? "" : "a trial event did not open");
}

void regs_print_lacking(const struct regs_caps *caps, struct obuf *o)
{
	char why[256];

	for (int c = 0; c < REGS_NR_CLASSES; c++) {
		bool legacy = c == REGS_XMM && caps->legacy_xmm;

		if (regs_has_class(caps, (enum regs_class)c) || legacy)
			continue;
		regs_why_not(caps, (enum regs_class)c, why, sizeof(why));
		obuf_printf(o, "%s: not available: %s\n", regs_class_info[c].printed, why);
	}
}

static void word(struct obuf *o, bool *first, const char *s)
{
	if (!*first)
		obuf_char(o, ' ');
	*first = false;
	obuf_str(o, s);
}

void regs_print_available(const struct regs_caps *caps, struct obuf *o)
{
	const char *last = "";
	bool first = true;

	for (unsigned i = 0; i < 64; i++) {
		const char *name = regs_find_name(caps->arch, i, caps->simd_abi);

		if (!(caps->gpr & BIT(i)) || !name || !strcmp(name, last))
			continue;
		word(o, &first, name);
		last = name;
	}
	for (int c = 0; c < REGS_NR_SIMD_CLASSES; c++) {
		if (regs_has_class(caps, (enum regs_class)c))
			word(o, &first, regs_class_info[c].printed);
	}
}
