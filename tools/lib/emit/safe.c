// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strings of a file on their way out: nothing in them may steer a terminal or break a document.
 * Runs of bytes that are harmless are copied as they are; the others, found by base's safe_run(),
 * become \xNN in text and what JSON has for them there.
 */
#include "emit/emit.h"

void emit_safe_n(struct obuf *o, const char *s, size_t n)
{
	while (n) {
		size_t run = safe_run(s, n);

		obuf_mem(o, s, run);
		if (run == n)
			return;
		obuf_lit(o, "\\x");
		obuf_hex_zero(o, (unsigned char)s[run], 2);
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

	return safe_run(s, n) == n;
}

void emit_json_string(struct obuf *o, const char *s)
{
	size_t n = strlen(s);

	obuf_char(o, '"');
	while (n) {
		bool quote = *s == '"' || *s == '\\';
		size_t len = *s >= 0x20 && *s < 0x7f ? !quote : safe_char(s, n);

		if (len) {
			obuf_mem(o, s, len);
		} else {
			len = 1;
			if (quote) {
				obuf_char(o, '\\');
				obuf_char(o, *s);
			} else {
				obuf_lit(o, "\\u00");
				obuf_hex_zero(o, (unsigned char)*s, 2);
			}
		}
		s += len;
		n -= len;
	}
	obuf_char(o, '"');
}

void emit_json_safe(struct obuf *o, const char *s)
{
	size_t n = strlen(s);

	obuf_char(o, '"');
	while (n) {
		size_t run = safe_run(s, n);

		for (size_t i = 0; i < run; i++) {
			if (s[i] == '"' || s[i] == '\\')
				obuf_char(o, '\\');
			obuf_char(o, s[i]);
		}
		if (run == n)
			break;
		obuf_lit(o, "\\\\x");
		obuf_hex_zero(o, (unsigned char)s[run], 2);
		s += run + 1;
		n -= run + 1;
	}
	obuf_char(o, '"');
}
