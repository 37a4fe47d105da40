// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the fields stand that are one word each: the heads of a sample, in the order of
 * ATTR_SAMPLE_FIELDS, and the trailer that sample_id_all puts behind every other record of the
 * kernel, which has some of them in an order of its own. How far a field is from the start or the
 * end follows from which of the others sample_type has, so whoever looks for one asks here.
 */
#include "base/bytes.h"
#include "attr/attr.h"

static const uint64_t heads[] = { ATTR_SAMPLE_FIELDS(ATTR_HEAD_BIT, ATTR_NO_PART, ATTR_NO_WORD) };

static const uint64_t trailer[] = {
	PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,	 PERF_SAMPLE_IDENTIFIER,
};

_Static_assert(ARRAY_SIZE(trailer) == ATTR_TRAILER_MAX, "room for a whole trailer");

static unsigned offset_in(const uint64_t *fields, size_t nr, uint64_t sample_type, uint64_t bit)
{
	unsigned at = 0;

	for (size_t i = 0; i < nr && fields[i] != bit; i++)
		at += sample_type & fields[i] ? 8 : 0;
	return at;
}

unsigned attr_head_offset(uint64_t sample_type, uint64_t bit)
{
	return offset_in(heads, ARRAY_SIZE(heads), sample_type, bit);
}

unsigned attr_trailer_offset(uint64_t sample_type, uint64_t bit)
{
	return offset_in(trailer, ARRAY_SIZE(trailer), sample_type, bit);
}

size_t attr_trailer_size(const struct perf_event_attr *attr)
{
	if (!attr_flag(attr, ATTR_FLAG_SAMPLE_ID_ALL))
		return 0;
	return attr_trailer_offset(attr->sample_type, 0);
}

size_t attr_trailer_put(const struct perf_event_attr *attr, const struct attr_trailer *v, void *buf)
{
	size_t size = attr_trailer_size(attr);
	unsigned char *p = buf;

	for (size_t i = 0; size && i < ARRAY_SIZE(trailer); i++) {
		if (!(attr->sample_type & trailer[i]))
			continue;
		switch (trailer[i]) {
		case PERF_SAMPLE_TID:
			store_u32(p, v->pid);
			store_u32(p + 4, v->tid);
			break;
		case PERF_SAMPLE_TIME: store_u64(p, v->time); break;
		case PERF_SAMPLE_CPU:
			store_u32(p, v->cpu);
			store_u32(p + 4, 0);
			break;
		default: store_u64(p, v->id); break; /* ID, STREAM_ID, IDENTIFIER */
		}
		p += 8;
	}
	return size;
}
