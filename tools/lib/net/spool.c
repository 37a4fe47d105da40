// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries that wait: directories with tables, named by target and recording, so that a recording that is put in twice
 * waits once. One is written as new-XXXXXX, under a lock, and takes its name when it is on the disk. What the engine has taken
 * is removed, what it has not stays; that is all there is to resuming.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/sha256.h"
#include "net/net-int.h"

#define FRESH "new-"
#define TAG   12 /* hex digits of a target */
#define YOUNG 60 /* s: one that was just made may not have its lock yet */

struct net_spool {
	struct net_spool_opts o;
	struct net_target target;
	char dir[PATH_MAX - 2 * NAME_MAX];
	char tag[TAG + 1];
	char fresh[PATH_MAX]; /* "" = nothing is begun */
	int lock;	      /* on that directory */
	struct arena text;
	VEC(const char *) refused; /* paths of entries */
};

/* ---- directories of plain files ------------------------------------------------------------------- */

/* Calls @fn for each file; the last error. */
static int each_file(const char *dir, int (*fn)(int dir, const char *name, void *ctx), void *ctx)
{
	DIR *d = opendir(dir);
	struct dirent *f;
	int ret = d ? 0 : -errno;

	while (errno = 0, d && (f = readdir(d))) {
		int failed = f->d_name[0] == '.' ? 0 : fn(dirfd(d), f->d_name, ctx);

		if (failed)
			ret = failed;
	}
	if (d && errno)
		ret = ret ?: -errno;
	if (d)
		closedir(d);
	return ret;
}

static int add_size(int dir, const char *name, void *ctx)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	*(uint64_t *)ctx += (uint64_t)st.st_size;
	return 0;
}

static int remove_file(int dir, const char *name, void *ctx)
{
	(void)ctx;
	return unlinkat(dir, name, 0) && errno != ENOENT ? -errno : 0;
}

static int sync_file(int dir, const char *name, void *ctx)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), ret;

	(void)ctx;
	if (fd < 0)
		return -errno;
	ret = fsync(fd) ? -errno : 0;
	close(fd);
	return ret;
}

/* 0, or why something of it stays. */
static int drop(const char *dir)
{
	int ret = each_file(dir, remove_file, NULL);

	return !rmdir(dir) || errno == ENOENT ? 0 : ret ?: -errno;
}

/* Files first, then the directory that names them. */
static int sync_all(const char *dir)
{
	int ret = each_file(dir, sync_file, NULL),
	    fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return ret ?: -errno;
	if (fsync(fd))
		ret = ret ?: -errno;
	close(fd);
	return ret;
}

/* ---- the spool itself ----------------------------------------------------------------------------- */

static int find_dir(struct net_spool *sp, struct err *e)
{
	const char *what = "--spool";
	int fd;

	if (sp->o.dir && strlen(sp->o.dir) >= sizeof(sp->dir))
		fd = -ENAMETOOLONG;
	else if (sp->o.dir)
		fd = cachedir_open_at(strcpy(sp->dir, sp->o.dir));
	else
		fd = cachedir_open("push", sp->dir, sizeof(sp->dir), &what);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	err_set(e, fd, "tables cannot wait in %s: %s", *sp->dir ? sp->dir : what,
		cachedir_reason(fd));
	err_hint(e, "--spool DIR names another directory, of your own.");
	return fd;
}

/* Of what the target is called: no name of a host gets into one of a file. */
static void make_tag(struct net_spool *sp)
{
	struct sha256 h;
	unsigned char d[32];

	sha256_init(&h);
	sha256_add(&h, sp->target.shown, strlen(sp->target.shown));
	sha256_end(&h, d);
	for (int i = 0; i < TAG / 2; i++)
		snprintf(sp->tag + 2 * i, 3, "%02x", d[i]);
}

/* What a process left that ended while it wrote or removed it: no others hold its lock. */
static int drop_left(int dir, const char *name, void *ctx)
{
	const struct net_spool *sp = ctx;
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (strncmp(name, FRESH, strlen(FRESH)) != 0 ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) || time(NULL) - st.st_mtime < YOUNG)
		return 0;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(path, sizeof(path), "%s/%s", sp->dir, name);
	if (fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB))
		drop(path);
	if (fd >= 0)
		close(fd);
	return 0;
}

int net_spool_open(struct net_spool **out, const struct net_target *t,
		   const struct net_spool_opts *o, struct err *e)
{
	struct net_spool *sp = calloc(1, sizeof(*sp));
	int ret;

	*out = NULL;
	if (!sp)
		return err_set(e, -ENOMEM, "no memory for a spool");
	sp->o = *o;
	sp->target = *t;
	make_tag(sp);
	ret = find_dir(sp, e);
	if (ret) {
		free(sp);
		return ret;
	}
	each_file(sp->dir, drop_left, sp);
	*out = sp;
	return 0;
}

static void drop_fresh(struct net_spool *sp)
{
	if (!*sp->fresh)
		return;
	drop(sp->fresh);
	close(sp->lock);
	*sp->fresh = 0;
}

void net_spool_close(struct net_spool *sp)
{
	if (!sp)
		return;
	drop_fresh(sp);
	vec_free(&sp->refused);
	arena_free(&sp->text);
	free(sp);
}

const char *net_spool_dir(const struct net_spool *sp)
{
	return sp->dir;
}

/* ---- what waits ----------------------------------------------------------------------------------- */

struct entry {
	char *path;
	struct timespec at;
	uint64_t size;
};

struct entries {
	struct arena text;
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

static void entries_free(struct entries *en)
{
	vec_free(&en->v);
	arena_free(&en->text);
}

/* Whole entries, the oldest first; @tag NULL: those for other targets too. */
static int list(const struct net_spool *sp, const char *tag, struct entries *out)
{
	DIR *d = opendir(sp->dir);
	struct dirent *f;
	struct stat st;
	int ret = d ? 0 : -errno;

	while (errno = 0, !ret && d && (f = readdir(d))) {
		struct entry en = { .size = 0 };

		if (f->d_name[0] == '.' || !strncmp(f->d_name, FRESH, strlen(FRESH)) ||
		    (tag && strncmp(f->d_name, tag, TAG) != 0))
			continue;
		if (fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW)) {
			/* Another perf may have sent it meanwhile. */
			ret = errno == ENOENT ? 0 : -errno;
			continue;
		}
		if (!S_ISDIR(st.st_mode))
			continue;
		en.at = st.st_mtim;
		en.path = arena_printf(&out->text, "%s/%s", sp->dir, f->d_name);
		ret = en.path ? vec_push(&out->v, en) : -ENOMEM;
	}
	if (!ret && errno)
		ret = -errno;
	if (d)
		closedir(d);
	if (out->v.n)
		qsort(out->v.v, out->v.n, sizeof(*out->v.v), older);
	return ret;
}

/* It goes out of the list first: half of one would be taken for one that is damaged, for ever where we are killed. */
static int drop_entry(const struct net_spool *sp, const char *path)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s/" FRESH "%s", sp->dir, strrchr(path, '/') + 1);
	drop(name); /* of a process that ended in here */
	if (rename(path, name))
		return errno == ENOENT ? 0 : -errno;
	return drop(name);
}

static int keep_limit(const struct net_spool *sp)
{
	struct entries all = { 0 };
	uint64_t size = 0;
	int ret = list(sp, NULL, &all);

	vec_for_each (en, &all.v) {
		each_file(en->path, add_size, &en->size);
		size += en->size;
	}
	/* The youngest is what was just put in. */
	for (size_t i = 0; !ret && size > sp->o.limit && i + 1 < all.v.n; i++) {
		log_to(&sp->o.log, LOG_WARN,
		       "%s is dropped: what waits in the spool has %llu bytes, more than --spool-limit",
		       all.v.v[i].path, (unsigned long long)size);
		size -= all.v.v[i].size;
		drop_entry(sp, all.v.v[i].path);
	}
	entries_free(&all);
	return ret;
}

int net_spool_begin(struct net_spool *sp, const char **dir, struct err *e)
{
	drop_fresh(sp);
	snprintf(sp->fresh, sizeof(sp->fresh), "%s/" FRESH "XXXXXX", sp->dir);
	sp->lock = mkdtemp(sp->fresh) ? open(sp->fresh, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (sp->lock < 0) {
		err_set(e, -errno, "cannot make %s: %s", sp->fresh, strerror(errno));
		rmdir(sp->fresh);
		*sp->fresh = 0;
		return e->code;
	}
	/* Also held by the child that writes. Where there are no locks, nobody gets one to remove it either. */
	flock(sp->lock, LOCK_EX);
	strcat(sp->fresh, "/");
	*dir = sp->fresh;
	return 0;
}

/* Whether @there has the same file as @en, byte for byte. */
static bool has_same(const struct net_entry *en, const struct net_file *f, const char *there)
{
	const struct net_entry other = { .dir = there };
	struct obuf a = { .fd = -1 }, b = { .fd = -1 };
	bool same = !net_entry_load(en, f, false, &a, NULL) &&
		    !net_entry_load(&other, f, false, &b, NULL) && a.len == b.len &&
		    (!a.len || !memcmp(a.buf, b.buf, a.len));

	free(a.buf);
	free(b.buf);
	return same;
}

/*
 * What was begun takes @name. A recording that waits already may be put in with other options (a name that was wrong,
 * --redact that was forgotten): the last word holds. Of the same tables the first stay, with what was noted of
 * parts that are sent.
 */
static int take_name(const struct net_spool *sp, const struct net_entry *en, const char *name)
{
	const struct net_file list = { .name = "manifest" };
	bool same = has_same(en, &list, name);

	vec_for_each (f, &en->files)
		same = same && has_same(en, f, name);
	if (same || !rename(sp->fresh, name))
		return 0;
	if (errno != EEXIST && errno != ENOTEMPTY)
		return -errno;
	return drop_entry(sp, name) ?: rename(sp->fresh, name) ? -errno : 0;
}

int net_spool_keep(struct net_spool *sp, struct err *e)
{
	struct net_entry en = { 0 };
	char name[PATH_MAX];
	int ret = net_entry_read(&en, sp->fresh, e), synced;

	if (ret == -ENOENT) {
		err_clear(e);
		ret = 1;
	}
	synced = ret ? 0 : sync_all(sp->fresh);
	if (synced)
		ret = err_set(e, -EIO, "cannot keep tables in %s: the disk did not take them: %s",
			      sp->dir, strerror(-synced));
	if (!ret) {
		sp->fresh[strlen(sp->fresh) - 1] = 0;
		snprintf(name, sizeof(name), "%s/%s-%s", sp->dir, sp->tag, en.recording);
		ret = take_name(sp, &en, name);
		if (ret)
			err_set(e, ret, "cannot keep tables as %s: %s", name, strerror(-ret));
	}
	if (!ret) {
		ret = keep_limit(sp);
		if (ret)
			err_set(e, ret, "cannot look at what waits in %s: %s", sp->dir,
				strerror(-ret));
	}
	net_entry_free(&en);
	drop_fresh(sp);
	return ret;
}

/* ---- sending -------------------------------------------------------------------------------------- */

struct sender {
	struct net_spool *sp;
	const struct net_sending *s;
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
		    (long)ms ||
	    net_left(&s->s->opts) < ms)
		return false;
	log_to(&s->sp->o.log, LOG_INFO, "%s; again in %u ms", why->text, ms);
	t = (struct timespec){ ms / 1000, ms % 1000 * 1000000L };
	nanosleep(&t, NULL);
	s->pause = s->pause < 30000 ? s->pause * 2 : 60000;
	return true;
}

/* What broke may have left half an answer in the connection. */
static void hang_up(struct sender *s)
{
	net_close(s->net);
	s->net = NULL;
}

static int connect_to(struct sender *s, struct err *e)
{
	int ret;

	if (net_left(&s->s->opts) <= 0)
		return err_set(e, -EAGAIN, "no time is left to send more to %s",
			       s->sp->target.shown);
	if (s->net)
		return 0;
	ret = net_open(&s->net, &s->sp->target, &s->s->opts, e) ?: net_check_schema(s->net, e);
	/* That is of one entry: what keeps us from the engine keeps all. */
	return ret == -EINVAL ? -EPERM : ret;
}

/* The directory that has the name of an entry now: 0 or -errno, and *nr is 0. */
static int which(const char *dir, ino_t *nr)
{
	struct stat st;
	int ret = stat(dir, &st) ? -errno : 0;

	*nr = ret ? 0 : st.st_ino;
	return ret;
}

/*
 * The engine has what was in the directory @sent. Another perf may have put the same recording in meanwhile, with other
 * options: that has the name now, and its turn comes. @sent is 0 where it could not be looked at: it stays.
 */
static void remove_sent(const struct sender *s, const char *dir, ino_t sent)
{
	ino_t now;
	int ret = which(dir, &now);

	if (ret == -ENOENT || (!ret && sent && now != sent))
		return;
	if (!ret)
		ret = sent ? drop_entry(s->sp, dir) : -EIO;
	if (ret)
		log_to(&s->sp->o.log, LOG_WARN,
		       "%s is loaded, but not all of it can be removed: %s", dir, strerror(-ret));
}

static int send_one(struct sender *s, const char *dir, struct err *e)
{
	struct net_pushed p = { 0 };
	ino_t sent;
	int ret;

	which(dir, &sent);
	do {
		ret = connect_to(s, e) ?: net_push(s->net, dir, &p, e);
		if (ret)
			hang_up(s);
	} while (ret == -EAGAIN && wait_some(s, e));
	if (ret == -EINVAL && access(dir, F_OK) && errno == ENOENT) {
		/* Another perf has sent it meanwhile. */
		err_clear(e);
		return 0;
	}
	if (ret)
		return ret;
	s->pause = 1000;
	log_to(&s->sp->o.log, LOG_INFO, "%s: %s, %llu rows in %llu bytes", dir,
	       p.already ? "was there already" : "is loaded", (unsigned long long)p.rows,
	       (unsigned long long)p.bytes);
	remove_sent(s, dir, sent);
	return 0;
}

/* Those that can go in one; whatever goes wrong, the others' turn comes one by one. */
static void send_together(struct sender *s, const struct entry *en, size_t nr, bool *done)
{
	const char *dirs[NET_MANY];
	ino_t was[NET_MANY];
	struct net_pushed p = { 0 };
	struct err e = { 0 };
	size_t sent = 0;
	int ret;

	for (size_t i = 0; i < nr; i++) {
		dirs[i] = en[i].path;
		which(dirs[i], &was[i]);
	}
	do {
		ret = connect_to(s, &e) ?: net_push_many(s->net, dirs, nr, done, &p, &e);
		if (ret)
			hang_up(s);
	} while (ret == -EAGAIN && wait_some(s, &e));
	err_clear(&e);
	for (size_t i = 0; i < nr; i++) {
		if (!done[i])
			continue;
		remove_sent(s, en[i].path, was[i]);
		sent++;
	}
	if (!sent)
		return;
	s->pause = 1000;
	log_to(&s->sp->o.log, LOG_INFO, "%zu of %zu in one, %llu rows in %llu bytes", sent, nr,
	       (unsigned long long)p.rows, (unsigned long long)p.bytes);
}

/* Without memory it is asked again. */
static void note_refused(struct net_spool *sp, const char *path)
{
	const char *copy = arena_strdup(&sp->text, path);

	if (copy)
		(void)!vec_push(&sp->refused, copy);
}

static bool is_refused(const struct net_spool *sp, const char *path)
{
	vec_for_each (s, &sp->refused)
		if (!strcmp(*s, path))
			return true;
	return false;
}

/* The next entries, NET_MANY at most. True: others would fare no better. */
static bool send_some(struct sender *s, struct net_sending *sending, const struct entry *en,
		      size_t nr, int *bad)
{
	bool done[NET_MANY] = { false }, down = false;

	if (nr > 1)
		send_together(s, en, nr, done);
	for (size_t i = 0; i < nr; i++) {
		struct err e = { 0 };
		int ret;

		if (down && !done[i])
			continue;
		ret = done[i] ? 0 : send_one(s, en[i].path, &e);
		sending->sent += !ret;
		if (!ret)
			continue;
		*bad = ret;
		if (ret == -EBADMSG) {
			note_refused(s->sp, en[i].path);
			err_hint(&e, "%s waits; remove it, or it is tried again by the next push.",
				 en[i].path);
		}
		down = down || (ret != -EINVAL && ret != -EBADMSG);
		sending->fail(sending->ctx, &e);
		err_clear(&e);
	}
	return down;
}

/* What the engine refused once it refuses again. True: there was some. */
static bool leave_refused(const struct net_spool *sp, struct entries *all)
{
	size_t n = 0;

	vec_for_each (en, &all->v)
		if (!is_refused(sp, en->path))
			all->v.v[n++] = *en;
	if (n == all->v.n)
		return false;
	all->v.n = n;
	return true;
}

int net_spool_send(struct net_spool *sp, struct net_sending *sending)
{
	struct sender s = { .sp = sp, .s = sending, .pause = 1000 };
	struct entries all = { 0 };
	int bad = list(sp, sp->tag, &all);
	bool down = false;

	clock_gettime(CLOCK_MONOTONIC, &s.end);
	s.end.tv_sec += (time_t)sending->seconds;
	sending->entries = all.v.n;
	if (bad) {
		struct err e = { 0 };

		err_set(&e, bad, "cannot look at what waits in %s: %s", sp->dir, strerror(-bad));
		sending->fail(sending->ctx, &e);
		err_clear(&e);
	}
	if (leave_refused(sp, &all))
		bad = -EBADMSG;
	for (size_t i = 0; i < all.v.n && !down; i += NET_MANY)
		down = send_some(&s, sending, all.v.v + i, min_u64(all.v.n - i, NET_MANY), &bad);
	hang_up(&s);
	entries_free(&all);
	return bad;
}
