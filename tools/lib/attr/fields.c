// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What perf_event_attr is made of: its members, its flag bits, the bits of sample_type and of
 * read_format, a row each. Reading an attr of the other byte order, choosing the size to open an
 * event with, evlist -v, the header's event lines, report -D and record's search for what a kernel
 * refused all walk these rows, so a new member of the kernel's struct is a line in
 * uapi/perf_event.h and a line here. tests/unit/test-attr.c holds the rows against the struct:
 * every byte belongs to exactly one.
 */
#include "attr/attr-int.h"

#define MEMBER(member, text_, ver, name_)                                                    \
	{                                                                                    \
		.name = (name_), .offset = offsetof(struct perf_event_attr, member),         \
		.size = sizeof(((struct perf_event_attr *)0)->member), .text = TEXT_##text_, \
		.since = PERF_ATTR_SIZE_VER##ver                                             \
	}
#define FIELD(member, text, ver) MEMBER(member, text, ver, #member)

const struct attr_field attr_fields[] = {
	FIELD(type, TYPE, 0),
	FIELD(size, DEC, 0),
	FIELD(config, CONFIG, 0),
	MEMBER(sample_period, DEC, 0, "{ sample_period, sample_freq }"),
	FIELD(sample_type, SAMPLE_TYPE, 0),
	FIELD(read_format, READ_FORMAT, 0),
	FIELD(flags, FLAGS, 0),
	MEMBER(wakeup_events, DEC, 0, "{ wakeup_events, wakeup_watermark }"),
	FIELD(bp_type, DEC, 0),
	MEMBER(config1, HEX, 0, "{ bp_addr, config1 }"),
	MEMBER(config2, HEX, 1, "{ bp_len, config2 }"),
	FIELD(branch_sample_type, BRANCHES, 2),
	FIELD(sample_regs_user, HEX, 3),
	FIELD(sample_stack_user, DEC, 3),
	FIELD(clockid, SDEC, 3),
	FIELD(sample_regs_intr, HEX, 4),
	FIELD(aux_watermark, DEC, 5),
	FIELD(sample_max_stack, DEC, 5),
	FIELD(reserved_2, HOLE, 5),
	FIELD(aux_sample_size, DEC, 6),
	FIELD(aux_action, AUX_ACTION, 6),
	FIELD(sig_data, DEC, 7),
	FIELD(config3, HEX, 8),
	FIELD(config4, HEX, 9),
	FIELD(sample_simd_regs_enabled, DEC, 10),
	FIELD(sample_simd_pred_reg_qwords, DEC, 10),
	FIELD(sample_simd_pred_reg_intr, HEX, 10),
	FIELD(sample_simd_pred_reg_user, HEX, 10),
	FIELD(sample_simd_vec_reg_qwords, DEC, 10),
	FIELD(reserved_4, HOLE, 10),
	FIELD(sample_simd_vec_reg_intr, HEX, 10),
	FIELD(sample_simd_vec_reg_user, HEX, 10),
};

const size_t attr_nr_fields = ARRAY_SIZE(attr_fields);

const struct attr_bits attr_flags[] = {
	{ "disabled", 0, 1 },
	{ "inherit", 1, 1 },
	{ "pinned", 2, 1 },
	{ "exclusive", 3, 1 },
	{ "exclude_user", 4, 1 },
	{ "exclude_kernel", 5, 1 },
	{ "exclude_hv", 6, 1 },
	{ "exclude_idle", 7, 1 },
	{ "mmap", 8, 1 },
	{ "comm", 9, 1 },
	{ "freq", 10, 1 },
	{ "inherit_stat", 11, 1 },
	{ "enable_on_exec", 12, 1 },
	{ "task", 13, 1 },
	{ "watermark", 14, 1 },
	{ "precise_ip", ATTR_FLAG_PRECISE_SHIFT, 2 },
	{ "mmap_data", 17, 1 },
	{ "sample_id_all", 18, 1 },
	{ "exclude_host", 19, 1 },
	{ "exclude_guest", 20, 1 },
	{ "exclude_callchain_kernel", 21, 1 },
	{ "exclude_callchain_user", 22, 1 },
	{ "mmap2", 23, 1 },
	{ "comm_exec", 24, 1 },
	{ "use_clockid", 25, 1 },
	{ "context_switch", 26, 1 },
	{ "write_backward", 27, 1 },
	{ "namespaces", 28, 1 },
	{ "ksymbol", 29, 1 },
	{ "bpf_event", 30, 1 },
	{ "aux_output", 31, 1 },
	{ "cgroup", 32, 1 },
	{ "text_poke", 33, 1 },
	{ "build_id", 34, 1 },
	{ "inherit_thread", 35, 1 },
	{ "remove_on_exec", 36, 1 },
	{ "sigtrap", 37, 1 },
	{ "defer_callchain", 38, 1 },
	{ "defer_output", 39, 1 },
};

const size_t attr_nr_flags = ARRAY_SIZE(attr_flags);

const char *attr_flag_name(unsigned bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(attr_flags); i++)
		if (attr_flags[i].shift == bit)
			return attr_flags[i].name;
	return NULL;
}

const char *const attr_read_formats[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
};

const size_t attr_nr_read_formats = ARRAY_SIZE(attr_read_formats);

/* ---- sample_type --------------------------------------------------------------------------------- */

#define BIT_OF_HEAD(bit, listed)	     | PERF_SAMPLE_##bit
#define BIT_OF_PART(bit, listed, name)	     | PERF_SAMPLE_##bit
#define BIT_OF_WORD(bit, listed, name, dump) | PERF_SAMPLE_##bit

_Static_assert((0 ATTR_SAMPLE_FIELDS(BIT_OF_HEAD, BIT_OF_PART, BIT_OF_WORD)) == PERF_SAMPLE_MAX - 1,
	       "every PERF_SAMPLE_* has a row in ATTR_SAMPLE_FIELDS, and nothing else has");

#define NAME_OF_HEAD(bit, listed)	      { PERF_SAMPLE_##bit, #bit },
#define NAME_OF_PART(bit, listed, name)	      { PERF_SAMPLE_##bit, #bit },
#define NAME_OF_WORD(bit, listed, name, dump) { PERF_SAMPLE_##bit, #bit },

static const struct attr_sample_field sample_fields[] = { ATTR_SAMPLE_FIELDS(
	NAME_OF_HEAD, NAME_OF_PART, NAME_OF_WORD) };

#define AT_HEAD(bit, listed)		 [listed] = { PERF_SAMPLE_##bit, #bit },
#define AT_PART(bit, listed, name)	 [listed] = { PERF_SAMPLE_##bit, #bit },
#define AT_WORD(bit, listed, name, dump) [listed] = { PERF_SAMPLE_##bit, #bit },

const struct attr_sample_field attr_sample_listed[] = { ATTR_SAMPLE_FIELDS(AT_HEAD, AT_PART,
									   AT_WORD) };

const size_t attr_nr_sample_listed = ARRAY_SIZE(attr_sample_listed);

const char *attr_sample_name(uint64_t bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(sample_fields); i++)
		if (sample_fields[i].bit == bit)
			return sample_fields[i].name;
	return NULL;
}
