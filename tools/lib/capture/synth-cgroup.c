// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CGROUP records of the groups that are there: samples carry a number, which is the file handle
 * of the group's directory. Source: perf_event_open(2), name_to_handle_at(2), cgroups(7).
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lack.h"
#include "capture/capture-int.h"

#define MAX_DEPTH 64 /* directories kept open while walking */

struct groups {
	struct synth *s;
	struct err *e;
	struct synth_record record;
	char path[PATH_MAX]; /* below the mount, "/" for the root */
};

static bool handle_of(int dir, uint64_t *id)
{
	struct {
		struct file_handle h;
		unsigned char bytes[MAX_HANDLE_SZ];
	} handle = { .h.handle_bytes = MAX_HANDLE_SZ };
	int mount;

	if (name_to_handle_at(dir, "", &handle.h, &mount, AT_EMPTY_PATH) ||
	    handle.h.handle_bytes < sizeof(*id))
		return false;
	memcpy(id, handle.h.f_handle, sizeof(*id));
	return true;
}

static int put_group(struct groups *g, uint64_t id)
{
	synth_rec_begin(&g->record, PERF_RECORD_CGROUP, 0);
	synth_rec_u64(&g->record, id);
	synth_rec_string(&g->record, g->path);
	return synth_rec_end(&g->record, g->s, g->e);
}

/* Takes @fd over. Groups come and go while we look: one that vanished is left out. */
static int walk_group(struct groups *g, int fd, unsigned depth)
{
	size_t len = strlen(g->path);
	DIR *dir = fdopendir(fd);
	struct dirent *d;
	uint64_t id;
	int ret = 0, code = 0;

	if (!dir) {
		close(fd);
		return 0;
	}
	if (handle_of(fd, &id))
		ret = put_group(g, id);
	while (!ret && depth < MAX_DEPTH && (d = file_dir_next(dir, &code))) {
		const char *slash = len > 1 ? "/" : "";
		int sub;

		if (d->d_type != DT_DIR || d->d_name[0] == '.' ||
		    len + strlen(d->d_name) + 2 > sizeof(g->path))
			continue;
		sub = openat(fd, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			continue;
		snprintf(g->path + len, sizeof(g->path) - len, "%s%s", slash, d->d_name);
		ret = walk_group(g, sub, depth + 1);
		g->path[len] = '\0';
	}
	closedir(dir);
	if (!ret && lack_is_trouble(code))
		return err_set(g->e, code, "cannot read what is in cgroup %s: %s", g->path,
			       strerror(-code));
	return ret;
}

int synth_cgroups(struct synth *s, struct err *e)
{
	char mount[PATH_MAX];
	struct groups *g;
	int fd, ret;

	if (!events_cgroup_mount(mount, sizeof(mount)))
		return 0;
	fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		log_to(&s->log, LOG_WARN, "the names of cgroups cannot be read: %s: %s", mount,
		       strerror(errno));
		return 0;
	}
	g = calloc(1, sizeof(*g));
	if (!g) {
		close(fd);
		return err_set(e, -ENOMEM, "no memory to look at cgroups");
	}
	g->s = s;
	g->e = e;
	g->path[0] = '/';
	ret = walk_group(g, fd, 0);
	free(g);
	return ret;
}
