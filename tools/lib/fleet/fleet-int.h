/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of merging share.
 *
 *	merge.c			the walk: heads of the inputs, then their records by time
 *	merge-machine.c		which inputs are of one machine; clocks, kernels, numbers of processes
 *	merge-event.c		events and their ids: which are one, which are numbered anew
 *	merge-record.c		a record as it has to be in the output
 *	merge-feature.c		features of the output out of those of the inputs
 */
#ifndef PERF_FLEET_INT_H
#define PERF_FLEET_INT_H

#include "base/bytes.h"
#include "base/obuf.h"
#include "fleet/fleet.h"

struct merge_event {
	struct perf_event_attr attr;
	const char *name, *group; /* an input's */
	uint32_t leader, nr_members;
	bool raw_bases, raw_mxcsr;
	VEC(uint64_t) ids;
};

struct merge_id {
	uint64_t from, to;
};

/* A record that waits for the input's first one with a time. */
struct merge_held {
	struct record rec;
	size_t at; /* in .bytes */
};

struct merge_input {
	struct perfdata *pd;
	VEC(uint32_t) event; /* by number there: number in the output */
	VEC(struct merge_id) ids;
	struct htab id_tab;
	uint32_t machine;
	bool new_ids; /* one of them is another in the output */
	bool retime;  /* records without a time would come before what they must follow */
	bool edit;    /* records cannot be taken as they are */
	bool no_kernel;
	int64_t shift; /* of times */
	VEC(const struct perfdata_build_id *)
	own_objects;	     /* paths that are others' in another input */
	struct htab own_tab; /* of these, by path */
	bool kernel_known;
	uint64_t kernel_start, kernel_pgoff;
	/* the walk */
	struct obuf bytes;
	VEC(struct merge_held) held;
	size_t next_held;
	struct record rec; /* the next */
	bool ended;
	uint64_t time; /* where the walk is; before shift */
};

#define MERGE_RECORD_MAX 65528 /* bytes of a record, a multiple of 8 */

struct merge_number {
	uint64_t from, to;
	uint32_t machine;
};

/* What each machine numbers for itself, as it is in the output. */
struct merge_numbers {
	VEC(struct merge_number) v;
	struct htab tab, used; /* by machine and number there; by number in the output */
	uint64_t last;	       /* the next that no machine gives */
};

struct merge {
	const struct fleet_merge_opts *o;
	struct merge_input *in;
	size_t nr;
	const struct merge_input *kernel; /* whose kernel the output has */
	VEC(struct merge_event) events;
	bool told; /* samples and other records all say their event first */
	VEC(uint64_t) ids;
	struct htab id_tab;
	uint64_t last_id; /* the highest of all inputs, then the last that was made */
	struct merge_numbers pids, cgroups;
	struct perfdata_writer *w;
	unsigned char *buf;		/* a record that was changed */
	VEC(uint32_t) heap;		/* inputs, by time */
	uint64_t first_time, last_time; /* of samples, as written; first ~0 = none */
	uint64_t round;			/* bytes since the last FINISHED_ROUND */
	struct bits features;		/* those that were written */
	bool wall_clock;		/* times are those of CLOCK_REALTIME */
	struct fleet_merge_stats stats;
};

static inline const char *merge_name(const struct merge_input *in)
{
	return perfdata_path(in->pd);
}

/* ---- merge-event.c ------------------------------------------------------------------------------ */

/* Once the heads of all inputs are read: fills m->events and what inputs know of them. */
int merge_events(struct merge *m, struct err *e);
uint64_t merge_new_id(const struct merge_input *in, uint64_t id);
int merge_open_writer(struct merge *m, int fd, struct err *e);

/* ---- merge-machine.c ---------------------------------------------------------------------------- */

/* A record of the input's head: learns where its kernel lies. */
void merge_see_head(struct merge_input *in, const struct record *rec);
/* Fills machine, shift, no_kernel of all inputs. -EINVAL: there is more than one kernel. */
int merge_machines(struct merge *m, struct err *e);
/* The number of a process or thread in the output. */
int merge_new_pid(struct merge *m, const struct merge_input *in, uint32_t pid, uint32_t *to);

/* The id of a cgroup in the output. */
int merge_new_cgroup(struct merge *m, const struct merge_input *in, uint64_t id, uint64_t *to);

void merge_numbers_free(struct merge_numbers *n);

/* ---- merge-record.c ----------------------------------------------------------------------------- */

enum merge_what { MERGE_TAKE, MERGE_LEAVE, MERGE_REFUSE };

/* By type: what the writer writes itself is left. */
enum merge_what merge_what(uint32_t type);
/*
 * *rec as the output has it: itself or changed, in m->buf. 1: to be left out.
 */
int merge_record(struct merge *m, const struct merge_input *in, struct record *rec, struct err *e);

/* ---- merge-feature.c ---------------------------------------------------------------------------- */

/* -EINVAL: tracepoints or PMUs have other numbers in one input than in another. */
int merge_check_numbers(const struct merge *m, struct err *e);
/* Those that were not written yet. @last: all records were read. */
int merge_features(struct merge *m, bool last, struct err *e);
/* Objects that have another build id in an input before: finds them, and that of a record's map (NULL = none). */
int merge_objects(struct merge *m, struct err *e);
const struct perfdata_build_id *merge_own_id(const struct merge_input *in,
					     const struct record *rec);
/* A line for what differs and is not joined. */
void merge_say_differences(const struct merge *m);

#endif
