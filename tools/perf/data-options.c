// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of perf data: those of each subcommand, and all of them, for help and completion. A subcommand takes those that say
 * something to it: one that says nothing would be believed to have done so (merge --redact).
 */
#include "data.h"

/* Rows of struct data_opts itself. */
#define PART(rows)                                       \
	{                                                \
		.type = OPTION_INCLUDE, .table = (rows), \
	}
/* In a command's own table, where it stands in for -j of the session, which is --json here. */
#define JOBS                                                     \
	OPT_UINT(0, "jobs", struct data_opts, session.jobs, "N", \
		 "read with N threads (as many as CPUs can be used)")

static const struct option output_options[] = {
	OPT_STRING('o', "output", struct data_opts, output, "FILE",
		   "a file, or a directory (DIR/) for one file per object; - is stdout"),
	OPT_END(),
};

static const struct option profile_options[] = {
	OPT_STRING(0, "to", struct data_opts, to, "FORMAT",
		   "what to write: --to help lists the formats"),
	OPT_LIST(0, "binary", struct data_opts, binaries, "FILE",
		 "only this object: a path, or the basename that was recorded"),
	OPT_END(),
};

static const struct option verbose_options[] = {
	OPT_INC('v', "verbose", struct data_opts, verbose, "say more"),
	OPT_END(),
};

static const struct option only_convert_options[] = {
	OPT_BOOL(0, "check", struct data_opts, check,
		 "say how much of the recording reaches each profile, write nothing"),
	OPT_STRING(0, "to-json", struct data_opts, to_json, "FILE", "as --to json -o FILE"),
	OPT_BOOL(0, "all", struct data_opts, all,
		 "json: also what tasks did: names, forks, ends, mappings"),
	OPT_STRING(0, "by", struct data_opts, by, "LIST",
		   "keep samples apart by event, comm, pid, tid or cpu"),
	OPT_STRING_DEF(
		0, "context", struct data_opts, context, "MIN", "",
		"llvm, llvm-extbinary: functions by who called them, in contexts that ran MIN "
		"instructions (a millionth of all)"),
	OPT_BOOL(0, "branches", struct data_opts, branches,
		 "pprof: branches taken, from where to where, in place of samples"),
	OPT_BOOL(0, "time-order", struct data_opts, time_order,
		 "speedscope: samples one by one, as they came, by thread"),
	OPT_BOOL('j', "json", struct data_opts, json, "check: print JSON"),
	{ .type = OPTION_UINT,
	  .name = "pieces",
	  .arg = "N",
	  .help = "read every N samples in a session of their own, then add up",
	  .offset = offsetof(struct data_opts, pieces),
	  .flags = OPTION_HIDDEN },
	OPT_END(),
};

/* Of all subcommands. */
const struct option data_options[] = {
	PART(profile_options),
	PART(output_options),
	PART(only_convert_options),
	JOBS,
	PART(verbose_options),
	OPT_GROUP("Tables: parquet, native, pgcopy"),
	OPT_INCLUDE(struct data_opts, table, data_table_options),
	OPT_GROUP("Pushing and pulling"),
	OPT_INCLUDE(struct data_opts, push, data_push_options),
	OPT_INCLUDE(struct data_opts, pull, data_pull_options),
	OPT_GROUP("Merging"),
	OPT_INCLUDE(struct data_opts, merge, data_merge_options),
	OPT_INCLUDE(struct data_opts, session, session_options),
	OPT_END(),
};

const struct option data_verb_convert_options[] = {
	PART(profile_options),
	PART(output_options),
	PART(only_convert_options),
	JOBS,
	PART(verbose_options),
	OPT_GROUP("Tables: parquet, native, pgcopy"),
	OPT_INCLUDE(struct data_opts, table, data_table_options),
	OPT_INCLUDE(struct data_opts, session, session_options),
	OPT_END(),
};

const struct option data_verb_merge_options[] = {
	PART(output_options),
	PART(verbose_options),
	OPT_INCLUDE(struct data_opts, merge, data_merge_options),
	OPT_INCLUDE(struct data_opts, session, session_input_options),
	OPT_END(),
};

const struct option data_verb_push_options[] = {
	JOBS,
	PART(verbose_options),
	OPT_INCLUDE(struct data_opts, push, data_push_options),
	OPT_GROUP("Tables"),
	OPT_INCLUDE(struct data_opts, table, data_table_options),
	OPT_INCLUDE(struct data_opts, session, session_options),
	OPT_END(),
};

const struct option data_verb_pull_options[] = {
	PART(profile_options),
	PART(output_options),
	PART(verbose_options),
	OPT_INCLUDE(struct data_opts, pull, data_pull_options),
	OPT_INCLUDE(struct data_opts, push.net, net_options),
	OPT_END(),
};
