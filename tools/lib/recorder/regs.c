// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of samples. What the kernel gives was found out by trial events; where it refuses those of
 * user space, a thread that ptrace stops shows all that its CPU saves. Whether that shall be done is
 * decided when all options are known (source.c), so here only the refusal is kept.
 */

#include "recorder/recorder-int.h"
#include "xsave/xsave.h"

#ifdef __x86_64__
/* What PTRACE_GETREGSET gives, whatever the kernel's perf knows: all that the CPU saves. */
static void ptrace_caps(struct regs_caps *caps)
{
	static const struct {
		enum regs_class c;
		uint64_t need;
	} state[] = {
		{ REGS_XMM, BIT(XSAVE_SSE) },
		{ REGS_YMM, BIT(XSAVE_AVX) },
		{ REGS_ZMM, BIT(XSAVE_ZMM_HI256) | BIT(XSAVE_HI16_ZMM) },
		{ REGS_OPMASK, BIT(XSAVE_OPMASK) },
		{ REGS_EGPR, BIT(XSAVE_APX) },
		{ REGS_SSP, BIT(XSAVE_CET_U) },
	};
	struct xsave_cpu cpu = { 0 };
	uint64_t have;

	*caps = (struct regs_caps){ .arch = REGS_ARCH_X86, .user = true, .simd_abi = true };
	caps->gpr = regs_default_mask(caps->arch, true) | 0xf000; /* DS, ES, FS, GS */
	caps->bases = true;
	caps->mxcsr = true;
	have = xsave_cpu_host(&cpu, NULL) ? 0 : cpu.xcr0 | cpu.xss;
	for (size_t i = 0; i < ARRAY_SIZE(state); i++) {
		if ((have & state[i].need) != state[i].need)
			caps->lack[state[i].c] = REGS_NO_CPU;
	}
	caps->xmm = !caps->lack[REGS_XMM];
	caps->ymm = !caps->lack[REGS_YMM];
	caps->zmm = !caps->lack[REGS_ZMM];
	caps->opmask = !caps->lack[REGS_OPMASK];
	for (unsigned reg = 24; reg <= 40; reg++) {
		if (!caps->lack[reg == 40 ? REGS_SSP : REGS_EGPR])
			caps->gpr |= BIT(reg);
	}
}

/* What --user-regs takes beside what the kernel gives: @have. */
static void list_by_ptrace(const struct regs_caps *have, struct obuf *o)
{
	struct regs_caps caps;

	ptrace_caps(&caps);
	/* Without the SIMD series the numbers above are those of halves of XMM. */
	caps.gpr &= ~(have->simd_abi ? have->gpr : have->gpr & 0xffffff);
	caps.xmm &= !have->xmm;
	caps.ymm &= !have->ymm;
	caps.zmm &= !have->zmm;
	caps.opmask &= !have->opmask;
	obuf_lit(o, "by ptrace, of a program that is started or attached to: ");
	regs_print_available(&caps, o);
	for (unsigned i = 0; i < REGS_NR_BASES; i++)
		obuf_printf(o, " %s", regs_base_name(i));
	obuf_lit(o, " " REGS_MXCSR_NAME);
	obuf_char(o, '\n');
}

/* The kernel does not give these, @e says why: whether a stopped thread would show them. */
static int parse_for_ptrace(struct recorder_regs *r, const char *list, struct err *e)
{
	const struct regs_selection *intr = &r->of[RECORDER_INTR].sel;
	struct regs_selection sel = r->of[RECORDER_USER].sel;
	struct regs_caps caps;
	struct err lacks = { 0 };

	ptrace_caps(&caps);
	/* The kernel's own vectors at the interrupt would have to be of the same width. */
	if (intr->vec_mask || intr->pred_mask)
		return e->code;
	if (regs_parse(&sel, list, &caps, &lacks)) {
		/* What nobody can read is to blame, not what the kernel lacks besides. */
		*e = lacks;
		return e->code;
	}
	r->refused = *e;
	err_clear(e);
	r->of[RECORDER_USER].sel = sel;
	r->of[RECORDER_USER].caps = caps;
	return 0;
}

/* -I: the same registers, of user space, can be had of a program that is stopped. */
static void offer_ptrace(const char *list, struct err *e)
{
	struct regs_selection sel = { 0 };
	struct regs_caps caps;
	struct err was = *e;

	ptrace_caps(&caps);
	if (regs_parse(&sel, list, &caps, NULL))
		return;
	err_hint(e,
		 "%s\nBy ptrace, of a command or a process: perf record --user-regs=%s -- COMMAND",
		 was.hint, list);
}
#else
static void offer_ptrace(const char *list, struct err *e)
{
	(void)list, (void)e;
}

static void list_by_ptrace(const struct regs_caps *have, struct obuf *o)
{
	(void)have, (void)o;
}

static int parse_for_ptrace(struct recorder_regs *r, const char *list, struct err *e)
{
	(void)r, (void)list;
	return e->code;
}
#endif

static void probe(struct recorder_regs *r, struct pmus *t, int which)
{
	if (!r->of[which].probed)
		events_probe_regs(NULL, t, which == RECORDER_USER, &r->of[which].caps);
	r->of[which].probed = true;
}

void recorder_regs_list(struct recorder_regs *r, struct pmus *t, int which, bool lacking,
			struct obuf *o)
{
	const struct regs_caps *caps = &r->of[which].caps;
	size_t head;

	probe(r, t, which);
	obuf_lit(o, "available registers: ");
	head = o->len;
	regs_print_available(caps, o);
	if (o->len == head)
		obuf_str(o, lacking ? "none" : "none (-v says why)");
	obuf_char(o, '\n');
	if (which == RECORDER_USER)
		list_by_ptrace(caps, o);
	if (lacking)
		regs_print_lacking(caps, o);
}

void recorder_regs_clear(struct recorder_regs *r, int which)
{
	r->of[which].sel = (struct regs_selection){ 0 };
	r->of[which].wanted = false;
}

int recorder_regs_parse(struct recorder_regs *r, struct pmus *t, int which, const char *list,
			struct err *e)
{
	int ret;

	probe(r, t, which);
	ret = regs_parse(&r->of[which].sel, list, &r->of[which].caps, e);
	if (ret == -ENOTSUP && which == RECORDER_USER)
		ret = parse_for_ptrace(r, list, e);
	else if (ret == -ENOTSUP)
		offer_ptrace(list, e);
	if (ret)
		return ret;
	r->of[which].wanted = true;
	return regs_check_width(&r->of[RECORDER_INTR].sel, &r->of[RECORDER_INTR].caps,
				&r->of[RECORDER_USER].sel, &r->of[RECORDER_USER].caps, e);
}
