// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TRACING_DATA feature: what a reader needs to print tracepoints on another machine, in the
 * form that libtraceevent reads. Source: trace-cmd.dat(5), version 0.6 with perf's order.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/bytes.h"
#include "capture/capture-int.h"

#define MAX_FILE (64 << 20)

static void put_u32(struct obuf *o, uint32_t v)
{
	obuf_mem(o, &v, sizeof(v));
}

static void put_u64(struct obuf *o, uint64_t v)
{
	obuf_mem(o, &v, sizeof(v));
}

/* Size (of @width bytes) and contents; a file that is not there counts as empty. */
static void put_file(struct obuf *o, const char *root, const char *name, int width)
{
	char path[PATH_MAX], *text;
	size_t size = 0;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	text = file_read_all(path, MAX_FILE, &size, NULL);
	if (!text)
		size = 0;
	if (width == 4)
		put_u32(o, (uint32_t)size);
	else
		put_u64(o, size);
	if (text)
		obuf_mem(o, text, size);
	free(text);
}

/* Is this the first event of its system, its name, in the list? */
static bool is_first(const struct event_list *l, size_t i, bool by_name)
{
	for (size_t j = 0; j < i; j++) {
		if (!l->v[j].tp_system || strcmp(l->v[j].tp_system, l->v[i].tp_system))
			continue;
		if (!by_name || !strcmp(l->v[j].tp_name, l->v[i].tp_name))
			return false;
	}
	return true;
}

static uint32_t count_events(const struct event_list *l, const char *system)
{
	uint32_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct event *ev = &l->v[i];

		if (!ev->tp_system)
			continue;
		if (system)
			n += !strcmp(ev->tp_system, system) && is_first(l, i, true);
		else
			n += is_first(l, i, false);
	}
	return n;
}

static void put_system(struct obuf *o, const char *root, const struct event_list *l,
		       const char *system)
{
	obuf_mem(o, system, strlen(system) + 1);
	put_u32(o, count_events(l, system));
	for (size_t i = 0; i < l->n; i++) {
		const struct event *ev = &l->v[i];
		char name[PATH_MAX];

		if (!ev->tp_system || strcmp(ev->tp_system, system) || !is_first(l, i, true))
			continue;
		snprintf(name, sizeof(name), "events/%s/%s/format", system, ev->tp_name);
		put_file(o, root, name, 8);
	}
}

bool capture_tracing_data(const struct event_list *l, struct obuf *o)
{
	static const unsigned char magic[] = { 23, 8, 68, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	const char *root = events_tracefs();

	if (!root || !count_events(l, NULL))
		return false;
	obuf_mem(o, magic, sizeof(magic));
	obuf_mem(o, "0.6", 4);
	obuf_char(o, host_is_big_endian());
	obuf_char(o, (char)sizeof(long));
	put_u32(o, (uint32_t)sysconf(_SC_PAGESIZE));
	obuf_mem(o, "header_page", 12);
	put_file(o, root, "events/header_page", 8);
	obuf_mem(o, "header_event", 13);
	put_file(o, root, "events/header_event", 8);
	put_u32(o, 0); /* formats of ftrace's own events: none is recorded */
	put_u32(o, count_events(l, NULL));
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].tp_system && is_first(l, i, false))
			put_system(o, root, l, l->v[i].tp_system);
	put_u32(o, 0); /* kallsyms: readers have their own */
	put_file(o, root, "printk_formats", 4);
	put_file(o, root, "saved_cmdlines", 8);
	return !o->code;
}
