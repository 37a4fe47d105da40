// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of one cgroup (-G). The kernel takes a descriptor of the group's directory in place of a
 * process; it must lie in the hierarchy that has the controller perf_event, or in version 2's.
 * Source: perf_event_open(2), PERF_FLAG_PID_CGROUP; cgroups(7).
 */
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "events/events-int.h"

/* Where groups lie: version 1's perf_event when it is mounted, else version 2. */
bool events_cgroup_mount(char *dir, size_t size)
{
	FILE *f = setmntent("/proc/mounts", "re");
	bool old = false, found = false;
	struct mntent *m;

	while (f && !old && (m = getmntent(f))) {
		old = !strcmp(m->mnt_type, "cgroup") && hasmntopt(m, "perf_event");
		if (old || (!found && !strcmp(m->mnt_type, "cgroup2"))) {
			snprintf(dir, size, "%s", m->mnt_dir);
			found = true;
		}
	}
	if (f)
		endmntent(f);
	return found;
}

static int open_cgroup(const char *name, struct err *e)
{
	char dir[PATH_MAX], path[2 * PATH_MAX];
	int fd;

	if (!events_cgroup_mount(dir, sizeof(dir))) {
		err_set(e, -ENOENT, "-G %s: no hierarchy of cgroups is mounted", name);
		err_hint(e, "mount -t cgroup2 none /sys/fs/cgroup");
		return -ENOENT;
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	err_set(e, -errno, "-G %s: cannot open the cgroup %s: %s", name, path, strerror(errno));
	err_hint(e, "The name is a path below %s; see 'ls %s'.", dir, dir);
	return e ? e->code : -EINVAL;
}

static int set_cgroup(struct event_list *l, size_t first, size_t end, const char *name,
		      struct err *e)
{
	const char *copy = arena_strdup(&l->arena, name);

	if (!copy)
		return err_set(e, -ENOMEM, "no memory for the cgroup");
	for (size_t i = first; i < end; i++) {
		struct event *ev = &l->v[i];
		int fd;

		if (ev->cgroup)
			continue;
		fd = open_cgroup(name, e);
		if (fd < 0)
			return fd;
		ev->cgroup = copy;
		ev->cgroup_fd = fd;
	}
	return 0;
}

int events_set_cgroups(struct event_list *l, const char *names, struct err *e)
{
	bool several = strchr(names, ',');
	const char *p = names;
	size_t i = 0;
	int ret = 0;

	if (!l->n) {
		err_set(e, -EINVAL, "-G %s: there is no event in front of it", names);
		err_hint(e, "A cgroup belongs to the events before it: -e cycles -G NAME");
		return -EINVAL;
	}
	if (!several)
		return *names ? set_cgroup(l, 0, l->n, names, e) : 0;
	/* One name for each event; an empty one leaves its event as it is. */
	for (; !ret && p; i++) {
		size_t len = strcspn(p, ",");
		char name[PATH_MAX];

		if (i == l->n)
			return err_set(e, -EINVAL, "-G %s: more cgroups than events (%zu)", names,
				       l->n);
		snprintf(name, sizeof(name), "%.*s", (int)len, p);
		if (name[0])
			ret = set_cgroup(l, i, i + 1, name, e);
		p = p[len] ? p + len + 1 : NULL;
	}
	return ret;
}

void events_close_cgroups(struct event_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].cgroup)
			close(l->v[i].cgroup_fd);
}
