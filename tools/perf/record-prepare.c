// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record: options as typed into numbers and a target, when all of them are known, since many
 * have a meaning only together. Nothing is opened here: whatever this refuses is a mistake on the
 * command line.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/output.h"
#include "record.h"

static int prepare_clock(struct record_opts *o, const char *name, struct err *e)
{
	static const struct {
		const char *name;
		int32_t id;
	} clocks[] = {
		{ "realtime", CLOCK_REALTIME },
		{ "real", CLOCK_REALTIME },
		{ "monotonic", CLOCK_MONOTONIC },
		{ "mono", CLOCK_MONOTONIC },
		{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
		{ "mono_raw", CLOCK_MONOTONIC_RAW },
		{ "raw", CLOCK_MONOTONIC_RAW },
		{ "boottime", CLOCK_BOOTTIME },
		{ "boot", CLOCK_BOOTTIME },
		{ "tai", CLOCK_TAI },
	};
	uint64_t v;

	o->r.use_clockid = true;
	if (!strncmp(name, "CLOCK_", 6))
		name += 6;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcasecmp(clocks[i].name, name)) {
			o->r.clockid = clocks[i].id;
			return 0;
		}
	}
	if (!cli_parse_u64(name, &v) && v < 64) {
		o->r.clockid = (int32_t)v;
		return 0;
	}
	err_set(e, -EINVAL, "-k: unknown clock '%s'", name);
	err_hint(e, "Clocks are mono, mono_raw, real, boot, tai, or a number.");
	return -EINVAL;
}

/* "128" pages or "1M" bytes, up to a power of two of pages. */
static int prepare_ring(struct record_opts *o, const char *text, struct err *e)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), v, pages = 1;
	char copy[64];

	/* A second number, behind a comma, is for AUX rings. */
	snprintf(copy, sizeof(copy), "%s", text);
	copy[strcspn(copy, ",")] = '\0';
	if (!cli_parse_u64(copy, &v))
		v = v > UINT64_MAX / page ? UINT64_MAX : v * page;
	else if (cli_parse_size(copy, &v))
		return err_set(e, -EINVAL, "-m takes pages or bytes such as 4M, not '%s'", text);
	if (!v || v > 1ULL << 40)
		return err_set(e, -EINVAL, "-m %s: a ring has at least one page and at most 1T",
			       text);
	while (pages * page < v)
		pages *= 2;
	if (pages * page != v)
		log_info("rings of %llu pages (rounded up to a power of two)",
			 (unsigned long long)pages);
	o->r.ring_pages = (uint32_t)pages;
	return 0;
}

static int prepare_size(const char *what, const char *text, uint64_t *v, struct err *e)
{
	if (text && (cli_parse_size(text, v) || !*v))
		return err_set(e, -EINVAL, "%s takes a size such as 100M, not '%s'", what, text);
	return 0;
}

/* Where "30" is refused, as by upstream: whoever means seconds or MB would have a file of 30 bytes. */
static bool lacks_unit(const char *text)
{
	uint64_t v;

	return text && !cli_parse_u64(text, &v);
}

static int prepare_max_size(const char *text, uint64_t *v, struct err *e)
{
	int ret = prepare_size("--max-size", text, v, e);

	if (ret || !lacks_unit(text))
		return ret;
	err_set(e, -EINVAL, "--max-size takes a size such as 100M, not '%s'", text);
	err_hint(e, "A number needs a unit: write %sB, %sK, %sM or %sG.", text, text, text, text);
	return -EINVAL;
}

static int prepare_compress(struct record_opts *o, const char *text, struct err *e)
{
	uint64_t level;

	text += *text == '='; /* -z=3 */
	if (cli_parse_u64(text, &level) || level < 1 || level > 22)
		return err_set(e, -EINVAL, "-z takes a level from 1 to 22, not '%s'", text);
	o->r.compress_level = (int)level;
	return 0;
}

/* ---- one file or several ------------------------------------------------------------------------- */

static int prepare_switch(struct record_opts *o, struct err *e)
{
	struct recorder_switch *sw = &o->r.sw;
	const char *text = o->switch_output;
	struct stat st;

	if (text && strcmp(text, "signal") && cli_parse_duration(text, &sw->every_ms) &&
	    (lacks_unit(text) || cli_parse_size(text, &sw->bytes) || !sw->bytes)) {
		err_set(e, -EINVAL,
			"--switch-output takes signal, a size such as 100M or a time such as 30s, not '%s'",
			text);
		if (lacks_unit(text))
			err_hint(
				e,
				"A number needs a unit: write %sB (or K, M, G) or %ss (or m, h, d).",
				text, text);
		return -EINVAL;
	}
	sw->on = o->switch_output || o->push.url;
	sw->stamped = o->timestamp_filename || sw->on;
	if (sw->max_files && !sw->on)
		return err_set(e, -EINVAL, "--switch-max-files goes with --switch-output");
	if (sw->stamped && (output_descriptor(o->r.output) >= 0 ||
			    (!lstat(o->r.output, &st) && S_ISFIFO(st.st_mode))))
		return err_set(e, -EINVAL, "%s needs a file: a stream (-o %s) has no name",
			       sw->on ? "--switch-output" : "--timestamp-filename", o->r.output);
	return 0;
}

/* ---- who samples what the kernel may not give ---------------------------------------------------- */

static int prepare_source(const char *option, const char *text, const char *kernel,
			  const char *tracer, enum recorder_source *s, struct err *e)
{
	*s = RECORDER_AUTO;
	if (!text || !strcmp(text, "auto"))
		return 0;
	*s = !strcmp(text, kernel) ? RECORDER_KERNEL : RECORDER_PTRACE;
	if (*s == RECORDER_PTRACE && strcmp(text, tracer))
		return err_set(e, -EINVAL, "%s takes auto, %s or %s, not '%s'", option, kernel,
			       tracer, text);
	return 0;
}

static int prepare_budget(const char *option, const char *text, double *percent, struct err *e)
{
	char *end;

	*percent = RECORDER_BUDGET;
	if (!text)
		return 0;
	*percent = strtod(text, &end);
	if (*end == '%')
		end++;
	if (end == text || *end || !(*percent >= 0 && *percent <= 100))
		return err_set(e, -EINVAL, "%s takes a percentage, not '%s'", option, text);
	return 0;
}

#define SPAN_LEAST 10 /* us; no clock of the kernel's is finer */
#define SPAN_MOST  10000

static int prepare_span(const char *text, double *us, struct err *e)
{
	char *end;

	*us = -1;
	if (!text)
		return 0;
	*us = strtod(text, &end);
	if (end == text || *end || (*us != 0 && !(*us >= SPAN_LEAST && *us <= SPAN_MOST)))
		return err_set(e, -EINVAL,
			       "--branch-span takes %d to %d microseconds, or 0, not '%s'",
			       SPAN_LEAST, SPAN_MOST, text);
	return 0;
}

static int prepare_depth(const char *text, uint64_t *depth, struct err *e)
{
	if (text && (cli_parse_u64(text, depth) || !*depth || *depth > TRACER_MAX_DEPTH))
		return err_set(e, -EINVAL, "--branch-depth takes 1 to %d, not '%s'",
			       TRACER_MAX_DEPTH, text);
	return 0;
}

#define TRACE_PERIOD 10000 /* of a clock: 10 us, less is not to be had */

/* "1000000", "500k", "10M", "2G". */
static int parse_branches(const char *text, uint64_t *n)
{
	static const char units[] = "kMG";
	size_t len = strlen(text);
	const char *unit = len ? strchr(units, text[len - 1] == 'K' ? 'k' : text[len - 1]) : NULL;
	char digits[24];

	if (!unit)
		return cli_parse_u64(text, n);
	if (len > sizeof(digits))
		return -EINVAL;
	snprintf(digits, sizeof(digits), "%.*s", (int)len - 1, text);
	if (cli_parse_u64(digits, n))
		return -EINVAL;
	for (const char *u = units; u <= unit; u++)
		if (__builtin_mul_overflow(*n, 1000, n))
			return -EINVAL;
	return 0;
}

/* All branches, which is -b in software; what goes by samples has no meaning with it. */
static int prepare_trace(struct record_opts *o, struct err *e)
{
	struct recorder_opts *r = &o->r;
	const char *other =
		r->branch_source == RECORDER_KERNEL ? "--branch-source=hardware"
		: o->branch_span		    ? "--branch-span"
		: o->branch_budget		    ? "--branch-budget"
		: r->branch_strategy != TRACER_AUTO && r->branch_strategy != TRACER_INTERPRET
			? "--branch-strategy"
		: r->regs.of[RECORDER_USER].wanted ? "--user-regs"
		: r->regs.of[RECORDER_INTR].wanted ? "-I"
						   : NULL;

	if (!o->branch_trace)
		return 0;
	if (parse_branches(o->branch_trace, &r->branch_trace) || !r->branch_trace)
		return err_set(
			e, -EINVAL,
			"--branch-trace takes a number of branches, such as 500k or 10M, not '%s'",
			o->branch_trace);
	if (other)
		return err_set(e, -EINVAL,
			       "--branch-trace computes every branch from the first sample on: %s "
			       "does not go with it",
			       other);
	r->branch_source = RECORDER_PTRACE;
	/* samples only begin the trace: the sooner the better */
	if (!r->freq && !r->count && !r->freq_max)
		r->count = TRACE_PERIOD;
	r->period = true; /* of a stack it is another one */
	if (!r->branch_filter)
		r->branch_filter = PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

static int prepare_sources(struct record_opts *o, struct err *e)
{
	struct recorder_opts *r = &o->r;
	int ret = prepare_source("--branch-source", o->branch_source, "hardware", "software",
				 &r->branch_source, e);

	if (!ret)
		ret = prepare_source("--reg-source", o->reg_source, "kernel", "ptrace",
				     &r->reg_source, e);
	if (!ret && o->branch_strategy)
		ret = tracer_strategy_parse(o->branch_strategy, &r->branch_strategy, e);
	if (!ret)
		ret = prepare_budget("--branch-budget", o->branch_budget, &r->branch_budget, e);
	if (!ret)
		ret = prepare_span(o->branch_span, &r->branch_span, e);
	if (!ret)
		ret = prepare_depth(o->branch_depth, &r->branch_depth, e);
	if (!ret)
		ret = prepare_trace(o, e);
	return ret ? ret : prepare_budget("--reg-budget", o->reg_budget, &r->reg_budget, e);
}

/* ---- whom to watch ------------------------------------------------------------------------------- */

static int prepare_lists(struct capture_target *t, const struct cli_list *l,
			 int (*add)(struct capture_target *t, const char *list, struct err *e),
			 struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < l->items.n; i++)
		ret = add(t, l->items.v[i] + strspn(l->items.v[i], " "), e);
	return ret;
}

static int prepare_target(struct record_opts *o, struct err *e)
{
	struct capture_target *t = &o->target;
	int ret = prepare_lists(t, &o->pids, capture_target_pids, e);

	if (!ret)
		ret = prepare_lists(t, &o->tids, capture_target_tids, e);
	if (!ret)
		ret = prepare_lists(t, &o->users, capture_target_user, e);
	if (!ret)
		ret = prepare_lists(t, &o->cpus, capture_target_cpus, e);
	if (ret)
		return ret;
	if (t->tids.n && o->system_wide)
		log_warn("-p, -t and -u win over -a");
	if (o->has_cgroup && !o->system_wide && !t->cpus_given && (o->r.command || t->tids.n))
		return err_set(e, -EINVAL,
			       "-G watches a cgroup on all CPUs: it goes with -a or -C");
	if (o->r.latency && (o->system_wide || t->cpus_given))
		return err_set(
			e, -EINVAL,
			"--latency is about a program or processes, not about CPUs (-a, -C)");
	t->per_thread = o->r.per_thread;
	t->system_wide = !t->tids.n && (o->system_wide || t->cpus_given || !o->r.command);
	if (t->per_thread && (t->system_wide || t->cpus_given))
		return err_set(e, -EINVAL,
			       "--per-thread goes with -p, -t, -u or a command, not with CPUs");
	t->workload = o->r.command && !t->tids.n && !t->system_wide;
	o->r.single_threads = o->tids.items.n;
	o->r.some_suffice = o->users.items.n;
	return 0;
}

int record_prepare(struct record_opts *o, struct err *e)
{
	int ret = 0;

	/* What was told at the start is old when somebody asks for the newest. */
	o->r.tail_synthesize |= o->r.overwrite;
	if (o->freq_given && o->r.count)
		ret = err_set(e, -EINVAL, "cannot set frequency and period at the same time");
	if (!ret && o->clock)
		ret = prepare_clock(o, o->clock, e);
	if (!ret && o->ring)
		ret = prepare_ring(o, o->ring, e);
	if (!ret && o->compress)
		ret = prepare_compress(o, o->compress, e);
	if (!ret)
		ret = prepare_max_size(o->max_size, &o->r.max_bytes, e);
	if (!ret && o->r.realtime > 99)
		ret = err_set(e, -EINVAL, "-r takes a priority from 1 to 99, not %llu",
			      (unsigned long long)o->r.realtime);
	if (!ret)
		ret = prepare_switch(o, e);
	if (!ret)
		ret = prepare_size("--mmap-flush", o->mmap_flush, &o->r.flush_bytes, e);
	if (!ret && o->r.delay == -1 && !o->r.control)
		ret = err_set(e, -EINVAL,
			      "-D -1 needs --control: nothing else would start the recording");
	if (!ret && o->r.keep_objects &&
	    (o->r.no_buildid || o->r.no_buildid_cache ||
	     (o->r.output && !strcmp(o->r.output, "-"))))
		ret = err_set(
			e, -EINVAL,
			"--keep-objects copies what was hit, and -B, -N and -o - have nothing "
			"looked for");
	if (!ret)
		ret = prepare_sources(o, e);
	return ret ? ret : prepare_target(o, e);
}
