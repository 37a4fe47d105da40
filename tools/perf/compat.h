/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What report and script share to take upstream's options: accepted ones, refused ones, switches. */
#ifndef PERF_COMPAT_H
#define PERF_COMPAT_H

#include "cli/cli.h"
#include "perfdata/perfdata.h"

/* An option that changes nothing here (-v says so), with and without a value. */
int compat_accept(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e);
/* An option that is not there: its help text says why, and what to use. */
int compat_refuse(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e);

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

/* "DIR[,hierarchy|flat]": *symfs becomes DIR, a copy in @a. -EINVAL for another layout. */
int compat_symfs(const char **symfs, bool *flat, struct arena *a, struct err *e);

/* --debuginfod[=URLS]: true when asked for; URLS go where the client library looks for them. */
bool compat_debuginfod(const char *urls);

/* --switch-on EVENT, --switch-off EVENT: only what happened between the two counts. */
struct event_switch {
	const char *on_name, *off_name;
	bool show; /* the events themselves too */
	const struct perfdata_event *on, *off;
	bool closed;
};

/* Looks the events up by name; -ENOENT. Does nothing without names. */
int event_switch_init(struct event_switch *s, const struct perfdata *pd, struct err *e);
/* Whether a sample of @event counts. */
bool event_switch_pass(struct event_switch *s, const struct perfdata_event *event);

#endif
