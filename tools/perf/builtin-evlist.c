// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf evlist: the events of a recording. The shortest command that reads a file. A pipe is read
 * to its end: events may come up to there, and its writer wants a reader until then.
 */
#include <unistd.h>

#include "builtin.h"
#include "emit/emit.h"
#include "dump/dump.h"
#include "perfdata/perfdata.h"
#include "sandbox.h"

struct evlist_opts {
	const char *input;
	int verbose;
	bool freq, group, force, no_limits, trace_fields, no_sandbox;
};

static const struct option evlist_options[] = {
	OPT_STRING('i', "input", struct evlist_opts, input, "FILE", "input file name"),
	OPT_INC('v', "verbose", struct evlist_opts, verbose, "show every field of the attrs"),
	OPT_BOOL('F', "freq", struct evlist_opts, freq, "show the sample frequency or period"),
	OPT_BOOL('g', "group", struct evlist_opts, group, "show the members of groups together"),
	OPT_BOOL('f', "force", struct evlist_opts, force, "don't complain, do it"),
	OPT_BOOL(0, "no-limits", struct evlist_opts, no_limits,
		 "read recordings that unpack to much more than they are"),
	OPT_BOOL(0, "no-sandbox", struct evlist_opts, no_sandbox,
		 "read with all the rights of this process"),
	OPT_BOOL(0, "trace-fields", struct evlist_opts, trace_fields, "show tracepoint fields"),
	OPT_END(),
};

static const char *const evlist_usage[] = { "evlist [<options>] [[-i] FILE]", NULL };

/*
 * A pipe's writer gives names as they were typed (cpu-clock), without what it then asked the kernel
 * for: the attr, which comes in the stream too, has the modifiers (cpu-clock:H).
 */
static void print_name(const struct perfdata *pd, const struct perfdata_event *ev, struct obuf *out)
{
	const char *colon = strrchr(ev->name, ':');
	size_t stem = strlen(ev->name);
	char name[256];

	if (colon && !colon[1 + strspn(colon + 1, "ukhHGpPDSWIeb")])
		stem = (size_t)(colon - ev->name);
	attr_name(&ev->attr, name, sizeof(name));
	if (perfdata_is_pipe(pd) && !strncmp(name, ev->name, stem) &&
	    (!name[stem] || name[stem] == ':'))
		emit_safe(out, name);
	else
		emit_safe(out, ev->name);
}

static void print_members(struct perfdata *pd, const struct perfdata_event *leader,
			  struct obuf *out)
{
	if (leader->group)
		emit_safe(out, leader->group);
	obuf_char(out, '{');
	for (uint32_t i = 0; i < leader->nr_members; i++) {
		if (i)
			obuf_char(out, ',');
		print_name(pd, perfdata_event(pd, leader->idx + i), out);
	}
	obuf_char(out, '}');
}

static void print_fields(struct perfdata *pd, const struct perfdata_event *ev, bool first,
			 struct obuf *out)
{
	const struct trace_format *f;
	struct obuf names;

	if (ev->attr.type != PERF_TYPE_TRACEPOINT) {
		obuf_str(out, first ? ": (not a tracepoint)" : ", (not a tracepoint)");
		return;
	}
	f = trace_find(perfdata_trace(pd), ev->attr.config);
	if (!f || obuf_init(&names, -1, 0))
		return;
	trace_field_names(f, &names);
	obuf_str(out, first ? ": trace_fields: " : ", trace_fields: ");
	emit_safe_n(out, names.buf, names.len);
	obuf_free(&names);
}

static void print_event(struct perfdata *pd, const struct perfdata_event *ev,
			const struct evlist_opts *o, struct obuf *out)
{
	if (o->group && !ev->nr_members)
		return;
	if (o->group && ev->nr_members > 1)
		print_members(pd, ev, out);
	else
		print_name(pd, ev, out);
	if (o->verbose) {
		obuf_lit(out, ": ");
		attr_print(&ev->attr, out);
	} else if (o->freq) {
		bool freq = attr_flag(&ev->attr, ATTR_FLAG_FREQ);

		obuf_printf(out, ": %s=%lu", freq ? "sample_freq" : "sample_period",
			    ev->attr.sample_period);
	}
	if (o->trace_fields)
		print_fields(pd, ev, !o->verbose && !o->freq, out);
	obuf_char(out, '\n');
}

static void print_all(struct perfdata *pd, const struct evlist_opts *o, struct obuf *out)
{
	bool tracepoints = false, groups = false;

	for (size_t i = 0; i < perfdata_nr_events(pd); i++) {
		const struct perfdata_event *ev = perfdata_event(pd, i);

		print_event(pd, ev, o, out);
		tracepoints |= ev->attr.type == PERF_TYPE_TRACEPOINT;
		groups |= ev->nr_members > 1;
	}
	if (tracepoints && !o->trace_fields)
		obuf_lit(out, "# Tip: use 'perf evlist --trace-fields' to show fields for "
			      "tracepoint events\n");
	dump_sample_source(pd, out);
	if (groups && !o->group)
		obuf_lit(out, "# Tip: use 'perf evlist -g' to show group information\n");
}

static int evlist_run(const struct command *cmd, int argc, char **argv)
{
	struct evlist_opts o = { 0 };
	struct perfdata_opts opts = { .no_order = true, .log = LOG_STDERR };
	struct perfdata *pd;
	struct err err = { 0 };
	struct obuf out;
	int n = cli_parse(cmd, &o, argc, argv, 0), status = 0;

	if (n < 0)
		return CLI_STATUS(n);
	if (n > 1 || (n == 1 && o.input))
		return cli_usage_error(cmd, "more than one file: %s", argv[n - 1]);
	if (!o.input)
		o.input = n ? argv[0] : "perf.data";
	if (o.group && (o.verbose || o.freq || o.trace_fields))
		return cli_usage_error(cmd, "--group option is not compatible with other options");
	opts.force = o.force;
	opts.no_limits = o.no_limits;
	sandbox_enter(&(struct sandbox){ .off = o.no_sandbox, .read = { o.input } });
	if (perfdata_open(&pd, o.input, &opts, &err))
		return cli_print_err(&err);
	if (perfdata_read_pipe(pd, &err))
		status = cli_print_err(&err);
	if (obuf_init(&out, STDOUT_FILENO, 0) == 0)
		print_all(pd, &o, &out);
	if (cli_end_output(&out))
		status = 1;
	perfdata_close(pd);
	return status;
}

const struct command cmd_evlist = {
	.name = "evlist",
	.summary = "List the event names in a perf.data file",
	.usage = evlist_usage,
	.options = evlist_options,
	.run = evlist_run,
};
