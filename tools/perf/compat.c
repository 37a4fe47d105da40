// SPDX-License-Identifier: GPL-2.0-or-later
/* Options of upstream that report and script take alike. */
#include <stdlib.h>

#include "compat.h"

int compat_accept(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	(void)opts, (void)arg, (void)unset, (void)e;
	log_info("--%s: accepted; there is nothing to choose here", opt->name);
	return 0;
}

int compat_refuse(void *opts, const struct option *opt, const char *arg, bool unset, struct err *e)
{
	(void)opts, (void)arg;
	if (unset)
		return 0;
	return err_set(e, -EINVAL, "--%s: %s", opt->name, opt->help);
}

int compat_symfs(const char **symfs, bool *flat, struct arena *a, struct err *e)
{
	const char *comma = *symfs ? strrchr(*symfs, ',') : NULL;
	char *dir;

	if (!comma)
		return 0;
	*flat = !strcmp(comma + 1, "flat");
	if (!*flat && strcmp(comma + 1, "hierarchy"))
		return err_set(e, -EINVAL, "Invalid layout: '%s', use 'hierarchy' or 'flat'",
			       comma + 1);
	dir = arena_strndup(a, *symfs, (size_t)(comma - *symfs));
	if (!dir)
		return err_set(e, -ENOMEM, "no memory for --symfs");
	*symfs = dir;
	return 0;
}

bool compat_debuginfod(const char *urls)
{
	if (urls && *urls && setenv("DEBUGINFOD_URLS", urls, 1))
		log_warn("--debuginfod: no memory for the servers' names");
	else if (urls && !getenv("DEBUGINFOD_URLS"))
		log_warn("--debuginfod: $DEBUGINFOD_URLS names no server");
	return urls != NULL;
}

static int find_event(const struct perfdata *pd, const char *what, const char *name,
		      const struct perfdata_event **event, struct err *e)
{
	if (!name)
		return 0;
	for (size_t i = 0; i < perfdata_nr_events(pd); i++)
		if (!strcmp(perfdata_event(pd, i)->name, name)) {
			*event = perfdata_event(pd, i);
			return 0;
		}
	err_set(e, -ENOENT, "%s event not found (%s)", what, name);
	err_hint(e, "use 'perf evlist' to see the available event names");
	return -ENOENT;
}

int event_switch_init(struct event_switch *s, const struct perfdata *pd, struct err *e)
{
	int ret = find_event(pd, "switch-on", s->on_name, &s->on, e);

	s->closed = s->on != NULL;
	return ret ? ret : find_event(pd, "switch-off", s->off_name, &s->off, e);
}

bool event_switch_pass(struct event_switch *s, const struct perfdata_event *event)
{
	if (s->closed) {
		if (!s->on || event != s->on)
			return false;
		s->closed = false;
		return s->show;
	}
	if (s->off && event == s->off) {
		s->closed = true;
		return s->show;
	}
	return true;
}
