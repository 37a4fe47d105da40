// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything that users are told of a recording, so that the rest of the room has none of it: the
 * closing lines, what was lost and what to do about it, what samples cost. Texts are made here and
 * handed to the log of the options; whoever prints decides by the level.
 */
#include <inttypes.h>
#include <stdio.h>

#include "recorder/recorder-int.h"
#include "xsave/xsave.h"

#define MAX_BRANCHES 32 /* where no PMU says how many it keeps */

void recorder_say(const struct recorder *rec, enum log_level level, const char *fmt, ...)
{
	char line[2048];
	va_list ap;

	va_start(ap, fmt);
	safe_format(line, sizeof(line), fmt, ap);
	va_end(ap);
	log_to(&rec->opts->log, level, "%s", line);
}

void recorder_fail(struct recorder *rec, const struct err *e)
{
	rec->failed = true;
	rec->opts->fail(rec->opts->ctx, e);
}

void recorder_say_events(const struct recorder *rec, enum log_level level, bool attrs)
{
	struct obuf o;

	if (obuf_init(&o, -1, 0))
		return;
	for (size_t i = 0; i < rec->events->n; i++) {
		const struct event *ev = &rec->events->v[i];

		o.len = 0;
		obuf_str(&o, ev->name);
		if (attrs) {
			obuf_lit(&o, ": ");
			attr_print(&ev->attr, &o);
		}
		obuf_char(&o, '\0');
		if (!o.code)
			log_to(&rec->opts->log, level, "%s", o.buf);
	}
	obuf_free(&o);
}

/* ---- what registers and branch stacks cost ------------------------------------------------------ */

/* One register block: its masks are the attr's for intr or user. */
static uint32_t block_bytes(const struct perf_event_attr *a, uint64_t gpr, uint64_t vec,
			    uint64_t pred)
{
	struct xsave_sample_shape s = {
		.nr_gpr = (unsigned)__builtin_popcountll(gpr),
		.nr_vectors = (unsigned)__builtin_popcountll(vec),
		.vector_qwords = vec ? a->sample_simd_vec_reg_qwords : 0,
		.nr_pred = (unsigned)__builtin_popcountll(pred),
		.pred_qwords = pred ? a->sample_simd_pred_reg_qwords : 0,
		.simd_abi = vec || pred,
	};

	return xsave_sample_bytes(&s);
}

/* The most that they add to a sample: blocks may come without registers, stacks half full. */
static uint32_t added_bytes(const struct recorder *rec, const struct perf_event_attr *a)
{
	struct xsave_sample_shape branches = {
		.branches = rec->context.lbr_depth ? rec->context.lbr_depth : MAX_BRANCHES,
		.branch_hw_index = a->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX,
	};
	uint32_t bytes = 0;

	if (rec->soft.branches && rec->opts->branch_depth)
		branches.branches = (unsigned)rec->opts->branch_depth;
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		bytes += xsave_sample_bytes(&branches);
	if (a->sample_type & PERF_SAMPLE_REGS_USER)
		bytes += block_bytes(a, a->sample_regs_user, a->sample_simd_vec_reg_user,
				     a->sample_simd_pred_reg_user);
	if (a->sample_type & PERF_SAMPLE_REGS_INTR)
		bytes += block_bytes(a, a->sample_regs_intr, a->sample_simd_vec_reg_intr,
				     a->sample_simd_pred_reg_intr);
	return bytes;
}

void recorder_say_cost(const struct recorder *rec)
{
	for (size_t i = 0; i < rec->events->n; i++) {
		const struct event *ev = &rec->events->v[i];
		const struct perf_event_attr *a = &ev->attr;
		uint32_t bytes = added_bytes(rec, a);

		if (!bytes || event_is_dummy(ev))
			continue;
		if (a->flags & ATTR_FLAG_FREQ)
			recorder_say(rec, LOG_INFO,
				     "%s: registers and branches add up to %u bytes to a sample: "
				     "at %llu samples/s %.3f MB/s on each busy CPU",
				     ev->name, bytes, (unsigned long long)a->sample_freq,
				     (double)bytes * (double)a->sample_freq / 1e6);
		else
			recorder_say(rec, LOG_INFO,
				     "%s: registers and branches add up to %u bytes to a sample: "
				     "one sample every %llu events is %.3f MB for a million events",
				     ev->name, bytes, (unsigned long long)a->sample_period,
				     a->sample_period ? (double)bytes / (double)a->sample_period
						      : 0);
	}
}

/* ---- samples by ptrace ----------------------------------------------------------------------- */

void recorder_say_strategy(const struct recorder *rec)
{
	const struct tracer *t = rec->soft.tracer;
	const struct tracer_probe *p = tracer_probed(t);

	if (!p)
		return;
	if (p->untried) {
		recorder_say(rec, LOG_INFO, "branches: %s; breakpoints and steps: %s",
			     tracer_how(t), p->untried);
		return;
	}
	recorder_say(rec, LOG_INFO,
		     "branches: %s; breakpoints: %s; single steps: %s; block steps: %s "
		     "(%u stops over %u instructions with %u branches)",
		     tracer_how(t),
		     p->breakpoints	   ? "yes"
		     : p->breakpoints_open ? "no, they open and do not fire"
					   : "no, they are refused",
		     p->steps ? "yes" : "no",
		     p->blocks	      ? "yes"
		     : p->block_stops ? "no, they stop at every instruction"
				      : "no",
		     p->block_stops, p->block_insns, p->block_branches);
	if (rec->soft.opts.branches.strategy == TRACER_BLOCK && !p->blocks)
		recorder_say(
			rec, LOG_WARN,
			"perf record: block steps stop at every instruction here (virtual machines "
			"do not pass BTF on): no faster than --branch-strategy=step");
}

static void say_cuts(const struct recorder *rec, const struct tracer_stats *st)
{
	char text[256] = "";
	size_t n = 0;

	for (int i = 0; i < TRACER_CUTS && n < sizeof(text); i++)
		if (st->cut[i])
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRIu64 " %s",
					      n ? ", " : "", st->cut[i], tracer_cut_name(i));
	if (n)
		recorder_say(rec, LOG_WARN, "[ perf record: %s: %s ]",
			     rec->soft.opts.branches.trace ? "gaps" : "stacks with fewer entries",
			     text);
}

/* Stops that are for no sample slow a thread down by some percent where it has one in so much of its time. */
#define OWN_OFTEN_NS 2000000

static void say_cost(const struct recorder *rec, const struct tracer_stats *st)
{
	const struct tracer_opts *t = &rec->soft.opts;
	const char *option = t->branches.on ? "--branch-budget" : "--reg-budget";
	char spaced[96] = "";

	if (st->rests)
		snprintf(spaced, sizeof(spaced), ", samples spaced out %" PRIu64 " times (%s %g)",
			 st->rests, option, t->branches.on ? t->branches.budget : t->reg_budget);
	recorder_say(
		rec, LOG_WARN,
		"[ perf record: threads stood still %.1f %% of their time, %.0f us per sample%s ]",
		st->lived_ns ? 100.0 * (double)st->stopped_ns / (double)st->lived_ns : 0.0,
		st->stops ? (double)st->stopped_ns / 1000 / (double)st->stops : 0.0, spaced);
	if (st->own_stops)
		recorder_say(
			rec, st->own_stops > st->lived_ns / OWN_OFTEN_NS ? LOG_WARN : LOG_INFO,
			"[ perf record: threads stopped %" PRIu64
			" times more, for the program's own signals and where it started threads or processes: "
			"samples are fewer for it, but %s does not bound that ]",
			st->own_stops, option);
}

static void say_walks(const struct recorder *rec, const struct tracer_stats *st)
{
	char strayed[64] = "";

	if (st->not_arrived)
		snprintf(strayed, sizeof(strayed), ", %" PRIu64 " that the thread did not follow",
			 st->not_arrived);
	recorder_say(rec, LOG_WARN,
		     "[ perf record: %" PRIu64
		     " stacks of %.1f branches, %s, %.3f stops per branch (%" PRIu64
		     " single steps), %" PRIu64 " compared with the thread, %" PRIu64
		     " of them dropped%s ]",
		     st->stacks, (double)st->branches / (double)max_u64(st->stacks, 1),
		     tracer_how(rec->soft.tracer),
		     st->branches ? (double)st->walk_stops / (double)st->branches : 0.0, st->steps,
		     st->verified, st->verify_failed, strayed);
	recorder_say(
		rec, LOG_INFO,
		"[ perf record: walks took %.0f us of perf's CPU time each, %.0f ns a branch, %.1f "
		"ns an instruction ]",
		(double)st->walk_ns / 1000 / (double)st->walks,
		(double)st->walk_ns / (double)max_u64(st->passed, 1),
		(double)st->walk_ns / (double)max_u64(st->interpreted, 1));
	if (st->spans)
		recorder_say(rec, LOG_INFO,
			     "[ perf record: %" PRIu64 " of %" PRIu64
			     " spans were computed on the CPU where the thread stood, %" PRIu64
			     " system calls in them followed ]",
			     st->on_its_cpu, st->spans, st->followed);
	else if (rec->soft.opts.branches.span)
		recorder_say(
			rec, LOG_WARN,
			"perf record: no bursts: they begin within 0.1 s of a thread's CPU time, before them it "
			"has one stack. --branch-span=0 samples a short program, --branch-trace has all of it");
	if (st->inexact)
		recorder_say(
			rec, LOG_WARN,
			"perf record: %" PRIu64
			" samples without registers: what computes their branches cannot tell them",
			st->inexact);
}

static void say_trace(const struct recorder *rec, const struct tracer_stats *st)
{
	uint64_t agreed = st->verified, strayed = st->not_arrived, cuts = 0;
	char gaps[64] = "without a gap", handlers[64] = "";

	for (int i = 0; i < TRACER_CUTS; i++)
		cuts += st->cut[i];
	if (cuts)
		snprintf(gaps, sizeof(gaps), "with %" PRIu64 " gaps", cuts);
	if (st->handlers)
		snprintf(handlers, sizeof(handlers), " and %" PRIu64 " handlers of signals",
			 st->handlers);
	recorder_say(rec, LOG_WARN,
		     "[ perf record: trace of %" PRIu64 " branches %s, over %" PRIu64
		     " system calls%s: at %" PRIu64 " the thread stood as computed, at %" PRIu64
		     " it had gone another way; %.0f ns a branch ]",
		     st->branches, gaps, st->calls, handlers, agreed, strayed,
		     (double)st->walk_ns / (double)max_u64(st->passed, 1));
	if (!tracer_has_traced(rec->soft.tracer))
		recorder_say(rec, LOG_WARN,
			     "perf record: fewer than the %" PRIu64
			     " branches of --branch-trace: the program ended, or the recording",
			     rec->soft.opts.branches.trace);
}

static void say_soft(const struct recorder *rec)
{
	const struct tracer_stats *st;

	if (!rec->soft.tracer)
		return;
	st = tracer_stats(rec->soft.tracer);
	if (rec->soft.opts.branches.trace)
		say_trace(rec, st);
	else
		say_cost(rec, st);
	if (st->chains)
		recorder_say(
			rec, LOG_INFO,
			"[ perf record: call stacks took %.0f us of perf's CPU time each; %" PRIu64
			" frames had no rules and were run ahead for ]",
			(double)st->chain_ns / 1000 / (double)st->chains, st->chains_ahead);
	if (st->walks && !rec->soft.opts.branches.trace)
		say_walks(rec, st);
	say_cuts(rec, st);
	if (st->spared)
		recorder_say(
			rec, LOG_WARN,
			"perf record: %" PRIu64
			" samples without branches: too many threads were due at once (--branch-budget %g)",
			st->spared, rec->soft.opts.branches.budget);
	if (st->stateless)
		recorder_say(
			rec, LOG_WARN,
			"perf record: %" PRIu64
			" samples without %s: their threads were not where the event had come when "
			"they stopped (all signals blocked), or ended before",
			st->stateless, rec->soft.branches ? "branches" : "registers");
	if (st->lost)
		recorder_say(rec, LOG_WARN,
			     "perf record: lost %" PRIu64
			     " samples of threads that cannot be stopped",
			     st->lost);
}

/* ---- the end ----------------------------------------------------------------------------------- */

void recorder_say_losses(const struct recorder *rec)
{
	const struct capture_stats *st = capture_stats(rec->capture);
	size_t kb = capture_ring_bytes(rec->capture) / 1024;

	if (rec->opts->overwrite && st->lost_counts)
		recorder_say(rec, LOG_WARN,
			     "perf record: %" PRIu64
			     " samples came while the rings were read, and are not in any file",
			     st->lost_counts);
	else if (st->lost_records || st->lost_counts)
		recorder_say(
			rec, LOG_WARN,
			"perf record: lost %" PRIu64 " records, %" PRIu64
			" of them samples: rings of %zu kB were full; try -m %zuK, a lower -F, or no -g",
			max_u64(st->lost_records, st->lost_counts), st->lost_counts, kb, kb * 4);
	if (st->lost_samples)
		recorder_say(rec, LOG_WARN,
			     "perf record: lost %" PRIu64
			     " samples in the hardware or by a filter (LOST_SAMPLES)",
			     st->lost_samples);
	if (st->throttled)
		recorder_say(
			rec, LOG_WARN,
			"perf record: throttled %" PRIu64
			" times: the kernel held events back because interrupts took too long; try a lower -F",
			st->throttled);
}

void recorder_say_summary(const struct recorder *rec)
{
	const struct capture_stats *st = capture_stats(rec->capture);
	double mb = (double)perfdata_writer_bytes(rec->writer) / 1024 / 1024;
	double raw = (double)perfdata_writer_raw_bytes(rec->writer) / 1024 / 1024;
	const char *stamp = rec->opts->sw.stamped && rec->created ? ".<timestamp>" : "";
	int64_t samples =
		rec->cut ? rec->samples_written : (int64_t)(st->samples + rec->soft.samples);
	char packed[96] = "", count[64] = "";

	if (rec->opts->compress_level && mb > 0)
		snprintf(packed, sizeof(packed), ", compressed (original %.3f MB, ratio is %.3f)",
			 raw, raw / mb);
	recorder_say(rec, LOG_WARN, "[ perf record: Woken up %" PRIu64 " times to write data ]",
		     st->wakeups ? st->wakeups : 1);
	if (rec->files.last)
		recorder_say(rec, LOG_WARN, "[ perf record: Dump %s ]", rec->files.last);
	if (rec->size_reached)
		recorder_say(rec, LOG_WARN,
			     "[ perf record: perf size limit reached (%" PRIu64
			     " KB), stopping session ]",
			     rec->opts->max_bytes / 1024);
	if (samples > 0)
		snprintf(count, sizeof(count), " (%" PRId64 " samples)", samples);
	recorder_say(rec, LOG_WARN, "[ perf record: Captured and wrote %.3f MB %s%s%s%s ]", mb,
		     rec->path, stamp, count, packed);
	say_soft(rec);
	recorder_say_losses(rec);
}
