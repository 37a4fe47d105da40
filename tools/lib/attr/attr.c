// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_event_attr as bytes: every size, both byte orders. */
#include "attr/attr.h"

/* One row per field of the attr, in the order of the bytes. */
struct attr_field {
	uint16_t offset;
	uint8_t size;
};

#define FIELD(name)                                                 \
	{                                                           \
		offsetof(struct perf_event_attr, name),             \
			sizeof(((struct perf_event_attr *)0)->name) \
	}

static const struct attr_field attr_fields[] = {
	FIELD(type),
	FIELD(size),
	FIELD(config),
	FIELD(sample_period),
	FIELD(sample_type),
	FIELD(read_format),
	FIELD(flags),
	FIELD(wakeup_events),
	FIELD(bp_type),
	FIELD(config1),
	FIELD(config2),
	FIELD(branch_sample_type),
	FIELD(sample_regs_user),
	FIELD(sample_stack_user),
	FIELD(clockid),
	FIELD(sample_regs_intr),
	FIELD(aux_watermark),
	FIELD(sample_max_stack),
	FIELD(reserved_2),
	FIELD(aux_sample_size),
	FIELD(aux_action),
	FIELD(sig_data),
	FIELD(config3),
	FIELD(config4),
	FIELD(sample_simd_regs_enabled),
	FIELD(sample_simd_pred_reg_qwords),
	FIELD(sample_simd_vec_reg_qwords),
	FIELD(reserved_4),
	FIELD(sample_simd_pred_reg_intr),
	FIELD(sample_simd_pred_reg_user),
	FIELD(sample_simd_vec_reg_intr),
	FIELD(sample_simd_vec_reg_user),
};

static const uint32_t attr_sizes[] = {
	PERF_ATTR_SIZE_VER0, PERF_ATTR_SIZE_VER1, PERF_ATTR_SIZE_VER2,	PERF_ATTR_SIZE_VER3,
	PERF_ATTR_SIZE_VER4, PERF_ATTR_SIZE_VER5, PERF_ATTR_SIZE_VER6,	PERF_ATTR_SIZE_VER7,
	PERF_ATTR_SIZE_VER8, PERF_ATTR_SIZE_VER9, PERF_ATTR_SIZE_VER10,
};

static void swap_fields(unsigned char *p, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr_fields); i++) {
		const struct attr_field *f = &attr_fields[i];

		if ((size_t)f->offset + f->size > size)
			break;
		if (f->size == 8)
			store_u64(p + f->offset, load_u64(p + f->offset, true));
		else if (f->size == 4)
			store_u32(p + f->offset, load_u32(p + f->offset, true));
		else
			store_u16(p + f->offset, load_u16(p + f->offset, true));
	}
}

/* A big-endian compiler lays bit-fields out from the top of the word. */
static uint64_t reverse_bits(uint64_t v)
{
	uint64_t r = 0;

	for (int i = 0; i < 64; i++)
		r |= (v >> i & 1) << (63 - i);
	return r;
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
		swap_fields((unsigned char *)attr, sizeof(*attr));
	if (swap != host_is_big_endian())
		attr->flags = reverse_bits(attr->flags);
	attr->size = own;
	return 0;
}

uint32_t attr_min_size(const struct perf_event_attr *attr)
{
	const unsigned char *p = (const unsigned char *)attr;
	size_t i = ARRAY_SIZE(attr_sizes) - 1;

	while (i > 0 && all_zero(p + attr_sizes[i - 1], sizeof(*attr) - attr_sizes[i - 1]))
		i--;
	return attr_sizes[i];
}

void attr_store(const struct perf_event_attr *attr, void *buf)
{
	struct perf_event_attr copy = *attr;

	if (copy.size > sizeof(copy))
		copy.size = sizeof(copy);
	if (host_is_big_endian())
		copy.flags = reverse_bits(copy.flags);
	memcpy(buf, &copy, copy.size);
}
