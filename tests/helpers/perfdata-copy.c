// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfdata-copy [-p] [-z LEVEL] [-k] IN OUT: reads a recording and writes it again with our
 * writer: -p as a pipe, -z compressed, -k as if killed before the end. For tests that let
 * another perf read what we write. Only recordings of the host's byte order.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "perfdata/perfdata.h"

#define FLUSH_EVERY 500

static struct err err;

static int fail(void)
{
	fprintf(stderr, "%s\n", err.text);
	return 1;
}

static struct perfdata_writer *start(struct perfdata *pd, const struct perfdata_writer_opts *opts)
{
	size_t n = perfdata_nr_events(pd);
	struct perfdata_writer_event *ev = calloc(n + 1, sizeof(*ev));
	struct perfdata_writer *w = NULL;

	for (size_t i = 0; ev && i < n; i++) {
		const struct perfdata_event *from = perfdata_event(pd, i);

		ev[i] = (struct perfdata_writer_event){
			.attr = from->attr,
			.name = from->name,
			.ids = from->ids,
			.nr_ids = from->nr_ids,
			.leader = from->leader,
			.nr_members = from->nr_members,
			.group = from->group,
		};
	}
	if (ev)
		perfdata_writer_open(&w, opts, ev, n, &err);
	free(ev);
	return w;
}

/* Those that the writer makes itself are not copied. */
static int copy_features(struct perfdata *pd, struct perfdata_writer *w)
{
	for (int id = 1; id < FEAT_BITS; id++) {
		size_t size;
		const void *data = perfdata_feature_raw(pd, id, &size);

		if (!data || id == FEAT_EVENT_DESC || id == FEAT_GROUP_DESC ||
		    id == FEAT_COMPRESSED)
			continue;
		if (perfdata_writer_feature(w, id, data, size, &err))
			return -1;
	}
	return 0;
}

static int copy_records(struct perfdata *pd, struct perfdata_writer *w)
{
	struct record rec;
	unsigned n = 0;
	int ret;

	while ((ret = perfdata_next(pd, &rec, &err)) > 0) {
		size_t half = rec.size / 2;

		switch (rec.type) {
		case PERF_RECORD_HEADER_ATTR:
		case PERF_RECORD_HEADER_EVENT_TYPE:
		case PERF_RECORD_HEADER_TRACING_DATA:
		case PERF_RECORD_HEADER_BUILD_ID:
		case PERF_RECORD_HEADER_FEATURE: continue;
		default: break;
		}
		if (perfdata_writer_write(w, rec.data, half, rec.data + half, rec.size - half,
					  &err) ||
		    (++n % FLUSH_EVERY == 0 && perfdata_writer_flush(w, &err)))
			return -1;
	}
	return ret;
}

int main(int argc, char **argv)
{
	struct perfdata_opts in = { .force = true };
	struct perfdata_writer_opts out = { 0 };
	struct perfdata_writer *w;
	struct perfdata *pd;
	bool killed = false;
	int opt, ret;

	while ((opt = getopt(argc, argv, "pkz:")) != -1) {
		out.pipe |= opt == 'p';
		killed |= opt == 'k';
		if (opt == 'z')
			out.compress_level = atoi(optarg);
	}
	if (optind + 2 != argc)
		return 2;
	if (perfdata_open(&pd, argv[optind], &in, &err))
		return fail();
	if (perfdata_swapped(pd)) {
		fprintf(stderr, "the recording is of the other byte order\n");
		return 2;
	}
	out.fd = open(argv[optind + 1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	w = out.fd < 0 ? NULL : start(pd, &out);
	if (!w)
		return fail();
	ret = copy_features(pd, w);
	if (!ret)
		ret = copy_records(pd, w);
	if (killed)
		_exit(0);
	if (!ret)
		ret = perfdata_writer_finish(w, &err);
	perfdata_writer_free(w);
	perfdata_close(pd);
	close(out.fd);
	return ret ? fail() : 0;
}
