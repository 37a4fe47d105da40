// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why the kernel refused registers: it has no such registers, knows them with precise events only
 * or only without, or its attr is too small. Which one holds was found out by trials before (regs-
 * probe.c, refuse.c).
 */
#include "events/explain-int.h"

static bool is_regs(const struct refusal *r)
{
	return r->field == FIELD_SIMD || r->field == FIELD_REGS_USER || r->field == FIELD_REGS_INTR;
}

static bool precise_has_fewer(const struct refusal *r)
{
	return is_regs(r) && r->precise_refused;
}

static void say_precise_has_fewer(const struct refusal *r, struct err *e)
{
	char name[128];

	err_set(e, r->code,
		"%s: %s: precise events of this CPU (PEBS) cannot sample all registers asked for, plain ones can",
		r->ev->name, r->name);
	explain_modified(r, "", name, sizeof(name));
	err_hint(e, "Drop the p modifiers: -e %s", name);
}

static bool needs_precise(const struct refusal *r)
{
	return is_regs(r) && r->precise_missing;
}

static void say_needs_precise(const struct refusal *r, struct err *e)
{
	char name[128];

	err_set(e, r->code,
		"%s: %s: this CPU samples XMM registers only with precise events (PEBS)",
		r->ev->name, r->name);
	explain_modified(r, "p", name, sizeof(name));
	err_hint(e, "Add the p modifier: -e %s", name);
}

static bool simd_unknown(const struct refusal *r)
{
	return (r->code == -E2BIG || r->field == FIELD_SIMD) && r->attr->sample_simd_regs_enabled;
}

static void say_simd(const struct refusal *r, struct err *e)
{
	if (r->kernel_size && r->kernel_size < PERF_ATTR_SIZE_VER10)
		err_set(e, r->code,
			"%s: sample_simd_*: this kernel (%s, attr size %u) does not know SIMD, APX and SSP registers",
			r->ev->name, r->ctx->release, r->kernel_size);
	else if (is_software(r))
		err_set(e, r->code,
			"%s: %s: a software event has no SIMD registers; take one of the CPU's, such as cycles",
			r->ev->name, r->name);
	else
		err_set(e, r->code, "%s: %s: this CPU or PMU cannot sample the registers asked for",
			r->ev->name, r->name);
	err_hint(e, "perf record -I? lists what opens here.");
}

static bool is_too_big(const struct refusal *r)
{
	return r->code == -E2BIG;
}

static void say_too_big(const struct refusal *r, struct err *e)
{
	err_set(e, r->code,
		"%s: size: this kernel (%s) knows attrs of %u bytes, the event needs %u: it uses a field that is too new",
		r->ev->name, r->ctx->release, r->kernel_size, r->attr->size);
	err_hint(e, "config3, config4 and SIMD registers need a newer kernel.");
}

static bool regs_refused(const struct refusal *r)
{
	return r->field == FIELD_REGS_USER || r->field == FIELD_REGS_INTR;
}

static void say_regs(const struct refusal *r, struct err *e)
{
	uint64_t mask =
		r->field == FIELD_REGS_USER ? r->attr->sample_regs_user : r->attr->sample_regs_intr;
	char names[256];

	regs_mask_text(mask, regs_arch_host(), r->attr->sample_simd_regs_enabled, names,
		       sizeof(names));
	err_set(e, r->code, "%s: %s: this kernel or CPU cannot sample the registers %s",
		r->ev->name, r->name, names);
	err_hint(e, "perf record -I? and --user-regs=? list what opens here.");
}

const struct cause explain_regs[] = {
	{ "precise-fewer", 0, precise_has_fewer, say_precise_has_fewer },
	{ "needs-precise", 0, needs_precise, say_needs_precise },
	{ "simd", 0, simd_unknown, say_simd },
	{ "too-big", -E2BIG, is_too_big, say_too_big },
	{ "regs", 0, regs_refused, say_regs },
	{},
};
