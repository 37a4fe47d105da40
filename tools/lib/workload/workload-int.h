/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef PERF_WORKLOAD_WORKLOAD_INT_H
#define PERF_WORKLOAD_WORKLOAD_INT_H

#include "workload/workload.h"

/* Not inlined, not cloned, and compiled as written: the branches are part of the promise. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline, optnone))
#else
#define AS_WRITTEN __attribute__((noinline, noclone, optimize("O0", "no-omit-frame-pointer")))
#endif

/* Not inlined, but optimized. */
#define OWN_FUNCTION __attribute__((noinline))

/* argv[1] as seconds (a fraction is fine), @def when missing. */
double workload_seconds(int argc, char **argv, double def);
/* argv[i] as a count, @def when missing. */
uint64_t workload_count(int argc, char **argv, int i, uint64_t def);
/*
 * Starts an alarm that sets workload_done after @seconds of wall time, or when the process has run
 * for half of them if that takes longer: a profile needs its samples on a busy machine, too.
 */
void workload_alarm(double seconds);
extern volatile int workload_done;

int workload_noploop(int argc, char **argv);
int workload_thloop(int argc, char **argv);
int workload_leafloop(int argc, char **argv);
int workload_sqrtloop(int argc, char **argv);
int workload_brstack(int argc, char **argv);
int workload_datasym(int argc, char **argv);
int workload_simdloop(int argc, char **argv);
int workload_inlineloop(int argc, char **argv);
int workload_callchain(int argc, char **argv);
int workload_deterministic(int argc, char **argv);
int workload_named_threads(int argc, char **argv);
int workload_context_switch_loop(int argc, char **argv);
int workload_landlock(int argc, char **argv);
int workload_traploop(int argc, char **argv);
int workload_jitdump(int argc, char **argv);

#endif
