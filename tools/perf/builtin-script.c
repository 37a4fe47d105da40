// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script: the samples of a recording, a line (or a block of lines) each. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "builtin.h"
#include "compat.h"
#include "dump/dump.h"
#include "files.h"
#include "sandbox.h"
#include "script-answers.h"
#include "script-jobs.h"

struct script_cmd {
	struct session_opts session;
	const char *stop_bt, *regs;
	enum regs_lane lane;
	bool lane_auto;
	bool redact, json;
	struct cli_list fields, branches;
	bool quality;
	unsigned answers; /* of these two: enum brstat_what */
	bool dump, header, header_only, hide_call_graph, ns, reltime, deltatime;
	bool dump_unsorted, per_event, latency;
	bool show_info, quiet;
	bool show_task, show_mmap, show_switch, show_namespaces, show_lost, show_round, show_bpf,
		show_cgroup, show_text_poke, show_kernel_path;
	uint64_t max_blocks;
	int verbose;
	int itrace;
	bool on_terminal; /* stdout, with a pager or without */
	bool several;	  /* recordings: messages name theirs */
};

static int accept(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	(void)opts, (void)opt, (void)arg, (void)unset, (void)e;
	return 0;
}

static int lanes_option(void *opts, const struct option *opt, const char *arg, bool unset,
			struct err *e)
{
	struct script_cmd *o = opts;

	(void)opt, (void)unset;
	o->lane_auto = !strcasecmp(arg, "auto");
	if (o->lane_auto || !regs_lane_parse(arg, &o->lane))
		return 0;
	return err_set(e, -EINVAL, "--lanes takes auto, " REGS_LANE_NAMES ", not '%s'", arg);
}

#define S struct script_cmd
#define NO_SCRIPTS                                                                           \
	"no Perl, Python or C code is run inside this perf; --json prints samples that any " \
	"language reads"
#define NO_AUX	  "there is no AUX area trace decoder (Intel PT, ARM ETM and SPE) in this perf"
#define NO_GUESTS "symbols of guests are not looked up"

static const struct option script_options[] = {
	OPT_GROUP("Input"),
	OPT_INCLUDE(S, session, session_input_options),
	OPT_INCLUDE(S, session, session_jobs_options),
	OPT_GROUP("Symbols"),
	OPT_INCLUDE(S, session, session_symbol_options),
	OPT_GROUP("What is printed"),
	OPT_LIST('F', "fields", S, fields, "LIST",
		 "fields, comma-separated; +NAME and -NAME edit the defaults; CLASS:LIST for hw, "
		 "sw, trace, raw, break or synth events only"),
	OPT_BOOL('G', "hide-call-graph", S, hide_call_graph, "the sampled address only"),
	OPT_STRING(0, "stop-bt", S, stop_bt, "LIST", "end callchains at these functions"),
	OPT_INCLUDE(S, session, session_chain_options),
	OPT_UINT(0, "max-blocks", S, max_blocks, "N", "brstackinsn: the newest N blocks only"),
	OPT_BOOL('L', "Latency", S, latency, "names of eight letters, CPUs without brackets"),
	OPT_BOOL(0, "ns", S, ns, "times with nine digits"),
	OPT_BOOL(0, "reltime", S, reltime, "times since the first sample"),
	OPT_BOOL(0, "deltatime", S, deltatime, "times since the sample before"),
	OPT_CALL(0, "lanes", lanes_option, "TYPE",
		 "simd: what a vector holds: hex (default), f16, bf16, f32, f64, i8 ... i64, u8 "
		 "... u64; auto: what the code there takes it for"),
	OPT_STRING(0, "regs", S, regs, "LIST", "simd: these registers only: zmm3,k1,ymm0-7,ax"),
	OPT_BOOL(0, "redact", S, redact, "do not show what is in registers"),
	OPT_BOOL(0, "json", S, json,
		 "an object per sample and line, for fields that have such a form"),
	OPT_LIST(0, "branches", S, branches, "WHAT",
		 "with --json: what the whole recording says of each branch: why, cycles, paths"),
	OPT_BOOL(0, "profile-quality", S, quality,
		 "with --json: whether the recording is enough for an optimizer; of each sample's "
		 "function"),
	OPT_GROUP("Records other than samples"),
	OPT_BOOL(0, "show-task-events", S, show_task, "COMM, FORK and EXIT"),
	OPT_BOOL(0, "show-mmap-events", S, show_mmap, "MMAP and MMAP2"),
	OPT_BOOL(0, "show-switch-events", S, show_switch, "SWITCH"),
	OPT_BOOL(0, "show-namespace-events", S, show_namespaces, "NAMESPACES"),
	OPT_BOOL(0, "show-lost-events", S, show_lost, "LOST and LOST_SAMPLES"),
	OPT_BOOL(0, "show-round-events", S, show_round, "FINISHED_ROUND"),
	OPT_BOOL(0, "show-bpf-events", S, show_bpf, "KSYMBOL and BPF_EVENT"),
	OPT_BOOL(0, "show-cgroup-events", S, show_cgroup, "CGROUP"),
	OPT_BOOL(0, "show-text-poke-events", S, show_text_poke, "TEXT_POKE"),
	OPT_GROUP("Which samples"),
	OPT_INCLUDE(S, session, session_sample_options),
	OPT_UINT(0, "addr-range", S, session.addr_range, "N",
		 "with -S: N bytes from each address (1)"),
	OPT_GROUP("Other views"),
	OPT_BOOL(0, "per-event-dump", S, per_event,
		 "a file for the samples of each event: perf.data.EVENT.dump"),
	OPT_BOOL('D', "dump-raw-trace", S, dump, "every record in hex and in words"),
	OPT_BOOL(0, "dump-unsorted-raw-trace", S, dump_unsorted,
		 "the same as they lie in the file"),
	OPT_BOOL(0, "header", S, header, "the file's header first"),
	OPT_BOOL(0, "header-only", S, header_only, "nothing but the header"),
	OPT_BOOL('I', "show-info", S, show_info, "topology and the like in the header too"),
	OPT_INC('v', "verbose", S, verbose, "more messages"),
	OPT_BOOL('q', "quiet", S, quiet, "no warnings"),
	{ .type = OPTION_CALL,
	  .name = "itrace",
	  .parse = accept,
	  .arg = "OPTS",
	  .help = "accepted for tools that pass it: there is no trace to decode",
	  .flags = OPTION_OPTARG | OPTION_HIDDEN },
	{ .type = OPTION_BOOL,
	  .name = "show-kernel-path",
	  .offset = offsetof(S, show_kernel_path),
	  .help = "accepted",
	  .flags = OPTION_HIDDEN },
	OPT_ACCEPT('a', "all-cpus"),
	OPT_ACCEPT(0, "merge-callchains"),
	OPT_ACCEPT(0, "guest-code"),
	OPT_ACCEPT_ARG(0, "addr2line", "PATH", 0),
	OPT_ACCEPT_ARG(0, "unwind-style", "LIST", 0),
	OPT_REFUSE('g', "gen-script", NO_SCRIPTS),
	OPT_REFUSE('s', "script", NO_SCRIPTS),
	OPT_REFUSE('l', "list", NO_SCRIPTS),
	OPT_REFUSE(0, "dlfilter", NO_SCRIPTS),
	OPT_REFUSE(0, "dlarg", NO_SCRIPTS),
	OPT_REFUSE(0, "list-dlfilters", NO_SCRIPTS),
	OPT_REFUSE(0, "insn-trace", NO_AUX),
	OPT_REFUSE(0, "call-trace", NO_AUX),
	OPT_REFUSE(0, "call-ret-trace", NO_AUX),
	OPT_REFUSE(0, "graph-function", NO_AUX),
	OPT_REFUSE(0, "xed", "instructions are decoded in process: -F +insn, -F +disasm"),
	OPT_REFUSE('d', "debug-mode",
		   "records come in order of time; perf report --stats counts "
		   "what was lost"),
	OPT_REFUSE(0, "guestmount", NO_GUESTS),
	OPT_REFUSE(0, "guestkallsyms", NO_GUESTS),
	OPT_REFUSE(0, "guestmodules", NO_GUESTS),
	OPT_REFUSE(0, "guestvmlinux", NO_GUESTS),
	OPT_END(),
};

static unsigned shown(const struct script_cmd *o)
{
	return (o->show_task ? SHOW_TASK : 0) | (o->show_mmap ? SHOW_MMAP : 0) |
	       (o->show_switch ? SHOW_SWITCH : 0) | (o->show_namespaces ? SHOW_NAMESPACES : 0) |
	       (o->show_lost ? SHOW_LOST : 0) | (o->show_round ? SHOW_ROUND : 0) |
	       (o->show_bpf ? SHOW_BPF : 0) | (o->show_cgroup ? SHOW_CGROUP : 0) |
	       (o->show_text_poke ? SHOW_TEXT_POKE : 0);
}

/* Everything a run needs, from the file to the printer. */
struct run {
	struct session *session;
	struct perfdata *pd; /* the session's */
	struct script *sc;
	struct script_dumps *dumps;	/* NULL: everything goes to out */
	struct script_answers *answers; /* NULL: none were asked */
	struct cli_progress progress;
	struct obuf out;
	struct script_log *log;
	bool has_names; /* names of functions were printed */
	bool misused;	/* what failed is the command line */
};

static struct script_opts script_options_of(const struct run *r, const struct script_cmd *o)
{
	struct script_opts po = {
		.show = o->json ? 0 : shown(o),
		.show_by_cpu = o->session.cpus != NULL,
		.hide_call_graph = o->hide_call_graph,
		.no_inline = o->session.no_inline,
		.ns = o->ns,
		.reltime = o->reltime,
		.deltatime = o->deltatime,
		.latency = o->latency,
		.verbose = o->verbose > 0,
		.max_blocks = (uint32_t)min_u64(o->max_blocks, UINT32_MAX),
		.redact = o->redact,
		.json = o->json,
		.lane = o->lane,
		.lane_auto = o->lane_auto,
		.regs = o->regs,
		.stop_bt = o->stop_bt,
		.out = r->dumps ? script_dumps_out : NULL,
		.out_ctx = r->dumps,
		.log = { script_log_line, r->log },
	};

	if (r->answers)
		script_answers_show(r->answers, &po);
	return po;
}

static int run_open(struct run *r, const struct script_cmd *o, const struct script_fields *f,
		    struct err *e)
{
	struct script_opts po;
	int ret = session_start(r->session, e);

	if (!ret && o->per_event) {
		r->dumps = script_dumps_new(r->pd, o->session.input ?: "perf.data");
		ret = r->dumps ? 0 : err_set(e, -ENOMEM, "no memory for the events' files");
	}
	if (!ret && o->answers)
		ret = script_answers_read(&r->answers, r->session, o->answers,
					  (struct log_sink){ script_log_line, r->log }, e);
	if (ret)
		return ret;
	po = script_options_of(r, o);
	po.misused = &r->misused;
	ret = script_new(&r->sc, r->session, &po, f, &r->out, e);
	if (!ret && r->answers)
		ret = script_answers_head(r->answers, &r->out, e);
	return ret || !r->dumps ? ret : script_dumps_open(r->dumps, e);
}

static void show_warnings(struct run *r)
{
	unsigned what = SESSION_WARN_SYMBOLS | SESSION_WARN_STACKS;

	if (r->has_names || (r->sc && script_has_names(r->sc)))
		what |= SESSION_WARN_MISSING;
	for (const char *const *w = session_warnings(r->session, what); *w; w++)
		log_warn("%s", *w);
}

/* Prints all there is. Broken records are left out; the first is described, the status tells. */
static int run_records(struct run *r, const struct script_cmd *o, const struct script_fields *f)
{
	const struct session_counts *counts = session_counts(r->session);
	const struct script_opts po = script_options_of(r, o);
	const struct script_jobs jobs = { &po, f, &r->out, &r->has_names };
	struct err e = { 0 };
	int ret = script_read(r->session, r->sc, &jobs, &e);

	cli_progress_end(&r->progress);
	obuf_flush(&r->out); /* what is said of it comes behind it, where both go into one pipe */
	if (counts->bad)
		cli_print_err(&counts->first_bad);
	if (counts->bad > 1)
		log_warn("%llu records could not be printed; the first is described above",
			 (unsigned long long)counts->bad);
	if (ret < 0)
		return cli_print_err(&e);
	if (session_damage(r->session))
		return cli_print_err(session_damage(r->session));
	return counts->bad ? 1 : 0;
}

static int finish_dumps(struct run *r, bool quiet)
{
	struct err e = { 0 };

	return script_dumps_close(r->dumps, quiet ? NULL : &r->out, &e) ? cli_print_err(&e) : 0;
}

/* Options that the recording does not allow: the status is upstream's. */
#define EXIT_REFUSED 255

/* Of an open file: what is asked for. @status: of records that were printed, or could not be. */
static int run(struct run *r, const struct script_cmd *o, const struct script_fields *f,
	       int *status, struct err *e)
{
	const struct dump_opts dump = { .redact = o->redact, .jobs = session_jobs(r->session) };
	int ret = 0;

	if (o->header_only || (o->header && o->dump))
		ret = dump_header(r->pd, &r->out, o->show_info, e);
	if (o->header_only || ret)
		return ret;
	if (o->dump)
		return dump_records(r->pd, &r->out, &dump, e);
	ret = run_open(r, o, f, e);
	/* Not a line before it is known that samples can follow. */
	if (!ret && o->header)
		ret = dump_header(r->pd, &r->out, o->show_info, e);
	if (!ret)
		*status = run_records(r, o, f);
	return ret;
}

/* --per-event-dump: files beside the recording. */
static void enter_sandbox(const struct script_cmd *o, const struct session_files *files)
{
	const char *input = o->session.input ?: "perf.data";

	sandbox_enter(&(struct sandbox){
		.off = o->session.no_sandbox,
		.session = &o->session,
		.objects = !o->dump && !o->header_only,
		.more = files->v.v,
		.nr_more = files->v.n,
		.output = { { BOX_BEGINS, !o->per_event	       ? NULL
					  : strcmp(input, "-") ? input
							       : "stdin" } },
	});
}

static int script_file(struct script_cmd *o, const struct script_fields *f)
{
	struct session_opts *so = &o->session;
	struct run r = { 0 };
	struct err e = { 0 };
	int status = 0, ret;

	r.log = script_log_new();
	if (!r.log || obuf_init(&r.out, STDOUT_FILENO, 0)) {
		script_log_free(r.log);
		return 1;
	}
	so->no_order = o->dump_unsorted;
	so->ips_only = true;
	so->demangle_params = o->verbose > 0;
	so->progress = cli_progress_update;
	so->progress_ctx = &r.progress;
	so->log = LOG_STDERR;
	cli_progress_start(&r.progress, "Reading");
	r.progress.enabled &= !o->on_terminal;
	ret = session_open(&r.session, so, &e);
	if (!ret) {
		r.pd = session_env(r.session)->pd;
		ret = run(&r, o, f, &status, &e);
	}
	cli_progress_end(&r.progress);
	if (ret) {
		obuf_flush(&r.out); /* of -D, too */
		if (o->several && !strstr(e.text, so->input))
			err_context(&e, "%s", so->input);
		cli_print_err(&e);
		/* Words that mean nothing are found before the file is opened. */
		status = status
				 ?: r.misused || (session_misused(r.session) &&
						  !session_env(r.session)->pd)
				    ? CLI_USAGE
				    : EXIT_REFUSED;
	}
	if (r.pd && session_env(r.session)->resolver && !o->quiet)
		show_warnings(&r);
	if (session_lacked_memory(r.session))
		status = status ?: 1;
	if (finish_dumps(&r, ret != 0))
		status = status ?: 1;
	ret = cli_end_output(&r.out);
	script_free(r.sc);
	script_answers_free(r.answers);
	script_log_free(r.log);
	session_close(r.session);
	return status ?: ret;
}

static bool wants_field_names(const struct script_cmd *o)
{
	for (size_t i = 0; i < o->fields.items.n; i++)
		if (!strcmp(o->fields.items.v[i], "help"))
			return true;
	return false;
}

static void print_field_names(void)
{
	printf("Fields of -F (FIELDS in perf-script(1) says what they are):\n");
	for (size_t i = 0; script_field_name(i); i++)
		printf("  %s\n", script_field_name(i));
}

/* One behind the other, each whole, in the order in which they were named. */
static int script_files(const struct command *cmd, struct script_cmd *o,
			const struct script_fields *f, int argc, char **argv)
{
	struct session_files files = { .first = 0 };
	struct err e = { 0 };
	int status = session_files_collect(&files, &o->session, argc, argv, &e);

	if (status) {
		cli_print_err(&e);
		status = status == -EINVAL ? CLI_USAGE : 1;
	} else if (session_files_are_several(&files) && o->per_event) {
		status = cli_usage_error(cmd, "--per-event-dump is about one recording");
	} else {
		/* Samples that are seen as they come are progress enough. */
		o->on_terminal = isatty(STDOUT_FILENO);
		if (!o->dump)
			cli_pager_start();
		enter_sandbox(o, &files);
		o->several = session_files_are_several(&files);
		o->session.some_events = false;
		status = files.v.n ? 0 : script_file(o, f);
	}
	for (size_t i = 0; i < files.v.n && status != CLI_USAGE; i++) {
		int ret;

		o->session.input = files.v.v[i];
		ret = script_file(o, f);
		status = status ?: ret;
	}
	session_files_free(&files);
	return status;
}

/* What is asked of branches stands beside these, with the fields that are named. */
static int read_answers(struct script_cmd *o, struct script_fields *f, struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < o->branches.items.n; i++)
		ret = script_answers_parse(o->branches.items.v[i], &o->answers, e);
	if (!ret && o->answers)
		ret = script_fields_parse(f, "+brstack", e);
	o->answers |= o->quality ? BRSTAT_QUALITY : 0;
	if (ret || !o->answers || (o->json && !o->dump && !o->header_only))
		return ret;
	err_set(e, -EINVAL, "%s of perf script needs --json",
		o->quality ? "--profile-quality" : "--branches");
	err_hint(e, "Add --json, or read the tables: perf report %s.",
		 o->quality ? "--profile-quality" : "--branches=why");
	return -EINVAL;
}

static int script_run(const struct command *cmd, int argc, char **argv)
{
	struct script_cmd o = { 0 };
	struct script_fields f;
	struct err e = { 0 };
	int n, status = 0;

	n = cli_parse(cmd, &o, argc, argv, 0);
	if (n < 0) {
		status = CLI_STATUS(n);
		goto out;
	}
	if (wants_field_names(&o)) {
		print_field_names();
		goto out;
	}
	o.dump |= o.dump_unsorted;
	if (o.quiet)
		log_set_level(LOG_ERROR);
	else if (o.verbose)
		log_set_level(o.verbose > 1 ? LOG_DEBUG : LOG_INFO);
	script_fields_init(&f);
	f.log = LOG_STDERR;
	for (size_t i = 0; i < o.fields.items.n && !status; i++)
		if (script_fields_parse(&f, o.fields.items.v[i], &e)) {
			cli_print_err(&e);
			status = CLI_USAGE;
		}
	if (!status && read_answers(&o, &f, &e)) {
		cli_print_err(&e);
		status = CLI_USAGE;
	}
	if (!status)
		status = script_files(cmd, &o, &f, n, argv);
out:
	cli_list_free(&o.fields);
	cli_list_free(&o.branches);
	session_opts_free(&o.session);
	return status;
}

static const char *const script_usage[] = {
	"script [-F LIST] [OPTIONS] [[-i] FILE...]",
	NULL,
};

const struct command cmd_script = {
	.name = "script",
	.summary = "Print the samples of a recording as text",
	.usage = script_usage,
	.options = script_options,
	.run = script_run,
};
