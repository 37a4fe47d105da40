/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of perf pmu-dt: each prints one answer through emit. */
#ifndef PERF_PMU_DT_H
#define PERF_PMU_DT_H

#include "cli/cli.h"
#include "dtpmu/dtpmu.h"
#include "emit/emit.h"

struct pmu_dt_opts {
	const char *path, *pmu, *config1, *groups;
	bool json, guest, as_published;
	int verbose;
};

struct pmu_dt_ctx {
	const struct command *cmd;
	const struct pmu_dt_opts *o;
	struct emit *e;
	int status; /* of the program, when nothing fails */
	struct err *err;
};

/* Capabilities, registers, fields, constraints; @all also the events. 0 or -ENOMEM. */
int pmu_dt_show(struct emit *e, const struct dtpmu *pmu, bool all, struct err *err);
/* Findings; @notes also those that are only notes. Counts the faults in *faults. */
int pmu_dt_lint(struct emit *e, const struct dtpmu *pmu, bool notes, size_t *faults,
		struct err *err);
/* One group of the arguments, or many: of arguments in braces, or of the file --groups. */
int pmu_dt_check(struct pmu_dt_ctx *c, const struct dtpmu *pmu, int argc, char **argv);

#endif
