// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a CPU can save: names of components, the described CPUs, and a CPU read from its CPUID
 * leaves or from the layout note of a core file. Everything else in this room takes a struct
 * xsave_cpu and never asks the host, so that images of one CPU are read on any other. Sizes that
 * the architecture fixes are held against it.
 */
#include <strings.h>

#include "base/tables.h"
#include "base/bytes.h"
#include "xsave.h"

static const struct {
	const char *name, *title;
} names[XSAVE_NAMED] = {
	[XSAVE_X87] = { "x87", "x87 registers and control" },
	[XSAVE_SSE] = { "sse", "XMM0-15 and MXCSR" },
	[XSAVE_AVX] = { "avx", "upper halves of YMM0-15" },
	[XSAVE_BNDREGS] = { "bndregs", "MPX bound registers" },
	[XSAVE_BNDCSR] = { "bndcsr", "MPX configuration" },
	[XSAVE_OPMASK] = { "opmask", "mask registers K0-7" },
	[XSAVE_ZMM_HI256] = { "zmm_hi256", "upper halves of ZMM0-15" },
	[XSAVE_HI16_ZMM] = { "hi16_zmm", "ZMM16-31" },
	[XSAVE_PT] = { "pt", "Processor Trace configuration" },
	[XSAVE_PKRU] = { "pkru", "protection keys" },
	[XSAVE_PASID] = { "pasid", "process address space ID" },
	[XSAVE_CET_U] = { "cet_u", "user shadow stack (SSP)" },
	[XSAVE_CET_S] = { "cet_s", "supervisor shadow stacks" },
	[XSAVE_HDC] = { "hdc", "hardware duty cycling" },
	[XSAVE_UINTR] = { "uintr", "user interrupts" },
	[XSAVE_LBR] = { "lbr", "architectural last branch records" },
	[XSAVE_HWP] = { "hwp", "hardware P-state request" },
	[XSAVE_XTILE_CFG] = { "xtilecfg", "AMX tile configuration" },
	[XSAVE_XTILE_DATA] = { "xtiledata", "AMX tiles" },
	[XSAVE_APX] = { "apx", "general registers R16-31" },
};

const char *xsave_name(unsigned nr)
{
	return nr < XSAVE_NAMED ? names[nr].name : "unknown";
}

const char *xsave_title(unsigned nr)
{
	return nr < XSAVE_NAMED ? names[nr].title : "not known to this tool";
}

/* ---- described CPUs ---------------------------------------------------------------------------- */

/* The legacy region holds the first two at fixed places on every CPU. */
#define LEGACY \
	[XSAVE_X87] = { .size = 160, .offset = 0 }, [XSAVE_SSE] = { .size = 256, .offset = 160 }
#define USER(nr, sz, off) [nr] = { .size = (sz), .offset = (off) }
#define SUPER(nr, sz)	  [nr] = { .size = (sz), .supervisor = true }
#define AVX		  USER(XSAVE_AVX, 256, 576)
/* Intel keeps the slots of MPX (960, 1024) free on CPUs without it. */
#define INTEL_AVX512                                                    \
	USER(XSAVE_OPMASK, 64, 1088), USER(XSAVE_ZMM_HI256, 512, 1152), \
		USER(XSAVE_HI16_ZMM, 1024, 1664), USER(XSAVE_PKRU, 8, 2688)
#define AMD_AVX512                                                    \
	USER(XSAVE_OPMASK, 64, 832), USER(XSAVE_ZMM_HI256, 512, 896), \
		USER(XSAVE_HI16_ZMM, 1024, 1408), USER(XSAVE_PKRU, 8, 2432)
#define AMX                                                                  \
	[XSAVE_XTILE_CFG] = { .size = 64, .offset = 2752, .aligned = true }, \
	[XSAVE_XTILE_DATA] = { .size = 8192, .offset = 2816, .aligned = true, .xfd = true }
#define CET SUPER(XSAVE_CET_U, 16), SUPER(XSAVE_CET_S, 24)

#define AVX512_BITS                                                             \
	(BIT(XSAVE_X87) | BIT(XSAVE_SSE) | BIT(XSAVE_AVX) | BIT(XSAVE_OPMASK) | \
	 BIT(XSAVE_ZMM_HI256) | BIT(XSAVE_HI16_ZMM) | BIT(XSAVE_PKRU))
#define CET_BITS (BIT(XSAVE_CET_U) | BIT(XSAVE_CET_S))
#define AMX_BITS (BIT(XSAVE_XTILE_CFG) | BIT(XSAVE_XTILE_DATA))
#define SPR_XSS	 (BIT(XSAVE_PT) | BIT(XSAVE_PASID) | CET_BITS | BIT(XSAVE_UINTR) | BIT(XSAVE_LBR))

static const struct xsave_cpu described[] = {
	{
		.name = "skx",
		.title = "Skylake-SP",
		.xcr0 = AVX512_BITS | BIT(XSAVE_BNDREGS) | BIT(XSAVE_BNDCSR),
		.xss = BIT(XSAVE_PT),
		.compacts = true,
		.comp = { LEGACY, AVX, INTEL_AVX512, USER(XSAVE_BNDREGS, 64, 960),
			  USER(XSAVE_BNDCSR, 64, 1024), SUPER(XSAVE_PT, 128) },
	},
	{
		.name = "icx",
		.title = "Ice Lake",
		.xcr0 = AVX512_BITS,
		.xss = BIT(XSAVE_PT),
		.compacts = true,
		.comp = { LEGACY, AVX, INTEL_AVX512, SUPER(XSAVE_PT, 128) },
	},
	{
		.name = "spr",
		.title = "Sapphire Rapids",
		.xcr0 = AVX512_BITS | AMX_BITS,
		.xss = SPR_XSS,
		.dynamic = BIT(XSAVE_LBR),
		.lbr_depth = 32,
		.compacts = true,
		.comp = { LEGACY, AVX, INTEL_AVX512, AMX, CET, SUPER(XSAVE_PT, 128),
			  SUPER(XSAVE_PASID, 8), SUPER(XSAVE_UINTR, 48), SUPER(XSAVE_LBR, 808) },
	},
	{
		/* APX takes over the slot of MPX in the standard form. */
		.name = "dmr",
		.title = "Diamond Rapids",
		.xcr0 = AVX512_BITS | AMX_BITS | BIT(XSAVE_APX),
		.xss = SPR_XSS,
		.dynamic = BIT(XSAVE_LBR),
		.lbr_depth = 32,
		.compacts = true,
		.comp = { LEGACY, AVX, INTEL_AVX512, AMX, CET, USER(XSAVE_APX, 128, 960),
			  SUPER(XSAVE_PT, 128), SUPER(XSAVE_PASID, 8), SUPER(XSAVE_UINTR, 48),
			  SUPER(XSAVE_LBR, 808) },
	},
	{
		.name = "zen4",
		.title = "Zen 4",
		.xcr0 = AVX512_BITS,
		.xss = CET_BITS,
		.compacts = true,
		.comp = { LEGACY, AVX, AMD_AVX512, CET },
	},
};

const struct xsave_cpu *xsave_cpu_described(size_t i)
{
	return i < ARRAY_SIZE(described) ? &described[i] : NULL;
}

const struct xsave_cpu *xsave_cpu_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(described); i++)
		if (!strcasecmp(described[i].name, name) || !strcasecmp(described[i].title, name))
			return &described[i];
	return NULL;
}

/* ---- a CPU from its leaves --------------------------------------------------------------------- */

enum { EAX, EBX, ECX, EDX };

static int read_component(struct xsave_cpu *cpu, unsigned nr, const uint32_t r[4], struct err *e)
{
	struct xsave_component *c = &cpu->comp[nr];
	bool supervisor = r[ECX] & 1;

	if (!r[EAX] || r[EAX] > 1 << 20)
		return err_set(e, -EINVAL, "component %u: CPUID leaf 0xD says %u bytes", nr,
			       r[EAX]);
	if (supervisor != !!(cpu->xss & BIT(nr)))
		return err_set(e, -EINVAL,
			       "component %u: user and supervisor flags of CPUID leaf 0xD disagree",
			       nr);
	if (!supervisor && (r[EBX] < XSAVE_MIN_SIZE || r[EBX] > 1 << 20))
		return err_set(e, -EINVAL, "component %u: CPUID leaf 0xD puts it at offset %u", nr,
			       r[EBX]);
	*c = (struct xsave_component){
		.size = r[EAX],
		.offset = supervisor ? 0 : r[EBX],
		.supervisor = supervisor,
		.aligned = r[ECX] & 2,
		.xfd = r[ECX] & 4,
	};
	return 0;
}

/* Leaf 0x1C: bit n of EAX 7-0 stands for a depth of 8 * (n + 1); the deepest is used. */
static uint32_t read_lbr_depth(xsave_cpuid_fn cpuid, void *arg)
{
	uint32_t r[4] = { 0 };

	cpuid(arg, 0x1c, 0, r);
	for (int n = 7; n >= 0; n--)
		if (r[EAX] & BIT(n))
			return 8 * (n + 1);
	return 0;
}

int xsave_cpu_read(struct xsave_cpu *cpu, xsave_cpuid_fn cpuid, void *arg, uint64_t xcr0,
		   struct err *e)
{
	uint32_t r[4] = { 0 };

	*cpu = (struct xsave_cpu){ .name = "host", .title = "this CPU", .comp = { LEGACY } };
	cpuid(arg, 0, 0, r);
	if (r[EAX] < 0xd)
		return err_set(e, -ENOTSUP, "CPUID has no leaf 0xD: no XSAVE on this machine");
	cpuid(arg, 0xd, 0, r);
	cpu->xcr0 = (r[EAX] | (uint64_t)r[EDX] << 32) & ~BIT(63);
	if (xcr0)
		cpu->xcr0 &= xcr0;
	if ((cpu->xcr0 & 3) != 3)
		return err_set(e, -ENOTSUP, "CPUID 0xD: x87 and SSE state are not enabled (0x%llx)",
			       (unsigned long long)cpu->xcr0);
	cpuid(arg, 0xd, 1, r);
	cpu->compacts = r[EAX] & (BIT(1) | BIT(3));
	if (r[EAX] & BIT(3))
		cpu->xss = (r[ECX] | (uint64_t)r[EDX] << 32) & ~BIT(63);
	for (unsigned nr = 2; nr < XSAVE_NR; nr++) {
		if (!((cpu->xcr0 | cpu->xss) & BIT(nr)))
			continue;
		cpuid(arg, 0xd, nr, r);
		if (read_component(cpu, nr, r, e))
			return e ? e->code : -EINVAL;
	}
	if (cpu->xss & BIT(XSAVE_LBR)) {
		cpu->lbr_depth = read_lbr_depth(cpuid, arg);
		cpu->dynamic = BIT(XSAVE_LBR);
	}
	return 0;
}

/* ---- the CPU of a core file ---------------------------------------------------------------------- */

/* Sizes that the architecture fixes: another one is damage, and what follows would be read wrong. */
static uint32_t fixed_size(unsigned nr)
{
	const struct xsave_component *fixed = xsave_cpu_find("dmr")->comp;

	if (nr == XSAVE_BNDREGS || nr == XSAVE_BNDCSR)
		return 64;
	return nr == XSAVE_PT || nr == XSAVE_LBR ? 0 : fixed[nr].size;
}

static int check_places(const struct xsave_cpu *cpu, struct err *e)
{
	for (unsigned nr = 2; nr < XSAVE_NR; nr++) {
		const struct xsave_component *c = &cpu->comp[nr];

		if (!c->size)
			continue;
		if (fixed_size(nr) && c->size != fixed_size(nr))
			return err_set(e, -EINVAL,
				       "component %u (%s) of %u bytes; it has %u on every CPU", nr,
				       xsave_name(nr), c->size, fixed_size(nr));
		for (unsigned i = 2; i < nr; i++)
			if (cpu->comp[i].size &&
			    c->offset < cpu->comp[i].offset + cpu->comp[i].size &&
			    cpu->comp[i].offset < c->offset + c->size)
				return err_set(e, -EINVAL, "components %u (%s) and %u (%s) overlap",
					       i, xsave_name(i), nr, xsave_name(nr));
	}
	return 0;
}

int xsave_cpu_from_note(struct xsave_cpu *cpu, const void *note, size_t size, uint64_t xcr0,
			struct err *e)
{
	struct cursor c = cursor_init(note, size, host_is_big_endian());

	*cpu = (struct xsave_cpu){ .name = "core", .title = "the core's CPU", .comp = { LEGACY } };
	cpu->xcr0 = BIT(XSAVE_X87) | BIT(XSAVE_SSE);
	if (!size || size % 16)
		return err_set(e, -EINVAL, "layout note of the core: %zu bytes, not whole entries",
			       size);
	while (cursor_left(&c) >= 16) {
		uint32_t nr = cursor_u32(&c), r[4] = { 0 };

		r[EAX] = cursor_u32(&c);
		r[EBX] = cursor_u32(&c);
		r[ECX] = cursor_u32(&c);
		if (nr < 2 || nr >= XSAVE_NR || (r[ECX] & 1) || !(xcr0 & BIT(nr)))
			continue;
		if (read_component(cpu, nr, r, e))
			return err_context(e, "layout note of the core");
		cpu->xcr0 |= BIT(nr);
	}
	return check_places(cpu, e) ? err_context(e, "layout note of the core") : 0;
}

static bool fits(const struct xsave_cpu *cpu, uint64_t xcr0, size_t size)
{
	struct xsave_layout l;

	return !xsave_layout(cpu, xcr0, XSAVE_FORMAT_STANDARD, &l, NULL) && l.size == size;
}

const struct xsave_cpu *xsave_cpu_guess(const struct xsave_cpu *host, uint64_t xcr0, size_t size)
{
	if (host && fits(host, xcr0, size))
		return host;
	/* one with exactly these components first; another may have some of them disabled */
	for (size_t i = 0; i < ARRAY_SIZE(described); i++)
		if (described[i].xcr0 == xcr0 && fits(&described[i], xcr0, size))
			return &described[i];
	for (size_t i = 0; i < ARRAY_SIZE(described); i++)
		if (fits(&described[i], xcr0, size))
			return &described[i];
	return NULL;
}

/* ---- sets -------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t set;
} classes[] = {
	{ "xmm", BIT(XSAVE_SSE) },
	{ "ymm", BIT(XSAVE_SSE) | BIT(XSAVE_AVX) },
	{ "zmm", BIT(XSAVE_SSE) | BIT(XSAVE_AVX) | BIT(XSAVE_ZMM_HI256) | BIT(XSAVE_HI16_ZMM) },
	{ "k", BIT(XSAVE_OPMASK) },
	{ "egpr", BIT(XSAVE_APX) },
	{ "ssp", BIT(XSAVE_CET_U) },
	{ "mpx", BIT(XSAVE_BNDREGS) | BIT(XSAVE_BNDCSR) },
	{ "cet", CET_BITS },
	{ "amx", AMX_BITS },
};

static bool word_is(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && !strncasecmp(word, name, n);
}

/* 0-62 in decimal; -1 otherwise */
static int word_number(const char *word, size_t n)
{
	int v = 0;

	if (!n || n > 2)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (word[i] < '0' || word[i] > '9')
			return -1;
		v = v * 10 + word[i] - '0';
	}
	return v < XSAVE_NR ? v : -1;
}

static uint64_t word_set(const struct xsave_cpu *cpu, const char *word, size_t n)
{
	int nr = word_number(word, n);

	if (nr >= 0)
		return BIT(nr);
	if (word_is(word, n, "all"))
		return cpu->xcr0 | cpu->xss;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (word_is(word, n, classes[i].name))
			return classes[i].set;
	for (unsigned i = 0; i < XSAVE_NAMED; i++)
		if (word_is(word, n, names[i].name))
			return BIT(i);
	return 0;
}

int xsave_set_parse(const struct xsave_cpu *cpu, const char *list, uint64_t *set, struct err *e)
{
	*set = 0;
	for (;;) {
		size_t n = strcspn(list, ",");
		uint64_t bits = word_set(cpu, list, n);

		if (!bits) {
			err_set(e, -EINVAL, "unknown state component '%.*s'", (int)min_u64(n, 64),
				list);
			err_hint(e,
				 "Use names of the table that 'perf xstate' prints, or xmm, ymm, "
				 "zmm, k, egpr, ssp, amx, all.");
			return -EINVAL;
		}
		*set |= bits;
		if (!list[n])
			return 0;
		list += n + 1;
	}
}
