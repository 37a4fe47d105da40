// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf list: the events that -e takes on this machine. What the kernel does not open is not
 * listed; --debug says what that was, and where events were looked for.
 */
#include "builtin.h"
#include "base/output.h"
#include "events/events.h"

#include <stdlib.h>
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

static int open_output(const struct list_opts *o, struct obuf *buf, int *columns, struct err *err)
{
	struct output out = { .fd = 1 };
	bool terminal = false;

	if (o->output && strcmp(o->output, "-")) {
		int ret = output_open(&out, o->output, OUTPUT_TEXT, &LOG_STDERR, err);

		if (ret)
			return ret;
	} else if (!o->names) {
		terminal = isatty(1) && !o->json;
		cli_pager_start();
	}
	*columns = cli_terminal_width(out.fd, 80) - 1;
	if (obuf_init(buf, out.fd, 0))
		return err_set(err, -ENOMEM, "no memory for output");
	if (terminal)
		obuf_lit(buf, "\nList of pre-defined events (to be used in -e or -M):\n\n");
	return 0;
}

/* --cputype: the PMU of these cores. */
static int find_cores(struct pmus *pmus, const char *type, const char **unit, struct err *err)
{
	if (!type)
		return 0;
	*unit = !strcmp(type, "core") ? "cpu_core" : !strcmp(type, "atom") ? "cpu_atom" : NULL;
	if (*unit && pmus_find(pmus, *unit))
		return 0;
	return err_set(err, -ENODEV, "this machine has no cores of type '%s'", type);
}

static void say_left_out(void *ctx, const struct event_info *info)
{
	(void)ctx;
	log_debug("%s is not listed: the kernel does not open it", info->name);
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
	struct events_listing l = { .left_out = say_left_out, .log = LOG_STDERR };
	struct err err = { 0 };
	struct obuf out = { 0 };
	int n = cli_parse(cmd, &o, argc, argv, 0), ret;

	if (n < 0)
		return CLI_STATUS(n);
	if (o.debug)
		log_set_level(LOG_DEBUG);
	l.form = o.names ? EVENTS_AS_NAMES : o.json ? EVENTS_AS_JSON : EVENTS_AS_TEXT;
	l.desc = o.desc;
	l.details = o.details;
	l.unit = o.unit;
	ret = pmus_new(&l.pmus, NULL, &err);
	if (!ret)
		pmus_set_log(l.pmus, LOG_STDERR);
	ret = ret ?: pmus_add_device_tree(l.pmus, o.pmu_dt, &err);
	if (!ret && o.debug)
		debug_sources(l.pmus);
	if (!ret)
		ret = open_output(&o, &out, &l.columns, &err);
	if (!ret)
		ret = find_cores(l.pmus, o.cputype, &l.unit, &err);
	if (!ret)
		ret = events_list(&l, argv, (size_t)n, &out, &err);
	if (cli_end_output(&out) && !ret)
		ret = 1;
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
