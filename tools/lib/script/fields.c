// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of -F, the defaults of each class of events, and how lists change them. */
#include <stdio.h>
#include <stdlib.h>

#include "script/script.h"

#define F(x) BIT(SF_##x)

static const char *const names[SF_MAX] = {
	[SF_MACHINE_PID] = "machine_pid",
	[SF_VCPU] = "vcpu",
	[SF_COMM] = "comm",
	[SF_PID] = "pid",
	[SF_TID] = "tid",
	[SF_CPU] = "cpu",
	[SF_MISC] = "misc",
	[SF_TOD] = "tod",
	[SF_TIME] = "time",
	[SF_PERIOD] = "period",
	[SF_EVENT] = "event",
	[SF_FLAGS] = "flags",
	[SF_TRACE] = "trace",
	[SF_SYNTH] = "synth",
	[SF_CALLINDENT] = "callindent",
	[SF_ADDR] = "addr",
	[SF_DATA_SRC] = "data_src",
	[SF_WEIGHT] = "weight",
	[SF_INS_LAT] = "ins_lat",
	[SF_RETIRE_LAT] = "retire_lat",
	[SF_CGROUP] = "cgroup",
	[SF_IP] = "ip",
	[SF_SYM] = "sym",
	[SF_SYMOFF] = "symoff",
	[SF_DSO] = "dso",
	[SF_DSOFF] = "dsoff",
	[SF_SRCLINE] = "srcline",
	[SF_IREGS] = "iregs",
	[SF_UREGS] = "uregs",
	[SF_SIMD] = "simd",
	[SF_BRSTACK] = "brstack",
	[SF_BRSTACKSYM] = "brstacksym",
	[SF_BRSTACKOFF] = "brstackoff",
	[SF_BPF_OUTPUT] = "bpf-output",
	[SF_INSN] = "insn",
	[SF_DISASM] = "disasm",
	[SF_INSNLEN] = "insnlen",
	[SF_BRSTACKINSN] = "brstackinsn",
	[SF_BRSTACKINSNLEN] = "brstackinsnlen",
	[SF_BRSTACKDISASM] = "brstackdisasm",
	[SF_BRCNTR] = "brcntr",
	[SF_PHYS_ADDR] = "phys_addr",
	[SF_DATA_PAGE_SIZE] = "data_page_size",
	[SF_CODE_PAGE_SIZE] = "code_page_size",
	[SF_IPC] = "ipc",
	[SF_METRIC] = "metric",
	[SF_SRCCODE] = "srccode",
};

#define DEFAULTS                                                                                \
	(F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT) | F(IP) | F(SYM) | F(SYMOFF) | F(DSO) | \
	 F(PERIOD))

static const struct class_def {
	const char *prefix; /* in -F; NULL = cannot be named */
	const char *title;  /* in messages */
	uint64_t fields, invalid;
} classes[SC_MAX] = {
	[SC_HARDWARE] = { "hw", "hardware", DEFAULTS, F(TRACE) | F(BPF_OUTPUT) },
	[SC_SOFTWARE] = { "sw", "software", DEFAULTS | F(BPF_OUTPUT), F(TRACE) },
	[SC_TRACEPOINT] = { "trace", "tracepoint",
			    F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT) | F(TRACE), 0 },
	[SC_HW_CACHE] = { NULL, "hardware-cache", DEFAULTS, F(TRACE) | F(BPF_OUTPUT) },
	[SC_RAW] = { "raw", "raw",
		     DEFAULTS | F(ADDR) | F(DATA_SRC) | F(WEIGHT) | F(PHYS_ADDR) |
			     F(DATA_PAGE_SIZE) | F(CODE_PAGE_SIZE) | F(INS_LAT) | F(RETIRE_LAT),
		     F(TRACE) | F(BPF_OUTPUT) },
	[SC_BREAKPOINT] = { "break", "breakpoint", DEFAULTS, F(TRACE) | F(BPF_OUTPUT) },
	[SC_OTHER] = { NULL, "other", DEFAULTS, F(TRACE) | F(BPF_OUTPUT) },
	[SC_SYNTH] = { "synth", "synth", (DEFAULTS & ~F(PERIOD)) | F(SYNTH),
		       F(TRACE) | F(BPF_OUTPUT) },
};

const char *script_field_name(enum script_field field)
{
	return field < SF_MAX ? names[field] : "unknown";
}

enum script_class script_class_of(const struct perf_event_attr *attr)
{
	return attr->type <= SC_BREAKPOINT ? (enum script_class)attr->type : SC_OTHER;
}

void script_fields_init(struct script_fields *f)
{
	memset(f, 0, sizeof(*f));
	for (int c = 0; c < SC_MAX; c++)
		f->cls[c].fields = classes[c].fields;
}

enum change { CHANGE_NONE, CHANGE_SET, CHANGE_ADD, CHANGE_REMOVE };

static void apply(struct script_fields *f, int c, uint64_t bit, enum change how)
{
	if (how == CHANGE_REMOVE) {
		f->cls[c].fields &= ~bit;
		f->cls[c].user_set &= ~bit;
		f->cls[c].user_unset |= bit;
	} else {
		f->cls[c].fields |= bit;
		f->cls[c].user_set |= bit;
		f->cls[c].user_unset &= ~bit;
	}
	f->cls[c].user = true;
}

static int apply_all(struct script_fields *f, int field, enum change how)
{
	for (int c = 0; c < SC_MAX; c++) {
		if (classes[c].invalid & BIT(field)) {
			log_warn("'%s' not valid for %s events. Ignoring.", names[field],
				 classes[c].title);
			continue;
		}
		apply(f, c, BIT(field), how);
		f->cls[c].wildcard = true;
	}
	return 0;
}

static int field_of(const char *name, size_t n)
{
	for (int i = 0; i < SF_MAX; i++)
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return i;
	return -1;
}

static int invalid_field(const char *tok, size_t n, struct err *e)
{
	char list[480];
	size_t len = 0;

	for (int i = 0; i < SF_MAX; i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? "," : "",
					names[i]);
	err_set(e, -EINVAL, "Invalid field requested.");
	err_hint(e, "'%.*s' is none of the fields: %s", (int)n, tok, list);
	return -EINVAL;
}

/* One word of the list: an optional + or -, and a name. */
static int parse_word(struct script_fields *f, int cls, const char *tok, size_t n, enum change *how,
		      struct err *e)
{
	enum change was = *how, now = CHANGE_SET;
	int field;

	if (n && (*tok == '+' || *tok == '-')) {
		now = *tok == '+' ? CHANGE_ADD : CHANGE_REMOVE;
		tok++, n--;
	}
	if (was != CHANGE_NONE && (was == CHANGE_SET) != (now == CHANGE_SET))
		return err_set(e, -EINVAL, "Cannot mix +-field with overridden fields");
	*how = now;
	field = field_of(tok, n);
	if (field < 0)
		return invalid_field(tok, n, e);
	if (cls < 0)
		return apply_all(f, field, now);
	if (classes[cls].invalid & BIT(field))
		return err_set(e, -EINVAL, "'%s' not valid for %s events.", names[field],
			       classes[cls].title);
	apply(f, cls, BIT(field), now);
	return 0;
}

/* "CLASS:" in front: its number, -1 for none, -2 for one that does not exist. */
static int parse_class(const char **arg)
{
	const char *colon = strchr(*arg, ':');

	if (!colon)
		return -1;
	for (int c = 0; c < SC_MAX; c++) {
		const char *prefix = classes[c].prefix;

		if (prefix && strlen(prefix) == (size_t)(colon - *arg) &&
		    !memcmp(prefix, *arg, strlen(prefix))) {
			*arg = colon + 1;
			return c;
		}
	}
	return -2;
}

static void start_list(struct script_fields *f, int cls)
{
	bool warned = false;

	for (int c = 0; c < SC_MAX; c++) {
		if (cls >= 0 && c != cls)
			continue;
		if (f->cls[c].user && cls >= 0)
			log_warn("Overriding previous field request for %s events.",
				 classes[c].title);
		else if (f->cls[c].user && !warned)
			log_warn("Overriding previous field request for all events.");
		warned |= f->cls[c].user;
		f->cls[c].fields = f->cls[c].user_set = 0;
		f->cls[c].user = true;
		f->cls[c].wildcard = cls < 0;
	}
}

int script_fields_parse(struct script_fields *f, const char *arg, struct err *e)
{
	enum change how = CHANGE_NONE;
	const char *list = arg;
	int cls, ret;

	cls = parse_class(&list);
	if (cls == -2)
		return err_set(e, -EINVAL, "Invalid event type in field string.");
	if (cls < 0 && !*list)
		return err_set(e, -EINVAL, "Cannot set fields to 'none' for all event types.");
	/* A list with + or - edits what is there, another replaces it. */
	if (*list != '+' && *list != '-')
		start_list(f, cls);
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n) {
			ret = parse_word(f, cls, list, n, &how, e);
			if (ret)
				return ret;
		}
		list += n;
		list += *list == ',';
	}
	return 0;
}
