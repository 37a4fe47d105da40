// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf data push: recordings into an engine. Two processes share the work, so that none has both a stranger's bytes and a
 * network: a child in a box reads a recording and writes its tables into the spool, this one hands over what lies
 * there and never reads more of it than the list of files (net/spool.c).
 */
#include "base/lack.h"
#include "builtin.h"
#include "data.h"
#include "emit/emit.h"
#include "host/host.h"
#include "push.h"

#include <sys/wait.h>
#include <unistd.h>

#define RETRY_SECONDS 30

const struct option data_push_options[] = {
	OPT_BOOL(0, "init", struct data_push_opts, init, "make the tables in the engine"),
	OPT_STRING(0, "cluster", struct data_push_opts, cluster, "NAME",
		   "with --init, --print-schema: tables of the shards of this ClickHouse cluster"),
	OPT_STRING(0, "print-schema", struct data_push_opts, print_schema, "clickhouse|postgresql",
		   "print the statements that make the tables"),
	OPT_INCLUDE(struct data_push_opts, net, net_options),
	OPT_STRING(0, "spool", struct data_push_opts, spool, "DIR",
		   "where tables wait for the engine (~/.cache/perf/push)"),
	OPT_STRING(0, "spool-limit", struct data_push_opts, spool_limit, "SIZE",
		   "the oldest are dropped beyond so many bytes (1G)"),
	OPT_STRING(0, "retry-for", struct data_push_opts, retry_for, "SECONDS",
		   "how long to try again what can pass (30)"),
	OPT_END(),
};

/* ---- a recording into the spool -------------------------------------------------------------- */

/* In a child, which goes into a box of its own. */
static int convert_in_child(const struct command *cmd, const struct data_opts *o, const char *file,
			    const char *dir, enum net_kind kind)
{
	struct data_opts mine = *o;
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		lack_forget();
		mine.session.input = file;
		mine.to = kind == NET_POSTGRESQL ? "pgcopy" : "native";
		mine.output = dir;
		status = data_convert(cmd, &mine, true, 0, NULL);
		/* Tables that lack what was there to be read would stay with the engine for ever. */
		_exit(perf_tell_lack(status == DATA_IN_PART ? 0 : status) ?: status);
	}
	if (pid < 0) {
		log_error("%s cannot be read: no process for it: %s", file, strerror(errno));
		return 1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int push_into_spool(const struct command *cmd, const struct data_opts *o, struct net_spool *sp,
		    const char *file, enum net_kind kind)
{
	struct err e = { 0 };
	const char *dir;
	int ret = net_spool_begin(sp, &dir, &e);
	int status = ret ? 0 : convert_in_child(cmd, o, file, dir, kind);

	if (status && status != DATA_IN_PART) {
		/* It has said why. */
		log_error("%s is not pushed", file);
		return 1;
	}
	ret = ret ?: net_spool_keep(sp, &e);
	if (ret == 1)
		log_warn("%s: nothing to push", file);
	if (!ret && status)
		log_error("%s is pushed up to its damage", file);
	if (ret >= 0)
		return status;
	err_context(&e, "%s is not pushed", file);
	return cli_print_err(&e);
}

/* Recordings that go into the spool, each by one of several processes. */
struct filling {
	const struct command *cmd;
	const struct data_opts *o;
	const struct net_spool_opts *spool;
	const struct net_target *target;
	char **file;
	int n, step;
};

/* Every so manieth from @first on, by a spool of its own, which holds the one entry that is begun. 1: one failed. */
static int fill_from(const struct filling *f, int first)
{
	struct net_spool *sp;
	struct err e = { 0 };
	int failed = 0;

	if (net_spool_open(&sp, f->target, f->spool, &e))
		return cli_print_err(&e);
	for (int i = first; i < f->n; i += f->step)
		if (push_into_spool(f->cmd, f->o, sp, f->file[i], f->target->kind))
			failed = 1;
	net_spool_close(sp);
	return failed;
}

/* By as many processes as there are CPUs: reading and naming takes longer than sending. */
static int fill_spool(struct filling *f)
{
	pid_t pid[64];
	int failed = 0, status;

	f->step = (int)min_u64(min_u64(host_cpus_usable(), ARRAY_SIZE(pid)), (uint64_t)f->n);
	fflush(NULL);
	for (int k = 1; k < f->step; k++) {
		pid[k] = fork();
		if (!pid[k]) {
			lack_forget();
			_exit(perf_tell_lack(fill_from(f, k)));
		}
	}
	if (f->n)
		failed = fill_from(f, 0);
	for (int k = 1; k < f->step; k++) {
		if (pid[k] < 0) { /* no process: it is done here */
			failed |= fill_from(f, k);
			continue;
		}
		while (waitpid(pid[k], &status, 0) < 0 && errno == EINTR)
			;
		failed |= !WIFEXITED(status) || WEXITSTATUS(status);
	}
	return failed;
}

static void tell(void *ctx, const struct err *e)
{
	(void)ctx;
	cli_print_err(e);
}

/* The status: what is not loaded waits. */
static int send_all(struct net_spool *sp, const struct data_push_opts *o, uint64_t seconds)
{
	struct net_sending s = { .opts = o->net, .seconds = seconds, .fail = tell };

	s.opts.log = LOG_STDERR;
	if (!net_spool_send(sp, &s))
		return 0;
	log_error(
		"%zu of %zu recordings are loaded; the others wait in %s: perf data push URL goes on "
		"with them",
		s.sent, s.entries, net_spool_dir(sp));
	return PUSH_STATUS_KEPT;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int print_schema(const struct command *cmd, const struct data_push_opts *o)
{
	bool clickhouse = !strcmp(o->print_schema, "clickhouse");
	struct obuf out;
	struct err e;

	if (!clickhouse && strcmp(o->print_schema, "postgresql"))
		return cli_usage_error(cmd,
				       "--print-schema is 'clickhouse' or 'postgresql', not '%s'",
				       o->print_schema);
	if (data_open_output(NULL, &out, &e))
		return cli_print_err(&e);
	fleet_schema_print(clickhouse ? FLEET_CLICKHOUSE : FLEET_POSTGRESQL, o->cluster, NULL,
			   &out);
	return data_close_output(NULL, &out, &e) ? cli_print_err(&e) : 0;
}

static int make_tables(const struct data_push_opts *o, const struct net_target *t)
{
	struct net *n;
	struct err e = { 0 };
	int ret = net_open(&n, t, &o->net, &e);

	ret = ret ?: net_init_schema(n, o->cluster, &e);
	ret = ret ?: net_check_schema(n, &e);
	net_close(n);
	return ret ? cli_print_err(&e) : 0;
}

static bool is_name(const char *s)
{
	return *s &&
	       !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

int data_push(const struct command *cmd, const struct data_opts *o, int argc, char **argv)
{
	const struct data_push_opts *po = &o->push;
	uint64_t seconds = RETRY_SECONDS;
	struct net_spool_opts so = { .dir = po->spool,
				     .limit = PUSH_SPOOL_LIMIT,
				     .log = LOG_STDERR };
	struct net_spool *sp;
	struct net_target t;
	struct err e = { 0 };
	int ret, failed = 0;

	if (po->cluster && !is_name(po->cluster))
		return cli_usage_error(cmd, "--cluster takes a name, not '%s'", po->cluster);
	if (po->print_schema)
		return print_schema(cmd, po);
	if (argc < 1)
		return cli_usage_error(
			cmd, "push takes a URL and recordings: perf data push URL FILE...");
	if (po->spool_limit && cli_parse_size(po->spool_limit, &so.limit))
		return cli_usage_error(cmd, "--spool-limit takes a size, not '%s'",
				       po->spool_limit);
	if (po->retry_for && cli_parse_u64(po->retry_for, &seconds))
		return cli_usage_error(cmd, "--retry-for takes seconds, not '%s'", po->retry_for);
	log_set_level(o->verbose > 1 ? LOG_DEBUG : o->verbose ? LOG_INFO : LOG_WARN);
	if (net_target_parse(argv[0], &t, &e)) {
		cli_print_err(&e);
		return CLI_USAGE;
	}
	ret = po->init ? make_tables(po, &t) : 0;
	if (ret)
		return ret;
	if (net_spool_open(&sp, &t, &so, &e))
		return cli_print_err(&e);
	failed = fill_spool(&(struct filling){ cmd, o, &so, &t, argv + 1, argc - 1, 1 });
	ret = send_all(sp, po, seconds);
	net_spool_close(sp);
	return ret ?: failed;
}
