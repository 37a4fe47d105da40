// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as /tmp/perf-PID.map. Every address must find a symbol that holds it, or none. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "symbol/symbol-int.h"

static void run(const uint8_t *data, size_t size)
{
	struct symtab t = { 0 };
	FILE *f = size ? fmemopen((void *)data, size, "r") : NULL;
	uint32_t i;

	if (!f)
		return;
	if (!symtab_read_jit(f, &t) && !symtab_finish(&t, ENDS_JIT)) {
		for (size_t k = 0; k < t.sym.n; k++) {
			uint64_t addr = t.sym.v[k].start;

			i = symtab_find(&t, addr);
			if (i != SYM_NO_SEG && addr - t.sym.v[i].start >= t.sym.v[i].size)
				abort();
			if (i != SYM_NO_SEG)
				fuzz_touch(symtab_name(&t, i));
		}
	}
	symtab_free(&t);
	fclose(f);
}

const struct fuzz_target fuzz_perfmap = {
	.name = "perfmap",
	.reads = "/tmp/perf-PID.map",
	.max_len = 2048,
	.run = run,
	.mutate = mutate_text,
};
