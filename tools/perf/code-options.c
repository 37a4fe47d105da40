// SPDX-License-Identifier: GPL-2.0-or-later
/* Options on how instructions are shown. */
#include <stdlib.h>

#include "code.h"

#define O struct code_opts

const struct option code_options[] = {
	OPT_BOOL(0, "source", O, source, "source lines between instructions (default)"),
	OPT_STRING('M', "disassembler-style", O, syntax, "STYLE", "x86: att (default) or intel"),
	OPT_STRING(0, "prefix", O, prefix, "DIR", "absolute paths of source files are below DIR"),
	OPT_STRING(0, "prefix-strip", O, prefix_strip, "N",
		   "without their first N directories (needs --prefix)"),
	OPT_END(),
};

static int percent_type(const char *s, enum listing_percent *out, struct err *e)
{
	static const struct {
		const char *name, *other;
		enum listing_percent type;
	} types[] = {
		{ "local-period", "period-local", LISTING_LOCAL_PERIOD },
		{ "local-hits", "hits-local", LISTING_LOCAL_HITS },
		{ "global-period", "period-global", LISTING_GLOBAL_PERIOD },
		{ "global-hits", "hits-global", LISTING_GLOBAL_HITS },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(s, types[i].name) || !strcmp(s, types[i].other)) {
			*out = types[i].type;
			return 0;
		}
	return err_set(e, -EINVAL,
		       "--percent-type is local-period, local-hits, global-period or "
		       "global-hits, not `%s'",
		       s);
}

int code_branches(const char *name, unsigned *what, struct err *e)
{
	*what = brstat_what_named(name);
	if (*what)
		return 0;
	err_set(e, -EINVAL, "--branches: `%s' is nothing that branches are asked", name);
	err_hint(e, "--branches=why says what makes them hard to predict, --branches=cycles "
		    "where time goes, --branches=paths which ways it goes.");
	return -EINVAL;
}

#define X86_SSP BIT(40) /* under the SIMD ABI, where legacy XMM registers are not */

bool code_has_shadow_stack(const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++) {
		const struct perf_event_attr *a = &perfdata_event(pd, i)->attr;

		if (a->sample_simd_regs_enabled &&
		    (a->sample_regs_user | a->sample_regs_intr) & X86_SSP)
			return true;
	}
	return false;
}

int code_values(const char *name, const struct perfdata *pd, enum regs_arch arch, bool *usage,
		struct err *e)
{
	struct reg_key k = { .index = 0 };
	struct regs_pick pick = { 0 };
	int ret = keys_reg_parse(&k, name, arch, e);

	*usage |= ret == -EINVAL;
	if (ret)
		return err_context(e, "--values");
	if (!k.gpr && !k.pred && k.index < 0) {
		*usage = true;
		err_set(e, -EINVAL, "--values counts one number, %s has many", name);
		err_hint(e, "Name a lane, such as %s.f64[0].", name);
		return -EINVAL;
	}
	*(k.gpr ? &pick.gpr : k.pred ? &pick.pred : &pick.vec) = BIT(k.reg);
	return sample_check_pick(pd, &pick, name, arch, e);
}

int code_opts_read(const struct code_opts *o, struct tui_annotate_opts *out, struct err *e)
{
	uint64_t strip = 0;

	if (o->prefix_strip && !o->prefix)
		return err_set(e, -EINVAL, "--prefix-strip requires --prefix");
	if (o->prefix_strip && (cli_parse_u64(o->prefix_strip, &strip) || strip > INT32_MAX))
		return err_set(e, -EINVAL, "--prefix-strip: `%s' is no number", o->prefix_strip);
	if (o->syntax && strcmp(o->syntax, "att") && strcmp(o->syntax, "intel"))
		return err_set(e, -EINVAL, "-M is att or intel, not `%s'", o->syntax);
	out->percent = LISTING_LOCAL_PERIOD;
	out->listing = (struct listing_opts){
		.syntax = o->syntax && *o->syntax == 'i' ? INSN_INTEL : INSN_ATT,
		.no_source = !o->source,
		.prefix = o->prefix,
		.strip = (unsigned)strip,
	};
	return o->percent_type ? percent_type(o->percent_type, &out->percent, e) : 0;
}
