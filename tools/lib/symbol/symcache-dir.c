// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The directory of symbol tables: perf/symbols in the user's cache (base/cachedir.h). It may take so much; what was
 * used last stays.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "box/box.h"
#include "symbol/symbol-int.h"

#define LIMIT_MB 256
#define TEMP_OLD 3600 /* seconds: whoever wrote it is gone */

/* Megabytes; false when none are asked for. */
static bool wanted_size(const struct log_sink *log, uint64_t *limit)
{
	const char *s = secure_getenv("PERF_SYMBOL_CACHE");
	unsigned long mb = LIMIT_MB;
	char *end;

	if (s && *s) {
		errno = 0;
		mb = strtoul(s, &end, 10);
		if (errno || *end || *s == '-' || mb > UINT32_MAX) {
			log_to(log, LOG_WARN,
			       "PERF_SYMBOL_CACHE=%s is no number of megabytes: %d is used", s,
			       LIMIT_MB);
			mb = LIMIT_MB;
		}
	}
	*limit = (uint64_t)mb << 20;
	return mb;
}

void symcache_open(struct symcache *c, const struct log_sink *log)
{
	const char *what;
	struct box_answer a;

	c->dir = -1;
	if (getauxval(AT_SECURE) || !wanted_size(log, &c->limit))
		return;
	/* In a box the directory is made and opened by whoever may write there. */
	if (box_closed())
		c->dir = box_ask(BOX_TABLE, "", 0, &a) ? -1 : a.fd;
	if (c->dir >= 0)
		return;
	c->dir = cachedir_open("symbols", NULL, 0, &what);
	if (c->dir >= 0)
		return;
	log_to(log, LOG_INFO, "no cache of symbol tables below %s: %s", what,
	       cachedir_reason(c->dir));
	c->dir = -1;
}

void symcache_close(struct symcache *c)
{
	if (c->dir >= 0)
		close(c->dir);
	c->dir = -1;
}

/* ---- how much -------------------------------------------------------------------------------- */

struct kept {
	char name[SYMCACHE_NAME];
	uint64_t size;
	time_t used;
};

struct kept_list {
	VEC(struct kept) v;
};

static int by_use(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used != y->used)
		return x->used < y->used ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_ours(const char *name)
{
	size_t n = strlen(name), suffix = strlen(SYMCACHE_SUFFIX);

	return n < SYMCACHE_NAME && n > suffix && !strcmp(name + n - suffix, SYMCACHE_SUFFIX);
}

/* Those that may go; what is left of writers that ended early goes now. */
static void list(int dir, DIR *d, time_t now, struct kept_list *out)
{
	struct dirent *e;

	while ((e = readdir(d)) != NULL) {
		struct kept k = { .size = 0 };
		struct stat st;
		bool temp = !strncmp(e->d_name, SYMCACHE_TEMP, strlen(SYMCACHE_TEMP));

		if (!is_ours(e->d_name) || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		if (temp && now - st.st_mtime > TEMP_OLD)
			unlinkat(dir, e->d_name, 0);
		if (temp)
			continue;
		memcpy(k.name, e->d_name, strlen(e->d_name)); /* it fits: see is_ours() */
		k.size = (uint64_t)st.st_size;
		k.used = st.st_mtime;
		if (vec_push(&out->v, k))
			return;
	}
}

void symcache_trim(const struct symcache *c, time_t now)
{
	int fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct kept_list kept = { 0 };
	uint64_t all = 0;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	list(c->dir, d, now, &kept);
	closedir(d);
	vec_for_each (k, &kept.v)
		all += k->size;
	if (all > c->limit)
		qsort(kept.v.v, kept.v.n, sizeof(*kept.v.v), by_use);
	/* Another one may do the same now: what is gone is gone. */
	for (size_t i = 0; i < kept.v.n && all > c->limit; i++) {
		unlinkat(c->dir, kept.v.v[i].name, 0);
		all -= kept.v.v[i].size;
	}
	vec_free(&kept.v);
}

/* ---- in the attendant of a box ------------------------------------------------------------------- */

/* The names that come are taken into the directory and no other: *.symtab, begun as tmp-*. */
int symbol_serve_table(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	struct symcache *c = ctx;

	if (c->dir < 0)
		symcache_open(c, NULL);
	if (c->dir < 0)
		return -ENOENT;
	if (!size) {
		a->fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	} else {
		if (strlen(q) != size || !is_ours(q) || strchr(q, '/') ||
		    strncmp(q, SYMCACHE_TEMP, strlen(SYMCACHE_TEMP)))
			return -EINVAL;
		a->fd = openat(c->dir, q, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			       0600);
	}
	return a->fd < 0 ? -errno : 0;
}

/* The name that it has, and that it gets; an empty one: it goes. */
int symbol_serve_keep(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	const struct symcache *c = ctx;
	size_t n = strlen(q);
	const char *to = q + n + 1;

	(void)a;
	if (c->dir < 0 || n >= size || !is_ours(q) || strchr(q, '/') ||
	    strncmp(q, SYMCACHE_TEMP, strlen(SYMCACHE_TEMP)) ||
	    (*to && (!is_ours(to) || strchr(to, '/'))))
		return -EINVAL;
	if (*to && !renameat(c->dir, q, c->dir, to)) {
		symcache_trim(c, time(NULL));
		return 0;
	}
	unlinkat(c->dir, q, 0);
	return *to ? -EIO : 0;
}
