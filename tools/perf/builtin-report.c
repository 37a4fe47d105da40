// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: read a recording, show where its samples lie. */
#include <stdio.h>
#include <stdlib.h>

#include "builtin.h"
#include "report.h"

/* ---- setting up ------------------------------------------------------------------------------ */

static int start_flow(struct report *r, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(r->pd);
	struct brflow_opts o = {
		.machine = r->m,
		.blocks = r->o.total_cycles,
		.path_len = (uint32_t)min_u64(r->o.hot_paths, UINT32_MAX),
		.nr_counters = env->branch_counter_nr ? env->branch_counter_nr : 4,
		.counter_width = env->branch_counter_width ? env->branch_counter_width : 2,
	};

	return o.blocks || o.path_len ? brflow_new(&r->flow, r->res, &o, e) : 0;
}

/* In a pipe the events come with the records: called before the first sample. */
static int setup_profile(struct report *r, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(r->pd);
	struct unwind_opts uo = {
		.arch = env->arch,
		.max_stack = (uint32_t)min_u64(r->o.max_stack, UINT32_MAX),
		.inlines = r->po.inlines,
		.stitch_lbr = r->o.stitch_lbr,
		.max_branches = env->max_branches,
	};
	int ret;

	r->po.redact = r->o.redact;
	r->po.pd = r->pd;
	r->po.arch = regs_arch_from_uname(env->arch);
	if (r->po.arch == REGS_ARCH_NONE)
		r->po.arch = env->e_machine ? regs_arch_from_elf(env->e_machine) : regs_arch_host();
	ret = report_choose_mode(r, e);
	if (ret)
		return ret;
	if (r->po.use_chains || r->po.children) {
		ret = unwind_new(&r->u, r->m, r->res, &uo, e);
		if (ret)
			return ret;
	}
	ret = profile_new(&r->p, &r->po, r->m, r->res, r->u, e);
	if (!ret)
		ret = start_flow(r, e);
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
		.no_limits = r->o.no_limits,
		.no_demangle = r->o.no_demangle,
		.demangle_kernel = r->o.demangle_kernel,
		.demangle_params = r->o.verbose > 0,
	};
	int ret = symbol_check_kernel(&so, e);

	ret = ret ?: machine_new(&r->m, perfdata_env(r->pd)->arch, e);
	if (!ret && r->o.mmaps)
		machine_keep_all(r->m);
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
	return !r->has_cpus || bits_test(&r->cpus, cpu);
}

/* As upstream: one thread runs when recording starts, and no more than there are CPUs. */
static uint32_t parallelism(const struct report *r)
{
	uint32_t cpus = perfdata_env(r->pd)->nr_cpus_avail;
	int64_t max = cpus ? cpus : 4096;

	return (uint32_t)(r->running < 1 ? 1 : r->running > max ? max : r->running);
}

static void count_running(struct report *r, const struct record *rec)
{
	switch (rec->type) {
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		r->running += rec->misc & PERF_RECORD_MISC_SWITCH_OUT ? -1 : 1;
		break;
	case PERF_RECORD_EXIT: r->running--; break;
	}
}

static int take_part(struct report *r, uint64_t time, struct sample *s, struct err *e)
{
	struct thread *th;

	if (!event_switch_pass(&r->o.sw, s->event) || !cpu_passes(r, s->cpu))
		return 0;
	if (time != RECORD_NO_TIME && !time_spans_have(&r->times, time))
		return 0;
	th = machine_thread(r->m, (int32_t)s->pid, (int32_t)s->tid);
	if (!th)
		return err_set(e, -ENOMEM, "no memory for threads");
	r->nr_samples++;
	if (r->po.switches)
		profile_set_parallelism(r->p, parallelism(r));
	if (r->o.mem)
		s->period = mem_weight(s);
	if (r->flow && (s->present & PERF_SAMPLE_BRANCH_STACK) &&
	    (r->socket < 0 || perfdata_cpu_socket(r->pd, s->cpu) == r->socket) &&
	    brflow_add(r->flow, s, th, e))
		return e->code;
	return profile_add(r->p, s, th, e);
}

static int take_sample(struct report *r, const struct record *rec, struct err *e)
{
	struct sample s, part;
	uint64_t need;
	int ret = 0;

	if (!rec->event)
		return 0;
	if (!r->p) {
		ret = setup_profile(r, e);
		if (ret)
			return ret;
	}
	need = profile_need(r->p) | r->need | (rec->event->attr.sample_type & PERF_SAMPLE_READ);
	if (sample_parse_some(rec, need, &s, e)) {
		note_bad(r, e);
		return 0;
	}
	if (machine_advance(r->m, rec->time))
		return err_set(e, -ENOMEM, "no memory for code compiled at run time");
	if (likely(!(s.present & PERF_SAMPLE_READ)))
		return take_part(r, rec->time, &s, e);
	for (uint64_t i = 0; !ret && i < sample_nr_parts(&s); i++)
		if (sample_part(&r->totals, r->pd, &s, i, &part))
			ret = take_part(r, rec->time, &part, e);
	return ret;
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
	count_running(r, rec);
	if (rec->type == PERF_RECORD_LOST || rec->type == PERF_RECORD_LOST_SAMPLES)
		count_lost(r, rec);
	else if (rec->type == PERF_RECORD_READ && r->o.threads)
		return faces_threads_add(&r->threads, rec, e);
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
	bool group;

	if (ret)
		return ret;
	if (!r->p) {
		ret = setup_profile(r, e);
		if (ret)
			return ret;
	}
	/* JSON has no columns that could stand side by side. */
	group = r->o.group && !(r->o.json && r->o.hierarchy);
	for (size_t i = 0; group && i < perfdata_nr_events(r->pd); i++) {
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
	char note[512];
	const char *w;

	if (r->o.quiet)
		return;
	resolver_note_missing(r->res);
	while ((w = resolver_next_warning(r->res)))
		log_warn("%s", w);
	for (unsigned i = 0; r->u && unwind_note(r->u, i, note, sizeof(note)); i++)
		log_warn("%s", note);
	if (r->lost_chunks)
		log_warn("Processed %llu samples and lost %llu events in %llu chunks! Check IO/CPU "
			 "overload!",
			 (unsigned long long)r->nr_samples, (unsigned long long)r->lost_events,
			 (unsigned long long)r->lost_chunks);
	if (r->bad_samples)
		log_warn("%llu records could not be used; the first: %s",
			 (unsigned long long)r->bad_samples, r->first_bad.text);
}

/* No comment lines, no error for a recording without samples. */
static bool for_programs(const struct report_opts *o)
{
	return o->json || o->dot;
}

static const struct faces_writer *writer(const struct report *r)
{
	if (r->o.dot)
		return &faces_dot;
	if (r->o.json)
		return &faces_json;
	return r->po.separator ? &faces_separated : &faces_text;
}

static int print_report(struct report *r, struct err *e)
{
	const struct faces f = {
		.p = r->p,
		.po = &r->po,
		.pd = r->pd,
		.m = r->m,
		.res = r->res,
		.flow = r->o.dot ? NULL : r->flow,
		.threads = r->threads,
		.lost_samples = r->lost_samples,
		.o = { .min_percent = r->o.min_percent,
		       .time = r->o.time,
		       .socket = r->socket,
		       .hot_paths = (uint32_t)r->o.hot_paths,
		       .total_cycles = r->o.total_cycles,
		       .quiet = r->o.quiet,
		       .simd = r->o.simd,
		       .skip_empty = r->o.skip_empty,
		       .threads = r->o.threads,
		       .mmaps = r->o.mmaps,
		       .color = r->color },
	};

	if (r->o.tasks || r->o.mmaps)
		return faces_write_tasks(&f, &r->out, e);
	if (!r->nr_samples && !for_programs(&r->o) && !r->o.threads) {
		log_error("The %s data has no samples!", perfdata_path(r->pd));
		return 0;
	}
	if (faces_warning(&f))
		log_warn("%s", faces_warning(&f));
	return faces_write(&f, writer(r), &r->out, e);
}

/* What comes in front of the report. */
static int put_head(struct report *r, struct err *e)
{
	if (r->o.header || r->o.header_only)
		return perfdata_print_header(r->pd, &r->out, r->o.full_info, e);
	if (!r->o.quiet && !for_programs(&r->o) && !r->o.tasks && !r->o.mmaps)
		obuf_lit(&r->out, "# To display the perf.data header info, please use "
				  "--header/--header-only options.\n#\n");
	return 0;
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
	if (r->o.header_only)
		return put_head(r, e);
	if (r->o.dump) {
		ret = put_head(r, e);
		return ret ? ret : report_dump(r->pd, &r->out, r->o.redact, e);
	}
	ret = event_switch_init(&r->o.sw, r->pd, e);
	if (!ret)
		ret = setup_symbols(r, e);
	if (!ret)
		ret = read_all(r, &damage, e);
	cli_progress_end(&r->progress); /* before anything is printed */
	/* Not a line before it is known that a report follows. */
	if (!ret)
		ret = put_head(r, e);
	if (!ret)
		ret = print_report(r, e);
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
	faces_threads_free(r->threads);
	profile_free(r->p);
	arena_free(&r->args);
	unwind_free(r->u);
	resolver_free(r->res);
	machine_free(r->m);
	bits_free(&r->cpus);
	time_spans_free(&r->times);
	sample_totals_free(&r->totals);
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
	r->o.children = true;
	r->running = 1;
	n = report_prepare_args(r, &argc, argv);
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
	if (report_help_keys(&r->o)) {
		ret = 0;
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
	po.no_limits = r->o.no_limits;
	po.no_order = r->o.stats || (r->o.no_order && r->o.dump);
	ret = report_setup_options(r, &e);
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
	else if (resolver_lacked_memory(r->res))
		ret = 1;
	if (r->usage)
		ret = CLI_USAGE;
out:
	report_free(r);
	free(r);
	return ret;
}

static const char *const report_usage[] = {
	"report [-i FILE] [-s KEY,...] [-g MODE] [options]",
	NULL,
};

const struct command cmd_report = {
	.name = "report",
	.summary = "Show where the samples of a recording lie",
	.usage = report_usage,
	.options = report_options,
	.run = report_run,
};
