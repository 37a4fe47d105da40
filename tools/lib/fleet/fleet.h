/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet: many recordings. Merging: one perf.data out of several, whose samples are theirs, in the order
 * of time, for every reader of such files.
 *
 *	struct fleet_merge_opts o = { .log = LOG_STDERR };
 *
 *	perfdata_open(&in[0], ...), perfdata_open(&in[1], ...);
 *	ret = fleet_merge(in, 2, fd, &o, &stats, &err);
 *
 * What has to be told apart in one file and was not between files is numbered anew: ids of events,
 * and processes of different machines. What cannot be in one file (two kernels, traces of AUX areas,
 * two byte orders) is refused, with the two inputs and what to do instead.
 *
 * Memory: a window of each input, the records without a time that it begins with, and what is
 * distinct: ids, processes, objects. One thread.
 */
#ifndef PERF_FLEET_H
#define PERF_FLEET_H

#include "perfdata/perfdata.h"

enum fleet_pids {
	FLEET_PIDS_AUTO,  /* one process where host name, kernel and its place in memory agree */
	FLEET_PIDS_SAME,  /* a pid is one process, in whatever input */
	FLEET_PIDS_APART, /* each input has processes of its own */
};

struct fleet_merge_opts {
	bool pipe;	    /* @fd gets the form of a stream */
	int compress_level; /* 0 = off, 1..22 zstd */
	enum fleet_pids pids;
	/* Of inputs that ran another kernel than the first: nothing that ran in it, else they are refused. */
	bool no_kernel;
	struct log_sink log; /* what differs between inputs, and which is kept; damage */
};

struct fleet_merge_stats {
	uint64_t records, samples, bytes;
	uint64_t kernel_samples; /* left out by no_kernel */
	uint64_t left_out; /* other records that no event is known of, or that would be too long */
	uint32_t machines; /* that inputs are of; 1 = no pid was changed */
	uint32_t damaged;  /* inputs that end early */
};

/*
 * @in: just opened, @nr of them. Damage ends its input like the input's end, and is told. -errno when
 * what is in @fd is not to be used. @stats may be NULL.
 */
int fleet_merge(struct perfdata *const *in, size_t nr, int fd, const struct fleet_merge_opts *o,
		struct fleet_merge_stats *stats, struct err *e);

#endif
