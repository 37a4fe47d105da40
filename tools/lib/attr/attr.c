// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_event_attr as bytes: every size, both byte orders. The struct only grew, so a smaller one is
 * a larger one whose tail is zero; which members there are, how wide, and since which size, is the
 * table's (fields.c), and a file's bytes are put right by a walk over it.
 */
#include "base/bytes.h"
#include "attr/attr-int.h"

static void swap_fields(unsigned char *p)
{
	for (size_t i = 0; i < attr_nr_fields; i++) {
		const struct attr_field *f = &attr_fields[i];

		if (f->size == 8)
			store_u64(p + f->offset, load_u64(p + f->offset, true));
		else if (f->size == 4)
			store_u32(p + f->offset, load_u32(p + f->offset, true));
		else
			store_u16(p + f->offset, load_u16(p + f->offset, true));
	}
}

uint64_t attr_flags_mirror(uint64_t flags)
{
	/* precise_ip is a number of two bits, 15 and 16 or 47 and 48: its place is mirrored, its bits are not. */
	const uint64_t two = ATTR_FLAG_PRECISE_MASK | 3ULL << 47;
	uint64_t r = 0;

	for (int i = 0; i < 64; i++)
		r |= (flags >> i & 1) << (63 - i);
	return (r & ~two) | (flags >> 47 & 3) << ATTR_FLAG_PRECISE_SHIFT |
	       (flags >> ATTR_FLAG_PRECISE_SHIFT & 3) << 47;
}

static bool all_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

int attr_load(struct perf_event_attr *attr, const void *data, size_t size, bool swap, struct err *e)
{
	const unsigned char *p = data;
	uint32_t own;

	memset(attr, 0, sizeof(*attr));
	if (size < PERF_ATTR_SIZE_VER0)
		return err_set(e, -EINVAL, "perf_event_attr of %zu bytes; the smallest has %d",
			       size, PERF_ATTR_SIZE_VER0);
	own = load_u32(p + 4, swap);
	if (!own)
		own = PERF_ATTR_SIZE_VER0;
	if (own < PERF_ATTR_SIZE_VER0 || own > size)
		return err_set(e, -EINVAL, "perf_event_attr says it has %u bytes; %d to %zu can be",
			       own, PERF_ATTR_SIZE_VER0, size);
	if (own > sizeof(*attr) && !all_zero(p + sizeof(*attr), own - sizeof(*attr))) {
		err_set(e, -E2BIG,
			"perf_event_attr of %u bytes: what follows the %zu bytes known here is not "
			"zero",
			own, sizeof(*attr));
		err_hint(e, "the file was written by a newer perf that used a new field");
		return -E2BIG;
	}
	memcpy(attr, p, min_u64(own, sizeof(*attr)));
	if (swap)
		swap_fields((unsigned char *)attr);
	if (swap != host_is_big_endian())
		attr->flags = attr_flags_mirror(attr->flags);
	attr->size = own;
	return 0;
}

uint32_t attr_min_size(const struct perf_event_attr *attr)
{
	const unsigned char *p = (const unsigned char *)attr;
	uint32_t size = PERF_ATTR_SIZE_VER0;

	for (size_t i = 0; i < attr_nr_fields; i++) {
		const struct attr_field *f = &attr_fields[i];

		if (f->since > size && !all_zero(p + f->offset, f->size))
			size = f->since;
	}
	return size;
}

void attr_store(const struct perf_event_attr *attr, void *buf)
{
	struct perf_event_attr copy = *attr;

	if (copy.size > sizeof(copy))
		copy.size = sizeof(copy);
	if (host_is_big_endian())
		copy.flags = attr_flags_mirror(copy.flags);
	memcpy(buf, &copy, copy.size);
}

/* ---- what is counted --------------------------------------------------------------------------------- */

static struct perf_event_attr meaning(const struct perf_event_attr *attr)
{
	struct perf_event_attr m = *attr;

	m.size = 0;
	m.flags &= ~ATTR_FLAGS_BESIDE;
	m.wakeup_events = 0;
	m.clockid = 0;
	m.aux_watermark = 0;
	m.sample_max_stack = 0;
	if (m.sample_type & PERF_SAMPLE_PERIOD) {
		m.flags &= ~ATTR_FLAG_FREQ;
		m.sample_period = 0;
	}
	return m;
}

bool attr_counts_same(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	const struct perf_event_attr x = meaning(a), y = meaning(b);

	return !memcmp(&x, &y, sizeof(x));
}

bool attr_is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}
