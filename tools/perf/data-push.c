// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf data push: recordings into an engine. Two processes share the work, so that none has both a stranger's bytes and a
 * network: a child in a box reads a recording and writes its tables into the spool, this one hands over what lies
 * there and never reads more of it than the list of files. So what the engine does not take stays in the spool, and the
 * next push goes on with it; that is all there is to resuming.
 */
#include "builtin.h"
#include "data.h"
#include "emit/emit.h"
#include "push.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_KEPT   75 /* EX_TEMPFAIL: the spool has it */
#define SPOOL_LIMIT   (1ULL << 30)
#define RETRY_SECONDS 30

const struct option data_push_options[] = {
	OPT_BOOL(0, "init", struct data_push_opts, init, "make the tables in the engine"),
	OPT_STRING(0, "cluster", struct data_push_opts, cluster, "NAME",
		   "with --init, --print-schema: tables of the shards of this ClickHouse cluster"),
	OPT_STRING(0, "print-schema", struct data_push_opts, print_schema, "clickhouse|postgresql",
		   "print the statements that make the tables"),
	OPT_STRING(0, "password-file", struct data_push_opts, net.password_file, "FILE",
		   "its first line is the password (or PERF_PUSH_PASSWORD)"),
	OPT_STRING(0, "ca", struct data_push_opts, net.ca, "FILE", "certificates to trust"),
	OPT_BOOL(0, "insecure", struct data_push_opts, net.insecure,
		 "send to other machines without TLS"),
	OPT_STRING(0, "spool", struct data_push_opts, spool, "DIR",
		   "where tables wait for the engine (~/.cache/perf/push)"),
	OPT_STRING(0, "spool-limit", struct data_push_opts, spool_limit, "SIZE",
		   "the oldest are dropped beyond so many bytes (1G)"),
	OPT_STRING(0, "retry-for", struct data_push_opts, retry_for, "SECONDS",
		   "how long to try again what can pass (30)"),
	OPT_END(),
};

/* ---- the spool ------------------------------------------------------------------------------- */

struct spool {
	char dir[3000];
	char prefix[16]; /* of entries for this target: what waits for another one is not ours */
	uint64_t limit;
};

static void make_dirs(char *dir)
{
	for (char *s = dir + 1; (s = strchr(s, '/')); *s++ = '/') {
		*s = 0;
		(void)!mkdir(dir, 0700);
	}
	(void)!mkdir(dir, 0700);
}

static int spool_open(struct spool *sp, const struct data_push_opts *o, const struct net_target *t,
		      struct err *e)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct fleet_sha256 h;
	unsigned char d[32];

	if (o->spool)
		snprintf(sp->dir, sizeof(sp->dir), "%s", o->spool);
	else if (cache && *cache)
		snprintf(sp->dir, sizeof(sp->dir), "%s/perf/push", cache);
	else
		snprintf(sp->dir, sizeof(sp->dir), "%s/.cache/perf/push", home ? home : "/tmp");
	make_dirs(sp->dir);
	fleet_sha256_init(&h);
	fleet_sha256_add(&h, t->shown, strlen(t->shown));
	fleet_sha256_end(&h, d);
	for (int i = 0; i < 6; i++)
		snprintf(sp->prefix + 2 * i, 3, "%02x", d[i]);
	if (access(sp->dir, W_OK | X_OK)) {
		err_set(e, -errno, "tables cannot wait in %s: %s", sp->dir, strerror(errno));
		err_hint(e, "--spool DIR names another directory.");
		return e->code;
	}
	return 0;
}

/* Removes a directory of plain files; its size. */
static uint64_t drop(const char *dir, bool remove)
{
	DIR *d = opendir(dir);
	struct dirent *f;
	struct stat st;
	uint64_t size = 0;

	while (d && (f = readdir(d))) {
		if (f->d_name[0] == '.' || fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		size += (uint64_t)st.st_size;
		if (remove)
			unlinkat(dirfd(d), f->d_name, 0);
	}
	if (d)
		closedir(d);
	if (remove)
		rmdir(dir);
	return size;
}

struct entry {
	char path[3300];
	struct timespec at;
	uint64_t size;
};

struct entries {
	VEC(struct entry) v;
};

static int older(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->at.tv_sec != y->at.tv_sec)
		return x->at.tv_sec < y->at.tv_sec ? -1 : 1;
	if (x->at.tv_nsec != y->at.tv_nsec)
		return x->at.tv_nsec < y->at.tv_nsec ? -1 : 1;
	return strcmp(x->path, y->path);
}

/* Whole entries, the oldest first; @all: those for other targets too. */
static void list(const struct spool *sp, bool all, struct entries *out)
{
	DIR *d = opendir(sp->dir);
	struct dirent *f;
	struct stat st;

	while (d && (f = readdir(d))) {
		struct entry en = { .size = 0 };

		if (f->d_name[0] == '.' || !strncmp(f->d_name, "new-", 4) ||
		    (!all && strncmp(f->d_name, sp->prefix, 12) != 0))
			continue;
		snprintf(en.path, sizeof(en.path), "%s/%.255s", sp->dir, f->d_name);
		if (lstat(en.path, &st) || !S_ISDIR(st.st_mode))
			continue;
		en.at = st.st_mtim;
		en.size = drop(en.path, false);
		(void)!vec_push(&out->v, en); /* without it: later */
	}
	if (d)
		closedir(d);
	if (out->v.n)
		qsort(out->v.v, out->v.n, sizeof(*out->v.v), older);
}

static void keep_limit(const struct spool *sp)
{
	struct entries all = { 0 };
	uint64_t size = 0;

	list(sp, true, &all);
	vec_for_each (en, &all.v)
		size += en->size;
	for (size_t i = 0; size > sp->limit && i + 1 < all.v.n; i++) {
		log_warn(
			"%s is dropped: what waits in the spool has %llu bytes, more than --spool-limit",
			all.v.v[i].path, (unsigned long long)size);
		size -= all.v.v[i].size;
		drop(all.v.v[i].path, true);
	}
	vec_free(&all.v);
}

/* ---- a recording into the spool -------------------------------------------------------------- */

static int sync_all(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *f;
	int ret = 0;

	while (d && (f = readdir(d))) {
		int fd = f->d_name[0] == '.' ? -1
					     : openat(dirfd(d), f->d_name, O_RDONLY | O_CLOEXEC);

		if (fd >= 0 && fsync(fd))
			ret = -errno;
		if (fd >= 0)
			close(fd);
	}
	if (d && fsync(dirfd(d)))
		ret = -errno;
	if (d)
		closedir(d);
	return d ? ret : -errno;
}

/* The recording's number: the second line of the list. */
static bool number_of(const char *dir, char number[33])
{
	char path[3400], line[64];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/manifest", dir);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = sscanf(line, "recording %32[0-9a-f]", number) == 1;
	if (f)
		fclose(f);
	return found;
}

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
		mine.session.input = file;
		mine.to = kind == NET_CLICKHOUSE ? "native" : "pgcopy";
		mine.output = dir;
		_exit(data_convert(cmd, &mine, true, 0, NULL));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int into_spool(const struct command *cmd, const struct data_opts *o, struct spool *sp,
		      const char *file, enum net_kind kind)
{
	char dir[3100], entry[3200], number[33];
	int ret;

	snprintf(dir, sizeof(dir), "%s/new-%ld/", sp->dir, (long)getpid());
	if (mkdir(dir, 0700) && errno != EEXIST) {
		log_error("cannot make %s: %s", dir, strerror(errno));
		return 1;
	}
	ret = convert_in_child(cmd, o, file, dir, kind);
	if (!ret && !number_of(dir, number)) {
		log_warn("%s: nothing to push", file);
		drop(dir, true);
		return 0;
	}
	if (!ret && sync_all(dir)) {
		log_error("cannot keep the tables of %s in %s: %s", file, sp->dir, strerror(errno));
		ret = 1;
	}
	if (!ret) {
		snprintf(entry, sizeof(entry), "%s/%s-%s", sp->dir, sp->prefix, number);
		dir[strlen(dir) - 1] = 0;
		/* One that is there holds the same. */
		if (!rename(dir, entry) || errno == EEXIST || errno == ENOTEMPTY)
			keep_limit(sp);
		else
			ret = 1;
	}
	drop(dir, true);
	if (ret)
		log_error("%s is not pushed", file);
	return ret;
}

/* ---- out of the spool ------------------------------------------------------------------------ */

struct sender {
	const struct data_push_opts *o;
	const struct net_target *target;
	struct net *net;
	struct timespec end;
	unsigned pause; /* ms */
};

/* Waits, twice as long each time and never quite the same; false when there is no time left. */
static bool wait_some(struct sender *s, const struct err *why)
{
	struct timespec now, t;
	unsigned ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = s->pause + (unsigned)(now.tv_nsec / 1000) % (s->pause / 2 + 1);
	if ((s->end.tv_sec - now.tv_sec) * 1000 + (s->end.tv_nsec - now.tv_nsec) / 1000000 <
	    (long)ms)
		return false;
	log_info("%s; again in %u ms", why->text, ms);
	t = (struct timespec){ ms / 1000, ms % 1000 * 1000000L };
	nanosleep(&t, NULL);
	s->pause = s->pause < 30000 ? s->pause * 2 : 60000;
	return true;
}

static int connect_to(struct sender *s, struct err *e)
{
	struct net_opts no = s->o->net;
	int ret;

	if (s->net)
		return 0;
	no.log = LOG_STDERR;
	ret = net_open(&s->net, s->target, &no, e);
	ret = ret ?: net_check_schema(s->net, e);
	if (ret) {
		net_close(s->net);
		s->net = NULL;
	}
	return ret;
}

static int send_one(struct sender *s, const char *dir, struct err *e)
{
	struct net_pushed p = { 0 };
	int ret;

	do {
		ret = connect_to(s, e) ?: net_push(s->net, dir, &p, e);
		/* What broke may have left half an answer in the connection. */
		if (ret) {
			net_close(s->net);
			s->net = NULL;
		}
	} while (ret == -EAGAIN && wait_some(s, e));
	if (ret)
		return ret;
	s->pause = 1000;
	log_info("%s: %s", dir, p.already ? "was there already" : "is loaded");
	if (!p.already)
		log_info("%llu rows in %llu bytes", (unsigned long long)p.rows,
			 (unsigned long long)p.bytes);
	drop(dir, true);
	return 0;
}

/* 0, or what kept the rest here. */
static int send_all(const struct spool *sp, const struct data_push_opts *o,
		    const struct net_target *t, uint64_t seconds)
{
	struct sender s = { .o = o, .target = t, .pause = 1000 };
	struct entries all = { 0 };
	struct err e = { 0 };
	size_t sent = 0;
	int ret = 0, bad = 0;

	clock_gettime(CLOCK_MONOTONIC, &s.end);
	s.end.tv_sec += (time_t)seconds;
	list(sp, false, &all);
	for (size_t i = 0; i < all.v.n; i++) {
		ret = send_one(&s, all.v.v[i].path, &e);
		sent += !ret;
		if (!ret)
			continue;
		bad = ret;
		cli_print_err(&e);
		/* One that is damaged does not keep the others. */
		if (ret != -EINVAL)
			break;
	}
	if (bad)
		log_error(
			"%zu of %zu recordings are loaded; the others wait in %s: perf data push URL goes "
			"on with them",
			sent, all.v.n, sp->dir);
	net_close(s.net);
	vec_free(&all.v);
	return bad;
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
	fleet_schema_print(clickhouse ? FLEET_CLICKHOUSE : FLEET_POSTGRESQL, o->cluster, &out);
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
	struct spool sp = { .limit = SPOOL_LIMIT };
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
	if (o->to || o->output || o->check)
		return cli_usage_error(cmd, "push has no --to, --output and --check");
	if (po->spool_limit && cli_parse_size(po->spool_limit, &sp.limit))
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
	if (spool_open(&sp, po, &t, &e))
		return cli_print_err(&e);
	for (int i = 1; i < argc; i++)
		failed |= into_spool(cmd, o, &sp, argv[i], t.kind);
	ret = send_all(&sp, po, &t, seconds);
	return ret ? STATUS_KEPT : failed;
}
