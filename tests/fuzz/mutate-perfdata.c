// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings changed so that they still are recordings: perf.data(5). Whatever grows or shrinks moves what lies
 * behind it, and every offset and size in header, attrs and table of features that speaks of it follows. So a
 * change reaches the code that reads what was changed, instead of the check of the sizes in front of
 * it; sizes that are wrong on purpose come from changing a size alone.
 *
 * Both byte orders, files and pipes: in a pipe there is nothing but records.
 */
#include <stdbool.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "uapi/perf_event.h"

#define HEADER_SIZE  104
#define PIPE_HEADER  16
#define FEATURES_AT  72 /* 256 bits */
#define SECTION	     16 /* offset, size */
#define RECORDS_MAX  512
#define RECORD_LARGE 1024
#define ATTR_TYPE    0
#define ATTR_CONFIG  8
#define ATTR_PERIOD  16
#define ATTR_SAMPLE  24
#define ATTR_READ    32
#define ATTR_FLAGS   40
#define ATTR_BRANCH  72
#define ATTR_UREGS   80
#define ATTR_IREGS   96
#define ATTR_SIMD    136
#define KERNEL_TYPES 22 /* PERF_RECORD_* below the tools' own */
#define USER_ATTR    64
#define USER_FEATURE 80

struct mut {
	uint8_t *p;
	size_t n, max;
	uint32_t seed;
	bool swap, pipe;
	size_t from, to; /* the records */
	uint16_t nr;
	size_t rec[RECORDS_MAX + 1]; /* where they begin; behind the last one */
};

static uint32_t pick(struct mut *m, size_t n)
{
	return n ? fuzz_rand(&m->seed) % (uint32_t)n : 0;
}

static bool there(const struct mut *m, uint64_t off, uint64_t n)
{
	return off <= m->n && n <= m->n - off;
}

static uint64_t get64(const struct mut *m, size_t off)
{
	return there(m, off, 8) ? load_u64(m->p + off, m->swap) : 0;
}

static void put(struct mut *m, size_t off, uint64_t v, unsigned bytes)
{
	if (!there(m, off, bytes))
		return;
	for (unsigned i = 0; i < bytes; i++)
		m->p[off + i] = (uint8_t)(v >> 8 * (m->swap ? bytes - 1 - i : i));
}

static uint64_t get(const struct mut *m, size_t off, unsigned bytes)
{
	uint64_t v = 0;

	if (there(m, off, bytes))
		for (unsigned i = 0; i < bytes; i++)
			v |= (uint64_t)m->p[off + i] << 8 * (m->swap ? bytes - 1 - i : i);
	return v;
}

/* ---- what is where -------------------------------------------------------------------------------- */

static bool find_records(struct mut *m)
{
	size_t at = m->from;

	m->nr = 0;
	while (m->nr < RECORDS_MAX && m->to - at >= 8) {
		uint64_t size = get(m, at + 6, 2);

		if (size < 8 || size > m->to - at)
			break;
		m->rec[m->nr++] = at;
		at += size;
	}
	m->rec[m->nr] = at;
	return m->nr;
}

static bool find_parts(struct mut *m)
{
	static const char magic[] = "PERFILE2", swapped[] = "2ELIFREP";

	if (m->n < PIPE_HEADER)
		return false;
	m->swap = !memcmp(m->p, swapped, 8);
	if (!m->swap && memcmp(m->p, magic, 8) != 0)
		return false;
	m->pipe = get64(m, 8) == PIPE_HEADER;
	m->from = m->pipe ? PIPE_HEADER : get64(m, 40);
	m->to = m->pipe ? m->n : m->from + get64(m, 48);
	if (!m->pipe && m->to == m->from)
		m->to = m->n;
	if (m->from > m->n || m->to < m->from)
		return false;
	if (m->to > m->n)
		m->to = m->n;
	return find_records(m);
}

/* The table of features lies behind the records. */
static unsigned nr_features(const struct mut *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 32; i++)
		n += (unsigned)__builtin_popcount(m->p[FEATURES_AT + i]);
	return n;
}

static uint64_t attr_size(const struct mut *m)
{
	uint64_t size = get64(m, 16);

	return size >= 64 + SECTION && size <= 4096 ? size : 0;
}

/* ---- growing and shrinking -------------------------------------------------------------------------- */

/* A section's offset and size after @from bytes at @at became @to. */
static void follow(struct mut *m, size_t field, uint64_t at, uint64_t from, uint64_t to)
{
	uint64_t off = get64(m, field), size = get64(m, field + 8);

	if (!there(m, field, SECTION))
		return;
	if (off > at || (off == at && !size))
		put(m, field, off - from + to, 8);
	else if (at <= off + size && at + from <= off + size)
		put(m, field + 8, size - from + to, 8);
}

/* Replaces @from bytes at @at by @to others, zeros where they are more; all that speaks of them follows. */
static bool splice(struct mut *m, size_t at, size_t from, size_t to)
{
	size_t table = m->pipe ? 0 : m->to, attrs, step;

	if (!there(m, at, from) || m->n - from + to > m->max)
		return false;
	memmove(m->p + at + to, m->p + at + from, m->n - at - from);
	if (to > from)
		memset(m->p + at + from, 0, to - from);
	m->n = m->n - from + to;
	if (m->pipe)
		return true;
	if (at < HEADER_SIZE)
		return true;
	if (table >= at + from)
		table = table - from + to;
	attrs = get64(m, 24);
	if (attrs >= at + from)
		attrs = attrs - from + to;
	step = attr_size(m);
	for (uint64_t i = 0; step && i < get64(m, 32) / step && i < 64; i++)
		follow(m, attrs + (i + 1) * step - SECTION, at, from, to);
	for (unsigned i = 0; i < nr_features(m); i++)
		follow(m, table + i * SECTION, at, from, to);
	follow(m, 24, at, from, to);
	follow(m, 40, at, from, to);
	follow(m, 56, at, from, to);
	return true;
}

/* ---- records --------------------------------------------------------------------------------------- */

static size_t record_size(const struct mut *m, unsigned i)
{
	return m->rec[i + 1] - m->rec[i];
}

static void resize_record(struct mut *m)
{
	unsigned i = pick(m, m->nr);
	size_t size = record_size(m, i), at, n = 8 * (1 + pick(m, 4));

	at = 8 + pick(m, size / 8) * 8;
	if (at > size)
		at = size;
	if (pick(m, 2)) {
		if (size + n <= RECORD_LARGE * 8 && splice(m, m->rec[i] + at, 0, n))
			put(m, m->rec[i] + 6, size + n, 2);
	} else if (size - at >= n && splice(m, m->rec[i] + at, n, 0)) {
		put(m, m->rec[i] + 6, size - n, 2);
	}
}

static void double_record(struct mut *m)
{
	unsigned i = pick(m, m->nr), to = pick(m, m->nr + 1u);
	size_t size = record_size(m, i), at = m->rec[to];
	uint8_t copy[RECORD_LARGE];

	if (size > sizeof(copy))
		return;
	memcpy(copy, m->p + m->rec[i], size);
	if (splice(m, at, 0, size))
		memcpy(m->p + at, copy, size);
}

static void drop_record(struct mut *m)
{
	unsigned i = pick(m, m->nr);

	if (m->nr > 1)
		splice(m, m->rec[i], record_size(m, i), 0);
}

/* The same bytes in another order: nothing grows. */
static void swap_records(struct mut *m)
{
	unsigned i = pick(m, m->nr - 1u);
	size_t a = record_size(m, i), b = i + 1u < m->nr ? record_size(m, i + 1) : 0;
	uint8_t copy[RECORD_LARGE];

	if (!b || a > sizeof(copy))
		return;
	memcpy(copy, m->p + m->rec[i], a);
	memmove(m->p + m->rec[i], m->p + m->rec[i + 1], b);
	memcpy(m->p + m->rec[i] + b, copy, a);
}

static void change_word(struct mut *m)
{
	unsigned i = pick(m, m->nr), bytes = pick(m, 3) ? 8 : 4;
	size_t n = (record_size(m, i) - 8) / bytes, at = m->rec[i] + 8 + bytes * pick(m, n);

	if (n)
		put(m, at, fuzz_odd(&m->seed, get(m, at, bytes)), bytes);
}

/* Numbers that stand elsewhere already: ids, processes, addresses that meet. */
static void copy_word(struct mut *m)
{
	unsigned i = pick(m, m->nr), k = pick(m, m->nr);
	size_t a = (record_size(m, i) - 8) / 8, b = (record_size(m, k) - 8) / 8;

	if (a && b)
		put(m, m->rec[i] + 8 + 8 * pick(m, a), get64(m, m->rec[k] + 8 + 8 * pick(m, b)), 8);
}

static void change_type(struct mut *m)
{
	unsigned i = pick(m, m->nr);
	uint32_t type = pick(m, 4) ? 1 + pick(m, KERNEL_TYPES) : USER_ATTR + pick(m, 24);

	put(m, m->rec[i], type, 4);
}

static void change_misc(struct mut *m)
{
	unsigned i = pick(m, m->nr);

	put(m, m->rec[i] + 4, pick(m, 2) ? 1u << pick(m, 16) | pick(m, 8) : pick(m, 8), 2);
}

static void change_size(struct mut *m)
{
	unsigned i = pick(m, m->nr);

	put(m, m->rec[i] + 6, fuzz_odd(&m->seed, record_size(m, i)), 2);
}

/* Letters of a name, or its end. */
static void change_string(struct mut *m)
{
	static const char letters[] = "\0/[]:;\"\\\n\x1b\xff a0.(<>@";
	unsigned i = pick(m, m->nr);
	size_t size = record_size(m, i);

	for (unsigned k = 1 + pick(m, 3); k && size > 16; k--)
		m->p[m->rec[i] + 16 + pick(m, size - 16)] =
			(uint8_t)letters[pick(m, sizeof(letters))];
}

/* ---- attrs and what samples hold ---------------------------------------------------------------------- */

/* Where the attr of event @i lies, as bytes of the file; 0 = nowhere. */
static size_t find_attr(struct mut *m, unsigned i)
{
	if (!m->pipe)
		return there(m, get64(m, 24) + i * attr_size(m), 64)
			       ? get64(m, 24) + i * attr_size(m)
			       : 0;
	for (unsigned k = 0; k < m->nr; k++)
		if (get(m, m->rec[k], 4) == USER_ATTR && record_size(m, k) >= 72 && i-- == 0)
			return m->rec[k] + 8;
	return 0;
}

static unsigned nr_attrs(struct mut *m)
{
	unsigned n = 0;

	if (!m->pipe && attr_size(m))
		return (unsigned)min_u64(get64(m, 32) / attr_size(m), 64);
	while (m->pipe && n < 8 && find_attr(m, n))
		n++;
	return n;
}

static void change_attr(struct mut *m)
{
	static const uint8_t fields[] = { ATTR_TYPE,   ATTR_CONFIG, ATTR_PERIOD, ATTR_SAMPLE,
					  ATTR_SAMPLE, ATTR_READ,   ATTR_FLAGS,	 ATTR_FLAGS,
					  ATTR_BRANCH, ATTR_UREGS,  ATTR_IREGS,	 ATTR_SIMD };
	size_t attr = find_attr(m, pick(m, nr_attrs(m)));
	size_t at = attr + fields[pick(m, sizeof(fields))];

	if (!attr)
		return;
	if (pick(m, 4))
		put(m, at, get64(m, at) ^ 1ULL << pick(m, 40), 8);
	else
		put(m, at, fuzz_odd(&m->seed, get64(m, at)), 8);
}

/* Fields of one word that samples begin with, in their order: perf_event_open(2). */
static const uint64_t words[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,	  PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,	PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,	PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};

/* Every event gets or loses one of them, and every sample its word. */
static void change_sample_type(struct mut *m)
{
	unsigned which = pick(m, ARRAY_SIZE(words)), nr = nr_attrs(m);
	size_t first = find_attr(m, 0);
	uint64_t type = first ? get64(m, first + ATTR_SAMPLE) : 0;
	bool has = type & words[which];
	size_t at = 8;

	for (unsigned i = 0; i < which; i++)
		at += type & words[i] ? 8 : 0;
	for (unsigned i = 0; i < nr; i++) {
		size_t attr = find_attr(m, i);

		put(m, attr + ATTR_SAMPLE, get64(m, attr + ATTR_SAMPLE) ^ words[which], 8);
	}
	for (unsigned i = m->nr; i-- > 0;) {
		size_t size = record_size(m, i);

		if (get(m, m->rec[i], 4) != PERF_RECORD_SAMPLE || size < at + 8)
			continue;
		if (splice(m, m->rec[i] + at, has ? 8 : 0, has ? 0 : 8))
			put(m, m->rec[i] + 6, has ? size - 8 : size + 8, 2);
	}
}

/* ---- header and features --------------------------------------------------------------------------------- */

static void change_header(struct mut *m)
{
	size_t at = m->pipe ? 8 : 8 + 8 * pick(m, 12);

	put(m, at, fuzz_odd(&m->seed, get64(m, at)), 8);
}

/* Bytes of a feature: payloads are words and strings with their lengths. */
static void change_feature(struct mut *m)
{
	unsigned n = m->pipe ? 0 : nr_features(m);
	size_t entry = m->to + SECTION * pick(m, n), off, size, at;

	if (!n || !there(m, entry, SECTION))
		return;
	off = get64(m, entry);
	size = get64(m, entry + 8);
	if (!size || !there(m, off, size))
		return;
	at = off + pick(m, size) / 4 * 4;
	switch (pick(m, 6)) {
	case 0: put(m, entry + 8, fuzz_odd(&m->seed, size), 8); break;
	case 1: splice(m, at, 0, 4 * (1 + pick(m, 4))); break;
	case 2: splice(m, at, off + size - at < 4 ? off + size - at : 4, 0); break;
	case 3: m->p[off + pick(m, size)] ^= (uint8_t)(1u << pick(m, 8)); break;
	default: put(m, at, fuzz_odd(&m->seed, get(m, at, 4)), 4);
	}
}

/* A feature becomes another one, with the same payload; or there is one more with a neighbour's. */
static void rename_feature(struct mut *m)
{
	unsigned bit = pick(m, 40), byte = FEATURES_AT + bit / 8;

	if (m->pipe) {
		for (unsigned i = 0; i < m->nr; i++)
			if (get(m, m->rec[i], 4) == USER_FEATURE && !pick(m, 3))
				put(m, m->rec[i] + 8, pick(m, 40), 8);
		return;
	}
	if (m->p[byte] & 1u << bit % 8 || pick(m, 3))
		m->p[byte] ^= (uint8_t)(1u << bit % 8);
	else if (m->n + SECTION <= m->max && splice(m, m->to, 0, SECTION)) {
		m->p[byte] ^= (uint8_t)(1u << bit % 8);
		memmove(m->p + m->to, m->p + m->to + SECTION,
			there(m, m->to, 2 * SECTION) ? SECTION : 0);
	}
}

size_t mutate_perfdata(uint8_t *data, size_t size, size_t max, uint32_t seed)
{
	static void (*const changes[])(struct mut * m) = {
		change_word,	change_word,	change_word,	change_word,	copy_word,
		copy_word,	resize_record,	resize_record,	double_record,	double_record,
		drop_record,	swap_records,	change_type,	change_type,	change_misc,
		change_size,	change_string,	change_attr,	change_attr,	change_attr,
		change_header,	change_feature, change_feature, change_feature, change_sample_type,
		rename_feature,
	};
	struct mut m = { .p = data, .n = size, .max = max, .seed = seed };

	if (size > max)
		return 0;
	for (unsigned n = 1 + fuzz_rand(&m.seed) % 3; n; n--) {
		if (!find_parts(&m))
			break;
		changes[pick(&m, ARRAY_SIZE(changes))](&m);
	}
	return m.nr ? m.n : 0;
}
