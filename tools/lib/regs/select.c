// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -I and --user-regs: which registers are asked for, and the attr that asks the kernel. What the
 * probe found (struct regs_caps) decides: a register that cannot be had is refused with the reason
 * and what there is instead, never left out in silence. All vectors of an attr have one width, so
 * the widest class asked for wins.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/nearest.h"
#include "regs/regs-int.h"

/* What is assumed when nobody probed. */
static const struct regs_caps everything = {
	.arch = REGS_ARCH_X86,
	.gpr = 0xff0fff | X86_EGPR_MASK | X86_SSP_MASK,
	.simd_abi = true,
	.xmm = true,
	.ymm = true,
	.zmm = true,
	.opmask = true,
};

struct selecting {
	const struct regs_caps *caps;
	uint64_t gpr; /* caps->gpr, or what every kernel has when nobody probed */
	struct regs_selection sel;
	struct err *e;
};

static uint64_t vec_mask(enum regs_class c)
{
	return BIT(regs_class_info[c].nr) - 1;
}

static void add_class(struct regs_selection *sel, enum regs_class c)
{
	const struct regs_class_info *ci = &regs_class_info[c];

	if (ci->pred) {
		sel->pred_mask |= (uint32_t)vec_mask(c);
		sel->pred_qwords = ci->qwords;
		return;
	}
	/* Wider registers contain the narrower ones, and there is one width for all. */
	sel->vec_mask |= vec_mask(c);
	if (sel->vec_qwords < ci->qwords)
		sel->vec_qwords = ci->qwords;
}

static bool legacy_only(const struct regs_caps *caps)
{
	return caps->legacy_xmm && !caps->xmm;
}

static const char *option(const struct regs_caps *caps)
{
	return caps->user ? "--user-regs=?" : "-I?";
}

/* V, Q, Z and P with a number, and FFR: registers that AArch64 has, and samples have no place for. */
static bool is_arm64_vector(const char *name)
{
	if (!strcasecmp(name, "ffr"))
		return true;
	return *name && strchr("vqzpVQZP", *name) && name[1] >= '0' && name[1] <= '9';
}

static int unknown(const struct selecting *s, const char *name)
{
	const struct regs_caps *caps = s->caps;
	struct nearest near = nearest_init(name);
	char buf[160];

	for (unsigned i = 0; i < 64; i++) {
		const char *known = regs_find_name(caps->arch, i, caps->simd_abi);

		if (known && s->gpr & BIT(i))
			nearest_offer(&near, known);
	}
	for (int c = 0; c < REGS_NR_SIMD_CLASSES; c++) {
		if (regs_has_class(caps, (enum regs_class)c))
			nearest_offer(&near, regs_class_info[c].name);
	}
	nearest_print(&near, buf, sizeof(buf));
	err_set(s->e, -EINVAL, "Unknown register \"%s\", check man page or run \"perf record %s\"",
		name, option(caps));
	if (caps->arch == REGS_ARCH_ARM64 && is_arm64_vector(name))
		err_hint(s->e,
			 "The format of samples has a place for vectors of x86 only; the length of "
			 "AArch64's is vg.");
	else if (*buf)
		err_hint(s->e, "Did you mean %s?", buf);
	return -EINVAL;
}

static int lacking(const struct selecting *s, const char *name, enum regs_class c)
{
	char why[256];
	struct obuf o;

	regs_why_not(s->caps, c, why, sizeof(why));
	err_set(s->e, -ENOTSUP, "\"%s\" cannot be sampled here: %s", name, why);
	if (!obuf_init(&o, -1, 0)) {
		regs_print_available(s->caps, &o);
		err_hint(s->e, "What can be had instead: %.*s", (int)o.len, o.buf);
	}
	obuf_free(&o);
	return -ENOTSUP;
}

/* ---- one name ------------------------------------------------------------------------------------ */

/* "zmm17" -> ZMM and 17. */
static bool class_register(const char *name, enum regs_class *c, unsigned *nr)
{
	for (int i = 0; i < REGS_NR_SIMD_CLASSES; i++) {
		const char *cls = regs_class_info[i].name;
		size_t n = strlen(cls);
		char *end;

		if (strncasecmp(name, cls, n) || !isdigit((unsigned char)name[n]))
			continue;
		*nr = (unsigned)strtoul(name + n, &end, 10);
		*c = (enum regs_class)i;
		return !*end;
	}
	return false;
}

static int add_named_class(struct selecting *s, const char *name, enum regs_class c)
{
	if (s->caps->arch != REGS_ARCH_X86)
		return unknown(s, name);
	if (c == REGS_XMM && legacy_only(s->caps)) {
		s->sel.gpr |= X86_LEGACY_XMM_MASK;
		return 0;
	}
	if (!regs_has_class(s->caps, c))
		return lacking(s, name, c);
	add_class(&s->sel, c);
	return 0;
}

/* What the kernel does not give and a stopped thread has. */
static int by_ptrace_only(const struct selecting *s, const char *name, const char *why)
{
	err_set(s->e, -ENOTSUP, "\"%s\" cannot be sampled here: %s", name, why);
	err_hint(s->e, s->caps->user ? "ptrace does: --reg-source=ptrace."
				     : "--user-regs has them, by ptrace.");
	return -ENOTSUP;
}

static int add_x86(struct selecting *s, const char *name)
{
	static const char *const bases[] = { "fsbase", "gsbase", "fs_base", "gs_base" };
	static const char no_number[] = "the kernel's perf has no register number for a segment's "
					"base (FS and GS are the selectors)";

	for (unsigned i = 24; i < 41; i++)
		if (!strcasecmp(regs_name(REGS_ARCH_X86, i, true), name))
			return lacking(s, name, i == 40 ? REGS_SSP : REGS_EGPR);
	for (unsigned i = X86_DS; i < X86_DS + 4; i++)
		if (!strcasecmp(regs_name(REGS_ARCH_X86, i, true), name))
			return by_ptrace_only(s, name,
					      "the kernel gives no selectors of data segments");
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		if (strcasecmp(bases[i], name))
			continue;
		s->sel.bases = true;
		return s->caps->bases ? 0 : by_ptrace_only(s, name, no_number);
	}
	if (strcasecmp(name, REGS_MXCSR_NAME))
		return unknown(s, name);
	s->sel.mxcsr = true;
	return s->caps->mxcsr
		       ? 0
		       : by_ptrace_only(s, name, "the kernel's perf has no number for MXCSR");
}

static int add_gpr(struct selecting *s, const char *name)
{
	const struct regs_caps *caps = s->caps;
	bool found = false;

	/* Both bits of a legacy XMM register have its name. */
	for (unsigned i = 0; i < 64; i++) {
		const char *known = regs_find_name(caps->arch, i, caps->simd_abi);

		if (known && !strcasecmp(known, name) && s->gpr & BIT(i)) {
			s->sel.gpr |= BIT(i);
			found = true;
		}
	}
	if (found)
		return 0;
	return caps->arch == REGS_ARCH_X86 ? add_x86(s, name) : unknown(s, name);
}

static int add_name(struct selecting *s, const char *name)
{
	enum regs_class c;
	unsigned nr;

	for (int i = 0; i < REGS_NR_SIMD_CLASSES; i++) {
		if (!strcasecmp(name, regs_class_info[i].name))
			return add_named_class(s, name, (enum regs_class)i);
	}
	if (s->caps->arch != REGS_ARCH_X86 || !class_register(name, &c, &nr))
		return add_gpr(s, name);
	if (nr >= regs_class_info[c].nr)
		return unknown(s, name);
	if (c == REGS_XMM && legacy_only(s->caps))
		return add_gpr(s, name);
	if (!regs_has_class(s->caps, c))
		return lacking(s, name, c);
	err_set(s->e, -EINVAL, "\"%s\" alone cannot be sampled: the kernel gives all %s or none",
		name, regs_class_info[c].printed);
	err_hint(s->e, "Ask for \"%s\"; script and report can then pick one register.",
		 regs_class_info[c].name);
	return -EINVAL;
}

/* ---- a list ------------------------------------------------------------------------------------------ */

static size_t prefix_len(const char *name)
{
	size_t n = strlen(name);

	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	return n;
}

/* "r8-r15", "r8-15": every number in between; "zmm0-31": the class. */
static int add_range(struct selecting *s, const char *text, const char *first, const char *last)
{
	size_t n = prefix_len(first), m = prefix_len(last);
	unsigned long from, to;
	enum regs_class c;
	unsigned nr;

	if (!first[n] || !last[m] || (m && (m != n || strncasecmp(first, last, n))) ||
	    strlen(first + n) > 3 || strlen(last + m) > 3)
		return unknown(s, text);
	from = strtoul(first + n, NULL, 10);
	to = strtoul(last + m, NULL, 10);
	if (from > to)
		return err_set(s->e, -EINVAL, "register range \"%s\" runs backwards", text);
	if (s->caps->arch == REGS_ARCH_X86 && class_register(first, &c, &nr) && !nr &&
	    to + 1 == regs_class_info[c].nr)
		return add_named_class(s, text, c);
	for (; from <= to; from++) {
		char name[80];
		int ret;

		snprintf(name, sizeof(name), "%.*s%lu", (int)n, first, from);
		ret = add_name(s, name);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_token(struct selecting *s, const char *text)
{
	char first[64];
	const char *dash = strchr(text, '-');

	if (!dash)
		return add_name(s, text);
	snprintf(first, sizeof(first), "%.*s", (int)(dash - text), text);
	return add_range(s, text, first, dash + 1);
}

int regs_parse(struct regs_selection *sel, const char *list, const struct regs_caps *caps,
	       struct err *e)
{
	struct selecting s = { .caps = caps ? caps : &everything, .sel = *sel, .e = e };
	char token[64];
	int ret;

	if (!list || !*list) {
		sel->all = true;
		return 0;
	}
	s.gpr = s.caps->gpr ? s.caps->gpr : regs_default_mask(s.caps->arch, true);
	for (;; list++) {
		size_t n = strcspn(list, ",");

		snprintf(token, sizeof(token), "%.*s", (int)(n < 64 ? n : 64), list);
		ret = n < sizeof(token) ? add_token(&s, token) : unknown(&s, token);
		if (ret)
			return ret;
		list += n;
		if (!*list)
			break;
	}
	*sel = s.sel;
	return 0;
}

/* ---- the attr ------------------------------------------------------------------------------------------ */

static uint64_t gpr_mask(const struct regs_selection *sel, const struct regs_caps *caps)
{
	uint64_t all = regs_default_mask(caps->arch, sizeof(long) == 8);

	if (!sel->all)
		return sel->gpr;
	/* Without a list: all that opens, but no vectors. */
	if (caps->arch == REGS_ARCH_X86)
		all |= caps->simd_abi ? X86_EGPR_MASK | X86_SSP_MASK : 0;
	else
		all |= caps->gpr;
	return sel->gpr | (caps->gpr ? all & caps->gpr : all);
}

static bool wants(const struct regs_selection *sel)
{
	return sel && (sel->gpr || sel->vec_mask || sel->pred_mask || sel->all);
}

/* Events of which the kernel has no more than pt_regs. */
static bool is_software(uint32_t type)
{
	return type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT ||
	       type == PERF_TYPE_BREAKPOINT;
}

uint64_t regs_not_of_software(const struct regs_selection *sel, const struct regs_caps *caps,
			      uint32_t type)
{
	if (!sel || !caps || !is_software(type) || caps->arch != REGS_ARCH_X86 || !caps->simd_abi)
		return 0;
	return sel->gpr & (X86_EGPR_MASK | X86_SSP_MASK);
}

void regs_to_attr(const struct regs_selection *intr, const struct regs_caps *intr_caps,
		  const struct regs_selection *user, const struct regs_caps *user_caps,
		  struct perf_event_attr *attr)
{
	static const struct regs_selection none;
	const struct regs_selection *i = wants(intr) ? intr : &none;
	const struct regs_selection *u = wants(user) ? user : &none;
	const struct regs_caps *ic = intr_caps ? intr_caps : &everything;
	const struct regs_caps *uc = user_caps ? user_caps : &everything;
	const uint64_t apx = X86_EGPR_MASK | X86_SSP_MASK;
	bool simd = false;

	if (i != &none) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr |= gpr_mask(i, ic);
		simd |= ic->arch == REGS_ARCH_X86 && ic->simd_abi;
	}
	if (u != &none) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user |= gpr_mask(u, uc);
		simd |= uc->arch == REGS_ARCH_X86 && uc->simd_abi;
	}
	if (!simd)
		return;

	attr->sample_simd_vec_reg_qwords =
		i->vec_qwords > u->vec_qwords ? i->vec_qwords : u->vec_qwords;
	attr->sample_simd_vec_reg_intr = i->vec_mask;
	attr->sample_simd_vec_reg_user = u->vec_mask;
	/* One width means one set: the side that asked for less gets the larger one too. */
	if (i->vec_mask && u->vec_mask)
		attr->sample_simd_vec_reg_intr = attr->sample_simd_vec_reg_user =
			i->vec_mask | u->vec_mask;
	attr->sample_simd_pred_reg_qwords =
		i->pred_qwords > u->pred_qwords ? i->pred_qwords : u->pred_qwords;
	attr->sample_simd_pred_reg_intr = i->pred_mask;
	attr->sample_simd_pred_reg_user = u->pred_mask;

	/* A software event's PMU knows nothing of R16-R31 and SSP and gives the plain registers. */
	if (is_software(attr->type)) {
		attr->sample_regs_intr &= ~apx;
		attr->sample_regs_user &= ~apx;
	}
	/* With the flag set bits 24-40 are those; without them older readers know the attr. */
	attr->sample_simd_regs_enabled =
		((attr->sample_regs_intr | attr->sample_regs_user) & apx) ||
		attr->sample_simd_vec_reg_qwords || attr->sample_simd_pred_reg_qwords;
}

int regs_check_width(const struct regs_selection *intr, const struct regs_caps *intr_caps,
		     const struct regs_selection *user, const struct regs_caps *user_caps,
		     struct err *e)
{
	bool user_less = user->vec_qwords < intr->vec_qwords;
	const struct regs_caps *less = user_less ? user_caps : intr_caps;
	unsigned qwords = user_less ? intr->vec_qwords : user->vec_qwords;
	char why[256];

	if (!intr->vec_mask || !user->vec_mask || intr->vec_qwords == user->vec_qwords || !less)
		return 0;
	for (int c = 0; c < REGS_NR_SIMD_CLASSES; c++) {
		const struct regs_class_info *ci = &regs_class_info[c];

		if (ci->pred || ci->qwords != qwords || regs_has_class(less, (enum regs_class)c))
			continue;
		regs_why_not(less, (enum regs_class)c, why, sizeof(why));
		err_set(e, -ENOTSUP,
			"%s of %s would make those of %s as wide, which cannot be had: %s",
			ci->name, user_less ? "-I" : "--user-regs",
			user_less ? "--user-regs" : "-I", why);
		err_hint(e, "An event has one vector width: ask both for the same, or one of them "
			    "for none.");
		return -ENOTSUP;
	}
	return 0;
}
