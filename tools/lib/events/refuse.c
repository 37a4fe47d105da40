// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which field of an attr does the kernel refuse? It says only EINVAL, whatever the cause. So the
 * attr is built up again field by field, from the bare event on; the first one that makes the
 * open fail is the answer. Fields that need each other, or an explanation of their own, are rows
 * here; every other bit of sample_type and every other flag is tried by itself, under the name that
 * the room attr has for it, so that a new one is found out without a row.
 */
#include <stdio.h>
#include <unistd.h>

#include "attr/attr.h"
#include "events/events-int.h"

#define RANGE(f)                                                                              \
	{                                                                                     \
		offsetof(struct perf_event_attr, f), sizeof(((struct perf_event_attr *)0)->f) \
	}

struct range {
	size_t offset, size;
};

static const struct field_row {
	enum field field;
	const char *name;
	uint64_t flags, sample_type;
	struct range copy[6];				  /* size 0 ends */
	bool only_if_copied;				  /* skipped when the first of these is 0 */
	enum { REST_NONE, REST_SAMPLE, REST_FLAGS } rest; /* bits that no row names, one by one */
} rows[] = {
	{ FIELD_PRIVILEGE, "exclude_user/exclude_kernel/exclude_hv",
	  .flags = ATTR_FLAG_EXCLUDE_USER | ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV },
	{ FIELD_GUEST, "exclude_host/exclude_guest",
	  .flags = ATTR_FLAG_EXCLUDE_HOST | ATTR_FLAG_EXCLUDE_GUEST },
	{ FIELD_OTHER, "exclude_idle", .flags = ATTR_FLAG_EXCLUDE_IDLE },
	{ FIELD_PERIOD, "sample_period", .flags = ATTR_FLAG_FREQ,
	  .copy = { RANGE(sample_period) } },
	{ FIELD_PRECISE, "precise_ip", .flags = ATTR_FLAG_PRECISE_MASK },
	{ FIELD_SAMPLE, "sample_type (IP, TID, TIME)",
	  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME },
	{ FIELD_SAMPLE, "sample_type (ID, IDENTIFIER)",
	  .sample_type = PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_STREAM_ID },
	{ FIELD_SAMPLE, "sample_type (CPU, PERIOD, READ)",
	  .sample_type = PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ,
	  .copy = { RANGE(read_format) } },
	{ FIELD_SAMPLE, "sample_type ADDR", .sample_type = PERF_SAMPLE_ADDR },
	{ FIELD_CALLCHAIN, "sample_type CALLCHAIN", .sample_type = PERF_SAMPLE_CALLCHAIN,
	  .flags = ATTR_FLAG_EXCLUDE_CALLCHAIN_KERNEL | ATTR_FLAG_EXCLUDE_CALLCHAIN_USER,
	  .copy = { RANGE(sample_max_stack) } },
	{ FIELD_RAW, "sample_type RAW", .sample_type = PERF_SAMPLE_RAW },
	{ FIELD_BRANCH, "branch_sample_type", .sample_type = PERF_SAMPLE_BRANCH_STACK,
	  .copy = { RANGE(branch_sample_type) } },
	{ FIELD_REGS_USER, "sample_regs_user", .sample_type = PERF_SAMPLE_REGS_USER,
	  .copy = { RANGE(sample_regs_user), RANGE(sample_simd_regs_enabled) },
	  .only_if_copied = true },
	{ FIELD_STACK, "sample_stack_user", .sample_type = PERF_SAMPLE_STACK_USER,
	  .copy = { RANGE(sample_stack_user) } },
	{ FIELD_REGS_INTR, "sample_regs_intr", .sample_type = PERF_SAMPLE_REGS_INTR,
	  .copy = { RANGE(sample_regs_intr), RANGE(sample_simd_regs_enabled) },
	  .only_if_copied = true },
	{ FIELD_SIMD, "sample_simd_vec_reg_*", .only_if_copied = true,
	  .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR,
	  .copy = { RANGE(sample_simd_vec_reg_qwords), RANGE(sample_simd_regs_enabled),
		    RANGE(sample_simd_vec_reg_intr), RANGE(sample_simd_vec_reg_user) } },
	{ FIELD_SIMD, "sample_simd_pred_reg_*", .only_if_copied = true,
	  .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR,
	  .copy = { RANGE(sample_simd_pred_reg_qwords), RANGE(sample_simd_regs_enabled),
		    RANGE(sample_simd_pred_reg_intr), RANGE(sample_simd_pred_reg_user) } },
	{ FIELD_SAMPLE, "sample_type WEIGHT", .sample_type = PERF_SAMPLE_WEIGHT_TYPE },
	{ FIELD_SAMPLE, "sample_type", .rest = REST_SAMPLE },
	{ FIELD_CLOCK, "clockid", .flags = ATTR_FLAG_USE_CLOCKID, .copy = { RANGE(clockid) } },
	{ FIELD_RECORDS, "mmap, comm, task, sample_id_all",
	  .flags = ATTR_FLAG_MMAP | ATTR_FLAG_COMM | ATTR_FLAG_TASK | ATTR_FLAG_SAMPLE_ID_ALL },
	{ FIELD_RECORDS, "mmap_data, mmap2, comm_exec",
	  .flags = ATTR_FLAG_MMAP_DATA | ATTR_FLAG_MMAP2 | ATTR_FLAG_COMM_EXEC },
	{ FIELD_RECORDS, "context_switch", .flags = ATTR_FLAG_CONTEXT_SWITCH },
	{ FIELD_RECORDS, "namespaces", .flags = ATTR_FLAG_NAMESPACES },
	{ FIELD_RECORDS, "ksymbol, bpf_event", .flags = ATTR_FLAG_KSYMBOL | ATTR_FLAG_BPF_EVENT },
	{ FIELD_RECORDS, "cgroup", .flags = ATTR_FLAG_CGROUP },
	{ FIELD_RECORDS, "text_poke", .flags = ATTR_FLAG_TEXT_POKE },
	{ FIELD_RECORDS, "build_id", .flags = ATTR_FLAG_BUILD_ID },
	{ FIELD_INHERIT, "inherit", .flags = ATTR_FLAG_INHERIT | ATTR_FLAG_INHERIT_STAT },
	{ FIELD_OTHER, "defer_callchain, defer_output",
	  .flags = ATTR_FLAG_DEFER_CALLCHAIN | ATTR_FLAG_DEFER_OUTPUT },
	{ FIELD_OTHER, "flags", .rest = REST_FLAGS },
	{ FIELD_READ_FORMAT, "read_format", .copy = { RANGE(read_format) } },
};

static void add_row(const struct field_row *row, const struct perf_event_attr *from,
		    struct perf_event_attr *to)
{
	const unsigned char *first = (const unsigned char *)from + row->copy[0].offset;

	if (row->only_if_copied && !memcmp(first, (const char[8]){ 0 }, row->copy[0].size))
		return;
	to->flags |= from->flags & row->flags;
	to->sample_type |= from->sample_type & row->sample_type;
	for (size_t i = 0; i < ARRAY_SIZE(row->copy) && row->copy[i].size; i++)
		memcpy((char *)to + row->copy[i].offset, (const char *)from + row->copy[i].offset,
		       row->copy[i].size);
}

/* 0 when the attr opens, else -errno; what E2BIG tells of the kernel is kept. */
static int try_open(struct refusal *r, struct event_opener *o, const struct perf_event_attr *attr)
{
	struct perf_event_attr trial = *attr;
	int fd = event_opener_open(o, &trial, r->pid, r->cpu, -1);

	if (fd == -E2BIG && trial.size < attr->size)
		r->kernel_size = trial.size;
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Whether permission is given for the least that there is: user space, of ourselves. */
static bool user_works(struct event_opener *o, struct perf_event_attr attr)
{
	int fd;

	attr.flags = ATTR_FLAG_DISABLED | ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV;
	fd = event_opener_open(o, &attr, 0, -1, -1);
	if (fd >= 0)
		close(fd);
	return fd != -EACCES && fd != -EPERM;
}

/* The event itself, without asking for anything: as small as it can be. */
static struct perf_event_attr bare(const struct perf_event_attr *full)
{
	return (struct perf_event_attr){
		.type = full->type,
		.size = full->size,
		.config = full->config,
		.bp_type = full->bp_type,
		.config1 = full->config1,
		.config2 = full->config2,
		.config3 = full->config3,
		.config4 = full->config4,
		.flags = ATTR_FLAG_DISABLED,
	};
}

/*
 * What of the branch filters is refused: all, some of them, or only the precise level beside
 * them. A level of privilege or a modifier says nothing alone, so each goes with any and u.
 */
static void find_branch(struct refusal *r, struct event_opener *o, struct perf_event_attr attr)
{
	const uint64_t kinds = PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN |
			       PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_ABORT_TX |
			       PERF_SAMPLE_BRANCH_COND | PERF_SAMPLE_BRANCH_CALL_STACK |
			       PERF_SAMPLE_BRANCH_IND_JUMP | PERF_SAMPLE_BRANCH_CALL;
	const uint64_t any = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	uint64_t mask = attr.branch_sample_type;

	if (attr.flags & ATTR_FLAG_PRECISE_MASK) {
		attr.flags &= ~ATTR_FLAG_PRECISE_MASK;
		r->precise_refused = !try_open(r, o, &attr);
	}
	attr.branch_sample_type = any;
	r->branches_work = !try_open(r, o, &attr);
	for (uint64_t bit = 1; r->branches_work && bit && bit <= mask; bit <<= 1) {
		attr.branch_sample_type = bit & kinds ? bit | PERF_SAMPLE_BRANCH_USER : any | bit;
		if (mask & bit && try_open(r, o, &attr))
			r->bad_filters |= bit;
	}
}

/* PEBS has vector registers of its own: fewer than a plain event, or the only ones there are. */
static void find_regs(struct refusal *r, struct event_opener *o, struct perf_event_attr attr)
{
	bool was = attr.flags & ATTR_FLAG_PRECISE_MASK;

	attr.flags &= ~ATTR_FLAG_PRECISE_MASK;
	if (!was)
		attr.flags |= 1ULL << ATTR_FLAG_PRECISE_SHIFT;
	if (try_open(r, o, &attr))
		return;
	r->precise_refused = was;
	r->precise_missing = !was;
}

/* Adds what @row stands for; true when that is refused, with what there is to know about it. */
static bool row_refused(struct refusal *r, struct event_opener *o, const struct field_row *row,
			struct perf_event_attr *attr)
{
	add_row(row, r->attr, attr);
	r->field_code = try_open(r, o, attr);
	if (!r->field_code)
		return false;
	r->field = row->field;
	snprintf(r->name, sizeof(r->name), "%s", row->name);
	if (r->field == FIELD_BRANCH)
		find_branch(r, o, *attr);
	if (r->field == FIELD_SIMD || r->field == FIELD_REGS_USER || r->field == FIELD_REGS_INTR)
		find_regs(r, o, *attr);
	return true;
}

/* The bits that no row names, each as a row of its own. */
static bool rest_refused(struct refusal *r, struct event_opener *o, const struct field_row *rest,
			 struct perf_event_attr *attr)
{
	bool sample = rest->rest == REST_SAMPLE;
	uint64_t left = sample ? r->attr->sample_type : r->attr->flags;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		left &= ~(sample ? rows[i].sample_type : rows[i].flags);
	for (; left; left &= left - 1) {
		uint64_t bit = left & -left;
		const char *known = sample ? attr_sample_name(bit)
					   : attr_flag_name((unsigned)__builtin_ctzll(bit));
		char name[64];
		struct field_row row = { .field = rest->field, .name = name };

		snprintf(name, sizeof(name), "%s%s", sample ? "sample_type " : "",
			 known ? known : "(a bit that is not known here)");
		if (sample)
			row.sample_type = bit;
		else
			row.flags = bit;
		if (row_refused(r, o, &row, attr))
			return true;
	}
	return false;
}

void explain_refusal(struct refusal *r, struct event_opener *o)
{
	struct perf_event_attr attr = bare(r->attr);

	r->user_works = (r->code == -EACCES || r->code == -EPERM) && user_works(o, attr);
	r->field = FIELD_EVENT;
	snprintf(r->name, sizeof(r->name), "type, config");
	/* A kernel that lets nobody look into it refuses the bare event unless it excludes that. */
	attr.flags |= r->attr->flags & (rows[0].flags | ATTR_FLAG_PINNED | ATTR_FLAG_EXCLUSIVE);
	r->field_code = try_open(r, o, &attr);
	if (r->field_code)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].rest ? rest_refused(r, o, &rows[i], &attr)
				 : row_refused(r, o, &rows[i], &attr))
			return;
	r->field = FIELD_GROUP;
	snprintf(r->name, sizeof(r->name), "group_fd");
	r->field_code = r->code;
}
