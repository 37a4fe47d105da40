// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --per-event-dump: the samples of each event in a file of its own, INPUT.EVENT.dump. Files are
 * created before the first sample, so that what cannot be written is said before anything was read;
 * the events of a stream come later, and their files with them. What an event is called comes from
 * the recording and becomes one word of a path.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/box.h"
#include "emit/emit.h"
#include "script/script-int.h"

#define MAX_FILES   4096
#define BUFFER_SIZE 65536

struct dump_file {
	char *path;
	struct obuf o;
	uint64_t nr;
};

struct script_dumps {
	const struct perfdata *pd;
	const char *input;
	VEC(struct dump_file *) files;
	VEC(struct dump_file *) by_event; /* by event->idx */
};

/* An event's name is from the file: one word of a path, without bytes that upset a terminal. */
static char *path_of(const char *input, const char *event)
{
	size_t lead = strlen(input) + 1, len = strlen(event);
	char *path = malloc(lead + len + sizeof(".dump"));

	if (!path)
		return NULL;
	memcpy(path, input, lead - 1);
	path[lead - 1] = '.';
	for (size_t i = 0; i < len; i++)
		path[lead + i] =
			event[i] == '/' || (unsigned char)event[i] < ' ' || event[i] == 0x7f
				? '_'
				: event[i];
	memcpy(path + lead + len, ".dump", sizeof(".dump"));
	return path;
}

/* Takes @path over. */
static int add_file(struct script_dumps *d, char *path, struct dump_file **file, struct err *e)
{
	struct dump_file *f;
	struct output out;
	int ret;

	vec_for_each (have, &d->files)
		if (!strcmp((*have)->path, path)) {
			free(path);
			*file = *have;
			return 0;
		}
	*file = f = calloc(1, sizeof(*f));
	if (!f || vec_push(&d->files, f)) {
		free(f);
		free(path);
		return err_set(e, -ENOMEM, "no memory for the events' files");
	}
	f->path = path;
	ret = box_output_open(&out, path, OUTPUT_DERIVED, NULL, e);
	if (ret || !obuf_init(&f->o, out.fd, BUFFER_SIZE))
		return ret;
	close(out.fd);
	return err_set(e, -ENOMEM, "no memory for the events' files");
}

static int add_events(struct script_dumps *d, struct err *e)
{
	while (d->by_event.n < perfdata_nr_events(d->pd)) {
		const struct perfdata_event *event = perfdata_event(d->pd, d->by_event.n);
		char *path = path_of(d->input, event->name);
		struct dump_file *f;
		int ret;

		if (!path)
			return err_set(e, -ENOMEM, "no memory for the events' files");
		if (d->by_event.n == MAX_FILES) {
			free(path);
			return err_set(e, -E2BIG,
				       "the recording has more than %d events; that is too many "
				       "to have a file each",
				       MAX_FILES);
		}
		ret = add_file(d, path, &f, e);
		if (ret)
			return ret;
		if (vec_push(&d->by_event, f))
			return err_set(e, -ENOMEM, "no memory for the events' files");
	}
	return 0;
}

/* A recording of all tracepoints has more events than most limits. */
static void raise_limit(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r))
		return;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
}

struct script_dumps *script_dumps_new(const struct perfdata *pd, const char *input)
{
	struct script_dumps *d = calloc(1, sizeof(*d));

	if (d) {
		d->pd = pd;
		d->input = strcmp(input, "-") ? input : "stdin";
	}
	return d;
}

int script_dumps_open(struct script_dumps *d, struct err *e)
{
	raise_limit();
	return add_events(d, e) ? err_context(e, "Couldn't create the per event dump files") : 0;
}

struct obuf *script_dumps_out(void *dumps, const struct perfdata_event *event, struct err *e)
{
	struct script_dumps *d = dumps;

	/* The events of a stream come when they come. */
	if (unlikely(event->idx >= d->by_event.n) &&
	    (add_events(d, e) || event->idx >= d->by_event.n))
		return NULL;
	d->by_event.v[event->idx]->nr++;
	return &d->by_event.v[event->idx]->o;
}

static int close_file(struct dump_file *f, struct obuf *o, struct err *e)
{
	int fd = f->o.fd, ret = obuf_flush(&f->o);
	double mb = (double)f->o.total / 1024 / 1024;

	obuf_free(&f->o);
	if (close(fd) && !ret)
		ret = -errno;
	if (ret) {
		err_set(e, ret, "cannot write '%s': %s", f->path, strerror(-ret));
	} else if (o) {
		obuf_printf(o, "[ perf script: Wrote %.3f MB ", mb);
		emit_safe(o, f->path);
		obuf_printf(o, " (%llu samples) ]\n", (unsigned long long)f->nr);
	}
	return ret;
}

int script_dumps_close(struct script_dumps *d, struct obuf *o, struct err *e)
{
	int ret = 0;

	if (!d)
		return 0;
	vec_for_each (f, &d->files) {
		int r = (*f)->o.buf ? close_file(*f, o, ret ? NULL : e) : 0;

		ret = ret ? ret : r;
		free((*f)->path);
		free(*f);
	}
	vec_free(&d->files);
	vec_free(&d->by_event);
	free(d);
	return ret;
}
