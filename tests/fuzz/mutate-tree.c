// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flattened device trees changed token by token: values of properties, their lengths with what follows moved,
 * names, nodes taken away or there twice. Format: Devicetree Specification, chapter 5.
 */
#include <stdbool.h>

#include "base/bytes.h"
#include "fuzz.h"

#define MAGIC	   0xd00dfeedu
#define BEGIN_NODE 1
#define END_NODE   2
#define PROP	   3
#define NOP	   4
#define TOKENS_MAX 2048

struct mut {
	uint8_t *p;
	size_t n, max;
	uint32_t seed;
	size_t from, to; /* the structure block */
	unsigned nr;
	uint32_t token[TOKENS_MAX]; /* where they are */
};

static uint32_t be(const struct mut *m, size_t off)
{
	return off + 4 <= m->n ? (uint32_t)m->p[off] << 24 | (uint32_t)m->p[off + 1] << 16 |
					 (uint32_t)m->p[off + 2] << 8 | m->p[off + 3]
			       : 0;
}

static void put(struct mut *m, size_t off, uint32_t v)
{
	for (unsigned i = 0; i < 4 && off + i < m->n; i++)
		m->p[off + i] = (uint8_t)(v >> (24 - 8 * i));
}

static uint32_t pick(struct mut *m, size_t n)
{
	return n ? fuzz_rand(&m->seed) % (uint32_t)n : 0;
}

static bool find_tokens(struct mut *m)
{
	size_t at;

	if (m->n < 40 || be(m, 0) != MAGIC)
		return false;
	m->from = be(m, 8);
	m->to = m->from + be(m, 36);
	if (m->from > m->n || m->to > m->n || m->to < m->from)
		return false;
	m->nr = 0;
	for (at = m->from; at + 4 <= m->to && m->nr < TOKENS_MAX;) {
		uint32_t type = be(m, at);
		const uint8_t *end;

		m->token[m->nr++] = (uint32_t)at;
		at += 4;
		if (type == BEGIN_NODE) {
			end = memchr(m->p + at, 0, m->to - at);
			at = end ? align_up((size_t)(end - m->p) + 1, 4) : m->to;
		} else if (type == PROP) {
			at += 8 + align_up(be(m, at), 4);
		}
	}
	return m->nr;
}

/* @from bytes at @at of the structure become @to; what lies behind moves. */
static bool splice(struct mut *m, size_t at, size_t from, size_t to)
{
	if (at + from > m->to || m->n - from + to > m->max)
		return false;
	memmove(m->p + at + to, m->p + at + from, m->n - at - from);
	if (to > from)
		memset(m->p + at + from, 0, to - from);
	m->n = m->n - from + to;
	put(m, 4, (uint32_t)(be(m, 4) - from + to));
	put(m, 36, (uint32_t)(be(m, 36) - from + to));
	for (size_t field = 12; field <= 16; field += 4)
		if (be(m, field) >= at + from)
			put(m, field, (uint32_t)(be(m, field) - from + to));
	return true;
}

static void change_prop(struct mut *m, size_t at)
{
	uint32_t len = be(m, at + 4);
	size_t value = at + 12;

	switch (pick(m, 8)) {
	case 0: put(m, at + 4, (uint32_t)fuzz_odd(&m->seed, len)); break;
	case 1: put(m, at + 8, be(m, m->token[pick(m, m->nr)] + 8)); break;
	case 2:
		if (splice(m, value, 0, 4))
			put(m, at + 4, len + 4);
		break;
	case 3:
		if (len >= 4 && splice(m, value, 4, 0))
			put(m, at + 4, len - 4);
		break;
	case 4:
		if (len && value + len <= m->n)
			m->p[value + pick(m, len)] ^= (uint8_t)(1u << pick(m, 8));
		break;
	default:
		value += 4ULL * pick(m, len / 4);
		put(m, value, (uint32_t)fuzz_odd(&m->seed, be(m, value)));
	}
}

/* Tokens from one to another go, come twice, or are said to be nothing. */
static void change_tokens(struct mut *m)
{
	unsigned a = pick(m, m->nr), b = a + 1 + pick(m, 8);
	size_t from, n;

	if (b >= m->nr)
		return;
	from = m->token[a];
	n = m->token[b] - from;
	switch (pick(m, 4)) {
	case 0: splice(m, from, n, 0); break;
	case 1:
		if (splice(m, from, 0, n))
			memmove(m->p + from, m->p + from + n, n);
		break;
	case 2: put(m, from, pick(m, 2) ? NOP : 1 + pick(m, 10)); break;
	default:
		for (size_t i = 0; i < n; i += 4)
			put(m, from + i, NOP);
	}
}

size_t mutate_tree(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	struct mut m = { .p = data, .n = size, .max = max, .seed = seed };

	if (size > max)
		return 0;
	for (unsigned n = 1 + pick(&m, 3); n; n--) {
		size_t at;

		if (!find_tokens(&m))
			break;
		at = m.token[pick(&m, m.nr)];
		if (!pick(&m, 16))
			put(&m, 4u * pick(&m, 10), (uint32_t)fuzz_odd(&m.seed, be(&m, 4)));
		else if (be(&m, at) == PROP)
			change_prop(&m, at);
		else if (be(&m, at) == BEGIN_NODE && pick(&m, 2))
			m.p[at + 4] = (uint8_t)("a@0/\0x"[pick(&m, 6)]);
		else
			change_tokens(&m);
	}
	return m.nr ? m.n : 0;
}
