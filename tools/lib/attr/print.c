// SPDX-License-Identifier: GPL-2.0-or-later
/* Attrs as text: the line of evlist -v, and names for events that nobody named. */
#include <stdio.h>
#include <stdlib.h>

#include "attr/attr.h"
#include "branch/branch.h"

/* ---- enumerations ------------------------------------------------------------------------------- */

struct value_name {
	const char *constant; /* as the ABI spells it */
	const char *event;    /* as users do */
};

static const char *const type_constants[] = {
	"PERF_TYPE_HARDWARE", "PERF_TYPE_SOFTWARE", "PERF_TYPE_TRACEPOINT",
	"PERF_TYPE_HW_CACHE", "PERF_TYPE_RAW",	    "PERF_TYPE_BREAKPOINT",
};

static const struct value_name hardware[] = {
	{ "PERF_COUNT_HW_CPU_CYCLES", "cycles" },
	{ "PERF_COUNT_HW_INSTRUCTIONS", "instructions" },
	{ "PERF_COUNT_HW_CACHE_REFERENCES", "cache-references" },
	{ "PERF_COUNT_HW_CACHE_MISSES", "cache-misses" },
	{ "PERF_COUNT_HW_BRANCH_INSTRUCTIONS", "branches" },
	{ "PERF_COUNT_HW_BRANCH_MISSES", "branch-misses" },
	{ "PERF_COUNT_HW_BUS_CYCLES", "bus-cycles" },
	{ "PERF_COUNT_HW_STALLED_CYCLES_FRONTEND", "stalled-cycles-frontend" },
	{ "PERF_COUNT_HW_STALLED_CYCLES_BACKEND", "stalled-cycles-backend" },
	{ "PERF_COUNT_HW_REF_CPU_CYCLES", "ref-cycles" },
};

static const struct value_name software[] = {
	{ "PERF_COUNT_SW_CPU_CLOCK", "cpu-clock" },
	{ "PERF_COUNT_SW_TASK_CLOCK", "task-clock" },
	{ "PERF_COUNT_SW_PAGE_FAULTS", "page-faults" },
	{ "PERF_COUNT_SW_CONTEXT_SWITCHES", "context-switches" },
	{ "PERF_COUNT_SW_CPU_MIGRATIONS", "cpu-migrations" },
	{ "PERF_COUNT_SW_PAGE_FAULTS_MIN", "minor-faults" },
	{ "PERF_COUNT_SW_PAGE_FAULTS_MAJ", "major-faults" },
	{ "PERF_COUNT_SW_ALIGNMENT_FAULTS", "alignment-faults" },
	{ "PERF_COUNT_SW_EMULATION_FAULTS", "emulation-faults" },
	{ "PERF_COUNT_SW_DUMMY", "dummy" },
	{ "PERF_COUNT_SW_BPF_OUTPUT", "bpf-output" },
	{ "PERF_COUNT_SW_CGROUP_SWITCHES", "cgroup-switches" },
};

static const struct value_name cache_ids[] = {
	{ "PERF_COUNT_HW_CACHE_L1D", "L1-dcache" }, { "PERF_COUNT_HW_CACHE_L1I", "L1-icache" },
	{ "PERF_COUNT_HW_CACHE_LL", "LLC" },	    { "PERF_COUNT_HW_CACHE_DTLB", "dTLB" },
	{ "PERF_COUNT_HW_CACHE_ITLB", "iTLB" },	    { "PERF_COUNT_HW_CACHE_BPU", "branch" },
	{ "PERF_COUNT_HW_CACHE_NODE", "node" },
};

/* Two words for each operation: hits are "loads", misses "load-misses". */
static const struct value_name cache_ops[] = {
	{ "PERF_COUNT_HW_CACHE_OP_READ", "load" },
	{ "PERF_COUNT_HW_CACHE_OP_WRITE", "store" },
	{ "PERF_COUNT_HW_CACHE_OP_PREFETCH", "prefetch" },
};

static const char *const cache_results[] = {
	"PERF_COUNT_HW_CACHE_RESULT_ACCESS",
	"PERF_COUNT_HW_CACHE_RESULT_MISS",
};

static const char *const sample_type_order[] = {
	"IP",
	"TID",
	"TIME",
	"ADDR",
	"READ",
	"CALLCHAIN",
	"ID",
	"CPU",
	"PERIOD",
	"STREAM_ID",
	"RAW",
	"BRANCH_STACK",
	"REGS_USER",
	"STACK_USER",
	"IDENTIFIER",
	"REGS_INTR",
	"DATA_SRC",
	"WEIGHT",
	"PHYS_ADDR",
	"AUX",
	"CGROUP",
	"DATA_PAGE_SIZE",
	"CODE_PAGE_SIZE",
	"WEIGHT_STRUCT",
};

static const uint64_t sample_type_bits[] = {
	PERF_SAMPLE_IP,
	PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,
	PERF_SAMPLE_ADDR,
	PERF_SAMPLE_READ,
	PERF_SAMPLE_CALLCHAIN,
	PERF_SAMPLE_ID,
	PERF_SAMPLE_CPU,
	PERF_SAMPLE_PERIOD,
	PERF_SAMPLE_STREAM_ID,
	PERF_SAMPLE_RAW,
	PERF_SAMPLE_BRANCH_STACK,
	PERF_SAMPLE_REGS_USER,
	PERF_SAMPLE_STACK_USER,
	PERF_SAMPLE_IDENTIFIER,
	PERF_SAMPLE_REGS_INTR,
	PERF_SAMPLE_DATA_SRC,
	PERF_SAMPLE_WEIGHT,
	PERF_SAMPLE_PHYS_ADDR,
	PERF_SAMPLE_AUX,
	PERF_SAMPLE_CGROUP,
	PERF_SAMPLE_DATA_PAGE_SIZE,
	PERF_SAMPLE_CODE_PAGE_SIZE,
	PERF_SAMPLE_WEIGHT_STRUCT,
};

static const char *const read_format_names[] = {
	"TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST",
};

/* By bit; precise_ip is a number of two bits. */
static const char *const flag_names[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain",
	"defer_output",
};

/* ---- one field -------------------------------------------------------------------------------------- */

struct printer {
	struct obuf *o;
	const char *sep; /* between name and value */
	bool any;
};

static void field_name(struct printer *p, const char *name)
{
	if (p->any)
		obuf_lit(p->o, ", ");
	p->any = true;
	obuf_str(p->o, name);
	obuf_str(p->o, p->sep);
}

static void field_dec(struct printer *p, const char *name, uint64_t v)
{
	if (!v)
		return;
	field_name(p, name);
	obuf_dec(p->o, v);
}

static void put_hex(struct obuf *o, uint64_t v)
{
	if (v)
		obuf_lit(o, "0x");
	obuf_hex(o, v);
}

static void field_hex(struct printer *p, const char *name, uint64_t v)
{
	if (!v)
		return;
	field_name(p, name);
	put_hex(p->o, v);
}

static void field_bits(struct printer *p, const char *name, uint64_t v, const char *const *names,
		       const uint64_t *bits, size_t nr)
{
	bool any = false;

	if (!v)
		return;
	field_name(p, name);
	for (size_t i = 0; i < nr; i++) {
		if (!(v & (bits ? bits[i] : BIT(i))))
			continue;
		if (any)
			obuf_char(p->o, '|');
		any = true;
		obuf_str(p->o, names[i]);
	}
}

static const char *config_constant(const struct perf_event_attr *attr)
{
	uint64_t id = attr->config & UINT32_MAX;

	if (attr->type == PERF_TYPE_HARDWARE && id < ARRAY_SIZE(hardware))
		return hardware[id].constant;
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < ARRAY_SIZE(software))
		return software[attr->config].constant;
	return NULL;
}

static bool cache_config(uint64_t config, unsigned *id, unsigned *op, unsigned *result)
{
	*id = config & 0xff;
	*op = config >> 8 & 0xff;
	*result = config >> 16 & 0xff;
	return (config & UINT32_MAX) >> 24 == 0 && *id < ARRAY_SIZE(cache_ids) &&
	       *op < ARRAY_SIZE(cache_ops) && *result < ARRAY_SIZE(cache_results);
}

static void field_config(struct printer *p, const struct perf_event_attr *attr)
{
	const char *constant = config_constant(attr);
	unsigned id, op, result;

	field_name(p, "config");
	put_hex(p->o, attr->config);
	if (constant)
		obuf_printf(p->o, " (%s)", constant);
	else if (attr->type == PERF_TYPE_HW_CACHE && cache_config(attr->config, &id, &op, &result))
		obuf_printf(p->o, " (%s | %s | %s)", cache_results[result], cache_ops[op].constant,
			    cache_ids[id].constant);
}

static void field_type(struct printer *p, const struct perf_event_attr *attr)
{
	field_name(p, "type");
	obuf_dec(p->o, attr->type);
	if (attr->type < ARRAY_SIZE(type_constants))
		obuf_printf(p->o, " (%s)", type_constants[attr->type]);
}

static void field_flags(struct printer *p, const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < ARRAY_SIZE(flag_names); i++) {
		if (i == ATTR_FLAG_PRECISE_SHIFT)
			field_dec(p, flag_names[i], attr_precise(attr));
		else if (flag_names[i])
			field_dec(p, flag_names[i], attr->flags >> i & 1);
	}
}

static void field_simd(struct printer *p, const struct perf_event_attr *attr)
{
	field_dec(p, "sample_simd_regs_enabled", attr->sample_simd_regs_enabled);
	field_dec(p, "sample_simd_pred_reg_qwords", attr->sample_simd_pred_reg_qwords);
	field_hex(p, "sample_simd_pred_reg_intr", attr->sample_simd_pred_reg_intr);
	field_hex(p, "sample_simd_pred_reg_user", attr->sample_simd_pred_reg_user);
	field_dec(p, "sample_simd_vec_reg_qwords", attr->sample_simd_vec_reg_qwords);
	field_hex(p, "sample_simd_vec_reg_intr", attr->sample_simd_vec_reg_intr);
	field_hex(p, "sample_simd_vec_reg_user", attr->sample_simd_vec_reg_user);
}

void attr_print_fields(const struct perf_event_attr *attr, struct obuf *o, const char *sep)
{
	struct printer p = { o, sep, false };

	field_type(&p, attr);
	field_dec(&p, "size", attr->size);
	field_config(&p, attr);
	field_dec(&p, "{ sample_period, sample_freq }", attr->sample_period);
	field_bits(&p, "sample_type", attr->sample_type, sample_type_order, sample_type_bits,
		   ARRAY_SIZE(sample_type_order));
	field_bits(&p, "read_format", attr->read_format, read_format_names, NULL,
		   ARRAY_SIZE(read_format_names));
	field_flags(&p, attr);
	field_dec(&p, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	field_dec(&p, "bp_type", attr->bp_type);
	field_hex(&p, "{ bp_addr, config1 }", attr->config1);
	field_hex(&p, "{ bp_len, config2 }", attr->config2);
	if (attr->branch_sample_type) {
		field_name(&p, "branch_sample_type");
		branch_filter_print(attr->branch_sample_type, o);
	}
	field_hex(&p, "sample_regs_user", attr->sample_regs_user);
	field_dec(&p, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid) {
		field_name(&p, "clockid");
		obuf_sdec(o, attr->clockid);
	}
	field_hex(&p, "sample_regs_intr", attr->sample_regs_intr);
	field_dec(&p, "aux_watermark", attr->aux_watermark);
	field_dec(&p, "sample_max_stack", attr->sample_max_stack);
	field_dec(&p, "aux_sample_size", attr->aux_sample_size);
	field_dec(&p, "aux_action", attr->aux_action);
	field_dec(&p, "aux_start_paused", attr->aux_action & 1);
	field_dec(&p, "aux_pause", attr->aux_action >> 1 & 1);
	field_dec(&p, "aux_resume", attr->aux_action >> 2 & 1);
	field_dec(&p, "sig_data", attr->sig_data);
	field_hex(&p, "config3", attr->config3);
	field_hex(&p, "config4", attr->config4);
	field_simd(&p, attr);
}

void attr_print(const struct perf_event_attr *attr, struct obuf *o)
{
	attr_print_fields(attr, o, ": ");
}

/* ---- names --------------------------------------------------------------------------------------------- */

/* ":kuh", "ppp" and "HG": who is counted, where that differs from everybody. */
static void name_modifiers(const struct perf_event_attr *attr, char *m)
{
	static const struct {
		uint64_t flag;
		char c;
	} who[] = {
		{ ATTR_FLAG_EXCLUDE_KERNEL, 'k' }, { ATTR_FLAG_EXCLUDE_USER, 'u' },
		{ ATTR_FLAG_EXCLUDE_HV, 'h' },	   { ATTR_FLAG_EXCLUDE_HOST, 'H' },
		{ ATTR_FLAG_EXCLUDE_GUEST, 'G' },
	};
	uint64_t levels = ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_USER | ATTR_FLAG_EXCLUDE_HV;
	char *start = m;

	*m++ = ':';
	for (size_t i = 0; i < 3; i++)
		if (attr->flags & levels && !(attr->flags & who[i].flag))
			*m++ = who[i].c;
	for (unsigned i = 0; i < attr_precise(attr); i++)
		*m++ = 'p';
	for (size_t i = 3; i < ARRAY_SIZE(who); i++)
		if (attr->flags & (ATTR_FLAG_EXCLUDE_HOST | ATTR_FLAG_EXCLUDE_GUEST) &&
		    !(attr->flags & who[i].flag))
			*m++ = who[i].c;
	if (m == start + 1)
		m = start;
	*m = 0;
}

static void name_cache(uint64_t config, char *buf, size_t size)
{
	unsigned id, op, result;

	if (!cache_config(config, &id, &op, &result))
		snprintf(buf, size, "invalid-cache");
	else if (result)
		snprintf(buf, size, "%s-%s-misses", cache_ids[id].event, cache_ops[op].event);
	else
		snprintf(buf, size, "%s-%s%s", cache_ids[id].event, cache_ops[op].event,
			 op == 2 ? "es" : "s");
}

static void name_breakpoint(const struct perf_event_attr *attr, char *buf, size_t size)
{
	unsigned t = attr->bp_type;

	snprintf(buf, size, "mem:0x%lx:%s%s%s", attr->bp_addr, t & 1 ? "r" : "", t & 2 ? "w" : "",
		 t & 4 ? "x" : "");
}

static void name_indexed(const struct value_name *names, size_t nr, const char *unknown,
			 uint64_t config, char *buf, size_t size)
{
	snprintf(buf, size, "%s", config < nr ? names[config].event : unknown);
}

void attr_name(const struct perf_event_attr *attr, char *buf, size_t size)
{
	char base[128], modifiers[16];

	name_modifiers(attr, modifiers);
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		name_indexed(hardware, ARRAY_SIZE(hardware), "unknown-hardware",
			     attr->config & UINT32_MAX, base, sizeof(base));
		break;
	case PERF_TYPE_SOFTWARE:
		name_indexed(software, ARRAY_SIZE(software), "unknown-software", attr->config, base,
			     sizeof(base));
		break;
	case PERF_TYPE_HW_CACHE: name_cache(attr->config, base, sizeof(base)); break;
	case PERF_TYPE_BREAKPOINT: name_breakpoint(attr, base, sizeof(base)); break;
	case PERF_TYPE_RAW: snprintf(base, sizeof(base), "raw 0x%lx", attr->config); break;
	case PERF_TYPE_TRACEPOINT:
		snprintf(base, sizeof(base), "unknown tracepoint");
		modifiers[0] = 0;
		break;
	default:
		snprintf(base, sizeof(base), "unknown attr type: %u", attr->type);
		modifiers[0] = 0;
		break;
	}
	snprintf(buf, size, "%s%s", base, modifiers);
}
