/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How perf annotate, and the browser of perf report, show instructions: options that both have. */
#ifndef PERF_CODE_H
#define PERF_CODE_H

#include "tui/tui.h"

struct code_opts {
	const char *syntax, *prefix, *prefix_strip, *percent_type;
	bool source; /* to be set before options are read: it is the default */
};

/* For OPT_INCLUDE() of a struct code_opts; all but --percent-type, which is a number's. */
extern const struct option code_options[];
#define CODE_PERCENT_TYPE(st, code)                                                     \
	OPT_STRING(0, "percent-type", st, code.percent_type, "TYPE",                    \
		   "local-period (default), local-hits, global-period or global-hits: " \
		   "shares of the function or of the event, by periods or numbers of samples")
/* What they say; strings are shared. 0 or -EINVAL. */
int code_opts_read(const struct code_opts *o, struct tui_annotate_opts *out, struct err *e);

/* --branches of either: of enum brstat_what. 0 or -EINVAL. */
int code_branches(const char *name, unsigned *what, struct err *e);
/* --values of either: a register, or a lane of one, that samples of @pd have. 0 or -errno; *@usage: it is no such thing at all. */
int code_values(const char *name, const struct perfdata *pd, enum regs_arch arch, bool *usage,
		struct err *e);
/* Whether some event of an x86 recording has the shadow stack pointer. */
bool code_has_shadow_stack(const struct perfdata *pd);

#endif
