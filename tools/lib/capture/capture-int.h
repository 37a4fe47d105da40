/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room capture share among themselves. */
#ifndef PERF_CAPTURE_CAPTURE_INT_H
#define PERF_CAPTURE_CAPTURE_INT_H

#include "base/tables.h"
#include "capture/capture.h"

/* A place where events are opened: a CPU, a thread, or a thread on a CPU. */
struct cell {
	pid_t tid; /* -1 = every thread */
	int cpu;   /* -1 = any */
	uint32_t ring;
	bool extra; /* a CPU that was not asked for: only for events with all_cpus */
	bool gone;  /* the thread ended before we came */
};

struct counter {
	int fd;
	uint32_t event, cell;
	uint64_t id;
	uint64_t lost; /* samples that a file tells of */
};

struct ring {
	struct perf_event_mmap_page *page; /* NULL = not mapped yet */
	const unsigned char *data;
	uint64_t size; /* bytes of data, a power of two */
	uint64_t prev; /* backward: head at the last dump */
	int fd;	       /* the event that owns it */
	int cpu;
	pid_t tid;
};

struct end_watch {
	pid_t pid;
	int fd; /* its pidfd */
};

struct capture {
	struct event_list *events;
	const struct capture_target *target;
	struct event_opener *opener;
	const struct open_context *context;
	uint32_t ring_pages;
	bool leaves_room;
	bool inherit, allow_fallback, backward;
	struct log_sink log;
	const char *user_only; /* the first event that is recorded without the kernel; NULL */
	VEC(struct cell) cells;
	VEC(struct counter) counters; /* by event, then by cell */
	VEC(struct ring) rings;
	VEC(uint64_t) ids;     /* like counters */
	size_t *first_counter; /* per event and one past the end */
	int epoll_fd, signal_fd, control_fd;
	VEC(struct end_watch) ends;
	int signal;		 /* that asked for an end */
	unsigned nr_signals;	 /* how often */
	int64_t signal_ms;	 /* when the last of these came */
	unsigned seen;		 /* CAPTURE_* bits for the next capture_wait() */
	size_t watched, hung_up; /* threads' descriptors in epoll, and those that ended */
	int time_offset;	 /* of TIME in every sample's body; -1 = not the same in all */
	uint64_t lost_ahead;	 /* told of by counters, before LOST records came */
	struct capture_stats stats;
};

int grid_make_cells(struct capture *c, struct err *e);
int grid_open(struct capture *c, struct err *e);
void grid_close(struct capture *c);
int ring_map_all(struct capture *c, struct err *e);
void ring_unmap_all(struct capture *c);
/* Counts the record at @pos of a ring into the statistics. */
void ring_count(struct capture *c, const struct ring *r, uint64_t pos,
		const struct perf_event_header *h);
struct perf_event_header ring_header(const struct ring *r, uint64_t pos);
int ring_write_round(const struct capture_sink *sink, struct err *e);
int capture_wait_setup(struct capture *c, struct err *e);

/* ---- synthesised records ---------------------------------------------------------------------- */

#define RECORD_MAX 65528

struct synth_record {
	unsigned char buf[RECORD_MAX] __attribute__((aligned(8)));
	size_t len;
};

void synth_rec_begin(struct synth_record *r, uint32_t type, uint16_t misc);
void synth_rec_u16(struct synth_record *r, uint16_t v);
void synth_rec_u32(struct synth_record *r, uint32_t v);
void synth_rec_u64(struct synth_record *r, uint64_t v);
void synth_rec_bytes(struct synth_record *r, const void *p, size_t n);
/* A NUL-terminated string padded with zeros to a multiple of 8. */
void synth_rec_string(struct synth_record *r, const char *s);
/* Adds the fields of sample_id_all and hands the record over. */
int synth_rec_end(struct synth_record *r, struct synth *s, struct err *e);
/* Without those fields: the tool's own records. */
int synth_rec_end_plain(struct synth_record *r, struct synth *s, struct err *e);

/* A line of /proc/PID/maps. */
struct map_line {
	uint64_t start, end, pgoff, ino;
	uint32_t prot, flags, maj, min;
	char *path;
};

/* The build id of the file that a map shows; its length, 0 = none. */
size_t synth_build_id(struct synth *s, pid_t pid, const struct map_line *m,
		      uint8_t id[CAPTURE_BUILD_ID_MAX]);

#endif
