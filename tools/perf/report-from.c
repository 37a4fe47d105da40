// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf report --from URL: what many recordings have in common, out of an engine. The engine adds up by call chain, or by
 * function where nobody asks for more; what it answers becomes a recording with symbols beside it (fleet.h, compose), in
 * a directory of ours, and a child goes on as if -i had named that. This process waits, and removes it, whoever ends it.
 */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lack.h"
#include "builtin.h"
#include "net/net.h"
#include "report.h"

#define AT_ONCE 200 /* objects that one query asks about */

const struct option report_from_options[] = {
	OPT_STRING(0, "from", struct report_from_opts, url, "URL",
		   "what an engine has of many recordings: perf-data(1), PUSHING AND PULLING"),
	OPT_STRING(0, "where", struct report_from_opts, where, "SQL",
		   "only loads of which this holds: service = 'web' AND day >= '2026-01-31'"),
	OPT_INCLUDE(struct report_from_opts, net, net_options),
	OPT_END(),
};

struct asking {
	struct net *n;
	struct fleet_compose *c;
	bool paths, branches;
	uint64_t rows;
};

/* ---- what is asked for --------------------------------------------------------------------------- */

static bool has_key(const char *list, const char *key)
{
	size_t n = strlen(key);

	for (const char *s = list; s && (s = strstr(s, key)); s += n)
		if ((s == list || s[-1] == ',') && (!s[n] || s[n] == ','))
			return true;
	return false;
}

static bool wants_chains(const struct report_opts *o)
{
	return (o->chain_given && !o->chain_none) || o->html || o->children_given;
}

static int check_words(const struct report *r, int argc, struct err *e)
{
	static const char *const samples[] = { "comm",	   "dso",    "sym",   "symbol",
					       "overhead", "sample", "period" };
	static const char *const branches[] = { "dso_from",  "dso_to",	   "symbol_from",
						"symbol_to", "mispredict", "type",
						"overhead",  "sample",	   "period" };
	const struct report_opts *o = &r->o;
	const char *const *known = o->branch ? branches : samples;
	size_t nr = o->branch ? ARRAY_SIZE(branches) : ARRAY_SIZE(samples);
	const char *s = o->sort;

	if (!o->from.url)
		return o->from.where || net_asked(&o->from.net)
			       ? err_set(e, -EINVAL, "--where and its like go with --from URL")
			       : 0;
	if (argc || o->session.input)
		return err_set(e, -EINVAL, "--from URL is in place of files");
	if (o->branches || o->total_cycles || o->hot_paths || (o->branch && wants_chains(o))) {
		err_set(e, -EINVAL,
			"--from has branches (-b) one by one, not which came after which, "
			"nor their callers");
		err_hint(e,
			 "The profile of branches of a build: perf data pull URL --build-id ID.");
		return -EINVAL;
	}
	while (s && *s) {
		size_t n = strcspn(s, ","), i = 0;

		while (i < nr && (strlen(known[i]) != n || memcmp(known[i], s, n) != 0))
			i++;
		if (i == nr)
			return err_set(
				e, -EINVAL, "--from tells rows apart by %s, not by '%.*s'",
				o->branch ? "dso_from, symbol_from, dso_to, symbol_to, mispredict "
					    "and type"
					  : "comm, dso and sym",
				(int)n, s);
		s += n + (s[n] == ',');
	}
	return 0;
}

/* ---- queries ------------------------------------------------------------------------------------- */

static bool take_number(const char *s, uint64_t *v)
{
	char *end;
	double d = strtod(s, &end);

	*v = d > 0 && d < 9e18 ? (uint64_t)llround(d) : 0;
	return end != s && !*end && d >= 0 && d < 9e18;
}

static bool take_integer(const char *s, int64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoll(s, &end, 10);
	return end != s && !*end && !errno;
}

static int not_ours(const char *what, struct err *e)
{
	return err_set(e, -EPROTO, "the engine's answer about %s is none", what);
}

/* event, path, name, object, func, n, period */
static int take_row(void *ctx, char **f, size_t nr, struct err *e)
{
	struct asking *a = ctx;
	struct fleet_row row;
	int64_t path;

	if (nr != 7 || !take_integer(f[1], &path) || path < 0 || !take_integer(f[4], &row.func) ||
	    !take_number(f[5], &row.n) || !take_number(f[6], &row.period))
		return not_ours("samples", e);
	row.event = f[0];
	row.path = (uint64_t)path;
	row.name = f[2];
	row.object = f[3];
	a->rows++;
	return fleet_compose_row(a->c, &row, e);
}

/* event, object, from_func, to_object, to_func, type, taken, mispred, cycles, cycles_n */
static int take_branch(void *ctx, char **f, size_t nr, struct err *e)
{
	struct asking *a = ctx;
	struct fleet_branch b;

	if (nr != 10 || !take_integer(f[2], &b.from_func) || !take_integer(f[4], &b.to_func) ||
	    !take_integer(f[5], &b.type) || !take_number(f[6], &b.taken) ||
	    !take_number(f[7], &b.mispred) || !take_number(f[8], &b.cycles) ||
	    !take_number(f[9], &b.cycles_n))
		return not_ours("branches", e);
	b.event = f[0];
	b.object = f[1];
	b.to_object = f[3];
	a->rows++;
	return fleet_compose_branch(a->c, &b, e);
}

/* object, kind, path */
static int take_object(void *ctx, char **f, size_t nr, struct err *e)
{
	struct asking *a = ctx;

	return nr != 3 ? not_ours("objects", e) : fleet_compose_object(a->c, f[0], f[1], f[2], e);
}

/* object, func, name */
static int take_function(void *ctx, char **f, size_t nr, struct err *e)
{
	struct asking *a = ctx;
	int64_t func;

	return nr != 3 || !take_integer(f[1], &func)
		       ? not_ours("functions", e)
		       : fleet_compose_function(a->c, f[0], func, f[2], e);
}

static int take_lost(void *ctx, char **f, size_t nr, struct err *e)
{
	struct asking *a = ctx;
	uint64_t lost;

	if (nr != 1 || !take_number(*f[0] ? f[0] : "0", &lost))
		return not_ours("losses", e);
	fleet_compose_lost(a->c, lost);
	return 0;
}

static int ask(struct asking *a, struct obuf *sql, net_row_fn *row, struct err *e)
{
	int ret;

	obuf_char(sql, 0);
	ret = sql->code ? err_set(e, -ENOMEM, "no memory for a query")
			: net_query(a->n, sql->buf, row, a, e);
	free(sql->buf);
	return ret;
}

static int ask_rows(struct asking *a, const char *where, struct err *e)
{
	bool clickhouse = net_target(a->n)->kind == NET_CLICKHOUSE;
	const char *by = a->paths ? "event, path, name, object, func" : "event, object, func";
	struct obuf sql = { .fd = -1 };

	obuf_printf(
		&sql,
		"SELECT event, %s, object, func, sum(self_n) AS hits, sum(self_period * weight) AS cost "
		"FROM stacks %s (SELECT load, event, weight FROM loads WHERE (\n%s\n)) %s USING %s "
		"%s GROUP BY %s ORDER BY %s",
		a->paths ? "path, name" : "0, ''", clickhouse ? "GLOBAL ANY INNER JOIN" : "JOIN",
		where ? where : "1 = 1", clickhouse ? "" : "l", clickhouse ? "load" : "(load)",
		a->paths ? "" : "WHERE self_n > 0", by, by);
	return ask(a, &sql, take_row, e);
}

static int ask_branches(struct asking *a, const char *where, struct err *e)
{
	bool clickhouse = net_target(a->n)->kind == NET_CLICKHOUSE;
	const char *by = "event, object, from_func, to_object, to_func, type";
	struct obuf sql = { .fd = -1 };

	obuf_printf(
		&sql,
		"SELECT %s, sum(taken * weight), sum(mispred * weight), sum(cycles * weight), "
		"sum(cycles_n * weight) FROM edges %s (SELECT load, event, weight FROM loads WHERE "
		"(\n%s\n)) %s USING %s GROUP BY %s ORDER BY %s",
		by, clickhouse ? "GLOBAL ANY INNER JOIN" : "JOIN", where ? where : "1 = 1",
		clickhouse ? "" : "l", clickhouse ? "load" : "(load)", by, by);
	return ask(a, &sql, take_branch, e);
}

/* A recording tells all of its losses with each of its loads. */
static int ask_lost(struct asking *a, const char *where, struct err *e)
{
	struct obuf sql = { .fd = -1 };

	obuf_printf(&sql,
		    "SELECT sum(most) FROM (SELECT recording, max(lost) AS most FROM loads "
		    "WHERE (\n%s\n) GROUP BY recording) l",
		    where ? where : "1 = 1");
	return ask(a, &sql, take_lost, e);
}

/* What an engine calls an object is quoted as a string of SQL. */
static void put_quoted(struct obuf *o, const char *s, bool clickhouse)
{
	obuf_char(o, '\'');
	for (; *s; s++) {
		if (*s == '\'' || (*s == '\\' && clickhouse))
			obuf_char(o, *s);
		obuf_char(o, *s);
	}
	obuf_char(o, '\'');
}

static int ask_about(struct asking *a, const char *select, const char *group, net_row_fn *row,
		     struct err *e)
{
	bool clickhouse = net_target(a->n)->kind == NET_CLICKHOUSE;
	size_t i = 0;
	int ret = 0;

	while (!ret && fleet_compose_needs(a->c, i)) {
		struct obuf sql = { .fd = -1 };
		const char *id;

		obuf_printf(&sql, "%s WHERE object IN (''", select);
		for (size_t n = 0; n < AT_ONCE && (id = fleet_compose_needs(a->c, i)); n++, i++) {
			obuf_char(&sql, ',');
			put_quoted(&sql, id, clickhouse);
		}
		obuf_printf(&sql, ") %s", group);
		ret = ask(a, &sql, row, e);
	}
	return ret;
}

static int ask_all(struct asking *a, const struct report_from_opts *o, struct err *e)
{
	int ret = net_check_schema(a->n, e);

	ret = ret ?: a->branches ? ask_branches(a, o->where, e) : ask_rows(a, o->where, e);
	if (!ret && !a->rows) {
		ret = err_set(e, -ENOENT, "%s has no %s%s%.200s", net_target(a->n)->shown,
			      a->branches ? "branches" : "samples",
			      o->where ? " of loads where " : "", o->where ? o->where : "");
		err_hint(e, "What it has: SELECT service, release, event, COUNT(*) FROM loads "
			    "GROUP BY service, release, event.");
	}
	ret = ret ?: ask_lost(a, o->where, e);
	ret = ret
		      ?: ask_about(a, "SELECT object, min(kind), min(path) FROM objects",
				   "GROUP BY object ORDER BY object", take_object, e);
	return ret
		       ?: ask_about(a, "SELECT object, func, min(name) FROM functions",
				    "GROUP BY object, func ORDER BY object, func", take_function,
				    e);
}

/* ---- a recording of it --------------------------------------------------------------------------- */

/* *@c: what the engine has. */
static int ask_engine(const struct report_opts *o, struct fleet_compose **c, struct err *e)
{
	struct net_opts opts = o->from.net;
	struct asking a = { .paths = wants_chains(o) || !o->sort || has_key(o->sort, "comm"),
			    .branches = o->branch };
	struct net_target t;
	int ret = net_target_parse(o->from.url, &t, e);

	opts.read_only = true;
	opts.log = LOG_STDERR;
	ret = ret ?: fleet_compose_new(&a.c, e);
	ret = ret ?: net_open(&a.n, &t, &opts, e);
	ret = ret ?: ask_all(&a, &o->from, e);
	net_close(a.n);
	if (ret)
		fleet_compose_free(a.c);
	*c = a.c;
	return ret;
}

static int write_answer(const struct report_opts *o, struct fleet_compose *c, const char *dir,
			struct err *e)
{
	struct fleet_composed done;
	int ret = fleet_compose_write(c, dir, wants_chains(o), &done, e);

	if (!ret && done.of_each > 1)
		log_warn(o->branch ? "one branch stands for %" PRIu64 " of %" PRIu64
				   : "one sample stands for %" PRIu64 " of %" PRIu64
				     "; periods are whole",
			 done.of_each, done.samples);
	return ret;
}

static bool remove_dir(const char *path)
{
	struct dirent *f;
	DIR *d = opendir(path);

	while (d && (f = readdir(d)))
		unlinkat(dirfd(d), f->d_name, 0);
	if (d)
		closedir(d);
	return !rmdir(path) || errno == ENOENT;
}

/* A directory of write_answer(), with the one in it. What a signal comes between is tried again. */
static void clean(const char *dir)
{
	char objects[4500];

	snprintf(objects, sizeof(objects), "%s/objects", dir);
	for (int tries = 0; tries < 2; tries++) {
		remove_dir(objects);
		if (remove_dir(dir))
			return;
	}
	log_warn("%s stays, with what the engine answered: %s", dir, strerror(errno));
}

/* In a child, which goes into its box. */
static int show(struct report *r, const char *dir)
{
	struct session_opts *so = &r->o.session;

	so->input = arena_printf(&r->args, "%s/recording", dir);
	so->symfs = arena_printf(&r->args, "%s/objects", dir);
	so->kallsyms = arena_printf(&r->args, "%s/kallsyms", dir);
	so->ignore_vmlinux = true;
	if (r->o.branch && !r->o.sort)
		r->o.sort = "dso_from,symbol_from,dso_to,symbol_to,mispredict";
	so->no_demangle = so->no_symbol_cache = so->no_inline = true;
	return so->input && so->symfs && so->kallsyms ? report_files(r, 0, NULL) : 1;
}

/* Whatever ends processes goes on to the child: what it reads has to be removed when it has ended. */
static int wait_for(pid_t pid, const sigset_t *ends)
{
	int status = 0, sig;
	pid_t got;

	for (;;) {
		got = waitpid(pid, &status, WNOHANG);
		if (got && (got > 0 || errno != EINTR))
			return got > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		sig = got ? SIGCHLD : sigwaitinfo(ends, NULL);
		if (sig > 0 && sig != SIGCHLD)
			kill(pid, sig);
	}
}

/* In a directory of its own; signals that come meanwhile wait until it is gone. Frees @c. */
static int write_and_show(struct report *r, struct fleet_compose *c, struct err *e)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGCHLD };
	const char *tmp = getenv("TMPDIR");
	sigset_t set, before;
	char dir[4200];
	bool made;
	int ret = 0;
	pid_t pid;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		sigaddset(&set, ends[i]);
	signal(SIGCHLD, SIG_DFL); /* where nobody is to tell of it there is none to wait for */
	sigprocmask(SIG_BLOCK, &set, &before);
	snprintf(dir, sizeof(dir), "%.4000s/perf-from.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		ret = err_set(e, -errno,
			      "cannot make a directory for what the engine answers, %s: %s", dir,
			      strerror(errno));
	made = !ret;
	ret = ret ?: write_answer(&r->o, c, dir, e);
	fleet_compose_free(c);
	if (!ret) {
		fflush(NULL);
		pid = fork();
		if (!pid) {
			lack_forget(); /* the parent tells it, too */
			sigprocmask(SIG_SETMASK, &before, NULL);
			ret = perf_tell_lack(show(r, dir));
			cli_pager_wait(); /* it is a child of this one */
			exit(ret);
		}
		ret = pid > 0 ? wait_for(pid, &set)
			      : err_set(e, -errno,
					"cannot start a process that shows what the engine "
					"answered: %s",
					strerror(errno));
	}
	if (made)
		clean(dir);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int report_from(struct report *r, int argc, bool *taken)
{
	struct fleet_compose *c;
	struct err e = { 0 };
	int ret = check_words(r, argc, &e);

	*taken = ret || r->o.from.url;
	if (ret) {
		cli_print_err(&e);
		return CLI_USAGE;
	}
	if (!r->o.from.url)
		return 0;
	ret = ask_engine(&r->o, &c, &e);
	ret = ret ?: write_and_show(r, c, &e);
	return ret < 0 ? cli_print_err(&e) : ret;
}
