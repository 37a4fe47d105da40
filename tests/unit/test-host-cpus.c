// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CPUs that a quota of CPU time leaves: a child of the test goes into a cgroup that is made for it. Where
 * groups cannot be made (not root, no controller for CPU time) there is nothing to see.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.h"
#include "unit.h"

#define PERIOD "100000"

struct group {
	char dir[1024];
	bool unified; /* cgroups of version 2 */
};

static int put(const char *dir, const char *file, const char *text)
{
	char path[1200];
	int fd, ret;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* @quota in microseconds of 100000; NULL = none. */
static int set_quota(const struct group *g, const char *quota)
{
	char text[64];

	if (!g->unified)
		return put(g->dir, "cpu.cfs_period_us", PERIOD)
			       ?: put(g->dir, "cpu.cfs_quota_us", quota ? quota : "-1");
	snprintf(text, sizeof(text), "%s %s", quota ? quota : "max", PERIOD);
	return put(g->dir, "cpu.max", text);
}

/* The group of this process that CPU time is granted to: where it is, or false. */
static bool own_group(struct group *g)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f)) {
		char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = 0;
		group[strcspn(group, "\n")] = 0;
		if (!strcmp(group, "/"))
			*group = 0;
		g->unified = !names[1];
		snprintf(g->dir, sizeof(g->dir), "/sys/fs/cgroup%s%s", g->unified ? "" : "/cpu",
			 group);
		found = g->unified ? !access("/sys/fs/cgroup/cgroup.controllers", F_OK)
				   : !!strstr(names, "cpu,") || !strcmp(names + 1, "cpu");
	}
	if (f)
		fclose(f);
	return found;
}

static bool make_group(struct group *g, const struct group *in, const char *name)
{
	g->unified = in->unified;
	if (g->unified)
		put(in->dir, "cgroup.subtree_control", "+cpu");
	if ((size_t)snprintf(g->dir, sizeof(g->dir), "%.900s/%s", in->dir, name) >= sizeof(g->dir))
		return false;
	return !mkdir(g->dir, 0755) && !set_quota(g, NULL);
}

/* What a process in @g counts; 0 = it could not go there. */
static unsigned cpus_in(const struct group *g)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		unsigned n = put(g->dir, "cgroup.procs", "0") ? 0 : host_cpus_usable();

		_exit(n < 255 ? (int)n : 255);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return (unsigned)WEXITSTATUS(status);
}

static void check_quotas(const struct group *outer, const struct group *inner)
{
	unsigned all = host_cpus_usable();

	assert_int_equal(cpus_in(inner), all < 255 ? all : 255);
	assert_int_equal(set_quota(inner, "50000"), 0);
	assert_int_equal(cpus_in(inner), 1);
	/* One and a half are two threads' worth. */
	assert_int_equal(set_quota(inner, "150000"), 0);
	assert_int_equal(cpus_in(inner), all < 2 ? all : 2);
	/* The tightest one of those above counts. */
	assert_int_equal(set_quota(inner, NULL), 0);
	assert_int_equal(set_quota(outer, "100000"), 0);
	assert_int_equal(cpus_in(inner), 1);
}

static void quotas(void **state)
{
	struct group own, outer = { 0 }, inner = { 0 };
	char name[64];
	bool made;

	(void)state;
	snprintf(name, sizeof(name), "perf-test-%d", (int)getpid());
	if (!own_group(&own)) {
		print_message("no cgroup with a quota of CPU time is seen here\n");
		skip();
	}
	made = make_group(&outer, &own, name) && make_group(&inner, &outer, "inner");
	if (made && cpus_in(&inner))
		check_quotas(&outer, &inner);
	else
		made = false;
	rmdir(inner.dir);
	rmdir(outer.dir);
	if (!made) {
		print_message("no cgroup with a quota can be made below %s\n", own.dir);
		skip();
	}
}

static void affinity(void **state)
{
	cpu_set_t was, one;
	int cpu = 0;

	(void)state;
	assert_in_range(host_cpus_usable(), 1, 65536);
	if (sched_getaffinity(0, sizeof(was), &was))
		skip();
	while (!CPU_ISSET(cpu, &was))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(host_cpus_usable(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(was), &was), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(affinity),
		cmocka_unit_test(quotas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
