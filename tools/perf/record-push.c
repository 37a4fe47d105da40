// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf record --push: recordings that leave the machine as they come. The recorder switches files, which lie in the
 * spool as "recording" and get a time behind that when they are whole. A process of its own, started before any event is
 * open, does the rest, so that the recorder never waits for a network: it looks for whole recordings, turns them into
 * entries of the spool, removes them, and sends what waits. It is told to look by a pipe, and its end says that the
 * recorder's has come. Nothing is handed over but names in a directory: whoever is killed, the next service finds all of
 * it there, and an entry that went out twice is in the engine once (net.h).
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

#define WHOLE	 "recording."
#define REFUSED	 "refused."
#define DAMAGED	 "damaged."
#define LAST_S	 10	    /* seconds that the end may take */
#define ROOM	 (64 << 20) /* bytes: with less on the disk a failure is the disk's */
#define PAUSE_MS 1000	    /* between tries; twice as long each time */
#define MOST_MS	 60000

/* ---- options ------------------------------------------------------------------------------------- */

static int check_words(const struct record_opts *o, struct err *e)
{
	const struct data_opts *d = &o->push.data;

	if (!o->push.url && (o->push.every || data_table_asked(&d->table) || d->push.spool ||
			     d->push.spool_limit || d->push.retry_for || net_asked(&d->push.net)))
		return err_set(e, -EINVAL,
			       "--every, --service, --spool and their like go with --push URL");
	if (o->push.url && o->r.output)
		return err_set(e, -EINVAL,
			       "--push writes into its spool (--spool DIR) and removes what is "
			       "pushed: there is no -o");
	if (o->push.url && (o->switch_output || o->r.sw.max_files))
		return err_set(e, -EINVAL, "--push switches files itself: see --every");
	return 0;
}

static int prepare_numbers(struct record_opts *o, struct err *e)
{
	struct record_push *p = &o->push;
	const struct data_push_opts *po = &p->data.push;
	uint64_t every = 0;

	p->limit = PUSH_SPOOL_LIMIT;
	p->last_s = LAST_S;
	if (p->every && !cli_parse_u64(p->every, &every))
		every = every > UINT32_MAX ? 0 : every * 1000;
	else if (p->every && cli_parse_duration(p->every, &every))
		every = 0;
	if (p->every && every < 1000)
		return err_set(e, -EINVAL, "--every takes seconds, at least 1, not '%s'", p->every);
	if (po->spool_limit && cli_parse_size(po->spool_limit, &p->limit))
		return err_set(e, -EINVAL, "--spool-limit takes a size, not '%s'", po->spool_limit);
	if (po->retry_for && cli_parse_u64(po->retry_for, &p->last_s))
		return err_set(e, -EINVAL, "--retry-for takes seconds, not '%s'", po->retry_for);
	o->r.sw.every_ms = every;
	return 0;
}

/* What the tables are to be called: told now, not by the first recording. */
static int check_tables(const struct record_opts *o, struct err *e)
{
	struct convert_table_opts t = { 0 };
	int ret = data_table_read(&cmd_record, &o->push.data.table, &t);

	data_table_free(&t);
	return ret ? err_set(e, -EINVAL, "nothing could be pushed like that") : 0;
}

/* One service for each spool: it would push and remove what another one still writes. */
static int lock_spool(struct record_push *p, struct err *e)
{
	char path[sizeof(p->output) + 8];

	snprintf(path, sizeof(path), "%s/.lock", net_spool_dir(p->spool));
	p->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (p->lock >= 0 && !flock(p->lock, LOCK_EX | LOCK_NB))
		return 0;
	err_set(e, -errno, "cannot record into %s: %s", net_spool_dir(p->spool),
		errno == EWOULDBLOCK ? "another perf record --push does" : strerror(errno));
	err_hint(e, "--spool DIR names another directory, of your own.");
	return e->code;
}

int record_push_prepare(struct record_opts *o, struct err *e)
{
	struct record_push *p = &o->push;
	struct net_spool_opts so = { .dir = p->data.push.spool, .log = LOG_STDERR };
	int ret = check_words(o, e);

	if (ret || !p->url)
		return ret;
	ret = net_target_parse(p->url, &p->target, e);
	ret = ret ?: prepare_numbers(o, e);
	ret = ret ?: check_tables(o, e);
	so.limit = p->limit;
	ret = ret ?: net_spool_open(&p->spool, &p->target, &so, e);
	ret = ret ?: lock_spool(p, e);
	if (ret)
		return ret;
	snprintf(p->output, sizeof(p->output), "%s/recording", net_spool_dir(p->spool));
	o->r.output = p->output;
	return 0;
}

/* ---- recordings that are whole ------------------------------------------------------------------- */

struct pusher {
	struct record_push *p;
	int dir;
	bool waits;	 /* something may be in the spool */
	char said[768];	 /* the last error: said once, not every minute */
	unsigned pause;	 /* ms */
	int64_t next_ms; /* not before this is it tried again */
	int bell;
	int64_t end_ms; /* 0 = the recorder goes on */
};

static int is_whole(const struct dirent *f)
{
	return !strncmp(f->d_name, WHOLE, strlen(WHOLE));
}

static int is_to_be_tried(const struct dirent *f)
{
	return is_whole(f) || !strncmp(f->d_name, REFUSED, strlen(REFUSED));
}

static int is_kept(const struct dirent *f)
{
	return is_to_be_tried(f) || !strncmp(f->d_name, DAMAGED, strlen(DAMAGED));
}

/* Behind "recording." and its like stands a time. */
static int older(const struct dirent **a, const struct dirent **b)
{
	return strcmp(strchr((*a)->d_name, '.'), strchr((*b)->d_name, '.'));
}

/* Calls @fn for each file that @choose chooses, the oldest first. */
static void each(struct pusher *u, int (*choose)(const struct dirent *),
		 void (*fn)(struct pusher *u, const char *name, uint64_t *size), uint64_t *size)
{
	struct dirent **list;
	int n = scandirat(u->dir, ".", &list, choose, older);

	for (int i = 0; i < n; i++) {
		fn(u, list[i]->d_name, size);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static bool disk_is_full(const struct pusher *u)
{
	struct statvfs v;

	return !fstatvfs(u->dir, &v) && (uint64_t)v.f_bavail * v.f_frsize < ROOM;
}

/*
 * One that cannot be read is put aside; one that the disk had no room for is tried again. One that is damaged has gone
 * out up to there: it is kept for somebody to look at, and not tried again, as Pyroscope would add it up twice.
 */
static void take(struct pusher *u, const char *name, uint64_t *size)
{
	char path[sizeof(u->p->output) + 256], other[300];
	bool part;
	int status;

	(void)size;
	snprintf(path, sizeof(path), "%s/%s", net_spool_dir(u->p->spool), name);
	status = push_into_spool(&cmd_data, &u->p->data, u->p->spool, path, u->p->target.kind);
	part = status == DATA_IN_PART;
	u->waits |= !status || part;
	if (!status) {
		unlinkat(u->dir, name, 0);
	} else if (part || !disk_is_full(u)) {
		snprintf(other, sizeof(other), "%s%s", part ? DAMAGED : REFUSED,
			 name + strlen(WHOLE));
		if (!renameat(u->dir, name, u->dir, other))
			log_error("it is kept as %s/%s", net_spool_dir(u->p->spool), other);
	}
}

static void add_size(struct pusher *u, const char *name, uint64_t *size)
{
	struct stat st;

	if (!fstatat(u->dir, name, &st, AT_SYMLINK_NOFOLLOW))
		*size += (uint64_t)st.st_size;
}

static void drop_beyond(struct pusher *u, const char *name, uint64_t *size)
{
	uint64_t mine = 0;

	add_size(u, name, &mine);
	if (*size <= u->p->limit || unlinkat(u->dir, name, 0))
		return;
	*size -= mine;
	log_warn("%s/%s is dropped: recordings that could not be read have more bytes than "
		 "--spool-limit",
		 net_spool_dir(u->p->spool), name);
}

static void take_all(struct pusher *u)
{
	uint64_t size = 0;

	each(u, is_whole, take, NULL);
	each(u, is_kept, add_size, &size);
	if (size > u->p->limit)
		each(u, is_kept, drop_beyond, &size);
}

/* What an earlier service left: files that it had not finished, and such as could not be read. */
static void adopt(struct pusher *u, const char *name, uint64_t *size)
{
	char other[300];

	(void)size;
	snprintf(other, sizeof(other), WHOLE "%s", strchr(name, '.') + 1);
	renameat(u->dir, name, u->dir, other);
}

static void take_over(struct pusher *u)
{
	char other[64];
	struct stat st;

	each(u, is_to_be_tried, adopt, NULL);
	if (fstatat(u->dir, "recording", &st, AT_SYMLINK_NOFOLLOW))
		return;
	snprintf(other, sizeof(other), WHOLE "%lld.left", (long long)st.st_mtime);
	if (st.st_size)
		renameat(u->dir, "recording", u->dir, other);
	else
		unlinkat(u->dir, "recording", 0);
}

/* ---- sending ------------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void tell(void *ctx, const struct err *e)
{
	struct pusher *u = ctx;

	if (!strcmp(u->said, e->text))
		return;
	snprintf(u->said, sizeof(u->said), "%s", e->text);
	cli_print_err(e);
}

/* The end has come when nobody is left to ring; what is being sent then has --retry-for, too. */
static int64_t end_of_sending(void *ctx)
{
	struct pusher *u = ctx;
	struct pollfd pf = { u->bell, 0, 0 };

	if (!u->end_ms && poll(&pf, 1, 0) > 0 && pf.revents & POLLHUP)
		u->end_ms = now_ms() + (int64_t)min_u64(max_u64(u->p->last_s, 1), INT_MAX) * 1000;
	return u->end_ms ?: INT64_MAX;
}

static void send_all(struct pusher *u, uint64_t seconds)
{
	struct net_sending s = {
		.opts = u->p->data.push.net, .seconds = seconds, .fail = tell, .ctx = u
	};

	s.opts.log = LOG_STDERR;
	s.opts.until = end_of_sending;
	s.opts.ctx = u;
	u->waits = net_spool_send(u->p->spool, &s);
	if (u->waits) {
		u->next_ms = now_ms() + u->pause;
		u->pause = u->pause < MOST_MS / 2 ? u->pause * 2 : MOST_MS;
		return;
	}
	if (*u->said)
		log_warn("%s takes recordings again: %zu went in", u->p->target.shown, s.sent);
	*u->said = 0;
	u->pause = PAUSE_MS;
}

/* Until the recorder closes its end; true = the bell rang, or it is time. */
static bool wait_for_work(struct pusher *u)
{
	struct pollfd pf = { u->bell, POLLIN, 0 };
	int64_t ms = u->next_ms - now_ms();
	char bytes[256];

	if (poll(&pf, 1, !u->waits ? -1 : ms > 0 ? (int)ms : 0) <= 0)
		return true;
	return read(u->bell, bytes, sizeof(bytes)) > 0;
}

static void __attribute__((noreturn)) pusher(struct record_push *p, int bell)
{
	struct pusher u = { .p = p, .pause = PAUSE_MS, .waits = true, .bell = bell };
	bool goes_on = true;

	/* Who ends the service ends the recorder; what it leaves is ours to push. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	prctl(PR_SET_NAME, "perf-push");
	(void)!nice(5);
	u.dir = open(net_spool_dir(p->spool), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	do {
		take_all(&u);
		if (u.waits && now_ms() >= u.next_ms)
			send_all(&u, 0);
		goes_on = wait_for_work(&u);
	} while (goes_on);
	take_all(&u);
	/* Another --retry-for: converting took as long as it did, and may have used up what was being sent then had. */
	u.end_ms = 0;
	if (u.waits)
		send_all(&u, p->last_s);
	if (u.waits)
		log_error("not all is pushed: it waits in %s, and the next perf record --push or "
			  "perf data push to %s goes on with it",
			  net_spool_dir(p->spool), p->target.shown);
	_exit(u.waits);
}

/* ---- the recorder's side ------------------------------------------------------------------------- */

/* A full pipe rings, too. */
static void ring(void *ctx)
{
	const struct record_push *p = ctx;

	(void)!write(p->bell, "", 1);
}

int record_push_start(struct record_opts *o, struct err *e)
{
	struct record_push *p = &o->push;
	struct pusher u = { .p = p };
	int ends[2];

	if (!p->url)
		return 0;
	u.dir = open(net_spool_dir(p->spool), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (u.dir < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return err_set(e, -errno, "cannot push from %s: %s", net_spool_dir(p->spool),
			       strerror(errno));
	take_over(&u);
	close(u.dir);
	fflush(NULL);
	p->pid = fork();
	if (!p->pid) {
		close(ends[1]);
		pusher(p, ends[0]);
	}
	close(ends[0]);
	p->bell = ends[1];
	o->r.sw.done = ring;
	o->r.ctx = p;
	return p->pid < 0 ? err_set(e, -errno, "cannot start a process that pushes: %s",
				    strerror(errno))
			  : 0;
}

bool record_push_end(struct record_opts *o)
{
	struct record_push *p = &o->push;
	int status = 0;

	if (p->bell >= 0)
		close(p->bell);
	p->bell = -1;
	while (p->pid > 0 && waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	return status; /* a pusher that died left something, too */
}

void record_push_free(struct record_opts *o)
{
	cli_list_free(&o->push.data.table.labels);
	net_spool_close(o->push.spool);
	if (o->push.lock >= 0)
		close(o->push.lock);
}
