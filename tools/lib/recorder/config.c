// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options into the attrs of events. First it is known who samples (source.c), then what becomes of
 * events that this machine does not count, then what else must be opened; only then attrs are made,
 * since each of these changes what stands in them.
 */
#include <stdlib.h>

#include "recorder/recorder-int.h"

/* PMUs that write a stream of their own into an AUX area, by the start of their names. */
static int check_aux(const struct event_list *l, struct err *e)
{
	static const char *const pmus[] = { "intel_pt", "intel_bts", "arm_spe",
					    "cs_etm",	"hisi_ptt",  "arm_trbe" };

	for (size_t i = 0; i < l->n; i++) {
		const struct pmu *pmu = l->v[i].pmu;

		for (size_t j = 0; pmu && j < ARRAY_SIZE(pmus); j++) {
			if (strncmp(pmu->name, pmus[j], strlen(pmus[j])))
				continue;
			err_set(e, -EOPNOTSUPP,
				"%s: the PMU %s traces into an AUX area, which this perf does not record",
				l->v[i].name, pmu->name);
			err_hint(e, "Taken branches of the CPU: -b, -j. Traces need another perf.");
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/* -F above the kernel's limit: lowered with a warning, or refused. */
static int limit_freq(const struct recorder *rec, uint64_t *freq, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	uint64_t max = events_max_freq();

	*freq = o->freq_max ? (max ? max : EVENTS_DEFAULT_FREQ) : o->freq;
	if (!max || *freq <= max)
		return 0;
	if (o->strict_freq) {
		err_set(e, -ERANGE,
			"-F %llu is more than the kernel allows (%llu samples a second)",
			(unsigned long long)*freq, (unsigned long long)max);
		err_hint(e,
			 "Leave --strict-freq out to record at %llu, or raise the limit:\n"
			 "sysctl kernel.perf_event_max_sample_rate=%llu",
			 (unsigned long long)max, (unsigned long long)*freq);
		return -ERANGE;
	}
	recorder_say(
		rec, LOG_WARN,
		"warning: Maximum frequency rate (%llu Hz) exceeded, throttling from %llu Hz to %llu Hz.\n"
		"         The limit can be raised via /proc/sys/kernel/perf_event_max_sample_rate.\n"
		"         Use --strict-freq to disable this throttling, refusing to record.",
		(unsigned long long)max, (unsigned long long)*freq, (unsigned long long)max);
	*freq = max;
	return 0;
}

/* Nobody asked for a frequency: the default is what the kernel allows, even where that is less. */
static void limit_default_freq(struct events_config *c)
{
	uint64_t max = events_max_freq();

	if (!c->freq && !c->period && max && max < EVENTS_DEFAULT_FREQ)
		c->default_freq = max;
}

/* Tracepoints and events with a rate of their own know nothing of the default. */
static void say_default_freq(const struct recorder *rec, const struct events_config *c)
{
	for (size_t i = 0; c->default_freq && i < rec->events->n; i++) {
		const struct event *ev = &rec->events->v[i];

		if (!(ev->attr.flags & ATTR_FLAG_FREQ) || ev->set & EVENT_SET_FREQ)
			continue;
		recorder_say(
			rec, LOG_WARN,
			"Lowering default frequency rate from %d to %llu.\n"
			"Please consider tweaking /proc/sys/kernel/perf_event_max_sample_rate.",
			EVENTS_DEFAULT_FREQ, (unsigned long long)c->default_freq);
		return;
	}
}

/*
 * No PMU: events that were named become a clock, with one line that says so. Branches that only the
 * CPU could record are no use with a clock: there the refusal of the event is explained.
 */
static int fall_back(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct fallback f;

	if (o->no_fallback || (o->branch_filter && !rec->soft.branches) ||
	    (o->callchain.mode == CALLCHAIN_LBR && !rec->soft.chains))
		return 0;
	if (events_fall_back(rec->events, &rec->opener, o->per_thread, &f))
		return err_set(e, -ENOMEM, "no memory for the events");
	if (f.nr)
		recorder_say(
			rec, LOG_WARN,
			"%s: no hardware counter here (%s); recording %s in %s place (--no-fallback refuses)",
			f.was,
			rec->context.in_vm ? "a virtual machine without a PMU"
					   : "the kernel shows no PMU",
			f.now, f.nr > 1 ? "their" : "its");
	return 0;
}

/* -C, or cores that are offline, may leave a kind of core that a word stands for no CPU. */
static int leave_out_cores(struct recorder *rec, struct err *e)
{
	const struct capture_target *t = rec->target;
	struct bits online = { 0 };
	int ret = t->per_thread || t->cpus_given ? 0 : capture_online_cpus(&online, e);

	if (!ret && !t->per_thread)
		events_keep_cpus(rec->events, t->cpus_given ? &t->cpus : &online);
	bits_free(&online);
	return ret;
}

static int add_events(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct event_list *l = rec->events;
	int ret = l->n ? 0 : events_add_default(l, o->pmus, e);

	if (!ret)
		ret = leave_out_cores(rec, e);
	if (o->group && !ret)
		events_group(l, 0, NULL);
	/*
	 * Whoever starts late, pauses, or sees only some CPUs, still needs all maps: an event of
	 * one kind of core is told of those that are made on its own CPUs.
	 */
	if (ret || !(rec->target->system_wide || rec->target->cpus_given || o->delay ||
		     o->control || pmus_nr_cores(o->pmus) > 1 || recorder_by_ptrace(rec)))
		return ret;
	ret = events_add_dummy(l, e);
	if (!ret)
		l->v[l->n - 1].all_cpus = rec->target->cpus_given;
	return ret;
}

int recorder_config(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	bool workload = rec->target->workload;
	struct events_config c = {
		.period = o->count,
		.max_freq = o->freq_max,
		.callchain = o->callchain,
		.branch_filter = o->branch_filter,
		.intr_regs = recorder_regs(rec, RECORDER_INTR),
		.user_regs = recorder_regs(rec, RECORDER_USER),
		.regs_caps = &o->regs.of[RECORDER_INTR].caps,
		.user_regs_caps = &o->regs.of[RECORDER_USER].caps,
		.clockid = rec->opts->clockid,
		.use_clockid = rec->opts->use_clockid,
		.inherit = !o->no_inherit && !o->per_thread,
		.inherit_stat = o->stat,
		.disabled = true,
		.enable_on_exec = workload && !o->delay,
		.dummy_starts = !workload,
		.dummy_on_exec = workload && o->delay,
		.per_cpu = rec->target->system_wide || rec->target->cpus_given,
		.sample = o->sample,
		.sample_cpu = o->sample_cpu,
		.sample_address = o->data,
		.raw = o->raw,
		.period_given = o->period,
		.no_period = o->no_period,
		.no_samples = o->no_samples,
		.no_time = o->no_time,
		.all_user = o->all_user,
		.all_kernel = o->all_kernel,
		.kernel_callchains = o->kernel_callchains,
		.user_callchains = o->user_callchains,
		.switch_events = o->switch_events || o->latency,
		.namespaces = o->namespaces,
		.cgroups = o->all_cgroups,
		.no_build_id = o->no_buildid_mmap || o->no_buildid,
		.no_bpf_event = o->no_bpf_event,
		.data_maps = o->data_mmap,
		.identifier = o->identifier,
		.running_time = o->running_time,
		.no_buffering = o->no_buffering,
		.backward = o->overwrite,
	};
	int ret = limit_freq(rec, &c.freq, e);

	limit_default_freq(&c);
	if (!ret)
		ret = check_aux(rec->events, e);
	if (!ret)
		ret = recorder_choose_source(rec, e);
	if (!ret && recorder_by_ptrace(rec) && (rec->opts->sw.on || o->overwrite))
		ret = err_set(e, -EINVAL,
			      "%s does not go with registers, branches or call stacks by ptrace",
			      rec->opts->sw.on ? "--switch-output" : "--overwrite");
	if (!ret)
		ret = fall_back(rec, e);
	if (!ret)
		ret = add_events(rec, e);
	if (!ret)
		ret = recorder_soft_branches(rec, e);
	c.user_regs_elsewhere = rec->soft.regs;
	c.chains_elsewhere = rec->soft.chains;
	if (!ret)
		ret = events_configure(rec->events, &c, e);
	if (!ret)
		say_default_freq(rec, &c);
	return ret ? ret : events_check_machine(rec->events, e);
}
