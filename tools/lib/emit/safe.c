// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings of a file on their way out: nothing in them may steer a terminal or break a document. */
#include "emit/emit.h"

static bool plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f;
}

/* Length of the valid UTF-8 sequence at @s (2-4), 0 when it is none or encodes a C1 control. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] >= 0xf0 && s[0] < 0xf8 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	uint32_t cp;

	if (s[0] < 0xc2 || s[0] >= 0xf8 || n > left)
		return 0;
	cp = s[0] & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (s[i] & 0x3f);
	}
	if (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp < 0xe000) || cp < 0xa0)
		return 0;
	/* Marks that turn the direction of text around would let a name disguise itself. */
	if ((cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069))
		return 0;
	return n;
}

static size_t safe_run(const unsigned char *s, size_t n)
{
	size_t i = 0;

	while (i < n) {
		size_t len = plain(s[i]) ? 1 : utf8_len(s + i, n - i);

		if (!len)
			break;
		i += len;
	}
	return i;
}

void emit_safe_n(struct obuf *o, const char *str, size_t n)
{
	const unsigned char *s = (const unsigned char *)str;

	while (n) {
		size_t run = safe_run(s, n);

		obuf_mem(o, s, run);
		if (run == n)
			return;
		obuf_lit(o, "\\x");
		obuf_hex_zero(o, s[run], 2);
		s += run + 1;
		n -= run + 1;
	}
}

void emit_safe(struct obuf *o, const char *s)
{
	emit_safe_n(o, s, strlen(s));
}

bool emit_is_safe(const char *s)
{
	size_t n = strlen(s);

	return safe_run((const unsigned char *)s, n) == n;
}

void emit_json_string(struct obuf *o, const char *str)
{
	const unsigned char *s = (const unsigned char *)str;
	size_t n = strlen(str);

	obuf_char(o, '"');
	while (n) {
		size_t len = plain(*s) && *s != '"' && *s != '\\' ? 1 : utf8_len(s, n);

		if (len) {
			obuf_mem(o, s, len);
		} else {
			len = 1;
			if (*s == '"' || *s == '\\') {
				obuf_char(o, '\\');
				obuf_char(o, (char)*s);
			} else {
				obuf_lit(o, "\\u00");
				obuf_hex_zero(o, *s, 2);
			}
		}
		s += len;
		n -= len;
	}
	obuf_char(o, '"');
}
