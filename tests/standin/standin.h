/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stand-in for perf_event_open(2), preloaded into the program under test: a kernel with the
 * SIMD register series, on a CPU that has everything, where the machine has neither.
 *
 *	STANDIN=PROFILE LD_PRELOAD=standin.so perf record ...
 *
 *	old	a kernel before the series (attr size 136), no LBR, no XMM
 *	legacy	the same with PEBS that samples XMM through mask bits 32-63
 *	ymm	the series on a CPU with XMM and YMM only
 *	full	the series with XMM, YMM, ZMM, opmask, APX, SSP, PEBS groups, LBR with counters
 *	pebs-xmm	the registers of full, PEBS has XMM only; no LBR
 *	hybrid	`full`, and events need a core PMU's number (8 or 9) in config's upper half
 *	lbr4.14	LBR under a kernel that knows branch filters up to save_type
 *	nopmu	no hardware event opens
 *	hidden	this machine's own kernel, of which hardware events are hidden: all others are real
 *	zen3	branch sampling of AMD Zen 3: event 0xc4, any, a fixed period, nothing else
 *
 *	STANDIN_LOG=FILE	every sample's values, one line each, as they were written
 *	STANDIN_SAMPLES=N	samples per event and CPU (default 20)
 *	STANDIN_SYSFS=DIR	stands for /sys/bus/event_source/devices
 *	STANDIN_PROC=DIR	what lies in DIR stands for the file of that name in /proc
 *	STANDIN_CPUS=FILE	stands for /sys/devices/system/cpu/online: "0-999"
 *	STANDIN_PARANOID=N	the caller has no privileges, kernel.perf_event_paranoid is N
 *				above 2 nobody may open anything, as with Debian's and Ubuntu's kernels
 *	STANDIN_MAINLINE=1	levels above 2 are 2, as with the kernel's own code
 *	STANDIN_THROTTLE=N	each event tells N times that it was held back
 *	STANDIN_FLOOD=1		write without waiting for the reader, so that records get lost
 *
 * What it refuses, and with which errno: rules.c. Events never count anything real; a thread of
 * the program's own writes the samples into rings that are laid out as the kernel's.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "uapi/perf_event.h"

struct table {
	const char *name;
	uint32_t attr_size; /* the kernel's own; fields behind it are unknown to it */
	bool series;	    /* sample_simd_* are known */
	bool legacy_xmm;    /* XMM through bits 32-63 with precise_ip */
	bool xmm, ymm, zmm, opmask, apx, ssp;
	bool pebs_xmm; /* with precise_ip nothing wider than XMM */
	bool lbr, lbr_counters, lbr_type;
	bool brs, no_pmu;
	bool real;	      /* what is not refused goes to the kernel */
	uint64_t branch_bits; /* that the kernel knows; 0 = all */
	bool hybrid;
	unsigned max_precise;
};

struct event {
	int fd; /* an eventfd: poll() works on it */
	bool used, enabled, on_exec;
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	uint64_t id;
	uint64_t count, lost, pending_lost;
	unsigned char *ring; /* mapping: control page, then data */
	size_t ring_size;
	uint64_t woken;	      /* head of the ring at the last wakeup */
	struct event *output; /* whose ring takes the records; itself at first */
	struct event *leader;
	unsigned written; /* samples so far */
	unsigned throttled;
	bool greeted; /* COMM and MMAP2 went out */
};

/* rules.c: 0 or -errno. May store the kernel's own size into attr->size (E2BIG). */
const struct table *table_find(const char *name);
/* Whether a profile that is real otherwise has no such event. */
bool rules_hide(const struct table *p, const struct perf_event_attr *a);
int rules_check(const struct table *p, struct perf_event_attr *attr, uint32_t given_size, pid_t pid,
		int cpu, const struct event *group, unsigned long flags);

/* sample.c: one record into buf (64 KiB), its values into the log. The record's size. */
size_t sample_compose(const struct table *p, struct event *ev, unsigned nr, unsigned char *buf,
		      FILE *log);
size_t comm_compose(const struct event *ev, unsigned char *buf);
size_t mmap2_compose(const struct event *ev, unsigned char *buf);
size_t throttle_compose(const struct event *ev, unsigned char *buf);
size_t lost_compose(const struct event *ev, uint64_t lost, unsigned char *buf);

#endif
