/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this program was built with; made by tools/feature.sh. */
#ifndef PERF_BUILD_OPTIONS_H
#define PERF_BUILD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct feature {
	const char *name; /* "zstd" */
	bool on;
	const char *macro;   /* as upstream's build calls it: "HAVE_ZSTD_SUPPORT" */
	const char *package; /* Debian package that turns it on; NULL = nothing does */
	const char *gives;   /* what it is for */
};

const struct feature *perf_features(size_t *nr);
/* The line of perf version --build-options. */
void perf_print_feature(const struct feature *f);

#endif
