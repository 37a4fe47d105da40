// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is not alike in recordings that are looked at together. A fact is a name and its value in the first
 * recording that tells it; the first other value makes it a difference, more of them are counted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/tables.h"
#include "fleet/fleet.h"

struct fact {
	const char *name, *value, *file;
	const char *other, *other_file; /* NULL = all are alike */
	size_t more;			/* that are other, too */
};

struct fleet_differ {
	struct arena text;
	VEC(struct fact) facts;
	VEC(const char *) lines;
};

int fleet_differ_new(struct fleet_differ **d, struct err *e)
{
	*d = calloc(1, sizeof(**d));
	return *d ? 0 : err_set(e, -ENOMEM, "no memory to compare recordings");
}

void fleet_differ_free(struct fleet_differ *d)
{
	if (!d)
		return;
	arena_free(&d->text);
	vec_free(&d->facts);
	vec_free(&d->lines);
	free(d);
}

static struct fact *find(struct fleet_differ *d, const char *name)
{
	vec_for_each (f, &d->facts)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static int add(struct fleet_differ *d, const char *name, const char *value, const char *file)
{
	struct fact *f = find(d, name);
	struct fact new = { .file = file };

	if (!value || !*value)
		return 0;
	if (!f) {
		new.name = arena_strdup(&d->text, name);
		new.value = arena_strdup(&d->text, value);
		return new.name &&new.value ? vec_push(&d->facts, new) : -ENOMEM;
	}
	if (!strcmp(f->value, value))
		return 0;
	if (f->other) {
		f->more++;
		return 0;
	}
	f->other = arena_strdup(&d->text, value);
	f->other_file = file;
	return f->other ? 0 : -ENOMEM;
}

static void put_rate(char *buf, size_t size, const struct perf_event_attr *a)
{
	snprintf(buf, size, attr_flag(a, ATTR_FLAG_FREQ) ? "%llu samples a second" : "one of %llu",
		 (unsigned long long)a->sample_period);
}

/* One of a name may have been counted in two ways: then it is two events. */
static int add_event(struct fleet_differ *d, const struct perfdata_event *ev, const char *file)
{
	const struct perf_event_attr *a = &ev->attr;
	char name[256], value[192];
	int ret;

	snprintf(name, sizeof(name), "event %s (which is counted apart)", ev->name);
	snprintf(value, sizeof(value), "type %u config %#llx samples of %#llx, branches %#llx",
		 a->type, (unsigned long long)a->config, (unsigned long long)a->sample_type,
		 (unsigned long long)a->branch_sample_type);
	ret = add(d, name, value, file);
	snprintf(name, sizeof(name), "frequency of %s", ev->name);
	put_rate(value, sizeof(value), a);
	return ret ?: add(d, name, value, file);
}

static void put_clock(char *buf, size_t size, const struct perfdata *pd)
{
	const struct perfdata_event *ev = perfdata_event(pd, 0);

	if (!ev)
		*buf = 0;
	else if (attr_flag(&ev->attr, ATTR_FLAG_USE_CLOCKID))
		snprintf(buf, size, "number %d", ev->attr.clockid);
	else
		snprintf(buf, size, "the kernel's own");
}

int fleet_differ_add(struct fleet_differ *d, const struct perfdata *pd, struct err *e)
{
	const struct perfdata_env *env = perfdata_env(pd);
	const char *file = arena_strdup(&d->text, perfdata_path(pd));
	char clock[64];
	int ret = file ? 0 : -ENOMEM;

	put_clock(clock, sizeof(clock), pd);
	ret = ret ?: add(d, "host", env->hostname, file);
	ret = ret ?: add(d, "kernel", env->os_release, file);
	ret = ret ?: add(d, "architecture", env->arch, file);
	ret = ret ?: add(d, "CPU", env->cpu_desc, file);
	ret = ret ?: add(d, "clock", clock, file);
	for (size_t i = 0; !ret && i < perfdata_nr_own_events(pd); i++)
		ret = add_event(d, perfdata_event(pd, i), file);
	return ret ? err_set(e, ret, "no memory to compare recordings") : 0;
}

const char *const *fleet_differ_lines(struct fleet_differ *d)
{
	static const char *const none[] = { NULL };

	d->lines.n = 0;
	vec_for_each (f, &d->facts) {
		const char *line;
		char more[48] = "";

		if (!f->other)
			continue;
		if (f->more)
			snprintf(more, sizeof(more), " (and %zu more)", f->more);
		line = arena_printf(&d->text, "recordings differ in %s: %s has %s, %s has %s%s",
				    f->name, f->file, f->value, f->other_file, f->other, more);
		if (!line || vec_push(&d->lines, line))
			return none;
	}
	return vec_push(&d->lines, (const char *)NULL) ? none : d->lines.v;
}
