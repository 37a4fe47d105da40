/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump, inside. */
#ifndef PERF_DUMP_DUMP_INT_H
#define PERF_DUMP_DUMP_INT_H

#include "dump/dump.h"
#include "machine/machine.h"
#include "regs/regs.h"
#include "sample/sample.h"

struct dump {
	struct perfdata *pd;
	struct machine *machine;
	struct obuf *o;
	struct dump_opts opts;
	struct dump_stats stats;
	enum regs_arch arch;
	const char *path;
	size_t path_len;
	bool pipe;

	struct sample sample; /* the record at hand, if it is one ... */
	bool parsed;	      /* ... and whole */

	/* Of all events together, because the start of a line follows them, not its record. */
	size_t nr_events, attrs_seen;
	uint64_t sample_types;
	bool id_all;
};

/* What stands behind "PERF_RECORD_NAME"; an error stays in @e, nothing is printed then. */
typedef int (*dump_body)(struct dump *d, const struct record *rec, struct err *e);

dump_body dump_kernel_body(uint32_t type); /* NULL: nothing to say */
dump_body dump_tool_body(uint32_t type);
int dump_sample(struct dump *d, const struct record *rec, struct err *e);

/*
 * Text into room that was asked for once for many pieces; they return the place behind it. A number takes
 * DUMP_NUMBER bytes of it at most.
 */
#define DUMP_NUMBER	 24
#define DUMP_PUT(p, lit) ((char *)mempcpy((p), "" lit, sizeof(lit) - 1))
char *dump_put_hex(char *p, uint64_t v);

/* A hexadecimal number as printf's %#lx: 0 has no prefix. */
void dump_hex(struct obuf *o, uint64_t v);
/* A signed 32-bit number, as pids are printed. */
void dump_s32(struct obuf *o, uint32_t v);

#endif
