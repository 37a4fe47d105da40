/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracer: the ptrace side. Register state of stopped threads and of core files.
 *
 *	struct tracer_states st = { 0 };
 *
 *	if (tracer_states_core(&st, "core.1234", &err))
 *		...
 *	vec_for_each(t, &st.threads)
 *		xsave_image_open(&im, cpu, t->xsave, t->xsave_size, &err) ...
 *	tracer_states_free(&st);
 *
 * Memory: what a struct holds belongs to it until its free function. Errors: 0 or -errno with a
 * struct err that says who refused (Yama, another tracer, credentials) and what to do.
 */
#ifndef PERF_TRACER_H
#define PERF_TRACER_H

#include "xsave/xsave.h"

/* ---- register state at a standstill -------------------------------------------------------------- */

struct tracer_state {
	pid_t tid;
	uint64_t ip;		    /* 0 = unknown */
	const unsigned char *xsave; /* NT_X86_XSTATE, standard form; NULL = none was there */
	size_t xsave_size;
	bool has_ssp; /* NT_X86_SHSTK: the thread uses a shadow stack */
	uint64_t ssp;
};

struct tracer_states {
	VEC(struct tracer_state) threads;
	const unsigned char *layout; /* NT_X86_XSAVE_LAYOUT of a core; NULL = none */
	size_t layout_size;
	struct arena arena;
};

/* Of every thread in an ELF core file; bytes of the file are copied. */
int tracer_states_core(struct tracer_states *st, const char *path, struct err *e);
/*
 * Of every thread of a live process: each is stopped for the time of reading and goes on as it
 * was (also when it was stopped by a signal).
 */
int tracer_states_live(struct tracer_states *st, pid_t pid, struct err *e);
void tracer_states_free(struct tracer_states *st);

/* Fills @e for a failed PTRACE_SEIZE or ATTACH of @tid: who refused, and the way out. */
int tracer_attach_error(pid_t tid, int code, struct err *e);

#endif
