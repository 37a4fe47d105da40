// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What all browsers can be told on the command line. Settings of perfconfig stand for these options, so
 * a file of upstream's with a section [colors] does what it says.
 */
#include <stdio.h>

#include "tui/tui-int.h"

/* NAME=FG,BG */
static int parse_color(void *opts, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	struct tui_opts *o = opts;
	const char *is = arg ? strchr(arg, '=') : NULL;
	char name[32], known[256] = "";
	int ret = -ENOENT;

	(void)opt;
	if (unset) {
		memset(o->color, 0, sizeof(o->color));
		return 0;
	}
	if (is && is > arg && (size_t)(is - arg) < sizeof(name)) {
		memcpy(name, arg, (size_t)(is - arg));
		name[is - arg] = 0;
		ret = tui_set_color(o, name, is + 1, e);
	}
	if (ret != -ENOENT)
		return ret;
	for (int r = 0; r < TUI_ROLES; r++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), " %s",
			 tui_role_name((enum tui_role)r));
	err_set(e, -EINVAL, "--tui-color %s: nothing of a browser has that name", arg ? arg : "");
	err_hint(e, "NAME=FOREGROUND,BACKGROUND where NAME is one of:%s", known);
	return -EINVAL;
}

const struct option tui_options[] = {
	OPT_CALL(0, "tui-color", parse_color, "NAME=FG,BG",
		 "a colour of the browser, as top=red,default"),
	OPT_BOOL(0, "tui-ascii", struct tui_opts, ascii, "lines of the browser in ASCII"),
	OPT_BOOL(0, "tui-mouse", struct tui_opts, mouse,
		 "the mouse scrolls and picks in the browser"),
	OPT_END(),
};
