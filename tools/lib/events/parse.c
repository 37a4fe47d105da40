// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event parser: lists, groups, and the words that are events by themselves. A parser by hand,
 * since words have one meaning only where the machine is known: the same "a-b" is a cache event, a
 * tracepoint or a PMU's event. An error shows the text and points at the place.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "events/events-int.h"

#define BLANKS	    " \t\n\r"
#define WORD_END    ",{}:/" BLANKS
#define MAX_TEXT    (256 << 10)
#define MAX_NESTING 1

int parse_error(struct parse *ps, int code, const char *at, const char *fmt, ...)
{
	static const char head[] = "event syntax error: '";
	char text[256];
	size_t off = at && at >= ps->text ? (size_t)(at - ps->text) : 0;
	size_t skip = off > 60 ? off - 60 : 0; /* long arguments: a window around the place */
	const char *dots = skip ? "..." : "";
	int pad = (int)(sizeof(head) - 1 + strlen(dots) + (off - skip));
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(ps->e, code, "%s%s%.100s'\n%*s\\___ %s", head, dots, ps->text + skip, pad,
		       "", text);
}

int parse_no_memory(struct parse *ps)
{
	return err_set(ps->e, -ENOMEM, "no memory for the list of events");
}

char *parse_strndup(struct parse *ps, const char *s, size_t n)
{
	char *copy = arena_strndup(&ps->l->arena, s, n);

	if (!copy)
		parse_no_memory(ps);
	return copy;
}

struct event *parse_new_event(struct parse *ps, const char *name, size_t len)
{
	struct event_list *l = ps->l;
	struct event ev = { .leader = (uint32_t)l->n, .nr_members = 1 };

	ev.attr.size = sizeof(ev.attr);
	ev.name = parse_strndup(ps, name, len);
	if (!ev.name || vec_push(l, ev)) {
		parse_no_memory(ps);
		return NULL;
	}
	return &l->v[l->n - 1];
}

/* ---- words --------------------------------------------------------------------------------- */

/* Hardware and cache events: one per kind of core on a hybrid machine. */
static int add_generic(struct parse *ps, const char *word, size_t len, uint32_t type,
		       uint64_t config)
{
	bool hybrid = pmus_nr_cores(ps->t) > 1;
	struct event *ev;

	for (size_t i = 0; hybrid && i < pmus_nr(ps->t); i++) {
		struct pmu *pmu = pmus_at(ps->t, i);
		char name[256];

		if (!pmu->is_core || pmu->source != PMU_SYSFS)
			continue;
		snprintf(name, sizeof(name), "%s/%.*s/", pmu->name, (int)len, word);
		ev = parse_new_event(ps, name, strlen(name));
		if (!ev)
			return -ENOMEM;
		ev->attr.type = type;
		ev->attr.config = config | (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT;
		ev->pmu = pmu;
	}
	if (hybrid)
		return 0;
	ev = parse_new_event(ps, word, len);
	if (!ev)
		return -ENOMEM;
	ev->attr.type = type;
	ev->attr.config = config;
	return 0;
}

/* "r1c4": the PMU's own code in hex. */
static bool is_raw(const char *name, uint64_t *config)
{
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	errno = 0;
	*config = strtoull(name + 1, &end, 16);
	return !*end && !errno && strlen(name) <= 17;
}

/* An event file of sysfs by its bare name; every PMU that has it counts. */
static int add_sysfs_event(struct parse *ps, const char *name)
{
	int found = -ENOENT;

	for (size_t i = 0; i < pmus_nr(ps->t); i++) {
		struct pmu *pmu = pmus_at(ps->t, i);
		struct term term = { .name = name, .at = ps->p };
		struct terms terms = { .v = &term, .n = 1 };
		struct event *ev;
		int ret;

		pmu_load(ps->t, pmu);
		if (pmu->source != PMU_SYSFS || !pmu_find_event(pmu, name))
			continue;
		ev = parse_new_event(ps, name, strlen(name));
		if (!ev)
			return -ENOMEM;
		ret = parse_apply_terms(ps, ev, pmu, &terms);
		if (ret)
			return ret;
		found = 0;
	}
	return found;
}

int parse_symbol(struct parse *ps, const char *word, size_t len)
{
	char name[128];
	uint64_t config;
	int i;

	if (len >= sizeof(name))
		return -ENOENT;
	memcpy(name, word, len);
	name[len] = '\0';
	i = event_symbol_find(event_hardware, event_nr_hardware, name);
	if (i >= 0)
		return add_generic(ps, word, len, PERF_TYPE_HARDWARE, event_hardware[i].config);
	i = event_symbol_find(event_software, event_nr_software, name);
	if (i >= 0) {
		struct event *ev = parse_new_event(ps, word, len);

		if (!ev)
			return -ENOMEM;
		ev->attr.type = PERF_TYPE_SOFTWARE;
		ev->attr.config = event_software[i].config;
		return 0;
	}
	if (event_cache_parse(name, &config))
		return add_generic(ps, word, len, PERF_TYPE_HW_CACHE, config);
	if (is_raw(name, &config)) {
		struct event *ev = parse_new_event(ps, word, len);

		if (!ev)
			return -ENOMEM;
		ev->attr.type = PERF_TYPE_RAW;
		ev->attr.config = config;
		return 0;
	}
	return add_sysfs_event(ps, name);
}

void parse_offer(struct parse *ps, struct nearest *near, const char *name)
{
	const char *copy = arena_strdup(&ps->l->arena, name);

	if (copy)
		nearest_offer(near, copy);
}

struct offer {
	struct parse *ps;
	struct nearest near;
};

static int offer(void *ctx, const struct event_info *info)
{
	struct offer *o = ctx;

	parse_offer(o->ps, &o->near, info->name);
	if (info->alias)
		parse_offer(o->ps, &o->near, info->alias);
	return 0;
}

static int unknown_event(struct parse *ps, const char *word, size_t len)
{
	struct offer o = { .ps = ps };
	char name[64], near[320];

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	o.near = nearest_init(name);
	events_for_each(ps->t, EVENT_HARDWARE | EVENT_SOFTWARE | EVENT_CACHE | EVENT_PMU, offer,
			&o);
	nearest_print(&o.near, near, sizeof(near));
	parse_error(ps, -ENOENT, word, "unknown event '%s'", name);
	if (near[0])
		err_hint(ps->e, "Did you mean %s? 'perf list' shows what there is.", near);
	else
		err_hint(ps->e, "'perf list' shows the events of this machine.");
	return -ENOENT;
}

/* ---- one event ------------------------------------------------------------------------------ */

/* Optional ":LETTERS" or "/TERMS/LETTERS" for the events added since @first. */
static int optional_end(struct parse *ps, size_t first)
{
	if (*ps->p == '/')
		return parse_terms_behind(ps, first);
	if (*ps->p != ':')
		return 0;
	ps->p++;
	return parse_modifiers(ps, first, false);
}

static int parse_event(struct parse *ps)
{
	size_t first = ps->l->n, len;
	const char *word;
	int ret;

	ps->p += strspn(ps->p, BLANKS);
	if (!strncmp(ps->p, "mem:", 4)) {
		ret = parse_breakpoint(ps);
		return ret ? ret : optional_end(ps, first);
	}
	word = ps->p;
	len = strcspn(word, WORD_END);
	if (!len)
		return parse_error(ps, -EINVAL, word,
				   *word ? "an event name is expected here"
					 : "an event name is missing");
	if (word[len] == '/')
		return parse_pmu_event(ps, word, len);
	ret = parse_symbol(ps, word, len);
	if (!ret) {
		ps->p = word + len;
		return optional_end(ps, first);
	}
	if (ret != -ENOENT || word[len] != ':')
		return ret == -ENOENT ? unknown_event(ps, word, len) : ret;
	ps->p = word + len + 1;
	if (parse_is_modifiers(ps->p, strcspn(ps->p, WORD_END)) && strcspn(ps->p, WORD_END) < 4)
		return unknown_event(ps, word, len);
	ret = parse_tracepoint(ps, word, len, ps->p, strcspn(ps->p, WORD_END));
	return ret ? ret : optional_end(ps, first);
}

/* ---- lists and groups ------------------------------------------------------------------------ */

static int parse_list(struct parse *ps, char closing);

/* ps->p stands behind '{'. */
static int parse_group(struct parse *ps, const char *name)
{
	size_t first = ps->l->n;
	int ret = parse_list(ps, '}');

	if (ret)
		return ret;
	events_group(ps->l, first, name);
	if (*ps->p != ':')
		return 0;
	ps->p++;
	return parse_modifiers(ps, first, true);
}

/* "name:{...}" gives a group its name; NULL with p unmoved when there is none. */
static const char *group_name(struct parse *ps)
{
	size_t len = strcspn(ps->p, WORD_END);
	const char *name;

	if (!len || ps->p[len] != ':' || ps->p[len + 1] != '{')
		return NULL;
	name = arena_strndup(&ps->l->arena, ps->p, len);
	if (name)
		ps->p += len + 1;
	return name;
}

/* Items up to @closing ('\0' or '}'), which is consumed when it is a brace. */
static int parse_list(struct parse *ps, char closing)
{
	for (;;) {
		const char *name;
		int ret;

		ps->p += strspn(ps->p, BLANKS);
		name = closing ? NULL : group_name(ps);
		if (*ps->p == '{' && !closing) {
			ps->p++;
			ret = parse_group(ps, name);
		} else if (*ps->p == '{') {
			return parse_error(ps, -EINVAL, ps->p, "a group inside a group");
		} else {
			size_t first = ps->l->n;

			ret = parse_event(ps);
			ps->l->words++;
			for (size_t i = first; i < ps->l->n; i++)
				ps->l->v[i].word = ps->l->words;
		}
		if (ret)
			return ret;
		ps->p += strspn(ps->p, BLANKS);
		if (*ps->p == closing) {
			ps->p += closing != '\0';
			return 0;
		}
		if (*ps->p != ',')
			return parse_error(ps, -EINVAL, ps->p,
					   closing && !*ps->p ? "a closing '}' is missing"
							      : "',' or the end is expected here");
		ps->p++;
	}
}

int events_parse(struct event_list *l, struct pmus *t, const char *text, struct err *e)
{
	struct parse ps = { .l = l, .t = t, .text = text, .p = text, .e = e };
	size_t before = l->n;
	int ret;

	if (strlen(text) > MAX_TEXT)
		return err_set(e, -E2BIG, "the list of events is longer than %d bytes", MAX_TEXT);
	ret = parse_list(&ps, '\0');
	if (ret)
		l->n = before;
	else
		l->last = (uint32_t)before;
	return ret;
}

/* ---- events that nobody typed ------------------------------------------------------------------ */

static struct event *add_named(struct event_list *l, const char *name, struct err *e)
{
	struct parse ps = { .l = l, .text = name, .p = name, .e = e };

	return parse_new_event(&ps, name, strlen(name));
}

int events_add_default(struct event_list *l, struct pmus *t, struct err *e)
{
	size_t first = l->n;
	int ret = events_parse(l, t, "cycles:P", e);

	for (size_t i = first; !ret && i < l->n; i++)
		l->v[i].is_default = true;
	return ret;
}

int events_add_dummy(struct event_list *l, struct err *e)
{
	struct event *ev = add_named(l, "dummy:u", e);

	if (!ev)
		return -ENOMEM;
	ev->attr.type = PERF_TYPE_SOFTWARE;
	ev->attr.config = PERF_COUNT_SW_DUMMY;
	ev->attr.flags = ATTR_FLAG_EXCLUDE_KERNEL | ATTR_FLAG_EXCLUDE_HV;
	ev->set = EVENT_SET_EXCLUDE;
	return 0;
}

bool event_is_dummy(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
}

void events_free(struct event_list *l)
{
	events_close_cgroups(l);
	free(l->v);
	arena_free(&l->arena);
	*l = (struct event_list){ 0 };
}
