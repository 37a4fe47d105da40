// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of processes whose root is not ours. An open descriptor of a mount namespace keeps it as it
 * is after its last process has ended, so what a recording's own processes ran can be looked at when
 * the recording ends because they did. Source: mount_namespaces(7), namespaces(7), openat2(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "box/box.h"
#include "buildid/buildid.h"
#include "elf/elf.h"

#define ROOTS_MAX 256 /* that are looked into */
#define KEPT_MAX  32  /* that are kept: two descriptors each */

struct root {
	int32_t pid;
	uint64_t ns, dev, ino; /* mount namespace; the root directory */
	int ns_fd, fd;	       /* -1 = not kept */
};

struct buildid_roots {
	VEC(struct root) v;
	struct root ours;
	size_t threads; /* of the machine: that many were looked at */
	size_t kept;
};

static void root_close(struct root *root)
{
	if (root->ns_fd >= 0)
		close(root->ns_fd);
	if (root->fd >= 0)
		close(root->fd);
	root->ns_fd = root->fd = -1;
}

/* False when @proc is gone or not ours to look into. */
static bool root_open(struct root *root, const char *proc)
{
	char path[64];
	struct stat ns, dir;

	root->fd = -1;
	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", proc);
	root->ns_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (root->ns_fd < 0) /* most, where a recording is of many that are gone */
		return false;
	snprintf(path, sizeof(path), "/proc/%s/root", proc);
	root->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->fd < 0 || fstat(root->ns_fd, &ns) || fstat(root->fd, &dir)) {
		root_close(root);
		return false;
	}
	root->ns = ns.st_ino;
	root->dev = dir.st_dev;
	root->ino = dir.st_ino;
	return true;
}

static bool same_root(const struct root *a, const struct root *b)
{
	return a->ns == b->ns && a->dev == b->dev && a->ino == b->ino;
}

int buildid_roots_new(struct buildid_roots **r)
{
	*r = calloc(1, sizeof(**r));
	if (!*r)
		return -ENOMEM;
	/* Without /proc there are no others either. */
	(void)root_open(&(*r)->ours, "self");
	root_close(&(*r)->ours);
	return 0;
}

void buildid_roots_free(struct buildid_roots *r)
{
	if (!r)
		return;
	vec_for_each (root, &r->v)
		root_close(root);
	vec_free(&r->v);
	free(r);
}

static bool still_has(int32_t pid, const struct root *root)
{
	struct root now;
	char proc[16];

	snprintf(proc, sizeof(proc), "%d", pid);
	if (!root_open(&now, proc))
		return false;
	root_close(&now);
	return same_root(&now, root);
}

/* Who had a kept root first may end long before its children: another one that has it stands for it then. */
static bool is_known(struct buildid_roots *r, const struct root *root)
{
	if (same_root(root, &r->ours))
		return true;
	vec_for_each (have, &r->v) {
		if (!same_root(have, root))
			continue;
		if (have->fd >= 0 && have->pid != root->pid && !still_has(have->pid, have))
			have->pid = root->pid;
		return true;
	}
	return false;
}

static void add(struct buildid_roots *r, struct root *new, bool keep)
{
	bool known = r->v.n >= ROOTS_MAX || is_known(r, new);

	if (known || !keep || r->kept >= KEPT_MAX)
		root_close(new);
	if (known)
		return;
	if (vec_push(&r->v, *new))
		root_close(new); /* one less to look into */
	else
		r->kept += new->fd >= 0;
}

void buildid_roots_add(struct buildid_roots *r, int32_t pid, bool keep)
{
	struct root new = { .pid = pid };
	char proc[16];

	if (pid <= 0 || r->v.n >= ROOTS_MAX)
		return;
	snprintf(proc, sizeof(proc), "%d", pid);
	if (root_open(&new, proc))
		add(r, &new, keep);
}

void buildid_roots_renew(struct buildid_roots *r)
{
	size_t n = 0;

	vec_for_each (root, &r->v) {
		if (root->fd >= 0 && still_has(root->pid, root))
			r->v.v[n++] = *root;
		else
			root_close(root);
	}
	r->v.n = r->kept = n;
	r->threads = 0;
}

/* ---- in a box ------------------------------------------------------------------------------------ */

/* A box is told what its attendant sees: of so many processes at once as a question has room for. */
#define ASKED_MAX (BOX_BYTES / sizeof(int32_t))

struct told {
	uint64_t ns, dev, ino;
	int32_t pid, zero;
};

_Static_assert(ROOTS_MAX * sizeof(struct told) <= BOX_BYTES, "an answer has room for all");

static void ask(struct buildid_roots *r, const int32_t *pids, size_t nr)
{
	struct box_answer a;

	if (!nr || box_ask(BOX_ROOT, pids, nr * sizeof(*pids), &a))
		return;
	for (size_t at = 0; at + sizeof(struct told) <= a.size; at += sizeof(struct told)) {
		struct root new = { .ns_fd = -1, .fd = -1 };
		struct told t;

		memcpy(&t, a.bytes + at, sizeof(t));
		new.pid = t.pid;
		new.ns = t.ns;
		new.dev = t.dev;
		new.ino = t.ino;
		add(r, &new, false);
	}
}

void buildid_roots_add_all(struct buildid_roots *r, struct machine *m)
{
	int32_t pids[ASKED_MAX], last = 0;
	bool boxed = box_closed();
	size_t nr = 0;

	for (; r->threads < machine_nr_threads(m); r->threads++) {
		const struct thread *th = machine_thread_at(m, r->threads);
		int32_t pid = th->pid;

		/* What the recording has seen end has no root; whoever has its number now is another. */
		if (pid == last || pid <= 0 || (th->exited && th->tid == pid))
			continue;
		last = pid;
		if (!boxed) {
			buildid_roots_add(r, pid, false);
			continue;
		}
		pids[nr++] = pid;
		if (nr == ASKED_MAX) {
			ask(r, pids, nr);
			nr = 0;
		}
	}
	ask(r, pids, nr);
}

size_t buildid_roots_nr(const struct buildid_roots *r)
{
	return r->v.n;
}

static int open_in(const struct root *root, const char *path)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, dir = root->fd, fd;
	char proc[64];

	if (dir < 0 && box_closed())
		return box_open_in_root(root->pid, path, 0);
	if (dir < 0) {
		snprintf(proc, sizeof(proc), "/proc/%d/root", root->pid);
		dir = open(proc, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			return -errno;
	}
	fd = file_open_below(dir, path, flags);
	if (dir != root->fd)
		close(dir);
	return fd;
}

/* Whether @fd is the file that was mapped, and its build id. */
static bool is_mapped(int fd, const struct dso *dso, struct build_id *id)
{
	struct build_id found = { 0 };
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	if (!build_id_from_fd(fd, &found))
		found.size = 0;
	*id = (struct build_id){ .size = found.size };
	memcpy(id->id, found.id, found.size);
	if (dso->build_id_size)
		return build_id_equal(id->id, id->size, dso->build_id, dso->build_id_size);
	return dso->ino && st.st_ino == dso->ino && st.st_dev == makedev(dso->maj, dso->min);
}

int buildid_roots_open(const struct buildid_roots *r, const struct dso *dso, struct build_id *id,
		       char *path, size_t size)
{
	if (dso->kind != DSO_USER || dso->guest || dso->path[0] != '/' ||
	    (!dso->build_id_size && !dso->ino))
		return -ENOENT;
	vec_for_each (root, &r->v) {
		int fd = open_in(root, dso->path), n;

		if (fd < 0)
			continue;
		n = snprintf(path, size, "/proc/%d/root%s", root->pid, dso->path);
		if (n > 0 && (size_t)n < size && is_mapped(fd, dso, id))
			return fd;
		close(fd);
	}
	return -ENOENT;
}

/* ---- in the attendant of a box ------------------------------------------------------------------- */

/* The roots of these processes, each once, but for ours. */
int buildid_serve_root(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	struct buildid_roots *r;
	int32_t pid;
	int ret;

	(void)ctx;
	if (!size || size % sizeof(pid))
		return -EINVAL;
	ret = buildid_roots_new(&r);
	if (ret)
		return ret;
	for (size_t at = 0; at < size; at += sizeof(pid)) {
		memcpy(&pid, q + at, sizeof(pid));
		buildid_roots_add(r, pid, false);
	}
	vec_for_each (root, &r->v) {
		const struct told t = {
			.ns = root->ns, .dev = root->dev, .ino = root->ino, .pid = root->pid
		};

		memcpy(a->bytes + a->size, &t, sizeof(t));
		a->size += sizeof(t);
	}
	buildid_roots_free(r);
	return 0;
}

/* Objects, what compilers leave, lists of symbols: nothing else is looked for in other roots. */
static bool is_code(int fd, const char *path)
{
	static const char *const magic[] = { "\177ELF", "JiTD", "DTiJ" };
	const char *name = strrchr(path, '/');
	unsigned char head[4];
	struct stat st;
	size_t digits;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	if (file_read_at(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head))
		for (size_t i = 0; i < ARRAY_SIZE(magic); i++)
			if (!memcmp(head, magic[i], sizeof(head)))
				return true;
	if (!name || strncmp(name, "/perf-", 6))
		return false;
	digits = strspn(name + 6, "0123456789");
	return digits && !strcmp(name + 6 + digits, ".map");
}

int buildid_serve_file(void *ctx, const char *q, size_t size, struct box_answer *a)
{
	struct root r = { .fd = -1 }, ours = { .fd = -1 };
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	const char *path = q + 2 * sizeof(int32_t);
	int32_t head[2];
	char proc[16];
	bool other;

	(void)ctx;
	if (size <= sizeof(head) || strlen(path) != size - sizeof(head))
		return -EINVAL;
	memcpy(head, q, sizeof(head));
	snprintf(proc, sizeof(proc), "%d", head[0]);
	if (head[0] <= 0 || !root_open(&r, proc))
		return -ENOENT;
	other = root_open(&ours, "self") && !same_root(&r, &ours);
	root_close(&ours);
	/* What is in our own root can be read where it can be read. */
	if (other)
		a->fd = file_open_below(r.fd, path, flags | (head[1] & O_NOFOLLOW));
	root_close(&r);
	if (a->fd < 0)
		return other ? a->fd : -ENOENT;
	if (is_code(a->fd, path))
		return 0;
	close(a->fd);
	a->fd = -1;
	return -EACCES;
}
