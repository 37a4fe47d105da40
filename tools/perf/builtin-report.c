// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: read a recording, show where its samples lie. */
#include <stdio.h>
#include <stdlib.h>

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

#define O struct report_opts

static const struct option report_options[] = {
	OPT_GROUP("Input"),
	OPT_STRING('i', "input", O, input, "FILE", "recording to read; - is stdin"),
	OPT_BOOL('f', "force", O, force, "read files of other owners"),
	OPT_STRING(0, "time", O, time, "SPAN",
		   "only samples of FROM,TO (seconds), 10%-20% or 10%/2"),
	OPT_STRING('C', "cpu", O, cpus, "LIST", "only samples of these CPUs"),
	OPT_STRING(0, "socket-filter", O, socket, "N", "only samples of this processor package"),
	OPT_STRING(0, "switch-on", O, sw.on_name, "EVENT", "samples count after this event ..."),
	OPT_STRING(0, "switch-off", O, sw.off_name, "EVENT", "... until this one"),
	OPT_BOOL(0, "show-on-off-events", O, sw.show, "these two events themselves too"),

	OPT_GROUP("Rows"),
	OPT_STRING('s', "sort", O, sort, "KEY,...",
		   "keys that make a row (see the man page); +KEY adds to the default"),
	OPT_BOOL(0, "mem-mode", O, mem, "memory samples: rows of accesses, weighted by their time"),
	OPT_STRING('F', "fields", O, fields, "KEY,...", "columns to print; +KEY adds"),
	OPT_BOOL('n', "show-nr-samples", O, show_samples, "a column with the number of samples"),
	OPT_BOOL(0, "show-total-period", O, show_period, "a column with the sum of periods"),
	OPT_BOOL(0, "show-cpu-utilization", O, show_modes, "columns for kernel and user mode"),
	OPT_BOOL(0, "showcpuutilization", O, show_modes, "the same"),
	OPT_BOOL(0, "children", O, children, "add what callees cost (default with call chains)"),
	OPT_STRING(0, "percent-limit", O, percent_limit, "PERCENT", "leave out rows below this"),
	OPT_STRING(0, "percentage", O, percentage, "relative|absolute",
		   "shares of what passes the filters, or of everything"),
	OPT_BOOL(0, "group", O, group, "events of a group side by side (default)"),
	OPT_STRING(0, "time-quantum", O, quantum, "TIME", "length of a slice of key time (100ms)"),
	OPT_BOOL(0, "ns", O, nsec, "times in nanoseconds"),
	OPT_STRING('p', "parent", O, parent, "REGEX", "what key parent looks for in call chains"),
	OPT_BOOL(0, "skip-empty", O, skip_empty, "leave out events without samples (default)"),

	OPT_GROUP("Filters"),
	OPT_STRING('c', "comms", O, comms, "COMM,...", "only these commands"),
	OPT_STRING('d', "dsos", O, dsos, "DSO,...", "only these objects"),
	OPT_STRING('S', "symbols", O, symbols, "SYMBOL,...", "only these symbols"),
	OPT_STRING(0, "symbol-filter", O, symbol_filter, "PART", "only symbols that contain PART"),
	OPT_STRING(0, "pid", O, pids, "PID,...", "only these processes"),
	OPT_STRING(0, "tid", O, tids, "TID,...", "only these threads"),
	OPT_BOOL('U', "hide-unresolved", O, hide_unresolved, "only what has a symbol"),
	OPT_BOOL('x', "exclude-other", O, exclude_other, "only what matches --parent"),

	OPT_GROUP("Call chains"),
	OPT_CALL_OPTARG('g', "call-graph", parse_graph, "MODE,...",
			"graph|fractal|flat|folded|none, threshold, print limit, caller|callee, "
			"function|address|srcline, percent|period|count"),
	OPT_BOOL('G', "inverted", O, inverted, "outermost caller first"),
	OPT_UINT(0, "max-stack", O, max_stack, "N", "frames to look at (127)"),
	OPT_BOOL(0, "no-inline", O, no_inline, "no rows and frames for inlined functions"),
	OPT_BOOL(0, "stitch-lbr", O, stitch_lbr, "join LBR call stacks of one thread"),

	OPT_GROUP("Branch stacks"),
	OPT_BOOL('b', "branch-stack", O, branch, "one row per branch; default when recorded"),
	OPT_BOOL(0, "branch-history", O, history,
		 "branches as frames of call chains, loops shown once"),
	OPT_BOOL(0, "no-branch-stack", O, no_branch, "rows of samples, not of branches"),
	OPT_BOOL(0, "branch-stats", O, branch_stats,
		 "columns for mispredictions and mean cycles of each row"),
	OPT_BOOL(0, "total-cycles", O, total_cycles, "blocks of code by the cycles spent in them"),
	OPT_UINT(0, "hot-paths", O, hot_paths, "N",
		 "the most frequent chains of N branches in a row (2 to 16)"),

	OPT_GROUP("Symbols"),
	OPT_STRING('k', "vmlinux", O, vmlinux, "FILE", "the kernel's symbols"),
	OPT_BOOL(0, "ignore-vmlinux", O, ignore_vmlinux,
		 "no vmlinux even if -k names one: kallsyms only"),
	OPT_STRING(0, "kallsyms", O, kallsyms, "FILE", "a copy of /proc/kallsyms"),
	OPT_STRING(0, "symfs", O, symfs, "DIR[,flat]", "look for all objects below DIR"),
	OPT_STRING_DEF(0, "debuginfod", O, debuginfod, "URLS", "",
		       "fetch debug files from these servers ($DEBUGINFOD_URLS)"),
	OPT_BOOL(0, "full-source-path", O, full_paths, "source files with their directories"),
	OPT_BOOL(0, "no-demangle", O, no_demangle, "names as the linker sees them"),
	OPT_BOOL(0, "demangle-kernel", O, demangle_kernel, "demangle kernel symbols too"),

	OPT_GROUP("Output"),
	OPT_BOOL(0, "stdio", O, stdio, "text on stdout (the only interface)"),
	OPT_BOOL(0, "json", O, json, "rows and call trees as JSON"),
	OPT_BOOL(
		0, "simd", O, simd,
		"columns of SIMD state: live widths, dirty upper halves, the code's widths, masks"),
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
	OPT_BOOL(0, "redact", O, redact, "do not show what is in registers"),
	OPT_BOOL('q', "quiet", O, quiet, "no comment lines, no warnings"),
	OPT_INC('v', "verbose", O, verbose, "say more"),
	OPT_STRING(0, "stdio-color", O, ignored, "MODE", "accepted for compatibility"),
	OPT_ACCEPT('m', "modules"),
	OPT_ACCEPT(0, "tui"),
	OPT_ACCEPT(0, "gtk"),
	OPT_ACCEPT(0, "asm-raw"),
	OPT_ACCEPT(0, "source"),
	OPT_ACCEPT(0, "show-ref-call-graph"),
	OPT_ACCEPT_ARG('M', "disassembler-style", "STYLE", 0),
	OPT_ACCEPT_ARG(0, "objdump", "PATH", 0),
	OPT_ACCEPT_ARG(0, "addr2line", "PATH", 0),
	OPT_ACCEPT_ARG(0, "addr2line-style", "LIST", 0),
	OPT_ACCEPT_ARG(0, "unwind-style", "LIST", 0),
	OPT_ACCEPT_ARG(0, "prefix", "PREFIX", 0),
	OPT_ACCEPT_ARG(0, "prefix-strip", "N", 0),
	OPT_ACCEPT_ARG(0, "percent-type", "TYPE", 0),
	OPT_ACCEPT_ARG(0, "pretty", "KEY", 0),
	OPT_ACCEPT_ARG(0, "samples", "N", 0),
	OPT_ACCEPT_ARG(0, "group-sort-idx", "N", 0),
	OPT_ACCEPT_ARG(0, "itrace", "OPTS", OPTION_OPTARG),
	OPT_REFUSE('H', "hierarchy",
		   "there are no nested rows; -s comm,dso,symbol has them one by one"),
	OPT_REFUSE(0, "latency",
		   "Use of latency profile or parallelism requires --latency flag "
		   "during record, and time per running thread is not counted here"),
	OPT_REFUSE(0, "parallelism",
		   "Use of latency profile or parallelism requires --latency flag "
		   "during record, and running threads are not counted here"),
	OPT_REFUSE(0, "ignore-callees",
		   "chains are shown whole; -S SYMBOL -g caller shows what calls "
		   "a function"),
	OPT_END(),
};

static const char *const report_usage[] = {
	"report [-i FILE] [-s KEY,...] [-g MODE] [options]",
	NULL,
};

/*
 * What the option table cannot say: -g takes the next word unless that is an option; defaults
 * have a --no form of their own.
 */
static int prepare_args(struct report *r, int *argc, char **argv)
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
		} else if (!strcmp(argv[i], "--no-children")) {
			r->o.no_children = true;
		} else if (strcmp(argv[i], "--demangle") && strcmp(argv[i], "--inline")) {
			argv[n++] = argv[i];
		}
	}
	argv[n] = NULL;
	*argc = n;
	return 0;
}

/* ---- what the recording allows --------------------------------------------------------------- */

static uint64_t all_sample_types(const struct perfdata *pd)
{
	uint64_t type = 0;

	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		type |= perfdata_event(pd, i)->attr.sample_type;
	return type;
}

static bool any_call_stack(const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		if (perfdata_event(pd, i)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
			return true;
	return false;
}

static bool auto_branch(const struct report *r, uint64_t type)
{
	if (r->o.no_branch || r->o.history || type & PERF_SAMPLE_STACK_USER)
		return false;
	if (perfdata_is_pipe(r->pd))
		return type & PERF_SAMPLE_BRANCH_STACK && !any_call_stack(r->pd);
	return perfdata_has_feature(r->pd, FEAT_BRANCH_STACK);
}

/* --simd needs vectors or masks in at least one event, and rows of samples. */
static int check_simd(const struct report *r, struct err *e)
{
	bool any = !perfdata_nr_events(r->pd);

	if (r->o.branch || r->o.dot)
		return err_set(e, -EINVAL, "--simd shows samples, %s shows branches",
			       r->o.dot ? "--dot" : "-b");
	for (size_t i = 0; i < perfdata_nr_events(r->pd); i++) {
		const struct perf_event_attr *a = &perfdata_event(r->pd, i)->attr;

		any |= a->sample_simd_regs_enabled &&
		       (a->sample_simd_vec_reg_intr || a->sample_simd_vec_reg_user ||
			a->sample_simd_pred_reg_intr || a->sample_simd_pred_reg_user);
	}
	if (any)
		return 0;
	err_set(e, -EINVAL, "--simd: this recording has no vector registers");
	err_hint(e, "Record with -Izmm,opmask, or with --user-regs=zmm,opmask where the kernel "
		    "cannot (perf record -I? lists what can be had).");
	return -EINVAL;
}

static int choose_history(struct report *r, uint64_t type, struct err *e)
{
	struct profile_opts *po = &r->po;

	if (!(type & PERF_SAMPLE_BRANCH_STACK) && perfdata_nr_events(r->pd)) {
		err_set(e, -EINVAL,
			"Selected --branch-history but no branch data. Did you call "
			"perf record without -b?");
		err_hint(e, "Record with -b or -j FILTER, and -g for what lies behind them.");
		return -EINVAL;
	}
	po->branch = false;
	po->history = po->use_chains = true;
	po->children = false;
	if (!r->o.chain_given)
		po->chain.key = CHAIN_BY_ADDRESS;
	if (r->o.inverted)
		po->chain.caller = true;
	if (!po->sort)
		po->sort = "srcline,symbol,dso,callchain_branch_predicted,"
			   "callchain_branch_abort,callchain_branch_cycles";
	return 0;
}

static bool names_parent(const char *sort)
{
	const char *at = sort ? strstr(sort, "parent") : NULL;

	return at && (at == sort || at[-1] == ',' || at[-1] == '+') && (!at[6] || at[6] == ',');
}

static int check_mem(uint64_t type, struct err *e)
{
	if (type & PERF_SAMPLE_DATA_SRC)
		return 0;
	err_set(e, -EINVAL,
		"Selected --mem-mode but no mem data. Did you call perf record without -d?");
	err_hint(e, "Record with -d and an event that has data sources (mem-loads, IBS, SPE).");
	return -EINVAL;
}

static int choose_mode(struct report *r, struct err *e)
{
	uint64_t type = all_sample_types(r->pd);
	struct profile_opts *po = &r->po;
	int ret;

	po->branch = r->o.branch || r->o.dot || r->o.total_cycles || r->o.hot_paths ||
		     (!r->o.simd && auto_branch(r, type));
	if (r->o.simd && (ret = check_simd(r, e)))
		return ret;
	if (r->o.mem && perfdata_nr_events(r->pd) && (ret = check_mem(type, e)))
		return ret;
	/* Not as sort keys: these would bring the column of IPC, which is dear. */
	if (r->o.dot && !po->sort && !po->fields)
		po->fields = "overhead,symbol_from,symbol_to";
	if (po->branch && !(type & PERF_SAMPLE_BRANCH_STACK) && perfdata_nr_events(r->pd)) {
		err_set(e, -EINVAL,
			"Selected -b but no branch data. Did you call perf record without -b?");
		err_hint(e, "Record with -b or -j FILTER, or leave out -b.");
		return -EINVAL;
	}
	if (r->o.history)
		return choose_history(r, type, e);
	po->use_chains =
		type & PERF_SAMPLE_CALLCHAIN && !r->o.chain_none && po->chain.style != CHAIN_NONE;
	po->children = type & PERF_SAMPLE_CALLCHAIN && !r->o.no_children && !po->branch;
	if (po->branch)
		po->use_chains = false;
	if (r->o.chain_given && po->chain.style != CHAIN_NONE && !(type & PERF_SAMPLE_CALLCHAIN) &&
	    perfdata_nr_events(r->pd)) {
		err_set(e, -EINVAL,
			"Selected -g but no callchain data. Did you call 'perf record' without -g?");
		err_hint(e, "Record with -g or --call-graph dwarf, or leave out -g.");
		return -EINVAL;
	}
	if ((names_parent(po->sort) || po->parent) && !(type & PERF_SAMPLE_CALLCHAIN) &&
	    perfdata_nr_events(r->pd)) {
		err_set(e, -EINVAL,
			"Selected --sort parent, but no callchain data. Did you call 'perf record' "
			"without -g?");
		err_hint(e, "Record with -g or --call-graph dwarf.");
		return -EINVAL;
	}
	if (r->o.inverted)
		po->chain.caller = true;
	else if (po->children && !po->chain.order_set)
		po->chain.caller = true;
	return 0;
}

/* ---- setting up ------------------------------------------------------------------------------ */

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

static int setup_options(struct report *r, struct err *e)
{
	struct profile_opts *po = &r->po;
	struct report_opts *o = &r->o;

	*po = (struct profile_opts){
		.sort = o->sort,
		.fields = o->fields,
		.show_samples = o->show_samples || o->simd,
		.show_period = o->show_period,
		.show_modes = o->show_modes,
		.simd = o->simd,
		.mem = o->mem,
		.branch_stats = o->branch_stats,
		.inlines = !o->no_inline,
		.nsec = o->nsec,
		.max_stack = o->max_stack ? (uint32_t)o->max_stack : UNWIND_MAX_STACK,
		.raw_trace = o->raw_trace,
		.parent = o->parent,
		.widths = o->widths,
		.chain = o->chain,
		.filter = { .comms = o->comms,
			    .dsos = o->dsos,
			    .symbols = o->symbols,
			    .pids = o->pids,
			    .tids = o->tids,
			    .symbol_part = o->symbol_filter,
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
	r->socket = -1;
	if (o->socket) {
		uint64_t n;

		if (cli_parse_u64(o->socket, &n) || n > INT32_MAX)
			return err_set(e, -EINVAL, "--socket-filter: `%s' is no number", o->socket);
		r->need |= PERF_SAMPLE_CPU;
		r->socket = (int64_t)n;
	}
	if (o->mem)
		r->need |= PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;
	po->relative = o->percentage && !strcmp(o->percentage, "relative");
	if (o->percent_limit)
		po->chain.min_percent = r->min_percent = strtod(o->percent_limit, NULL);
	if (o->quantum && parse_quantum(o->quantum, &po->time_quantum, e))
		return -EINVAL;
	if (o->cpus) {
		if (bits_parse_list(&r->cpus, o->cpus, 65536))
			return err_set(e, -EINVAL, "-C: `%s' is no CPU list such as 0-3,7",
				       o->cpus);
		r->need |= PERF_SAMPLE_CPU;
		r->has_cpus = true;
	}
	return 0;
}

/* In a pipe the events come with the records: called before the first sample. */
static int setup_profile(struct report *r, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(r->pd);
	struct unwind_opts uo = {
		.arch = env->arch,
		.symfs = r->o.symfs,
		.symfs_flat = r->o.symfs_flat,
		.max_stack = (uint32_t)min_u64(r->o.max_stack, UINT32_MAX),
		.inlines = r->po.inlines,
		.stitch_lbr = r->o.stitch_lbr,
		.max_branches = env->max_branches,
	};
	int ret = choose_mode(r, e);

	if (ret)
		return ret;
	if (r->po.use_chains || r->po.children) {
		ret = unwind_new(&r->u, r->m, r->res, &uo, e);
		if (ret)
			return ret;
	}
	r->po.redact = r->o.redact;
	r->po.pd = r->pd;
	r->po.arch = regs_arch_from_uname(env->arch);
	if (r->po.arch == REGS_ARCH_NONE)
		r->po.arch = env->e_machine ? regs_arch_from_elf(env->e_machine) : regs_arch_host();
	ret = profile_new(&r->p, &r->po, r->m, r->res, r->u, e);
	if (!ret)
		ret = report_flow_start(r, e);
	r->usage = ret == -EINVAL;
	return ret;
}

static int setup_symbols(struct report *r, struct err *e)
{
	struct symbol_opts so = {
		.symfs = r->o.symfs,
		.kallsyms = r->o.kallsyms,
		.vmlinux = r->o.vmlinux,
		.ignore_vmlinux = r->o.ignore_vmlinux,
		.symfs_flat = r->o.symfs_flat,
		.full_paths = r->o.full_paths,
		.debuginfod = compat_debuginfod(r->o.debuginfod),
		.no_demangle = r->o.no_demangle,
		.demangle_kernel = r->o.demangle_kernel,
		.demangle_params = r->o.verbose > 0,
	};
	int ret = machine_new(&r->m, perfdata_env(r->pd)->arch, e);

	if (!ret)
		ret = machine_add_build_ids(r->m, r->pd, e);
	return ret ? ret : resolver_new(&r->res, r->m, &so, e);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void note_bad(struct report *r, struct err *e)
{
	if (!r->bad_samples++)
		r->first_bad = *e;
	err_clear(e);
}

/* What an access counts for; one of unknown length at least once. */
static uint64_t mem_weight(const struct sample *s)
{
	uint64_t w = s->present & PERF_SAMPLE_WEIGHT_STRUCT ? s->weight_var1 : s->weight;

	return w ? w : 1;
}

static bool cpu_passes(const struct report *r, uint32_t cpu)
{
	if (r->has_cpus && !bits_test(&r->cpus, cpu))
		return false;
	return r->socket < 0 || perfdata_cpu_socket(r->pd, cpu) == r->socket;
}

static int take_sample(struct report *r, const struct record *rec, struct err *e)
{
	struct thread *th;
	struct sample s;
	int ret;

	if (!rec->event)
		return 0;
	if (!r->p) {
		ret = setup_profile(r, e);
		if (ret)
			return ret;
	}
	if (sample_parse_some(rec, profile_need(r->p) | r->need, &s, e)) {
		note_bad(r, e);
		return 0;
	}
	if (!event_switch_pass(&r->o.sw, rec->event) || !cpu_passes(r, s.cpu))
		return 0;
	if (rec->time != RECORD_NO_TIME && !time_spans_have(&r->times, rec->time))
		return 0;
	th = machine_thread(r->m, (int32_t)s.pid, (int32_t)s.tid);
	if (!th)
		return err_set(e, -ENOMEM, "no memory for threads");
	r->nr_samples++;
	if (r->o.mem)
		s.period = mem_weight(&s);
	if (r->flow && (s.present & PERF_SAMPLE_BRANCH_STACK) && brflow_add(r->flow, &s, th, e))
		return e->code;
	return profile_add(r->p, &s, th, e);
}

static void count_lost(struct report *r, const struct record *rec)
{
	struct record_lost l;

	if (record_lost(rec, &l, NULL))
		return;
	if (rec->type == PERF_RECORD_LOST_SAMPLES) {
		r->lost_samples += l.lost;
	} else {
		r->lost_events += l.lost;
		r->lost_chunks++;
	}
}

static int take_record(struct report *r, const struct record *rec, struct err *e)
{
	if (rec->type == PERF_RECORD_SAMPLE)
		return take_sample(r, rec, e);
	if (rec->type == PERF_RECORD_LOST || rec->type == PERF_RECORD_LOST_SAMPLES)
		count_lost(r, rec);
	else if (rec->type == PERF_RECORD_READ && r->o.threads)
		return report_threads_add(r, rec, e);
	else if (machine_record(r->m, rec, e))
		note_bad(r, e);
	return 0;
}

static int next_record(struct report *r, struct record *rec, struct err *e)
{
	return r->ahead ? perfdata_ahead_next(r->ahead, rec, e)
			: perfdata_next_ordered(r->pd, rec, e);
}

/* Damage ends reading but not the report: @damage keeps what it was. */
static int read_records(struct report *r, struct err *damage, struct err *e)
{
	struct record rec;
	int ret = 0;

	if (perfdata_ahead_useful(r->pd))
		ret = perfdata_ahead_start(&r->ahead, r->pd, e);
	while (!ret && next_record(r, &rec, damage) > 0)
		ret = take_record(r, &rec, e);
	perfdata_ahead_stop(r->ahead);
	r->ahead = NULL;
	return ret;
}

static int read_all(struct report *r, struct err *damage, struct err *e)
{
	int ret = read_records(r, damage, e);

	if (ret)
		return ret;
	if (!r->p) {
		ret = setup_profile(r, e);
		if (ret)
			return ret;
	}
	for (size_t i = 0; r->o.group && i < perfdata_nr_events(r->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(r->pd, i);

		if (ev->leader == ev->idx &&
		    ev->idx + ev->nr_members <= perfdata_nr_events(r->pd) &&
		    profile_set_group(r->p, ev->idx, ev->nr_members))
			return err_set(e, -ENOMEM, "no memory for groups");
	}
	if (r->flow)
		brflow_finish(r->flow);
	return profile_finish(r->p, e);
}

static void print_warnings(struct report *r)
{
	const char *w;

	if (r->o.quiet)
		return;
	while ((w = resolver_next_warning(r->res)))
		log_warn("%s", w);
	if (r->lost_chunks)
		log_warn("Processed %llu samples and lost %llu events in %llu chunks! Check IO/CPU "
			 "overload!",
			 (unsigned long long)r->nr_samples, (unsigned long long)r->lost_events,
			 (unsigned long long)r->lost_chunks);
	if (r->bad_samples)
		log_warn("%llu records could not be used; the first: %s",
			 (unsigned long long)r->bad_samples, r->first_bad.text);
}

static int print_report(struct report *r)
{
	if (r->o.tasks || r->o.mmaps)
		return report_tasks(r);
	if (r->o.dot)
		return report_dot(r);
	if (!r->nr_samples && !r->o.json && !r->o.threads) {
		log_error("The %s data has no samples!", perfdata_path(r->pd));
		return 0;
	}
	return r->o.json && !r->o.hot_paths ? report_json(r) : report_text(r);
}

static int run_opened(struct report *r, struct err *e)
{
	struct err damage = { 0 };
	int ret;

	if (r->o.time && time_spans_parse(&r->times, r->pd, r->o.time, e)) {
		r->usage = e->code == -EINVAL;
		return e->code;
	}
	if (r->o.stats)
		return report_stats(r->pd, &r->out, e);
	if (r->o.header || r->o.header_only) {
		ret = perfdata_print_header(r->pd, &r->out, r->o.full_info, e);
		if (ret || r->o.header_only)
			return ret;
	} else if (!r->o.quiet && !r->o.json && !r->o.dot && !r->o.tasks && !r->o.mmaps) {
		obuf_lit(&r->out, "# To display the perf.data header info, please use "
				  "--header/--header-only options.\n#\n");
	}
	if (r->o.dump)
		return report_dump(r->pd, &r->out, r->o.redact, e);
	ret = event_switch_init(&r->o.sw, r->pd, e);
	if (!ret)
		ret = setup_symbols(r, e);
	if (!ret)
		ret = read_all(r, &damage, e);
	cli_progress_end(&r->progress); /* before anything is printed */
	if (!ret)
		ret = print_report(r) ? err_set(e, -ENOMEM, "no memory for call graphs") : 0;
	if (!ret)
		print_warnings(r);
	if (!ret && damage.code) {
		*e = damage;
		return damage.code;
	}
	return ret;
}

static void report_free(struct report *r)
{
	brflow_free(r->flow);
	report_threads_free(r->threads);
	profile_free(r->p);
	arena_free(&r->args);
	unwind_free(r->u);
	resolver_free(r->res);
	machine_free(r->m);
	bits_free(&r->cpus);
	time_spans_free(&r->times);
	perfdata_close(r->pd);
}

static int report_run(const struct command *cmd, int argc, char **argv)
{
	struct report *r = calloc(1, sizeof(*r));
	struct perfdata_opts po = { .progress = cli_progress_update };
	struct err e = { 0 };
	int n, ret;

	if (!r)
		return 1;
	r->cmd = cmd;
	po.ctx = &r->progress;
	r->o.chain = (struct chain_opts)CHAIN_OPTS_DEFAULT;
	r->o.skip_empty = true;
	r->o.group = true;
	n = prepare_args(r, &argc, argv);
	if (!n)
		n = cli_parse(cmd, &r->o, argc, argv, 0);
	if (n < 0) {
		ret = CLI_STATUS(n);
		goto out;
	}
	if (n > 1) {
		ret = cli_usage_error(cmd, "more than one file: %s", argv[1]);
		goto out;
	}
	if (n == 1 && !r->o.input)
		r->o.input = argv[0];
	log_set_level(r->o.quiet	 ? LOG_ERROR
		      : r->o.verbose > 1 ? LOG_DEBUG
		      : r->o.verbose	 ? LOG_INFO
					 : LOG_WARN);
	po.force = r->o.force;
	/* counting needs none */
	po.no_order = r->o.stats || (r->o.no_order && r->o.dump);
	ret = setup_options(r, &e);
	ret = ret ?: compat_symfs(&r->o.symfs, &r->o.symfs_flat, &r->args, &e);
	r->usage = ret != 0;
	cli_progress_start(&r->progress, "Reading");
	if (!ret)
		ret = perfdata_open(&r->pd, r->o.input ? r->o.input : "perf.data", &po, &e);
	if (!ret) {
		cli_pager_start();
		ret = obuf_init(&r->out, 1, 0);
	}
	if (!ret) {
		r->progress.enabled &= !r->o.dump; /* that prints as it reads */
		ret = run_opened(r, &e);
		cli_progress_end(&r->progress);
		n = obuf_free(&r->out);
		if (!ret && n && n != -EPIPE)
			ret = err_set(&e, n, "writing the report: %s", strerror(-n));
	}
	cli_progress_end(&r->progress);
	if (ret)
		ret = cli_print_err(&e);
	if (r->usage)
		ret = CLI_USAGE;
out:
	report_free(r);
	free(r);
	return ret;
}

const struct command cmd_report = {
	.name = "report",
	.summary = "Show where the samples of a recording lie",
	.usage = report_usage,
	.options = report_options,
	.run = report_run,
};
