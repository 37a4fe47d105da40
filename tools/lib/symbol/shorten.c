// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of templates that fit a terminal: what is innermost between angle brackets says least, so
 * it goes first, level by level; then parameters, then the middle.
 *
 *	std::map<std::string, std::vector<int, A<int> >, std::less<std::string> >::find
 *	std::map<std::string, std::vector<...>, std::less<...> >::find
 *	std::map<...>::find
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "symbol/symbol.h"

#define LEVELS 6
#define DOTS   "..."

struct text {
	char *buf;
	size_t size, len; /* len goes on counting behind the end */
};

static void put(struct text *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++, t->len++)
		if (t->len + 1 < t->size)
			t->buf[t->len] = s[i];
}

/* The length of "operator<<" and the like at @s, whose brackets are none; else 0. */
static size_t operator_at(const char *name, const char *s)
{
	size_t n = strlen("operator");

	if (strncmp(s, "operator", n) != 0 ||
	    (s > name && (isalnum((unsigned char)s[-1]) || s[-1] == '_')))
		return 0;
	return n + strspn(s + n, "<>=-()");
}

/* @name without what stands between @open and @close more than @keep deep; its length. */
static size_t collapse(const char *name, char open, char close, unsigned keep, char *buf,
		       size_t size)
{
	struct text t = { .buf = buf, .size = size };
	unsigned depth = 0;

	for (const char *s = name; *s; s++) {
		size_t n = operator_at(name, s);

		if (n) {
			if (depth <= keep)
				put(&t, s, n);
			s += n - 1;
			continue;
		}
		if (*s == open && depth++ == keep) {
			put(&t, s, 1);
			put(&t, DOTS, strlen(DOTS));
		} else if (*s == close && depth && !(s > name && s[-1] == '-')) {
			if (--depth <= keep)
				put(&t, s, 1);
		} else if (depth <= keep) {
			put(&t, s, 1);
		}
	}
	buf[t.len < size ? t.len : size - 1] = 0;
	return t.len;
}

static void cut_middle(char *name, size_t len, size_t max)
{
	size_t tail = (max - strlen(DOTS)) * 2 / 3, head = max - strlen(DOTS) - tail;

	memcpy(name + head, DOTS, strlen(DOTS));
	memmove(name + head + strlen(DOTS), name + len - tail, tail + 1);
}

const char *symbol_shorten(const char *name, size_t max, char *buf, size_t size)
{
	size_t len = strlen(name);
	char all[4096];

	if (!max || len <= max || max < 16 || size <= max)
		return name;
	for (int keep = LEVELS; keep >= 0; keep--)
		if (collapse(name, '<', '>', (unsigned)keep, buf, size) <= max)
			return buf;
	collapse(name, '<', '>', 0, all, sizeof(all));
	len = min_u64(collapse(all, '(', ')', 0, buf, size), size - 1);
	if (len > max)
		cut_middle(buf, len, max);
	return buf;
}
