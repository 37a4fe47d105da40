// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of upstream that annotate, report and script take alike. */
#include <stdlib.h>
#include <unistd.h>

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

int compat_percent(const struct option *opt, const char *arg, double *out, struct err *e)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || (*end && strcmp(end, "%") != 0) || !(v >= 0 && v <= 100))
		return err_set(e, -EINVAL, "--%s: `%s' is no number from 0 to 100", opt->name, arg);
	*out = v;
	return 0;
}

int compat_color(const char *mode, bool *on, struct err *e)
{
	if (!mode)
		mode = "auto";
	if (strcmp(mode, "auto") != 0 && strcmp(mode, "always") != 0 && strcmp(mode, "never") != 0)
		return err_set(e, -EINVAL, "--stdio-color is auto, always or never, not `%s'",
			       mode);
	*on = *mode == 'a' && (mode[1] == 'l' || cli_use_color(STDOUT_FILENO));
	return 0;
}
