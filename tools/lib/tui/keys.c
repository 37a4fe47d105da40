// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes of a terminal become keys. Terminals disagree in few sequences, and terminfo names fewer than
 * they send, so all that are in use are read, whatever TERM says: CSI (ESC [), SS3 (ESC O), the Linux
 * console's F1 to F5, modifiers of xterm, mice by SGR.
 *
 * The function has no state: it looks at all bytes that are there and says how many of them are a key.
 * So a sequence acts the same whether it comes at once or byte by byte. What is left open is ESC, a key
 * and the beginning of others: only time tells, and the caller has the clock. ESC and a character is
 * both, one after the other, never Alt: over a slow line two key presses come in one packet.
 */
#include <stdio.h>

#include "tui/tui-int.h"

#define MAX_SEQUENCE 32 /* what is longer is none */

/* ESC [ 1 A and the like: by the last byte. */
static int by_letter(unsigned char c)
{
	switch (c) {
	case 'A': return TUI_UP;
	case 'B': return TUI_DOWN;
	case 'C': return TUI_RIGHT;
	case 'D': return TUI_LEFT;
	case 'E': return TUI_IGNORE;
	case 'F': return TUI_END;
	case 'H': return TUI_HOME;
	case 'M': return TUI_ENTER; /* of the keypad, after ESC O */
	case 'P': return TUI_F1;
	case 'Q': return TUI_F1 + 1;
	case 'R': return TUI_F1 + 2;
	case 'S': return TUI_F1 + 3;
	case 'Z': return TUI_BACK_TAB;
	case 'j': return '*';
	case 'k': return '+';
	case 'm': return '-';
	case 'o': return '/';
	default: return c >= 'p' && c <= 'y' ? '0' + (c - 'p') : TUI_IGNORE;
	}
}

/* ESC [ 5 ~ */
static int by_number(unsigned n)
{
	static const int keys[] = {
		[1] = TUI_HOME,	   [2] = TUI_INSERT,	[3] = TUI_DELETE,   [4] = TUI_END,
		[5] = TUI_PAGE_UP, [6] = TUI_PAGE_DOWN, [7] = TUI_HOME,	    [8] = TUI_END,
		[11] = TUI_F1,	   [12] = TUI_F1 + 1,	[13] = TUI_F1 + 2,  [14] = TUI_F1 + 3,
		[15] = TUI_F1 + 4, [17] = TUI_F1 + 5,	[18] = TUI_F1 + 6,  [19] = TUI_F1 + 7,
		[20] = TUI_F1 + 8, [21] = TUI_F1 + 9,	[23] = TUI_F1 + 10, [24] = TUI_F1 + 11,
	};

	if (n == 200)
		return TUI_PASTE;
	if (n == 201)
		return TUI_PASTED;
	return n < ARRAY_SIZE(keys) && keys[n] ? keys[n] : TUI_IGNORE;
}

/* xterm's parameter is 1 and a bit for each. */
static int modifiers(unsigned n)
{
	int m = 0;

	if (n < 2 || n > 16)
		return 0;
	n--;
	m |= n & 1 ? TUI_SHIFT : 0;
	m |= n & 2 ? TUI_ALT : 0;
	m |= n & 4 ? TUI_CTRL : 0;
	return m;
}

static void mouse(struct tui_event *ev, const unsigned par[3], unsigned char last)
{
	ev->col = (int)par[1] - 1;
	ev->row = (int)par[2] - 1;
	if (par[0] & 64) /* two more buttons are tilts of the wheel */
		ev->key = (par[0] & 3) == 0   ? TUI_WHEEL_UP
			  : (par[0] & 3) == 1 ? TUI_WHEEL_DOWN
					      : TUI_IGNORE;
	else if (last == 'M' && (par[0] & ~0x1cU) == 0)
		ev->key = TUI_CLICK;
	else
		ev->key = TUI_IGNORE; /* released, moved, other buttons */
}

/* ESC [ parameters, a letter. */
static size_t csi(const unsigned char *s, size_t n, bool all, struct tui_event *ev)
{
	unsigned par[3] = { 0 }, nr = 0;
	size_t i = 2;
	bool sgr = i < n && s[i] == '<';

	/* The Linux console's F1 to F5. */
	if (i < n && s[i] == '[') {
		if (n < 4 && !all)
			return 0;
		ev->key = n >= 4 && s[3] >= 'A' && s[3] <= 'E' ? TUI_F1 + (s[3] - 'A') : TUI_IGNORE;
		return n >= 4 ? 4 : n;
	}
	for (; i < n && i < MAX_SEQUENCE; i++) {
		if (s[i] >= 0x40 && s[i] < 0x7f)
			break;
		if (s[i] == ';')
			nr++;
		else if (s[i] >= '0' && s[i] <= '9' && nr < 3 && par[nr] < 100000)
			par[nr] = par[nr] * 10 + (s[i] - '0');
		else if (s[i] < 0x20 || s[i] > 0x7e)
			return i; /* no sequence: what was it up to here is dropped */
	}
	if (i == n && i < MAX_SEQUENCE) {
		if (!all)
			return 0;
		/* ESC and [ by hand. */
		if (n > 2)
			return n;
		ev->key = TUI_ESC;
		return 1;
	}
	if (i == MAX_SEQUENCE)
		return i;
	if (sgr && (s[i] == 'M' || s[i] == 'm'))
		mouse(ev, par, s[i]);
	else if (s[i] == '~')
		ev->key = by_number(par[0]);
	else
		ev->key = s[i] == 'M' ? TUI_IGNORE : by_letter(s[i]);
	if (ev->key >= TUI_UP && ev->key < TUI_BACK_TAB)
		ev->key |= modifiers(par[1]);
	return i + 1;
}

static size_t escape(const unsigned char *s, size_t n, bool all, struct tui_event *ev)
{
	if (n == 1 && !all)
		return 0;
	ev->key = TUI_ESC;
	if (n == 1 || (s[1] != '[' && s[1] != 'O'))
		return 1;
	if (s[1] == '[') {
		ev->key = TUI_IGNORE;
		return csi(s, n, all, ev);
	}
	if (n == 2)
		return all ? 1 : 0;
	/* rxvt has modifiers here as a number: ESC O 5 A. */
	if (s[2] >= '0' && s[2] <= '9') {
		ev->key = TUI_IGNORE;
		return csi(s, n, all, ev);
	}
	/* ESC and O by hand, and something else. */
	if (s[2] < 0x40 || s[2] >= 0x7f)
		return 1;
	/* A letter that is none of ours is a key of the keypad, and neither Esc nor text. */
	ev->key = by_letter(s[2]);
	return 3;
}

size_t tui_decode(const unsigned char *buf, size_t n, bool all, struct tui_event *ev)
{
	size_t len;
	uint32_t cp;
	char c[5] = "";

	*ev = (struct tui_event){ .key = TUI_IGNORE };
	if (!n)
		return 0;
	if (buf[0] == TUI_ESC)
		return escape(buf, n, all, ev);
	if (buf[0] < 0x80) {
		ev->key = buf[0] == '\n' ? TUI_ENTER : buf[0] == 8 ? TUI_BACKSPACE : buf[0];
		if (!buf[0])
			ev->key = TUI_IGNORE;
		return 1;
	}
	if (buf[0] < 0xc2 || buf[0] >= 0xf5)
		return 1;
	len = buf[0] >= 0xf0 ? 4 : buf[0] >= 0xe0 ? 3 : 2;
	for (size_t i = 1; i < len; i++) {
		if (i == n)
			return all ? n : 0;
		if ((buf[i] & 0xc0) != 0x80)
			return i;
	}
	memcpy(c, buf, len);
	if (tui_char(c, &cp) == len && cp)
		ev->key = (int)cp;
	return len;
}

const char *tui_key_name(int key, char buf[32])
{
	static const char *const names[] = {
		"Up",	"Down", "Right",  "Left",   "Home",	 "End",
		"PgUp", "PgDn", "Insert", "Delete", "Shift-Tab",
	};
	int plain = key & ~(TUI_SHIFT | TUI_ALT | TUI_CTRL);
	const char *name = NULL;
	char own[8] = "";

	if (plain >= TUI_UP && plain <= TUI_BACK_TAB)
		name = names[plain - TUI_UP];
	else if (plain >= TUI_F1 && plain < TUI_WHEEL_UP)
		snprintf(own, sizeof(own), "F%d", plain - TUI_F1 + 1);
	else if (plain == TUI_ENTER)
		name = "Enter";
	else if (plain == TUI_TAB)
		name = "Tab";
	else if (plain == TUI_ESC)
		name = "Esc";
	else if (plain == TUI_BACKSPACE)
		name = "Backspace";
	else if (plain == ' ')
		name = "Space";
	else if (plain > 0 && plain < 27)
		snprintf(own, sizeof(own), "Ctrl-%c", '@' + plain);
	else if (plain < 0x80 && plain > 32)
		snprintf(own, sizeof(own), "%c", plain);
	else if (plain < 0x110000 && plain >= 0xa0)
		snprintf(own, sizeof(own), "U+%04x", (unsigned)plain & 0xffff);
	snprintf(buf, 32, "%s%s%s%s", key & TUI_CTRL ? "Ctrl-" : "", key & TUI_ALT ? "Alt-" : "",
		 key & TUI_SHIFT ? "Shift-" : "",
		 name	? name
		 : *own ? own
			: "?");
	return buf;
}
