// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Roles and their colours: upstream's names and colours where it has them, ours behind. What a terminal
 * makes of a colour is terminal.c's business; here they are words.
 */
#include <ctype.h>
#include <stdlib.h>

#include "tui/tui-int.h"

static const struct {
	const char *name, *fg, *bg;
} roles[TUI_ROLES] = {
	[TUI_NORMAL] = { "normal", "default", "default" },
	[TUI_TOP] = { "top", "red", "default" },
	[TUI_MEDIUM] = { "medium", "green", "default" },
	[TUI_SELECTED] = { "selected", "black", "yellow" },
	[TUI_JUMP_ARROWS] = { "jump_arrows", "blue", "default" },
	[TUI_ADDR] = { "addr", "magenta", "default" },
	[TUI_ROOT] = { "root", "white", "blue" },
	[TUI_HEAD] = { "head", "default", "default" },
	[TUI_DIM] = { "dim", "gray", "default" },
	[TUI_MATCH] = { "match", "black", "cyan" },
	[TUI_MENU] = { "menu", "black", "lightgray" },
	[TUI_WARN] = { "warn", "white", "red" },
	[TUI_BAR] = { "bar", "cyan", "default" },
};

/* S-Lang's names, and what else it can read. */
static bool is_color(const char *s)
{
	static const char *const names[] = {
		"default", "black",	 "red",		  "green",	"brown",     "blue",
		"magenta", "cyan",	 "lightgray",	  "gray",	"brightred", "brightgreen",
		"yellow",  "brightblue", "brightmagenta", "brightcyan", "white",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], s))
			return true;
	if (*s == '#')
		return strlen(s) == 7 && strspn(s + 1, "0123456789abcdefABCDEF") == 6;
	if (!strncmp(s, "color", 5) && isdigit((unsigned char)s[5])) {
		size_t n = strspn(s + 5, "0123456789");

		return !s[5 + n] && n <= 3 && atoi(s + 5) < 256;
	}
	return false;
}

static const char *trimmed(char buf[TUI_COLOR_MAX], const char *s, size_t n)
{
	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	n = n < TUI_COLOR_MAX ? n : 0;
	memcpy(buf, s, n);
	buf[n] = 0;
	return buf;
}

int tui_set_color(struct tui_opts *o, const char *name, const char *value, struct err *e)
{
	const char *comma = strchr(value, ',');
	char fg[TUI_COLOR_MAX], bg[TUI_COLOR_MAX];
	int role = 0;

	while (role < TUI_ROLES && strcmp(roles[role].name, name))
		role++;
	if (role == TUI_ROLES)
		return -ENOENT;
	trimmed(fg, value, comma ? (size_t)(comma - value) : strlen(value));
	trimmed(bg, comma ? comma + 1 : "default", comma ? strlen(comma + 1) : 7);
	if (!is_color(fg) || !is_color(bg)) {
		err_set(e, -EINVAL, "colors.%s = %s: no such color", name, value);
		err_hint(e, "as in \"red, default\": black red green brown blue magenta cyan "
			    "lightgray gray yellow white, bright..., color0 to color255, #rrggbb");
		return -EINVAL;
	}
	memcpy(o->color[role].fg, fg, sizeof(fg));
	memcpy(o->color[role].bg, bg, sizeof(bg));
	return 0;
}

const char *tui_role_color(const struct tui_opts *o, enum tui_role role, bool background)
{
	const char *own = !o ? "" : background ? o->color[role].bg : o->color[role].fg;

	return *own ? own : background ? roles[role].bg : roles[role].fg;
}

const char *tui_role_name(enum tui_role role)
{
	return role < TUI_ROLES ? roles[role].name : "?";
}
