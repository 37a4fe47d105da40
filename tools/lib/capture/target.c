// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whom to watch: threads from -p, -t and -u, CPUs from -C. A list is made once, at the start: a
 * process of a list that is not there is an error with its number, but a thread that ends while
 * the list is made is none.
 */
#include <dirent.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "capture/capture-int.h"

#define MAX_CPUS 65536

static int add_tid(struct capture_target *t, pid_t tid, struct err *e)
{
	for (size_t i = 0; i < t->tids.n; i++)
		if (t->tids.v[i] == tid)
			return 0;
	if (vec_push(&t->tids, tid))
		return err_set(e, -ENOMEM, "no memory for the list of threads");
	return 0;
}

/* -ESRCH where nobody is, which the caller tells. */
static int cannot_list(const char *path, struct err *e)
{
	int code = -errno;

	return code == -ENOENT || code == -ESRCH
		       ? -ESRCH
		       : err_set(e, code, "cannot read %s: %s", path, strerror(-code));
}

/* All threads of a process: the leader first. -ESRCH when it is not there. */
static int add_process(struct capture_target *t, pid_t pid, struct err *e)
{
	char path[64];
	struct dirent *d;
	DIR *dir;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return cannot_list(path, e);
	ret = add_tid(t, pid, e);
	while (errno = 0, !ret && (d = readdir(dir)))
		if (atoi(d->d_name) > 0)
			ret = add_tid(t, atoi(d->d_name), e);
	if (!ret && errno)
		ret = cannot_list(path, e);
	closedir(dir);
	return ret;
}

static int add_thread(struct capture_target *t, pid_t tid, struct err *e)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", tid);
	return stat(path, &st) ? -ESRCH : add_tid(t, tid, e);
}

static int add_list(struct capture_target *t, const char *list, const char *what,
		    int (*add)(struct capture_target *t, pid_t id, struct err *e), struct err *e)
{
	const char *p = list;

	do {
		char *end;
		long id = strtol(p, &end, 10);
		int ret;

		if (end == p || (*end && *end != ',') || id <= 0 || id > INT32_MAX)
			return err_set(e, -EINVAL, "'%s' is not a list of %s ids", list, what);
		ret = add(t, (pid_t)id, e);
		if (ret == -ESRCH) {
			err_set(e, -ESRCH, "%s %ld does not exist", what, id);
			err_hint(e, "See: ps -e");
		}
		if (ret)
			return ret;
		p = *end ? end + 1 : end;
	} while (*p);
	return 0;
}

int capture_target_pids(struct capture_target *t, const char *list, struct err *e)
{
	return add_list(t, list, "process", add_process, e);
}

int capture_target_tids(struct capture_target *t, const char *list, struct err *e)
{
	return add_list(t, list, "thread", add_thread, e);
}

int capture_target_process(struct capture_target *t, pid_t pid, struct err *e)
{
	int ret;

	for (size_t i = 0; i < t->tids.n; i++)
		if (t->tids.v[i] == pid)
			return 0;
	ret = add_process(t, pid, e);
	return ret == -ESRCH ? 0 : ret;
}

/* When a process began, in ticks since the machine did: field 22 of /proc/PID/stat; 0 = nobody says. */
static unsigned long long began(pid_t pid)
{
	unsigned long long ticks;
	char path[64], *text, *p;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	text = file_read_all(path, 1 << 12, NULL, NULL);
	p = text ? strrchr(text, ')') : NULL; /* the end of field 2 */
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	ticks = p ? strtoull(p, NULL, 10) : 0;
	free(text);
	return ticks;
}

/* "12 34 ": what /proc says of a thread's children. Events are inherited by those that came @since alone. */
static int add_children(struct capture_target *t, pid_t tid, unsigned long long since,
			struct err *e)
{
	char path[64], *text, *p, *end;
	int ret = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", tid, tid);
	text = file_read_all(path, 1 << 20, NULL, NULL);
	for (p = text; !ret && p; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p)
			break;
		if (pid > 0 && pid <= INT32_MAX && began((pid_t)pid) >= since)
			ret = add_process(t, (pid_t)pid, e);
		if (ret == -ESRCH)
			ret = 0;
	}
	free(text);
	return ret;
}

int capture_target_children(struct capture_target *t, struct err *e)
{
	unsigned long long since = began(getpid());
	int ret = 0;

	for (size_t i = 0; !ret && i < t->tids.n; i++)
		ret = add_children(t, t->tids.v[i], since, e);
	return ret;
}

static int parse_user(const char *name, uid_t *uid)
{
	struct passwd *pw = getpwnam(name);
	char *end;
	unsigned long v;

	if (pw) {
		*uid = pw->pw_uid;
		return 0;
	}
	v = strtoul(name, &end, 10);
	if (end == name || *end || v > UINT32_MAX)
		return -EINVAL;
	*uid = (uid_t)v;
	return 0;
}

int capture_target_user(struct capture_target *t, const char *name, struct err *e)
{
	struct dirent *d;
	struct stat st;
	uid_t uid;
	DIR *dir;
	int ret = 0, code = 0;

	if (parse_user(name, &uid)) {
		err_set(e, -EINVAL, "there is no user '%s'", name);
		err_hint(e, "-u takes a name or a number: see 'getent passwd'.");
		return -EINVAL;
	}
	dir = opendir("/proc");
	if (!dir)
		return err_set(e, -errno, "/proc: %s", strerror(errno));
	while (!ret && (d = file_dir_next(dir, &code))) {
		pid_t pid = atoi(d->d_name);

		if (pid <= 0 || fstatat(dirfd(dir), d->d_name, &st, 0) || st.st_uid != uid)
			continue;
		ret = add_process(t, pid, e);
		if (ret == -ESRCH)
			ret = 0;
	}
	closedir(dir);
	if (!ret && code)
		return err_set(e, code, "cannot read what is in /proc: %s", strerror(-code));
	if (!ret && !t->tids.n)
		return err_set(e, -ESRCH, "user '%s' has no process", name);
	return ret;
}

/* "cpu3 8701 12 ...": a line of /proc/stat for each CPU that is online. Cuts @text up. */
static int parse_stat(struct bits *b, char *text)
{
	int ret = 0;

	for (char *p = text; !ret && (p = strstr(p, "\ncpu"));) {
		char *number = p + 4;

		p = number + strspn(number, "0123456789");
		if (*p)
			*p++ = '\0';
		ret = bits_parse_list(b, number, MAX_CPUS);
	}
	return ret;
}

int capture_online_cpus(struct bits *b, struct err *e)
{
	struct err why = { 0 };
	char *text = file_read_all("/sys/devices/system/cpu/online", 64 << 10, NULL, &why);
	int ret;

	if (text) {
		text[strcspn(text, "\n")] = '\0';
		ret = bits_parse_list(b, text, MAX_CPUS);
	} else {
		/* A chroot has /proc, as a rule, and not always /sys. */
		text = file_read_all("/proc/stat", 16 << 20, NULL, NULL);
		ret = text ? parse_stat(b, text) : why.code;
	}
	free(text);
	return ret ? err_set(e, ret, "cannot read the list of online CPUs: %s", strerror(-ret)) : 0;
}

int capture_target_cpus(struct capture_target *t, const char *list, struct err *e)
{
	struct bits online = { 0 };
	int ret = capture_online_cpus(&online, e);

	if (ret)
		return ret;
	t->cpus_given = true;
	ret = bits_parse_list(&t->cpus, list, MAX_CPUS);
	if (ret) {
		err_set(e, -EINVAL, "'%s' is not a list of CPUs such as 0-3,7", list);
		ret = -EINVAL;
	}
	for (size_t i = 0; !ret && i < t->cpus.nr; i++)
		if (bits_test(&t->cpus, i) && !bits_test(&online, i)) {
			ret = err_set(e, -EINVAL, "CPU %zu is not online", i);
			err_hint(e, "See /sys/devices/system/cpu/online");
		}
	bits_free(&online);
	return ret;
}

void capture_target_free(struct capture_target *t)
{
	bits_free(&t->cpus);
	vec_free(&t->tids);
}
