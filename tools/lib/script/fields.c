// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fields as a table (fields.def: what each is called, needs, prints, which classes of events
 * have it unasked), and how the lists of -F change which fields a class has. A set of fields is a
 * word: bit i stands for row i.
 */
#include <stdio.h>
#include <stdlib.h>

#include "script-int.h"

/* ---- words -------------------------------------------------------------------------------------- */

static void text_hex(struct obuf *o, uint64_t v)
{
	obuf_hex_right(o, v, 16);
}

/* " 4K": the largest unit that divides it. */
static void text_page_size(struct obuf *o, uint64_t size)
{
	static const char units[] = "BKMGTPE";
	int unit = 0;

	if (!size) {
		obuf_lit(o, " N/A");
		return;
	}
	for (; size >= 1024 && size % 1024 == 0 && units[unit + 1]; unit++)
		size /= 1024;
	obuf_char(o, ' ');
	obuf_dec(o, size);
	if (unit)
		obuf_char(o, units[unit]);
}

static void emit_page_size(struct emit *e, const char *name, uint64_t v)
{
	emit_u64(e, name, v);
}

/* " TX SYNC ": a blank behind each, as reports have it; "-" for a sample of no transaction. */
static void text_transaction(struct obuf *o, uint64_t v)
{
	obuf_char(o, ' ');
	if (v)
		sample_transaction(o, v);
	else
		obuf_char(o, '-');
}

static void emit_transaction(struct emit *e, const char *name, uint64_t v)
{
	emit_hex(e, name, v);
}

#define FIELD(id, ...)
#define WORD(id, member, form, ...)                                                       \
	static void print_##member(struct script *sc, const struct ctx *c)                \
	{                                                                                 \
		text_##form(sc->o, c->s->member);                                         \
	}                                                                                 \
	static void json_##member(struct script *sc, const struct ctx *c, struct emit *e) \
	{                                                                                 \
		(void)sc;                                                                 \
		emit_##form(e, #member, c->s->member);                                    \
	}
#include "fields.def"
#undef FIELD
#undef WORD

/* ---- the table ---------------------------------------------------------------------------------- */

static bool is_tracepoint(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_TRACEPOINT;
}

static bool is_bpf_output(const struct perf_event_attr *attr)
{
	return attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

#define ALL_CLASSES (BIT(SC_MAX) - 1)

const struct field_row script_field_rows[SF_MAX] = {
#define FIELD(id, ...) [SF_##id] = { __VA_ARGS__ },
#define WORD(id, member, form, ...)             \
	[SF_##id] = { .name = #member,          \
		      .print = print_##member,  \
		      .json = json_##member,    \
		      .need = PERF_SAMPLE_##id, \
		      .what = #id,              \
		      __VA_ARGS__ },
#include "fields.def"
#undef FIELD
#undef WORD
};

_Static_assert(SF_MAX < 64, "a set of fields is a word");

const struct class_row script_class_rows[SC_MAX] = {
	[SC_HARDWARE] = { "hw", "hardware" },
	[SC_SOFTWARE] = { "sw", "software" },
	[SC_TRACEPOINT] = { "trace", "tracepoint" },
	[SC_HW_CACHE] = { NULL, "hardware-cache" },
	[SC_RAW] = { "raw", "raw" },
	[SC_BREAKPOINT] = { "break", "breakpoint" },
	[SC_OTHER] = { NULL, "other" },
	[SC_SYNTH] = { "synth", "synth" },
};

/* ---- lists of -F -------------------------------------------------------------------------------- */

const char *script_field_name(size_t i)
{
	return i < SF_MAX ? script_field_rows[i].name : NULL;
}

static bool invalid_in(int field, int cls)
{
	return script_field_rows[field].invalid >> cls & 1;
}

enum script_class script_class_of(const struct perf_event_attr *attr)
{
	return attr->type <= SC_BREAKPOINT ? (enum script_class)attr->type : SC_OTHER;
}

void script_fields_init(struct script_fields *f)
{
	memset(f, 0, sizeof(*f));
	for (int i = 0; i < SF_MAX; i++)
		for (int c = 0; c < SC_MAX; c++)
			if (script_field_rows[i].defaults >> c & 1)
				f->cls[c].fields |= BIT(i);
}

enum change { CHANGE_NONE, CHANGE_SET, CHANGE_ADD, CHANGE_REMOVE };

/*
 * @named: in a list for events of all classes, whose fields must be there. What a list for one class asks for is left
 * out where samples lack it, as upstream does.
 */
static void apply(struct script_fields *f, int c, uint64_t bit, enum change how, bool named)
{
	if (how == CHANGE_REMOVE) {
		f->cls[c].fields &= ~bit;
		f->cls[c].user_set &= ~bit;
		f->cls[c].user_unset |= bit;
	} else {
		f->cls[c].fields |= bit;
		if (named)
			f->cls[c].user_set |= bit;
		f->cls[c].user_unset &= ~bit;
	}
	f->cls[c].user = true;
}

static int apply_all(struct script_fields *f, int field, enum change how)
{
	for (int c = 0; c < SC_MAX; c++) {
		if (invalid_in(field, c)) {
			log_to(&f->log, LOG_WARN, "'%s' not valid for %s events. Ignoring.",
			       script_field_rows[field].name, script_class_rows[c].title);
			continue;
		}
		apply(f, c, BIT(field), how, true);
		f->cls[c].wildcard = true;
	}
	return 0;
}

static int field_of(const char *name, size_t n)
{
	for (int i = 0; i < SF_MAX; i++)
		if (strlen(script_field_rows[i].name) == n &&
		    !memcmp(script_field_rows[i].name, name, n))
			return i;
	return -1;
}

static int invalid_field(const char *tok, size_t n, struct err *e)
{
	char list[600];
	size_t len = 0;

	for (int i = 0; i < SF_MAX && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? "," : "",
					script_field_rows[i].name);
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
	if (invalid_in(field, cls))
		return err_set(e, -EINVAL, "'%s' not valid for %s events.",
			       script_field_rows[field].name, script_class_rows[cls].title);
	apply(f, cls, BIT(field), now, false);
	return 0;
}

/* "CLASS:" in front: its number, -1 for none, -2 for one that does not exist. */
static int parse_class(const char **arg)
{
	const char *colon = strchr(*arg, ':');

	if (!colon)
		return -1;
	for (int c = 0; c < SC_MAX; c++) {
		const char *prefix = script_class_rows[c].prefix;

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
			log_to(&f->log, LOG_WARN,
			       "Overriding previous field request for %s events.",
			       script_class_rows[c].title);
		else if (f->cls[c].user && !warned)
			log_to(&f->log, LOG_WARN,
			       "Overriding previous field request for all events.");
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
