// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What already runs: FORK, NAMESPACES, COMM of threads and MMAP2 of processes, read from /proc.
 * A busy machine has thousands of tasks, so files are read whole into one buffer and taken apart
 * in place. Tasks come and go while we look: one that vanished is left out. Source: proc(5).
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lack.h"
#include "capture/capture-int.h"

#define PF_KTHREAD 0x00200000
#define FIRST_BUF  (64 << 10)
#define PROT_R	   1
#define PROT_W	   2
#define PROT_X	   4
#define MAP_S	   1
#define MAP_P	   2

struct walk {
	struct synth *s;
	struct err *e;
	struct synth_record record;
	const char *proc;
	char *buf; /* a whole file */
	size_t cap;
};

struct task {
	pid_t pid, tid, ppid;
	bool kernel;
	long threads;
	char comm[64];
};

/* The file's text in w->buf, NUL-terminated; -errno. */
static ssize_t read_file(struct walk *w, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	if (fd < 0) {
		n = -errno;
		lack_note(errno, "cannot open", path);
		return n;
	}
	for (;;) {
		if (w->cap - len < 4096) {
			char *bigger = realloc(w->buf, w->cap * 2);

			if (!bigger) {
				n = -ENOMEM;
				break;
			}
			w->buf = bigger;
			w->cap *= 2;
		}
		n = read(fd, w->buf + len, w->cap - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			n = n ? -errno : 0;
			lack_note((int)n, "cannot read", path);
			break;
		}
		len += (size_t)n;
	}
	close(fd);
	w->buf[len] = '\0';
	return n < 0 ? n : (ssize_t)len;
}

/* /proc/PID/stat: "pid (comm) state ppid ..."; flags are field 9, num_threads field 20. */
static bool read_task(struct walk *w, pid_t pid, pid_t tid, struct task *t)
{
	char path[PATH_MAX], *open_paren, *p;
	unsigned long flags = 0;

	if (pid == tid)
		snprintf(path, sizeof(path), "%s/%d/stat", w->proc, pid);
	else
		snprintf(path, sizeof(path), "%s/%d/task/%d/stat", w->proc, pid, tid);
	if (read_file(w, path) <= 0)
		return false;
	open_paren = strchr(w->buf, '(');
	p = strrchr(w->buf, ')');
	if (!open_paren || !p || p < open_paren)
		return false;
	*t = (struct task){ .pid = pid, .tid = tid, .threads = 1 };
	snprintf(t->comm, sizeof(t->comm), "%.*s", (int)(p - open_paren - 1), open_paren + 1);
	/* The kernel's records hold at most 15 bytes. */
	t->comm[15] = '\0';
	p++;
	for (int field = 3; *p && field <= 20; field++) {
		p += strspn(p, " ");
		if (field == 4)
			t->ppid = atoi(p);
		else if (field == 9)
			flags = strtoul(p, NULL, 10);
		else if (field == 20)
			t->threads = atol(p);
		p += strcspn(p, " ");
	}
	t->kernel = flags & PF_KTHREAD;
	return true;
}

/* ---- records of a task ------------------------------------------------------------------------- */

static int put_fork(struct walk *w, const struct task *t)
{
	struct synth_record *r = &w->record;
	/* A thread's parent is its process; a process's, the one that forked it. */
	uint32_t parent = (uint32_t)(t->pid == t->tid ? t->ppid : t->pid);

	synth_rec_begin(r, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC);
	synth_rec_u32(r, (uint32_t)t->pid);
	synth_rec_u32(r, t->pid == t->tid ? parent : (uint32_t)t->pid);
	synth_rec_u32(r, (uint32_t)t->tid);
	synth_rec_u32(r, parent);
	synth_rec_u64(r, 0);
	return synth_rec_end(r, w->s, w->e);
}

static int put_comm(struct walk *w, const struct task *t)
{
	struct synth_record *r = &w->record;

	synth_rec_begin(r, PERF_RECORD_COMM, 0);
	synth_rec_u32(r, (uint32_t)t->pid);
	synth_rec_u32(r, (uint32_t)t->tid);
	synth_rec_string(r, t->comm);
	w->s->nr_tasks++;
	return synth_rec_end(r, w->s, w->e);
}

static int put_namespaces(struct walk *w, const struct task *t)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct synth_record *r = &w->record;

	synth_rec_begin(r, PERF_RECORD_NAMESPACES, 0);
	synth_rec_u32(r, (uint32_t)t->pid);
	synth_rec_u32(r, (uint32_t)t->tid);
	synth_rec_u64(r, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[PATH_MAX];
		struct stat st = { 0 };

		snprintf(path, sizeof(path), "%s/%d/ns/%s", w->proc, t->tid, names[i]);
		if (stat(path, &st))
			memset(&st, 0, sizeof(st));
		synth_rec_u64(r, st.st_dev);
		synth_rec_u64(r, st.st_ino);
	}
	return synth_rec_end(r, w->s, w->e);
}

static int put_task(struct walk *w, const struct task *t, bool fork)
{
	int ret = fork ? put_fork(w, t) : 0;

	if (!ret && w->s->namespaces)
		ret = put_namespaces(w, t);
	return ret ? ret : put_comm(w, t);
}

/* ---- maps ------------------------------------------------------------------------------------------ */

static uint64_t hex(char **p)
{
	return strtoull(*p, p, 16);
}

/* "5600-5700 r-xp 00001000 fe:00 123   /path"; @line ends in NUL. */
static bool parse_map(char *line, struct map_line *m)
{
	char *p = line;

	m->start = hex(&p);
	if (*p++ != '-')
		return false;
	m->end = hex(&p);
	if (*p++ != ' ' || strnlen(p, 5) < 5)
		return false;
	m->prot = (p[0] == 'r' ? PROT_R : 0u) | (p[1] == 'w' ? PROT_W : 0u) |
		  (p[2] == 'x' ? PROT_X : 0u);
	m->flags = p[3] == 's' ? MAP_S : MAP_P;
	p += 5;
	m->pgoff = hex(&p);
	if (*p++ != ' ')
		return false;
	m->maj = (uint32_t)hex(&p);
	if (*p++ != ':')
		return false;
	m->min = (uint32_t)hex(&p);
	m->ino = strtoull(p, &p, 10);
	p += strspn(p, " ");
	m->path = p;
	return true;
}

static int put_map(struct walk *w, pid_t pid, const struct map_line *m)
{
	struct synth_record *r = &w->record;
	const char *path = m->path[0] ? m->path : "//anon";
	uint16_t misc = PERF_RECORD_MISC_USER;
	uint8_t id[24] = { 0 };
	size_t id_size = 0;

	if (!(m->prot & PROT_X))
		misc |= PERF_RECORD_MISC_MMAP_DATA;
	else if (w->s->build_ids)
		id_size = synth_build_id(w->s, pid, m, id + 4);
	if (id_size)
		misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
	synth_rec_begin(r, PERF_RECORD_MMAP2, misc);
	synth_rec_u32(r, (uint32_t)pid);
	synth_rec_u32(r, (uint32_t)pid);
	synth_rec_u64(r, m->start);
	synth_rec_u64(r, m->end - m->start);
	synth_rec_u64(r, m->pgoff);
	if (id_size) {
		id[0] = (uint8_t)id_size;
		synth_rec_bytes(r, id, sizeof(id));
	} else {
		synth_rec_u32(r, m->maj);
		synth_rec_u32(r, m->min);
		synth_rec_u64(r, m->ino);
		synth_rec_u64(r, 0);
	}
	synth_rec_u32(r, m->prot);
	synth_rec_u32(r, m->flags);
	synth_rec_string(r, path);
	w->s->nr_maps++;
	return synth_rec_end(r, w->s, w->e);
}

static int put_maps(struct walk *w, pid_t pid)
{
	char path[PATH_MAX], *line, *end;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/%d/maps", w->proc, pid);
	if (read_file(w, path) <= 0)
		return 0; /* gone, or not ours to look at */
	for (line = w->buf; !ret && *line; line = end) {
		struct map_line m;

		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		else
			end = line + strlen(line);
		if (parse_map(line, &m) && (m.prot & PROT_X || w->s->data_maps))
			ret = put_map(w, pid, &m);
	}
	return ret;
}

/* ---- walking ------------------------------------------------------------------------------------------ */

static int cannot_list(struct walk *w, const char *path, int code)
{
	return err_set(w->e, code, "cannot read what is in %s: %s", path, strerror(-code));
}

static int walk_threads(struct walk *w, pid_t pid)
{
	char path[PATH_MAX];
	struct dirent *d;
	DIR *dir;
	int ret = 0, code = 0;

	snprintf(path, sizeof(path), "%s/%d/task", w->proc, pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!ret && (d = file_dir_next(dir, &code))) {
		pid_t tid = atoi(d->d_name);
		struct task t;

		if (tid > 0 && tid != pid && read_task(w, pid, tid, &t))
			ret = put_task(w, &t, true);
	}
	closedir(dir);
	/* Other codes: the process ended meanwhile. */
	return !ret && lack_is_trouble(code) ? cannot_list(w, path, code) : ret;
}

static int walk_process(struct walk *w, pid_t pid, bool fork)
{
	struct task t;
	int ret;

	if (!read_task(w, pid, pid, &t))
		return 0;
	ret = put_task(w, &t, fork);
	if (!ret && t.threads > 1)
		ret = walk_threads(w, pid);
	return ret || t.kernel || w->s->no_maps ? ret : put_maps(w, pid);
}

static int walk_all(struct walk *w)
{
	DIR *dir = opendir(w->proc);
	struct dirent *d;
	int ret = 0, code = 0;

	if (!dir)
		return err_set(w->e, -errno, "%s: %s", w->proc, strerror(errno));
	while (!ret && (d = file_dir_next(dir, &code)))
		if (d->d_name[0] >= '1' && d->d_name[0] <= '9')
			ret = walk_process(w, atoi(d->d_name), true);
	closedir(dir);
	return !ret && code ? cannot_list(w, w->proc, code) : ret;
}

/* The process of a thread: "Tgid:" of its status. */
static pid_t process_of(struct walk *w, pid_t tid)
{
	char path[PATH_MAX], *p;

	snprintf(path, sizeof(path), "%s/%d/status", w->proc, tid);
	if (read_file(w, path) <= 0)
		return -1;
	p = strstr(w->buf, "\nTgid:");
	return p ? atoi(p + 6) : -1;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* Each process once, however many of its threads are watched. */
static int walk_targets(struct walk *w, const struct capture_target *t)
{
	VEC(pid_t) pids = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < t->tids.n; i++) {
		pid_t pid = process_of(w, t->tids.v[i]);

		if (pid > 0 && vec_push(&pids, pid))
			ret = err_set(w->e, -ENOMEM, "no memory for the list of processes");
	}
	if (pids.n)
		qsort(pids.v, pids.n, sizeof(*pids.v), compare_pids);
	for (size_t i = 0; !ret && i < pids.n; i++)
		if (!i || pids.v[i] != pids.v[i - 1])
			ret = walk_process(w, pids.v[i], false);
	vec_free(&pids);
	return ret;
}

/* The child that waits for its exec: only its name; exec makes everything else. */
static int walk_workload(struct walk *w, const struct capture_target *t)
{
	struct task task;

	if (!t->tids.n || !read_task(w, t->tids.v[0], t->tids.v[0], &task))
		return 0;
	snprintf(task.comm, sizeof(task.comm), "perf-exec");
	return put_task(w, &task, false);
}

int synth_tasks(struct synth *s, const struct capture_target *t, struct err *e)
{
	struct walk *w = calloc(1, sizeof(*w));
	char *buf = malloc(FIRST_BUF);
	int ret;

	if (!w || !buf) {
		free(w);
		free(buf);
		return err_set(e, -ENOMEM, "no memory to look at /proc");
	}
	w->buf = buf;
	w->cap = FIRST_BUF;
	w->s = s;
	w->e = e;
	w->proc = s->proc ? s->proc : "/proc";
	if (t->system_wide)
		ret = walk_all(w);
	else if (t->workload)
		ret = walk_workload(w, t);
	else
		ret = walk_targets(w, t);
	free(w->buf);
	free(w);
	return ret;
}
