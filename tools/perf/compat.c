// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of upstream that report and script take alike. */
#include "compat.h"

int compat_accept(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	(void)opts, (void)arg, (void)unset, (void)e;
	log_info("--%s: accepted; there is nothing to choose here", opt->name);
	return 0;
}

int compat_refuse(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	(void)opts, (void)arg;
	if (unset)
		return 0;
	return err_set(e, -EINVAL, "--%s: %s", opt->name, opt->help);
}
