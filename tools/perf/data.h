/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of perf data share. */
#ifndef PERF_DATA_H
#define PERF_DATA_H

#include "cli/cli.h"
#include "convert/convert.h"
#include "files.h"
#include "push.h"
#include "session/session.h"

struct merge_opts {
	const char *pids, *compress;
	bool no_kernel;
};

struct data_table_opts {
	const char *service, *service_by, *release, *weight, *redact, *redact_key;
	struct cli_list labels; /* KEY=VALUE */
	bool lines;
};

struct data_opts {
	struct data_table_opts table;
	struct data_push_opts push;
	struct data_pull_opts pull;
	struct session_opts session;
	const char *to, *to_json, *output, *by, *context;
	struct cli_list binaries;
	bool check, json, all, branches, time_order;
	struct merge_opts merge;
	uint64_t pieces; /* samples in each; 0 = all in one reading */
	int verbose;
};

struct data_ctx {
	const struct data_opts *o;
	const struct convert_format *format; /* NULL: --check alone */
	struct session_files files;	     /* all recordings; the session is of the first */
	struct session *session;
	struct perfdata *pd; /* the session's, as the next one */
	struct machine *m;
	struct convert *c;
	bool *chosen; /* of the objects of c */
	size_t nr_chosen;
	uint64_t bad_samples; /* of all pieces */
	struct convert_context_opts contexts;
	VEC(const char *) inputs; /* all that is read */
	struct cli_progress progress;
};

/* @path NULL or "-": stdout. */
int data_open_output(const char *path, struct obuf *o, struct err *err);
int data_close_output(const char *path, struct obuf *o, struct err *err);
/* data-options.c: of all subcommands, and of each. */
extern const struct option data_options[], data_verb_convert_options[], data_verb_merge_options[],
	data_verb_push_options[], data_verb_pull_options[];
/* data-merge.c: `perf data merge`. */
extern const struct option data_merge_options[]; /* of struct merge_opts */
int data_merge(const struct command *cmd, const struct data_opts *o, int argc, char **argv);
/*
 * `perf data convert`, in a box from then on. @pack: tables by gzip. CLI status, or DATA_IN_PART: all that came before the
 * damage of a recording is written, and the damage was told.
 */
#define DATA_IN_PART 3
int data_convert(const struct command *cmd, struct data_opts *o, bool pack, int argc, char **argv);
/* data-push.c: `perf data push` */
int data_push(const struct command *cmd, const struct data_opts *o, int argc, char **argv);
/* data-pull.c: `perf data pull` */
int data_pull(const struct command *cmd, const struct data_opts *o, int argc, char **argv);
/* data-tables.c: formats of several files, tables for databases. */
extern const struct option data_table_options[];	/* of struct data_table_opts */
bool data_table_asked(const struct data_table_opts *o); /* for anything */
/* Their words as room convert has them. CLI status. */
int data_table_read(const struct command *cmd, const struct data_table_opts *o,
		    struct convert_table_opts *to);
void data_table_free(struct convert_table_opts *to);
/* Files are opened below @dir. */
struct data_table_dir {
	const char *dir;
	char path[4300];
};
void data_table_into(struct convert_table_opts *to, struct data_table_dir *d);
/* A format of samples. */
int data_samples(struct data_ctx *d, struct convert_opts *opts, struct err *err);

#endif
