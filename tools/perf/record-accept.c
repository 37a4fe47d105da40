// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record: options of other perfs that this one has no use for. What happens
 * anyway is accepted; what would be missing from the recording is refused, with the reason.
 */
#include <stdlib.h>

#include "record.h"

int record_accept(void *p, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	(void)p, (void)arg, (void)unset, (void)e;
	log_info("--%s: accepted; this recorder does not need it", opt->name);
	return 0;
}

int record_accept_number(void *p, const struct option *opt, const char *arg, bool unset,
			 struct err *e)
{
	uint64_t v;

	if (!unset && (cli_parse_u64(arg, &v) || !v))
		return err_set(e, -EINVAL, "--%s takes a number, not '%s'", opt->name, arg);
	return record_accept(p, opt, arg, unset, e);
}

int record_accept_affinity(void *p, const struct option *opt, const char *arg, bool unset,
			   struct err *e)
{
	if (!unset && strcmp(arg, "sys") && strcmp(arg, "node") && strcmp(arg, "cpu"))
		return err_set(e, -EINVAL, "--affinity takes sys, node or cpu, not '%s'", arg);
	return record_accept(p, opt, arg, unset, e);
}

int record_refuse(void *p, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	static const struct {
		const char *name, *why, *instead;
	} refused[] = {
		{ "snapshot", "there is no AUX area tracing (intel_pt, arm_spe) in this perf",
		  "A ring that keeps the newest samples: --overwrite --switch-output, and SIGUSR2." },
		{ "aux-sample", "there is no AUX area tracing (intel_pt, arm_spe) in this perf",
		  "Taken branches of the CPU: -b, -j." },
		{ "kcore", "a copy of /proc/kcore needs a directory in place of a file",
		  "Symbols of the kernel need no copy; for its code keep the vmlinux of this kernel." },
		{ "threads", "one thread empties all rings here, into one file",
		  "Larger rings (-m) and compression (-z) keep up with more CPUs." },
		{ "off-cpu",
		  "off-CPU time is measured by BPF programs, which this perf does not have",
		  "-e sched:sched_switch -g shows where tasks were switched out." },
		{ "off-cpu-thresh",
		  "off-CPU time is measured by BPF programs, which this perf does not have",
		  "-e sched:sched_switch -g shows where tasks were switched out." },
		{ "switch-output-event", "no event can switch the output here",
		  "--switch-output=signal and kill -USR2, a size, or a time." },
		{ "setup-filter", "there are no BPF filters in this perf",
		  "Filters of tracepoints are the kernel's own: --filter." },
		{ "vmlinux", "the kernel's symbols are not read while recording",
		  "Give it to the reader: perf report -k FILE." },
	};

	(void)p, (void)arg;
	if (unset)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (strcmp(refused[i].name, opt->name))
			continue;
		err_set(e, -EOPNOTSUPP, "--%s: %s", opt->name, refused[i].why);
		err_hint(e, "%s", refused[i].instead);
	}
	return -EOPNOTSUPP;
}
