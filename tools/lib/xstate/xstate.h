/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of perf xstate: tables, registers out of images, the simulated policy. */
#ifndef XSTATE_XSTATE_H
#define XSTATE_XSTATE_H

#include "emit/emit.h"
#include "regs/regs.h"
#include "tracer/tracer.h"
#include "xsave/xsave.h"

struct xstate_opts {
	const char *cpu, *set, *core, *image, *simulate, *lane_name;
	uint64_t pid;
	bool json, all;
	enum regs_lane lane;
	const struct xsave_cpu *host; /* NULL: not an x86 machine */
};

/* Component table, layout and cost of @cpu; of @set only unless 0. */
int xstate_show_table(struct emit *e, const struct xsave_cpu *cpu, uint64_t set, struct err *err);
/*
 * One image's registers as an object with the thread's number, unless 0. @lost: the CPU is only
 * guessed; what is left out for that is added to it.
 */
int xstate_show_image(struct emit *e, const struct xsave_cpu *cpu, const struct xstate_opts *o,
		      const struct tracer_state *t, uint64_t *lost, struct err *err);
/* @source: "made[:tasks=N,lbr=N,switches=N,cpus=N]", a schedule as text, or a perf.data file. */
int xstate_simulate(struct emit *e, const struct xsave_cpu *cpu, const char *source,
		    struct err *err);
/* Feeds the switches and LBR uses of a perf.data file. */
int xstate_feed_recording(struct xsave_sim *sim, const char *path, struct err *err);

#endif
