/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of perf pmu-dt: each prints one answer through emit. */
#ifndef PERF_PMU_DT_H
#define PERF_PMU_DT_H

#include "dtpmu/dtpmu.h"
#include "emit/emit.h"

/* Capabilities, registers, fields, constraints; @all also the events. 0 or -ENOMEM. */
int pmu_dt_show(struct emit *e, const struct dtpmu *pmu, bool all, struct err *err);
/* Findings; @notes also those that are only notes. Counts the faults in *faults. */
int pmu_dt_lint(struct emit *e, const struct dtpmu *pmu, bool notes, size_t *faults,
		struct err *err);

#endif
