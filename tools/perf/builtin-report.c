// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: read a recording, show where its samples lie. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/side.h"
#include "builtin.h"
#include "dump/dump.h"
#include "report.h"
#include "sandbox.h"

/* ---- setting up ------------------------------------------------------------------------------ */

static int start_flow(struct report *r, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(r->pd);
	struct brflow_opts o = {
		.machine = r->m,
		.blocks = r->blocks,
		.path_len = r->path_len,
		.nr_counters = env->branch_counter_nr ? env->branch_counter_nr : 4,
		.counter_width = env->branch_counter_width ? env->branch_counter_width : 2,
	};

	return o.blocks || o.path_len ? brflow_new(&r->flow, r->res, &o, e) : 0;
}

int report_start_counting(struct report *r, struct err *e)
{
	bool chains = r->po.use_chains || r->po.children;
	struct unwind *u = chains ? session_env(r->session)->unwind : NULL;
	struct keys_opts rich = report_rich_opts(&r->po, r->vectors);
	int ret = table_new(&r->t, r->o.derive ? &rich : &r->po, r->m, r->res, u, e);

	ret = ret ?: start_flow(r, e);
	ret = ret ?: report_start_branches(r, e);
	if (ret || !r->counts_code || r->code)
		return ret;
	ret = annotate_new(&r->code, r->m, r->res, e);
	if (!ret && r->o.simd)
		ret = annotate_want_registers(r->code, r->po.arch, NULL, e);
	ret = ret ?: report_branches_at_code(r, e);
	return ret || !report_marks(&r->o)
		       ? ret
		       : annotate_want_marks(r->code, report_marks(&r->o),
					     &(struct acc_env){ .arch = r->po.arch,
								.redact = r->o.redact,
								.values = r->o.values },
					     e);
}

static int setup_profile(struct report *r, struct err *e)
{
	const struct session_env *env = session_env(r->session);
	int ret;

	r->m = env->machine;
	r->res = env->resolver;
	if (r->o.mmaps)
		machine_keep_all(r->m);
	r->po.redact = r->o.redact;
	r->po.jobs = session_jobs(r->session);
	r->po.pd = r->pd;
	r->po.log = (struct log_sink){ .line = report_log, .ctx = r };
	r->po.filter.session = session_filter(r->session);
	r->po.arch = session_arch(r->session);
	ret = report_choose_mode(r, e);
	if (ret)
		return ret;
	r->vectors = r->tui && !r->po.branch && sample_has_vectors(r->pd, r->po.arch);
	report_choose_flow(r);
	r->counts_code = report_lists_flow(r) || r->tui;
	ret = report_start_counting(r, e);
	r->usage |= ret == -EINVAL;
	return ret;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What an access counts for; one of unknown length at least once. */
static uint64_t mem_weight(const struct sample *s)
{
	uint64_t w = s->present & PERF_SAMPLE_WEIGHT_STRUCT ? s->weight_var1 : s->weight;

	return w ? w : 1;
}

static uint64_t need(void *ctx, const struct perfdata_event *event)
{
	const struct report *r = ctx;

	(void)event;
	return table_need(r->t) | (r->code ? annotate_need(r->code) : 0) | r->need |
	       (r->stat ? PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_IP | PERF_SAMPLE_TIME : 0) |
	       PERF_SAMPLE_TID;
}

/* Rows keep what --comms, --pid or --tid leave out for their shares; what else is counted does not. */
static bool is_meant(const struct report *r, const struct thread *th)
{
	const struct session_filter *f = session_filter(r->session);

	return !session_filter_any(f) || session_filter_thread(f, th, machine_comm(r->m, th->comm));
}

/* By blocks, paths and instructions. */
static int add_code(struct report *r, const struct session_sample *in, struct err *e)
{
	const struct sample *s = in->s;
	bool stack = s->present & PERF_SAMPLE_BRANCH_STACK, counts;
	int ret = 0;

	if (!is_meant(r, in->thread))
		return 0;
	counts = !in->again && (r->socket < 0 || perfdata_cpu_socket(r->pd, s->cpu) == r->socket);
	if (r->flow && stack && counts)
		ret = brflow_add(r->flow, s, in->thread, e);
	if (!ret && r->stat && (stack || r->stat_what & BRSTAT_QUALITY) && counts)
		ret = brstat_add(r->stat, s, in->thread, e);
	return ret ?: r->code ? annotate_add(r->code, in, e) : 0;
}

static int take_sample(void *ctx, const struct session_sample *in, struct err *e)
{
	struct report *r = ctx;
	struct sample *s = in->s;

	if (r->o.pieces && !r->o.apart && r->nr_taken && !(r->nr_taken % r->o.pieces) &&
	    report_next_piece(r, e))
		return e->code;
	r->nr_taken++;
	if (r->po.switches)
		table_set_parallelism(r->t, session_parallelism(r->session));
	if (r->o.mem)
		s->period = mem_weight(s);
	if (unlikely(r->scale != 1))
		s->period = session_scaled(s->period, r->scale);
	if (unlikely(!(r->nr_taken % DERIVE_EACH)) && r->o.derive && report_derive_more(r, e))
		return e->code;
	if ((r->flow || r->stat || r->code) && add_code(r, in, e))
		return e->code;
	return table_add(r->t, s, in->thread, e);
}

static void expect(void *ctx, uint64_t ip)
{
	_Static_assert(SESSION_EXPECT == TABLE_EXPECT, "the sample that is told of");
	table_expect(((struct report *)ctx)->t, ip);
}

/* -T: what threads counted stands in records of their own. */
static int take_record(void *ctx, const struct record *rec, struct err *e)
{
	struct report *r = ctx;

	return rec->type == PERF_RECORD_READ && session_in_slice(r->session)
		       ? faces_threads_add(&r->threads, rec, e)
		       : 0;
}

/* Each of several threads for itself: adding up has to wait for it. */
static int last(void *ctx, struct err *e)
{
	const struct report *r = ctx;

	return table_flush(r->t) ? err_set(e, -ENOMEM, "no memory to count samples") : 0;
}

int report_set_groups(struct report *r, struct err *e)
{
	for (size_t i = 0; i < perfdata_nr_events(r->pd); i++) {
		const struct perfdata_event *ev = perfdata_event(r->pd, i);

		if (ev->leader == ev->idx &&
		    ev->idx + ev->nr_members <= perfdata_nr_events(r->pd) &&
		    table_set_group(r->t, ev->idx, ev->nr_members))
			return err_set(e, -ENOMEM, "no memory for groups");
	}
	return 0;
}

static int finish(void *ctx, struct err *e)
{
	struct report *r = ctx;
	/* There each event has its own rows: columns that stand side by side would need names. */
	bool group = r->o.group && !(r->o.json || r->o.csv);
	int ret = r->o.apart ? report_read_apart(r, e) : report_join_pieces(r, e);

	ret = ret ?: group ? report_set_groups(r, e) : 0;
	if (ret)
		return ret;
	if (r->flow && !r->tui)
		brflow_finish(r->flow);
	ret = r->stat ? brstat_finish(r->stat, e) : 0;
	ret = ret ?: table_finish(r->t, e);
	if (!ret && r->tui)
		return report_finish_browser(r, e);
	if (!ret && r->o.derive)
		ret = report_derive(r, e);
	return ret ? ret : view_new(&r->v, r->t, NULL, NULL, e);
}

/* What is counted in ways that do not add up, or shown while it is read. */
static bool is_one(const struct report *r)
{
	return r->tui || r->o.pieces || r->o.derive;
}

int report_read(struct report *r, int (*at_end)(void *ctx, struct err *e), struct err *e)
{
	const struct session_consumer consumer = {
		.need = need,
		.sample = take_sample,
		.expect = table_expects(r->t) ? expect : NULL,
		.record = r->o.threads ? take_record : NULL,
		.last = last,
		/* Shares are of what was left out, too. */
		.flags = SESSION_UNFILTERED | (is_one(r) ? SESSION_ALONE : 0) |
			 (r->po.switches ? SESSION_PARALLELISM : 0) |
			 (table_has_places(r->t) ? SESSION_NAMES : 0),
	};
	/* The first of several columns is read like the others. */
	int ret = at_end && r->files->o.by_file ? 0 : report_read_team(r, &consumer, e);

	if (at_end && session_files_are_several(r->files))
		ret = ret ?: report_read_files(r, e);
	return ret ?: at_end ? at_end(r, e) : 0;
}

static void print_warnings(struct report *r)
{
	if (r->o.quiet)
		return;
	for (const char *const *w = session_warnings(r->session, SESSION_WARN_ALL); *w; w++)
		log_warn("%s", *w);
}

/* No comment lines, no error for a recording without samples. */
static bool for_programs(const struct report_opts *o)
{
	return o->json || o->csv || o->dot;
}

static const struct faces_writer *writer(const struct report *r)
{
	if (r->o.dot && !r->o.tasks && !r->o.mmaps) /* tasks are no edges */
		return &faces_dot;
	if (r->o.json)
		return &faces_json;
	if (r->o.csv)
		return &faces_csv;
	return r->po.separator ? &faces_separated : &faces_text;
}

static struct faces answer(const struct report *r)
{
	return (struct faces){
		.t = r->t,
		.v = r->v,
		.po = &r->po,
		.pd = r->pd,
		.m = r->m,
		.res = r->res,
		.stat = r->stat
				?: r->code ? annotate_stat(r->code)
					   : NULL,
		.flow = r->o.dot || r->tui ? NULL : r->flow,
		.threads = r->threads,
		.lost_samples = session_counts(r->session)->lost_samples,
		.o = { .min_percent = r->o.min_percent,
		       .limited = r->o.limited,
		       .time = r->o.session.time,
		       .socket = r->socket,
		       .hot_paths = (uint32_t)r->o.hot_paths,
		       .total_cycles = r->o.total_cycles,
		       .branches = r->stat_what,
		       .quiet = r->o.quiet,
		       .skip_empty = r->o.skip_empty,
		       .threads = r->o.threads,
		       .tasks = r->o.tasks || r->o.mmaps,
		       .mmaps = r->o.mmaps,
		       .color = r->color,
		       /* Who names the columns, or how wide they are, has them so. */
		       .columns =
			       for_programs(&r->o) || r->po.separator || r->po.fields || r->o.widths
				       ? 0
				       : r->columns },
	};
}

static int show_report(struct report *r, struct err *e)
{
	const struct session_counts *counts = session_counts(r->session);
	const struct faces f = answer(r);
	int ret, shown = 0;

	if (r->tui && counts->samples) {
		ret = report_browse(r, &f, e);
		report_close_browser(r);
		return ret;
	}
	report_close_browser(r);
	if (!counts->samples && !for_programs(&r->o) && !f.o.threads && !f.o.tasks) {
		log_error("The %s data has no samples!", perfdata_path(r->pd));
		return 0;
	}
	if (r->code)
		shown = report_show_flow(r, e);
	if (shown < 0)
		return shown;
	if (faces_warning(&f))
		log_warn("%s", faces_warning(&f));
	if (!r->o.quiet)
		faces_branch_notes(f.stat, f.o.branches, LOG_STDERR);
	return shown ? 0 : faces_write(&f, writer(r), &r->out, e);
}

/* What comes in front of the report. */
static int put_head(struct report *r, struct err *e)
{
	if (r->o.header || r->o.header_only)
		return dump_header(r->pd, &r->out, r->o.full_info, e);
	if (!r->o.quiet && !for_programs(&r->o) && !r->o.tasks && !r->o.mmaps)
		obuf_lit(&r->out, "# To display the perf.data header info, please use "
				  "--header/--header-only options.\n#\n");
	return 0;
}

static int run_opened(struct report *r, struct err *e)
{
	const struct dump_opts opts = { .redact = r->o.redact, .jobs = session_jobs(r->session) };
	const struct err *damage;
	int ret;

	if (r->o.stats)
		return dump_all_stats(r->pd, &r->out, e);
	if (r->o.header_only)
		return put_head(r, e);
	if (r->o.dump) {
		ret = put_head(r, e);
		return ret ? ret : dump_all(r->pd, &r->out, &opts, e);
	}
	ret = session_start(r->session, e);
	ret = ret ?: session_files_join(r->files, r->session, &r->o.session, e);
	r->o.derive |= r->tui != NULL;
	ret = ret ?: setup_profile(r, e);
	ret = ret ?: report_read(r, finish, e);
	cli_progress_end(&r->progress); /* before anything is printed */
	/* Not a line before it is known that a report follows. */
	if (!report_lists_flow(r) && !r->tui)
		ret = ret ?: put_head(r, e);
	if (!ret)
		ret = show_report(r, e);
	log_to(&r->o.session.log, LOG_DEBUG, "side by side: %.3f s of CPU time saved",
	       side_saved());
	report_close_browser(r);
	if (!ret)
		print_warnings(r);
	/* Damage ends reading but not the report. */
	damage = ret ? NULL : session_damage(r->session);
	if (damage)
		*e = *damage;
	return damage ? damage->code : ret;
}

static void report_free(struct report *r)
{
	report_close_browser(r);
	brflow_free(r->flow);
	brstat_free(r->stat);
	annotate_free(r->code);
	faces_threads_free(r->threads);
	view_free(r->v);
	table_derive_drop(r->ahead);
	table_free(r->t);
	table_free(r->rich);
	report_free_pieces(r);
	report_free_before(r);
	arena_free(&r->args);
	session_close(r->session);
	session_opts_free(&r->o.session);
}

static void set_log_level(const struct report_opts *o)
{
	log_set_level(o->quiet	       ? LOG_ERROR
		      : o->verbose > 1 ? LOG_DEBUG
		      : o->verbose     ? LOG_INFO
				       : LOG_WARN);
}

/* The recording is open; prints what is asked of it. */
static int run(struct report *r, struct err *e)
{
	int ret, closed;

	if (r->o.html)
		return report_html(r, e);
	ret = report_wants_browser(r) ? report_open_browser(r, e) : 0;
	if (!ret && r->o.diff && !r->tui) {
		r->usage = true;
		ret = err_set(e, -EINVAL, "--diff is shown in the browser, and there is none");
		err_hint(e, "Run it in a terminal, without options for text. --json of both "
			    "recordings is what programs can compare.");
	}
	if (ret)
		return ret;
	ret = obuf_init(&r->out, 1, 0);
	if (ret)
		return err_set(e, ret, "no memory for output");
	r->progress.enabled &= !r->o.dump; /* that prints as it reads */
	ret = run_opened(r, e);
	cli_progress_end(&r->progress);
	closed = obuf_free(&r->out);
	if (!ret && closed && closed != -EPIPE)
		ret = err_set(e, closed, "writing the report: %s", strerror(-closed));
	return ret;
}

/* A browser may go to another recording of this directory, and save what it shows there. */
static void enter_sandbox(struct report *r)
{
	const struct report_opts *o = &r->o;
	bool browses = report_wants_browser(r) || report_lists_flow(r);

	if (!o->html && !browses) {
		r->columns = cli_terminal_width(STDOUT_FILENO, 0);
		cli_pager_start();
	}
	sandbox_enter(&(struct sandbox){
		.off = o->session.no_sandbox,
		.session = &o->session,
		.objects = !o->stats && !o->header_only && !o->dump,
		.read = { o->diff },
		.more = r->files->v.v,
		.nr_more = r->files->v.n,
		.output = { { browses ? BOX_SAVED : BOX_FILE, browses ? "." : o->html } },
	});
}

static int open_and_run(struct report *r)
{
	struct session_opts *so = &r->o.session;
	struct err e = { 0 };
	int ret = report_setup_options(r, &e);

	r->usage = ret != 0;
	/* counting needs none */
	so->no_order = r->o.stats || (r->o.no_order && r->o.dump);
	so->demangle_params = r->o.verbose > 0;
	so->progress = report_progress;
	so->progress_ctx = r;
	so->log = (struct log_sink){ .line = report_log, .ctx = r };
	if (r->o.apart)
		so->nr_samples = r->o.pieces;
	cli_progress_start(&r->progress, "Reading");
	if (!ret)
		enter_sandbox(r);
	ret = ret ?: session_files_open(r->files, &r->session, so, &e);
	if (!ret) {
		r->pd = session_env(r->session)->pd;
		ret = run(r, &e);
	}
	cli_progress_end(&r->progress);
	if (ret)
		ret = cli_print_err(&e);
	else if (session_lacked_memory(r->session))
		ret = 1;
	if (files_say(r->files, r->o.quiet))
		ret = ret ?: 1;
	return r->usage || session_misused(r->session) ? CLI_USAGE : ret;
}

static void set_defaults(struct report *r, const struct command *cmd, struct session_files *files)
{
	r->cmd = cmd;
	r->files = files;
	r->scale = 1;
	r->o.chain = (struct chain_opts)CHAIN_OPTS_DEFAULT;
	r->o.skip_empty = true;
	r->o.group = true;
	r->o.children = true;
	r->o.code.source = true;
}

/* Which recordings, then all of it. A word that is no option or file is a usage error. */
static int run_files(struct report *r, int argc, char **argv, const char *next)
{
	struct err e = { 0 };
	int ret;

	r->files->o = r->o.several;
	if (*next) {
		r->o.session.input = next;
		r->o.session.more.items.n = 0;
		argc = 0;
	}
	ret = session_files_collect(r->files, &r->o.session, argc, argv, &e);
	ret = ret ?: report_check_files(r, &e);
	if (!ret)
		return open_and_run(r);
	cli_print_err(&e);
	return ret == -EINVAL ? CLI_USAGE : 1;
}

int report_files(struct report *r, int argc, char **argv)
{
	return run_files(r, argc, argv, "");
}

/* @next: the recording that is looked at, "" = as @argv says; then where the user went to. */
static int run_once(const struct command *cmd, int argc, char **argv, char next[256])
{
	struct report *r = calloc(1, sizeof(*r));
	struct session_files files = { .first = 0 };
	bool from;
	int n, ret;

	if (!r)
		return 1;
	set_defaults(r, cmd, &files);
	n = report_prepare_args(r, &argc, argv);
	if (!n)
		n = cli_parse(cmd, &r->o, argc, argv, 0);
	if (n < 0) {
		ret = CLI_STATUS(n);
	} else if (report_help_keys(&r->o)) {
		ret = 0;
	} else {
		set_log_level(&r->o);
		ret = report_from(r, n, &from);
		if (!from)
			ret = run_files(r, n, argv, next);
	}
	memcpy(next, r->next, sizeof(r->next));
	report_free(r);
	session_files_free(&files);
	free(r);
	return ret;
}

static int report_run(const struct command *cmd, int argc, char **argv)
{
	char next[256] = "";
	int ret;

	/* Parsing puts words elsewhere: each time it gets the list as it was. */
	do {
		char **copy = malloc(((size_t)argc + 1) * sizeof(*copy));

		if (!copy)
			return 1;
		memcpy(copy, argv, ((size_t)argc + 1) * sizeof(*copy));
		ret = run_once(cmd, argc, copy, next);
		free(copy);
	} while (*next);
	return ret;
}

static const char *const report_usage[] = {
	"report [-s KEY,...] [-g MODE] [options] [[-i] FILE...]",
	NULL,
};

const struct command cmd_report = {
	.name = "report",
	.summary = "Show where the samples of a recording lie",
	.usage = report_usage,
	.options = report_options,
	.run = report_run,
};
