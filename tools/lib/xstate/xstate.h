/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xstate: XSAVE state as text and JSON. The components of a CPU with their places and cost, registers
 * and branches of images, threads and cores, and the on-demand design of LBR state compared with the
 * one that is always there, over schedules that are made, written down or recorded. What the bytes
 * mean is room xsave's, how threads are read tracer's.
 *
 *	emit_object(&e, NULL);
 *	xstate_show_table(&e, cpu, 0, &err);
 *	emit_end(&e);
 *
 * Everything goes into an object that the caller has begun. Errors: 0 or -errno with a struct err;
 * what was emitted before one is worth showing as text. Nothing is kept: any thread may call.
 */
#ifndef XSTATE_XSTATE_H
#define XSTATE_XSTATE_H

#include "emit/emit.h"
#include "regs/regs.h"
#include "tracer/tracer.h"
#include "xsave/xsave.h"

struct xstate_view {
	const struct xsave_cpu
		*cpu; /* whose layout images have; NULL = a core's note, or a guess */
	const struct xsave_cpu *host; /* this machine; NULL = it is not x86 */
	bool asked;		      /* @cpu was named, and is not just this machine */
	bool all;		      /* also registers in their initial state */
	enum regs_lane lane;
};

/* A described CPU; -EINVAL with those that are. */
int xstate_find_cpu(const char *name, const struct xsave_cpu **cpu, struct err *e);
/* Component table, layout and cost of @cpu; of @set only unless 0. */
int xstate_show_table(struct emit *e, const struct xsave_cpu *cpu, uint64_t set, struct err *err);
/*
 * One image's registers as an object with the thread's number, unless 0. @lost: the CPU is only
 * guessed; what is left out for that is added to it.
 */
int xstate_show_image(struct emit *e, const struct xsave_cpu *cpu, const struct xstate_view *v,
		      const struct tracer_state *t, uint64_t *lost, struct err *err);
/* Of all threads. @core: its file's name, for @note, which gets what a user should know of it. */
int xstate_show_threads(struct emit *e, const struct xstate_view *v, const char *core,
			const struct tracer_states *st, struct err *note, struct err *err);
/* @source: "made[:tasks=N,lbr=N,switches=N,cpus=N]", a schedule as text, or a perf.data file; what is
 * odd in that one @log is told. */
int xstate_simulate(struct emit *e, const struct xsave_cpu *cpu, const char *source,
		    const struct log_sink *log, struct err *err);

#endif
