// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: -I and --user-regs. */
#include <stdio.h>

#include "events/regs-probe.h"
#include "recorder/recorder.h"
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
	obuf_char(o, '\n');
}

/* The kernel does not give these user registers: whether the tracer could is looked at here,
 * whether it shall in recorder_tracer_choose(). */
static int parse_for_ptrace(struct recorder_opts *o, const char *list, struct err *e)
{
	struct recorder_regs *r = &o->regs[1];
	struct regs_selection sel = r->sel;
	struct regs_caps caps;
	struct err lacks = { 0 };

	ptrace_caps(&caps);
	/* The kernel's own vectors at the interrupt would have to be of the same width. */
	if (o->regs[0].sel.vec_mask || o->regs[0].sel.pred_mask)
		return e->code;
	if (regs_parse(&sel, list, &caps, &lacks)) {
		/* What nobody can read is to blame, not what the kernel lacks besides. */
		*e = lacks;
		return e->code;
	}
	o->regs_refused = *e;
	err_clear(e);
	r->sel = sel;
	r->caps = caps;
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

static int parse_for_ptrace(struct recorder_opts *o, const char *list, struct err *e)
{
	(void)o, (void)list;
	return e->code;
}
#endif

/* "available registers: ..." on stderr; with -v also why what is missing is missing. */
static void list_registers(const struct recorder_opts *o, const struct regs_caps *caps, bool user)
{
	struct obuf text;
	size_t head;

	if (obuf_init(&text, 2, 0))
		return;
	obuf_lit(&text, "available registers: ");
	head = text.len;
	regs_print_available(caps, &text);
	if (text.len == head)
		obuf_str(&text, o->verbose ? "none" : "none (-v says why)");
	obuf_char(&text, '\n');
	if (user)
		list_by_ptrace(caps, &text);
	if (o->verbose)
		regs_print_lacking(caps, &text);
	obuf_free(&text);
}

static int parse_regs(struct recorder_opts *o, bool user, const char *list, bool unset,
		      struct err *e)
{
	struct recorder_regs *r = &o->regs[user];
	int ret;

	if (unset) {
		r->sel = (struct regs_selection){ 0 };
		*(user ? &o->user_regs : &o->intr_regs) = NULL;
		return 0;
	}
	if (!r->probed)
		events_probe_regs(NULL, o->pmus, user, &r->caps);
	r->probed = true;
	if (list && strchr(list, '?')) {
		list_registers(o, &r->caps, user);
		return -EINVAL; /* without a text: usage and its exit status, as upstream */
	}
	ret = regs_parse(&r->sel, list, &r->caps, e);
	if (ret == -ENOTSUP && user)
		ret = parse_for_ptrace(o, list, e);
	else if (ret == -ENOTSUP)
		offer_ptrace(list, e);
	if (ret)
		return ret;
	*(user ? &o->user_regs : &o->intr_regs) = &r->sel;
	return regs_check_width(&o->regs[0].sel, &o->regs[0].caps, &o->regs[1].sel,
				&o->regs[1].caps, e);
}

int recorder_parse_intr_regs(void *p, const struct option *opt, const char *arg, bool unset,
			     struct err *e)
{
	(void)opt;
	return parse_regs(p, false, arg, unset, e);
}

int recorder_parse_user_regs(void *p, const struct option *opt, const char *arg, bool unset,
			     struct err *e)
{
	(void)opt;
	if (!unset && !*arg)
		return err_set(e, -EINVAL, "--user-regs takes a list of registers");
	return parse_regs(p, true, arg, unset, e);
}
