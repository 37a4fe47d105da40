// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: the option table, and the options into what a table is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "builtin.h"
#include "report.h"

/* ---- options --------------------------------------------------------------------------------- */

static int parse_graph(void *opts, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	struct report_opts *o = opts;

	(void)opt;
	if (unset) {
		o->chain_none = true;
		return 0;
	}
	o->chain_given = true;
	return chain_opts_parse(&o->chain, arg, e);
}

/* What settings say: changes how call chains are shown, does not ask for them. */
static int parse_default_graph(void *opts, const struct option *opt, const char *arg, bool unset,
			       struct err *e)
{
	struct report_opts *o = opts;

	(void)opt;
	return unset ? 0 : chain_opts_parse(&o->chain, arg, e);
}

/* For rows and for branches of graphs, unless a later -g says otherwise for these. */
static int parse_children(void *opts, const struct option *opt, const char *arg, bool unset,
			  struct err *e)
{
	struct report_opts *o = opts;

	(void)opt, (void)arg, (void)e;
	o->children = !unset;
	o->children_given = true;
	return 0;
}

/* The last one counts. */
static int parse_text(void *opts, const struct option *opt, const char *arg, bool unset,
		      struct err *e)
{
	struct report_opts *o = opts;

	(void)opt, (void)arg, (void)e;
	o->ui = unset ? REPORT_AUTO : REPORT_TEXT;
	return 0;
}

static int parse_tui(void *opts, const struct option *opt, const char *arg, bool unset,
		     struct err *e)
{
	struct report_opts *o = opts;

	(void)opt, (void)arg, (void)e;
	o->ui = unset ? REPORT_TEXT : REPORT_TUI;
	return 0;
}

static int parse_limit(void *opts, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	struct report_opts *o = opts;
	double v = 0;
	int ret = unset ? 0 : compat_percent(opt, arg, &v, e);

	if (ret)
		return ret;
	o->min_percent = o->chain.min_percent = v;
	o->limited = true;
	return 0;
}

#define O struct report_opts

const struct option report_options[] = {
	OPT_GROUP("Input"),
	OPT_INCLUDE(O, session, session_input_options),
	OPT_INCLUDE(O, session, session_jobs_options),
	OPT_INCLUDE(O, several, session_files_options),
	OPT_INCLUDE(O, from, report_from_options),
	OPT_STRING(0, "diff", O, diff, "FILE",
		   "in the browser: compare rows with those of another recording"),

	OPT_GROUP("Rows"),
	OPT_STRING('s', "sort", O, sort, "KEY,...",
		   "keys that make a row (see the man page); +KEY adds to the default"),
	OPT_BOOL(0, "mem-mode", O, mem, "memory samples: rows of accesses, weighted by their time"),
	OPT_STRING('F', "fields", O, fields, "KEY,...", "columns to print; +KEY adds"),
	OPT_BOOL('H', "hierarchy", O, hierarchy,
		 "each key a level, rows below rows; {KEY,KEY} is one"),
	OPT_BOOL('n', "show-nr-samples", O, show_samples, "a column with the number of samples"),
	OPT_BOOL(0, "show-total-period", O, show_period, "a column with the sum of periods"),
	OPT_BOOL(0, "show-nr-threads", O, show_threads,
		 "a column with the number of different threads"),
	OPT_BOOL(0, "show-cpu-utilization", O, show_modes, "columns for kernel and user mode"),
	OPT_BOOL(0, "showcpuutilization", O, show_modes, "the same"),
	OPT_CALL_NOARG(0, "children", parse_children,
		       "add what callees cost (default with call chains)"),
	OPT_BOOL(0, "latency", O, latency,
		 "time per running thread first (needs record --latency)"),
	OPT_CALL(0, "percent-limit", parse_limit, "PERCENT", "leave out rows below this"),
	OPT_STRING(0, "percentage", O, percentage, "relative|absolute",
		   "shares of what passes the filters, or of everything"),
	OPT_BOOL(0, "group", O, group, "events of a group side by side (default)"),
	OPT_UINT(0, "group-sort-idx", O, group_sort, "N",
		 "rows of a group by its event N; 0, the first, is the leader"),
	OPT_STRING(0, "time-quantum", O, quantum, "TIME", "length of a slice of key time (100ms)"),
	OPT_BOOL(0, "ns", O, nsec, "times in nanoseconds"),
	OPT_STRING('p', "parent", O, parent, "REGEX", "what key parent looks for in call chains"),
	OPT_BOOL(0, "skip-empty", O, skip_empty, "leave out events without samples (default)"),

	OPT_GROUP("Filters"),
	OPT_STRING('c', "comms", O, session.comms, "COMM,...", "only these commands"),
	OPT_STRING('d', "dsos", O, session.dsos, "DSO,...", "only these objects"),
	OPT_INCLUDE(O, session, session_sample_options),
	OPT_STRING(0, "socket-filter", O, socket, "N", "only samples of this processor package"),
	OPT_STRING(0, "symbol-filter", O, symbol_filter, "PART", "only symbols that contain PART"),
	OPT_STRING(0, "parallelism", O, parallelism, "LIST",
		   "only what ran while so many threads did: 1,4-8"),
	OPT_BOOL('U', "hide-unresolved", O, hide_unresolved, "only what has a symbol"),
	OPT_BOOL('x', "exclude-other", O, exclude_other, "only what matches --parent"),

	OPT_GROUP("Call chains"),
	OPT_CALL_OPTARG('g', "call-graph", parse_graph, "MODE,...",
			"graph|fractal|flat|folded|none, threshold, print limit, caller|callee, "
			"function|address|srcline, percent|period|count"),
	OPT_BOOL('G', "inverted", O, inverted, "outermost caller first"),
	OPT_STRING(0, "ignore-callees", O, ignore_callees, "REGEX",
		   "forget what these functions call: their callers come together"),
	OPT_INCLUDE(O, session, session_chain_options),

	OPT_GROUP("Branch stacks"),
	OPT_BOOL('b', "branch-stack", O, branch, "one row per branch; default when recorded"),
	OPT_BOOL(0, "branch-history", O, history,
		 "branches as frames of call chains, loops shown once"),
	OPT_BOOL(0, "no-branch-stack", O, no_branch, "rows of samples, not of branches"),
	OPT_BOOL(0, "branch-stats", O, branch_stats,
		 "columns for mispredictions and mean cycles of each row"),
	OPT_BOOL(0, "total-cycles", O, total_cycles, "blocks of code by the cycles spent in them"),
	OPT_STRING(0, "branches", O, branches, "WHAT",
		   "why they are hard to predict; cycles of blocks and edges; paths and loops"),
	OPT_BOOL(0, "profile-quality", O, quality,
		 "whether the recording is enough for an optimizer, or how much more it takes"),
	OPT_UINT(0, "hot-paths", O, hot_paths, "N",
		 "the most frequent chains of N branches in a row (2 to 16)"),

	OPT_GROUP("Symbols"),
	OPT_INCLUDE(O, session, session_symbol_options),

	OPT_GROUP("Instructions in the browser"),
	OPT_INCLUDE(O, code, code_options),
	CODE_PERCENT_TYPE(O, code),

	OPT_GROUP("Output"),
	OPT_CALL_NOARG(0, "stdio", parse_text, "text, also where stdout is a terminal"),
	OPT_CALL_NOARG(0, "tui", parse_tui, "a browser (default where stdout is a terminal)"),
	OPT_BOOL(0, "json", O, json, "rows and call trees as JSON"),
	OPT_BOOL(0, "csv", O, csv, "rows as CSV, bare values with names of keys above them"),
	OPT_STRING(0, "html", O, html, "FILE",
		   "a page for browsers that needs no other file and no network; - is stdout"),
	OPT_BOOL(
		0, "simd", O, simd,
		"columns of SIMD state: live widths, dirty upper halves, the code's widths, masks"),
	OPT_BOOL(0, "numbers", O, numbers,
		 "columns of numbers in vectors that code is about to read: NaN, denormal, zero"),
	OPT_BOOL(0, "idle-lanes", O, idle,
		 "lanes of vectors that do nothing, by loop: off, zero, alike, constant"),
	OPT_BOOL(
		0, "dirty", O, dirty,
		"upper halves of vectors that code does not use: what they cost, and who left them"),
	OPT_BOOL(
		0, "apx", O, apx,
		"columns of general registers: spills, registers to spare, what r16 to r31 are used for"),
	OPT_BOOL(0, "shadow-stack", O, shadow,
		 "call chains against the shadow stack: true depth, frames that chains lack"),
	OPT_STRING(0, "values", O, values, "REG",
		   "the most frequent values of a register: di, k1, zmm3.f64[0]"),
	OPT_BOOL(0, "dot", O, dot, "branches as a graph for Graphviz"),
	OPT_STRING('t', "field-separator", O, separator, "CHAR", "CHAR between columns"),
	OPT_STRING('w', "column-widths", O, widths, "N,...", "fixed column widths"),
	OPT_BOOL(0, "header", O, header, "the recording's header first"),
	OPT_BOOL(0, "header-only", O, header_only, "only the recording's header"),
	OPT_BOOL('I', "show-info", O, full_info, "topology and the like in the header"),
	OPT_BOOL(0, "stats", O, stats, "count records by type"),
	OPT_BOOL(0, "tasks", O, tasks, "the processes of the recording"),
	OPT_BOOL(0, "mmaps", O, mmaps, "processes and their maps"),
	OPT_BOOL('T', "threads", O, threads, "what each thread counted (recorded with -s)"),
	OPT_BOOL('D', "dump-raw-trace", O, dump, "every record in full"),
	OPT_BOOL(0, "disable-order", O, no_order, "-D: records as they lie in the file"),
	OPT_BOOL(0, "raw-trace", O, raw_trace, "key trace: the fields as numbers"),
	OPT_INCLUDE(O, look, tui_options),
	OPT_BOOL(0, "redact", O, redact, "do not show what is in registers"),
	OPT_BOOL('q', "quiet", O, quiet, "no comment lines, no warnings"),
	OPT_INC('v', "verbose", O, verbose, "say more"),
	OPT_STRING(0, "stdio-color", O, color, "MODE",
		   "shares in colours: auto (on a terminal, the default), always or never"),
	OPT_ACCEPT('m', "modules"),
	OPT_ACCEPT(0, "gtk"),
	OPT_ACCEPT(0, "asm-raw"),
	OPT_ACCEPT(0, "show-ref-call-graph"),
	OPT_ACCEPT_ARG(0, "objdump", "PATH", 0),
	OPT_ACCEPT_ARG(0, "addr2line", "PATH", 0),
	OPT_ACCEPT_ARG(0, "addr2line-style", "LIST", 0),
	OPT_ACCEPT_ARG(0, "unwind-style", "LIST", 0),
	OPT_ACCEPT_ARG(0, "pretty", "KEY", 0),
	OPT_ACCEPT_ARG(0, "samples", "N", 0),
	OPT_ACCEPT_ARG(0, "itrace", "OPTS", OPTION_OPTARG),
	{ .type = OPTION_UINT,
	  .name = "pieces",
	  .arg = "N",
	  .help = "count every N samples on their own, then add up",
	  .offset = offsetof(struct report_opts, pieces),
	  .flags = OPTION_HIDDEN },
	{ .type = OPTION_BOOL,
	  .name = "apart",
	  .help = "with --pieces: read each of them in a session of its own",
	  .offset = offsetof(struct report_opts, apart),
	  .flags = OPTION_HIDDEN },
	{ .type = OPTION_BOOL,
	  .name = "derive",
	  .help = "count by all that there is, then make the rows of that",
	  .offset = offsetof(struct report_opts, derive),
	  .flags = OPTION_HIDDEN },
	{ .type = OPTION_CALL,
	  .name = "_call-graph",
	  .arg = "MODE,...",
	  .help = "what settings say of call chains",
	  .flags = OPTION_HIDDEN,
	  .parse = parse_default_graph },
	OPT_END(),
};

/* What the option table cannot say: -g takes the next word unless that is an option. */
int report_prepare_args(struct report *r, int *argc, char **argv)
{
	int n = 0;

	for (int i = 0; i < *argc; i++) {
		bool graph = !strcmp(argv[i], "-g") || !strcmp(argv[i], "--call-graph");

		if (graph && i + 1 < *argc && argv[i + 1][0] != '-') {
			argv[n] = arena_printf(&r->args, "%s%s%s", argv[i],
					       argv[i][1] == '-' ? "=" : "", argv[i + 1]);
			if (!argv[n++])
				return -ENOMEM;
			i++;
		} else {
			argv[n++] = argv[i];
		}
	}
	argv[n] = NULL;
	*argc = n;
	return 0;
}

/* ---- as options of a table  ---------------------------------------------------------------------- */

static int parse_quantum(const char *s, uint64_t *ns, struct err *e)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = { { "ns", 1 },
		      { "us", 1000 },
		      { "ms", 1000000 },
		      { "s", 1000000000 },
		      { "", 1000000000 } };
	char *end;
	double v = strtod(s, &end);

	for (size_t i = 0; end != s && v > 0 && i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].unit)) {
			*ns = (uint64_t)(v * (double)units[i].ns);
			return *ns ? 0 : err_set(e, -EINVAL, "time quantum cannot be 0");
		}
	return err_set(e, -EINVAL, "--time-quantum: `%s' is no time such as 10ms", s);
}

bool report_help_keys(const struct report_opts *o)
{
	const char *name;

	if (!(o->sort && !strcmp(o->sort, "help")) && !(o->fields && !strcmp(o->fields, "help")))
		return false;
	printf("Keys of -s and -F (SORT KEYS in perf-report(1) says what they are):\n");
	for (size_t i = 0; (name = keys_name(i)); i++)
		printf("  %s\n", name);
	return true;
}

/* Letters of a name that a terminal has room for, beside the usual columns. */
static uint32_t name_room(const struct report_opts *o)
{
	int width = cli_terminal_width(STDOUT_FILENO, 80) - 48;

	if (!isatty(STDOUT_FILENO) || o->widths || o->separator || o->json || o->csv || o->dot ||
	    o->verbose)
		return 0;
	return (uint32_t)(width < 32 ? 32 : width > 500 ? 500 : width);
}

int report_setup_options(struct report *r, struct err *e)
{
	struct keys_opts *po = &r->po;
	struct report_opts *o = &r->o;

	*po = (struct keys_opts){
		.sort = o->sort,
		.fields = o->fields,
		.show_samples = o->show_samples || report_reads_registers(o),
		.show_period = o->show_period,
		.show_threads = o->show_threads,
		.show_modes = o->show_modes,
		.hierarchy = o->hierarchy,
		.group_sort = (uint32_t)min_u64(o->group_sort, UINT32_MAX),
		.simd = o->simd,
		.numbers = o->numbers,
		.idle = o->idle,
		.dirty = o->dirty,
		.apx = o->apx,
		.shadow = o->shadow,
		.values = o->values,
		.mem = o->mem,
		.latency = o->latency,
		.branch_stats = o->branch_stats,
		.inlines = !o->session.no_inline,
		.nsec = o->nsec,
		.max_stack = o->session.max_stack
				     ? (uint32_t)min_u64(o->session.max_stack, UINT32_MAX)
				     : UNWIND_MAX_STACK,
		.raw_trace = o->raw_trace,
		.parent = o->parent,
		.ignore_callees = o->ignore_callees,
		.widths = o->widths,
		.chain = o->chain,
		.filter = { .symbol_part = o->symbol_filter,
			    .parallelism = o->parallelism,
			    .by_socket = o->socket,
			    .hide_unresolved = o->hide_unresolved,
			    .exclude_other = o->exclude_other },
	};
	if (o->separator)
		po->separator = !strcmp(o->separator, "\\t") ? '\t' : o->separator[0];
	if (po->separator == '.')
		return err_set(e, -EINVAL, "'.' is the only non valid --field-separator argument");
	if (o->percentage && strcmp(o->percentage, "relative") && strcmp(o->percentage, "absolute"))
		return err_set(e, -EINVAL, "--percentage is relative or absolute, not `%s'",
			       o->percentage);
	if (o->json + o->csv + o->dot > 1)
		return err_set(e, -EINVAL, "--json, --csv and --dot are one or the other");
	if (report_read_branches(r, e))
		return -EINVAL;
	if (o->hierarchy && (o->total_cycles || o->hot_paths || o->dot))
		return err_set(e, -EINVAL, "--hierarchy is about rows of keys, which %s has not",
			       o->dot	      ? "--dot"
			       : o->hot_paths ? "--hot-paths"
					      : "--total-cycles");
	r->socket = -1;
	if (o->socket) {
		uint64_t n;

		if (cli_parse_u64(o->socket, &n) || n > INT32_MAX)
			return err_set(e, -EINVAL, "--socket-filter: `%s' is no number", o->socket);
		r->need |= PERF_SAMPLE_CPU;
		r->socket = (int64_t)n;
		po->filter.socket = (int32_t)n;
	}
	if (o->mem)
		r->need |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;
	po->relative = o->percentage && !strcmp(o->percentage, "relative");
	if (o->quantum && parse_quantum(o->quantum, &po->time_quantum, e))
		return -EINVAL;
	if (code_opts_read(&o->code, &r->code_opts, e))
		return -EINVAL;
	r->code_opts.simd = o->simd;
	po->max_name = report_wants_browser(r) ? 0 : name_room(o);
	return compat_color(o->color, &r->color, e);
}
