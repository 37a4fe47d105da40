/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inject: a recording written again with something added that its recorder left out: build ids, maps
 * of code that was compiled at run time, or without the tracing data of AUX areas.
 *
 *	struct inject_opts o = { .ids = INJECT_IDS_HIT };
 *
 *	perfdata_open(&pd, ...);
 *	inject_run(pd, fd, true, &o, &stats, &err);
 *
 * Records come out in order of time, so FINISHED_ROUND is left out, and uncompressed. Features are
 * copied as they are. A recording of the other byte order is refused: writers know the host's only.
 */
#ifndef PERF_INJECT_H
#define PERF_INJECT_H

#include "perfdata/perfdata.h"

enum inject_ids {
	INJECT_IDS_NONE,
	INJECT_IDS_HIT, /* of objects that samples or their call chains fell into */
	INJECT_IDS_ALL, /* of all that were mapped */
};

struct inject_opts {
	enum inject_ids ids;
	bool mmap2_ids; /* into MMAP2 records, in place of device and inode */
	/* "ID PATH,ID PATH..." or "@FILE" with such lines: instead of looking; NULL = none */
	const char *known;
	bool jit;   /* one object for each jitdump file, beside it, and maps for its code */
	bool strip; /* no AUX area, none of its records */
	struct log_sink log;
};

struct inject_stats {
	uint64_t records, added, left_out, bytes;
	uint64_t ids;	   /* objects that got a build id */
	uint64_t jit_maps; /* pieces of code */
};

/*
 * Copies @pd, which was just opened, to @fd; @pipe: in the form of a stream. @stats may be NULL.
 * What is wrong with a single record is told to the log; damage of the file ends it like its end
 * would, is told too, and what came before is whole. -errno when the result is not to be used.
 */
int inject_run(struct perfdata *pd, int fd, bool pipe, const struct inject_opts *o,
	       struct inject_stats *stats, struct err *e);

#endif
