// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of events as people and programs read it. One walk finds what is wanted: classes by their
 * names, PMUs, words that stand anywhere in a name; a writer per form says how one event looks. What
 * is no name (raw codes, breakpoints) is told beside the events of PMUs. Hardware and cache events
 * are listed when the kernel opens them, since many machines, virtual ones most of all, open few.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "emit/emit.h"
#include "events/events-int.h"

struct walk {
	const struct events_listing *l;
	const struct writer *writer;
	struct obuf *out;
	struct emit e;
	unsigned kinds;
	const char *glob;  /* NULL = everything of @kinds */
	const char *unit;  /* NULL = all */
	const char *topic; /* whose heading was printed last */
	size_t nr;
};

/* How one event looks, and what is no event but a pattern for many. */
struct writer {
	void (*event)(struct walk *w, const struct event_info *info);
	void (*pattern)(struct walk *w, const char *text, const char *type, const struct pmu *pmu);
};

static const struct {
	const char *word;
	unsigned kinds;
} classes[] = {
	{ "hw", EVENT_HARDWARE },	    { "hardware", EVENT_HARDWARE },
	{ "sw", EVENT_SOFTWARE },	    { "software", EVENT_SOFTWARE },
	{ "cache", EVENT_CACHE },	    { "hwcache", EVENT_CACHE },
	{ "tracepoint", EVENT_TRACEPOINT }, { "pmu", EVENT_PMU },
};

static const char *kind_text(const struct event_info *info)
{
	switch (info->kind) {
	case EVENT_HARDWARE: return "Hardware event";
	case EVENT_SOFTWARE: return "Software event";
	case EVENT_CACHE: return "Hardware cache event";
	case EVENT_TRACEPOINT: return "Tracepoint event";
	default:
		return info->pmu && info->pmu->source == PMU_DEVICE_TREE ? "Device tree PMU event"
									 : "Kernel PMU event";
	}
}

/* ---- what is wanted ------------------------------------------------------------------------------ */

static bool matches(const char *glob, const char *text)
{
	return text && !fnmatch(glob, text, FNM_CASEFOLD);
}

static bool wanted(const struct walk *w, const struct event_info *info)
{
	if (w->unit && (!info->pmu || strcmp(info->pmu->name, w->unit)))
		return false;
	if (!w->glob)
		return true;
	return matches(w->glob, info->name) || matches(w->glob, info->alias) ||
	       (info->def &&
		(matches(w->glob, info->def->name) || matches(w->glob, info->def->topic)));
}

/* Hardware and cache events are listed when the kernel opens them. */
static bool is_supported(struct walk *w, const char *name)
{
	struct event_list evs = { 0 };
	struct err err = { 0 };
	bool ok = !events_parse(&evs, w->l->pmus, name, &err) && evs.n &&
		  event_is_supported(evs.v[0].attr.type, evs.v[0].attr.config, &w->l->log);

	events_free(&evs);
	return ok;
}

/* ---- text ---------------------------------------------------------------------------------------- */

static void print_line(struct walk *w, const char *name, const char *alias, const char *type)
{
	char both[512];
	int len;

	snprintf(both, sizeof(both), "%s%s%s", name, alias ? " OR " : "", alias ? alias : "");
	obuf_lit(w->out, "  ");
	emit_safe(w->out, both);
	len = (int)strlen(both);
	obuf_pad(w->out, ' ', 50 - len);
	obuf_lit(w->out, " [");
	obuf_str(w->out, type);
	obuf_lit(w->out, "]\n");
}

/* "       [Text of a description, broken into lines before the terminal does it]" */
static void print_desc(struct walk *w, const char *text)
{
	const int margin = 8;
	int at = margin;

	obuf_lit(w->out, "       [");
	while (*text) {
		size_t n = strcspn(text, " \n");

		if (at > margin && at + (int)n + 1 > w->l->columns) {
			obuf_char(w->out, '\n');
			obuf_pad(w->out, ' ', margin);
			at = margin;
		} else if (at > margin) {
			obuf_char(w->out, ' ');
			at++;
		}
		emit_safe_n(w->out, text, n);
		at += (int)n;
		text += n;
		text += strspn(text, " \n");
	}
	obuf_lit(w->out, "]\n");
}

static void print_topic(struct walk *w, const struct event_info *info)
{
	const char *topic = info->def ? info->def->topic : NULL;

	if (w->topic && !topic)
		obuf_char(w->out, '\n');
	if (topic && (!w->topic || strcmp(topic, w->topic))) {
		obuf_char(w->out, '\n');
		emit_safe(w->out, topic);
		obuf_lit(w->out, ":\n");
	}
	w->topic = topic;
}

static void print_pmu_event(struct walk *w, const struct event_info *info)
{
	const struct pmu_event *ev = info->def;
	bool dt = info->pmu->source == PMU_DEVICE_TREE;
	char text[1024];

	print_topic(w, info);
	if (info->pmu->is_core)
		print_line(w, ev->name, info->name, kind_text(info));
	else
		print_line(w, info->name, NULL, kind_text(info));
	if (w->l->desc && (ev->desc || dt)) {
		snprintf(text, sizeof(text), "%s%s%s%sUnit: %s", ev->desc ? ev->desc : "",
			 ev->desc ? ". " : "", dt ? ev->terms : "", dt ? ". " : "",
			 info->pmu->name);
		print_desc(w, text);
	}
	if (w->l->details) {
		snprintf(text, sizeof(text), "%s/%s/", info->pmu->name, ev->terms);
		obuf_lit(w->out, "        ");
		emit_safe(w->out, text);
		obuf_char(w->out, '\n');
	}
}

static void text_event(struct walk *w, const struct event_info *info)
{
	if (info->def && info->pmu)
		print_pmu_event(w, info);
	else
		print_line(w, info->name, info->alias, kind_text(info));
}

static void text_pattern(struct walk *w, const char *text, const char *type, const struct pmu *pmu)
{
	(void)pmu;
	if (w->topic)
		obuf_char(w->out, '\n');
	w->topic = NULL;
	print_line(w, text, NULL, type);
}

/* ---- JSON: the keys of upstream's perf list -j ------------------------------------------------------ */

static void json_event(struct walk *w, const struct event_info *info)
{
	struct emit *e = &w->e;
	char text[1024];

	emit_object(e, NULL);
	if (info->pmu)
		emit_str(e, "Unit", info->pmu->name);
	if (info->def && info->def->topic)
		emit_str(e, "Topic", info->def->topic);
	emit_str(e, "EventName", info->name);
	if (info->alias || (info->def && info->pmu && info->pmu->is_core))
		emit_str(e, "EventAlias", info->alias ? info->alias : info->def->name);
	if (info->def && info->def->unit) {
		snprintf(text, sizeof(text), "%g%s", info->def->scale ? info->def->scale : 1.0,
			 info->def->unit);
		emit_str(e, "ScaleUnit", text);
	}
	emit_str(e, "EventType", kind_text(info));
	if (info->desc && w->l->desc)
		emit_str(e, "BriefDescription", info->desc);
	if (info->def && info->pmu) {
		snprintf(text, sizeof(text), "%s/%s/", info->pmu->name, info->def->terms);
		emit_str(e, "Encoding", text);
	}
	emit_end(e);
}

static void json_pattern(struct walk *w, const char *text, const char *type, const struct pmu *pmu)
{
	emit_object(&w->e, NULL);
	if (pmu)
		emit_str(&w->e, "Unit", pmu->name);
	emit_str(&w->e, "EventName", text);
	emit_str(&w->e, "EventType", type);
	emit_end(&w->e);
}

/* ---- names, for completion --------------------------------------------------------------------------- */

static void name_event(struct walk *w, const struct event_info *info)
{
	emit_safe(w->out, info->name);
	obuf_char(w->out, ' ');
}

static const struct writer writers[] = {
	[EVENTS_AS_TEXT] = { text_event, text_pattern },
	[EVENTS_AS_JSON] = { json_event, json_pattern },
	[EVENTS_AS_NAMES] = { name_event, NULL },
};

/* ---- the walk ----------------------------------------------------------------------------------------- */

static int list_event(void *ctx, const struct event_info *info)
{
	struct walk *w = ctx;

	if (!wanted(w, info))
		return 0;
	if (info->kind & (EVENT_HARDWARE | EVENT_CACHE) && !is_supported(w, info->name)) {
		if (w->l->left_out)
			w->l->left_out(w->l->ctx, info);
		return 0;
	}
	w->nr++;
	w->writer->event(w, info);
	return w->out->code;
}

static void terms_of(const struct pmu *pmu, char *buf, size_t size)
{
	size_t len = (size_t)snprintf(buf, size, "%s/", pmu->name);

	for (size_t i = 0; i < pmu->nr_fields && len < size; i++) {
		unsigned bits = (unsigned)weight_u64(pmu->fields[i].mask);
		unsigned long long max = bits < 64 ? BIT(bits) - 1 : ~0ULL;

		if (pmu->fields[i].max)
			max = pmu->fields[i].max;

		len += (size_t)snprintf(buf + len, size - len, "%s%s", i ? "," : "",
					pmu->fields[i].name);
		if (bits > 1 && len < size)
			len += (size_t)snprintf(buf + len, size - len,
						max < 256 ? "=0..%llu" : "=0..0x%llx", max);
	}
	if (len < size)
		snprintf(buf + len, size - len, "/modifier");
}

static void list_pattern(struct walk *w, const char *text, const char *type, const struct pmu *pmu)
{
	if (w->glob && !matches(w->glob, text))
		return;
	w->nr++;
	w->writer->pattern(w, text, type, pmu);
}

static void list_patterns(struct walk *w)
{
	struct pmus *pmus = w->l->pmus;
	char text[2048];

	if (!(w->kinds & EVENT_PMU) || !w->writer->pattern)
		return;
	if (!w->unit)
		list_pattern(w, "rNNN", "Raw event descriptor", NULL);
	for (size_t i = 0; i < pmus_nr(pmus); i++) {
		struct pmu *pmu = pmus_at(pmus, i);

		if (w->unit && strcmp(w->unit, pmu->name))
			continue;
		if (pmu_load(pmus, pmu) || !pmu->nr_fields)
			continue;
		terms_of(pmu, text, sizeof(text));
		list_pattern(w, text, "Raw event descriptor", pmu);
	}
	if (w->kinds == EVENT_ALL && !w->unit)
		list_pattern(w, "mem:<addr>[/len][:access]", "Hardware breakpoint", NULL);
}

static int list_kinds(struct walk *w, unsigned kinds, const char *glob)
{
	int ret;

	w->kinds = kinds;
	w->glob = glob;
	ret = events_for_each(w->l->pmus, kinds & ~(unsigned)EVENT_TRACEPOINT, list_event, w);
	if (!ret)
		list_patterns(w);
	if (!ret && !w->unit)
		ret = events_for_each(w->l->pmus, kinds & EVENT_TRACEPOINT, list_event, w);
	return ret;
}

/* A word names a class, a PMU, or is looked for anywhere in the names. */
static int list_word(struct walk *w, const char *word)
{
	char glob[256];
	int ret;

	w->unit = w->l->unit; /* a PMU is named for one word only */
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(word, classes[i].word))
			return list_kinds(w, classes[i].kinds, NULL);
	for (size_t i = 0; i < pmus_nr(w->l->pmus); i++)
		if (!strcmp(word, pmus_at(w->l->pmus, i)->name)) {
			w->unit = word;
			return list_kinds(w, EVENT_PMU, NULL);
		}
	if (strpbrk(word, "*?["))
		return list_kinds(w, EVENT_ALL, word);
	snprintf(glob, sizeof(glob), "*%s*", word);
	ret = list_kinds(w, EVENT_ALL, glob);
	w->glob = word; /* @glob ends here */
	return ret;
}

static void note_nothing(const struct walk *w, const char *word)
{
	if (w->kinds & (EVENT_HARDWARE | EVENT_CACHE) && !w->glob)
		log_to(&w->l->log, LOG_WARN,
		       "the kernel opens no such events here: a VM without a virtual PMU, or "
		       "kernel.perf_event_paranoid forbids it");
	else
		log_to(&w->l->log, LOG_WARN, "no event matches '%s'", word);
}

int events_list(const struct events_listing *l, char *const *words, size_t nr, struct obuf *out,
		struct err *e)
{
	struct walk w = { .l = l, .writer = &writers[l->form], .out = out, .unit = l->unit };
	int ret = 0;

	if (l->unit && !pmus_find(l->pmus, l->unit)) {
		err_set(e, -ENODEV, "no PMU '%s' on this machine", l->unit);
		err_hint(e, "/sys/bus/event_source/devices has those of the kernel; --pmu-dt "
			    "adds those of a device tree.");
		return -ENODEV;
	}
	emit_init(&w.e, out, l->form == EVENTS_AS_JSON ? EMIT_JSON : EMIT_TEXT);
	if (l->form == EVENTS_AS_JSON)
		emit_array(&w.e, NULL);
	if (!nr)
		ret = list_kinds(&w, w.unit ? EVENT_PMU : EVENT_ALL, NULL);
	for (size_t i = 0; i < nr && !ret; i++) {
		size_t before = w.nr;

		ret = list_word(&w, words[i]);
		if (!ret && w.nr == before && l->form != EVENTS_AS_NAMES)
			note_nothing(&w, words[i]);
	}
	if (l->form == EVENTS_AS_JSON) {
		emit_end(&w.e);
		emit_finish(&w.e);
	} else if (l->form == EVENTS_AS_NAMES && w.nr) {
		obuf_char(out, '\n');
	}
	return ret;
}
