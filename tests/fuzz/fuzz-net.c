// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What room net reads: the list of a spool's entry, its tables, and the answers of an engine, which is ClickHouse, or
 * Pyroscope where the first answer's status is an odd number. The connection is ours: it answers with what the input has. Parts (mutate-parts.c): the list, the bytes of the entry's file, then answers, each
 * with a byte in front that chooses its status.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"
#include "net/net-int.h"

#define ANSWERS_MAX 64

struct net_http {
	struct fuzz_bytes left;
	unsigned nr;
};

/* The next connection's answers. */
static struct fuzz_bytes answers;

int net_http_new(struct net_http **h, const struct net *n, struct err *e)
{
	(void)n, (void)e;
	*h = calloc(1, sizeof(**h));
	if (!*h)
		abort();
	(*h)->left = answers;
	return 0;
}

void net_http_free(struct net_http *h)
{
	free(h);
}

int net_http_post(struct net_http *h, const struct net_request *rq, long *status,
		  struct obuf *answer, struct err *e)
{
	static const long codes[] = { 200, 200, 200, 200, 200, 401, 404, 408, 500, 503 };
	const uint8_t *p;
	size_t n;

	fuzz_touch(rq->path);
	fuzz_touch_bytes(rq->body, rq->size);
	if (h->left.left < 2 || h->nr++ == ANSWERS_MAX)
		return err_set(e, -EPIPE, "no answer");
	p = fuzz_part(&h->left, &n);
	*status = codes[(n ? p[0] : 0) % ARRAY_SIZE(codes)];
	if (n)
		obuf_mem(answer, (const char *)p + 1, n - 1);
	obuf_char(answer, 0);
	answer->len--;
	return 0;
}

static const char *const names[] = { "manifest", "t", "t.gz" };
static char dir[] = "/tmp/perf-fuzz-net.XXXXXX";

/* All that lies in the entry's directory; or only what a push noted there, sent-LOAD-PART. */
static void remove_files(bool all)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (all || !strncmp(e->d_name, "sent-", 5))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

static void remove_entry(void)
{
	remove_files(true);
	rmdir(dir);
}

/* A directory with one file under the names that a list may have, and the list. */
static const char *entry(const uint8_t *list, size_t nr_list, const uint8_t *file, size_t nr_file)
{
	static int fd[ARRAY_SIZE(names)];
	char path[128];

	if (!fd[0] && (!mkdtemp(dir) || atexit(remove_entry)))
		abort();

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const void *p = i ? file : list;
		size_t n = i ? nr_file : nr_list;

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (!fd[i])
			fd[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd[i] < 0 || pwrite(fd[i], p, n, 0) != (ssize_t)n || ftruncate(fd[i], (off_t)n))
			abort();
	}
	return dir;
}

static int take_row(void *ctx, char **field, size_t nr, struct err *e)
{
	(void)ctx, (void)e;
	for (size_t i = 0; i < nr; i++)
		fuzz_touch(field[i]);
	return 0;
}

static void push(const char *url, const char *from, bool query)
{
	static const struct net_opts o = { .log = { NULL, NULL } };
	struct net_pushed pushed = { 0 };
	struct net_target t;
	struct net *n = NULL;
	struct err e = { 0 };

	if (net_target_parse(url, &t, &e))
		abort();
	if (!net_open(&n, &t, &o, &e)) {
		if (!net_check_schema(n, &e))
			net_push(n, from, &pushed, &e);
		if (query) {
			err_clear(&e);
			net_query(n, "SELECT", take_row, NULL, &e);
		}
		fuzz_touch(e.text);
	}
	net_close(n);
	err_clear(&e);
}

static void run(const uint8_t *data, size_t size)
{
	struct fuzz_bytes b = { data, size };
	const uint8_t *list, *file;
	size_t nr_list, nr_file;
	const char *from;

	list = fuzz_part(&b, &nr_list);
	file = fuzz_part(&b, &nr_file);
	answers = b;
	from = entry(list, nr_list, file, nr_file);
	if (b.left > 2 && b.p[2] % 2) {
		push("pyroscope+http://localhost/tenant", from, false);
		remove_files(false);
	} else {
		push("clickhouse+http://localhost/perf", from, true);
	}
}

const struct fuzz_target fuzz_net = {
	.name = "net",
	.reads = "lists of a spool's entries, their tables, answers of an engine over HTTP",
	.max_len = 4096,
	.run = run,
	.mutate = mutate_parts,
};
