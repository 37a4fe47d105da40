// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The only file of this room that runs an x86 instruction: CPUID and XGETBV of the host. Elsewhere
 * both say that there is nothing.
 */
#include "xsave.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

void xsave_cpuid_host(void *arg, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
	(void)arg;
	__cpuid_count(leaf, subleaf, out[0], out[1], out[2], out[3]);
}

/* XCR0: what the kernel has enabled; reading it needs OSXSAVE. */
static uint64_t read_xcr0(void)
{
	uint32_t r[4], lo, hi;

	xsave_cpuid_host(NULL, 1, 0, r);
	if (!(r[2] & BIT(27)))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
	return lo | (uint64_t)hi << 32;
}
#else
void xsave_cpuid_host(void *arg, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
	(void)arg;
	(void)leaf;
	(void)subleaf;
	memset(out, 0, 4 * sizeof(*out));
}

static uint64_t read_xcr0(void)
{
	return 0;
}
#endif

int xsave_cpu_host(struct xsave_cpu *cpu, struct err *e)
{
	uint64_t xcr0 = read_xcr0();

	if (!xcr0) {
		err_set(e, -ENOTSUP, "this machine has no XSAVE state that the kernel enabled");
		err_hint(e, "Described CPUs can be shown anywhere: perf xstate --cpu spr.");
		return -ENOTSUP;
	}
	return xsave_cpu_read(cpu, xsave_cpuid_host, NULL, xcr0, e);
}
