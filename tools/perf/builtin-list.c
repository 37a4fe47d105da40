// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: the events that -e takes on this machine. */
#include "builtin.h"
#include "base/output.h"
#include "emit/emit.h"
#include "events/events.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

struct list_opts {
	const char *output, *unit, *cputype, *pmu_dt;
	bool desc, details, deprecated, json, names;
	int verbose, debug;
};

static const struct option list_options[] = {
	OPT_BOOL('d', "desc", struct list_opts, desc,
		 "print descriptions (default; --no-desc does not)"),
	OPT_INC('v', "long-desc", struct list_opts, verbose, "print longer descriptions"),
	OPT_BOOL(0, "details", struct list_opts, details, "print what a named event stands for"),
	OPT_BOOL(0, "deprecated", struct list_opts, deprecated, "print deprecated events too"),
	OPT_STRING(0, "unit", struct list_opts, unit, "PMU", "only events of this PMU"),
	OPT_STRING(0, "cputype", struct list_opts, cputype, "TYPE",
		   "only events of this kind of core: core or atom"),
	OPT_STRING(0, "pmu-dt", struct list_opts, pmu_dt, "PATH",
		   "PMUs of this device tree: a .dtb, a .dts or a directory"),
	OPT_BOOL('j', "json", struct list_opts, json, "print JSON"),
	OPT_INC(0, "debug", struct list_opts, debug,
		"say where events come from, and why the kernel opens one not"),
	OPT_STRING('o', "output", struct list_opts, output, "FILE", "write to FILE"),
	OPT_BOOL(0, "raw-dump", struct list_opts, names, "only the names, for completion"),
	OPT_END(),
};

static const char *const list_usage[] = {
	"list [OPTIONS] [hw|sw|cache|tracepoint|pmu|GLOB]...",
	NULL,
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

struct listing {
	const struct list_opts *o;
	struct pmus *pmus;
	struct obuf out;
	struct emit e;
	unsigned kinds;
	const char *glob;  /* NULL = everything of @kinds */
	const char *topic; /* whose heading was printed last */
	const char *unit;
	size_t nr;
	int columns;
};

/* ---- what is wanted ---- */

static bool matches(const char *glob, const char *text)
{
	return text && !fnmatch(glob, text, FNM_CASEFOLD);
}

static bool wanted(const struct listing *l, const struct event_info *info)
{
	if (l->unit && (!info->pmu || strcmp(info->pmu->name, l->unit)))
		return false;
	if (!l->glob)
		return true;
	return matches(l->glob, info->name) || matches(l->glob, info->alias) ||
	       (info->def &&
		(matches(l->glob, info->def->name) || matches(l->glob, info->def->topic)));
}

/* Hardware and cache events are listed when the kernel opens them. */
static bool is_supported(struct listing *l, const char *name)
{
	struct event_list evs = { 0 };
	struct err err = { 0 };
	bool ok = !events_parse(&evs, l->pmus, name, &err) && evs.n &&
		  event_is_supported(evs.v[0].attr.type, evs.v[0].attr.config);

	events_free(&evs);
	return ok;
}

/* ---- text ---- */

static void print_line(struct listing *l, const char *name, const char *alias, const char *type)
{
	char both[512];
	int len;

	snprintf(both, sizeof(both), "%s%s%s", name, alias ? " OR " : "", alias ? alias : "");
	obuf_lit(&l->out, "  ");
	emit_safe(&l->out, both);
	len = (int)strlen(both);
	obuf_pad(&l->out, ' ', 50 - len);
	obuf_lit(&l->out, " [");
	obuf_str(&l->out, type);
	obuf_lit(&l->out, "]\n");
}

/* "       [Text of a description, broken into lines before the terminal does it]" */
static void print_desc(struct listing *l, const char *text)
{
	const int margin = 8;
	int at = margin;

	obuf_lit(&l->out, "       [");
	while (*text) {
		size_t n = strcspn(text, " \n");

		if (at > margin && at + (int)n + 1 > l->columns) {
			obuf_char(&l->out, '\n');
			obuf_pad(&l->out, ' ', margin);
			at = margin;
		} else if (at > margin) {
			obuf_char(&l->out, ' ');
			at++;
		}
		emit_safe_n(&l->out, text, n);
		at += (int)n;
		text += n;
		text += strspn(text, " \n");
	}
	obuf_lit(&l->out, "]\n");
}

static void print_topic(struct listing *l, const struct event_info *info)
{
	const char *topic = info->def ? info->def->topic : NULL;

	if (l->topic && !topic)
		obuf_char(&l->out, '\n');
	if (topic && (!l->topic || strcmp(topic, l->topic))) {
		obuf_char(&l->out, '\n');
		emit_safe(&l->out, topic);
		obuf_lit(&l->out, ":\n");
	}
	l->topic = topic;
}

static void print_pmu_event(struct listing *l, const struct event_info *info)
{
	const struct pmu_event *ev = info->def;
	bool dt = info->pmu->source == PMU_DEVICE_TREE;
	char text[1024];

	print_topic(l, info);
	if (info->pmu->is_core)
		print_line(l, ev->name, info->name, kind_text(info));
	else
		print_line(l, info->name, NULL, kind_text(info));
	if (l->o->desc && (ev->desc || dt)) {
		snprintf(text, sizeof(text), "%s%s%s%sUnit: %s", ev->desc ? ev->desc : "",
			 ev->desc ? ". " : "", dt ? ev->terms : "", dt ? ". " : "",
			 info->pmu->name);
		print_desc(l, text);
	}
	if (l->o->details) {
		snprintf(text, sizeof(text), "%s/%s/", info->pmu->name, ev->terms);
		obuf_lit(&l->out, "        ");
		emit_safe(&l->out, text);
		obuf_char(&l->out, '\n');
	}
}

/* ---- JSON: the keys of upstream's perf list -j ---- */

static void json_event(struct listing *l, const struct event_info *info)
{
	struct emit *e = &l->e;
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
	if (info->desc && l->o->desc)
		emit_str(e, "BriefDescription", info->desc);
	if (info->def && info->pmu) {
		snprintf(text, sizeof(text), "%s/%s/", info->pmu->name, info->def->terms);
		emit_str(e, "Encoding", text);
	}
	emit_end(e);
}

static int list_event(void *ctx, const struct event_info *info)
{
	struct listing *l = ctx;

	if (!wanted(l, info))
		return 0;
	if (info->kind & (EVENT_HARDWARE | EVENT_CACHE) && !is_supported(l, info->name)) {
		log_debug("%s is not listed: the kernel does not open it", info->name);
		return 0;
	}
	l->nr++;
	if (l->o->names) {
		emit_safe(&l->out, info->name);
		obuf_char(&l->out, ' ');
	} else if (l->o->json) {
		json_event(l, info);
	} else if (info->def && info->pmu) {
		print_pmu_event(l, info);
	} else {
		print_line(l, info->name, info->alias, kind_text(info));
	}
	return l->out.code;
}

/* ---- what is no name: raw codes, breakpoints ---- */

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

static void list_descriptor(struct listing *l, const char *text, const char *type,
			    const struct pmu *pmu)
{
	if (l->glob && !matches(l->glob, text))
		return;
	l->nr++;
	if (!l->o->json) {
		if (l->topic)
			obuf_char(&l->out, '\n');
		l->topic = NULL;
		print_line(l, text, NULL, type);
		return;
	}
	emit_object(&l->e, NULL);
	if (pmu)
		emit_str(&l->e, "Unit", pmu->name);
	emit_str(&l->e, "EventName", text);
	emit_str(&l->e, "EventType", type);
	emit_end(&l->e);
}

static void list_descriptors(struct listing *l)
{
	char text[2048];

	if (!(l->kinds & EVENT_PMU) || l->o->names)
		return;
	if (!l->unit)
		list_descriptor(l, "rNNN", "Raw event descriptor", NULL);
	for (size_t i = 0; i < pmus_nr(l->pmus); i++) {
		struct pmu *pmu = pmus_at(l->pmus, i);

		if (l->unit && strcmp(l->unit, pmu->name))
			continue;
		if (pmu_load(l->pmus, pmu) || !pmu->nr_fields)
			continue;
		terms_of(pmu, text, sizeof(text));
		list_descriptor(l, text, "Raw event descriptor", pmu);
	}
	if (l->kinds == EVENT_ALL && !l->unit)
		list_descriptor(l, "mem:<addr>[/len][:access]", "Hardware breakpoint", NULL);
}

static int list_kinds(struct listing *l, unsigned kinds, const char *glob)
{
	int ret;

	l->kinds = kinds;
	l->glob = glob;
	ret = events_for_each(l->pmus, kinds & ~(unsigned)EVENT_TRACEPOINT, list_event, l);
	if (!ret)
		list_descriptors(l);
	if (!ret && !l->unit)
		ret = events_for_each(l->pmus, kinds & EVENT_TRACEPOINT, list_event, l);
	return ret;
}

/* A word names a class, or is looked for anywhere in the names. */
static int list_word(struct listing *l, const char *word)
{
	char glob[256];

	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(word, classes[i].word))
			return list_kinds(l, classes[i].kinds, NULL);
	for (size_t i = 0; i < pmus_nr(l->pmus); i++)
		if (!strcmp(word, pmus_at(l->pmus, i)->name)) {
			l->unit = word;
			return list_kinds(l, EVENT_PMU, NULL);
		}
	if (strpbrk(word, "*?["))
		return list_kinds(l, EVENT_ALL, word);
	snprintf(glob, sizeof(glob), "*%s*", word);
	return list_kinds(l, EVENT_ALL, glob);
}

static int open_output(struct listing *l, struct err *err)
{
	struct output out = { .fd = 1 };
	bool terminal = false;

	if (l->o->output && strcmp(l->o->output, "-")) {
		int ret = output_open(&out, l->o->output, OUTPUT_TEXT, err);

		if (ret)
			return ret;
	} else if (!l->o->names) {
		terminal = isatty(1) && !l->o->json;
		cli_pager_start();
	}
	l->columns = cli_terminal_width(out.fd, 80) - 1;
	if (obuf_init(&l->out, out.fd, 0))
		return err_set(err, -ENOMEM, "no memory for output");
	if (terminal)
		obuf_lit(&l->out, "\nList of pre-defined events (to be used in -e or -M):\n\n");
	return 0;
}

static int list_all(struct listing *l, int argc, char **argv, struct err *err)
{
	const char *core = NULL;
	int ret = 0;

	if (l->o->cputype) {
		core = !strcmp(l->o->cputype, "core")	? "cpu_core"
		       : !strcmp(l->o->cputype, "atom") ? "cpu_atom"
							: NULL;
		if (!core || !pmus_find(l->pmus, core))
			return err_set(err, -ENODEV, "this machine has no cores of type '%s'",
				       l->o->cputype);
	}
	l->unit = core ? core : l->o->unit;
	if (l->unit && !pmus_find(l->pmus, l->unit)) {
		err_set(err, -ENODEV, "no PMU '%s' on this machine", l->unit);
		err_hint(err, "/sys/bus/event_source/devices has those of the kernel; --pmu-dt "
			      "adds those of a device tree.");
		return -ENODEV;
	}
	emit_init(&l->e, &l->out, l->o->json ? EMIT_JSON : EMIT_TEXT);
	if (l->o->json)
		emit_array(&l->e, NULL);
	if (!argc)
		ret = list_kinds(l, l->unit ? EVENT_PMU : EVENT_ALL, NULL);
	for (int i = 0; i < argc && !ret; i++)
		ret = list_word(l, argv[i]);
	if (l->o->json) {
		emit_end(&l->e);
		emit_finish(&l->e);
	}
	if (l->o->names && l->nr)
		obuf_char(&l->out, '\n');
	return ret;
}

static void say_nothing_found(const struct listing *l, int argc, char **argv)
{
	if (l->nr || l->o->names || !argc)
		return;
	if (l->kinds & (EVENT_HARDWARE | EVENT_CACHE) && !l->glob)
		log_warn("the kernel opens no such events here: a VM without a virtual PMU, or "
			 "kernel.perf_event_paranoid forbids it");
	else
		log_warn("no event matches '%s'", argv[argc - 1]);
}

/* --debug: the sources, before anything is listed. */
static void debug_sources(struct pmus *t)
{
	const char *tracefs = events_tracefs();

	for (size_t i = 0; i < pmus_nr(t); i++) {
		struct pmu *pmu = pmus_at(t, i);

		if (!pmu_load(t, pmu))
			log_debug("PMU %s: type %u, from %s, %zu fields, %zu events%s", pmu->name,
				  pmu->type, pmu->source == PMU_SYSFS ? "sysfs" : "a device tree",
				  pmu->nr_fields, pmu->nr_events,
				  pmu->is_core ? ", counts a core" : "");
	}
	log_debug("%zu PMUs; tracepoints: %s", pmus_nr(t),
		  tracefs ? tracefs : "no readable tracefs");
}

static int list_run(const struct command *cmd, int argc, char **argv)
{
	struct list_opts o = { .desc = true };
	struct listing l = { .o = &o };
	struct err err = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0), ret;

	if (n < 0)
		return CLI_STATUS(n);
	if (o.debug)
		log_set_level(LOG_DEBUG);
	ret = pmus_new(&l.pmus, NULL, &err) ?: pmus_add_device_tree(l.pmus, o.pmu_dt, &err);
	if (!ret && o.debug)
		debug_sources(l.pmus);
	if (!ret)
		ret = open_output(&l, &err);
	if (!ret)
		ret = list_all(&l, n, argv, &err);
	if (!ret)
		say_nothing_found(&l, n, argv);
	if (obuf_free(&l.out) && !ret)
		ret = 1; /* nobody reads on, or the disk is full */
	pmus_free(l.pmus);
	return ret < 0 && err.code ? cli_print_err(&err) : ret ? 1 : 0;
}

const struct command cmd_list = {
	.name = "list",
	.summary = "List the events of this machine",
	.usage = list_usage,
	.options = list_options,
	.run = list_run,
};
