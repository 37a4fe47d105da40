// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text that quotes names of a file, on its way to a terminal or into a document: what may be
 * printed as it is, and messages in which the rest is written out as \xNN.
 */
#include <stdio.h>

#include "base/base.h"
#include "base/bytes.h"

static bool plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f;
}

/*
 * What has no width or turns the direction of text around would let a name look like another one, and
 * is nothing that a name needs: soft hyphen, joiners, marks of direction, separators of lines and
 * paragraphs, tags.
 */
static bool disguises(uint32_t cp)
{
	return cp == 0xad || cp == 0x61c || cp == 0x180e || (cp >= 0x200b && cp <= 0x200f) ||
	       (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff ||
	       (cp >= 0xfff9 && cp <= 0xfffb) || (cp >= 0xe0000 && cp <= 0xe0fff);
}

size_t safe_char(const char *str, size_t left)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)str;
	size_t n = s[0] >= 0xf0 && s[0] < 0xf8 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	uint32_t cp;

	if (plain(s[0]))
		return 1;
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
	return disguises(cp) ? 0 : n;
}

/* Eight bytes at once: none below 0x20, none 0x7f or above. */
static bool all_plain(const char *s)
{
	const uint64_t ones = 0x0101010101010101ULL;
	uint64_t w = load_u64(s, false);

	return !(((w - 0x20 * ones) | (w + ones) | w) & 0x80 * ones);
}

size_t safe_run(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n) {
		size_t len;

		if (n - i >= 8 && all_plain(s + i)) {
			i += 8;
			continue;
		}
		len = plain((unsigned char)s[i]) ? 1 : safe_char(s + i, n - i);

		if (!len)
			break;
		i += len;
	}
	return i;
}

size_t safe_copy(char *buf, size_t size, const char *s, size_t n, const char *keep)
{
	static const char hex[] = "0123456789abcdef";
	size_t at = 0;

	while (n && at + 1 < size) {
		size_t len = *s && strchr(keep, *s) ? 1 : safe_char(s, n), room = len ? len : 4;

		if (size - 1 - at < room)
			break;
		if (len) {
			memcpy(buf + at, s, len);
		} else {
			const char esc[] = { '\\', 'x', hex[(*s >> 4) & 15], hex[*s & 15] };

			len = 1;
			memcpy(buf + at, esc, sizeof(esc));
		}
		at += room;
		s += len;
		n -= len;
	}
	if (size)
		buf[at] = 0;
	return at;
}

static size_t count(const char *s, char c)
{
	size_t n = 0;

	for (; (s = strchr(s, c)) != NULL; s++)
		n++;
	return n;
}

size_t safe_format(char *buf, size_t size, const char *fmt, va_list ap)
{
	char raw[2048], keep[3] = "";
	size_t n, k = 0;

	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = 0;
	n = strlen(raw);
	/* A text that was made here before is passed on as it is. */
	for (const char *c = "\n\t"; *c; c++)
		if (!strcmp(fmt, "%s") || count(fmt, *c) == count(raw, *c))
			keep[k++] = *c;
	keep[k] = 0;
	return safe_copy(buf, size, raw, n, keep);
}
