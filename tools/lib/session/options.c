// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The options that all commands share which read recordings: each is one row here, whatever
 * commands have it. A command includes the tables that it needs, under headings of its own; where
 * it has a short name or a text of its own for an option, that row of its own table goes first.
 */
#include "session/session.h"

#define O struct session_opts

/* The first one where everybody looks for it. */
static int parse_input(void *opts, const struct option *opt, const char *arg, bool unset,
		       struct err *e)
{
	struct session_opts *o = opts;

	(void)opt;
	if (unset) {
		o->input = NULL;
		o->more.items.n = 0;
	} else if (!o->input) {
		o->input = arg;
	} else if (vec_push(&o->more.items, arg)) {
		return err_set(e, -ENOMEM, "no memory for the names of files");
	}
	return 0;
}

static int parse_unwinder(void *opts, const struct option *opt, const char *arg, bool unset,
			  struct err *e)
{
	struct session_opts *o = opts;

	(void)opt;
	if (unset || !strcmp(arg, "perf"))
		o->unwinder = UNWIND_PERF;
	else if (!strcmp(arg, "libunwind"))
		o->unwinder = UNWIND_LIBUNWIND;
	else
		return err_set(e, -EINVAL, "there is no unwinder '%s', but perf and libunwind",
			       arg);
	return 0;
}

const struct option session_input_options[] = {
	OPT_CALL('i', "input", parse_input, "FILE", "recording to read; - is stdin (perf.data)"),
	OPT_BOOL('f', "force", O, force, "read files of other owners"),
	OPT_BOOL(0, "no-limits", O, no_limits, "read files that unpack to much more than they are"),
	OPT_BOOL(0, "no-sandbox", O, no_sandbox, "read with all the rights of this process"),
	OPT_END(),
};

const struct option session_jobs_options[] = {
	OPT_UINT('j', "jobs", O, jobs, "N", "read with N threads (as many as CPUs can be used)"),
	OPT_END(),
};

const struct option session_sample_options[] = {
	OPT_STRING(0, "time", O, time, "SPANS",
		   "START,STOP in seconds, 10%-20% or 10%/2 of the recording; several: blanks"),
	OPT_STRING('C', "cpu", O, cpus, "LIST", "only samples of these CPUs"),
	OPT_LIST('e', "event", O, events, "EVENT", "only samples of this event; may be repeated"),
	OPT_STRING(0, "comms", O, comms, "COMM,...", "only these commands"),
	OPT_STRING(0, "pid", O, pids, "PID,...", "only these processes"),
	OPT_STRING(0, "tid", O, tids, "TID,...", "only these threads"),
	OPT_STRING(0, "dsos", O, dsos, "DSO,...", "only these objects"),
	OPT_STRING('S', "symbols", O, symbols, "SYMBOL,...",
		   "only these functions, or these addresses"),
	OPT_STRING(0, "switch-on", O, switch_on, "EVENT", "samples count after this event ..."),
	OPT_STRING(0, "switch-off", O, switch_off, "EVENT", "... until this one"),
	OPT_BOOL(0, "show-on-off-events", O, show_switches, "these two events themselves too"),
	OPT_END(),
};

const struct option session_chain_options[] = {
	OPT_UINT(0, "max-stack", O, max_stack, "N", "at most N frames of a call chain (127)"),
	OPT_BOOL(0, "no-inline", O, no_inline, "no frames for inlined functions"),
	OPT_BOOL(0, "stitch-lbr", O, stitch_lbr, "join LBR call stacks of one thread"),
	OPT_CALL(0, "unwinder", parse_unwinder, "NAME",
		 "who unwinds copies of stacks: perf (default) or libunwind"),
	OPT_END(),
};

const struct option session_symbol_options[] = {
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
	OPT_BOOL(0, "no-symbol-cache", O, no_symbol_cache,
		 "make symbol tables anew: none of ~/.cache, and none put there"),
	OPT_END(),
};

#define INCLUDE(t)                                   \
	{                                            \
		.type = OPTION_INCLUDE, .table = (t) \
	}

const struct option session_options[] = {
	OPT_GROUP("Input"),
	INCLUDE(session_input_options),
	OPT_GROUP("Which samples"),
	INCLUDE(session_sample_options),
	OPT_GROUP("Call chains"),
	INCLUDE(session_chain_options),
	OPT_GROUP("Symbols"),
	INCLUDE(session_symbol_options),
	OPT_END(),
};

void session_opts_free(struct session_opts *o)
{
	cli_list_free(&o->events);
	cli_list_free(&o->more);
}
