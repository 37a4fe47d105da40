/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host: what this machine says about itself in /proc and /sys: names, CPUs, caches, memory, PMUs.
 * The answers are payloads of features, as perf.data(5) lays them out, because who asks is about to
 * write them into a recording. Nothing is kept between calls: any thread.
 *
 *	struct obuf o = { .fd = -1 };
 *
 *	if (!host_feature(FEAT_CPUDESC, &o))
 *		perfdata_writer_feature(w, FEAT_CPUDESC, o.buf, o.len, &err);
 */
#ifndef PERF_HOST_H
#define PERF_HOST_H

#include "perfdata/perfdata.h"

/*
 * Appends what this host has for feature @id to @o. 0; -ENOENT when the machine cannot tell, or the
 * feature is none of a machine; -errno.
 */
int host_feature(int id, struct obuf *o);

/*
 * CPUs that this process may use at once, by its affinity and by what its cgroups grant it of CPU
 * time; at least 1.
 */
unsigned host_cpus_usable(void);

#endif
