// SPDX-License-Identifier: GPL-2.0-or-later
/* perf record: options as typed into numbers and a target, and these into the attrs of events. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "recorder/recorder.h"

/* ---- strings into numbers ------------------------------------------------------------------------------- */

static int prepare_clock(struct recorder *rec, const char *name, struct err *e)
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

	rec->use_clockid = true;
	if (!strncmp(name, "CLOCK_", 6))
		name += 6;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcasecmp(clocks[i].name, name)) {
			rec->clockid = clocks[i].id;
			return 0;
		}
	}
	if (!cli_parse_u64(name, &v) && v < 64) {
		rec->clockid = (int32_t)v;
		return 0;
	}
	err_set(e, -EINVAL, "-k: unknown clock '%s'", name);
	err_hint(e, "Clocks are mono, mono_raw, real, boot, tai, or a number.");
	return -EINVAL;
}

/* "128" pages or "1M" bytes, up to a power of two of pages. */
static int prepare_ring(struct recorder *rec, const char *text, struct err *e)
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
		return err_set(e, -EINVAL, "-m %s: a ring has between one page and 2^31 of them",
			       text);
	while (pages * page < v)
		pages *= 2;
	if (pages * page != v)
		log_info("rings of %llu pages (rounded up to a power of two)",
			 (unsigned long long)pages);
	rec->ring_pages = (uint32_t)pages;
	return 0;
}

static int prepare_size(const char *what, const char *text, uint64_t *v, struct err *e)
{
	if (text && (cli_parse_size(text, v) || !*v))
		return err_set(e, -EINVAL, "%s takes a size such as 100M, not '%s'", what, text);
	return 0;
}

static int prepare_compress(struct recorder *rec, const char *text, struct err *e)
{
	uint64_t level;

	text += *text == '='; /* -z=3 */
	if (cli_parse_u64(text, &level) || level < 1 || level > 22)
		return err_set(e, -EINVAL, "-z takes a level from 1 to 22, not '%s'", text);
	rec->compress_level = (int)level;
	return 0;
}

static int prepare_lists(struct capture_target *t, const struct cli_list *l,
			 int (*add)(struct capture_target *t, const char *list, struct err *e),
			 struct err *e)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < l->items.n; i++)
		ret = add(t, l->items.v[i] + strspn(l->items.v[i], " "), e);
	return ret;
}

static int prepare_target(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct capture_target *t = &rec->target;
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
	if (o->has_cgroup && !o->system_wide && !t->cpus_given && (rec->has_workload || t->tids.n))
		return err_set(e, -EINVAL,
			       "-G watches a cgroup on all CPUs: it goes with -a or -C");
	if (o->latency && (o->system_wide || t->cpus_given))
		return err_set(
			e, -EINVAL,
			"--latency is about a program or processes, not about CPUs (-a, -C)");
	t->per_thread = o->per_thread;
	t->system_wide = !t->tids.n && (o->system_wide || t->cpus_given || !rec->has_workload);
	if (t->per_thread && (t->system_wide || t->cpus_given))
		return err_set(e, -EINVAL,
			       "--per-thread goes with -p, -t, -u or a command, not with CPUs");
	rec->workload_is_target = rec->has_workload && !t->tids.n && !t->system_wide;
	t->workload = rec->workload_is_target;
	return 0;
}

int recorder_prepare(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	int ret = 0;

	if (o->clock)
		ret = prepare_clock(rec, o->clock, e);
	if (!ret && o->ring)
		ret = prepare_ring(rec, o->ring, e);
	if (!ret && o->compress)
		ret = prepare_compress(rec, o->compress, e);
	if (!ret)
		ret = prepare_size("--max-size", o->max_size, &rec->max_bytes, e);
	if (!ret && o->realtime > 99)
		ret = err_set(e, -EINVAL, "-r takes a priority from 1 to 99, not %llu",
			      (unsigned long long)o->realtime);
	if (!ret)
		ret = recorder_prepare_switch(rec, e);
	if (!ret)
		ret = prepare_size("--mmap-flush", o->mmap_flush, &rec->flush_bytes, e);
	if (!ret && o->delay == -1 && !o->control)
		ret = err_set(e, -EINVAL,
			      "-D -1 needs --control: nothing else would start the recording");
	return ret ? ret : prepare_target(rec, e);
}

/* ---- numbers into attrs -------------------------------------------------------------------------------------- */

/* PMUs that write a stream of their own into an AUX area, by the start of their names. */
int recorder_check_aux(const struct event_list *l, struct err *e)
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
static int limit_freq(const struct recorder_opts *o, uint64_t *freq, struct err *e)
{
	uint64_t max = events_max_freq();

	*freq = o->freq_max ? (max ? max : 4000) : o->freq;
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
	log_warn(
		"warning: Maximum frequency rate (%llu Hz) exceeded, throttling from %llu Hz to %llu Hz.\n"
		"         The limit can be raised via /proc/sys/kernel/perf_event_max_sample_rate.\n"
		"         Use --strict-freq to disable this throttling, refusing to record.",
		(unsigned long long)max, (unsigned long long)*freq, (unsigned long long)max);
	*freq = max;
	return 0;
}

/*
 * No PMU: events that were named become a clock, with one line that says so. Branches that only the
 * CPU could record are no use with a clock: there the refusal of the event is explained.
 */
static int fall_back(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct fallback f;

	if (o->no_fallback || (o->branch_filter && !rec->soft_branches) ||
	    o->callchain.mode == CALLCHAIN_LBR)
		return 0;
	if (events_fall_back(rec->events, &rec->opener, o->per_thread, &f))
		return err_set(e, -ENOMEM, "no memory for the events");
	if (f.nr)
		log_warn(
			"%s: no hardware counter here (%s); recording %s in %s place (--no-fallback refuses)",
			f.was,
			rec->context.in_vm ? "a virtual machine without a PMU"
					   : "the kernel shows no PMU",
			f.now, f.nr > 1 ? "their" : "its");
	return 0;
}

static int add_events(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	struct event_list *l = rec->events;
	int ret = l->n ? 0 : events_add_default(l, o->pmus, e);

	for (size_t i = 0; o->group && !ret && i < l->n; i++) {
		l->v[i].leader = 0;
		l->v[i].nr_members = i ? 0 : (uint32_t)l->n;
	}
	/* Whoever starts late, or sees only some CPUs, still needs all maps. */
	if (ret || !(rec->target.system_wide || o->delay || rec->soft_regs || rec->soft_branches))
		return ret;
	ret = events_add_dummy(l, e);
	if (!ret)
		l->v[l->n - 1].all_cpus = rec->target.cpus_given && rec->target.system_wide;
	return ret;
}

int recorder_config(struct recorder *rec, struct err *e)
{
	const struct recorder_opts *o = rec->opts;
	bool workload = rec->workload_is_target;
	struct events_config c = {
		.period = o->count,
		.max_freq = o->freq_max,
		.callchain = o->callchain,
		.branch_filter = o->branch_filter,
		.intr_regs = o->intr_regs,
		.user_regs = o->user_regs,
		.regs_caps = &o->regs[0].caps,
		.user_regs_caps = &o->regs[1].caps,
		.clockid = rec->clockid,
		.use_clockid = rec->use_clockid,
		.inherit = !o->no_inherit && !o->per_thread,
		.inherit_stat = o->stat,
		.disabled = true,
		.enable_on_exec = workload && !o->delay,
		.dummy_starts = !workload,
		.dummy_on_exec = workload && o->delay,
		.per_cpu = rec->target.system_wide || rec->target.cpus_given,
		.sample_cpu = o->sample_cpu,
		.sample_address = o->data,
		.phys_addr = o->phys_data,
		.data_page_size = o->data_page_size,
		.code_page_size = o->code_page_size,
		.weight = o->weight,
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
		.mem_info = o->mem_info,
		.transaction = o->transaction,
		.no_bpf_event = o->no_bpf_event,
		.data_maps = o->data_mmap,
		.identifier = o->identifier,
		.running_time = o->running_time,
		.no_buffering = o->no_buffering,
		.backward = o->overwrite,
	};
	int ret = limit_freq(o, &c.freq, e);

	if (!ret)
		ret = recorder_check_aux(rec->events, e);
	if (!ret)
		ret = recorder_tracer_choose(rec, e);
	if (!ret && (rec->soft_regs || rec->soft_branches) && (rec->sw.on || o->overwrite))
		ret = err_set(e, -EINVAL, "%s does not go with registers or branches by ptrace",
			      rec->sw.on ? "--switch-output" : "--overwrite");
	if (!ret)
		ret = fall_back(rec, e);
	if (!ret)
		ret = add_events(rec, e);
	c.user_regs_elsewhere = rec->soft_regs;
	if (!ret)
		ret = events_configure(rec->events, &c, e);
	return ret ? ret : events_check_machine(rec->events, e);
}
