// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoints: where tracefs is, their ids, globs, filters. A glob that matches nothing is an
 * error; an entry without an id is no event and passed over. That tracefs cannot be read has a
 * message of its own, for there it ends for most users.
 */
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "events/events-int.h"

const char *events_tracefs(void)
{
	/* perf --debugfs-dir sets the first */
	const char *const places[] = { getenv("PERF_DEBUGFS_DIR"), "/sys/kernel/tracing",
				       "/sys/kernel/debug/tracing" };
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (!places[i] || !*places[i])
			continue;
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, R_OK | X_OK))
			return places[i];
	}
	return NULL;
}

bool event_glob(const char *pattern, const char *name)
{
	return strpbrk(pattern, "*?[") ? !fnmatch(pattern, name, 0) : !strcmp(pattern, name);
}

static int no_tracefs(struct parse *ps, const char *at)
{
	bool hidden = !access("/sys/kernel/tracing", F_OK) && geteuid();

	parse_error(ps, -ENOENT, at, "tracepoints are not reachable: %s",
		    hidden ? "tracefs is not readable for this user" : "tracefs is not mounted");
	if (hidden)
		err_hint(
			ps->e,
			"As root: mount -o remount,mode=755 /sys/kernel/tracing/, or run perf as root.");
	else
		err_hint(ps->e, "As root: mount -t tracefs nodev /sys/kernel/tracing");
	return -ENOENT;
}

/* -ENOENT without an error: what is there has no id (not an event directory). */
static int add_tracepoint(struct parse *ps, const char *root, const char *sys, const char *name)
{
	char path[PATH_MAX], full[NAME_MAX * 2 + 2];
	struct err inner = { 0 };
	struct event *ev;
	char *text, *end;
	uint64_t id;

	if (snprintf(path, sizeof(path), "%s/events/%s/%s/id", root, sys, name) >=
	    (int)sizeof(path))
		return -ENOENT;
	text = file_read_all(path, 64, NULL, &inner);
	if (!text)
		return inner.code == -EACCES ? inner.code : -ENOENT;
	id = strtoull(text, &end, 10);
	if (end == text)
		id = UINT64_MAX;
	free(text);
	if (id == UINT64_MAX)
		return -ENOENT;
	snprintf(full, sizeof(full), "%s:%s", sys, name);
	ev = parse_new_event(ps, full, strlen(full));
	if (!ev)
		return -ENOMEM;
	ev->tp_system = parse_strndup(ps, sys, strlen(sys));
	ev->tp_name = parse_strndup(ps, name, strlen(name));
	if (!ev->tp_system || !ev->tp_name)
		return -ENOMEM;
	ev->attr.type = PERF_TYPE_TRACEPOINT;
	ev->attr.config = id;
	return 0;
}

static int add_matching(struct parse *ps, const char *root, const char *sys, const char *pattern)
{
	struct names names = { 0 };
	char path[PATH_MAX];
	int ret;

	if (!strpbrk(pattern, "*?["))
		return add_tracepoint(ps, root, sys, pattern);
	snprintf(path, sizeof(path), "%s/events/%s", root, sys);
	ret = dirlist_read(&names, path);
	for (size_t i = 0; !ret && i < names.n; i++) {
		if (!event_glob(pattern, names.v[i]))
			continue;
		ret = add_tracepoint(ps, root, sys, names.v[i]);
		if (ret == -ENOENT)
			ret = 0;
	}
	dirlist_free(&names);
	return ret == -ENOMEM ? ret : 0;
}

static void offer_names(struct parse *ps, struct nearest *s, const char *path, const char *prefix)
{
	struct names names = { 0 };
	char full[NAME_MAX * 2 + 2];

	if (!dirlist_read(&names, path))
		for (size_t i = 0; i < names.n; i++) {
			snprintf(full, sizeof(full), "%s%s%s", prefix, prefix[0] ? ":" : "",
				 names.v[i]);
			parse_offer(ps, s, full);
		}
	dirlist_free(&names);
}

static int unknown_tracepoint(struct parse *ps, const char *root, const char *sys, const char *name,
			      const char *at)
{
	char path[PATH_MAX], full[NAME_MAX * 2 + 2], near[320];
	struct nearest s;

	snprintf(path, sizeof(path), "%s/events/%s", root, sys);
	if (!strpbrk(sys, "*?[") && access(path, F_OK)) {
		parse_error(ps, -ENOENT, at, "no event and no tracepoint group is called '%s'",
			    sys);
		s = nearest_init(sys);
		snprintf(path, sizeof(path), "%s/events", root);
		offer_names(ps, &s, path, "");
	} else {
		parse_error(ps, -ENOENT, at, "no tracepoint '%s:%s'", sys, name);
		snprintf(full, sizeof(full), "%s:%s", sys, name);
		s = nearest_init(full);
		offer_names(ps, &s, path, sys);
	}
	nearest_print(&s, near, sizeof(near));
	if (near[0])
		err_hint(ps->e, "Did you mean %s?", near);
	else
		err_hint(ps->e, "'perf list tracepoint' shows what this kernel has.");
	return -ENOENT;
}

int parse_tracepoint(struct parse *ps, const char *sys_at, size_t nsys, const char *name_at,
		     size_t nname)
{
	const char *root = events_tracefs();
	char sys[NAME_MAX + 1], name[NAME_MAX + 1], path[PATH_MAX];
	struct names groups = { 0 };
	size_t before = ps->l->n;
	int ret = 0;

	if (!nname)
		return parse_error(ps, -EINVAL, name_at, "a tracepoint's name is expected here");
	if (nsys >= sizeof(sys) || nname >= sizeof(name))
		return parse_error(ps, -ENAMETOOLONG, sys_at, "this name is too long");
	snprintf(sys, sizeof(sys), "%.*s", (int)nsys, sys_at);
	snprintf(name, sizeof(name), "%.*s", (int)nname, name_at);
	if (!root)
		return no_tracefs(ps, sys_at);
	if (strpbrk(sys, "*?[")) {
		snprintf(path, sizeof(path), "%s/events", root);
		ret = dirlist_read(&groups, path);
		for (size_t i = 0; !ret && i < groups.n; i++) {
			if (!event_glob(sys, groups.v[i]))
				continue;
			ret = add_matching(ps, root, groups.v[i], name);
			if (ret == -ENOENT)
				ret = 0; /* not in this group, but maybe in another one */
		}
		dirlist_free(&groups);
	} else {
		ret = add_matching(ps, root, sys, name);
	}
	if (ret == -EACCES)
		return no_tracefs(ps, sys_at);
	if (ret == -ENOENT || (!ret && ps->l->n == before))
		return unknown_tracepoint(ps, root, sys, name, sys_at);
	if (!ret)
		ps->p = name_at + nname;
	return ret;
}

int events_set_filter(struct event_list *l, const char *filter, struct err *e)
{
	const char *copy = arena_strdup(&l->arena, filter);
	size_t n = 0;

	if (!copy)
		return err_set(e, -ENOMEM, "no memory for the filter");
	for (size_t i = l->last; i < l->n; i++) {
		struct event *ev = &l->v[i];

		if (!ev->tp_system)
			continue;
		ev->filter = ev->filter ? arena_printf(&l->arena, "(%s) && (%s)", ev->filter, copy)
					: copy;
		n++;
	}
	if (!n) {
		err_set(e, -EINVAL, "--filter '%.200s' has no tracepoint in front of it", filter);
		err_hint(e, "A filter belongs to the tracepoints of the -e before it:\n"
			    "  -e sched:sched_switch --filter 'prev_pid > 0'");
		return -EINVAL;
	}
	return 0;
}
