// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attrs as text: the line of evlist -v, and names for events that nobody named. The line is a walk
 * over the rows of fields.c; here is only what a number looks like.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/tables.h"
#include "attr/attr-int.h"
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

/* "A|B" */
static void put_word(struct printer *p, const char *word, bool *any)
{
	if (*any)
		obuf_char(p->o, '|');
	*any = true;
	obuf_str(p->o, word);
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

static void field_flags(struct printer *p, uint64_t flags)
{
	for (size_t i = 0; i < attr_nr_flags; i++) {
		const struct attr_bits *f = &attr_flags[i];

		field_dec(p, f->name, flags >> f->shift & (BIT(f->width) - 1));
	}
}

static void put_sample_type(struct printer *p, uint64_t type)
{
	bool any = false;

	for (size_t i = 1; i < attr_nr_sample_listed; i++)
		if (type & attr_sample_listed[i].bit)
			put_word(p, attr_sample_listed[i].name, &any);
}

static void put_read_format(struct printer *p, uint64_t format)
{
	bool any = false;

	for (size_t i = 0; i < attr_nr_read_formats; i++)
		if (format >> i & 1)
			put_word(p, attr_read_formats[i], &any);
}

/* One u32, then what its bits are called. */
static void field_aux_action(struct printer *p, const char *name, uint64_t v)
{
	static const char *const bits[] = { "aux_start_paused", "aux_pause", "aux_resume" };

	field_dec(p, name, v);
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		field_dec(p, bits[i], v >> i & 1);
}

static uint64_t value_of(const struct perf_event_attr *attr, const struct attr_field *f)
{
	const unsigned char *p = (const unsigned char *)attr + f->offset;

	return f->size == 8   ? load_u64(p, false)
	       : f->size == 4 ? load_u32(p, false)
			      : load_u16(p, false);
}

static void print_field(struct printer *p, const struct perf_event_attr *attr,
			const struct attr_field *f)
{
	uint64_t v = value_of(attr, f);

	switch ((enum attr_text)f->text) {
	case TEXT_TYPE: field_type(p, attr); return;
	case TEXT_CONFIG: field_config(p, attr); return;
	case TEXT_DEC: field_dec(p, f->name, v); return;
	case TEXT_HEX: field_hex(p, f->name, v); return;
	case TEXT_FLAGS: field_flags(p, v); return;
	case TEXT_AUX_ACTION: field_aux_action(p, f->name, v); return;
	case TEXT_HOLE: return;
	default: break;
	}
	if (!v)
		return;
	field_name(p, f->name);
	if (f->text == TEXT_SAMPLE_TYPE)
		put_sample_type(p, v);
	else if (f->text == TEXT_READ_FORMAT)
		put_read_format(p, v);
	else if (f->text == TEXT_BRANCHES)
		branch_filter_print(v, p->o);
	else
		obuf_sdec(p->o, (int32_t)v);
}

void attr_print_fields(const struct perf_event_attr *attr, struct obuf *o, const char *sep)
{
	struct printer p = { o, sep, false };

	for (size_t i = 0; i < attr_nr_fields; i++)
		print_field(&p, attr, &attr_fields[i]);
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
