/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands: each is one const struct in its builtin-<command>.c. */
#ifndef PERF_BUILTIN_H
#define PERF_BUILTIN_H

#include <stdio.h>

#include "base/base.h"
#include "cli/cli.h"

extern const struct command cmd_annotate;
extern const struct command cmd_archive;
extern const struct command cmd_buildid_cache;
extern const struct command cmd_buildid_list;
extern const struct command cmd_check;
extern const struct command cmd_data;
extern const struct command cmd_diff;
extern const struct command cmd_evlist;
extern const struct command cmd_help;
extern const struct command cmd_inject;
extern const struct command cmd_list;
extern const struct command cmd_pmu_dt;
extern const struct command cmd_record;
extern const struct command cmd_report;
extern const struct command cmd_script;
extern const struct command cmd_test;
extern const struct command cmd_version;
extern const struct command cmd_xstate;

/* All commands, sorted by name. */
const struct command *const *perf_commands(size_t *nr);
const struct command *perf_command(const char *name); /* NULL = unknown */
void perf_print_commands(FILE *out);
/*
 * The status for @status, which is not 0 where the machine refused something that results may lack (base/lack.h); it is told then.
 * main() asks at its end. A process that a command forks asks at its own: what it was refused is known to nobody else.
 */
int perf_tell_lack(int status);

/* settings.c: the options that files of settings stand for. */
int perf_settings(const char *command, struct cli_args *args, struct err *e);

/* A line for each word that may stand behind @option of @cmd; "": that may be its first argument. */
void perf_print_values(const struct command *cmd, const char *option);
const char *data_format_name(size_t i); /* of `data convert --to`; NULL behind the last */

#endif
