/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What annotate, report and script share to take upstream's options: accepted ones, refused ones, and
 * values that several have. */
#ifndef PERF_COMPAT_H
#define PERF_COMPAT_H

#include "cli/cli.h"

/* An option that changes nothing here (-v says so), with and without a value. */
int compat_accept(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e);
/* An option that is not there: its help text says why, and what to use. */
int compat_refuse(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e);

/* "5" or "0.5%", from 0 to 100. */
int compat_percent(const struct option *opt, const char *arg, double *out, struct err *e);
/* --stdio-color: auto, always, never; NULL is auto. Asked before there is a pager, which gets what the
 * terminal would. */
int compat_color(const char *mode, bool *on, struct err *e);

#define OPT_ACCEPT(s, l)                                                                           \
	{                                                                                          \
		.type = OPTION_CALL, .short_name = (s), .name = (l), .parse = compat_accept,       \
		.help = "accepted: nothing to choose here", .flags = OPTION_HIDDEN | OPTION_NO_ARG \
	}
#define OPT_ACCEPT_ARG(s, l, a, f)                                                  \
	{                                                                           \
		.type = OPTION_CALL, .short_name = (s), .name = (l), .arg = (a),    \
		.parse = compat_accept, .help = "accepted: nothing to choose here", \
		.flags = OPTION_HIDDEN | (f)                                        \
	}
#define OPT_REFUSE(s, l, why)                                                                 \
	{                                                                                     \
		.type = OPTION_CALL, .short_name = (s), .name = (l), .arg = "ARG",            \
		.parse = compat_refuse, .help = (why), .flags = OPTION_HIDDEN | OPTION_OPTARG \
	}

#endif
