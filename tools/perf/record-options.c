// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record: the option table, and what its callbacks take apart at once: what must be refused
 * with the option's name at hand, or depends on the order of options. All else is kept as typed
 * for record-prepare.c.
 */
#include <stdlib.h>
#include <unistd.h>

#include "branch/branch.h"
#include "record.h"

/* ---- callbacks ----------------------------------------------------------------------------------- */

static int parse_event(void *p, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)unset;
	return events_parse(&o->events, o->r.pmus, arg, e);
}

static int parse_pmu_dt(void *opts, const struct option *opt, const char *arg, bool unset,
			struct err *e)
{
	struct record_opts *o = opts;

	(void)opt, (void)unset;
	return pmus_add_device_tree(o->r.pmus, arg, e);
}

static int parse_filter(void *p, const struct option *opt, const char *arg, bool unset,
			struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)unset;
	return events_set_filter(&o->events, arg, e);
}

static int parse_freq(void *p, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)unset;
	arg += strspn(arg, " "); /* "-F 99" may come as one word */
	o->freq_given = true;
	o->r.freq_max = !strcmp(arg, "max");
	o->r.freq = 0;
	if (o->r.freq_max)
		return 0;
	if (cli_parse_u64(arg, &o->r.freq) || !o->r.freq)
		return err_set(e, -EINVAL, "-F takes samples per second or 'max', not '%s'", arg);
	return 0;
}

static int parse_count(void *p, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)unset;
	arg += strspn(arg, " ");
	if (cli_parse_u64(arg, &o->r.count) || !o->r.count)
		return err_set(e, -EINVAL, "-c takes a number of events per sample, not '%s'", arg);
	return 0;
}

static int parse_callchain(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e)
{
	struct record_opts *o = p;

	(void)opt;
	o->r.callchain.mode = CALLCHAIN_NONE;
	return unset ? 0 : events_callchain_parse(&o->r.callchain, arg, e);
}

/* What settings say: goes for -g. */
static int parse_default_callchain(void *p, const struct option *opt, const char *arg, bool unset,
				   struct err *e)
{
	struct record_opts *o = p;

	(void)opt;
	o->default_callchain.mode = CALLCHAIN_NONE;
	return unset ? 0 : events_callchain_parse(&o->default_callchain, arg, e);
}

/* -g: frame pointers, unless --call-graph said something else already. */
static int parse_g(void *p, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)arg, (void)e;
	o->g_given = !unset;
	if (unset)
		o->r.callchain.mode = CALLCHAIN_NONE;
	else if (o->r.callchain.mode == CALLCHAIN_NONE &&
		 o->default_callchain.mode != CALLCHAIN_NONE)
		o->r.callchain = o->default_callchain;
	else if (o->r.callchain.mode == CALLCHAIN_NONE)
		o->r.callchain.mode = CALLCHAIN_FP;
	return 0;
}

static int parse_branch_any(void *p, const struct option *opt, const char *arg, bool unset,
			    struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)arg;
	if (!unset && o->r.branch_filter && !o->branch_any)
		return err_set(e, -EINVAL,
			       "Error: Can't use --branch-any (-b) with --branch-filter (-j).");
	o->branch_any = !unset;
	o->r.branch_filter = unset ? 0 : PERF_SAMPLE_BRANCH_ANY;
	return 0;
}

static int parse_branch_filter(void *p, const struct option *opt, const char *arg, bool unset,
			       struct err *e)
{
	struct record_opts *o = p;

	(void)opt;
	if (unset) {
		o->r.branch_filter = 0;
		return 0;
	}
	/* Upstream's text, for a second -j as well. */
	if (o->r.branch_filter) {
		err_set(e, -EINVAL,
			"Error: Can't use --branch-any (-b) with --branch-filter (-j).");
		if (!o->branch_any)
			err_hint(e, "One -j takes a list: -j any_call,any_ret.");
		return -EINVAL;
	}
	return branch_filter_parse(arg, &o->r.branch_filter, e);
}

/* "-I?" lists what there is, and is no recording: usage and its exit status, as upstream. */
static int parse_regs(struct record_opts *o, int which, const char *list, bool unset, struct err *e)
{
	struct obuf text;

	if (unset) {
		recorder_regs_clear(&o->r.regs, which);
		return 0;
	}
	if (!list || !strchr(list, '?'))
		return recorder_regs_parse(&o->r.regs, o->r.pmus, which, list, e);
	if (!obuf_init(&text, 2, 0)) {
		recorder_regs_list(&o->r.regs, o->r.pmus, which, o->verbose, &text);
		obuf_free(&text);
	}
	return -EINVAL;
}

static int parse_intr_regs(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e)
{
	(void)opt;
	return parse_regs(p, RECORDER_INTR, arg, unset, e);
}

static int parse_user_regs(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e)
{
	(void)opt;
	if (!unset && !*arg)
		return err_set(e, -EINVAL, "--user-regs takes a list of registers");
	return parse_regs(p, RECORDER_USER, arg, unset, e);
}

/* "10-20": both numbers; the first must not be before @after. */
static bool parse_window(const char *text, size_t len, int64_t after, int64_t *on, int64_t *off)
{
	char copy[48], *dash;
	uint64_t a, b;

	if (len >= sizeof(copy))
		return false;
	snprintf(copy, sizeof(copy), "%.*s", (int)len, text);
	dash = strchr(copy, '-');
	if (!dash)
		return false;
	*dash++ = '\0';
	if (cli_parse_u64(copy, &a) || cli_parse_u64(dash, &b) || a >= b || b > INT32_MAX)
		return false;
	*on = (int64_t)a;
	*off = (int64_t)b;
	return *on >= after;
}

static int parse_windows(struct record_opts *o, const char *arg, struct err *e)
{
	int64_t on, off = 0;

	for (const char *p = arg; p;) {
		size_t len = strcspn(p, ",");

		if (!parse_window(p, len, off, &on, &off)) {
			err_set(e, -EINVAL, "-D %s: '%.*s' is not a range behind the one before",
				arg, (int)len, p);
			err_hint(e, "Ranges are milliseconds, in order: -D 10-20,30-40");
			return -EINVAL;
		}
		if (vec_push(&o->r.windows, on) || vec_push(&o->r.windows, off))
			return err_set(e, -ENOMEM, "no memory for -D");
		p = p[len] ? p + len + 1 : NULL;
	}
	/* From the start on is still a start that somebody must make. */
	o->r.delay = o->r.windows.v[0] ? o->r.windows.v[0] : 1;
	return 0;
}

static int parse_delay(void *p, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	struct record_opts *o = p;
	uint64_t ms;

	(void)opt;
	o->r.delay = 0;
	o->r.windows.n = 0;
	if (unset)
		return 0;
	if (!strcmp(arg, "-1")) {
		o->r.delay = -1;
		return 0;
	}
	if (strchr(arg, '-'))
		return parse_windows(o, arg, e);
	if (cli_parse_u64(arg, &ms) || ms > INT32_MAX)
		return err_set(
			e, -EINVAL,
			"-D takes milliseconds, ranges (10-20,30-40), or -1 to start disabled, not '%s'",
			arg);
	o->r.delay = (int64_t)ms;
	return ms && vec_push(&o->r.windows, o->r.delay) ? err_set(e, -ENOMEM, "no memory for -D")
							 : 0;
}

static int parse_timestamp(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)arg, (void)e;
	o->r.no_time = unset; /* otherwise they are there anyway */
	return 0;
}

static int parse_period(void *p, const struct option *opt, const char *arg, bool unset,
			struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)arg, (void)e;
	o->r.period = !unset;
	o->r.no_period = unset;
	return 0;
}

static int parse_cgroup(void *p, const struct option *opt, const char *arg, bool unset,
			struct err *e)
{
	struct record_opts *o = p;

	(void)opt, (void)unset;
	o->has_cgroup = true;
	return events_set_cgroups(&o->events, arg, e);
}

static int parse_exclude_perf(void *p, const struct option *opt, const char *arg, bool unset,
			      struct err *e)
{
	struct record_opts *o = p;
	char filter[64];

	(void)opt, (void)arg, (void)unset;
	snprintf(filter, sizeof(filter), "common_pid != %d", getpid());
	if (!events_set_filter(&o->events, filter, NULL))
		return 0;
	err_set(e, -EINVAL, "--exclude-perf has no tracepoint in front of it");
	err_hint(e, "It adds a filter to the tracepoints of the -e before it.");
	return -EINVAL;
}

static int parse_synth(void *p, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	static const struct {
		const char *name;
		unsigned what;
	} words[] = {
		{ "no", 0 },
		{ "all", RECORDER_SYNTH_ALL },
		{ "task", RECORDER_SYNTH_TASK },
		{ "mmap", RECORDER_SYNTH_MMAP },
		{ "cgroup", RECORDER_SYNTH_CGROUP },
	};
	struct record_opts *o = p;

	(void)opt;
	o->r.synth = unset ? RECORDER_SYNTH_ALL : 0;
	while (!unset && arg) {
		size_t len = strcspn(arg, ","), i = 0;

		while (i < ARRAY_SIZE(words) &&
		       (strlen(words[i].name) != len || strncmp(words[i].name, arg, len)))
			i++;
		if (i == ARRAY_SIZE(words))
			return err_set(e, -EINVAL,
				       "--synth takes no, all, task, mmap, cgroup, not '%s'", arg);
		o->r.synth |= words[i].what;
		arg = arg[len] ? arg + len + 1 : NULL;
	}
	return 0;
}

/* ---- the table --------------------------------------------------------------------------------------- */

#define B(s, l, f, h)	     OPT_BOOL(s, l, struct record_opts, f, h)
#define SAMPLE(s, l, bit, h) OPT_BITS(s, l, struct record_opts, r.sample, PERF_SAMPLE_##bit, h)
#define S(s, l, f, a, h)     OPT_STRING(s, l, struct record_opts, f, a, h)
#define L(s, l, f, a, h)     OPT_LIST(s, l, struct record_opts, f, a, h)

#define ACCEPTED(l, cb, a, fl)                                                                   \
	{                                                                                        \
		.type = OPTION_CALL, .name = (l), .parse = (cb), .arg = (a), .help = "accepted", \
		.flags = OPTION_HIDDEN | (fl)                                                    \
	}
#define REFUSED(s, l, a, fl)                                                                 \
	{                                                                                    \
		.type = OPTION_CALL, .short_name = (s), .name = (l), .parse = record_refuse, \
		.arg = (a), .help = "refused", .flags = OPTION_HIDDEN | (fl)                 \
	}

/* clang-format off */
const struct option record_options[] = {
	OPT_GROUP("What to count"),
	OPT_CALL('e', "event", parse_event, "EVENT", "event selector, see perf-list(1); may be repeated"),
	/* -e, which may stand before it, asks for its PMUs. */
	{ .type = OPTION_CALL,
	  .name = "pmu-dt",
	  .parse = parse_pmu_dt,
	  .arg = "PATH",
	  .help = "PMUs of this device tree, for -e: see perf-pmu-dt(1)",
	  .flags = OPTION_EARLY | OPTION_NO_NEG },
	OPT_CALL(0, "filter", parse_filter, "FILTER", "filter for the tracepoints of the -e before it"),
	OPT_CALL('F', "freq", parse_freq, "N|max", "samples per second (default 4000)"),
	OPT_CALL('c', "count", parse_count, "N", "one sample every N events"),
	OPT_CALL_NOARG(0, "exclude-perf", parse_exclude_perf, "tracepoints of the -e before it: not those of perf itself"),
	B(0, "no-fallback", r.no_fallback, "fail where the CPU has no counters, in place of recording a clock"),
	B(0, "strict-freq", r.strict_freq, "fail when the kernel's limit is below -F"),
	B(0, "all-user", r.all_user, "only user space"),
	B(0, "all-kernel", r.all_kernel, "only the kernel"),
	B('n', "no-samples", r.no_samples, "count, but take no samples"),
	B(0, "group", r.group, "put the events into one group"),

	OPT_GROUP("Whom to watch"),
	B('a', "all-cpus", system_wide, "every process, on all CPUs"),
	L('C', "cpu", cpus, "LIST", "every process, on these CPUs (0-3,7)"),
	L('p', "pid", pids, "PID", "existing processes (comma separated)"),
	L('t', "tid", tids, "TID", "existing threads (comma separated)"),
	L('u', "uid", users, "USER", "all processes of a user"),
	OPT_CALL('G', "cgroup", parse_cgroup, "NAME", "with -a or -C: only tasks of this cgroup, for the -e before it; a list names one per event"),
	B('i', "no-inherit", r.no_inherit, "leave out child processes and new threads"),
	B(0, "per-thread", r.per_thread, "one ring per thread instead of one per CPU"),

	OPT_GROUP("What a sample holds"),
	OPT_CALL_NOARG('g', NULL, parse_g, "call chains by frame pointers"),
	OPT_CALL(0, "call-graph", parse_callchain, "MODE", "call chains: fp, dwarf[,STACK BYTES], lbr, unwind[,FRAMES]"),
	B(0, "kernel-callchains", r.kernel_callchains, "call chains: the kernel's part only"),
	B(0, "user-callchains", r.user_callchains, "call chains: user space only"),
	OPT_CALL_NOARG('b', "branch-any", parse_branch_any, "taken branches, all kinds"),
	OPT_CALL('j', "branch-filter", parse_branch_filter, "LIST", "taken branches: any, any_call, any_ret, ind_call, cond, u, k, save_type ..."),
	S(0, "branch-depth", branch_depth, "N", "branches in software: entries of a stack, 1 to 64 (default 32)"),
	S(0, "branch-source", branch_source, "WHO", "branches from: auto (default), hardware, software"),
	S(0, "branch-span", branch_span, "MICROSECONDS", "branches in software: a stop records all of so much of the program's time (default 50 for -b alone; 0 = one stack)"),
	S(0, "branch-budget", branch_budget, "PERCENT", "branches in software: their share of the program's time (default 5)"),
	OPT_STRING_DEF(0, "branch-trace", struct record_opts, branch_trace, "BRANCHES", "1000000", "every branch from the first sample on, in software: so many of them (default 1000000), then the program runs as it is"),
	S(0, "branch-strategy", branch_strategy, "HOW", "branches in software: auto (default), interpret, breakpoint, block, step"),
	S(0, "reg-source", reg_source, "WHO", "user registers from: auto (default), kernel, ptrace"),
	S(0, "reg-budget", reg_budget, "PERCENT", "registers and call stacks by ptrace: their share of the program's time (default 5)"),
	OPT_CALL_OPTARG('I', "intr-regs", parse_intr_regs, "LIST", "registers at the sampled point: ax,r8-r15,zmm; all without a list; -I? lists what can be had"),
	OPT_CALL(0, "user-regs", parse_user_regs, "LIST", "registers of user space: likewise; --user-regs=? lists them"),
	B('d', "data", r.data, "data addresses and sources"),
	SAMPLE(0, "phys-data", PHYS_ADDR, "physical data addresses"),
	SAMPLE(0, "data-page-size", DATA_PAGE_SIZE, "page size of the data address"),
	SAMPLE(0, "code-page-size", CODE_PAGE_SIZE, "page size of the code address"),
	SAMPLE(0, "sample-mem-info", DATA_SRC, "where the data came from, without its address"),
	SAMPLE('W', "weight", WEIGHT_STRUCT, "weight: how long the access took"),
	SAMPLE(0, "transaction", TRANSACTION, "flags of transactional memory"),
	B('R', "raw-samples", r.raw, "raw bytes of all events"),
	OPT_CALL_NOARG('T', "timestamp", parse_timestamp, "time of each sample"),
	OPT_CALL_NOARG('P', "period", parse_period, "period of each sample"),
	B(0, "sample-identifier", r.identifier, "id of the event at the start of each sample"),
	B(0, "running-time", r.running_time, "with :S also how long each counter was enabled and running"),
	B(0, "sample-cpu", r.sample_cpu, "CPU of each sample"),
	B('s', "stat", r.stat, "per-thread counts"),
	S('k', "clockid", clock, "CLOCK", "clock of the timestamps: mono, mono_raw, real, boot, tai"),

	OPT_GROUP("Which other records"),
	B(0, "switch-events", r.switch_events, "context switches"),
	B(0, "latency", r.latency, "what perf report --latency needs: context switches"),
	B(0, "data-mmap", r.data_mmap, "maps that are not executable too"),
	B(0, "namespaces", r.namespaces, "namespaces"),
	B(0, "all-cgroups", r.all_cgroups, "cgroups"),
	OPT_CALL(0, "synth", parse_synth, "LIST", "what already runs, of these kinds: no, all (default), task, mmap, cgroup"),
	B(0, "no-bpf-event", r.no_bpf_event, "no records of BPF programs"),

	OPT_GROUP("Where it goes and how"),
	S('o', "output", r.output, "FILE", "output file (default perf.data); - writes a stream to stdout"),
	S('m', "mmap-pages", ring, "N[BKMG]", "pages (or bytes) of each ring, rounded up to 2^n"),
	OPT_STRING_DEF('z', "compression-level", struct record_opts, compress, "N", "1", "compress with zstd, level 1 to 22 (1 when none is given)"),
	S(0, "max-size", max_size, "SIZE", "stop when the file has this size (100M)"),
	OPT_STRING_DEF(0, "switch-output", struct record_opts, switch_output, "signal|SIZE|TIME", "signal", "begin another file at SIGUSR2, at a size (100M) or after a time (30s)"),
	OPT_UINT(0, "switch-max-files", struct record_opts, r.sw.max_files, "N", "keep the last N files of --switch-output"),
	B(0, "timestamp-filename", timestamp_filename, "add the time to the name of the file"),
	B(0, "overwrite", r.overwrite, "keep the newest records in the rings; they are read at the end and at --switch-output"),
	B(0, "tail-synthesize", r.tail_synthesize, "look for what runs at the end of each file, not at its start"),
	S(0, "mmap-flush", mmap_flush, "N[BKMG]", "leave a ring alone until it holds this much"),
	OPT_STRING_DEF(0, "aio", struct record_opts, aio, "N", "1", "accepted: writing never waits for the disk here"),
	B('B', "no-buildid", r.no_buildid, "do not collect build ids at the end"),
	B('N', "no-buildid-cache", r.no_buildid_cache, "copy no files of containers to the cache of build ids"),
	B(0, "keep-objects", r.keep_objects, "copy what containers ran that end before the recording does, too"),
	B(0, "buildid-all", r.buildid_all, "build ids of all objects, hit or not"),
	B(0, "no-buildid-mmap", r.no_buildid_mmap, "mmap records with device and inode instead of build ids"),
	OPT_CALL('D', "delay", parse_delay, "MS", "start counting after MS milliseconds, or count in ranges (10-20,30-40); -1: when --control says so"),
	S(0, "control", r.control, "SPEC", "fifo:CTL[,ACK] or fd:CTL[,ACK]: enable, disable, stop, ping ..."),
	B(0, "dry-run", r.dry_run, "check the options and the events, record nothing"),
	B(0, "no-buffering", r.no_buffering, "wake up at every sample"),
	OPT_UINT('r', "realtime", struct record_opts, r.realtime, "PRIORITY", "run at this priority of SCHED_FIFO"),
	B('q', "quiet", quiet, "no messages but errors"),
	OPT_INC('v', "verbose", struct record_opts, verbose, "more messages; -vv prints every attr"),

	OPT_GROUP("Pushing, see perf-data(1)"),
	S(0, "push", push.url, "URL", "push recordings into this engine; what it does not take waits in a spool"),
	S(0, "every", push.every, "SECONDS", "with --push: a recording each so many seconds, also 5m; else one at SIGUSR2 and at the end"),
	S(0, "service", push.data.table.service, "NAME", "with --push: what the recordings are of"),
	S(0, "service-by", push.data.table.service_by, "comm", "with --push: each process's name is a service"),
	S(0, "release", push.data.table.release, "NAME", "with --push: which release of the service runs"),
	OPT_LIST(0, "label", struct record_opts, push.data.table.labels, "KEY=VALUE", "with --push: something else to ask by"),
	S(0, "push-weight", push.data.table.weight, "W", "with --push: what all is to be multiplied by"),
	S(0, "redact", push.data.table.redact, "LIST", "with --push: hashes in place of path, host, comm"),
	S(0, "redact-key", push.data.table.redact_key, "FILE", "with --push: what the hashes are made with"),
	OPT_INCLUDE(struct record_opts, push.data.push.net, net_options),
	S(0, "spool", push.data.push.spool, "DIR", "with --push: where recordings wait (~/.cache/perf/push)"),
	S(0, "spool-limit", push.data.push.spool_limit, "SIZE", "with --push: the oldest are dropped beyond so many bytes (1G)"),
	S(0, "retry-for", push.data.push.retry_for, "SECONDS", "with --push: how long to try at the end (10)"),

	ACCEPTED("proc-map-timeout", record_accept_number, "MS", 0),
	ACCEPTED("num-thread-synthesize", record_accept_number, "N", 0),
	ACCEPTED("affinity", record_accept_affinity, "MODE", 0),
	ACCEPTED("buildid-mmap", record_accept, NULL, OPTION_NO_ARG | OPTION_NO_NEG),
	ACCEPTED("timestamp-boundary", record_accept, NULL, OPTION_NO_ARG),
	ACCEPTED("debuginfod", record_accept, "URLS", OPTION_OPTARG),
	REFUSED('S', "snapshot", "OPTS", OPTION_OPTARG),
	REFUSED(0, "aux-sample", "OPTS", OPTION_OPTARG),
	REFUSED(0, "kcore", NULL, OPTION_NO_ARG),
	REFUSED(0, "threads", "SPEC", OPTION_OPTARG),
	REFUSED(0, "off-cpu", NULL, OPTION_NO_ARG),
	REFUSED(0, "off-cpu-thresh", "MS", 0),
	REFUSED(0, "switch-output-event", "EVENT", 0),
	REFUSED(0, "setup-filter", "ACTION", 0),
	REFUSED(0, "vmlinux", "FILE", 0),
	{ .type = OPTION_CALL, .name = "_call-graph", .arg = "MODE", .flags = OPTION_HIDDEN,
	  .help = "what settings say of -g", .parse = parse_default_callchain },
	OPT_END(),
};
/* clang-format on */
