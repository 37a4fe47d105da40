// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text in lines, of words and numbers, changed in these: digits of a number, words that go or come twice, lines
 * in another order. What is a word is told by blanks and punctuation.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

#include "fuzz.h"

struct mut {
	uint8_t *p;
	size_t n, max;
	uint32_t seed;
};

static size_t pick(struct mut *m, size_t n)
{
	return n ? fuzz_rand(&m->seed) % n : 0;
}

static bool replace(struct mut *m, size_t at, size_t from, const void *by, size_t to)
{
	if (m->n - from + to > m->max)
		return false;
	memmove(m->p + at + to, m->p + at + from, m->n - at - from);
	memcpy(m->p + at, by, to);
	m->n = m->n - from + to;
	return true;
}

static bool in_word(uint8_t c)
{
	return isalnum(c) || c == '_';
}

/* The word (or run of other characters) around a place. */
static size_t find_word(struct mut *m, size_t *len)
{
	size_t at = pick(m, m->n), end = at;
	bool word = in_word(m->p[at]);

	while (at && in_word(m->p[at - 1]) == word)
		at--;
	while (end < m->n && in_word(m->p[end]) == word)
		end++;
	*len = end - at;
	return at;
}

static size_t find_line(struct mut *m, size_t *len)
{
	size_t at = pick(m, m->n), end = at;

	while (at && m->p[at - 1] != '\n')
		at--;
	while (end < m->n && m->p[end] != '\n')
		end++;
	*len = end + (end < m->n) - at;
	return at;
}

static void change_number(struct mut *m)
{
	static const char *const formats[] = { "%llu", "%llx", "0x%llx", "-%llu", "%lld" };
	size_t len, at = find_word(m, &len);
	char text[32];

	for (int tries = 8; tries && !isxdigit(m->p[at]); tries--)
		at = find_word(m, &len);
	if (!isxdigit(m->p[at]) || len > 20)
		return;
	len = replace(m, at, len, text,
		      (size_t)snprintf(text, sizeof(text), formats[pick(m, ARRAY_SIZE(formats))],
				       (unsigned long long)fuzz_odd(&m->seed, 8)));
}

/* A word or a line of elsewhere comes here, in the place of one or in front of it. */
static void copy(struct mut *m, size_t (*find)(struct mut *m, size_t *len))
{
	size_t len, to_len, at = find(m, &len), to;
	uint8_t text[256];

	if (len > sizeof(text))
		len = sizeof(text);
	memcpy(text, m->p + at, len);
	to = find(m, &to_len);
	replace(m, to, pick(m, 2) ? to_len : 0, text, len);
}

static void drop(struct mut *m, size_t (*find)(struct mut *m, size_t *len))
{
	size_t len, at = find(m, &len);

	replace(m, at, len, "", 0);
}

static void change_sign(struct mut *m)
{
	static const char signs[] = "\n\t ,:;.=/@#{}()[]<>*&!~-+%\"'\\_\0\xff"
				    "0a";
	size_t at = pick(m, m->n);

	replace(m, at, pick(m, 2), signs + pick(m, sizeof(signs) - 1), 1);
}

size_t mutate_text(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	struct mut m = { .p = data, .n = size, .max = max, .seed = seed };

	if (size > max)
		return 0;
	for (size_t n = 1 + pick(&m, 3); n && m.n; n--) {
		switch (pick(&m, 8)) {
		case 0:
		case 1: change_number(&m); break;
		case 2: copy(&m, find_line); break;
		case 3: drop(&m, find_line); break;
		case 4: drop(&m, find_word); break;
		case 5:
		case 6: copy(&m, find_word); break;
		default: change_sign(&m);
		}
	}
	return m.n;
}
